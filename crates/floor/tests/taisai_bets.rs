//! Tai Sai: chips, boxes, the differential, and what becomes of excess (3.2–3.6, 5.1–5.3, 5.7, 5.9, 5.13).

use crate::common::live::whole;
use crate::common::*;
use floor::*;

#[test]
fn rws_taisai_1_3_the_differential_is_how_far_big_and_small_are_apart() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 800), (2, "small", 300)]);
    assert!(house.excess().is_empty(), "800 against 300 is 500 apart, as far as may be");
    house.place(&[(3, "big", 25)]);
    assert_eq!(house.excess(), [("big".to_owned(), 25)]);
    // Nothing else has another side: a box may hold its maximum whatever stands elsewhere.
    house.place(&[(4, "single/6", 1_000)]);
    assert_eq!(house.excess(), [("big".to_owned(), 25)]);
    assert_eq!(house.rulebook(TABLE).limits().differential.len(), 1, "Tai Sai's layout has no Odd and Even");
}

#[test]
fn rws_taisai_2_1_1_bets_stand_only_on_the_layout() {
    let mut house = House::live();
    house.open();
    // A place that only a larger layout has.
    let spot = rulebook::library::find("rws-sicbo").unwrap().layout("b").unwrap().table().indices().last().unwrap();
    let off = Body::PlaceChips { table: TABLE, position: Position(1), spot, amount: dollars(25), for_player: false };
    house.refused(Sender::Staff(DEALER), off, Code::NotOffered);
    for spot in ["odd", "even", "four/1-2-3-4", "three/1-2-3", "pair/1-1-3", "straight/17"] {
        assert!(house.rulebook(TABLE).layouts()[0].find(spot).is_err(), "{spot}");
    }
    // It is played at a table, not at terminals.
    let (name, kind, layout) = ("terminal".to_owned(), "standard".to_owned(), "a".to_owned());
    house.refused(Sender::System, Body::EnrolTerminal { table: TABLE, name, kind, layout }, Code::Settings);
}

#[test]
fn rws_taisai_3_2_betting_starts_with_the_dealers_call() {
    let mut house = House::live();
    let early = house.placing((1, "big", 100));
    house.refused(Sender::Staff(DEALER), early.clone(), Code::Phase);
    house.open();
    let notice = house.floor.table_view(TABLE).unwrap().round.unwrap().notice.unwrap();
    assert_eq!(notice.en, "Place your Bets, please");
    house.staff(DEALER, early);
    assert_eq!(house.in_box("big"), [(1, 100)]);
}

#[test]
fn rws_taisai_3_3_minimum_maximum_and_differential_are_shown_at_the_table() {
    let house = House::live();
    let shown = house.floor.display_view(TABLE).unwrap().table;
    assert_eq!(shown.differential, Some(dollars(500)));
    assert_eq!(shown.limits.len(), house.rulebook(TABLE).families().len(), "every kind of bet has its limit shown");
    for (family, limit) in shown.limits {
        assert_eq!((limit.minimum, limit.maximum), (dollars(25), Some(dollars(1_000))), "{family:?}");
    }
    // Either limit may be absent.
    let mut settings = House::settings("rws-taisai");
    settings.differential = None;
    settings.limit = Limit { minimum: dollars(0), maximum: None };
    let mut house = House::live_with(settings);
    house.deal(&[(1, "big", 5_000), (2, "small", 1)], "6-5-4");
    assert_eq!(house.shares(), [(2, 1, 0), (1, 5_000, 10_000)]);
}

#[test]
fn rws_taisai_3_4_keeping_to_the_limits_is_the_players_responsibility() {
    // Chips on the layout are a fact: beyond the limits or under them, they are recorded and not refused.
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 2_000), (2, "big", 5)]);
    assert_eq!(house.in_box("big"), [(1, 2_000), (2, 5)]);
    let console = house.floor.console_view(TABLE).unwrap();
    assert_eq!(whole(console.boxes[0].excess), 1_505, "beyond the differential");
    assert_eq!(console.boxes[0].under_minimum, [Position(2)]);
}

