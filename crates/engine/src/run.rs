//! The loop: decide, write, then acknowledge and publish.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;

use floor::{Command, Decision, Floor, Record, Refusal};
use journal::{Chain, Checkpoint, Disk, Journal, MAX_PAYLOAD, RealDisk, Snapshot};

use crate::codec::encode;
use crate::queue::{Next, Queue, Refused, Tag, Work};
use crate::recovery::{Recovery, StartError, recover};

/// How an engine is run.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// The journal.
    pub journal: journal::Options,
    /// Commands that may wait; one more is refused as busy.
    pub queue: usize,
    /// A snapshot is made after so many records.
    pub snapshot_every: u64,
    /// Snapshots that are kept.
    pub snapshots: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { journal: journal::Options::default(), queue: 65_536, snapshot_every: 1_000_000, snapshots: 3 }
    }
}

/// The answer to a command. It is given when everything it rests on is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Accepted; this is its last event. A retry gets the same.
    Accepted(u64),
    /// Refused.
    Refused(Refusal),
    /// Play has stopped; whether the command was accepted will be seen when the floor is back.
    Stopped(String),
}

/// What has become durable.
pub struct Durable<'a> {
    /// The sequence of the first record.
    pub first: u64,
    /// The records.
    pub records: &'a [Record],
    /// The floor after them.
    pub floor: &'a Floor,
    /// The answers that can now be given.
    pub replies: Vec<(Tag, Reply)>,
}

/// Where what is durable goes: answers to whoever asked, events to whoever watches.
pub trait Outlet: Send + 'static {
    /// A batch is durable.
    fn durable(&mut self, durable: Durable<'_>);
    /// A checkpoint was signed.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
    /// Play has stopped. These commands will get no other answer.
    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>);
}

/// A running floor.
pub struct Engine {
    queue: Arc<Queue>,
    durable: Arc<RwLock<Floor>>,
    threads: Vec<JoinHandle<()>>,
    _lock: Option<File>,
}

/// What the writer hands to the publisher.
enum Written {
    Batch(Work, Chain),
    Checkpoint(Checkpoint),
    Failed(String, Vec<Tag>),
}

impl Engine {
    /// Opens the floor of a real folder, taking it for this process alone.
    ///
    /// # Errors
    /// When the folder is in use, the disk fails, or the log is damaged.
    pub fn start(folder: &Path, options: Options, outlet: impl Outlet) -> Result<(Engine, Recovery), StartError> {
        let disk = RealDisk::new(folder)?;
        let lock = disk.lock()?;
        let (mut engine, recovery) = Engine::start_on(disk, options, outlet)?;
        engine._lock = Some(lock);
        Ok((engine, recovery))
    }

    /// Opens the floor of any disk.
    ///
    /// # Errors
    /// When the disk fails or the log is damaged.
    pub fn start_on<D: Disk>(disk: D, options: Options, outlet: impl Outlet) -> Result<(Engine, Recovery), StartError>
    where
        Journal<D>: Send,
    {
        let (journal, floor, recovery) = recover(&disk, options.journal)?;
        let queue = Arc::new(Queue::new(options.queue));
        let durable = Arc::new(RwLock::new(floor.clone()));
        let (to_publisher, from_writer) = sync_channel(4);
        let decider = {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name("decide".to_owned()).spawn(move || decide(&queue, floor))?
        };
        let writer = {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name("write".to_owned()).spawn(move || write(&queue, journal, &to_publisher))?
        };
        let publisher = {
            let publisher = Publisher {
                durable: Arc::clone(&durable),
                disk,
                options,
                snapshotted: recovery.sequence,
                snapshot: None,
            };
            std::thread::Builder::new().name("publish".to_owned()).spawn(move || publisher.run(&from_writer, outlet))?
        };
        Ok((Engine { queue, durable, threads: vec![decider, writer, publisher], _lock: None }, recovery))
    }

    /// Takes a command in. Its answer comes through the outlet.
    ///
    /// # Errors
    /// When too much is waiting, or play has stopped.
    pub fn submit(&self, tag: Tag, command: Command) -> Result<(), Refused> {
        self.queue.submit(std::iter::once((tag, command)))
    }

    /// Takes several commands in, all of them or none.
    ///
    /// # Errors
    /// When too much is waiting, or play has stopped.
    pub fn submit_all(&self, commands: Vec<(Tag, Command)>) -> Result<(), Refused> {
        self.queue.submit(commands.into_iter())
    }

