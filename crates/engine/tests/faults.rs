//! A failing disk under a running floor: play stops with the reason, every command that was taken in gets one answer,
//! and nothing that was accepted is lost.
//!
//! `JOURNAL_SEEDS=100000 cargo test -p engine faults` looks at more seeds, `JOURNAL_SEED=7` at one.

use std::collections::BTreeMap;

use crate::common::disk::{Act, MemDisk, Trouble};
use crate::common::*;
use engine::{Durable, Engine, Options, Outlet, Refused, Reply, StartError, Tag};
use floor::*;
use journal::{BLOCK, Disk};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    match number("JOURNAL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("JOURNAL_SEEDS").unwrap_or(usual),
    }
}

/// What was sent: one command that makes the floor, many that hire, some that are refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Sent {
    Create,
    Hire(u64),
    Wrong,
}

struct Life {
    seed: u64,
    chance: ChaCha8Rng,
    disk: MemDisk,
    /// Who has been hired for sure, in order.
    certain: Vec<u64>,
    next: u64,
}

impl Life {
    fn new(seed: u64) -> Life {
        let disk = MemDisk::of(seed).largest(16 * BLOCK as u64);
        Life { seed, chance: ChaCha8Rng::seed_from_u64(seed), disk, certain: Vec::new(), next: 0 }
    }

    fn options(&mut self) -> Options {
        let mut options = options();
        options.journal.checkpoint_every = self.chance.random_range(1..50);
        options.snapshot_every = self.chance.random_range(1..50);
        options.queue = self.chance.random_range(20..200);
        options
    }

    fn plan(&mut self) {
        let act = Act::ALL[self.chance.random_range(0..Act::ALL.len())];
        let most = if matches!(act, Act::Write | Act::Sync) { 20 } else { 4 };
        let trouble = [Trouble::Fails, Trouble::Full, Trouble::PowerLoss][self.chance.random_range(0..3)];
        self.disk.plan(act, self.chance.random_range(0..most), trouble);
    }

    fn start(&mut self, unsure: &[u64]) -> Option<Client> {
        let options = self.options();
        match Client::start(self.disk.another(), options) {
            Ok(client) => {
                let found = client.engine().read(hired);
                self.compare(&found, unsure);
                Some(client)
            }
            Err(StartError::Disk(_)) if self.disk.happened() => None,
            Err(error) => panic!("seed {}: {error}", self.seed),
        }
    }

    /// Certain ones are there; of the others, those who came first.
    fn compare(&mut self, found: &[u64], unsure: &[u64]) {
        let seed = self.seed;
        assert!(found.starts_with(&self.certain), "seed {seed}: {found:?} lacks some of {:?}", self.certain);
        let besides = &found[self.certain.len()..];
        assert!(unsure.starts_with(besides), "seed {seed}: {besides:?} of {unsure:?}");
        self.certain = found.to_vec();
    }

    /// Sends commands until it is enough or play has stopped; returns those of which it is not known what became.
    fn play(&mut self, mut client: Client) -> Vec<u64> {
        client.tag = 1_000_000 * (1 + client.sequence());
        let mut sent = BTreeMap::new();
        let mut wanted = if client.sequence() == 0 { vec![Sent::Create] } else { Vec::new() };
        for _ in 0..self.chance.random_range(0..400) {
            self.next += 1;
            wanted.push(if self.chance.random_bool(0.1) { Sent::Wrong } else { Sent::Hire(self.next) });
        }
        for what in wanted {
            let body = match what {
                Sent::Create => create(),
                Sent::Hire(number) => hire(number),
                Sent::Wrong => Body::ClearBets,
            };
            match client.submit(Sender::System, body) {
                Ok(tag) => drop(sent.insert(tag, what)),
                Err(Refused::Busy) => {}
                Err(Refused::Stopped(_) | Refused::Follows) => break,
            }
        }
        self.answered(client.stop(), &sent);
        let hires =
            sent.into_values().filter_map(|sent| if let Sent::Hire(number) = sent { Some(number) } else { None });
        hires.filter(|number| !self.certain.contains(number)).collect()
    }

