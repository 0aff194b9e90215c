//! Our decisions, where the documents are silent (docs/rules.md): those about games and rounds. D7 is in `visits.rs`, D11
//! and D15 in `authority.rs`.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::{Cents, Face, GroundId, LimitScope, library};

#[test]
fn d1_a_tai_sai_double_pays_eleven_to_one() {
    let mut house = House::live();
    house.deal(&[(1, "double/5", 100)], "5-5-2");
    assert_eq!(house.shares(), [(1, 100, 1_200)]);
    let double = house.rulebook(TABLE).layouts()[0].table();
    let priced = double.spot(house.chip_spot("double/5")).unwrap();
    assert_eq!(priced.mark.as_ref().map(ToString::to_string).as_deref(), Some("inferred, D1"));
}

#[test]
fn d2_finale_0_is_0_10_20_and_30() {
    for (outcome, wins) in [("0", true), ("10", true), ("20", true), ("30", true), ("00", false), ("000", false)] {
        let mut house = House::with("rws-roulette-000");
        let rapid = house.enrol(TABLE, "rapid", "a");
        house.cash_in(rapid, dollars(100));
        house.open();
        house.bet(rapid, &["finale/0=10.00"]);
        house.finish(outcome);
        assert_eq!(whole(house.credit(rapid)), if wins { 60 + 360 } else { 60 }, "on {outcome}");
    }
}

#[test]
fn d3_neighbours_follow_the_order_of_the_wheel() {
    let mut house = House::with("rws-roulette-000");
    let rapid = house.enrol(TABLE, "rapid", "a");
    house.cash_in(rapid, dollars(100));
    house.open();
    house.bet(rapid, &["neighbours/0/1=1.00"]);
    let view = house.floor.terminal_view(rapid).unwrap();
    let spots: Vec<String> = view.bets.iter().map(|(spot, ..)| spot.to_string()).collect();
    assert_eq!(spots, ["straight/000", "straight/0", "straight/26"], "the zeros stand between 26 and 32");
    assert_eq!(view.pieces[0].bet, "neighbours/0/1");
}

#[test]
fn d4_a_tumble_or_spin_before_the_close_or_after_it_is_accepted() {
    for game in ["rws-sicbo", "rws-roulette-000", "rws-taisai"] {
        for before in [true, false] {
            let mut house = House::with(game);
            house.open();
            let spin = |house: &mut House| {
                if game == "rws-roulette-000" {
                    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
                    house.device(Observation::Revolved { times: 4 });
                } else {
                    house.device(Observation::Activated);
                    house.device(Observation::Tumbled { times: 3 });
                }
            };
            if before {
                spin(&mut house);
            }
            house.close();
            if !before {
                spin(&mut house);
            }
            house.enter(if game == "rws-roulette-000" { "17" } else { "1-2-3" });
            house.confirm();
            assert!(house.floor.alerts().next().is_none(), "{game} before: {before}");
        }
    }
}

#[test]
fn d4_a_ball_that_rests_before_the_close_gives_no_result() {
    let mut house = House::with("rws-roulette-000");
    let round = house.open();
    house.bet(T0, &["red=10.00"]);
    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
    house.device(Observation::Revolved { times: 9 });
    let pocket = house.outcome(TABLE, "17");
    let events = house.device(Observation::Rested { pocket });
    assert!(matches!(events[1], Event::AlertRaised { what: AlertKind::RestedEarly(_), .. }));
    house.close();
    let enter = Body::enter_result(TABLE, pocket);
    assert_eq!(house.refused(Sender::Staff(DEALER), enter, Code::NotValid), "D4");
    // The Shift Manager decides.
    let (ruling, reason) = (Ruling::VoidRound, "the ball rested early".to_owned());
    house.staff(
        SHIFT_MANAGER,
        Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness: Some(SECOND_SHIFT_MANAGER) },
    );
    assert_eq!(house.credit(T0), dollars(1_000));
}

