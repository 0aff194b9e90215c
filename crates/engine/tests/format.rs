//! Journals of every released format stay readable and auditable for ever.
//!
//! `tests/fixtures` has a folder for each; of segments only what is not zeros is kept. Before a format is released,
//! `UPDATE_GOLDEN=1 cargo test -p engine format` rewrites its folder; afterwards nothing there changes.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Once;

use crate::common::disk::MemDisk;
use crate::common::house::{CASHIER, House, T0, T1};
use crate::common::*;
use engine::{encode_state, read_floor};
use floor::*;
use journal::{Checkpoint, Disk, Snapshot};

/// What a segment has at least, of which a fixture keeps only the beginning.
const SEGMENT: usize = 4 * journal::BLOCK + journal::MAX_PAYLOAD;

fn folder(format: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/format-{format}"))
}

/// The journal of a folder, with the zeros it was written into.
fn fixture(format: u32) -> MemDisk {
    static MADE: Once = Once::new();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        MADE.call_once(|| make(format));
    }
    let disk = MemDisk::new();
    for entry in std::fs::read_dir(folder(format)).expect("a fixture") {
        let path = entry.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let mut bytes = std::fs::read(&path).expect("read");
        if name.ends_with(".segment") {
            bytes.resize(SEGMENT, 0);
        }
        disk.put(name, &bytes);
    }
    disk
}

/// What must be known of a floor whatever release reads it, in words.
fn facts(floor: &Floor) -> String {
    let mut text = format!("{} records, the last at {}\n", floor.sequence(), floor.now().0);
    for terminal in floor.terminals() {
        let _ = writeln!(
            text,
            "terminal {}: credit {}, {} bets",
            terminal.id(),
            terminal.credit(),
            terminal.stakes().len()
        );
    }
    for table in floor.tables() {
        let _ =
            writeln!(text, "{}: won {}, round {:?}", table.name(), table.house_win(), table.round().map(Round::phase));
        for (round, outcome) in table.history() {
            let outcome = floor.rulebook_of(table).and_then(|rulebook| rulebook.outcomes().outcome(outcome));
            let _ = writeln!(text, "  round {round}: {}", outcome.expect("an outcome"));
        }
    }
    for ticket in floor.tickets() {
        let _ = writeln!(text, "ticket {}: {} {:?}", ticket.id(), ticket.amount(), ticket.state());
    }
    for (account, balance) in floor.accounts().into_iter().filter(|(_, balance)| balance.get() != 0) {
        let _ = writeln!(text, "{account:?} {balance}");
    }
    text
}

/// A little of everything: a round settled and corrected, a ticket redeemed and one outstanding, a round left open.
fn played() -> House {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["small=50.00", "double/5=20.00"], "1-2-4");
    house.later(10_000);
    house.correct(round, "6-5-5");
    let (_, number) = house.cash_out(T1);
    house.staff(CASHIER, Body::OpenShift { float: crate::common::house::dollars(5_000), witness: None });
    house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
    let number = house.new_number();
    house.staff(CASHIER, Body::SellTicket { amount: crate::common::house::dollars(70), number, witness: None });
    house.later(10_000);
    house.open();
    house.bet(T0, &["big=10.00", "triple/any=2.00"]);
    house
}

fn make(format: u32) {
    let house = played();
    let disk = MemDisk::new();
    // A public test key.
    disk.put("journal.key", &[7; 32]);
    let mut journal = journal(disk.another());
    let (first, second) = house.log.split_at(40);
    write(&mut journal, first, 40);
    let state = encode_state(&replayed(first));
    let snapshot = Snapshot { journal: journal.id(), sequence: journal.sequence(), chain: journal.chain(), state };
    snapshot.write(&disk).expect("written");
    journal.checkpoint_now().expect("signed");
    write(&mut journal, second, 40);
    let anchor = journal.checkpoint_now().expect("signed");
    drop(journal);
    disk.put("anchor.txt", format!("{}\n", anchor.to_line()).as_bytes());
    disk.put("facts.txt", facts(&house.floor).as_bytes());
    let _ = std::fs::remove_dir_all(folder(format));
    std::fs::create_dir_all(folder(format)).expect("made");
    for name in disk.list().expect("listed") {
        let mut bytes = disk.bytes(&name);
        if name.ends_with(".segment") {
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).expect("a batch") + 1);
        }
        std::fs::write(folder(format).join(name), bytes).expect("written");
    }
}

