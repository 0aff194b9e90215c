//! Runs courses against a floor in this process. After every event the books are checked, and at the end the log is
//! replayed to the same state.

use std::collections::BTreeMap;

use floor::*;
use rulebook::{Cents, GroundId, Rulebook, SpotIndex};
use serde_json::{Value, json};

use crate::people::{PEOPLE, PIT_MANAGER, Person};
use crate::steps::{Act, HostAct, Points, Report, TerminalAct};
use crate::world::{
    self, Answer, BoxFacts, Ended, Facts, PreviewFacts, Refused, RoundFacts, ShareFacts, Wanted, World,
};

const TABLE: TableId = TableId(0);
/// The second table of a course that has one.
const OTHER: TableId = TableId(1);

/// A past round and what it becomes; no outcome: void.
type Change = (RoundId, Option<rulebook::OutcomeIndex>);

/// A floor with one table, for one course.
pub struct OnFloor {
    wanted: Wanted,
    floor: Floor,
    log: Vec<Record>,
    at: Moment,
    number: u64,
    device: Option<DeviceId>,
    validators: Vec<DeviceId>,
    /// Rounds of this course in the order they began.
    rounds: Vec<RoundId>,
    /// What voided rounds rest on.
    void: BTreeMap<RoundId, String>,
    /// The ticket that was issued last.
    ticket: Option<(TicketId, TicketHash)>,
    /// The ticket that a duplicate has replaced.
    replaced: Option<TicketHash>,
    /// Rounds that have left the table's list of recent ones, as a host keeps them to prove them (D24).
    past: Vec<(RoundId, Vec<u8>)>,
    /// The preview that was looked at last.
    shown: Option<(Value, PreviewFacts)>,
    /// What went wrong beside the steps: the books, the replay.
    broken: Option<String>,
}

fn refused(code: &str, words: impl Into<String>) -> Refused {
    Refused { code: code.to_owned(), rule: String::new(), words: words.into() }
}

impl OnFloor {
    /// A floor with what a course asks for.
    ///
    /// # Errors
    /// When something of it is refused.
    pub fn new(wanted: &Wanted) -> Result<OnFloor, String> {
        let mut world = OnFloor {
            wanted: wanted.clone(),
            floor: Floor::new(),
            log: Vec::new(),
            at: Moment(1_000_000),
            number: 0,
            device: None,
            validators: Vec::new(),
            rounds: Vec::new(),
            void: BTreeMap::new(),
            ticket: None,
            replaced: None,
            past: Vec::new(),
            shown: None,
            broken: None,
        };
        world.set_up().map_err(|refused| format!("the table could not be set up: {refused}"))?;
        Ok(world)
    }

