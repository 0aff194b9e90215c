//! Technical interruptions at the electronic tables of Resorts World (5.1, 5.2).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::Conclusion;

/// Longer than the table's grace of ten seconds.
const LONG: i64 = 10_001;

/// A round of a game with a bet of 10.00 of the first player, in a phase.
fn round_in(game: &str, phase: Phase) -> House {
    let mut house = House::with(game);
    let (spot, wins, _) = even_money(game);
    house.open();
    house.bet(T0, &[&format!("{spot}=10.00")]);
    if phase > Phase::Open {
        house.close();
    }
    if phase == Phase::Entered {
        house.play_device();
        house.enter(wins);
    }
    house
}

/// One die, or the ball in its pocket, read after the close.
fn something_is_read(house: &mut House) {
    house.play_device();
    let report = match house.rulebook(TABLE).outcomes().wheel() {
        Some(_) => Observation::Rested { pocket: house.outcome(TABLE, "1") },
        None => read([0, 4, 0]),
    };
    house.device(report);
}

#[test]
fn etg_5_1_an_interrupted_round_waits_for_the_attestation_and_for_nothing_else() {
    for game in ETG {
        for phase in [Phase::Open, Phase::Closed, Phase::Entered] {
            let mut house = round_in(game, phase);
            let events = house.stoppage(LONG);
            assert!(matches!(events[..], [Event::RoundInterrupted { .. }]));
            let (round, outcome) = (house.round(), house.outcome(TABLE, even_money(game).1));
            let acts = [
                (DEALER, Body::CloseBets { table: TABLE }),
                (DEALER, Body::enter_result(TABLE, outcome)),
                (DEALER, Body::confirm_result(TABLE)),
                (DEALER, Body::declare_ground(TABLE, damage(game))),
                (DEALER, Body::ConfirmGround { table: TABLE }),
                (MANAGER, House::voiding(damage(game), vec![round])),
                (SHIFT_MANAGER, House::deciding(Some(round), Ruling::VoidRound)),
            ];
            for (staff, act) in acts {
                assert_eq!(house.staff_refused(staff, act, Code::Interrupted), "5.1.1", "{game} {phase:?}");
            }
            if phase == Phase::Open {
                assert_eq!(house.every_road_is_shut(T0, even_money(game).0, Code::Interrupted), "5.1.1");
            }
            house.later(3_600_000);
            house.refused(Sender::System, Body::Elapse, Code::NothingToDo);
        }
    }
}

#[test]
fn etg_5_1_the_dealer_attests_and_a_pit_supervisor_witnesses() {
    for game in ETG {
        let mut house = round_in(game, Phase::Closed);
        let attest = |witness| Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness };
        assert_eq!(house.staff_refused(DEALER, attest(Some(SUPERVISOR)), Code::NothingToDo), "5.1.1");
        house.stoppage(LONG);
        assert_eq!(house.staff_refused(CASHIER, attest(Some(SUPERVISOR)), Code::Rank), "D11");
        // No one, the dealer themselves, another dealer, and a person outside the pit are no witnesses.
        for witness in [None, Some(DEALER), Some(SECOND_DEALER), Some(AUDITOR)] {
            assert_eq!(house.staff_refused(DEALER, attest(witness), Code::SecondPerson), "D15");
        }
        assert_eq!(house.staff_refused(SUPERVISOR, attest(Some(SUPERVISOR)), Code::SecondPerson), "D15");
        let events = house.staff(DEALER, attest(Some(MANAGER)));
        assert!(matches!(events[0], Event::Attested { by: DEALER, witness: MANAGER, .. }));
    }
}

