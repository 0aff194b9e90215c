//! A tumble or spin whose first message is lost is the first one of its round all the same (D18, D19), and what was read
//! of dice under the cover chooses no outcome.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::GroundId;

const THREE: Observation = Observation::Tumbled { times: 3 };
const SPUN: Observation = Observation::Spun { against_rotation: true, wheel_rotating: true };

fn first(witness: Option<StaffId>) -> Body {
    Body::KeepFirstOutcome { table: TABLE, witness, affirmed: Vec::new() }
}

fn closed(game: &str) -> House {
    let mut house = House::with(game);
    house.open();
    house.close();
    house
}

fn rested(house: &House, pocket: &str) -> Observation {
    Observation::Rested { pocket: house.outcome(TABLE, pocket) }
}

/// The dealer alone does not settle by it, and does with a Pit Supervisor.
#[track_caller]
fn settled_with_a_supervisor(house: &mut House, outcome: &str) {
    let round = house.round();
    let entry = house.entry(TABLE, house.outcome(TABLE, outcome));
    house.staff(DEALER, entry);
    house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson);
    house.staff_refused(DEALER, House::confirming_with(SECOND_DEALER), Code::SecondPerson);
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
    assert_eq!(house.result_of(round).as_deref(), Some(outcome));
    house.replays();
}

#[test]
fn d18_a_tumble_without_its_activation_is_the_first_and_needs_a_supervisor() {
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        let tumbled = || {
            let mut house = closed(game);
            house.device(THREE);
            house.device(Observation::Uncovered);
            house.device(read([1, 2, 3]));
            house
        };
        settled_with_a_supervisor(&mut tumbled(), "1-2-3");
        // The dealer tumbles again: the round is halted, and the first outcome stands.
        let mut house = tumbled();
        let round = house.round();
        house.device(Observation::Covered);
        let events = house.device(Observation::Activated);
        assert!(matches!(events[0], Event::SecondTumble { .. }), "{events:?}");
        house.device(THREE);
        house.device(Observation::Uncovered);
        house.device(read([6, 6, 6]));
        let entry = house.entry(TABLE, house.outcome(TABLE, "6-6-6"));
        house.staff_refused(DEALER, entry, Code::SecondTumble);
        let keep = Body::KeepFirstOutcome { table: TABLE, witness: Some(SUPERVISOR), affirmed: points(&house) };
        house.staff(DEALER, keep);
        assert_eq!(house.result_of(round).as_deref(), Some("1-2-3"), "{game}");
        house.replays();
    }
}

fn points(house: &House) -> Vec<rulebook::Point> {
    house.rulebook(TABLE).affirmations().iter().map(|affirmation| affirmation.point).collect()
}

#[test]
fn d18_a_single_end_reading_or_ground_without_a_start_makes_the_next_activation_a_second_one() {
    let dice = [(read([1, 2, 3]), false), (Observation::NotFlat, true), (Observation::Tumbled { times: 2 }, true)];
    for (report, ground) in dice {
        for game in ["rws-sicbo", "rws-sicbo-open"] {
            let mut house = closed(game);
            house.device(report);
            assert_eq!(house.open_ground().is_some(), ground, "{game} {report:?}");
            house.device(Observation::Activated);
            assert_eq!(house.current().second(), Some(DEVICE), "{game} {report:?}");
        }
    }
    let house = House::with("rws-roulette-000");
    let wheel =
        [Observation::FlungOut, Observation::NoCompartment, rested(&house, "17"), Observation::Revolved { times: 6 }];
    for report in wheel {
        let mut house = closed("rws-roulette-000");
        house.device(report);
        house.device(SPUN);
        assert_eq!(house.current().second(), Some(DEVICE), "{report:?}");
    }
    // A report that nothing could be read is none of a tumble.
    let mut house = closed("rws-sicbo");
    house.device(read([0, 0, 0]));
    house.device(Observation::Activated);
    assert_eq!(house.current().second(), None);
}

