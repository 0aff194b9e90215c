//! History: rounds, a terminal's last ones, money, significant events. From the read model, which says up to which
//! record it is current.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use floor::{Moment, Post, Sender, StaffId, TableId, TerminalId};
use records::{EventFilter, Kind, MoneyFilter, RoundFilter, RoundStatus};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::caller::{self, Caller};
use crate::api::reports;
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::view::{self, Money, ResultRow, Words};

/// Why a round is void.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VoidBody {
    /// The ground, or `decision`.
    pub by: Option<String>,
    /// The ground in the words of the document.
    pub words: Option<Words>,
    /// The paragraph.
    pub paragraph: Option<String>,
    /// What was said about it.
    pub reason: Option<String>,
    /// Who declared, confirmed or decided it.
    pub staff: Option<String>,
    /// Who witnessed it.
    pub witness: Option<String>,
}

/// A round in short.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoundRow {
    /// Which.
    pub round: u64,
    /// Where.
    pub table: u16,
    /// The table's name.
    pub table_name: String,
    /// The game's id.
    pub game: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// The tumbler or wheel.
    pub device: Option<u16>,
    /// When it began.
    pub begun_at: i64,
    /// When bets opened.
    pub opened_at: Option<i64>,
    /// When bets closed.
    pub closed_at: Option<i64>,
    /// When it was settled or void.
    pub ended_at: Option<i64>,
    /// What has become of it: `open`, `settled`, `void` or `corrected`.
    pub status: String,
    /// The result as it stands.
    pub outcome: Option<String>,
    /// Terminals, or positions of a live table, with bets.
    pub players: u64,
    /// What was bet.
    pub staked: Money,
    /// What the bets return by the result as it stands.
    pub returned: Money,
    /// How often it was put right after settlement.
    pub corrections: u64,
    /// Why it is void.
    pub void: Option<VoidBody>,
}

/// Rounds, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoundsBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// The rounds.
    pub rounds: Vec<RoundRow>,
    /// What to ask for with `before` to get the rest.
    pub next: Option<u64>,
}

/// A bet of a past round.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PastBet {
    /// Where.
    pub spot: String,
    /// The multi-piece bet it belongs to.
    pub pieces: Option<String>,
    /// How much.
    pub stake: Money,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// The odds it is paid at; `null` if it lost or the round is void.
    pub odds: Option<String>,
    /// What it returns, stake included.
    pub returned: Money,
}

/// One terminal's bets of a past round.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PastBets {
    /// Whose.
    pub terminal: u32,
    /// The terminal's name.
    pub terminal_name: String,
    /// The layout.
    pub layout: String,
    /// Its pay table.
    pub pay_table: Words,
    /// The paragraph of the pay table.
    pub pay_table_paragraph: String,
    /// The bets.
    pub bets: Vec<PastBet>,
    /// What was bet.
    pub staked: Money,
    /// What was returned when the round ended.
    pub returned: Money,
    /// What the bets return by the result as it stands.
    pub entitled: Money,
}

/// A player's round.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayerRoundBody {
    /// The round.
    pub round: RoundRow,
    /// The bets.
    pub player: PastBets,
}

/// A terminal's last rounds (S13).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RecallBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// The rounds, newest first; for the terminal itself those of the visit only.
    pub rounds: Vec<PlayerRoundBody>,
}

/// A movement of money.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MoneyRow {
    /// The record that moved it.
    pub sequence: u64,
    /// When.
    pub at: i64,
    /// Why: `cash-in`, `wager`, `win` …
    pub cause: String,
    /// How much.
    pub amount: Money,
    /// From which account.
    pub from: String,
    /// To which account.
    pub to: String,
    /// The round.
    pub round: Option<u64>,
    /// The ticket, by its id.
    pub ticket: Option<u64>,
}

/// A terminal's last money transactions (S13).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MoneyBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// When the visit at the terminal began; `null` where there is none, or who asks is not the terminal.
    pub began: Option<i64>,
    /// The movements, newest first; for the terminal itself those of the visit only.
    pub money: Vec<MoneyRow>,
}

/// A movement of money on the floor.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FoundMoneyRow {
    /// The record that moved it.
    pub sequence: u64,
    /// When.
    pub at: i64,
    /// Why: `cash-in`, `wager`, `win` …
    pub cause: String,
    /// How much.
    pub amount: Money,
    /// From which account.
    pub from: String,
    /// To which account.
    pub to: String,
    /// At which terminal.
    pub terminal: Option<u32>,
    /// At which table.
    pub table: Option<u16>,
    /// The round.
    pub round: Option<u64>,
    /// The ticket, by its id.
    pub ticket: Option<u64>,
    /// Who moved it by hand.
    pub staff: Option<String>,
}

