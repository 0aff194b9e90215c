//! Feeds: one WebSocket per client. A snapshot first, then the changes; bets may arrive over it too.

pub mod cabinet;
pub mod cursor;
pub mod message;
pub mod rate;
pub mod socket;
pub mod staff;
pub mod terminal;
pub mod wire;
