//! Whether the records in a file say what the journal says: they are made anew beside it and compared row by row.
//!
//! The records are no source of truth, and papers are printed from them. A person who changes the file changes the papers, and
//! neither the chain nor the signatures of the journal tell.

use std::fmt;
use std::path::Path;

use floor::Record;
use rusqlite::{Connection, OpenFlags, Row, Rows, Statement};
use serde::Serialize;

use crate::records::REBUILD_BATCH;
use crate::{Error, Records, VERSION, schema};

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The last event in the records: they were compared up to there.
    pub sequence: u64,
    /// How many rows were compared.
    pub rows: u64,
    /// The tables that differ, each with its first row that does; empty is what one wants to see.
    pub differs: Vec<Difference>,
}

/// A table that is not what the journal makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which table.
    pub table: String,
    /// The first row that differs, as it is in the file; `null` where there is none.
    pub kept: Option<String>,
    /// The same as the journal makes it; `null` where there is none.
    pub made: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: &Option<String>| row.as_deref().map_or_else(|| "no row".to_owned(), shortened);
        let (kept, made) = (row(&self.kept), row(&self.made));
        write!(f, "the table {} differs from the journal: it has {kept}, and made anew {made}", self.table)
    }
}

/// So much of a row is told.
const TOLD: usize = 300;

fn shortened(row: &str) -> String {
    match row.char_indices().nth(TOLD) {
        Some((end, _)) => format!("[{} …]", row.get(..end).unwrap_or_default()),
        None => format!("[{row}]"),
    }
}

/// How the file of the records is opened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// No one writes it: nothing is made beside it.
    Nobody,
    /// A floor writes it meanwhile, or one that was killed has left something to be read beside it.
    AWriter,
}

/// The records of a file as they are at one moment, whatever is written meanwhile.
pub struct Kept {
    connection: Connection,
    sequence: u64,
    forgotten: Option<String>,
    journal: Option<[u8; 16]>,
}

impl Kept {
    /// Opens the records in a file.
    ///
    /// # Errors
    /// When there are none, they cannot be read, or they are of another version.
    pub fn open(path: &Path, beside: Beside) -> Result<Kept, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match beside {
            Beside::AWriter => Connection::open_with_flags(path, flags)?,
            Beside::Nobody => Connection::open_with_flags(unchanging(path), flags | OpenFlags::SQLITE_OPEN_URI)?,
        };
        schema::tune(&connection)?;
        let found = schema::version(&connection)?;
        if found != VERSION {
            return Err(Error::Version { found, expected: VERSION });
        }
        // What is read first begins the transaction, in which everything stays as it is now.
        connection.execute_batch("BEGIN")?;
        let (sequence, forgotten, journal) =
            connection.query_row("SELECT sequence, forgotten, journal FROM meta", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        Ok(Kept { connection, sequence, forgotten, journal })
    }

    /// The last event in them.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The journal they are made from, if that was said.
    #[must_use]
    pub fn journal(&self) -> Option<[u8; 16]> {
        self.journal
    }

    /// Compares them with what the journal makes of them, whose records come from the first on.
    ///
    /// # Errors
    /// When a record does not fit, or a database cannot be read or written.
    pub fn compare(&self, records: impl IntoIterator<Item = Record>) -> Result<Comparison, Error> {
        let made = self.made(records)?;
        let mut comparison = Comparison { sequence: self.sequence, rows: 0, differs: Vec::new() };
        if made.sequence() < self.sequence {
            let line = |sequence: u64| Some(format!("sequence={sequence}"));
            let (kept, made) = (line(self.sequence), line(made.sequence()));
            comparison.differs.push(Difference { table: "meta".to_owned(), kept, made });
            return Ok(comparison);
        }
        self.compare_with(made.connection(), &mut comparison)?;
        Ok(comparison)
    }

    /// The records made anew, up to the same event, in a file of their own that goes with them.
    fn made(&self, records: impl IntoIterator<Item = Record>) -> Result<Records, Error> {
        let mut made = Records::temporary()?;
        let mut records = records.into_iter();
        loop {
            let left = usize::try_from(self.sequence - made.sequence()).unwrap_or(usize::MAX);
            let batch: Vec<Record> = records.by_ref().take(left.min(REBUILD_BATCH)).collect();
            if batch.is_empty() {
                break;
            }
            made.apply_batch(made.sequence() + 1, &batch)?;
        }
        if let Some(day) = &self.forgotten {
            made.forget_before(day)?;
        }
        Ok(made)
    }

    fn compare_with(&self, made: &Connection, comparison: &mut Comparison) -> Result<(), Error> {
        // Tables, indices, views and whatever else someone may have made.
        const SCHEMA: &str = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                              ORDER BY type, name";
        comparison.differs.extend(self.first_difference(made, "sqlite_schema", SCHEMA, &mut 0)?);
        if !comparison.differs.is_empty() {
            return Ok(());
        }
        for table in schema::tables(made)? {
            let select = schema::select(made, &table)?;
            comparison.differs.extend(self.first_difference(made, &table, &select, &mut comparison.rows)?);
        }
        Ok(())
    }

    /// The first row that differs. Both databases give their rows in the order of the primary key.
    fn first_difference(
        &self,
        made: &Connection,
        table: &str,
        select: &str,
        rows: &mut u64,
    ) -> Result<Option<Difference>, Error> {
        let (mut kept, mut made) = (self.connection.prepare(select)?, made.prepare(select)?);
        let (mut kept, mut made) = (Lines::of(&mut kept)?, Lines::of(&mut made)?);
        loop {
            match (kept.next()?, made.next()?) {
                (None, None) => return Ok(None),
                (kept, made) if kept == made => *rows += 1,
                (kept, made) => return Ok(Some(Difference { table: table.to_owned(), kept, made })),
            }
        }
    }
}

/// The rows of a table as text.
struct Lines<'s> {
    names: Vec<String>,
    rows: Rows<'s>,
}

impl<'s> Lines<'s> {
    fn of(statement: &'s mut Statement<'_>) -> Result<Lines<'s>, Error> {
        let names = statement.column_names().map(str::to_owned).collect();
        Ok(Lines { names, rows: statement.query([])? })
    }

    fn next(&mut self) -> Result<Option<String>, Error> {
        let row: Option<&Row<'_>> = self.rows.next()?;
        row.map(|row| schema::line(&self.names, row)).transpose()
    }
}

/// The name under which a file is opened that no one changes: nothing is made beside it.
fn unchanging(path: &Path) -> String {
    let mut name = "file:".to_owned();
    for letter in path.to_string_lossy().chars() {
        match letter {
            '%' | '?' | '#' => name.push_str(&format!("%{:02X}", u32::from(letter))),
            letter => name.push(letter),
        }
    }
    name.push_str("?immutable=1");
    name
}
