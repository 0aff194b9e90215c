//! The queue between the floor and its records: bounded, and the floor never waits for it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use floor::Record;

/// Durable records that follow each other.
pub(crate) struct Batch {
    pub first: u64,
    pub records: Arc<Vec<Record>>,
}

impl Batch {
    fn last(&self) -> u64 {
        (self.first + self.records.len() as u64).saturating_sub(1)
    }
}

/// What the follower finds.
pub(crate) enum Taken {
    /// Batches to write.
    Batches(Vec<Batch>),
    /// More came than may wait: the rest is in the journal.
    Behind,
    /// Nothing more will come.
    Over,
}

#[derive(Default)]
struct Inside {
    batches: VecDeque<Batch>,
    /// Records in them.
    waiting: usize,
    /// Nothing is kept here: the follower reads the journal.
    behind: bool,
    /// It is known up to where the journal is durable.
    known: bool,
    /// When the follower was asked to end.
    stopped: Option<Instant>,
}

pub(crate) struct Feed {
    inside: Mutex<Inside>,
    changed: Condvar,
    room: usize,
    durable: AtomicU64,
    written: AtomicU64,
    /// A batch could not be accepted without waiting.
    missed: AtomicBool,
}

/// How often the playing thread tries to get the lock …
const ATTEMPTS: u32 = 40;
/// … and for how long it sleeps in between, so that the holder can continue.
const PATIENCE: Duration = Duration::from_micros(20);

/// The longest sleep of the follower. It is woken when something comes, except by a batch that could not be accepted.
const SLEEP: Duration = Duration::from_secs(1);