#[test]
fn d19_a_spin_without_its_beginning_is_the_first_and_needs_a_supervisor() {
    let spun = || {
        let mut house = closed("rws-roulette-000");
        house.device(Observation::Revolved { times: 6 });
        let enter = house.entry(TABLE, house.outcome(TABLE, "17"));
        house.staff_refused(DEALER, enter, Code::NoTumble);
        let report = rested(&house, "17");
        house.device(report);
        house
    };
    settled_with_a_supervisor(&mut spun(), "17");
    let mut house = spun();
    house.device(SPUN);
    let report = rested(&house, "20");
    house.device(report);
    let entry = house.entry(TABLE, house.outcome(TABLE, "20"));
    house.staff_refused(DEALER, entry, Code::SecondTumble);
}

#[test]
fn d5_grounds_of_a_tumble_that_was_not_announced_freeze_the_round_in_play() {
    let cases: [(&str, &[Observation], &str); 5] = [
        ("rws-sicbo", &[Observation::Tumbled { times: 1 }], "5.3.1"),
        ("rws-sicbo", &[Observation::NotFlat], "5.3.2"),
        ("rws-sicbo", &[Observation::Covered, THREE, Observation::Uncovered, Observation::NotFlat], "5.3.3"),
        ("rws-sicbo-open", &[THREE], "5.3.3"),
        ("rws-roulette-000", &[Observation::FlungOut], "5.3.4"),
    ];
    for (game, reports, paragraph) in cases {
        // A later round: the one before is settled, and none of this is about it.
        let mut house = House::with(game);
        let (_, wins, _) = even_money(game);
        house.play(&[], wins);
        house.open();
        house.later(bounds::TUMBLE_TAKES);
        house.cover(TABLE);
        reports.iter().for_each(|report| drop(house.device(*report)));
        house.halted_by(paragraph);
        assert!(!house.alerts().iter().any(|alert| matches!(alert, AlertKind::ReportedLate(_))), "{game}");
        house.confirm_ground();
        house.replays();
    }
}

#[test]
fn d19_what_cannot_be_of_a_new_round_is_about_the_one_before() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&[], "1-2-4");
    house.open();
    let events = house.device(Observation::NotFlat);
    assert!(matches!(events[0], Event::ObservedLate { round: of, .. } if of == round), "{events:?}");
    // The dice of before are read once more, and later they are another tumble's.
    house.later(bounds::TUMBLE_TAKES);
    house.device(read([2, 1, 4]));
    assert_eq!(house.current().seen().concealed, [None; 3]);
    house.cover(TABLE);
    house.device(Observation::Activated);
    assert_eq!(house.current().second(), None);
}

#[test]
fn rws_sicbo_open_5_3_3_a_tumble_whose_activation_was_set_aside_stays_the_first() {
    for tumbled_before in [true, false] {
        let mut house = House::with("rws-sicbo-open");
        let round = house.open();
        house.device(Observation::Activated);
        if tumbled_before {
            house.device(THREE);
        }
        house.staff(SUPERVISOR, House::dismissal());
        house.close();
        if !tumbled_before {
            house.device(THREE);
        }
        house.device(read([1, 2, 3]));
        assert!(house.current().seen().dice.iter().all(Option::is_some));
        // Another activation would halt the round.
        let again = house.command(Sender::Device(DEVICE), Body::Observe(Observation::Activated));
        let Ok(Decision::Events(records)) = house.floor.decide(&again) else { panic!("the report is refused") };
        assert!(matches!(records[0].event, Event::SecondTumble { .. }), "{records:?}");
        if tumbled_before {
            house.enter("1-2-3");
            house.confirm();
            assert_eq!(house.result_of(round).as_deref(), Some("1-2-3"));
        } else {
            settled_with_a_supervisor(&mut house, "1-2-3");
        }
    }
}

#[test]
fn mbs_sicbo_3_1_after_a_reading_under_the_cover_no_one_starts_again_alone() {
    let mut house = House::with("mbs-sicbo");
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(read([1, 2, 3]));
    let events = house.device(Observation::Activated);
    assert!(matches!(events[0], Event::SecondTumble { .. }), "{events:?}");
    assert!(matches!(house.alerts()[..], [AlertKind::SecondTumble(_)]));
    house.staff_refused(DEALER, Body::open_bets(TABLE), Code::SecondTumble);
    // With a Pit Supervisor the dealer declares 5.1 and begins another round.
    let declare = |witness| Body::DeclareGround { table: TABLE, ground: GroundId::TooFewTumbles, witness };
    house.staff_refused(DEALER, declare(None), Code::SecondPerson);
    house.staff(DEALER, declare(Some(SUPERVISOR)));
    house.device(Observation::Activated);
    assert_eq!(house.current().second(), None);
}

