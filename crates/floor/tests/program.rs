//! S10: another program or other rulebooks than the last run's lock play until an administrator accepts them, unless
//! they were approved beforehand. A demonstration accepts by itself, and that stands in the log.

use crate::common::*;
use floor::*;
use rulebook::{Hash, Rank};

fn release(program: u8, rulebooks: u8) -> Release {
    Release { program: Hash([program; 32]), rulebooks: Hash([rulebooks; 32]) }
}

const fn administrator() -> Sender {
    Sender::Staff(ADMINISTRATOR)
}

/// The host starts with this program; whether that locks play.
#[track_caller]
fn starts(house: &mut House, release: Release) -> bool {
    let events = house.system(Body::StartProgram(release));
    let [Event::ProgramStarted { release: started, locked }] = events[..] else { panic!("{events:?}") };
    assert_eq!((started, house.floor.locked_by()), (release, locked.then_some(release)));
    locked
}

/// Whether bets can be opened.
fn plays(house: &House) -> bool {
    match house.floor.may(Sender::Staff(DEALER), &Body::open_bets(TABLE), house.at) {
        Ok(()) => true,
        Err(refusal) => {
            assert_eq!((refusal.code, &refusal.rule[..]), (Code::Locked, "S10"));
            false
        }
    }
}

#[test]
fn s10_the_first_program_and_the_same_again_do_not_lock() {
    let mut house = House::with("rws-sicbo");
    for _ in 0..3 {
        assert!(!starts(&mut house, release(1, 1)));
        assert!(plays(&house));
    }
}

#[test]
fn s10_another_program_locks_play_until_an_administrator_accepts_it() {
    for other in [release(2, 1), release(1, 2), release(2, 2)] {
        let mut house = House::with("rws-sicbo");
        assert!(!starts(&mut house, release(1, 1)));
        assert!(starts(&mut house, other), "another program, or other rulebooks, or both");
        assert!(!plays(&house));
        assert_eq!(
            house.ok(administrator(), Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) }),
            [Event::ProgramAccepted { release: other, by: ADMINISTRATOR, witness: Some(SECOND_ADMINISTRATOR) }]
        );
        assert_eq!(house.floor.locked_by(), None);
        assert!(plays(&house));
        // It is the last run's from now on.
        assert!(!starts(&mut house, other));
        assert!(starts(&mut house, release(1, 1)), "and the one before it is not");
    }
}

#[test]
fn s10_a_restart_does_not_unlock() {
    let mut house = House::with("rws-sicbo");
    starts(&mut house, release(1, 1));
    assert!(starts(&mut house, release(2, 2)));
    assert!(starts(&mut house, release(2, 2)), "nobody has accepted it in between");
    assert!(starts(&mut house, release(3, 3)));
    // With the program that ran last play goes on.
    assert!(!starts(&mut house, release(1, 1)));
    assert!(plays(&house));
}

#[test]
fn s10_a_program_approved_beforehand_does_not_lock() {
    let mut house = House::with("rws-sicbo");
    starts(&mut house, release(1, 1));
    let approved =
        house.ok(administrator(), Body::ApproveProgram { release: release(2, 2), witness: Some(SECOND_ADMINISTRATOR) });
    assert_eq!(
        approved,
        [Event::ProgramApproved { release: release(2, 2), by: ADMINISTRATOR, witness: Some(SECOND_ADMINISTRATOR) }]
    );
    assert!(plays(&house), "approving changes nothing for the program that runs");
    assert!(!starts(&mut house, release(2, 2)));
    assert!(plays(&house));
    // The approval is for this change, once: the way back and the way here again are changes of their own.
    assert!(starts(&mut house, release(1, 1)));
    house.ok(administrator(), Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) });
    assert!(starts(&mut house, release(2, 2)));
}

#[test]
fn s10_an_approval_is_for_program_and_rulebooks_together() {
    let mut house = House::with("rws-sicbo");
    starts(&mut house, release(1, 1));
    house.ok(administrator(), Body::ApproveProgram { release: release(2, 1), witness: Some(SECOND_ADMINISTRATOR) });
    assert!(starts(&mut house, release(2, 2)));
    assert!(starts(&mut house, release(1, 2)));
    assert!(!starts(&mut house, release(2, 1)));
}

