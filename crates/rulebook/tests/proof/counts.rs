//! Golden counts: one unit on every spot over all outcomes, in all and by family.

use std::fmt::Write;

use rulebook::{Family, Layout, SheetTotals, totals};

use crate::cells::breakdown;
use crate::naive::{EXAMPLES, LAYOUTS};
use crate::support::{check_golden, layout};

fn line(name: &str, counts: SheetTotals) -> String {
    format!("{name:<12}{:>6}{:>8}{:>10}\n", counts.spots, counts.winning_cells, counts.net.to_string())
}

fn count(game: &str, layout: &Layout) -> String {
    let table = layout.table();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# {game}, layout {}: one unit on every spot over all {} outcomes.",
        layout.id(),
        table.outcomes()
    );
    let _ = writeln!(text, "# {:<10}{:>6}{:>8}{:>10}", "", "spots", "wins", "net");
    text += &line("all", totals(table, |_| true));
    for family in Family::ALL {
        let counts = totals(table, |spot| table.spot(spot).is_some_and(|priced| priced.spot.family() == family));
        if counts.spots > 0 {
            text += &line(family.as_str(), counts);
        }
    }
    text
}

#[test]
fn counts_of_every_layout_are_the_golden_ones() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        check_golden(&format!("counts/{game}-{id}.txt"), &count(game, layout), || {
            match breakdown(game, layout, prose) {
                none if none.is_empty() => {
                    "The table is what the prose says: the golden file is out of date.".to_owned()
                }
                differences => format!("Where the table differs from the prose:\n{differences}"),
            }
        });
    }
}

#[test]
fn counts_are_the_published_ones() {
    let check = |game: &str, id: &str, spots: usize, winning_cells: usize, net: i128| {
        let counts = totals(layout(game, id).table(), |_| true);
        assert_eq!(counts, SheetTotals { spots, winning_cells, net: net.into() }, "{game} {id}");
    };
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        check(game, "a", 56, 1834, -688);
        check(game, "b", 104, 2038, -3052);
        check(game, "c", 104, 2038, -3336);
    }
    check("mbs-sicbo", "rapid", 104, 2038, -3052);
    check("mbs-sicbo", "alfastreet", 50, 1528, -628);
    check("rws-taisai", "a", 50, 1528, -864);
    check("rws-roulette-000", "a", 165, 555, -495);
}
