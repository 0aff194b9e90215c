//! Sections 1 and 2 of the electronic tables at Resorts World: console, people, terminals, rounds and the display.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Cents, Rank};

#[test]
fn etg_1_3_one_result_reaches_every_terminal_of_its_table_and_no_other() {
    for game in ETG {
        let mut house = House::with(game);
        let other = house.add_table(game, House::settings(game));
        let (spot, wins, _) = even_money(game);
        let bet = format!("{spot}=10.00");
        house.open();
        house.open_at(other);
        let beside = TerminalId(3);
        for terminal in [T0, T1, T2, beside] {
            house.bet(terminal, &[&bet]);
        }
        let settled = house.finish(wins);
        assert!(matches!(&settled[..], [Event::RoundSettled { returns, .. }] if returns.len() == 3));
        for terminal in [T0, T1, T2] {
            assert_eq!(house.credit(terminal), dollars(1_010));
            let last = house.floor.terminal_view(terminal).unwrap().last.unwrap();
            assert_eq!(last.outcome, Some(house.outcome(TABLE, wins)));
        }
        assert_eq!(house.credit(beside), dollars(990));
        assert_eq!(house.standing(beside), [bet]);
    }
}

#[test]
fn etg_1_5_whoever_is_assigned_to_a_position_does_its_work_until_that_ends() {
    for game in ETG {
        let mut house = House::with(game);
        let open = Body::open_bets(TABLE);
        let acting = |post| Body::AssignActing { staff: CASHIER, post, witness: Some(SECOND_ADMINISTRATOR) };
        let as_dealer = acting(Some(Post::Pit(Rank::Dealer)));
        assert_eq!(house.staff_refused(CASHIER, open.clone(), Code::Rank), "D11");
        // No one appoints themselves as a dealer, and a dealer appoints no one.
        house.staff_refused(CASHIER, as_dealer.clone(), Code::Rank);
        house.staff_refused(DEALER, as_dealer.clone(), Code::Rank);
        let assigned = house.staff(SUPERVISOR, as_dealer);
        assert!(matches!(assigned[..], [Event::ActingAssigned { by: Some(SUPERVISOR), .. }]), "who did it is recorded");
        house.staff(CASHIER, Body::TakeTable { table: TABLE });
        house.staff(CASHIER, open);
        house.staff(CASHIER, Body::CloseBets { table: TABLE });
        house.staff(SUPERVISOR, acting(None));
        house.staff(DEALER, Body::TakeTable { table: TABLE });
        house.later(2_000);
        let outcome = house.outcome(TABLE, even_money(game).1);
        house.staff_refused(CASHIER, Body::enter_result(TABLE, outcome), Code::Rank);
        house.enter(even_money(game).1);
    }
}

#[test]
fn etg_1_5_a_higher_pit_employee_does_a_dealers_work_and_no_dealer_a_higher_ones() {
    for game in ETG {
        let mut house = House::with(game);
        house.staff(MANAGER, Body::open_bets(TABLE));
        house.staff(SUPERVISOR, Body::CloseBets { table: TABLE });
        let lock = Body::LockTerminal { terminal: T0, reason: "a spill".to_owned() };
        assert_eq!(house.staff_refused(DEALER, lock.clone(), Code::Rank), "D11");
        house.staff(MANAGER, lock);
        // Cashier, auditor and administrator are no Pit Employees.
        for apart in [CASHIER, AUDITOR, ADMINISTRATOR] {
            house.staff_refused(apart, House::declaring(damage(game)), Code::Rank);
        }
    }
}

