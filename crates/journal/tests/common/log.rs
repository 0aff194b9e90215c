//! What any log keeps to, wherever it is kept: order, compare-and-swap, limits, checkpoints.

#![allow(dead_code)]

use std::ops::RangeInclusive;

use journal::{AppendError, Batch, Checkpoint, Log, MAX_PAYLOAD, MAX_RECORD, Options, PublicKey};

/// The smallest segments there are.
pub const SMALL: Options = Options { segment: 0, checkpoint_every: 1_000_000 };

/// A record: its time and its bytes.
pub type Written = (i64, Vec<u8>);

/// Where a log is kept. It outlives the logs opened there.
pub trait Keeper {
    type Log: Log;
    fn new() -> Self;
    fn open(&self, options: Options) -> Self::Log;
    /// The records that are there, each with its sequence.
    fn records(&self) -> Vec<(u64, Written)>;
    /// The checkpoints that are there.
    fn checkpoints(&self) -> Vec<Checkpoint>;
    /// The key by which they are verified.
    fn key(&self) -> PublicKey;
}

/// Runs every statement on every keeper, each in a module of its own.
#[allow(unused_macros)]
macro_rules! on_every_keeper {
    ($($place:ident: $keeper:ty),+) => { $(
        mod $place {
            #[test] fn a_new_log_is_empty_and_stays_so() { super::log::a_new_log_is_empty_and_stays_so::<$keeper>(); }
            #[test] fn what_is_appended_comes_back_in_order() { super::log::what_is_appended_comes_back_in_order::<$keeper>(); }
            #[test] fn append_is_a_compare_and_swap() { super::log::append_is_a_compare_and_swap::<$keeper>(); }
            #[test] fn a_batch_has_its_limits() { super::log::a_batch_has_its_limits::<$keeper>(); }
            #[test] fn an_empty_batch_writes_nothing() { super::log::an_empty_batch_writes_nothing::<$keeper>(); }
            #[test] fn checkpoints_are_signed_when_due_and_when_asked() { super::log::checkpoints_are_signed_when_due_and_when_asked::<$keeper>(); }
        }
    )+ };
}

#[allow(unused_imports)]
pub(crate) use on_every_keeper;

pub fn batch(records: &[Written]) -> Batch {
    let mut batch = Batch::new();
    for (time, record) in records {
        batch.push(*time, record);
    }
    batch
}

/// A record that says which one it is.
pub fn record(number: u64) -> Written {
    (1_000 + number.cast_signed() * 7, format!("record {number}").into_bytes())
}

/// Appends one record after the last.
#[track_caller]
pub fn append(log: &mut impl Log, record: Written) {
    let at = log.sequence();
    assert_eq!(log.append(at, &mut batch(&[record])).expect("appended"), at + 1);
}

pub fn a_new_log_is_empty_and_stays_so<K: Keeper>() {
    let keeper = K::new();
    let log = keeper.open(SMALL);
    let (id, chain) = (log.id(), log.chain());
    assert_eq!((log.sequence(), keeper.records().len()), (0, 0));
    drop(log);
    let log = keeper.open(SMALL);
    assert_eq!((log.id(), log.chain(), log.sequence()), (id, chain, 0));
    assert_eq!((keeper.records().len(), keeper.checkpoints().len()), (0, 0));
}

pub fn what_is_appended_comes_back_in_order<K: Keeper>() {
    let keeper = K::new();
    let mut log = keeper.open(SMALL);
    let batches: [&[Written]; 3] = [
        &[record(1), record(2), (i64::MIN, Vec::new())],
        // Times may run backwards within a batch and have any value: the log knows nothing of what they mean.
        &[(i64::MAX, vec![0; 10_000]), (-5, vec![255])],
        &[record(6)],
    ];
    let mut all = Vec::new();
    for records in batches {
        log.append(log.sequence(), &mut batch(records)).expect("appended");
        all.extend_from_slice(records);
    }
    let (id, chain) = (log.id(), log.chain());
    drop(log);
    assert_eq!(keeper.records(), (1..).zip(all.clone()).collect::<Vec<_>>());
    let mut log = keeper.open(SMALL);
    assert_eq!((log.id(), log.sequence(), log.chain()), (id, 6, chain));
    append(&mut log, record(7));
    assert_ne!(log.chain(), chain);
    all.push(record(7));
    assert_eq!(keeper.records(), (1..).zip(all).collect::<Vec<_>>());
}

