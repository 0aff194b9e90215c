//! Entries that all hosts of a floor share: a key-value bucket in which every write names what it has seen.
//!
//! A [`Bucket`] keeps the last value of each key and nothing older. A write names the last sequence its writer has seen
//! *of the whole bucket*, and is accepted only if there is nothing newer. So the writes of all hosts are in one order,
//! each based on all before it, and a rule over many entries (no login twice) holds without a lock. That suits data
//! that is written seldom and read often; it is no place for bets.
//!
//! An entry is never removed; an empty value means none. A host that was away therefore reads what is newer than what
//! it has seen, and has missed nothing.
//!
//! Functions that block say so, and may be called from any thread that may block, inside a runtime or not.

mod feed;

pub use feed::{Feed, Stop};

use std::error::Error as StdError;
use std::sync::mpsc;
use std::time::Duration;

use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, StorageType};
use async_nats::jetstream::{self, kv};
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// A write is tried for so long: longer than the cluster takes to elect a leader.
const PATIENCE: Duration = Duration::from_secs(12);
/// One answer may take so long.
const ANSWER: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);
/// The largest value. The servers are configured with it too.
const LARGEST: i32 = 512 * 1024;

/// Why a bucket could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another host has written since. Nothing of the refused entry is in the bucket; those before it are.
    #[error("another host has written to the bucket {0} in the meantime")]
    Conflict(String),
    /// No answer within the time limit. The write may have happened, or not.
    #[error("the bucket {bucket} cannot be reached: {why}")]
    Unreachable {
        /// Which bucket.
        bucket: String,
        /// What was seen last.
        why: String,
    },
}

/// The value of a key, and when it was written in the order of all writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key: letters, digits and `-/_=.`.
    pub key: String,
    /// The value; empty for nothing.
    pub value: Bytes,
    /// The sequence of the write.
    pub sequence: u64,
}

/// How far a bucket has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The sequence of the last write, which the next has to name.
    pub last: u64,
    /// The sequence of the newest readable entry: the same, unless entries were removed by hand.
    pub newest: u64,
}

/// A key-value bucket of the cluster.
#[derive(Clone)]
pub struct Bucket {
    store: kv::Store,
    context: jetstream::Context,
    runtime: Handle,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Bucket").field(&self.store.name).finish()
    }
}

