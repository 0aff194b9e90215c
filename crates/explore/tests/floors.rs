//! Every small floor of every document. `EXPLORE_STATES` says how many states of each are visited, and `EXPLORE_SECONDS`
//! how long a document may take; its floors share the time, and each has at least [`LEAST`] states, however long that takes.
//! The fixpoints are reached with neither bound (`make test-deep`). `EXPLORE_FLOORS` names some floors, for a quick look.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::common::root;
use explore::{Bounds, GAMES, Property, Search, Spec, floors, to_lines};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// States of a floor that are visited in any case.
const LEAST: usize = 1_000;

/// Explores the floors of a document, the smallest first. A floor has an equal share of the time that is left.
fn document(game: &'static str) {
    let states = usize::try_from(number("EXPLORE_STATES", 50_000)).unwrap_or(usize::MAX);
    let seconds = Duration::from_secs(number("EXPLORE_SECONDS", 15));
    let begun = Instant::now();
    let (mut wrong, mut depths) = (Vec::new(), Vec::new());
    let named = std::env::var("EXPLORE_FLOORS").ok();
    let wanted = |spec: &Spec| named.as_ref().is_none_or(|named| named.split(',').any(|name| name == spec.name));
    let floors: Vec<Spec> = floors(game).into_iter().filter(wanted).collect();
    let mut left = u32::try_from(floors.len()).expect("few floors");
    for spec in floors {
        let name = spec.name;
        let time = seconds.saturating_sub(begun.elapsed()) / left;
        left -= 1;
        let mut search = Search::of(spec).expect("the floor is set up");
        search.run(&Bounds { states: LEAST.min(states), ..Bounds::default() }, &|_, _, _| {});
        let found = search.run(&Bounds { states, time, ..Bounds::default() }, &|_, _, _| {});
        assert!(found.is_fixpoint() || found.states >= LEAST.min(states), "{game} {name}: {} states", found.states);
        let proved = if found.is_fixpoint() { "proved" } else { "unproved beyond" };
        println!(
            "{game} {name}: {} states, {} transitions, depth {}, {proved} ({} at the frontier), {:.0}/s",
            found.states,
            found.transitions,
            found.depth,
            found.frontier,
            found.rate()
        );
        depths.push(format!("{name} {}{}", found.depth, if found.is_fixpoint() { " (proved)" } else { "" }));
        for (property, broken) in &found.broken {
            let lines = to_lines(search.set_up().iter().chain(&broken.commands)).expect("written");
            let file = format!("crates/explore/regressions/{game}-{name}-{property}.jsonl");
            std::fs::write(root().join(file), lines).expect("kept");
            let sent: Vec<String> =
                broken.commands.iter().map(|sent| format!("{:?} {:?}", sent.sender, sent.body)).collect();
            wrong.push(format!("{game} {name}: {property}: {}\n  {}", broken.violation.words, sent.join("\n  ")));
        }
    }
    // Past the capture of the test's output: `make test` says how deep it went.
    let took = begun.elapsed().as_secs();
    let _ = writeln!(std::io::stderr(), "explored {game} in {took} s, depth of each floor: {}", depths.join(", "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_property_is_documented_with_its_rule() {
    let text = std::fs::read_to_string(root().join("docs/explore.md")).expect("read");
    for property in Property::ALL {
        let row = text.lines().find(|line| line.starts_with(&format!("| {property} |")));
        let row = row.unwrap_or_else(|| panic!("docs/explore.md does not list {property}"));
        assert!(row.contains(&format!("| {} |", property.rule())), "{property}: the rule differs: {row}");
    }
}

#[test]
fn rws_sicbo_holds_in_every_state_visited() {
    document(GAMES[0]);
}

#[test]
fn rws_sicbo_open_holds_in_every_state_visited() {
    document(GAMES[1]);
}

#[test]
fn rws_taisai_holds_in_every_state_visited() {
    document(GAMES[2]);
}

#[test]
fn mbs_sicbo_holds_in_every_state_visited() {
    document(GAMES[3]);
}

#[test]
fn rws_roulette_000_holds_in_every_state_visited() {
    document(GAMES[4]);
}
