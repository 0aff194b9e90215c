//! The physical table is the authority: the first lawful outcome stands (D18), a result needs its tumble or spin (D19),
//! interruptions are reported where they happen (D21), nothing is attested against the record (D22), and every ground can
//! be declared (D23). Each rule has an honest course and a dishonest or unlucky one.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Arises, GroundId, Point, Timing};

fn first(witness: Option<StaffId>) -> Body {
    Body::KeepFirstOutcome { table: TABLE, witness, affirmed: Vec::new() }
}

fn alone(house: &House, outcome: &str) -> Body {
    Body::enter_result(TABLE, house.outcome(TABLE, outcome))
}

/// A closed round with a bet of 10.00 that wins on the first outcome of the game.
fn closed(game: &str) -> (House, RoundId) {
    let mut house = House::with(game);
    let (spot, ..) = even_money(game);
    let round = house.open();
    house.bet(T0, &[&format!("{spot}=10.00")]);
    house.close();
    (house, round)
}

#[test]
fn d18_a_second_tumble_or_spin_halts_the_round_and_the_first_outcome_is_paid() {
    for game in ON_TERMINALS {
        let (mut house, round) = closed(game);
        let (_, wins, loses) = even_money(game);
        let (won, lost) = (house.outcome(TABLE, wins), house.outcome(TABLE, loses));
        house.honest_device(TABLE, won);
        house.tumble_at(TABLE);
        house.reads(TABLE, lost);
        assert_eq!(house.alerts(), [&AlertKind::SecondTumble(round)], "{game}");
        assert!(house.current().is_halted());
        // Both outcomes are kept, each with its own tumble.
        assert_eq!(house.floor.first_outcome(TABLE), Some(won), "{game}");
        assert_eq!(house.current().later().len(), 1);
        // Neither outcome is entered, the halt voids nothing, and a dealer alone ends nothing.
        for outcome in [wins, loses] {
            let enter = alone(&house, outcome);
            house.staff_refused(DEALER, enter, Code::SecondTumble);
        }
        house.staff_refused(DEALER, Body::ConfirmGround { table: TABLE }, Code::NothingToDo);
        assert_eq!(house.staff_refused(DEALER, first(None), Code::SecondPerson), "D15");
        assert_eq!(house.staff_refused(DEALER, first(Some(SECOND_DEALER)), Code::SecondPerson), "D15");
        house.staff(DEALER, first(Some(SUPERVISOR)));
        assert_eq!(house.result_of(round).as_deref(), Some(wins));
        assert_eq!(house.credit(T0), dollars(1_010), "{game}");
    }
}

#[test]
fn d18_readings_of_two_tumbles_are_never_mixed() {
    let (mut house, round) = closed("rws-sicbo");
    house.play_device();
    house.device(read([1, 0, 0]));
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(read([0, 5, 6]));
    assert_eq!(house.current().seen().dice.iter().flatten().count(), 1);
    assert_eq!(house.current().later()[0].dice.iter().flatten().count(), 2);
    // Only partly read and never entered: the Shift Manager decides.
    assert_eq!(house.staff_refused(DEALER, first(Some(SUPERVISOR)), Code::NotValid), "D18");
    house.staff_refused(SUPERVISOR, House::dismissal(), Code::Rank);
    house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
    house.is_void(round, &[(T0, dollars(1_000))]);
}

#[test]
fn d18_the_shift_manager_sets_a_false_report_aside_and_later_readings_are_of_the_first_tumble() {
    let (mut house, round) = closed("rws-sicbo");
    house.play_device();
    house.device(Observation::Activated);
    let closes = Body::CloseBets { table: TABLE };
    house.staff_refused(DEALER, closes, Code::Phase);
    house.staff_refused(SHIFT_MANAGER, House::dismissal(), Code::SecondPerson);
    let (reason, witness) = ("a loose wire".to_owned(), Some(SECOND_SHIFT_MANAGER));
    house.staff(SHIFT_MANAGER, Body::DismissGround { table: TABLE, reason, witness });
    assert!(!house.current().is_halted());
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-4"));
}

