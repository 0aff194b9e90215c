//! The laboratory against figures that were worked out in another way.

mod bias;
mod compare;
mod generator;
mod par;
mod session;
mod simulate;

use rulebook::{Cents, Layout, Rulebook, SpotIndex, library};

fn game(id: &str) -> &'static Rulebook {
    library::find(id).expect("built in")
}

fn layout(game_id: &str, id: &str) -> &'static Layout {
    game(game_id).layout(id).expect("a layout")
}

/// Bets in cents.
fn bets(layout: &Layout, bets: &[(&str, i64)]) -> Vec<(SpotIndex, Cents)> {
    bets.iter().map(|(spot, stake)| (layout.find(spot).expect(spot), Cents::new(*stake))).collect()
}
