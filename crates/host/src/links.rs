//! Two links with one key (S8). After a reload or a network failure the older link is closed or no longer answers. If
//! the older link still answers, the key is in use in two places: the newer link is held until a Pit Supervisor
//! approves it.

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
use crate::members::Elsewhere;
use crate::store::Holder;

/// How long an older link has to answer.
const PROBE: Duration = Duration::from_millis(1_500);
/// The content of the ping.
pub const PROBED: &[u8] = b"still there";
/// The most links that wait for approval.
const MOST: usize = 200;
/// How long an approved address may send commands with a token.
const APPROVED: i64 = 60 * 60_000;
/// How often a waiting client is sent the time.
const TICK: Duration = Duration::from_secs(1);

/// The socket of a feed: its address, and whether the client answers.
#[derive(Debug, Default)]
pub struct Link {
    address: OnceLock<IpAddr>,
    /// Notified when the socket is to send a ping.
    pub asked: Notify,
    answers: watch::Sender<u64>,
}

impl Link {
    /// Sets the client's address.
    pub fn comes_from(&self, address: IpAddr) {
        let _ = self.address.set(address);
    }

    /// The client's address.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.address.get().copied()
    }

    /// The client has answered.
    pub fn answered(&self) {
        self.answers.send_modify(|answers| *answers += 1);
    }

    /// Whether the client answers now.
    pub async fn responds(&self) -> bool {
        let mut answers = self.answers.subscribe();
        self.asked.notify_one();
        matches!(tokio::time::timeout(PROBE, answers.changed()).await, Ok(Ok(())))
    }
}

/// An older link that answers.
struct Older {
    address: IpAddr,
    /// The host it is connected to, if not this one.
    host: Option<String>,
}

impl Older {
    const fn here(address: IpAddr) -> Older {
        Older { address, host: None }
    }
}

/// A link that waits for approval.
struct Held {
    holder: Holder,
    older: IpAddr,
    newer: IpAddr,
    since: Moment,
    /// Tells the socket. A client with a token has no socket here and tries again.
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

    /// Links that wait, the oldest first.
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
        // A client with a token that tries again is listed once.
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

    /// Approves or refuses a link; returns its holder and address.
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
    /// Records and alerts that a key is in use in two places.
    fn is_in_two_places(&self, holder: Holder, older: &Older, newer: IpAddr) {
        let Older { address, host } = older;
        let (there, here) = match (host, &self.membership) {
            (Some(host), Some(membership)) => (format!(" at {host}"), format!(" at {}", membership.name())),
            _ => (String::new(), String::new()),
        };
        let words = format!(
            "The key of {holder} is used from {newer}{here} while its link from {address}{there} answers: a Pit \
             Supervisor must approve the newer link{here}, or revoke the key"
        );
        self.significant(words.as_str(), false);
        // An alert of its own, so that refused sign-ins do not hide it.
        self.alert(None, words);
        self.hub.staff.notify_one();
    }

    /// A link at another host of the floor that answers.
    async fn elsewhere(&self, holder: Holder) -> Option<Older> {
        let Elsewhere { address, host } = self.membership.as_ref()?.link_elsewhere(holder).await?;
        Some(Older { address, host: Some(host) })
    }

    /// Whether a command with a token is allowed: only from the address of the open link, or from an approved one.
    ///
    /// # Errors
    /// When it may not.
    pub async fn token_may_act(&self, holder: Holder, address: IpAddr) -> ApiResult<()> {
        let here = self.hub.link_of(holder).and_then(|link| link.address()).map(Older::here);
        let older = match here {
            Some(here) => Some(here),
            // A terminal without a link anywhere needs no question.
            None if self.may_be_elsewhere(holder) => self.elsewhere(holder).await,
            None => None,
        };
        let Some(older) = older.filter(|older| older.address != address) else { return Ok(()) };
        if self.links.is_approved(holder, address, clock::now()) {
            return Ok(());
        }
        let held = Held { holder, older: older.address, newer: address, since: clock::now(), decided: None };
        if self.links.hold(held).is_some() {
            self.is_in_two_places(holder, &older, address);
        }
        Err(not_approved())
    }

    fn may_be_elsewhere(&self, holder: Holder) -> bool {
        match holder {
            Holder::Terminal(id) => self.read(|floor| floor.terminal(id).is_some_and(floor::Terminal::is_live)),
            Holder::Device(_) => true,
        }
    }

    /// Waits until a new link may open: at once if there is no older link, or it does not answer.
    pub async fn link_may_open(&self, holder: Holder, address: IpAddr, socket: &mut WebSocket) -> bool {
        let older = match self.hub.link_of(holder) {
            Some(link) => {
                let answers = link.responds().await;
                let same = self.hub.link_of(holder).is_some_and(|now| Arc::ptr_eq(&now, &link));
                (answers && same).then(|| Older::here(link.address().unwrap_or(address)))
            }
            None => self.elsewhere(holder).await,
        };
        let Some(older) = older else { return true };
        let (decided, decision) = oneshot::channel();
        let since = clock::now();
        let held = Held { holder, older: older.address, newer: address, since, decided: Some(decided) };
        let Some(id) = self.links.hold(held) else { return false };
        self.is_in_two_places(holder, &older, address);
        let approved = wait(socket, decision).await;
        self.links.forget(id);
        self.hub.staff.notify_one();
        approved
    }

    /// A link has opened here: one at another host ends, as an older one at this host does.
    pub async fn link_is_here(&self, holder: Holder) {
        if let Some(membership) = &self.membership {
            membership.link_is_here(holder).await;
        }
    }

    /// Approves or refuses a link that waits.
    ///
    /// # Errors
    /// When no such link waits.
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

/// Holds a client until the decision; one that disconnects is refused.
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
