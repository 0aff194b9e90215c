//! A bill validator that speaks ID-003.

use serde::{Deserialize, Serialize};

use super::{Device, Speech};
use crate::id003::{Escrow, Frame, Reader, Status, command, denomination, setting};
use crate::validator::Fault;
use crate::{Cents, Millis};

/// A note or a ticket, as a thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// A note.
    Note(Cents),
    /// A ticket.
    Ticket(String),
}

/// What is in the device and around it. It stays as it is when the power is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidatorState {
    /// In the stacker, the oldest first.
    pub stacked: Vec<Thing>,
    /// Given back to the player.
    pub returned: Vec<Thing>,
    /// On its way, or in escrow.
    pub path: Option<Thing>,
    /// The last note in the stacker was not acknowledged yet.
    pub unacknowledged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    PowerUp,
    Initialise,
    Waiting,
    Accepting,
    Escrow,
    Stacking,
    VendValid,
    Stacked,
    Rejecting(u8),
    Returning,
}

/// A simulated validator.
#[derive(Debug)]
pub struct Validator {
    state: ValidatorState,
    denominations: [Cents; 8],
    phase: Phase,
    since: Millis,
    /// How long each movement takes.
    pace: Millis,
    inhibited: bool,
    /// Settings that were sent since initialise.
    settings: Vec<u8>,
    fault: Option<Fault>,
    reader: Reader,
    speech: Speech,
}

/// Every setting that a validator wants before it takes notes.
const WANTED: [u8; 7] = [
    setting::ENABLE,
    setting::SECURITY,
    setting::DIRECTION,
    setting::OPTIONS,
    setting::BARCODE,
    setting::BARCODE_INHIBIT,
    setting::INHIBIT,
];

impl Validator {
    /// A validator that is switched on with what it holds.
    #[must_use]
    pub fn new(state: ValidatorState, denominations: [Cents; 8], pace: Millis) -> Validator {
        Validator {
            state,
            denominations,
            phase: Phase::PowerUp,
            since: 0,
            pace,
            inhibited: true,
            settings: Vec::new(),
            fault: None,
            reader: Reader::default(),
            speech: Speech::default(),
        }
    }

    /// What it holds.
    #[must_use]
    pub fn held(&self) -> &ValidatorState {
        &self.state
    }

    fn go(&mut self, phase: Phase, now: Millis) {
        (self.phase, self.since) = (phase, now);
    }

    /// Moves on what takes its time.
    fn advance(&mut self, now: Millis) {
        if self.fault.is_some() {
            return;
        }
        let over = now >= self.since + self.pace;
        match self.phase {
            Phase::Accepting if over => {
                let next = if self.code().is_some() { Phase::Escrow } else { Phase::Rejecting(0x79) };
                self.go(next, now);
            }
            Phase::Stacking if over => {
                self.state.stacked.extend(self.state.path.take());
                self.state.unacknowledged = true;
                self.go(Phase::VendValid, now);
            }
            Phase::Stacked if over => self.go(Phase::Waiting, now),
            Phase::Rejecting(_) | Phase::Returning if over => {
                self.state.returned.extend(self.state.path.take());
                self.go(Phase::Waiting, now);
            }
            _ => {}
        }
    }

    fn code(&self) -> Option<Escrow> {
        match self.state.path.as_ref()? {
            Thing::Note(amount) => {
                let at = self.denominations.iter().position(|worth| worth == amount && *worth > 0)?;
                Some(Escrow::Note(denomination::FIRST + u8::try_from(at).ok()?))
            }
            Thing::Ticket(digits) => Some(Escrow::Barcode(digits.clone())),
        }
    }

    fn status(&self) -> Status {
        if let Some(fault) = self.fault {
            return Status::Fault(fault);
        }
        match self.phase {
            Phase::PowerUp if self.state.unacknowledged => Status::PowerUpStacker,
            Phase::PowerUp if self.state.path.is_some() => Status::PowerUpAcceptor,
            Phase::PowerUp => Status::PowerUp,
            Phase::Initialise => Status::Initialise,
            Phase::Waiting if self.inhibited => Status::Inhibited,
            Phase::Waiting => Status::Idle,
            Phase::Accepting => Status::Accepting,
            Phase::Escrow => Status::Escrow(self.code().unwrap_or(Escrow::Unreadable)),
            Phase::Stacking => Status::Stacking,
            Phase::VendValid => Status::VendValid,
            Phase::Stacked => Status::Stacked,
            Phase::Rejecting(reason) => Status::Rejecting(reason),
            Phase::Returning => Status::Returning,
        }
    }

