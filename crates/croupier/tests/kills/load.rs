//! What is sent: at every table with terminals one round after the other, and a cashier who sells and redeems tickets.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::random::Random;

/// Commands of one sender that may be under way: the floor keeps the last 32 answers of each.
const PER_SENDER: usize = 12;
/// Bets of one table that may be under way.
const PER_TABLE: usize = 64;

/// A command that is to be sent.
pub struct Wanted {
    pub sender: Value,
    pub body: Value,
    /// Who wants to be told when it is answered: a table by its place, or the cashier.
    pub owner: usize,
}

/// All senders.
pub struct Load {
    tables: Vec<Table>,
    cashier: Cashier,
    /// Commands under way of each sender.
    under_way: BTreeMap<String, usize>,
    /// The next round of the floor.
    next_round: u64,
}

struct Table {
    id: u64,
    device: u64,
    dealer: u64,
    supervisor: u64,
    shift_managers: [u64; 2],
    wheel: bool,
    activated_first: bool,
    /// Each with its cash validator.
    terminals: Vec<(u64, u64)>,
    steps: Vec<Step>,
    waiting: usize,
    round: Option<u64>,
}

#[derive(Copy, Clone, Debug)]
enum Step {
    Attest,
    ConfirmGround,
    Begin,
    Open,
    Bets(u64),
    Close,
    Acknowledge,
    Observe(Seen),
    Enter(u64),
    Confirm,
    Void,
}

#[derive(Copy, Clone, Debug)]
enum Seen {
    Activated,
    Tumbled,
    Uncovered,
    Spun,
    Revolved,
    Rested(u64),
}

#[derive(Default)]
struct Cashier {
    id: u64,
    /// Signs for the float (D27).
    supervisor: u64,
    waiting: usize,
    open: bool,
    sold: Vec<String>,
}

impl Load {
    /// By what the program says is on the floor.
    pub fn new(floor: &Value) -> Load {
        let person = |name: &str| {
            let staff = floor["staff"].as_array().expect("staff");
            staff.iter().find(|person| person["name"] == name).and_then(|person| person["staff"].as_u64()).expect(name)
        };
        let tables = floor["tables"].as_array().expect("tables");
        let with_terminals = tables.iter().filter(|table| table["mode"] == "Terminals");
        let tables = with_terminals.map(|table| Table {
            id: table["table"].as_u64().expect("a number"),
            device: table["devices"][0]["device"].as_u64().expect("a device"),
            dealer: person("dealer 1"),
            supervisor: person("pit-supervisor 1"),
            shift_managers: [person("shift-manager 1"), person("shift-manager 2")],
            wheel: table["devices"][0]["kind"] == "Wheel",
            activated_first: table["game"] == "mbs-sicbo",
            terminals: terminals(table),
            steps: Vec::new(),
            waiting: 0,
            round: None,
        });
        Load {
            tables: tables.collect(),
            cashier: Cashier { id: person("cashier 1"), supervisor: person("pit-supervisor 1"), ..Cashier::default() },
            under_way: BTreeMap::new(),
            next_round: 0,
        }
    }

    /// After a kill no client waits for anything: each table first finishes its round, if there is one.
    pub fn begin_again(&mut self, random: &mut Random) {
        self.under_way.clear();
        self.cashier.waiting = 0;
        for table in &mut self.tables {
            table.waiting = 0;
            table.steps = table.one_round(0, random);
            table.steps.extend([Step::Void, Step::ConfirmGround, Step::Attest]);
        }
    }

    /// What the log says: rounds are counted by the floor.
    pub fn see(&mut self, event: &Value) {
        for begins in ["RoundBegun", "BetsOpened"] {
            if let Some(begun) = event.get(begins) {
                let (round, table) = (begun["round"].as_u64().expect("a round"), &begun["table"]);
                self.next_round = self.next_round.max(round + 1);
                if let Some(table) = self.tables.iter_mut().find(|known| *table == known.id) {
                    table.round = Some(round);
                }
            }
        }
        if event.get("ShiftOpened").is_some() {
            self.cashier.open = true;
        }
    }

