//! Money: every movement goes from one account to another, so that the accounts of a floor always sum to zero.
//!
//! What the house owes is positive (credits, tickets, stakes), what it has is negative (cash in a box or a float): cash
//! put into a terminal moves from its drop to the visit's credit, a redeemed ticket from the outstanding tickets to the
//! cashier's float.

use rulebook::Cents;
use serde::{Deserialize, Serialize};

use crate::ids::*;
use crate::state::Floor;

/// Where money is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Account {
    /// Everything outside the floor: players' purses, the vault.
    World,
    /// Cash in a terminal's box.
    CashDrop(TerminalId),
    /// The float of a cashier's shift.
    CageFloat(ShiftId),
    /// Tickets that can be redeemed.
    TicketsOutstanding,
    /// Tickets prepared and not yet printed, of a terminal.
    TicketsPrepared(TerminalId),
    /// Tickets that were not redeemed in time.
    TicketsExpired,
    /// The credit of the visit at a terminal.
    Credit(TerminalId),
    /// Stakes of the round in progress at a table.
    Stakes(TableId),
    /// What the house has won at a table.
    HouseWin(TableId),
    /// What corrections and decisions left to be paid at the cage.
    CorrectionPayable,
    /// What corrections could not collect; a claim of the house, so never above zero.
    Uncollected,
    /// What attendants have paid in and out by hand.
    Attendant,
    /// What the Shift Manager's decisions have moved.
    Decisions,
    /// Differences found when counting floats.
    Differences,
    /// The chips in the tray of a live table.
    TableFloat(TableId),
    /// The cash in the drop box of a live table.
    TableDrop(TableId),
    /// The chips of a live table that players have.
    Chips(TableId),
}

/// Why money moved.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Cause {
    CashIn,
    TicketIn,
    AttendantIn,
    Wager,
    /// A bet withdrawn, or returned by a void.
    BetReturned,
    /// Stakes of a settled round go to the house …
    Collect,
    /// … and what the bets return goes to the players.
    Win,
    TicketPrepared,
    PrintFailed,
    TicketOut,
    AttendantOut,
    Correction,
    Decision,
    Sold,
    Redeemed,
    Expired,
    Paid,
    Float,
    /// A claim that was paid after all.
    Recovered,
}

/// A movement of money.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// From where.
    pub from: Account,
    /// To where.
    pub to: Account,
    /// How much; never negative.
    pub amount: Cents,
    /// Why.
    pub cause: Cause,
}

/// The meters of a terminal (S7, S11).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[allow(missing_docs)]
#[repr(C)]
pub struct Meters {
    #[n(0)]
    pub wagers: Cents,
    #[n(1)]
    pub wins: Cents,
    #[n(2)]
    pub bets_returned: Cents,
    #[n(3)]
    pub cash_in: Cents,
    #[n(4)]
    pub tickets_in: Cents,
    #[n(5)]
    pub attendant_in: Cents,
    #[n(6)]
    pub tickets_out: Cents,
    #[n(7)]
    pub attendant_out: Cents,
    /// Corrections, either way.
    #[n(8)]
    pub corrections: Cents,
    /// Decisions, either way.
    #[n(9)]
    pub decisions: Cents,
}

impl Meters {
    /// What the credit must be by the meters (S11).
    #[must_use]
    pub fn credit(&self) -> Option<Cents> {
        let ins = [
            self.cash_in,
            self.tickets_in,
            self.attendant_in,
            self.wins,
            self.bets_returned,
            self.corrections,
            self.decisions,
        ];
        let outs = [self.tickets_out, self.attendant_out, self.wagers];
        Cents::checked_sum(ins)?.checked_sub(Cents::checked_sum(outs)?)
    }

    fn move_credit(&mut self, cause: Cause, amount: i64) {
        // The sign says whether the money came to the credit or left it.
        let (meter, moved) = match cause {
            Cause::CashIn => (&mut self.cash_in, amount),
            Cause::TicketIn => (&mut self.tickets_in, amount),
            Cause::AttendantIn => (&mut self.attendant_in, amount),
            Cause::Wager => (&mut self.wagers, -amount),
            Cause::Win => (&mut self.wins, amount),
            Cause::BetReturned => (&mut self.bets_returned, amount),
            Cause::AttendantOut => (&mut self.attendant_out, -amount),
            Cause::Correction => (&mut self.corrections, amount),
            Cause::Decision => (&mut self.decisions, amount),
            _ => return,
        };
        *meter = Cents::new(meter.get().saturating_add(moved));
    }
}

/// The accounts that belong to the floor as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Books {
    #[n(0)]
    pub world: Cents,
    #[n(1)]
    pub outstanding: Cents,
    #[n(2)]
    pub expired: Cents,
    #[n(3)]
    pub payable: Cents,
    #[n(4)]
    pub uncollected: Cents,
    #[n(5)]
    pub attendant: Cents,
    #[n(6)]
    pub decisions: Cents,
    #[n(7)]
    pub differences: Cents,
    /// Movements of the last event, for who asks.
    #[serde(skip)]
    #[cbor(skip)]
    pub taken_down: Option<Vec<Transfer>>,
}

/// An event that does not fit the state it is applied to: the log is damaged, or not this floor's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {sequence} does not fit: {what}")]
pub struct Misfit {
    /// Which event.
    pub sequence: u64,
    /// Why.
    pub what: &'static str,
}

