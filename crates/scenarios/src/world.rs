//! Runs a course in a world: a floor in this process, or the program over HTTP.

use std::fmt;

use floor::{Finding, FloatMovement};
use rulebook::{Begins, Cents, Device, Play, Rulebook, Timing, library};

use crate::book::{Course, Expected, Step};
use crate::people::{DEALER, PIT_MANAGER, Person, SECOND_PIT_MANAGER};
use crate::steps::*;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its code.
    pub code: String,
    /// What it rests on.
    pub rule: String,
    /// In words.
    pub words: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused {} ({}): {}", self.code, self.rule, self.words)
    }
}

/// What came of a step.
pub type Answer = Result<(), Refused>;

/// A round that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With a result.
    With(String),
    /// Without one, and what it rests on where that is known.
    Void(Option<String>),
}

/// A box of a live table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxFacts {
    /// Which.
    pub spot: String,
    /// What stands there.
    pub total: Cents,
    /// By how much it exceeds.
    pub excess: Cents,
}

/// What a player of a live table has in the last round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareFacts {
    /// Where the player stands.
    pub player: u8,
    /// Where the bet stood.
    pub spot: String,
    /// What was at risk.
    pub at_risk: Cents,
    /// What comes back.
    pub returned: Cents,
}

/// What can be seen of a round that is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundFacts {
    /// Its phase.
    pub phase: String,
    /// Whether it is interrupted.
    pub interrupted: bool,
    /// Whether a ground or a second tumble halts it.
    pub halted: bool,
    /// The ground that halts it.
    pub ground: Option<String>,
    /// What the console proposes.
    pub proposal: Option<Finding>,
    /// The notice on the terminals.
    pub notice: Option<String>,
}

/// What can be seen of the table.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The round that is on.
    pub round: Option<RoundFacts>,
    /// Results shown, the oldest first.
    pub results: Vec<String>,
    /// Limits shown, by family.
    pub limits: Vec<(String, Cents, Option<Cents>)>,
    /// The boxes of a live table.
    pub boxes: Vec<BoxFacts>,
    /// What players of a live table have in the last round.
    pub shares: Vec<ShareFacts>,
}

/// What a preview of a change of past rounds says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewFacts {
    /// What players who are there would be paid.
    pub paid: Cents,
    /// What would be left at the cage.
    pub payable: Cents,
    /// What would be taken from credits.
    pub taken: Cents,
    /// What could not be collected.
    pub uncollected: Cents,
}

/// Somewhere a course can be run.
pub trait World {
    /// A member of staff acts.
    fn staff(&mut self, who: Person, act: &Act) -> Answer;
    /// A terminal acts.
    fn terminal(&mut self, terminal: usize, act: &TerminalAct) -> Answer;
    /// The tumbler or wheel reports.
    fn device(&mut self, report: &Report) -> Answer;
    /// The host acts.
    ///
    /// # Errors
    /// When it cannot.
    fn host(&mut self, act: &HostAct) -> Result<(), String>;
    /// The terminals that are there, from 1.
    fn live_terminals(&self) -> Vec<usize>;
    /// Credit and stakes of a terminal.
    fn money(&mut self, terminal: usize) -> (Cents, Cents);
    /// What can be seen of the table by everyone.
    fn facts(&mut self) -> Facts;
    /// The same, with what only the console shows: the ground, the proposal, boxes and shares.
    fn console(&mut self) -> Facts;
    /// What has become of a round of this course, from 1.
    fn ended(&mut self, round: usize) -> Option<Ended>;
    /// The alerts at this table.
    fn alerts(&mut self) -> Vec<String>;
    /// What the cage owes players of this table: the round of this course and the amount.
    fn payables(&mut self) -> Vec<(usize, Cents)>;
    /// The preview that was looked at last.
    fn preview(&mut self) -> Option<PreviewFacts>;
    /// Waits a moment for what is on its way; `false` when nothing can be.
    fn wait(&mut self) -> bool;
}

/// What a course asks of its table.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The document.
    pub document: String,
    /// What it says about the table.
    pub given: Vec<Given>,
    /// How many terminals it uses.
    pub terminals: usize,
}

