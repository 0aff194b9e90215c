//! What goes over a feed, in both directions.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::Error;
use crate::tell::EventMessage;
use crate::view::Money;

/// What the host sends.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostMessage {
    /// The first message to a terminal or device: prove the key with this.
    Challenge {
        /// To be used once.
        nonce: String,
    },
    /// Everything, at the start and after a link was lost.
    Snapshot {
        /// The last durable record in it.
        sequence: u64,
        /// To come back with. It is opaque: only hosts of this floor can make and read one.
        cursor: String,
        /// The host's clock.
        now: i64,
        /// Events since the cursor the client came with, for it to see.
        events: Vec<EventMessage>,
        /// Whether those are all; if not, the link was away longer than the host remembers.
        complete: bool,
        /// For a terminal or device: a number to use for the next command; each after it is larger.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        next_number: Option<u64>,
        /// For a terminal: sent as `Authorization: Bearer`, it reads the terminal's own records at this host while this
        /// link is open. It changes nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        reader: Option<String>,
        /// The sections of the view.
        #[schema(value_type = Object)]
        view: Value,
    },
    /// What has changed.
    Update {
        /// The last durable record in it.
        sequence: u64,
        /// To come back with. It is opaque: only hosts of this floor can make and read one.
        cursor: String,
        /// The host's clock.
        now: i64,
        /// What happened.
        events: Vec<EventMessage>,
        /// The sections that changed, to be put over those of the same name.
        #[schema(value_type = Object)]
        view: Value,
    },
    /// The answer to a message with a number.
    Answer {
        /// The client's number.
        number: u64,
        /// The record with which it was accepted.
        #[serde(skip_serializing_if = "Option::is_none")]
        accepted: Option<u64>,
        /// Or why it was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Error>,
        /// The ticket to be printed, after a cash-out.
        #[serde(skip_serializing_if = "Option::is_none")]
        ticket: Option<TicketSlip>,
    },
    /// The clock, every second; a client that hears nothing for two seconds has lost the host.
    Tick {
        /// The host's clock.
        now: i64,
    },
    /// The key is in use at another place: nothing is shown and nothing moves until a Pit Supervisor has approved this
    /// link.
    Held {},
    /// The host ends the feed.
    Bye {
        /// Why.
        reason: ByeReason,
    },
}

/// Why the host ends a feed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByeReason {
    /// The client did not take what it was sent.
    Slow,
    /// The host stops, or play has stopped.
    Stopping,
    /// The key or session is no longer good.
    Revoked,
    /// Another link of the same terminal or device took its place.
    Replaced,
    /// What came in broke a limit or the protocol.
    Limits,
    /// The player chose another table: the feed restarts there (D29).
    Moved,
}

/// A ticket as it is printed (S15). Its number is cash: it is sent only to the client that prints it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketSlip {
    /// Its sequence.
    pub id: u64,
    /// Its number: 18 digits.
    pub number: String,
    /// Its amount.
    pub amount: Money,
    /// The amount in words.
    pub words: crate::view::Words,
    /// The floor that issued it.
    pub floor: String,
    /// The terminal that printed it; `null` if the cage sold it.
    pub terminal: Option<String>,
    /// When it was issued.
    pub issued: i64,
    /// When it expires.
    pub expires: i64,
    /// Whether it was printed before.
    pub reprint: bool,
    /// Whether it was issued by a demonstration, and is worth nothing.
    pub demonstration: bool,
}

/// A change to a terminal's bets. Exactly one of `add`, `take`, `pieces` and `take_pieces` is given.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BetChangeMessage {
    /// Places a bet on this spot, or raises it.
    #[schema(example = "single/2")]
    #[serde(default)]
    pub add: Option<String>,
    /// Withdraws from this spot, or lowers.
    #[serde(default)]
    pub take: Option<String>,
    /// By how much.
    #[serde(default)]
    pub amount: Option<Money>,
    /// Places this multi-piece bet.
    #[schema(example = "tiers")]
    #[serde(default)]
    pub pieces: Option<String>,
    /// The unit on each piece.
    #[serde(default)]
    pub unit: Option<Money>,
    /// Withdraws the multi-piece bet with this number, whole.
    #[serde(default)]
    pub take_pieces: Option<u16>,
}

