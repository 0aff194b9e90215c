//! What the agent serves on loopback: the page, its feed, what it may read of the floor, and the state of the cabinet.

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::config::Switch;
use super::core::Input;
use super::run::{Happened, Shared};
use crate::simulated::{PrinterState, svg};

/// How often a switch is looked at. It counts after two looks, so that a contact that bounces does not.
const LOOK: Duration = Duration::from_millis(50);
/// The window of a simulated cabinet.
/// Shown until a host answers: the pages are the host's own, so that page and floor are always of one release.
const WAITING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"2\">\
    <title>Croupier</title><body style=\"font:22px system-ui;background:#0a1119;color:#efe9dc;display:grid;place-content:center;\
    height:100vh;margin:0;text-align:center\"><p>This terminal is connecting to its host.<p>终端正在连接主机。";
const WINDOW: &str = include_str!("window.html");
const SCRIPT: &str = include_str!("window.js");

static PAGE: AtomicU64 = AtomicU64::new(0);

/// Everything that is served.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new()
        .route("/api/v1/host", get(host))
        .route("/api/v1/floors/{floor}/feed/{kind}/{id}", get(feed))
        .route("/api/v1/{*path}", get(read))
        .route("/cabinet/state", get(status));
    if shared.simulated.is_some() {
        router = router
            .route("/cabinet/simulated", get(|| async { Html(WINDOW) }))
            .route(
                "/cabinet/simulated/window.js",
                get(|| async { ([(header::CONTENT_TYPE, "text/javascript")], SCRIPT) }),
            )
            .route("/cabinet/simulated/ticket.svg", get(ticket))
            .route("/cabinet/simulated/holds", get(holds))
            .route("/cabinet/simulated/{device}", post(order));
    }
    let guarded = middleware::from_fn_with_state(Arc::clone(&shared), guard);
    router.fallback(page_file).with_state(shared).layer(guarded)
}

/// Lets in the pages of this agent alone: a page of another site whose name was made to point here names that site.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let Some(host) = own_host(request.headers(), shared.port) else {
        return error(StatusCode::FORBIDDEN, "forbidden", "this address is for the page of this cabinet only");
    };
    let mut response = next.run(request).await;
    let policy = format!(
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws://{host}; \
         frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// What the request calls this agent, if it comes from a page of its own.
fn own_host(headers: &HeaderMap, port: u16) -> Option<String> {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST)?;
    let named = ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{port}"));
    let own = text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    (named && own).then(|| host.to_owned())
}

fn error(status: StatusCode, code: &str, en: &str) -> Response {
    let error = json!({ "code": code, "rule": "the cabinet", "message": { "en": en, "zh": "机柜暂时无法处理" } });
    (status, axum::Json(json!({ "error": error }))).into_response()
}

/// The host that answers, and which terminal this is.
async fn host(State(shared): State<Arc<Shared>>) -> Response {
    let answer = forward(&shared, "/api/v1/host", &HeaderMap::new()).await;
    let Ok(answer) = answer else { return unreachable() };
    match serde_json::from_slice::<Value>(answer.body()) {
        Ok(mut value @ Value::Object(_)) => {
            value["cabinet"] = json!({ "terminal": shared.terminal, "floor": shared.floor });
            axum::Json(value).into_response()
        }
        _ => unreachable(),
    }
}

fn unreachable() -> Response {
    error(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "no host of the floor can be reached")
}

/// What the page reads of its floor. It changes nothing this way: its commands go over its feed.
async fn read(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let floor = format!("/api/v1/floors/{}", shared.floor);
    let own = path == floor || path.starts_with(&format!("{floor}/")) || path.starts_with("/api/v1/lab/");
    if !own || path.contains("/feed/") {
        return error(StatusCode::NOT_FOUND, "not_found", "the page of a cabinet does not need this");
    }
    let (path, headers) = (path.to_owned(), request.headers().clone());
    drop(request);
    match forward(&shared, &path, &headers).await {
        Ok(answer) => passed_on(answer),
        Err(_) => unreachable(),
    }
}

/// A file of the pages.
async fn page_file(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    if request.method() != axum::http::Method::GET || path.starts_with("/api/") || path.starts_with("/cabinet/") {
        return error(StatusCode::NOT_FOUND, "not_found", "the page of a cabinet does not need this");
    }
    let headers = request.headers().clone();
    drop(request);
    match forward(&shared, &path, &headers).await {
        Ok(answer) => passed_on(answer),
        Err(_) => Html(WAITING).into_response(),
    }
}

