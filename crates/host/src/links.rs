//! Two links with one key (S8). After a reload or a network failure the older link is closed or no longer answers. If
//! the older link still answers, the key is in use in two places: the newer link is held until a Pit Supervisor
//! approves it.
//!
//! A token is proved beside the link. While a link answers, a token can change and read nothing, whatever address it
//! was proved from and whenever, until a Pit Supervisor approves it: an address does not identify a client. What a
//! terminal's own page reads beside its link, it reads with the reader that it was given over that link.
//!
//! A key that was in two places stays *contested* after the older link has gone: who has copied it could otherwise wait
//! for a reload. Only the address of the link that answered comes back without approval. If the attempt came from that
//! same address, nothing comes back for a while but the page that names the reader of its last link.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use floor::{AlertKind, Body, Floor, KeyHolder, Moment, TerminalId};
use serde::Serialize;
use tokio::sync::{Notify, oneshot, watch};
use tokio_tungstenite::tungstenite::Message;
use utoipa::ToSchema;

use crate::app::App;
use crate::clock;
use crate::door::refusals::plain;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::HostMessage;
use crate::feed::wire::Socket;
use crate::hub::{self, Viewer};
use crate::members::Elsewhere;
use crate::store::{Certificate, Holder, Shown, Token};

/// How long an older link has to answer.
const PROBE: Duration = Duration::from_millis(1_500);
/// A link that answered so recently is not asked again.
const JUST_NOW: Duration = Duration::from_millis(500);
/// The content of the ping.
pub const PROBED: &[u8] = b"still there";
/// The most links that wait for approval.
const MOST: usize = 200;
/// Of these with one key: a thief of one key leaves room for others.
const MOST_EACH: usize = 4;
/// The shortest time between two alerts about one key; the alert has a count.
const MINUTE: Duration = Duration::from_secs(60);
/// How long an approved token may send commands.
const APPROVED: i64 = 60 * 60_000;
/// How long a key that was used twice from one address stays contested there. The newest attempt counts.
const CONTESTED: Duration = Duration::from_secs(5 * 60);
/// How often a waiting client is sent the time.
const TICK: Duration = Duration::from_secs(1);

/// The socket of a feed: its address, and whether the client answers.
#[derive(Debug, Default)]
pub struct Link {
    address: OnceLock<IpAddr>,
    /// The certificate it was proved with, if one was shown.
    certificate: OnceLock<Option<Certificate>>,
    /// With what its terminal reads its own records while this link is open.
    reader: Option<String>,
    /// Notified when the socket is to send a ping.
    pub asked: Notify,
    answers: watch::Sender<u64>,
    probe: Mutex<Probe>,
}

/// When the client was last asked, and when it last answered.
#[derive(Debug, Default)]
struct Probe {
    asked: Option<Instant>,
    answered: Option<Instant>,
}

/// How what a terminal reads its own records with begins.
const READER: &str = "terminal-";

impl Link {
    /// The link of a viewer.
    #[must_use]
    pub fn of(viewer: Viewer) -> Link {
        let reader = match viewer {
            Viewer::Terminal(id) => reader(id),
            _ => None,
        };
        Link { reader, ..Link::default() }
    }

    /// With what its terminal reads its own records.
    #[must_use]
    pub fn reader(&self) -> Option<&str> {
        self.reader.as_deref()
    }

    /// Sets the certificate that the client showed.
    pub fn proved_with(&self, shown: Shown) {
        let _ = self.certificate.set(shown.certificate);
    }

