//! A crowd of Player Terminals against a running host, and the peers a host is measured beside.
//!
//! One thread holds all terminals with `epoll`, so that the generator uses as little as possible of the cores it shares
//! with the host. Frames are written and read here and not by a library, and messages are scanned, not parsed. In an
//! open loop a bet's time runs from when it was meant to be sent, so that a host that stalls is charged for the delay
//! (no coordinated omission).

mod attack;
mod bench;
mod crowd;
mod dealer;
mod frame;
mod house;
mod journal_alone;
mod link;
mod modes;
mod peer;
mod process;
mod report;
mod soak;

pub use attack::{Answers, Attacked, FILES_OF_AN_ATTACK, attack};
pub use bench::{Comparison, Goal, Line, compare};
pub use crowd::Crowd;
pub use dealer::Dealer;
pub use house::{House, Login, Seat};
pub use link::{Heard, Link};
pub use modes::{Mode, Pace, Plan, run};
pub use peer::serve as serve_peer;
pub use process::{Process, allow_files, memory_of};
pub use report::{Latency, Report};
pub use soak::{Check, Sample, Soak, Soaked, soak};

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failed(pub String);

impl Failed {
    /// In words.
    pub fn new(words: impl Into<String>) -> Failed {
        Failed(words.into())
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Failed {
        Failed(error.to_string())
    }
}

impl From<rustix::io::Errno> for Failed {
    fn from(error: rustix::io::Errno) -> Failed {
        Failed(error.to_string())
    }
}

/// What the functions here return.
pub type Result<T> = std::result::Result<T, Failed>;
