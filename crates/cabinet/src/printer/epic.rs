//! TransAct Epic 950 and Epic Edge: ASCII with ESC and GS, and one status byte.
//!
//! What is assumed and was not seen in a manual: `ESC *` takes back *barcode done* and *validation done* of an earlier
//! ticket, and neither is set again before the next barcode is on paper.

use super::{Event, Line, Order, Printer, Slip, Weight};
use crate::Millis;

/// The bits of the status byte.
pub mod status {
    /// The paper runs out soon.
    pub const PAPER_LOW: u8 = 1;
    /// A ticket is in the printer.
    pub const PRESENTED: u8 = 1 << 1;
    /// Top of form.
    pub const TOP: u8 = 1 << 2;
    /// Always set.
    pub const ALWAYS: u8 = 1 << 3;
    /// The barcode is on the paper.
    pub const BARCODE: u8 = 1 << 4;
    /// The ticket is complete.
    pub const VALIDATED: u8 = 1 << 5;
    /// Paper in the path.
    pub const PATH: u8 = 1 << 6;
    /// A jam.
    pub const JAM: u8 = 1 << 7;
}

const ESC: u8 = 0x1B;
const GS: u8 = 0x1D;
const FORM_FEED: u8 = 0x0C;
const RESET: [u8; 2] = [ESC, b'*'];
const ASK: [u8; 2] = [GS, b'z'];

/// How often the printer is asked, and how often while it prints.
const POLL: Millis = 500;
const POLL_PRINTING: Millis = 100;
/// How long it may take to answer.
const ANSWER: Millis = 250;
const UNANSWERED: u32 = 6;

#[derive(Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    /// Reset: until neither bit of the last ticket is set.
    Clearing,
    /// To be printed with the next tick.
    Sending(Box<Slip>),
    /// Until it reports.
    Printing,
}

/// A printer of this family.
#[derive(Debug)]
pub struct Epic {
    phase: Phase,
    /// The reset was sent.
    reset: bool,
    status: Option<u8>,
    ready: Option<bool>,
    asked: Option<Millis>,
    next: Millis,
    unanswered: u32,
    lost: bool,
}

impl Default for Epic {
    fn default() -> Epic {
        Epic {
            phase: Phase::Idle,
            reset: false,
            status: None,
            ready: None,
            asked: None,
            next: 0,
            unanswered: 0,
            lost: true,
        }
    }
}

impl Epic {
    /// The bytes of a ticket.
    #[must_use]
    pub fn job(slip: &Slip) -> Vec<u8> {
        let mut job = Vec::new();
        for line in slip.lines() {
            match line {
                Line::Text(weight, text) => {
                    job.extend([ESC, b'!', if weight == Weight::Large { 0x30 } else { 0 }]);
                    job.extend(text.bytes());
                    job.extend(b"\r\n");
                }
                Line::Barcode(digits) => {
                    job.extend([GS, b'h', 120, GS, b'w', 3, GS, b'V', 0]);
                    job.extend([GS, b'k', 7, u8::try_from(digits.len()).unwrap_or(0)]);
                    job.extend(digits.bytes());
                }
            }
        }
        job.push(FORM_FEED);
        job
    }

    fn heard(&mut self, now_status: u8, events: &mut Vec<Event>) {
        let before = self.status.replace(now_status);
        let is = |bit: u8| now_status & bit != 0;
        for (bit, event) in [
            (status::PAPER_LOW, Event::PaperLow as fn(bool) -> Event),
            (status::JAM, Event::Jam),
            (status::PRESENTED, Event::Presented),
        ] {
            if before.map_or(is(bit), |before| (before ^ now_status) & bit != 0) {
                events.push(event(is(bit)));
            }
        }
        let done = is(status::BARCODE) || is(status::VALIDATED);
        match self.phase {
            Phase::Clearing if self.reset && !done => {
                self.phase = Phase::Idle;
                events.push(Event::Cleared);
            }
            Phase::Printing if is(status::VALIDATED) => {
                self.phase = Phase::Idle;
                events.push(Event::Printed);
            }
            Phase::Printing if is(status::JAM) => {
                self.phase = Phase::Idle;
                events.push(if is(status::BARCODE) { Event::Doubtful } else { Event::Failed });
            }
            _ => {}
        }
        let ready = !is(status::JAM) && !is(status::PRESENTED) && self.phase == Phase::Idle;
        if self.ready.replace(ready) != Some(ready) {
            events.push(Event::Ready(ready));
        }
    }

    fn pause(&self) -> Millis {
        if self.phase == Phase::Idle { POLL } else { POLL_PRINTING }
    }
}

