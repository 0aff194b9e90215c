//! Runs courses over HTTP and WebSocket against the program. One program serves many courses, each at a table of its
//! own; what concerns the whole floor is run afterwards, one course at a time.

mod http;
mod link;
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use floor::{DisplayFault, Finding, FloatMovement};
use rulebook::{Cents, Spot};
use serde_json::{Value, json};

use self::link::{Key, Link};
use self::server::Server;
use crate::book::{Chapter, Course};
use crate::on_floor::{everything, faces, thousands};
use crate::people::{ADMINISTRATOR, AUDITOR, CASHIER, DEALER, PIT_MANAGER, Person};
use crate::steps::{Act, Do, Given, HostAct, Points, Report, TerminalAct, Where};
use crate::world::{
    self, Answer, BoxFacts, Ended, Facts, PreviewFacts, Refused, RoundFacts, ShareFacts, Wanted, World,
};

/// How long something that is on its way may take.
const BOUND: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(15);
/// Courses that are played at the same time.
const WORKERS: usize = 4;
/// Courses that restart the program together.
const AT_ONCE: usize = 32;

/// What has been set up on the floor so far: the floor numbers it in this order.
#[derive(Default)]
struct Counts {
    tables: u64,
    terminals: u64,
    devices: u64,
}

/// Courses that are restarted together: each waits at its restart for the others.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    opened: Condvar,
}

#[derive(Default)]
struct GateState {
    /// Courses that are still being run.
    running: usize,
    /// How many of them wait.
    waiting: usize,
    /// How often the gate has been opened.
    opened: usize,
    /// What went wrong at the last restart.
    failure: Option<String>,
}

/// The program and what the book knows about it.
struct Shared {
    server: RwLock<Server>,
    counts: Mutex<Counts>,
    gate: Gate,
    /// Terminals of courses that are over. They stay connected: one that goes raises an alert.
    parked: Mutex<Vec<Place>>,
}

impl Shared {
    fn start(program: &Path) -> Result<Shared, String> {
        let server = RwLock::new(Server::start(program)?);
        Ok(Shared { server, counts: Mutex::default(), gate: Gate::default(), parked: Mutex::default() })
    }

    /// Waits until every course that is being run has come to its restart or its end; then the program restarts once.
    fn restart(&self, away: i64) -> Result<(), String> {
        let mut state = self.gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        let seen = state.opened;
        if state.waiting >= state.running {
            self.open_gate(&mut state, away);
        }
        while state.opened == seen {
            state = self.gate.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.failure.clone().map_or(Ok(()), Err)
    }

    fn open_gate(&self, state: &mut GateState, away: i64) {
        state.failure = self.server.write().unwrap_or_else(PoisonError::into_inner).restart(away).err();
        state.waiting = 0;
        state.opened += 1;
        self.gate.opened.notify_all();
    }

    /// A course has ended; the others may have waited for it only.
    fn leave(&self) {
        let mut state = self.gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running = state.running.saturating_sub(1);
        if state.waiting > 0 && state.waiting >= state.running {
            self.open_gate(&mut state, 0);
        }
    }

    fn server(&self) -> RwLockReadGuard<'_, Server> {
        self.server.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets something up; its number on the floor.
    fn make(&self, below: &str, body: Value, count: fn(&mut Counts) -> &mut u64) -> Result<u64, Refused> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        self.server().command(ADMINISTRATOR, below, body)?;
        let count = count(&mut counts);
        *count += 1;
        Ok(*count - 1)
    }
}

/// A terminal or device with its key and, while it is there, its feed.
struct Place {
    kind: &'static str,
    id: u64,
    key: Key,
    link: Option<Link>,
}

impl Place {
    fn open(&mut self, server: &Server) -> Result<(), Refused> {
        self.link = Some(server.link(self.kind, self.id, &self.key).map_err(unanswered)?);
        Ok(())
    }

    /// Sends a message and waits for its answer.
    fn ask(&mut self, server: &Server, message: Value) -> Result<Value, Refused> {
        let link = self.link.as_mut().ok_or_else(|| unanswered("its link is gone".to_owned()))?;
        let answer = server.runtime.block_on(link.ask(message)).map_err(unanswered)?;
        match &answer["error"] {
            Value::Null => Ok(answer),
            error => Err(http::refusal(error, 0)),
        }
    }

    fn section(&self, name: &str) -> Value {
        self.link.as_ref().map_or(Value::Null, |link| link.section(name))
    }
}

fn unanswered(words: String) -> Refused {
    Refused { code: "no answer".to_owned(), rule: String::new(), words }
}