impl Feed {
    pub fn new(room: usize) -> Feed {
        let inside = Mutex::new(Inside { behind: true, ..Inside::default() });
        let (durable, written, missed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        Feed { inside, changed: Condvar::new(), room, durable, written, missed }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, inside: MutexGuard<'a, Inside>) -> MutexGuard<'a, Inside> {
        self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner)
    }

    /// The last record known to be durable.
    pub fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    /// The last record in the database.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// The journal is durable up to here.
    pub fn reach(&self, sequence: u64) {
        self.durable.fetch_max(sequence, Ordering::AcqRel);
        self.lock().known = true;
        self.changed.notify_all();
    }

    /// The lock for the playing thread, which never waits for it long: the follower yields to every other thread, and
    /// may have had to while it held the lock.
    fn lock_soon(&self) -> Option<MutexGuard<'_, Inside>> {
        (0..ATTEMPTS).find_map(|_| match self.inside.try_lock() {
            Ok(inside) => Some(inside),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(PATIENCE);
                None
            }
        })
    }

    /// Takes a batch in, or leaves it to the journal.
    pub fn put(&self, batch: Batch) {
        self.durable.fetch_max(batch.last(), Ordering::AcqRel);
        let Some(mut inside) = self.lock_soon() else {
            self.missed.store(true, Ordering::SeqCst);
            return self.changed.notify_all();
        };
        let idle = inside.batches.is_empty();
        inside.known = true;
        if batch.records.is_empty() || inside.behind {
            return;
        }
        if self.has_missed() || inside.waiting + batch.records.len() > self.room {
            inside.behind = true;
            inside.waiting = 0;
            // What waited is thrown away by the follower's thread, not by the one that plays.
            self.changed.notify_all();
            return;
        }
        inside.waiting += batch.records.len();
        inside.batches.push_back(batch);
        if idle || inside.waiting >= self.enough() {
            self.changed.notify_all();
        }
    }

    fn has_missed(&self) -> bool {
        self.missed.load(Ordering::SeqCst)
    }

    /// The number of waiting records that are written without waiting for more.
    fn enough(&self) -> usize {
        self.room / 4
    }

    /// Up to where the journal must be read; what comes after that waits here from now on. `None` once it is over.
    pub fn join(&self) -> Option<u64> {
        let mut inside = self.lock();
        while !inside.known && inside.stopped.is_none() {
            inside = self.wait(inside);
        }
        inside.behind = false;
        inside.waiting = 0;
        // In this order: what is missed from here on is seen later, and what was missed before is durable.
        self.missed.store(false, Ordering::SeqCst);
        let (end, left) = (inside.known.then(|| self.durable()), std::mem::take(&mut inside.batches));
        drop(inside);
        drop(left);
        end
    }

    /// Whether there is something to do, for a caller that does not want to wait.
    pub fn is_ready(&self) -> bool {
        let inside = self.lock();
        inside.known && (!inside.batches.is_empty() || inside.behind || self.has_missed())
    }

    /// Waits for something to write: at most this many records, gathered for a short time.
    pub fn take(&self, most: usize, gather: Duration) -> Taken {
        let mut inside = self.lock();
        while inside.batches.is_empty() && !inside.behind && !self.has_missed() && inside.stopped.is_none() {
            inside = self.changed.wait_timeout(inside, SLEEP).unwrap_or_else(PoisonError::into_inner).0;
        }
        let gathered = Instant::now() + gather;
        while inside.waiting < most.min(self.enough()) && !inside.behind && inside.stopped.is_none() {
            let left = gathered.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if inside.behind || self.has_missed() {
            return Taken::Behind;
        }
        let (mut batches, mut records) = (Vec::new(), 0);
        while let Some(batch) =
            inside.batches.pop_front_if(|batch| records == 0 || records + batch.records.len() <= most)
        {
            records += batch.records.len();
            batches.push(batch);
        }
        inside.waiting -= records;
        if batches.is_empty() { Taken::Over } else { Taken::Batches(batches) }
    }

    /// The database has come so far.
    pub fn wrote(&self, sequence: u64) {
        self.written.store(sequence, Ordering::Release);
        let inside = self.lock();
        self.changed.notify_all();
        drop(inside);
    }

    /// Waits until the database has come so far; false if it has not in that time.
    pub fn wait_for(&self, sequence: u64, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut inside = self.lock();
        while self.written() < sequence {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Nothing more will come.
    pub fn stop(&self) {
        self.lock().stopped.get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// For how long it has been over, if it is.
    pub fn stopped_for(&self) -> Option<Duration> {
        self.lock().stopped.map(|since| since.elapsed())
    }

    /// Waits for the next attempt; true if it is over instead.
    pub fn pause(&self, span: Duration) -> bool {
        let until = Instant::now() + span;
        let mut inside = self.lock();
        inside.behind = true;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if inside.stopped.is_some() || left.is_zero() {
                return inside.stopped.is_some();
            }
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use floor::{Event, Moment, Release};
    use rulebook::Hash;

    use super::*;

    fn batch(first: u64, count: usize) -> Batch {
        let release = Release { program: Hash([0; 32]), rulebooks: Hash([0; 32]) };
        let event = Event::ProgramStarted { release, locked: false };
        let record = Record { at: Moment(0), origin: None, event };
        Batch { first, records: Arc::new(vec![record; count]) }
    }

    /// A feed whose follower has caught up to record 10.
    fn joined() -> Feed {
        let feed = Feed::new(100);
        feed.reach(10);
        assert_eq!(feed.join(), Some(10));
        feed
    }

    /// A batch that came while the follower was sent away with the lock.
    fn put_in_vain(feed: &Feed, batch: Batch) {
        let _held = feed.lock();
        feed.put(batch);
    }

    #[test]
    fn whoever_plays_does_not_wait_for_the_lock() {
        let feed = joined();
        put_in_vain(&feed, batch(11, 2));
        assert_eq!(feed.durable(), 12);
        // Later batches cannot be accepted either.
        feed.put(batch(13, 3));
        assert!(matches!(feed.take(50, Duration::ZERO), Taken::Behind));
        assert_eq!(feed.join(), Some(15));
        feed.put(batch(16, 1));
        assert!(matches!(feed.take(50, Duration::ZERO), Taken::Batches(batches) if batches[0].first == 16));
    }

    #[test]
    fn a_batch_that_was_missed_last_is_found() {
        let feed = joined();
        put_in_vain(&feed, batch(11, 2));
        assert!(matches!(feed.take(50, Duration::ZERO), Taken::Behind));
        assert_eq!(feed.join(), Some(12));
    }

    #[test]
    fn more_than_may_wait_is_left_to_the_journal() {
        let feed = joined();
        feed.put(batch(11, 90));
        feed.put(batch(101, 90));
        assert!(matches!(feed.take(50, Duration::ZERO), Taken::Behind));
        assert_eq!(feed.join(), Some(190));
    }
}
