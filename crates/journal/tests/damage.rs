//! A torn tail is cut and reported; damage in the middle stops with place and extent, and nothing is changed.

use std::io;

use crate::common::backend::*;
use crate::common::on_every_backend;
use journal::{BLOCK, Disk, Journal, RealDisk, Scan, SegmentName, Tail};

on_every_backend!(
    a_torn_tail_is_cut_and_reported,
    a_torn_batch_of_many_blocks_is_cut_wherever_it_tore,
    damage_in_the_middle_stops_with_place_and_extent,
    damage_at_the_end_of_an_older_segment_is_in_the_middle,
    something_after_a_batch_is_damage,
    a_header_that_is_not_as_it_was_written_is_damage,
    a_missing_segment_is_damage,
    a_segment_of_another_journal_is_damage,
    segments_in_another_order_are_damage,
    a_record_that_cannot_be_applied_stops_the_opening_and_cuts_nothing,
    a_shorter_file_is_read_as_far_as_it_goes,
);

/// Three batches of one block each.
fn three<B: Backend>(backend: &B) -> String {
    let (mut journal, ..) = open(backend.disk());
    (1..=3).for_each(|number| append(&mut journal, record(number)));
    backend.segments().remove(0)
}

fn a_torn_tail_is_cut_and_reported<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    let last = 3 * BLOCK;
    let used = 68 + 2 + record(3).1.len();
    let whole = backend.bytes(&segment);
    for torn in 1..used {
        backend.change(&segment, |bytes| bytes[last + torn..].fill(0));
        let mut scan = Scan::new(vec![backend.disk()]).expect("a journal");
        while scan.read().expect("whole up to there").is_some() {}
        let ending = scan.ending().expect("an end");
        assert_eq!((ending.offset, ending.sequence), (last as u64, 2));
        let Tail::Torn { bytes } = ending.tail else { panic!("torn at {torn}") };
        let (journal, opened, found) = open(backend.disk());
        assert_eq!((found.len(), opened.cut), (2, bytes), "torn at {torn}");
        assert!(bytes as usize <= torn && bytes > 0);
        // It is cut off for good: the next opening finds a clean end.
        drop(journal);
        assert_eq!(open(backend.disk()).1.cut, 0);
        backend.put(&segment, &whole);
    }
    // And play goes on where it was cut.
    backend.change(&segment, |bytes| bytes[last + 50] ^= 1);
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, record(33));
    drop(journal);
    assert_eq!(open(backend.disk()).2, [(1, record(1)), (2, record(2)), (3, record(33))]);
}

fn a_torn_batch_of_many_blocks_is_cut_wherever_it_tore<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    let (mut journal, ..) = open(backend.disk());
    append(&mut journal, large(4, 6 * BLOCK));
    drop(journal);
    let whole = backend.bytes(&segment);
    for lost in 4..11 {
        // One block is lost, and everything around it is there.
        backend.change(&segment, |bytes| bytes[lost * BLOCK..(lost + 1) * BLOCK].fill(0));
        let (_, opened, found) = open(backend.disk());
        assert_eq!(found.len(), 3, "block {lost}");
        assert!(opened.cut > 0);
        backend.put(&segment, &whole);
    }
    assert_eq!(open(backend.disk()).2.len(), 4);
}

fn damage_in_the_middle_stops_with_place_and_extent<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    let whole = backend.bytes(&segment);
    for place in [0, 5, 20, 40, 70] {
        backend.change(&segment, |bytes| bytes[2 * BLOCK + place] ^= 0x10);
        let damaged = backend.bytes(&segment);
        let found = damage(backend.disk());
        assert_eq!((&found.segment, found.offset, found.until), (&segment, 2 * BLOCK as u64, Some(3 * BLOCK as u64)));
        let words = "000000000001.segment at byte 8192: a batch is damaged; whole batches go on at byte 12288";
        assert_eq!(found.to_string(), words);
        assert_eq!(backend.bytes(&segment), damaged, "nothing is changed");
        backend.put(&segment, &whole);
    }
    // A whole batch gone without a trace is damage too.
    backend.change(&segment, |bytes| bytes[2 * BLOCK..3 * BLOCK].fill(0));
    assert_eq!(damage(backend.disk()).until, Some(3 * BLOCK as u64));
}

