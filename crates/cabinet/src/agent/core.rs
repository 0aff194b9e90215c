//! What the agent decides. It does nothing itself: what happened goes in, what is to be done comes out, in order, and all
//! of it after the state is durable.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::state::{Cash, Note, Outcome, Print, State, TicketIn};
use super::view::money;
use super::{Event, Kind, Own};
use crate::printer::{self, Slip};
use crate::validator::{self, Item, Place};
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
            Input::Page { page, message } => self.page(page, message),
            Input::Tick => {}
        }
        if self.again.is_some_and(|again| now >= again) {
            self.again = None;
            self.resend(Side::Terminal);
            self.resend(Side::Validator);
        }
        self.ask_for_job();
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
            self.job = None;
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

    // ---- money in

    fn inhibit(&mut self) {
        let accepts = self.refuses().is_none() && self.state.ticket_in.is_none();
        // Only between two notes: what is on its way is decided in escrow.
        if self.accepts != Some(accepts) && self.state.note.is_none() {
            self.accepts = Some(accepts);
            self.actions.push(Action::Validator(validator::Order::Accept(accepts)));
        }
    }

    fn validator(&mut self, event: validator::Event) {
        use validator::Event as Seen;
        self.ready = event == Seen::Waiting(true);
        self.in_escrow = match event {
            Seen::Lost | Seen::Back | Seen::Fault(_) | Seen::Cleared(_) => None,
            Seen::Escrow(_) => Some(true),
            _ => Some(false),
        };
        match event {
            Seen::Back => {
                self.validator = true;
                self.event(Kind::ValidatorBack, None, false);
            }
            Seen::Lost => {
                self.validator = false;
                self.event(Kind::ValidatorLost, None, true);
            }
            Seen::Accepting => self.event(Kind::Inserted, None, false),
            Seen::Escrow(item) => self.escrow(item),
            Seen::Stacking => {
                let about = self.state.note.map(|note| money(note.amount));
                self.event(Kind::NoteStacking, about, false);
            }
            Seen::Vended | Seen::Stacked => self.vended(event == Seen::Vended),
            Seen::Waiting(_) => self.finished(),
            Seen::Rejected(reason) => self.given_back(&format!("rejected {reason:02x}")),
            Seen::Returned => self.given_back("returned"),
            Seen::PoweredUp(place) => self.powered_up(place),
            Seen::Fault(fault) => {
                self.fault = Some(fault);
                self.event(Kind::ValidatorFault, Some(fault.name().to_owned()), true);
            }
            Seen::Cleared(fault) => {
                self.fault = None;
                self.event(Kind::ValidatorCleared, Some(fault.name().to_owned()), false);
            }
        }
    }

    fn escrow(&mut self, item: Item) {
        let order = |order| Action::Validator(order);
        match item {
            Item::Note(amount) => {
                if let Some(note) = self.state.note {
                    if note.amount == amount && !note.vended {
                        // The order was lost with the agent or the line; its record stands.
                        return self.actions.push(order(validator::Order::Stack));
                    }
                    self.finished();
                }
                let room = self.own.holds.saturating_add(amount) <= self.limit;
                if self.refuses().is_some() || !room {
                    let why = self.refuses().unwrap_or("limit");
                    self.event(Kind::Returned, Some(why.to_owned()), false);
                    return self.actions.push(order(validator::Order::Return));
                }
                let number = self.number(Side::Validator);
                self.state.device_number = number;
                self.state.note = Some(Note { amount, number, vended: false });
                self.event(Kind::NoteEscrow, Some(money(amount)), false);
                self.actions.push(order(validator::Order::Stack));
            }
            Item::Barcode(digits) => self.ticket_in_escrow(digits),
            Item::Unknown(_) => {
                self.event(Kind::Returned, Some("unknown".to_owned()), false);
                self.actions.push(order(validator::Order::Return));
            }
        }
    }

    fn ticket_in_escrow(&mut self, digits: String) {
        match &self.state.ticket_in {
            Some(ticket) if ticket.digits == digits => {
                if ticket.accepted {
                    self.actions.push(Action::Validator(validator::Order::Stack));
                }
                // Otherwise it was offered, and its answer decides.
            }
            _ if self.refuses().is_some() => {
                let why = self.refuses().unwrap_or_default();
                self.event(Kind::Returned, Some(why.to_owned()), false);
                self.actions.push(Action::Validator(validator::Order::Return));
            }
            _ => {
                let number = self.number(Side::Terminal);
                self.state.ticket_in = Some(TicketIn { digits, number, accepted: false });
                self.resend(Side::Terminal);
            }
        }
    }

    /// The validator says that something counts, or is in the stacker.
    fn vended(&mut self, acknowledge: bool) {
        if let Some(note) = self.state.note {
            if !note.vended {
                self.state.counts();
                self.event(Kind::NoteStacked, Some(money(note.amount)), false);
                self.resend(Side::Validator);
            }
        } else if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
        } else if acknowledge {
            self.event(Kind::NoteUnexplained, None, true);
        }
        if acknowledge {
            self.actions.push(Action::Validator(validator::Order::Acknowledge));
        }
    }

    /// The validator waits for the next note: nothing is in it any more.
    fn finished(&mut self) {
        if let Some(note) = self.state.note.take()
            && !note.vended
        {
            self.event(Kind::NoteUnaccounted, Some(money(note.amount)), true);
        }
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
            self.event(Kind::TicketPaperReturned, None, true);
        }
    }

    fn given_back(&mut self, why: &str) {
        if self.state.note.is_some_and(|note| !note.vended) {
            self.state.note = None;
        }
        self.event(Kind::Returned, Some(why.to_owned()), false);
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
            self.event(Kind::TicketPaperReturned, None, true);
        }
    }

    fn powered_up(&mut self, place: Place) {
        let about = match place {
            Place::Nowhere => "nowhere",
            Place::Acceptor => "acceptor",
            Place::Stacker => "stacker",
        };
        self.event(Kind::ValidatorPower, Some(about.to_owned()), place == Place::Stacker);
        match place {
            Place::Stacker => self.vended(false),
            Place::Acceptor => self.given_back("power"),
            Place::Nowhere => self.finished(),
        }
        self.actions.push(Action::Validator(validator::Order::Reset));
    }

    fn cash_answer(&mut self, number: u64, refused: Option<Refusal>) {
        let Some(at) = self.state.unreported.iter().position(|cash| cash.number == number) else { return };
        match refused {
            None => {
                self.held = None;
                let cash = self.state.unreported.remove(at);
                self.event(Kind::NoteCredited, cash.map(|cash| money(cash.amount)), false);
            }
            // It is in the stacker: it is sent again until the floor can take it.
            Some(refusal) => {
                if !refusal.may_pass() && self.held.as_ref() != Some(&refusal.code) {
                    self.held = Some(refusal.code.clone());
                    self.event(Kind::NoteHeld, Some(refusal.code), true);
                }
                self.again = Some(self.now + AGAIN);
            }
        }
    }

    // ---- what the floor answers the terminal

    fn terminal_answer(
        &mut self,
        number: u64,
        refused: Option<Refusal>,
        slip: Option<Box<Slip>>,
        accepted: Option<u64>,
    ) {
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.number == number && !ticket.accepted) {
            return self.ticket_answer(refused);
        }
        if let Some(print) = self.state.print
            && print.outcome.is_some_and(|(_, reported)| reported == number)
        {
            match refused {
                Some(refusal) if refusal.may_pass() => self.again = Some(self.now + AGAIN),
                // A number that a command of a page had used before the agent came up again.
                Some(refusal) if refusal.code == "number_reused" => {
                    let number = self.number(Side::Terminal);
                    self.state.print = Some(Print { outcome: print.outcome.map(|(what, _)| (what, number)), ..print });
                    self.resend(Side::Terminal);
                }
                // Taken, or resolved by others before: the first report decides (D25).
                _ => self.state.print = None,
            }
            return;
        }
        if self.job == Some(number) {
            self.job = None;
            match slip {
                Some(slip) => self.print(slip),
                None => self.again = Some(self.now + AGAIN),
            }
            return;
        }
        if let Some((page, own)) = self.pages.remove(&number) {
            let mut answer = json!({ "type": "answer", "number": own });
            if let Some(accepted) = accepted {
                answer["accepted"] = accepted.into();
            }
            if let Some(refusal) = refused {
                answer["error"] = refusal.error;
            }
            // The number is cash: it goes to the printer and to no screen (D27).
            self.actions.push(Action::Page(page, answer));
            if let Some(slip) = slip {
                self.print(slip);
            }
        }
    }

    fn ticket_answer(&mut self, refused: Option<Refusal>) {
        let Some(ticket) = &mut self.state.ticket_in else { return };
        match refused {
            None => {
                ticket.accepted = true;
                self.event(Kind::TicketTaken, None, false);
                if self.in_escrow == Some(false) {
                    // The paper came out before the floor had answered.
                    return self.finished();
                }
                self.actions.push(Action::Validator(validator::Order::Stack));
            }
            Some(refusal) if refusal.may_pass() => self.again = Some(self.now + AGAIN),
            Some(refusal) if refusal.code == "number_reused" => {
                let number = self.number(Side::Terminal);
                if let Some(ticket) = &mut self.state.ticket_in {
                    ticket.number = number;
                }
                self.resend(Side::Terminal);
            }
            Some(refusal) => {
                self.state.ticket_in = None;
                self.event(Kind::Returned, Some(refusal.code), false);
                self.actions.push(Action::Validator(validator::Order::Return));
            }
        }
    }

    // ---- money out

    /// A ticket is in doubt and not at the printer: its print job is asked for.
    fn ask_for_job(&mut self) {
        let Some(doubt) = self.own.doubt else { return };
        if self.state.print.is_some_and(|print| print.ticket != doubt && print.outcome.is_none()) {
            self.state.print = None;
        }
        let waits = self.state.print.is_none_or(|print| !print.sent && self.slip.is_none());
        if waits && self.job.is_none() && self.again.is_none() && self.printer_ready && self.up[0] {
            let number = self.number(Side::Terminal);
            self.job = Some(number);
            self.send(Side::Terminal, json!({ "type": "print_job", "number": number }));
        }
    }

    fn print(&mut self, slip: Box<Slip>) {
        if !slip.is_printable() || self.state.print.is_some_and(|print| print.ticket == slip.id && print.sent) {
            return;
        }
        self.state.print = Some(Print { ticket: slip.id, sent: false, outcome: None });
        self.slip = Some(slip);
        self.event(Kind::TicketPrinting, None, false);
        self.actions.push(Action::Printer(printer::Order::Clear));
    }

    fn printer(&mut self, event: printer::Event) {
        use printer::Event as Seen;
        match event {
            Seen::Cleared => {
                if let (Some(print), Some(slip)) = (&mut self.state.print, self.slip.take()) {
                    // Durable before the first byte: from now on the ticket may be on paper.
                    print.sent = true;
                    self.actions.push(Action::Printer(printer::Order::Print(slip)));
                }
            }
            Seen::Printed => self.reported(Outcome::Printed),
            Seen::Failed => self.reported(Outcome::Failed),
            Seen::Doubtful => self.event(Kind::TicketDoubtful, None, true),
            Seen::Ready(ready) => self.printer_ready = ready,
            Seen::PaperLow(true) => self.event(Kind::PaperLow, None, true),
            Seen::PaperLow(false) => self.event(Kind::PaperFull, None, false),
            Seen::Jam(true) => self.event(Kind::PrinterJam, None, true),
            Seen::Jam(false) => self.event(Kind::PrinterCleared, None, false),
            Seen::Presented(_) => {}
            Seen::Lost => {
                self.printer_ready = false;
                self.event(Kind::PrinterLost, None, true);
            }
            Seen::Back => self.event(Kind::PrinterBack, None, false),
        }
    }

    fn reported(&mut self, outcome: Outcome) {
        let Some(print) = self.state.print.filter(|print| print.outcome.is_none()) else { return };
        // Its number is chosen when the floor has said which are free.
        self.state.print = Some(Print { outcome: Some((outcome, 0)), ..print });
        let printed = outcome == Outcome::Printed;
        self.event(if printed { Kind::TicketPrinted } else { Kind::TicketFailed }, None, !printed);
        self.resend(Side::Terminal);
    }

    // ---- the page

    fn page(&mut self, page: u64, mut message: Value) {
        let own = message.get("number").and_then(Value::as_u64).unwrap_or(0);
        let what = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(error) = self.keeps_to_itself(&what) {
            return self.actions.push(Action::Page(page, json!({ "type": "answer", "number": own, "error": error })));
        }
        let number = self.number(Side::Terminal);
        self.pages.insert(number, (page, own));
        message["number"] = number.into();
        self.send(Side::Terminal, message);
    }

    /// What a page in a cabinet may not send, or not now.
    fn keeps_to_itself(&self, what: &str) -> Option<Value> {
        let error = |code: &str, rule: &str, en: &str, zh: &str| {
            Some(json!({ "code": code, "rule": rule, "message": { "en": en, "zh": zh } }))
        };
        match what {
            "bet" | "repeat" | "cash_out" if self.is_open() => {
                error("door", "S14", "a door of this cabinet is open", "机柜门未关")
            }
            "cash_out" if !self.can_print() => error(
                "printer",
                "S17",
                "the printer is not ready: please call an attendant",
                "打印机未就绪：请呼叫服务员",
            ),
            "bet" | "clear" | "repeat" | "acknowledge" | "cash_out" | "choose_table" | "loss_limit" => None,
            "ticket_in" | "demo_cash" => {
                error("validator", "S8", "put notes and tickets into the slot", "请将钞票或兑现券放入入钞口")
            }
            _ => error("malformed", "the cabinet", "the page of a cabinet does not send this", "机柜页面不发送此项"),
        }
    }
}

fn name(side: Side) -> String {
    match side {
        Side::Terminal => "terminal".to_owned(),
        Side::Validator => "validator".to_owned(),
    }
}