fn missing(words: &str) -> Refused {
    Refused { code: "not_found".to_owned(), rule: String::new(), words: words.to_owned() }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn money(value: &Value) -> Cents {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or(Cents::ZERO)
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A table of the program, for one course.
struct OnProgram<'a> {
    shared: &'a Shared,
    wanted: Wanted,
    table: u64,
    /// The second table of a course that has one.
    other: Option<u64>,
    device: Option<Place>,
    terminals: Vec<Place>,
    validators: Vec<Place>,
    /// The ticket that was issued last: its sequence and its number.
    ticket: Option<(Value, Value)>,
    /// The number of the ticket that a duplicate has replaced.
    replaced: Option<Value>,
    /// The preview that was looked at last.
    shown: Option<Value>,
    /// Since when something is waited for.
    waiting: Option<Instant>,
}

impl OnProgram<'_> {
    fn new<'a>(shared: &'a Shared, wanted: &Wanted) -> Result<OnProgram<'a>, Refused> {
        let rulebook = wanted.rulebook();
        let mode = match (wanted.is_live(), wanted.results_only()) {
            (false, _) => "terminals",
            (true, false) => "bets_recorded",
            (true, true) => "results_only",
        };
        let settings = settings(wanted);
        let body = json!({ "name": rulebook.id(), "rulebook": rulebook.id(), "mode": mode, "settings": settings });
        let body = shared.server().by_two(body);
        let table = shared.make("/tables", body.clone(), |counts| &mut counts.tables)?;
        let mut world = OnProgram {
            shared,
            wanted: wanted.clone(),
            table,
            other: None,
            device: None,
            terminals: Vec::new(),
            validators: Vec::new(),
            ticket: None,
            replaced: None,
            shown: None,
            waiting: None,
        };
        if world.wanted.has_other_table() {
            let other = shared.make("/tables", body, |counts| &mut counts.tables)?;
            shared.server().command(PIT_MANAGER, &format!("/tables/{other}/open"), json!({}))?;
            shared.server().command(PIT_MANAGER, &format!("/tables/{other}/open-bets"), json!({}))?;
            world.other = Some(other);
        }
        if world.wanted.has_device() {
            let kind = if rulebook.outcomes().wheel().is_some() { "wheel" } else { "tumbler" };
            world.device = Some(world.add_device(kind, json!({ "table": table }))?);
        }
        for number in 1..=world.wanted.terminals {
            world.add_terminal(number)?;
        }
        world.staff(PIT_MANAGER, &Act::OpenTable)?;
        world.staff(DEALER, &Act::TakeTable)?;
        if world.wanted.is_live() {
            world::chips(&mut world)?;
        }
        Ok(world)
    }

    fn add_device(&self, kind: &str, place: Value) -> Result<Place, Refused> {
        // A tumbler or wheel comes to a table with a second administrator, too (D19).
        let body = self.shared.server().by_two(json!({ "name": kind, "kind": kind, "place": place }));
        let id = self.shared.make("/devices", body, |counts| &mut counts.devices)?;
        let key = Key::new().map_err(unanswered)?;
        self.shared.server().enrol("device", id, &key)?;
        let mut device = Place { kind: "device", id, key, link: None };
        device.open(&self.shared.server())?;
        Ok(device)
    }

    fn add_terminal(&mut self, number: usize) -> Result<(), Refused> {
        let (kind, layout) = self.wanted.seat(number);
        let name = format!("table {} terminal {number}", self.table);
        let body = json!({ "table": self.table, "name": name, "kind": kind, "layout": layout });
        let id = self.shared.make("/terminals", body, |counts| &mut counts.terminals)?;
        let key = Key::new().map_err(unanswered)?;
        self.shared.server().enrol("terminal", id, &key)?;
        let mut terminal = Place { kind: "terminal", id, key, link: None };
        terminal.open(&self.shared.server())?;
        self.terminals.push(terminal);
        self.until_usable(number)?;
        self.validators.push(self.add_device("validator", json!({ "terminal": id }))?);
        if self.wanted.credit().is_positive() {
            self.terminal(number, &TerminalAct::Cash(self.wanted.credit()))?;
        }
        Ok(())
    }

    /// Waits until something holds.
    fn until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) -> Answer {
        let begun = Instant::now();
        while !holds(self) {
            if begun.elapsed() > BOUND {
                return Err(unanswered(format!("waited too long: {what}")));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn until_usable(&mut self, number: usize) -> Answer {
        self.until("a usable terminal", |world| world.terminals[number - 1].section("own")["usable"] == true)
    }

    /// What stands on the console, with or without what only the console shows.
    fn page(&self, section: &str) -> Value {
        let path = format!("/feed/console/{}", self.table);
        self.shared.server().snapshot(PIT_MANAGER, &path, section).unwrap_or(Value::Null)
    }

    /// What the pit shows.
    fn pit(&self) -> Value {
        let page = self.shared.server().snapshot(PIT_MANAGER, "/feed/pit", "pit");
        page.map_or(Value::Null, |page| page["pit"].clone())
    }

    /// What the cage shows.
    fn cage(&self) -> Value {
        let page = self.shared.server().snapshot(CASHIER, "/feed/cage", "cage");
        page.map_or(Value::Null, |page| page["cage"].clone())
    }

    /// The rounds of this table, the first one first.
    fn rounds(&self) -> Vec<Value> {
        let found = self.shared.server().get(AUDITOR, &format!("/records/rounds?table={}", self.table));
        let mut rounds = found.map(|body| rows(&body["rounds"]).to_vec()).unwrap_or_default();
        rounds.reverse();
        rounds
    }

    /// The floor's number of a round of this course.
    fn round(&mut self, number: usize) -> Result<Value, Refused> {
        let mut found = Value::Null;
        self.until("a round", |world| {
            found = world.rounds().get(number - 1).map_or(Value::Null, |row| row["round"].clone());
            !found.is_null()
        })?;
        Ok(found)
    }

    /// Rounds of this course and what each of them becomes; no outcome: void.
    fn past(&mut self, first: usize, last: usize, outcome: Option<&String>) -> Result<Vec<Value>, Refused> {
        (first..=last).map(|round| Ok(json!({ "round": self.round(round)?, "outcome": outcome }))).collect()
    }

    /// A person looks at what a change of past rounds would move.
    fn look(&self, who: Person, changes: &[Value]) -> Result<Value, Refused> {
        let path = format!("/tables/{}/preview", self.table);
        self.shared.server().command(who, &path, json!({ "changes": changes }))
    }

    fn ticket(&self) -> Result<(Value, Value), Refused> {
        self.ticket.clone().ok_or_else(|| missing("no ticket was issued in this course"))
    }

    fn terminal_id(&self, number: usize) -> u64 {
        self.terminals.get(number - 1).map_or(u64::MAX, |terminal| terminal.id)
    }
}

fn settings(wanted: &Wanted) -> Value {
    let settings = wanted.settings();
    let amount = |amount: Option<Cents>| json!(amount.map(|amount| amount.to_string()));
    json!({
        "limit": { "minimum": settings.limit.minimum.to_string(), "maximum": amount(settings.limit.maximum) },
        "differential": amount(settings.differential.or(Some(Cents::ZERO))),
        "step": settings.step.to_string(),
        "betting_period": settings.betting_period,
        "grace": settings.grace,
        "hand_pay": settings.hand_pay.to_string(),
    })
}

/// A field that is left out when there is nothing to say.
fn with(mut body: Value, field: &str, value: Option<Value>) -> Value {
    if let Some(value) = value {
        body[field] = value;
    }
    body
}

fn signed(body: Value, witness: &Option<Person>) -> Value {
    with(body, "witness", witness.map(Server::signature))
}

/// `SomeTerminals` is `some_terminals` in the API.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

fn finding_name(finding: Finding) -> &'static str {
    match finding {
        Finding::NotAffected => "not_affected",
        Finding::Established => "established",
        Finding::NotEstablished => "not_established",
    }
}

fn changes(bets: &[(String, Cents)], take: bool) -> Value {
    let change = |(name, amount): &(String, Cents)| match name.parse::<Spot>() {
        Ok(_) if take => json!({ "take": name, "amount": amount.to_string() }),
        Ok(_) => json!({ "add": name, "amount": amount.to_string() }),
        Err(_) => json!({ "pieces": name, "unit": amount.to_string() }),
    };
    json!({ "type": "bet", "changes": bets.iter().map(change).collect::<Vec<_>>() })
}

impl OnProgram<'_> {
    /// Puts back what concerns the whole floor.
    fn leave(mut self, course: &Course) {
        for step in &course.steps {
            if let Do::Staff(_, Act::AssignActing { person, post: Some(_), witness }) = &step.what {
                let end = Act::AssignActing { person: *person, post: None, witness: *witness };
                // The course may have ended it already.
                let _ = self.staff(ADMINISTRATOR, &end);
            }
        }
        self.shared.parked.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.terminals);
    }

    fn points(&self, points: &Points) -> Option<Value> {
        let list = match points {
            Points::None => return None,
            Points::Everything => everything(self.wanted.rulebook()),
            Points::These(list) => list.clone(),
        };
        Some(json!(list)).filter(|_| !list.is_empty())
    }

    /// Where a member of staff sends something, and what.
    fn request(&mut self, act: &Act) -> Result<(String, Value), Refused> {
        let at = |below: &str| format!("/tables/{}{below}", self.table);
        let empty = json!({});
        Ok(match act {
            Act::TakeTable => (at("/take"), empty),
            Act::OpenTable => (at("/open"), empty),
            Act::CloseTable => (at("/close"), empty),
            Act::BeginRound => (at("/begin-round"), empty),
            Act::OpenBets { affirmed } => (at("/open-bets"), with(empty, "affirmed", self.points(affirmed))),
            Act::CloseBets => (at("/close-bets"), empty),
            Act::Enter { outcome, affirmed, witness, reason } => {
                let body = with(json!({ "outcome": outcome }), "affirmed", self.points(affirmed));
                let body = with(body, "reason", reason.as_ref().map(|reason| json!(reason)));
                (at("/result"), signed(body, witness))
            }
            Act::Confirm { witness, reason } => {
                let body = with(empty, "reason", reason.as_ref().map(|reason| json!(reason)));
                (at("/confirm"), signed(body, witness))
            }
            Act::Declare { ground, witness } => (at("/void"), signed(json!({ "ground": ground.as_str() }), witness)),
            Act::ConfirmGround => (at("/ground/confirm"), empty),
            Act::DismissGround { reason, witness } => {
                (at("/ground/dismiss"), signed(json!({ "reason": reason }), witness))
            }
            Act::VoidRounds { ground, first, last, reason, witness } => {
                let path = at("/void-rounds");
                let rounds = (*first..=*last).map(|round| self.round(round)).collect::<Result<Vec<_>, _>>()?;
                let body = json!({ "ground": ground.as_str(), "rounds": rounds, "reason": reason });
                (path, signed(body, witness))
            }
            Act::Correct { round, outcome, reason, witness } => {
                let round = self.round(*round)?;
                let body = json!({ "outcome": outcome, "reason": reason });
                (format!("/rounds/{round}/correct"), signed(body, witness))
            }
            Act::Attest { finding, witness } => {
                (at("/attest"), signed(json!({ "finding": finding_name(*finding) }), witness))
            }
            Act::DecideVoid { round, reason, witness } => {
                let path = at("/decide");
                let round = round.map(|round| self.round(round)).transpose()?;
                let body = json!({ "ruling": "void_round", "round": round, "reason": reason });
                (path, signed(body, witness))
            }
            Act::DecidePay { terminal, amount, reason, witness } => {
                let (terminal, amount) = (self.terminal_id(*terminal), amount.to_string());
                let body = json!({ "ruling": "pay", "terminal": terminal, "amount": amount, "reason": reason });
                (at("/decide"), signed(body, witness))
            }
            Act::DecideTakeBack { terminal, amount, round, reason, witness } => {
                let path = at("/decide");
                let (terminal, amount) = (self.terminal_id(*terminal), amount.to_string());
                let body = json!({ "ruling": "take_back", "terminal": terminal, "amount": amount, "reason": reason });
                let round = round.map(|round| self.round(round)).transpose()?;
                (path, signed(with(body, "round", round), witness))
            }
            Act::DecideReading { reason } => (at("/decide"), json!({ "ruling": "reading", "reason": reason })),
            Act::DisplayFault { what, note } => {
                let what = match what {
                    DisplayFault::LitAreas => "lit_areas",
                    DisplayFault::Results => "results",
                };
                (at("/display-fault"), json!({ "what": what, "note": note }))
            }
            Act::Lock { terminal, reason } => {
                (format!("/terminals/{}/lock", self.terminal_id(*terminal)), json!({ "reason": reason }))
            }
            Act::Unlock { terminal } => (format!("/terminals/{}/unlock", self.terminal_id(*terminal)), empty),
            Act::AttendantIn { terminal, amount, witness } => {
                let body = json!({ "amount": amount.to_string() });
                (format!("/terminals/{}/attendant-in", self.terminal_id(*terminal)), signed(body, witness))
            }
            Act::AttendantPay { terminal, amount, witness } => {
                let body = json!({ "amount": amount.to_string() });
                (format!("/terminals/{}/hand-pay", self.terminal_id(*terminal)), signed(body, witness))
            }
            Act::AcknowledgeAlert { kind } => {
                let pit = self.pit();
                let here = |alert: &&Value| alert["table"] == self.table && alert["kind"] == *kind;
                let found = rows(&pit["alerts"]).iter().find(here).map(|alert| alert["id"].clone());
                let alert = found.ok_or_else(|| missing("there is no such alert"))?;
                (format!("/alerts/{alert}/acknowledge"), empty)
            }
            Act::AssignActing { person, post, witness } => {
                let staff = self.shared.server().staff_id(*person);
                let post = post.as_ref().map(|post| post.replace('-', "_"));
                (format!("/staff/{staff}/acting"), signed(json!({ "post": post }), witness))
            }
            Act::ChangeLimits { minimum, maximum, reason } => {
                let limit = json!({ "minimum": minimum.to_string(), "maximum": maximum.to_string() });
                (at("/settings"), json!({ "settings": { "limit": limit }, "reason": reason }))
            }
            Act::PlaceChips { player, spot, amount, for_player } => {
                let body = json!({ "position": player, "spot": spot, "amount": amount.to_string() });
                (at("/chips"), with(body, "for_player", for_player.then(|| json!(true))))
            }
            Act::TakeChips { player, spot, amount } => {
                (at("/chips/take"), json!({ "position": player, "spot": spot, "amount": amount.to_string() }))
            }
            Act::RejectExcess { spot } => (at("/chips/reject-excess"), json!({ "spot": spot })),
            Act::AdviseMinimum { player, spot } => (at("/chips/advise"), json!({ "position": player, "spot": spot })),
            Act::RefuseUnderMinimum { player, spot } => {
                (at("/chips/refuse"), json!({ "position": player, "spot": spot }))
            }
            Act::RefuseLate { player } => (at("/chips/refuse-late"), json!({ "position": player })),
            Act::PlayerLeft { player } => (at("/chips/left"), json!({ "position": player })),
            Act::MoveFloat { movement, witness } => {
                let (name, amount) = match movement {
                    FloatMovement::Opener(amount) => ("opener", amount),
                    FloatMovement::Fill(amount) => ("fill", amount),
                    FloatMovement::Credit(amount) => ("credit", amount),
                    FloatMovement::BuyIn(amount) => ("buy_in", amount),
                    FloatMovement::ChipsOut(amount) => ("chips_out", amount),
                    FloatMovement::Closer(amount) => ("closer", amount),
                    FloatMovement::Drop(amount) => ("drop", amount),
                };
                let body = json!({ "movement": name, "amount": amount.to_string() });
                let piles = witness.map(|_| json!([{ "denomination": "1000.00", "pieces": thousands(movement) }]));
                (at("/float"), signed(with(body, "counts", piles), witness))
            }
            Act::OpenShift { float } => ("/cage/shift/open".to_owned(), json!({ "float": float.to_string() })),
            Act::CloseShift { counted } => ("/cage/shift/close".to_owned(), json!({ "counted": counted.to_string() })),
            Act::PayCorrection { round, named, witness } => {
                let (round, named) = (self.round(*round)?, self.round(*named)?);
                let cage = self.cage();
                let found = rows(&cage["payables"]).iter().find(|row| row["round"] == round);
                let payable = found.map(|row| row["id"].clone()).ok_or_else(|| missing("nothing is owed"))?;
                (format!("/cage/payables/{payable}/pay"), signed(json!({ "round": named }), witness))
            }
            Act::RedeemTicket { amount } => {
                let body = json!({ "number": self.ticket()?.1 });
                let body = with(body, "amount", amount.map(|amount| json!(amount.to_string())));
                ("/cage/redeem".to_owned(), body)
            }
            Act::Service { reading, in_service, reason, witness } => {
                let device = self.device.as_ref().map_or(u64::MAX, |device| device.id);
                let function = if *reading { "reading" } else { "device" };
                let body = json!({ "function": function, "in_service": in_service, "reason": reason });
                (format!("/devices/{device}/service"), signed(body, witness))
            }
            Act::KeepFirst { affirmed, witness } => {
                (at("/first-outcome"), signed(with(empty, "affirmed", self.points(affirmed)), witness))
            }
            Act::Interruption { failed } => (at("/interruption"), json!({ "failed": snake(&format!("{failed:?}")) })),
            Act::AnswerFault { affects } => (at("/fault"), json!({ "affects": affects })),
            Act::RemoveChips { player, spot, amount, reason, witness } => {
                let amount = amount.to_string();
                let body = json!({ "position": player, "spot": spot, "amount": amount, "reason": reason });
                (at("/chips/remove"), signed(body, witness))
            }
            Act::StateRest { affirmed } => (at("/early-rest"), with(empty, "affirmed", self.points(affirmed))),
            Act::DeclareUncovered => (at("/uncovered"), empty),
            Act::CorrectRecord { round, player, spot, amount, reason, witness } => {
                let (round, amount) = (self.round(*round)?, amount.to_string());
                let body = json!({ "position": player, "spot": spot, "amount": amount, "reason": reason });
                (format!("/rounds/{round}/correct-record"), signed(body, witness))
            }
            Act::DecideOutcome { round, outcome, reason, witness } => {
                let path = at("/decide");
                let round = self.round(*round)?;
                let body = json!({ "ruling": "outcome", "round": round, "outcome": outcome, "reason": reason });
                (path, signed(body, witness))
            }
            Act::ChangeRounds { first, last, outcome, ground, reason, witness } => {
                let path = at("/change-rounds");
                let changes = self.past(*first, *last, outcome.as_ref())?;
                // A view that was read before, or the current view.
                let shown = match self.shown.take() {
                    Some(shown) => shown,
                    None => self.look(PIT_MANAGER, &changes)?,
                };
                let body = json!({ "changes": changes, "reason": reason, "preview": shown["preview"] });
                let body = with(body, "ground", ground.map(|ground| json!(ground.as_str())));
                (path, signed(body, witness))
            }
            Act::PreviewRounds { .. } => return Err(missing("a preview is no command")),
            Act::CallSecond { other_table, act, round, terminal, amount, reason } => {
                let table = if *other_table { self.other.unwrap_or(u64::MAX) } else { self.table };
                let round = round.map(|round| self.round(round)).transpose()?;
                let subject = round.or_else(|| terminal.map(|terminal| json!(self.terminal_id(terminal))));
                let body = json!({ "act": act.as_str(), "reason": reason });
                let body =
                    with(with(body, "subject", subject), "amount", amount.map(|amount| json!(amount.to_string())));
                (format!("/tables/{table}/call-second-person"), body)
            }
            Act::AnswerCall => (at("/answer-call"), empty),
            Act::Countersign => {
                let pit = self.pit();
                let here = |alert: &&Value| alert["table"] == self.table && alert["kind"] == "decided_alone";
                let found = rows(&pit["alerts"]).iter().find(here).map(|alert| alert["id"].clone());
                let alert = found.ok_or_else(|| missing("nothing is to be countersigned"))?;
                (format!("/alerts/{alert}/countersign"), empty)
            }
            Act::ResolveTicket { finding, reason, witness } => {
                let ticket = self.ticket()?.0;
                let body = json!({ "finding": snake(&format!("{finding:?}")), "reason": reason });
                (format!("/tickets/{ticket}/resolve"), signed(body, witness))
            }
            Act::Reprint { reason, witness } => {
                let path = format!("/cage/tickets/{}/reprint", self.ticket()?.0);
                (path, signed(json!({ "reason": reason }), witness))
            }
            Act::Reprinted => (format!("/tickets/{}/printed", self.ticket()?.0), empty),
            Act::Employ { post, witness } => {
                let (post, login) = (post.replace('-', "_"), format!("newcomer-{}", self.table));
                let body = json!({ "name": "newcomer", "post": post, "login": login, "password": "for one day only" });
                let mut body = signed(body, witness);
                if body["witness"].is_object() {
                    body["witness"]["half"] = json!(server::HALF);
                }
                ("/staff".to_owned(), body)
            }
            Act::SetAlone { amount, reason, witness } => {
                let body = json!({ "alone": amount.to_string(), "reason": reason });
                ("/thresholds".to_owned(), signed(body, witness))
            }
            Act::MoveDevice { to_table, witness } => {
                let device = self.device.as_ref().map_or(u64::MAX, |device| device.id);
                let place = if *to_table { json!({ "table": self.table }) } else { empty };
                (format!("/devices/{device}/move"), signed(json!({ "place": place }), witness))
            }
            Act::OfferTables { terminal } => {
                let other = self.other.ok_or_else(|| missing("there is no other table"))?;
                let path = format!("/terminals/{}/tables", self.terminal_id(*terminal));
                (path, json!({ "tables": [self.table, other] }))
            }
        })
    }
}

