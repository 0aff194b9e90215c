//! What keeps one person from moving money alone: the gaming day, running totals, who made whose account (D25, D27).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rulebook::Cents;
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::ids::*;
use crate::people::Favoured;

/// Dual control of a floor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Control {
    /// The gaming day, in days since 1970 in local time.
    #[n(0)]
    pub day: i64,
    /// The thresholds that two people have set; the default ones until then.
    #[n(1)]
    pub thresholds: Thresholds,
    /// By person: what was moved in this gaming day.
    #[n(2)]
    pub alone: BTreeMap<StaffId, Alone>,
    /// By visit and person: what was moved alone for that visit since the last signature.
    #[n(3)]
    pub visits: BTreeMap<(VisitId, StaffId), Cents>,
    /// In this gaming day, and for at least a day: whose account or post, and who made or changed it.
    #[n(4)]
    pub made: BTreeSet<(StaffId, StaffId)>,
    /// Tickets in doubt, and whether the pit was alerted.
    #[n(5)]
    pub doubts: BTreeMap<TicketId, bool>,
    /// By ticket: what a plain ticket does not have.
    #[n(6)]
    pub papers: BTreeMap<TicketId, Paper>,
    /// By shift: the last count of the drawer and how many there were.
    #[n(7)]
    pub counts: BTreeMap<ShiftId, (Cents, u16)>,
    /// By visit: cash in and out.
    #[n(8)]
    pub cash: BTreeMap<VisitId, VisitCash>,
    /// By place: since when and how many wrong ticket numbers were tried.
    #[n(9)]
    pub wrong: BTreeMap<TicketPlace, (Moment, u16)>,
    /// Sealed codes that have not been opened.
    #[n(10)]
    pub sealed: Vec<SealedHash>,
    /// Who opened one, and until when it stands for a second person.
    #[n(11)]
    pub opened: Option<(StaffId, Moment)>,
    /// By visit and person: how many corrections and decisions gave money to that visit.
    #[n(12)]
    #[cbor(default)]
    pub favours: BTreeMap<(VisitId, StaffId), u32>,
    /// By table, and `None` for the floor: when the threshold last changed, and what it was before.
    #[n(13)]
    #[cbor(default)]
    pub before: BTreeMap<Option<TableId>, (Moment, Cents)>,
    /// The floor's first gaming day, if dual control was kept from then on. Earlier programs asked for it.
    #[n(14)]
    #[cbor(default)]
    pub first_day: Option<i64>,
    /// By place: since when and how many ticket numbers were mistyped.
    #[n(15)]
    #[cbor(default)]
    pub mistyped: BTreeMap<TicketPlace, (Moment, u16)>,
    /// The same as `before`, for the other thresholds of the floor.
    #[n(16)]
    #[cbor(default)]
    pub others_before: BTreeMap<Threshold, (Moment, Cents)>,
    /// What corrections could not collect, of all rounds together. The rest of the uncollected is of decisions.
    #[n(17)]
    #[cbor(default)]
    pub claims: Cents,
    /// When each pair of `made` came about.
    #[n(18)]
    #[cbor(default)]
    pub made_at: BTreeMap<(StaffId, StaffId), Moment>,
    /// Whose password was reset by whom, and when.
    #[n(19)]
    #[cbor(default)]
    pub resets: BTreeMap<(StaffId, StaffId), Moment>,
    /// By place of the call: who came as second person in this gaming day and signed nothing, and when (D28).
    #[n(20)]
    #[cbor(default)]
    pub came: BTreeMap<Option<TableId>, (StaffId, Moment)>,
    /// By terminal and person: how many corrections and decisions of this gaming day gave money to that terminal, in any
    /// visit.
    #[n(21)]
    #[cbor(default)]
    pub favours_at: BTreeMap<(TerminalId, StaffId), u32>,
    /// By place: cash of this gaming day, for the report of large amounts.
    #[n(22)]
    #[cbor(default)]
    pub cash_at: BTreeMap<CashPlace, VisitCash>,
    /// By terminal: what became of the last ticket that it prepared (S17).
    #[n(23)]
    #[cbor(default)]
    pub last_tickets: BTreeMap<TerminalId, LastTicket>,
    /// By cashier: what the drawers that were closed in this gaming day differed by, short and over together.
    #[n(30)]
    #[cbor(default)]
    pub differences: BTreeMap<StaffId, Cents>,
    /// How many people were dismissed by one person alone in this gaming day.
    #[n(31)]
    #[cbor(default)]
    pub dismissed: u32,
    /// In this gaming day: who put money into a terminal for a player, or paid it out by hand.
    #[n(32)]
    #[cbor(default)]
    pub attended: BTreeSet<(TerminalId, StaffId)>,
    /// Whom an alert is about, who therefore do not acknowledge it.
    #[n(33)]
    #[cbor(default)]
    pub concerned: BTreeMap<AlertId, BTreeSet<StaffId>>,
    /// The people of the last event that an alert about them follows directly.
    #[n(34)]
    #[cbor(default)]
    pub cause: BTreeSet<StaffId>,
    /// By person: what the chips have won in this gaming day that this person recorded after the close (D20).
    #[n(35)]
    #[cbor(default)]
    pub late: BTreeMap<StaffId, Cents>,
    /// In this gaming day: what was paid for a round at a terminal by decisions, less what they took back (D7).
    #[n(36)]
    #[cbor(default)]
    pub decided: BTreeMap<(TerminalId, RoundId), Cents>,
    /// In this gaming day: who sold chips at a live table or took them back, and who signed for it.
    #[n(37)]
    #[cbor(default)]
    pub traded: BTreeSet<(TableId, StaffId)>,
    /// Of `made`: what one person did without a second one.
    #[n(38)]
    #[cbor(default)]
    pub made_alone: BTreeSet<(StaffId, StaffId)>,
    /// By position of a live table and person: how many acts of this gaming day paid chips to it.
    #[n(39)]
    #[cbor(default)]
    pub favours_chips: BTreeMap<(TableId, Position, StaffId), u32>,
    /// Who gave to whom in the act whose events are applied now: further events of it are not counted.
    #[n(40)]
    #[cbor(default)]
    pub favoured_now: BTreeSet<(StaffId, Favoured)>,
}

