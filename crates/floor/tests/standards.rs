//! What a regulated host is expected to do: S1–S7, S12–S14, S19. The ledger's identity S11 is in `ledger.rs`, tickets
//! (S13, S15–S17) in `tickets.rs`.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::{Cents, Face, Family, GroundId, library};

#[test]
fn s1_winning_wagers_are_paid_in_full() {
    // The smallest bet on every spot of every layout, on a sample of outcomes: exactly the odds, to the cent.
    for game in ON_TERMINALS {
        let rulebook = library::find(game).unwrap();
        let step = rulebook.layouts().iter().map(|layout| layout.table().step()).max().unwrap();
        let mut settings = House::settings(game);
        settings.step = step;
        settings.limit = Limit { minimum: step, maximum: Some(dollars(10)) };
        let mut house = House::with_settings(game, settings);
        let layout = &rulebook.layouts()[0];
        for outcome in rulebook.outcomes().indices().step_by(29) {
            let before = house.credit(T0);
            house.open();
            let all = layout.table().indices().map(|spot| BetChange::Add { spot, amount: step });
            house.ok(Sender::Terminal(T0), Body::Bet { changes: all.collect() });
            house.close();
            house.honest_device(TABLE, outcome);
            house.staff(DEALER, Body::enter_result(TABLE, outcome));
            house.confirm();
            let mut due = before.get();
            for spot in layout.table().indices() {
                due -= step.get();
                if let Some(odds) = layout.table().odds(spot, outcome) {
                    let parts = step.get() * i64::from(odds.numerator());
                    assert_eq!(parts % i64::from(odds.denominator()), 0, "no rounding");
                    due += step.get() + parts / i64::from(odds.denominator());
                }
            }
            assert_eq!(house.credit(T0).get(), due, "{game}");
        }
    }
}

