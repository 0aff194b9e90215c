//! That the simulation finds what it is there to find: each deliberate flaw shows within a few seeds.

use system::{Course, Failure, Flaw, STEPS, play, shrink};

/// Seeds within which a flaw must show, of those with as many hosts as it takes.
const SEEDS: usize = 40;

fn first_failure(flaw: Flaw) -> Option<Failure> {
    let courses = (0..).map(|seed| Course::with(seed, STEPS, flaw));
    let mut courses = courses.filter(|course| course.is_cluster() == flaw.is_of_cluster()).take(SEEDS);
    courses.find_map(|course| play(&course).err())
}

#[test]
fn every_flaw_is_found() {
    let mut missed = Vec::new();
    for flaw in Flaw::ALL {
        match first_failure(flaw) {
            Some(failure) => {
                println!("{flaw:?}: seed {}, step {}: {}", failure.course.seed, failure.step, failure.what)
            }
            None => missed.push(flaw),
        }
    }
    assert!(missed.is_empty(), "not found within {SEEDS} seeds: {missed:?}");
}

#[test]
fn a_failure_is_shrunk_and_can_be_run_again() {
    let failure = shrink(first_failure(Flaw::LostSync).expect("a failure"));
    let shrunk = &failure.shrunk.as_ref().expect("something smaller").0;
    assert!(shrunk.steps - u32::try_from(shrunk.skipped.len()).expect("few") < STEPS / 2, "{failure}");
    assert!(!shrunk.without.is_empty() && play(shrunk).is_err());
    let words = failure.to_string();
    assert!(words.contains("croupier simulate-system --seeds"), "{words}");
}
