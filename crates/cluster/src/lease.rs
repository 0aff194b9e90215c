//! Who leads: a key that its holder renews, and that anybody may take when it has not been renewed for long enough.
//!
//! Nobody's clock is compared with anybody else's: a host that waits measures for itself how long the key has stayed as
//! it is. Taking and renewing are compare-and-swap. Should two hosts still think that they lead, the stream lets only one
//! of them write.

use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, CreateErrorKind, Operation, UpdateErrorKind};
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

/// The lease of a floor, as one host sees it.
pub struct Lease {
    bucket: kv::Store,
    key: String,
    me: Held,
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
        Ok(Lease { bucket, key: format!("leader.{floor}"), me, length, held: None, seen: None, alive: None })
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
        let now = Instant::now();
        match self.held {
            Some((revision, until)) => match self.put(revision).await {
                Ok(revision) => self.held = Some((revision, now + self.length)),
                Err(Refused::Taken) => self.held = None,
                Err(Refused::Unknown) if Instant::now() >= until => self.held = None,
                Err(Refused::Unknown) => self.look_for_own().await,
            },
            None => {
                let Ok(Ok(entry)) = timeout(REQUEST, self.bucket.entry(self.key.clone())).await else {
                    return false;
                };
                let taken = match entry {
                    None => self.create().await,
                    Some(entry) if entry.operation != Operation::Put => self.put(entry.revision).await,
                    Some(entry) => match &self.seen {
                        Some((revision, since, _)) if *revision == entry.revision => {
                            if now.duration_since(*since) < self.length + eager {
                                return false;
                            }
                            self.put(entry.revision).await
                        }
                        before => {
                            if before.is_some() {
                                self.alive = Some(now);
                            }
                            self.seen = Some((entry.revision, now, serde_json::from_slice(&entry.value).ok()));
                            return false;
                        }
                    },
                };
                self.held = taken.ok().map(|revision| (revision, now + self.length));
            }
        }
        self.is_held()
    }

    /// Lets it go, so that another need not wait.
    pub async fn release(&mut self) {
        if let Some((revision, _)) = self.held.take() {
            let gone = self.bucket.delete_expect_revision(&self.key, Some(revision));
            let _ = timeout(REQUEST, gone).await;
        }
    }

    fn value(&self) -> Bytes {
        serde_json::to_vec(&self.me).map(Bytes::from).unwrap_or_default()
    }

    async fn put(&self, revision: u64) -> Result<u64, Refused> {
        match timeout(REQUEST, self.bucket.update(&self.key, self.value(), revision)).await {
            Ok(Ok(revision)) => Ok(revision),
            Ok(Err(error)) if error.kind() == UpdateErrorKind::WrongLastRevision => Err(Refused::Taken),
            Ok(Err(_)) | Err(_) => Err(Refused::Unknown),
        }
    }

    async fn create(&self) -> Result<u64, Refused> {
        match timeout(REQUEST, self.bucket.create(&self.key, self.value())).await {
            Ok(Ok(revision)) => Ok(revision),
            Ok(Err(error)) if error.kind() == CreateErrorKind::AlreadyExists => Err(Refused::Taken),
            Ok(Err(_)) | Err(_) => Err(Refused::Unknown),
        }
    }

    /// A renewal whose answer was lost may have been written: then its revision is the one to go on from.
    async fn look_for_own(&mut self) {
        if let Ok(Ok(Some(entry))) = timeout(REQUEST, self.bucket.entry(self.key.clone())).await
            && entry.operation == Operation::Put
            && entry.value == self.value()
            && let Some((revision, _)) = &mut self.held
        {
            *revision = (*revision).max(entry.revision);
        }
    }
}

enum Refused {
    Taken,
    Unknown,
}
