//! Pay tables side by side: what one costs a player against another.

mod paper;

use std::collections::BTreeMap;

use rulebook::{Cents, Family, Fraction, Layout, Rulebook, Spot, SpotIndex};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Figure;
use crate::par::{ParRow, ParSheet, Payment};

/// A layout that is compared.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Compared {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Whose game it is.
    pub operator: String,
    /// The rulebook's hash.
    pub hash: String,
    /// The layout.
    pub layout: String,
    /// Words for it.
    pub layout_name: String,
    /// Its pay table.
    pub pay_table: String,
    /// The paragraph of the pay table.
    pub pay_table_paragraph: String,
    /// How many outcomes a round can have.
    pub outcomes: usize,
    /// How many spots it has.
    pub spots: usize,
    /// How it stands against the first, over the spots that both have; `null` for the first itself.
    pub against_first: Option<Against>,
    /// What the house keeps of the given bets; `null` if none are given, or one of them is not offered.
    pub bets: Option<Figure>,
}

/// A layout against the first.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Against {
    /// Spots that both have.
    pub common: usize,
    /// Of them, those on which the house keeps more.
    pub dearer: usize,
    /// Those on which it keeps less.
    pub cheaper: usize,
    /// The mean of the differences in edge over the common spots; above zero costs the player more.
    pub mean: Figure,
}

/// A spot on one of the layouts.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Offer {
    /// What it is paid, lowest first.
    pub pays: Vec<Payment>,
    /// How likely it is to win.
    pub hit: Figure,
    /// What the house keeps of a unit.
    pub edge: Figure,
    /// What the house keeps more than on the first layout; `null` if that has not got the spot.
    pub more: Option<Figure>,
    /// The paragraph of its odds.
    pub paragraph: String,
}

/// A spot side by side.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ComparedSpot {
    /// The spot.
    pub spot: String,
    /// The kind of bet.
    #[schema(value_type = String)]
    pub family: Family,
    /// What each layout makes of it, in their order; `null` where it is not offered.
    pub offers: Vec<Option<Offer>>,
    /// Whether all that offer it keep the same.
    pub alike: bool,
}

/// Pay tables side by side.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Comparison {
    /// The layouts, in the order they were given.
    pub layouts: Vec<Compared>,
    /// Every spot that one of them has, in the order of the first that has it.
    pub spots: Vec<ComparedSpot>,
}

impl Comparison {
    /// Compares layouts, each against the first; with bets, what the house keeps of those on each.
    ///
    /// ```
    /// let sicbo = rulebook::library::find("rws-sicbo").unwrap();
    /// let both = ["a", "c"].map(|id| (sicbo, sicbo.layout(id).unwrap()));
    /// let comparison = lab::compare::Comparison::of(&both, &[]);
    /// assert!(comparison.layouts[1].against_first.is_some());
    /// ```
    #[must_use]
    pub fn of(layouts: &[(&Rulebook, &Layout)], bets: &[(Spot, Cents)]) -> Comparison {
        let sheets: Vec<ParSheet> = layouts.iter().map(|(rulebook, layout)| ParSheet::of(rulebook, layout)).collect();
        let rows: Vec<BTreeMap<&str, &ParRow>> =
            sheets.iter().map(|sheet| sheet.spots.iter().map(|row| (row.spot.as_str(), row)).collect()).collect();
        let mut spots: Vec<ComparedSpot> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for row in sheets.iter().flat_map(|sheet| &sheet.spots) {
            if seen.insert(row.spot.as_str()) {
                spots.push(side_by_side(row, &rows));
            }
        }
        let compared = sheets.iter().zip(&rows).zip(layouts).enumerate().map(|(place, ((sheet, own), (_, layout)))| {
            let first = rows.first().filter(|_| place > 0);
            Compared {
                game: sheet.game.clone(),
                title: sheet.title.clone(),
                operator: sheet.operator.clone(),
                hash: sheet.hash.clone(),
                layout: sheet.layout.clone(),
                layout_name: sheet.layout_name.clone(),
                pay_table: sheet.pay_table.clone(),
                pay_table_paragraph: sheet.pay_table_paragraph.clone(),
                outcomes: sheet.outcomes,
                spots: sheet.spots.len(),
                against_first: first.map(|first| against(first, own)),
                bets: kept(layout, &sheet.spots, bets).map(Figure::from),
            }
        });
        Comparison { layouts: compared.collect(), spots }
    }
}

fn side_by_side(row: &ParRow, rows: &[BTreeMap<&str, &ParRow>]) -> ComparedSpot {
    let spot = row.spot.as_str();
    let first = rows.first().and_then(|first| first.get(spot)).map(|row| row.edge);
    let offer = |(place, own): (usize, &BTreeMap<&str, &ParRow>)| {
        own.get(spot).map(|row| Offer {
            pays: row.pays.clone(),
            hit: row.hit.into(),
            edge: row.edge.into(),
            more: first.filter(|_| place > 0).map(|first| (row.edge - first).into()),
            paragraph: row.paragraph.clone(),
        })
    };
    let edges: Vec<Fraction> = rows.iter().filter_map(|own| own.get(spot)).map(|row| row.edge).collect();
    ComparedSpot {
        spot: spot.to_owned(),
        family: row.family,
        offers: rows.iter().enumerate().map(offer).collect(),
        alike: edges.windows(2).all(|pair| pair.first() == pair.last()),
    }
}

fn against(first: &BTreeMap<&str, &ParRow>, own: &BTreeMap<&str, &ParRow>) -> Against {
    let zero = Fraction::from_integer(0);
    let more: Vec<Fraction> = own.iter().filter_map(|(spot, row)| Some(row.edge - first.get(spot)?.edge)).collect();
    let sum = more.iter().fold(zero, |sum, more| sum + more);
    let count = i128::try_from(more.len().max(1)).unwrap_or(i128::MAX);
    Against {
        common: more.len(),
        dearer: more.iter().filter(|more| **more > zero).count(),
        cheaper: more.iter().filter(|more| **more < zero).count(),
        mean: (sum / Fraction::from_integer(count)).into(),
    }
}

/// What the house keeps of bets on a layout; `None` if there are none or one is not offered.
fn kept(layout: &Layout, rows: &[ParRow], bets: &[(Spot, Cents)]) -> Option<Fraction> {
    let (mut staked, mut kept) = (Fraction::from_integer(0), Fraction::from_integer(0));
    for (spot, stake) in bets {
        let index: SpotIndex = layout.index(*spot).ok()?;
        let stake = Fraction::from_integer(i128::from(stake.get()));
        staked += stake;
        kept += stake * rows.get(index.get())?.edge;
    }
    (staked > Fraction::from_integer(0)).then(|| kept / staked)
}
