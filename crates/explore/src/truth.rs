//! What the dice or the ball have shown, followed from the reports alone: the first lawful outcome of a round (D18).
//!
//! This is written from the rules and shares nothing with the floor's own record of what was seen.

use floor::*;
use rulebook::{Begins, Dice, Face, GroundId, Outcome, OutcomeIndex, Rulebook};

use crate::property::{Property, Violation, must};
use crate::spec::TABLE;

/// One tumble or spin.
#[derive(Clone, Debug, Default)]
struct Tumble {
    ended: bool,
    times: Option<u8>,
    short: bool,
    dice: [Option<Face>; 3],
    pocket: Option<OutcomeIndex>,
    /// Read under the cover or before the close.
    glimpsed: [Option<Face>; 3],
    exposed: bool,
    /// The cover came off after the close, and not while the round was interrupted.
    uncovered: bool,
    early: bool,
    /// The dealer announced it, and the device has not reported it yet.
    by_dealer: bool,
    /// It was read twice, and the readings differ.
    contradicted: bool,
    /// It was tumbled with the cover off, where the document has it covered.
    bare: bool,
    /// Its beginning was not reported: a second person stands for it (D19).
    unannounced: bool,
    /// After its revolutions were counted, a spin was reported once more.
    spun_again: bool,
    /// The ball lay in no compartment, or left the wheel.
    gone: bool,
}

impl Tumble {
    /// Whether dice that are read are its dice. `hidden`: nothing counts that is read of it now.
    fn is_read_by(&self, dice: [Option<Face>; 3], hidden: bool) -> bool {
        self.ended || !self.by_dealer && !hidden && dice.iter().any(Option::is_some)
    }

    /// Whether nothing more is reported of how it ended: the count of one that was read may still come.
    fn is_over(&self) -> bool {
        self.gone || self.ended && (self.unannounced || self.times.is_some() || !self.was_read())
    }

    fn was_read(&self) -> bool {
        self.dice.iter().chain(&self.glimpsed).any(Option::is_some)
    }
}

/// A tumble or spin that is of no round in play: it was set off before the round, or for one that became void (D18).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Stray {
    #[default]
    None,
    /// Set off before the round.
    Running,
    /// Set off for a void round, and its end was not reported.
    OfVoid,
    /// Its dice lie in the tumbler, its ball on the wheel.
    Ended,
}

impl Stray {
    /// Whether a report tells of it, where nothing was reported of the round in play.
    fn is_told_by(self, observation: Observation) -> bool {
        match observation {
            Observation::DiceRead { .. } | Observation::NotFlat => self != Stray::None,
            // A wheel repeats that it was spun.
            Observation::Spun { .. } => self == Stray::Running,
            Observation::Tumbled { .. }
            | Observation::Revolved { .. }
            | Observation::Rested { .. }
            | Observation::NoCompartment
            | Observation::FlungOut => matches!(self, Stray::Running | Stray::OfVoid),
            _ => false,
        }
    }

    fn after(self, observation: Observation, of_round: bool) -> Stray {
        match observation {
            Observation::Activated | Observation::Spun { .. } if of_round => Stray::None,
            Observation::Activated | Observation::Spun { .. } => Stray::Running,
            Observation::Tumbled { .. }
            | Observation::Rested { .. }
            | Observation::NoCompartment
            | Observation::FlungOut
                if self != Stray::None =>
            {
                Stray::Ended
            }
            _ => self,
        }
    }
}

/// What was reported of the round in progress.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    round: Option<RoundId>,
    tumbles: Vec<Tumble>,
    stray: Stray,
    /// Where the ball lies, if it was reported since it was spun. The floor's normal form has it too.
    ball: Option<OutcomeIndex>,
    off: bool,
    /// Two people have said that the report of the device is missing or wrong.
    excused: bool,
    /// The dice could be seen after the close: the cover came off, or the dealer said so.
    shown: bool,
    /// The cover came off after the close. The floor's normal form has it too.
    lifted: bool,
}

