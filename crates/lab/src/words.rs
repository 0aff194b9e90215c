//! Figures as people write them, and as programs read them.

use rulebook::{Cents, Fraction};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A figure that is a fraction: exact, and as the nearest number.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Figure {
    /// In lowest terms.
    #[schema(example = "1/36")]
    pub exact: String,
    /// The nearest floating-point number.
    #[schema(example = 0.027_777_777_777_777_776)]
    pub decimal: f64,
}

impl From<Fraction> for Figure {
    fn from(fraction: Fraction) -> Figure {
        Figure { exact: fraction.to_string(), decimal: float(fraction) }
    }
}

/// Money as a string with two decimals.
pub(crate) fn money<S: Serializer>(cents: &Cents, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(cents)
}

/// A fraction as a string in lowest terms.
pub(crate) fn fraction<S: Serializer>(fraction: &Fraction, serializer: S) -> Result<S::Ok, S::Error> {
    fraction.to_string().serialize(serializer)
}

/// The nearest floating-point figure.
pub(crate) fn float(fraction: Fraction) -> f64 {
    *fraction.numer() as f64 / *fraction.denom() as f64
}

/// A share in percent, with as many places as it needs to be seen.
pub(crate) fn percent(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "" };
    let percent = share.abs() * 100.0;
    match percent {
        0.0 => "0 %".to_owned(),
        p if p >= 0.01 => format!("{sign}{percent:.2} %"),
        p if p >= 1e-4 => format!("{sign}{percent:.4} %"),
        _ => format!("{sign}{percent:.1e} %"),
    }
}

/// A p-value.
pub(crate) fn chance(p: f64) -> String {
    if p < 1e-4 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

/// Money with its thousands set off.
pub(crate) fn amount(cents: f64) -> String {
    let rounded = cents.round();
    let whole = count((rounded.abs() / 100.0).floor() as u64);
    let sign = if rounded < 0.0 { "−" } else { "" };
    format!("{sign}{whole}.{:02}", rounded.abs() as u64 % 100)
}

/// A count with its thousands set off.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What made a paper.
pub(crate) const MADE_BY: &str = concat!("Croupier ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_and_counts_are_grouped() {
        assert_eq!(amount(-123_456_789.0), "−1,234,567.89");
        assert_eq!(amount(5.0), "0.05");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(percent(0.000_000_1), "1.0e-5 %");
    }
}
