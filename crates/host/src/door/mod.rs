//! The door: what stands between the network and the floor.
//!
//! `address.rs` says who asks, also behind a proxy; `places.rs` counts connections and feeds; `origin.rs` says whose pages
//! may ask; `guard.rs` is what every request passes through, and what every answer carries; `refusals.rs` makes one line of
//! what was refused.

pub mod address;
pub mod guard;
pub mod origin;
pub mod places;
pub mod refusals;
