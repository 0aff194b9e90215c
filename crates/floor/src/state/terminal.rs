//! Player Terminals and devices.

use crate::answers::Answers;
use crate::command::*;
use crate::event::{Change, Group, LockReason};
use crate::ids::*;
use crate::ledger::Meters;
use crate::state::Stake;
use rulebook::Cents;
use serde::{Deserialize, Serialize};

/// A Player Terminal.
///
/// On a large floor a bet costs what its cache misses cost: everything a bet looks at comes first, in three lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Terminal {
    pub(crate) id: TerminalId,
    pub(crate) table: TableId,
    pub(crate) layout: u8,
    pub(crate) live: bool,
    pub(crate) locked: Option<Box<LockReason>>,
    pub(crate) credit: Cents,
    pub(crate) staked: Cents,
    pub(crate) prepared: Cents,
    pub(crate) stakes: Vec<Stake>,
    pub(crate) answers: Answers,
    pub(crate) visit: Option<VisitId>,
    pub(crate) lost_in_visit: Cents,
    pub(crate) loss_limit: Option<Cents>,
    pub(crate) groups: Vec<Group>,
    pub(crate) meters: Meters,
    pub(crate) drop: Cents,
    pub(crate) acknowledged: Option<RoundId>,
    pub(crate) last_round: Option<RoundId>,
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// A device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Device {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) kind: DeviceKind,
    pub(crate) place: DevicePlace,
    pub(crate) fault: Option<u16>,
    pub(crate) answers: Answers,
    /// What it measures; `None`: what its kind usually does.
    #[serde(skip)]
    pub(crate) measures: Option<Measures>,
    #[serde(skip)]
    pub(crate) service: Service,
    #[serde(skip)]
    pub(crate) reading: Service,
}

/// Whether a device, or its reading of results, is in service, and since when, by whom and why (D19).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// It is out of service.
    pub out: bool,
    /// It came back during this round and serves from the next one.
    pub not_in: Option<RoundId>,
    /// The last change.
    pub changed: Option<Box<ServiceChange>>,
}

/// A change of service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceChange {
    /// When.
    pub at: Moment,
    /// Who.
    pub by: StaffId,
    /// The second person.
    pub witness: StaffId,
    /// Why.
    pub reason: Box<str>,
}

impl Service {
    /// Whether it serves in this round, or between rounds.
    #[must_use]
    pub fn serves(&self, round: Option<RoundId>) -> bool {
        !self.out && (self.not_in.is_none() || self.not_in != round)
    }
}

impl Terminal {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TerminalId {
        self.id
    }

    /// Its table.
    #[must_use]
    pub fn table(&self) -> TableId {
        self.table
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of its layout in its table's rulebook.
    #[must_use]
    pub fn layout(&self) -> u8 {
        self.layout
    }

    /// What can be bet or cashed out.
    #[must_use]
    pub fn credit(&self) -> Cents {
        self.credit
    }

    /// What is put aside for a ticket that is being printed.
    #[must_use]
    pub fn prepared(&self) -> Cents {
        self.prepared
    }

    /// The stakes in the round.
    #[must_use]
    pub fn stakes(&self) -> &[Stake] {
        &self.stakes
    }

    /// Their sum.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// The multi-piece bets in the round.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The meters.
    #[must_use]
    pub fn meters(&self) -> &Meters {
        &self.meters
    }

    /// The visit that goes on.
    #[must_use]
    pub fn visit(&self) -> Option<VisitId> {
        self.visit
    }

    /// Whether its link is up.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The kind of terminal, by its rulebook.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The player's own limit for the visit (S4).
    #[must_use]
    pub fn loss_limit(&self) -> Option<Cents> {
        self.loss_limit
    }

    /// The last round with bets of this terminal.
    #[must_use]
    pub fn last_round(&self) -> Option<RoundId> {
        self.last_round
    }

    /// The last close it has acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> Option<RoundId> {
        self.acknowledged
    }

    /// Why it is locked, if it is.
    #[must_use]
    pub fn locked(&self) -> Option<&LockReason> {
        self.locked.as_deref()
    }

    pub(crate) fn change(&mut self, change: Change) {
        let found = self.stakes.iter().position(|s| s.spot == change.spot && s.group == change.group);
        match found.and_then(|place| self.stakes.get_mut(place).map(|stake| (place, stake))) {
            Some((place, stake)) => {
                stake.amount = Cents::new(stake.amount.get().saturating_add(change.delta.get()));
                if stake.amount == Cents::ZERO {
                    self.stakes.remove(place);
                }
            }
            None => self.stakes.push(Stake { spot: change.spot, group: change.group, amount: change.delta }),
        }
    }
}

impl Device {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> DeviceId {
        self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> DevicePlace {
        self.place
    }

    /// The table it is at.
    #[must_use]
    pub fn table(&self) -> Option<TableId> {
        match self.place {
            DevicePlace::Table(table) => Some(table),
            DevicePlace::Store | DevicePlace::Terminal(_) => None,
        }
    }

    /// What it measures (D19).
    #[must_use]
    pub fn measures(&self) -> Measures {
        self.measures.unwrap_or(Measures::usual(self.kind))
    }

    /// Whether it is in service (D19).
    #[must_use]
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Whether its reading of results is in service (D19).
    #[must_use]
    pub fn reading(&self) -> &Service {
        &self.reading
    }

    /// Its fault, by its number.
    #[must_use]
    pub fn fault(&self) -> Option<u16> {
        self.fault
    }
}
