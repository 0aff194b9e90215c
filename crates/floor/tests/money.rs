//! One dishonest person, and money while play is locked: what a cashier pays of their own tickets, what a signature is for,
//! who lowers a power, who ends a call, and that players get their money under every lock (S10, D25, D27, D28).

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::{Act, Hash, Rank};

/// What the audit of people finds in all records of a house, as codes.
fn codes(house: &House) -> Vec<&'static str> {
    let mut floor = Floor::new();
    let mut found = Vec::new();
    for record in &house.log {
        found.extend(People::observe(&floor, record).into_iter().map(|finding| finding.code));
        floor.apply(record).unwrap();
    }
    found
}

fn redeem(number: TicketHash, witness: Option<StaffId>) -> Body {
    Body::RedeemTicket { number, amount: None, witness }
}

fn attendant_in(terminal: TerminalId, amount: i64, witness: Option<StaffId>) -> Body {
    Body::AttendantIn { terminal, amount: dollars(amount), witness }
}

// ---- own tickets

#[test]
fn d27_a_cashier_pays_what_they_sold_or_printed_again_with_a_second_person_only() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(5_000));
    let number = house.new_number();
    house.staff(CASHIER, Body::SellTicket { amount: dollars(40), number, witness: None });
    let refused = house.refused(Sender::Staff(CASHIER), redeem(number, None), Code::SecondPerson);
    assert_eq!(refused, "D27");
    house.staff(CASHIER, redeem(number, Some(SUPERVISOR)));
    assert_eq!(codes(&house), ["own-ticket"]);
    // A player's ticket that this cashier has printed again.
    let (ticket, _) = house.cash_out(T0);
    let number = house.new_number();
    let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
    house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(number), reason, witness });
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number, None), Code::SecondPerson), "D27");
    // Another cashier has never seen the number, and pays it alone.
    house.open_shift(SECOND_CASHIER, dollars(5_000));
    house.staff(SECOND_CASHIER, redeem(number, None));
}

// ---- what a signature is for

#[test]
fn d27_a_signature_below_the_threshold_is_for_its_own_act() {
    let settings = TableSettings { hand_pay: dollars(1_000), ..House::settings("rws-sicbo") };
    let mut house = House::with_settings("rws-sicbo", settings);
    house.staff(SUPERVISOR, attendant_in(T0, 900, None));
    // A friend signs for ten dollars: that vouches for nothing before it.
    house.staff(SUPERVISOR, attendant_in(T0, 10, Some(SECOND_SUPERVISOR)));
    let moved = house.floor.moved_by(SUPERVISOR);
    assert_eq!((whole(moved.since), whole(moved.signed)), (900, 10));
    let refused = house.refused(Sender::Staff(SUPERVISOR), attendant_in(T1, 101, None), Code::SecondPerson);
    assert_eq!(refused, "D27");
    // Past the threshold the second person signs for the total so far, and the count starts again.
    house.staff(SUPERVISOR, attendant_in(T1, 101, Some(SECOND_SUPERVISOR)));
    assert_eq!(whole(house.floor.moved_by(SUPERVISOR).since), 0);
    house.staff(SUPERVISOR, attendant_in(T1, 1_000, None));
}

#[test]
fn d27_what_was_moved_for_a_visit_that_is_over_is_forgotten() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=1000.00"], "1-2-3");
    let (outcome, reason) = (house.outcome(TABLE, "6-5-4"), "misread".to_owned());
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness: Some(SECOND_SUPERVISOR) });
    let payable = house.floor.payables().next().expect("something to pay").id();
    house.open_shift(CASHIER, dollars(5_000));
    house.staff(CASHIER, Body::PayCorrection { payable, round: Some(round), witness: None });
    assert_eq!(house.floor.moved_in_visits(), 0);
}

// ---- powers

#[test]
fn d27_two_people_raise_a_power_and_lower_it_again() {
    let mut house = House::with("rws-sicbo");
    let power = |rank, witness| Body::RaisePower { act: Act::HandPay, rank, witness };
    let administrator = Sender::Staff(ADMINISTRATOR);
    let alone = [None, Some(ADMINISTRATOR), Some(SUPERVISOR), Some(CASHIER)];
    for missing in alone {
        house.refused(administrator, power(Rank::ShiftManager, missing), Code::SecondPerson);
    }
    house.ok(administrator, power(Rank::ShiftManager, Some(SECOND_ADMINISTRATOR)));
    for missing in alone {
        house.refused(administrator, power(Rank::PitSupervisor, missing), Code::SecondPerson);
    }
    let events = house.ok(administrator, power(Rank::PitSupervisor, Some(MANAGER)));
    let [Event::PowerRaised { witness: Some(MANAGER), .. }, Event::AlertRaised { what, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(matches!(what, AlertKind::Integrity(_)), "{what:?}");
    assert_eq!(codes(&house), ["power", "power"]);
}

#[test]
fn d11_a_dealer_can_always_close() {
    let mut house = House::with("rws-sicbo");
    for rank in [Rank::PitSupervisor, Rank::CasinoManager] {
        let raise = Body::RaisePower { act: Act::CloseBets, rank, witness: Some(SECOND_ADMINISTRATOR) };
        assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), raise, Code::Settings), "D11");
    }
}

