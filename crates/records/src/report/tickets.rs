//! Tickets of a day and those outstanding at its end, with their ages. Never a number (S13).

use floor::{Account, Moment};
use paper::{Bar, Bars, Chart, Column, Paper, Table};
use rusqlite::Row;
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, count};
use super::{At, NoReport, Period, UpTo, subtitles};
use crate::day::DAY;
use crate::query::Query;
use crate::{Error, account};

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
    /// Outstanding when the day began.
    pub outstanding_before: Sum,
    /// In doubt when the day began.
    pub in_doubt_before: Sum,
    /// Prepared at terminals: printed, in doubt, or found not printed. A ticket and its duplicates count once.
    pub prepared: Sum,
    /// Sold at the cage. A ticket and its duplicates count once.
    pub sold: Sum,
    /// Put into terminals.
    pub redeemed_at_terminals: Sum,
    /// Paid at the cage.
    pub redeemed_at_cage: Sum,
    /// Expired.
    pub expired: Sum,
    /// Of tickets that had expired, on this day or earlier: paid by decision (S15). Their money is among the expired.
    pub expired_paid: Sum,
    /// Expired and not paid, oldest first: by its id each can be paid by decision.
    pub expired_tickets: Vec<TicketRow>,
    /// Not printed: the credit went back to the terminal.
    pub not_printed: Sum,
    /// In doubt, found not printed, and paid by hand.
    pub paid_by_hand: Sum,
    /// Outstanding at the end of the day, or now.
    pub outstanding: Sum,
    /// In doubt at that time.
    pub in_doubt_after: Sum,
    /// The accounts of tickets outstanding and in doubt at that time.
    pub liability: Amount,
    /// Whether the tickets outstanding and in doubt add up to the accounts, and the lines to each other: what there was
    /// before, prepared and sold is what was redeemed, expired, not printed, paid by hand, outstanding and in doubt.
    pub agrees: bool,
    /// Tickets whose number a duplicate replaced on the day; their money is that of the duplicate.
    pub replaced: Sum,
    /// The ages of those outstanding.
    pub ages: Vec<AgeRow>,
    /// Those outstanding, oldest first.
    pub tickets: Vec<TicketRow>,
    /// Those in doubt: their printer has not reported (D25).
    pub in_doubt: Vec<super::DoubtRow>,
}

