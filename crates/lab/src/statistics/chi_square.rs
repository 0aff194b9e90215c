//! Chi-square: do counts agree with what was expected?

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The outcome of a chi-square test.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct ChiSquare {
    /// The statistic.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// How likely a statistic at least as large is, if nothing is wrong.
    pub p: f64,
}

impl ChiSquare {
    /// The test of a statistic that is known.
    #[must_use]
    pub fn of(statistic: f64, freedom: f64) -> ChiSquare {
        let p = match ChiSquared::new(freedom) {
            Ok(distribution) if statistic.is_finite() => distribution.sf(statistic.max(0.0)),
            Ok(_) => 0.0,
            // No freedom: there was nothing to compare.
            Err(_) => 1.0,
        };
        ChiSquare { statistic, freedom, p }
    }
}

/// Cells with a smaller expected count than this are merged: only then does the distribution of the table apply.
const LEAST_EXPECTED: f64 = 5.0;

/// Counts against their expectations. Neighbouring cells are merged until each has an expected count of five.
#[must_use]
pub fn goodness_of_fit(observed: &[u64], expected: &[f64]) -> ChiSquare {
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut rest = (0.0, 0.0);
    for (seen, wanted) in observed.iter().zip(expected) {
        rest = (rest.0 + *seen as f64, rest.1 + wanted);
        if rest.1 >= LEAST_EXPECTED {
            cells.push(std::mem::take(&mut rest));
        }
    }
    match cells.last_mut() {
        Some(last) => *last = (last.0 + rest.0, last.1 + rest.1),
        None => cells.push(rest),
    }
    let statistic = cells.iter().filter(|(_, wanted)| *wanted > 0.0).map(|(o, e)| (o - e).powi(2) / e).sum();
    ChiSquare::of(statistic, cells.len() as f64 - 1.0)
}

/// Whether the rows of a table have the same distribution over its columns. Empty rows and columns do not count.
#[must_use]
pub fn contingency(table: &[Vec<u64>]) -> ChiSquare {
    let columns = table.first().map_or(0, Vec::len);
    let by_row: Vec<f64> = table.iter().map(|row| row.iter().sum::<u64>() as f64).collect();
    let by_column: Vec<f64> = (0..columns).map(|c| table.iter().map(|row| row[c]).sum::<u64>() as f64).collect();
    let all: f64 = by_row.iter().sum();
    let mut statistic = 0.0;
    for (row, in_row) in table.iter().zip(&by_row) {
        for (seen, in_column) in row.iter().zip(&by_column) {
            let expected = in_row * in_column / all;
            if expected > 0.0 {
                statistic += (*seen as f64 - expected).powi(2) / expected;
            }
        }
    }
    let filled = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count().saturating_sub(1) as f64;
    ChiSquare::of(statistic, filled(&by_row) * filled(&by_column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_die() {
        // 60 throws: 5, 8, 9, 8, 10, 20. The statistic is 13.4 with five degrees of freedom.
        let test = goodness_of_fit(&[5, 8, 9, 8, 10, 20], &[10.0; 6]);
        assert!((test.statistic - 13.4).abs() < 1e-12 && test.freedom == 5.0);
        assert!((test.p - 0.0199).abs() < 1e-4, "{}", test.p);
    }

    #[test]
    fn a_textbook_table() {
        let test = contingency(&[vec![90, 60, 104, 95], vec![30, 50, 51, 20], vec![30, 40, 45, 35]]);
        assert!((test.statistic - 24.57).abs() < 0.01 && test.freedom == 6.0);
    }

    #[test]
    fn rare_cells_are_put_together() {
        let test = goodness_of_fit(&[50, 3, 1, 0], &[48.0, 4.0, 1.5, 0.5]);
        assert_eq!(test.freedom, 1.0);
        assert_eq!(goodness_of_fit(&[], &[]).p, 1.0);
    }
}
