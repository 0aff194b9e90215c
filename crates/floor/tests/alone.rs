//! When no second person is available (D28).

use crate::common::*;
use floor::*;

fn correct(house: &House, round: RoundId, outcome: &str, witness: Option<StaffId>) -> Body {
    Body::CorrectResult { round, outcome: house.outcome(TABLE, outcome), reason: "camera".to_owned(), witness }
}

fn purpose(act: JointAct, subject: Option<u64>, amount: Option<rulebook::Cents>) -> Purpose {
    Purpose { act, subject, amount }
}

fn call_for(purpose: Purpose) -> Body {
    Body::CallSecondPerson { table: Some(TABLE), reason: "a correction".to_owned(), purpose }
}

/// A call for the correction of the first round.
fn call() -> Body {
    call_for(purpose(JointAct::CorrectResult, Some(0), Some(dollars(1_000))))
}

#[test]
fn d28_after_fifteen_minutes_the_shift_manager_acts_alone_and_another_countersigns() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    let act = correct(&house, round, "1-2-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    // However many other alerts wait, the act has its own.
    for wait in 0..u32::try_from(bounds::ALERTS).unwrap() {
        let what = AlertKind::WrongTickets(TicketPlace::Staff(StaffId(wait)));
        house.system(Body::RaiseAlert { table: None, what });
    }
    house.refused(Sender::Staff(CASHIER), call(), Code::Rank);
    house.staff(DEALER, call());
    house.refused(Sender::Staff(SUPERVISOR), call(), Code::NothingToDo);
    house.later(15 * 60 * 1000 - 1);
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    house.later(1);
    // Below the Shift Manager no one acts alone.
    house.refused(Sender::Staff(MANAGER), act.clone(), Code::SecondPerson);
    let events = house.staff(SHIFT_MANAGER, act);
    let Event::RoundCorrected { by, witness, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!((*by, *witness), (SHIFT_MANAGER, SHIFT_MANAGER), "the record shows that there was none");
    assert!(events.iter().any(|event| matches!(event, Event::DecidedAlone { by: SHIFT_MANAGER, .. })));
    let alert = house.floor.alerts().last().unwrap().id();
    // The alert stands until another person of at least that rank has countersigned.
    house.refused(Sender::Staff(SUPERVISOR), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
    house.refused(Sender::Staff(SHIFT_MANAGER), Body::Countersign { alert }, Code::SecondPerson);
    house.refused(Sender::Staff(MANAGER), Body::Countersign { alert }, Code::Rank);
    house.staff(SECOND_SHIFT_MANAGER, Body::Countersign { alert });
    let other = |what: &AlertKind| !matches!(what, AlertKind::WrongTickets(_));
    let left: Vec<_> = house.floor.alerts().map(|alert| alert.what().clone()).filter(other).collect();
    assert_eq!(left, [AlertKind::DeviceDisagrees(round)], "what was corrected is not what the device read (D19)");
    house.refused(Sender::Staff(CASINO_MANAGER), Body::Countersign { alert }, Code::NotFound);
    // The call is used up.
    let again = correct(&house, round, "6-5-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), again, Code::SecondPerson);
}

/// The program starts again after so many milliseconds in which the host was away.
fn restart(house: &mut House, away: i64) {
    let release = Release { program: rulebook::Hash([1; 32]), rulebooks: rulebook::Hash([2; 32]) };
    house.later(away);
    house.system(Body::StartProgram(release));
}

#[test]
fn d28_time_in_which_the_host_was_away_is_no_waiting() {
    let mut house = House::with("rws-sicbo");
    restart(&mut house, 0);
    let round = house.play(&["big=10.00"], "6-5-4");
    let act = correct(&house, round, "1-2-4", None);
    house.staff(DEALER, call());
    house.later(14 * 60 * 1000);
    restart(&mut house, 5 * 60 * 1000);
    let called: Vec<_> = house.floor.calls().map(|call| (call.by, call.at, &*call.reason)).collect();
    assert_eq!(called, [(DEALER, house.at, "a correction")], "the call is made once more");
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    // The process was frozen, with no round in progress: the same.
    house.later(14 * 60 * 1000);
    house.system(Body::ReportStoppage { from: house.at.after(-60_000), terminals_back: true });
    house.later(15 * 60 * 1000 - 1);
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    // A stoppage from before the call does not concern it.
    let from = house.at.after(-20 * 60 * 1000);
    house.refused(Sender::System, Body::ReportStoppage { from, terminals_back: true }, Code::NothingToDo);
    house.later(1);
    house.staff(SHIFT_MANAGER, act);
    // The alert stands until another person of that rank has countersigned, however long that takes and whatever happens.
    let alert = |house: &House| {
        house.floor.alerts().find(|alert| matches!(alert.what(), AlertKind::DecidedAlone(..))).map(Alert::id)
    };
    let stands = alert(&house).expect("an alert");
    restart(&mut house, 9 * 24 * 60 * 60 * 1000);
    assert_eq!(alert(&house), Some(stands));
    house.refused(Sender::Staff(SECOND_SHIFT_MANAGER), Body::AcknowledgeAlert { alert: stands }, Code::SecondPerson);
    house.staff(SECOND_SHIFT_MANAGER, Body::Countersign { alert: stands });
    assert_eq!(alert(&house), None);
    // A call that was over before the host was back is not made again.
    house.staff(DEALER, call());
    restart(&mut house, bounds::CALL_STANDS + 1);
    assert_eq!(house.floor.calls().filter(|call| call.at == house.at).count(), 0);
}

#[test]
fn d28_a_second_person_who_comes_answers_the_call() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    house.staff(SHIFT_MANAGER, call());
    house.later(10 * 60 * 1000);
    let act = correct(&house, round, "1-2-4", Some(SECOND_SUPERVISOR));
    let events = house.staff(SHIFT_MANAGER, act);
    assert!(matches!(events.last(), Some(Event::CallAnswered { by: SECOND_SUPERVISOR, .. })));
    house.later(10 * 60 * 1000);
    let alone = correct(&house, round, "6-5-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), alone, Code::SecondPerson);
}

#[test]
fn d28_several_people_call_to_one_table_and_each_call_waits_for_itself() {
    let mut house = House::with("rws-sicbo");
    let first = house.play(&["big=10.00"], "6-5-4");
    let second = house.play(&["big=10.00"], "6-5-4");
    let called = |round: RoundId| call_for(purpose(JointAct::CorrectResult, Some(round.0), Some(dollars(1_000))));
    house.staff(DEALER, called(first));
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), called(first), Code::NothingToDo), "D28");
    house.later(10 * 60 * 1000);
    house.staff(SECOND_DEALER, called(second));
    house.later(5 * 60 * 1000);
    // The first has waited long enough, the second has not, and stands after the first was used.
    let act = |house: &House, round| correct(house, round, "1-2-4", None);
    let early = act(&house, second);
    house.refused(Sender::Staff(SHIFT_MANAGER), early.clone(), Code::SecondPerson);
    let due = act(&house, first);
    house.staff(SHIFT_MANAGER, due);
    let callers = |house: &House| house.floor.calls().map(|call| call.by).collect::<Vec<_>>();
    assert_eq!(callers(&house), [SECOND_DEALER]);
    house.later(10 * 60 * 1000);
    house.staff(SHIFT_MANAGER, early);
    assert!(callers(&house).is_empty());
    // Who comes answers the calls of others, and not their own.
    house.staff(DEALER, called(first));
    house.staff(SECOND_DEALER, called(second));
    house.staff(SUPERVISOR, call_for(purpose(JointAct::CorrectResult, Some(second.0), Some(dollars(5)))));
    let come = Body::AnswerCall { table: Some(TABLE) };
    house.staff(SUPERVISOR, come.clone());
    assert_eq!(callers(&house), [SUPERVISOR]);
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), come, Code::SecondPerson), "D28");
    house.replays();
}

