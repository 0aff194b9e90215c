//! Exact odds sheets: the house edges of the documents, and every figure worked out a second time.

use rulebook::{Fraction, SpotOdds, sheet};

use crate::naive::{EXAMPLES, LAYOUTS, Prose};
use crate::support::{layout, name};

fn edge(game: &str, id: &str, spot: &str) -> Fraction {
    let layout = layout(game, id);
    let found = layout.find(spot).unwrap_or_else(|error| panic!("{error}"));
    sheet(layout.table()).into_iter().find(|row| row.spot == found).expect("every spot has a row").edge
}

fn check(game: &str, id: &str, edges: &[(&str, &str)]) {
    for (spots, expected) in edges {
        for spot in spots.split(' ') {
            assert_eq!(edge(game, id, spot).to_string(), *expected, "{game} {id} {spot}");
        }
    }
}

/// What holds in every dice document of the five.
const EVERYWHERE: [(&str, &str); 3] = [
    ("small big", "1/36"),
    ("single/1 single/2 single/3 single/4 single/5 single/6", "1/27"),
    ("domino/1-2 domino/1-6 domino/3-4 domino/5-6", "1/36"),
];

const PAY_TABLES_1_AND_2: [(&str, &str); 10] = [
    ("total/4 total/17", "7/72"),
    ("total/5 total/16", "1/12"),
    ("total/6 total/15", "2/27"),
    ("total/7 total/14", "7/72"),
    ("total/8 total/13", "11/144"),
    ("total/9 total/12", "2/27"),
    ("total/10 total/11", "1/16"),
    ("double/1 double/6", "2/27"),
    ("triple/any", "1/12"),
    ("triple/1 triple/6", "5/54"),
];

const PAY_TABLE_3: [(&str, &str); 10] = [
    ("total/4 total/17", "1/8"),
    ("total/5 total/16", "1/9"),
    ("total/6 total/15", "13/108"),
    ("total/7 total/14", "7/72"),
    ("total/8 total/13", "1/8"),
    ("total/9 total/12", "2/27"),
    ("total/10 total/11", "1/8"),
    ("double/1 double/6", "1/9"),
    ("triple/any", "1/9"),
    ("triple/1 triple/6", "35/216"),
];

#[test]
fn house_edges_are_the_published_ones() {
    for (game, id, prose) in LAYOUTS {
        match prose {
            Prose::TripleZero => continue,
            Prose::PayTable3 | Prose::TaiSai => check(game, id, &PAY_TABLE_3),
            _ => check(game, id, &PAY_TABLES_1_AND_2),
        }
        check(game, id, &EVERYWHERE);
        let four = if prose == Prose::PayTable3 { "1/9" } else { "1/18" };
        if matches!(prose, Prose::PayTable1 | Prose::PayTable2 | Prose::PayTable3) {
            check(game, id, &[("odd even", "1/36"), ("four/1-2-3-4 four/2-3-5-6 four/3-4-5-6", four)]);
        }
        if matches!(prose, Prose::PayTable2 | Prose::PayTable3) {
            check(game, id, &[("three/1-2-3 three/4-5-6", "5/36"), ("pair/1-1-3 pair/6-6-4", "7/24")]);
        }
    }
}

#[test]
fn every_bet_of_roulette_triple_zero_has_an_edge_of_one_thirteenth() {
    for row in sheet(layout("rws-roulette-000", "a").table()) {
        assert_eq!(row.edge, Fraction::new(1, 13));
    }
}

/// "8.5" as 17/2.
fn exact(decimal: &str) -> Fraction {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let scale = 10_i128.pow(fraction.len() as u32);
    Fraction::new(format!("{whole}{fraction}").parse().expect("digits"), scale)
}

/// The sheet of a spot from its definition: means over all outcomes of the net result and of its squared distance.
fn by_definition(prose: Prose, spot: &str) -> (u32, Fraction, Fraction, Fraction) {
    let outcomes = prose.outcomes();
    let count = Fraction::from_integer(outcomes.len() as i128);
    let net: Vec<Fraction> =
        outcomes.iter().map(|outcome| prose.pays(spot, outcome).map_or(Fraction::from_integer(-1), exact)).collect();
    let ways = net.iter().filter(|net| **net > Fraction::from_integer(0)).count();
    let mean = net.iter().sum::<Fraction>() / count;
    let variance = net.iter().map(|net| (net - mean) * (net - mean)).sum::<Fraction>() / count;
    (ways as u32, Fraction::from_integer(ways as i128) / count, -mean, variance)
}

#[test]
fn every_figure_of_every_odds_sheet_follows_from_its_definition() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        for SpotOdds { spot, ways, hit, edge, variance } in sheet(layout.table()) {
            let spot = name(layout, spot);
            assert_eq!((ways, hit, edge, variance), by_definition(prose, &spot), "{game} {id} {spot}");
        }
    }
}

#[test]
fn a_few_figures_worked_out_by_hand() {
    let check = |game: &str, id: &str, spot: &str, ways: u32, hit: &str, variance: &str| {
        let layout = layout(game, id);
        let spot = layout.find(spot).unwrap();
        let row = sheet(layout.table()).into_iter().find(|row| row.spot == spot).unwrap();
        assert_eq!(
            (row.ways, row.hit.to_string(), row.variance.to_string()),
            (ways, hit.to_owned(), variance.to_owned())
        );
    };
    // Even money at 105 of 216: the squares are all 1, so that the variance is 1 − (1/36)².
    check("rws-sicbo", "a", "small", 105, "35/72", "1295/1296");
    // A single: 75 × 1, 15 × 4, 1 × 144 and 125 × 1 make 404; 404/216 − (1/27)².
    check("rws-sicbo", "a", "single/2", 91, "91/216", "2725/1458");
    // One pocket of 39: (35² + 38)/39 − (1/13)².
    check("rws-roulette-000", "a", "straight/17", 1, "1/39", "5472/169");
    // Sixteen ways at 11.5: (16 × 529/4 + 200)/216 − (2/27)².
    check("rws-sicbo", "b", "double/5", 16, "2/27", "15625/1458");
}
