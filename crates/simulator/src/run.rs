//! One run: a seed, a floor, and everything that is checked after every event.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use floor::*;

use crate::Course;
use crate::chance::Chance;
use crate::crash::Snapshot;
use crate::failure::{Failure, Recent};
use crate::house::{House, MORNING};
use crate::intent::answers;
use crate::kept::Kept;
use crate::kinds::kind;
use crate::model::{Check, Model, must};
use crate::people::Scene;
use crate::summary::Summary;
use crate::wire::{Taken, Wire};

/// A batch of events stays below this.
const LARGEST_BATCH: usize = 512 * 1024;
/// Commands that a failure tells of.
const RECENT: usize = 24;

/// Runs a floor from a seed.
///
/// # Errors
/// When something that must hold does not.
pub fn run(seed: u64, course: Course) -> Result<Summary, Failure> {
    let Course { steps, dishonesty } = course;
    let mut run = Run::new(seed, dishonesty);
    let caught = catch_unwind(AssertUnwindSafe(|| run.play(steps)));
    let what = match caught {
        Ok(Ok(())) => return Ok(run.summary),
        Ok(Err(what)) => what,
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            format!("panicked: {}", words.unwrap_or_default())
        }
    };
    Err(Failure { seed, steps, dishonesty, step: run.step, what, recent: run.recent.into() })
}

/// A run under way.
pub(crate) struct Run {
    pub seed: u64,
    pub step: u32,
    pub chance: Chance,
    pub house: &'static House,
    pub floor: Floor,
    pub model: Model,
    pub wire: Wire,
    /// The events since the house was made.
    pub log: Vec<Record>,
    pub snapshot: Option<Snapshot>,
    /// Past rounds as the host keeps them.
    pub kept: Kept,
    pub summary: Summary,
    pub at: Moment,
    /// Every account, kept from the transfers alone.
    accounts: BTreeMap<Account, i64>,
    recent: VecDeque<Recent>,
}

impl Run {
    pub(crate) fn new(seed: u64, dishonesty: u32) -> Run {
        let house = House::of(seed);
        Run {
            seed,
            step: 0,
            chance: Chance::of(seed, dishonesty),
            house,
            floor: house.floor.clone(),
            model: house.model.clone(),
            wire: house.wire.clone(),
            log: Vec::new(),
            snapshot: None,
            kept: Kept::default(),
            summary: Summary { seeds: 1, ..Summary::default() },
            at: MORNING,
            accounts: BTreeMap::new(),
            recent: VecDeque::with_capacity(RECENT),
        }
    }

    fn play(&mut self, steps: u32) -> Check {
        self.house.log.iter().for_each(|record| self.count(record));
        self.furnish()?;
        for step in 1..=steps {
            self.step = step;
            self.summary.steps += 1;
            self.tick();
            self.one_step()?;
        }
        self.finish()?;
        self.check_everything()?;
        self.crash()
    }

    pub(crate) fn at(&self) -> Moment {
        self.at
    }

    pub(crate) fn wait(&mut self, milliseconds: i64) {
        self.at = self.at.max(self.floor.now()).after(milliseconds);
    }

    /// Time goes on, seldom leaps, and now and then the clock is set back.
    pub(crate) fn tick(&mut self) {
        let step = match self.chance.below(600) {
            0 | 1 => -self.chance.between(1, 10_000),
            2 => self.chance.between(60_000, 600_000),
            // A second person was called and does not come (D28).
            4..40 if self.floor.calls().next().is_some() => self.chance.between(900_000, 930_000),
            3 if self.chance.one_in(2) => self.chance.between(12, 30) * 60 * 60 * 1000,
            _ => self.chance.between(0, 1_500),
        };
        self.at = self.at.after(step);
    }

    fn one_step(&mut self) -> Check {
        match self.chance.below(240) {
            0..20 => match self.wire.arrives(self.at, &mut self.chance) {
                Some(command) => self.deliver(command),
                None => Ok(()),
            },
            20..30 => match self.wire.again(self.at, &mut self.chance) {
                Some(command) => self.deliver(command),
                None => Ok(()),
            },
            30 => self.power_failure(),
            31 => {
                self.take_snapshot();
                Ok(())
            }
            _ => self.somebody_acts(),
        }
    }