#[test]
fn d19_what_a_tumbler_reads_binds_even_if_it_need_not_read() {
    let mut house = House::with("rws-sicbo");
    let measures = Measures { reads: false, ..house.floor.device(DEVICE).unwrap().measures() };
    house.staff(ADMINISTRATOR, Body::DescribeDevice { device: DEVICE, measures, witness: Some(SUPERVISOR) });
    house.open();
    house.close();
    house.play_device();
    house.device(read([1, 2, 3]));
    let entry = house.entry(TABLE, house.outcome(TABLE, "6-6-6"));
    house.staff(DEALER, entry);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
}

#[test]
fn d18_a_spin_and_another_count_after_the_count_of_the_first_are_a_second_spin() {
    let mut house = closed("rws-roulette-000");
    house.device(SPUN);
    house.device(SPUN);
    assert_eq!(house.current().second(), None, "a wheel repeats itself");
    house.device(Observation::Revolved { times: 6 });
    house.device(SPUN);
    assert_eq!(house.current().second(), None, "a wheel repeats itself");
    house.device(Observation::Revolved { times: 6 });
    assert_eq!(house.current().second(), None, "a wheel repeats itself: only rested ends the spin");
    house.device(Observation::Revolved { times: 5 });
    assert_eq!(house.current().second(), Some(DEVICE), "another count is of another spin");
    let report = rested(&house, "20");
    house.device(report);
    let entry = house.entry(TABLE, house.outcome(TABLE, "20"));
    house.staff_refused(DEALER, entry, Code::SecondTumble);
    house.staff_refused(DEALER, first(Some(SUPERVISOR)), Code::NotValid);
}

#[test]
fn d5_the_reading_after_a_ground_that_was_put_aside_counts() {
    for lost in [Observation::NoCompartment, Observation::FlungOut] {
        let mut house = closed("rws-roulette-000");
        house.device(SPUN);
        house.device(Observation::Revolved { times: 6 });
        house.device(lost);
        house.staff(DEALER, House::dismissal());
        let report = rested(&house, "17");
        house.device(report);
        let round = house.round();
        house.enter("17");
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some("17"));
    }
}

#[test]
fn d12_the_two_seconds_of_the_close_do_not_run_while_the_host_is_away() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.stoppage(3_500);
    assert_eq!(house.floor.next_deadline().map(|at| at.since(house.at)), Some(bounds::ACKNOWLEDGE_WITHIN));
    house.later(1_000);
    house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
    house.acknowledge(TABLE);
    assert_eq!(house.current().awaiting(), 0);
    // Those that do not come back in time count as lost.
    let mut house = House::with("rws-sicbo");
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.stoppage(3_500);
    house.later(bounds::ACKNOWLEDGE_WITHIN);
    let events = house.system(Body::Elapse);
    assert!(matches!(events[0], Event::CountedLost { .. }), "{events:?}");
}

#[test]
fn d20_no_chips_are_recorded_while_a_second_tumble_halts_the_round() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "small", 10)]);
    house.close();
    house.tumble_at(TABLE);
    house.device(Observation::Activated);
    assert!(house.current().second().is_some());
    let chips = house.placing((2, "small", 10));
    house.staff_refused(DEALER, chips, Code::SecondTumble);
}

#[test]
fn d19_a_second_person_who_signs_without_need_is_named() {
    let mut house = closed("rws-sicbo");
    house.play_device();
    house.device(read([1, 2, 3]));
    house.enter("1-2-3");
    let events = house.staff(DEALER, House::confirming_with(SUPERVISOR));
    assert!(matches!(events[0], Event::ResultWitnessed { witness: SUPERVISOR, .. }), "{events:?}");
}

#[test]
fn d24_a_manager_does_not_choose_an_outcome_with_the_shift_manager() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.tumble_at(TABLE);
    let early = rested(&house, "17");
    house.device(early);
    house.close();
    let outcome = house.outcome(TABLE, "17");
    let choose = |witness| Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness };
    house.staff_refused(SHIFT_MANAGER, choose(Some(MANAGER)), Code::SecondPerson);
    house.staff(SHIFT_MANAGER, choose(Some(SECOND_SHIFT_MANAGER)));
    assert_eq!(house.result_of(round).as_deref(), Some("17"));
}

