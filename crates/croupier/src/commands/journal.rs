//! `croupier journal`: a floor's journal as it lies on the disk.

mod anchor;
mod archive;
mod check;
mod copy;
mod dump;

use clap::{Args, Subcommand};

use crate::output::{Answer, Form};
use crate::refusal::Failure;

/// Dump a floor's journal, copy it to a cluster and back, archive its old segments, print its last checkpoint.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  croupier journal dump --data /srv/floor --from 1000 --to 2000
  croupier journal anchor --data /srv/floor >> /elsewhere/anchors.txt
  croupier journal archive --data /srv/floor --to /archive/floor
  croupier journal copy /srv/floor nats://one:4222,nats://two:4222,nats://three:4222/main
  croupier journal check nats://one:4222,nats://two:4222,nats://three:4222")]
pub struct Journal {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dump(dump::Dump),
    Anchor(anchor::Anchor),
    Archive(archive::Archive),
    Copy(copy::Copy),
    Check(check::Check),
}

impl Journal {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match &self.command {
            Command::Dump(dump) => dump.run().map(Answer::from),
            Command::Anchor(anchor) => anchor.run(form).map(Answer::from),
            Command::Archive(archive) => archive.run(form).map(Answer::from),
            Command::Copy(copy) => copy.run(form).map(Answer::from),
            Command::Check(check) => check.run(form),
        }
    }
}
