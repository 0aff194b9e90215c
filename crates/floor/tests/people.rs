//! The audit of people: what it finds in the records, one test for each finding (D15, D19, D25, D27, D28).

use crate::common::*;
use floor::*;

/// What the audit finds in all records of a house, as codes.
fn findings(house: &House) -> Vec<PeopleFinding> {
    let mut floor = Floor::new();
    let mut found = Vec::new();
    for record in &house.log {
        found.extend(People::observe(&floor, record));
        floor.apply(record).unwrap();
    }
    found
}

fn codes(house: &House) -> Vec<&'static str> {
    findings(house).into_iter().map(|finding| finding.code).collect()
}

fn house() -> House {
    let settings = TableSettings { hand_pay: dollars(1_000), ..House::settings("rws-sicbo") };
    House::with_settings("rws-sicbo", settings)
}

fn hand_pay(amount: i64, witness: Option<StaffId>) -> Event {
    Event::AttendantPaid { terminal: T0, amount: dollars(amount), by: SUPERVISOR, witness }
}

#[test]
fn an_honest_night_has_no_findings() {
    let mut house = house();
    house.play(&["big=10.00"], "6-5-4");
    let (_, number) = house.cash_out(T0);
    house.open_shift(CASHIER, dollars(5_000));
    house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
    assert_eq!(codes(&house), [""; 0]);
}

#[test]
fn d15_a_movement_without_the_second_person_it_needs_is_listed() {
    // No command leads to such a record: it was written by another program, or by hand.
    let mut house = house();
    house.cash_in(T0, dollars(1_000));
    house.tell(hand_pay(600, None));
    assert_eq!(codes(&house), [""; 0], "below the threshold one person is enough");
    house.tell(hand_pay(401, None));
    assert_eq!(codes(&house), ["alone"], "and past it in the sum it is not (D27)");
    let mut house = self::house();
    house.cash_in(T0, dollars(1_000));
    house.tell(hand_pay(1_000, Some(SUPERVISOR)));
    house.tell(hand_pay(1, Some(SUPERVISOR)));
    assert_eq!(codes(&house), ["alone"], "nobody is their own second person");
}

#[test]
fn d27_a_threshold_that_was_changed_and_changed_back_is_listed() {
    let mut house = house();
    let change = |hand_pay: i64| Body::ChangeSettings {
        table: TABLE,
        settings: TableSettings { hand_pay: dollars(hand_pay), ..House::settings("rws-sicbo") }.into(),
        reason: "a long night".to_owned(),
        witness: Some(SECOND_MANAGER),
    };
    house.staff(MANAGER, change(9_000));
    assert_eq!(codes(&house), ["threshold"]);
    house.staff(MANAGER, change(1_000));
    assert_eq!(codes(&house), ["threshold", "threshold-back"]);
    // Who did it is named by name and number.
    let named = |id| house.floor.person(id).map(|person| format!("{} (staff {id})", person.name())).unwrap();
    for finding in findings(&house) {
        let both = format!(" by {} and {}", named(MANAGER), named(SECOND_MANAGER));
        assert!(finding.words.ends_with(&both), "{}", finding.words);
    }
}

#[test]
fn d27_an_account_made_alone_names_both_people() {
    // No command leads to such records: they were written by another program, or by hand.
    let mut house = house();
    let staff = StaffId(house.floor.staff().len() as u32);
    let (name, post, by) = ("Lin".to_owned(), Post::Cashier, Some(ADMINISTRATOR));
    house.tell(Event::StaffAdded { staff, name, post, by, witness: None });
    house.tell(Event::ActingAssigned { staff, post: Some(Post::Auditor), by, witness: None });
    let words: Vec<_> = findings(&house).into_iter().map(|finding| finding.words).collect();
    let administrator = house.floor.person(ADMINISTRATOR).unwrap().name();
    let by = |did: &str| {
        format!("{administrator} (staff {ADMINISTRATOR}) {did} Lin (staff {staff}) without a second person")
    };
    assert_eq!(words, [by("created"), by("assigned")]);
}

