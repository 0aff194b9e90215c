//! Void rounds: no result, and every bet goes back (5.9; Tai Sai 5.12; S2).

use std::collections::BTreeMap;

use rulebook::{Act, Arises, GroundId, Rulebook, Timing, Voids};

use crate::bounds;
use crate::command::Sender;
use crate::correct::in_parts;
use crate::decide::{Events, reason_fits};
use crate::event::{Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::service::complete;
use crate::state::{Floor, Phase, Round, Table};

impl Floor {
    /// The dealer declares any ground of the document, until the round is settled. Once the dice or the ball can be seen,
    /// or against the device's own report, a Pit Supervisor is the second person (D23).
    // § etg 5.3, 5.4 · rws-roulette-000 5.3.1, 5.3.7, 5.3.8 · mbs-sicbo 5.4, 5.5 · rws-taisai 5.5, 5.6
    pub(crate) fn declare_ground(
        &self,
        sender: Sender,
        table: TableId,
        ground: GroundId,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::DeclareGround, found)?;
        let Some(listed) = rulebook.ground(ground) else {
            let words = format!("{ground} is not a void ground of this game; the Shift Manager may decide");
            return refuse(Code::NotAGround, &rulebook.discretion().paragraph, words);
        };
        if listed.arises == Arises::Attested {
            return refuse(Code::NotAGround, &listed.paragraph, "an interruption is attested, not declared (D6)");
        }
        let round = match &found.round {
            Some(round) if mutant!("declares-while-interrupted") => round,
            _ => found.round_in_play(rulebook)?,
        };
        let visible = self.visible(found, rulebook, round, at);
        let against = self.against_device(found, rulebook, round, ground);
        let mut event = voided(found, round, VoidBy::Ground(ground), by, &listed.name.en);
        if visible && !mutant!("declares-what-is-seen-alone") || against || witness.is_some() {
            let words = match (visible, against) {
                (_, true) => "this goes against the device's own report: a Pit Supervisor must be the second person",
                _ => "the result can be seen: a Pit Supervisor must be the second person",
            };
            let second = self.second_person(by, witness, Act::WitnessAttestation, found);
            let second = second.or_else(|_| refuse(Code::SecondPerson, "D23", words))?;
            if let Event::RoundVoided { witness, .. } = &mut event {
                *witness = Some(second);
            }
        }
        Ok(vec![event])
    }

    /// The dealer's one confirmation of what a device reported.
    // § etg 5.3 · mbs-sicbo 5.1, 5.2, 5.3 · rws-taisai 5.5, 5.5.1, 5.5.2, 5.5.3
    pub(crate) fn confirm_ground(&self, sender: Sender, table: TableId) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::DeclareGround, found)?;
        let round = found.round_in_play(rulebook)?;
        let halted = round.second.filter(|_| mutant!("second-tumble-confirmed-voids")).map(|_| GroundId::TooFewTumbles);
        let reported = round.ground.map(|open| open.ground).or(halted);
        let Some(listed) = reported.and_then(|ground| rulebook.ground(ground)) else {
            return refuse(Code::NothingToDo, "D5", "no device has reported a void ground");
        };
        Ok(vec![voided(found, round, VoidBy::Ground(listed.id), by, &listed.name.en)])
    }

    /// A measured ground is put aside as a device fault by a Pit Supervisor; a proposed one by the dealer's judgement.
    pub(crate) fn dismiss_ground(
        &self,
        sender: Sender,
        table: TableId,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let Some(open) = found.round.as_ref().and_then(|round| round.ground) else {
            return self.set_second_aside(sender, found, reason, witness);
        };
        let act =
            if open.proposed || mutant!("dealer-dismisses") { Act::DeclareGround } else { Act::RecordDeviceFault };
        let by = self.authorise(sender, act, found)?;
        reason_fits(reason)?;
        let round = found.round_in_play(rulebook)?;
        // An activation that came to nothing was reported falsely. Dice that were tumbled after it are those of the round, and
        // what was put aside is when (D18).
        let tumbled = round.seen.has_ended() || round.seen.was_read();
        let kept = open.ground == GroundId::ActivatedBeforeClose && tumbled && self.is_tagged();
        let (round, ground, reason) = (round.id, open.ground, reason.to_owned());
        Ok(vec![Event::GroundDismissed { round, table, ground, by, reason, kept }])
    }

    /// Only the Shift Manager decides that a second tumble or spin was reported falsely (D18). Unless the first outcome was
    /// completely read before it, this chooses which dice or ball the round goes on with: then a second person of the same
    /// rank decides too (D27), and what is read from then on may be of either tumble.
    fn set_second_aside(&self, sender: Sender, table: &Table, reason: &str, witness: Option<StaffId>) -> Events {
        let Some(round) = table.round.as_ref().filter(|round| round.second.is_some()) else {
            self.staff_sender(sender)?;
            return refuse(Code::NothingToDo, "D5", "no device has reported a void ground");
        };
        let by = self.authorise(sender, Act::Decide, table)?;
        let rulebook = self.rulebook_of(table);
        let first = rulebook.and_then(|rulebook| complete(rulebook, &round.seen));
        let doubtful = first.is_none() || round.seen.contradicted || round.doubtful;
        let witness = match witness {
            None if !doubtful => None,
            _ => {
                let words = "the first outcome was not completely read, so that this chooses the outcome: a second person \
                             of the same rank must decide too";
                let second = self.second_person(by, witness, Act::Decide, table);
                Some(second.or_else(|_| refuse(Code::SecondPerson, "D27", words))?)
            }
        };
        reason_fits(reason)?;
        if let Some(rulebook) = rulebook {
            table.round_in_play(rulebook)?;
        }
        let (round, table) = (round.id, table.id);
        Ok(vec![Event::SecondTumbleSetAside { round, table, by, reason: reason.into(), witness, doubtful }])
    }

    /// Whether a device in service measures this ground and has reported otherwise.
    pub(crate) fn against_device(&self, table: &Table, rulebook: &Rulebook, round: &Round, ground: GroundId) -> bool {
        let Some(device) = self.serving(table) else { return false };
        if round.ground.iter().chain(&round.waiting).any(|open| open.ground == ground) {
            return false;
        }
        // Before the notice there are no bets: the dealer alone declares the tumble, or starts again (D18).
        let before_notice = rulebook.procedure().timing == Timing::BeforeNotice && round.phase == Phase::Begun;
        if ground == GroundId::TooFewTumbles && before_notice && round.may_start_again() {
            return false;
        }
        let (measures, seen) = (device.measures(), &round.seen);
        let counted = measures.times && seen.times.is_some() && !seen.short;
        match ground {
            GroundId::TooFewTumbles | GroundId::TooFewRevolutions => counted,
            GroundId::WheelNotRotating | GroundId::SameDirection => measures.direction && seen.reported(),
            GroundId::ExposedBeforeClose => measures.cover && seen.reported() && !seen.exposed,
            // It reports every activation: one it has not reported before the close is one it says there was not.
            GroundId::ActivatedBeforeClose => true,
            GroundId::DieNotFlat => measures.flat && complete(rulebook, seen).is_some(),
            GroundId::NoCompartment | GroundId::FlungOut | GroundId::WheelStopped => seen.pocket.is_some(),
            GroundId::BallDropped => seen.reported(),
            GroundId::DiceDamaged
            | GroundId::DomeOrDiceBroken
            | GroundId::ForeignObject
            | GroundId::Interference
            | GroundId::BallBroken
            | GroundId::Interruption => false,
        }
    }

    /// Damage or breakage: a Pit Manager names the rounds it affected, settled ones too; a second person confirms.
    // § etg 5.4 · rws-taisai 5.6
    pub(crate) fn void_rounds(
        &self,
        sender: Sender,
        table: TableId,
        ground: GroundId,
        rounds: &[RoundId],
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::VoidAffectedRounds, found)?;
        let witness = self.second_person(by, witness, Act::VoidAffectedRounds, found)?;
        reason_fits(reason)?;
        let affects = |voids: Voids| voids == Voids::AffectedRounds || mutant!("any-ground-voids-settled-rounds");
        let listed = rulebook.ground(ground).filter(|listed| affects(listed.voids));
        let Some(listed) = listed else {
            let words = format!("{ground} does not void settled rounds in this game; the Shift Manager may decide");
            return refuse(Code::NotAGround, &rulebook.discretion().paragraph, words);
        };
        if rounds.is_empty() || rounds.len() > bounds::VOIDED {
            return refuse(Code::TooMany, "bounds", format!("name 1 to {} rounds", bounds::VOIDED));
        }
        let mut events = Vec::with_capacity(rounds.len());
        // What one round moves is there, or no longer there, for the next.
        let mut moved = Moved::new();
        // The round in progress comes last: when it ends, the oldest settled round leaves the list, and may be one of these.
        let mut in_progress = None;
        for (place, round) in rounds.iter().enumerate() {
            if rounds.iter().skip(place + 1).any(|other| other == round) {
                return refuse(Code::RoundOver, &listed.paragraph, format!("round {round} is named twice"));
            }
            if let Some(current) = found.round.as_ref().filter(|current| current.id == *round) {
                found.round_in_play(rulebook)?;
                let mut event = voided(found, current, VoidBy::Ground(ground), by, reason);
                if let Event::RoundVoided { witness: second, .. } = &mut event {
                    *second = Some(witness);
                }
                in_progress = Some(event);
                continue;
            }
            let by_ground = VoidBy::Ground(ground);
            events.push(self.void_settled(found, *round, by_ground, by, Some(witness), reason, &mut moved)?);
        }
        // The tray pays for all of them together.
        found.tray_covers(&events)?;
        events.extend(in_progress);
        events.extend(self.uncollected_alerts(found, &events));
        in_parts(events)
    }

    /// The current round is void by the Shift Manager's decision.
    pub(crate) fn void_by_decision(
        &self,
        table: &Table,
        round: &Round,
        by: StaffId,
        second: StaffId,
        reason: &str,
    ) -> Event {
        let mut event = voided(table, round, VoidBy::Decision, by, reason);
        if let Event::RoundVoided { witness, .. } = &mut event {
            *witness = Some(second);
        }
        event
    }
}

// § etg 5.3, 5.9 · rws-sicbo 1.10 · rws-sicbo-open 1.10 · rws-roulette-000 1.11 · rws-taisai 1.9, 5.5, 5.12
fn voided(table: &Table, round: &Round, by: VoidBy, staff: StaffId, reason: &str) -> Event {
    Event::RoundVoided { round: round.id, table: table.id, by, staff, witness: None, reason: reason.to_owned() }
}

/// What earlier events of one command have added to credits, or taken from them, in cents.
pub(crate) type Moved = BTreeMap<TerminalId, i64>;
