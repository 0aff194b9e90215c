//! A log and a lease on a real cluster of three while servers are killed, paused and come back.

mod common;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::{Connection, Error, Held, Lease, Stream};
use common::log::{SMALL, append, batch, record};
use common::*;
use journal::{Log, Position, Read};
use natsd::Cluster;
use tokio::task::JoinHandle;

const LENGTH: Duration = Duration::from_secs(2);
const CONTENDERS: usize = 5;

/// Who holds a lease now, as every contender sees it for itself.
#[derive(Default)]
struct Holders {
    /// Until when each of them may think that it holds it, by the one clock of this machine.
    spans: Mutex<Vec<(Instant, Instant, usize)>>,
    vanished: AtomicU64,
}

impl Holders {
    /// Contends for a lease until it is asked to end. A contender that has vanished takes no more steps, and still
    /// believes what it believed.
    async fn contend(self: Arc<Self>, mut lease: Lease, me: usize, over: Arc<AtomicBool>) {
        while !over.load(Ordering::Relaxed) {
            if self.vanished.load(Ordering::Relaxed) & (1 << me) == 0 {
                lease.step(Duration::ZERO).await;
            }
            let from = Instant::now();
            if lease.is_held() {
                // Held at one moment, and still held at a later one: so at all times between.
                tokio::time::sleep(Duration::from_millis(5)).await;
                let until = Instant::now();
                if lease.is_held() {
                    self.spans.lock().unwrap().push((from, until, me));
                }
            }
            tokio::time::sleep(lease.pace().min(Duration::from_millis(100))).await;
        }
    }

    fn now(&self) -> Option<usize> {
        let spans = self.spans.lock().unwrap();
        spans.last().filter(|(_, until, _)| until.elapsed() < LENGTH).map(|(_, _, me)| *me)
    }

    /// No two have held it at one time.
    fn never_two(&self) -> BTreeSet<usize> {
        let mut spans = self.spans.lock().unwrap().clone();
        spans.sort();
        for pair in spans.windows(2) {
            let ((from, until, one), (next, _, other)) = (pair[0], pair[1]);
            assert!(one == other || until <= next, "{one} held it for {:?} beside {other}", until - from.max(next));
        }
        spans.into_iter().map(|(_, _, me)| me).collect()
    }
}

/// Takes every message of a stream as it comes, and proves that each continues the one before.
async fn listen(stream: Stream, over: Arc<AtomicU64>) -> u64 {
    let mut tail = stream.tail(1);
    let mut position = Position::begin(stream.journal());
    let mut number = 0;
    while position.sequence < over.load(Ordering::Relaxed) {
        // As short as a follower waits.
        let Some(bytes) = tail.next(Duration::from_millis(50)).await else { continue };
        if let Read::Records { entries, .. } = position.read(&bytes).expect("it goes on") {
            for entry in entries {
                number += 1;
                assert_eq!((entry.time, entry.bytes.to_vec()), record(number));
            }
        }
    }
    number
}

fn leader(cluster: &Cluster, stream: &Stream) -> usize {
    let mut leader = None;
    until(PATIENCE, || {
        let state = RUNTIME.block_on(stream.state());
        let replicas = state.map(|state| state.replicas).unwrap_or_default();
        leader = replicas.iter().find(|replica| replica.leads).and_then(|replica| cluster.index_of(&replica.server));
        leader.is_some()
    });
    leader.expect("waited for")
}

fn contend(connection: &Connection, floor: &str, over: &Arc<AtomicBool>) -> (Arc<Holders>, Vec<JoinHandle<()>>) {
    let holders = Arc::new(Holders::default());
    let tasks = (0..CONTENDERS).map(|me| {
        let held = Held { host: format!("host {me}"), address: String::new() };
        let lease = RUNTIME.block_on(Lease::new(connection, floor, held, LENGTH)).expect("connected");
        RUNTIME.spawn(Arc::clone(&holders).contend(lease, me, Arc::clone(over)))
    });
    let tasks = tasks.collect();
    (holders, tasks)
}

