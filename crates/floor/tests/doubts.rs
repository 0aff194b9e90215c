//! D25: a ticket in doubt is a player's money. It is shown everywhere, alerted after 30 seconds, resolved by the printer,
//! by its paper or by two people, and paid at most once in whatever order they report.

use crate::common::live::whole;
use crate::common::*;
use floor::*;

const TERMINAL: Sender = Sender::Terminal(T0);
const CAGE: Sender = Sender::Staff(CASHIER);

fn house() -> House {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(5_000));
    house
}

/// A ticket of 1,000.00 in doubt at the first terminal.
fn doubt(house: &mut House) -> (TicketId, TicketHash) {
    let (number, ticket) = (house.new_number(), house.floor.next_ticket());
    house.ok(TERMINAL, Body::PrepareTicket { terminal: T0, number });
    (ticket, number)
}

fn resolve(ticket: TicketId, finding: TicketFinding, witness: Option<StaffId>) -> Body {
    Body::ResolveTicket { ticket, finding, reason: "seen at the printer".to_owned(), witness }
}

fn redeem(number: TicketHash) -> Body {
    Body::RedeemTicket { number, amount: None, witness: None }
}

fn ticket_in(terminal: TerminalId, number: TicketHash) -> Body {
    Body::TicketIn { terminal, number }
}

fn state(house: &House, id: TicketId) -> TicketState {
    house.floor.tickets().find(|ticket| ticket.id() == id).expect("known").state()
}

#[test]
fn d25_the_amount_is_on_every_screen_until_the_printer_reports() {
    let mut house = house();
    let (ticket, _) = doubt(&mut house);
    let seen = |house: &House| {
        let terminal = house.floor.terminal_view(T0).unwrap().doubt.map(|doubt| (doubt.ticket, whole(doubt.amount)));
        let pit = house.floor.pit_view().doubts.len();
        let cage = house.floor.cage_view(CASHIER).doubts.len();
        (terminal, pit, cage)
    };
    assert_eq!(seen(&house), (Some((ticket, 1_000)), 1, 1));
    assert!(house.floor.terminal(T0).unwrap().visit().is_some(), "the visit goes on");
    // Wherever the terminal goes, the money stays in view; nothing moves it away.
    house.system(Body::TerminalLost { terminal: T0 });
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "printer".to_owned() });
    assert_eq!(seen(&house), (Some((ticket, 1_000)), 1, 1));
    let away = Body::MoveTerminal { terminal: T0, table: TABLE, kind: "standard".to_owned(), layout: "a".to_owned() };
    house.refused(Sender::Staff(ADMINISTRATOR), away, Code::CreditLeft);
    house.ok(TERMINAL, Body::TicketPrinted { ticket });
    assert_eq!(seen(&house), (None, 0, 0));
}

#[test]
fn d25_meanwhile_the_terminal_takes_no_money() {
    let mut house = house();
    let (_, other) = house.cash_out(T1);
    let (ticket, _) = doubt(&mut house);
    let attendant = Body::AttendantIn { terminal: T0, amount: dollars(1), witness: None };
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), attendant, Code::TicketState), "D25");
    assert_eq!(house.refused(TERMINAL, ticket_in(T0, other), Code::TicketState), "D25");
    house.ok(TERMINAL, Body::PrintFailed { ticket });
    house.ok(TERMINAL, ticket_in(T0, other));
}

#[test]
fn d25_a_printer_that_is_silent_for_thirty_seconds_is_alerted_once() {
    let mut house = house();
    let (ticket, _) = doubt(&mut house);
    house.later(29_999);
    house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
    assert_eq!(house.floor.next_deadline(), Some(house.at.after(1)));
    house.later(1);
    let events = house.system(Body::Elapse);
    let [Event::AlertRaised { alert, table: Some(TABLE), what: AlertKind::TicketInDoubt(of, amount) }] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((*of, whole(*amount)), (ticket, 1_000));
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert: *alert });
    house.later(60_000);
    house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
}

