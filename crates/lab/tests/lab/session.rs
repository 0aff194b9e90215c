//! Sessions: the fast method against whole numbers, and against formulas of the textbooks.

use lab::session::{Distribution, Limits, Round, Session, SessionError, exact, hold, ruin};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use rulebook::Cents;

use crate::{bets, game, layout};

/// Spots and cents.
type Bets = &'static [(&'static str, i64)];

fn round(game_id: &str, id: &str, of: &[(&str, i64)]) -> Round {
    let layout = layout(game_id, id);
    Round::of(layout.table(), &bets(layout, of)).unwrap()
}

fn share(part: &BigUint, whole: &BigUint) -> f64 {
    // Scaled first, so that nothing is lost: both may have thousands of digits.
    let scaled = (part << 64_u32) / whole;
    scaled.to_f64().unwrap() / 2_f64.powi(64)
}

fn agrees(round: &Round, rounds: u32) {
    let fast = Distribution::after(round, u64::from(rounds)).unwrap();
    let ways = exact::after(round, rounds);
    let all = BigUint::from(round.ways).pow(rounds);
    let mut sum = 0.0;
    for (net, ways) in &ways {
        let truth = share(ways, &all);
        let error = (fast.at(*net) - truth).abs();
        assert!(error <= fast.error().min(1e-12), "{net} after {rounds}: {error:e}, bound {:e}", fast.error());
        sum += fast.at(*net);
    }
    assert!((sum - 1.0).abs() <= fast.error(), "{sum}");
    let above: BigUint = ways.range(1..).map(|(_, ways)| ways).sum();
    assert!((fast.above(0) - share(&above, &all)).abs() <= fast.error());
}

#[test]
fn the_distribution_is_that_of_whole_numbers() {
    let sets: [(&str, &str, Bets); 5] = [
        ("rws-sicbo", "a", &[("small", 1000)]),
        ("rws-sicbo", "b", &[("total/8", 250), ("single/2", 100), ("triple/6", 102)]),
        ("rws-taisai", "a", &[("big", 2500), ("domino/1-2", 500), ("triple/any", 100)]),
        ("rws-roulette-000", "a", &[("straight/17", 100), ("red", 500)]),
        ("roulette-single-zero", "a", &[("dozen/1", 300), ("column/2", 300), ("straight/0", 50)]),
    ];
    for (game, layout, of) in sets {
        let round = round(game, layout, of);
        for rounds in [1, 2, 3, 7, 20] {
            agrees(&round, rounds);
        }
    }
}

#[test]
fn even_money_is_the_binomial_distribution() {
    // Red on a single zero: 18 of 37; ahead after 101 rounds with at least 51 wins.
    let round = round("roulette-single-zero", "a", &[("red", 100)]);
    let fast = Distribution::after(&round, 101).unwrap();
    let mut choose = BigUint::from(1_u8);
    let mut ahead = BigUint::ZERO;
    for wins in 0..=101_u32 {
        if wins >= 51 {
            ahead += &choose * BigUint::from(18_u8).pow(wins) * BigUint::from(19_u8).pow(101 - wins);
        }
        choose = choose * (101 - wins) / (wins + 1);
    }
    assert!((fast.above(0) - share(&ahead, &BigUint::from(37_u8).pow(101))).abs() < 1e-13);
}

