//! D27: what one person moves without a second person is limited per gaming day and per visit, whatever the act; and one
//! person never supplies both signatures.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::Rank;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn attendant_in(amount: i64, witness: Option<StaffId>) -> Body {
    Body::AttendantIn { terminal: T0, amount: dollars(amount), witness }
}

fn hand_pay(terminal: TerminalId, amount: i64, witness: Option<StaffId>) -> Body {
    Body::AttendantPay { terminal, amount: dollars(amount), witness }
}

fn ruling(ruling: Ruling, witness: Option<StaffId>) -> Body {
    Body::Decide { table: TABLE, round: None, ruling, reason: "as seen".to_owned(), witness }
}

/// What is taken back names its round (D7).
fn take_back(round: RoundId, terminal: TerminalId, amount: i64, witness: Option<StaffId>) -> Body {
    let ruling = Ruling::TakeBack { terminal, amount: dollars(amount) };
    Body::Decide { table: TABLE, round: Some(round), ruling, reason: "as seen".to_owned(), witness }
}

/// A house whose tables ask for a second person above 1,000.00.
fn house() -> House {
    let settings = TableSettings { hand_pay: dollars(1_000), ..House::settings("rws-sicbo") };
    House::with_settings("rws-sicbo", settings)
}

#[test]
fn d27_twenty_payments_just_under_the_threshold_need_a_second_person() {
    let mut house = house();
    house.staff(SUPERVISOR, hand_pay(T0, 600, None));
    // Another visit, another table's money: it is one person's total.
    let refused = house.refused(Sender::Staff(SUPERVISOR), hand_pay(T1, 600, None), Code::SecondPerson);
    assert_eq!(refused, "D27");
    // Another person has a total of their own.
    house.staff(MANAGER, hand_pay(T1, 500, None));
    // The second person signs for the total so far, and the count begins again.
    house.staff(SUPERVISOR, hand_pay(T1, 401, Some(MANAGER)));
    let moved = house.floor.moved_by(SUPERVISOR);
    assert_eq!((whole(moved.since), whole(moved.today), whole(moved.signed)), (0, 600, 401));
    house.staff(SUPERVISOR, hand_pay(T2, 1_000, None));
    house.refused(Sender::Staff(SUPERVISOR), hand_pay(T1, 1, None), Code::SecondPerson);
}

#[test]
fn d27_credit_by_an_attendant_decisions_and_payments_count_together() {
    let mut house = house();
    let round = house.open();
    house.bet(T1, &["small=1.00"]);
    house.staff(SHIFT_MANAGER, attendant_in(400, None));
    house.staff(SHIFT_MANAGER, ruling(Ruling::Pay { terminal: T1, amount: dollars(300) }, None));
    house.staff(SHIFT_MANAGER, take_back(round, T1, 300, None));
    for body in [
        attendant_in(1, None),
        hand_pay(T0, 1, None),
        ruling(Ruling::Pay { terminal: T1, amount: dollars(1) }, None),
        take_back(round, T1, 1, None),
    ] {
        assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), body, Code::SecondPerson), "D27");
    }
    // Alone above the threshold it is the old rule.
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), attendant_in(1_001, None), Code::SecondPerson), "D15");
    house.staff(SUPERVISOR, attendant_in(1_001, Some(SECOND_SUPERVISOR)));
}

#[test]
fn d27_a_gaming_day_ends_the_count_but_not_that_of_a_visit() {
    let mut house = house();
    house.staff(SUPERVISOR, attendant_in(900, None));
    house.staff(SUPERVISOR, attendant_in(100, None));
    let before = house.floor.gaming_day();
    house.later(DAY);
    house.refused(Sender::Staff(SUPERVISOR), hand_pay(T1, 100, None), Code::SecondPerson);
    house.system(Body::Elapse);
    assert!(house.floor.gaming_day() > before);
    assert_eq!(house.floor.moved_by(SUPERVISOR), Alone::default());
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), attendant_in(100, None), Code::SecondPerson), "D27");
    house.staff(SUPERVISOR, hand_pay(T1, 100, None));
    house.staff(SUPERVISOR, attendant_in(100, Some(MANAGER)));
    house.staff(SUPERVISOR, attendant_in(100, None));
}

#[test]
fn d27_a_decision_that_voids_a_round_always_has_a_second_person() {
    let mut house = house();
    let round = house.open();
    let void = |witness| Body::Decide {
        table: TABLE,
        round: Some(round),
        ruling: Ruling::VoidRound,
        reason: "a power cut".to_owned(),
        witness,
    };
    for missing in [None, Some(SHIFT_MANAGER), Some(DEALER)] {
        house.refused(Sender::Staff(SHIFT_MANAGER), void(missing), Code::SecondPerson);
    }
    house.staff(SHIFT_MANAGER, void(Some(MANAGER)));
}

