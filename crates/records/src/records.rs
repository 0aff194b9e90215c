//! The writer: it follows the log.

use std::borrow::Borrow;
use std::path::Path;

use floor::{Floor, Moment, Record};
use rusqlite::{Connection, params};

use crate::day;
use crate::query::{Query, Rulebooks};
use crate::schema::{self, Position, Start};
use crate::write::{State, Writer};
use crate::{Error, Reader};

/// Records of a rebuild that are written at once.
pub(crate) const REBUILD_BATCH: usize = 20_000;

/// A hash of a record with its time, which distinguishes two histories of a journal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mark([u8; 32]);

impl Mark {
    /// The mark of a record.
    #[must_use]
    pub fn of(record: &Record) -> Mark {
        let mut bytes = record.at.0.to_le_bytes().to_vec();
        engine::encode(record, &mut bytes);
        Mark(*blake3::hash(&bytes).as_bytes())
    }
}

/// The records of a floor. They keep a state of their own, so that bets can be named and archived rounds read.
pub struct Records {
    connection: Connection,
    rulebooks: Rulebooks,
    position: Position,
    state: Option<State>,
    start: Start,
    in_file: bool,
}

impl Records {
    /// Opens a database, or makes one. One that cannot be continued is emptied; [`Records::start`] says why. If it
    /// stands at an event, [`Records::resume`] comes next.
    ///
    /// # Errors
    /// When the file cannot be opened or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Records, Error> {
        let path = path.as_ref();
        // The files SQLite puts beside it get its mode. One that cannot be made is reported by SQLite.
        let _ = journal::private::create_file(path);
        Records::ready(Connection::open(path)?, true, schema::boot().as_deref())
    }

    /// Records that live as long as this value.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn in_memory() -> Result<Records, Error> {
        Records::ready(Connection::open_in_memory()?, false, schema::boot().as_deref())
    }

    /// Records in a file of their own that goes with this value.
    pub(crate) fn temporary() -> Result<Records, Error> {
        Records::ready(Connection::open("")?, false, None)
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Records in memory as a process finds them that comes after another, in a run of the machine with this name.
    pub(crate) fn left_in_memory(left: Option<Records>, boot: &str) -> Result<Records, Error> {
        let mut connection = Connection::open_in_memory()?;
        if let Some(mut left) = left {
            std::mem::swap(&mut connection, &mut left.connection);
        }
        Records::ready(connection, false, Some(boot))
    }

    /// Brings everything to the disk, as at the end of a process.
    pub(crate) fn close(&self) -> Result<(), Error> {
        schema::close(&self.connection)
    }

    /// Everything in the database except what differs from one run of the machine to another, as text: a line for each
    /// row. Two records of one log give the same text.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn contents(&self) -> Result<Vec<String>, Error> {
        schema::contents(&self.connection)
    }

    fn ready(connection: Connection, in_file: bool, boot: Option<&str>) -> Result<Records, Error> {
        let start = schema::open(&connection, boot)?;
        let position = schema::position(&connection)?;
        let state = (position.sequence == 0).then(State::default);
        Ok(Records { connection, rulebooks: Rulebooks::default(), position, state, start, in_file })
    }

    /// Rebuilds the records from the first record of the log on. The callback receives the sequence from time to time.
    ///
    /// # Errors
    /// When the file cannot be written, or a record does not fit.
    pub fn rebuild(
        path: impl AsRef<Path>,
        records: impl IntoIterator<Item = Record>,
        mut progress: impl FnMut(u64),
    ) -> Result<Records, Error> {
        let mut rebuilt = Records::open(path)?;
        rebuilt.clear()?;
        let mut records = records.into_iter();
        loop {
            let batch: Vec<Record> = records.by_ref().take(REBUILD_BATCH).collect();
            if batch.is_empty() {
                return Ok(rebuilt);
            }
            rebuilt.apply_batch(rebuilt.sequence() + 1, &batch)?;
            progress(rebuilt.sequence());
        }
    }

    /// Deletes everything: the log is read again from its first record on. Readers continue and see it.
    ///
    /// # Errors
    /// When the file cannot be written, or a reader does not release it.
    pub fn clear(&mut self) -> Result<(), Error> {
        schema::empty(&self.connection)?;
        schema::open(&self.connection, schema::boot().as_deref())?;
        self.position = schema::position(&self.connection)?;
        self.state = Some(State::default());
        self.start = Start::New;
        Ok(())
    }

    /// Gives the records the state at exactly their sequence, after a restart or a failed batch.
    ///
    /// # Errors
    /// When the state is at another event.
    pub fn resume(&mut self, floor: Floor) -> Result<(), Error> {
        if floor.sequence() != self.position.sequence {
            return Err(Error::OtherState { floor: floor.sequence(), records: self.position.sequence });
        }
        self.state = Some(State::resume(&self.connection, floor)?);
        Ok(())
    }

    /// The last event in the records; zero if there is none.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.position.sequence
    }

    /// When that event happened.
    #[must_use]
    pub fn at(&self) -> Moment {
        Moment(self.position.at)
    }

    /// How the database was found.
    #[must_use]
    pub fn start(&self) -> Start {
        self.start
    }

    /// Whether they can continue: false after opening at an event, and after a failed batch, until they are resumed.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.state.is_some()
    }

    /// Takes down one event. The first event of a log is number 1.
    ///
    /// # Errors
    /// As [`Records::apply_batch`].
    pub fn apply(&mut self, sequence: u64, record: &Record) -> Result<(), Error> {
        self.apply_batch(sequence, std::iter::once(record))
    }

    /// Takes down events that follow each other, all or none.
    ///
    /// # Errors
    /// When the first is not the next event, the records have no state, an event does not fit, or the file cannot be
    /// written. After the last two the database stands where it stood, and the records must be resumed.
    pub fn apply_batch<R: Borrow<Record>>(
        &mut self,
        first: u64,
        records: impl IntoIterator<Item = R>,
    ) -> Result<(), Error> {
        let sequence = self.position.sequence;
        if first != sequence + 1 {
            return Err(Error::OutOfOrder { expected: sequence + 1, got: first });
        }
        // The state is taken out until the batch is committed: a batch that fails halfway must not be continued.
        let mut state = self.state.take().ok_or(Error::NotResumed { sequence })?;
        self.position = write_batch(&mut self.connection, &mut state, self.position, records)?;
        self.state = Some(state);
        Ok(())
    }

    /// Says from which journal they are made, by its id.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn belong_to(&mut self, journal: [u8; 16]) -> Result<(), Error> {
        self.connection.execute("UPDATE meta SET journal = ?", [journal])?;
        Ok(())
    }

    /// The id of the journal they are made from, if that was said.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn journal(&self) -> Result<Option<[u8; 16]>, Error> {
        Ok(self.connection.query_row("SELECT journal FROM meta", [], |row| row.get(0))?)
    }

    /// The mark of the last event in the records.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn mark(&self) -> Result<Option<Mark>, Error> {
        let mark: Option<[u8; 32]> = self.connection.query_row("SELECT mark FROM meta", [], |row| row.get(0))?;
        Ok(mark.map(Mark))
    }

    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// When a gaming day of this floor begins.
    pub(crate) fn begins(&self, day: &str) -> Result<i64, Error> {
        let begins = day::begins(day, self.day_starts()?).ok_or_else(|| Error::Day(day.to_owned()))?;
        Ok(begins.0)
    }

    /// The gaming day so many days before that of the last event.
    pub(crate) fn day_before(&self, days: u16) -> Result<String, Error> {
        let earlier = self.position.at.saturating_sub(i64::from(days) * day::DAY);
        Ok(day::gaming_day(Moment(earlier), self.day_starts()?))
    }

    fn day_starts(&self) -> Result<u16, Error> {
        Ok(self.connection.prepare_cached("SELECT day_starts FROM meta")?.query_row([], |row| row.get(0))?)
    }

    /// The questions the records answer.
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        Query::new(&self.connection, &self.rulebooks)
    }

    /// A reader of the same file with a separate connection, for another thread.
    ///
    /// # Errors
    /// When the records are in memory, or the file cannot be opened.
    pub fn reader(&self) -> Result<Reader, Error> {
        match self.connection.path().filter(|_| self.in_file) {
            Some(path) => Reader::open(path),
            None => Err(Error::InMemory),
        }
    }
}