#[test]
fn d25_two_people_resolve_it_without_the_terminal() {
    for finding in [TicketFinding::InHand, TicketFinding::NotPrinted, TicketFinding::PaidByHand] {
        for (by, second) in [(SUPERVISOR, CASHIER), (CASHIER, SUPERVISOR), (CASHIER, SECOND_CASHIER)] {
            let mut house = house();
            let (ticket, number) = doubt(&mut house);
            house.system(Body::TerminalLost { terminal: T0 });
            for alone in [None, Some(by), Some(DEALER), Some(AUDITOR)] {
                house.refused(Sender::Staff(by), resolve(ticket, finding, alone), Code::SecondPerson);
            }
            house.refused(Sender::Staff(DEALER), resolve(ticket, finding, Some(CASHIER)), Code::Rank);
            house.staff(by, resolve(ticket, finding, Some(second)));
            let (credit, visit) = (whole(house.credit(T0)), house.floor.terminal(T0).unwrap().visit().is_some());
            match finding {
                TicketFinding::InHand => {
                    assert_eq!((credit, visit, state(&house, ticket)), (0, false, TicketState::Outstanding));
                    house.ok(CAGE, redeem(number));
                }
                TicketFinding::NotPrinted => {
                    assert_eq!((credit, visit, state(&house, ticket)), (1_000, true, TicketState::Void));
                    assert_eq!(house.refused(CAGE, redeem(number), Code::TicketVoid), "D25");
                }
                _ => {
                    assert_eq!((credit, visit, state(&house, ticket)), (0, false, TicketState::Void));
                    let paid = if by == CASHIER { -4_000 } else { -5_000 };
                    assert_eq!(house.account(Account::CageFloat(ShiftId(0))), paid, "{by}");
                    assert_eq!(house.refused(CAGE, redeem(number), Code::TicketVoid), "D25");
                }
            }
            // It cannot be resolved again, and the printer's report is too late.
            house.refused(Sender::Staff(by), resolve(ticket, finding, Some(second)), Code::TicketState);
            house.refused(TERMINAL, Body::PrintFailed { ticket }, Code::TicketState);
        }
    }
}

#[test]
fn d25_the_paper_resolves_it_at_the_cage_and_at_a_terminal() {
    let mut house = house();
    let (_, number) = doubt(&mut house);
    let events = house.ok(CAGE, redeem(number));
    assert!(matches!(
        events[..],
        [Event::TicketResolved { finding: TicketFinding::Presented, .. }, Event::TicketRedeemed { .. }]
    ));
    assert!(house.floor.terminal(T0).unwrap().visit().is_none());
    house.refused(CAGE, redeem(number), Code::TicketPaid);
    // At its own terminal, and at another one.
    for terminal in [T1, T2] {
        let (ticket, number) = (house.floor.next_ticket(), house.new_number());
        house.ok(Sender::Terminal(T1), Body::PrepareTicket { terminal: T1, number });
        house.ok(Sender::Terminal(terminal), ticket_in(terminal, number));
        assert_eq!(state(&house, ticket), TicketState::Paid);
        house.refused(CAGE, redeem(number), Code::TicketPaid);
        if terminal == T1 {
            assert_eq!(whole(house.credit(T1)), 1_000);
        }
    }
    assert_eq!(whole(house.credit(T2)), 2_000);
}

/// Every possible report about one ticket, in every order: it is paid at most once, and no cent is lost.
#[test]
fn d25_in_whatever_order_they_report_it_is_paid_at_most_once() {
    let reports = |ticket, number| {
        [
            (TERMINAL, Body::TicketPrinted { ticket }),
            (TERMINAL, Body::PrintFailed { ticket }),
            (Sender::Staff(SUPERVISOR), resolve(ticket, TicketFinding::InHand, Some(CASHIER))),
            (Sender::Staff(SUPERVISOR), resolve(ticket, TicketFinding::NotPrinted, Some(CASHIER))),
            (CAGE, resolve(ticket, TicketFinding::PaidByHand, Some(SUPERVISOR))),
            (CAGE, redeem(number)),
            (Sender::Terminal(T1), ticket_in(T1, number)),
        ]
    };
    let worth = |house: &House| {
        let of =
            |account| house.floor.accounts().iter().find(|(known, _)| *known == account).map_or(0, |(_, b)| b.get());
        let player = of(Account::Credit(T0)) + of(Account::Credit(T1)) + of(Account::TicketsPrepared(T0));
        let paid = 500_000 + of(Account::CageFloat(ShiftId(0))) + of(Account::Attendant);
        player + of(Account::TicketsOutstanding) + paid
    };
    for first in 0..7 {
        for second in 0..7 {
            for third in 0..7 {
                let mut house = house();
                let (ticket, number) = doubt(&mut house);
                let before = worth(&house);
                for place in [first, second, third] {
                    let (sender, body) = reports(ticket, number)[place].clone();
                    let _ = house.send(sender, body);
                    assert_eq!(worth(&house), before, "orders {first} {second} {third}: not a cent more or less");
                }
            }
        }
    }
}

