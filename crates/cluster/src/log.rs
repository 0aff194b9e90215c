//! The journal as the leader writes it: a quorum first, then the copy on this machine.

use std::time::Duration;

use bytes::Bytes;
use journal::{AppendError, Batch, Chain, Checkpoint, Disk, Journal, Log, MAX_PAYLOAD};
use tokio::runtime::Handle;

use crate::{Error, Stream};

/// How long the quorum may take before this host gives up leading.
const PATIENCE: Duration = Duration::from_secs(12);

/// What makes a batch durable on several machines.
pub trait Quorum: Send + 'static {
    /// Appends a message after the one of that number, once, and waits until a quorum has it.
    ///
    /// # Errors
    /// [`Error::Fenced`] when something else is there; [`Error::Unknown`] when it could not be found out in time.
    fn append(&mut self, after: u64, bytes: Bytes, patience: Duration) -> Result<u64, Error>;
}

/// The stream of a floor, for a thread that may block.
pub struct Blocking {
    runtime: Handle,
    stream: Stream,
}

impl Quorum for Blocking {
    fn append(&mut self, after: u64, bytes: Bytes, patience: Duration) -> Result<u64, Error> {
        self.runtime.block_on(self.stream.append(after, bytes, patience))
    }
}

/// A journal on the cluster, with the copy that this machine keeps of it.
pub struct Replicated<D: Disk, Q: Quorum = Blocking> {
    quorum: Q,
    copy: Journal<D>,
    /// The last message of the stream.
    last: u64,
    stopped: Option<String>,
}

impl<D: Disk> Replicated<D> {
    /// Goes on where the copy ends, after that message of the stream.
    #[must_use]
    pub fn new(runtime: Handle, stream: Stream, copy: Journal<D>, last: u64) -> Replicated<D> {
        Replicated::on(Blocking { runtime, stream }, copy, last)
    }
}

impl<D: Disk, Q: Quorum> Replicated<D, Q> {
    /// The same with anything else that makes batches durable.
    #[must_use]
    pub fn on(quorum: Q, copy: Journal<D>, last: u64) -> Replicated<D, Q> {
        Replicated { quorum, copy, last, stopped: None }
    }

    fn write(&mut self, bytes: Bytes) -> Result<(), AppendError> {
        if let Some(reason) = &self.stopped {
            return Err(AppendError::Stopped(reason.clone()));
        }
        let written = self.quorum.append(self.last, bytes.clone(), PATIENCE);
        let kept = match written {
            Ok(last) => {
                self.last = last;
                self.copy.append_sealed(&bytes).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        kept.map_err(|reason| {
            self.stopped = Some(reason.clone());
            AppendError::Stopped(reason)
        })
    }

    fn sign(&mut self, time: i64) -> Result<Checkpoint, AppendError> {
        let (bytes, checkpoint) = self.copy.position().sign(self.copy.key(), time);
        self.write(Bytes::from(bytes))?;
        Ok(checkpoint)
    }
}

impl<D: Disk, Q: Quorum> Log for Replicated<D, Q>
where
    Journal<D>: Send,
{
    fn sequence(&self) -> u64 {
        self.copy.sequence()
    }

    fn chain(&self) -> Chain {
        self.copy.chain()
    }

    fn id(&self) -> [u8; 16] {
        self.copy.id()
    }

    fn append(&mut self, expected: u64, batch: &mut Batch) -> Result<u64, AppendError> {
        let actual = self.copy.sequence();
        if expected != actual {
            return Err(AppendError::Expected { expected, actual });
        }
        if batch.size() > MAX_PAYLOAD {
            return Err(AppendError::TooLarge(batch.size()));
        }
        if batch.count() == 0 {
            return Ok(actual);
        }
        let (bytes, _) = self.copy.position().seal(batch);
        let bytes = Bytes::copy_from_slice(bytes);
        self.write(bytes)?;
        Ok(self.copy.sequence())
    }

    fn checkpoint_if_due(&mut self, time: i64) -> Result<Option<Checkpoint>, AppendError> {
        let due = self.copy.sequence() - self.copy.checkpointed() >= self.copy.options().checkpoint_every;
        if due { self.sign(time).map(Some) } else { Ok(None) }
    }

    fn has_unsigned(&self) -> bool {
        self.copy.sequence() > self.copy.checkpointed()
    }

    fn checkpoint_now(&mut self) -> Result<Checkpoint, AppendError> {
        self.sign(self.copy.position().time.unwrap_or(0))
    }
}

impl From<Error> for AppendError {
    fn from(error: Error) -> AppendError {
        AppendError::Stopped(error.to_string())
    }
}
