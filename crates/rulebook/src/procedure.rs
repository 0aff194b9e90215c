//! How a round goes.

use serde::Deserialize;

use crate::{Citation, Text};

/// What begins a round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begins {
    /// The notice for bets on the terminals.
    Notice,
    /// The dealer's announcement.
    Announcement,
    /// The dealer activates the device; bets are taken from the notice that follows.
    Activation,
}

/// When a tumble or spin is allowed, relative to opening and closing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// Before bets are opened: it is what begins the round.
    BeforeNotice,
    /// Only once bets are closed.
    AfterClose,
    /// Once the round has begun, before the close or after it.
    BeforeOrAfterClose,
}

impl Timing {
    /// Words for a rule sheet.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Timing::BeforeNotice => "before bets are opened",
            Timing::AfterClose => "only after bets are closed",
            Timing::BeforeOrAfterClose => "in the round, before the close or after it",
        }
    }
}

/// What makes the result, and what makes it valid.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Device {
    /// A dice tumbler.
    Tumbler {
        /// Whether the dice are tumbled under a cover.
        covered: bool,
        /// The fewest tumbles.
        minimum: u8,
    },
    /// A wheel and ball.
    Wheel {
        /// Whether the ball must run against the wheel's rotation.
        against_rotation: bool,
        /// The fewest revolutions of the ball.
        minimum: u8,
    },
}

/// A text that screens show, with what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The words.
    pub text: Text,
    /// The paragraph.
    pub paragraph: Citation,
    /// Whether the document prescribes the English words.
    pub quoted: bool,
}

/// How a round goes, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// What begins a round …
    pub begins: Begins,
    /// … and the paragraph.
    pub begins_paragraph: Citation,
    /// What is shown or said when bets are opened.
    pub opening: Announcement,
    /// What is shown or said when bets are closed.
    pub closing: Announcement,
    /// What makes the result …
    pub device: Device,
    /// … and the paragraph.
    pub device_paragraph: Citation,
    /// When it may be set off …
    pub timing: Timing,
    /// … and what says so.
    pub timing_paragraph: Citation,
    /// What counts as a result …
    pub result: Text,
    /// … and the paragraph.
    pub result_paragraph: Citation,
    /// The paragraph by which bets are settled.
    pub settles: Citation,
    /// The paragraph that says when the round ends.
    pub ends: Citation,
}
