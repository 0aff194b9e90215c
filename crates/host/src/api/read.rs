//! What can be looked at.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use floor::{Post, TerminalId};
use rulebook::Rank;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::caller::{self, Caller};
use crate::api::records::may_recall;
use crate::app::App;
use crate::clock;
use crate::door::address::Peer;
use crate::error::{ApiError, ApiResult};
use crate::members::{HostRow, HostsBody};
use crate::view::{self, BetRow, FloorSection, OwnSection, PitListBody, RoundSection, RulebookBody, RulebookRow};

/// The program that runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HostBody {
    /// The version.
    pub version: String,
    /// The hash of the program's file (S9).
    pub program: String,
    /// The hash of the rulebooks inside it.
    pub rulebooks: String,
    /// The floors it runs.
    pub floors: Vec<String>,
    /// Its clock: milliseconds since 1970.
    pub now: i64,
    /// Whether the floor is a demonstration (S21).
    pub demonstration: bool,
}

/// The host's clock.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TimeBody {
    /// Milliseconds since 1970.
    pub now: i64,
}

/// The program that runs.
pub async fn host(State(app): State<Arc<App>>) -> Json<HostBody> {
    Json(HostBody {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: app.release.program.to_string(),
        rulebooks: app.release.rulebooks.to_string(),
        floors: vec![app.name.clone()],
        now: clock::now().0,
        demonstration: app.is_demonstration(),
    })
}

/// The hosts of the floor: any of them serves any client.
pub async fn hosts(State(app): State<Arc<App>>) -> Json<HostsBody> {
    let alone = || {
        let host = app.config.host_name();
        let row = HostRow { host: host.clone(), address: app.config.address(), leads: true, key: String::new() };
        HostsBody { host, leads: true, hosts: vec![row], waiting: Vec::new(), keys: Vec::new() }
    };
    Json(app.membership.as_ref().map_or_else(alone, |membership| membership.hosts(app.leads())))
}

/// The floor.
pub async fn floor(State(app): State<Arc<App>>) -> Json<FloorSection> {
    Json(app.read(|floor| view::floor(floor, clock::now(), |table| app.is_automatic(table))))
}

/// Which rows of a list of the pit.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PartAsked {
    /// The first row, counted from 0.
    #[serde(default)]
    pub from: usize,
    /// How many rows, at most 1,000.
    pub limit: Option<usize>,
}

/// The most rows of a list in one answer.
const ROWS: usize = 1_000;

/// A list of the pit, in parts: the feed has the first 100 rows of each.
///
/// # Errors
/// When there is no such list, or it is not for who asks.
pub async fn pit_list(
    State(app): State<Arc<App>>,
    Path((_, list)): Path<(String, String)>,
    Query(asked): Query<PartAsked>,
    caller: Caller,
) -> ApiResult<Json<PitListBody>> {
    let staff = caller.staff()?;
    let sees = |post: Post| matches!(post, Post::Pit(rank) if rank >= Rank::PitSupervisor) || post == Post::Auditor;
    if !app.read(|floor| caller::serves(floor, staff, sees)) {
        return Err(ApiError::forbidden("this page is not for your post"));
    }
    let list = serde_json::from_value(list.into()).map_err(|_| ApiError::not_found("such list"))?;
    let part = (asked.from, asked.limit.unwrap_or(ROWS).min(ROWS));
    Ok(Json(app.read(|floor| view::pit_list(floor, app.links.held(), list, part, clock::now()))))
}

/// What a terminal shows of itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TerminalBody {
    /// The last durable record in it.
    pub sequence: u64,
    /// The table at which it plays.
    pub table: u16,
    /// The round in play there; `null` between rounds.
    pub round: Option<RoundSection>,
    /// Its credit, what is being printed, the ticket in doubt, limits of the visit.
    pub own: OwnSection,
    /// Its bets in the round in play.
    pub bets: Vec<BetRow>,
}

/// A terminal's credit, bets and ticket, as its feed shows them: for the terminal itself, and for staff who read records.
///
/// # Errors
/// When there is no such terminal, or it is another's.
pub async fn terminal(
    State(app): State<Arc<App>>,
    Path((_, terminal)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<TerminalBody>> {
    let terminal = TerminalId(terminal);
    may_recall(&app, &caller, terminal)?;
    let body = app.read(|floor| {
        let table = floor.terminal(terminal)?.table();
        Some(TerminalBody {
            sequence: floor.sequence(),
            table: table.0,
            round: view::round(floor, table),
            own: view::own(floor, terminal)?,
            bets: view::bets(floor, terminal),
        })
    });
    body.map(Json).ok_or_else(|| ApiError::not_found(&format!("terminal {terminal}")))
}

/// The host's clock.
pub async fn time() -> Json<TimeBody> {
    Json(TimeBody { now: clock::now().0 })
}

/// The rulebooks installed.
pub async fn rulebooks(State(app): State<Arc<App>>) -> Json<Vec<RulebookRow>> {
    Json(app.read(|floor| floor.rulebooks().map(view::rulebook_row).collect()))
}

/// A rulebook, by its hash or id.
///
/// # Errors
/// When it is not installed.
pub async fn rulebook(
    State(app): State<Arc<App>>,
    Path((_, wanted)): Path<(String, String)>,
) -> ApiResult<Json<RulebookBody>> {
    let found = app.read(|floor| {
        let fits = |book: &&rulebook::Rulebook| book.hash().to_string() == wanted || book.id() == wanted;
        floor.rulebooks().find(fits).map(view::rulebook)
    });
    found.map(Json).ok_or_else(|| ApiError::not_found(&format!("rulebook '{wanted}'")))
}

/// Whether the process lives.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether commands are taken here, or can be passed on.
pub async fn readyz(State(app): State<Arc<App>>) -> Response {
    let not_ready = |words: String| (StatusCode::SERVICE_UNAVAILABLE, words).into_response();
    match (app.halted(), app.not_ready()) {
        (Some(reason), _) => not_ready(format!("stopped: {reason}\n")),
        (None, Some(reason)) => not_ready(format!("not ready: {reason}\n")),
        (None, None) => (StatusCode::OK, "ready\n".to_owned()).into_response(),
    }
}

/// The figures of the host, in the form Prometheus reads: for this machine, for the addresses in the settings, and for
/// staff.
///
/// # Errors
/// When the caller may not see it.
pub async fn metrics(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    caller: Option<Caller>,
) -> ApiResult<Response> {
    let address = peer.address;
    let mut networks = app.config.trusted_proxies.iter().chain(&app.config.metrics_from);
    let near = !peer.unread && (address.is_loopback() || networks.any(|network| network.holds(address)));
    if !near && caller.is_none_or(|caller| caller.staff().is_err()) {
        return Err(ApiError::forbidden("the figures are for staff and for the addresses of the setting metrics_from"));
    }
    let body = app.metrics();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], body).into_response())
}
