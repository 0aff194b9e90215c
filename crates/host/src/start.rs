//! From nothing to a floor that can be reached.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::{Engine, Options, Recovery, Reply, StartError as EngineError};
use floor::{Body, Command, FloorSettings, Post, Release, Sender, StaffId};
use records::{Follower, FollowerOptions};
use rulebook::library;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::{App, Parts};
use crate::bias;
use crate::clock;
use crate::config::Config;
use crate::demo::{self, Demonstration};
use crate::devices::cammegh::Reader;
use crate::error::ApiError;
use crate::feed::message::ByeReason;
use crate::feed::staff;
use crate::hub::{Following, Hub, NOBODY, ToHub};
use crate::retention;
use crate::serial;
use crate::server;
use crate::store::Store;
use crate::watch::{self as watching, Watch};

/// What is started.
pub struct Start {
    /// Settings.
    pub config: Config,
    /// Whether it is the demonstration.
    pub demonstration: bool,
    /// The administrator's first password; one is made if there is none.
    pub password: Option<String>,
    /// The program that runs, by its hashes.
    pub release: Release,
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
    #[error("the floor could not be made: {0}")]
    Floor(String),
}

/// A host that runs.
pub struct Running {
    /// The floor with everything around it.
    pub app: Arc<App>,
    /// Where it listens.
    pub address: SocketAddr,
    /// What recovery did.
    pub recovery: Recovery,
    /// The administrator's password, if it was made just now.
    pub password: Option<String>,
    stop: watch::Sender<bool>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    server: tokio::task::JoinHandle<()>,
    wheels: Vec<Reader>,
}