impl Bucket {
    /// Opens a bucket, or creates it with this many replicas. Called inside the client's runtime.
    ///
    /// # Errors
    /// When the cluster does not answer, or has no room for the bucket.
    pub async fn open(context: jetstream::Context, name: &str, replicas: usize) -> Result<Bucket, Error> {
        let config = kv::Config {
            bucket: name.to_owned(),
            // Values are secrets: those of yesterday are not kept.
            history: 1,
            max_value_size: LARGEST,
            storage: StorageType::File,
            num_replicas: replicas,
            ..kv::Config::default()
        };
        let until = Instant::now() + PATIENCE;
        loop {
            let found = match context.get_key_value(name).await {
                Ok(store) => Ok(store),
                Err(_) => context.create_key_value(config.clone()).await,
            };
            match found {
                Ok(store) => return Ok(Bucket { store, context, runtime: Handle::current() }),
                Err(error) if Instant::now() > until => return Err(unreachable(name, &error)),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.store.name
    }

    /// How far it has come, as its leader says. Blocks.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn position(&self) -> Result<Position, Error> {
        let bucket = self.clone();
        self.wait(PATIENCE, async move {
            let until = Instant::now() + PATIENCE;
            loop {
                match bucket.ask_position().await {
                    Ok(position) => return Ok(position),
                    Err(error) if Instant::now() > until => return Err(error),
                    Err(_) => sleep(PAUSE).await,
                }
            }
        })
    }

    /// Writes values one after the other, if nothing was written since `after`; returns the sequence of the last.
    /// Blocks.
    ///
    /// # Errors
    /// When something was written since, or the bucket cannot be reached. The values before the one that failed are
    /// written.
    pub fn put(&self, after: u64, values: Vec<(String, Bytes)>) -> Result<u64, Error> {
        let bucket = self.clone();
        let patience = PATIENCE * u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.wait(patience, async move {
            let mut last = after;
            for (key, value) in values {
                last = bucket.put_one(last, &key, value, Instant::now() + PATIENCE).await?;
            }
            Ok(last)
        })
    }

    /// Follows the entries written after a sequence, the oldest first.
    #[must_use]
    pub fn follow(&self, after: u64) -> Feed {
        feed::start(self.clone(), after)
    }

    async fn ask_position(&self) -> Result<Position, Error> {
        let stream = &self.store.stream;
        let info = timeout(ANSWER, stream.get_info()).await.map_err(|_| self.silent())?;
        let last = info.map_err(|error| unreachable(self.name(), &error))?.state.last_sequence;
        if last == 0 {
            return Ok(Position { last, newest: 0 });
        }
        let every = format!("{}>", self.store.prefix);
        let newest = timeout(ANSWER, stream.get_last_raw_message_by_subject(&every)).await;
        let newest = match newest.map_err(|_| self.silent())? {
            Ok(message) => message.sequence,
            Err(error) if error.kind() == stream::LastRawMessageErrorKind::NoMessageFound => 0,
            Err(error) => return Err(unreachable(self.name(), &error)),
        };
        Ok(Position { last, newest })
    }

    /// The same message is sent until it is known whether it was accepted: it can be accepted only once, because of the
    /// sequence it names.
    async fn put_one(&self, after: u64, key: &str, value: Bytes, until: Instant) -> Result<u64, Error> {
        let id = self.context.client().new_inbox();
        let subject = format!("{}{key}", self.store.prefix);
        let mut in_doubt = false;
        loop {
            let message = PublishMessage::build().payload(value.clone()).message_id(&id).expected_last_sequence(after);
            let error = match timeout_at(until, self.publish(&subject, message)).await {
                Ok(Ok(sequence)) => return Ok(sequence),
                Ok(Err(error)) => error,
                Err(_) => return Err(self.silent()),
            };
            match error.kind() {
                PublishErrorKind::WrongLastSequence if !in_doubt => {
                    return Err(Error::Conflict(self.name().to_owned()));
                }
                PublishErrorKind::WrongLastSequence => return self.whose(after + 1, &id, until).await,
                _ => in_doubt = true,
            }
            if Instant::now() + PAUSE > until {
                return Err(unreachable(self.name(), &error));
            }
            sleep(PAUSE).await;
        }
    }

    async fn publish(&self, subject: &str, message: PublishMessage) -> Result<u64, PublishError> {
        let sent = self.context.send_publish(subject.to_owned(), message).await?;
        match timeout(ANSWER, sent).await {
            Ok(answer) => answer.map(|ack| ack.sequence),
            Err(_) => Err(PublishError::new(PublishErrorKind::TimedOut)),
        }
    }

    /// After a lost answer: whether the message at this sequence is the one that was sent.
    async fn whose(&self, sequence: u64, id: &str, until: Instant) -> Result<u64, Error> {
        loop {
            let why = match timeout(ANSWER, self.store.stream.get_raw_message(sequence)).await {
                Ok(Ok(found)) if found.headers.get(NATS_MESSAGE_ID).is_some_and(|found| found.as_str() == id) => {
                    return Ok(sequence);
                }
                Ok(Ok(_)) => return Err(Error::Conflict(self.name().to_owned())),
                // It has been replaced since. It is unknown whether it was the one that was sent.
                Ok(Err(error)) if error.kind() == stream::RawMessageErrorKind::NoMessageFound => {
                    let why = "what became of a write is not known".to_owned();
                    return Err(Error::Unreachable { bucket: self.name().to_owned(), why });
                }
                Ok(Err(error)) => unreachable(self.name(), &error),
                Err(_) => self.silent(),
            };
            if Instant::now() + PAUSE > until {
                return Err(why);
            }
            sleep(PAUSE).await;
        }
    }

    /// Waits for the client's runtime from outside it. The work ends by itself; a runtime that does no work is not
    /// awaited much longer.
    fn wait<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let (done, result) = mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            let _ = done.send(work.await);
        });
        result.recv_timeout(patience + PATIENCE).unwrap_or_else(|_| Err(self.silent()))
    }

    fn silent(&self) -> Error {
        Error::Unreachable { bucket: self.name().to_owned(), why: "no answer".to_owned() }
    }
}

fn unreachable(bucket: &str, why: &dyn StdError) -> Error {
    Error::Unreachable { bucket: bucket.to_owned(), why: why.to_string() }
}
