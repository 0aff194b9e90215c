//! `croupier journal`: a floor's journal as it lies on the disk.

mod anchor;
mod archive;
mod dump;

use clap::{Args, Subcommand};

use crate::output::Form;
use crate::refusal::Failure;

/// Dump a floor's journal, archive its old segments, print its last checkpoint.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  croupier journal dump --data /srv/floor --from 1000 --to 2000
  croupier journal anchor --data /srv/floor >> /elsewhere/anchors.txt
  croupier journal archive --data /srv/floor --to /archive/floor")]
pub struct Journal {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dump(dump::Dump),
    Anchor(anchor::Anchor),
    Archive(archive::Archive),
}

impl Journal {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        match &self.command {
            Command::Dump(dump) => dump.run(),
            Command::Anchor(anchor) => anchor.run(form),
            Command::Archive(archive) => archive.run(form),
        }
    }
}