/// An answer of the host, with the headers that say what it is.
fn passed_on(answer: hyper::Response<Bytes>) -> Response {
    let (head, body) = answer.into_parts();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = head.status;
    for name in [header::CONTENT_TYPE, header::CACHE_CONTROL, header::ETAG] {
        if let Some(value) = head.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

async fn forward(shared: &Shared, path: &str, headers: &HeaderMap) -> std::io::Result<hyper::Response<Bytes>> {
    let mut request = hyper::Request::get(path);
    for name in [header::AUTHORIZATION, header::ACCEPT, header::IF_NONE_MATCH] {
        if let Some(value) = headers.get(&name) {
            request = request.header(name, value);
        }
    }
    let request = request.body(Full::new(Bytes::new())).map_err(std::io::Error::other)?;
    shared.hosts.forward(request).await
}

/// The feed of the page. It proves no key: the agent did.
async fn feed(
    State(shared): State<Arc<Shared>>,
    Path((floor, kind, id)): Path<(String, String, u32)>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if floor != shared.floor || kind != "terminal" || id != shared.terminal {
        return error(StatusCode::NOT_FOUND, "not_found", "this cabinet has another terminal");
    }
    upgrade.max_message_size(64 * 1024).on_upgrade(move |socket| page(shared, socket))
}

async fn page(shared: Arc<Shared>, mut socket: WebSocket) {
    let id = PAGE.fetch_add(1, Ordering::Relaxed);
    let (sender, mut to_send) = mpsc::channel(64);
    if shared.happened.send(Happened::PageOpened(id, sender)).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            text = to_send.recv() => {
                let Some(text) = text else { break };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    break;
                }
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let Ok(message) = serde_json::from_str::<Value>(&text) else { break };
                    if message["type"] != "hello"
                        && shared.happened.send(Happened::PageSaid(id, message)).await.is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => break,
            },
        }
    }
    let _ = shared.happened.send(Happened::PageClosed(id)).await;
}

async fn status(State(shared): State<Arc<Shared>>) -> Response {
    axum::Json(shared.status.lock().unwrap_or_else(PoisonError::into_inner).clone()).into_response()
}

// ---- the simulated cabinet

async fn order(State(shared): State<Arc<Shared>>, Path(device): Path<String>, body: String) -> Response {
    let Some(simulated) = &shared.simulated else { return StatusCode::NOT_FOUND.into_response() };
    let line = body.lines().next().unwrap_or_default();
    let written = match device.as_str() {
        "door" => {
            let input = Input::Door { name: "main".to_owned(), main: true, open: line == "open" };
            return done(shared.happened.send(Happened::Switched(input)).await.is_ok());
        }
        "attendant" => return done(shared.happened.send(Happened::Switched(Input::Attendant)).await.is_ok()),
        "button" => {
            let input = Input::Button(line.to_owned());
            return done(shared.happened.send(Happened::Switched(input)).await.is_ok());
        }
        "validator" => writeln!(simulated.validator.lock().unwrap_or_else(PoisonError::into_inner), "{line}"),
        "printer" => writeln!(simulated.printer.lock().unwrap_or_else(PoisonError::into_inner), "{line}"),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    done(written.is_ok())
}

fn done(done: bool) -> Response {
    if done { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }.into_response()
}

/// The last ticket that came out of the simulated printer.
async fn ticket(State(shared): State<Arc<Shared>>) -> Response {
    let held = shared.simulated.as_ref().and_then(|simulated| fs::read(&simulated.printer_state).ok());
    let state = held.and_then(|bytes| serde_json::from_slice::<PrinterState>(&bytes).ok());
    match state.and_then(|state| state.papers.last().map(svg)) {
        Some(picture) => {
            ([(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "no-store")], picture).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// What the simulated devices hold.
async fn holds(State(shared): State<Arc<Shared>>) -> Response {
    let Some(simulated) = &shared.simulated else { return StatusCode::NOT_FOUND.into_response() };
    let read = |path| fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let holds = json!({ "validator": read(&simulated.validator_state), "printer": read(&simulated.printer_state) });
    axum::Json(holds).into_response()
}

/// Watches a switch for as long as the agent runs.
pub(super) async fn watch(switch: Switch, happened: mpsc::Sender<Happened>) {
    let (mut known, mut last) = (None, None);
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        let now = fs::read(&switch.file).ok().map(|bytes| bytes.first() == Some(&b'1'));
        // A door that cannot be seen counts as open.
        let now = Some(now.unwrap_or(switch.stops_play));
        if now == last && now != known {
            let first = known.is_none();
            known = now;
            let on = now == Some(true);
            if first && !on {
                continue;
            }
            let input = match (switch.name.as_str(), on) {
                ("attendant", true) => Input::Attendant,
                ("attendant", false) => continue,
                (name, open) => Input::Door { name: name.to_owned(), main: switch.stops_play, open },
            };
            if happened.send(Happened::Switched(input)).await.is_err() {
                return;
            }
        }
        last = now;
    }
}