#[test]
fn d18_a_wheel_that_repeats_where_the_ball_rests_after_a_void_round_speaks_of_the_old_spin() {
    for closed_before in [false, true] {
        let mut house = closed("rws-roulette-000");
        house.device(SPUN);
        let rest = rested(&house, "17");
        house.device(rest);
        let ground = GroundId::ForeignObject;
        house.staff(DEALER, Body::DeclareGround { table: TABLE, ground, witness: Some(SUPERVISOR) });
        let round = house.open();
        if closed_before {
            house.close();
        }
        house.device(rest);
        assert!(!house.current().rested_early() && !house.current().seen().is_unannounced());
        if !closed_before {
            house.close();
        }
        // No one settles by the spin of the void round.
        let (outcome, witness) = (house.outcome(TABLE, "17"), Some(SECOND_SHIFT_MANAGER));
        let choose =
            Body::ChooseOutcome { table: TABLE, round, outcome, reason: "the wheel says so".to_owned(), witness };
        house.staff_refused(SHIFT_MANAGER, choose, Code::Phase);
        not_of_this_round(&mut house, "17", "20");
        // What it says after a spin is of that spin, even if it is the same pocket.
        let round = house.play(&[], "20");
        assert_eq!(house.result_of(round).as_deref(), Some("20"));
    }
}

#[test]
fn d24_setting_a_second_spin_aside_does_not_erase_what_the_wheel_read_of_a_spin_that_it_reported() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.device(Observation::Revolved { times: 6 });
    let early = rested(&house, "17");
    house.device(early);
    house.close();
    house.device(SPUN);
    house.device(Observation::Revolved { times: 6 });
    let rest = rested(&house, "20");
    house.device(rest);
    let aside = Body::DismissGround {
        table: TABLE,
        reason: "one of them was not made".to_owned(),
        witness: Some(SECOND_SHIFT_MANAGER),
    };
    house.staff(SHIFT_MANAGER, aside);
    let affirmed = points(&house);
    house.staff(DEALER, Body::StateEarlyRest { table: TABLE, affirmed });
    let choose = |house: &House, pocket: &str| Body::ChooseOutcome {
        table: TABLE,
        round,
        outcome: house.outcome(TABLE, pocket),
        reason: "camera".to_owned(),
        witness: Some(SECOND_SHIFT_MANAGER),
    };
    let other = choose(&house, "21");
    house.staff_refused(SHIFT_MANAGER, other, Code::NotValid);
    let reported = choose(&house, "20");
    house.staff(SHIFT_MANAGER, reported);
    assert_eq!(house.result_of(round).as_deref(), Some("20"));
    house.replays();
}

#[test]
fn rws_taisai_5_5_3_dice_read_with_the_cover_off_and_nothing_tumbled_are_those_of_before() {
    for live in [false, true] {
        let mut house = if live { House::live() } else { House::with("rws-sicbo") };
        match live {
            true => house.deal(&[(1, "big", 100)], "5-5-6"),
            false => house.play(&[], "5-5-6"),
        };
        let round = house.open();
        house.later(bounds::TUMBLE_TAKES);
        for closed in [false, true] {
            if closed {
                house.close();
            }
            house.device(read([2, 2, 3]));
            assert_eq!(house.open_ground(), None, "nothing was concealed");
            assert!(!house.current().seen().is_unannounced());
        }
        house.device(Observation::Covered);
        house.device(Observation::Activated);
        assert_eq!(house.current().second(), None, "the first tumble of the round");
        house.device(THREE);
        house.device(Observation::Uncovered);
        house.device(read([1, 2, 3]));
        house.enter("1-2-3");
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some("1-2-3"));
        house.replays();
    }
    // A cover that comes off after the close lay over dice of this round, even if their tumble was not reported.
    let mut house = closed("rws-sicbo");
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 3]));
    assert!(house.current().seen().is_unannounced());
}

/// Set off and read, and the report that the tumble ended is lost.
fn read_while_running(game: &str) -> House {
    let mut house = closed(game);
    house.device(Observation::Activated);
    house.device(read([5, 6, 5]));
    let seen = house.current().seen();
    assert!(!seen.running && seen.is_uncounted(), "{game}");
    house
}

