//! What a bet is paid, read from its text: written from the prose of the documents, apart from the compiled tables.

/// The pay tables of the documents.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PaySheet {
    /// Layout A of the Resorts World terminals.
    One,
    /// Layout B, and the Rapid terminals of Marina Bay Sands.
    Two,
    /// Layout C.
    Three,
    /// The live table.
    TaiSai,
    /// The Alfastreet terminals of Marina Bay Sands.
    Alfastreet,
    /// The wheel with three zeros.
    TripleZero,
}

impl PaySheet {
    /// The sheet by which a layout of a document pays.
    pub fn of(game: &str, layout: &str) -> Option<PaySheet> {
        Some(match (game, layout) {
            ("rws-sicbo" | "rws-sicbo-open", "a") => PaySheet::One,
            ("rws-sicbo" | "rws-sicbo-open", "b") | ("mbs-sicbo", "rapid") => PaySheet::Two,
            ("rws-sicbo" | "rws-sicbo-open", "c") => PaySheet::Three,
            ("rws-taisai", "a") => PaySheet::TaiSai,
            ("mbs-sicbo", "alfastreet") => PaySheet::Alfastreet,
            ("rws-roulette-000", "a") => PaySheet::TripleZero,
            _ => return None,
        })
    }

    /// The rounder odds of Pay Table 3, which Tai Sai shares.
    fn is_rounded(self) -> bool {
        matches!(self, PaySheet::Three | PaySheet::TaiSai)
    }

    /// The odds in halves to one, so that 8.5 is 17; `None` if the bet loses.
    pub fn halves(self, spot: &str, outcome: &str) -> Option<i64> {
        if self == PaySheet::TripleZero { wheel(spot, outcome).map(|odds| odds * 2) } else { self.dice(spot, outcome) }
    }

    fn dice(self, spot: &str, outcome: &str) -> Option<i64> {
        let dice: Vec<u8> = numbers(outcome);
        let sum: u8 = dice.iter().sum();
        let triple = dice.iter().all(|die| *die == dice[0]);
        let showing = |face: u8| dice.iter().filter(|die| **die == face).count();
        let (family, rest) = spot.split_once('/').unwrap_or((spot, ""));
        let named = numbers(rest);
        let rounded = self.is_rounded();
        let wins = |wins: bool, halves: i64| wins.then_some(halves);
        match (family, rest) {
            ("small", _) => wins((4..=10).contains(&sum) && !triple, 2),
            ("big", _) => wins((11..=17).contains(&sum) && !triple, 2),
            ("odd", _) => wins(sum % 2 == 1 && !triple, 2),
            ("even", _) => wins(sum.is_multiple_of(2) && !triple, 2),
            ("single", _) => match showing(named[0]) {
                1 => Some(2),
                2 => Some(4),
                3 => Some(24),
                _ => None,
            },
            ("double", _) => wins(showing(named[0]) >= 2, if rounded { 22 } else { 23 }),
            ("triple", "any") => wins(triple, if rounded { 62 } else { 64 }),
            ("triple", _) => wins(showing(named[0]) == 3, if rounded { 360 } else { 390 }),
            ("total", _) => wins(sum == named[0], total(named[0], rounded)),
            ("domino", _) => wins(named.iter().all(|face| showing(*face) > 0), 12),
            ("four", _) => {
                let three_different = dice.iter().all(|die| showing(*die) == 1);
                wins(three_different && dice.iter().all(|die| named.contains(die)), if rounded { 14 } else { 15 })
            }
            ("three", _) => wins(named.iter().all(|face| showing(*face) == 1), 60),
            ("pair", _) => wins(showing(named[0]) == 2 && showing(named[2]) == 1, 100),
            _ => None,
        }
    }
}

/// Odds of a total, in halves. What is far from the middle pays most.
fn total(sum: u8, rounded: bool) -> i64 {
    match (sum.min(21 - sum), rounded) {
        (4, false) => 128,
        (4, true) => 124,
        (5, false) => 64,
        (5, true) => 62,
        (6, false) => 38,
        (6, true) => 36,
        (7, _) => 24,
        (8, false) => 17,
        (8, true) => 16,
        (9, _) => 14,
        (_, false) => 13,
        (_, true) => 12,
    }
}

const RED: [u8; 18] = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];

