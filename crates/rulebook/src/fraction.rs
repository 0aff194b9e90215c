//! Exact fractions, and decimals made from them.

/// An exact fraction in lowest terms.
pub type Fraction = num_rational::Ratio<i128>;

/// The fraction as a decimal figure with this many places, rounded half away from zero.
///
/// ```
/// use rulebook::{decimal, Fraction};
/// assert_eq!(decimal(Fraction::new(1, 27), 6), "0.037037");
/// assert_eq!(decimal(Fraction::new(-1, 2), 0), "-1");
/// ```
#[must_use]
pub fn decimal(fraction: Fraction, places: u32) -> String {
    let scale = 10_i128.saturating_pow(places);
    let scaled = (fraction * Fraction::from_integer(scale)).round().to_integer();
    let sign = if scaled < 0 { "-" } else { "" };
    let magnitude = scaled.unsigned_abs();
    if places == 0 {
        return format!("{sign}{magnitude}");
    }
    let scale = scale.unsigned_abs();
    let width = places as usize;
    format!("{sign}{}.{:0width$}", magnitude / scale, magnitude % scale)
}
