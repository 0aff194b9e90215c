//! The agent's decisions, the drivers and the simulated devices of every protocol against a small model of the floor, from seeds: the agent
//! dies between any two actions, the devices lose their power, the line is cut. What lies in the stacker and on paper is the
//! truth, and the model must agree with it after every step.
//!
//! `CABINET_SEEDS` is the number of seeds (450 if not set); each protocol has every third.

use std::collections::{BTreeMap, VecDeque};

use cabinet::Millis;
use cabinet::agent::{Action, Core, Input, Own, Refusal, Side, State};
use cabinet::ebds::Ebds;
use cabinet::id003::Id003;
use cabinet::printer::{Epic, Printer as _, Slip, Words};
use cabinet::simulated::{Device, Printer, Protocol, Thing, Validator};
use cabinet::ssp::Ssp;
use cabinet::validator::{Settings, Validator as Driver};
use serde_json::{Value, json};

const DENOMINATIONS: [i64; 8] = [200, 1_000, 5_000, 0, 0, 0, 0, 0];
const NOTE: i64 = 5_000;
const PACE: Millis = 30;
const STEP: Millis = 10;

/// Chance from a seed: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Paper {
    Prepared,
    Printed,
    Paid,
    Void,
}

/// The floor as far as a cabinet sees it. Each number is answered once, and a retry as before.
#[derive(Default)]
struct Floor {
    credit: i64,
    tickets: Vec<(i64, Paper)>,
    resolved: Option<u64>,
    answers: [BTreeMap<u64, (Value, bool)>; 2],
    /// What it was told of the cabinet.
    told: Vec<String>,
}

impl Floor {
    fn doubt(&self) -> Option<u64> {
        let at = self.tickets.iter().position(|(_, paper)| *paper == Paper::Prepared)?;
        u64::try_from(at).ok()
    }

    fn own(&self) -> Own {
        Own { usable: true, holds: self.credit, doubt: self.doubt(), resolved: self.resolved, called: false }
    }

    fn next(&self, side: usize) -> u64 {
        self.answers[side].keys().next_back().map_or(1, |last| last + 1)
    }

    fn slip(&self, id: u64) -> Slip {
        let (amount, _) = self.tickets[usize::try_from(id).expect("few")];
        Slip {
            id,
            number: format!("{id:018}"),
            amount: format!("{}.{:02}", amount / 100, amount % 100),
            words: Words { en: String::new() },
            floor: "main".to_owned(),
            terminal: None,
            issued: 0,
            expires: 0,
            reprint: false,
            demonstration: true,
        }
    }

    fn take(&mut self, side: Side, message: &Value) -> Input {
        let at = usize::from(side == Side::Validator);
        let number = message["number"].as_u64().expect("a number");
        if message["type"] == "cabinet" {
            let (good, _) = self.act(message);
            assert!(good);
            return Input::Answer { side, number, refused: None, slip: None, accepted: None };
        }
        if message["type"] == "print_job" {
            let slip = self.doubt().map(|id| Box::new(self.slip(id)));
            let refused = slip.is_none().then(|| refusal("not_found"));
            return Input::Answer { side, number, refused, slip, accepted: None };
        }
        let mut body = message.clone();
        body["number"] = Value::Null;
        let (good, slip) = match self.answers[at].get(&number) {
            Some((known, good)) => {
                assert_eq!(*known, body, "one number, two commands");
                (*good, None)
            }
            None => {
                let (good, slip) = self.act(&body);
                // The number of a refused command is free.
                if good {
                    self.answers[at].insert(number, (body, true));
                }
                (good, slip)
            }
        };
        let refused = (!good).then(|| refusal("refused"));
        Input::Answer { side, number, refused, slip: slip.map(Box::new), accepted: None }
    }