#[test]
fn d27_every_threshold_of_the_floor_that_was_changed_and_changed_back_is_listed() {
    let mut house = house();
    let normal = Thresholds::default();
    let set = |house: &mut House, thresholds: Thresholds| {
        let body =
            Body::SetThresholds { thresholds, reason: "a long night".to_owned(), witness: Some(SECOND_ADMINISTRATOR) };
        house.staff(ADMINISTRATOR, body);
    };
    for raised in [
        Thresholds { alone: dollars(5_000_000), ..normal },
        Thresholds { redemption: dollars(5_000_000), ..normal },
        Thresholds { difference: dollars(5_000), ..normal },
        Thresholds { large_cash: dollars(5_000_000), ..normal },
    ] {
        let before = codes(&house).len();
        set(&mut house, raised);
        set(&mut house, normal);
        assert_eq!(codes(&house)[before..], ["threshold", "threshold-back"], "{raised:?}");
    }
    let words: Vec<String> = findings(&house).into_iter().map(|finding| finding.words).collect();
    assert!(words.iter().any(|words| words.contains("for redemptions was changed back")), "{words:?}");
}

#[test]
fn d27_a_duplicate_that_is_redeemed_is_listed() {
    let mut house = house();
    house.open_shift(CASHIER, dollars(5_000));
    let (ticket, _) = house.cash_out(T0);
    let number = house.new_number();
    let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
    house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(number), reason, witness });
    let duplicate = house.floor.tickets().last().unwrap().id();
    house.staff(CASHIER, Body::TicketPrinted { ticket: duplicate });
    assert_eq!(codes(&house), [""; 0]);
    house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
    assert_eq!(codes(&house), ["own-ticket", "reprint-redeemed"]);
}

#[test]
fn d25_a_ticket_in_doubt_is_listed_when_it_is_late_and_when_it_is_resolved() {
    let mut house = house();
    let number = house.new_number();
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    let ticket = house.floor.tickets().last().unwrap().id();
    house.later(30_000);
    house.system(Body::Elapse);
    assert_eq!(codes(&house), ["doubt"]);
    let (finding, reason, witness) = (TicketFinding::NotPrinted, "no paper".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::ResolveTicket { ticket, finding, reason, witness });
    assert_eq!(codes(&house), ["doubt", "doubt"]);
}

#[test]
fn corrections_and_decisions_that_give_to_one_visit_again_are_listed() {
    let mut house = house();
    let pay = Ruling::Pay { terminal: T0, amount: dollars(10) };
    let decide = Body::Decide { table: TABLE, round: None, ruling: pay, reason: "as seen".to_owned(), witness: None };
    house.staff(SHIFT_MANAGER, decide.clone());
    assert_eq!(codes(&house), [""; 0]);
    house.staff(SHIFT_MANAGER, decide);
    assert_eq!(codes(&house), ["favours-one-visit"]);
}

#[test]
fn corrections_by_which_several_gain_are_counted_for_each_of_them() {
    let mut house = house();
    house.cash_in(T1, dollars(1_000));
    let correct = |house: &mut House| {
        let round = house.open();
        house.bet(T0, &["small=10.00"]);
        house.bet(T1, &["small=10.00"]);
        house.finish("6-5-4");
        let outcome = house.outcome(TABLE, "1-2-4");
        let witness = Some(SECOND_SUPERVISOR);
        house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason: "camera".to_owned(), witness });
    };
    let favours = |house: &House| {
        findings(house).into_iter().filter(|found| found.code == "favours-one-visit").collect::<Vec<_>>()
    };
    correct(&mut house);
    assert_eq!(favours(&house).len(), 0);
    house.later(1_000);
    correct(&mut house);
    let found = favours(&house);
    assert_eq!(found.len(), 1, "one finding for both");
    assert!(found[0].words.ends_with("2 times, and again to 1 more"), "{}", found[0].words);
}

