//! Electronic Sic Bo at Marina Bay Sands: the order of a round, its close, and who may do what (1 to 3, 5.6, 5.7, 6).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Cents, GroundId, Point, Rank};

const GAME: &str = "mbs-sicbo";
const THREE: Observation = Observation::Tumbled { times: 3 };
const OPEN: Body = Body::open_bets(TABLE);
const BEGIN: Body = Body::BeginRound { table: TABLE };

#[test]
fn mbs_sicbo_1_1_2_at_a_terminal_credits_are_bought_staked_and_cashed_out() {
    let mut house = House::with(GAME);
    house.cash_in(T0, dollars(500));
    house.open();
    assert_eq!(house.bet_refused(T0, &["small=1000.00", "odd=501.00"], Code::Credit), "D7");
    house.bet(T0, &["small=500.00"]);
    house.finish("1-2-4");
    let (ticket, _) = house.cash_out(T0);
    assert_eq!(house.credit(T0), Cents::ZERO);
    assert_eq!(house.floor.tickets().find(|known| known.id() == ticket).unwrap().amount(), dollars(2_000));
    let number = house.new_number();
    house.terminal_refused(T0, Body::PrepareTicket { terminal: T0, number }, Code::Credit);
}

#[test]
fn mbs_sicbo_1_1_3_a_round_runs_from_the_activation_until_all_bets_are_settled() {
    let mut house = House::with(GAME);
    house.staff(DEALER, BEGIN);
    let round = house.round();
    assert_eq!(house.current().phase(), Phase::Begun);
    assert_eq!(house.staff_refused(DEALER, BEGIN, Code::Phase), "1.1.3");
    house.device(THREE);
    house.staff(DEALER, OPEN);
    assert_eq!(house.round(), round, "the notice belongs to the same round");
    house.bet(T0, &["small=10.00"]);
    house.close();
    assert_eq!(house.staff_refused(DEALER, BEGIN, Code::Phase), "1.1.3");
    house.enter("1-2-4");
    assert_eq!(house.staff_refused(DEALER, BEGIN, Code::Phase), "1.1.3");
    house.confirm();
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
    // Settled, and shown on the terminals.
    let last = house.floor.terminal_view(T0).unwrap().last.unwrap();
    assert_eq!((last.round, last.outcome, last.returned), (round, Some(house.outcome(TABLE, "1-2-4")), dollars(20)));
    house.staff(DEALER, BEGIN);
}

#[test]
fn mbs_sicbo_2_1_the_layout_is_that_of_the_terminal() {
    let mut house = House::with(GAME);
    let alfastreet = house.enrol(TABLE, "alfastreet", "alfastreet");
    let shown = [T0, alfastreet].map(|terminal| house.floor.terminal_view(terminal).unwrap().layout);
    assert_eq!(shown, ["rapid", "alfastreet"]);
    house.open();
    let beyond = Body::Bet { changes: [BetChange::Add { spot: forged(104), amount: dollars(1) }].into() };
    assert_eq!(house.terminal_refused(T0, beyond, Code::NotOffered), "4.1");
}

#[test]
fn mbs_sicbo_2_2_the_game_is_played_with_three_dice_of_six_sides() {
    let mut house = House::with(GAME);
    house.open();
    house.close();
    let enter = |place| Body::enter_result(TABLE, forged(place));
    assert_eq!(house.staff_refused(DEALER, enter(216), Code::NotFound), "3.4");
    house.enter("1-1-1");
    assert_eq!(house.current().outcome(), Some(house.outcome(TABLE, "1-1-1")));
}

#[test]
fn mbs_sicbo_3_1_first_the_activation_then_the_notice_and_only_then_bets() {
    let mut house = House::with(GAME);
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::Phase), "3.1");
    assert_eq!(house.every_road_is_shut(T0, "small", Code::BetsClosed), "3.1");
    house.staff(DEALER, BEGIN);
    assert!(house.floor.terminal_view(T0).unwrap().table.round.unwrap().notice.is_none());
    assert_eq!(house.every_road_is_shut(T0, "small", Code::Phase), "3.1");
    house.device(THREE);
    assert_eq!(house.every_road_is_shut(T0, "small", Code::Phase), "3.1");
    house.staff(DEALER, OPEN);
    let shown = house.floor.terminal_view(T0).unwrap().table.round.unwrap();
    assert_eq!(shown.notice.unwrap().en, "Place your bets");
    house.bet(T0, &["small=10.00"]);
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::Phase), "3.1");
}

#[test]
fn mbs_sicbo_3_1_a_tumbler_that_says_nothing_keeps_the_notice_away() {
    let mut house = House::with(GAME);
    house.staff(DEALER, BEGIN);
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::NoTumble), "3.1");
    // One that reports its tumbles does not, whether it or the dealer began the round.
    house.device(THREE);
    house.staff(DEALER, OPEN);
    house.close();
    house.enter("1-2-4");
    assert!(house.alerts().is_empty());
}

