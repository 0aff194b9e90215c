//! Slips: what was counted and signed for at the cage and at live tables, to be printed again. Never a ticket's number.

use floor::{Moment, ShiftId, StaffId};
use paper::{Column, Paper, Table};
use rusqlite::{Params, Row};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, or_dash};
use super::{At, NoReport, Period, UpTo, subtitles};
use crate::Error;
use crate::query::Query;

/// One denomination of a count.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PileRow {
    /// What one piece is worth.
    pub denomination: Amount,
    /// How many.
    pub pieces: u32,
}

/// A slip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SlipRow {
    /// Its number: that of the record.
    pub number: u64,
    /// When.
    pub at: At,
    /// Of a drawer: `float`, `count`, `drawer-fill`, `drawer-credit`, `close`, `handover`. Of a live table: `opener`,
    /// `fill`, `credit`, `closer`, `drop`.
    pub kind: String,
    /// The shift whose drawer it is.
    pub shift: Option<u64>,
    /// The shift that took the drawer over.
    pub to_shift: Option<u64>,
    /// The float with which the shift began.
    pub float: Option<Amount>,
    /// The live table.
    pub table: Option<u16>,
    /// Its name.
    pub table_name: Option<String>,
    /// What was counted or moved.
    pub amount: Amount,
    /// What the drawer, the tray or the box should have held before.
    pub held: Option<Amount>,
    /// What was counted less that.
    pub difference: Option<Amount>,
    /// By denomination.
    pub counts: Vec<PileRow>,
    /// The reason of a difference.
    pub reason: Option<String>,
    /// Who did it.
    pub by: String,
    /// The second person; of a handover, who took the drawer over.
    pub second: Option<String>,
}

/// One slip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SlipReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The slip.
    pub slip: SlipRow,
}

/// The slips of a gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SlipsReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which day.
    pub period: Period,
    /// The slips in order.
    pub slips: Vec<SlipRow>,
}

const SLIPS: &str = "SELECT slips.*, shifts.opening AS float, tables.name AS table_name FROM slips
    LEFT JOIN shifts ON shifts.shift = slips.shift LEFT JOIN tables ON tables.table_id = slips.table_id";

impl Query<'_> {
    /// One slip, by the number of its record.
    ///
    /// # Errors
    /// When there is no such slip, or the database cannot be read.
    pub fn slip_report(&self, number: u64, journal: Option<u64>) -> Result<SlipReport, NoReport> {
        let snapshot = self.snapshot()?;
        let found = self.slips("WHERE slips.sequence = ?", [number])?.pop();
        let Some(slip) = found else {
            return Err(self.unknown("unknown_slip", format!("record {number} is no slip"))?);
        };
        let report = SlipReport { up_to: self.up_to(journal)?, slip };
        drop(snapshot);
        Ok(report)
    }

    /// The slips of a gaming day, of the last if none is named.
    ///
    /// # Errors
    /// When there is no such day, or the database cannot be read.
    pub fn slips_report(&self, day: Option<&str>, journal: Option<u64>) -> Result<SlipsReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(day, None)?;
        let slips = self.slips("WHERE slips.at >= ? AND slips.at < ?", [period.from.0.0, period.to.0.0])?;
        let report = SlipsReport { up_to: self.up_to(journal)?, period, slips };
        drop(snapshot);
        Ok(report)
    }

    /// The slips of a shift: also that of the handover by which it began.
    pub(super) fn slips_of(&self, shift: ShiftId) -> Result<Vec<SlipRow>, Error> {
        self.slips("WHERE slips.shift = ?1 OR slips.to_shift = ?1", [shift.0])
    }

    fn slips(&self, condition: &str, values: impl Params) -> Result<Vec<SlipRow>, Error> {
        let mut select = self.connection.prepare_cached(&format!("{SLIPS} {condition} ORDER BY slips.sequence"))?;
        let mut found = select.query(values)?;
        let mut slips = Vec::new();
        while let Some(row) = found.next()? {
            slips.push(self.one_slip(row)?);
        }
        Ok(slips)
    }

    fn one_slip(&self, row: &Row<'_>) -> Result<SlipRow, Error> {
        let amount = |name: &str| -> Result<Option<Amount>, Error> { Ok(row.get::<_, Option<i64>>(name)?.map(Amount)) };
        let name = |column: &str| -> Result<Option<String>, Error> {
            self.staff_name(row.get::<_, Option<u32>>(column)?.map(StaffId))
        };
        let counts: String = row.get("counts")?;
        let pile = |text: &str| {
            let (denomination, pieces) = text.split_once(':')?;
            Some(PileRow { denomination: Amount(denomination.parse().ok()?), pieces: pieces.parse().ok()? })
        };
        Ok(SlipRow {
            number: row.get("sequence")?,
            at: At(Moment(row.get("at")?)),
            kind: row.get("kind")?,
            shift: row.get("shift")?,
            to_shift: row.get("to_shift")?,
            float: amount("float")?,
            table: row.get("table_id")?,
            table_name: row.get("table_name")?,
            amount: Amount(row.get("amount")?),
            held: amount("held")?,
            difference: amount("difference")?,
            counts: counts.split(' ').filter_map(pile).collect(),
            reason: row.get("reason")?,
            by: or_dash(name("staff")?),
            second: name("second")?,
        })
    }
}

