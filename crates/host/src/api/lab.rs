//! The laboratory: what bets are worth, what rounds of them can win or lose, pay tables side by side. The input is only
//! rulebooks, and nothing about the floor's play, so it is public. Every request has a bound and is computed on a
//! separate thread.

use std::sync::Arc;

use ::lab::Figure;
use ::lab::compare::Comparison;
use ::lab::par::{FamilyRow, ParRow, ParSheet, Payment};
use ::lab::session::{Budget, Limits, Session, SessionError};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use rulebook::{Bet, Cents, Layout, Rulebook, SpotIndex, library};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::beside::{Asked, LAB};
use crate::api::papers::{Form, Sheet};
use crate::api::reports::FormAsked;
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::view::{self, RulebookBody, RulebookRow, Words};

/// The most rounds of a session here; the command line goes further.
const MOST_ROUNDS: u64 = 100_000;
/// The most bets of a session, pieces counted.
const MOST_BETS: usize = 200;
/// The most layouts side by side.
const MOST_LAYOUTS: usize = 6;
/// About a second of work.
const BUDGET: Budget = Budget { points: 1 << 20, steps: 2e9 };

/// A bet of a layout with all its figures.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SpotOddsBody {
    /// The spot.
    pub spot: String,
    /// The kind of bet.
    pub family: String,
    /// What it is paid, lowest first.
    pub pays: Vec<Payment>,
    /// In how many outcomes it wins.
    pub ways: u32,
    /// How likely it is to win.
    pub hit: Figure,
    /// What would be fair: losing ways to winning ways, to one.
    pub true_odds: Figure,
    /// What the house keeps of a unit.
    pub edge: Figure,
    /// The variance of the player's result per unit.
    pub variance: Figure,
    /// Its root.
    pub deviation: f64,
    /// 1.645 times the standard deviation.
    pub volatility: f64,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// `inferred, D1` and the like, where the odds are not read from the document.
    pub mark: Option<String>,
}

/// A kind of bet with its figures.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FamilyOddsBody {
    /// The kind of bet.
    pub family: String,
    /// Words for it.
    pub name: Words,
    /// How many spots it has.
    pub spots: usize,
    /// The lowest edge of them.
    pub least: Figure,
    /// The highest.
    pub most: Figure,
    /// The mean of them.
    pub mean: Figure,
    /// The paragraph that says when it wins.
    pub paragraph: String,
}

/// The odds of every spot of a layout.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OddsBody {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: Words,
    /// The rulebook's hash.
    pub hash: String,
    /// The document's version.
    pub version: String,
    /// Whether a regulator approved it.
    pub approved: bool,
    /// The layout.
    pub layout: String,
    /// Words for it.
    pub layout_name: Words,
    /// Its pay table.
    pub pay_table: Words,
    /// The paragraph of the pay table.
    pub pay_table_paragraph: String,
    /// How many outcomes a round can have, each equally likely.
    pub outcomes: usize,
    /// The smallest step of a stake.
    pub step: String,
    /// Cells in which a spot wins.
    pub winning_cells: usize,
    /// One unit on every spot over every outcome: the players' net result.
    pub net: Figure,
    /// Kinds of bet by ascending edge.
    pub families: Vec<FamilyOddsBody>,
    /// Every bet, in the order of the pay table.
    pub spots: Vec<SpotOddsBody>,
}

/// A session to work out.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionAsked {
    /// The bets of every round, divided by commas: `small=10,total/9=2.00`; multi-piece bets too.
    #[param(example = "small=10,total/9=2")]
    pub bets: String,
    /// How many rounds, at most 100,000.
    #[param(minimum = 1, maximum = 100_000)]
    pub rounds: u64,
    /// What the player begins with; without it there is no ruin.
    #[param(nullable = false)]
    pub bankroll: Option<String>,
    /// At what the player stops; needs a bankroll.
    #[param(nullable = false)]
    pub target: Option<String>,
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// Layouts to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareAsked {
    /// Two to six layouts as `RULEBOOK/LAYOUT`, divided by commas; each is held against the first.
    #[param(example = "rws-sicbo/a,rws-sicbo/c")]
    pub layouts: String,
    /// Bets whose edge is wanted on each of them, as in a session.
    #[param(nullable = false)]
    pub bets: Option<String>,
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// A rulebook by its hash or id: one that the floor has installed, or one inside the program.
fn find(app: &App, wanted: &str) -> ApiResult<Arc<Rulebook>> {
    let fits = |book: &&Rulebook| book.hash().to_string() == wanted || book.id() == wanted;
    let installed = app.read(|floor| floor.rulebooks().find(fits).cloned());
    let inside = || library::all().ok().and_then(|all| all.iter().find(fits)).cloned();
    installed.or_else(inside).map(Arc::new).ok_or_else(|| ApiError::not_found(&format!("rulebook '{wanted}'")))
}