/// What a page of the console says.
fn facts(view: &Value) -> Facts {
    let (round, console) = (&view["round"], &view["console"]);
    let proposal = match console["proposal"]["finding"].as_str() {
        Some("not_affected") => Some(Finding::NotAffected),
        Some("established") => Some(Finding::Established),
        Some("not_established") => Some(Finding::NotEstablished),
        _ => None,
    };
    let round = (!round.is_null()).then(|| RoundFacts {
        phase: text(&round["phase"]),
        interrupted: round["interrupted"] == true,
        halted: round["halted"] == true,
        ground: console["ground"]["id"].as_str().map(str::to_owned),
        proposal,
        notice: round["notice"]["en"].as_str().map(str::to_owned),
    });
    let limit = |row: &Value| {
        let maximum = Some(&row["maximum"]).filter(|maximum| !maximum.is_null()).map(money);
        (text(&row["family"]), money(&row["minimum"]), maximum)
    };
    let boxes =
        |row: &Value| BoxFacts { spot: text(&row["spot"]), total: money(&row["total"]), excess: money(&row["excess"]) };
    let share = |row: &Value| ShareFacts {
        player: row["position"].as_u64().and_then(|player| player.try_into().ok()).unwrap_or_default(),
        spot: text(&row["spot"]),
        at_risk: money(&row["at_risk"]),
        returned: money(&row["returned"]),
    };
    Facts {
        round,
        results: rows(&view["results"]).iter().map(|row| text(&row["outcome"])).collect(),
        limits: rows(&view["table"]["limits"]).iter().map(limit).collect(),
        boxes: rows(&console["boxes"]).iter().map(boxes).collect(),
        shares: rows(&console["payouts"]).iter().map(share).collect(),
    }
}

