//! A cashier's shift, as it is handed over.

use std::collections::BTreeMap;

use floor::{Account, Moment, ShiftId, StaffId};
use paper::{Column, Paper, Table};
use rusqlite::Row;
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, or_dash};
use super::{At, NoReport, UpTo, subtitles};
use crate::account;
use crate::query::Query;

/// A shift in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShiftRow {
    /// Which.
    pub shift: u64,
    /// Whose.
    pub cashier: String,
    /// When it began.
    pub opened: At,
    /// When it was closed; `null`: it goes on.
    pub closed: Option<At>,
    /// The float it began with.
    pub float: Amount,
    /// What came in.
    pub cash_in: Amount,
    /// What went out.
    pub cash_out: Amount,
    /// What must be there.
    pub expected: Amount,
    /// What was counted.
    pub counted: Option<Amount>,
    /// What was counted less what must be there.
    pub difference: Option<Amount>,
    /// Whether float, in and out give what the floor expected when the shift was closed.
    pub agrees: bool,
}

/// What came or went for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShiftCause {
    /// Why.
    pub cause: String,
    /// How many movements.
    pub count: u64,
    /// Into the drawer.
    pub cash_in: Amount,
    /// Out of the drawer.
    pub cash_out: Amount,
}

/// A movement of a shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShiftLine {
    /// Its record.
    pub sequence: u64,
    /// When.
    pub at: At,
    /// Why.
    pub cause: String,
    /// Into the drawer; below zero if out of it.
    pub amount: Amount,
    /// The ticket, by its id.
    pub ticket: Option<u64>,
}

/// A shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShiftReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The shift.
    #[serde(flatten)]
    pub shift: ShiftRow,
    /// By cause.
    pub causes: Vec<ShiftCause>,
    /// Every movement in order.
    pub movements: Vec<ShiftLine>,
    /// The slips of the drawer: float, fills, credits, counts, close or handover.
    pub slips: Vec<super::SlipRow>,
}

/// All shifts, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShiftsReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The shifts.
    pub shifts: Vec<ShiftRow>,
}

impl Query<'_> {
    /// The handover of a shift.
    ///
    /// # Errors
    /// When there is no such shift, or the database cannot be read.
    pub fn shift_report(&self, shift: ShiftId, journal: Option<u64>) -> Result<ShiftReport, NoReport> {
        let snapshot = self.snapshot()?;
        let mut select = self.connection.prepare_cached("SELECT * FROM shifts WHERE shift = ?")?;
        let mut found = select.query([shift.0])?;
        let Some(row) = found.next()? else {
            return Err(self.unknown("unknown_shift", format!("there is no shift {shift}"))?);
        };
        let report = self.one_shift(row, journal)?;
        drop(snapshot);
        Ok(report)
    }

    /// Every shift, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn shifts_report(&self, journal: Option<u64>) -> Result<ShiftsReport, NoReport> {
        let snapshot = self.snapshot()?;
        let mut select = self.connection.prepare_cached("SELECT * FROM shifts ORDER BY shift DESC")?;
        let mut found = select.query([])?;
        let mut shifts = Vec::new();
        while let Some(row) = found.next()? {
            shifts.push(self.one_shift(row, journal)?.shift);
        }
        let report = ShiftsReport { up_to: self.up_to(journal)?, shifts };
        drop(snapshot);
        Ok(report)
    }

    fn one_shift(&self, row: &Row<'_>, journal: Option<u64>) -> Result<ShiftReport, NoReport> {
        let shift = ShiftId(row.get("shift")?);
        let drawer = account::account(Account::CageFloat(shift));
        let opened: i64 = row.get("opened_at")?;
        let mut causes: BTreeMap<String, ShiftCause> = BTreeMap::new();
        let mut movements = Vec::new();
        let (mut cash_in, mut cash_out) = (0, 0);
        let (mut opening, closed): (i64, Option<i64>) = (row.get("opening")?, row.get("closed_at")?);
        let float = opening;
        let slips = self.slips_of(shift)?;
        for mut money in self.shift_money(shift)? {
            // Money that leaves an account of the house's cash has come into the drawer. The float itself comes and
            // goes with the shift, and stands at its head; fills and credits come between.
            if money.cause == "float" {
                let slip = slips.iter().find(|slip| slip.number == money.sequence);
                let Some(moved) = slip.and_then(|slip| slip.kind.strip_prefix("drawer-")) else { continue };
                money.cause = moved.to_owned();
            }
            let amount = money.amount.get();
            let into = money.from == drawer;
            let cause = causes.entry(money.cause.clone()).or_insert_with(|| ShiftCause {
                cause: money.cause.clone(),
                count: 0,
                cash_in: Amount(0),
                cash_out: Amount(0),
            });
            cause.count += 1;
            if into {
                cause.cash_in.0 += amount;
                cash_in += amount;
            } else {
                cause.cash_out.0 += amount;
                cash_out += amount;
            }
            movements.push(ShiftLine {
                sequence: money.sequence,
                at: At(money.at),
                cause: money.cause,
                amount: Amount(if into { amount } else { -amount }),
                ticket: money.ticket.map(|ticket| ticket.0),
            });
        }
        opening += cash_in - cash_out;
        let (counted, booked): (Option<i64>, Option<i64>) = (row.get("counted")?, row.get("expected")?);
        let expected = booked.unwrap_or(opening);
        let row = ShiftRow {
            shift: shift.0.into(),
            cashier: or_dash(self.staff_name(Some(StaffId(row.get("cashier")?)))?),
            opened: At(Moment(opened)),
            closed: closed.map(|at| At(Moment(at))),
            float: Amount(float),
            cash_in: Amount(cash_in),
            cash_out: Amount(cash_out),
            expected: Amount(expected),
            counted: counted.map(Amount),
            difference: counted.map(|counted| Amount(counted - expected)),
            agrees: expected == opening,
        };
        let causes = causes.into_values().collect();
        Ok(ShiftReport { up_to: self.up_to(journal)?, shift: row, causes, movements, slips })
    }
}

