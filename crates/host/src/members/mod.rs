//! The hosts of a floor on a cluster: one leads, the others follow and pass commands on.
//!
//! A follower shows everything and accepts every command, and asks the leader to decide it. When the leader is lost,
//! another host takes over where the journal ends.

mod ask;
mod desk;
mod elsewhere;
mod forward;
mod term;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cluster::bucket::Bucket;
use cluster::{Connection, Held, Host, HostKey, Hosts, Lease, Replicated, Stream, Tail};
use engine::{Engine, Following, Source, StartError as EngineError, Tag};
use floor::{Moment, Release, TerminalId};
use journal::{Journal, Key, RealDisk, Scan};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use utoipa::ToSchema;

use self::ask::Issued;
pub use self::ask::{Ask, Wanted};
pub use self::elsewhere::Elsewhere;
use self::forward::{Asking, Passed};
pub use self::term::Term;
use crate::app::App;
use crate::clock;
use crate::demo;
use crate::error::{ApiError, ApiResult};
use crate::hub::Hub;
use crate::start::{Ground, Make, Risen, Start, StartError, belonging, failed};
use crate::store::{self, Identity, Store};
use crate::uptime;

/// Reads a question or an answer of another host, for the fuzz target; whether it is one.
pub(crate) fn parse(bytes: &[u8]) -> bool {
    let asked = serde_json::from_slice::<ask::Asked>(bytes).is_ok();
    asked || serde_json::from_slice::<ask::Answer>(bytes).is_ok() || elsewhere::parse(bytes)
}

/// Commands that may wait to be passed on.
const ASKS: usize = 65_536;

/// A host with more messages than this still to take lets others take over.
const FAR_BEHIND: u64 = 200;

/// A host that has seen no leader for this long is of no use to clients: a takeover takes less time.
const NOBODY_LEADS: Duration = Duration::from_secs(10);

/// The leader, as far as this host knows.
#[derive(Clone, Debug, Default)]
struct Standing {
    /// This host holds the lease.
    held: bool,
    /// The holder.
    leader: Option<Held>,
    /// When another was last seen to lead.
    alive: Option<Instant>,
}

/// The hosts of a floor.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HostsBody {
    /// The host that answers.
    pub host: String,
    /// Whether it leads.
    pub leads: bool,
    /// Every host that is there.
    pub hosts: Vec<HostRow>,
    /// Hosts that wait until they are enrolled. They serve no clients.
    pub waiting: Vec<HostRow>,
    /// Every key that was enrolled for a host, whether or not the host is there.
    pub keys: Vec<HostKeyRow>,
}

/// The key of a host that is or was one of the floor's.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HostKeyRow {
    /// The host's name.
    #[schema(example = "host-1")]
    pub host: String,
    /// Its key, 64 hexadecimal digits.
    #[schema(example = "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394")]
    pub key: String,
    /// Since when: milliseconds since 1970; 0 for the first host, which enrolled itself.
    pub since: i64,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A host of a floor.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HostRow {
    /// Its name.
    #[schema(example = "host-1")]
    pub host: String,
    /// Where it is reached.
    #[schema(example = "https://host-1.example:8443")]
    pub address: String,
    /// Whether it leads.
    pub leads: bool,
    /// Its key, 64 hexadecimal digits; empty for a floor without other hosts.
    #[schema(example = "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394")]
    pub key: String,
}

/// What a host knows of the others.
pub struct Membership {
    connection: Connection,
    floor: String,
    me: Held,
    /// With which this host signs what it says to the others.
    identity: Identity,
    /// The other hosts.
    store: Arc<Store>,
    asking: Asking,
    standing: watch::Receiver<Standing>,
    hosts: Arc<Mutex<Vec<Host>>>,
    /// The same and those that were there before, newest last: pages of a lost host go on here.
    seen: Arc<Mutex<Vec<Host>>>,
    asks: mpsc::Sender<Passed>,
    /// At which host each terminal is, as far as others have said.
    places: Mutex<HashMap<TerminalId, String>>,
    /// How many messages this host still has to take.
    behind: Arc<AtomicU64>,
}