#[test]
fn format_1_is_read_and_audited() {
    let disk = fixture(1);
    let expected = String::from_utf8(disk.bytes("facts.txt")).expect("text");
    assert_eq!(facts(&read_floor(disk.another()).expect("read")), expected);

    let line = String::from_utf8(disk.bytes("anchor.txt")).expect("text");
    let anchor = Checkpoint::from_line(&line).expect("a checkpoint");
    let audit = engine::audit(vec![disk.another()], &[anchor], Some(anchor.key), |_, _| {});
    assert!(audit.is_clean(), "{:#?}", audit.findings);
    assert_eq!((audit.anchors, audit.checkpoints, audit.settlements), (1, 2, 2));
    assert_eq!(facts(&audit.floor), expected);

    // A floor goes on from it: from its snapshot if this release still reads that, else from the beginning.
    let mut client = Client::open(disk.another());
    assert_eq!(client.engine().read(facts), expected);
    client.tag = 1_000_000;
    client.ok(Sender::System, hire(1));
    client.stop();
    let audit = engine::audit(vec![disk.another()], &[anchor], Some(anchor.key), |_, _| {});
    assert!(audit.is_clean(), "{:#?}", audit.findings);
}

#[test]
fn the_state_of_format_1_is_still_read() {
    // When this fails, the layout of the state has changed: raise its version and keep a reader for this one. Version 2
    // of the state has a list at its end, which is empty here.
    let disk = fixture(1);
    let Client { recovery, .. } = Client::open(disk.another());
    assert_eq!((recovery.snapshot, recovery.passed_over.len()), (Some(40), 0), "{recovery}");
    let name = Snapshot::list(&fixture(1)).expect("listed").pop().expect("a snapshot");
    let snapshot = Snapshot::read(&fixture(1), &name).expect("whole");
    let floor = engine::decode_state(&snapshot.state).expect("a state");
    let version_2 = [&snapshot.state[1..], &[0]].concat();
    assert_eq!((floor.sequence(), floor.to_level_1_bytes()), (snapshot.sequence, version_2));
    assert_eq!(engine::decode_state(&encode_state(&floor)).expect("a state").state_hash(), floor.state_hash());
    assert_eq!(engine::audit(vec![fixture(1)], &[], None, |_, _| {}).snapshots, 1);
}

#[test]
fn a_floor_of_format_1_goes_on_in_encoding_1_until_its_level_is_raised() {
    let disk = fixture(1);
    let mut client = Client::open(disk.another());
    client.tag = 1_000_000;
    let before = client.sequence();
    client.ok(Sender::System, hire(1));
    client.ok(Sender::System, Body::RaiseFeatureLevel { level: 2 });
    client.ok(Sender::System, hire(2));
    assert_eq!(client.engine().read(Floor::level), 2);
    let hash = client.hash();
    client.stop();
    let mut versions = Vec::new();
    let mut scan = journal::Scan::new(vec![disk.another()]).expect("a journal");
    while let Some(read) = scan.read().expect("whole") {
        let journal::Read::Records { first, entries, .. } = read else { continue };
        let sequenced = (first..).zip(entries);
        versions.extend(sequenced.filter(|(sequence, _)| *sequence > before).map(|(_, entry)| entry.bytes[0]));
    }
    assert_eq!(versions, [1, 2, 2]);
    let audit = engine::audit(vec![disk.another()], &[], None, |_, _| {});
    assert!(audit.is_clean(), "{:#?}", audit.findings);
    assert_eq!(audit.floor.state_hash(), hash);
}
