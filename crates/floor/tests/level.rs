//! Feature levels: what a floor's records may contain, so that hosts of two versions can serve one floor.

use crate::common::*;
use floor::*;

/// A house whose floor was made by the first release.
fn of_level_1(game: &str) -> House {
    let mut house = House::with(game);
    house.floor = Floor::new();
    for record in &mut house.log {
        if let Event::FloorCreated(settings) = &mut record.event {
            settings.level = None;
        }
        house.floor.apply(record).unwrap();
    }
    house
}

fn named_round(events: &[Event]) -> Option<RoundId> {
    let [Event::BetsChanged { round, .. }] = events else { panic!("{events:?}") };
    *round
}

#[test]
fn a_new_floor_has_the_newest_level_whatever_the_command_says() {
    let mut house = House::empty();
    assert_eq!(house.floor.level(), LEVEL);
    house.refused(Sender::System, Body::RaiseFeatureLevel { level: LEVEL }, Code::NothingToDo);
    house.refused(Sender::System, Body::RaiseFeatureLevel { level: LEVEL + 1 }, Code::FeatureLevel);
}

#[test]
fn a_floor_of_level_1_plays_and_writes_what_the_first_release_reads() {
    let mut house = of_level_1("rws-sicbo");
    assert_eq!(house.floor.level(), 1);
    house.open();
    let events = house.bet(T0, &["small=5.00"]);
    assert_eq!(named_round(&events), None);
    let events = house.ok(Sender::Terminal(T0), Body::ClearBets);
    assert_eq!(named_round(&events), None);
}

#[test]
fn raising_the_level_is_recorded_and_bets_name_their_round_from_then_on() {
    let mut house = of_level_1("rws-sicbo");
    house.open();
    let dealer = Body::RaiseFeatureLevel { level: 2 };
    house.refused(Sender::Staff(DEALER), dealer.clone(), Code::Rank);
    let events = house.staff(ADMINISTRATOR, dealer);
    assert_eq!(events, [Event::FeatureLevelRaised { level: 2, by: Some(ADMINISTRATOR) }]);
    let round = house.floor.table(TABLE).unwrap().round().map(Round::id);
    assert!(round.is_some());
    let events = house.bet(T0, &["small=5.00"]);
    assert_eq!(named_round(&events), round);
    let events = house.bet(T0, &["small=5.00", "big=5.00"]);
    assert_eq!(named_round(&events), round);
    let events = house.ok(Sender::Terminal(T0), Body::ClearBets);
    assert_eq!(named_round(&events), round);
}

#[test]
fn missing_records_lock_play_at_level_1_too() {
    let mut house = of_level_1("rws-sicbo");
    let lost = || Body::ReportLoss { epoch: 0, record: 9_999, words: "terminal 1 was shown more".to_owned() };
    let events = house.system(lost());
    assert!(matches!(
        &events[..],
        [
            Event::ProgramStarted { locked: true, .. },
            Event::Noted { .. },
            Event::AlertRaised { what: AlertKind::Host(words), .. },
        ] if words == "terminal 1 was shown more"
    ));
    house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::Locked);
    house.refused(Sender::System, lost(), Code::NothingToDo);
    house.staff(ADMINISTRATOR, Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) });
    house.open();
}
