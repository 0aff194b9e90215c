//! A floor on a real journal on disk: answers, restarts, audit.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender as Channel, channel};

use engine::{Durable, Engine, Options, Outlet, Reply, Tag, audit};
use floor::*;
use journal::RealDisk;
use rulebook::{Cents, Rank, library};

struct ToChannel(Channel<(Tag, Reply)>);

impl Outlet for ToChannel {
    fn durable(&mut self, durable: Durable<'_>) {
        for reply in durable.replies {
            let _ = self.0.send(reply);
        }
    }

    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>) {
        for tag in waiting {
            let _ = self.0.send((tag, Reply::Stopped(reason.to_owned())));
        }
    }
}

struct Client {
    engine: Engine,
    replies: Receiver<(Tag, Reply)>,
    number: u64,
}

impl Client {
    fn open(folder: &Path, number: u64) -> Client {
        let (sender, replies) = channel();
        let (engine, recovery) = Engine::start(folder, Options::default(), ToChannel(sender)).expect("starts");
        assert_eq!(recovery.cut, 0);
        Client { engine, replies, number }
    }

    fn send(&mut self, sender: Sender, body: Body) -> Reply {
        self.number += 1;
        let command = Command { sender, number: self.number, at: Moment(1_000), body };
        self.engine.submit(self.number, command).expect("taken in");
        let (tag, reply) = self.replies.recv().expect("answered");
        assert_eq!(tag, self.number);
        reply
    }

    fn ok(&mut self, sender: Sender, body: Body) {
        let reply = self.send(sender, body);
        assert!(matches!(reply, Reply::Accepted(_)), "{reply:?}");
    }
}

/// An open table with one terminal that has credit, and a bet on it.
fn betting(client: &mut Client, credit: i64) -> (Sender, Body) {
    let settings = FloorSettings {
        name: "test".to_owned(),
        demonstration: true,
        day_starts: 0,
        ticket_days: 30,
        ..FloorSettings::default()
    };
    client.ok(Sender::System, Body::CreateFloor(settings));
    for rank in [Rank::Dealer, Rank::PitManager] {
        client.ok(Sender::System, Body::AddStaff { name: "x".to_owned(), post: Post::Pit(rank), witness: None });
    }
    let rulebook = library::find("rws-sicbo").expect("built in");
    client.ok(Sender::System, Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
    let settings = TableSettings::usual();
    let (name, mode) = ("t".to_owned(), TableMode::Terminals);
    client.ok(
        Sender::System,
        Body::AddTable { name, rulebook: rulebook.hash(), mode, settings: settings.into(), witness: None },
    );
    client.ok(Sender::Staff(StaffId(1)), Body::OpenTable { table: TableId(0) });
    client.ok(Sender::Staff(StaffId(0)), Body::TakeTable { table: TableId(0) });
    let (kind, layout) = ("standard".to_owned(), "a".to_owned());
    client.ok(Sender::System, Body::EnrolTerminal { table: TableId(0), name: "1".to_owned(), kind, layout });
    let terminal = TerminalId(0);
    client.ok(Sender::System, Body::TerminalBack { terminal });
    client.ok(Sender::Terminal(terminal), Body::CashIn { terminal, amount: Cents::new(credit) });
    client.ok(Sender::Staff(StaffId(0)), Body::open_bets(TableId(0)));
    let spot = rulebook.layout("a").and_then(|l| l.find("small").ok()).expect("small");
    let changes = [BetChange::Add { spot, amount: Cents::new(100) }].into();
    (Sender::Terminal(terminal), Body::Bet { changes })
}

/// More than can be decided while one batch is written: deciding goes on beside the disk, and every answer comes in order,
/// about bets that are there and bets that are refused.
#[test]
fn a_backlog_is_decided_while_it_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::open(folder.path(), 0);
    let (sender, bet) = betting(&mut client, 10_000);
    let first = client.number + 1;
    for _ in 0..4 {
        let numbers = client.number + 1..=client.number + 8_000;
        let command = |number| Command { sender, number, at: Moment(1_000), body: bet.clone() };
        client.number += 8_000;
        client.engine.submit_all(numbers.map(|number| (number, command(number))).collect()).expect("taken in");
    }
    let mut accepted = 0;
    for number in first..=client.number {
        let (tag, reply) = client.replies.recv().expect("answered");
        assert_eq!(tag, number);
        accepted += usize::from(matches!(reply, Reply::Accepted(_)));
    }
    assert_eq!(accepted, 100, "as many as there is credit for");
    let hash = client.engine.read(Floor::state_hash);
    let number = client.number;
    client.engine.stop();
    let client = Client::open(folder.path(), number);
    assert_eq!(client.engine.read(Floor::state_hash), hash);
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::open(folder.path(), 0);
    let (sender, bet) = betting(&mut client, 10_000);
    for _ in 0..50 {
        client.ok(sender, bet.clone());
    }
    let hash = client.engine.read(Floor::state_hash);
    let number = client.number;
    client.engine.stop();

    let client = Client::open(folder.path(), number);
    assert_eq!(client.engine.read(Floor::state_hash), hash);
    client.engine.stop();
    let report = audit(vec![RealDisk::new(folder.path()).expect("disk")], &[], None, |_, _| {});
    assert!(report.is_clean(), "{:#?}", report.findings);
    assert!(report.checkpoints > 0 && report.snapshots > 0);
}
