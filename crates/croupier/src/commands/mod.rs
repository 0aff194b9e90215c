//! The commands, one file each.

mod expand;
mod odds;
mod prorata;
mod rules;
mod settle;

use clap::Subcommand;

use crate::output::Form;
use crate::refusal::Failure;

/// What can be asked for.
#[derive(Subcommand)]
pub enum Command {
    Rules(rules::Rules),
    Odds(odds::Odds),
    Settle(settle::Settle),
    Expand(expand::Expand),
    Prorata(prorata::Prorata),
}

impl Command {
    /// The answer in the form that is wanted.
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        match self {
            Command::Rules(rules) => rules.run(form),
            Command::Odds(odds) => odds.run(form),
            Command::Settle(settle) => settle.run(form),
            Command::Expand(expand) => expand.run(form),
            Command::Prorata(prorata) => prorata.run(form),
        }
    }
}