/// What a client sends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message: proves the key where one is asked for, and says what the client has seen.
    Hello {
        /// The signature of `croupier:{kind}:{id}:{nonce}` with the key, in base64: Ed25519, or ECDSA with P-256 and
        /// SHA-256 (64 bytes each). A key of an earlier version: HMAC-SHA-256.
        #[serde(default)]
        proof: Option<String>,
        /// The cursor of the last snapshot or update the client has, as it came. One that the floor did not give out is
        /// answered with a fresh snapshot. Displays send none.
        #[serde(default)]
        #[schema(value_type = Option<String>)]
        cursor: Option<Value>,
        /// The `reader` that a terminal was given with its last snapshot. A page that was loaded again names it, so that
        /// it is told from another user of its key at the same address.
        #[serde(default)]
        reader: Option<String>,
    },
    /// Places, raises and withdraws bets, all or nothing.
    Bet {
        /// The client's own count: a retry with the same number gets the first answer.
        number: u64,
        /// The changes.
        changes: Vec<BetChangeMessage>,
        /// When it was sent, by the host's clock. A bet that was on its way for more than three seconds is refused (`late`),
        /// so that a bet touched while the link was lost is not registered later without its player.
        #[serde(default)]
        sent: Option<i64>,
    },
    /// Withdraws all bets.
    Clear {
        /// The client's own count.
        number: u64,
    },
    /// Places the bets of the last round again.
    Repeat {
        /// The client's own count.
        number: u64,
        /// Twice as much.
        #[serde(default)]
        doubled: bool,
        /// When it was sent, as with `bet`.
        #[serde(default)]
        sent: Option<i64>,
    },
    /// The terminal shows that there are no more bets (D12).
    Acknowledge {
        /// The client's own count.
        number: u64,
        /// Of which round.
        round: u64,
    },
    /// A ticket goes in.
    TicketIn {
        /// The client's own count.
        number: u64,
        /// The ticket's 18 digits.
        ticket: String,
    },
    /// Asks for a ticket for the whole credit. The answer carries it; then `printed` or `print_failed` follows.
    CashOut {
        /// The client's own count.
        number: u64,
    },
    /// Asks for the print job of the ticket in doubt once more, after a reload or when the dialog was closed (D25).
    PrintJob {
        /// The client's own count.
        number: u64,
    },
    /// The ticket was printed.
    Printed {
        /// The client's own count.
        number: u64,
        /// Which ticket.
        ticket: u64,
    },
    /// The ticket was not printed; nothing is lost (S17).
    PrintFailed {
        /// The client's own count.
        number: u64,
        /// Which ticket.
        ticket: u64,
    },
    /// The player chooses another table (D29). The feed then begins anew there.
    ChooseTable {
        /// The client's own count.
        number: u64,
        /// Which table.
        table: u16,
    },
    /// The player calls an attendant.
    CallAttendant {
        /// The client's own count.
        number: u64,
    },
    /// Something happened in the terminal's cabinet: it is recorded, and what needs staff is shown at the pit (S14, S19).
    Cabinet {
        /// The client's own count.
        number: u64,
        /// What.
        event: CabinetEvent,
        /// The name of a door or fault, or a place.
        #[serde(default)]
        about: Option<String>,
        /// When, by the cabinet's clock.
        #[serde(default)]
        at: Option<i64>,
    },
    /// The player's own limit for the visit; `null` lifts it.
    LossLimit {
        /// The client's own count.
        number: u64,
        /// How much may be lost.
        limit: Option<Money>,
    },
    /// Play money into a terminal of a demonstration.
    DemoCash {
        /// The client's own count.
        number: u64,
        /// How much.
        amount: Money,
    },
    /// Cash that a validator has taken.
    Cash {
        /// The device's own count.
        number: u64,
        /// How much.
        amount: Money,
    },
    /// What a device saw.
    Observe {
        /// The device's own count.
        number: u64,
        /// What.
        observation: ObservationMessage,
    },
}

impl ClientMessage {
    /// The number under which it is to be answered; a hello has none.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self {
            ClientMessage::Hello { .. } => 0,
            ClientMessage::Bet { number, .. }
            | ClientMessage::Clear { number }
            | ClientMessage::Repeat { number, .. }
            | ClientMessage::Acknowledge { number, .. }
            | ClientMessage::TicketIn { number, .. }
            | ClientMessage::CashOut { number }
            | ClientMessage::PrintJob { number }
            | ClientMessage::Printed { number, .. }
            | ClientMessage::PrintFailed { number, .. }
            | ClientMessage::LossLimit { number, .. }
            | ClientMessage::ChooseTable { number, .. }
            | ClientMessage::CallAttendant { number }
            | ClientMessage::Cabinet { number, .. }
            | ClientMessage::DemoCash { number, .. }
            | ClientMessage::Cash { number, .. }
            | ClientMessage::Observe { number, .. } => *number,
        }
    }
}

/// What can happen in a terminal's cabinet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CabinetEvent {
    /// A door was opened: its name.
    DoorOpened,
    /// It was closed.
    DoorClosed,
    /// The validator has a fault: its name.
    ValidatorFault,
    /// The fault is over.
    ValidatorCleared,
    /// The validator came up: where a note was.
    ValidatorPower,
    /// The validator does not answer.
    ValidatorLost,
    /// It answers again.
    ValidatorBack,
    /// A note in the stacker is not credited: the code of the refusal.
    NoteHeld,
    /// A note may be in the stacker, and was not credited.
    NoteUnaccounted,
    /// The validator took something that is not on record.
    NoteUnexplained,
    /// The printer cannot say whether a ticket is good (D25).
    TicketDoubtful,
    /// A ticket that was credited was given back as paper.
    TicketPaperReturned,
    /// The printer's paper is low.
    PaperLow,
    /// There is paper again.
    PaperFull,
    /// The printer is jammed.
    PrinterJam,
    /// It is not jammed any more.
    PrinterCleared,
    /// The printer does not answer.
    PrinterLost,
    /// It answers again.
    PrinterBack,
}

/// What a device saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservationMessage {
    /// The tumbler was set off.
    Activated,
    /// It has tumbled so many times and come to rest.
    Tumbled {
        /// How many times.
        times: u8,
    },
    /// The cover is off.
    Uncovered,
    /// The cover is on.
    Covered,
    /// The dice, as far as they could be read.
    DiceRead {
        /// Faces 1 to 6; `null` for one that could not be read.
        dice: [Option<u8>; 3],
    },
    /// A die does not lie flat.
    NotFlat,
    /// The ball was spun.
    Spun {
        /// Against the wheel's rotation.
        against_rotation: bool,
        /// The wheel was rotating.
        wheel_rotating: bool,
    },
    /// It has run so many times around.
    Revolved {
        /// How many times.
        times: u8,
    },
    /// It rests in a pocket.
    Rested {
        /// Which.
        pocket: String,
    },
    /// It rests in no compartment.
    NoCompartment,
    /// It was flung out.
    FlungOut,
    /// The wheel has stopped.
    WheelStopped,
    /// The device has a fault of its own.
    Fault {
        /// Its number.
        number: u16,
    },
    /// The fault is gone.
    Restored,
}
