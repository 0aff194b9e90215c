//! The table: spots × outcomes. Everything that is ever paid is read from here.

use std::num::NonZeroI64;
use std::sync::Arc;

use crate::{Cents, Citation, Mark, Odds, OutcomeIndex, OutcomeSet, Spot};

/// The place of a spot in its table.
#[derive(
    Copy,
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(transparent)]
pub struct SpotIndex(#[n(0)] pub(crate) u16);

impl SpotIndex {
    /// The place as a number, for arrays.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// A spot with the paragraph that says what it is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedSpot {
    /// The spot.
    pub spot: Spot,
    /// The paragraph of its odds.
    pub paragraph: Citation,
    /// Whether the odds are read from the document or inferred.
    pub mark: Option<Mark>,
}

/// What a bet will have done, whatever the outcome turns out to be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It is paid in every outcome still possible.
    Won,
    /// It is paid in none.
    Lost,
}

/// An outcome in which a spot wins, with its cell.
pub(crate) type Winner = (OutcomeIndex, u32);

/// The compiled pay table of a layout.
///
/// A cell holds what one unit returns, stake included, in the table's common denominator; zero where the bet loses. A
/// stake is a multiple of the table's step, so that every return is a whole number of cents (D9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayTable {
    outcomes: usize,
    denominator: NonZeroI64,
    step: Cents,
    spots: Vec<PricedSpot>,
    by_spot: Vec<(Spot, SpotIndex)>,
    cells: Vec<u32>,
    wins: Vec<OutcomeSet>,
    /// By spot, in the order of the outcomes. Shared, so that sums over it can be kept elsewhere.
    winners: Arc<[Vec<Winner>]>,
    most: Vec<u32>,
}

impl PayTable {
    /// Builds the table. `pays` gives the odds of the spot at a place for an outcome, `None` where it loses.
    pub(crate) fn build(
        outcomes: &[OutcomeIndex],
        step: Cents,
        denominator: NonZeroI64,
        spots: Vec<PricedSpot>,
        pays: impl Fn(usize, OutcomeIndex) -> Option<Odds>,
    ) -> PayTable {
        let unit = u32::try_from(denominator.get()).unwrap_or(1);
        let returned = |odds: Odds| (odds.numerator() + odds.denominator()) * (unit / odds.denominator());
        let mut cells = Vec::with_capacity(spots.len() * outcomes.len());
        let mut wins = Vec::with_capacity(spots.len());
        let mut winners = Vec::with_capacity(spots.len());
        for place in 0..spots.len() {
            let row: Vec<u32> = outcomes.iter().map(|outcome| pays(place, *outcome).map_or(0, returned)).collect();
            let won: Vec<Winner> =
                outcomes.iter().copied().zip(row.iter().copied()).filter(|(_, cell)| *cell > 0).collect();
            wins.push(won.iter().map(|(outcome, _)| *outcome).collect());
            winners.push(won);
            cells.extend(row);
        }
        let mut by_spot: Vec<(Spot, SpotIndex)> =
            spots.iter().zip(0..).map(|(priced, place)| (priced.spot, SpotIndex(place))).collect();
        by_spot.sort_unstable();
        let most =
            winners.iter().map(|row: &Vec<Winner>| row.iter().map(|(_, cell)| *cell).max().unwrap_or(0)).collect();
        PayTable {
            outcomes: outcomes.len(),
            denominator,
            step,
            spots,
            by_spot,
            cells,
            wins,
            winners: winners.into(),
            most,
        }
    }

    /// The spots in the order of the document's pay table.
    #[must_use]
    pub fn spots(&self) -> &[PricedSpot] {
        &self.spots
    }