impl Membership {
    /// Forwards a command to the leader; the answer is as it would be here.
    ///
    /// # Errors
    /// When too much waits.
    pub fn pass_on(&self, tag: Tag, ask: Ask) -> Result<(), engine::Refused> {
        let passed = Passed { tag, ask, since: Instant::now() };
        self.asks.try_send(passed).map_err(|_| engine::Refused::Busy)
    }

    /// Asks the leader to issue a ticket.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn issue(&self, hub: &Hub, wanted: Wanted) -> ApiResult<(u64, floor::TicketId)> {
        let Issued { accepted, ticket } = forward::issue(self, &wanted).await?;
        if hub.reached(accepted, forward::CATCH_UP).await {
            Ok((accepted, ticket))
        } else {
            Err(ApiError::from(engine::Refused::Follows))
        }
    }

    /// A terminal is at this host now, wherever it was.
    pub fn is_here(&self, terminal: TerminalId) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).remove(&terminal);
    }

    /// Whether a terminal is at another host that is there.
    #[must_use]
    pub fn has_elsewhere(&self, terminal: TerminalId) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let enrolled = |host: &&Host| self.is_enrolled(host);
        places.get(&terminal).is_some_and(|place| hosts.iter().filter(enrolled).any(|host| host.host == *place))
    }

    /// Why clients are better served by another host.
    #[must_use]
    pub fn not_ready(&self, in_charge: bool, term: &Term) -> Option<String> {
        if !self.connection.is_connected() {
            return Some("no server of the cluster can be reached".to_owned());
        }
        if !self.store.is_enrolled() {
            let key = self.identity.key.public();
            return Some(format!(
                "this host is not enrolled in the floor: an administrator enrols it with its key {key}"
            ));
        }
        if let Some(why) = self.store.held() {
            return Some(format!("{why}; no sign-in and no key is changed here until then"));
        }
        if in_charge {
            let words = "this host led, and its lease has run out";
            return (!term.holds()).then(|| words.to_owned());
        }
        let behind = self.behind.load(Ordering::Relaxed);
        if behind > FAR_BEHIND {
            return Some(format!("this host is {behind} messages behind"));
        }
        match self.standing.borrow().alive.map(|at| at.elapsed()) {
            Some(quiet) if quiet < NOBODY_LEADS => None,
            Some(quiet) => Some(format!(
                "no host has been seen to lead for {} seconds: none is left, or the cluster has no quorum",
                quiet.as_secs()
            )),
            None => Some("no host has been seen to lead".to_owned()),
        }
    }

    /// The addresses of the enrolled hosts, including those that are lost. A host that is not enrolled has none.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        seen.into_iter().filter(|host| self.is_enrolled(host)).map(|host| host.address).collect()
    }

    /// The hosts that are there and enrolled.
    pub(crate) fn enrolled(&self) -> Vec<Host> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        hosts.into_iter().filter(|host| self.is_enrolled(host)).collect()
    }

    /// The hosts that are there.
    #[must_use]
    pub fn hosts(&self, leads: bool) -> HostsBody {
        // One that leads no longer does not know who does.
        let leader = self.standing.borrow().leader.clone().map(|leader| leader.host);
        let leader = leader.filter(|leader| leads || *leader != self.me.host);
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |host: &Host| HostRow {
            host: host.host.clone(),
            address: host.address.clone(),
            leads: leader.as_ref() == Some(&host.host),
            key: host.key.to_string(),
        };
        let (enrolled, waiting): (Vec<&Host>, Vec<&Host>) = hosts.iter().partition(|host| self.is_enrolled(host));
        let rows = |hosts: Vec<&Host>| hosts.into_iter().map(row).collect();
        let keys = self.store.hosts().unwrap_or_default().into_iter().map(|known| HostKeyRow {
            host: known.host,
            key: known.key.to_string(),
            since: known.made.0,
            revoked: known.revoked,
        });
        let keys = keys.collect();
        HostsBody { host: self.me.host.clone(), leads, hosts: rows(enrolled), waiting: rows(waiting), keys }
    }

    /// Whether a host that says it is there is one of the floor's, under that name.
    fn is_enrolled(&self, host: &Host) -> bool {
        matches!(self.store.host_of(host.key), Ok(Some(name)) if name == host.host)
    }

    /// Hosts that wait to be enrolled.
    fn waiting(&self) -> Vec<Host> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().filter(|host| !self.is_enrolled(host)).cloned().collect()
    }
}

