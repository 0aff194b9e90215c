//! What the tests of the engine share: a disk that fails on command, a house that plays, and a client that remembers
//! every answer.

#![allow(dead_code)]

#[path = "../../../journal/tests/common/disk.rs"]
pub mod disk;
pub mod forge;
#[path = "../../../floor/tests/common/mod.rs"]
pub mod house;
pub mod session;

use std::sync::mpsc::{Receiver, Sender as Channel, channel};
use std::time::{Duration, Instant};

use engine::{Durable, Engine, Options, Outlet, Recovery, Refused, Reply, StartError, Tag, encode};
use floor::*;
use journal::{Batch, Checkpoint, Disk, Journal};

use disk::MemDisk;

/// The smallest segments there are, snapshots only at the end.
pub fn options() -> Options {
    let journal = journal::Options { segment: 0, checkpoint_every: 1_000_000 };
    Options { journal, queue: 10_000, ..Options::default() }
}

/// What the engine has told.
#[derive(Debug)]
pub enum Told {
    Reply(Tag, Reply),
    /// A durable batch: its first record, how many, and how many bytes they take.
    Batch(u64, usize, usize),
    Checkpoint(Checkpoint),
    SnapshotFailed(String),
    Stopped(String),
}

pub struct ToChannel(pub Channel<Told>);

impl Outlet for ToChannel {
    fn durable(&mut self, durable: Durable<'_>) {
        assert_eq!(durable.floor.sequence(), durable.first + durable.records.len() as u64 - 1);
        let mut bytes = Vec::new();
        durable.records.iter().for_each(|record| encode(record, &mut bytes));
        if !durable.records.is_empty() {
            let _ = self.0.send(Told::Batch(durable.first, durable.records.len(), bytes.len()));
        }
        for (tag, reply) in durable.replies {
            let _ = self.0.send(Told::Reply(tag, reply));
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let _ = self.0.send(Told::Checkpoint(*checkpoint));
    }

    fn snapshot_failed(&mut self, reason: &str) {
        let _ = self.0.send(Told::SnapshotFailed(reason.to_owned()));
    }

    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>) {
        for tag in waiting {
            let _ = self.0.send(Told::Reply(tag, Reply::Stopped(reason.to_owned())));
        }
        let _ = self.0.send(Told::Stopped(reason.to_owned()));
    }
}

/// A running floor, and everything it has told.
pub struct Client {
    pub engine: Option<Engine>,
    pub recovery: Recovery,
    told: Receiver<Told>,
    /// What was published besides the awaited answers.
    besides: Vec<Told>,
    pub tag: Tag,
}

impl Client {
    pub fn start<D: Disk>(disk: D, options: Options) -> Result<Client, StartError> {
        let (sender, told) = channel();
        let (engine, recovery) = Engine::start_on(disk, options, ToChannel(sender))?;
        Ok(Client::of(engine, recovery, told))
    }

    pub fn of(engine: Engine, recovery: Recovery, told: Receiver<Told>) -> Client {
        Client { engine: Some(engine), recovery, told, besides: Vec::new(), tag: 0 }
    }

    #[track_caller]
    pub fn open<D: Disk>(disk: D) -> Client {
        Client::start(disk, options()).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("running")
    }

    /// Sends a command under its tag as its number, and does not wait.
    pub fn submit(&mut self, sender: Sender, body: Body) -> Result<Tag, Refused> {
        let tag = self.tag + 1;
        self.engine().submit(tag, Command { sender, number: tag, at: Moment(1_000), body })?;
        self.tag = tag;
        Ok(tag)
    }

    /// The next thing told; it comes soon, or the test has failed.
    #[track_caller]
    pub fn next(&self) -> Told {
        self.told.recv_timeout(Duration::from_secs(60)).expect("the engine is silent")
    }

    /// What has been told and not yet been looked at.
    pub fn told(&mut self) -> Vec<Told> {
        self.besides.drain(..).chain(self.told.try_iter()).collect()
    }

