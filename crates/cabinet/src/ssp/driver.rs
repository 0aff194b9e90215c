//! The driver: it asks again with the same sequence until it has an answer, holds what lies in escrow, since any poll would
//! stack it, and polls with acknowledgement, so that a credit is repeated until it is on record.

use super::codes::{Event as Seen, answer, barcode, command};
use super::{Frame, Reader};
use crate::Millis;
use crate::validator::{Event, Fault, Item, Order, Place, Settings, Validator, digits};

/// How often the device is asked.
const POLL: Millis = 200;
/// How long it may take to answer, and the time the frames are on the line.
const ANSWER: Millis = 200;
/// So many questions without an answer mean that it is lost.
const UNANSWERED: u32 = 8;
/// So many answers without a word of what was on its way mean that it is gone.
const FORGOTTEN: u32 = 50;
/// The version of the protocol that is asked for.
const VERSION: u8 = 6;

/// What was asked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Ask {
    Sync,
    Setting,
    Open(bool),
    Poll,
    Hold,
    Reject,
    Acknowledge,
    Barcode,
    Reason,
}

/// A note validator that speaks SSP.
#[derive(Debug)]
pub struct Ssp {
    settings: Settings,
    reader: Reader,
    accepts: bool,
    /// What the device was told of it, if anything.
    open: Option<bool>,
    /// What is said before the first poll, the next one last.
    unsent: Vec<(Ask, Vec<u8>)>,
    /// Something lies in escrow.
    held: bool,
    /// A ticket does, and is not read yet: whether it is held.
    ticket: Option<bool>,
    decision: Option<Order>,
    returning: bool,
    /// The reason of a rejection is to be asked for.
    reason: bool,
    /// A credit was reported and not acknowledged; and whether it is on record.
    counted: bool,
    acknowledged: bool,
    /// It came up, and where a note was, once that is reported.
    came_up: Option<Option<Place>>,
    /// Something is on its way; for so many answers nothing was said of it.
    moving: Option<u32>,
    /// What was reported last of it.
    last: Option<Event>,
    stacker_out: bool,
    fault: Option<Fault>,
    waiting: Option<bool>,
    /// The question that has no answer yet, and its sequence.
    question: Option<(Ask, Vec<u8>)>,
    sequence: bool,
    asked: Option<Millis>,
    next: Millis,
    unanswered: u32,
    lost: bool,
}

