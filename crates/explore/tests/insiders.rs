//! One dishonest person moves no more than the threshold (D15, D19, D23, D27).

use std::io::Write as _;

use crate::common::root;
use explore::{GAMES, InsiderBounds, Mechanism, POSTS, Reach, insider_bound, insider_search, insider_tables, insiders};

/// States that are visited for each person unless another number is asked for.
const USUAL: usize = 4_000;

/// `INSIDER_STATES` says how many states are visited for each person; with 20,000,000 all are.
fn states() -> usize {
    std::env::var("INSIDER_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(USUAL)
}

/// More states than any one person has.
const ALL: usize = 20_000_000;

/// Every post alone, at every document.
fn alone(mechanisms: &[Mechanism]) {
    let bounds = InsiderBounds { states: states(), ..InsiderBounds::default() };
    for table in insiders(&GAMES, mechanisms, &bounds, &|_, _| {}).expect("explored") {
        assert!(table.beyond().is_empty(), "{}", table.table());
        let open = table.unproved();
        let (game, device) = (table.game, table.mechanism.words());
        // Past the capture of the test's output: what is not proved is said.
        let _ = writeln!(std::io::stderr(), "insiders of {game}, {device}: not all states of {open:?}");
        assert!(states() < ALL || open.is_empty(), "{game}: not all states were visited of {open:?}");
    }
}

#[test]
fn one_person_moves_no_more_than_the_threshold_while_the_device_is_in_service() {
    alone(&[Mechanism::InService]);
}

#[test]
fn without_a_device_one_person_moves_no_more_than_the_exposure_and_the_threshold() {
    alone(&[Mechanism::OutOfService, Mechanism::None]);
}

#[test]
fn without_a_device_a_dealer_moves_no_more_than_the_exposure() {
    // Two stakes of 10.00, on an even chance and at 11.5 to 1: the house may lose 125.00 beside the truth.
    let bound = insider_bound("rws-sicbo", Mechanism::None, &[POSTS[0].1], 40_000).expect("explored");
    assert!(bound.fixpoint);
    assert_eq!((bound.house, bound.players), (12_500, 2_000));
}

#[test]
fn several_threads_find_what_one_finds() {
    let dealer = [POSTS[0].1];
    let one = insider_bound("rws-taisai", Mechanism::None, &dealer, 1_000_000).expect("explored");
    let reach = Reach { states: 1_000_000, memory: usize::MAX, threads: 4, stop: &|| false };
    let four = insider_search("rws-taisai", Mechanism::None, &dealer, reach).expect("explored").bound;
    assert!(one.fixpoint && four.fixpoint);
    assert_eq!((one.house, one.players, one.exposure), (four.house, four.players, four.exposure));
}

#[test]
fn the_search_for_insiders_keeps_to_its_memory() {
    let reach = Reach { states: 1_000_000, memory: 4 << 20, threads: 2, stop: &|| false };
    let hunted = insider_search("rws-sicbo", Mechanism::InService, &[POSTS[1].1], reach).expect("explored");
    assert!(!hunted.bound.fixpoint && hunted.bound.states < 20_000 && hunted.caught.is_empty(), "{hunted:?}");
}

#[test]
fn two_people_who_sign_for_each_other_have_no_bound_and_the_search_ends_there() {
    let people = [POSTS[3].1, POSTS[4].1];
    let bound = insider_bound("rws-sicbo", Mechanism::InService, &people, 1_000_000).expect("explored");
    assert!(bound.unbounded && bound.states < 100_000, "{bound:?}");
}

#[test]
fn the_table_of_insiders_says_what_is_not_proved() {
    let bounds = InsiderBounds { pairs: true, states: 50, threads: 1, ..InsiderBounds::default() };
    let tables = insiders(&["rws-sicbo"], &[Mechanism::None], &bounds, &|_, _| {}).expect("explored");
    let [table] = &tables[..] else { panic!("one table") };
    let text = table.table();
    assert!(text.contains("### rws-sicbo, no device") && text.contains("*Unproved* beyond"), "{text}");
    assert!(table.unproved().iter().any(|(post, _)| *post == "dealer"), "{text}");
    let report = explore::report(&[], &tables);
    assert!(report.contains("## The insider bound") && report.contains(&text), "{report}");
    bounds.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = insiders(&["rws-sicbo"], &[Mechanism::None], &bounds, &|_, _| {}).expect("stopped");
    assert_eq!(stopped[0].unproved().len(), POSTS.len(), "{}", stopped[0].table());
}

/// `docs/insiders.md` has a table for every document and mechanism. `UPDATE_GOLDEN=1` writes it, with `INSIDER_STATES` states of
/// each person and pair, or with `INSIDER_PAIRS=no` of each person: `make insiders`.
#[test]
fn docs_insiders_has_a_table_of_every_document() {
    let file = root().join("docs/insiders.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let pairs = std::env::var("INSIDER_PAIRS").as_deref() != Ok("no");
        let bounds = InsiderBounds { pairs, states: states(), ..InsiderBounds::default() };
        let say = |ended: usize, all: usize| {
            let _ = writeln!(std::io::stderr(), "insiders: {ended} of {all} searches have ended");
        };
        let tables = insiders(&GAMES, &Mechanism::ALL, &bounds, &say).expect("explored");
        let head = format!(
            "# What insiders can move\n\nUp to {} states of each person{} were visited. Made by `make insiders`. \
             [explore.md](explore.md) says what this bound is.\n\n",
            states(),
            if pairs { " and each pair" } else { " alone" }
        );
        let text = head + &insider_tables(&tables);
        std::fs::write(&file, text.trim_end().to_owned() + "\n").expect("written");
    }
    let text = std::fs::read_to_string(&file).expect("docs/insiders.md: make insiders writes it");
    for game in GAMES {
        for mechanism in Mechanism::ALL {
            let heading = format!("\n### {game}, {}\n", mechanism.words());
            assert!(text.contains(&heading), "docs/insiders.md has no table of {game}, {}", mechanism.words());
        }
    }
    assert!(!text.contains("**Beyond") && !text.contains("does not hold"), "docs/insiders.md has a violation");
}
