//! What the journal keeps to on every disk: what any log does, and its segments, snapshots and keys.

use crate::common::backend::*;
use crate::common::{log, on_every_backend};
use journal::{BLOCK, Checkpoint, Disk, OpenError, Options, Read, Scan, Snapshot, Tail};

mod any_log {
    use super::log;
    log::on_every_keeper!(in_memory: super::super::InMemory, on_disk: super::super::OnDisk);
}

on_every_backend!(
    segments_roll_over,
    a_segment_larger_than_what_is_read_at_once,
    what_is_written_while_it_is_read_is_found,
    a_journal_is_opened_from_any_snapshot,
    a_snapshot_that_does_not_belong_is_refused,
    a_snapshot_beyond_the_end_says_that_the_end_is_lost,
    snapshots_are_listed_newest_first_and_pruned,
    a_damaged_snapshot_is_not_read,
    a_checkpoint_survives_as_a_line,
    the_key_is_made_once_and_exported,
    without_its_key_a_journal_is_not_opened,
    what_was_prepared_and_not_used_is_no_harm,
);

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

/// Segments of several megabytes, read in parts.
const LARGE: Options = Options { segment: 5 << 20, ..SMALL };

fn a_segment_larger_than_what_is_read_at_once<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open_with(backend.disk(), LARGE, None).expect("made");
    // Of many sizes, so that parts end anywhere within a batch.
    let sizes: Vec<usize> = (0..40).map(|number| number * 97 % 40 * 10_007).collect();
    let records = (1..).zip(&sizes).map(|(number, size)| large(number, *size));
    let written: Vec<_> = records.inspect(|record| append(&mut journal, record.clone())).collect();
    drop(journal);
    assert_eq!(backend.segments().len(), 2);
    let found = open_with(backend.disk(), LARGE, None).expect("opened").2;
    assert_eq!(found, (1..).zip(written).collect::<Vec<_>>());
    // The last of them is torn, or one before it damaged.
    let last = backend.segments().remove(1);
    let whole = backend.bytes(&last);
    let used = whole.iter().rposition(|byte| *byte != 0).expect("a batch");
    backend.change(&last, |bytes| bytes[used] ^= 1);
    assert_eq!(open_with(backend.disk(), LARGE, None).expect("opened").2.len(), 39);
    backend.put(&last, &whole);
    backend.change(&last, |bytes| bytes[BLOCK + 100] ^= 1);
    match open_with(backend.disk(), LARGE, None) {
        Err(OpenError::Damage(damage)) => assert_eq!((damage.offset, damage.until.is_some()), (BLOCK as u64, true)),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("opened"),
    }
}

fn what_is_written_while_it_is_read_is_found<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(1));
    let mut scan = Scan::new(vec![backend.disk()]).expect("a journal");
    let mut next = || match scan.read().expect("whole") {
        Some(Read::Records { first, .. }) => Some(first),
        Some(Read::Checkpoint(_)) => panic!("no checkpoint"),
        None => None,
    };
    assert_eq!(next(), Some(1));
    // What follows was read as zeros with the first.
    (2..=3).for_each(|number| append(&mut journal, record(number)));
    assert_eq!(next(), Some(2));
    // What comes after that is not: a reader reaches an end, however fast another writes.
    append(&mut journal, record(4));
    assert_eq!((next(), next()), (Some(3), None));
    assert_eq!(scan.ending().map(|ending| (ending.sequence, ending.tail)), Some((3, Tail::Clean)));
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
