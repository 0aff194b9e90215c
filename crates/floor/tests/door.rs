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
    // Acknowledged, the count restarts.
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
    // One more takes the place of the last of its kind, and says so.
    let events = house.system(Body::RaiseAlert { table: None, what: AlertKind::Host("one more".to_owned()) });
    assert!(matches!(events[..], [Event::AlertRepeated { more: Some(1), .. }]), "{events:?}");
    house.system(refused_at_the_doors("anna", 1));
    house.system(Body::RaiseAlert { table: None, what: AlertKind::Integrity("records".to_owned()) });
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::Meters(T0) });
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::DeviceFault(DEVICE, 3) });
    let room = AlertKind::Uncollected(RoundId(1), rulebook::Cents::new(100));
    house.system(Body::RaiseAlert { table: Some(TABLE), what: room });
    assert_eq!(house.floor.alerts().count(), bounds::ALERTS + 5);
}

/// What is up, with what it stands for besides.
fn up(house: &House, what: &AlertKind) -> Option<u32> {
    house.floor.alerts().find(|alert| alert.what() == what).map(Alert::more)
}

/// Fills a class with alerts of one kind; then everything else in it still has its line, and further ones of that kind are
/// counted. Returns how many lines there were at most.
fn fill(of: impl Fn(u32) -> AlertKind, others: &[(Option<TableId>, AlertKind)]) -> usize {
    let mut house = House::with("rws-sicbo");
    let most = u32::try_from(bounds::ALERTS).unwrap();
    let raise = |house: &mut House, table, what: AlertKind| house.system(Body::RaiseAlert { table, what });
    (0..most).for_each(|n| drop(raise(&mut house, None, of(n))));
    for (table, what) in others {
        raise(&mut house, *table, what.clone());
        assert_eq!(up(&house, what), Some(0), "{what:?} has a line of its own");
    }
    for n in most..most + 3 {
        raise(&mut house, None, of(n));
        assert!(up(&house, &of(n)).is_some(), "{:?} is shown", of(n));
    }
    let more: u32 = house.floor.alerts().map(Alert::more).sum();
    let lines = house.floor.alerts().count() - others.len();
    assert_eq!(lines + more as usize, bounds::ALERTS + 3, "none is lost");
    lines
}

#[test]
fn s19_no_alert_is_lost_or_refused_when_its_class_is_full() {
    let cents = rulebook::Cents::new;
    let here = Some(TABLE);
    let ticket = |n: u32| TicketId(u64::from(n));
    let round = |n: u32| RoundId(u64::from(n));
    assert_eq!(fill(|n| AlertKind::Integrity(format!("records {n}")), &[]), bounds::ALERTS);
    assert_eq!(
        fill(
            |n| AlertKind::Host(format!("disk {n}")),
            &[
                (None, AlertKind::EnrolmentCode(KeyHolder::Terminal(T0), ADMINISTRATOR, 1)),
                (None, AlertKind::CopiedKey(KeyHolder::Terminal(T0), "two places".to_owned(), 1)),
                (here, AlertKind::Host("the wheel is biased".to_owned())),
            ]
        ),
        bounds::ALERTS
    );
    let money = [
        (here, AlertKind::Uncollected(RoundId(1), cents(100))),
        (None, AlertKind::Difference(Counted::Drop(TABLE), cents(100))),
        (None, AlertKind::VoidTicket(TicketId(5_000))),
        (None, AlertKind::ReplacedTicket(TicketId(1), TicketId(2))),
        (here, AlertKind::LargeCash(T0, cents(1_000_000))),
        (None, AlertKind::LargeCashAt(CashPlace::Person(CASHIER), cents(1_000_000))),
        (None, AlertKind::SealedCode(ADMINISTRATOR, Some(9))),
    ];
    // There is one for each ticket in doubt, and none of them takes room.
    assert_eq!(fill(|n| AlertKind::TicketInDoubt(ticket(n), cents(100)), &money), bounds::ALERTS + 3);
    assert_eq!(fill(|n| AlertKind::ReplacedTicket(ticket(n + 9), ticket(n)), &money[..3]), bounds::ALERTS);
    assert_eq!(fill(|n| AlertKind::Meters(TerminalId(n)), &[]), bounds::ALERTS + 3, "one for each terminal");
    let play = [
        (None, AlertKind::DecidedAlone(SHIFT_MANAGER, rulebook::Rank::ShiftManager, 7, None)),
        (here, AlertKind::DeviceFault(DEVICE, 3)),
        (here, AlertKind::DeviceSilent(RoundId(1))),
        (here, AlertKind::DeviceDisagrees(RoundId(1))),
        (here, AlertKind::RestedEarly(RoundId(1))),
        (here, AlertKind::SecondTumble(RoundId(1))),
        (here, AlertKind::ReportedLate(RoundId(1))),
        (here, AlertKind::ReportedMeanwhile(RoundId(1))),
    ];
    assert_eq!(fill(|n| AlertKind::WrongTickets(TicketPlace::Staff(StaffId(n))), &play), bounds::ALERTS);
    assert_eq!(fill(|n| AlertKind::DeviceSilent(round(n)), &play[..2]), bounds::ALERTS);
    let link = [(here, AlertKind::DeviceLost(DEVICE, false)), (here, AlertKind::TerminalsLost(3, 3))];
    assert_eq!(fill(|n| AlertKind::TerminalLost(TerminalId(n)), &link), bounds::ALERTS + 3);
}