#[test]
fn d18_an_entered_result_stands_when_the_dealer_tumbles_again() {
    let (mut house, round) = closed("rws-sicbo-open");
    house.enter("1-2-4");
    house.device(Observation::Activated);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondTumble), "3.7");
    house.staff(DEALER, first(Some(SUPERVISOR)));
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-4"));
}

#[test]
fn d18_a_result_against_the_reading_is_not_the_first_outcome() {
    let (mut house, round) = closed("rws-sicbo");
    house.play_device();
    house.device(read([6, 5, 4]));
    house.enter("1-2-4");
    house.device(Observation::Activated);
    house.staff(DEALER, first(Some(SUPERVISOR)));
    assert_eq!(house.result_of(round).as_deref(), Some("6-5-4"), "what was read, not what was entered against it");
}

#[test]
fn d18_repeated_reports_of_one_spin_are_one_spin() {
    let (mut house, round) = closed("rws-roulette-000");
    let pocket = house.outcome(TABLE, "1");
    for report in [SPUN, SPUN, Observation::Revolved { times: 5 }, SPUN, Observation::Rested { pocket }] {
        house.device(report);
    }
    house.device(Observation::Rested { pocket });
    assert!(!house.current().is_halted());
    house.enter("1");
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("1"));
    assert!(house.alerts().is_empty());
}

#[test]
fn d18_before_the_notice_the_dealer_starts_again_or_declares() {
    let mut house = House::with("mbs-sicbo");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 2 });
    assert_eq!(house.open_ground().as_deref(), Some("5.1"));
    let events = house.device(Observation::Activated);
    assert!(matches!(events[0], Event::StartedAgain { .. }), "{events:?}");
    assert_eq!((house.open_ground(), house.current().is_halted()), (None, false));
    house.device(Observation::Tumbled { times: 3 });
    house.staff(DEALER, Body::open_bets(TABLE));
    // After the notice it is a second tumble, and the bets are frozen.
    house.bet(T0, &["small=10.00"]);
    house.device(Observation::Activated);
    assert_eq!(house.every_road_is_shut(T0, "small", Code::GroundOpen), "D5");
    // Exposed dice are not tumbled again either.
    let mut house = House::with("mbs-sicbo");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(Observation::Uncovered);
    let events = house.device(Observation::Activated);
    assert!(matches!(events[0], Event::SecondTumble { .. }), "{events:?}");
}

#[test]
fn d18_no_other_tumble_replaces_one_whose_beginning_was_not_reported() {
    for (game, by_hand) in [("rws-sicbo", false), ("rws-sicbo", true), ("rws-sicbo-open", false)] {
        let (mut house, _) = closed(game);
        let events = house.device(Observation::Tumbled { times: 3 });
        assert!(matches!(events[0], Event::Observed { counts: true, .. }), "{events:?}");
        assert_eq!(house.alerts(), [&AlertKind::DeviceNonsense(DEVICE)]);
        house.device(Observation::Uncovered);
        house.device(read([6, 5, 4]));
        assert!(house.current().seen().is_unannounced(), "it is not known to be of this round");
        if by_hand {
            // What was read binds all the same when the device is out of service.
            house.out_of_service(Function::Device);
            let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
            house.staff(DEALER, entry);
            assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
            continue;
        }
        // A tumble that is reported from its beginning is a second one.
        let events = house.device(Observation::Activated);
        assert!(matches!(events[0], Event::SecondTumble { .. }), "{events:?}");
        house.device(Observation::Tumbled { times: 3 });
        let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
        house.staff_refused(DEALER, entry, Code::SecondTumble);
    }
    // One that was too short is not cured by another.
    let (mut house, _) = closed("rws-sicbo");
    house.device(Observation::Tumbled { times: 2 });
    assert_eq!(house.open_ground().as_deref(), Some("5.3.1"));
    // Before the notice the dealer starts again (mbs-sicbo).
    let mut house = House::with("mbs-sicbo");
    house.staff(DEALER, Body::BeginRound { table: TABLE });
    house.device(Observation::Tumbled { times: 3 });
    let events = house.device(Observation::Activated);
    assert!(matches!(events[0], Event::StartedAgain { .. }), "{events:?}");
}

