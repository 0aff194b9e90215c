//! The hold of the house and its spread, by the number of rounds.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Distribution, Round, SessionError};
use crate::words::float;

/// The hold after so many rounds, as shares of the turnover; negative when the players win.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HoldPoint {
    /// After so many rounds.
    pub rounds: u64,
    /// In one of 200 sessions the hold is lower.
    pub low_99: f64,
    /// In one of 40 sessions the hold is lower.
    pub low_95: f64,
    /// In half of them.
    pub median: f64,
    /// In one of 40 it is higher.
    pub high_95: f64,
    /// In one of 200 it is higher.
    pub high_99: f64,
    /// The probability that the house has lost.
    pub house_behind: f64,
}

/// The numbers of rounds at which a course is shown: 1, 2, 5, 10, 20, 50 … and the last.
#[must_use]
pub fn milestones(rounds: u64) -> Vec<u64> {
    let series = (0..18_u32).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
    let mut marks: Vec<u64> = series.take_while(|mark| *mark < rounds).collect();
    marks.push(rounds);
    marks
}

/// The bands of the hold at each milestone up to this many rounds.
///
/// # Errors
/// As [`Distribution::after`].
pub fn hold(round: &Round, rounds: u64) -> Result<Vec<HoldPoint>, SessionError> {
    within(round, rounds, Distribution::MOST_POINTS)
}

/// The same, with fewer points allowed.
pub(super) fn within(round: &Round, rounds: u64, most: u64) -> Result<Vec<HoldPoint>, SessionError> {
    milestones(rounds).into_iter().map(|rounds| point(round, &Distribution::within(round, rounds, most)?)).collect()
}

fn point(round: &Round, after: &Distribution) -> Result<HoldPoint, SessionError> {
    let turnover = float(round.mean_stake()) * after.rounds() as f64;
    let hold = |probability: f64| -(after.quantile(probability) as f64) / turnover;
    Ok(HoldPoint {
        rounds: after.rounds(),
        low_99: hold(0.995),
        low_95: hold(0.975),
        median: hold(0.5),
        high_95: hold(0.025),
        high_99: hold(0.005),
        house_behind: after.above(0),
    })
}