impl World for OnProgram<'_> {
    fn staff(&mut self, who: Person, act: &Act) -> Answer {
        self.waiting = None;
        if let Act::PreviewRounds { first, last, outcome } = act {
            let changes = self.past(*first, *last, outcome.as_ref())?;
            self.shown = Some(self.look(who, &changes)?);
            return Ok(());
        }
        let (path, body) = self.request(act)?;
        let answer = self.shared.server().command(who, &path, body);
        if let (Act::Reprint { .. }, Ok(answer)) = (act, &answer) {
            self.replaced = Some(self.ticket()?.1);
            self.ticket = Some((answer["ticket"]["id"].clone(), answer["ticket"]["number"].clone()));
        }
        // A change of post ends the sessions of the person.
        if let (Act::AssignActing { person, .. }, Ok(_)) = (act, &answer) {
            self.shared.server().sign_in_again(*person)?;
        }
        let answer = answer.map(|_| ());
        // A spot is read before it is played: what the layout does not have is a field that cannot be taken.
        answer.map_err(|refused| match refused.code.as_str() {
            "invalid" if refused.words.starts_with("spot: ") => Refused { code: "not_offered".to_owned(), ..refused },
            _ => refused,
        })
    }

    fn terminal(&mut self, number: usize, act: &TerminalAct) -> Answer {
        self.waiting = None;
        let message = match act {
            TerminalAct::Bet(bets) => changes(bets, false),
            TerminalAct::Withdraw(bets) => changes(bets, true),
            TerminalAct::Clear => json!({ "type": "clear" }),
            TerminalAct::Repeat { doubled } => json!({ "type": "repeat", "doubled": doubled }),
            TerminalAct::ShowClose => {
                self.until("the close", |world| world.terminals[number - 1].section("round")["phase"] == "closed")?;
                let round = self.terminals[number - 1].section("round")["id"].clone();
                json!({ "type": "acknowledge", "round": round })
            }
            TerminalAct::Lost => {
                if let Some(link) = self.terminals[number - 1].link.take() {
                    self.shared.server().runtime.block_on(link.close());
                }
                let id = self.terminal_id(number);
                return self.until("the host to see that a terminal is gone", |world| {
                    let page = world.page("console");
                    rows(&page["console"]["list"]).iter().any(|row| row["id"] == id && row["live"] == false)
                });
            }
            TerminalAct::Back => {
                self.terminals[number - 1].open(&self.shared.server())?;
                return self.until_usable(number);
            }
            TerminalAct::Cash(amount) => {
                let message = json!({ "type": "cash", "amount": amount.to_string() });
                return self.validators[number - 1].ask(&self.shared.server(), message).map(|_| ());
            }
            TerminalAct::CashOut => {
                let answer = self.terminals[number - 1].ask(&self.shared.server(), json!({ "type": "cash_out" }))?;
                self.ticket = Some((answer["ticket"]["id"].clone(), answer["ticket"]["number"].clone()));
                return Ok(());
            }
            TerminalAct::Printed => json!({ "type": "printed", "ticket": self.ticket()?.0 }),
            TerminalAct::PrintFailed => json!({ "type": "print_failed", "ticket": self.ticket()?.0 }),
            TerminalAct::TicketIn => json!({ "type": "ticket_in", "ticket": self.ticket()?.1 }),
            TerminalAct::ReplacedTicketIn => {
                let number = self.replaced.clone().ok_or_else(|| missing("no ticket was replaced"))?;
                json!({ "type": "ticket_in", "ticket": number })
            }
            TerminalAct::LossLimit(limit) => {
                json!({ "type": "loss_limit", "limit": limit.map(|limit| limit.to_string()) })
            }
            TerminalAct::Choose { other } => {
                let table = if *other { self.other } else { Some(self.table) };
                let message = json!({ "type": "choose_table", "table": table });
                self.terminals[number - 1].ask(&self.shared.server(), message)?;
                // The feed of the table it was at ends; the terminal opens that of the other.
                self.until("the end of a feed", |world| world.terminals[number - 1].section("bye") == "moved")?;
                self.terminals[number - 1].open(&self.shared.server())?;
                return self.until_usable(number);
            }
        };
        self.terminals[number - 1].ask(&self.shared.server(), message).map(|_| ())
    }

    fn device(&mut self, report: &Report) -> Answer {
        self.waiting = None;
        let observation = match report {
            Report::Activated => json!("activated"),
            Report::Tumbled(times) => json!({ "tumbled": { "times": times } }),
            Report::Uncovered => json!("uncovered"),
            Report::Covered => json!("covered"),
            Report::Read(text) => {
                let dice = faces(text).ok_or_else(|| missing("these are no three dice"))?;
                json!({ "dice_read": { "dice": dice } })
            }
            Report::NotFlat => json!("not_flat"),
            Report::Spun { against_rotation, wheel_rotating } => {
                json!({ "spun": { "against_rotation": against_rotation, "wheel_rotating": wheel_rotating } })
            }
            Report::Revolved(times) => json!({ "revolved": { "times": times } }),
            Report::Rested(pocket) => json!({ "rested": { "pocket": pocket } }),
            Report::NoCompartment => json!("no_compartment"),
            Report::FlungOut => json!("flung_out"),
            Report::WheelStopped => json!("wheel_stopped"),
            Report::Fault(number) => json!({ "fault": { "number": number } }),
            Report::Restored => json!("restored"),
        };
        let device = self.device.as_mut().ok_or_else(|| missing("this table has no device"))?;
        device.ask(&self.shared.server(), json!({ "type": "observe", "observation": observation })).map(|_| ())
    }

    fn host(&mut self, act: &HostAct) -> Result<(), String> {
        self.waiting = None;
        let away = match act {
            HostAct::Wait { seconds } => return self.shared.server().pass(seconds * 1_000),
            // A plain restart takes as long as it takes.
            HostAct::Restart { after: 1 } => 0,
            HostAct::Restart { after } => after * 1_000,
        };
        let live = self.live_terminals();
        self.shared.restart(away)?;
        let server = self.shared.server();
        let places = self.device.iter_mut().chain(&mut self.validators);
        for place in places {
            place.open(&server).map_err(|refused| refused.to_string())?;
        }
        for number in live {
            self.terminals[number - 1].open(&server).map_err(|refused| refused.to_string())?;
        }
        drop(server);
        for number in self.live_terminals() {
            self.until_usable(number).map_err(|refused| refused.to_string())?;
        }
        Ok(())
    }

    fn live_terminals(&self) -> Vec<usize> {
        (1..=self.terminals.len()).filter(|number| self.terminals[number - 1].link.is_some()).collect()
    }

    fn money(&mut self, terminal: usize) -> (Cents, Cents) {
        let own = self.terminals[terminal - 1].section("own");
        (money(&own["credit"]), money(&own["staked"]))
    }

    fn facts(&mut self) -> Facts {
        facts(&self.page(""))
    }

    fn console(&mut self) -> Facts {
        facts(&self.page("console"))
    }

    fn ended(&mut self, round: usize) -> Option<Ended> {
        let rounds = self.rounds();
        let row = rounds.get(round - 1)?;
        match row["status"].as_str()? {
            "void" => Some(Ended::Void(row["void"]["paragraph"].as_str().map(str::to_owned))),
            "settled" | "corrected" => Some(Ended::With(text(&row["outcome"]))),
            _ => None,
        }
    }

    fn alerts(&mut self) -> Vec<String> {
        let pit = self.pit();
        // What concerns a ticket belongs to no table.
        let here = |alert: &&Value| alert["table"] == self.table || alert["table"].is_null();
        rows(&pit["alerts"]).iter().filter(here).map(|alert| text(&alert["kind"])).collect()
    }

    fn payables(&mut self) -> Vec<(usize, Cents)> {
        let rounds: BTreeMap<Option<u64>, usize> =
            self.rounds().iter().map(|row| row["round"].as_u64()).zip(1..).collect();
        let cage = self.cage();
        let here = |row: &&Value| row["table"] == self.table;
        let owed =
            |row: &Value| (rounds.get(&row["round"].as_u64()).copied().unwrap_or_default(), money(&row["amount"]));
        rows(&cage["payables"]).iter().filter(here).map(owed).collect()
    }

    fn preview(&mut self) -> Option<PreviewFacts> {
        let total = &self.shown.as_ref()?["total"];
        Some(PreviewFacts {
            paid: money(&total["credited"]),
            payable: money(&total["payable"]),
            taken: money(&total["taken"]),
            uncollected: money(&total["uncollected"]),
        })
    }

    fn wait(&mut self) -> bool {
        let since = *self.waiting.get_or_insert_with(Instant::now);
        std::thread::sleep(PAUSE);
        since.elapsed() < BOUND
    }
}