#[test]
fn s19_a_copied_key_is_one_line_with_the_latest_and_a_count() {
    let mut house = House::with("rws-sicbo");
    let copied =
        |holder, n: u32| Body::RaiseAlert { table: None, what: AlertKind::CopiedKey(holder, format!("from {n}"), 2) };
    for n in 0..700 {
        house.system(copied(KeyHolder::Terminal(T0), n));
    }
    house.system(copied(KeyHolder::Device(DEVICE), 1));
    let said: Vec<_> = house.floor.alerts().map(|alert| alert.what().clone()).collect();
    let one = AlertKind::CopiedKey(KeyHolder::Terminal(T0), "from 699".to_owned(), 1_400);
    assert_eq!(said, [one, AlertKind::CopiedKey(KeyHolder::Device(DEVICE), "from 1".to_owned(), 2)]);
}

#[test]
fn d19_d21_a_lost_link_is_one_line_that_says_when_it_is_over_and_stays_until_acknowledged() {
    let mut house = House::with("rws-sicbo");
    let device = |back| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::DeviceLost(DEVICE, back) };
    let terminals = |now| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::TerminalsLost(now, now) };
    for over in [device(true), terminals(0)] {
        house.refused(Sender::System, over, Code::NothingToDo);
    }
    house.system(device(false));
    house.refused(Sender::System, device(false), Code::NothingToDo);
    for lost in [3, 40, 7, 0] {
        house.system(terminals(lost));
    }
    house.system(device(true));
    let said: Vec<_> = house.floor.alerts().map(|alert| alert.what().clone()).collect();
    assert_eq!(said, [AlertKind::DeviceLost(DEVICE, true), AlertKind::TerminalsLost(0, 40)]);
    // Lost again before it is acknowledged, it is the same line.
    house.system(device(false));
    assert_eq!(house.floor.alerts().count(), 2);
    let alert = house.floor.alerts().next().map(Alert::id).unwrap();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    house.refused(Sender::System, device(true), Code::NothingToDo);
    house.refused(Sender::Staff(SUPERVISOR), device(false), Code::NotForSender);
}

