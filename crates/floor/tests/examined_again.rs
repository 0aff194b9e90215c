//! What an examiner found at the running program: tumbles in the open, readings of a running tumbler, attestations
//! against no reading, an early ball, and people who changed a device (D4, D18–D20, D22).

use crate::common::*;
use floor::*;
use rulebook::GroundId;

const THREE: Observation = Observation::Tumbled { times: 3 };

fn read(dice: [u8; 3]) -> Observation {
    Observation::DiceRead { dice: dice.map(rulebook::Face::new) }
}

fn closed(game: &str) -> House {
    let mut house = House::with(game);
    house.open();
    house.close();
    house
}

#[test]
fn d19_dice_tumbled_in_the_open_before_the_close_are_exposed() {
    for game in ["rws-sicbo", "rws-taisai"] {
        let mut house = House::with(game);
        // The cover was never put back after the round before, or taken off between rounds.
        house.device(Observation::Uncovered);
        house.open();
        house.device(Observation::Activated);
        let exposed = house.current().ground().map(|open| open.ground);
        assert_eq!(exposed, Some(GroundId::ExposedBeforeClose), "{game}");
        house.device(THREE);
        assert!(house.current().ground().is_some(), "{game}: a cover put on later cures nothing");
    }
}

#[test]
fn d19_at_mbs_a_round_that_begins_with_the_cover_off_is_halted() {
    let mut house = House::with("mbs-sicbo");
    house.device(Observation::Uncovered);
    house.device(Observation::Activated);
    let exposed = house.current().ground().map(|open| open.ground);
    assert_eq!(exposed, Some(GroundId::ExposedBeforeClose));
    house.device(THREE);
    house.staff_refused(DEALER, Body::open_bets(TABLE), Code::GroundOpen);
}

#[test]
fn d19_a_tumble_in_the_open_after_the_close_is_not_lawful() {
    for course in [
        [Observation::Uncovered, Observation::Activated, Observation::Covered, THREE],
        [Observation::Covered, Observation::Activated, Observation::Uncovered, THREE],
    ] {
        let mut house = closed("rws-sicbo");
        for observation in course {
            house.device(observation);
        }
        house.device(Observation::Uncovered);
        house.device(read([1, 2, 3]));
        let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-3"));
        assert_eq!(house.staff_refused(DEALER, entry, Code::NotValid), "3.6", "{course:?}");
    }
}

#[test]
fn d19_an_uncovering_that_was_reported_falsely_hinders_nothing() {
    let mut house = House::with("rws-sicbo");
    house.device(Observation::Uncovered);
    house.open();
    house.device(Observation::Activated);
    house.staff(SUPERVISOR, Body::DismissGround { table: TABLE, reason: "a loose wire".to_owned(), witness: None });
    house.device(Observation::Covered);
    house.device(THREE);
    house.close();
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 4]));
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.result_of(RoundId(0)).as_deref(), Some("1-2-4"));
}

#[test]
fn d19_what_is_read_before_the_end_of_the_tumble_is_reported_binds() {
    for game in ["rws-sicbo-open", "rws-sicbo"] {
        let mut house = closed(game);
        house.device(Observation::Activated);
        house.device(read([1, 2, 3]));
        house.device(THREE);
        house.device(Observation::Uncovered);
        house.device(read([4, 5, 6]));
        // The device contradicts itself: no one settles by one of its readings alone.
        house.staff(DEALER, house.entry(TABLE, house.outcome(TABLE, "4-5-6")));
        assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19", "{game}");
    }
}

#[test]
fn d22_none_established_stands_where_no_lawful_tumble_was_read() {
    let interrupted = |house: &mut House| {
        house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
        let attest = Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness: Some(SUPERVISOR) };
        house.staff(DEALER, attest);
        assert!(house.floor.table(TABLE).unwrap().round().is_none(), "void");
    };
    // The power fails while the dice tumble.
    let mut house = closed("rws-sicbo-open");
    house.device(Observation::Activated);
    house.device(Observation::DiceRead { dice: [None; 3] });
    interrupted(&mut house);
    // Or the tumble was too short, and what it showed is no outcome.
    let mut house = closed("rws-sicbo-open");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 2 });
    house.device(read([1, 2, 3]));
    interrupted(&mut house);
}

/// What a device reports of a round whose terminals do not show the close yet, as in [`closed`] they do.
fn closing(game: &str, reports: &[Observation]) -> House {
    let mut house = House::with(game);
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    reports.iter().for_each(|report| drop(house.device(*report)));
    house
}

fn put_aside(house: &mut House) {
    house.staff(SUPERVISOR, Body::DismissGround { table: TABLE, reason: "a loose wire".to_owned(), witness: None });
}

fn power_fails(house: &mut House) {
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
}

