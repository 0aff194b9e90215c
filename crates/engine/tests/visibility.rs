//! Nothing undurable is visible, the queue is bounded, and answers keep the order of the commands.

use crate::common::disk::MemDisk;
use crate::common::*;
use engine::{Options, Refused, Reply, encode_state};
use floor::*;
use journal::{Disk, MAX_PAYLOAD, Snapshot};
use rulebook::{Cents, Rank, library};

/// A demonstration floor of one terminal with an open bet on a round, its client and the spot `small`.
fn betting(disk: &MemDisk) -> (Client, Body) {
    let mut client = Client::open(disk.another());
    let rulebook = library::find("rws-sicbo").expect("built in");
    let (kind, layout) = ("standard".to_owned(), "a".to_owned());
    let (name, settings) = ("t".to_owned(), TableSettings::usual());
    let table = TableId(0);
    for body in [
        create(),
        Body::AddStaff { name: "dealer".to_owned(), post: Post::Pit(Rank::Dealer), witness: None },
        Body::AddStaff { name: "manager".to_owned(), post: Post::Pit(Rank::PitManager), witness: None },
        Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None },
        Body::AddTable {
            name,
            rulebook: rulebook.hash(),
            mode: TableMode::Terminals,
            settings: settings.into(),
            witness: None,
        },
        Body::EnrolTerminal { table, name: "1".to_owned(), kind, layout },
        Body::TerminalBack { terminal: TerminalId(0) },
    ] {
        client.ok(Sender::System, body);
    }
    client.ok(Sender::Staff(StaffId(1)), Body::OpenTable { table });
    client.ok(Sender::Staff(StaffId(0)), Body::TakeTable { table });
    let terminal = TerminalId(0);
    client.ok(Sender::Terminal(terminal), Body::CashIn { terminal, amount: Cents::new(10_000) });
    client.ok(Sender::Staff(StaffId(0)), Body::open_bets(table));
    let spot = rulebook.layout("a").and_then(|layout| layout.find("small").ok()).expect("small");
    (client, Body::Bet { changes: [BetChange::Add { spot, amount: Cents::new(100) }].into() })
}

#[test]
fn a_bet_is_neither_shown_nor_answered_before_it_is_durable() {
    let disk = MemDisk::new();
    let (mut client, bet) = betting(&disk);
    // The disk has become slow, so that deciding runs ahead of it.
    let held = disk.hold_syncs();
    client.submit(Sender::System, hire(90)).expect("taken in");
    held.until_reached();
    std::thread::sleep(std::time::Duration::from_millis(5));
    drop(held);
    client.answer();
    let (hash, sequence) = (client.hash(), client.sequence());
    client.told();
    let player = Sender::Terminal(TerminalId(0));
    let staked = |floor: &Floor| floor.terminal(TerminalId(0)).expect("a terminal").staked();

    let held = disk.hold_syncs();
    let first = client.submit(player, bet.clone()).expect("taken in");
    held.until_reached();
    // Deciding runs ahead of the sync: a second bet, a retry of the first, and one that is refused.
    let second = client.submit(player, bet.clone()).expect("taken in");
    let retry = Command { sender: player, number: first, at: Moment(1_000), body: bet.clone() };
    client.engine().submit(99, retry).expect("taken in");
    client
        .engine()
        .submit(100, Command { sender: player, number: 100, at: Moment(0), body: create() })
        .expect("taken in");
    client.until_decided();
    assert!(client.told().is_empty(), "nobody is answered, not even about what is refused");
    assert_eq!((client.hash(), client.sequence()), (hash, sequence));
    assert_eq!(client.engine().read(staked), Cents::ZERO);
    assert!(client.engine().read(|floor| floor.may(player, &Body::ClearBets, Moment(0))).is_err(), "nothing to clear");

    drop(held);
    let answers: Vec<_> = (0..4).map(|_| client.answer()).collect();
    assert_eq!(answers[0], (first, Reply::Accepted(sequence + 1)));
    assert_eq!(answers[1], (second, Reply::Accepted(sequence + 2)));
    assert_eq!(answers[2], (99, Reply::Accepted(sequence + 1)), "a retry gets the first answer");
    assert!(matches!(answers[3], (100, Reply::Refused(_))));
    assert_eq!(client.engine().read(staked), Cents::new(200));
}

#[test]
fn snapshots_show_durable_state_only_and_play_goes_on_meanwhile() {
    let disk = MemDisk::new();
    let options = Options { snapshot_every: 10, snapshots: 1_000, ..options() };
    let mut client = Client::start(disk.another(), options).expect("started");
    client.ok(Sender::System, create());
    for number in 1..=500 {
        client.submit(Sender::System, hire(number)).expect("taken in");
        if number % 5 == 0 {
            (0..5).for_each(|_| assert!(matches!(client.answer(), (_, Reply::Accepted(_)))));
        }
    }
    client.stop();
    let names = Snapshot::list(&disk).expect("listed");
    assert!(names.len() >= 2, "one was made while play went on: {names:?}");
    // Each is the state after the records it covers: the audit compares them all.
    let audit = audited(&disk);
    assert!(audit.is_clean(), "{:#?}", audit.findings);
    assert_eq!(audit.snapshots as usize, names.len());
    let newest = Snapshot::read(&disk, &names[0]).expect("whole");
    assert_eq!(newest.sequence, 501);
    assert_eq!(newest.state, encode_state(&audit.floor));
}

#[test]
fn only_so_many_snapshots_are_kept() {
    let disk = MemDisk::new();
    let mut client =
        Client::start(disk.another(), Options { snapshot_every: 1, snapshots: 2, ..options() }).expect("on");
    client.ok(Sender::System, create());
    for number in 1..=30 {
        client.ok(Sender::System, hire(number));
    }
    client.stop();
    assert_eq!(Snapshot::list(&disk).expect("listed").len(), 2);
}

