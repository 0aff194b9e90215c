//! What the agent decides. It does nothing itself: what happened goes in, what is to be done comes out, in order, and all
//! of it after the state is durable.

mod notes;
mod page;
mod report;
mod tickets;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use report::Lamps;

use super::state::{Cash, Outcome, Print, State, TicketIn};
use super::view::money;
use super::{Event, Kind, Own};
use crate::printer::{self, Slip};
use crate::validator;
use crate::{Cents, Millis};

/// Which link to the floor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The terminal's.
    Terminal,
    /// The validator's.
    Validator,
}

/// Why the floor refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its code.
    pub code: String,
    /// The whole error, for the page.
    pub error: Value,
}

impl Refusal {
    /// Whether the same command may be accepted a little later.
    fn may_pass(&self) -> bool {
        matches!(self.code.as_str(), "busy" | "no_leader" | "stopped" | "internal" | "unavailable")
    }
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// A link is up; the next command has at least this number.
    Up(Side, u64),
    /// A link is lost.
    Down(Side),
    /// The terminal's section of the view.
    View(Own),
    /// What the page reads its records with over this link.
    Reader(String),
    /// The answer to a command.
    Answer {
        /// Over which link.
        side: Side,
        /// Of which number.
        number: u64,
        /// Why not, if it was refused.
        refused: Option<Refusal>,
        /// The ticket to be printed.
        slip: Option<Box<Slip>>,
        /// The record with which it was accepted.
        accepted: Option<u64>,
    },
    /// The validator reports.
    Validator(validator::Event),
    /// The printer reports.
    Printer(printer::Event),
    /// A door was opened or closed.
    Door {
        /// Its name.
        name: String,
        /// Whether play stops while it is open.
        main: bool,
        /// Whether it is.
        open: bool,
    },
    /// The button for an attendant.
    Attendant,
    /// A button of the deck.
    Button(String),
    /// A page sends a command.
    Page {
        /// Which.
        page: u64,
        /// With the page's own number.
        message: Value,
    },
    /// Time has passed.
    Tick,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An order for the validator.
    Validator(validator::Order),
    /// An order for the printer.
    Printer(printer::Order),
    /// A command to the floor.
    Send(Side, Value),
    /// A message to one page.
    Page(u64, Value),
    /// An event, which is on the list already.
    Tell(Event),
}

/// How long a command that may pass waits before it is sent again.
const AGAIN: Millis = 1_000;

/// The agent's decisions.
#[derive(Debug)]
pub struct Core {
    /// What is durable.
    pub state: State,
    limit: Cents,
    up: [bool; 2],
    own: Own,
    next: [u64; 2],
    validator: bool,
    fault: Option<validator::Fault>,
    /// It waits for the next note, and takes it.
    ready: bool,
    /// Whether something lies in its escrow, once that is known.
    in_escrow: Option<bool>,
    /// Why the floor does not take a note that was stacked: said once.
    held: Option<String>,
    accepts: Option<bool>,
    printer_ready: bool,
    /// The slip of the ticket that waits for the printer.
    slip: Option<Box<Slip>>,
    /// The number under which a print job was asked for.
    job: Option<u64>,
    /// The number under which the floor is told of the oldest report.
    reporting: Option<u64>,
    doors: BTreeMap<String, bool>,
    /// Whose commands are on their way: the page, and the page's own number.
    pages: BTreeMap<u64, (u64, u64)>,
    /// When unfinished business is sent again.
    again: Option<Millis>,
    now: Millis,
    wall: i64,
    actions: Vec<Action>,
}

const fn index(side: Side) -> usize {
    match side {
        Side::Terminal => 0,
        Side::Validator => 1,
    }
}

impl Core {
    /// An agent that comes up with what it remembers. `limit`: no note is taken beyond so much credit.
    #[must_use]
    pub fn new(state: State, limit: Cents) -> Core {
        Core {
            state,
            limit,
            up: [false; 2],
            own: Own::default(),
            next: [0; 2],
            validator: false,
            fault: None,
            ready: false,
            in_escrow: None,
            held: None,
            accepts: None,
            printer_ready: false,
            slip: None,
            job: None,
            reporting: None,
            doors: BTreeMap::new(),
            pages: BTreeMap::new(),
            again: None,
            now: 0,
            wall: 0,
            actions: Vec::new(),
        }
    }

    /// What is done first.
    pub fn begin(&mut self, now: Millis, wall: i64) -> Vec<Action> {
        (self.now, self.wall) = (now, wall);
        self.event(Kind::Started, None, false);
        if self.state.print.is_some_and(|print| print.sent && print.outcome.is_none()) {
            self.actions.push(Action::Printer(printer::Order::Watch));
        }
        std::mem::take(&mut self.actions)
    }

