//! One table, hour by hour, with its results and its limits.

use std::collections::BTreeMap;

use floor::{Moment, StaffId, TableId};
use paper::{Bar, Bars, Chart, Column, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::day::{HOUR, METHOD, SoFar, facts, hold_chart, put, so_far};
use super::tally::{Span, Tally};
use super::words::{Amount, count, or_dash};
use super::{At, Figures, NoReport, Period, UpTo, subtitles};
use crate::Error;
use crate::day::DAY;
use crate::query::{Query, ResultFilter};

/// More days than this are reported day by day.
const DAYS_BY_HOUR: i64 = 3;
/// Results shown on paper.
const LAST_RESULTS: usize = 60;

/// A part of the time: an hour, or a day.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HourRow {
    /// When it begins.
    pub from: At,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Limits, from when on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LimitRow {
    /// Since when.
    pub at: At,
    /// Whether they hold from the next round on.
    pub from_next_round: bool,
    /// The minimum.
    pub minimum: Amount,
    /// The maximum; `null`: none.
    pub maximum: Option<Amount>,
    /// The step of a bet.
    pub step: Amount,
    /// Milliseconds to bet; zero: the dealer closes.
    pub betting_period: i64,
    /// Kinds of bet with limits of their own.
    pub families: String,
    /// Who changed them.
    pub by: Option<String>,
    /// Why.
    pub reason: String,
}

/// How often a result came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutcomeRow {
    /// Dice in ascending order, or a pocket.
    pub outcome: String,
    /// How often.
    pub count: u64,
}

/// One table's time.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TableReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which days.
    pub period: Period,
    /// Which table.
    #[schema(value_type = u16)]
    pub table: TableId,
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// Its mode.
    pub mode: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// Whether it is open.
    pub open: bool,
    /// The whole time.
    pub total: Figures,
    /// Hour by hour, or day by day.
    pub parts: Vec<HourRow>,
    /// The course of the hold.
    pub so_far: Vec<SoFar>,
    /// The limits in force when the time began, and changes in it.
    pub limits: Vec<LimitRow>,
    /// How often each result came.
    pub outcomes: Vec<OutcomeRow>,
    /// The results in order.
    pub results: Vec<String>,
    /// Whether the sums are the totals booked.
    pub agrees: bool,
}

impl Query<'_> {
    /// The report of a table.
    ///
    /// # Errors
    /// When there is no such table or day, or the database cannot be read.
    pub fn table_report(
        &self,
        table: TableId,
        first: Option<&str>,
        last: Option<&str>,
        journal: Option<u64>,
    ) -> Result<TableReport, NoReport> {
        let snapshot = self.snapshot()?;
        let sql = "SELECT name, game, mode, hash, open FROM tables JOIN rulebooks USING (rulebook) WHERE table_id = ?";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut found = select.query([table.0])?;
        let Some(row) = found.next()? else {
            return Err(self.unknown("unknown_table", format!("there is no table {table}"))?);
        };
        let (name, game, mode, rulebook, open) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get::<_, bool>(4)?);
        let period = self.period(first, last)?;
        let (from, to) = (period.from.0, period.to.0);
        let part = if to.0 - from.0 <= DAYS_BY_HOUR * DAY { HOUR } else { DAY };
        let tallies = self.tallies(Span { from, to, table: Some(table), part })?;
        let mut total = Tally::default();
        tallies.values().for_each(|tally| total.add(tally));
        let results =
            self.results(&ResultFilter { table: Some(table), from: Some(from), to: Some(to), device: None })?;
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        for result in &results {
            let mut dice: Vec<&str> = result.outcome.split('-').collect();
            dice.sort_unstable();
            *outcomes.entry(dice.join("-")).or_default() += 1;
        }
        let mut outcomes: Vec<OutcomeRow> =
            outcomes.into_iter().map(|(outcome, count)| OutcomeRow { outcome, count }).collect();
        outcomes.sort_by(|a, b| b.count.cmp(&a.count).then(a.outcome.cmp(&b.outcome)));
        let row = |((begins, _), tally): (&(i64, TableId), &Tally)| HourRow {
            from: At(Moment(*begins)),
            figures: tally.figures(),
        };
        let report = TableReport {
            up_to: self.up_to(journal)?,
            table,
            name,
            game,
            mode,
            rulebook,
            open,
            agrees: self.booked_alike(&period, Some(table), &total)?,
            total: total.figures(),
            parts: tallies.iter().map(row).collect(),
            so_far: so_far(tallies.iter().map(|((begins, _), tally)| (*begins, tally)), part),
            limits: self.limits(table, from, to)?,
            outcomes,
            results: results.into_iter().map(|result| result.outcome).collect(),
            period,
        };
        drop(snapshot);
        Ok(report)
    }

    fn limits(&self, table: TableId, from: Moment, to: Moment) -> Result<Vec<LimitRow>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM limits WHERE table_id = ?1 AND at < ?3 AND sequence >=
             ifnull((SELECT max(sequence) FROM limits WHERE table_id = ?1 AND at < ?2), 0) ORDER BY sequence",
        )?;
        let mut found = select.query((table.0, from.0, to.0))?;
        let mut limits = Vec::new();
        while let Some(row) = found.next()? {
            let maximum: Option<i64> = row.get("maximum")?;
            let staff: Option<u32> = row.get("staff")?;
            limits.push(LimitRow {
                at: At(Moment(row.get("at")?)),
                from_next_round: row.get("from_next_round")?,
                minimum: Amount(row.get("minimum")?),
                maximum: maximum.map(Amount),
                step: Amount(row.get("step")?),
                betting_period: row.get("betting_period")?,
                families: row.get("families")?,
                by: self.staff_name(staff.map(StaffId))?,
                reason: row.get("reason")?,
            });
        }
        Ok(limits)
    }
}

