//! A settlement or correction larger than a batch: it is written in parts, takes effect as a whole, and an interruption between
//! them leaves nothing behind.

use crate::common::disk::{Act, MemDisk, Trouble};
use crate::common::house::{DEALER, House, MANAGER, SECOND_MANAGER, SECOND_SUPERVISOR, SUPERVISOR, T0, TABLE, dollars};
use crate::common::*;
use engine::Reply;
use floor::*;
use journal::{Disk, MAX_PAYLOAD};
use rulebook::Cents;

/// Terminals with bets, so many that what they get back takes more than a batch.
const TERMINALS: u32 = 80_000;
const CREDIT: Cents = Cents::new(3_000_000_000);
const STAKE: Cents = Cents::new(1_500_000_000);

/// A house with one table, and so many terminals of which each has one bet on `small`; bets are closed and a result is
/// entered on which they win. The bets are written as facts: no limit of a table would allow them.
fn house() -> (Floor, Vec<Record>) {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["small=10.00"]);
    let spot = house.spot(T0, "small");
    let mut add = |event: Event| {
        let record = Record { at: house.at, origin: None, event };
        house.floor.apply(&record).expect("it fits");
        house.log.push(record);
    };
    for terminal in (3..TERMINALS).map(TerminalId) {
        let (name, kind) = (terminal.to_string(), "standard".to_owned());
        add(Event::TerminalEnrolled { terminal, table: TABLE, name, kind, layout: 0 });
        add(Event::CashIn { terminal, amount: CREDIT });
        let changes = [Change { spot, group: 0, delta: STAKE }].into();
        add(Event::BetsChanged { terminal, changes, added: Vec::new(), removed: Vec::new(), round: None });
    }
    house.close();
    house.play_device();
    house.enter("1-2-4");
    (house.floor.clone(), house.log.clone())
}

fn confirm(number: u64) -> Command {
    Command { sender: Sender::Staff(DEALER), number, at: Moment(2_000_000), body: Body::confirm_result(TABLE) }
}

fn batches(told: &[Told]) -> Vec<(usize, usize)> {
    let batch = |told: &Told| if let Told::Batch(_, records, size) = told { Some((*records, *size)) } else { None };
    told.iter().filter_map(batch).collect()
}

fn credit(floor: &Floor, terminal: u32) -> Cents {
    floor.terminal(TerminalId(terminal)).expect("a terminal").credit()
}

#[test]
fn a_settlement_in_parts_takes_several_batches_and_effect_with_the_last() {
    let (before, log) = house();
    let disk = MemDisk::new();
    write(&mut journal(disk.another()), &log, 5_000);
    let mut client = Client::open(disk.another());
    assert_eq!(client.sequence(), before.sequence());

    // Between its parts nothing has happened yet for any reader.
    let held = disk.hold_syncs();
    client.engine().submit(1, confirm(1_000_000)).expect("taken in");
    held.until_reached();
    client.until_decided();
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(15_000_000));
    drop(held);
    let (_, reply) = client.answer();
    let parts = TERMINALS.div_ceil(bounds::PART as u32).into();
    assert_eq!(reply, Reply::Accepted(before.sequence() + parts), "the part that takes effect is the answer");
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(45_000_000));
    let written = batches(&client.told());
    assert!(written.len() > 1 && written.iter().all(|(_, size)| *size < MAX_PAYLOAD), "{written:?}");
    assert_eq!(written.iter().map(|(records, _)| *records as u64).sum::<u64>(), parts);
    // A retry gets the same answer.
    client.engine().submit(2, confirm(1_000_000)).expect("taken in");
    assert_eq!(client.answer(), (2, reply));
    client.stop();

    let audit = audited(&disk);
    assert!(audit.is_clean(), "{:#?}", audit.findings);
    assert_eq!(audit.settlements, parts);
}

/// The settled round, and its correction to a result on which every bet loses.
fn settled() -> (Floor, Vec<Record>, Command) {
    let (mut floor, mut log) = house();
    let Ok(Decision::Events(records)) = floor.decide(&confirm(1_000_000)) else { panic!("accepted") };
    records.iter().for_each(|record| floor.apply(record).expect("it fits"));
    log.extend(records);
    let rulebook = floor.rulebooks().next().expect("installed");
    let outcome = rulebook.outcomes().parse("6-5-4").expect("an outcome");
    let (reason, witness) = ("seen on the recording".to_owned(), Some(SECOND_SUPERVISOR));
    let body = Body::CorrectResult { round: RoundId(0), outcome, reason, witness };
    (floor, log, Command { sender: Sender::Staff(SUPERVISOR), number: 1_000_000, at: Moment(2_000_000), body })
}

