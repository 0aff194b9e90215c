//! What the API shows: the floor's views as JSON.

mod floor;
mod rulebook;
mod words;

pub use floor::*;
pub use rulebook::*;
pub use words::{Money, Words};
