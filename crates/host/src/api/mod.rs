//! The API: everything the floor can do, over HTTP.

pub mod asyncapi;
pub mod beside;
pub mod caller;
pub mod command;
pub mod commands;
pub mod credentials;
pub mod demonstration;
pub mod hosts;
pub mod lab;
pub mod openapi;
pub mod papers;
pub mod past;
pub mod read;
pub mod receipts;
pub mod records;
pub mod reports;
pub mod sealed;
pub mod session;
pub mod tickets;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, RawPathParams, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};

use crate::app::App;
use crate::error::ApiError;
use crate::feed::socket;
use crate::pages;

/// What every path of a floor begins with.
pub const FLOOR: &str = "/api/v1/floors/{floor}";

struct Routes(Router<Arc<App>>);

impl commands::EachRequest for Routes {
    fn one<R: command::Request>(&mut self) {
        let path = format!("{FLOOR}{}", R::PATH);
        self.0 = std::mem::take(&mut self.0).route(&path, post(command::run::<R>));
    }
}

/// All routes.
pub fn router(app: Arc<App>) -> Router {
    let mut routes = Routes(Router::new());
    commands::each(&mut routes);
    let floor = |path: &str| format!("{FLOOR}{path}");
    let of_floor = routes
        .0
        .route(FLOOR, get(read::floor))
        .route(&floor("/hosts"), get(read::hosts))
        .route(&floor("/hosts/{host}/key"), post(hosts::enrol).delete(hosts::revoke))
        .route(&floor("/time"), get(read::time))
        .route(&floor("/pit/{list}"), get(read::pit_list))
        .route(&floor("/rulebooks"), get(read::rulebooks))
        .route(&floor("/rulebooks/{rulebook}"), get(read::rulebook))
        .route(&floor("/session"), get(session::who).post(session::sign_in).delete(session::sign_out))
        .route(&floor("/session/password"), post(session::change_password))
        .route(&floor("/staff"), post(session::add_staff))
        .route(&floor("/session/passkeys"), get(credentials::own_passkeys).post(credentials::add_passkey))
        .route(&floor("/session/passkeys/challenge"), post(credentials::challenge))
        .route(&floor("/staff/credentials"), get(credentials::all))
        .route(&floor("/staff/{staff}/password"), post(credentials::set_password))
        .route(&floor("/staff/{staff}/unlock"), post(credentials::unlock))
        .route(&floor("/staff/{staff}/passkeys/{passkey}/remove"), post(credentials::remove_passkey))
        .route(&floor("/links/{link}/approve"), post(credentials::approve_link))
        .route(&floor("/links/{link}/refuse"), post(credentials::refuse_link))
        .route(&floor("/staff/{staff}/sessions"), delete(session::end_sessions))
        .route(&floor("/terminals/{terminal}/code"), post(session::terminal_code))
        .route(&floor("/terminals/{terminal}/key"), delete(session::revoke_terminal))
        .route(&floor("/devices/{device}/code"), post(session::device_code))
        .route(&floor("/devices/{device}/key"), delete(session::revoke_device))
        .route(&floor("/enrol"), post(session::enrol))
        .route(&floor("/keys/challenge"), post(session::challenge))
        .route(&floor("/keys/prove"), post(session::prove))
        .route(&floor("/terminals/{terminal}/bets"), post(tickets::bets))
        .route(&floor("/terminals/{terminal}/clear"), post(tickets::clear))
        .route(&floor("/terminals/{terminal}/repeat"), post(tickets::repeat))
        .route(&floor("/terminals/{terminal}/cash-out"), post(tickets::cash_out))
        .route(&floor("/terminals/{terminal}/print-job"), post(tickets::print_job))
        .route(&floor("/sealed-codes"), post(sealed::seal))
        .route(&floor("/cage/sell"), post(tickets::sell))
        .route(&floor("/cage/redeem"), post(tickets::redeem))
        .route(&floor("/cage/tickets/{ticket}/reprint"), post(tickets::reprint))
        .route(&floor("/cage/tickets/{ticket}/print-job"), post(tickets::counter_job))
        .route(&floor("/tickets/{ticket}/expired"), get(tickets::expired))
        .route(&floor("/tables/{table}/results"), get(records::results))
        .route(&floor("/tables/{table}/preview"), post(past::preview))
        .route(&floor("/records/rounds"), get(records::rounds))
        .route(&floor("/records/rounds/{round}"), get(records::round))
        .route(&floor("/terminals/{terminal}"), get(read::terminal))
        .route(&floor("/records/terminals/{terminal}/rounds"), get(records::recall))
        .route(&floor("/records/terminals/{terminal}/money"), get(records::money))
        .route(&floor("/records/events"), get(records::events))
        .route(&floor("/records/money"), get(records::find_money))
        .route(&floor("/terminals/{terminal}/receipts/{round}"), get(receipts::of_visit))
        .route(&floor("/reports/day"), get(reports::day))
        .route(&floor("/reports/table/{table}"), get(reports::table))
        .route(&floor("/reports/terminal/{terminal}"), get(reports::terminal))
        .route(&floor("/reports/shift"), get(reports::shifts))
        .route(&floor("/reports/shift/{shift}"), get(reports::shift))
        .route(&floor("/reports/slips"), get(reports::slips))
        .route(&floor("/reports/slips/{slip}"), get(reports::slip))
        .route(&floor("/reports/tickets"), get(reports::tickets))
        .route(&floor("/reports/people"), get(reports::people))
        .route(&floor("/reports/voids"), get(reports::voids))
        .route(&floor("/reports/events"), get(reports::events))
        .route(&floor("/reports/round/{round}"), get(reports::round))
        .route(&floor("/demonstration"), get(demonstration::doors))
        .route(&floor("/demonstration/terminals/{terminal}/sit"), post(session::sit))
        .route(&floor("/demonstration/tables/{table}/automatic"), post(demonstration::automatic))
        .route(&floor("/demonstration/tables/{table}/device"), post(demonstration::device))
        .route(&floor("/feed/{kind}"), get(socket::whole))
        .route(&floor("/feed/{kind}/{id}"), get(socket::one))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), of_this_floor));
    of_floor
        .route("/api/v1/host", get(read::host))
        .route("/api/v1/lab/rulebooks", get(lab::rulebooks))
        .route("/api/v1/lab/rulebooks/{rulebook}", get(lab::rulebook))
        .route("/api/v1/lab/rulebooks/{rulebook}/layouts/{layout}/odds", get(lab::odds))
        .route("/api/v1/lab/rulebooks/{rulebook}/layouts/{layout}/session", get(lab::session))
        .route("/api/v1/lab/compare", get(lab::compare))
        .route("/openapi.json", get(openapi::serve))
        .route("/asyncapi.json", get(asyncapi::serve))
        .merge(openapi::swagger())
        .route("/log/checkpoint", get(receipts::checkpoint))
        .route("/log/policy", get(receipts::policy))
        .route("/log/tile/{*path}", get(receipts::tile))
        .route("/receipt/{slip}", get(receipts::by_slip))
        .route("/receipt/{slip}/words", get(receipts::words))
        .route("/verify", get(receipts::page))
        .route("/healthz", get(read::healthz))
        .route("/readyz", get(read::readyz))
        .route("/metrics", get(read::metrics))
        .fallback(pages::page)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.config.body_bytes))
        .with_state(app)
}

async fn wrong_method() -> Response {
    let en = "this path has no such method";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "the request", en, "该路径不支持此方法").into_response()
}

/// Paths of another floor are answered as not found.
async fn of_this_floor(State(app): State<Arc<App>>, path: RawPathParams, request: Request, next: Next) -> Response {
    match path.iter().find(|(name, _)| *name == "floor") {
        Some((_, floor)) if floor != app.name => ApiError::not_found(&format!("floor '{floor}' here")).into_response(),
        _ => next.run(request).await,
    }
}