#[test]
fn repeated_payments_to_one_position_of_a_live_table_are_listed() {
    let favours = |house: &House| {
        findings(house).into_iter().filter(|found| found.code == "favours-one-visit").collect::<Vec<_>>()
    };
    let mut house = House::live();
    let pay = |house: &mut House| {
        house.later(1_000);
        let ruling = Ruling::PayChips { position: Position(3), amount: dollars(10) };
        let reason = "as seen".to_owned();
        house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: None, ruling, reason, witness: None });
    };
    pay(&mut house);
    assert_eq!(favours(&house).len(), 0);
    pay(&mut house);
    let found = favours(&house);
    assert_eq!(found.len(), 1);
    assert!(found[0].words.contains("position 3 of table"), "{}", found[0].words);
    // A correction of the result, and one of the record, count like a decision.
    for record in [false, true] {
        let mut house = House::live();
        for _ in 0..2 {
            house.later(1_000);
            let round = house.deal(&[(3, if record { "big" } else { "small" }, 100)], "6-5-4");
            let (reason, witness) = ("camera".to_owned(), Some(SECOND_SUPERVISOR));
            let body = if record {
                let (position, spot, amount) = (Position(3), house.chip_spot("big"), dollars(200));
                Body::CorrectRecord { round, position, spot, amount, reason, witness }
            } else {
                let outcome = house.outcome(TABLE, "1-2-4");
                Body::CorrectResult { round, outcome, reason, witness }
            };
            house.staff(SUPERVISOR, body);
        }
        assert_eq!(favours(&house).len(), 1, "{record}");
    }
}

#[test]
fn d19_a_result_against_its_device_is_listed() {
    let mut house = house();
    house.open();
    house.close();
    house.honest_device(TABLE, house.outcome(TABLE, "6-5-4"));
    let entry = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(DEALER, entry);
    assert_eq!(codes(&house), [""; 0], "an entry settles nothing");
    let (witness, reason) = (Some(SUPERVISOR), Some("a die moved".to_owned()));
    house.staff(DEALER, Body::ConfirmResult { table: TABLE, outcome: None, witness, reason });
    assert_eq!(codes(&house), ["against-device"]);
}

#[test]
fn d19_a_result_against_what_was_read_under_the_cover_before_the_close_or_meanwhile_is_listed() {
    for course in ["under the cover", "before the close", "meanwhile"] {
        let mut house = house();
        house.open();
        if course != "before the close" {
            house.close();
        }
        house.device(Observation::Activated);
        house.device(Observation::Tumbled { times: 3 });
        let dice = house.outcome(TABLE, "6-5-4");
        if course == "meanwhile" {
            house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
            house.device(Observation::Uncovered);
            house.reads(TABLE, dice);
            let finding = Finding::NotAffected;
            house.staff(DEALER, Body::Attest { table: TABLE, finding, witness: Some(SHIFT_MANAGER) });
        } else {
            house.reads(TABLE, dice);
            if course == "before the close" {
                house.close();
            }
            house.device(Observation::Uncovered);
        }
        let against = house.entry(TABLE, house.outcome(TABLE, "1-2-4"));
        house.staff(DEALER, against);
        let round = house.current().id();
        let (witness, reason) = (Some(SUPERVISOR), Some("a die moved".to_owned()));
        house.staff(DEALER, Body::ConfirmResult { table: TABLE, outcome: None, witness, reason });
        assert_eq!(codes(&house), ["against-device"], "{course}");
        // Put right by the reading it is not against the device; put back it is, and the pit is alerted.
        let correct = |outcome| Body::CorrectResult {
            round,
            outcome,
            reason: "camera".to_owned(),
            witness: Some(SECOND_SUPERVISOR),
        };
        house.staff(SUPERVISOR, correct(dice));
        assert_eq!(codes(&house), ["against-device"], "{course}");
        let seen: Vec<AlertId> = house.floor.alerts().map(Alert::id).collect();
        for alert in seen {
            house.staff(MANAGER, Body::AcknowledgeAlert { alert });
        }
        let other = house.outcome(TABLE, "1-1-4");
        let events = house.staff(SUPERVISOR, correct(other));
        let alert = |event: &Event| matches!(event, Event::AlertRaised { what: AlertKind::DeviceDisagrees(of), .. } if *of == round);
        assert!(events.iter().any(alert), "{course}: {events:?}");
        assert_eq!(codes(&house), ["against-device"; 2], "{course}");
    }
}

