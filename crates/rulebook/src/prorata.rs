//! Settling pro rata what exceeds a betting box (Tai Sai 5.1.1, 5.1.2; D8).
//!
//! Chips of all players on one spot make up its box. Bets of one player in one box are one bet. What was not rejected in
//! time is scaled by one factor so that the box's total at risk is its cap: bets under the minimum stay whole, and a bet
//! that would fall below the minimum is held there while the others take the remaining room.

use crate::{Cents, Fraction};

/// The limits of a box.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BoxLimits {
    /// The least a player may bet in the box; zero if there is no minimum.
    pub minimum: Cents,
    /// The most the whole box may hold, if there is a maximum.
    pub maximum: Option<Cents>,
    /// What amounts at risk are cut down to: a cent, or a table's smallest chip.
    pub step: Cents,
}

/// What came of one player's bet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share<P> {
    /// Whose bet it is.
    pub player: P,
    /// The bet as it stood.
    pub bet: Cents,
    /// What wins or loses of it.
    pub at_risk: Cents,
}

impl<P> Share<P> {
    /// What goes back whatever the dice show.
    #[must_use]
    pub fn returned(&self) -> Cents {
        Cents::new(self.bet.get() - self.at_risk.get())
    }
}

/// The two sides of a pair with a differential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides<P> {
    /// The first side.
    pub bets: Vec<Share<P>>,
    /// The other.
    pub against: Vec<Share<P>>,
}

/// Why nothing can be worked out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProrataError {
    /// A bet of nothing or less.
    #[error("every bet must be more than zero")]
    NotPositive,
    /// The limits contradict each other.
    #[error("the minimum of {0} exceeds the maximum of {1}")]
    MinimumAboveMaximum(Cents, Cents),
    /// A differential of less than nothing.
    #[error("the differential of {0} is less than zero")]
    NegativeDifferential(Cents),
    /// A step of zero or less.
    #[error("the step must be more than zero")]
    NoStep,
    /// The bets add up to more than can be kept.
    #[error("the amounts are too large")]
    TooLarge,
}

impl ProrataError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            ProrataError::NotPositive => "zero_amount",
            ProrataError::MinimumAboveMaximum(..) => "minimum_above_maximum",
            ProrataError::NegativeDifferential(_) => "negative_differential",
            ProrataError::NoStep => "no_step",
            ProrataError::TooLarge => "amount_too_large",
        }
    }
}

/// Works out one box. Players come out in the order in which they were first named.
///
/// ```
/// use rulebook::{prorata, Cents};
/// let limits = prorata::BoxLimits { minimum: Cents::new(2500), maximum: Some(Cents::new(100_000)), step: Cents::ONE };
/// let bets = [("A", Cents::new(90_000)), ("B", Cents::new(30_000)), ("C", Cents::new(2_000))];
/// let at_risk: Vec<i64> = prorata::one_box(&bets, limits).unwrap().iter().map(|s| s.at_risk.get()).collect();
/// assert_eq!(at_risk, [73_500, 24_500, 2_000]);
/// ```
pub fn one_box<P: Clone + PartialEq>(bets: &[(P, Cents)], limits: BoxLimits) -> Result<Vec<Share<P>>, ProrataError> {
    check(limits)?;
    apportion(merge(bets)?, limits.maximum, limits)
}

/// Works out two boxes that have the same limits and whose difference is limited; see [`pair`].
pub fn differential<P: Clone + PartialEq>(
    bets: &[(P, Cents)],
    against: &[(P, Cents)],
    differential: Cents,
    limits: BoxLimits,
) -> Result<Sides<P>, ProrataError> {
    pair(bets, against, differential, [limits; 2])
}

