//! What keeps one person from moving money alone: the gaming day, running totals, who made whose account (D25, D27).

use std::collections::{BTreeMap, BTreeSet};

use rulebook::Cents;
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::ids::*;

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
    /// In this gaming day: whose account or post, and who made or changed it.
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
    /// By visit and person: how many corrections and decisions gave money to that visit alone.
    #[n(12)]
    #[cbor(default)]
    pub favours: BTreeMap<(VisitId, StaffId), u32>,
    /// By table, and `None` for the floor: when the threshold last changed, and what it was before.
    #[n(13)]
    #[cbor(default)]
    pub before: BTreeMap<Option<TableId>, (Moment, Cents)>,
    /// The floor's first gaming day, if dual control was kept from then on.
    #[n(14)]
    #[cbor(default)]
    pub first_day: Option<i64>,
    /// By place: since when and how many ticket numbers were mistyped.
    #[n(15)]
    #[cbor(default)]
    pub mistyped: BTreeMap<TicketPlace, (Moment, u16)>,
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

/// Cash of a visit, for the report of large amounts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct VisitCash {
    #[n(0)]
    pub paid_in: Cents,
    #[n(1)]
    pub paid_out: Cents,
}