fn write_batch<R: Borrow<Record>>(
    connection: &mut Connection,
    state: &mut State,
    from: Position,
    records: impl IntoIterator<Item = R>,
) -> Result<Position, Error> {
    let transaction = connection.transaction()?;
    let mut writer = Writer::new(&transaction, state);
    let mut to = from;
    let mut last: Option<R> = None;
    for next in records {
        let record: &Record = next.borrow();
        to = Position { sequence: to.sequence + 1, at: record.at.0.max(to.at) };
        writer.record(to.sequence, record)?;
        last = Some(next);
    }
    writer.flush()?;
    let mark = last.map(|record| Mark::of(record.borrow()).0);
    let moved = transaction
        .prepare_cached(
            "UPDATE meta SET sequence = ?1, at = ?2, clean = 0, mark = ifnull(?4, mark) WHERE sequence = ?3",
        )?
        .execute(params![to.sequence, to.at, from.sequence, mark])?;
    if moved != 1 {
        return Err(Error::damaged("another process is writing this database"));
    }
    transaction.commit()?;
    Ok(to)
}

impl Drop for Records {
    fn drop(&mut self) {
        // If this fails, the next start takes the database for what it then is: not closed in order.
        if self.in_file {
            let _ = schema::close(&self.connection);
        }
    }
}
