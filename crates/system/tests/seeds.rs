//! Two hundred whole systems, that they reach everything there is to reach, and that a seed is the whole story.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use system::{Failure, Fault, STEPS, Summary, run, sweep};

/// `SYSTEM_SEEDS` asks for another number than the usual one.
fn seeds() -> u64 {
    std::env::var("SYSTEM_SEEDS").map_or(200, |number| number.parse().expect("a number"))
}

static SWEPT: LazyLock<Result<Summary, Failure>> = LazyLock::new(|| {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    sweep(0..seeds(), STEPS, threads, &|_| {}, &AtomicBool::new(false))
});

#[test]
fn no_seed_breaks_the_system() {
    match &*SWEPT {
        Ok(summary) => println!("{summary:#?}"),
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn every_fault_happens_and_everything_is_compared() {
    let summary = SWEPT.as_ref().unwrap_or_else(|failure| panic!("{failure}"));
    let never = Fault::ALL.map(Fault::as_str).into_iter().filter(|fault| !summary.faults.contains_key(fault));
    // Clocks that run at different speeds are nothing that happens at some time.
    assert_eq!(never.collect::<Vec<_>>(), [Fault::Drift.as_str()]);
    for check in [
        "starts",
        "interrupted starts",
        "checkpoints",
        "audits",
        "records compared",
        "takeovers",
        "turns while a host waits",
    ] {
        assert!(summary.checks.contains_key(check), "{check}");
    }
    assert!(summary.accepted > 50 * summary.seeds, "{} commands", summary.accepted);
}

#[test]
fn a_seed_is_the_whole_story() {
    for seed in [3, 5, 8] {
        let tell = || run(seed, STEPS).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(tell(), tell());
    }
}
