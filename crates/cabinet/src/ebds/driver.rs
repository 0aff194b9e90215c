//! The driver: every poll says everything that is wanted, every reply says everything that is, and a bit alternates.
//!
//! A device takes a poll whose bit has changed as the acknowledgement of its last reply, and repeats that reply otherwise.
//! There is no other acknowledgement: a note that is stacked is reported in one reply. So the bit changes after *stacked*
//! only when the note is on record, and around it only to a value that is: an agent that starts again asks with that
//! bit, and hears again what the one before it may have missed.

use super::Reader;
use super::codes::{Poll, Reply, exception, misc, mode, option, state, status};
use crate::Millis;
use crate::validator::{Event, Fault, Item, Order, Place, Settings, Validator};

/// How often the device is asked.
const POLL: Millis = 100;
/// How long it may take to answer: 30 ms by the protocol, and the time the frames are on the line.
const ANSWER: Millis = 120;
/// So many questions without an answer mean that it is lost.
const UNANSWERED: u32 = 10;
/// The denominations that a poll can name.
const DENOMINATIONS: usize = 7;

/// What a device does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Now {
    ComingUp,
    Accepting,
    Escrow(Item),
    Stacking,
    Stacked,
    Returning,
    Returned,
    Rejected,
    /// It waits; whether it was told to take notes.
    Idle(bool),
    OutOfService,
}

/// A validator that speaks EBDS.
#[derive(Debug)]
pub struct Ebds {
    settings: Settings,
    reader: Reader,
    accepts: bool,
    /// What the device was told of it.
    open: bool,
    decision: Option<Order>,
    acknowledged: bool,
    now: Option<Now>,
    fault: Option<Fault>,
    /// It came up, and where a note was, once that is reported.
    came_up: Option<Option<Place>>,
    /// The bit of the last poll, and whether it was answered.
    mark: bool,
    answered: bool,
    /// The last poll: one whose bit is the same is the same.
    last: Option<Poll>,
    /// The next reply may say that a note is stacked.
    critical: bool,
    /// The bit that was asked to be recorded, and the one that was.
    requested: Option<bool>,
    durable: Option<bool>,
    asked: Option<Millis>,
    next: Millis,
    unanswered: u32,
    lost: bool,
}

impl Ebds {
    /// A driver that has heard nothing yet. `mark` is the bit that was recorded last.
    #[must_use]
    pub fn new(settings: Settings, mark: bool) -> Ebds {
        Ebds {
            settings,
            reader: Reader::default(),
            accepts: false,
            open: false,
            decision: None,
            acknowledged: false,
            now: None,
            fault: None,
            came_up: None,
            mark,
            answered: false,
            last: None,
            critical: true,
            requested: None,
            durable: None,
            asked: None,
            next: 0,
            unanswered: 0,
            lost: true,
        }
    }

    fn enabled(&self) -> u8 {
        let worth = self.settings.denominations.iter().take(DENOMINATIONS).enumerate();
        worth.filter(|(_, worth)| **worth > 0).fold(0, |bits, (bit, _)| bits | 1 << bit)
    }

    /// Whether the next poll may have the other bit: the last reply was heard, and nothing rests on its being repeated.
    fn may_go_on(&self) -> bool {
        let counts = self.now == Some(Now::Stacked) && !self.acknowledged;
        self.answered && !counts
    }

    fn poll(&mut self) -> Poll {
        if matches!(self.now, Some(Now::Idle(_) | Now::OutOfService | Now::Returned | Now::Rejected)) {
            self.open = self.accepts;
        }
        let order = match (&self.now, self.decision) {
            (Some(Now::Escrow(_)), Some(Order::Stack)) => mode::STACK,
            (Some(Now::Escrow(_)), Some(Order::Return)) => mode::RETURN,
            _ => 0,
        };
        let tickets = self.settings.tickets && (self.open || !matches!(self.now, Some(Now::Idle(_))));
        Poll {
            mark: self.mark,
            enabled: if self.open { self.enabled() } else { 0 },
            mode: mode::ESCROW | mode::ANY_WAY | order,
            options: option::POWER_UP | if tickets { option::BARCODE } else { 0 },
        }
    }

    fn heard(&mut self, reply: &Reply) -> Vec<Event> {
        let mut events = Vec::new();
        self.answered = true;
        self.unanswered = 0;
        if std::mem::take(&mut self.lost) {
            events.push(Event::Back);
        }
        let mut now = self.what(reply);
        if now == Now::ComingUp {
            self.came_up = Some(None);
        } else {
            let fault = fault(reply);
            if fault != self.fault {
                events.extend(self.fault.map(Event::Cleared));
                events.extend(fault.map(Event::Fault));
                self.fault = fault;
                self.now = self.now.take().filter(|now| !matches!(now, Now::Idle(_)));
            }
            if fault.is_some() && matches!(now, Now::Idle(_)) {
                now = Now::OutOfService;
            }
        }
        if let Some(reported) = &mut self.came_up {
            if reported.is_none() {
                *reported = place(&now);
                events.extend(reported.map(Event::PoweredUp));
            }
            self.decision = None;
            self.acknowledged = false;
        } else if self.now.as_ref() != Some(&now) {
            self.changed(&now, &mut events);
        }
        match now {
            Now::OutOfService => {}
            Now::ComingUp | Now::Stacking => self.critical = true,
            _ => self.critical = self.decision == Some(Order::Stack),
        }
        self.now = Some(now);
        events
    }

