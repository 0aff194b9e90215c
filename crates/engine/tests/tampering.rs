//! Tampering: the audit finds every flipped byte of a small journal, and everything removed, inserted, reordered or
//! changed, even by an attacker who has the key.

use crate::common::disk::MemDisk;
use crate::common::forge::{Parts, secret};
use crate::common::house::{CASHIER, House, SUPERVISOR, T0, dollars};
use crate::common::*;
use engine::{Audit, encode_state};
use floor::*;
use journal::{BLOCK, Checkpoint, Disk, Journal, PublicKey, Snapshot};
use rulebook::Cents;

const FIRST: &str = "000000000001.segment";
const SECOND: &str = "000000000002.segment";

fn ticket_sold_and_redeemed() -> House {
    let mut house = House::empty();
    house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
    for amount in [dollars(20), dollars(30)] {
        let number = house.new_number();
        house.staff(CASHIER, Body::SellTicket { amount, number, witness: None });
        house.later(1_000);
        house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
    }
    house
}

/// A small journal of a cage: two segments of a few blocks, a checkpoint at the end, and a snapshot of it.
fn cage() -> MemDisk {
    let house = ticket_sold_and_redeemed();
    let disk = MemDisk::new().largest(4 * BLOCK as u64);
    let mut journal = journal(disk.another());
    write(&mut journal, &house.log, 5);
    snapshot(&mut journal, &house.floor).write(&disk).expect("written");
    journal.checkpoint_now().expect("signed");
    drop(journal);
    assert!(audited(&disk).is_clean());
    disk
}

fn snapshot(journal: &mut Journal<MemDisk>, floor: &Floor) -> Snapshot {
    let (journal, sequence, chain) = (journal.id(), journal.sequence(), journal.chain());
    Snapshot { journal, sequence, chain, state: encode_state(floor) }
}

/// A journal of a round of Sic Bo, a record to a batch, with checkpoints; and the last of those, kept elsewhere.
fn round() -> (MemDisk, Vec<Record>, Checkpoint) {
    let mut house = House::with("rws-sicbo");
    house.play(&["small=50.00", "double/5=20.00"], "1-2-4");
    let disk = MemDisk::new();
    let mut journal = journal(disk.another());
    write(&mut journal, &house.log[..30], 1);
    journal.checkpoint_now().expect("signed");
    write(&mut journal, &house.log[30..], 1);
    let anchor = journal.checkpoint_now().expect("signed");
    drop(journal);
    assert!(audited(&disk).is_clean());
    (disk, house.log.clone(), anchor)
}

fn anchored(disk: &MemDisk, anchor: Checkpoint) -> Audit {
    engine::audit(vec![disk.another()], &[anchor], None, |_, _| {})
}

#[track_caller]
fn found(audit: &Audit, words: &str) {
    let findings: Vec<String> = audit.findings.iter().map(ToString::to_string).collect();
    assert!(findings.iter().any(|finding| finding.contains(words)), "{words} is not in {findings:#?}");
}

/// Every byte of these files, one bit of it at a time by its place, is found.
fn every_flip(disk: &MemDisk, names: &[String], step: usize) {
    for name in names {
        for place in (0..disk.bytes(name).len()).step_by(step) {
            let bit = 1 << ((place + place / 8) % 8);
            disk.flip(name, place, bit);
            let audit = audited(disk);
            assert!(!audit.is_clean(), "{name}, byte {place}, bit {bit:#x}");
            disk.flip(name, place, bit);
        }
    }
    assert!(audited(disk).is_clean());
}

#[test]
fn every_byte_of_the_first_segment() {
    every_flip(&cage(), &[FIRST.to_owned()], 1);
}

#[test]
fn every_byte_of_the_last_segment() {
    every_flip(&cage(), &[SECOND.to_owned()], 1);
}

#[test]
fn every_byte_of_every_other_file() {
    let disk = cage();
    let mut names = disk.list().expect("listed");
    // The secret key is not part of what is audited, nor is a segment that is only prepared.
    names.retain(|name| !name.ends_with(".segment") && name != "journal.key" && name != "next.prepared");
    assert_eq!(names.len(), 2, "{names:?}");
    every_flip(&disk, &names, 1);
}

/// `TAMPER_STEP=1` looks at every byte; that takes minutes.
#[test]
fn bytes_of_a_journal_with_a_rulebook_and_a_round() {
    let step = std::env::var("TAMPER_STEP").ok().map_or(997, |step| step.parse().expect("a number"));
    every_flip(&round().0, &[FIRST.to_owned()], step);
}

