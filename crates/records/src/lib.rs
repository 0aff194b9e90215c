//! A SQLite read model of a floor's log, and the questions it answers.
//!
//! [`Records`] follows the log: every record goes through [`Records::apply`] or [`Records::apply_batch`] in order, and
//! [`Records::sequence`] says up to which event the answers are true. Nothing here is a source of truth. The database
//! can be thrown away and made again from the log ([`Records::rebuild`]), so it is written without waiting for the disk
//! and is never in the way of play. Answers come from a [`Query`]: of the writer itself, or of a [`Reader`] with a
//! connection of its own. A [`Follower`] does all of that beside a running floor.
//!
//! ```
//! use floor::{Event, FloorSettings, Moment, Record};
//!
//! let mut records = records::Records::in_memory()?;
//! let settings = FloorSettings { name: "house".into(), demonstration: true, day_starts: 360, ticket_days: 30 , ..FloorSettings::default() };
//! let created = Record { at: Moment(0), origin: None, event: Event::FloorCreated(settings) };
//! records.apply(1, &created)?;
//! assert_eq!(records.sequence(), 1);
//! let events = records.query().significant(&records::EventFilter::default())?;
//! assert_eq!(events.rows[0].code, "floor-created");
//! # Ok::<(), records::Error>(())
//! ```
//!
//! # What becomes a row, and when
//!
//! - **Bets are written when their round ends.** A change of bets moves a stake in the floor's state and adds a few bytes
//!   to the round's list of changes, which is written with the batch. The bets as settled or returned come from the
//!   floor's archive once the round has ended. So a change costs little, and the list still tells a dispute (S5) who
//!   changed what when.
//! - **Wagers are summed.** What a terminal wagered in a round, and what came back without being settled (withdrawn, or
//!   returned by a void), is one row each when the round ends, taken from the terminal's meters (S7). Stakes collected
//!   by the house are one row per round. At a live table the chips that were settled or returned are one row. Every
//!   other movement (cash, tickets, attendants, wins, corrections, decisions, floats) is a row of its own. The rows of
//!   ended rounds balance: added up by account they are the floor's accounts.
//! - **Totals are booked on the gaming day on which they happen.** A correction counts on its own day, and the day of the
//!   round stays as it was reported. Summed over all days they are the floor's own figures.
//! - **A ticket has an id here and nothing else.** Neither its number nor the hash of it comes near the database (S13).

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing,
        clippy::float_arithmetic
    )
)]

mod account;
mod changes;
mod compare;
mod day;
mod describe;
mod error;
mod follow;
mod forget;
mod names;
mod query;
mod reader;
mod records;
pub mod report;
mod schema;
mod write;

pub use compare::{Beside, Comparison, Difference, Kept};
pub use day::{LOCAL_TIME_OFFSET, day_text, gaming_day};
pub use describe::Kind;
pub use error::Error;
pub use follow::{FILE, Follower, FollowerOptions, Report, StepFollower};
pub use query::*;
pub use reader::Reader;
pub use records::{Mark, Records};
pub use schema::{Start, VERSION};