impl Ssp {
    /// A driver that has heard nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Ssp {
        let mut driver = Ssp {
            settings,
            reader: Reader::default(),
            accepts: false,
            open: None,
            unsent: Vec::new(),
            held: false,
            ticket: None,
            decision: None,
            returning: false,
            reason: false,
            counted: false,
            acknowledged: false,
            came_up: None,
            moving: None,
            last: None,
            stacker_out: false,
            fault: None,
            waiting: None,
            question: None,
            sequence: true,
            asked: None,
            next: 0,
            unanswered: 0,
            lost: true,
        };
        driver.begin(true);
        driver
    }

    /// Nothing is known of the device. `again`: not even whether something lies in its escrow, which would be stacked with
    /// the first poll.
    fn begin(&mut self, again: bool) {
        let worth = self.settings.denominations.iter().enumerate();
        let channels = worth.filter(|(_, worth)| **worth > 0).fold(0, |bits, (bit, _)| bits | 1 << bit);
        let taken = if self.settings.tickets { barcode::BOTH } else { barcode::NOTES };
        let setting = |words: &[u8]| (Ask::Setting, words.to_vec());
        self.unsent = vec![
            setting(&[command::BARCODE_INHIBIT, taken]),
            setting(&[&[command::BARCODE], &barcode::READER[..]].concat()),
            setting(&[command::INHIBITS, channels, 0]),
            setting(&[command::VERSION, VERSION]),
        ];
        if again {
            self.unsent.push(setting(&[command::REJECT]));
            self.unsent.push((Ask::Sync, vec![command::SYNC]));
            self.question = None;
        }
        (self.open, self.waiting, self.moving, self.last) = (None, None, None, None);
        (self.held, self.ticket, self.decision) = (false, None, None);
        (self.returning, self.reason, self.counted, self.acknowledged) = (false, false, false, false);
        self.stacker_out = false;
    }

    fn next_question(&self) -> (Ask, Vec<u8>) {
        let plain = |ask, command| (ask, vec![command]);
        if let Some(first) = self.unsent.last() {
            return first.clone();
        }
        match self {
            _ if self.counted && self.acknowledged => plain(Ask::Acknowledge, command::ACK),
            _ if self.reason => plain(Ask::Reason, command::LAST_REJECT),
            _ if self.ticket == Some(true) => plain(Ask::Barcode, command::BARCODE_DATA),
            _ if self.held && self.decision == Some(Order::Return) => plain(Ask::Reject, command::REJECT),
            _ if self.held && self.decision.is_none() => plain(Ask::Hold, command::HOLD),
            _ if self.waiting.is_some() && self.open != Some(self.accepts) => {
                plain(Ask::Open(self.accepts), if self.accepts { command::ENABLE } else { command::DISABLE })
            }
            _ => plain(Ask::Poll, command::POLL),
        }
    }

    fn answered(&mut self, ask: Ask, data: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        let (code, rest) = data.split_first().map_or((0, data), |(code, rest)| (*code, rest));
        let done = code == answer::OK;
        match ask {
            // A validator without a reader of barcodes does not know all of the settings.
            Ask::Sync | Ask::Setting => drop(self.unsent.pop()),
            Ask::Open(open) => {
                if done {
                    self.open = Some(open);
                }
                self.waiting = None;
            }
            Ask::Poll if done => self.happened(&Seen::all(rest), &mut events),
            // Without acknowledgement a credit could be lost: such a device is not used.
            Ask::Poll if code == answer::UNKNOWN => self.faulty(Some(Fault::Failure), &mut events),
            Ask::Poll => {}
            Ask::Hold if done => self.ticket = self.ticket.map(|_| true),
            Ask::Hold => (self.held, self.ticket) = (false, None),
            Ask::Reject => (self.held, self.decision, self.returning) = (false, None, done),
            Ask::Acknowledge => (self.counted, self.acknowledged) = (false, false),
            Ask::Barcode => {
                self.ticket = None;
                let text = match rest {
                    [barcode::IN_ESCROW, _, text @ ..] if done => digits(text),
                    _ => None,
                };
                events.push(Event::Escrow(text.map_or(Item::Unknown(0), Item::Barcode)));
            }
            Ask::Reason => {
                self.reason = false;
                events.push(Event::Rejected(rest.first().copied().unwrap_or(0)));
            }
        }
        events
    }

    fn happened(&mut self, seen: &[Seen], events: &mut Vec<Event>) {
        let (mut coming_up, mut disabled, mut fault) = (false, false, None);
        for one in seen {
            match *one {
                Seen::Reset => {
                    self.begin(false);
                    (self.came_up, coming_up) = (Some(None), true);
                }
                Seen::Initialising => coming_up = true,
                Seen::Disabled => disabled = true,
                Seen::Inhibited => {}
                Seen::StackerOut => self.stacker_out = true,
                Seen::StackerBack => self.stacker_out = false,
                Seen::Fault(worse) => fault = fault.or(Some(worse)),
                Seen::ClearedFront(_) => self.powered_up(Place::Acceptor, events),
                Seen::ClearedCashbox(_) => self.powered_up(Place::Stacker, events),
                moved => self.moved(moved, events),
            }
        }
        if self.stacker_out {
            fault = Some(Fault::StackerOpen);
        }
        self.faulty(fault, events);
        let silent = seen.iter().all(|one| *one == Seen::Disabled);
        self.moving = match self.moving {
            Some(silence) if silent => Some(silence.saturating_add(1)).filter(|silence| *silence < FORGOTTEN),
            moving => moving.map(|_| 0),
        };
        if self.moving.is_some() || self.reason || coming_up {
            return;
        }
        if self.came_up == Some(None) {
            self.powered_up(Place::Nowhere, events);
        } else if self.came_up.is_none() && self.fault.is_none() && self.waiting != Some(!disabled) {
            self.waiting = Some(!disabled);
            events.push(Event::Waiting(!disabled));
        }
    }

    /// Something is on its way.
    fn moved(&mut self, seen: Seen, events: &mut Vec<Event>) {
        self.waiting = None;
        let in_escrow = matches!(seen, Seen::Read(1..) | Seen::Ticket);
        if !in_escrow {
            (self.held, self.ticket, self.decision) = (false, None, None);
        }
        let mut said = None;
        match seen {
            Seen::Read(0) => said = Some(Event::Accepting),
            Seen::Read(channel) if !self.held => {
                self.held = true;
                events.push(Event::Escrow(self.note(channel)));
            }
            Seen::Ticket if !self.held => (self.held, self.ticket) = (true, Some(false)),
            Seen::Stacking => said = Some(Event::Stacking),
            Seen::Credit(_) | Seen::TicketTaken if !self.counted => {
                self.counted = true;
                events.push(Event::Vended);
            }
            Seen::Stacked => said = Some(Event::Stacked),
            Seen::Rejected if self.returning => said = Some(Event::Returned),
            Seen::Rejected => self.reason = true,
            _ => {}
        }
        if said.is_some() && said != self.last {
            events.extend(said.clone());
        }
        self.last = said;
        if matches!(seen, Seen::Stacked | Seen::Rejected) {
            (self.moving, self.returning, self.last) = (None, false, None);
        } else {
            self.moving = Some(0);
        }
    }

    fn powered_up(&mut self, place: Place, events: &mut Vec<Event>) {
        // A note in the stacker is repeated until it is acknowledged.
        if matches!(self.came_up, Some(Some(_))) || (place == Place::Stacker && self.counted) {
            return;
        }
        self.counted = place == Place::Stacker;
        self.moving = None;
        self.came_up = Some(Some(place));
        events.push(Event::PoweredUp(place));
    }

    fn faulty(&mut self, fault: Option<Fault>, events: &mut Vec<Event>) {
        if fault != self.fault {
            events.extend(self.fault.map(Event::Cleared));
            events.extend(fault.map(Event::Fault));
            self.fault = fault;
            self.waiting = None;
        }
    }

    fn note(&self, channel: u8) -> Item {
        let at = usize::from(channel).checked_sub(1);
        match at.and_then(|at| self.settings.denominations.get(at)) {
            Some(worth) if *worth > 0 => Item::Note(*worth),
            _ => Item::Unknown(channel),
        }
    }
}

