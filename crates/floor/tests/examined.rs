//! What an examiner tried at the tables, and what must come of it.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{GroundId, Point};

fn first(witness: Option<StaffId>) -> Body {
    Body::KeepFirstOutcome { table: TABLE, witness, affirmed: Vec::new() }
}

fn setting_aside(witness: Option<StaffId>) -> Body {
    Body::DismissGround { table: TABLE, reason: "a loose wire".to_owned(), witness }
}

fn reporting(failed: Failed) -> Body {
    Body::ReportInterruption { table: TABLE, failed, note: None }
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

/// Why a command would be refused.
fn words(house: &House, staff: StaffId, body: &Body) -> String {
    house.floor.may(Sender::Staff(staff), body, house.at).unwrap_err().words.clone()
}

#[test]
fn d23_at_a_live_table_a_pit_supervisor_signs_once_no_chips_are_recorded_any_more() {
    let damaged = Body::declare_ground(TABLE, GroundId::DiceDamaged);
    let takes_two = |house: &House| house.floor.declaring_takes_two(TABLE, GroundId::DiceDamaged, house.at);
    // The dealer's word, the period, a die read: each of them is when the dice can be seen.
    for seen in 0..3 {
        let mut house = House::live();
        house.open();
        house.device(Observation::Activated);
        house.device(Observation::Tumbled { times: 3 });
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        assert!(!takes_two(&house), "{seen}");
        assert!(house.floor.may(Sender::Staff(DEALER), &damaged, house.at).is_ok());
        match seen {
            0 => drop(house.staff(DEALER, Body::DeclareUncovered { table: TABLE })),
            1 => house.later(20_001),
            _ => drop(house.device(read([3, 0, 0]))),
        }
        assert!(takes_two(&house), "{seen}");
        assert_eq!(house.staff_refused(DEALER, damaged.clone(), Code::SecondPerson), "D23");
        house.staff(DEALER, House::declaring(GroundId::DiceDamaged));
    }
}

#[test]
fn d20_a_period_that_has_passed_is_not_made_longer() {
    let mut house = House::live();
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.later(20_001);
    let late = house.placing((1, "big", 100));
    house.staff_refused(DEALER, late.clone(), Code::BetsClosed);
    let period = Body::SetRecordingPeriod {
        table: TABLE,
        period: 600_000,
        reason: "busy".to_owned(),
        witness: Some(SHIFT_MANAGER),
    };
    house.staff(MANAGER, period);
    assert_eq!(house.staff_refused(DEALER, late, Code::BetsClosed), "3.6, 5.7");
    let table = house.floor.table(TABLE).unwrap();
    assert_eq!((table.recording_period(), table.next_recording_period()), (20_000, 600_000));
}

#[test]
fn d20_a_die_read_before_the_close_ends_recording_too() {
    let mut house = House::live();
    house.open();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(read([6, 0, 0]));
    house.place(&[(1, "big", 100)]);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let late = house.placing((1, "big", 100));
    assert_eq!(house.staff_refused(DEALER, late, Code::BetsClosed), "3.6, 5.7");
}

#[test]
fn d18_to_set_a_second_tumble_aside_before_the_first_was_read_takes_two_shift_managers_and_a_supervisor() {
    let (mut house, round) = closed("rws-sicbo-open");
    house.tumble_at(TABLE);
    house.tumble_at(TABLE);
    // It chooses which dice the round goes on with.
    assert_eq!(house.staff_refused(SHIFT_MANAGER, setting_aside(None), Code::SecondPerson), "D27");
    house.staff_refused(SHIFT_MANAGER, setting_aside(Some(MANAGER)), Code::SecondPerson);
    house.staff(SHIFT_MANAGER, setting_aside(Some(SECOND_SHIFT_MANAGER)));
    // It is unknown which tumble a reading belongs to.
    house.device(read([1, 1, 1]));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-1-1"));
    house.staff(DEALER, entry);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
    assert_eq!(house.result_of(round).as_deref(), Some("1-1-1"));
}

#[test]
fn d18_a_second_tumble_after_a_complete_reading_is_set_aside_by_the_shift_manager_alone() {
    let (mut house, round) = closed("rws-sicbo-open");
    house.tumble_at(TABLE);
    house.device(read([1, 2, 4]));
    house.tumble_at(TABLE);
    house.staff(SHIFT_MANAGER, setting_aside(None));
    house.enter("1-2-4");
    house.staff(DEALER, Body::confirm_result(TABLE));
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-4"));
}

#[test]
fn d6_terminals_that_never_came_back_are_awaited_over_any_number_of_restarts() {
    for game in ON_TERMINALS {
        let (mut house, _) = closed(game);
        let (_, wins, _) = even_money(game);
        house.play_device();
        house.enter(wins);
        // A quick restart: every link is down, and one terminal comes back.
        house.stoppage(1_000);
        for terminal in [T0, T1, T2] {
            house.system(Body::TerminalLost { terminal });
        }
        assert_eq!(house.floor.waits_for(TABLE, house.at), Some(Wait::Returning(3)));
        house.system(Body::TerminalBack { terminal: T0 });
        assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::Unacknowledged), "D6");
        // Another one: the two others are still awaited.
        house.later(1_000);
        let events = house.stoppage(1_000);
        assert!(matches!(events[..], [Event::StoppageRecorded { .. }]), "{game}");
        house.system(Body::TerminalLost { terminal: T0 });
        house.system(Body::TerminalBack { terminal: T0 });
        assert_eq!(house.current().not_yet_back(), 2, "{game}");
        house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::Unacknowledged);
        house.later(10_000);
        let events = house.system(Body::Elapse);
        assert!(matches!(events[..], [Event::RoundInterrupted { .. }]), "{game}: {events:?}");
        house.attest(Finding::NotAffected);
        house.staff(DEALER, Body::confirm_result(TABLE));
    }
}

