//! Results as they stand, for the statistics of a device.

use floor::{DeviceId, Moment, RoundId, TableId};
use rusqlite::params_from_iter;
use serde::Serialize;

use super::filter::Filter;
use super::{Query, get, maybe};
use crate::Error;

/// The results to search for; a missing field matches all. Void rounds have none, corrected ones count as corrected.
#[derive(Clone, Debug, Default)]
pub struct ResultFilter {
    /// Of that table.
    pub table: Option<TableId>,
    /// Of that tumbler or wheel, wherever it stood.
    pub device: Option<DeviceId>,
    /// Begun at that moment or later.
    pub from: Option<Moment>,
    /// Begun before that moment.
    pub to: Option<Moment>,
}

/// The result of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultRecord {
    /// Which round.
    pub round: RoundId,
    /// Where.
    pub table: TableId,
    /// The tumbler or wheel.
    pub device: Option<DeviceId>,
    /// When the round began.
    pub at: Moment,
    /// What it showed, dice in the order entered.
    pub outcome: String,
}

/// How often a result came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeCount {
    /// The game.
    pub game: String,
    /// The result, dice in ascending order.
    pub outcome: String,
    /// How often.
    pub count: u64,
}

impl Query<'_> {
    /// Results in the order of their rounds.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn results(&self, filter: &ResultFilter) -> Result<Vec<ResultRecord>, Error> {
        let mut results = Vec::new();
        self.each_result(filter, |result| results.push(result))?;
        Ok(results)
    }

    /// The same one after the other, for years of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn each_result(&self, filter: &ResultFilter, mut each: impl FnMut(ResultRecord)) -> Result<(), Error> {
        let wanted = wanted(filter);
        let sql = wanted.sql("SELECT round, table_id, device, begun_at, outcome FROM rounds", "ORDER BY round");
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), |row| {
            Ok(ResultRecord {
                round: get(row, "round", RoundId)?,
                table: get(row, "table_id", TableId)?,
                device: maybe(row, "device", DeviceId)?,
                at: get(row, "begun_at", Moment)?,
                outcome: row.get("outcome")?,
            })
        })?;
        for result in found {
            each(result?);
        }
        Ok(())
    }

    /// How often each result came.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn outcome_counts(&self, filter: &ResultFilter) -> Result<Vec<OutcomeCount>, Error> {
        let wanted = wanted(filter);
        let select = "SELECT game, outcome_sorted, count(*) AS count FROM rounds JOIN rulebooks USING (rulebook)";
        let sql = wanted.sql(select, "GROUP BY game, outcome_sorted ORDER BY game, outcome_sorted");
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), |row| {
            Ok(OutcomeCount { game: row.get(0)?, outcome: row.get(1)?, count: row.get(2)? })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn wanted(filter: &ResultFilter) -> Filter {
    Filter::default()
        .always("outcome IS NOT NULL")
        .and("table_id = ?", filter.table.map(|table| i64::from(table.0)))
        .and("device = ?", filter.device.map(|device| i64::from(device.0)))
        .and("begun_at >= ?", filter.from.map(|from| from.0))
        .and("begun_at < ?", filter.to.map(|to| to.0))
}
