//! `croupier witness`: cosigns the heads of logs that only grow, for a regulator or another casino.

mod keygen;
mod run;

use clap::{Args, Subcommand};

use crate::output::{Answer, Form};
use crate::refusal::Failure;

/// Run a witness of the logs of other houses: it cosigns a head only if the log has grown from the last one.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
A witness belongs to someone whom the house does not control: a regulator, or another casino. It has a key and one file of \
state, and never cosigns a head that contradicts one before it (C2SP tlog-witness). See docs/receipts.md.

Examples:
  croupier witness keygen regulator.example --key witness.key --state witness.state > witness.vkey
  croupier witness run --key witness.key --state witness.state --policy logs.txt --listen 127.0.0.1:8090")]
pub struct Witness {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Keygen(keygen::Keygen),
    Run(run::Run),
}

impl Witness {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match &self.command {
            Command::Keygen(keygen) => keygen.run(form).map(Answer::from),
            Command::Run(run) => run.run(form),
        }
    }
}