/// What came of the whole book.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Courses that were run.
    pub run: usize,
    /// Courses that cannot be run over HTTP, and why.
    pub skipped: Vec<String>,
    /// Courses that went wrong, by place.
    pub wrong: Vec<String>,
}

/// A course at a table of a document.
struct Task<'a> {
    chapter: &'a str,
    course: &'a Course,
    document: &'a str,
}

impl Task<'_> {
    fn run(&self, shared: &Shared) -> Result<(), String> {
        let wanted = Wanted::of(self.course, self.document);
        let place = |line: usize| format!("scenarios/{}:{line} at {}", self.chapter, self.document);
        let begun = OnProgram::new(shared, &wanted);
        let outcome = match begun {
            Err(refused) => Err((self.course.line, format!("the table could not be set up: {refused}"))),
            Ok(mut world) => {
                let outcome = world::run(self.course, &wanted, &mut world);
                world.leave(self.course);
                outcome.map_err(|failure| (failure.line, failure.words))
            }
        };
        outcome.map_err(|(line, words)| format!("{}: {words}", place(line)))
    }
}

/// Why a course is not run over HTTP: only one that the program does not keep yet.
fn not_over_http(course: &Course) -> Option<&str> {
    course.fails.as_deref()
}

/// How a course is run.
#[derive(Copy, Clone, PartialEq, Eq)]
enum How {
    /// Beside others.
    Together,
    /// Alone: what it does concerns the whole floor.
    Alone,
    /// Beside others that restart the program at the same time.
    Restarts,
    /// On a floor of its own.
    OnItsOwn,
    /// One after the other on a floor whose time they move.
    MovesTime,
}

