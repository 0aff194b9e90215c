//! Void rounds and corrections: who, with whom, why, by which paragraph.

use floor::{Moment, StaffId};
use paper::{Column, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{Amount, or_dash};
use super::{At, NoReport, Period, UpTo, subtitles};
use crate::query::Query;

/// A round void without having been settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct VoidRow {
    /// Which.
    pub round: u64,
    /// Where.
    pub table: String,
    /// When.
    pub at: At,
    /// The ground, or `decision`.
    pub by: Option<String>,
    /// The ground in the words of the document.
    pub words: Option<String>,
    /// The paragraph.
    pub paragraph: Option<String>,
    /// Who declared, confirmed or decided it.
    pub who: Option<String>,
    /// Who witnessed it.
    pub witness: Option<String>,
    /// What was said about it.
    pub reason: Option<String>,
    /// What went back to the players.
    pub returned: Amount,
}

/// A result put right, or a settled round voided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CorrectionRow {
    /// Its record.
    pub sequence: u64,
    /// Which round.
    pub round: u64,
    /// Where.
    pub table: String,
    /// When.
    pub at: At,
    /// The result before.
    pub was: Option<String>,
    /// The result after; `null`: void.
    pub outcome: Option<String>,
    /// The bet whose record of chips was put right, as it was recorded; `null` where the result was put right (Tai Sai 5.9).
    pub record_was: Option<String>,
    /// The same bet as it stood at the close.
    pub record: Option<String>,
    /// The ground that made it void, or `decision`.
    pub by: Option<String>,
    /// The ground in the words of the document.
    pub words: Option<String>,
    /// The paragraph.
    pub paragraph: Option<String>,
    /// Who.
    pub who: Option<String>,
    /// Who witnessed it.
    pub witness: Option<String>,
    /// Why.
    pub reason: String,
    /// Paid to credits or in chips.
    pub credited: Amount,
    /// Left to be paid at the cage.
    pub payable: Amount,
    /// Taken from credits.
    pub taken: Amount,
    /// What could not be collected in addition, or below zero: what no longer has to be.
    pub uncollected: Amount,
}

/// Voids and corrections of a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct VoidsReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which days.
    pub period: Period,
    /// Rounds void without having been settled, in order.
    pub voids: Vec<VoidRow>,
    /// Corrections and voids after settlement, in order.
    pub corrections: Vec<CorrectionRow>,
}

impl Query<'_> {
    /// Voids and corrections of gaming days, of the last if none is named.
    ///
    /// # Errors
    /// When there are no such days, or the database cannot be read.
    pub fn voids_report(
        &self,
        first: Option<&str>,
        last: Option<&str>,
        journal: Option<u64>,
    ) -> Result<VoidsReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(first, last)?;
        let wanted = (period.from.0.0, period.to.0.0);
        let mut select = self.connection.prepare_cached(
            "SELECT r.*, t.name AS table_name, b.hash FROM rounds r JOIN tables t USING (table_id)
             JOIN rulebooks b ON b.rulebook = r.rulebook WHERE r.status = 'void' AND r.status <> 'settled'
             AND r.ended_at >= ?1 AND r.ended_at < ?2
             AND NOT EXISTS (SELECT 1 FROM corrections c WHERE c.round = r.round) ORDER BY r.ended_at, r.round",
        )?;
        let mut found = select.query(wanted)?;
        let mut voids = Vec::new();
        while let Some(row) = found.next()? {
            let (by, hash): (Option<String>, String) = (row.get("void_by")?, row.get("hash")?);
            voids.push(VoidRow {
                round: row.get("round")?,
                table: row.get("table_name")?,
                at: At(Moment(row.get("ended_at")?)),
                words: self.ground_words(&hash, by.as_deref())?.map(|words| words.en),
                by,
                paragraph: row.get("paragraph")?,
                who: self.staff_name(row.get::<_, Option<_>>("staff")?.map(StaffId))?,
                witness: self.staff_name(row.get::<_, Option<_>>("witness")?.map(StaffId))?,
                reason: row.get("reason")?,
                returned: Amount(row.get("returned")?),
            });
        }
        let mut select = self.connection.prepare_cached(
            "SELECT c.*, t.name AS table_name, b.hash,
             (SELECT ifnull(sum(credited), 0) FROM adjustments a WHERE a.sequence = c.sequence) AS credited,
             (SELECT ifnull(sum(payable - unpaid), 0) FROM adjustments a WHERE a.sequence = c.sequence) AS payable,
             (SELECT ifnull(sum(taken), 0) FROM adjustments a WHERE a.sequence = c.sequence) AS taken,
             (SELECT ifnull(sum(uncollected), 0) FROM adjustments a WHERE a.sequence = c.sequence) - ifnull(
              (SELECT sum(b.uncollected) FROM adjustments b WHERE b.sequence =
               (SELECT max(e.sequence) FROM corrections e WHERE e.round = c.round AND e.sequence < c.sequence)), 0)
              AS uncollected
             FROM corrections c JOIN rounds r USING (round) JOIN tables t USING (table_id)
             JOIN rulebooks b ON b.rulebook = r.rulebook WHERE c.at >= ?1 AND c.at < ?2 ORDER BY c.sequence",
        )?;
        let mut found = select.query(wanted)?;
        let mut corrections = Vec::new();
        while let Some(row) = found.next()? {
            let (by, hash): (Option<String>, String) = (row.get("void_by")?, row.get("hash")?);
            corrections.push(CorrectionRow {
                sequence: row.get("sequence")?,
                round: row.get("round")?,
                table: row.get("table_name")?,
                at: At(Moment(row.get("at")?)),
                was: row.get("was")?,
                outcome: row.get("outcome")?,
                record_was: row.get("record_was")?,
                record: row.get("record")?,
                words: self.ground_words(&hash, by.as_deref())?.map(|words| words.en),
                by,
                paragraph: row.get("paragraph")?,
                who: self.staff_name(row.get::<_, Option<_>>("staff")?.map(StaffId))?,
                witness: self.staff_name(row.get::<_, Option<_>>("witness")?.map(StaffId))?,
                reason: row.get("reason")?,
                credited: Amount(row.get("credited")?),
                payable: Amount(row.get("payable")?),
                taken: Amount(row.get("taken")?),
                uncollected: Amount(row.get("uncollected")?),
            });
        }
        let report = VoidsReport { up_to: self.up_to(journal)?, period, voids, corrections };
        drop(snapshot);
        Ok(report)
    }
}

