//! Thousands of seeds, and that they reach everything there is to reach.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use floor::Code;
use simulator::{Course, EVENT_KINDS, Failure, STEPS, Summary, sweep};

const SEEDS: Range<u64> = 0..3_000;
/// Long nights: rounds leave the list of recent ones and are recalled (D24).
const LONG: Range<u64> = 100_000..100_024;
const LONG_STEPS: u32 = 6_000;

static SWEPT: LazyLock<Result<Summary, Failure>> = LazyLock::new(|| {
    let mut summary = sweep_all(SEEDS)?;
    summary.add(&sweep(LONG, Course::of(LONG_STEPS), 2, &|_| {}, &AtomicBool::new(false))?);
    Ok(summary)
});

fn sweep_all(seeds: Range<u64>) -> Result<Summary, Failure> {
    sweep(seeds, Course::of(STEPS), 2, &|_| {}, &AtomicBool::new(false))
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
    // Parts of a correction take more terminals than a simulated floor has, it has no doors at which to note anything or
    // to make codes, and a ticket is printed again only as a duplicate.
    let never =
        ["TicketReprinted", "CorrectionPart", "Noted", "FeatureLevelRaised", "EnrolmentCodeMade", "HostKeyChanged"];
    let never: BTreeSet<&str> = never.into_iter().collect();
    let unseen: BTreeSet<&str> = unseen.into_iter().collect();
    assert_eq!(unseen, never, "events that never happened");
    // The meters never disagree: that they never do is what the simulator proves. Its floors have the highest level, and its
    // cashiers type no numbers.
    let never = BTreeSet::from([Code::FeatureLevel, Code::WrongTickets, Code::Meters]);
    let unseen: BTreeSet<Code> = Code::ALL.iter().copied().filter(|code| !summary.refused.contains_key(code)).collect();
    assert_eq!(unseen, never, "refusals that never happened");
}

#[test]
fn every_game_settles_voids_and_corrects() {
    let summary = SWEPT.as_ref().unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.games.len(), 5);
    for (game, rounds) in &summary.games {
        let all = [rounds.settled, rounds.void, rounds.corrected, rounds.voided_later];
        assert!(all.iter().all(|count| *count > 30), "{game}: {rounds:?}");
    }
    assert!(summary.crashes > 1_000 && summary.retried > 1_000);
}

#[test]
fn a_seed_is_the_whole_story() {
    let once = simulator::run(7, Course::of(STEPS)).unwrap_or_else(|failure| panic!("{failure}"));
    let again = simulator::run(7, Course::of(STEPS)).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(once, again);
}

#[test]
fn people_and_devices_are_as_dishonest_as_is_asked() {
    let swept = |dishonesty| {
        let course = Course { steps: STEPS, dishonesty };
        sweep(0..60, course, 2, &|_| {}, &AtomicBool::new(false)).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let [honest, usual, rogues] = [0, 100, 500].map(swept);
    let grounds = |summary: &Summary| summary.events.get("SecondTumble").copied().unwrap_or(0);
    assert!(grounds(&honest) < grounds(&usual) && grounds(&usual) < grounds(&rogues));
    let rank = |summary: &Summary| summary.refused.get(&Code::Rank).copied().unwrap_or(0);
    let ranks = [rank(&honest), rank(&usual), rank(&rogues)];
    assert!(ranks[0] < ranks[1] && ranks[1] < ranks[2], "{ranks:?}");
}
