//! Power loss and failing disks, by the numbers of seeds: everything acknowledged is there in order, at most the one
//! batch that was not acknowledged besides, never a hole, never a change.
//!
//! `JOURNAL_SEEDS=100000 cargo test -p journal faults` looks at more of them, `JOURNAL_SEED=7` at one.

use crate::common::backend::{SMALL, Written, batch, large, open_with, snapshot};
use crate::common::disk::{Act, MemDisk, Trouble};
use journal::{AppendError, BLOCK, Disk, Journal, OpenError, Options, Snapshot};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The seeds to look at: so many, unless the environment says otherwise.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    match number("JOURNAL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("JOURNAL_SEEDS").unwrap_or(usual),
    }
}

/// A journal's life on one disk: what has been acknowledged, and the batch whose fate is unknown.
struct Life {
    seed: u64,
    chance: ChaCha8Rng,
    disk: MemDisk,
    acknowledged: Vec<Written>,
    unknown: Vec<Written>,
    snapshots: Vec<Snapshot>,
}

impl Life {
    fn new(seed: u64) -> Life {
        Life {
            seed,
            chance: ChaCha8Rng::seed_from_u64(seed),
            disk: MemDisk::of(seed).largest(if seed.is_multiple_of(16) { u64::MAX } else { 16 * BLOCK as u64 }),
            acknowledged: Vec::new(),
            unknown: Vec::new(),
            snapshots: Vec::new(),
        }
    }

    /// Something goes wrong sooner or later, in whatever the journal does by then.
    fn plan(&mut self) {
        let act = Act::ALL[self.chance.random_range(0..Act::ALL.len())];
        let most = if matches!(act, Act::Write | Act::Sync) { 25 } else { 3 };
        let trouble = [Trouble::Fails, Trouble::Full, Trouble::PowerLoss][self.chance.random_range(0..3)];
        self.disk.plan(act, self.chance.random_range(0..most), trouble);
    }

    fn options(&mut self) -> Options {
        Options { checkpoint_every: self.chance.random_range(1..60), ..SMALL }
    }

    /// Opens the journal and looks at every record. A disk that fails just then is an error, and never damage.
    fn open(&mut self) -> Option<Journal<MemDisk>> {
        let options = self.options();
        let snapshot = match self.snapshots.len() {
            0 => None,
            known => self.snapshots.get(self.chance.random_range(0..2 * known)).cloned(),
        };
        let (journal, _, found) = match open_with(self.disk.another(), options, snapshot.as_ref()) {
            Ok(opened) => opened,
            Err(OpenError::Disk(_)) => {
                assert!(self.disk.happened(), "seed {}: no reason to fail", self.seed);
                return None;
            }
            Err(error) => panic!("seed {}: {error}", self.seed),
        };
        let from = snapshot.map_or(0, |snapshot| snapshot.sequence as usize);
        let all: Vec<Written> =
            self.acknowledged[..from].iter().cloned().chain(found.into_iter().map(|(_, r)| r)).collect();
        self.compare(all);
        assert_eq!(journal.sequence() as usize, self.acknowledged.len());
        Some(journal)
    }

    fn compare(&mut self, mut found: Vec<Written>) {
        let known = self.acknowledged.len();
        assert!(found.len() >= known, "seed {}: {} of {known} acknowledged records", self.seed, found.len());
        let besides = found.split_off(known);
        assert!(found == self.acknowledged, "seed {}: an acknowledged record has changed", self.seed);
        assert!(besides.is_empty() || besides == self.unknown, "seed {}: half a batch, or a foreign one", self.seed);
        // A reader has seen it and relies on it from now on.
        self.acknowledged.extend(besides);
        self.unknown.clear();
    }

    fn records(&mut self) -> Vec<Written> {
        let largest = if self.seed.is_multiple_of(16) { 100_000 } else { 10_000 };
        let size = |chance: &mut ChaCha8Rng| match chance.random_range(0..8) {
            0 => chance.random_range(0..largest),
            1 => chance.random_range(0..4_000),
            _ => chance.random_range(0..200),
        };
        let first = self.acknowledged.len() as u64 + 1;
        let count = if self.chance.random_bool(0.5) { 1 } else { self.chance.random_range(1..5) };
        (first..first + count).map(|number| (number, size(&mut self.chance))).map(|(n, size)| large(n, size)).collect()
    }

    /// Appends until something goes wrong, or long enough.
    fn play(&mut self, mut journal: Journal<MemDisk>) {
        for _ in 0..self.chance.random_range(0..40) {
            let records = self.records();
            match journal.append(self.acknowledged.len() as u64, &mut batch(&records)) {
                Ok(sequence) => {
                    self.acknowledged.extend(records);
                    assert_eq!(sequence as usize, self.acknowledged.len());
                    if self.chance.random_bool(0.1) {
                        self.snapshots.push(snapshot(&journal));
                    }
                }
                Err(AppendError::Stopped(_)) => {
                    self.unknown = records;
                    return self.has_stopped(journal);
                }
                Err(error) => panic!("seed {}: {error}", self.seed),
            }
            if journal.checkpoint_if_due(0).is_err() {
                return self.has_stopped(journal);
            }
        }
    }

    /// Nothing more is taken, whatever the disk says.
    fn has_stopped(&mut self, mut journal: Journal<MemDisk>) {
        assert!(self.disk.happened(), "seed {}: no reason to stop", self.seed);
        let back = self.chance.random_bool(0.5);
        if back {
            let power_lost = self.disk.another();
            power_lost.repair();
        }
        for _ in 0..3 {
            let appended = journal.append(journal.sequence(), &mut batch(&[large(1, 10)]));
            assert!(matches!(appended, Err(AppendError::Stopped(_))), "seed {}: {appended:?}", self.seed);
            assert!(matches!(journal.checkpoint_now(), Err(AppendError::Stopped(_))));
        }
    }