    /// The answer to what a table or the cashier wanted.
    pub fn answered(&mut self, owner: usize, sender: &Value, body: &Value, accepted: bool) {
        if let Some(under_way) = self.under_way.get_mut(&sender.to_string()) {
            *under_way -= 1;
        }
        match self.tables.get_mut(owner) {
            None => self.cashier.answered(body, accepted),
            Some(table) => {
                table.waiting = table.waiting.saturating_sub(1);
                let begins = if table.activated_first { "BeginRound" } else { "OpenBets" };
                if accepted && body.get(begins).is_some() {
                    table.round = Some(self.next_round);
                    self.next_round += 1;
                }
            }
        }
    }

    /// Everything that can be sent now.
    pub fn wanted(&mut self, random: &mut Random) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for (owner, table) in self.tables.iter_mut().enumerate() {
            table.wanted(owner, random, &mut self.under_way, &mut wanted);
        }
        let cashier = self.tables.len();
        wanted.extend(self.cashier.wanted(cashier, random));
        wanted
    }
}

fn terminals(table: &Value) -> Vec<(u64, u64)> {
    let terminals = table["terminals"].as_array().expect("terminals").iter();
    let ids = |terminal: &Value| Some((terminal["terminal"].as_u64()?, terminal["devices"][0]["device"].as_u64()?));
    terminals.map(|terminal| ids(terminal).expect("a terminal with its validator")).collect()
}

impl Table {
    /// The steps of a round, the last first.
    fn one_round(&self, bets: u64, random: &mut Random) -> Vec<Step> {
        let outcome = random.below(if self.wheel { 39 } else { 216 });
        let mut steps = Vec::new();
        if self.activated_first {
            steps.extend([Step::Begin, Step::Observe(Seen::Tumbled)]);
        }
        steps.extend([Step::Open, Step::Bets(bets), Step::Close, Step::Acknowledge]);
        if self.wheel {
            steps.extend([Seen::Spun, Seen::Revolved, Seen::Rested(outcome)].map(Step::Observe));
        } else {
            if !self.activated_first {
                steps.extend([Seen::Activated, Seen::Tumbled].map(Step::Observe));
            }
            steps.push(Step::Observe(Seen::Uncovered));
        }
        steps.extend([Step::Enter(outcome), Step::Confirm]);
        steps.reverse();
        steps
    }

    fn wanted(
        &mut self,
        owner: usize,
        random: &mut Random,
        under_way: &mut BTreeMap<String, usize>,
        wanted: &mut Vec<Wanted>,
    ) {
        let bets = matches!(self.steps.last(), Some(Step::Bets(left)) if *left > 0);
        if self.waiting > 0 && !bets {
            return;
        }
        if self.steps.is_empty() {
            let bets = 20 + random.below(300);
            self.steps = self.one_round(bets, random);
        }
        let before = wanted.len();
        match self.steps.pop() {
            Some(Step::Bets(left)) => {
                let mut left = left;
                while left > 0 && self.waiting + wanted.len() - before < PER_TABLE {
                    let Some((sender, body)) = self.bet(random, under_way) else { break };
                    wanted.push(Wanted { sender, body, owner });
                    left -= 1;
                }
                if left > 0 {
                    self.steps.push(Step::Bets(left));
                }
            }
            Some(step) => {
                let commands = self.step(step).into_iter();
                wanted.extend(commands.map(|(sender, body)| Wanted { sender, body, owner }));
                for one in &wanted[before..] {
                    *under_way.entry(one.sender.to_string()).or_default() += 1;
                }
            }
            None => {}
        }
        self.waiting += wanted.len() - before;
    }

