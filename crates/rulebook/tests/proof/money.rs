//! Cents, odds, steps and payouts: whole cents always.

use rulebook::{Cents, Odds, decimal};

use crate::naive::{EXAMPLES, LAYOUTS};
use crate::support::{layout, name, outcome, rulebook};

#[test]
fn amounts_are_digits_with_a_point_and_one_or_two_digits() {
    let check = |text: &str, cents: i64, written: &str| {
        let amount: Cents = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((amount.get(), amount.to_string().as_str()), (cents, written), "{text}");
    };
    check("0", 0, "0.00");
    check("5", 500, "5.00");
    check("12.5", 1250, "12.50");
    check("12.05", 1205, "12.05");
    check("0.01", 1, "0.01");
    check("0012.50", 1250, "12.50");
    check("92233720368547758.07", i64::MAX, "92233720368547758.07");
}

#[test]
fn anything_else_is_no_amount() {
    for text in
        ["", ".", "5.", ".5", "1.234", "-5", "+5", "1,000", "1 000", " 5", "5 ", "1e3", "٥", "$5", "5.0.0", "0x5"]
    {
        let expected = format!(
            "\"{text}\" is not an amount: write digits, then if need be a point and one or two digits, as in 12.50"
        );
        assert_eq!(text.parse::<Cents>().unwrap_err().to_string(), expected);
    }
    for text in ["92233720368547758.08", "92233720368547759", "99999999999999999999999999"] {
        assert_eq!(text.parse::<Cents>().unwrap_err().to_string(), format!("\"{text}\" is too large an amount"));
    }
}

#[test]
fn negative_amounts_print_with_a_sign() {
    assert_eq!(Cents::new(-5).to_string(), "-0.05");
    assert_eq!(Cents::new(i64::MIN).to_string(), "-92233720368547758.08");
    assert_eq!(format!("{:>8}", Cents::new(1250)), "   12.50");
}

#[test]
fn odds_are_exact_and_print_as_they_are_written() {
    let check = |text: &str, numerator: u32, denominator: u32, written: &str| {
        let odds: Odds = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (odds.numerator(), odds.denominator(), odds.to_string().as_str()),
            (numerator, denominator, written)
        );
    };
    check("1", 1, 1, "1");
    check("8.5", 17, 2, "8.5");
    check("11.50", 23, 2, "11.5");
    check("195", 195, 1, "195");
    check("0.95", 19, 20, "0.95");
    check("1.0625", 17, 16, "1.0625");
    check("10000", 10_000, 1, "10000");
}

#[test]
fn anything_else_is_no_odds() {
    let check = |text: &str, expected: &str| assert_eq!(text.parse::<Odds>().unwrap_err().to_string(), expected);
    for text in ["", ".", "8.", ".5", "8,5", "8 to 1", "17/2", "1.00001", "--1", "-", "-x", "८"] {
        check(text, &format!("\"{text}\" is not odds: write what one unit wins, as in \"8.5\""));
    }
    check("0", "odds must be more than zero, found \"0\"");
    check("0.000", "odds must be more than zero, found \"0.000\"");
    check("-1", "odds must not be negative, found \"-1\"");
    check("10000.5", "odds of \"10000.5\" are larger than 10000 to 1");
    check("99999999999", "odds of \"99999999999\" are larger than 10000 to 1");
}

#[test]
fn d9_the_step_is_two_cents_where_there_are_half_odds_and_one_cent_elsewhere() {
    let check =
        |game: &str, id: &str, step: &str| assert_eq!(layout(game, id).table().step().to_string(), step, "{game} {id}");
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        check(game, "a", "0.02");
        check(game, "b", "0.02");
        check(game, "c", "0.01");
    }
    check("rws-taisai", "a", "0.01");
    check("mbs-sicbo", "rapid", "0.02");
    check("mbs-sicbo", "alfastreet", "0.02");
    check("rws-roulette-000", "a", "0.01");
    for (game, id, _) in EXAMPLES {
        check(game, id, "0.01");
    }
}

#[test]
fn d9_with_the_step_every_payout_is_whole_cents_and_with_half_of_it_some_are_not() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let step = layout(game, id).table().step().get();
        // A figure has at most one decimal place here, so that ten times it is whole.
        let tenths = |odds: &str| -> i64 {
            let (whole, tenth) = odds.split_once('.').unwrap_or((odds, "0"));
            format!("{whole}{tenth}").parse().unwrap()
        };
        let whole = |stake: i64| {
            prose.spots().iter().all(|spot| {
                prose
                    .outcomes()
                    .iter()
                    .all(|outcome| prose.pays(spot, outcome).is_none_or(|odds| stake * tenths(odds) % 10 == 0))
            })
        };
        assert!(whole(step), "{game} {id}");
        assert!(step == 1 || !whole(step / 2), "{game} {id}: a smaller step would do");
    }
}