#[test]
fn d22_dice_that_lay_open_after_the_close_are_read_while_the_round_is_interrupted_and_end_it() {
    let mut house = closing("rws-sicbo", &[Observation::Activated, Observation::Uncovered]);
    house.later(2_000);
    house.device(Observation::Uncovered);
    put_aside(&mut house);
    power_fails(&mut house);
    house.device(read([1, 2, 3]));
    let attest = |finding| Body::Attest { table: TABLE, finding, witness: Some(MANAGER) };
    house.refused(Sender::Staff(SUPERVISOR), attest(Finding::NotEstablished), Code::Established);
    house.staff(SUPERVISOR, attest(Finding::Established));
    // No decision makes it void: it is concluded with what was read.
    let (round, reason, witness) = (house.round(), "the power".to_owned(), Some(SECOND_SHIFT_MANAGER));
    let void = Body::Decide { table: TABLE, round: Some(round), ruling: Ruling::VoidRound, reason, witness };
    house.refused(Sender::Staff(SHIFT_MANAGER), void, Code::Established);
    house.staff(DEALER, house.entry(TABLE, house.outcome(TABLE, "1-2-3")));
    house.staff(DEALER, Body::confirm_result(TABLE));
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-3"));
    house.replays();
}

#[test]
fn d22_what_is_read_before_every_terminal_shows_the_close_establishes_nothing() {
    let kept = || {
        let mut house = closing("rws-sicbo-open", &[Observation::Activated, THREE]);
        put_aside(&mut house);
        house.device(read([1, 2, 3]));
        let seen = house.current().seen();
        assert_eq!((seen.dice, seen.concealed), ([None; 3], [1, 2, 3].map(rulebook::Face::new)));
        house
    };
    // The Shift Manager and another one can void it at once, also once it was attested.
    let mut house = kept();
    power_fails(&mut house);
    let attest = Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(SUPERVISOR) };
    house.staff(DEALER, attest);
    let (round, reason, witness) = (Some(house.round()), "the power".to_owned(), Some(SECOND_SHIFT_MANAGER));
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round, ruling: Ruling::VoidRound, reason, witness });
    house.replays();
    // It binds, and the reading after the close is the one that counts.
    let mut house = kept();
    let round = house.round();
    house.acknowledge(TABLE);
    house.staff(DEALER, house.entry(TABLE, house.outcome(TABLE, "4-5-6")));
    house.refused(Sender::Staff(DEALER), Body::confirm_result(TABLE), Code::SecondPerson);
    house.device(read([1, 2, 3]));
    house.staff(DEALER, house.entry(TABLE, house.outcome(TABLE, "1-2-3")));
    house.staff(DEALER, Body::confirm_result(TABLE));
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-3"));
    house.replays();
}

#[test]
fn d4_a_ball_at_rest_before_every_terminal_shows_the_close_gives_no_result() {
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
    house.device(Observation::Revolved { times: 5 });
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let pocket = house.outcome(TABLE, "17");
    house.device(Observation::Rested { pocket });
    assert!(house.current().seen().rested_early);
    house.acknowledge(TABLE);
    let entry = house.entry(TABLE, pocket);
    assert_eq!(house.staff_refused(DEALER, entry, Code::NotValid), "D4");
}

#[test]
fn d19_what_was_read_under_the_cover_binds_who_enters_the_result() {
    for (before_close, entered) in [(true, "1-2-3"), (false, "1-2-3")] {
        let mut house = House::with("rws-sicbo");
        house.open();
        if !before_close {
            house.close();
        }
        house.device(Observation::Activated);
        house.device(THREE);
        house.device(read([4, 5, 6]));
        if before_close {
            house.close();
        }
        house.device(Observation::Uncovered);
        let (true_one, other) = (house.outcome(TABLE, "4-5-6"), house.outcome(TABLE, entered));
        house.staff(DEALER, house.entry(TABLE, other));
        house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson);
        let silent = Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SUPERVISOR), reason: None };
        house.staff_refused(DEALER, silent, Code::Text);
        // The result that was read needs no second person.
        house.staff(DEALER, house.entry(TABLE, true_one));
        house.confirm();
    }
}

#[test]
fn d19_no_result_while_the_device_in_service_says_that_the_cover_is_on() {
    let mut house = closed("rws-sicbo");
    house.staff(SUPERVISOR, House::servicing(Function::Reading, false, Some(MANAGER)));
    house.device(Observation::Activated);
    house.device(THREE);
    let entry = house.entry(TABLE, house.outcome(TABLE, "6-6-6"));
    assert_eq!(house.staff_refused(DEALER, entry.clone(), Code::NoTumble), "3.6");
    house.device(Observation::Uncovered);
    house.staff(DEALER, entry);
}

