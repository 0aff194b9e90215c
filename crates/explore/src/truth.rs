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
}

impl Tumble {
    fn was_read(&self) -> bool {
        self.dice.iter().chain(&self.glimpsed).any(Option::is_some)
    }
}

/// What was reported of the round in progress.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    round: Option<RoundId>,
    tumbles: Vec<Tumble>,
    off: bool,
    /// Two people have said that the report of the device is missing or wrong.
    excused: bool,
    /// The dice could be seen after the close: the cover came off, or the dealer said so.
    shown: bool,
}

impl Truth {
    /// Takes in an accepted command.
    pub fn take(&mut self, before: &Floor, command: &Command, after: &Floor, rulebook: &Rulebook) {
        let round = |floor: &Floor| floor.table(TABLE).and_then(|table| table.round().map(Round::id));
        let current = round(after);
        if current != self.round {
            *self = Truth { round: current, off: self.off, ..Truth::default() };
        }
        match (&command.body, command.sender) {
            (Body::Observe(observation), Sender::Device(device)) => {
                let serves = before.device(device).is_some_and(|device| device.service().serves(round(before)));
                let reads = before.device(device).is_some_and(|device| device.reads(round(before)));
                let reading = matches!(observation, Observation::DiceRead { .. });
                if serves && (reads || !reading) {
                    self.report(before, after, *observation, reads, rulebook);
                }
            }
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
            // A spin and its count, both reported once more after a count, are another spin (D18).
            Observation::Spun { .. } => {
                self.tumbles.iter_mut().last().into_iter().for_each(|last| last.spun_again |= last.times.is_some());
            }
            Observation::Revolved { .. } if self.tumbles.last().is_some_and(|last| last.spun_again) => {
                self.tumbles.push(Tumble::default());
            }
            // Another count after the dice were read is of another tumble, whose beginning was not reported (D18).
            Observation::Tumbled { times } => {
                let again = begins && round.is_none_or(|round| round.phase() == Phase::Begun);
                let other = |last: &Tumble| last.was_read() && last.times.is_some_and(|known| known != times);
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
        if self.tumbles.is_empty() && of_a_tumble && self.is_of_this_round(after) {
            self.tumbles.push(Tumble { unannounced: true, ended: true, ..Tumble::default() });
        }
        let Some(last) = self.tumbles.last_mut() else { return };
        last.bare |= covered && off && (last.unannounced || last.by_dealer) && last.times.is_none() && of_a_tumble;
        match observation {
            Observation::Uncovered => {
                last.exposed = true;
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
            Observation::DiceRead { dice } if last.ended => {
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
        bytes.push(u8::try_from(self.tumbles.len().min(2)).unwrap_or(2));
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
                [last.ended, last.by_dealer, last.was_read(), last.pocket.is_some(), last.spun_again].map(u8::from),
            );
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
