//! Publishing: what is durable is applied to the visible floor, and then announced.

use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};

use floor::Floor;
use journal::{Chain, Checkpoint, Disk, Snapshot};

use crate::beside::{Begun, Beside};
use crate::codec::encode_state;
use crate::queue::Queue;
use crate::recovery::Recovery;
use crate::run::{Durable, Options, Outlet};
use crate::work::Work;

/// What has become durable.
pub(crate) enum Written {
    /// A batch, and the chain after it.
    Batch(Work, Chain),
    /// A checkpoint, which was signed.
    Checkpoint(Checkpoint),
}

/// The receiver of what is durable. When it is dropped, nothing more will be: the engine ends, and clients that still
/// wait learn why play has stopped.
pub(crate) trait Publish: Send {
    /// Something is durable. An error has stopped play.
    fn publish(&mut self, written: Written) -> Result<(), String>;
    /// Everything is published that was decided on a floor with this hash.
    fn compare(&mut self, ahead: [u8; 32]);
    /// The process ends here, as when it is killed: no end is made.
    fn vanish(&mut self);
}

/// The floor that is shown, and what shows it.
pub(crate) struct Shown {
    pub queue: Arc<Queue>,
    pub durable: Arc<RwLock<Floor>>,
    /// The writer of snapshots.
    pub beside: Beside,
}

pub(crate) struct Publisher<D: Disk, O: Outlet> {
    queue: Arc<Queue>,
    durable: Arc<RwLock<Floor>>,
    beside: Beside,
    outlet: O,
    disk: D,
    journal: [u8; 16],
    options: Options,
    /// The sequence of the newest snapshot.
    snapshotted: u64,
    snapshot: Option<Begun>,
    /// The chain after the last records that were published.
    chain: Option<Chain>,
    /// Something is being told, or it could not be.
    unsound: bool,
    /// No end is made.
    vanished: bool,
    /// Gone when the end has been made.
    _publishes: Sender<()>,
}

impl<D: Disk, O: Outlet> Publisher<D, O> {
    pub fn new(
        disk: D,
        options: Options,
        journal: [u8; 16],
        shown: Shown,
        recovery: &Recovery,
        mut outlet: O,
        publishes: Sender<()>,
    ) -> Publisher<D, O> {
        outlet.recovered(recovery);
        Publisher {
            queue: shown.queue,
            durable: shown.durable,
            beside: shown.beside,
            outlet,
            disk,
            journal,
            options,
            snapshotted: recovery.snapshot.unwrap_or(0),
            snapshot: None,
            chain: None,
            unsound: false,
            vanished: false,
            _publishes: publishes,
        }
    }
}

impl<D: Disk, O: Outlet> Publish for Publisher<D, O> {
    fn publish(&mut self, written: Written) -> Result<(), String> {
        let (work, chain) = match written {
            Written::Batch(work, chain) => (work, chain),
            Written::Checkpoint(checkpoint) => {
                self.outlet.checkpoint(&checkpoint);
                return Ok(());
            }
        };
        if self.unsound {
            self.queue.abandon(work.into_tags());
            return Err("durable records can no longer be published".to_owned());
        }
        // Answers alone do not change the floor; a checkpoint may have advanced the chain since its records.
        let records = !work.records.is_empty();
        self.unsound = true;
        self.show(work)?;
        self.unsound = false;
        if records {
            self.chain = Some(chain);
            self.snapshot_if_due(chain);
        }
        Ok(())
    }

    fn compare(&mut self, ahead: [u8; 32]) {
        let hash = self.durable.read().unwrap_or_else(PoisonError::into_inner).state_hash();
        if !self.unsound && hash != ahead {
            self.queue.fail("the floor that decided and the floor that was shown differ", []);
            self.unsound = true;
        }
    }

    fn vanish(&mut self) {
        self.vanished = true;
    }
}

impl<D: Disk, O: Outlet> Publisher<D, O> {
    fn show(&mut self, work: Work) -> Result<(), String> {
        let mut floor = self.durable.write().unwrap_or_else(PoisonError::into_inner);
        for record in &work.records {
            if let Err(misfit) = floor.apply(record) {
                let reason = format!("what is durable does not fit the floor that shows it: {misfit}");
                self.queue.fail(&reason, work.into_tags());
                return Err(reason);
            }
        }
        let (first, replies, shared) = (work.after + 1, work.replies, Arc::new(work.records));
        let batch = &Arc::new(work.batch);
        self.outlet.durable(Durable { first, records: &shared, floor: &floor, replies, batch, shared: &shared });
        Ok(())
    }

    fn snapshot_if_due(&mut self, chain: Chain) {
        let sequence = self.durable.read().unwrap_or_else(PoisonError::into_inner).sequence();
        let running = self.snapshot.as_ref().is_some_and(|snapshot| !snapshot.is_finished());
        if sequence - self.snapshotted >= self.options.snapshot_every && !running {
            self.end_snapshot();
            self.make_snapshot(chain);
        }
    }

    /// The floor is copied here and written beside the log by a separate thread; play continues.
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
        self.snapshot = self.beside.begin("snapshot", write);
    }

    fn end_snapshot(&mut self) {
        if let Some(Some(Err(error))) = self.snapshot.take().map(Begun::finish) {
            self.outlet.snapshot_failed(&error.to_string());
        }
    }

    /// Nothing more will be durable.
    fn end(&mut self) {
        if self.vanished {
            return;
        }
        self.end_snapshot();
        if let Some(chain) = self.chain.filter(|_| !self.unsound) {
            self.make_snapshot(chain);
            self.end_snapshot();
        }
        if let Some(reason) = self.queue.stopped() {
            self.outlet.stopped(&reason, self.queue.abandoned());
        }
    }
}

impl<D: Disk, O: Outlet> Drop for Publisher<D, O> {
    fn drop(&mut self) {
        self.end();
    }
}
