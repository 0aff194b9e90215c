//! From nothing to a floor that can be reached.

mod make;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::{Engine, Options, Recovery, StartError as EngineError};
use floor::Release;
use records::{Follower, FollowerOptions};
use tokio::net::TcpSocket;
use tokio::sync::watch;

pub(crate) use self::make::Make;
pub use self::make::{FirstLogin, NewCredentials};
use self::make::{first_passwords, in_use};
use crate::access;
use crate::alive;
use crate::anchors;
use crate::app::{App, Parts};
use crate::bias;
use crate::clock;
use crate::config::Config;
use crate::demo::{self, Demonstration};
use crate::devices::cammegh::Reader;
use crate::feed::cursor::Cursors;
use crate::feed::message::ByeReason;
use crate::feed::staff;
use crate::hub::{Following, Hub, ToHub};
use crate::lost_links;
use crate::members::{self, Member, Members};
use crate::pulse;
use crate::retention;
use crate::serial;
use crate::server;
use crate::store::Store;
use crate::uptime;
use crate::watch::{self as watching, Watch};
use crate::witnesses::{self, Witnesses};

/// Connections that may wait to be taken, as far as the system allows.
const QUEUE: u32 = 16_384;

/// What is started.
#[derive(Clone)]
pub struct Start {
    /// Settings.
    pub config: Config,
    /// Whether it is the demonstration.
    pub demonstration: bool,
    /// The first passwords of the two administrators, one for each; a missing one is generated. Both must be changed
    /// before anything else.
    pub passwords: [Option<String>; 2],
    /// Whether a floor in use whose credentials are gone gets new ones.
    pub new_credentials: NewCredentials,
    /// The program that runs, by its hashes.
    pub release: Release,
    /// How many floors this process leads; shared by all that it runs.
    pub led: Arc<AtomicUsize>,
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StartError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot listen on {address}: {error}")]
    Listen { address: SocketAddr, error: io::Error },
    #[error("the certificate: {0}")]
    Tls(io::Error),
    #[error("{0}")]
    Store(String),
    #[error(
        "this floor has people in its journal, and none of them has a password: credentials.sqlite is missing or empty. \
         Restore it from the backup. If there is none, start once with --new-credentials: new first passwords are made for \
         the administrators, which is recorded and alerted"
    )]
    NoCredentials,
    #[error(
        "credentials.sqlite is of another floor: its passwords, keys and ticket secret are not those of this journal. Restore \
         this floor's own from the backup. If there is none, move the file away and start once with --new-credentials: new \
         first passwords are made for the administrators, which is recorded and alerted"
    )]
    OtherCredentials,
    #[error(transparent)]
    Cluster(#[from] cluster::Error),
    #[error(
        "the end of the journal is lost, or it is another journal: {0}. The log does not go on under its name. Restore the \
         newest backup with `croupier restore`, which begins a new era of the log with --new-era where records are lost"
    )]
    Ahead(witnesses::Ahead),
    #[error("the floor could not be made: {0}")]
    Floor(String),
    #[error("the floor could not be made: {0}")]
    Stopped(String),
}

impl StartError {
    /// Whether it may resolve by itself, like the state of a cluster, and does not depend on the settings or this
    /// machine.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            StartError::Cluster(error) => error.may_pass(),
            // What the disk itself says has a kind of its own.
            StartError::Engine(EngineError::Disk(error)) if error.kind() == io::ErrorKind::Other => {
                let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<cluster::Error>());
                cause.is_none_or(cluster::Error::may_pass)
            }
            StartError::Stopped(_) => true,
            _ => false,
        }
    }
}

/// A host that runs.
pub struct Running {
    /// The floor with everything around it.
    pub app: Arc<App>,
    /// Where it listens.
    pub address: SocketAddr,
    /// What recovery did.
    pub recovery: Recovery,
    /// The administrators' logins and passwords, if they were made just now.
    pub passwords: Vec<FirstLogin>,
    stop: watch::Sender<bool>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    server: tokio::task::JoinHandle<()>,
    wheels: Vec<Reader>,
    member: Option<Members>,
}

