//! What a person inside the house could try with money: each finding of the insider's examination, and what stops it (D7, D15,
//! D25, D27).

use crate::common::live::whole;
use crate::common::play::even_money;
use crate::common::*;
use floor::*;
use rulebook::{Act, Rank, library};

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

fn house() -> House {
    House::with("rws-sicbo")
}

/// What the audit of people finds in all records of a house.
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

fn words(house: &House, code: &str) -> String {
    findings(house).into_iter().find(|finding| finding.code == code).expect(code).words
}

fn alerts(house: &House) -> Vec<AlertKind> {
    house.floor.alerts().map(|alert| alert.what().clone()).collect()
}

// ---- 1: a forged pay table

/// The approved document with other odds, which still says of itself that it is approved.
fn forged() -> String {
    let canonical = library::find("rws-sicbo").unwrap().canonical();
    let forged = canonical.replacen("odds=\"64\"", "odds=\"640\"", 1);
    assert!(forged != canonical);
    forged
}

#[test]
fn d27_a_rulebook_is_installed_and_pinned_by_two_people_and_a_foreign_one_is_alerted() {
    let mut house = house();
    let canonical = forged();
    let hash = rulebook::Rulebook::parse("forged", &canonical).unwrap().hash();
    let install = |witness| Body::InstallRulebook { canonical: canonical.clone(), witness };
    for missing in [None, Some(ADMINISTRATOR), Some(SUPERVISOR), Some(CASHIER)] {
        house.refused(Sender::Staff(ADMINISTRATOR), install(missing), Code::SecondPerson);
    }
    house.staff(ADMINISTRATOR, install(Some(MANAGER)));
    assert!(!carried(hash), "approved by nobody, whatever it says of itself");
    assert!(matches!(&alerts(&house)[..], [AlertKind::Integrity(words)] if words.contains(&hash.to_string())));
    let add = |witness| Body::AddTable {
        name: "new".to_owned(),
        rulebook: hash,
        mode: TableMode::Terminals,
        settings: House::settings("rws-sicbo").into(),
        witness,
    };
    house.refused(Sender::Staff(ADMINISTRATOR), add(None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, add(Some(SECOND_ADMINISTRATOR)));
    let table = TableId(1);
    let pin = |rulebook, witness| Body::PinRulebook {
        table,
        rulebook,
        settings: House::settings("rws-sicbo").into(),
        witness,
    };
    let own = house.rulebook(TABLE).hash();
    assert!(carried(own));
    house.refused(Sender::Staff(ADMINISTRATOR), pin(own, None), Code::SecondPerson);
    house.staff(ADMINISTRATOR, pin(own, Some(CASINO_MANAGER)));
    house.staff(ADMINISTRATOR, pin(hash, Some(SECOND_ADMINISTRATOR)));
    assert_eq!(
        codes(&house),
        [
            "rulebook-unapproved",
            // With the new table came its threshold.
            "threshold",
            "rulebook-unapproved",
            "rulebook",
            "rulebook-unapproved",
        ]
    );
    let threshold = words(&house, "threshold");
    assert!(threshold.starts_with("the threshold of the new table new was set to "), "{threshold}");
    assert!(threshold.contains(" by person ") && threshold.contains(" and person "), "{threshold}");
    assert_eq!(alerts(&house).len(), 3, "{:?}", alerts(&house));
}

// ---- 2: a signature that could not have been given for the total

fn attendant_in(terminal: TerminalId, amount: i64, witness: Option<StaffId>) -> Body {
    Body::AttendantIn { terminal, amount: dollars(amount), witness }
}

#[test]
fn d27_a_cashiers_signature_for_a_ticket_does_not_clear_the_total_of_the_pit() {
    let mut house = house();
    house.staff(SUPERVISOR, attendant_in(T0, 9_500, None));
    let (ticket, _) = house.cash_out(T1);
    let reprint = |house: &mut House, ticket, witness| {
        let (number, reason) = (Some(house.new_number()), "torn".to_owned());
        Body::ReprintTicket { ticket, number, reason, witness: Some(witness) }
    };
    let body = reprint(&mut house, ticket, CASHIER);
    house.staff(SUPERVISOR, body);
    let moved = house.floor.moved_by(SUPERVISOR);
    assert_eq!((whole(moved.since), whole(moved.signed)), (9_500, 1_000), "the act is signed, the total is not");
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), attendant_in(T2, 501, None), Code::SecondPerson), "D27");
    // Of the rank that a hand pay needs, the second person signs for all of it.
    let duplicate = house.floor.tickets().last().unwrap().id();
    let body = reprint(&mut house, duplicate, SECOND_SUPERVISOR);
    house.staff(SUPERVISOR, body);
    assert_eq!(whole(house.floor.moved_by(SUPERVISOR).since), 0);
    house.staff(SUPERVISOR, attendant_in(T2, 501, None));
    // Where hand pays need more, so does the signature.
    house.staff(
        ADMINISTRATOR,
        Body::RaisePower { act: Act::HandPay, rank: Rank::PitManager, witness: Some(SECOND_ADMINISTRATOR) },
    );
    house.staff(MANAGER, attendant_in(T2, 100, None));
    let duplicate = house.floor.tickets().last().unwrap().id();
    let body = reprint(&mut house, duplicate, SUPERVISOR);
    house.staff(MANAGER, body);
    assert_eq!(whole(house.floor.moved_by(MANAGER).since), 100);
}

