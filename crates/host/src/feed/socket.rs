//! The socket of a feed: its client, what goes out, what comes in.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use floor::{Body, DeviceId, Post, StaffId, TableId, TerminalId};
use rulebook::Rank;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::api::caller;
use crate::app::App;
use crate::clock;
use crate::door::places::Place;
use crate::error::{ApiError, ApiResult};
use crate::feed::cursor::{Cursor, Standing};
use crate::feed::message::{ByeReason, ClientMessage, HostMessage};
use crate::feed::staff;
use crate::feed::terminal::{self, TerminalEnd};
use crate::feed::wire::{Cut, Socket, Upgrade};
use crate::hub::{self, Feed, Since, Viewer};
use crate::links::PROBED;
use crate::store::{Holder, Nonce, Shown};

/// What a client asks for.
#[derive(Copy, Clone, Debug)]
enum Wanted {
    Terminal(TerminalId),
    Device(DeviceId),
    Known(Viewer),
}

impl Wanted {
    /// Whose key is to be proved.
    fn holder(self) -> Option<Holder> {
        match self {
            Wanted::Terminal(id) => Some(Holder::Terminal(id)),
            Wanted::Device(id) => Some(Holder::Device(id)),
            Wanted::Known(_) => None,
        }
    }
}

/// A feed with an id in its path.
///
/// # Errors
/// When it cannot be opened.
pub async fn one(
    state: State<Arc<App>>,
    Path((_, kind, id)): Path<(String, String, u32)>,
    from: ConnectInfo<SocketAddr>,
    place: Option<Extension<Arc<Place>>>,
    shown: Shown,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> ApiResult<Response> {
    open(state, (&kind, Some(id)), (from, shown), place, &headers, upgrade)
}

/// How far a follower may be behind what a client received elsewhere.
const BEHIND: Duration = Duration::from_secs(5);

/// How far the leader may be behind what another host has shown of its own records.
const TOLD_ELSEWHERE: Duration = Duration::from_millis(500);

/// A feed without.
///
/// # Errors
/// When it cannot be opened.
pub async fn whole(
    state: State<Arc<App>>,
    Path((_, kind)): Path<(String, String)>,
    from: ConnectInfo<SocketAddr>,
    place: Option<Extension<Arc<Place>>>,
    shown: Shown,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> ApiResult<Response> {
    open(state, (&kind, None), (from, shown), place, &headers, upgrade)
}

fn open(
    State(app): State<Arc<App>>,
    (kind, id): (&str, Option<u32>),
    (ConnectInfo(from), shown): (ConnectInfo<SocketAddr>, Shown),
    place: Option<Extension<Arc<Place>>>,
    headers: &HeaderMap,
    upgrade: Upgrade,
) -> ApiResult<Response> {
    let wanted = wanted(&app, kind, id, headers)?;
    let place = place.map(|Extension(place)| place);
    let session = match wanted {
        // These rest on a proof, or on nothing.
        Wanted::Known(Viewer::Display(_)) | Wanted::Terminal(_) | Wanted::Device(_) => None,
        Wanted::Known(_) => {
            place.iter().for_each(|place| place.proved());
            caller::cookie(headers)
        }
    };
    let frames_per_second = app.config.messages_per_second;
    Ok(upgrade.open(frames_per_second, move |socket| async move {
        metrics::gauge!("croupier_feeds").increment(1.0);
        serve(&app, wanted, session, socket, (from.ip(), shown), place.as_deref()).await;
        metrics::gauge!("croupier_feeds").decrement(1.0);
    }))
}

/// Which client may have which feed. This is the only place that decides it.
fn wanted(app: &Arc<App>, kind: &str, id: Option<u32>, headers: &HeaderMap) -> ApiResult<Wanted> {
    let table = || {
        let id = id.and_then(|id| u16::try_from(id).ok()).map(TableId);
        id.filter(|id| app.read(|floor| floor.table(*id).is_some())).ok_or_else(|| ApiError::not_found("such table"))
    };
    match (kind, id) {
        ("terminal", Some(id)) => {
            let id = TerminalId(id);
            let known = app.read(|floor| floor.terminal(id).is_some());
            known.then_some(Wanted::Terminal(id)).ok_or_else(|| ApiError::not_found("such terminal"))
        }
        ("device", Some(id)) => {
            let id = u16::try_from(id).ok().map(DeviceId);
            let known = id.filter(|id| app.read(|floor| floor.device(*id).is_some()));
            known.map(Wanted::Device).ok_or_else(|| ApiError::not_found("such device"))
        }
        ("display", Some(_)) => Ok(Wanted::Known(Viewer::Display(table()?))),
        ("console", Some(_)) => {
            let staff = staff(app, headers, |post| matches!(post, Post::Pit(_) | Post::Auditor))?;
            Ok(Wanted::Known(Viewer::Console(table()?, staff)))
        }
        ("pit", None) => {
            let pit = |post| matches!(post, Post::Pit(rank) if rank >= Rank::PitSupervisor) || post == Post::Auditor;
            Ok(Wanted::Known(Viewer::Pit(staff(app, headers, pit)?)))
        }
        ("cage", None) => {
            let cage = |post| matches!(post, Post::Cashier | Post::Auditor);
            Ok(Wanted::Known(Viewer::Cage(staff(app, headers, cage)?)))
        }
        ("admin", None) => {
            let admin = |post| matches!(post, Post::Administrator | Post::Auditor | Post::Technician);
            Ok(Wanted::Known(Viewer::Admin(staff(app, headers, admin)?)))
        }
        _ => Err(ApiError::not_found("such feed")),
    }
}

fn staff(app: &Arc<App>, headers: &HeaderMap, fits: impl Fn(Post) -> bool) -> ApiResult<StaffId> {
    let token = caller::cookie(headers).ok_or_else(ApiError::unauthenticated)?;
    let session = app.store.session(&token, clock::now()).map_err(ApiError::internal)?;
    let session = session.ok_or_else(ApiError::unauthenticated)?;
    if session.limited {
        return Err(caller::must_change());
    }
    let staff = session.staff;
    if app.read(|floor| caller::serves(floor, staff, fits)) {
        Ok(staff)
    } else {
        Err(ApiError::forbidden("this page is not for your post"))
    }
}

/// A client that has said who it is.
struct Client {
    feed: Feed,
    terminal: Option<TerminalEnd>,
    device: Option<DeviceId>,
    /// The session that a person's feed ends with.
    session: Option<String>,
}

async fn serve(
    app: &Arc<App>,
    wanted: Wanted,
    session: Option<String>,
    mut socket: Socket,
    (address, shown): (IpAddr, Shown),
    place: Option<&Place>,
) {
    let patience = Duration::from_millis(app.config.head_timeout_ms);
    let hello = match timeout(patience, greet(app, wanted, shown, &mut socket)).await {
        Ok(Ok(hello)) => Ok(hello),
        Ok(Err(reason)) => Err(reason),
        Err(_) => Err(ByeReason::Limits),
    };
    let (cursor, reader) = match hello {
        Ok(hello) => hello,
        Err(reason) => {
            if reason == ByeReason::Revoked {
                app.refused(address, None, &format!("A feed from {address} did not prove its key: {wanted:?}"), true);
            }
            return bye(&mut socket, reason).await;
        }
    };
    if let Some(holder) = wanted.holder() {
        if !app.link_may_open(holder, address, reader.as_deref(), &mut socket).await {
            return bye(&mut socket, ByeReason::Revoked).await;
        }
        place.iter().for_each(|place| place.proved());
    }
    let Some(since) = since(app, wanted, cursor).await else { return bye(&mut socket, ByeReason::Stopping).await };
    let client = app.read(|floor| {
        let viewer = match wanted {
            Wanted::Terminal(id) => Viewer::Terminal(id),
            Wanted::Device(id) => Viewer::Device(id),
            Wanted::Known(viewer) => viewer,
        };
        let terminal = match viewer {
            Viewer::Terminal(id) => Some(TerminalEnd::of(floor, id)?),
            _ => None,
        };
        let device = if let Viewer::Device(id) = viewer { Some(id) } else { None };
        let feed = app.hub.open(floor, viewer, since, staff::sections(app, floor, viewer));
        Some(Client { feed, terminal, device, session: session.clone() })
    });
    let Some(client) = client else { return bye(&mut socket, ByeReason::Limits).await };
    client.feed.link.comes_from(address);
    client.feed.link.proved_with(shown);
    let id = client.terminal.as_ref().map(|end| end.id);
    if let Some(id) = id {
        link(app, Body::TerminalBack { terminal: id }).await;
    } else if client.device.is_none() {
        app.hub.staff.notify_one();
    }
    if let Some(holder) = wanted.holder() {
        app.link_is_here(holder, &client.feed.link).await;
    }
    let reason = converse(app, client, &mut socket).await;
    if let Some(id) = id.filter(|id| !app.has_terminal(*id)) {
        link(app, Body::TerminalLost { terminal: id }).await;
        if app.has_terminal(id) {
            // It reconnected while it was being reported lost, and its own report may have been sent before.
            link(app, Body::TerminalBack { terminal: id }).await;
        }
    }
    if let Some(reason) = reason {
        bye(&mut socket, reason).await;
    }
}

/// What a client has seen before, by its cursor; `None` if this host is behind it and cannot tell. Only a cursor that
/// this floor signed counts, and only from an authenticated client: displays send none.
async fn since(app: &App, wanted: Wanted, token: Option<String>) -> Option<Since> {
    let Some(token) = token.filter(|_| !matches!(wanted, Wanted::Known(Viewer::Display(_)))) else {
        return Some(Since::Nothing);
    };
    let Some(cursor) = app.hub.cursors.get().and_then(|cursors| cursors.read(&token)) else {
        return Some(Since::Unknown);
    };
    // Another host may have shown a record that this one has not taken yet.
    let patience = if app.is_in_charge() { TOLD_ELSEWHERE } else { BEHIND };
    let reached = app.membership.is_none() || app.hub.reached(cursor.sequence, patience).await;
    match app.read(|floor| cursor.standing(floor)) {
        Standing::Known(sequence) => Some(Since::Record(sequence)),
        Standing::Old => Some(Since::Unknown),
        Standing::Lost if !reached && !app.is_in_charge() => None,
        // Who only reads was shown nothing that others were not: play does not stop for a cursor of theirs alone.
        Standing::Lost if only_reads(app, wanted) => {
            app.alert(
                None,
                format!("{wanted:?} came with a cursor beyond the last record: check that none are missing"),
            );
            Some(Since::Unknown)
        }
        Standing::Lost => {
            report_loss(app, wanted, cursor).await;
            Some(Since::Unknown)
        }
    }
}

/// Whether the client is a person who may read and change nothing.
fn only_reads(app: &App, wanted: Wanted) -> bool {
    let Wanted::Known(viewer) = wanted else { return false };
    let (Viewer::Console(_, staff) | Viewer::Pit(staff) | Viewer::Cage(staff) | Viewer::Admin(staff)) = viewer else {
        return false;
    };
    app.read(|floor| !caller::serves(floor, staff, |post| post != Post::Auditor))
}

/// Records that were shown are gone: play locks until two people have stated what was lost.
async fn report_loss(app: &App, wanted: Wanted, cursor: Cursor) {
    let (run, last) = app.read(|floor| (floor.run(), floor.sequence()));
    let Cursor { epoch, sequence: record, .. } = cursor;
    let words = format!(
        "{wanted:?} was shown record {record} before; this run began with record {run} and is at {last}: records are missing"
    );
    tracing::error!(words, "records are missing");
    if let Err(error) = app.own(Body::ReportLoss { epoch, record, words }).await
        && error.error.code != "nothing_to_do"
    {
        tracing::error!(code = error.error.code, "missing records could not be reported");
    }
}

/// A terminal's link is up or down. If the host is busy this is retried: a terminal must not stay lost.
async fn link(app: &App, body: Body) {
    for _ in 0..50 {
        if app.own_unanswered(body.clone()).is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a client has seen, and what it read with over its last link.
type Hello = (Option<String>, Option<String>);

/// Lets a client say who it is.
async fn greet(app: &App, wanted: Wanted, shown: Shown, socket: &mut Socket) -> Result<Hello, ByeReason> {
    let holder = wanted.holder();
    let nonce = match holder {
        None => None,
        Some(_) => {
            let nonce = Nonce::new().map_err(|_| ByeReason::Stopping)?;
            let challenge = HostMessage::Challenge { nonce: nonce.text().to_owned() };
            socket.send(Message::Text(hub::text(&challenge))).await.map_err(|_| ByeReason::Limits)?;
            Some(nonce)
        }
    };
    let (proof, cursor, reader) = loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                // A cursor that is not text was never given out.
                Ok(ClientMessage::Hello { proof, cursor, reader }) => {
                    let text = |cursor| if let serde_json::Value::String(text) = cursor { text } else { String::new() };
                    break (proof, cursor.map(text), reader);
                }
                _ => return Err(ByeReason::Limits),
            },
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => return Err(ByeReason::Limits),
        }
    };
    if let (Some(holder), Some(nonce)) = (holder, nonce) {
        let proof = proof.ok_or(ByeReason::Revoked)?;
        app.store.prove_own(holder, nonce, &proof, shown).map_err(|_| ByeReason::Revoked)?;
    }
    Ok((cursor, reader))
}

/// Sends and receives until one side closes.
async fn converse(app: &Arc<App>, mut client: Client, socket: &mut Socket) -> Option<ByeReason> {
    let link = Arc::clone(&client.feed.link);
    let mut heard = Instant::now();
    // A client is asked for a sign of life three times before it counts as gone.
    let silence = Duration::from_millis(app.config.silence_ms);
    let mut ping = tokio::time::interval_at(Instant::now() + silence / 3, silence / 3);
    let mut ended = app.hub.ended_sessions.subscribe();
    // It may have ended since the feed was opened.
    ended.mark_changed();
    loop {
        tokio::select! {
            message = client.feed.messages.recv() => match message {
                Some(message) => {
                    if send(socket, message, &mut client.feed).await.is_err() {
                        return None;
                    }
                }
                None => return Some(client.feed.farewell.reason().unwrap_or(ByeReason::Stopping)),
            },
            incoming = socket.next() => {
                heard = Instant::now();
                match incoming {
                    Some(Ok(Message::Text(text))) => {
                        if !handle(app, &client, &text).await {
                            return Some(ByeReason::Limits);
                        }
                    }
                    Some(Ok(Message::Pong(said))) if said == PROBED => link.answered(),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Binary(_) | Message::Frame(_)) | Err(Cut::Limits)) => {
                        return Some(ByeReason::Limits);
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                }
            },
            () = link.asked.notified() => {
                if socket.send(Message::Ping(axum::body::Bytes::from_static(PROBED))).await.is_err() {
                    return None;
                }
            }
            Ok(()) = ended.changed(), if client.session.is_some() => {
                if client.session.as_ref().is_some_and(|session| !is_good(app, session)) {
                    return Some(ByeReason::Revoked);
                }
            }
            _ = ping.tick() => {
                if client.session.as_ref().is_some_and(|session| !is_good(app, session)) || is_revoked(app, &client) {
                    return Some(ByeReason::Revoked);
                }
                if heard.elapsed() > silence || socket.send(Message::Ping(axum::body::Bytes::new())).await.is_err() {
                    return None;
                }
            }
        }
    }
}