    fn somebody_acts(&mut self) -> Check {
        let scene = Scene { seed: self.seed, floor: &self.floor, model: &self.model, kept: &self.kept, at: self.at };
        let Some((sender, body)) = scene.deed(&mut self.chance) else { return Ok(()) };
        let command = self.wire.write(sender, body, self.at, &mut self.chance);
        match self.chance.below(100) {
            // Lost on the way; late; or at once.
            0 => Ok(()),
            1..6 => {
                self.wire.delay(command);
                Ok(())
            }
            _ => self.deliver(command),
        }
    }

    /// The host is gone for a while, comes back, and says so.
    fn power_failure(&mut self) -> Check {
        self.crash()?;
        let from = self.at;
        self.at = self.at.after(if self.chance.one_in(2) {
            self.chance.between(100, 9_000)
        } else {
            self.chance.between(9_000, 90_000)
        });
        let scene = Scene { seed: self.seed, floor: &self.floor, model: &self.model, kept: &self.kept, at: self.at };
        let start = scene.start(&mut self.chance);
        let report = match self.chance.one_in(10) {
            true => scene.stoppage(&mut self.chance),
            false => Body::ReportStoppage { from, terminals_back: !self.chance.one_in(4) },
        };
        self.send(Sender::System, start)?;
        self.send(Sender::System, report)
    }

    /// Sends a command that arrives at once.
    pub fn send(&mut self, sender: Sender, body: Body) -> Check {
        let command = self.wire.write(sender, body, self.at, &mut self.chance);
        self.deliver(command)
    }

    fn deliver(&mut self, command: Command) -> Check {
        let expected = self.wire.expects(&command);
        let before = self.chance.one_in(24).then(|| self.floor.state_hash());
        let decision = self.floor.decide(&command);
        self.remember(&command, &decision);
        if expected == Taken::New && self.chance.one_in(6) {
            let may = self.floor.may(command.sender, &command.body, command.at).err();
            let unknown = decision.as_ref().err().is_some_and(|refusal| refusal.code == Code::UnknownSender);
            must(unknown || may.as_ref() == decision.as_ref().err(), || format!("may() says {may:?}"))?;
        }
        must(expected.agrees(&decision), || format!("the answer to a command that is {expected:?}: {decision:?}"))?;
        match decision {
            Ok(Decision::Events(records)) => self.accept(command, records),
            Ok(Decision::Earlier(_)) => {
                self.summary.retried += 1;
                self.unchanged(before)
            }
            Err(refusal) => {
                *self.summary.refused.entry(refusal.code).or_default() += 1;
                must(!refusal.words.is_empty() && !refusal.rule.is_empty(), || "a refusal without words".to_owned())?;
                self.unchanged(before)?;
                self.rightly_refused(&command, &refusal, expected)
            }
        }
    }

    fn unchanged(&self, before: Option<[u8; 32]>) -> Check {
        let same = before.is_none_or(|before| before == self.floor.state_hash());
        must(same, || "something changed without an event".to_owned())
    }

    /// A plain bet that keeps to everything must be taken.
    fn rightly_refused(&self, command: &Command, refusal: &Refusal, expected: Taken) -> Check {
        let (Sender::Terminal(id), Body::Bet { changes }) = (command.sender, &command.body) else { return Ok(()) };
        let [BetChange::Add { spot, amount }] = &**changes else { return Ok(()) };
        let at = command.at.max(self.floor.now());
        let good = expected == Taken::New && self.model.must_take(id, *spot, amount.get(), at);
        must(!good, || format!("a good bet was refused: {refusal}"))
    }

