//! The tumble of both Sic Bo games at Resorts World, and what makes a round void (3.6, 3.7, 5.3).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::GroundId;

const SICBO: [&str; 2] = ["rws-sicbo", "rws-sicbo-open"];
const THREE: Observation = Observation::Tumbled { times: 3 };
const TWO: Observation = Observation::Tumbled { times: 2 };

/// A round with a bet of 10.00, after one that was won: 1,010.00 of credit and stakes.
fn second_round(game: &str) -> (House, RoundId) {
    let mut house = House::with(game);
    house.play(&["small=10.00"], "1-2-4");
    let round = house.open();
    house.bet(T0, &["small=10.00"]);
    (house, round)
}

/// Void, everything back, and the round before it stands.
#[track_caller]
fn only_the_current_round_is_void(house: &House, round: RoundId) {
    house.is_void(round, &[(T0, dollars(1_010))]);
    assert_eq!(house.result_of(RoundId(round.0 - 1)).as_deref(), Some("1-2-4"));
    assert_eq!(house.floor.table(TABLE).unwrap().history().count(), 1);
}

fn declaring(ground: GroundId) -> Body {
    House::declaring(ground)
}

#[test]
fn rws_sicbo_3_6_three_tumbles_under_the_cover_count_before_the_close_and_after_it() {
    for before_close in [true, false] {
        let (mut house, _) = second_round("rws-sicbo");
        if !before_close {
            house.close();
        }
        house.device(Observation::Covered);
        house.device(Observation::Activated);
        house.device(THREE);
        assert_eq!(house.open_ground(), None);
        if before_close {
            house.close();
        }
        house.device(Observation::Uncovered);
        house.device(read([4, 2, 1]));
        house.enter("4-2-1");
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_020));
        assert!(house.alerts().is_empty(), "{:?}", house.alerts());
    }
}

#[test]
fn rws_sicbo_open_3_6_three_tumbles_without_a_cover_count_after_the_close() {
    let (mut house, _) = second_round("rws-sicbo-open");
    house.close();
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(read([4, 2, 1]));
    house.enter("4-2-1");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_020));
    assert!(house.alerts().is_empty(), "{:?}", house.alerts());
}

/// A tumble that was made before the round began is none of this round: the pit hears of a result without a tumble.
#[track_caller]
fn a_tumble_before_the_round_does_not_count(game: &str) {
    let mut house = House::with(game);
    for observation in [Observation::Activated, THREE] {
        let events = house.device(observation);
        assert!(matches!(events[..], [Event::Observed { counts: false, .. }]), "{events:?}");
    }
    house.open();
    assert!(!house.current().seen().set_off);
    house.close();
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 4]));
    assert!(!house.current().seen().set_off);
    let enter = Body::enter_result(TABLE, house.outcome(TABLE, "1-2-4"));
    assert_eq!(house.staff_refused(DEALER, enter, Code::NoTumble), "3.6");
}

#[test]
fn rws_sicbo_3_6_a_tumble_before_the_round_does_not_count_for_it() {
    a_tumble_before_the_round_does_not_count("rws-sicbo");
}

#[test]
fn rws_sicbo_open_3_6_a_tumble_before_the_round_does_not_count_for_it() {
    a_tumble_before_the_round_does_not_count("rws-sicbo-open");
}

#[test]
fn rws_sicbo_3_6_a_cover_taken_off_before_the_tumble_hinders_no_tumble() {
    let (mut house, _) = second_round("rws-sicbo");
    house.close();
    // The dice of the round before are cleared away; then they are covered and tumbled.
    house.device(Observation::Uncovered);
    house.device(Observation::Covered);
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(read([1, 2, 4]));
    assert_eq!(house.current().seen().dice, [None; 3], "what is read under the cover establishes nothing");
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 4]));
    house.enter("1-2-4");
    assert!(house.alerts().is_empty(), "{:?}", house.alerts());
}

/// The uppermost faces decide, in whatever order they are read; the dealer's word goes before the device's.
#[track_caller]
fn the_uppermost_faces_decide(game: &str) {
    for entered in ["1-2-4", "4-2-1", "2-4-1"] {
        let (mut house, _) = second_round(game);
        house.close();
        house.play_device();
        house.device(read([4, 1, 2]));
        house.enter(entered);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_020));
        assert!(house.alerts().is_empty());
    }
    let (mut house, round) = second_round(game);
    house.close();
    house.play_device();
    house.device(read([4, 1, 2]));
    house.enter("6-6-5");
    assert_eq!(house.alerts(), [&AlertKind::DeviceDisagrees(round)]);
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("6-6-5"));
    assert_eq!(house.credit(T0), dollars(1_000));
}