#[test]
fn d6_stoppages_one_after_the_other_are_one_as_long_as_terminals_are_away() {
    for back in [false, true] {
        let mut house = House::with("rws-sicbo");
        house.open();
        house.bet(T0, &["small=10.00"]);
        house.stoppage(7_000);
        house.system(Body::TerminalLost { terminal: T0 });
        if back {
            house.system(Body::TerminalBack { terminal: T0 });
        }
        house.later(1_000);
        house.stoppage(7_000);
        assert_eq!(house.current().is_interrupted(), !back, "{back}");
    }
}

#[test]
fn d6_d19_what_a_device_reports_while_the_round_is_interrupted_does_not_count_and_binds_the_entry() {
    let (mut house, round) = closed("rws-sicbo");
    house.tumble_at(TABLE);
    house.staff(DEALER, reporting(Failed::Power));
    let events = house.device(Observation::Uncovered);
    assert!(matches!(events[0], Event::ObservedMeanwhile { round: of, .. } if of == round), "{events:?}");
    assert_eq!(house.alerts(), [&AlertKind::ReportedMeanwhile(round)]);
    // Neither the cover nor a die establishes anything: they were not uncovered lawfully.
    house.device(read([6, 0, 0]));
    assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished);
    assert_eq!(house.current().meanwhile().dice.iter().flatten().count(), 1);
    assert!(house.current().seen().dice.iter().all(Option::is_none) && !house.current().seen().uncovered);
    let attest = |witness| Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: Some(witness) };
    assert_eq!(house.staff_refused(DEALER, attest(SUPERVISOR), Code::SecondPerson), "D6");
    house.staff(DEALER, attest(SHIFT_MANAGER));
    // An entry against it needs a second person and a reason.
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(DEALER, entry);
    assert!(house.alerts().contains(&&AlertKind::DeviceDisagrees(round)));
    let silent = Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SUPERVISOR), reason: None };
    house.staff_refused(DEALER, silent, Code::Text);
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
}

#[test]
fn d6_bets_closed_and_dice_lawfully_uncovered_establish_an_outcome_though_nothing_was_read() {
    for game in ["rws-sicbo", "rws-sicbo-open", "mbs-sicbo"] {
        let (mut house, round) = closed(game);
        house.play_device();
        house.staff(DEALER, reporting(Failed::Power));
        let proposal = house.floor.proposal(TABLE).unwrap();
        assert_eq!(proposal.finding, Finding::Established, "{game}");
        assert!(proposal.concluded.is_empty());
        house.staff_refused(DEALER, House::attestation(Finding::NotEstablished), Code::Established);
        // Where the dice no longer show a result, the Shift Manager decides (D22).
        house.attest(Finding::Established);
        house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
        house.is_void(round, &[(T0, dollars(1_000))]);
    }
    // Where no device is in service, the dealer's word that the dice are uncovered stands.
    let mut house = House::live();
    house.out_of_service(Function::Device);
    house.open();
    house.place(&[(1, "big", 100)]);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.staff(DEALER, Body::DeclareUncovered { table: TABLE });
    house.staff(DEALER, reporting(Failed::Power));
    house.staff_refused(DEALER, House::attestation(Finding::NotEstablished), Code::Established);
    // Under the cover nothing is.
    let (mut house, _) = closed("rws-sicbo");
    house.tumble_at(TABLE);
    house.staff(DEALER, reporting(Failed::Power));
    house.attest(Finding::NotEstablished);
}