#[test]
fn mbs_sicbo_3_1_the_tumbler_itself_begins_the_round_and_the_notice_waits_until_it_rests() {
    let mut house = House::with(GAME);
    let events = house.device(Observation::Activated);
    assert!(matches!(events[..], [Event::RoundBegun { by: None, .. }, Event::Observed { counts: true, .. }]));
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::NotValid), "3.1");
    house.device(THREE);
    house.staff(DEALER, OPEN);
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_010));
}

#[test]
fn mbs_sicbo_3_1_a_tumbler_out_of_order_keeps_the_notice_away_until_it_is_out_of_service() {
    let mut house = House::with(GAME);
    house.device(Observation::Activated);
    house.device(Observation::Fault { number: 7 });
    assert_eq!(house.alerts(), [&AlertKind::DeviceFault(DEVICE, 7)]);
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::FaultOpen), "D21");
    house.staff(DEALER, Body::AnswerFault { table: TABLE, affects: false });
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::NotValid), "3.1");
    house.out_of_service(Function::Device);
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::Affirm), "3.4");
    let affirmed = vec![Point::Cover, Point::Times];
    house.staff(DEALER, Body::OpenBets { table: TABLE, affirmed });
}

#[test]
fn mbs_sicbo_3_1_no_round_begins_at_a_closed_table() {
    let mut house = House::with(GAME);
    house.staff(MANAGER, Body::AnnounceClosing { table: TABLE });
    house.later(60_000);
    house.staff(MANAGER, Body::CloseTable { table: TABLE });
    house.staff_refused(SUPERVISOR, BEGIN, Code::TableClosed);
    let events = house.device(Observation::Activated);
    assert!(matches!(events[..], [Event::Observed { counts: false, .. }]));
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
}

#[test]
fn mbs_sicbo_3_2_bets_close_when_the_terminals_show_no_more_bets() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let shown = house.floor.terminal_view(T0).unwrap().table.round.unwrap();
    assert_eq!(shown.notice.unwrap().en, "No more bets");
    house.bet_refused(T0, &["small=10.00"], Code::BetsClosed);
    // The dealer uncovers when every live terminal shows it.
    let enter = Body::enter_result(TABLE, house.outcome(TABLE, "1-2-4"));
    assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::Unacknowledged), "D12");
    assert_eq!(house.staff_refused(DEALER, Body::CloseBets { table: TABLE }, Code::Phase), "3.2");
    house.acknowledge(TABLE);
    house.enter("1-2-4");
}

#[test]
fn mbs_sicbo_3_2_no_result_is_entered_before_the_close() {
    let mut house = House::with(GAME);
    let enter = Body::enter_result(TABLE, house.outcome(TABLE, "1-2-4"));
    house.staff(DEALER, BEGIN);
    assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::Phase), "3.2");
    assert_eq!(house.staff_refused(DEALER, Body::CloseBets { table: TABLE }, Code::Phase), "3.2");
    house.device(THREE);
    house.staff(DEALER, OPEN);
    assert_eq!(house.staff_refused(DEALER, enter, Code::Phase), "3.2");
}

#[test]
fn mbs_sicbo_3_4_the_dealer_uncovers_after_the_close_and_checks_that_each_die_lies_flat() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.device(THREE);
    house.device(read([1, 2, 4]));
    assert_eq!(house.current().seen().dice, [None; 3], "nothing is read under the cover");
    house.device(Observation::Uncovered);
    house.device(read([1, 2, 4]));
    house.device(Observation::NotFlat);
    house.halted_by("5.3");
    // Flat, as the dealer sees it.
    house.staff(DEALER, House::dismissal());
    assert_eq!(house.staff_refused(DEALER, Body::confirm_result(TABLE), Code::Phase), "3.4");
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_010));
    assert!(house.alerts().is_empty());
}

#[test]
fn mbs_sicbo_5_6_nothing_is_withdrawn_after_no_more_bets() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    for road in [house.withdrawing(T0, "small", dollars(10)), Body::ClearBets] {
        assert_eq!(house.terminal_refused(T0, road, Code::BetsClosed), "5.6, 5.7");
    }
    assert_eq!(house.standing(T0), ["small=10.00"]);
}

#[test]
fn mbs_sicbo_5_7_nothing_is_placed_or_raised_after_no_more_bets_by_any_road() {
    let mut house = House::with(GAME);
    house.play(&["small=10.00"], "1-2-4");
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.later(20_000);
    // The period is over, though the bets are not closed yet.
    assert_eq!(house.every_road_is_shut(T0, "small", Code::BetsClosed), "5.6, 5.7");
    house.system(Body::Elapse);
    assert_eq!(house.every_road_is_shut(T0, "small", Code::BetsClosed), "5.6, 5.7");
    house.acknowledge(TABLE);
    house.device(THREE);
    house.device(Observation::Uncovered);
    house.enter("1-2-4");
    assert_eq!(house.every_road_is_shut(T0, "small", Code::BetsClosed), "5.6, 5.7");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_020));
}

