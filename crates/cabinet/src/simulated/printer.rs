//! A ticket printer of the Epic family. It decodes the job and reads the barcode back from its bars.

use serde::{Deserialize, Serialize};

use super::{Device, Speech};
use crate::Millis;
use crate::printer::{epic_status as status, read_bars, widths};

/// A ticket on paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paper {
    /// The lines of text; `|` stands where the barcode is.
    pub lines: Vec<String>,
    /// What the barcode says, if it was printed.
    pub barcode: Option<String>,
    /// Whether it was printed to its end.
    pub complete: bool,
}

/// What the printer has put on paper. It stays when the power is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrinterState {
    /// The tickets that came out, the oldest first.
    pub papers: Vec<Paper>,
    /// The last one was not taken yet.
    pub presented: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Text,
    Barcode,
}

/// A simulated printer.
#[derive(Debug)]
pub struct Printer {
    state: PrinterState,
    phase: Phase,
    since: Millis,
    pace: Millis,
    /// What was sent and not printed yet.
    job: Vec<u8>,
    pending: Vec<u8>,
    flags: u8,
    jam: bool,
    low: bool,
    /// Jams at the next ticket: before its barcode, or after it.
    jams_at: Option<Phase>,
    /// Loses its power at that moment of the next ticket.
    dies_at: Option<Phase>,
    /// Tickets are taken as soon as they come out.
    taken: bool,
    speech: Speech,
}

const ESC: u8 = 0x1B;
const GS: u8 = 0x1D;
/// The longest job.
const MOST: usize = 8192;

impl Printer {
    /// A printer that is switched on with what it holds.
    #[must_use]
    pub fn new(state: PrinterState, pace: Millis) -> Printer {
        Printer {
            state,
            phase: Phase::Idle,
            since: 0,
            pace,
            job: Vec::new(),
            pending: Vec::new(),
            flags: 0,
            jam: false,
            low: false,
            jams_at: None,
            dies_at: None,
            taken: true,
            speech: Speech::default(),
        }
    }

    /// What it has printed.
    #[must_use]
    pub fn printed(&self) -> &PrinterState {
        &self.state
    }

    fn status(&self) -> u8 {
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        status::ALWAYS
            | self.flags
            | bit(self.jam, status::JAM)
            | bit(self.low, status::PAPER_LOW)
            | bit(self.state.presented, status::PRESENTED)
            | bit(self.phase == Phase::Idle, status::TOP)
            | bit(self.phase != Phase::Idle, status::PATH)
    }

    fn power(&mut self) {
        let (state, taken, low) = (self.state.clone(), self.taken, self.low);
        *self = Printer::new(state, self.pace);
        (self.taken, self.low) = (taken, low);
    }

    /// Whether something goes wrong at this moment.
    fn mishap(&mut self, phase: Phase) -> bool {
        if self.dies_at == Some(phase) {
            self.power();
            return true;
        }
        if self.jams_at == Some(phase) {
            self.jams_at = None;
            self.jam = true;
            self.phase = Phase::Idle;
            return true;
        }
        false
    }

    fn advance(&mut self, now: Millis) {
        if now < self.since + self.pace {
            return;
        }
        match self.phase {
            Phase::Idle => {}
            Phase::Text => {
                if self.mishap(Phase::Text) {
                    return;
                }
                let (lines, barcode) = decode(&self.job);
                self.state.papers.push(Paper { lines, barcode, complete: false });
                self.flags |= status::BARCODE;
                (self.phase, self.since) = (Phase::Barcode, now);
            }
            Phase::Barcode => {
                if self.mishap(Phase::Barcode) {
                    return;
                }
                if let Some(paper) = self.state.papers.last_mut() {
                    paper.complete = true;
                }
                self.state.presented = !self.taken;
                self.flags |= status::VALIDATED;
                self.phase = Phase::Idle;
                self.job.clear();
            }
        }
    }

