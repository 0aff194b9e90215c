//! Money transactions (S7, S13).

use floor::{Moment, RoundId, ShiftId, StaffId, TableId, TerminalId, TicketId, VisitId};
use rulebook::Cents;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;

use super::filter::{self, Filter};
use super::{Page, Query, get, maybe};
use crate::Error;

/// A movement of money. Wagers are summed by terminal and round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoneyRecord {
    /// The event that moved it; of a sum the one that ended the round.
    pub sequence: u64,
    /// When.
    pub at: Moment,
    /// Why: `cash-in`, `wager`, `win` …
    pub cause: String,
    /// How much.
    pub amount: Cents,
    /// From which account: `credit/3`, `house-win/0` …
    pub from: String,
    /// To which account.
    pub to: String,
    /// The terminal it is about.
    pub terminal: Option<TerminalId>,
    /// The cashier's shift.
    pub shift: Option<ShiftId>,
    /// The table.
    pub table: Option<TableId>,
    /// The round.
    pub round: Option<RoundId>,
    /// The ticket, by its id.
    pub ticket: Option<TicketId>,
    /// Who moved it by hand.
    pub staff: Option<StaffId>,
    /// The visit whose credit moved.
    pub visit: Option<VisitId>,
}

/// Which movements; what is not said is not asked for.
#[derive(Clone, Debug, Default)]
pub struct MoneyFilter {
    /// At that terminal.
    pub terminal: Option<TerminalId>,
    /// Of that ticket, by its id.
    pub ticket: Option<TicketId>,
    /// Of exactly that amount.
    pub amount: Option<Cents>,
    /// At that moment or later.
    pub from: Option<Moment>,
    /// Before that moment.
    pub to: Option<Moment>,
    /// Older than that movement: the `next` of the page before.
    pub before: Option<u64>,
    /// How many at most; 50 by default, never more than 1,000.
    pub limit: Option<u32>,
}

/// What went into and out of a terminal's credit for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseTotal {
    /// Why.
    pub cause: String,
    /// How many movements.
    pub count: u64,
    /// To the credit.
    pub into: Cents,
    /// Off the credit.
    pub out_of: Cents,
}

impl Query<'_> {
    /// Movements of money, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn money(&self, filter: &MoneyFilter) -> Result<Page<MoneyRecord>, Error> {
        let snapshot = self.snapshot()?;
        let page = filter::page(filter.limit);
        let wanted = Filter::default()
            .and("terminal = ?", filter.terminal.map(|terminal| i64::from(terminal.0)))
            .and("ticket = ?", filter.ticket.map(|ticket| filter::number(ticket.0)))
            .and("amount = ?", filter.amount.map(Cents::get))
            .and("at >= ?", filter.from.map(|from| from.0))
            .and("at < ?", filter.to.map(|to| to.0))
            .and("number < ?", filter.before.map(filter::number));
        let sql = wanted.sql("SELECT * FROM money", &format!("ORDER BY number DESC {}", filter::limit(page)));
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), |row| Ok((row.get("number")?, money(row)?)))?;
        let mut rows: Vec<(u64, MoneyRecord)> = found.collect::<Result<_, _>>()?;
        let next = filter::cut(&mut rows, page, |(number, _)| *number);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        let answer = Page { sequence: self.sequence()?, rows, next };
        drop(snapshot);
        Ok(answer)
    }

    /// The last money transactions of a terminal, newest first. S13 asks for 35.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_money(&self, terminal: TerminalId, limit: u32) -> Result<Vec<MoneyRecord>, Error> {
        let sql = "SELECT * FROM money WHERE terminal = ? ORDER BY number DESC LIMIT ?";
        let mut select = self.connection.prepare_cached(sql)?;
        let found = select.query_map((terminal.0, limit), money)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The last money transactions of a visit, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn visit_money(&self, visit: VisitId, limit: u32) -> Result<Vec<MoneyRecord>, Error> {
        let sql = "SELECT * FROM money WHERE visit = ? ORDER BY number DESC LIMIT ?";
        let mut select = self.connection.prepare_cached(sql)?;
        let found = select.query_map((visit.0, limit), money)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// When a visit began; `None` if no money of it has moved.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn visit_began(&self, visit: VisitId) -> Result<Option<Moment>, Error> {
        let mut select = self.connection.prepare_cached("SELECT min(at) AS at FROM money WHERE visit = ?")?;
        Ok(select.query_row([visit.0], |row| maybe(row, "at", Moment))?)
    }

    /// The money transactions of a cashier's shift, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn shift_money(&self, shift: ShiftId) -> Result<Vec<MoneyRecord>, Error> {
        let mut select = self.connection.prepare_cached("SELECT * FROM money WHERE shift = ? ORDER BY number")?;
        let found = select.query_map([shift.0], money)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// What went into and out of a terminal's credit from one moment to another, by cause.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn terminal_totals(&self, terminal: TerminalId, from: Moment, to: Moment) -> Result<Vec<CauseTotal>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT cause, count(*) AS count, sum(iif(target = ?4, amount, 0)) AS into_credit,
             sum(iif(source = ?4, amount, 0)) AS out_of_credit FROM money
             WHERE terminal = ?1 AND at >= ?2 AND at < ?3 AND ?4 IN (source, target) GROUP BY cause ORDER BY cause",
        )?;
        let credit = crate::account::account(floor::Account::Credit(terminal));
        let found = select.query_map((terminal.0, from.0, to.0, credit), |row| {
            Ok(CauseTotal {
                cause: row.get("cause")?,
                count: row.get("count")?,
                into: get(row, "into_credit", Cents::new)?,
                out_of: get(row, "out_of_credit", Cents::new)?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn money(row: &Row<'_>) -> Result<MoneyRecord, rusqlite::Error> {
    Ok(MoneyRecord {
        sequence: row.get("sequence")?,
        at: get(row, "at", Moment)?,
        cause: row.get("cause")?,
        amount: get(row, "amount", Cents::new)?,
        from: row.get("source")?,
        to: row.get("target")?,
        terminal: maybe(row, "terminal", TerminalId)?,
        shift: maybe(row, "shift", ShiftId)?,
        table: maybe(row, "table_id", TableId)?,
        round: maybe(row, "round", RoundId)?,
        ticket: maybe(row, "ticket", TicketId)?,
        staff: maybe(row, "staff", StaffId)?,
        visit: maybe(row, "visit", VisitId)?,
    })
}