    /// Whether a token is the one that was given out over this link, and comes with the same certificate.
    fn is_read_with(&self, token: &str, shown: Shown) -> bool {
        let certificate = self.certificate.get().copied().flatten();
        // Hashes, so that the time it takes says nothing about the token.
        let same = |own: &str| blake3::hash(own.as_bytes()) == blake3::hash(token.as_bytes());
        certificate == shown.certificate && self.reader().is_some_and(same)
    }

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
        self.probe.lock().unwrap_or_else(PoisonError::into_inner).answered = Some(Instant::now());
        self.answers.send_modify(|answers| *answers += 1);
    }

    /// Whether the client answers now. It is asked twice a second at most, however often another client tries its key.
    pub async fn responds(&self) -> bool {
        let mut answers = self.answers.subscribe();
        {
            let mut probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
            let recent = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < JUST_NOW);
            if recent(probe.answered) {
                return true;
            }
            if !recent(probe.asked) {
                probe.asked = Some(Instant::now());
                self.asked.notify_one();
            }
        }
        matches!(tokio::time::timeout(PROBE, answers.changed()).await, Ok(Ok(())))
    }
}

/// A new token of a terminal: it names the terminal, so that its link is found.
fn reader(id: TerminalId) -> Option<String> {
    Token::new().ok().map(|token| format!("{READER}{id}.{}", token.text()))
}

/// An older link that answers, or answered when the key was last in two places.
struct Older {
    address: IpAddr,
    /// The host it is connected to, if not this one.
    host: Option<String>,
    /// Until when a newer link waits, if the older one is gone; `None` without an end.
    gone: Option<Option<Instant>>,
    /// The hash of what its client reads with.
    reader: Option<TokenId>,
}

impl Older {
    fn here(link: &Link, or: IpAddr) -> Older {
        let reader = link.reader().map(hash_of);
        Older { address: link.address().unwrap_or(or), host: None, gone: None, reader }
    }
}

fn hash_of(token: &str) -> TokenId {
    blake3::hash(token.as_bytes()).into()
}

/// A key that was in two places.
struct Contest {
    /// Where the link came from that answered.
    address: IpAddr,
    /// Until when nothing else from that address comes in, if the other attempt came from there too.
    same: Option<Instant>,
    /// What the client of the last link reads with, by its hash.
    reader: Option<TokenId>,
}

/// A link that waits for approval.
struct Held {
    holder: Holder,
    older: IpAddr,
    newer: IpAddr,
    since: Moment,
    by: By,
}

/// What a link that waits came with.
enum By {
    /// A socket, which receives the decision.
    Socket(oneshot::Sender<bool>),
    /// A token, whose holder tries again.
    Token(TokenId),
}

/// A token by its hash.
type TokenId = [u8; 32];

/// What became of a link that is to be held.
#[derive(Debug, PartialEq, Eq)]
enum Holding {
    /// It waits, under this id.
    Waits(u64),
    /// It waits already: a token that was tried again.
    Known,
    /// Too many wait.
    Full,
}

/// When the pit was last told about a key, and what has happened since.
struct Told {
    at: Instant,
    words: String,
    more: u32,
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
    approved: Vec<(Holder, TokenId, Moment)>,
    told: HashMap<Holder, Told>,
    /// At most one for each terminal and device.
    contests: HashMap<Holder, Contest>,
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

    fn hold(&self, held: Held) -> Holding {
        let mut inside = self.lock();
        let own = || inside.held.values().filter(|known| known.holder == held.holder);
        let same = |known: &Held| matches!((&known.by, &held.by), (By::Token(one), By::Token(other)) if one == other);
        if own().any(same) {
            return Holding::Known;
        }
        if inside.held.len() >= MOST || own().count() >= MOST_EACH {
            return Holding::Full;
        }
        inside.next += 1;
        let id = inside.next;
        inside.held.insert(id, held);
        Holding::Waits(id)
    }

    /// Whether to alert the pit now that a key is in two places; otherwise it is counted.
    fn is_told(&self, holder: Holder, words: &str, now: Instant) -> bool {
        let mut inside = self.lock();
        match inside.told.get_mut(&holder) {
            Some(told) if told.more > 0 || now.duration_since(told.at) < MINUTE => {
                words.clone_into(&mut told.words);
                told.more = told.more.saturating_add(1);
                false
            }
            _ => {
                inside.told.insert(holder, Told { at: now, words: String::new(), more: 0 });
                true
            }
        }
    }

