//! A host under attack: terminals bet while one address floods sign-ins, feeds, stalled bodies and huge messages.
//!
//! The host runs with its default settings. Every answer is checked: either the attack reaches the host, or there is no
//! figure.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::house::House;
use crate::modes::{Mode, Pace, Plan, run};
use crate::report::Latency;
use crate::{Failed, Result, frame};

/// From where the attack comes: another address than the terminals'.
const FROM: [u8; 4] = [127, 0, 0, 9];
/// What tries each kind of attack at the same time.
const EACH: usize = 8;
/// How many feeds, and how many bodies, are held open at once: together a little fewer than one address may.
const HELD: usize = 230;
/// How long a feed is held that reads nothing.
const HOLDS: Duration = Duration::from_secs(10);
/// No answer is waited for longer: a stalled body is answered after 20 seconds.
const ANSWERED: Duration = Duration::from_secs(30);
/// Every kind of attack must have met the host's answer by then.
const REACHED: Duration = Duration::from_secs(60);
/// How many files the attack has open at once.
pub const FILES_OF_AN_ATTACK: u64 = (2 * HELD + 2 * EACH + 64) as u64;

/// Bets with and without an attack, measured in one run against one host.
#[derive(Clone, Debug, Serialize)]
pub struct Attacked {
    /// Terminals that bet.
    pub terminals: usize,
    /// Milliseconds of a bet without the attack …
    pub calm: Latency,
    /// … and with it.
    pub attacked: Latency,
    /// How much longer 99 of 100 bets took.
    pub ratio: f64,
    /// Wrong sign-ins; they reached the host where a password was checked (401).
    pub sign_ins: Answers,
    /// Feeds asked for; they reached the host where they were opened (101).
    pub feeds: Answers,
    /// Bodies that were begun and left; they reached the host where it waited in vain (408).
    pub stalled: Answers,
    /// Feeds with messages of 60 KiB and 1 MiB; they reached the host where it ended the feed.
    pub huge: Answers,
}

/// What became of one kind of attack.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// How often it was tried.
    pub sent: u64,
    /// How often it reached what it was meant for.
    pub reached: u64,
    /// How often it was turned away before (429, 503, or closed without an answer).
    pub turned_away: u64,
    /// Other answers.
    pub other: u64,
}

#[derive(Default)]
struct Kind {
    sent: AtomicU64,
    reached: AtomicU64,
    turned_away: AtomicU64,
    other: AtomicU64,
}