#[test]
fn s14_a_clock_that_went_ahead_is_recorded_and_accepted_by_an_administrator() {
    let mut house = House::with("rws-sicbo");
    house.refused(Sender::Staff(ADMINISTRATOR), Body::AcceptClock { witness: None }, Code::NothingToDo);
    let events = house.system(Body::ReportClock { ahead: 3_600_000 });
    let raised = |event: &Event| matches!(event, Event::AlertRaised { what: AlertKind::Integrity(_), .. });
    assert!(matches!(events[0], Event::ClockJumped { ahead: 3_600_000 }) && raised(&events[1]), "{events:?}");
    house.refused(Sender::System, Body::ReportClock { ahead: 3_600_000 }, Code::NothingToDo);
    for rank in [DEALER, SUPERVISOR, MANAGER] {
        house.refused(Sender::Staff(rank), Body::AcceptClock { witness: None }, Code::Rank);
    }
    house.refused(Sender::System, Body::AcceptClock { witness: None }, Code::NotForSender);
    let alone = Body::AcceptClock { witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), alone, Code::SecondPerson);
    house.ok(Sender::Staff(ADMINISTRATOR), Body::AcceptClock { witness: Some(SECOND_ADMINISTRATOR) });
    assert_eq!(house.floor.clock_ahead(), None);
    // Once the clock is set right, there is nothing to accept.
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

#[test]
fn s19_faults_of_one_device_are_one_line_with_a_count_and_leave_room_for_another() {
    let mut house = House::with("rws-sicbo");
    let fault = |device, number| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::DeviceFault(device, number) };
    for number in 0..600 {
        house.system(fault(DEVICE, number));
    }
    house.refused(Sender::System, fault(DEVICE, 599), Code::NothingToDo);
    let said: Vec<_> = house.floor.alerts().map(|alert| alert.what().clone()).collect();
    assert_eq!(said, [AlertKind::DeviceFaults(DEVICE, 599, 600)]);
    house.system(fault(DeviceId(DEVICE.0 + 1), 7));
    assert_eq!(house.floor.alerts().count(), 2);
    // Acknowledged, the count restarts.
    let alert = house.floor.alerts().next().unwrap().id();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    house.system(fault(DEVICE, 3));
    assert!(house.floor.alerts().any(|alert| *alert.what() == AlertKind::DeviceFault(DEVICE, 3)));
}

#[test]
fn s19_alerts_about_one_table_leave_room_and_a_full_class_has_room_for_each_source() {
    let mut house = House::with("rws-sicbo");
    let late = |round| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::ReportedLate(RoundId(round)) };
    for round in 0..900 {
        house.system(late(round));
    }
    assert_eq!(house.floor.alerts().count(), bounds::ALERTS_EACH);
    assert!(house.floor.alerts().any(|alert| *alert.what() == AlertKind::ReportedLate(RoundId(899))), "the latest");
    // Another kind at the same table has a line of its own.
    let silent = AlertKind::DeviceSilent(RoundId(900));
    house.system(Body::RaiseAlert { table: Some(TABLE), what: silent.clone() });
    assert!(house.floor.alerts().any(|alert| *alert.what() == silent));
    for device in 100..1_100 {
        let what = AlertKind::DeviceNonsense(DeviceId(device));
        house.system(Body::RaiseAlert { table: Some(TABLE), what });
    }
    assert_eq!(house.floor.alerts().count(), bounds::ALERTS_EACH + 1 + 1_000, "one for each device, however many");
}

#[test]
fn d19_a_device_that_holds_up_rounds_is_one_line_with_the_latest() {
    let mut house = House::with("rws-sicbo");
    let holds =
        |device, round| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::DeviceHolds(device, RoundId(round)) };
    house.refused(Sender::Staff(SUPERVISOR), holds(DEVICE, 1), Code::NotForSender);
    house.system(holds(DEVICE, 1));
    house.refused(Sender::System, holds(DEVICE, 1), Code::NothingToDo);
    house.system(holds(DEVICE, 7));
    house.system(holds(DeviceId(DEVICE.0 + 1), 7));
    let said: Vec<_> = house.floor.alerts().map(|alert| alert.what().clone()).collect();
    let latest = [DEVICE, DeviceId(DEVICE.0 + 1)].map(|device| AlertKind::DeviceHolds(device, RoundId(7)));
    assert_eq!(said, latest);
    let alert = house.floor.alerts().next().unwrap().id();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    house.system(holds(DEVICE, 7));
    assert_eq!(house.floor.alerts().count(), 2, "acknowledged, it begins anew");
}