    /// What the pit has not been told yet: the latest in words, and how many there were.
    fn untold(&self, now: Instant) -> Vec<(Holder, String, u32)> {
        let mut inside = self.lock();
        inside.told.retain(|_, told| told.more > 0 || now.duration_since(told.at) < MINUTE);
        let is_due = |told: &Told| told.more > 0 && now.duration_since(told.at) >= MINUTE;
        let due = inside.told.iter_mut().filter(|(_, told)| is_due(told));
        due.map(|(holder, told)| {
            told.at = now;
            (*holder, std::mem::take(&mut told.words), std::mem::take(&mut told.more))
        })
        .collect()
    }

    /// A key is in two places: an older link answers, and a newer one is held.
    fn contest(&self, holder: Holder, older: &Older, newer: IpAddr, now: Instant) {
        let address = older.address.to_canonical();
        let mut inside = self.lock();
        let before = inside.contests.remove(&holder).filter(|before| before.address == address);
        let until = before.as_ref().and_then(|before| before.same);
        let same = if address == newer.to_canonical() { Some(now + CONTESTED) } else { until };
        let reader = older.reader.or(before.and_then(|before| before.reader));
        inside.contests.insert(holder, Contest { address, same, reader });
    }

    /// The link that a new one from an address, whose page names a reader, must not simply replace although it is gone.
    fn contested(&self, holder: Holder, address: IpAddr, reader: Option<&str>, now: Instant) -> Option<Older> {
        let inside = self.lock();
        let contest = inside.contests.get(&holder)?;
        let gone = if contest.address == address.to_canonical() {
            let resumes = reader.map(hash_of).is_some_and(|reader| contest.reader == Some(reader));
            Some(contest.same.filter(|until| now < *until && !resumes)?)
        } else {
            None
        };
        Some(Older { address: contest.address, host: None, gone: Some(gone), reader: contest.reader })
    }

    /// Where the link of a contested key came from.
    #[must_use]
    pub fn contested_by(&self, holder: Holder) -> Option<IpAddr> {
        self.lock().contests.get(&holder).map(|contest| contest.address)
    }

    /// A key is no longer contested: a Pit Supervisor has approved a link with it, or the key is another one.
    pub fn settle(&self, holder: Holder) {
        self.lock().contests.remove(&holder);
    }

    fn forget(&self, id: u64) {
        self.lock().held.remove(&id);
    }

    fn is_approved(&self, holder: Holder, token: &TokenId, now: Moment) -> bool {
        let mut inside = self.lock();
        inside.approved.retain(|(.., at)| now.since(*at).abs() < APPROVED);
        inside.approved.iter().any(|(known, approved, _)| *known == holder && approved == token)
    }

    /// Approves or refuses a link; returns its holder and address.
    fn decide(&self, id: u64, approved: bool, now: Moment) -> Option<(Holder, IpAddr)> {
        let mut inside = self.lock();
        let held = inside.held.remove(&id)?;
        match held.by {
            By::Token(token) if approved => inside.approved.push((held.holder, token, now)),
            By::Token(_) => {}
            By::Socket(decided) => {
                let _ = decided.send(approved);
                if approved {
                    inside.contests.remove(&held.holder);
                }
            }
        }
        Some((held.holder, held.newer))
    }
}

impl App {
    /// Records and alerts that a key is in use in two places: once a minute for each key, with a count.
    fn is_in_two_places(&self, holder: Holder, older: &Older, newer: IpAddr) {
        let Older { address, host, gone, .. } = older;
        let (there, here) = match (host, &self.membership) {
            (Some(host), Some(membership)) => (format!(" at {host}"), format!(" at {}", membership.name())),
            _ => (String::new(), String::new()),
        };
        let how = if gone.is_some() { AFTER } else { WHILE };
        let words = words(holder, &format!("{newer}{here}"), how, &format!("{address}{there}"));
        if self.links.is_told(holder, &words, Instant::now()) {
            self.tell_two_places(holder, &words, 1);
        }
        self.hub.staff.notify_one();
    }

