//! Tai Sai: the two ways to run a table, and its chips and cash.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::{GroundId, library};

/// A live table where only results are recorded.
fn results_only() -> House {
    let mut house = House::empty();
    let rulebook = library::find("rws-taisai").unwrap();
    house.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
    let (name, settings) = ("live".to_owned(), House::settings("rws-taisai"));
    house.system(Body::AddTable {
        name,
        rulebook: rulebook.hash(),
        mode: TableMode::ResultsOnly,
        settings: settings.into(),
        witness: None,
    });
    house.staff(MANAGER, Body::OpenTable { table: TABLE });
    house.staff(DEALER, Body::TakeTable { table: TABLE });
    house
}

/// Every account of the table by name, and that the tray and the drop say what was moved.
fn stands(house: &House, tray: i64, drop: i64, chips: i64) {
    let table = house.floor.table(TABLE).unwrap();
    assert_eq!((house.tray(), whole(table.drop()), house.chips_out()), (tray, drop, chips), "tray, drop, chips out");
    let sum: i64 = house.floor.accounts().iter().map(|(_, balance)| balance.get()).sum();
    assert_eq!(sum, 0, "the books balance");
}

#[test]
fn rws_taisai_1_7_a_results_only_table_plays_rounds_without_bets() {
    let mut house = results_only();
    house.open();
    for body in [
        house.placing((1, "big", 100)),
        Body::RefuseLate { table: TABLE, position: Position(1) },
        Body::PlayerLeft { table: TABLE, position: Position(1) },
    ] {
        house.refused(Sender::Staff(DEALER), body, Code::NotFound);
    }
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.enter("6-5-4");
    let events = house.confirm();
    assert!(matches!(&events[..], [Event::ChipsSettled { shares, .. }] if shares.is_empty()));
    let round = house.floor.table(TABLE).unwrap().archive().next_back().unwrap().id();
    // Corrections and voids are recorded as ever; there is nothing to move.
    let outcome = house.outcome(TABLE, "1-2-3");
    let (reason, witness) = ("misread".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason, witness });
    assert_eq!(house.floor.table(TABLE).unwrap().history().next_back(), Some((round, outcome)));
    house.open();
    house.staff(DEALER, Body::declare_ground(TABLE, GroundId::TooFewTumbles));
    assert_eq!(house.floor.pit_view().tables[0].rounds, (1, 1));
}

#[test]
fn a_results_only_table_wins_what_its_tray_has_gained() {
    let mut house = results_only();
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(5_000)));
    house.float(DEALER, FloatMovement::BuyIn(dollars(1_000)));
    stands(&house, 4_000, 1_000, 1_000);
    // The players lose 300 to the tray, unrecorded; the count shows it.
    let events = house.float(SUPERVISOR, FloatMovement::Closer(dollars(4_300)));
    assert!(matches!(events[..], [Event::FloatMoved { difference, .. }] if difference == dollars(300)));
    assert_eq!(whole(house.floor.table(TABLE).unwrap().house_win()), 300);
    stands(&house, 0, 1_000, 700);
    house.float(DEALER, FloatMovement::ChipsOut(dollars(700)));
    house.float(SUPERVISOR, FloatMovement::Drop(dollars(1_000)));
    stands(&house, 0, 0, 0);
}

#[test]
fn a_table_with_bets_recorded_moves_every_chip() {
    let mut house = House::with("rws-taisai");
    stands(&house, 0, 0, 0);
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(5_000)));
    stands(&house, 5_000, 0, 0);
    let again = house.floating(SUPERVISOR, FloatMovement::Opener(dollars(5_000)));
    house.refused(Sender::Staff(SUPERVISOR), again, Code::Float);
    house.float(SUPERVISOR, FloatMovement::Fill(dollars(2_000)));
    stands(&house, 7_000, 0, 0);
    house.float(DEALER, FloatMovement::BuyIn(dollars(1_000)));
    stands(&house, 6_000, 1_000, 1_000);
    house.open();
    house.place(&[(1, "big", 100), (2, "total/9", 50)]);
    assert_eq!(house.account(Account::Stakes(TABLE)), 150);
    stands(&house, 6_000, 1_000, 850);
    house.finish("6-5-4");
    stands(&house, 5_950, 1_000, 1_050);
    house.deal(&[(1, "small", 200)], "6-5-4");
    stands(&house, 6_150, 1_000, 850);
    let too_much = house.floating(SUPERVISOR, FloatMovement::Credit(dollars(6_151)));
    house.refused(Sender::Staff(SUPERVISOR), too_much, Code::Float);
    house.float(SUPERVISOR, FloatMovement::Credit(dollars(1_150)));
    stands(&house, 5_000, 1_000, 850);
    let too_much = Body::MoveFloat {
        table: TABLE,
        movement: FloatMovement::ChipsOut(dollars(851)),
        counts: Vec::new(),
        witness: None,
        reason: String::new(),
    };
    house.refused(Sender::Staff(DEALER), too_much, Code::Float);
    house.float(DEALER, FloatMovement::ChipsOut(dollars(850)));
    stands(&house, 5_000, 1_000, 0);
    assert_eq!(whole(house.floor.table(TABLE).unwrap().house_win()), 150);
}

