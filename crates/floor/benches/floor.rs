//! How fast a floor decides and applies, on one core and without input or output.
//!
//! `cargo bench -p floor --bench floor` prints the figures that docs/architecture.md names, each as the median of
//! several runs, with what it was measured on.

// The figures are for people; nothing of the floor is worked out here.
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use floor::*;
use rulebook::{Cents, OutcomeIndex, Rank, library};

const DEALER: Sender = Sender::Staff(StaffId(0));
const TABLE: TableId = TableId(0);
const RUNS: usize = 7;

struct Bench {
    floor: Floor,
    number: u64,
    at: Moment,
}

impl Bench {
    /// An open Sic Bo table with terminals of layout B, each with a large credit and a liability limit on the table.
    fn new(terminals: u32) -> Bench {
        let mut bench = Bench { floor: Floor::new(), number: 0, at: Moment(0) };
        let settings = FloorSettings {
            name: "bench".to_owned(),
            demonstration: true,
            day_starts: 360,
            ticket_days: 30,
            ..FloorSettings::default()
        };
        bench.run(Sender::System, Body::CreateFloor(settings));
        for rank in [Rank::Dealer, Rank::PitManager] {
            bench.run(Sender::System, Body::AddStaff { name: rank.to_string(), post: Post::Pit(rank), witness: None });
        }
        let rulebook = library::find("rws-sicbo").expect("built in");
        bench.run(Sender::System, Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
        let settings = TableSettings {
            liability: Some(Cents::new(1_000_000_000_000_000)),
            betting_period: 0,
            ..TableSettings::usual()
        };
        let (name, rulebook) = ("table".to_owned(), rulebook.hash());
        bench.run(
            Sender::System,
            Body::AddTable { name, rulebook, mode: TableMode::Terminals, settings: settings.into(), witness: None },
        );
        for id in 0..terminals {
            let terminal = TerminalId(id);
            let (name, kind, layout) = (format!("terminal {id}"), "standard".to_owned(), "b".to_owned());
            bench.run(Sender::System, Body::EnrolTerminal { table: TABLE, name, kind, layout });
            bench.run(Sender::System, Body::TerminalBack { terminal });
            let amount = Cents::new(bounds::AMOUNT);
            bench.run(Sender::Terminal(terminal), Body::CashIn { terminal, amount });
        }
        bench.run(Sender::Staff(StaffId(1)), Body::OpenTable { table: TABLE });
        bench
    }

    fn command(&mut self, sender: Sender, body: Body) -> Command {
        self.number += 1;
        Command { sender, number: self.number, at: self.at, body }
    }

    fn run(&mut self, sender: Sender, body: Body) {
        let command = self.command(sender, body);
        self.send(&command);
    }

    fn send(&mut self, command: &Command) {
        match self.floor.decide(command).expect("accepted") {
            Decision::Events(records) => {
                for record in &records {
                    self.floor.apply(record).expect("fits");
                }
            }
            Decision::Earlier(_) => unreachable!("every number is new"),
        }
    }

    /// One bet of one changing spot for each terminal in turn, in an order that does not follow memory.
    fn bets(&mut self, terminals: u32, each: u32) -> Vec<Command> {
        let spots: Vec<_> =
            library::find("rws-sicbo").and_then(|r| r.layout("b")).expect("b").table().indices().collect();
        let mut commands = Vec::with_capacity((terminals * each) as usize);
        for turn in 0..each {
            for place in 0..terminals {
                let terminal = TerminalId((u64::from(place) * 7_919 % u64::from(terminals)) as u32);
                let spot = spots[(turn as usize * 37 + place as usize * 11) % spots.len()];
                let changes = [BetChange::Add { spot, amount: Cents::new(500) }].into();
                commands.push(self.command(Sender::Terminal(terminal), Body::Bet { changes }));
            }
        }
        commands
    }

    fn open(&mut self) {
        self.run(DEALER, Body::open_bets(TABLE));
    }

    /// Closes, lets the terminals count as lost, and enters a result.
    fn close(&mut self, outcome: OutcomeIndex) {
        self.run(DEALER, Body::CloseBets { table: TABLE });
        self.at = self.at.after(10_000);
        self.run(DEALER, Body::enter_result(TABLE, outcome));
    }
}

fn median(mut runs: Vec<Duration>) -> Duration {
    runs.sort();
    runs[runs.len() / 2]
}

/// Nanoseconds per bet command, decided and applied, in rounds of `each` bets per terminal.
fn bet_cost(terminals: u32, each: u32) -> f64 {
    let mut bench = Bench::new(terminals);
    let outcome = library::find("rws-sicbo").expect("built in").outcomes().parse("1-2-4").expect("dice");
    let runs = (0..RUNS)
        .map(|_| {
            bench.open();
            let commands = bench.bets(terminals, each);
            let start = Instant::now();
            for command in &commands {
                bench.send(black_box(command));
            }
            let spent = start.elapsed();
            bench.close(outcome);
            bench.run(DEALER, Body::confirm_result(TABLE));
            spent
        })
        .collect();
    median(runs).as_nanos() as f64 / f64::from(terminals * each)
}

/// Deciding and applying the settlement of a round, postings included.
fn settle_cost(terminals: u32, each: u32) -> Duration {
    let mut bench = Bench::new(terminals);
    let outcome = library::find("rws-sicbo").expect("built in").outcomes().parse("2-2-4").expect("dice");
    let runs = (0..RUNS)
        .map(|_| {
            bench.open();
            for command in bench.bets(terminals, each) {
                bench.send(&command);
            }
            bench.close(outcome);
            let confirm = bench.command(DEALER, Body::confirm_result(TABLE));
            let start = Instant::now();
            bench.send(black_box(&confirm));
            start.elapsed()
        })
        .collect();
    median(runs)
}

/// Bytes of resident memory, as the system has it.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn main() {
    println!("floor: one core, no input or output, {RUNS} runs, medians; Sic Bo layout B, one bet per command");
    let before = resident();
    let idle = Bench::new(100_000);
    let per_terminal = resident().saturating_sub(before) / 100_000;
    println!("  state of an idle terminal                    {per_terminal:>8} bytes   (goal: under 2048)");
    drop(idle);
    let small = bet_cost(1_000, 20);
    println!(
        "  bet decided and applied, 1,000 terminals     {small:>8.0} ns      {:.2} million/s (goal: 2)",
        1e3 / small
    );
    let large = bet_cost(100_000, 5);
    println!(
        "  bet decided and applied, 100,000 terminals   {large:>8.0} ns      {:.2} × the cost (goal: under 2)",
        large / small
    );
    let settle = settle_cost(10_000, 20);
    println!(
        "  round of 10,000 terminals × 20 bets settled  {:>8.2} ms      (goal: under 2)",
        settle.as_secs_f64() * 1e3
    );
}
