//! The loop: decide, write, then acknowledge and publish.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use floor::{Command, Floor, Record, Refusal};
use journal::{Batch, Checkpoint, Disk, Journal, Log, RealDisk};
use serde::{Deserialize, Serialize};

use crate::beside::Beside;
use crate::decide::{Decider, Writes};
use crate::follow::{Following, Source, follow};
use crate::publish::{Publish, Publisher, Shown, Written};
use crate::queue::{Queue, Refused, Tag, Task};
use crate::recovery::{Recovery, StartError, recover};
use crate::work::Work;

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
    /// How long records may stay unsigned: a checkpoint is signed this often, if there are new records.
    pub sign_every: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            journal: journal::Options::default(),
            queue: 65_536,
            snapshot_every: 1_000_000,
            snapshots: 3,
            sign_every: Duration::from_secs(60),
        }
    }
}

/// The answer to a command. It is given when everything it rests on is durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Accepted; this is its first event, and the others follow it, or the event with which a settlement in parts takes
    /// effect. A retry gets the same number.
    Accepted(u64),
    /// Refused.
    Refused(Refusal),
    /// Play has stopped; whether the command was accepted is known when the floor is back.
    Stopped(String),
    /// The command was forwarded to another host, and it is unknown whether that host has accepted it. An engine itself
    /// never answers this.
    Untaken(Refused),
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
    pub(crate) batch: &'a Arc<Batch>,
    pub(crate) shared: &'a Arc<Vec<Record>>,
}

impl Durable<'_> {
    /// The records, for a listener that needs them for longer than the call. Nothing is copied.
    #[must_use]
    pub fn share(&self) -> Arc<Vec<Record>> {
        Arc::clone(self.shared)
    }

    /// The same as bytes, as the journal has them. A host that follows another does not have them here.
    #[must_use]
    pub fn share_bytes(&self) -> Arc<Batch> {
        Arc::clone(self.batch)
    }
}

/// Where durable batches go: answers to the clients, events to the listeners.
pub trait Outlet: Send + 'static {
    /// The floor has started; everything up to here is durable. This comes before anything else.
    fn recovered(&mut self, _recovery: &Recovery) {}
    /// A batch is durable.
    fn durable(&mut self, durable: Durable<'_>);
    /// A checkpoint was signed.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
    /// A snapshot could not be written. Play goes on; only the next start takes longer.
    fn snapshot_failed(&mut self, _reason: &str) {}
    /// Play has stopped. These commands will get no other answer.
    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>);
}

/// A running floor.
pub struct Engine {
    queue: Arc<Queue>,
    durable: Arc<RwLock<Floor>>,
    journal: [u8; 16],
    /// Whether commands are decided here, and not by another host.
    leads: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
    sign_every: Duration,
    /// Ends when nothing more is published.
    published_all: Mutex<Receiver<()>>,
    /// The folder, taken for this process alone until the end.
    lock: Mutex<Option<File>>,
}

impl Engine {
    /// Opens the floor of a real folder, taking it for this process alone.
    ///
    /// # Errors
    /// When the folder is in use, the disk fails, or the log is damaged.
    pub fn start(folder: &Path, options: Options, outlet: impl Outlet) -> Result<(Engine, Recovery), StartError> {
        let disk = RealDisk::new(folder)?;
        let lock = disk.lock()?;
        let (engine, recovery) = Engine::start_on(disk, options, outlet)?;
        engine.hold(lock);
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
        let (engine, publisher) = Engine::publishing(disk, options, &journal, floor, &recovery, outlet);
        engine.decide(journal, publisher)?;
        Ok((engine, recovery))
    }

