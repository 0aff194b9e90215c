//! Electronic Sic Bo at Marina Bay Sands: what a bet wins on, what it pays, and which terminal offers it (3.3 to 7).

use crate::common::*;
use floor::*;

const LOST: i64 = -1_000;

/// Ten dollars on a spot, a result, and what they win in cents.
type Case<'a> = (&'a str, &'a str, i64);

/// Each case at the rapid terminal and, where it has the spot, at the Alfastreet terminal in the same round.
#[track_caller]
fn settles(cases: &[Case]) {
    let mut house = House::with("mbs-sicbo");
    let alfastreet = house.enrol(TABLE, "alfastreet", "alfastreet");
    house.cash_in(alfastreet, dollars(1_000));
    for (spot, result, wins) in cases {
        house.open();
        let bet = format!("{spot}=10.00");
        let offered = house.rulebook(TABLE).layout("alfastreet").unwrap().find(spot).is_ok();
        let terminals = if offered { vec![T0, alfastreet] } else { vec![T0] };
        let before: Vec<i64> = terminals.iter().map(|terminal| house.credit(*terminal).get()).collect();
        terminals.iter().for_each(|terminal| drop(house.bet(*terminal, &[&bet])));
        house.finish(result);
        for (terminal, before) in terminals.iter().zip(before) {
            assert_eq!(house.credit(*terminal).get() - before, *wins, "{spot} on {result} at terminal {terminal}");
        }
    }
}

#[test]
fn mbs_sicbo_3_3_1_1_small_wins_on_4_to_10_and_loses_on_any_triple() {
    settles(&[
        ("small", "1-1-2", 1_000),
        ("small", "1-3-6", 1_000),
        ("small", "1-4-6", LOST),
        ("small", "2-2-2", LOST),
    ]);
}

