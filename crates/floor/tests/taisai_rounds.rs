//! Tai Sai: how a round goes, what wins and what it pays (1.5, 1.7–1.9, 2.2.1, 3.7–3.10, 4.1, Appendices A and B).

use std::collections::{BTreeMap, BTreeSet};

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::Rank;

/// What 25.00 on every spot of the layout gets back on an outcome, for the spots that win.
fn winners(outcome: &str) -> BTreeMap<String, i64> {
    let mut house = House::live();
    house.open();
    let spots: Vec<String> = {
        let pays = house.rulebook(TABLE).layouts()[0].table();
        pays.indices().map(|index| pays.spot(index).unwrap().spot.to_string()).collect()
    };
    for spot in &spots {
        house.place(&[(1, spot, 25)]);
    }
    house.finish(outcome);
    let round = house.floor.table(TABLE).unwrap().archive().next_back().unwrap();
    let pays = house.rulebook(TABLE).layouts()[0].table();
    let won = |share: &ChipShare| {
        assert_eq!(share.at_risk, dollars(25), "within the limits everything is at risk");
        let name = pays.spot(share.spot).unwrap().spot.to_string();
        share.returned.is_positive().then(|| (name, whole(share.returned)))
    };
    round.shares().iter().filter_map(won).collect()
}

/// The spots that win on an outcome.
fn won(outcome: &str) -> BTreeSet<String> {
    winners(outcome).into_keys().collect()
}

fn triples() -> impl Iterator<Item = (u8, String)> {
    (1..=6).map(|face| (face, format!("{face}-{face}-{face}")))
}

#[test]
fn rws_taisai_1_5_whoever_is_assigned_to_a_position_may_do_its_work() {
    let mut house = House::live();
    let open = Body::open_bets(TABLE);
    assert_eq!(house.refused(Sender::Staff(CASHIER), open.clone(), Code::Rank), "D11");
    let acting =
        Body::AssignActing { staff: CASHIER, post: Some(Post::Pit(Rank::Dealer)), witness: Some(SECOND_ADMINISTRATOR) };
    let events = house.staff(MANAGER, acting);
    assert!(matches!(events[..], [Event::ActingAssigned { staff: CASHIER, by: Some(MANAGER), .. }]), "recorded");
    house.staff(CASHIER, Body::TakeTable { table: TABLE });
    house.staff(CASHIER, open);
    house.staff(MANAGER, Body::AssignActing { staff: CASHIER, post: None, witness: Some(SECOND_ADMINISTRATOR) });
    house.refused(Sender::Staff(CASHIER), Body::CloseBets { table: TABLE }, Code::Rank);
    // A dealer acting as a Pit Manager may name affected rounds; assigned by a person of at least that rank.
    let acting = Body::AssignActing {
        staff: SECOND_DEALER,
        post: Some(Post::Pit(Rank::PitManager)),
        witness: Some(SECOND_ADMINISTRATOR),
    };
    house.refused(Sender::Staff(SUPERVISOR), acting.clone(), Code::Rank);
    house.staff(SHIFT_MANAGER, acting);
    house.staff(SECOND_DEALER, Body::AnnounceClosing { table: TABLE });
}

#[test]
fn rws_taisai_1_7_a_round_runs_from_the_call_until_everybody_is_settled() {
    let mut house = House::live();
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
    assert_eq!(house.refused(Sender::Staff(DEALER), Body::BeginRound { table: TABLE }, Code::Phase), "1.7");
    house.open();
    house.place(&[(1, "big", 100)]);
    assert_eq!(house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::Phase), "1.7");
    house.finish("6-5-4");
    assert!(house.floor.table(TABLE).unwrap().round().is_none(), "settled, and over");
    house.open();
}

#[test]
fn rws_taisai_1_8_the_total_is_what_the_uppermost_faces_add_up_to() {
    for (outcome, total) in [("1-1-2", 4), ("2-3-4", 9), ("4-3-2", 9), ("6-6-5", 17), ("1-4-6", 11)] {
        let totals: Vec<String> = won(outcome).into_iter().filter(|spot| spot.starts_with("total")).collect();
        assert_eq!(totals, [format!("total/{total}")], "{outcome}");
    }
}

#[test]
fn rws_taisai_1_9_a_void_round_has_no_result() {
    let mut house = House::live();
    house.deal(&[], "6-5-4");
    house.open();
    house.place(&[(1, "big", 100)]);
    house.staff(DEALER, Body::declare_ground(TABLE, rulebook::GroundId::DiceDamaged));
    let shown = house.floor.display_view(TABLE).unwrap();
    assert_eq!(shown.table.history, [house.outcome(TABLE, "6-5-4")], "it enters no history");
    assert_eq!(shown.table.last_round.unwrap().1, None, "it shows as void");
    assert!(shown.lit.is_empty());
    let pit = house.floor.pit_view();
    assert_eq!(pit.tables[0].rounds, (1, 1));
    assert_eq!(whole(pit.tables[0].turnover), 0, "nor the figures");
}