#[test]
fn d24_only_an_outcome_that_a_spin_showed_is_chosen() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.tumble_at(TABLE);
    let choose = |house: &House, outcome: &str| {
        let (outcome, witness) = (house.outcome(TABLE, outcome), Some(SECOND_SHIFT_MANAGER));
        Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness }
    };
    let (early, later) = (house.outcome(TABLE, "17"), house.outcome(TABLE, "20"));
    house.device(Observation::Rested { pocket: early });
    house.close();
    let never = choose(&house, "5");
    assert_eq!(house.staff_refused(SHIFT_MANAGER, never.clone(), Code::NotValid), "D24");
    let unseen = choose(&house, "20");
    house.staff_refused(SHIFT_MANAGER, unseen.clone(), Code::NotValid);
    // Another spin of the round shows another pocket.
    house.device(SPUN);
    house.device(Observation::Rested { pocket: later });
    house.staff_refused(SHIFT_MANAGER, never, Code::NotValid);
    house.staff(SHIFT_MANAGER, unseen);
    assert_eq!(house.result_of(round).as_deref(), Some("20"));
}

#[test]
fn d19_who_took_the_device_out_of_service_does_not_sign_for_a_result_of_that_round() {
    let (mut house, _) = closed("rws-sicbo");
    house.play_device();
    house.device(read([6, 5, 4]));
    house.staff(SUPERVISOR, House::servicing(Function::Device, false, Some(MANAGER)));
    let outcome = house.outcome(TABLE, "1-2-4");
    let signed = |house: &House, witness| match house.entry(TABLE, outcome) {
        Body::EnterResult { table, outcome, affirmed, .. } => {
            let reason = Some("seen on the table".to_owned());
            Body::EnterResult { table, outcome, affirmed, witness: Some(witness), reason }
        }
        _ => unreachable!(),
    };
    for signs in [SUPERVISOR, MANAGER] {
        let entry = signed(&house, signs);
        assert_eq!(house.staff_refused(DEALER, entry, Code::ServiceChanged), "D19");
    }
    let alone = house.entry(TABLE, outcome);
    house.staff(DEALER, alone);
    house.staff_refused(DEALER, House::confirming_with(SUPERVISOR), Code::ServiceChanged);
    house.staff(DEALER, House::confirming_with(SECOND_SUPERVISOR));
    // Nor for the first outcome after a second tumble.
    let (mut house, _) = closed("rws-sicbo");
    house.play_device();
    house.device(read([6, 5, 4]));
    house.device(Observation::Activated);
    house.staff(SUPERVISOR, House::servicing(Function::Device, false, Some(MANAGER)));
    house.staff_refused(DEALER, first(Some(SUPERVISOR)), Code::ServiceChanged);
    // With no device in service the dealer affirms everything, here too.
    house.staff_refused(DEALER, first(Some(SECOND_SUPERVISOR)), Code::Affirm);
    let affirmed = vec![Point::Cover, Point::Times, Point::Flat];
    let witness = Some(SECOND_SUPERVISOR);
    house.staff(DEALER, Body::KeepFirstOutcome { table: TABLE, witness, affirmed });
}

#[test]
fn rws_taisai_5_13_nobody_places_a_bet_in_a_colleagues_name() {
    let mut house = House::live();
    house.open();
    let (position, spot, amount) = (Position(1), house.chip_spot("big"), dollars(100));
    let named = |employee| Body::PlaceForPlayer { table: TABLE, position, spot, amount, employee };
    assert_eq!(house.staff_refused(DEALER, named(SECOND_SUPERVISOR), Code::NotForSender), "5.13");
    let events = house.staff(SECOND_SUPERVISOR, named(SECOND_SUPERVISOR));
    assert!(matches!(events[..], [Event::ChipsPlaced { by: Some(SECOND_SUPERVISOR), for_player: true, .. }]));
}

#[test]
fn rws_taisai_5_3_the_chips_of_a_player_who_left_are_taken_back_only_with_a_pit_supervisor() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100), (2, "big", 100)]);
    house.staff(DEALER, Body::PlayerLeft { table: TABLE, position: Position(1) });
    let taking = |house: &House, player, witness| match house.taking((player, "big", 100)) {
        Body::TakeChips { table, position, spot, amount, .. } => {
            Body::TakeChips { table, position, spot, amount, witness }
        }
        _ => unreachable!(),
    };
    let alone = taking(&house, 1, None);
    assert_eq!(house.staff_refused(DEALER, alone, Code::SecondPerson), "5.3");
    let dealers = taking(&house, 1, Some(SECOND_DEALER));
    house.staff_refused(DEALER, dealers, Code::SecondPerson);
    let signed = taking(&house, 1, Some(SUPERVISOR));
    let events = house.staff(DEALER, signed);
    assert!(matches!(events[..], [Event::ChipsTaken { by: Some(DEALER), witness: Some(SUPERVISOR), .. }]));
    // A person of that rank takes chips back alone, and the record names who recorded it.
    let present = taking(&house, 2, None);
    let events = house.staff(DEALER, present);
    assert!(matches!(events[..], [Event::ChipsTaken { by: Some(DEALER), witness: None, .. }]));
}

