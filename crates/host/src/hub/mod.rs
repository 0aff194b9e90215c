//! The open feeds: the hub sends what is durable to every client that it concerns.
//!
//! A message for many clients is written once and shared. Each feed has a short queue. A client that does not read it
//! is disconnected with a reason, and delays no other client.

mod frames;
mod outlet;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use engine::{Refused, Reply, Tag};
use floor::{DeviceId, Floor, Moment, Sender, StaffId, TableId, TerminalId};
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

pub use frames::text;
use frames::{frame, join, json_of, own_sections, section, update};
pub use outlet::{Following, ToHub};

use crate::app::App;
use crate::clock;
use crate::error::Error;
use crate::feed::cursor::{Cursor, Cursors};
use crate::feed::message::{ByeReason, HostMessage, TicketSlip};
use crate::links::Link;
use crate::members::Term;
use crate::store::Holder;
use crate::tell::{Audience, Changes, EventMessage, OwnChange, TableChange, Told};
use crate::view;

/// Messages that may wait for a client before it counts as slow.
pub const QUEUE: usize = 256;
/// Events remembered for clients that come back.
const REMEMBERED: usize = 20_000;
/// Results in a terminal's snapshot.
const RECENT: usize = 30;
/// Tags of commands that came over a feed have this bit.
const FEED: u64 = 1 << 63;
/// The answer is discarded.
pub const NOBODY: Tag = 0;

/// The client of a feed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A Player Terminal.
    Terminal(TerminalId),
    /// The display over a table.
    Display(TableId),
    /// The dealer's console of a table.
    Console(TableId, StaffId),
    /// The pit.
    Pit(StaffId),
    /// The cage.
    Cage(StaffId),
    /// The administration.
    Admin(StaffId),
    /// A device.
    Device(DeviceId),
}

/// Why a feed was ended by the hub; the socket's task reads it.
#[derive(Debug, Default)]
pub struct Farewell(AtomicU8);

impl Farewell {
    fn set(&self, reason: ByeReason) {
        let code = match reason {
            ByeReason::Slow => 1,
            ByeReason::Stopping => 2,
            ByeReason::Revoked => 3,
            ByeReason::Replaced => 4,
            ByeReason::Limits => 5,
            ByeReason::Moved => 6,
        };
        let _ = self.0.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The reason, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<ByeReason> {
        match self.0.load(Ordering::Relaxed) {
            1 => Some(ByeReason::Slow),
            2 => Some(ByeReason::Stopping),
            3 => Some(ByeReason::Revoked),
            4 => Some(ByeReason::Replaced),
            5 => Some(ByeReason::Limits),
            6 => Some(ByeReason::Moved),
            _ => None,
        }
    }
}

/// A feed, as its socket's task holds it.
pub struct Feed {
    /// Its place in the hub.
    pub slot: u32,
    /// What to send.
    pub messages: mpsc::Receiver<Utf8Bytes>,
    /// Why it ended.
    pub farewell: Arc<Farewell>,
    /// The socket it goes over.
    pub link: Arc<Link>,
    hub: Arc<Hub>,
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.hub.lock().remove(self.slot, &self.farewell);
    }
}

struct Connection {
    viewer: Viewer,
    table: Option<TableId>,
    messages: mpsc::Sender<Utf8Bytes>,
    farewell: Arc<Farewell>,
    link: Arc<Link>,
    /// Numbers of the client's commands that wait for an answer, in the order they were sent, and since when.
    pending: VecDeque<(u32, u64, Instant)>,
}

#[derive(Default)]
struct Inside {
    connections: Vec<Option<Connection>>,
    free: Vec<u32>,
    terminals: HashMap<TerminalId, u32>,
    devices: HashMap<DeviceId, u32>,
    tables: HashMap<TableId, Vec<u32>>,
    remembered: VecDeque<Told>,
    /// Events up to this one are forgotten.
    forgotten: u64,
    waiting: HashMap<Tag, oneshot::Sender<Reply>>,
    /// Commands that arrived over any feed. They share one count, so that a late answer is not given to another client
    /// that has the slot by then.
    sent: u32,
}

