//! The gaming day by table and game.

use std::collections::BTreeMap;

use floor::{Account, TableId};
use paper::{Band, BandPoint, Bar, Bars, Chart, Column, Line, Lines, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::tally::{Span, Tally};
use super::words::{Amount, count, percent};
use super::{At, DayAnchor, DayHead, Figures, NoReport, Period, UpTo, subtitles};
use crate::query::{Query, TotalsFilter};
use crate::{Error, account};

pub(super) const HOUR: i64 = 60 * 60 * 1000;
/// The course of a day is drawn in steps of this length.
const QUARTER: i64 = HOUR / 4;

/// A table's day.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TableRow {
    /// Which.
    #[schema(value_type = u16)]
    pub table: TableId,
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A game's day.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct GameRow {
    /// The game's id.
    pub game: String,
    /// How many tables played it.
    pub tables: usize,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The house so far, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SoFar {
    /// When the step ends.
    pub until: At,
    /// The turnover since the beginning.
    pub turnover: Amount,
    /// The hold since the beginning.
    pub hold: Option<f64>,
    /// The theoretical hold since the beginning.
    pub theoretical_hold: Option<f64>,
    /// The lower end of its band.
    pub hold_low: Option<f64>,
    /// Its upper end.
    pub hold_high: Option<f64>,
}

/// The gaming day.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DayReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The day.
    pub period: Period,
    /// Whether the day is over.
    pub over: bool,
    /// By table.
    pub tables: Vec<TableRow>,
    /// By game.
    pub games: Vec<GameRow>,
    /// The house.
    pub total: Figures,
    /// By quarters of an hour, from the beginning.
    pub so_far: Vec<SoFar>,
    /// Corrections still to be paid at the cage at the end of the day.
    pub payables_outstanding: Amount,
    /// Tickets outstanding at the end of the day.
    pub tickets_outstanding: Amount,
    /// Tickets whose printer has not reported (D25).
    pub tickets_in_doubt: Vec<super::DoubtRow>,
    /// Tumblers, wheels and readings that were out of service; those without `back` still were at the end of the day (D19).
    pub out_of_service: Vec<super::OutOfServiceRow>,
    /// What people did that deserves a second look, as in the report *people*.
    pub findings: Vec<super::FindingRow>,
    /// Whether the sums over the rounds and movements are the totals booked when they happened.
    pub agrees: bool,
    /// The last record of the day.
    pub last_record: u64,
    /// The day's checkpoint; `null` if the journal was not read.
    pub anchor: Option<DayAnchor>,
    /// The head of the transparency log at the end of the day; `null` before the next day has begun, and without a log.
    pub head: Option<DayHead>,
}

