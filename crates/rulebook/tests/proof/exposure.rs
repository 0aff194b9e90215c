//! Exposure per outcome: updated bet by bet, and recomputed.

use proptest::prelude::*;
use rulebook::{Cents, Exposure, Layout, Overflow, SpotIndex};

use crate::naive::LAYOUTS;
use crate::support::{layout, outcome, rulebook};

fn place(layout: &Layout, spot: &str) -> SpotIndex {
    layout.find(spot).unwrap_or_else(|error| panic!("{error}"))
}

/// The same from the table alone.
fn brute_force(layout: &Layout, game: &str, bets: &[(SpotIndex, Cents)]) -> (Vec<i64>, i64) {
    let table = layout.table();
    let returned =
        |outcome| bets.iter().map(|(spot, stake)| table.returned(*spot, outcome, *stake).unwrap().get()).sum();
    (rulebook(game).outcomes().indices().map(returned).collect(), bets.iter().map(|(_, stake)| stake.get()).sum())
}

fn agree(exposure: &Exposure, layout: &Layout, game: &str, bets: &[(SpotIndex, Cents)]) -> Result<(), TestCaseError> {
    let (returns, staked) = brute_force(layout, game, bets);
    prop_assert_eq!(exposure.staked().get(), staked);
    for (outcome, returned) in rulebook(game).outcomes().indices().zip(&returns) {
        prop_assert_eq!(exposure.returned(outcome).get(), *returned);
        prop_assert_eq!(exposure.liability(outcome).get(), *returned - staked);
    }
    let most = returns.iter().max().copied().unwrap_or(0);
    let first = returns.iter().position(|returned| *returned == most).unwrap_or(0);
    let (worst, cost) = exposure.worst();
    prop_assert_eq!((worst.get(), cost.get()), (first, most - staked));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn exposure_is_what_settling_every_bet_on_every_outcome_gives(
        which in 0..LAYOUTS.len(),
        bets in prop::collection::vec((0_usize..1000, 1_i64..1_000_000), 0..30),
        keep in prop::collection::vec(any::<bool>(), 30),
    ) {
        let (game, id, _) = LAYOUTS[which];
        let layout = layout(game, id);
        let table = layout.table();
        let step = table.step().get();
        let bets: Vec<(SpotIndex, Cents)> = bets
            .into_iter()
            .map(|(spot, steps)| (table.index_at(spot % table.spots().len()).unwrap(), Cents::new(steps * step)))
            .collect();
        let mut exposure = Exposure::new(table.outcomes());
        for (spot, stake) in &bets {
            exposure.add(table, *spot, *stake).unwrap();
        }
        agree(&exposure, layout, game, &bets)?;
        let (_, worst) = exposure.worst();
        prop_assert_eq!(Exposure::new(table.outcomes()).worst_with(table, bets.iter().copied()), Some(worst));
        // Withdrawing a bet is adding its opposite.
        let mut kept = Vec::new();
        for (bet, keep) in bets.iter().zip(keep) {
            match keep {
                true => kept.push(*bet),
                false => exposure.add(table, bet.0, Cents::new(-bet.1.get())).unwrap(),
            }
        }
        agree(&exposure, layout, game, &kept)?;
        exposure.clear();
        prop_assert_eq!(exposure, Exposure::new(table.outcomes()));
    }
}

#[test]
fn the_worst_case_of_a_few_bets() {
    let layout = layout("rws-sicbo", "a");
    let mut exposure = Exposure::new(216);
    assert_eq!(exposure.worst().1, Cents::ZERO);
    for (spot, stake) in [("small", 10_000), ("double/2", 2_000), ("single/2", 1_000)] {
        exposure.add(layout.table(), place(layout, spot), Cents::new(stake)).unwrap();
    }
    // On 2-2-1, first read as 1-2-2: 200 back on small, 250 on the double, 30 on the single, 130 staked.
    let (worst, cost) = exposure.worst();
    assert_eq!((worst, cost.to_string().as_str()), (outcome("rws-sicbo", "1-2-2"), "350.00"));
    // 2-2-2 costs less: small loses, the single pays 12.
    assert_eq!(exposure.liability(outcome("rws-sicbo", "2-2-2")).to_string(), "250.00");
    assert_eq!(exposure.liability(outcome("rws-sicbo", "6-6-6")).to_string(), "-130.00");
}

#[test]
fn an_amount_that_does_not_fit_changes_nothing() {
    let layout = layout("rws-sicbo", "a");
    let table = layout.table();
    let mut exposure = Exposure::new(216);
    exposure.add(table, place(layout, "big"), Cents::new(1_000)).unwrap();
    let before = exposure.clone();
    // 196 times the stake does not fit, though the stake does.
    let too_much = Cents::new(i64::MAX / 100 / 2 * 2);
    assert_eq!(exposure.worst_with(table, [(place(layout, "triple/6"), too_much)].into_iter()), None);
    assert_eq!(exposure.add(table, place(layout, "triple/6"), too_much), Err(Overflow));
    assert_eq!(exposure, before);
    // The stakes alone do not fit.
    exposure.add(table, place(layout, "small"), Cents::new(i64::MAX / 4 * 2)).unwrap();
    let before = exposure.clone();
    assert_eq!(exposure.add(table, place(layout, "small"), Cents::new(i64::MAX / 2 + 1)), Err(Overflow));
    assert_eq!(exposure, before);
    assert_eq!(Overflow.to_string(), "the amount is too large");
}

#[test]
fn a_return_that_overflows_on_one_outcome_only_changes_no_outcome() {
    let layout = layout("rws-sicbo", "a");
    let table = layout.table();
    let mut exposure = Exposure::new(216);
    // 4-4-4 is nearly full through the triple; a single on 4 overflows there and nowhere else.
    let stake = Cents::new(i64::MAX / 200 / 2 * 2);
    exposure.add(table, place(layout, "triple/4"), stake).unwrap();
    let before = exposure.clone();
    assert_eq!(exposure.add(table, place(layout, "single/4"), stake), Err(Overflow));
    assert_eq!(exposure, before);
}
