//! What can go wrong.

use rusqlite::ErrorCode;

use crate::schema;

/// Why the records could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite says so.
    #[error("the records: {0}")]
    Database(#[from] rusqlite::Error),
    /// Events come in order, each once.
    #[error("event {got} came where event {expected} was due")]
    OutOfOrder {
        /// The next event.
        expected: u64,
        /// The one that came.
        got: u64,
    },
    /// The records have no state to apply events to: they were opened at an event, or a batch failed.
    #[error("the records are at event {sequence} without a state: resume them with one, or rebuild them")]
    NotResumed {
        /// Where the database is.
        sequence: u64,
    },
    /// The state given is not the one the database ends with.
    #[error("the state is at event {floor}, the records are at event {records}")]
    OtherState {
        /// Where the state is.
        floor: u64,
        /// Where the database is.
        records: u64,
    },
    /// The event does not fit the state: the log is damaged, or not this floor's.
    #[error(transparent)]
    Misfit(#[from] floor::Misfit),
    /// Records in memory have one connection only.
    #[error("records in memory cannot be read by another connection")]
    InMemory,
    /// The database was written by another version of this program.
    #[error("the records are of version {found}, this program reads version {expected}: rebuild them")]
    Version {
        /// The version found.
        found: i64,
        /// The version known.
        expected: i64,
    },
    /// The journal cannot be read.
    #[error("the journal: {0}")]
    Journal(String),
    /// Older records of the journal are elsewhere, and the records must be made from its first.
    #[error("the journal begins at record {begins}: name the folder of its archived segments, or rebuild with it")]
    Archived {
        /// The first record that is there.
        begins: u64,
    },
    /// A gaming day is written as `2026-03-29`.
    #[error("{0:?} is no day: it is written as 2026-03-29")]
    Day(String),
    /// The database does not hold what it should.
    #[error("the records are damaged, rebuild them: {0}")]
    Damaged(String),
}

impl Error {
    pub(crate) fn damaged(what: impl Into<String>) -> Error {
        Error::Damaged(what.into())
    }

    pub(crate) fn journal(error: impl std::fmt::Display) -> Error {
        Error::Journal(error.to_string())
    }

    /// Whether a number was asked for that no record can have.
    #[must_use]
    pub fn is_beyond_all(&self) -> bool {
        matches!(self, Error::Database(rusqlite::Error::ToSqlConversionFailure(_)))
    }

    /// Whether the database cannot be gone on with.
    pub(crate) fn wants_rebuild(&self) -> bool {
        match self {
            Error::Misfit(_) | Error::Damaged(_) | Error::OtherState { .. } => true,
            Error::Database(error) => {
                schema::is_damage(error) || error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
            }
            _ => false,
        }
    }
}

impl From<postcard::Error> for Error {
    fn from(error: postcard::Error) -> Error {
        Error::Damaged(format!("a list of changes cannot be read: {error}"))
    }
}