#[test]
fn d18_the_number_of_kept_tumbles_is_bounded() {
    let (mut house, _) = closed("rws-sicbo");
    house.play_device();
    for _ in 0..20 {
        house.device(Observation::Activated);
        house.device(Observation::Tumbled { times: 3 });
    }
    assert_eq!(house.current().later().len(), bounds::TUMBLES);
}

#[test]
fn d19_a_device_that_reports_nothing_holds_the_round_until_it_is_out_of_service() {
    for game in ETG {
        let (mut house, round) = closed(game);
        let (_, wins, _) = even_money(game);
        let enter = alone(&house, wins);
        assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::NoTumble), "3.6", "{game}");
        // Two people, one of them a Pit Supervisor, and never one twice.
        for (by, witness) in [(SUPERVISOR, None), (SUPERVISOR, Some(SUPERVISOR)), (DEALER, Some(SECOND_DEALER))] {
            let out = House::servicing(Function::Device, false, witness);
            assert_eq!(house.staff_refused(by, out, Code::SecondPerson), "D15");
        }
        house.out_of_service(Function::Device);
        // Now the dealer affirms every point of the document with the entry, in one step.
        house.staff_refused(DEALER, enter, Code::Affirm);
        let entry = house.entry(TABLE, house.outcome(TABLE, wins));
        let Body::EnterResult { affirmed, .. } = &entry else { panic!() };
        assert_eq!(affirmed.len(), house.rulebook(TABLE).affirmations().len());
        let events = house.staff(DEALER, entry);
        assert!(matches!(&events[..], [Event::ResultEntered { entry: Some(_), .. }]), "the affirmation is recorded");
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some(wins));
    }
}

#[test]
fn d19_no_result_while_the_device_reports_running() {
    let (mut house, _) = closed("rws-sicbo");
    house.device(Observation::Activated);
    let enter = alone(&house, "1-2-4");
    assert_eq!(house.staff_refused(DEALER, enter, Code::NotValid), "3.6");
    let (mut house, _) = closed("rws-roulette-000");
    house.device(SPUN);
    house.device(Observation::Revolved { times: 4 });
    let enter = alone(&house, "1");
    assert_eq!(house.staff_refused(DEALER, enter, Code::NotValid), "3.6");
}

#[test]
fn d19_an_entry_against_any_reading_needs_a_pit_supervisor_and_a_reason() {
    for (dice, entered) in [([6, 5, 4], "1-2-4"), ([6, 0, 0], "1-2-4"), ([1, 1, 0], "1-2-4")] {
        let (mut house, round) = closed("rws-sicbo");
        house.play_device();
        house.device(read(dice));
        let enter = alone(&house, entered);
        house.staff(DEALER, enter);
        assert_eq!(house.alerts(), [&AlertKind::DeviceDisagrees(round)]);
        assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
        let silent = Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SUPERVISOR), reason: None };
        assert_eq!(house.staff_refused(DEALER, silent, Code::Text), "bounds");
        house.staff_refused(DEALER, House::confirming_with(DEALER), Code::SecondPerson);
        house.staff_refused(DEALER, House::confirming_with(SECOND_DEALER), Code::SecondPerson);
        let events = house.staff(DEALER, House::confirming_with(SUPERVISOR));
        assert!(matches!(events[0], Event::ResultWitnessed { need: Need::Contradicts, .. }), "{events:?}");
        assert_eq!(house.result_of(round).as_deref(), Some(entered));
    }
}