#[test]
fn d5_what_a_device_measures_freezes_the_round_until_it_is_dealt_with() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 1 });
    let more = house.bets(T0, &["big=10.00"]);
    assert_eq!(house.refused(Sender::Terminal(T0), more.clone(), Code::GroundOpen), "D5");
    house.refused(Sender::Terminal(T0), Body::ClearBets, Code::GroundOpen);
    assert_eq!(house.refused(Sender::Staff(DEALER), Body::CloseBets { table: TABLE }, Code::GroundOpen), "5.3.1");
    // The time it stood still is given back.
    let closes_at = house.floor.table(TABLE).unwrap().round().unwrap().closes_at().unwrap();
    house.later(60_000);
    house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
    let dismiss = Body::DismissGround { table: TABLE, reason: "the sensor".to_owned(), witness: None };
    house.refused(Sender::Staff(DEALER), dismiss.clone(), Code::Rank);
    house.staff(SUPERVISOR, dismiss);
    assert_eq!(house.floor.table(TABLE).unwrap().round().unwrap().closes_at(), Some(closes_at.after(60_000)));
    house.ok(Sender::Terminal(T0), more);
    house.refused(Sender::Staff(DEALER), Body::ConfirmGround { table: TABLE }, Code::NothingToDo);
}

#[test]
fn d5_a_second_ground_waits_for_its_turn_and_nothing_settles_before() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.bet(T0, &["big=10.00"]);
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::NotFlat);
    house.device(Observation::Tumbled { times: 2 });
    // The dealer finds the die flat; the short tumble is still there.
    house.staff(DEALER, Body::DismissGround { table: TABLE, reason: "flat".to_owned(), witness: None });
    let outcome = house.outcome(TABLE, "1-2-3");
    let rule = house.refused(Sender::Staff(DEALER), Body::enter_result(TABLE, outcome), Code::GroundOpen);
    assert_eq!(rule, "5.3.1");
    let events = house.staff(DEALER, Body::ConfirmGround { table: TABLE });
    assert!(matches!(events[0], Event::RoundVoided { by: VoidBy::Ground(GroundId::TooFewTumbles), .. }));
    assert_eq!(house.credit(T0), dollars(1_000));
}

#[test]
fn d6_a_stoppage_within_the_grace_is_recorded_and_a_longer_one_is_attested() {
    let stopped = |grace: i64, milliseconds: i64, terminals_back: bool| {
        let mut settings = House::settings("rws-sicbo");
        settings.grace = grace;
        let mut house = House::with_settings("rws-sicbo", settings);
        house.open();
        house.bet(T0, &["big=10.00"]);
        let from = house.at;
        house.later(milliseconds);
        house.system(Body::ReportStoppage { from, terminals_back });
        (house.floor.table(TABLE).unwrap().round().unwrap().is_interrupted(), house)
    };
    assert!(!stopped(10_000, 10_000, true).0);
    assert!(stopped(10_000, 10_001, true).0);
    assert!(stopped(10_000, 1, false).0, "not with its terminals away");
    assert!(stopped(0, 1, true).0, "0 switches the grace off");
    let (_, mut house) = stopped(0, 5_000, true);
    let closes_at = house.floor.table(TABLE).unwrap().round().unwrap().closes_at().unwrap();
    let attest = |finding| Body::Attest { table: TABLE, finding, witness: Some(SUPERVISOR) };
    house.later(5_000);
    house.staff(DEALER, attest(Finding::NotAffected));
    let round = house.floor.table(TABLE).unwrap().round().unwrap();
    assert_eq!(
        (round.phase(), round.closes_at()),
        (Phase::Open, Some(closes_at.after(10_000))),
        "on from where it was"
    );
    house.refused(Sender::Staff(DEALER), attest(Finding::NotAffected), Code::NothingToDo);
}

#[test]
fn d6_nothing_is_uncovered_before_the_attestation() {
    let mut house = House::with("rws-sicbo");
    house.open();
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    let from = house.at;
    house.later(60_000);
    house.system(Body::ReportStoppage { from, terminals_back: true });
    assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished);
    // Uncovered all the same: what is read then does not count, and establishes nothing.
    house.device(Observation::Uncovered);
    house.device(Observation::DiceRead { dice: [Face::new(6), Face::new(5), Face::new(4)] });
    let round = house.floor.table(TABLE).unwrap().round().unwrap();
    assert!(!round.seen().uncovered && round.seen().dice.iter().all(Option::is_none));
    let proposal = house.floor.proposal(TABLE).unwrap();
    assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::NotEstablished, "5.1.2"));
    // The person who attests has seen the dice: the Shift Manager signs, and no one below.
    let attest = |witness| Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness };
    for witness in [None, Some(SUPERVISOR), Some(MANAGER)] {
        assert_eq!(house.refused(Sender::Staff(DEALER), attest(witness), Code::SecondPerson), "D6");
    }
    house.staff(DEALER, attest(Some(SHIFT_MANAGER)));
    assert!(house.floor.table(TABLE).unwrap().round().is_none());
}