#[test]
fn a_batch_removed_inserted_or_moved_is_found() {
    let (disk, ..) = round();
    let whole = Parts::of(&disk, FIRST);
    let records = whole.pieces.len() - 2;
    for place in 1..records - 1 {
        let mut removed = whole.clone();
        removed.pieces.remove(place);
        let mut swapped = whole.clone();
        swapped.pieces.swap(place, place + 1);
        let mut doubled = whole.clone();
        doubled.pieces.insert(place, whole.pieces[place].clone());
        for (forged, what) in [(removed, "removed"), (swapped, "swapped"), (doubled, "doubled")] {
            // As it is, and with every hash recomputed by an attacker without the key.
            forged.put_raw(&disk, FIRST);
            assert!(!audited(&disk).is_clean(), "{place} {what}");
            forged.put_sealed(&disk, FIRST, None);
            assert!(!audited(&disk).is_clean(), "{place} {what} and sealed");
        }
    }
    whole.put_raw(&disk, FIRST);
    assert!(audited(&disk).is_clean(), "the forger can put it together again");
    whole.put_sealed(&disk, FIRST, Some(&secret(&disk)));
    assert!(audited(&disk).is_clean());
}

#[test]
fn a_checkpoint_stops_whoever_has_not_got_the_key() {
    let (disk, log, _) = round();
    let mut forged = Parts::of(&disk, FIRST);
    forged.pieces[1].hold(&Record { at: log[1].at, origin: log[1].origin, event: hired_somebody_else(&log[1]) });
    forged.put_sealed(&disk, FIRST, None);
    found(&audited(&disk), "the checkpoint is not genuine");
}

fn hired_somebody_else(record: &Record) -> Event {
    match &record.event {
        Event::StaffAdded { staff, post, .. } => {
            Event::StaffAdded { staff: *staff, name: "another person".to_owned(), post: *post, by: None, witness: None }
        }
        event => panic!("{event:?}"),
    }
}

/// The record that an insider with the key changes: every hash and signature is recomputed.
fn forged_by_an_insider(change: impl Fn(&Event) -> Option<Event>) -> (MemDisk, Checkpoint) {
    let (disk, log, anchor) = round();
    let mut forged = Parts::of(&disk, FIRST);
    let place = log.iter().position(|record| change(&record.event).is_some()).expect("such a record");
    let event = change(&log[place].event).expect("such a record");
    let piece = forged.pieces.iter_mut().filter(|piece| !piece.checkpoint).nth(place).expect("its batch");
    piece.hold(&Record { at: log[place].at, origin: log[place].origin, event });
    forged.put_sealed(&disk, FIRST, Some(&secret(&disk)));
    (disk, anchor)
}

#[test]
fn a_settlement_changed_by_an_insider_is_found_by_the_rulebook() {
    let (disk, anchor) = forged_by_an_insider(|event| match event {
        Event::RoundSettled { round, table, outcome, part, parts, .. } => {
            let returns = vec![(T0, dollars(120))];
            Some(Event::RoundSettled {
                round: *round,
                table: *table,
                outcome: *outcome,
                part: *part,
                parts: *parts,
                returns,
            })
        }
        _ => None,
    });
    let audit = audited(&disk);
    found(&audit, "terminal 0: 120.00 was returned where the rulebook says 100.00");
    found(&anchored(&disk, anchor), "was not reached");
}

#[test]
fn what_only_an_anchor_shows() {
    // Another person was employed: only a checkpoint kept elsewhere contradicts it.
    let (disk, anchor) = forged_by_an_insider(|event| match event {
        Event::StaffAdded { staff, post, .. } => Some(Event::StaffAdded {
            staff: *staff,
            name: "another person".to_owned(),
            post: *post,
            by: None,
            witness: None,
        }),
        _ => None,
    });
    assert!(audited(&disk).is_clean());
    found(&anchored(&disk, anchor), "the chain here is not the anchor's");
}

#[test]
fn a_break_of_the_ledger_is_found() {
    // A ticket is paid with less than it was sold for, and the rest is gone.
    let mut house = ticket_sold_and_redeemed();
    let disk = MemDisk::new();
    let last = house.log.last_mut().expect("a record");
    let Event::TicketRedeemed { amount, .. } = &mut last.event else { panic!("{last:?}") };
    *amount = Cents::new(amount.get() - 500);
    house.floor = replayed(&house.log);
    write(&mut journal(disk.another()), &house.log, 5);
    found(&audited(&disk), "the tickets outstanding do not add up");
    // Nor can more be paid than there is.
    let Event::TicketRedeemed { amount, .. } = &mut house.log.last_mut().expect("a record").event else { panic!() };
    *amount = dollars(1_000);
    let disk = MemDisk::new();
    write(&mut journal(disk.another()), &house.log, 5);
    let audit = audited(&disk);
    found(&audit, "an account would go below zero");
    assert_eq!(audit.last, house.log.len() as u64 - 1);
    house.log.pop();
    house.floor = replayed(&house.log);
}

#[test]
fn time_that_runs_backwards_and_bytes_that_are_no_record_are_found() {
    let mut house = ticket_sold_and_redeemed();
    let disk = MemDisk::new();
    let (mut last, whole) = (house.log.pop().expect("a record"), house.log.clone());
    house.floor = replayed(&house.log);
    last.at = Moment(last.at.0 - 1_000_000);
    write(&mut journal(disk.another()), &[&whole[..], &[last]].concat(), 5);
    found(&audited(&disk), "time ran backwards");

    let bytes = |record: &[u8]| {
        let disk = MemDisk::new();
        let mut journal = journal(disk.another());
        write(&mut journal, &whole, 5);
        let mut batch = journal::Batch::new();
        batch.push(whole.last().expect("a record").at.0, record);
        journal.append(journal.sequence(), &mut batch).expect("appended");
        drop(journal);
        audited(&disk)
    };
    found(&bytes(&[]), "it cannot be read");
    found(&bytes(&[9, 1, 2]), "it is of version 9, which this release does not read");
    found(&bytes(&[1, 0, 0xff, 0xff, 0xff]), "it cannot be read");
    let mut longer = Vec::new();
    engine::encode(&Record { at: Moment(0), origin: None, event: Event::TerminalLost { terminal: T0 } }, &mut longer);
    longer.push(0);
    found(&bytes(&longer), "1 bytes are left over after it");
}

