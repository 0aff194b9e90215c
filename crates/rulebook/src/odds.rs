//! Odds: winnings per unit staked, as an exact fraction.

use std::fmt;
use std::str::FromStr;

/// "n to 1": what a winning bet is paid per unit staked; the stake comes back besides. Always more than zero.
///
/// ```
/// use rulebook::Odds;
/// let odds: Odds = "8.5".parse().unwrap();
/// assert_eq!((odds.numerator(), odds.denominator()), (17, 2));
/// assert_eq!(odds.to_string(), "8.5");
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Odds {
    numerator: u32,
    denominator: u32,
}

/// No table game pays more than this to 1; a larger figure is a slip of the pen.
const LARGEST: u32 = 10_000;
/// Enough for halves, quarters, eighths and commissions; more is a slip too.
const DECIMALS: usize = 4;

impl Odds {
    /// Units won …
    #[must_use]
    pub const fn numerator(self) -> u32 {
        self.numerator
    }

    /// … per so many staked, in lowest terms.
    #[must_use]
    pub const fn denominator(self) -> u32 {
        self.denominator
    }

    fn from_ratio(numerator: u32, denominator: u32) -> Odds {
        let ratio = num_rational::Ratio::new(numerator, denominator);
        Odds { numerator: *ratio.numer(), denominator: *ratio.denom() }
    }

    /// The odds whose return (winnings and stake) is `returned / denominator` per unit; `None` for a loss.
    pub(crate) fn from_return(returned: u32, denominator: u32) -> Option<Odds> {
        let won = returned.checked_sub(denominator)?;
        (won > 0).then(|| Odds::from_ratio(won, denominator))
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = (self.numerator / self.denominator).to_string();
        let mut rest = self.numerator % self.denominator;
        if rest > 0 {
            text.push('.');
        }
        for _ in 0..DECIMALS {
            if rest == 0 {
                break;
            }
            rest *= 10;
            text.push_str(&(rest / self.denominator).to_string());
            rest %= self.denominator;
        }
        f.pad(&text)
    }
}

/// Why a text is not odds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OddsError {
    /// Not a decimal figure.
    #[error("\"{0}\" is not odds: write what one unit wins, as in \"8.5\"")]
    Malformed(String),
    /// Zero.
    #[error("odds must be more than zero, found \"{0}\"")]
    Zero(String),
    /// Less than zero.
    #[error("odds must not be negative, found \"{0}\"")]
    Negative(String),
    /// More than any game pays.
    #[error("odds of \"{0}\" are larger than {LARGEST} to 1")]
    TooLarge(String),
}

impl FromStr for Odds {
    type Err = OddsError;

    fn from_str(text: &str) -> Result<Odds, OddsError> {
        let owned = || text.to_owned();
        if let Some(rest) = text.strip_prefix('-') {
            let number = rest.starts_with(|c: char| c.is_ascii_digit());
            return Err(if number { OddsError::Negative(owned()) } else { OddsError::Malformed(owned()) });
        }
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !digits(whole) || !digits(fraction) || fraction.len() > DECIMALS {
            return Err(OddsError::Malformed(owned()));
        }
        let whole: u32 = whole.parse().ok().filter(|n| *n <= LARGEST).ok_or_else(|| OddsError::TooLarge(owned()))?;
        let scale = fraction.bytes().fold(1_u32, |scale, _| scale * 10);
        let fraction: u32 = fraction.parse().map_err(|_| OddsError::Malformed(owned()))?;
        let numerator = whole * scale + fraction;
        if numerator == 0 {
            return Err(OddsError::Zero(owned()));
        }
        if numerator > LARGEST * scale {
            return Err(OddsError::TooLarge(owned()));
        }
        Ok(Odds::from_ratio(numerator, scale))
    }
}