pub fn append_is_a_compare_and_swap<K: Keeper>() {
    let keeper = K::new();
    let mut log = keeper.open(SMALL);
    append(&mut log, record(1));
    let chain = log.chain();
    for expected in [0, 2, u64::MAX] {
        match log.append(expected, &mut batch(&[record(9)])) {
            Err(AppendError::Expected { expected: told, actual: 1 }) => assert_eq!(told, expected),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((log.sequence(), log.chain()), (1, chain));
    append(&mut log, record(2));
    drop(log);
    assert_eq!(keeper.records(), [(1, record(1)), (2, record(2))]);
}

pub fn a_batch_has_its_limits<K: Keeper>() {
    let keeper = K::new();
    let mut log = keeper.open(SMALL);
    let most = vec![7; MAX_RECORD];
    let mut full = Batch::new();
    assert!(full.fits(&most) && !full.fits(&[&most[..], &[7]].concat()));
    // Whatever its time, the largest record is within the limit, and nothing more fits beside it.
    full.push(0, &[]);
    full.clear();
    full.push(i64::MIN, &most);
    assert!(full.size() <= MAX_PAYLOAD && !full.fits(&[]));
    assert_eq!(log.append(0, &mut full).expect("within the limit"), 1);
    let mut over = Batch::new();
    over.push(0, &vec![7; MAX_PAYLOAD]);
    assert!(matches!(log.append(1, &mut over), Err(AppendError::TooLarge(size)) if size > MAX_PAYLOAD));
    // Nothing was written, and the log goes on.
    append(&mut log, record(2));
    drop(log);
    assert_eq!(keeper.records(), [(1, (i64::MIN, most)), (2, record(2))]);
}

pub fn an_empty_batch_writes_nothing<K: Keeper>() {
    let keeper = K::new();
    let mut log = keeper.open(SMALL);
    append(&mut log, record(1));
    let chain = log.chain();
    assert_eq!(log.append(1, &mut Batch::new()).expect("nothing to do"), 1);
    assert!(matches!(log.append(0, &mut Batch::new()), Err(AppendError::Expected { .. })));
    assert_eq!(log.chain(), chain);
    drop(log);
    assert_eq!(keeper.records(), [(1, record(1))]);
    assert_eq!(keeper.open(SMALL).chain(), chain);
}

pub fn checkpoints_are_signed_when_due_and_when_asked<K: Keeper>() {
    let keeper = K::new();
    let options = Options { checkpoint_every: 3, ..SMALL };
    let mut log = keeper.open(options);
    let due = |log: &mut K::Log, numbers: RangeInclusive<u64>| {
        let mut signed = Vec::new();
        for number in numbers {
            append(log, record(number));
            signed.extend(log.checkpoint_if_due(0).expect("signed").map(|checkpoint| checkpoint.sequence));
        }
        signed
    };
    assert_eq!(due(&mut log, 1..=7), [3, 6]);
    // It is counted from the last one, over a restart too.
    drop(log);
    let mut log = keeper.open(options);
    assert_eq!(due(&mut log, 8..=10), [9]);
    let chain = log.chain();
    let now = log.checkpoint_now().expect("signed");
    assert_eq!((now.sequence, now.chain, now.key), (10, chain, keeper.key()));
    assert_eq!(log.checkpoint_if_due(0).expect("not due"), None);
    assert_ne!(log.chain(), chain, "a checkpoint is part of the chain");
    let id = log.id();
    drop(log);
    let found = keeper.checkpoints();
    assert_eq!(found.iter().map(|checkpoint| checkpoint.sequence).collect::<Vec<_>>(), [3, 6, 9, 10]);
    assert!(found.iter().all(|checkpoint| checkpoint.is_genuine(id) && !checkpoint.is_genuine([0; 16])));
    assert_eq!(found[3], now);
    assert_eq!(keeper.open(options).sequence(), 10);
}