    #[track_caller]
    pub fn answer(&mut self) -> (Tag, Reply) {
        loop {
            match self.next() {
                Told::Reply(tag, reply) => return (tag, reply),
                besides => self.besides.push(besides),
            }
        }
    }

    /// Sends a command and waits for its answer.
    #[track_caller]
    pub fn ask(&mut self, sender: Sender, body: Body) -> Reply {
        let tag = self.submit(sender, body).expect("taken in");
        let (answered, reply) = self.answer();
        assert_eq!(answered, tag);
        reply
    }

    #[track_caller]
    pub fn ok(&mut self, sender: Sender, body: Body) -> u64 {
        match self.ask(sender, body) {
            Reply::Accepted(sequence) => sequence,
            reply => panic!("{reply:?}"),
        }
    }

    /// Waits until the decider has taken everything from the queue.
    pub fn until_decided(&self) {
        until(|| self.engine().waiting() == 0);
    }

    pub fn hash(&self) -> [u8; 32] {
        self.engine().read(Floor::state_hash)
    }

    pub fn sequence(&self) -> u64 {
        self.engine().read(Floor::sequence)
    }

    /// Ends the engine and returns what it still told.
    pub fn stop(mut self) -> Vec<Told> {
        drop(self.engine.take());
        self.told()
    }
}

/// Waits for what comes soon, or the test has failed.
#[track_caller]
pub fn until(has_come: impl Fn() -> bool) {
    let begun = Instant::now();
    while !has_come() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it has not come");
        std::thread::yield_now();
    }
}

pub fn floor_settings() -> FloorSettings {
    FloorSettings {
        name: "test".to_owned(),
        demonstration: true,
        day_starts: 0,
        ticket_days: 30,
        ..FloorSettings::default()
    }
}

pub fn create() -> Body {
    Body::CreateFloor(floor_settings())
}

/// Something that fits any floor and says which one it is.
pub fn hire(number: u64) -> Body {
    Body::AddStaff { name: format!("person {number}"), post: Post::Auditor, witness: None }
}

/// Who has been hired, in order.
pub fn hired(floor: &Floor) -> Vec<u64> {
    let number = |staff: &Staff| staff.name().strip_prefix("person ").expect("a person").parse().expect("a number");
    floor.staff().iter().map(number).collect()
}

/// An event of about 3 KiB. Alerts of one kind have room for 500: these are of two kinds in turn.
pub fn long_alert(number: u64) -> Body {
    let text = format!("{number} {}", "龘".repeat(990));
    Body::RaiseAlert {
        table: None,
        what: if number.is_multiple_of(2) { AlertKind::Host(text) } else { AlertKind::Integrity(text) },
    }
}

/// Bytes of records in a batch that [`write`] makes.
const LARGEST: usize = 384 * 1024;

/// Writes records into a journal, so many to a batch at most.
pub fn write<D: Disk>(journal: &mut Journal<D>, log: &[Record], together: usize) {
    let mut bytes = Vec::new();
    for records in log.chunks(together) {
        let (mut batch, mut size) = (Batch::new(), 0);
        for record in records {
            bytes.clear();
            encode(record, &mut bytes);
            // The parts of a settlement do not fit into one batch, wherever in the log they are.
            if size > 0 && size + bytes.len() > LARGEST {
                journal.append(journal.sequence(), &mut batch).expect("appended");
                (batch, size) = (Batch::new(), 0);
            }
            batch.push(record.at.0, &bytes);
            size += bytes.len();
        }
        journal.append(journal.sequence(), &mut batch).expect("appended");
    }
}

/// A journal for writing past the engine.
pub fn journal<D: Disk>(disk: D) -> Journal<D> {
    Journal::open(disk, options().journal, None, |_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")).0
}

/// The floor after so many records.
pub fn replayed(log: &[Record]) -> Floor {
    let mut floor = Floor::new();
    log.iter().for_each(|record| floor.apply(record).expect("the log fits"));
    floor
}

/// The audit of a disk.
pub fn audited(disk: &MemDisk) -> engine::Audit {
    engine::audit(vec![disk.another()], &[], None, |_, _| {})
}
