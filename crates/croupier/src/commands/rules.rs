//! `croupier rules`: what the rulebooks say.

mod check;
mod data;
mod export;
mod list;
mod sheet;
mod show;

use clap::{Args, Subcommand};

use crate::output::Form;
use crate::refusal::Failure;

/// List, read, check and export rulebooks.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  croupier rules list
  croupier rules show rws-roulette-000
  croupier rules check ./my-pay-table.toml
  croupier rules export rws-sicbo --layout b")]
pub struct Rules {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Check(check::Check),
    Export(export::Export),
}

impl Rules {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        match &self.command {
            Command::List(list) => list.run(form),
            Command::Show(show) => show.run(form),
            Command::Check(check) => check.run(form),
            Command::Export(export) => export.run(),
        }
    }
}