    fn changed(&mut self, now: &Now, events: &mut Vec<Event>) {
        if self.now == Some(Now::Stacked) {
            events.push(Event::Stacked);
        }
        if !matches!(now, Now::Escrow(_)) {
            self.decision = None;
        }
        self.acknowledged = false;
        events.extend(match now {
            Now::Accepting => Some(Event::Accepting),
            Now::Escrow(item) => Some(Event::Escrow(item.clone())),
            Now::Stacking => Some(Event::Stacking),
            Now::Stacked => Some(Event::Vended),
            Now::Returned => Some(Event::Returned),
            Now::Rejected => Some(Event::Rejected(0)),
            Now::Idle(open) => Some(Event::Waiting(*open)),
            Now::ComingUp | Now::Returning | Now::OutOfService => None,
        });
    }

    fn what(&self, reply: &Reply) -> Now {
        let is = |bit| reply.state & bit != 0;
        match reply {
            // The events first: they may come together with what the device does next.
            _ if is(state::STACKED) => Now::Stacked,
            _ if reply.exception & exception::POWER_UP != 0 => Now::ComingUp,
            _ if is(state::RETURNED) => Now::Returned,
            _ if reply.status & status::REJECTED != 0 => Now::Rejected,
            _ if is(state::ESCROWED) => Now::Escrow(self.item(reply)),
            _ if is(state::STACKING) => Now::Stacking,
            _ if is(state::RETURNING) => Now::Returning,
            _ if is(state::ACCEPTING) => Now::Accepting,
            _ if is(state::IDLING) => Now::Idle(self.open),
            _ => Now::OutOfService,
        }
    }

    fn item(&self, reply: &Reply) -> Item {
        match &reply.barcode {
            Some(Some(digits)) => Item::Barcode(digits.clone()),
            Some(None) => Item::Unknown(0),
            None => {
                let code = reply.denomination();
                let at = usize::from(code).checked_sub(1);
                match at.and_then(|at| self.settings.denominations.get(at)) {
                    Some(worth) if *worth > 0 => Item::Note(*worth),
                    _ => Item::Unknown(code),
                }
            }
        }
    }
}

/// Where a note was, once the device is up.
fn place(now: &Now) -> Option<Place> {
    match now {
        Now::Stacked => Some(Place::Stacker),
        Now::Escrow(_) | Now::Returned | Now::Rejected => Some(Place::Acceptor),
        Now::Idle(_) | Now::OutOfService => Some(Place::Nowhere),
        Now::ComingUp | Now::Accepting | Now::Stacking | Now::Returning => None,
    }
}

/// The worst fault of a reply.
fn fault(reply: &Reply) -> Option<Fault> {
    let status = |bit| reply.status & bit != 0;
    match reply {
        _ if reply.exception & exception::FAILURE != 0 => Some(Fault::Failure),
        _ if !status(status::CASSETTE) || reply.exception & exception::OPEN != 0 => Some(Fault::StackerOpen),
        _ if status(status::STACKER_FULL) => Some(Fault::StackerFull),
        _ if reply.misc & misc::STALLED != 0 => Some(Fault::JamStacker),
        _ if status(status::JAMMED) => Some(Fault::JamAcceptor),
        _ if status(status::CHEATED) => Some(Fault::Cheated),
        _ if status(status::PAUSED) => Some(Fault::Pause),
        _ => None,
    }
}

impl Validator for Ebds {
    fn order(&mut self, order: Order) {
        match order {
            Order::Accept(accepts) => self.accepts = accepts,
            // About what lies in escrow now, and never about the next note.
            Order::Stack | Order::Return => {
                if matches!(self.now, Some(Now::Escrow(_))) {
                    self.decision = Some(order);
                    self.critical = order == Order::Stack;
                    self.next = 0;
                }
            }
            Order::Acknowledge => {
                self.acknowledged = self.now == Some(Now::Stacked);
                self.next = 0;
            }
            Order::Mark(mark) => {
                self.durable = Some(mark);
                self.next = 0;
            }
            Order::Reset => match self.came_up.take() {
                Some(Some(Place::Stacker)) => self.acknowledged = true,
                Some(Some(Place::Acceptor)) if matches!(self.now, Some(Now::Escrow(_))) => {
                    self.decision = Some(Order::Return);
                }
                // What it does now is read as new.
                Some(_) => self.now = None,
                None => {}
            },
        }
    }

    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        for frame in self.reader.feed(bytes).into_iter().flatten() {
            let Some(reply) = Reply::of(&frame) else { continue };
            // Otherwise it is late: of a poll that was answered already.
            if reply.mark == self.mark {
                self.asked = None;
                self.next = now + POLL;
                events.extend(self.heard(&reply));
            }
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
                (self.now, self.fault, self.last, self.critical) = (None, None, None, true);
                events.push(Event::Lost);
            }
        }
        if self.asked.is_some() || now < self.next {
            return (Vec::new(), events);
        }
        if self.may_go_on() {
            let other = !self.mark;
            if self.critical && self.durable != Some(other) {
                if self.requested != Some(other) {
                    self.requested = Some(other);
                    self.next = now + POLL;
                    events.push(Event::Mark(other));
                    return (Vec::new(), events);
                }
            } else {
                (self.mark, self.answered, self.last) = (other, false, None);
                (self.requested, self.durable) = (None, None);
            }
        }
        self.asked = Some(now);
        let poll = self.last.unwrap_or_else(|| self.poll());
        self.last = Some(poll);
        (poll.frame().bytes(), events)
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