#[test]
fn d19_a_reading_that_comes_after_the_entry_and_differs_alerts_the_pit() {
    for game in ON_TERMINALS {
        let (mut house, round) = closed(game);
        let (_, wins, loses) = even_money(game);
        house.play_device();
        if game == "rws-roulette-000" {
            // Its end is its reading: a second one differs.
            house.reads(TABLE, house.outcome(TABLE, wins));
        }
        let entry = house.entry(TABLE, house.outcome(TABLE, wins));
        house.staff(DEALER, entry);
        let disagrees = AlertKind::DeviceDisagrees(round);
        assert!(!house.alerts().contains(&&disagrees), "{game}");
        house.reads(TABLE, house.outcome(TABLE, loses));
        assert!(house.alerts().contains(&&disagrees), "{game}");
        house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson);
    }
}

#[test]
fn d19_a_reading_after_the_close_counts_where_an_early_uncovering_was_set_aside() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.tumble_at(TABLE);
    house.device(Observation::Uncovered);
    house.staff(SUPERVISOR, House::dismissal());
    house.device(read([1, 2, 4]));
    assert!(house.current().seen().dice.iter().all(Option::is_none), "not before the close");
    house.close();
    house.device(read([1, 2, 4]));
    assert_eq!(house.current().seen().dice.iter().flatten().count(), 3);
    // Under a cover that was put on again nothing is read.
    let mut house = House::with("rws-sicbo");
    house.open();
    house.tumble_at(TABLE);
    house.device(Observation::Uncovered);
    house.staff(SUPERVISOR, House::dismissal());
    house.device(Observation::Covered);
    house.close();
    house.device(read([1, 2, 4]));
    assert!(house.current().seen().dice.iter().all(Option::is_none));
}

#[test]
fn d19_every_device_in_service_must_have_reported_of_the_round() {
    let mut house = House::with("rws-sicbo-open");
    let place = DevicePlace::Table(TABLE);
    // A second one is refused now; a floor of before may have it.
    let another = DeviceId(u16::try_from(house.floor.devices().len()).unwrap());
    let (name, kind) = ("another".to_owned(), DeviceKind::Tumbler);
    house.tell(Event::DeviceAdded { device: another, name, kind, place, measures: None, by: None, witness: None });
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    for report in [Observation::Activated, Observation::Tumbled { times: 3 }, read([1, 2, 4])] {
        house.ok(Sender::Device(another), Body::Observe(report));
    }
    // The first one is silent: the other does not stand for it.
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    assert_eq!(house.staff_refused(DEALER, entry.clone(), Code::NoTumble), "3.6");
    house.out_of_service(Function::Device);
    house.staff(DEALER, entry);
    house.confirm();
}

#[test]
fn refusals_name_the_act_and_the_game() {
    let (house, round) = closed("rws-sicbo");
    let (outcome, witness) = (house.outcome(TABLE, "1-2-4"), Some(SECOND_SHIFT_MANAGER));
    let choose = Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness };
    assert!(words(&house, SHIFT_MANAGER, &choose).contains("dice"));
    let correct = house.correction(round, "1-2-4");
    assert_eq!(words(&house, SUPERVISOR, &correct), "this round is not settled yet");
    for (body, act) in [
        (reporting(Failed::Power), "report an interruption"),
        (Body::AnswerFault { table: TABLE, affects: true }, "say whether a device fault affects the round"),
        (first(Some(SUPERVISOR)), "end the round with its first outcome"),
    ] {
        assert!(words(&house, AUDITOR, &body).ends_with(act), "{act}");
    }
    let range = |outcome| Body::ChangeRounds {
        table: TABLE,
        changes: vec![(round, outcome)],
        ground: None,
        reason: "camera".to_owned(),
        preview: rulebook::library::find("rws-sicbo").unwrap().hash(),
        witness: None,
    };
    assert!(words(&house, AUDITOR, &range(None)).ends_with("void a range of rounds"));
    assert!(words(&house, AUDITOR, &range(Some(outcome))).ends_with("correct a range of rounds"));
}
