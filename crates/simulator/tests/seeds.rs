//! Thousands of seeds, and that they reach everything there is to reach.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use floor::Code;
use simulator::{EVENT_KINDS, Failure, STEPS, Summary, sweep};

const SEEDS: Range<u64> = 0..3_000;

static SWEPT: LazyLock<Result<Summary, Failure>> = LazyLock::new(|| sweep_all(SEEDS));

fn sweep_all(seeds: Range<u64>) -> Result<Summary, Failure> {
    sweep(seeds, STEPS, 2, &|_| {}, &AtomicBool::new(false))
}

/// `SIMULATOR_SEEDS=FROM..TO` asks for other seeds than the usual ones.
fn other_seeds() -> Option<Range<u64>> {
    let text = std::env::var("SIMULATOR_SEEDS").ok()?;
    let (from, to) = text.split_once("..").expect("FROM..TO");
    Some(from.parse().expect("a number")..to.parse().expect("a number"))
}

#[test]
fn no_seed_breaks_the_floor() {
    let swept = other_seeds().map(sweep_all);
    if let Err(failure) = swept.as_ref().unwrap_or(&SWEPT) {
        panic!("{failure}");
    }
}

#[test]
fn the_seeds_bring_about_every_event_and_every_refusal() {
    let summary = SWEPT.as_ref().unwrap_or_else(|failure| panic!("{failure}"));
    let unseen: Vec<&str> =
        EVENT_KINDS.iter().copied().filter(|kind| summary.events.get(kind).is_none_or(|count| *count == 0)).collect();
    // Parts of a correction take more terminals than a simulated floor has, and it has no doors at which to note anything.
    assert_eq!(
        unseen,
        ["CorrectionPart", "Noted", "FeatureLevelRaised", "CredentialChanged"],
        "events that never happened"
    );
    // The meters never disagree: that they never do is what the simulator proves. Its floors have the highest level.
    let never = [Code::FeatureLevel, Code::Meters];
    let unseen: Vec<Code> = Code::ALL.iter().copied().filter(|code| !summary.refused.contains_key(code)).collect();
    assert_eq!(unseen, never, "refusals that never happened");
}

#[test]
fn every_game_settles_voids_and_corrects() {
    let summary = SWEPT.as_ref().unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.games.len(), 5);
    for (game, rounds) in &summary.games {
        let all = [rounds.settled, rounds.void, rounds.corrected, rounds.voided_later];
        assert!(all.iter().all(|count| *count > 100), "{game}: {rounds:?}");
    }
    assert!(summary.crashes > 1_000 && summary.retried > 1_000);
}

#[test]
fn a_seed_is_the_whole_story() {
    let once = simulator::run(7, STEPS).unwrap_or_else(|failure| panic!("{failure}"));
    let again = simulator::run(7, STEPS).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(once, again);
}
