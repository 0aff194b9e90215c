//! Tai Sai: interruptions, voids, corrections and decisions (5.4–5.6, 5.8, 5.10–5.12, 5.14).

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::{Face, GroundId};

fn attest(finding: Finding, witness: StaffId) -> Body {
    Body::Attest { table: TABLE, finding, witness: Some(witness) }
}

/// A stoppage of so many milliseconds.
fn stop(house: &mut House, milliseconds: i64) -> Vec<Event> {
    let from = house.at;
    house.later(milliseconds);
    house.system(Body::ReportStoppage { from, terminals_back: true })
}

fn correct(house: &House, round: RoundId, outcome: &str) -> Body {
    let outcome = house.outcome(TABLE, outcome);
    Body::CorrectResult { round, outcome, reason: "misread".to_owned(), witness: Some(SECOND_SUPERVISOR) }
}

fn void_rounds(rounds: &[RoundId]) -> Body {
    let (ground, rounds) = (GroundId::DiceDamaged, rounds.to_vec());
    Body::VoidRounds { table: TABLE, ground, rounds, reason: "a chipped die".to_owned(), witness: Some(SECOND_MANAGER) }
}

#[test]
fn rws_taisai_5_4_an_interrupted_round_waits_for_an_attestation() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    // Within the table's grace play goes on.
    assert!(matches!(stop(&mut house, 10_000)[..], [Event::StoppageRecorded { .. }]));
    house.place(&[(1, "big", 100)]);
    assert!(matches!(stop(&mut house, 10_001)[..], [Event::RoundInterrupted { .. }]));
    for body in [house.placing((2, "big", 100)), house.taking((1, "big", 100)), Body::CloseBets { table: TABLE }] {
        assert_eq!(house.refused(Sender::Staff(DEALER), body, Code::Interrupted), "5.4.1");
    }
    house.refused(Sender::Staff(DEALER), attest(Finding::NotAffected, DEALER), Code::SecondPerson);
    house.refused(Sender::Staff(DEALER), attest(Finding::NotAffected, SECOND_DEALER), Code::SecondPerson);
    // Bets were not closed: nothing can have been established.
    house.refused(Sender::Staff(DEALER), attest(Finding::Established, SUPERVISOR), Code::Phase);
    // Continuation is not affected: on from the phase it was in.
    house.staff(DEALER, attest(Finding::NotAffected, SUPERVISOR));
    house.place(&[(2, "big", 100)]);
    house.finish("6-5-4");
    assert_eq!(house.shares(), [(1, 200, 400), (2, 100, 200)]);
}

#[test]
fn rws_taisai_5_4_1_with_an_outcome_established_the_round_is_concluded() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "single/6", 100)]);
    house.close();
    house.play_device();
    // One die read after the close: every other triple has lost for certain.
    house.device(Observation::DiceRead { dice: [Face::new(6), None, None] });
    stop(&mut house, 60_000);
    let proposal = house.floor.proposal(TABLE).unwrap();
    assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::Established, "5.4.1"));
    let concluded = |text: &str| {
        let found = proposal.concluded.iter().find(|(spot, _)| spot.to_string() == text);
        found.map(|(_, conclusion)| *conclusion)
    };
    assert_eq!(concluded("triple/1"), Some(rulebook::Conclusion::Lost));
    assert_eq!(concluded("single/6"), Some(rulebook::Conclusion::Won));
    assert_eq!(concluded("big"), None);
    house.staff(DEALER, attest(Finding::Established, SUPERVISOR));
    house.enter("6-1-1");
    house.confirm();
    assert_eq!(house.shares(), [(1, 100, 200)]);
}

#[test]
fn rws_taisai_5_4_1_dice_seen_and_not_recorded_establish_an_outcome_too() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    stop(&mut house, 60_000);
    // The host knows of no reading and proposes a void; the dealer saw the dice.
    assert_eq!(house.floor.proposal(TABLE).unwrap().finding, Finding::NotEstablished);
    house.staff(DEALER, attest(Finding::Established, SUPERVISOR));
    let entry = house.entry(TABLE, house.outcome(TABLE, "6-5-4"));
    house.staff(DEALER, entry);
    house.confirm();
    assert_eq!(house.shares(), [(1, 100, 200)]);
}

