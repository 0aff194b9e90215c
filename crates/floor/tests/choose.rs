//! Several tables from one seat (D29).

use crate::common::*;
use floor::*;

const SECOND: TableId = TableId(1);

fn house() -> House {
    let mut house = House::with("rws-sicbo");
    house.add_table("rws-sicbo", House::settings("rws-sicbo"));
    house
}

fn choose(table: TableId) -> Body {
    Body::ChooseTable { terminal: T0, table }
}

/// The player cashes out before the enrolment changes (S12), and comes back.
fn offer(house: &mut House, tables: &[TableId]) {
    let credit = house.credit(T0);
    house.cash_out(T0);
    house.staff(ADMINISTRATOR, Body::OfferTables { terminal: T0, tables: tables.to_vec() });
    house.cash_in(T0, credit);
}

#[test]
fn d29_the_tables_of_a_terminal_change_only_with_no_money_on_it() {
    let mut house = house();
    let offer = Body::OfferTables { terminal: T0, tables: vec![TABLE, SECOND] };
    assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), offer.clone(), Code::CreditLeft), "S12");
    // A bet that takes all of the credit, and a ticket in doubt, are a player's money too.
    house.open();
    house.bet(T0, &["big=1000.00"]);
    house.refused(Sender::Staff(ADMINISTRATOR), offer.clone(), Code::CreditLeft);
    house.ok(Sender::Terminal(T0), Body::ClearBets);
    let (ticket, number) = (house.floor.next_ticket(), house.new_number());
    house.ok(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    house.refused(Sender::Staff(ADMINISTRATOR), offer.clone(), Code::CreditLeft);
    house.ok(Sender::Terminal(T0), Body::TicketPrinted { ticket });
    house.staff(ADMINISTRATOR, offer);
}

#[test]
fn d29_the_player_chooses_among_the_tables_the_terminal_is_enrolled_for() {
    let mut house = house();
    house.refused(Sender::Terminal(T0), choose(SECOND), Code::NotOffered);
    let tables = vec![TABLE, SECOND];
    let own = Body::OfferTables { terminal: T0, tables: vec![SECOND] };
    house.refused(Sender::Staff(ADMINISTRATOR), own, Code::Settings);
    house.refused(
        Sender::Staff(CASINO_MANAGER),
        Body::OfferTables { terminal: T0, tables: tables.clone() },
        Code::Rank,
    );
    offer(&mut house, &tables);
    house.refused(Sender::Staff(ADMINISTRATOR), Body::OfferTables { terminal: T0, tables }, Code::NothingToDo);
    house.refused(Sender::Terminal(T1), choose(SECOND), Code::NotForSender);
    house.refused(Sender::Staff(ADMINISTRATOR), choose(SECOND), Code::NotForSender);
    house.refused(Sender::Terminal(T0), choose(TABLE), Code::NothingToDo);
    let (credit, visit) = (house.credit(T0), house.floor.terminal(T0).unwrap().visit());
    house.ok(Sender::Terminal(T0), choose(SECOND));
    let terminal = house.floor.terminal(T0).unwrap();
    assert_eq!((terminal.table(), terminal.credit(), terminal.visit()), (SECOND, credit, visit));
    assert_eq!(house.floor.table(TABLE).unwrap().live_terminals(), 2);
    // It plays there, and goes back.
    house.staff(DEALER, Body::open_bets(SECOND));
    house.bet(T0, &["big=10.00"]);
    house.refused(Sender::Terminal(T0), choose(TABLE), Code::InRound);
    house.ok(Sender::Terminal(T0), Body::ClearBets);
    house.ok(Sender::Terminal(T0), choose(TABLE));
}

#[test]
fn d29_only_tables_whose_document_has_the_terminals_kind_and_layout() {
    let mut house = House::with("rws-sicbo");
    house.add_table("rws-taisai", House::settings("rws-taisai"));
    let live = Body::OfferTables { terminal: T0, tables: vec![TABLE, SECOND] };
    house.refused(Sender::Staff(ADMINISTRATOR), live, Code::Settings);
    let mut house = House::with("rws-sicbo");
    house.add_table("mbs-sicbo", House::settings("mbs-sicbo"));
    let other = Body::OfferTables { terminal: T0, tables: vec![TABLE, SECOND] };
    house.refused(Sender::Staff(ADMINISTRATOR), other, Code::Settings);
}

#[test]
fn d29_a_bet_in_an_unsettled_round_keeps_the_player_at_its_table() {
    let mut house = house();
    offer(&mut house, &[TABLE, SECOND]);
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.close();
    assert_eq!(house.refused(Sender::Terminal(T0), choose(SECOND), Code::InRound), "D29");
    house.play_device();
    house.enter("6-5-4");
    house.refused(Sender::Terminal(T0), choose(SECOND), Code::InRound);
    house.staff(DEALER, Body::confirm_result(TABLE));
    house.ok(Sender::Terminal(T0), choose(SECOND));
    // A correction of the round it played there reaches the visit, which goes on.
    let round = house.floor.table(TABLE).unwrap().archive().last().unwrap().id();
    let before = house.credit(T0);
    let outcome = house.outcome(TABLE, "1-2-4");
    let (reason, witness) = ("camera".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
    assert_eq!(house.credit(T0).get(), before.get() - 2_000);
}

#[test]
fn d29_no_round_waits_for_a_terminal_that_has_gone_or_has_just_come() {
    let mut house = house();
    offer(&mut house, &[TABLE, SECOND]);
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.staff(DEALER, Body::open_bets(SECOND));
    house.staff(DEALER, Body::CloseBets { table: SECOND });
    let awaiting = |house: &House, table| house.floor.table(table).unwrap().round().unwrap().awaiting();
    assert_eq!((awaiting(&house, TABLE), awaiting(&house, SECOND)), (3, 3));
    house.ok(Sender::Terminal(T0), choose(SECOND));
    assert_eq!((awaiting(&house, TABLE), awaiting(&house, SECOND)), (2, 3));
    assert_eq!(house.floor.terminal(T0).unwrap().acknowledged(), None, "it has shown no close");
    let round = house.round_at(SECOND);
    house.refused(Sender::Terminal(T0), Body::AcknowledgeClose { round }, Code::NothingToDo);
}

#[test]
fn d29_a_closed_table_cannot_be_chosen() {
    let mut house = house();
    offer(&mut house, &[TABLE, SECOND]);
    house.staff(MANAGER, Body::AnnounceClosing { table: SECOND });
    house.later(60_000);
    house.staff(MANAGER, Body::CloseTable { table: SECOND });
    house.refused(Sender::Terminal(T0), choose(SECOND), Code::TableClosed);
}

#[test]
fn d29_layouts_of_two_games_that_have_only_their_name_in_common_are_not_one() {
    let mut house = House::with("rws-sicbo");
    let roulette = house.add_table("rws-roulette-000", House::settings("rws-roulette-000"));
    house.cash_out(T0);
    let offer = Body::OfferTables { terminal: T0, tables: vec![TABLE, roulette] };
    assert_eq!(house.refused(Sender::Staff(ADMINISTRATOR), offer, Code::Settings), "D29");
}