#[test]
fn counting_tray_and_drop_books_the_differences() {
    let mut house = House::live();
    stands(&house, 90_000, 10_000, 10_000);
    // Not in the middle of a round.
    house.open();
    let closer = house.floating(SUPERVISOR, FloatMovement::Closer(dollars(90_000)));
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), closer, Code::InRound), "S12");
    house.finish("6-5-4");
    // 40 short in the tray, 15 over in the drop.
    let events = house.float(SUPERVISOR, FloatMovement::Closer(dollars(89_960)));
    assert!(matches!(events[..], [Event::FloatMoved { difference, .. }] if difference == dollars(-40)));
    stands(&house, 0, 10_000, 10_040);
    assert_eq!(house.account(Account::Differences), -40, "chips that players must have");
    let events = house.float(SUPERVISOR, FloatMovement::Drop(dollars(10_015)));
    assert!(matches!(events[..], [Event::FloatMoved { difference, .. }] if difference == dollars(15)));
    assert_eq!(house.account(Account::Differences), -25);
    stands(&house, 0, 0, 10_040);
    // Bets recorded, so that the difference is not what the house has won.
    assert_eq!(house.floor.table(TABLE).unwrap().house_win().get(), 0);
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(1_000)));
    stands(&house, 1_000, 0, 10_040);
}

#[test]
fn the_float_is_moved_by_a_supervisor_and_chips_are_sold_by_the_dealer() {
    let mut house = House::live();
    let one = dollars(1);
    let move_float =
        |movement| Body::MoveFloat { table: TABLE, movement, counts: Vec::new(), witness: None, reason: String::new() };
    for movement in [
        FloatMovement::Opener(one),
        FloatMovement::Fill(one),
        FloatMovement::Credit(one),
        FloatMovement::Closer(one),
        FloatMovement::Drop(one),
    ] {
        house.refused(Sender::Staff(DEALER), move_float(movement), Code::Rank);
    }
    for who in [CASHIER, AUDITOR, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), move_float(FloatMovement::BuyIn(one)), Code::Rank);
    }
    let witness = Some(SECOND_SUPERVISOR);
    for (movement, counts) in [
        (FloatMovement::Fill(dollars(0)), Vec::new()),
        (FloatMovement::Closer(dollars(-1)), Vec::new()),
        // The denominations are the amount.
        (FloatMovement::Fill(dollars(2)), piles(dollars(1))),
        (FloatMovement::Fill(dollars(2)), Vec::new()),
        (FloatMovement::Fill(dollars(2)), vec![Pile { denomination: dollars(1), pieces: 1 }; 2]),
    ] {
        let body = Body::MoveFloat { table: TABLE, movement, counts, witness, reason: String::new() };
        house.refused(Sender::Staff(SUPERVISOR), body, Code::Amount);
    }
    // No one moves chips to or from the vault alone.
    house.refused(Sender::Staff(SUPERVISOR), move_float(FloatMovement::Fill(one)), Code::SecondPerson);
    // A table with terminals has no chips.
    let mut house = House::with("rws-sicbo");
    house.refused(Sender::Staff(SUPERVISOR), move_float(FloatMovement::Fill(one)), Code::NotFound);
}

#[test]
fn chips_are_recorded_by_the_dealer_a_second_pit_employee_or_a_reader_at_the_table() {
    let mut house = House::live();
    let (name, kind, place) = ("reader".to_owned(), DeviceKind::ChipReader, DevicePlace::Table(TABLE));
    house.system(Body::add_device(name.clone(), kind, place));
    house.system(Body::add_device(name, kind, DevicePlace::Store));
    house.open();
    let body = house.placing((1, "big", 100));
    house.staff(DEALER, body.clone());
    house.staff(SUPERVISOR, body.clone());
    let events = house.ok(Sender::Device(DeviceId(1)), body.clone());
    assert!(matches!(events[..], [Event::ChipsPlaced { by: None, .. }]));
    let elsewhere = house.refused(Sender::Device(DeviceId(2)), body.clone(), Code::NotForSender);
    assert_eq!(elsewhere, "D11");
    house.refused(Sender::Device(DEVICE), body, Code::NotForSender);
    assert_eq!(house.in_box("big"), [(1, 300)]);
}
