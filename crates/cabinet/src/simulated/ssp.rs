//! What a validator says in SSP.

use super::validator::{Machine, Phase, Speaker};
use crate::Millis;
use crate::ssp::{Event, Frame, Reader, answer, barcode, command};
use crate::validator::Fault;

#[derive(Debug, Default)]
pub(super) struct Ssp {
    reader: Reader,
    /// The last answer, and the sequence of its question: the same sequence asks for it again.
    last: Option<Frame>,
    /// It has said that it came up.
    known: bool,
    /// A note at power up was reported.
    cleared: bool,
    enabled: bool,
    channels: u8,
    tickets: bool,
    /// What lies in escrow was reported: the next poll stacks it.
    shown: bool,
    stacker_out: bool,
    reason: u8,
}

impl Speaker for Ssp {
    fn hear(&mut self, machine: &mut Machine, bytes: &[u8], now: Millis) -> Vec<Vec<u8>> {
        let frames = self.reader.feed(bytes);
        frames.into_iter().flatten().map(|frame| self.answer(machine, &frame, now).bytes()).collect()
    }
}

impl Ssp {
    fn answer(&mut self, machine: &mut Machine, frame: &Frame, now: Millis) -> Frame {
        let sync = frame.data.first() == Some(&command::SYNC);
        if let Some(last) = self.last.as_ref().filter(|last| last.sequence == frame.sequence && !sync) {
            return last.clone();
        }
        let reply = Frame::new(frame.sequence, &self.reply(machine, &frame.data, now));
        // After a sync the next question has sequence 0.
        self.last = Some(Frame { sequence: frame.sequence || sync, ..reply.clone() });
        reply
    }

    fn reply(&mut self, machine: &mut Machine, words: &[u8], now: Millis) -> Vec<u8> {
        let escrow = machine.phase == Phase::Escrow && machine.fault.is_none();
        let when = |good: bool| vec![if good { answer::OK } else { answer::NOT_NOW }];
        let reply = match words {
            [command::SYNC] | [command::VERSION, _] | [command::BARCODE, _, _, _] => when(true),
            [command::INHIBITS, low, _] => {
                self.channels = *low;
                when(true)
            }
            [command::BARCODE_INHIBIT, inhibited] => {
                self.tickets = *inhibited == barcode::BOTH;
                when(true)
            }
            [command::ENABLE] => {
                self.enabled = true;
                when(true)
            }
            [command::DISABLE] => {
                self.enabled = false;
                when(true)
            }
            [command::REJECT] => {
                if escrow {
                    machine.go(Phase::Returning, now);
                }
                when(escrow)
            }
            [command::HOLD] => when(escrow && self.shown),
            [command::BARCODE_DATA] => {
                let digits = machine.ticket().filter(|_| escrow).unwrap_or_default();
                let status = if digits.is_empty() { 0 } else { barcode::IN_ESCROW };
                let length = u8::try_from(digits.len()).unwrap_or(0);
                [&[answer::OK, status, length], digits.as_bytes()].concat()
            }
            [command::LAST_REJECT] => vec![answer::OK, self.reason],
            [command::ACK] => {
                let waits = machine.state.unacknowledged;
                machine.state.unacknowledged = false;
                if machine.phase == Phase::Counted {
                    machine.go(Phase::Stacked, now);
                }
                when(waits)
            }
            [command::POLL] => {
                let events = self.events(machine, now);
                [vec![answer::OK], events.into_iter().flat_map(Event::bytes).collect()].concat()
            }
            _ => vec![answer::UNKNOWN],
        };
        machine.inhibited = !self.enabled || (self.channels == 0 && !self.tickets);
        reply
    }

    fn events(&mut self, machine: &mut Machine, now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        if !self.known {
            self.known = true;
            events.push(Event::Reset);
        }
        match machine.fault {
            Some(Fault::StackerOpen) if self.stacker_out => {}
            Some(Fault::StackerOpen) => {
                self.stacker_out = true;
                events.push(Event::StackerOut);
            }
            Some(fault) => events.push(Event::Fault(fault)),
            None if std::mem::take(&mut self.stacker_out) => events.push(Event::StackerBack),
            None => {}
        }
        if machine.fault.is_none() {
            self.movement(machine, now, &mut events);
        }
        if !self.enabled {
            events.push(Event::Disabled);
        }
        events
    }

    fn movement(&mut self, machine: &mut Machine, now: Millis, events: &mut Vec<Event>) {
        let channel = machine.place().map_or(0, |at| at + 1);
        match std::mem::take(&mut machine.over) {
            Some(Phase::Rejecting(_)) => {
                self.reason = 2;
                events.push(Event::Rejected);
            }
            Some(_) => {
                self.reason = 8;
                events.push(Event::Rejected);
            }
            None => {}
        }
        match machine.phase {
            Phase::PowerUp | Phase::Initialise => {
                events.push(Event::Initialising);
                if machine.state.unacknowledged {
                    events.push(Event::ClearedCashbox(channel));
                } else if machine.state.path.is_some() && !self.cleared {
                    self.cleared = true;
                    events.push(Event::ClearedFront(channel));
                    machine.give_back();
                } else if machine.over(now) {
                    machine.go(Phase::Waiting, now);
                }
            }
            Phase::Accepting => events.push(Event::Read(0)),
            Phase::Escrow if self.shown => {
                // It was not held.
                self.shown = false;
                machine.go(Phase::Stacking, now);
                events.push(Event::Stacking);
            }
            Phase::Escrow => {
                self.shown = true;
                events.push(if machine.ticket().is_some() { Event::Ticket } else { Event::Read(channel) });
            }
            Phase::Stacking => events.push(Event::Stacking),
            Phase::Counted if machine.ticket().is_some() => events.push(Event::TicketTaken),
            Phase::Counted => events.push(Event::Credit(channel)),
            Phase::Stacked => {
                events.push(Event::Stacked);
                machine.go(Phase::Waiting, now);
            }
            Phase::Rejecting(_) | Phase::Returning => events.push(Event::Rejecting),
            Phase::Waiting => {}
        }
        if machine.phase != Phase::Escrow {
            self.shown = false;
        }
    }
}