    /// The places of all spots.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = SpotIndex> + use<> {
        (0..u16::try_from(self.spots.len()).unwrap_or(u16::MAX)).map(SpotIndex)
    }

    /// The place of a spot; `None` if the layout does not offer it.
    #[must_use]
    pub fn index(&self, spot: Spot) -> Option<SpotIndex> {
        let found = self.by_spot.binary_search_by_key(&spot, |(spot, _)| *spot).ok()?;
        self.by_spot.get(found).map(|(_, index)| *index)
    }

    /// The place with that number, if there is one.
    #[must_use]
    pub fn index_at(&self, place: usize) -> Option<SpotIndex> {
        u16::try_from(place).ok().filter(|_| place < self.spots.len()).map(SpotIndex)
    }

    /// The spot at a place.
    #[must_use]
    pub fn spot(&self, index: SpotIndex) -> Option<&PricedSpot> {
        self.spots.get(index.get())
    }

    /// How many outcomes a row has.
    #[must_use]
    pub fn outcomes(&self) -> usize {
        self.outcomes
    }

    /// The smallest step of a stake for which every payout is whole cents (D9).
    #[must_use]
    pub fn step(&self) -> Cents {
        self.step
    }

    /// What a unit of stake is divided into, so that every return is a whole number of those parts.
    #[must_use]
    pub fn denominator(&self) -> i64 {
        self.denominator.get()
    }

    /// The cell: what a unit returns, in parts of [`PayTable::denominator`]; zero where the bet loses.
    #[must_use]
    #[inline]
    pub fn cell(&self, spot: SpotIndex, outcome: OutcomeIndex) -> u32 {
        if outcome.get() >= self.outcomes {
            return 0;
        }
        self.cells.get(spot.get() * self.outcomes + outcome.get()).copied().unwrap_or(0)
    }

    /// The odds a bet is paid at; `None` if it loses.
    #[must_use]
    pub fn odds(&self, spot: SpotIndex, outcome: OutcomeIndex) -> Option<Odds> {
        Odds::from_return(self.cell(spot, outcome), u32::try_from(self.denominator.get()).ok()?)
    }

    /// What a bet returns, stake and winnings: zero if it loses. `None` if the amount does not fit.
    ///
    /// The stake must be a multiple of [`PayTable::step`]; the caller checks this.
    #[must_use]
    #[inline]
    pub fn returned(&self, spot: SpotIndex, outcome: OutcomeIndex, stake: Cents) -> Option<Cents> {
        let parts = stake.get().checked_mul(i64::from(self.cell(spot, outcome)))?;
        parts.checked_div(self.denominator.get()).map(Cents::new)
    }

    /// The outcomes in which a spot wins, each with its cell.
    #[must_use]
    pub fn winners(&self, spot: SpotIndex) -> &[(OutcomeIndex, u32)] {
        self.winners.get(spot.get()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn shared_winners(&self) -> &Arc<[Vec<Winner>]> {
        &self.winners
    }

    /// The largest cell of a spot.
    #[must_use]
    pub fn most(&self, spot: SpotIndex) -> u32 {
        self.most.get(spot.get()).copied().unwrap_or(0)
    }

    /// The spots lit by an outcome: those that win.
    pub fn lit(&self, outcome: OutcomeIndex) -> impl Iterator<Item = SpotIndex> + '_ {
        self.indices().filter(move |spot| self.cell(*spot, outcome) > 0)
    }

    /// The bets that have conclusively won or lost, given the outcomes still possible. An outcome is *established* when
    /// there is at least one (5.1.1; Tai Sai 5.4.1; MBS 5.8.2). With nothing possible nothing is established.
    #[must_use]
    pub fn established(&self, possible: &OutcomeSet) -> Vec<(SpotIndex, Conclusion)> {
        if possible.is_empty() {
            return Vec::new();
        }
        let conclude = |wins: &OutcomeSet| {
            if possible.is_subset(wins) {
                Some(Conclusion::Won)
            } else if possible.is_disjoint(wins) {
                Some(Conclusion::Lost)
            } else {
                None
            }
        };
        self.indices().zip(&self.wins).filter_map(|(spot, wins)| Some((spot, conclude(wins)?))).collect()
    }
}