impl Running {
    /// Stops in order: clients are told, requests finished, the journal signed.
    pub async fn stop(self) {
        self.app.hub.end_where(ByeReason::Stopping, |_| true);
        let _ = self.stop.send(true);
        let wheels = self.wheels;
        let _ = tokio::task::spawn_blocking(move || drop(wheels)).await;
        let _ = self.server.await;
        for task in self.tasks {
            task.abort();
            let _ = task.await;
        }
        let app = self.app;
        // Whoever still holds the floor is about to let go of it.
        for _ in 0..100 {
            if Arc::strong_count(&app) == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let _ = tokio::task::spawn_blocking(move || drop(app)).await;
    }
}

/// Opens the floor, makes it if it is new, and begins to listen.
///
/// # Errors
/// Why nothing was started.
pub async fn start(start: Start) -> Result<Running, StartError> {
    let Start { config, demonstration, password, release } = start;
    let address = config.listen;
    let tls = config.tls.as_ref().map(server::acceptor).transpose().map_err(StartError::Tls)?;
    std::fs::create_dir_all(&config.data).map_err(|error| StartError::Store(error.to_string()))?;
    let hub = Hub::new();
    let watch = Watch::default();
    let demo: Arc<OnceLock<Arc<Demonstration>>> = Arc::new(OnceLock::new());
    let keep_days = demonstration.then_some(2);
    let report: records::Report = Box::new(|words| tracing::error!(words, "the records"));
    let following = FollowerOptions { keep_days, report: Some(report), ..FollowerOptions::default() };
    let records = Follower::start(&config.data, following).map_err(|error| StartError::Store(error.to_string()))?;
    let records = Arc::new(records);
    let outlet = ToHub {
        hub: Arc::clone(&hub),
        records: Arc::clone(&records),
        followers: followers(&watch, &demo),
        stopped: Box::new(|_| {}),
    };
    let mut options = Options { queue: config.queue, ..Options::default() };
    if demonstration {
        // Small segments and frequent snapshots, so that old ones can go.
        options.journal.segment = 16 << 20;
        options.snapshot_every = 100_000;
    }
    let folder = config.data.clone();
    let (engine, recovery) =
        tokio::task::spawn_blocking(move || Engine::start(&folder, options, outlet)).await.map_err(failed)??;
    hub.begin(recovery.sequence);
    let store =
        Store::open(config.data.join("credentials.sqlite")).map_err(|error| StartError::Store(error.to_string()))?;
    let made = Make { engine: &engine, hub: &hub, release };
    let password = if demonstration {
        made.demonstration(config.demonstration_pace).await?;
        None
    } else {
        made.floor(&config, &store, password).await?
    };
    made.begin(&recovery).await?;
    let is_demonstration = engine.read(|floor| floor.settings().is_some_and(|settings| settings.demonstration));
    let demonstration = is_demonstration.then(|| Arc::new(engine.read(Demonstration::new)));
    if let Some(demonstration) = &demonstration {
        let _ = demo.set(Arc::clone(demonstration));
        engine
            .read(|floor| demo::give_passwords(floor, &store))
            .map_err(|error| StartError::Store(error.to_string()))?;
    }
    let listener = TcpListener::bind(address).await.map_err(|error| StartError::Listen { address, error })?;
    let address = listener.local_addr().map_err(|error| StartError::Listen { address, error })?;
    let parts = Parts { engine, hub, store: Arc::new(store), records, watch, demonstration, release, config };
    let app = Arc::new(App::new(parts));
    let (stop, stopping) = watch::channel(false);
    let mut tasks = vec![
        tokio::spawn(watching::deadlines(Arc::clone(&app))),
        tokio::spawn(watching::clock_ticks(Arc::clone(&app))),
        tokio::spawn(watching::rounds_of_inspection(Arc::clone(&app))),
        tokio::spawn(staff::run(Arc::clone(&app))),
        tokio::spawn(bias::run(Arc::clone(&app))),
        tokio::spawn(retention::run(Arc::clone(&app))),
    ];
    tasks.extend(demo::start(&app));
    let server = tokio::spawn(server::run(Arc::clone(&app), listener, tls, stopping));
    let wheels = serial::start(&app);
    Ok(Running { app, address, recovery, password, stop, tasks, server, wheels })
}

fn failed(error: tokio::task::JoinError) -> StartError {
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

/// What makes a floor before anybody is talked to.
struct Make<'a> {
    engine: &'a Engine,
    hub: &'a Arc<Hub>,
    release: Release,
}

impl Make<'_> {
    async fn send(&self, sender: Sender, number: u64, body: Body) -> Result<Result<u64, ApiError>, StartError> {
        let (tag, answer) = self.hub.expect();
        let command = Command { sender, number, at: clock::now(), body };
        self.engine.submit(tag, command).map_err(|refused| StartError::Floor(refused.to_string()))?;
        match answer.await {
            Ok(Reply::Accepted(sequence)) => Ok(Ok(sequence)),
            Ok(Reply::Refused(refusal)) => Ok(Err(refusal.into())),
            Ok(Reply::Stopped(reason)) => Err(StartError::Floor(reason)),
            Err(_) => Err(StartError::Floor("no answer came".to_owned())),
        }
    }

    async fn own(&self, body: Body) -> Result<Result<u64, ApiError>, StartError> {
        let number = self.engine.read(|floor| floor.last_number(Sender::System)).unwrap_or(0) + 1;
        self.send(Sender::System, number, body).await
    }

    /// The demonstration, or the rest of it where making it was interrupted.
    async fn demonstration(&self, pace: u32) -> Result<(), StartError> {
        let other = self.engine.read(|floor| floor.settings().is_some_and(|settings| !settings.demonstration));
        if other {
            return Err(StartError::Floor("there is a floor in this folder that is no demonstration".to_owned()));
        }
        let done = self.engine.read(demo::done);
        let commands = demo::commands(pace).map_err(|error| StartError::Floor(error.to_string()))?;
        let waiting: Vec<_> = commands
            .into_iter()
            .zip(1..)
            .skip(done)
            .map(|((sender, body), number)| {
                let (tag, answer) = self.hub.expect();
                let command = Command { sender, number, at: clock::now(), body };
                (self.engine.submit(tag, command), answer)
            })
            .collect();
        for (submitted, answer) in waiting {
            submitted.map_err(|refused| StartError::Floor(refused.to_string()))?;
            match answer.await {
                Ok(Reply::Accepted(_)) => {}
                Ok(Reply::Refused(refusal)) => return Err(StartError::Floor(refusal.to_string())),
                Ok(Reply::Stopped(reason)) => return Err(StartError::Floor(reason)),
                Err(_) => return Err(StartError::Floor("no answer came".to_owned())),
            }
        }
        Ok(())
    }