    fn take(&mut self, byte: u8, now: Millis) {
        self.pending.push(byte);
        match self.pending.as_slice() {
            [ESC, b'*'] => {
                self.pending.clear();
                self.job.clear();
                self.flags = 0;
                self.phase = Phase::Idle;
            }
            [GS, b'z'] => {
                self.pending.clear();
                let status = self.status();
                self.speech.say(vec![status], now);
            }
            [GS, b'S'] => {
                self.pending.clear();
                self.speech.say(vec![status::ALWAYS, status::ALWAYS], now);
            }
            [0x0C] => {
                self.pending.clear();
                if self.phase == Phase::Idle && !self.jam && !self.job.is_empty() {
                    (self.phase, self.since) = (Phase::Text, now);
                }
            }
            [ESC | GS] | [ESC, b'!'] | [GS, b'h' | b'w' | b'V' | b'k'] | [GS, b'k', _] => {}
            [GS, b'k', _, length, data @ ..] if data.len() < usize::from(*length) => {}
            whole => {
                if self.job.len() < MOST {
                    self.job.extend_from_slice(whole);
                }
                self.pending.clear();
            }
        }
    }
}

/// The lines of a job, and what its barcode says.
fn decode(job: &[u8]) -> (Vec<String>, Option<String>) {
    let (mut lines, mut barcode, mut line) = (Vec::new(), None, String::new());
    let mut rest = job;
    while let Some((first, after)) = rest.split_first() {
        rest = match (*first, after) {
            (ESC, [b'!', _, more @ ..]) | (GS, [b'h' | b'w' | b'V', _, more @ ..]) => more,
            (GS, [b'k', 7, length, more @ ..]) => {
                let (digits, more) = more.split_at(usize::from(*length).min(more.len()));
                let digits = std::str::from_utf8(digits).unwrap_or_default();
                barcode = read_bars(&widths(digits));
                lines.push("|".to_owned());
                more
            }
            (b'\n', more) => {
                lines.push(std::mem::take(&mut line));
                more
            }
            (b'\r', more) => more,
            (byte, more) => {
                line.push(char::from(byte));
                more
            }
        };
    }
    (lines, barcode)
}

impl Device for Printer {
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<u8> {
        self.advance(now);
        for byte in bytes {
            self.take(*byte, now);
        }
        self.speech.due(now)
    }

    fn tick(&mut self, now: Millis) -> Vec<u8> {
        self.advance(now);
        self.speech.due(now)
    }

    fn obey(&mut self, order: &str, _: Millis) -> Result<(), String> {
        let words: Vec<&str> = order.split_whitespace().collect();
        if let Some(done) = self.speech.obey(&words) {
            return done;
        }
        let moment = |word: &str| match word {
            "before-barcode" => Ok(Phase::Text),
            "after-barcode" => Ok(Phase::Barcode),
            _ => Err(format!("'{word}' is not before-barcode or after-barcode")),
        };
        match words.as_slice() {
            ["jam"] => self.jam = true,
            ["jam", at] => self.jams_at = Some(moment(at)?),
            ["clear"] => self.jam = false,
            ["paper", "low"] => self.low = true,
            ["paper", "full"] => self.low = false,
            ["power"] => self.power(),
            ["power", at] => self.dies_at = Some(moment(at)?),
            ["leave"] => self.taken = false,
            ["take"] => (self.taken, self.state.presented) = (true, false),
            _ => return Err(format!("no such order: '{order}'. {}", self.menu())),
        }
        Ok(())
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn menu(&self) -> &'static str {
        "\
jam [before-barcode|after-barcode]    jams now, or at the next ticket
clear                                 the jam is removed
paper low | paper full                what the sensor of the paper says
power [before-barcode|after-barcode]  the power is lost and comes back, now or at the next ticket
leave | take                          tickets are left in the printer, and taken
silent | speak                        says nothing, and speaks again
garbage N                             random bytes before the next N answers
wrong N                               the next N answers are damaged
slow MS                               answers so much later; 0 at once"
    }
}
