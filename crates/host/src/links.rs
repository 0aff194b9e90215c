//! Two links with one key (S8). A reload or a lost network ends the older link, or leaves it without an answer; where the
//! older one still answers, the key is in two places. Then nothing moves over the newer link until a Pit Supervisor has
//! approved it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use floor::Moment;
use serde::Serialize;
use tokio::sync::{Notify, oneshot, watch};
use utoipa::ToSchema;

use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::HostMessage;
use crate::hub;
use crate::store::Holder;

/// How long an older link has to answer.
const PROBE: Duration = Duration::from_millis(1_500);
/// What it is asked with.
pub const PROBED: &[u8] = b"still there";
/// Links that may wait for approval.
const MOST: usize = 200;
/// How long an address may act with a token after it was approved.
const APPROVED: i64 = 60 * 60_000;
/// A client that waits hears the clock this often.
const TICK: Duration = Duration::from_secs(1);

/// The socket behind a feed: from where it comes, and whether it answers.
#[derive(Debug, Default)]
pub struct Link {
    address: OnceLock<IpAddr>,
    /// Rung when the socket is to be asked for a sign of life.
    pub asked: Notify,
    answers: watch::Sender<u64>,
}

impl Link {
    /// The link comes from this address.
    pub fn comes_from(&self, address: IpAddr) {
        let _ = self.address.set(address);
    }

    /// From where it comes.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.address.get().copied()
    }

    /// The client has answered.
    pub fn answered(&self) {
        self.answers.send_modify(|answers| *answers += 1);
    }

    /// Whether the client answers now.
    async fn responds(&self) -> bool {
        let mut answers = self.answers.subscribe();
        self.asked.notify_one();
        matches!(tokio::time::timeout(PROBE, answers.changed()).await, Ok(Ok(())))
    }
}

/// A link that waits for approval.
struct Held {
    holder: Holder,
    older: IpAddr,
    newer: IpAddr,
    since: Moment,
    /// Tells the socket; a client with a token has none and tries again.
    decided: Option<oneshot::Sender<bool>>,
}

/// A link that waits for approval, as the pit sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HeldLink {
    /// By which it is approved.
    pub id: u64,
    /// `terminal` or `device`.
    pub kind: &'static str,
    /// Which.
    pub holder: u32,
    /// Where the older link comes from.
    pub older: String,
    /// Where the newer link comes from.
    pub newer: String,
    /// Since when it waits.
    pub since: i64,
}

#[derive(Default)]
struct Inside {
    next: u64,
    held: BTreeMap<u64, Held>,
    approved: Vec<(Holder, IpAddr, Moment)>,
}

/// Links that wait for approval.
#[derive(Default)]
pub struct Links(Mutex<Inside>);

impl Links {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that wait, the oldest first.
    #[must_use]
    pub fn held(&self) -> Vec<HeldLink> {
        let inside = self.lock();
        let view = |(id, held): (&u64, &Held)| HeldLink {
            id: *id,
            kind: held.holder.kind(),
            holder: held.holder.id(),
            older: held.older.to_string(),
            newer: held.newer.to_string(),
            since: held.since.0,
        };
        inside.held.iter().map(view).collect()
    }

    fn hold(&self, held: Held) -> Option<u64> {
        let mut inside = self.lock();
        // A client with a token that tries again waits once.
        let same = |known: &Held| {
            known.decided.is_none()
                && held.decided.is_none()
                && (known.holder, known.newer) == (held.holder, held.newer)
        };
        if inside.held.len() >= MOST || inside.held.values().any(same) {
            return None;
        }
        inside.next += 1;
        let id = inside.next;
        inside.held.insert(id, held);
        Some(id)
    }

    fn forget(&self, id: u64) {
        self.lock().held.remove(&id);
    }

    fn is_approved(&self, holder: Holder, address: IpAddr, now: Moment) -> bool {
        let mut inside = self.lock();
        inside.approved.retain(|(.., at)| now.since(*at).abs() < APPROVED);
        inside.approved.iter().any(|(known, from, _)| (*known, *from) == (holder, address))
    }