#[test]
fn d25_a_late_printer_says_that_a_void_number_is_on_paper() {
    let mut house = house();
    let (ticket, _) = doubt(&mut house);
    house.staff(SUPERVISOR, resolve(ticket, TicketFinding::NotPrinted, Some(CASHIER)));
    let events = house.ok(TERMINAL, Body::TicketPrinted { ticket });
    assert!(matches!(events[..], [Event::AlertRaised { what: AlertKind::VoidTicket(_), .. }]));
    house.refused(TERMINAL, Body::TicketPrinted { ticket }, Code::TicketState);
}

#[test]
fn d27_a_reprint_voids_the_old_number_and_is_in_doubt_until_it_is_printed() {
    let mut house = house();
    let (ticket, old) = house.cash_out(T0);
    let number = house.new_number();
    let reprint = |ticket, number, reason: &str, witness| Body::ReprintTicket {
        ticket,
        number: Some(number),
        reason: reason.to_owned(),
        witness,
    };
    house.refused(CAGE, reprint(ticket, number, "torn", None), Code::SecondPerson);
    house.refused(CAGE, reprint(ticket, number, " ", Some(SUPERVISOR)), Code::Text);
    let duplicate = house.floor.next_ticket();
    house.ok(CAGE, reprint(ticket, number, "torn", Some(SUPERVISOR)));
    assert_eq!(house.refused(CAGE, redeem(old), Code::TicketVoid), "D25");
    let doubts: Vec<Doubt> = house.floor.doubts().collect();
    assert_eq!((doubts.len(), doubts[0].ticket, doubts[0].duplicate), (1, duplicate, true));
    assert_eq!(house.floor.terminal_view(T0).unwrap().doubt, None, "the terminal has nothing to do with it");
    // Only the person who asked for it reports the print. A second one replaces the first.
    house.refused(TERMINAL, Body::TicketPrinted { ticket: duplicate }, Code::NotForSender);
    house.refused(Sender::Staff(SUPERVISOR), Body::TicketPrinted { ticket: duplicate }, Code::NotForSender);
    let again = house.new_number();
    let third = house.floor.next_ticket();
    house.ok(CAGE, reprint(duplicate, again, "the printer tore it", Some(SUPERVISOR)));
    assert_eq!(house.refused(CAGE, redeem(number), Code::TicketVoid), "D25");
    house.refused(CAGE, resolve(third, TicketFinding::NotPrinted, Some(SUPERVISOR)), Code::TicketState);
    house.ok(CAGE, Body::TicketPrinted { ticket: third });
    house.ok(CAGE, Body::RedeemTicket { number: again, amount: None, witness: Some(SUPERVISOR) });
    assert_eq!((whole(house.drawer(CASHIER)), house.account(Account::TicketsOutstanding)), (4_000, 0));
    // Or it is paid by hand.
    let (ticket, _) = house.cash_out(T1);
    let number = house.new_number();
    let duplicate = house.floor.next_ticket();
    house.ok(CAGE, reprint(ticket, number, "torn", Some(SUPERVISOR)));
    house.ok(CAGE, resolve(duplicate, TicketFinding::PaidByHand, Some(SUPERVISOR)));
    house.refused(CAGE, redeem(number), Code::TicketVoid);
    assert_eq!((whole(house.drawer(CASHIER)), house.account(Account::TicketsOutstanding)), (3_000, 0));
}

