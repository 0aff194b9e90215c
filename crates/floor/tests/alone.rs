//! When no second person is available (D28).

use crate::common::*;
use floor::*;

fn correct(house: &House, round: RoundId, outcome: &str, witness: Option<StaffId>) -> Body {
    Body::CorrectResult { round, outcome: house.outcome(TABLE, outcome), reason: "camera".to_owned(), witness }
}

fn call() -> Body {
    Body::CallSecondPerson { table: Some(TABLE), reason: "a correction".to_owned() }
}

#[test]
fn d28_after_fifteen_minutes_the_shift_manager_acts_alone_and_another_countersigns() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    let act = correct(&house, round, "1-2-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    house.refused(Sender::Staff(CASHIER), call(), Code::Rank);
    house.staff(SUPERVISOR, call());
    house.refused(Sender::Staff(DEALER), call(), Code::NothingToDo);
    house.later(15 * 60 * 1000 - 1);
    house.refused(Sender::Staff(SHIFT_MANAGER), act.clone(), Code::SecondPerson);
    house.later(1);
    // Below the Shift Manager nobody acts alone.
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
    assert!(house.floor.alerts().next().is_none());
    house.refused(Sender::Staff(CASINO_MANAGER), Body::Countersign { alert }, Code::NotFound);
    // The call is used up.
    let again = correct(&house, round, "6-5-4", None);
    house.refused(Sender::Staff(SHIFT_MANAGER), again, Code::SecondPerson);
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
fn d28_it_serves_every_act_of_two_people() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.system(Body::ReportStoppage { from: house.at.after(-60_000), terminals_back: false });
    let attest = Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: None };
    house.staff(DEALER, call());
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
