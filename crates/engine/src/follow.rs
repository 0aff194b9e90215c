//! Following: what another host has written is kept here too, and shown.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use journal::{Disk, Journal, Read, RealDisk};

use crate::codec::decode;
use crate::publish::{Publish, Written};
use crate::queue::Queue;
use crate::recovery::StartError;
use crate::work::Work;

/// How long to wait for the source before checking for other requests.
const WAIT: Duration = Duration::from_millis(50);
/// Nothing is to be finished yet.
const NEVER: u64 = u64::MAX;
/// Everything is to be left as it is.
const AT_ONCE: u64 = 0;

/// Where what another host has written comes from.
pub trait Source: Send + 'static {
    /// A batch or a checkpoint as it was written.
    type Bytes: AsRef<[u8]>;

    /// The next, or none within the time.
    fn next(&mut self, within: Duration) -> Option<Self::Bytes>;
    /// The number of the last that was taken.
    fn taken(&self) -> u64;
    /// Why nothing more comes, if the next message must be rejected. Following then ends.
    fn refused(&self) -> Option<String> {
        None
    }
}

type Finished<S> = (Journal<RealDisk>, S, Box<dyn Publish>);

/// A floor that is being followed.
pub struct Following<S: Source> {
    until: Arc<AtomicU64>,
    thread: Option<JoinHandle<Option<Finished<S>>>>,
    queue: Arc<Queue>,
}

impl<S: Source> Following<S> {
    /// Follows up to the batch of that number and ends.
    pub(crate) fn finish(mut self, until: u64) -> Result<Finished<S>, StartError> {
        self.until.store(until.max(1), Ordering::Release);
        let finished = self.thread.take().and_then(|thread| thread.join().ok()).flatten();
        finished.ok_or_else(|| {
            let reason = self.queue.stopped().unwrap_or_else(|| "panicked while following the journal".to_owned());
            StartError::Disk(io::Error::other(reason))
        })
    }

    /// Whether it has ended by itself, because something was wrong.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl<S: Source> Drop for Following<S> {
    fn drop(&mut self) {
        // It is not awaited here: its source may need the waiting thread. The engine ends after it has.
        self.until.store(AT_ONCE, Ordering::Release);
    }
}

/// Stores and publishes what comes from the source, until it is asked to end.
pub(crate) fn follow<S: Source>(
    queue: Arc<Queue>,
    mut journal: Journal<RealDisk>,
    mut source: S,
    mut publisher: Box<dyn Publish>,
) -> io::Result<Following<S>> {
    let until = Arc::new(AtomicU64::new(NEVER));
    let thread = {
        let (until, queue) = (Arc::clone(&until), Arc::clone(&queue));
        let run = move || {
            loop {
                let end = until.load(Ordering::Acquire);
                if end == AT_ONCE || queue.is_stopping() {
                    break;
                }
                if source.taken() >= end {
                    return Some((journal, source, publisher));
                }
                if let Err(reason) = follow_once(&mut journal, &mut source, &mut *publisher, WAIT) {
                    queue.fail(&reason, []);
                    break;
                }
            }
            // Nothing will be decided here, and no client waits for a decision.
            queue.decided_all(Vec::new());
            drop((journal, source));
            drop(publisher);
            None
        };
        std::thread::Builder::new().name("follow".to_owned()).spawn(run)?
    };
    Ok(Following { until, thread: Some(thread), queue })
}

/// Keeps and shows the next that comes within the time; whether one came.
pub(crate) fn follow_once<D: Disk>(
    journal: &mut Journal<D>,
    source: &mut impl Source,
    publisher: &mut dyn Publish,
    within: Duration,
) -> Result<bool, String> {
    match source.next(within) {
        Some(bytes) => take(journal, bytes.as_ref(), publisher).map(|()| true),
        None => source.refused().map_or(Ok(false), Err),
    }
}

/// One batch: verified, stored, and handed to the publisher.
fn take<D: Disk>(journal: &mut Journal<D>, bytes: &[u8], publisher: &mut dyn Publish) -> Result<(), String> {
    let mut place = journal.position();
    let after = place.sequence;
    let read = place.read(bytes)?;
    journal.append_sealed(bytes).map_err(|error| error.to_string())?;
    let written = match read {
        Read::Checkpoint(checkpoint) => Written::Checkpoint(checkpoint),
        Read::Records { entries, .. } => {
            let mut records = Vec::with_capacity(entries.len());
            for (entry, sequence) in entries.iter().zip(after + 1..) {
                let record = decode(entry.time, entry.bytes).map_err(|error| format!("record {sequence}: {error}"))?;
                records.push(record);
            }
            Written::Batch(Work { after, records, ..Work::default() }, journal.chain())
        }
    };
    publisher.publish(written)
}
