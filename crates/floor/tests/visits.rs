//! D7: a correction, a void of settled rounds or a decision reaches only the visit that made the bet.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::GroundId;

fn correct(house: &mut House, round: RoundId, outcome: &str) -> Adjustment {
    let outcome = house.outcome(TABLE, outcome);
    let (reason, witness) = ("misread".to_owned(), Some(SECOND_SUPERVISOR));
    let events = house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
    match &events[0] {
        Event::RoundCorrected { adjustments, .. } => {
            assert_eq!(adjustments.len(), 1, "one terminal bet");
            adjustments[0]
        }
        event => panic!("{event:?}"),
    }
}

fn void(house: &mut House, rounds: &[RoundId]) -> Vec<Event> {
    let (ground, rounds, witness) = (GroundId::DiceDamaged, rounds.to_vec(), Some(SECOND_MANAGER));
    house.staff(MANAGER, Body::VoidRounds { table: TABLE, ground, rounds, reason: "a chipped die".to_owned(), witness })
}

fn credit(house: &House) -> i64 {
    whole(house.credit(T0))
}

fn visit(house: &House) -> Option<VisitId> {
    house.floor.terminal(T0).unwrap().visit()
}

/// The player leaves with a ticket.
fn leave(house: &mut House) {
    house.cash_out(T0);
    assert_eq!(visit(house), None);
}

fn uncollected(house: &House) -> i64 {
    whole(house.floor.pit_view().uncollected)
}

#[test]
fn d7_a_visit_begins_with_money_in_and_ends_when_credit_and_bets_are_zero() {
    let mut house = House::with("rws-sicbo");
    let first = visit(&house).expect("money was put in");
    house.cash_in(T0, dollars(10));
    assert_eq!(visit(&house), Some(first), "more money, the same visit");
    house.open();
    house.bet(T0, &["big=1000.00", "small=10.00"]);
    assert_eq!((credit(&house), visit(&house)), (0, Some(first)), "bets stand, so the visit goes on");
    house.finish("1-1-1");
    assert_eq!((credit(&house), visit(&house)), (0, None), "all is lost");
    house.cash_in(T0, dollars(5));
    let second = visit(&house).expect("money was put in");
    assert_ne!(second, first);
    // A cash-out ends it when the ticket is printed, not before.
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    assert_eq!((credit(&house), visit(&house)), (0, Some(second)));
    house.ok(Sender::Terminal(T0), Body::TicketPrinted { ticket });
    assert_eq!(visit(&house), None);
    // So does being paid by hand.
    house.cash_in(T0, dollars(5));
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(5), witness: None });
    assert_eq!(visit(&house), None);
}

#[test]
fn d7_who_gains_is_paid_on_the_terminal_while_the_visit_goes_on() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "1-2-3");
    house.play(&["big=50.00"], "6-5-4");
    assert_eq!(credit(&house), 950);
    let adjustment = correct(&mut house, round, "6-5-4");
    assert_eq!((whole(adjustment.credited), whole(adjustment.payable)), (200, 0));
    assert_eq!(credit(&house), 1_150);
    assert_eq!(whole(house.floor.terminal(T0).unwrap().meters().corrections), 200);
}

#[test]
fn d7_who_has_left_is_paid_at_the_cage_with_the_round_as_evidence() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "1-2-3");
    leave(&mut house);
    // Another player sits there now.
    house.cash_in(T0, dollars(30));
    let adjustment = correct(&mut house, round, "6-5-4");
    assert_eq!((whole(adjustment.credited), whole(adjustment.payable)), (0, 200));
    assert_eq!(credit(&house), 30, "another visit is not touched");
    house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: None });
    let payable = house.floor.cage_view(CASHIER).payables[0].clone();
    assert_eq!((payable.round(), payable.terminal(), whole(payable.amount())), (Some(round), T0, 200));
    let pay = |round| Body::PayCorrection { payable: payable.id(), round: Some(round), witness: None };
    assert_eq!(house.refused(Sender::Staff(CASHIER), pay(RoundId(round.0 + 1)), Code::NotFound), "D7");
    house.refused(Sender::Staff(SUPERVISOR), pay(round), Code::Rank);
    house.staff(CASHIER, pay(round));
    assert_eq!(whole(house.drawer(CASHIER)), 800);
    assert_eq!(house.account(Account::CorrectionPayable), 0);
    house.refused(Sender::Staff(CASHIER), pay(round), Code::NotFound);
}

