//! The whole system from one seed: people, devices and clocks, the engine's own code, the journal on a disk that fails,
//! restarts at any point, snapshots, archive, backup, records; and hosts on a cluster that loses, delays and repeats what is
//! said. Everything happens on one thread, so that a seed always tells the same story.
//!
//! ```
//! let summary = system::run(1, 60).expect("no seed fails");
//! assert!(summary.records > 0);
//! ```

mod copies;
mod disk;
mod failure;
mod flaw;
mod ground;
mod kept;
mod many;
mod member;
mod net;
mod plan;
mod run;
mod single;
mod summary;
mod sweep;
mod witness;

pub use failure::{Failure, command};
pub use flaw::Flaw;
pub use plan::{Course, Fault};
pub use run::{play, run, shrink};
pub use summary::Summary;
pub use sweep::sweep;

/// Steps of a run unless another number is asked for.
pub const STEPS: u32 = 400;