impl Truth {
    /// Takes in an accepted command.
    pub fn take(&mut self, before: &Floor, command: &Command, after: &Floor, rulebook: &Rulebook) {
        let round = |floor: &Floor| floor.table(TABLE).and_then(|table| table.round().map(Round::id));
        let current = round(after);
        if current != self.round {
            let stray = self.left_behind(after);
            *self = Truth { round: current, off: self.off, stray, ball: self.ball, ..Truth::default() };
        }
        match (&command.body, command.sender) {
            (Body::Observe(observation), Sender::Device(device)) => {
                let serves = before.device(device).is_some_and(|device| device.service().serves(round(before)));
                let reads = before.device(device).is_some_and(|device| device.reads(round(before)));
                let reading = matches!(observation, Observation::DiceRead { .. });
                // A tumble that the dealer announced is told of with its end.
                let told = current.is_some() && self.tumbles.iter().any(|tumble| !tumble.by_dealer || tumble.ended);
                let lay_there = matches!(*observation, Observation::Rested { pocket } if self.ball == Some(pocket));
                self.ball = match *observation {
                    Observation::Spun { .. } => None,
                    Observation::Rested { pocket } => Some(pocket),
                    _ => self.ball,
                };
                let stray = !told && (lay_there || self.stray.is_told_by(*observation));
                let of_round = told || serves && current.is_some() && !stray;
                self.stray = self.stray.after(*observation, of_round);
                if serves && (reads || !reading) && !stray {
                    self.report(before, after, *observation, reads, rulebook);
                }
            }
            // Two people who put a tumbler back in service have looked at its cover.
            (Body::ChangeService { function: Function::Device, in_service: true, .. }, _) => self.off = false,
            (Body::BeginRound { .. }, _) => self.tumbles.push(Tumble { by_dealer: true, ..Tumble::default() }),
            (Body::DismissGround { .. }, _) => {
                // An activation before the close that was put aside as a device fault is no tumble of this round (D5).
                let open = before.table(TABLE).and_then(Table::round).and_then(Round::ground);
                if self.tumbles.len() < 2 && open.is_some_and(|open| open.ground == GroundId::ActivatedBeforeClose) {
                    self.tumbles.clear();
                }
                self.excused = true;
            }
            (Body::Attest { .. }, _) => self.excused = true,
            (Body::DeclareUncovered { .. }, _) => self.shown = true,
            _ => {}
        }
    }

    /// What was set off for the round that has just ended, if it became void.
    fn left_behind(&self, after: &Floor) -> Stray {
        let ended = self.round.and_then(|round| after.table(TABLE)?.archived(round));
        let void = ended.is_some_and(|ended| ended.outcome().is_none());
        match self.tumbles.iter().rfind(|tumble| !tumble.by_dealer).filter(|_| void) {
            None => self.stray,
            Some(last) if last.is_over() => Stray::Ended,
            Some(_) => Stray::OfVoid,
        }
    }