/// What the leader has written.
struct Written {
    runtime: Handle,
    tail: Tail,
    /// Whose signatures count.
    store: Arc<Store>,
    /// Why the last message was not accepted. Skipping it could lose what was acknowledged: a person has to look.
    refused: Option<String>,
    /// How many messages this host still has to take.
    behind: Arc<AtomicU64>,
}

impl Source for Written {
    type Bytes = Vec<u8>;

    fn next(&mut self, within: Duration) -> Option<Vec<u8>> {
        let told = self.runtime.block_on(self.tail.told(within));
        self.behind.store(self.tail.behind(), Ordering::Relaxed);
        let told = told?;
        match is_ours(&self.store, &told) {
            Ok(()) => Some(told.bytes.into()),
            Err(reason) => {
                metrics::counter!("croupier_forged_total", "what" => "journal").increment(1);
                self.refused = Some(format!("message {} of the stream of the journal: {reason}", told.number));
                None
            }
        }
    }

    fn refused(&self) -> Option<String> {
        self.refused.clone()
    }

    fn taken(&self) -> u64 {
        self.tail.taken()
    }
}

/// Whether a host of the floor has signed a message of the stream, or it was written before hosts signed; why it must
/// be rejected.
fn is_ours(store: &Store, told: &cluster::Told) -> Result<(), String> {
    let after = store.signed_after().map_err(|error| error.to_string())?;
    if after.is_none_or(|after| told.number <= after) {
        return Ok(());
    }
    let Some(by) = told.by else { return Err("no host has signed it".to_owned()) };
    // A host that has been revoked since wrote it while it was enrolled: later messages rest on it.
    let is_known = || store.hosts().is_ok_and(|hosts| hosts.iter().any(|host| host.key == by));
    if is_known() {
        return Ok(());
    }
    // It may have been enrolled just now.
    store.catch_up().map_err(|error| error.to_string())?;
    if is_known() { Ok(()) } else { Err(format!("the key that signed it, {by}, is of no host of the floor")) }
}

/// A host among others, before anything is around its floor.
pub(crate) struct Member {
    turn: Turn,
    asks: mpsc::Receiver<Passed>,
    lease: LeaseTask,
    hosts: JoinHandle<()>,
    stop_hosts: watch::Sender<bool>,
}

/// A host among others, that runs.
pub(crate) struct Members {
    lease: LeaseTask,
    hosts: JoinHandle<()>,
    stop_hosts: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    demo: Arc<Mutex<Vec<JoinHandle<()>>>>,
    ended: watch::Receiver<Option<String>>,
}

