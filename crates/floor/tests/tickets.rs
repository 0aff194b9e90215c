//! Tickets and the cage: printed in two steps, redeemed exactly once, told apart when they cannot be (S13, S15–S17).

use std::collections::BTreeSet;

use crate::common::live::whole;
use crate::common::*;
use floor::*;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn ticket_in(terminal: TerminalId, number: TicketHash) -> Body {
    Body::TicketIn { terminal, number }
}

fn redeem(number: TicketHash) -> Body {
    Body::RedeemTicket { number, amount: None, witness: None }
}

fn ticket(house: &House, id: TicketId) -> Ticket {
    house.floor.tickets().find(|ticket| ticket.id() == id).expect("known").clone()
}

/// A house with an open shift at the cage.
fn house() -> House {
    let mut house = House::with("rws-sicbo");
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    house
}

#[test]
fn s17_credit_leaves_the_meter_only_when_the_ticket_was_printed() {
    let mut house = house();
    let (number, id) = (house.new_number(), house.floor.next_ticket());
    let terminal = Sender::Terminal(T0);
    house.ok(terminal, Body::PrepareTicket { terminal: T0, number });
    let view = house.floor.terminal_view(T0).unwrap();
    assert_eq!((whole(view.credit), whole(view.printing)), (0, 1_000), "put aside, and neither here nor there");
    let meters = house.floor.terminal(T0).unwrap().meters().clone();
    assert_eq!((whole(meters.tickets_out), meters.credit().map(whole)), (0, Some(1_000)));
    // It cannot be bet or printed twice, and no money comes in beside it.
    house.open();
    let bet = house.bets(T0, &["big=1.00"]);
    house.refused(terminal, bet, Code::Credit);
    let again = house.new_number();
    assert_eq!(house.refused(terminal, Body::PrepareTicket { terminal: T0, number: again }, Code::TicketState), "S17");
    house.ok(terminal, Body::TicketPrinted { ticket: id });
    let meters = house.floor.terminal(T0).unwrap().meters().clone();
    assert_eq!((whole(meters.tickets_out), meters.credit().map(whole)), (1_000, Some(0)));
    assert_eq!(ticket(&house, id).state(), TicketState::Outstanding);
    house.refused(terminal, Body::TicketPrinted { ticket: id }, Code::TicketState);
    house.refused(terminal, Body::PrintFailed { ticket: id }, Code::TicketState);
}

#[test]
fn s17_a_failed_print_loses_nothing() {
    let mut house = house();
    let (number, id) = (house.new_number(), house.floor.next_ticket());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    house.refused(Sender::Terminal(T1), Body::PrintFailed { ticket: id }, Code::NotForSender);
    house.refused(Sender::Staff(CASINO_MANAGER), Body::TicketPrinted { ticket: id }, Code::NotForSender);
    // The host may say so for a terminal that is gone.
    house.system(Body::TerminalLost { terminal: T0 });
    house.system(Body::PrintFailed { ticket: id });
    let view = house.floor.terminal_view(T0).unwrap();
    assert_eq!((whole(view.credit), whole(view.printing)), (1_000, 0));
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketVoid), "D25");
    house.system(Body::TerminalBack { terminal: T0 });
    house.cash_out(T0);
    assert_eq!(whole(house.credit(T0)), 0);
}

#[test]
fn s17_bets_stand_where_they_are_while_the_credit_goes_onto_a_ticket() {
    let mut house = house();
    house.open();
    house.bet(T0, &["big=100.00"]);
    let (id, _) = house.cash_out(T0);
    assert_eq!(whole(ticket(&house, id).amount()), 900);
    house.finish("6-5-4");
    assert_eq!(whole(house.credit(T0)), 200);
}

#[test]
fn s16_a_ticket_is_redeemed_exactly_once_at_any_terminal_or_at_the_cage() {
    let mut house = house();
    let (_, number) = house.cash_out(T0);
    house.ok(Sender::Terminal(T1), ticket_in(T1, number));
    assert_eq!(whole(house.credit(T1)), 2_000);
    for _ in 0..2 {
        assert_eq!(house.refused(Sender::Terminal(T1), ticket_in(T1, number), Code::TicketPaid), "S16");
        assert_eq!(house.refused(Sender::Terminal(T2), ticket_in(T2, number), Code::TicketPaid), "S16");
        assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketPaid), "S16");
    }
    let (_, number) = house.cash_out(T1);
    house.staff(CASHIER, redeem(number));
    assert_eq!(whole(house.drawer(CASHIER)), 3_000);
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketPaid), "S16");
    assert_eq!(house.refused(Sender::Terminal(T0), ticket_in(T0, number), Code::TicketPaid), "S16");
    // Only at the terminal itself, and not at one that is locked.
    let (_, number) = house.cash_out(T2);
    house.refused(Sender::Terminal(T1), ticket_in(T0, number), Code::NotForSender);
    house.refused(Sender::Staff(CASHIER), ticket_in(T0, number), Code::NotForSender);
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T0, reason: "spilled drink".to_owned() });
    house.refused(Sender::Terminal(T0), ticket_in(T0, number), Code::TerminalUnavailable);
}

