//! Who moved what alone, what the audit of people found, and large cash (D27).

use paper::{Column, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, count};
use super::{At, NoReport, Period, UpTo, subtitles};
use crate::Error;
use crate::query::Query;

/// What one person moved in the time of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MovedRow {
    /// Who.
    pub staff: u32,
    /// The name.
    pub name: String,
    /// By which act.
    pub act: String,
    /// How many times without a second person.
    pub alone_count: u64,
    /// How much without a second person.
    pub alone: Amount,
    /// How many times with one.
    pub signed_count: u64,
    /// How much with one.
    pub signed: Amount,
}

/// What the audit of people found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FindingRow {
    /// The record.
    pub sequence: u64,
    /// When.
    pub at: At,
    /// What it is, in a word that does not change.
    pub code: String,
    /// Who did it: the name, and the number that tells two of one name apart.
    pub name: Option<String>,
    /// In words.
    pub words: String,
}

/// The cash of a visit that is reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CashRow {
    /// The gaming day.
    pub day: String,
    /// The visit.
    pub visit: u64,
    /// The terminal.
    pub terminal: u32,
    /// Notes put in.
    pub notes_in: Amount,
    /// Tickets put in.
    pub tickets_in: Amount,
    /// Put in by attendants.
    pub attendant_in: Amount,
    /// Tickets printed.
    pub tickets_out: Amount,
    /// Paid by hand.
    pub hand_pays: Amount,
}

/// The cash of a gaming day at one place that is reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayCashRow {
    /// The gaming day.
    pub day: String,
    /// The terminal, with all visits of the day together; none at the cage.
    pub terminal: Option<u32>,
    /// The cashier, or the person who paid by hand; none at a terminal or table.
    pub staff: Option<String>,
    /// The live table.
    pub table: Option<u32>,
    /// Cash and tickets in; at the cage tickets sold; at a live table chips sold for cash.
    pub cash_in: Amount,
    /// Tickets and hand pays out; at the cage tickets redeemed, and corrections and expired tickets paid; at a live table chips
    /// taken back.
    pub cash_out: Amount,
}

/// A ticket that was in doubt at the end of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DoubtRow {
    /// Its id; not its number.
    pub ticket: u64,
    /// The terminal.
    pub terminal: Option<u32>,
    /// How much.
    pub amount: Amount,
    /// Since when.
    pub since: At,
}

/// A tumbler, a wheel or its reading that was out of service in the time of the report (D19).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutOfServiceRow {
    /// The device.
    pub device: u16,
    /// Its name.
    pub name: String,
    /// What is out of service: `device` or `reading`.
    pub function: String,
    /// The table at which it stood.
    pub table: Option<u16>,
    /// Since when.
    pub since: At,
    /// Who took it out of service.
    pub by: String,
    /// The second person.
    pub second: String,
    /// Why.
    pub reason: String,
    /// When it came back; `null`: it was out of service at the end of the report.
    pub back: Option<At>,
    /// Who put it back.
    pub back_by: Option<String>,
    /// The second person for that.
    pub back_second: Option<String>,
}

/// People and money of a gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PeopleReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which days.
    pub period: Period,
    /// Who moved what alone, and with a second person.
    pub moved: Vec<MovedRow>,
    /// What deserves a second look.
    pub findings: Vec<FindingRow>,
    /// Tickets in doubt now.
    pub in_doubt: Vec<DoubtRow>,
    /// Tumblers, wheels and readings that were out of service.
    pub out_of_service: Vec<OutOfServiceRow>,
    /// The amount from which cash is reported.
    pub large_cash: Amount,
    /// Visits with cash of that amount, by gaming day.
    pub cash: Vec<CashRow>,
    /// Terminals and people with cash of that amount in one gaming day, for any number of players.
    pub cash_by_day: Vec<DayCashRow>,
}

