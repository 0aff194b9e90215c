//! `croupier rules export`: the compiled table of a layout, cell by cell.

use clap::Args;
use rulebook::{Layout, Rulebook, SpotIndex};
use serde::Serialize;

use crate::game::{GameArg, LayoutArg};
use crate::output;
use crate::refusal::Failure;

/// Export the compiled table of a layout as JSON: every spot, every outcome.
#[derive(Args)]
#[command(after_help = "\
The answer is JSON with or without --json. `pays` runs parallel to `outcomes`: odds as decimal strings, null \
where the bet loses.

Examples:
  croupier rules export rws-sicbo --layout b > table.json
  croupier rules export rws-roulette-000")]
pub struct Export {
    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    layout: LayoutArg,
}

#[derive(Serialize)]
struct Table<'a> {
    game: &'a str,
    version: &'a str,
    layout: &'a str,
    hash: String,
    outcomes: Vec<String>,
    spots: Vec<Spot<'a>>,
}

#[derive(Serialize)]
struct Spot<'a> {
    id: String,
    paragraph: &'a str,
    pays: Vec<Option<String>>,
}

impl Export {
    pub fn run(&self) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let layout = self.layout.one(&rulebook)?;
        Ok(output::json(&table(&rulebook, layout)))
    }
}

fn table<'a>(rulebook: &'a Rulebook, layout: &'a Layout) -> Table<'a> {
    let table = layout.table();
    let pays = |spot: SpotIndex| {
        let odds = rulebook.outcomes().indices().map(|outcome| table.odds(spot, outcome));
        odds.map(|odds| odds.map(|odds| odds.to_string())).collect()
    };
    let spots = table.indices().zip(table.spots()).map(|(index, priced)| Spot {
        id: priced.spot.to_string(),
        paragraph: priced.paragraph.as_str(),
        pays: pays(index),
    });
    Table {
        game: rulebook.id(),
        version: &rulebook.identity().version,
        layout: layout.id(),
        hash: rulebook.hash().to_string(),
        outcomes: rulebook.outcomes().all().map(|outcome| outcome.to_string()).collect(),
        spots: spots.collect(),
    }
}
