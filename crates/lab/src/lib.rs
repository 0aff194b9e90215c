//! The laboratory: what a game is worth, exactly; what a session can bring; whether the simulator, a wheel, the dice and
//! the generator behave as they should. Everything is computed from the compiled table that pays.
//!
//! | question | where |
//! | --- | --- |
//! | what is every bet of a layout worth? | [`par::ParSheet`] |
//! | which pay table costs a player more? | [`compare::Comparison`] |
//! | what can N rounds of these bets bring? | [`session::Session`], [`session::Distribution`], [`session::ruin`] |
//! | does chance agree with the exact figures? | [`simulate`] |
//! | are the dice, is the wheel biased? | [`bias::examine`]; round by round [`bias::Watch`] |
//! | is the generator of the simulated devices good? | [`generator::check`] |
//! | how does a device draw an outcome? | [`draw`] |
//!
//! ```
//! use rulebook::{Cents, library};
//!
//! let sicbo = library::find("rws-sicbo").unwrap();
//! let layout = sicbo.layout("a").unwrap();
//! let round = lab::session::Round::of(layout.table(), &[(layout.find("small").unwrap(), Cents::new(1000))]).unwrap();
//! let after = lab::session::Distribution::after(&round, 100).unwrap();
//! assert!((after.mean() - -100.0 * 1000.0 / 36.0).abs() < 1e-6); // cents: the edge is 1/36
//! assert!((after.above(0) - 0.3525).abs() < 0.001); // ahead after a hundred rounds
//! ```
//!
//! Figures that are fractions stay fractions ([`rulebook::Fraction`]); floating point begins where there is a root, a
//! distribution over many rounds or a statistic, and each such figure says how exact it is. The results are plain
//! structs that serialise, so that a page shows the same figures as a paper.

pub mod bias;
pub mod compare;
pub mod draw;
pub mod generator;
pub mod par;
pub mod session;
pub mod simulate;
pub mod statistics;
mod words;

pub use words::Figure;
