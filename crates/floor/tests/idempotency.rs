//! Retries: the first answer again, never the effect again; and the order in which reasons to refuse are named.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::Rank;

fn number(house: &House, sender: Sender, number: u64, body: Body) -> Command {
    Command { sender, number, at: house.at, body }
}

#[test]
fn a_retry_gets_the_first_answer_and_changes_nothing() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let command = number(&house, Sender::Terminal(T0), 1_000_000, house.bets(T0, &["big=10.00"]));
    house.send_command(&command).unwrap();
    let sequence = house.floor.sequence();
    let hash = house.floor.state_hash();
    for _ in 0..3 {
        assert_eq!(house.floor.decide(&command), Ok(Decision::Earlier(sequence)));
        assert_eq!(house.floor.state_hash(), hash);
    }
    // Also when it would be refused by now, and whatever the clock says.
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    let late = Command { at: house.at.after(60_000), ..command.clone() };
    assert_eq!(house.floor.decide(&late), Ok(Decision::Earlier(sequence)));
    assert_eq!(whole(house.floor.terminal(T0).unwrap().staked()), 10);
}

#[test]
fn another_body_under_the_same_number_is_refused() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let first = number(&house, Sender::Terminal(T0), 1_000_000, house.bets(T0, &["big=10.00"]));
    house.send_command(&first).unwrap();
    for other in [house.bets(T0, &["big=10.01"]), house.bets(T0, &["small=10.00"]), Body::ClearBets] {
        let other = number(&house, Sender::Terminal(T0), 1_000_000, other);
        let refusal = house.send_command(&other).unwrap_err();
        assert_eq!((refusal.code, refusal.rule.as_str()), (Code::NumberReused, "idempotency"));
    }
    // Every sender counts for itself.
    let other = number(&house, Sender::Terminal(T1), 1_000_000, house.bets(T1, &["small=10.00"]));
    house.send_command(&other).unwrap();
}

#[test]
fn only_the_last_answers_are_kept_and_what_is_older_is_stale() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let bet =
        |house: &House, at: u64| number(house, Sender::Terminal(T0), 1_000_000 + at, house.bets(T0, &["big=1.00"]));
    let kept = u64::try_from(bounds::ANSWERS).unwrap();
    for at in 0..=kept {
        let command = bet(&house, at);
        house.send_command(&command).unwrap();
    }
    let refusal = house.floor.decide(&bet(&house, 0)).unwrap_err();
    assert_eq!(refusal.code, Code::Stale, "the oldest answer has gone");
    for at in 1..=kept {
        assert!(matches!(house.floor.decide(&bet(&house, at)), Ok(Decision::Earlier(_))), "{at}");
    }
    // A number that was never used is new as long as it is not below all that are kept: commands overtake each other.
    let skipped = bet(&house, kept + 5);
    house.send_command(&skipped).unwrap();
    assert!(matches!(house.floor.decide(&bet(&house, kept + 2)), Ok(Decision::Events(_))));
    assert_eq!(
        house.floor.decide(&number(&house, Sender::Terminal(T0), 1, Body::ClearBets)).unwrap_err().code,
        Code::Stale
    );
}

#[test]
fn as_many_commands_as_answers_are_kept_may_overtake_each_other() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let kept = u64::try_from(bounds::ANSWERS).unwrap();
    let bet =
        |house: &House, at: u64| number(house, Sender::Terminal(T0), 1_000_000 + at, house.bets(T0, &["big=1.00"]));
    for at in (0..kept).rev() {
        let command = bet(&house, at);
        house.send_command(&command).unwrap();
    }
    assert_eq!(whole(house.floor.terminal(T0).unwrap().staked()), 32);
    for at in 0..kept {
        assert!(matches!(house.floor.decide(&bet(&house, at)), Ok(Decision::Earlier(_))), "each is a retry now: {at}");
    }
}

#[test]
fn an_absurd_number_is_refused_and_blocks_nobody() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let clock = u64::try_from(house.at.0).unwrap() * 1_000;
    for absurd in [u64::MAX, 1 << 60, clock + 2 * bounds::NUMBER_AHEAD_OF_CLOCK] {
        let command = number(&house, Sender::Terminal(T0), absurd, house.bets(T0, &["big=1.00"]));
        let refusal = house.send_command(&command).unwrap_err();
        assert_eq!((refusal.code, refusal.rule.as_str()), (Code::NumberFar, "idempotency"));
    }
    // By the clock, or by counting on from the last, whatever that was.
    for fine in [clock + 1_000, clock + 1_001, clock + bounds::NUMBER_AHEAD_OF_CLOCK - 1] {
        let command = number(&house, Sender::Terminal(T0), fine, house.bets(T0, &["big=1.00"]));
        house.send_command(&command).unwrap();
    }
    // One that is far ahead of the others does not make them stale.
    let command = number(&house, Sender::Terminal(T0), clock + 2_000, house.bets(T0, &["big=1.00"]));
    house.send_command(&command).unwrap();
}

#[test]
fn a_refusal_is_not_remembered_and_a_retry_is_decided_anew() {
    let mut house = House::with("rws-sicbo");
    let early = number(&house, Sender::Terminal(T0), 1_000_000, house.bets(T0, &["big=10.00"]));
    let written = house.log.len();
    assert_eq!(house.send_command(&early).unwrap_err().code, Code::BetsClosed);
    assert_eq!(house.log.len(), written, "a refusal writes no event");
    house.open();
    assert!(matches!(house.floor.decide(&early), Ok(Decision::Events(_))));
    // And the number is free for something else.
    let other = Command { body: house.bets(T0, &["small=10.00"]), ..early };
    house.send_command(&other).unwrap();
}

