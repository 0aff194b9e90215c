//! EBDS: bill acceptors of MEI, CPI and compatible ones. 9600 baud, 7 data bits, even parity.

mod codes;
mod driver;
mod frame;

pub use codes::{BARCODE, Poll, Reply, exception, kind, misc, mode, option, state, status};
pub use driver::Ebds;
pub use frame::{Flaw, Frame, Reader, sum};