#[test]
fn etg_5_1_a_stoppage_within_the_grace_is_recorded_and_play_goes_on() {
    for game in ETG {
        let mut house = round_in(game, Phase::Open);
        let (spot, wins, _) = even_money(game);
        let closes_at = house.current().closes_at().unwrap();
        let events = house.stoppage(10_000);
        assert!(matches!(events[..], [Event::StoppageRecorded { .. }]));
        assert_eq!(house.current().closes_at(), Some(closes_at.after(10_000)), "the time is given back");
        house.bet(T1, &[&format!("{spot}=10.00")]);
        house.finish(wins);
        assert_eq!([house.credit(T0), house.credit(T1)], [1_010, 1_010].map(dollars));
        // Without its terminals back, or without a grace, the shortest stoppage interrupts.
        house.open();
        let from = house.at;
        house.later(1);
        house.system(Body::ReportStoppage { from, terminals_back: false });
        assert!(house.current().is_interrupted());
        let mut house = House::with_settings(game, TableSettings { grace: 0, ..House::settings(game) });
        house.open();
        house.stoppage(1);
        assert!(house.current().is_interrupted());
    }
}

#[test]
fn etg_5_1_1_with_an_outcome_established_the_round_is_concluded() {
    for game in ETG {
        let mut house = round_in(game, Phase::Closed);
        something_is_read(&mut house);
        house.stoppage(LONG);
        let proposal = house.floor.proposal(TABLE).unwrap();
        assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::Established, "5.1.1"));
        house.attest(Finding::Established);
        house.enter(even_money(game).1);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_5_1_1_what_was_seen_at_the_table_and_not_recorded_counts_all_the_same() {
    for game in ["rws-sicbo", "rws-roulette-000"] {
        let mut house = round_in(game, Phase::Closed);
        house.tumble_at(TABLE);
        house.stoppage(LONG);
        assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished, "the host knows of nothing");
        house.attest(Finding::Established);
        house.enter(even_money(game).2);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(990));
    }
}

#[test]
fn etg_5_1_1_nothing_is_established_before_the_close_and_an_entered_result_always_is() {
    for game in ETG {
        let mut house = round_in(game, Phase::Open);
        house.stoppage(LONG);
        let established = House::attestation(Finding::Established);
        assert_eq!(house.staff_refused(DEALER, established, Code::Phase), "5.1.1");
        let mut house = round_in(game, Phase::Entered);
        house.stoppage(LONG);
        let proposal = house.floor.proposal(TABLE).unwrap();
        assert_eq!(proposal.finding, Finding::Established);
        let none = House::attestation(Finding::NotEstablished);
        assert_eq!(house.staff_refused(DEALER, none, Code::Phase), "5.1.1");
        house.attest(Finding::Established);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

/// One die read is enough: every triple of another number has lost, and the single of that number has won.
#[track_caller]
fn one_die_is_enough(game: &str) {
    let mut house = round_in(game, Phase::Closed);
    house.play_device();
    house.stoppage(LONG);
    assert!(house.floor.proposal(TABLE).unwrap().concluded.is_empty());
    house.attest(Finding::NotAffected);
    house.device(read([0, 0, 4]));
    house.stoppage(LONG);
    let proposal = house.floor.proposal(TABLE).unwrap();
    let concluded = |spot: &str| {
        let spot = spot.parse().unwrap();
        proposal.concluded.iter().find(|(known, _)| *known == spot).map(|(_, conclusion)| *conclusion)
    };
    assert_eq!(concluded("single/4"), Some(Conclusion::Won));
    assert_eq!(concluded("triple/3"), Some(Conclusion::Lost));
    assert_eq!(concluded("triple/4"), None);
    assert_eq!(concluded("small"), None);
    assert_eq!(concluded("three/1-2-3"), Some(Conclusion::Lost), "on layouts B and C of the same table");
    assert_eq!(proposal.dice.iter().flatten().count(), 1);
}

#[test]
fn rws_sicbo_5_1_1_one_die_read_after_the_close_establishes_an_outcome() {
    one_die_is_enough("rws-sicbo");
}

#[test]
fn rws_sicbo_open_5_1_1_one_die_read_after_the_close_establishes_an_outcome() {
    one_die_is_enough("rws-sicbo-open");
}

#[test]
fn etg_5_1_2_with_no_outcome_established_the_round_is_void() {
    for game in ETG {
        for phase in [Phase::Open, Phase::Closed] {
            let mut house = round_in(game, phase);
            let round = house.round();
            house.stoppage(LONG);
            let proposal = house.floor.proposal(TABLE).unwrap();
            assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::NotEstablished, "5.1.2"));
            let events = house.attest(Finding::NotEstablished);
            let by = VoidBy::Ground(rulebook::GroundId::Interruption);
            assert!(
                matches!(&events[1], Event::RoundVoided { by: ground, witness: Some(SUPERVISOR), .. } if *ground == by)
            );
            house.is_void(round, &[(T0, dollars(1_000))]);
        }
    }
}

