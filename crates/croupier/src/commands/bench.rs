//! `croupier bench`: what a host can do, measured from outside.

mod attack;
mod compare;
mod load;
mod soak;

use clap::{Args, Subcommand};

use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Measure a host with a crowd of Player Terminals.
#[derive(Args)]
#[command(after_help = "\
Examples:
  croupier bench load bets --terminals 1000
  croupier bench compare
  croupier bench attack --terminals 10000
  croupier bench soak --minutes 5 --every 10 --keeps-mib 64")]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Load(load::Load),
    Compare(compare::Compare),
    Soak(soak::Soak),
    Attack(attack::Attack),
    Peer(compare::Peer),
}

impl Bench {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match &self.what {
            What::Load(load) => load.run(form),
            What::Compare(compare) => compare.run(form),
            What::Soak(soak) => soak.run(form),
            What::Attack(attack) => attack.run(form),
            What::Peer(peer) => peer.run(),
        }
    }
}

/// Nothing could be measured.
fn failed(error: load_crate::Failed) -> Refusal {
    Refusal::new("bench", error.0)
}

/// The open files that this many terminals need, with some for everything else.
fn files(terminals: usize) -> u64 {
    terminals as u64 + 1_000
}

use ::load as load_crate;
