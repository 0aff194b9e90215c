//! Who leads: a key that its holder renews, and that anybody may take when it has not been renewed for long enough.
//!
//! Nobody's clock is compared with anybody else's: a host that waits measures for itself how long the key has stayed as
//! it is. Taking and renewing are compare-and-swap. Should two hosts still think that they lead, the stream lets only one
//! of them write.

use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Entry, Operation};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::Error;
use crate::connection::Connection;

/// How long one request about the lease may take.
const REQUEST: Duration = Duration::from_millis(700);

/// What the lease says of whoever holds it.
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

/// The lease of a floor, as one host sees it.
pub struct Lease {
    bucket: kv::Store,
    key: String,
    me: Held,
    value: Bytes,
    length: Duration,
    /// The revision this host holds, and until when it may go on without renewing.
    held: Option<(u64, Instant)>,
    /// The revision that was seen last, since when, and whose it is.
    seen: Option<(u64, Instant, Option<Held>)>,
    /// When whoever held it was last seen to renew it.
    alive: Option<Instant>,
}

impl Lease {
    /// The lease of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn new(connection: &Connection, floor: &str, me: Held, length: Duration) -> Result<Lease, Error> {
        let bucket = connection.bucket().await?;
        let value = serde_json::to_vec(&Value { held: &me, own: connection.client.new_inbox() });
        let value = Bytes::from(value.map_err(Error::unreachable)?);
        Ok(Lease { bucket, key: format!("leader.{floor}"), me, value, length, held: None, seen: None, alive: None })
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
        self.held.is_some_and(|(_, until)| Instant::now() < until)
    }

    /// Until when this host holds it, if nothing more is heard.
    #[must_use]
    pub fn until(&self) -> Option<Instant> {
        self.held.map(|(_, until)| until)
    }

    /// When somebody else was last seen to renew it: until then a host led.
    #[must_use]
    pub fn alive(&self) -> Option<Instant> {
        self.alive
    }

    /// Who holds it, as far as is known.
    #[must_use]
    pub fn holder(&self) -> Option<&Held> {
        if self.is_held() { Some(&self.me) } else { self.seen.as_ref().and_then(|(_, _, holder)| holder.as_ref()) }
    }

    /// Renews the lease if it is held, takes it if it is free, and otherwise watches it. `eager` is waited on top before
    /// it is taken: who leads less waits less.
    pub async fn step(&mut self, eager: Duration) -> bool {
        match self.held {
            Some((revision, until)) => self.renew(revision, until).await,
            None => self.take(eager).await,
        }
        self.is_held()
    }

    /// Gives the lease back if it is held, and otherwise sees who has it, without ever taking it.
    pub async fn stand_by(&mut self) -> bool {
        self.release().await;
        let Ok(Some(entry)) = self.entry().await else { return false };
        let is_new = self.seen.as_ref().is_none_or(|(revision, ..)| *revision != entry.revision);
        if entry.operation == Operation::Put && is_new {
            if self.seen.is_some() {
                self.alive = Some(Instant::now());
            }
            self.seen = Some((entry.revision, Instant::now(), serde_json::from_slice(&entry.value).ok()));
        }
        false
    }

    async fn renew(&mut self, revision: u64, until: Instant) {
        let asked = Instant::now();
        if let Ok(revision) = self.put(revision).await {
            self.held = Some((revision, asked + self.length));
            return;
        }
        // A renewal whose answer was lost may have been written: then its revision is the one to go on from.
        match self.entry().await {
            Ok(Some(entry)) if self.is_own(&entry) => self.held = Some((revision.max(entry.revision), until)),
            Ok(Some(entry)) if entry.revision > revision => self.held = None,
            _ => {}
        }
        if Instant::now() >= until {
            self.held = None;
        }
    }

    async fn take(&mut self, eager: Duration) {
        let Ok(entry) = self.entry().await else { return };
        // What was read was written before now: whoever wrote it counts its time from before then.
        let asked = Instant::now();
        let taken = match entry {
            None => self.create().await,
            Some(entry) if entry.operation != Operation::Put => {
                self.seen = None;
                self.put(entry.revision).await
            }
            // Taken by this host, and the answer was lost.
            Some(entry) if self.is_own(&entry) => self.put(entry.revision).await,
            Some(entry) => match &self.seen {
                Some((revision, since, _)) if *revision == entry.revision => {
                    if asked.duration_since(*since) < self.length + eager {
                        return;
                    }
                    self.put(entry.revision).await
                }
                before => {
                    if before.is_some() {
                        self.alive = Some(asked);
                    }
                    self.seen = Some((entry.revision, asked, serde_json::from_slice(&entry.value).ok()));
                    return;
                }
            },
        };
        self.held = taken.ok().map(|revision| (revision, asked + self.length));
    }

    /// Lets it go, so that another need not wait.
    pub async fn release(&mut self) {
        if let Some((revision, _)) = self.held.take() {
            let gone = self.bucket.delete_expect_revision(&self.key, Some(revision));
            let _ = timeout(REQUEST, gone).await;
        }
    }

    fn is_own(&self, entry: &Entry) -> bool {
        entry.operation == Operation::Put && entry.value == self.value
    }

    async fn entry(&self) -> Result<Option<Entry>, Unknown> {
        timeout(REQUEST, self.bucket.entry(self.key.clone())).await.ok().and_then(Result::ok).ok_or(Unknown)
    }

    async fn put(&self, revision: u64) -> Result<u64, Unknown> {
        let put = timeout(REQUEST, self.bucket.update(&self.key, self.value.clone(), revision)).await;
        put.ok().and_then(Result::ok).ok_or(Unknown)
    }

    async fn create(&self) -> Result<u64, Unknown> {
        let created = timeout(REQUEST, self.bucket.create(&self.key, self.value.clone())).await;
        created.ok().and_then(Result::ok).ok_or(Unknown)
    }
}

/// It was not done, or the answer was lost; what is there will tell.
struct Unknown;
