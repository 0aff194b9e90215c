//! Following a floor in play: on a separate thread, without delaying play.

mod feed;
mod log;
mod stepped;
mod writing;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::Durable;
use floor::Record;

use crate::{Error, Reader};
use feed::{Batch, Feed};
use journal::RealDisk;
use log::Log;
pub use stepped::StepFollower;
use writing::{Place, Writing};

/// The file of a floor's records, in the folder of its journal.
pub const FILE: &str = "records.sqlite";

/// The pause before the second attempt after a failure; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Receives the errors of the records, in words. Play is not affected.
pub type Report = Box<dyn Fn(&str) + Send>;

/// How the records of a running floor are kept.
pub struct FollowerOptions {
    /// The database; [`FILE`] in the folder of the journal if `None`.
    pub file: Option<PathBuf>,
    /// Folders with archived segments, for a rebuild from the first record on.
    pub archives: Vec<PathBuf>,
    /// Records that may wait in memory. When more come, the follower reads them from the journal.
    pub queue: usize,
    /// Records that are written in one transaction at most.
    pub transaction: usize,
    /// How long records are gathered for a transaction.
    pub gather: Duration,
    /// How long the follower may continue after it was asked to end, to reach the end of the journal.
    pub finish: Duration,
    /// Gaming days of which rounds, bets and money are kept; everything if `None`. See [`crate::Records::forget_before`].
    pub keep_days: Option<u16>,
    /// Told what went wrong.
    pub report: Option<Report>,
}

impl Default for FollowerOptions {
    fn default() -> FollowerOptions {
        FollowerOptions {
            file: None,
            archives: Vec::new(),
            queue: 196_608,
            transaction: 50_000,
            gather: Duration::from_millis(40),
            finish: Duration::from_secs(5),
            keep_days: None,
            report: None,
        }
    }
}

impl fmt::Debug for FollowerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowerOptions").field("file", &self.file).field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// The records of a running floor, kept up to date by a thread of their own.
///
/// It receives what has become durable and writes it in large transactions. Feeding never waits: if more arrives than
/// fits in memory, the queue is dropped and read from the journal later. At its start it continues from the end of the
/// database. A database of another journal, one that is ahead of this one, and one that cannot be continued are
/// rebuilt. Errors are reported and retried, and never stop play.
///
/// Nothing is opened before the floor has come up ([`Follower::recovered`]), so that a folder in use by another process
/// is left alone. [`Follower::end`], or the last owner that drops it, has what waits written and the database closed in order.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use engine::{Durable, Engine, Outlet, Recovery, Tag};
/// use floor::{Body, Command, FloorSettings, Moment, Sender};
/// use records::{Follower, FollowerOptions};
///
/// struct Answers(Arc<Follower>);
///
/// impl Outlet for Answers {
///     fn recovered(&mut self, recovery: &Recovery) {
///         self.0.recovered(recovery.sequence);
///     }
///     fn durable(&mut self, durable: Durable<'_>) {
///         self.0.feed(&durable);
///     }
///     fn stopped(&mut self, _reason: &str, _waiting: Vec<Tag>) {}
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let options = engine::Options { journal: journal::Options { segment: 0, ..Default::default() }, ..Default::default() };
/// let follower = Arc::new(Follower::start(folder.path(), FollowerOptions::default())?);
/// let (engine, _) = Engine::start(folder.path(), options, Answers(Arc::clone(&follower)))?;
/// let settings = FloorSettings { name: "house".into(), demonstration: true, day_starts: 360, ticket_days: 30 , ..FloorSettings::default() };
/// let body = Body::CreateFloor(settings);
/// engine.submit(1, Command { sender: Sender::System, number: 1, at: Moment(1_000), body })?;
///
/// assert!(follower.wait_for(1, Duration::from_secs(60)));
/// assert_eq!((follower.sequence(), follower.lag()), (1, 0));
/// let reader = follower.reader()?;
/// assert_eq!(reader.query().sequence()?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follower {
    feed: Arc<Feed>,
    file: PathBuf,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Follower {
    /// Starts to follow the floor whose journal is in that folder.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub fn start(folder: &Path, options: FollowerOptions) -> Result<Follower, std::io::Error> {
        let file = options.file.clone().unwrap_or_else(|| folder.join(FILE));
        let feed = Arc::new(Feed::new(options.queue));
        let archives = options.archives.iter().map(|archive| RealDisk::to_read(archive)).collect();
        let log = Log { folder: RealDisk::to_read(folder), archives };
        let mut writing = Writing::new(Arc::clone(&feed), Place::File(file.clone()), log, options);
        let thread = std::thread::Builder::new().name("records".to_owned()).spawn(move || {
            give_way();
            writing.run();
        })?;
        Ok(Follower { feed, file, thread: Mutex::new(Some(thread)) })
    }

    /// The floor has come up, and its journal is durable up to this record: [`engine::Recovery::sequence`].
    pub fn recovered(&self, sequence: u64) {
        self.feed.reach(sequence);
    }

    /// Accepts what has become durable. This never waits for the database.
    pub fn feed(&self, durable: &Durable<'_>) {
        self.take_in(durable.first, durable.share());
    }

    /// The same for durable records from another source, with the sequence of the first.
    pub fn take_in(&self, first: u64, records: Arc<Vec<Record>>) {
        self.feed.put(Batch { first, records });
    }

    /// The last record that is in the database, and committed.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.feed.written()
    }

    /// How many durable records are not yet in the database.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.feed.durable().saturating_sub(self.feed.written())
    }

    /// Waits until a record is in the database; false if it is not after that time.
    #[must_use]
    pub fn wait_for(&self, sequence: u64, patience: Duration) -> bool {
        self.feed.wait_for(sequence, patience)
    }

    /// A separate connection for queries, for any thread. It sees what is committed and blocks no other.
    ///
    /// # Errors
    /// When there is no database yet, or it cannot be read.
    pub fn reader(&self) -> Result<Reader, Error> {
        Reader::open(&self.file)
    }

    /// Writes what waits and closes the database in order, also while others still hold the follower. When this returns,
    /// no one writes the database any more.
    pub fn end(&self) {
        self.feed.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// The file of the database.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("file", &self.file).field("sequence", &self.sequence()).finish_non_exhaustive()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.end();
    }
}

/// Play comes first where there are fewer processors than work. A thread that is merely nicer would be left running for some
/// milliseconds when one that plays wakes.
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
        let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let thread = thread_priority::thread_native_id();
        // Where it is not allowed, records are kept at the priority of everything else.
        let _ = thread_priority::set_thread_priority_and_policy(thread, ThreadPriority::Min, policy);
    }
}
