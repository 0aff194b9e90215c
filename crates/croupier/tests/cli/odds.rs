//! `odds`: the exact sheet, against figures worked out here from the exported table.

use serde_json::Value;

use crate::{LAYOUTS, json, line};

/// A fraction as written: in lowest terms, the denominator left out if it is one.
fn fraction(value: &Value) -> (i128, i128) {
    let text = value.as_str().expect("a fraction is a string");
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let (numerator, denominator): (i128, i128) = (numerator.parse().unwrap(), denominator.parse().unwrap());
    assert!(denominator > 0 && (!text.contains('/') || denominator > 1), "{text}");
    assert_eq!(gcd(numerator.abs(), denominator), 1, "{text} is in lowest terms");
    (numerator, denominator)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Odds in half units.
fn halves(odds: &str) -> i128 {
    match odds.split_once('.') {
        None => 2 * odds.parse::<i128>().unwrap(),
        Some((whole, "5")) => 2 * whole.parse::<i128>().unwrap() + 1,
        Some(_) => panic!("only halves are paid: {odds}"),
    }
}

#[test]
fn every_figure_of_every_layout_follows_from_the_exported_table() {
    for (game, layout, spots, outcomes, ..) in LAYOUTS {
        let table = json(&format!("rules export {game} --layout {layout}"));
        let sheet = json(&format!("odds {game} --layout {layout}"));
        let rows = sheet["spots"].as_array().unwrap();
        assert_eq!(rows.len(), spots);
        for (row, spot) in rows.iter().zip(table["spots"].as_array().unwrap()) {
            assert_eq!(row["id"], spot["id"]);
            let pays = crate::strings(&spot["pays"]);
            let won: Vec<i128> = pays.iter().flatten().map(|odds| halves(odds)).collect();
            let (n, ways) = (outcomes as i128, won.len() as i128);
            assert_eq!(row["ways"].as_u64(), u64::try_from(ways).ok(), "ways is an integer");
            let (a, b) = fraction(&row["hit"]);
            assert_eq!(a * n, ways * b);
            // Net results in half units: every loser costs two of them.
            let sum = won.iter().sum::<i128>() - 2 * (n - ways);
            let squares = won.iter().map(|net| net * net).sum::<i128>() + 4 * (n - ways);
            let (a, b) = fraction(&row["edge"]);
            assert_eq!(a * 2 * n, -sum * b, "edge of {} on {game} {layout}", spot["id"]);
            let (a, b) = fraction(&row["variance"]);
            assert_eq!(a * 4 * n * n, (squares * n - sum * sum) * b, "variance of {}", spot["id"]);
        }
    }
}

fn edge<'a>(sheet: &'a Value, spot: &str) -> &'a str {
    let rows = sheet["spots"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == spot).unwrap_or_else(|| panic!("{spot}"))["edge"].as_str().unwrap()
}

#[test]
fn the_edges_that_everyone_must_reproduce() {
    let two = json("odds rws-sicbo --layout b");
    for (spot, expected) in [
        ("small", "1/36"),
        ("big", "1/36"),
        ("odd", "1/36"),
        ("even", "1/36"),
        ("domino/3-5", "1/36"),
        ("single/2", "1/27"),
        ("total/4", "7/72"),
        ("total/5", "1/12"),
        ("total/6", "2/27"),
        ("total/7", "7/72"),
        ("total/8", "11/144"),
        ("total/9", "2/27"),
        ("total/10", "1/16"),
        ("total/17", "7/72"),
        ("double/6", "2/27"),
        ("triple/any", "1/12"),
        ("triple/3", "5/54"),
        ("four/2-3-5-6", "1/18"),
        ("three/1-2-3", "5/36"),
        ("pair/4-4-1", "7/24"),
    ] {
        assert_eq!(edge(&two, spot), expected, "{spot}");
    }
    let three = json("odds rws-sicbo --layout c");
    for (spot, expected) in [
        ("total/4", "1/8"),
        ("total/5", "1/9"),
        ("total/6", "13/108"),
        ("total/7", "7/72"),
        ("total/8", "1/8"),
        ("total/9", "2/27"),
        ("total/10", "1/8"),
        ("double/1", "1/9"),
        ("triple/any", "1/9"),
        ("triple/1", "35/216"),
        ("four/1-2-3-4", "1/9"),
    ] {
        assert_eq!(edge(&three, spot), expected, "{spot}");
    }
    let roulette = json("odds rws-roulette-000");
    assert!(roulette["spots"].as_array().unwrap().iter().all(|row| row["edge"] == "1/13"));
}

#[test]
fn inferred_odds_are_marked() {
    let sheet = json("odds rws-taisai");
    let rows = sheet["spots"].as_array().unwrap();
    let double = rows.iter().find(|row| row["id"] == "double/1").unwrap();
    assert_eq!(double["mark"], serde_json::json!({ "kind": "inferred", "decision": "D1" }));
    assert!(line("odds rws-taisai").stdout.contains("4.1, inferred, D1"));
}

#[test]
fn people_get_one_row_for_spots_that_are_alike() {
    let run = line("odds rws-sicbo --layout b");
    assert_eq!(run.code, 0);
    for words in ["single/1 … single/6 (6)", "1 / 2 / 12", "11/144", "7.6389", "pair/1-1-3 … pair/6-6-4 (28)", "-3052"]
    {
        assert!(run.stdout.contains(words), "{words} in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 120));
}
