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
            return refuse(Code::NotFound, "3.7", "there is no such pocket");
        }
        match observation {
            Observation::Fault { number } => return Ok(self.fault(device, table, observation, number)),
            Observation::Restored => return Ok(vec![observed(device, table, observation, false)]),
            _ => {}
        }
        let meaning = match &table.round {
            None => before_round(rulebook, observation, table.ready_for_round(at).is_ok()),
            // An interrupted round waits for its attestation; reports are kept for the proposal.
            Some(round) => in_round(rulebook, round, observation),
        };
        Ok(self.events(device, table, rulebook, observation, meaning))
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
                let listed = rulebook.ground(ground).filter(|_| round.ground.is_none());
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
fn before_round(rulebook: &Rulebook, observation: Observation, ready: bool) -> Meaning {
    match observation {
        Observation::Activated if rulebook.procedure().begins == Begins::Activation && ready => Meaning::Begins,
        _ => Meaning::Nothing,
    }
}

fn in_round(rulebook: &Rulebook, round: &Round, observation: Observation) -> Meaning {
    let procedure = rulebook.procedure();
    let closed = round.phase >= Phase::Closed;
    let seen = &round.seen;
    let (covered, minimum) = match procedure.device {
        Mechanism::Tumbler { covered, minimum } => (covered, minimum),
        Mechanism::Wheel { minimum, .. } => (false, minimum),
    };
    match observation {
        Observation::Activated => match procedure.timing {
            Timing::AfterClose if !closed => Meaning::Ground(GroundId::ActivatedBeforeClose),
            Timing::BeforeNotice if round.phase != Phase::Begun => Meaning::Nonsense,
            _ if seen.uncovered && covered => Meaning::Nonsense,
            _ => Meaning::Counts,
        },
        Observation::Tumbled { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Tumbled { times } if times < minimum => Meaning::Ground(GroundId::TooFewTumbles),
        Observation::Tumbled { .. } => Meaning::Counts,
        // Dice that were not tumbled for this round conceal nothing.
        Observation::Uncovered if closed => Meaning::Counts,
        Observation::Uncovered if covered && seen.set_off => Meaning::Ground(GroundId::ExposedBeforeClose),
        Observation::Uncovered | Observation::Covered => Meaning::Nothing,
        // Readings before the close or under the cover never count.
        Observation::DiceRead { .. } if closed && seen.set_off && (seen.uncovered || !covered) => Meaning::Counts,
        Observation::DiceRead { .. } => Meaning::Nothing,
        Observation::NotFlat if seen.set_off => Meaning::Ground(GroundId::DieNotFlat),
        Observation::NotFlat => Meaning::Nothing,

        Observation::Spun { wheel_rotating: false, .. } => Meaning::Ground(GroundId::WheelNotRotating),
        Observation::Spun { against_rotation: false, .. } => Meaning::Ground(GroundId::SameDirection),
        Observation::Spun { .. } => Meaning::Counts,
        Observation::Revolved { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Revolved { times } if times < minimum => Meaning::Ground(GroundId::TooFewRevolutions),
        Observation::Revolved { .. } => Meaning::Counts,
        Observation::Rested { .. } if !seen.set_off => Meaning::Nonsense,
        Observation::Rested { .. } if closed => Meaning::Counts,
        Observation::Rested { .. } => Meaning::RestedEarly,
        Observation::NoCompartment if seen.set_off => Meaning::Ground(GroundId::NoCompartment),
        Observation::FlungOut if seen.set_off => Meaning::Ground(GroundId::FlungOut),
        Observation::WheelStopped if seen.set_off && seen.pocket.is_none() && !seen.rested_early => {
            Meaning::Ground(GroundId::WheelStopped)
        }
        _ => Meaning::Nothing,
    }
}