#[test]
fn d19_a_reading_that_comes_after_the_entry_holds_the_confirmation() {
    let (mut house, _) = closed("rws-sicbo");
    house.play_device();
    let outcome = house.outcome(TABLE, "1-2-4");
    let with = Body::EnterResult { table: TABLE, outcome, affirmed: vec![], witness: Some(SUPERVISOR), reason: None };
    house.staff(DEALER, with);
    // The Pit Supervisor stood by an entry without a reading, not by one against it.
    house.device(read([6, 5, 4]));
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
}

#[test]
fn d19_a_missing_reading_needs_a_second_person_until_the_reading_is_out_of_service() {
    let (mut house, round) = closed("rws-sicbo");
    house.play_device();
    let enter = alone(&house, "1-2-4");
    house.staff(DEALER, enter);
    assert_eq!(house.alerts(), [&AlertKind::DeviceSilent(round)]);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    let with = Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SUPERVISOR), reason: None };
    house.staff(DEALER, with);
    // The reading alone goes out of service: the tumble is still the device's, and the dealer affirms that dice lie flat.
    house.open();
    house.close();
    house.out_of_service(Function::Reading);
    let enter = alone(&house, "1-2-4");
    house.staff_refused(DEALER, enter.clone(), Code::NoTumble);
    house.play_device();
    house.device(read([6, 5, 4]));
    assert_eq!(house.current().seen().dice, [None; 3], "a reading out of service reads nothing");
    assert_eq!(house.staff_refused(DEALER, enter, Code::Affirm), "3.7");
    let outcome = house.outcome(TABLE, "1-2-4");
    let affirmed = vec![Point::Flat];
    house.staff(DEALER, Body::EnterResult { table: TABLE, outcome, affirmed, witness: None, reason: None });
    house.staff(DEALER, Body::confirm_result(TABLE));
}

#[test]
fn d19_a_wheel_whose_reading_is_out_of_service_still_says_that_the_ball_rests() {
    let (mut house, round) = closed("rws-roulette-000");
    house.out_of_service(Function::Reading);
    house.tumble_at(TABLE);
    let pocket = house.outcome(TABLE, "2");
    house.device(Observation::Rested { pocket });
    assert_eq!(house.current().seen().pocket, None);
    let enter = alone(&house, "1");
    house.staff(DEALER, enter);
    house.staff(DEALER, Body::confirm_result(TABLE));
    assert_eq!(house.result_of(round).as_deref(), Some("1"));
}

#[test]
fn d19_neither_of_the_two_enters_a_result_in_that_round_nor_alone_that_day() {
    let (mut house, _) = closed("rws-sicbo");
    house.staff(DEALER, House::servicing(Function::Device, false, Some(SUPERVISOR)));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    for person in [DEALER, SUPERVISOR] {
        assert_eq!(house.staff_refused(person, entry.clone(), Code::ServiceChanged), "D19");
    }
    house.staff(SECOND_DEALER, Body::TakeTable { table: TABLE });
    house.staff(SECOND_DEALER, entry);
    house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::ServiceChanged);
    house.staff(SECOND_DEALER, Body::confirm_result(TABLE));
    house.staff(DEALER, Body::TakeTable { table: TABLE });
    // Later that day only with a second person; the next day alone.
    for (later, needs) in [(0, true), (24 * 60 * 60_000, false)] {
        house.later(later);
        house.open();
        house.close();
        let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
        house.staff(DEALER, entry);
        let confirmed = house.send(Sender::Staff(DEALER), Body::confirm_result(TABLE));
        assert_eq!(confirmed.is_err(), needs);
        if needs {
            house.staff(DEALER, House::confirming_with(SECOND_SUPERVISOR));
        }
    }
}

