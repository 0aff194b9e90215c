//! Damage, wrong results and late errors at the electronic tables of Resorts World (5.4 to 5.7).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Cents, GroundId};

fn bet(game: &str, amount: u32) -> String {
    format!("{}={amount}.00", even_money(game).0)
}

#[test]
fn etg_5_4_damage_voids_every_affected_round_settled_ones_too() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let before = house.play(&[&bet(game, 5)], wins);
        let won = house.play(&[&bet(game, 10)], wins);
        let lost = house.play(&[&bet(game, 20)], loses);
        let current = house.open();
        house.bet(T0, &[&bet(game, 40)]);
        assert_eq!(house.credit(T0), dollars(1_000 + 5 + 10 - 20 - 40));
        let events = house.staff(MANAGER, House::voiding(damage(game), vec![won, lost, current]));
        assert_eq!(events.len(), 3);
        house.is_void(current, &[(T0, dollars(1_005))]);
        assert_eq!([house.result_of(won), house.result_of(lost)], [None, None]);
        assert_eq!(house.result_of(before).as_deref(), Some(wins), "what was not affected stands");
        let history: Vec<RoundId> = house.floor.table(TABLE).unwrap().history().map(|(round, _)| round).collect();
        assert_eq!(history, [before]);
        // Once is enough.
        let again = House::voiding(damage(game), vec![won]);
        assert_eq!(house.staff_refused(MANAGER, again, Code::RoundOver), "5.4");
    }
}

#[test]
fn etg_5_4_a_pit_manager_names_the_rounds_and_a_second_one_confirms() {
    for game in ETG {
        let mut house = House::with(game);
        let round = house.play(&[&bet(game, 10)], even_money(game).1);
        let voiding = |rounds, witness| {
            let reason = "found at the count".to_owned();
            Body::VoidRounds { table: TABLE, ground: damage(game), rounds, reason, witness }
        };
        let both = Some(SECOND_MANAGER);
        assert_eq!(house.staff_refused(SUPERVISOR, voiding(vec![round], both), Code::Rank), "D11");
        for witness in [None, Some(MANAGER), Some(SUPERVISOR)] {
            assert_eq!(house.staff_refused(MANAGER, voiding(vec![round], witness), Code::SecondPerson), "D15");
        }
        house.staff_refused(MANAGER, voiding(vec![], both), Code::TooMany);
        assert_eq!(house.staff_refused(MANAGER, voiding(vec![round, round], both), Code::RoundOver), "5.4");
        house.staff_refused(MANAGER, voiding(vec![RoundId(99)], both), Code::NotFound);
        assert_eq!(house.credit(T0), dollars(1_010), "nothing has happened yet");
        house.staff(MANAGER, voiding(vec![round], both));
        assert_eq!(house.credit(T0), dollars(1_000));
    }
}

#[test]
fn etg_5_4_the_dealer_declares_damage_for_the_round_in_progress_alone() {
    for game in ETG {
        let mut house = House::with(game);
        let before = house.play(&[&bet(game, 10)], even_money(game).1);
        let current = house.open();
        house.bet(T0, &[&bet(game, 40)]);
        house.close();
        house.staff(DEALER, Body::declare_ground(TABLE, damage(game)));
        house.is_void(current, &[(T0, dollars(1_010))]);
        assert!(house.result_of(before).is_some());
    }
}

#[test]
fn etg_5_4_winnings_of_a_void_round_are_taken_from_the_credit_of_that_visit_only() {
    for game in ETG {
        let mut house = House::with(game);
        let wins = even_money(game).1;
        let round = house.open();
        house.bet(T0, &[&bet(game, 100)]);
        house.bet(T1, &[&bet(game, 100)]);
        house.finish(wins);
        // One player has left with everything, and another sits there; one has only 40.00 left.
        house.cash_out(T0);
        house.cash_in(T0, dollars(300));
        house.staff(SUPERVISOR, Body::AttendantPay { terminal: T1, amount: dollars(1_060), witness: None });
        house.staff(MANAGER, House::voiding(damage(game), vec![round]));
        assert_eq!([house.credit(T0), house.credit(T1)], [dollars(300), Cents::ZERO]);
        assert_eq!(house.alerts(), [&AlertKind::Uncollected(round, dollars(160))]);
    }
}

#[test]
fn etg_5_5_a_wrong_result_is_put_right_before_it_is_settled() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let round = house.open();
        house.bet(T0, &[&bet(game, 10)]);
        house.close();
        house.play_device();
        house.enter(loses);
        let same = Body::enter_result(TABLE, house.outcome(TABLE, loses));
        assert_eq!(house.staff_refused(DEALER, same, Code::NothingToDo), "5.5");
        let right = Body::enter_result(TABLE, house.outcome(TABLE, wins));
        let events = house.staff(DEALER, right);
        let [Event::AlertRaised { .. }, Event::ResultChanged { by: DEALER, .. }] = events[..] else {
            panic!("{events:?}")
        };
        house.confirm();
        assert_eq!((house.result_of(round).as_deref(), house.credit(T0)), (Some(wins), dollars(1_010)));
    }
}