/// Credits are bought, staked and won, and leave the terminal as a ticket that is redeemed once.
#[track_caller]
fn credits_are_bought_staked_and_dispensed(game: &str) {
    let mut house = House::with(game);
    let (spot, wins, _) = even_money(game);
    house.open();
    house.cash_in(T0, dollars(500));
    assert_eq!(house.credit(T0), dollars(1_500));
    // No player bets more than was bought, and only the terminal's own validator puts cash in.
    assert_eq!(house.bet_refused(T0, &[&format!("{spot}=1000.00"), "odd=501.00"], Code::Credit), "D7");
    let cash = Body::CashIn { terminal: T0, amount: dollars(1) };
    house.staff_refused(DEALER, cash.clone(), Code::NotForSender);
    house.terminal_refused(T0, cash, Code::NotForSender);
    house.bet(T0, &[&format!("{spot}=100.00")]);
    house.finish(wins);
    let (ticket, number) = house.cash_out(T0);
    assert_eq!(house.credit(T0), Cents::ZERO);
    assert_eq!(house.floor.tickets().find(|known| known.id() == ticket).unwrap().amount(), dollars(1_600));
    house.ok(Sender::Terminal(T1), Body::TicketIn { terminal: T1, number });
    assert_eq!(house.credit(T1), dollars(2_600));
    house.terminal_refused(T2, Body::TicketIn { terminal: T2, number }, Code::TicketPaid);
}

#[test]
fn rws_sicbo_1_7_a_terminal_sells_credits_takes_bets_and_pays_out_a_ticket() {
    credits_are_bought_staked_and_dispensed("rws-sicbo");
}

#[test]
fn rws_sicbo_open_1_7_a_terminal_sells_credits_takes_bets_and_pays_out_a_ticket() {
    credits_are_bought_staked_and_dispensed("rws-sicbo-open");
}

#[test]
fn rws_roulette_000_1_6_a_terminal_sells_credits_takes_bets_and_pays_out_a_ticket() {
    credits_are_bought_staked_and_dispensed("rws-roulette-000");
}

/// A round is there from the notice on, and the next cannot begin before every player is settled.
#[track_caller]
fn a_round_runs_from_the_notice_to_the_settlement(game: &str, paragraph: &str) {
    let mut house = House::with(game);
    let (spot, wins, _) = even_money(game);
    // No activation begins it.
    let begin = Body::BeginRound { table: TABLE };
    assert_eq!(house.staff_refused(DEALER, begin, Code::Phase), paragraph);
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
    let open = Body::open_bets(TABLE);
    let first = house.open();
    let another = |house: &mut House| assert_eq!(house.staff_refused(DEALER, open.clone(), Code::Phase), paragraph);
    house.bet(T0, &[&format!("{spot}=10.00")]);
    another(&mut house);
    house.close();
    another(&mut house);
    house.play_device();
    house.enter(wins);
    another(&mut house);
    house.confirm();
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
    assert_eq!(house.credit(T0), dollars(1_010));
    let second = house.open();
    assert_ne!(first, second);
}

#[test]
fn rws_sicbo_1_8_a_round_runs_from_the_notice_until_all_are_settled() {
    a_round_runs_from_the_notice_to_the_settlement("rws-sicbo", "1.8");
}

#[test]
fn rws_sicbo_open_1_8_a_round_runs_from_the_notice_until_all_are_settled() {
    a_round_runs_from_the_notice_to_the_settlement("rws-sicbo-open", "1.8");
}

#[test]
fn rws_roulette_000_1_9_a_round_runs_from_the_notice_until_all_are_settled() {
    a_round_runs_from_the_notice_to_the_settlement("rws-roulette-000", "1.9");
}

/// The total is that of three uppermost faces; it is paid on a valid tumble only.
#[track_caller]
fn the_total_is_that_of_a_valid_tumble(game: &str) {
    let mut house = House::with(game);
    house.play(&["total/9=10.00", "total/10=10.00"], "2-3-4");
    assert_eq!(house.credit(T0), dollars(1_000 - 20 + 80));
    // Two tumbles make no total.
    let round = house.open();
    house.bet(T0, &["total/9=10.00"]);
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 2 });
    house.halted_by("5.3.1");
    house.confirm_ground();
    house.is_void(round, &[(T0, dollars(1_060))]);
}

#[test]
fn rws_sicbo_1_9_the_total_is_that_of_the_uppermost_faces_after_a_valid_tumble() {
    the_total_is_that_of_a_valid_tumble("rws-sicbo");
}

#[test]
fn rws_sicbo_open_1_9_the_total_is_that_of_the_uppermost_faces_after_a_valid_tumble() {
    the_total_is_that_of_a_valid_tumble("rws-sicbo-open");
}

