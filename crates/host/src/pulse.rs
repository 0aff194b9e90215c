//! Whether this host ran all the while. A process that was frozen (SIGSTOP, a paused virtual machine, a suspended machine)
//! was away as much as one that was restarted: the rounds in play were stopped (D6).
//!
//! A thread of its own says every second that the process runs. The first to notice that it did not, that thread or a
//! command that is about to be decided, reports the stoppage, so that nothing is decided before the stoppage is recorded.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::app::App;

const EVERY: Duration = Duration::from_secs(1);
/// A gap longer than this is a stoppage. A busy machine keeps a thread waiting for less.
const GAP: i64 = 5_000;

/// When the process was last known to run, by the machine's monotonic clock.
pub struct Pulse(AtomicI64);

impl Default for Pulse {
    fn default() -> Pulse {
        Pulse(AtomicI64::new(now()))
    }
}

/// Milliseconds since the machine was started, the time it was suspended included.
fn now() -> i64 {
    let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    up.tv_sec.saturating_mul(1_000).saturating_add(up.tv_nsec / 1_000_000)
}

impl Pulse {
    /// For how many milliseconds the process did not run; told once for each time.
    pub fn missed(&self) -> Option<i64> {
        self.missed_at(now())
    }

    fn missed_at(&self, now: i64) -> Option<i64> {
        let last = self.0.load(Ordering::Acquire);
        let gap = now.saturating_sub(last);
        if gap <= GAP {
            return None;
        }
        self.0.compare_exchange(last, now, Ordering::AcqRel, Ordering::Acquire).ok().map(|_| gap)
    }

    fn is_late(&self) -> bool {
        now().saturating_sub(self.0.load(Ordering::Acquire)) > GAP
    }

    fn beat(&self) {
        self.0.fetch_max(now(), Ordering::AcqRel);
    }
}

/// Says that the process runs, until the floor is gone.
pub fn run(app: &Arc<App>) {
    // The floor itself is locked only to report: otherwise this thread could be the last to release it.
    let (floor, pulse): (Weak<App>, Weak<Pulse>) = (Arc::downgrade(app), Arc::downgrade(&app.pulse));
    let beats = move || {
        while let Some(pulse) = pulse.upgrade() {
            if pulse.is_late()
                && let Some(app) = floor.upgrade()
            {
                app.notice_freeze();
            }
            pulse.beat();
            drop(pulse);
            std::thread::sleep(EVERY);
        }
    };
    if let Err(error) = std::thread::Builder::new().name("pulse".to_owned()).spawn(beats) {
        tracing::error!(%error, "whether this host runs cannot be watched");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d6_a_gap_is_told_once_and_a_short_one_is_none() {
        let pulse = Pulse(AtomicI64::new(1_000));
        assert_eq!(pulse.missed_at(1_000 + GAP), None);
        assert_eq!(pulse.missed_at(1_001 + GAP), Some(GAP + 1));
        assert_eq!(pulse.missed_at(1_002 + GAP), None);
    }
}
