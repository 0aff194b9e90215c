//! Credentials and sessions, in a small store of their own outside the floor's log.
//!
//! The log is kept permanently and has many readers, so it must hold no secrets. A [`Store`] keeps the secret from
//! which ticket numbers are made, the passwords, passkeys and sessions of staff, and the keys of terminals and devices.
//! Passwords, session tokens and one-time codes are kept as hashes only; of keys and passkeys, the public half. A
//! secret that must be known again (the ticket secret) is protected by the file's mode, which is `0600`.
//!
//! The store blocks and has no clock: every call passes the time. It may be shared between threads. Passwords are
//! hashed outside the lock that everything else needs, a few at a time, so that a flood of sign-ins neither fills the
//! memory nor slows people who are signed in. The host decides who waits for it, and how many may (`door/line.rs`).
//!
//! Everything is bounded: sessions per person, codes, answered challenges, bearer tokens, attempts remembered.
//!
//! Where a floor has several hosts, they share all of this through a bucket of their cluster ([`Store::shared`]): a
//! session is valid at all hosts, and what one revokes no other accepts. Nonces and bearer tokens are too short-lived
//! for that and belong to the host that made them. A call that changes something may then wait for the cluster, and
//! must not be made on a thread that others need; reading never waits for it.
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
mod challenges;
mod copy;
mod hosts;
mod keys;
mod pages;
mod passkey;
mod password;
mod secret;
mod sessions;
mod shared;
mod signature;
mod staff;
mod webauthn;
mod whose;

pub use attempts::place;
pub use copy::{FILE, copy};
pub use hosts::{EnrolRefused, Enrolled, Identity};
pub use keys::{Certificate, Code, Holder, Key, KeyRefused, Nonce, Shown};
pub(crate) use pages::parse_page;
pub use passkey::{Assertion, Passkey, PasskeyRefused, Purpose, Registration, RelyingParty};
pub(crate) use password::is_simple;
pub use password::{PasswordRefused, Work, quoted, shown};
pub use secret::Token;
pub use sessions::{Session, SessionInfo};
pub use signature::{PublicKey, Scheme};
pub use staff::{Asks, Credentials, Secret, SignInRefused};
pub(crate) use webauthn::parse_passkey;
pub(crate) use whose::may_belong;

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use cluster::bucket::{self, Bucket};
use floor::{Moment, TicketKey};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use challenges::Challenges;
use keys::Shortlived;
use sessions::Seen;
use shared::{Kept, Loaded, Shared};

/// The version of the tables. Version 1 is upgraded to it; a store of any other version is not touched, because its
/// content cannot be recreated.
pub const VERSION: i64 = 2;

const TABLES: &str = include_str!("schema.sql");
/// What makes tables of version 1 those of version 2.
const UPGRADE: &str = include_str!("upgrade_1.sql");
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
    /// The hosts of the floor share their credentials, and the cluster did not take a change.
    #[error("the credentials that hosts share: {0}")]
    Shared(#[from] bucket::Error),
    /// What another host has written to the bucket cannot be taken here.
    #[error("{0}")]
    Held(String),
    /// This host is none of the floor's.
    #[error("this host is not enrolled in the floor: an administrator enrols it with its key at another host")]
    NotEnrolled,
    /// The operating system gave no thread.
    #[error("the store of credentials has no thread: {0}")]
    Thread(io::Error),
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
    /// Failures of a login from one address after which it must wait there …
    pub login_failures: u32,
    /// … so long at first, and twice as long after each further one …
    pub backoff: i64,
    /// … and failures of a login from all addresses after which every address waits from its first failure on.
    pub login_ceiling: u32,
    /// Failures after which an address must wait, for any login.
    pub address_failures: u32,
    /// The longest wait, and how long failures of an address are counted together.
    pub lockout: i64,
    /// The fewest characters of a password.
    pub password_minimum: usize,
    /// The work that a password costs.
    pub work: Work,
    /// How long a one-time code can be used.
    pub code_life: i64,
    /// Wrong codes from one address within a code's life.
    pub code_failures: u32,
    /// Wrong codes from everywhere within a code's life; beyond them, each address has one attempt.
    pub code_failures_together: u32,
    /// How long a nonce can be answered.
    pub nonce_life: i64,
    /// Nonces that one terminal or device may answer within twice that time.
    pub nonces_each: usize,
    /// How long a bearer token lives.
    pub bearer_life: i64,
    /// Bearer tokens one terminal or device may have; the oldest ends when another is made.
    pub bearers_each: usize,
    /// How long a passkey may take to sign a challenge.
    pub challenge_life: i64,
    /// Challenges that the passkeys of one person may sign within twice that time.
    pub challenges_each: u32,
    /// Passkeys one person may have.
    pub passkeys_each: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        const MINUTE: i64 = 60_000;
        Limits {
            session_life: 12 * 60 * MINUTE,
            session_idle: 30 * MINUTE,
            sessions_each: 8,
            login_failures: 5,
            backoff: MINUTE / 4,
            login_ceiling: 50,
            address_failures: 20,
            lockout: 5 * MINUTE,
            password_minimum: 12,
            work: Work::default(),
            code_life: 15 * MINUTE,
            code_failures: 10,
            code_failures_together: 300,
            nonce_life: 30_000,
            nonces_each: 64,
            bearer_life: 60 * MINUTE,
            bearers_each: 4,
            challenge_life: 2 * MINUTE,
            challenges_each: 64,
            passkeys_each: 5,
        }
    }
}