#[test]
fn d27_a_threshold_is_changed_by_two_people() {
    let mut house = house();
    let raised = TableSettings { hand_pay: dollars(5_000_000), ..House::settings("rws-sicbo") };
    let change = |settings: &TableSettings, witness| Body::ChangeSettings {
        table: TABLE,
        settings: settings.clone().into(),
        reason: "a long night".to_owned(),
        witness,
    };
    for missing in [None, Some(MANAGER), Some(SUPERVISOR)] {
        house.refused(Sender::Staff(MANAGER), change(&raised, missing), Code::SecondPerson);
    }
    house.staff(MANAGER, change(&raised, Some(SECOND_MANAGER)));
    // The floor's own threshold still holds: the lowest that applies.
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), attendant_in(10_001, None), Code::SecondPerson), "D15");
    // Limits alone are changed as before.
    let limits = TableSettings { limit: Limit { minimum: dollars(2), maximum: Some(dollars(50)) }, ..raised };
    house.staff(MANAGER, change(&limits, None));
    let thresholds = Thresholds { alone: dollars(200), ..Thresholds::default() };
    let set = |witness| Body::SetThresholds { thresholds, reason: "the year's audit".to_owned(), witness };
    for (who, witness) in [(ADMINISTRATOR, None), (ADMINISTRATOR, Some(CASINO_MANAGER))] {
        house.refused(Sender::Staff(who), set(witness), Code::SecondPerson);
    }
    house.refused(Sender::Staff(CASINO_MANAGER), set(Some(ADMINISTRATOR)), Code::Rank);
    house.staff(ADMINISTRATOR, set(Some(SECOND_ADMINISTRATOR)));
    house.refused(Sender::Staff(SUPERVISOR), attendant_in(201, None), Code::SecondPerson);
    // A new table with a higher threshold than the usual one.
    let rulebook = house.rulebook(TABLE).hash();
    let add = |witness| Body::AddTable {
        name: "another".to_owned(),
        rulebook,
        mode: TableMode::Terminals,
        settings: TableSettings { hand_pay: dollars(20_000), ..House::settings("rws-sicbo") }.into(),
        witness,
    };
    house.refused(Sender::Staff(ADMINISTRATOR), add(None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, add(Some(SECOND_ADMINISTRATOR)));
}

#[test]
fn d27_accounts_and_posts_are_made_by_two_people() {
    let mut house = house();
    let add = |witness| Body::AddStaff { name: "new".to_owned(), post: Post::Pit(Rank::CasinoManager), witness };
    let change = |active, witness| Body::ChangeStaff { staff: DEALER, post: Post::Cashier, active, witness };
    let assign = |witness| Body::AssignActing { staff: DEALER, post: Some(Post::Pit(Rank::ShiftManager)), witness };
    for witness in [None, Some(ADMINISTRATOR), Some(CASINO_MANAGER)] {
        house.refused(Sender::Staff(ADMINISTRATOR), add(witness), Code::SecondPerson);
        house.refused(Sender::Staff(ADMINISTRATOR), change(true, witness), Code::SecondPerson);
    }
    for witness in [None, Some(CASINO_MANAGER), Some(MANAGER), Some(DEALER)] {
        house.refused(Sender::Staff(CASINO_MANAGER), assign(witness), Code::SecondPerson);
    }
    house.staff(CASINO_MANAGER, assign(Some(SHIFT_MANAGER)));
    house.staff(ADMINISTRATOR, add(Some(SECOND_ADMINISTRATOR)));
    // Ending a post needs no second person.
    house.staff(CASINO_MANAGER, Body::AssignActing { staff: DEALER, post: None, witness: None });
    let gone = Body::ChangeStaff { staff: DEALER, post: Post::Pit(Rank::Dealer), active: false, witness: None };
    house.staff(ADMINISTRATOR, gone);
}

#[test]
fn d27_who_was_created_assigned_or_reset_by_one_of_two_does_not_sign_with_them_that_day() {
    let mut house = house();
    let new = StaffId(u32::try_from(house.floor.staff().len()).unwrap());
    let (name, post) = ("new".to_owned(), Post::Pit(Rank::CasinoManager));
    house.staff(ADMINISTRATOR, Body::AddStaff { name, post, witness: Some(SECOND_ADMINISTRATOR) });
    // The administrator acts in the pit and takes the new account's signature, or the other way round.
    let acting = |post| Body::AssignActing { staff: ADMINISTRATOR, post, witness: Some(SHIFT_MANAGER) };
    let in_the_pit = Some(Post::Pit(Rank::PitSupervisor));
    house.staff(CASINO_MANAGER, acting(in_the_pit));
    for (first, second) in [(ADMINISTRATOR, new), (new, ADMINISTRATOR), (ADMINISTRATOR, SHIFT_MANAGER)] {
        let refused = house.refused(Sender::Staff(first), attendant_in(2_000, Some(second)), Code::SecondPerson);
        assert_eq!(refused, "D27", "{first} and {second}");
    }
    house.staff(new, attendant_in(2_000, Some(MANAGER)));
    // A password reset counts as well, and all of it only for the gaming day.
    let reset = |second| Body::ChangeCredential {
        staff: MANAGER,
        what: CredentialChange::PasswordReset,
        by: Some(ADMINISTRATOR),
        second,
    };
    // Who acts in the pit is no administrator meanwhile (D26).
    house.refused(Sender::System, reset(Some(SECOND_ADMINISTRATOR)), Code::Rank);
    house.staff(CASINO_MANAGER, acting(None));
    for second in [None, Some(DEALER), Some(ADMINISTRATOR)] {
        house.refused(Sender::System, reset(second), Code::SecondPerson);
    }
    house.system(reset(Some(SECOND_ADMINISTRATOR)));
    house.staff(CASINO_MANAGER, acting(in_the_pit));
    house.refused(Sender::Staff(ADMINISTRATOR), attendant_in(2_000, Some(MANAGER)), Code::SecondPerson);
    house.later(DAY);
    house.system(Body::Elapse);
    house.staff(ADMINISTRATOR, attendant_in(2_000, Some(MANAGER)));
    house.staff(ADMINISTRATOR, attendant_in(2_000, Some(new)));
}

