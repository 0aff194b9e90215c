//! Settlement of both Sic Bo games at Resorts World: the pay table of each terminal's own layout (3.8, 3.9, 4.1).

use crate::common::*;
use floor::*;
use rulebook::Cents;

/// A spot, a result, and what ten dollars on it win, in cents; a loser loses its stake.
type Case = (&'static str, &'static str, i64);

const LOST: i64 = -1_000;

/// What every pay table has in common.
const EVERYWHERE: [Case; 15] = [
    ("small", "1-2-4", 1_000),
    ("small", "2-2-2", LOST),
    ("small", "6-5-4", LOST),
    ("big", "6-5-4", 1_000),
    ("big", "5-5-5", LOST),
    ("even", "1-1-2", 1_000),
    ("even", "2-2-2", LOST),
    ("odd", "1-2-4", 1_000),
    ("odd", "3-3-3", LOST),
    ("single/2", "2-3-4", 1_000),
    ("single/2", "2-2-4", 2_000),
    ("single/2", "2-2-2", 12_000),
    ("single/2", "1-3-4", LOST),
    ("domino/1-2", "2-4-1", 6_000),
    ("domino/1-2", "2-2-4", LOST),
];

/// Pay Tables 1 and 2.
const HIGHER: [Case; 12] = [
    ("total/4", "1-1-2", 64_000),
    ("total/16", "6-6-4", 32_000),
    ("total/6", "1-1-4", 19_000),
    ("total/14", "6-4-4", 12_000),
    ("total/8", "2-2-4", 8_500),
    ("total/12", "3-4-5", 7_000),
    ("total/10", "1-3-6", 6_500),
    ("four/1-2-3-4", "1-2-4", 7_500),
    ("four/1-2-3-4", "1-1-4", LOST),
    ("double/2", "2-2-4", 11_500),
    ("triple/any", "4-4-4", 32_000),
    ("triple/4", "4-4-4", 195_000),
];

/// Pay Table 3.
const LOWER: [Case; 12] = [
    ("total/17", "6-6-5", 62_000),
    ("total/5", "1-1-3", 31_000),
    ("total/15", "6-6-3", 18_000),
    ("total/7", "1-2-4", 12_000),
    ("total/13", "6-6-1", 8_000),
    ("total/9", "1-2-6", 7_000),
    ("total/11", "1-4-6", 6_000),
    ("four/3-4-5-6", "6-3-5", 7_000),
    ("four/3-4-5-6", "6-6-5", LOST),
    ("double/2", "2-2-4", 11_000),
    ("triple/any", "4-4-4", 31_000),
    ("triple/4", "4-4-4", 180_000),
];

/// Only on the layouts of Appendices B and C.
const COMBINATIONS: [Case; 5] = [
    ("three/1-2-4", "4-1-2", 30_000),
    ("three/1-2-4", "1-2-5", LOST),
    ("pair/2-2-4", "4-2-2", 50_000),
    ("pair/2-2-4", "4-4-2", LOST),
    ("pair/1-1-3", "1-1-1", LOST),
];

/// Each case is a round of its own at a terminal with that layout.
#[track_caller]
fn settles(game: &str, layout: &str, tables: &[&[Case]]) {
    let mut house = House::with(game);
    let terminal = house.enrol(TABLE, "standard", layout);
    house.cash_in(terminal, dollars(1_000));
    for (spot, result, wins) in tables.iter().flat_map(|table| table.iter()) {
        let before = house.credit(terminal);
        house.open();
        house.bet(terminal, &[&format!("{spot}=10.00")]);
        house.finish(result);
        assert_eq!(house.credit(terminal).get() - before.get(), *wins, "{game} {layout}: {spot} on {result}");
    }
}

#[test]
fn rws_sicbo_4_1_1_terminals_with_layout_a_are_paid_by_pay_table_1() {
    settles("rws-sicbo", "a", &[&EVERYWHERE, &HIGHER]);
}

#[test]
fn rws_sicbo_open_4_1_1_terminals_with_layout_a_are_paid_by_pay_table_1() {
    settles("rws-sicbo-open", "a", &[&EVERYWHERE, &HIGHER]);
}

#[test]
fn rws_sicbo_4_1_2_terminals_with_layout_b_are_paid_by_pay_table_2() {
    settles("rws-sicbo", "b", &[&EVERYWHERE, &HIGHER, &COMBINATIONS]);
}

#[test]
fn rws_sicbo_open_4_1_2_terminals_with_layout_b_are_paid_by_pay_table_2() {
    settles("rws-sicbo-open", "b", &[&EVERYWHERE, &HIGHER, &COMBINATIONS]);
}