#[test]
fn rws_taisai_2_2_1_three_dice_of_six_faces() {
    let house = House::live();
    let outcomes = house.rulebook(TABLE).outcomes();
    assert_eq!(outcomes.size(), 6 * 6 * 6);
    for wrong in ["1-2", "1-2-7", "0-1-2", "1-2-3-4", "17"] {
        assert!(outcomes.parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn rws_taisai_3_7_the_tumble_is_covered_and_at_least_three() {
    let mut house = House::live();
    // A tumble before the round does not count for it.
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 5 });
    house.open();
    assert!(!house.floor.table(TABLE).unwrap().round().unwrap().seen().set_off);
    // Before the close or after it, both are accepted (D4).
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.close();
    house.device(Observation::Uncovered);
    house.enter("1-2-3");
    house.confirm();
    house.open();
    house.close();
    house.device(Observation::Activated);
    let events = house.device(Observation::Tumbled { times: 2 });
    assert!(matches!(events[1], Event::GroundRaised { ground: rulebook::GroundId::TooFewTumbles, .. }));
    // A repeated tumble never cures one that was too short.
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 9 });
    let outcome = house.outcome(TABLE, "1-2-3");
    let rule = house.refused(Sender::Staff(DEALER), Body::enter_result(TABLE, outcome), Code::GroundOpen);
    assert_eq!(rule, "5.5.1");
}

#[test]
fn rws_taisai_3_8_the_uppermost_faces_decide_once_bets_are_closed() {
    let mut house = House::live();
    house.open();
    let outcome = house.outcome(TABLE, "3-1-2");
    let enter = Body::enter_result(TABLE, outcome);
    house.refused(Sender::Staff(DEALER), enter.clone(), Code::Phase);
    house.close();
    house.play_device();
    // A die that is not flat is no result.
    house.device(Observation::NotFlat);
    assert_eq!(house.refused(Sender::Staff(DEALER), enter.clone(), Code::GroundOpen), "5.5.2");
    house.staff(DEALER, Body::DismissGround { table: TABLE, reason: "it lies flat".to_owned(), witness: None });
    house.staff(DEALER, enter);
    // What the device reads is compared with the entry and decides nothing.
    house.confirm();
    house.open();
    house.close();
    house.play_device();
    let read = ["6", "5", "4"].map(|face| face.parse::<u8>().ok().and_then(rulebook::Face::new));
    house.device(Observation::DiceRead { dice: read });
    let events = house.staff(DEALER, Body::enter_result(TABLE, outcome));
    assert!(matches!(events[0], Event::AlertRaised { what: AlertKind::DeviceDisagrees(_), .. }), "{events:?}");
}

#[test]
fn rws_taisai_3_9_losing_bets_are_collected_and_winning_bets_paid() {
    let mut house = House::live();
    let (tray, chips) = (house.tray(), house.chips_out());
    house.deal(&[(1, "small", 100), (2, "single/4", 50), (3, "domino/4-6", 25)], "6-5-4");
    // 100 collected; 50 and 50, 25 and 150 go out.
    assert_eq!(house.shares(), [(1, 100, 0), (2, 50, 100), (3, 25, 175)]);
    assert_eq!(house.tray(), tray - 100);
    assert_eq!(house.chips_out(), chips + 100);
    assert_eq!(whole(house.floor.table(TABLE).unwrap().house_win()), -100);
}

#[test]
fn rws_taisai_3_10_on_a_triple_only_these_bets_win() {
    for (face, outcome) in triples() {
        let mut allowed: BTreeSet<String> =
            ["single", "double", "triple"].map(|family| format!("{family}/{face}")).into();
        allowed.insert("triple/any".to_owned());
        let total = 3 * face;
        if [6, 9, 12, 15].contains(&total) {
            allowed.insert(format!("total/{total}"));
        }
        assert_eq!(won(&outcome), allowed, "{outcome}");
    }
}

#[test]
fn rws_taisai_3_10_1_the_specific_triple_wins() {
    for (face, outcome) in triples() {
        assert_eq!(winners(&outcome)[&format!("triple/{face}")], 25 * 181);
    }
    assert!(won("4-4-5").iter().all(|spot| !spot.starts_with("triple")));
}

#[test]
fn rws_taisai_3_10_2_any_triple_wins() {
    for (_, outcome) in triples() {
        assert_eq!(winners(&outcome)["triple/any"], 25 * 32);
    }
}

