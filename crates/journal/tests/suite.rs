//! What every backend of the journal keeps to: order, compare-and-swap, limits, segments, snapshots, checkpoints.

mod common;

use common::backend::*;
use common::on_every_backend;
use journal::{AppendError, BLOCK, Batch, Checkpoint, Disk, Journal, MAX_PAYLOAD, MAX_RECORD, OpenError, Options};
use journal::{Read, Scan, Snapshot};

on_every_backend!(
    a_new_journal_is_empty_and_stays_so,
    what_is_appended_comes_back_in_order,
    append_is_a_compare_and_swap,
    a_batch_has_its_limits,
    an_empty_batch_writes_nothing,
    segments_roll_over,
    a_journal_is_opened_from_any_snapshot,
    a_snapshot_that_does_not_belong_is_refused,
    a_snapshot_beyond_the_end_says_that_the_end_is_lost,
    snapshots_are_listed_newest_first_and_pruned,
    a_damaged_snapshot_is_not_read,
    checkpoints_are_signed_when_due_and_when_asked,
    a_checkpoint_survives_as_a_line,
    the_key_is_made_once_and_exported,
    without_its_key_a_journal_is_not_opened,
    what_was_prepared_and_not_used_is_no_harm,
);

fn a_new_journal_is_empty_and_stays_so<B: Backend>() {
    let backend = B::new();
    let (journal, opened, found) = open(backend.disk());
    assert_eq!((journal.sequence(), opened.cut, opened.last_time, found.len()), (0, 0, None, 0));
    let (id, chain) = (journal.id(), journal.chain());
    drop(journal);
    let (journal, opened, found) = open(backend.disk());
    assert_eq!((journal.id(), journal.chain(), journal.sequence()), (id, chain, 0));
    assert_eq!((opened.cut, found.len()), (0, 0));
}

fn what_is_appended_comes_back_in_order<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    let batches: [&[Written]; 3] = [
        &[record(1), record(2), (i64::MIN, Vec::new())],
        // Times may run backwards within a batch and have any value: the journal knows nothing of what they mean.
        &[(i64::MAX, vec![0; 10_000]), (-5, vec![255])],
        &[record(6)],
    ];
    let mut all = Vec::new();
    for records in batches {
        journal.append(journal.sequence(), &mut batch(records)).expect("appended");
        all.extend_from_slice(records);
    }
    let chain = journal.chain();
    drop(journal);
    let (journal, opened, found) = open(backend.disk());
    assert_eq!(found, (1..).zip(all).collect::<Vec<_>>());
    assert_eq!((journal.sequence(), journal.chain()), (6, chain));
    assert_eq!((opened.replayed, opened.cut, opened.last_time), (6, 0, Some(record(6).0)));
}

fn append_is_a_compare_and_swap<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    let chain = journal.chain();
    for expected in [0, 2, u64::MAX] {
        match journal.append(expected, &mut batch(&[record(9)])) {
            Err(AppendError::Expected { expected: told, actual: 1 }) => assert_eq!(told, expected),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((journal.sequence(), journal.chain()), (1, chain));
    append(&mut journal, record(2));
    drop(journal);
    assert_eq!(open(backend.disk()).2, [(1, record(1)), (2, record(2))]);
}

fn a_batch_has_its_limits<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    let most = vec![7; MAX_RECORD];
    let mut full = Batch::new();
    assert!(full.fits(&most) && !full.fits(&[&most[..], &[7]].concat()));
    // Whatever its time, the largest record is within the limit, and nothing more fits beside it.
    full.push(0, &[]);
    full.clear();
    full.push(i64::MIN, &most);
    assert!(full.size() <= MAX_PAYLOAD && !full.fits(&[]));
    assert_eq!(journal.append(0, &mut full).expect("within the limit"), 1);
    let mut over = Batch::new();
    over.push(0, &vec![7; MAX_PAYLOAD]);
    assert!(matches!(journal.append(1, &mut over), Err(AppendError::TooLarge(size)) if size > MAX_PAYLOAD));
    // Nothing was written, and the journal goes on.
    append(&mut journal, record(2));
    drop(journal);
    assert_eq!(open(backend.disk()).2, [(1, (i64::MIN, most)), (2, record(2))]);
}

fn an_empty_batch_writes_nothing<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    let before = backend.bytes(&backend.segments()[0]);
    assert_eq!(journal.append(1, &mut Batch::new()).expect("nothing to do"), 1);
    assert!(matches!(journal.append(0, &mut Batch::new()), Err(AppendError::Expected { .. })));
    assert_eq!(backend.bytes(&backend.segments()[0]), before);
}

/// A journal of so many records of 150 KiB, three to a segment, each in a batch of its own.
fn several_segments<B: Backend>(backend: &B, records: u64) -> Vec<Snapshot> {
    let (mut journal, ..) = open(backend.disk());
    let mut snapshots = vec![snapshot(&journal)];
    for number in 1..=records {
        append(&mut journal, large(number, 150 * 1024));
        snapshots.push(snapshot(&journal));
    }
    snapshots
}