#[test]
fn etg_5_5_the_pit_hears_when_what_is_put_right_is_not_what_the_device_read() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let round = house.open();
        house.close();
        house.play_device();
        let outcome = house.rulebook(TABLE).outcomes().outcome(house.outcome(TABLE, wins)).unwrap();
        let report = match outcome {
            rulebook::Outcome::Dice(dice) => Observation::DiceRead { dice: dice.0.map(Some) },
            rulebook::Outcome::Pocket(_) => Observation::Rested { pocket: house.outcome(TABLE, wins) },
        };
        house.device(report);
        house.enter(wins);
        assert!(house.alerts().is_empty());
        house.enter(loses);
        assert_eq!(house.alerts(), [&AlertKind::DeviceDisagrees(round)]);
    }
}

#[test]
fn etg_5_5_a_settled_round_is_settled_anew_by_what_dice_or_wheel_showed() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let other = if game == "rws-roulette-000" { "black=20.00" } else { "big=20.00" };
        let round = house.open();
        house.bet(T0, &[&bet(game, 10)]);
        house.bet(T1, &[other]);
        house.finish(loses);
        assert_eq!([house.credit(T0), house.credit(T1)], [990, 1_020].map(dollars));
        house.correct(round, wins);
        assert_eq!([house.credit(T0), house.credit(T1)], [1_010, 980].map(dollars));
        assert_eq!(house.result_of(round).as_deref(), Some(wins));
        assert_eq!(house.floor.table_view(TABLE).unwrap().history, [house.outcome(TABLE, wins)]);
        assert_eq!(house.floor.table(TABLE).unwrap().house_win(), dollars(10));
        // A correction can be wrong too; it is put right the same way.
        house.correct(round, loses);
        assert_eq!([house.credit(T0), house.credit(T1)], [990, 1_020].map(dollars));
        let (corrector, _) = correctors(game);
        let same = house.correction(round, loses);
        assert_eq!(house.staff_refused(corrector, same, Code::NothingToDo), "5.5");
    }
}

#[test]
fn etg_5_5_a_settled_result_needs_two_pit_supervisors() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let round = house.play(&[&bet(game, 10)], loses);
        let outcome = house.outcome(TABLE, wins);
        let correct = |outcome, witness| {
            let reason = "seen on the recording".to_owned();
            Body::CorrectResult { round, outcome, reason, witness }
        };
        assert_eq!(house.staff_refused(DEALER, correct(outcome, Some(SUPERVISOR)), Code::Rank), "D11");
        for witness in [None, Some(SUPERVISOR), Some(DEALER)] {
            assert_eq!(house.staff_refused(SUPERVISOR, correct(outcome, witness), Code::SecondPerson), "D15");
        }
        let wordless = Body::CorrectResult { round, outcome, reason: String::new(), witness: Some(SECOND_SUPERVISOR) };
        house.staff_refused(SUPERVISOR, wordless, Code::Text);
        let beyond = correct(forged(300), Some(SECOND_SUPERVISOR));
        assert_eq!(house.staff_refused(SUPERVISOR, beyond, Code::NotFound), "5.5");
        house.staff(SUPERVISOR, correct(outcome, Some(SECOND_SUPERVISOR)));
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_5_5_who_gains_after_the_visit_ended_is_paid_at_the_cage() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let round = house.play(&[&bet(game, 10)], loses);
        house.cash_out(T0);
        // Another player has sat down at the terminal.
        house.cash_in(T0, dollars(50));
        house.correct(round, wins);
        assert_eq!(house.credit(T0), dollars(50), "the other player's credit is not touched");
        let payable = house.floor.payables().next().unwrap();
        assert_eq!((payable.amount(), payable.round(), payable.terminal()), (dollars(20), Some(round), T0));
        let pay = Body::PayCorrection { payable: payable.id(), round: Some(round), witness: None };
        house.staff(CASHIER, Body::OpenShift { float: dollars(1_000), witness: None });
        let another = Body::PayCorrection { payable: PayableId(0), round: Some(RoundId(99)), witness: None };
        house.staff_refused(CASHIER, another, Code::NotFound);
        house.staff(CASHIER, pay.clone());
        house.staff_refused(CASHIER, pay, Code::NotFound);
        assert_eq!(house.floor.payables().count(), 0);
    }
}

#[test]
fn etg_5_5_from_who_loses_only_what_the_visit_still_has_is_taken_back() {
    for game in ETG {
        let (_, wins, loses) = even_money(game);
        // Still there, with enough; with too little beside a bet of a later round; gone, and another player there.
        for (left, taken, uncollected) in [(1_100, 200, 0), (150, 150, 50), (0, 0, 200)] {
            let mut house = House::with(game);
            let round = house.play(&[&bet(game, 100)], wins);
            let paid = dollars(1_100 - left);
            if left == 0 {
                house.cash_out(T0);
                house.cash_in(T0, dollars(500));
            } else if paid.is_positive() {
                house.open();
                house.bet(T0, &["odd=20.00"]);
                let amount = Cents::new(paid.get() - dollars(20).get());
                house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount, witness: None });
            }
            let before = house.credit(T0);
            house.correct(round, loses);
            assert_eq!(house.credit(T0), Cents::new(before.get() - dollars(taken).get()), "{left} left");
            assert_eq!(house.floor.pit_view().uncollected, dollars(uncollected));
            if left == 150 {
                assert_eq!(house.standing(T0), ["odd=20.00"], "stakes of a later round are never taken");
            }
        }
    }
}

