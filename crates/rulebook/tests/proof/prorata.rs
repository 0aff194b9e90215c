//! Pro rata (Tai Sai 5.1.1, 5.1.2; D8).

use std::collections::BTreeMap;

use proptest::prelude::*;
use rulebook::prorata::{BoxLimits, ProrataError, Share, differential, one_box, pair};
use rulebook::{Cents, Fraction};

fn cents(text: &str) -> Cents {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn limits(minimum: &str, maximum: &str, step: &str) -> BoxLimits {
    let maximum = if maximum == "none" { None } else { Some(cents(maximum)) };
    BoxLimits { minimum: cents(minimum), maximum, step: cents(step) }
}

/// `A=900 B=300` as bets.
fn bets(text: &str) -> Vec<(String, Cents)> {
    let bet = |word: &str| word.split_once('=').map(|(player, amount)| (player.to_owned(), cents(amount)));
    text.split_whitespace().map(|word| bet(word).expect("PLAYER=AMOUNT")).collect()
}

fn written(shares: &[Share<String>]) -> String {
    shares.iter().map(|share| format!("{}={}", share.player, share.at_risk)).collect::<Vec<_>>().join(" ")
}

fn check(minimum: &str, maximum: &str, step: &str, placed: &str, at_risk: &str) {
    let shares = one_box(&bets(placed), limits(minimum, maximum, step)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(written(&shares), at_risk, "min {minimum} max {maximum} step {step}: {placed}");
    for share in shares {
        assert_eq!(share.returned().get() + share.at_risk.get(), share.bet.get());
    }
}

#[test]
fn d8_the_example() {
    check("25", "1000", "0.01", "A=900 B=300 C=20", "A=735.00 B=245.00 C=20.00");
}

#[test]
fn within_the_maximum_everything_stands() {
    check("25", "1000", "0.01", "A=700 B=300", "A=700.00 B=300.00");
    check("25", "1000", "100", "A=701 B=25 C=3", "A=701.00 B=25.00 C=3.00");
    check("25", "none", "0.01", "A=70000 B=300 C=1", "A=70000.00 B=300.00 C=1.00");
    check("25", "1000", "0.01", "", "");
}

#[test]
fn bets_of_one_player_in_one_box_are_one_bet() {
    check("25", "1000", "0.01", "A=500 B=300 A=400 C=10 C=10", "A=735.00 B=245.00 C=20.00");
    // Two bets under the minimum make one that is not.
    check("25", "100", "0.01", "A=20 A=20 B=160", "A=25.00 B=75.00");
}

#[test]
fn a_bet_that_would_fall_below_the_minimum_is_held_there_again_and_again() {
    // Half of everything leaves B and C 15 each: both are held, and A takes the room that is left.
    check("25", "100", "0.01", "A=140 B=30 C=30", "A=50.00 B=25.00 C=25.00");
    // D would first have 25.89; with B and C held there are only 24.30 for it.
    check("25", "200", "0.01", "A=300 B=40 C=50 D=58", "A=125.00 B=25.00 C=25.00 D=25.00");
    check("10", "100", "0.01", "A=1000 B=10 C=10 D=10", "A=70.00 B=10.00 C=10.00 D=10.00");
}

#[test]
fn held_and_whole_bets_that_alone_exceed_the_cap_stand() {
    check("25", "50", "0.01", "A=30 B=30 C=30", "A=25.00 B=25.00 C=25.00");
    check("25", "30", "0.01", "A=24 B=24 C=100", "A=24.00 B=24.00 C=25.00");
    check("25", "30", "0.01", "A=24 B=24 C=24", "A=24.00 B=24.00 C=24.00");
}

#[test]
fn amounts_are_cut_down_to_the_rounding_unit() {
    check("0", "100", "0.01", "A=100 B=100 C=100", "A=33.33 B=33.33 C=33.33");
    check("0", "100", "1", "A=100 B=100 C=100", "A=33.00 B=33.00 C=33.00");
    check("0", "100", "25", "A=100 B=100 C=100", "A=25.00 B=25.00 C=25.00");
    // Never below the minimum, even where that is no multiple of the unit.
    check("30", "100", "25", "A=100 B=100 C=100", "A=30.00 B=30.00 C=30.00");
    // Only what is scaled is cut: an under-minimum bet stays whole.
    check("25", "100", "5", "A=100 B=3", "A=95.00 B=3.00");
}

fn check_differential(room: &str, box_limits: BoxLimits, placed: [&str; 2], at_risk: [&str; 2]) {
    let swapped = differential(&bets(placed[1]), &bets(placed[0]), cents(room), box_limits).unwrap();
    let sides = differential(&bets(placed[0]), &bets(placed[1]), cents(room), box_limits).unwrap();
    assert_eq!([written(&sides.bets), written(&sides.against)], at_risk, "differential {room}: {placed:?}");
    assert_eq!((sides.bets, sides.against), (swapped.against, swapped.bets), "the sides are alike");
}

#[test]
fn the_heavier_side_is_capped_by_the_lighter_and_the_differential() {
    let plain = limits("25", "1000", "0.01");
    // 250 on the lighter side and 500 more.
    check_differential("500", plain, ["A=900 B=300", "X=200 Y=50"], ["A=562.50 B=187.50", "X=200.00 Y=50.00"]);
    // Within the differential nothing happens.
    check_differential("500", plain, ["A=700", "X=200"], ["A=700.00", "X=200.00"]);
    // The maximum is smaller than lighter plus differential.
    check_differential("5000", plain, ["A=900 B=300 C=20", "X=900"], ["A=735.00 B=245.00 C=20.00", "X=900.00"]);
    // No bet on the other side.
    check_differential("500", plain, ["A=900 B=300", ""], ["A=375.00 B=125.00", ""]);
    check_differential("0", plain, ["A=900", ""], ["A=25.00", ""]);
}

#[test]
fn the_lighter_side_is_worked_out_first_and_what_is_at_risk_there_counts() {
    // The lighter side is itself over its maximum: 1,200 is cut to 1,000, and the heavier side by the maximum too.
    let plain = limits("25", "1000", "0.01");
    check_differential("100", plain, ["A=3000", "X=1200"], ["A=1000.00", "X=1000.00"]);
    // Held bets keep the lighter side at 90 though its maximum is 60; the heavier may have 60, not 190.
    let tight = limits("30", "60", "0.01");
    check_differential("100", tight, ["A=120", "X=35 Y=35 Z=35"], ["A=60.00", "X=30.00 Y=30.00 Z=30.00"]);
}

#[test]
fn one_pass_the_lighter_side_is_never_revisited() {
    // Cut to whole dollars the heavier side ends at 108 of its 110; nothing is shared out again.
    let plain = limits("10", "1000", "1");
    check_differential("10", plain, ["A=333 B=333 C=334", "X=100"], ["A=36.00 B=36.00 C=36.00", "X=100.00"]);
    // Whole bets on the heavier side may exceed its cap; the lighter side stays.
    let high = limits("50", "1000", "0.01");
    check_differential("10", high, ["A=40 B=40 C=40", "X=30"], ["A=40.00 B=40.00 C=40.00", "X=30.00"]);
}

#[test]
fn with_equal_sides_only_the_maximum_counts() {
    let plain = limits("25", "1000", "0.01");
    check_differential("0", plain, ["A=500", "X=250 Y=250"], ["A=500.00", "X=250.00 Y=250.00"]);
    check_differential("0", plain, ["A=2000", "X=1000 Y=1000"], ["A=1000.00", "X=500.00 Y=500.00"]);
    check_differential("0", plain, ["", ""], ["", ""]);
}

#[test]
fn a_differential_needs_no_maximum() {
    let open = limits("25", "none", "0.01");
    check_differential("500", open, ["A=90000 B=30000", "X=9500"], ["A=7500.00 B=2500.00", "X=9500.00"]);
}

#[test]
fn the_two_boxes_may_have_limits_of_their_own() {
    let (big, small) = (limits("25", "1000", "0.01"), limits("10", "none", "5"));
    let check = |room: &str, placed: [&str; 2], at_risk: [&str; 2]| {
        let sides = pair(&bets(placed[0]), &bets(placed[1]), cents(room), [big, small]).unwrap();
        assert_eq!([written(&sides.bets), written(&sides.against)], at_risk, "differential {room}: {placed:?}");
        let swapped = pair(&bets(placed[1]), &bets(placed[0]), cents(room), [small, big]).unwrap();
        assert_eq!((sides.bets, sides.against), (swapped.against, swapped.bets));
    };
    // Small is heavier and has no maximum: 1,000 at risk on Big and 100 more, cut to fives.
    check("100", ["A=2000", "X=2500 Y=500"], ["A=1000.00", "X=915.00 Y=180.00"]);
    // Big is heavier: its own maximum is nearer than what Small and the differential allow.
    check("900", ["A=2000", "X=500"], ["A=1000.00", "X=500.00"]);
    check("100", ["A=2000 B=20", "X=500 Y=5"], ["A=585.00 B=20.00", "X=500.00 Y=5.00"]);
    let error = pair(&bets("A=30"), &bets("X=30"), cents("5"), [big, limits("50", "40", "1")]).unwrap_err();
    assert_eq!(error.code(), "minimum_above_maximum");
}

#[test]
fn a_player_may_stand_on_both_sides() {
    let plain = limits("25", "1000", "0.01");
    check_differential("100", plain, ["A=400 A=400", "A=100"], ["A=200.00", "A=100.00"]);
}

#[test]
fn limits_and_bets_that_make_no_sense_are_refused() {
    let refused = |error: ProrataError, code: &str, message: &str| {
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    };
    let plain = limits("25", "1000", "0.01");
    let one = |placed: &[(String, Cents)], limits| one_box(placed, limits).unwrap_err();
    refused(one(&bets("A=0"), plain), "zero_amount", "every bet must be more than zero");
    refused(one(&[("A".to_owned(), Cents::new(-1))], plain), "zero_amount", "every bet must be more than zero");
    refused(one(&bets("A=1"), limits("1", "5", "0")), "no_step", "the step must be more than zero");
    let (code, message) = ("minimum_above_maximum", "the minimum of 25.00 exceeds the maximum of 5.00");
    refused(one(&bets("A=1"), limits("25", "5", "1")), code, message);
    let large = [("A".to_owned(), Cents::new(i64::MAX)), ("B".to_owned(), Cents::new(i64::MAX))];
    refused(one(&large, plain), "amount_too_large", "the amounts are too large");
    let both = [("A".to_owned(), Cents::new(i64::MAX)), ("A".to_owned(), Cents::ONE)];
    refused(one(&both, plain), "amount_too_large", "the amounts are too large");
    let error = differential(&bets("A=1"), &bets("B=2"), Cents::new(-1), plain).unwrap_err();
    refused(error, "negative_differential", "the differential of -0.01 is less than zero");
}

#[test]
fn the_largest_amounts_are_scaled_exactly() {
    let most = i64::MAX / 2;
    let placed = [("A".to_owned(), Cents::new(most)), ("B".to_owned(), Cents::new(most))];
    let limits = BoxLimits { minimum: Cents::ONE, maximum: Some(Cents::new(most)), step: Cents::ONE };
    let shares = one_box(&placed, limits).unwrap();
    assert_eq!(shares.iter().map(|share| share.at_risk.get()).collect::<Vec<_>>(), [most / 2, most / 2]);
}

/// D8 again, slowly and in another way: the bets that are held are the smallest few, as few as will do.
fn reference(placed: &[(String, Cents)], cap: Option<i64>, limits: BoxLimits) -> BTreeMap<String, i64> {
    let mut together: BTreeMap<String, i64> = BTreeMap::new();
    placed.iter().for_each(|(player, bet)| *together.entry(player.clone()).or_default() += bet.get());
    let (minimum, step) = (limits.minimum.get(), limits.step.get());
    let Some(cap) = cap.filter(|cap| together.values().sum::<i64>() > *cap) else { return together };
    let mut sized: Vec<i64> = together.values().copied().filter(|bet| *bet >= minimum).collect();
    sized.sort_unstable();
    let room = cap - together.values().filter(|bet| **bet < minimum).sum::<i64>();
    let whole = |amount: i64| Fraction::from_integer(amount.into());
    // Cutting the smallest `held` bets to the minimum leaves this factor for the rest.
    let factor = |held: usize| {
        let rest: i64 = sized.iter().skip(held).sum();
        let taken: i64 = sized.iter().take(held).map(|_| minimum).sum();
        if rest == 0 { whole(0) } else { whole((room - taken).max(0)) / whole(rest) }
    };
    let enough = |held: &usize| sized.get(*held).is_none_or(|next| whole(*next) * factor(*held) >= whole(minimum));
    let held = (0..=sized.len()).find(enough).expect("holding all is enough");
    let at_risk = |bet: i64| {
        let exact = (whole(bet) * factor(held)).floor().to_integer() as i64;
        if bet < minimum { bet } else { (exact / step * step).max(minimum) }
    };
    together.into_iter().map(|(player, bet)| (player, at_risk(bet))).collect()
}

fn as_map(shares: &[Share<String>]) -> BTreeMap<String, i64> {
    shares.iter().map(|share| (share.player.clone(), share.at_risk.get())).collect()
}

/// A handful of players, amounts near the limits as well as far from them.
fn placed() -> impl Strategy<Value = Vec<(String, Cents)>> {
    let amount = prop_oneof![1_i64..60, 1_i64..5_000, 1_i64..1_000_000];
    prop::collection::vec(("[A-H]", amount.prop_map(Cents::new)), 0..12)
}

fn any_limits() -> impl Strategy<Value = BoxLimits> {
    let step = prop_oneof![Just(1_i64), Just(5), Just(25), Just(100)];
    (0_i64..3_000, prop::option::of(0_i64..200_000), step).prop_map(|(minimum, over, step)| BoxLimits {
        minimum: Cents::new(minimum),
        maximum: over.map(|over| Cents::new(minimum + over)),
        step: Cents::new(step),
    })
}

fn properties(shares: &[Share<String>], cap: Option<i64>, limits: BoxLimits) -> Result<(), TestCaseError> {
    let (minimum, step) = (limits.minimum, limits.step.get());
    let sum = |amount: &dyn Fn(&Share<String>) -> i64| shares.iter().map(amount).sum::<i64>();
    for share in shares {
        prop_assert!(share.at_risk <= share.bet, "nobody's amount at risk exceeds the bet");
        prop_assert!(share.bet < minimum || share.at_risk >= minimum, "nobody falls below the minimum");
        prop_assert!(share.bet >= minimum || share.at_risk == share.bet, "under-minimum bets are untouched");
        prop_assert_eq!(share.returned().get(), share.bet.get() - share.at_risk.get());
    }
    let (bet, at_risk) = (sum(&|share| share.bet.get()), sum(&|share| share.at_risk.get()));
    match cap.filter(|cap| bet > *cap) {
        None => prop_assert_eq!(at_risk, bet, "within the cap everything stands"),
        Some(cap) => {
            let held = sum(&|share| share.bet.min(minimum).get());
            if held >= cap {
                prop_assert_eq!(at_risk, held, "held and whole bets stand, the others fall to the minimum");
            } else {
                prop_assert!(at_risk <= cap && cap - at_risk < sum(&|_| step), "the cap is used up");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn one_box_keeps_the_promises_of_d8(placed in placed(), limits in any_limits()) {
        let shares = one_box(&placed, limits).unwrap();
        let cap = limits.maximum.map(Cents::get);
        properties(&shares, cap, limits)?;
        prop_assert_eq!(as_map(&shares), reference(&placed, cap, limits));
    }

    #[test]
    fn the_order_of_the_bets_does_not_matter(
        (placed, shuffled) in placed().prop_flat_map(|placed| (Just(placed.clone()), Just(placed).prop_shuffle())),
        limits in any_limits(),
    ) {
        prop_assert_eq!(as_map(&one_box(&placed, limits).unwrap()), as_map(&one_box(&shuffled, limits).unwrap()));
    }

    #[test]
    fn the_differential_likewise(
        bets in placed(),
        against in placed(),
        room in 0_i64..100_000,
        limits in any_limits(),
    ) {
        let sides = differential(&bets, &against, Cents::new(room), limits).unwrap();
        let sum = |placed: &[(String, Cents)]| placed.iter().map(|(_, bet)| bet.get()).sum::<i64>();
        let maximum = limits.maximum.map(Cents::get);
        let (lighter, heavier, heavy_bets) = match sum(&bets).cmp(&sum(&against)) {
            std::cmp::Ordering::Equal => {
                prop_assert_eq!(as_map(&sides.bets), reference(&bets, maximum, limits));
                prop_assert_eq!(as_map(&sides.against), reference(&against, maximum, limits));
                return Ok(());
            }
            std::cmp::Ordering::Less => {
                prop_assert_eq!(as_map(&sides.bets), reference(&bets, maximum, limits));
                (&sides.bets, &sides.against, &against)
            }
            std::cmp::Ordering::Greater => {
                prop_assert_eq!(as_map(&sides.against), reference(&against, maximum, limits));
                (&sides.against, &sides.bets, &bets)
            }
        };
        let reach = lighter.iter().map(|share| share.at_risk.get()).sum::<i64>() + room;
        let cap = Some(maximum.map_or(reach, |maximum| maximum.min(reach)));
        properties(lighter, maximum, limits)?;
        properties(heavier, cap, limits)?;
        prop_assert_eq!(as_map(heavier), reference(heavy_bets, cap, limits));
    }
}
