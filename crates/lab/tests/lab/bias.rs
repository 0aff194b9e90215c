//! Bias: what is fair is called fair, what is biased is found, and the rates are those that are promised.

use lab::bias::{Direction, Order, Results, Watch, examine, validate};
use lab::draw;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::game;

fn fair(id: &str, rounds: usize, seed: u64) -> Results {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let space = game(id).outcomes();
    let outcomes = (0..rounds).map(|_| draw::outcome(space, &mut chance).unwrap()).collect();
    Results::of(space, outcomes)
}

#[test]
fn fair_devices_are_called_fair() {
    for id in ["rws-sicbo", "rws-roulette-000", "roulette-single-zero"] {
        let results = fair(id, 4_000, 17);
        let order = results.order(game(id).outcomes());
        let examination = examine(game(id), &results, order);
        assert!(!examination.biased, "{id}: {:?}", examination.findings);
        assert!(examination.skipped.is_empty());
        assert!(examination.findings.iter().all(|finding| finding.detectable.is_some()));
    }
}

#[test]
fn a_loaded_die_is_found_and_named() {
    let mut results = fair("rws-sicbo", 4_000, 18);
    let space = game("rws-sicbo").outcomes();
    // Every twentieth result, the second die shows a six.
    for outcome in results.outcomes.iter_mut().step_by(20) {
        let text = space.outcome(*outcome).unwrap().to_string();
        *outcome = space.parse(&format!("{}-6-{}", &text[..1], &text[4..])).unwrap();
    }
    let examination = examine(game("rws-sicbo"), &results, Order::Known);
    let found: Vec<&str> = examination.findings.iter().filter(|found| found.biased).map(|found| found.id).collect();
    assert!(found.contains(&"die-2") && !found.contains(&"die-1"), "{found:?}");
    let die = examination.findings.iter().find(|finding| finding.id == "die-2").unwrap();
    assert!(die.most.starts_with("face 6") && die.more_rounds == Some(0), "{die:?}");
}

#[test]
fn a_wheel_that_repeats_itself_is_found_by_its_serial_tests() {
    let mut results = fair("rws-roulette-000", 3_000, 19);
    for n in (1..results.outcomes.len()).step_by(10) {
        results.outcomes[n] = results.outcomes[n - 1];
    }
    let examination = examine(game("rws-roulette-000"), &results, Order::Unknown);
    let found: Vec<&str> = examination.findings.iter().filter(|found| found.biased).map(|found| found.id).collect();
    assert!(found.contains(&"serial") && !found.contains(&"pockets"), "{found:?}");
}

#[test]
fn a_direction_that_matters_is_found() {
    let mut results = fair("rws-roulette-000", 3_000, 20);
    let space = game("rws-roulette-000").outcomes();
    let wheel = space.wheel().unwrap();
    for (outcome, direction) in results.outcomes.iter().zip(&mut results.directions) {
        let text = space.outcome(*outcome).unwrap().to_string();
        let place = wheel.order().iter().position(|pocket| pocket.to_string() == text).unwrap();
        *direction = Some(if (place + text.len()).is_multiple_of(3) || place < 12 {
            Direction::Clockwise
        } else {
            Direction::Anticlockwise
        });
    }
    let examination = examine(game("rws-roulette-000"), &results, Order::Unknown);
    assert!(examination.findings.iter().any(|found| found.id == "direction" && found.biased));
    assert!(examination.not_alternated.is_some_and(|times| times > 0));
}

#[test]
fn few_results_say_how_many_are_needed() {
    let examination = examine(game("rws-roulette-000"), &fair("rws-roulette-000", 50, 1), Order::Unknown);
    let pockets = examination.skipped.iter().find(|skipped| skipped.id == "pockets").unwrap();
    assert_eq!(pockets.rounds, 39 * 5);
    assert!(examination.paper().text(120).contains("Not tested: every pocket, from 195 rounds on."));
    assert!(!examine(game("rws-sicbo"), &fair("rws-sicbo", 1, 1), Order::Known).biased);
}

#[test]
fn a_watch_says_the_same_as_an_examination() {
    let results = fair("rws-sicbo", 500, 3);
    let examination = examine(game("rws-sicbo"), &results, Order::Known);
    let mut watch = Watch::new(game("rws-sicbo").outcomes(), Order::Known, 0.01);
    let last = results.outcomes.iter().map(|outcome| watch.observe(*outcome)).last().unwrap();
    assert_eq!((last, watch.highest()), (examination.e_value, examination.highest_e_value));
}

/// A short form of the table in docs/lab.md: the rates that are promised, whatever the number of threads.
#[test]
fn rates_are_as_promised() {
    let validation = validate(1, 60, 2);
    assert_eq!(validation, validate(1, 60, 1), "the seed decides, not the threads");
    let error = (0.01_f64 * 0.99 / 60.0).sqrt();
    for row in &validation.rows {
        if row.bias == "fair" {
            assert!(row.by_watch <= 0.01 + 3.0 * error && row.by_tests <= 0.01 + 3.0 * error, "{row:?}");
        }
    }
    let row = |bias: &str| validation.rows.iter().find(|row| row.bias == bias).unwrap();
    assert!(row("one die: sixes 20 % too often").by_tests > 0.9);
    assert!(row("all dice: sixes 10 % too often").by_watch > 0.7);
    assert!(row("leans: one side up to 30 % too often").median_alarm.is_some_and(|round| round < 800));
    assert!(row("one pocket twice as often").by_watch == 1.0);
}