fn damage_at_the_end_of_an_older_segment_is_in_the_middle<B: Backend>() {
    let backend = B::new();
    let (mut journal, ..) = open(backend.disk());
    (1..=4).for_each(|number| append(&mut journal, large(number, 150 * 1024)));
    drop(journal);
    let first = &backend.segments()[0];
    let third = BLOCK + 2 * (150 * 1024 + 68_usize + 10).next_multiple_of(BLOCK);
    backend.change(first, |bytes| bytes[third + 1_000] ^= 1);
    let found = damage(backend.disk());
    assert_eq!((&found.segment, found.offset, found.until), (first, third as u64, None));
    // Even a clean cut does not fit: the next segment goes on later.
    backend.change(first, |bytes| bytes[third..].fill(0));
    let found = damage(backend.disk());
    assert_eq!(found.segment, backend.segments()[1]);
    assert_eq!(found.what, "it continues at record 4, after record 2");
}

fn something_after_a_batch_is_damage<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    backend.change(&segment, |bytes| bytes[3 * BLOCK - 1] = 1);
    let found = damage(backend.disk());
    assert_eq!(found.what, "there is something after the batch");
    assert!((2 * BLOCK as u64..3 * BLOCK as u64).contains(&found.offset));
}

fn a_header_that_is_not_as_it_was_written_is_damage<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    for place in [0, 7, 8, 12, 16, 31, 32, 40, 48, 79, 80, 83, 84, 200, BLOCK - 1] {
        backend.change(&segment, |bytes| bytes[place] ^= 0x80);
        assert_eq!(damage(backend.disk()).offset, 0, "byte {place}");
        backend.change(&segment, |bytes| bytes[place] ^= 0x80);
    }
    backend.put(&segment, &[0; 100]);
    assert_eq!(damage(backend.disk()).what, "the header is cut off");
}

/// Records of 150 KiB, three to a segment.
fn four_segments<B: Backend>(backend: &B) -> Vec<String> {
    let (mut journal, ..) = open(backend.disk());
    (1..=10).for_each(|number| append(&mut journal, large(number, 150 * 1024)));
    drop(journal);
    backend.segments()
}

fn a_missing_segment_is_damage<B: Backend>() {
    let backend = B::new();
    let segments = four_segments(&backend);
    backend.disk().remove(&segments[1]).expect("removed");
    let found = damage(backend.disk());
    assert_eq!(found.segment, segments[2]);
    assert_eq!(found.what, format!("the segments after {} are missing", segments[0]));
    // Without its beginning a journal is opened from a snapshot only.
    backend.disk().remove(&segments[0]).expect("removed");
    assert!(matches!(open_with(backend.disk(), SMALL, None), Err(journal::OpenError::Snapshot(0))));
    let mut scan = Scan::new(vec![backend.disk()]).expect("a journal");
    assert_eq!(scan.begins().expect("a header"), 7);
}

fn a_segment_of_another_journal_is_damage<B: Backend>() {
    let (backend, other) = (B::new(), B::new());
    let segments = four_segments(&backend);
    four_segments(&other);
    backend.put(&segments[2], &other.bytes(&segments[2]));
    let found = damage(backend.disk());
    assert_eq!((&found.segment, &found.what[..]), (&segments[2], "it is a segment of another journal"));
}

fn segments_in_another_order_are_damage<B: Backend>() {
    let backend = B::new();
    let segments = four_segments(&backend);
    let (second, third) = (backend.bytes(&segments[1]), backend.bytes(&segments[2]));
    backend.put(&segments[1], &third);
    backend.put(&segments[2], &second);
    let found = damage(backend.disk());
    assert_eq!((&found.segment, &found.what[..]), (&segments[1], "it is segment 3 by its header"));
}