/// The store of credentials and sessions. It blocks; see the module's own words.
pub struct Store {
    kept: Arc<Kept>,
    /// The link to what other hosts have, if there are any.
    shared: Option<Shared>,
    /// Held while a password is worked on: a few at a time.
    working: staff::Working,
    /// What the password of an unknown login is compared with, so that it costs the same work.
    nobody: String,
    limits: Limits,
    /// What passkeys are asked to sign, at any host.
    challenges: Challenges,
    /// What terminals and devices are asked to sign, at this host.
    nonces: Challenges,
}

/// What the lock protects.
struct Inner {
    connection: Connection,
    /// The sequence of the last page taken from the bucket, where there is one.
    applied: u64,
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
        // Sessions and locks survive a loss of power.
        let mut connection = open_file(path.as_ref(), "FULL")?;
        in_transaction(&mut connection, make_secrets)?;
        Store::ready(connection, 0, limits)
    }

    /// Opens the store of a floor with several hosts, which share the content of the bucket. The file is this host's
    /// copy. The first host of a floor writes the content of its file to the bucket; any other reads the bucket
    /// instead. It blocks until everything has been read.
    ///
    /// # Errors
    /// As [`Store::open`], and when the bucket cannot be reached.
    pub fn shared(path: impl AsRef<Path>, bucket: Bucket) -> Result<Store, Error> {
        Store::shared_with(path, bucket, Limits::default())
    }

    /// Opens the store of a floor with several hosts with its own limits; they should be the same at each.
    ///
    /// # Errors
    /// As [`Store::shared`].
    pub fn shared_with(path: impl AsRef<Path>, bucket: Bucket, limits: Limits) -> Result<Store, Error> {
        Store::shared_by(path, bucket, limits, None)
    }

    /// Opens the store of a floor with several hosts as one of them: this host signs what it writes, and rejects what
    /// no host of the floor has signed. The first host of a floor enrols itself; another one that is not enrolled yet
    /// reads, and writes nothing.
    ///
    /// # Errors
    /// As [`Store::shared`].
    pub fn shared_as(path: impl AsRef<Path>, bucket: Bucket, identity: Identity) -> Result<Store, Error> {
        Store::shared_by(path, bucket, Limits::default(), Some(identity))
    }

    fn shared_by(
        path: impl AsRef<Path>,
        bucket: Bucket,
        limits: Limits,
        identity: Option<Identity>,
    ) -> Result<Store, Error> {
        // The cluster has written it before the file has: a loss of power takes nothing.
        let connection = open_file(path.as_ref(), "NORMAL")?;
        let Loaded { connection, applied, feed, bucket } = shared::load(connection, bucket, identity.as_ref())?;
        let store = Store::ready(connection, applied, limits)?;
        let shared = Some(Shared::begin(bucket, feed, &store.kept, identity)?);
        Ok(Store { shared, ..store })
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
        let mut connection = Connection::open_in_memory()?;
        prepare(&mut connection)?;
        in_transaction(&mut connection, make_secrets)?;
        Store::ready(connection, 0, limits)
    }

    fn ready(connection: Connection, applied: u64, limits: Limits) -> Result<Store, Error> {
        let ticket_key = TicketKey::new(secret_of(&connection, TICKET_KEY)?);
        let pepper = secret_of(&connection, PEPPER)?;
        let nobody = limits.work.hash(&secret::random::<32>()?)?;
        let (seen, shortlived) = (Seen::default(), Shortlived::default());
        let challenges = Challenges::shared(&secret_of(&connection, CURSOR_KEY)?);
        let nonces = Challenges::of_this_host()?;
        let kept = Kept::new(Inner { connection, applied, seen, shortlived, ticket_key, pepper });
        Ok(Store { kept, shared: None, working: staff::Working::default(), nobody, limits, challenges, nonces })
    }

    /// Whether other hosts have the same credentials.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Why nothing that other hosts write is taken here, if that is so: until it is, nothing is changed here.
    #[must_use]
    pub fn held(&self) -> Option<String> {
        self.shared.as_ref().and_then(|_| self.kept.held())
    }

    /// The limits it was opened with.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The floor's secret from which ticket numbers are made; created the first time the store is opened.
    #[must_use]
    pub fn ticket_key(&self) -> TicketKey {
        self.lock().ticket_key.clone()
    }

    /// The floor's key for the cursors of feeds; all its hosts have the same.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn cursor_key(&self) -> Result<[u8; 32], Error> {
        secret_of(&self.lock().connection, CURSOR_KEY)
    }

    /// The names of the copies by which this store came about, the latest one last.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn copies(&self) -> Result<Vec<[u8; 16]>, Error> {
        copy::names(&self.lock().connection)
    }

    /// Removes what has expired: sessions, locks, codes, nonces, bearer tokens. Called periodically.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn prune(&self, now: Moment) -> Result<(), Error> {
        self.prune_sessions(now)?;
        self.write(|connection| {
            attempts::prune(connection, &self.limits, now)?;
            connection.execute("DELETE FROM code WHERE expires <= ?1", [now.0])?;
            Ok::<_, Error>(())
        })?;
        self.lock().shortlived.prune(&self.limits, now);
        Ok(())
    }

    /// Changes something, all of it or nothing. Where hosts share what is changed, it may be tried several times, and
    /// pages that were written before another host wrote in between remain: each attempt must be correct after such a
    /// start.
    fn write<T, E: From<Error>>(&self, mut change: impl FnMut(&Connection) -> Result<T, E>) -> Result<T, E> {
        match &self.shared {
            Some(shared) => shared.write(&self.kept, change),
            None => in_transaction(&mut self.lock().connection, |connection| change(connection)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.kept.lock()
    }
}

fn in_transaction<T, E: From<Error>>(
    connection: &mut Connection,
    change: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.transaction().map_err(Error::from)?;
    let done = change(&transaction)?;
    transaction.commit().map_err(Error::from)?;
    Ok(done)
}

fn open_file(path: &Path, synchronous: &str) -> Result<Connection, Error> {
    protect(path)?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 1048576;")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    prepare(&mut connection)?;
    Ok(connection)
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

/// Makes the tables in an empty database, brings those of version 1 up to date; refuses any other.
fn prepare(connection: &mut Connection) -> Result<(), Error> {
    // What is deleted is overwritten.
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found == 0 && tables == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if found == 1 {
        transaction.execute_batch(UPGRADE)?;
        staff::normalise_logins(&transaction)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if found != VERSION {
        return Err(Error::Version { found, expected: VERSION });
    }
    transaction.execute_batch(hosts::TABLE)?;
    transaction.execute_batch(passkey::TABLE)?;
    transaction.commit()?;
    Ok(())
}

const TICKET_KEY: &str = "ticket key";
const PEPPER: &str = "pepper of codes";
const CURSOR_KEY: &str = "cursor key";

/// Makes the secrets of the floor that are not made yet.
fn make_secrets(connection: &Connection) -> Result<(), Error> {
    for name in [TICKET_KEY, PEPPER, CURSOR_KEY] {
        let new = secret::random::<32>()?;
        connection.execute("INSERT OR IGNORE INTO secret (name, bytes) VALUES (?1, ?2)", params![name, new])?;
    }
    Ok(())
}

fn secret_of(connection: &Connection, name: &str) -> Result<[u8; 32], Error> {
    connection
        .query_row("SELECT bytes FROM secret WHERE name = ?1", [name], |row| row.get::<_, [u8; 32]>(0))
        .optional()?
        .ok_or(Error::Damaged("a secret is missing"))
}
