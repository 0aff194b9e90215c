//! What holds in a whole document at once.

use std::collections::{BTreeMap, BTreeSet};

use rulebook::{Colour, Layout, Mark, Odds, Pocket};

use crate::naive::{LAYOUTS, Prose};
use crate::support::{layout, lit, name, rulebook};

fn dice_layouts() -> impl Iterator<Item = (&'static str, &'static str)> {
    LAYOUTS.into_iter().filter(|(_, _, prose)| *prose != Prose::TripleZero).map(|(game, id, _)| (game, id))
}

/// The whole table as texts.
fn rows(game: &str, layout: &Layout) -> BTreeMap<String, Vec<Option<String>>> {
    let row = |spot| {
        let outcomes = rulebook(game).outcomes().indices();
        outcomes.map(|outcome| layout.table().odds(spot, outcome).map(|odds: Odds| odds.to_string())).collect()
    };
    layout.table().indices().map(|spot| (name(layout, spot), row(spot))).collect()
}

fn texts(pockets: impl IntoIterator<Item = Pocket>) -> Vec<String> {
    pockets.into_iter().map(|pocket| pocket.to_string()).collect()
}

#[test]
fn rws_sicbo_3_9_on_a_triple_only_these_can_win() {
    for (game, id) in dice_layouts() {
        for n in 1..=6 {
            let mut expected =
                vec![format!("triple/{n}"), "triple/any".to_owned(), format!("double/{n}"), format!("single/{n}")];
            // The totals 6, 9, 12 and 15; 3 and 18 are no spots.
            if (2..=5).contains(&n) {
                expected.push(format!("total/{}", 3 * n));
            }
            expected.sort();
            assert_eq!(lit(game, id, &format!("{n}-{n}-{n}")), expected, "{game} {id}");
        }
    }
}

#[test]
fn on_every_other_outcome_either_small_or_big_wins() {
    for (game, id) in dice_layouts() {
        for outcome in rulebook(game).outcomes().all().map(|outcome| outcome.to_string()) {
            let winners = lit(game, id, &outcome);
            let wins = |spot: &str| winners.iter().any(|winner| winner == spot);
            let triple = wins("triple/any");
            assert_eq!(wins("small") ^ wins("big"), !triple, "{game} {id} on {outcome}");
            if layout(game, id).find("odd").is_ok() {
                assert_eq!(wins("odd") ^ wins("even"), !triple, "{game} {id} on {outcome}");
            }
        }
    }
}

#[test]
fn d10_a_single_is_paid_once_by_how_many_dice_show_it() {
    for (game, id) in dice_layouts() {
        let layout = layout(game, id);
        let check = |outcome: &str, expected: Option<&str>| {
            let odds = layout.table().odds(layout.find("single/2").unwrap(), crate::support::outcome(game, outcome));
            assert_eq!(odds.map(|odds| odds.to_string()).as_deref(), expected, "{game} {id} on {outcome}");
        };
        check("1-3-4", None);
        check("2-3-4", Some("1"));
        check("2-3-2", Some("2"));
        check("2-2-2", Some("12"));
    }
}

#[test]
fn d10_a_four_number_bet_needs_three_different_numbers() {
    let wins = |outcome: &str| lit("rws-sicbo", "a", outcome).contains(&"four/1-2-3-4".to_owned());
    assert!(wins("1-2-4") && wins("4-3-2"));
    assert!(!wins("1-1-2") && !wins("3-3-3") && !wins("1-2-5"));
}

#[test]
fn there_are_28_pairs_without_1_1_2_and_6_6_5() {
    for (game, id) in [("rws-sicbo", "b"), ("rws-sicbo", "c"), ("rws-sicbo-open", "b"), ("mbs-sicbo", "rapid")] {
        let layout = layout(game, id);
        let pairs: BTreeSet<String> =
            layout.table().indices().map(|spot| name(layout, spot)).filter(|spot| spot.starts_with("pair/")).collect();
        assert_eq!(pairs.len(), 28, "{game} {id}");
        assert!(!pairs.contains("pair/1-1-2") && !pairs.contains("pair/6-6-5"), "{game} {id}");
        assert!(pairs.contains("pair/2-2-1") && pairs.contains("pair/5-5-6"), "{game} {id}");
    }
}

#[test]
fn sic_bo_and_sic_bo_open_cover_have_the_same_tables() {
    for id in ["a", "b", "c"] {
        assert_eq!(layout("rws-sicbo", id).table(), layout("rws-sicbo-open", id).table(), "layout {id}");
    }
}

#[test]
fn mbs_rapid_is_pay_table_2() {
    let pay_table_2 = rows("rws-sicbo", layout("rws-sicbo", "b"));
    assert_eq!(rows("mbs-sicbo", layout("mbs-sicbo", "rapid")), pay_table_2);
}

#[test]
fn mbs_alfastreet_is_part_of_pay_table_2_and_tai_sai_part_of_pay_table_3() {
    let check = |part: (&str, &str), whole: (&str, &str)| {
        let whole = rows(whole.0, layout(whole.0, whole.1));
        for (spot, row) in rows(part.0, layout(part.0, part.1)) {
            assert_eq!(Some(&row), whole.get(&spot), "{part:?} {spot}");
        }
    };
    check(("mbs-sicbo", "alfastreet"), ("mbs-sicbo", "rapid"));
    check(("rws-sicbo", "a"), ("rws-sicbo", "b"));
    check(("rws-taisai", "a"), ("rws-sicbo", "c"));
}

