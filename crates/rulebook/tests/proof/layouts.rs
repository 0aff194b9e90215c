//! What stands where: layouts, their areas and the terminals that show them.

use std::collections::BTreeSet;

use rulebook::{Layout, Play};

use crate::naive::{EXAMPLES, LAYOUTS};
use crate::support::{layout, name, rulebook};

#[test]
fn the_areas_of_a_layout_hold_every_spot_of_its_table_once() {
    for (game, id, _) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        let drawn: Vec<String> = layout
            .areas()
            .iter()
            .flat_map(|area| area.rows.iter().flatten().flatten())
            .map(|spot| spot.to_string())
            .collect();
        let unique: BTreeSet<String> = drawn.iter().cloned().collect();
        assert_eq!(drawn.len(), unique.len(), "{game} {id}");
        assert_eq!(unique, layout.table().indices().map(|spot| name(layout, spot)).collect(), "{game} {id}");
    }
}

#[test]
fn areas_stay_on_the_canvas_and_off_each_other() {
    for (game, id, _) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        let [width, height] = layout.canvas();
        let mut taken = BTreeSet::new();
        for area in layout.areas() {
            let Some(place) = area.place else { continue };
            for x in place.x..place.x + place.width {
                for y in place.y..place.y + place.height {
                    assert!(x < width && y < height, "{game} {id}: {} leaves the canvas", area.id);
                    assert!(taken.insert((x, y)), "{game} {id}: {} overlaps at {x}, {y}", area.id);
                }
            }
        }
    }
}

#[test]
fn the_layouts_of_the_five_documents_are_these_ten() {
    let check = |game: &str, expected: &[(&str, usize, &str)]| {
        let layouts = rulebook(game).layouts().iter();
        let found: Vec<_> = layouts
            .map(|layout| (layout.id(), layout.table().spots().len(), layout.pay_table_paragraph().as_str()))
            .collect();
        assert_eq!(found, expected, "{game}");
    };
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        check(game, &[("a", 56, "4.1.1"), ("b", 104, "4.1.2"), ("c", 104, "4.1.3")]);
    }
    check("rws-taisai", &[("a", 50, "4.1")]);
    check("mbs-sicbo", &[("rapid", 104, "4.1"), ("alfastreet", 50, "4.1")]);
    check("rws-roulette-000", &[("a", 165, "4.1")]);
}

#[test]
fn layout_ids_are_found_in_any_case() {
    for id in ["rapid", "Rapid", "RAPID"] {
        assert_eq!(rulebook("mbs-sicbo").layout(id).map(Layout::id), Some("rapid"));
    }
    assert!(rulebook("mbs-sicbo").layout("").is_none());
    assert!(rulebook("rws-taisai").layout("b").is_none());
}

#[test]
fn terminals_show_these_layouts() {
    let check = |game: &str, expected: &[(&str, &[&str])]| {
        let kinds = rulebook(game).terminals().iter();
        let found: Vec<(&str, Vec<&str>)> =
            kinds.map(|kind| (kind.id.as_str(), kind.layouts.iter().map(String::as_str).collect())).collect();
        let expected: Vec<(&str, Vec<&str>)> = expected.iter().map(|(id, layouts)| (*id, layouts.to_vec())).collect();
        assert_eq!(found, expected, "{game}");
    };
    check("rws-sicbo", &[("standard", &["a", "b", "c"])]);
    check("rws-sicbo-open", &[("standard", &["a", "b", "c"])]);
    check("rws-taisai", &[]);
    check("mbs-sicbo", &[("rapid", &["rapid"]), ("alfastreet", &["alfastreet"])]);
    check("rws-roulette-000", &[("rapid", &["a"]), ("standard", &["a"])]);
    assert_eq!(rulebook("rws-taisai").identity().play, Play::Chips);
}

#[test]
fn roulette_appendix_b_multi_piece_bets_are_for_the_rapid_terminal() {
    let bets = rulebook("rws-roulette-000").multi_piece();
    let ids: Vec<&str> = bets.iter().map(|bet| bet.id.as_str()).collect();
    assert_eq!(ids, ["neighbours", "tiers", "orphelins", "zerospiel", "finale", "grandseries"]);
    for bet in bets {
        assert_eq!((bet.terminals.as_slice(), bet.paragraph.as_str()), (&["rapid".to_owned()][..], "Appendix B"));
    }
}
