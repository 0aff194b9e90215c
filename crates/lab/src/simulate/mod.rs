//! Monte Carlo on the compiled table: do drawn rounds agree with the exact figures?
//!
//! A round's result is a function of its outcome alone, so it is enough to draw outcomes and count them: from the counts
//! every spot's own total follows exactly ([`counts`]). Where only the total of a set of bets is wanted, the bets are
//! folded into one row first and only that total is kept ([`folded`]).

mod compare;
mod generator;
mod live;
mod paper;
mod run;

pub use compare::{Compared, Simulation, Tested};
pub use generator::GENERATOR;
pub use live::{LiveBet, LiveError, LiveLimits, LivePlayer, LiveTable};
pub use run::{CHUNK, Folded, Run, counts, folded};