#[test]
fn d25_a_ticket_that_is_sold_is_in_doubt_until_the_counter_has_printed_it() {
    let mut house = house();
    let sell = |house: &mut House| {
        let (number, ticket) = (house.new_number(), house.floor.next_ticket());
        house.ok(CAGE, Body::SellTicket { amount: dollars(100), number, witness: None });
        (ticket, number)
    };
    let outstanding = |house: &House| house.account(Account::TicketsOutstanding);
    let (ticket, number) = sell(&mut house);
    assert_eq!((state(&house, ticket), outstanding(&house)), (TicketState::Prepared, 100));
    assert_eq!((house.floor.pit_view().doubts.len(), house.floor.cage_view(CASHIER).doubts.len()), (1, 1));
    house.later(30_000);
    house.system(Body::Elapse);
    let alerted = |alert: &Alert| matches!(alert.what(), AlertKind::TicketInDoubt(id, _) if *id == ticket);
    assert!(house.floor.alerts().any(alerted), "the pit is alerted");
    house.refused(TERMINAL, Body::TicketPrinted { ticket }, Code::NotForSender);
    house.refused(CAGE, Body::PrintFailed { ticket }, Code::TicketState);
    house.ok(CAGE, Body::TicketPrinted { ticket });
    house.ok(CAGE, Body::RedeemTicket { number, amount: None, witness: Some(SUPERVISOR) });
    // The paper itself resolves the doubt.
    let (_, number) = sell(&mut house);
    house.ok(Sender::Terminal(T1), ticket_in(T1, number));
    // Nothing came out: another one is printed, or the player gets the money back; two people sign.
    let (ticket, number) = sell(&mut house);
    house.refused(CAGE, resolve(ticket, TicketFinding::PaidByHand, None), Code::SecondPerson);
    house.refused(CAGE, resolve(ticket, TicketFinding::NotPrinted, Some(SUPERVISOR)), Code::TicketState);
    house.ok(CAGE, resolve(ticket, TicketFinding::PaidByHand, Some(SUPERVISOR)));
    house.refused(CAGE, redeem(number), Code::TicketVoid);
    assert_eq!((whole(house.drawer(CASHIER)), outstanding(&house)), (5_100, 0));
    // With the cage dead, the pit does it.
    let (ticket, _) = sell(&mut house);
    let pit = Sender::Staff(SUPERVISOR);
    house.ok(pit, resolve(ticket, TicketFinding::PaidByHand, Some(SECOND_SUPERVISOR)));
    assert_eq!((whole(house.drawer(CASHIER)), outstanding(&house)), (5_200, 0));
}

#[test]
fn s16_wrong_numbers_are_counted_alerted_and_slowed() {
    let mut house = house();
    let (_, number) = house.cash_out(T0);
    for place in [TicketPlace::Staff(CASHIER), TicketPlace::Terminal(T1)] {
        let try_it = |house: &mut House| match place {
            TicketPlace::Staff(_) => house.send(CAGE, redeem(number)),
            TicketPlace::Terminal(terminal) => house.send(Sender::Terminal(terminal), ticket_in(terminal, number)),
        };
        house.refused(CAGE, Body::WrongTicket { at: place, mistyped: false }, Code::NotForSender);
        for tried in 1..=bounds::WRONG_TICKETS {
            let events = house.system(Body::WrongTicket { at: place, mistyped: false });
            let alerted = matches!(events[..], [_, Event::AlertRaised { what: AlertKind::WrongTickets(_), .. }]);
            assert_eq!(alerted, tried == bounds::WRONG_TICKETS);
        }
        let refused = try_it(&mut house).unwrap_err();
        assert_eq!(refused.code, Code::WrongTickets, "{refused}");
        house.later(bounds::WRONG_TICKETS_FOR);
        if place == TicketPlace::Terminal(T1) {
            house.ok(Sender::Terminal(T1), ticket_in(T1, number));
        }
    }
}