    /// The process ends; sometimes the power goes with it.
    fn end(&mut self) {
        if self.chance.random_bool(0.6) {
            self.disk.lose_power();
        }
        self.disk.repair();
    }
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost() {
    for seed in seeds(2_000) {
        let mut life = Life::new(seed);
        for _ in 0..3 {
            if life.chance.random_bool(0.9) {
                life.plan();
            }
            if let Some(journal) = life.open() {
                life.play(journal);
            }
            life.end();
        }
        // In the end the disk works, and everything is there. What was shown then stays, power or not.
        drop(life.open().expect("a working disk"));
        life.disk.lose_power();
        life.disk.repair();
        drop(life.open().expect("a working disk"));
    }
}

/// Appends small batches until the journal stops, and returns why, and how many were acknowledged.
fn until_stopped(journal: &mut Journal<MemDisk>, size: usize) -> (String, u64) {
    for number in 1..1_000 {
        let at = journal.sequence();
        if let Err(error) = journal.append(at, &mut batch(&[large(number, size)])) {
            assert_eq!(journal.sequence(), at);
            return (error.to_string(), at);
        }
    }
    panic!("the journal has not stopped");
}

#[track_caller]
fn all_there(disk: &MemDisk, acknowledged: u64) {
    disk.lose_power();
    disk.repair();
    let (journal, _, found) = open_with(disk.another(), SMALL, None).unwrap_or_else(|error| panic!("{error}"));
    assert!((acknowledged..=acknowledged + 1).contains(&journal.sequence()));
    assert!(found.iter().all(|(number, record)| record.1[0] == large(*number, 1).1[0]));
}

#[test]
fn a_failing_sync_stops_the_journal() {
    for after in 0..20 {
        let disk = MemDisk::of(after.into());
        let (mut journal, ..) = open_with(disk.another(), SMALL, None).expect("opened");
        disk.plan(Act::Sync, after, Trouble::Fails);
        let (reason, acknowledged) = until_stopped(&mut journal, 100);
        assert_eq!((&reason[..], acknowledged), ("the journal has stopped: input/output error", after.into()));
        drop(journal);
        all_there(&disk, acknowledged);
    }
}

#[test]
fn a_full_disk_stops_the_journal_at_the_next_segment() {
    let disk = MemDisk::new();
    let (mut journal, ..) = open_with(disk.another(), SMALL, None).expect("opened");
    disk.plan(Act::Create, 0, Trouble::Full);
    let (reason, acknowledged) = until_stopped(&mut journal, 50_000);
    assert_eq!((&reason[..], acknowledged), ("the journal has stopped: no space left on device", 10));
    drop(journal);
    all_there(&disk, acknowledged);
}

#[test]
fn a_disk_that_was_full_for_a_while_is_no_harm() {
    let disk = MemDisk::new();
    let (mut journal, ..) = open_with(disk.another(), SMALL, None).expect("opened");
    disk.plan(Act::Create, 0, Trouble::Full);
    for number in 1..=25 {
        if number == 10 {
            // The next segment could not be prepared beforehand; now that it is needed, there is room again.
            disk.repair();
        }
        journal.append(number - 1, &mut batch(&[large(number, 50_000)])).expect("there is room");
    }
    drop(journal);
    all_there(&disk, 25);
}

#[test]
fn a_rename_that_fails_stops_the_journal() {
    for seed in 0..20 {
        let disk = MemDisk::of(seed);
        let (mut journal, ..) = open_with(disk.another(), SMALL, None).expect("opened");
        disk.plan(Act::Rename, 0, Trouble::Fails);
        let (reason, acknowledged) = until_stopped(&mut journal, 50_000);
        assert_eq!((&reason[..], acknowledged), ("the journal has stopped: input/output error", 10));
        drop(journal);
        all_there(&disk, acknowledged);
    }
}

#[test]
fn what_a_killed_process_left_in_the_cache_is_durable_before_it_is_shown() {
    for seed in 0..50 {
        let disk = MemDisk::of(seed);
        let (mut journal, ..) = open_with(disk.another(), SMALL, None).expect("opened");
        journal.append(0, &mut batch(&[large(1, 10)])).expect("appended");
        // The process dies between writing and syncing; the system goes on.
        let held = disk.hold_syncs();
        let killed = std::thread::spawn(move || drop(journal.append(1, &mut batch(&[large(2, 9_000)]))));
        held.until_reached();
        let left = disk.image();
        drop(held);
        killed.join().expect("ended");
        let shown = open_with(left.another(), SMALL, None).expect("opened").0.sequence();
        assert_eq!(shown, 2);
        left.lose_power();
        left.repair();
        assert_eq!(open_with(left.another(), SMALL, None).expect("opened").0.sequence(), shown);
    }
}

#[test]
fn a_first_start_can_fail_anywhere() {
    for act in Act::ALL {
        for after in 0..4 {
            for trouble in [Trouble::Fails, Trouble::Full, Trouble::PowerLoss] {
                let disk = MemDisk::of(after.into());
                disk.plan(act, after, trouble);
                let opened = open_with(disk.another(), SMALL, None);
                assert_eq!(opened.is_err(), disk.happened(), "{act:?} {after} {trouble:?}");
                drop(opened);
                disk.lose_power();
                disk.repair();
                let (mut journal, ..) =
                    open_with(disk.another(), SMALL, None).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(journal.append(0, &mut batch(&[large(1, 10)])).expect("appended"), 1);
            }
        }
    }
}