    /// A bet of some terminal, or money for it.
    fn bet(&self, random: &mut Random, under_way: &mut BTreeMap<String, usize>) -> Option<(Value, Value)> {
        let (terminal, validator) = *random.of(&self.terminals);
        let (sender, body) = match random.below(20) {
            0 => {
                let amount = 1_000 * (1 + random.below(20));
                (json!({ "Device": validator }), json!({ "CashIn": { "terminal": terminal, "amount": amount } }))
            }
            1 => (json!({ "Terminal": terminal }), json!("ClearBets")),
            _ => {
                let add = json!({ "Add": { "spot": random.below(40), "amount": 100 * (1 + random.below(5)) } });
                (json!({ "Terminal": terminal }), json!({ "Bet": { "changes": [add] } }))
            }
        };
        let count = under_way.entry(sender.to_string()).or_default();
        if *count >= PER_SENDER {
            return None;
        }
        *count += 1;
        Some((sender, body))
    }

    fn step(&self, step: Step) -> Vec<(Value, Value)> {
        let (table, dealer) = (self.id, json!({ "Staff": self.dealer }));
        let body = match step {
            Step::Attest => {
                json!({ "Attest": { "table": table, "finding": "NotAffected", "witness": self.supervisor } })
            }
            Step::ConfirmGround => json!({ "ConfirmGround": { "table": table } }),
            Step::Begin => json!({ "BeginRound": { "table": table } }),
            Step::Open => json!({ "OpenBets": { "table": table } }),
            Step::Bets(_) => return Vec::new(),
            Step::Close => json!({ "CloseBets": { "table": table } }),
            Step::Acknowledge => {
                let body = json!({ "AcknowledgeClose": { "round": self.round.unwrap_or(0) } });
                let each = self.terminals.iter().map(|(terminal, _)| (json!({ "Terminal": terminal }), body.clone()));
                return each.collect();
            }
            Step::Observe(seen) => return vec![(json!({ "Device": self.device }), json!({ "Observe": seen.json() }))],
            Step::Enter(outcome) => {
                json!({ "EnterResult": { "table": table, "outcome": outcome, "affirmed": ["times"] } })
            }
            // The dice are not read here: a Pit Supervisor stands by the entry (D19).
            Step::Confirm => {
                json!({ "ConfirmResult": { "table": table, "witness": self.supervisor, "reason": "seen" } })
            }
            Step::Void => {
                let [by, witness] = self.shift_managers;
                let round = self.round.unwrap_or(0);
                let body = json!({ "Decide": { "table": table, "round": round, "ruling": "VoidRound",
                    "reason": "the power failed", "witness": witness } });
                return vec![(json!({ "Staff": by }), body)];
            }
        };
        vec![(dealer, body)]
    }
}

impl Seen {
    fn json(self) -> Value {
        match self {
            Seen::Activated => json!("Activated"),
            Seen::Tumbled => json!({ "Tumbled": { "times": 3 } }),
            Seen::Uncovered => json!("Uncovered"),
            Seen::Spun => json!({ "Spun": { "against_rotation": true, "wheel_rotating": true } }),
            Seen::Revolved => json!({ "Revolved": { "times": 6 } }),
            Seen::Rested(pocket) => json!({ "Rested": { "pocket": pocket } }),
        }
    }
}

impl Cashier {
    fn wanted(&mut self, owner: usize, random: &mut Random) -> Option<Wanted> {
        if self.waiting >= 4 {
            return None;
        }
        let body = if !self.open {
            json!({ "OpenShift": { "float": 10_000_000, "witness": self.supervisor } })
        } else if self.sold.len() > 3 && random.below(2) == 0 {
            let ticket = self.sold.swap_remove(random.below(self.sold.len() as u64) as usize);
            json!({ "RedeemTicket": { "number": ticket, "amount": null, "witness": self.supervisor } })
        } else {
            let number = format!("{:016x}{:016x}", random.next(), random.next());
            json!({ "SellTicket": { "amount": 100 * (1 + random.below(50)), "number": number } })
        };
        self.waiting += 1;
        Some(Wanted { sender: json!({ "Staff": self.id }), body, owner })
    }

    fn answered(&mut self, body: &Value, accepted: bool) {
        self.waiting = self.waiting.saturating_sub(1);
        if accepted && body.get("OpenShift").is_some() {
            self.open = true;
        }
        if let Some(number) = body.get("SellTicket").and_then(|sell| sell["number"].as_str()).filter(|_| accepted) {
            self.sold.push(number.to_owned());
        }
    }
}