#[test]
fn s16_mistyped_numbers_stop_a_cashier_later_and_a_pit_supervisor_lifts_the_stop() {
    let mut house = house();
    let (_, number) = house.cash_out(T0);
    let at = TicketPlace::Staff(CASHIER);
    let lift = Body::LiftWrongTickets { at };
    house.refused(Sender::Staff(SUPERVISOR), lift.clone(), Code::NothingToDo);
    for _ in 0..bounds::WRONG_TICKETS {
        house.system(Body::WrongTicket { at, mistyped: true });
    }
    assert!(house.floor.may(CAGE, &redeem(number), house.at).is_ok(), "a slip of the finger is no guess");
    for _ in bounds::WRONG_TICKETS..bounds::MISTYPED {
        house.system(Body::WrongTicket { at, mistyped: true });
    }
    assert_eq!(house.refused(CAGE, redeem(number), Code::WrongTickets), "S16");
    for other in [CASHIER, SECOND_CASHIER, DEALER, ADMINISTRATOR] {
        house.refused(Sender::Staff(other), lift.clone(), Code::Rank);
    }
    let events = house.staff(SUPERVISOR, lift);
    assert_eq!(events, [Event::WrongTicketsLifted { at, by: SUPERVISOR }]);
    house.ok(CAGE, redeem(number));
}

#[test]
fn s16_check_digits_tell_a_mistyped_number_from_an_unknown_one() {
    for id in 0..200 {
        let number = TicketNumber::drawn("test", House::scattered(id));
        assert!(number.checks());
        let text = number.to_string();
        for place in 0..18 {
            // One wrong digit, and two neighbours exchanged.
            let mut wrong: Vec<u8> = text.bytes().collect();
            wrong[place] = b'0' + (wrong[place] - b'0' + 1 + (id % 9) as u8) % 10;
            let typed = TicketNumber::parse(std::str::from_utf8(&wrong).unwrap()).unwrap();
            assert!(typed == number || !typed.checks(), "{text} place {place}");
            let mut swapped: Vec<u8> = text.bytes().collect();
            if place < 17 {
                swapped.swap(place, place + 1);
                let typed = TicketNumber::parse(std::str::from_utf8(&swapped).unwrap()).unwrap();
                assert!(typed == number || !typed.checks(), "{text} places {place} and {}", place + 1);
            }
        }
    }
}

#[test]
fn s17_the_terminal_says_what_became_of_its_last_ticket() {
    let became =
        |house: &House| house.floor.terminal_view(T0).unwrap().last_ticket.map(|last| (last.ticket, last.became));
    type Way = fn(TicketId, TicketHash) -> Body;
    let ways: [(Sender, Way, TicketBecame); 7] = [
        (TERMINAL, |ticket, _| Body::TicketPrinted { ticket }, TicketBecame::OnPaper),
        (CAGE, |_, number| redeem(number), TicketBecame::OnPaper),
        (Sender::Terminal(T1), |_, number| ticket_in(T1, number), TicketBecame::OnPaper),
        (CAGE, |ticket, _| resolve(ticket, TicketFinding::InHand, Some(SUPERVISOR)), TicketBecame::OnPaper),
        (TERMINAL, |ticket, _| Body::PrintFailed { ticket }, TicketBecame::Returned),
        (CAGE, |ticket, _| resolve(ticket, TicketFinding::NotPrinted, Some(SUPERVISOR)), TicketBecame::Returned),
        (CAGE, |ticket, _| resolve(ticket, TicketFinding::PaidByHand, Some(SUPERVISOR)), TicketBecame::PaidByHand),
    ];
    for (sender, way, expected) in ways {
        let mut house = house();
        // Bets win while the ticket is in doubt: the credit says nothing of what becomes of it.
        house.open();
        house.bet(T0, &["big=500.00"]);
        let (ticket, number) = doubt(&mut house);
        house.finish("4-5-6");
        assert_eq!((whole(house.credit(T0)), became(&house)), (1_000, None));
        house.ok(sender, way(ticket, number));
        assert_eq!(became(&house), Some((ticket, expected)), "{sender:?}");
        house.replays();
        // The next one replaces it as soon as its own doubt is over, and not before.
        let (next, _) = doubt(&mut house);
        assert_eq!(became(&house), Some((ticket, expected)));
        house.ok(TERMINAL, Body::TicketPrinted { ticket: next });
        assert_eq!(became(&house), Some((next, TicketBecame::OnPaper)));
    }
}
