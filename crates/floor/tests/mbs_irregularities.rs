//! Electronic Sic Bo at Marina Bay Sands: what makes a round void, and technical interruptions (5.1 to 5.5, 5.8, 5.9).

use crate::common::play::*;
use crate::common::*;
use floor::*;
use rulebook::{Conclusion, GroundId};

const GAME: &str = "mbs-sicbo";
const TWO: Observation = Observation::Tumbled { times: 2 };
const THREE: Observation = Observation::Tumbled { times: 3 };
const BEGIN: Body = Body::BeginRound { table: TABLE };
const OPEN: Body = Body::open_bets(TABLE);
/// Longer than the table's grace of ten seconds.
const LONG: i64 = 10_001;

/// A round with a bet of 10.00, after one that was won: 1,010.00 of credit and stakes.
fn second_round() -> (House, RoundId) {
    let mut house = House::with(GAME);
    house.play(&["small=10.00"], "1-2-4");
    let round = house.open();
    house.bet(T0, &["small=10.00"]);
    (house, round)
}

#[track_caller]
fn only_the_current_round_is_void(house: &House, round: RoundId) {
    house.is_void(round, &[(T0, dollars(1_010))]);
    assert_eq!(house.result_of(RoundId(round.0 - 1)).as_deref(), Some("1-2-4"));
}

fn declaring(ground: GroundId) -> Body {
    House::declaring(ground)
}

#[test]
fn mbs_sicbo_5_1_fewer_than_three_tumbles_keep_the_notice_away_and_void_the_round() {
    for times in [0, 1, 2] {
        let mut house = House::with(GAME);
        house.device(Observation::Activated);
        let round = house.round();
        house.device(Observation::Tumbled { times });
        house.halted_by("5.1");
        assert_eq!(house.staff_refused(DEALER, OPEN, Code::GroundOpen), "5.1");
        house.confirm_ground();
        house.is_void(round, &[]);
    }
}

#[test]
fn mbs_sicbo_5_1_a_report_that_comes_late_freezes_the_bets_at_once() {
    let (mut house, round) = second_round();
    house.device(TWO);
    house.halted_by("5.1");
    house.confirm_ground();
    only_the_current_round_is_void(&house, round);
}

#[test]
fn mbs_sicbo_5_1_a_pit_supervisor_records_a_device_fault_and_play_goes_on() {
    let (mut house, _) = second_round();
    let closes_at = house.current().closes_at().unwrap();
    house.device(TWO);
    house.later(30_000);
    assert_eq!(house.staff_refused(DEALER, House::dismissal(), Code::Rank), "D5");
    house.staff(SUPERVISOR, House::dismissal());
    assert_eq!(house.current().closes_at(), Some(closes_at.after(30_000)), "the time is given back");
    house.finish("1-2-4");
    assert_eq!(house.credit(T0), dollars(1_020));
}

