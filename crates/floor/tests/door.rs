//! What strangers and clocks cannot do: crowd out alerts, or make time pass.

use crate::common::*;
use floor::*;

fn refused_at_the_doors(words: &str, count: u32) -> Body {
    Body::RaiseAlert { table: None, what: AlertKind::Access(words.to_owned(), count) }
}

#[test]
fn s19_what_is_refused_at_the_doors_is_one_line_with_a_count() {
    let mut house = House::with("rws-sicbo");
    for n in 0..2_300 {
        house.system(refused_at_the_doors(&format!("attempt {n}"), 2));
    }
    let alerts: Vec<_> = house.floor.alerts().collect();
    assert_eq!(alerts.len(), 1);
    assert_eq!(alerts[0].what(), &AlertKind::Access("attempt 2299".to_owned(), 4_600));
    // Acknowledged, it begins anew.
    let alert = alerts[0].id();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    house.system(refused_at_the_doors("again", 1));
    assert!(matches!(house.floor.alerts().next().map(Alert::what), Some(AlertKind::Access(_, 1))));
}

#[test]
fn s19_alerts_of_one_kind_leave_room_for_every_other() {
    let mut house = House::with("rws-sicbo");
    for n in 0..bounds::ALERTS {
        house.system(Body::RaiseAlert { table: None, what: AlertKind::Host(format!("disk {n}")) });
    }
    house.refused(
        Sender::System,
        Body::RaiseAlert { table: None, what: AlertKind::Host("one more".to_owned()) },
        Code::NothingToDo,
    );
    house.system(refused_at_the_doors("anna", 1));
    house.system(Body::RaiseAlert { table: None, what: AlertKind::Integrity("records".to_owned()) });
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::Meters(T0) });
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::DeviceFault(DEVICE, 3) });
    let room = AlertKind::Uncollected(RoundId(1), rulebook::Cents::new(100));
    house.system(Body::RaiseAlert { table: Some(TABLE), what: room });
    assert_eq!(house.floor.alerts().count(), bounds::ALERTS + 5);
}

#[test]
fn s14_a_clock_that_went_ahead_is_recorded_and_accepted_by_an_administrator() {
    let mut house = House::with("rws-sicbo");
    house.refused(Sender::Staff(ADMINISTRATOR), Body::AcceptClock, Code::NothingToDo);
    let events = house.system(Body::ReportClock { ahead: 3_600_000 });
    let raised = |event: &Event| matches!(event, Event::AlertRaised { what: AlertKind::Integrity(_), .. });
    assert!(matches!(events[0], Event::ClockJumped { ahead: 3_600_000 }) && raised(&events[1]), "{events:?}");
    house.refused(Sender::System, Body::ReportClock { ahead: 3_600_000 }, Code::NothingToDo);
    for rank in [DEALER, SUPERVISOR, MANAGER] {
        house.refused(Sender::Staff(rank), Body::AcceptClock, Code::Rank);
    }
    house.refused(Sender::System, Body::AcceptClock, Code::NotForSender);
    house.ok(Sender::Staff(ADMINISTRATOR), Body::AcceptClock);
    assert_eq!(house.floor.clock_ahead(), None);
    // Set right by somebody, there is nothing to accept.
    house.system(Body::ReportClock { ahead: 9_000 });
    house.system(Body::ReportClock { ahead: 0 });
    assert_eq!(house.floor.clock_ahead(), None);
}

#[test]
fn s14_only_the_host_reports_its_clock_and_play_goes_on() {
    let mut house = House::with("rws-sicbo");
    house.refused(Sender::Staff(ADMINISTRATOR), Body::ReportClock { ahead: 1 }, Code::NotForSender);
    house.system(Body::ReportClock { ahead: 86_400_000 });
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
}