#[test]
fn a_bet_returns_stake_and_winnings_or_nothing() {
    let check = |game: &str, id: &str, spot: &str, on: &str, stake: &str, returned: &str| {
        let layout = layout(game, id);
        let found = layout.table().returned(layout.find(spot).unwrap(), outcome(game, on), stake.parse().unwrap());
        assert_eq!(found.map(|cents| cents.to_string()).as_deref(), Some(returned), "{game} {id} {spot} on {on}");
    };
    check("rws-sicbo", "a", "single/2", "2-2-3", "10.00", "30.00");
    check("rws-sicbo", "a", "double/2", "2-2-3", "5.00", "62.50");
    check("rws-sicbo", "c", "double/2", "2-2-3", "5.00", "60.00");
    check("rws-sicbo", "a", "total/7", "2-2-3", "0.02", "0.26");
    check("rws-sicbo", "a", "total/8", "2-3-3", "0.02", "0.19");
    check("rws-sicbo", "a", "big", "2-2-3", "100", "0.00");
    check("rws-taisai", "a", "triple/6", "6-6-6", "1000", "181000.00");
    check("mbs-sicbo", "alfastreet", "triple/any", "4-4-4", "0.5", "16.50");
    check("rws-roulette-000", "a", "topline", "000", "1", "6.00");
    check("rws-roulette-000", "a", "street/00-2-3", "3", "2.50", "30.00");
}

#[test]
fn every_payout_of_every_cell_is_the_stake_times_the_prose() {
    for (game, id, prose) in LAYOUTS.into_iter().chain(EXAMPLES) {
        let layout = layout(game, id);
        let stake = Cents::new(1234 * 2);
        for spot in layout.table().indices() {
            for text in prose.outcomes() {
                let expected = prose.pays(&name(layout, spot), &text).map_or(0, |odds| {
                    let (whole, half) = odds.split_once('.').map_or((odds, 0), |(whole, _)| (whole, 1234));
                    2468 + 2468 * whole.parse::<i64>().unwrap() + half
                });
                let returned = layout.table().returned(spot, outcome(game, &text), stake);
                assert_eq!(returned, Some(Cents::new(expected)), "{game} {id} {} on {text}", name(layout, spot));
            }
        }
    }
}

#[test]
fn a_payout_that_does_not_fit_is_none_and_not_a_wrong_amount() {
    let layout = layout("rws-sicbo", "a");
    let triple = layout.find("triple/6").unwrap();
    let stake = Cents::new(i64::MAX / 2 * 2);
    assert_eq!(layout.table().returned(triple, outcome("rws-sicbo", "6-6-6"), stake), None);
    assert_eq!(layout.table().returned(triple, outcome("rws-sicbo", "6-6-5"), stake), Some(Cents::ZERO));
}

#[test]
fn sums_of_money_are_checked() {
    let (most, one) = (Cents::new(i64::MAX), Cents::ONE);
    assert_eq!((most.checked_add(one), Cents::new(i64::MIN).checked_sub(one), most.checked_mul(2)), (None, None, None));
    assert_eq!(Cents::checked_sum([most, one]), None);
    assert_eq!(Cents::checked_sum([one, one]), Some(Cents::new(2)));
    assert!(Cents::new(4).is_multiple_of(Cents::new(2)) && !Cents::new(3).is_multiple_of(Cents::new(2)));
    assert!(!Cents::ZERO.is_multiple_of(Cents::ZERO));
}

#[test]
fn fractions_print_as_decimals_rounded_half_away_from_zero() {
    let check = |numerator: i128, denominator: i128, places: u32, expected: &str| {
        assert_eq!(decimal(rulebook::Fraction::new(numerator, denominator), places), expected);
    };
    check(1, 27, 6, "0.037037");
    check(-1, 27, 4, "-0.0370");
    check(1, 8, 2, "0.13");
    check(-1, 8, 2, "-0.13");
    check(-1, 1000, 2, "0.00");
    check(7, 2, 0, "4");
}

#[test]
fn an_outcome_of_another_game_pays_nothing() {
    // The 216th outcome of the dice has no place on a wheel of 39 pockets.
    let (roulette, last) = (layout("rws-roulette-000", "a"), outcome("rws-sicbo", "6-6-6"));
    for spot in roulette.table().indices() {
        assert_eq!(roulette.table().odds(spot, last), None);
    }
    assert_eq!(rulebook("rws-roulette-000").outcomes().outcome(last), None);
}