#[test]
fn one_server_at_a_time_may_be_lost() {
    let mut cluster = Cluster::start(3).expect("a cluster");
    let connection = connect(&cluster);
    let floor = floor();
    let stream = stream(&connection, &floor);
    let folder = tempfile::tempdir().expect("a folder");

    // One writer, two readers, five contenders for the lease.
    let over = Arc::new(AtomicBool::new(false));
    let end = Arc::new(AtomicU64::new(u64::MAX));
    let readers: Vec<JoinHandle<u64>> =
        (0..2).map(|_| RUNTIME.spawn(listen(stream.clone(), Arc::clone(&end)))).collect();
    let (holders, contenders) = contend(&connection, &floor, &over);
    let appended = Arc::new(AtomicU64::new(0));
    let writing = {
        let (over, appended) = (Arc::clone(&over), Arc::clone(&appended));
        let mut writer = writer(&stream, folder.path(), journal::Options { checkpoint_every: 50, ..SMALL });
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let next = record(writer.sequence() + 1);
                append(&mut writer, next);
                writer.checkpoint_if_due(0).expect("signed");
                appended.store(writer.sequence(), Ordering::Relaxed);
            }
            writer
        })
    };
    let goes_on = |what: &str| {
        let before = appended.load(Ordering::Relaxed);
        let took = until(PATIENCE, || appended.load(Ordering::Relaxed) > before + 20);
        println!("{what}: goes on after {took:?}");
    };
    goes_on("at first");
    until(PATIENCE, || holders.now().is_some());

    // No other host may take the lease while only a server is lost.
    let holder = holders.now();
    let first = leader(&cluster, &stream);
    cluster.kill(first).expect("killed");
    goes_on("the server that leads the stream is killed");
    cluster.restart(first).expect("started");
    cluster.wait_until_current().expect("back");
    goes_on("it is back");

    let second = leader(&cluster, &stream);
    cluster.pause(second).expect("paused");
    goes_on("the server that leads the stream is paused");
    cluster.resume(second).expect("resumed");
    cluster.wait_until_current().expect("back");
    goes_on("it goes on");
    println!("the lease was with {holder:?} and is with {:?}", holders.now());

    // The holder vanishes.
    until(PATIENCE, || holders.now().is_some());
    let gone = holders.now().expect("somebody");
    holders.vanished.fetch_or(1 << gone, Ordering::Relaxed);
    let took = until(PATIENCE, || holders.now().is_some_and(|now| now != gone));
    println!("the lease is taken over after {took:?}");
    assert!(took <= LENGTH + Duration::from_secs(8), "{took:?}");

    over.store(true, Ordering::Relaxed);
    let writer = writing.join().expect("it went on");
    end.store(writer.sequence(), Ordering::Relaxed);
    for reader in readers {
        assert_eq!(RUNTIME.block_on(reader).expect("nothing missed"), writer.sequence());
    }
    contenders.into_iter().for_each(|task| RUNTIME.block_on(task).expect("nobody failed"));
    assert!(holders.never_two().len() >= 2);
    assert_eq!(numbers(&stream), (1..=writer.sequence()).collect::<Vec<_>>());
    assert!(messages(&stream)[1..] == sealed(folder.path())[..]);
}

#[test]
fn without_a_quorum_nothing_is_acknowledged_and_nothing_is_half_done() {
    let mut cluster = Cluster::start(3).expect("a cluster");
    let connection = connect(&cluster);
    let stream = stream(&connection, &floor());
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = writer(&stream, folder.path(), SMALL);
    (1..=5).for_each(|number| append(&mut writer, record(number)));
    drop(writer);

    let (mut place, last) = (Position::begin(stream.journal()), 6);
    messages(&stream)[1..].iter().for_each(|message| drop(place.read(message).expect("it goes on")));
    let mut next = batch(&[record(6)]);
    let bytes = bytes::Bytes::copy_from_slice(place.seal(&mut next).0);
    cluster.kill(0).expect("killed");
    cluster.kill(1).expect("killed");
    let patience = Duration::from_secs(3);
    let begun = Instant::now();
    let result = RUNTIME.block_on(stream.append(last, bytes.clone(), patience));
    assert!(matches!(result, Err(Error::Unknown(_))), "{result:?}");
    let took = begun.elapsed();
    assert!(took >= patience && took < patience + Duration::from_secs(3), "{took:?}");

    // The remaining one notices within seconds that it has no followers, and then reports the problem.
    let url = cluster.url(2).expect("an address");
    loop {
        let opened = RUNTIME.block_on(Connection::open(&url, cluster::Options::default())).map(drop);
        if matches!(opened, Err(Error::NoQuorum(_))) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "it is not said what is amiss: {opened:?}");
        std::thread::sleep(Duration::from_millis(200));
    }

    cluster.restart(0).expect("started");
    cluster.restart(1).expect("started");
    cluster.wait_until_current().expect("back");
    // It may have come to be there; once it is tried again it is there, and once.
    assert_eq!(RUNTIME.block_on(stream.append(last, bytes, PATIENCE)).expect("appended"), 7);
    let mut writer = common::writer(&stream, folder.path(), SMALL);
    append(&mut writer, record(7));
    drop(writer);
    assert_eq!(numbers(&stream), [1, 2, 3, 4, 5, 6, 7]);
    assert!(messages(&stream)[1..] == sealed(folder.path())[..]);
}
