//! Section 3 of the electronic tables at Resorts World: the notice, the limits, the bets and the close.

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::Cents;

#[test]
fn etg_3_2_betting_starts_with_the_notice_on_the_terminal() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        assert_eq!(house.every_road_is_shut(T0, spot, Code::BetsClosed), "3.2");
        house.open();
        let shown = house.floor.terminal_view(T0).unwrap().table.round.unwrap();
        assert_eq!((shown.phase, shown.notice.unwrap().en.as_str()), (Phase::Open, "Place your bets"));
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.finish(wins);
        // Between two rounds the terminals show no notice.
        assert!(house.floor.terminal_view(T0).unwrap().table.round.is_none());
        assert_eq!(house.every_road_is_shut(T0, spot, Code::BetsClosed), "3.2");
    }
}

#[test]
fn etg_3_2_only_the_pit_shows_the_notice() {
    for game in ETG {
        let mut house = House::with(game);
        let open = Body::open_bets(TABLE);
        house.terminal_refused(T0, open.clone(), Code::NotForSender);
        house.refused(Sender::Device(DEVICE), open.clone(), Code::NotForSender);
        for apart in [CASHIER, AUDITOR, ADMINISTRATOR] {
            house.staff_refused(apart, open.clone(), Code::Rank);
        }
        house.staff(SECOND_DEALER, Body::TakeTable { table: TABLE });
        house.staff(SECOND_DEALER, open);
    }
}

#[test]
fn etg_3_3_the_minimum_and_the_maximum_are_shown_and_kept_per_player_and_spot() {
    for game in ETG {
        let (spot, wins, _) = even_money(game);
        let mut settings = House::settings(game);
        settings.limit = Limit { minimum: dollars(5), maximum: Some(dollars(100)) };
        let own = Limit { minimum: dollars(10), maximum: Some(dollars(50)) };
        let family = spot.parse::<rulebook::Spot>().unwrap().family();
        settings.families = vec![(family, own)];
        let mut house = House::with_settings(game, settings);
        house.open();
        let shown = house.floor.terminal_view(T0).unwrap().table.limits;
        assert!(shown.contains(&(family, own)));
        let other = if game == "rws-roulette-000" { "black" } else { "big" };
        let bet = |spot: &str, amount: u32| format!("{spot}={amount}.00");
        let refused = |house: &mut House, spot: &str, amount: u32, code| {
            assert_eq!(house.bet_refused(T0, &[&bet(spot, amount)], code), "3.3", "{spot} {amount}");
        };
        refused(&mut house, spot, 9, Code::BelowMinimum);
        refused(&mut house, spot, 51, Code::AboveMaximum);
        refused(&mut house, other, 4, Code::BelowMinimum);
        refused(&mut house, other, 101, Code::AboveMaximum);
        // Exactly the limits are within them; what stands already counts.
        house.bet(T0, &[&bet(spot, 10), &bet(other, 100)]);
        house.bet(T0, &[&bet(spot, 40)]);
        refused(&mut house, spot, 1, Code::AboveMaximum);
        let too_little = house.withdrawing(T0, spot, dollars(41));
        assert_eq!(house.terminal_refused(T0, too_little, Code::BelowMinimum), "3.3");
        let whole = house.withdrawing(T0, spot, dollars(50));
        house.ok(Sender::Terminal(T0), whole);
        // Another player has the same room on the same spot.
        house.bet(T0, &[&bet(spot, 50)]);
        house.bet(T1, &[&bet(spot, 50)]);
        house.finish(wins);
    }
}

#[test]
fn etg_3_3_terminals_without_a_maximum_or_with_a_maximum_below_the_minimum_are_not_set_up() {
    for game in ETG {
        let house = &mut House::with(game);
        let mut change = |limit| {
            let settings = TableSettings { limit, ..House::settings(game) };
            let body = Body::ChangeSettings {
                table: TABLE,
                settings: settings.into(),
                reason: "a quiet night".to_owned(),
                witness: None,
            };
            house.staff_refused(MANAGER, body, Code::Settings)
        };
        assert_eq!(change(Limit { minimum: dollars(1), maximum: None }), "3.3");
        assert_eq!(change(Limit { minimum: dollars(10), maximum: Some(dollars(9)) }), "3.3");
    }
}

#[test]
fn etg_3_4_bets_are_placed_on_the_display_of_the_terminal_and_by_nobody_else() {
    for game in ETG {
        let mut house = House::with(game);
        let spot = even_money(game).0;
        house.open();
        let body = house.bets(T0, &[&format!("{spot}=10.00")]);
        for staff in [DEALER, SUPERVISOR, MANAGER, SHIFT_MANAGER, CASINO_MANAGER, CASHIER, AUDITOR, ADMINISTRATOR] {
            house.staff_refused(staff, body.clone(), Code::NotForSender);
        }
        house.refused(Sender::System, body.clone(), Code::NotForSender);
        house.refused(Sender::Device(DEVICE), body.clone(), Code::NotForSender);
        house.terminal_refused(TerminalId(99), body.clone(), Code::UnknownSender);
        house.ok(Sender::Terminal(T0), body);
        assert_eq!(house.standing(T0), [format!("{spot}=10.00")]);
        assert!(house.standing(T1).is_empty());
    }
}