#[test]
fn s10_while_locked_an_administrator_may_also_approve_what_runs_next() {
    let mut house = House::with("rws-sicbo");
    starts(&mut house, release(1, 1));
    starts(&mut house, release(2, 2));
    house.ok(administrator(), Body::ApproveProgram { release: release(3, 3), witness: Some(SECOND_ADMINISTRATOR) });
    assert!(!plays(&house));
    assert!(!starts(&mut house, release(3, 3)));
    assert!(plays(&house));
}

#[test]
fn s10_while_locked_nothing_is_played_and_the_floor_is_kept_safe() {
    let mut house = House::with("rws-sicbo");
    let round = house.open();
    house.bet(T0, &["small=10.00"]);
    starts(&mut house, release(1, 1));
    starts(&mut house, release(2, 2));
    let locked = [
        (Sender::Terminal(T0), house.bets(T0, &["small=10.00"])),
        (Sender::Terminal(T0), Body::ClearBets),
        (Sender::Terminal(T0), Body::AcknowledgeClose { round }),
        (Sender::Staff(DEALER), Body::CloseBets { table: TABLE }),
        (Sender::Staff(MANAGER), Body::CloseTable { table: TABLE }),
        (Sender::Staff(SUPERVISOR), Body::AttendantIn { terminal: T0, amount: dollars(10), witness: None }),
        (Sender::Device(DEVICE), Body::Observe(Observation::Activated)),
        (
            administrator(),
            Body::AddStaff { name: "x".to_owned(), post: Post::Auditor, witness: Some(SECOND_ADMINISTRATOR) },
        ),
    ];
    for (sender, body) in locked {
        assert_eq!(house.refused(sender, body, Code::Locked), "S10");
    }
    // Lost and found terminals, stoppages and alerts are recorded all the same.
    house.system(Body::TerminalLost { terminal: T0 });
    house.system(Body::TerminalBack { terminal: T0 });
    house.system(Body::RaiseAlert { table: None, what: AlertKind::Host("another program runs".to_owned()) });
    let alert = house.floor.alerts().last().unwrap().id();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    house.stoppage(1);
    // The bets stand, and are played for once the program is accepted.
    house.ok(administrator(), Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) });
    house.finish("1-2-4");
    assert_eq!(house.credit(T0), dollars(1_010));
}

#[test]
fn s10_only_the_host_starts_and_only_administrators_approve_and_accept() {
    let mut house = House::with("rws-sicbo");
    house.refused(administrator(), Body::StartProgram(release(1, 1)), Code::NotForSender);
    starts(&mut house, release(1, 1));
    house.refused(administrator(), Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) }, Code::NothingToDo);
    starts(&mut house, release(2, 2));
    for staff in [DEALER, MANAGER, SHIFT_MANAGER, CASINO_MANAGER, CASHIER, AUDITOR] {
        house.refused(Sender::Staff(staff), Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) }, Code::Rank);
        house.refused(
            Sender::Staff(staff),
            Body::ApproveProgram { release: release(3, 3), witness: Some(SECOND_ADMINISTRATOR) },
            Code::Rank,
        );
    }
    // Nor does the host accept what it runs itself.
    house.refused(Sender::System, Body::AcceptProgram { witness: Some(SECOND_ADMINISTRATOR) }, Code::NotForSender);
    house.refused(
        Sender::System,
        Body::ApproveProgram { release: release(3, 3), witness: Some(SECOND_ADMINISTRATOR) },
        Code::NotForSender,
    );
    assert!(!plays(&house));
    house.ok(administrator(), Body::ApproveProgram { release: release(3, 3), witness: Some(SECOND_ADMINISTRATOR) });
    house.refused(
        administrator(),
        Body::ApproveProgram { release: release(3, 3), witness: Some(SECOND_ADMINISTRATOR) },
        Code::NothingToDo,
    );
}