#[test]
fn d27_a_sealed_code_stands_for_the_second_administrator_once_and_is_alerted() {
    let mut house = house();
    let codes = [SealedHash([1; 32]), SealedHash([2; 32])];
    let seal = |witness| Body::SealCodes { hashes: codes.to_vec(), witness };
    house.refused(Sender::Staff(ADMINISTRATOR), seal(None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, seal(Some(SECOND_ADMINISTRATOR)));
    assert_eq!(house.floor.sealed_codes(), 2);
    let gone = |staff| Body::ChangeStaff { staff, post: Post::Administrator, active: false, witness: None };
    house.system(gone(SECOND_ADMINISTRATOR));
    let add = |post| Body::AddStaff { name: "the next one".to_owned(), post, witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), add(Post::Administrator), Code::SecondPerson);
    let open = |hash| Body::OpenSealedCode { hash, reason: "my colleague has left".to_owned() };
    house.refused(Sender::Staff(ADMINISTRATOR), open(SealedHash([9; 32])), Code::NotFound);
    house.refused(Sender::Staff(CASINO_MANAGER), open(codes[0]), Code::Rank);
    // However many other alerts wait, an opening has its own.
    for ticket in 0..=bounds::ALERTS as u64 {
        house.system(Body::RaiseAlert { table: None, what: AlertKind::VoidTicket(TicketId(ticket)) });
    }
    let events = house.staff(ADMINISTRATOR, open(codes[0]));
    assert!(matches!(events[..], [_, Event::AlertRaised { what: AlertKind::SealedCode(ADMINISTRATOR, _), .. }]));
    // It signs for no money.
    house.refused(Sender::Staff(SUPERVISOR), attendant_in(2_000, None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, add(Post::Administrator));
    house.refused(Sender::Staff(ADMINISTRATOR), add(Post::Administrator), Code::SecondPerson);
    house.refused(Sender::Staff(ADMINISTRATOR), open(codes[0]), Code::NotFound);
    // And it does so for fifteen minutes only.
    house.staff(ADMINISTRATOR, open(codes[1]));
    house.later(bounds::SEALED_FOR + 1);
    house.cash_in(T0, dollars(1));
    house.refused(Sender::Staff(ADMINISTRATOR), add(Post::Administrator), Code::SecondPerson);
}

#[test]
fn d27_a_sealed_code_serves_for_one_act_on_accounts_and_for_nothing_else() {
    let mut house = house();
    let codes = [SealedHash([1; 32]), SealedHash([2; 32])];
    house.staff(ADMINISTRATOR, Body::SealCodes { hashes: codes.to_vec(), witness: Some(SECOND_ADMINISTRATOR) });
    let open = |hash| Body::OpenSealedCode { hash, reason: "my colleague has left".to_owned() };
    house.staff(ADMINISTRATOR, open(codes[0]));
    let thresholds = Thresholds { alone: dollars(5_000_000), ..Thresholds::default() };
    let raise = Body::SetThresholds { thresholds, reason: "a long night".to_owned(), witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), raise, Code::SecondPerson);
    let settings = TableSettings { hand_pay: dollars(5_000_000), ..House::settings("rws-sicbo") };
    let change =
        Body::ChangeSettings { table: TABLE, settings: settings.into(), reason: "it".to_owned(), witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), change, Code::SecondPerson);
    house.refused(
        Sender::Staff(ADMINISTRATOR),
        Body::SealCodes { hashes: codes.to_vec(), witness: None },
        Code::SecondPerson,
    );
    let holder = KeyHolder::Terminal(T0);
    let code = Body::IssueCode { holder, by: ADMINISTRATOR, second: None };
    house.refused(Sender::System, code, Code::SecondPerson);
    // It serves for an account, and is used up by it.
    let new = StaffId(u32::try_from(house.floor.staff().len()).unwrap());
    let add = |post| Body::AddStaff { name: "the next one".to_owned(), post, witness: None };
    house.staff(ADMINISTRATOR, add(Post::Pit(Rank::CasinoManager)));
    let reset = Body::ChangeCredential {
        staff: MANAGER,
        what: CredentialChange::PasswordReset,
        by: Some(ADMINISTRATOR),
        second: None,
    };
    house.refused(Sender::System, reset, Code::SecondPerson);
    // Each opening has its own alert, which neither the opener nor whom they made with it acknowledges.
    house.staff(ADMINISTRATOR, open(codes[1]));
    let sealed = |alert: &&Alert| matches!(alert.what(), AlertKind::SealedCode(ADMINISTRATOR, _));
    let alerts: Vec<AlertId> = house.floor.alerts().filter(sealed).map(Alert::id).collect();
    assert_eq!(alerts.len(), 2);
    for alert in alerts {
        let rule = house.refused(Sender::Staff(new), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
        assert_eq!(rule, "D27");
        house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    }
}

