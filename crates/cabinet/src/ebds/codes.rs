//! Every code of EBDS that is used, in one place, so that an integrator can correct it.

use super::Frame;
use crate::validator::digits;

/// The types of messages.
pub mod kind {
    /// A poll of the host.
    pub const POLL: u8 = 1;
    /// The reply of the device.
    pub const REPLY: u8 = 2;
    /// A reply with more behind it.
    pub const EXTENDED: u8 = 7;
}

/// The subtype of a reply with a barcode, and how many characters it has: those that are not used are `PAD`.
pub const BARCODE: u8 = 0x01;
const CHARACTERS: usize = 28;
const PAD: u8 = b'(';

/// The second byte of a poll: the operational mode.
pub mod mode {
    /// Notes in any orientation.
    pub const ANY_WAY: u8 = 0x08;
    /// Notes wait in escrow.
    pub const ESCROW: u8 = 0x10;
    /// Stacks what lies in escrow.
    pub const STACK: u8 = 0x20;
    /// Returns what lies in escrow.
    pub const RETURN: u8 = 0x40;
}

/// The third byte of a poll: the configuration.
pub mod option {
    /// Barcodes are taken.
    pub const BARCODE: u8 = 0x02;
    /// After a loss of power a note in escrow is held, and one behind it is stacked and reported with its value (policy B).
    pub const POWER_UP: u8 = 0x04;
}

/// The first byte of a reply: the device's state.
pub mod state {
    /// It waits.
    pub const IDLING: u8 = 0x01;
    /// Something is on its way in.
    pub const ACCEPTING: u8 = 0x02;
    /// Something lies in escrow.
    pub const ESCROWED: u8 = 0x04;
    /// It goes into the stacker.
    pub const STACKING: u8 = 0x08;
    /// It is in the stacker: it counts.
    pub const STACKED: u8 = 0x10;
    /// It goes back.
    pub const RETURNING: u8 = 0x20;
    /// It was given back.
    pub const RETURNED: u8 = 0x40;
}

/// The second byte of a reply.
pub mod status {
    /// An attempt at cheating.
    pub const CHEATED: u8 = 0x01;
    /// What was put in was not recognised, and was given back.
    pub const REJECTED: u8 = 0x02;
    /// A jam.
    pub const JAMMED: u8 = 0x04;
    /// The stacker is full.
    pub const STACKER_FULL: u8 = 0x08;
    /// The stacker is there.
    pub const CASSETTE: u8 = 0x10;
    /// A second note was put in too early.
    pub const PAUSED: u8 = 0x20;
}

/// The third byte of a reply.
pub mod exception {
    /// It comes up.
    pub const POWER_UP: u8 = 0x01;
    /// It has failed.
    pub const FAILURE: u8 = 0x04;
    /// Where the number of the denomination begins, 1 to 7; it has three bits.
    pub const VALUE: u8 = 3;
    /// The path of the notes is open.
    pub const OPEN: u8 = 0x40;
}

/// The fourth byte of a reply.
pub mod misc {
    /// A note is stuck on its way into the stacker.
    pub const STALLED: u8 = 0x01;
}

/// A poll of the host: it says everything that is wanted, every time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The bit that alternates.
    pub mark: bool,
    /// The denominations that are taken, a bit each.
    pub enabled: u8,
    /// See [`mode`].
    pub mode: u8,
    /// See [`option`].
    pub options: u8,
}

impl Poll {
    /// What a frame of the host says.
    #[must_use]
    pub fn of(frame: &Frame) -> Option<Poll> {
        match frame.data.as_slice() {
            [enabled, mode, options] if frame.kind() == kind::POLL => {
                Some(Poll { mark: frame.mark(), enabled: *enabled, mode: *mode, options: *options })
            }
            _ => None,
        }
    }

    /// As the host says it.
    #[must_use]
    pub fn frame(&self) -> Frame {
        Frame::new(kind::POLL << 4 | u8::from(self.mark), &[self.enabled, self.mode, self.options])
    }
}