    /// One line for each key, whatever is tried with it.
    fn tell_two_places(&self, holder: Holder, words: &str, times: u32) {
        self.significant(counted(words, times), false);
        let key = match holder {
            Holder::Terminal(id) => KeyHolder::Terminal(id),
            Holder::Device(id) => KeyHolder::Device(id),
        };
        let what = match self.read(Floor::level) {
            floor::TAGGED.. => AlertKind::CopiedKey(key, plain(words), times),
            // Programs of an older level know no other.
            _ => AlertKind::Host(plain(words)),
        };
        if let Err(refused) = self.own_unanswered(Body::RaiseAlert { table: None, what }) {
            tracing::error!(%refused, "an alert could not be raised");
        }
    }

    /// Tells the pit what was counted since it was last told.
    pub fn tell_links(&self) {
        for (holder, words, more) in self.links.untold(Instant::now()) {
            self.tell_two_places(holder, &words, more);
        }
    }

    /// A link at another host of the floor that answers, or that was contested there by another address.
    async fn elsewhere(&self, holder: Holder, newer: IpAddr) -> Option<Older> {
        let Elsewhere { address, host, answers } = self.membership.as_ref()?.link_elsewhere(holder).await?;
        let gone = if answers { None } else { Some(None) };
        (answers || address.to_canonical() != newer.to_canonical()).then_some(Older {
            address,
            host: Some(host),
            gone,
            reader: None,
        })
    }

    /// The terminal that reads with what it was given over its own link, which is open here.
    #[must_use]
    pub fn reads_by_link(&self, token: &str, shown: Shown) -> Option<TerminalId> {
        let (id, _) = token.strip_prefix(READER)?.split_once('.')?;
        let id = TerminalId(id.parse().ok()?);
        let link = self.hub.link_of(Holder::Terminal(id))?;
        link.is_read_with(token, shown).then_some(id)
    }