    fn set_up(&mut self) -> Answer {
        let settings = FloorSettings { name: "book".to_owned(), ..FloorSettings::default() };
        self.system(Body::CreateFloor(settings))?;
        for (name, post) in PEOPLE {
            self.system(Body::AddStaff { name: name.to_owned(), post, witness: None })?;
        }
        let rulebook = self.wanted.rulebook();
        self.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None })?;
        let mode = match (self.wanted.is_live(), self.wanted.results_only()) {
            (false, _) => TableMode::Terminals,
            (true, false) => TableMode::BetsRecorded,
            (true, true) => TableMode::ResultsOnly,
        };
        let settings = self.wanted.settings();
        let table = json!({ "name": rulebook.id(), "rulebook": rulebook.hash(), "mode": mode, "settings": settings });
        self.json(Sender::System, json!({ "AddTable": table.clone() }))?;
        if self.wanted.has_other_table() {
            self.json(Sender::System, json!({ "AddTable": table }))?;
            let manager = Sender::Staff(staff_id(PIT_MANAGER));
            self.json(manager, json!({ "OpenTable": { "table": OTHER } }))?;
            self.json(manager, json!({ "OpenBets": { "table": OTHER } }))?;
        }
        if self.wanted.has_device() {
            let kind = if rulebook.outcomes().wheel().is_some() { "Wheel" } else { "Tumbler" };
            let place = json!({ "Table": TABLE });
            self.json(Sender::System, json!({ "AddDevice": { "name": "device", "kind": kind, "place": place } }))?;
            self.device = self.floor.devices().last().map(Device::id);
        }
        for number in 1..=self.wanted.terminals {
            let (kind, layout) = self.wanted.seat(number);
            let terminal = seat(number);
            self.system(Body::EnrolTerminal { table: TABLE, name: format!("terminal {number}"), kind, layout })?;
            self.system(Body::TerminalBack { terminal })?;
            let place = json!({ "Terminal": terminal });
            let validator = json!({ "name": "validator", "kind": "Validator", "place": place });
            self.json(Sender::System, json!({ "AddDevice": validator }))?;
            self.validators.extend(self.floor.devices().last().map(Device::id));
            if self.wanted.credit().is_positive() {
                self.terminal(number, &TerminalAct::Cash(self.wanted.credit()))?;
            }
        }
        self.staff(PIT_MANAGER, &Act::OpenTable)?;
        self.staff(crate::people::DEALER, &Act::TakeTable)?;
        if self.wanted.is_live() {
            world::chips(self)?;
        }
        Ok(())
    }

    fn system(&mut self, body: Body) -> Answer {
        self.send(Sender::System, body)
    }

    /// A command in the form that pipes and journals have. What is said in it must be known.
    fn json(&mut self, sender: Sender, given: Value) -> Answer {
        let body: Body =
            serde_json::from_value(given.clone()).map_err(|error| refused("unreadable", error.to_string()))?;
        if let Some(field) = unknown_field(&given, &serde_json::to_value(&body).unwrap_or(Value::Null)) {
            return Err(refused("unreadable", format!("there is no field '{field}'")));
        }
        self.send(sender, body)
    }

    fn send(&mut self, sender: Sender, body: Body) -> Answer {
        self.number += 1;
        self.at = self.at.after(1);
        let command = Command { sender, number: self.number, at: self.at, body };
        let decided = self.floor.decide(&command).map_err(|refusal| Refused {
            code: refusal.code.to_string(),
            rule: refusal.rule.clone(),
            words: refusal.words.clone(),
        })?;
        let Decision::Events(records) = decided else { return Ok(()) };
        for record in &records {
            let leaving = self.table_if_any().and_then(|table| Some((table.past_rounds(), table.leaving()?)));
            let leaving = leaving.map(|(before, round)| (before, round.id(), round.to_bytes()));
            if let Err(error) = self.floor.apply_and_tell(record) {
                self.broken.get_or_insert(format!("an event does not fit: {error}"));
            }
            if let Some((before, round, bytes)) = leaving
                && self.table().past_rounds() > before
            {
                self.past.push((round, bytes));
            }
            self.note(&record.event);
        }
        if let Some(wrong) = self.floor.check().first() {
            self.broken.get_or_insert(format!("the books do not balance: {wrong:?}"));
        }
        self.log.extend(records);
        Ok(())
    }

    /// Keeps what is no longer in the state when it is asked for.
    fn note(&mut self, event: &Event) {
        if let Some(round) = self.floor.table(TABLE).and_then(Table::round).map(Round::id)
            && self.rounds.last() != Some(&round)
        {
            self.rounds.push(round);
        }
        let voided = match event {
            Event::RoundVoided { round, by, .. } | Event::SettledRoundVoided { round, by, .. } => Some((round, by)),
            Event::ChipsCorrected { round, voided: Some(by), .. } => Some((round, by)),
            _ => None,
        };
        if let Some((round, by)) = voided {
            let rule = match by {
                VoidBy::Ground(ground) => self.paragraph(*ground),
                VoidBy::Decision => self.wanted.rulebook().discretion().paragraph.to_string(),
            };
            self.void.insert(*round, rule);
        }
    }

    fn paragraph(&self, ground: GroundId) -> String {
        self.wanted.rulebook().ground(ground).map(|found| found.paragraph.to_string()).unwrap_or_default()
    }

    fn table_if_any(&self) -> Option<&Table> {
        self.floor.table(TABLE)
    }

    /// A round of long ago comes back with its proof, is corrected, and is put back as it is now (D24).
    fn correct_past(&mut self, who: Person, round: RoundId, body: Value) -> Answer {
        let place = self.past.iter().position(|(past, _)| *past == round);
        let Some(place) = place.filter(|_| self.table().archived(round).is_none()) else {
            return self.json(Sender::Staff(staff_id(who)), body);
        };
        let leaves: Vec<rulebook::Hash> = self.past.iter().map(|(_, bytes)| leaf(bytes)).collect();
        let number = place as u64;
        let beside = proof(&leaves, number).ok_or_else(|| refused("not_found", "nothing proves the round"))?;
        let bytes = self.past[place].1.clone();
        self.system(Body::RecallRound { table: TABLE, leaf: number, bytes, beside, read: Vec::new() })?;
        let answer = self.json(Sender::Staff(staff_id(who)), body);
        if let Some(now) = self.table().archived(round).map(ArchivedRound::to_bytes) {
            self.past[place].1 = now;
        }
        self.system(Body::PutBack { table: TABLE })?;
        answer
    }

    fn table(&self) -> &Table {
        &self.floor.tables()[TABLE.index()]
    }

    fn round(&self, number: usize) -> Result<RoundId, Refused> {
        let found = self.rounds.get(number - 1).copied();
        found.ok_or_else(|| refused("not_found", format!("there was no round {number} in this course")))
    }

    fn outcome(&self, text: &str) -> Result<Value, Refused> {
        let found = self.wanted.rulebook().outcomes().parse(text);
        found.map(|index| json!(index)).map_err(|error| refused("not_found", error.to_string()))
    }

    fn spot(&self, layout: &rulebook::Layout, text: &str) -> Result<SpotIndex, Refused> {
        layout.find(text).map_err(|error| refused("not_offered", error.to_string()))
    }

    fn chip_spot(&self, text: &str) -> Result<SpotIndex, Refused> {
        self.spot(&self.wanted.rulebook().layouts()[0], text)
    }

    fn ticket(&self) -> Result<(TicketId, TicketHash), Refused> {
        self.ticket.ok_or_else(|| refused("not_found", "no ticket was issued in this course"))
    }

    /// The next ticket of the floor and the hash of its number.
    fn next_number(&self) -> (TicketId, TicketHash) {
        let key = TicketKey::new([7; 32]);
        let ticket = self.floor.next_ticket();
        (ticket, TicketNumber::drawn("book", ticket.0.into()).hash(&key))
    }

    /// Rounds of this course and what each of them becomes; no outcome: void.
    fn past(&self, first: usize, last: usize, outcome: Option<&String>) -> Result<Vec<Change>, Refused> {
        let outcome = outcome.map(|text| self.wanted.rulebook().outcomes().parse(text)).transpose();
        let outcome = outcome.map_err(|error| refused("not_found", error.to_string()))?;
        (first..=last).map(|round| Ok((self.round(round)?, outcome))).collect()
    }

    /// What a change of past rounds would move.
    fn look(&self, changes: &[Change]) -> Result<(Value, PreviewFacts), Refused> {
        let preview = self.floor.preview(TABLE, changes).map_err(|refusal| Refused {
            code: refusal.code.to_string(),
            rule: refusal.rule.clone(),
            words: refusal.words.clone(),
        })?;
        let sum = |of: fn(&Adjustment) -> Cents| {
            let adjustments = preview.rounds.iter().flat_map(|round| &round.adjustments);
            Cents::checked_sum(adjustments.map(of)).unwrap_or(Cents::ZERO)
        };
        let chips =
            |of: fn(&PreviewRound) -> Cents| Cents::checked_sum(preview.rounds.iter().map(of)).unwrap_or(Cents::ZERO);
        let plus = |one: Cents, other: Cents| Cents::new(one.get() + other.get());
        let facts = PreviewFacts {
            paid: plus(sum(|a| a.credited), chips(|round| round.chips.0)),
            payable: sum(|a| a.payable),
            taken: sum(|a| a.taken),
            uncollected: plus(sum(|a| a.uncollected), chips(|round| round.chips.1)),
        };
        Ok((json!(preview.hash), facts))
    }

    /// The points a dealer affirms.
    fn points(&self, points: &Points) -> Value {
        match points {
            Points::None => json!([]),
            Points::Everything => json!(everything(self.wanted.rulebook())),
            Points::These(list) => json!(list),
        }
    }

    fn changes(&self, terminal: usize, bets: &[(String, Cents)], take: bool) -> Result<Body, Refused> {
        let found = self.floor.terminal(seat(terminal)).and_then(|terminal| self.floor.layout_of(terminal));
        let layout = found.ok_or_else(|| refused("not_found", "there is no such terminal"))?;
        let change = |(name, amount): &(String, Cents)| match name.parse::<rulebook::Spot>() {
            Ok(_) if take => Ok(BetChange::Take { spot: self.spot(layout, name)?, amount: *amount }),
            Ok(_) => Ok(BetChange::Add { spot: self.spot(layout, name)?, amount: *amount }),
            Err(_) => Ok(BetChange::AddPieces { bet: name.clone(), unit: *amount }),
        };
        let changes: Result<_, Refused> = bets.iter().map(change).collect();
        Ok(Body::Bet { changes: changes? })
    }

    /// The log replays to the same floor, and nothing was found wrong on the way.
    ///
    /// # Errors
    /// What was.
    pub fn finish(self) -> Result<(), String> {
        if let Some(broken) = self.broken {
            return Err(broken);
        }
        let replayed = replay(&self.log)?;
        if replayed.state_hash() != self.floor.state_hash() {
            return Err("the log does not replay to the same floor".to_owned());
        }
        Ok(())
    }
}