impl Validator for Ssp {
    fn order(&mut self, order: Order) {
        match order {
            Order::Accept(accepts) => self.accepts = accepts,
            // About what lies in escrow now, and never about the next note.
            Order::Stack | Order::Return => {
                if self.held && self.ticket.is_none() {
                    self.decision = Some(order);
                    self.next = 0;
                }
            }
            Order::Acknowledge => {
                self.acknowledged = self.counted;
                self.next = 0;
            }
            Order::Reset => {
                self.acknowledged = self.counted;
                self.came_up = None;
            }
            Order::Mark(_) => {}
        }
    }

    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        for frame in self.reader.feed(bytes).into_iter().flatten() {
            // Otherwise it is late: of a question that was answered already.
            if frame.sequence != self.sequence {
                continue;
            }
            let Some((ask, _)) = self.question.take() else { continue };
            self.asked = None;
            self.unanswered = 0;
            self.sequence = ask != Ask::Sync && !self.sequence;
            if std::mem::take(&mut self.lost) {
                events.push(Event::Back);
            }
            events.extend(self.answered(ask, &frame.data));
            // What follows from the answer is said at once; the same again after a while.
            let same = matches!(ask, Ask::Poll | Ask::Hold) && self.next_question().0 == ask;
            self.next = if same { now + POLL } else { now };
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
                (self.fault, self.came_up) = (None, None);
                self.begin(true);
                events.push(Event::Lost);
            }
        }
        if self.asked.is_some() || now < self.next {
            return (Vec::new(), events);
        }
        self.asked = Some(now);
        let (ask, words) = self.question.clone().unwrap_or_else(|| self.next_question());
        if ask == Ask::Sync {
            self.sequence = true;
        }
        self.question = Some((ask, words.clone()));
        (Frame::new(self.sequence, &words).bytes(), events)
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