    /// Opens the copy of a floor that another host writes, and locks its folder for this process. What the other has
    /// written comes from the source, which begins where the copy ends; nothing is decided here until [`Engine::lead`].
    ///
    /// # Errors
    /// When the folder is in use, the disk fails, the log is damaged, or there is no source for it.
    pub fn follow<S: Source>(
        folder: &Path,
        options: Options,
        outlet: impl Outlet,
        source: impl FnOnce(&mut Journal<RealDisk>) -> Result<S, StartError>,
    ) -> Result<(Engine, Recovery, Following<S>), StartError> {
        let disk = RealDisk::new(folder)?;
        let lock = disk.lock()?;
        let (mut journal, floor, recovery) = recover(&disk, options.journal)?;
        let source = source(&mut journal)?;
        let (engine, publisher) = Engine::publishing(disk, options, &journal, floor, &recovery, outlet);
        engine.hold(lock);
        let following = follow(Arc::clone(&engine.queue), journal, source, publisher)?;
        Ok((engine, recovery, following))
    }

    /// Takes over: the log ends with what has been followed, and from now on this host decides and writes.
    ///
    /// # Errors
    /// When what was followed could not be shown, or no thread can be started. Then nothing is decided here.
    pub fn lead<S: Source, L: Log>(
        &self,
        following: Following<S>,
        until: u64,
        log: impl FnOnce(Journal<RealDisk>, S) -> L,
    ) -> Result<(), StartError> {
        let (journal, source, publisher) = following.finish(until)?;
        let led = self.decide(log(journal, source), publisher);
        if led.is_err() {
            self.queue.decided_all(Vec::new());
        }
        led
    }

    /// A floor that is visible and has no writer yet.
    fn publishing<D: Disk>(
        disk: D,
        options: Options,
        journal: &Journal<D>,
        floor: Floor,
        recovery: &Recovery,
        outlet: impl Outlet,
    ) -> (Engine, Box<dyn Publish>) {
        let journal = journal.id();
        let queue = Arc::new(Queue::new(options.queue));
        let durable = Arc::new(RwLock::new(floor));
        let (publishes, published_all) = channel();
        let shown = Shown { queue: Arc::clone(&queue), durable: Arc::clone(&durable), beside: Beside::Threads };
        let publisher = Publisher::new(disk, options, journal, shown, recovery, outlet, publishes);
        let (leads, threads, published_all) = (AtomicBool::new(false), Mutex::default(), Mutex::new(published_all));
        let sign_every = options.sign_every;
        let engine =
            Engine { queue, durable, journal, leads, threads, sign_every, published_all, lock: Mutex::default() };
        (engine, Box::new(publisher))
    }