#[test]
fn etg_3_4_until_the_close_bets_are_placed_raised_lowered_withdrawn_cleared_and_repeated() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let bet = |amount: u32| format!("{spot}={amount}.00");
        house.open();
        house.bet(T0, &[&bet(10)]);
        house.bet(T0, &[&bet(15)]);
        assert_eq!((house.standing(T0), house.credit(T0)), (vec![bet(25)], dollars(975)));
        let lower = house.withdrawing(T0, spot, dollars(5));
        house.ok(Sender::Terminal(T0), lower);
        assert_eq!((house.standing(T0), house.credit(T0)), (vec![bet(20)], dollars(980)));
        let more = house.withdrawing(T0, spot, dollars(21));
        house.terminal_refused(T0, more, Code::MoreThanStands);
        let withdraw = house.withdrawing(T0, spot, dollars(20));
        house.ok(Sender::Terminal(T0), withdraw);
        assert_eq!((house.standing(T0), house.credit(T0)), (vec![], dollars(1_000)));
        house.terminal_refused(T0, Body::ClearBets, Code::NothingToDo);
        house.bet(T0, &[&bet(30), "odd=5.00"]);
        house.ok(Sender::Terminal(T0), Body::ClearBets);
        assert_eq!((house.standing(T0), house.credit(T0)), (vec![], dollars(1_000)));
        // There is nothing to repeat before the first round, and nothing twice.
        house.terminal_refused(T0, Body::RepeatBets { doubled: false }, Code::NothingToDo);
        house.bet(T0, &[&bet(40), "even=5.00"]);
        house.finish(wins);
        house.open();
        house.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: true });
        assert_eq!(house.standing(T0), [bet(80), "even=10.00".to_owned()]);
        house.terminal_refused(T0, Body::RepeatBets { doubled: false }, Code::Phase);
        house.ok(Sender::Terminal(T0), Body::ClearBets);
        house.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: false });
        assert_eq!(house.standing(T0), [bet(40), "even=5.00".to_owned()]);
    }
}

#[test]
fn etg_3_4_a_batch_of_bets_is_taken_whole_or_not_at_all() {
    for game in ETG {
        let mut house = House::with(game);
        let spot = even_money(game).0;
        house.open();
        house.bet(T0, &["odd=10.00"]);
        let stands = house.standing(T0);
        let good = format!("{spot}=10.00");
        for (bad, code) in
            [("even=1000.50", Code::OffStep), ("even=1001.00", Code::AboveMaximum), ("even=985.00", Code::Credit)]
        {
            house.bet_refused(T0, &[&good, bad], code);
            assert_eq!((house.standing(T0), house.credit(T0)), (stands.clone(), dollars(990)), "{bad}");
        }
        let take_too_much = BetChange::Take { spot: house.spot(T0, "odd"), amount: dollars(11) };
        let place = BetChange::Add { spot: house.spot(T0, spot), amount: dollars(10) };
        let changes = [place.clone(), take_too_much].into();
        house.terminal_refused(T0, Body::Bet { changes }, Code::MoreThanStands);
        house.terminal_refused(T0, Body::Bet { changes: Few::new() }, Code::TooMany);
        let changes = vec![place; bounds::CHANGES + 1].into();
        house.terminal_refused(T0, Body::Bet { changes }, Code::TooMany);
        assert_eq!((house.standing(T0), house.credit(T0)), (stands, dollars(990)));
        // A repeat is such a batch too: doubled it is beyond the maximum, and nothing is placed.
        house.bet(T0, &["even=600.00"]);
        house.finish(even_money(game).1);
        house.cash_in(T0, dollars(2_000));
        house.open();
        house.terminal_refused(T0, Body::RepeatBets { doubled: true }, Code::AboveMaximum);
        assert!(house.standing(T0).is_empty());
    }
}

#[test]
fn etg_3_5_after_no_more_bets_nothing_is_placed_raised_or_withdrawn_by_any_road() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let bet = format!("{spot}=10.00");
        house.play(&[&bet], wins);
        house.open();
        house.bet(T0, &[&bet]);
        let shut = |house: &mut House| {
            for terminal in [T0, T1] {
                assert_eq!(house.every_road_is_shut(terminal, spot, Code::BetsClosed), "3.5, 5.7");
            }
            assert_eq!(house.standing(T0), std::slice::from_ref(&bet));
        };
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        let shown = house.floor.terminal_view(T0).unwrap().table.round.unwrap();
        assert_eq!(shown.notice.unwrap().en, "No More Bets");
        // From the host's own closing on, also before every terminal shows it, and until the settlement.
        shut(&mut house);
        house.acknowledge(TABLE);
        shut(&mut house);
        house.play_device();
        shut(&mut house);
        house.enter(wins);
        shut(&mut house);
        // Nor are bets opened again.
        house.staff_refused(DEALER, Body::open_bets(TABLE), Code::Phase);
        assert_eq!(house.staff_refused(DEALER, Body::CloseBets { table: TABLE }, Code::Phase), "3.5");
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_020));
    }
}