#[test]
fn rws_taisai_3_5_others_take_up_the_room_a_player_leaves() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "total/9", 400), (2, "total/9", 350), (3, "total/9", 250)]);
    assert!(house.excess().is_empty(), "three players fill the box together");
    house.place(&[(1, "total/9", 25)]);
    assert_eq!(house.reject_excess("total/9"), [(1, 25)], "being first reserves nothing");
    // On the lighter side of the pair the differential leaves room for every player.
    house.place(&[(1, "big", 500), (2, "small", 100), (3, "small", 900)]);
    assert!(house.excess().is_empty());
}

#[test]
fn rws_taisai_3_6_nothing_is_bet_after_the_dealers_call() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    let notice = house.floor.table_view(TABLE).unwrap().round.unwrap().notice.unwrap();
    assert_eq!(notice.en, "No more Bets");
    house.play_device();
    let late = house.placing((2, "big", 100));
    let rule = house.refused(Sender::Staff(DEALER), late, Code::BetsClosed);
    assert_eq!(rule, "3.6, 5.7");
}

#[test]
fn rws_taisai_5_1_excess_is_rejected_before_the_close_the_latest_chips_first() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "total/9", 700), (2, "total/9", 200), (1, "total/9", 100), (3, "total/9", 150)]);
    let chips = house.chips_out();
    // 150 too much: all of the latest chips, and none of the earlier.
    assert_eq!(house.reject_excess("total/9"), [(3, 150)]);
    assert_eq!(house.in_box("total/9"), [(1, 800), (2, 200)]);
    assert_eq!(house.chips_out(), chips + 150, "rejected chips are the player's");
    // Of chips that exceed in part, that part goes; an earlier bet of the same player stays.
    house.place(&[(2, "total/9", 50), (1, "total/9", 30)]);
    assert_eq!(house.reject_excess("total/9"), [(1, 30), (2, 50)]);
    assert_eq!(house.in_box("total/9"), [(1, 800), (2, 200)]);
    let spot = house.chip_spot("total/9");
    let rule = house.refused(Sender::Staff(DEALER), Body::RejectExcess { table: TABLE, spot }, Code::NothingToDo);
    assert_eq!(rule, "5.1");
    // Not after the close: then it is settled pro rata.
    house.place(&[(3, "total/9", 100)]);
    house.close();
    house.refused(Sender::Staff(DEALER), Body::RejectExcess { table: TABLE, spot }, Code::BetsClosed);
}

#[test]
fn rws_taisai_5_1_a_withdrawal_from_the_lighter_side_makes_excess_on_the_heavier() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 400), (2, "small", 300), (3, "big", 400)]);
    assert!(house.excess().is_empty());
    house.take((2, "small", 200));
    assert_eq!(house.excess(), [("big".to_owned(), 200)], "pointed out as soon as it is so");
    assert_eq!(house.reject_excess("big"), [(3, 200)]);
    assert_eq!(house.in_box("big"), [(1, 400), (3, 200)]);
    assert!(house.excess().is_empty());
}

#[test]
fn rws_taisai_5_1_1_excess_not_rejected_wins_or_loses_pro_rata() {
    let mut house = House::live();
    let before = house.chips_out();
    house.deal(&[(1, "total/9", 900), (2, "total/9", 300), (3, "total/9", 20)], "4-3-2");
    // Of 1,220 the box takes 1,000: 20 whole, the others scaled by 980/1,200. Seven to one on what is at risk.
    let shares = [(1, 735, 165 + 735 * 8), (2, 245, 55 + 245 * 8), (3, 20, 20 * 8)];
    assert_eq!(house.shares(), shares);
    assert_eq!(house.chips_out(), before + 7 * 1_000);
    // What is not at risk goes back whatever the dice show.
    house.deal(&[(1, "total/9", 900), (2, "total/9", 300), (3, "total/9", 20)], "4-3-3");
    assert_eq!(house.shares(), [(1, 735, 165), (2, 245, 55), (3, 20, 0)]);
}

#[test]
fn rws_taisai_5_1_1_the_differential_caps_the_heavier_side() {
    let mut house = House::live();
    house.deal(&[(1, "big", 600), (2, "big", 300), (3, "small", 100)], "6-5-4");
    // Small has 100 at risk, so Big has 600: the box maximum of 1,000 is not the smaller.
    assert_eq!(house.shares(), [(3, 100, 0), (1, 400, 1_000), (2, 200, 500)]);
    // Where the box maximum is the smaller, it is the cap.
    house.deal(&[(1, "big", 1_400), (3, "small", 900)], "1-1-2");
    assert_eq!(house.shares(), [(3, 900, 1_800), (1, 1_000, 400)]);
}