    fn act(&mut self, body: &Value) -> (bool, Option<Slip>) {
        let ticket = |value: &Value| value.as_u64().and_then(|id| usize::try_from(id).ok()).expect("a ticket");
        match body["type"].as_str().expect("a type") {
            "cash" => {
                let amount: i64 = body["amount"].as_str().expect("money").replace('.', "").parse().expect("cents");
                if self.doubt().is_some() {
                    return (false, None);
                }
                self.credit += amount;
                (true, None)
            }
            "cash_out" => {
                if self.credit == 0 || self.doubt().is_some() {
                    return (false, None);
                }
                self.tickets.push((std::mem::take(&mut self.credit), Paper::Prepared));
                (true, self.doubt().map(|id| self.slip(id)))
            }
            "ticket_in" => {
                let id: usize = body["ticket"].as_str().expect("digits").parse().expect("digits");
                if self.doubt().is_some() || self.tickets.get(id).is_none_or(|(_, paper)| *paper != Paper::Printed) {
                    return (false, None);
                }
                self.tickets[id].1 = Paper::Paid;
                self.credit += self.tickets[id].0;
                (true, None)
            }
            "printed" | "print_failed" => {
                let id = ticket(&body["ticket"]);
                if self.tickets[id].1 != Paper::Prepared {
                    return (false, None);
                }
                self.resolve(id, body["type"] == "printed");
                (true, None)
            }
            "cabinet" => {
                let event = body["event"].as_str().expect("an event").to_owned();
                assert!(
                    ["door_opened", "door_closed", "printer_jam"].contains(&event.as_str()) || {
                        event.starts_with("validator_")
                            || event.starts_with("printer_")
                            || event.starts_with("ticket_")
                            || event.starts_with("note_")
                    }
                );
                self.told.push(event);
                (true, None)
            }
            "call_attendant" => {
                self.told.push("attendant".to_owned());
                (true, None)
            }
            other => panic!("{other} is not sent"),
        }
    }

    fn resolve(&mut self, id: usize, printed: bool) {
        self.resolved = u64::try_from(id).ok();
        self.tickets[id].1 = if printed { Paper::Printed } else { Paper::Void };
        if !printed {
            self.credit += self.tickets[id].0;
        }
    }
}

fn refusal(code: &str) -> Refusal {
    Refusal { code: code.to_owned(), error: json!({ "code": code }) }
}

struct World {
    random: Random,
    now: Millis,
    floor: Floor,
    core: Core,
    saved: State,
    protocol: Protocol,
    validator: Box<dyn Driver>,
    printer: Epic,
    notes: Validator,
    papers: Printer,
    /// On the way to the floor and back; lost when the line is cut.
    to_floor: VecDeque<(Millis, Side, Value)>,
    to_agent: VecDeque<(Millis, Input)>,
    line: bool,
    up: bool,
    /// The agent dies after so many more actions.
    dies: Option<u64>,
    /// So often a door was opened.
    opened: usize,
    /// The agent dies with the validator's next answer on the line.
    deaf: bool,
    /// How often it has started: what a dead one would have heard is lost.
    lives: u32,
}

impl World {
    fn new(seed: u64, protocol: Protocol) -> World {
        let mut world = World {
            random: Random(seed),
            now: 0,
            floor: Floor::default(),
            core: Core::new(State::default(), 10_000_000),
            saved: State::default(),
            protocol,
            validator: driver(protocol, &State::default()),
            printer: Epic::default(),
            notes: Validator::speaking(protocol, Default::default(), DENOMINATIONS, PACE),
            papers: Printer::new(Default::default(), PACE),
            to_floor: VecDeque::new(),
            to_agent: VecDeque::new(),
            line: true,
            up: false,
            dies: None,
            opened: 0,
            deaf: false,
            lives: 0,
        };
        world.start();
        world
    }

    fn start(&mut self) {
        self.core = Core::new(self.saved.clone(), 10_000_000);
        (self.validator, self.printer) = (driver(self.protocol, &self.saved), Epic::default());
        self.to_floor.clear();
        self.to_agent.clear();
        (self.up, self.dies) = (false, None);
        self.lives += 1;
        let actions = self.core.begin(self.now, 0);
        self.perform(actions);
    }

    fn take(&mut self, input: Input) {
        let actions = self.core.take(input, self.now, 0);
        self.perform(actions);
    }

    fn hear(&mut self, all: Vec<Input>) {
        let life = self.lives;
        for input in all {
            if self.lives == life {
                self.take(input);
            }
        }
    }

    fn perform(&mut self, actions: Vec<Action>) {
        self.saved = self.core.state.clone();
        for action in actions {
            if let Some(left) = &mut self.dies {
                if *left == 0 {
                    return self.start();
                }
                *left -= 1;
            }
            match action {
                Action::Validator(order) => self.validator.order(order),
                Action::Printer(order) => self.printer.order(order),
                Action::Send(side, message) => {
                    let at = self.now + self.random.below(60);
                    self.to_floor.push_back((at, side, message));
                }
                Action::Page(..) | Action::Tell(_) => {}
            }
        }
    }