#[test]
fn s16_redeeming_tells_apart_unknown_paid_expired_and_a_different_amount() {
    let mut house = house();
    let unknown = house.new_number();
    let (id, number) = house.cash_out(T0);
    let with = |amount| Body::RedeemTicket { number, amount: Some(amount), witness: None };
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(unknown), Code::TicketUnknown), "S16");
    assert_eq!(house.refused(Sender::Staff(CASHIER), with(dollars(999)), Code::TicketDiffers), "S16");
    // Expired the moment it is due, also before the deadline has become an event.
    house.later(30 * DAY);
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketExpired), "S16");
    assert_eq!(house.refused(Sender::Terminal(T1), ticket_in(T1, number), Code::TicketExpired), "S16");
    let events = house.system(Body::Elapse);
    assert!(matches!(events[..], [Event::TicketExpired { ticket }, Event::DayBegan { .. }] if ticket == id));
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketExpired), "S16");
    assert_eq!((house.account(Account::TicketsOutstanding), house.account(Account::TicketsExpired)), (0, 1_000));
    let (_, number) = house.cash_out(T1);
    house.staff(CASHIER, Body::RedeemTicket { number, amount: Some(dollars(1_000)), witness: None });
    assert_eq!(house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketPaid), "S16");
}

#[test]
fn s15_a_number_has_18_digits_and_comes_from_random_bits_alone() {
    let key = House::key();
    let numbers: Vec<TicketNumber> = (0..1_000).map(|id| TicketNumber::drawn("test", House::scattered(id))).collect();
    let texts: Vec<String> = numbers.iter().map(TicketNumber::to_string).collect();
    assert!(texts.iter().all(|number| number.len() == 18 && number.bytes().all(|b| b.is_ascii_digit())));
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), 1_000);
    // The first four name the floor; every other digit takes every value.
    let code = format!("{:04}", TicketNumber::floor_code("test"));
    assert!(texts.iter().all(|number| number.starts_with(&code)));
    assert!(numbers.iter().all(|number| number.issued_by() == TicketNumber::floor_code("test")));
    for place in 4..18 {
        let seen: BTreeSet<u8> = texts.iter().map(|number| number.as_bytes()[place]).collect();
        assert_eq!(seen.len(), 10, "digit {place}");
    }
    assert!(TicketNumber::drawn("other", 7) != TicketNumber::drawn("test", 7), "another floor, another number");
    // What the log keeps is another thing for every number and every key.
    let hashes: BTreeSet<TicketHash> = numbers.iter().map(|number| number.hash(&key)).collect();
    assert_eq!(hashes.len(), 1_000);
    assert_ne!(numbers[7].hash(&key), numbers[7].hash(&TicketKey::new([8; 32])));
    // Read back as it is printed, in groups or not.
    let number = numbers[7];
    let text = number.to_string();
    let grouped = format!("{}-{} {}", &text[..6], &text[6..12], &text[12..]);
    assert!(TicketNumber::parse(&text) == Some(number) && TicketNumber::parse(&grouped) == Some(number));
    for wrong in
        ["", "12345678901234567", "1234567890123456789", "12345678901234567a", "１２３４５６７８９０１２３４５６７８"]
    {
        assert!(TicketNumber::parse(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn s13_the_number_of_a_ticket_stands_neither_in_the_log_nor_in_the_state() {
    let mut house = house();
    let key = House::key();
    let mut numbers = Vec::new();
    for id in 0..3_u64 {
        let number = TicketNumber::drawn("test", House::scattered(1_000 + id));
        let hash = number.hash(&key);
        match id {
            0 => drop(house.staff(CASHIER, Body::SellTicket { amount: dollars(20), number: hash, witness: None })),
            _ => {
                let (terminal, ticket) = (TerminalId(u32::try_from(id).unwrap()), house.floor.next_ticket());
                house.ok(Sender::Terminal(terminal), Body::PrepareTicket { terminal, number: hash });
                house.ok(Sender::Terminal(terminal), Body::TicketPrinted { ticket });
            }
        }
        numbers.push(number);
    }
    let duplicate = TicketNumber::drawn("test", House::scattered(1_003));
    let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
    let number = Some(duplicate.hash(&key));
    house.staff(CASHIER, Body::ReprintTicket { ticket: TicketId(1), number, reason, witness });
    numbers.push(duplicate);
    let mut bytes: Vec<u8> = house.log.iter().flat_map(|record| postcard::to_allocvec(record).unwrap()).collect();
    bytes.extend(house.floor.to_bytes());
    bytes.extend(format!("{:?} {:?} {:?}", house.log, house.floor, key).into_bytes());
    for number in numbers {
        let text = number.to_string();
        let value: u64 = text.parse().unwrap();
        let absent = |needle: &[u8]| !bytes.windows(needle.len()).any(|window| window == needle);
        assert!(absent(text.as_bytes()), "as digits");
        assert!(absent(&value.to_le_bytes()) && absent(&value.to_be_bytes()), "as a number");
        assert!(absent(&postcard::to_allocvec(&value).unwrap()), "as the log would write a number");
        assert!(!format!("{number:?}").contains(&text), "nor when somebody prints it for debugging");
    }
    // The hash is there, and is not the number's without the key.
    let other = TicketKey::new([9; 32]);
    let ticket = house.floor.tickets().next().unwrap();
    let first = TicketNumber::drawn("test", House::scattered(1_000));
    assert_ne!(first.hash(&key), first.hash(&other));
    assert_eq!(ticket.number(&key, "test"), Some(first), "the paper can be printed again from the log and the key");
    assert_eq!(ticket.number(&other, "test"), None);
}

#[test]
fn s16_a_ticket_of_an_earlier_release_is_found_by_its_number_and_printed_with_it() {
    let key = House::key();
    for number in [TicketNumber::earlier, TicketNumber::without_check] {
        let mut house = house();
        let ticket = house.floor.next_ticket();
        let number = number(&key, "test", ticket);
        let sell = Body::SellTicket { amount: dollars(20), number: number.earlier_hash(&key), witness: None };
        house.staff(CASHIER, sell);
        assert_eq!(house.floor.hash_of(number, &key), number.earlier_hash(&key));
        let found = house.floor.ticket_with(house.floor.hash_of(number, &key)).unwrap();
        assert_eq!(found.id(), ticket);
        assert_eq!(found.number(&key, "test"), Some(number));
        assert_eq!(found.number(&TicketKey::new([9; 32]), "test"), None);
        let other = TicketNumber::drawn("test", House::scattered(1));
        assert_eq!(house.floor.hash_of(other, &key), other.hash(&key), "a new number");
    }
}

#[test]
fn s15_a_ticket_knows_its_sequence_terminal_time_amount_and_expiry_and_a_reprint_says_so() {
    let mut house = house();
    house.later(5_000);
    let (id, _) = house.cash_out(T0);
    let (second, number) = house.cash_out(T1);
    assert_eq!(second.0, id.0 + 1, "in sequence");
    let found = ticket(&house, id);
    assert_eq!((found.terminal(), found.issued(), whole(found.amount())), (Some(T0), house.at, 1_000));
    assert_eq!((found.expires(), found.reprints()), (house.at.after(30 * DAY), 0));
    // A cashier or a Pit Supervisor replaces what is outstanding, with a second person and a reason.
    let reprint = |ticket, number, witness| Body::ReprintTicket {
        ticket,
        number: Some(number),
        reason: "torn".to_owned(),
        witness,
    };
    let fresh = house.new_number();
    for who in [DEALER, AUDITOR, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), reprint(id, fresh, Some(SUPERVISOR)), Code::Rank);
    }
    house.refused(Sender::Staff(SUPERVISOR), reprint(id, fresh, None), Code::SecondPerson);
    let duplicate = house.floor.next_ticket();
    let events = house.staff(SUPERVISOR, reprint(id, fresh, Some(CASHIER)));
    assert!(matches!(events[..], [Event::TicketReplaced { by: SUPERVISOR, witness: CASHIER, .. }]), "on record");
    assert_eq!((ticket(&house, id).state(), ticket(&house, duplicate).reprints()), (TicketState::Void, 1));
    assert_eq!(house.account(Account::TicketsOutstanding), 2_000, "it is the same money");
    house.staff(CASHIER, redeem(number));
    let again = house.new_number();
    let paid = reprint(second, again, Some(SUPERVISOR));
    assert_eq!(house.refused(Sender::Staff(CASHIER), paid, Code::TicketState), "S15");
    let unknown = reprint(TicketId(99), again, Some(SUPERVISOR));
    house.refused(Sender::Staff(CASHIER), unknown, Code::TicketUnknown);
    // A number is used once.
    let sell = Body::SellTicket { amount: dollars(1), number, witness: None };
    assert_eq!(house.refused(Sender::Staff(CASHIER), sell, Code::TicketState), "S15");
}

#[test]
fn a_cashiers_shift_has_a_float_and_balances() {
    let mut house = House::with("rws-sicbo");
    let number = house.new_number();
    let sell = Body::SellTicket { amount: dollars(50), number, witness: None };
    house.refused(Sender::Staff(CASHIER), sell.clone(), Code::Shift);
    house.staff(CASHIER, Body::OpenShift { float: dollars(500), witness: None });
    house.refused(Sender::Staff(CASHIER), Body::OpenShift { float: dollars(500), witness: None }, Code::Shift);
    house.staff(CASHIER, sell);
    let drawer = |house: &House| whole(house.drawer(CASHIER));
    assert_eq!(drawer(&house), 550);
    house.ok(Sender::Terminal(T0), ticket_in(T0, number));
    // 1,050 outstanding is more than the drawer holds.
    let (_, large) = house.cash_out(T0);
    house.refused(Sender::Staff(CASHIER), redeem(large), Code::Float);
    let (_, number) = {
        house.cash_in(T0, dollars(30));
        house.cash_out(T0)
    };
    house.staff(CASHIER, redeem(number));
    assert_eq!(drawer(&house), 520);
    // A person with an open shift stays a cashier until it is closed.
    let post = Post::Auditor;
    house.refused(
        Sender::Staff(ADMINISTRATOR),
        Body::ChangeStaff { staff: CASHIER, post, active: true, witness: Some(SECOND_ADMINISTRATOR) },
        Code::Shift,
    );
    let events = house.close_shift(CASHIER, dollars(515));
    let [Event::ShiftClosed { counted, expected, .. }] = events[..] else { panic!("{events:?}") };
    assert_eq!((whole(counted), whole(expected)), (515, 520));
    assert_eq!(house.account(Account::Differences), -5, "five dollars short");
    assert!(house.floor.cage_view(CASHIER).shift.is_none());
    house.refused(Sender::Staff(CASHIER), redeem(large), Code::Shift);
    house.staff(CASHIER, Body::OpenShift { float: dollars(0), witness: None });
    house.close_shift(CASHIER, dollars(3));
    assert_eq!(house.account(Account::Differences), -2, "and three over");
}

#[test]
fn an_unknown_number_and_a_print_that_never_was_move_no_money() {
    let mut house = house();
    let before = house.floor.accounts();
    house.refused(Sender::Terminal(T0), Body::TicketPrinted { ticket: TicketId(0) }, Code::TicketUnknown);
    house.refused(Sender::Terminal(T0), Body::PrintFailed { ticket: TicketId(0) }, Code::TicketUnknown);
    let number = house.new_number();
    house.refused(Sender::Terminal(T0), ticket_in(T0, number), Code::TicketUnknown);
    house.refused(Sender::Terminal(T1), Body::PrepareTicket { terminal: T0, number }, Code::NotForSender);
    house.refused(Sender::Staff(CASHIER), Body::SellTicket { amount: dollars(0), number, witness: None }, Code::Amount);
    house.cash_out(T0);
    let number = house.new_number();
    house.refused(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number }, Code::Credit);
    assert_eq!(before.len(), house.floor.accounts().len());
}

