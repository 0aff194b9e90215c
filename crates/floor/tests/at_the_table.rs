//! What could still go wrong at a table: limits that changed, a ball that rested early, a cover left off, one person alone.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Cents, OutcomeIndex, Point};

fn correcting(house: &House, round: RoundId, (position, spot, amount): (u8, &str, i64)) -> Body {
    let (spot, amount, reason) = (house.chip_spot(spot), dollars(amount), "camera".to_owned());
    Body::CorrectRecord { round, position: Position(position), spot, amount, reason, witness: Some(SECOND_SUPERVISOR) }
}

/// The most that a box takes, from the next round on.
fn box_of(house: &mut House, most: i64) {
    let mut settings = House::settings("rws-taisai");
    settings.limit.maximum = Some(dollars(most));
    settings.differential = None;
    let body = Body::ChangeSettings {
        table: TABLE,
        settings: settings.into(),
        reason: "a busy night".to_owned(),
        witness: None,
    };
    house.staff(MANAGER, body);
    house.deal(&[], "1-2-4");
}

fn choosing(house: &House, outcome: &str) -> Body {
    let (round, outcome, witness) = (house.round(), house.outcome(TABLE, outcome), Some(SECOND_SHIFT_MANAGER));
    Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness }
}

fn preview(house: &House, changes: &[(RoundId, Option<OutcomeIndex>)]) -> rulebook::Hash {
    house.floor.preview(TABLE, changes).unwrap().hash
}

#[test]
fn d20_a_record_put_right_after_the_limits_changed_moves_nobody_elses_money() {
    let mut house = House::live();
    // 900 and 300 in a box of 1,000: 750 and 250 are at risk.
    let round = house.deal(&[(1, "single/1", 900), (2, "single/1", 300), (3, "single/2", 40)], "6-5-4");
    let shares = |house: &House| house.floor.table(TABLE).unwrap().archived(round).unwrap().shares().to_vec();
    let before = shares(&house);
    assert_eq!(before.iter().map(|share| share.at_risk).collect::<Vec<_>>(), [dollars(750), dollars(250), dollars(40)]);
    box_of(&mut house, 5_000);
    // 50 were there: the missing ten are claimed from player 3, and nothing from any other player.
    let body = correcting(&house, round, (3, "single/2", 50));
    house.staff(SUPERVISOR, body);
    let claims = house.floor.table(TABLE).unwrap().archived(round).unwrap().claims().to_vec();
    assert_eq!(claims, [(Position(3), dollars(10))]);
    assert_eq!(shares(&house)[..2], before[..2]);
    // In the box itself the others change as they would have: by the limits of that round.
    let body = correcting(&house, round, (4, "single/1", 400));
    house.staff(SUPERVISOR, body);
    let at_risk: i64 = shares(&house).iter().filter(|share| share.position.0 != 3).map(|s| s.at_risk.get()).sum();
    assert!((99_000..=100_000).contains(&at_risk), "the box took 1,000 in that round: {at_risk}");
}

#[test]
fn d20_a_bet_added_to_a_round_without_chips_counts_by_the_limits_of_that_round() {
    let mut house = House::live();
    let round = house.deal(&[], "6-5-4");
    box_of(&mut house, 5_000);
    // 1,200 stood in a box of 1,000: 200 of them were never at risk.
    let body = correcting(&house, round, (3, "single/1", 1_200));
    house.staff(SUPERVISOR, body);
    let archived = house.floor.table(TABLE).unwrap().archived(round).unwrap();
    assert_eq!(archived.claims(), [(Position(3), dollars(1_000))]);
}

#[test]
fn d20_of_a_round_that_does_not_know_its_limits_only_the_record_put_right_changes() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "single/1", 900), (2, "single/1", 300)]);
    house.close();
    house.play_device();
    house.enter("6-5-4");
    // As a version wrote it that kept no limits with a round.
    let (sender, number, at, body) = (Sender::Staff(DEALER), 1_000_000, house.at, Body::confirm_result(TABLE));
    let Ok(Decision::Events(records)) = house.floor.decide(&Command { sender, number, at, body }) else { panic!() };
    let round = house.round();
    for record in records {
        let Event::ChipsSettled { round, table, outcome, shares, .. } = record.event else { continue };
        house.tell(Event::ChipsSettled { round, table, outcome, shares, limits: None });
    }
    box_of(&mut house, 5_000);
    let before = house.floor.table(TABLE).unwrap().archived(round).unwrap().shares().to_vec();
    let body = correcting(&house, round, (3, "single/1", 100));
    house.staff(SUPERVISOR, body);
    let archived = house.floor.table(TABLE).unwrap().archived(round).unwrap();
    assert_eq!(archived.claims(), [(Position(3), dollars(100))]);
    assert_eq!(archived.shares()[..2], before[..]);
}

