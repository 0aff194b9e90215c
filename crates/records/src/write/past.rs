//! Rounds that leave a table's list of recent ones: their bytes and hashes, from which the host recalls them (D24).

use floor::{ArchivedRound, Event, RoundId, TableId};
use rusqlite::params;

use super::Writer;
use crate::{Error, describe};

/// A round that leaves the list when an event is applied, with its number among the past rounds of its table.
pub(super) struct Leaving {
    table: TableId,
    leaf: u64,
    bytes: Vec<u8>,
    read: Vec<u8>,
    round: RoundId,
    ended_at: i64,
}

impl Writer<'_> {
    /// The round that leaves when this event ends another one.
    pub(super) fn leaving(&self, event: &Event) -> Option<Leaving> {
        let found = self.state.floor.leaves_at(event)?;
        let (table, round) = (found.id(), found.leaving()?);
        let (leaf, read, ended_at) = (found.past_rounds(), found.leaving_read(), round.ended_at().0);
        Some(Leaving { table, leaf, bytes: round.to_bytes(), read, round: round.id(), ended_at })
    }

    pub(super) fn left(&self, left: Leaving) -> Result<(), Error> {
        let Leaving { table, leaf, bytes, read, round, ended_at } = left;
        let hash = floor::leaf(&bytes);
        self.connection
            .prepare_cached(
                "INSERT INTO past_rounds (table_id, leaf, round, ended_at, hash, bytes, read) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![table.0, leaf, round.0, ended_at, hash.0.as_slice(), bytes, read])?;
        Ok(())
    }

    /// A past round that was recalled and changed: the latest version is the one to recall.
    pub(super) fn past_changed(&self, event: &Event) -> Result<(), Error> {
        let (Event::RoundCorrected { round, table, .. }
        | Event::Recovered { round: Some(round), table, .. }
        | Event::SettledRoundVoided { round, table, .. }
        | Event::ChipsCorrected { round, table, .. }
        | Event::RecordCorrected { round, table, .. }) = event
        else {
            return Ok(());
        };
        let recalled =
            self.state.floor.table(*table).is_some_and(|table| table.recalled().any(|(_, r)| r.id() == *round));
        let Some(archived) = describe::archived(&self.state.floor, *table, *round).filter(|_| recalled) else {
            return Ok(());
        };
        let bytes = ArchivedRound::to_bytes(archived);
        self.connection
            .prepare_cached("UPDATE past_rounds SET hash = ?1, bytes = ?2 WHERE table_id = ?3 AND round = ?4")?
            .execute(params![floor::leaf(&bytes).0.as_slice(), bytes, table.0, round.0])?;
        Ok(())
    }
}
