//! The PAR sheet: every bet of a layout with all its figures, exact.

mod paper;

use rulebook::{Family, Fraction, Layout, Mark, PayTable, Play, Rulebook, SpotIndex, SpotOdds, sheet, totals};
use serde::Serialize;
use utoipa::ToSchema;

use crate::words::{float, fraction};

/// One payment of a bet: the odds, and in how many outcomes they are paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Payment {
    /// To one.
    pub odds: String,
    /// In how many outcomes.
    pub ways: u32,
}

/// The figures of one bet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParRow {
    /// The spot.
    pub spot: String,
    /// The kind of bet.
    pub family: Family,
    /// What it is paid, lowest first.
    pub pays: Vec<Payment>,
    /// In how many outcomes it wins.
    pub ways: u32,
    /// How likely it is to win.
    #[serde(serialize_with = "fraction")]
    pub hit: Fraction,
    /// What would be fair: losing ways to winning ways, to one.
    #[serde(serialize_with = "fraction")]
    pub true_odds: Fraction,
    /// What the house keeps of a unit.
    #[serde(serialize_with = "fraction")]
    pub edge: Fraction,
    /// The variance of the player's result per unit.
    #[serde(serialize_with = "fraction")]
    pub variance: Fraction,
    /// Its root.
    pub deviation: f64,
    /// 1.645 times the standard deviation: nine rounds of ten are within this many units of the mean.
    pub volatility: f64,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// `inferred, D1` and the like, where the odds are not read from the document.
    pub mark: Option<String>,
}

/// The figures of a kind of bet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FamilyRow {
    /// The kind of bet.
    pub family: Family,
    /// Words for it.
    pub name: String,
    /// How many spots it has.
    pub spots: usize,
    /// The lowest edge of them.
    #[serde(serialize_with = "fraction")]
    pub least: Fraction,
    /// The highest.
    #[serde(serialize_with = "fraction")]
    pub most: Fraction,
    /// The mean of them.
    #[serde(serialize_with = "fraction")]
    pub mean: Fraction,
    /// When it wins, as the rulebook says.
    pub wins: String,
    /// The paragraph that says so.
    pub paragraph: String,
}

/// The PAR sheet of a layout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParSheet {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Whose game it is.
    pub operator: String,
    /// The document's version.
    pub version: String,
    /// Since when it is in force.
    pub in_force_from: Option<String>,
    /// Whether a regulator approved it.
    pub approved: bool,
    /// With chips on a live table, or on terminals.
    pub live: bool,
    /// The layout.
    pub layout: String,
    /// Words for it.
    pub layout_name: String,
    /// The appendix that draws it.
    pub layout_paragraph: String,
    /// Its pay table.
    pub pay_table: String,
    /// The paragraph of the pay table.
    pub pay_table_paragraph: String,
    /// The rulebook's hash.
    pub hash: String,
    /// How many outcomes a round can have, each equally likely.
    pub outcomes: usize,
    /// What an outcome is.
    pub device: String,
    /// The smallest step of a stake.
    pub step: String,
    /// Cells in which a spot wins.
    pub winning_cells: usize,
    /// One unit on every spot over every outcome: the players' net result.
    #[serde(serialize_with = "fraction")]
    pub net: Fraction,
    /// Kinds of bet by ascending edge.
    pub families: Vec<FamilyRow>,
    /// Every bet, in the order of the pay table.
    pub spots: Vec<ParRow>,
}

/// The factor of the volatility index: the normal distribution has 90 % within 1.645 standard deviations.
pub const VOLATILITY_FACTOR: f64 = 1.645;

