//! Credentials that all hosts of a floor share.
//!
//! A bucket of the cluster is authoritative; the file beside it is what this host reads from. A write is tried here,
//! noted and rolled back. The pages it would change are put into the bucket, and only what the bucket has accepted is
//! written to the file. If another host was faster, this host waits for its pages and retries the write on them.
//! Nothing waits for the cluster while it holds the lock that reading needs: when the cluster is unreachable, sessions
//! continue, and changes are refused after a while.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::bucket::{self, Bucket, Entry, Feed, Stop};
use rusqlite::{Connection, Transaction};

use super::hosts::{self, Identity};
use super::pages::{self, HOSTS, Page};
use super::{Error, Inner, VERSION};

/// How long a write is tried again, and how long what others wrote may take to come.
const PATIENCE: Duration = Duration::from_secs(10);
/// A page that could not be written to the file is tried again so often.
const AGAIN: Duration = Duration::from_secs(1);
/// The entry that is written when all others are there.
const READY: &str = "version";

/// What the threads of this host share.
pub(super) struct Kept {
    inner: Mutex<Inner>,
    /// Why nothing more is taken from the bucket.
    held: Mutex<Option<String>>,
    /// Told when pages of others have come.
    moved: Condvar,
}

impl Kept {
    pub(super) fn new(inner: Inner) -> Arc<Kept> {
        Arc::new(Kept { inner: Mutex::new(inner), held: Mutex::default(), moved: Condvar::new() })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change is a transaction: a thread that panicked in the middle has left nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why nothing more is taken from the bucket, if that is so.
    pub(super) fn held(&self) -> Option<String> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes why an entry could not be taken, or that it was; it is logged once.
    fn hold(&self, why: Option<String>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = why.as_ref().filter(|why| held.as_ref() != Some(*why)) {
            tracing::error!("{why}: until then no sign-in and no key is changed at this host");
        }
        *held = why;
    }
}

/// The link to the bucket.
pub(super) struct Shared {
    bucket: Bucket,
    turn: Turn,
    stop: Stop,
    /// The identity of this host, where hosts sign what they write.
    pub(super) identity: Option<Identity>,
}

/// The turn to write: hosts compete with each other, but the threads of one host need not. While the cluster is
/// unreachable, no thread waits for all those before it.
#[derive(Default)]
struct Turn {
    taken: Mutex<bool>,
    free: Condvar,
}

impl Turn {
    fn take(&self) -> Option<Taken<'_>> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.free.wait_timeout_while(taken, PATIENCE, |taken| *taken);
        let (mut taken, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *taken = true;
        Some(Taken(self))
    }
}

struct Taken<'a>(&'a Turn);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.free.notify_one();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop.now();
    }
}

/// A connection that holds what the bucket does, and what comes after.
pub(super) struct Loaded {
    pub(super) connection: Connection,
    pub(super) applied: u64,
    pub(super) feed: Feed,
    pub(super) bucket: Bucket,
}