#[test]
fn d28_one_person_does_not_call_for_everything() {
    let mut house = House::with("rws-sicbo");
    for round in 0..bounds::CALLS_OF_ONE {
        let house_round = house.play(&["big=10.00"], "6-5-4");
        assert_eq!(house_round.0, round as u64);
        house.staff(DEALER, call_for(purpose(JointAct::CorrectResult, Some(house_round.0), Some(dollars(10)))));
    }
    let more = house.play(&["big=10.00"], "6-5-4");
    let more = call_for(purpose(JointAct::CorrectResult, Some(more.0), Some(dollars(10))));
    assert_eq!(house.refused(Sender::Staff(DEALER), more.clone(), Code::TooMany), "D28");
    house.staff(SUPERVISOR, more);
}

#[test]
fn d28_a_call_to_another_table_serves_nothing_here() {
    let mut house = House::with("rws-sicbo");
    let other = house.add_table("rws-sicbo", TableSettings::usual());
    let round = house.play(&["big=10.00"], "6-5-4");
    let purpose = purpose(JointAct::CorrectResult, Some(round.0), Some(dollars(1_000)));
    let there = Body::CallSecondPerson { table: Some(other), reason: "a quarrel there".to_owned(), purpose };
    house.staff(SHIFT_MANAGER, there);
    house.later(16 * 60 * 1000);
    let alone = correct(&house, round, "1-2-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), alone.clone(), Code::SecondPerson);
    // Who signs here has not come to the other table.
    let signed = correct(&house, round, "1-2-4", Some(SECOND_SUPERVISOR));
    let events = house.staff(SHIFT_MANAGER, signed);
    assert!(!events.iter().any(|event| matches!(event, Event::CallAnswered { .. })), "{events:?}");
    assert_eq!(house.floor.calls().count(), 1);
    // A call to the pit serves every table. A person calls once for the same act.
    let to_the_pit = Body::CallSecondPerson { table: None, reason: "a correction".to_owned(), purpose };
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), to_the_pit.clone(), Code::NothingToDo), "D28");
    house.staff(DEALER, to_the_pit);
    house.later(16 * 60 * 1000);
    let again = correct(&house, round, "6-5-4", None);
    let events = house.staff(SHIFT_MANAGER, again);
    assert!(events.iter().any(|event| matches!(event, Event::DecidedAlone { table: None, .. })), "{events:?}");
}