fn segments_roll_over<B: Backend>() {
    let backend = B::new();
    several_segments(&backend, 10);
    assert_eq!(backend.segments(), [1, 2, 3, 4].map(|number| format!("{number:012}.segment")));
    let (mut journal, _, found) = open(backend.disk());
    assert_eq!(found, (1..=10).map(|number| (number, large(number, 150 * 1024))).collect::<Vec<_>>());
    append(&mut journal, record(11));
    drop(journal);
    // The second segment, as each of them, says where it stands.
    let mut scan = Scan::new(vec![backend.disk()]).expect("a journal");
    assert_eq!(scan.last(), Some(journal::SegmentName(4)));
    assert_eq!(scan.begins_in(journal::SegmentName(2)).expect("its header"), 4);
    assert_eq!(open(backend.disk()).2.len(), 11);
}

fn a_journal_is_opened_from_any_snapshot<B: Backend>() {
    let backend = B::new();
    for (sequence, snapshot) in (0..).zip(several_segments(&backend, 7)) {
        let (journal, opened, found) = open_with(backend.disk(), SMALL, Some(&snapshot)).expect("opened");
        assert_eq!((journal.sequence(), opened.replayed), (7, 7 - sequence));
        assert_eq!(found.first().map(|(first, _)| *first), (sequence < 7).then_some(sequence + 1));
    }
}

fn a_snapshot_that_does_not_belong_is_refused<B: Backend>() {
    let (backend, other) = (B::new(), B::new());
    let refused = |snapshot: &Snapshot| match open_with(backend.disk(), SMALL, Some(snapshot)) {
        Err(OpenError::Snapshot(sequence)) => assert_eq!(sequence, snapshot.sequence),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("opened"),
    };
    let (mut journal, ..) = open(backend.disk());
    journal.append(0, &mut batch(&[record(1), record(2)])).expect("appended");
    append(&mut journal, record(3));
    let genuine = snapshot(&journal);
    append(&mut journal, record(4));
    drop(journal);
    let (mut journal, ..) = open(other.disk());
    (1..=4).for_each(|number| append(&mut journal, record(number)));
    // Of another journal, with a chain that never was, within a batch.
    refused(&snapshot(&journal));
    refused(&Snapshot { chain: journal.chain(), ..genuine.clone() });
    refused(&Snapshot { sequence: 1, ..genuine.clone() });
    refused(&Snapshot { sequence: 2, ..genuine.clone() });
    refused(&Snapshot { journal: journal.id(), ..genuine.clone() });
    assert!(open_with(backend.disk(), SMALL, Some(&genuine)).is_ok());
}

fn a_snapshot_beyond_the_end_says_that_the_end_is_lost<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    append(&mut journal, record(2));
    let covered = snapshot(&journal);
    drop(journal);
    let segment = &backend.segments()[0];
    backend.change(segment, |bytes| bytes[2 * BLOCK..].fill(0));
    match open_with(backend.disk(), SMALL, Some(&covered)) {
        Err(OpenError::Damage(damage)) => {
            assert_eq!((&damage.segment, damage.offset), (segment, 2 * BLOCK as u64));
            assert!(damage.to_string().contains("ends at record 1, but had record 2"), "{damage}");
        }
        _ => panic!("the end is lost"),
    }
    backend.disk().remove(segment).expect("removed");
    match open_with(backend.disk(), SMALL, Some(&covered)) {
        Err(OpenError::Damage(damage)) => assert!(damage.what.contains("the journal is gone"), "{damage}"),
        _ => panic!("a new journal would be begun"),
    }
}

fn snapshots_are_listed_newest_first_and_pruned<B: Backend>() {
    let backend = B::new();
    let mut names = Vec::new();
    let (mut journal, ..) = open(backend.disk());
    for number in 1..=12 {
        append(&mut journal, record(number));
        names.push(snapshot(&journal).write(&backend.disk()).expect("written"));
    }
    names.reverse();
    assert_eq!(Snapshot::list(&backend.disk()).expect("listed"), names);
    for (name, sequence) in names.iter().zip((1_u64..=12).rev()) {
        let read = Snapshot::read(&backend.disk(), name).expect("whole");
        assert_eq!((read.sequence, read.state), (sequence, sequence.to_le_bytes().to_vec()));
    }
    // What an interrupted writing has left goes too.
    backend.put("00000000000000000099.snapshot.new", b"half a snapshot");
    Snapshot::prune(&backend.disk(), 3).expect("pruned");
    assert_eq!(Snapshot::list(&backend.disk()).expect("listed"), names[..3]);
    assert!(backend.disk().list().expect("listed").iter().all(|name| !name.ends_with(".new")));
}

fn a_damaged_snapshot_is_not_read<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    let name = snapshot(&journal).write(&backend.disk()).expect("written");
    let whole = backend.bytes(&name);
    for place in 0..whole.len() {
        backend.change(&name, |bytes| bytes[place] ^= 1 << (place % 8));
        assert!(Snapshot::read(&backend.disk(), &name).is_err(), "byte {place}");
        backend.put(&name, &whole[..place]);
        assert!(Snapshot::read(&backend.disk(), &name).is_err(), "cut off at {place}");
        backend.put(&name, &whole);
    }
    assert!(Snapshot::read(&backend.disk(), &name).is_ok());
    assert!(Snapshot::read(&backend.disk(), "nothing.snapshot").is_err());
}

