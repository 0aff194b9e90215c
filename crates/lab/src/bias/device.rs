//! What the device shows: the faces of three dice, or a place on the wheel.

use rulebook::{Outcome, OutcomeIndex, OutcomeSpace};
use serde::{Deserialize, Serialize};

/// Whether the order in which dice are written says which die is which.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The first is always the same die.
    Known,
    /// They are sorted, or read as they lie.
    Unknown,
}

/// A device as statistics see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Device {
    /// Three dice.
    Dice(Order),
    /// A wheel: for each outcome its place, clockwise.
    Wheel(Vec<u16>),
}

impl Device {
    /// The device of a game.
    #[must_use]
    pub fn of(space: &OutcomeSpace, order: Order) -> Device {
        match space.wheel() {
            None => Device::Dice(order),
            Some(wheel) => {
                let place = |outcome: Outcome| match outcome {
                    Outcome::Pocket(pocket) => wheel.order().iter().position(|other| *other == pocket),
                    Outcome::Dice(_) => None,
                };
                let places = space.all().map(|outcome| place(outcome).unwrap_or(0));
                Device::Wheel(places.map(|place| u16::try_from(place).unwrap_or(0)).collect())
            }
        }
    }

    /// The faces of an outcome, 0 to 5; only for dice.
    #[must_use]
    pub(crate) fn faces(outcome: OutcomeIndex) -> [usize; 3] {
        let place = outcome.get();
        [place / 36 % 6, place / 6 % 6, place % 6]
    }
}

/// The sector of a place when a wheel is cut into this many sectors.
pub(crate) fn sector(place: usize, places: usize, sectors: usize) -> usize {
    place * sectors / places.max(1)
}