/// Computes two boxes whose difference is limited. The lighter side (by the bets as they stood) comes first; the
/// heavier one's cap is the smaller of its maximum and the lighter side's total at risk plus the differential.
pub fn pair<P: Clone + PartialEq>(
    bets: &[(P, Cents)],
    against: &[(P, Cents)],
    differential: Cents,
    [limits, against_limits]: [BoxLimits; 2],
) -> Result<Sides<P>, ProrataError> {
    check(limits)?;
    check(against_limits)?;
    if differential < Cents::ZERO {
        return Err(ProrataError::NegativeDifferential(differential));
    }
    let (bets, against) = (merge(bets)?, merge(against)?);
    let (first, second) = (total(&bets, |share| share.bet)?, total(&against, |share| share.bet)?);
    if first > second {
        let against = apportion(against, against_limits.maximum, against_limits)?;
        let bets = apportion(bets, Some(heavier_cap(&against, differential, limits)?), limits)?;
        return Ok(Sides { bets, against });
    }
    let bets = apportion(bets, limits.maximum, limits)?;
    // With neither side heavier there is no differential to exceed.
    let cap =
        if first == second { against_limits.maximum } else { Some(heavier_cap(&bets, differential, against_limits)?) };
    let against = apportion(against, cap, against_limits)?;
    Ok(Sides { bets, against })
}

fn heavier_cap<P>(lighter: &[Share<P>], differential: Cents, limits: BoxLimits) -> Result<Cents, ProrataError> {
    let at_risk = total(lighter, |share| share.at_risk)?;
    let cap = at_risk.checked_add(differential).ok_or(ProrataError::TooLarge)?;
    Ok(limits.maximum.map_or(cap, |maximum| maximum.min(cap)))
}

fn check(limits: BoxLimits) -> Result<(), ProrataError> {
    if !limits.step.is_positive() {
        return Err(ProrataError::NoStep);
    }
    match limits.maximum {
        Some(maximum) if maximum < limits.minimum => Err(ProrataError::MinimumAboveMaximum(limits.minimum, maximum)),
        _ => Ok(()),
    }
}

/// Bets of one player in one box are one bet.
fn merge<P: Clone + PartialEq>(bets: &[(P, Cents)]) -> Result<Vec<Share<P>>, ProrataError> {
    let mut merged: Vec<Share<P>> = Vec::with_capacity(bets.len());
    for (player, bet) in bets {
        if !bet.is_positive() {
            return Err(ProrataError::NotPositive);
        }
        match merged.iter_mut().find(|share| share.player == *player) {
            Some(share) => share.bet = share.bet.checked_add(*bet).ok_or(ProrataError::TooLarge)?,
            None => merged.push(Share { player: player.clone(), bet: *bet, at_risk: Cents::ZERO }),
        }
    }
    for share in &mut merged {
        share.at_risk = share.bet;
    }
    Ok(merged)
}

fn total<P>(shares: &[Share<P>], amount: impl Fn(&Share<P>) -> Cents) -> Result<Cents, ProrataError> {
    Cents::checked_sum(shares.iter().map(amount)).ok_or(ProrataError::TooLarge)
}

// § rws-taisai 5.1.1, 5.1.2
fn apportion<P>(
    mut shares: Vec<Share<P>>,
    cap: Option<Cents>,
    limits: BoxLimits,
) -> Result<Vec<Share<P>>, ProrataError> {
    let placed = total(&shares, |share| share.bet)?;
    let Some(cap) = cap.filter(|cap| placed > *cap) else { return Ok(shares) };
    // Under the minimum: whole (5.1.2). The rest share one factor until none of them falls below the minimum.
    let whole: i64 = shares.iter().filter(|share| share.bet < limits.minimum).map(|share| share.bet.get()).sum();
    let mut scaled: Vec<&mut Share<P>> = shares.iter_mut().filter(|share| share.bet >= limits.minimum).collect();
    let mut room = i128::from(cap.get()) - i128::from(whole);
    let factor = loop {
        let bets: i128 = scaled.iter().map(|share| i128::from(share.bet.get())).sum();
        if bets == 0 {
            break Fraction::from_integer(0);
        }
        let factor = Fraction::new(room.max(0), bets);
        let (held, rest): (Vec<_>, Vec<_>) = scaled.into_iter().partition(|share| {
            Fraction::from_integer(share.bet.get().into()) * factor
                < Fraction::from_integer(limits.minimum.get().into())
        });
        scaled = rest;
        if held.is_empty() {
            break factor;
        }
        for share in held {
            share.at_risk = limits.minimum;
            room -= i128::from(limits.minimum.get());
        }
    };
    for share in scaled {
        let exact = (Fraction::from_integer(share.bet.get().into()) * factor).to_integer();
        let step = i128::from(limits.step.get());
        let cut = i64::try_from(exact - exact % step).map_err(|_| ProrataError::TooLarge)?;
        share.at_risk = Cents::new(cut).max(limits.minimum);
    }
    Ok(shares)
}