#[test]
fn etg_3_5_a_bet_at_the_very_deadline_is_late_and_one_just_before_it_stands() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        house.open();
        let closes_at = house.current().closes_at().unwrap();
        assert_eq!(closes_at.since(house.at), 20_000);
        house.later(19_999);
        house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.later(1);
        // The bets are not closed yet, and it is still too late.
        assert_eq!(house.current().phase(), Phase::Open);
        assert_eq!(house.every_road_is_shut(T0, spot, Code::BetsClosed), "3.5, 5.7");
        let closed = house.system(Body::Elapse);
        assert!(matches!(closed[..], [Event::BetsClosed { by: None, .. }]), "the period closes the bets by itself");
        assert_eq!(house.every_road_is_shut(T0, spot, Code::BetsClosed), "3.5, 5.7");
        house.acknowledge(TABLE);
        house.play_device();
        house.enter(wins);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_3_5_without_a_betting_period_the_dealer_alone_closes() {
    for game in ETG {
        let settings = TableSettings { betting_period: 0, ..House::settings(game) };
        let mut house = House::with_settings(game, settings);
        let spot = even_money(game).0;
        house.open();
        house.later(24 * 60 * 60 * 1000);
        assert!(matches!(house.system(Body::Elapse)[..], [Event::DayBegan { .. }]), "nothing but another day");
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.staff_refused(AUDITOR, Body::CloseBets { table: TABLE }, Code::Rank);
        house.terminal_refused(T0, Body::CloseBets { table: TABLE }, Code::NotForSender);
        house.close();
        house.bet_refused(T0, &[&format!("{spot}=10.00")], Code::BetsClosed);
    }
}

#[test]
fn etg_3_5_no_result_before_the_close_and_before_every_live_terminal_shows_it() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let outcome = house.outcome(TABLE, wins);
        let enter = Body::enter_result(TABLE, outcome);
        let confirm = Body::confirm_result(TABLE);
        house.staff_refused(DEALER, enter.clone(), Code::Phase);
        house.open();
        house.bet(T0, &[&format!("{spot}=10.00")]);
        assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::Phase), "3.5");
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::Unacknowledged), "D12");
        let round = house.round();
        house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
        house.ok(Sender::Terminal(T1), Body::AcknowledgeClose { round });
        assert_eq!(house.staff_refused(DEALER, enter.clone(), Code::Unacknowledged), "D12");
        house.ok(Sender::Terminal(T2), Body::AcknowledgeClose { round });
        house.play_device();
        assert_eq!(house.staff_refused(DEALER, confirm.clone(), Code::Phase), "3.7");
        house.enter(wins);
        house.staff(DEALER, confirm);
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

/// Losers are collected, winners get stake and winnings, and the house has the rest.
#[track_caller]
fn losers_are_collected_and_winners_paid(game: &str) {
    let mut house = House::with(game);
    let (spot, wins, loses) = even_money(game);
    let bet = format!("{spot}=10.00");
    house.open();
    house.bet(T0, &[&bet]);
    house.bet(T1, &[&bet]);
    house.finish(loses);
    assert_eq!([house.credit(T0), house.credit(T1), house.credit(T2)], [990, 990, 1_000].map(dollars));
    assert_eq!(house.floor.table(TABLE).unwrap().house_win(), dollars(20));
    assert!(house.standing(T0).is_empty());
    house.play(&[&bet], wins);
    assert_eq!([house.credit(T0), house.credit(T1)], [1_000, 990].map(dollars));
    assert_eq!(house.floor.table(TABLE).unwrap().house_win(), dollars(10));
    assert_eq!(house.floor.terminal_view(T0).unwrap().last.unwrap().returned, dollars(20));
    assert_eq!(house.floor.terminal(T0).unwrap().meters().wins, dollars(20));
    assert_eq!(house.floor.terminal(T1).unwrap().meters().wins, Cents::ZERO);
}

#[test]
fn rws_sicbo_3_8_losing_bets_are_collected_and_winning_bets_paid() {
    losers_are_collected_and_winners_paid("rws-sicbo");
}

#[test]
fn rws_sicbo_open_3_8_losing_bets_are_collected_and_winning_bets_paid() {
    losers_are_collected_and_winners_paid("rws-sicbo-open");
}

#[test]
fn rws_roulette_000_3_9_losing_bets_are_collected_and_winning_bets_paid() {
    losers_are_collected_and_winners_paid("rws-roulette-000");
}
