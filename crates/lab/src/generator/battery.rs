//! The tests, one function each.

use super::GeneratorTest;
use crate::statistics::{ChiSquare, goodness_of_fit};

/// The tests of the bytes themselves.
pub(super) fn of_bytes(bytes: &[u8]) -> Vec<GeneratorTest> {
    let named = |(test, chi): (&'static str, ChiSquare)| line("bytes", test, bytes.len() as u64, chi);
    [("bits", bits(bytes)), ("equidistribution", every_byte(bytes)), ("runs of bits", bit_runs(bytes))]
        .map(named)
        .to_vec()
}

/// The tests of draws from so many sides.
pub(super) fn of_draws(stream: &str, sides: usize, draws: &[u8]) -> Vec<GeneratorTest> {
    let tests: [(&'static str, ChiSquare); 10] = [
        ("equidistribution", equidistribution(sides, draws)),
        ("serial pairs", serial(sides, draws)),
        ("overlapping pairs", overlapping(sides, draws)),
        ("poker", poker(sides, draws)),
        ("gaps", gaps(sides, draws)),
        ("coupon collector", coupons(sides, draws)),
        ("runs of equals", runs_of_equals(sides, draws)),
        ("runs high and low", runs_high_low(sides, draws)),
        ("permutations", permutations(draws)),
        ("serial correlation", correlation(sides, draws)),
    ];
    tests.map(|(test, chi)| line(stream, test, draws.len() as u64, chi)).to_vec()
}

/// A value too near its mean is no more likely than one too far: both ends count.
fn line(stream: &str, test: &'static str, draws: u64, chi: ChiSquare) -> GeneratorTest {
    let p = (2.0 * chi.p.min(1.0 - chi.p)).clamp(0.0, 1.0);
    // Without freedom there was nothing to count: the draws never got so far, which good ones do.
    let p = if chi.freedom > 0.0 { p } else { 0.0 };
    let (statistic, freedom) = (chi.statistic, chi.freedom);
    GeneratorTest { stream: stream.to_owned(), test, draws, statistic, freedom, p, adjusted: p, passed: true }
}

fn even(counts: &[u64]) -> ChiSquare {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    goodness_of_fit(counts, &vec![expected; counts.len()])
}

fn shares(counts: &[u64], shares: &[f64]) -> ChiSquare {
    let all = counts.iter().sum::<u64>() as f64;
    goodness_of_fit(counts, &shares.iter().map(|share| all * share).collect::<Vec<_>>())
}

/// A deviation of z standard errors.
fn normal(z: f64) -> ChiSquare {
    ChiSquare::of(z * z, 1.0)
}

fn bits(bytes: &[u8]) -> ChiSquare {
    let ones: u64 = bytes.iter().map(|byte| u64::from(byte.count_ones())).sum();
    even(&[ones, bytes.len() as u64 * 8 - ones])
}

fn every_byte(bytes: &[u8]) -> ChiSquare {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    even(&counts)
}

/// Changes between neighbouring bits come half of the time.
fn bit_runs(bytes: &[u8]) -> ChiSquare {
    let inside: u64 = bytes.iter().map(|byte| u64::from(((byte ^ (byte >> 1)) & 0x7f).count_ones())).sum();
    let between: u64 = bytes.windows(2).map(|pair| u64::from((pair[0] & 1) ^ (pair[1] >> 7))).sum();
    let all = bytes.len() as u64 * 8 - 1;
    even(&[inside + between, all - inside - between])
}

fn equidistribution(sides: usize, draws: &[u8]) -> ChiSquare {
    let mut counts = vec![0; sides];
    draws.iter().for_each(|draw| counts[usize::from(*draw)] += 1);
    even(&counts)
}

fn serial(sides: usize, draws: &[u8]) -> ChiSquare {
    let mut counts = vec![0; sides * sides];
    draws.chunks_exact(2).for_each(|pair| counts[usize::from(pair[0]) * sides + usize::from(pair[1])] += 1);
    even(&counts)
}

/// Good's test: overlapping pairs are not independent, but what they add to single draws has a known distribution.
fn overlapping(sides: usize, draws: &[u8]) -> ChiSquare {
    let mut singles = vec![0_u64; sides];
    let mut pairs = vec![0_u64; sides * sides];
    let around = draws.iter().zip(draws.iter().cycle().skip(1));
    for (a, b) in around {
        singles[usize::from(*a)] += 1;
        pairs[usize::from(*a) * sides + usize::from(*b)] += 1;
    }
    let n = draws.len() as f64;
    let psi = |counts: &[u64]| {
        let expected = n / counts.len() as f64;
        counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum::<f64>()
    };
    ChiSquare::of(psi(&pairs) - psi(&singles), (sides * sides - sides) as f64)
}

/// Hands of five by the number of different values.
fn poker(sides: usize, draws: &[u8]) -> ChiSquare {
    let mut counts = [0_u64; 5];
    for hand in draws.chunks_exact(5) {
        let mut hand: Vec<u8> = hand.to_vec();
        hand.sort_unstable();
        hand.dedup();
        counts[hand.len() - 1] += 1;
    }
    let distinct = distinct_after(sides, 5);
    shares(&counts, &distinct[1..=5])
}

/// The probabilities of 0, 1, 2 … different values among so many draws.
fn distinct_after(sides: usize, draws: usize) -> Vec<f64> {
    let mut now = vec![0.0; sides.max(draws) + 1];
    now[0] = 1.0;
    for _ in 0..draws {
        next_distinct(sides, &mut now);
    }
    now
}

fn next_distinct(sides: usize, now: &mut [f64]) {
    for j in (0..now.len()).rev() {
        let old = if j <= sides { j as f64 / sides as f64 } else { 0.0 };
        let fresh = if j > 0 && j <= sides { (sides - j + 1) as f64 / sides as f64 * now[j - 1] } else { 0.0 };
        now[j] = now[j] * old + fresh;
    }
}

/// A geometric distribution: cells 0, 1, 2 … and one for all above.
fn geometric(stop: f64, cells: usize) -> Vec<f64> {
    let mut shares: Vec<f64> = (0..cells).map(|n| stop * (1.0 - stop).powf(n as f64)).collect();
    shares.push((1.0 - stop).powf(cells as f64));
    shares
}

/// How many draws lie between one zero and the next.
fn gaps(sides: usize, draws: &[u8]) -> ChiSquare {
    let cells = 5 * sides;
    let mut counts = vec![0_u64; cells + 1];
    let mut gap = None;
    for draw in draws {
        if *draw == 0 {
            if let Some(gap) = gap {
                counts[cells.min(gap)] += 1;
            }
            gap = Some(0);
        } else {
            gap = gap.map(|gap| gap + 1);
        }
    }
    shares(&counts, &geometric(1.0 / sides as f64, cells))
}

/// How many draws it takes to see every value.
fn coupons(sides: usize, draws: &[u8]) -> ChiSquare {
    let longest = 20 * sides;
    let mut counts = vec![0_u64; longest + 1];
    let (mut seen, mut missing, mut length) = (vec![false; sides], sides, 0_usize);
    for draw in draws {
        length += 1;
        if !std::mem::replace(&mut seen[usize::from(*draw)], true) {
            missing -= 1;
        }
        if missing == 0 {
            counts[length.min(longest)] += 1;
            (missing, length) = (sides, 0);
            seen.fill(false);
        }
    }
    let mut now = vec![0.0; sides + 1];
    now[0] = 1.0;
    let mut expected = vec![0.0; longest + 1];
    let mut before = 0.0;
    for cell in expected.iter_mut().skip(1) {
        next_distinct(sides, &mut now);
        (*cell, before) = (now[sides] - before, now[sides]);
    }
    expected[longest] += 1.0 - before;
    shares(&counts, &expected)
}

fn runs_of_equals(sides: usize, draws: &[u8]) -> ChiSquare {
    let cells = 8;
    let mut counts = vec![0_u64; cells + 1];
    // The last run may have been cut off.
    let mut runs: Vec<usize> = draws.chunk_by(|a, b| a == b).map(<[u8]>::len).collect();
    runs.pop();
    runs.iter().for_each(|run| counts[cells.min(run - 1)] += 1);
    shares(&counts, &geometric(1.0 - 1.0 / sides as f64, cells))
}

/// Wald and Wolfowitz, on the lower and the upper half of the values.
fn runs_high_low(sides: usize, draws: &[u8]) -> ChiSquare {
    let high: Vec<bool> = draws.iter().map(|draw| usize::from(*draw) >= sides / 2).collect();
    let n = high.len() as f64;
    let a = high.iter().filter(|high| **high).count() as f64;
    let seen = 1.0 + high.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    let mean = 1.0 + 2.0 * a * (n - a) / n;
    let variance = (mean - 1.0) * (mean - 2.0) / (n - 1.0);
    // All on one side is as far from chance as can be.
    if variance > 0.0 { normal((seen - mean) / variance.sqrt()) } else { ChiSquare::of(f64::INFINITY, 1.0) }
}

/// The six orders of three different values.
fn permutations(draws: &[u8]) -> ChiSquare {
    let mut counts = [0_u64; 6];
    for three in draws.chunks_exact(3) {
        let [a, b, c] = [three[0], three[1], three[2]];
        if a == b || b == c || a == c {
            continue;
        }
        counts[usize::from(a < b) * 3 + usize::from(c > a) + usize::from(c > b)] += 1;
    }
    even(&counts)
}

/// The correlation of draws one, two and three apart.
fn correlation(sides: usize, draws: &[u8]) -> ChiSquare {
    let mean = (sides as f64 - 1.0) / 2.0;
    let variance = (sides as f64 * sides as f64 - 1.0) / 12.0;
    let values: Vec<f64> = draws.iter().map(|draw| f64::from(*draw) - mean).collect();
    let z = |lag: usize| {
        let products: f64 = values.iter().zip(&values[lag..]).map(|(a, b)| a * b).sum();
        products / (variance * ((values.len() - lag) as f64).sqrt())
    };
    ChiSquare::of([1, 2, 3].map(|lag| z(lag).powi(2)).iter().sum(), 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poker_hands_of_dice_have_the_known_shares() {
        // Knuth: five dice, all different 720/7776, one value 6/7776.
        let shares = distinct_after(6, 5);
        assert!((shares[1] - 6.0 / 7776.0).abs() < 1e-12);
        assert!((shares[5] - 720.0 / 7776.0).abs() < 1e-12);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_six_orders_are_kept_apart() {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut cells: Vec<usize> =
            orders.iter().map(|[a, b, c]| usize::from(a < b) * 3 + usize::from(c > a) + usize::from(c > b)).collect();
        cells.sort_unstable();
        assert_eq!(cells, [0, 1, 2, 3, 4, 5]);
    }
}