struct LeaseTask {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl LeaseTask {
    /// Lets the lease go.
    async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

/// Joins the hosts of a floor: updates the copy of the journal, and then this host either takes the lead or follows.
/// The first host of a new floor makes it.
pub(crate) async fn join(ground: &Ground, start: &Start, urls: &str) -> Result<Risen, StartError> {
    let config = &ground.config;
    let options = cluster::Options {
        replicas: config.replicas,
        allow_old: config.allow_old_nats,
        name: format!("croupier {}", config.host_name()),
        tls: config.nats_tls.get().map_err(|error| StartError::Tls(std::io::Error::other(error.to_string())))?,
    };
    let connection = Connection::open(urls, options).await?;
    let key = Arc::new(HostKey::of(&config.data).map_err(cluster::Error::Disk)?);
    let stream = prepare(&connection, ground).await?.signed_by(Arc::clone(&key));
    let identity = Identity { host: config.host_name(), key: Arc::clone(&key), begins: stream.last().await? };
    let store = credentials(&connection, ground, identity.clone(), stream.journal()).await?;
    if !store.is_enrolled() {
        tracing::warn!(host = identity.host, key = %key.public(), "this host waits until an administrator enrols it");
    }
    let (folder, engine_options, outlet) = (config.data.clone(), ground.options, ground.outlet());
    let (runtime, source) = (Handle::current(), stream.clone());
    let behind = Arc::new(AtomicU64::new(0));
    let (lag, known) = (Arc::clone(&behind), Arc::clone(&store));
    let follow = move || {
        Engine::follow(&folder, engine_options, outlet, |journal| {
            let place = runtime.block_on(source.find(&journal.position()));
            let place = place.map_err(|error| EngineError::Disk(std::io::Error::other(error)))?;
            Ok(Written { tail: source.tail(place), runtime, store: known, refused: None, behind })
        })
    };
    let (engine, recovery, following) = tokio::task::spawn_blocking(follow).await.map_err(failed)??;
    let engine = Arc::new(engine);
    ground.hub.begin(recovery.sequence);
    let me = Held { host: config.host_name(), address: config.address() };
    let length = Duration::from_millis(config.lease_ms);
    let lease = Lease::new(&connection, &config.floor, me.clone(), length).await?;
    let (lease, standing) =
        hold(lease, Arc::clone(&start.led), Arc::clone(&lag), Arc::clone(&ground.hub), Arc::clone(&store));
    let (stop_hosts, hosts_stopping) = watch::channel(false);
    let myself = Host { host: me.host.clone(), address: me.address.clone(), key: key.public() };
    let present = Arc::new(Mutex::new(vec![myself]));
    let hosts = Hosts::new(&connection, &config.floor, me.clone(), key).await?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let around = Around {
        present: Arc::clone(&present),
        seen: Arc::clone(&seen),
        store: Arc::clone(&store),
        standing: standing.clone(),
        led: Arc::clone(&start.led),
    };
    let hosts = tokio::spawn(around.look(hosts, hosts_stopping));
    let (asks_in, asks) = mpsc::channel(ASKS);
    let floor = config.floor.clone();
    let membership = Membership {
        connection,
        floor,
        me,
        identity,
        store: Arc::clone(&store),
        asking: Asking::new(),
        standing,
        hosts: present,
        seen,
        asks: asks_in,
        places: Mutex::new(HashMap::new()),
        behind: lag,
    };
    let membership = Arc::new(membership);
    let data = config.data.clone();
    let mut turn = Turn { membership, stream, following: Some(following), release: start.release, data };
    turn.wait_for_floor(&engine, ground, start).await?;
    let member = Member { turn, asks, lease, hosts, stop_hosts };
    Ok(Risen { engine, recovery, store, member: Some(member) })
}

/// Finds or makes the stream, and the folder that keeps a copy of it.
async fn prepare(connection: &Connection, ground: &Ground) -> Result<Stream, StartError> {
    let floor = &ground.config.floor;
    let disk = RealDisk::new(&ground.config.data).map_err(cluster::Error::Disk)?;
    let empty = Scan::new(vec![RealDisk::to_read(&ground.config.data)]).map_err(cluster::Error::Disk)?.is_empty();
    let stream = match Stream::open(connection, floor).await? {
        Some(stream) => stream,
        None if !empty => {
            let words = format!(
                "{} has a journal, and the cluster has no floor '{floor}': move it there with 'croupier journal copy'",
                ground.config.data.display()
            );
            return Err(cluster::Error::Differs(words).into());
        }
        None => {
            let mut id = [0; 16];
            let mut secret = [0; 32];
            let chance = getrandom::fill(&mut id).and_then(|()| getrandom::fill(&mut secret));
            chance.map_err(|error| StartError::Store(error.to_string()))?;
            connection.journal_key(floor, Some(&Key::new(secret))).await?;
            Stream::create(connection, floor, id).await?
        }
    };
    if empty {
        let key = connection.journal_key(floor, None).await?;
        let (options, id) = (ground.options.journal, stream.journal());
        let copy = tokio::task::spawn_blocking(move || Journal::copy_of(disk, options, id, key).map(drop));
        copy.await.map_err(failed)?.map_err(cluster::Error::Disk)?;
    }
    Ok(stream)
}

/// Credentials that all hosts of the floor share.
async fn credentials(
    connection: &Connection,
    ground: &Ground,
    identity: Identity,
    journal: [u8; 16],
) -> Result<Arc<Store>, StartError> {
    let name = format!("croupier-{}", ground.config.floor);
    let bucket = Bucket::open(connection.jetstream().clone(), &name, connection.replicas()).await;
    let bucket = bucket.map_err(cluster::Error::from)?;
    let file = ground.store_file();
    // The first host at a bucket brings what is in its file: not that of another floor.
    let open = move || match store::may_belong(&file, journal)? {
        true => Store::shared_as(file, bucket, identity).map(Some),
        false => Ok(None),
    };
    let opened = tokio::task::spawn_blocking(open).await.map_err(failed)?;
    let opened = opened.map_err(|error| match error {
        store::Error::Shared(error) => cluster::Error::from(error).into(),
        error => StartError::Store(error.to_string()),
    })?;
    belonging(Arc::new(opened.ok_or(StartError::OtherCredentials)?), journal).await
}

/// Renews or watches the lease until it is to be released.
fn hold(
    mut lease: Lease,
    led: Arc<AtomicUsize>,
    behind: Arc<AtomicU64>,
    hub: Arc<Hub>,
    store: Arc<Store>,
) -> (LeaseTask, watch::Receiver<Standing>) {
    hub.term.set(None);
    let (stop, mut stopping) = watch::channel(false);
    let (tell, standing) = watch::channel(Standing::default());
    let task = tokio::spawn(async move {
        let mut counted = false;
        loop {
            // Of several floors, a host takes one after the other, so that others have their share.
            let mut eager = lease.pace() * u32::try_from(led.load(Ordering::Relaxed)).unwrap_or(0);
            // One that has much to catch up lets others go first.
            if behind.load(Ordering::Relaxed) > FAR_BEHIND {
                eager += lease.length() * 3;
            }
            // One that is no host of the floor never leads; one that no longer is gives the lease back.
            let held = if store.is_enrolled() { lease.step(eager).await } else { lease.stand_by().await };
            hub.term.set(lease.until());
            if held != counted {
                if held {
                    led.fetch_add(1, Ordering::Relaxed)
                } else {
                    led.fetch_sub(1, Ordering::Relaxed)
                };
                counted = held;
                metrics::counter!("croupier_lease_changes_total").increment(1);
            }
            let now = Standing { held, leader: lease.holder().cloned(), alive: lease.alive() };
            let changed = |was: &mut Standing| {
                let changed = was.held != now.held || was.leader != now.leader;
                *was = now;
                changed
            };
            tell.send_if_modified(changed);
            tokio::select! {
                () = tokio::time::sleep(lease.pace()) => {}
                _ = stopping.changed() => break,
            }
        }
        if counted {
            led.fetch_sub(1, Ordering::Relaxed);
        }
        hub.term.set(None);
        lease.release().await;
    });
    (LeaseTask { task, stop }, standing)
}

/// Hosts that are remembered after they are lost.
const SEEN: usize = 64;

/// What this host sees around itself.
struct Around {
    present: Arc<Mutex<Vec<Host>>>,
    seen: Arc<Mutex<Vec<Host>>>,
    store: Arc<Store>,
    standing: watch::Receiver<Standing>,
    led: Arc<AtomicUsize>,
}

impl Around {
    /// Says that this host is there, and sees who else is.
    async fn look(self, mut hosts: Hosts, mut stopping: watch::Receiver<bool>) {
        loop {
            // What was never compared with the floor's time is not said to others.
            hosts.step(clock::is_compared().then(|| clock::now().0)).await;
            self.hear_time(&hosts);
            let found = hosts.present();
            {
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.retain(|known| !found.iter().any(|host| host.key == known.key));
                seen.extend(found.iter().cloned());
                let beyond = seen.len().saturating_sub(SEEN);
                seen.drain(..beyond);
            }
            *self.present.lock().unwrap_or_else(PoisonError::into_inner) = found;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
                _ = stopping.changed() => break,
            }
        }
        hosts.leave().await;
    }

