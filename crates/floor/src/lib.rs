//! A casino floor as a deterministic state machine with a double-entry ledger.
//!
//! [`Floor::decide`] answers a [`Command`] with events or a [`Refusal`]; [`Floor::apply`] makes an event true. Deciding
//! knows the rules and changes nothing; applying changes the state and evaluates no rule, so that a later fix of the
//! rules rewrites no history. [`Floor::may`] is the same decision without its effects: a button is grey for exactly the
//! reason the floor would refuse.
//!
//! The crate is pure: no input or output, no clock, no chance, no floating point, no panic on input. Time, identity and
//! chance come in as data.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing,
        clippy::float_arithmetic,
        clippy::disallowed_types
    )
)]

mod alert;
mod answers;
mod apply;
mod audit;
mod authority;
mod bet;
pub mod bounds;
mod cage;
mod check;
mod chips;
mod clock;
mod close;
mod command;
mod correct;
mod credential;
mod credit;
mod decide;
mod discretion;
mod elapse;
mod event;
mod few;
mod float;
mod ids;
mod interrupt;
mod ledger;
mod level;
mod loss;
mod observe;
mod open;
mod program;
mod refusal;
mod set_up;
mod settle;
mod state;
mod ticket;
mod view;
mod void;

pub use alert::AlertClass;
pub use command::*;
pub use decide::Decision;
pub use event::*;
pub use few::Few;
pub use ids::*;
pub use interrupt::Proposal;
pub use ledger::{Account, Cause, Meters, Misfit, Transfer};
pub use level::{LEVEL, TAGGED};
pub use refusal::{Code, Refusal, Why};
pub use state::*;
pub use ticket::{TicketKey, TicketNumber};
pub use view::*;