impl Inside {
    fn get(&mut self, slot: u32) -> Option<&mut Connection> {
        self.connections.get_mut(slot as usize)?.as_mut()
    }

    fn remove(&mut self, slot: u32, farewell: &Arc<Farewell>) {
        // The slot may already belong to another client.
        if !self.get(slot).is_some_and(|connection| Arc::ptr_eq(&connection.farewell, farewell)) {
            return;
        }
        let Some(connection) = self.connections.get_mut(slot as usize).and_then(Option::take) else { return };
        match connection.viewer {
            Viewer::Terminal(id) if self.terminals.get(&id) == Some(&slot) => drop(self.terminals.remove(&id)),
            Viewer::Device(id) if self.devices.get(&id) == Some(&slot) => drop(self.devices.remove(&id)),
            _ => {}
        }
        if let Some(listeners) = connection.table.and_then(|table| self.tables.get_mut(&table)) {
            listeners.retain(|listener| *listener != slot);
        }
        self.free.push(slot);
    }

    fn end(&mut self, slot: u32, reason: ByeReason) {
        if let Some(connection) = self.get(slot) {
            connection.farewell.set(reason);
            let farewell = Arc::clone(&connection.farewell);
            self.remove(slot, &farewell);
        }
    }

    /// Sends, and ends a feed that does not take it.
    fn send(&mut self, slot: u32, message: Utf8Bytes) {
        let Some(connection) = self.get(slot) else { return };
        match connection.messages.try_send(message) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(_)) => {
                metrics::counter!("croupier_feeds_ended_total", "reason" => "slow").increment(1);
                self.end(slot, ByeReason::Slow);
            }
            Err(mpsc::error::TrySendError::Closed(_)) => self.end(slot, ByeReason::Stopping),
        }
    }

    /// Answers commands that came over a feed, if it is still the one they came over.
    fn answer(&mut self, slot: u32, replies: Vec<(u32, Reply)>) {
        for (sent, reply) in replies {
            let Some(connection) = self.get(slot) else { return };
            // Nearly always the first; a command forwarded to another host may still wait when this one takes over.
            let place = connection.pending.iter().position(|(first, ..)| *first == sent);
            let Some((_, number, since)) = place.and_then(|place| connection.pending.remove(place)) else { continue };
            metrics::histogram!("croupier_commit_seconds").record(since.elapsed().as_secs_f64());
            let message = match reply {
                Reply::Accepted(sequence) => {
                    Utf8Bytes::from(format!(r#"{{"type":"answer","number":{number},"accepted":{sequence}}}"#))
                }
                Reply::Refused(refusal) => {
                    metrics::counter!("croupier_refusals_total", "code" => refusal.code.as_str()).increment(1);
                    let error = Some(refusal.into());
                    text(&HostMessage::Answer { number, accepted: None, error, ticket: None })
                }
                Reply::Stopped(reason) => {
                    let error = Some(*crate::error::ApiError::stopped(&reason).error);
                    text(&HostMessage::Answer { number, accepted: None, error, ticket: None })
                }
                Reply::Untaken(refused) => {
                    let error = *crate::error::ApiError::from(refused).error;
                    metrics::counter!("croupier_refusals_total", "code" => error.code.clone()).increment(1);
                    text(&HostMessage::Answer { number, accepted: None, error: Some(error), ticket: None })
                }
            };
            self.send(slot, message);
        }
    }

    fn remember(&mut self, told: &[Told]) {
        for event in told {
            if self.remembered.len() >= REMEMBERED
                && let Some(oldest) = self.remembered.pop_front()
            {
                self.forgotten = oldest.event.sequence;
            }
            self.remembered.push_back(event.clone());
        }
    }
}

/// All feeds of a floor.
pub struct Hub {
    inside: Mutex<Inside>,
    tags: AtomicU64,
    /// Rung when what staff see may have changed.
    pub staff: Notify,
    /// Rung when a deadline may have changed.
    pub deadlines: Notify,
    /// Rung when the post of a person has changed.
    pub changed_posts: Notify,
    /// How often sessions were ended here.
    pub ended_sessions: watch::Sender<u64>,
    posts: Mutex<Vec<StaffId>>,
    /// Which tables deal by machine.
    automatic: Mutex<BTreeMap<TableId, bool>>,
    /// The last durable record.
    pub sequence: AtomicU64,
    /// Rung when a host has begun to lead: it does not know yet which terminals are where.
    pub began: Notify,
    /// How long this host may speak for the floor.
    pub term: Term,
    /// The last checkpoint that was signed, here or by another host.
    pub signed: watch::Sender<Option<journal::Checkpoint>>,
    /// Makes the cursors of feeds; known once the floor has come up.
    pub cursors: OnceLock<Cursors>,
}

/// What a client that comes has seen before.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing.
    Nothing,
    /// Everything up to this record.
    Record(u64),
    /// Something that cannot be told from its cursor.
    Unknown,
}

