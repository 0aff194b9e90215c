//! The hosts of a floor: each sends a heartbeat with its address.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Entry, Operation, Watch};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::{Error, Held, HostId, HostKey, unseal};
use serde::{Deserialize, Serialize};

/// A host that has said nothing for so long is gone.
const GONE: Duration = Duration::from_secs(4);

/// A host that is there. It has signed that it is, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its own name.
    pub host: String,
    /// Where clients reach it.
    pub address: String,
    /// Its key. Whether that is one of the floor's is another question.
    pub key: HostId,
}

/// The hosts of a floor, as one of them sees it.
pub struct Hosts {
    bucket: kv::Store,
    prefix: String,
    me: Host,
    key: Arc<HostKey>,
    seen: HashMap<String, Seen>,
    /// What the hosts of this floor say, as they say it.
    watch: Option<Watch>,
}

/// What a host says of itself.
#[derive(Serialize, Deserialize)]
struct Said {
    #[serde(flatten)]
    held: Held,
    /// Its time, milliseconds since 1970. Earlier versions say none.
    #[serde(default)]
    time: Option<i64>,
}

/// What was heard of a host.
struct Seen {
    revision: u64,
    heard: Instant,
    host: Host,
    /// The latest time that it has said.
    latest: Option<i64>,
    /// The time that it has reported since the last step, if it is later than any before: an older one was replayed.
    time: Option<i64>,
}

impl Host {
    fn read(entry: &Entry) -> Option<(Host, Option<i64>)> {
        let (key, said) = unseal(&[b"host", entry.key.as_bytes()], &entry.value)?;
        let Said { held: Held { host, address }, time } = serde_json::from_slice(said).ok()?;
        Some((Host { host, address, key }, time))
    }
}

impl Hosts {
    /// The hosts of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn new(connection: &Connection, floor: &str, me: Held, key: Arc<HostKey>) -> Result<Hosts, Error> {
        let bucket = connection.bucket().await?;
        let me = Host { host: me.host, address: me.address, key: key.public() };
        Ok(Hosts { bucket, prefix: format!("host.{floor}."), me, key, seen: HashMap::new(), watch: None })
    }

    /// Sends the heartbeat of this host with its time, if it knows it, and reads those of the others. Called about once
    /// a second.
    pub async fn step(&mut self, time: Option<i64>) {
        self.seen.values_mut().for_each(|seen| seen.time = None);
        if timeout(Duration::from_secs(2), self.look(time)).await.ok().flatten().is_none() {
            self.watch = None;
            // While the cluster does not answer, no host can be heard, and none can be declared gone.
            self.seen.values_mut().for_each(|seen| seen.heard = Instant::now());
        }
        self.seen.retain(|_, seen| seen.heard.elapsed() < GONE * 4);
    }

    /// Only this floor's hosts are watched, whatever else is in the bucket. This host's own heartbeat comes back to it,
    /// after those that others have sent before: this detects a watch that has fallen silent.
    async fn look(&mut self, time: Option<i64>) -> Option<()> {
        let held = Held { host: self.me.host.clone(), address: self.me.address.clone() };
        let me = Said { held, time };
        let entry = format!("{}{}", self.prefix, self.me.host);
        let value = self.key.seal(&[b"host", entry.as_bytes()], &serde_json::to_vec(&me).unwrap_or_default());
        let said = self.bucket.put(entry, Bytes::from(value)).await.ok()?;
        let mut watch = match self.watch.take() {
            Some(watch) => watch,
            None => self.bucket.watch_with_history(format!("{}*", self.prefix)).await.ok()?,
        };
        loop {
            let entry = watch.next().await?.ok()?;
            let revision = entry.revision;
            self.note(entry);
            if revision >= said {
                self.watch = Some(watch);
                return Some(());
            }
        }
    }

    fn note(&mut self, entry: Entry) {
        if entry.operation != Operation::Put {
            self.seen.remove(&entry.key);
            return;
        }
        let before = self.seen.get(&entry.key);
        let known = before.is_some_and(|seen| seen.revision == entry.revision);
        let (false, Some((host, time))) = (known, Host::read(&entry)) else { return };
        // A host that was never seen before may have been gone for days: its heartbeat must change before it counts.
        let (now, first) = (Instant::now(), before.is_none());
        let heard = if first { now.checked_sub(GONE / 2).unwrap_or(now) } else { now };
        let latest = before.filter(|seen| seen.host.key == host.key).and_then(|seen| seen.latest);
        let later = time.filter(|time| !first && latest.is_none_or(|latest| *time > latest));
        let seen = Seen { revision: entry.revision, heard, host, latest: latest.max(time), time: later };
        self.seen.insert(entry.key, seen);
    }

    /// The hosts that are there, this one among them, by name.
    #[must_use]
    pub fn present(&self) -> Vec<Host> {
        let mut hosts: Vec<Host> = self
            .seen
            .values()
            .filter(|seen| seen.host.host != self.me.host && seen.heard.elapsed() < GONE)
            .map(|seen| seen.host.clone())
            .collect();
        hosts.push(self.me.clone());
        hosts.sort_by(|a, b| a.host.cmp(&b.host));
        hosts
    }

    /// The time by the other hosts that have reported it in the last step: milliseconds since 1970, slightly old.
    pub fn times(&self) -> impl Iterator<Item = (&Host, i64)> {
        let others = self.seen.values().filter(|seen| seen.host.host != self.me.host);
        others.filter_map(|seen| seen.time.map(|time| (&seen.host, time)))
    }

    /// Says that this host is going.
    pub async fn leave(&mut self) {
        let key = format!("{}{}", self.prefix, self.me.host);
        let _ = timeout(Duration::from_secs(1), self.bucket.purge(key)).await;
    }
}
