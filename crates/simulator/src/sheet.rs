//! The odds of every layout, worked out once from the texts of spots and outcomes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rulebook::{OutcomeIndex, SpotIndex};

use crate::game::Game;
use crate::odds::PaySheet;

/// A layout as text: its spots, and what each pays on each outcome.
pub(crate) struct Sheet {
    /// The spots by their place in the layout.
    spots: Vec<String>,
    /// Odds in halves, by spot and outcome.
    halves: BTreeMap<String, Vec<Option<i64>>>,
}

type Sheets = BTreeMap<(Game, u8), Sheet>;

static SHEETS: LazyLock<Sheets> = LazyLock::new(|| {
    let mut sheets = Sheets::new();
    for game in Game::ALL {
        for (layout, place) in game.rulebook().layouts().iter().zip(0..) {
            let pays = PaySheet::of(game.id(), layout.id()).expect("an approved layout");
            let outcomes: Vec<String> = game.rulebook().outcomes().all().map(|o| o.to_string()).collect();
            let spots: Vec<String> = layout.table().spots().iter().map(|priced| priced.spot.to_string()).collect();
            let row = |spot: &String| outcomes.iter().map(|outcome| pays.halves(spot, outcome)).collect();
            let halves = spots.iter().map(|spot| (spot.clone(), row(spot))).collect();
            sheets.insert((game, place), Sheet { spots, halves });
        }
    }
    sheets
});

impl Sheet {
    /// The sheet of a layout of a game.
    pub fn of(game: Game, layout: u8) -> Option<&'static Sheet> {
        SHEETS.get(&(game, layout))
    }

    /// The text of a spot.
    pub fn text(&'static self, spot: SpotIndex) -> Option<&'static str> {
        self.spots.get(spot.get()).map(String::as_str)
    }

    /// The spots that pay in every one of these outcomes, or in none: they have conclusively won or lost.
    pub fn concluded(&self, possible: &[OutcomeIndex]) -> BTreeMap<&str, bool> {
        let pays = |row: &Vec<Option<i64>>, outcome: &OutcomeIndex| row.get(outcome.get()).copied().flatten().is_some();
        let conclude = |(spot, row)| -> Option<(&str, bool)> {
            let won = possible.iter().filter(|outcome| pays(row, outcome)).count();
            let spot: &String = spot;
            (won == 0 || won == possible.len()).then_some((spot, won > 0))
        };
        self.halves.iter().filter_map(conclude).collect()
    }

    /// How many spots there are.
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// What a stake on a spot returns on an outcome, stake and winnings, in cents.
    pub fn returned(&self, spot: &str, outcome: OutcomeIndex, stake: i64) -> Result<i64, String> {
        let row = self.halves.get(spot).ok_or_else(|| format!("{spot} is not on the layout"))?;
        match row.get(outcome.get()).copied().flatten() {
            None => Ok(0),
            Some(halves) if stake * halves % 2 != 0 => Err(format!("{spot}={stake} cents does not pay whole cents")),
            Some(halves) => Ok(stake + stake * halves / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unit on every spot, over every outcome: spots, winning cells, and the net result to the players.
    #[test]
    fn every_layout_adds_up() {
        let expected = [
            (Game::SicBo, 0, 56, 1834, -688),
            (Game::SicBo, 1, 104, 2038, -3052),
            (Game::SicBo, 2, 104, 2038, -3336),
            (Game::OpenCover, 0, 56, 1834, -688),
            (Game::OpenCover, 1, 104, 2038, -3052),
            (Game::OpenCover, 2, 104, 2038, -3336),
            (Game::TaiSai, 0, 50, 1528, -864),
            (Game::Electronic, 0, 104, 2038, -3052),
            (Game::Electronic, 1, 50, 1528, -628),
            (Game::Roulette, 0, 165, 555, -495),
        ];
        for (game, layout, spots, cells, net) in expected {
            let sheet = Sheet::of(game, layout).unwrap();
            let odds: Vec<i64> = sheet.halves.values().flatten().copied().flatten().collect();
            let lost = sheet.len() * game.outcomes() - odds.len();
            let halves: i64 = odds.iter().sum::<i64>() - 2 * i64::try_from(lost).unwrap();
            assert_eq!((sheet.len(), odds.len(), halves), (spots, cells, 2 * net), "{game:?} {layout}");
        }
    }
}