#[test]
fn rws_sicbo_4_1_3_terminals_with_layout_c_are_paid_by_pay_table_3() {
    settles("rws-sicbo", "c", &[&EVERYWHERE, &LOWER, &COMBINATIONS]);
}

#[test]
fn rws_sicbo_open_4_1_3_terminals_with_layout_c_are_paid_by_pay_table_3() {
    settles("rws-sicbo-open", "c", &[&EVERYWHERE, &LOWER, &COMBINATIONS]);
}

/// One tumbler and one result; each terminal is settled by the table of its own layout, also when put right.
#[track_caller]
fn layouts_at_one_table(game: &str) {
    let mut house = House::with(game);
    let terminals = ["a", "b", "c"].map(|layout| house.enrol(TABLE, "standard", layout));
    terminals.iter().for_each(|terminal| house.cash_in(*terminal, dollars(1_000)));
    let round = house.open();
    for terminal in terminals {
        house.bet(terminal, &["double/2=10.00", "total/8=10.00", "triple/6=2.00"]);
    }
    let [a, b, c] = terminals;
    house.bet(b, &["pair/2-2-4=2.00"]);
    house.bet(c, &["pair/2-2-4=2.00"]);
    house.finish("2-4-2");
    let credits = |house: &House| terminals.map(|terminal| house.credit(terminal));
    assert_eq!(credits(&house), [1_198, 1_298, 1_288].map(dollars));
    house.correct(round, "6-6-6");
    assert_eq!(credits(&house), [1_370, 1_368, 1_338].map(dollars));
    // A spot of another layout is none of this one.
    house.open();
    let pair = BetChange::Add { spot: house.spot(b, "pair/6-6-4"), amount: dollars(1) };
    assert_eq!(house.terminal_refused(a, Body::Bet { changes: [pair].into() }, Code::NotOffered), "4.1.1");
}

#[test]
fn rws_sicbo_3_8_each_terminal_at_a_table_is_settled_by_the_table_of_its_own_layout() {
    layouts_at_one_table("rws-sicbo");
}

#[test]
fn rws_sicbo_open_3_8_each_terminal_at_a_table_is_settled_by_the_table_of_its_own_layout() {
    layouts_at_one_table("rws-sicbo-open");
}

/// Every spot of the largest layout has its bet; on a triple these return, and nothing else does.
#[track_caller]
fn only_these_win_on(game: &str, triple: &str, returns: i64) {
    let mut house = House::with(game);
    let terminal = house.enrol(TABLE, "standard", "b");
    house.cash_in(terminal, dollars(1_000));
    let spots = house.rulebook(TABLE).layout("b").unwrap().table().spots().to_vec();
    let bets: Vec<String> = spots.iter().map(|priced| format!("{}=1.00", priced.spot)).collect();
    house.open();
    house.bet(terminal, &bets.iter().map(String::as_str).collect::<Vec<_>>());
    house.finish(triple);
    let returned = house.floor.terminal_view(terminal).unwrap().last.unwrap().returned;
    assert_eq!(returned, Cents::new(returns), "{game} {triple}");
}

/// Specific triple, any triple, double and single dice; then the total where it is a spot.
const ON_A_TRIPLE: i64 = 19_600 + 3_300 + 1_250 + 1_300;

#[test]
fn rws_sicbo_3_9_on_a_triple_nothing_else_wins() {
    for (triple, total) in
        [("1-1-1", 0), ("2-2-2", 2_000), ("3-3-3", 800), ("4-4-4", 800), ("5-5-5", 2_000), ("6-6-6", 0)]
    {
        only_these_win_on("rws-sicbo", triple, ON_A_TRIPLE + total);
    }
}

#[test]
fn rws_sicbo_open_3_9_on_a_triple_nothing_else_wins() {
    for (triple, total) in
        [("1-1-1", 0), ("2-2-2", 2_000), ("3-3-3", 800), ("4-4-4", 800), ("5-5-5", 2_000), ("6-6-6", 0)]
    {
        only_these_win_on("rws-sicbo-open", triple, ON_A_TRIPLE + total);
    }
}

#[track_caller]
fn pays(game: &str, cases: &[Case]) {
    settles(game, "a", &[cases]);
}

#[test]
fn rws_sicbo_3_9_1_the_specific_triple_wins() {
    pays("rws-sicbo", &[("triple/5", "5-5-5", 195_000), ("triple/5", "5-5-6", LOST), ("triple/5", "6-6-6", LOST)]);
}

