//! Every code of SSP that is used, in one place, so that an integrator can correct it.

use crate::validator::Fault;

/// What the agent says.
pub mod command {
    /// Starts the device again.
    pub const RESET: u8 = 0x01;
    /// The channels that are taken, two bytes; 1 is enabled.
    pub const INHIBITS: u8 = 0x02;
    /// The version of the protocol.
    pub const VERSION: u8 = 0x06;
    /// Returns what lies in escrow.
    pub const REJECT: u8 = 0x08;
    /// Takes nothing more.
    pub const DISABLE: u8 = 0x09;
    /// Takes notes.
    pub const ENABLE: u8 = 0x0A;
    /// The next command has sequence 0.
    pub const SYNC: u8 = 0x11;
    /// Why the last note was given back.
    pub const LAST_REJECT: u8 = 0x17;
    /// Keeps what lies in escrow there. Any poll stacks it.
    pub const HOLD: u8 = 0x18;
    /// The reader of barcodes: which of its sides, interleaved 2 of 5, 18 characters.
    pub const BARCODE: u8 = 0x23;
    /// What is inhibited: bit 0 notes, bit 1 tickets.
    pub const BARCODE_INHIBIT: u8 = 0x26;
    /// The barcode in escrow.
    pub const BARCODE_DATA: u8 = 0x27;
    /// What happened; a credit is repeated until it is acknowledged.
    pub const POLL: u8 = 0x56;
    /// Acknowledges it.
    pub const ACK: u8 = 0x57;
}

/// What belongs to the commands about barcodes.
pub mod barcode {
    /// Both sides, interleaved 2 of 5, 18 characters.
    pub const READER: [u8; 3] = [0x03, 0x01, 0x12];
    /// Notes and tickets are taken.
    pub const BOTH: u8 = 0xFC;
    /// Notes alone.
    pub const NOTES: u8 = 0xFE;
    /// The state of a ticket in the answer to [`super::command::BARCODE_DATA`]: in escrow.
    pub const IN_ESCROW: u8 = 0x01;
}

/// The first byte of every answer.
pub mod answer {
    /// Understood and done.
    pub const OK: u8 = 0xF0;
    /// A command that the device does not know.
    pub const UNKNOWN: u8 = 0xF2;
    /// Not now.
    pub const NOT_NOW: u8 = 0xF5;
}

/// What the answer to a poll reports. Some name a channel, from 1 on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It came up.
    Reset,
    /// A note is being read (0), or lies in escrow.
    Read(u8),
    /// A ticket lies in escrow.
    Ticket,
    /// A note counts. Repeated until it is acknowledged.
    Credit(u8),
    /// A ticket is where no one can take it. Repeated until it is acknowledged.
    TicketTaken,
    /// It goes into the stacker.
    Stacking,
    /// It is in the stacker.
    Stacked,
    /// It goes back.
    Rejecting,
    /// It was given back.
    Rejected,
    /// At power up a note was given back.
    ClearedFront(u8),
    /// At power up a note was stacked. Repeated until it is acknowledged.
    ClearedCashbox(u8),
    /// It takes nothing.
    Disabled,
    /// All channels are inhibited.
    Inhibited,
    /// It comes up.
    Initialising,
    /// The stacker was taken out.
    StackerOut,
    /// It is back.
    StackerBack,
    /// A fault.
    Fault(Fault),
}

const PLAIN: [(u8, Event); 16] = [
    (0xF1, Event::Reset),
    (0xE5, Event::Ticket),
    (0xD1, Event::TicketTaken),
    (0xCC, Event::Stacking),
    (0xEB, Event::Stacked),
    (0xED, Event::Rejecting),
    (0xEC, Event::Rejected),
    (0xE8, Event::Disabled),
    (0xB5, Event::Inhibited),
    (0xB6, Event::Initialising),
    (0xE0, Event::Fault(Fault::StackerOpen)),
    (0xE3, Event::StackerOut),
    (0xE4, Event::StackerBack),
    (0xE7, Event::Fault(Fault::StackerFull)),
    (0xE9, Event::Fault(Fault::JamAcceptor)),
    (0xEA, Event::Fault(Fault::JamStacker)),
];
const READ: u8 = 0xEF;
const CREDIT: u8 = 0xEE;
const CLEARED_FRONT: u8 = 0xE1;
const CLEARED_CASHBOX: u8 = 0xE2;
const FRAUD: u8 = 0xE6;

impl Event {
    /// The events in an answer to a poll, up to one that is in no table: how long that is, no one knows.
    #[must_use]
    pub fn all(bytes: &[u8]) -> Vec<Event> {
        let (mut rest, mut events) = (bytes, Vec::new());
        while let Some((event, behind)) = Event::first(rest) {
            events.push(event);
            rest = behind;
        }
        events
    }

    fn first(bytes: &[u8]) -> Option<(Event, &[u8])> {
        let (code, rest) = bytes.split_first()?;
        if let Some((_, event)) = PLAIN.iter().find(|(plain, _)| plain == code) {
            return Some((*event, rest));
        }
        let (channel, rest) = rest.split_first()?;
        let event = match *code {
            READ => Event::Read(*channel),
            CREDIT => Event::Credit(*channel),
            CLEARED_FRONT => Event::ClearedFront(*channel),
            CLEARED_CASHBOX => Event::ClearedCashbox(*channel),
            FRAUD => Event::Fault(Fault::Cheated),
            _ => return None,
        };
        Some((event, rest))
    }

    /// As the device says it.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        match self {
            Event::Read(channel) => vec![READ, channel],
            Event::Credit(channel) => vec![CREDIT, channel],
            Event::ClearedFront(channel) => vec![CLEARED_FRONT, channel],
            Event::ClearedCashbox(channel) => vec![CLEARED_CASHBOX, channel],
            Event::Fault(Fault::Cheated) => vec![FRAUD, 0],
            plain => PLAIN.iter().filter(|(_, known)| *known == plain).map(|(code, _)| *code).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read_as_it_is_written() {
        let named = [
            (Event::Read(3), vec![0xEF, 3]),
            (Event::Credit(4), vec![0xEE, 4]),
            (Event::ClearedFront(1), vec![0xE1, 1]),
            (Event::ClearedCashbox(2), vec![0xE2, 2]),
            (Event::Fault(Fault::Cheated), vec![0xE6, 0]),
        ];
        let plain = PLAIN.map(|(code, event)| (event, vec![code]));
        let all: Vec<(Event, Vec<u8>)> = plain.into_iter().chain(named).collect();
        for (event, bytes) in &all {
            assert_eq!((event.bytes(), Event::all(bytes)), (bytes.clone(), vec![*event]));
        }
        let line: Vec<u8> = all.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        assert_eq!(Event::all(&line), all.iter().map(|(event, _)| *event).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_in_no_table_ends_an_answer() {
        assert_eq!(Event::all(&[0xE8, 0x99, 0xEE, 0x01]), [Event::Disabled]);
        assert_eq!(Event::all(&[0xE0, 0xEF]), [Event::Fault(Fault::StackerOpen)]);
    }
}
