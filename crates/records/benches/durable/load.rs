//! Load: so many senders with one command each, or so many commands a second whatever the answers.
//!
//! Senders know nothing of each other: each hands in its own command, gets its own answer, and sends the next at once. One
//! thread is all of them, so that they cost as little as they can. Whatever is measured has the same senders.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender as Channel, channel};
use std::time::{Duration, Instant};

use engine::{Durable, Engine, Options, Outlet, Recovery, Reply, Tag, audit};
use floor::*;
use journal::{AlignedBuffer, Disk, DiskFile, RealDisk};
use records::{Follower, FollowerOptions};
use rulebook::{Cents, Rank, SpotIndex, library};

use super::slow::Slow;

/// How the load is made.
#[derive(Copy, Clone)]
pub enum Loop {
    /// So many senders, each waiting for its answer.
    Closed(u32),
    /// So many commands a second; latency is counted from when each was due.
    Open(u32),
}

impl Loop {
    fn senders(self) -> u32 {
        match self {
            Loop::Closed(senders) => senders,
            Loop::Open(_) => 1_000,
        }
    }
}

/// What came of it.
pub struct Measured {
    /// Answers per second.
    pub rate: f64,
    /// Milliseconds to the answer, median.
    pub p50: f64,
    /// Milliseconds to the answer, 99 of 100.
    pub p99: f64,
    /// Records that were still to be written when the engine had stopped: it signs and makes a snapshot before that.
    pub lag: Option<u64>,
}

/// Drives a system: `submit` takes the command of a sender in, its answer comes through the channel.
fn drive(kind: Loop, span: Duration, answers: &Receiver<Tag>, mut submit: impl FnMut(Tag)) -> Measured {
    let senders = kind.senders() as usize;
    let mut sent = vec![Instant::now(); senders];
    let mut latencies = Latencies::start();
    let start = Instant::now();
    match kind {
        Loop::Closed(_) => {
            let mut in_flight = senders;
            (0..senders as u64).for_each(&mut submit);
            while in_flight > 0 {
                let tag = answers.recv().expect("answers");
                let now = Instant::now();
                latencies.count(now.duration_since(sent[tag as usize]));
                if now.duration_since(start) < span {
                    sent[tag as usize] = now;
                    submit(tag);
                } else {
                    in_flight -= 1;
                }
            }
        }
        Loop::Open(rate) => {
            let due = |n: u64| start + Duration::from_nanos(n * 1_000_000_000 / u64::from(rate));
            let total = u64::from(rate) * span.as_secs();
            let (mut next, mut answered) = (0_u64, 0_u64);
            let mut due_of = std::collections::VecDeque::new();
            while answered < total {
                while next < total && due(next) <= Instant::now() {
                    due_of.push_back(due(next));
                    submit(next % senders as u64);
                    next += 1;
                }
                let wait = if next < total { due(next).saturating_duration_since(Instant::now()) } else { span };
                let mut answer = answers.recv_timeout(wait.max(Duration::from_micros(50))).ok();
                while answer.is_some() {
                    answered += 1;
                    // Answers come in the order of the commands.
                    latencies.count(due_of.pop_front().expect("one is due").elapsed());
                    answer = answers.try_recv().ok();
                }
            }
        }
    }
    latencies.measured()
}

/// How often an answer took so many microseconds. Counted and not listed: a list would grow while it is measured, and on a
/// machine whose memory is shared the first use of new memory may take milliseconds.
pub struct Latencies {
    start: Instant,
    counts: Vec<u64>,
}

impl Latencies {
    /// What takes longer counts as this.
    const LONGEST: usize = 500_000;

    /// Nothing yet, from now on.
    pub fn start() -> Latencies {
        // Not zeros: those would be first used when something is counted.
        let mut counts = vec![1; Self::LONGEST + 1];
        counts.fill(0);
        Latencies { start: Instant::now(), counts }
    }