#[test]
fn answers_outlive_a_restart_from_the_log_or_from_bytes() {
    let mut house = House::with("rws-sicbo");
    house.open();
    let command = number(&house, Sender::Terminal(T0), 1_000_000, house.bets(T0, &["big=10.00"]));
    house.send_command(&command).unwrap();
    let answer = house.floor.decide(&command);
    let mut replayed = Floor::new();
    house.log.iter().for_each(|record| replayed.apply(record).unwrap());
    assert_eq!(replayed.decide(&command), answer);
    assert_eq!(Floor::from_bytes(&house.floor.to_bytes()).unwrap().decide(&command), answer);
}

#[test]
fn time_comes_with_the_command_and_never_runs_backwards() {
    let mut house = House::with("rws-sicbo");
    house.later(10_000);
    house.open();
    let now = house.floor.now();
    let early =
        Command { sender: Sender::System, number: 1_000_000, at: Moment(5), body: Body::TerminalLost { terminal: T0 } };
    let Ok(Decision::Events(records)) = house.floor.decide(&early) else { panic!("refused") };
    assert!(records.iter().all(|record| record.at == now));
}

#[test]
fn of_several_reasons_the_first_in_the_documented_order_is_named() {
    let mut settings = House::settings("rws-sicbo");
    settings.liability = Some(dollars(50));
    let mut house = House::with_settings("rws-sicbo", settings);
    let unknown = Sender::Terminal(TerminalId(77));
    let staff = Sender::Staff(AUDITOR);
    let terminal = Sender::Terminal(T0);
    let wide: Vec<BetChange> = {
        let spot = house.spot(T0, "big");
        vec![BetChange::Add { spot, amount: dollars(1) }; bounds::CHANGES + 1]
    };
    let code = |house: &House, sender, body: &Body| house.floor.may(sender, body, house.at).unwrap_err().code;

    // No floor before anything else.
    assert_eq!(Floor::new().may(Sender::System, &Body::ClearBets, house.at).unwrap_err().code, Code::Floor);
    // The sender, before what the command is about.
    let nowhere = Body::open_bets(TableId(9));
    assert_eq!(code(&house, unknown, &nowhere), Code::UnknownSender);
    // What the command is about, before the rank, which its rulebook says.
    assert_eq!(code(&house, staff, &nowhere), Code::NotFound);
    let (outcome, reason) = (house.outcome(TABLE, "1-2-3"), String::new());
    assert_eq!(code(&house, staff, &Body::open_bets(TABLE)), Code::Rank);
    // The rank, before the second person; that one, before texts and amounts.
    let settled = house.play(&[], "1-2-3");
    let correct = |witness| Body::CorrectResult { round: settled, outcome, reason: reason.clone(), witness };
    assert_eq!(code(&house, staff, &correct(None)), Code::Rank);
    assert_eq!(code(&house, Sender::Staff(SUPERVISOR), &correct(None)), Code::SecondPerson);
    assert_eq!(code(&house, Sender::Staff(SUPERVISOR), &correct(Some(MANAGER))), Code::Text);
    // Whether the terminal can be used, before the phase; the phase, before the size of the command.
    house.system(Body::TerminalLost { terminal: T0 });
    assert_eq!(code(&house, terminal, &Body::Bet { changes: wide.clone().into() }), Code::TerminalUnavailable);
    house.system(Body::TerminalBack { terminal: T0 });
    assert_eq!(code(&house, terminal, &Body::Bet { changes: wide.clone().into() }), Code::BetsClosed);
    house.open();
    assert_eq!(code(&house, terminal, &Body::Bet { changes: wide.into() }), Code::TooMany);
    // What the layout offers, the amount, the step, the limits, the credit, the loss limit, the liability.
    let off_layout =
        rulebook::library::find("rws-sicbo").unwrap().layout("b").unwrap().table().indices().last().unwrap();
    let on_layout = house.spot(T0, "triple/6");
    let bet =
        |spot, cents| Body::Bet { changes: [BetChange::Add { spot, amount: rulebook::Cents::new(cents) }].into() };
    assert_eq!(code(&house, terminal, &bet(off_layout, 0)), Code::NotOffered);
    assert_eq!(code(&house, terminal, &bet(on_layout, -50)), Code::Amount);
    assert_eq!(code(&house, terminal, &bet(on_layout, 2_000_050)), Code::OffStep);
    assert_eq!(code(&house, terminal, &bet(on_layout, 200_000)), Code::AboveMaximum);
    house.ok(terminal, Body::SetLossLimit { terminal: T0, limit: Some(dollars(20)) });
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(950), witness: None });
    assert_eq!(code(&house, terminal, &bet(on_layout, 10_000)), Code::Credit);
    assert_eq!(code(&house, terminal, &bet(on_layout, 3_000)), Code::LossLimit);
    assert_eq!(code(&house, terminal, &bet(on_layout, 1_000)), Code::Liability);
    // Idempotency, before all of them.
    let settled = number(&house, Sender::Staff(AUDITOR), 5, nowhere);
    house.staff(ADMINISTRATOR, Body::AssignActing { staff: AUDITOR, post: Some(Post::Pit(Rank::Dealer)) });
    let take = number(&house, Sender::Staff(AUDITOR), 5, Body::TakeTable { table: TABLE });
    house.send_command(&take).unwrap();
    assert_eq!(house.floor.decide(&settled).unwrap_err().code, Code::NumberReused);
}

#[test]
fn every_refusal_has_a_stable_code_of_its_own() {
    let texts: std::collections::BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(texts.len(), Code::ALL.len());
    assert!(texts.iter().all(|text| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
}
