//! The exact odds sheet of a table.

use crate::{Fraction, PayTable, SpotIndex};

/// The exact figures of one spot.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SpotOdds {
    /// The spot.
    pub spot: SpotIndex,
    /// In how many outcomes it wins.
    pub ways: u32,
    /// How likely it is to win.
    pub hit: Fraction,
    /// What the house keeps of a unit in the long run; positive for the house.
    pub edge: Fraction,
    /// The variance of the player's net result per unit.
    pub variance: Fraction,
}

/// The figures of every spot, in the table's order.
#[must_use]
pub fn sheet(table: &PayTable) -> Vec<SpotOdds> {
    table.indices().map(|spot| figures(table, spot)).collect()
}

fn figures(table: &PayTable, spot: SpotIndex) -> SpotOdds {
    let unit = i128::from(table.denominator());
    let outcomes = table.outcomes() as i128;
    let winners = table.winners(spot);
    let ways = winners.len() as i128;
    // Sums of the net result and of its square, in parts of the denominator: every loser contributes −unit.
    let losers = outcomes - ways;
    let (sum, squares) = winners.iter().fold((-losers * unit, losers * unit * unit), |(sum, squares), (_, cell)| {
        let net = i128::from(*cell) - unit;
        (sum + net, squares + net * net)
    });
    let mean = Fraction::new(sum, outcomes * unit);
    SpotOdds {
        spot,
        ways: u32::try_from(ways).unwrap_or(u32::MAX),
        hit: Fraction::new(ways, outcomes),
        edge: -mean,
        variance: Fraction::new(squares, outcomes * unit * unit) - mean * mean,
    }
}

/// One unit on every spot over every outcome: the counts any implementation must reproduce.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SheetTotals {
    /// Spots.
    pub spots: usize,
    /// Cells in which a spot wins.
    pub winning_cells: usize,
    /// The players' net result, in units.
    pub net: Fraction,
}

/// The counts of the spots that the filter lets through.
#[must_use]
pub fn totals(table: &PayTable, include: impl Fn(SpotIndex) -> bool) -> SheetTotals {
    let outcomes = Fraction::from_integer(table.outcomes() as i128);
    sheet(table).into_iter().filter(|row| include(row.spot)).fold(
        SheetTotals { spots: 0, winning_cells: 0, net: Fraction::from_integer(0) },
        |totals, row| SheetTotals {
            spots: totals.spots + 1,
            winning_cells: totals.winning_cells + row.ways as usize,
            net: totals.net - row.edge * outcomes,
        },
    )
}
