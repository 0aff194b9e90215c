//! How fast the records follow a log: `cargo bench -p records --bench records`.
//!
//! Logs are made beforehand; what is measured is reading them into a database in a file, floor state included, in
//! batches as a journal hands them over. Each figure is the median of several runs.

use std::time::{Duration, Instant};

use floor::*;
use records::{Reader, Records, RoundFilter};
use rulebook::{Cents, Rank, library};

const DEALER: Sender = Sender::Staff(StaffId(0));
const TABLE: TableId = TableId(0);
const RUNS: usize = 5;

/// A floor whose events are kept.
struct House {
    floor: Floor,
    log: Vec<Record>,
    number: u64,
    at: Moment,
}

impl House {
    /// An open Sic Bo table with terminals of layout B, each with a large credit.
    fn new(terminals: u32) -> House {
        let mut house = House { floor: Floor::new(), log: Vec::new(), number: 0, at: Moment(1_767_225_600_000) };
        let settings = FloorSettings {
            name: "bench".to_owned(),
            demonstration: true,
            day_starts: 360,
            ticket_days: 30,
            ..FloorSettings::default()
        };
        house.run(Sender::System, Body::CreateFloor(settings));
        for rank in [Rank::Dealer, Rank::PitManager] {
            house.run(Sender::System, Body::AddStaff { name: rank.to_string(), post: Post::Pit(rank), witness: None });
        }
        let rulebook = library::find("rws-sicbo").expect("built in");
        house.run(Sender::System, Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let settings = TableSettings { betting_period: 0, ..TableSettings::usual() };
        let (name, rulebook) = ("table".to_owned(), rulebook.hash());
        house.run(
            Sender::System,
            Body::AddTable { name, rulebook, mode: TableMode::Terminals, settings: settings.into(), witness: None },
        );
        for id in 0..terminals {
            let terminal = TerminalId(id);
            let (name, kind, layout) = (format!("terminal {id}"), "standard".to_owned(), "b".to_owned());
            house.run(Sender::System, Body::EnrolTerminal { table: TABLE, name, kind, layout });
            house.run(Sender::System, Body::TerminalBack { terminal });
            let amount = Cents::new(bounds::AMOUNT);
            house.run(Sender::Terminal(terminal), Body::CashIn { terminal, amount });
        }
        house.run(Sender::Staff(StaffId(1)), Body::OpenTable { table: TABLE });
        house.run(Sender::Staff(StaffId(0)), Body::TakeTable { table: TABLE });
        house
    }

    fn run(&mut self, sender: Sender, body: Body) {
        self.number += 1;
        self.at = self.at.after(1);
        let command = Command { sender, number: self.number, at: self.at, body };
        match self.floor.decide(&command).expect("accepted") {
            Decision::Events(records) => {
                for record in &records {
                    self.floor.apply(record).expect("fits");
                }
                self.log.extend(records);
            }
            Decision::Earlier(_) => unreachable!("every number is new"),
        }
    }

    /// A round in which every terminal makes so many bets on spots of its own, one command each, and acknowledges the
    /// close.
    fn round(&mut self, terminals: u32, each: u32, outcome: &str) {
        let rulebook = library::find("rws-sicbo").expect("built in");
        let spots: Vec<_> = rulebook.layout("b").expect("b").table().indices().collect();
        self.run(DEALER, Body::open_bets(TABLE));
        for turn in 0..each {
            for place in 0..terminals {
                let terminal = TerminalId((u64::from(place) * 7_919 % u64::from(terminals)) as u32);
                let spot = spots[(turn as usize * 37 + place as usize * 11) % spots.len()];
                let changes = [BetChange::Add { spot, amount: Cents::new(500) }].into();
                self.run(Sender::Terminal(terminal), Body::Bet { changes });
            }
        }
        self.run(DEALER, Body::CloseBets { table: TABLE });
        let round = self.floor.table(TABLE).and_then(Table::round).expect("in progress").id();
        for terminal in (0..terminals).map(TerminalId) {
            self.run(Sender::Terminal(terminal), Body::AcknowledgeClose { round });
        }
        let outcome = rulebook.outcomes().parse(outcome).expect("dice");
        self.run(DEALER, Body::enter_result(TABLE, outcome));
        self.run(DEALER, Body::confirm_result(TABLE));
    }
}

fn median<T: Copy + Ord>(mut runs: Vec<T>) -> T {
    runs.sort_unstable();
    runs[runs.len() / 2]
}

/// Rounds of so many terminals with so many bets each, in batches of so many events.
fn follow(terminals: u32, each: u32, rounds: u32, batch: usize) {
    let mut house = House::new(terminals);
    let set_up = house.log.len();
    for round in 0..rounds {
        house.round(terminals, each, ["2-2-4", "1-5-6", "3-3-3", "6-5-4"][round as usize % 4]);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut spent: Vec<Duration> = Vec::new();
    let mut bytes = 0;
    for run in 0..RUNS {
        let path = folder.path().join(format!("{run}.sqlite"));
        let mut records = Records::open(&path).expect("opened");
        records.apply_batch(1, &house.log[..set_up]).expect("fits");
        let start = Instant::now();
        for events in house.log[set_up..].chunks(batch) {
            records.apply_batch(records.sequence() + 1, events).expect("fits");
        }
        spent.push(start.elapsed());
        assert_eq!(records.sequence(), house.floor.sequence());
        drop(records);
        bytes = std::fs::metadata(&path).expect("a file").len();
    }
    let bets = u64::from(terminals) * u64::from(each) * u64::from(rounds);
    let events = (house.log.len() - set_up) as u64;
    let seconds = median(spent).as_secs_f64();
    println!(
        "  {rounds:>3} rounds of {terminals:>6} terminals × {each:>2} bets, batches of {batch:>6}: {:>8.0} bets/s, \
         {:>8.0} events/s, {:>4} bytes a bet",
        bets as f64 / seconds,
        events as f64 / seconds,
        bytes / bets
    );
}

/// Recall and search in a database with many rounds.
fn ask() {
    let mut house = House::new(200);
    for round in 0..500_u32 {
        house.round(200, 4, ["2-2-4", "1-5-6", "3-3-3", "6-5-4"][round as usize % 4]);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("records.sqlite");
    let start = Instant::now();
    let records = Records::rebuild(&path, house.log.iter().cloned(), |_| ()).expect("rebuilt");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "  {} events rebuilt                       {:>8.2} s, {:.0} events/s",
        house.log.len(),
        seconds,
        house.log.len() as f64 / seconds
    );
    drop(records);
    let reader = Reader::open(&path).expect("opened");
    let time = |what: &str, ask: &dyn Fn()| {
        ask();
        let spent = (0..51).map(|_| {
            let start = Instant::now();
            ask();
            start.elapsed()
        });
        let spent = median(spent.collect());
        println!("  {what:<45} {:>8.2} ms", spent.as_secs_f64() * 1e3);
    };
    let query = reader.query();
    time("a terminal's last 10 rounds", &|| assert_eq!(query.last_rounds(TerminalId(7), 10).expect("read").len(), 10));
    time("a terminal's last 35 transactions", &|| {
        assert_eq!(query.last_money(TerminalId(7), 35).expect("read").len(), 35);
    });
    time("one round of 200 players, whole", &|| assert!(query.round(RoundId(250)).expect("read").is_some()));
    let search = RoundFilter { outcome: Some("4-2-2".to_owned()), ..RoundFilter::default() };
    time("a page of rounds by result", &|| assert_eq!(query.rounds(&search).expect("read").rows.len(), 50));
    time("totals of all days", &|| assert_eq!(query.days(&Default::default()).expect("read").len(), 1));
}

fn main() {
    println!("records: one thread, a file on disk, {RUNS} runs, medians; Sic Bo layout B, one bet per command");
    follow(1_000, 20, 5, 1_000);
    follow(1_000, 5, 20, 1_000);
    follow(1_000, 1, 60, 1_000);
    follow(1_000, 5, 20, 64);
    follow(10_000, 5, 3, 10_000);
    ask();
}
