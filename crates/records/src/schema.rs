//! The tables, and how a database is opened or made.

use std::fmt::Write as _;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use crate::Error;

/// The version of the tables and of everything written in them. A database of another version is rebuilt.
pub const VERSION: i64 = 11;

/// How a database was found when it was opened. If it does not continue, it is empty and wants the log from its first
/// record on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// It goes on where it ended.
    Continues,
    /// There was none.
    New,
    /// It was of another version.
    OtherVersion(i64),
    /// The machine stopped while it was open. What was written last had not been waited for and is not certain.
    Uncertain,
    /// It could not be read.
    Damaged,
}

const TABLES: &str = include_str!("schema.sql");

/// How long a reader or writer waits for the other.
const PATIENCE: Duration = Duration::from_secs(5);
const STATEMENTS: usize = 128;

/// Where a database is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub sequence: u64,
    pub at: i64,
}

pub(crate) fn tune(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Prepares the database for writing: continued if possible, else emptied and rebuilt.
pub(crate) fn open(connection: &Connection, boot: Option<&str>) -> Result<Start, Error> {
    tune(connection)?;
    let start = found(connection, boot)?;
    if !matches!(start, Start::Continues | Start::New) {
        empty(connection)?;
    }
    // Readers must not wait for the writer, and no thread must wait for the disk, because everything can be rebuilt.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384;",
    )?;
    if start != Start::Continues {
        create(connection)?;
    }
    connection.execute("UPDATE meta SET clean = 0, boot = ?1", [boot])?;
    Ok(start)
}

fn create(connection: &Connection) -> Result<(), Error> {
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Throws everything away, also where the file is damaged and while readers have it open.
pub(crate) fn empty(connection: &Connection) -> Result<(), Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let emptied = connection.execute_batch("VACUUM");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    connection.flush_prepared_statement_cache();
    Ok(emptied?)
}

fn found(connection: &Connection, boot: Option<&str>) -> Result<Start, Error> {
    let looked = look(connection, boot);
    match looked {
        Err(Error::Database(error)) if is_damage(&error) => Ok(Start::Damaged),
        other => other,
    }
}

fn look(connection: &Connection, boot: Option<&str>) -> Result<Start, Error> {
    let version = version(connection)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if version == 0 && tables == 0 {
        return Ok(Start::New);
    }
    if version != VERSION {
        return Ok(Start::OtherVersion(version));
    }
    let (clean, written_in): (bool, Option<String>) =
        connection.query_row("SELECT clean, boot FROM meta", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // A program that was killed leaves what it wrote to the system; only a machine that stopped can lose it.
    let same_run = written_in.is_some() && written_in.as_deref() == boot;
    Ok(if clean || same_run { Start::Continues } else { Start::Uncertain })
}

/// Brings everything to the disk, and only then says that the database was closed in order.
pub(crate) fn close(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    for clean in [false, true] {
        connection.execute("UPDATE meta SET clean = ?1", [clean])?;
        let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy && !clean {
            // A reader holds the log: what it keeps from the disk stays uncertain.
            break;
        }
    }
    Ok(())
}

/// Columns of the records about themselves: how they are kept, and not what they say.
const OF_THE_FILE: [&str; 3] = ["clean", "boot", "journal"];

/// The tables, in order.
pub(crate) fn tables(connection: &Connection) -> Result<Vec<String>, Error> {
    let mut select = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().filter(|name| !name.starts_with("sqlite_")).collect())
}

/// What a table says, row by row in the order of its primary key. The changes of each round are one list: how many rows they
/// take depends on what was written together.
pub(crate) fn select(connection: &Connection, table: &str) -> Result<String, Error> {
    if table == "changes" {
        let lists = "group_concat(hex(lines), '' ORDER BY first)";
        return Ok(format!("SELECT round, {lists} AS lines FROM changes GROUP BY round ORDER BY round"));
    }
    let all = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
    let of_the_file = |name: &&str| table == "meta" && OF_THE_FILE.contains(name);
    let names: Vec<&str> = all.column_names().filter(|name| !of_the_file(name)).collect();
    Ok(format!("SELECT {} FROM \"{table}\"", names.join(", ")))
}

/// A row as text.
pub(crate) fn line(names: &[String], row: &rusqlite::Row<'_>) -> Result<String, Error> {
    let mut line = String::new();
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            line.push(' ');
        }
        line.push_str(name);
        line.push('=');
        write_value(&mut line, row.get_ref(place)?);
    }
    Ok(line)
}

/// Every row of every table, in order.
pub(crate) fn contents(connection: &Connection) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for table in tables(connection)? {
        let mut select = connection.prepare(&select(connection, &table)?)?;
        let names: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            lines.push(format!("{table} {}", line(&names, row)?));
        }
    }
    Ok(lines)
}

/// A value as text. Of bytes it is enough that different ones look different.
fn write_value(line: &mut String, value: ValueRef<'_>) {
    let _ = match value {
        ValueRef::Null => write!(line, "-"),
        ValueRef::Integer(number) => write!(line, "{number}"),
        ValueRef::Real(number) => write!(line, "{number}"),
        ValueRef::Text(text) => write!(line, "\"{}\"", String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => write!(line, "{} bytes {}", bytes.len(), blake3::hash(bytes).to_hex()),
    };
}

pub(crate) fn version(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

pub(crate) fn position(connection: &Connection) -> Result<Position, Error> {
    let read = |row: &rusqlite::Row<'_>| Ok(Position { sequence: row.get(0)?, at: row.get(1)? });
    Ok(connection.prepare_cached("SELECT sequence, at FROM meta")?.query_row([], read)?)
}

pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        }
        rusqlite::Error::QueryReturnedNoRows | rusqlite::Error::InvalidColumnType(..) => true,
        _ => false,
    }
}

/// An id of this run of the machine; `None` where the system has none.
pub(crate) fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}
