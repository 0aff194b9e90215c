//! Exposure: what the house stands to lose on each outcome.

use crate::{Cents, OutcomeIndex, PayTable, SpotIndex};

/// An amount does not fit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the amount is too large")]
pub struct Overflow;

/// What a set of bets would return on each outcome, kept up to date bet by bet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Exposure {
    staked: Cents,
    returns: Vec<i64>,
    /// No outcome returns more than this. It grows with every stake and falls only when all are forgotten.
    ceiling: i64,
}

impl Exposure {
    /// No bets yet, over so many outcomes.
    #[must_use]
    pub fn new(outcomes: usize) -> Exposure {
        Exposure { staked: Cents::ZERO, returns: vec![0; outcomes], ceiling: 0 }
    }

    /// Adds a stake to a spot, or takes it away when negative. Nothing changes when an amount does not fit. The stake
    /// is a multiple of the table's step, as everywhere.
    pub fn add(&mut self, table: &PayTable, spot: SpotIndex, stake: Cents) -> Result<(), Overflow> {
        let staked = self.staked.checked_add(stake).ok_or(Overflow)?;
        let parts = stake.get() / table.denominator();
        let winners = table.winners(spot);
        let fits = |(outcome, cell): &(OutcomeIndex, u32)| {
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
        let most = i64::from(table.most(spot));
        self.ceiling = self.ceiling.saturating_add(parts.max(0).saturating_mul(most));
        self.staked = staked;
        Ok(())
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
        // Far from the limit the sum of what every stake returns at most will do, and no outcome is looked at.
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
    }

    /// What has been staked in all.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// What the bets return on an outcome, stakes included.
    #[must_use]
    pub fn returned(&self, outcome: OutcomeIndex) -> Cents {
        Cents::new(self.returns.get(outcome.get()).copied().unwrap_or(0))
    }

    /// What the house loses on an outcome: returns less stakes; negative when it wins.
    #[must_use]
    pub fn liability(&self, outcome: OutcomeIndex) -> Cents {
        Cents::new(self.returned(outcome).get().saturating_sub(self.staked.get()))
    }

    /// The outcome that costs the house most (the first of several), and how much.
    #[must_use]
    pub fn worst(&self) -> (OutcomeIndex, Cents) {
        let worst =
            self.returns.iter().zip(0_u16..).max_by_key(|(returns, place)| (**returns, std::cmp::Reverse(*place)));
        let index = OutcomeIndex(worst.map_or(0, |(_, place)| place));
        (index, self.liability(index))
    }
}
