//! The dealer, who takes a round from its beginning to its end.

use floor::*;
use rulebook::{Act, GroundId, Point};

use super::{Deed, Scene, reason};
use crate::chance::Chance;
use crate::model::Round;

impl Scene<'_> {
    pub(super) fn dealer(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        let Some(round) = &found.round else { return self.begin(table, chance) };
        if round.interrupted.is_some() {
            return self.attest(table, round, chance);
        }
        if !round.grounds.is_empty() {
            return self.deal_with_ground(table, round, chance);
        }
        if round.second {
            return self.after_second(table, round, chance);
        }
        if round.fault && !chance.one_in(6) {
            let affects = chance.one_in(3);
            return Some((
                self.somebody(table, Act::AttestInterruption, chance)?,
                Body::AnswerFault { table, affects },
            ));
        }
        if chance.one_in(80) {
            return self.report(table, chance);
        }
        if chance.wrong(60) {
            // Sometimes after a result that a person does not like.
            let ground = chance.of_these(GroundId::ALL);
            let (by, witness) = self.two(table, Act::DeclareGround, Act::WitnessAttestation, chance)?;
            let witness = witness.filter(|_| chance.one_in(2));
            return Some((by, Body::DeclareGround { table, ground, witness }));
        }
        // Without a wheel that says so, a dealer sees the ball come to rest before the close. Some say so where it did not.
        let watched = self.model.at_work(table).is_some();
        if found.game.is_wheel() && round.stated_rest.is_none() && chance.one_in(if watched { 80 } else { 10 }) {
            let body = Body::StateEarlyRest { table, affirmed: affirmed(chance) };
            return Some((self.somebody(table, Act::EnterResult, chance)?, body));
        }
        match round.phase {
            Phase::Begun => {
                let body = Body::OpenBets { table, affirmed: affirmed(chance) };
                Some((self.somebody(table, Act::OpenRound, chance)?, body))
            }
            Phase::Open if chance.one_in(6) => {
                Some((self.somebody(table, Act::CloseBets, chance)?, Body::CloseBets { table }))
            }
            Phase::Open if found.game.is_live() => self.live_table(table, chance),
            Phase::Open => self.player(table, chance),
            Phase::Closed if found.mode == TableMode::BetsRecorded && chance.one_in(3) => {
                self.late_record(table, chance)
            }
            Phase::Closed if round.rested_early || round.stated_rest.is_some() => self.rule_on(table, round, chance),
            Phase::Closed if !round.awaiting.is_empty() && !chance.one_in(8) => self.acknowledge(table, chance),
            Phase::Closed => self.enter(table, round, chance),
            Phase::Entered => self.confirm(table, round, chance),
        }
    }

    fn begin(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        if !found.open || found.closing.is_some_and(|closing| self.at >= closing) {
            let body =
                if found.open && chance.one_in(3) { Body::CloseTable { table } } else { Body::OpenTable { table } };
            return Some((self.somebody(table, Act::OpenTable, chance)?, body));
        }
        let body = match found.game.begins_with_tumbler() {
            _ if chance.one_in(30) || found.dealer.is_none() && chance.one_in(3) => {
                let dealers = self.model.qualified(found.game, Act::OpenRound);
                return Some((Sender::Staff(chance.pick(&dealers)?), Body::TakeTable { table }));
            }
            true => Body::BeginRound { table },
            false => Body::open_bets(table),
        };
        Some((self.somebody(table, Act::OpenRound, chance)?, body))
    }

    fn attest(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        let signs = match round.uncovered_meanwhile && !chance.wrong(3) {
            true => Act::Decide,
            false => Act::WitnessAttestation,
        };
        let (by, witness) = self.two(table, Act::AttestInterruption, signs, chance)?;
        let finding = match round.phase {
            Phase::Begun | Phase::Open if !chance.one_in(10) => {
                chance.of_these([Finding::NotAffected, Finding::NotEstablished])
            }
            _ => chance.of_these([Finding::NotAffected, Finding::Established, Finding::NotEstablished]),
        };
        Some((by, Body::Attest { table, finding, witness }))
    }

    fn deal_with_ground(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        if chance.one_in(2) {
            return Some((self.somebody(table, Act::DeclareGround, chance)?, Body::ConfirmGround { table }));
        }
        // What the device proposes a dealer puts aside (D5). Now and then one tries it with what a Pit Supervisor must.
        let proposes = |ground| matches!(ground, GroundId::DieNotFlat | GroundId::NoCompartment | GroundId::FlungOut);
        let proposed = round.grounds.first().copied().is_some_and(proposes);
        let act = if proposed || chance.wrong(4) { Act::DeclareGround } else { Act::RecordDeviceFault };
        Some((self.somebody(table, act, chance)?, Body::DismissGround { table, reason: reason(), witness: None }))
    }

    /// The ball rested too early: the Shift Manager decides (D4).
    fn rule_on(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        if chance.wrong(6) {
            return self.enter(table, round, chance);
        }
        if round.stated_rest.is_none() && chance.one_in(4) {
            let body = Body::StateEarlyRest { table, affirmed: affirmed(chance) };
            return Some((self.somebody(table, Act::EnterResult, chance)?, body));
        }
        let (by, witness) = self.two(table, Act::Decide, Act::VoidAffectedRounds, chance)?;
        let witness = witness.filter(|_| !chance.one_in(6));
        if chance.one_in(3) {
            let (round, ruling) = (Some(round.id), Ruling::VoidRound);
            return Some((by, Body::Decide { table, round, ruling, reason: reason(), witness }));
        }
        // Where the ball rests, or where a cheat would like it.
        let outcome = match round.early.or(round.later.first().copied()).filter(|_| !chance.wrong(5)) {
            Some(early) => early,
            None => self.any_outcome(self.game(table)?, chance)?,
        };
        Some((by, Body::ChooseOutcome { table, round: round.id, outcome, reason: reason(), witness }))
    }

    /// A terminal shows the close.
    fn acknowledge(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let round = self.model.table(table).ok()?.round.as_ref()?;
        let terminal = chance.pick(&round.awaiting)?;
        Some((Sender::Terminal(terminal), Body::AcknowledgeClose { round: round.id }))
    }

    fn enter(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        let game = self.game(table)?;
        let outcome = if chance.wrong(10) { self.any_outcome(game, chance) } else { self.truth(game, round.id) }?;
        let (by, witness) = self.two(table, Act::EnterResult, Act::RecordDeviceFault, chance)?;
        let witness = witness.filter(|_| chance.one_in(4));
        let reason = (witness.is_some() && !chance.one_in(4)).then(reason);
        Some((by, Body::EnterResult { table, outcome, affirmed: affirmed(chance), witness, reason }))
    }

    /// After a second tumble or spin: the first outcome, or the Shift Manager (D18).
    fn after_second(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        match chance.below(8) {
            0..4 => {
                let (by, witness) = self.two(table, Act::EnterResult, Act::WitnessAttestation, chance)?;
                Some((by, Body::KeepFirstOutcome { table, witness, affirmed: affirmed(chance) }))
            }
            4 => {
                let (by, witness) = self.two(table, Act::Decide, Act::Decide, chance)?;
                Some((by, Body::DismissGround { table, reason: reason(), witness }))
            }
            // A dealer tries to go on as if nothing had happened.
            5 if round.phase == Phase::Entered => {
                Some((self.somebody(table, Act::EnterResult, chance)?, Body::confirm_result(table)))
            }
            5 => self.enter(table, round, chance),
            _ => {
                let (by, witness) = self.two(table, Act::Decide, Act::Decide, chance)?;
                let (round, ruling) = (Some(round.id), Ruling::VoidRound);
                Some((by, Body::Decide { table, round, ruling, reason: reason(), witness }))
            }
        }
    }

    /// An interruption is reported where it happens (D21).
    fn report(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let all = [
            Failed::Power,
            Failed::Device,
            Failed::Console,
            Failed::Display,
            Failed::SomeTerminals,
            Failed::AllTerminals,
        ];
        let (failed, note) = (chance.of_these(all), chance.one_in(2).then(reason));
        let body = Body::ReportInterruption { table, failed, note };
        Some((self.somebody(table, Act::AttestInterruption, chance)?, body))
    }

    fn confirm(&self, table: TableId, round: &Round, chance: &mut Chance) -> Option<Deed> {
        let by = self.somebody(table, Act::EnterResult, chance)?;
        if round.outcome != self.truth(self.game(table)?, round.id) && chance.one_in(3) || chance.one_in(25) {
            return self.enter(table, round, chance);
        }
        if chance.one_in(30) {
            let what = chance.of_these([DisplayFault::LitAreas, DisplayFault::Results]);
            return Some((by, Body::RecordDisplay { table, what, note: reason() }));
        }
        let (by, witness) = self.two(table, Act::EnterResult, Act::RecordDeviceFault, chance)?;
        let witness = witness.filter(|_| !chance.one_in(3));
        let reason = witness.map(|_| reason()).filter(|_| !chance.one_in(6));
        Some((by, Body::ConfirmResult { table, outcome: None, witness, reason }))
    }
}

/// Mostly everything is affirmed, whether or not a device has measured it.
fn affirmed(chance: &mut Chance) -> Vec<Point> {
    let missing = chance.wrong(8).then(|| chance.of_these(Point::ALL));
    Point::ALL.into_iter().filter(|point| Some(*point) != missing).collect()
}
