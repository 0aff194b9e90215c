//! Lists: rounds, significant events, alerts, tickets, totals, results, and who is on the floor.

use std::collections::BTreeSet;

use crate::support::*;
use floor::*;
use records::{AlertRecord, EventFilter, Kind, ResultFilter, RoundFilter, RoundStatus, TicketStatus, TotalsFilter};
use rulebook::Cents;

#[test]
fn rounds_are_found_by_table_time_result_and_status() {
    let mut house = House::with("rws-sicbo");
    let second = house.add_table("rws-roulette-000", House::settings("rws-roulette-000"));
    let mut begun = Vec::new();
    for number in 0..9 {
        house.later(60_000);
        begun.push((house.at, house.play(&["small=10.00"], if number % 3 == 0 { "4-2-2" } else { "1-5-6" })));
    }
    house.later(60_000);
    let playing = house.open_at(second);
    let records = in_memory(&house);
    let query = records.query();
    let found = |filter: RoundFilter| -> Vec<RoundId> {
        let page = query.rounds(&filter).unwrap();
        assert_eq!((page.sequence, page.next), (house.floor.sequence(), None));
        page.rows.iter().map(|row| row.round).collect()
    };
    let all = || RoundFilter::default();
    assert_eq!(found(all()).len(), 10);
    assert_eq!(found(RoundFilter { table: Some(second), ..all() }), [playing]);
    assert_eq!(found(RoundFilter { status: Some(RoundStatus::Open), ..all() }), [playing]);
    assert_eq!(found(RoundFilter { status: Some(RoundStatus::Void), ..all() }), []);
    // Dice in any order.
    let expected = [begun[6].1, begun[3].1, begun[0].1];
    assert_eq!(found(RoundFilter { outcome: Some("2-4-2".to_owned()), ..all() }), expected);
    assert_eq!(found(RoundFilter { outcome: Some("17".to_owned()), ..all() }), []);
    let between = RoundFilter { from: Some(begun[2].0), to: Some(begun[5].0), ..all() };
    assert_eq!(found(between), [begun[4].1, begun[3].1, begun[2].1]);

    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = query.rounds(&RoundFilter { before, limit: Some(4), ..all() }).unwrap();
        pages.push(page.rows.iter().map(|row| row.round).collect::<Vec<_>>());
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(pages.concat(), found(all()));
    let page = query.rounds(&RoundFilter { limit: Some(10), ..all() }).unwrap();
    assert_eq!((page.rows.len(), page.next), (10, None), "a full last page has no next");
}

#[test]
fn s14_every_significant_event_has_time_device_code_and_words() {
    let mut kinds: BTreeSet<Kind> = BTreeSet::new();
    for game in ALL {
        let story = story(game);
        let records = in_memory(&story.house);
        let all = records.query().significant(&EventFilter { limit: Some(1_000), ..EventFilter::default() }).unwrap();
        assert_eq!(all.next, None);
        for event in &all.rows {
            let record = &story.house.log[event.sequence as usize - 1];
            assert_eq!(event.at, record.at);
            assert!(!event.words.is_empty() && !event.code.is_empty());
            kinds.insert(event.kind);
        }
    }
    assert_eq!(kinds.len(), Kind::ALL.len(), "{kinds:?}");
}

#[test]
fn s14_events_are_found_by_kind_time_and_whom_they_are_about() {
    let story = story("rws-sicbo");
    let records = in_memory(&story.house);
    let query = records.query();
    let found = |filter: EventFilter| -> Vec<String> {
        let page = query.significant(&EventFilter { limit: Some(100), ..filter }).unwrap();
        page.rows.into_iter().map(|event| event.words).collect()
    };
    let of = |kind| EventFilter { kind: Some(kind), ..EventFilter::default() };
    // The clearing of a fault is recorded too.
    assert_eq!(found(of(Kind::Fault)), ["device 0: fault is gone", "device 0: fault 17"]);
    assert_eq!(found(of(Kind::Lock)), ["terminal 2 unlocked by person 1", "terminal 2 locked by person 1: a spill"]);
    let device = EventFilter { device: Some(DEVICE), ..of(Kind::Irregularity) };
    assert_eq!(found(device), ["device 0 reports: Fewer than three tumbles (5.3.1)"]);
    let code = EventFilter { code: Some("terminal-lost".to_owned()), ..EventFilter::default() };
    assert_eq!(found(code), ["terminal 1 lost the host"]);
    assert_eq!(
        found(of(Kind::HandPay)),
        [
            "80.00 of a correction paid at the cage in shift 0 (payment 1)",
            "60.00 of terminal 1 paid by hand by person 1",
            "60.00 put into terminal 1 by person 1"
        ]
    );
    let printing = query.significant(&of(Kind::Ticket)).unwrap().rows;
    assert!(printing.iter().all(|event| event.terminal == Some(T1)), "{printing:?}");
    assert_eq!(found(of(Kind::Discretion)).len(), 3);
    assert_eq!(found(of(Kind::Power))[1], "the host was away for 60.000 s: the round waits for an attestation (D6)");
    let lost = query.significant(&EventFilter { terminal: Some(T1), ..of(Kind::Link) }).unwrap().rows;
    let at = lost.iter().find(|event| event.code == "terminal-lost").unwrap().at;
    let from = EventFilter { from: Some(at), to: Some(at.after(1)), ..of(Kind::Link) };
    assert_eq!(found(from), ["terminal 1 lost the host"]);
    let page = query.significant(&EventFilter { limit: Some(3), ..EventFilter::default() }).unwrap();
    let next = query.significant(&EventFilter { before: page.next, ..EventFilter::default() }).unwrap();
    assert!(next.rows[0].sequence < page.rows[2].sequence);
}