/// Who made another's account, post or password does not sign with that person until the gaming day and these milliseconds
/// are over: a day (D27).
const MADE_FOR: i64 = 24 * 60 * 60 * 1000;
/// A person who signs for who reset their password is listed for so many milliseconds: seven days.
pub(crate) const RESET_FOR: i64 = 7 * MADE_FOR;

/// A threshold whose changes the audit of people watches (D27).
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
pub(crate) enum Threshold {
    /// For what one person moves alone, at a table or on the floor.
    #[n(0)]
    Alone(#[n(0)] Option<TableId>),
    /// For a ticket redeemed by one person.
    #[n(1)]
    Redemption,
    /// For a difference at the cage.
    #[n(2)]
    Difference,
    /// From which cash is reported.
    #[n(3)]
    LargeCash,
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Alone(Some(table)) => write!(f, "of table {table}"),
            Threshold::Alone(None) => f.write_str("of the floor"),
            Threshold::Redemption => f.write_str("for redemptions"),
            Threshold::Difference => f.write_str("for differences at the cage"),
            Threshold::LargeCash => f.write_str("for large cash"),
        }
    }
}

impl Control {
    /// A gaming day begins: what was made longer ago no longer keeps two people from signing for each other.
    pub(crate) fn forget_made(&mut self, at: Moment) {
        let Control { made, made_alone, made_at, resets, .. } = self;
        made_at.retain(|_, made| at.since(*made) < MADE_FOR);
        made.retain(|pair| made_at.contains_key(pair));
        made_alone.retain(|pair| made_at.contains_key(pair));
        resets.retain(|_, reset| at.since(*reset) < RESET_FOR);
    }

    /// When a threshold last changed, and what it was before.
    pub(crate) fn changed(&self, threshold: Threshold) -> Option<(Moment, Cents)> {
        match threshold {
            Threshold::Alone(place) => self.before.get(&place).copied(),
            other => self.others_before.get(&other).copied(),
        }
    }

    /// A threshold changes now, from what it was.
    pub(crate) fn remember(&mut self, threshold: Threshold, at: Moment, was: Cents) {
        match threshold {
            Threshold::Alone(place) => self.before.insert(place, (at, was)),
            other => self.others_before.insert(other, (at, was)),
        };
    }
}

/// What one person has moved in a gaming day (D27).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Alone {
    /// Without a second person, since the last signature.
    #[n(0)]
    pub since: Cents,
    /// Without a second person, in the whole day.
    #[n(1)]
    pub today: Cents,
    /// With a second person.
    #[n(2)]
    pub signed: Cents,
    /// How many times a second person signed.
    #[n(3)]
    pub signatures: u32,
}

/// What became of a ticket in doubt.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TicketBecame {
    /// It is on paper: its printer said so, it was presented, or two people found it in hand.
    #[n(0)]
    OnPaper,
    /// It was not printed, and the amount went back into the credit.
    #[n(1)]
    Returned,
    /// It was not printed, and two people paid it by hand.
    #[n(2)]
    PaidByHand,
}

/// The last ticket of a terminal that is no longer in doubt: the screen says what became of it (S17).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct LastTicket {
    /// Which ticket.
    #[n(0)]
    pub ticket: TicketId,
    /// How much it was.
    #[n(1)]
    pub amount: Cents,
    /// What became of it.
    #[n(2)]
    pub became: TicketBecame,
}

/// What a ticket has besides its amount: whose duplicate it is, who prints it, why it is void.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Paper {
    /// The ticket whose number it replaces.
    #[n(0)]
    pub duplicate_of: Option<TicketId>,
    /// Its duplicate.
    #[n(1)]
    pub replaced_by: Option<TicketId>,
    /// The person at whose place it is printed.
    #[n(2)]
    pub printed_for: Option<StaffId>,
}

impl Paper {
    /// Whether it is printed at a counter: a ticket that is sold, or a duplicate. No terminal holds its money.
    pub fn of_counter(&self) -> bool {
        self.printed_for.is_some()
    }
}

/// Cash of a visit, for the report of large amounts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct VisitCash {
    #[n(0)]
    pub paid_in: Cents,
    #[n(1)]
    pub paid_out: Cents,
}
