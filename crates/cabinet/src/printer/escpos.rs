//! ESC/POS receipt printers, as at a cage and in development. A ticket counts as printed when the printer returns the
//! process id that was sent behind it (`GS ( H`): it answers that once everything before it is on paper.

use super::{Event, Line, Order, Printer, Slip, Weight};
use crate::Millis;

const ESC: u8 = 0x1B;
const GS: u8 = 0x1D;
const DLE: u8 = 0x10;
const EOT: u8 = 0x04;
/// Asks for the state that includes errors of the printer's own, and for that of the paper.
const ASK: [u8; 6] = [DLE, EOT, 3, DLE, EOT, 4];
/// Bits that every answer to `DLE EOT` has, and those it never has.
const FIXED: (u8, u8) = (0x12, 0x81);
/// Cutter and unrecoverable errors.
const ERROR: u8 = 0x28;
/// The paper is near its end, and at it.
const LOW: u8 = 0x0C;
const OUT: u8 = 0x60;

const POLL: Millis = 500;
const ANSWER: Millis = 250;
const UNANSWERED: u32 = 6;

/// A printer that speaks ESC/POS.
#[derive(Debug)]
pub struct EscPos {
    clears: bool,
    sends: Option<Box<Slip>>,
    printing: bool,
    answers: Vec<u8>,
    /// The state of errors and of the paper.
    state: Option<(u8, u8)>,
    ready: Option<bool>,
    asked: Option<Millis>,
    next: Millis,
    unanswered: u32,
    lost: bool,
}

impl Default for EscPos {
    fn default() -> EscPos {
        EscPos {
            clears: false,
            sends: None,
            printing: false,
            answers: Vec::new(),
            state: None,
            ready: None,
            asked: None,
            next: 0,
            unanswered: 0,
            lost: true,
        }
    }
}

impl EscPos {
    /// The bytes of a ticket.
    #[must_use]
    pub fn job(slip: &Slip) -> Vec<u8> {
        let mut job = vec![ESC, b'@', ESC, b'a', 1];
        for line in slip.lines() {
            match line {
                Line::Text(weight, text) => {
                    job.extend([GS, b'!', if weight == Weight::Large { 0x11 } else { 0 }]);
                    job.extend(text.bytes());
                    job.push(b'\n');
                }
                Line::Barcode(digits) => {
                    job.extend([GS, b'h', 100, GS, b'w', 2, GS, b'k', 70]);
                    job.push(u8::try_from(digits.len()).unwrap_or(0));
                    job.extend(digits.bytes());
                }
            }
        }
        job.extend([GS, b'V', 66, 0]);
        job.extend([GS, b'(', b'H', 6, 0, 48, 48]);
        job.extend(process(slip.id));
        job
    }

    fn heard(&mut self, error: u8, paper: u8, events: &mut Vec<Event>) {
        let before = self.state.replace((error, paper));
        let low = |state: (u8, u8)| state.1 & (LOW | OUT) != 0;
        let jam = |state: (u8, u8)| state.0 & ERROR != 0 || state.1 & OUT != 0;
        let now = (error, paper);
        if before.map_or(low(now), |before| low(before) != low(now)) {
            events.push(Event::PaperLow(low(now)));
        }
        if before.map_or(jam(now), |before| jam(before) != jam(now)) {
            events.push(Event::Jam(jam(now)));
        }
        // How far the paper came is not reported: whether the number is on it is not known.
        if jam(now) && std::mem::take(&mut self.printing) {
            events.push(Event::Doubtful);
        }
        if std::mem::take(&mut self.clears) {
            events.push(Event::Cleared);
        }
        let ready = !jam(now) && !self.printing && self.sends.is_none();
        if self.ready.replace(ready) != Some(ready) {
            events.push(Event::Ready(ready));
        }
    }
}

/// Four characters that stand for a ticket.
fn process(id: u64) -> [u8; 4] {
    let digit = |place: u64| b' ' + u8::try_from(id / place % 95).unwrap_or(0);
    [digit(95 * 95 * 95), digit(95 * 95), digit(95), digit(1)]
}

impl Printer for EscPos {
    fn order(&mut self, order: Order) {
        self.next = 0;
        match order {
            Order::Clear => self.clears = true,
            Order::Print(slip) => self.sends = Some(slip),
            // The answer of a ticket that was sent before may have been lost: it stays in doubt (D25).
            Order::Watch => self.printing = true,
        }
    }

    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Event> {
        let mut events = Vec::new();
        for byte in bytes {
            self.answers.push(*byte);
            let answers = self.answers.as_slice();
            if let [0x37, 0x22, _, _, _, _, 0] = answers {
                self.answers.clear();
                if std::mem::take(&mut self.printing) {
                    events.push(Event::Printed);
                }
            } else if let [error, paper] = *answers
                && error != 0x37
            {
                let fixed = |byte: u8| byte & FIXED.0 == FIXED.0 && byte & FIXED.1 == 0;
                self.answers.clear();
                if fixed(error) && fixed(paper) && self.asked.take().is_some() {
                    self.unanswered = 0;
                    if std::mem::take(&mut self.lost) {
                        events.push(Event::Back);
                    }
                    self.heard(error, paper, &mut events);
                    self.next = now + POLL;
                }
            } else if answers.len() >= 7 {
                self.answers.clear();
            }
        }
        events
    }

    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Event>) {
        let mut events = Vec::new();
        if self.asked.is_some_and(|asked| now >= asked + ANSWER) {
            self.asked = None;
            self.next = 0;
            self.answers.clear();
            self.unanswered = self.unanswered.saturating_add(1);
            if self.unanswered >= UNANSWERED && !self.lost {
                self.lost = true;
                (self.state, self.ready) = (None, None);
                events.push(Event::Lost);
            }
        }
        if self.asked.is_some() || now < self.next {
            return (Vec::new(), events);
        }
        let mut bytes = Vec::new();
        if let Some(slip) = self.sends.take() {
            bytes.extend(EscPos::job(&slip));
            self.printing = true;
        }
        bytes.extend(ASK);
        self.asked = Some(now);
        (bytes, events)
    }

    fn due(&self) -> Millis {
        self.asked.map_or(self.next, |asked| asked + ANSWER)
    }

    fn reopened(&mut self) {
        self.answers.clear();
        self.asked = None;
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::slip::example;
    use super::*;

    #[test]
    fn a_job_has_these_bytes() {
        let job = EscPos::job(&example());
        let barcode = b"\x1dh\x64\x1dw\x02\x1dkF\x12004218273645546372";
        assert!(job.starts_with(b"\x1b@\x1ba\x01\x1d!\x11CASH-OUT TICKET\n"));
        assert!(job.windows(barcode.len()).any(|part| part == barcode));
        assert!(job.ends_with(b"\x1dVB\x00\x1d(H\x06\x0000   1"));
    }

    #[test]
    fn a_ticket_is_printed_when_its_process_id_comes_back() {
        let mut printer = EscPos::default();
        printer.order(Order::Print(Box::new(example())));
        printer.tick(0);
        assert_eq!(printer.hear(&[0x12, 0x12], 10), [Event::Back, Event::Ready(false)]);
        assert_eq!(printer.hear(b"\x37\x22   1\x00", 20), [Event::Printed]);
        printer.tick(600);
        assert_eq!(printer.hear(&[0x12, 0x12 | OUT], 610), [Event::PaperLow(true), Event::Jam(true)]);
    }
}
