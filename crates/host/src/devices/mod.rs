//! Devices that see the dice or the ball: what they report is a typed [`floor::Observation`], never a result.
//!
//! - [`Simulated`]: a tumbler or wheel of the demonstration. An act of the dealer gives a [`Script`]: what the device
//!   would report, and when. The caller sends each observation in its time. A [`Fault`] makes it show
//!   what can go wrong.
//! - [`cammegh`]: a real wheel that sends a status line over a serial port.
//! - [`Alternation`] and [`GamesPerHour`]: small watchers that say when the pit should be told.
//!
//! Nothing here decides a round. What an observation means is the floor's to say, by the rulebook (D5).

pub mod cammegh;
mod chance;
mod fault;
mod simulated;
mod tumbler;
mod watch;
mod wheel;

pub use fault::{Fault, Shown};
pub use simulated::Simulated;
pub use tumbler::SimulatedTumbler;
pub use watch::{Alternation, GamesPerHour, Pace};
pub use wheel::SimulatedWheel;

use floor::Observation;

/// What a device will report: milliseconds from now, ascending, and what.
pub type Script = Vec<(u64, Observation)>;

/// The number of the fault that a simulated device shows.
pub const SIMULATED_FAULT: u16 = 900;

/// Which way something turns, seen from above.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// With the hands of a clock.
    Clockwise,
    /// Against them.
    Anticlockwise,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub const fn reversed(self) -> Direction {
        match self {
            Direction::Clockwise => Direction::Anticlockwise,
            Direction::Anticlockwise => Direction::Clockwise,
        }
    }
}
