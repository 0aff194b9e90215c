//! Journals of every released format stay readable and auditable for ever.
//!
//! `tests/fixtures` has a folder for each record encoding; of segments only what is not zeros is kept. A folder that is missing
//! is written by `UPDATE_GOLDEN=1 cargo test -p engine format`; one that is there never changes.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Once;

use crate::common::disk::MemDisk;
use crate::common::house::House;
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
    if std::env::var_os("UPDATE_GOLDEN").is_some() && format == 2 && !folder(2).exists() {
        MADE.call_once(|| make(2));
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

/// The same for what is kept from feature level 2 on.
fn facts_2(floor: &Floor) -> String {
    let mut text = format!("feature level {}\n{}", floor.level(), facts(floor));
    for table in floor.tables() {
        let (name, past, recalled) = (table.name(), table.past_rounds(), table.recalled().count());
        let _ = writeln!(text, "{name}: {past} past rounds, {recalled} recalled, tray {}", table.float());
        for chip in table.round().map(Round::chips).unwrap_or_default() {
            let _ = writeln!(text, "  position {}: {}, late {}", chip.position, chip.amount, chip.late);
        }
        for round in table.archive() {
            let paid: Vec<_> = round.shares().iter().map(|share| share.returned.to_string()).collect();
            let _ = writeln!(text, "  round {}: void {:?}, returned {paid:?}", round.id(), round.voided());
        }
    }
    for payable in floor.payables() {
        let (id, amount) = (payable.id(), payable.amount());
        let _ =
            writeln!(text, "payable {id}: {amount} for round {:?} at terminal {}", payable.round(), payable.terminal());
    }
    for device in floor.devices() {
        let (service, reading) = (device.service().out, device.reading().out);
        let _ = writeln!(text, "device {}: out of service {service}, its reading {reading}", device.id());
    }
    for alert in floor.alerts() {
        let _ = writeln!(text, "alert {}: {:?}", alert.id(), alert.what());
    }
    let _ = writeln!(text, "{:?}", floor.thresholds());
    text
}

/// What encoding 2 has more: past rounds and a range of them, a record put right, chips recorded late, money moved alone, a
/// correction still payable, a ticket in doubt, a reading out of service, and a result against what was read.
fn played_2() -> House {
    use crate::common::house::{
        DEALER, MANAGER, SECOND_SHIFT_MANAGER, SECOND_SUPERVISOR, SHIFT_MANAGER, SUPERVISOR, TABLE, dollars,
    };
    let mut house = House::live();
    let round = house.deal(&[(1, "big", 100), (2, "small", 50)], "6-5-4");
    let (spot, amount, reason) = (house.chip_spot("big"), dollars(200), "camera".to_owned());
    let (position, witness) = (Position(1), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectRecord { round, position, spot, amount, reason: reason.clone(), witness });
    let etg = house.add_table("rws-sicbo", House::settings("rws-sicbo"));
    let seats = house.floor.table(etg).expect("a table").terminals().to_vec();
    let mut rounds = Vec::new();
    for place in 0..36 {
        rounds.push(house.open_at(etg));
        house.bet(seats[0], &["small=5.00"]);
        if place == 35 {
            house.bet(seats[1], &["small=50.00"]);
        }
        house.close_at(etg);
        let read = house.outcome(etg, "6-5-4");
        house.honest_device(etg, read);
        let entered = if place == 34 { house.outcome(etg, "6-6-4") } else { read };
        let entry = house.entry(etg, entered);
        house.staff(DEALER, entry);
        let against = (place == 34).then_some(SUPERVISOR);
        let why = against.map(|_| "a die moved".to_owned());
        house.staff(DEALER, Body::ConfirmResult { table: etg, outcome: None, witness: against, reason: why });
        house.later(20_000);
    }
    let changes: Vec<_> = rounds[20..22].iter().map(|round| (*round, None)).collect();
    let preview = house.floor.preview(etg, &changes).expect("a preview").hash;
    let ground = Some(rulebook::GroundId::DiceDamaged);
    let witness = Some(SECOND_SHIFT_MANAGER);
    house.staff(MANAGER, Body::ChangeRounds { table: etg, changes, ground, reason: reason.clone(), preview, witness });
    // The player has gone: what the correction gives is payable at the cage.
    house.cash_out(seats[1]);
    let (outcome, witness) = (house.outcome(etg, "1-2-4"), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round: rounds[35], outcome, reason: reason.clone(), witness });
    let pay = Ruling::PayChips { position, amount: dollars(10) };
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: None, ruling: pay, reason, witness: None });
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: seats[0], amount: dollars(300), witness: None });
    let number = house.new_number();
    house.ok(Sender::Terminal(seats[2]), Body::PrepareTicket { terminal: seats[2], number });
    house.out_of_service(Function::Reading);
    house.open();
    house.place(&[(3, "big", 100)]);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.place(&[(4, "small", 75)]);
    house
}