#[test]
fn d7_from_who_loses_only_the_credit_left_is_taken_and_never_a_later_stake() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=1000.00"], "6-5-4");
    assert_eq!(credit(&house), 2_000);
    house.open();
    house.bet(T0, &["small=1000.00", "single/1=900.00"]);
    let adjustment = correct(&mut house, round, "1-2-3");
    assert_eq!((whole(adjustment.taken), whole(adjustment.uncollected)), (100, 1_900));
    let terminal = house.floor.terminal(T0).unwrap();
    assert_eq!((credit(&house), whole(terminal.staked())), (0, 1_900), "the later round's stakes stand");
    // The rest is the house's loss, and the pit is shown it.
    assert_eq!(uncollected(&house), 1_900);
    let alerts: Vec<AlertKind> = house.floor.alerts().map(|alert| alert.what().clone()).collect();
    assert_eq!(alerts, [AlertKind::Uncollected(round, dollars(1_900)), AlertKind::DeviceDisagrees(round)]);
    house.finish("6-5-4");
    assert_eq!(visit(&house), None);
}

#[test]
fn d7_another_player_at_the_terminal_pays_nothing_back() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "6-5-4");
    leave(&mut house);
    house.cash_in(T0, dollars(70));
    let adjustment = correct(&mut house, round, "1-2-3");
    assert_eq!((whole(adjustment.taken), whole(adjustment.uncollected)), (0, 200));
    assert_eq!((credit(&house), uncollected(&house)), (70, 200));
}

#[test]
fn d7_what_the_cage_has_not_paid_yet_is_simply_no_longer_to_be_paid() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "1-2-3");
    leave(&mut house);
    correct(&mut house, round, "6-5-4");
    assert_eq!(house.account(Account::CorrectionPayable), 200);
    let adjustment = correct(&mut house, round, "1-2-3");
    assert_eq!((whole(adjustment.unpaid), whole(adjustment.uncollected)), (200, 0));
    assert_eq!(house.account(Account::CorrectionPayable), 0);
    assert_eq!(house.floor.payables().count(), 0);
}

#[test]
fn d7_a_correction_of_a_correction_settles_against_what_was_really_paid() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "6-5-4");
    leave(&mut house);
    // 200 paid, nothing due: all of it uncollected.
    correct(&mut house, round, "1-2-3");
    assert_eq!(uncollected(&house), 200);
    // Due after all: nothing is paid a second time, and nothing stands uncollected.
    let adjustment = correct(&mut house, round, "6-5-1");
    assert_eq!((whole(adjustment.payable), whole(adjustment.entitled)), (0, 200));
    assert_eq!((uncollected(&house), house.account(Account::CorrectionPayable)), (0, 0));
}

#[test]
fn d7_a_ticket_being_printed_is_no_longer_credit() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "6-5-4");
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    let adjustment = correct(&mut house, round, "1-2-3");
    assert_eq!((whole(adjustment.taken), whole(adjustment.uncollected)), (0, 200));
    house.ok(Sender::Terminal(T0), Body::PrintFailed { ticket });
    assert_eq!(credit(&house), 1_100);
}