impl Query<'_> {
    /// The report of a gaming day, of the last if none is named.
    ///
    /// # Errors
    /// When there is no such day, or the database cannot be read.
    pub fn day_report(&self, day: Option<&str>, journal: Option<u64>) -> Result<DayReport, NoReport> {
        let snapshot = self.snapshot()?;
        let period = self.period(day, None)?;
        let (from, to) = (period.from.0, period.to.0);
        let quarters = self.tallies(Span { from, to, table: None, part: QUARTER })?;
        let mut by_table: BTreeMap<TableId, Tally> = BTreeMap::new();
        for ((_, table), tally) in &quarters {
            by_table.entry(*table).or_default().add(tally);
        }
        let names = self.table_names()?;
        let mut games: BTreeMap<String, (usize, Tally)> = BTreeMap::new();
        let mut total = Tally::default();
        let mut tables = Vec::new();
        for (table, (name, game)) in names {
            let Some(tally) = by_table.get(&table) else { continue };
            let of_game = games.entry(game.clone()).or_default();
            of_game.0 += 1;
            of_game.1.add(tally);
            total.add(tally);
            tables.push(TableRow { table, name, game, figures: tally.figures() });
        }
        let agrees = self.booked_alike(&period, None, &total)?;
        let row =
            |(game, (tables, tally)): (String, (usize, Tally))| GameRow { game, tables, figures: tally.figures() };
        let report = DayReport {
            up_to: self.up_to(journal)?,
            over: self.at()? >= to,
            tables,
            games: games.into_iter().map(row).collect(),
            total: total.figures(),
            so_far: so_far(quarters.iter().map(|((begins, _), tally)| (*begins, tally)), QUARTER),
            payables_outstanding: self.balance(Account::CorrectionPayable, to.0)?,
            tickets_outstanding: self.balance(Account::TicketsOutstanding, to.0)?,
            tickets_in_doubt: self.in_doubt()?,
            out_of_service: self.out_of_service(&period)?,
            findings: self.findings(&period)?,
            agrees,
            last_record: self.last_before(to)?,
            anchor: None,
            head: None,
            period,
        };
        drop(snapshot);
        Ok(report)
    }

    /// Tables with their names and games.
    pub(super) fn table_names(&self) -> Result<BTreeMap<TableId, (String, String)>, Error> {
        let sql = "SELECT table_id, name, game FROM tables JOIN rulebooks USING (rulebook)";
        let mut select = self.connection.prepare_cached(sql)?;
        let found = select.query_map([], |row| Ok((TableId(row.get(0)?), (row.get(1)?, row.get(2)?))))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Whether a tally is what was booked.
    pub(super) fn booked_alike(&self, period: &Period, table: Option<TableId>, tally: &Tally) -> Result<bool, Error> {
        let filter = TotalsFilter { table, from: Some(period.first.clone()), to: Some(period.last.clone()) };
        let mut booked = (0, 0, 0, 0, 0);
        for totals in self.tables(&filter)? {
            booked.0 += totals.settled;
            booked.1 += totals.void;
            booked.2 += totals.corrected;
            booked.3 += totals.turnover.get();
            booked.4 += totals.win.get();
        }
        Ok(booked == (tally.settled, tally.void, tally.corrected, tally.turnover, tally.win))
    }

    /// The balance of an account before a moment, of what the records have.
    pub(super) fn balance(&self, of: Account, before: i64) -> Result<Amount, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT ifnull(sum(iif(target = ?1, amount, -amount)), 0) FROM money WHERE ?1 IN (source, target) AND at < ?2",
        )?;
        Ok(Amount(select.query_row((account::account(of), before), |row| row.get(0))?))
    }
}

/// The course of the hold.
pub(super) fn so_far<'t>(parts: impl Iterator<Item = (i64, &'t Tally)>, part: i64) -> Vec<SoFar> {
    let mut sum = Tally::default();
    let mut course: Vec<SoFar> = Vec::new();
    for (begins, tally) in parts {
        sum.add(tally);
        let figures = sum.figures();
        let until = At(floor::Moment(begins + part));
        if course.last().is_some_and(|last| last.until == until) {
            course.pop();
        }
        course.push(SoFar {
            until,
            turnover: figures.turnover,
            hold: figures.hold,
            theoretical_hold: figures.theoretical_hold,
            hold_low: figures.hold_low,
            hold_high: figures.hold_high,
        });
    }
    course
}

