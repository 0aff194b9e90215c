//! Past rounds as the host keeps them: out of the journal, with what proves them (D24).

use std::collections::BTreeMap;

use floor::{Body, Event, Floor, Table, TableId, leaf, proof};
use rulebook::Hash;

/// The bytes of every round that has left a table's list of recent ones, in that order.
#[derive(Default)]
pub(crate) struct Kept {
    tables: BTreeMap<TableId, Vec<Left>>,
}

/// A round that has left, and what its device read.
pub(crate) struct Left {
    bytes: Vec<u8>,
    read: Vec<u8>,
}

impl Kept {
    /// What leaves a table's list of recent rounds if the next event ends one.
    pub fn leaving(floor: &Floor) -> Vec<(TableId, u64, Left)> {
        let leaving = |table: &Table| {
            let left = Left { bytes: table.leaving()?.to_bytes(), read: table.leaving_read() };
            Some((table.id(), table.past_rounds(), left))
        };
        floor.tables().iter().filter_map(leaving).collect()
    }

    /// Keeps what has left, and the latest version of what was recalled and changed.
    pub fn keep(&mut self, floor: &Floor, leaving: Vec<(TableId, u64, Left)>, event: &Event) {
        for (id, before, left) in leaving {
            if floor.table(id).is_some_and(|table| table.past_rounds() > before) {
                self.tables.entry(id).or_default().push(left);
            }
        }
        let table = match event {
            Event::RoundCorrected { table, .. }
            | Event::SettledRoundVoided { table, .. }
            | Event::ChipsCorrected { table, .. }
            | Event::RecordCorrected { table, .. } => *table,
            _ => return,
        };
        let Some(kept) = self.tables.get_mut(&table) else { return };
        for (place, round) in floor.table(table).iter().flat_map(|table| table.recalled()) {
            if let Some(left) = usize::try_from(place).ok().and_then(|place| kept.get_mut(place)) {
                left.bytes = round.to_bytes();
            }
        }
    }

    /// How many rounds of a table are kept.
    pub fn count(&self, table: TableId) -> usize {
        self.tables.get(&table).map_or(0, Vec::len)
    }

    /// The command that recalls one of them.
    pub fn recall(&self, table: TableId, place: usize) -> Option<Body> {
        let kept = self.tables.get(&table)?;
        let leaves: Vec<Hash> = kept.iter().map(|left| leaf(&left.bytes)).collect();
        let number = u64::try_from(place).ok()?;
        let beside = proof(&leaves, number)?;
        let Left { bytes, read } = kept.get(place)?;
        Some(Body::RecallRound { table, leaf: number, bytes: bytes.clone(), beside, read: read.clone() })
    }
}
