//! The spin of Roulette Triple Zero, and what makes a round void (1.8, 1.10, 3.6, 3.7, 5.3).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::GroundId;

const GAME: &str = "rws-roulette-000";
const FOUR: Observation = Observation::Revolved { times: 4 };

/// A round with a bet of 10.00 on 17, after one that was won on red: 1,010.00 of credit and stakes.
fn second_round() -> (House, RoundId) {
    let mut house = House::with(GAME);
    house.play(&["red=10.00"], "1");
    let round = house.open();
    house.bet(T0, &["straight/17=10.00"]);
    (house, round)
}

fn rested(house: &House, pocket: &str) -> Observation {
    Observation::Rested { pocket: house.outcome(TABLE, pocket) }
}

#[track_caller]
fn only_the_current_round_is_void(house: &House, round: RoundId) {
    house.is_void(round, &[(T0, dollars(1_010))]);
    assert_eq!(house.result_of(RoundId(round.0 - 1)).as_deref(), Some("1"));
    assert_eq!(house.floor.table(TABLE).unwrap().history().count(), 1);
}

fn declaring(ground: GroundId) -> Body {
    House::declaring(ground)
}

/// The device measures it: the round freezes, the dealer alone cannot put it aside, one confirmation voids it, and a
/// Pit Supervisor's record of a device fault lets play go on.
#[track_caller]
fn measured(reports: &[Observation], ground: GroundId, paragraph: &str) {
    for closed in [false, true] {
        for is_fault in [false, true] {
            let (mut house, round) = second_round();
            if closed {
                house.close();
            }
            let closes_at = house.current().closes_at();
            reports.iter().for_each(|report| drop(house.device(*report)));
            house.halted_by(paragraph);
            assert_eq!(house.current().ground().unwrap().ground, ground);
            assert_eq!(house.staff_refused(DEALER, House::dismissal(), Code::Rank), "D5");
            if !is_fault {
                house.confirm_ground();
                only_the_current_round_is_void(&house, round);
                continue;
            }
            house.later(30_000);
            house.staff(SUPERVISOR, House::dismissal());
            assert_eq!(house.current().closes_at(), closes_at.map(|closes_at| closes_at.after(30_000)));
            if !closed {
                house.bet(T1, &["red=10.00"]);
                house.close();
            }
            house.enter("17");
            house.confirm();
            assert_eq!(house.credit(T0), dollars(1_000 + 360));
        }
    }
}

/// The device proposes it: the dealer judges alone, either way.
#[track_caller]
fn proposed(report: Observation, paragraph: &str) {
    let (mut house, _) = second_round();
    house.close();
    house.device(SPUN);
    house.device(FOUR);
    house.device(report);
    house.halted_by(paragraph);
    assert!(house.current().ground().unwrap().proposed);
    house.staff(DEALER, House::dismissal());
    house.enter("17");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_360));

    let (mut house, round) = second_round();
    house.close();
    house.device(SPUN);
    house.device(report);
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

