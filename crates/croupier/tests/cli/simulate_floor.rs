//! `simulate-floor`: whole floors from seeds.

use crate::{json, line, misused};

#[test]
fn seeds_are_run_and_counted() {
    let answer = json("simulate-floor --seeds 5..8 --steps 60");
    assert_eq!((&answer["from"], &answer["seeds"], &answer["steps"]), (&5.into(), &3.into(), &180.into()));
    assert_eq!(answer["events"]["FloorCreated"], 3);
    assert!(answer["accepted"].as_u64().is_some_and(|accepted| accepted > 60));
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let told = || {
        let mut answer = json("simulate-floor --seeds 11..12 --steps 80");
        answer.as_object_mut().and_then(|answer| answer.remove("seconds")).expect("how long it took");
        answer
    };
    assert_eq!(told(), told());
}

#[test]
fn people_get_tables() {
    let run = line("simulate-floor --seeds 3..4 --steps 50");
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("Seeds 3..4: nothing failed in 50 steps"), "{}", run.stdout);
    for heading in ["Rounds", "Commands", "Refusals", "Events"] {
        assert!(run.stdout.lines().any(|line| line == heading), "{heading}");
    }
}

#[test]
fn seeds_that_are_none_are_wrong_usage() {
    for seeds in ["8..5", "5..5", "..5", "five", "5..x", "18446744073709551615"] {
        assert!(misused(&format!("simulate-floor --seeds {seeds}")).contains("--seeds"), "{seeds}");
    }
    misused("simulate-floor --steps 0");
}
