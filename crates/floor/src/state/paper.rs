//! Tickets, shifts, what is payable, and alerts.

use crate::command::*;
use crate::ids::*;
use rulebook::Cents;
use serde::{Deserialize, Serialize};

/// What has become of a ticket.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TicketState {
    /// The amount is put aside; the printer has not answered.
    #[n(0)]
    Prepared,
    /// It can be redeemed.
    #[n(1)]
    Outstanding,
    /// It has been paid.
    #[n(2)]
    Paid,
    /// Never redeemed.
    #[n(3)]
    Expired,
    /// Its number is good for nothing: it was not printed, or a duplicate has replaced it.
    #[n(4)]
    Void,
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Ticket {
    #[n(0)]
    pub(crate) id: TicketId,
    #[n(1)]
    pub(crate) number: TicketHash,
    #[n(2)]
    pub(crate) amount: Cents,
    #[n(3)]
    pub(crate) terminal: Option<TerminalId>,
    #[n(4)]
    pub(crate) state: TicketState,
    #[n(5)]
    pub(crate) issued: Moment,
    #[n(6)]
    pub(crate) expires: Moment,
    #[n(7)]
    pub(crate) reprints: u16,
}

/// A cashier's shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Shift {
    #[n(0)]
    pub(crate) id: ShiftId,
    #[n(1)]
    pub(crate) cashier: StaffId,
    #[n(2)]
    pub(crate) opened: Moment,
    #[n(3)]
    pub(crate) opening: Cents,
    #[n(4)]
    pub(crate) float: Cents,
}

/// What a correction left to be paid at the cage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Payable {
    #[n(0)]
    pub(crate) id: PayableId,
    #[n(1)]
    pub(crate) table: TableId,
    #[n(2)]
    pub(crate) round: Option<RoundId>,
    #[n(3)]
    pub(crate) terminal: TerminalId,
    #[n(4)]
    pub(crate) visit: Option<VisitId>,
    #[n(5)]
    pub(crate) amount: Cents,
}

/// An alert at the pit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Alert {
    #[n(0)]
    pub(crate) id: AlertId,
    #[n(1)]
    pub(crate) at: Moment,
    #[n(2)]
    pub(crate) table: Option<TableId>,
    #[n(3)]
    pub(crate) what: AlertKind,
    #[n(4)]
    #[serde(skip)]
    pub(crate) more: Option<u32>,
}

impl Ticket {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TicketId {
        self.id
    }

    /// Its amount.
    #[must_use]
    pub fn amount(&self) -> Cents {
        self.amount
    }

    /// What has become of it.
    #[must_use]
    pub fn state(&self) -> TicketState {
        self.state
    }

    /// When it expires.
    #[must_use]
    pub fn expires(&self) -> Moment {
        self.expires
    }

    /// The terminal that printed it; `None` if the cage sold it.
    #[must_use]
    pub fn terminal(&self) -> Option<TerminalId> {
        self.terminal
    }

    /// When it was printed or sold.
    #[must_use]
    pub fn issued(&self) -> Moment {
        self.issued
    }

    /// What the log keeps of its number.
    #[must_use]
    pub fn number_hash(&self) -> TicketHash {
        self.number
    }

    /// How often it was printed again; a reprint says that it is one (S15).
    #[must_use]
    pub fn reprints(&self) -> u16 {
        self.reprints
    }
}

impl Payable {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> PayableId {
        self.id
    }

    /// The table it comes from.
    #[must_use]
    pub fn table(&self) -> TableId {
        self.table
    }

    /// The round it comes from.
    #[must_use]
    pub fn round(&self) -> Option<RoundId> {
        self.round
    }

    /// The terminal at which the bet was made.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// The visit whose bets it is about, if it was a visit's.
    #[must_use]
    pub fn visit(&self) -> Option<VisitId> {
        self.visit
    }

    /// How much.
    #[must_use]
    pub fn amount(&self) -> Cents {
        self.amount
    }
}

impl Alert {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> AlertId {
        self.id
    }

    /// Since when.
    #[must_use]
    pub fn at(&self) -> Moment {
        self.at
    }

    /// Which table.
    #[must_use]
    pub fn table(&self) -> Option<TableId> {
        self.table
    }

    /// What it is about.
    #[must_use]
    pub fn what(&self) -> &AlertKind {
        &self.what
    }

    /// How many earlier ones of its kind it has taken the place of, because there were many.
    #[must_use]
    pub fn more(&self) -> u32 {
        self.more.unwrap_or(0)
    }
}