/// The dealer declares it, before the close, after it, and when a result is entered; no one outside the pit does.
#[track_caller]
fn declared(ground: GroundId, paragraph: &str) {
    assert_eq!(House::with(GAME).rulebook(TABLE).ground(ground).unwrap().paragraph.as_str(), paragraph);
    for phase in [Phase::Open, Phase::Closed, Phase::Entered] {
        let (mut house, round) = second_round();
        if phase > Phase::Open {
            house.close();
        }
        if phase == Phase::Entered {
            house.play_device();
            house.enter("17");
        }
        house.terminal_refused(T0, declaring(ground), Code::NotForSender);
        house.refused(Sender::Device(DEVICE), declaring(ground), Code::NotForSender);
        house.staff_refused(ADMINISTRATOR, declaring(ground), Code::Rank);
        let events = house.staff(DEALER, declaring(ground));
        let [Event::RoundVoided { by, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(*by, VoidBy::Ground(ground));
        only_the_current_round_is_void(&house, round);
        house.staff_refused(DEALER, declaring(ground), Code::Phase);
    }
}

#[test]
fn rws_roulette_000_1_8_revolutions_are_whole_turns_of_the_ball_and_four_are_enough() {
    for times in 0..=3 {
        let (mut house, _) = second_round();
        house.close();
        house.device(SPUN);
        house.device(Observation::Revolved { times });
        house.halted_by("5.3.2");
    }
    for times in [4, 5, 30] {
        let (mut house, _) = second_round();
        house.close();
        house.device(SPUN);
        house.device(Observation::Revolved { times });
        assert_eq!((house.open_ground(), house.current().seen().times), (None, Some(times)));
    }
}

#[test]
fn rws_roulette_000_1_10_only_a_ball_that_was_spun_in_this_round_revolves_and_rests() {
    let mut house = House::with(GAME);
    // A spin before the notice is none of the round's.
    let events = house.device(SPUN);
    assert!(matches!(events[..], [Event::Observed { counts: false, .. }]));
    house.open();
    house.close();
    for report in [FOUR, rested(&house, "17")] {
        house.device(report);
    }
    assert!(house.alerts().is_empty());
    let entry = house.entry(TABLE, house.outcome(TABLE, "17"));
    house.staff_refused(DEALER, entry, Code::NoTumble);
}

#[test]
fn rws_roulette_000_3_6_a_spin_against_the_rotation_counts_before_the_close_and_after_it() {
    for before_close in [true, false] {
        let (mut house, _) = second_round();
        if before_close {
            house.device(SPUN);
            house.device(FOUR);
            house.close();
        } else {
            house.close();
            house.device(SPUN);
            house.device(FOUR);
        }
        let report = rested(&house, "17");
        house.device(report);
        house.enter("17");
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_360));
        assert!(house.alerts().is_empty(), "{:?}", house.alerts());
    }
}

#[test]
fn rws_roulette_000_3_7_the_compartment_in_which_the_ball_rests_wins() {
    for (pocket, credit) in [("17", 1_360), ("0", 1_000), ("00", 1_000), ("000", 1_000), ("20", 1_000)] {
        let (mut house, round) = second_round();
        house.close();
        house.play_device();
        let report = rested(&house, pocket);
        house.device(report);
        // The device's reading decides nothing: the dealer enters, and a difference raises an alert.
        assert_eq!(house.current().phase(), Phase::Closed);
        house.enter(pocket);
        assert!(house.alerts().is_empty());
        house.confirm();
        assert_eq!(house.credit(T0), dollars(credit), "{pocket}");
        assert_eq!(house.result_of(round).as_deref(), Some(pocket));
    }
    let (mut house, round) = second_round();
    house.close();
    house.play_device();
    let report = rested(&house, "20");
    house.device(report);
    house.enter("17");
    assert_eq!(house.alerts(), [&AlertKind::DeviceDisagrees(round)]);
    let beyond = Body::enter_result(TABLE, forged(39));
    assert_eq!(house.staff_refused(DEALER, beyond, Code::NotFound), "3.7");
    let beyond = Body::Observe(Observation::Rested { pocket: forged(39) });
    assert_eq!(house.refused(Sender::Device(DEVICE), beyond, Code::NotFound), "3.7");
}

#[test]
fn rws_roulette_000_3_7_no_result_for_a_ball_that_rested_before_the_close() {
    let (mut house, round) = second_round();
    house.device(SPUN);
    house.device(FOUR);
    let report = rested(&house, "17");
    house.device(report);
    assert_eq!(house.alerts(), [&AlertKind::RestedEarly(round)]);
    assert_eq!(house.current().seen().pocket, None, "a reading before the close never counts");
    house.close();
    let enter = Body::enter_result(TABLE, house.outcome(TABLE, "17"));
    assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::NotValid), "D4");
    // Spinning once more is no way out; the Shift Manager decides.
    house.device(SPUN);
    house.device(FOUR);
    house.device(report);
    assert_eq!(house.staff_refused(DEALER, enter, Code::SecondTumble), "3.7");
    let first = Body::KeepFirstOutcome { table: TABLE, witness: Some(SUPERVISOR), affirmed: Vec::new() };
    assert_eq!(house.staff_refused(DEALER, first, Code::NotValid), "D18");
    let void = House::deciding(Some(round), Ruling::VoidRound);
    assert_eq!(house.staff_refused(MANAGER, void.clone(), Code::Rank), "5.10");
    house.staff(SHIFT_MANAGER, void);
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_roulette_000_5_3_1_a_ball_dropped_and_not_spun_is_declared() {
    declared(GroundId::BallDropped, "5.3.1");
}

