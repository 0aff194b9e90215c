//! What the tests on real clusters share.

#![allow(dead_code)]

#[path = "../../../journal/tests/common/log.rs"]
pub mod log;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::{Connection, Options, Replicated, Stream, to_folder};
use journal::{Checkpoint, Journal, Key, Position, PublicKey, Read, RealDisk, Scan};
use log::{Keeper, SMALL, Written};
use natsd::Cluster;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub const PATIENCE: Duration = Duration::from_secs(30);

pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads"));

/// A name that no other test has.
pub fn floor() -> String {
    static FLOORS: AtomicU32 = AtomicU32::new(0);
    format!("floor-{}", FLOORS.fetch_add(1, Ordering::Relaxed))
}

pub fn connect(cluster: &Cluster) -> Connection {
    let urls = cluster.urls().join(",");
    // On a separate thread: the first caller may be a task of the runtime.
    let open = move || RUNTIME.block_on(Connection::open(&urls, Options::default())).expect("connected");
    std::thread::spawn(open).join().expect("connected")
}

/// The stream of a floor, made with a journal of its own.
pub fn stream(connection: &Connection, floor: &str) -> Stream {
    RUNTIME.block_on(Stream::create(connection, floor, [7; 16])).expect("made")
}

/// Brings the copy in a folder up to the end of the stream; an empty folder gets one.
pub fn copy(stream: &Stream, folder: &Path, options: journal::Options) -> (Journal<RealDisk>, u64) {
    let disk = || RealDisk::new(folder).expect("a disk");
    let mut copy = if Scan::new(vec![disk()]).expect("a folder").is_empty() {
        Journal::copy_of(disk(), options, stream.journal(), key()).expect("begun")
    } else {
        Journal::open(disk(), options, None, |_, _| Ok(())).expect("opened").0
    };
    let last = RUNTIME.block_on(to_folder(stream, &mut copy, |_, _| {})).expect("copied");
    (copy, last)
}

/// A writer on a stream, with its copy in a folder.
pub fn writer(stream: &Stream, folder: &Path, options: journal::Options) -> Replicated<RealDisk> {
    let (copy, last) = copy(stream, folder, options);
    Replicated::new(RUNTIME.handle().clone(), stream.clone(), copy, last)
}

pub fn key() -> Key {
    Key::new([42; 32])
}

/// Every message of a stream.
pub fn messages(stream: &Stream) -> Vec<Bytes> {
    RUNTIME.block_on(async {
        let mut messages = Vec::new();
        for number in 1..=stream.last().await.expect("asked") {
            messages.push(stream.get(number).await.expect("asked").expect("there"));
        }
        messages
    })
}

/// Every record and checkpoint of a stream, proved on the way.
pub fn read(stream: &Stream) -> (Vec<(u64, Written)>, Vec<Checkpoint>) {
    let messages = messages(stream);
    let mut position = Position::opened(&messages[0]).expect("it opens a journal");
    let (mut records, mut checkpoints) = (Vec::new(), Vec::new());
    for message in &messages[1..] {
        match position.read(message).expect("it goes on") {
            Read::Checkpoint(checkpoint) => checkpoints.push(checkpoint),
            Read::Records { first, entries, .. } => {
                records.extend((first..).zip(entries.iter().map(|entry| (entry.time, entry.bytes.to_vec()))));
            }
        }
    }
    (records, checkpoints)
}

/// The numbers of the records of a stream, which say themselves which they are.
pub fn numbers(stream: &Stream) -> Vec<u64> {
    let number = |(sequence, written): (u64, Written)| {
        let text = String::from_utf8(written.1).expect("text");
        let number: u64 = text.strip_prefix("record ").expect("a record").parse().expect("a number");
        assert_eq!(written.0, log::record(number).0, "record {sequence}");
        number
    };
    read(stream).0.into_iter().map(number).collect()
}

/// The batches of a folder's journal, to the byte.
pub fn sealed(folder: &Path) -> Vec<Vec<u8>> {
    let mut scan = Scan::new(vec![RealDisk::to_read(folder)]).expect("a journal");
    let mut found = Vec::new();
    while scan.read().expect("whole").is_some() {
        found.push(scan.sealed().to_vec());
    }
    found
}

/// Waits for what comes soon, or the test has failed.
#[track_caller]
pub fn until(within: Duration, mut has_come: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !has_come() {
        assert!(begun.elapsed() < within, "it has not come");
        std::thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

/// A log on a cluster. Every second time it is opened on another machine, which has no copy yet.
pub struct OnCluster<C: Calm> {
    stream: Stream,
    folders: TempDir,
    opened: AtomicU32,
    calm: std::marker::PhantomData<C>,
}

/// The connection of the tests that need nothing but a cluster.
pub trait Calm {
    fn connection() -> &'static Connection;
}

impl<C: Calm> OnCluster<C> {
    fn folder(&self, opened: u32) -> PathBuf {
        self.folders.path().join((opened / 2).to_string())
    }
}

impl<C: Calm> Keeper for OnCluster<C> {
    type Log = Replicated<RealDisk>;

    fn new() -> OnCluster<C> {
        let folders = tempfile::tempdir().expect("a folder");
        let stream = stream(C::connection(), &floor());
        OnCluster { stream, folders, opened: AtomicU32::new(1), calm: std::marker::PhantomData }
    }

    fn open(&self, options: journal::Options) -> Replicated<RealDisk> {
        let opened = self.opened.fetch_add(1, Ordering::Relaxed);
        writer(&self.stream, &self.folder(opened), journal::Options { segment: SMALL.segment, ..options })
    }

    fn records(&self) -> Vec<(u64, Written)> {
        // The last writer's copy equals the stream byte for byte.
        let folder = self.folder(self.opened.load(Ordering::Relaxed) - 1);
        assert!(messages(&self.stream)[1..] == sealed(&folder)[..], "copy and stream differ");
        read(&self.stream).0
    }

    fn checkpoints(&self) -> Vec<Checkpoint> {
        read(&self.stream).1
    }

    fn key(&self) -> PublicKey {
        key().public()
    }
}