    /// The floor's time is that of the host that leads, as long as this one leads no floor itself.
    fn hear_time(&self, hosts: &Hosts) {
        let Some(leader) = self.standing.borrow().leader.clone() else { return };
        if self.led.load(Ordering::Relaxed) > 0 {
            return;
        }
        let is_leader = |host: &Host| {
            host.host == leader.host && self.store.host_of(host.key).is_ok_and(|name| name == Some(leader.host.clone()))
        };
        if let Some((_, time)) = hosts.times().find(|(host, _)| is_leader(host)) {
            clock::hear(Moment(time));
        }
    }
}

impl Member {
    /// What the rest of the host knows of the others.
    pub fn membership(&self) -> Arc<Membership> {
        Arc::clone(&self.turn.membership)
    }

    /// Runs beside the floor: forwards commands, takes over when it is this host's turn, and ends when the host must
    /// restart as a follower.
    pub fn run(self, app: &Arc<App>) -> Members {
        let (tell_end, ended) = watch::channel(None);
        let membership = self.membership();
        let demo = Arc::new(Mutex::new(Vec::new()));
        let Member { turn, asks, lease, hosts, stop_hosts } = self;
        let tasks = vec![
            tokio::spawn(forward::run(Arc::clone(app), Arc::clone(&membership), asks)),
            tokio::spawn(elsewhere::run(Arc::clone(app), membership)),
            tokio::spawn(announce(Arc::clone(app))),
            tokio::spawn(turn.run(Arc::clone(app), Arc::clone(&demo), tell_end, lease.stop.clone())),
        ];
        Members { lease, hosts, stop_hosts, tasks, demo, ended }
    }
}

impl Members {
    /// What is to be ended before the floor is.
    pub fn take_tasks(&mut self) -> Vec<JoinHandle<()>> {
        let mut tasks = std::mem::take(&mut self.tasks);
        tasks.append(&mut self.demo.lock().unwrap_or_else(PoisonError::into_inner));
        tasks
    }