#[test]
fn d28_a_caller_who_could_sign_is_the_second_person() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    house.staff(SUPERVISOR, call());
    house.later(bounds::SECOND_PERSON_WITHIN);
    let alone = correct(&house, round, "1-2-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), alone, Code::SecondPerson);
    let signed = correct(&house, round, "1-2-4", Some(SUPERVISOR));
    let events = house.staff(SHIFT_MANAGER, signed);
    assert!(!events.iter().any(|event| matches!(event, Event::DecidedAlone { .. })), "{events:?}");
}

#[test]
fn d28_it_serves_every_act_of_two_people() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.system(Body::ReportStoppage { from: house.at.after(-60_000), terminals_back: false });
    let attest = Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: None };
    house.staff(DEALER, call_for(purpose(JointAct::Attest, None, None)));
    house.later(15 * 60 * 1000);
    house.refused(Sender::Staff(DEALER), attest.clone(), Code::SecondPerson);
    house.staff(CASINO_MANAGER, attest);
    // A call that is hours old is none.
    house.staff(DEALER, call());
    house.later(bounds::CALL_STANDS + 1);
    let pay = Body::AttendantPay { terminal: T0, amount: dollars(900), witness: None };
    house.staff(SHIFT_MANAGER, pay);
    assert_eq!(house.floor.alerts().count(), 1, "below the threshold one person is enough");
}

/// The names of the commands that have a second person, as the source of the commands lists them.
fn commands_of_two() -> Vec<String> {
    let source = include_str!("../src/command.rs");
    let body = source.split_once("pub enum Body {").unwrap().1.split_once("\n}\n").unwrap().0;
    let mut commands = Vec::new();
    let mut name = String::new();
    for line in body.lines() {
        let words = line.trim_start();
        if line.starts_with("    ") && !line.starts_with("     ") && words.starts_with(char::is_uppercase) {
            name = words.chars().take_while(|letter| letter.is_alphanumeric()).collect();
        }
        if words.split(['{', ',', ' ']).any(|word| word == "witness:") {
            commands.push(name.clone());
        }
    }
    commands
}

#[test]
fn d28_every_command_with_a_second_person_is_listed() {
    let commands = commands_of_two();
    assert!(commands.len() > 30, "{commands:?}");
    let listed = include_str!("../src/alone.rs");
    let missing: Vec<&String> =
        commands.iter().filter(|name| !listed.contains(&format!("Body::{name} {{ witness, .. }}"))).collect();
    assert!(missing.is_empty(), "commands that nobody could give alone after a call: {missing:?}");
}

