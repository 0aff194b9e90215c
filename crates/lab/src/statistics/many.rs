//! Many tests at once: among a hundred good dice one looks bad at one in a hundred.

/// Each p-value times the number of tests.
#[must_use]
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    p.iter().map(|one| (one * p.len() as f64).min(1.0)).collect()
}

/// Holm's method: as safe as Bonferroni's, and never weaker. The values are adjusted, so that each can be compared with
/// the level that all tests share.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, place) in order.into_iter().enumerate() {
        least = least.max((p[place] * (p.len() - rank) as f64).min(1.0));
        adjusted[place] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{adjusted:?}");
        assert_eq!(bonferroni(&[0.01, 0.6]), [0.02, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
