//! Money: whole cents in an integer, with checked arithmetic only.

use std::fmt;
use std::str::FromStr;

/// An amount of money in whole cents.
///
/// There are no operators: every sum says what happens when it does not fit.
///
/// ```
/// use rulebook::Cents;
/// let stake: Cents = "12.5".parse().unwrap();
/// assert_eq!(stake.to_string(), "12.50");
/// assert_eq!(stake.checked_add(Cents::new(50)), Some(Cents::new(1300)));
/// assert!("12.".parse::<Cents>().is_err());
/// ```
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(transparent)]
pub struct Cents(#[n(0)] i64);

impl Cents {
    /// Nothing.
    pub const ZERO: Cents = Cents(0);
    /// One cent.
    pub const ONE: Cents = Cents(1);

    /// So many cents.
    #[must_use]
    pub const fn new(cents: i64) -> Cents {
        Cents(cents)
    }

    /// The number of cents.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The sum, if it fits.
    #[must_use]
    pub const fn checked_add(self, other: Cents) -> Option<Cents> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Cents(sum)),
            None => None,
        }
    }

    /// The difference, if it fits.
    #[must_use]
    pub const fn checked_sub(self, other: Cents) -> Option<Cents> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Cents(difference)),
            None => None,
        }
    }

    /// So many times the amount, if it fits.
    #[must_use]
    pub const fn checked_mul(self, times: i64) -> Option<Cents> {
        match self.0.checked_mul(times) {
            Some(product) => Some(Cents(product)),
            None => None,
        }
    }

    /// The sum of many, if it fits.
    pub fn checked_sum(amounts: impl IntoIterator<Item = Cents>) -> Option<Cents> {
        amounts.into_iter().try_fold(Cents::ZERO, Cents::checked_add)
    }

    /// Whether the amount is a whole number of steps. Nothing is a multiple of a step of zero or less.
    #[must_use]
    pub const fn is_multiple_of(self, step: Cents) -> bool {
        step.0 > 0 && self.0 % step.0 == 0
    }

    /// Whether the amount is more than nothing.
    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", magnitude / 100, magnitude % 100))
    }
}

/// Why a text is not an amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CentsError {
    /// Not digits with an optional point and one or two digits.
    #[error("\"{0}\" is not an amount: write digits, then if need be a point and one or two digits, as in 12.50")]
    Malformed(String),
    /// More than the largest amount that can be kept.
    #[error("\"{0}\" is too large an amount")]
    TooLarge(String),
}

impl FromStr for Cents {
    type Err = CentsError;

    fn from_str(text: &str) -> Result<Cents, CentsError> {
        let malformed = || CentsError::Malformed(text.to_owned());
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (whole, fraction) = match text.split_once('.') {
            None => (text, 0),
            Some((whole, fraction)) => {
                if !digits(fraction) || fraction.len() > 2 {
                    return Err(malformed());
                }
                let value: i64 = fraction.parse().map_err(|_| malformed())?;
                (whole, if fraction.len() == 1 { value * 10 } else { value })
            }
        };
        if !digits(whole) {
            return Err(malformed());
        }
        let too_large = || CentsError::TooLarge(text.to_owned());
        let whole: i64 = whole.parse().map_err(|_| too_large())?;
        whole.checked_mul(100).and_then(|cents| cents.checked_add(fraction)).map(Cents).ok_or_else(too_large)
    }
}
