//! `croupier verify`: what others have signed or given, without a floor.

mod checkpoint;
mod consistency;
mod receipt;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tlog::{Note, Policy, VerifierKey};

use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Verify a receipt, a signed head, or that a log has only grown.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Nothing but the files given is used: no floor, no network. Exit code 0: proved. 1: not proved. 2: wrong usage.

Examples:
  croupier verify receipt round-17.tlog-proof --key floor.vkey
  croupier verify checkpoint today.note --policy policy.txt
  croupier verify consistency yesterday.note today.note --proof growth.txt --key floor.vkey")]
pub struct Verify {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Receipt(receipt::Receipt),
    Checkpoint(checkpoint::Checkpoint),
    Consistency(consistency::Consistency),
}

impl Verify {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match &self.command {
            Command::Receipt(receipt) => receipt.run(form),
            Command::Checkpoint(checkpoint) => checkpoint.run(form),
            Command::Consistency(consistency) => consistency.run(form),
        }
    }
}

/// Whom to believe.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Trust {
    /// A policy: the logs that are trusted, and how many of which witnesses must have cosigned (C2SP tlog-policy).
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// The public key of the log, as `croupier log head --key` prints it: a file, or the key itself. No witness is asked for.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

impl Trust {
    fn policy(&self) -> Result<Policy, Refusal> {
        if let Some(file) = &self.policy {
            return policy(file);
        }
        let given = self.key.as_deref().unwrap_or_default();
        let key = if given.contains('+') { given.to_owned() } else { text(Path::new(given))? };
        let key = VerifierKey::parse(key.trim()).map_err(|error| Refusal::new("malformed_key", error.to_string()))?;
        Ok(Policy::of_log(key))
    }
}

fn text(file: &Path) -> Result<String, Refusal> {
    let unreadable = |error| Refusal::new("unreadable_file", format!("{}: {error}", file.display()));
    fs::read_to_string(file).map_err(unreadable)
}

/// A policy in a file.
pub fn policy(file: &Path) -> Result<Policy, Refusal> {
    Policy::parse(&text(file)?).map_err(|error| Refusal::new("malformed_policy", error.to_string()))
}

/// A signed head in a file.
pub fn note(file: &Path) -> Result<Note, Refusal> {
    let malformed = |error| Refusal::new("malformed_note", format!("{}: {error}", file.display()));
    Note::parse(text(file)?.as_bytes()).map_err(malformed)
}