fn how(course: &Course) -> How {
    let has_own_floor = |step: &crate::book::Step| step.what == Do::Given(Given::OwnFloor);
    if course.steps.iter().any(has_own_floor) {
        return How::OnItsOwn;
    }
    // A person has few calls at a time on the whole floor, for up to an hour (D28).
    let calls = |step: &crate::book::Step| matches!(step.what, Do::Staff(_, Act::CallSecond { .. }));
    if course.steps.iter().any(|step| step.place == Where::Clock || calls(step)) {
        return How::MovesTime;
    }
    let is_restart = |step: &crate::book::Step| matches!(step.what, Do::Host(HostAct::Restart { .. }));
    // Chips are recorded for 20 seconds after the close (D20): such a course does not wait for others at its restart.
    let records = |step: &crate::book::Step| matches!(step.what, Do::Staff(_, Act::PlaceChips { .. }));
    if course.steps.iter().any(is_restart) && course.steps.iter().any(records) {
        return How::MovesTime;
    }
    match course.steps.iter().find(|step| step.place == Where::Alone) {
        None => How::Together,
        Some(_) if course.steps.iter().any(is_restart) => How::Restarts,
        Some(_) => How::Alone,
    }
}

/// Runs every course of the book against the program.
///
/// # Errors
/// When the program does not start.
pub fn run(chapters: &[Chapter], program: &Path, everywhere: bool) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut tasks: Vec<(How, Task<'_>)> = Vec::new();
    for chapter in chapters {
        for course in &chapter.courses {
            // One document of each course, another from course to course, unless all are wanted.
            let one = course.line % course.at.len().max(1);
            let at = course.at.iter().enumerate().filter(|(place, _)| everywhere || *place == one);
            for (_, document) in at {
                let task = Task { chapter: &chapter.name, course, document };
                match not_over_http(course) {
                    Some(why) => {
                        let place = format!("scenarios/{}:{} at {document}", chapter.name, course.line);
                        outcome.skipped.push(format!("{place}: {why}"));
                    }
                    None => tasks.push((how(course), task)),
                }
            }
        }
    }
    outcome.run = tasks.len();
    let of = |wanted: How| tasks.iter().filter(move |(how, _)| *how == wanted).map(|(_, task)| task);
    let together = || -> Result<Vec<String>, String> {
        let shared = Shared::start(program)?;
        Ok(beside(&of(How::Together).collect::<Vec<_>>(), WORKERS, &shared))
    };
    // Another floor, on which few terminals are lost when it restarts.
    let restarted = || -> Result<Vec<String>, String> {
        let shared = Shared::start(program)?;
        let mut wrong: Vec<String> = of(How::Alone).filter_map(|task| task.run(&shared).err()).collect();
        for group in of(How::Restarts).collect::<Vec<_>>().chunks(AT_ONCE) {
            shared.gate.state.lock().unwrap_or_else(PoisonError::into_inner).running = group.len();
            wrong.extend(beside(group, group.len(), &shared));
        }
        Ok(wrong)
    };
    let moving_time = || -> Result<Vec<String>, String> {
        let shared = Shared::start(program)?;
        let run = |task: &Task<'_>| {
            shared.gate.state.lock().unwrap_or_else(PoisonError::into_inner).running = 1;
            let wrong = task.run(&shared).err();
            // Calls that the course has left lapse.
            wrong.or_else(|| shared.server().pass(floor::bounds::CALL_STANDS + 1_000).err())
        };
        Ok(of(How::MovesTime).filter_map(run).collect())
    };
    let own: Vec<&Task<'_>> = of(How::OnItsOwn).collect();
    let next = AtomicUsize::new(0);
    let on_their_own = || -> Result<Vec<String>, String> {
        let mut wrong = Vec::new();
        while let Some(task) = own.get(next.fetch_add(1, Ordering::Relaxed)) {
            let shared = Shared::start(program)?;
            shared.gate.state.lock().unwrap_or_else(PoisonError::into_inner).running = 1;
            wrong.extend(task.run(&shared).err());
        }
        Ok(wrong)
    };
    // Most of the time is waiting: for terminals, for restarts, for passwords that are slow on purpose.
    let stages = std::thread::scope(|scope| {
        let running = [
            scope.spawn(together),
            scope.spawn(restarted),
            scope.spawn(moving_time),
            scope.spawn(on_their_own),
            scope.spawn(on_their_own),
            scope.spawn(on_their_own),
        ];
        running.map(|stage| stage.join().unwrap_or_else(|_| Err("a thread of the book panicked".to_owned())))
    });
    for stage in stages {
        outcome.wrong.extend(stage?);
    }
    outcome.wrong.sort();
    Ok(outcome)
}

/// Runs courses beside each other.
fn beside(tasks: &[&Task<'_>], workers: usize, shared: &Shared) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(words) = task.run(shared) {
                wrong.lock().unwrap_or_else(PoisonError::into_inner).push(words);
            }
            shared.leave();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    wrong.into_inner().unwrap_or_else(PoisonError::into_inner)
}