#[test]
fn rws_taisai_5_1_1_nobody_is_scaled_below_the_minimum() {
    let mut house = House::live();
    house.deal(&[(1, "total/9", 3_000), (2, "total/9", 30), (3, "total/9", 970)], "4-3-3");
    // A factor of 1/4 would leave the second 7.50: held at 25, the others share 975 by 975/3,970, in whole chips.
    assert_eq!(house.shares(), [(1, 736, 2_264), (2, 25, 5), (3, 238, 732)]);
}

#[test]
fn rws_taisai_5_1_1_only_what_was_not_rejected_is_shared() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "total/9", 900), (2, "total/9", 300)]);
    assert_eq!(house.reject_excess("total/9"), [(2, 200)]);
    // Another 200 is pushed on unnoticed.
    house.place(&[(3, "total/9", 200)]);
    house.finish("4-3-3");
    // 900, 100 and 200 share 1,000; the rejected 200 went back before.
    assert_eq!(house.shares(), [(1, 750, 150), (2, 83, 17), (3, 166, 34)]);
}

#[test]
fn rws_taisai_5_1_2_a_bet_under_the_minimum_is_not_scaled() {
    let mut house = House::live();
    house.float(SUPERVISOR, FloatMovement::Fill(dollars(100_000)));
    house.deal(&[(1, "triple/4", 1_000), (2, "triple/4", 24), (3, "triple/4", 1)], "4-4-4");
    assert_eq!(house.shares(), [(1, 975, 25 + 975 * 181), (2, 24, 24 * 181), (3, 1, 181)]);
}

#[test]
fn rws_taisai_5_2_a_bet_under_the_minimum_is_pointed_out_to_be_raised_or_withdrawn() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 20), (2, "big", 10), (3, "big", 15), (4, "big", 25)]);
    let spot = house.chip_spot("big");
    let advise = |position| Body::AdviseMinimum { table: TABLE, position: Position(position), spot };
    let under = house.floor.under_minimum_bets(TABLE);
    assert_eq!(under.iter().map(|(position, ..)| position.0).collect::<Vec<_>>(), [1, 2, 3]);
    for position in 1..=3 {
        let events = house.staff(DEALER, advise(position));
        assert!(matches!(events[..], [Event::MinimumAdvised { by: DEALER, .. }]), "{events:?}");
    }
    assert_eq!(house.refused(Sender::Staff(DEALER), advise(4), Code::NothingToDo), "5.2");
    // One raises, one withdraws; the third does neither, and the dealer refuses the bet.
    house.place(&[(1, "big", 5)]);
    house.take((2, "big", 10));
    let refuse = Body::RefuseUnderMinimum { table: TABLE, position: Position(3), spot };
    let events = house.staff(DEALER, refuse.clone());
    assert!(matches!(events[..], [Event::UnderMinimumRefused { amount, .. }] if amount == dollars(15)), "{events:?}");
    assert_eq!(house.in_box("big"), [(1, 25), (4, 25)]);
    // Not after the close.
    house.place(&[(3, "big", 15)]);
    house.close();
    house.refused(Sender::Staff(DEALER), refuse, Code::BetsClosed);
    house.refused(Sender::Staff(DEALER), advise(3), Code::BetsClosed);
}

#[test]
fn rws_taisai_5_2_1_a_bet_under_the_minimum_that_nobody_noticed_stands() {
    let mut house = House::live();
    house.deal(&[(1, "big", 10), (2, "small", 5)], "6-5-4");
    assert_eq!(house.shares(), [(2, 5, 0), (1, 10, 20)]);
    // Pointed out and left as it is, it stands as well.
    house.open();
    house.place(&[(1, "big", 10)]);
    let spot = house.chip_spot("big");
    house.staff(DEALER, Body::AdviseMinimum { table: TABLE, position: Position(1), spot });
    house.finish("6-5-4");
    assert_eq!(house.shares(), [(1, 10, 20)]);
}

