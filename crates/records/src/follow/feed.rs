//! What waits between the floor and its records: bounded, and never waited for by the floor.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    /// Up to where the journal is known to be durable.
    end: Option<u64>,
    /// When the follower was told to end.
    stopped: Option<Instant>,
}

pub(crate) struct Feed {
    inside: Mutex<Inside>,
    changed: Condvar,
    room: usize,
    durable: AtomicU64,
    written: AtomicU64,
}

impl Feed {
    pub fn new(room: usize) -> Feed {
        let inside = Mutex::new(Inside { behind: true, ..Inside::default() });
        Feed { inside, changed: Condvar::new(), room, durable: AtomicU64::new(0), written: AtomicU64::new(0) }
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
        let mut inside = self.lock();
        let end = inside.end.map_or(sequence, |end| end.max(sequence));
        inside.end = Some(end);
        self.durable.store(end, Ordering::Release);
        self.changed.notify_all();
    }

    /// Takes a batch in, or leaves it to the journal.
    pub fn put(&self, batch: Batch) {
        let mut inside = self.lock();
        let last = batch.last();
        let idle = inside.batches.is_empty();
        inside.end = Some(inside.end.map_or(last, |end| end.max(last)));
        self.durable.fetch_max(last, Ordering::AcqRel);
        if batch.records.is_empty() || inside.behind {
            return;
        }
        if inside.waiting + batch.records.len() > self.room {
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

    /// So many waiting records are written without waiting for more.
    fn enough(&self) -> usize {
        self.room / 4
    }

    /// Up to where the journal must be read; what comes after that waits here from now on. `None` once it is over.
    pub fn join(&self) -> Option<u64> {
        let mut inside = self.lock();
        while inside.end.is_none() && inside.stopped.is_none() {
            inside = self.wait(inside);
        }
        inside.behind = false;
        inside.waiting = 0;
        let (end, left) = (inside.end, std::mem::take(&mut inside.batches));
        drop(inside);
        drop(left);
        end
    }

    /// Waits for something to write: at most so many records, gathered for a little while.
    pub fn take(&self, most: usize, gather: Duration) -> Taken {
        let mut inside = self.lock();
        while inside.batches.is_empty() && !inside.behind && inside.stopped.is_none() {
            inside = self.wait(inside);
        }
        let gathered = Instant::now() + gather;
        while inside.waiting < most.min(self.enough()) && !inside.behind && inside.stopped.is_none() {
            let left = gathered.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if inside.behind {
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
