//! ID-003: bill validators of JCM and compatible ones. 9600 baud, 8 data bits, even parity.

mod codes;
mod driver;
mod frame;

pub use codes::{Escrow, Status, command, denomination, setting};
pub use driver::Id003;
pub use frame::{Flaw, Frame, Reader, crc};