/// Odds to one on the wheel. On a zero everything loses but bets that name it.
fn wheel(spot: &str, outcome: &str) -> Option<i64> {
    let (family, rest) = spot.split_once('/').unwrap_or((spot, ""));
    let named = rest.split('-').any(|pocket| pocket == outcome);
    let zero = outcome.starts_with('0');
    let number: u8 = if zero { 0 } else { outcome.parse().ok()? };
    let wins = |wins: bool, odds: i64| wins.then_some(odds);
    match family {
        "straight" => wins(named, 35),
        "split" => wins(named, 17),
        "street" => wins(named, 11),
        "green" => wins(zero, 11),
        "corner" => wins(named, 8),
        "topline" => wins(zero || number <= 3, 5),
        "sixline" => {
            let ends = numbers(rest);
            wins(!zero && (ends[0]..=ends[1]).contains(&number), 5)
        }
        "column" => wins(!zero && number % 3 == numbers(rest)[0] % 3, 2),
        "dozen" => wins(!zero && number.div_ceil(12) == numbers(rest)[0], 2),
        "red" => wins(!zero && RED.contains(&number), 1),
        "black" => wins(!zero && !RED.contains(&number), 1),
        "odd" => wins(!zero && number % 2 == 1, 1),
        "even" => wins(!zero && number.is_multiple_of(2), 1),
        "low" => wins(!zero && number <= 18, 1),
        "high" => wins(!zero && number >= 19, 1),
        _ => None,
    }
}

/// The numbers in a text like `1-2-3`.
fn numbers(text: &str) -> Vec<u8> {
    text.split('-').filter_map(|number| number.parse().ok()).collect()
}

/// The wheel, clockwise (D3).
const WHEEL: [&str; 39] = [
    "0", "000", "00", "32", "15", "19", "4", "21", "2", "25", "17", "34", "6", "27", "13", "36", "11", "30", "8", "23",
    "10", "5", "24", "16", "33", "1", "20", "14", "31", "9", "22", "18", "29", "7", "28", "12", "35", "3", "26",
];

/// The pieces of a multi-piece bet: spots with how many units stand on each.
pub(crate) fn pieces(bet: &str) -> Option<Vec<(String, i64)>> {
    let list = |spots: &[&str]| Some(spots.iter().map(|spot| ((*spot).to_owned(), 1)).collect());
    let words: Vec<&str> = bet.split('/').collect();
    match words.as_slice() {
        ["tiers"] => list(&["split/5-8", "split/10-11", "split/13-16", "split/23-24", "split/27-30", "split/33-36"]),
        ["orphelins"] => list(&["straight/1", "split/6-9", "split/14-17", "split/17-20", "split/31-34"]),
        ["zerospiel"] => list(&["straight/26", "split/0-000", "split/00-3", "split/12-15", "split/32-35"]),
        ["grandseries"] => {
            let splits = ["split/0-000", "split/4-7", "split/12-15", "split/18-21", "split/19-22", "split/32-35"];
            let doubled = ["street/00-2-3", "corner/25-26-28-29"];
            let pieces = splits.iter().map(|spot| (spot, 1)).chain(doubled.iter().map(|spot| (spot, 2)));
            Some(pieces.map(|(spot, count)| ((*spot).to_owned(), count)).collect())
        }
        ["finale", digit] => {
            // 00 and 000 are pockets of their own, not numbers ending in 0 (D2).
            let ends = |number: &u8| number % 10 == digit.parse::<u8>().unwrap_or(10);
            let pieces: Vec<_> = (0..=36).filter(ends).map(|number| (format!("straight/{number}"), 1)).collect();
            (!pieces.is_empty()).then_some(pieces)
        }
        ["neighbours", centre, reach] => {
            let centre = WHEEL.iter().position(|pocket| pocket == centre)?;
            let reach: usize = reach.parse().ok().filter(|reach| (1..=3).contains(reach))?;
            let pocket = |step: usize| WHEEL[(centre + WHEEL.len() + step - reach) % WHEEL.len()];
            Some((0..=2 * reach).map(|step| (format!("straight/{}", pocket(step)), 1)).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_21_are_those_of_the_document() {
        let straights = |bet: &str| -> Vec<String> {
            pieces(bet).unwrap().into_iter().map(|(spot, _)| spot.replace("straight/", "")).collect()
        };
        assert_eq!(straights("neighbours/21/1"), ["4", "21", "2"]);
        assert_eq!(straights("neighbours/21/3"), ["15", "19", "4", "21", "2", "25", "17"]);
        assert_eq!(straights("finale/8"), ["8", "18", "28"]);
        assert_eq!(straights("finale/0"), ["0", "10", "20", "30"]);
    }
}