#[test]
fn mbs_sicbo_6_1_an_irregularity_no_rule_covers_is_the_gaming_shift_managers_to_decide() {
    let mut house = House::with(GAME);
    let settled = house.play(&["small=10.00"], "1-2-4");
    let current = house.open();
    house.bet(T0, &["small=10.00"]);
    for staff in [DEALER, SUPERVISOR, MANAGER] {
        let void = House::deciding(Some(current), Ruling::VoidRound);
        assert_eq!(house.staff_refused(staff, void, Code::Rank), "6.1");
    }
    house.staff(SHIFT_MANAGER, House::deciding(Some(current), Ruling::VoidRound));
    house.is_void(current, &[(T0, dollars(1_010))]);
    house.staff(SHIFT_MANAGER, House::deciding(Some(settled), Ruling::Pay { terminal: T0, amount: dollars(5) }));
    assert_eq!(house.credit(T0), dollars(1_015));
    // A ground that the document does not have is such an irregularity.
    house.open();
    let foreign = Body::declare_ground(TABLE, GroundId::ActivatedBeforeClose);
    assert_eq!(house.staff_refused(DEALER, foreign, Code::NotAGround), "6.1");
}

#[test]
fn mbs_sicbo_6_2_whoever_acts_in_a_position_or_holds_a_higher_one_does_its_work() {
    let mut house = House::with(GAME);
    let acting = |staff, post| Body::AssignActing { staff, post, witness: Some(SECOND_ADMINISTRATOR) };
    // Higher: every rank above a dealer runs a round.
    house.staff(CASINO_MANAGER, BEGIN);
    house.device(THREE);
    house.staff(SHIFT_MANAGER, OPEN);
    house.staff(MANAGER, Body::CloseBets { table: TABLE });
    house.acknowledge(TABLE);
    let outcome = house.outcome(TABLE, "1-2-4");
    house.honest_device(TABLE, outcome);
    house.staff(SUPERVISOR, Body::enter_result(TABLE, outcome));
    house.staff(SECOND_MANAGER, Body::confirm_result(TABLE));
    // Acting: until it ends, and not beyond.
    house.staff_refused(CASHIER, BEGIN, Code::Rank);
    house.staff(SUPERVISOR, acting(CASHIER, Some(Post::Pit(Rank::Dealer))));
    house.staff(CASHIER, Body::TakeTable { table: TABLE });
    house.staff(CASHIER, BEGIN);
    house.staff(SUPERVISOR, acting(CASHIER, None));
    house.staff_refused(CASHIER, OPEN, Code::Rank);
    // Lower: no.
    let lock = Body::LockTerminal { terminal: T0, reason: "a spill".to_owned() };
    assert_eq!(house.staff_refused(DEALER, lock, Code::Rank), "D11");
    house.staff(SHIFT_MANAGER, acting(MANAGER, Some(Post::Pit(Rank::ShiftManager))));
    let round = house.round();
    house.staff(MANAGER, House::deciding(Some(round), Ruling::VoidRound));
}

#[test]
fn mbs_sicbo_6_3_the_dice_stand_over_every_display() {
    let mut house = House::with(GAME);
    let round = house.play(&["small=10.00"], "1-2-4");
    let note = "the board showed 6-6-6".to_owned();
    house.staff(DEALER, Body::RecordDisplay { table: TABLE, what: DisplayFault::Results, note });
    assert_eq!((house.result_of(round).as_deref(), house.credit(T0)), (Some("1-2-4"), dollars(1_010)));
    assert_eq!(house.floor.display_view(TABLE).unwrap().information_only.as_str(), "6.3");
}

#[test]
fn mbs_sicbo_6_3_a_wrong_result_is_put_right_before_settlement_by_the_dealer() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["small=10.00"]);
    house.close();
    house.enter("6-6-6");
    let same = Body::enter_result(TABLE, house.outcome(TABLE, "6-6-6"));
    assert_eq!(house.staff_refused(DEALER, same, Code::NothingToDo), "6.3");
    house.enter("1-2-4");
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_010));
}

#[test]
fn mbs_sicbo_6_3_a_wrong_result_is_put_right_after_settlement_by_two_shift_managers() {
    let mut house = House::with(GAME);
    let wrong = house.play(&["small=10.00"], "6-6-6");
    let later = house.play(&["small=20.00"], "1-2-4");
    let outcome = house.outcome(TABLE, "1-2-4");
    let correct = |witness| {
        let reason = "seen on the recording".to_owned();
        Body::CorrectResult { round: wrong, outcome, reason, witness }
    };
    assert_eq!(house.staff_refused(MANAGER, correct(Some(SHIFT_MANAGER)), Code::Rank), "D11");
    assert_eq!(house.staff_refused(SHIFT_MANAGER, correct(Some(MANAGER)), Code::SecondPerson), "D15");
    house.correct(wrong, "1-2-4");
    assert_eq!(house.credit(T0), dollars(1_000 + 10 + 20));
    assert_eq!([wrong, later].map(|round| house.result_of(round).unwrap()), ["1-2-4", "1-2-4"]);
    let same = house.correction(wrong, "1-2-4");
    assert_eq!(house.staff_refused(SHIFT_MANAGER, same, Code::NothingToDo), "6.3");
}
