//! The requests by which a journal is written to a stream and found there again, and the handling of their answers. Any
//! of them can be lost on the way, done without an answer, or answered late: the guarantees of a stream hold in spite
//! of that.

use std::time::{Duration, Instant};

use bytes::Bytes;
use journal::Position;

use crate::Error;

/// How often a question is asked before it is given up.
const ATTEMPTS: u32 = 4;
/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause before a message is sent again.
const RESEND: Duration = Duration::from_millis(20);
/// Said when nothing was heard.
pub(crate) const NO_ANSWER: &str = "no answer in time";

/// What became of a message that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// It is not known, and may be tried again.
    Failed(String),
    /// The stream does not take it.
    Never(String),
    /// The stream is elsewhere.
    Elsewhere,
}

/// A stream as one host reaches it, each request once, and the clock of that host.
pub trait Requests: Sync {
    /// Sends a message that is taken only if it comes after the one of that number.
    fn publish(&self, after: u64, bytes: Bytes) -> impl Future<Output = Result<(), Published>> + Send;
    /// Asks for a message; why there is no answer.
    fn look(&self, message: u64) -> impl Future<Output = Result<Option<Bytes>, String>> + Send;
    /// Asks for the number of the last message; why there is no answer.
    fn count(&self) -> impl Future<Output = Result<u64, String>> + Send;
    /// The time.
    fn now(&self) -> Instant;
    /// Waits.
    fn rest(&self, span: Duration) -> impl Future<Output = ()> + Send;
}

/// Appends a message after the one of that number, once. Even if the acknowledgement is lost, the message is either
/// there or can never appear later. When this returns, a quorum has it.
///
/// # Errors
/// [`Error::Fenced`] when something else is there; [`Error::Unknown`] when it could not be found out within the time given.
pub async fn append(requests: &impl Requests, after: u64, bytes: Bytes, patience: Duration) -> Result<u64, Error> {
    let until = requests.now() + patience;
    loop {
        let failed = match requests.publish(after, bytes.clone()).await {
            Ok(()) => return Ok(after + 1),
            // The message itself may be what is there: an acknowledgement can be lost.
            Err(Published::Elsewhere) => match requests.look(after + 1).await {
                Ok(Some(there)) if there == bytes => return Ok(after + 1),
                Ok(Some(_)) => return Err(Error::Fenced),
                Ok(None) => "the stream is not where it was".to_owned(),
                Err(reason) => reason,
            },
            Err(Published::Never(reason)) => return Err(Error::Unknown(reason)),
            Err(Published::Failed(reason)) => reason,
        };
        if requests.now() >= until {
            return Err(Error::Unknown(failed));
        }
        requests.rest(RESEND).await;
    }
}

/// The number of the last message.
///
/// # Errors
/// When the cluster cannot be asked.
pub async fn last(requests: &impl Requests) -> Result<u64, Error> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match requests.count().await {
            Ok(count) => return Ok(count),
            Err(reason) => why = reason,
        }
        requests.rest(PAUSE).await;
    }
    Err(Error::Unreachable(why))
}

/// A message, if it is there.
///
/// # Errors
/// When the cluster cannot be asked.
pub async fn get(requests: &impl Requests, message: u64) -> Result<Option<Bytes>, Error> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match requests.look(message).await {
            Ok(found) => return Ok(found),
            Err(reason) => why = reason,
        }
        requests.rest(PAUSE).await;
    }
    Err(Error::Unreachable(why))
}

/// The message after which a copy that has reached a place continues.
///
/// # Errors
/// When the cluster cannot be asked, or the place is not in the stream: then copy and stream differ.
pub async fn find(requests: &impl Requests, journal: [u8; 16], place: &Position) -> Result<u64, Error> {
    if place.journal != journal {
        return Err(Error::Differs("the copy on this machine is of another journal than the stream".to_owned()));
    }
    if *place == (Position { time: place.time, ..Position::begin(journal) }) {
        return Ok(1);
    }
    let end = last(requests).await?;
    // Batches are in the order of their records: the first that ends at that record or later is found by halving.
    let (mut low, mut high) = (2, end + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let there = place_after(requests, journal, middle).await?;
        if there.sequence < place.sequence { low = middle + 1 } else { high = middle }
    }
    // Checkpoints add no record: several messages may end at it.
    for message in low..=end {
        let there = place_after(requests, journal, message).await?;
        if there.sequence > place.sequence {
            break;
        }
        if there.chain == place.chain {
            return Ok(message);
        }
    }
    let words = if low > end {
        format!("the copy on this machine has record {}, and the cluster has lost it", place.sequence)
    } else {
        format!("the copy on this machine and the cluster differ at record {}", place.sequence)
    };
    Err(Error::Differs(words))
}

async fn place_after(requests: &impl Requests, journal: [u8; 16], message: u64) -> Result<Position, Error> {
    let missing = |what: &str| Error::Damaged { message, what: what.to_owned() };
    let bytes = get(requests, message).await?.ok_or_else(|| missing("it is missing"))?;
    Position::after(journal, &bytes).ok_or_else(|| missing("it is no batch"))
}