#[test]
fn s2_a_void_is_told_to_everybody_and_every_wager_comes_back() {
    for game in ON_TERMINALS {
        let mut house = House::with(game);
        let round = house.open();
        let bet = if game == "rws-roulette-000" { "red=100.00" } else { "big=100.00" };
        house.bet(T0, &[bet]);
        house.bet(T1, &[bet]);
        house.close();
        let ground = house.rulebook(TABLE).void_grounds()[0].id;
        let events = house.staff(DEALER, House::declaring(ground));
        let [Event::RoundVoided { by, reason, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((by, reason.is_empty()), (&VoidBy::Ground(ground), false));
        for terminal in [T0, T1, T2] {
            let view = house.floor.terminal_view(terminal).unwrap();
            assert_eq!(view.table.last_round, Some((round, None)), "every screen says so");
            assert_eq!((view.credit, view.staked), (dollars(1_000), Cents::ZERO));
            assert_eq!(view.last.is_some(), terminal != T2);
        }
    }
}

#[test]
fn s3_a_table_closes_after_notice_on_the_screens() {
    let mut house = House::with("rws-sicbo");
    let close = Body::CloseTable { table: TABLE };
    assert_eq!(house.refused(Sender::Staff(MANAGER), close.clone(), Code::TableOpen), "S3");
    let events = house.staff(MANAGER, Body::AnnounceClosing { table: TABLE });
    let closes_at = house.at.after(60_000);
    assert_eq!(events, [Event::ClosingAnnounced { table: TABLE, closes_at, by: MANAGER }]);
    assert_eq!(house.floor.terminal_view(T0).unwrap().table.closes_at, Some(closes_at));
    house.refused(Sender::Staff(MANAGER), Body::AnnounceClosing { table: TABLE }, Code::TableClosed);
    // Until then play goes on; a round that runs is finished.
    house.later(59_999);
    house.refused(Sender::Staff(MANAGER), close.clone(), Code::TableOpen);
    house.open();
    house.later(1);
    assert_eq!(house.refused(Sender::Staff(MANAGER), close.clone(), Code::InRound), "S12");
    house.finish("1-2-3");
    assert_eq!(house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::TableClosed), "S3");
    house.staff(MANAGER, close);
    assert!(!house.floor.table_view(TABLE).unwrap().open);
    house.refused(Sender::Staff(SUPERVISOR), Body::open_bets(TABLE), Code::TableClosed);
    // Credit can be taken out at a closed table.
    house.cash_out(T0);
    // Opening again takes an announcement back.
    house.staff(MANAGER, Body::OpenTable { table: TABLE });
    house.staff(MANAGER, Body::AnnounceClosing { table: TABLE });
    house.staff(MANAGER, Body::OpenTable { table: TABLE });
    assert_eq!(house.floor.table_view(TABLE).unwrap().closes_at, None);
}

#[test]
fn s4_odds_limits_and_rules_can_be_seen_at_every_terminal() {
    for game in ON_TERMINALS {
        let mut settings = House::settings(game);
        let family = *library::find(game).unwrap().families().keys().next().unwrap();
        settings.families = vec![(family, Limit { minimum: dollars(5), maximum: Some(dollars(50)) })];
        let house = House::with_settings(game, settings);
        let view = house.floor.terminal_view(T0).unwrap();
        for (of, limit) in &view.table.limits {
            let expected = if *of == family { (dollars(5), dollars(50)) } else { (dollars(1), dollars(1_000)) };
            assert_eq!((limit.minimum, limit.maximum), (expected.0, Some(expected.1)), "{game} {of:?}");
        }
        let layout = house.floor.layout_of(house.floor.terminal(T0).unwrap()).unwrap();
        assert!(
            layout.table().indices().all(|spot| !layout.table().winners(spot).is_empty()),
            "every spot has its odds"
        );
        assert!(house.rulebook(TABLE).paragraphs().iter().all(|p| !p.text.en.is_empty() && !p.text.zh.is_empty()));
    }
}

#[test]
fn s4_a_player_may_set_a_loss_limit_for_the_visit() {
    let mut house = House::with("rws-sicbo");
    let limit = |limit| Body::SetLossLimit { terminal: T0, limit };
    let me = Sender::Terminal(T0);
    house.refused(Sender::Terminal(T1), limit(Some(dollars(50))), Code::NotForSender);
    house.refused(Sender::Staff(CASINO_MANAGER), limit(None), Code::NotForSender);
    house.ok(me, limit(Some(dollars(50))));
    assert_eq!(house.floor.terminal_view(T0).unwrap().loss_limit, Some(dollars(50)));
    // What is lost and what stands to be lost count together.
    house.play(&["big=20.00"], "1-2-3");
    house.open();
    house.bet(T0, &["big=20.00"]);
    let more = house.bets(T0, &["small=11.00"]);
    assert_eq!(house.refused(me, more, Code::LossLimit), "S4");
    house.bet(T0, &["small=10.00"]);
    // What is withdrawn or won gives room again.
    house.ok(me, Body::ClearBets);
    house.bet(T0, &["big=30.00"]);
    house.finish("6-5-4");
    house.play(&["big=40.00"], "6-5-4");
    // Within the visit it is lowered and never raised or lifted.
    house.refused(me, limit(Some(dollars(51))), Code::LossLimit);
    house.refused(me, limit(None), Code::LossLimit);
    house.ok(me, limit(Some(dollars(10))));
    // It ends with the visit.
    house.cash_out(T0);
    house.cash_in(T0, dollars(100));
    house.play(&["big=90.00"], "1-2-3");
}

#[test]
fn s5_a_dispute_is_settled_from_the_record_of_one_players_round() {
    let mut house = House::with("rws-sicbo");
    let c = house.enrol(TABLE, "standard", "c");
    house.cash_in(c, dollars(100));
    let round = house.open();
    house.bet(T0, &["small=5.00"]);
    house.bet(c, &["total/8=10.00", "double/2=5.00"]);
    house.bet(c, &["total/8=1.00"]);
    house.finish("2-2-4");
    // The events of that round and player alone, with the rulebook that they pin, say what is due.
    let about = |record: &&Record| match &record.event {
        Event::BetsChanged { terminal, .. } => *terminal == c,
        Event::RoundSettled { round: of, .. } => *of == round,
        Event::TerminalEnrolled { terminal, .. } => *terminal == c,
        Event::RulebookInstalled { .. } => true,
        _ => false,
    };
    let (mut layout, mut rulebook, mut stakes, mut paid) = (0_u8, None, Vec::new(), None);
    for record in house.log.iter().filter(about) {
        match &record.event {
            Event::RulebookInstalled { canonical, hash, .. } => {
                let read = rulebook::Rulebook::parse("record", canonical).unwrap();
                assert_eq!(read.hash(), *hash);
                rulebook = Some(read);
            }
            Event::TerminalEnrolled { layout: of, .. } => layout = *of,
            Event::BetsChanged { changes, .. } => stakes.extend(changes.iter().map(|c| (c.spot, c.delta))),
            Event::RoundSettled { outcome, returns, .. } => {
                paid = Some((*outcome, returns.iter().find(|(terminal, _)| *terminal == c).unwrap().1));
            }
            _ => unreachable!(),
        }
    }
    let (outcome, paid) = paid.unwrap();
    let rulebook = rulebook.unwrap();
    let pays = rulebook.layouts()[usize::from(layout)].table();
    let due = stakes.iter().map(|(spot, stake)| pays.returned(*spot, outcome, *stake).unwrap());
    assert_eq!(Cents::checked_sum(due), Some(paid));
    // Layout C: 8 to 1 on the total, 11 to 1 on the double.
    assert_eq!(whole(paid), 11 * 9 + 5 * 12);
}

#[test]
fn s6_the_dealers_errors_can_be_put_right() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=100.00"]);
    house.close();
    house.play_device();
    // Before settlement the dealer does it alone …
    house.enter("1-2-3");
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_100));
    // … after it a Pit Supervisor with a second person; both entries stay on record.
    let (round, outcome) = (RoundId(0), house.outcome(TABLE, "1-1-2"));
    let (reason, witness) = ("read upside down".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
    assert_eq!(house.credit(T0), dollars(900));
    let told = |wanted: fn(&Event) -> bool| house.log.iter().filter(|record| wanted(&record.event)).count();
    assert_eq!(told(|event| matches!(event, Event::ResultEntered { .. })), 1);
    assert_eq!(told(|event| matches!(event, Event::ResultChanged { .. })), 1);
    assert_eq!(told(|event| matches!(event, Event::RoundCorrected { .. })), 1);
}

