//! What the dealer affirms where no device has measured it (D19).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Citation, Text};

/// A point of the document that makes a tumble or spin lawful.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[serde(rename_all = "kebab-case")]
#[cbor(index_only)]
pub enum Point {
    /// The fewest tumbles or revolutions were made.
    #[n(0)]
    Times,
    /// The ball was spun against the rotation of a turning wheel.
    #[n(1)]
    Direction,
    /// The dice were tumbled under the cover and stayed there until the close.
    #[n(2)]
    Cover,
    /// The tumbler was activated after the close.
    #[n(3)]
    AfterClose,
    /// Each die lies flat.
    #[n(4)]
    Flat,
    /// The ball rests in a compartment, and came to rest after the close.
    #[n(5)]
    Rest,
}

impl Point {
    /// All of them.
    pub const ALL: [Point; 6] =
        [Point::Times, Point::Direction, Point::Cover, Point::AfterClose, Point::Flat, Point::Rest];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Point::Times => "times",
            Point::Direction => "direction",
            Point::Cover => "cover",
            Point::AfterClose => "after-close",
            Point::Flat => "flat",
            Point::Rest => "rest",
        }
    }

    /// The point of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Point> {
        Point::ALL.into_iter().find(|point| point.as_str() == text)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// With which step a point is affirmed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Affirmed {
    /// With the notice that opens bets.
    Notice,
    /// With the entry of the result.
    Result,
}

/// A point the dealer affirms, in the words the console shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affirmation {
    /// Which point.
    pub point: Point,
    /// With which step.
    pub with: Affirmed,
    /// The paragraph that asks for it.
    pub paragraph: Citation,
    /// The words.
    pub text: Text,
}
