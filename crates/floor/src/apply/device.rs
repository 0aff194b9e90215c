//! Devices: second tumbles, service, and faults that a dealer is asked about.

use super::Applied;
use crate::bounds;
use crate::command::*;
use crate::event::*;
use crate::ids::*;
use crate::state::*;

impl Floor {
    pub(super) fn apply_device(&mut self, event: &Event, at: Moment) -> Applied {
        match event {
            Event::SecondTumble { round, table, device } => {
                self.round_mut(*table, *round)?.halt_by_second(*device, at);
            }
            Event::StartedAgain { round, table, .. } => self.round_mut(*table, *round)?.start_again(at),
            Event::FirstOutcomeStands { round, table, outcome, by, witness, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.second = None;
                round.outcome = Some(*outcome);
                round.phase = Phase::Entered;
                round.entered = Some(Entered { by: *by, witness: Some(*witness), met: Need::Contradicts });
            }
            Event::SecondTumbleSetAside { round, table, doubtful, .. } => {
                let round = self.round_mut(*table, *round)?;
                round.second = None;
                // What was set aside is no outcome of this round, whatever is reported after it (D24). Where the first one was
                // not reported to begin and gives no outcome, no one can say which of the two was false: what the wheel read
                // of the spin that it reported is not forgotten.
                if !round.is_vague() {
                    round.later.clear();
                }
                round.doubtful |= *doubtful;
                round.go_on(at);
            }
            Event::ServiceChanged { device, table, function, in_service, by, witness, reason } => {
                let change = ServiceChange { at, by: *by, witness: *witness, reason: reason.clone() };
                self.service_changed(*device, *table, *function, *in_service, change)?;
            }
            Event::DeviceDescribed { device, measures, by, witness } => {
                let Some(device) = self.devices.get_mut(device.index()) else { return self.misfit("no such device") };
                device.measures = Some(*measures);
                // What a device no longer measures is out of service (D19).
                if let (Some(table), Some(by), Some(witness)) = (device.table(), by, witness) {
                    self.remember_serviced(table, None, [*by, *witness], at)?;
                }
            }
            Event::ResultWitnessed { round, table, need, witness, .. } => {
                if let Some(entered) = &mut self.round_mut(*table, *round)?.entered {
                    entered.witness = Some(*witness);
                    entered.met = *need;
                }
            }
            Event::ObservedMeanwhile { round, table, device, observation } => {
                self.dice_seen(*table, *observation)?;
                if let Some(device) =
                    self.devices.get_mut(device.index()).filter(|_| *observation == Observation::Uncovered)
                {
                    device.off = true;
                }
                let round = self.round_mut(*table, *round)?;
                round.has_reported(*device);
                match observation {
                    Observation::Uncovered => {
                        round.seen.bare |= round.seen.running;
                        round.meanwhile.uncovered = true;
                        round.current_mut().exposed = true;
                        round.current_mut().off = true;
                    }
                    Observation::DiceRead { dice } => round.meanwhile.read_dice(*dice),
                    _ => {}
                }
            }
            Event::InterruptionReported { round, table, failed, affects, .. } => {
                let round = self.round_mut(*table, *round)?;
                if round.failed.len() < bounds::FAILED && !round.failed.contains(failed) {
                    round.failed.push(*failed);
                }
                if *affects {
                    round.interrupted.get_or_insert(at);
                }
            }
            Event::FaultAsked { round, table, device, number } => {
                self.round_mut(*table, *round)?.fault = Some((*device, *number));
            }
            Event::FaultAnswered { round, table, .. } => self.round_mut(*table, *round)?.fault = None,
            _ => {}
        }
        Ok(())
    }

    fn service_changed(
        &mut self,
        device: DeviceId,
        table: Option<TableId>,
        function: Function,
        in_service: bool,
        change: ServiceChange,
    ) -> Applied {
        let at = change.at;
        let round = table.and_then(|table| self.table(table)?.round.as_ref().map(|round| round.id));
        if let Some(table) = table {
            self.remember_serviced(table, round, [change.by, change.witness], at)?;
        }
        let Some(device) = self.devices.get_mut(device.index()) else { return self.misfit("no such device") };
        // What it did not report while it was dead is not known: the two people who put it back have looked at its cover.
        if in_service && function == Function::Device {
            device.off = false;
        }
        let service = match function {
            Function::Device => &mut device.service,
            Function::Reading => &mut device.reading,
        };
        // What comes back during a round serves from the next one.
        let not_in = round.filter(|_| in_service && !mutant!("back-in-service-at-once"));
        *service = Service { out: !in_service, not_in, changed: Some(Box::new(change)) };
        Ok(())
    }

    /// Who brought a tumbler or wheel to a table or took it away is remembered like those who changed its service.
    pub(super) fn moved_by_two(
        &mut self,
        table: Option<TableId>,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Applied {
        match (table, by, witness) {
            (Some(table), Some(by), Some(witness)) => self.remember_serviced(table, None, [by, witness], at),
            _ => Ok(()),
        }
    }

    /// Who changed the service of a device is remembered for the gaming day, and for the round however long it lasts.
    pub(super) fn remember_serviced(
        &mut self,
        table: TableId,
        round: Option<RoundId>,
        people: [StaffId; 2],
        at: Moment,
    ) -> Applied {
        let today = self.day_of(at);
        let mut serviced = std::mem::take(&mut self.table_mut(table)?.serviced);
        let holds = |known: &Serviced| self.day_of(known.at) == today || round.is_some() && known.round == round;
        serviced.retain(|known| holds(known) && !people.contains(&known.staff));
        serviced.extend(people.map(|staff| Serviced { staff, round, at }));
        self.table_mut(table)?.serviced = serviced;
        Ok(())
    }
}
