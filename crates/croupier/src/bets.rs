//! Bets as they are written on a command line, found on a layout.

use rulebook::{Bet, Cents, Family, Layout, NotationError, Piece, Rulebook, SpotIndex, TerminalKind};

use crate::refusal::Refusal;

/// The bets that a word stands for: one, or the pieces of a multi-piece bet with its name.
pub fn read(rulebook: &Rulebook, layout: &Layout, text: &str) -> Result<Vec<(Bet, Option<String>)>, Refusal> {
    let (name, amount) = Bet::split(text)?;
    let word = name.split_once('/').map_or(name, |(word, _)| word);
    if !rulebook.multi_piece().iter().any(|bet| bet.id == word) {
        let spot = name.parse().map_err(|error| misread(rulebook, word, error).about(name))?;
        return Ok(vec![(Bet { spot, stake: amount }, None)]);
    }
    let (bet, pieces) = rulebook.expand(name)?;
    let on_layout = |kind: &TerminalKind| kind.layouts.iter().any(|id| id == layout.id());
    if !rulebook.terminals().iter().any(|kind| bet.terminals.contains(&kind.id) && on_layout(kind)) {
        let message = format!("{name}: not offered by layout {} ({})", layout.id(), bet.paragraph);
        return Err(Refusal::new("not_offered", message).by(&bet.paragraph));
    }
    let bet = |piece: Piece| -> Result<_, Refusal> {
        let stake = Rulebook::piece_stake(amount, piece).map_err(|error| Refusal::from(error).about(text))?;
        Ok((Bet { spot: piece.spot, stake }, Some(name.to_owned())))
    };
    pieces.into_iter().map(bet).collect()
}

/// Which numbers touch is a rule of the bet's family and has its paragraph; the other slips are of the pen.
fn misread(rulebook: &Rulebook, word: &str, error: NotationError) -> Refusal {
    let refusal = Refusal::new(error.code(), error.to_string());
    let rule = Family::parse(word).and_then(|family| rulebook.families().get(&family));
    match (error, rule) {
        (NotationError::DoNotTouch(..), Some(rule)) => refusal.by(&rule.paragraph),
        _ => refusal,
    }
}

/// Where a bet stands, if the layout has it and the stake is a multiple of the step.
pub fn place(layout: &Layout, bet: Bet) -> Result<SpotIndex, Refusal> {
    let spot = layout.index(bet.spot)?;
    let step = layout.table().step();
    if !bet.stake.is_multiple_of(step) {
        let message = format!(
            "{bet}: a bet on layout {} goes in steps of {step}, so that every payout is whole cents (D9)",
            layout.id()
        );
        return Err(Refusal::new("off_step", message).by("D9"));
    }
    Ok(spot)
}

/// All bets of some words, each on its spot.
pub fn placed<'a>(
    rulebook: &Rulebook,
    layout: &Layout,
    words: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<(SpotIndex, Cents)>, Refusal> {
    let mut placed = Vec::new();
    for text in words {
        for (bet, _) in read(rulebook, layout, text)? {
            placed.push((place(layout, bet)?, bet.stake));
        }
    }
    Ok(placed)
}
