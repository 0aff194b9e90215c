//! Credentials and sessions, in a small store of their own outside the floor's log.
//!
//! The log is kept for ever and is read by many; secrets are neither. A [`Store`] keeps the secret from which ticket
//! numbers are made, the passwords and sessions of staff, and the keys of terminals and devices. Passwords, session
//! tokens and one-time codes are kept as hashes only. What must be known again as it was (the ticket secret, the keys
//! that proofs are checked with) is protected by the file's mode, which is `0600`.
//!
//! The store blocks and knows no clock: every call says what time it is. It may be shared between threads. The work on
//! a password is done outside the lock that everything else needs, one password at a time, so that a flood of sign-ins
//! neither fills the memory nor slows anybody who is signed in.
//!
//! Everything is bounded: sessions per person, codes, nonces, bearer tokens, attempts remembered.
//!
//! ```
//! use floor::{Moment, StaffId};
//! use host::store::Store;
//!
//! let store = Store::in_memory()?;
//! store.set_password(StaffId(3), "lin", "a long password")?;
//! let address = "127.0.0.1".parse()?;
//! let session = store.sign_in("lin", "a long password", address, Moment(0))?;
//! let found = store.session(session.token.text(), Moment(60_000))?;
//! assert_eq!(found.map(|found| found.staff), Some(StaffId(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attempts;
mod keys;
mod password;
mod secret;
mod sessions;
mod staff;

pub use keys::{Code, Holder, Key, KeyRefused, Nonce};
pub use password::{PasswordRefused, Work};
pub use secret::Token;
pub use sessions::{Session, SessionInfo};
pub use staff::SignInRefused;

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use floor::{Moment, TicketKey};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use keys::Shortlived;
use sessions::Seen;

/// The version of the tables. A store of another version is not touched: what it holds cannot be made again.
pub const VERSION: i64 = 1;

const TABLES: &str = include_str!("schema.sql");
const PATIENCE: Duration = Duration::from_secs(5);

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite says so.
    #[error("the store of credentials: {0}")]
    Database(#[from] rusqlite::Error),
    /// The file could not be made or protected.
    #[error("the store of credentials, {path}: {cause}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// The store was written by another version of this program.
    #[error("the store of credentials is of version {found}, this program knows version {expected}")]
    Version {
        /// The version found.
        found: i64,
        /// The version known.
        expected: i64,
    },
    /// The store does not hold what it should.
    #[error("the store of credentials is damaged: {0}")]
    Damaged(&'static str),
    /// The operating system gave no chance.
    #[error("the operating system gives no random bytes: {0}")]
    Chance(#[from] getrandom::Error),
    /// A password could not be worked on.
    #[error("a password could not be hashed: {0}")]
    Hashing(String),
}

/// How long things live and how many attempts there are. Times are milliseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A session ends so long after it was made …
    pub session_life: i64,
    /// … or so long after it was last used.
    pub session_idle: i64,
    /// Sessions one person may have; the oldest ends when another begins.
    pub sessions_each: u32,
    /// Failures after which a login is locked …
    pub login_failures: u32,
    /// … and failures after which an address is.
    pub address_failures: u32,
    /// How long a lock lasts, and how long failures are counted together.
    pub lockout: i64,
    /// The fewest characters of a password.
    pub password_minimum: usize,
    /// The work that a password costs.
    pub work: Work,
    /// How long a one-time code can be used.
    pub code_life: i64,
    /// Wrong codes from one address within a code's life.
    pub code_failures: u32,
    /// Wrong codes from everywhere within a code's life.
    pub code_failures_together: u32,
    /// How long a nonce can be answered.
    pub nonce_life: i64,
    /// Nonces that wait for an answer; the oldest is forgotten when there is another.
    pub nonces: usize,
    /// How long a bearer token lives.
    pub bearer_life: i64,
    /// Bearer tokens one terminal or device may have; the oldest ends when another is made.
    pub bearers_each: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        const MINUTE: i64 = 60_000;
        Limits {
            session_life: 12 * 60 * MINUTE,
            session_idle: 30 * MINUTE,
            sessions_each: 8,
            login_failures: 5,
            address_failures: 20,
            lockout: 5 * MINUTE,
            password_minimum: 8,
            work: Work::default(),
            code_life: 15 * MINUTE,
            code_failures: 10,
            code_failures_together: 300,
            nonce_life: 30_000,
            nonces: 65_536,
            bearer_life: 60 * MINUTE,
            bearers_each: 4,
        }
    }
}