#[test]
fn d19_a_device_is_back_from_the_next_round_and_what_it_read_before_still_binds() {
    let (mut house, _) = closed("rws-sicbo");
    house.play_device();
    house.device(read([6, 0, 0]));
    house.out_of_service(Function::Device);
    house.staff(SECOND_SUPERVISOR, House::servicing(Function::Device, true, Some(MANAGER)));
    assert!(house.serving(TABLE).is_none(), "not in this round");
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(DEALER, entry);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
    house.open();
    assert_eq!(house.serving(TABLE), Some(DEVICE));
}

#[test]
fn d19_a_ground_reported_before_binds_a_device_out_of_service() {
    let (mut house, _) = closed("rws-sicbo");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 1 });
    house.out_of_service(Function::Device);
    let enter = alone(&house, "1-2-4");
    assert_eq!(house.staff_refused(DEALER, enter, Code::GroundOpen), "5.3.1");
}

#[test]
fn d19_a_device_is_moved_away_from_a_table_by_two_people() {
    let mut house = House::with("rws-sicbo");
    let away = |witness| Body::MoveDevice { device: DEVICE, place: DevicePlace::Store, witness };
    assert_eq!(house.staff_refused(ADMINISTRATOR, away(None), Code::SecondPerson), "D15");
    house.staff_refused(ADMINISTRATOR, away(Some(DEALER)), Code::SecondPerson);
    let blind = Body::DescribeDevice { device: DEVICE, measures: Measures::default(), witness: None };
    assert_eq!(house.staff_refused(ADMINISTRATOR, blind, Code::SecondPerson), "D15");
    house.staff(ADMINISTRATOR, away(Some(SUPERVISOR)));
    house.open();
    house.close();
    let enter = alone(&house, "1-2-4");
    house.staff_refused(DEALER, enter, Code::Affirm);
    // Who was there enters nothing alone for the rest of the day.
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(SUPERVISOR, entry);
    house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::SecondPerson);
}

#[test]
fn d19_a_device_comes_to_a_table_by_two_people_and_both_are_remembered() {
    let mut house = House::with("rws-sicbo");
    let place = DevicePlace::Table(TABLE);
    let to = |place, witness| Body::MoveDevice { device: DEVICE, place, witness };
    house.system(to(DevicePlace::Store, None));
    let add = |witness| Body::AddDevice {
        name: "spare".to_owned(),
        kind: DeviceKind::Tumbler,
        place,
        measures: Some(Measures::default()),
        witness,
    };
    for body in [to(place, None), add(None)] {
        assert_eq!(house.staff_refused(ADMINISTRATOR, body, Code::SecondPerson), "D15");
    }
    for second in [DEALER, CASHIER, ADMINISTRATOR] {
        house.staff_refused(ADMINISTRATOR, to(place, Some(second)), Code::SecondPerson);
        house.staff_refused(ADMINISTRATOR, add(Some(second)), Code::SecondPerson);
    }
    // A floor that begins has no people of the pit who are independent: another administrator signs.
    assert!(house.floor.may(Sender::Staff(ADMINISTRATOR), &add(Some(SECOND_ADMINISTRATOR)), house.floor.now()).is_ok());
    house.staff(ADMINISTRATOR, add(Some(SUPERVISOR)));
    // Who brought it enters no result there alone for the rest of the day.
    house.open();
    house.close();
    let device = house.floor.devices().last().unwrap().id();
    let (function, witness) = (Function::Device, Some(MANAGER));
    let out = Body::ChangeService { device, function, in_service: false, reason: "dark".to_owned(), witness };
    house.staff(SECOND_SUPERVISOR, out);
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(SUPERVISOR, entry);
    house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::SecondPerson);
    // To the store of the floor it comes by one person.
    let mut house = House::with("rws-sicbo");
    house.staff(ADMINISTRATOR, Body::add_device("spare".to_owned(), DeviceKind::Tumbler, DevicePlace::Store));
    house.replays();
}