#[test]
fn d19_a_device_out_of_service_or_moved_away_is_listed_with_who_did_it() {
    let mut house = house();
    house.out_of_service(Function::Reading);
    house.out_of_service(Function::Device);
    let found = findings(&house);
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["out-of-service"; 2]);
    assert!(found.iter().all(|finding| finding.staff.is_some()), "{found:?}");
    let mut house = self::house();
    let (place, witness) = (DevicePlace::Store, Some(SUPERVISOR));
    house.staff(ADMINISTRATOR, Body::MoveDevice { device: DEVICE, place, witness });
    assert_eq!(codes(&house), ["out-of-service"]);
}

#[test]
fn d28_an_act_without_a_second_person_is_listed() {
    let mut house = house();
    let purpose = Purpose { act: JointAct::AttendantIn, subject: Some(T0.0.into()), amount: Some(dollars(2_000)) };
    house.staff(DEALER, Body::CallSecondPerson { table: Some(TABLE), reason: "a large payment".to_owned(), purpose });
    house.later(bounds::SECOND_PERSON_WITHIN);
    house.staff(SHIFT_MANAGER, Body::AttendantIn { terminal: T0, amount: dollars(2_000), witness: None });
    assert_eq!(codes(&house), ["alone", "decided-alone"]);
}

#[test]
fn d27_a_sealed_code_that_was_opened_and_the_account_made_with_it_are_listed() {
    let mut house = house();
    let hash = SealedHash([1; 32]);
    house.staff(ADMINISTRATOR, Body::SealCodes { hashes: vec![hash], witness: Some(SECOND_ADMINISTRATOR) });
    house.staff(ADMINISTRATOR, Body::OpenSealedCode { hash, reason: "my colleague has left".to_owned() });
    let post = Post::Administrator;
    house.staff(ADMINISTRATOR, Body::AddStaff { name: "the next one".to_owned(), post, witness: None });
    assert_eq!(codes(&house), ["sealed-code", "account-alone"]);
}

#[test]
fn d27_codes_for_keys_and_dismissals_are_listed() {
    let mut house = house();
    let holder = KeyHolder::Device(DEVICE);
    house.system(Body::IssueCode { holder, by: ADMINISTRATOR, second: Some(SECOND_ADMINISTRATOR) });
    let post = Post::Pit(rulebook::Rank::Dealer);
    house.staff(ADMINISTRATOR, Body::ChangeStaff { staff: SECOND_DEALER, post, active: false, witness: None });
    let key =
        |key, second| Body::ChangeHostKey { host: "two".to_owned(), key, replaces: false, by: ADMINISTRATOR, second };
    let new = Some(rulebook::Hash([5; 32]));
    for second in [None, Some(ADMINISTRATOR), Some(SUPERVISOR)] {
        house.refused(Sender::System, key(new, second), Code::SecondPerson);
    }
    house.refused(Sender::Staff(ADMINISTRATOR), key(new, Some(MANAGER)), Code::NotForSender);
    let events = house.system(key(new, Some(MANAGER)));
    assert!(matches!(events[1], Event::AlertRaised { what: AlertKind::Integrity(_), .. }), "{events:?}");
    house.system(key(None, None));
    assert_eq!(codes(&house), ["enrolment-code", "dismissed", "host-key", "host-key"]);
    assert!(findings(&house)[1].words.contains("without a second person"));
}

#[test]
fn s10_another_program_that_was_accepted_is_listed() {
    let mut house = house();
    let release = |program| Release { program: rulebook::Hash([program; 32]), rulebooks: rulebook::Hash([1; 32]) };
    house.system(Body::StartProgram(release(1)));
    house.system(Body::StartProgram(release(2)));
    house.staff(ADMINISTRATOR, Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) });
    assert_eq!(codes(&house), ["program"]);
}

#[test]
fn d27_what_goes_round_the_door_is_listed() {
    let mut house = house();
    for words in [OVER_A_PIPE, NEW_CREDENTIALS] {
        let words = format!("{words}: by the system administrator");
        house.system(Body::RaiseAlert { table: None, what: AlertKind::Integrity(words) });
    }
    house.system(Body::RaiseAlert { table: None, what: AlertKind::Integrity("the clock stood still".to_owned()) });
    assert_eq!(codes(&house), ["over-a-pipe", "new-credentials"]);
}