#[test]
fn roulette_3_8_on_a_zero_only_bets_that_name_it_win() {
    let check = |zero: &str, expected: &str| {
        let mut expected: Vec<&str> = expected.split(' ').collect();
        expected.sort_unstable();
        assert_eq!(lit("rws-roulette-000", "a", zero), expected, "on {zero}");
    };
    check("0", "straight/0 split/0-00 split/0-1 split/0-2 split/0-000 street/0-1-2 street/0-00-2 green topline");
    check("00", "straight/00 split/0-00 split/00-2 split/00-3 split/00-000 street/0-00-2 street/00-2-3 green topline");
    check("000", "straight/000 split/0-000 split/00-000 green topline");
}

#[test]
fn the_wheel_has_every_pocket_once_and_18_red_18_black_3_green() {
    let wheel = rulebook("rws-roulette-000").outcomes().wheel().expect("a wheel");
    assert_eq!(
        texts(wheel.order().iter().copied()).join(" "),
        "0 000 00 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
    );
    let order: BTreeSet<Pocket> = wheel.order().iter().copied().collect();
    assert_eq!(order, wheel.pockets().collect());
    assert_eq!((order.len(), wheel.order().len()), (39, 39));
    let coloured = |colour| texts(wheel.pockets().filter(move |pocket| wheel.colour(*pocket) == colour));
    assert_eq!(coloured(Colour::Green).join(" "), "0 00 000");
    assert_eq!(coloured(Colour::Red).join(" "), "1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36");
    assert_eq!(coloured(Colour::Black).len(), 18);
    assert_eq!(wheel.mark().map(Mark::to_string).as_deref(), Some("assumed, D3"));
}

/// The pockets that a multi-piece bet covers, once for each of its spots.
fn covered(bet: &str) -> Vec<String> {
    let (_, pieces) = rulebook("rws-roulette-000").expand(bet).unwrap();
    let numbers = |spot: String| spot.split_once('/').unwrap().1.split('-').map(str::to_owned).collect::<Vec<_>>();
    pieces.iter().flat_map(|piece| numbers(piece.spot.to_string())).collect()
}

#[test]
fn d3_tiers_orphelins_and_grandseries_cover_every_pocket_once() {
    let (tiers, orphelins, series) = (covered("tiers"), covered("orphelins"), covered("grandseries"));
    // 17 stands on two of the orphelins' splits.
    let orphelins: BTreeSet<String> = orphelins.into_iter().collect();
    assert_eq!((tiers.len(), orphelins.len(), series.len()), (12, 8, 19));
    let mut all: Vec<String> = tiers.into_iter().chain(orphelins).chain(series).collect();
    all.sort();
    let mut pockets = Prose::TripleZero.outcomes();
    pockets.sort();
    assert_eq!(all, pockets);
}

#[test]
fn d3_each_series_is_an_arc_of_the_wheel_and_zerospiel_runs_from_12_to_15() {
    let order = texts(rulebook("rws-roulette-000").outcomes().wheel().unwrap().order().iter().copied());
    let arc = |from: &str, to: &str| {
        let start = order.iter().position(|pocket| pocket == from).unwrap();
        let around = order.iter().cycle().skip(start).take(order.len());
        let mut arc: BTreeSet<String> = around.clone().take_while(|pocket| *pocket != to).cloned().collect();
        arc.insert(to.to_owned());
        arc
    };
    let check = |bet: &str, from: &str, to: &str| {
        assert_eq!(covered(bet).into_iter().collect::<BTreeSet<_>>(), arc(from, to), "{bet}");
    };
    check("zerospiel", "12", "15");
    check("grandseries", "22", "25");
    check("tiers", "27", "33");
    let orphelins: BTreeSet<String> = arc("17", "6").into_iter().chain(arc("1", "9")).collect();
    assert_eq!(covered("orphelins").into_iter().collect::<BTreeSet<_>>(), orphelins);
}

#[test]
fn columns_dozens_colours_parity_and_halves_each_part_the_36_numbers() {
    let groups = ["column/1 column/2 column/3", "dozen/1 dozen/2 dozen/3", "red black", "odd even", "low high"]
        .map(|group| group.split(' '));
    for number in 1..=36 {
        let winners = lit("rws-roulette-000", "a", &number.to_string());
        for group in groups.clone() {
            assert_eq!(group.filter(|spot| winners.contains(&(*spot).to_owned())).count(), 1, "on {number}");
        }
    }
}

#[test]
fn what_no_document_says_outright_is_marked() {
    let check = |mark: Option<&Mark>, expected: &str| assert_eq!(mark.map(Mark::to_string).as_deref(), Some(expected));
    let tai_sai = layout("rws-taisai", "a");
    for spot in tai_sai.table().spots() {
        match spot.spot.to_string().starts_with("double/") {
            true => check(spot.mark.as_ref(), "inferred, D1"),
            false => assert_eq!(spot.mark, None, "{}", spot.spot),
        }
    }
    let bet = |id: &str| rulebook("rws-roulette-000").multi_piece().iter().find(|bet| bet.id == id).unwrap();
    check(bet("finale").mark.as_ref(), "assumed, D2");
    check(bet("neighbours").mark.as_ref(), "assumed, D3");
}
