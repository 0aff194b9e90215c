//! The crash matrix: a session of all five games, a crash after every record and at every byte of a last one. The floor
//! comes back to the exact state of the prefix, and rounds in progress are treated by D6.

use crate::common::disk::MemDisk;
use crate::common::house::House;
use crate::common::session::Session;
use crate::common::*;
use engine::{Recovery, Reply, encode};
use floor::*;
use journal::{BLOCK, Batch, Disk, Journal};

const GRACE: i64 = 10_000;

/// Appends one record as a batch of its own.
fn append(journal: &mut Journal<MemDisk>, record: &Record) {
    let (mut batch, mut bytes) = (Batch::new(), Vec::new());
    encode(record, &mut bytes);
    batch.push(record.at.0, &bytes);
    journal.append(journal.sequence(), &mut batch).expect("appended");
}

/// The floor comes back as it was, and says what it did.
#[track_caller]
fn recovered(disk: &MemDisk, expected: &Floor) -> Client {
    let client = Client::open(disk.another());
    let Recovery { sequence, replayed, open_rounds, .. } = client.recovery.clone();
    assert_eq!((sequence, replayed), (expected.sequence(), expected.sequence()));
    assert_eq!(client.hash(), expected.state_hash(), "after record {sequence}");
    assert_eq!(open_rounds, expected.tables().iter().filter(|table| table.round().is_some()).count());
    if sequence > 0 {
        assert_eq!(client.recovery.last_time, Some(expected.now()));
    }
    client
}

/// The host was away for so long; then every round in progress goes on, or waits for its attestation.
fn treated_by_d6(client: &mut Client, before: &Floor, away: i64, terminals_back: bool) {
    let (from, at) = (before.now(), before.now().after(away));
    let body = Body::ReportStoppage { from, terminals_back };
    client.engine().submit(7, Command { sender: Sender::System, number: 1_000_000, at, body }).expect("taken in");
    let (_, reply) = client.answer();
    let rounds: Vec<&Round> = before.tables().iter().filter_map(Table::round).collect();
    if rounds.is_empty() {
        assert!(matches!(reply, Reply::Refused(refusal) if [Code::NothingToDo, Code::Floor].contains(&refusal.code)));
        return;
    }
    assert_eq!(reply, Reply::Accepted(before.sequence() + 1));
    let graced = terminals_back && away <= GRACE;
    client.engine().read(|floor| {
        for (after, was) in floor.tables().iter().filter_map(Table::round).zip(rounds) {
            assert_eq!((after.id(), after.phase(), after.outcome()), (was.id(), was.phase(), was.outcome()));
            assert_eq!(after.is_interrupted(), !graced);
            // The time that was lost is given back to the betting period.
            let closes_at = was.closes_at().map(|closes_at| closes_at.after(if graced { away } else { 0 }));
            assert_eq!(after.closes_at(), closes_at);
        }
        assert_eq!(floor.check(), [""; 0]);
    });
}

#[test]
fn after_every_record_the_floor_comes_back_exactly() {
    let session = Session::played();
    let disk = MemDisk::new();
    let mut journal = journal(disk.another());
    let mut floor = Floor::new();
    for (place, record) in session.0.log.iter().enumerate() {
        append(&mut journal, record);
        floor.apply(record).expect("the log fits");
        let crashed = disk.image();
        crashed.lose_power();
        crashed.repair();
        let mut client = recovered(&crashed, &floor);
        assert_eq!(client.recovery.cut, 0);
        match place % 3 {
            0 => treated_by_d6(&mut client, &floor, GRACE, true),
            1 => treated_by_d6(&mut client, &floor, GRACE + 1, true),
            _ => treated_by_d6(&mut client, &floor, 1, false),
        }
    }
    assert_eq!(floor.state_hash(), session.0.floor.state_hash());
    assert_eq!(floor.tables().iter().filter(|table| table.round().is_some()).count(), 5);
}

#[test]
fn after_every_batch_of_many_records_too() {
    let session = Session::played();
    let log = &session.0.log;
    for together in [7, 40, 1_000] {
        let disk = MemDisk::new();
        let mut journal = journal(disk.another());
        for (number, records) in (1..).zip(log.chunks(together)) {
            write(&mut journal, records, together);
            let expected = replayed(&log[..(number * together).min(log.len())]);
            recovered(&disk.image(), &expected);
        }
    }
}

/// The last segment, where its last batch begins, and how many bytes that has.
fn last_batch(disk: &MemDisk) -> (String, usize, usize) {
    let names = disk.list().expect("listed");
    let segment = names.into_iter().rfind(|name| name.ends_with(".segment")).expect("a segment");
    let bytes = disk.bytes(&segment);
    let used = bytes.iter().rposition(|byte| *byte != 0).expect("a batch") + 1;
    let begins = (BLOCK..used).step_by(BLOCK).rfind(|block| bytes[*block..].starts_with(b"BTCH")).expect("a batch");
    let payload: [u8; 4] = bytes[begins + 8..begins + 12].try_into().expect("four bytes");
    (segment, begins, 68 + u32::from_le_bytes(payload) as usize)
}

/// A crash at every byte of the last record's batch: what comes after that byte was never written, what comes before
/// it was lost, or the file ends there.
fn at_every_byte(log: &[Record]) {
    let (last, before) = log.split_last().expect("a record");
    let prefix = replayed(before);
    let mut whole = prefix.clone();
    whole.apply(last).expect("the log fits");
    let disk = MemDisk::new();
    let mut journal = journal(disk.another());
    write(&mut journal, before, 50);
    append(&mut journal, last);
    drop(journal);
    let (segment, begins, length) = last_batch(&disk);
    let bytes = disk.bytes(&segment);
    for place in 0..=length {
        let mut unwritten = bytes.clone();
        unwritten[begins + place..].fill(0);
        let mut lost = bytes.clone();
        lost[begins..begins + place].fill(0);
        let cut_off = bytes[..begins + place].to_vec();
        let written = unwritten == bytes;
        for (torn, there) in [(unwritten, written), (lost, place == 0), (cut_off, place == length)] {
            let crashed = disk.image();
            crashed.put(&segment, &torn);
            let client = recovered(&crashed, if there { &whole } else { &prefix });
            let nothing = torn[begins..].iter().all(|byte| *byte == 0);
            assert_eq!(client.recovery.cut > 0, !there && !nothing, "torn at byte {place} of {length}");
            drop(client);
            if place % 16 == 0 {
                // What was cut is gone for good.
                assert!(audited(&crashed).is_clean());
            }
        }
    }
}

#[test]
fn at_every_byte_of_a_bet() {
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.bet(crate::common::house::T0, &["red=50.00", "straight/000=5.00"]);
    at_every_byte(&house.log);
}

#[test]
fn at_every_byte_of_a_settlement() {
    let mut house = House::with("rws-sicbo");
    house.play(&["small=50.00", "double/5=20.00"], "1-2-4");
    at_every_byte(&house.log);
}

#[test]
fn at_every_byte_of_the_last_record_of_the_session() {
    at_every_byte(&Session::played().0.log);
}