#[test]
fn d27_at_the_cage_another_cashier_signs_for_the_total() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(9_000), witness: None });
    let sell = |house: &mut House, witness| {
        let number = house.new_number();
        Body::SellTicket { amount: dollars(1_001), number, witness }
    };
    let alone = sell(&mut house, None);
    assert_eq!(house.refused(Sender::Staff(CASHIER), alone, Code::SecondPerson), "D27");
    let signed = sell(&mut house, Some(SECOND_CASHIER));
    house.staff(CASHIER, signed);
    assert_eq!(whole(house.floor.moved_by(CASHIER).since), 0);
}

// ---- 3: the chips of a live table

#[test]
fn d27_what_a_dealer_sells_and_takes_back_alone_is_limited() {
    let mut house = House::with_settings("rws-taisai", House::settings("rws-taisai"));
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(100_000)));
    let chips = |movement, witness| Body::MoveFloat {
        table: TABLE,
        movement,
        counts: Vec::new(),
        witness,
        reason: String::new(),
    };
    let (buy, out) = (FloatMovement::BuyIn(dollars(6_000)), FloatMovement::ChipsOut(dollars(4_000)));
    house.staff(DEALER, chips(buy, None));
    house.staff(DEALER, chips(out, None));
    assert_eq!(whole(house.floor.moved_by(DEALER).since), 10_000);
    let one = FloatMovement::BuyIn(dollars(1));
    assert_eq!(house.refused(Sender::Staff(DEALER), chips(one, None), Code::SecondPerson), "D27");
    house.refused(Sender::Staff(DEALER), chips(one, Some(SECOND_DEALER)), Code::SecondPerson);
    house.staff(DEALER, chips(one, Some(SUPERVISOR)));
    assert_eq!(whole(house.floor.moved_by(DEALER).since), 0);
    let many = FloatMovement::BuyIn(dollars(10_001));
    assert_eq!(house.refused(Sender::Staff(DEALER), chips(many, None), Code::SecondPerson), "D15");
    house.tell(Event::FloatMoved {
        table: TABLE,
        movement: many,
        difference: dollars(0),
        by: DEALER,
        counts: Vec::new(),
        witness: None,
        reason: None,
    });
    assert_eq!(codes(&house), ["alone"]);
}

#[test]
fn d27_a_drop_or_tray_that_is_short_has_a_reason_an_alert_and_a_finding() {
    let mut house = House::live();
    let counted = |movement: FloatMovement, amount: i64, reason: &str| Body::MoveFloat {
        table: TABLE,
        movement,
        counts: piles(dollars(amount)),
        witness: Some(SECOND_SUPERVISOR),
        reason: reason.to_owned(),
    };
    let drop = |amount, reason| counted(FloatMovement::Drop(dollars(amount)), amount, reason);
    let closer = |amount, reason| counted(FloatMovement::Closer(dollars(amount)), amount, reason);
    let supervisor = Sender::Staff(SUPERVISOR);
    assert_eq!(house.refused(supervisor, drop(9_000, ""), Code::Text), "D27");
    assert_eq!(house.refused(supervisor, closer(88_000, ""), Code::Text), "D27");
    house.ok(supervisor, drop(9_000, "a bundle is missing"));
    house.ok(supervisor, closer(88_000, "two plaques are missing"));
    let expected = [
        AlertKind::Difference(Counted::Drop(TABLE), dollars(-1_000)),
        AlertKind::Difference(Counted::Tray(TABLE), dollars(-2_000)),
    ];
    assert_eq!(alerts(&house), expected);
    assert_eq!(codes(&house), ["difference", "difference"]);
    assert!(words(&house, "difference").ends_with("1000.00 short"), "{}", words(&house, "difference"));
    // Below the threshold a reason is enough, and no difference needs none.
    let mut house = House::live();
    house.ok(supervisor, drop(9_950, "a note too few"));
    house.ok(supervisor, closer(90_000, ""));
    assert_eq!((alerts(&house).len(), codes(&house).len()), (0, 0));
}

// ---- 4: recovered, then corrected back