impl Hub {
    /// No feeds yet. Events up to `sequence` are not remembered.
    #[must_use]
    pub fn new() -> Arc<Hub> {
        Arc::new(Hub {
            inside: Mutex::new(Inside::default()),
            tags: AtomicU64::new(1),
            staff: Notify::new(),
            deadlines: Notify::new(),
            changed_posts: Notify::new(),
            ended_sessions: watch::Sender::new(0),
            posts: Mutex::new(Vec::new()),
            automatic: Mutex::new(BTreeMap::new()),
            sequence: AtomicU64::new(0),
            began: Notify::new(),
            term: Term::default(),
            signed: watch::Sender::new(None),
            cursors: OnceLock::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Events up to this record cannot be sent again: they were before this start.
    pub fn begin(&self, sequence: u64) {
        self.lock().forgotten = sequence;
        self.sequence.store(sequence, Ordering::Release);
    }

    /// Whether a machine deals at a table (S22).
    #[must_use]
    pub fn is_automatic(&self, table: TableId) -> bool {
        self.automatic.lock().unwrap_or_else(PoisonError::into_inner).get(&table).copied().unwrap_or(false)
    }

    /// An automatic dealer was switched on or off at a table. Everyone there receives it.
    pub fn set_automatic(&self, floor: &Floor, table: TableId, automatic: bool) {
        self.automatic.lock().unwrap_or_else(PoisonError::into_inner).insert(table, automatic);
        let mut view = Map::new();
        view.insert("table".to_owned(), json!(view::table(floor, table, automatic)));
        let message = update(floor.sequence(), self.cursor(floor), clock::now(), Value::Object(view));
        let mut inside = self.lock();
        for slot in inside.tables.get(&table).cloned().unwrap_or_default() {
            inside.send(slot, message.clone());
        }
        drop(inside);
        self.staff.notify_one();
    }

    /// The current cursor of a floor, with which clients reconnect.
    fn cursor(&self, floor: &Floor) -> String {
        self.cursors.get().map(|cursors| cursors.token(Cursor::of(floor))).unwrap_or_default()
    }

    /// Opens a feed. Called while the floor is locked, so that nothing is lost between its snapshot and the following
    /// changes. `staff` is what a person sees beside the table.
    #[must_use]
    pub fn open(self: &Arc<Hub>, floor: &Floor, viewer: Viewer, since: Since, staff: Option<Value>) -> Feed {
        let table = match viewer {
            Viewer::Terminal(id) => floor.terminal(id).map(floor::Terminal::table),
            Viewer::Display(table) | Viewer::Console(table, _) => Some(table),
            _ => None,
        };
        let (messages, receiver) = mpsc::channel(QUEUE);
        let farewell = Arc::new(Farewell::default());
        let link = Arc::new(Link::of(viewer));
        let connection = Connection {
            viewer,
            table,
            messages,
            farewell: Arc::clone(&farewell),
            link: Arc::clone(&link),
            pending: VecDeque::new(),
        };
        let mut inside = self.lock();
        let slot = match inside.free.pop() {
            Some(slot) => slot,
            None => {
                inside.connections.push(None);
                u32::try_from(inside.connections.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let (events, complete) = missed(&inside, viewer, table, since);
        if let Some(place) = inside.connections.get_mut(slot as usize) {
            *place = Some(connection);
        }
        let replaced = match viewer {
            Viewer::Terminal(id) => inside.terminals.insert(id, slot),
            Viewer::Device(id) => inside.devices.insert(id, slot),
            _ => None,
        };
        if let Some(old) = replaced.filter(|old| *old != slot) {
            inside.end(old, ByeReason::Replaced);
        }
        if let Some(table) = table {
            inside.tables.entry(table).or_default().push(slot);
        }
        let snapshot = HostMessage::Snapshot {
            sequence: floor.sequence(),
            cursor: self.cursor(floor),
            now: clock::now().0,
            events,
            complete,
            next_number: match viewer {
                Viewer::Terminal(id) => Some(App::next_number(floor, Sender::Terminal(id))),
                Viewer::Device(id) => Some(App::next_number(floor, Sender::Device(id))),
                _ => None,
            },
            reader: link.reader().map(str::to_owned),
            view: self.sections(floor, viewer, staff),
        };
        inside.send(slot, text(&snapshot));
        drop(inside);
        Feed { slot, messages: receiver, farewell, link, hub: Arc::clone(self) }
    }

    /// Every section of a viewer, for the snapshot.
    fn sections(&self, floor: &Floor, viewer: Viewer, staff: Option<Value>) -> Value {
        let mut sections = match staff {
            Some(Value::Object(staff)) => staff,
            _ => Map::new(),
        };
        let mut put = |name: &str, value: Value| drop(sections.insert(name.to_owned(), value));
        let table = match viewer {
            Viewer::Terminal(id) => floor.terminal(id).map(floor::Terminal::table),
            Viewer::Display(table) | Viewer::Console(table, _) => Some(table),
            _ => None,
        };
        if let Some(table) = table {
            put("table", json!(view::table(floor, table, self.is_automatic(table))));
            put("round", json!(view::round(floor, table)));
            // With ten thousand terminals, each gets the newest entries, and asks for the rest on demand.
            let results = match viewer {
                Viewer::Terminal(_) => view::last_results(floor, table, RECENT),
                _ => view::results(floor, table),
            };
            put("results", json!(results));
            put("last_round", json!(self.last_round(floor, table)));
            put("lit", json!(view::lit(floor, table)));
        }
        if let Viewer::Terminal(id) = viewer {
            put("own", json!(view::own(floor, id)));
            put("bets", json!(view::bets(floor, id)));
        }
        Value::Object(sections)
    }

    /// A tag for a command whose answer a task waits for.
    pub fn expect(&self) -> (Tag, oneshot::Receiver<Reply>) {
        let tag = self.tags.fetch_add(1, Ordering::Relaxed) & !FEED;
        let (sender, receiver) = oneshot::channel();
        self.lock().waiting.insert(tag, sender);
        (tag, receiver)
    }

    /// The client no longer waits for that answer.
    pub fn forget(&self, tag: Tag) {
        self.lock().waiting.remove(&tag);
    }

    /// A tag for a command that came over a feed.
    pub fn expect_on(&self, slot: u32, number: u64) -> Option<Tag> {
        let mut inside = self.lock();
        inside.sent = inside.sent.wrapping_add(1);
        let sent = inside.sent;
        let connection = inside.get(slot)?;
        connection.pending.push_back((sent, number, Instant::now()));
        Some(FEED | u64::from(slot & 0x7fff_ffff) << 32 | u64::from(sent))
    }

    /// Answers a command over a feed at once.
    pub fn answer(
        &self,
        slot: u32,
        number: u64,
        error: Option<Error>,
        ticket: Option<TicketSlip>,
        accepted: Option<u64>,
    ) {
        let message = text(&HostMessage::Answer { number, accepted, error, ticket });
        self.lock().send(slot, message);
    }

    /// Takes back a tag whose command was not accepted for decision.
    pub fn withdraw(&self, slot: u32, number: u64) {
        let mut inside = self.lock();
        if let Some(connection) = inside.get(slot)
            && connection.pending.back().is_some_and(|(_, last, _)| *last == number)
        {
            connection.pending.pop_back();
        }
    }

    /// Feeds that are open.
    #[must_use]
    pub fn feeds(&self) -> usize {
        let inside = self.lock();
        inside.connections.len() - inside.free.len()
    }

    /// Whether everything up to a record is shown, once it is or the time is over.
    pub async fn reached(&self, sequence: u64, within: Duration) -> bool {
        let until = Instant::now() + within;
        while self.sequence.load(Ordering::Acquire) < sequence {
            if Instant::now() >= until {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        true
    }

    /// The terminals that have a feed here.
    #[must_use]
    pub fn terminals(&self) -> Vec<TerminalId> {
        self.lock().terminals.keys().copied().collect()
    }

    /// Whether a terminal has a feed.
    #[must_use]
    pub fn has_terminal(&self, id: TerminalId) -> bool {
        self.lock().terminals.contains_key(&id)
    }

    /// The link of a terminal or device.
    #[must_use]
    pub fn link_of(&self, holder: Holder) -> Option<Arc<Link>> {
        let mut inside = self.lock();
        let slot = match holder {
            Holder::Terminal(id) => inside.terminals.get(&id).copied(),
            Holder::Device(id) => inside.devices.get(&id).copied(),
        };
        slot.and_then(|slot| inside.get(slot)).map(|connection| Arc::clone(&connection.link))
    }

    /// Ends the feed of a terminal or device.
    pub fn end_link_of(&self, holder: Holder, reason: ByeReason) {
        let mut inside = self.lock();
        let slot = match holder {
            Holder::Terminal(id) => inside.terminals.get(&id).copied(),
            Holder::Device(id) => inside.devices.get(&id).copied(),
        };
        if let Some(slot) = slot {
            inside.end(slot, reason);
        }
    }

    /// Sessions have ended: staff feeds check whether their session is still valid.
    pub fn sessions_ended(&self) {
        self.ended_sessions.send_modify(|times| *times += 1);
    }

    /// Ends the feeds of a person.
    pub fn end_feeds_of(&self, staff: StaffId, reason: ByeReason) {
        self.end_where(reason, |viewer| match viewer {
            Viewer::Console(_, id) | Viewer::Pit(id) | Viewer::Cage(id) | Viewer::Admin(id) => *id == staff,
            _ => false,
        });
    }

    /// A person's post has changed: the feeds end at once, and the sessions as soon as the store has been updated.
    pub fn post_changed(&self, staff: StaffId) {
        self.end_feeds_of(staff, ByeReason::Revoked);
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).push(staff);
        self.changed_posts.notify_one();
    }

    /// The people whose post has changed since this was asked last.
    #[must_use]
    pub fn take_changed_posts(&self) -> Vec<StaffId> {
        std::mem::take(&mut *self.posts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The clock, for everyone.
    pub fn tick(&self, now: Moment) {
        let message = text(&HostMessage::Tick { now: now.0 });
        let mut inside = self.lock();
        for slot in 0..u32::try_from(inside.connections.len()).unwrap_or(u32::MAX) {
            inside.send(slot, message.clone());
        }
    }

    /// Ends every feed of a viewer that fits.
    pub fn end_where(&self, reason: ByeReason, fits: impl Fn(&Viewer) -> bool) {
        let mut inside = self.lock();
        for slot in 0..u32::try_from(inside.connections.len()).unwrap_or(u32::MAX) {
            if inside.get(slot).is_some_and(|connection| fits(&connection.viewer)) {
                inside.end(slot, reason);
            }
        }
    }

    /// Sends staff what they see now. It is computed without locking the feeds, because the computation may lock them
    /// itself.
    pub fn tell_staff(&self, floor: &Floor, sections: impl Fn(Viewer) -> Option<Value>) {
        let now = clock::now();
        let viewers: Vec<(u32, Viewer)> = (0..)
            .zip(&self.lock().connections)
            .filter_map(|(slot, connection)| Some((slot, connection.as_ref()?.viewer)))
            .filter(|(_, viewer)| !matches!(viewer, Viewer::Terminal(_) | Viewer::Display(_) | Viewer::Device(_)))
            .collect();
        let cursor = self.cursor(floor);
        for (slot, viewer) in viewers {
            let Some(view) = sections(viewer) else { continue };
            let message = update(floor.sequence(), cursor.clone(), now, view);
            let mut inside = self.lock();
            // The place may belong to another client by now.
            if inside.get(slot).is_some_and(|connection| connection.viewer == viewer) {
                inside.send(slot, message);
            }
        }
    }

    /// Whether any staff member is watching.
    #[must_use]
    pub fn staff_watch(&self) -> bool {
        let staff = |connection: &Option<Connection>| {
            connection.as_ref().is_some_and(|connection| {
                !matches!(connection.viewer, Viewer::Terminal(_) | Viewer::Display(_) | Viewer::Device(_))
            })
        };
        self.lock().connections.iter().any(staff)
    }

    /// Sends every client what has changed, and the answers. The floor is locked meanwhile, so no client can register.
    /// The list of feeds is locked only to find the recipients and to send, not while messages are written, because
    /// others have commands to send.
    fn tell(&self, floor: &Floor, changes: &Changes, replies: Vec<(Tag, Reply)>) {
        let (sequence, now) = (floor.sequence(), clock::now());
        let cursor = LazyLock::new(|| self.cursor(floor));
        let mut told_own: HashMap<TerminalId, Vec<&EventMessage>> = HashMap::new();
        let mut told_tables: HashMap<TableId, Vec<&EventMessage>> = HashMap::new();
        for told in &changes.told {
            match told.audience {
                Audience::Terminal(id) => told_own.entry(id).or_default().push(&told.event),
                Audience::Table(id) => told_tables.entry(id).or_default().push(&told.event),
            }
        }
        let (listening, own) = self.concerned(changes);
        // What everyone at a table sees is written once; a player whose own part changed gets both in one message.
        let mut shared: Vec<(&[u32], Utf8Bytes)> = Vec::new();
        let mut parts: HashMap<TableId, (String, String)> = HashMap::new();
        for (id, change, listeners) in &listening {
            let events = json_of(told_tables.get(id).map_or(&[][..], Vec::as_slice));
            let view = self.table_sections(floor, *id, *change);
            shared.push((listeners, Utf8Bytes::from(frame(sequence, &cursor, now, &events, &view))));
            parts.insert(*id, (events, view));
        }
        let mut single: Vec<(u32, Utf8Bytes)> = Vec::with_capacity(own.len());
        for (slot, id, change) in own {
            let own = own_sections(floor, id, change);
            let table = floor.terminal(id).map(floor::Terminal::table);
            let told = told_own.get(&id).map(|events| json_of(events.as_slice())).unwrap_or_default();
            let (events, view) = match table.and_then(|table| parts.get(&table)) {
                Some((events, view)) => (join(events, &told), join(view, &own)),
                None => (told, own),
            };
            single.push((slot, Utf8Bytes::from(frame(sequence, &cursor, now, &events, &view))));
        }
        let mut answers = Answers::of(replies);
        let mut inside = self.lock();
        for (listeners, message) in shared {
            for slot in listeners {
                inside.send(*slot, message.clone());
            }
        }
        // An answer right behind the update that shows its effect: the socket's task is woken once for both.
        for (slot, message) in single {
            inside.send(slot, message);
            inside.answer(slot, answers.feeds.remove(&slot).unwrap_or_default());
        }
        for (slot, replies) in answers.feeds {
            inside.answer(slot, replies);
        }
        for (tag, reply) in answers.tasks {
            if let Some(waiting) = inside.waiting.remove(&tag) {
                let _ = waiting.send(reply);
            }
        }
        for (list, reason) in [(&changes.moved, ByeReason::Replaced), (&changes.chosen, ByeReason::Moved)] {
            for slot in list.iter().filter_map(|id| inside.terminals.get(id).copied()).collect::<Vec<_>>() {
                inside.end(slot, reason);
            }
        }
    }

    /// What became of the last round of a table.
    fn last_round(&self, floor: &Floor, id: TableId) -> Option<view::LastRoundSection> {
        view::last_round(floor, id)
    }

    /// The recipients: listeners of tables without a change of their own, and terminals with one.
    fn concerned<'a>(&self, changes: &'a Changes) -> (Vec<Listening>, Vec<(u32, TerminalId, &'a OwnChange)>) {
        let mut inside = self.lock();
        inside.remember(&changes.told);
        let mut listening = Vec::new();
        for (id, change) in &changes.tables {
            let Some(listeners) = inside.tables.get(id).filter(|listeners| !listeners.is_empty()) else { continue };
            let has_own = |slot: &u32| match inside.connections.get(*slot as usize).and_then(Option::as_ref) {
                Some(Connection { viewer: Viewer::Terminal(terminal), .. }) => changes.own.contains_key(terminal),
                _ => false,
            };
            let listeners = listeners.iter().copied().filter(|slot| !has_own(slot)).collect();
            listening.push((*id, *change, listeners));
        }
        let slot = |(id, change): (&TerminalId, &'a OwnChange)| Some((*inside.terminals.get(id)?, *id, change));
        let own = changes.own.iter().filter_map(slot).collect();
        (listening, own)
    }

    /// The sections of a table that changed, without the braces around them.
    fn table_sections(&self, floor: &Floor, id: TableId, change: TableChange) -> String {
        let mut view = String::new();
        section(&mut view, "round", &view::round(floor, id));
        section(&mut view, "lit", &view::lit(floor, id));
        if change.table {
            section(&mut view, "table", &view::table(floor, id, self.is_automatic(id)));
        }
        if change.results {
            section(&mut view, "results", &view::results(floor, id));
        } else if change.added > 0 {
            section(&mut view, "results_added", &view::last_results(floor, id, change.added));
        }
        section(&mut view, "last_round", &self.last_round(floor, id));
        view
    }

    /// A refusal rests on what this host knows, and no write has confirmed it. If the lease has expired, another host
    /// may know better, and is asked.
    fn in_time(&self, mut replies: Vec<(Tag, Reply)>) -> Vec<(Tag, Reply)> {
        if !self.term.holds() {
            for (_, reply) in &mut replies {
                if matches!(reply, Reply::Refused(_)) {
                    *reply = Reply::Untaken(Refused::Follows);
                }
            }
        }
        replies
    }

    /// Answers where nothing has changed.
    pub fn reply(&self, replies: Vec<(Tag, Reply)>) {
        let Answers { feeds, tasks } = Answers::of(replies);
        let mut inside = self.lock();
        for (slot, replies) in feeds {
            inside.answer(slot, replies);
        }
        for (tag, reply) in tasks {
            if let Some(waiting) = inside.waiting.remove(&tag) {
                let _ = waiting.send(reply);
            }
        }
    }
}

/// A table that changed, how, and the feeds to be told.
type Listening = (TableId, TableChange, Vec<u32>);

/// Answers, by where they go.
#[derive(Default)]
struct Answers {
    feeds: HashMap<u32, Vec<(u32, Reply)>>,
    tasks: Vec<(Tag, Reply)>,
}

impl Answers {
    fn of(replies: Vec<(Tag, Reply)>) -> Answers {
        let mut answers = Answers::default();
        for (tag, reply) in replies {
            if tag & FEED != 0 {
                let slot = u32::try_from((tag & !FEED) >> 32).unwrap_or(u32::MAX);
                answers.feeds.entry(slot).or_default().push(((tag & 0xffff_ffff) as u32, reply));
            } else if tag != NOBODY {
                answers.tasks.push((tag, reply));
            }
        }
        answers
    }
}

/// What a client that comes back has missed, and whether that is all of it.
fn missed(inside: &Inside, viewer: Viewer, table: Option<TableId>, since: Since) -> (Vec<EventMessage>, bool) {
    let cursor = match since {
        Since::Nothing => return (Vec::new(), true),
        Since::Unknown => return (Vec::new(), false),
        Since::Record(cursor) => cursor,
    };
    let concerns = |told: &&Told| match (told.audience, viewer) {
        (Audience::Terminal(id), Viewer::Terminal(own)) => id == own,
        (Audience::Terminal(_), _) => false,
        (Audience::Table(id), _) => Some(id) == table,
    };
    let since = inside.remembered.partition_point(|told| told.event.sequence <= cursor);
    let events = inside.remembered.iter().skip(since).filter(concerns).map(|told| told.event.clone()).collect();
    (events, cursor >= inside.forgotten)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client goes while its bet is being decided elsewhere, and the next has its slot.
    #[test]
    fn a_late_answer_is_not_taken_for_that_of_the_next_client() {
        let (hub, floor) = (Hub::new(), Floor::default());
        let first = hub.open(&floor, Viewer::Pit(StaffId(0)), Since::Nothing, None);
        let tag = hub.expect_on(first.slot, 1).unwrap();
        let slot = first.slot;
        drop(first);
        let mut next = hub.open(&floor, Viewer::Pit(StaffId(0)), Since::Nothing, None);
        assert_eq!(next.slot, slot);
        let own = hub.expect_on(slot, 1).unwrap();
        while next.messages.try_recv().is_ok() {}
        hub.reply(vec![(tag, Reply::Accepted(5))]);
        assert!(next.messages.try_recv().is_err());
        // In any order: one that was passed on may be answered after one that was not.
        let later = hub.expect_on(slot, 2).unwrap();
        for (tag, sequence) in [(later, 7), (own, 6)] {
            hub.reply(vec![(tag, Reply::Accepted(sequence))]);
            assert!(next.messages.try_recv().unwrap().contains(&format!(r#""accepted":{sequence}"#)));
        }
    }

    /// As of a leader that slept past its lease between deciding and answering.
    #[test]
    fn a_refusal_is_not_given_after_the_lease() {
        let hub = Hub::new();
        let refusal = || Reply::Refused(floor::Refusal::new(floor::Code::Amount, "5.1", "too much"));
        let answered = |reply| {
            let (tag, mut answer) = hub.expect();
            hub.reply(hub.in_time(vec![(tag, reply)]));
            answer.try_recv().unwrap()
        };
        assert_eq!(answered(refusal()), refusal());
        hub.term.set(Some(Instant::now() + Duration::from_secs(60)));
        assert_eq!(answered(refusal()), refusal());
        hub.term.set(Some(Instant::now()));
        assert_eq!(answered(refusal()), Reply::Untaken(Refused::Follows));
        // What was accepted is durable, no matter which host leads now.
        assert_eq!(answered(Reply::Accepted(5)), Reply::Accepted(5));
    }
}