/// When a ticket became one.
const ENTERED: &str = "ifnull(prepared_at, issued_at)";

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
        let open = |doubt: bool, moment: &str| {
            let doubt = if doubt { "" } else { "NOT" };
            sum(&format!(
                "{ENTERED} < {moment} AND (closed_at IS NULL OR closed_at >= {moment})
                 AND {doubt} (issued_at IS NULL OR issued_at >= {moment}) AND ?1 <= ?2"
            ))
        };
        let closed = |condition: &str| sum(&format!("{condition} AND closed_at >= ?1 AND closed_at < ?2"));
        let entered = |condition: &str| {
            sum(&format!("duplicate_of IS NULL AND {ENTERED} >= ?1 AND {ENTERED} < ?2 AND {condition}"))
        };
        let forgotten = self.forgotten_before()?.is_some();
        let ages = AGES.iter().enumerate().map(|(place, (least, age))| {
            let next = AGES.get(place + 1).map_or(i64::MAX, |(next, _)| *next);
            let of_age = tickets.iter().filter(|ticket| (*least..next).contains(&ticket.age_days));
            AgeRow { age, sum: add(of_age) }
        });
        let mut report = TicketsReport {
            up_to: self.up_to(journal)?,
            outstanding_before: open(false, "?1")?,
            in_doubt_before: open(true, "?1")?,
            prepared: entered("terminal IS NOT NULL")?,
            sold: entered("terminal IS NULL")?,
            redeemed_at_terminals: closed("state = 'paid' AND closed_terminal IS NOT NULL")?,
            redeemed_at_cage: closed("state = 'paid' AND closed_terminal IS NULL")?,
            expired: closed("state IN ('expired', 'expired-paid')")?,
            expired_paid: self.expired_paid(from, to)?,
            expired_tickets: self.expired_tickets(to, now)?,
            not_printed: closed("state = 'not-printed'")?,
            paid_by_hand: closed("state = 'paid-by-hand'")?,
            in_doubt_after: open(true, "?2")?,
            replaced: closed("state = 'replaced'")?,
            agrees: false,
            ages: ages.collect(),
            outstanding,
            liability,
            tickets,
            in_doubt: self.in_doubt()?,
            period,
        };
        // Deleted tickets were closed before the day, but the accounts begin with the rest of their money.
        report.agrees = report.adds_up() && (forgotten || report.owed() == report.liability);
        drop(snapshot);
        Ok(report)
    }

    fn outstanding(&self, before: i64, now: i64) -> Result<Vec<TicketRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM tickets WHERE issued_at < ?1 AND (closed_at IS NULL OR closed_at >= ?1)
             ORDER BY issued_at, ticket",
        )?;
        let found = select.query_map([before], |row| ticket(row, now))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// What was paid of the account of expired tickets.
    fn expired_paid(&self, from: i64, to: i64) -> Result<Sum, Error> {
        let expired = account::account(Account::TicketsExpired);
        let mut select = self.connection.prepare_cached(
            "SELECT count(*), ifnull(sum(amount), 0) FROM money WHERE source = ?1 AND at >= ?2 AND at < ?3",
        )?;
        Ok(select.query_row((expired, from, to), |row| Ok(Sum { count: row.get(0)?, amount: Amount(row.get(1)?) }))?)
    }

    fn expired_tickets(&self, before: i64, now: i64) -> Result<Vec<TicketRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM tickets WHERE state = 'expired' AND closed_at < ?1 ORDER BY closed_at, ticket",
        )?;
        let found = select.query_map([before], |row| ticket(row, now))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// What the house owes for tickets outstanding and in doubt, by its accounts.
    fn liability(&self, before: i64) -> Result<i64, Error> {
        let prepared = "tickets-prepared/%";
        let mut select = self.connection.prepare_cached(
            "SELECT ifnull(sum(iif(target LIKE ?1, amount, 0) - iif(source LIKE ?1, amount, 0)), 0) FROM money
             WHERE at < ?2 AND (source LIKE ?1 OR target LIKE ?1)",
        )?;
        let in_doubt: i64 = select.query_row((prepared, before), |row| row.get(0))?;
        Ok(self.balance(Account::TicketsOutstanding, before)?.0 + in_doubt)
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

fn total(lines: &[(&'static str, Sum)]) -> Sum {
    lines.iter().fold(Sum::default(), |all, (_, sum)| Sum {
        count: all.count + sum.count,
        amount: Amount(all.amount.0 + sum.amount.0),
    })
}

fn add<'t>(tickets: impl Iterator<Item = &'t TicketRow>) -> Sum {
    tickets.fold(Sum::default(), |sum, ticket| Sum {
        count: sum.count + 1,
        amount: Amount(sum.amount.0 + ticket.amount.0),
    })
}

impl TicketsReport {
    /// Where the money of the day's tickets came from: lines of the report.
    #[must_use]
    pub fn came(&self) -> [(&'static str, Sum); 4] {
        [
            ("Outstanding before", self.outstanding_before),
            ("+ in doubt before", self.in_doubt_before),
            ("+ prepared at terminals", self.prepared),
            ("+ sold at the cage", self.sold),
        ]
    }

    /// What became of it.
    #[must_use]
    pub fn went(&self) -> [(&'static str, Sum); 7] {
        [
            ("Put into terminals", self.redeemed_at_terminals),
            ("+ paid at the cage", self.redeemed_at_cage),
            ("+ expired", self.expired),
            ("+ not printed, credit back on the terminal", self.not_printed),
            ("+ in doubt, not printed, paid by hand", self.paid_by_hand),
            ("+ in doubt at the end", self.in_doubt_after),
            ("+ outstanding at the end", self.outstanding),
        ]
    }

    fn adds_up(&self) -> bool {
        total(&self.came()) == total(&self.went())
    }

    fn owed(&self) -> Amount {
        Amount(self.outstanding.amount.0 + self.in_doubt_after.amount.0)
    }

    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("Tickets: {}", self.period.words().to_lowercase()));
        subtitles(&mut paper, &self.up_to);
        let columns = || [Column::name(""), Column::figure("Tickets"), Column::figure("Amount")];
        let cells = |name: &str, sum: Sum| [name.to_owned(), count(sum.count), sum.amount.to_string()];
        for (title, lines) in [("Where it came from", &self.came()[..]), ("What became of it", &self.went()[..])] {
            let mut table = Table::new(title, columns());
            for (name, sum) in lines {
                table.row(cells(name, *sum));
            }
            table.total(cells("Total", total(lines)));
            paper.table(table);
        }
        paper.note(
            "Both totals are the same: every ticket is counted once, from its preparation or sale to its end. A ticket that \
             a duplicate replaced is counted with its duplicate.",
        );
        let verdict = if self.agrees { "they agree" } else { "they do NOT agree" };
        paper.facts([
            ("Accounts of tickets outstanding and in doubt", format!("{}: {verdict}", self.liability)),
            (
                "Expired tickets paid by decision",
                format!("{}, {}", count(self.expired_paid.count), self.expired_paid.amount),
            ),
            ("Numbers replaced by a duplicate", format!("{}, {}", count(self.replaced.count), self.replaced.amount)),
        ]);
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
        if !self.expired_tickets.is_empty() {
            paper.heading("Expired and not paid: the Shift Manager may decide to pay one by its id (S15)");
            let names = [Column::name("Issued by"), Column::name("Issued (UTC+8)"), Column::name("Expired (UTC+8)")];
            let mut table = Table::new("", [Column::figure("Id"), Column::figure("Amount")].into_iter().chain(names));
            for row in self.expired_tickets.iter().take(SHOWN) {
                let expired = row.expires.map_or_else(String::new, |at| at.to_string());
                let (id, amount, issued) = (row.ticket.to_string(), row.amount.to_string(), row.issued.to_string());
                table.row([id, amount, row.issued_by.clone(), issued, expired]);
            }
            paper.table(table);
        }
        if !self.in_doubt.is_empty() {
            paper.heading("In doubt: the printer has not reported (D25)").table(super::people::doubts(&self.in_doubt));
        }
        paper.note("A ticket is named by its id. Its number is cash and stands in no report (S13).");
        paper
    }
}