#[test]
fn s15_an_expired_ticket_is_paid_by_its_id_once_by_decision_and_by_two_people() {
    let mut house = house();
    let (id, number) = house.cash_out(T0);
    let pay = |ticket, witness| Body::PayExpired { ticket, reason: "in hospital".to_owned(), witness };
    // Not before it has expired.
    assert_eq!(house.refused(Sender::Staff(CASHIER), pay(id, Some(SHIFT_MANAGER)), Code::TicketState), "S15");
    house.later(30 * DAY);
    house.system(Body::Elapse);
    // Not alone, and not without the Shift Manager.
    house.refused(Sender::Staff(SHIFT_MANAGER), pay(id, None), Code::SecondPerson);
    house.refused(Sender::Staff(CASHIER), pay(id, None), Code::SecondPerson);
    assert_eq!(house.refused(Sender::Staff(CASHIER), pay(id, Some(SUPERVISOR)), Code::SecondPerson), "S15");
    for who in [DEALER, SUPERVISOR, MANAGER, AUDITOR, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), pay(id, Some(SHIFT_MANAGER)), Code::Rank);
    }
    house.refused(Sender::Staff(CASHIER), pay(TicketId(99), Some(SHIFT_MANAGER)), Code::TicketUnknown);
    let drawer = house.drawer(CASHIER);
    let events = house.staff(CASHIER, pay(id, Some(SHIFT_MANAGER)));
    assert!(matches!(events[..], [Event::ExpiredPaid { shift: Some(_), by: CASHIER, .. }]), "{events:?}");
    assert_eq!(whole(drawer) - whole(house.drawer(CASHIER)), 1_000);
    assert_eq!(house.account(Account::TicketsExpired), 0);
    // Once, for every caller and every form of the number.
    house.refused(Sender::Staff(SHIFT_MANAGER), pay(id, Some(SUPERVISOR)), Code::TicketState);
    house.refused(Sender::Staff(CASHIER), redeem(number), Code::TicketPaid);
    house.replays();
}
