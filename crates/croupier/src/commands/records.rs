//! `croupier records`: the read model beside the journal.

mod log;
mod rebuild;
mod recall;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

pub use self::log::Log;
use crate::output::Form;
use crate::refusal::{Failure, Refusal};

/// Rebuild the records of a floor from its journal, and print a terminal's last rounds.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
The records are a SQLite file in the floor's folder, which a running floor keeps up to date by itself. Nothing in it is a \
source of truth: it can be deleted and rebuilt at any time.

Examples:
  croupier records rebuild --data /srv/floor
  croupier records recall --data /srv/floor --terminal 3")]
pub struct Records {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Rebuild(rebuild::Rebuild),
    Recall(recall::Recall),
}

impl Records {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        match &self.command {
            Command::Rebuild(rebuild) => rebuild.run(form),
            Command::Recall(recall) => recall.run(form),
        }
    }
}

/// The file of the records of a floor.
pub fn file(data: &Path) -> PathBuf {
    data.join(records::FILE)
}

fn refused(error: &records::Error) -> Refusal {
    Refusal::new("records", error.to_string())
}