fn layout<'a>(rulebook: &'a Rulebook, id: &str) -> ApiResult<&'a Layout> {
    let known = || rulebook.layouts().iter().map(Layout::id).collect::<Vec<_>>().join(", ");
    let none = || ApiError::not_found(&format!("layout '{id}' in {}; there are {}", rulebook.id(), known()));
    rulebook.layout(id).ok_or_else(none)
}

/// The rulebooks that can be looked into: those installed, and those inside the program.
pub async fn rulebooks(State(app): State<Arc<App>>) -> Json<Vec<RulebookRow>> {
    let mut rows: Vec<RulebookRow> = app.read(|floor| floor.rulebooks().map(view::rulebook_row).collect());
    for book in library::all().unwrap_or_default() {
        let row = view::rulebook_row(book);
        if rows.iter().all(|known| known.hash != row.hash) {
            rows.push(row);
        }
    }
    Json(rows)
}

/// A rulebook, by its hash or id.
///
/// # Errors
/// When there is none.
pub async fn rulebook(State(app): State<Arc<App>>, Path(wanted): Path<String>) -> ApiResult<Json<RulebookBody>> {
    Ok(Json(view::rulebook(&*find(&app, &wanted)?)))
}

/// The odds of every spot of a layout.
///
/// # Errors
/// When there is no such rulebook or layout.
pub async fn odds(
    State(app): State<Arc<App>>,
    Path((wanted, id)): Path<(String, String)>,
    Asked(asked): Asked<FormAsked>,
) -> ApiResult<Sheet> {
    let book = find(&app, &wanted)?;
    layout(&book, &id)?;
    let work = move || {
        let layout = layout(&book, &id)?;
        let sheet = ParSheet::of(&book, layout);
        let name = format!("odds-{}-{}", sheet.game, sheet.layout);
        Sheet::of(asked.format, &name, &odds_body(&book, layout, &sheet), || sheet.paper())
    };
    LAB.work(work).await?
}

fn odds_body(book: &Rulebook, layout: &Layout, sheet: &ParSheet) -> OddsBody {
    let family = |row: &FamilyRow| FamilyOddsBody {
        family: row.family.to_string(),
        name: book.name_of(layout, row.family).map_or_else(|| Words::new("", ""), Into::into),
        spots: row.spots,
        least: row.least.into(),
        most: row.most.into(),
        mean: row.mean.into(),
        paragraph: row.paragraph.clone(),
    };
    OddsBody {
        game: sheet.game.clone(),
        title: (&book.identity().title).into(),
        hash: sheet.hash.clone(),
        version: sheet.version.clone(),
        approved: sheet.approved,
        layout: sheet.layout.clone(),
        layout_name: layout.name().into(),
        pay_table: layout.pay_table_name().into(),
        pay_table_paragraph: sheet.pay_table_paragraph.clone(),
        outcomes: sheet.outcomes,
        step: sheet.step.clone(),
        winning_cells: sheet.winning_cells,
        net: sheet.net.into(),
        families: sheet.families.iter().map(family).collect(),
        spots: sheet.spots.iter().map(spot_odds).collect(),
    }
}

fn spot_odds(row: &ParRow) -> SpotOddsBody {
    SpotOddsBody {
        spot: row.spot.clone(),
        family: row.family.to_string(),
        pays: row.pays.clone(),
        ways: row.ways,
        hit: row.hit.into(),
        true_odds: row.true_odds.into(),
        edge: row.edge.into(),
        variance: row.variance.into(),
        deviation: row.deviation,
        volatility: row.volatility,
        paragraph: row.paragraph.clone(),
        mark: row.mark.clone(),
    }
}

/// The bets that words stand for: single ones, or the pieces of multi-piece bets.
fn bets(book: &Rulebook, text: &str) -> ApiResult<Vec<Bet>> {
    let refused = |why: String| ApiError::invalid("bets", why);
    let mut bets = Vec::new();
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let (name, amount) = Bet::split(word).map_err(|error| refused(format!("{word}: {error}")))?;
        let head = name.split_once('/').map_or(name, |(head, _)| head);
        if book.multi_piece().iter().any(|bet| bet.id == head) {
            let (_, pieces) = book.expand(name).map_err(|error| refused(error.to_string()))?;
            for piece in pieces {
                let stake =
                    Rulebook::piece_stake(amount, piece).map_err(|error| refused(format!("{word}: {error}")))?;
                bets.push(Bet { spot: piece.spot, stake });
            }
        } else {
            let spot = name.parse().map_err(|error| refused(format!("{name}: {error}")))?;
            bets.push(Bet { spot, stake: amount });
        }
        if bets.len() > MOST_BETS {
            return Err(refused(format!("at most {MOST_BETS} bets, pieces counted")));
        }
    }
    Ok(bets)
}

