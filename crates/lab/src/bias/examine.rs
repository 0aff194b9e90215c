//! All tests together: corrected for their number, with the size of the effect and what would settle it.

use rulebook::{OutcomeSpace, Rulebook};
use serde::Serialize;

use super::results::{Direction, Results};
use super::{Device, Order, Watch, tests};
use crate::statistics::{detectable, holm, needed};

/// The level that all tests share: one fair device of a hundred is called biased.
pub const LEVEL: f64 = 0.01;
/// With this probability a bias of the size found would be confirmed by the rounds that are named.
pub const POWER: f64 = 0.95;

/// What a test found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// A name for programs.
    pub id: &'static str,
    /// What was tested.
    pub subject: &'static str,
    /// What was counted.
    pub observations: u64,
    /// Chi-square.
    pub statistic: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// How likely so large a statistic is on a fair device, for this test alone.
    pub p: f64,
    /// The same, corrected for the number of tests (Holm).
    pub adjusted: f64,
    /// The size of the effect, Cohen's w, less what chance alone gives; zero if chance gives as much.
    pub effect: f64,
    /// The smallest effect that this many rounds would find with a probability of 95 %.
    pub detectable: Option<f64>,
    /// How many more rounds would confirm an effect of this size with a probability of 95 %; none when there is no effect
    /// to confirm, zero when it is confirmed.
    pub more_rounds: Option<u64>,
    /// What stands out most, in words.
    pub most: String,
    /// Whether it is more than chance.
    pub biased: bool,
}

/// A test that could not be made yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// A name for programs.
    pub id: &'static str,
    /// What would be tested.
    pub subject: &'static str,
    /// From how many rounds on.
    pub rounds: u64,
}

/// What recorded results say about a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examination {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// The rulebook's hash.
    pub hash: String,
    /// How many results.
    pub rounds: u64,
    /// Whether it is known which die is which; none for a wheel.
    pub order: Option<Order>,
    /// The level that all tests share.
    pub level: f64,
    /// The tests.
    pub findings: Vec<Finding>,
    /// The tests that need more rounds.
    pub skipped: Vec<Skipped>,
    /// The e-value after the last result.
    pub e_value: f64,
    /// The highest e-value on the way.
    pub highest_e_value: f64,
    /// What the e-value is held against.
    pub e_threshold: f64,
    /// The round at which it first reached that.
    pub alarm_at: Option<u64>,
    /// How often the direction did not alternate; none where it is not recorded.
    pub not_alternated: Option<u64>,
    /// Whether any test, or the e-value, says that the device is biased.
    pub biased: bool,
}

/// Examines results.
#[must_use]
pub fn examine(rulebook: &Rulebook, results: &Results, order: Order) -> Examination {
    let space = rulebook.outcomes();
    let (findings, skipped) = findings(&Device::of(space, order), results);
    let mut watch = Watch::new(space, order, LEVEL);
    for outcome in &results.outcomes {
        watch.observe(*outcome);
    }
    Examination {
        game: rulebook.id().to_owned(),
        title: rulebook.identity().title.en.clone(),
        hash: rulebook.hash().to_string(),
        rounds: results.outcomes.len() as u64,
        order: matches!(space, OutcomeSpace::Dice).then_some(order),
        level: LEVEL,
        biased: findings.iter().any(|finding| finding.biased) || watch.alarm().is_some(),
        findings,
        skipped,
        e_value: watch.e_value(),
        highest_e_value: watch.highest(),
        e_threshold: watch.threshold(),
        alarm_at: watch.alarm(),
        not_alternated: not_alternated(&results.directions),
    }
}

/// What the tests found, each with its p-value corrected for their number; and the tests that need more rounds.
pub(crate) fn corrected(device: &Device, results: &Results) -> (Vec<(tests::Found, f64)>, Vec<Skipped>) {
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    for test in tests::all(device, results) {
        match test {
            Ok(test) => found.push(test),
            Err(short) => skipped.push(Skipped { id: short.id, subject: short.subject, rounds: short.rounds }),
        }
    }
    let adjusted = holm(&found.iter().map(|found| found.test.p).collect::<Vec<_>>());
    (found.into_iter().zip(adjusted).collect(), skipped)
}

fn findings(device: &Device, results: &Results) -> (Vec<Finding>, Vec<Skipped>) {
    let (found, skipped) = corrected(device, results);
    // Each test must pass the level divided by their number to be sure of passing Holm's.
    let level = LEVEL / found.len().max(1) as f64;
    let rounds = results.outcomes.len() as f64;
    let finding = |(found, adjusted): (tests::Found, f64)| {
        let seen = found.observations as f64;
        let test = found.test;
        let effect = ((test.statistic - test.freedom).max(0.0) / seen.max(1.0)).sqrt();
        let biased = adjusted < LEVEL;
        let more = |total: f64| ((total / seen - 1.0).max(0.0) * rounds).ceil() as u64;
        Finding {
            id: found.id,
            subject: found.subject,
            observations: found.observations,
            statistic: test.statistic,
            freedom: test.freedom,
            p: test.p,
            adjusted,
            effect,
            detectable: detectable(seen, test.freedom, level, POWER),
            more_rounds: if biased { Some(0) } else { needed(effect, test.freedom, level, POWER).map(more) },
            most: found.most,
            biased,
        }
    };
    (found.into_iter().map(finding).collect(), skipped)
}

fn not_alternated(directions: &[Option<Direction>]) -> Option<u64> {
    let known: Vec<Direction> = directions.iter().flatten().copied().collect();
    (known.len() > 1).then(|| known.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64)
}