#[test]
fn d8_pro_rata_is_worked_out_for_the_lighter_side_first_in_one_pass() {
    // Small is over its own box: 1,000 of 1,200 at risk. Big may be 500 more than that, and no more than its box.
    let mut settings = House::settings("rws-taisai");
    settings.families = vec![(rulebook::Family::Big, Limit { minimum: dollars(25), maximum: Some(dollars(2_000)) })];
    settings.step = dollars(5);
    let mut house = House::live_with(settings);
    house.deal(&[(1, "big", 1_600), (2, "big", 320), (3, "small", 1_200), (3, "big", 20)], "6-5-4");
    // Big's cap is 1,500: 20 whole, the rest by 1,480/1,920 in chips of 5: 1,233.33 → 1,230, 246.67 → 245.
    assert_eq!(house.shares(), [(3, 1_000, 200), (1, 1_230, 370 + 2_460), (2, 245, 75 + 490), (3, 20, 40)]);
}

#[test]
fn d9_a_table_fixes_a_step_by_which_every_payout_is_whole_cents() {
    let mut settings = House::settings("rws-sicbo");
    settings.step = Cents::new(1);
    settings.limit = Limit { minimum: Cents::new(1), maximum: Some(dollars(10)) };
    let mut house = House::empty();
    let rulebook = library::find("rws-sicbo").unwrap();
    house.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
    let add = |settings: TableSettings| Body::AddTable {
        name: "dice".to_owned(),
        rulebook: rulebook.hash(),
        mode: TableMode::Terminals,
        settings: settings.into(),
        witness: None,
    };
    assert_eq!(house.refused(Sender::System, add(settings.clone()), Code::Settings), "D9");
    settings.step = Cents::new(2);
    assert_eq!(house.refused(Sender::System, add(settings.clone()), Code::Settings), "D9", "limits are steps too");
    settings.limit.minimum = Cents::new(2);
    let mut house = House::with_settings("rws-sicbo", settings);
    house.open();
    let off = house.bets(T0, &["total/8=0.03"]);
    assert_eq!(house.refused(Sender::Terminal(T0), off, Code::OffStep), "D9");
    // The smallest bet at half odds: 8.5 to 1 on two cents is seventeen cents, and the stake.
    house.bet(T0, &["total/8=0.02"]);
    house.finish("1-2-5");
    assert_eq!(house.credit(T0), Cents::new(100_000 + 17));
}

#[test]
fn d10_a_single_is_paid_once_by_how_many_dice_show_it_and_four_numbers_need_three_different() {
    for (outcome, paid) in [("2-1-3", 2), ("2-2-3", 3), ("2-2-2", 13), ("1-3-4", 0)] {
        let mut house = House::with("rws-sicbo");
        house.play(&["single/2=10.00"], outcome);
        assert_eq!(whole(house.credit(T0)), 990 + 10 * paid, "{outcome}");
    }
    for (outcome, paid) in [("1-2-3", true), ("2-3-4", true), ("1-1-2", false), ("1-2-5", false), ("3-3-3", false)] {
        let mut house = House::with("rws-sicbo");
        house.play(&["four/1-2-3-4=10.00"], outcome);
        assert_eq!(house.credit(T0) > dollars(1_000), paid, "{outcome}");
    }
}