#[test]
fn d7_several_rounds_voided_at_once_move_what_they_would_one_after_the_other() {
    let rounds = |house: &mut House| {
        let won = house.play(&["big=1000.00"], "6-5-4");
        let lost = house.play(&["big=900.00"], "1-2-3");
        // Nearly everything is gone again.
        house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(1_000), witness: None });
        assert_eq!(credit(house), 100);
        [won, lost]
    };
    // Taking 1,000 back first finds 100 and ends the visit: the 900 that come back are paid at the cage.
    for at_once in [true, false] {
        let mut house = House::with("rws-sicbo");
        let [won, lost] = rounds(&mut house);
        if at_once {
            void(&mut house, &[won, lost]);
        } else {
            void(&mut house, &[won]);
            void(&mut house, &[lost]);
        }
        assert_eq!((visit(&house), credit(&house), uncollected(&house)), (None, 0, 900), "at once: {at_once}");
        assert_eq!(house.account(Account::CorrectionPayable), 900);
    }
    // The other way round, what comes back first is there to be taken.
    for at_once in [true, false] {
        let mut house = House::with("rws-sicbo");
        let [won, lost] = rounds(&mut house);
        if at_once {
            void(&mut house, &[lost, won]);
        } else {
            void(&mut house, &[lost]);
            void(&mut house, &[won]);
        }
        assert_eq!((visit(&house), credit(&house), uncollected(&house)), (None, 0, 0), "at once: {at_once}");
    }
}

#[test]
fn d7_a_void_of_settled_rounds_gives_stakes_back_and_leaves_later_rounds_alone() {
    let mut house = House::with("rws-sicbo");
    let first = house.play(&["big=100.00"], "1-2-3");
    let second = house.play(&["small=10.00"], "1-2-3");
    house.play(&["small=5.00"], "1-2-3");
    assert_eq!(credit(&house), 1_000 - 100 + 10 + 5);
    let events = void(&mut house, &[first, second]);
    assert!(matches!(&events[0], Event::SettledRoundVoided { by: VoidBy::Ground(GroundId::DiceDamaged), .. }));
    assert_eq!(credit(&house), 1_000 + 5);
    let pit = house.floor.pit_view();
    assert_eq!((pit.tables[0].rounds, whole(pit.tables[0].turnover)), ((1, 2), 5), "a void round enters no figures");
    assert_eq!(house.floor.table_view(TABLE).unwrap().history.len(), 1);
}

#[test]
fn d7_a_decision_reaches_the_visit_it_is_about() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "1-2-3");
    let decide =
        |round, ruling| Body::Decide { table: TABLE, round, ruling, reason: "as seen".to_owned(), witness: None };
    let pay = Ruling::Pay { terminal: T0, amount: dollars(40) };
    house.staff(SHIFT_MANAGER, decide(Some(round), pay));
    assert_eq!(credit(&house), 940);
    house.staff(SHIFT_MANAGER, decide(Some(round), Ruling::TakeBack { terminal: T0, amount: dollars(15) }));
    assert_eq!((credit(&house), house.account(Account::Decisions)), (925, -25));
    // Who had no bets in the round is not concerned by it.
    let other = Ruling::Pay { terminal: T1, amount: dollars(1) };
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), decide(Some(round), other), Code::NotFound), "D7");
    leave(&mut house);
    house.cash_in(T0, dollars(30));
    house.staff(SHIFT_MANAGER, decide(Some(round), pay));
    house.staff(SHIFT_MANAGER, decide(Some(round), Ruling::TakeBack { terminal: T0, amount: dollars(15) }));
    assert_eq!(credit(&house), 30, "the next player's");
    assert_eq!((house.account(Account::CorrectionPayable), uncollected(&house)), (40, 15));
    // Nor is a terminal of another table.
    let settings = House::settings("rws-sicbo");
    house.add_table("rws-sicbo", settings);
    let elsewhere = Ruling::Pay { terminal: TerminalId(3), amount: dollars(1) };
    house.refused(Sender::Staff(SHIFT_MANAGER), decide(None, elsewhere), Code::NotFound);
}
