//! Are the dice, is the wheel biased? From recorded results, at once or round by round.
//!
//! [`examine`] runs every test that the results allow, corrects for their number (Holm), and reports how large an
//! effect is, and how many more rounds would decide. It may be run once for a set of results that was fixed beforehand.
//! [`Watch`] may be read after every round, for any length of time: it is an e-process, and the probability that it
//! ever reaches its threshold on fair devices is at most one in that threshold.

mod device;
mod examine;
mod paper;
mod results;
mod tests;
mod validate;
mod watch;

pub use device::{Device, Order};
pub use examine::{Examination, Finding, LEVEL, POWER, Skipped, examine};
pub use results::{Direction, ReadError, Results};
pub use validate::{Validation, ValidationRow, validate};
pub use watch::Watch;