/// The store of credentials and sessions. It blocks; see the module's own words.
pub struct Store {
    inner: Mutex<Inner>,
    /// Held while a password is worked on: one at a time.
    working: Mutex<()>,
    /// What the password of an unknown login is compared with, so that it costs the same work.
    nobody: String,
    limits: Limits,
}

/// What the lock protects.
struct Inner {
    connection: Connection,
    seen: Seen,
    shortlived: Shortlived,
    ticket_key: TicketKey,
    /// With which the hashes of codes are keyed.
    pepper: [u8; 32],
}

impl Store {
    /// Opens the store in a file, or makes one that only its owner can read.
    ///
    /// # Errors
    /// When the file cannot be opened, protected or written, or is of another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Store, Error> {
        Store::open_with(path, Limits::default())
    }

    /// Opens the store in a file with limits of one's own.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Store, Error> {
        let path = path.as_ref();
        protect(path)?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // Sessions and locks survive a loss of power; what is deleted is overwritten.
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 1048576;",
        )?;
        Store::ready(connection, limits)
    }

    /// A store that lives as long as this value.
    ///
    /// # Errors
    /// When there is no memory or no chance for it.
    pub fn in_memory() -> Result<Store, Error> {
        Store::in_memory_with(Limits::default())
    }

    /// A store in memory with limits of one's own.
    ///
    /// # Errors
    /// As [`Store::in_memory`].
    pub fn in_memory_with(limits: Limits) -> Result<Store, Error> {
        Store::ready(Connection::open_in_memory()?, limits)
    }

    fn ready(mut connection: Connection, limits: Limits) -> Result<Store, Error> {
        connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;")?;
        prepare(&mut connection)?;
        let ticket_key = TicketKey::new(made_once(&connection, "ticket key")?);
        let pepper = made_once(&connection, "pepper of codes")?;
        let nobody = limits.work.hash(&secret::random::<32>()?)?;
        let inner = Inner { connection, seen: Seen::default(), shortlived: Shortlived::default(), ticket_key, pepper };
        Ok(Store { inner: Mutex::new(inner), working: Mutex::new(()), nobody, limits })
    }

    /// The limits it was opened with.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The floor's secret from which ticket numbers are made; made once, the first time the store is opened.
    #[must_use]
    pub fn ticket_key(&self) -> TicketKey {
        self.lock().ticket_key.clone()
    }

    /// Forgets what has expired: sessions, locks, codes, nonces, bearer tokens. To be called now and then.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn prune(&self, now: Moment) -> Result<(), Error> {
        let mut inner = self.lock();
        inner.prune_sessions(&self.limits, now)?;
        attempts::prune(&inner.connection, &self.limits, now)?;
        inner.connection.execute("DELETE FROM code WHERE expires <= ?1", [now.0])?;
        inner.shortlived.prune(&self.limits, now);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change is a transaction: a thread that panicked in the middle has left nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file and those SQLite puts beside it are readable by their owner alone.
fn protect(path: &Path) -> Result<(), Error> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| Error::File { path, cause }
    };
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(failed(path))?;
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let beside = PathBuf::from(name);
        if beside.exists() {
            owner_only(&beside).map_err(failed(&beside))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn owner_only(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn owner_only(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the tables in an empty database; refuses one of another version.
fn prepare(connection: &mut Connection) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found == 0 && tables == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
        return Ok(());
    }
    if found == VERSION { Ok(()) } else { Err(Error::Version { found, expected: VERSION }) }
}

/// A secret of 32 bytes that is made the first time it is asked for.
fn made_once(connection: &Connection, name: &str) -> Result<[u8; 32], Error> {
    let new = secret::random::<32>()?;
    connection.execute("INSERT OR IGNORE INTO secret (name, bytes) VALUES (?1, ?2)", params![name, new])?;
    connection
        .query_row("SELECT bytes FROM secret WHERE name = ?1", [name], |row| row.get::<_, [u8; 32]>(0))
        .optional()?
        .ok_or(Error::Damaged("a secret is missing"))
}