#[test]
fn s10_approvals_are_bounded() {
    let mut house = House::empty();
    for program in 0..bounds::APPROVED {
        house.ok(
            administrator(),
            Body::ApproveProgram {
                release: release(u8::try_from(program).unwrap(), 0),
                witness: Some(SECOND_ADMINISTRATOR),
            },
        );
    }
    house.refused(
        administrator(),
        Body::ApproveProgram { release: release(0xff, 0), witness: Some(SECOND_ADMINISTRATOR) },
        Code::TooMany,
    );
}

#[test]
fn s10_a_demonstration_accepts_by_itself_and_it_is_on_record() {
    let settings = FloorSettings {
        name: "demo".to_owned(),
        demonstration: true,
        day_starts: 0,
        ticket_days: 30,
        ..FloorSettings::default()
    };
    let mut floor = Floor::new();
    let mut log = Vec::new();
    let bodies = [
        Body::CreateFloor(settings),
        Body::AddStaff {
            name: "dealer".to_owned(),
            post: Post::Pit(Rank::Dealer),
            witness: Some(SECOND_ADMINISTRATOR),
        },
        Body::StartProgram(release(1, 1)),
        Body::StartProgram(release(2, 2)),
    ];
    for (number, body) in (1..).zip(bodies) {
        let command = Command { sender: Sender::System, number, at: Moment(0), body };
        let Ok(Decision::Events(records)) = floor.decide(&command) else { panic!("{command:?}") };
        records.iter().for_each(|record| floor.apply(record).unwrap());
        log.extend(records.into_iter().map(|record| record.event));
    }
    assert_eq!(floor.locked_by(), None);
    // The change stands in the log of a floor whose first event says for ever that it is a demonstration.
    assert!(matches!(&log[0], Event::FloorCreated(settings) if settings.demonstration));
    assert_eq!(log[3], Event::ProgramStarted { release: release(2, 2), locked: false });
}

#[test]
fn s10_the_last_administrator_stays() {
    let mut house = House::with("rws-sicbo");
    // Of the two administrators of every floor one has gone.
    house.system(Body::ChangeStaff { staff: SECOND_ADMINISTRATOR, post: Post::Auditor, active: true, witness: None });
    let change = |staff, post, active| Body::ChangeStaff { staff, post, active, witness: None };
    let assign = |staff, post| Body::AssignActing { staff, post, witness: None };
    for body in [change(ADMINISTRATOR, Post::Administrator, false), change(ADMINISTRATOR, Post::Auditor, true)] {
        house.refused(Sender::System, body, Code::LastAdministrator);
    }
    house.refused(administrator(), change(ADMINISTRATOR, Post::Administrator, false), Code::LastAdministrator);
    // A person who acts as an administrator is one. The acting post cannot be taken away, nor the other's post, if it
    // is the last.
    house.system(assign(DEALER, Some(Post::Administrator)));
    house.system(change(ADMINISTRATOR, Post::Administrator, false));
    house.refused(Sender::System, assign(DEALER, None), Code::LastAdministrator);
    house.refused(Sender::System, change(DEALER, Post::Pit(Rank::Dealer), false), Code::LastAdministrator);
    house.system(change(DEALER, Post::Pit(Rank::PitSupervisor), true));
    house.system(change(ADMINISTRATOR, Post::Administrator, true));
    house.system(change(DEALER, Post::Pit(Rank::Dealer), false));
    assert!(!starts(&mut house, release(1, 1)));
    assert!(starts(&mut house, release(2, 1)));
    house.ok(administrator(), Body::AcceptProgram { witness: Some(MANAGER) });
}

#[test]
fn d27_two_people_let_another_program_run() {
    let mut house = House::with("rws-sicbo");
    house.system(Body::StartProgram(release(1, 1)));
    house.system(Body::StartProgram(release(2, 2)));
    for missing in [None, Some(ADMINISTRATOR), Some(SUPERVISOR), Some(CASHIER)] {
        house.refused(administrator(), Body::AcceptProgram { witness: missing }, Code::SecondPerson);
        let approve = Body::ApproveProgram { release: release(3, 3), witness: missing };
        house.refused(administrator(), approve, Code::SecondPerson);
    }
    house.ok(administrator(), Body::AcceptProgram { witness: Some(MANAGER) });
}
