//! `croupier simulate-floor`: whole floors driven from seeds, with every event checked.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use simulator::{Course, Failure as Broken, Rounds, STEPS, Summary, USUAL, sweep};

use crate::output::Column::{Figure, Name};
use crate::output::{Answer, Form, Page, json};
use crate::refusal::{Failure, Refusal};

/// Drive whole floors from seeds, and check every event of them.
#[derive(Args)]
#[command(after_help = "\
A seed decides which tables stand on a floor, what dealers, players, devices, pit, cage and clock do, which commands arrive \
late, twice or never, and when the power fails. After every event the books must balance, a second, naive model must agree \
with every settlement, and a floor rebuilt from its log must be identical. All processors are used. Without TO it runs until \
it is interrupted.

Exit code 1 and the seed if a check fails; the same seed reproduces the failure.

Examples:
  croupier simulate-floor --seeds 0..3000
  croupier simulate-floor --seeds 17..18 --steps 2000
  croupier simulate-floor --seeds 0..300 --dishonesty 500
  croupier simulate-floor")]
pub struct SimulateFloor {
    /// The seeds to run: from FROM up to, but not including, TO.
    #[arg(long, value_name = "FROM..TO", default_value = "0..", value_parser = seeds)]
    seeds: Range<u64>,

    /// The steps of each run.
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,

    /// How dishonest people and devices are, in per cent of the usual rate: wrong results, second tumbles, acts by the
    /// wrong person, false and late reports.
    #[arg(long, value_name = "RATE", default_value_t = USUAL, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    dishonesty: u32,
}

/// `FROM..TO`, `FROM..` or one seed.
pub(super) fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("\"{text}\" is not a seed"));
    let seeds = match text.split_once("..") {
        None => number(text).and_then(|seed| Ok(seed..seed.checked_add(1).ok_or("there is no seed so large")?))?,
        Some((from, "")) => number(from)?..u64::MAX,
        Some((from, to)) => number(from)?..number(to)?,
    };
    if seeds.is_empty() { Err("no seeds: FROM must be below TO".to_owned()) } else { Ok(seeds) }
}

#[derive(Serialize)]
struct Report<'a> {
    from: u64,
    seeds: u64,
    steps: u64,
    seconds: f64,
    accepted: u64,
    retried: u64,
    refused: BTreeMap<&'a str, u64>,
    events: &'a BTreeMap<&'static str, u64>,
    rounds: BTreeMap<&'a str, RoundsRow>,
    crashes: u64,
    largest_batch: usize,
}

#[derive(Serialize)]
struct RoundsRow {
    settled: u64,
    void: u64,
    corrected: u64,
    voided_later: u64,
}

impl SimulateFloor {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
            .map_err(|error| Refusal::new("no_signals", format!("interrupts cannot be handled: {error}")))?;
        let bar = self.progress();
        let begun = Instant::now();
        let course = Course { steps: self.steps, dishonesty: self.dishonesty };
        let threads = available_parallelism().map_or(1, usize::from);
        let swept = sweep(self.seeds.clone(), course, threads, &|_| bar.inc(1), &stop);
        bar.finish_and_clear();
        Ok(match swept {
            Ok(summary) => Answer::Done(self.report(form, &summary, begun.elapsed())),
            Err(broken) => Answer::Findings(findings(form, &broken)),
        })
    }

    /// Shown on a terminal only.
    fn progress(&self) -> ProgressBar {
        let endless = self.seeds.end == u64::MAX;
        let bar = if endless { ProgressBar::no_length() } else { ProgressBar::new(self.seeds.end - self.seeds.start) };
        let template = if endless {
            "{spinner} {pos} seeds in {elapsed_precise}, {per_sec}; Ctrl-C ends it"
        } else {
            "{wide_bar} {pos} of {len} seeds, {per_sec}, {eta} left"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn report(&self, form: Form, summary: &Summary, took: Duration) -> String {
        let row = |rounds: &Rounds| RoundsRow {
            settled: rounds.settled,
            void: rounds.void,
            corrected: rounds.corrected,
            voided_later: rounds.voided_later,
        };
        let report = Report {
            from: self.seeds.start,
            seeds: summary.seeds,
            steps: summary.steps,
            seconds: took.as_secs_f64(),
            accepted: summary.accepted,
            retried: summary.retried,
            refused: summary.refused.iter().map(|(code, count)| (code.as_str(), *count)).collect(),
            events: &summary.events,
            rounds: summary.games.iter().map(|(game, rounds)| (*game, row(rounds))).collect(),
            crashes: summary.crashes,
            largest_batch: summary.largest_batch,
        };
        form.render(&report, |page| self.write(page, summary, took))
    }

    fn write(&self, page: &mut Page, summary: &Summary, took: Duration) {
        let upper = self.seeds.start + summary.seeds;
        page.words(&format!(
            "Seeds {}..{upper}: nothing failed in {} steps, {:.1} s.",
            self.seeds.start,
            summary.steps,
            took.as_secs_f64()
        ));
        page.heading("Rounds");
        let cells = |(game, rounds): (&&str, &Rounds)| {
            let figures = [rounds.settled, rounds.void, rounds.corrected, rounds.voided_later];
            std::iter::once((*game).to_owned()).chain(figures.map(|count| count.to_string())).collect::<Vec<_>>()
        };
        let columns =
            [Name("Game"), Figure("Settled"), Figure("Void"), Figure("Corrected later"), Figure("Voided later")];
        page.table(&columns, summary.games.iter().map(cells));
        page.heading("Commands");
        let counts = [
            ("accepted", summary.accepted),
            ("refused", summary.refusals()),
            ("retries known as such", summary.retried),
            ("power failures", summary.crashes),
        ];
        let counts = counts.map(|(what, count)| [what.to_owned(), count.to_string()]);
        page.table(&[Name(""), Figure("Times")], counts);
        page.heading("Refusals");
        let refused = summary.refused.iter().map(|(code, count)| [code.to_string(), count.to_string()]);
        page.table(&[Name("Code"), Figure("Times")], refused);
        page.heading("Events");
        let events = summary.events.iter().map(|(kind, count)| [(*kind).to_owned(), count.to_string()]);
        page.table(&[Name("Kind"), Figure("Times")], events);
    }
}

fn findings(form: Form, broken: &Broken) -> String {
    match form {
        Form::Words => format!("{broken}\n"),
        Form::Json => {
            let Broken { seed, steps, dishonesty, step, what, recent } = broken;
            let recent: Vec<String> = recent.iter().map(ToString::to_string).collect();
            json(&json!({
                "failure": { "seed": seed, "steps": steps, "dishonesty": dishonesty, "step": step, "what": what, "recent": recent }
            }))
        }
    }
}
