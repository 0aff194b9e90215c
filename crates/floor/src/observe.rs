//! What devices report, and the void grounds it raises (D4, D5).
//!
//! A ground that a device measures freezes the round at once; what a person must judge is proposed to the dealer. A
//! device never decides a round: its report waits for the dealer's confirmation or for a Pit Supervisor who records it
//! as a fault.

use rulebook::{Arises, Begins, Device as Mechanism, GroundId, Rulebook, Timing};

use crate::command::*;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::{Device, Floor, Phase, Round, Table};

/// What a report means for the round.
enum Meaning {
    /// It is part of the record and nothing else.
    Nothing,
    /// It counts for the round.
    Counts,
    /// It counts, and it is a ground.
    Ground(GroundId),
    /// It begins the round.
    Begins,
    /// It makes no sense now.
    Nonsense,
    /// The ball rests before the close: nobody can enter a result for it (D4).
    RestedEarly,
}

impl Floor {
    pub(crate) fn observe(&self, sender: Sender, observation: Observation, at: Moment) -> Events {
        let Sender::Device(id) = sender else {
            return refuse(Code::NotForSender, "D5", "devices report for themselves");
        };
        let Some(device) = self.device(id) else {
            return refuse(Code::UnknownSender, "D5", "this device is not known");
        };
        let DevicePlace::Table(table) = device.place else {
            return refuse(Code::NotForSender, "D5", "this device is at no table");
        };
        let (table, rulebook) = self.find_table(table)?;
        if !fits(device.kind, observation) {
            return refuse(Code::NotForSender, "D5", "this kind of device cannot see that");
        }
        if let Observation::Rested { pocket } = observation
            && pocket.get() >= rulebook.outcomes().size()
        {
            return refuse(Code::NotFound, &rulebook.procedure().result_paragraph, "there is no such pocket");
        }
        match observation {
            Observation::Fault { number } => return Ok(self.fault(device, table, observation, number)),
            Observation::Restored => return Ok(vec![observed(device, table, observation, false)]),
            _ => {}
        }
        let Some(round) = &table.round else {
            let meaning = before_round(rulebook, observation, table.ready_for_round(rulebook, at).is_ok());
            return Ok(self.events(device, table, rulebook, observation, meaning));
        };
        // An interrupted round waits for its attestation; reports are kept for the proposal.
        let lost = self.count_lost(table, round, at);
        let shown = round.close_shown() || lost.is_some();
        let meaning = in_round(rulebook, round, observation, shown);
        let events = self.events(device, table, rulebook, observation, meaning);
        Ok(lost.into_iter().chain(events).collect())
    }

    fn fault(&self, device: &Device, table: &Table, observation: Observation, number: u16) -> Vec<Event> {
        let alert = self.alert(0, Some(table.id), AlertKind::DeviceFault(device.id, number));
        [observed(device, table, observation, false)].into_iter().chain(alert).collect()
    }

    fn events(
        &self,
        device: &Device,
        table: &Table,
        rulebook: &Rulebook,
        observation: Observation,
        meaning: Meaning,
    ) -> Vec<Event> {
        let report = |counts| observed(device, table, observation, counts);
        let round = table.round.as_ref();
        match (meaning, round) {
            (Meaning::Begins, None) => {
                vec![Event::RoundBegun { round: self.next_round(), table: table.id, by: None }, report(true)]
            }
            (Meaning::Counts, Some(_)) => vec![report(true)],
            (Meaning::Ground(ground), Some(round)) => {
                let known = round.ground.iter().chain(&round.waiting).any(|open| open.ground == ground);
                let listed = rulebook.ground(ground).filter(|_| !known);
                let raised = listed.map(|listed| Event::GroundRaised {
                    round: round.id,
                    table: table.id,
                    ground,
                    device: device.id,
                    proposed: listed.arises == Arises::Proposed,
                });
                [report(true)].into_iter().chain(raised).collect()
            }
            (Meaning::RestedEarly, Some(round)) => {
                let alert = self.alert(0, Some(table.id), AlertKind::RestedEarly(round.id));
                [report(true)].into_iter().chain(alert).collect()
            }
            (Meaning::Nonsense, _) => {
                let alert = self.alert(0, Some(table.id), AlertKind::DeviceNonsense(device.id));
                [report(false)].into_iter().chain(alert).collect()
            }
            _ => vec![report(false)],
        }
    }
}

fn observed(device: &Device, table: &Table, observation: Observation, counts: bool) -> Event {
    Event::Observed { device: device.id, table: table.id, observation, counts }
}

fn fits(kind: DeviceKind, observation: Observation) -> bool {
    match observation {
        Observation::Activated
        | Observation::Tumbled { .. }
        | Observation::Uncovered
        | Observation::Covered
        | Observation::DiceRead { .. }
        | Observation::NotFlat => kind == DeviceKind::Tumbler,
        Observation::Spun { .. }
        | Observation::Revolved { .. }
        | Observation::Rested { .. }
        | Observation::NoCompartment
        | Observation::FlungOut
        | Observation::WheelStopped => kind == DeviceKind::Wheel,
        Observation::Fault { .. } | Observation::Restored => true,
    }
}

