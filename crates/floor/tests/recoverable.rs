//! Every cent can be returned: for each part that may be dead and each place where a player's money may be, staff return
//! all of it with the parts that still work (docs/money.md).

use crate::common::live::whole;
use crate::common::*;
use floor::*;

/// What is dead.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Dead {
    Terminal,
    Printer,
    Validator,
    Console,
    Device,
    Cage,
    Host,
}

/// Where the player's 1,000.00 are.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Place {
    Credit,
    Bets,
    Doubt,
    InHand,
    Payable,
}

const WITNESS: Option<StaffId> = Some(SECOND_SUPERVISOR);

/// What the player has in hand at the end: cash by hand and cash of the cage.
fn paid(house: &House) -> i64 {
    let of = |wanted: fn(&Account) -> bool| -> i64 {
        house.floor.accounts().iter().filter(|(account, _)| wanted(account)).map(|(_, balance)| balance.get()).sum()
    };
    let drawer = of(|account| matches!(account, Account::CageFloat(_)));
    (of(|account| *account == Account::Attendant) + drawer) / 100
}

fn hand_pay(house: &mut House, terminal: TerminalId) {
    let amount = house.credit(terminal);
    house.staff(SUPERVISOR, Body::AttendantPay { terminal, amount, witness: WITNESS });
}

/// The round that the player's bets are in comes to an end that gives everything back.
fn end_round(house: &mut House, dead: Dead, round: RoundId) {
    match dead {
        // Nobody can deal: the Shift Manager decides, with a second person.
        Dead::Console | Dead::Device => {
            let (ruling, reason, witness) = (Ruling::VoidRound, "the table is down".to_owned(), Some(MANAGER));
            house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness });
        }
        Dead::Host => {
            house.system(Body::ReportStoppage { from: house.at, terminals_back: false });
            house.later(60_000);
            if house
                .floor
                .may(
                    Sender::Staff(DEALER),
                    &Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness: Some(SUPERVISOR) },
                    house.at,
                )
                .is_ok()
            {
                let (finding, witness) = (Finding::NotEstablished, Some(SUPERVISOR));
                house.staff(DEALER, Body::Attest { table: TABLE, finding, witness });
            } else {
                end_round(house, Dead::Console, round);
            }
        }
        _ => drop(house.staff(DEALER, Body::declare_ground(TABLE, rulebook::GroundId::DiceDamaged))),
    }
}

