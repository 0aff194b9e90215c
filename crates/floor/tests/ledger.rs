//! Money: the identity of every terminal (S11), accounts that sum to zero, and what the house stands to lose.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use proptest::prelude::*;
use rulebook::{Cents, OutcomeIndex, SpotIndex};

/// Credit = (cash in + tickets in + attendant in + wins + bets returned) − (tickets out + attendant out + wagers)
/// ± corrections and decisions; what is being printed has not left yet.
fn identity(terminal: &Terminal) -> bool {
    let m = terminal.meters();
    let ins = [m.cash_in, m.tickets_in, m.attendant_in, m.wins, m.bets_returned];
    let outs = [m.tickets_out, m.attendant_out, m.wagers];
    let sum = |amounts: &[Cents]| amounts.iter().map(|amount| amount.get()).sum::<i64>();
    let either = m.corrections.get() + m.decisions.get();
    terminal.credit().get() + terminal.prepared().get() == sum(&ins) - sum(&outs) + either
}

#[test]
fn s11_the_credit_of_every_terminal_is_what_its_meters_say_after_every_event() {
    let mut house = House::with("rws-sicbo");
    let round = house.play(&["big=100.00"], "6-5-4");
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: T0, amount: dollars(5), witness: None });
    let (_, number) = house.cash_out(T1);
    house.ok(Sender::Terminal(T0), Body::TicketIn { terminal: T0, number });
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T2), Body::PrepareTicket { terminal: T2, number });
    let outcome = house.outcome(TABLE, "1-2-3");
    let (reason, witness) = ("misread".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason: reason.clone(), witness });
    let ruling = Ruling::Pay { terminal: T0, amount: dollars(7) };
    house.staff(
        SHIFT_MANAGER,
        Body::Decide { table: TABLE, round: None, ruling, reason: reason.clone(), witness: None },
    );
    let ruling = Ruling::TakeBack { terminal: T0, amount: dollars(2) };
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness: None });
    house.ok(Sender::Terminal(T2), Body::PrintFailed { ticket });
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(9), witness: None });
    house.open();
    house.bet(T0, &["big=40.00"]);
    house.staff(DEALER, Body::declare_ground(TABLE, rulebook::GroundId::DiceDamaged));
    // Replayed event by event, no identity is ever violated, and nothing is created or lost.
    let mut floor = Floor::new();
    for record in &house.log {
        for transfer in floor.apply_and_tell(record).unwrap() {
            assert!(transfer.amount.is_positive() && transfer.from != transfer.to, "{transfer:?}");
        }
        assert!(floor.terminals().iter().all(|terminal| identity(terminal) && terminal.meters_agree()));
        assert_eq!(floor.accounts().iter().map(|(_, balance)| balance.get()).sum::<i64>(), 0, "{record:?}");
    }
    let meters = house.floor.terminal(T0).unwrap().meters();
    assert_eq!((whole(meters.corrections), whole(meters.decisions)), (-200, 5));
    house.refused(Sender::System, Body::CheckMeters, Code::NothingToDo);
}

#[test]
fn a_correction_that_takes_and_a_decision_that_pays_are_told_apart_in_the_accounts() {
    let mut house = House::with("rws-sicbo");
    house.play(&["big=100.00"], "6-5-4");
    assert_eq!(house.account(Account::HouseWin(TABLE)), -100);
    let ruling = Ruling::Pay { terminal: T0, amount: dollars(7) };
    let reason = "goodwill".to_owned();
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: None, ruling, reason, witness: None });
    assert_eq!((house.account(Account::HouseWin(TABLE)), house.account(Account::Decisions)), (-100, -7));
    assert_eq!(house.account(Account::CashDrop(T0)), -1_000, "cash in the box");
    assert_eq!(house.account(Account::Credit(T0)), 1_107);
}

#[test]
fn a_locked_terminal_takes_no_money_and_no_bets_until_it_is_unlocked() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "spilled drink".to_owned() });
    let bet = house.bets(T0, &["big=10.00"]);
    for body in [bet, Body::ClearBets, Body::RepeatBets { doubled: false }] {
        house.refused(Sender::Terminal(T0), body, Code::TerminalUnavailable);
    }
    let attendant = Body::AttendantIn { terminal: T0, amount: dollars(1), witness: None };
    house.refused(Sender::Staff(SUPERVISOR), attendant, Code::TerminalUnavailable);
    // Its bets settle, and it can be paid out by hand.
    house.finish("6-5-4");
    assert_eq!(whole(house.credit(T0)), 1_010);
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(10), witness: None });
    house.refused(
        Sender::Staff(SUPERVISOR),
        Body::LockTerminal { terminal: T0, reason: "?".to_owned() },
        Code::NothingToDo,
    );
    house.staff(SUPERVISOR, Body::UnlockTerminal { terminal: T0 });
    house.refused(Sender::Staff(SUPERVISOR), Body::UnlockTerminal { terminal: T0 }, Code::NothingToDo);
    house.open();
    house.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: true });
    assert_eq!(whole(house.floor.terminal(T0).unwrap().staked()), 20);
}