#[test]
fn d19_a_device_that_goes_from_one_table_to_another_is_remembered_at_both() {
    let mut house = House::with("rws-sicbo");
    let other = house.add_table("rws-sicbo", House::settings("rws-sicbo"));
    for device in [DEVICE, house.serving(other).unwrap()] {
        house.system(Body::MoveDevice { device, place: DevicePlace::Store, witness: None });
    }
    house.system(Body::MoveDevice { device: DEVICE, place: DevicePlace::Table(TABLE), witness: None });
    let body = Body::MoveDevice { device: DEVICE, place: DevicePlace::Table(other), witness: Some(SUPERVISOR) };
    let events = house.staff(ADMINISTRATOR, body);
    let moved = |event: &Event| match event {
        Event::DeviceMoved { place, witness, .. } => Some((*place, *witness)),
        _ => None,
    };
    let both = [DevicePlace::Store, DevicePlace::Table(other)].map(|place| Some((place, Some(SUPERVISOR))));
    assert_eq!(events.iter().map(moved).collect::<Vec<_>>(), both);
    assert_eq!(house.serving(other), Some(DEVICE));
    // Without a device here, the dealer affirms, and the two who took it away enter nothing alone.
    house.open();
    house.close();
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(SUPERVISOR, entry);
    house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::SecondPerson);
    house.replays();
}

#[test]
fn d19_a_device_out_of_service_that_reports_after_the_settlement_is_heard() {
    let cases = [
        ("rws-sicbo", Observation::Tumbled { times: 1 }),
        ("rws-sicbo", Observation::NotFlat),
        ("rws-roulette-000", Observation::FlungOut),
    ];
    for (game, late) in cases {
        // It falls silent, two people take it out of service, the dealer affirms, and then it reports after all.
        let (mut house, round) = closed(game);
        let (_, wins, _) = even_money(game);
        house.out_of_service(Function::Device);
        let entry = house.entry(TABLE, house.outcome(TABLE, wins));
        house.staff(DEALER, entry);
        house.confirm();
        let events = house.device(late);
        assert!(matches!(events[0], Event::ObservedLate { round: of, .. } if of == round), "{events:?}");
        assert_eq!(house.alerts(), [&AlertKind::ReportedLate(round)], "{game}");
        assert_eq!(house.credit(T0), dollars(1_010), "a report moves no money");
        // From the close of the next round on, what it says is about that round, which is played without it.
        house.open();
        house.close();
        let events = house.device(late);
        assert!(matches!(events[..], [Event::Observed { counts: false, .. }]), "{events:?}");
        house.replays();
    }
}

#[test]
fn d19_a_report_after_settlement_is_added_to_the_record_and_alerts_the_pit() {
    let cases: [(&str, Observation); 4] = [
        ("rws-roulette-000", Observation::FlungOut),
        ("rws-sicbo", Observation::Tumbled { times: 1 }),
        ("mbs-sicbo", Observation::NotFlat),
        ("rws-sicbo", read([6, 0, 0])),
    ];
    for (game, late) in cases {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let round = house.play(&[&format!("{spot}=10.00")], wins);
        // Even if bets of the next round are open, as long as its device was not set off.
        if game == "rws-sicbo" {
            house.open();
        }
        let events = house.device(late);
        assert!(matches!(events[0], Event::ObservedLate { round: of, .. } if of == round), "{events:?}");
        assert_eq!(house.alerts(), [&AlertKind::ReportedLate(round)]);
        assert_eq!(house.credit(T0), dollars(1_010), "a report moves no money");
        // A reading that bears the result out is no cause for an alert, and a new tumble is none of the old round's.
        let mut house = House::with(game);
        house.play(&[], wins);
        let outcome = house.outcome(TABLE, wins);
        house.reads(TABLE, outcome);
        if game != "mbs-sicbo" {
            house.tumble_at(TABLE);
            house.device(late);
        }
        assert!(!house.alerts().iter().any(|alert| matches!(alert, AlertKind::ReportedLate(_))), "{game} {late:?}");
    }
}

