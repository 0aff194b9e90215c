//! Refusals: what was not done, and why.
//!
//! Several reasons can hold at once; the one named is the first in this order: the sender, idempotency, the floor, what
//! the command is about (its table says which rank is needed), the sender's rank, the second person, texts and amounts
//! beyond their bounds, whether the terminal can be used, the phase of the round, the size of a batch of bets, and for
//! each bet what the layout offers, the amount, the step; then the limits, the credit, the player's loss limit, the
//! table's liability.

use std::fmt;
use std::ops::Deref;

use rulebook::Citation;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// A stable code for programs.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code { $($(#[$doc])* #[serde(rename = $text)] $name),+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The text form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }
        }
    };
}

codes! {
    /// The sender's number is older than any answer kept.
    Stale = "stale",
    /// The sender's number is too far ahead of its last one and of the clock.
    NumberFar = "number_far",
    /// The number was used for something else.
    NumberReused = "number_reused",
    /// There is no floor yet, or there is one already.
    Floor = "floor",
    /// The floor's feature level does not allow it yet, or this program does not know the level.
    FeatureLevel = "feature_level",
    /// Play is locked until the program that runs is accepted (S10).
    Locked = "locked",
    /// The sender is not known or no longer active.
    UnknownSender = "unknown_sender",
    /// The sender may never do this.
    NotForSender = "not_for_sender",
    /// The sender's rank is too low.
    Rank = "rank",
    /// Another dealer has the table, or none (D26).
    NotTheDealer = "not_the_dealer",
    /// A second person is needed.
    SecondPerson = "second_person",
    /// There is no such thing.
    NotFound = "not_found",
    /// More than may be.
    TooMany = "too_many",
    /// Text empty or too long.
    Text = "text",
    /// The amount is not one that can be taken.
    Amount = "amount",
    /// The rulebook is not coherent, or not installed.
    Rulebook = "rulebook",
    /// The settings contradict each other or the rulebook.
    Settings = "settings",
    /// Not in the middle of a round (S12).
    InRound = "in_round",
    /// Not while there is credit on a terminal concerned (S12).
    CreditLeft = "credit_left",
    /// The table is closed, or about to close.
    TableClosed = "table_closed",
    /// The table is open.
    TableOpen = "table_open",
    /// Not in this phase of the round.
    Phase = "phase",
    /// Bets are closed.
    BetsClosed = "bets_closed",
    /// A ground is open: nothing settles.
    GroundOpen = "ground_open",
    /// The round is interrupted until attested.
    Interrupted = "interrupted",
    /// Readings establish an outcome (D22).
    Established = "established",
    /// Terminals have not yet acknowledged the close.
    Unacknowledged = "unacknowledged",
    /// The document has no such ground, or not in this way.
    NotAGround = "not_a_ground",
    /// The tumble or spin is not valid for this round.
    NotValid = "not_valid",
    /// A device in service has reported no lawful tumble or spin that has ended (D19).
    NoTumble = "no_tumble",
    /// The dealer must affirm a point of the document (D19).
    Affirm = "affirm",
    /// Who changed the service of the device may not do this (D19).
    ServiceChanged = "service_changed",
    /// A second tumble or spin halts the round (D18).
    SecondTumble = "second_tumble",
    /// The dealer must say whether a device fault affects the round (D21).
    FaultOpen = "fault_open",
    /// The terminal is lost or locked.
    TerminalUnavailable = "terminal_unavailable",
    /// The layout or terminal does not offer it.
    NotOffered = "not_offered",
    /// Not a multiple of the step (D9).
    OffStep = "off_step",
    /// Below the minimum.
    BelowMinimum = "below_minimum",
    /// Above the maximum.
    AboveMaximum = "above_maximum",
    /// A bet under the minimum has not been pointed out yet (5.2).
    NotAdvised = "not_advised",
    /// More than stands there.
    MoreThanStands = "more_than_stands",
    /// Not enough credit.
    Credit = "credit",
    /// Beyond the player's own loss limit (S4).
    LossLimit = "loss_limit",
    /// Beyond the table's liability limit.
    Liability = "liability",
    /// No such ticket.
    TicketUnknown = "ticket_unknown",
    /// The ticket has been paid.
    TicketPaid = "ticket_paid",
    /// The ticket has expired.
    TicketExpired = "ticket_expired",
    /// The amount is not the ticket's.
    TicketDiffers = "ticket_differs",
    /// The ticket's number is void: it was not printed, or a duplicate has replaced it.
    TicketVoid = "ticket_void",
    /// Too many wrong ticket numbers were tried here.
    WrongTickets = "wrong_tickets",
    /// The ticket is not in a state for this.
    TicketState = "ticket_state",
    /// The cashier has no open shift, or has one.
    Shift = "shift",
    /// Not enough in the float.
    Float = "float",
    /// The round can no longer be changed, or has been already.
    RoundOver = "round_over",
    /// Nothing would change.
    NothingToDo = "nothing_to_do",
    /// No one would be left who can accept a program or configure the floor (S10).
    LastAdministrator = "last_administrator",
    /// A past round is not the one that was settled (D24).
    NotProved = "not_proved",
    /// A preview no longer shows what would happen (D24).
    PreviewStale = "preview_stale",
    /// The meters of the terminal do not agree (S11).
    Meters = "meters",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What was not done, and why. Nearly everything is accepted, and answers are handed about by value: this is a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refusal(Box<Why>);

/// What a refusal says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// A stable code.
    pub code: Code,
    /// The paragraph, decision, standard or setting behind it.
    pub rule: String,
    /// Words for a person.
    pub words: String,
}

impl Refusal {
    /// Refuses something.
    #[must_use]
    pub fn new(code: Code, rule: impl Into<String>, words: impl Into<String>) -> Refusal {
        Refusal(Box::new(Why { code, rule: rule.into(), words: words.into() }))
    }

    /// The same refusal with the act it is about in place of "do this".
    #[must_use]
    pub(crate) fn about(mut self, doing: &str) -> Refusal {
        if let Some(start) = self.0.words.strip_suffix(" do this") {
            self.0.words = format!("{start} {doing}");
        }
        self
    }

    /// What it says, to keep.
    #[must_use]
    pub fn into_why(self) -> Why {
        *self.0
    }
}

impl Deref for Refusal {
    type Target = Why;

    fn deref(&self) -> &Why {
        &self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.words, self.rule)
    }
}

impl std::error::Error for Refusal {}

/// What a refusal can rest on.
pub(crate) trait Rule {
    fn rule(&self) -> String;
}

impl Rule for &str {
    fn rule(&self) -> String {
        (*self).to_owned()
    }
}

impl Rule for &Citation {
    fn rule(&self) -> String {
        self.to_string()
    }
}

impl Rule for Option<&Citation> {
    fn rule(&self) -> String {
        self.map_or_else(|| "the rules".to_owned(), ToString::to_string)
    }
}

impl Rule for &[Citation] {
    fn rule(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[cold]
pub(crate) fn refusal(code: Code, rule: impl Rule, words: impl Into<String>) -> Refusal {
    Refusal::new(code, rule.rule(), words)
}

#[cold]
pub(crate) fn refuse<T>(code: Code, rule: impl Rule, words: impl Into<String>) -> Result<T, Refusal> {
    Err(refusal(code, rule, words))
}
