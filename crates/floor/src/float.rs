//! The chips and the cash of a live table: the tray, the drop box, and what players have.

use rulebook::{Act, Cents};

use crate::cage::{difference_explained, pile_sum};
use crate::command::*;
use crate::decide::{Events, amount_fits};
use crate::dual::Moving;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Table};

impl Table {
    /// The chips that must be in the tray of a live table.
    #[must_use]
    pub fn float(&self) -> Cents {
        Cents::new(self.accounts.float.get().saturating_neg())
    }

    /// A tray never goes below zero: what it does not hold has to be brought first. Where bets are not recorded and rounds
    /// have been played, what it holds is not known until it is counted.
    pub(crate) fn tray_holds(&self, amount: Cents) -> Result<(), Refusal> {
        let known = self.mode == TableMode::BetsRecorded || self.rounds_settled == 0;
        if known && amount > self.float() {
            return refuse(Code::Float, "the float", format!("the tray holds {}: bring a fill first", self.float()));
        }
        Ok(())
    }

    /// Whether the tray can pay what a settlement or correction gives to the players.
    // § rws-taisai 3.9
    pub(crate) fn tray_covers(&self, events: &[Event]) -> Result<(), Refusal> {
        let paid = |event: &Event| match event {
            Event::ChipsSettled { shares, .. } => {
                shares.iter().map(|share| share.returned.get().saturating_sub(share.bet.get())).sum::<i64>()
            }
            Event::ChipsCorrected { paid, .. } => paid.iter().map(|(_, amount)| amount.get()).sum(),
            Event::RecordCorrected { paid, .. } => paid.iter().map(|(_, amount)| amount.get()).sum(),
            _ => 0,
        };
        self.tray_holds(Cents::new(events.iter().map(paid).sum::<i64>().max(0)))
    }

    /// The difference found by a count of the drop box or of the tray. Where bets are not recorded, a gain or loss of
    /// the tray is the house's win, and no difference.
    pub(crate) fn differs(&self, movement: FloatMovement, difference: Cents) -> Option<(Counted, Cents)> {
        let counted = match movement {
            FloatMovement::Drop(_) => Counted::Drop(self.id),
            FloatMovement::Closer(_) if self.mode == TableMode::BetsRecorded => Counted::Tray(self.id),
            _ => return None,
        };
        (difference != Cents::ZERO).then_some((counted, difference))
    }

    /// The cash that must be in the drop box of a live table.
    #[must_use]
    pub fn drop(&self) -> Cents {
        Cents::new(self.accounts.drop.get().saturating_neg())
    }
}

impl FloatMovement {
    /// The amount.
    pub(crate) fn amount(self) -> Cents {
        match self {
            FloatMovement::Opener(amount)
            | FloatMovement::Fill(amount)
            | FloatMovement::Credit(amount)
            | FloatMovement::BuyIn(amount)
            | FloatMovement::ChipsOut(amount)
            | FloatMovement::Closer(amount)
            | FloatMovement::Drop(amount) => amount,
        }
    }

    /// The amount, of a movement to or from the vault.
    pub(crate) fn of_vault(self) -> Option<Cents> {
        match self {
            FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => None,
            _ => Some(self.amount()),
        }
    }
}

impl Floor {
    /// The table's chips and cash: opener, fills, credits, buy-ins, closer, drop. What goes to or from the vault is
    /// counted by denomination and witnessed. What a dealer sells or takes back from players counts in what the dealer moves
    /// alone; past the threshold a Pit Supervisor signs (D27).
    pub(crate) fn move_float(
        &self,
        sender: Sender,
        table: TableId,
        movement: FloatMovement,
        (counts, reason): (&[Pile], &str),
        witness: Option<StaffId>,
    ) -> Events {
        let (found, _) = self.find_table(table)?;
        if found.mode == TableMode::Terminals {
            return refuse(Code::NotFound, "the table's mode", "this table has no chips");
        }
        let act = match movement {
            FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => Act::OpenRound,
            // No document names who moves a float: we require the rank that witnesses.
            _ => Act::WitnessAttestation,
        };
        let by = self.authorise(sender, act, found)?;
        let witness = match act {
            Act::WitnessAttestation => Some(self.second_person(by, witness, act, found)?),
            _ => {
                let threshold = Some(found.settings.hand_pay);
                let moving = Moving { amount: movement.amount(), visit: None, threshold };
                self.signature(by, witness, moving, Act::HandPay, found)?
            }
        };
        counts_agree(movement, counts)?;
        let accounts = &found.accounts;
        let difference = match movement {
            FloatMovement::Opener(amount) => {
                amount_fits(amount)?;
                if accounts.float != Cents::ZERO {
                    return refuse(Code::Float, "the float", "the table has its opener; bring a fill");
                }
                Cents::ZERO
            }
            FloatMovement::Fill(amount) => {
                amount_fits(amount)?;
                Cents::ZERO
            }
            FloatMovement::BuyIn(amount) => {
                amount_fits(amount)?;
                found.tray_holds(amount)?;
                Cents::ZERO
            }
            FloatMovement::ChipsOut(amount) => {
                amount_fits(amount)?;
                if found.mode == TableMode::BetsRecorded && amount > accounts.chips {
                    return refuse(Code::Float, "the float", "players do not hold so many chips of this table");
                }
                Cents::ZERO
            }
            FloatMovement::Credit(amount) => {
                amount_fits(amount)?;
                found.tray_holds(amount)?;
                Cents::ZERO
            }
            FloatMovement::Closer(counted) => {
                if found.round.is_some() {
                    return refuse(Code::InRound, "S12", "the round must end first");
                }
                counted_fits(counted)?;
                Cents::new(counted.get().saturating_sub(found.float().get()))
            }
            FloatMovement::Drop(counted) => {
                counted_fits(counted)?;
                Cents::new(counted.get().saturating_sub(found.drop().get()))
            }
        };
        let differs = found.differs(movement, difference);
        difference_explained(differs.map_or(Cents::ZERO, |(_, difference)| difference), reason)?;
        let (counts, reason) = (counts.to_vec(), (!reason.is_empty()).then(|| reason.into()));
        let mut events = vec![Event::FloatMoved { table, movement, difference, by, counts, witness, reason }];
        events.extend(differs.and_then(|(counted, difference)| self.difference_alert(counted, difference)));
        events.extend(match movement {
            FloatMovement::BuyIn(amount) => self.large_cash_at(CashPlace::Table(table), amount, Cents::ZERO),
            FloatMovement::ChipsOut(amount) => self.large_cash_at(CashPlace::Table(table), Cents::ZERO, amount),
            _ => None,
        });
        Ok(events)
    }
}

/// What goes to or from the vault is counted by denomination, and the count is the amount.
fn counts_agree(movement: FloatMovement, counts: &[Pile]) -> Result<(), Refusal> {
    let Some(amount) = movement.of_vault() else { return Ok(()) };
    let counted = pile_sum(counts)?;
    if counted != amount {
        let words = format!("the denominations sum to {counted}, and the amount is {amount}");
        return refuse(Code::Amount, "the float", words);
    }
    Ok(())
}

fn counted_fits(counted: Cents) -> Result<(), Refusal> {
    if counted == Cents::ZERO { Ok(()) } else { amount_fits(counted) }
}