// ---- exposure and liability

/// What all bets on the table would return on an outcome, worked out bet by bet.
fn returned(floor: &Floor, outcome: OutcomeIndex) -> i64 {
    let of = |terminal: &Terminal| {
        let pays = floor.layout_of(terminal).unwrap().table();
        let due = |stake: &Stake| pays.returned(stake.spot, outcome, stake.amount).unwrap().get();
        terminal.stakes().iter().map(due).sum::<i64>()
    };
    floor.terminals().iter().map(of).sum()
}

/// The most that any outcome costs the house.
fn worst(house: &House, floor: &Floor) -> i64 {
    let staked: i64 = floor.terminals().iter().map(|terminal| terminal.staked().get()).sum();
    house.rulebook(TABLE).outcomes().indices().map(|outcome| returned(floor, outcome)).max().unwrap() - staked
}

fn liability_of(dollars_at_most: i64) -> TableSettings {
    TableSettings { liability: Some(dollars(dollars_at_most)), ..House::settings("rws-sicbo") }
}

#[test]
fn a_bet_that_would_break_the_liability_limit_is_refused_also_when_it_only_moves() {
    let mut house = House::with_settings("rws-sicbo", liability_of(1_000));
    house.open();
    // A triple pays 195 to 1: five units cost 975 at most, six too much.
    house.bet(T0, &["triple/6=5.00"]);
    let more = house.bets(T0, &["triple/6=1.00"]);
    assert_eq!(house.refused(Sender::Terminal(T0), more.clone(), Code::Liability), "liability");
    // A stake elsewhere makes room on that outcome.
    house.bet(T1, &["small=200.00"]);
    house.ok(Sender::Terminal(T0), more);
    // Moving a bet costs no credit and can still be the one too many.
    house.bet(T2, &["single/1=100.00"]);
    let (from, to) = (house.spot(T2, "single/1"), house.spot(T2, "triple/6"));
    let amount = dollars(10);
    let moved =
        Body::Bet { changes: [BetChange::Take { spot: from, amount }, BetChange::Add { spot: to, amount }].into() };
    house.refused(Sender::Terminal(T2), moved, Code::Liability);
    // Withdrawing is never refused, even if it leaves the house worse off.
    house.ok(Sender::Terminal(T1), Body::ClearBets);
    assert!(worst(&house, &house.floor) > 100_000);
}

fn anything() -> impl Strategy<Value = Vec<(u32, bool, usize, i64)>> {
    let change = (0_u32..4, prop::bool::weighted(0.7), 0_usize..104, 1_i64..=40);
    prop::collection::vec(change, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Terminals of different layouts share a table; its exposure is kept bet by bet and is what brute force says.
    #[test]
    fn exposure_and_liability_are_what_brute_force_says(commands in anything(), limit in 50_i64..3_000) {
        let mut house = House::with_settings("rws-sicbo", liability_of(limit));
        let wide = house.enrol(TABLE, "standard", "b");
        house.cash_in(wide, dollars(1_000));
        house.open();
        for (terminal, adds, spot, amount) in commands {
            let terminal = TerminalId(terminal);
            let layout = house.floor.layout_of(house.floor.terminal(terminal).unwrap()).unwrap().table();
            let spots: Vec<SpotIndex> = layout.indices().collect();
            let (spot, amount) = (spots[spot % spots.len()], dollars(amount));
            let change = if adds { BetChange::Add { spot, amount } } else { BetChange::Take { spot, amount } };
            // What the worst outcome would cost with this bet.
            let with = |outcome| {
                returned(&house.floor, outcome) + layout.returned(spot, outcome, amount).unwrap().get() - amount.get()
            };
            let staked: i64 = house.floor.terminals().iter().map(|terminal| terminal.staked().get()).sum();
            let would = house.rulebook(TABLE).outcomes().indices().map(with).max().unwrap() - staked;
            match house.send(Sender::Terminal(terminal), Body::Bet { changes: [change].into() }) {
                Ok(_) => prop_assert!(!adds || would <= limit * 100, "{would} is more than {limit}"),
                Err(refusal) if refusal.code == Code::Liability => prop_assert!(adds && would > limit * 100),
                Err(_) => {}
            }
            let round = house.floor.table(TABLE).unwrap().round().unwrap();
            for outcome in house.rulebook(TABLE).outcomes().indices() {
                prop_assert_eq!(round.exposure().returned(outcome).get(), returned(&house.floor, outcome));
                prop_assert_eq!(house.floor.would_return(TABLE, outcome), Some(round.exposure().returned(outcome)));
            }
            prop_assert_eq!(round.exposure().worst().1.get(), worst(&house, &house.floor));
        }
    }
}