/// Makes the tables hold what the bucket does. The first host of a floor puts its own rows in.
pub(super) fn load(mut connection: Connection, bucket: Bucket, identity: Option<&Identity>) -> Result<Loaded, Error> {
    pages::watch(&connection)?;
    let feed = bucket.follow(0);
    let (mut entries, mut seen) = (BTreeMap::new(), 0);
    let until = Instant::now() + PATIENCE;
    loop {
        seen = read_on(&bucket, &feed, &mut entries, seen)?;
        let transaction = connection.transaction()?;
        let missing = adopt(&transaction, &entries, identity)?;
        // A host that is not enrolled has nothing to say.
        if missing.is_empty() || !may_write(&transaction, identity)? {
            transaction.commit()?;
            return Ok(Loaded { connection, applied: seen, feed, bucket });
        }
        // What the bucket does not have yet is kept here only when it has.
        match bucket.put(seen, sealed(identity, seen, missing)) {
            Ok(last) => {
                transaction.commit()?;
                return Ok(Loaded { connection, applied: last, feed, bucket });
            }
            Err(bucket::Error::Conflict(_)) if Instant::now() < until => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads to the end of the bucket.
fn read_on(bucket: &Bucket, feed: &Feed, entries: &mut Entries, seen: u64) -> Result<u64, Error> {
    let position = bucket.position()?;
    let mut seen = seen;
    while seen < position.newest {
        let entry = feed.wait_for(PATIENCE).ok_or_else(|| behind(bucket))?;
        seen = entry.sequence;
        entries.insert(entry.key.clone(), entry);
    }
    Ok(seen.max(position.last))
}

/// The newest entry of each key.
type Entries = BTreeMap<String, Entry>;

/// Updates the tables to these entries, if they are a floor's; returns what must be put in for that.
fn adopt(
    transaction: &Transaction<'_>,
    entries: &Entries,
    identity: Option<&Identity>,
) -> Result<Vec<(String, Bytes)>, Error> {
    if let Some(version) = entries.get(READY) {
        let found = check_version(version)?;
        let list = entries.get(HOSTS);
        let listed = list.map_or(Ok(true), |list| take_list(transaction, list))?;
        take_all(transaction, entries, identity.is_some())?;
        pages::forget_touched(transaction)?;
        super::make_secrets(transaction)?;
        let first = identity.filter(|_| !hosts::has_any(transaction).unwrap_or(true));
        let pages = match first {
            // Nothing here is signed yet: this host is the first that signs, and signs all of it.
            Some(identity) => {
                hosts::begin(transaction, identity)?;
                pages::all(transaction)?
            }
            None => pages::touched(transaction)?,
        };
        let mut missing = values(transaction, pages)?;
        if !listed && missing.iter().all(|(key, _)| key != HOSTS) {
            missing.extend(values(transaction, vec![Page::Hosts])?);
        }
        if found.is_none_or(|found| found < VERSION) {
            // A host with an earlier program accepts and writes nothing from here on: it would lose what it does not
            // know.
            missing.push((READY.to_owned(), VERSION.to_string().into()));
        }
        return Ok(missing);
    }
    super::make_secrets(transaction)?;
    if let Some(identity) = identity.filter(|_| !hosts::has_any(transaction).unwrap_or(true)) {
        hosts::begin(transaction, identity)?;
    }
    let mut missing = values(transaction, pages::all(transaction)?)?;
    // Another host began to put rows in and did not finish. Its rows are not taken.
    let own: Vec<&String> = missing.iter().map(|(key, _)| key).collect();
    let others: Vec<String> = entries.keys().filter(|key| !own.contains(key)).cloned().collect();
    missing.extend(others.into_iter().map(|key| (key, Bytes::new())));
    missing.push((READY.to_owned(), VERSION.to_string().into()));
    Ok(missing)
}

/// Takes the list of hosts. One that cannot be read is ignored, like one that is not signed, and this host keeps its
/// own; a host that has none begins none beside it.
fn take_list(connection: &Connection, list: &Entry) -> Result<bool, Error> {
    match hosts::take(connection, &list.value) {
        Err(Error::Damaged(_)) if hosts::has_any(connection)? => {
            forged("the list of hosts in the bucket cannot be read");
            Ok(false)
        }
        Err(Error::Damaged(_)) => Err(Error::Held(
            "the list of hosts in the bucket of credentials cannot be read, and this host has none of its own: restart \
             an enrolled host, which writes it again"
                .to_owned(),
        )),
        taken => taken.map(|()| true),
    }
}

/// Counts what no host of the floor has written.
fn forged(words: &str) {
    metrics::counter!("croupier_forged_total", "what" => "credentials").increment(1);
    tracing::error!("ignored: {words}");
}

/// Updates the tables to the entries. Entries that no host has signed are ignored.
fn take_all(transaction: &Transaction<'_>, entries: &Entries, signed: bool) -> Result<(), Error> {
    let mut pages = Vec::new();
    for (key, entry) in entries {
        let Some(page) = Page::parse(key).filter(|page| *page != Page::Hosts) else { continue };
        let value = match genuine(transaction, entry, signed)? {
            Some(value) => value,
            None => page.read(transaction)?.into(),
        };
        pages.push((page, value));
    }
    pages::clear(transaction)?;
    pages.iter().try_for_each(|(page, value)| page.write(transaction, value))
}

/// The content of an entry, if a host of the floor has signed it for this key and this place. Where hosts do not sign,
/// or none is enrolled yet, every entry is accepted.
fn genuine(connection: &Connection, entry: &Entry, signed: bool) -> Result<Option<Bytes>, Error> {
    if !signed || !hosts::has_any(connection)? {
        return Ok(Some(entry.value.clone()));
    }
    let opened = cluster::unseal(&about(&entry.key, &entry.sequence.to_le_bytes()), &entry.value);
    let by = opened.map(|(by, _)| hosts::name_of(connection, by)).transpose()?.flatten();
    match (opened, by) {
        (Some((_, value)), Some(_)) => Ok(Some(Bytes::copy_from_slice(value))),
        _ => {
            metrics::counter!("croupier_forged_total", "what" => "credentials").increment(1);
            tracing::error!(key = entry.key, "ignored credentials that no host of the floor has signed");
            Ok(None)
        }
    }
}

fn about<'a>(key: &'a str, sequence: &'a [u8]) -> [&'a [u8]; 3] {
    [b"page", key.as_bytes(), sequence]
}

/// Entries to be put into the bucket after a sequence: signed for the place they will have. The list of hosts has
/// signatures of its own.
fn sealed(identity: Option<&Identity>, after: u64, pages: Vec<(String, Bytes)>) -> Vec<(String, Bytes)> {
    let Some(identity) = identity else { return pages };
    let seal = |((key, value), sequence): ((String, Bytes), u64)| {
        if key == READY || key == HOSTS {
            return (key, value);
        }
        let value = identity.key.seal(&about(&key, &sequence.to_le_bytes()), &value);
        (key, value.into())
    };
    pages.into_iter().zip(after + 1..).map(seal).collect()
}

/// Whether this host may write: where hosts sign, it must be one of the floor's.
fn may_write(connection: &Connection, identity: Option<&Identity>) -> Result<bool, Error> {
    match identity {
        Some(identity) => Ok(hosts::name_of(connection, identity.key.public())?.is_some()),
        None => Ok(true),
    }
}

fn values(connection: &Connection, pages: Vec<Page>) -> Result<Vec<(String, Bytes)>, Error> {
    pages.into_iter().map(|page| Ok((page.key(), page.read(connection)?.into()))).collect()
}

/// The version of what the bucket holds: this program's, or an earlier one that it can read; `None` if it cannot be
/// read, which no host has written.
fn check_version(entry: &Entry) -> Result<Option<i64>, Error> {
    let found = std::str::from_utf8(&entry.value).ok().and_then(|text| text.parse().ok());
    match found {
        Some(found @ 1..=VERSION) => Ok(Some(found)),
        Some(found) => Err(Error::Version { found, expected: VERSION }),
        None => {
            forged("the version of the credentials in the bucket cannot be read");
            Ok(None)
        }
    }
}

/// Why this host does not have what others wrote.
fn untaken(bucket: &Bucket, kept: &Kept) -> Error {
    kept.held().map_or_else(|| behind(bucket), Error::Held)
}

fn behind(bucket: &Bucket) -> Error {
    let why = "what other hosts wrote does not come".to_owned();
    Error::Shared(bucket::Error::Unreachable { bucket: bucket.name().to_owned(), why })
}

impl Shared {
    /// Receives pages of other hosts, on a separate thread, for as long as the store exists.
    pub(super) fn begin(
        bucket: Bucket,
        feed: Feed,
        kept: &Arc<Kept>,
        identity: Option<Identity>,
    ) -> Result<Shared, Error> {
        let stop = feed.stop();
        let (kept, signed) = (Arc::downgrade(kept), identity.is_some());
        thread::Builder::new()
            .name("credentials".to_owned())
            .spawn(move || follow(&feed, &kept, signed))
            .map_err(Error::Thread)?;
        Ok(Shared { bucket, turn: Turn::default(), stop, identity })
    }

    /// Does a write as if it were here alone. It may be tried several times, each time on newer rows.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        kept: &Kept,
        mut change: impl FnMut(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let _turn = self.turn.take().ok_or_else(|| {
            let why = "earlier changes have not been answered".to_owned();
            Error::Shared(bucket::Error::Unreachable { bucket: self.bucket.name().to_owned(), why })
        })?;
        let until = Instant::now() + PATIENCE;
        loop {
            let (done, pages, after) = kept.lock().try_out(&mut change)?;
            if pages.is_empty() {
                return Ok(done);
            }
            if !may_write(&kept.lock().connection, self.identity.as_ref())? {
                return Err(Error::NotEnrolled.into());
            }
            match self.bucket.put(after, sealed(self.identity.as_ref(), after, pages.clone())) {
                Ok(last) => {
                    kept.lock().take_own(after, last, &pages)?;
                    return Ok(done);
                }
                Err(bucket::Error::Conflict(_)) if Instant::now() < until => self.catch_up(kept)?,
                Err(error) => return Err(Error::from(error).into()),
            }
        }
    }

    /// Waits until this host knows what the bucket holds now.
    pub(super) fn catch_up(&self, kept: &Kept) -> Result<(), Error> {
        let position = self.bucket.position()?;
        let inner = kept.lock();
        let waited = kept.moved.wait_timeout_while(inner, PATIENCE, |inner| inner.applied < position.newest);
        let (mut inner, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            drop(inner);
            return Err(untaken(&self.bucket, kept));
        }
        inner.applied = inner.applied.max(position.last);
        Ok(())
    }
}

impl Inner {
    /// What a write would change, and after which sequence. Nothing is changed.
    #[expect(clippy::type_complexity, reason = "three things that belong to no type of their own")]
    fn try_out<T, E: From<Error>>(
        &mut self,
        change: &mut impl FnMut(&Connection) -> Result<T, E>,
    ) -> Result<(T, Vec<(String, Bytes)>, u64), E> {
        let transaction = self.connection.transaction().map_err(Error::from)?;
        pages::forget_touched(&transaction)?;
        let done = change(&transaction)?;
        let pages = values(&transaction, pages::touched(&transaction)?)?;
        Ok((done, pages, self.applied))
    }

    /// What this host put into the bucket, unless it has come back already.
    fn take_own(&mut self, after: u64, last: u64, pages: &[(String, Bytes)]) -> Result<(), Error> {
        for ((key, value), sequence) in pages.iter().zip(after + 1..) {
            self.take(&Entry { key: key.clone(), value: value.clone(), sequence }, false)?;
        }
        self.applied = self.applied.max(last);
        Ok(())
    }

    fn take(&mut self, entry: &Entry, signed: bool) -> Result<(), Error> {
        if entry.sequence <= self.applied {
            return Ok(());
        }
        if entry.key == READY {
            check_version(entry)?;
        } else if entry.key == HOSTS {
            let transaction = self.connection.transaction()?;
            take_list(&transaction, entry)?;
            transaction.commit()?;
        } else if let Some(page) = Page::parse(&entry.key)
            && let Some(value) = genuine(&self.connection, entry, signed)?
        {
            self.take_page(&page, &value)?;
        }
        self.applied = entry.sequence;
        Ok(())
    }

    /// Bearer tokens of those whose key is another or gone end here too.
    fn take_page(&mut self, page: &Page, value: &[u8]) -> Result<(), Error> {
        let transaction = self.connection.transaction()?;
        let before = page.keys(&transaction)?;
        page.write(&transaction, value)?;
        let now = page.keys(&transaction)?;
        transaction.commit()?;
        for (holder, _) in before.iter().filter(|(holder, key)| now.get(holder) != Some(key)) {
            self.shortlived.end_bearers(*holder);
        }
        Ok(())
    }
}

fn follow(feed: &Feed, kept: &Weak<Kept>, signed: bool) {
    while let Some(entry) = feed.wait() {
        loop {
            let Some(kept) = kept.upgrade() else { return };
            let taken = kept.lock().take(&entry, signed);
            let why =
                |error| format!("the entry '{}' of the bucket of credentials cannot be taken: {error}", entry.key);
            kept.hold(taken.as_ref().err().map(why));
            kept.moved.notify_all();
            drop(kept);
            if taken.is_ok() {
                break;
            }
            // Nothing later is taken before this: this host writes nothing until it can.
            thread::sleep(AGAIN);
        }
    }
}