#[test]
fn d27_an_administrator_alone_makes_no_key_and_adds_no_validator() {
    let mut house = house();
    let terminal = house.enrol(TABLE, "standard", "a");
    let issue = |holder, second| Body::IssueCode { holder, by: ADMINISTRATOR, second };
    let holders = [KeyHolder::Terminal(terminal), KeyHolder::Device(DEVICE)];
    for holder in holders {
        for second in [None, Some(ADMINISTRATOR), Some(SUPERVISOR), Some(CASHIER), Some(AUDITOR)] {
            house.refused(Sender::System, issue(holder, second), Code::SecondPerson);
        }
        for second in [SECOND_ADMINISTRATOR, MANAGER, CASINO_MANAGER] {
            let events = house.system(issue(holder, Some(second)));
            assert_eq!(events[0], Event::EnrolmentCodeMade { holder, by: ADMINISTRATOR, second });
        }
    }
    // One alert with a count, however many codes there are.
    let codes = |alert: &&Alert| matches!(alert.what(), AlertKind::EnrolmentCode(_, ADMINISTRATOR, 6));
    assert_eq!(house.floor.alerts().filter(codes).count(), 1);
    house.refused(
        Sender::System,
        Body::IssueCode { holder: holders[0], by: MANAGER, second: Some(ADMINISTRATOR) },
        Code::Rank,
    );
    house.refused(Sender::Staff(ADMINISTRATOR), issue(holders[0], Some(MANAGER)), Code::NotForSender);
    // A person whom the administrator created today signs for none.
    let new = StaffId(u32::try_from(house.floor.staff().len()).unwrap());
    let add = Body::AddStaff {
        name: "new".to_owned(),
        post: Post::Pit(Rank::PitManager),
        witness: Some(SECOND_ADMINISTRATOR),
    };
    house.staff(ADMINISTRATOR, add);
    assert_eq!(house.refused(Sender::System, issue(holders[0], Some(new)), Code::SecondPerson), "D27");
    let validator = |witness| Body::AddDevice {
        name: "another".to_owned(),
        kind: DeviceKind::Validator,
        place: DevicePlace::Terminal(terminal),
        measures: None,
        witness,
    };
    house.refused(Sender::Staff(ADMINISTRATOR), validator(None), Code::SecondPerson);
    let device = DeviceId(u16::try_from(house.floor.devices().len()).unwrap());
    house.staff(ADMINISTRATOR, validator(Some(SECOND_ADMINISTRATOR)));
    let away = |witness| Body::MoveDevice { device, place: DevicePlace::Store, witness };
    house.refused(Sender::Staff(ADMINISTRATOR), away(None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, away(Some(MANAGER)));
}

#[test]
fn s12_no_code_is_made_for_a_terminal_while_something_of_a_player_is_there() {
    let mut house = house();
    let validator =
        house.floor.devices().iter().find(|device| device.place() == DevicePlace::Terminal(T0)).unwrap().id();
    let both = [KeyHolder::Terminal(T0), KeyHolder::Device(validator)];
    let issue = |holder| Body::IssueCode { holder, by: ADMINISTRATOR, second: Some(SECOND_ADMINISTRATOR) };
    for holder in both {
        assert_eq!(house.refused(Sender::System, issue(holder), Code::CreditLeft), "S12");
    }
    let number = house.new_number();
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    let ticket = house.floor.tickets().last().unwrap().id();
    assert_eq!(house.refused(Sender::System, issue(both[0]), Code::CreditLeft), "S12", "a ticket in doubt");
    house.ok(Sender::Terminal(T0), Body::TicketPrinted { ticket });
    for holder in both {
        house.system(issue(holder));
    }
}

#[test]
fn d27_a_floor_whose_accounts_the_same_two_people_made_or_reset_can_work() {
    let made_or_reset = |what, staff| Body::ChangeCredential {
        staff,
        what,
        by: Some(ADMINISTRATOR),
        second: Some(SECOND_ADMINISTRATOR),
    };
    // On the first gaming day, and on any other: one password, or those of everyone after --new-credentials.
    for days in [0, 3] {
        let mut house = house();
        if days > 0 {
            house.later(days * DAY);
            house.system(Body::Elapse);
        }
        house.system(made_or_reset(CredentialChange::PasswordReset, SUPERVISOR));
        house.staff(SUPERVISOR, attendant_in(2_000, Some(MANAGER)));
        house.system(made_or_reset(CredentialChange::PasswordReset, MANAGER));
        house.staff(SUPERVISOR, attendant_in(2_000, Some(MANAGER)));
        // People whom the two have just employed.
        let first = u32::try_from(house.floor.staff().len()).unwrap();
        for name in ["one", "two"] {
            let (name, post) = (name.to_owned(), Post::Pit(Rank::PitSupervisor));
            house.staff(ADMINISTRATOR, Body::AddStaff { name, post, witness: Some(SECOND_ADMINISTRATOR) });
        }
        let (one, two) = (StaffId(first), StaffId(first + 1));
        for staff in [one, two] {
            house.system(made_or_reset(CredentialChange::Created, staff));
        }
        house.staff(one, attendant_in(2_000, Some(two)));
        // Neither of the two administrators signs with those whom they made.
        let acting = Body::AssignActing {
            staff: ADMINISTRATOR,
            post: Some(Post::Pit(Rank::PitSupervisor)),
            witness: Some(SHIFT_MANAGER),
        };
        house.staff(CASINO_MANAGER, acting);
        let rule = house.refused(Sender::Staff(ADMINISTRATOR), attendant_in(2_000, Some(one)), Code::SecondPerson);
        assert_eq!(rule, "D27");
        house.replays();
    }
}

#[test]
fn d27_two_people_whom_one_person_alone_made_do_not_sign_for_each_other() {
    let mut house = house();
    // A sealed code stood for the second person each time.
    let alone = |house: &mut House, staff| {
        let (what, by) = (CredentialChange::PasswordReset, Some(ADMINISTRATOR));
        house.tell(Event::CredentialChanged { staff, what, by, second: None });
    };
    alone(&mut house, SUPERVISOR);
    house.staff(SUPERVISOR, attendant_in(2_000, Some(MANAGER)));
    alone(&mut house, MANAGER);
    let rule = house.refused(Sender::Staff(SUPERVISOR), attendant_in(2_000, Some(MANAGER)), Code::SecondPerson);
    assert_eq!(rule, "D27");
    house.staff(SUPERVISOR, attendant_in(2_000, Some(SECOND_MANAGER)));
    house.later(2 * DAY);
    house.system(Body::Elapse);
    house.staff(SUPERVISOR, attendant_in(2_000, Some(MANAGER)));
}

#[test]
fn d27_tickets_that_a_cashier_sells_count_and_a_large_one_needs_a_second_person() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: None });
    let mut sell = |amount: i64, witness| {
        let number = house.new_number();
        house.send(Sender::Staff(CASHIER), Body::SellTicket { amount: dollars(amount), number, witness })
    };
    let refused = sell(10_000_000, None).unwrap_err();
    assert_eq!((refused.code, refused.rule.as_str()), (Code::SecondPerson, "D27"));
    sell(9_000, None).unwrap();
    let refused = sell(1, None).unwrap_err();
    assert_eq!((refused.code, refused.rule.as_str()), (Code::SecondPerson, "D27"), "the float counts too");
    sell(20_000, Some(SUPERVISOR)).unwrap();
    sell(10_000, None).unwrap();
    sell(1, Some(CASHIER)).unwrap_err();
}