    /// An answer took so long.
    pub fn count(&mut self, span: Duration) {
        self.counts[usize::try_from(span.as_micros()).map_or(Self::LONGEST, |micros| micros.min(Self::LONGEST))] += 1;
    }

    /// What came of it all, up to now.
    pub fn measured(&self) -> Measured {
        let took = self.start.elapsed();
        let total: u64 = self.counts.iter().sum();
        let at = |part: u64| {
            let mut left = total.saturating_sub(1) * part / 100;
            let reached = self.counts.iter().position(|count| {
                let here = left < *count;
                left = left.saturating_sub(*count);
                here
            });
            reached.unwrap_or(Self::LONGEST) as f64 / 1e3
        };
        Measured { rate: total as f64 / took.as_secs_f64(), p50: at(50), p99: at(99), lag: None }
    }
}

/// A log that only writes 64-byte records: the next batch fills while the last is synced.
pub fn bare(folder: &Path, kind: Loop, span: Duration) -> Measured {
    let data = tempfile::tempdir_in(folder).expect("a folder");
    bare_on(&RealDisk::new(data.path()).expect("a disk"), kind, span)
}

/// The same on a disk whose synced writes take so long.
pub fn bare_slowly(folder: &Path, kind: Loop, span: Duration, takes: Duration) -> Measured {
    let data = tempfile::tempdir_in(folder).expect("a folder");
    bare_on(&Slow::new(RealDisk::new(data.path()).expect("a disk"), takes), kind, span)
}

fn bare_on(disk: &impl Disk, kind: Loop, span: Duration) -> Measured {
    let size: u64 = 1 << 30;
    let file = disk.create("bare", size).expect("a file");
    let (commands, to_write) = channel::<Tag>();
    let (done, answers) = channel();
    let writer = std::thread::spawn(move || {
        let mut buffer = AlignedBuffer::new();
        let mut bytes = Vec::new();
        let mut offset = 0;
        let mut tags = Vec::new();
        while let Ok(tag) = to_write.recv() {
            tags.push(tag);
            tags.extend(to_write.try_iter());
            bytes.clear();
            for tag in &tags {
                bytes.extend_from_slice(&tag.to_le_bytes());
                bytes.extend_from_slice(&[1; 56]);
            }
            buffer.fill(&bytes);
            if offset + buffer.bytes().len() as u64 > size {
                offset = 0;
            }
            file.write_at(offset, &buffer).expect("written");
            file.sync().expect("synced");
            offset += buffer.bytes().len() as u64;
            if tags.drain(..).any(|tag| done.send(tag).is_err()) {
                return;
            }
        }
    });
    let measured = drive(kind, span, &answers, |tag| commands.send(tag).expect("the writer is there"));
    drop(commands);
    writer.join().expect("the writer ends");
    measured
}

/// Whether records are kept beside play.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Keep {
    Records,
    Nothing,
}

impl Keep {
    fn follower(self, folder: &Path) -> Option<Arc<Follower>> {
        let report = Box::new(|words: &str| panic!("{words}"));
        let options = FollowerOptions { report: Some(report), finish: Duration::ZERO, ..FollowerOptions::default() };
        (self == Keep::Records).then(|| Arc::new(Follower::start(folder, options).expect("a thread")))
    }
}

/// Hands the answers to the code that drives the load.
pub struct Answers {
    answers: Channel<Tag>,
    follower: Option<Arc<Follower>>,
}

impl Outlet for Answers {
    fn recovered(&mut self, recovery: &Recovery) {
        if let Some(follower) = &self.follower {
            follower.recovered(recovery.sequence);
        }
    }

    fn durable(&mut self, durable: Durable<'_>) {
        if let Some(follower) = &self.follower {
            follower.feed(&durable);
        }
        let accepted = |(tag, reply): (Tag, Reply)| match reply {
            Reply::Accepted(_) => tag,
            other => panic!("{other:?}"),
        };
        for tag in durable.replies.into_iter().map(accepted) {
            let _ = self.answers.send(tag);
        }
    }

