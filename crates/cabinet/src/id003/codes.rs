//! Every code of ID-003 that is used, in one place, so that an integrator can correct it.

use super::Frame;
use crate::validator::{Fault, digits};

/// What the agent says.
pub mod command {
    /// Asks for the status.
    pub const STATUS: u8 = 0x11;
    /// Starts the device again.
    pub const RESET: u8 = 0x40;
    /// Stacks what lies in escrow.
    pub const STACK: u8 = 0x41;
    /// Returns what lies in escrow.
    pub const RETURN: u8 = 0x43;
    /// Acknowledges.
    pub const ACK: u8 = 0x50;
}

/// Settings, sent after initialise. The device repeats each as its answer.
pub mod setting {
    /// Denominations, two bytes; 1 is inhibited.
    pub const ENABLE: u8 = 0xC0;
    /// Security, two bytes.
    pub const SECURITY: u8 = 0xC1;
    /// Inhibit, one byte.
    pub const INHIBIT: u8 = 0xC3;
    /// Direction, one byte.
    pub const DIRECTION: u8 = 0xC4;
    /// Options, two bytes.
    pub const OPTIONS: u8 = 0xC5;
    /// The barcode: interleaved 2 of 5, 18 digits.
    pub const BARCODE: u8 = 0xC6;
    /// Inhibits barcodes, one byte.
    pub const BARCODE_INHIBIT: u8 = 0xC7;
}

/// The codes of the denominations in escrow, and the bit of each in the first byte of [`setting::ENABLE`].
pub mod denomination {
    /// The first.
    pub const FIRST: u8 = 0x61;
    /// The last.
    pub const LAST: u8 = 0x68;
    /// A barcode, with its digits behind it.
    pub const BARCODE: u8 = 0x6F;
}

/// What the device says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It wants its settings.
    Initialise,
    /// It waits for a note.
    Idle,
    /// A note is on its way in.
    Accepting,
    /// Escrow: the denomination, or the digits of a barcode.
    Escrow(Escrow),
    /// It goes into the stacker.
    Stacking,
    /// It counts; to be acknowledged.
    VendValid,
    /// It is in the stacker.
    Stacked,
    /// It goes back, with the reason 71 to 7F.
    Rejecting(u8),
    /// It goes back, as ordered.
    Returning,
    /// It is held in escrow.
    Holding,
    /// It takes nothing.
    Inhibited,
    /// It came up.
    PowerUp,
    /// It came up with a note in the acceptor.
    PowerUpAcceptor,
    /// It came up with a note in the stacker.
    PowerUpStacker,
    /// A fault.
    Fault(Fault),
    /// The answer to an order.
    Acknowledged,
    /// The answer to an order that makes no sense now.
    Invalid,
    /// The answer to a setting: itself.
    Setting(u8, Vec<u8>),
    /// Something that is in no table.
    Other(u8),
}

/// What lies in escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Escrow {
    /// A denomination, 61 to 68.
    Note(u8),
    /// A barcode.
    Barcode(String),
    /// Neither.
    Unreadable,
}

const PLAIN: [(u8, Status); 13] = [
    (0x1B, Status::Initialise),
    (0x11, Status::Idle),
    (0x12, Status::Accepting),
    (0x14, Status::Stacking),
    (0x15, Status::VendValid),
    (0x16, Status::Stacked),
    (0x18, Status::Returning),
    (0x19, Status::Holding),
    (0x1A, Status::Inhibited),
    (0x40, Status::PowerUp),
    (0x41, Status::PowerUpAcceptor),
    (0x42, Status::PowerUpStacker),
    (0x50, Status::Acknowledged),
];

const FAULTS: [(u8, Fault); 8] = [
    (0x43, Fault::StackerFull),
    (0x44, Fault::StackerOpen),
    (0x45, Fault::JamAcceptor),
    (0x46, Fault::JamStacker),
    (0x47, Fault::Pause),
    (0x48, Fault::Cheated),
    (0x49, Fault::Failure),
    (0x4A, Fault::Line),
];

const ESCROW: u8 = 0x13;
const REJECTING: u8 = 0x17;
const INVALID: u8 = 0x4B;

impl Status {
    /// What a frame of the device says.
    #[must_use]
    pub fn of(frame: &Frame) -> Status {
        let code = frame.command;
        if let Some((_, status)) = PLAIN.iter().find(|(plain, _)| *plain == code) {
            return status.clone();
        }
        if let Some((_, fault)) = FAULTS.iter().find(|(known, _)| *known == code) {
            return Status::Fault(*fault);
        }
        let first = frame.data.first().copied();
        match code {
            ESCROW => Status::Escrow(match first {
                Some(note @ denomination::FIRST..=denomination::LAST) => Escrow::Note(note),
                Some(denomination::BARCODE) => barcode(frame.data.get(1..).unwrap_or_default()),
                _ => Escrow::Unreadable,
            }),
            REJECTING => Status::Rejecting(first.unwrap_or(0)),
            INVALID => Status::Invalid,
            0xC0..=0xC7 => Status::Setting(code, frame.data.clone()),
            _ => Status::Other(code),
        }
    }

    /// As the device says it.
    #[must_use]
    pub fn frame(&self) -> Frame {
        match self {
            Status::Escrow(Escrow::Note(note)) => Frame::new(ESCROW, &[*note]),
            Status::Escrow(Escrow::Barcode(digits)) => {
                Frame::new(ESCROW, &[&[denomination::BARCODE], digits.as_bytes()].concat())
            }
            Status::Escrow(Escrow::Unreadable) => Frame::new(ESCROW, &[]),
            Status::Rejecting(reason) => Frame::new(REJECTING, &[*reason]),
            Status::Invalid => Frame::new(INVALID, &[]),
            Status::Setting(code, data) => Frame::new(*code, data),
            Status::Fault(fault) => {
                Frame::new(FAULTS.iter().find(|(_, known)| known == fault).map_or(0x49, |(code, _)| *code), &[])
            }
            Status::Other(code) => Frame::new(*code, &[]),
            plain => Frame::new(PLAIN.iter().find(|(_, known)| known == plain).map_or(0x1A, |(code, _)| *code), &[]),
        }
    }
}

fn barcode(bytes: &[u8]) -> Escrow {
    digits(bytes).map_or(Escrow::Unreadable, Escrow::Barcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_as_it_is_written() {
        let faults = Fault::ALL.map(Status::Fault);
        let others = [
            Status::Escrow(Escrow::Note(0x64)),
            Status::Escrow(Escrow::Barcode("123456789012345678".to_owned())),
            Status::Escrow(Escrow::Unreadable),
            Status::Rejecting(0x71),
            Status::Invalid,
            Status::Setting(setting::INHIBIT, vec![1]),
            Status::Other(0x99),
        ];
        for status in PLAIN.map(|(_, status)| status).into_iter().chain(faults).chain(others) {
            assert_eq!(Status::of(&status.frame()), status);
        }
    }

    #[test]
    fn a_barcode_has_eighteen_digits() {
        for bad in [&b"6F"[..], b"12345678901234567", b"1234567890123456789", b"12345678901234567x"] {
            let frame = Frame::new(ESCROW, &[&[denomination::BARCODE], bad].concat());
            assert_eq!(Status::of(&frame), Status::Escrow(Escrow::Unreadable));
        }
    }
}