impl Wanted {
    /// What a course asks of a table of a document.
    #[must_use]
    pub fn of(course: &Course, document: &str) -> Wanted {
        let given = |step: &Step| match &step.what {
            Do::Given(given) => Some(given.clone()),
            _ => None,
        };
        let given: Vec<Given> = course.steps.iter().filter_map(given).collect();
        let live = library::find(document).is_some_and(|rulebook| rulebook.identity().play == Play::Chips);
        let used = |step: &Step| match &step.what {
            Do::Terminal(terminal, _) => *terminal,
            Do::Given(Given::Terminal { terminal, .. }) => *terminal,
            Do::See(See::Credit { terminal, .. } | See::Staked { terminal, .. } | See::Notice { terminal, .. }) => {
                *terminal
            }
            Do::Staff(
                _,
                Act::Lock { terminal, .. }
                | Act::AttendantIn { terminal, .. }
                | Act::AttendantPay { terminal, .. }
                | Act::OfferTables { terminal }
                | Act::DecidePay { terminal, .. }
                | Act::DecideTakeBack { terminal, .. },
            ) => *terminal,
            _ => 1,
        };
        let terminals = if live { 0 } else { course.steps.iter().map(used).max().unwrap_or(1) };
        Wanted { document: document.to_owned(), given, terminals }
    }

    /// The document's rulebook.
    ///
    /// # Panics
    /// Never for a document that the book has read.
    #[must_use]
    pub fn rulebook(&self) -> &'static Rulebook {
        library::find(&self.document).expect("the book names documents that exist")
    }

    /// Whether it is a table with chips.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.rulebook().identity().play == Play::Chips
    }

    /// Whether chips are recorded there.
    #[must_use]
    pub fn results_only(&self) -> bool {
        self.given.contains(&Given::ResultsOnly)
    }

    /// Whether the table has a tumbler or wheel.
    #[must_use]
    pub fn has_device(&self) -> bool {
        !self.given.contains(&Given::NoDevice)
    }

    /// Whether there is a second table.
    #[must_use]
    pub fn has_other_table(&self) -> bool {
        self.given.contains(&Given::OtherTable)
    }

    /// What every terminal starts with.
    #[must_use]
    pub fn credit(&self) -> Cents {
        let given = self.given.iter().find_map(|given| match given {
            Given::Credit(amount) => Some(*amount),
            _ => None,
        });
        given.unwrap_or(Cents::new(100_000))
    }

    /// The kind and layout of a terminal, from 1.
    #[must_use]
    pub fn seat(&self, number: usize) -> (String, String) {
        let given = self.given.iter().find_map(|given| match given {
            Given::Terminal { terminal, kind, layout } if *terminal == number => Some((kind.clone(), layout.clone())),
            _ => None,
        });
        let first = &self.rulebook().terminals()[0];
        given.unwrap_or_else(|| (first.id.clone(), first.layouts[0].clone()))
    }

    /// The settings of the table: 1.00 to 1,000.00 in steps of 1.00, a live table 25.00 to 1,000.00 with a differential
    /// of 500.00; the dealer closes the bets.
    #[must_use]
    pub fn settings(&self) -> floor::TableSettings {
        let mut settings = floor::TableSettings { betting_period: 0, ..floor::TableSettings::usual() };
        if self.is_live() {
            settings.limit.minimum = Cents::new(2_500);
            settings.differential = Some(Cents::new(50_000));
        }
        for given in &self.given {
            match given {
                Given::Limits(least, most) => {
                    settings.limit = floor::Limit { minimum: *least, maximum: Some(*most) };
                }
                Given::Differential(amount) => settings.differential = Some(*amount),
                Given::Step(step) => settings.step = *step,
                Given::BettingPeriod(period) => settings.betting_period = *period,
                Given::Grace(grace) => settings.grace = *grace,
                Given::HandPay(amount) => settings.hand_pay = *amount,
                Given::Terminal { .. }
                | Given::Credit(_)
                | Given::NoDevice
                | Given::ResultsOnly
                | Given::OwnFloor
                | Given::OtherTable => {}
            }
        }
        settings
    }
}

/// Puts chips into the tray of a live table and has players buy some. Who brings chips needs a second person where the
/// floor asks for one.
///
/// # Errors
/// The refusal.
pub fn chips(world: &mut dyn World) -> Answer {
    let opener = FloatMovement::Opener(Cents::new(10_000_000));
    let bought = FloatMovement::BuyIn(Cents::new(5_000_000));
    for (who, movement) in [(PIT_MANAGER, opener), (DEALER, bought)] {
        let alone = world.staff(who, &Act::MoveFloat { movement, witness: None });
        match alone {
            Err(refused) if refused.code == "second_person" => {
                world.staff(who, &Act::MoveFloat { movement, witness: Some(SECOND_PIT_MANAGER) })?;
            }
            answer => answer?,
        }
    }
    Ok(())
}

/// Codes of answers that say nothing about the rules.
const UNSAID: [&str; 4] = ["unreadable", "no answer", "malformed", "status 404"];