fn a_record_that_cannot_be_applied_stops_the_opening_and_cuts_nothing<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    backend.change(&segment, |bytes| bytes[3 * BLOCK + 40] ^= 1);
    let torn = backend.bytes(&segment);
    let opened = Journal::open(backend.disk(), SMALL, None, |first, _| {
        assert_eq!(first, 1, "nothing is handed over after that");
        Err(journal::Damage { segment: "here".to_owned(), offset: 0, until: None, what: "no".to_owned() })
    });
    assert!(matches!(opened, Err(journal::OpenError::Damage(damage)) if damage.segment == "here"));
    assert_eq!(backend.bytes(&segment), torn);
}

fn a_shorter_file_is_read_as_far_as_it_goes<B: Backend>() {
    let backend = B::new();
    let segment = three(&backend);
    let whole = backend.bytes(&segment);
    for (size, records) in [(3 * BLOCK, 2), (3 * BLOCK + 30, 2), (3 * BLOCK + 100, 3), (4 * BLOCK, 3)] {
        backend.put(&segment, &whole[..size]);
        let (mut journal, _, found) = open(backend.disk());
        assert_eq!(found.len(), records, "cut to {size} bytes");
        // The next batch does not fit any more and begins a new segment, or takes the place of the torn one.
        append(&mut journal, record(9));
        drop(journal);
        assert_eq!(open(backend.disk()).2.last().map(|(_, last)| last.clone()), Some(record(9)));
        backend.segments().iter().skip(1).for_each(|name| backend.disk().remove(name).expect("removed"));
    }
}

/// What is half there may be being written; it is torn or damaged only if it stays so.
#[test]
fn beside_a_floor_that_runs_what_stays_half_there_is_torn_or_damaged() {
    let backend = OnDisk::new();
    let segment = three(&backend);
    let lock = backend.disk().lock().expect("free");
    assert!(backend.disk().in_use());
    let read = || {
        let mut scan = Scan::new(vec![backend.disk()]).expect("a journal");
        while scan.read()?.is_some() {}
        Ok(scan.ending().expect("an end"))
    };
    backend.change(&segment, |bytes| bytes[3 * BLOCK + 70] ^= 1);
    let ending = read().unwrap_or_else(|damage: journal::Damage| panic!("{damage}"));
    assert_eq!(ending.sequence, 2);
    assert!(matches!(ending.tail, Tail::Torn { .. }));
    backend.change(&segment, |bytes| bytes[3 * BLOCK + 70] ^= 1);
    backend.change(&segment, |bytes| bytes[2 * BLOCK + 70] ^= 1);
    let damage = read().expect_err("damaged");
    assert_eq!((damage.offset, damage.until), (2 * BLOCK as u64, Some(3 * BLOCK as u64)));
    drop(lock);
    assert!(!backend.disk().in_use());
}

#[test]
fn a_second_handle_does_not_get_the_folder() {
    let backend = OnDisk::new();
    let (first, second) = (backend.disk(), backend.disk());
    let lock = first.lock().expect("free");
    let error = second.lock().expect_err("taken");
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    assert!(error.to_string().ends_with("is in use by another process"), "{error}");
    drop(lock);
    second.lock().expect("free again");
}

#[test]
fn a_disk_to_read_changes_nothing() {
    let backend = OnDisk::new();
    three(&backend);
    let before = backend.disk().list().expect("listed");
    let disk = RealDisk::to_read(&backend.path);
    let mut scan = Scan::new(vec![disk.another()]).expect("a journal");
    while scan.read().expect("whole").is_some() {}
    assert_eq!(scan.ending().map(|ending| ending.sequence), Some(3));
    assert!(open_with(disk.another(), SMALL, None).is_err(), "and nothing can be appended through it");
    assert_eq!(disk.list().expect("listed"), before);
    let missing = backend.path.join("missing");
    assert!(RealDisk::to_read(&missing).list().is_err());
    assert!(!missing.exists());
}

#[test]
fn names_of_segments() {
    assert_eq!(SegmentName(7).to_string(), "000000000007.segment");
    assert_eq!(SegmentName::parse("000000000007.segment"), Some(SegmentName(7)));
    for wrong in
        ["7.segment", "000000000007.snapshot", "00000000000x.segment", "0000000000007.segment", "+00000000007.segment"]
    {
        assert_eq!(SegmentName::parse(wrong), None, "{wrong}");
    }
}