impl Floor {
    #[inline(always)]
    fn balance_mut(&mut self, account: Account) -> Option<&mut Cents> {
        Some(match account {
            Account::Credit(id) => &mut self.terminals.get_mut(id.index())?.credit,
            Account::Stakes(id) => &mut self.tables.get_mut(id.index())?.accounts.stakes,
            Account::HouseWin(id) => &mut self.tables.get_mut(id.index())?.accounts.house,
            Account::World => &mut self.books.world,
            Account::CashDrop(id) => &mut self.terminals.get_mut(id.index())?.drop,
            Account::CageFloat(id) => &mut self.shifts.get_mut(&id)?.float,
            Account::TicketsOutstanding => &mut self.books.outstanding,
            Account::TicketsPrepared(id) => &mut self.terminals.get_mut(id.index())?.prepared,
            Account::TicketsExpired => &mut self.books.expired,
            Account::CorrectionPayable => &mut self.books.payable,
            Account::Uncollected => &mut self.books.uncollected,
            Account::Attendant => &mut self.books.attendant,
            Account::Decisions => &mut self.books.decisions,
            Account::Differences => &mut self.books.differences,
            Account::TableFloat(id) => &mut self.tables.get_mut(id.index())?.accounts.float,
            Account::TableDrop(id) => &mut self.tables.get_mut(id.index())?.accounts.drop,
            Account::Chips(id) => &mut self.tables.get_mut(id.index())?.accounts.chips,
        })
    }

    /// Moves money. This is the only place where a balance changes. The caller knows the kinds of both accounts; when
    /// inlined, no code is left that tells them apart.
    #[inline(always)]
    pub(crate) fn transfer(&mut self, from: Account, to: Account, amount: Cents, cause: Cause) -> Result<(), Misfit> {
        if amount == Cents::ZERO {
            return Ok(());
        }
        let sequence = self.sequence;
        let misfit = |what| Misfit { sequence, what };
        if amount < Cents::ZERO {
            return Err(misfit("a negative amount moved"));
        }
        let source = self.balance_mut(from).ok_or_else(|| misfit("no such account"))?;
        *source = source.checked_sub(amount).ok_or_else(|| misfit("an account overflows"))?;
        if *source < Cents::ZERO && !may_go_below_zero(from) {
            return Err(misfit("an account would go below zero"));
        }
        let target = self.balance_mut(to).ok_or_else(|| misfit("no such account"))?;
        *target = target.checked_add(amount).ok_or_else(|| misfit("an account overflows"))?;
        self.meter(from, cause, -amount.get());
        self.meter(to, cause, amount.get());
        if let Some(taken_down) = &mut self.books.taken_down {
            taken_down.push(Transfer { from, to, amount, cause });
        }
        Ok(())
    }

    #[inline(always)]
    fn meter(&mut self, account: Account, cause: Cause, amount: i64) {
        match account {
            Account::Credit(id) => {
                if let Some(terminal) = self.terminals.get_mut(id.index()) {
                    terminal.meters.move_credit(cause, amount);
                    let lost = match cause {
                        Cause::Wager | Cause::Win | Cause::BetReturned | Cause::Correction | Cause::Decision => amount,
                        _ => 0,
                    };
                    terminal.lost_in_visit = Cents::new(terminal.lost_in_visit.get().saturating_sub(lost));
                }
            }
            Account::TicketsPrepared(id) if cause == Cause::TicketOut => {
                if let Some(terminal) = self.terminals.get_mut(id.index()) {
                    let out = &mut terminal.meters.tickets_out;
                    *out = Cents::new(out.get().saturating_sub(amount));
                }
            }
            _ => {}
        }
    }

    /// Every account with its balance. They sum to zero.
    #[must_use]
    pub fn accounts(&self) -> Vec<(Account, Cents)> {
        let books = [
            (Account::World, self.books.world),
            (Account::TicketsOutstanding, self.books.outstanding),
            (Account::TicketsExpired, self.books.expired),
            (Account::CorrectionPayable, self.books.payable),
            (Account::Uncollected, self.books.uncollected),
            (Account::Attendant, self.books.attendant),
            (Account::Decisions, self.books.decisions),
            (Account::Differences, self.books.differences),
        ];
        let terminals = self.terminals.iter().flat_map(|t| {
            [
                (Account::CashDrop(t.id), t.drop),
                (Account::Credit(t.id), t.credit),
                (Account::TicketsPrepared(t.id), t.prepared),
            ]
        });
        let tables = self.tables.iter().flat_map(|t| {
            [
                (Account::Stakes(t.id), t.accounts.stakes),
                (Account::HouseWin(t.id), t.accounts.house),
                (Account::TableFloat(t.id), t.accounts.float),
                (Account::TableDrop(t.id), t.accounts.drop),
                (Account::Chips(t.id), t.accounts.chips),
            ]
        });
        let shifts = self.shifts.values().map(|s| (Account::CageFloat(s.id), s.float));
        books.into_iter().chain(terminals).chain(tables).chain(shifts).collect()
    }

    /// Applies an event and tells which money it moved.
    ///
    /// # Errors
    /// When the event does not fit.
    pub fn apply_and_tell(&mut self, record: &crate::Record) -> Result<Vec<Transfer>, Misfit> {
        self.books.taken_down = Some(Vec::new());
        let applied = self.apply(record);
        let taken_down = self.books.taken_down.take().unwrap_or_default();
        applied.map(|()| taken_down)
    }
}

/// Accounts that stand for claims or for the world outside. Players' money is never below zero.
fn may_go_below_zero(account: Account) -> bool {
    matches!(
        account,
        Account::World
            | Account::CashDrop(_)
            | Account::CageFloat(_)
            | Account::TableDrop(_)
            | Account::HouseWin(_)
            | Account::Uncollected
            | Account::Attendant
            | Account::Decisions
            | Account::Differences
            | Account::TableFloat(_)
            | Account::Chips(_)
    )
}
