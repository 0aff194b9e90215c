//! The approved rules of a table game as one coherent, compiled table.
//!
//! A rulebook file ([`Rulebook::parse`]) says what an approved document says: outcomes, bets, odds, layouts, procedure,
//! void grounds, powers, and every paragraph with its class. It becomes a [`Rulebook`] only if it is coherent; otherwise
//! there is one [`Incoherence`] with file, line and what is wrong. Each layout of a rulebook owns a [`PayTable`]: a dense
//! table of spots × outcomes. Settling, exact odds, exposure, lit areas and "is an outcome established?" all read that
//! table and nothing else.
//!
//! ```
//! use rulebook::{library, Cents};
//!
//! let sicbo = library::find("rws-sicbo").expect("built in");
//! let layout = sicbo.layout("A").expect("layout ids are accepted in any case");
//! let outcome = sicbo.outcomes().parse("2-2-3").expect("three dice");
//! let spot = layout.find("single/2").expect("offered by this layout");
//! let returned = layout.table().returned(spot, outcome, Cents::new(1000));
//! assert_eq!(returned.map(|r| r.to_string()).as_deref(), Some("30.00")); // 2 to 1, and the stake
//! ```
//!
//! The crate is pure: no input or output, no clock, no chance, no floating point, no panic on input.

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

mod affirmation;
mod canonical;
mod cents;
mod citation;
mod compile;
mod draft;
mod exposure;
mod face;
mod family;
mod fraction;
mod ground;
pub mod hex;
mod layout;
pub mod library;
mod multi_piece;
mod notation;
mod odds;
mod outcome;
mod paragraph;
mod pay_table;
mod pocket;
mod procedure;
pub mod prorata;
mod rank;
mod rulebook;
mod sheet;
mod spot;
mod text;
mod wheel;

pub use affirmation::{Affirmation, Affirmed, Point};
pub use cents::{Cents, CentsError};
pub use citation::Citation;
pub use compile::Incoherence;
pub use exposure::{Exposure, Overflow};
pub use face::{Dice, Face};
pub use family::Family;
pub use fraction::{Fraction, decimal};
pub use ground::{Arises, GroundId, VoidGround, Voids};
pub use layout::{Area, Layout, NotOffered, Place};
pub use multi_piece::{MultiPiece, MultiPieceError, Piece, Pieces};
pub use notation::{Bet, BetError, NotationError};
pub use odds::{Odds, OddsError};
pub use outcome::{Outcome, OutcomeError, OutcomeIndex, OutcomeSet, OutcomeSpace};
pub use paragraph::{Class, Paragraph};
pub use pay_table::{Conclusion, PayTable, PricedSpot, SpotIndex};
pub use pocket::Pocket;
pub use procedure::{Begins, Device, Procedure, Timing};
pub use rank::{Act, Power, Rank};
pub use rulebook::{
    Discretion, FamilyRule, Hash, Identity, Irregularities, LimitScope, Limits, Play, Rulebook, TerminalKind,
    Unregistered,
};
pub use sheet::{SheetTotals, SpotOdds, sheet, totals};
pub use spot::{Spot, Third, Total};
pub use text::{Mark, Text};
pub use wheel::{Colour, Wheel};
