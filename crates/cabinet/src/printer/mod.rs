//! Ticket printers: what every one does, whatever it speaks.

mod barcode;
mod epic;
mod escpos;
mod slip;

use serde::{Deserialize, Serialize};

use crate::Millis;

pub use barcode::{read_bars, widths};
pub use epic::{Epic, status as epic_status};
pub use escpos::EscPos;
pub use slip::{Line, Slip, Weight, Words};

/// What a printer reports.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It was reset, and reports nothing of an earlier ticket any more. It waits for [`Order::Print`].
    Cleared,
    /// The ticket is complete: the only report after which a ticket counts as printed.
    Printed,
    /// The ticket was not printed, and no part of it that could be redeemed.
    Failed,
    /// It failed after the barcode was on the paper: whether the ticket is good is not known (D25).
    Doubtful,
    /// Whether a ticket could be printed now.
    Ready(bool),
    /// The paper runs out soon, or no longer.
    PaperLow(bool),
    /// A jam began or is over.
    Jam(bool),
    /// A ticket waits to be taken, or was taken.
    Presented(bool),
    /// The printer has said nothing for too long.
    Lost,
    /// It answers again.
    Back,
}

/// What a printer is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Reset it, so that what it reports of earlier tickets is gone.
    Clear,
    /// Print this, after [`Event::Cleared`].
    Print(Box<Slip>),
    /// A ticket was sent before the agent started: report what became of it.
    Watch,
}

/// The driver of a printer. It does no input or output: bytes and the time go in, bytes and events come out.
pub trait Printer: Send {
    /// An order.
    fn order(&mut self, order: Order);

    /// Bytes from the device.
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event>;

    /// The time has come: bytes for the device, if any, and what its silence means.
    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Event>);

    /// When [`Printer::tick`] has something to do next.
    fn due(&self) -> Millis;

    /// The port was opened again.
    fn reopened(&mut self);
}
