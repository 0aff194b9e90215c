//! Past rounds (D24): they are looked up in the records and recalled with their proof. Before a correction or void of
//! them is confirmed, a preview shows what it would move.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use floor::{Body, Code, Floor, Post, RoundId, TableId, bounds};
use rulebook::{Cents, Rank};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, Caller};
use crate::api::command::read;
use crate::api::records::ask;
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::view::{self, Money};

/// How often a proof is asked for again, because the table played on meanwhile.
const TRIES: usize = 5;

/// A round of a range, and what becomes of it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeInput {
    /// Which round.
    pub round: u64,
    /// The result it is to have; left out or `null`: the round is void.
    #[serde(default)]
    #[schema(example = "2-2-3")]
    pub outcome: Option<String>,
}

/// What is to be looked at before it is confirmed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewInput {
    /// Round by round.
    #[serde(default)]
    pub changes: Vec<ChangeInput>,
    /// Or all settled rounds of the table from this one, to be voided.
    #[serde(default)]
    pub first: Option<u64>,
    /// To this one.
    #[serde(default)]
    pub last: Option<u64>,
}

/// What one round of a range would move.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PreviewRow {
    /// Which round.
    pub round: u64,
    /// Its result now.
    pub was: Option<String>,
    /// Its result afterwards; `null`: void.
    pub outcome: Option<String>,
    /// Players with bets in it.
    pub players: usize,
    /// Paid to credits, or in chips at a live table.
    pub credited: Money,
    /// Left to be paid at the cage.
    pub payable: Money,
    /// Taken off what was still to be paid at the cage.
    pub unpaid: Money,
    /// Taken from credits.
    pub taken: Money,
    /// What could not be collected as things stand now; at a live table what would be claimed.
    pub uncollected: Money,
}

/// What a correction or void of a range of rounds would move.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PreviewBody {
    /// What the confirmation names: it fixes what each player is entitled to.
    pub preview: String,
    /// Round by round.
    pub rounds: Vec<PreviewRow>,
    /// All of them together; its `round` is the first.
    pub total: PreviewRow,
}

fn row(floor: &Floor, table: TableId, found: &floor::PreviewRound) -> PreviewRow {
    let rulebook = floor.table(table).and_then(|table| {
        let archived = table.archived(found.round)?;
        floor.rulebooks().nth(usize::from(archived.rulebook()))
    });
    let shown = |index| rulebook.map(|rulebook| view::outcome(rulebook, index));
    let sum = |of: fn(&floor::Adjustment) -> Cents| {
        Money(Cents::checked_sum(found.adjustments.iter().map(of)).unwrap_or(Cents::ZERO))
    };
    let live = found.adjustments.is_empty();
    PreviewRow {
        round: found.round.0,
        was: found.was.and_then(shown),
        outcome: found.outcome.and_then(shown),
        players: found.players,
        credited: if live { found.chips.0.into() } else { sum(|a| a.credited) },
        payable: sum(|a| a.payable),
        unpaid: sum(|a| a.unpaid),
        taken: sum(|a| a.taken),
        uncollected: if live { found.chips.1.into() } else { sum(|a| a.uncollected) },
    }
}

fn total(rows: &[PreviewRow], players: usize) -> PreviewRow {
    let sum = |of: fn(&PreviewRow) -> Money| {
        Money(Cents::checked_sum(rows.iter().map(|row| of(row).0)).unwrap_or(Cents::ZERO))
    };
    PreviewRow {
        round: rows.first().map_or(0, |row| row.round),
        was: None,
        outcome: None,
        players,
        credited: sum(|row| row.credited),
        payable: sum(|row| row.payable),
        unpaid: sum(|row| row.unpaid),
        taken: sum(|row| row.taken),
        uncollected: sum(|row| row.uncollected),
    }
}

/// The changes as the floor takes them.
///
/// # Errors
/// When a result is none of the game's.
pub fn changes(
    floor: &Floor,
    table: TableId,
    input: &[ChangeInput],
) -> ApiResult<Vec<(RoundId, Option<rulebook::OutcomeIndex>)>> {
    let found = floor.table(table).ok_or_else(|| ApiError::not_found(&format!("table {table}")))?;
    let own = floor.rulebook_of(found);
    input
        .iter()
        .map(|change| {
            let round = RoundId(change.round);
            let played_by = found.archived(round).and_then(|past| floor.rulebooks().nth(usize::from(past.rulebook())));
            let outcome = match (&change.outcome, played_by.or(own)) {
                (Some(text), Some(rulebook)) => {
                    Some(rulebook.outcomes().parse(text).map_err(|error| ApiError::invalid("outcome", error))?)
                }
                _ => None,
            };
            Ok((round, outcome))
        })
        .collect()
}

