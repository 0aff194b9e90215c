//! The thread that publishes: what is durable is applied to the floor that everybody sees, and then told.

use std::io;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;

use floor::Floor;
use journal::{Chain, Checkpoint, Disk, Snapshot};

use crate::codec::encode_state;
use crate::queue::Queue;
use crate::recovery::Recovery;
use crate::run::{Durable, Options, Outlet};
use crate::work::Work;

/// What the writer hands over.
pub(crate) enum Written {
    Batch(Work, Chain),
    Checkpoint(Checkpoint),
}

pub(crate) struct Publisher<D: Disk> {
    pub queue: Arc<Queue>,
    pub durable: Arc<RwLock<Floor>>,
    pub disk: D,
    pub journal: [u8; 16],
    pub options: Options,
    /// The sequence of the newest snapshot.
    pub snapshotted: u64,
    pub snapshot: Option<JoinHandle<io::Result<()>>>,
}

impl<D: Disk> Publisher<D> {
    /// Publishes until the writer has ended; then whoever still waits is told why play has stopped.
    pub fn run(mut self, recovery: &Recovery, written: &Receiver<Written>, mut outlet: impl Outlet) {
        outlet.recovered(recovery);
        let mut chain = None;
        let mut sound = true;
        while let Ok(written) = written.recv() {
            match written {
                Written::Batch(work, after) if sound => {
                    // Answers alone leave the floor as it is; a checkpoint may have moved the chain on since its records.
                    let records = !work.records.is_empty();
                    sound = self.publish(work, &mut outlet);
                    if sound && records {
                        chain = Some(after);
                        self.snapshot_if_due(after, &mut outlet);
                    }
                }
                Written::Batch(work, _) => self.queue.abandon(work.into_tags()),
                Written::Checkpoint(checkpoint) => outlet.checkpoint(&checkpoint),
            }
        }
        if sound && self.queue.hash_ahead().is_some_and(|ahead| ahead != self.floor_hash()) {
            self.queue.fail("the floor that decided and the floor that was shown differ", []);
            sound = false;
        }
        self.end_snapshot(&mut outlet);
        if let Some(chain) = chain.filter(|_| sound) {
            self.make_snapshot(chain);
            self.end_snapshot(&mut outlet);
        }
        if let Some(reason) = self.queue.stopped() {
            outlet.stopped(&reason, self.queue.abandoned());
        }
    }

    fn floor_hash(&self) -> [u8; 32] {
        self.durable.read().unwrap_or_else(PoisonError::into_inner).state_hash()
    }

    /// Whether what is durable fits the floor that shows it.
    fn publish(&mut self, work: Work, outlet: &mut impl Outlet) -> bool {
        let mut floor = self.durable.write().unwrap_or_else(PoisonError::into_inner);
        for record in &work.records {
            if let Err(misfit) = floor.apply(record) {
                let reason = format!("what is durable does not fit the floor that shows it: {misfit}");
                self.queue.fail(&reason, work.into_tags());
                return false;
            }
        }
        let (first, replies, shared) = (work.after + 1, work.replies, Arc::new(work.records));
        outlet.durable(Durable { first, records: &shared, floor: &floor, replies, shared: &shared });
        true
    }

    fn snapshot_if_due(&mut self, chain: Chain, outlet: &mut impl Outlet) {
        let sequence = self.durable.read().unwrap_or_else(PoisonError::into_inner).sequence();
        let running = self.snapshot.as_ref().is_some_and(|snapshot| !snapshot.is_finished());
        if sequence - self.snapshotted >= self.options.snapshot_every && !running {
            self.end_snapshot(outlet);
            self.make_snapshot(chain);
        }
    }

    /// The floor is copied here and written beside the log by a thread of its own; play goes on.
    fn make_snapshot(&mut self, chain: Chain) {
        let floor = self.durable.read().unwrap_or_else(PoisonError::into_inner).clone();
        if floor.sequence() == self.snapshotted {
            return;
        }
        self.snapshotted = floor.sequence();
        let (disk, journal) = (self.disk.another(), self.journal);
        let keep = self.options.snapshots.max(1);
        let write = move || {
            Snapshot { journal, sequence: floor.sequence(), chain, state: encode_state(&floor) }.write(&disk)?;
            Snapshot::prune(&disk, keep)
        };
        self.snapshot = std::thread::Builder::new().name("snapshot".to_owned()).spawn(write).ok();
    }

    fn end_snapshot(&mut self, outlet: &mut impl Outlet) {
        if let Some(Ok(Err(error))) = self.snapshot.take().map(JoinHandle::join) {
            outlet.snapshot_failed(&error.to_string());
        }
    }
}