#[test]
fn s10_programs_are_on_record() {
    let mut house = House::with("rws-sicbo");
    let release = |byte| Release { program: rulebook::Hash([byte; 32]), rulebooks: rulebook::Hash([1; 32]) };
    house.system(Body::StartProgram(release(1)));
    house.system(Body::StartProgram(release(2)));
    house.staff(ADMINISTRATOR, Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) });
    let records = in_memory(&house);
    let page = records.query().significant(&EventFilter { limit: Some(3), ..EventFilter::default() }).unwrap();
    let codes: Vec<_> = page.rows.iter().map(|event| (event.code.as_str(), event.staff)).collect();
    let expected = [("program-accepted", Some(ADMINISTRATOR)), ("program-started", None), ("program-started", None)];
    assert_eq!(codes, expected);
    assert!(page.rows[1].words.ends_with("play is locked (S10)"));
}

#[test]
fn s19_alerts_stay_until_somebody_acknowledges_them() {
    let story = story("rws-sicbo");
    let records = in_memory(&story.house);
    let all = records.query().alerts(false, None, None).unwrap().rows;
    let open = records.query().alerts(true, None, None).unwrap().rows;
    let codes = |alerts: &[AlertRecord]| alerts.iter().map(|alert| alert.code.clone()).collect::<Vec<_>>();
    assert_eq!(codes(&all), ["host", "device-fault", "terminal-lost", "device-disagrees", "device-silent"]);
    assert_eq!(codes(&open), ["host", "device-fault", "device-disagrees", "device-silent"]);
    let lost = &all[2];
    assert_eq!((lost.table, lost.acknowledged_by), (Some(TABLE), Some(SUPERVISOR)));
    assert!(lost.acknowledged_at > Some(lost.at));
    let page = records.query().alerts(false, None, Some(2)).unwrap();
    assert_eq!(records.query().alerts(false, page.next, Some(2)).unwrap().rows, all[2..4]);
}

#[test]
fn tickets_are_found_by_what_has_become_of_them() {
    let story = story("rws-sicbo");
    let records = in_memory(&story.house);
    let found = |state| -> Vec<(u64, i64)> {
        let page = records.query().tickets(state, None, None).unwrap();
        page.rows.iter().map(|ticket| (ticket.ticket.0, ticket.amount.get() / 100)).collect()
    };
    assert_eq!(found(None).len(), 7);
    assert_eq!(found(Some(TicketStatus::Outstanding)), [(6, 33)]);
    assert_eq!(found(Some(TicketStatus::Paid)), [(1, 80), (0, 960)]);
    assert_eq!(found(Some(TicketStatus::Expired)), [(5, 960), (2, 90)]);
    assert_eq!(found(Some(TicketStatus::Replaced)), [(4, 960)]);
    assert_eq!(found(Some(TicketStatus::NotPrinted)), [(3, 960)]);
    assert_eq!(found(Some(TicketStatus::Prepared)), []);
    let paid = records.query().tickets(Some(TicketStatus::Paid), None, None).unwrap().rows;
    assert_eq!((paid[0].shift, paid[0].paid_shift), (Some(ShiftId(0)), Some(ShiftId(0))));
    assert_eq!((paid[1].terminal, paid[1].paid_terminal), (Some(T1), Some(T1)));
    let expired = records.query().tickets(Some(TicketStatus::Expired), None, Some(1)).unwrap();
    assert_eq!((expired.rows[0].reprints, expired.next), (1, Some(5)));
    let shift: Vec<_> = records.query().shift_money(ShiftId(0)).unwrap().into_iter().map(|row| row.cause).collect();
    assert_eq!(shift, ["float", "sold", "sold", "redeemed", "sold", "paid", "float", "float"]);
}