    fn link(&mut self) {
        if self.line && !self.up {
            self.up = true;
            self.take(Input::View(self.floor.own()));
            self.take(Input::Up(Side::Terminal, self.floor.next(0)));
            self.take(Input::Up(Side::Validator, self.floor.next(1)));
        } else if !self.line && self.up {
            self.up = false;
            self.to_floor.clear();
            self.to_agent.clear();
            self.take(Input::Down(Side::Terminal));
            self.take(Input::Down(Side::Validator));
        }
    }

    fn step(&mut self) {
        self.now += STEP;
        self.link();
        let now = self.now;
        let (question, events) = self.validator.tick(now);
        let mut answer = if question.is_empty() { Vec::new() } else { self.notes.hear(&question, now) };
        answer.extend(self.notes.tick(now));
        if !answer.is_empty() && std::mem::take(&mut self.deaf) {
            return self.start();
        }
        let heard = self.validator.hear(&answer, now);
        self.hear(events.into_iter().chain(heard).map(Input::Validator).collect());
        let (question, events) = self.printer.tick(now);
        let mut answer = if question.is_empty() { Vec::new() } else { self.papers.hear(&question, now) };
        answer.extend(self.papers.tick(now));
        let heard = self.printer.hear(&answer, now);
        self.hear(events.into_iter().chain(heard).map(Input::Printer).collect());
        while self.to_floor.front().is_some_and(|(at, ..)| *at <= now) {
            let (_, side, message) = self.to_floor.pop_front().expect("one");
            let answer = self.floor.take(side, &message);
            let back = now + self.random.below(60);
            self.to_agent.push_back((back, answer));
        }
        while self.to_agent.front().is_some_and(|(at, _)| *at <= now) {
            let (_, answer) = self.to_agent.pop_front().expect("one");
            self.take(answer);
            if self.up {
                self.take(Input::View(self.floor.own()));
            }
        }
        if now.is_multiple_of(250) {
            self.take(Input::Tick);
        }
    }

    /// Until everything has come to rest; two people resolve what no one can know.
    fn calm(&mut self) {
        let mut stuck = 0;
        for _ in 0..3_000 {
            self.step();
            let held = self.notes.held();
            let rests = held.path.is_none() && !held.unacknowledged && self.core.is_ready();
            let told = self.core.state.reports.is_empty();
            if rests
                && told
                && self.core.refuses().is_none()
                && self.core.can_print()
                && self.core.state.ticket_in.is_none()
            {
                return;
            }
            let print = self.core.state.print;
            let waits =
                print.is_some_and(|print| print.sent && print.outcome.is_none()) && self.floor.doubt().is_some();
            stuck = if waits { stuck + 1 } else { 0 };
            if stuck > 150
                && let Some(id) = self.floor.doubt().and_then(|id| usize::try_from(id).ok())
            {
                let number = format!("{id:018}");
                let good = |paper: &cabinet::simulated::Paper| {
                    paper.complete && paper.barcode.as_deref() == Some(number.as_str())
                };
                let printed = self.papers.printed().papers.iter().any(good);
                self.floor.resolve(id, printed);
                self.take(Input::View(self.floor.own()));
            }
        }
        panic!("it does not come to rest: {:?}, {:?}, {:#?}", self.core.refuses(), self.notes.held(), self.core);
    }

    fn fault(&mut self) {
        match self.random.below(8) {
            6 | 7 => self.deaf = true,
            0 => self.dies = Some(self.random.below(12)),
            1 => self.start(),
            2 => self.line = false,
            3 => self.notes.obey("power", self.now).expect("an order"),
            4 => self.papers.obey("power", self.now).expect("an order"),
            _ => {
                self.notes.obey("power", self.now).expect("an order");
                self.papers.obey("power", self.now).expect("an order");
                self.start();
            }
        }
    }