/// One cell of the table: the player's 1,000.00 at the first terminal come back as cash.
fn recover(dead: Dead, place: Place) {
    let mut house = House::with("rws-sicbo");
    if dead != Dead::Cage {
        house.open_shift(CASHIER, dollars(5_000));
    }
    let before = paid(&house);
    let (mut ticket, mut number, mut round) = (TicketId(0), TicketHash([0; 16]), None);
    match place {
        Place::Credit => {}
        Place::Bets => {
            round = Some(house.open());
            house.bet(T0, &["big=1000.00"]);
        }
        Place::Doubt => {
            (number, ticket) = (house.new_number(), house.floor.next_ticket());
            house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
        }
        Place::InHand => (_, number) = house.cash_out(T0),
        Place::Payable => {
            // 100.00 lost by a wrong result, and the player has left with the rest.
            let played = house.play(&["big=1000.00"], "1-2-3");
            let (outcome, reason) = (house.outcome(TABLE, "6-5-4"), "misread".to_owned());
            let witness = WITNESS;
            house.staff(SUPERVISOR, Body::CorrectResult { round: played, outcome, reason, witness });
            round = Some(played);
        }
    }
    if matches!(dead, Dead::Terminal | Dead::Host) {
        house.system(Body::TerminalLost { terminal: T0 });
    }
    let mut due = 1_000;
    match place {
        Place::Credit => hand_pay(&mut house, T0),
        Place::Bets => {
            end_round(&mut house, dead, round.expect("a round"));
            hand_pay(&mut house, T0);
        }
        Place::Doubt => {
            let finding = TicketFinding::PaidByHand;
            let body = Body::ResolveTicket { ticket, finding, reason: "no paper came".to_owned(), witness: WITNESS };
            house.staff(SUPERVISOR, body);
        }
        Place::InHand if dead == Dead::Cage => {
            house.ok(Sender::Terminal(T1), Body::TicketIn { terminal: T1, number });
            house.staff(SUPERVISOR, Body::AttendantPay { terminal: T1, amount: dollars(1_000), witness: WITNESS });
        }
        Place::InHand => drop(house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None })),
        Place::Payable => {
            due = 2_000;
            let payable = house.floor.payables().next().expect("something to pay").id();
            // The cage is dead: two people of the pit pay by hand, and it is paid once.
            if dead == Dead::Cage {
                house.staff(SUPERVISOR, Body::PayByHand { payable, round, witness: WITNESS });
                house.open_shift(SECOND_CASHIER, dollars(5_000));
                let again = Body::PayCorrection { payable, round, witness: Some(SUPERVISOR) };
                house.refused(Sender::Staff(SECOND_CASHIER), again, Code::NotFound);
                due -= 5_000;
            } else {
                house.staff(CASHIER, Body::PayCorrection { payable, round, witness: Some(SUPERVISOR) });
            }
        }
    }
    assert_eq!(paid(&house) - before, due, "{dead:?} × {place:?}");
    let terminal = house.floor.terminal(T0).unwrap();
    assert_eq!((whole(terminal.credit()), whole(terminal.prepared()), terminal.visit()), (0, 0, None));
}

#[test]
fn every_cent_is_recoverable() {
    use Dead::*;
    for dead in [Terminal, Printer, Validator, Console, Device, Cage, Host] {
        for place in [Place::Credit, Place::Bets, Place::Doubt, Place::InHand, Place::Payable] {
            recover(dead, place);
        }
    }
}

#[test]
fn moving_or_locking_a_terminal_hides_no_money() {
    let mut house = House::with("rws-sicbo");
    let away = Body::MoveTerminal { terminal: T0, table: TABLE, kind: "standard".to_owned(), layout: "a".to_owned() };
    house.refused(Sender::Staff(ADMINISTRATOR), away.clone(), Code::CreditLeft);
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "smoke".to_owned() });
    assert_eq!(whole(house.floor.terminal_view(T0).unwrap().credit), 1_000);
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(1_000), witness: WITNESS });
    house.staff(ADMINISTRATOR, away);
}

#[test]
fn chips_on_a_live_layout_are_recoverable() {
    for dead in [Dead::Console, Dead::Device, Dead::Host] {
        let mut house = House::live();
        let before = house.chips_out();
        let round = house.open();
        house.place(&[(1, "small", 100), (2, "big", 50)]);
        match dead {
            Dead::Host => {
                house.stoppage(60_000);
                house.attest(Finding::NotEstablished);
            }
            // The dealer affirms what the device does not report, and the round is played to its end.
            Dead::Device => {
                house.out_of_service(Function::Device);
                house.close();
                let outcome = house.outcome(TABLE, "1-2-4");
                let affirmed = rulebook::Point::ALL.to_vec();
                house.staff(DEALER, Body::EnterResult { table: TABLE, outcome, affirmed, witness: None, reason: None });
                house.staff(DEALER, Body::confirm_result(TABLE));
                assert_eq!(house.chips_out() - before, 50, "100.00 won, 50.00 lost");
                continue;
            }
            _ => {
                let (ruling, reason, witness) = (Ruling::VoidRound, "the console is dark".to_owned(), Some(MANAGER));
                house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness });
            }
        }
        assert!(house.floor.table(TABLE).unwrap().round().is_none(), "{dead:?}");
        assert_eq!(house.chips_out(), before, "{dead:?}: all chips go back to their players");
    }
}