#[test]
fn ten_thousand_rounds_keep_their_moments() {
    let layout = layout("rws-sicbo", "b");
    let twenty: Vec<_> = layout.table().indices().take(20).map(|spot| (spot, Cents::new(500))).collect();
    let round = Round::of(layout.table(), &twenty).unwrap();
    let after = Distribution::after(&round, 10_000).unwrap();
    let exact = |fraction: rulebook::Fraction| *fraction.numer() as f64 / *fraction.denom() as f64;
    let (mean, deviation) = (exact(round.mean()) * 1e4, (exact(round.variance()) * 1e4).sqrt());
    assert!((after.mean() / mean - 1.0).abs() < 1e-9, "{} {mean}", after.mean());
    assert!((after.deviation() / deviation - 1.0).abs() < 1e-9, "{} {deviation}", after.deviation());
    assert!(after.error() < 1e-8);
    assert!((after.points().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-10);
}

#[test]
fn ruin_is_that_of_whole_numbers() {
    let sets: [(&str, Bets, i64, Option<i64>); 4] = [
        ("rws-sicbo", &[("small", 1000)], 3000, Some(6000)),
        ("rws-sicbo", &[("total/9", 200), ("big", 300)], 1700, Some(4000)),
        ("rws-taisai", &[("single/3", 100)], 350, None),
        ("rws-roulette-000", &[("straight/17", 100), ("red", 200)], 1000, Some(3000)),
    ];
    for (game, of, bankroll, target) in sets {
        let round = round(game, "a", of);
        for rounds in [1, 2, 5, 15] {
            let fast = ruin(&round, u64::from(rounds), Cents::new(bankroll), target.map(Cents::new)).unwrap();
            let (broke, reached) = exact::ruin(&round, rounds, bankroll, target);
            let all = BigUint::from(round.ways).pow(rounds);
            assert!((fast.broke - share(&broke, &all)).abs() < 1e-13, "{game} after {rounds}");
            assert!((fast.reached - share(&reached, &all)).abs() < 1e-13, "{game} after {rounds}");
            assert!((fast.broke + fast.reached + fast.playing - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn the_gamblers_ruin_of_the_textbooks() {
    // Even money, p = 18/38, from 10 to 20 units or none: ruin is 1 − ((q/p)^10 − 1)/((q/p)^20 − 1), given time enough.
    let round = round("roulette-double-zero", "a", &[("red", 100)]);
    let ruined = ruin(&round, 20_000, Cents::new(1000), Some(Cents::new(2000))).unwrap();
    let ratio: f64 = 20.0 / 18.0;
    let expected = 1.0 - (ratio.powi(10) - 1.0) / (ratio.powi(20) - 1.0);
    assert!((ruined.broke - expected).abs() < 1e-10, "{} {expected}", ruined.broke);
    assert!(ruined.playing < 1e-10);
}

#[test]
fn bands_of_the_hold_close_in_on_the_edge() {
    let round = round("rws-sicbo", "a", &[("small", 1000), ("total/10", 200)]);
    let points = hold(&round, 100_000).unwrap();
    let last = points.last().unwrap();
    let edge = *round.edge().numer() as f64 / *round.edge().denom() as f64;
    assert!(last.low_99 < last.low_95 && last.low_95 < edge && edge < last.high_95 && last.high_95 < last.high_99);
    assert!(last.high_95 - last.low_95 < 0.015);
    let later: Vec<f64> = points.iter().filter(|point| point.rounds >= 100).map(|point| point.house_behind).collect();
    assert!(later.is_sorted_by(|a, b| a >= b), "{later:?}");
}

#[test]
fn a_table_of_many_players_is_a_mix() {
    let layout = layout("rws-sicbo", "a");
    let sets = [(3, bets(layout, &[("small", 1000)])), (1, bets(layout, &[("big", 4000), ("triple/any", 200)]))];
    let round = Round::mix(layout.table(), &sets).unwrap();
    assert_eq!(round.ways, 4 * 216);
    // Mean stake: (3·10 + 42)/4 = 18.
    assert_eq!(round.mean_stake(), rulebook::Fraction::from_integer(1800));
    agrees(&round, 9);
    let session = Session::mix(game("rws-sicbo"), layout, &sets, 500, Limits::default()).unwrap();
    assert!((session.ahead + session.even + session.behind - 1.0).abs() < 1e-10);
    assert!(session.paper().text(100).contains("Weight"));
}

#[test]
fn what_cannot_be_worked_out_is_said() {
    let layout = layout("rws-sicbo", "a");
    let table = layout.table();
    assert_eq!(Round::of(table, &[]), Err(SessionError::NoBets));
    assert!(matches!(Round::of(table, &bets(layout, &[("small", 501)])), Err(SessionError::OffStep(_))));
    assert_eq!(Round::of(table, &bets(layout, &[("triple/1", i64::MAX / 4 * 2)])), Err(SessionError::TooLarge));
    let round = round("rws-sicbo", "a", &[("small", 1000)]);
    assert_eq!(Distribution::after(&round, 0), Err(SessionError::Rounds));
    assert_eq!(Distribution::after(&round, u64::MAX), Err(SessionError::Rounds));
    let broke = ruin(&round, 10, Cents::new(999), None);
    assert!(matches!(broke, Err(SessionError::BankrollBelowStakes { .. })));
    let target = ruin(&round, 10, Cents::new(2000), Some(Cents::new(2000)));
    assert!(matches!(target, Err(SessionError::TargetBelowBankroll { .. })));
}

#[test]
fn a_bet_on_everything_has_one_result_where_all_pays_are_alike() {
    // One unit on every number: 36 come back of 37, whatever the wheel shows.
    let layout = layout("roulette-single-zero", "a");
    let all: Vec<String> = (0..=36).map(|n| format!("straight/{n}")).collect();
    let all: Vec<(&str, i64)> = all.iter().map(|spot| (spot.as_str(), 100)).collect();
    let round = Round::of(layout.table(), &bets(layout, &all)).unwrap();
    let after = Distribution::after(&round, 1000).unwrap();
    assert_eq!((after.at(-100_000), after.quantile(0.5)), (1.0, -100_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bets_keep_all_probability_and_their_mean(
        stakes in prop::collection::vec((0_usize..104, 1_i64..500), 1..8),
        rounds in 1_u64..3_000,
    ) {
        let layout = layout("rws-sicbo", "b");
        let table = layout.table();
        let bets: Vec<_> =
            stakes.iter().map(|(spot, stake)| (table.index_at(*spot).unwrap(), Cents::new(stake * 50))).collect();
        let round = Round::of(table, &bets).unwrap();
        let after = Distribution::after(&round, rounds).unwrap();
        let sum: f64 = after.points().map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() <= after.error());
        let mean = *round.mean().numer() as f64 / *round.mean().denom() as f64 * rounds as f64;
        prop_assert!((after.mean() - mean).abs() <= 1e-6 * after.deviation().max(1.0));
    }
}
