//! Past rounds with what proves them, for the floor to recall (D24).

use floor::{RoundId, TableId};
use rulebook::Hash;
use rusqlite::OptionalExtension;

use super::Query;
use crate::Error;

/// A past round as the floor takes it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastRound {
    /// At which table.
    pub table: TableId,
    /// Its number among the past rounds of the table.
    pub leaf: u64,
    /// Which round.
    pub round: RoundId,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The hashes beside its path, from the bottom up.
    pub beside: Vec<Hash>,
    /// What its device read.
    pub read: Vec<u8>,
}

impl Query<'_> {
    /// The table a past round was played at.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn table_of_past(&self, round: RoundId) -> Result<Option<TableId>, Error> {
        let Ok(round) = i64::try_from(round.0) else { return Ok(None) };
        let mut select = self.connection.prepare_cached("SELECT table_id FROM past_rounds WHERE round = ?")?;
        Ok(select.query_row([round], |row| row.get(0)).optional()?.map(TableId))
    }

    /// The settled rounds of a table from one to another, both included, in order; at most as many as one act changes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn settled_between(&self, table: TableId, first: RoundId, last: RoundId) -> Result<Vec<RoundId>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT round FROM rounds WHERE table_id = ? AND round BETWEEN ? AND ? AND status IN ('settled', 'corrected')
             ORDER BY round LIMIT ?",
        )?;
        let most = floor::bounds::RANGE + 1;
        let [first, last] = [first, last].map(|round| i64::try_from(round.0).unwrap_or(i64::MAX));
        let rows = select.query_map((table.0, first, last, most), |row| row.get(0))?;
        Ok(rows.collect::<Result<Vec<u64>, _>>()?.into_iter().map(RoundId).collect())
    }

    /// Past rounds of a table with their proofs. A round that is not among them, or too old to be kept, is left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn past_rounds(&self, table: TableId, rounds: &[RoundId]) -> Result<Vec<PastRound>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT leaf, bytes, read FROM past_rounds WHERE table_id = ? AND round = ? AND bytes NOT NULL",
        )?;
        let mut found = Vec::with_capacity(rounds.len());
        for round in rounds {
            let row = select.query_row((table.0, round.0), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            found.extend(
                row.optional()?.map(|(leaf, bytes, read): (u64, Vec<u8>, Vec<u8>)| (leaf, *round, bytes, read)),
            );
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let mut select =
            self.connection.prepare_cached("SELECT hash FROM past_rounds WHERE table_id = ? ORDER BY leaf")?;
        let hashes = select.query_map([table.0], |row| row.get::<_, [u8; 32]>(0).map(Hash))?;
        let leaves = hashes.collect::<Result<Vec<_>, _>>()?;
        let proved = |(leaf, round, bytes, read)| {
            let beside = floor::proof(&leaves, leaf)?;
            Some(PastRound { table, leaf, round, bytes, beside, read })
        };
        Ok(found.into_iter().filter_map(proved).collect())
    }
}
