//! One round of given bets: what it can bring, and in how many ways.

use std::collections::BTreeMap;

use rulebook::{Cents, Fraction, OutcomeIndex, PayTable, SpotIndex};
use serde::Serialize;

use super::SessionError;

/// A result of a round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Landing {
    /// What the player has more than before, in cents.
    pub net: i64,
    /// In how many of all ways.
    pub ways: u64,
}

/// The distribution of one round, exact: every result with the number of ways to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// The results, ascending, each once.
    pub landings: Vec<Landing>,
    /// All ways.
    pub ways: u64,
    /// The stakes, summed over all ways, in cents.
    turnover: i64,
    /// The largest stake of a round, in cents.
    pub stakes: i64,
}

impl Round {
    /// The same bets in every round.
    ///
    /// # Errors
    /// When there are none, a stake is not a multiple of the step, or amounts do not fit.
    pub fn of(table: &PayTable, bets: &[(SpotIndex, Cents)]) -> Result<Round, SessionError> {
        Round::mix(table, &[(1, bets.to_vec())])
    }

    /// A table's mix: each round one of several sets of bets, chosen with these weights, whatever the round before was.
    ///
    /// # Errors
    /// As [`Round::of`].
    pub fn mix(table: &PayTable, sets: &[(u32, Vec<(SpotIndex, Cents)>)]) -> Result<Round, SessionError> {
        let mut landings: BTreeMap<i64, u64> = BTreeMap::new();
        let (mut turnover, mut stakes, mut ways) = (0_i64, 0_i64, 0_u64);
        for (weight, bets) in sets.iter().filter(|(weight, _)| *weight > 0) {
            let staked = staked(table, bets)?;
            for net in row(table, bets)? {
                *landings.entry(net).or_default() += u64::from(*weight);
            }
            let outcomes = i64::try_from(table.outcomes()).map_err(|_| SessionError::TooLarge)?;
            let count = i64::from(*weight).checked_mul(outcomes).ok_or(SessionError::TooLarge)?;
            turnover =
                staked.checked_mul(count).and_then(|more| turnover.checked_add(more)).ok_or(SessionError::TooLarge)?;
            ways = ways.checked_add(count.unsigned_abs()).ok_or(SessionError::TooLarge)?;
            stakes = stakes.max(staked);
        }
        if ways == 0 {
            return Err(SessionError::NoBets);
        }
        let landings = landings.into_iter().map(|(net, ways)| Landing { net, ways }).collect();
        Ok(Round { landings, ways, turnover, stakes })
    }

    /// What a round stakes in the mean.
    #[must_use]
    pub fn mean_stake(&self) -> Fraction {
        Fraction::new(self.turnover.into(), self.ways.into())
    }

    /// The mean result in cents.
    #[must_use]
    pub fn mean(&self) -> Fraction {
        self.moment(|net| net)
    }

    /// The variance of the result, in cents squared.
    #[must_use]
    pub fn variance(&self) -> Fraction {
        let mean = self.mean();
        self.moment(|net| net * net) - mean * mean
    }

    /// What the house keeps of what is staked, in the long run.
    #[must_use]
    pub fn edge(&self) -> Fraction {
        -self.mean() / self.mean_stake()
    }

    fn moment(&self, power: impl Fn(i128) -> i128) -> Fraction {
        let sum = self.landings.iter().map(|landing| power(landing.net.into()) * i128::from(landing.ways)).sum();
        Fraction::new(sum, self.ways.into())
    }

    /// The least result.
    #[must_use]
    pub fn worst(&self) -> i64 {
        self.landings.first().map_or(0, |landing| landing.net)
    }

    /// The best result.
    #[must_use]
    pub fn best(&self) -> i64 {
        self.landings.last().map_or(0, |landing| landing.net)
    }
}

fn staked(table: &PayTable, bets: &[(SpotIndex, Cents)]) -> Result<i64, SessionError> {
    if bets.is_empty() {
        return Err(SessionError::NoBets);
    }
    if bets.iter().any(|(_, stake)| !stake.is_positive() || !stake.is_multiple_of(table.step())) {
        return Err(SessionError::OffStep(table.step()));
    }
    Cents::checked_sum(bets.iter().map(|(_, stake)| *stake)).map(Cents::get).ok_or(SessionError::TooLarge)
}

/// The bets folded into one row: what the player has more than before, in cents, for each outcome of the table.
///
/// # Errors
/// As [`Round::of`].
pub(crate) fn row(table: &PayTable, bets: &[(SpotIndex, Cents)]) -> Result<Vec<i64>, SessionError> {
    /// No result of a round is larger than this, so that squares and sums over many rounds fit.
    const MOST: i64 = 1 << 40;
    let staked = staked(table, bets)?;
    let mut row = vec![-staked; table.outcomes()];
    for (spot, stake) in bets {
        for (outcome, _) in table.winners(*spot) {
            let returned = table.returned(*spot, *outcome, *stake).ok_or(SessionError::TooLarge)?;
            let cell = row.get_mut(OutcomeIndex::get(*outcome)).ok_or(SessionError::TooLarge)?;
            *cell = cell.checked_add(returned.get()).ok_or(SessionError::TooLarge)?;
        }
    }
    if row.iter().any(|net| net.abs() > MOST) { Err(SessionError::TooLarge) } else { Ok(row) }
}