impl Running {
    /// Stops in order: the clients are notified, requests finish, the journal is signed.
    pub async fn stop(mut self) {
        self.app.hub.end_where(ByeReason::Stopping, |_| true);
        let _ = self.stop.send(true);
        let wheels = self.wheels;
        let _ = tokio::task::spawn_blocking(move || drop(wheels)).await;
        let _ = self.server.await;
        self.app.record_last_refusals().await;
        let tasks = self.tasks.into_iter().chain(self.member.iter_mut().flat_map(Members::take_tasks));
        for task in tasks {
            task.abort();
            let _ = task.await;
        }
        let app = self.app;
        // A report that is being written, or a simulated device in play, may hold the floor for longer than a stop takes. The
        // journal is signed and the records are closed nevertheless, so that the next process finds no writer beside it.
        let (engine, records, log) = (Arc::clone(&app.engine), Arc::clone(&app.records), app.log.clone());
        let ended = move || {
            engine.end();
            records.end();
            if let Some(log) = log {
                log.end();
            }
        };
        let _ = tokio::task::spawn_blocking(ended).await;
        // The last holder of the floor is about to release it.
        for _ in 0..100 {
            if Arc::strong_count(&app) == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let _ = tokio::task::spawn_blocking(move || drop(app)).await;
        if let Some(member) = self.member {
            member.leave().await;
        }
    }

    /// Ends when this host must restart as a follower: it no longer leads, or can no longer follow. A host alone never
    /// does.
    pub async fn ended(&mut self) -> String {
        match &mut self.member {
            Some(member) => member.ended().await,
            None => std::future::pending().await,
        }
    }
}

/// What exists before the floor: feeds, records, and other listeners for durable batches.
pub(crate) struct Ground {
    pub config: Config,
    pub hub: Arc<Hub>,
    pub records: Arc<Follower>,
    pub log: Option<Arc<receipts::Follower>>,
    pub witnesses: Arc<Witnesses>,
    pub watch: Watch,
    demo: Arc<OnceLock<Arc<Demonstration>>>,
    pub options: Options,
}

impl Ground {
    fn new(config: Config, demonstration: bool) -> Result<Ground, StartError> {
        journal::private::create_folder(&config.data).map_err(|error| StartError::Store(error.to_string()))?;
        let keep_days = demonstration.then_some(2);
        let report: records::Report = Box::new(|words| tracing::error!(words, "the records"));
        let following = FollowerOptions { keep_days, report: Some(report), ..FollowerOptions::default() };
        let records = Follower::start(&config.data, following).map_err(|error| StartError::Store(error.to_string()))?;
        let sign_every = Duration::from_secs(config.sign_seconds);
        let witnesses = Arc::new(Witnesses::default());
        let log = config.journal.is_none().then(|| log(&config, sign_every, Arc::clone(&witnesses))).transpose();
        let log = log.map_err(|error| StartError::Store(error.to_string()))?.map(Arc::new);
        let mut options = Options { queue: config.queue, sign_every, ..Options::default() };
        if demonstration {
            // Small segments and frequent snapshots, so that old segments can be removed. Segments stay up to the
            // oldest of three snapshots, and a single record takes a block of 4 KiB: four intervals are within what may
            // be kept.
            options.journal.segment = 16 << 20;
            options.snapshot_every = (config.demonstration_keeps_mib * 64).clamp(1_000, 100_000);
        }
        let (hub, watch) = (Hub::new(), Watch::default());
        Ok(Ground {
            config,
            hub,
            records: Arc::new(records),
            log,
            witnesses,
            watch,
            demo: Arc::new(OnceLock::new()),
            options,
        })
    }

    pub fn outlet(&self) -> ToHub {
        ToHub {
            hub: Arc::clone(&self.hub),
            records: Arc::clone(&self.records),
            log: self.log.clone(),
            followers: followers(&self.watch, &self.demo),
            stopped: Box::new(|_| {}),
        }
    }

