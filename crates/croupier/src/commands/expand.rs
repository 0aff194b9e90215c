//! `croupier expand`: the pieces of a multi-piece bet.

use clap::Args;
use rulebook::{Cents, MultiPiece, Piece, Rulebook};
use serde::Serialize;
use serde_json::Value;

use crate::game::GameArg;
use crate::output::Column::{Figure, Name};
use crate::output::{self, Form, Page};
use crate::refusal::{Failure, Refusal};

/// Show the pieces of a multi-piece bet, and what it costs.
#[derive(Args)]
#[command(after_help = "\
Names: tiers, orphelins, zerospiel, grandseries, finale/4 (last digit), neighbours/21/2 (centre, and how many \
on either side).

Examples:
  croupier expand rws-roulette-000 --unit 5.00 grandseries
  croupier expand rws-roulette-000 --unit 1 neighbours/21/2")]
pub struct Expand {
    #[command(flatten)]
    game: GameArg,

    /// What one piece costs.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    unit: String,

    /// The multi-piece bet.
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Serialize)]
struct Expansion<'a> {
    game: &'a str,
    name: &'a str,
    paragraph: &'a str,
    mark: Value,
    unit: String,
    pieces: Vec<Share>,
    count: u64,
    total: String,
}

#[derive(Serialize)]
struct Share {
    spot: String,
    count: u32,
    stake: String,
}

impl Expand {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let unit: Cents = self.unit.parse().map_err(Refusal::from)?;
        if !unit.is_positive() {
            return Err(Refusal::new("zero_amount", "the unit must be more than zero").into());
        }
        let (bet, pieces) = rulebook.expand(&self.name).map_err(Refusal::from)?;
        let pieces = merge(pieces);
        let stakes: Vec<Cents> = pieces
            .iter()
            .map(|piece| Rulebook::piece_stake(unit, *piece))
            .collect::<Result<_, _>>()
            .map_err(Refusal::from)?;
        let total = Cents::checked_sum(stakes.iter().copied())
            .ok_or_else(|| Refusal::new("amount_too_large", "the amount is too large"))?;
        let share = |(piece, stake): (&Piece, &Cents)| Share {
            spot: piece.spot.to_string(),
            count: piece.count,
            stake: stake.to_string(),
        };
        let expansion = Expansion {
            game: rulebook.id(),
            name: &self.name,
            paragraph: bet.paragraph.as_str(),
            mark: output::mark(bet.mark.as_ref()),
            unit: unit.to_string(),
            pieces: pieces.iter().zip(&stakes).map(share).collect(),
            count: pieces.iter().map(|piece| u64::from(piece.count)).sum(),
            total: total.to_string(),
        };
        Ok(form.render(&expansion, |page| write(page, bet, &expansion)))
    }
}

/// Pieces on one spot are one row, where its first piece stood.
fn merge(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match merged.iter_mut().find(|earlier| earlier.spot == piece.spot) {
            Some(earlier) => earlier.count = earlier.count.saturating_add(piece.count),
            None => merged.push(piece),
        }
    }
    merged
}

fn write(page: &mut Page, bet: &MultiPiece, expansion: &Expansion) {
    let mark = bet.mark.as_ref().map(|mark| format!(", {mark}")).unwrap_or_default();
    page.heading(&format!("{}: {} ({}{mark})", bet.name.en, expansion.name, bet.paragraph));
    let row = |piece: &Share| [piece.spot.clone(), piece.count.to_string(), piece.stake.clone()];
    let sum = ["Total".to_owned(), expansion.count.to_string(), expansion.total.clone()];
    page.table(&[Name("Spot"), Figure("Pieces"), Figure("Stake")], expansion.pieces.iter().map(row).chain([sum]));
}