#[test]
fn d24_the_limits_of_a_round_come_back_with_it_from_the_past() {
    let mut house = House::live();
    let round = house.deal(&[(1, "single/1", 900), (2, "single/1", 300)], "6-5-4");
    box_of(&mut house, 5_000);
    let mut left = Vec::new();
    while house.floor.table(TABLE).unwrap().archived(round).is_some() {
        left.extend(house.floor.table(TABLE).unwrap().leaving().map(ArchivedRound::to_bytes));
        house.deal(&[], "1-2-4");
    }
    let leaves: Vec<_> = left.iter().map(|bytes| leaf(bytes)).collect();
    let beside = proof(&leaves, 0).unwrap();
    house.system(Body::RecallRound { table: TABLE, leaf: 0, bytes: left[0].clone(), beside, read: Vec::new() });
    let body = correcting(&house, round, (3, "single/1", 800));
    house.staff(SUPERVISOR, body);
    let shares = house.floor.table(TABLE).unwrap().archived(round).unwrap().shares().to_vec();
    let at_risk: i64 = shares.iter().map(|share| share.at_risk.get()).sum();
    assert!((99_000..=100_000).contains(&at_risk), "{at_risk}");
}

#[test]
fn d5_no_outcome_is_chosen_while_a_ground_is_open_or_a_fault_unanswered_or_the_close_not_shown() {
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house.tumble_at(TABLE);
    let pocket = house.outcome(TABLE, "17");
    house.device(Observation::Rested { pocket });
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let choose = choosing(&house, "17");
    assert_eq!(house.staff_refused(SHIFT_MANAGER, choose.clone(), Code::Unacknowledged), "D12");
    house.acknowledge(TABLE);
    house.device(Observation::Fault { number: 3 });
    assert_eq!(house.staff_refused(SHIFT_MANAGER, choose.clone(), Code::FaultOpen), "D21");
    house.staff(DEALER, Body::AnswerFault { table: TABLE, affects: false });
    house.device(Observation::FlungOut);
    assert_eq!(house.staff_refused(SHIFT_MANAGER, choose.clone(), Code::GroundOpen), "5.3.4");
    house.staff(DEALER, House::dismissal());
    let round = house.round();
    house.staff(SHIFT_MANAGER, choose);
    assert_eq!(house.result_of(round).as_deref(), Some("17"));
}

#[test]
fn d12_a_terminal_that_never_shows_the_close_does_not_stop_the_decision() {
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house.tumble_at(TABLE);
    let pocket = house.outcome(TABLE, "17");
    house.device(Observation::Rested { pocket });
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.later(2_000);
    let choose = choosing(&house, "17");
    let events = house.staff(SHIFT_MANAGER, choose);
    assert!(matches!(events[0], Event::CountedLost { .. }), "{events:?}");
}

#[test]
fn d21_the_first_outcome_does_not_stand_before_a_fault_is_answered() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.play_device();
    house.device(read([1, 2, 4]));
    house.device(Observation::Activated);
    house.device(Observation::Fault { number: 3 });
    let keep = Body::KeepFirstOutcome { table: TABLE, witness: Some(SUPERVISOR), affirmed: Vec::new() };
    assert_eq!(house.staff_refused(DEALER, keep.clone(), Code::FaultOpen), "D21");
    house.staff(DEALER, Body::AnswerFault { table: TABLE, affects: false });
    house.staff(DEALER, keep);
}

#[test]
fn d24_without_a_wheel_in_service_the_shift_manager_decides_about_an_early_ball_too() {
    let mut house = House::with("rws-roulette-000");
    house.out_of_service(Function::Device);
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    let choose = choosing(&house, "17");
    house.staff_refused(SHIFT_MANAGER, choose.clone(), Code::Phase);
    let affirmed = vec![rulebook::Point::Direction, rulebook::Point::Times];
    house.staff(DEALER, Body::StateEarlyRest { table: TABLE, affirmed });
    house.staff_refused(SHIFT_MANAGER, choose.clone(), Code::Phase);
    house.close();
    house.staff(SHIFT_MANAGER, choose);
    assert_eq!(house.credit(T0), dollars(1_350));
    // Where the wheel has said that the ball rested after the close, nothing is chosen.
    house.open();
    house.close();
    let entry = house.entry(TABLE, house.outcome(TABLE, "17"));
    house.staff(DEALER, entry);
    let choose = choosing(&house, "20");
    assert_eq!(house.staff_refused(SHIFT_MANAGER, choose, Code::Phase), "D4");
}

#[test]
fn a_range_never_takes_the_tray_below_zero() {
    let mut house = House::live();
    let rounds = [(); 3].map(|()| house.deal(&[(1, "single/6", 1_000)], "1-2-4"));
    // Each of the rounds could be paid for, and not all three of them.
    let keep = dollars(2_000);
    let tray = house.floor.table(TABLE).unwrap().float();
    house.float(SUPERVISOR, FloatMovement::Credit(Cents::new(tray.get() - keep.get())));
    let changes: Vec<_> = rounds.iter().map(|round| (*round, None)).collect();
    let hash = preview(&house, &changes);
    let range = Body::ChangeRounds {
        table: TABLE,
        changes,
        ground: Some(rulebook::GroundId::DiceDamaged),
        reason: "a chipped corner".to_owned(),
        preview: hash,
        witness: Some(SECOND_MANAGER),
    };
    house.staff_refused(MANAGER, range.clone(), Code::Float);
    let named = House::voiding(rulebook::GroundId::DiceDamaged, rounds.to_vec());
    house.staff_refused(MANAGER, named, Code::Float);
    house.float(SUPERVISOR, FloatMovement::Fill(dollars(1_000)));
    house.staff(MANAGER, range);
    assert_eq!(house.tray(), 0);
}

