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
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[repr(C, align(64))]
pub struct Terminal {
    #[n(0)]
    pub(crate) id: TerminalId,
    #[n(1)]
    pub(crate) table: TableId,
    #[n(2)]
    pub(crate) layout: u8,
    #[n(3)]
    pub(crate) live: bool,
    #[n(4)]
    pub(crate) locked: Option<Box<LockReason>>,
    #[n(5)]
    pub(crate) credit: Cents,
    #[n(6)]
    pub(crate) staked: Cents,
    #[n(7)]
    pub(crate) prepared: Cents,
    #[n(8)]
    pub(crate) stakes: Vec<Stake>,
    #[n(9)]
    pub(crate) answers: Answers,
    #[n(10)]
    pub(crate) visit: Option<VisitId>,
    #[n(11)]
    pub(crate) lost_in_visit: Cents,
    #[n(12)]
    pub(crate) loss_limit: Option<Cents>,
    #[n(13)]
    pub(crate) groups: Vec<Group>,
    #[n(14)]
    pub(crate) meters: Meters,
    #[n(15)]
    pub(crate) drop: Cents,
    #[n(16)]
    pub(crate) acknowledged: Option<RoundId>,
    #[n(17)]
    pub(crate) last_round: Option<RoundId>,
    #[n(18)]
    pub(crate) name: String,
    #[n(19)]
    pub(crate) kind: String,
    /// The last round for which it counts as lost: it is no longer awaited there and has not acknowledged the close (D12).
    #[n(24)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) lost_in: Option<RoundId>,
    /// The tables the player may choose from, its own among them; none: only its own (D29).
    #[n(25)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) choices: Vec<TableId>,
    /// When the pit last acknowledged that an attendant is called here; none while a call waits.
    #[n(26)]
    #[serde(skip)]
    pub(crate) attended: Option<Moment>,
}

/// A device.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Device {
    #[n(0)]
    pub(crate) id: DeviceId,
    #[n(1)]
    pub(crate) name: String,
    #[n(2)]
    pub(crate) kind: DeviceKind,
    #[n(3)]
    pub(crate) place: DevicePlace,
    #[n(4)]
    pub(crate) fault: Option<u16>,
    #[n(5)]
    pub(crate) answers: Answers,
    /// What it measures; `None`: what its kind usually does.
    #[n(6)]
    #[serde(skip)]
    pub(crate) measures: Option<Measures>,
    #[n(7)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) service: Service,
    #[n(8)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) reading: Service,
    /// The cover is off, by the last report, of any round.
    #[n(9)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) off: bool,
}

/// Whether a device, or its reading of results, is in service, and since when, by whom and why (D19).
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Service {
    /// It is out of service.
    #[n(0)]
    pub out: bool,
    /// It came back during this round and serves from the next one.
    #[n(1)]
    pub not_in: Option<RoundId>,
    /// The last change.
    #[n(2)]
    pub changed: Option<Box<ServiceChange>>,
}

/// A change of service.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ServiceChange {
    /// When.
    #[n(0)]
    pub at: Moment,
    /// Who.
    #[n(1)]
    pub by: StaffId,
    /// The second person.
    #[n(2)]
    pub witness: StaffId,
    /// Why.
    #[n(3)]
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
    /// What the visit has lost so far; below zero if it has won.
    #[must_use]
    pub fn lost(&self) -> Cents {
        self.lost_in_visit
    }

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

    /// When the pit said that an attendant comes.
    #[must_use]
    pub fn attended(&self) -> Option<Moment> {
        self.attended
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

    /// The last close it has acknowledged. A close for which it counts as lost is none (D12).
    #[must_use]
    pub fn acknowledged(&self) -> Option<RoundId> {
        self.acknowledged.filter(|_| self.acknowledged != self.lost_in)
    }

    /// The last round for which it counts as lost, because it had not acknowledged the close in time (D12).
    #[must_use]
    pub fn lost_in(&self) -> Option<RoundId> {
        self.lost_in
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
        self.place.table()
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

    /// Whether the cover is off, as it reported last.
    #[must_use]
    pub fn is_uncovered(&self) -> bool {
        self.off
    }

    /// Its fault, by its number.
    #[must_use]
    pub fn fault(&self) -> Option<u16> {
        self.fault
    }
}