#[test]
fn d27_one_administrator_does_not_shut_the_other_out() {
    let mut house = house();
    let gone = |staff, witness| Body::ChangeStaff { staff, post: Post::Administrator, active: false, witness };
    let other = |staff, witness| Body::ChangeStaff { staff, post: Post::Auditor, active: true, witness };
    for body in [gone(SECOND_ADMINISTRATOR, None), other(SECOND_ADMINISTRATOR, None)] {
        house.refused(Sender::Staff(ADMINISTRATOR), body, Code::SecondPerson);
    }
    house.refused(
        Sender::Staff(ADMINISTRATOR),
        gone(SECOND_ADMINISTRATOR, Some(SECOND_ADMINISTRATOR)),
        Code::SecondPerson,
    );
    // With three, two of them dismiss the third; then two stay.
    house.system(Body::AddStaff { name: "third".to_owned(), post: Post::Administrator, witness: None });
    let third = StaffId(u32::try_from(house.floor.staff().len() - 1).unwrap());
    house.staff(ADMINISTRATOR, gone(SECOND_ADMINISTRATOR, Some(third)));
    let rule = house.refused(Sender::Staff(ADMINISTRATOR), gone(third, None), Code::SecondPerson);
    assert_eq!(rule, "D15");
    // A sealed code stands for the second person, once; the last one stays whatever happens.
    let codes = [SealedHash([1; 32]), SealedHash([2; 32])];
    house.staff(ADMINISTRATOR, Body::SealCodes { hashes: codes.to_vec(), witness: Some(third) });
    house.staff(ADMINISTRATOR, Body::OpenSealedCode { hash: codes[0], reason: "a thief".to_owned() });
    house.staff(ADMINISTRATOR, gone(third, None));
    house.staff(ADMINISTRATOR, Body::OpenSealedCode { hash: codes[1], reason: "a thief".to_owned() });
    house.refused(Sender::Staff(ADMINISTRATOR), gone(ADMINISTRATOR, None), Code::LastAdministrator);
}

#[test]
fn d25_a_payable_is_paid_by_hand_once_and_never_decided_twice() {
    let mut house = house();
    let round = house.play(&["big=10.00"], "1-2-4");
    // The player has left, and the correction waits at the cage.
    let credit = house.floor.terminal(T0).unwrap().credit();
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: credit, witness: Some(MANAGER) });
    let (outcome, reason) = (house.outcome(TABLE, "6-5-4"), "camera".to_owned());
    house.staff(SHIFT_MANAGER, Body::CorrectResult { round, outcome, reason, witness: Some(SECOND_SHIFT_MANAGER) });
    let payable = house.floor.payables().next().expect("something to pay").id();
    let pay = Ruling::Pay { terminal: T0, amount: dollars(20) };
    let (reason, witness) = ("the cage is dead".to_owned(), Some(SECOND_SHIFT_MANAGER));
    let decide = Body::Decide { table: TABLE, round: Some(round), ruling: pay, reason, witness };
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), decide, Code::NothingToDo), "D7");
    let by_hand = |round, witness| Body::PayByHand { payable, round, witness };
    house.refused(Sender::Staff(DEALER), by_hand(Some(round), Some(MANAGER)), Code::Rank);
    house.refused(Sender::Staff(SUPERVISOR), by_hand(Some(round), None), Code::SecondPerson);
    house.refused(Sender::Staff(SUPERVISOR), by_hand(None, Some(MANAGER)), Code::NotFound);
    house.staff(SUPERVISOR, by_hand(Some(round), Some(MANAGER)));
    house.refused(Sender::Staff(SUPERVISOR), by_hand(Some(round), Some(MANAGER)), Code::NotFound);
    house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
    let at_cage = Body::PayCorrection { payable, round: Some(round), witness: Some(MANAGER) };
    house.refused(Sender::Staff(CASHIER), at_cage, Code::NotFound);
}

