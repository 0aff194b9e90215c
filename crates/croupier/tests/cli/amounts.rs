//! Amounts are digits with an optional point and one or two digits, everywhere, and nothing else.

use crate::{croupier, refused};

const MALFORMED: [&str; 22] = [
    "", "1.", ".5", ".", "1.234", "-1", "-0", "+1", "1e3", "1E3", " 1", "1 ", "１", "1,000", "1_000", "0x10", "inf",
    "NaN", "1.2.3", "1.-2", "1.+2", "$5",
];

/// One cent more than can be kept, far more, and absurdly more.
const TOO_LARGE: [&str; 3] =
    ["92233720368547758.08", "99999999999999999999", "340282366920938463463374607431768211456000000000000000"];

/// Where an amount can be written, with `{}` in its place.
const PLACES: [&[&str]; 8] = [
    &["settle", "rws-sicbo", "--layout", "a", "--outcome", "2-2-3", "single/2={}"],
    &["settle", "rws-roulette-000", "--outcome", "17", "tiers={}"],
    &["expand", "rws-roulette-000", "--unit={}", "tiers"],
    &["prorata", "--max=1000", "A={}"],
    &["prorata", "--min={}", "--max=1000", "A=5"],
    &["prorata", "--max={}", "A=5"],
    &["prorata", "--step={}", "A=5"],
    &["prorata", "A=5", "--differential={}", "--against", "X=5"],
];

fn at(place: &[&str], amount: &str) -> Vec<String> {
    place.iter().map(|word| word.replace("{}", amount)).collect()
}

#[test]
fn malformed_amounts_are_refused_everywhere() {
    for place in PLACES {
        for amount in MALFORMED {
            let refused = refused(&at(place, amount));
            assert_eq!((refused.code.as_str(), refused.paragraph), ("malformed_amount", None), "{place:?} {amount:?}");
            assert!(refused.message.contains(&format!("\"{amount}\"")), "{}", refused.message);
        }
    }
}

#[test]
fn amounts_too_large_to_keep_are_refused_everywhere() {
    for place in PLACES {
        for amount in TOO_LARGE {
            assert_eq!(refused(&at(place, amount)).code, "amount_too_large", "{place:?} {amount}");
        }
    }
}

#[test]
fn a_negative_amount_beside_its_option_is_an_amount_too() {
    let words = ["expand", "rws-roulette-000", "--unit", "-1", "tiers"];
    assert_eq!(refused(&words).code, "malformed_amount");
    assert_eq!(refused(&["prorata", "--min", "-5", "A=1"]).code, "malformed_amount");
}

#[test]
fn nothing_is_bet_with_nothing() {
    for place in [PLACES[0], PLACES[1], PLACES[2], PLACES[3]] {
        for zero in ["0", "0.0", "0.00", "000"] {
            assert_eq!(refused(&at(place, zero)).code, "zero_amount", "{place:?} {zero}");
        }
    }
    assert_eq!(refused(&at(PLACES[6], "0")).code, "no_step");
}

#[test]
fn one_or_two_decimals_and_leading_zeros_are_fine() {
    for (amount, written) in [("5", "5.00"), ("5.5", "5.50"), ("5.50", "5.50"), ("007", "7.00"), ("0.02", "0.02")] {
        let run = croupier(&["--json", "expand", "rws-roulette-000", "--unit", amount, "finale/7"]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains(&format!("\"stake\":\"{written}\"")), "{}", run.stdout);
    }
}

#[test]
fn the_largest_amount_can_lose_but_not_be_paid() {
    let settle = |outcome: &str| {
        let bet = "triple/6=92233720368547758.06";
        croupier(&["settle", "rws-sicbo", "--layout", "a", "--outcome", outcome, bet])
    };
    assert_eq!(settle("1-1-1").code, 0);
    assert_eq!(settle("6-6-6").code, 1);
}

#[test]
fn amounts_that_add_up_to_too_much_are_refused() {
    let large = "92233720368547758.06";
    let bets = [format!("small={large}"), format!("big={large}")];
    let words = ["settle", "rws-sicbo", "--layout", "a", "--outcome", "1-1-1", &bets[0], &bets[1]];
    assert_eq!(refused(&words).code, "amount_too_large");
    assert_eq!(refused(&["expand", "rws-roulette-000", "--unit", large, "tiers"]).code, "amount_too_large");
    let (one, two) = (format!("A={large}"), format!("B={large}"));
    assert_eq!(refused(&["prorata", &one, &two]).code, "amount_too_large");
}
