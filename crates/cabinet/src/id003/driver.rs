//! The driver: it polls, sends what is wanted until the device has obeyed, and reports what changes.
//!
//! It works by level and not by edge: an order stands until the status shows that it was obeyed, so that a lost or damaged
//! frame in either direction costs one poll and nothing else.

use super::codes::Escrow;
use super::{Frame, Reader, Status, command, denomination, setting};
use crate::Millis;
use crate::validator::{Event, Item, Order, Place, Settings, Validator};

/// How often the device is asked.
const POLL: Millis = 150;
/// How long it may take to answer: 50 ms by the protocol, and the time the frames are on the line.
const ANSWER: Millis = 120;
/// So many questions without an answer mean that it is lost.
const UNANSWERED: u32 = 10;

/// A validator that speaks ID-003.
#[derive(Debug)]
pub struct Id003 {
    settings: Settings,
    reader: Reader,
    accepts: bool,
    /// Settings of this initialisation that are still to be sent.
    unsent: Vec<Frame>,
    /// What is to become of what lies in escrow.
    decision: Option<Order>,
    acknowledged: bool,
    /// The last thing said was an order: the status is asked for between two of them.
    ordered: bool,
    reset: bool,
    status: Option<Status>,
    asked: Option<Millis>,
    next: Millis,
    unanswered: u32,
    lost: bool,
}

impl Id003 {
    /// A driver that has heard nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Id003 {
        Id003 {
            settings,
            reader: Reader::default(),
            accepts: false,
            unsent: Vec::new(),
            decision: None,
            acknowledged: false,
            ordered: false,
            reset: false,
            status: None,
            asked: None,
            next: 0,
            unanswered: 0,
            lost: true,
        }
    }

    fn every_setting(&self) -> Vec<Frame> {
        let inhibited = self.settings.denominations.iter().enumerate().filter(|(_, worth)| **worth <= 0);
        let bits = inhibited.fold(0_u8, |bits, (bit, _)| bits | 1 << bit);
        // The last one first: they are taken from the end.
        vec![
            self.inhibit(),
            Frame::new(setting::BARCODE_INHIBIT, &[u8::from(!self.settings.tickets)]),
            Frame::new(setting::BARCODE, &[0x01, 0x12]),
            Frame::new(setting::OPTIONS, &[0, 0]),
            Frame::new(setting::DIRECTION, &[0]),
            Frame::new(setting::SECURITY, &[0, 0]),
            Frame::new(setting::ENABLE, &[bits, 0]),
        ]
    }

    fn inhibit(&self) -> Frame {
        Frame::new(setting::INHIBIT, &[u8::from(!self.accepts)])
    }

    /// What is said next.
    fn question(&mut self) -> Frame {
        let plain = |command| Frame::new(command, &[]);
        match &self.status {
            _ if self.ordered => plain(command::STATUS),
            Some(Status::Initialise) => {
                if self.unsent.is_empty() {
                    self.unsent = self.every_setting();
                }
                // Popped when the device has repeated it.
                self.unsent.last().cloned().unwrap_or_else(|| plain(command::STATUS))
            }
            Some(Status::Escrow(_) | Status::Holding) if self.decision == Some(Order::Stack) => plain(command::STACK),
            Some(Status::Escrow(_) | Status::Holding) if self.decision == Some(Order::Return) => plain(command::RETURN),
            Some(Status::VendValid) if self.acknowledged => plain(command::ACK),
            Some(Status::PowerUp | Status::PowerUpAcceptor | Status::PowerUpStacker | Status::Fault(_))
                if self.reset =>
            {
                plain(command::RESET)
            }
            Some(Status::Idle) if !self.accepts => self.inhibit(),
            Some(Status::Inhibited) if self.accepts => self.inhibit(),
            _ => plain(command::STATUS),
        }
    }

    fn heard(&mut self, frame: &Frame) -> Vec<Event> {
        let status = Status::of(frame);
        let mut events = Vec::new();
        self.unanswered = 0;
        if std::mem::take(&mut self.lost) {
            events.push(Event::Back);
        }
        match status {
            // Answers to orders: whether they were obeyed is seen from the status.
            Status::Acknowledged | Status::Invalid | Status::Other(_) => {
                if self.reset {
                    self.reset = false;
                    self.status = None;
                }
                self.ask_again();
                return events;
            }
            Status::Setting(code, data) => {
                if self.unsent.last().is_some_and(|sent| sent.command == code && sent.data == data) {
                    self.unsent.pop();
                }
                // Idle or inhibited is read anew, and initialise too once everything was sent.
                if self.unsent.is_empty() {
                    self.status = None;
                }
                self.ask_again();
                return events;
            }
            status => {
                if self.status.as_ref() != Some(&status) {
                    self.changed(&status, &mut events);
                    self.status = Some(status);
                }
            }
        }
        events
    }

    /// The next question does not wait.
    fn ask_again(&mut self) {
        self.asked = None;
        self.next = 0;
    }

    fn changed(&mut self, status: &Status, events: &mut Vec<Event>) {
        if let Some(Status::Fault(fault)) = self.status {
            events.push(Event::Cleared(fault));
        }
        if !matches!(status, Status::Escrow(_) | Status::Holding) {
            self.decision = None;
        }
        if *status != Status::VendValid {
            self.acknowledged = false;
        }
        if *status == Status::Initialise {
            self.unsent = self.every_setting();
        }
        events.extend(match status {
            Status::Idle => Some(Event::Waiting(true)),
            Status::Inhibited => Some(Event::Waiting(false)),
            Status::Accepting => Some(Event::Accepting),
            Status::Escrow(escrow) => Some(Event::Escrow(self.item(escrow))),
            Status::Stacking => Some(Event::Stacking),
            Status::VendValid => Some(Event::Vended),
            Status::Stacked => Some(Event::Stacked),
            Status::Rejecting(reason) => Some(Event::Rejected(*reason)),
            Status::Returning => Some(Event::Returned),
            Status::PowerUp => Some(Event::PoweredUp(Place::Nowhere)),
            Status::PowerUpAcceptor => Some(Event::PoweredUp(Place::Acceptor)),
            Status::PowerUpStacker => Some(Event::PoweredUp(Place::Stacker)),
            Status::Fault(fault) => Some(Event::Fault(*fault)),
            _ => None,
        });
    }

    fn item(&self, escrow: &Escrow) -> Item {
        match escrow {
            Escrow::Barcode(digits) => Item::Barcode(digits.clone()),
            Escrow::Note(code) => {
                let at = usize::from(code.saturating_sub(denomination::FIRST));
                match self.settings.denominations.get(at) {
                    Some(worth) if *worth > 0 => Item::Note(*worth),
                    _ => Item::Unknown(*code),
                }
            }
            Escrow::Unreadable => Item::Unknown(0),
        }
    }
}

