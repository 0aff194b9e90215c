//! Every spot × outcome of every layout, against the evaluator written from the prose.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use rulebook::{Layout, OutcomeIndex};

use crate::naive::{EXAMPLES, LAYOUTS, Prose, family};
use crate::support::{layout, name, rulebook};

/// Where table and prose differ, by family, spot and outcome; empty if nowhere.
pub fn breakdown(game: &str, layout: &Layout, prose: Prose) -> String {
    let space = rulebook(game).outcomes();
    let outcomes: Vec<(String, OutcomeIndex)> = prose
        .outcomes()
        .into_iter()
        .map(|text| (space.parse(&text).unwrap_or_else(|error| panic!("{error}")), text))
        .map(|(index, text)| (text, index))
        .collect();
    let mut families: BTreeMap<String, String> = BTreeMap::new();
    for spot in layout.table().indices() {
        let spot_name = name(layout, spot);
        if !prose.spots().contains(&spot_name) {
            let _ = writeln!(
                families.entry(family(&spot_name).to_owned()).or_default(),
                "  {spot_name}: not in the document"
            );
            continue;
        }
        for (text, outcome) in &outcomes {
            let table = layout.table().odds(spot, *outcome).map(|odds| odds.to_string());
            let prose = prose.pays(&spot_name, text);
            if table.as_deref() != prose {
                let lines = families.entry(family(&spot_name).to_owned()).or_default();
                let _ = writeln!(lines, "  {spot_name} on {text}: table {table:?}, prose {prose:?}");
            }
        }
    }
    families.into_iter().fold(String::new(), |text, (family, lines)| text + &family + "\n" + &lines)
}

#[test]
fn every_cell_of_every_layout_is_what_the_prose_says() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let differences = breakdown(game, layout(game, id), prose);
        assert!(differences.is_empty(), "{game} {id} differs from the prose:\n{differences}");
    }
}

#[test]
fn every_layout_offers_the_spots_of_its_document_and_no_others() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        let offered: BTreeSet<String> = layout.table().indices().map(|spot| name(layout, spot)).collect();
        let document = prose.spots();
        let missing: Vec<_> = document.difference(&offered).collect();
        let extra: Vec<_> = offered.difference(&document).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{game} {id}: missing {missing:?}, extra {extra:?}");
        assert_eq!(offered.len(), layout.table().spots().len(), "{game} {id} has a spot twice");
    }
}

#[test]
fn outcomes_come_in_the_order_of_the_export() {
    for (game, _, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let space = rulebook(game).outcomes();
        let texts: Vec<String> = space.all().map(|outcome| outcome.to_string()).collect();
        assert_eq!(texts, prose.outcomes(), "{game}");
        assert_eq!(space.size(), texts.len(), "{game}");
    }
}

#[test]
fn the_order_in_which_dice_are_read_never_matters() {
    for (game, id, prose) in LAYOUTS.into_iter().filter(|(_, _, prose)| prose.outcomes().len() == 216) {
        let (layout, space) = (layout(game, id), rulebook(game).outcomes());
        for text in prose.outcomes() {
            let mut faces: Vec<&str> = text.split('-').collect();
            faces.sort_unstable();
            let (read, sorted) = (space.parse(&text).unwrap(), space.parse(&faces.join("-")).unwrap());
            for spot in layout.table().indices() {
                assert_eq!(
                    layout.table().cell(spot, read),
                    layout.table().cell(spot, sorted),
                    "{game} {id} {} on {text}",
                    name(layout, spot)
                );
            }
        }
    }
}

#[test]
fn lit_areas_are_the_spots_that_win_by_the_prose() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        for text in prose.outcomes() {
            let expected: Vec<String> =
                prose.spots().into_iter().filter(|spot| prose.pays(spot, &text).is_some()).collect();
            assert_eq!(crate::support::lit(game, id, &text), expected, "{game} {id} on {text}");
        }
    }
}

#[test]
fn winners_list_the_winning_cells_of_a_row_in_order() {
    for (game, id, _) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let table = layout(game, id).table();
        for spot in table.indices() {
            let row = rulebook(game).outcomes().indices().map(|outcome| (outcome, table.cell(spot, outcome)));
            let expected: Vec<_> = row.filter(|(_, cell)| *cell > 0).collect();
            assert_eq!(table.winners(spot), expected, "{game} {id}");
        }
    }
}

#[test]
fn a_breakdown_names_family_spot_and_outcome() {
    // Pay Table 3 read as if it were Pay Table 2: the failing message must lead to the figure.
    let differences = breakdown("rws-sicbo", layout("rws-sicbo", "c"), Prose::PayTable2);
    let families: Vec<&str> = differences.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(families, ["any-triple", "double", "four", "total", "triple"]);
    assert!(differences.contains("  total/8 on 1-1-6: table Some(\"8\"), prose Some(\"8.5\")\n"), "{differences}");
    // 64→62, 32→31, 19→18, 8.5→8, 6.5→6 on the totals; the rest by their winning outcomes.
    let cells = |family: &str| differences.lines().filter(|line| line.starts_with(&format!("  {family}/"))).count();
    assert_eq!(cells("total"), 2 * (3 + 6 + 10 + 21 + 27));
    assert_eq!(cells("double"), 6 * 16);
    assert_eq!(cells("four"), 4 * 24);
    assert_eq!(cells("triple"), 6 + 6);
}