/// A step that did not go as it should.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The line of the step.
    pub line: usize,
    /// What was expected and what happened.
    pub words: String,
}

/// Runs a course to its end.
///
/// # Errors
/// The first step that did not go as it should.
pub fn run(course: &Course, wanted: &Wanted, world: &mut dyn World) -> Result<(), Failure> {
    for step in &course.steps {
        take(step, course, wanted, world)
            .map_err(|words| Failure { line: step.line, words: format!("{}: {words}", step.text) })?;
    }
    Ok(())
}

fn take(step: &Step, course: &Course, wanted: &Wanted, world: &mut dyn World) -> Result<(), String> {
    let answer = match &step.what {
        Do::Given(_) => return Ok(()),
        Do::See(see) => return look(see, course, wanted, world),
        Do::Host(act) => return world.host(act),
        Do::Staff(who, act) => world.staff(*who, act),
        Do::Terminal(terminal, act) => world.terminal(*terminal, act),
        Do::Device(report) => world.device(report),
        Do::Passage(passage) => self::passage(passage, wanted, world),
    };
    match (&step.expected, answer) {
        (Expected::Done, Ok(())) => Ok(()),
        (Expected::Done, Err(refused)) => Err(refused.to_string()),
        (Expected::Refused { .. }, Ok(())) => Err("it was accepted".to_owned()),
        // Not to be understood is not to be refused.
        (Expected::Refused { .. }, Err(refused)) if UNSAID.contains(&refused.code.as_str()) => Err(refused.to_string()),
        (Expected::Refused { code, rule }, Err(refused)) => {
            let fits = |rule: &String| rule_fits(rule, &refused.rule, course, wanted);
            if code.as_ref().is_some_and(|code| *code != refused.code) || !rule.as_ref().is_none_or(fits) {
                return Err(format!("it was {refused}"));
            }
            Ok(())
        }
    }
}

/// Whether a refusal or void rests on what the book says.
fn rule_fits(expected: &str, rule: &str, course: &Course, wanted: &Wanted) -> bool {
    let cited: Vec<&str> = rule.split(", ").collect();
    if expected != "this paragraph" {
        return expected.split(", ").all(|part| cited.contains(&part));
    }
    let of_table = course.clauses.iter().filter(|clause| clause.document == wanted.document);
    of_table.map(|clause| clause.number.as_str()).any(|number| cited.contains(&number))
}

fn passage(passage: &Passage, wanted: &Wanted, world: &mut dyn World) -> Answer {
    let procedure = wanted.rulebook().procedure();
    let wheel = wanted.rulebook().outcomes().wheel().is_some();
    let activation = procedure.begins == Begins::Activation;
    let device = wanted.has_device();
    match passage {
        Passage::BetsOpen => {
            match activation {
                true if device => tumble(wanted, world)?,
                true => world.staff(DEALER, &Act::BeginRound)?,
                false => {}
            }
            let affirmed = if activation { Points::Everything } else { Points::None };
            world.staff(DEALER, &Act::OpenBets { affirmed })
        }
        Passage::BetsClose => {
            world.staff(DEALER, &Act::CloseBets)?;
            world
                .live_terminals()
                .into_iter()
                .try_for_each(|terminal| world.terminal(terminal, &TerminalAct::ShowClose))
        }
        Passage::Shown(outcome) if wheel => {
            world.device(&Report::Spun { against_rotation: true, wheel_rotating: true })?;
            world.device(&Report::Revolved(6))?;
            world.device(&Report::Rested(outcome.clone()))
        }
        Passage::Shown(outcome) => {
            if !activation {
                tumble(wanted, world)?;
            }
            if procedure.timing != Timing::AfterClose {
                world.device(&Report::Uncovered)?;
            }
            world.device(&Report::Read(outcome.clone()))
        }
        Passage::Ends(outcome) => {
            let (affirmed, outcome) = (Points::Everything, outcome.clone());
            world.staff(DEALER, &Act::Enter { outcome, affirmed, witness: None, reason: None })?;
            world.staff(DEALER, &Act::Confirm { witness: None, reason: None })
        }
        Passage::Several { rounds, outcome } => (0..*rounds).try_for_each(|_| {
            self::passage(&Passage::BetsOpen, wanted, world)?;
            self::passage(&Passage::Finish(outcome.clone()), wanted, world)
        }),
        Passage::Finish(outcome) => {
            self::passage(&Passage::BetsClose, wanted, world)?;
            if device {
                self::passage(&Passage::Shown(outcome.clone()), wanted, world)?;
            }
            self::passage(&Passage::Ends(outcome.clone()), wanted, world)
        }
    }
}

