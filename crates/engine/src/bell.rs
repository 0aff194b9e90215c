//! Waiting for another thread: for a moment awake, then asleep.
//!
//! To put a processor to sleep and wake it again can take longer than the disk does. Whoever waits therefore lets others
//! run for a moment and looks again, and only then goes to sleep; and whoever rings calls the system only for a sleeper.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For how long it is worth staying awake.
const AWAKE: Duration = Duration::from_micros(60);

/// Lets others run for a moment, until there is something.
fn awake_until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + AWAKE;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= until {
            return found;
        }
        std::thread::yield_now();
    }
}

/// The next of a channel, or `None` when nobody sends any more.
pub(crate) fn next<T>(channel: &Receiver<T>) -> Option<T> {
    awake_until(|| channel.try_recv().ok()).or_else(|| channel.recv().ok())
}

/// Rung under the lock of what it is about.
#[derive(Default)]
pub(crate) struct Bell {
    rung: AtomicU32,
    asleep: AtomicBool,
    condvar: Condvar,
}

impl Bell {
    /// Something has changed. Whoever calls holds the lock.
    pub fn ring(&self) {
        self.rung.fetch_add(1, Ordering::Release);
        if self.asleep.swap(false, Ordering::Relaxed) {
            self.condvar.notify_all();
        }
    }

    /// Gives the lock away until something may have changed.
    pub fn wait<'a, T>(&self, lock: &'a Mutex<T>, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let heard = self.rung.load(Ordering::Relaxed);
        drop(guard);
        awake_until(|| (self.rung.load(Ordering::Acquire) != heard).then_some(()));
        let mut guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.rung.load(Ordering::Relaxed) == heard {
            self.asleep.store(true, Ordering::Relaxed);
            guard = self.condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        guard
    }
}