#[test]
fn d27_a_drawer_is_filled_and_credited_by_two_people_and_the_count_expects_it() {
    let mut house = house();
    let movement = |movement, amount, witness| Body::MoveDrawer { movement, counts: piles(dollars(amount)), witness };
    let (fill, credit) = (DrawerMovement::Fill, DrawerMovement::Credit);
    house.refused(Sender::Staff(CASHIER), movement(fill, 100, Some(SUPERVISOR)), Code::Shift);
    house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
    for witness in [None, Some(CASHIER), Some(DEALER)] {
        house.refused(Sender::Staff(CASHIER), movement(fill, 500, witness), Code::SecondPerson);
    }
    house.staff(CASHIER, movement(fill, 500, Some(SUPERVISOR)));
    house.refused(Sender::Staff(CASHIER), movement(credit, 601, Some(SECOND_CASHIER)), Code::Float);
    house.staff(CASHIER, movement(credit, 50, Some(SECOND_CASHIER)));
    house.staff(CASHIER, Body::CountShift { counts: piles(dollars(550)), witness: None });
    house.refused(Sender::Staff(CASHIER), movement(fill, 1, Some(SUPERVISOR)), Code::Shift);
    house.staff(CASHIER, Body::CloseShift { counted: dollars(550), reason: String::new(), witness: None });
}

#[test]
fn d27_the_cage_counts_blind_explains_differences_and_hands_over() {
    let mut house = house();
    let cage = Sender::Staff(CASHIER);
    let large = dollars(20_000);
    let refused = house.refused(cage, Body::OpenShift { float: large, witness: None }, Code::SecondPerson);
    assert_eq!(refused, "D15", "a float is money moved");
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    let view = house.floor.cage_view(CASHIER).shift.unwrap();
    assert_eq!((view.counted, view.expected), (None, None), "what it should hold is not shown before the count");
    assert_eq!(house.floor.cage_view(CASHIER).moved, None, "nor what adds up to it");
    let large = Body::SellTicket { amount: house.floor.thresholds().alone, number: house.new_number(), witness: None };
    let Err(refusal) = house.send(cage, large) else { panic!("past the threshold a second person signs") };
    assert!(!refusal.words.contains("5000.00"), "{refusal}");
    let close = |counted: i64, reason: &str, witness| Body::CloseShift {
        counted: dollars(counted),
        reason: reason.to_owned(),
        witness,
    };
    house.refused(cage, close(5_000, "", None), Code::Shift);
    let count = |hundreds, fives| Body::CountShift {
        counts: vec![
            Pile { denomination: dollars(100), pieces: hundreds },
            Pile { denomination: dollars(5), pieces: fives },
        ],
        witness: None,
    };
    house.ok(cage, count(47, 10));
    // Who has seen what should be there does not count again alone until it fits.
    assert_eq!(house.refused(cage, count(50, 0), Code::SecondPerson), "D27");
    let view = house.floor.cage_view(CASHIER).shift.unwrap();
    assert_eq!((view.counted.map(whole), view.expected.map(whole)), (Some(4_750), Some(5_000)));
    assert_eq!(house.floor.cage_view(CASHIER).moved, Some(house.floor.moved_by(CASHIER)));
    // Nothing goes in or out of a counted drawer.
    let number = house.new_number();
    house.refused(cage, Body::SellTicket { amount: dollars(5), number, witness: None }, Code::Shift);
    house.refused(cage, close(5_000, "it was wrong", Some(SUPERVISOR)), Code::Amount);
    house.refused(cage, close(4_750, "", Some(SUPERVISOR)), Code::Text);
    assert_eq!(house.refused(cage, close(4_750, "miscounted a payment", None), Code::SecondPerson), "D15");
    house.ok(cage, close(4_750, "miscounted a payment", Some(SECOND_CASHIER)));
    assert_eq!(house.account(Account::Differences), -250);
    // Cashier to cashier.
    house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
    house.ok(cage, count(1, 0));
    let hand_over = |witness| Body::HandOverShift { reason: String::new(), witness };
    for wrong in [None, Some(CASHIER)] {
        house.refused(cage, hand_over(wrong), Code::SecondPerson);
    }
    house.refused(cage, hand_over(Some(SUPERVISOR)), Code::Rank);
    house.ok(cage, hand_over(Some(SECOND_CASHIER)));
    assert!(house.floor.cage_view(CASHIER).shift.is_none());
    assert_eq!(whole(house.drawer(SECOND_CASHIER)), 100);
}