    /// One step of a player with one fault in it.
    fn play(&mut self) {
        let (credit, held) = (self.floor.credit, self.notes.held().clone());
        let printed = self.papers.printed().papers.len();
        let ticket = self.in_hand();
        let what = self.random.below(3);
        match (what, ticket) {
            (0, _) => self.notes.obey("insert 50", self.now).expect("an order"),
            (1, Some(id)) => self.notes.obey(&format!("ticket {id:018}"), self.now).expect("an order"),
            _ => self.take(Input::Page { page: 0, message: json!({ "type": "cash_out", "number": 1 }) }),
        }
        if self.random.below(4) == 0 {
            self.open_and_close();
        }
        let moment = self.random.below(120);
        (0..moment).for_each(|_| self.step());
        self.fault();
        (0..20).for_each(|_| self.step());
        self.line = true;
        self.calm();
        let gained = self.floor.credit - credit;
        let stacked = self.notes.held().stacked[held.stacked.len()..].to_vec();
        match (what, ticket) {
            (0, _) => assert_eq!(gained, i64::try_from(stacked.len()).expect("few") * NOTE, "{stacked:?}"),
            (1, Some(id)) => {
                let amount = self.floor.tickets[id].0;
                assert!(gained == 0 || gained == amount, "{gained} of {amount}");
                if stacked == [Thing::Ticket(format!("{id:018}"))] {
                    assert_eq!(gained, amount);
                }
            }
            _ => {
                let new = &self.papers.printed().papers[printed..];
                let on_paper = new.iter().any(|paper| paper.complete);
                assert_eq!(gained, if on_paper { -credit } else { 0 }, "{new:?}");
            }
        }
    }

    /// A belly door, which does not stop play: what was recorded of it is told once the line is whole.
    fn open_and_close(&mut self) {
        for open in [true, false] {
            self.take(Input::Door { name: "belly".to_owned(), main: false, open });
        }
        self.take(Input::Attendant);
        self.opened += 1;
    }

    /// A good ticket that the player has.
    fn in_hand(&self) -> Option<usize> {
        self.floor.tickets.iter().rposition(|(_, paper)| *paper == Paper::Printed)
    }
}

fn driver(protocol: Protocol, saved: &State) -> Box<dyn Driver> {
    let settings = Settings { denominations: DENOMINATIONS, tickets: true };
    match protocol {
        Protocol::Id003 => Box::new(Id003::new(settings)),
        Protocol::Ebds => Box::new(Ebds::new(settings, saved.mark)),
        Protocol::Ssp => Box::new(Ssp::new(settings)),
    }
}

#[test]
fn a_fault_that_was_repaired_while_the_validator_was_off_is_over() {
    use cabinet::validator::{Event, Fault};
    let mut core = Core::new(State::default(), 10_000_000);
    core.begin(0, 0);
    let own = Own { usable: true, holds: 0, doubt: None, resolved: None, called: false };
    let jam = Input::Validator(Event::Fault(Fault::JamAcceptor));
    let inputs = [Input::Up(Side::Terminal, 1), Input::Up(Side::Validator, 1), Input::View(own)];
    for input in inputs.into_iter().chain([Input::Validator(Event::Back), jam]) {
        core.take(input, 0, 0);
    }
    assert_eq!(core.refuses(), Some("fault"));
    core.take(Input::Validator(Event::Lost), 0, 0);
    core.take(Input::Validator(Event::Back), 0, 0);
    assert_eq!(core.refuses(), None);
}

#[test]
fn money_is_counted_once_whatever_dies_between_two_actions() {
    let seeds: u64 = std::env::var("CABINET_SEEDS").map_or(450, |text| text.parse().expect("CABINET_SEEDS"));
    let mut moved = BTreeMap::new();
    for (seed, protocol) in (0..seeds).zip(Protocol::ALL.into_iter().cycle()) {
        let (stacked, papers, paid) = moved.entry(format!("{protocol:?}")).or_insert((0, 0, 0));
        let run = std::panic::AssertUnwindSafe(|| {
            let mut world = World::new(seed, protocol);
            world.calm();
            for _ in 0..8 {
                world.play();
            }
            for what in ["door_opened", "door_closed", "attendant"] {
                let told = world.floor.told.iter().filter(|told| *told == what).count();
                // Told again when the answer was lost; never not at all.
                assert!(told >= world.opened, "{what}: {told} of {}", world.opened);
            }
            *stacked += world.notes.held().stacked.len();
            *papers += world.papers.printed().papers.len();
            *paid += world.floor.tickets.iter().filter(|(_, paper)| *paper == Paper::Paid).count();
        });
        if let Err(failure) = std::panic::catch_unwind(run) {
            eprintln!("{protocol:?}, seed {seed}");
            std::panic::resume_unwind(failure);
        }
    }
    for (protocol, (stacked, papers, paid)) in moved {
        println!("{protocol}: {stacked} in the stacker, {papers} papers, {paid} paid");
        // Money has really moved: the test could not fail otherwise.
        assert!(stacked > 0 && papers > 0 && paid > 0, "{protocol}");
    }
}
