//! SSP: note validators of Innovative Technology. 9600 baud, 8 data bits, no parity, 2 stop bits; not encrypted.

mod codes;
mod driver;
mod frame;

pub use codes::{Event, answer, barcode, command};
pub use driver::Ssp;
pub use frame::{Flaw, Frame, Reader, crc};
