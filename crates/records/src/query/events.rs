//! Significant events (S14) and alerts (S19).

use floor::{AlertId, DeviceId, Moment, RoundId, StaffId, TableId, TerminalId};
use rusqlite::{Row, params_from_iter};
use serde::Serialize;

use super::filter::{self, Filter};
use super::{Page, Query, get, maybe};
use crate::{Error, Kind};

/// Which events; what is not said is not asked for.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Of that kind.
    pub kind: Option<Kind>,
    /// With that code.
    pub code: Option<String>,
    /// About that table.
    pub table: Option<TableId>,
    /// About that terminal.
    pub terminal: Option<TerminalId>,
    /// About that device.
    pub device: Option<DeviceId>,
    /// At that moment or later.
    pub from: Option<Moment>,
    /// Before that moment.
    pub to: Option<Moment>,
    /// Older than that event: the `next` of the page before.
    pub before: Option<u64>,
    /// How many at most; 50 by default, never more than 1,000.
    pub limit: Option<u32>,
}

/// A significant event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventRecord {
    /// Its number in the log.
    pub sequence: u64,
    /// When.
    pub at: Moment,
    /// Of which kind.
    pub kind: Kind,
    /// What, in a word that does not change.
    pub code: String,
    /// The table it is about.
    pub table: Option<TableId>,
    /// The round during which it happened.
    pub round: Option<RoundId>,
    /// The terminal it is about.
    pub terminal: Option<TerminalId>,
    /// The device it is about.
    pub device: Option<DeviceId>,
    /// Who did it.
    pub staff: Option<StaffId>,
    /// What, in words.
    pub words: String,
}

/// An alert at the pit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertRecord {
    /// Which.
    pub alert: AlertId,
    /// When it was raised.
    pub at: Moment,
    /// What, in a word that does not change.
    pub code: String,
    /// The table it is about.
    pub table: Option<TableId>,
    /// What, in words.
    pub words: String,
    /// When it was acknowledged.
    pub acknowledged_at: Option<Moment>,
    /// By whom.
    pub acknowledged_by: Option<StaffId>,
}

impl Query<'_> {
    /// Significant events, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn significant(&self, filter: &EventFilter) -> Result<Page<EventRecord>, Error> {
        let snapshot = self.snapshot()?;
        let page = filter::page(filter.limit);
        let wanted = Filter::default()
            .always("kind IS NOT NULL")
            .and("kind = ?", filter.kind.map(|kind| kind.as_str().to_owned()))
            .and("code = ?", filter.code.clone())
            .and("table_id = ?", filter.table.map(|table| i64::from(table.0)))
            .and("terminal = ?", filter.terminal.map(|terminal| i64::from(terminal.0)))
            .and("device = ?", filter.device.map(|device| i64::from(device.0)))
            .and("at >= ?", filter.from.map(|from| from.0))
            .and("at < ?", filter.to.map(|to| to.0))
            .and("sequence < ?", filter.before.map(filter::number));
        let sql = wanted.sql("SELECT * FROM events", &format!("ORDER BY sequence DESC {}", filter::limit(page)));
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), event)?;
        let mut rows: Vec<EventRecord> = found.collect::<Result<_, _>>()?;
        let next = filter::cut(&mut rows, page, |row| row.sequence);
        let answer = Page { sequence: self.sequence()?, rows, next };
        drop(snapshot);
        Ok(answer)
    }

    /// Alerts, newest first; optionally only unacknowledged ones.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn alerts(&self, open_only: bool, before: Option<u64>, limit: Option<u32>) -> Result<Page<AlertRecord>, Error> {
        let snapshot = self.snapshot()?;
        let page = filter::page(limit);
        let mut wanted = Filter::default().and("alert < ?", before.map(filter::number));
        if open_only {
            wanted = wanted.always("acknowledged_at IS NULL");
        }
        let sql = wanted.sql("SELECT * FROM alerts", &format!("ORDER BY alert DESC {}", filter::limit(page)));
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), alert)?;
        let mut rows: Vec<AlertRecord> = found.collect::<Result<_, _>>()?;
        let next = filter::cut(&mut rows, page, |row| row.alert.0);
        let answer = Page { sequence: self.sequence()?, rows, next };
        drop(snapshot);
        Ok(answer)
    }
}

fn event(row: &Row<'_>) -> Result<EventRecord, rusqlite::Error> {
    let kind: String = row.get("kind")?;
    let kind =
        Kind::parse(&kind).ok_or_else(|| rusqlite::Error::InvalidColumnType(2, kind, rusqlite::types::Type::Text))?;
    Ok(EventRecord {
        sequence: row.get("sequence")?,
        at: get(row, "at", Moment)?,
        kind,
        code: row.get("code")?,
        table: maybe(row, "table_id", TableId)?,
        round: maybe(row, "round", RoundId)?,
        terminal: maybe(row, "terminal", TerminalId)?,
        device: maybe(row, "device", DeviceId)?,
        staff: maybe(row, "staff", StaffId)?,
        words: row.get("words")?,
    })
}

fn alert(row: &Row<'_>) -> Result<AlertRecord, rusqlite::Error> {
    Ok(AlertRecord {
        alert: get(row, "alert", AlertId)?,
        at: get(row, "at", Moment)?,
        code: row.get("code")?,
        table: maybe(row, "table_id", TableId)?,
        words: row.get("words")?,
        acknowledged_at: maybe(row, "acknowledged_at", Moment)?,
        acknowledged_by: maybe(row, "acknowledged_by", StaffId)?,
    })
}