/// A reply of the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The bit that alternates, of the poll that it answers.
    pub mark: bool,
    /// See [`state`].
    pub state: u8,
    /// See [`status`].
    pub status: u8,
    /// See [`exception`].
    pub exception: u8,
    /// See [`misc`].
    pub misc: u8,
    /// A barcode in escrow; `None` inside is one that cannot be read.
    pub barcode: Option<Option<String>>,
}

impl Reply {
    /// What a frame of the device says.
    #[must_use]
    pub fn of(frame: &Frame) -> Option<Reply> {
        let (bytes, barcode) = match (frame.kind(), frame.data.as_slice()) {
            (kind::REPLY, bytes) => (bytes, None),
            (kind::EXTENDED, [BARCODE, rest @ ..]) => {
                let (bytes, text) = rest.split_at_checked(6)?;
                let end = text.iter().position(|byte| *byte == PAD).unwrap_or(text.len());
                (bytes, Some(digits(text.get(..end).unwrap_or_default())))
            }
            _ => return None,
        };
        let &[state, status, exception, misc, _model, _revision] = bytes else { return None };
        Some(Reply { mark: frame.mark(), state, status, exception, misc, barcode })
    }

    /// As the device says it.
    #[must_use]
    pub fn frame(&self) -> Frame {
        let bytes = [self.state, self.status, self.exception, self.misc, 0x54, 0x01];
        let control = |kind: u8| kind << 4 | u8::from(self.mark);
        match &self.barcode {
            None => Frame::new(control(kind::REPLY), &bytes),
            Some(text) => {
                let mut characters = text.clone().unwrap_or_default().into_bytes();
                characters.resize(CHARACTERS, PAD);
                Frame::new(control(kind::EXTENDED), &[&[BARCODE], &bytes[..], &characters].concat())
            }
        }
    }

    /// The number of the denomination, 1 to 7; 0 is none.
    #[must_use]
    pub fn denomination(&self) -> u8 {
        self.exception >> exception::VALUE & 0x07
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reply_is_read_as_it_is_written() {
        let idle = Reply { state: state::IDLING, status: status::CASSETTE, ..Reply::default() };
        assert_eq!(idle.frame().bytes(), [0x02, 0x0B, 0x20, 0x01, 0x10, 0x00, 0x00, 0x54, 0x01, 0x03, 0x6F]);
        let code = Some(Some("004218273645546372".to_owned()));
        let ticket = Reply { mark: true, state: state::ESCROWED, barcode: code, ..idle.clone() };
        let bytes = ticket.frame().bytes();
        assert_eq!((bytes.len(), bytes[1], bytes[2], bytes[3]), (40, 0x28, 0x71, BARCODE));
        assert_eq!(&bytes[10..38], b"004218273645546372((((((((((");
        for bits in 0..7 {
            for reply in [
                Reply { state: 1 << bits, ..idle.clone() },
                Reply { status: 1 << bits, ..idle.clone() },
                Reply { exception: 1 << bits, ..idle.clone() },
                Reply { misc: 1 << bits, mark: true, ..idle.clone() },
                ticket.clone(),
                Reply { barcode: Some(None), ..ticket.clone() },
            ] {
                assert_eq!(Reply::of(&reply.frame()), Some(reply));
            }
        }
        assert_eq!(Reply { exception: 0x28, ..idle }.denomination(), 5);
    }

    #[test]
    fn every_poll_is_read_as_it_is_written() {
        for mode in [mode::ESCROW, mode::ESCROW | mode::STACK, mode::ESCROW | mode::RETURN] {
            let poll = Poll { mark: true, enabled: 0x1F, mode, options: option::BARCODE };
            assert_eq!(Poll::of(&poll.frame()), Some(poll));
        }
        assert_eq!(Poll::of(&Frame::new(0x20, &[0, 0, 0])), None);
    }
}
