//! `simulate-system`: the whole system from seeds.

use crate::{json, line, misused};

#[test]
fn seeds_are_run_and_counted() {
    let answer = json("simulate-system --seeds 5..8 --steps 40");
    assert_eq!((&answer["from"], &answer["seeds"], &answer["steps"]), (&5.into(), &3.into(), &120.into()));
    assert_eq!(answer["clusters"], 1);
    assert!(answer["records"].as_u64().is_some_and(|records| records > 0));
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let told = || {
        let mut answer = json("simulate-system --seeds 11 --steps 60");
        answer.as_object_mut().and_then(|answer| answer.remove("seconds")).expect("how long it took");
        answer
    };
    assert_eq!(told(), told());
}

#[test]
fn people_get_tables() {
    let run = line("simulate-system --seeds 3 --steps 50 --without kill,power-loss --skip 4,10-20");
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("Seeds 3..4: nothing failed in 38 steps"), "{}", run.stdout);
    for heading in ["Play", "What happened", "What was done and compared"] {
        assert!(run.stdout.lines().any(|line| line == heading), "{heading}");
    }
}

#[test]
fn what_is_no_seed_fault_or_step_is_wrong_usage() {
    for wrong in ["--seeds 8..5", "--seeds 3 --without luck", "--seeds 3 --skip 9-4", "--steps 0"] {
        misused(&format!("simulate-system {wrong}"));
    }
}