    /// What it says to a frame; nothing to an acknowledgement.
    fn answer(&mut self, frame: &Frame, now: Millis) -> Option<Status> {
        let escrow = self.phase == Phase::Escrow && self.fault.is_none();
        Some(match frame.command {
            command::STATUS => self.status(),
            command::RESET => {
                self.state.returned.extend(self.state.path.take());
                self.state.unacknowledged = false;
                self.settings.clear();
                self.inhibited = true;
                self.go(Phase::Initialise, now);
                Status::Acknowledged
            }
            command::STACK if escrow => {
                self.go(Phase::Stacking, now);
                Status::Acknowledged
            }
            command::RETURN if escrow => {
                self.go(Phase::Returning, now);
                Status::Acknowledged
            }
            command::ACK => {
                if self.phase == Phase::VendValid {
                    self.state.unacknowledged = false;
                    self.go(Phase::Stacked, now);
                }
                return None;
            }
            code if WANTED.contains(&code) => {
                if code == setting::INHIBIT {
                    self.inhibited = frame.data.first() != Some(&0);
                }
                if !self.settings.contains(&code) {
                    self.settings.push(code);
                }
                if self.phase == Phase::Initialise && self.settings.len() == WANTED.len() {
                    self.go(Phase::Waiting, now);
                }
                Status::Setting(code, frame.data.clone())
            }
            _ => Status::Invalid,
        })
    }

    fn insert(&mut self, thing: Thing, now: Millis) {
        self.advance(now);
        if self.phase == Phase::Waiting && !self.inhibited && self.fault.is_none() {
            self.state.path = Some(thing);
            self.go(Phase::Accepting, now);
        } else {
            // The shutter is closed: it stays with the player.
            self.state.returned.push(thing);
        }
    }
}

impl Device for Validator {
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<u8> {
        self.advance(now);
        for frame in self.reader.feed(bytes).into_iter().flatten() {
            if let Some(status) = self.answer(&frame, now) {
                self.speech.say(status.frame().bytes(), now);
            }
        }
        self.speech.due(now)
    }

    fn tick(&mut self, now: Millis) -> Vec<u8> {
        self.advance(now);
        self.speech.due(now)
    }

    fn obey(&mut self, order: &str, now: Millis) -> Result<(), String> {
        let words: Vec<&str> = order.split_whitespace().collect();
        if let Some(done) = self.speech.obey(&words) {
            return done;
        }
        match words.as_slice() {
            ["insert", amount] => {
                let amount = cents(amount).ok_or_else(|| format!("'{amount}' is no amount such as 50 or 50.00"))?;
                self.insert(Thing::Note(amount), now);
            }
            ["ticket", digits] => {
                let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
                if digits.len() != 18 {
                    return Err("a ticket has 18 digits".to_owned());
                }
                self.insert(Thing::Ticket(digits), now);
            }
            ["fault", name] => {
                let fault = Fault::ALL.into_iter().find(|fault| fault.name() == *name);
                let names = Fault::ALL.map(Fault::name).join(", ");
                self.fault = Some(fault.ok_or_else(|| format!("'{name}' is no fault: {names}"))?);
            }
            ["clear"] => {
                self.fault = None;
                // A note that was jammed comes out.
                if self.state.path.is_some() {
                    self.go(Phase::Returning, now);
                }
            }
            ["power"] => {
                let state = self.state.clone();
                *self = Validator::new(state, self.denominations, self.pace);
                self.since = now;
            }
            _ => return Err(format!("no such order: '{order}'. {}", self.menu())),
        }
        Ok(())
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn menu(&self) -> &'static str {
        "\
insert AMOUNT           puts a note in
ticket NUMBER           puts a ticket in
fault NAME | clear      stacker_full, stacker_open, jam_acceptor, jam_stacker, pause, cheated, failure, line
power                   the power is lost and comes back
silent | speak          says nothing, and speaks again
garbage N               random bytes before the next N answers
wrong N                 the next N answers are damaged
slow MS                 answers so much later; 0 at once"
    }
}

/// An amount such as `50` or `50.00`.
fn cents(text: &str) -> Option<Cents> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "00"));
    let valid = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !valid(whole) || part.len() != 2 || !valid(part) {
        return None;
    }
    whole.parse::<Cents>().ok()?.checked_mul(100)?.checked_add(part.parse().ok()?)
}