#[test]
fn rws_taisai_5_4_2_with_none_established_the_round_is_void() {
    let mut house = House::live();
    let chips = house.chips_out();
    house.open();
    house.place(&[(1, "big", 100)]);
    // Tumbled under the cover, and a reading under it, count for nothing.
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(Observation::DiceRead { dice: [Face::new(6), Face::new(5), Face::new(4)] });
    house.close();
    stop(&mut house, 60_000);
    let proposal = house.floor.proposal(TABLE).unwrap();
    assert_eq!((proposal.finding, proposal.paragraph.as_str()), (Finding::NotEstablished, "5.4.2"));
    assert!(proposal.concluded.is_empty());
    let events = house.staff(DEALER, attest(Finding::NotEstablished, SUPERVISOR));
    assert!(matches!(
        &events[1],
        Event::RoundVoided { by: VoidBy::Ground(GroundId::Interruption), witness: Some(SUPERVISOR), .. }
    ));
    assert_eq!(house.chips_out(), chips, "all chips go back");
}

#[test]
fn rws_taisai_5_5_the_current_round_is_void_and_earlier_ones_stand() {
    let mut house = House::live();
    let settled = house.deal(&[(1, "big", 100)], "6-5-4");
    let chips = house.chips_out();
    house.open();
    house.place(&[(1, "big", 100), (2, "small", 50)]);
    house.close();
    house.staff(DEALER, House::declaring(GroundId::DieNotFlat));
    assert_eq!(house.chips_out(), chips);
    let archived = house.floor.table(TABLE).unwrap().archive().find(|round| round.id() == settled).unwrap();
    assert_eq!(whole(archived.shares()[0].returned), 200);
    assert_eq!(archived.outcome(), Some(house.outcome(TABLE, "6-5-4")));
    // These grounds never reach back.
    let (ground, rounds) = (GroundId::DieNotFlat, vec![settled]);
    let reach =
        Body::VoidRounds { table: TABLE, ground, rounds, reason: "?".to_owned(), witness: Some(SECOND_MANAGER) };
    assert_eq!(house.refused(Sender::Staff(MANAGER), reach, Code::NotAGround), "5.14");
}

#[test]
fn rws_taisai_5_5_1_fewer_than_three_tumbles_void_the_round() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    house.device(Observation::Activated);
    let events = house.device(Observation::Tumbled { times: 2 });
    assert!(matches!(events[1], Event::GroundRaised { proposed: false, .. }), "measured: {events:?}");
    let console = house.floor.console_view(TABLE).unwrap();
    assert_eq!(console.ground.unwrap().1.as_str(), "5.5.1");
    let events = house.staff(DEALER, Body::ConfirmGround { table: TABLE });
    assert!(matches!(&events[..], [Event::RoundVoided { by: VoidBy::Ground(GroundId::TooFewTumbles), .. }]));
    // Or a Pit Supervisor records a fault of the device, and play goes on.
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 2 });
    let dismiss = Body::DismissGround { table: TABLE, reason: "the sensor missed one".to_owned(), witness: None };
    assert_eq!(house.refused(Sender::Staff(DEALER), dismiss.clone(), Code::Rank), "D5");
    house.staff(SUPERVISOR, dismiss);
    house.device(Observation::Uncovered);
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.shares(), [(1, 100, 200)]);
}

#[test]
fn rws_taisai_5_5_2_a_die_that_is_not_flat_voids_the_round() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    house.play_device();
    let events = house.device(Observation::NotFlat);
    assert!(matches!(events[1], Event::GroundRaised { proposed: true, .. }), "the dealer judges: {events:?}");
    house.staff(DEALER, Body::ConfirmGround { table: TABLE });
    assert_eq!(house.floor.table(TABLE).unwrap().archive().next_back().unwrap().outcome(), None);
    // A result that stands does not save the round.
    house.open();
    house.place(&[(1, "big", 100)]);
    house.close();
    house.play_device();
    house.enter("6-5-4");
    house.staff(DEALER, House::declaring(GroundId::DieNotFlat));
    assert_eq!(house.floor.pit_view().tables[0].rounds, (0, 2));
}

#[test]
fn rws_taisai_5_5_3_concealed_dice_exposed_before_the_close_void_the_round() {
    let mut house = House::live();
    house.open();
    // Dice not tumbled for this round conceal nothing.
    house.device(Observation::Uncovered);
    assert!(house.floor.table(TABLE).unwrap().round().unwrap().ground().is_none());
    house.device(Observation::Covered);
    house.place(&[(1, "big", 100)]);
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(Observation::Uncovered);
    // The round is frozen at once: no bets, no close, no result.
    let place = house.placing((2, "big", 100));
    house.refused(Sender::Staff(DEALER), place, Code::GroundOpen);
    assert_eq!(house.refused(Sender::Staff(DEALER), Body::CloseBets { table: TABLE }, Code::GroundOpen), "5.5.3");
    let events = house.staff(DEALER, Body::ConfirmGround { table: TABLE });
    assert!(matches!(&events[..], [Event::RoundVoided { by: VoidBy::Ground(GroundId::ExposedBeforeClose), .. }]));
    // Without a device the dealer declares it.
    house.open();
    house.staff(DEALER, House::declaring(GroundId::ExposedBeforeClose));
}

