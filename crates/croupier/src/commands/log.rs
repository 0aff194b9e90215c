//! `croupier log`: the transparency log of a floor's journal.

mod export;
mod head;
mod prove;

use clap::{Args, Subcommand};
use receipts::Prover;
use receipts::heads::Head;

use crate::data::{ArchiveArg, DataArg};
use crate::output::Form;
use crate::refusal::{Failure, Refusal};

/// Print the signed head of a floor's log, prove what it contains, write it out as tiles.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Every record of the journal is an entry of the log, hidden by a salt. Its heads are signed every minute with new records, at \
each gaming day and whenever a floor stops. See docs/receipts.md.

Examples:
  croupier log head --data /srv/floor
  croupier log prove round 17 --data /srv/floor > round-17.tlog-proof
  croupier log prove record 4711 --data /srv/floor > record.tlog-proof
  croupier log export --data /srv/floor --to /srv/mirror")]
pub struct Log {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Head(head::Head),
    Prove(prove::Prove),
    Export(export::Export),
}

impl Log {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        match &self.command {
            Command::Head(head) => head.run(form),
            Command::Prove(prove) => prove.run(form),
            Command::Export(export) => export.run(form),
        }
    }
}

/// The log of a folder with its newest head.
fn open(data: &DataArg, archive: &ArchiveArg) -> Result<(Prover, Head), Refusal> {
    let folder = data.journal()?;
    let unreadable = |error| Refusal::disk("the log cannot be read", &error);
    let prover = Prover::open(folder, archive.folders()).map_err(unreadable)?;
    let none = || Refusal::new("no_log", "there is no signed head yet: one is signed every minute with new records");
    let prover = prover.ok_or_else(none)?;
    let head = prover.newest().map_err(unreadable)?.ok_or_else(none)?;
    Ok((prover, head))
}

/// A hash, for people and programs.
fn base64(bytes: &[u8]) -> String {
    tlog::to_base64(bytes)
}