impl VoidsReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new("Voids and corrections");
        paper.landscape().subtitle(self.period.words());
        subtitles(&mut paper, &self.up_to);
        paper.heading("Void rounds");
        if self.voids.is_empty() {
            paper.paragraph("None.");
        }
        paper.table(self.void_table());
        paper.heading("Corrections and voids after settlement");
        if self.corrections.is_empty() {
            paper.paragraph("None.");
        }
        paper.table(self.correction_table());
        paper
    }

    fn void_table(&self) -> Table {
        let columns = [
            Column::figure("Round"),
            Column::name("Table"),
            Column::name("When (UTC+8)"),
            Column::words("Ground"),
            Column::name("§"),
            Column::name("Who"),
            Column::name("Witness"),
            Column::words("Why"),
            Column::figure("Returned"),
        ];
        let mut table = Table::new("", columns);
        for row in &self.voids {
            table.row([
                row.round.to_string(),
                row.table.clone(),
                row.at.to_string(),
                or_dash(row.words.as_ref().or(row.by.as_ref())),
                or_dash(row.paragraph.as_ref()),
                or_dash(row.who.as_ref()),
                or_dash(row.witness.as_ref()),
                row.reason.clone().unwrap_or_default(),
                row.returned.to_string(),
            ]);
        }
        table
    }

    fn correction_table(&self) -> Table {
        let words = [
            Column::figure("Round"),
            Column::name("Table"),
            Column::name("When (UTC+8)"),
            Column::name("Was"),
            Column::name("Is"),
            Column::name("§"),
            Column::name("Who"),
            Column::name("Witness"),
            Column::words("Why"),
        ];
        let figures = ["Credited", "Payable", "Taken", "Uncollected"].map(Column::figure);
        let mut table = Table::new("", words.into_iter().chain(figures));
        for row in &self.corrections {
            table.row([
                row.round.to_string(),
                row.table.clone(),
                row.at.to_string(),
                or_dash(row.record_was.as_ref().or(row.was.as_ref())),
                row.record.as_ref().or(row.outcome.as_ref()).cloned().unwrap_or_else(|| "void".to_owned()),
                or_dash(row.paragraph.as_ref()),
                or_dash(row.who.as_ref()),
                or_dash(row.witness.as_ref()),
                row.reason.clone(),
                row.credited.to_string(),
                row.payable.to_string(),
                row.taken.to_string(),
                row.uncollected.to_string(),
            ]);
        }
        table
    }
}