#[test]
fn rws_roulette_000_5_3_2_fewer_than_four_revolutions_are_measured() {
    measured(&[SPUN, Observation::Revolved { times: 3 }], GroundId::TooFewRevolutions, "5.3.2");
}

#[test]
fn rws_roulette_000_5_3_2_fewer_than_four_revolutions_are_declared_where_the_wheel_counts_none() {
    declared(GroundId::TooFewRevolutions, "5.3.2");
    // A wheel that counts none leaves it to the dealer to affirm them.
    let (mut house, _) = second_round();
    house.finish("20");
    let measures = Measures::usual(DeviceKind::Wheel);
    house.system(Body::DescribeDevice { device: DEVICE, measures, witness: None });
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house.close();
    house.device(SPUN);
    let report = rested(&house, "17");
    house.device(report);
    let outcome = house.outcome(TABLE, "17");
    assert_eq!(house.staff_refused(DEALER, Body::enter_result(TABLE, outcome), Code::Affirm), "3.6");
    let entry = house.entry(TABLE, outcome);
    house.staff(DEALER, entry);
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_350));
    assert!(house.alerts().is_empty(), "{:?}", house.alerts());
}

#[test]
fn rws_roulette_000_5_3_2_another_spin_cures_no_short_one() {
    let (mut house, round) = second_round();
    house.close();
    house.device(SPUN);
    house.device(Observation::Revolved { times: 3 });
    let report = rested(&house, "17");
    for again in [SPUN, FOUR, report] {
        house.device(again);
        house.halted_by("5.3.2");
    }
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_roulette_000_5_3_3_a_ball_in_no_compartment_is_proposed() {
    proposed(Observation::NoCompartment, "5.3.3");
    declared(GroundId::NoCompartment, "5.3.3");
}

#[test]
fn rws_roulette_000_5_3_4_a_ball_flung_out_is_proposed() {
    proposed(Observation::FlungOut, "5.3.4");
    declared(GroundId::FlungOut, "5.3.4");
}

#[test]
fn rws_roulette_000_5_3_3_a_ball_put_into_a_compartment_afterwards_is_no_reading() {
    for lost in [Observation::NoCompartment, Observation::FlungOut] {
        let (mut house, _) = second_round();
        house.close();
        house.device(SPUN);
        house.device(FOUR);
        house.device(lost);
        // No other spin: what rests now was put there.
        let report = rested(&house, "17");
        house.device(report);
        house.staff(DEALER, House::dismissal());
        let entry = house.entry(TABLE, house.outcome(TABLE, "17"));
        house.staff(DEALER, entry);
        // The wheel has read nothing: the dealer does not settle alone, and the pit is alerted (D19).
        house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson);
    }
}

#[test]
fn rws_roulette_000_5_3_5_a_wheel_that_stands_still_at_the_spin_is_measured() {
    for against_rotation in [true, false] {
        let still = Observation::Spun { against_rotation, wheel_rotating: false };
        measured(&[still], GroundId::WheelNotRotating, "5.3.5");
    }
}

#[test]
fn rws_roulette_000_5_3_6_a_spin_the_way_the_wheel_turns_is_measured() {
    let same = Observation::Spun { against_rotation: false, wheel_rotating: true };
    measured(&[same], GroundId::SameDirection, "5.3.6");
}

