//! The hosts of a floor: each says now and then that it is there, and where it can be reached.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Operation};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::{Error, Held};

/// A host that has said nothing for so long is gone.
const GONE: Duration = Duration::from_secs(4);

/// A host that is there.
pub type Host = Held;

/// The hosts of a floor, as one of them sees it.
pub struct Hosts {
    bucket: kv::Store,
    prefix: String,
    me: Host,
    seen: HashMap<String, (u64, Instant, Host)>,
}

impl Hosts {
    /// The hosts of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn new(connection: &Connection, floor: &str, me: Host) -> Result<Hosts, Error> {
        let bucket = connection.bucket().await?;
        Ok(Hosts { bucket, prefix: format!("host.{floor}."), me, seen: HashMap::new() })
    }

    /// Says that this host is there, and looks who else is. To be called about once a second.
    pub async fn step(&mut self) {
        let value = serde_json::to_vec(&self.me).map(Bytes::from).unwrap_or_default();
        let key = format!("{}{}", self.prefix, self.me.host);
        let said = timeout(Duration::from_secs(1), self.bucket.put(key, value)).await;
        let looked = timeout(Duration::from_secs(2), self.look()).await;
        if !matches!((said, looked), (Ok(Ok(_)), Ok(()))) {
            // While the cluster does not answer, nobody can be heard, and nobody can be said to be gone.
            self.seen.values_mut().for_each(|(_, heard, _)| *heard = Instant::now());
        }
        self.seen.retain(|_, (_, heard, _)| heard.elapsed() < GONE * 4);
    }

    async fn look(&mut self) {
        let Ok(mut keys) = self.bucket.keys().await else { return };
        let mut names = Vec::new();
        while let Some(key) = keys.next().await {
            // Without the whole list nobody can be said to have left.
            let Ok(key) = key else { return };
            if key.starts_with(&self.prefix) {
                names.push(key);
            }
        }
        self.seen.retain(|key, _| names.contains(key));
        for key in names {
            let Ok(Some(entry)) = self.bucket.entry(key.clone()).await else { continue };
            if entry.operation != Operation::Put {
                self.seen.remove(&key);
                continue;
            }
            let known = self.seen.get(&key).is_some_and(|(revision, ..)| *revision == entry.revision);
            if let (false, Ok(host)) = (known, serde_json::from_slice::<Host>(&entry.value)) {
                // One that was never seen before may have been gone for days: it must move before it counts.
                let first = !self.seen.contains_key(&key);
                let heard = if first {
                    Instant::now().checked_sub(GONE / 2).unwrap_or_else(Instant::now)
                } else {
                    Instant::now()
                };
                self.seen.insert(key, (entry.revision, heard, host));
            }
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