    /// Looks at the durable floor. Nothing that is not durable can be seen.
    pub fn read<T>(&self, look: impl FnOnce(&Floor) -> T) -> T {
        look(&self.durable.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Commands that wait to be decided.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// Why play has stopped, if it has.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        self.queue.stopped()
    }

    /// Finishes what is waiting, signs the end and makes a snapshot.
    pub fn stop(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        self.queue.stop();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Decides one command after the other on the floor that runs ahead of the disk.
fn decide(queue: &Queue, mut floor: Floor) {
    let mut work = Work { after: floor.sequence(), ..Work::default() };
    let mut spare = Vec::new();
    let mut bytes = Vec::new();
    loop {
        // Room is left for the largest command: a settlement in parts.
        let full = work.batch.size() > MAX_PAYLOAD / 2;
        let mut commands = match queue.next(&mut work, full, std::mem::take(&mut spare)) {
            Next::Over => return,
            Next::WriterFree => {
                work.after = floor.sequence();
                continue;
            }
            Next::Commands(commands) => commands,
        };
        let mut rest = commands.drain(..);
        for (tag, command) in rest.by_ref() {
            let reply = match floor.decide(&command) {
                Err(refusal) => Reply::Refused(refusal),
                Ok(Decision::Earlier(sequence)) => Reply::Accepted(sequence),
                Ok(Decision::Events(records)) => {
                    let mut misfit = None;
                    for record in records {
                        if let Err(error) = floor.apply(&record) {
                            misfit = Some(error);
                            break;
                        }
                        bytes.clear();
                        encode(&record, &mut bytes);
                        work.batch.push(record.at.0, &bytes);
                        work.records.push(record);
                    }
                    if let Some(error) = misfit {
                        // A decision that does not fit its own state is a fault of ours: nothing may go on from here.
                        queue.fail(&format!("a decision does not fit the floor: {error}"));
                        return;
                    }
                    Reply::Accepted(floor.sequence())
                }
            };
            work.replies.push((tag, reply));
            if work.batch.size() > MAX_PAYLOAD / 2 {
                break;
            }
        }
        let left: Vec<_> = rest.collect();
        if !left.is_empty() {
            queue.give_back(left);
        }
        spare = commands;
    }
}

/// Writes and syncs one batch after the other.
fn write<D: Disk>(queue: &Queue, mut journal: Journal<D>, publisher: &SyncSender<Written>) {
    while let Some(mut work) = queue.work() {
        let written =
            if work.records.is_empty() { Ok(journal.sequence()) } else { journal.append(work.after, &mut work.batch) };
        match written {
            Ok(_) => {
                let time = work.records.last().map(|record| record.at.0);
                let chain = journal.chain();
                if publisher.send(Written::Batch(work, chain)).is_err() {
                    return;
                }
                match time.map(|time| journal.checkpoint_if_due(time)) {
                    Some(Ok(Some(checkpoint))) => drop(publisher.send(Written::Checkpoint(checkpoint))),
                    Some(Err(error)) => return fail(queue, publisher, &error.to_string(), Vec::new()),
                    _ => {}
                }
            }
            Err(error) => {
                let waiting = work.replies.into_iter().map(|(tag, _)| tag).collect();
                return fail(queue, publisher, &error.to_string(), waiting);
            }
        }
    }
    match queue.stopped() {
        Some(reason) => fail(queue, publisher, &reason, Vec::new()),
        None if journal.sequence() > 0 => {
            if let Ok(checkpoint) = journal.checkpoint_now() {
                let _ = publisher.send(Written::Checkpoint(checkpoint));
            }
        }
        None => {}
    }
}

fn fail(queue: &Queue, publisher: &SyncSender<Written>, reason: &str, mut waiting: Vec<Tag>) {
    waiting.extend(queue.fail(reason));
    let _ = publisher.send(Written::Failed(reason.to_owned(), waiting));
}

/// Applies what is durable to the floor that everybody sees.
struct Publisher<D: Disk> {
    durable: Arc<RwLock<Floor>>,
    disk: D,
    options: Options,
    snapshotted: u64,
    snapshot: Option<JoinHandle<()>>,
}

impl<D: Disk> Publisher<D> {
    fn run(mut self, written: &Receiver<Written>, mut outlet: impl Outlet) {
        let mut last_chain = None;
        while let Ok(written) = written.recv() {
            match written {
                Written::Batch(work, chain) => {
                    last_chain = Some(chain);
                    self.publish(work, &mut outlet);
                    self.snapshot_if_due(chain);
                }
                Written::Checkpoint(checkpoint) => outlet.checkpoint(&checkpoint),
                Written::Failed(reason, waiting) => outlet.stopped(&reason, waiting),
            }
        }
        if let Some(snapshot) = self.snapshot.take() {
            let _ = snapshot.join();
        }
        if let Some(chain) = last_chain {
            self.make_snapshot(chain);
            if let Some(snapshot) = self.snapshot.take() {
                let _ = snapshot.join();
            }
        }
    }

    fn publish(&mut self, work: Work, outlet: &mut impl Outlet) {
        let mut floor = self.durable.write().unwrap_or_else(PoisonError::into_inner);
        for record in &work.records {
            if let Err(misfit) = floor.apply(record) {
                drop(floor);
                let waiting = work.replies.into_iter().map(|(tag, _)| tag).collect();
                return outlet.stopped(&format!("the two floors differ: {misfit}"), waiting);
            }
        }
        outlet.durable(Durable { first: work.after + 1, records: &work.records, floor: &floor, replies: work.replies });
    }

    fn snapshot_if_due(&mut self, chain: Chain) {
        let sequence = self.durable.read().unwrap_or_else(PoisonError::into_inner).sequence();
        let running = self.snapshot.as_ref().is_some_and(|snapshot| !snapshot.is_finished());
        if sequence - self.snapshotted >= self.options.snapshot_every && !running {
            self.make_snapshot(chain);
        }
    }

    /// The floor is copied here and written beside the log by a thread of its own; play goes on.
    fn make_snapshot(&mut self, chain: Chain) {
        let floor = self.durable.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.snapshotted = floor.sequence();
        let disk = self.disk.another();
        let keep = self.options.snapshots.max(1);
        self.snapshot = std::thread::Builder::new()
            .name("snapshot".to_owned())
            .spawn(move || {
                let snapshot = Snapshot { sequence: floor.sequence(), chain, state: floor.to_bytes() };
                if snapshot.write(&disk).is_ok() {
                    for old in Snapshot::list(&disk).unwrap_or_default().into_iter().skip(keep) {
                        let _ = disk.remove(&old);
                    }
                }
            })
            .ok();
    }
}