#[test]
fn s7_buy_ins_wagers_wins_and_cash_outs_are_tracked_for_each_terminal() {
    let mut house = House::with("rws-sicbo");
    house.cash_in(T0, dollars(20));
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: T0, amount: dollars(30), witness: None });
    let (_, number) = house.cash_out(T1);
    house.ok(Sender::Terminal(T0), Body::TicketIn { terminal: T0, number });
    house.open();
    house.bet(T0, &["big=100.00", "small=50.00"]);
    house.ok(Sender::Terminal(T0), Body::ClearBets);
    house.bet(T0, &["big=100.00"]);
    house.finish("6-5-4");
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(150), witness: None });
    house.cash_out(T0);
    let meters = house.floor.terminal(T0).unwrap().meters().clone();
    let expected = Meters {
        cash_in: dollars(1_020),
        tickets_in: dollars(1_000),
        attendant_in: dollars(30),
        wagers: dollars(250),
        wins: dollars(200),
        bets_returned: dollars(150),
        tickets_out: dollars(2_000),
        attendant_out: dollars(150),
        corrections: Cents::ZERO,
        decisions: Cents::ZERO,
    };
    assert_eq!(meters, expected);
    assert_eq!(house.floor.terminal(T2).unwrap().meters().wagers, Cents::ZERO);
    let pit = house.floor.pit_view();
    assert_eq!((whole(pit.tables[0].turnover), whole(pit.tables[0].win)), (100, -100));
}