#[test]
fn rws_roulette_000_5_3_7_a_foreign_object_in_the_wheel_is_declared() {
    declared(GroundId::ForeignObject, "5.3.7");
}

#[test]
fn rws_roulette_000_5_3_8_somebodys_interference_is_declared() {
    declared(GroundId::Interference, "5.3.8");
}

#[test]
fn rws_roulette_000_5_3_9_a_wheel_that_stops_before_the_ball_rests_is_measured() {
    measured(&[SPUN, FOUR, Observation::WheelStopped], GroundId::WheelStopped, "5.3.9");
}

#[test]
fn rws_roulette_000_5_3_9_a_wheel_may_stop_when_no_ball_runs() {
    let (mut house, _) = second_round();
    house.device(Observation::WheelStopped);
    assert_eq!(house.open_ground(), None, "nothing was spun");
    house.close();
    house.device(SPUN);
    house.device(FOUR);
    let report = rested(&house, "17");
    house.device(report);
    house.device(Observation::WheelStopped);
    assert_eq!(house.open_ground(), None, "the ball rests");
    house.enter("17");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_360));
}

#[test]
fn rws_roulette_000_5_3_two_grounds_at_once_are_each_dealt_with() {
    let (mut house, round) = second_round();
    house.close();
    house.device(SPUN);
    house.device(Observation::Revolved { times: 2 });
    house.device(Observation::FlungOut);
    house.device(Observation::FlungOut);
    house.halted_by("5.3.2");
    house.staff(SUPERVISOR, House::dismissal());
    // What is next is only proposed: the dealer may judge it.
    house.halted_by("5.3.4");
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

#[test]
fn rws_roulette_000_5_3_a_tumbler_sees_nothing_of_a_wheel() {
    let mut house = House::with(GAME);
    house.open();
    let foreign = [Observation::Activated, Observation::Tumbled { times: 1 }, Observation::NotFlat, read([1, 2, 3])];
    for observation in foreign {
        house.refused(Sender::Device(DEVICE), Body::Observe(observation), Code::NotForSender);
    }
    // Nor does the wheel of another table, or a person at a keyboard.
    let other = house.add_table(GAME, House::settings(GAME));
    let theirs = DeviceId(4);
    let short = Body::Observe(Observation::Spun { against_rotation: false, wheel_rotating: true });
    assert_eq!(house.floor.table(other).unwrap().round().map(Round::id), None);
    house.ok(Sender::Device(theirs), short.clone());
    assert_eq!(house.open_ground(), None);
    house.staff_refused(DEALER, short, Code::NotForSender);
}

#[test]
fn d5_d12_no_outcome_is_chosen_under_an_open_ground_or_before_the_terminals_show_the_close() {
    let mut house = House::with(GAME);
    let round = house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house.tumble_at(TABLE);
    let early = rested(&house, "17");
    house.device(early);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let (outcome, witness) = (house.outcome(TABLE, "17"), Some(SECOND_SHIFT_MANAGER));
    let choose = Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness };
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), choose.clone(), Code::Unacknowledged), "D12");
    house.acknowledge(TABLE);
    house.device(Observation::FlungOut);
    house.refused(Sender::Staff(SHIFT_MANAGER), choose.clone(), Code::GroundOpen);
    house.staff(DEALER, Body::dismiss_ground(TABLE, "it lies in its pocket".to_owned()));
    house.staff(SHIFT_MANAGER, choose);
    assert_eq!(house.result_of(round).as_deref(), Some("17"));
}

#[test]
fn d18_d19_no_outcome_is_chosen_for_a_spin_whose_revolutions_were_not_counted() {
    let mut house = House::with(GAME);
    let round = house.open();
    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
    let early = rested(&house, "17");
    house.device(early);
    house.close();
    let (outcome, witness) = (house.outcome(TABLE, "17"), Some(SECOND_SHIFT_MANAGER));
    let choose = Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness };
    house.refused(Sender::Staff(SHIFT_MANAGER), choose, Code::NoTumble);
}