#[test]
fn d19_who_redefines_a_device_needs_a_second_person_for_results_that_day() {
    let mut house = House::with("rws-sicbo");
    let measures = Measures { reads: false, ..house.floor.device(DEVICE).unwrap().measures() };
    house.staff(ADMINISTRATOR, Body::DescribeDevice { device: DEVICE, measures, witness: Some(SUPERVISOR) });
    house.open();
    house.close();
    house.play_device();
    let entry = house.entry(TABLE, house.outcome(TABLE, "6-6-6"));
    house.staff(SUPERVISOR, entry);
    house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::SecondPerson);
}

#[test]
fn d19_who_changed_the_device_does_not_put_that_rounds_result_right_either() {
    let mut house = closed("rws-sicbo");
    house.play_device();
    house.staff(SUPERVISOR, House::servicing(Function::Device, false, Some(MANAGER)));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-3"));
    house.staff(DEALER, entry);
    house.confirm();
    let outcome = house.outcome(TABLE, "6-6-4");
    let correct = |witness| Body::CorrectResult {
        round: RoundId(0),
        outcome,
        reason: "the dice showed it".to_owned(),
        witness: Some(witness),
    };
    house.staff_refused(SUPERVISOR, correct(SECOND_SUPERVISOR), Code::ServiceChanged);
    house.staff_refused(SECOND_SUPERVISOR, correct(SUPERVISOR), Code::ServiceChanged);
}

#[test]
fn d18_who_ends_the_round_signs_for_an_entry_that_contradicts_no_reading() {
    let keep = |witness| Body::KeepFirstOutcome { table: TABLE, witness: Some(witness), affirmed: Vec::new() };
    let entered = |by, outcome: &str| {
        let mut house = closed("rws-sicbo-open");
        house.device(Observation::Activated);
        house.device(THREE);
        house.device(read([6, 0, 0]));
        let entry = house.entry(TABLE, house.outcome(TABLE, outcome));
        house.staff(by, entry);
        house.device(Observation::Activated);
        house
    };
    let mut house = entered(DEALER, "6-6-6");
    let round = house.round();
    house.staff_refused(DEALER, keep(SECOND_DEALER), Code::SecondPerson);
    house.staff(DEALER, keep(SUPERVISOR));
    assert_eq!(house.result_of(round).as_deref(), Some("6-6-6"));
    house.replays();
    // Against the one die that was read it decides nothing.
    let mut house = entered(DEALER, "1-2-3");
    assert_eq!(house.staff_refused(DEALER, keep(SUPERVISOR), Code::NotValid), "D18");
    // Who entered it does not sign for it.
    let mut house = entered(SUPERVISOR, "6-6-6");
    assert_eq!(house.staff_refused(DEALER, keep(SUPERVISOR), Code::SecondPerson), "D18");
    house.staff(DEALER, keep(SECOND_SUPERVISOR));
}

#[test]
fn a_confirmation_settles_what_it_names_and_nothing_else() {
    let mut house = closed("rws-sicbo-open");
    house.device(Observation::Activated);
    house.device(THREE);
    house.device(read([1, 2, 3]));
    let (one, other) = (house.outcome(TABLE, "1-2-3"), house.outcome(TABLE, "6-6-6"));
    house.staff(DEALER, house.entry(TABLE, one));
    let confirm = |outcome| Body::ConfirmResult { table: TABLE, outcome: Some(outcome), witness: None, reason: None };
    house.staff_refused(DEALER, confirm(other), Code::NotValid);
    house.staff(DEALER, confirm(one));
}

#[test]
fn d20_a_bet_that_was_placed_for_a_player_is_recorded_as_such_after_the_close() {
    let mut house = House::live();
    house.open();
    house.close();
    let (position, spot, amount) = (Position(1), house.chip_spot("big"), dollars(100));
    let events = house.staff(DEALER, Body::PlaceChips { table: TABLE, position, spot, amount, for_player: true });
    assert!(matches!(events[..], [Event::ChipsPlaced { by: Some(DEALER), for_player: true, standing: true, .. }]));
}

#[test]
fn d18_dice_exposed_before_the_close_after_a_second_tumble_are_a_ground() {
    for game in ["rws-sicbo", "rws-taisai"] {
        let mut house = if game == "rws-taisai" { House::live() } else { House::with(game) };
        house.open();
        house.tumble_at(TABLE);
        house.tumble_at(TABLE);
        let events = house.report(TABLE, Observation::Uncovered);
        let raised = |event: &Event| matches!(event, Event::GroundRaised { ground: GroundId::ExposedBeforeClose, .. });
        assert!(events.iter().any(raised), "{game}");
        // The second tumble cannot be set aside while the ground is open.
        let aside = Body::DismissGround { table: TABLE, reason: "a loose wire".to_owned(), witness: Some(SUPERVISOR) };
        house.staff(SHIFT_MANAGER, aside);
        assert!(house.floor.table(TABLE).unwrap().round().is_some_and(|round| round.is_halted()), "{game}");
    }
}

