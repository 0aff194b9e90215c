//! Whose credentials these are: the journal's id is kept among them, so that those of another floor are noticed.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::{Error, PATIENCE, Store};

/// Where the journal's id is kept: in each file, and on a cluster in no page, because hosts of earlier releases read 32 bytes
/// of each secret there.
pub(super) const JOURNAL: &str = "journal";

/// The id of the journal that credentials belong to; those of an earlier release have none.
fn journal(connection: &Connection) -> Result<Option<[u8; 16]>, Error> {
    let bytes: Option<Vec<u8>> =
        connection.query_row("SELECT bytes FROM secret WHERE name = ?1", [JOURNAL], |row| row.get(0)).optional()?;
    bytes.map(|bytes| bytes.try_into().map_err(|_| Error::Damaged("the journal's id"))).transpose()
}

/// Whether a file, which need not exist, may be that of the floor with a journal. Nothing is changed.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn may_belong(file: &Path, id: [u8; 16]) -> Result<bool, Error> {
    if !file.exists() {
        return Ok(true);
    }
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(PATIENCE)?;
    let secrets = "SELECT 1 FROM sqlite_schema WHERE name = 'secret'";
    if connection.query_row(secrets, [], |_| Ok(())).optional()?.is_none() {
        return Ok(true);
    }
    Ok(journal(&connection)?.is_none_or(|found| found == id))
}

impl Store {
    /// Whether these are the credentials of the floor with a journal. Those of an earlier release, which do not say,
    /// are from now on.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn belongs_to(&self, id: [u8; 16]) -> Result<bool, Error> {
        let found = journal(&self.lock().connection)?;
        if found.is_some() || !self.is_enrolled() {
            return Ok(found.is_none_or(|found| found == id));
        }
        self.write(|connection| {
            connection.execute("INSERT OR IGNORE INTO secret (name, bytes) VALUES (?1, ?2)", params![JOURNAL, id])?;
            Ok::<_, Error>(journal(connection)? == Some(id))
        })
    }
}
