//! `croupier odds`: the exact odds sheet of a layout.

use clap::Args;
use lab::par::ParSheet;
use rulebook::{Citation, Fraction, Layout, Mark, PayTable, PricedSpot, Rulebook, SpotOdds, decimal, sheet, totals};
use serde::Serialize;
use serde_json::Value;

use crate::game::{GameArg, LayoutArg};
use crate::output::Column::{Figure, Name, Words};
use crate::output::group::{Group, group, paid, slashed, summary};
use crate::output::{self, Form, Page, SheetArg};
use crate::refusal::Failure;

/// Price every bet of a layout: ways, hit, house edge and variance, exact to the fraction.
#[derive(Args)]
#[command(after_help = "\
The edge is what the house keeps of one unit staked in the long run; the variance is that of the player's net result per \
unit. The table has one row for equal spots; --json lists every spot. --sheet writes the PAR sheet: every bet with all its \
figures, kinds of bet ranked, and how each figure is obtained.

Examples:
  croupier odds rws-sicbo --layout b
  croupier odds rws-roulette-000 --json
  croupier odds ./my-pay-table.toml --layout a
  croupier odds rws-sicbo --layout a --sheet par-sheet.pdf")]
pub struct Odds {
    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    layout: LayoutArg,

    #[command(flatten)]
    sheet: SheetArg,
}

#[derive(Serialize)]
struct Sheet<'a> {
    game: &'a str,
    version: &'a str,
    layout: &'a str,
    hash: String,
    outcomes: usize,
    step: String,
    spots: Vec<Row<'a>>,
    winning_cells: usize,
    /// The players' net result of one unit on every spot over every outcome.
    net: String,
}

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    ways: u32,
    hit: String,
    edge: String,
    variance: String,
    pays: Vec<String>,
    paragraph: &'a str,
    mark: Value,
}

impl Odds {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let layout = self.layout.one(&rulebook)?;
        let written = self.sheet.write(|| ParSheet::of(&rulebook, layout).paper())?;
        if let (Some(written), Form::Words) = (written, form) {
            return Ok(written);
        }
        Ok(form.render(&data(&rulebook, layout), |page| write(page, &rulebook, layout)))
    }
}

fn data<'a>(rulebook: &'a Rulebook, layout: &'a Layout) -> Sheet<'a> {
    let table = layout.table();
    let row = |(figures, priced): (SpotOdds, &'a PricedSpot)| Row {
        id: priced.spot.to_string(),
        ways: figures.ways,
        hit: figures.hit.to_string(),
        edge: figures.edge.to_string(),
        variance: figures.variance.to_string(),
        pays: paid(table, figures.spot).iter().map(ToString::to_string).collect(),
        paragraph: priced.paragraph.as_str(),
        mark: output::mark(priced.mark.as_ref()),
    };
    let sum = totals(table, |_| true);
    Sheet {
        game: rulebook.id(),
        version: &rulebook.identity().version,
        layout: layout.id(),
        hash: rulebook.hash().to_string(),
        outcomes: table.outcomes(),
        step: table.step().to_string(),
        spots: sheet(table).into_iter().zip(table.spots()).map(row).collect(),
        winning_cells: sum.winning_cells,
        net: sum.net.to_string(),
    }
}

/// What two spots of a family have in common if they share a row.
#[derive(PartialEq)]
struct Figures<'a> {
    pays: String,
    ways: u32,
    hit: Fraction,
    edge: Fraction,
    variance: Fraction,
    paragraph: &'a Citation,
    mark: Option<&'a Mark>,
}

fn figures<'a>(table: &PayTable, exact: SpotOdds, priced: &'a PricedSpot) -> Figures<'a> {
    Figures {
        pays: slashed(&paid(table, exact.spot)),
        ways: exact.ways,
        hit: exact.hit,
        edge: exact.edge,
        variance: exact.variance,
        paragraph: &priced.paragraph,
        mark: priced.mark.as_ref(),
    }
}

fn write(page: &mut Page, rulebook: &Rulebook, layout: &Layout) {
    let table = layout.table();
    let identity = rulebook.identity();
    let spots =
        sheet(table).into_iter().zip(table.spots()).map(|(exact, priced)| (priced.spot, figures(table, exact, priced)));
    page.heading(&format!("{}, {} ({})", identity.title.en, layout.name().en, layout.pay_table_name().en));
    let columns = [
        Name("Spot"),
        Figure("Pays"),
        Figure("Ways"),
        Figure("Hit"),
        Figure("Edge"),
        Figure("Edge %"),
        Figure("Variance"),
        Figure("Std dev"),
        Words("§"),
    ];
    page.table(&columns, group(spots).into_iter().map(|group| cells(&group)));
    let sum = totals(table, |_| true);
    page.gap();
    page.words(&format!(
        "{} outcomes, {} spots, {} winning cells; one unit on every spot over every outcome leaves the players {}. \
         Bets go in steps of {} (D9). Rulebook {} {}, hash {}.",
        table.outcomes(),
        sum.spots,
        sum.winning_cells,
        sum.net,
        table.step(),
        rulebook.id(),
        identity.version,
        rulebook.hash()
    ));
}

fn cells(group: &Group<Figures>) -> [String; 9] {
    let Figures { pays, ways, hit, edge, variance, paragraph, mark } = &group.key;
    [
        summary(&group.spots),
        pays.clone(),
        ways.to_string(),
        hit.to_string(),
        edge.to_string(),
        decimal(edge * Fraction::from_integer(100), 4),
        decimal(*variance, 4),
        standard_deviation(*variance),
        match mark {
            Some(mark) => format!("{paragraph}, {mark}"),
            None => paragraph.to_string(),
        },
    ]
}

/// For people only: a root is seldom a fraction, so this is the one figure that is rounded before it is written.
fn standard_deviation(variance: Fraction) -> String {
    let root = (*variance.numer() as f64 / *variance.denom() as f64).sqrt();
    format!("{root:.4}")
}