impl SlipRow {
    /// What it is, in words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self.kind.as_str() {
            "float" => "Float of a drawer",
            "count" => "Count of a drawer",
            "drawer-fill" => "Fill of a drawer",
            "drawer-credit" => "Credit of a drawer",
            "close" => "Close of a shift",
            "handover" => "Handover of a drawer",
            "opener" => "Opener of a table",
            "fill" => "Fill of a table",
            "credit" => "Credit of a table",
            "closer" => "Closer of a table",
            "drop" => "Drop of a table",
            _ => "Slip",
        }
    }

    /// Where: a drawer or a live table.
    fn place(&self) -> String {
        match (&self.table_name, self.shift, self.to_shift) {
            (Some(table), ..) => table.clone(),
            (None, Some(shift), Some(next)) => format!("cage, shift {shift}, then shift {next}"),
            (None, Some(shift), None) => format!("cage, shift {shift}"),
            (None, None, _) => "cage".to_owned(),
        }
    }

    /// The denominations on one line.
    fn piles(&self) -> String {
        let pile = |pile: &PileRow| format!("{} × {}", pile.pieces, pile.denomination);
        self.counts.iter().map(pile).collect::<Vec<_>>().join(", ")
    }
}

impl SlipReport {
    /// The slip again, marked as a copy.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let slip = &self.slip;
        let mut paper = Paper::new(format!("{} — COPY", slip.title()));
        paper.subtitle(format!("Slip no. {} of {} (UTC+8), {}", slip.number, slip.at, slip.place()));
        subtitles(&mut paper, &self.up_to);
        paper.facts(
            [
                ("Float", slip.float.filter(|_| slip.difference.is_some())),
                ("Held before", slip.held),
                ("Amount", Some(slip.amount)),
                ("Difference", slip.difference),
            ]
            .into_iter()
            .filter_map(|(name, amount)| Some((name, amount?.to_string()))),
        );
        if let Some(reason) = &slip.reason {
            paper.facts([("Reason", reason.clone())]);
        }
        if !slip.counts.is_empty() {
            paper.heading("By denomination");
            let mut table = Table::new("", ["Denomination", "Pieces", "Amount"].map(Column::figure));
            for pile in &slip.counts {
                let worth = Amount(pile.denomination.0.saturating_mul(i64::from(pile.pieces)));
                table.row([pile.denomination.to_string(), pile.pieces.to_string(), worth.to_string()]);
            }
            table.total(["Total".to_owned(), String::new(), slip.amount.to_string()]);
            paper.table(table);
        }
        paper.heading("Signed");
        paper.facts([("Done by", slip.by.clone()), (second(slip), or_dash(slip.second.clone()))]);
        paper.note("A copy, printed from the records. The slip that was signed is the original.");
        paper
    }
}

/// What the second person is on a slip.
fn second(slip: &SlipRow) -> &'static str {
    if slip.kind == "handover" { "Taken over by" } else { "Second person" }
}

/// Slips in a table, as the report of a shift and that of a day have them.
pub(super) fn table(slips: &[SlipRow]) -> Table {
    let names = [Column::figure("Slip"), Column::name("When (UTC+8)"), Column::name("What"), Column::name("Where")];
    let figures = ["Amount", "Held before", "Difference"].map(Column::figure);
    let more = ["By denomination", "Reason", "Done by", "Second person"].map(Column::name);
    let mut table = Table::new("", names.into_iter().chain(figures).chain(more));
    for slip in slips {
        table.row([
            slip.number.to_string(),
            slip.at.to_string(),
            slip.title().to_owned(),
            slip.place(),
            slip.amount.to_string(),
            or_dash(slip.held),
            or_dash(slip.difference),
            slip.piles(),
            slip.reason.clone().unwrap_or_default(),
            slip.by.clone(),
            or_dash(slip.second.clone()),
        ]);
    }
    table
}

impl SlipsReport {
    /// The list as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("Slips: {}", self.period.words().to_lowercase()));
        paper.landscape();
        subtitles(&mut paper, &self.up_to);
        paper.table(table(&self.slips));
        paper
    }
}