#[test]
fn rws_sicbo_3_7_the_uppermost_faces_decide_in_any_order() {
    the_uppermost_faces_decide("rws-sicbo");
}

#[test]
fn rws_sicbo_open_3_7_the_uppermost_faces_decide_in_any_order() {
    the_uppermost_faces_decide("rws-sicbo-open");
}

#[test]
fn etg_5_3_a_ground_voids_the_current_round_and_earlier_rounds_stand() {
    for game in ETG {
        let ground = if game == "rws-roulette-000" { GroundId::ForeignObject } else { GroundId::DieNotFlat };
        let (spot, wins, loses) = even_money(game);
        let bet = format!("{spot}=10.00");
        let mut house = House::with(game);
        let earlier = [house.play(&[&bet], wins), house.play(&[&bet], loses), house.play(&[&bet], wins)];
        let round = house.open();
        house.bet(T0, &[&bet]);
        house.bet(T1, &[&bet]);
        house.close();
        house.staff(DEALER, declaring(ground));
        house.is_void(round, &[(T0, dollars(1_010)), (T1, dollars(1_000))]);
        let results = earlier.map(|round| house.result_of(round));
        assert_eq!(results, [Some(wins.to_owned()), Some(loses.to_owned()), Some(wins.to_owned())]);
        // Nor can such a ground reach back.
        let back = house.staff_refused(MANAGER, House::voiding(ground, earlier.to_vec()), Code::NotAGround);
        assert_eq!(back, "5.10");
        // A ground of another game is none of this one, and an interruption is attested.
        house.open();
        let foreign = if game == "rws-roulette-000" { GroundId::DieNotFlat } else { GroundId::ForeignObject };
        assert_eq!(house.staff_refused(DEALER, declaring(foreign), Code::NotAGround), "5.10");
        let attested = house.staff_refused(DEALER, declaring(GroundId::Interruption), Code::NotAGround);
        assert_eq!(attested, "5.1.2");
    }
}

/// When the tumbler may be set off: in the covered game before the close, in both after it.
fn closings(game: &str) -> &'static [bool] {
    if game == "rws-sicbo" { &[false, true] } else { &[true] }
}

/// Fewer than three tumbles freeze the round at once; the dealer's one confirmation voids it.
#[track_caller]
fn too_few_tumbles(game: &str) {
    for times in [0, 1, 2] {
        for closed in closings(game) {
            let (mut house, round) = second_round(game);
            if *closed {
                house.close();
            }
            house.cover(TABLE);
            house.device(Observation::Activated);
            house.device(Observation::Tumbled { times });
            house.halted_by("5.3.1");
            let events = house.confirm_ground();
            let [Event::RoundVoided { by, staff, .. }] = &events[..] else { panic!("{events:?}") };
            assert_eq!((*by, *staff), (VoidBy::Ground(GroundId::TooFewTumbles), DEALER));
            only_the_current_round_is_void(&house, round);
        }
    }
}

#[test]
fn rws_sicbo_5_3_1_fewer_than_three_tumbles_freeze_the_round_and_void_it() {
    too_few_tumbles("rws-sicbo");
}

#[test]
fn rws_sicbo_open_5_3_1_fewer_than_three_tumbles_freeze_the_round_and_void_it() {
    too_few_tumbles("rws-sicbo-open");
}

