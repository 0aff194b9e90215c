//! Beyond the five: games that are files only.

use rulebook::{Fraction, sheet};

use crate::support::{layout, lit, name, rulebook};

fn edges(game: &str) -> Vec<(String, Fraction)> {
    let layout = layout(game, "a");
    sheet(layout.table()).into_iter().map(|row| (name(layout, row.spot), row.edge)).collect()
}

#[test]
fn every_bet_of_single_zero_roulette_has_an_edge_of_one_37th() {
    for (spot, edge) in edges("roulette-single-zero") {
        assert_eq!(edge, Fraction::new(1, 37), "{spot}");
    }
    assert_eq!(rulebook("roulette-single-zero").outcomes().size(), 37);
}

#[test]
fn double_zero_roulette_has_one_19th_and_the_top_line_three_38ths() {
    for (spot, edge) in edges("roulette-double-zero") {
        let expected = if spot == "topline" { Fraction::new(3, 38) } else { Fraction::new(1, 19) };
        assert_eq!(edge, expected, "{spot}");
    }
    let naming = |pocket: &str| lit("roulette-double-zero", "a", pocket).contains(&"topline".to_owned());
    assert_eq!(["0", "00", "1", "2", "3"].map(naming), [true; 5]);
    assert!(!naming("4") && rulebook("roulette-double-zero").outcomes().size() == 38);
}

#[test]
fn the_examples_have_no_pocket_they_do_not_name() {
    let message = |game: &str, text: &str| rulebook(game).outcomes().parse(text).unwrap_err().to_string();
    assert_eq!(
        message("roulette-single-zero", "00"),
        "\"00\" is not an outcome of this game: write a pocket, as in 17 or 0"
    );
    assert_eq!(
        message("roulette-double-zero", "000"),
        "\"000\" is not an outcome of this game: write a pocket, as in 17 or 0 or 00"
    );
}

#[test]
fn macau_edges_worked_out_by_ways_and_odds() {
    // Ways of each bet among 216, counted by hand, and what it wins.
    let check = |spot: &str, winners: &[(i128, i128)]| {
        let ways: i128 = winners.iter().map(|(ways, _)| ways).sum();
        let won: i128 = winners.iter().map(|(ways, odds)| ways * odds).sum();
        let edge = edges("sicbo-macau").into_iter().find(|(name, _)| name == spot).expect(spot).1;
        assert_eq!(edge, Fraction::new(216 - ways - won, 216), "{spot}");
    };
    for spot in ["small", "big", "odd", "even"] {
        check(spot, &[(105, 1)]);
    }
    for n in 1..=6 {
        check(&format!("single/{n}"), &[(75, 1), (15, 2), (1, 3)]);
        check(&format!("double/{n}"), &[(16, 8)]);
        check(&format!("triple/{n}"), &[(1, 150)]);
    }
    check("triple/any", &[(6, 24)]);
    check("domino/2-5", &[(30, 5)]);
    let totals = [(3, 50), (6, 18), (10, 14), (15, 12), (21, 8), (25, 6), (27, 6)];
    for (total, winners) in (4..=10).zip(totals) {
        check(&format!("total/{total}"), &[winners]);
        check(&format!("total/{}", 21 - total), &[winners]);
    }
}

#[test]
fn macau_edges_as_they_are_known() {
    let known = [
        ("small", "1/36"),
        ("single/4", "17/216"),
        ("domino/1-6", "1/6"),
        ("double/3", "1/3"),
        ("triple/any", "11/36"),
        ("triple/5", "65/216"),
        ("total/4", "7/24"),
        ("total/5", "17/36"),
        ("total/6", "11/36"),
        ("total/7", "7/72"),
        ("total/8", "1/8"),
        ("total/9", "41/216"),
        ("total/10", "1/8"),
    ];
    for (spot, expected) in known {
        let edge = edges("sicbo-macau").into_iter().find(|(name, _)| name == spot).expect(spot).1;
        assert_eq!(edge.to_string(), expected, "{spot}");
    }
}
