//! Drawing rounds on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::generator::{PAIRS, Stream};
use crate::session::gcd;

/// The rounds of a chunk.
pub const CHUNK: u64 = 1 << 22;
/// The rounds of a word.
const PER_WORD: u64 = 2 * PAIRS as u64;
/// A pair of outcomes is 16 bits: tables of this size need no check at every round.
const MOST_PAIRS: usize = 1 << 16;

/// How many rounds are drawn, from which seed, on how many threads. The result does not depend on the threads.
#[derive(Copy, Clone)]
pub struct Run<'a> {
    /// Rounds.
    pub rounds: u64,
    /// What decides them.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Receives the rounds of each chunk when it is done.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Run<'static> {
    /// A run without progress reports.
    #[must_use]
    pub fn quiet(rounds: u64, seed: u64, threads: usize) -> Run<'static> {
        Run { rounds, seed, threads, progress: &|_| {} }
    }
}

/// How often each outcome came.
#[must_use]
pub fn counts(outcomes: usize, run: Run<'_>) -> Vec<u64> {
    let total = Mutex::new(vec![0_u64; outcomes]);
    each_chunk(run, |chunk, rounds| {
        let counted = count_chunk(Stream::new(run.seed, chunk, outcomes), outcomes, rounds);
        if let Ok(mut total) = total.lock() {
            total.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
        }
    });
    total.into_inner().unwrap_or_default()
}

/// The total of a folded row.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Rounds that were drawn.
    pub rounds: u64,
    /// What the row brought in all.
    pub total: i128,
}

/// What a row of results, one for each outcome, brings in all.
#[must_use]
pub fn folded(row: &[i64], run: Run<'_>) -> Folded {
    // The results lie on a lattice, and their places on it are small: in 16 bits the table stays near the processor.
    let least = row.iter().copied().min().unwrap_or(0);
    let step = row.iter().map(|net| net - least).fold(0, gcd).max(1);
    let places: Vec<i64> = row.iter().map(|net| (net - least) / step).collect();
    let sum = match folded_pairs(&places, |place| u16::try_from(place).ok()) {
        Some(pairs) => fold_with(&places, &pairs, run),
        None => folded_pairs(&places, Some).map_or(0, |pairs: Pairs<i64>| fold_with(&places, &pairs, run)),
    };
    Folded { rounds: run.rounds, total: sum * i128::from(step) + i128::from(run.rounds) * i128::from(least) }
}

/// What each pair of outcomes brings.
type Pairs<T> = Box<[T; MOST_PAIRS]>;

fn folded_pairs<T: Copy + Default>(row: &[i64], fits: impl Fn(i64) -> Option<T>) -> Option<Pairs<T>> {
    let mut pairs = vec![T::default(); MOST_PAIRS];
    let sums = row.iter().flat_map(|first| row.iter().map(move |second| first + second));
    for (pair, sum) in pairs.iter_mut().zip(sums) {
        *pair = fits(sum)?;
    }
    pairs.into_boxed_slice().try_into().ok()
}

fn fold_with<T: Copy + Into<i64> + Sync>(row: &[i64], pairs: &[T; MOST_PAIRS], run: Run<'_>) -> i128 {
    let total = Mutex::new(0_i128);
    each_chunk(run, |chunk, rounds| {
        let sum = fold_chunk(Stream::new(run.seed, chunk, row.len()), row, pairs, rounds);
        if let Ok(mut total) = total.lock() {
            *total += sum;
        }
    });
    total.into_inner().unwrap_or_default()
}

/// Hands out chunks until none is left.
fn each_chunk(run: Run<'_>, work: impl Fn(u64, u64) + Sync) {
    let chunks = run.rounds.div_ceil(CHUNK);
    let next = AtomicU64::new(0);
    let worker = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            let rounds = CHUNK.min(run.rounds - chunk * CHUNK);
            work(chunk, rounds);
            (run.progress)(rounds);
        }
    };
    let threads = run.threads.clamp(1, usize::try_from(chunks.max(1)).unwrap_or(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}

/// The last rounds of a chunk, fewer than a word has.
fn rest(stream: &mut Stream, outcomes: usize, rounds: u64) -> Vec<usize> {
    let left = (rounds % PER_WORD) as usize;
    if left == 0 {
        return Vec::new();
    }
    let pair = |pair: u16| [usize::from(pair) / outcomes, usize::from(pair) % outcomes];
    stream.pairs().into_iter().flat_map(pair).take(left).collect()
}

fn count_chunk(mut stream: Stream, outcomes: usize, rounds: u64) -> Vec<u64> {
    let mut pairs = vec![0_u32; MOST_PAIRS];
    if let Ok(pairs) = <&mut [u32; MOST_PAIRS]>::try_from(pairs.as_mut_slice()) {
        for _ in 0..rounds / PER_WORD {
            for pair in stream.pairs() {
                pairs[usize::from(pair)] += 1;
            }
        }
    }
    let mut counts = vec![0_u64; outcomes];
    for (first, row) in pairs.chunks_exact(outcomes).take(outcomes).enumerate() {
        counts[first] += row.iter().map(|count| u64::from(*count)).sum::<u64>();
        counts.iter_mut().zip(row).for_each(|(sum, count)| *sum += u64::from(*count));
    }
    rest(&mut stream, outcomes, rounds).into_iter().for_each(|outcome| counts[outcome] += 1);
    counts
}

fn fold_chunk<T: Copy + Into<i64>>(mut stream: Stream, row: &[i64], pairs: &[T; MOST_PAIRS], rounds: u64) -> i128 {
    // No place is above 2⁴¹ and a chunk has 2²¹ pairs in three sums, so that none of them overflows in 64 bits.
    let mut sums = [0_i64; PAIRS];
    for _ in 0..rounds / PER_WORD {
        for (sum, pair) in sums.iter_mut().zip(stream.pairs()) {
            *sum += pairs[usize::from(pair)].into();
        }
    }
    let last = rest(&mut stream, row.len(), rounds).into_iter().map(|outcome| row[outcome]);
    sums.into_iter().chain(last).map(i128::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let rounds = 3 * CHUNK + 4_321;
        let one = counts(216, Run::quiet(rounds, 11, 1));
        assert_eq!(one.iter().sum::<u64>(), rounds);
        for threads in [2, 3, 7] {
            assert_eq!(counts(216, Run::quiet(rounds, 11, threads)), one);
        }
    }

    #[test]
    fn folding_first_gives_the_same_total_as_counting() {
        for unit in [1, 1 << 29] {
            // With one cent more on one outcome the lattice is as fine as it can be.
            let row: Vec<i64> = (0..39).map(|n| (n * n - 300) * unit + i64::from(n == 5)).collect();
            let run = Run::quiet(2 * CHUNK + 5, 5, 2);
            let by_counts: i128 =
                counts(39, run).iter().zip(&row).map(|(count, net)| i128::from(*count) * i128::from(*net)).sum();
            assert_eq!(folded(&row, run), Folded { rounds: run.rounds, total: by_counts });
        }
    }

    #[test]
    fn nothing_is_drawn_for_no_rounds() {
        assert_eq!(counts(216, Run::quiet(0, 1, 4)).iter().sum::<u64>(), 0);
    }
}
