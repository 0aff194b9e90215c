//! The door: what stands between the network and the floor.
//!
//! `address.rs` finds the client's address, also behind a proxy. `places.rs` limits connections and feeds. `origin.rs`
//! decides which pages may send requests. `guard.rs` checks every request and adds headers to every response.
//! `refusals.rs` collects refusals into one alert. `line.rs` is the queue for password checks.

pub mod address;
pub mod guard;
pub mod line;
pub mod origin;
pub mod places;
pub mod refusals;
