//! Feeds: one WebSocket per client. A snapshot first, then what changes; bets may come in over it too.

pub mod cursor;
pub mod message;
pub mod rate;
pub mod socket;
pub mod staff;
pub mod terminal;
pub mod wire;