    fn stopped(&mut self, reason: &str, _: Vec<Tag>) {
        panic!("{reason}");
    }
}

/// A running engine with open bets at a Sic Bo table.
struct Play {
    engine: Engine,
    follower: Option<Arc<Follower>>,
    answers: Receiver<Tag>,
    numbers: Vec<u64>,
    spots: Vec<SpotIndex>,
}

impl Play {
    fn new(folder: &Path, terminals: u32, options: Options, keep: Keep) -> Play {
        let (sender, answers) = channel();
        let follower = keep.follower(folder);
        let outlet = Answers { answers: sender, follower: follower.clone() };
        let (engine, _) = Engine::start(folder, options, outlet).expect("starts");
        Play::on(engine, follower, answers, terminals)
    }

    /// On an engine that has just begun.
    fn on(engine: Engine, follower: Option<Arc<Follower>>, answers: Receiver<Tag>, terminals: u32) -> Play {
        let rulebook = library::find("rws-sicbo").expect("built in");
        let spots = rulebook.layout("b").expect("layout b").table().indices().collect();
        let play = Play { engine, follower, answers, numbers: vec![1; terminals as usize], spots };
        let settings = FloorSettings {
            name: "bench".to_owned(),
            demonstration: true,
            day_starts: 0,
            ticket_days: 30,
            ..FloorSettings::default()
        };
        let limit = Limit { minimum: Cents::ZERO, maximum: Some(Cents::new(bounds::AMOUNT)) };
        let table = TableSettings { limit, step: Cents::new(2), betting_period: 0, ..TableSettings::usual() };
        let mut bodies = vec![Body::CreateFloor(settings)];
        for rank in [Rank::Dealer, Rank::PitManager] {
            bodies.push(Body::AddStaff { name: rank.to_string(), post: Post::Pit(rank), witness: None });
        }
        bodies.push(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let (name, mode) = ("table".to_owned(), TableMode::Terminals);
        bodies.push(Body::AddTable { name, rulebook: rulebook.hash(), mode, settings: Box::new(table), witness: None });
        for id in 0..terminals {
            let (name, kind, layout) = (format!("terminal {id}"), "standard".to_owned(), "b".to_owned());
            bodies.push(Body::EnrolTerminal { table: TableId(0), name, kind, layout });
            bodies.push(Body::TerminalBack { terminal: TerminalId(id) });
        }
        let mut commands: Vec<(Sender, Body)> = bodies.into_iter().map(|body| (Sender::System, body)).collect();
        for id in 0..terminals {
            let terminal = TerminalId(id);
            commands.push((Sender::Terminal(terminal), Body::CashIn { terminal, amount: Cents::new(bounds::AMOUNT) }));
        }
        commands.push((Sender::Staff(StaffId(1)), Body::OpenTable { table: TableId(0) }));
        commands.push((Sender::Staff(StaffId(1)), Body::open_bets(TableId(0))));
        for (place, (sender, body)) in commands.into_iter().enumerate() {
            // Terminals count their bets from here on.
            let number = if matches!(sender, Sender::Terminal(_)) { 1 } else { 1 + place as u64 };
            play.engine.submit(0, Command { sender, number, at: Moment(1_000), body }).expect("taken in");
            while play.engine.waiting() > 1_000 {
                std::thread::yield_now();
            }
        }
        play
    }

    /// Waits until everything sent so far has been answered.
    fn settle(&self, count: usize) {
        assert_eq!(self.answers.iter().take(count).count(), count, "answers");
    }

    fn bet(numbers: &mut [u64], spots: &[SpotIndex], tag: Tag) -> Command {
        let number = &mut numbers[tag as usize];
        *number += 1;
        // Twenty spots for each player, as a busy one has.
        let spot = spots[(*number as usize % 20 * 5 + tag as usize) % spots.len()];
        let changes = [BetChange::Add { spot, amount: Cents::new(2) }].into();
        let sender = Sender::Terminal(TerminalId(tag as u32));
        Command { sender, number: *number, at: Moment(1_000), body: Body::Bet { changes } }
    }
}

/// Durable bets through the engine.
pub fn bets(folder: &Path, kind: Loop, span: Duration, keep: Keep) -> Measured {
    let data = tempfile::tempdir_in(folder).expect("a folder");
    bet_on(Play::new(data.path(), kind.senders(), Options::default(), keep), kind, span)
}

/// The same on a disk whose synced writes take so long.
pub fn bets_slowly(folder: &Path, kind: Loop, span: Duration, keep: Keep, takes: Duration) -> Measured {
    let data = tempfile::tempdir_in(folder).expect("a folder");
    let (sender, answers) = channel();
    let follower = keep.follower(data.path());
    let outlet = Answers { answers: sender, follower: follower.clone() };
    let disk = Slow::new(RealDisk::new(data.path()).expect("a disk"), takes);
    let (engine, _) = Engine::start_on(disk, Options::default(), outlet).expect("starts");
    bet_on(Play::on(engine, follower, answers, kind.senders()), kind, span)
}

/// Durable bets through an engine that writes to a given place.
pub fn bets_with(kind: Loop, span: Duration, start: impl FnOnce(Answers) -> Engine) -> Measured {
    let (sender, answers) = channel();
    let engine = start(Answers { answers: sender, follower: None });
    bet_on(Play::on(engine, None, answers, kind.senders()), kind, span)
}

fn bet_on(play: Play, kind: Loop, span: Duration) -> Measured {
    play.settle(7 + 3 * kind.senders() as usize);
    let Play { engine, follower, answers, mut numbers, spots } = play;
    let mut measured =
        drive(kind, span, &answers, |tag| engine.submit(tag, Play::bet(&mut numbers, &spots, tag)).expect("taken in"));
    engine.stop();
    measured.lag = follower.map(|follower| follower.lag());
    measured
}

/// Replaying, restarting with a snapshot, and auditing a long log.
pub fn recovery(folder: &Path) {
    let events = std::env::var("BENCH_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000_000_u64);
    let data = tempfile::tempdir_in(folder).expect("a folder");
    let options = Options { snapshot_every: events / 2, ..Options::default() };
    let play = Play::new(data.path(), 1_000, options, Keep::Nothing);
    play.settle(7 + 3 * 1_000);
    let Play { engine, answers, mut numbers, spots, .. } = play;
    let tags: Vec<Tag> = (0..1_000).collect();
    for _ in 0..events / 1_000 {
        let commands = tags.iter().map(|tag| (*tag, Play::bet(&mut numbers, &spots, *tag))).collect();
        engine.submit_all(commands).expect("taken in");
        assert_eq!(answers.iter().take(tags.len()).count(), tags.len(), "answers");
    }
    engine.stop();
    println!("\na log of {events} events");
    let disk = || RealDisk::new(data.path()).expect("a disk");
    let start = Instant::now();
    let replayed = engine::read_floor(disk()).expect("reads").sequence();
    let rate = replayed as f64 / start.elapsed().as_secs_f64();
    println!("  replayed from the first record                       {:>10.2} million/s (goal: 5)", rate / 1e6);
    let start = Instant::now();
    let (answers, _answers) = channel();
    let outlet = Answers { answers, follower: None };
    let (engine, recovery) = Engine::start(data.path(), Options::default(), outlet).expect("starts");
    println!(
        "  restart with a snapshot                              {:>10.2} s (goal: 3); {recovery}",
        start.elapsed().as_secs_f64()
    );
    engine.stop();
    let start = Instant::now();
    let report = audit(vec![disk()], &[], None, |_, _| {});
    assert!(report.is_clean(), "{:?}", report.findings);
    println!(
        "  audit with chain and replay                          {:>10.2} s (goal: 30)",
        start.elapsed().as_secs_f64()
    );
}