fn correct(house: &mut House, round: RoundId, outcome: &str) {
    let outcome = house.outcome(TABLE, outcome);
    let (reason, witness) = ("misread".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
}

fn recovered(round: Option<RoundId>, amount: i64, debtor: Option<Debtor>) -> Body {
    let (reason, witness) = ("paid at the desk".to_owned(), Some(MANAGER));
    Body::RecordRecovered { table: TABLE, round, amount: dollars(amount), reason, witness, debtor }
}

#[test]
fn d7_who_paid_back_gets_it_when_the_round_is_corrected_back() {
    let mut house = house();
    let supervisor = Sender::Staff(SUPERVISOR);
    let round = house.open();
    house.bet(T0, &["big=100.00"]);
    house.bet(T1, &["big=50.00"]);
    house.finish("6-5-4");
    house.cash_out(T0);
    house.cash_out(T1);
    correct(&mut house, round, "1-2-4");
    assert_eq!(house.account(Account::Uncollected), -300);
    // Whose it is must be said where more than one owes something.
    assert_eq!(house.refused(supervisor, recovered(Some(round), 100, None), Code::Amount), "D7");
    let (first, second) = (Some(Debtor::Terminal(T0)), Some(Debtor::Terminal(T1)));
    house.refused(supervisor, recovered(Some(round), 101, second), Code::Amount);
    house.refused(supervisor, recovered(Some(round), 100, Some(Debtor::Terminal(T2))), Code::NotFound);
    // Without its round nothing of it can be recovered, because it would have no owner.
    house.refused(supervisor, recovered(None, 100, None), Code::Amount);
    house.ok(supervisor, recovered(Some(round), 150, first));
    assert_eq!(house.account(Account::Uncollected), -150);
    correct(&mut house, round, "6-5-4");
    assert_eq!(house.account(Account::Uncollected), 0, "never below zero");
    let payables: Vec<(TerminalId, i64)> =
        house.floor.payables().map(|payable| (payable.terminal(), whole(payable.amount()))).collect();
    assert_eq!(payables, [(T0, 150)], "what was paid back is paid again, and nothing to who had paid nothing");
    // The other way round again: the payable goes first.
    correct(&mut house, round, "1-2-4");
    assert_eq!((house.floor.payables().count(), house.account(Account::Uncollected)), (0, -150));
    house.ok(supervisor, recovered(Some(round), 50, first));
    house.ok(supervisor, recovered(Some(round), 100, second));
    assert_eq!(house.account(Account::Uncollected), 0);
}

#[test]
fn d7_a_visit_that_goes_on_gets_it_as_credit() {
    let mut house = house();
    let round = house.play(&["big=1000.00"], "6-5-4");
    house.play(&["small=1000.00"], "6-5-4");
    house.play(&["small=1000.00"], "6-5-4");
    house.cash_in(T0, dollars(1));
    correct(&mut house, round, "1-2-4");
    // Nothing was left of that visit but what came later.
    let owed = -house.account(Account::Uncollected);
    assert!(owed > 0);
    house.staff(SUPERVISOR, recovered(Some(round), owed, None));
    correct(&mut house, round, "6-5-4");
    assert_eq!(house.account(Account::Uncollected), 0);
}

#[test]
fn d7_the_same_at_a_live_table() {
    let mut house = House::live();
    let round = house.deal(&[(1, "big", 100), (2, "big", 100)], "6-5-4");
    correct(&mut house, round, "1-2-4");
    assert_eq!(house.account(Account::Uncollected), -400);
    let supervisor = Sender::Staff(SUPERVISOR);
    house.refused(supervisor, recovered(Some(round), 200, None), Code::Amount);
    house.ok(supervisor, recovered(Some(round), 200, Some(Debtor::Position(Position(2)))));
    assert_eq!(house.account(Account::Uncollected), -200);
    let before = house.chips_out();
    correct(&mut house, round, "6-5-4");
    assert_eq!(house.account(Account::Uncollected), 0);
    assert_eq!(house.chips_out() - before, 200, "in chips");
}

// ---- 7: a password reset

fn reset(staff: StaffId) -> Body {
    let (by, second) = (Some(ADMINISTRATOR), Some(SECOND_ADMINISTRATOR));
    Body::ChangeCredential { staff, what: CredentialChange::PasswordReset, by, second }
}

fn sealed(house: &House, witness: StaffId) -> Body {
    let hash = SealedHash([house.log.len() as u8; 32]);
    Body::SealCodes { hashes: vec![hash], witness: Some(witness) }
}

/// A floor with a third administrator, on a later day than its first, just before a gaming day ends.
fn before_the_day_ends() -> (House, StaffId) {
    let mut house = house();
    let post = Post::Administrator;
    let third = StaffId(u32::try_from(house.floor.staff().len()).unwrap());
    house.system(Body::AddStaff { name: "third".to_owned(), post, witness: None });
    house.later(3 * DAY);
    house.system(Body::Elapse);
    let ends = house.floor.next_deadline().unwrap();
    house.at = ends.after(-HOUR);
    (house, third)
}

#[test]
fn d27_a_reset_bars_for_a_day_whatever_the_gaming_day() {
    let (mut house, third) = before_the_day_ends();
    house.system(reset(third));
    house.later(2 * HOUR);
    house.system(Body::Elapse);
    let body = sealed(&house, third);
    assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), body, Code::SecondPerson), "D27");
    // The next gaming day after 24 hours have passed ends it.
    house.later(DAY);
    house.system(Body::Elapse);
    let body = sealed(&house, third);
    house.staff(ADMINISTRATOR, body);
    assert_eq!(codes(&house), ["reset-then-signed"]);
    // After a week nothing is listed.
    house.later(7 * DAY);
    house.system(Body::Elapse);
    let body = sealed(&house, third);
    house.staff(ADMINISTRATOR, body);
    assert_eq!(codes(&house), ["reset-then-signed"]);
}

#[test]
fn d27_the_first_day_of_a_floor_does_not_bar_its_second() {
    let mut house = house();
    let post = Post::Pit(Rank::PitSupervisor);
    let made = |name: &str| Body::AddStaff { name: name.to_owned(), post, witness: Some(SECOND_ADMINISTRATOR) };
    let first = StaffId(u32::try_from(house.floor.staff().len()).unwrap());
    house.staff(ADMINISTRATOR, made("one"));
    house.staff(ADMINISTRATOR, made("two"));
    let second = StaffId(first.0 + 1);
    let next = house.floor.next_deadline().expect("a gaming day ends");
    house.at = next.after(HOUR);
    house.system(Body::Elapse);
    house.staff(first, attendant_in(T0, 10_001, Some(second)));
}

// ---- 8: the clock

