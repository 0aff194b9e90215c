//! Drawing rounds on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::generator::{PER_WORD, Stream};

/// The rounds of a chunk.
pub const CHUNK: u64 = 1 << 20;
/// Tables have at most this many outcomes: one fits a byte.
const MOST_OUTCOMES: usize = 256;

/// How many rounds are drawn, from which seed, on how many threads. The result does not depend on the threads.
#[derive(Copy, Clone)]
pub struct Run<'a> {
    /// Rounds.
    pub rounds: u64,
    /// What decides them.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Is told the rounds of each chunk when it is done.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Run<'static> {
    /// A run that tells nobody.
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
        let counted = count_chunk(Stream::new(run.seed, chunk, outcomes), rounds);
        if let Ok(mut total) = total.lock() {
            total.iter_mut().zip(counted).for_each(|(sum, count)| *sum += u64::from(count));
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
    let total = Mutex::new(0_i128);
    // Outcomes are bytes: a row of 256 places needs no check at every round.
    let mut places = [0_i64; MOST_OUTCOMES];
    places.iter_mut().zip(row).for_each(|(place, net)| *place = *net);
    each_chunk(run, |chunk, rounds| {
        let sum = fold_chunk(Stream::new(run.seed, chunk, row.len()), &places, rounds);
        if let Ok(mut total) = total.lock() {
            *total += sum;
        }
    });
    Folded { rounds: run.rounds, total: total.into_inner().unwrap_or_default() }
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

fn count_chunk(mut stream: Stream, rounds: u64) -> [u32; MOST_OUTCOMES] {
    // Four tables, so that an outcome that comes twice in a row does not wait for itself.
    let mut tables = [[0_u32; MOST_OUTCOMES]; PER_WORD];
    for _ in 0..rounds / PER_WORD as u64 {
        let outcomes = stream.four();
        for (table, outcome) in tables.iter_mut().zip(outcomes) {
            table[usize::from(outcome)] += 1;
        }
    }
    let left = (rounds % PER_WORD as u64) as usize;
    if left > 0 {
        for outcome in &stream.four()[..left] {
            tables[0][usize::from(*outcome)] += 1;
        }
    }
    let [mut sum, rest @ ..] = tables;
    for table in rest {
        sum.iter_mut().zip(table).for_each(|(sum, count)| *sum += count);
    }
    sum
}

fn fold_chunk(mut stream: Stream, row: &[i64; MOST_OUTCOMES], rounds: u64) -> i128 {
    // No result is above 2⁴⁴ and a chunk has 2²⁰ rounds in four sums, so that none of them overflows in 64 bits.
    let mut sums = [0_i64; PER_WORD];
    for _ in 0..rounds / PER_WORD as u64 {
        let outcomes = stream.four();
        for (sum, outcome) in sums.iter_mut().zip(outcomes) {
            *sum += row[usize::from(outcome)];
        }
    }
    let left = (rounds % PER_WORD as u64) as usize;
    let mut total: i128 = sums.iter().map(|sum| i128::from(*sum)).sum();
    if left > 0 {
        total += stream.four()[..left].iter().map(|outcome| i128::from(row[usize::from(*outcome)])).sum::<i128>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let rounds = 5 * CHUNK + 4_321;
        let one = counts(216, Run::quiet(rounds, 11, 1));
        assert_eq!(one.iter().sum::<u64>(), rounds);
        for threads in [2, 3, 7] {
            assert_eq!(counts(216, Run::quiet(rounds, 11, threads)), one);
        }
    }

    #[test]
    fn folding_first_gives_the_same_total_as_counting() {
        let row: Vec<i64> = (0..39).map(|n| n * n - 300).collect();
        let run = Run::quiet(3 * CHUNK + 3, 5, 2);
        let by_counts: i128 =
            counts(39, run).iter().zip(&row).map(|(count, net)| i128::from(*count) * i128::from(*net)).sum();
        assert_eq!(folded(&row, run), Folded { rounds: run.rounds, total: by_counts });
    }

    #[test]
    fn nothing_is_drawn_for_no_rounds() {
        assert_eq!(counts(216, Run::quiet(0, 1, 4)).iter().sum::<u64>(), 0);
    }
}