/// Movements of money, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FoundMoneyBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// The movements.
    pub money: Vec<FoundMoneyRow>,
    /// What to ask for with `before` to get the rest.
    pub next: Option<u64>,
}

/// A line of a round's story.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoundLineBody {
    /// The record.
    pub sequence: u64,
    /// When.
    pub at: i64,
    /// What, in a word that does not change.
    pub code: String,
    /// The terminal it is about.
    pub terminal: Option<u32>,
    /// Who did it.
    pub staff: Option<String>,
    /// What, in words.
    pub words: String,
}

/// A player's chips of a live round.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PastChips {
    /// Whose.
    pub position: u8,
    /// Where.
    pub spot: String,
    /// The bet as it stood.
    pub bet: Money,
    /// What of it won or lost, after pro rata.
    pub at_risk: Money,
    /// The odds.
    pub odds: Option<String>,
    /// What it returns by the record and the result as they stand.
    pub returned: Money,
    /// What was returned when the round was settled.
    pub settled: Money,
}

/// A whole round: every bet, every event, who did what (S5).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoundBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// The round in short.
    pub round: RoundRow,
    /// The bets of every terminal.
    pub players: Vec<PastBets>,
    /// The chips of a live table.
    pub chips: Vec<PastChips>,
    /// Every event, in order.
    pub lines: Vec<RoundLineBody>,
}

/// A significant event (S14).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SignificantRow {
    /// The record.
    pub sequence: u64,
    /// When.
    pub at: i64,
    /// What kind.
    pub kind: String,
    /// What, in a word that does not change.
    pub code: String,
    /// The table it is about.
    pub table: Option<u16>,
    /// The round it is about.
    pub round: Option<u64>,
    /// The terminal it is about.
    pub terminal: Option<u32>,
    /// Who did it.
    pub staff: Option<String>,
    /// What, in words.
    pub words: String,
}

/// Significant events, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SignificantBody {
    /// Up to which record this is true.
    pub sequence: u64,
    /// The events.
    pub events: Vec<SignificantRow>,
    /// What to ask for with `before` to get the rest.
    pub next: Option<u64>,
}

/// Which rounds.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RoundsAsked {
    /// Of that table.
    #[param(nullable = false)]
    pub table: Option<u16>,
    /// Begun at that moment or later: milliseconds since 1970.
    #[param(nullable = false)]
    pub from: Option<i64>,
    /// Begun before that moment.
    #[param(nullable = false)]
    pub to: Option<i64>,
    /// With that result, dice in any order.
    #[param(nullable = false)]
    pub outcome: Option<String>,
    /// `open`, `settled`, `void` or `corrected`.
    #[param(nullable = false)]
    pub status: Option<String>,
    /// Older than that round.
    #[param(nullable = false)]
    pub before: Option<u64>,
    /// How many at most; 50 by default.
    #[param(nullable = false)]
    pub limit: Option<u32>,
}

/// Which events.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsAsked {
    /// Of that kind, such as `access`, `configuration` or `irregularity`.
    #[param(nullable = false)]
    pub kind: Option<String>,
    /// Of that table.
    #[param(nullable = false)]
    pub table: Option<u16>,
    /// Of that terminal.
    #[param(nullable = false)]
    pub terminal: Option<u32>,
    /// Older than that record.
    #[param(nullable = false)]
    pub before: Option<u64>,
    /// How many at most; 50 by default.
    #[param(nullable = false)]
    pub limit: Option<u32>,
}

/// Which movements of money.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MoneyAsked {
    /// At that terminal.
    #[param(nullable = false)]
    pub terminal: Option<u32>,
    /// Of that ticket, by its id.
    #[param(nullable = false)]
    pub ticket: Option<u64>,
    /// Of exactly that amount.
    #[param(nullable = false)]
    pub amount: Option<Money>,
    /// At that moment or later: milliseconds since 1970.
    #[param(nullable = false)]
    pub from: Option<i64>,
    /// Before that moment.
    #[param(nullable = false)]
    pub to: Option<i64>,
    /// Older than those of the page before.
    #[param(nullable = false)]
    pub before: Option<u64>,
    /// How many at most; 50 by default.
    #[param(nullable = false)]
    pub limit: Option<u32>,
}

