//! Recovery: the newest snapshot that holds, then the tail; whatever was passed over or cut is said.

use crate::common::disk::MemDisk;
use crate::common::*;
use engine::{Engine, Recovery, StartError, encode_state, read_floor};
use floor::*;
use journal::{BLOCK, Disk, Snapshot};

/// A floor of so many people, with a snapshot after every ten, as a crash would leave it.
fn hired_until(last: u64) -> MemDisk {
    let disk = MemDisk::new();
    let mut client = Client::start(disk.another(), engine::Options { snapshots: 100, ..options() }).expect("started");
    client.ok(Sender::System, create());
    for number in 1..=last {
        client.ok(Sender::System, hire(number));
        if number % 10 == 0 {
            client.tag += 100;
            let tag = client.tag;
            client.stop();
            client = Client::start(disk.another(), engine::Options { snapshots: 100, ..options() }).expect("started");
            client.tag = tag;
        }
    }
    let crashed = disk.image();
    drop(client);
    crashed.lose_power();
    crashed.repair();
    crashed
}

#[track_caller]
fn back(disk: &MemDisk) -> (Recovery, Floor) {
    let client = Client::open(disk.another());
    (client.recovery.clone(), client.engine().read(Floor::clone))
}

#[track_caller]
fn refused(disk: &MemDisk) -> StartError {
    match Client::start(disk.another(), options()) {
        Err(error) => error,
        Ok(client) => panic!("{}", client.recovery),
    }
}

#[test]
fn the_newest_snapshot_and_the_tail() {
    let (recovery, floor) = back(&hired_until(25));
    assert_eq!((recovery.snapshot, recovery.replayed, recovery.sequence), (Some(21), 5, 26));
    assert_eq!(recovery.to_string(), "snapshot of record 21, 5 records replayed, now at record 26");
    assert_eq!(hired(&floor), (1..=25).collect::<Vec<_>>());
    let (recovery, _) = back(&hired_until(3));
    assert_eq!(recovery.to_string(), "no snapshot, 4 records replayed, now at record 4");
}

#[test]
fn a_damaged_snapshot_falls_back_to_an_older_one_and_says_so() {
    let disk = hired_until(25);
    let (_, expected) = back(&disk.image());
    let names = Snapshot::list(&disk).expect("listed");
    disk.flip(&names[0], 200, 4);
    let (recovery, floor) = back(&disk.image());
    assert_eq!((recovery.snapshot, recovery.replayed), (Some(11), 15));
    assert_eq!(recovery.passed_over, [format!("{} is damaged", names[0])]);
    assert!(
        recovery
            .to_string()
            .starts_with(&format!("snapshot passed over: {} is damaged\nsnapshot of record 11", names[0]))
    );
    assert_eq!(floor.state_hash(), expected.state_hash());
    // Without any, everything is replayed.
    disk.put(&names[1], b"");
    let (recovery, floor) = back(&disk);
    assert_eq!((recovery.snapshot, recovery.replayed, recovery.passed_over.len()), (None, 26, 2));
    assert_eq!(floor.state_hash(), expected.state_hash());
}

