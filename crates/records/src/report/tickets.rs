//! Tickets of a day and those outstanding at its end, with their ages. Never a number (S13).

use floor::{Account, Moment};
use paper::{Bar, Bars, Chart, Column, Paper, Table};
use rusqlite::Row;
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, count};
use super::{At, NoReport, Period, UpTo, subtitles};
use crate::Error;
use crate::day::DAY;
use crate::query::Query;

/// Tickets shown on paper; programs get all.
const SHOWN: usize = 500;

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TicketRow {
    /// Its id; not its number.
    pub ticket: u64,
    /// How much.
    pub amount: Amount,
    /// The terminal that printed it, or the shift that sold it.
    pub issued_by: String,
    /// When it was issued.
    pub issued: At,
    /// When it expires.
    pub expires: Option<At>,
    /// Whole days since it was issued, at the end of the time of the report.
    pub age_days: i64,
}

/// How many, and how much.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// How much.
    pub amount: Amount,
}

/// Outstanding tickets of an age.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgeRow {
    /// In words.
    pub age: &'static str,
    /// How many, and how much.
    #[serde(flatten)]
    pub sum: Sum,
}

/// The tickets of a gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TicketsReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which day.
    pub period: Period,
    /// Printed at terminals.
    pub printed: Sum,
    /// Sold at the cage.
    pub sold: Sum,
    /// Put into terminals.
    pub redeemed_at_terminals: Sum,
    /// Paid at the cage.
    pub redeemed_at_cage: Sum,
    /// Expired.
    pub expired: Sum,
    /// Outstanding at the end of the day, or now.
    pub outstanding: Sum,
    /// The account of outstanding tickets at that time.
    pub liability: Amount,
    /// Whether the tickets outstanding add up to the account.
    pub agrees: bool,
    /// The ages of those outstanding.
    pub ages: Vec<AgeRow>,
    /// Those outstanding, oldest first.
    pub tickets: Vec<TicketRow>,
    /// Those in doubt: their printer has not reported (D25).
    pub in_doubt: Vec<super::DoubtRow>,
}

/// Ages in days, each up to the next.
const AGES: [(i64, &str); 5] =
    [(0, "less than a day"), (1, "1 to 6 days"), (7, "7 to 29 days"), (30, "30 to 89 days"), (90, "90 days or more")];

impl Query<'_> {
    /// The tickets of a gaming day, of the last if none is named.
    ///
    /// # Errors
    /// When there is no such day, or the database cannot be read.
    pub fn tickets_report(&self, day: Option<&str>, journal: Option<u64>) -> Result<TicketsReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(day, None)?;
        let (from, to) = (period.from.0.0, period.to.0.0);
        let now = to.min(self.at()?.0);
        let sum = |condition: &str| -> Result<Sum, Error> {
            let sql = format!("SELECT count(*), ifnull(sum(amount), 0) FROM tickets WHERE {condition}");
            let mut select = self.connection.prepare_cached(&sql)?;
            Ok(select.query_row((from, to), |row| Ok(Sum { count: row.get(0)?, amount: Amount(row.get(1)?) }))?)
        };
        let tickets = self.outstanding(to, now)?;
        let outstanding = add(tickets.iter());
        let liability = Amount(self.liability(to)?);
        let forgotten = self.forgotten_before()?.is_some();
        let ages = AGES.iter().enumerate().map(|(place, (least, age))| {
            let next = AGES.get(place + 1).map_or(i64::MAX, |(next, _)| *next);
            let of_age = tickets.iter().filter(|ticket| (*least..next).contains(&ticket.age_days));
            AgeRow { age, sum: add(of_age) }
        });
        let report = TicketsReport {
            up_to: self.up_to(journal)?,
            printed: sum("issued_at >= ?1 AND issued_at < ?2 AND terminal IS NOT NULL")?,
            sold: sum("issued_at >= ?1 AND issued_at < ?2 AND terminal IS NULL")?,
            redeemed_at_terminals: sum(
                "state = 'paid' AND closed_at >= ?1 AND closed_at < ?2 AND closed_terminal IS NOT NULL",
            )?,
            redeemed_at_cage: sum("state = 'paid' AND closed_at >= ?1 AND closed_at < ?2 AND closed_terminal IS NULL")?,
            expired: sum("state = 'expired' AND closed_at >= ?1 AND closed_at < ?2")?,
            agrees: forgotten || liability == outstanding.amount,
            ages: ages.collect(),
            outstanding,
            liability,
            tickets,
            in_doubt: self.in_doubt()?,
            period,
        };
        drop(snapshot);
        Ok(report)
    }

    fn outstanding(&self, before: i64, now: i64) -> Result<Vec<TicketRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM tickets WHERE issued_at < ?1 AND (state = 'outstanding' OR
             (state IN ('paid', 'expired', 'replaced', 'paid-by-hand') AND closed_at >= ?1)) ORDER BY issued_at, ticket",
        )?;
        let found = select.query_map([before], |row| ticket(row, now))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    fn liability(&self, before: i64) -> Result<i64, Error> {
        Ok(self.balance(Account::TicketsOutstanding, before)?.0)
    }
}

