//! The compartments of a roulette wheel.

use std::fmt;

/// A pocket of a wheel: one of the zeros `0`, `00`, `000`, or a number from 1 to 36. Ordered in that way.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pocket(u8);

const ZEROS: u8 = 3;
const NUMBERS: u8 = 36;

impl Pocket {
    /// The single zero.
    pub const ZERO: Pocket = Pocket(0);
    /// The double zero.
    pub const DOUBLE_ZERO: Pocket = Pocket(1);
    /// The triple zero.
    pub const TRIPLE_ZERO: Pocket = Pocket(2);

    /// The pocket of a number from 1 to 36.
    #[must_use]
    pub const fn number(number: u8) -> Option<Pocket> {
        if 1 <= number && number <= NUMBERS { Some(Pocket(ZEROS + number - 1)) } else { None }
    }

    /// The number, unless it is a zero.
    #[must_use]
    pub const fn as_number(self) -> Option<u8> {
        if self.0 < ZEROS { None } else { Some(self.0 - ZEROS + 1) }
    }

    /// Whether it is one of the zeros.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 < ZEROS
    }

    /// All that any wheel can have, in order.
    pub fn all() -> impl Iterator<Item = Pocket> {
        (0..ZEROS + NUMBERS).map(Pocket)
    }

    /// The place in that order, from 0 to 38.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    pub(crate) fn parse(text: &str) -> Option<Pocket> {
        match text {
            "0" => Some(Pocket::ZERO),
            "00" => Some(Pocket::DOUBLE_ZERO),
            "000" => Some(Pocket::TRIPLE_ZERO),
            _ if text.starts_with(|c: char| c.is_ascii_digit() && c != '0') => {
                text.parse().ok().and_then(Pocket::number)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Pocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_number() {
            Some(number) => f.pad(&number.to_string()),
            None => f.pad(match self.0 {
                0 => "0",
                1 => "00",
                _ => "000",
            }),
        }
    }
}
