//! Following a floor that plays: on a thread of its own, and never in its way.

mod feed;
mod log;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Durable;
use floor::Record;

use crate::{Error, Reader, Records, Start};
use feed::{Batch, Feed, Taken};
use log::Log;

/// The file of a floor's records, in the folder of its journal.
pub const FILE: &str = "records.sqlite";

/// The pause before the second attempt after a failure; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Told what went wrong with the records, in words. Play is not concerned.
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
    /// How long the follower may go on after it was told to end, to come up to the end of the journal.
    pub finish: Duration,
    /// Gaming days of which rounds, bets and money are kept; everything if `None`. See [`Records::forget_before`].
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
/// It is fed with what has become durable and writes that in large transactions. Feeding never waits: when more comes
/// than may wait in memory, what waits is dropped and read from the journal later. At its start it goes on from where
/// the database ends; a database of another journal, one that is ahead of this one, and one that cannot be continued are
/// made anew. What goes wrong is reported and tried again, and never stops play.
///
/// Nothing is opened before the floor has come up ([`Follower::recovered`]), so that a folder in use by another process
/// is left alone. When the last owner drops it, what waits is written and the database is closed in order.
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
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// Starts to follow the floor whose journal is in that folder.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub fn start(folder: &Path, options: FollowerOptions) -> Result<Follower, std::io::Error> {
        let file = options.file.clone().unwrap_or_else(|| folder.join(FILE));
        let feed = Arc::new(Feed::new(options.queue));
        let log = Log { folder: folder.to_owned(), archives: options.archives.clone() };
        let mut writing = Writing { feed: Arc::clone(&feed), file: file.clone(), log, options, anew: false, day: None };
        let thread = std::thread::Builder::new().name("records".to_owned()).spawn(move || {
            give_way();
            writing.run();
        })?;
        Ok(Follower { feed, file, thread: Some(thread) })
    }

    /// The floor has come up, and its journal is durable up to this record: [`engine::Recovery::sequence`].
    pub fn recovered(&self, sequence: u64) {
        self.feed.reach(sequence);
    }

    /// Takes in what has become durable. This never waits for the database.
    pub fn feed(&self, durable: &Durable<'_>) {
        self.take_in(durable.first, durable.share());
    }

    /// The same for whoever has durable records from elsewhere, with the sequence of the first.
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

    /// A connection of its own for questions, for any thread. It sees what is committed and holds nobody up.
    ///
    /// # Errors
    /// When there is no database yet, or it cannot be read.
    pub fn reader(&self) -> Result<Reader, Error> {
        Reader::open(&self.file)
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
        self.feed.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
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

/// Where this thread stands between two transactions: by the clock, and by its own time on a processor.
struct Pace {
    clock: Instant,
    own: Duration,
}

/// Rests are as many times as long as what was held up …
const REST: u32 = 3;
/// … and at most so long.
const LONGEST_REST: Duration = Duration::from_millis(250);

impl Pace {
    fn now() -> Pace {
        let own = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let own = Duration::new(own.tv_sec.cast_unsigned(), u32::try_from(own.tv_nsec).unwrap_or(0));
        Pace { clock: Instant::now(), own }
    }

    /// How long to rest after what was done since: whoever was kept waiting for half as long as it ran is in somebody's way.
    fn rest(&self) -> Duration {
        let now = Pace::now();
        let (took, own) = (now.clock - self.clock, now.own.saturating_sub(self.own));
        if took > own * 3 / 2 { (took * REST).min(LONGEST_REST) } else { Duration::ZERO }
    }
}

/// The thread's own.
struct Writing {
    feed: Arc<Feed>,
    file: PathBuf,
    log: Log,
    options: FollowerOptions,
    /// The database is thrown away at the next attempt.
    anew: bool,
    /// The gaming day before which everything was last forgotten.
    day: Option<String>,
}

impl Writing {
    /// Follows until it is over, whatever goes wrong on the way.
    fn run(&mut self) {
        let mut pause = FIRST_PAUSE;
        let mut said = None;
        loop {
            let before = self.feed.written();
            let followed = catch_unwind(AssertUnwindSafe(|| self.follow()));
            let error = match followed {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(_) => Error::damaged("writing them has failed badly"),
            };
            self.anew = error.wants_rebuild();
            if self.feed.written() > before {
                (pause, said) = (FIRST_PAUSE, None);
            }
            let words = error.to_string();
            if said.as_ref() != Some(&words)
                && let Some(report) = &self.options.report
            {
                report(&words);
            }
            said = Some(words);
            if self.feed.pause(pause) {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn follow(&mut self) -> Result<(), Error> {
        let Some(end) = self.feed.join() else { return Ok(()) };
        let mut records = self.open(end)?;
        self.feed.wrote(records.sequence());
        loop {
            // From here on new records wait in memory, while those before them are read from the journal.
            let Some(end) = self.feed.join() else { return Ok(()) };
            if !self.catch_up(&mut records, end)? {
                return Ok(());
            }
            loop {
                match self.feed.take(self.options.transaction, self.options.gather) {
                    Taken::Behind => break,
                    Taken::Over => return Ok(()),
                    Taken::Batches(batches) => self.write(&mut records, &batches)?,
                }
            }
        }
    }

    /// Opens the database where it can be gone on with, or an empty one.
    fn open(&mut self, end: u64) -> Result<Records, Error> {
        self.day = None;
        let mut records = match Records::open(&self.file) {
            Ok(records) => records,
            Err(error) if self.anew => {
                // Not even its own reset helps: the file goes, and readers that have it open see the last of it.
                self.remove().map_err(|_| error)?;
                Records::open(&self.file)?
            }
            Err(error) => return Err(error),
        };
        if let Start::OtherVersion(_) | Start::Uncertain | Start::Damaged = records.start() {
            self.report(&format!("the records are made anew: {}", words(records.start())));
        }
        let id = self.log.id()?;
        if !std::mem::take(&mut self.anew) && records.sequence() > 0 {
            match self.resumed(&mut records, id, end) {
                Ok(None) => return Ok(records),
                Ok(Some(why)) => self.report(&format!("the records are made anew: {why}")),
                Err(error) if error.wants_rebuild() => self.report(&format!("the records are made anew: {error}")),
                Err(error) => return Err(error),
            }
        }
        if records.sequence() > 0 || !records.is_ready() {
            records.clear()?;
        }
        if let Some(id) = id {
            records.belong_to(id)?;
        }
        Ok(records)
    }

    /// Gives the records their state back, or says why they cannot be gone on with.
    fn resumed(&self, records: &mut Records, id: Option<[u8; 16]>, end: u64) -> Result<Option<&'static str>, Error> {
        if id.is_none() || records.journal()? != id {
            return Ok(Some("they are of another journal"));
        }
        if records.sequence() > end {
            return Ok(Some("they are ahead of the journal"));
        }
        match self.log.state_at(records.sequence())? {
            Some((floor, mark)) if records.mark()? == Some(mark) => {
                records.resume(floor)?;
                Ok(None)
            }
            _ => Ok(Some("they are of another course of this journal")),
        }
    }

    fn remove(&self) -> std::io::Result<()> {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.file.clone().into_os_string();
            name.push(ending);
            match std::fs::remove_file(name) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn report(&self, words: &str) {
        if let Some(report) = &self.options.report {
            report(words);
        }
    }

    /// Reads the journal up to a record that is durable; false if there was no time for it.
    fn catch_up(&mut self, records: &mut Records, end: u64) -> Result<bool, Error> {
        if records.sequence() >= end {
            return Ok(true);
        }
        let Some(mut tail) = self.log.after(records.sequence())? else {
            return Err(Error::Journal("there is no journal".to_owned()));
        };
        let mut gathered = Vec::new();
        loop {
            let read = tail.read(end)?;
            let over = read.is_none();
            gathered.extend(read.into_iter().flat_map(|(_, records)| records));
            if gathered.len() >= self.options.transaction || over {
                let before = Pace::now();
                records.apply_batch(records.sequence() + 1, &gathered)?;
                gathered.clear();
                self.wrote(records, &before)?;
            }
            if records.sequence() >= end {
                return Ok(true);
            }
            if over {
                let words = format!("it ends at record {}, before record {end}", records.sequence());
                return Err(Error::Journal(words));
            }
            if self.feed.stopped_for().is_some_and(|span| span > self.options.finish) {
                return Ok(false);
            }
        }
    }

    fn write(&mut self, records: &mut Records, batches: &[Batch]) -> Result<(), Error> {
        let expected = records.sequence() + 1;
        if let Some(batch) = batches.first().filter(|batch| batch.first > expected) {
            return Err(Error::OutOfOrder { expected, got: batch.first });
        }
        // What was read from the journal may reach into what waited.
        let waited = batches.iter().flat_map(|batch| (batch.first..).zip(batch.records.iter()));
        let new = waited.skip_while(|(sequence, _)| *sequence < expected);
        let before = Pace::now();
        records.apply_batch(expected, new.map(|(_, record)| record))?;
        self.wrote(records, &before)
    }

    /// Tells how far the database is, forgets what is too old for it, and gives way.
    fn wrote(&mut self, records: &mut Records, before: &Pace) -> Result<(), Error> {
        if let Some(keep) = self.options.keep_days {
            let day = records.day_before(keep)?;
            if self.day.as_ref() != Some(&day) {
                records.forget_before(&day)?;
                self.day = Some(day);
            }
        }
        self.feed.wrote(records.sequence());
        if self.feed.stopped_for().is_none() {
            std::thread::sleep(before.rest());
        }
        Ok(())
    }
}

fn words(start: Start) -> &'static str {
    match start {
        Start::Continues | Start::New => "there are none",
        Start::OtherVersion(_) => "they are of another version of this program",
        Start::Uncertain => "the machine stopped while they were open",
        Start::Damaged => "they cannot be read",
    }
}