impl ParSheet {
    /// The sheet of a layout.
    #[must_use]
    pub fn of(rulebook: &Rulebook, layout: &Layout) -> ParSheet {
        let table = layout.table();
        let identity = rulebook.identity();
        let sum = totals(table, |_| true);
        let spots: Vec<ParRow> = sheet(table).iter().map(|odds| row(table, odds)).collect();
        let device = match rulebook.outcomes().wheel() {
            Some(_) => format!("the pocket in which the ball rests, one of {}", table.outcomes()),
            None => "three dice, each of six faces, in order: 6 × 6 × 6".to_owned(),
        };
        ParSheet {
            game: rulebook.id().to_owned(),
            title: identity.title.en.clone(),
            operator: identity.operator.clone(),
            version: identity.version.clone(),
            in_force_from: identity.in_force_from.clone(),
            approved: identity.approved,
            live: identity.play == Play::Chips,
            layout: layout.id().to_owned(),
            layout_name: layout.name().en.clone(),
            layout_paragraph: layout.paragraph().to_string(),
            pay_table: layout.pay_table_name().en.clone(),
            pay_table_paragraph: layout.pay_table_paragraph().to_string(),
            hash: rulebook.hash().to_string(),
            outcomes: table.outcomes(),
            device,
            step: table.step().to_string(),
            winning_cells: sum.winning_cells,
            net: sum.net,
            families: families(rulebook, layout, &spots),
            spots,
        }
    }
}

fn row(table: &PayTable, odds: &SpotOdds) -> ParRow {
    let priced = table.spot(odds.spot);
    let deviation = float(odds.variance).sqrt();
    let losing = Fraction::from_integer(1) - odds.hit;
    ParRow {
        spot: priced.map_or_else(String::new, |priced| priced.spot.to_string()),
        family: priced.map_or(Family::Small, |priced| priced.spot.family()),
        pays: payments(table, odds.spot),
        ways: odds.ways,
        hit: odds.hit,
        true_odds: if odds.ways == 0 { Fraction::from_integer(0) } else { losing / odds.hit },
        edge: odds.edge,
        variance: odds.variance,
        deviation,
        volatility: VOLATILITY_FACTOR * deviation,
        paragraph: priced.map_or_else(String::new, |priced| priced.paragraph.to_string()),
        mark: priced.and_then(|priced| priced.mark.as_ref()).map(Mark::to_string),
    }
}

fn payments(table: &PayTable, spot: SpotIndex) -> Vec<Payment> {
    let mut cells: Vec<u32> = table.winners(spot).iter().map(|(_, cell)| *cell).collect();
    cells.sort_unstable();
    let mut payments: Vec<Payment> = Vec::new();
    for cells in cells.chunk_by(|a, b| a == b) {
        let outcome = table.winners(spot).iter().find(|(_, cell)| Some(cell) == cells.first());
        let odds = outcome.and_then(|(outcome, _)| table.odds(spot, *outcome));
        let odds = odds.map_or_else(String::new, |odds| odds.to_string());
        payments.push(Payment { odds, ways: u32::try_from(cells.len()).unwrap_or(u32::MAX) });
    }
    payments
}

fn families(rulebook: &Rulebook, layout: &Layout, spots: &[ParRow]) -> Vec<FamilyRow> {
    let mut rows: Vec<FamilyRow> = Vec::new();
    for (family, rule) in rulebook.families() {
        let edges: Vec<Fraction> = spots.iter().filter(|row| row.family == *family).map(|row| row.edge).collect();
        let (Some(least), Some(most)) = (edges.iter().min().copied(), edges.iter().max().copied()) else { continue };
        let sum = edges.iter().fold(Fraction::from_integer(0), |sum, edge| sum + edge);
        rows.push(FamilyRow {
            family: *family,
            name: rulebook.name_of(layout, *family).unwrap_or(&rule.name).en.clone(),
            spots: edges.len(),
            least,
            most,
            mean: sum / Fraction::from_integer(edges.len() as i128),
            wins: rule.wins.en.clone(),
            paragraph: rule.paragraph.to_string(),
        });
    }
    rows.sort_by(|a, b| a.mean.cmp(&b.mean).then(a.family.cmp(&b.family)));
    rows
}
