//! Roulette, by the words of section 4 and Appendix A.

use std::collections::BTreeSet;

/// The layout as it lies on the table: twelve rows of three.
fn cell(number: u32) -> (u32, u32) {
    ((number - 1) / 3, (number - 1) % 3)
}

fn at(row: u32, column: u32) -> u32 {
    row * 3 + column + 1
}

fn side_by_side(a: u32, b: u32) -> bool {
    let ((row, column), (other_row, other_column)) = (cell(a), cell(b));
    row.abs_diff(other_row) + column.abs_diff(other_column) == 1
}

/// Bets on two or three numbers around the zeros, as each wheel's document lists them.
fn around_zeros(zeros: &[&str]) -> &'static [&'static str] {
    match zeros.len() {
        3 => &[
            "split/0-00",
            "split/0-1",
            "split/0-2",
            "split/00-2",
            "split/00-3",
            "split/0-000",
            "split/00-000",
            "street/0-1-2",
            "street/0-00-2",
            "street/00-2-3",
            "green",
            "topline",
        ],
        2 => &[
            "split/0-00",
            "split/0-1",
            "split/0-2",
            "split/00-2",
            "split/00-3",
            "street/0-1-2",
            "street/0-00-2",
            "street/00-2-3",
            "topline",
        ],
        _ => &["split/0-1", "split/0-2", "split/0-3", "street/0-1-2", "street/0-2-3", "topline"],
    }
}

pub fn spots(zeros: &[&str]) -> BTreeSet<String> {
    let mut spots = BTreeSet::new();
    let mut add = |spot: String| assert!(spots.insert(spot.clone()), "{spot} twice");
    zeros.iter().for_each(|zero| add(format!("straight/{zero}")));
    around_zeros(zeros).iter().for_each(|spot| add((*spot).to_owned()));
    for number in 1..=36 {
        add(format!("straight/{number}"));
        for other in number + 1..=36 {
            if side_by_side(number, other) {
                add(format!("split/{number}-{other}"));
            }
        }
    }
    for row in 0..12 {
        add(format!("street/{}-{}-{}", at(row, 0), at(row, 1), at(row, 2)));
    }
    for row in 0..11 {
        add(format!("sixline/{}-{}", at(row, 0), at(row + 1, 2)));
        for column in 0..2 {
            let corner = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
            add(format!("corner/{}", corner.map(|n| n.to_string()).join("-")));
        }
    }
    for third in 1..=3 {
        add(format!("column/{third}"));
        add(format!("dozen/{third}"));
    }
    for even_money in ["red", "black", "odd", "even", "low", "high"] {
        add(even_money.to_owned());
    }
    spots
}

const RED: [u32; 18] = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];

/// Every number that the bet names, as texts.
pub fn named(zeros: &[&str], spot: &str) -> BTreeSet<String> {
    let numbers = |wins: &dyn Fn(u32) -> bool| (1..=36).filter(|n| wins(*n)).map(|n| n.to_string()).collect();
    let (word, rest) = spot.split_once('/').unwrap_or((spot, ""));
    let third = || rest.parse::<u32>().expect("1, 2 or 3");
    match word {
        "straight" | "split" | "street" | "corner" => rest.split('-').map(str::to_owned).collect(),
        "green" => zeros.iter().map(|zero| (*zero).to_owned()).collect(),
        "topline" => zeros.iter().copied().chain(["1", "2", "3"]).map(str::to_owned).collect(),
        "sixline" => {
            let (first, last) = rest.split_once('-').expect("two numbers");
            let (first, last): (u32, u32) = (first.parse().expect("a number"), last.parse().expect("a number"));
            numbers(&|n| first <= n && n <= last)
        }
        // column/1 holds 1, 4, … 34.
        "column" => numbers(&|n| cell(n).1 + 1 == third()),
        "dozen" => numbers(&|n| 12 * (third() - 1) < n && n <= 12 * third()),
        "red" => numbers(&|n| RED.contains(&n)),
        "black" => numbers(&|n| !RED.contains(&n)),
        "odd" => numbers(&|n| n % 2 == 1),
        "even" => numbers(&|n| n % 2 == 0),
        "low" => numbers(&|n| n <= 18),
        "high" => numbers(&|n| n > 18),
        _ => unreachable!("{spot} is no roulette bet"),
    }
}

pub fn pays(zeros: &[&str], spot: &str, outcome: &str) -> Option<&'static str> {
    if !named(zeros, spot).contains(outcome) {
        return None;
    }
    Some(match spot.split('/').next().unwrap_or(spot) {
        "straight" => "35",
        "split" => "17",
        "street" | "green" => "11",
        "corner" => "8",
        "sixline" => "5",
        // Six numbers with three zeros; five with two, at 6 to 1; with one zero four, paid like a corner.
        "topline" => match zeros.len() {
            3 => "5",
            2 => "6",
            _ => "8",
        },
        "column" | "dozen" => "2",
        _ => "1",
    })
}