#[test]
fn d21_power_at_the_table_interrupts_and_terminals_or_displays_never_do() {
    for game in ON_TERMINALS {
        for failed in [Failed::Power, Failed::Device, Failed::Console] {
            let (mut house, _) = closed(game);
            let report = |failed| Body::ReportInterruption { table: TABLE, failed, note: None };
            house.terminal_refused(T0, report(failed), Code::NotForSender);
            house.staff_refused(CASHIER, report(failed), Code::Rank);
            house.staff(SECOND_DEALER, report(failed));
            assert!(house.current().is_interrupted(), "{game}");
            let enter = alone(&house, even_money(game).1);
            house.staff_refused(DEALER, enter, Code::Interrupted);
            house.attest(Finding::NotAffected);
            assert_eq!(house.current().failed(), [failed]);
        }
        for failed in [Failed::Display, Failed::SomeTerminals, Failed::AllTerminals] {
            let (mut house, _) = closed(game);
            let note = Some("dark since the close".to_owned());
            house.staff(MANAGER, Body::ReportInterruption { table: TABLE, failed, note });
            assert!(!house.current().is_interrupted(), "{game}: it is recorded and the round continues");
            house.enter(even_money(game).1);
            house.confirm();
        }
        let mut house = House::with(game);
        let idle = Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None };
        house.staff_refused(DEALER, idle, Code::Phase);
    }
}

#[test]
fn d21_a_device_fault_in_a_round_asks_the_dealer() {
    for affects in [false, true] {
        let (mut house, _) = closed("rws-sicbo");
        house.device(Observation::Fault { number: 7 });
        house.device(Observation::Restored);
        house.play_device();
        house.device(read([1, 2, 4]));
        let enter = alone(&house, "1-2-4");
        assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::FaultOpen), "D21");
        house.staff(DEALER, Body::AnswerFault { table: TABLE, affects });
        assert_eq!(house.current().is_interrupted(), affects);
        if !affects {
            house.staff(DEALER, enter);
            house.staff_refused(DEALER, Body::AnswerFault { table: TABLE, affects }, Code::NothingToDo);
        }
    }
    // Between rounds there is nothing to ask about.
    let mut house = House::with("rws-sicbo");
    house.device(Observation::Fault { number: 7 });
    house.staff_refused(DEALER, Body::AnswerFault { table: TABLE, affects: true }, Code::NothingToDo);
}

#[test]
fn d22_none_established_is_refused_against_readings_and_the_round_is_concluded() {
    for game in ON_TERMINALS {
        let (mut house, round) = closed(game);
        let (_, wins, _) = even_money(game);
        let outcome = house.outcome(TABLE, wins);
        house.honest_device(TABLE, outcome);
        house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
        let established = house.rulebook(TABLE).irregularities().established.to_string();
        let none = House::attestation(Finding::NotEstablished);
        assert_eq!(house.staff_refused(DEALER, none, Code::Established), established, "{game}");
        house.attest(Finding::Established);
        let entry = house.entry(TABLE, outcome);
        house.staff(DEALER, entry);
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some(wins));
    }
    // With nothing read it is void, as before.
    let (mut house, round) = closed("rws-sicbo");
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
    house.attest(Finding::NotEstablished);
    house.is_void(round, &[(T0, dollars(1_000))]);
}

#[test]
fn d22_dice_that_no_longer_show_a_result_are_for_the_shift_manager() {
    let (mut house, round) = closed("rws-sicbo");
    house.play_device();
    house.device(read([6, 0, 0]));
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
    house.staff_refused(DEALER, House::attestation(Finding::NotEstablished), Code::Established);
    house.attest(Finding::Established);
    house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
    house.is_void(round, &[(T0, dollars(1_000))]);
}