#[test]
fn rws_sicbo_5_1_2_readings_under_the_cover_or_before_the_close_establish_nothing() {
    let nothing = |house: &House| {
        let proposal = house.floor.proposal(TABLE).unwrap();
        assert_eq!((proposal.finding, proposal.dice), (Finding::NotEstablished, [None; 3]));
    };
    let mut house = round_in("rws-sicbo", Phase::Open);
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(read([1, 2, 4]));
    nothing(&house);
    house.close();
    house.device(read([1, 2, 4]));
    nothing(&house);
    house.stoppage(LONG);
    // An attestation comes before anything is uncovered: lifting the cover now establishes nothing either. Who has seen the
    // dice would choose between a void round and a result: the Shift Manager is the second person.
    house.device(Observation::Uncovered);
    nothing(&house);
    house.device(read([1, 2, 4]));
    nothing(&house);
    for finding in [Finding::NotAffected, Finding::Established, Finding::NotEstablished] {
        let attest = House::attestation(finding);
        assert_eq!(house.staff_refused(DEALER, attest, Code::SecondPerson), "D6", "{finding:?}");
    }
    let witness = Some(SHIFT_MANAGER);
    house.staff(DEALER, Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness });
    assert_eq!(house.credit(T0), dollars(1_000));
}

#[test]
fn rws_sicbo_open_5_1_2_dice_of_the_round_before_establish_nothing() {
    let mut house = round_in("rws-sicbo-open", Phase::Open);
    house.close();
    house.device(read([6, 6, 6]));
    house.stoppage(LONG);
    assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished);
}

#[test]
fn rws_roulette_000_5_1_2_a_ball_at_rest_before_the_close_establishes_nothing() {
    let mut house = round_in("rws-roulette-000", Phase::Open);
    house.device(SPUN);
    let report = Observation::Rested { pocket: house.outcome(TABLE, "1") };
    house.device(report);
    house.close();
    house.stoppage(LONG);
    assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished);
    house.attest(Finding::NotEstablished);
    assert_eq!(house.credit(T0), dollars(1_000));
}

#[test]
fn etg_5_2_an_interruption_of_terminals_only_lets_the_round_go_on_from_where_it_was() {
    for game in ETG {
        let (spot, wins, _) = even_money(game);
        for phase in [Phase::Open, Phase::Closed, Phase::Entered] {
            let mut house = round_in(game, phase);
            let closes_at = house.current().closes_at().unwrap();
            house.stoppage(LONG);
            house.later(50_000);
            house.attest(Finding::NotAffected);
            assert_eq!((house.current().phase(), house.standing(T0).len()), (phase, 1));
            if phase == Phase::Open {
                assert_eq!(house.current().closes_at(), Some(closes_at.after(LONG + 50_000)));
                house.bet(T1, &[&format!("{spot}=10.00")]);
                house.close();
            }
            if phase < Phase::Entered {
                house.play_device();
                house.enter(wins);
            }
            house.confirm();
            assert_eq!(house.credit(T0), dollars(1_010));
        }
    }
}

#[test]
fn rws_sicbo_5_2_an_attestation_puts_no_ground_aside_and_no_time_is_given_back_twice() {
    let mut house = round_in("rws-sicbo", Phase::Open);
    let closes_at = house.current().closes_at().unwrap();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 2 });
    house.later(1_000);
    house.stoppage(LONG);
    assert_eq!(house.staff_refused(SUPERVISOR, House::dismissal(), Code::Interrupted), "5.1.1");
    house.attest(Finding::NotAffected);
    house.halted_by("5.3.1");
    house.later(1_000);
    house.staff(SUPERVISOR, House::dismissal());
    assert_eq!(house.current().closes_at(), Some(closes_at.after(1_000 + LONG + 1_000)));
}

