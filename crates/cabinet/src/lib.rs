//! What is inside a cabinet: the protocols of bill validators and ticket printers as state machines without input and
//! output, simulated devices that answer them, and the agent that drives both for a Player Terminal.
//!
//! Bytes and times go in, bytes and events come out, so that every machine here can be tested, fuzzed and killed at any
//! step. None of it is certified with a real device.

pub mod agent;
pub mod ebds;
pub mod id003;
pub mod port;
pub mod printer;
pub mod private;
pub mod simulated;
pub mod ssp;
pub mod validator;

/// Milliseconds of a clock that never goes back.
pub type Millis = u64;

/// An amount in cents.
pub type Cents = i64;