    fn report(&mut self, before: &Floor, after: &Floor, observation: Observation, reads: bool, rulebook: &Rulebook) {
        let round = before.table(TABLE).and_then(Table::round);
        // Terminals that have not acknowledged in time count as lost with the report.
        let closed = after.table(TABLE).and_then(Table::round);
        let closed = closed.is_some_and(|round| round.phase() >= Phase::Closed && round.awaiting() == 0);
        let interrupted = round.is_some_and(Round::is_interrupted);
        let minimum = if rulebook.outcomes().wheel().is_some() { 4 } else { 3 };
        let covered = matches!(rulebook.procedure().device, rulebook::Device::Tumbler { covered: true, .. });
        let begins = rulebook.procedure().begins == Begins::Activation;
        match observation {
            Observation::Uncovered => {
                self.off = true;
                self.shown |= closed;
                self.lifted |= closed;
            }
            Observation::Covered => self.off = false,
            Observation::Activated => {
                let again = begins && round.is_none_or(|round| round.phase() == Phase::Begun);
                if again && self.tumbles.iter().all(|tumble| !tumble.exposed && !tumble.was_read()) {
                    self.tumbles.clear();
                }
                // The dealer has said that the tumbler is set off, and now it says so itself.
                match self.tumbles.last_mut().filter(|last| last.by_dealer && !last.ended) {
                    Some(last) => last.by_dealer = false,
                    None => self.tumbles.push(Tumble { bare: covered && self.off, ..Tumble::default() }),
                }
            }
            Observation::Spun { .. } if self.tumbles.last().is_none_or(|last| last.ended || last.unannounced) => {
                self.tumbles.push(Tumble::default());
            }
            // A spin that is reported once more is the same one until the ball rests, unless another count follows (D18).
            Observation::Spun { .. } => {
                self.tumbles.iter_mut().last().into_iter().for_each(|last| last.spun_again |= last.times.is_some());
            }
            Observation::Revolved { times }
                if self.tumbles.last().is_some_and(|last| last.spun_again && last.times != Some(times)) =>
            {
                self.tumbles.push(Tumble::default());
            }
            // Another count after the dice could be seen is of another tumble, whose beginning was not reported (D18).
            Observation::Tumbled { .. } => {
                let again = begins && round.is_none_or(|round| round.phase() == Phase::Begun);
                let other = |last: &Tumble| last.times.is_some() && (last.exposed || last.was_read());
                if !again && self.tumbles.last().is_some_and(other) {
                    self.tumbles.push(Tumble::default());
                }
            }
            _ => {}
        }
        let off = self.off;
        let of_a_tumble = matches!(
            observation,
            Observation::Tumbled { .. }
                | Observation::Revolved { .. }
                | Observation::Rested { .. }
                | Observation::DiceRead { .. }
        );
        // With the cover off since before the close and nothing tumbled, the dice that lie there are those of before.
        let of_before = matches!(observation, Observation::DiceRead { .. }) && covered && off && !self.lifted;
        if self.tumbles.is_empty() && of_a_tumble && !of_before && self.is_of_this_round(after) {
            self.tumbles.push(Tumble { unannounced: true, ended: true, ..Tumble::default() });
        }
        let Some(last) = self.tumbles.last_mut() else { return };
        last.bare |= covered && off && (last.unannounced || last.by_dealer) && last.times.is_none() && of_a_tumble;
        match observation {
            Observation::Uncovered => {
                last.exposed = true;
                last.uncovered |= closed && !interrupted;
                last.bare |= covered && !last.ended;
            }
            Observation::Tumbled { times } => {
                last.ended = true;
                last.times = Some(times);
                last.short |= times < minimum;
            }
            Observation::Revolved { times } => {
                last.times = Some(times);
                last.short |= times < minimum;
            }
            Observation::Rested { pocket } => {
                last.ended = true;
                last.early |= !closed;
                last.contradicted |= closed && last.pocket.is_some_and(|known| known != pocket);
                last.pocket = last.pocket.or(Some(pocket).filter(|_| closed && reads));
            }
            Observation::NoCompartment | Observation::FlungOut => last.gone = true,
            // Dice that are read lie, so that the tumble has ended, even if that was not reported.
            Observation::DiceRead { dice } if last.is_read_by(dice, covered && interrupted && !last.uncovered) => {
                last.ended = true;
                let counts = closed && !interrupted && (off || !covered);
                let known = if counts { &mut last.dice } else { &mut last.glimpsed };
                let differ =
                    known.iter().zip(dice).any(|(known, read)| known.is_some() && read.is_some() && *known != read);
                known.iter_mut().zip(dice).for_each(|(known, read)| *known = known.or(read));
                last.contradicted |= differ;
            }
            _ => {}
        }
    }

    /// Whether a report without a beginning is of the round in play, and not a late one of the settled round before (D19).
    /// Which of the two it is, where there was one, is the floor's word.
    fn is_of_this_round(&self, after: &Floor) -> bool {
        let Some(table) = after.table(TABLE) else { return false };
        let Some(round) = table.round() else { return false };
        table.archive().next().is_none() || round.seen().is_unannounced()
    }

    /// The first lawful outcome, if it was read completely.
    #[must_use]
    pub fn first(&self, rulebook: &Rulebook) -> Option<OutcomeIndex> {
        let first = self.tumbles.first().filter(|first| first.ended && !first.short && !first.early)?;
        match first.dice {
            [Some(a), Some(b), Some(c)] => rulebook.outcomes().index(Outcome::Dice(Dice([a, b, c]))),
            _ => first.pocket,
        }
    }

    /// What was read of the first tumble or spin, if all of it was: also before the close was shown to all, or under the cover.
    /// An interrupted round may have to be concluded with it (D22).
    #[must_use]
    pub fn read(&self, rulebook: &Rulebook) -> Option<OutcomeIndex> {
        let first = self.tumbles.first()?;
        let mut dice = first.dice;
        dice.iter_mut().zip(first.glimpsed).for_each(|(die, glimpsed)| *die = die.or(glimpsed));
        match dice {
            [Some(a), Some(b), Some(c)] => rulebook.outcomes().index(Outcome::Dice(Dice([a, b, c]))),
            _ => first.pocket,
        }
    }

