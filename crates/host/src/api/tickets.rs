//! Requests whose answer contains a ticket. Its number is cash and goes to the printing client only, once.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use floor::{Body, Post, Sender, TerminalId, TicketHash, TicketId, TicketPlace, TicketState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, Caller};
use crate::api::command;
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::{BetChangeMessage, TicketSlip};
use crate::feed::terminal::TerminalEnd;
use crate::tries;
use crate::view::Money;

/// A ticket to be printed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketBody {
    /// The record.
    pub accepted: u64,
    /// The ticket.
    pub ticket: TicketSlip,
}

/// A ticket to be sold.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SellTicket {
    /// For how much.
    pub amount: Money,
    /// The second person, past the threshold (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// A ticket to be paid.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedeemTicket {
    /// Its 18 digits.
    pub number: String,
    /// The amount on it, to be compared.
    #[serde(default)]
    pub amount: Option<Money>,
    /// The second person, for a ticket above the cage's threshold (D15).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// A ticket to be replaced by a duplicate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReprintTicket {
    /// Why.
    pub reason: String,
    /// The second person (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// A ticket was paid.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RedeemedBody {
    /// The record.
    pub accepted: u64,
    /// What to pay out.
    pub amount: Money,
}

/// Pays a ticket.
///
/// # Errors
/// Why it was not done: unknown, paid, expired, another amount, another floor's (S16).
pub async fn redeem(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<RedeemedBody>> {
    let number = command::number(&headers)?;
    let caller = caller.asks(&body);
    let RedeemTicket { number: digits, amount, witness } = command::read(&body)?;
    let hash = app.ticket_hash(&digits)?;
    let amount = amount.map(|amount| amount.0);
    let redeem = move |witness| Body::RedeemTicket { number: hash, amount, witness };
    let place = TicketPlace::Staff(caller.staff()?);
    // A guess counts whether or not a second person is named with it (S16).
    let paying = Arc::clone(&app);
    let pay = async move {
        let witness = command::signed_once(&paying, &caller, number, witness.as_ref(), redeem).await?;
        paying.submit(caller.sender, number, redeem(witness)).await
    };
    let accepted = tries::check(&app, place, digits, pay).await?;
    let amount = app.read(|floor| floor.ticket_with(hash).map_or(rulebook::Cents::ZERO, floor::Ticket::amount));
    Ok(Json(RedeemedBody { accepted, amount: amount.into() }))
}

/// Changes to a terminal's bets.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Bets {
    /// The changes, all or nothing.
    pub changes: Vec<BetChangeMessage>,
}

/// Bets of the last round again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// Twice as much.
    #[serde(default)]
    pub doubled: bool,
}

/// Sells a ticket for cash.
///
/// # Errors
/// Why it was not done.
pub async fn sell(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<TicketBody>> {
    let number = command::number(&headers)?;
    let caller = caller.asks(&body);
    let SellTicket { amount, witness } = command::read(&body)?;
    let sell = |hash: TicketHash, witness| Body::SellTicket { amount: amount.0, number: hash, witness };
    let witness = command::signed_ticket(&app, &caller, number, witness.as_ref(), sell).await?;
    let (accepted, ticket) = app.issue(caller.sender, number, |hash| sell(hash, witness)).await?;
    Ok(Json(TicketBody { accepted, ticket }))
}

/// Replaces a ticket by a duplicate with a number of its own, which is in doubt until it is printed (D27).
///
/// # Errors
/// Why it was not done.
pub async fn reprint(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u64)>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<TicketBody>> {
    let number = command::number(&headers)?;
    let caller = caller.asks(&body);
    let ReprintTicket { reason, witness } = command::read(&body)?;
    let ticket = TicketId(id);
    let reprint =
        |hash: TicketHash, witness| Body::ReprintTicket { ticket, number: Some(hash), reason: reason.clone(), witness };
    let witness = command::signed_ticket(&app, &caller, number, witness.as_ref(), &reprint).await?;
    let (accepted, ticket) = app.issue(caller.sender, number, |hash| reprint(hash, witness)).await?;
    Ok(Json(TicketBody { accepted, ticket }))
}

/// A print job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PrintJobBody {
    /// The ticket.
    pub ticket: TicketSlip,
}

