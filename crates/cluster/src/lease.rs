//! Who leads: a key that its holder renews, and that any host may take when it has not been renewed for long enough.
//!
//! Clocks are never compared: a waiting host measures by its own clock how long the key has not changed. Taking and
//! renewing are compare-and-swap. If two hosts still believe that they lead, the stream lets only one of them write.

use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Operation};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::Error;
use crate::connection::Connection;

/// How long one request about the lease may take.
const REQUEST: Duration = Duration::from_millis(700);

/// What the lease says about its holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The host's own name.
    pub host: String,
    /// Where clients reach it.
    pub address: String,
}

/// What the key holds.
#[derive(Serialize)]
struct Value<'a> {
    #[serde(flatten)]
    held: &'a Held,
    /// Whose writing it is, also when a host of that name was here before.
    own: String,
}

/// What a lease's key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its revision.
    pub revision: u64,
    /// The value; `None` if the lease was released.
    pub value: Option<Bytes>,
}

/// It was not done, or the answer was lost; what is there will tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// The key of a lease as one host reaches it, and the clock by which that host measures.
pub trait Key: Send + Sync {
    /// What it holds; `None` if it was never written.
    fn entry(&self) -> impl Future<Output = Result<Option<Entry>, Unknown>> + Send;
    /// Writes it if it is at that revision, or if it was never written; the new revision.
    fn put(&self, value: &Bytes, revision: Option<u64>) -> impl Future<Output = Result<u64, Unknown>> + Send;
    /// Lets it go if it is at that revision.
    fn delete(&self, revision: u64) -> impl Future<Output = ()> + Send;
    /// The time.
    fn now(&self) -> Instant;
}

/// A key in a bucket of the cluster.
pub struct Bucketed {
    bucket: kv::Store,
    key: String,
}

impl Key for Bucketed {
    async fn entry(&self) -> Result<Option<Entry>, Unknown> {
        let found = timeout(REQUEST, self.bucket.entry(self.key.clone())).await.ok().and_then(Result::ok);
        let entry = |found: kv::Entry| Entry {
            revision: found.revision,
            value: (found.operation == Operation::Put).then_some(found.value),
        };
        found.map(|found| found.map(entry)).ok_or(Unknown)
    }

    async fn put(&self, value: &Bytes, revision: Option<u64>) -> Result<u64, Unknown> {
        let value = value.clone();
        let put = match revision {
            Some(revision) => {
                timeout(REQUEST, self.bucket.update(&self.key, value, revision)).await.ok().and_then(Result::ok)
            }
            None => timeout(REQUEST, self.bucket.create(&self.key, value)).await.ok().and_then(Result::ok),
        };
        put.ok_or(Unknown)
    }

    async fn delete(&self, revision: u64) {
        let gone = self.bucket.delete_expect_revision(&self.key, Some(revision));
        let _ = timeout(REQUEST, gone).await;
    }

    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// The lease of a floor, as one host sees it.
pub struct Lease<K: Key = Bucketed> {
    key: K,
    me: Held,
    value: Bytes,
    length: Duration,
    /// The revision this host holds, and until when it may go on without renewing.
    held: Option<(u64, Instant)>,
    /// The revision that was seen last, since when, and whose it is.
    seen: Option<(u64, Instant, Option<Held>)>,
    /// When the former holder was last seen to renew it.
    alive: Option<Instant>,
}

impl Lease {
    /// The lease of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn new(connection: &Connection, floor: &str, me: Held, length: Duration) -> Result<Lease, Error> {
        let bucket = connection.bucket().await?;
        let key = Bucketed { bucket, key: format!("leader.{floor}") };
        Lease::on(key, me, connection.client.new_inbox(), length)
    }
}

impl<K: Key> Lease<K> {
    /// The lease of any key, with a word that no other lease has.
    ///
    /// # Errors
    /// When what the host says of itself cannot be written.
    pub fn on(key: K, me: Held, own: String, length: Duration) -> Result<Lease<K>, Error> {
        let value = serde_json::to_vec(&Value { held: &me, own });
        let value = Bytes::from(value.map_err(Error::unreachable)?);
        Ok(Lease { key, me, value, length, held: None, seen: None, alive: None })
    }

