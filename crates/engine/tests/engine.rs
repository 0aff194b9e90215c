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

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::open(folder.path(), 0);
    let settings = FloorSettings { name: "test".to_owned(), demonstration: true, day_starts: 0, ticket_days: 30 };
    client.ok(Sender::System, Body::CreateFloor(settings));
    for rank in [Rank::Dealer, Rank::PitManager] {
        client.ok(Sender::System, Body::AddStaff { name: "x".to_owned(), post: Post::Pit(rank) });
    }
    let rulebook = library::find("rws-sicbo").expect("built in");
    client.ok(Sender::System, Body::InstallRulebook { canonical: rulebook.canonical().to_owned() });
    let settings = TableSettings::usual();
    let (name, mode) = ("t".to_owned(), TableMode::Terminals);
    client.ok(Sender::System, Body::AddTable { name, rulebook: rulebook.hash(), mode, settings: settings.into() });
    client.ok(Sender::Staff(StaffId(1)), Body::OpenTable { table: TableId(0) });
    let (kind, layout) = ("standard".to_owned(), "a".to_owned());
    client.ok(Sender::System, Body::EnrolTerminal { table: TableId(0), name: "1".to_owned(), kind, layout });
    let terminal = TerminalId(0);
    client.ok(Sender::System, Body::TerminalBack { terminal });
    client.ok(Sender::Terminal(terminal), Body::CashIn { terminal, amount: Cents::new(10_000) });
    client.ok(Sender::Staff(StaffId(0)), Body::OpenBets { table: TableId(0) });
    let spot = rulebook.layout("a").and_then(|l| l.find("small").ok()).expect("small");
    for _ in 0..50 {
        let changes = [BetChange::Add { spot, amount: Cents::new(100) }].into();
        client.ok(Sender::Terminal(terminal), Body::Bet { changes });
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