    /// Every command has one answer; in order, as long as play went on.
    fn answered(&mut self, told: Vec<Told>, sent: &BTreeMap<Tag, Sent>) {
        let seed = self.seed;
        let mut left = sent.clone();
        let (mut last, mut reason) = (0, None);
        for told in told {
            match told {
                Told::Reply(tag, reply) => {
                    let sent = left.remove(&tag).unwrap_or_else(|| panic!("seed {seed}: {tag} answered twice"));
                    match reply {
                        Reply::Stopped(why) => reason = Some(why),
                        answer => {
                            assert!(reason.is_none() && tag > last, "seed {seed}: out of order");
                            assert_eq!(matches!(answer, Reply::Refused(_)), sent == Sent::Wrong, "seed {seed}");
                            if let Sent::Hire(number) = sent {
                                self.certain.push(number);
                            }
                            last = tag;
                        }
                    }
                }
                Told::Stopped(why) => {
                    assert!(self.disk.happened(), "seed {seed}: stopped by {why}");
                    assert!(reason.is_none_or(|reason| reason == why), "seed {seed}");
                    reason = Some(why);
                }
                Told::SnapshotFailed(_) => assert!(self.disk.happened(), "seed {seed}"),
                Told::Batch(..) | Told::Checkpoint(_) => {}
            }
        }
        assert!(left.is_empty(), "seed {seed}: never answered: {left:?}");
    }

    fn end(&mut self) {
        if self.chance.random_bool(0.6) {
            self.disk.lose_power();
        }
        self.disk.repair();
    }
}

#[test]
fn whatever_fails_nothing_accepted_is_lost_and_everybody_is_answered() {
    for seed in seeds(300) {
        let mut life = Life::new(seed);
        let mut unsure = Vec::new();
        for _ in 0..3 {
            if life.chance.random_bool(0.9) {
                life.plan();
            }
            if let Some(client) = life.start(&unsure) {
                unsure = life.play(client);
            }
            life.end();
        }
        let client = life.start(&unsure).expect("a working disk");
        let hash = client.hash();
        client.stop();
        // In the end the audit has nothing to say, and what was shown stays.
        let audit = audited(&life.disk);
        assert!(audit.is_clean(), "seed {seed}: {:#?}", audit.findings);
        assert_eq!(audit.floor.state_hash(), hash, "seed {seed}");
    }
}

/// Sends until play stops; returns why, what was answered, and how many commands were taken in.
fn until_stopped(disk: &MemDisk, trouble: (Act, Trouble), body: fn(u64) -> Body) -> (String, Vec<(Tag, Reply)>, u64) {
    let mut client = Client::open(disk.another());
    client.ok(Sender::System, create());
    let held = disk.hold_syncs();
    client.submit(Sender::System, body(0)).expect("taken in");
    held.until_reached();
    disk.plan(trouble.0, 1, trouble.1);
    let mut held = Some(held);
    let (mut taken, mut answers) = (1, Vec::new());
    for number in 1..100_000 {
        if number == 500 {
            // One batch is being synced, and much waits behind it.
            held = None;
        }
        match client.submit(Sender::System, body(number)) {
            Ok(_) => taken += 1,
            Err(Refused::Busy | Refused::Follows) => answers.push(client.answer()),
            Err(Refused::Stopped(reason)) => {
                assert_eq!(client.engine().stopped(), Some(reason.clone()));
                for told in client.stop() {
                    match told {
                        Told::Reply(tag, reply) => answers.push((tag, reply)),
                        Told::Stopped(why) => assert_eq!(why, reason),
                        _ => {}
                    }
                }
                return (reason, answers, taken);
            }
        }
    }
    drop(held);
    panic!("play has not stopped");
}

#[test]
fn a_failing_sync_stops_play_with_the_reason() {
    let disk = MemDisk::new();
    let (reason, answers, taken) = until_stopped(&disk, (Act::Sync, Trouble::Fails), hire);
    assert_eq!(reason, "the journal has stopped: input/output error");
    assert_eq!(answers.len() as u64, taken, "everybody is answered");
    let accepted = answers.iter().filter(|(_, reply)| matches!(reply, Reply::Accepted(_))).count();
    assert!(answers[accepted..].iter().all(|(_, reply)| *reply == Reply::Stopped(reason.clone())));
    disk.lose_power();
    disk.repair();
    assert!(Client::open(disk).engine().read(hired).len() >= accepted);
}