#[test]
fn etg_5_6_an_error_noticed_rounds_later_changes_nothing_in_the_rounds_between() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let wrong = house.play(&[&bet(game, 10)], loses);
        let later = [house.play(&[&bet(game, 20)], wins), house.play(&[&bet(game, 40)], loses)];
        house.open();
        house.bet(T0, &[&bet(game, 80)]);
        let entitled = |house: &House, round: RoundId| {
            let table = house.floor.table(TABLE).unwrap();
            let archived = table.archive().find(|archived| archived.id() == round).unwrap();
            (archived.outcome(), archived.entries()[0].entitled())
        };
        let before = later.map(|round| entitled(&house, round));
        let credit = house.credit(T0);
        let events = house.correct(wrong, wins);
        let moved = |event: &&Event| !matches!(event, Event::AlertRaised { .. });
        let moved: Vec<&Event> = events.iter().filter(moved).collect();
        assert!(matches!(&moved[..], [Event::RoundCorrected { round, .. }] if *round == wrong), "{events:?}");
        assert_eq!(later.map(|round| entitled(&house, round)), before);
        assert_eq!(house.credit(T0), Cents::new(credit.get() + dollars(20).get()), "only the first round is paid");
        // The round in progress goes on as if nothing had been.
        assert_eq!(house.standing(T0), [bet(game, 80)]);
        house.finish(wins);
        assert_eq!(house.credit(T0), dollars(1_000 + 10 + 20 - 40 + 80));
    }
}

#[test]
fn etg_5_6_damage_found_later_voids_the_rounds_named_and_no_others() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, _) = even_money(game);
        let rounds = [10, 20, 40].map(|amount| house.play(&[&bet(game, amount)], wins));
        house.staff(MANAGER, House::voiding(damage(game), vec![rounds[1]]));
        let results = rounds.map(|round| house.result_of(round).is_some());
        assert_eq!((results, house.credit(T0)), ([true, false, true], dollars(1_050)));
    }
}

#[test]
fn etg_5_6_a_round_that_is_no_longer_kept_is_the_shift_managers_to_decide() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let first = house.play(&[&bet(game, 10)], loses);
        for _ in 0..bounds::CORRECTABLE {
            house.play(&[], loses);
        }
        let correction = house.correction(first, wins);
        house.staff_refused(SUPERVISOR, correction, Code::NotFound);
        house.staff(SHIFT_MANAGER, House::deciding(None, Ruling::Pay { terminal: T0, amount: dollars(20) }));
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_5_7_bets_settle_by_where_they_stand_at_the_close() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let other = if game == "rws-roulette-000" { "black" } else { "big" };
        house.open();
        // First here, then there, then less of it: what stands at the close is what counts.
        house.bet(T0, &[&format!("{other}=50.00")]);
        let withdrawn = house.withdrawing(T0, other, dollars(50));
        house.ok(Sender::Terminal(T0), withdrawn);
        house.bet(T0, &[&format!("{spot}=30.00")]);
        let lowered = house.withdrawing(T0, spot, dollars(10));
        house.ok(Sender::Terminal(T0), lowered);
        house.finish(wins);
        assert_eq!(house.credit(T0), dollars(1_020));
    }
}

#[test]
fn etg_5_7_the_house_does_not_answer_for_a_bet_placed_in_error() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, _, loses) = even_money(game);
        house.open();
        house.bet(T0, &[&bet(game, 500)]);
        house.close();
        assert_eq!(house.every_road_is_shut(T0, spot, Code::BetsClosed), "3.5, 5.7");
        // No dealer, supervisor or manager can take it back for the player.
        let amount = dollars(500);
        for staff in [DEALER, SUPERVISOR, MANAGER] {
            let give = House::deciding(None, Ruling::Pay { terminal: T0, amount });
            assert_eq!(house.staff_refused(staff, give, Code::Rank), "5.10");
        }
        house.play_device();
        house.enter(loses);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(500));
    }
}

#[test]
fn rws_roulette_000_5_4_a_broken_ball_is_damage_and_broken_dice_are_not() {
    let mut house = House::with("rws-roulette-000");
    let round = house.play(&["red=10.00"], "1");
    let dice = House::voiding(GroundId::DiceDamaged, vec![round]);
    assert_eq!(house.staff_refused(MANAGER, dice, Code::NotAGround), "5.10");
    house.staff(MANAGER, House::voiding(GroundId::BallBroken, vec![round]));
    house.is_void(round, &[(T0, dollars(1_000))]);
}