#[test]
fn s12_limits_period_and_liability_change_from_the_next_round() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let closes_at = house.floor.table(TABLE).unwrap().round().unwrap().closes_at().unwrap();
    let mut settings = House::settings("rws-sicbo");
    settings.limit = Limit { minimum: dollars(5), maximum: Some(dollars(20)) };
    settings.families = vec![(Family::Big, Limit { minimum: dollars(5), maximum: Some(dollars(30)) })];
    settings.betting_period = 5_000;
    settings.liability = Some(dollars(100));
    let change = Body::ChangeSettings {
        table: TABLE,
        settings: settings.clone().into(),
        reason: "quiet night".to_owned(),
        witness: None,
    };
    let events = house.staff(MANAGER, change.clone());
    assert!(matches!(events[..], [Event::SettingsChanged { from_next_round: true, by: Some(MANAGER), .. }]));
    // This round goes on as it began; the screens announce what comes.
    house.bet(T0, &["big=1.00", "small=500.00"]);
    let view = house.floor.terminal_view(T0).unwrap().table;
    assert_eq!(view.round.unwrap().closes_at, Some(closes_at));
    assert!(view.limits.contains(&(Family::Big, Limit { minimum: dollars(1), maximum: Some(dollars(1_000)) })));
    assert!(view.announced.unwrap().contains(&settings.families[0]));
    house.finish("1-2-3");
    house.open();
    assert!(house.floor.table_view(TABLE).unwrap().announced.is_none());
    let round = house.floor.table(TABLE).unwrap().round().unwrap();
    assert_eq!(round.closes_at(), Some(house.at.after(5_000)));
    for (bet, code) in
        [("big=4.00", Code::BelowMinimum), ("big=31.00", Code::AboveMaximum), ("small=21.00", Code::AboveMaximum)]
    {
        let body = house.bets(T0, &[bet]);
        house.refused(Sender::Terminal(T0), body, code);
    }
    // Between rounds a change holds at once.
    house.finish("1-2-3");
    let change = Body::ChangeSettings {
        table: TABLE,
        settings: House::settings("rws-sicbo").into(),
        reason: "busy".to_owned(),
        witness: None,
    };
    let events = house.staff(MANAGER, change);
    assert!(matches!(events[..], [Event::SettingsChanged { from_next_round: false, .. }]));
}

#[test]
fn s12_step_rulebook_layout_enrolment_and_devices_never_change_in_a_round_or_over_credit() {
    let mut house = House::with("rws-sicbo");
    let (table, reason) = (TABLE, "because".to_owned());
    let mut settings = House::settings("rws-sicbo");
    settings.limit.maximum = Some(dollars(900));
    settings.step = Cents::new(50);
    let step = Body::ChangeSettings { table, settings: settings.clone().into(), reason, witness: None };
    let pin =
        Body::PinRulebook { table, rulebook: house.rulebook(TABLE).hash(), settings: settings.into(), witness: None };
    let moved = |layout: &str| Body::MoveTerminal {
        terminal: T0,
        table,
        kind: "standard".to_owned(),
        layout: layout.to_owned(),
    };
    let enrol =
        Body::EnrolTerminal { table, name: "new".to_owned(), kind: "standard".to_owned(), layout: "b".to_owned() };
    let store = Body::MoveDevice { device: DEVICE, place: DevicePlace::Store, witness: None };
    let device = Body::add_device("spare".to_owned(), DeviceKind::Tumbler, DevicePlace::Table(table));
    for body in [&step, &pin, &moved("b")] {
        assert_eq!(house.refused(Sender::System, body.clone(), Code::CreditLeft), "S12");
    }
    for terminal in [T0, T1, T2] {
        house.cash_out(terminal);
    }
    house.open();
    for body in [&step, &pin, &moved("b"), &enrol, &store, &device] {
        assert_eq!(house.refused(Sender::System, body.clone(), Code::InRound), "S12");
    }
    house.finish("1-2-3");
    for body in [step, moved("b"), enrol, store, device] {
        house.system(body);
    }
    assert_eq!(house.floor.terminal_view(T0).unwrap().layout, "b");
    // A rulebook is pinned at a table whose terminals are enrolled again.
    house.refused(Sender::System, pin, Code::Settings);
}