#[test]
fn d27_a_ticket_counts_by_itself_and_a_large_one_has_a_second_person() {
    let mut house = house();
    house.open_shift(CASHIER, dollars(100_000));
    let cage = Sender::Staff(CASHIER);
    let redeem = |number, witness| Body::RedeemTicket { number, amount: None, witness };
    for _ in 0..3 {
        house.staff(SUPERVISOR, attendant_in(8_000, Some(MANAGER)));
        let (_, number) = house.cash_out(T0);
        house.ok(cage, redeem(number, None));
    }
    house.staff(SUPERVISOR, attendant_in(10_001, Some(MANAGER)));
    let (_, number) = house.cash_out(T0);
    for missing in [None, Some(CASHIER), Some(DEALER)] {
        assert_eq!(house.refused(cage, redeem(number, missing), Code::SecondPerson), "D15");
    }
    let events = house.ok(cage, redeem(number, Some(SUPERVISOR)));
    assert!(matches!(events[0], Event::TicketRedeemed { witness: Some(SUPERVISOR), .. }));
}

#[test]
fn large_cash_of_a_visit_is_alerted_when_it_is_reached() {
    let mut house = house();
    let reached = |events: &[Event]| {
        events.iter().any(|event| matches!(event, Event::AlertRaised { what: AlertKind::LargeCash(T0, _), .. }))
    };
    // 1,000.00 is on it already.
    assert!(!reached(&house.staff(SUPERVISOR, attendant_in(8_999, Some(MANAGER)))));
    assert!(reached(&house.staff(SUPERVISOR, attendant_in(1, None))));
    assert!(!reached(&house.staff(SUPERVISOR, attendant_in(1, None))), "once");
    assert!(reached(&house.staff(SUPERVISOR, hand_pay(T0, 10_001, Some(MANAGER)))), "and what is paid out");
}

#[test]
fn d7_a_claim_that_is_paid_after_all_is_recorded_by_two_people() {
    let mut house = house();
    let round = house.play(&["big=10.00"], "6-5-4");
    house.staff(SHIFT_MANAGER, take_back(round, T0, 1_410, Some(SUPERVISOR)));
    assert_eq!(house.account(Account::Uncollected), -400);
    let recovered = |amount: i64, witness| Body::RecordRecovered {
        table: TABLE,
        round: None,
        amount: dollars(amount),
        reason: "paid at the desk".to_owned(),
        witness,
        debtor: None,
    };
    house.refused(Sender::Staff(SUPERVISOR), recovered(400, None), Code::SecondPerson);
    house.refused(Sender::Staff(SUPERVISOR), recovered(401, Some(MANAGER)), Code::Amount);
    house.staff(SUPERVISOR, recovered(400, Some(MANAGER)));
    assert_eq!(house.account(Account::Uncollected), 0);
}

#[test]
fn large_cash_at_the_cage_and_at_a_live_table_is_alerted_too() {
    let reached = |events: &[Event]| {
        events.iter().find_map(|event| match event {
            Event::AlertRaised { what: AlertKind::LargeCashAt(place, sum), .. } => Some((*place, whole(*sum))),
            _ => None,
        })
    };
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(50_000));
    let cage = CashPlace::Person(CASHIER);
    let sell = |house: &mut House, amount: i64| {
        let number = house.new_number();
        let witness = Some(SUPERVISOR);
        house.staff(CASHIER, Body::SellTicket { amount: dollars(amount), number, witness })
    };
    assert_eq!(reached(&sell(&mut house, 6_000)), None);
    assert_eq!(reached(&sell(&mut house, 4_000)), Some((cage, 10_000)), "all of the gaming day");
    assert_eq!(reached(&sell(&mut house, 9_000)), None, "once");
    assert_eq!(reached(&sell(&mut house, 12_000)), Some((cage, 12_000)), "one by itself");
    house.later(DAY);
    house.system(Body::Elapse);
    assert_eq!(reached(&sell(&mut house, 9_000)), None, "another gaming day");
    house.replays();

    let mut house = House::live();
    house.float(SUPERVISOR, FloatMovement::Fill(dollars(50_000)));
    let buy_in = |amount: i64| {
        let movement = FloatMovement::BuyIn(dollars(amount));
        Body::MoveFloat { table: TABLE, movement, counts: Vec::new(), witness: Some(SUPERVISOR), reason: String::new() }
    };
    house.later(DAY);
    house.system(Body::Elapse);
    assert_eq!(reached(&house.staff(DEALER, buy_in(9_000))), None);
    assert_eq!(reached(&house.staff(DEALER, buy_in(2_000))), Some((CashPlace::Table(TABLE), 11_000)));
    assert_eq!(reached(&house.staff(DEALER, buy_in(1))), None, "once");
    house.replays();
}

/// What large-cash alert of a terminal these events raise.
fn large(events: &[Event]) -> Option<(bool, TerminalId, i64)> {
    events.iter().find_map(|event| match event {
        Event::AlertRaised { what: AlertKind::LargeCash(terminal, sum), .. } => Some((true, *terminal, whole(*sum))),
        Event::AlertRaised { what: AlertKind::LargeCashAt(CashPlace::Terminal(terminal), sum), .. } => {
            Some((false, *terminal, whole(*sum)))
        }
        _ => None,
    })
}