/// After an unanswered call, the Shift Manager gives a command that was refused for want of a second person.
fn alone(house: &mut House, body: &Body) -> Vec<Event> {
    house.refused(Sender::Staff(SHIFT_MANAGER), body.clone(), Code::SecondPerson);
    let table = if matches!(body, Body::AssignActing { .. }) { None } else { Some(TABLE) };
    let (act, subject) = house.floor.joint_act(body).unwrap();
    let amount = (act.moves() != Moves::Never).then_some(dollars(2_000));
    let purpose = Purpose { act, subject, amount };
    house.staff(SHIFT_MANAGER, Body::CallSecondPerson { table, reason: "nobody is here".to_owned(), purpose });
    house.later(bounds::SECOND_PERSON_WITHIN);
    let events = house.staff(SHIFT_MANAGER, body.clone());
    assert!(events.iter().any(|event| matches!(event, Event::DecidedAlone { by: SHIFT_MANAGER, .. })), "{body:?}");
    let signed = |alert: &&Alert| matches!(alert.what(), AlertKind::DecidedAlone(..));
    let alert = house.floor.alerts().find(signed).unwrap().id();
    house.staff(SECOND_SHIFT_MANAGER, Body::Countersign { alert });
    events
}

#[test]
fn d28_money_that_needs_two_people_is_moved_alone_after_the_call() {
    let settings = TableSettings { hand_pay: dollars(100), ..House::settings("rws-sicbo") };
    let mut house = House::with_settings("rws-sicbo", settings);
    let reason = || "as seen".to_owned();
    alone(&mut house, &Body::AttendantIn { terminal: T0, amount: dollars(200), witness: None });
    // No one has signed for the total: the next act needs a second person too.
    assert_eq!(house.floor.moved_by(SHIFT_MANAGER).since, dollars(200));
    alone(&mut house, &Body::AttendantPay { terminal: T0, amount: dollars(1), witness: None });
    let number = house.new_number();
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    let ticket = house.floor.tickets().last().unwrap().id();
    let finding = TicketFinding::InHand;
    alone(&mut house, &Body::ResolveTicket { ticket, finding, reason: reason(), witness: None });
    let number = Some(house.new_number());
    alone(&mut house, &Body::ReprintTicket { ticket, number, reason: reason(), witness: None });
    let round = Some(house.open());
    house.bet(T1, &["small=1.00"]);
    let ruling = Ruling::TakeBack { terminal: T1, amount: dollars(1_400) };
    alone(&mut house, &Body::Decide { table: TABLE, round, ruling, reason: reason(), witness: None });
    let amount = dollars(400);
    alone(
        &mut house,
        &Body::RecordRecovered { table: TABLE, round: None, amount, reason: reason(), witness: None, debtor: None },
    );
    let (staff, post) = (SUPERVISOR, Some(Post::Pit(rulebook::Rank::PitManager)));
    alone(&mut house, &Body::AssignActing { staff, post, witness: None });
}

#[test]
fn d28_who_acts_alone_has_no_second_person_in_the_record_and_the_alert_names_act_and_amount() {
    let mut house = House::with("rws-sicbo");
    let credit = purpose(JointAct::AttendantIn, Some(T0.0.into()), Some(dollars(20_000)));
    house.staff(DEALER, call_for(credit));
    house.later(bounds::SECOND_PERSON_WITHIN);
    let pay_in = |terminal| Body::AttendantIn { terminal, amount: dollars(20_000), witness: None };
    let events = house.staff(SHIFT_MANAGER, pay_in(T0));
    assert!(matches!(events[0], Event::AttendantIn { by: SHIFT_MANAGER, witness: None, .. }), "{events:?}");
    let deed = Deed { act: "put credit on a terminal".into(), amount: Some(dollars(20_000)) };
    let decided = |event: &Event| matches!(event, Event::DecidedAlone { deed: Some(done), .. } if **done == deed);
    assert!(events.iter().any(decided), "{events:?}");
    let named = |alert: &Alert| matches!(alert.what(), AlertKind::DecidedAlone(_, _, _, Some(done)) if **done == deed);
    assert!(house.floor.alerts().any(named));
    // It counts as moved alone, and the audit lists it.
    let moved = house.floor.moved_by(SHIFT_MANAGER);
    assert_eq!((moved.since, moved.signed, moved.signatures), (dollars(20_000), rulebook::Cents::ZERO, 0));
    // The call has served for its one act.
    house.refused(Sender::Staff(SHIFT_MANAGER), pay_in(T1), Code::SecondPerson);
}