fn checkpoints<D: Disk>(disk: D) -> Vec<Checkpoint> {
    let mut scan = Scan::new(vec![disk]).expect("a journal");
    let mut found = Vec::new();
    while let Some(read) = scan.read().expect("whole") {
        if let Read::Checkpoint(checkpoint) = read {
            found.push(checkpoint);
        }
    }
    found
}

fn checkpoints_are_signed_when_due_and_when_asked<B: Backend>() {
    let backend = B::new();
    let options = Options { checkpoint_every: 3, ..SMALL };
    let open = || open_with(backend.disk(), options, None).expect("opened").0;
    let mut journal = open();
    let due = |journal: &mut Journal<B::Disk>, numbers: std::ops::RangeInclusive<u64>| {
        let mut signed = Vec::new();
        for number in numbers {
            append(journal, record(number));
            signed.extend(journal.checkpoint_if_due(0).expect("signed").map(|checkpoint| checkpoint.sequence));
        }
        signed
    };
    assert_eq!(due(&mut journal, 1..=7), [3, 6]);
    // It is counted from the last one, over a restart too.
    drop(journal);
    let mut journal = open();
    assert_eq!(due(&mut journal, 8..=10), [9]);
    let chain = journal.chain();
    let now = journal.checkpoint_now().expect("signed");
    assert_eq!((now.sequence, now.chain, now.key), (10, chain, journal.public_key()));
    assert_eq!(journal.checkpoint_if_due(0).expect("not due"), None);
    assert_ne!(journal.chain(), chain, "a checkpoint is part of the chain");
    let id = journal.id();
    drop(journal);
    let found = checkpoints(backend.disk());
    assert_eq!(found.iter().map(|checkpoint| checkpoint.sequence).collect::<Vec<_>>(), [3, 6, 9, 10]);
    assert!(found.iter().all(|checkpoint| checkpoint.is_genuine(id) && !checkpoint.is_genuine([0; 16])));
    assert_eq!(found[3], now);
    assert_eq!(open().sequence(), 10);
}

fn a_checkpoint_survives_as_a_line<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    let signed = journal.checkpoint_now().expect("signed");
    let line = signed.to_line();
    assert_eq!(Checkpoint::from_line(&line), Some(signed));
    assert_eq!(Checkpoint::from_line(&format!("  {line}\r\n")), Some(signed));
    for wrong in
        ["", "croupier checkpoint 1", &line[..line.len() - 1], &format!("{line} x"), &line.replace(" 1 ", " 2 ")]
    {
        assert_eq!(Checkpoint::from_line(wrong), None, "{wrong}");
    }
    let mut other = signed;
    other.sequence += 1;
    assert!(signed.is_genuine(journal.id()) && !other.is_genuine(journal.id()));
}

fn the_key_is_made_once_and_exported<B: Backend>() {
    let backend = B::new();
    let key = open(backend.disk()).0.public_key();
    assert_eq!(open(backend.disk()).0.public_key(), key);
    assert_eq!(backend.bytes("journal.pub"), format!("{key}\n").into_bytes());
    assert_eq!(journal::PublicKey::of(&backend.disk()).expect("exported"), key);
    assert_eq!(journal::PublicKey::from_text(&format!(" {key} ")), Some(key));
    // A damaged export is put right.
    backend.put("journal.pub", b"nonsense");
    assert!(journal::PublicKey::of(&backend.disk()).is_err());
    open(backend.disk());
    assert_eq!(journal::PublicKey::of(&backend.disk()).expect("exported"), key);
}

fn without_its_key_a_journal_is_not_opened<B: Backend>() {
    let backend = B::new();
    open(backend.disk());
    let key = backend.bytes("journal.key");
    for wrong in [&key[..31], &[]] {
        backend.put("journal.key", wrong);
        assert!(matches!(open_with(backend.disk(), SMALL, None), Err(OpenError::Disk(_))));
    }
    backend.disk().remove("journal.key").expect("removed");
    match open_with(backend.disk(), SMALL, None) {
        Err(OpenError::Disk(error)) => assert!(error.to_string().contains("journal.key is missing"), "{error}"),
        _ => panic!("another key would sign from here on"),
    }
    assert!(backend.disk().read("journal.key").is_err(), "and none is made");
}

fn what_was_prepared_and_not_used_is_no_harm<B: Backend>() {
    let backend = B::new();
    backend.put("next.prepared", &[0xff; 100]);
    several_segments(&backend, 3);
    backend.put("next.prepared", &[0xff; 9_000]);
    let (mut journal, ..) = open(backend.disk());
    (4..=7).for_each(|number| append(&mut journal, large(number, 150 * 1024)));
    drop(journal);
    assert_eq!(open(backend.disk()).2.len(), 7);
}