#[test]
fn s14_an_accepted_clock_takes_two_people_and_expires_no_ticket() {
    let mut house = house();
    let (ticket, number) = house.cash_out(T0);
    let expires = house.floor.tickets().find(|found| found.id() == ticket).unwrap().expires();
    house.later(10 * DAY);
    let (_, later) = house.cash_out(T1);
    house.system(Body::ReportClock { ahead: 25 * DAY });
    for missing in [None, Some(ADMINISTRATOR), Some(SUPERVISOR)] {
        house.refused(Sender::Staff(ADMINISTRATOR), Body::AcceptClock { witness: missing }, Code::SecondPerson);
    }
    house.staff(ADMINISTRATOR, Body::AcceptClock { witness: Some(MANAGER) });
    house.later(25 * DAY);
    house.system(Body::Elapse);
    let found = house.floor.tickets().find(|found| found.id() == ticket).unwrap();
    assert_eq!((found.state(), found.expires()), (TicketState::Outstanding, expires.after(25 * DAY)));
    house.open_shift(CASHIER, dollars(5_000));
    for number in [number, later] {
        house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
    }
    assert_eq!(codes(&house), ["clock"]);
}

#[test]
fn s14_a_start_long_after_the_last_record_is_alerted_and_listed() {
    let mut house = house();
    let release = Release { program: rulebook::Hash([1; 32]), rulebooks: rulebook::Hash([2; 32]) };
    house.system(Body::StartProgram(release));
    house.later(DAY);
    house.system(Body::StartProgram(release));
    assert_eq!((alerts(&house).len(), codes(&house).len()), (0, 0), "a day is no long stop");
    house.later(40 * DAY);
    house.system(Body::StartProgram(release));
    assert!(matches!(&alerts(&house)[..], [AlertKind::Integrity(words)] if words.contains("960 h")));
    assert_eq!(codes(&house), ["clock"]);
}

#[test]
fn s15_a_shift_manager_can_pay_an_expired_ticket_by_decision() {
    let mut house = house();
    house.cash_out(T0);
    house.later(31 * DAY);
    house.system(Body::Elapse);
    let ruling = Ruling::Pay { terminal: T0, amount: dollars(1_000) };
    let reason = "ticket expired while the player was in hospital".to_owned();
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: None, ruling, reason, witness: None });
    assert_eq!(house.floor.payables().count(), 1);
}

// ---- 9: a cashier who has left

#[test]
fn d27_two_others_count_and_close_the_drawer_of_a_cashier_who_has_left() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    let shift = house.floor.shifts().next().unwrap().id();
    let dismiss = Body::ChangeStaff { staff: CASHIER, post: Post::Cashier, active: false, witness: None };
    house.refused(Sender::Staff(ADMINISTRATOR), dismiss.clone(), Code::Shift);
    let count = |witness| Body::ServeDrawer { shift, act: DrawerAct::Count { counts: piles(dollars(4_800)) }, witness };
    let close = |reason: &str, witness| Body::ServeDrawer {
        shift,
        act: DrawerAct::Close { counted: dollars(4_800), reason: reason.to_owned() },
        witness,
    };
    let second = Some(SUPERVISOR);
    for who in [SUPERVISOR, DEALER, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), count(Some(SECOND_SUPERVISOR)), Code::Rank);
    }
    let manager = Sender::Staff(MANAGER);
    for missing in [None, Some(MANAGER), Some(CASHIER), Some(DEALER)] {
        house.refused(manager, count(missing), Code::SecondPerson);
    }
    house.refused(manager, close("left", second), Code::Shift);
    let events = house.ok(manager, count(second));
    assert!(matches!(events[..], [Event::ShiftCounted { by: Some(MANAGER), .. }]));
    house.refused(manager, close("", second), Code::Text);
    house.refused(manager, close("left", None), Code::SecondPerson);
    let events = house.ok(manager, close("the cashier left", second));
    assert!(matches!(events[0], Event::ShiftClosed { by: Some(MANAGER), witness: Some(SUPERVISOR), .. }));
    house.staff(ADMINISTRATOR, dismiss);
    assert_eq!(alerts(&house), [AlertKind::Difference(Counted::Drawer(shift), dollars(-200))]);
    assert_eq!(codes(&house), ["drawer-by-others", "drawer-by-others", "difference", "dismissed"]);
    assert!(words(&house, "difference").contains("person 5"), "the drawer is named by its cashier");
}

#[test]
fn d27_the_drawer_of_a_cashier_who_has_left_goes_to_another_one() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    let shift = house.floor.shifts().next().unwrap().id();
    let serve = |act, witness| Body::ServeDrawer { shift, act, witness };
    let hand_over = DrawerAct::HandOver { reason: String::new() };
    let counts = piles(dollars(5_000));
    house.staff(MANAGER, serve(DrawerAct::Count { counts }, Some(SECOND_CASHIER)));
    house.refused(Sender::Staff(MANAGER), serve(hand_over.clone(), Some(SUPERVISOR)), Code::Rank);
    house.staff(MANAGER, serve(hand_over, Some(SECOND_CASHIER)));
    assert_eq!(whole(house.drawer(SECOND_CASHIER)), 5_000);
    assert!(house.floor.shifts().all(|shift| shift.cashier() != CASHIER));
    // No one handles their own drawer in this way.
    let own = house.floor.shifts().next().unwrap().id();
    let count = Body::ServeDrawer { shift: own, act: DrawerAct::Count { counts: Vec::new() }, witness: Some(MANAGER) };
    house.refused(Sender::Staff(SECOND_CASHIER), count, Code::Shift);
}

