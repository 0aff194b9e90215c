//! The table and its round, for everyone.

use floor::{Floor, Limit, Phase, TableId, TableMode, TableSettings, VoidBy};
use rulebook::{Family, OutcomeIndex, Rulebook};
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::{Money, Words};

/// A limit of a kind of bet.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LimitSection {
    /// The kind of bet.
    #[schema(example = "single")]
    pub family: String,
    /// The least a player may bet on a spot.
    pub minimum: Money,
    /// The most: per player and spot on terminals, per box on a live table.
    pub maximum: Option<Money>,
}

/// What changes rarely about a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TableSection {
    /// Which table.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// The id of its rulebook.
    #[schema(example = "rws-sicbo")]
    pub game: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// The title of the game.
    pub title: Words,
    /// How it is run.
    pub mode: ModeName,
    /// Whether it is open.
    pub open: bool,
    /// When it closes, once announced (S3): milliseconds since 1970.
    pub closes_at: Option<i64>,
    /// Whether a machine deals (S22).
    pub automatic: bool,
    /// Limits by kind of bet (S4).
    pub limits: Vec<LimitSection>,
    /// The largest differential of a live table.
    pub differential: Option<Money>,
    /// Limits that hold from the next round on, once announced (S12).
    pub announced: Option<Vec<LimitSection>>,
    /// Every bet is a multiple of this.
    pub step: Money,
    /// Milliseconds from opening until bets close by themselves; zero: the dealer closes (S22).
    pub betting_period: i64,
}

/// How a table is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeName {
    /// With Player Terminals.
    Terminals,
    /// Live, with results, voids, float and drop only.
    ResultsOnly,
    /// Live, with the chips on the layout recorded.
    BetsRecorded,
}

impl From<TableMode> for ModeName {
    fn from(mode: TableMode) -> ModeName {
        match mode {
            TableMode::Terminals => ModeName::Terminals,
            TableMode::ResultsOnly => ModeName::ResultsOnly,
            TableMode::BetsRecorded => ModeName::BetsRecorded,
        }
    }
}

impl From<ModeName> for TableMode {
    fn from(mode: ModeName) -> TableMode {
        match mode {
            ModeName::Terminals => TableMode::Terminals,
            ModeName::ResultsOnly => TableMode::ResultsOnly,
            ModeName::BetsRecorded => TableMode::BetsRecorded,
        }
    }
}

/// How far a round has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// The device was activated; bets are not yet open.
    Begun,
    /// Bets are taken.
    Open,
    /// No more bets.
    Closed,
    /// A result is entered and waits to be confirmed.
    Entered,
}

impl From<Phase> for PhaseName {
    fn from(phase: Phase) -> PhaseName {
        match phase {
            Phase::Begun => PhaseName::Begun,
            Phase::Open => PhaseName::Open,
            Phase::Closed => PhaseName::Closed,
            Phase::Entered => PhaseName::Entered,
        }
    }
}

/// The public view of the round in progress.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RoundSection {
    /// Which round.
    pub id: u64,
    /// How far it has come.
    pub phase: PhaseName,
    /// What is shown or announced now, in the words of the document.
    pub notice: Option<Words>,
    /// When it began.
    pub began_at: i64,
    /// When bets close by themselves.
    pub closes_at: Option<i64>,
    /// Whether a reported ground halts it.
    pub halted: bool,
    /// Whether it waits for an attestation.
    pub interrupted: bool,
    /// The device is at work.
    pub running: bool,
    /// The dice are uncovered.
    pub uncovered: bool,
    /// The result entered.
    pub outcome: Option<String>,
}

/// A result for the history: for information only.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ResultRow {
    /// Which round.
    pub round: u64,
    /// Its result.
    #[schema(example = "2-2-3")]
    pub outcome: String,
}

/// What became of the last round.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LastRoundSection {
    /// Which round.
    pub round: u64,
    /// Its result; `null` if it is void.
    pub outcome: Option<String>,
    /// Why it is void.
    pub void: Option<VoidSection>,
}

/// Why a round is void (S2).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct VoidSection {
    /// Words.
    pub words: Words,
    /// The paragraph.
    pub paragraph: Option<String>,
}