#[test]
fn rws_taisai_3_10_3_the_double_wins_on_a_triple() {
    for (face, outcome) in triples() {
        assert_eq!(winners(&outcome)[&format!("double/{face}")], 25 * 12, "as on two dice");
    }
}

#[test]
fn rws_taisai_3_10_4_the_single_wins_twelve_to_one_on_a_triple() {
    for (face, outcome) in triples() {
        assert_eq!(winners(&outcome)[&format!("single/{face}")], 25 * 13);
    }
}

#[test]
fn rws_taisai_3_10_5_the_totals_6_9_12_and_15_win_on_a_triple() {
    let paid = [("2-2-2", "total/6", 19), ("3-3-3", "total/9", 8), ("4-4-4", "total/12", 8), ("5-5-5", "total/15", 19)];
    for (outcome, total, times) in paid {
        assert_eq!(winners(outcome)[total], 25 * times, "{outcome}");
    }
    for outcome in ["1-1-1", "6-6-6"] {
        assert!(won(outcome).iter().all(|spot| !spot.starts_with("total")), "3 and 18 are no bets");
    }
}

#[test]
fn rws_taisai_4_1_the_odds_of_each_winning_bet() {
    let check = |outcome: &str, odds: &[(&str, i64)]| {
        let expected: BTreeMap<String, i64> =
            odds.iter().map(|(spot, to_one)| ((*spot).to_owned(), 25 * (to_one + 1))).collect();
        assert_eq!(winners(outcome), expected, "{outcome}");
    };
    check(
        "1-1-2",
        &[("small", 1), ("single/1", 2), ("single/2", 1), ("double/1", 11), ("total/4", 62), ("domino/1-2", 6)],
    );
    check(
        "6-6-5",
        &[("big", 1), ("single/6", 2), ("single/5", 1), ("double/6", 11), ("total/17", 62), ("domino/5-6", 6)],
    );
    check(
        "2-2-1",
        &[("small", 1), ("single/2", 2), ("single/1", 1), ("double/2", 11), ("total/5", 31), ("domino/1-2", 6)],
    );
    let plain = |outcome: &str, side: &str, total: &str, pays: i64| {
        let dice: Vec<&str> = outcome.split('-').collect();
        let singles: Vec<String> = dice.iter().map(|face| format!("single/{face}")).collect();
        let pairs = [[0, 1], [0, 2], [1, 2]].map(|[a, b]| format!("domino/{}-{}", dice[a], dice[b]));
        let mut odds = vec![(side, 1), (total, pays)];
        odds.extend(singles.iter().map(|spot| (spot.as_str(), 1)));
        odds.extend(pairs.iter().map(|spot| (spot.as_str(), 6)));
        check(outcome, &odds);
    };
    plain("1-2-3", "small", "total/6", 18);
    plain("1-2-4", "small", "total/7", 12);
    plain("1-2-5", "small", "total/8", 8);
    plain("2-3-4", "small", "total/9", 7);
    plain("1-3-6", "small", "total/10", 6);
    plain("1-4-6", "big", "total/11", 6);
    plain("3-4-5", "big", "total/12", 7);
    plain("2-5-6", "big", "total/13", 8);
    plain("3-5-6", "big", "total/14", 12);
    plain("4-5-6", "big", "total/15", 18);
    check(
        "5-5-6",
        &[("big", 1), ("single/5", 2), ("single/6", 1), ("double/5", 11), ("total/16", 31), ("domino/5-6", 6)],
    );
}

#[test]
fn rws_taisai_appendix_a_the_layout_has_fifty_spots_each_in_one_place() {
    let house = House::live();
    let layout = &house.rulebook(TABLE).layouts()[0];
    assert_eq!((layout.id(), layout.paragraph().as_str()), ("a", "Appendix A"));
    let drawn: Vec<String> =
        layout.areas().iter().flat_map(|area| area.rows.iter().flatten().flatten()).map(ToString::to_string).collect();
    let unique: BTreeSet<&String> = drawn.iter().collect();
    assert_eq!((drawn.len(), unique.len(), layout.table().indices().count()), (50, 50, 50));
    assert_eq!(house.rulebook(TABLE).layouts().len(), 1);
}

#[test]
fn rws_taisai_appendix_b_chips_stand_on_any_spot_of_the_layout_and_nowhere_between() {
    let mut house = House::live();
    house.open();
    for spot in ["big", "small", "single/3", "double/2", "triple/6", "triple/any", "total/4", "domino/1-6"] {
        house.place(&[(1, spot, 25)]);
        assert_eq!(house.in_box(spot), [(1, 25)]);
    }
    // Every area is one bet: there are no lines or corners as on a wheel's layout.
    assert!(house.rulebook(TABLE).layouts()[0].areas().iter().all(|area| area.place.is_some()));
}
