//! A bill validator: what is in it, how it moves, and what it is told by hand. What it says is in a file per protocol.

use serde::{Deserialize, Serialize};

use super::{Device, Speech};
use super::{ebds, id003, ssp};
use crate::validator::Fault;
use crate::{Cents, Millis};

/// What a simulated validator speaks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// ID-003.
    #[default]
    Id003,
    /// EBDS.
    Ebds,
    /// SSP.
    Ssp,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Protocol::Id003, Protocol::Ebds, Protocol::Ssp];

    /// The faults that it has words for.
    #[must_use]
    pub const fn faults(self) -> &'static [Fault] {
        use Fault::{Cheated, Failure, JamAcceptor, JamStacker, Pause, StackerFull, StackerOpen};
        match self {
            Protocol::Id003 => &Fault::ALL,
            Protocol::Ebds => &[StackerFull, StackerOpen, JamAcceptor, JamStacker, Pause, Cheated, Failure],
            Protocol::Ssp => &[StackerFull, StackerOpen, JamAcceptor, JamStacker, Cheated],
        }
    }

    fn speaker(self) -> Box<dyn Speaker> {
        match self {
            Protocol::Id003 => Box::new(id003::Id003::default()),
            Protocol::Ebds => Box::new(ebds::Ebds::default()),
            Protocol::Ssp => Box::new(ssp::Ssp::default()),
        }
    }
}

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

/// What the device is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    PowerUp,
    Initialise,
    Waiting,
    Accepting,
    Escrow,
    Stacking,
    /// It is in the stacker, and not acknowledged.
    Counted,
    Stacked,
    Rejecting(u8),
    Returning,
}

/// What is in a validator, and how it moves.
#[derive(Debug)]
pub(super) struct Machine {
    pub state: ValidatorState,
    pub denominations: [Cents; 8],
    pub phase: Phase,
    pub since: Millis,
    /// How long each movement takes.
    pub pace: Millis,
    pub inhibited: bool,
    pub fault: Option<Fault>,
    /// After a movement, for those that report it afterwards: it was given back, or rejected.
    pub over: Option<Phase>,
}

impl Machine {
    pub fn go(&mut self, phase: Phase, now: Millis) {
        (self.phase, self.since) = (phase, now);
    }

    /// The time of this movement is over.
    pub fn over(&self, now: Millis) -> bool {
        now >= self.since + self.pace
    }

    /// Moves on what takes its time.
    fn advance(&mut self, now: Millis) {
        if self.fault.is_some() || !self.over(now) {
            return;
        }
        match self.phase {
            Phase::Accepting => {
                let known = matches!(self.state.path, Some(Thing::Ticket(_))) || self.place().is_some();
                self.go(if known { Phase::Escrow } else { Phase::Rejecting(0x79) }, now);
            }
            Phase::Stacking => {
                self.state.stacked.extend(self.state.path.take());
                self.state.unacknowledged = true;
                self.go(Phase::Counted, now);
            }
            Phase::Stacked => self.go(Phase::Waiting, now),
            Phase::Rejecting(_) | Phase::Returning => {
                self.over = Some(self.phase);
                self.give_back();
                self.go(Phase::Waiting, now);
            }
            _ => {}
        }
    }

    /// What is on its way comes out.
    pub fn give_back(&mut self) {
        self.state.returned.extend(self.state.path.take());
    }

    /// The place of a note among the denominations: of that which is on its way, or lies uppermost in the stacker.
    pub fn place(&self) -> Option<u8> {
        let Thing::Note(amount) = self.state.path.as_ref().or(self.state.stacked.last())? else { return None };
        let at = self.denominations.iter().position(|worth| worth == amount && *worth > 0)?;
        u8::try_from(at).ok()
    }

    /// The ticket of which the same is true.
    pub fn ticket(&self) -> Option<&str> {
        match self.state.path.as_ref().or(self.state.stacked.last())? {
            Thing::Ticket(digits) => Some(digits),
            Thing::Note(_) => None,
        }
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

/// What a validator says in its protocol.
pub(super) trait Speaker: std::fmt::Debug + Send {
    /// Takes bytes, and gives an answer to each question in them.
    fn hear(&mut self, machine: &mut Machine, bytes: &[u8], now: Millis) -> Vec<Vec<u8>>;
}

/// A simulated validator.
#[derive(Debug)]
pub struct Validator {
    machine: Machine,
    protocol: Protocol,
    speaker: Box<dyn Speaker>,
    speech: Speech,
}

impl Validator {
    /// A validator that is switched on with what it holds, and speaks ID-003.
    #[must_use]
    pub fn new(state: ValidatorState, denominations: [Cents; 8], pace: Millis) -> Validator {
        Validator::speaking(Protocol::Id003, state, denominations, pace)
    }

    /// A validator that is switched on with what it holds.
    #[must_use]
    pub fn speaking(protocol: Protocol, state: ValidatorState, denominations: [Cents; 8], pace: Millis) -> Validator {
        let machine = Machine {
            state,
            denominations,
            phase: Phase::PowerUp,
            since: 0,
            pace,
            inhibited: true,
            fault: None,
            over: None,
        };
        Validator { machine, protocol, speaker: protocol.speaker(), speech: Speech::default() }
    }

    /// What it holds.
    #[must_use]
    pub fn held(&self) -> &ValidatorState {
        &self.machine.state
    }
}

impl Device for Validator {
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<u8> {
        self.machine.advance(now);
        for answer in self.speaker.hear(&mut self.machine, bytes, now) {
            self.speech.say(answer, now);
        }
        self.speech.due(now)
    }

    fn tick(&mut self, now: Millis) -> Vec<u8> {
        self.machine.advance(now);
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
                self.machine.insert(Thing::Note(amount), now);
            }
            ["ticket", digits] => {
                let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
                if digits.len() != 18 {
                    return Err("a ticket has 18 digits".to_owned());
                }
                self.machine.insert(Thing::Ticket(digits), now);
            }
            ["fault", name] => {
                let faults = self.protocol.faults();
                let names = || faults.iter().map(|fault| fault.name()).collect::<Vec<_>>().join(", ");
                let fault = faults.iter().find(|fault| fault.name() == *name);
                let fault = fault.ok_or_else(|| format!("'{name}' is no fault of this device: {}", names()))?;
                self.machine.fault = Some(*fault);
            }
            ["clear"] => {
                self.machine.fault = None;
                // A note that was jammed comes out.
                if self.machine.state.path.is_some() {
                    self.machine.go(Phase::Returning, now);
                }
            }
            ["power"] => {
                let Machine { state, denominations, pace, .. } = &self.machine;
                *self = Validator::speaking(self.protocol, state.clone(), *denominations, *pace);
                self.machine.since = now;
            }
            _ => return Err(format!("no such order: '{order}'. {}", self.menu())),
        }
        Ok(())
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.machine.state).unwrap_or_default()
    }

    fn menu(&self) -> &'static str {
        "\
insert AMOUNT           puts a note in
ticket NUMBER           puts a ticket in
fault NAME | clear      stacker_full, stacker_open, jam_acceptor, jam_stacker, cheated; most: pause, failure, line
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
