//! Waiting for another thread. The caller makes a system call only if a thread is asleep: between threads that are
//! awake that call would cost more than the data handed over.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rung under the lock of what it is about.
#[derive(Default)]
pub(crate) struct Bell {
    rung: AtomicU32,
    asleep: AtomicBool,
    condvar: Condvar,
}

impl Bell {
    /// Something has changed. The caller holds the lock.
    pub fn ring(&self) {
        self.rung.fetch_add(1, Ordering::Relaxed);
        if self.asleep.swap(false, Ordering::Relaxed) {
            self.condvar.notify_all();
        }
    }

    /// Gives the lock away until something may have changed.
    pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let heard = self.rung.load(Ordering::Relaxed);
        while self.rung.load(Ordering::Relaxed) == heard {
            self.asleep.store(true, Ordering::Relaxed);
            guard = self.condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        guard
    }

    /// The same for at most so long.
    pub fn wait_for<'a, T>(&self, mut guard: MutexGuard<'a, T>, span: Duration) -> MutexGuard<'a, T> {
        let heard = self.rung.load(Ordering::Relaxed);
        let until = Instant::now() + span;
        while self.rung.load(Ordering::Relaxed) == heard {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.asleep.store(true, Ordering::Relaxed);
            guard = self.condvar.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        guard
    }
}
