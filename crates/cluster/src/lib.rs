//! A floor's journal on a NATS JetStream cluster, and who may write it.
//!
//! The stream is authoritative: a batch counts when a quorum of the cluster has it on disk. Every host keeps a copy of
//! the journal in its own folder, in the format of the embedded journal byte for byte, so that everything that reads
//! one reads the other: recovery, records, reports, backup, audit.
//!
//! One host writes. A lease decides which; the stream's compare-and-swap on its last message enforces it, whatever the
//! lease, clocks or the network do.

pub mod bucket;
mod connection;
mod copy;
mod hosts;
mod identity;
pub mod lease;
mod line;
mod log;
pub mod requests;
mod servers;
mod stream;

pub use connection::{Connection, Options, Tls};
pub use copy::{to_folder, to_stream};
pub use hosts::{Host, Hosts};
pub use identity::{HostId, HostKey, unseal};
pub use lease::{Held, Lease};
pub use line::{Answers, Question, Questions};
pub use log::{Blocking, Quorum, Replicated};
pub use servers::{Seen, server, servers};
pub use stream::{Replica, State, Stream, Tail, Told};

/// Why something did not work with the cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No server could be reached, or none answered in time.
    #[error("the cluster cannot be reached: {0}")]
    Unreachable(String),
    /// The server is older than what keeps its promise.
    #[error(
        "nats-server {0} acknowledges before it has synced: 2.10 or newer is needed, with jetstream {{ sync_interval: \
         always }}"
    )]
    TooOld(String),
    /// The server has no JetStream.
    #[error("the server has no JetStream: {0}")]
    NoJetStream(String),
    /// The servers run JetStream, and it does not answer.
    #[error("the cluster has no quorum: too few of its servers are up and hear each other ({0})")]
    NoQuorum(String),
    /// A file of certificates or keys is not one.
    #[error("nats_tls.{field}: {}: {why}", file.display())]
    Certificates {
        /// Which of them.
        field: &'static str,
        /// The file.
        file: std::path::PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no such floor in the cluster.
    #[error("there is no floor '{0}' in the cluster")]
    NoFloor(String),
    /// Another host has written meanwhile: this one no longer leads.
    #[error("another host has written to the journal: this one no longer leads")]
    Fenced,
    /// Whether the batch is there could not be found out in time.
    #[error("no quorum of the cluster acknowledged in time: {0}")]
    Unknown(String),
    /// What is in the stream is not what was written.
    #[error("message {message} of the stream: {what}")]
    Damaged {
        /// Which message.
        message: u64,
        /// What is wrong.
        what: String,
    },
    /// The copy on this machine and the stream are not of one journal.
    #[error("{0}")]
    Differs(String),
    /// The disk of this machine failed.
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

impl From<bucket::Error> for Error {
    fn from(error: bucket::Error) -> Error {
        match error {
            bucket::Error::Unreachable { bucket, why } => Error::Unreachable(format!("bucket {bucket}: {why}")),
            conflict @ bucket::Error::Conflict(_) => Error::Unreachable(conflict.to_string()),
        }
    }
}

impl Error {
    /// Whether it may resolve by itself: servers come back, find each other and elect. The other errors need a person.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Error::Unreachable(_) | Error::NoQuorum(_) | Error::Fenced | Error::Unknown(_))
    }

    pub(crate) fn certificates(field: &'static str, file: &std::path::Path, why: &str) -> Error {
        Error::Certificates { field, file: file.to_owned(), why: why.to_owned() }
    }

    pub(crate) fn unreachable(error: impl std::fmt::Display) -> Error {
        Error::Unreachable(error.to_string())
    }
}
