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

#[macro_use]
#[cfg_attr(feature = "mutants", doc(hidden))]
pub mod mutants;

mod accumulator;
mod alert;
mod alone;
mod answers;
mod apply;
mod audit;
mod authority;
mod bet;
pub mod bounds;
mod cage;
mod check;
mod chips;
mod choose;
mod clock;
mod close;
mod command;
mod correct;
mod credential;
mod credit;
mod day;
mod decide;
mod discretion;
mod doing;
mod doubt;
mod dual;
mod elapse;
mod event;
mod few;
mod float;
mod ids;
mod interrupt;
mod ledger;
mod level;
mod loss;
mod normal;
mod observe;
mod offices;
mod open;
mod past;
mod people;
mod program;
mod purpose;
mod recording;
mod recover;
mod refusal;
mod sealed;
mod service;
mod set_up;
mod settle;
mod state;
mod ticket;
mod ticket_earlier;
mod view;
mod void;
mod waits;

pub use accumulator::{leaf, proof};
pub use alert::AlertClass;
pub use command::*;
pub use decide::Decision;
pub use doubt::Doubt;
pub use event::*;
pub use few::Few;
pub use ids::*;
pub use interrupt::Proposal;
pub use ledger::{Account, Cause, Meters, Misfit, Transfer};
pub use level::{LEVEL, TAGGED};
pub use offices::{NEW_CREDENTIALS, OVER_A_PIPE};
pub use past::{Preview, PreviewRound};
pub use people::{People, PeopleFinding, PersonMoved};
pub use purpose::{JointAct, Moves, Purpose, Subject};
pub use refusal::{Code, Refusal, Why};
pub use set_up::carried;
pub use state::*;
pub use ticket::{TicketKey, TicketNumber, TicketStop};
pub use view::*;
pub use waits::Wait;
