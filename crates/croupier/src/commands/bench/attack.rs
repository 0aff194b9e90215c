//! `croupier bench attack`: what a flood from one address does to bets.

use std::time::Duration;

use ::load::{Answers, Attacked};
use clap::Args;

use crate::output::{Answer, Form};
use crate::program;
use crate::refusal::{Failure, Refusal};

/// Measure bets while one address floods the host.
#[derive(Args)]
#[command(after_help = "\
Terminals bet in an open loop, first undisturbed and then while another address sends wrong sign-ins, opens feeds that it \
does not read, starts request bodies that it never finishes, and sends messages of 60 KiB and 1 MiB. The host has its \
default settings. There is a result only if every kind of attack reached the host and every bet was accepted. Host, \
terminals and attacker share this machine.

Examples:
  croupier bench attack
  croupier bench attack --terminals 1000 --rate 2000 --seconds 5 --json")]
pub struct Attack {
    /// Player Terminals.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    terminals: usize,

    /// Bets a second, of all terminals together.
    #[arg(long, value_name = "N", default_value_t = 5_000.0)]
    rate: f64,

    /// How long each is measured.
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
}

impl Attack {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        if self.terminals == 0 || self.rate <= 0.0 || self.seconds == 0 {
            return Err(Failure::Usage("at least one terminal, one second, and a rate above zero".to_owned()));
        }
        ::load::allow_files(super::files(self.terminals) + ::load::FILES_OF_AN_ATTACK).map_err(super::failed)?;
        let program = std::env::current_exe().map_err(|error| Refusal::disk("cannot find the program", &error))?;
        let time = Duration::from_secs(self.seconds);
        let done = ::load::attack(&program, program::release()?, self.terminals, self.rate, time);
        let done = done.map_err(super::failed)?;
        Ok(Answer::Done(match form {
            Form::Json => serde_json::to_string(&done).map(|line| line + "\n").unwrap_or_default(),
            Form::Words => words(&done),
        }))
    }
}

/// The result as a page.
fn words(done: &Attacked) -> String {
    let mut text = format!("bets of {} terminals, undisturbed and under attack\n\n", done.terminals);
    for (name, calm, attacked) in [
        ("half within, ms", done.calm.p50, done.attacked.p50),
        ("99 of 100 within, ms", done.calm.p99, done.attacked.p99),
        ("longest, ms", done.calm.max, done.attacked.max),
    ] {
        text.push_str(&format!("  {name:<28}{calm:>14.3}{attacked:>14.3}\n"));
    }
    text.push_str(&format!("  {:<28}{:>28.2}\n\n", "99 of 100, ratio", done.ratio));
    text.push_str(&format!("  {:<28}{:>10}{:>10}{:>14}{:>10}\n", "attack", "sent", "reached", "turned away", "other"));
    for (name, Answers { sent, reached, turned_away, other }) in [
        ("wrong sign-ins (401)", done.sign_ins),
        ("feeds (101)", done.feeds),
        ("stalled bodies (408)", done.stalled),
        ("huge messages (feed ended)", done.huge),
    ] {
        text.push_str(&format!("  {name:<28}{sent:>10}{reached:>10}{turned_away:>14}{other:>10}\n"));
    }
    text
}