#[test]
fn d20_chips_that_were_recorded_after_the_close_and_won_are_listed() {
    let settled = |outcome: &str| {
        let mut house = House::live();
        house.open();
        house.close();
        house.place(&[(1, "small", 100)]);
        house.play_device();
        house.enter(outcome);
        house.confirm();
        house
    };
    let found = findings(&settled("1-2-4"));
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code, finding.staff), ("late-chips", Some(DEALER)));
    assert_eq!(codes(&settled("6-5-4")), [""; 0], "chips that lost are not");
}

#[test]
fn d27_two_signatures_that_one_person_could_have_supplied_are_listed() {
    // No command leads to such records: they were written by another program, or by hand.
    let mut house = house();
    let staff = StaffId(house.floor.staff().len() as u32);
    let (name, post, by) = ("Lin".to_owned(), Post::Administrator, Some(ADMINISTRATOR));
    house.tell(Event::StaffAdded { staff, name, post, by, witness: Some(SECOND_ADMINISTRATOR) });
    let thresholds = Thresholds { alone: dollars(9_000), ..Thresholds::default() };
    let body = Body::SetThresholds { thresholds, reason: "a long night".to_owned(), witness: Some(staff) };
    assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), body, Code::SecondPerson), "D27");
    let (thresholds, reason) = (Box::new(thresholds), "a long night".into());
    house.tell(Event::ThresholdsSet { thresholds, by: Some(ADMINISTRATOR), witness: Some(staff), reason });
    let found = codes(&house);
    assert!(found.contains(&"not-independent"), "{found:?}");
}

#[test]
fn d24_an_outcome_that_a_person_decided_on_is_listed() {
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.bet(T0, &["red=10.00"]);
    house.tumble_at(TABLE);
    let outcome = house.outcome(TABLE, "1");
    house.report(TABLE, Observation::Rested { pocket: outcome });
    house.close();
    let (round, reason, witness) = (house.round(), "camera".to_owned(), Some(SECOND_SHIFT_MANAGER));
    house.staff(SHIFT_MANAGER, Body::ChooseOutcome { table: TABLE, round, outcome, reason, witness });
    assert!(codes(&house).contains(&"outcome-chosen"), "{:?}", codes(&house));
}

#[test]
fn d27_a_password_that_one_person_reset_is_listed() {
    // A sealed code has stood for the second person, or the record was written by another program.
    let mut house = house();
    let (by, second) = (Some(ADMINISTRATOR), None);
    for what in [CredentialChange::PasswordReset, CredentialChange::PasskeyRemoved] {
        house.tell(Event::CredentialChanged { staff: DEALER, what, by, second });
    }
    assert_eq!(codes(&house), ["credentials-alone"; 2]);
}

/// The words in this kind of quotes, as codes are written.
fn quoted(text: &str, quote: char) -> std::collections::BTreeSet<&str> {
    let code = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    text.split(quote).skip(1).step_by(2).filter(code).collect()
}

#[test]
fn every_code_of_the_documentation_is_made_and_tested() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let document = read("../../docs/money.md");
    let table = document.split("| code | what it is |").nth(1).expect("the table of codes");
    let rows = table.lines().filter_map(|line| line.split('|').nth(1));
    let documented: std::collections::BTreeSet<&str> = rows.flat_map(|row| quoted(row, '`')).collect();
    let sources: String = ["src/people.rs", "src/offices.rs"].into_iter().map(read).collect();
    let made = sources.split("code: \"").skip(1).filter_map(|rest| rest.split('"').next());
    for code in made {
        assert!(documented.contains(code), "{code} is not in docs/money.md");
    }
    // Tests of codes assert them by name, in these files.
    let tests = ["people.rs", "insider.rs", "money.rs"].map(|file| read(&format!("tests/{file}")));
    for code in documented {
        let literal = format!("\"{code}\"");
        assert!(sources.contains(&literal), "nothing makes {code}");
        assert!(tests.iter().any(|text| text.contains(&literal)), "no test asserts {code}");
    }
}