impl DayReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(self.period.words());
        paper.landscape().subtitle(format!("{} to {} (UTC+8)", self.period.from, self.period.to));
        subtitles(&mut paper, &self.up_to);
        if !self.over {
            paper.stamp("day not over");
        }
        if !self.agrees {
            paper.paragraph("These sums DIFFER from the totals booked at the time: rebuild the records and compare.");
        }
        paper.heading("The house");
        let mut house = facts(&self.total);
        house.push(("Still payable at the end of the day", self.payables_outstanding.to_string()));
        house.push(("Tickets outstanding at the end of the day", self.tickets_outstanding.to_string()));
        let doubt: i64 = self.tickets_in_doubt.iter().map(|row| row.amount.0).sum();
        house.push(("Tickets in doubt now", Amount(doubt).to_string()));
        house.push(("What deserves a second look", format!("{}, see report people", self.findings.len())));
        let still = self.out_of_service.iter().filter(|row| row.back.is_none()).count();
        house.push(("Devices out of service at the end of the day", still.to_string()));
        paper.facts(house);
        if !self.out_of_service.is_empty() {
            paper.heading("Devices out of service").table(super::people::out_of_service(&self.out_of_service));
        }
        if !self.findings.is_empty() {
            paper.heading("What deserves a second look");
            let columns = ["Time (UTC+8)", "What", "In words"].map(Column::name);
            let mut table = Table::new("", columns);
            for row in &self.findings {
                table.row([row.at.to_string(), row.code.clone(), row.words.clone()]);
            }
            paper.table(table);
        }
        paper.heading("By table");
        let named = |row: &TableRow| [format!("{} {}", row.table, row.name), row.game.clone()];
        put(&mut paper, ["Table", "Game"], self.tables.iter().map(|row| (named(row), &row.figures)), &self.total);
        let bars = self
            .tables
            .iter()
            .map(|row| Bar::new(&row.name, row.figures.win.0 as f64 / 100.0, row.figures.win.to_string()));
        if !self.tables.is_empty() {
            paper.chart(Chart::Bars(Bars { bars: bars.collect(), ..Bars::new("Win by table") }));
        }
        hold_chart(&mut paper, &self.so_far, self.period.from);
        paper.heading("By game");
        let named = |row: &GameRow| [row.game.clone(), row.tables.to_string()];
        put(&mut paper, ["Game", "Tables"], self.games.iter().map(|row| (named(row), &row.figures)), &self.total);
        paper.note(METHOD);
        if let Some(anchor) = &self.anchor {
            anchor.put(&mut paper);
        }
        if let Some(head) = &self.head {
            head.put(&mut paper);
        }
        paper
    }
}

pub(super) const METHOD: &str = "Drop: cash, tickets and attendants' credit put into the terminals, and cash for chips at live tables. Theoretical \
     win: every stake of the settled rounds times its exact edge. Band: 1.96 standard deviations on each side, from the \
     exact distribution of every round over all outcomes, all bets of the round together; 95 days of 100 are within. \
     Corrections and voids after settlement count on the day on which they were made. Games per hour: rounds ended, from \
     the beginning of the first to the end of the last.";

pub(super) fn facts(figures: &Figures) -> Vec<(&'static str, String)> {
    let within = match figures.within {
        Some(true) => "within the band",
        Some(false) => "OUTSIDE the band",
        None => "nothing was bet",
    };
    vec![
        ("Drop", figures.drop.to_string()),
        (
            "… cash, tickets, attendants",
            format!("{}, {}, {}", figures.cash_in, figures.tickets_in, figures.attendant_in),
        ),
        ("Turnover", figures.turnover.to_string()),
        ("Win", figures.win.to_string()),
        ("… of it corrections", figures.corrections.to_string()),
        ("Theoretical win", format!("{}, band {} to {}: {within}", figures.theoretical, figures.low, figures.high)),
        ("Hold", percent(figures.hold)),
        (
            "Theoretical hold",
            format!(
                "{}, band {} to {}",
                percent(figures.theoretical_hold),
                percent(figures.hold_low),
                percent(figures.hold_high)
            ),
        ),
        ("Decisions of the Shift Manager", figures.decisions.to_string()),
        ("Games, void, corrected", format!("{}, {}, {}", figures.games, figures.void, figures.corrected)),
        ("Games per hour", games_per_hour(figures)),
        (
            "Corrections payable, paid, uncollected",
            format!("{}, {}, {}", figures.payable, figures.paid, figures.uncollected),
        ),
    ]
}

fn games_per_hour(figures: &Figures) -> String {
    figures.games_per_hour.map_or_else(|| "–".to_owned(), |games| format!("{games:.1}"))
}