impl ShiftReport {
    /// The handover as a paper, with room for two signatures.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let ShiftRow { shift, cashier, opened, closed, .. } = &self.shift;
        let mut paper = Paper::new(format!("Handover of shift {shift}"));
        let closed = closed.map_or_else(|| "goes on".to_owned(), |closed| format!("closed {closed}"));
        paper.subtitle(format!("{cashier}, opened {opened}, {closed} (UTC+8)"));
        subtitles(&mut paper, &self.up_to);
        let row = &self.shift;
        paper.facts([
            ("Float", row.float.to_string()),
            ("+ in", row.cash_in.to_string()),
            ("− out", row.cash_out.to_string()),
            ("= expected", row.expected.to_string()),
            ("Counted", or_dash(row.counted)),
            ("Difference", or_dash(row.difference)),
        ]);
        if !row.agrees {
            paper.paragraph("Float, in and out do NOT give what the floor expected: the records are not complete.");
        }
        paper.heading("By cause");
        let figures = ["Movements", "In", "Out"].map(Column::figure);
        let mut table = Table::new("", std::iter::once(Column::name("Why")).chain(figures));
        for cause in &self.causes {
            let (cash_in, cash_out) = (cause.cash_in.to_string(), cause.cash_out.to_string());
            table.row([cause.cause.clone(), cause.count.to_string(), cash_in, cash_out]);
        }
        let movements = self.movements.len().to_string();
        table.total(["Total".to_owned(), movements, row.cash_in.to_string(), row.cash_out.to_string()]);
        paper.table(table);
        paper.heading("Movements");
        let columns = [Column::figure("Record"), Column::name("When (UTC+8)"), Column::name("Why")];
        let columns = columns.into_iter().chain(["Amount", "Ticket id"].map(Column::figure));
        let mut table = Table::new("", columns);
        for line in &self.movements {
            let (sequence, at) = (line.sequence.to_string(), line.at.to_string());
            let ticket = line.ticket.map_or_else(String::new, |ticket| ticket.to_string());
            table.row([sequence, at, line.cause.clone(), line.amount.to_string(), ticket]);
        }
        paper.table(table);
        paper.heading("Slips").table(super::slips::table(&self.slips));
        paper.heading("Handed over");
        paper.facts([("Cashier", "________________________"), ("Taken over by", "________________________")]);
        paper
    }
}

impl ShiftsReport {
    /// The list as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new("Shifts of the cage");
        paper.landscape();
        subtitles(&mut paper, &self.up_to);
        let names = [Column::figure("Shift"), Column::name("Cashier"), Column::name("Opened"), Column::name("Closed")];
        let figures = ["Float", "In", "Out", "Expected", "Counted", "Difference"].map(Column::figure);
        let mut table = Table::new("", names.into_iter().chain(figures));
        for row in &self.shifts {
            table.row([
                row.shift.to_string(),
                row.cashier.clone(),
                row.opened.to_string(),
                or_dash(row.closed),
                row.float.to_string(),
                row.cash_in.to_string(),
                row.cash_out.to_string(),
                row.expected.to_string(),
                or_dash(row.counted),
                or_dash(row.difference),
            ]);
        }
        paper.table(table);
        paper
    }
}