    /// The first lawful outcome, if there is no doubt about it: nothing that was reported, before or after the close or while
    /// the round was interrupted, speaks against it, no report was set aside, and no second tumble or spin was reported
    /// before the first had been read.
    #[must_use]
    pub fn beyond_doubt(&self, rulebook: &Rulebook) -> Option<OutcomeIndex> {
        let clear = |first: &&Tumble| !first.contradicted && !first.bare && !first.unannounced && first.times.is_some();
        let first = self.tumbles.first().filter(clear)?;
        let glimpsed = |(known, glimpsed): (&Option<Face>, &Option<Face>)| glimpsed.is_none() || known == glimpsed;
        let agrees = first.dice.iter().zip(&first.glimpsed).all(glimpsed);
        self.first(rulebook).filter(|_| agrees && !self.excused)
    }

    /// Whether the dice could be seen after the close.
    pub(crate) fn shown(&self) -> bool {
        self.shown || self.tumbles.iter().any(|tumble| tumble.dice.iter().any(Option::is_some))
    }

    /// What of it decides what may happen next, as bytes: of the tumbles the first and the last, and whether one between
    /// them was exposed.
    pub(crate) fn normal_form(&self, bytes: &mut Vec<u8>) {
        let exposed = self.tumbles.iter().any(|tumble| tumble.exposed);
        bytes.extend([self.round.is_some(), self.off, self.excused, self.shown, exposed].map(u8::from));
        bytes.extend([u8::try_from(self.tumbles.len().min(2)).unwrap_or(2), self.stray as u8]);
        let faces = |dice: &[Option<Face>; 3]| dice.map(|die| die.map_or(0, |die| die as u8 + 1));
        if let Some(first) = self.tumbles.first() {
            let flags =
                [first.short, first.early, first.contradicted, first.bare, first.exposed, first.times.is_some()];
            bytes.push(u8::from(first.unannounced));
            bytes.extend(flags.map(u8::from));
            bytes.extend(faces(&first.dice).into_iter().chain(faces(&first.glimpsed)));
            bytes.extend(first.pocket.map_or(0, |pocket| pocket.get() as u16 + 1).to_le_bytes());
        }
        if let Some(last) = self.tumbles.last() {
            bytes.extend(
                [last.ended, last.by_dealer, last.was_read(), last.uncovered, last.spun_again, last.gone].map(u8::from),
            );
            bytes.push(u8::from(last.pocket.is_some()));
            bytes.push(last.times.map_or(0, |times| times + 1));
        }
    }

    /// A round ends with an outcome: it is the first lawful one, or two people have signed for it.
    pub fn settles(
        &self,
        before: &Floor,
        command: &Command,
        outcome: OutcomeIndex,
        rulebook: &Rulebook,
    ) -> Result<(), Violation> {
        let Some(table) = before.table(TABLE) else { return Ok(()) };
        let Some(round) = table.round() else { return Ok(()) };
        let with_command = command.body.clone().witness_mut().copied().flatten().is_some();
        let signed = with_command || round.entered().is_some_and(|entered| entered.witness.is_some());
        let sorted = |outcome| rulebook.outcomes().outcome(outcome).map(Outcome::sorted);
        let wrong = Property::FirstOutcome;
        if let Some(first) = self.first(rulebook) {
            must(signed || sorted(first) == sorted(outcome), wrong, || {
                format!("one person settled the round by {outcome:?}; the device read {first:?}")
            })?;
        }
        let Some(device) = before.serving(table) else { return Ok(()) };
        let first = self.tumbles.first();
        let lawful = first.is_some_and(|first| first.ended && !first.short);
        must(lawful || self.excused, wrong, || "the round was settled without a lawful tumble or spin".to_owned())?;
        let announced = first.is_none_or(|first| !first.unannounced);
        must(signed || announced || self.excused, wrong, || {
            "one person settled a round whose tumble or spin was not reported to begin".to_owned()
        })?;
        let unread = |tumble: &Tumble| {
            let complete = |dice: [Option<Face>; 3]| dice.iter().all(Option::is_some);
            tumble.pocket.is_none() && !complete(tumble.dice) && !complete(tumble.glimpsed)
        };
        let missing = device.reads(Some(round.id())) && first.is_none_or(unread);
        must(signed || !missing, wrong, || "one person settled a round that the device did not read".to_owned())?;
        let again = self.tumbles.len() > 1
            && !self.excused
            && !matches!(command.body, Body::KeepFirstOutcome { .. } | Body::ChooseOutcome { .. });
        must(!again, wrong, || "a second tumble or spin did not halt the round".to_owned())
    }
}