/// Everything a document has its dealer affirm, as far as this program asks for it. The floor says which of it applies.
#[must_use]
pub fn everything(rulebook: &Rulebook) -> Vec<String> {
    let given = json!({ "OpenBets": { "table": TABLE, "affirmed": ["times"] } });
    let taken = serde_json::from_value::<Body>(given.clone()).and_then(serde_json::to_value);
    if !taken.is_ok_and(|taken| unknown_field(&given, &taken).is_none()) {
        return Vec::new();
    }
    let points: &[&str] = match rulebook.procedure().device {
        rulebook::Device::Wheel { .. } => &["times", "direction", "rest"],
        rulebook::Device::Tumbler { covered: true, .. } => &["times", "cover", "flat"],
        rulebook::Device::Tumbler { covered: false, .. } => &["times", "after-close", "flat"],
    };
    points.iter().map(|point| (*point).to_owned()).collect()
}

/// A field of a command that says something and was not taken.
fn unknown_field(given: &Value, taken: &Value) -> Option<String> {
    let (name, fields) = given.as_object()?.iter().next()?;
    let says =
        |value: &Value| !(value.is_null() || *value == json!(false) || value.as_array().is_some_and(Vec::is_empty));
    let unknown = |(field, value): (&String, &Value)| says(value) && taken[name].get(field).is_none();
    fields.as_object()?.iter().find(|entry| unknown(*entry)).map(|(field, _)| field.clone())
}

