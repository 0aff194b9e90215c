//! Displays, voids and decisions at the electronic tables of Resorts World (5.8 to 5.10).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::Cents;

#[test]
fn etg_5_8_a_wrong_display_is_recorded_and_changes_no_bet() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, loses) = even_money(game);
        let fault = Body::RecordDisplay {
            table: TABLE,
            what: DisplayFault::Results,
            note: format!("the board showed {loses}"),
        };
        let round = house.open();
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.close();
        house.play_device();
        house.enter(wins);
        let before = house.standing(T0);
        assert!(matches!(house.staff(DEALER, fault.clone())[..], [Event::DisplayRecorded { by: DEALER, .. }]));
        assert_eq!((house.standing(T0), house.credit(T0)), (before, dollars(990)));
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010), "what happened at the table prevails");
        // So does a fault about a round that is over; and every display says what it is worth.
        house.staff(SUPERVISOR, fault.clone());
        assert_eq!((house.result_of(round).as_deref(), house.credit(T0)), (Some(wins), dollars(1_010)));
        assert_eq!(house.floor.display_view(TABLE).unwrap().information_only.as_str(), "5.8");
        house.terminal_refused(T0, fault.clone(), Code::NotForSender);
        house.staff_refused(AUDITOR, fault, Code::Rank);
    }
}

#[test]
fn etg_5_8_the_history_follows_a_correction() {
    for game in ETG {
        let mut house = House::with(game);
        let (_, wins, loses) = even_money(game);
        let first = house.play(&[], loses);
        house.play(&[], loses);
        house.correct(first, wins);
        let shown = [house.outcome(TABLE, wins), house.outcome(TABLE, loses)];
        assert_eq!(house.floor.display_view(TABLE).unwrap().table.history, shown);
    }
}

#[test]
fn etg_5_9_a_void_returns_every_bet_of_every_player() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        for phase in [Phase::Open, Phase::Closed, Phase::Entered] {
            let round = house.open();
            house.bet(T0, &[&format!("{spot}=10.00"), "odd=20.00"]);
            // All of a player's credit, and a bet of a terminal that is lost.
            house.bet(T1, &[&format!("{spot}=500.00"), "even=500.00"]);
            house.bet(T2, &["even=30.00"]);
            house.system(Body::TerminalLost { terminal: T2 });
            if phase > Phase::Open {
                house.close();
            }
            if phase == Phase::Entered {
                house.play_device();
                house.enter(wins);
            }
            house.staff(DEALER, House::declaring(damage(game)));
            house.is_void(round, &[(T0, dollars(1_000)), (T1, dollars(1_000)), (T2, dollars(1_000))]);
            house.system(Body::TerminalBack { terminal: T2 });
        }
        let table = house.floor.table(TABLE).unwrap();
        assert_eq!((table.house_win(), table.history().count()), (Cents::ZERO, 0));
        let meters = house.floor.terminal(T1).unwrap().meters();
        assert_eq!((meters.wagers, meters.bets_returned, meters.wins), (dollars(3_000), dollars(3_000), Cents::ZERO));
        // The bets can be placed again in the next round.
        house.open();
        house.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: false });
        assert_eq!(house.credit(T0), dollars(970));
    }
}

#[test]
fn etg_5_9_a_round_voided_after_it_was_settled_returns_its_bets_to_who_placed_them() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, _, loses) = even_money(game);
        let round = house.open();
        house.bet(T0, &[&format!("{spot}=10.00")]);
        house.bet(T1, &[&format!("{spot}=20.00")]);
        house.finish(loses);
        house.cash_out(T1);
        house.staff(MANAGER, House::voiding(damage(game), vec![round]));
        house.is_void(round, &[(T0, dollars(1_000)), (T1, Cents::ZERO)]);
        let waiting: Vec<_> = house.floor.payables().map(|payable| (payable.terminal(), payable.amount())).collect();
        assert_eq!(waiting, [(T1, dollars(20))], "at the cage, for who has left");
        assert_eq!(house.floor.table(TABLE).unwrap().house_win(), Cents::ZERO);
    }
}