#[test]
fn etg_5_2_with_every_terminal_lost_the_round_goes_on_and_is_settled() {
    for game in ETG {
        let mut house = round_in(game, Phase::Open);
        for terminal in [T0, T1, T2] {
            house.system(Body::TerminalLost { terminal });
        }
        assert!(!house.current().is_interrupted());
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        assert_eq!(house.current().awaiting(), 0, "a lost terminal is not waited for");
        house.play_device();
        house.enter(even_money(game).1);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_5_2_1_registered_bets_of_a_lost_terminal_are_settled() {
    for game in ETG {
        for (is_won, credit) in [(true, 1_010), (false, 990)] {
            let mut house = House::with(game);
            let (spot, wins, loses) = even_money(game);
            house.open();
            house.bet(T0, &[&format!("{spot}=10.00")]);
            house.system(Body::TerminalLost { terminal: T0 });
            house.finish(if is_won { wins } else { loses });
            assert_eq!(house.credit(T0), dollars(credit));
            // Back again it is shown what became of them, and takes part in the next round.
            house.system(Body::TerminalBack { terminal: T0 });
            let last = house.floor.terminal_view(T0).unwrap().last.unwrap();
            assert_eq!((last.staked, last.returned), (dollars(10), dollars(if is_won { 20 } else { 0 })));
            house.open();
            house.bet(T0, &[&format!("{spot}=10.00")]);
        }
    }
}

#[test]
fn etg_5_2_1_a_terminal_lost_after_the_close_holds_nobody_up() {
    for game in ETG {
        let mut house = round_in(game, Phase::Open);
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        let round = house.round();
        house.ok(Sender::Terminal(T0), Body::AcknowledgeClose { round });
        house.system(Body::TerminalLost { terminal: T1 });
        house.system(Body::TerminalLost { terminal: T2 });
        house.system(Body::TerminalBack { terminal: T2 });
        assert_eq!(house.current().awaiting(), 0);
        house.play_device();
        house.enter(even_money(game).1);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_010));
    }
}

#[test]
fn etg_5_2_2_a_bet_that_was_not_registered_costs_the_player_nothing() {
    for game in ETG {
        let mut house = House::with(game);
        let (spot, _, loses) = even_money(game);
        house.open();
        let registered = house.bets(T0, &[&format!("{spot}=10.00")]);
        let registered = house.command(Sender::Terminal(T0), registered);
        house.send_command(&registered).unwrap();
        let sent = house.bets(T0, &["odd=50.00"]);
        let sent = house.command(Sender::Terminal(T0), sent);
        // The link breaks before the second one is on record.
        house.system(Body::TerminalLost { terminal: T0 });
        assert_eq!(house.send_command(&sent).unwrap_err().code, Code::TerminalUnavailable);
        assert_eq!(house.credit(T0), dollars(990));
        house.close();
        house.system(Body::TerminalBack { terminal: T0 });
        // Asked again, the one is known as registered; the other is late.
        assert!(matches!(house.floor.decide(&registered), Ok(Decision::Earlier(_))));
        let late = house.send_command(&sent).unwrap_err();
        assert_eq!((late.code, late.rule.as_str()), (Code::BetsClosed, "3.5, 5.7"));
        assert_eq!((house.standing(T0), house.credit(T0)), (vec![format!("{spot}=10.00")], dollars(990)));
        house.play_device();
        house.enter(loses);
        house.confirm();
        assert_eq!(house.credit(T0), dollars(990));
    }
}

#[test]
fn etg_5_2_2_a_lost_terminal_neither_bets_nor_takes_money() {
    for game in ETG {
        let mut house = round_in(game, Phase::Open);
        house.system(Body::TerminalLost { terminal: T0 });
        assert_eq!(house.every_road_is_shut(T0, even_money(game).0, Code::TerminalUnavailable), "S18");
        let number = house.new_number();
        house.terminal_refused(T0, Body::PrepareTicket { terminal: T0, number }, Code::TerminalUnavailable);
        house.terminal_refused(T0, Body::TerminalBack { terminal: T0 }, Code::NotForSender);
        house.system(Body::TerminalBack { terminal: T0 });
        house.ok(Sender::Terminal(T0), Body::ClearBets);
    }
}
