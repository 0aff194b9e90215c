//! The same distributions in whole numbers, for few rounds: what the fast method is tested against.

use num_bigint::BigUint;
use std::collections::BTreeMap;

use super::Round;

/// The ways to each result after so many rounds, in cents; all ways are `round.ways` to the power of the rounds.
#[must_use]
pub fn after(round: &Round, rounds: u32) -> BTreeMap<i64, BigUint> {
    let mut ways = BTreeMap::from([(0_i64, BigUint::from(1_u8))]);
    for _ in 0..rounds {
        ways = step(round, &ways);
    }
    ways
}

/// The ways in which a bankroll is too small for the stakes, or has reached the target, within so many rounds; each
/// counted in ways of all rounds, so that both divided by `round.ways` to the power of the rounds are probabilities.
#[must_use]
pub fn ruin(round: &Round, rounds: u32, bankroll: i64, target: Option<i64>) -> (BigUint, BigUint) {
    let mut playing = BTreeMap::from([(bankroll, BigUint::from(1_u8))]);
    let (mut broke, mut reached) = (BigUint::ZERO, BigUint::ZERO);
    for left in (0..rounds).rev() {
        let rest = BigUint::from(round.ways).pow(left);
        let mut next = step(round, &playing);
        next.retain(|at, ways| {
            if *at < round.stakes {
                broke += &*ways * &rest;
                return false;
            }
            if target.is_some_and(|target| *at >= target) {
                reached += &*ways * &rest;
                return false;
            }
            true
        });
        playing = next;
    }
    (broke, reached)
}

fn step(round: &Round, before: &BTreeMap<i64, BigUint>) -> BTreeMap<i64, BigUint> {
    let mut after: BTreeMap<i64, BigUint> = BTreeMap::new();
    for (at, ways) in before {
        for landing in &round.landings {
            *after.entry(at + landing.net).or_default() += ways * landing.ways;
        }
    }
    after
}