/// A void round is over, without a result, for ever.
#[track_caller]
fn a_void_round_has_no_result(game: &str) {
    let mut house = House::with(game);
    let (spot, wins, loses) = even_money(game);
    house.play(&[&format!("{spot}=10.00")], wins);
    let round = house.open();
    house.bet(T0, &[&format!("{spot}=25.00")]);
    house.close();
    house.play_device();
    house.enter(loses);
    house.staff(DEALER, House::declaring(damage(game)));
    house.is_void(round, &[(T0, dollars(1_010))]);
    let view = house.floor.terminal_view(T0).unwrap();
    assert_eq!(view.table.last_round, Some((round, None)), "shown as void");
    assert_eq!(view.table.history, [house.outcome(TABLE, wins)]);
    assert!(house.floor.display_view(TABLE).unwrap().lit.is_empty(), "nothing is lit");
    // It gets none later either.
    let (corrector, _) = correctors(game);
    let correction = house.correction(round, wins);
    assert_eq!(house.staff_refused(corrector, correction, Code::RoundOver), "5.5");
    let outcome = house.outcome(TABLE, wins);
    house.staff_refused(DEALER, Body::enter_result(TABLE, outcome), Code::Phase);
}

#[test]
fn rws_sicbo_1_10_a_void_round_has_no_result() {
    a_void_round_has_no_result("rws-sicbo");
}

#[test]
fn rws_sicbo_open_1_10_a_void_round_has_no_result() {
    a_void_round_has_no_result("rws-sicbo-open");
}

#[test]
fn rws_roulette_000_1_11_a_void_round_has_no_result() {
    a_void_round_has_no_result("rws-roulette-000");
}

#[test]
fn etg_2_1_1_the_display_is_that_of_the_players_own_terminal() {
    for game in ETG {
        let mut house = House::with(game);
        let (kind, layout) = ("standard".to_owned(), "d".to_owned());
        let unknown = Body::EnrolTerminal { table: TABLE, name: "unknown".to_owned(), kind, layout };
        house.refused(Sender::System, unknown, Code::Settings);
        let layouts = house.rulebook(TABLE).layouts().to_vec();
        let kind = house.rulebook(TABLE).terminals()[0].id.clone();
        let shown = layouts.iter().map(|layout| house.enrol(TABLE, &kind, layout.id())).collect::<Vec<_>>();
        house.open();
        for (layout, terminal) in layouts.iter().zip(shown) {
            house.cash_in(terminal, dollars(100));
            assert_eq!(house.floor.terminal_view(terminal).unwrap().layout, layout.id());
            // Every place of the display takes a bet, one beyond it does not.
            let places = layout.table().spots().len();
            let on = |place| [BetChange::Add { spot: forged(place), amount: dollars(1) }].into();
            let (last, beyond) = (u16::try_from(places - 1).unwrap(), u16::try_from(places).unwrap());
            house.ok(Sender::Terminal(terminal), Body::Bet { changes: on(last) });
            let beyond = Body::Bet { changes: on(beyond) };
            let paragraph = layout.offer_paragraph().as_str();
            assert_eq!(house.terminal_refused(terminal, beyond, Code::NotOffered), paragraph);
        }
    }
}

/// Three dice with six faces: 216 results and no other.
#[track_caller]
fn three_dice_with_six_faces(game: &str) {
    let mut house = House::with(game);
    for text in ["1-2", "1-2-3-4", "0-1-2", "1-2-7"] {
        assert!(house.rulebook(TABLE).outcomes().parse(text).is_err(), "{text}");
    }
    let (name, place) = ("wheel".to_owned(), DevicePlace::Table(TABLE));
    house.refused(Sender::System, Body::add_device(name, DeviceKind::Wheel, place), Code::Settings);
    house.open();
    house.close();
    let enter = |place| Body::enter_result(TABLE, forged(place));
    assert_eq!(house.staff_refused(DEALER, enter(216), Code::NotFound), "3.7");
    house.enter("6-6-6");
    assert_eq!(house.current().outcome(), Some(house.outcome(TABLE, "6-6-6")));
}

#[test]
fn rws_sicbo_2_2_1_the_game_is_played_with_three_dice_of_six_faces() {
    three_dice_with_six_faces("rws-sicbo");
}

#[test]
fn rws_sicbo_open_2_2_1_the_game_is_played_with_three_dice_of_six_faces() {
    three_dice_with_six_faces("rws-sicbo-open");
}