/// Recent results.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ResultsBody {
    /// Oldest first; void rounds have none.
    pub results: Vec<ResultRow>,
}

fn at(moment: Moment) -> i64 {
    moment.0
}

fn words(words: &records::Words) -> Words {
    Words::new(words.en.clone(), words.zh.clone())
}

fn name(app: &App, staff: Option<StaffId>) -> Option<String> {
    staff.map(|id| app.name_of(id))
}

fn round_row(app: &App, round: &records::RoundSummary) -> RoundRow {
    RoundRow {
        round: round.round.0,
        table: round.table.0,
        table_name: round.table_name.clone(),
        game: round.game.clone(),
        rulebook: round.rulebook.clone(),
        device: round.device.map(|device| device.0),
        begun_at: at(round.begun_at),
        opened_at: round.opened_at.map(at),
        closed_at: round.closed_at.map(at),
        ended_at: round.ended_at.map(at),
        status: round.status.as_str().to_owned(),
        outcome: round.outcome.clone(),
        players: round.players,
        staked: round.staked.into(),
        returned: round.returned.into(),
        corrections: round.corrections,
        void: round.void.as_ref().map(|void| VoidBody {
            by: void.by.clone(),
            words: void.words.as_ref().map(words),
            paragraph: void.paragraph.clone(),
            reason: void.reason.clone(),
            staff: name(app, void.staff),
            witness: name(app, void.witness),
        }),
    }
}

fn past_bets(player: &records::PlayerBets) -> PastBets {
    PastBets {
        terminal: player.terminal.0,
        terminal_name: player.terminal_name.clone(),
        layout: player.layout.id.clone(),
        pay_table: words(&player.layout.pay_table),
        pay_table_paragraph: player.layout.pay_table_paragraph.clone(),
        bets: player
            .bets
            .iter()
            .map(|bet| PastBet {
                spot: bet.spot.clone(),
                pieces: bet.pieces.clone(),
                stake: bet.stake.into(),
                paragraph: bet.paragraph.clone(),
                odds: bet.odds.clone(),
                returned: bet.returned.into(),
            })
            .collect(),
        staked: player.staked.into(),
        returned: player.returned.into(),
        entitled: player.entitled.into(),
    }
}

/// A round of the records, as the API tells it.
pub(super) fn round_body(app: &App, found: &records::RoundRecord) -> RoundBody {
    RoundBody {
        sequence: found.sequence,
        round: round_row(app, &found.summary),
        players: found.players.iter().map(past_bets).collect(),
        chips: found
            .chips
            .iter()
            .map(|chips| PastChips {
                position: chips.position.0,
                spot: chips.spot.clone(),
                bet: chips.bet.into(),
                at_risk: chips.at_risk.into(),
                odds: chips.odds.clone(),
                returned: chips.entitled.into(),
                settled: chips.returned.into(),
            })
            .collect(),
        lines: found
            .lines
            .iter()
            .map(|line| RoundLineBody {
                sequence: line.sequence,
                at: at(line.at),
                code: line.code.clone(),
                terminal: line.terminal.map(|terminal| terminal.0),
                staff: name(app, line.staff),
                words: line.words.clone(),
            })
            .collect(),
    }
}

/// How long a question waits for records that were durable before it was asked.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads the records, on a separate thread: SQLite may wait for the disk. A client that knows of a completed command
/// must find it here, so the records first catch up with the floor. If they cannot in time, the answer is as old as
/// they are, and its sequence says so.
pub(crate) async fn ask<T: Send + 'static>(
    app: &Arc<App>,
    question: impl FnOnce(&App, &records::Query<'_>) -> Result<T, records::Error> + Send + 'static,
) -> ApiResult<T> {
    let host = Arc::clone(app);
    let asked = tokio::task::spawn_blocking(move || {
        let now = host.read(floor::Floor::sequence);
        if !host.records.wait_for(now, PATIENCE) {
            tracing::debug!(now, written = host.records.sequence(), "the records are behind");
        }
        let reader = host.records.reader()?;
        question(&host, &reader.query())
    });
    asked.await.map_err(ApiError::internal)?.map_err(|error| {
        if error.is_beyond_all() {
            return beyond_all();
        }
        tracing::warn!(%error, "the records could not be read");
        ApiError::new(
            axum::http::StatusCode::SERVICE_UNAVAILABLE,
            "records",
            "the read model",
            "the records are being made; try again soon",
            "记录正在整理，请稍后再试",
        )
        .retry_after(1)
    })
}