/// Whether a session is valid and its person still works here.
fn is_good(app: &App, session: &str) -> bool {
    let session = app.store.peek_session(session, clock::now());
    let staff = session.ok().flatten().map(|session| session.staff);
    staff.is_some_and(|staff| app.read(|floor| caller::serves(floor, staff, |_| true)))
}

/// Whether the key of a terminal or device was revoked at another host. At this one its links end at once.
fn is_revoked(app: &App, client: &Client) -> bool {
    let terminal = client.terminal.as_ref().map(|terminal| Holder::Terminal(terminal.id));
    let holder = terminal.or(client.device.map(Holder::Device));
    app.store.is_shared() && holder.is_some_and(|holder| matches!(app.store.has_key(holder), Ok(false)))
}

/// Sends a message and everything else in the queue, and flushes once.
async fn send(socket: &mut Socket, first: Utf8Bytes, feed: &mut Feed) -> Result<(), Cut> {
    socket.feed(Message::Text(first)).await?;
    while let Ok(message) = feed.messages.try_recv() {
        socket.feed(Message::Text(message)).await?;
    }
    socket.flush().await
}

/// Whether the client may go on after this message.
async fn handle(app: &Arc<App>, client: &Client, text: &str) -> bool {
    let slot = client.feed.slot;
    let message: ClientMessage = match serde_json::from_str(text) {
        Ok(message) => message,
        Err(error) => {
            let number = serde_json::from_str::<Numbered>(text).map_or(0, |numbered| numbered.number);
            let why = ApiError::malformed(format!("the message cannot be read: {error}"));
            app.hub.answer(slot, number, Some(*why.error), None, None);
            return true;
        }
    };
    let done = match (&client.terminal, client.device) {
        (Some(end), _) => end.handle(app, slot, message).await,
        (None, Some(device)) => terminal::device(app, slot, device, message),
        (None, None) => Err((message.number(), ApiError::malformed("this feed takes no commands"))),
    };
    if let Err((number, error)) = done {
        metrics::counter!("croupier_refusals_total", "code" => error.error.code.clone()).increment(1);
        app.hub.answer(slot, number, Some(*error.error), None, None);
    }
    true
}

#[derive(serde::Deserialize)]
struct Numbered {
    number: u64,
}

async fn bye(socket: &mut Socket, reason: ByeReason) {
    let _ = timeout(Duration::from_secs(1), async {
        let _ = socket.send(Message::Text(hub::text(&HostMessage::Bye { reason }))).await;
        let close = CloseFrame { code: CloseCode::Policy, reason: Utf8Bytes::from_static("see the last message") };
        let _ = socket.send(Message::Close(Some(close))).await;
    })
    .await;
    socket.end().await;
}