fn placed(layout: &Layout, bets: &[Bet]) -> ApiResult<Vec<(SpotIndex, Cents)>> {
    let place = |bet: &Bet| {
        let spot = layout.index(bet.spot).map_err(|error| ApiError::invalid("bets", error))?;
        Ok((spot, bet.stake))
    };
    bets.iter().map(place).collect()
}

fn amount(field: &str, text: Option<&str>) -> ApiResult<Option<Cents>> {
    text.map(|text| text.parse().map_err(|error| ApiError::invalid(field, format!("'{text}': {error}")))).transpose()
}

/// Which field of the request an error is about.
fn session_error(error: &SessionError) -> ApiError {
    let (field, rule, zh) = match error {
        SessionError::NoBets => ("bets", "the request", "至少需要一项投注"),
        SessionError::OffStep(_) => ("bets", "D9", "金额不是投注单位的整数倍"),
        SessionError::TooLarge => ("bets", "the request", "金额过大"),
        SessionError::Rounds => ("rounds", "the request", "局数无效"),
        SessionError::TooFine { .. } | SessionError::TooMuchWork { .. } => {
            ("rounds", "the host", "计算量过大：请用较整的金额或较少的局数")
        }
        SessionError::BankrollBelowStakes { .. } => ("bankroll", "the request", "本金不足以支付一局投注"),
        SessionError::TargetBelowBankroll { .. } => ("target", "the request", "目标须高于本金"),
    };
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error.code(), rule, format!("{field}: {error}"), zh)
}

/// The results of a number of rounds of given bets: the whole distribution, not a sample.
///
/// # Errors
/// When something of the request cannot be taken, or takes too much work.
pub async fn session(
    State(app): State<Arc<App>>,
    Path((wanted, id)): Path<(String, String)>,
    Asked(asked): Asked<SessionAsked>,
) -> ApiResult<Sheet> {
    let book = find(&app, &wanted)?;
    let on = placed(layout(&book, &id)?, &bets(&book, &asked.bets)?)?;
    if asked.rounds == 0 || asked.rounds > MOST_ROUNDS {
        return Err(ApiError::invalid("rounds", format!("between 1 and {MOST_ROUNDS}")));
    }
    let limits = Limits {
        bankroll: amount("bankroll", asked.bankroll.as_deref())?,
        target: amount("target", asked.target.as_deref())?,
    };
    if limits.bankroll.is_none() && limits.target.is_some() {
        return Err(ApiError::invalid("target", "needs a bankroll"));
    }
    let work = move || {
        let layout = layout(&book, &id)?;
        let figures = Session::within(&book, layout, &on, asked.rounds, limits, BUDGET);
        let figures = figures.map_err(|error| session_error(&error))?;
        Sheet::of(asked.format, &format!("session-{}-{id}", book.id()), &figures, || figures.paper())
    };
    LAB.work(work).await?
}

/// Pay tables side by side.
///
/// # Errors
/// When one of them is not there, or there are too few or too many.
pub async fn compare(State(app): State<Arc<App>>, Asked(asked): Asked<CompareAsked>) -> ApiResult<Sheet> {
    let mut wanted: Vec<(Arc<Rulebook>, String)> = Vec::new();
    for word in asked.layouts.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let none = || ApiError::invalid("layouts", format!("'{word}': write RULEBOOK/LAYOUT"));
        let (book, id) = word.rsplit_once('/').ok_or_else(none)?;
        let book = find(&app, book)?;
        layout(&book, id)?;
        wanted.push((book, id.to_owned()));
    }
    if !(2..=MOST_LAYOUTS).contains(&wanted.len()) {
        return Err(ApiError::invalid("layouts", format!("two to {MOST_LAYOUTS}, divided by commas")));
    }
    let work = move || {
        let layouts = wanted.iter().map(|(book, id)| Ok((&**book, layout(book, id)?)));
        let layouts: Vec<(&Rulebook, &Layout)> = layouts.collect::<ApiResult<_>>()?;
        let first = wanted.first().map(|(book, _)| book);
        let bets = match (first, asked.bets.as_deref()) {
            (Some(book), Some(text)) => bets(book, text)?,
            _ => Vec::new(),
        };
        let bets: Vec<_> = bets.iter().map(|bet| (bet.spot, bet.stake)).collect();
        let comparison = Comparison::of(&layouts, &bets);
        Sheet::of(asked.format, "pay-tables", &comparison, || comparison.paper())
    };
    LAB.work(work).await?
}