#[test]
fn a_correction_in_parts_takes_several_batches_and_effect_as_a_whole() {
    let (before, log, correct) = settled();
    let disk = MemDisk::new();
    write(&mut journal(disk.another()), &log, 4);
    let mut client = Client::open(disk.another());
    client.engine().submit(1, correct.clone()).expect("taken in");
    let (_, reply) = client.answer();
    let parts = u64::from(TERMINALS).div_ceil(bounds::ADJUSTED as u64);
    assert_eq!(reply, Reply::Accepted(before.sequence() + parts + 1), "what takes effect is the answer");
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(15_000_000), "the winnings are taken back");
    let written = batches(&client.told());
    assert!(written.len() > 2 && written.iter().all(|(_, size)| *size < MAX_PAYLOAD), "{written:?}");
    client.engine().submit(2, correct).expect("taken in");
    assert_eq!(client.answer(), (2, reply), "a retry gets the same answer");

    // The same for a void of everything the damage affected.
    let (reason, witness) = ("a chipped die".to_owned(), Some(SECOND_MANAGER));
    let ground = rulebook::GroundId::DiceDamaged;
    let body = Body::VoidRounds { table: TABLE, ground, rounds: vec![RoundId(0)], reason, witness };
    let void = Command { sender: Sender::Staff(MANAGER), number: 1_000_000, at: Moment(2_000_000), body };
    client.engine().submit(3, void).expect("taken in");
    assert!(matches!(client.answer(), (3, Reply::Accepted(_))));
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), CREDIT, "the stakes go back");
    assert_eq!(client.engine().read(Floor::check), [""; 0]);
    client.stop();
    let audit = audited(&disk);
    assert!(audit.is_clean(), "{:#?}", audit.findings);
}

#[test]
fn an_interruption_between_the_parts_of_a_correction_corrects_nothing_and_the_retry_corrects_once() {
    let (before, log, correct) = settled();
    let disk = MemDisk::new();
    write(&mut journal(disk.another()), &log, 4);
    let mut client = Client::open(disk.another());
    disk.plan(Act::Write, 3, Trouble::Full);
    client.engine().submit(1, correct.clone()).expect("taken in");
    assert!(matches!(client.answer(), (1, Reply::Stopped(_))));
    client.stop();
    disk.repair();
    let mut client = Client::open(disk.another());
    assert!(client.sequence() > before.sequence(), "some parts are there");
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(45_000_000), "and have no effect");
    assert_eq!(client.engine().read(Floor::check), [""; 0]);
    client.engine().submit(1, correct).expect("taken in");
    assert!(matches!(client.answer(), (1, Reply::Accepted(_))));
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(15_000_000));
    client.stop();
    let audit = audited(&disk);
    assert!(audit.is_clean(), "{:#?}", audit.findings);
}

#[test]
fn an_interruption_between_the_parts_settles_nothing_and_the_retry_settles_once() {
    let (before, log) = house();
    let disk = MemDisk::new();
    write(&mut journal(disk.another()), &log, 5_000);
    let mut client = Client::open(disk.another());
    disk.plan(Act::Write, 2, Trouble::Full);
    client.engine().submit(1, confirm(1_000_000)).expect("taken in");
    assert_eq!(client.answer(), (1, Reply::Stopped("the journal has stopped: no space left on device".to_owned())));
    client.stop();
    disk.repair();
    let mut client = Client::open(disk.another());
    assert!(client.sequence() > before.sequence(), "some parts are there");
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(15_000_000), "and have no effect");
    assert_eq!(client.engine().read(Floor::check), [""; 0]);
    client.engine().submit(1, confirm(1_000_000)).expect("taken in");
    let (_, reply) = client.answer();
    assert!(matches!(reply, Reply::Accepted(_)), "{reply:?}");
    assert_eq!(client.engine().read(|floor| credit(floor, 5)), dollars(45_000_000));
    assert_eq!(client.engine().read(|floor| credit(floor, 0)), dollars(1_010));
    client.stop();
    let audit = audited(&disk);
    assert!(audit.is_clean(), "{:#?}", audit.findings);
}