#[test]
fn the_floor_that_decided_is_the_floor_that_is_shown() {
    let disk = MemDisk::new();
    let (mut client, bet) = betting(&disk);
    for _ in 0..50 {
        client.submit(Sender::Terminal(TerminalId(0)), bet.clone()).expect("taken in");
    }
    // Both are compared when play ends; a difference would be told as the reason why it stopped.
    let told = client.stop();
    assert!(told.iter().all(|told| !matches!(told, Told::Stopped(_))), "{told:?}");
    let Client { recovery, .. } = Client::open(disk.another());
    assert_eq!(recovery.replayed, 0, "and the snapshot of the end was made");
    assert!(audited(&disk).is_clean());
}

#[test]
fn a_full_queue_answers_busy_and_never_grows() {
    let capacity = 50;
    let disk = MemDisk::new();
    let mut client = Client::start(disk.another(), Options { queue: capacity, ..options() }).expect("started");
    client.ok(Sender::System, create());
    client.told();
    let held = disk.hold_syncs();
    let (mut taken, mut busy) = (vec![client.submit(Sender::System, hire(0)).expect("taken in")], 0);
    held.until_reached();
    for number in 1..=10_000 {
        // Refusals wait for the disk too, and must not pile up behind it.
        let body = if number % 2 == 0 { hire(number) } else { Body::ClearBets };
        match client.submit(Sender::System, body) {
            Ok(tag) => taken.push(tag),
            Err(refused) => {
                assert_eq!(refused, Refused::Busy);
                busy += 1;
                // The decider gets its chance to take in more than it should.
                std::thread::yield_now();
            }
        }
        assert!(client.engine().waiting() <= 2 * capacity);
    }
    assert!(busy > 9_000, "{busy} refused");
    assert!(taken.len() <= 5 * capacity, "{} taken in", taken.len());
    assert!(client.told().is_empty());
    // More at once than there is room for is refused whole.
    let many = |count: u64| {
        (0..count).map(|n| (n, Command { sender: Sender::System, number: n, at: Moment(0), body: hire(n) }))
    };
    assert_eq!(client.engine().submit_all(many(capacity as u64 + 1).collect()), Err(Refused::Busy));

    drop(held);
    let answered: Vec<_> = taken.iter().map(|_| client.answer().0).collect();
    assert_eq!(answered, taken, "everybody who was taken in is answered, in order");
    client.ok(Sender::System, hire(1_000_000));
}

#[test]
fn what_does_not_fit_into_a_batch_keeps_its_order() {
    let disk = MemDisk::new();
    let mut client = Client::open(disk.another());
    client.ok(Sender::System, create());
    client.told();
    let held = disk.hold_syncs();
    let first = client.submit(Sender::System, long_alert(0)).expect("taken in");
    held.until_reached();
    // Some 1.5 MiB wait behind one sync, with small commands between the large ones.
    let mut tags = vec![first];
    for number in 1..=400 {
        tags.push(client.submit(Sender::System, long_alert(number)).expect("taken in"));
        tags.push(client.submit(Sender::System, hire(number)).expect("taken in"));
    }
    drop(held);
    for (tag, sequence) in tags.into_iter().zip(2..) {
        assert_eq!(client.answer(), (tag, Reply::Accepted(sequence)));
    }
    let told = client.stop();
    let batches: Vec<_> =
        told.iter().filter_map(|told| if let Told::Batch(_, _, size) = told { Some(*size) } else { None }).collect();
    assert!(batches.len() >= 4 && batches.iter().all(|size| *size < MAX_PAYLOAD), "{batches:?}");
    let floor = Client::open(disk).engine().read(Floor::clone);
    assert_eq!(hired(&floor), (1..=400).collect::<Vec<_>>());
    let alerts: Vec<AlertId> = floor.alerts().map(Alert::id).collect();
    assert_eq!(alerts, (0..=400).map(AlertId).collect::<Vec<_>>());
}

#[test]
fn commands_taken_in_together_are_decided_together_in_order() {
    let disk = MemDisk::new();
    let mut client = Client::open(disk);
    client.ok(Sender::System, create());
    let command =
        |number| (number, Command { sender: Sender::System, number: 10 + number, at: Moment(0), body: hire(number) });
    client.engine().submit_all((1..=100).map(command).collect()).expect("taken in");
    (1..=100).for_each(|number| assert_eq!(client.answer(), (number, Reply::Accepted(number + 1))));
    // What still waits when the engine is stopped is decided and answered.
    client.engine().submit_all((101..=2_000).map(command).collect()).expect("taken in");
    let answered = client.stop().into_iter().filter(|told| matches!(told, Told::Reply(_, Reply::Accepted(_)))).count();
    assert_eq!(answered, 1_900);
}

#[test]
fn what_is_written_is_signed_in_time_and_once() {
    let disk = MemDisk::new();
    let options = Options { sign_every: std::time::Duration::from_millis(30), ..options() };
    let mut client = Client::start(disk.another(), options).expect("started");
    let sequence = client.ok(Sender::System, create());
    // A quiet floor: nothing more comes, and it is signed all the same.
    let signed = loop {
        if let Told::Checkpoint(checkpoint) = client.next() {
            break checkpoint;
        }
    };
    assert_eq!(signed.sequence, sequence);
    // There is nothing new to sign, however often it is asked for.
    client.engine().sign();
    let next = client.ok(Sender::System, hire(1));
    let more = loop {
        if let Told::Checkpoint(checkpoint) = client.next() {
            break checkpoint;
        }
    };
    assert_eq!(more.sequence, next);
    client.stop();
    assert!(audited(&disk).is_clean());
}