// ---- 12, 13: what is listed, and what a difference is compared with

#[test]
fn d27_a_redeemed_duplicate_is_listed_with_who_printed_and_who_paid_it() {
    let mut house = house();
    house.open_shift(SECOND_CASHIER, dollars(5_000));
    let (ticket, _) = house.cash_out(T0);
    let number = house.new_number();
    let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
    house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(number), reason, witness });
    house.staff(SECOND_CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
    let found = findings(&house).pop().unwrap();
    assert_eq!((found.code, found.staff), ("reprint-redeemed", Some(CASHIER)));
    assert!(found.words.contains("person 5") && found.words.contains("person 13"), "{}", found.words);
}

#[test]
fn d27_a_difference_is_compared_apart_from_the_float_and_counts_in_the_days_total() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    house.staff(CASHIER, Body::CountShift { counts: piles(dollars(4_900)), witness: None });
    let close = Body::CloseShift { counted: dollars(4_900), reason: "miscounted".to_owned(), witness: None };
    house.staff(CASHIER, close);
    // The float that was given out, and what should have come back.
    assert_eq!(whole(house.floor.moved_by(CASHIER).since), 10_000);
    assert_eq!((alerts(&house).len(), codes(&house).len()), (0, 0));
    // Short by more than the threshold it is alerted and listed, though a second person has signed.
    house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: Some(SUPERVISOR) });
    house.close_shift(CASHIER, dollars(899));
    assert!(matches!(alerts(&house)[..], [AlertKind::Difference(Counted::Drawer(_), off)] if off == dollars(-101)));
    assert_eq!(codes(&house), ["difference"]);
}

// ---- 14: a printer that reports late

#[test]
fn d25_a_late_report_about_a_replaced_ticket_says_so() {
    let mut house = house();
    house.open_shift(CASHIER, dollars(5_000));
    let number = house.new_number();
    house.staff(CASHIER, Body::SellTicket { amount: dollars(50), number, witness: None });
    let sold = house.floor.tickets().last().unwrap().id();
    let (number, reason) = (Some(house.new_number()), "the printer jammed".to_owned());
    house.staff(CASHIER, Body::ReprintTicket { ticket: sold, number, reason, witness: Some(SUPERVISOR) });
    let duplicate = house.floor.tickets().last().unwrap().id();
    house.staff(CASHIER, Body::TicketPrinted { ticket: sold });
    assert_eq!(alerts(&house), [AlertKind::ReplacedTicket(sold, duplicate)]);
}

// ---- what a whole administrator, an acknowledger, a caller and a cashier could do next

fn dismiss(house: &House, staff: StaffId, witness: Option<StaffId>) -> Body {
    let post = house.floor.person(staff).unwrap().post();
    Body::ChangeStaff { staff, post, active: false, witness }
}

#[test]
fn d27_one_administrator_alone_leaves_nobody_without_the_people_who_run_the_floor() {
    let mut house = house();
    let admin = Sender::Staff(ADMINISTRATOR);
    // One of four who are at least Shift Manager is dismissed at once: a thief is stopped.
    house.ok(admin, dismiss(&house, SECOND_SHIFT_MANAGER, None));
    let named = "person 10 was dismissed by person 7 (staff 7)".to_owned();
    assert_eq!(alerts(&house), [AlertKind::Integrity(named)]);
    // Now two are left: the last but one, and the last, take two people.
    for last in [SHIFT_MANAGER, CASINO_MANAGER] {
        let refused = house.refused(admin, dismiss(&house, last, None), Code::SecondPerson);
        assert_eq!(refused, "D15");
        house.refused(admin, dismiss(&house, last, Some(last)), Code::SecondPerson);
    }
    house.ok(admin, dismiss(&house, SHIFT_MANAGER, Some(SECOND_ADMINISTRATOR)));
    // Anyone after three in a gaming day.
    house.ok(admin, dismiss(&house, SECOND_DEALER, None));
    house.ok(admin, dismiss(&house, AUDITOR, None));
    house.refused(admin, dismiss(&house, SECOND_CASHIER, None), Code::SecondPerson);
    house.ok(admin, dismiss(&house, SECOND_CASHIER, Some(MANAGER)));
    house.later(DAY);
    house.system(Body::Elapse);
    house.ok(admin, dismiss(&house, CASHIER, None));
    house.replays();
}

#[test]
fn d27_who_gets_the_same_post_back_is_nobodys_new_account() {
    let mut house = house();
    house.staff(ADMINISTRATOR, dismiss(&house, SECOND_SHIFT_MANAGER, None));
    let post = Post::Pit(Rank::ShiftManager);
    let witness = Some(SECOND_ADMINISTRATOR);
    let back = |post| Body::ChangeStaff { staff: SECOND_SHIFT_MANAGER, post, active: true, witness };
    house.staff(ADMINISTRATOR, back(post));
    // They sign with each other at once: it is the person they were.
    let power = |witness| Body::RaisePower { act: Act::HandPay, rank: Rank::PitManager, witness };
    house.staff(ADMINISTRATOR, power(Some(SECOND_SHIFT_MANAGER)));
    // Another post is as good as a new account.
    house.staff(ADMINISTRATOR, back(Post::Pit(Rank::PitManager)));
    let power = Body::RaisePower { act: Act::HandPay, rank: Rank::ShiftManager, witness: Some(SECOND_SHIFT_MANAGER) };
    assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), power, Code::SecondPerson), "D27");
}