fn make(format: u32) {
    let house = played_2();
    let disk = MemDisk::new();
    // A public test key.
    disk.put("journal.key", &[7; 32]);
    let mut journal = journal(disk.another());
    // The last records come after the snapshot, which has everything but the late chips.
    let (first, second) = house.log.split_at(house.log.len() - 2);
    write(&mut journal, first, 40);
    let state = encode_state(&replayed(first));
    let snapshot = Snapshot { journal: journal.id(), sequence: journal.sequence(), chain: journal.chain(), state };
    snapshot.write(&disk).expect("written");
    journal.checkpoint_now().expect("signed");
    write(&mut journal, second, 40);
    let anchor = journal.checkpoint_now().expect("signed");
    drop(journal);
    disk.put("anchor.txt", format!("{}\n", anchor.to_line()).as_bytes());
    disk.put("facts.txt", facts_2(&house.floor).as_bytes());
    std::fs::create_dir_all(folder(format)).expect("made");
    for name in disk.list().expect("listed") {
        let mut bytes = disk.bytes(&name);
        if name.ends_with(".segment") {
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).expect("a batch") + 1);
        }
        std::fs::write(folder(format).join(name), bytes).expect("written");
    }
}

/// When this fails, an event or the state of feature level 2 can no longer be read as it was written: add fields as optional
/// ones, and do not change the fixture.
#[test]
fn format_2_is_read_from_its_journal_and_from_its_snapshot_and_audited() {
    let disk = fixture(2);
    let expected = String::from_utf8(disk.bytes("facts.txt")).expect("text");
    assert_eq!(facts_2(&read_floor(disk.another()).expect("read")), expected);

    let line = String::from_utf8(disk.bytes("anchor.txt")).expect("text");
    let anchor = Checkpoint::from_line(&line).expect("a checkpoint");
    let audit = engine::audit(vec![disk.another()], &[anchor], Some(anchor.key), |_, _| {});
    assert!(audit.is_clean(), "{:#?}", audit.findings);
    assert_eq!((audit.anchors, audit.checkpoints, audit.snapshots), (1, 2, 1), "the snapshot is the replayed state");
    assert_eq!(facts_2(&audit.floor), expected);

    // A floor goes on from its snapshot.
    let Client { recovery, .. } = Client::open(fixture(2));
    let name = Snapshot::list(&disk).expect("listed").pop().expect("a snapshot");
    let snapshot = Snapshot::read(&disk, &name).expect("whole");
    assert_eq!((recovery.snapshot, recovery.passed_over.len()), (Some(snapshot.sequence), 0), "{recovery}");
    let state = engine::decode_state(&snapshot.state).expect("a state");
    assert_eq!(engine::decode_state(&encode_state(&state)).expect("a state").state_hash(), state.state_hash());
    let mut client = Client::open(disk.another());
    assert_eq!(client.engine().read(facts_2), expected);
    client.tag = 1_000_000;
    client.ok(Sender::System, hire(1));
    client.stop();
    let audit = engine::audit(vec![disk.another()], &[anchor], Some(anchor.key), |_, _| {});
    assert!(audit.is_clean(), "{:#?}", audit.findings);
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