/// A ticket of 11,000.00 in doubt at the first terminal.
fn large_ticket(house: &mut House) -> (TicketId, TicketHash) {
    // What came in was alerted, and someone saw it: the same alert does not stand twice.
    let events = house.staff(SUPERVISOR, attendant_in(10_000, Some(MANAGER)));
    assert_eq!(large(&events), Some((true, T0, 11_000)));
    let alert = house.floor.alerts().next().expect("the alert of what came in").id();
    house.staff(SHIFT_MANAGER, Body::AcknowledgeAlert { alert });
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    (ticket, number)
}

#[test]
fn a_large_ticket_out_is_alerted_however_it_gets_into_the_hand() {
    let resolved = |ticket, finding| {
        let reason = "seen at the printer".to_owned();
        Body::ResolveTicket { ticket, finding, reason, witness: Some(MANAGER) }
    };
    let alert = Some((true, T0, 11_000));
    let mut house = house();
    let (ticket, _) = large_ticket(&mut house);
    assert_eq!(large(&house.ok(Sender::Terminal(T0), Body::TicketPrinted { ticket })), alert, "printed");
    house.replays();

    for finding in [TicketFinding::InHand, TicketFinding::PaidByHand] {
        let mut house = self::house();
        let (ticket, _) = large_ticket(&mut house);
        assert_eq!(large(&house.staff(SUPERVISOR, resolved(ticket, finding))), alert, "{finding:?}");
    }
    let mut house = self::house();
    let (ticket, _) = large_ticket(&mut house);
    assert_eq!(large(&house.staff(SUPERVISOR, resolved(ticket, TicketFinding::NotPrinted))), None, "nothing went out");

    // Presented at the cage: the ticket out and the payment at the counter are two alerts.
    let mut house = self::house();
    house.open_shift(CASHIER, dollars(50_000));
    let (_, number) = large_ticket(&mut house);
    let events = house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
    let raised = |events: &[Event]| -> Vec<(AlertId, AlertKind)> {
        let raised = events.iter().filter_map(|event| match event {
            Event::AlertRaised { alert, what, .. } => Some((*alert, what.clone())),
            _ => None,
        });
        raised.collect()
    };
    let [(first, AlertKind::LargeCash(T0, _)), (second, AlertKind::LargeCashAt(CashPlace::Person(CASHIER), _))] =
        &raised(&events)[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!(second.0, first.0 + 1, "each has a number of its own");
    house.replays();

    // Presented at its own terminal it ends the visit, and the next one begins with it.
    let mut house = self::house();
    let (_, number) = large_ticket(&mut house);
    let events = house.ok(Sender::Terminal(T0), Body::TicketIn { terminal: T0, number });
    let [(_, AlertKind::LargeCash(T0, sum))] = &raised(&events)[..] else { panic!("{events:?}") };
    assert_eq!(whole(*sum), 11_000, "out and in again: one alert");
    house.replays();
}

#[test]
fn what_a_ticket_took_out_is_alerted_before_a_hand_pay_of_the_same_visit_counts_on() {
    let mut house = house();
    house.staff(SUPERVISOR, attendant_in(8_000, Some(MANAGER)));
    house.open();
    house.bet(T0, &["big=10.00"]);
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    assert_eq!(large(&house.ok(Sender::Terminal(T0), Body::TicketPrinted { ticket })), None);
    // The bet keeps the visit; 8,990.00 went out on paper.
    house.staff(SUPERVISOR, attendant_in(2_000, Some(MANAGER)));
    assert_eq!(large(&house.staff(SUPERVISOR, hand_pay(T0, 1_009, Some(MANAGER)))), None);
    assert_eq!(large(&house.staff(SUPERVISOR, hand_pay(T0, 1, Some(MANAGER)))), Some((true, T0, 10_000)));
}

#[test]
fn the_gaming_day_of_a_terminal_is_alerted_too() {
    let mut house = house();
    for visit in 0..4 {
        let events = house.staff(SUPERVISOR, attendant_in(2_400, Some(MANAGER)));
        // 1,000.00 were on it: 10,600.00 of four visits, none of which reached the amount.
        let expected = (visit == 3).then_some((false, T0, 10_600));
        assert_eq!(large(&events), expected, "visit {visit}");
        let amount = if visit == 0 { 3_400 } else { 2_400 };
        house.staff(SUPERVISOR, hand_pay(T0, amount, Some(MANAGER)));
        assert!(house.floor.terminal(T0).unwrap().visit().is_none());
    }
    let what = AlertKind::LargeCashAt(CashPlace::Terminal(T0), dollars(10_600));
    assert!(house.floor.alerts().any(|alert| *alert.what() == what && alert.table() == Some(TABLE)));
    house.staff(SUPERVISOR, attendant_in(2_400, Some(MANAGER)));
    assert_eq!(large(&house.staff(SUPERVISOR, hand_pay(T0, 2_400, Some(MANAGER)))), None, "once in a gaming day");
    house.later(DAY);
    house.system(Body::Elapse);
    house.staff(SUPERVISOR, attendant_in(9_000, Some(MANAGER)));
    assert_eq!(large(&house.staff(SUPERVISOR, hand_pay(T0, 9_000, Some(MANAGER)))), None, "another gaming day");
    house.replays();
}