#[test]
fn d27_nobody_acknowledges_an_alert_about_themselves() {
    let mut house = house();
    let clears = |house: &mut House, by: StaffId| {
        let alert = house.floor.alerts().next().unwrap().id();
        house.staff(by, Body::AcknowledgeAlert { alert });
    };
    let refuses = |house: &mut House, by: StaffId| {
        let alert = house.floor.alerts().next().unwrap().id();
        let refused = house.refused(Sender::Staff(by), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
        assert_eq!(refused, "D27");
    };
    // Large cash, of which the supervisor put a part into the terminal.
    let amount = dollars(5_000);
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: T0, amount, witness: Some(MANAGER) });
    house.staff(SECOND_SUPERVISOR, Body::AttendantIn { terminal: T0, amount, witness: Some(MANAGER) });
    assert!(matches!(alerts(&house)[..], [AlertKind::LargeCash(T0, _)]));
    refuses(&mut house, SUPERVISOR);
    refuses(&mut house, SECOND_SUPERVISOR);
    clears(&mut house, MANAGER);
    // A code for a key that a manager signed for, though another one was made since.
    house.cash_out(T1);
    for second in [MANAGER, SECOND_MANAGER] {
        let (holder, by) = (KeyHolder::Terminal(T1), ADMINISTRATOR);
        house.system(Body::IssueCode { holder, by, second: Some(second) });
    }
    refuses(&mut house, MANAGER);
    refuses(&mut house, SECOND_MANAGER);
    clears(&mut house, SUPERVISOR);
    // Refusals at the doors that name the person, and later ones that do not.
    let refused = |words: &str| Body::RaiseAlert { table: None, what: AlertKind::Access(words.to_owned(), 1) };
    house.system(refused("\"lin\" as second person of person 1, from 10.0.0.7, was refused: wrong"));
    house.system(refused("\"lin\" was refused"));
    refuses(&mut house, SUPERVISOR);
    clears(&mut house, SECOND_SUPERVISOR);
    // Person 10 is not person 1.
    house.system(refused("\"lin\" as second person of person 10, from 10.0.0.7, was refused: wrong"));
    clears(&mut house, SUPERVISOR);
    house.replays();
}

#[test]
fn d28_nobody_of_the_pit_calls_for_what_an_administrator_does() {
    let mut house = house();
    for act in [JointAct::SetThresholds, JointAct::AddStaff, JointAct::SealCodes, JointAct::RaisePower] {
        let purpose = Purpose { act, subject: None, amount: None };
        let call = Body::CallSecondPerson { table: None, reason: "to block others".to_owned(), purpose };
        assert_eq!(house.refused(Sender::Staff(DEALER), call, Code::Rank), "D28");
    }
    assert_eq!(house.floor.calls().count(), 0);
}

#[test]
fn d27_many_small_differences_of_a_cashier_are_a_large_one() {
    let mut house = house();
    let shifts = |house: &mut House, short: i64| {
        house.staff(CASHIER, Body::OpenShift { float: dollars(200), witness: None });
        house.staff(CASHIER, Body::CountShift { counts: piles(dollars(200 - short)), witness: None });
        let reason = "miscounted".to_owned();
        Body::CloseShift { counted: dollars(200 - short), reason, witness: None }
    };
    let close = shifts(&mut house, 60);
    house.staff(CASHIER, close);
    assert_eq!((alerts(&house).len(), codes(&house).len()), (0, 0));
    let close = shifts(&mut house, 60);
    assert_eq!(house.refused(Sender::Staff(CASHIER), close, Code::SecondPerson), "D15");
    let reason = "miscounted".to_owned();
    house.staff(CASHIER, Body::CloseShift { counted: dollars(140), reason, witness: Some(SUPERVISOR) });
    assert!(matches!(alerts(&house)[..], [AlertKind::Difference(Counted::Drawer(_), off)] if off == dollars(-60)));
    assert_eq!(codes(&house), ["difference"]);
    // Another gaming day.
    house.later(DAY);
    house.system(Body::Elapse);
    let close = shifts(&mut house, 60);
    house.staff(CASHIER, close);
    house.replays();
}

#[test]
fn d20_late_chips_that_win_more_than_a_hand_pay_are_alerted_when_they_are_settled() {
    for (chips, alerted) in [(&[(1, "big", 100)][..], false), (&[(1, "big", 101)], true), (&[(1, "small", 500)], false)]
    {
        let mut house = House::live();
        let settings = TableSettings { hand_pay: dollars(100), ..House::settings("rws-taisai") }.into();
        let (reason, witness) = ("a quiet night".to_owned(), Some(SECOND_MANAGER));
        house.staff(MANAGER, Body::ChangeSettings { table: TABLE, settings, reason, witness });
        house.open();
        house.place(&[(2, "big", 300)]);
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        house.place(chips);
        house.play_device();
        house.enter("6-5-4");
        house.confirm();
        let late =
            |what: &AlertKind| matches!(what, AlertKind::Host(words) if words.contains("recorded after the close"));
        let found = alerts(&house).into_iter().find(late);
        assert_eq!(found.is_some(), alerted, "{chips:?}");
        if let Some(AlertKind::Host(words)) = found {
            assert!(words.ends_with("by person 0 (staff 0) win 101.00"), "{words}");
        }
        house.replays();
    }
}