impl TableReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("Table {}, {}", self.table, self.name));
        paper.landscape().subtitle(format!(
            "{}: {} to {} (UTC+8); {}, {}, {}",
            self.period.words(),
            self.period.from,
            self.period.to,
            self.game,
            self.mode,
            if self.open { "open" } else { "closed" }
        ));
        subtitles(&mut paper, &self.up_to);
        paper.anchor("Rulebook hash", &self.rulebook);
        if !self.agrees {
            paper.paragraph("These sums DIFFER from the totals booked at the time: rebuild the records and compare.");
        }
        paper.facts(facts(&self.total));
        paper.heading("Limits in force");
        paper.table(self.limit_table());
        paper.heading("By hour");
        let rows = self.parts.iter().map(|part| ([part.from.to_string()], &part.figures));
        put(&mut paper, ["From"], rows, &self.total);
        hold_chart(&mut paper, &self.so_far, self.period.from);
        self.put_results(&mut paper);
        paper.note(METHOD);
        paper
    }

    fn limit_table(&self) -> Table {
        let figures = ["Minimum", "Maximum", "Step", "To bet"].map(Column::figure);
        let words = [Column::words("Kinds of bet"), Column::name("By"), Column::words("Why")];
        let columns = std::iter::once(Column::name("Since")).chain(figures).chain(words);
        let mut table = Table::new("", columns);
        for limit in &self.limits {
            let next = if limit.from_next_round { ", next round" } else { "" };
            table.row([
                format!("{}{next}", limit.at),
                limit.minimum.to_string(),
                limit.maximum.map_or_else(|| "none".to_owned(), |most| most.to_string()),
                limit.step.to_string(),
                if limit.betting_period > 0 {
                    format!("{} s", limit.betting_period / 1000)
                } else {
                    "dealer".to_owned()
                },
                limit.families.clone(),
                or_dash(limit.by.as_ref()),
                limit.reason.clone(),
            ]);
        }
        table
    }

    fn put_results(&self, paper: &mut Paper) {
        paper.heading("Results");
        if self.results.is_empty() {
            paper.paragraph("None.");
            return;
        }
        let most = self.outcomes.iter().take(12);
        let bars = most.map(|row| Bar::new(&row.outcome, row.count as f64, count(row.count)));
        paper.chart(Chart::Bars(Bars { bars: bars.collect(), ..Bars::new("The most frequent results") }));
        let last: Vec<&str> = self.results.iter().rev().take(LAST_RESULTS).map(String::as_str).collect();
        paper.paragraph(format!(
            "{} results; the latest first: {}.",
            count(self.results.len() as u64),
            last.join(", ")
        ));
    }
}