/// However often it is tumbled again, the short one stays.
#[track_caller]
fn another_tumble_cures_nothing(game: &str) {
    let (mut house, round) = second_round(game);
    house.close();
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(TWO);
    for again in [Observation::Activated, THREE, Observation::Activated, Observation::Tumbled { times: 9 }] {
        house.device(again);
        house.halted_by("5.3.1");
    }
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_sicbo_5_3_1_another_tumble_cures_no_short_one() {
    another_tumble_cures_nothing("rws-sicbo");
}

#[test]
fn rws_sicbo_open_5_3_1_another_tumble_cures_no_short_one() {
    another_tumble_cures_nothing("rws-sicbo-open");
}

/// A Pit Supervisor records the report as a fault of the device, and play goes on.
#[track_caller]
fn a_device_fault_lets_play_go_on(game: &str) {
    let (mut house, _) = second_round(game);
    house.close();
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(TWO);
    assert_eq!(house.staff_refused(DEALER, House::dismissal(), Code::Rank), "D5");
    let wordless = Body::DismissGround { table: TABLE, reason: " ".to_owned(), witness: None };
    house.staff_refused(SUPERVISOR, wordless, Code::Text);
    let events = house.staff(SUPERVISOR, House::dismissal());
    assert!(matches!(events[..], [Event::GroundDismissed { ground: GroundId::TooFewTumbles, by: SUPERVISOR, .. }]));
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_020));
    house.open();
    house.staff_refused(DEALER, Body::ConfirmGround { table: TABLE }, Code::NothingToDo);
    house.staff_refused(SUPERVISOR, House::dismissal(), Code::NothingToDo);
}

#[test]
fn rws_sicbo_5_3_1_a_pit_supervisor_records_a_device_fault_and_play_goes_on() {
    a_device_fault_lets_play_go_on("rws-sicbo");
}

#[test]
fn rws_sicbo_open_5_3_1_a_pit_supervisor_records_a_device_fault_and_play_goes_on() {
    a_device_fault_lets_play_go_on("rws-sicbo-open");
}

#[test]
fn rws_sicbo_5_3_1_the_time_a_device_fault_took_is_given_back_to_the_betting_period() {
    let (mut house, _) = second_round("rws-sicbo");
    let closes_at = house.current().closes_at().unwrap();
    house.later(5_000);
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(TWO);
    house.later(60_000);
    house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
    house.halted_by("5.3.1");
    // A stoppage of the host while the round is halted is no second loss of time.
    house.stoppage(5_000);
    house.staff(SUPERVISOR, House::dismissal());
    assert_eq!(house.current().closes_at(), Some(closes_at.after(65_000)));
    house.later(14_999);
    house.bet(T1, &["small=10.00"]);
    house.later(1);
    house.bet_refused(T1, &["small=10.00"], Code::BetsClosed);
    house.system(Body::Elapse);
}

#[test]
fn rws_sicbo_5_3_1_the_dealer_declares_it_where_the_device_did_not_see_it() {
    for game in SICBO {
        let (mut house, round) = second_round(game);
        house.close();
        house.play_device();
        house.enter("6-5-4");
        house.terminal_refused(T0, declaring(GroundId::TooFewTumbles), Code::NotForSender);
        house.staff_refused(CASHIER, declaring(GroundId::TooFewTumbles), Code::Rank);
        house.staff(DEALER, declaring(GroundId::TooFewTumbles));
        only_the_current_round_is_void(&house, round);
    }
}

