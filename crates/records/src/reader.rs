//! Reading beside the writer.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::query::{Query, Rulebooks};
use crate::{Error, VERSION, schema};

/// A separate read-only connection to the records in a file. It neither waits for the writer nor delays it.
pub struct Reader {
    connection: Connection,
    rulebooks: Rulebooks,
}

impl Reader {
    /// Opens the records in a file.
    ///
    /// # Errors
    /// When there are none, or they are of another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        schema::tune(&connection)?;
        match schema::version(&connection)? {
            VERSION => Ok(Reader { connection, rulebooks: Rulebooks::default() }),
            found => Err(Error::Version { found, expected: VERSION }),
        }
    }

    /// The questions the records answer.
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        Query::new(&self.connection, &self.rulebooks)
    }
}