#[test]
fn d20_dice_tumbled_with_the_cover_left_off_can_be_seen_at_once() {
    let mut house = House::live();
    house.open();
    house.device(Observation::Uncovered);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.place(&[(1, "small", 100)]);
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    let late = house.placing((2, "small", 100));
    assert_eq!(house.staff_refused(DEALER, late, Code::BetsClosed), "3.6, 5.7");
    assert_eq!(house.floor.table(TABLE).unwrap().recording_until(), None);
    let (spot, amount, reason) = (house.chip_spot("small"), dollars(100), "keyed twice".to_owned());
    let position = Position(1);
    let remove = Body::RemoveChips { table: TABLE, position, spot, amount, reason, witness: Some(SUPERVISOR) };
    house.staff_refused(DEALER, remove, Code::BetsClosed);
}

#[test]
fn d19_a_tumble_in_the_open_still_binds_when_the_tumbler_is_out_of_service() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.device(Observation::Uncovered);
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.out_of_service(Function::Device);
    let entry = Body::EnterResult {
        table: TABLE,
        outcome: house.outcome(TABLE, "1-2-4"),
        affirmed: vec![Point::Cover, Point::Times, Point::Flat],
        witness: None,
        reason: None,
    };
    house.staff(DEALER, entry);
    let alone = Body::confirm_result(TABLE);
    assert_eq!(house.staff_refused(DEALER, alone, Code::SecondPerson), "D19");
    house.staff(DEALER, House::confirming_with(SUPERVISOR));
}

#[test]
fn d19_who_sets_a_measured_ground_aside_does_not_settle_the_round_alone() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 1 });
    house.staff(SUPERVISOR, House::dismissal());
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 4]));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(SUPERVISOR, entry);
    assert_eq!(house.staff_refused(SUPERVISOR, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D19");
    house.staff(SUPERVISOR, House::confirming_with(SECOND_SUPERVISOR));
    // The dealer who did not is free to settle it, and so is who put a proposal aside.
    house.open();
    house.close();
    house.tumble_at(TABLE);
    house.device(Observation::Uncovered);
    house.device(Observation::NotFlat);
    house.staff(DEALER, House::dismissal());
    house.device(read([1, 2, 4]));
    house.enter("1-2-4");
    house.staff(DEALER, Body::confirm_result(TABLE));
}

#[test]
fn d19_one_tumbler_serves_at_a_table() {
    let mut house = House::with("rws-sicbo");
    let place = DevicePlace::Table(TABLE);
    let spare = |place| Body::add_device("spare".to_owned(), DeviceKind::Tumbler, place);
    assert_eq!(house.refused(Sender::System, spare(place), Code::Settings), "D19");
    house.system(spare(DevicePlace::Store));
    let device = house.floor.devices().last().unwrap().id();
    let moved = Body::MoveDevice { device, place, witness: None };
    assert_eq!(house.refused(Sender::System, moved.clone(), Code::Settings), "D19");
    // The dead one goes out of service, the spare one takes its place, and the first does not come back beside it.
    house.out_of_service(Function::Device);
    house.system(moved);
    let back = House::servicing(Function::Device, true, Some(MANAGER));
    assert_eq!(house.staff_refused(SECOND_SUPERVISOR, back, Code::Settings), "D19");
    let round = house.open();
    house.close();
    for report in [Observation::Activated, Observation::Tumbled { times: 3 }, Observation::Uncovered, read([1, 2, 4])] {
        house.ok(Sender::Device(device), Body::Observe(report));
    }
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("1-2-4"));
}

#[test]
fn d27_who_could_not_have_been_the_second_person_does_not_countersign() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    let (staff, post, witness) = (MANAGER, Some(Post::Pit(rulebook::Rank::ShiftManager)), Some(SECOND_SHIFT_MANAGER));
    house.staff(SHIFT_MANAGER, Body::AssignActing { staff, post, witness });
    let purpose = Purpose { act: JointAct::CorrectResult, subject: Some(round.0), amount: Some(dollars(100)) };
    house.staff(DEALER, Body::CallSecondPerson { table: Some(TABLE), reason: "nobody is here".to_owned(), purpose });
    house.later(bounds::SECOND_PERSON_WITHIN);
    let (outcome, reason) = (house.outcome(TABLE, "1-2-4"), "camera".to_owned());
    house.staff(SHIFT_MANAGER, Body::CorrectResult { round, outcome, reason, witness: None });
    let alert = house.floor.alerts().last().unwrap().id();
    assert_eq!(house.staff_refused(MANAGER, Body::Countersign { alert }, Code::SecondPerson), "D27");
    house.staff(CASINO_MANAGER, Body::Countersign { alert });
}
