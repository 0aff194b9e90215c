//! Totals by gaming day and table.

use floor::{Moment, TableId};
use rulebook::Cents;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;

use super::filter::Filter;
use super::{Query, get, maybe};
use crate::{Error, gaming_day};

/// Which totals; what is not said is not asked for.
#[derive(Clone, Debug, Default)]
pub struct TotalsFilter {
    /// Of that table.
    pub table: Option<TableId>,
    /// From that gaming day on, as `2026-03-29`.
    pub from: Option<String>,
    /// Up to that gaming day, itself included.
    pub to: Option<String>,
}

/// What was played, and what the house has of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// The gaming day, if it is one day's.
    pub day: Option<String>,
    /// The table, if it is one table's.
    pub table: Option<TableId>,
    /// Rounds settled; those voided later are taken off on the day of the void.
    pub settled: i64,
    /// Rounds void.
    pub void: i64,
    /// Results put right after settlement.
    pub corrected: i64,
    /// What was bet in settled rounds; at a live table what was at risk.
    pub turnover: Cents,
    /// What the house has won, corrections included.
    pub win: Cents,
    /// What of it comes from corrections and voids after settlement.
    pub corrections: Cents,
    /// What decisions of the Shift Manager have brought; below zero if they cost.
    pub decisions: Cents,
}

const SUMS: &str = "sum(settled) AS settled, sum(void) AS void, sum(corrected) AS corrected,
    sum(turnover) AS turnover, sum(win) AS win, sum(corrections) AS corrections, sum(decisions) AS decisions";

impl Query<'_> {
    /// Totals of each table on each gaming day.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn table_days(&self, filter: &TotalsFilter) -> Result<Vec<Totals>, Error> {
        self.totals(filter, "day, table_id", "day, table_id")
    }

    /// Totals of each gaming day, over all tables asked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn days(&self, filter: &TotalsFilter) -> Result<Vec<Totals>, Error> {
        self.totals(filter, "day, NULL AS table_id", "day")
    }

    /// Totals of each table, over all gaming days asked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tables(&self, filter: &TotalsFilter) -> Result<Vec<Totals>, Error> {
        self.totals(filter, "NULL AS day, table_id", "table_id")
    }

    /// The gaming day of a moment on this floor.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn gaming_day(&self, at: Moment) -> Result<String, Error> {
        let mut select = self.connection.prepare_cached("SELECT day_starts FROM meta")?;
        Ok(gaming_day(at, select.query_row([], |row| row.get(0))?))
    }

    fn totals(&self, filter: &TotalsFilter, columns: &str, group: &str) -> Result<Vec<Totals>, Error> {
        let wanted = Filter::default()
            .and("table_id = ?", filter.table.map(|table| i64::from(table.0)))
            .and("day >= ?", filter.from.clone())
            .and("day <= ?", filter.to.clone());
        let select = format!("SELECT {columns}, {SUMS} FROM day_totals");
        let sql = wanted.sql(&select, &format!("GROUP BY {group} ORDER BY {group}"));
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), totals)?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn totals(row: &Row<'_>) -> Result<Totals, rusqlite::Error> {
    Ok(Totals {
        day: row.get("day")?,
        table: maybe(row, "table_id", TableId)?,
        settled: row.get("settled")?,
        void: row.get("void")?,
        corrected: row.get("corrected")?,
        turnover: get(row, "turnover", Cents::new)?,
        win: get(row, "win", Cents::new)?,
        corrections: get(row, "corrections", Cents::new)?,
        decisions: get(row, "decisions", Cents::new)?,
    })
}
