//! All figures of a session in one value.

use rulebook::{Cents, Fraction, Layout, Rulebook, SpotIndex};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Distribution, HoldPoint, Round, Ruin, SessionError, hold, ruin};
use crate::words::{float, fraction, money};

/// Stopping rules.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What the player begins with; without it there is no ruin.
    pub bankroll: Option<Cents>,
    /// At what the player stops.
    pub target: Option<Cents>,
}

/// The bound on the work: smaller for a host with waiting players than on a desk.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Budget {
    /// The most points of a distribution.
    pub points: u64,
    /// The most additions of a walk with stopping rules.
    pub steps: f64,
}

impl Budget {
    /// Some seconds, and some hundred megabytes.
    pub const LARGEST: Budget = Budget { points: Distribution::MOST_POINTS, steps: 2e10 };
}

/// A set of bets of the session, and how often it is made.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Share {
    /// How often, in relation to the others.
    pub weight: u32,
    /// The bets, as written.
    pub bets: Vec<String>,
    /// What they cost.
    #[serde(serialize_with = "money")]
    #[schema(value_type = String)]
    pub staked: Cents,
}

/// A result that is not exceeded with a probability.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// The result.
    #[serde(serialize_with = "money")]
    #[schema(value_type = String)]
    pub result: Cents,
}

/// A bin of the distribution.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ResultBin {
    /// From this result, in units of money (not cents) …
    pub from: f64,
    /// … to this one.
    pub to: f64,
    /// The probability of a result in it.
    pub share: f64,
}

fn rounded<S: serde::Serializer>(cents: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    money(&Cents::new(cents.round() as i64), serializer)
}

/// A session: what so many rounds of given bets can bring.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Session {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// The document's version.
    pub version: String,
    /// The layout.
    pub layout: String,
    /// Words for the layout.
    pub layout_name: String,
    /// The rulebook's hash.
    pub hash: String,
    /// What is bet.
    pub sets: Vec<Share>,
    /// How many rounds.
    pub rounds: u64,
    /// The house edge on what is staked.
    #[serde(serialize_with = "fraction")]
    #[schema(value_type = String)]
    pub edge: Fraction,
    /// The mean result, in cents; serialised as money.
    #[serde(serialize_with = "rounded")]
    #[schema(value_type = String)]
    pub mean: f64,
    /// The standard deviation of the result, in cents; serialised as money.
    #[serde(serialize_with = "rounded")]
    #[schema(value_type = String)]
    pub deviation: f64,
    /// The probability that the player is ahead after the last round.
    pub ahead: f64,
    /// The probability that nothing is won or lost.
    pub even: f64,
    /// The probability that the player is behind.
    pub behind: f64,
    /// The result at some probabilities.
    pub quantiles: Vec<Quantile>,
    /// The distribution in bins.
    pub bins: Vec<ResultBin>,
    /// No probability is further from the truth than this.
    pub error: f64,
    /// What becomes of a bankroll, if there is one.
    pub ruin: Option<Ruin>,
    /// The house's hold by the number of rounds.
    pub hold: Vec<HoldPoint>,
}

const QUANTILES: [f64; 9] = [0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999];
const BINS: usize = 80;

impl Session {
    /// The same bets in every round.
    ///
    /// # Errors
    /// As [`Round::of`], [`Distribution::after`] and [`ruin()`].
    pub fn of(
        rulebook: &Rulebook,
        layout: &Layout,
        bets: &[(SpotIndex, Cents)],
        rounds: u64,
        limits: Limits,
    ) -> Result<Session, SessionError> {
        Session::mix(rulebook, layout, &[(1, bets.to_vec())], rounds, limits)
    }

    /// The same bets in every round, with less work allowed.
    ///
    /// # Errors
    /// As [`Session::of`].
    pub fn within(
        rulebook: &Rulebook,
        layout: &Layout,
        bets: &[(SpotIndex, Cents)],
        rounds: u64,
        limits: Limits,
        budget: Budget,
    ) -> Result<Session, SessionError> {
        Session::work_out(rulebook, layout, &[(1, bets.to_vec())], rounds, limits, budget)
    }

    /// Each round one of several sets of bets, as at a table with many players.
    ///
    /// # Errors
    /// As [`Session::of`].
    pub fn mix(
        rulebook: &Rulebook,
        layout: &Layout,
        sets: &[(u32, Vec<(SpotIndex, Cents)>)],
        rounds: u64,
        limits: Limits,
    ) -> Result<Session, SessionError> {
        Session::work_out(rulebook, layout, sets, rounds, limits, Budget::LARGEST)
    }

    fn work_out(
        rulebook: &Rulebook,
        layout: &Layout,
        sets: &[(u32, Vec<(SpotIndex, Cents)>)],
        rounds: u64,
        limits: Limits,
        budget: Budget,
    ) -> Result<Session, SessionError> {
        let table = layout.table();
        let round = Round::mix(table, sets)?;
        let after = Distribution::within(&round, rounds, budget.points)?;
        let name = |(spot, stake): &(SpotIndex, Cents)| {
            format!("{}={stake}", table.spot(*spot).map_or_else(String::new, |priced| priced.spot.to_string()))
        };
        let share = |(weight, bets): &(u32, Vec<(SpotIndex, Cents)>)| Share {
            weight: *weight,
            bets: bets.iter().map(name).collect(),
            staked: Cents::new(bets.iter().map(|(_, stake)| stake.get()).sum()),
        };
        let bin = |(from, to, share): (f64, f64, f64)| ResultBin { from: from / 100.0, to: to / 100.0, share };
        let quantile = |probability| Quantile { probability, result: Cents::new(after.quantile(probability)) };
        Ok(Session {
            game: rulebook.id().to_owned(),
            title: rulebook.identity().title.en.clone(),
            version: rulebook.identity().version.clone(),
            layout: layout.id().to_owned(),
            layout_name: layout.name().en.clone(),
            hash: rulebook.hash().to_string(),
            sets: sets.iter().map(share).collect(),
            rounds,
            edge: round.edge(),
            mean: float(round.mean()) * rounds as f64,
            deviation: (float(round.variance()) * rounds as f64).sqrt(),
            ahead: after.above(0),
            even: after.at(0),
            behind: after.below(0),
            quantiles: QUANTILES.map(quantile).to_vec(),
            bins: after.bins(BINS, 1e-4).into_iter().map(bin).collect(),
            error: after.error(),
            ruin: limits
                .bankroll
                .map(|bankroll| ruin::within(&round, rounds, bankroll, limits.target, budget))
                .transpose()?,
            hold: hold::within(&round, rounds, budget.points)?,
        })
    }
}
