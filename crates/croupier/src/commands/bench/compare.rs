//! `croupier bench compare`: a host beside its peers, in one run.

use std::time::Duration;

use ::load::{Comparison, Goal};
use clap::Args;

use crate::output::{Answer, Form};
use crate::program;
use crate::refusal::{Failure, Refusal};

/// Measure a host beside a bare loop of socket writes, a ws (Node) server, a bare echo server and the bare journal.
#[derive(Args)]
pub struct Compare {
    /// Player Terminals.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    terminals: usize,

    /// How long each rate is measured.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seconds: u64,
}

impl Compare {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        ::load::allow_files(super::files(self.terminals)).map_err(super::failed)?;
        let program = std::env::current_exe().map_err(|error| Refusal::disk("cannot find the program", &error))?;
        let time = Duration::from_secs(self.seconds.max(1));
        let all = ::load::compare(&program, program::release()?, self.terminals, time).map_err(super::failed)?;
        Ok(Answer::Done(match form {
            Form::Json => serde_json::to_string(&all).map(|line| line + "\n").unwrap_or_default(),
            Form::Words => words(&all),
        }))
    }
}

fn words(all: &Comparison) -> String {
    let mut text = String::new();
    for line in &all.lines {
        let goal = match line.goal {
            Goal::AtMost(most) => format!("at most {most}"),
            Goal::AtLeast(least) => format!("at least {least}"),
            Goal::None => String::new(),
        };
        let met = match line.is_met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        text.push_str(&format!("{:<62}{:>12.2} {:<4}{goal:<18}{met}\n", line.what, line.value, line.unit));
    }
    for skipped in &all.skipped {
        text.push_str(&format!("skipped: {skipped}\n"));
    }
    text
}

/// Serve as a peer of a comparison; it starts these by itself.
#[derive(Args)]
#[command(hide = true)]
pub struct Peer {
    /// `loop` or `echo`.
    kind: String,

    /// How many clients are waited for.
    #[arg(long, default_value_t = 1)]
    clients: usize,

    /// How long the message is.
    #[arg(long, default_value_t = 64)]
    bytes: usize,
}

impl Peer {
    pub fn run(&self) -> Result<Answer, Failure> {
        ::load::allow_files(super::files(self.clients)).map_err(super::failed)?;
        ::load::serve_peer(&self.kind, self.clients, self.bytes).map_err(super::failed)?;
        Ok(Answer::Done(String::new()))
    }
}
