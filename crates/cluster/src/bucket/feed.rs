//! Entries as they are written, by any host.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use async_nats::jetstream::kv::Watch;
use futures_util::StreamExt;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::{ANSWER, Bucket, Entry, PAUSE};

/// The bucket is asked so often whether there is something that has not come.
const LOOK: Duration = Duration::from_secs(1);
/// Entries that wait to be taken.
const QUEUE: usize = 1024;

/// Entries of a bucket in the order they were written. It ends on request, or with the client's runtime; it survives
/// every loss of connection.
pub struct Feed {
    entries: Receiver<Entry>,
    stop: AbortHandle,
}

/// Ends a [`Feed`] from elsewhere.
#[derive(Clone, Debug)]
pub struct Stop(AbortHandle);

impl Feed {
    /// The next entry; `None` when the feed has ended. Blocks.
    #[must_use]
    pub fn wait(&self) -> Option<Entry> {
        self.entries.recv().ok()
    }

    /// The next entry, if it comes within a time. Blocks.
    #[must_use]
    pub fn wait_for(&self, patience: Duration) -> Option<Entry> {
        self.entries.recv_timeout(patience).ok()
    }

    /// What ends it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.stop.abort();
    }
}

impl Stop {
    /// Ends the feed.
    pub fn now(&self) {
        self.0.abort();
    }
}

pub(super) fn start(bucket: Bucket, after: u64) -> Feed {
    let (send, entries) = sync_channel(QUEUE);
    let runtime = bucket.runtime.clone();
    let stop = runtime.spawn(run(bucket, after, send)).abort_handle();
    Feed { entries, stop }
}

/// Watches again from where it was, whenever a watch ends or has fallen silent.
async fn run(bucket: Bucket, after: u64, send: SyncSender<Entry>) {
    let mut seen = after;
    loop {
        match timeout(ANSWER, bucket.store.watch_all_from_revision(seen + 1)).await {
            Ok(Ok(watch)) => {
                if pass_on(&bucket, watch, &mut seen, &send).await.is_none() {
                    return;
                }
            }
            Ok(Err(error)) => tracing::debug!(%error, bucket = bucket.name(), "the bucket cannot be watched"),
            Err(_) => tracing::debug!(bucket = bucket.name(), "the bucket cannot be watched: no answer"),
        }
        sleep(PAUSE).await;
    }
}

/// Forwards entries until the watch fails; `None` when there is no receiver any more.
async fn pass_on(bucket: &Bucket, mut watch: Watch, seen: &mut u64, send: &SyncSender<Entry>) -> Option<()> {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut overdue = None;
    loop {
        tokio::select! {
            biased;
            found = watch.next() => {
                let Some(Ok(found)) = found else { return Some(()) };
                if found.revision <= *seen {
                    continue;
                }
                *seen = found.revision;
                hand_over(send, Entry { key: found.key, value: found.value, sequence: found.revision }).await?;
            }
            _ = look.tick() => {
                // A watch on a lost server stays silent for long; the entries that should have arrived by the last
                // check are requested again.
                if overdue.is_some_and(|newest| *seen < newest) {
                    return Some(());
                }
                overdue = bucket.ask_position().await.ok().map(|position| position.newest);
            }
        }
    }
}

/// Waits for room without blocking the runtime.
async fn hand_over(send: &SyncSender<Entry>, mut entry: Entry) -> Option<()> {
    loop {
        match send.try_send(entry) {
            Ok(()) => return Some(()),
            Err(TrySendError::Full(back)) => entry = back,
            Err(TrySendError::Disconnected(_)) => return None,
        }
        sleep(PAUSE / 10).await;
    }
}