#[test]
fn a_full_disk_stops_play_when_the_next_segment_is_needed() {
    let disk = MemDisk::new();
    let (reason, answers, taken) = until_stopped(&disk, (Act::Create, Trouble::Full), long_alert);
    assert_eq!(reason, "the journal has stopped: no space left on device");
    assert_eq!(answers.len() as u64, taken);
    let accepted = answers.iter().filter(|(_, reply)| matches!(reply, Reply::Accepted(_))).count();
    assert!(accepted > 0 && accepted < answers.len());
    disk.repair();
    let client = Client::open(disk);
    assert!(client.engine().read(|floor| floor.alerts().count()) >= accepted);
}

#[test]
fn when_play_has_stopped_nothing_more_is_taken_in() {
    let disk = MemDisk::new();
    let mut client = Client::open(disk.another());
    client.ok(Sender::System, create());
    disk.plan(Act::Write, 0, Trouble::Full);
    let reply = client.ask(Sender::System, hire(1));
    let Reply::Stopped(reason) = reply else { panic!("{reply:?}") };
    disk.repair();
    for number in 2..10 {
        assert_eq!(client.submit(Sender::System, hire(number)), Err(Refused::Stopped(reason.clone())));
    }
    // What can be seen is what is durable.
    assert_eq!(client.engine().read(hired), []);
    client.stop();
    assert_eq!(Client::open(disk).sequence(), 1);
}

#[test]
fn a_snapshot_that_cannot_be_written_is_told_and_play_goes_on() {
    let disk = MemDisk::new();
    let mut client = Client::start(disk.another(), Options { snapshot_every: 5, ..options() }).expect("started");
    client.ok(Sender::System, create());
    disk.plan(Act::Save, 0, Trouble::Full);
    for number in 1..=20 {
        client.ok(Sender::System, hire(number));
    }
    until(|| disk.happened());
    disk.repair();
    let told = client.stop();
    let Client { recovery, .. } = Client::open(disk);
    assert_eq!((recovery.sequence, recovery.snapshot), (21, Some(21)), "the last one could be written");
    assert!(told.iter().all(|told| !matches!(told, Told::Stopped(_))));
    assert!(told.iter().any(|told| matches!(told, Told::SnapshotFailed(why) if why == "no space left on device")));
}

#[test]
fn a_floor_that_cannot_be_opened_says_why() {
    let disk = MemDisk::new();
    disk.plan(Act::Create, 0, Trouble::Full);
    let Err(error) = Client::start(disk.another(), options()) else { panic!("started") };
    assert_eq!(error.to_string(), "no space left on device");
    disk.repair();
    let mut client = Client::open(disk);
    client.ok(Sender::System, create());
}

/// A listener that accepts a few messages and then panics.
struct Breaks(u32);

impl Outlet for Breaks {
    fn durable(&mut self, _: Durable<'_>) {
        self.0 = self.0.checked_sub(1).expect("that was too much");
    }

    fn stopped(&mut self, _: &str, _: Vec<Tag>) {}
}

#[test]
fn when_nobody_can_be_told_any_more_play_stops() {
    let disk = MemDisk::new();
    let (engine, _) = Engine::start_on(disk.another(), options(), Breaks(2)).expect("started");
    let command = |number, body| Command { sender: Sender::System, number, at: Moment(0), body };
    engine.submit(1, command(1, create())).expect("taken in");
    let mut number = 1;
    until(|| engine.stopped().is_some() || engine.read(Floor::sequence) > 0);
    while engine.stopped().is_none() {
        number += 1;
        match engine.submit(number, command(number, hire(number))) {
            Ok(()) | Err(Refused::Busy | Refused::Follows) => std::thread::yield_now(),
            Err(Refused::Stopped(reason)) => assert_eq!(reason, "durable records can no longer be published"),
        }
        assert!(number < 10_000_000, "play goes on untold");
    }
    engine.stop();
    // What was durable by then is there, in order.
    let found = Client::open(disk).engine().read(hired);
    assert_eq!(found, (2..2 + found.len() as u64).collect::<Vec<_>>());
}
