//! A host under attack: terminals bet while one address floods sign-ins, feeds, stalled bodies and huge messages.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::house::House;
use crate::modes::{Mode, Pace, Plan, run};
use crate::report::Latency;
use crate::{Failed, Result, frame};

/// From where the attack comes: another address than the terminals'.
const FROM: [u8; 4] = [127, 0, 0, 9];
/// What tries each kind of attack at the same time.
const EACH: usize = 8;

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
    /// Sign-ins that were sent.
    pub sign_ins: u64,
    /// Feeds that were asked for.
    pub feeds: u64,
    /// Bodies that were begun and left.
    pub stalled: u64,
    /// Messages of 60 KiB that were sent.
    pub huge: u64,
}

#[derive(Default)]
struct Tried {
    sign_ins: AtomicU64,
    feeds: AtomicU64,
    stalled: AtomicU64,
    huge: AtomicU64,
}

/// Measures bets in an open loop of so many a second, first without and then with the attack.
///
/// # Errors
/// When the host cannot be started or does not answer.
pub fn attack(
    program: &Path,
    release: floor::Release,
    terminals: usize,
    rate: f64,
    time: Duration,
) -> Result<Attacked> {
    let mut house = House::make(program, release, terminals)?;
    let plan = Plan { mode: Mode::Bets, time, bets: 1, pace: Pace::Open(rate), rounds: 1 };
    let latency = |report: crate::Report| report.latency.ok_or_else(|| Failed::new("no bet was answered"));
    // Once before it counts, so that both are measured on a host that has played.
    run(&mut house, Plan { time: time.min(Duration::from_secs(2)), ..plan })?;
    let calm = latency(run(&mut house, plan)?)?;
    let tried = Arc::new(Tried::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    for _ in 0..EACH {
        let target = (house.address, house.floor.clone());
        runtime.spawn(sign_ins(target.clone(), Arc::clone(&tried)));
        runtime.spawn(feeds(target.clone(), Arc::clone(&tried)));
        runtime.spawn(stalled_bodies(target.clone(), Arc::clone(&tried)));
        runtime.spawn(huge_messages(target, Arc::clone(&tried)));
    }
    let attacked = latency(run(&mut house, plan)?);
    runtime.shutdown_background();
    let (attacked, count) = (attacked?, |count: &AtomicU64| count.load(Ordering::Relaxed));
    Ok(Attacked {
        terminals,
        calm,
        attacked,
        ratio: attacked.p99 / calm.p99.max(0.001),
        sign_ins: count(&tried.sign_ins),
        feeds: count(&tried.feeds),
        stalled: count(&tried.stalled),
        huge: count(&tried.huge),
    })
}

type Target = (SocketAddr, String);

async fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(IpAddr::from(FROM), 0))?;
    socket.connect(address).await
}

/// A little rest where the host takes nothing, so that the generator does not measure itself.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

async fn sign_ins((address, floor): Target, tried: Arc<Tried>) {
    let body = r#"{"login":"administrator","password":"not the right one"}"#;
    let length = body.len();
    let request = format!(
        "POST /api/v1/floors/{floor}/session HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    loop {
        if let Ok(mut stream) = connect(address).await
            && stream.write_all(request.as_bytes()).await.is_ok()
        {
            tried.sign_ins.fetch_add(1, Ordering::Relaxed);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
        }
        rest().await;
    }
}

async fn open_feed(address: SocketAddr, floor: &str) -> std::io::Result<TcpStream> {
    let mut stream = connect(address).await?;
    let request = format!(
        "GET /api/v1/floors/{floor}/feed/display/0 HTTP/1.1\r\nhost: here\r\nupgrade: websocket\r\n\
         connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}

async fn feeds((address, floor): Target, tried: Arc<Tried>) {
    let mut open = Vec::new();
    loop {
        if let Ok(stream) = open_feed(address, &floor).await {
            tried.feeds.fetch_add(1, Ordering::Relaxed);
            open.push(stream);
            if open.len() > 500 {
                open.clear();
            }
        }
        rest().await;
    }
}

async fn stalled_bodies((address, floor): Target, tried: Arc<Tried>) {
    let request = format!(
        "POST /api/v1/floors/{floor}/session HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n\
         content-length: 500000\r\n\r\n{{\"login\":"
    );
    let mut open = Vec::new();
    loop {
        if let Ok(mut stream) = connect(address).await
            && stream.write_all(request.as_bytes()).await.is_ok()
        {
            tried.stalled.fetch_add(1, Ordering::Relaxed);
            open.push(stream);
            if open.len() > 500 {
                open.clear();
            }
        }
        rest().await;
    }
}

async fn huge_messages((address, floor): Target, tried: Arc<Tried>) {
    let mut message = Vec::new();
    frame::push(&mut message, 1, &vec![b'x'; 60 * 1024]);
    loop {
        if let Ok(mut stream) = open_feed(address, &floor).await {
            while stream.write_all(&message).await.is_ok() {
                tried.huge.fetch_add(1, Ordering::Relaxed);
                rest().await;
            }
        }
        rest().await;
    }
}