impl Validator for Id003 {
    fn order(&mut self, order: Order) {
        match order {
            Order::Accept(accepts) => self.accepts = accepts,
            // About what lies in escrow now, and never about the next note.
            Order::Stack | Order::Return => {
                if matches!(self.status, Some(Status::Escrow(_) | Status::Holding)) {
                    self.decision = Some(order);
                }
            }
            Order::Acknowledge => self.acknowledged = true,
            Order::Reset => self.reset = true,
            Order::Mark(_) => {}
        }
    }

    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        for frame in self.reader.feed(bytes).into_iter().flatten() {
            self.asked = None;
            self.next = now + POLL;
            events.extend(self.heard(&frame));
        }
        events
    }

    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Event>) {
        let mut events = Vec::new();
        if self.asked.is_some_and(|asked| now >= asked + ANSWER) {
            self.asked = None;
            self.next = 0;
            self.reader.clear();
            self.unanswered = self.unanswered.saturating_add(1);
            if self.unanswered >= UNANSWERED && !self.lost {
                self.lost = true;
                // What it does next is read as new.
                self.status = None;
                self.unsent.clear();
                events.push(Event::Lost);
            }
        }
        if self.asked.is_some() || now < self.next {
            return (Vec::new(), events);
        }
        let question = self.question();
        self.ordered = matches!(question.command, command::STACK | command::RETURN | command::ACK | command::RESET);
        if question.command == command::ACK {
            // It has no answer.
            self.next = now + ANSWER / 2;
        } else {
            self.asked = Some(now);
        }
        (question.bytes(), events)
    }

    fn due(&self) -> Millis {
        self.asked.map_or(self.next, |asked| asked + ANSWER)
    }

    fn reopened(&mut self) {
        self.reader.clear();
        self.asked = None;
        self.next = 0;
    }
}