/// The text form of an outcome.
pub fn outcome(rulebook: &Rulebook, index: OutcomeIndex) -> String {
    rulebook.outcomes().outcome(index).map_or_else(String::new, |outcome| outcome.to_string())
}

fn limits(rulebook: &Rulebook, settings: &TableSettings) -> Vec<LimitSection> {
    rulebook.families().keys().map(|family| limit(*family, settings.limit_of(*family))).collect()
}

fn limit(family: Family, limit: Limit) -> LimitSection {
    let (minimum, maximum) = (limit.minimum.into(), limit.maximum.map(Money));
    LimitSection { family: family.as_str().to_owned(), minimum, maximum }
}

/// The table's own section.
pub fn table(floor: &Floor, id: TableId, automatic: bool) -> Option<TableSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let settings = table.settings();
    Some(TableSection {
        id: id.0,
        name: table.name().to_owned(),
        game: rulebook.id().to_owned(),
        rulebook: rulebook.hash().to_string(),
        title: (&rulebook.identity().title).into(),
        mode: table.mode().into(),
        open: table.is_open(),
        closes_at: table.closes_at().map(|at| at.0),
        automatic,
        limits: limits(rulebook, settings),
        differential: settings.differential.map(Money),
        announced: table.announced_settings().map(|settings| limits(rulebook, settings)),
        step: settings.step.into(),
        betting_period: settings.betting_period,
    })
}

/// The round in progress.
pub fn round(floor: &Floor, id: TableId) -> Option<RoundSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let round = table.round()?;
    let procedure = rulebook.procedure();
    let notice = match round.phase() {
        Phase::Begun => None,
        Phase::Open => Some(&procedure.opening.text),
        _ => Some(&procedure.closing.text),
    };
    let seen = round.seen();
    Some(RoundSection {
        id: round.id().0,
        phase: round.phase().into(),
        notice: notice.map(Words::from),
        began_at: round.begun_at().0,
        closes_at: round.closes_at().filter(|_| round.phase() == Phase::Open).map(|at| at.0),
        halted: round.is_halted(),
        interrupted: round.is_interrupted(),
        running: seen.running,
        uncovered: seen.uncovered,
        outcome: round.outcome().map(|index| outcome(rulebook, index)),
    })
}

/// Recent results, oldest first.
pub fn results(floor: &Floor, id: TableId) -> Vec<ResultRow> {
    let Some((table, rulebook)) = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?))) else {
        return Vec::new();
    };
    table.history().map(|(round, index)| ResultRow { round: round.0, outcome: outcome(rulebook, index) }).collect()
}

/// The newest results, oldest first.
pub fn last_results(floor: &Floor, id: TableId, count: usize) -> Vec<ResultRow> {
    let Some((table, rulebook)) = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?))) else {
        return Vec::new();
    };
    let row = |(round, index): (floor::RoundId, OutcomeIndex)| ResultRow {
        round: round.0,
        outcome: outcome(rulebook, index),
    };
    let mut rows: Vec<ResultRow> = table.history().rev().take(count).map(row).collect();
    rows.reverse();
    rows
}

/// What became of the last round.
pub fn last_round(floor: &Floor, id: TableId) -> Option<LastRoundSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let archived = table.archive().next_back()?;
    let outcome = archived.outcome().map(|index| outcome(rulebook, index));
    let void = archived.voided().and_then(|by| void(rulebook, by));
    Some(LastRoundSection { round: archived.id().0, outcome, void })
}

/// Why a round is void, in words and with the paragraph.
pub fn void(rulebook: &Rulebook, by: VoidBy) -> Option<VoidSection> {
    Some(match by {
        VoidBy::Ground(ground) => {
            let listed = rulebook.ground(ground)?;
            VoidSection { words: (&listed.name).into(), paragraph: Some(listed.paragraph.to_string()) }
        }
        VoidBy::Decision => {
            let paragraph = Some(rulebook.discretion().paragraph.to_string());
            VoidSection { words: Words::new("Decided by the Shift Manager", "由值班经理裁定"), paragraph }
        }
    })
}

/// The spots lit over the table: those that win by the result shown, on any of its layouts.
pub fn lit(floor: &Floor, id: TableId) -> Vec<String> {
    let lit = floor.display_view(id).map(|view| view.lit).unwrap_or_default();
    lit.iter().map(ToString::to_string).collect()
}