#[test]
fn s13_the_last_games_and_money_transactions_of_a_terminal_are_on_record_whole() {
    let mut house = House::with("rws-sicbo");
    for outcome in ["1-2-3", "6-5-4", "1-1-1", "2-3-4", "5-5-6", "1-2-3", "6-5-4", "1-1-1", "2-3-4", "5-5-6"] {
        house.play(&["big=10.00", "single/1=5.00"], outcome);
    }
    let table = house.floor.table(TABLE).unwrap();
    let games: Vec<_> = table.archive().filter(|round| round.entries().iter().any(|e| e.terminal() == T0)).collect();
    assert_eq!(games.len(), 10);
    for game in games {
        let entry = &game.entries()[0];
        let pays = house.rulebook(TABLE).layouts()[usize::from(entry.layout())].table();
        let due = entry.stakes().iter().map(|s| pays.returned(s.spot, game.outcome().unwrap(), s.amount).unwrap());
        assert_eq!(Cents::checked_sum(due), Some(entry.paid()), "stakes, pay table and result say what was paid");
    }
    // Money: replaying the log tells every movement of the terminal's credit.
    for _ in 0..18 {
        house.cash_in(T0, dollars(1));
        house.cash_out(T0);
    }
    let mut floor = Floor::new();
    let mut moved = Vec::new();
    for record in &house.log {
        let transfers = floor.apply_and_tell(record).unwrap();
        let own = |t: &Transfer| [t.from, t.to].contains(&Account::Credit(T0));
        moved.extend(transfers.into_iter().filter(own).map(|transfer| (record.at, transfer)));
    }
    let is_money = |cause| matches!(cause, Cause::CashIn | Cause::TicketPrepared);
    assert!(moved.iter().filter(|(_, transfer)| is_money(transfer.cause)).count() >= 35);
}

#[test]
fn s14_significant_events_are_recorded_with_time_device_and_code_and_so_is_their_end() {
    let mut house = House::with("rws-sicbo");
    house.later(1_000);
    house.device(Observation::Fault { number: 42 });
    let alert = house.floor.alerts().next().unwrap();
    assert_eq!((alert.at(), alert.what()), (house.at, &AlertKind::DeviceFault(DEVICE, 42)));
    house.later(1_000);
    house.device(Observation::Restored);
    house.system(Body::TerminalLost { terminal: T0 });
    house.system(Body::TerminalBack { terminal: T0 });
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(10), witness: None });
    house.open();
    let from = house.at;
    house.later(3_000);
    house.system(Body::ReportStoppage { from, terminals_back: true });
    let recorded = |wanted: fn(&Event) -> bool| house.log.iter().find(|record| wanted(&record.event)).map(|r| r.at);
    let is_fault =
        |event: &Event| matches!(event, Event::Observed { observation: Observation::Fault { number: 42 }, .. });
    let is_end =
        |event: &Event| matches!(event, Event::Observed { observation: Observation::Restored, device: DEVICE, .. });
    let (fault, end) = (recorded(is_fault).unwrap(), recorded(is_end).unwrap());
    assert_eq!(end.since(fault), 1_000);
    for wanted in [
        (|event| matches!(event, Event::TerminalLost { terminal: T0 })) as fn(&Event) -> bool,
        |event| matches!(event, Event::TerminalBack { terminal: T0 }),
        |event| matches!(event, Event::AttendantPaid { by: SUPERVISOR, .. }),
        |event| matches!(event, Event::StoppageRecorded { .. }),
        |event| matches!(event, Event::TableAdded { .. }),
    ] {
        assert!(recorded(wanted).is_some());
    }
}