#[test]
fn d15_two_people_at_work_do_not_have_one_name() {
    let mut house = House::with("rws-sicbo");
    let add =
        |name: &str| Body::AddStaff { name: name.to_owned(), post: Post::Auditor, witness: Some(SECOND_ADMINISTRATOR) };
    let administrator = Sender::Staff(ADMINISTRATOR);
    house.ok(administrator, add("Tan Mei Ling"));
    for same in ["Tan Mei Ling", "tan  mei ling", "\u{ff34}an Mei Ling"] {
        house.refused(administrator, add(same), Code::Settings);
    }
    let first = house.floor.staff().last().unwrap().id();
    house.ok(administrator, add("Tan Mei Ling 2"));
    house.staff(ADMINISTRATOR, Body::ChangeStaff { staff: first, post: Post::Auditor, active: false, witness: None });
    house.ok(administrator, add("Tan Mei Ling"));
}

// ---- calls

#[test]
fn d28_a_second_person_who_came_ends_the_call_without_signing() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "6-5-4");
    let purpose = Purpose { act: JointAct::CorrectResult, subject: Some(round.0), amount: Some(dollars(100)) };
    let call = Body::CallSecondPerson { table: Some(TABLE), reason: "a correction".to_owned(), purpose };
    let answer = Body::AnswerCall { table: Some(TABLE) };
    house.refused(Sender::Staff(SUPERVISOR), answer.clone(), Code::NothingToDo);
    house.staff(SHIFT_MANAGER, call.clone());
    house.refused(Sender::Staff(SHIFT_MANAGER), answer.clone(), Code::SecondPerson);
    for outside in [DEALER, CASHIER, AUDITOR] {
        house.refused(Sender::Staff(outside), answer.clone(), Code::Rank);
    }
    house.later(10 * 60 * 1000);
    let events = house.staff(SUPERVISOR, answer);
    assert!(matches!(events[..], [Event::CallAnswered { came: true, by: SUPERVISOR, .. }]), "{events:?}");
    // The wait is over, and no wait was long enough.
    house.later(10 * 60 * 1000);
    let correct = |house: &House| {
        let outcome = house.outcome(TABLE, "1-2-4");
        Body::CorrectResult { round, outcome, reason: "misread".to_owned(), witness: None }
    };
    let alone = correct(&house);
    house.refused(Sender::Staff(SHIFT_MANAGER), alone.clone(), Code::SecondPerson);
    // A new call and a new wait: the audit puts the two side by side.
    house.staff(SHIFT_MANAGER, call);
    house.later(15 * 60 * 1000);
    house.staff(SHIFT_MANAGER, alone);
    let codes = codes(&house);
    assert!(codes.contains(&"decided-alone") && codes.contains(&"call-answered"), "{codes:?}");
}

// ---- a counted drawer

#[test]
fn d25_nothing_is_paid_by_hand_out_of_a_counted_drawer() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(5_000));
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    house.staff(CASHIER, Body::CountShift { counts: piles(dollars(5_000)), witness: None });
    let resolve = |finding| {
        let (reason, witness) = ("no paper".to_owned(), Some(SUPERVISOR));
        Body::ResolveTicket { ticket, finding, reason, witness }
    };
    house.refused(Sender::Staff(CASHIER), resolve(TicketFinding::PaidByHand), Code::Shift);
    house.staff(CASHIER, Body::CloseShift { counted: dollars(5_000), reason: String::new(), witness: None });
    house.staff(SUPERVISOR, {
        let (reason, witness) = ("no paper".to_owned(), Some(SECOND_SUPERVISOR));
        Body::ResolveTicket { ticket, finding: TicketFinding::PaidByHand, reason, witness }
    });
}

// ---- while play is locked

fn lock(house: &mut House) {
    for program in [1, 2] {
        let release = Release { program: Hash([program; 32]), rulebooks: Hash([1; 32]) };
        house.system(Body::StartProgram(release));
    }
    assert!(house.floor.locked_by().is_some());
}