#[test]
fn a_snapshot_that_does_not_belong_is_passed_over() {
    let (disk, other) = (hired_until(25), hired_until(25));
    let names = Snapshot::list(&disk).expect("listed");
    let genuine = Snapshot::read(&disk, &names[0]).expect("whole");
    let foreign = Snapshot::read(&other, &names[0]).expect("whole");
    let older = Snapshot::read(&disk, &names[1]).expect("whole");
    let mut another_version = genuine.clone();
    another_version.state[0] = 99;
    let mut somebody_else = Floor::new();
    for (number, event) in (0..21).zip(std::iter::repeat(Event::FloorCreated(floor_settings()))) {
        somebody_else.apply(&Record { at: Moment(number), origin: None, event }).expect("it fits");
    }
    let cases = [
        (foreign, "the snapshot of record 21 does not belong to this journal"),
        (
            Snapshot { chain: older.chain, ..genuine.clone() },
            "the snapshot of record 21 does not belong to this journal",
        ),
        (Snapshot { state: older.state.clone(), ..genuine.clone() }, "the snapshot of record 21 is of another record"),
        (another_version, "the snapshot of record 21: it is of version 99, which this release does not read"),
        (Snapshot { state: Vec::new(), ..genuine.clone() }, "the snapshot of record 21: it cannot be read"),
    ];
    for (snapshot, words) in cases {
        let disk = disk.image();
        snapshot.write(&disk).expect("written");
        let (recovery, floor) = back(&disk);
        assert_eq!(recovery.snapshot, Some(11), "{words}");
        assert!(recovery.passed_over[0].starts_with(words), "{:?}", recovery.passed_over);
        assert_eq!(hired(&floor).len(), 25);
    }
    // A state on which the tail has no effect that fits is not taken either, as long as the log contradicts it.
    let forged = Snapshot { state: encode_state(&somebody_else), ..genuine };
    forged.write(&disk).expect("written");
    assert!(!audited(&disk).is_clean(), "the audit finds what recovery cannot know");
}

#[test]
fn bytes_of_another_layout_are_no_state() {
    let disk = hired_until(25);
    let names = Snapshot::list(&disk).expect("listed");
    let genuine = Snapshot::read(&disk, &names[0]).expect("whole");
    let mut longer = genuine.state.clone();
    longer.push(0);
    // A number written with more bytes than it needs reads as the same number.
    let mut other = genuine.state.clone();
    let place = 1 + 1 + 1 + floor_settings().name.len() + 1 + 1 + 1;
    other[place] |= 0x80;
    other.insert(place + 1, 0);
    for state in [longer, other, genuine.state[..genuine.state.len() - 1].to_vec()] {
        assert!(engine::decode_state(&state).is_err());
    }
    assert_eq!(engine::decode_state(&genuine.state).expect("a state").sequence(), 21);
}

/// The state as a release that did not yet know its last field would have written it.
pub fn without_the_last_field(state: &[u8]) -> Vec<u8> {
    let [version, 0x98, fields, body @ .., 0x80] = state else { panic!("an array whose last field is an empty list") };
    [&[*version, 0x98, fields - 1], body].concat()
}

#[test]
fn a_snapshot_of_an_earlier_release_is_used_where_the_log_no_longer_begins_at_its_first_record() {
    let disk = hired_until(25);
    let (_, expected) = back(&disk.image());
    for name in Snapshot::list(&disk).expect("listed") {
        let snapshot = Snapshot::read(&disk, &name).expect("whole");
        let state = without_the_last_field(&snapshot.state);
        let floor = engine::decode_state(&state).expect("a state");
        assert_eq!(encode_state(&floor), snapshot.state, "what came later has its default");
        Snapshot { state, ..snapshot }.write(&disk).expect("written");
    }
    // A replay of everything knows more than such a snapshot.
    let (recovery, floor) = back(&disk.image());
    assert_eq!((recovery.snapshot, recovery.replayed), (None, 26), "{recovery}");
    assert_eq!(floor.state_hash(), expected.state_hash());
    assert!(audited(&disk).is_clean(), "and the audit compares what that release knew");
    // A field that says something else is still found.
    let name = Snapshot::list(&disk).expect("listed").remove(0);
    let snapshot = Snapshot::read(&disk, &name).expect("whole");
    let forged = without_the_last_field(&encode_state(&Floor::new()));
    Snapshot { state: forged, ..snapshot }.write(&disk).expect("written");
    assert!(!audited(&disk).is_clean());
}

#[test]
fn a_torn_tail_is_cut_and_said() {
    let disk = hired_until(3);
    let segment = "000000000001.segment";
    // The last of four batches, one block each after the header.
    disk.flip(segment, 4 * BLOCK + 30, 1);
    let (recovery, floor) = back(&disk);
    assert_eq!((recovery.replayed, recovery.sequence), (3, 3));
    assert!(recovery.cut > 68);
    let words = format!("now at record 3; {} bytes of an unacknowledged batch were cut off", recovery.cut);
    assert!(recovery.to_string().ends_with(&words), "{recovery}");
    assert_eq!(hired(&floor), [1, 2]);
    assert_eq!(back(&disk).0.cut, 0);
}

