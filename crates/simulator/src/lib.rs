//! A seeded simulator of a whole floor, whose failure is a seed.
//!
//! One number drives everything: which tables are on the floor, what dealers, players, devices, pit, cage, auditors and
//! clock do, which commands arrive late, twice, in another order or never, and when the power fails. After every event
//! the books must balance. A second, naive model kept from the events alone must agree with every settlement,
//! correction and void. A floor rebuilt from its log must be the same floor.
//!
//! ```
//! let summary = simulator::run(1, simulator::Course::of(50)).expect("no seed fails");
//! assert!(summary.accepted > 0);
//! ```

mod chance;
mod compare;
mod crash;
mod crowd;
mod failure;
mod finish;
mod game;
mod house;
mod intent;
mod kept;
mod kinds;
mod model;
mod odds;
mod people;
mod run;
mod second;
mod sheet;
mod summary;
mod wire;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use chance::Chance;
pub use crowd::Crowd;
pub use failure::{Failure, Recent};
pub use kinds::{EVENT_KINDS, kind};
pub use run::run;
pub use second::{SecondOpinion, returned};
pub use summary::{Rounds, Summary};

/// Steps of a run unless another number is asked for.
pub const STEPS: u32 = 500;
/// How dishonest people and devices are unless another rate is asked for, in per cent.
pub const USUAL: u32 = 100;

/// How long a run is, and how dishonest its people and devices are.
#[derive(Copy, Clone, Debug)]
pub struct Course {
    /// Steps.
    pub steps: u32,
    /// In per cent of the usual rate: at zero no one cheats and no device lies, at 300 they do so three times as often.
    pub dishonesty: u32,
}

impl Course {
    /// A run of so many steps with people and devices as dishonest as usual.
    #[must_use]
    pub const fn of(steps: u32) -> Course {
        Course { steps, dishonesty: USUAL }
    }
}

/// Runs many seeds on several threads. `watch` is called after each seed; `stop` ends the sweep early.
///
/// # Errors
/// The failure with the lowest seed among those found.
pub fn sweep(
    seeds: Range<u64>,
    course: Course,
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
            match run(seed, course) {
                Ok(summary) => {
                    watch(&summary);
                    sum.add(&summary);
                }
                Err(failure) => {
                    let mut failed = lock(&failed);
                    if failed.as_ref().is_none_or(|known| failure.seed < known.seed) {
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
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