    pub fn store_file(&self) -> std::path::PathBuf {
        self.config.data.join(crate::store::FILE)
    }
}

/// A floor that has come up, and not yet anything around it.
pub(crate) struct Risen {
    pub engine: Arc<Engine>,
    pub recovery: Recovery,
    pub store: Arc<Store>,
    /// The other hosts, if there are any.
    pub member: Option<Member>,
}

/// Opens the floor, makes it if it is new, and begins to listen.
///
/// # Errors
/// Why nothing was started.
pub async fn start(start: Start) -> Result<Running, StartError> {
    let tls = start.config.tls.as_ref().map(server::acceptor).transpose().map_err(StartError::Tls)?;
    let address = start.config.listen;
    // Before anything is made: an address that is in use is found out first.
    let socket = bind(address).map_err(|error| StartError::Listen { address, error })?;
    witnesses::before_play(&start.config).await?;
    let ground = Ground::new(start.config.clone(), start.demonstration)?;
    let risen = match &start.config.journal {
        None => alone(&ground, &start).await?,
        Some(urls) => members::join(&ground, &start, urls).await?,
    };
    let Ground { config, hub, records, log, witnesses, watch, demo, .. } = ground;
    let Risen { engine, recovery, store, member } = risen;
    let is_demonstration = engine.read(|floor| floor.settings().is_some_and(|settings| settings.demonstration));
    let keys = if is_demonstration { store.holders() } else { Ok(Vec::new()) };
    let keys = keys.map_err(|error| StartError::Store(error.to_string()))?;
    let demonstration = is_demonstration.then(|| Arc::new(engine.read(|floor| Demonstration::new(floor, &keys))));
    if let Some(demonstration) = &demonstration {
        let _ = demo.set(Arc::clone(demonstration));
        if engine.leads() {
            let (engine, store) = (Arc::clone(&engine), Arc::clone(&store));
            let given = move || engine.read(|floor| demo::give_passwords(floor, &store));
            let given = tokio::task::spawn_blocking(given).await.map_err(failed)?;
            given.map_err(|error| StartError::Store(error.to_string()))?;
        }
    }
    // Large enough for all clients that reconnect at once after a restart: a client that finds the queue full retries
    // after a second.
    let listener = socket.listen(QUEUE).map_err(|error| StartError::Listen { address, error })?;
    let address = listener.local_addr().map_err(|error| StartError::Listen { address, error })?;
    let has_administrator = engine.leads() && !is_demonstration;
    let passwords = match has_administrator {
        true => first_passwords(&store, &engine, &start.passwords, start.new_credentials).await?,
        false => Vec::new(),
    };
    let key = store.cursor_key().map_err(|error| StartError::Store(error.to_string()))?;
    let copies = store.copies().map_err(|error| StartError::Store(error.to_string()))?;
    let _ = hub.cursors.set(Cursors::new(&key, engine.journal()).of_copies(&copies));
    let membership = member.as_ref().map(Member::membership);
    let release = start.release;
    let parts =
        Parts { engine, hub, store, records, log, witnesses, watch, demonstration, release, config, membership };
    let app = Arc::new(App::new(parts));
    pulse::run(&app);
    if !passwords.is_empty() && app.read(in_use) {
        app.integrity_alert(floor::NEW_CREDENTIALS);
    }
    let (stop, stopping) = watch::channel(false);
    let mut tasks = vec![
        tokio::spawn(watching::deadlines(Arc::clone(&app))),
        tokio::spawn(watching::clock_ticks(Arc::clone(&app))),
        tokio::spawn(watching::rounds_of_inspection(Arc::clone(&app))),
        tokio::spawn(lost_links::run(Arc::clone(&app))),
        tokio::spawn(alive::run(Arc::clone(&app))),
        tokio::spawn(staff::run(Arc::clone(&app))),
        tokio::spawn(bias::run(Arc::clone(&app))),
        tokio::spawn(retention::run(Arc::clone(&app))),
        tokio::spawn(anchors::ends_of_days(Arc::clone(&app))),
        tokio::spawn(access::run(Arc::clone(&app))),
    ];
    tasks.extend(app.config.anchors.iter().map(|place| tokio::spawn(anchors::keep(Arc::clone(&app), place.clone()))));
    let recalled = Arc::clone(&app);
    tokio::task::spawn_blocking(move || witnesses::recall(&recalled)).await.map_err(failed)?;
    let asked = app.config.witnesses.iter();
    tasks.extend(asked.map(|place| tokio::spawn(witnesses::keep(Arc::clone(&app), place.clone()))));
    let member = match member {
        Some(member) => Some(member.run(&app)),
        None => {
            tasks.extend(demo::start(&app));
            None
        }
    };
    let server = tokio::spawn(server::run(Arc::clone(&app), listener, tls, stopping));
    let wheels = serial::start(&app);
    Ok(Running { app, address, recovery, passwords, stop, tasks, server, wheels, member })
}

/// The transparency log of a floor with one host, kept beside play.
fn log(config: &Config, sign_every: Duration, witnesses: Arc<Witnesses>) -> io::Result<receipts::Follower> {
    let report: receipts::Report = Box::new(|words| tracing::error!(words, "the transparency log"));
    let options = receipts::Options {
        domain: config.domain.clone(),
        sign_every,
        day_name: records::day_text,
        report: Some(report),
        signed: Some(Box::new(move |size| witnesses.signed(size))),
        ..receipts::Options::default()
    };
    receipts::Follower::start(&config.data, options)
}

/// Binds an address; no connection is accepted yet.
fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// A floor on the journal of its own folder.
async fn alone(ground: &Ground, start: &Start) -> Result<Risen, StartError> {
    let (folder, options, outlet) = (ground.config.data.clone(), ground.options, ground.outlet());
    let (engine, recovery) =
        tokio::task::spawn_blocking(move || Engine::start(&folder, options, outlet)).await.map_err(failed)??;
    ground.hub.begin(recovery.sequence);
    if !start.demonstration {
        let (last, data) = (recovery.last_time.unwrap_or_else(clock::now), &ground.config.data);
        clock::begin(last.max(uptime::last(data)), uptime::expected(data));
    }
    let store = Store::open(ground.store_file()).map_err(|error| StartError::Store(error.to_string()))?;
    let store = belonging(Arc::new(store), engine.journal()).await?;
    let made = Make { engine: &engine, hub: &ground.hub, release: start.release };
    made.floor_of(start).await?;
    if !start.demonstration {
        made.compare_anchors(&ground.config, recovery.sequence).await?;
    }
    let alive = alive::last(&ground.config.data, clock::now());
    made.begin(recovery.last_time.max(alive)).await?;
    Ok(Risen { engine: Arc::new(engine), recovery, store, member: None })
}

/// The credentials, if they are those of the floor with this journal.
pub(crate) async fn belonging(store: Arc<Store>, journal: [u8; 16]) -> Result<Arc<Store>, StartError> {
    let asked = Arc::clone(&store);
    let belongs = tokio::task::spawn_blocking(move || asked.belongs_to(journal)).await.map_err(failed)?;
    match belongs.map_err(|error| StartError::Store(error.to_string()))? {
        true => Ok(store),
        false => Err(StartError::OtherCredentials),
    }
}

pub(crate) fn failed(error: tokio::task::JoinError) -> StartError {
    StartError::Store(error.to_string())
}

fn followers(watch: &Watch, demo: &Arc<OnceLock<Arc<Demonstration>>>) -> Vec<Following> {
    let watch = watch.clone();
    let demo = Arc::clone(demo);
    vec![
        Box::new(move |durable| watch.hear(durable)),
        Box::new(move |durable| {
            if let Some(demo) = demo.get() {
                demo.hear(durable);
            }
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_waits_for_the_cluster_and_not_for_a_person() {
        let at_the_disk = |error: io::Error| StartError::Engine(EngineError::Disk(error)).may_pass();
        let told = |error: cluster::Error| at_the_disk(io::Error::other(error));
        assert!(told(cluster::Error::Unreachable("no answer".to_owned())));
        assert!(!told(cluster::Error::Differs("another journal".to_owned())));
        assert!(!at_the_disk(io::ErrorKind::WouldBlock.into()), "in use by another process");
        assert!(StartError::from(cluster::Error::NoQuorum("one of three".to_owned())).may_pass());
        assert!(!StartError::from(cluster::Error::TooOld("2.9.10".to_owned())).may_pass());
        assert!(StartError::Stopped("fenced".to_owned()).may_pass());
        assert!(!StartError::Floor("refused".to_owned()).may_pass());
    }
}
