//! `croupier session`: what rounds of given bets can bring, exactly.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use lab::session::{Limits, Session as Figures, SessionError};
use rulebook::{Cents, Layout, Rulebook, SpotIndex};

use crate::bets;
use crate::game::{GameArg, LayoutArg};
use crate::output::{Form, SheetArg};
use crate::refusal::{Failure, Refusal};

/// Compute the exact distribution, risk of ruin and hold for a number of rounds of given bets.
#[derive(Args)]
#[command(after_help = "\
A BET is SPOT=AMOUNT, as in double/5=20.00. The same bets are made in every round. With --bankroll the player stops when it \
does not cover the bets of a round, with --target when it reaches that amount. Nothing is sampled: the whole distribution is \
computed, and the answer states its precision.

--mix FILE is for a table with many players: each line is WEIGHT,BETS (bets separated by spaces), and each round is one of \
the lines, chosen by its weight.

Examples:
  croupier session rws-sicbo --layout a --rounds 1000 --bankroll 500 --target 1000 small=10 total/9=2
  croupier session rws-roulette-000 --rounds 10000 --sheet session.pdf neighbours/21/2=1
  croupier session rws-taisai --rounds 100000 --mix mix.csv")]
pub struct Session {
    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    layout: LayoutArg,

    /// How many rounds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,

    /// The player's starting bankroll.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    bankroll: Option<String>,

    /// The amount at which the player stops.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, requires = "bankroll")]
    target: Option<String>,

    /// A file with the mix of bets of a table.
    #[arg(long, value_name = "FILE", conflicts_with = "bets")]
    mix: Option<PathBuf>,

    #[command(flatten)]
    sheet: SheetArg,

    /// The bets of every round.
    #[arg(value_name = "BET", required_unless_present = "mix")]
    bets: Vec<String>,
}

impl Session {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let layout = self.layout.one(&rulebook)?;
        let sets = match &self.mix {
            Some(file) => mix(&rulebook, layout, file)?,
            None => vec![(1, bets::placed(&rulebook, layout, &self.bets)?)],
        };
        let limits = Limits { bankroll: amount(self.bankroll.as_deref())?, target: amount(self.target.as_deref())? };
        let figures = Figures::mix(&rulebook, layout, &sets, self.rounds, limits).map_err(|error| refused(&error))?;
        let paper = figures.paper();
        if let (Some(written), Form::Words) = (self.sheet.write(|| paper.clone())?, form) {
            return Ok(written);
        }
        Ok(form.paper(&figures, &paper))
    }
}

pub fn refused(error: &SessionError) -> Refusal {
    let refusal = Refusal::new(error.code(), error.to_string());
    if matches!(error, SessionError::OffStep(_)) { refusal.by("D9") } else { refusal }
}

fn amount(text: Option<&str>) -> Result<Option<Cents>, Refusal> {
    text.map(|text| text.parse::<Cents>().map_err(Refusal::from)).transpose()
}

type Sets = Vec<(u32, Vec<(SpotIndex, Cents)>)>;

fn mix(rulebook: &Rulebook, layout: &Layout, file: &PathBuf) -> Result<Sets, Refusal> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| Refusal::new("unreadable_file", format!("{name}: {error}")))?;
    let lines = lab::session::mix(&text).map_err(|line| {
        Refusal::new("malformed_mix", format!("{name}, line {line}: write WEIGHT,BETS, as in 3,small=10 big=5"))
    })?;
    let mut sets = Vec::new();
    for line in lines {
        let words: Vec<String> = line.bets.into_iter().map(str::to_owned).collect();
        let place = format!("{name}, line {}", line.line);
        let bets = bets::placed(rulebook, layout, &words).map_err(|refusal| refusal.about(&place))?;
        sets.push((line.weight, bets));
    }
    Ok(sets)
}
