//! Everything that can grow has a bound, and each bound a refusal of its own.

use crate::common::live::whole;
use crate::common::play::read;
use crate::common::*;
use floor::*;
use rulebook::{Act, Cents, GroundId, Hash, Rank, library};

/// A floor that applies events without the checks of the house after each: for large floors.
struct Told(Floor);

impl Told {
    fn from(house: &House) -> Told {
        Told(house.floor.clone())
    }

    fn tell(&mut self, event: Event) {
        let record = Record { at: self.0.now(), origin: None, event };
        self.0.apply(&record).expect("the event fits");
    }

    /// Decides and applies.
    #[track_caller]
    fn ok(&mut self, sender: Sender, body: Body) -> Vec<Event> {
        let number = self.0.sequence() + 1_000_000;
        match self.0.decide(&Command { sender, number, at: self.0.now(), body }) {
            Ok(Decision::Events(records)) => {
                records.iter().for_each(|record| self.0.apply(record).unwrap());
                records.into_iter().map(|record| record.event).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn code(&self, sender: Sender, body: &Body) -> Option<Code> {
        self.0.may(sender, body, self.0.now()).err().map(|refusal| refusal.code)
    }
}

fn many(text: &str, times: usize) -> String {
    text.repeat(times)
}

#[test]
fn tables_devices_and_staff_of_a_floor_are_bounded() {
    let house = House::with("rws-sicbo");
    let mut floor = Told::from(&house);
    let (rulebook, mode) = (house.rulebook(TABLE).hash(), TableMode::Terminals);
    let add = Body::AddTable {
        name: "t".to_owned(),
        rulebook,
        mode,
        settings: House::settings("rws-sicbo").into(),
        witness: None,
    };
    while floor.0.tables().len() < bounds::TABLES {
        let table = TableId(u16::try_from(floor.0.tables().len()).unwrap());
        let settings = House::settings("rws-sicbo").into();
        floor.tell(Event::TableAdded { table, name: String::new(), rulebook, mode, settings, by: None, witness: None });
        assert_eq!(floor.code(Sender::System, &add).is_some(), floor.0.tables().len() >= bounds::TABLES);
    }
    assert_eq!(floor.code(Sender::System, &add), Some(Code::TooMany));
    let (kind, place) = (DeviceKind::Tumbler, DevicePlace::Store);
    let add = Body::add_device("d".to_owned(), kind, place);
    assert_eq!(floor.code(Sender::System, &add), None);
    for device in floor.0.devices().len()..bounds::DEVICES {
        let device = DeviceId(u16::try_from(device).unwrap());
        floor.tell(Event::DeviceAdded {
            device,
            name: String::new(),
            kind,
            place,
            measures: None,
            by: None,
            witness: None,
        });
    }
    assert_eq!(floor.code(Sender::System, &add), Some(Code::TooMany));
    let add = Body::AddStaff { name: "s".to_owned(), post: Post::Auditor, witness: None };
    assert_eq!(floor.code(Sender::System, &add), None);
    for staff in 12..bounds::STAFF {
        let staff = StaffId(u32::try_from(staff).unwrap());
        floor.tell(Event::StaffAdded { staff, name: String::new(), post: Post::Auditor, by: None, witness: None });
    }
    assert_eq!(floor.code(Sender::System, &add), Some(Code::TooMany));
}

#[test]
fn terminals_of_a_floor_are_bounded() {
    let house = House::with("rws-sicbo");
    let mut floor = Told::from(&house);
    let (kind, layout) = ("standard".to_owned(), "a".to_owned());
    let enrol = Body::EnrolTerminal { table: TABLE, name: "t".to_owned(), kind, layout };
    for terminal in floor.0.terminals().len()..bounds::TERMINALS {
        let terminal = TerminalId(u32::try_from(terminal).unwrap());
        floor.tell(Event::TerminalEnrolled {
            terminal,
            table: TABLE,
            name: String::new(),
            kind: String::new(),
            layout: 0,
        });
    }
    assert_eq!(floor.code(Sender::System, &enrol), Some(Code::TooMany));
}

#[test]
fn rulebooks_of_a_floor_and_their_length_are_bounded() {
    let house = House::with("rws-sicbo");
    let mut floor = Told::from(&house);
    let canonical = library::find("rws-taisai").unwrap().canonical();
    let install = |version: usize| Body::InstallRulebook {
        canonical: canonical.replacen("version=\"4\"", &format!("version=\"4.{version}\""), 1),
        witness: None,
    };
    for version in 1..bounds::RULEBOOKS {
        floor.ok(Sender::System, install(version));
    }
    assert_eq!(floor.code(Sender::System, &install(99)), Some(Code::TooMany));
    let mut house = House::empty();
    let long = Body::InstallRulebook {
        canonical: format!("{canonical}#{}", many("x", bounds::RULEBOOK_BYTES)),
        witness: None,
    };
    house.refused(Sender::System, long, Code::TooMany);
    house.refused(
        Sender::System,
        Body::InstallRulebook { canonical: "no rulebook".to_owned(), witness: None },
        Code::Rulebook,
    );
}

#[test]
fn programs_approved_beforehand_are_bounded() {
    let mut house = House::empty();
    let release = |n: u8| Release { program: Hash([n; 32]), rulebooks: Hash([0; 32]) };
    let most = u8::try_from(bounds::APPROVED).unwrap();
    for n in 0..most {
        house.staff(ADMINISTRATOR, Body::ApproveProgram { release: release(n), witness: Some(SECOND_ADMINISTRATOR) });
    }
    house.refused(
        Sender::Staff(ADMINISTRATOR),
        Body::ApproveProgram { release: release(most), witness: Some(SECOND_ADMINISTRATOR) },
        Code::TooMany,
    );
}

#[test]
fn names_and_reasons_are_bounded_and_never_empty() {
    let mut house = House::with("rws-sicbo");
    let name = |name: String| Body::AddStaff { name, post: Post::Auditor, witness: None };
    house.system(name(many("é", bounds::NAME)));
    let reason = |reason: String| Body::LockTerminal { terminal: T0, reason };
    for wrong in [many("é", bounds::NAME + 1), String::new(), " \u{a0}".to_owned(), "a\nb".to_owned()] {
        house.refused(Sender::System, name(wrong), Code::Text);
    }
    for wrong in [many("é", bounds::REASON + 1), String::new(), "\u{7f}".to_owned()] {
        house.refused(Sender::Staff(SUPERVISOR), reason(wrong), Code::Text);
    }
    house.staff(SUPERVISOR, reason(many("é", bounds::REASON)));
    let mut house = House::with("rws-roulette-000");
    house.open();
    let bet = many("n", bounds::NAME + 1);
    let bet = Body::Bet { changes: [BetChange::AddPieces { bet, unit: dollars(1) }].into() };
    house.refused(Sender::Terminal(T0), bet, Code::Text);
}

#[test]
fn amounts_and_credit_are_bounded() {
    let mut house = House::with("rws-sicbo");
    let witness = Some(SECOND_SUPERVISOR);
    let attendant = |amount| Body::AttendantIn { terminal: T0, amount: Cents::new(amount), witness };
    for wrong in [0, -1, i64::MIN, bounds::AMOUNT + 1, i64::MAX] {
        house.refused(Sender::Staff(SUPERVISOR), attendant(wrong), Code::Amount);
    }
    let times = bounds::CREDIT / bounds::AMOUNT;
    for _ in 1..times {
        house.staff(SUPERVISOR, attendant(bounds::AMOUNT));
    }
    // What stands on the layout counts, and a ticket that would not fit stays a ticket.
    let held = house.credit(T0).get();
    let (_, number) = house.cash_out(T1);
    house.staff(SUPERVISOR, attendant(bounds::CREDIT - held - 50_000));
    house.open();
    house.bet(T0, &["big=1000.00"]);
    house.refused(Sender::Staff(SUPERVISOR), attendant(50_001), Code::Amount);
    house.refused(Sender::Terminal(T0), Body::TicketIn { terminal: T0, number }, Code::Amount);
    house.staff(SUPERVISOR, attendant(50_000));
    assert_eq!(house.credit(T0).get() + 100_000, bounds::CREDIT);
}

#[test]
fn limits_of_a_table_are_within_the_amounts_and_named_once() {
    let mut house = House::with("rws-sicbo");
    let refuse = |house: &mut House, change: &dyn Fn(&mut TableSettings), code| {
        let mut settings = House::settings("rws-sicbo");
        change(&mut settings);
        let body = Body::ChangeSettings {
            table: TABLE,
            settings: settings.into(),
            reason: "because".to_owned(),
            witness: None,
        };
        house.refused(Sender::Staff(MANAGER), body, code)
    };
    let limit = |minimum, maximum| Limit { minimum: Cents::new(minimum), maximum: Some(Cents::new(maximum)) };
    let (family, usual) = (rulebook::Family::Big, limit(100, 1_000));
    refuse(&mut house, &|s| s.limit = limit(100, bounds::AMOUNT + 100), Code::Settings);
    refuse(&mut house, &|s| s.limit = limit(-100, 100), Code::Settings);
    refuse(&mut house, &|s| s.limit = limit(200, 100), Code::Settings);
    refuse(&mut house, &|s| s.limit.maximum = None, Code::Settings);
    refuse(&mut house, &|s| s.families = vec![(family, usual); 2], Code::Settings);
    refuse(&mut house, &|s| s.families = vec![(rulebook::Family::Straight, usual)], Code::Settings);
    refuse(&mut house, &|s| s.differential = Some(dollars(1)), Code::Settings);
    refuse(&mut house, &|s| s.liability = Some(Cents::ZERO), Code::Settings);
    refuse(&mut house, &|s| s.grace = -1, Code::Settings);
    refuse(&mut house, &|s| s.betting_period = 24 * 60 * 60 * 1000 + 1, Code::Settings);
    refuse(&mut house, &|s| s.step = Cents::ZERO, Code::Amount);
    refuse(&mut house, &|s| s.hand_pay = Cents::new(bounds::AMOUNT + 1), Code::Amount);
}

#[test]
fn changes_stakes_and_multi_piece_bets_of_a_terminal_are_bounded() {
    let mut house = House::with("rws-roulette-000");
    let rapid = house.enrol(TABLE, "rapid", "a");
    house.cash_in(rapid, dollars(10_000));
    house.open();
    let sender = Sender::Terminal(rapid);
    let pays = house.rulebook(TABLE).layouts()[0].table();
    let spots: Vec<_> = pays.indices().collect();
    let add = |spot| BetChange::Add { spot, amount: dollars(1) };
    let wide = Body::Bet { changes: (0..=bounds::CHANGES).map(|at| add(spots[at % spots.len()])).collect() };
    house.refused(sender, wide, Code::TooMany);
    house.refused(sender, Body::Bet { changes: Few::new() }, Code::TooMany);
    // A grand series stands on eight spots; each bet keeps its own.
    let series = |times| vec![BetChange::AddPieces { bet: "grandseries".to_owned(), unit: dollars(1) }; times].into();
    house.ok(sender, Body::Bet { changes: series(bounds::GROUPS) });
    house.refused(sender, Body::Bet { changes: series(1) }, Code::TooMany);
    let room = bounds::STAKES - house.floor.terminal(rapid).unwrap().stakes().len();
    assert_eq!(room, 400 - 40 * 8);
    let plain = |from: usize, to: usize| Body::Bet { changes: spots[from..to].iter().map(|spot| add(*spot)).collect() };
    house.refused(sender, plain(0, room + 1), Code::TooMany);
    house.ok(sender, plain(0, room));
    house.refused(sender, plain(room, room + 1), Code::TooMany);
    // More on a spot that has a bet already is no further stake.
    house.ok(sender, plain(0, 1));
}

#[test]
fn history_and_rounds_that_can_be_corrected_are_bounded() {
    let mut house = House::with("rws-taisai");
    let mut rounds = Vec::new();
    for _ in 0..=bounds::HISTORY {
        rounds.push(house.deal(&[], "1-2-3"));
    }
    let table = house.floor.table(TABLE).unwrap();
    assert_eq!((table.history().count(), table.archive().count()), (bounds::HISTORY, bounds::CORRECTABLE));
    assert_eq!(table.history().next().unwrap().0, rounds[1]);
    let outcome = house.outcome(TABLE, "6-5-4");
    let correct =
        |round| Body::CorrectResult { round, outcome, reason: "misread".to_owned(), witness: Some(SECOND_SUPERVISOR) };
    let last = rounds.len() - bounds::CORRECTABLE;
    house.refused(Sender::Staff(SUPERVISOR), correct(rounds[last - 1]), Code::NotFound);
    house.staff(SUPERVISOR, correct(rounds[last]));
    // Rounds voided by one command.
    let void = |rounds: Vec<RoundId>| {
        let (ground, witness) = (GroundId::DiceDamaged, Some(SECOND_MANAGER));
        Body::VoidRounds { table: TABLE, ground, rounds, reason: "a chipped die".to_owned(), witness }
    };
    house.refused(Sender::Staff(MANAGER), void(Vec::new()), Code::TooMany);
    house.refused(Sender::Staff(MANAGER), void(rounds[last - 1..].to_vec()), Code::TooMany);
    assert_eq!(rounds[last..].len(), bounds::VOIDED);
    house.staff(MANAGER, void(rounds[last..].to_vec()));
}

#[test]
fn alerts_that_wait_are_bounded_and_none_is_lost() {
    let house = House::with("rws-sicbo");
    let mut floor = Told::from(&house);
    let alert = |n: usize| Body::RaiseAlert { table: Some(TABLE), what: AlertKind::Host(format!("alert {n}")) };
    for n in 0..bounds::ALERTS {
        floor.ok(Sender::System, alert(n));
    }
    let events = floor.ok(Sender::System, alert(bounds::ALERTS));
    assert!(matches!(events[..], [Event::AlertRepeated { more: Some(1), .. }]), "{events:?}");
    // Alerts of another kind have room of their own.
    let events = floor.ok(Sender::Device(DEVICE), Body::Observe(Observation::Fault { number: 7 }));
    assert!(matches!(events[..], [Event::Observed { .. }, Event::AlertRaised { .. }]));
    floor.ok(Sender::Staff(SUPERVISOR), Body::AcknowledgeAlert { alert: AlertId(0) });
    let events = floor.ok(Sender::System, alert(bounds::ALERTS + 1));
    assert!(matches!(events[..], [Event::AlertRaised { .. }]), "{events:?}");
}

#[test]
fn positions_and_chips_at_a_live_table_are_bounded() {
    let mut house = House::live();
    house.open();
    for wrong in [0, bounds::POSITIONS + 1, u8::MAX] {
        let place = house.placing((wrong, "big", 25));
        house.refused(Sender::Staff(DEALER), place, Code::NotFound);
    }
    house.place(&[(bounds::POSITIONS, "big", 25)]);
    let mut floor = Told::from(&house);
    let place = house.placing((1, "big", 1));
    for _ in 1..bounds::CHIPS {
        floor.ok(Sender::Staff(DEALER), place.clone());
    }
    assert_eq!(floor.code(Sender::Staff(DEALER), &place), Some(Code::TooMany));
    assert_eq!(floor.code(Sender::Staff(DEALER), &house.taking((1, "big", 1))), None, "chips can be taken off");
    house.close();
    let late = Body::RefuseLate { table: TABLE, position: Position(0) };
    house.refused(Sender::Staff(DEALER), late, Code::NotFound);
}

#[test]
fn a_large_settlement_is_written_in_parts_and_takes_effect_with_the_last() {
    let house = House::with("rws-sicbo");
    let mut floor = Told::from(&house);
    for id in 3..=u32::try_from(bounds::PART).unwrap() {
        let terminal = TerminalId(id);
        floor.tell(Event::TerminalEnrolled {
            terminal,
            table: TABLE,
            name: String::new(),
            kind: String::new(),
            layout: 0,
        });
        floor.tell(Event::TerminalBack { terminal });
        floor.tell(Event::CashIn { terminal, amount: dollars(1_000) });
    }
    floor.ok(Sender::Staff(DEALER), Body::open_bets(TABLE));
    let bet = house.bets(T0, &["big=100.00"]);
    for id in 0..=u32::try_from(bounds::PART).unwrap() {
        floor.ok(Sender::Terminal(TerminalId(id)), bet.clone());
    }
    floor.ok(Sender::Staff(DEALER), Body::CloseBets { table: TABLE });
    let terminals: Vec<TerminalId> = floor.0.terminals().iter().map(Terminal::id).collect();
    let round = floor.0.table(TABLE).unwrap().round().unwrap().id();
    floor.tell(Event::CountedLost { round, table: TABLE, terminals });
    let outcome = house.outcome(TABLE, "6-5-4");
    for seen in [Observation::Activated, Observation::Tumbled { times: 3 }, Observation::Uncovered, read([6, 5, 4])] {
        floor.ok(Sender::Device(DEVICE), Body::Observe(seen));
    }
    floor.ok(Sender::Staff(DEALER), Body::enter_result(TABLE, outcome));
    let command = Command {
        sender: Sender::Staff(DEALER),
        number: floor.0.sequence() + 2_000_000,
        at: floor.0.now(),
        body: Body::confirm_result(TABLE),
    };
    let Ok(Decision::Events(records)) = floor.0.decide(&command) else { panic!("refused") };
    let parts = records.iter().map(|record| match &record.event {
        Event::RoundSettled { part, parts, returns, .. } => (*part, *parts, returns.len()),
        event => panic!("{event:?}"),
    });
    assert_eq!(parts.collect::<Vec<_>>(), [(1, 2, bounds::PART), (2, 2, 1)]);
    let sizes = records.iter().map(|record| postcard::to_allocvec(record).unwrap().len());
    assert!(sizes.max() < Some(512 * 1024));
    floor.0.apply(&records[0]).unwrap();
    assert_eq!(whole(floor.0.terminal(T0).unwrap().credit()), 900, "nothing has taken effect yet");
    assert!(floor.0.check().is_empty());
    floor.0.apply(&records[1]).unwrap();
    assert_eq!(whole(floor.0.terminal(T0).unwrap().credit()), 1_100);
    assert!(floor.0.check().is_empty());
}

#[test]
fn what_does_not_exist_is_said_so() {
    let mut house = House::with("rws-sicbo");
    let (table, terminal) = (TableId(9), TerminalId(99));
    let none = [
        (Sender::Staff(DEALER), Body::open_bets(table)),
        (Sender::Staff(SUPERVISOR), Body::AttendantIn { terminal, amount: dollars(1), witness: None }),
        (Sender::System, Body::TerminalLost { terminal }),
        (Sender::System, Body::MoveDevice { device: DeviceId(99), place: DevicePlace::Store, witness: None }),
        (Sender::System, Body::ChangeStaff { staff: StaffId(99), post: Post::Auditor, active: true, witness: None }),
        (Sender::System, Body::AssignActing { staff: StaffId(99), post: None, witness: None }),
        (Sender::Staff(MANAGER), Body::AcknowledgeAlert { alert: AlertId(9) }),
    ];
    for (sender, body) in none {
        house.refused(sender, body, Code::NotFound);
    }
    let raise = Body::RaisePower { act: Act::RejectExcess, rank: Rank::Dealer, witness: Some(SECOND_ADMINISTRATOR) };
    house.staff(ADMINISTRATOR, raise);
}
