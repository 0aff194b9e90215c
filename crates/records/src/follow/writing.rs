//! What the follower does: it opens the records, reads the journal up to where play is, and writes what comes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use journal::Disk;

use super::feed::{Batch, Feed, Taken};
use super::log::Log;
use super::{FIRST_PAUSE, FollowerOptions, LONGEST_PAUSE};
use crate::{Error, Records, Start};

/// Where this thread stands between two transactions: by the clock, and by its own time on a processor.
struct Pace {
    clock: Instant,
    own: Duration,
}

/// A rest is this many times as long as the delay …
const REST: u32 = 3;
/// … and at most so long.
const LONGEST_REST: Duration = Duration::from_millis(250);

impl Pace {
    fn now() -> Pace {
        let own = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let own = Duration::new(own.tv_sec.cast_unsigned(), u32::try_from(own.tv_nsec).unwrap_or(0));
        Pace { clock: Instant::now(), own }
    }

    /// How long to rest after this transaction: if the thread was kept waiting for half as long as it ran, it is
    /// delaying others.
    fn rest(&self) -> Duration {
        let now = Pace::now();
        let (took, own) = (now.clock - self.clock, now.own.saturating_sub(self.own));
        if took > own * 3 / 2 { (took * REST).min(LONGEST_REST) } else { Duration::ZERO }
    }
}

/// Where the database is.
pub(super) enum Place {
    File(PathBuf),
    /// In memory, where a simulated process leaves it to the next, in a run of the machine with this name.
    Memory(Option<Box<Records>>, String),
}

/// The follower's own.
pub(super) struct Writing<D: Disk> {
    pub feed: Arc<Feed>,
    pub place: Place,
    log: Log<D>,
    options: FollowerOptions,
    /// The database is thrown away at the next attempt.
    pub anew: bool,
    /// The gaming day before which everything was last forgotten.
    day: Option<String>,
    /// Whether what waits is in memory and not left to the journal.
    joined: bool,
}

impl<D: Disk> Writing<D> {
    pub fn new(feed: Arc<Feed>, place: Place, log: Log<D>, options: FollowerOptions) -> Writing<D> {
        Writing { feed, place, log, options, anew: false, day: None, joined: false }
    }

    /// Follows until it is over, whatever goes wrong on the way.
    pub fn run(&mut self) {
        let mut pause = FIRST_PAUSE;
        let mut said = None;
        loop {
            let before = self.feed.written();
            let followed = catch_unwind(AssertUnwindSafe(|| self.follow()));
            let error = match followed {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(_) => Error::damaged("panicked while writing the records"),
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
        let Some(mut records) = self.begin()? else { return Ok(()) };
        while self.turn(&mut records)? {}
        Ok(())
    }

    /// Opens the records, once the floor has come up; `None` if it is over before that.
    pub fn begin(&mut self) -> Result<Option<Records>, Error> {
        self.joined = false;
        let Some(end) = self.feed.join() else { return Ok(None) };
        let records = self.open(end)?;
        self.feed.wrote(records.sequence());
        Ok(Some(records))
    }

    /// Reads the journal up to where play is, or writes what has come since; false if it is over.
    pub fn turn(&mut self, records: &mut Records) -> Result<bool, Error> {
        if !self.joined {
            // From here on new records wait in memory, while those before them are read from the journal.
            let Some(end) = self.feed.join() else { return Ok(false) };
            self.joined = true;
            return self.catch_up(records, end);
        }
        match self.feed.take(self.options.transaction, self.options.gather) {
            Taken::Behind => self.joined = false,
            Taken::Over => return Ok(false),
            Taken::Batches(batches) => self.write(records, &batches)?,
        }
        Ok(true)
    }

    /// Whether a turn finds something to do without waiting.
    pub fn is_ready(&self) -> bool {
        !self.joined || self.feed.is_ready()
    }

    /// Opens the database where it can be continued, or an empty one.
    fn open(&mut self, end: u64) -> Result<Records, Error> {
        self.day = None;
        let mut records = match &mut self.place {
            Place::Memory(kept, boot) => Records::left_in_memory(kept.take().map(|kept| *kept), boot)?,
            Place::File(file) => match Records::open(&*file) {
                Ok(records) => records,
                Err(error) if self.anew => {
                    // Not even its own reset helps: the file goes, and readers that have it open see the last of it.
                    remove(file).map_err(|_| error)?;
                    Records::open(file)?
                }
                Err(error) => return Err(error),
            },
        };
        if let Start::OtherVersion(_) | Start::Uncertain | Start::Damaged = records.start() {
            self.report(&format!("the records are rebuilt: {}", words(records.start())));
        }
        let id = self.log.id()?;
        if !std::mem::take(&mut self.anew) && records.sequence() > 0 {
            match self.resumed(&mut records, id, end) {
                Ok(None) => return Ok(records),
                Ok(Some(why)) => self.report(&format!("the records are rebuilt: {why}")),
                Err(error) if error.wants_rebuild() => self.report(&format!("the records are rebuilt: {error}")),
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

    /// Restores the state of the records, or says why they cannot be continued.
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

    /// Reports how far the database is, deletes what is too old for it, and yields.
    fn wrote(&mut self, records: &mut Records, before: &Pace) -> Result<(), Error> {
        if let Some(keep) = self.options.keep_days {
            let day = records.day_before(keep)?;
            if self.day.as_ref() != Some(&day) {
                records.forget_before(&day)?;
                self.day = Some(day);
            }
        }
        self.feed.wrote(records.sequence());
        if self.feed.stopped_for().is_none() && matches!(self.place, Place::File(_)) {
            std::thread::sleep(before.rest());
        }
        Ok(())
    }
}

fn remove(file: &Path) -> std::io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = file.to_owned().into_os_string();
        name.push(ending);
        match std::fs::remove_file(name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn words(start: Start) -> &'static str {
    match start {
        Start::Continues | Start::New => "there are none",
        Start::OtherVersion(_) => "they are of another version of this program",
        Start::Uncertain => "the machine stopped while they were open",
        Start::Damaged => "they cannot be read",
    }
}
