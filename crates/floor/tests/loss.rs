//! Records that were lost lock play until two people have stated what was lost (S10, D15).

use crate::common::*;
use floor::*;
use rulebook::Rank;

fn lost(epoch: u32, record: u64) -> Body {
    Body::ReportLoss { epoch, record, words: "terminal 1 was shown more".to_owned() }
}

fn statement(witness: Option<StaffId>) -> Body {
    Body::AcceptLoss { statement: "the last round of the evening".to_owned(), witness }
}

/// A floor with a Shift Manager, the last person employed.
fn house() -> (House, StaffId) {
    let mut house = House::with("rws-sicbo");
    house.system(Body::AddStaff { name: "shift".to_owned(), post: Post::Pit(Rank::ShiftManager) });
    let id = house.floor.staff().last().expect("just employed").id();
    (house, id)
}

#[test]
fn s10_missing_records_lock_play_and_raise_an_integrity_alert() {
    let (mut house, _) = house();
    let events = house.system(lost(0, 9_999));
    assert!(matches!(
        &events[..],
        [Event::LossFound { record: 9_999, .. }, Event::AlertRaised { what: AlertKind::Integrity(_), .. }]
    ));
    assert_eq!(house.floor.missing_record(), Some(9_999));
    house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::Locked);
    house.refused(Sender::System, lost(0, 10_000), Code::NothingToDo);
}

#[test]
fn s10_only_the_host_reports_missing_records() {
    let (mut house, manager) = house();
    for sender in [Sender::Staff(manager), Sender::Staff(ADMINISTRATOR), Sender::Terminal(TerminalId(0))] {
        if house.floor.may(sender, &lost(0, 9_999), house.at).is_ok() {
            panic!("{sender:?} may lock play");
        }
    }
    house.refused(Sender::Staff(manager), lost(0, 9_999), Code::NotForSender);
}

#[test]
fn d15_a_loss_is_accepted_by_an_administrator_and_a_shift_manager_in_either_order() {
    let (mut house, manager) = house();
    let pairs = [(manager, ADMINISTRATOR), (ADMINISTRATOR, manager)];
    for (round, (by, witness)) in pairs.into_iter().enumerate() {
        let epoch = house.floor.epoch();
        house.system(lost(epoch, 9_999));
        house.refused(Sender::Staff(by), statement(None), Code::SecondPerson);
        house.refused(Sender::Staff(by), statement(Some(by)), Code::SecondPerson);
        house.refused(Sender::Staff(by), statement(Some(DEALER)), Code::SecondPerson);
        house.refused(Sender::Staff(DEALER), statement(Some(ADMINISTRATOR)), Code::Rank);
        house.ok(Sender::Staff(by), statement(Some(witness)));
        assert_eq!(house.floor.missing_record(), None);
        assert_eq!(house.floor.epoch() as usize, round + 1);
        house.refused(Sender::Staff(by), statement(Some(witness)), Code::NothingToDo);
    }
    house.ok(Sender::Staff(DEALER), Body::open_bets(TABLE));
}

#[test]
fn s10_a_cursor_of_an_accepted_loss_does_not_lock_again() {
    let (mut house, manager) = house();
    // The records lost had an epoch of their own: the next one is beyond it.
    house.system(lost(4, 9_999));
    house.ok(Sender::Staff(manager), statement(Some(ADMINISTRATOR)));
    assert_eq!(house.floor.epoch(), 5);
    house.refused(Sender::System, lost(4, 9_999), Code::NothingToDo);
}