fn replay(log: &[Record]) -> Result<Floor, String> {
    let mut again = Floor::new();
    for record in log {
        again.apply(record).map_err(|error| format!("the log does not replay: {error}"))?;
    }
    Ok(again)
}

/// How many pieces of 1,000.00 a movement is.
#[must_use]
pub fn thousands(movement: &FloatMovement) -> i64 {
    match movement {
        FloatMovement::Opener(amount)
        | FloatMovement::Fill(amount)
        | FloatMovement::Credit(amount)
        | FloatMovement::BuyIn(amount)
        | FloatMovement::ChipsOut(amount)
        | FloatMovement::Closer(amount)
        | FloatMovement::Drop(amount) => amount.get() / 100_000,
    }
}

/// Terminals count from 1 in the book and from 0 on the floor.
fn seat(number: usize) -> TerminalId {
    TerminalId(u32::try_from(number - 1).unwrap_or(u32::MAX))
}

fn staff_id(person: Person) -> StaffId {
    StaffId(u32::try_from(person.0).unwrap_or(u32::MAX))
}

/// The name of an alert's kind.
#[must_use]
pub fn alert_kind(what: &AlertKind) -> String {
    // `{"DeviceFault": [0, 3]}` is a device_fault.
    let name = match serde_json::to_value(what) {
        Ok(Value::Object(map)) => map.keys().next().cloned().unwrap_or_default(),
        Ok(Value::String(name)) => name,
        _ => String::new(),
    };
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

impl World for OnFloor {
    fn staff(&mut self, who: Person, act: &Act) -> Answer {
        let by = |witness: &Option<Person>| json!(witness.map(staff_id));
        let table = TABLE;
        let body = match act {
            Act::TakeTable => json!({ "TakeTable": { "table": table } }),
            Act::OpenTable => json!({ "OpenTable": { "table": table } }),
            Act::CloseTable => json!({ "CloseTable": { "table": table } }),
            Act::BeginRound => json!({ "BeginRound": { "table": table } }),
            Act::OpenBets { affirmed } => {
                json!({ "OpenBets": { "table": table, "affirmed": self.points(affirmed) } })
            }
            Act::CloseBets => json!({ "CloseBets": { "table": table } }),
            Act::Enter { outcome, affirmed, witness, reason } => json!({ "EnterResult": {
                "table": table, "outcome": self.outcome(outcome)?, "affirmed": self.points(affirmed),
                "witness": by(witness), "reason": reason,
            } }),
            Act::Confirm { witness, reason } => {
                json!({ "ConfirmResult": { "table": table, "witness": by(witness), "reason": reason } })
            }
            Act::Declare { ground, witness } => {
                json!({ "DeclareGround": { "table": table, "ground": ground, "witness": by(witness) } })
            }
            Act::ConfirmGround => json!({ "ConfirmGround": { "table": table } }),
            Act::DismissGround { reason, witness } => {
                json!({ "DismissGround": { "table": table, "reason": reason, "witness": by(witness) } })
            }
            Act::VoidRounds { ground, first, last, reason, witness } => {
                let rounds = (*first..=*last).map(|round| self.round(round)).collect::<Result<Vec<_>, _>>()?;
                json!({ "VoidRounds": {
                    "table": table, "ground": ground, "rounds": rounds, "reason": reason, "witness": by(witness),
                } })
            }
            Act::Correct { round, outcome, reason, witness } => {
                let round = self.round(*round)?;
                let body = json!({ "CorrectResult": {
                    "round": round, "outcome": self.outcome(outcome)?, "reason": reason, "witness": by(witness),
                } });
                return self.correct_past(who, round, body);
            }
            Act::Attest { finding, witness } => {
                json!({ "Attest": { "table": table, "finding": finding, "witness": by(witness) } })
            }
            Act::DecideVoid { round, reason, witness } => {
                let round = round.map(|round| self.round(round)).transpose()?;
                json!({ "Decide": {
                    "table": table, "round": round, "ruling": "VoidRound", "reason": reason, "witness": by(witness),
                } })
            }
            Act::DecidePay { terminal, amount, reason, witness } => {
                let ruling = json!({ "Pay": { "terminal": seat(*terminal), "amount": amount } });
                json!({ "Decide": { "table": table, "ruling": ruling, "reason": reason, "witness": by(witness) } })
            }
            Act::DecideTakeBack { terminal, amount, round, reason, witness } => {
                let ruling = json!({ "TakeBack": { "terminal": seat(*terminal), "amount": amount } });
                let round = round.map(|round| self.round(round)).transpose()?;
                json!({ "Decide": {
                    "table": table, "round": round, "ruling": ruling, "reason": reason, "witness": by(witness),
                } })
            }
            Act::DecideReading { reason } => {
                json!({ "Decide": { "table": table, "ruling": "Reading", "reason": reason } })
            }
            Act::DisplayFault { what, note } => {
                json!({ "RecordDisplay": { "table": table, "what": what, "note": note } })
            }
            Act::Lock { terminal, reason } => {
                json!({ "LockTerminal": { "terminal": seat(*terminal), "reason": reason } })
            }
            Act::Unlock { terminal } => json!({ "UnlockTerminal": { "terminal": seat(*terminal) } }),
            Act::AttendantIn { terminal, amount, witness } => json!({ "AttendantIn": {
                "terminal": seat(*terminal), "amount": amount, "witness": by(witness),
            } }),
            Act::AttendantPay { terminal, amount, witness } => json!({ "AttendantPay": {
                "terminal": seat(*terminal), "amount": amount, "witness": by(witness),
            } }),
            Act::AcknowledgeAlert { kind } => {
                let found = self.floor.alerts().find(|alert| alert_kind(alert.what()) == *kind).map(Alert::id);
                let alert = found.ok_or_else(|| refused("not_found", "there is no such alert"))?;
                json!({ "AcknowledgeAlert": { "alert": alert } })
            }
            Act::AssignActing { person, post, witness } => {
                let post = post.as_deref().map(post_named).transpose()?;
                json!({ "AssignActing": { "staff": staff_id(*person), "post": post, "witness": by(witness) } })
            }
            Act::ChangeLimits { minimum, maximum, reason } => {
                let mut settings = self.table().settings().clone();
                settings.limit = Limit { minimum: *minimum, maximum: Some(*maximum) };
                json!({ "ChangeSettings": { "table": table, "settings": settings, "reason": reason } })
            }
            Act::PlaceChips { player, spot, amount, for_player } => json!({ "PlaceChips": {
                "table": table, "position": player, "spot": self.chip_spot(spot)?, "amount": amount,
                "for_player": for_player,
            } }),
            Act::TakeChips { player, spot, amount } => json!({ "TakeChips": {
                "table": table, "position": player, "spot": self.chip_spot(spot)?, "amount": amount,
            } }),
            Act::RejectExcess { spot } => {
                json!({ "RejectExcess": { "table": table, "spot": self.chip_spot(spot)? } })
            }
            Act::AdviseMinimum { player, spot } => {
                json!({ "AdviseMinimum": { "table": table, "position": player, "spot": self.chip_spot(spot)? } })
            }
            Act::RefuseUnderMinimum { player, spot } => {
                json!({ "RefuseUnderMinimum": { "table": table, "position": player, "spot": self.chip_spot(spot)? } })
            }
            Act::RefuseLate { player } => json!({ "RefuseLate": { "table": table, "position": player } }),
            Act::PlayerLeft { player } => json!({ "PlayerLeft": { "table": table, "position": player } }),
            Act::MoveFloat { movement, witness } => {
                // Two people count what goes to a table, by denomination.
                let piles = witness.map(|_| json!([{ "denomination": 100_000, "pieces": thousands(movement) }]));
                json!({ "MoveFloat": {
                    "table": table, "movement": movement, "counts": piles.unwrap_or(json!([])), "witness": by(witness),
                } })
            }
            Act::OpenShift { float } => json!({ "OpenShift": { "float": float } }),
            Act::CloseShift { counted } => json!({ "CloseShift": { "counted": counted } }),
            Act::PayCorrection { round, named, witness } => {
                let (round, named) = (self.round(*round)?, self.round(*named)?);
                let found = self.floor.payables().find(|payable| payable.round() == Some(round)).map(Payable::id);
                let payable = found.ok_or_else(|| refused("not_found", "nothing is owed for that round"))?;
                json!({ "PayCorrection": { "payable": payable, "round": named, "witness": by(witness) } })
            }
            Act::RedeemTicket { amount } => {
                json!({ "RedeemTicket": { "number": self.ticket()?.1, "amount": amount } })
            }
            Act::Service { reading, in_service, reason, witness } => json!({ "ChangeService": {
                "device": self.device, "function": if *reading { "Reading" } else { "Device" },
                "in_service": in_service, "reason": reason, "witness": by(witness),
            } }),
            Act::KeepFirst { affirmed, witness } => json!({ "KeepFirstOutcome": {
                "table": table, "affirmed": self.points(affirmed), "witness": by(witness)
            } }),
            Act::Interruption { failed } => {
                json!({ "ReportInterruption": { "table": table, "failed": format!("{failed:?}"), "note": null } })
            }
            Act::AnswerFault { affects } => json!({ "AnswerFault": { "table": table, "affects": affects } }),
            Act::RemoveChips { player, spot, amount, reason, witness } => json!({ "RemoveChips": {
                "table": table, "position": player, "spot": self.chip_spot(spot)?, "amount": amount, "reason": reason,
                "witness": by(witness),
            } }),
            Act::StateRest { affirmed } => json!({ "StateEarlyRest": {
                "table": table, "affirmed": self.points(affirmed)
            } }),
            Act::DeclareUncovered => json!({ "DeclareUncovered": { "table": table } }),
            Act::CorrectRecord { round, player, spot, amount, reason, witness } => json!({ "CorrectRecord": {
                "round": self.round(*round)?, "position": player, "spot": self.chip_spot(spot)?, "amount": amount,
                "reason": reason, "witness": by(witness),
            } }),
            Act::DecideOutcome { round, outcome, reason, witness } => json!({ "ChooseOutcome": {
                "table": table, "round": self.round(*round)?, "outcome": self.outcome(outcome)?, "reason": reason,
                "witness": by(witness),
            } }),
            Act::PreviewRounds { first, last, outcome } => {
                self.shown = Some(self.look(&self.past(*first, *last, outcome.as_ref())?)?);
                return Ok(());
            }
            Act::ChangeRounds { first, last, outcome, ground, reason, witness } => {
                let changes = self.past(*first, *last, outcome.as_ref())?;
                // A view that was read before, or the current view.
                let preview = match self.shown.take() {
                    Some((preview, _)) => preview,
                    None => self.look(&changes)?.0,
                };
                json!({ "ChangeRounds": {
                    "table": table, "changes": changes, "ground": ground, "reason": reason, "preview": preview,
                    "witness": by(witness),
                } })
            }
            Act::CallSecond { other_table, act, round, terminal, amount, reason } => {
                let table = if *other_table { OTHER } else { table };
                let round = round.map(|round| self.round(round)).transpose()?.map(|round| round.0);
                let subject = round.or_else(|| terminal.map(|terminal| seat(terminal).0.into()));
                let purpose = Purpose { act: *act, subject, amount: *amount };
                json!({ "CallSecondPerson": { "table": table, "reason": reason, "purpose": purpose } })
            }
            Act::AnswerCall => json!({ "AnswerCall": { "table": table } }),
            Act::Countersign => {
                let alone = |alert: &&Alert| alert_kind(alert.what()) == "decided_alone";
                let found = self.floor.alerts().find(alone).map(Alert::id);
                let alert = found.ok_or_else(|| refused("not_found", "nothing is to be countersigned"))?;
                json!({ "Countersign": { "alert": alert } })
            }
            Act::ResolveTicket { finding, reason, witness } => json!({ "ResolveTicket": {
                "ticket": self.ticket()?.0, "finding": format!("{finding:?}"), "reason": reason, "witness": by(witness),
            } }),
            Act::Reprint { reason, witness } => {
                let (ticket, number) = self.ticket()?;
                let (duplicate, hash) = self.next_number();
                let body = json!({ "ReprintTicket": {
                    "ticket": ticket, "number": hash, "reason": reason, "witness": by(witness),
                } });
                self.json(Sender::Staff(staff_id(who)), body)?;
                self.replaced = Some(number);
                self.ticket = Some((duplicate, hash));
                return Ok(());
            }
            Act::Reprinted => json!({ "TicketPrinted": { "ticket": self.ticket()?.0 } }),
            Act::Employ { post, witness } => {
                json!({ "AddStaff": { "name": "newcomer", "post": post_named(post)?, "witness": by(witness) } })
            }
            Act::SetAlone { amount, reason, witness } => {
                let thresholds = Thresholds { alone: *amount, ..self.floor.thresholds() };
                json!({ "SetThresholds": { "thresholds": thresholds, "reason": reason, "witness": by(witness) } })
            }
            Act::MoveDevice { to_table, witness } => {
                let place = if *to_table { json!({ "Table": TABLE }) } else { json!("Store") };
                json!({ "MoveDevice": { "device": self.device, "place": place, "witness": by(witness) } })
            }
            Act::OfferTables { terminal } => {
                json!({ "OfferTables": { "terminal": seat(*terminal), "tables": [TABLE, OTHER] } })
            }
        };
        self.json(Sender::Staff(staff_id(who)), body)
    }

    fn terminal(&mut self, number: usize, act: &TerminalAct) -> Answer {
        let terminal = seat(number);
        let body = match act {
            TerminalAct::Bet(bets) => self.changes(number, bets, false)?,
            TerminalAct::Withdraw(bets) => self.changes(number, bets, true)?,
            TerminalAct::Clear => Body::ClearBets,
            TerminalAct::Repeat { doubled } => Body::RepeatBets { doubled: *doubled },
            TerminalAct::ShowClose => {
                let round = self.table().round().map_or(RoundId(0), Round::id);
                Body::AcknowledgeClose { round }
            }
            TerminalAct::Lost => return self.system(Body::TerminalLost { terminal }),
            TerminalAct::Back => return self.system(Body::TerminalBack { terminal }),
            TerminalAct::Cash(amount) => {
                let validator = Sender::Device(self.validators[number - 1]);
                return self.send(validator, Body::CashIn { terminal, amount: *amount });
            }
            TerminalAct::CashOut => {
                let (ticket, hash) = self.next_number();
                self.send(Sender::Terminal(terminal), Body::PrepareTicket { terminal, number: hash })?;
                self.ticket = Some((ticket, hash));
                return Ok(());
            }
            TerminalAct::Printed => Body::TicketPrinted { ticket: self.ticket()?.0 },
            TerminalAct::PrintFailed => Body::PrintFailed { ticket: self.ticket()?.0 },
            TerminalAct::TicketIn => Body::TicketIn { terminal, number: self.ticket()?.1 },
            TerminalAct::ReplacedTicketIn => {
                let number = self.replaced.ok_or_else(|| refused("not_found", "no ticket was replaced"))?;
                Body::TicketIn { terminal, number }
            }
            TerminalAct::LossLimit(limit) => Body::SetLossLimit { terminal, limit: *limit },
            TerminalAct::Choose { other } => {
                let table = if *other { OTHER } else { TABLE };
                let body = json!({ "ChooseTable": { "terminal": terminal, "table": table } });
                return self.json(Sender::Terminal(terminal), body);
            }
        };
        self.send(Sender::Terminal(terminal), body)
    }

    fn device(&mut self, report: &Report) -> Answer {
        let device = self.device.ok_or_else(|| refused("not_found", "this table has no device"))?;
        let observation = match report {
            Report::Activated => Observation::Activated,
            Report::Tumbled(times) => Observation::Tumbled { times: *times },
            Report::Uncovered => Observation::Uncovered,
            Report::Covered => Observation::Covered,
            Report::Read(text) => return self.json(Sender::Device(device), json!({ "Observe": dice(text)? })),
            Report::NotFlat => Observation::NotFlat,
            Report::Spun { against_rotation, wheel_rotating } => {
                Observation::Spun { against_rotation: *against_rotation, wheel_rotating: *wheel_rotating }
            }
            Report::Revolved(times) => Observation::Revolved { times: *times },
            Report::Rested(text) => {
                let pocket = self.outcome(text)?;
                return self.json(Sender::Device(device), json!({ "Observe": { "Rested": { "pocket": pocket } } }));
            }
            Report::NoCompartment => Observation::NoCompartment,
            Report::FlungOut => Observation::FlungOut,
            Report::WheelStopped => Observation::WheelStopped,
            Report::Fault(number) => Observation::Fault { number: *number },
            Report::Restored => Observation::Restored,
        };
        self.send(Sender::Device(device), Body::Observe(observation))
    }

    fn host(&mut self, act: &HostAct) -> Result<(), String> {
        match act {
            HostAct::Wait { seconds } => {
                self.at = self.at.after(seconds * 1_000);
                // Nothing may have been due.
                let _ = self.system(Body::Elapse);
            }
            HostAct::Restart { after } => {
                let from = self.at;
                self.floor = replay(&self.log)?;
                self.at = self.at.after(after * 1_000);
                if self.table().round().is_some() {
                    let report = Body::ReportStoppage { from, terminals_back: true };
                    match self.system(report) {
                        // A round that is interrupted already waits for its attestation.
                        Err(refused) if refused.code != "nothing_to_do" => return Err(refused.to_string()),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn live_terminals(&self) -> Vec<usize> {
        (1..=self.wanted.terminals)
            .filter(|number| self.floor.terminal(seat(*number)).is_some_and(Terminal::is_live))
            .collect()
    }

    fn money(&mut self, terminal: usize) -> (Cents, Cents) {
        let found = self.floor.terminal(seat(terminal));
        found.map_or((Cents::ZERO, Cents::ZERO), |terminal| (terminal.credit(), terminal.staked()))
    }

    fn facts(&mut self) -> Facts {
        let console = self.floor.console_view(TABLE);
        let rulebook = self.wanted.rulebook();
        let name = |index| rulebook.outcomes().outcome(index).map(|outcome| outcome.to_string()).unwrap_or_default();
        let table = self.table();
        let phase = |phase| match phase {
            Phase::Begun => "begun",
            Phase::Open => "open",
            Phase::Closed => "closed",
            Phase::Entered => "entered",
        };
        let notice =
            console.as_ref().and_then(|console| console.table.round.as_ref()?.notice.as_ref().map(|n| n.en.clone()));
        let proposal = console.as_ref().and_then(|console| console.proposal.as_ref()).map(|proposal| proposal.finding);
        let round = table.round().map(|round| RoundFacts {
            phase: phase(round.phase()).to_owned(),
            interrupted: round.is_interrupted(),
            halted: round.ground().is_some(),
            ground: round.ground().map(|open| open.ground.as_str().to_owned()),
            proposal,
            notice,
        });
        let limits = console.iter().flat_map(|console| &console.table.limits);
        let boxes = console.iter().flat_map(|console| &console.boxes);
        let shares = table.archive().next_back().into_iter().flat_map(ArchivedRound::shares);
        let spot = |index| {
            let layout = rulebook.layouts().first()?;
            Some(layout.table().spot(index)?.spot.to_string())
        };
        Facts {
            round,
            results: table.history().map(|(_, index)| name(index)).collect(),
            limits: limits.map(|(family, limit)| (family.as_str().to_owned(), limit.minimum, limit.maximum)).collect(),
            boxes: boxes
                .map(|found| BoxFacts { spot: found.spot.to_string(), total: found.total, excess: found.excess })
                .collect(),
            shares: shares
                .map(|share| ShareFacts {
                    player: share.position.0,
                    spot: spot(share.spot).unwrap_or_default(),
                    at_risk: share.at_risk,
                    returned: share.returned,
                })
                .collect(),
        }
    }

    fn console(&mut self) -> Facts {
        self.facts()
    }

    fn ended(&mut self, round: usize) -> Option<Ended> {
        let id = *self.rounds.get(round - 1)?;
        let archived = self.table().archived(id)?;
        Some(match archived.outcome() {
            Some(index) => {
                let outcome = self.wanted.rulebook().outcomes().outcome(index);
                Ended::With(outcome.map(|outcome| outcome.to_string()).unwrap_or_default())
            }
            None => Ended::Void(self.void.get(&id).cloned()),
        })
    }

    fn alerts(&mut self) -> Vec<String> {
        let here = |alert: &&Alert| alert.table().is_none_or(|table| table == TABLE);
        self.floor.alerts().filter(here).map(|alert| alert_kind(alert.what())).collect()
    }

    fn payables(&mut self) -> Vec<(usize, Cents)> {
        let number = |round: Option<RoundId>| {
            self.rounds.iter().position(|known| Some(*known) == round).map_or(0, |place| place + 1)
        };
        self.floor.payables().map(|payable| (number(payable.round()), payable.amount())).collect()
    }

    fn preview(&mut self) -> Option<PreviewFacts> {
        self.shown.as_ref().map(|(_, facts)| facts.clone())
    }

    fn wait(&mut self) -> bool {
        false
    }
}

/// `2-?-3`.
fn dice(text: &str) -> Result<Value, Refused> {
    let dice = faces(text).ok_or_else(|| refused("not_found", format!("'{text}' is no three dice")))?;
    let faces: Vec<Option<rulebook::Face>> = dice.into_iter().map(|dots| dots.and_then(rulebook::Face::new)).collect();
    Ok(json!({ "DiceRead": { "dice": faces } }))
}

/// The dots of three dice, as far as they were read.
#[must_use]
pub fn faces(text: &str) -> Option<Vec<Option<u8>>> {
    let read = |face: &str| match face {
        "?" => Some(None),
        dots => dots.parse().ok().filter(|dots| (1..=6).contains(dots)).map(Some),
    };
    let dice: Option<Vec<Option<u8>>> = text.split('-').map(read).collect();
    dice.filter(|dice| dice.len() == 3)
}

/// The post of a name.
fn post_named(text: &str) -> Result<Post, Refused> {
    let name = text.replace('-', " ");
    let found = Person::parse(&name).map(Person::post);
    found.ok_or_else(|| refused("not_found", format!("'{text}' is no post")))
}

/// Runs a course at a table of a document.
///
/// # Errors
/// The line and what went wrong.
pub fn run(course: &crate::book::Course, document: &str) -> Result<(), world::Failure> {
    let wanted = Wanted::of(course, document);
    let failure = |words| world::Failure { line: course.line, words };
    let mut world = OnFloor::new(&wanted).map_err(failure)?;
    world::run(course, &wanted, &mut world)?;
    world.finish().map_err(failure)
}