/// No record has a number as large as the one that was asked for.
pub(super) fn beyond_all() -> ApiError {
    ApiError::not_found("record with such a number")
}

/// Rounds and events of the whole floor, as their reports: the pit from the supervisor up, the auditor and the
/// administrator.
fn may_read_house(app: &App, caller: &Caller) -> ApiResult<()> {
    reports::may_read_house(app, caller)
}

/// What a terminal did: the cage too.
fn may_read(app: &App, caller: &Caller) -> ApiResult<()> {
    let staff = caller.staff()?;
    // A technician has nothing to do with rounds and money (D30).
    let reads = |post: Post| !matches!(post, Post::Pit(rulebook::Rank::Dealer) | Post::Technician);
    if app.read(|floor| caller::serves(floor, staff, reads)) {
        Ok(())
    } else {
        Err(ApiError::forbidden("the records are not for your post"))
    }
}

/// How much of a terminal's past is shown.
#[derive(Copy, Clone)]
pub enum Shown {
    /// All of it, to staff.
    All,
    /// What belongs to the visit: a player sees nothing of an earlier one.
    Visit(floor::VisitId),
    /// No one plays there.
    Nothing,
}

/// A terminal sees its own, of the visit that is there; staff see every terminal's.
///
/// # Errors
/// When it is another terminal's, or the post does not read records.
pub fn may_recall(app: &App, caller: &Caller, terminal: TerminalId) -> ApiResult<Shown> {
    match caller.sender {
        Sender::Terminal(own) if own == terminal => {
            let visit = app.read(|floor| floor.terminal(own).and_then(floor::Terminal::visit));
            Ok(visit.map_or(Shown::Nothing, Shown::Visit))
        }
        Sender::Staff(_) => may_read(app, caller).map(|()| Shown::All),
        _ => Err(ApiError::forbidden("this is another terminal's")),
    }
}

/// Rounds, newest first.
///
/// # Errors
/// When who asks may not.
pub async fn rounds(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(asked): Query<RoundsAsked>,
) -> ApiResult<Json<RoundsBody>> {
    may_read_house(&app, &caller)?;
    let status = match asked.status.as_deref() {
        None => None,
        Some(text) => Some(
            RoundStatus::parse(text).ok_or_else(|| ApiError::invalid("status", "open, settled, void or corrected"))?,
        ),
    };
    let filter = RoundFilter {
        table: asked.table.map(TableId),
        from: asked.from.map(Moment),
        to: asked.to.map(Moment),
        outcome: asked.outcome,
        status,
        before: asked.before,
        limit: asked.limit,
    };
    let body = ask(&app, move |app, query| {
        let page = query.rounds(&filter)?;
        let rounds = page.rows.iter().map(|round| round_row(app, round)).collect();
        Ok(RoundsBody { sequence: page.sequence, rounds, next: page.next })
    });
    body.await.map(Json)
}

/// A whole round.
///
/// # Errors
/// When there is none, or who asks may not.
pub async fn round(
    State(app): State<Arc<App>>,
    Path((_, round)): Path<(String, u64)>,
    caller: Caller,
) -> ApiResult<Json<RoundBody>> {
    may_read_house(&app, &caller)?;
    let found = ask(&app, move |app, query| {
        let found = query.round(floor::RoundId(round))?;
        Ok(found.map(|found| round_body(app, &found)))
    });
    found.await?.map(Json).ok_or_else(|| ApiError::not_found(&format!("round {round} in the records")))
}