#[test]
fn mbs_sicbo_3_3_2_1_big_wins_on_11_to_17_and_loses_on_any_triple() {
    settles(&[("big", "1-4-6", 1_000), ("big", "5-6-6", 1_000), ("big", "1-3-6", LOST), ("big", "5-5-5", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_3_1_odd_wins_on_odd_totals_and_loses_on_any_triple() {
    settles(&[("odd", "1-1-3", 1_000), ("odd", "6-6-5", 1_000), ("odd", "1-1-2", LOST), ("odd", "3-3-3", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_4_1_even_wins_on_even_totals_and_loses_on_any_triple() {
    settles(&[("even", "1-1-2", 1_000), ("even", "6-6-4", 1_000), ("even", "1-1-3", LOST), ("even", "2-2-2", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_5_1_a_triple_wins_when_all_dice_show_its_number() {
    settles(&[("triple/3", "3-3-3", 195_000), ("triple/3", "3-3-4", LOST), ("triple/3", "4-4-4", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_6_1_a_double_wins_on_two_dice_or_three() {
    settles(&[("double/3", "3-1-3", 11_500), ("double/3", "3-3-3", 11_500), ("double/3", "3-1-2", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_7_1_any_triple_wins_whatever_the_number() {
    settles(&[("triple/any", "1-1-1", 32_000), ("triple/any", "6-6-6", 32_000), ("triple/any", "1-1-2", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_8_1_a_total_wins_in_whatever_way_the_dice_make_it() {
    settles(&[("total/9", "1-2-6", 7_000), ("total/9", "3-3-3", 7_000), ("total/9", "1-2-5", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_9_1_two_dice_win_when_both_show() {
    settles(&[("domino/2-5", "5-1-2", 6_000), ("domino/2-5", "5-2-5", 6_000), ("domino/2-5", "2-2-1", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_10_1_a_number_wins_when_a_die_shows_it() {
    settles(&[("single/4", "4-1-2", 1_000), ("single/4", "4-4-2", 2_000), ("single/4", "1-2-3", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_11_1_three_dice_from_four_win_on_three_different_numbers_of_them() {
    settles(&[("four/2-3-5-6", "6-3-2", 7_500), ("four/2-3-5-6", "6-3-4", LOST), ("four/2-3-5-6", "6-6-2", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_12_1_a_double_with_a_single_wins_when_it_shows() {
    settles(&[("pair/4-4-1", "4-1-4", 50_000), ("pair/4-4-1", "1-1-4", LOST), ("pair/4-4-1", "4-4-4", LOST)]);
}

#[test]
fn mbs_sicbo_3_3_13_1_three_single_dice_win_when_they_show() {
    settles(&[("three/2-4-6", "6-2-4", 30_000), ("three/2-4-6", "6-2-2", LOST)]);
}

#[test]
fn mbs_sicbo_3_5_the_dots_on_the_uppermost_sides_decide_in_any_order() {
    settles(&[("total/7", "1-2-4", 12_000), ("total/7", "4-2-1", 12_000), ("total/7", "2-1-4", 12_000)]);
}

#[test]
fn mbs_sicbo_3_6_a_bet_wins_when_the_dice_match_its_section_and_others_are_collected() {
    let mut house = House::with("mbs-sicbo");
    house.open();
    house.bet(T0, &["small=10.00", "even=20.00", "single/2=30.00"]);
    house.bet(T1, &["big=40.00"]);
    house.finish("1-2-4");
    assert_eq!([house.credit(T0), house.credit(T1)], [1_000 + 10 - 20 + 30, 960].map(dollars));
    assert_eq!(house.floor.table(TABLE).unwrap().house_win(), dollars(20));
}

#[test]
fn mbs_sicbo_4_1_1_named_sections_triples_and_doubles() {
    settles(&[("small", "1-2-4", 1_000), ("big", "6-5-4", 1_000), ("odd", "1-2-4", 1_000), ("even", "1-1-2", 1_000)]);
    settles(&[("triple/6", "6-6-6", 195_000), ("double/6", "6-6-1", 11_500), ("triple/any", "6-6-6", 32_000)]);
}

#[test]
fn mbs_sicbo_4_1_2_three_dice_totals() {
    settles(&[
        ("total/4", "1-1-2", 64_000),
        ("total/17", "6-6-5", 64_000),
        ("total/5", "1-1-3", 32_000),
        ("total/6", "1-1-4", 19_000),
        ("total/7", "1-1-5", 12_000),
        ("total/8", "1-1-6", 8_500),
        ("total/9", "1-2-6", 7_000),
        ("total/10", "1-3-6", 6_500),
        ("total/11", "1-4-6", 6_500),
    ]);
}

#[test]
fn mbs_sicbo_4_1_3_two_dice_combinations() {
    settles(&[("domino/1-6", "1-6-6", 6_000), ("domino/3-4", "2-3-4", 6_000), ("domino/5-6", "5-5-4", LOST)]);
}

#[test]
fn mbs_sicbo_4_1_4_single_dice_by_how_many_show_it() {
    settles(&[("single/1", "1-2-3", 1_000), ("single/1", "1-1-3", 2_000), ("single/1", "1-1-1", 12_000)]);
}

#[test]
fn mbs_sicbo_4_1_5_three_dice_from_four() {
    for four in ["four/1-2-3-4", "four/2-3-4-5", "four/3-4-5-6"] {
        settles(&[(four, "3-4-1", if four == "four/1-2-3-4" { 7_500 } else { LOST })]);
    }
    settles(&[("four/2-3-5-6", "2-5-6", 7_500)]);
}

#[test]
fn mbs_sicbo_4_1_6_doubles_with_a_single() {
    settles(&[("pair/1-1-3", "1-1-3", 50_000), ("pair/6-6-4", "4-6-6", 50_000), ("pair/6-6-4", "6-4-4", LOST)]);
}

#[test]
fn mbs_sicbo_4_1_7_three_single_dice() {
    settles(&[("three/1-2-3", "3-2-1", 30_000), ("three/4-5-6", "4-5-6", 30_000), ("three/4-5-6", "4-5-5", LOST)]);
}

/// Spots that each kind of terminal has, by the lists of the appendices.
const ON_BOTH: [&str; 8] = ["big", "small", "double/2", "triple/2", "triple/any", "total/8", "single/2", "domino/1-2"];
const ON_RAPID_ONLY: [&str; 5] = ["odd", "even", "four/1-2-3-4", "pair/1-1-3", "three/1-2-3"];

#[test]
fn mbs_sicbo_3_3_a_player_bets_on_any_or_all_sections_of_the_terminal() {
    let mut house = House::with("mbs-sicbo");
    house.open();
    let bets: Vec<String> = ON_BOTH.iter().chain(&ON_RAPID_ONLY).map(|spot| format!("{spot}=1.00")).collect();
    house.bet(T0, &bets.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(house.floor.terminal_view(T0).unwrap().bets.len(), 13);
}

#[test]
fn mbs_sicbo_appendix_a_the_rapid_select_terminal_has_all_thirteen_sections() {
    let mut house = House::with("mbs-sicbo");
    let layout = house.rulebook(TABLE).layout("rapid").unwrap().clone();
    assert_eq!(layout.table().spots().len(), 104);
    house.open();
    for priced in layout.table().spots() {
        house.bet(T0, &[&format!("{}=1.00", priced.spot)]);
    }
    assert!(layout.find("pair/1-1-2").is_err() && layout.find("pair/6-6-5").is_err());
}

#[test]
fn mbs_sicbo_appendix_b_the_alfastreet_terminal_has_eight_sections() {
    let mut house = House::with("mbs-sicbo");
    let terminal = house.enrol(TABLE, "alfastreet", "alfastreet");
    house.cash_in(terminal, dollars(100));
    let layout = house.rulebook(TABLE).layout("alfastreet").unwrap().clone();
    assert_eq!(layout.table().spots().len(), 50);
    house.open();
    for spot in ON_BOTH {
        house.bet(terminal, &[&format!("{spot}=1.00")]);
    }
    for spot in ON_RAPID_ONLY {
        let refusal = layout.find(spot).unwrap_err();
        assert_eq!(refusal.paragraph().unwrap().as_str(), "Appendix B", "{spot}");
    }
    // A place of the other layout is none of this one.
    let three = BetChange::Add { spot: house.spot(T0, "three/1-2-3"), amount: dollars(1) };
    let foreign = Body::Bet { changes: [three].into() };
    assert_eq!(house.refused(Sender::Terminal(terminal), foreign, Code::NotOffered), "Appendix B");
}

#[test]
fn mbs_sicbo_7_the_bets_available_are_those_of_the_kind_of_terminal() {
    let mut house = House::with("mbs-sicbo");
    for (kind, layout) in [("rapid", "alfastreet"), ("alfastreet", "rapid"), ("standard", "rapid")] {
        let (name, kind, layout) = ("wrong".to_owned(), kind.to_owned(), layout.to_owned());
        house.refused(Sender::System, Body::EnrolTerminal { table: TABLE, name, kind, layout }, Code::Settings);
    }
    // Both kinds stand at one table, and one result settles both.
    let alfastreet = house.enrol(TABLE, "alfastreet", "alfastreet");
    house.cash_in(alfastreet, dollars(1_000));
    house.open();
    house.bet(T0, &["double/2=10.00", "pair/2-2-4=10.00"]);
    house.bet(alfastreet, &["double/2=10.00"]);
    house.finish("2-2-4");
    assert_eq!([house.credit(T0), house.credit(alfastreet)], [1_615, 1_115].map(dollars));
}

#[test]
fn mbs_sicbo_7_there_are_no_multi_piece_bets() {
    let mut house = House::with("mbs-sicbo");
    house.open();
    let tiers = house.bets(T0, &["tiers=1.00"]);
    assert_eq!(house.refused(Sender::Terminal(T0), tiers, Code::NotOffered), "4.1");
}
