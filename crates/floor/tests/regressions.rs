//! Defects that were found, each with the test that would have.

use crate::common::*;
use floor::*;
use rulebook::GroundId;

#[test]
fn d12_a_terminal_counted_as_lost_has_acknowledged_nothing() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let round = house.round();
    house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
    house.system(Body::TerminalLost { terminal: T1 });
    house.later(2_000);
    house.system(Body::Elapse);
    let seen = |house: &House, id| {
        let terminal = house.floor.terminal(id).unwrap();
        (terminal.acknowledged() == Some(round), terminal.lost_in() == Some(round))
    };
    assert_eq!(seen(&house, T0), (true, false));
    assert_eq!(seen(&house, T1), (false, true), "its link was lost");
    assert_eq!(seen(&house, T2), (false, true), "it was silent");
    // Back in the same round it has still not acknowledged that close.
    house.system(Body::TerminalBack { terminal: T1 });
    assert_eq!(seen(&house, T1), (false, true));
}

#[test]
fn a_payable_without_a_round_is_paid_on_no_rounds_evidence() {
    let mut house = House::with("rws-sicbo");
    house.cash_out(T0);
    let ruling = Ruling::Pay { terminal: T0, amount: dollars(50) };
    let (reason, witness) = ("a lost coat".to_owned(), None);
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: None, ruling, reason, witness });
    house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: None });
    let payable = house.floor.payables().next().unwrap().id();
    let pay = |round| Body::PayCorrection { payable, round, witness: None };
    assert_eq!(house.refused(Sender::Staff(CASHIER), pay(Some(RoundId(0))), Code::NotFound), "D7");
    house.staff(CASHIER, pay(None));
    // And one with a round is not paid without it.
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=10.00"], "1-2-4");
    house.cash_out(T0);
    let outcome = house.outcome(TABLE, "6-5-4");
    let (reason, witness) = ("camera".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
    house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: None });
    let payable = house.floor.payables().next().unwrap().id();
    let pay = |round| Body::PayCorrection { payable, round, witness: None };
    house.refused(Sender::Staff(CASHIER), pay(None), Code::NotFound);
    house.staff(CASHIER, pay(Some(round)));
}

#[test]
fn s2_why_a_round_is_void_stays_with_it() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.staff(DEALER, Body::declare_ground(TABLE, GroundId::DiceDamaged));
    let last = |house: &House| house.floor.table(TABLE).unwrap().archive().last().unwrap().voided();
    assert_eq!(last(&house), Some(VoidBy::Ground(GroundId::DiceDamaged)));
    let round = house.play(&["big=10.00"], "6-5-4");
    assert_eq!(last(&house), None);
    let (reason, witness) = ("light".to_owned(), Some(SECOND_SHIFT_MANAGER));
    house.staff(
        SHIFT_MANAGER,
        Body::Decide { table: TABLE, round: Some(round), ruling: Ruling::VoidRound, reason, witness },
    );
    assert_eq!(last(&house), Some(VoidBy::Decision));
    // After a restart it is the same, from the records and from a snapshot.
    house.replays();
    let read = Floor::from_bytes(&house.floor.to_bytes()).unwrap();
    let why: Vec<_> = read.table(TABLE).unwrap().archive().map(ArchivedRound::voided).collect();
    assert_eq!(why, [Some(VoidBy::Ground(GroundId::DiceDamaged)), Some(VoidBy::Decision)]);
}
