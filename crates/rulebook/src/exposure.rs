//! Exposure: what the house stands to lose on each outcome.

use std::fmt;
use std::sync::Arc;

use crate::pay_table::Winner;
use crate::{Cents, OutcomeIndex, PayTable, SpotIndex};

/// An amount does not fit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the amount is too large")]
pub struct Overflow;

/// What a set of bets would return on each outcome, kept up to date bet by bet.
///
/// A bet on half of all outcomes would change half of all sums, and few of them are ever read. So stakes are first
/// summed by spot, and counted into the outcomes when that is worth it. Callers see no difference.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
#[serde(from = "Counted", into = "Counted")]
pub struct Exposure {
    staked: Cents,
    /// By outcome, without the stakes that are not counted yet.
    returns: Vec<i64>,
    /// No outcome returns more than this. It grows with every stake and falls only when all are forgotten.
    ceiling: i64,
    /// By pay table: terminals of several layouts share a round.
    uncounted: Vec<Uncounted>,
}

/// An exposure as it is stored: all stakes counted, however far the counting had come.
#[derive(Debug, serde::Serialize, serde::Deserialize, minicbor::Encode, minicbor::Decode)]
struct Counted {
    #[n(0)]
    staked: Cents,
    #[n(1)]
    returns: Vec<i64>,
    #[n(2)]
    ceiling: i64,
}

impl<C> minicbor::Encode<C> for Exposure {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        context: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        Counted::from(self.clone()).encode(e, context)
    }
}

impl<C> minicbor::Decode<'_, C> for Exposure {
    fn decode(d: &mut minicbor::Decoder<'_>, context: &mut C) -> Result<Exposure, minicbor::decode::Error> {
        Counted::decode(d, context).map(Exposure::from)
    }
}

impl From<Counted> for Exposure {
    fn from(Counted { staked, returns, ceiling }: Counted) -> Exposure {
        Exposure { staked, returns, ceiling, uncounted: Vec::new() }
    }
}

impl From<Exposure> for Counted {
    fn from(exposure: Exposure) -> Counted {
        Counted { staked: exposure.staked, returns: exposure.counted(), ceiling: exposure.ceiling }
    }
}

impl fmt::Debug for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Counted::from(self.clone()).fmt(f)
    }
}

impl PartialEq for Exposure {
    fn eq(&self, other: &Exposure) -> bool {
        (self.staked, self.ceiling, self.counted()) == (other.staked, other.ceiling, other.counted())
    }
}

impl Eq for Exposure {}

/// Stakes by spot that are not counted into the outcomes yet, in parts of the table's unit.
#[derive(Clone)]
struct Uncounted {
    winners: Arc<[Vec<Winner>]>,
    parts: Vec<i64>,
}

impl Uncounted {
    fn add(&mut self, spot: SpotIndex, parts: i64) {
        if let Some(sum) = self.parts.get_mut(spot.get()) {
            *sum = sum.wrapping_add(parts);
        }
    }

    /// The spots with stakes: the outcomes each wins on, and how much is staked.
    fn spots(&self) -> impl Iterator<Item = (&[Winner], i64)> {
        let spots = self.winners.iter().map(Vec::as_slice).zip(self.parts.iter().copied());
        spots.filter(|(_, parts)| *parts != 0)
    }

    fn returned(&self, outcome: OutcomeIndex) -> i64 {
        let cell = |winners: &[Winner]| {
            let place = winners.binary_search_by_key(&outcome, |(outcome, _)| *outcome).ok()?;
            winners.get(place).map(|(_, cell)| i64::from(*cell))
        };
        self.spots().filter_map(|(winners, parts)| Some(parts.wrapping_mul(cell(winners)?))).fold(0, i64::wrapping_add)
    }

    fn count_into(&self, returns: &mut [i64]) {
        for (winners, parts) in self.spots() {
            for (outcome, cell) in winners {
                if let Some(returned) = returns.get_mut(outcome.get()) {
                    *returned = returned.wrapping_add(parts.wrapping_mul(i64::from(*cell)));
                }
            }
        }
    }
}

impl Exposure {
    /// No bets yet, over so many outcomes.
    #[must_use]
    pub fn new(outcomes: usize) -> Exposure {
        Exposure { staked: Cents::ZERO, returns: vec![0; outcomes], ceiling: 0, uncounted: Vec::new() }
    }

    /// Adds a stake to a spot, or takes it away when negative. Nothing changes when an amount does not fit. The stake
    /// is a multiple of the table's step, as everywhere.
    pub fn add(&mut self, table: &PayTable, spot: SpotIndex, stake: Cents) -> Result<(), Overflow> {
        let staked = self.staked.checked_add(stake).ok_or(Overflow)?;
        let parts = stake.get() / table.denominator();
        let most = i64::from(table.most(spot));
        let ceiling = self.ceiling.saturating_add(parts.max(0).saturating_mul(most));
        if ceiling == i64::MAX {
            // Only the sums themselves say whether they fit.
            self.count();
            self.add_counted(table, spot, parts)?;
        } else {
            self.add_uncounted(table, spot, parts);
        }
        self.ceiling = ceiling;
        self.staked = staked;
        Ok(())
    }

