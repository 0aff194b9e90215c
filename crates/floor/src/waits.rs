//! What a round waits for, so that the console says so and what to do.

use rulebook::{Affirmed, GroundId, OutcomeIndex, Timing};

use crate::event::Need;
use crate::ids::*;
use crate::service::covered;
use crate::state::{Floor, Phase};

/// What stands between a round and its next step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The dealer attests what an interruption did, with a Pit Supervisor (D6).
    Attestation,
    /// The dealer confirms the ground a device reported, or it is set aside (D5).
    Ground,
    /// A second tumble or spin: the dealer and a Pit Supervisor end the round with the first outcome; where there is none,
    /// the Shift Manager decides (D18).
    SecondTumble(Option<OutcomeIndex>),
    /// The dealer says whether a device fault affects the round (D21).
    Fault(DeviceId, u16),
    /// The ball came to rest before the close: the Shift Manager decides (D4).
    EarlyBall,
    /// So many terminals have not yet shown the close (D12).
    Terminals(u32),
    /// So many terminals are not back after a stoppage (D6).
    Returning(usize),
    /// The device is running.
    Running(DeviceId),
    /// The dice of a lawful tumble lie under the cover, and are to be uncovered.
    Covered(DeviceId),
    /// The device in service has reported no lawful tumble or spin (D19).
    Silent(DeviceId),
    /// The result that is entered needs a second person (D19).
    SecondPerson(Need),
}

impl Wait {
    /// The device in service whose report the round waits for. Where none comes, it holds up the round (D19).
    #[must_use]
    pub const fn holding(self) -> Option<DeviceId> {
        match self {
            Wait::Running(device) | Wait::Covered(device) | Wait::Silent(device) => Some(device),
            _ => None,
        }
    }
}

impl Floor {
    /// What the round of a table waits for before its next step.
    #[must_use]
    pub fn waits_for(&self, table: TableId, at: Moment) -> Option<Wait> {
        let (found, rulebook) = self.find_table(table).ok()?;
        let round = found.round.as_ref()?;
        if round.interrupted.is_some() {
            return Some(Wait::Attestation);
        }
        if round.ground.is_some() {
            return Some(Wait::Ground);
        }
        if let Some((device, number)) = round.fault {
            return Some(Wait::Fault(device, number));
        }
        if round.second.is_some() {
            return Some(Wait::SecondTumble(self.first_outcome(table)));
        }
        if round.rested_early() {
            return Some(Wait::EarlyBall);
        }
        if round.phase >= Phase::Closed && round.awaiting > 0 {
            return Some(Wait::Terminals(round.awaiting));
        }
        if round.phase >= Phase::Closed && round.not_yet_back() > 0 {
            return Some(Wait::Returning(round.not_yet_back()));
        }
        let needs_tumble = match round.phase {
            Phase::Begun => rulebook.procedure().timing == Timing::BeforeNotice,
            Phase::Closed => true,
            Phase::Open | Phase::Entered => false,
        };
        let device = self.serving(found).filter(|_| needs_tumble && self.lawful(found, rulebook, round).is_err());
        if let Some(device) = device {
            return Some(match round.seen.running {
                true => Wait::Running(device.id),
                false if covered(rulebook, device, round) => Wait::Covered(device.id),
                false => Wait::Silent(device.id),
            });
        }
        let need = self.entered_need(table, at);
        (need != Need::Nothing).then_some(Wait::SecondPerson(need))
    }

    /// The need of a second person that the result entered has not met yet.
    #[must_use]
    pub fn entered_need(&self, table: TableId, at: Moment) -> Need {
        let unmet = || {
            let (found, rulebook) = self.find_table(table).ok()?;
            let round = found.round.as_ref()?;
            let entered = round.entered?;
            let need = self.need(found, rulebook, round, round.outcome?, entered.by, at);
            (need > entered.met).then_some(need)
        };
        unmet().unwrap_or_default()
    }

    /// Whether declaring this ground now takes a Pit Supervisor as second person (D23).
    #[must_use]
    pub fn declaring_takes_two(&self, table: TableId, ground: GroundId, at: Moment) -> bool {
        let Ok((found, rulebook)) = self.find_table(table) else { return false };
        found.round.as_ref().is_some_and(|round| {
            self.visible(found, rulebook, round, at) || self.against_device(found, rulebook, round, ground)
        })
    }

    /// The step with which the dealer affirms next.
    #[must_use]
    pub fn affirms_next(&self, table: TableId) -> Option<Affirmed> {
        match self.table(table)?.round.as_ref()?.phase {
            Phase::Begun => Some(Affirmed::Notice),
            Phase::Open => None,
            Phase::Closed | Phase::Entered => Some(Affirmed::Result),
        }
    }
}