    /// Takes what happened, and says what is to be done once the state is durable.
    pub fn take(&mut self, input: Input, now: Millis, wall: i64) -> Vec<Action> {
        (self.now, self.wall) = (now, wall);
        match input {
            Input::Up(side, next) => self.link_up(side, next),
            Input::Down(side) => self.link_down(side),
            Input::View(own) => self.view(own),
            Input::Reader(reader) => self.state.reader = Some(reader),
            Input::Answer { side: Side::Validator, number, refused, .. } => self.cash_answer(number, refused),
            Input::Answer { side: Side::Terminal, number, refused, slip, accepted } => {
                self.terminal_answer(number, refused, slip, accepted);
            }
            Input::Validator(event) => self.validator(event),
            Input::Printer(event) => self.printer(event),
            Input::Door { name, main, open } => {
                let kind = if open { Kind::DoorOpened } else { Kind::DoorClosed };
                self.event(kind, Some(name.clone()), open);
                if main {
                    self.doors.insert(name, open);
                }
            }
            Input::Attendant => self.event(Kind::Attendant, None, true),
            Input::Button(name) => self.button(&name),
            Input::Page { page, message } => self.page(page, message),
            Input::Tick => {}
        }
        if self.again.is_some_and(|again| now >= again) {
            self.again = None;
            self.resend(Side::Terminal);
            self.resend(Side::Validator);
        }
        self.ask_for_job();
        self.report();
        self.inhibit();
        std::mem::take(&mut self.actions)
    }

    /// Why no money is taken now; `None` when it is.
    #[must_use]
    pub fn refuses(&self) -> Option<&'static str> {
        match self {
            _ if !self.up[0] || !self.up[1] => Some("host"),
            _ if self.is_open() => Some("door"),
            _ if !self.own.usable => Some("terminal"),
            _ if self.own.doubt.is_some() || self.state.print.is_some() => Some("ticket"),
            _ if !self.validator => Some("validator"),
            _ if self.fault.is_some() => Some("fault"),
            _ if !self.state.unreported.is_empty() => Some("unreported"),
            _ if self.own.holds >= self.limit => Some("limit"),
            _ => None,
        }
    }

    /// Whether the validator takes the next note.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// Whether a ticket could be printed now.
    #[must_use]
    pub fn can_print(&self) -> bool {
        self.printer_ready && self.state.print.is_none()
    }

    /// Whether a main door is open: play stops.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.doors.values().any(|open| *open)
    }

    fn event(&mut self, kind: Kind, about: Option<String>, alert: bool) {
        let event = Event { at: self.wall, kind, about, alert };
        self.state.happened(event.clone());
        self.actions.push(Action::Tell(event));
    }

    fn number(&mut self, side: Side) -> u64 {
        let next = &mut self.next[index(side)];
        *next = next.saturating_add(1);
        *next
    }

    fn send(&mut self, side: Side, message: Value) {
        if self.up[index(side)] {
            self.actions.push(Action::Send(side, message));
        }
    }

    // ---- the links

    fn link_up(&mut self, side: Side, next: u64) {
        self.up[index(side)] = true;
        let mut last = next.saturating_sub(1).max(self.next[index(side)]);
        if side == Side::Terminal {
            let waits = [
                self.state.ticket_in.as_ref().map(|ticket| ticket.number),
                self.state.print.and_then(|print| print.outcome).map(|(_, number)| number),
            ];
            last = waits.into_iter().flatten().fold(last, u64::max);
            // What was asked over the last link has no answer any more.
            (self.job, self.reporting) = (None, None);
            self.pages.clear();
        } else {
            last = last.max(self.state.device_number);
        }
        self.next[index(side)] = last;
        self.event(Kind::LinkUp, Some(name(side)), false);
        // What is unfinished goes before anything else.
        self.resend(side);
    }

    fn link_down(&mut self, side: Side) {
        if std::mem::take(&mut self.up[index(side)]) {
            self.event(Kind::LinkLost, Some(name(side)), false);
        }
    }

    /// Sends again what the floor has not answered, each under its own number.
    fn resend(&mut self, side: Side) {
        match side {
            Side::Validator => {
                for Cash { number, amount } in self.state.unreported.clone() {
                    self.send(side, json!({ "type": "cash", "number": number, "amount": money(amount) }));
                }
            }
            Side::Terminal => {
                if let Some(TicketIn { digits, number, accepted: false }) = self.state.ticket_in.clone() {
                    self.send(side, json!({ "type": "ticket_in", "number": number, "ticket": digits }));
                }
                if let Some(print) = self.state.print
                    && let Some((outcome, chosen)) = print.outcome
                    && self.up[index(side)]
                {
                    let number = if chosen == 0 { self.number(side) } else { chosen };
                    self.state.print = Some(Print { outcome: Some((outcome, number)), ..print });
                    let what = if outcome == Outcome::Printed { "printed" } else { "print_failed" };
                    self.send(side, json!({ "type": what, "number": number, "ticket": print.ticket }));
                }
            }
        }
    }

    fn view(&mut self, own: Own) {
        self.own = own;
        // Two people or the paper have resolved it: there is nothing left to report.
        if let Some(print) = self.state.print
            && print.outcome.is_none()
            && self.own.doubt != Some(print.ticket)
            && self.own.resolved == Some(print.ticket)
        {
            self.state.print = None;
            self.slip = None;
            // The printer need not wait for it any more.
            self.actions.push(Action::Printer(printer::Order::Clear));
        }
    }
}

fn name(side: Side) -> String {
    match side {
        Side::Terminal => "terminal".to_owned(),
        Side::Validator => "validator".to_owned(),
    }
}