#[test]
fn a_cut_off_end_is_found_by_an_anchor() {
    let (disk, log, anchor) = round();
    assert_eq!(anchored(&disk, anchor).anchors, 1);
    let whole = Parts::of(&disk, FIRST);
    for left in 1..whole.pieces.len() {
        let mut cut = whole.clone();
        cut.pieces.truncate(left);
        cut.put_raw(&disk, FIRST);
        let audit = audited(&disk);
        assert!(audit.is_clean(), "by itself the beginning of a journal is a journal: {:#?}", audit.findings);
        let audit = anchored(&disk, anchor);
        if left + 1 < whole.pieces.len() {
            found(&audit, &format!("the end is cut off: the anchor is of record {}", log.len()));
        } else {
            assert!(audit.is_clean(), "only the signature is gone, which the anchor is itself");
            assert_eq!(audit.unsigned, log.len() as u64 - 30);
        }
    }
}

#[test]
fn an_anchor_of_another_journal_or_another_key_is_found() {
    let ((disk, ..), (_, _, other)) = (round(), round());
    found(&anchored(&disk, other), "the anchor was not signed for this journal");
    let (disk, _, mut anchor) = round();
    anchor.signature[5] ^= 1;
    found(&anchored(&disk, anchor), "the anchor was not signed for this journal");
    let line = anchor.to_line();
    assert_eq!(Checkpoint::from_line(&line), Some(anchor));
    // An attacker signs everything again with another key: a reader who has the old key, or an anchor, notices.
    let (disk, _, anchor) = round();
    let key = PublicKey::of(&disk).expect("exported");
    let own = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    Parts::of(&disk, FIRST).put_sealed(&disk, FIRST, Some(&own));
    found(&audited(&disk), "the checkpoint was signed by another key");
    disk.put("journal.pub", format!("{}\n", PublicKey(own.verifying_key().to_bytes())).as_bytes());
    assert!(audited(&disk).is_clean(), "if even the exported key is another");
    found(&anchored(&disk, anchor), "the anchor was signed by another key");
    let audit = engine::audit(vec![disk.another()], &[], Some(key), |_, _| {});
    found(&audit, "journal.pub is another key than the one given");
}

#[test]
fn the_exported_key_must_be_there_and_right() {
    let disk = cage();
    let key = PublicKey::of(&disk).expect("exported");
    disk.unlink("journal.pub");
    found(&audited(&disk), "journal.pub: no file journal.pub");
    // A reader who knows the key needs no anchor.
    assert!(engine::audit(vec![disk.another()], &[], Some(key), |_, _| {}).is_clean());
    // To the letter: not even the case of a digit.
    disk.put("journal.pub", key.to_string().to_uppercase().as_bytes());
    found(&audited(&disk), "journal.pub: it is not an exported key");
}

#[test]
fn a_forged_snapshot_is_found() {
    let (disk, log, _) = round();
    let mut journal = journal(disk.another());
    let floor = replayed(&log);
    let genuine = Snapshot { chain: Parts::of(&disk, FIRST).chain_of_records(), ..snapshot(&mut journal, &floor) };
    drop(journal);
    let check = |snapshot: Snapshot, words: Option<&str>| {
        let name = snapshot.write(&disk).expect("written");
        match words {
            Some(words) => found(&audited(&disk), words),
            None => assert!(audited(&disk).is_clean(), "{:#?}", audited(&disk).findings),
        }
        disk.unlink(&name);
    };
    check(genuine.clone(), None);
    let rich = encode_state(&replayed(&log[..log.len() - 1]));
    check(Snapshot { state: rich, ..genuine.clone() }, Some("the snapshot is not what the records give"));
    check(Snapshot { sequence: 5, ..genuine.clone() }, Some("the snapshot is not what the records give"));
    check(Snapshot { sequence: 0, ..genuine.clone() }, Some("the snapshot is of a moment that never was"));
    check(Snapshot { journal: [1; 16], ..genuine.clone() }, Some("is of another journal"));
    check(
        Snapshot { sequence: 1_000, ..genuine.clone() },
        Some("the end is cut off: there is a snapshot of record 1000"),
    );
}

#[test]
fn an_empty_folder_is_no_journal() {
    let disk = MemDisk::new();
    found(&audited(&disk), "there is no journal here");
    let (disk, ..) = round();
    let archive = MemDisk::new();
    let both = engine::audit(vec![archive.another(), disk.another()], &[], None, |_, _| {});
    assert!(both.is_clean());
}
