//! Copies a floor from a folder into the cluster, and from the cluster into a folder, byte for byte.

use std::time::Duration;

use async_nats::jetstream::kv::{self, CreateErrorKind};
use bytes::Bytes;
use journal::{Disk, Journal, Key, Scan, SegmentName};

use crate::connection::Connection;
use crate::{Error, Stream};

const PATIENCE: Duration = Duration::from_secs(30);

impl Connection {
    /// The key that signs the journal of a floor; the given one is put there if there is none.
    ///
    /// # Errors
    /// When the cluster cannot be asked, or has none and none is given.
    pub async fn journal_key(&self, floor: &str, own: Option<&Key>) -> Result<Key, Error> {
        let bucket = self.bucket().await?;
        let mut tries = 0;
        loop {
            match key_in(&bucket, floor, own).await {
                // A bucket that has just been created answers only when its servers have elected their leader.
                Err(Error::Unreachable(_)) if tries < 20 => tries += 1,
                found => return found,
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }
}

async fn key_in(bucket: &kv::Store, floor: &str, own: Option<&Key>) -> Result<Key, Error> {
    let name = format!("key.{floor}");
    if let Some(own) = own {
        match bucket.create(&name, Bytes::copy_from_slice(&own.secret())).await {
            Ok(_) => return Ok(Key::new(own.secret())),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::unreachable(error)),
        }
    }
    let secret = bucket.get(name).await.map_err(Error::unreachable)?;
    let secret = secret.and_then(|bytes| <[u8; 32]>::try_from(&bytes[..]).ok());
    secret.map(Key::new).ok_or_else(|| Error::NoFloor(floor.to_owned()))
}

/// Brings the journal of a folder up to the end of the stream; an empty folder gets a copy. The last message, and how
/// many were copied.
///
/// # Errors
/// When the cluster or the disk fails, or the folder has another journal.
pub async fn to_folder<D: Disk>(
    stream: &Stream,
    copy: &mut Journal<D>,
    mut each: impl FnMut(u64, u64),
) -> Result<u64, Error> {
    let mut tail = stream.tail(stream.find(&copy.position()).await?);
    loop {
        let end = stream.last().await?;
        if tail.taken() >= end {
            return Ok(tail.taken());
        }
        while tail.taken() < end {
            let Some(bytes) = tail.next(PATIENCE).await else {
                return Err(Error::Unreachable("no message came".to_owned()));
            };
            let message = tail.taken();
            copy.append_sealed(&bytes).map_err(|error| Error::Damaged { message, what: error.to_string() })?;
            each(message, end);
        }
    }
}

/// Brings the stream up to the end of a folder's journal. Returns the number of messages in the stream. `each` receives
/// the number of every message, and how many bytes of the folder have been read.
///
/// # Errors
/// When the cluster or the disk fails, or the stream has another journal or is ahead.
pub async fn to_stream<D: Disk>(
    scan: &mut Scan<D>,
    stream: &Stream,
    mut each: impl FnMut(u64, u64),
) -> Result<u64, Error> {
    let damaged = |what: String| Error::Differs(format!("the journal in the folder is damaged: {what}"));
    if scan.id().map_err(|damage| damaged(damage.to_string()))? != Some(stream.journal()) {
        return Err(Error::Differs("the folder has another journal than the stream".to_owned()));
    }
    // A message has its number by its place in the whole journal.
    if scan.first() != Some(SegmentName(1)) {
        let words = "the older segments of the journal are archived: the folder must have all of them to be copied";
        return Err(Error::Differs(words.to_owned()));
    }
    let mut last = stream.last().await?;
    let mut message = 1;
    loop {
        if scan.read().map_err(|damage| damaged(damage.to_string()))?.is_none() {
            break;
        }
        message += 1;
        let bytes = Bytes::copy_from_slice(scan.sealed());
        if message <= last {
            // What is there already must be the same. Only the last message need be compared, because the chain covers
            // the rest.
            if message == last && stream.get(message).await?.as_ref() != Some(&bytes) {
                return Err(Error::Differs("the stream and the folder differ".to_owned()));
            }
        } else {
            last = stream.append(message - 1, bytes, PATIENCE).await?;
        }
        each(message, scan.position());
    }
    if last > message {
        return Err(Error::Differs("the stream has more than the folder".to_owned()));
    }
    Ok(last)
}
