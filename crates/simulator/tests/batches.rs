//! A batch of events stays below 512 KiB however many terminals a table has.

use std::collections::BTreeMap;

use floor::*;
use rulebook::{Cents, GroundId, Point, Rank, library};

const LARGEST: usize = 512 * 1024;
const TABLE: TableId = TableId(0);
const TERMINALS: u32 = 10_000;
/// A range of past rounds that is voided in one act, and the terminals in each of them (D24).
const RANGE: u64 = 500;
const SEATS: u32 = 200;
const ROUNDS: u64 = 8;

const DEALER: StaffId = StaffId(0);
const MANAGER: StaffId = StaffId(1);
const OTHER_MANAGER: StaffId = StaffId(2);
const SHIFT_MANAGER: StaffId = StaffId(3);

struct Large {
    floor: Floor,
    number: u64,
    at: Moment,
    terminals: u32,
    /// The rounds that left the list of recent ones, as the host keeps them.
    kept: Vec<Vec<u8>>,
    /// Bytes of the largest batch of each kind of command: parts before what takes effect may each have their own.
    largest: BTreeMap<String, usize>,
}

impl Large {
    fn send(&mut self, sender: Sender, body: Body) {
        self.number += 1;
        let name: String = format!("{body:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
        let command = Command { sender, number: self.number, at: self.at, body };
        let Decision::Events(records) = self.floor.decide(&command).unwrap_or_else(|refusal| panic!("{refusal}"))
        else {
            panic!("a retry");
        };
        let (parts, effective) = records.split_at(records.iter().position(|record| record.origin.is_some()).unwrap());
        let alone = parts.iter().map(|part| minicbor::to_vec(part).unwrap().len());
        let bytes = alone.chain([minicbor::to_vec(effective).unwrap().len()]).max().unwrap();
        let largest = self.largest.entry(name).or_default();
        *largest = bytes.max(*largest);
        for record in &records {
            self.floor.apply(record).unwrap();
        }
    }

    fn table(terminals: u32) -> Large {
        let (floor, at) = (Floor::new(), Moment(1_700_000_000_000));
        let mut large = Large { floor, number: 0, at, terminals, kept: Vec::new(), largest: BTreeMap::new() };
        let rulebook = library::find("rws-sicbo").unwrap();
        let settings = FloorSettings {
            name: "large".to_owned(),
            demonstration: true,
            day_starts: 0,
            ticket_days: 1,
            ..FloorSettings::default()
        };
        large.send(Sender::System, Body::CreateFloor(settings));
        large.send(Sender::System, Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let settings = TableSettings { betting_period: 0, ..TableSettings::usual() };
        let (name, rulebook) = ("large".to_owned(), rulebook.hash());
        large.send(
            Sender::System,
            Body::AddTable { name, rulebook, mode: TableMode::Terminals, settings: settings.into(), witness: None },
        );
        for rank in [Rank::Dealer, Rank::PitManager, Rank::PitManager, Rank::ShiftManager] {
            large.send(
                Sender::System,
                Body::AddStaff { name: "person".to_owned(), post: Post::Pit(rank), witness: None },
            );
        }
        large.send(Sender::Staff(MANAGER), Body::OpenTable { table: TABLE });
        large.send(Sender::Staff(DEALER), Body::TakeTable { table: TABLE });
        for terminal in (0..terminals).map(TerminalId) {
            let (kind, layout) = ("standard".to_owned(), "a".to_owned());
            large.send(Sender::System, Body::EnrolTerminal { table: TABLE, name: "t".to_owned(), kind, layout });
            large.send(Sender::System, Body::TerminalBack { terminal });
            let amount = Cents::new(1_000_000);
            large.send(Sender::Terminal(terminal), Body::CashIn { terminal, amount });
        }
        large
    }

    fn round(&mut self) {
        let rulebook = library::find("rws-sicbo").unwrap();
        let small = rulebook.layout("a").unwrap().find("small").unwrap();
        let outcome = rulebook.outcomes().parse("1-2-3").unwrap();
        self.send(Sender::Staff(DEALER), Body::open_bets(TABLE));
        for terminal in (0..self.terminals).map(TerminalId) {
            let changes = [BetChange::Add { spot: small, amount: Cents::new(10_000) }].into();
            self.send(Sender::Terminal(terminal), Body::Bet { changes });
        }
        self.send(Sender::Staff(DEALER), Body::CloseBets { table: TABLE });
        self.at = self.at.after(5_000);
        self.send(Sender::System, Body::Elapse);
        // The table has no device: the dealer affirms everything.
        let affirmed = Point::ALL.to_vec();
        let entry = Body::EnterResult { table: TABLE, outcome, affirmed, witness: None, reason: None };
        self.send(Sender::Staff(DEALER), entry);
        let leaving = self.floor.table(TABLE).unwrap().leaving().map(ArchivedRound::to_bytes);
        self.send(Sender::Staff(DEALER), Body::confirm_result(TABLE));
        self.kept.extend(leaving);
    }

    /// Recalls every past round with its proof.
    fn recall_all(&mut self) {
        let leaves: Vec<rulebook::Hash> = self.kept.iter().map(|bytes| leaf(bytes)).collect();
        for (place, bytes) in (0..).zip(self.kept.clone()) {
            let beside = proof(&leaves, place).unwrap();
            self.send(Sender::System, Body::RecallRound { table: TABLE, leaf: place, bytes, beside, read: Vec::new() });
        }
    }
}

#[test]
fn no_batch_of_a_large_table_exceeds_the_bound() {
    let mut large = Large::table(TERMINALS);
    for _ in 0..ROUNDS {
        large.round();
    }
    let outcome = library::find("rws-sicbo").unwrap().outcomes().parse("6-5-4").unwrap();
    let (reason, witness) = ("dice".to_owned(), Some(OTHER_MANAGER));
    let correct = |round| Body::CorrectResult { round, outcome, reason: reason.clone(), witness };
    large.send(Sender::Staff(MANAGER), correct(RoundId(0)));
    let (table, ground) = (TABLE, GroundId::DiceDamaged);
    let void = |rounds| Body::VoidRounds { table, ground, rounds, reason: reason.clone(), witness };
    large.send(Sender::Staff(MANAGER), void(vec![RoundId(0)]));
    large.send(Sender::Staff(MANAGER), void((1..ROUNDS).map(RoundId).collect()));
    for terminal in (0..TERMINALS).map(TerminalId) {
        assert_eq!(large.floor.terminal(terminal).unwrap().credit(), Cents::new(1_000_000), "all stakes are back");
    }
    for terminal in (0..TERMINALS).map(TerminalId) {
        let number = TicketHash(u128::from(terminal.0).to_le_bytes());
        let ticket = large.floor.next_ticket();
        large.send(Sender::Terminal(terminal), Body::PrepareTicket { terminal, number });
        large.send(Sender::Terminal(terminal), Body::TicketPrinted { ticket });
    }
    large.at = large.at.after(48 * 60 * 60 * 1000);
    large.send(Sender::System, Body::Elapse);
    let over: Vec<_> = large.largest.iter().filter(|(_, bytes)| **bytes > LARGEST).collect();
    assert!(over.is_empty(), "{over:?}");
    assert!(large.largest.values().any(|bytes| *bytes > LARGEST / 10), "large batches were made");
    assert_eq!(large.floor.check(), Vec::<String>::new());
}

/// Dice that were damaged for a night (RWS 5.4): all its rounds are voided in one act, after a preview.
#[test]
fn d24_five_hundred_rounds_of_two_hundred_terminals_are_voided_in_one_act() {
    let mut large = Large::table(SEATS);
    for _ in 0..RANGE {
        large.round();
    }
    assert_eq!(large.kept.len() as u64, RANGE - 32, "the list of recent rounds has 32");
    large.recall_all();
    let changes: Vec<_> = (0..RANGE).map(|round| (RoundId(round), None)).collect();
    let preview = large.floor.preview(TABLE, &changes).unwrap();
    assert_eq!(preview.rounds.iter().map(|round| round.players as u64).sum::<u64>(), RANGE * u64::from(SEATS));
    let body = Body::ChangeRounds {
        table: TABLE,
        changes,
        ground: Some(GroundId::DiceDamaged),
        reason: "a chipped die was found in the morning".to_owned(),
        preview: preview.hash,
        witness: Some(OTHER_MANAGER),
    };
    large.send(Sender::Staff(SHIFT_MANAGER), body);
    for terminal in (0..SEATS).map(TerminalId) {
        assert_eq!(large.floor.terminal(terminal).unwrap().credit(), Cents::new(1_000_000), "all winnings are back");
    }
    let over: Vec<_> = large.largest.iter().filter(|(_, bytes)| **bytes > LARGEST).collect();
    assert!(over.is_empty(), "{over:?}");
    assert_eq!(large.floor.check(), Vec::<String>::new());
    let voided = |round: &u64| large.floor.table(TABLE).unwrap().archived(RoundId(*round)).unwrap().outcome().is_none();
    assert!((0..RANGE).all(|round| voided(&round)));
}