#[test]
fn mbs_sicbo_5_1_the_dealer_declares_it_where_the_device_did_not_see_it() {
    let (mut house, round) = second_round();
    house.close();
    house.staff(DEALER, declaring(GroundId::TooFewTumbles));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn mbs_sicbo_5_2_dice_exposed_before_no_more_bets_void_the_round() {
    // Before the notice, with bets open, and before every live terminal shows the close.
    let mut house = House::with(GAME);
    house.staff(DEALER, BEGIN);
    let round = house.round();
    house.device(THREE);
    house.device(Observation::Uncovered);
    house.halted_by("5.2");
    assert_eq!(house.staff_refused(DEALER, OPEN, Code::GroundOpen), "5.2");
    house.confirm_ground();
    house.is_void(round, &[]);
    for closed_by_the_host in [false, true] {
        let (mut house, round) = second_round();
        house.device(THREE);
        if closed_by_the_host {
            house.staff(DEALER, Body::CloseBets { table: TABLE });
        }
        house.device(Observation::Uncovered);
        house.halted_by("5.2");
        house.confirm_ground();
        only_the_current_round_is_void(&house, round);
    }
}

#[test]
fn mbs_sicbo_5_2_the_dealer_declares_it_until_the_round_is_settled() {
    let (mut house, round) = second_round();
    house.staff(DEALER, declaring(GroundId::ExposedBeforeClose));
    only_the_current_round_is_void(&house, round);
    // Even with a result entered, and then with a Pit Supervisor (D23).
    let (mut house, round) = second_round();
    house.close();
    house.enter("1-2-4");
    let alone = Body::declare_ground(TABLE, GroundId::ExposedBeforeClose);
    assert_eq!(house.staff_refused(DEALER, alone, Code::SecondPerson), "D23");
    house.staff(DEALER, declaring(GroundId::ExposedBeforeClose));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn mbs_sicbo_5_2_a_cover_lifted_after_the_close_is_as_it_should_be() {
    let (mut house, _) = second_round();
    house.device(THREE);
    house.close();
    house.device(Observation::Uncovered);
    assert_eq!(house.open_ground(), None);
    assert!(house.current().seen().uncovered);
}

#[test]
fn mbs_sicbo_5_3_a_die_not_flat_is_proposed_and_the_dealer_confirms() {
    for entered in [false, true] {
        let (mut house, round) = second_round();
        house.close();
        house.play_device();
        if entered {
            house.enter("1-2-4");
        }
        house.device(Observation::NotFlat);
        house.halted_by("5.3");
        assert!(house.current().ground().unwrap().proposed);
        house.confirm_ground();
        only_the_current_round_is_void(&house, round);
    }
    let (mut house, round) = second_round();
    house.close();
    house.staff(DEALER, declaring(GroundId::DieNotFlat));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn mbs_sicbo_5_4_damaged_dice_void_the_round_and_no_other() {
    let (mut house, round) = second_round();
    house.close();
    house.staff(DEALER, declaring(GroundId::DiceDamaged));
    only_the_current_round_is_void(&house, round);
    // The document does not let it reach settled rounds.
    let settled = RoundId(round.0 - 1);
    let voiding = House::voiding(GroundId::DiceDamaged, vec![settled]);
    assert_eq!(house.staff_refused(MANAGER, voiding, Code::NotAGround), "6.1");
    house.staff(SHIFT_MANAGER, House::deciding(Some(settled), Ruling::VoidRound));
    house.is_void(settled, &[(T0, dollars(1_000))]);
}

#[test]
fn mbs_sicbo_5_5_a_broken_dome_or_die_voids_the_round_in_any_phase() {
    for phase in [Phase::Begun, Phase::Open, Phase::Closed, Phase::Entered] {
        let mut house = House::with(GAME);
        house.staff(DEALER, BEGIN);
        let round = house.round();
        if phase >= Phase::Open {
            house.device(THREE);
            house.staff(DEALER, OPEN);
            house.bet(T0, &["small=10.00"]);
        }
        if phase >= Phase::Closed {
            house.close();
        }
        if phase == Phase::Entered {
            house.play_device();
            house.enter("1-2-4");
        }
        house.staff_refused(AUDITOR, declaring(GroundId::DomeOrDiceBroken), Code::Rank);
        house.staff(DEALER, declaring(GroundId::DomeOrDiceBroken));
        house.is_void(round, &[(T0, dollars(1_000))]);
    }
}

#[test]
fn mbs_sicbo_5_8_an_interrupted_round_waits_for_its_attestation() {
    for phase in [Phase::Begun, Phase::Open, Phase::Closed] {
        let mut house = House::with(GAME);
        house.staff(DEALER, BEGIN);
        if phase >= Phase::Open {
            house.device(THREE);
            house.staff(DEALER, OPEN);
        }
        if phase == Phase::Closed {
            house.close();
        }
        house.stoppage(LONG);
        let outcome = house.outcome(TABLE, "1-2-4");
        for act in [OPEN, Body::CloseBets { table: TABLE }, Body::enter_result(TABLE, outcome)] {
            assert_eq!(house.staff_refused(DEALER, act, Code::Interrupted), "5.8.2", "{phase:?}");
        }
        let alone = Body::Attest { table: TABLE, finding: Finding::NotAffected, witness: None };
        assert_eq!(house.staff_refused(DEALER, alone, Code::SecondPerson), "D15");
        house.attest(Finding::NotAffected);
        assert_eq!(house.current().phase(), phase, "play goes on from where it was");
    }
}

#[test]
fn mbs_sicbo_5_8_1_with_no_outcome_established_the_round_is_void() {
    let (mut house, round) = second_round();
    house.device(THREE);
    house.close();
    // What lies under the cover has decided nothing.
    house.device(read([1, 2, 4]));
    house.stoppage(LONG);
    house.device(Observation::Uncovered);
    let proposal = house.floor.proposal(TABLE).unwrap();
    assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::NotEstablished, "5.8.1"));
    // The dice can be seen now: the Shift Manager signs (D6).
    let none = |witness| Body::Attest { table: TABLE, finding: Finding::NotEstablished, witness: Some(witness) };
    assert_eq!(house.staff_refused(DEALER, none(SUPERVISOR), Code::SecondPerson), "D6");
    house.staff(DEALER, none(SHIFT_MANAGER));
    only_the_current_round_is_void(&house, round);
}

#[test]
fn mbs_sicbo_5_8_2_with_an_outcome_established_the_round_is_concluded() {
    let (mut house, round) = second_round();
    house.device(THREE);
    house.close();
    house.device(Observation::Uncovered);
    house.device(read([4, 0, 0]));
    house.stoppage(LONG);
    let proposal = house.floor.proposal(TABLE).unwrap();
    assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::Established, "5.8.2"));
    assert!(proposal.concluded.contains(&("single/4".parse().unwrap(), Conclusion::Won)));
    house.attest(Finding::Established);
    house.enter("1-2-4");
    house.confirm();
    assert_eq!((house.result_of(round).as_deref(), house.credit(T0)), (Some("1-2-4"), dollars(1_020)));
}

