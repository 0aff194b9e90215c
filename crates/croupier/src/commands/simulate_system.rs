//! `croupier simulate-system`: the whole system driven from seeds, with everything that is promised checked after every step.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use system::{Course, Failure as Broken, Fault, STEPS, Summary, command, play, sweep};

use super::simulate_floor::seeds;
use crate::output::Column::{Figure, Name};
use crate::output::{Answer, Form, Page, json};
use crate::refusal::{Failure, Refusal};

/// Drive the whole system from seeds: play, engine, journal on a faulty disk, records, hosts on a faulty cluster.
#[derive(Args)]
#[command(after_help = "\
A seed decides what people and devices do, when the disk fails, is full or loses what was not synced, when the process is \
killed or the power goes, when a snapshot, a backup or an archive is made; for every third seed also what three hosts and \
the network between them do. The engine, the journal and the records are the program's own. After every step: nothing that \
was acknowledged is lost or duplicated, nothing was shown that is not durable, two hosts never write in turn, and at the end \
the records are equal to rebuilt ones. Without TO it runs until it is interrupted.

Exit code 1 and the seed if a check fails, with the smallest part of the run that still fails.

Examples:
  croupier simulate-system --seeds 0..200
  croupier simulate-system --seeds 17 --steps 2000
  croupier simulate-system --seeds 17 --steps 212 --without kill,bit-rot --skip 3,10-40")]
pub struct SimulateSystem {
    /// The seeds to run: from FROM up to, but not including, TO.
    #[arg(long, value_name = "FROM..TO", default_value = "0..", value_parser = seeds)]
    seeds: Range<u64>,

    /// The steps of each run.
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,

    /// Faults that do not happen, as a failure names them; one seed.
    #[arg(long, value_name = "FAULTS", value_delimiter = ',')]
    without: Vec<Fault>,

    /// Steps that are left out, as a failure names them; one seed.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = range)]
    skip: Vec<(u32, u32)>,
}

/// `7` or `3-9`.
fn range(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("\"{text}\" is not a step"));
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (number(from)?, number(to)?);
    if from <= to { Ok((from, to)) } else { Err("no steps: the first is above the last".to_owned()) }
}

#[derive(Serialize)]
struct Report<'a> {
    from: u64,
    seeds: u64,
    clusters: u64,
    steps: u64,
    seconds: f64,
    floor_hours: u64,
    accepted: u64,
    answered: u64,
    records: u64,
    faults: &'a BTreeMap<&'static str, u64>,
    checks: &'a BTreeMap<&'static str, u64>,
}

impl SimulateSystem {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let swept = if self.without.is_empty() && self.skip.is_empty() { self.sweep()? } else { play(&self.course()?) };
        Ok(match swept {
            Ok(summary) => Answer::Done(self.report(form, &summary, begun.elapsed())),
            Err(broken) => Answer::Findings(findings(form, &broken)),
        })
    }

    fn sweep(&self) -> Result<Result<Summary, Broken>, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
            .map_err(|error| Refusal::new("no_signals", format!("interrupts cannot be handled: {error}")))?;
        let bar = self.progress();
        let threads = available_parallelism().map_or(1, usize::from);
        let swept = sweep(self.seeds.clone(), self.steps, threads, &|_| bar.inc(1), &stop);
        bar.finish_and_clear();
        Ok(swept)
    }

    /// One seed, less what was left out.
    fn course(&self) -> Result<Course, Failure> {
        if self.seeds.end.checked_sub(self.seeds.start) != Some(1) {
            let words = "--without and --skip are of one seed: name it with --seeds";
            return Err(Refusal::new("one_seed", words.to_owned()).into());
        }
        let skipped: BTreeSet<u32> = self.skip.iter().flat_map(|(from, to)| *from..=(*to).min(self.steps)).collect();
        let without = self.without.iter().copied().collect();
        Ok(Course { without, skipped, ..Course::of(self.seeds.start, self.steps) })
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
        let report = Report {
            from: self.seeds.start,
            seeds: summary.seeds,
            clusters: summary.clusters,
            steps: summary.steps,
            seconds: took.as_secs_f64(),
            floor_hours: summary.hours(),
            accepted: summary.accepted,
            answered: summary.answered,
            records: summary.records,
            faults: &summary.faults,
            checks: &summary.checks,
        };
        form.render(&report, |page| self.write(page, summary, took))
    }

    fn write(&self, page: &mut Page, summary: &Summary, took: Duration) {
        page.words(&format!(
            "Seeds {}..{}: nothing failed in {} steps and {} hours on the floor, {:.1} s.",
            self.seeds.start,
            self.seeds.start + summary.seeds,
            summary.steps,
            summary.hours(),
            took.as_secs_f64()
        ));
        page.heading("Play");
        let counts = [
            ("floors with one host", summary.seeds - summary.clusters),
            ("floors with three hosts", summary.clusters),
            ("commands answered", summary.answered),
            ("commands accepted", summary.accepted),
            ("records", summary.records),
        ];
        page.table(&[Name(""), Figure("Times")], counts.map(|(what, count)| [what.to_owned(), count.to_string()]));
        for (heading, counts) in [("What happened", &summary.faults), ("What was done and compared", &summary.checks)] {
            page.heading(heading);
            let rows = counts.iter().map(|(what, count)| [(*what).to_owned(), count.to_string()]);
            page.table(&[Name(""), Figure("Times")], rows);
        }
    }
}

fn findings(form: Form, broken: &Broken) -> String {
    match form {
        Form::Words => format!("{broken}\n"),
        Form::Json => {
            let Broken { course, step, what, shrunk } = broken;
            let shrunk = shrunk.as_ref().map(|shrunk| json!({ "what": shrunk.1, "command": command(&shrunk.0) }));
            let failure = json!({
                "seed": course.seed, "steps": course.steps, "step": step, "what": what,
                "command": command(course), "shrunk": shrunk
            });
            json(&json!({ "failure": failure }))
        }
    }
}