/// A house in which a player's money is at every place that there is: credit, bets, a ticket in doubt, one in hand and a
/// payable.
fn money_everywhere() -> (House, [TicketId; 2], TicketHash, RoundId) {
    let mut house = House::with("rws-sicbo");
    let played = house.play(&["big=1000.00"], "1-2-3");
    let (outcome, reason) = (house.outcome(TABLE, "6-5-4"), "misread".to_owned());
    house.staff(SUPERVISOR, Body::CorrectResult { round: played, outcome, reason, witness: Some(SECOND_SUPERVISOR) });
    let (in_hand, paper) = house.cash_out(T1);
    let (number, doubt) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T2), Body::PrepareTicket { terminal: T2, number });
    house.cash_in(T0, dollars(300));
    house.open();
    house.bet(T0, &["big=100.00"]);
    (house, [doubt, in_hand], paper, played)
}

#[test]
fn s10_players_get_their_money_while_the_program_is_locked() {
    let (mut house, [doubt, _], paper, played) = money_everywhere();
    let round = house.round();
    lock(&mut house);
    let witness = Some(SECOND_SUPERVISOR);
    // The pit is alerted about the printer, and the gaming day goes on.
    house.later(30_000);
    let events = house.system(Body::Elapse);
    assert!(matches!(events[0], Event::AlertRaised { what: AlertKind::TicketInDoubt(..), .. }), "{events:?}");
    assert!(!events.iter().any(|event| matches!(event, Event::BetsClosed { .. })), "play stands still: {events:?}");
    // Credit, the ticket in doubt, the paper in hand, the payable.
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(200), witness: None });
    let (finding, reason) = (TicketFinding::PaidByHand, "no paper".to_owned());
    house.staff(SUPERVISOR, Body::ResolveTicket { ticket: doubt, finding, reason, witness });
    house.open_shift(CASHIER, dollars(5_000));
    house.staff(CASHIER, redeem(paper, None));
    let payable = house.floor.payables().next().expect("something to pay").id();
    house.staff(SUPERVISOR, Body::PayByHand { payable, round: Some(played), witness });
    // The stakes come back with a decision, and then go out by hand.
    let decide = |round| {
        let (ruling, reason) = (Ruling::VoidRound, "another program runs".to_owned());
        Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness: Some(MANAGER) }
    };
    house.refused(Sender::Staff(SHIFT_MANAGER), decide(played), Code::Locked);
    house.staff(SHIFT_MANAGER, decide(round));
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(100), witness: None });
    for terminal in [T0, T1, T2] {
        assert_eq!(house.credit(terminal), dollars(0), "{terminal}");
    }
    // Nothing comes in, and nothing is played.
    house.refused(Sender::Staff(SUPERVISOR), attendant_in(T0, 10, None), Code::Locked);
    house.refused(Sender::Staff(DEALER), Body::BeginRound { table: TABLE }, Code::Locked);
}

#[test]
fn s10_with_records_missing_nothing_is_paid_and_a_second_person_can_be_called() {
    let (mut house, [doubt, _], paper, played) = money_everywhere();
    house.system(Body::ReportLoss { epoch: 0, record: 70_000, words: "a record is missing".to_owned() });
    // What is missing may be the record of that very payment.
    let witness = Some(SECOND_SUPERVISOR);
    let payable = house.floor.payables().next().expect("something to pay").id();
    let (finding, reason) = (TicketFinding::PaidByHand, "no paper".to_owned());
    for (staff, body) in [
        (SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(200), witness }),
        (SUPERVISOR, Body::ResolveTicket { ticket: doubt, finding, reason, witness }),
        (CASHIER, redeem(paper, Some(SUPERVISOR))),
        (SUPERVISOR, Body::PayByHand { payable, round: Some(played), witness }),
    ] {
        assert_eq!(house.refused(Sender::Staff(staff), body, Code::Locked), "S10");
    }
    // The printer reports, the pit is alerted, and a Shift Manager does not wait for ever (D28).
    house.ok(Sender::Terminal(T2), Body::TicketPrinted { ticket: doubt });
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "a quarrel".to_owned() });
    let purpose = Purpose { act: JointAct::AcceptLoss, subject: None, amount: None };
    house.staff(
        SHIFT_MANAGER,
        Body::CallSecondPerson { table: None, reason: "records are missing".to_owned(), purpose },
    );
    house.later(15 * 60 * 1000);
    house.staff(SHIFT_MANAGER, Body::AcceptLoss { statement: "an hour of the night".to_owned(), witness: None });
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(200), witness });
}
