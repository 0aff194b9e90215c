//! `croupier bench load`: bets, broadcasts and reconnections by thousands of terminals.

use std::net::SocketAddr;
use std::time::Duration;

use ::load::{House, Login, Mode, Pace, Plan, Report};
use clap::{Args, ValueEnum};

use crate::output::{Answer, Form};
use crate::program;
use crate::refusal::{Failure, Refusal};

/// What is measured.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum Kind {
    /// Bets a second, and how long each takes.
    Bets,
    /// From the dealer's "No more bets" until the last terminal has it.
    Fanout,
    /// From the result's entry until the last terminal has its own new credit.
    Settle,
    /// From the host's start until every terminal is current again.
    Reconnect,
    /// Every terminal bets in the last second before the close.
    LastSecond,
}

/// Put a host under the load of a crowd of Player Terminals.
#[derive(Args)]
#[command(after_help = "\
Without an address a host is started in a temporary folder, as a process of its own. With one, its administrator sets up a \
table and the terminals over the API: the password is read from CROUPIER_ADMIN_PASSWORD, and that of administrator2, who \
signs, from CROUPIER_ADMIN2_PASSWORD. These stay on the floor: do not use the address of a floor in play.

Money and voids take two people, and two whom the same administrators employ on one day sign for each other on the floor's \
first gaming day only. On an older floor, --second names a Pit Manager who is there already; the password is read from \
CROUPIER_SECOND_PASSWORD.

In an open loop (--rate) a message's time runs from when it was meant to be sent, not from when it was: a host that \
stalls is not given that time for free.

Examples:
  croupier bench load
  croupier bench load fanout --terminals 10000
  croupier bench load bets --terminals 1000 --rate 20000 --seconds 10
  croupier bench load bets --bets 10 --json")]
pub struct Load {
    /// What to measure.
    #[arg(value_enum, default_value = "bets")]
    kind: Kind,

    /// Player Terminals.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    terminals: usize,

    /// How long bets are placed.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seconds: u64,

    /// Bets in each message.
    #[arg(long, value_name = "N", default_value_t = 1)]
    bets: usize,

    /// Messages a second in an open loop; left out, each terminal waits for its answer.
    #[arg(long, value_name = "N")]
    rate: Option<f64>,

    /// The number of rounds to measure, for what happens once a round.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,

    /// The address of a running host.
    #[arg(long, value_name = "ADDRESS")]
    address: Option<SocketAddr>,

    /// Its floor.
    #[arg(long, value_name = "NAME", default_value = "main")]
    floor: String,

    /// Its administrator's login.
    #[arg(long, value_name = "LOGIN", default_value = "administrator")]
    login: String,

    /// A Pit Manager of the floor who signs as the second person; otherwise one is employed.
    #[arg(long, value_name = "LOGIN", requires = "address")]
    second: Option<String>,
}

impl Load {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        if self.terminals == 0 || !(1..=12).contains(&self.bets) || self.rate.is_some_and(|rate| rate <= 0.0) {
            return Err(Failure::Usage(
                "at least one terminal, 1 to 12 bets in a message, a rate above zero".to_owned(),
            ));
        }
        ::load::allow_files(super::files(self.terminals)).map_err(super::failed)?;
        let mut house = self.house()?;
        let plan = Plan {
            mode: match self.kind {
                Kind::Bets => Mode::Bets,
                Kind::Fanout => Mode::Fanout,
                Kind::Settle => Mode::Settle,
                Kind::Reconnect => Mode::Reconnect,
                Kind::LastSecond => Mode::LastSecond,
            },
            time: Duration::from_secs(self.seconds),
            bets: self.bets,
            pace: self.rate.map_or(Pace::Closed, Pace::Open),
            rounds: self.rounds.max(1),
        };
        let report = ::load::run(&mut house, plan).map_err(super::failed)?;
        Ok(Answer::Done(match form {
            Form::Json => serde_json::to_string(&report).map(|line| line + "\n").unwrap_or_default(),
            Form::Words => words(&report),
        }))
    }

    fn house(&self) -> Result<House, Refusal> {
        match self.address {
            None => {
                let program =
                    std::env::current_exe().map_err(|error| Refusal::disk("cannot find the program", &error))?;
                House::make(&program, program::release()?, self.terminals).map_err(super::failed)
            }
            Some(address) => {
                let password = std::env::var("CROUPIER_ADMIN_PASSWORD").map_err(|_| {
                    Refusal::new("bench", "give the administrator's password in CROUPIER_ADMIN_PASSWORD")
                })?;
                // A second administrator signs (D27).
                let second = std::env::var("CROUPIER_ADMIN2_PASSWORD").unwrap_or_else(|_| password.clone());
                let login = Login { name: self.login.clone(), password };
                let other = Login { name: "administrator2".to_owned(), password: second };
                let second = self.second.as_ref().map(|name| {
                    let password = std::env::var("CROUPIER_SECOND_PASSWORD").map_err(|_| {
                        Refusal::new("bench", "give the second person's password in CROUPIER_SECOND_PASSWORD")
                    })?;
                    Ok::<_, Refusal>(Login { name: name.clone(), password })
                });
                let second = second.transpose()?;
                House::at(address, &self.floor, [&login, &other], second.as_ref(), self.terminals)
                    .map_err(super::failed)
            }
        }
    }
}

/// The report as a page.
fn words(report: &Report) -> String {
    let mut text = format!("{} with {} terminals\n\n", report.mode, report.terminals);
    let mut row = |name: &str, value: String| text.push_str(&format!("  {name:<28}{value:>14}\n"));
    if report.messages > 0 {
        row("messages answered", report.messages.to_string());
        row("bets accepted", report.bets.to_string());
        row("messages refused", report.refused.to_string());
        row("messages left hanging", report.hanging.to_string());
    }
    if report.bets_a_second > 0.0 {
        row("bets accepted a second", format!("{:.0}", report.bets_a_second));
    }
    if let Some(latency) = report.latency {
        for (name, value) in [
            ("half within, ms", latency.p50),
            ("90 of 100 within, ms", latency.p90),
            ("99 of 100 within, ms", latency.p99),
            ("999 of 1,000 within, ms", latency.p999),
            ("longest, ms", latency.max),
        ] {
            row(name, format!("{value:.3}"));
        }
    }
    if let Some(bytes) = report.memory_each {
        row("host memory a connection", format!("{:.1} KiB", bytes as f64 / 1024.0));
    }
    text
}