#[test]
fn s19_a_player_calls_an_attendant_and_sees_that_the_pit_has_answered() {
    let mut house = House::with("rws-sicbo");
    let call = Body::CallAttendant { terminal: T0 };
    house.refused(Sender::Terminal(T1), call.clone(), Code::NotForSender);
    house.refused(Sender::Staff(SUPERVISOR), call.clone(), Code::NotForSender);
    // A player whose terminal is locked needs one most.
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "a spilt drink".to_owned() });
    let events = house.ok(Sender::Terminal(T0), call.clone());
    let alert = house.floor.pit_view().alerts[0].id();
    let what = AlertKind::Attendant(T0);
    assert_eq!(events, [Event::AlertRaised { alert, table: Some(TABLE), what }]);
    assert_eq!(house.floor.attendant_called(T0), Some(house.at));
    house.refused(Sender::Terminal(T0), call.clone(), Code::NothingToDo);
    // Another seat has a line of its own.
    house.ok(Sender::Terminal(T1), Body::CallAttendant { terminal: T1 });
    assert_eq!(house.floor.pit_view().alerts.len(), 2);
    house.refused(Sender::Staff(DEALER), Body::AcknowledgeAlert { alert }, Code::Rank);
    house.later(1_000);
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    let answered = |house: &House| house.floor.terminal(T0).and_then(|terminal| terminal.attended());
    assert_eq!((house.floor.attendant_called(T0), answered(&house)), (None, Some(house.at)));
    assert!(house.floor.attendant_called(T1).is_some());
    // A further call is open again until it is answered.
    house.ok(Sender::Terminal(T0), call);
    assert_eq!(answered(&house), None);
}

#[test]
fn s19_alerts_stay_until_somebody_authorised_acknowledges_them() {
    let mut house = House::with("rws-sicbo");
    let raise = Body::RaiseAlert { table: Some(TABLE), what: AlertKind::TerminalLost(T0) };
    house.refused(Sender::Staff(CASINO_MANAGER), raise.clone(), Code::NotForSender);
    house.system(raise.clone());
    house.refused(Sender::System, raise.clone(), Code::NothingToDo);
    let alert = house.floor.pit_view().alerts[0].id();
    // Nothing but an acknowledgement takes it away: no time, no rounds, no end of what it was about.
    house.later(24 * 60 * 60 * 1000);
    house.play(&[], "1-2-3");
    assert_eq!(house.floor.pit_view().alerts.len(), 1);
    for who in [DEALER, CASHIER, AUDITOR, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), Body::AcknowledgeAlert { alert }, Code::Rank);
    }
    let events = house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    assert_eq!(events, [Event::AlertAcknowledged { alert, by: SUPERVISOR }]);
    assert_eq!(house.log.last().unwrap().at, house.at, "who and when");
    house.refused(Sender::Staff(SUPERVISOR), Body::AcknowledgeAlert { alert }, Code::NotFound);
    // What a device reads otherwise than the dealer is one of them.
    house.open();
    house.close();
    house.play_device();
    house.device(Observation::DiceRead { dice: [Face::new(6), None, None] });
    house.enter("1-2-3");
    let alerts = house.floor.pit_view().alerts;
    assert!(matches!(alerts[0].what(), AlertKind::DeviceDisagrees(_)));
    house.staff(DEALER, House::declaring(GroundId::DieNotFlat));
}

#[test]
fn s14_what_the_host_sees_at_its_doors_is_recorded_and_changes_nothing() {
    let mut house = House::with("rws-sicbo");
    let note = Body::Note { words: "dealer 1 was refused from 10.0.0.7".to_owned() };
    house.refused(Sender::Staff(ADMINISTRATOR), note.clone(), Code::NotForSender);
    house.refused(Sender::System, Body::Note { words: String::new() }, Code::Text);
    let events = house.system(note);
    assert_eq!(events, [Event::Noted { words: "dealer 1 was refused from 10.0.0.7".to_owned() }]);
    assert!(house.floor.check().is_empty());
}