impl Query<'_> {
    /// People and money of a gaming day, of the last if none is named.
    ///
    /// # Errors
    /// When there is no such day, or the database cannot be read.
    pub fn people_report(&self, day: Option<&str>, journal: Option<u64>) -> Result<PeopleReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(day, None)?;
        let large =
            self.connection.query_row("SELECT large_cash FROM meta", [], |row| row.get(0)).map_err(Error::from)?;
        let report = PeopleReport {
            up_to: self.up_to(journal)?,
            moved: self.moved(&period)?,
            findings: self.findings(&period)?,
            in_doubt: self.in_doubt()?,
            out_of_service: self.out_of_service(&period)?,
            large_cash: Amount(large),
            cash: self.large_cash(&period, large)?,
            cash_by_day: self.large_cash_by_day(&period, large)?,
            period,
        };
        drop(snapshot);
        Ok(report)
    }

    fn moved(&self, period: &Period) -> Result<Vec<MovedRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT staff, ifnull(name, 'staff ' || staff), act,
                    sum(second IS NULL), sum(iif(second IS NULL, amount, 0)),
                    sum(second IS NOT NULL), sum(iif(second IS NULL, 0, amount))
             FROM moved LEFT JOIN staff USING (staff) WHERE at >= ? AND at < ? GROUP BY staff, act ORDER BY staff, act",
        )?;
        let rows = select.query_map((period.from.0.0, period.to.0.0), |row| {
            Ok(MovedRow {
                staff: row.get(0)?,
                name: row.get(1)?,
                act: row.get(2)?,
                alone_count: row.get(3)?,
                alone: Amount(row.get(4)?),
                signed_count: row.get(5)?,
                signed: Amount(row.get(6)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What the audit of people found.
    pub(super) fn findings(&self, period: &Period) -> Result<Vec<FindingRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT sequence, at, code, ifnull(name || ' (staff ' || staff || ')', 'staff ' || staff), words
             FROM findings LEFT JOIN staff USING (staff)
             WHERE at >= ? AND at < ? ORDER BY sequence, number",
        )?;
        let rows = select.query_map((period.from.0.0, period.to.0.0), |row| {
            Ok(FindingRow {
                sequence: row.get(0)?,
                at: At(floor::Moment(row.get(1)?)),
                code: row.get(2)?,
                name: row.get(3)?,
                words: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The tickets in doubt.
    pub(super) fn in_doubt(&self) -> Result<Vec<DoubtRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT ticket, terminal, amount, prepared_at FROM tickets WHERE state = 'prepared' ORDER BY ticket",
        )?;
        let rows = select.query_map([], |row| {
            Ok(DoubtRow {
                ticket: row.get(0)?,
                terminal: row.get(1)?,
                amount: Amount(row.get(2)?),
                since: At(floor::Moment(row.get(3)?)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was out of service at some time of the period, in the order in which it was taken out.
    pub(super) fn out_of_service(&self, period: &Period) -> Result<Vec<OutOfServiceRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "WITH named AS (SELECT staff, name || ' (staff ' || staff || ')' AS name FROM staff)
             SELECT device, ifnull(devices.name, 'device ' || device), function, out_of_service.table_id, at,
                    ifnull(first.name, 'staff ' || out_of_service.staff), ifnull(second.name, 'staff ' || witness), reason,
                    iif(back_at < ?2, back_at, NULL), iif(back_at < ?2, back.name, NULL),
                    iif(back_at < ?2, back_second.name, NULL)
             FROM out_of_service
                 LEFT JOIN devices USING (device)
                 LEFT JOIN named AS first ON first.staff = out_of_service.staff
                 LEFT JOIN named AS second ON second.staff = witness
                 LEFT JOIN named AS back ON back.staff = back_staff
                 LEFT JOIN named AS back_second ON back_second.staff = back_witness
             WHERE at < ?2 AND (back_at IS NULL OR back_at >= ?1) ORDER BY sequence",
        )?;
        let rows = select.query_map((period.from.0.0, period.to.0.0), |row| {
            Ok(OutOfServiceRow {
                device: row.get(0)?,
                name: row.get(1)?,
                function: row.get(2)?,
                table: row.get(3)?,
                since: At(floor::Moment(row.get(4)?)),
                by: row.get(5)?,
                second: row.get(6)?,
                reason: row.get(7)?,
                back: row.get::<_, Option<i64>>(8)?.map(|back| At(floor::Moment(back))),
                back_by: row.get(9)?,
                back_second: row.get(10)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn large_cash(&self, period: &Period, large: i64) -> Result<Vec<CashRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT day, visit, terminal, notes_in, tickets_in, attendant_in, tickets_out, hand_pays FROM visit_cash
             WHERE day BETWEEN ?1 AND ?2 AND visit IN (
                 SELECT visit FROM visit_cash GROUP BY visit
                 HAVING sum(notes_in + tickets_in + attendant_in) >= ?3 OR sum(tickets_out + hand_pays) >= ?3)
             ORDER BY day, visit",
        )?;
        let rows = select.query_map((&period.first, &period.last, large), |row| {
            Ok(CashRow {
                day: row.get(0)?,
                visit: row.get(1)?,
                terminal: row.get(2)?,
                notes_in: Amount(row.get(3)?),
                tickets_in: Amount(row.get(4)?),
                attendant_in: Amount(row.get(5)?),
                tickets_out: Amount(row.get(6)?),
                hand_pays: Amount(row.get(7)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn large_cash_by_day(&self, period: &Period, large: i64) -> Result<Vec<DayCashRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT day, terminal, NULL, NULL, sum(notes_in + tickets_in + attendant_in), sum(tickets_out + hand_pays)
             FROM visit_cash WHERE day BETWEEN ?1 AND ?2 GROUP BY day, terminal
             HAVING sum(notes_in + tickets_in + attendant_in) >= ?5 OR sum(tickets_out + hand_pays) >= ?5
             UNION ALL
             SELECT ?1, NULL, ifnull(name, 'staff ' || staff), NULL, sum(taken), sum(given) FROM (
                 SELECT cashier AS staff, amount AS taken, 0 AS given FROM tickets JOIN shifts USING (shift)
                 WHERE duplicate_of IS NULL AND ifnull(prepared_at, issued_at) >= ?3 AND ifnull(prepared_at, issued_at) < ?4
                 UNION ALL
                 SELECT cashier, 0, amount FROM tickets JOIN shifts ON shifts.shift = closed_shift
                 WHERE tickets.closed_at >= ?3 AND tickets.closed_at < ?4
                 UNION ALL
                 SELECT staff, 0, amount FROM moved WHERE act IN ('payable', 'expired') AND at >= ?3 AND at < ?4
             ) LEFT JOIN staff USING (staff) GROUP BY staff HAVING sum(taken) >= ?5 OR sum(given) >= ?5
             UNION ALL
             SELECT ?1, NULL, NULL, place, sum(taken), sum(given) FROM (
                 SELECT CAST(substr(source, 12) AS INTEGER) AS place, amount AS taken, 0 AS given FROM money
                 WHERE source LIKE 'table-drop/%' AND cause = 'cash-in' AND at >= ?3 AND at < ?4
                 UNION ALL
                 SELECT CAST(substr(source, 7) AS INTEGER), 0, amount FROM money
                 WHERE source LIKE 'chips/%' AND cause = 'paid' AND at >= ?3 AND at < ?4
             ) GROUP BY place HAVING sum(taken) >= ?5 OR sum(given) >= ?5
             ORDER BY 1, 2, 3, 4",
        )?;
        let (from, to) = (period.from.0.0, period.to.0.0);
        let rows = select.query_map((&period.first, &period.last, from, to, large), |row| {
            Ok(DayCashRow {
                day: row.get(0)?,
                terminal: row.get(1)?,
                staff: row.get(2)?,
                table: row.get(3)?,
                cash_in: Amount(row.get(4)?),
                cash_out: Amount(row.get(5)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Tickets in doubt, as a table of a paper.
pub(super) fn doubts(rows: &[DoubtRow]) -> Table {
    let names = [Column::name("Terminal"), Column::name("Since (UTC+8)")];
    let mut table = Table::new("", [Column::figure("Id"), Column::figure("Amount")].into_iter().chain(names));
    for row in rows {
        let terminal = row.terminal.map_or_else(String::new, |id| id.to_string());
        table.row([row.ticket.to_string(), row.amount.to_string(), terminal, row.since.to_string()]);
    }
    table
}

/// What was out of service, as a table of a paper.
pub(super) fn out_of_service(rows: &[OutOfServiceRow]) -> Table {
    let names = ["Device", "What", "Table", "Since (UTC+8)", "By", "Why", "Back (UTC+8)", "By"].map(Column::name);
    let mut table = Table::new("", names);
    for row in rows {
        let back_by = [&row.back_by, &row.back_second].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        table.row([
            row.name.clone(),
            row.function.clone(),
            row.table.map_or_else(String::new, |table| table.to_string()),
            row.since.to_string(),
            format!("{}, {}", row.by, row.second),
            row.reason.clone(),
            row.back.map_or_else(|| "still out".to_owned(), |back| back.to_string()),
            back_by,
        ]);
    }
    table
}

impl PeopleReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("People and money: {}", self.period.words().to_lowercase()));
        paper.landscape();
        subtitles(&mut paper, &self.up_to);
        paper.heading("Who moved what alone");
        let figures = ["Alone", "Amount alone", "With a second person", "Amount signed"].map(Column::figure);
        let mut table = Table::new("", [Column::name("Person"), Column::name("Act")].into_iter().chain(figures));
        for row in &self.moved {
            let (alone, signed) = (count(row.alone_count), count(row.signed_count));
            table.row([
                row.name.clone(),
                row.act.clone(),
                alone,
                row.alone.to_string(),
                signed,
                row.signed.to_string(),
            ]);
        }
        paper.table(table);
        paper.heading("What deserves a second look");
        let columns =
            [Column::figure("Record"), Column::name("Time (UTC+8)"), Column::name("What"), Column::name("Who")];
        let mut table = Table::new("", columns.into_iter().chain([Column::name("In words")]));
        for row in &self.findings {
            let name = row.name.clone().unwrap_or_default();
            table.row([row.sequence.to_string(), row.at.to_string(), row.code.clone(), name, row.words.clone()]);
        }
        paper.table(table);
        paper.heading("Tickets in doubt").table(doubts(&self.in_doubt));
        paper.heading("Devices out of service").table(out_of_service(&self.out_of_service));
        paper.heading(format!("Cash of {} or more, by visit", self.large_cash));
        let figures = ["Notes in", "Tickets in", "Attendant in", "Tickets out", "Hand pays"].map(Column::figure);
        let columns = [Column::name("Day"), Column::figure("Visit"), Column::figure("Terminal")];
        let mut table = Table::new("", columns.into_iter().chain(figures));
        for row in &self.cash {
            let amounts = [row.notes_in, row.tickets_in, row.attendant_in, row.tickets_out, row.hand_pays];
            let cells = [row.day.clone(), row.visit.to_string(), row.terminal.to_string()];
            table.row(cells.into_iter().chain(amounts.map(|amount| amount.to_string())));
        }
        paper.table(table);
        paper.heading(format!(
            "Cash of {} or more in a gaming day, by terminal, person and live table",
            self.large_cash
        ));
        let columns = [Column::name("Day"), Column::name("Where"), Column::figure("In"), Column::figure("Out")];
        let mut table = Table::new("", columns);
        for row in &self.cash_by_day {
            let terminal = row.terminal.map(|terminal| format!("terminal {terminal}"));
            let live = row.table.map(|table| format!("table {table}"));
            let place = row.staff.clone().or(terminal).or(live).unwrap_or_default();
            table.row([row.day.clone(), place, row.cash_in.to_string(), row.cash_out.to_string()]);
        }
        paper.table(table);
        paper
    }
}