    fn accept(&mut self, command: Command, records: Vec<Record>) -> Check {
        answers(&self.model, &command, &records)?;
        let bytes = minicbor::to_vec(&records).map_err(|error| error.to_string())?.len();
        must(bytes <= LARGEST_BATCH, || format!("a batch of {bytes} bytes"))?;
        self.summary.largest_batch = self.summary.largest_batch.max(bytes);
        if self.chance.one_in(200) {
            // The power failed before the batch was durable: it never happened, and the sender tries again.
            self.crash()?;
            self.wire.delay(command);
            return Ok(());
        }
        let others = self.chance.one_in(12).then(|| self.seen_by_others(&records)).flatten();
        self.wire.accepted(&command, self.floor.sequence() + 1);
        self.summary.accepted += 1;
        for record in &records {
            self.apply(record)?;
        }
        self.model.take(&records)?;
        self.log.extend(records);
        self.compare()?;
        if let Some((views, by)) = others {
            let now = self.views_but(by);
            must(views == now, || format!("others see what terminal {by} bets"))?;
        }
        if self.chance.one_in(8) {
            self.check_everything()?;
        }
        if self.chance.one_in(200) {
            // It was durable, and the reply was lost with the power.
            self.crash()?;
            self.wire.delay(command);
        } else if self.chance.one_in(20) {
            self.wire.delay(command);
        }
        Ok(())
    }

    pub(crate) fn apply(&mut self, record: &Record) -> Check {
        self.count(record);
        self.floor.verify(&record.event).map_err(|what| format!("the audit says: {what}"))?;
        let leaving = Kept::leaving(&self.floor);
        let moved = self.floor.apply_and_tell(record).map_err(|misfit| misfit.to_string())?;
        self.kept.keep(&self.floor, leaving, &record.event);
        for transfer in moved {
            must(transfer.amount.is_positive(), || format!("{transfer:?}"))?;
            *self.accounts.entry(transfer.from).or_default() -= transfer.amount.get();
            *self.accounts.entry(transfer.to).or_default() += transfer.amount.get();
        }
        let wrong = self.floor.check();
        must(wrong.is_empty(), || format!("after {}: {}", kind(&record.event), wrong.join("; ")))
    }

    pub(crate) fn count(&mut self, record: &Record) {
        *self.summary.events.entry(kind(&record.event)).or_default() += 1;
        let table = match &record.event {
            Event::RoundSettled { table, .. }
            | Event::ChipsSettled { table, .. }
            | Event::RoundVoided { table, .. }
            | Event::RoundCorrected { table, .. }
            | Event::SettledRoundVoided { table, .. }
            | Event::ChipsCorrected { table, .. } => *table,
            _ => return,
        };
        let Ok(table) = self.model.table(table) else { return };
        let rounds = self.summary.games.entry(table.game.id()).or_default();
        match &record.event {
            Event::RoundSettled { .. } | Event::ChipsSettled { .. } => rounds.settled += 1,
            Event::RoundVoided { .. } => rounds.void += 1,
            Event::RoundCorrected { .. } | Event::ChipsCorrected { outcome: Some(_), .. } => rounds.corrected += 1,
            _ => rounds.voided_later += 1,
        }
    }

    fn remember(&mut self, command: &Command, decision: &Result<Decision, Refusal>) {
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        let answer = match decision {
            Ok(Decision::Events(records)) => Ok(records.len()),
            Ok(Decision::Earlier(_)) => Ok(0),
            Err(refusal) => Err(refusal.code),
        };
        self.recent.push_back(Recent { step: self.step, command: command.clone(), answer });
    }

    /// What every other terminal and the displays show, if the events are one terminal's bets.
    fn seen_by_others(&self, records: &[Record]) -> Option<(Views, TerminalId)> {
        let [Record { event: Event::BetsChanged { terminal, .. }, .. }] = records else { return None };
        Some((self.views_but(*terminal), *terminal))
    }

    fn views_but(&self, terminal: TerminalId) -> Views {
        let terminals = self.floor.terminals().iter().map(Terminal::id).filter(|id| *id != terminal);
        let tables = self.floor.tables().iter().map(Table::id);
        (
            terminals.map(|id| self.floor.terminal_view(id)).collect(),
            tables.map(|id| self.floor.display_view(id)).collect(),
        )
    }

    pub(crate) fn balance(&self, account: Account) -> i64 {
        self.accounts.get(&account).copied().unwrap_or(0)
    }
}

type Views = (Vec<Option<TerminalView>>, Vec<Option<DisplayView>>);