#[test]
fn d28_a_call_to_a_table_serves_nothing_at_the_cage_or_in_the_office() {
    let mut house = House::with("rws-sicbo");
    house.staff(SUPERVISOR, call_for(purpose(JointAct::AssignActing, Some(SUPERVISOR.0.into()), None)));
    house.later(bounds::SECOND_PERSON_WITHIN);
    let (staff, post) = (SUPERVISOR, Some(Post::Pit(rulebook::Rank::PitManager)));
    let assign = Body::AssignActing { staff, post, witness: None };
    house.refused(Sender::Staff(SHIFT_MANAGER), assign, Code::SecondPerson);
}

#[test]
fn d28_a_round_that_needs_two_people_goes_on_after_the_call() {
    let mut house = House::with("rws-sicbo");
    let reason = "it smokes".to_owned();
    let out =
        Body::ChangeService { device: DEVICE, function: Function::Reading, in_service: false, reason, witness: None };
    alone(&mut house, &out);
    let mut house = House::with("rws-sicbo");
    house.open();
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    let declare = Body::DeclareGround { table: TABLE, ground: rulebook::GroundId::DiceDamaged, witness: None };
    alone(&mut house, &declare);
    house.open();
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(SHIFT_MANAGER, entry);
    let confirm = |reason: Option<&str>| Body::ConfirmResult {
        table: TABLE,
        outcome: None,
        witness: None,
        reason: reason.map(str::to_owned),
    };
    let events = alone(&mut house, &confirm(Some("the camera shows 1-2-4")));
    assert!(matches!(events[0], Event::ResultWitnessed { by: SHIFT_MANAGER, witness: SHIFT_MANAGER, .. }));
    house.open();
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    house.device(Observation::Activated);
    alone(&mut house, &Body::KeepFirstOutcome { table: TABLE, witness: None, affirmed: Vec::new() });
    let mut live = House::live();
    let movement = FloatMovement::Fill(dollars(100));
    let fill =
        Body::MoveFloat { table: TABLE, movement, counts: piles(dollars(100)), witness: None, reason: String::new() };
    alone(&mut live, &fill);
}

#[test]
fn d28_lost_records_are_stated_by_the_shift_manager_alone_but_no_drawer_is_handed_over_alone() {
    let mut house = House::with("rws-sicbo");
    let purpose = |act| Purpose { act, subject: None, amount: None };
    let call =
        |act| Body::CallSecondPerson { table: None, reason: "records are missing".to_owned(), purpose: purpose(act) };
    house.staff(SUPERVISOR, call(JointAct::AcceptLoss));
    house.later(bounds::SECOND_PERSON_WITHIN);
    house.system(Body::ReportLoss { epoch: 0, record: 9_999, words: "a cursor beyond the end".to_owned() });
    let accept = Body::AcceptLoss { statement: "one minute of bets".to_owned(), witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), accept.clone(), Code::SecondPerson);
    house.staff(SHIFT_MANAGER, accept);
    assert!(house.floor.missing_record().is_none());
    let (staff, post, witness) = (SHIFT_MANAGER, Some(Post::Cashier), Some(SECOND_ADMINISTRATOR));
    house.staff(ADMINISTRATOR, Body::AssignActing { staff, post, witness });
    house.open_shift(SHIFT_MANAGER, dollars(100));
    house.staff(SHIFT_MANAGER, Body::CountShift { counts: piles(dollars(100)), witness: None });
    house.staff(SUPERVISOR, call(JointAct::HandOverDrawer));
    house.later(bounds::SECOND_PERSON_WITHIN);
    let hand_over = Body::HandOverShift { reason: String::new(), witness: None };
    house.refused(Sender::Staff(SHIFT_MANAGER), hand_over, Code::SecondPerson);
}