#[test]
fn d20_what_late_chips_win_for_one_person_adds_up_over_the_gaming_day() {
    let mut house = House::live();
    let settings = TableSettings { hand_pay: dollars(100), ..House::settings("rws-taisai") }.into();
    let (reason, witness) = ("a quiet night".to_owned(), Some(SECOND_MANAGER));
    house.staff(MANAGER, Body::ChangeSettings { table: TABLE, settings, reason, witness });
    let late = |what: &AlertKind| matches!(what, AlertKind::Host(words) if words.contains("recorded after the close"));
    for (round, alerted) in [(1, false), (2, false), (3, true)] {
        house.open();
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        house.place(&[(1, "big", 50)]);
        house.play_device();
        house.enter("6-5-4");
        house.confirm();
        let found = alerts(&house).into_iter().find(late);
        assert_eq!(found.is_some(), alerted, "round {round}");
    }
    let words = format!("{:?}", alerts(&house).into_iter().find(late));
    assert!(words.contains("win 50.00, 150.00 in this gaming day"), "{words}");
    house.replays();
}

/// A live table whose tumbler reads nothing: the dealer enters what the dice show.
fn unread() -> House {
    let mut house = House::live();
    let settings = TableSettings { hand_pay: dollars(100), ..House::settings("rws-taisai") }.into();
    let (reason, witness) = ("a quiet night".to_owned(), Some(SECOND_MANAGER));
    house.staff(MANAGER, Body::ChangeSettings { table: TABLE, settings, reason, witness });
    house.system(Body::MoveDevice { device: DEVICE, place: DevicePlace::Store, witness: None });
    house
}

/// A round in which the dealer records these chips after the close, and a person enters 6-5-4.
fn late_round(house: &mut House, chips: &[(u8, &str, i64)], enters: StaffId) {
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.place(chips);
    let outcome = house.outcome(TABLE, "6-5-4");
    let entry = house.entry(TABLE, outcome);
    house.staff(enters, entry);
}

#[test]
fn d20_who_recorded_late_chips_does_not_enter_alone_the_result_with_which_they_win() {
    let confirm = House::confirming_with;
    // Less than one person moves alone, or chips that lose: nothing is needed.
    for chips in [&[(1, "big", 100)], &[(1, "small", 500)]] {
        let mut house = unread();
        late_round(&mut house, chips, DEALER);
        house.staff(DEALER, Body::confirm_result(TABLE));
        house.replays();
    }
    let mut house = unread();
    late_round(&mut house, &[(1, "big", 101)], DEALER);
    assert_eq!(house.floor.entered_need(TABLE, house.at), Need::LateChips);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D27");
    house.staff_refused(DEALER, confirm(SECOND_DEALER), Code::SecondPerson);
    let events = house.staff(DEALER, confirm(SUPERVISOR));
    assert!(matches!(events[0], Event::ResultWitnessed { need: Need::LateChips, .. }), "{events:?}");
    // The signature was for all so far: the count begins again. What was won without one adds up.
    late_round(&mut house, &[(1, "big", 60)], DEALER);
    house.staff(DEALER, Body::confirm_result(TABLE));
    late_round(&mut house, &[(1, "big", 60)], DEALER);
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::SecondPerson), "D27");
    house.staff(DEALER, confirm(SUPERVISOR));
    house.replays();
}

#[test]
fn d20_the_device_that_read_the_result_is_the_witness_of_late_chips() {
    let mut house = House::live();
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.place(&[(1, "big", 400)]);
    house.play_device();
    house.enter("6-5-4");
    assert_eq!(house.floor.entered_need(TABLE, house.at), Need::Nothing);
    house.confirm();
}