    /// Begins to decide on the floor as it is shown, and to write.
    fn decide(&self, log: impl Log, publisher: Box<dyn Publish>) -> Result<(), StartError> {
        let floor = self.read(Floor::clone);
        let log = Arc::new(Mutex::new(log));
        let writer = {
            let (queue, log, sign_every) = (Arc::clone(&self.queue), Arc::clone(&log), self.sign_every);
            let write = move || write_all(&queue, &log, sign_every);
            std::thread::Builder::new().name("write".to_owned()).spawn(write)?
        };
        let decider = {
            let queue = Arc::clone(&self.queue);
            let decide = move || Decider::new(floor, log, publisher, Writes::Beside).run(&queue);
            std::thread::Builder::new().name("decide".to_owned()).spawn(decide)?
        };
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).extend([decider, writer]);
        self.leads.store(true, Ordering::Release);
        Ok(())
    }

    /// The id of the journal that the floor is on.
    #[must_use]
    pub fn journal(&self) -> [u8; 16] {
        self.journal
    }

    /// Whether commands are decided here, and not by another host.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.leads.load(Ordering::Acquire)
    }

    /// Takes a command in. Its answer comes through the outlet.
    ///
    /// # Errors
    /// When too much is waiting, or play has stopped.
    pub fn submit(&self, tag: Tag, command: Command) -> Result<(), Refused> {
        self.must_lead()?;
        self.queue.submit(std::iter::once((tag, command)))
    }

    /// Takes several commands in, all of them or none.
    ///
    /// # Errors
    /// When too much is waiting, or play has stopped.
    pub fn submit_all(&self, commands: Vec<(Tag, Command)>) -> Result<(), Refused> {
        self.must_lead()?;
        self.queue.submit_all(commands)
    }

    fn must_lead(&self) -> Result<(), Refused> {
        if self.leads() { Ok(()) } else { Err(Refused::Follows) }
    }

    /// Signs a checkpoint now, without waiting for its time, if there are records since the last. Only the leader
    /// signs.
    pub fn sign(&self) {
        if self.leads() {
            self.queue.sign();
        }
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
    pub fn stop(self) {
        self.end();
    }

    /// The same, also while others still hold the engine: when this returns, all of it is done, nothing more is taken in, and
    /// the folder is free for the next process.
    pub fn end(&self) {
        self.queue.stop();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
        // Also by one who follows, whose thread is not here. Nothing is ever sent.
        let _ = self.published_all.lock().unwrap_or_else(PoisonError::into_inner).recv();
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn hold(&self, lock: File) {
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.end();
    }
}

/// Writes and syncs one batch after the other, and signs checkpoints when they are due.
fn write_all(queue: &Queue, log: &Mutex<impl Log>, sign_every: Duration) {
    let _watch = Watch(queue);
    let mut signed = Instant::now();
    loop {
        let task = queue.work(signed + sign_every);
        if matches!(task, Task::Sign) {
            signed = Instant::now();
        }
        match write_task(queue, log, task) {
            Ok(true) => {}
            Ok(false) => break,
            Err(reason) => return queue.fail(&reason, []),
        }
    }
    sign_end(queue, log);
}

/// Does the writer's next task; false if there will be no more. An error stops play.
pub(crate) fn write_task(queue: &Queue, log: &Mutex<impl Log>, task: Task) -> Result<bool, String> {
    let wrote = |written| {
        queue.wrote(written);
        Ok(())
    };
    match task {
        Task::Write(work) => write(queue, log, work, wrote)?,
        Task::Sign => sign(log, wrote)?,
        Task::Over => return Ok(false),
    }
    Ok(true)
}

/// Signs the end, if there is something to sign and nothing has failed.
pub(crate) fn sign_end(queue: &Queue, log: &Mutex<impl Log>) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.stopped().is_none() && log.sequence() > 0 {
        match log.checkpoint_now() {
            Ok(checkpoint) => queue.wrote(Written::Checkpoint(checkpoint)),
            Err(error) => queue.fail(&error.to_string(), []),
        }
    }
}

/// Signs what has been written since the last checkpoint, if anything has. An error stops play.
fn sign(log: &Mutex<impl Log>, tell: impl FnOnce(Written) -> Result<(), String>) -> Result<(), String> {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if !log.has_unsigned() {
        return Ok(());
    }
    let checkpoint = log.checkpoint_now().map_err(|error| error.to_string())?;
    tell(Written::Checkpoint(checkpoint))
}

/// Writes and syncs a batch and then reports it, and a checkpoint if one was due. An error stops play.
pub(crate) fn write(
    queue: &Queue,
    log: &Mutex<impl Log>,
    mut work: Work,
    mut tell: impl FnMut(Written) -> Result<(), String>,
) -> Result<(), String> {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let began = Instant::now();
    if let Err(error) = log.append(work.after, &mut work.batch) {
        queue.abandon(work.into_tags());
        return Err(error.to_string());
    }
    queue.took(began.elapsed());
    let time = work.records.last().map(|record| record.at.0);
    tell(Written::Batch(work, log.chain()))?;
    let Some(time) = time else { return Ok(()) };
    match log.checkpoint_if_due(time).map_err(|error| error.to_string())? {
        Some(checkpoint) => tell(Written::Checkpoint(checkpoint)),
        None => Ok(()),
    }
}

/// Says that the thread that holds it has ended, and stops play if it has failed.
struct Watch<'a>(&'a Queue);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail("panicked while writing the journal", []);
        }
        self.0.written_all();
    }
}