/// A terminal's last ten rounds, complete (S13).
///
/// # Errors
/// When who asks may not.
pub async fn recall(
    State(app): State<Arc<App>>,
    Path((_, terminal)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<RecallBody>> {
    let terminal = TerminalId(terminal);
    let shown = may_recall(&app, &caller, terminal)?;
    let body = ask(&app, move |app, query| {
        let rounds = match shown {
            Shown::All => query.last_rounds(terminal, 10)?,
            Shown::Visit(visit) => query.visit_rounds(terminal, visit, 10)?,
            Shown::Nothing => Vec::new(),
        };
        let row = |round: &records::PlayerRound| PlayerRoundBody {
            round: round_row(app, &round.round),
            player: past_bets(&round.player),
        };
        Ok(RecallBody { sequence: query.sequence()?, rounds: rounds.iter().map(row).collect() })
    });
    body.await.map(Json)
}

/// A terminal's last 35 money transactions (S13).
///
/// # Errors
/// When who asks may not.
pub async fn money(
    State(app): State<Arc<App>>,
    Path((_, terminal)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<MoneyBody>> {
    let terminal = TerminalId(terminal);
    let shown = may_recall(&app, &caller, terminal)?;
    let body = ask(&app, move |_, query| {
        let (began, money) = match shown {
            Shown::All => (None, query.last_money(terminal, 35)?),
            Shown::Visit(visit) => (query.visit_began(visit)?.map(at), query.visit_money(visit, 35)?),
            Shown::Nothing => (None, Vec::new()),
        };
        let row = |money: &records::MoneyRecord| MoneyRow {
            sequence: money.sequence,
            at: at(money.at),
            cause: money.cause.clone(),
            amount: money.amount.into(),
            from: money.from.clone(),
            to: money.to.clone(),
            round: money.round.map(|round| round.0),
            ticket: money.ticket.map(|ticket| ticket.0),
        };
        Ok(MoneyBody { sequence: query.sequence()?, began, money: money.iter().map(row).collect() })
    });
    body.await.map(Json)
}

/// Movements of money on the floor, newest first: what a dispute is about.
///
/// # Errors
/// When who asks may not.
pub async fn find_money(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(asked): Query<MoneyAsked>,
) -> ApiResult<Json<FoundMoneyBody>> {
    may_read_house(&app, &caller)?;
    let filter = MoneyFilter {
        terminal: asked.terminal.map(TerminalId),
        ticket: asked.ticket.map(floor::TicketId),
        amount: asked.amount.map(|amount| amount.0),
        from: asked.from.map(Moment),
        to: asked.to.map(Moment),
        before: asked.before,
        limit: asked.limit,
    };
    let body = ask(&app, move |app, query| {
        let page = query.money(&filter)?;
        let row = |money: &records::MoneyRecord| FoundMoneyRow {
            sequence: money.sequence,
            at: at(money.at),
            cause: money.cause.clone(),
            amount: money.amount.into(),
            from: money.from.clone(),
            to: money.to.clone(),
            terminal: money.terminal.map(|terminal| terminal.0),
            table: money.table.map(|table| table.0),
            round: money.round.map(|round| round.0),
            ticket: money.ticket.map(|ticket| ticket.0),
            staff: name(app, money.staff),
        };
        Ok(FoundMoneyBody { sequence: page.sequence, money: page.rows.iter().map(row).collect(), next: page.next })
    });
    body.await.map(Json)
}

/// Significant events, newest first (S14).
///
/// # Errors
/// When who asks may not.
pub async fn events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(asked): Query<EventsAsked>,
) -> ApiResult<Json<SignificantBody>> {
    may_read_house(&app, &caller)?;
    let kind = match asked.kind.as_deref() {
        None => None,
        Some(text) => Some(Kind::parse(text).ok_or_else(|| ApiError::invalid("kind", format!("'{text}' is none")))?),
    };
    let filter = EventFilter {
        kind,
        table: asked.table.map(TableId),
        terminal: asked.terminal.map(TerminalId),
        before: asked.before,
        limit: asked.limit,
        ..EventFilter::default()
    };
    let body = ask(&app, move |app, query| {
        let page = query.significant(&filter)?;
        let row = |event: &records::EventRecord| SignificantRow {
            sequence: event.sequence,
            at: at(event.at),
            kind: event.kind.as_str().to_owned(),
            code: event.code.clone(),
            table: event.table.map(|table| table.0),
            round: event.round.map(|round| round.0),
            terminal: event.terminal.map(|terminal| terminal.0),
            staff: name(app, event.staff),
            words: event.words.clone(),
        };
        Ok(SignificantBody { sequence: page.sequence, events: page.rows.iter().map(row).collect(), next: page.next })
    });
    body.await.map(Json)
}

/// Recent results of a table, oldest first: for information only.
///
/// # Errors
/// When there is no such table.
pub async fn results(
    State(app): State<Arc<App>>,
    Path((_, table)): Path<(String, u16)>,
) -> ApiResult<Json<ResultsBody>> {
    let table = TableId(table);
    app.read(|floor| floor.table(table).map(|_| Json(ResultsBody { results: view::results(floor, table) })))
        .ok_or_else(|| ApiError::not_found(&format!("table {table}")))
}