#[test]
fn rws_taisai_5_3_a_player_who_walks_away_is_settled_like_any_other() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100), (2, "big", 100)]);
    let left = Body::PlayerLeft { table: TABLE, position: Position(1) };
    let events = house.staff(DEALER, left.clone());
    assert!(matches!(events[..], [Event::PlayerLeft { position: Position(1), .. }]));
    assert_eq!(house.refused(Sender::Staff(DEALER), left, Code::NothingToDo), "5.3");
    let nobody = Body::PlayerLeft { table: TABLE, position: Position(3) };
    house.refused(Sender::Staff(DEALER), nobody, Code::NothingToDo);
    house.finish("6-5-4");
    assert_eq!(house.shares(), [(1, 100, 200), (2, 100, 200)]);
}

#[test]
fn rws_taisai_5_7_after_the_close_nothing_is_placed_raised_or_withdrawn() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    let refuse = Body::RefuseLate { table: TABLE, position: Position(2) };
    assert_eq!(house.refused(Sender::Staff(DEALER), refuse.clone(), Code::Phase), "3.6, 5.7");
    house.close();
    let take = house.taking((1, "big", 100));
    house.refused(Sender::Staff(DEALER), take, Code::BetsClosed);
    let spot = house.chip_spot("big");
    let for_player =
        Body::PlaceChips { table: TABLE, position: Position(1), spot, amount: dollars(25), for_player: true };
    house.refused(Sender::Terminal(T0), Body::ClearBets, Code::UnknownSender);
    // The dealer refuses what comes late, and that is on record.
    let events = house.staff(DEALER, refuse);
    assert_eq!(events, [Event::LateRefused { table: TABLE, position: Position(2), by: DEALER }]);
    house.play_device();
    let place = house.placing((2, "big", 100));
    house.refused(Sender::Staff(DEALER), place, Code::BetsClosed);
    house.refused(Sender::Staff(DEALER), for_player, Code::BetsClosed);
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.shares(), [(1, 100, 200)]);
}

#[test]
fn rws_taisai_5_9_chips_that_stood_at_the_close_are_recorded_until_the_dice_are_exposed() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    // Recording is not placing: the chips stood there.
    let standing = house.placing((2, "small", 300));
    let events = house.staff(SECOND_DEALER, standing.clone());
    assert!(matches!(events[..], [Event::ChipsPlaced { standing: true, for_player: false, .. }]), "{events:?}");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.staff(DEALER, house.placing((2, "small", 25)));
    house.device(Observation::Uncovered);
    assert_eq!(house.refused(Sender::Staff(DEALER), standing, Code::BetsClosed), "3.6, 5.7");
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.shares(), [(2, 325, 0), (1, 100, 200)]);
}

#[test]
fn rws_taisai_5_9_bets_settle_by_where_the_chips_stand_at_the_close() {
    let mut house = House::live();
    house.open();
    // The player meant Big, moved to Small, and it is Small that counts.
    house.place(&[(1, "big", 100)]);
    house.take((1, "big", 100));
    house.place(&[(1, "small", 100)]);
    house.finish("6-5-4");
    assert_eq!(house.shares(), [(1, 100, 0)]);
}

#[test]
fn rws_taisai_5_13_pit_employees_place_bets_for_a_player_and_are_recorded() {
    let mut house = House::live();
    house.open();
    let spot = house.chip_spot("double/5");
    let place = |position| Body::PlaceChips {
        table: TABLE,
        position: Position(position),
        spot,
        amount: dollars(50),
        for_player: true,
    };
    for (position, who) in [(1, DEALER), (2, SUPERVISOR), (3, MANAGER)] {
        let events = house.staff(who, place(position));
        assert!(matches!(events[..], [Event::ChipsPlaced { by, for_player: true, .. }] if by == Some(who)));
    }
    for who in [CASHIER, AUDITOR, ADMINISTRATOR] {
        assert_eq!(house.refused(Sender::Staff(who), place(4), Code::Rank), "5.13");
    }
    let placed: Vec<_> =
        house.floor.table(TABLE).unwrap().round().unwrap().chips().iter().map(|c| c.placed_by).collect();
    assert_eq!(placed, [Some(DEALER), Some(SUPERVISOR), Some(MANAGER)]);
    // That they stand right is up to the player: they settle like any others.
    house.finish("5-5-1");
    assert_eq!(house.shares(), [(1, 50, 600), (2, 50, 600), (3, 50, 600)]);
}