/// The print job of the ticket in doubt once more; for the terminal itself (D25).
///
/// # Errors
/// When no ticket waits for this printer.
pub async fn print_job(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<PrintJobBody>> {
    let terminal = own(&caller, id)?;
    Ok(Json(PrintJobBody { ticket: app.print_job(terminal)? }))
}

/// The print job of a ticket in doubt that the person sold or printed again, once more: after a reload (D25).
///
/// # Errors
/// When no such ticket waits for the printer of this person's counter.
pub async fn counter_job(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u64)>,
    caller: Caller,
) -> ApiResult<Json<PrintJobBody>> {
    Ok(Json(PrintJobBody { ticket: app.counter_job(caller.staff()?, TicketId(id))? }))
}

/// An expired ticket, found by its id. It never has its number.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ExpiredTicket {
    /// Its id.
    pub ticket: u64,
    /// How much.
    pub amount: Money,
    /// The terminal that printed it; `null` if the cage sold it.
    pub terminal: Option<u32>,
    /// When it was printed or sold.
    pub issued: i64,
    /// When it expired.
    pub expires: i64,
}

/// An expired ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ExpiredBody {
    /// The ticket.
    pub ticket: ExpiredTicket,
}

/// Finds an expired ticket by its id, for those who pay it (S15).
///
/// # Errors
/// When there is none, or who asks neither pays nor audits.
pub async fn expired(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u64)>,
    caller: Caller,
) -> ApiResult<Json<ExpiredBody>> {
    let staff = caller.staff()?;
    let pays = |post: Post| match post {
        Post::Cashier | Post::Auditor => true,
        Post::Pit(rank) => rank >= rulebook::Rank::PitSupervisor,
        Post::Administrator | Post::Technician => false,
    };
    if !app.read(|floor| caller::serves(floor, staff, pays)) {
        return Err(ApiError::forbidden("only the cage and the pit may see this"));
    }
    let found = app.read(|floor| {
        let expired = |ticket: &&floor::Ticket| ticket.id().0 == id && ticket.state() == TicketState::Expired;
        floor.tickets().find(expired).map(|ticket| ExpiredTicket {
            ticket: id,
            amount: ticket.amount().into(),
            terminal: ticket.terminal().map(|terminal| terminal.0),
            issued: ticket.issued().0,
            expires: ticket.expires().0,
        })
    });
    found.map(|ticket| Json(ExpiredBody { ticket })).ok_or_else(|| ApiError::not_found("such expired ticket"))
}

fn own(caller: &Caller, id: u32) -> ApiResult<TerminalId> {
    let terminal = caller.terminal()?;
    if terminal == TerminalId(id) { Ok(terminal) } else { Err(ApiError::forbidden("this key is another terminal's")) }
}

/// Prepares a ticket for the whole credit of a terminal; by the terminal itself.
///
/// # Errors
/// Why it was not done.
pub async fn cash_out(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    headers: HeaderMap,
) -> ApiResult<Json<TicketBody>> {
    let number = command::number(&headers)?;
    let terminal = own(&caller, id)?;
    let prepare = |hash| Body::PrepareTicket { terminal, number: hash };
    let (accepted, ticket) = app.issue(Sender::Terminal(terminal), number, prepare).await?;
    Ok(Json(TicketBody { accepted, ticket }))
}

/// Places, raises and withdraws bets; by the terminal itself.
///
/// # Errors
/// Why it was not done.
pub async fn bets(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<command::Accepted>> {
    let number = command::number(&headers)?;
    let terminal = own(&caller, id)?;
    let Bets { changes } = command::read(&body)?;
    let end = app.read(|floor| TerminalEnd::of(floor, terminal)).ok_or_else(|| ApiError::not_found("such terminal"))?;
    let changes = end.changes(&changes)?;
    let accepted = app.submit(caller.sender, number, Body::Bet { changes }).await?;
    Ok(Json(command::Accepted::at(accepted)))
}

/// Withdraws all bets; by the terminal itself.
///
/// # Errors
/// Why it was not done.
pub async fn clear(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    headers: HeaderMap,
) -> ApiResult<Json<command::Accepted>> {
    let number = command::number(&headers)?;
    own(&caller, id)?;
    let accepted = app.submit(caller.sender, number, Body::ClearBets).await?;
    Ok(Json(command::Accepted::at(accepted)))
}

/// Places the bets of the last round again; by the terminal itself.
///
/// # Errors
/// Why it was not done.
pub async fn repeat(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<command::Accepted>> {
    let number = command::number(&headers)?;
    own(&caller, id)?;
    let Repeat { doubled } = command::read(&body)?;
    let accepted = app.submit(caller.sender, number, Body::RepeatBets { doubled }).await?;
    Ok(Json(command::Accepted::at(accepted)))
}
