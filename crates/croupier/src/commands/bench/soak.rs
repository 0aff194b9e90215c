//! `croupier bench soak`: the demonstration under load for a long time.

use std::time::Duration;

use ::load::{Sample, Soak as Plan, Soaked};
use clap::Args;

use crate::output::{self, Answer, Form};
use crate::refusal::{Failure, Refusal};

const MIB: f64 = 1_048_576.0;

/// Run the demonstration under load and see that memory stays flat and the disk within its retention.
#[derive(Args)]
#[command(after_help = "\
The demonstration is started in a temporary folder as a process of its own. Beside its own tables a crowd of terminals bets \
at one more, some go and come back, displays watch. Progress is printed on standard error. At the end the demonstration is \
stopped and everything it ever wrote is audited. Exit code 1: something grew, hung or failed.

Memory is flat if the median of the last third is at most that of the second third plus 5 % and 8 MiB: the first third is \
for warming up. The journal must have been cut by its retention and stay within it, give or take the minute between two \
looks. Records are kept for two gaming days, so that only their growth for each record is judged.

Examples:
  croupier bench soak
  croupier bench soak --minutes 5 --every 10 --keeps-mib 64")]
pub struct Soak {
    /// How long.
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    minutes: f64,

    /// Seconds between two lines.
    #[arg(long, value_name = "N", default_value_t = 30)]
    every: u64,

    /// Player Terminals that bet.
    #[arg(long, value_name = "N", default_value_t = 300)]
    terminals: usize,

    /// Displays that watch.
    #[arg(long, value_name = "N", default_value_t = 60)]
    watchers: usize,

    /// Bets a second while bets are open.
    #[arg(long, value_name = "N", default_value_t = 200.0)]
    rate: f64,

    /// MiB of journal that the demonstration keeps.
    #[arg(long, value_name = "N", default_value_t = 256)]
    keeps_mib: u64,
}

impl Soak {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        if self.terminals == 0 || self.every == 0 || self.minutes.is_nan() || self.minutes <= 0.0 || self.rate <= 0.0 {
            return Err(Failure::Usage("minutes, seconds, terminals and a rate above zero".to_owned()));
        }
        ::load::allow_files(super::files(self.terminals + self.watchers)).map_err(super::failed)?;
        let plan = Plan {
            program: std::env::current_exe().map_err(|error| Refusal::disk("cannot find the program", &error))?,
            time: Duration::from_secs_f64(self.minutes * 60.0),
            every: Duration::from_secs(self.every),
            terminals: self.terminals,
            watchers: self.watchers,
            rate: self.rate,
            keeps_mib: self.keeps_mib,
        };
        let soaked = ::load::soak(&plan, |sample| eprintln!("  {}", line(sample))).map_err(super::failed)?;
        let text = match form {
            Form::Json => output::json(&soaked),
            Form::Words => words(&soaked),
        };
        Ok(if soaked.met { Answer::Done(text) } else { Answer::Findings(text) })
    }
}

/// One line.
fn line(sample: &Sample) -> String {
    let mib = |bytes: u64| bytes as f64 / MIB;
    format!(
        "{:>6.0} s  memory {:.1} MiB  files {}  threads {}  journal {:.1} MiB (-{})  snapshots {:.1} MiB  records {:.1} MiB  \
         lag {}  bets {} + {} refused  p99 {:.1} ms  rounds {}  report {} rows in {:.0} ms",
        sample.elapsed,
        mib(sample.memory),
        sample.files,
        sample.threads,
        mib(sample.journal),
        sample.removed,
        mib(sample.snapshots),
        mib(sample.records),
        sample.lag,
        sample.accepted,
        sample.refused,
        sample.p99,
        sample.rounds,
        sample.rows,
        sample.report,
    )
}

fn words(soaked: &Soaked) -> String {
    let mut text = format!(
        "{:.0} s with {} terminals and {} displays; up after {:.1} s, {} bets acknowledged, {} refused, {} rounds at the \
         crowd's table, {} returns\n\n",
        soaked.seconds,
        soaked.terminals,
        soaked.watchers,
        soaked.up_after,
        soaked.accepted,
        soaked.refused,
        soaked.rounds,
        soaked.returns
    );
    for check in &soaked.checks {
        let met = if check.met { "met" } else { "MISSED" };
        let most = format!("at most {:.1}", check.most);
        text.push_str(&format!("{:<52}{:>12.1} {:<6}{most:<18}{met}\n", check.what, check.value, check.unit));
    }
    for trouble in &soaked.trouble {
        text.push_str(&format!("{trouble}\n"));
    }
    text
}