#[test]
fn d23_every_ground_of_every_document_is_declared_in_every_phase() {
    for game in ON_TERMINALS {
        let grounds = House::with(game).rulebook(TABLE).void_grounds().to_vec();
        for ground in grounds {
            for phase in [Phase::Open, Phase::Closed, Phase::Entered] {
                let mut house = House::with(game);
                let round = house.open();
                if phase >= Phase::Closed {
                    house.close();
                }
                if phase == Phase::Entered {
                    house.enter(even_money(game).1);
                    let alone = Body::declare_ground(TABLE, ground.id);
                    if ground.arises != Arises::Attested {
                        assert_eq!(
                            house.staff_refused(DEALER, alone, Code::SecondPerson),
                            "D23",
                            "{game} {}",
                            ground.id
                        );
                    }
                }
                let declared = House::declaring(ground.id);
                if ground.arises == Arises::Attested {
                    house.staff_refused(DEALER, declared, Code::NotAGround);
                } else {
                    house.staff(DEALER, declared);
                    house.is_void(round, &[]);
                }
            }
        }
    }
}

#[test]
fn d23_alone_only_while_nothing_can_be_seen_and_not_against_the_device() {
    // Nothing seen, nothing measured otherwise: the dealer alone.
    let (mut house, round) = closed("rws-sicbo");
    house.staff(DEALER, Body::declare_ground(TABLE, GroundId::DiceDamaged));
    house.is_void(round, &[(T0, dollars(1_000))]);
    // Against the count of the device.
    let (mut house, _) = closed("rws-sicbo");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    let short = Body::declare_ground(TABLE, GroundId::TooFewTumbles);
    assert_eq!(house.staff_refused(DEALER, short, Code::SecondPerson), "D23");
    // Damage is no matter of the device, until the dice can be seen.
    let damaged = Body::declare_ground(TABLE, GroundId::DiceDamaged);
    assert!(house.floor.may(Sender::Staff(DEALER), &damaged, house.at).is_ok());
    house.device(Observation::Uncovered);
    assert_eq!(house.staff_refused(DEALER, damaged.clone(), Code::SecondPerson), "D23");
    // Where no device tells, they can be seen from the close on.
    let (mut house, _) = closed("rws-sicbo");
    house.out_of_service(Function::Device);
    assert_eq!(house.staff_refused(DEALER, damaged, Code::SecondPerson), "D23");
}

#[test]
fn d19_the_points_are_those_of_the_document() {
    for game in ALL {
        let rulebook = rulebook::library::find(game).unwrap();
        let notice = rulebook.affirmations().iter().any(|point| point.with == rulebook::Affirmed::Notice);
        assert_eq!(notice, rulebook.procedure().timing == Timing::BeforeNotice, "{game}");
        for affirmation in rulebook.affirmations() {
            let cited = affirmation.paragraph.to_string();
            assert!(rulebook.paragraphs().iter().any(|paragraph| paragraph.number == cited), "{game} {cited}");
        }
    }
}

#[test]
fn d6_terminals_that_do_not_come_back_after_a_short_stoppage_interrupt_the_round() {
    for back in [true, false] {
        let mut house = House::with("rws-sicbo");
        house.open();
        house.stoppage(1_000);
        assert!(!house.current().is_interrupted(), "within the grace");
        for terminal in [T0, T1, T2] {
            house.system(Body::TerminalLost { terminal });
        }
        for terminal in [T0, T1] {
            house.system(Body::TerminalBack { terminal });
        }
        if back {
            house.system(Body::TerminalBack { terminal: T2 });
        }
        house.later(10_000);
        let elapsed = house.send(Sender::System, Body::Elapse);
        assert_eq!(elapsed.is_ok(), !back);
        assert_eq!(house.current().is_interrupted(), !back);
        if back {
            // One that is lost later is a matter of that terminal alone.
            house.system(Body::TerminalLost { terminal: T2 });
            house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
        } else {
            house.attest(Finding::NotAffected);
            assert!(!house.current().is_interrupted());
        }
    }
}