#[test]
fn rws_sicbo_open_3_9_1_the_specific_triple_wins() {
    pays("rws-sicbo-open", &[("triple/5", "5-5-5", 195_000), ("triple/5", "5-5-6", LOST), ("triple/5", "6-6-6", LOST)]);
}

#[test]
fn rws_sicbo_3_9_2_any_triple_wins_on_each_of_them() {
    pays(
        "rws-sicbo",
        &[("triple/any", "1-1-1", 32_000), ("triple/any", "6-6-6", 32_000), ("triple/any", "6-6-5", LOST)],
    );
}

#[test]
fn rws_sicbo_open_3_9_2_any_triple_wins_on_each_of_them() {
    pays("rws-sicbo-open", &[("triple/any", "1-1-1", 32_000), ("triple/any", "6-6-5", LOST)]);
}

#[test]
fn rws_sicbo_3_9_3_the_double_wins_on_its_triple_as_on_a_pair() {
    pays("rws-sicbo", &[("double/5", "5-5-5", 11_500), ("double/5", "5-5-1", 11_500), ("double/5", "1-1-1", LOST)]);
}

#[test]
fn rws_sicbo_open_3_9_3_the_double_wins_on_its_triple_as_on_a_pair() {
    pays("rws-sicbo-open", &[("double/5", "5-5-5", 11_500), ("double/5", "1-1-1", LOST)]);
}

#[test]
fn rws_sicbo_3_9_4_the_single_dice_bet_is_paid_once_for_three_dice() {
    pays("rws-sicbo", &[("single/5", "5-5-5", 12_000), ("single/5", "1-1-1", LOST)]);
}

#[test]
fn rws_sicbo_open_3_9_4_the_single_dice_bet_is_paid_once_for_three_dice() {
    pays("rws-sicbo-open", &[("single/5", "5-5-5", 12_000), ("single/5", "1-1-1", LOST)]);
}

const TOTALS_OF_TRIPLES: [Case; 5] = [
    ("total/6", "2-2-2", 19_000),
    ("total/9", "3-3-3", 7_000),
    ("total/12", "4-4-4", 7_000),
    ("total/15", "5-5-5", 19_000),
    ("total/4", "1-1-1", LOST),
];

#[test]
fn rws_sicbo_3_9_5_the_totals_6_9_12_and_15_win_on_their_triples() {
    pays("rws-sicbo", &TOTALS_OF_TRIPLES);
}

#[test]
fn rws_sicbo_open_3_9_5_the_totals_6_9_12_and_15_win_on_their_triples() {
    pays("rws-sicbo-open", &TOTALS_OF_TRIPLES);
}

/// The spots of a layout, and some that it does not have: a terminal takes bets on all of these and on none of those.
#[track_caller]
fn offers(game: &str, layout: &str, spots: usize, not_offered: &[&str], paragraph: &str) {
    let mut house = House::with(game);
    let terminal = house.enrol(TABLE, "standard", layout);
    house.cash_in(terminal, dollars(1_000));
    let priced = house.rulebook(TABLE).layout(layout).unwrap().table().spots().to_vec();
    assert_eq!(priced.len(), spots);
    house.open();
    for spot in &priced {
        house.bet(terminal, &[&format!("{}=1.00", spot.spot)]);
    }
    assert_eq!(house.standing(terminal).len(), spots);
    for spot in not_offered {
        let refusal = house.rulebook(TABLE).layout(layout).unwrap().find(spot).unwrap_err();
        assert_eq!(refusal.paragraph().map(rulebook::Citation::as_str), Some(paragraph), "{spot}");
    }
}

#[test]
fn rws_sicbo_appendix_a_the_layout_has_56_spots() {
    offers("rws-sicbo", "a", 56, &["three/1-2-3", "pair/1-1-3"], "4.1.1");
}

#[test]
fn rws_sicbo_appendix_b_the_layout_has_104_spots() {
    offers("rws-sicbo", "b", 104, &[], "4.1.2");
}

#[test]
fn rws_sicbo_appendix_c_the_layout_has_104_spots() {
    offers("rws-sicbo", "c", 104, &[], "4.1.3");
}

#[test]
fn rws_sicbo_open_appendix_a_the_layout_has_56_spots() {
    offers("rws-sicbo-open", "a", 56, &["three/1-2-3", "pair/1-1-3"], "4.1.1");
}

#[test]
fn rws_sicbo_open_appendix_b_the_layout_has_104_spots() {
    offers("rws-sicbo-open", "b", 104, &[], "4.1.2");
}

#[test]
fn rws_sicbo_open_appendix_c_the_layout_has_104_spots() {
    offers("rws-sicbo-open", "c", 104, &[], "4.1.3");
}