    /// How long it holds without being renewed.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.length
    }

    /// How often [`Lease::step`] is to be called.
    #[must_use]
    pub fn pace(&self) -> Duration {
        self.length / 5
    }

    /// Whether this host holds it.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.is_some_and(|(_, until)| self.key.now() < until)
    }

    /// Until when this host holds it, if nothing more is heard.
    #[must_use]
    pub fn until(&self) -> Option<Instant> {
        self.held.map(|(_, until)| until)
    }

    /// When another host was last seen to renew it: until then it led.
    #[must_use]
    pub fn alive(&self) -> Option<Instant> {
        self.alive
    }

    /// The holder, as far as is known.
    #[must_use]
    pub fn holder(&self) -> Option<&Held> {
        if self.is_held() { Some(&self.me) } else { self.seen.as_ref().and_then(|(_, _, holder)| holder.as_ref()) }
    }

    /// Renews the lease if it is held, takes it if it is free, and otherwise watches it. `eager` is an additional wait
    /// before it is taken: a process that leads fewer floors waits less.
    pub async fn step(&mut self, eager: Duration) -> bool {
        match self.held {
            Some((revision, until)) => self.renew(revision, until).await,
            None => self.take(eager).await,
        }
        self.is_held()
    }

    /// Releases the lease if it is held, and otherwise reads who has it, without ever taking it.
    pub async fn stand_by(&mut self) -> bool {
        self.release().await;
        let Ok(Some(entry)) = self.key.entry().await else { return false };
        let is_new = self.seen.as_ref().is_none_or(|(revision, ..)| *revision != entry.revision);
        if let Some(value) = entry.value.filter(|_| is_new) {
            if self.seen.is_some() {
                self.alive = Some(self.key.now());
            }
            self.seen = Some((entry.revision, self.key.now(), serde_json::from_slice(&value).ok()));
        }
        false
    }

    async fn renew(&mut self, revision: u64, until: Instant) {
        let asked = self.key.now();
        if let Ok(revision) = self.key.put(&self.value, Some(revision)).await {
            self.held = Some((revision, asked + self.length));
            return;
        }
        // A renewal whose answer was lost may have been written: then its revision is the one to continue from.
        match self.key.entry().await {
            Ok(Some(entry)) if self.is_own(&entry) => self.held = Some((revision.max(entry.revision), until)),
            Ok(Some(entry)) if entry.revision > revision => self.held = None,
            _ => {}
        }
        if self.key.now() >= until {
            self.held = None;
        }
    }

    async fn take(&mut self, eager: Duration) {
        let Ok(entry) = self.key.entry().await else { return };
        // The entry was written before this read, and its writer counts its time from before then.
        let asked = self.key.now();
        let taken = match entry {
            None => self.key.put(&self.value, None).await,
            Some(entry) if entry.value.is_none() => {
                self.seen = None;
                self.key.put(&self.value, Some(entry.revision)).await
            }
            // Taken by this host, and the answer was lost.
            Some(entry) if self.is_own(&entry) => self.key.put(&self.value, Some(entry.revision)).await,
            Some(entry) => match &self.seen {
                Some((revision, since, _)) if *revision == entry.revision => {
                    if asked.duration_since(*since) < self.length + eager {
                        return;
                    }
                    self.key.put(&self.value, Some(entry.revision)).await
                }
                before => {
                    if before.is_some() {
                        self.alive = Some(asked);
                    }
                    let holder = entry.value.and_then(|value| serde_json::from_slice(&value).ok());
                    self.seen = Some((entry.revision, asked, holder));
                    return;
                }
            },
        };
        self.held = taken.ok().map(|revision| (revision, asked + self.length));
    }

    /// Lets it go, so that another need not wait.
    pub async fn release(&mut self) {
        if let Some((revision, _)) = self.held.take() {
            self.key.delete(revision).await;
        }
    }

    fn is_own(&self, entry: &Entry) -> bool {
        entry.value.as_ref() == Some(&self.value)
    }
}