/// A die that does not lie flat is proposed by the device and judged by the dealer.
#[track_caller]
fn a_die_not_flat(game: &str) {
    // Confirmed.
    let (mut house, round) = second_round(game);
    house.close();
    house.play_device();
    house.device(Observation::NotFlat);
    house.halted_by("5.3.2");
    assert!(house.current().ground().unwrap().proposed);
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
    // Judged to be flat, by the dealer alone.
    let (mut house, round) = second_round(game);
    house.close();
    house.play_device();
    house.device(Observation::NotFlat);
    house.staff(DEALER, House::dismissal());
    house.enter("1-2-4");
    // Seen after all, also once the result is entered.
    house.device(Observation::NotFlat);
    house.halted_by("5.3.2");
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
    // Declared without a device.
    let (mut house, round) = second_round(game);
    house.close();
    house.staff(DEALER, declaring(GroundId::DieNotFlat));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_sicbo_5_3_2_a_die_not_flat_is_proposed_and_the_dealer_judges() {
    a_die_not_flat("rws-sicbo");
}

#[test]
fn rws_sicbo_open_5_3_2_a_die_not_flat_is_proposed_and_the_dealer_judges() {
    a_die_not_flat("rws-sicbo-open");
}

#[test]
fn rws_sicbo_5_3_3_dice_tumbled_for_this_round_and_exposed_before_the_close_void_it() {
    let (mut house, round) = second_round("rws-sicbo");
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(Observation::Uncovered);
    house.halted_by("5.3.3");
    // What is read now never counts.
    house.device(read([1, 2, 4]));
    assert_eq!(house.current().seen().dice, [None; 3]);
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_sicbo_5_3_3_dice_not_tumbled_for_this_round_conceal_nothing() {
    let mut house = House::with("rws-sicbo");
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(THREE);
    house.open();
    house.device(Observation::Uncovered);
    assert_eq!(house.open_ground(), None);
    house.bet(T0, &["small=10.00"]);
    house.finish("1-2-4");
    assert_eq!(house.credit(T0), dollars(1_010));
}

#[test]
fn rws_sicbo_5_3_3_the_close_is_when_every_live_terminal_shows_it() {
    let mut house = House::with("rws-sicbo");
    let exposed_at_the_close = |house: &mut House| {
        house.open();
        house.cover(TABLE);
        house.device(Observation::Activated);
        house.device(THREE);
        house.staff(DEALER, Body::CloseBets { table: TABLE });
    };
    exposed_at_the_close(&mut house);
    let round = house.round();
    house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
    house.device(Observation::Uncovered);
    house.halted_by("5.3.3");
    house.confirm_ground();
    // A terminal that is lost, or silent for two seconds, is not waited for.
    exposed_at_the_close(&mut house);
    let round = house.round();
    house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
    house.system(Body::TerminalLost { terminal: T1 });
    house.later(2_000);
    let events = house.device(Observation::Uncovered);
    assert!(matches!(&events[0], Event::CountedLost { terminals, .. } if *terminals == [T2]), "{events:?}");
    assert_eq!(house.open_ground(), None);
    assert!(house.current().seen().uncovered);
}

#[test]
fn rws_sicbo_5_3_3_the_dealer_declares_it_until_the_round_is_settled() {
    for closed in [false, true] {
        let (mut house, round) = second_round("rws-sicbo");
        if closed {
            house.close();
        }
        house.staff(DEALER, declaring(GroundId::ExposedBeforeClose));
        only_the_current_round_is_void(&house, round);
    }
    // Even with a result entered, and then with a Pit Supervisor (D23).
    let (mut house, round) = second_round("rws-sicbo");
    house.close();
    house.enter("1-2-4");
    let alone = Body::declare_ground(TABLE, GroundId::ExposedBeforeClose);
    assert_eq!(house.staff_refused(DEALER, alone, Code::SecondPerson), "D23");
    house.staff(DEALER, declaring(GroundId::ExposedBeforeClose));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_sicbo_open_5_3_3_a_tumbler_set_off_before_the_close_voids_the_round() {
    // Until every live terminal shows the close, it is before the close.
    for closed_by_the_host in [false, true] {
        let (mut house, round) = second_round("rws-sicbo-open");
        if closed_by_the_host {
            house.staff(DEALER, Body::CloseBets { table: TABLE });
        }
        house.cover(TABLE);
        house.device(Observation::Activated);
        house.halted_by("5.3.3");
        house.device(THREE);
        house.halted_by("5.3.3");
        house.confirm_ground();
        only_the_current_round_is_void(&house, round);
    }
    let (mut house, round) = second_round("rws-sicbo-open");
    house.staff(DEALER, declaring(GroundId::ActivatedBeforeClose));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_sicbo_open_5_3_3_a_false_report_needs_a_pit_supervisor_and_a_tumble_after_the_close() {
    let (mut house, round) = second_round("rws-sicbo-open");
    house.cover(TABLE);
    // An activation that came to nothing.
    house.device(Observation::Activated);
    house.staff_refused(DEALER, House::dismissal(), Code::Rank);
    house.staff(SUPERVISOR, House::dismissal());
    house.close();
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(read([1, 2, 4]));
    house.enter("1-2-4");
    assert!(house.alerts().is_empty(), "{:?}", house.alerts());
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-4"));
}

#[test]
fn rws_sicbo_open_5_3_3_a_short_tumble_before_the_close_is_two_grounds_and_each_is_dealt_with() {
    let (mut house, round) = second_round("rws-sicbo-open");
    house.cover(TABLE);
    house.device(Observation::Activated);
    house.device(TWO);
    house.halted_by("5.3.3");
    house.staff(SUPERVISOR, House::dismissal());
    house.halted_by("5.3.1");
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}