#[test]
fn rws_taisai_5_6_damaged_dice_void_all_affected_rounds() {
    let mut house = House::live();
    let chips = house.chips_out();
    let first = house.deal(&[(1, "big", 100), (2, "small", 100)], "6-5-4");
    let untouched = house.deal(&[(3, "big", 100)], "6-5-4");
    let second = house.deal(&[(1, "small", 50)], "6-5-4");
    let current = house.open();
    house.place(&[(2, "big", 75)]);
    let body = void_rounds(&[first, second, current]);
    house.refused(Sender::Staff(SUPERVISOR), body.clone(), Code::Rank);
    house.refused(Sender::Staff(MANAGER), void_rounds(&[first, first]), Code::RoundOver);
    let events = house.staff(MANAGER, body);
    let by_ground = Some(VoidBy::Ground(GroundId::DiceDamaged));
    assert!(matches!(&events[0], Event::ChipsCorrected { outcome: None, voided, .. } if *voided == by_ground));
    // Who had lost is paid; what the winner was paid is claimed.
    let table = house.floor.table(TABLE).unwrap();
    let archived = |id| table.archive().find(|round| round.id() == id).unwrap();
    assert_eq!(archived(first).outcome(), None);
    assert_eq!(archived(first).claims(), [(Position(1), dollars(100))]);
    assert!(archived(second).claims().is_empty());
    assert_eq!(archived(untouched).outcome(), Some(house.outcome(TABLE, "6-5-4")));
    // The winner still has 100 too much, the house a claim for it.
    assert_eq!(house.chips_out(), chips + 100 + 100);
    assert_eq!(whole(house.floor.pit_view().uncollected), 100);
    assert_eq!(house.floor.pit_view().tables[0].rounds, (1, 3));
    house.refused(Sender::Staff(MANAGER), void_rounds(&[first]), Code::RoundOver);
}

#[test]
fn rws_taisai_5_8_an_error_never_touches_later_rounds() {
    let mut house = House::live();
    let wrong = house.deal(&[(1, "big", 100)], "1-2-3");
    let later = house.deal(&[(1, "big", 200)], "1-2-3");
    let current = house.open();
    house.place(&[(1, "big", 300)]);
    let body = correct(&house, wrong, "6-5-4");
    house.staff(SUPERVISOR, body);
    let table = house.floor.table(TABLE).unwrap();
    let archived = |id| table.archive().find(|round| round.id() == id).unwrap();
    assert_eq!(whole(archived(wrong).shares()[0].returned), 200);
    assert_eq!(whole(archived(later).shares()[0].returned), 0);
    assert_eq!(table.round().unwrap().id(), current);
    assert_eq!(house.in_box("big"), [(1, 300)]);
    house.finish("1-2-3");
    assert_eq!(house.shares(), [(1, 300, 0)]);
}

#[test]
fn rws_taisai_5_10_lit_areas_that_are_wrong_change_nothing_the_dice_prevail() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100), (2, "small", 100)]);
    house.close();
    house.play_device();
    let note = "Small was lit".to_owned();
    let events =
        house.staff(DEALER, Body::RecordDisplay { table: TABLE, what: DisplayFault::LitAreas, note: note.clone() });
    assert_eq!(events, [Event::DisplayRecorded { table: TABLE, what: DisplayFault::LitAreas, note, by: DEALER }]);
    house.enter("6-5-4");
    house.confirm();
    assert_eq!(house.shares(), [(2, 100, 0), (1, 100, 200)]);
}

