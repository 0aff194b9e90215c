//! The hosts of a floor: each says now and then that it is there, and where it can be reached.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Entry, Operation, Watch};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::{Error, Held, HostId, HostKey, unseal};

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
    seen: HashMap<String, (u64, Instant, Host)>,
    /// What the hosts of this floor say, as they say it.
    watch: Option<Watch>,
}

impl Host {
    fn read(entry: &Entry) -> Option<Host> {
        let (key, said) = unseal(&[b"host", entry.key.as_bytes()], &entry.value)?;
        let Held { host, address } = serde_json::from_slice(said).ok()?;
        Some(Host { host, address, key })
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

    /// Says that this host is there, and looks who else is. To be called about once a second.
    pub async fn step(&mut self) {
        if timeout(Duration::from_secs(2), self.look()).await.ok().flatten().is_none() {
            self.watch = None;
            // While the cluster does not answer, nobody can be heard, and nobody can be said to be gone.
            self.seen.values_mut().for_each(|(_, heard, _)| *heard = Instant::now());
        }
        self.seen.retain(|_, (_, heard, _)| heard.elapsed() < GONE * 4);
    }

    /// Only this floor's hosts are watched, whatever else is in the bucket. What this host says comes back to it, and
    /// before it all that others have said: a watch that has fallen silent is noticed by that.
    async fn look(&mut self) -> Option<()> {
        let me = Held { host: self.me.host.clone(), address: self.me.address.clone() };
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
        let known = self.seen.get(&entry.key).is_some_and(|(revision, ..)| *revision == entry.revision);
        if let (false, Some(host)) = (known, Host::read(&entry)) {
            // One that was never seen before may have been gone for days: it must move before it counts.
            let first = !self.seen.contains_key(&entry.key);
            let heard =
                if first { Instant::now().checked_sub(GONE / 2).unwrap_or_else(Instant::now) } else { Instant::now() };
            self.seen.insert(entry.key, (entry.revision, heard, host));
        }
    }

    /// The hosts that are there, this one among them, by name.
    #[must_use]
    pub fn present(&self) -> Vec<Host> {
        let mut hosts: Vec<Host> = self
            .seen
            .values()
            .filter(|(_, heard, host)| host.host != self.me.host && heard.elapsed() < GONE)
            .map(|(_, _, host)| host.clone())
            .collect();
        hosts.push(self.me.clone());
        hosts.sort_by(|a, b| a.host.cmp(&b.host));
        hosts
    }

    /// Says that this host is going.
    pub async fn leave(&mut self) {
        let key = format!("{}{}", self.prefix, self.me.host);
        let _ = timeout(Duration::from_secs(1), self.bucket.purge(key)).await;
    }
}
