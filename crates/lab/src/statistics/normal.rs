//! The normal distribution.

use statrs::distribution::{ContinuousCDF, Normal};

fn standard() -> Normal {
    Normal::standard()
}

/// The probability of a deviation of at least this many standard errors, in either direction.
#[must_use]
pub fn two_sided(z: f64) -> f64 {
    if z.is_nan() { 1.0 } else { (2.0 * standard().sf(z.abs())).min(1.0) }
}

/// The deviation that is exceeded upwards with this probability.
#[must_use]
pub fn upper_quantile(p: f64) -> f64 {
    standard().inverse_cdf(1.0 - p)
}