    /// Whether a token is good for anything: while a link of its holder answers, only if it was approved.
    ///
    /// # Errors
    /// When it may not.
    pub async fn token_may_act(&self, holder: Holder, address: IpAddr, token: &str) -> ApiResult<()> {
        let older = match self.hub.link_of(holder) {
            Some(link) => link.responds().await.then(|| Older::here(&link, address)),
            // A terminal without a link anywhere needs no question.
            None if self.may_be_elsewhere(holder) => self.elsewhere(holder, address).await,
            None => None,
        };
        let older = older.or_else(|| self.links.contested(holder, address, None, Instant::now()));
        let Some(older) = older else { return Ok(()) };
        let token = hash_of(token);
        if self.links.is_approved(holder, &token, clock::now()) {
            return Ok(());
        }
        let held = Held { holder, older: older.address, newer: address, since: clock::now(), by: By::Token(token) };
        if older.gone.is_none() {
            self.links.contest(holder, &older, address, Instant::now());
        }
        if self.links.hold(held) != Holding::Known {
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

    /// Waits until a new link may open: at once if there is no older link, or it does not answer, and the key is not
    /// contested. `reader`: what the client read with over its last link.
    pub async fn link_may_open(
        &self,
        holder: Holder,
        address: IpAddr,
        reader: Option<&str>,
        socket: &mut Socket,
    ) -> bool {
        loop {
            let older = match self.hub.link_of(holder) {
                Some(link) => {
                    let answers = link.responds().await;
                    let same = self.hub.link_of(holder).is_some_and(|now| Arc::ptr_eq(&now, &link));
                    (answers && same).then(|| Older::here(&link, address))
                }
                None => self.elsewhere(holder, address).await,
            };
            let older = older.or_else(|| self.links.contested(holder, address, reader, Instant::now()));
            let Some(older) = older else { return true };
            if older.gone.is_none() {
                self.links.contest(holder, &older, address, Instant::now());
            }
            let (decided, decision) = oneshot::channel();
            let since = clock::now();
            let held = Held { holder, older: older.address, newer: address, since, by: By::Socket(decided) };
            let holding = self.links.hold(held);
            self.is_in_two_places(holder, &older, address);
            let Holding::Waits(id) = holding else { return false };
            let decided = wait(socket, decision, older.gone.flatten()).await;
            self.links.forget(id);
            self.hub.staff.notify_one();
            match decided {
                Some(true) => {
                    if let Some(membership) = &self.membership {
                        membership.link_is_approved(holder).await;
                    }
                    return true;
                }
                Some(false) => return false,
                // The contest is over: it is looked at once more.
                None => {}
            }
        }
    }

    /// A link has opened here: one at another host ends, as an older one at this host does.
    pub async fn link_is_here(&self, holder: Holder, link: &Link) {
        if let Some(contest) = self.links.lock().contests.get_mut(&holder) {
            contest.reader = link.reader().map(hash_of);
        }
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

const USED: (&str, &str) = ("The key of ", " is used from ");
const WHILE: (&str, &str) =
    (" while its link from ", " answers: a Pit Supervisor must approve the newer link, or revoke the key");
const AFTER: (&str, &str) = (
    ", and was in two places before. The other was ",
    ", which is gone: a Pit Supervisor must approve the newer link, or revoke the key",
);
const MORE: &str = "; times since: ";

fn words(holder: Holder, newer: &str, how: (&str, &str), older: &str) -> String {
    let ((key, used), (how, rest)) = (USED, how);
    format!("{key}{holder}{used}{newer}{how}{older}{rest}")
}

/// The words with how often it happened.
#[must_use]
pub fn counted(words: &str, times: u32) -> String {
    if times > 1 { format!("{words}{MORE}{times}") } else { words.to_owned() }
}

/// The same in Chinese, if these are such words.
#[must_use]
pub fn in_chinese(words: &str) -> Option<String> {
    let (key, used) = USED;
    let (holder, words) = words.strip_prefix(key)?.split_once(used)?;
    let split = |(how, rest): (&str, &str)| {
        let (newer, words) = words.split_once(how)?;
        words.split_once(rest).map(|(older, more)| (newer, older, more))
    };
    let (answers, (newer, older, more)) =
        split(WHILE).map(|found| (true, found)).or_else(|| split(AFTER).map(|found| (false, found)))?;
    let (kind, id) = holder.split_once(' ')?;
    let kind = if kind == "terminal" { "终端" } else { "设备" };
    let place = |place: &str| match place.split_once(" at ") {
        Some((address, host)) => format!("{address}（主机 {host}）"),
        None => place.to_owned(),
    };
    let more = more.strip_prefix(MORE).map(|count| format!("；此后 {count} 次")).unwrap_or_default();
    let (newer, older) = (place(newer), place(older));
    let how = if answers {
        format!("，而其来自 {older} 的连接仍有回应")
    } else {
        format!("；该密钥此前曾在两处使用，另一处为 {older}，其连接已断开")
    };
    Some(format!("{kind} {id} 的密钥在 {newer} 使用{how}：须由值台主管批准新的连接，或撤销该密钥{more}"))
}

fn not_approved() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::FORBIDDEN,
        "second_link",
        "S8",
        "this key is in use at another place: a Pit Supervisor must approve the newer link",
        "该密钥正在另一处使用，须由值台主管批准新的连接",
    )
}

/// Holds a client until the decision; one that disconnects is refused. `None`: the time is over until which it waits.
async fn wait(socket: &mut Socket, mut decision: oneshot::Receiver<bool>, until: Option<Instant>) -> Option<bool> {
    if socket.send(Message::Text(hub::text(&HostMessage::Held {}))).await.is_err() {
        return Some(false);
    }
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            decided = &mut decision => return Some(decided.unwrap_or(false)),
            incoming = socket.next() => match incoming {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return Some(false),
            },
            _ = tick.tick() => {
                if until.is_some_and(|until| until <= Instant::now()) {
                    return None;
                }
                let now = clock::now().0;
                if socket.send(Message::Text(hub::text(&HostMessage::Tick { now }))).await.is_err() {
                    return Some(false);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_socket(id: u32) -> Held {
        let (older, newer) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let holder = Holder::Terminal(TerminalId(id));
        Held { holder, older, newer, since: Moment(0), by: By::Socket(oneshot::channel().0) }
    }

    #[test]
    fn who_has_one_stolen_key_leaves_room_for_what_others_do() {
        let links = Links::default();
        let held = (0..700).filter(|_| matches!(links.hold(by_socket(1)), Holding::Waits(_))).count();
        assert_eq!(held, MOST_EACH);
        assert!(matches!(links.hold(by_socket(2)), Holding::Waits(_)));
    }

    #[test]
    fn the_pit_is_told_of_a_key_once_a_minute_with_a_count() {
        let (links, now, one) = (Links::default(), Instant::now(), Holder::Terminal(TerminalId(1)));
        assert_eq!((0..700).filter(|_| links.is_told(one, "again", now)).count(), 1);
        assert!(links.is_told(Holder::Terminal(TerminalId(2)), "another", now), "each key for itself");
        assert!(links.untold(now).is_empty());
        assert_eq!(links.untold(now + MINUTE), [(one, "again".to_owned(), 699)]);
        assert!(links.untold(now + MINUTE * 2).is_empty());
        assert!(links.is_told(one, "later", now + MINUTE * 3));
    }

    #[test]
    fn the_pit_reads_it_in_both_languages() {
        let one = Holder::Terminal(TerminalId(7));
        let plain = words(one, "10.0.0.9", WHILE, "10.0.0.7");
        assert!(plain.len() < crate::door::refusals::LONGEST);
        let zh = in_chinese(&plain).unwrap_or_default();
        assert!(zh.starts_with("终端 7 的密钥在 10.0.0.9 使用，而其来自 10.0.0.7 的连接"), "{zh}");
        let zh = in_chinese(&format!("{}{MORE}12", words(one, "10.0.0.9 at two", WHILE, "10.0.0.7 at one")))
            .unwrap_or_default();
        assert!(zh.contains("10.0.0.9（主机 two）") && zh.ends_with("；此后 12 次"), "{zh}");
        let after = words(one, "10.0.0.9", AFTER, "10.0.0.7");
        assert!(after.len() < crate::door::refusals::LONGEST);
        assert!(in_chinese(&after).is_some_and(|zh| zh.contains("另一处为 10.0.0.7")), "{after}");
        assert_eq!(in_chinese("The disk is full"), None);
    }

    #[test]
    fn a_contested_key_comes_back_from_the_address_that_answered_alone() {
        let (links, now, one) = (Links::default(), Instant::now(), Holder::Terminal(TerminalId(1)));
        let [own, thief] = [7, 9].map(|last| IpAddr::from([10, 0, 0, last]));
        let older = || Older { address: own, host: None, gone: None, reader: Some(hash_of("its own")) };
        let held = |from, reader, later| links.contested(one, from, reader, now + later).is_some();
        assert!(!held(thief, None, Duration::ZERO), "the key was not contested");
        links.contest(one, &older(), thief, now);
        assert!(held(thief, Some("its own"), CONTESTED * 100), "until it is approved, however long that takes");
        assert!(!held(own, None, Duration::ZERO), "a reload");
        // Both from one address: a reload names what its last link read with.
        links.contest(one, &older(), own, now);
        assert!(held(own, None, Duration::ZERO) && held(own, Some("another"), Duration::ZERO));
        assert!(!held(own, Some("its own"), Duration::ZERO) && !held(own, None, CONTESTED));
        links.settle(one);
        assert!(!held(thief, None, Duration::ZERO));
    }
}
