//! The journal as a transparency log: what it is made of, and what proofs are made from it.
//!
//! Every record of the journal is one entry of the log, a salted commitment ([`leaf`]), at its sequence less one. The tree
//! over them stands beside the chain in flat files ([`levels`]); it can be made again from the journal and the salt key at
//! any time. From time to time its head is signed by a key of its own ([`keys`]) and kept ([`heads`]) before anything is
//! shown. A [`Follower`] does all that beside a floor in play; a [`Prover`] makes proofs, beside it or of a folder at rest.

mod audit;
pub mod cosigned;
pub mod eras;
mod follow;
pub mod heads;
mod journal_reader;
pub mod keys;
pub mod leaf;
pub mod levels;
mod prove;
mod tree;

pub use audit::{LogAudit, audit};
pub use follow::{Follower, Options, Report, Signed};
pub use prove::{Chosen, Proved, Prover, holds, last_record};
pub use tree::{Tree, TreeError};

/// The folder of the log within the folder of a floor.
pub const FOLDER: &str = "log";
