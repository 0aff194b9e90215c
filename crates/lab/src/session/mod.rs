//! A player's session, and a table's evening: the whole distribution of the result, not a sample of it.

mod distribution;
pub mod exact;
mod hold;
mod mix;
mod paper;
mod report;
mod round;
mod ruin;

pub use distribution::Distribution;
pub(crate) use distribution::gcd;
pub use hold::{HoldPoint, hold, milestones};
pub use mix::{Weighted, mix};
pub use report::{Budget, Limits, Quantile, ResultBin, Session, Share};
pub(crate) use round::row;
pub use round::{Landing, Round};
pub use ruin::{Ruin, RuinPoint, ruin};

/// Why a session cannot be worked out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// Nothing is bet.
    #[error("a session needs at least one bet")]
    NoBets,
    /// A stake is nothing, or not a multiple of the table's step.
    #[error("a stake must be more than zero and a multiple of {0} (D9)")]
    OffStep(rulebook::Cents),
    /// The amounts do not fit.
    #[error("the amounts are too large")]
    TooLarge,
    /// No rounds, or more than can be kept apart.
    #[error("rounds must be between 1 and {}", Distribution::MOST_ROUNDS)]
    Rounds,
    /// The results lie on too fine a grid.
    #[error("the results lie on a grid of {points} points, more than {most}: use rounder stakes or fewer rounds")]
    TooFine {
        /// How many there would be.
        points: u64,
        /// How many there may be.
        most: u64,
    },
    /// The walk with stopping rules takes too many steps.
    #[error(
        "the stopping rules need {steps:.1e} steps, more than {most:.0e}: use rounder stakes, fewer rounds or a target"
    )]
    TooMuchWork {
        /// How many there would be.
        steps: f64,
        /// How many there may be.
        most: f64,
    },
    /// The bankroll does not cover one round.
    #[error("the bankroll of {bankroll} does not cover the stakes of one round, {stakes}")]
    BankrollBelowStakes {
        /// What there is.
        bankroll: rulebook::Cents,
        /// What one round needs.
        stakes: rulebook::Cents,
    },
    /// The target is reached before it begins.
    #[error("the target of {target} is not above the bankroll of {bankroll}")]
    TargetBelowBankroll {
        /// What is aimed at.
        target: rulebook::Cents,
        /// What there is.
        bankroll: rulebook::Cents,
    },
}

impl SessionError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            SessionError::NoBets => "no_bets",
            SessionError::OffStep(_) => "off_step",
            SessionError::TooLarge => "amount_too_large",
            SessionError::Rounds => "rounds",
            SessionError::TooFine { .. } => "too_fine",
            SessionError::TooMuchWork { .. } => "too_much_work",
            SessionError::BankrollBelowStakes { .. } => "bankroll_below_stakes",
            SessionError::TargetBelowBankroll { .. } => "target_below_bankroll",
        }
    }
}