#[test]
fn d19_a_reading_says_that_the_tumble_ended_and_binds_without_its_count() {
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        let mut house = read_while_running(game);
        assert_eq!(house.alerts(), [&AlertKind::DeviceNonsense(DEVICE)], "{game}");
        let entry = house.entry(TABLE, house.outcome(TABLE, "1-1-2"));
        house.staff_refused(DEALER, entry, Code::NoTumble);
        house.out_of_service(Function::Device);
        let entry = house.entry(TABLE, house.outcome(TABLE, "1-1-2"));
        house.staff(DEALER, entry);
        assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19", "{game}");
        house.replays();
    }
    // No die was read while it tumbles: that says nothing.
    let mut house = closed("rws-sicbo");
    house.device(Observation::Activated);
    house.device(read([0, 0, 0]));
    assert!(house.current().seen().running);
}

#[test]
fn d18_the_count_after_the_reading_is_of_the_same_tumble() {
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        let mut house = read_while_running(game);
        let round = house.round();
        house.device(THREE);
        assert_eq!((house.current().second(), house.open_ground()), (None, None), "{game}");
        house.device(Observation::Uncovered);
        house.device(read([5, 6, 5]));
        house.enter("5-6-5");
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some("5-6-5"), "{game}");
        // It is judged, and another activation is a second one.
        let mut house = read_while_running(game);
        house.device(Observation::Tumbled { times: 2 });
        house.halted_by("5.3.1");
        let mut house = read_while_running(game);
        house.device(Observation::Activated);
        assert_eq!(house.current().second(), Some(DEVICE), "{game}");
    }
}

#[test]
fn d22_a_reading_without_the_count_of_its_tumble_binds_the_attestation() {
    let mut house = read_while_running("rws-sicbo-open");
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Device, note: None });
    let attest = |finding| Body::Attest { table: TABLE, finding, witness: Some(SUPERVISOR) };
    house.staff_refused(DEALER, attest(Finding::NotEstablished), Code::Established);
    house.staff(DEALER, attest(Finding::Established));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-1-2"));
    house.staff(DEALER, entry);
    house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson);
}

#[test]
fn d18_the_count_of_a_tumble_of_a_void_round_is_of_no_later_one() {
    let mut house = read_while_running("rws-sicbo-open");
    house.staff(DEALER, Body::DeclareGround { table: TABLE, ground: GroundId::DiceDamaged, witness: Some(SUPERVISOR) });
    house.open();
    house.close();
    house.device(THREE);
    not_of_this_round(&mut house, "5-6-5", "1-2-3");
}

/// The dealer cannot enter anything for what lies there, and plays the round with a tumble or spin of its own.
#[track_caller]
fn not_of_this_round(house: &mut House, lies: &str, outcome: &str) {
    let round = house.round();
    let entry = house.entry(TABLE, house.outcome(TABLE, lies));
    house.staff_refused(DEALER, entry, Code::NoTumble);
    house.play_device();
    house.reads(TABLE, house.outcome(TABLE, outcome));
    house.enter(outcome);
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some(outcome));
    house.replays();
}

#[test]
fn d18_what_was_set_off_before_the_round_does_not_count_when_it_ends_in_it() {
    for game in ["rws-sicbo", "rws-sicbo-open"] {
        let mut house = House::with(game);
        house.device(Observation::Activated);
        house.open();
        house.close();
        house.device(THREE);
        house.device(Observation::Uncovered);
        house.device(read([6, 6, 6]));
        house.device(Observation::Covered);
        not_of_this_round(&mut house, "6-6-6", "1-2-3");
    }
    let mut house = House::with("rws-roulette-000");
    house.device(SPUN);
    house.open();
    // A wheel repeats that it was spun.
    house.device(SPUN);
    house.close();
    house.device(Observation::Revolved { times: 5 });
    let ends = rested(&house, "19");
    house.device(ends);
    not_of_this_round(&mut house, "19", "7");
}

#[test]
fn d18_what_was_spun_for_a_void_round_does_not_count_for_the_next() {
    let mut house = closed("rws-roulette-000");
    house.device(SPUN);
    house.device(Observation::WheelStopped);
    house.confirm_ground();
    house.open();
    house.close();
    let ends = rested(&house, "19");
    house.device(ends);
    not_of_this_round(&mut house, "19", "7");
}
