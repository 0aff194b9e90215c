//! Has an outcome been established? (5.1.1; Tai Sai 5.4.1; MBS 5.8.2)

use std::collections::BTreeMap;

use rulebook::{Conclusion, Face, OutcomeSet};

use crate::naive::{LAYOUTS, Prose};
use crate::support::{layout, name, outcome, rulebook};

/// What is established when these dice have been read and a dot stands for one that has not.
fn read(game: &str, id: &str, dice: &str) -> BTreeMap<String, Conclusion> {
    let faces: Vec<Option<Face>> = dice.split('-').map(|die| die.parse().ok().and_then(Face::new)).collect();
    let possible = rulebook(game).outcomes().consistent_with(faces.try_into().expect("three dice"));
    let layout = layout(game, id);
    layout.table().established(&possible).into_iter().map(|(spot, how)| (name(layout, spot), how)).collect()
}

fn dice_layouts() -> impl Iterator<Item = (&'static str, &'static str, Prose)> {
    LAYOUTS.into_iter().filter(|(_, _, prose)| *prose != Prose::TripleZero)
}

#[test]
fn with_nothing_read_nothing_is_established() {
    for (game, id, _) in dice_layouts() {
        assert!(read(game, id, ".-.-.").is_empty(), "{game} {id}");
    }
    let roulette = rulebook("rws-roulette-000").outcomes();
    let all: OutcomeSet = roulette.indices().collect();
    assert!(layout("rws-roulette-000", "a").table().established(&all).is_empty());
    assert_eq!(roulette.consistent_with([Some(Face::One), None, None]), all);
}

#[test]
fn one_die_read_is_enough_because_every_other_triple_has_lost() {
    for (game, id, _) in dice_layouts() {
        for dice in ["2-.-.", ".-2-.", ".-.-2"] {
            let established = read(game, id, dice);
            for n in [1, 3, 4, 5, 6] {
                assert_eq!(established.get(&format!("triple/{n}")), Some(&Conclusion::Lost), "{game} {id} {dice}");
            }
            assert_eq!(established.get("triple/2"), None, "{game} {id} {dice}");
            assert_eq!(established.get("single/2"), Some(&Conclusion::Won), "{game} {id} {dice}");
            // 2 and two more make 4 to 14: the totals above are out of reach.
            for total in 15..=17 {
                assert_eq!(established.get(&format!("total/{total}")), Some(&Conclusion::Lost), "{game} {id} {dice}");
            }
            assert_eq!((established.get("small"), established.get("total/14")), (None, None), "{game} {id} {dice}");
        }
    }
}

#[test]
fn two_dice_read() {
    let established = read("rws-sicbo", "b", "2-.-2");
    let check =
        |spot: &str, expected: Option<Conclusion>| assert_eq!(established.get(spot).copied(), expected, "{spot}");
    check("double/2", Some(Conclusion::Won));
    check("single/2", Some(Conclusion::Won));
    check("triple/any", None);
    check("triple/2", None);
    check("pair/2-2-6", None);
    check("pair/1-1-3", Some(Conclusion::Lost));
    check("three/1-2-3", Some(Conclusion::Lost));
    check("four/1-2-3-4", Some(Conclusion::Lost));
    check("big", Some(Conclusion::Lost));
    // Small loses on 2-2-2.
    check("small", None);
    check("domino/2-3", None);
    check("domino/3-4", Some(Conclusion::Lost));
}

#[test]
fn with_all_dice_read_or_the_pocket_known_every_bet_is_concluded() {
    for (game, id, prose) in LAYOUTS {
        let layout = layout(game, id);
        for text in prose.outcomes() {
            let known: OutcomeSet = [outcome(game, &text)].into_iter().collect();
            let established = layout.table().established(&known);
            assert_eq!(established.len(), layout.table().spots().len(), "{game} {id} on {text}");
            for (spot, conclusion) in established {
                let won = prose.pays(&name(layout, spot), &text).is_some();
                assert_eq!(conclusion == Conclusion::Won, won, "{game} {id} {} on {text}", name(layout, spot));
            }
        }
    }
}

#[test]
fn every_reading_concludes_exactly_what_its_outcomes_agree_on() {
    let (game, id, prose) = ("rws-sicbo", "b", Prose::PayTable2);
    let dies = || [".", "1", "2", "3", "4", "5", "6"].into_iter();
    for (a, b) in dies().flat_map(|a| dies().map(move |b| (a, b))) {
        let dice = format!("{a}-{b}-.");
        let fits =
            |text: &&String| text.split('-').zip(dice.split('-')).all(|(shown, read)| read == "." || read == shown);
        let outcomes = prose.outcomes();
        let possible: Vec<&String> = outcomes.iter().filter(fits).collect();
        let expected: BTreeMap<String, Conclusion> = prose
            .spots()
            .into_iter()
            .filter_map(|spot| {
                let wins = possible.iter().filter(|text| prose.pays(&spot, text).is_some()).count();
                match wins {
                    0 => Some((spot, Conclusion::Lost)),
                    all if all == possible.len() => Some((spot, Conclusion::Won)),
                    _ => None,
                }
            })
            .collect();
        assert_eq!(read(game, id, &dice), expected, "{dice}");
    }
}

#[test]
fn with_nothing_possible_nothing_is_established() {
    let none = OutcomeSet::default();
    assert!(none.is_empty());
    for (game, id, _) in LAYOUTS {
        assert!(layout(game, id).table().established(&none).is_empty(), "{game} {id}");
    }
}

#[test]
fn sets_of_outcomes_behave_as_sets() {
    let space = rulebook("rws-sicbo").outcomes();
    let set = |texts: &[&str]| texts.iter().map(|text| space.parse(text).unwrap()).collect::<OutcomeSet>();
    let (few, more, others) = (set(&["1-1-1", "6-6-6"]), set(&["1-1-1", "3-2-1", "6-6-6"]), set(&["1-2-3"]));
    assert!(few.is_subset(&more) && !more.is_subset(&few) && few.is_disjoint(&others) && !few.is_disjoint(&more));
    assert_eq!((few.len(), set(&["1-1-1", "1-1-1"]).len()), (2, 1));
    assert!(few.contains(space.parse("6-6-6").unwrap()) && !few.contains(space.parse("6-6-5").unwrap()));
    assert_eq!(space.consistent_with([None, Some(Face::Four), None]).len(), 36);
}