    fn add_uncounted(&mut self, table: &PayTable, spot: SpotIndex, parts: i64) {
        let winners = table.shared_winners();
        match self.uncounted.iter_mut().find(|uncounted| Arc::ptr_eq(&uncounted.winners, winners)) {
            Some(uncounted) => uncounted.add(spot, parts),
            None => {
                let mut uncounted = Uncounted { winners: Arc::clone(winners), parts: vec![0; winners.len()] };
                uncounted.add(spot, parts);
                self.uncounted.push(uncounted);
            }
        }
    }

    fn add_counted(&mut self, table: &PayTable, spot: SpotIndex, parts: i64) -> Result<(), Overflow> {
        let winners = table.winners(spot);
        let fits = |(outcome, cell): &Winner| {
            let returns = self.returns.get(outcome.get())?;
            parts.checked_mul(i64::from(*cell)).and_then(|more| returns.checked_add(more))
        };
        if !winners.iter().all(|winner| fits(winner).is_some()) {
            return Err(Overflow);
        }
        for (outcome, cell) in winners {
            if let Some(returns) = self.returns.get_mut(outcome.get()) {
                *returns = returns.wrapping_add(parts.wrapping_mul(i64::from(*cell)));
            }
        }
        Ok(())
    }

    /// Counts all stakes into the outcomes, for who is going to ask of them again and again.
    pub fn count(&mut self) {
        for uncounted in &mut self.uncounted {
            uncounted.count_into(&mut self.returns);
            uncounted.parts.fill(0);
        }
    }

    /// What each outcome returns, all stakes counted.
    fn counted(&self) -> Vec<i64> {
        let mut returns = self.returns.clone();
        self.uncounted.iter().for_each(|uncounted| uncounted.count_into(&mut returns));
        returns
    }

    /// Whether a limit is so near that bets can no longer be taken without looking at what outcomes return.
    #[must_use]
    pub fn is_near(&self, limit: Cents) -> bool {
        self.ceiling.saturating_sub(self.staked.get()) > limit.get()
    }

    /// Whether, with these stakes added, no outcome would cost the house more than a limit. An amount that does not fit
    /// is never within one.
    #[must_use]
    pub fn is_within(
        &self,
        limit: Cents,
        table: &PayTable,
        stakes: impl Iterator<Item = (SpotIndex, Cents)> + Clone,
    ) -> bool {
        // Far from the limit the sum of the most that every stake can return is enough, and no outcome is counted.
        let (mut ceiling, mut staked) = (self.ceiling, self.staked.get());
        for (spot, stake) in stakes.clone() {
            let parts = (stake.get() / table.denominator()).max(0);
            ceiling = ceiling.saturating_add(parts.saturating_mul(table.most(spot).into()));
            staked = staked.saturating_add(stake.get());
        }
        ceiling.saturating_sub(staked) <= limit.get()
            || self.worst_with(table, stakes).is_some_and(|worst| worst <= limit)
    }

    /// What the worst outcome would cost the house with these stakes added. `None` if an amount does not fit.
    #[must_use]
    pub fn worst_with(&self, table: &PayTable, stakes: impl Iterator<Item = (SpotIndex, Cents)>) -> Option<Cents> {
        // On the stack: this is asked for every bet at a table with a liability limit.
        let mut buffer = [0_i64; 216];
        let returns = buffer.get_mut(..self.returns.len())?;
        returns.copy_from_slice(&self.returns);
        self.uncounted.iter().for_each(|uncounted| uncounted.count_into(returns));
        let mut staked = self.staked;
        for (spot, stake) in stakes {
            staked = staked.checked_add(stake)?;
            let parts = stake.get() / table.denominator();
            for (outcome, cell) in table.winners(spot) {
                let returned = returns.get_mut(outcome.get())?;
                *returned = returned.checked_add(parts.checked_mul(i64::from(*cell))?)?;
            }
        }
        let worst = returns.iter().copied().max().unwrap_or(0);
        Cents::new(worst).checked_sub(staked)
    }

    /// Forgets all bets.
    pub fn clear(&mut self) {
        self.staked = Cents::ZERO;
        self.returns.fill(0);
        self.ceiling = 0;
        self.uncounted.clear();
    }

    /// What has been staked in all.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// What the bets return on an outcome, stakes included.
    #[must_use]
    pub fn returned(&self, outcome: OutcomeIndex) -> Cents {
        let Some(counted) = self.returns.get(outcome.get()) else { return Cents::ZERO };
        let uncounted = self.uncounted.iter().map(|uncounted| uncounted.returned(outcome));
        Cents::new(uncounted.fold(*counted, i64::wrapping_add))
    }

    /// What the house loses on an outcome: returns less stakes; negative when it wins.
    #[must_use]
    pub fn liability(&self, outcome: OutcomeIndex) -> Cents {
        Cents::new(self.returned(outcome).get().saturating_sub(self.staked.get()))
    }

    /// The outcome that costs the house most (the first of several), and how much.
    #[must_use]
    pub fn worst(&self) -> (OutcomeIndex, Cents) {
        let returns = self.counted();
        let worst = returns.iter().zip(0_u16..).max_by_key(|(returns, place)| (**returns, std::cmp::Reverse(*place)));
        let index = OutcomeIndex(worst.map_or(0, |(_, place)| place));
        (index, self.liability(index))
    }
}
