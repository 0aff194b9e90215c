//! Proof by simulation: how often fair devices are called biased, and how soon biased ones are found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rulebook::{OutcomeIndex, OutcomeSpace, Rulebook};
use serde::Serialize;

use super::device::Device;
use super::examine::corrected;
use super::{Order, Results, Watch};

/// One device, fair or biased in a known way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidationRow {
    /// The device.
    pub device: String,
    /// What is wrong with it.
    pub bias: String,
    /// Rounds of each run.
    pub rounds: u64,
    /// Share of runs in which the tests at the end, corrected by Holm at 1 %, called it biased.
    pub by_tests: f64,
    /// Share of runs in which the watch at 1 % raised an alarm at any round.
    pub by_watch: f64,
    /// The round at which half of the runs had raised one; none if fewer did.
    pub median_alarm: Option<u64>,
}

/// A table of rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validation {
    /// What decided the runs.
    pub seed: u64,
    /// How many runs of each row.
    pub runs: u64,
    /// The level that both methods promise to keep on fair devices.
    pub level: f64,
    /// The rows.
    pub rows: Vec<ValidationRow>,
}

const LEVEL: f64 = 0.01;

/// A weight for each outcome.
type Weights = Vec<f64>;

/// Runs fair and biased devices. The seed decides all of it, however many threads there are.
///
/// # Panics
/// Never: the rulebooks it names are inside the program.
#[must_use]
pub fn validate(seed: u64, runs: u64, threads: usize) -> Validation {
    let mut rows = Vec::new();
    for (number, case) in cases().into_iter().enumerate() {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(number as u64);
        rows.push(case.row(seed, runs, threads));
    }
    Validation { seed, runs, level: LEVEL, rows }
}

struct Case {
    rulebook: &'static Rulebook,
    device: &'static str,
    bias: &'static str,
    weights: Weights,
    rounds: u64,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    if let Some(dice) = rulebook::library::find("rws-sicbo") {
        let mut case = |bias, rounds, weight: &dyn Fn([usize; 3]) -> f64| {
            let weights = dice.outcomes().indices().map(|outcome| weight(Device::faces(outcome))).collect();
            cases.push(Case { rulebook: dice, device: "three dice", bias, weights, rounds });
        };
        let loaded = |face: usize, by: f64| if face == 5 { 1.0 + by } else { 1.0 - by / 5.0 };
        case("fair", 5_000, &|_| 1.0);
        case("one die: sixes 10 % too often", 5_000, &|dice| loaded(dice[0], 0.1));
        case("one die: sixes 20 % too often", 5_000, &|dice| loaded(dice[0], 0.2));
        case("all dice: sixes 5 % too often", 5_000, &|dice| dice.iter().map(|face| loaded(*face, 0.05)).product());
        case("all dice: sixes 10 % too often", 5_000, &|dice| dice.iter().map(|face| loaded(*face, 0.1)).product());
    }
    if let Some(wheel) = rulebook::library::find("rws-roulette-000") {
        let Device::Wheel(places) = Device::of(wheel.outcomes(), Order::Unknown) else { return cases };
        let mut case = |bias, rounds, weight: &dyn Fn(f64) -> f64| {
            let weights = places.iter().map(|place| weight(f64::from(*place))).collect();
            cases.push(Case { rulebook: wheel, device: "wheel of 39", bias, weights, rounds });
        };
        let angle = |place: f64| place / 39.0 * std::f64::consts::TAU;
        case("fair", 5_000, &|_| 1.0);
        case("leans: one side up to 20 % too often", 5_000, &|place| 1.0 + 0.2 * angle(place).cos());
        case("leans: one side up to 30 % too often", 5_000, &|place| 1.0 + 0.3 * angle(place).cos());
        case("one pocket 50 % too often", 20_000, &|place| if place == 7.0 { 1.5 } else { 1.0 });
        case("one pocket twice as often", 20_000, &|place| if place == 7.0 { 2.0 } else { 1.0 });
    }
    cases
}

/// What one run came to.
struct Ran {
    by_tests: bool,
    alarm: Option<u64>,
}

impl Case {
    fn row(&self, seed: u64, runs: u64, threads: usize) -> ValidationRow {
        let space = self.rulebook.outcomes();
        let device = Device::of(space, Order::Known);
        let sampler = Sampler::new(space, &self.weights);
        let next = AtomicU64::new(0);
        let all = Mutex::new(Vec::new());
        let worker = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs {
                    return;
                }
                let mut chance = ChaCha8Rng::seed_from_u64(seed);
                chance.set_stream(run);
                let ran = self.run(space, &device, &sampler, &mut chance);
                if let Ok(mut all) = all.lock() {
                    all.push(ran);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(worker);
            }
            worker();
        });
        let ran = all.into_inner().unwrap_or_default();
        let share =
            |what: &dyn Fn(&Ran) -> bool| ran.iter().filter(|ran| what(ran)).count() as f64 / runs.max(1) as f64;
        let mut alarms: Vec<u64> = ran.iter().map(|ran| ran.alarm.unwrap_or(u64::MAX)).collect();
        alarms.sort_unstable();
        ValidationRow {
            device: self.device.to_owned(),
            bias: self.bias.to_owned(),
            rounds: self.rounds,
            by_tests: share(&|ran| ran.by_tests),
            by_watch: share(&|ran| ran.alarm.is_some()),
            median_alarm: alarms.get(alarms.len() / 2).copied().filter(|alarm| *alarm != u64::MAX),
        }
    }

    fn run(&self, space: &OutcomeSpace, device: &Device, sampler: &Sampler, chance: &mut ChaCha8Rng) -> Ran {
        let outcomes: Vec<OutcomeIndex> = (0..self.rounds).map(|_| sampler.draw(chance)).collect();
        let mut watch = Watch::new(space, Order::Known, LEVEL);
        for outcome in &outcomes {
            watch.observe(*outcome);
        }
        let results = Results::of(space, outcomes);
        let (found, _) = corrected(device, &results);
        Ran { by_tests: found.iter().any(|(_, adjusted)| *adjusted < LEVEL), alarm: watch.alarm() }
    }
}

/// Draws outcomes by weights.
struct Sampler {
    indices: Vec<OutcomeIndex>,
    sums: Vec<f64>,
}

impl Sampler {
    fn new(space: &OutcomeSpace, weights: &[f64]) -> Sampler {
        let all: f64 = weights.iter().sum();
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight / all;
            Some(*sum)
        });
        Sampler { indices: space.indices().collect(), sums: sums.collect() }
    }

    fn draw(&self, chance: &mut ChaCha8Rng) -> OutcomeIndex {
        let x = (chance.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let place = self.sums.partition_point(|sum| *sum <= x).min(self.indices.len() - 1);
        self.indices[place]
    }
}