/// The figures of tables, games or hours: what was played, how it stands against theory, and what was put right.
pub(super) fn put<'f, const N: usize>(
    paper: &mut Paper,
    names: [&str; N],
    rows: impl Iterator<Item = ([String; N], &'f Figures)>,
    total: &Figures,
) {
    let named = || names.into_iter().map(Column::name);
    let with = |figures: &[&str]| -> Table {
        Table::new("", named().chain(figures.iter().map(|title| Column::figure(*title))))
    };
    let mut played = with(&["Games", "Void", "Corrected", "Per hour", "Drop", "Turnover", "Win", "Hold"]);
    let mut theory = with(&["Win", "Theoretical", "from", "to", "Hold", "Theoretical", "from", "to"]);
    let mut right = with(&["Corrections", "Decisions", "Payable", "Paid", "Uncollected"]);
    for (name, figures) in rows {
        played.row(name.iter().cloned().chain(played_cells(figures)));
        theory.row(name.iter().cloned().chain(theory_cells(figures)));
        if right_cells(figures) != right_cells(&Tally::default().figures()) {
            right.row(name.iter().cloned().chain(right_cells(figures)));
        }
    }
    let name = || (0..N).map(|place| if place == 0 { "Total".to_owned() } else { String::new() });
    played.total(name().chain(played_cells(total)));
    theory.total(name().chain(theory_cells(total)));
    paper.table(played);
    "Win and hold against theoretical, with the band of 95 %".clone_into(&mut theory.title);
    paper.table(theory);
    if !right.rows.is_empty() {
        right.total(name().chain(right_cells(total)));
        "Corrections and decisions".clone_into(&mut right.title);
        paper.table(right);
    }
}

fn played_cells(figures: &Figures) -> [String; 8] {
    let whole = |number: i64| {
        let sign = if number < 0 { "−" } else { "" };
        format!("{sign}{}", count(number.unsigned_abs()))
    };
    [
        whole(figures.games),
        whole(figures.void),
        whole(figures.corrected),
        games_per_hour(figures),
        figures.drop.to_string(),
        figures.turnover.to_string(),
        figures.win.to_string(),
        percent(figures.hold),
    ]
}

fn theory_cells(figures: &Figures) -> [String; 8] {
    let amounts = [figures.win, figures.theoretical, figures.low, figures.high].map(|amount| amount.to_string());
    let shares = [figures.hold, figures.theoretical_hold, figures.hold_low, figures.hold_high].map(percent);
    let [win, theoretical, low, high] = amounts;
    let [hold, theoretical_hold, hold_low, hold_high] = shares;
    [win, theoretical, low, high, hold, theoretical_hold, hold_low, hold_high]
}

fn right_cells(figures: &Figures) -> [String; 5] {
    [figures.corrections, figures.decisions, figures.payable, figures.paid, figures.uncollected]
        .map(|amount| amount.to_string())
}

/// The course of the hold; a single step is none.
pub(super) fn hold_chart(paper: &mut Paper, course: &[SoFar], from: At) {
    let hours = |at: At| (at.0.0 - from.0.0) as f64 / HOUR as f64;
    let points = |of: fn(&SoFar) -> Option<f64>| -> Vec<(f64, f64)> {
        course.iter().filter_map(|point| Some((hours(point.until), of(point)? * 100.0))).collect()
    };
    let hold = points(|point| point.hold);
    if hold.len() < 2 {
        return;
    }
    let (low, high) = (points(|point| point.hold_low), points(|point| point.hold_high));
    let band = low.iter().zip(&high).map(|((x, low), (_, high))| BandPoint { x: *x, low: *low, high: *high });
    paper.chart(Chart::Lines(Lines {
        title: "Hold so far, % of the turnover, and its band".to_owned(),
        x_label: "hours from the beginning".to_owned(),
        y_label: "hold, %".to_owned(),
        lines: vec![
            Line { name: "hold".to_owned(), points: hold },
            Line { name: "theoretical".to_owned(), points: points(|point| point.theoretical_hold) },
        ],
        bands: vec![Band { name: "band, 1.96 σ".to_owned(), points: band.collect() }],
        ..Lines::default()
    }));
}