    /// A new floor with its administrator and the rulebooks of this program; its password, if it was made just now.
    async fn floor(&self, config: &Config, store: &Store, given: Option<String>) -> Result<Option<String>, StartError> {
        if self.engine.read(|floor| floor.settings().is_none()) {
            let settings =
                FloorSettings { name: config.floor.clone(), demonstration: false, day_starts: 6 * 60, ticket_days: 30 };
            self.must(Body::CreateFloor(settings)).await?;
        }
        if self.engine.read(|floor| floor.staff().is_empty()) {
            self.must(Body::AddStaff { name: "administrator".to_owned(), post: Post::Administrator }).await?;
        }
        let installed = self.engine.read(|floor| floor.rulebooks().map(rulebook::Rulebook::hash).collect::<Vec<_>>());
        let books = library::all().map_err(|error| StartError::Floor(error.to_string()))?;
        for book in books.iter().filter(|book| book.identity().approved && !installed.contains(&book.hash())) {
            // A rulebook that cannot be installed is not in the way of the others.
            if let Err(error) = self.own(Body::InstallRulebook { canonical: book.canonical().to_owned() }).await? {
                tracing::warn!(rulebook = book.id(), code = error.error.code, "a rulebook was not installed");
            }
        }
        let first = StaffId(0);
        let has = store.has_password(first).map_err(|error| StartError::Store(error.to_string()))?;
        if has {
            return Ok(None);
        }
        let password = match given {
            Some(password) => password,
            None => made_up().map_err(|error| StartError::Store(error.to_string()))?,
        };
        store.set_password(first, "administrator", &password).map_err(|error| StartError::Store(error.to_string()))?;
        Ok(Some(password))
    }

    async fn must(&self, body: Body) -> Result<(), StartError> {
        let answer = self.own(body).await?;
        answer.map(drop).map_err(|error| StartError::Floor(error.error.message.en))
    }

    /// What a host does at its start: the program is recorded (S10), and so is the time it was away (D6).
    async fn begin(&self, recovery: &Recovery) -> Result<(), StartError> {
        if let Err(error) = self.own(Body::StartProgram(self.release)).await? {
            tracing::warn!(code = error.error.code, "the start of the program was not recorded");
        }
        if let Some(from) = recovery.last_time.filter(|_| recovery.open_rounds > 0) {
            // The terminals come back by themselves within seconds; a stoppage within the grace is recorded only.
            let _ = self.own(Body::ReportStoppage { from, terminals_back: true }).await?;
        }
        self.links_are_down().await
    }

    /// Nobody is connected to a host that has just started: terminals are lost until they come back (S18).
    async fn links_are_down(&self) -> Result<(), StartError> {
        let (lost, last) = self.engine.read(|floor| {
            let live = floor.terminals().iter().filter(|terminal| terminal.is_live());
            (live.map(floor::Terminal::id).collect::<Vec<_>>(), floor.last_number(Sender::System))
        });
        let mut lost: Vec<_> = lost.into_iter().zip(last.unwrap_or(0) + 1..).collect();
        let waited_for = lost.pop();
        for (terminal, number) in lost {
            let body = Body::TerminalLost { terminal };
            let command = Command { sender: Sender::System, number, at: clock::now(), body };
            self.engine.submit(NOBODY, command).map_err(|refused| StartError::Floor(refused.to_string()))?;
        }
        // When the last is durable, so are all.
        if let Some((terminal, number)) = waited_for {
            let _ = self.send(Sender::System, number, Body::TerminalLost { terminal }).await?;
        }
        Ok(())
    }
}

/// A password that nobody chose.
fn made_up() -> Result<String, rand::rngs::SysError> {
    use rand::TryRng;
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789z";
    let mut bytes = [0_u8; 16];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes)?;
    let letter = |byte: &u8| char::from(LETTERS.get(usize::from(byte % 32)).copied().unwrap_or(b'x'));
    Ok(bytes.iter().map(letter).collect())
}