#[test]
fn etg_5_10_what_no_rule_covers_is_decided_by_the_shift_manager_or_above_with_a_reason() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let round = house.open();
        house.bet(T0, &[&format!("{spot}=10.00")]);
        let void = House::deciding(Some(round), Ruling::VoidRound);
        for staff in [DEALER, SUPERVISOR, MANAGER, CASHIER, AUDITOR, ADMINISTRATOR] {
            assert_eq!(house.staff_refused(staff, void.clone(), Code::Rank), "5.10");
        }
        let (ruling, reason) = (Ruling::VoidRound, " ".to_owned());
        let wordless = Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness: None };
        house.staff_refused(SHIFT_MANAGER, wordless, Code::Text);
        let nameless = House::deciding(None, Ruling::VoidRound);
        assert_eq!(house.staff_refused(SHIFT_MANAGER, nameless, Code::NotFound), "5.10");
        let events = house.staff(CASINO_MANAGER, void);
        let [Event::RoundVoided { by, reason, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((*by, reason.as_str()), (VoidBy::Decision, "no rule covers it"));
        house.is_void(round, &[(T0, dollars(1_000))]);
        // A settled round too, with a second person.
        let settled = house.play(&[&format!("{spot}=10.00")], wins);
        let alone = Body::Decide {
            table: TABLE,
            round: Some(settled),
            ruling: Ruling::VoidRound,
            reason: "no rule covers it".to_owned(),
            witness: None,
        };
        assert_eq!(house.staff_refused(SHIFT_MANAGER, alone, Code::SecondPerson), "D15");
        house.staff(SHIFT_MANAGER, House::deciding(Some(settled), Ruling::VoidRound));
        house.is_void(settled, &[(T0, dollars(1_000))]);
        let again = House::deciding(Some(settled), Ruling::VoidRound);
        assert_eq!(house.staff_refused(SHIFT_MANAGER, again, Code::RoundOver), "5.10");
    }
}

#[test]
fn etg_5_10_a_decision_pays_an_amount_or_takes_a_payment_back_and_is_recorded_as_one() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, wins, _) = even_money(game);
        let round = house.play(&[&format!("{spot}=10.00")], wins);
        let pay = |amount| House::deciding(Some(round), Ruling::Pay { terminal: T0, amount });
        let take = |amount| House::deciding(Some(round), Ruling::TakeBack { terminal: T0, amount });
        house.staff(SHIFT_MANAGER, pay(dollars(50)));
        assert_eq!(house.credit(T0), dollars(1_060));
        // Without its round a take-back would reach the player who sits there now (D7).
        let nameless = House::deciding(None, Ruling::TakeBack { terminal: T0, amount: dollars(20) });
        assert_eq!(house.staff_refused(SHIFT_MANAGER, nameless, Code::NotFound), "D7");
        house.staff(SHIFT_MANAGER, take(dollars(20)));
        assert_eq!(house.credit(T0), dollars(1_040));
        assert_eq!(house.floor.terminal(T0).unwrap().meters().decisions, dollars(30));
        assert_eq!(house.result_of(round).as_deref(), Some(wins), "the round stands");
        // Never below zero, and never from who was not in that round.
        house.staff(SHIFT_MANAGER, take(dollars(1_100)));
        assert_eq!((house.credit(T0), house.floor.pit_view().uncollected), (Cents::ZERO, dollars(60)));
        let stranger = House::deciding(Some(round), Ruling::Pay { terminal: T1, amount: dollars(1) });
        house.staff_refused(SHIFT_MANAGER, stranger, Code::NotFound);
        // The visit is over: what is decided now is paid at the cage.
        house.staff(SHIFT_MANAGER, pay(dollars(5)));
        assert_eq!((house.credit(T0), house.floor.pit_view().payable), (Cents::ZERO, dollars(5)));
    }
}

#[test]
fn etg_5_10_a_question_of_interpretation_is_decided_and_recorded() {
    for game in ETG {
        let mut house = House::with(game);
        assert!(house.rulebook(TABLE).discretion().covers_interpretation);
        let reading = House::deciding(None, Ruling::Reading);
        assert_eq!(house.staff_refused(MANAGER, reading.clone(), Code::Rank), "5.10");
        let events = house.staff(SHIFT_MANAGER, reading);
        let [Event::Decided { ruling, by: SHIFT_MANAGER, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(**ruling, Ruling::Reading);
        assert_eq!(house.credit(T0), dollars(1_000));
    }
}

#[test]
fn etg_5_10_somebody_acting_as_shift_manager_decides() {
    for game in ETG {
        let mut house = House::with(game);
        let round = house.open();
        let void = House::deciding(Some(round), Ruling::VoidRound);
        let post = Some(Post::Pit(rulebook::Rank::ShiftManager));
        house.staff_refused(MANAGER, void.clone(), Code::Rank);
        house.staff_refused(
            SECOND_MANAGER,
            Body::AssignActing { staff: MANAGER, post, witness: Some(SECOND_ADMINISTRATOR) },
            Code::Rank,
        );
        house.staff(SHIFT_MANAGER, Body::AssignActing { staff: MANAGER, post, witness: Some(SECOND_ADMINISTRATOR) });
        house.staff(MANAGER, void);
        house.is_void(round, &[]);
    }
}