#[test]
fn damage_in_the_middle_stops_with_place_and_extent() {
    let disk = hired_until(3);
    disk.flip("000000000001.segment", 2 * BLOCK + 30, 1);
    let error = refused(&disk);
    assert!(matches!(&error, StartError::Damage(damage) if damage.until == Some(3 * BLOCK as u64)));
    let words = "the journal is damaged: 000000000001.segment at byte 8192: a batch is damaged; whole batches go on at byte 12288";
    assert_eq!(error.to_string(), words);
}

#[test]
fn an_end_that_a_snapshot_covers_is_not_cut_off_as_torn() {
    let disk = hired_until(10);
    let segment = "000000000001.segment";
    let bytes = disk.bytes(segment);
    let last = (BLOCK..bytes.len()).step_by(BLOCK).rfind(|at| bytes[*at..].starts_with(b"BTCH")).expect("a batch");
    // The checkpoint of the end, and the last record before it.
    disk.put(segment, &[&bytes[..last - BLOCK], &vec![0; bytes.len() - last + BLOCK]].concat());
    let error = refused(&disk);
    assert!(
        error.to_string().ends_with("the journal ends at record 10, but had record 11: its end is lost"),
        "{error}"
    );
    disk.unlink(segment);
    let error = refused(&disk);
    assert!(error.to_string().ends_with("there is a snapshot of record 11, and the journal is gone"), "{error}");
}

#[test]
fn a_record_that_does_not_fit_stops_and_changes_nothing() {
    let disk = MemDisk::new();
    let event = Event::TerminalLost { terminal: TerminalId(7) };
    write(&mut journal(disk.another()), &[Record { at: Moment(1), origin: None, event }], 1);
    let before = disk.bytes("000000000001.segment");
    let error = refused(&disk);
    assert_eq!(error.to_string(), "record 1: event 1 does not fit: no such terminal");
    assert!(read_floor(disk.another()).is_err());
    assert_eq!(disk.bytes("000000000001.segment"), before);
}

#[test]
fn a_floor_can_be_read_without_changing_anything() {
    let disk = hired_until(12);
    disk.flip("000000000001.segment", 20 * BLOCK, 1);
    let before: Vec<_> = disk.list().expect("listed").iter().map(|name| disk.bytes(name)).collect();
    assert_eq!(hired(&read_floor(disk.another()).expect("read")).len(), 12);
    let after: Vec<_> = disk.list().expect("listed").iter().map(|name| disk.bytes(name)).collect();
    assert!(before == after);
}

#[test]
fn a_folder_belongs_to_one_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, _told) = std::sync::mpsc::channel();
    let start = || Engine::start(folder.path(), options(), ToChannel(sender.clone()));
    let (first, _) = start().expect("free");
    let Err(error) = start() else { panic!("taken twice") };
    assert!(error.to_string().ends_with("is in use by another process"), "{error}");
    first.stop();
    start().expect("free again").0.stop();
}

#[test]
fn a_snapshot_after_refusals_and_a_checkpoint_still_belongs_to_its_record() {
    let disk = MemDisk::new();
    let mut options = options();
    options.journal.checkpoint_every = 1;
    options.snapshot_every = 2;
    let mut client = Client::start(disk.another(), options).expect("started");
    client.ok(Sender::System, create());
    client.ok(Sender::System, hire(1));
    // Answered after the checkpoint of the last record, and without a record of its own.
    assert!(matches!(client.ask(Sender::System, Body::ClearBets), engine::Reply::Refused(_)));
    client.stop();
    let (recovery, _) = back(&disk);
    assert_eq!((recovery.snapshot, recovery.passed_over.len()), (Some(2), 0), "{recovery}");
    assert!(audited(&disk).is_clean());
}