/// Shows what a correction or void of rounds would move, before it is confirmed. Nothing is changed.
///
/// # Errors
/// When a round cannot be changed so.
pub async fn preview(
    State(app): State<Arc<App>>,
    Path(path): Path<HashMap<String, String>>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<Json<PreviewBody>> {
    let staff = caller.staff()?;
    let supervises = |post: Post| matches!(post, Post::Pit(rank) if rank >= Rank::PitSupervisor);
    if !app.read(|floor| caller::serves(floor, staff, supervises)) {
        return Err(ApiError::forbidden("only a Pit Supervisor or above may look at this"));
    }
    let text = path.get("table").map(String::as_str).unwrap_or_default();
    let table = TableId(text.parse().map_err(|_| ApiError::not_found(&format!("table '{text}'")))?);
    let mut input: PreviewInput = read(&body)?;
    if let (Some(first), Some(last)) = (input.first, input.last) {
        let settled = ask(&app, move |_, query| query.settled_between(table, RoundId(first), RoundId(last))).await?;
        input.changes.extend(settled.into_iter().map(|round| ChangeInput { round: round.0, outcome: None }));
    }
    let wanted: Vec<RoundId> = input.changes.iter().map(|change| RoundId(change.round)).collect();
    make_room(&app, table, &wanted).await;
    recall(&app, wanted).await?;
    app.read(|floor| {
        let changes = changes(floor, table, &input.changes)?;
        let preview = floor.preview(table, &changes).map_err(ApiError::from)?;
        let rounds: Vec<PreviewRow> = preview.rounds.iter().map(|found| row(floor, table, found)).collect();
        let terminals: BTreeSet<_> =
            preview.rounds.iter().flat_map(|round| &round.adjustments).map(|a| a.terminal).collect();
        let players = terminals.len().max(rounds.iter().map(|row| row.players).max().unwrap_or(0));
        Ok(Json(PreviewBody { preview: preview.hash.to_string(), total: total(&rounds, players), rounds }))
    })
}

/// Recalls past rounds that a command names and that have left the list of recent ones. Rounds that are in progress,
/// recent or unknown are left to the floor, which refuses them with the reason.
///
/// # Errors
/// When the records cannot be asked, or the floor does not take a round back.
pub async fn recall(app: &Arc<App>, rounds: Vec<RoundId>) -> ApiResult<()> {
    let absent = |floor: &Floor, round: &RoundId| {
        let here = |table: &floor::Table| {
            table.archived(*round).is_some() || table.round().is_some_and(|open| open.id() == *round)
        };
        !floor.tables().iter().any(here)
    };
    let mut wanted: Vec<RoundId> = app.read(|floor| rounds.into_iter().filter(|round| absent(floor, round)).collect());
    for _ in 0..TRIES {
        if wanted.is_empty() {
            return Ok(());
        }
        let asked = wanted.clone();
        let found = ask(app, move |_, query| {
            let mut found = Vec::new();
            let mut tables: HashMap<TableId, Vec<RoundId>> = HashMap::new();
            for round in asked {
                if let Some(table) = query.table_of_past(round)? {
                    tables.entry(table).or_default().push(round);
                }
            }
            for (table, rounds) in tables {
                found.extend(query.past_rounds(table, &rounds)?);
            }
            Ok(found)
        })
        .await?;
        wanted = found.iter().map(|past| past.round).collect();
        for records::PastRound { table, leaf, bytes, beside, read, round } in found {
            match app.own(Body::RecallRound { table, leaf, bytes, beside, read }).await {
                Ok(_) => wanted.retain(|other| *other != round),
                Err(error) if error.error.code == Code::NothingToDo.as_str() => {
                    wanted.retain(|other| *other != round);
                }
                // The table has played on since the proof was made.
                Err(error) if error.error.code == Code::NotProved.as_str() => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Puts recalled rounds back when they are no longer needed, and waits for it: the next command that names one of them
/// recalls it again.
///
/// Only the tables of these rounds: another person's command may just have recalled rounds of another table.
pub async fn put_back(app: &App, rounds: &[RoundId]) {
    let tables: Vec<TableId> = app.read(|floor| {
        let named = |table: &&floor::Table| table.recalled().any(|(_, past)| rounds.contains(&past.id()));
        floor.tables().iter().filter(named).map(floor::Table::id).collect()
    });
    put_tables_back(app, tables).await;
}

/// Makes room for a preview: if the rounds that earlier previews recalled at its table leave too little, they are put
/// back.
async fn make_room(app: &App, table: TableId, wanted: &[RoundId]) {
    let full = app.read(|floor| {
        let recalled = |found: &floor::Table| found.recalled().filter(|(_, past)| !wanted.contains(&past.id())).count();
        floor.table(table).is_some_and(|found| recalled(found) > 0 && recalled(found) + wanted.len() > bounds::RECALLED)
    });
    if full {
        put_tables_back(app, vec![table]).await;
    }
}

async fn put_tables_back(app: &App, tables: Vec<TableId>) {
    for table in tables {
        if let Err(refused) = app.own(Body::PutBack { table }).await {
            tracing::debug!(code = refused.error.code, "recalled rounds were not put back");
        }
    }
}

/// The rounds a request names, in its path or body.
#[must_use]
pub fn named(path: &HashMap<String, String>, body: &Bytes) -> Vec<RoundId> {
    let mut rounds: Vec<u64> = path.get("round").and_then(|text| text.parse().ok()).into_iter().collect();
    let mentions = body.windows(7).any(|word| word == b"\"round\"" || word == b"\"rounds");
    if let Some(value) = mentions.then(|| serde_json::from_slice::<serde_json::Value>(body).ok()).flatten() {
        let number = |value: &serde_json::Value| value.as_u64();
        let list = |name: &str| value.get(name).and_then(serde_json::Value::as_array).into_iter().flatten();
        rounds.extend(value.get("round").and_then(number));
        rounds.extend(list("rounds").filter_map(number));
        rounds.extend(list("changes").filter_map(|change| change.get("round").and_then(number)));
    }
    rounds.into_iter().map(RoundId).collect()
}
