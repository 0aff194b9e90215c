//! What happens in a cabinet, for its page, its technician and its own list.

use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub kind: Kind,
    /// An amount in cents, a fault, a door or a code: what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Whether staff should come.
    pub alert: bool,
}

/// What can happen.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The agent has started.
    Started,
    /// A link to the floor is up: `terminal` or `validator`.
    LinkUp,
    /// A link is lost.
    LinkLost,
    /// A note or ticket is on its way in.
    Inserted,
    /// A note lies in escrow.
    NoteEscrow,
    /// A note goes into the stacker.
    NoteStacking,
    /// A note is in the stacker.
    NoteStacked,
    /// A note or ticket was given back, and why.
    Returned,
    /// The floor has credited a note.
    NoteCredited,
    /// The floor does not take a note that was stacked: it is sent again. The code.
    NoteHeld,
    /// A note was ordered into the stacker, and the validator says nothing of it any more.
    NoteUnaccounted,
    /// The validator has taken something that is not on record.
    NoteUnexplained,
    /// The floor has taken a ticket.
    TicketTaken,
    /// A ticket that the floor has taken was given back as paper. It is worth nothing any more.
    TicketPaperReturned,
    /// A ticket is on its way to paper.
    TicketPrinting,
    /// A ticket is on paper.
    TicketPrinted,
    /// A ticket was not printed.
    TicketFailed,
    /// The printer cannot say whether a ticket is good: two people find out (D25).
    TicketDoubtful,
    /// A fault of the validator began: its name.
    ValidatorFault,
    /// It is over.
    ValidatorCleared,
    /// The validator came up: where a note was.
    ValidatorPower,
    /// The validator says nothing.
    ValidatorLost,
    /// It answers again.
    ValidatorBack,
    /// The printer's paper is low, or no longer.
    PaperLow,
    /// There is paper again.
    PaperFull,
    /// The printer is jammed.
    PrinterJam,
    /// It is not jammed any more.
    PrinterCleared,
    /// The printer says nothing.
    PrinterLost,
    /// It answers again.
    PrinterBack,
    /// A door was opened: its name.
    DoorOpened,
    /// A door was closed.
    DoorClosed,
    /// The attendant is called.
    Attendant,
}

impl Kind {
    /// Whether the floor is told, for its record and its pit (S14, S19). Notes, tickets and links it sees by itself.
    #[must_use]
    pub const fn is_reported(self) -> bool {
        use Kind::{
            Attendant, DoorClosed, DoorOpened, NoteHeld, NoteUnaccounted, NoteUnexplained, PaperFull, PaperLow,
            PrinterBack, PrinterCleared, PrinterJam, PrinterLost, TicketDoubtful, TicketPaperReturned, ValidatorBack,
            ValidatorCleared, ValidatorFault, ValidatorLost, ValidatorPower,
        };
        matches!(
            self,
            Attendant
                | DoorClosed
                | DoorOpened
                | NoteHeld
                | NoteUnaccounted
                | NoteUnexplained
                | PaperFull
                | PaperLow
                | PrinterBack
                | PrinterCleared
                | PrinterJam
                | PrinterLost
                | TicketDoubtful
                | TicketPaperReturned
                | ValidatorBack
                | ValidatorCleared
                | ValidatorFault
                | ValidatorLost
                | ValidatorPower
        )
    }
}