#[test]
fn d27_who_sold_chips_or_signed_for_it_does_not_clear_the_alert_about_that_cash() {
    let mut house = House::live();
    house.later(DAY);
    house.system(Body::Elapse);
    let buy_in = |amount: i64, witness| {
        let movement = FloatMovement::BuyIn(dollars(amount));
        Body::MoveFloat { table: TABLE, movement, counts: Vec::new(), witness, reason: String::new() }
    };
    house.staff(SUPERVISOR, buy_in(4_000, None));
    house.staff(SECOND_SUPERVISOR, buy_in(6_000, Some(MANAGER)));
    let large = |alert: &&Alert| matches!(alert.what(), AlertKind::LargeCashAt(CashPlace::Table(TABLE), _));
    let alert = house.floor.alerts().find(large).expect("large cash").id();
    for concerned in [SUPERVISOR, SECOND_SUPERVISOR, MANAGER] {
        let refused = house.refused(Sender::Staff(concerned), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
        assert_eq!(refused, "D27");
    }
    house.staff(SECOND_MANAGER, Body::AcknowledgeAlert { alert });
    house.replays();
}

#[test]
fn d25_nobody_clears_the_alert_of_a_duplicate_that_waits_for_their_own_printer() {
    let mut house = house();
    let (ticket, _) = house.cash_out(T0);
    let (number, reason) = (Some(house.new_number()), "torn".to_owned());
    house.staff(SUPERVISOR, Body::ReprintTicket { ticket, number, reason, witness: Some(MANAGER) });
    house.later(30_000);
    house.system(Body::Elapse);
    let doubt = |alert: &&Alert| matches!(alert.what(), AlertKind::TicketInDoubt(..));
    let alert = house.floor.alerts().find(doubt).expect("in doubt").id();
    let refused = house.refused(Sender::Staff(SUPERVISOR), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
    assert_eq!(refused, "D27");
    house.staff(SECOND_SUPERVISOR, Body::AcknowledgeAlert { alert });
}

#[test]
fn d27_a_cashier_alone_returns_no_more_to_the_vault_than_the_threshold() {
    let mut house = house();
    house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
    let counts = piles(dollars(50_000));
    let fill = Body::MoveDrawer { movement: DrawerMovement::Fill, counts, witness: Some(SUPERVISOR) };
    house.staff(CASHIER, fill);
    let counted = dollars(50_100);
    house.staff(CASHIER, Body::CountShift { counts: piles(counted), witness: None });
    let close = |witness| Body::CloseShift { counted, reason: String::new(), witness };
    house.refused(Sender::Staff(CASHIER), close(None), Code::SecondPerson);
    house.staff(CASHIER, close(Some(SUPERVISOR)));
    house.replays();
}

#[test]
fn d27_who_signed_for_a_difference_does_not_clear_the_alert_about_it() {
    let mut house = house();
    house.open_shift(CASHIER, dollars(1_000));
    house.close_shift(CASHIER, dollars(899));
    let alert = house.floor.alerts().next().unwrap().id();
    house.refused(Sender::Staff(SUPERVISOR), Body::AcknowledgeAlert { alert }, Code::SecondPerson);
    house.staff(SECOND_SUPERVISOR, Body::AcknowledgeAlert { alert });
}

#[test]
fn d22_an_interrupted_round_that_shows_its_result_is_not_made_void_by_a_decision() {
    for game in ["rws-sicbo", "rws-roulette-000", "mbs-sicbo"] {
        let (spot, wins, _) = even_money(game);
        let mut house = House::with(game);
        let round = house.open();
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.close();
        house.play_device();
        let outcome = house.outcome(TABLE, wins);
        house.reads(TABLE, outcome);
        house.stoppage(60_000);
        let void = House::deciding(Some(round), Ruling::VoidRound);
        house.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(SUPERVISOR) });
        house.staff_refused(SHIFT_MANAGER, void, Code::Established);
        house.enter(wins);
        house.confirm();
        assert_eq!(house.result_of(round).as_deref(), Some(wins), "{game}");
    }
}

#[test]
fn d22_an_interrupted_round_for_which_no_result_can_be_entered_is_decided() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.bet(T0, &["red=10.00"]);
    house.close();
    // The wheel counts revolutions, and has reported none of this spin: no result is entered for it (D19).
    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
    let pocket = house.outcome(TABLE, "17");
    house.device(Observation::Rested { pocket });
    house.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::Power, note: None });
    house.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: Some(SUPERVISOR) });
    let entry = house.entry(TABLE, pocket);
    house.staff_refused(DEALER, entry, Code::NoTumble);
    house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
    assert!(house.floor.table(TABLE).unwrap().round().is_none() && house.result_of(round).is_none());
}

#[test]
fn d22_a_result_entered_against_one_die_is_not_shown_by_the_dice() {
    let mut house = House::with("rws-sicbo");
    let round = house.open();
    house.close();
    house.play_device();
    house.enter("1-2-3");
    house.device(Observation::DiceRead { dice: [rulebook::Face::new(5), None, None] });
    house.stoppage(60_000);
    house.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(SUPERVISOR) });
    house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
    assert!(house.floor.table(TABLE).unwrap().round().is_none() && house.result_of(round).is_none());
}

#[test]
fn d22_what_a_dealer_alone_entered_takes_no_decision_away() {
    let interrupted = || {
        let mut house = House::with("rws-sicbo");
        house.open();
        house.close();
        house.play_device();
        house.device(Observation::DiceRead { dice: [rulebook::Face::new(5), None, None] });
        house.stoppage(60_000);
        house.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::Established, witness: Some(SUPERVISOR) });
        // The dice were disturbed, and the dealer guesses.
        house.enter("5-2-3");
        house
    };
    let mut house = interrupted();
    let round = house.round();
    house.staff(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound));
    assert!(house.floor.table(TABLE).unwrap().round().is_none() && house.result_of(round).is_none());
    // Signed for by a Pit Supervisor with the entry, it is established.
    let mut house = interrupted();
    let round = house.round();
    let mut entry = house.entry(TABLE, house.outcome(TABLE, "5-2-4"));
    *entry.witness_mut().unwrap() = Some(SUPERVISOR);
    house.staff(DEALER, entry);
    house.staff_refused(SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound), Code::Established);
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("5-2-4"));
}

#[test]
fn a_reason_or_a_name_turns_no_text_around() {
    let mut house = house();
    for hidden in ["\u{202e}", "\u{2028}", "\u{2029}", "\u{2066}", "\u{200f}"] {
        let reason = format!("a quarrel{hidden} over");
        house.refused(Sender::Staff(SUPERVISOR), Body::LockTerminal { terminal: T0, reason }, Code::Text);
        let (name, post, witness) = (format!("lin{hidden}da"), Post::Cashier, Some(SECOND_ADMINISTRATOR));
        house.refused(Sender::Staff(ADMINISTRATOR), Body::AddStaff { name, post, witness }, Code::Text);
        house.refused(Sender::System, Body::Note { words: format!("all{hidden} is well") }, Code::Text);
    }
    let (name, post, witness) = ("陈小明".to_owned(), Post::Cashier, Some(SECOND_ADMINISTRATOR));
    house.staff(ADMINISTRATOR, Body::AddStaff { name, post, witness });
}