#[test]
fn d18_the_count_of_another_tumble_after_a_reading_is_a_second_tumble() {
    let mut house = House::with("rws-sicbo-open");
    house.open();
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    // The same count again is the same tumble, until its dice could be seen.
    house.device(Observation::Tumbled { times: 3 });
    house.device(read([1, 2, 0]));
    let events = house.device(Observation::Tumbled { times: 3 });
    assert!(events.iter().any(|event| matches!(event, Event::SecondTumble { .. })));
    house.device(read([0, 0, 6]));
    assert_eq!(house.floor.first_outcome(TABLE), None, "readings of two tumbles are never merged");
}

#[test]
fn d18_before_the_notice_the_dealer_alone_declares_too_few_tumbles() {
    let mut house = House::with("mbs-sicbo");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.staff(DEALER, Body::declare_ground(TABLE, GroundId::TooFewTumbles));
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
}

fn interrupt(house: &mut House) {
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
}

fn none_established() -> Body {
    Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness: Some(SUPERVISOR) }
}

#[test]
fn d18_a_second_activation_does_not_undo_an_established_outcome() {
    for game in ["rws-sicbo", "rws-sicbo-open", "rws-taisai"] {
        for report_first in [true, false] {
            let mut house = closed(game);
            for observation in [Observation::Covered, Observation::Activated, THREE, Observation::Uncovered] {
                house.device(observation);
            }
            if report_first {
                interrupt(&mut house);
            }
            house.device(Observation::Activated);
            if !report_first {
                interrupt(&mut house);
            }
            house.staff_refused(DEALER, none_established(), Code::Established);
        }
    }
}

#[test]
fn d19_who_took_the_wheel_out_of_service_does_not_choose_the_outcome() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.staff(SHIFT_MANAGER, House::servicing(Function::Device, false, Some(MANAGER)));
    let affirmed = vec![rulebook::Point::Direction, rulebook::Point::Times];
    house.staff(DEALER, Body::StateEarlyRest { table: TABLE, affirmed });
    house.close();
    let choose = |house: &House, witness| {
        let (outcome, reason) = (house.outcome(TABLE, "5"), "camera".to_owned());
        Body::ChooseOutcome { table: TABLE, round, outcome, reason, witness: Some(witness) }
    };
    let own = choose(&house, SECOND_SHIFT_MANAGER);
    assert_eq!(house.staff_refused(SHIFT_MANAGER, own, Code::ServiceChanged), "D19");
    let signed = choose(&house, SHIFT_MANAGER);
    assert_eq!(house.staff_refused(SECOND_SHIFT_MANAGER, signed, Code::ServiceChanged), "D19");
}

#[test]
fn d19_a_reading_under_the_cover_is_not_the_reading_of_the_result() {
    let mut house = House::with("rws-sicbo");
    house.open();
    for observation in [Observation::Covered, Observation::Activated, THREE, read([6, 6, 6])] {
        house.device(observation);
    }
    house.close();
    house.device(Observation::Uncovered);
    let entry = house.entry(TABLE, house.outcome(TABLE, "6-6-6"));
    house.staff(DEALER, entry);
    let confirm = Body::ConfirmResult { table: TABLE, outcome: None, witness: None, reason: None };
    assert_eq!(house.staff_refused(DEALER, confirm, Code::SecondPerson), "D19");
}

#[test]
fn d19_a_correction_against_the_device_alerts_the_pit() {
    let mut house = closed("rws-sicbo");
    let round = house.current().id();
    let read = house.outcome(TABLE, "6-6-1");
    house.honest_device(TABLE, read);
    let entry = house.entry(TABLE, read);
    house.staff(DEALER, entry);
    house.staff(DEALER, Body::ConfirmResult { table: TABLE, outcome: None, witness: None, reason: None });
    let correct = |house: &House, outcome: &str| {
        let (outcome, reason) = (house.outcome(TABLE, outcome), "seen on camera".to_owned());
        Body::CorrectResult { round, outcome, reason, witness: Some(SECOND_SUPERVISOR) }
    };
    let against = correct(&house, "1-2-3");
    let events = house.staff(SUPERVISOR, against);
    let disagrees = |event: &Event| matches!(event, Event::AlertRaised { what: AlertKind::DeviceDisagrees(of), .. } if *of == round);
    assert!(events.iter().any(disagrees), "{events:?}");
    let back = correct(&house, "6-6-1");
    let events = house.staff(SUPERVISOR, back);
    assert!(!events.iter().any(disagrees), "{events:?}");
}
