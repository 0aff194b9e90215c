//! The follower beside a floor that is in play.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Durable, Engine, Outlet, Recovery, Tag};
use floor::{Body, Command, FloorSettings, Moment, Sender};
use receipts::{Chosen, Follower, Options, Prover};

use crate::tree;

const PATIENCE: Duration = Duration::from_secs(60);

struct Tell(Arc<Follower>);

impl Outlet for Tell {
    fn recovered(&mut self, recovery: &Recovery) {
        self.0.recovered(recovery.sequence);
    }

    fn durable(&mut self, durable: Durable<'_>) {
        self.0.feed(&durable);
    }

    fn stopped(&mut self, _reason: &str, _waiting: Vec<Tag>) {}
}

fn engine_options() -> engine::Options {
    engine::Options { journal: crate::journal_options(), ..engine::Options::default() }
}

fn start(folder: &Path, options: Options) -> (Engine, Arc<Follower>) {
    let follower = Arc::new(Follower::start(folder, options).unwrap());
    let (engine, _) = Engine::start(folder, engine_options(), Tell(Arc::clone(&follower))).unwrap();
    (engine, follower)
}

fn ask(engine: &Engine, number: u64) {
    let body = if number == 1 {
        let settings =
            FloorSettings { name: "house".into(), day_starts: 360, ticket_days: 30, ..FloorSettings::default() };
        Body::CreateFloor(settings)
    } else {
        Body::AddStaff { name: format!("person {number}"), post: floor::Post::Auditor, witness: None }
    };
    engine.submit(number, Command { sender: Sender::System, number, at: Moment(1_000), body }).unwrap();
}

/// Asks until the head covers everything that is durable.
fn signed(engine: &Engine, follower: &Follower, records: u64) -> Arc<receipts::heads::Head> {
    let head = follower.head_of(records, PATIENCE).expect("a head");
    assert!(engine.read(floor::Floor::sequence) >= records);
    head
}

#[test]
fn a_head_is_signed_on_demand_and_at_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, follower) = start(folder.path(), Options::default());
    (1..=40).for_each(|number| ask(&engine, number));
    let head = signed(&engine, &follower, 30);
    assert!(head.checkpoint.size >= 30);
    (41..=60).for_each(|number| ask(&engine, number));
    engine.stop();
    let records = {
        follower.end();
        follower.head().unwrap().checkpoint.size
    };
    assert!(records >= 60, "{records}");
    assert_eq!((follower.size(), follower.lag(), follower.failed()), (records, 0, None));
    // The next process goes on from there.
    let (engine, follower) = start(folder.path(), Options::default());
    ask(&engine, 61);
    assert!(signed(&engine, &follower, records + 1).checkpoint.size > records);
    engine.stop();
    follower.end();
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    assert_eq!(prover.key().name(), "croupier.invalid/house/1");
    let head = prover.newest().unwrap().unwrap();
    let proofs = prover.choose(1, &head, |_, _| Chosen::Whole).unwrap();
    assert_eq!(proofs.len() as u64, head.checkpoint.size);
}

#[test]
fn what_does_not_fit_into_memory_is_read_from_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, follower) =
        start(folder.path(), Options { queue: 0, domain: Some("casino.example".to_owned()), ..Options::default() });
    (1..=100).for_each(|number| ask(&engine, number));
    signed(&engine, &follower, 100);
    engine.stop();
    follower.end();
    assert_eq!(follower.lag(), 0);
    assert_eq!(follower.head().unwrap().checkpoint.origin, "casino.example/house/1");
}

#[test]
fn a_key_that_is_gone_stops_heads_and_not_play() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, follower) = start(folder.path(), Options::default());
    ask(&engine, 1);
    signed(&engine, &follower, 1);
    engine.stop();
    follower.end();
    std::fs::remove_file(folder.path().join("log.salt")).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let report: receipts::Report = {
        let told = Arc::clone(&told);
        Box::new(move |words| told.lock().unwrap().push(words.to_owned()))
    };
    let (engine, follower) = start(folder.path(), Options { report: Some(report), ..Options::default() });
    ask(&engine, 2);
    assert!(follower.head_of(u64::MAX, Duration::from_millis(200)).is_none());
    engine.stop();
    follower.end();
    assert!(told.lock().unwrap().iter().any(|words| words.contains("log.salt is missing")));
    assert!(follower.failed().is_some());
    assert!(tree(folder.path(), 2).is_err());
}
