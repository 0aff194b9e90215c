//! Three dice, by the words of sections 3 and 4.

use std::collections::BTreeSet;

use super::Prose;

struct Figures {
    /// What a single pays when one, two or three dice show it.
    single: [&'static str; 3],
    /// Totals 4 and 17, 5 and 16, … 10 and 11.
    totals: [&'static str; 7],
    domino: &'static str,
    double: &'static str,
    any_triple: &'static str,
    triple: &'static str,
    four: &'static str,
    three: &'static str,
    pair: &'static str,
}

const NOT_OFFERED: &str = "not offered";

fn figures(prose: Prose) -> Figures {
    let generous = Figures {
        single: ["1", "2", "12"],
        totals: ["64", "32", "19", "12", "8.5", "7", "6.5"],
        domino: "6",
        double: "11.5",
        any_triple: "32",
        triple: "195",
        four: "7.5",
        three: "30",
        pair: "50",
    };
    let plain = Figures {
        single: ["1", "2", "12"],
        totals: ["62", "31", "18", "12", "8", "7", "6"],
        domino: "6",
        double: "11",
        any_triple: "31",
        triple: "180",
        four: "7",
        three: "30",
        pair: "50",
    };
    match prose {
        Prose::PayTable1 => Figures { three: NOT_OFFERED, pair: NOT_OFFERED, ..generous },
        Prose::PayTable2 => generous,
        Prose::PayTable3 => plain,
        Prose::TaiSai => Figures { four: NOT_OFFERED, three: NOT_OFFERED, pair: NOT_OFFERED, ..plain },
        Prose::Alfastreet => Figures { four: NOT_OFFERED, three: NOT_OFFERED, pair: NOT_OFFERED, ..generous },
        Prose::Macau => Figures {
            single: ["1", "2", "3"],
            totals: ["50", "18", "14", "12", "8", "6", "6"],
            domino: "5",
            double: "8",
            any_triple: "24",
            triple: "150",
            four: NOT_OFFERED,
            three: NOT_OFFERED,
            pair: NOT_OFFERED,
        },
        _ => unreachable!("not a game of dice"),
    }
}

pub fn outcomes() -> Vec<String> {
    let mut outcomes = Vec::new();
    for a in 1..=6 {
        for b in 1..=6 {
            for c in 1..=6 {
                outcomes.push(format!("{a}-{b}-{c}"));
            }
        }
    }
    outcomes
}

pub fn spots(prose: Prose) -> BTreeSet<String> {
    let figures = figures(prose);
    let mut spots = BTreeSet::new();
    let mut add = |spot: String| assert!(spots.insert(spot.clone()), "{spot} twice");
    add("small".to_owned());
    add("big".to_owned());
    // Neither Tai Sai nor the Alfastreet terminal has odd and even.
    if !matches!(prose, Prose::TaiSai | Prose::Alfastreet) {
        add("odd".to_owned());
        add("even".to_owned());
    }
    for n in 1..=6 {
        add(format!("single/{n}"));
        add(format!("double/{n}"));
        add(format!("triple/{n}"));
    }
    add("triple/any".to_owned());
    // Totals 3 and 18 are no spots.
    for total in 4..=17 {
        add(format!("total/{total}"));
    }
    for a in 1..=6 {
        for b in a + 1..=6 {
            add(format!("domino/{a}-{b}"));
        }
    }
    if figures.four != NOT_OFFERED {
        for four in ["1-2-3-4", "2-3-4-5", "2-3-5-6", "3-4-5-6"] {
            add(format!("four/{four}"));
        }
    }
    if figures.three != NOT_OFFERED {
        for a in 1..=6 {
            for b in a + 1..=6 {
                for c in b + 1..=6 {
                    add(format!("three/{a}-{b}-{c}"));
                }
            }
        }
    }
    if figures.pair != NOT_OFFERED {
        for doubled in 1..=6 {
            for single in 1..=6 {
                // 1-1-2 and 6-6-5 are in no document.
                if doubled != single && (doubled, single) != (1, 2) && (doubled, single) != (6, 5) {
                    add(format!("pair/{doubled}-{doubled}-{single}"));
                }
            }
        }
    }
    spots
}

pub fn pays(prose: Prose, spot: &str, outcome: &str) -> Option<&'static str> {
    let figures = figures(prose);
    let numbers = |text: &str| -> Vec<u32> { text.split('-').map(|n| n.parse().expect("a number")).collect() };
    let mut dice = numbers(outcome);
    dice.sort_unstable();
    let total: u32 = dice.iter().sum();
    let alike = dice[0] == dice[2];
    let different = dice[0] != dice[1] && dice[1] != dice[2];
    let showing = |n: u32| dice.iter().filter(|die| **die == n).count();
    let (word, rest) = spot.split_once('/').unwrap_or((spot, ""));
    let wins = |condition: bool, odds: &'static str| if condition { Some(odds) } else { None };
    match word {
        "small" => wins((4..=10).contains(&total) && !alike, "1"),
        "big" => wins((11..=17).contains(&total) && !alike, "1"),
        "odd" => wins(total % 2 == 1 && !alike, "1"),
        "even" => wins(total.is_multiple_of(2) && !alike, "1"),
        // Paid once, by how many dice show the number.
        "single" => match showing(numbers(rest)[0]) {
            0 => None,
            dice => Some(figures.single[dice - 1]),
        },
        "total" => {
            let wanted = numbers(rest)[0];
            let from_the_end = if wanted <= 10 { wanted - 4 } else { 17 - wanted };
            wins(total == wanted, figures.totals[from_the_end as usize])
        }
        "domino" => wins(numbers(rest).iter().all(|n| showing(*n) >= 1), figures.domino),
        "double" => wins(showing(numbers(rest)[0]) >= 2, figures.double),
        "triple" if rest == "any" => wins(alike, figures.any_triple),
        "triple" => wins(alike && dice[0] == numbers(rest)[0], figures.triple),
        // Three different numbers, all among the four.
        "four" => wins(different && dice.iter().all(|die| numbers(rest).contains(die)), figures.four),
        "three" => wins(dice == numbers(rest), figures.three),
        "pair" => {
            let mut wanted = numbers(rest);
            wanted.sort_unstable();
            wins(dice == wanted, figures.pair)
        }
        _ => unreachable!("{spot} is no dice bet"),
    }
}