#[test]
fn totals_are_booked_on_the_gaming_day_on_which_they_happen() {
    let mut house = House::empty();
    // 05:50 in Singapore on 1 January 2026; the gaming day begins at six.
    house.at = Moment(1_767_217_800_000);
    house.add_table("rws-sicbo", House::settings("rws-sicbo"));
    let first = house.play(&["small=100.00"], "6-5-4");
    house.later(20 * 60_000);
    house.play(&["small=10.00"], "1-2-4");
    house.later(24 * 3_600_000);
    house.correct(first, "1-2-4");
    let records = in_memory(&house);
    let query = records.query();
    let days = query.days(&TotalsFilter::default()).unwrap();
    let told: Vec<_> = days
        .iter()
        .map(|day| (day.day.as_deref().unwrap(), day.settled, day.corrected, day.turnover.get(), day.win.get()))
        .collect();
    assert_eq!(
        told,
        [("2025-12-31", 1, 0, 10_000, 10_000), ("2026-01-01", 1, 0, 1_000, -1_000), ("2026-01-02", 0, 1, 0, -20_000)]
    );
    assert_eq!(days[2].corrections, Cents::new(-20_000));
    assert_eq!(query.gaming_day(house.at).unwrap(), "2026-01-02");
    let filter = TotalsFilter { from: Some("2026-01-01".to_owned()), to: Some("2026-01-01".to_owned()), table: None };
    assert_eq!(query.days(&filter).unwrap(), days[1..2]);
    let [table] = &query.tables(&TotalsFilter::default()).unwrap()[..] else { panic!("one table") };
    assert_eq!((table.table, table.win), (Some(TABLE), house.floor.table(TABLE).unwrap().house_win()));
    assert_eq!(query.table_days(&TotalsFilter { table: Some(TABLE), ..TotalsFilter::default() }).unwrap().len(), 3);
    assert_eq!(query.table_days(&TotalsFilter { table: Some(TableId(7)), ..TotalsFilter::default() }).unwrap(), []);
}

#[test]
fn results_follow_corrections_and_leave_void_rounds_out() {
    let story = story("rws-sicbo");
    let records = in_memory(&story.house);
    let query = records.query();
    let results = query.results(&ResultFilter { device: Some(DEVICE), ..ResultFilter::default() }).unwrap();
    let told: Vec<_> = results.iter().map(|result| (result.round, result.outcome.as_str())).collect();
    assert_eq!(told, [(story.settled, "1-2-4"), (story.corrected, "1-2-4")]);
    let counts = query.outcome_counts(&ResultFilter { table: Some(TABLE), ..ResultFilter::default() }).unwrap();
    assert_eq!(counts.len(), 1);
    assert_eq!((counts[0].game.as_str(), counts[0].outcome.as_str(), counts[0].count), ("rws-sicbo", "1-2-4", 2));
    let none = ResultFilter { device: Some(DeviceId(9)), ..ResultFilter::default() };
    assert_eq!(query.results(&none).unwrap(), []);
}

#[test]
fn people_terminals_and_devices_have_names() {
    let mut house = House::with("rws-sicbo");
    house.system(Body::AssignActing {
        staff: DEALER,
        post: Some(Post::Pit(rulebook::Rank::PitSupervisor)),
        witness: None,
    });
    house.system(Body::ChangeStaff { staff: AUDITOR, post: Post::Auditor, active: false, witness: None });
    let records = in_memory(&house);
    let staff = records.query().staff().unwrap();
    assert_eq!((staff[0].name.as_str(), staff[0].post.as_str()), ("person 0", "dealer"));
    assert_eq!(staff[0].acting.as_deref(), Some("pit-supervisor"));
    assert!(!staff[AUDITOR.index()].active && staff[5].active);
    let terminals = records.query().terminals().unwrap();
    assert_eq!((terminals.len(), terminals[2].name.as_str(), terminals[2].table), (3, "terminal 2", TABLE));
    let devices = records.query().devices().unwrap();
    assert_eq!((devices[0].kind.as_str(), devices[0].table), ("tumbler", Some(TABLE)));
    assert_eq!((devices[1].kind.as_str(), devices[1].terminal), ("validator", Some(T0)));
}