impl Printer for Epic {
    fn order(&mut self, order: Order) {
        self.next = 0;
        match order {
            Order::Clear => (self.phase, self.reset) = (Phase::Clearing, false),
            Order::Print(slip) => self.phase = Phase::Sending(slip),
            Order::Watch => self.phase = Phase::Printing,
        }
    }

    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        for byte in bytes {
            // Anything else is noise, or an answer to a question that was given up.
            if byte & status::ALWAYS == 0 || self.asked.is_none() {
                continue;
            }
            self.asked = None;
            self.unanswered = 0;
            if std::mem::take(&mut self.lost) {
                events.push(Event::Back);
            }
            self.heard(*byte, &mut events);
            self.next = now + self.pause();
        }
        events
    }

    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Event>) {
        let mut events = Vec::new();
        if self.asked.is_some_and(|asked| now >= asked + ANSWER) {
            self.asked = None;
            self.next = 0;
            self.unanswered = self.unanswered.saturating_add(1);
            if self.unanswered >= UNANSWERED && !self.lost {
                self.lost = true;
                (self.status, self.ready) = (None, None);
                events.push(Event::Lost);
            }
        }
        if self.asked.is_some() || now < self.next {
            return (Vec::new(), events);
        }
        let mut bytes = Vec::new();
        if self.phase == Phase::Clearing && !std::mem::replace(&mut self.reset, true) {
            bytes.extend(RESET);
        }
        if let Phase::Sending(slip) = &self.phase {
            bytes.extend(Epic::job(slip));
            self.phase = Phase::Printing;
        }
        bytes.extend(ASK);
        self.asked = Some(now);
        (bytes, events)
    }

    fn due(&self) -> Millis {
        self.asked.map_or(self.next, |asked| asked + ANSWER)
    }

    fn reopened(&mut self) {
        self.asked = None;
        self.next = 0;
        // A reset that was lost with the port is sent again.
        self.reset = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::slip::example;
    use super::*;

    #[test]
    fn a_job_has_these_bytes() {
        let job = Epic::job(&example());
        let barcode = b"\x1dh\x78\x1dw\x03\x1dV\x00\x1dk\x07\x12004218273645546372";
        assert!(job.starts_with(b"\x1b!\x30CASH-OUT TICKET\r\n\x1b!\x30DUPLICATE\r\n\x1b!\x00main\r\n"));
        assert!(job.windows(barcode.len()).any(|part| part == barcode));
        assert!(job.ends_with(b"Ticket 17\r\n\x0c"));
    }

    /// Asks, hears an answer, and gives the events.
    fn answer(printer: &mut Epic, now: Millis, byte: u8) -> (Vec<u8>, Vec<Event>) {
        let (bytes, mut events) = printer.tick(now);
        events.extend(printer.hear(&[byte], now + 10));
        (bytes, events)
    }

    #[test]
    fn printed_is_reported_for_this_ticket_only() {
        let mut printer = Epic::default();
        let old = status::ALWAYS | status::BARCODE | status::VALIDATED;
        assert_eq!(answer(&mut printer, 0, old).1, [Event::Back, Event::Ready(true)]);
        printer.order(Order::Clear);
        let (bytes, events) = answer(&mut printer, 100, old);
        assert_eq!((bytes.as_slice(), events.contains(&Event::Printed)), (&b"\x1b*\x1dz"[..], false));
        assert!(answer(&mut printer, 300, status::ALWAYS).1.contains(&Event::Cleared));
        printer.order(Order::Print(Box::new(example())));
        assert!(answer(&mut printer, 500, status::ALWAYS).0.contains(&FORM_FEED));
        assert_eq!(answer(&mut printer, 700, status::ALWAYS | status::BARCODE).1, []);
        assert!(answer(&mut printer, 900, old).1.contains(&Event::Printed));
        assert!(!answer(&mut printer, 1500, old).1.contains(&Event::Printed), "once");
    }

    #[test]
    fn a_jam_before_the_barcode_has_failed_and_after_it_is_in_doubt() {
        for (bits, event) in [(0, Event::Failed), (status::BARCODE, Event::Doubtful)] {
            let mut printer = Epic::default();
            printer.order(Order::Print(Box::new(example())));
            let events = answer(&mut printer, 0, status::ALWAYS | status::JAM | bits).1;
            assert!(events.contains(&event) && events.contains(&Event::Jam(true)), "{events:?}");
        }
    }

    #[test]
    fn silence_is_reported_once_and_says_nothing_about_a_ticket() {
        let mut printer = Epic::default();
        answer(&mut printer, 0, status::ALWAYS);
        printer.order(Order::Print(Box::new(example())));
        let all: Vec<Event> = (1..40).flat_map(|step| printer.tick(step * 260).1).collect();
        assert_eq!(all, [Event::Lost]);
        let events = answer(&mut printer, 11_000, status::ALWAYS | status::BARCODE | status::VALIDATED).1;
        assert!(events.contains(&Event::Back) && events.contains(&Event::Printed));
    }

    #[test]
    fn noise_is_no_answer() {
        let mut printer = Epic::default();
        assert_eq!(printer.hear(&[0xFF, 0x08], 0), []);
        printer.tick(0);
        assert_eq!(printer.hear(&[0x00, 0x20, 0xF7 & !status::ALWAYS], 1), []);
    }
}
