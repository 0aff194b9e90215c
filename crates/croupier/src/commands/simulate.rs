//! `croupier simulate`: rounds drawn by chance, against the exact figures.

use std::thread::available_parallelism;
use std::time::Instant;

use clap::Args;
use lab::simulate::{LiveBet, LiveLimits, LiveTable, Run, Simulation};
use rulebook::{Cents, Layout, Rulebook};
use serde::Serialize;

use super::session::refused;
use crate::bets;
use crate::game::{GameArg, LayoutArg};
use crate::output::{self, Answer, Form, SheetArg};
use crate::refusal::{Failure, Refusal};

/// Simulate random rounds, and compare them with the exact figures of the table.
#[derive(Args)]
#[command(after_help = "\
Without --bets one unit is bet on every spot, and every spot's own total is kept. With --bets the bets are folded into one \
row first and only their total is kept. Where a bet is written PLAYER:SPOT=AMOUNT, as in A:small=900, it is placed in a box \
of a live table: what exceeds --max or --differential is settled pro rata, and every player's own return is compared.

The same seed gives the same rounds on any number of threads. Exit code 1 if chance and the exact figures disagree: \
for an honest table that happens once in a thousand seeds.

Examples:
  croupier simulate rws-sicbo --layout b --rounds 100000000
  croupier simulate rws-roulette-000 --rounds 1000000000 --seed 7 --bets red=10 neighbours/21/2=1
  croupier simulate rws-taisai --rounds 10000000 --max 1000 --min 25 --differential 500 \\
    --bets A:small=900 B:small=300 C:small=20 D:big=200")]
pub struct Simulate {
    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    layout: LayoutArg,

    /// How many rounds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    rounds: u64,

    /// The seed of the rounds.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of threads; by default one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The least a player may bet in a box.
    #[arg(long, value_name = "AMOUNT", default_value = "0", allow_negative_numbers = true)]
    min: String,

    /// The most a box may hold.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    max: Option<String>,

    /// The largest permitted difference between big and small.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    differential: Option<String>,

    #[command(flatten)]
    sheet: SheetArg,

    /// The bets of every round.
    #[arg(long, value_name = "BET", num_args = 1..)]
    bets: Vec<String>,
}

/// The figures, and how long they took.
#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    simulation: &'a Simulation,
    threads: usize,
    seconds: f64,
}

impl Simulate {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let rulebook = self.game.rulebook()?;
        let layout = self.layout.one(&rulebook)?;
        let threads = self.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
        let bar = output::rounds(self.rounds);
        let run = Run { rounds: self.rounds, seed: self.seed, threads, progress: &|rounds| bar.inc(rounds) };
        let begun = Instant::now();
        let simulation = self.simulation(&rulebook, layout, run)?;
        let seconds = begun.elapsed().as_secs_f64();
        bar.finish_and_clear();
        let paper = simulation.paper();
        let text = match (self.sheet.write(|| paper.clone())?, form) {
            (Some(written), Form::Words) => written,
            _ => form.paper(&Timed { simulation: &simulation, threads, seconds }, &paper),
        };
        let text = match form {
            Form::Json => text,
            Form::Words => format!("{text}{}\n", speed(self.rounds, threads, seconds)),
        };
        Ok(if simulation.verdict.agrees { Answer::Done(text) } else { Answer::Findings(text) })
    }

    fn simulation(&self, rulebook: &Rulebook, layout: &Layout, run: Run<'_>) -> Result<Simulation, Failure> {
        if self.bets.is_empty() {
            return Ok(Simulation::of_spots(rulebook, layout, run));
        }
        if self.bets.iter().any(|bet| bet.contains(':')) {
            let live = LiveTable::new(rulebook, layout, &self.live_bets(rulebook, layout)?, self.limits(layout)?)
                .map_err(|error| Refusal::new(error.code(), error.to_string()))?;
            return Ok(Simulation::of_live(rulebook, layout, &live, run));
        }
        if self.max.is_some() || self.differential.is_some() {
            return Err(Failure::Usage(
                "limits of a box need players: write bets as PLAYER:SPOT=AMOUNT, as in A:small=900".to_owned(),
            ));
        }
        let bets = bets::placed(rulebook, layout, &self.bets)?;
        Ok(Simulation::of_bets(rulebook, layout, &bets, run).map_err(|error| refused(&error))?)
    }

    fn live_bets(&self, rulebook: &Rulebook, layout: &Layout) -> Result<Vec<LiveBet>, Refusal> {
        let mut live = Vec::new();
        for text in &self.bets {
            let shape = || format!("\"{text}\": with players, every bet is PLAYER:SPOT=AMOUNT, as in A:small=900");
            let (player, bet) = text.split_once(':').ok_or_else(|| Refusal::new("malformed_bet", shape()))?;
            for (bet, _) in bets::read(rulebook, layout, bet)? {
                live.push(LiveBet { player: player.to_owned(), spot: bets::place(layout, bet)?, stake: bet.stake });
            }
        }
        Ok(live)
    }

    fn limits(&self, layout: &Layout) -> Result<LiveLimits, Refusal> {
        let read = |text: &str| text.parse::<Cents>().map_err(Refusal::from);
        Ok(LiveLimits {
            minimum: read(&self.min)?,
            maximum: self.max.as_deref().map(read).transpose()?,
            differential: self.differential.as_deref().map(read).transpose()?,
            step: layout.table().step(),
        })
    }
}

fn speed(rounds: u64, threads: usize, seconds: f64) -> String {
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    format!("{:.2} s on {threads}, {:.0} million rounds/s", seconds, rounds as f64 / seconds.max(1e-9) / 1e6)
}
