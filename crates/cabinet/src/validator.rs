//! What every bill validator does, whatever it speaks.

use serde::{Deserialize, Serialize};

use crate::{Cents, Millis};

/// What a validator is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What its denominations are worth, in the order of its codes; zero is inhibited.
    pub denominations: [Cents; 8],
    /// Whether tickets are taken.
    pub tickets: bool,
}

/// The 18 digits of a ticket; `None` for anything else.
#[must_use]
pub fn digits(bytes: &[u8]) -> Option<String> {
    let good = bytes.len() == 18 && bytes.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(bytes).ok().filter(|_| good).map(str::to_owned)
}

/// What lies in escrow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// A note.
    Note(Cents),
    /// A note of a denomination that is not in the settings.
    Unknown(u8),
    /// A ticket with the digits of its barcode.
    Barcode(String),
}

/// Where a note was when the validator came up again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Nowhere.
    Nowhere,
    /// In the acceptor: it still belongs to the player.
    Acceptor,
    /// In the stacker: it counts as taken.
    Stacker,
}

/// What a validator reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It waits for the next note; whether it takes any.
    Waiting(bool),
    /// Something is on its way in.
    Accepting,
    /// Something lies in escrow, and an order is expected.
    Escrow(Item),
    /// It goes into the stacker.
    Stacking,
    /// It counts, now. The validator repeats this until it is acknowledged.
    Vended,
    /// It is in the stacker.
    Stacked,
    /// It goes back to the player, and why.
    Rejected(u8),
    /// It goes back to the player, as ordered.
    Returned,
    /// The validator came up again, and where a note was. It waits for [`Order::Reset`].
    PoweredUp(Place),
    /// A fault began.
    Fault(Fault),
    /// It is over.
    Cleared(Fault),
    /// The validator has said nothing for too long.
    Lost,
    /// It answers again.
    Back,
    /// A bit of the line that must be on record before it is used (EBDS). It waits for [`Order::Mark`].
    Mark(bool),
}

/// A fault that a validator reports.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The stacker is full.
    StackerFull,
    /// The stacker or the path of the notes is open, or the stacker was taken out.
    StackerOpen,
    /// A jam in the acceptor.
    JamAcceptor,
    /// A jam in the stacker.
    JamStacker,
    /// A second note was put in too early.
    Pause,
    /// An attempt at cheating.
    Cheated,
    /// The device has failed.
    Failure,
    /// The device complains about the line.
    Line,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 8] = [
        Fault::StackerFull,
        Fault::StackerOpen,
        Fault::JamAcceptor,
        Fault::JamStacker,
        Fault::Pause,
        Fault::Cheated,
        Fault::Failure,
        Fault::Line,
    ];

    /// Its name in events and settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::StackerFull => "stacker_full",
            Fault::StackerOpen => "stacker_open",
            Fault::JamAcceptor => "jam_acceptor",
            Fault::JamStacker => "jam_stacker",
            Fault::Pause => "pause",
            Fault::Cheated => "cheated",
            Fault::Failure => "failure",
            Fault::Line => "line",
        }
    }
}

/// What a validator is told.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Take notes and tickets, or take none.
    Accept(bool),
    /// Stack what lies in escrow. Holds until it has left escrow.
    Stack,
    /// Return what lies in escrow. Holds until it has left escrow.
    Return,
    /// What counted is recorded.
    Acknowledge,
    /// Start again after a power loss or a fault.
    Reset,
    /// The bit of [`Event::Mark`] is recorded.
    Mark(bool),
}

/// The driver of a validator. It does no input or output: bytes and the time go in, bytes and events come out.
pub trait Validator: Send {
    /// An order. It is carried out with the next polls, and repeated until the device has obeyed.
    fn order(&mut self, order: Order);

    /// Bytes from the device.
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event>;

    /// The time has come: bytes for the device, if any, and what its silence means.
    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Event>);

    /// When [`Validator::tick`] has something to do next.
    fn due(&self) -> Millis;

    /// The port was opened again: what was half received is gone.
    fn reopened(&mut self);
}