#[test]
fn d28_a_call_names_its_act_its_subject_and_its_amount() {
    let mut house = House::with("rws-sicbo");
    let mut refused = |act, subject, amount, code| {
        let call = call_for(purpose(act, subject, amount));
        assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), call, code), "D28");
    };
    refused(JointAct::AttendantIn, None, Some(dollars(10)), Code::NotFound);
    refused(JointAct::AttendantIn, Some(0), None, Code::Amount);
    refused(JointAct::AssignActing, Some(0), Some(dollars(10)), Code::Amount);
    // No round is in progress that an attestation could be about.
    refused(JointAct::Attest, None, None, Code::NotFound);
    let call = call_for(purpose(JointAct::AttendantIn, Some(0), Some(dollars(10))));
    house.staff(SHIFT_MANAGER, call);
    let called = house.floor.calls().next().unwrap();
    assert_eq!(called.purpose.unwrap().to_string(), "put credit on a terminal, terminal 0, at most 10.00");
}

#[test]
fn d28_a_call_for_ten_dollars_serves_for_no_larger_amount() {
    let settings = TableSettings { hand_pay: dollars(5), ..House::settings("rws-sicbo") };
    let mut house = House::with_settings("rws-sicbo", settings);
    house.staff(SHIFT_MANAGER, call_for(purpose(JointAct::AttendantIn, Some(T0.0.into()), Some(dollars(10)))));
    house.later(bounds::SECOND_PERSON_WITHIN);
    let put = |terminal, amount| Body::AttendantIn { terminal, amount: dollars(amount), witness: None };
    let sender = Sender::Staff(SHIFT_MANAGER);
    assert_eq!(house.refused(sender, put(T0, 10_000), Code::SecondPerson), "D28");
    // Nor for another terminal, nor for another act.
    assert_eq!(house.refused(sender, put(T1, 10), Code::SecondPerson), "D28");
    let pay_out = Body::AttendantPay { terminal: T0, amount: dollars(10), witness: None };
    assert_eq!(house.refused(sender, pay_out, Code::SecondPerson), "D28");
    house.staff(SHIFT_MANAGER, put(T0, 10));
}

#[test]
fn d28_a_call_about_one_round_serves_for_no_later_one() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.staff(DEALER, call_for(purpose(JointAct::DeclareGround, None, None)));
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    house.enter("6-5-4");
    house.confirm();
    house.open();
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    house.later(bounds::SECOND_PERSON_WITHIN);
    let declare = Body::DeclareGround { table: TABLE, ground: rulebook::GroundId::DiceDamaged, witness: None };
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), declare, Code::SecondPerson), "D28");
}

#[test]
fn d28_every_command_with_a_second_person_is_an_act_that_can_be_called_for() {
    let listed = include_str!("../src/purpose.rs");
    let missing: Vec<String> =
        commands_of_two().into_iter().filter(|name| !listed.contains(&format!("Body::{name} {{"))).collect();
    assert!(missing.is_empty(), "nobody can be called for: {missing:?}");
}

#[test]
fn d28_what_one_person_moves_alone_has_a_ceiling_until_another_countersigns() {
    let mut house = House::with("rws-sicbo");
    let ceiling = house.floor.thresholds().alone.get() * bounds::ALONE_TIMES;
    let half = rulebook::Cents::new(ceiling / 2);
    let put = |amount| Body::AttendantIn { terminal: T0, amount, witness: None };
    let call = |house: &mut House, amount| {
        let terminal = Some(u64::from(T0.0));
        house.staff(DEALER, call_for(purpose(JointAct::AttendantIn, terminal, Some(amount))));
        house.later(bounds::SECOND_PERSON_WITHIN);
    };
    for _ in 0..2 {
        call(&mut house, half);
        house.staff(SHIFT_MANAGER, put(half));
    }
    // No cent more before another person has looked at one of the two; for another person the count is their own.
    let cent = rulebook::Cents::new(10_000);
    call(&mut house, half);
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), put(cent), Code::SecondPerson), "D28");
    let alert = house.floor.alerts().find(|alert| matches!(alert.what(), AlertKind::DecidedAlone(..))).unwrap().id();
    house.staff(SECOND_SHIFT_MANAGER, Body::Countersign { alert });
    house.staff(SHIFT_MANAGER, put(half));
    // With a second person there is no ceiling.
    let signed = Body::AttendantIn { terminal: T0, amount: half, witness: Some(SECOND_SHIFT_MANAGER) };
    house.staff(SHIFT_MANAGER, signed);
}