#[test]
fn d12_a_live_terminal_that_does_not_acknowledge_the_close_counts_as_lost_after_two_seconds() {
    let mut house = House::with("rws-sicbo");
    let round = house.open();
    house.bet(T1, &["big=10.00"]);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
    // Lost after it acknowledged, and back again: it is no longer awaited, and does not stand for another terminal.
    house.system(Body::TerminalLost { terminal: T0 });
    house.system(Body::TerminalBack { terminal: T0 });
    house.refused(Sender::Terminal(T0), Body::AcknowledgeClose { round }, Code::NothingToDo);
    house.system(Body::TerminalLost { terminal: T2 });
    assert_eq!(house.floor.console_view(TABLE).unwrap().awaiting, 1, "one acknowledged, one lost, one silent");
    let outcome = house.outcome(TABLE, "6-5-4");
    let enter = Body::enter_result(TABLE, outcome);
    house.later(1_999);
    assert_eq!(house.refused(Sender::Staff(DEALER), enter.clone(), Code::Unacknowledged), "D12");
    house.later(1);
    assert_eq!(house.floor.next_deadline(), Some(house.at));
    let events = house.system(Body::Elapse);
    assert_eq!(events, [Event::CountedLost { round, table: TABLE, terminals: vec![T1] }]);
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.credit(T1), dollars(1_010), "lost for the round, and its bets settle");
    assert!(house.floor.terminal(T1).unwrap().is_live(), "it is not lost for good");
}

#[test]
fn d13_limits_are_each_players_on_terminals_and_the_boxs_at_tai_sai() {
    let mut house = House::with("rws-sicbo");
    assert_eq!(house.rulebook(TABLE).limits().scope, LimitScope::PlayerAndSpot);
    house.open();
    for terminal in [T0, T1] {
        house.bet(terminal, &["big=600.00"]);
        let more = house.bets(terminal, &["big=401.00"]);
        house.refused(Sender::Terminal(terminal), more, Code::AboveMaximum);
        house.bet(terminal, &["small=400.00"]);
    }
    let mut house = House::live();
    assert_eq!(house.rulebook(TABLE).limits().scope, LimitScope::Box);
    house.open();
    house.place(&[(1, "total/9", 600), (2, "total/9", 600)]);
    assert_eq!(house.excess(), [("total/9".to_owned(), 200)]);
    house.place(&[(3, "total/9", 20)]);
    assert_eq!(house.floor.under_minimum_bets(TABLE).len(), 1, "the minimum is each player's");
}

#[test]
fn d14_at_mbs_accepted_settles_and_not_accepted_was_not_part_of_the_round() {
    let mut house = House::with("mbs-sicbo");
    house.open();
    // Accepted, and the terminal is gone before it shows the close.
    house.bet(T0, &["big=10.00"]);
    house.system(Body::TerminalLost { terminal: T0 });
    // Never accepted: what a terminal without its host sends is refused, and nothing was debited.
    let sent = house.bets(T0, &["small=10.00"]);
    assert_eq!(house.refused(Sender::Terminal(T0), sent, Code::TerminalUnavailable), "S18");
    house.finish("6-5-4");
    house.system(Body::TerminalBack { terminal: T0 });
    let view = house.floor.terminal_view(T0).unwrap();
    assert_eq!((view.credit, view.staked), (dollars(1_010), Cents::ZERO));
    assert_eq!(view.last.map(|last| (last.staked, last.returned)), Some((dollars(10), dollars(20))));
}

#[test]
fn d16_an_arrangement_of_ours_moves_bets_on_a_screen_and_changes_no_odds() {
    let mut marked = 0;
    for layout in library::all().unwrap().iter().filter(|r| r.identity().approved).flat_map(|r| r.layouts()) {
        let drawn = layout.areas().iter().flat_map(|area| area.rows.iter().flatten().flatten());
        let mut drawn: Vec<String> = drawn.map(ToString::to_string).collect();
        let pays = layout.table();
        let mut priced: Vec<String> = pays.indices().map(|index| pays.spot(index).unwrap().spot.to_string()).collect();
        drawn.sort();
        priced.sort();
        assert_eq!(drawn, priced, "every spot is drawn once");
        marked += usize::from(layout.mark().is_some_and(|mark| mark.to_string() == "assumed, D16"));
    }
    assert!(marked >= 6, "{marked} layouts are marked as ours");
}

#[test]
fn d17_a_void_round_at_mbs_returns_all_bets() {
    let mut house = House::with("mbs-sicbo");
    assert_eq!(house.rulebook(TABLE).irregularities().void_returns.as_str(), "D17");
    house.open();
    house.bet(T0, &["big=100.00", "triple/any=5.00"]);
    house.bet(T1, &["small=50.00"]);
    house.close();
    house.staff(DEALER, Body::declare_ground(TABLE, GroundId::DomeOrDiceBroken));
    for terminal in [T0, T1, T2] {
        assert_eq!(house.credit(terminal), dollars(1_000));
    }
}
