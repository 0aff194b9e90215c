//! How many rounds a chi-square test needs to see an effect, and how small an effect it can see.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// How many observations are needed so that an effect of size w (Cohen: the root of Σ (p−q)²/q) is found with this power
/// at this level.
#[must_use]
pub fn needed(effect: f64, freedom: f64, level: f64, power: f64) -> Option<f64> {
    let centrality = centrality(freedom, level, power)?;
    (effect > 0.0).then(|| centrality / (effect * effect))
}

/// The smallest effect that this many observations find with this power at this level.
#[must_use]
pub fn detectable(observations: f64, freedom: f64, level: f64, power: f64) -> Option<f64> {
    let centrality = centrality(freedom, level, power)?;
    (observations > 0.0).then(|| (centrality / observations).sqrt())
}

/// The non-centrality at which the test has the power, by halving.
fn centrality(freedom: f64, level: f64, power: f64) -> Option<f64> {
    let critical = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - level);
    let found = |centrality: f64| upper_tail(critical, freedom, centrality);
    let mut high = 1.0;
    while found(high) < power {
        high *= 2.0;
        if high > 1e9 {
            return None;
        }
    }
    let mut low = 0.0;
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if found(middle) < power { low = middle } else { high = middle }
    }
    Some((low + high) / 2.0)
}

/// The non-central chi-square distribution is a Poisson mixture of central ones.
fn upper_tail(x: f64, freedom: f64, centrality: f64) -> f64 {
    let half = centrality / 2.0;
    let middle = half.floor();
    let spread = (10.0 * half.sqrt() + 20.0).ceil();
    let mut sum = 0.0;
    let mut j = (middle - spread).max(0.0);
    while j <= middle + spread {
        let weight = (j * half.max(f64::MIN_POSITIVE).ln() - half - statrs::function::gamma::ln_gamma(j + 1.0)).exp();
        let tail = ChiSquared::new(freedom + 2.0 * j).map_or(0.0, |central| central.sf(x));
        sum += weight * tail;
        j += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_cohen() {
        // w = 0.3, one degree of freedom, 5 %, power 80 %: 88 observations (λ = 7.849).
        assert!((needed(0.3, 1.0, 0.05, 0.8).unwrap() - 87.2).abs() < 0.1);
        // Five degrees of freedom: λ = 12.83.
        assert!((needed(0.1, 5.0, 0.05, 0.8).unwrap() - 1283.0).abs() < 1.0);
        assert!((detectable(1283.0, 5.0, 0.05, 0.8).unwrap() - 0.1).abs() < 1e-4);
        assert_eq!(needed(0.0, 5.0, 0.05, 0.8), None);
    }
}