#[test]
fn mbs_sicbo_5_8_2_nothing_is_established_while_bets_are_open_and_an_entered_result_always_is() {
    let (mut house, _) = second_round();
    house.stoppage(LONG);
    let established = House::attestation(Finding::Established);
    assert_eq!(house.staff_refused(DEALER, established, Code::Phase), "5.8.2");
    let (mut house, _) = second_round();
    house.close();
    house.play_device();
    house.enter("1-2-4");
    house.stoppage(LONG);
    let none = House::attestation(Finding::NotEstablished);
    assert_eq!(house.staff_refused(DEALER, none, Code::Phase), "5.8.2");
    house.attest(Finding::Established);
    house.confirm();
    assert_eq!(house.credit(T0), dollars(1_020));
}

#[test]
fn mbs_sicbo_5_9_with_all_terminals_lost_the_round_goes_on() {
    let (mut house, round) = second_round();
    for terminal in [T0, T1, T2] {
        house.system(Body::TerminalLost { terminal });
    }
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.play_device();
    house.enter("1-2-4");
    house.confirm();
    assert_eq!((house.result_of(round).as_deref(), house.credit(T0)), (Some("1-2-4"), dollars(1_020)));
}

#[test]
fn mbs_sicbo_5_9_1_an_accepted_bet_is_played_to_the_end_wherever_the_terminal_lost_its_link() {
    // After the close on that terminal, before it, and back before the settlement.
    for (lost_before_close, back) in [(false, false), (true, false), (true, true)] {
        let (mut house, _) = second_round();
        if lost_before_close {
            house.system(Body::TerminalLost { terminal: T0 });
        }
        house.close();
        if !lost_before_close {
            house.system(Body::TerminalLost { terminal: T0 });
        }
        if back {
            house.system(Body::TerminalBack { terminal: T0 });
            assert_eq!(house.terminal_refused(T0, Body::ClearBets, Code::BetsClosed), "5.6, 5.7");
        }
        house.play_device();
        house.enter("1-2-4");
        house.confirm();
        assert_eq!(house.credit(T0), dollars(1_020));
    }
}

#[test]
fn mbs_sicbo_5_9_2_a_player_whose_bet_was_not_accepted_has_not_taken_part() {
    let mut house = House::with(GAME);
    let round = house.open();
    house.bet(T1, &["small=10.00"]);
    let sent = house.bets(T0, &["small=50.00"]);
    let sent = house.command(Sender::Terminal(T0), sent);
    house.system(Body::TerminalLost { terminal: T0 });
    assert_eq!(house.send_command(&sent).unwrap_err().code, Code::TerminalUnavailable);
    house.close();
    house.system(Body::TerminalBack { terminal: T0 });
    // Sent once more it is too late; the credit was never touched.
    assert_eq!(house.send_command(&sent).unwrap_err().code, Code::BetsClosed);
    house.play_device();
    house.enter("1-2-4");
    house.confirm();
    assert_eq!([house.credit(T0), house.credit(T1)], [1_000, 1_010].map(dollars));
    let table = house.floor.table(TABLE).unwrap();
    let archived = table.archive().find(|archived| archived.id() == round).unwrap();
    let players: Vec<TerminalId> = archived.entries().iter().map(Entry::terminal).collect();
    assert_eq!(players, [T1]);
    assert!(house.floor.terminal_view(T0).unwrap().last.is_none());
}