/// A tumble or spin before the round began does not count for it, except where it is what begins the round.
// § rws-sicbo 3.6 · rws-sicbo-open 3.6 · rws-roulette-000 1.10 · mbs-sicbo 3.1 · rws-taisai 3.7
fn before_round(rulebook: &Rulebook, observation: Observation, ready: bool) -> Meaning {
    match observation {
        Observation::Activated if rulebook.procedure().begins == Begins::Activation && ready => Meaning::Begins,
        _ => Meaning::Nothing,
    }
}

/// What a report means for a round in progress. `shown`: every live terminal shows that bets are closed, which is the
/// close that the documents speak of.
fn in_round(rulebook: &Rulebook, round: &Round, observation: Observation, shown: bool) -> Meaning {
    let procedure = rulebook.procedure();
    let closed = round.phase >= Phase::Closed;
    let seen = &round.seen;
    let (covered, minimum) = match procedure.device {
        Mechanism::Tumbler { covered, minimum } => (covered, minimum),
        Mechanism::Wheel { minimum, .. } => (false, minimum),
    };
    let tumbled_in_time = seen.set_off && (procedure.timing != Timing::AfterClose || seen.after_close);
    match observation {
        Observation::Activated => match procedure.timing {
            // § rws-sicbo-open 3.6, 5.3.3
            Timing::AfterClose if !shown => Meaning::Ground(GroundId::ActivatedBeforeClose),
            Timing::BeforeNotice if round.phase != Phase::Begun => Meaning::Nonsense,
            _ if seen.uncovered && covered => Meaning::Nonsense,
            _ => Meaning::Counts,
        },
        // § rws-sicbo 3.6, 5.3.1 · rws-sicbo-open 3.6, 5.3.1 · mbs-sicbo 3.1, 5.1 · rws-taisai 3.7, 5.5.1
        Observation::Tumbled { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Tumbled { times } if times < minimum => Meaning::Ground(GroundId::TooFewTumbles),
        Observation::Tumbled { .. } => Meaning::Counts,
        // Dice that were not tumbled for this round conceal nothing.
        // § rws-sicbo 3.6, 5.3.3 · mbs-sicbo 3.4, 5.2 · rws-taisai 5.5.3
        Observation::Uncovered if !seen.set_off => Meaning::Nothing,
        Observation::Uncovered if !shown && covered => Meaning::Ground(GroundId::ExposedBeforeClose),
        Observation::Uncovered if !shown => Meaning::Nothing,
        // An attestation comes before anything is uncovered that was covered (D6).
        Observation::Uncovered if round.interrupted.is_some() => Meaning::Nothing,
        Observation::Uncovered => Meaning::Counts,
        Observation::Covered => Meaning::Nothing,
        // Readings before the close or under the cover never count.
        // § rws-sicbo 5.1.2 · rws-sicbo-open 5.1.2 · mbs-sicbo 5.8.1 · rws-taisai 5.4.2
        Observation::DiceRead { .. } if closed && tumbled_in_time && (seen.uncovered || !covered) => Meaning::Counts,
        Observation::DiceRead { .. } => Meaning::Nothing,
        // § rws-sicbo 3.7, 5.3.2 · rws-sicbo-open 3.7, 5.3.2 · mbs-sicbo 3.4, 5.3 · rws-taisai 3.8, 5.5.2
        Observation::NotFlat if seen.set_off => Meaning::Ground(GroundId::DieNotFlat),
        Observation::NotFlat => Meaning::Nothing,

        // § rws-roulette-000 1.10, 3.6, 5.3.5, 5.3.6
        Observation::Spun { wheel_rotating: false, .. } => Meaning::Ground(GroundId::WheelNotRotating),
        Observation::Spun { against_rotation: false, .. } => Meaning::Ground(GroundId::SameDirection),
        Observation::Spun { .. } => Meaning::Counts,
        // § rws-roulette-000 1.8, 3.6, 5.3.2
        Observation::Revolved { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Revolved { times } if times < minimum => Meaning::Ground(GroundId::TooFewRevolutions),
        Observation::Revolved { .. } => Meaning::Counts,
        // § rws-roulette-000 1.10, 3.7
        Observation::Rested { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Rested { .. } if closed => Meaning::Counts,
        Observation::Rested { .. } => Meaning::RestedEarly,
        // § rws-roulette-000 5.3.3, 5.3.4, 5.3.9
        Observation::NoCompartment if seen.set_off => Meaning::Ground(GroundId::NoCompartment),
        Observation::FlungOut if seen.set_off => Meaning::Ground(GroundId::FlungOut),
        Observation::WheelStopped if seen.set_off && seen.pocket.is_none() && !seen.rested_early => {
            Meaning::Ground(GroundId::WheelStopped)
        }
        _ => Meaning::Nothing,
    }
}