    /// Why this host must begin again.
    pub async fn ended(&mut self) -> String {
        loop {
            if let Some(reason) = self.ended.borrow_and_update().clone() {
                return reason;
            }
            if self.ended.changed().await.is_err() {
                return "the hosts' own task has ended".to_owned();
            }
        }
    }

    /// Leaves the others: the lease is free at once.
    pub async fn leave(self) {
        let _ = self.stop_hosts.send(true);
        self.lease.stop().await;
        let _ = self.hosts.await;
    }
}

/// This host's turn to lead, when it comes.
struct Turn {
    membership: Arc<Membership>,
    stream: Stream,
    following: Option<Following<Written>>,
    release: Release,
    /// The folder of this host.
    data: PathBuf,
}

impl Turn {
    /// Waits until the floor is there: made by this host, or by another.
    async fn wait_for_floor(&mut self, engine: &Arc<Engine>, ground: &Ground, start: &Start) -> Result<(), StartError> {
        loop {
            if self.membership.standing.borrow().held {
                let from = self.nobody_led_since(engine);
                self.take_over(engine).await?;
                let made = Make { engine, hub: &ground.hub, release: self.release };
                made.floor_of(start).await?;
                return made.begin(from).await;
            }
            if let Some(reason) = engine.stopped() {
                return Err(StartError::Stopped(reason));
            }
            let made = engine.read(|floor| floor.settings().is_some() && !floor.staff().is_empty());
            let led = self.membership.standing.borrow().alive.is_some();
            // A host that waits to be enrolled cannot lead: it shows the floor, and says at `/readyz` that it waits.
            if made && (led || !self.membership.store.is_enrolled()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Since when there was no leader: since the last record, or since the leader was last seen to lead.
    fn nobody_led_since(&self, engine: &Engine) -> Option<Moment> {
        let written = Some(engine.read(floor::Floor::now)).filter(|now| now.0 > 0)?;
        let alive = self.membership.standing.borrow().alive.map(|at| {
            let quiet = i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX);
            clock::now().after(-quiet)
        });
        Some(alive.map_or(written, |alive| alive.max(written)))
    }

    /// Follows to the end of the stream, and writes from there on.
    async fn take_over(&mut self, engine: &Arc<Engine>) -> Result<(), StartError> {
        let until = self.stream.last().await?;
        let following = self.following.take().ok_or_else(|| StartError::Floor("this host leads already".to_owned()))?;
        let (leading, stream, runtime) = (Arc::clone(engine), self.stream.clone(), Handle::current());
        let lead = move || {
            leading.lead(following, until, |journal, source| Replicated::new(runtime, stream, journal, source.taken()))
        };
        tokio::task::spawn_blocking(lead).await.map_err(failed)??;
        // This host's clock may be behind that of the one that led, or ahead of it.
        let (last, data) = (engine.read(floor::Floor::now), &self.data);
        clock::begin(last.max(uptime::last(data)), uptime::expected(data));
        Ok(())
    }

    async fn run(
        mut self,
        app: Arc<App>,
        demo: Arc<Mutex<Vec<JoinHandle<()>>>>,
        end: watch::Sender<Option<String>>,
        let_go: watch::Sender<bool>,
    ) {
        let reason = match self.lead(&app, &demo).await {
            Ok(reason) => reason,
            Err(error) => error.to_string(),
        };
        tracing::warn!(reason, "this host restarts as a follower");
        // Nothing more is written here: another need not wait until everything is put away.
        let _ = let_go.send(true);
        let _ = end.send(Some(reason));
    }

    /// Waits for its turn, leads, and says why no longer.
    async fn lead(&mut self, app: &Arc<App>, demo: &Mutex<Vec<JoinHandle<()>>>) -> Result<String, StartError> {
        let mut standing = self.membership.standing.clone();
        if !app.engine.leads() {
            while !standing.borrow_and_update().held {
                tokio::select! {
                    _ = standing.changed() => {}
                    () = tokio::time::sleep(Duration::from_millis(200)) => {
                        if let Some(reason) = app.engine.stopped() {
                            return Ok(reason);
                        }
                    }
                }
            }
            let from = self.nobody_led_since(&app.engine);
            self.take_over(&app.engine).await?;
            let made = Make { engine: &app.engine, hub: &app.hub, release: self.release };
            made.begin(from).await?;
            tracing::info!(sequence = app.read(floor::Floor::sequence), "this host leads now");
        }
        let desk = self.membership.connection.hear(&self.membership.floor).await?;
        let _desk = Ends(tokio::spawn(desk::run(Arc::clone(app), Arc::clone(&self.membership), desk)));
        app.take_charge();
        demo.lock().unwrap_or_else(PoisonError::into_inner).extend(demo::start(app));
        loop {
            tokio::select! {
                _ = standing.changed() => {
                    if !standing.borrow_and_update().held {
                        return Ok("the lease is lost: another host may lead".to_owned());
                    }
                }
                () = tokio::time::sleep(Duration::from_millis(100)) => {
                    if let Some(reason) = app.engine.stopped() {
                        return Ok(reason);
                    }
                    desk::lost_hosts(app, &self.membership);
                    desk::enrol_by_itself(app, &self.membership).await;
                }
            }
        }
    }
}

/// A task that ends when its holder is dropped.
struct Ends(JoinHandle<()>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A new leader gets the list of the terminals here, because it begins with none. The message may be lost, so a
/// terminal that is here and counts as lost is reported again.
async fn announce(app: Arc<App>) {
    loop {
        let began = tokio::time::timeout(Duration::from_secs(2), app.hub.began.notified()).await.is_ok();
        let here = app.hub.terminals();
        let counts_as_lost = |id| app.read(|floor| floor.terminal(id).is_some_and(|terminal| !terminal.is_live()));
        let lost = |id: &TerminalId| began || counts_as_lost(*id);
        for terminal in here.into_iter().filter(lost) {
            let _ = app.own_unanswered(floor::Body::TerminalBack { terminal });
        }
    }
}