fn ticket(row: &Row<'_>, now: i64) -> Result<TicketRow, rusqlite::Error> {
    let (terminal, shift): (Option<u32>, Option<u32>) = (row.get("terminal")?, row.get("shift")?);
    let issued: i64 = row.get("issued_at")?;
    let expires: Option<i64> = row.get("expires_at")?;
    let issued_by = match (terminal, shift) {
        (Some(terminal), _) => format!("terminal {terminal}"),
        (None, Some(shift)) => format!("shift {shift}"),
        (None, None) => String::new(),
    };
    Ok(TicketRow {
        ticket: row.get("ticket")?,
        amount: Amount(row.get("amount")?),
        issued_by,
        issued: At(Moment(issued)),
        expires: expires.map(|at| At(Moment(at))),
        age_days: (now - issued).div_euclid(DAY).max(0),
    })
}

fn add<'t>(tickets: impl Iterator<Item = &'t TicketRow>) -> Sum {
    tickets.fold(Sum::default(), |sum, ticket| Sum {
        count: sum.count + 1,
        amount: Amount(sum.amount.0 + ticket.amount.0),
    })
}

impl TicketsReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("Tickets: {}", self.period.words().to_lowercase()));
        subtitles(&mut paper, &self.up_to);
        let columns = || [Column::name(""), Column::figure("Tickets"), Column::figure("Amount")];
        let cells = |name: &str, sum: Sum| [name.to_owned(), count(sum.count), sum.amount.to_string()];
        let mut table = Table::new("", columns());
        table
            .row(cells("Printed at terminals", self.printed))
            .row(cells("Sold at the cage", self.sold))
            .row(cells("Put into terminals", self.redeemed_at_terminals))
            .row(cells("Paid at the cage", self.redeemed_at_cage))
            .row(cells("Expired", self.expired))
            .total(cells("Outstanding at the end", self.outstanding));
        paper.table(table);
        let verdict = if self.agrees { "they agree" } else { "they do NOT agree" };
        paper.facts([("Account of outstanding tickets", format!("{}: {verdict}", self.liability))]);
        paper.heading("Outstanding, by age");
        let mut table = Table::new("", columns());
        for row in &self.ages {
            table.row(cells(row.age, row.sum));
        }
        paper.table(table);
        if self.outstanding.count > 0 {
            let bar = |row: &AgeRow| Bar::new(row.age, row.sum.amount.0 as f64 / 100.0, row.sum.amount.to_string());
            let bars = self.ages.iter().map(bar).collect();
            paper.chart(Chart::Bars(Bars { bars, ..Bars::new("Outstanding, by age") }));
        }
        paper.heading("Outstanding, the oldest first");
        let names = [Column::name("Issued by"), Column::name("Issued (UTC+8)"), Column::name("Expires (UTC+8)")];
        let columns = [Column::figure("Id"), Column::figure("Amount")].into_iter().chain(names);
        let mut table = Table::new("", columns.chain([Column::figure("Days")]));
        for row in self.tickets.iter().take(SHOWN) {
            let expires = row.expires.map_or_else(String::new, |at| at.to_string());
            let (id, amount, issued) = (row.ticket.to_string(), row.amount.to_string(), row.issued.to_string());
            table.row([id, amount, row.issued_by.clone(), issued, expires, row.age_days.to_string()]);
        }
        paper.table(table);
        if self.tickets.len() > SHOWN {
            paper.note(format!("The oldest {SHOWN} of {}.", count(self.tickets.len() as u64)));
        }
        if !self.in_doubt.is_empty() {
            paper.heading("In doubt: the printer has not reported (D25)").table(super::people::doubts(&self.in_doubt));
        }
        paper.note("A ticket is named by its id. Its number is cash and stands in no report (S13).");
        paper
    }
}
