//! Many seeds, on several threads. Each of them is still one thread's.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Failure, Summary, run};

/// Runs many seeds on several threads. `watch` is called after each seed; `stop` ends the sweep early.
///
/// # Errors
/// The failure with the lowest seed among those found.
pub fn sweep(
    seeds: Range<u64>,
    steps: u32,
    threads: usize,
    watch: &(dyn Fn(&Summary) + Sync),
    stop: &AtomicBool,
) -> Result<Summary, Failure> {
    let next = AtomicU64::new(seeds.start);
    let failed: Mutex<Option<Failure>> = Mutex::new(None);
    let total: Mutex<Summary> = Mutex::new(Summary::default());
    let work = || {
        let mut sum = Summary::default();
        while !stop.load(Ordering::Relaxed) && lock(&failed).is_none() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            match run(seed, steps) {
                Ok(summary) => {
                    watch(&summary);
                    sum.add(&summary);
                }
                Err(failure) => {
                    let mut failed = lock(&failed);
                    if failed.as_ref().is_none_or(|known| failure.course.seed < known.course.seed) {
                        *failed = Some(failure);
                    }
                }
            }
        }
        lock(&total).add(&sum);
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(work);
        }
    });
    match lock(&failed).take() {
        Some(failure) => Err(failure),
        None => Ok(std::mem::take(&mut lock(&total))),
    }
}

/// What a thread that panicked left behind is still good: a run's panic is caught and is its failure.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
