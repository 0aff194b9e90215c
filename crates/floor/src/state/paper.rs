//! Tickets, shifts, what is payable, and alerts.

use crate::command::*;
use crate::ids::*;
use rulebook::Cents;
use serde::{Deserialize, Serialize};

/// What has become of a ticket.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TicketState {
    /// The amount is put aside; the printer has not answered.
    Prepared,
    /// It can be redeemed.
    Outstanding,
    /// It has been paid.
    Paid,
    /// Nobody came.
    Expired,
    /// Its number is good for nothing: it was not printed, or a duplicate has replaced it.
    Void,
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub(crate) id: TicketId,
    pub(crate) number: TicketHash,
    pub(crate) amount: Cents,
    pub(crate) terminal: Option<TerminalId>,
    pub(crate) state: TicketState,
    pub(crate) issued: Moment,
    pub(crate) expires: Moment,
    pub(crate) reprints: u16,
}

/// A cashier's shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    pub(crate) id: ShiftId,
    pub(crate) cashier: StaffId,
    pub(crate) opened: Moment,
    pub(crate) opening: Cents,
    pub(crate) float: Cents,
}

/// What a correction left to be paid at the cage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payable {
    pub(crate) id: PayableId,
    pub(crate) table: TableId,
    pub(crate) round: Option<RoundId>,
    pub(crate) terminal: TerminalId,
    pub(crate) visit: Option<VisitId>,
    pub(crate) amount: Cents,
}

/// An alert at the pit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    pub(crate) id: AlertId,
    pub(crate) at: Moment,
    pub(crate) table: Option<TableId>,
    pub(crate) what: AlertKind,
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

    /// Whether this is the hash of its number.
    #[must_use]
    pub fn has_number(&self, number: TicketHash) -> bool {
        self.number == number
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
}