impl Kind {
    fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an answer by its status; none at all is 0.
    fn answered(&self, status: u16, aim: u16) {
        let count = match status {
            aimed if aimed == aim => &self.reached,
            0 | 429 | 503 => &self.turned_away,
            _ => &self.other,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn all(&self) -> Answers {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Answers {
            sent: count(&self.sent),
            reached: count(&self.reached),
            turned_away: count(&self.turned_away),
            other: count(&self.other),
        }
    }
}

#[derive(Default)]
struct Tried {
    sign_ins: Kind,
    feeds: Kind,
    stalled: Kind,
    huge: Kind,
}

impl Tried {
    fn kinds(&self) -> [(&'static str, Answers); 4] {
        [
            ("sign-ins", self.sign_ins.all()),
            ("feeds", self.feeds.all()),
            ("stalled bodies", self.stalled.all()),
            ("huge messages", self.huge.all()),
        ]
    }

    /// Waits until every kind of attack has reached the host.
    fn reach(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            let kinds = self.kinds();
            let Some((name, answers)) = kinds.iter().find(|(_, answers)| answers.reached == 0) else { return Ok(()) };
            if began.elapsed() > REACHED {
                return Err(Failed::new(format!("the attack did not reach the host: {name}: {answers:?}")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Measures bets in an open loop at this rate per second, first without the attack, then with it. The second
/// measurement begins when every kind of attack has met the host's answer.
///
/// # Errors
/// When the host cannot be started or does not answer, or when the attack does not reach it.
pub fn attack(
    program: &Path,
    release: floor::Release,
    terminals: usize,
    rate: f64,
    time: Duration,
) -> Result<Attacked> {
    let mut house = House::as_shipped(program, release, terminals)?;
    let plan = Plan { mode: Mode::Bets, time, bets: 1, pace: Pace::Open(rate), rounds: 1 };
    let latency = |report: crate::Report| {
        if report.hanging > 0 || report.refused > 0 {
            let (hanging, refused) = (report.hanging, report.refused);
            return Err(Failed::new(format!("{hanging} bets were not answered, {refused} were refused")));
        }
        report.latency.ok_or_else(|| Failed::new("no bet was answered"))
    };
    // Once before it counts, so that both are measured on a host that has played.
    run(&mut house, Plan { time: time.min(Duration::from_secs(2)), ..plan })?;
    let calm = latency(run(&mut house, plan)?)?;
    let tried = Arc::new(Tried::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let target = Arc::new(Target { address: house.address, floor: house.floor.clone() });
    let (feeds, bodies) = (Arc::new(Semaphore::new(HELD)), Arc::new(Semaphore::new(HELD)));
    for _ in 0..EACH {
        runtime.spawn(sign_ins(Arc::clone(&target), Arc::clone(&tried)));
        runtime.spawn(hold(Arc::clone(&feeds), Arc::clone(&target), Arc::clone(&tried), hold_feed));
        runtime.spawn(hold(Arc::clone(&bodies), Arc::clone(&target), Arc::clone(&tried), stall_body));
        runtime.spawn(huge_messages(Arc::clone(&target), Arc::clone(&tried)));
    }
    let attacked = tried.reach().and_then(|()| run(&mut house, plan)).and_then(latency);
    runtime.shutdown_background();
    let attacked = attacked?;
    Ok(Attacked {
        terminals,
        calm,
        attacked,
        ratio: attacked.p99 / calm.p99.max(0.001),
        sign_ins: tried.sign_ins.all(),
        feeds: tried.feeds.all(),
        stalled: tried.stalled.all(),
        huge: tried.huge.all(),
    })
}

struct Target {
    address: SocketAddr,
    floor: String,
}

impl Target {
    async fn connect(&self) -> std::io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::from(FROM), 0))?;
        socket.connect(self.address).await
    }

    /// A sign-in that says how long its body will be.
    fn sign_in(&self, length: usize, body: &str) -> String {
        let Target { address, floor } = self;
        format!(
            "POST /api/v1/floors/{floor}/session HTTP/1.1\r\nhost: {address}\r\nx-croupier: 1\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
    }

    /// Opens a display's feed; the status of the answer.
    async fn open_feed(&self) -> std::io::Result<(TcpStream, u16)> {
        let mut stream = self.connect().await?;
        let Target { address, floor } = self;
        let request = format!(
            "GET /api/v1/floors/{floor}/feed/display/0 HTTP/1.1\r\nhost: {address}\r\nupgrade: websocket\r\n\
             connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let status = status(&mut stream).await;
        Ok((stream, status))
    }
}

/// The status of an answer; 0 where there is none.
async fn status(stream: &mut TcpStream) -> u16 {
    let mut first = [0; 12];
    match timeout(ANSWERED, stream.read_exact(&mut first)).await {
        Ok(Ok(_)) => std::str::from_utf8(&first).ok().and_then(|line| line.get(9..)?.parse().ok()).unwrap_or(0),
        _ => 0,
    }
}

/// A little rest, so that the generator does not measure itself.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

async fn sign_ins(target: Arc<Target>, tried: Arc<Tried>) {
    let body = r#"{"login":"administrator","password":"not the right one"}"#;
    let request = target.sign_in(body.len(), body);
    loop {
        if let Ok(mut stream) = target.connect().await {
            tried.sign_ins.sent();
            let sent = stream.write_all(request.as_bytes()).await.is_ok();
            let status = if sent { status(&mut stream).await } else { 0 };
            tried.sign_ins.answered(status, 401);
        }
        rest().await;
    }
}

/// Holds as many of something as one address may.
async fn hold<F>(places: Arc<Semaphore>, target: Arc<Target>, tried: Arc<Tried>, one: fn(Arc<Target>, Arc<Tried>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let held = one(Arc::clone(&target), Arc::clone(&tried));
        tokio::spawn(async move {
            held.await;
            drop(place);
        });
        rest().await;
    }
}

/// A display that is greeted and never reads what it is sent.
async fn hold_feed(target: Arc<Target>, tried: Arc<Tried>) {
    tried.feeds.sent();
    let (mut stream, status) = match target.open_feed().await {
        Ok(opened) => opened,
        Err(_) => return tried.feeds.answered(0, 101),
    };
    tried.feeds.answered(status, 101);
    let mut hello = Vec::new();
    frame::push(&mut hello, 1, br#"{"type":"hello"}"#);
    if status == 101 && stream.write_all(&hello).await.is_ok() {
        tokio::time::sleep(HOLDS).await;
    }
}

/// A body that is begun and never ends.
async fn stall_body(target: Arc<Target>, tried: Arc<Tried>) {
    let request = target.sign_in(500_000, r#"{"login":"#);
    tried.stalled.sent();
    let status = match target.connect().await {
        Ok(mut stream) => {
            let sent = stream.write_all(request.as_bytes()).await.is_ok();
            if sent { status(&mut stream).await } else { 0 }
        }
        Err(_) => 0,
    };
    tried.stalled.answered(status, 408);
}

/// Messages as large as they may be, and larger, until the host ends the feed.
async fn huge_messages(target: Arc<Target>, tried: Arc<Tried>) {
    let message = |length: usize| {
        let mut message = Vec::new();
        frame::push(&mut message, 1, &vec![b'x'; length]);
        message
    };
    let messages = [message(60 * 1024), message(1024 * 1024)];
    for message in messages.iter().cycle() {
        tried.huge.sent();
        let status = match target.open_feed().await {
            Ok((mut stream, 101)) => {
                if ends(&mut stream, message).await {
                    ENDED
                } else {
                    101
                }
            }
            Ok((_, status)) => status,
            Err(_) => 0,
        };
        tried.huge.answered(status, ENDED);
        rest().await;
    }
}

/// Not the status of any answer: the host ended the feed.
const ENDED: u16 = 1;

/// Whether the host ends a feed after a message.
async fn ends(stream: &mut TcpStream, message: &[u8]) -> bool {
    let (mut read, mut write) = stream.split();
    // A host that has ended the feed takes no more of it.
    let send = async { while write.write_all(message).await.is_ok() {} };
    let mut scratch = vec![0; 16 * 1024];
    let heard = async { while read.read(&mut scratch).await.is_ok_and(|count| count > 0) {} };
    timeout(ANSWERED, async { tokio::join!(send, heard) }).await.is_ok()
}