#[test]
fn rws_taisai_5_10_a_result_entered_wrongly_is_put_right_by_the_dice() {
    let mut house = House::live();
    let chips = house.chips_out();
    let round = house.deal(&[(1, "big", 100), (2, "small", 100), (3, "double/1", 50)], "1-1-2");
    assert_eq!(house.shares(), [(2, 100, 200), (1, 100, 0), (3, 50, 600)]);
    // 200 and 600 went out for 250; the dice showed 6-6-1.
    let body = correct(&house, round, "6-6-1");
    let events = house.staff(SUPERVISOR, body);
    let Event::ChipsCorrected { paid, claims, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(paid[..], [(Position(1), dollars(200))], "what it adds is paid");
    assert_eq!(claims[..], [(Position(2), dollars(200)), (Position(3), dollars(600))], "what it takes is claimed");
    assert_eq!(house.chips_out(), chips + 550 + 200);
    assert_eq!(house.floor.table(TABLE).unwrap().history().next_back().unwrap().1, house.outcome(TABLE, "6-6-1"));
    // Corrected once more: a claim shrinks before anything is paid.
    let body = correct(&house, round, "1-1-6");
    let events = house.staff(SUPERVISOR, body);
    let Event::ChipsCorrected { paid, claims, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(paid[..], []);
    assert_eq!(claims[..], [(Position(1), dollars(200))], "the second and the third have what is theirs");
    assert_eq!(whole(house.floor.pit_view().uncollected), 200, "of the 800 claimed before");
    assert_eq!(house.chips_out(), chips + 550 + 200, "no chip has moved");
    let again = correct(&house, round, "1-1-6");
    assert_eq!(house.refused(Sender::Staff(SUPERVISOR), again, Code::NothingToDo), "5.10");
}

#[test]
fn rws_taisai_5_11_displays_are_for_information_only() {
    let mut house = House::live();
    house.deal(&[(1, "big", 100)], "6-5-4");
    let shown = house.floor.display_view(TABLE).unwrap();
    assert_eq!(shown.information_only.as_str(), "5.11");
    let chips = house.chips_out();
    let note = "the board showed 1-2-3".to_owned();
    house.staff(DEALER, Body::RecordDisplay { table: TABLE, what: DisplayFault::Results, note });
    assert_eq!(house.chips_out(), chips);
    assert_eq!(house.floor.display_view(TABLE).unwrap(), shown, "what happened at the table is what is kept");
}

#[test]
fn rws_taisai_5_12_a_void_returns_all_bets() {
    let mut house = House::live();
    let (tray, chips) = (house.tray(), house.chips_out());
    house.open();
    house.place(&[(1, "big", 2_000), (2, "small", 5), (3, "triple/6", 100)]);
    house.staff(DEALER, Body::PlayerLeft { table: TABLE, position: Position(3) });
    house.close();
    house.staff(DEALER, house.placing((4, "total/9", 60)));
    house.staff(DEALER, House::declaring(GroundId::DiceDamaged));
    assert_eq!(
        (house.tray(), house.chips_out()),
        (tray, chips),
        "excess, too little, left alone, recorded late: all of it"
    );
    assert_eq!(house.account(Account::Stakes(TABLE)), 0);
    // Of a round settled pro rata every chip comes back too.
    let round = house.deal(&[(1, "total/9", 900), (2, "total/9", 300)], "1-1-2");
    house.staff(MANAGER, void_rounds(&[round]));
    assert_eq!(house.chips_out(), chips);
}

#[test]
fn rws_taisai_5_14_what_no_rule_covers_is_decided_by_the_shift_manager() {
    let mut house = House::live();
    let round = house.deal(&[(1, "big", 100), (2, "small", 100)], "6-5-4");
    let chips = house.chips_out();
    let decide = |ruling, reason: &str| Body::Decide {
        table: TABLE,
        round: Some(round),
        ruling,
        reason: reason.to_owned(),
        witness: Some(SECOND_SHIFT_MANAGER),
    };
    let pay = Ruling::PayChips { position: Position(2), amount: dollars(40) };
    assert_eq!(house.refused(Sender::Staff(MANAGER), decide(pay, "goodwill"), Code::Rank), "5.14");
    house.refused(Sender::Staff(SHIFT_MANAGER), decide(pay, " "), Code::Text);
    house.staff(SHIFT_MANAGER, decide(pay, "goodwill"));
    assert_eq!(house.chips_out(), chips + 40);
    house.staff(CASINO_MANAGER, decide(Ruling::ClaimChips { position: Position(1), amount: dollars(30) }, "overpaid"));
    assert_eq!(whole(house.floor.pit_view().uncollected), 30);
    house.staff(SHIFT_MANAGER, decide(Ruling::Reading, "a chip on the line is on the higher number"));
    house.staff(SHIFT_MANAGER, decide(Ruling::VoidRound, "the tray was upset"));
    assert_eq!(house.floor.table(TABLE).unwrap().archive().next_back().unwrap().outcome(), None);
    // A live table has no terminals to pay.
    let wrong = Ruling::Pay { terminal: T0, amount: dollars(1) };
    house.refused(Sender::Staff(SHIFT_MANAGER), decide(wrong, "?"), Code::NotFound);
}