    /// Approves or refuses a link; says whose and from where it is.
    fn decide(&self, id: u64, approved: bool, now: Moment) -> Option<(Holder, IpAddr)> {
        let mut inside = self.lock();
        let held = inside.held.remove(&id)?;
        if approved {
            inside.approved.push((held.holder, held.newer, now));
        }
        if let Some(decided) = held.decided {
            let _ = decided.send(approved);
        }
        Some((held.holder, held.newer))
    }
}

impl App {
    /// The words for a key that is in two places.
    fn is_in_two_places(&self, holder: Holder, older: IpAddr, newer: IpAddr) {
        let words = format!(
            "The key of {holder} is used from {newer} while its link from {older} answers: a Pit Supervisor must \
             approve the newer link, or revoke the key"
        );
        self.significant(words, true);
        self.hub.staff.notify_one();
    }

    /// Whether a request with a token may change something: not from another address than the link that is open, unless
    /// that was approved.
    ///
    /// # Errors
    /// When it may not.
    pub fn token_may_act(&self, holder: Holder, address: IpAddr) -> ApiResult<()> {
        let open = self.hub.link_of(holder).and_then(|link| link.address());
        let Some(older) = open.filter(|older| *older != address) else { return Ok(()) };
        if self.links.is_approved(holder, address, clock::now()) {
            return Ok(());
        }
        let held = Held { holder, older, newer: address, since: clock::now(), decided: None };
        if self.links.hold(held).is_some() {
            self.is_in_two_places(holder, older, address);
        }
        Err(not_approved())
    }

    /// Waits until a new link may take its place: at once where there is no older one, or it does not answer.
    pub async fn link_may_open(&self, holder: Holder, address: IpAddr, socket: &mut WebSocket) -> bool {
        let Some(link) = self.hub.link_of(holder) else { return true };
        if !link.responds().await || !self.hub.link_of(holder).is_some_and(|now| Arc::ptr_eq(&now, &link)) {
            return true;
        }
        let older = link.address().unwrap_or(address);
        let (decided, decision) = oneshot::channel();
        let held = Held { holder, older, newer: address, since: clock::now(), decided: Some(decided) };
        let Some(id) = self.links.hold(held) else { return false };
        self.is_in_two_places(holder, older, address);
        let approved = wait(socket, decision).await;
        self.links.forget(id);
        self.hub.staff.notify_one();
        approved
    }

    /// Approves or refuses a link that waits.
    ///
    /// # Errors
    /// When there is none such.
    pub fn decide_link(&self, id: u64, approved: bool, by: &str) -> ApiResult<()> {
        let found = self.links.decide(id, approved, clock::now());
        let (holder, address) = found.ok_or_else(|| ApiError::not_found("such link that waits"))?;
        let did = if approved { "approved" } else { "refused" };
        self.significant(format!("{by} {did} the link of {holder} from {address}"), false);
        self.hub.staff.notify_one();
        Ok(())
    }
}

fn not_approved() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::FORBIDDEN,
        "second_link",
        "S8",
        "this key is in use at another place: a Pit Supervisor must approve the newer link",
        "该密钥正在另一处使用，须由监场主任批准新的连接",
    )
}

/// Lets a client wait for the decision; one that goes away is refused.
async fn wait(socket: &mut WebSocket, mut decision: oneshot::Receiver<bool>) -> bool {
    if socket.send(Message::Text(hub::text(&HostMessage::Held {}))).await.is_err() {
        return false;
    }
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            decided = &mut decision => return decided.unwrap_or(false),
            incoming = socket.recv() => match incoming {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return false,
            },
            _ = tick.tick() => {
                let now = clock::now().0;
                if socket.send(Message::Text(hub::text(&HostMessage::Tick { now }))).await.is_err() {
                    return false;
                }
            }
        }
    }
}
