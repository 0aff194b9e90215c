//! The normal form leaves nothing out that matters: two states with one normal form have the same next states.

use std::collections::HashMap;

use explore::{Node, Search, Step, World, alphabet, floor_named, floors};

/// The moves that are accepted, each with the state it leads to.
fn next(world: &World, moves: &[explore::Move], node: &Node) -> Vec<(usize, u64, Node)> {
    let mut bytes = Vec::new();
    let step = |(place, one)| match world.step(node, one) {
        Ok(Step::Child(child, _)) => Some((place, child.hash(&mut bytes), *child)),
        _ => None,
    };
    moves.iter().enumerate().filter_map(step).collect()
}

fn merges(game: &'static str, name: &str, most: usize) {
    let world = World::of(floor_named(game, name).expect("a floor")).expect("set up");
    let moves = alphabet(&world.spec, world.rulebook);
    let mut known: HashMap<u64, Vec<(usize, u64)>> = HashMap::new();
    let mut waiting = std::collections::VecDeque::from([world.root.clone()]);
    let mut merged = 0;
    while let Some(node) = waiting.pop_front() {
        let children = next(&world, &moves, &node);
        // What only raises an alert leads nowhere else, and is refused while the alert stands.
        let own = node.hash(&mut Vec::new());
        let elsewhere = children.iter().map(|(place, hash, _)| (*place, *hash)).filter(|(_, hash)| *hash != own);
        let way: Vec<(usize, u64)> = elsewhere.collect();
        match known.insert(own, way.clone()) {
            Some(other) => {
                merged += 1;
                assert_eq!(other, way, "{game} {name}: two states with one normal form differ in what can happen next");
            }
            // Both copies of a state that was reached twice are gone on from.
            None if known.len() < most => waiting.extend(children.into_iter().map(|(.., child)| child)),
            None => {}
        }
    }
    assert!(merged > 0, "{game} {name}: no state was reached twice");
}

#[test]
fn states_with_one_normal_form_have_the_same_next_states() {
    for game in ["rws-sicbo", "rws-roulette-000"] {
        for name in ["round", "liar", "stops", "service", "tickets", "corrections", "alone"] {
            merges(game, name, 150);
        }
    }
    for name in ["round", "boxes", "claims"] {
        merges("rws-taisai", name, 150);
    }
}

#[test]
fn a_search_that_is_saved_goes_on_where_it_was() {
    let spec = || floor_named("rws-sicbo", "tickets").expect("a floor");
    let whole = Search::of(spec()).expect("set up").run(&explore::Bounds::default(), &|_, _, _| {});
    let file = std::env::temp_dir().join(format!("explore-{}", std::process::id()));
    let mut search = Search::of(spec()).expect("set up");
    search.run(&explore::Bounds { depth: 4, ..explore::Bounds::default() }, &|_, _, _| {});
    search.save(&file).expect("saved");
    let resumed = Search::resume(&file, spec()).expect("resumed").run(&explore::Bounds::default(), &|_, _, _| {});
    std::fs::remove_file(&file).expect("removed");
    assert!(whole.is_fixpoint() && resumed.is_fixpoint());
    assert_eq!((whole.states, whole.transitions, whole.depth), (resumed.states, resumed.transitions, resumed.depth));
}

#[test]
fn a_search_goes_on_wherever_a_bound_has_stopped_it() {
    let spec = || floor_named("rws-sicbo", "tickets").expect("a floor");
    let whole = Search::of(spec()).expect("set up").run(&explore::Bounds::default(), &|_, _, _| {});
    let mut search = Search::of(spec()).expect("set up");
    // One state more each time: among these stops are those at the end of a level.
    let mut states = 1;
    let found = (0..whole.states).find_map(|_| {
        let found = search.run(&explore::Bounds { states: states + 1, ..explore::Bounds::default() }, &|_, _, _| {});
        states = found.states;
        found.is_fixpoint().then_some(found)
    });
    let found = found.expect("a fixpoint");
    assert_eq!((whole.states, whole.transitions, whole.depth), (found.states, found.transitions, found.depth));
}

#[test]
fn a_search_that_was_violated_stays_violated_and_serves_for_its_own_floor_only() {
    let spec = || floor_named("rws-sicbo", "round").expect("a floor");
    let file = std::env::temp_dir().join(format!("explore-violated-{}", std::process::id()));
    let mut search = Search::of(spec()).expect("set up");
    search.run(&explore::Bounds { depth: 2, ..explore::Bounds::default() }, &|_, _, _| {});
    search.save(&file).expect("saved");
    let other = Search::resume(&file, floor_named("rws-sicbo", "stops").expect("a floor"));
    assert!(other.is_err_and(|error| error.to_string().contains("another floor: rws-sicbo, round")));
    let bytes = std::fs::read(&file).expect("read");
    let text = br#""broken":[]"#;
    let at = bytes.windows(text.len()).position(|part| part == text).expect("nothing is broken");
    let violated = br#""broken":[{"violation":{"property":"void","words":"kept"},"depth":1,"commands":[]}]"#;
    std::fs::write(&file, [&bytes[..at], violated, &bytes[at + text.len()..]].concat()).expect("written");
    let found = Search::resume(&file, spec())
        .expect("resumed")
        .run(&explore::Bounds { depth: 2, ..explore::Bounds::default() }, &|_, _, _| {});
    std::fs::remove_file(&file).expect("removed");
    assert!(found.broken.contains_key(&explore::Property::Void));
}

#[test]
fn every_floor_has_a_name_of_its_own() {
    for game in explore::GAMES {
        let mut names: Vec<&str> = floors(game).iter().map(|spec| spec.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{game}");
    }
}