/// An honest tumble: where dice are covered, the cover that came off in the round before is put on first.
fn tumble(wanted: &Wanted, world: &mut dyn World) -> Answer {
    if matches!(wanted.rulebook().procedure().device, Device::Tumbler { covered: true, .. }) {
        world.device(&Report::Covered)?;
    }
    world.device(&Report::Activated)?;
    world.device(&Report::Tumbled(3))
}

/// Looks until it is so, or until nothing more can come.
fn look(see: &See, course: &Course, wanted: &Wanted, world: &mut dyn World) -> Result<(), String> {
    loop {
        match is_so(see, course, wanted, world) {
            Ok(()) => return Ok(()),
            Err(words) if !world.wait() => return Err(words),
            Err(_) => {}
        }
    }
}

fn same<T: PartialEq + fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("it is {found:?}")) }
}

fn is_so(see: &See, course: &Course, wanted: &Wanted, world: &mut dyn World) -> Result<(), String> {
    let on = |facts: &Facts| facts.round.clone().ok_or_else(|| "no round is on".to_owned());
    match see {
        See::Credit { terminal, amount } => same(&world.money(*terminal).0, amount),
        See::Staked { terminal, amount } => same(&world.money(*terminal).1, amount),
        See::Phase(phase) => same(&on(&world.facts())?.phase, phase),
        See::NoRound => same(&world.facts().round, &None),
        See::Interrupted(expected) => same(&on(&world.facts())?.interrupted, expected),
        See::Halted { ground } => same(&on(&world.console())?.ground, &Some(ground.as_str().to_owned())),
        See::NotHalted => same(&on(&world.facts())?.halted, &false),
        See::Void { round } => match world.ended(*round) {
            Some(Ended::Void(_)) => Ok(()),
            other => Err(format!("it is {other:?}")),
        },
        See::VoidUnder { round, rule } => {
            let rule = rule.as_deref().unwrap_or("this paragraph");
            match world.ended(*round) {
                Some(Ended::Void(Some(cited))) if rule_fits(rule, &cited, course, wanted) => Ok(()),
                other => Err(format!("it is {other:?}")),
            }
        }
        See::Ended { round, outcome } => same(&world.ended(*round), &Some(Ended::With(outcome.clone()))),
        See::Proposal(finding) => same(&on(&world.console())?.proposal, &Some(*finding)),
        See::Alert(kind) => {
            let alerts = world.alerts();
            if alerts.contains(kind) { Ok(()) } else { Err(format!("the alerts are {alerts:?}")) }
        }
        See::NoAlert(kind) => {
            let alerts = world.alerts();
            if alerts.contains(kind) { Err(format!("the alerts are {alerts:?}")) } else { Ok(()) }
        }
        See::Payable { round, amount } => {
            let owed = world.payables();
            if owed.contains(&(*round, *amount)) { Ok(()) } else { Err(format!("it owes {owed:?}")) }
        }
        See::NothingPayable => same(&world.payables(), &Vec::new()),
        See::Results(expected) => same(&world.facts().results, expected),
        See::Notice { text, .. } => same(&on(&world.facts())?.notice, &Some(text.clone())),
        See::Limits { family, minimum, maximum } => {
            let found = world.facts().limits.into_iter().find(|(known, ..)| known == family);
            same(&found, &Some((family.clone(), *minimum, Some(*maximum))))
        }
        See::Box { spot, amount } => {
            let found = world.console().boxes.into_iter().find(|found| found.spot == *spot);
            same(&found.map_or(Cents::ZERO, |found| found.total), amount)
        }
        See::Excess { spot, amount } => {
            let found = world.console().boxes.into_iter().find(|found| found.spot == *spot);
            same(&found.map_or(Cents::ZERO, |found| found.excess), amount)
        }
        See::Returned { player, amount } => {
            let shares = world.console().shares;
            let returned = shares.iter().filter(|share| share.player == *player);
            same(&returned.fold(Cents::ZERO, |sum, share| Cents::new(sum.get() + share.returned.get())), amount)
        }
        See::Preview { moved, amount } => {
            let preview = world.preview().ok_or_else(|| "nobody has looked at one".to_owned())?;
            let found = match moved {
                Moved::Paid => preview.paid,
                Moved::Payable => preview.payable,
                Moved::Taken => preview.taken,
                Moved::Uncollected => preview.uncollected,
            };
            same(&found, amount)
        }
        See::AtRisk { player, spot, amount } => {
            let shares = world.console().shares;
            let found = shares.iter().find(|share| share.player == *player && share.spot == *spot);
            same(&found.map(|share| share.at_risk), &Some(*amount))
        }
    }
}
