//! Who may do what (D11), who must be two (D15), and who stands beside the pit.

use crate::common::*;
use floor::*;
use rulebook::{Act, GroundId, Rank};

/// The lowest rank for each act; the documents name few, the rest is our decision.
fn needed(game: &str, act: Act) -> Rank {
    match act {
        Act::OpenRound
        | Act::CloseBets
        | Act::EnterResult
        | Act::DeclareGround
        | Act::AttestInterruption
        | Act::CorrectBeforeSettlement
        | Act::RejectExcess
        | Act::AdviseMinimum
        | Act::RefuseLateBets
        | Act::PlaceForPlayer => Rank::Dealer,
        Act::CorrectAfterSettlement if game == "mbs-sicbo" => Rank::ShiftManager,
        Act::CorrectAfterSettlement
        | Act::WitnessAttestation
        | Act::RecordDeviceFault
        | Act::LockTerminal
        | Act::HandPay
        | Act::AcknowledgeAlert => Rank::PitSupervisor,
        Act::VoidAffectedRounds | Act::ChangeLimits | Act::OpenTable => Rank::PitManager,
        Act::Decide => Rank::ShiftManager,
    }
}

/// Everyone, with their rank in the pit.
const EVERYBODY: [(StaffId, Option<Rank>); 8] = [
    (DEALER, Some(Rank::Dealer)),
    (SUPERVISOR, Some(Rank::PitSupervisor)),
    (MANAGER, Some(Rank::PitManager)),
    (SHIFT_MANAGER, Some(Rank::ShiftManager)),
    (CASINO_MANAGER, Some(Rank::CasinoManager)),
    (CASHIER, None),
    (AUDITOR, None),
    (ADMINISTRATOR, None),
];

/// A table at which every act is possible in turn: a settled round, a round with a result entered and a measured ground
/// open, an alert.
fn busy(game: &str) -> (House, RoundId) {
    let mut house = House::with(game);
    let outcome = if game == "rws-roulette-000" { "17" } else { "1-2-3" };
    let settled = house.play(&[], outcome);
    house.open();
    house.close();
    house.play_device();
    house.enter(outcome);
    let ground = if game == "rws-roulette-000" { GroundId::WheelNotRotating } else { GroundId::TooFewTumbles };
    let round = house.round();
    house.tell(Event::GroundRaised { round, table: TABLE, ground, device: DEVICE, proposed: false });
    assert!(house.floor.table(TABLE).unwrap().round().unwrap().ground().is_some_and(|ground| !ground.proposed));
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::Host("disk".to_owned()) });
    (house, settled)
}

/// A command that needs the act, from any sender.
fn command(house: &House, game: &str, settled: RoundId, act: Act, who: StaffId) -> Option<(StaffId, Body)> {
    let (table, reason, witness) = (TABLE, "because".to_owned(), Some(SECOND_SHIFT_MANAGER));
    let outcome = house.outcome(TABLE, if game == "rws-roulette-000" { "5" } else { "1-2-4" });
    let spot = house.rulebook(TABLE).layouts()[0].table().indices().next()?;
    let (position, amount) = (Position(1), dollars(25));
    let body = match act {
        Act::OpenRound => Body::open_bets(table),
        Act::CloseBets => Body::CloseBets { table },
        Act::EnterResult => Body::confirm_result(table),
        Act::DeclareGround => Body::declare_ground(table, GroundId::Interruption),
        Act::AttestInterruption => Body::Attest { table, finding: Finding::NotAffected, witness },
        Act::CorrectBeforeSettlement => Body::enter_result(table, outcome),
        Act::CorrectAfterSettlement => Body::CorrectResult { round: settled, outcome, reason, witness },
        // The witness is the one whose rank is asked for.
        Act::WitnessAttestation => {
            let by = if who == DEALER { SUPERVISOR } else { DEALER };
            return Some((by, Body::Attest { table, finding: Finding::NotAffected, witness: Some(who) }));
        }
        Act::RecordDeviceFault => Body::DismissGround { table, reason, witness: None },
        Act::LockTerminal => Body::LockTerminal { terminal: T0, reason },
        Act::HandPay if game == "rws-taisai" => return None,
        Act::HandPay => Body::AttendantPay { terminal: T0, amount, witness: None },
        Act::AcknowledgeAlert => Body::AcknowledgeAlert { alert: house.floor.alerts().next()?.id() },
        Act::VoidAffectedRounds => {
            Body::VoidRounds { table, ground: GroundId::DiceDamaged, rounds: vec![settled], reason, witness }
        }
        Act::ChangeLimits => {
            Body::ChangeSettings { table, settings: House::settings(game).into(), reason, witness: None }
        }
        Act::OpenTable => Body::AnnounceClosing { table },
        Act::Decide => Body::Decide { table, round: None, ruling: Ruling::Reading, reason, witness: None },
        Act::RejectExcess => Body::RejectExcess { table, spot },
        Act::AdviseMinimum => Body::AdviseMinimum { table, position, spot },
        Act::RefuseLateBets => Body::RefuseLate { table, position },
        Act::PlaceForPlayer => Body::PlaceChips { table, position, spot, amount, for_player: true },
    };
    Some((who, body))
}

/// Whether the rank suffices, whatever else may stand in the way.
fn rank_suffices(house: &House, who: StaffId, body: &Body) -> bool {
    match house.floor.may(Sender::Staff(who), body, house.at) {
        Err(refusal) => !matches!(refusal.code, Code::Rank | Code::SecondPerson | Code::NotForSender),
        Ok(()) => true,
    }
}

#[test]
fn d11_every_act_has_a_lowest_rank_and_higher_ranks_may_do_it_too() {
    let mut asked = 0;
    for game in ALL {
        let (house, settled) = busy(game);
        for act in Act::ALL {
            let Some(power) = house.rulebook(TABLE).power(act) else {
                let elsewhere = if game == "rws-taisai" { act.is_for_terminals() } else { act.is_for_chips() };
                assert!(elsewhere, "{game} has no {act}");
                continue;
            };
            assert_eq!(power.rank, needed(game, act), "{game}: {act}");
            for (who, rank) in EVERYBODY {
                let Some((sender, body)) = command(&house, game, settled, act, who) else { continue };
                // An administrator changes settings as part of configuring a table.
                let configures = act == Act::ChangeLimits && who == ADMINISTRATOR;
                let may = rank.is_some_and(|rank| rank >= needed(game, act)) || configures;
                assert_eq!(rank_suffices(&house, sender, &body), may, "{game}: {act} by person {who}");
                asked += 1;
            }
        }
    }
    assert!(asked > 600, "{asked}");
}

#[test]
fn d11_a_power_is_raised_and_never_lowered() {
    for game in ALL {
        let (mut house, settled) = busy(game);
        for act in Act::ALL {
            let lowest = needed(game, act);
            let known = house.rulebook(TABLE).power(act).is_some();
            for rank in Rank::ALL.into_iter().filter(|rank| known && *rank < lowest) {
                let lower = Body::RaisePower { act, rank, witness: None };
                let rule = house.refused(Sender::Staff(ADMINISTRATOR), lower, Code::Settings);
                assert_eq!(rule, "D11");
            }
            // A dealer can always close.
            if act == Act::CloseBets {
                continue;
            }
            let witness = Some(SECOND_ADMINISTRATOR);
            house.staff(ADMINISTRATOR, Body::RaisePower { act, rank: Rank::CasinoManager, witness });
            for (who, rank) in EVERYBODY.into_iter().filter(|(who, _)| known && *who != ADMINISTRATOR) {
                // The second person of a correction must have the raised rank as well.
                let raised = |body: Body| match body {
                    Body::CorrectResult { round, outcome, reason, .. } => {
                        Body::CorrectResult { round, outcome, reason, witness: Some(CASINO_MANAGER) }
                    }
                    body => body,
                };
                let Some((sender, body)) = command(&house, game, settled, act, who) else { continue };
                let two = matches!(act, Act::CorrectAfterSettlement | Act::VoidAffectedRounds);
                if two && who == CASINO_MANAGER {
                    continue;
                }
                let may = rank == Some(Rank::CasinoManager);
                assert_eq!(rank_suffices(&house, sender, &raised(body)), may, "{game}: {act} by person {who}");
            }
            // Down again, but not below the document.
            for rank in [lowest.max(Rank::ShiftManager), if known { lowest } else { Rank::Dealer }] {
                house.staff(ADMINISTRATOR, Body::RaisePower { act, rank, witness });
            }
        }
        for who in [CASINO_MANAGER, AUDITOR, CASHIER] {
            let raise = Body::RaisePower { act: Act::OpenRound, rank: Rank::PitManager, witness: None };
            house.refused(Sender::Staff(who), raise, Code::Rank);
        }
        let raise = Body::RaisePower { act: Act::OpenRound, rank: Rank::PitManager, witness: None };
        house.refused(Sender::System, raise, Code::NotForSender);
    }
}

/// One of everything that a person could send.
fn everything(house: &mut House) -> Vec<Body> {
    let (table, terminal, amount, reason) = (TABLE, T0, dollars(1), "because".to_owned());
    let (number, name, witness) = (house.new_number(), "name".to_owned(), Some(SHIFT_MANAGER));
    let (outcome, ground, round) = (house.outcome(TABLE, "1-2-4"), GroundId::DieNotFlat, RoundId(0));
    let settings = House::settings("rws-sicbo");
    let (rulebook, canonical) = (house.rulebook(TABLE).hash(), house.rulebook(TABLE).canonical().to_owned());
    let floor = FloorSettings {
        name: name.clone(),
        demonstration: false,
        day_starts: 0,
        ticket_days: 1,
        ..FloorSettings::default()
    };
    let (post, place, kind) = (Post::Auditor, DevicePlace::Store, DeviceKind::Tumbler);
    let spot = house.spot(T0, "big");
    let (position, changes) = (Position(1), [BetChange::Add { spot, amount }].into());
    vec![
        Body::CreateFloor(floor),
        Body::InstallRulebook { canonical, witness: None },
        Body::RaisePower { act: Act::Decide, rank: Rank::CasinoManager, witness: None },
        Body::AddTable {
            name: name.clone(),
            rulebook,
            mode: TableMode::Terminals,
            settings: settings.clone().into(),
            witness: None,
        },
        Body::PinRulebook { table, rulebook, settings: settings.clone().into(), witness: None },
        Body::ChangeSettings { table, settings: settings.into(), reason: reason.clone(), witness: None },
        Body::EnrolTerminal { table, name: name.clone(), kind: "standard".to_owned(), layout: "a".to_owned() },
        Body::MoveTerminal { terminal, table, kind: "standard".to_owned(), layout: "a".to_owned() },
        Body::add_device(name.clone(), kind, place),
        Body::MoveDevice { device: DEVICE, place, witness: None },
        Body::AddStaff { name, post, witness: Some(SECOND_ADMINISTRATOR) },
        Body::ChangeStaff { staff: SECOND_DEALER, post, active: true, witness: Some(SECOND_ADMINISTRATOR) },
        Body::AssignActing {
            staff: SECOND_DEALER,
            post: Some(Post::Pit(Rank::Dealer)),
            witness: Some(SECOND_ADMINISTRATOR),
        },
        Body::TakeTable { table },
        Body::OpenTable { table },
        Body::AnnounceClosing { table },
        Body::CloseTable { table },
        Body::LockTerminal { terminal, reason: reason.clone() },
        Body::UnlockTerminal { terminal },
        Body::CashIn { terminal, amount },
        Body::AttendantIn { terminal, amount, witness: None },
        Body::TicketIn { terminal, number },
        Body::PrepareTicket { terminal, number },
        Body::AttendantPay { terminal, amount, witness },
        Body::SetLossLimit { terminal, limit: None },
        Body::ReprintTicket { ticket: TicketId(0), number: None, reason: String::new(), witness: None },
        Body::OpenShift { float: amount, witness: None },
        Body::CloseShift { counted: amount, reason: String::new(), witness: None },
        Body::SellTicket { amount, number, witness: None },
        Body::PayCorrection { payable: PayableId(0), round: Some(round), witness },
        Body::RedeemTicket { number, amount: None, witness: None },
        Body::BeginRound { table },
        Body::open_bets(table),
        Body::Bet { changes },
        Body::ClearBets,
        Body::RepeatBets { doubled: false },
        Body::CloseBets { table },
        Body::AcknowledgeClose { round },
        Body::Observe(Observation::Activated),
        Body::enter_result(table, outcome),
        Body::confirm_result(table),
        Body::declare_ground(table, ground),
        Body::ConfirmGround { table },
        Body::VoidRounds { table, ground, rounds: vec![round], reason: reason.clone(), witness },
        Body::ReportStoppage { from: house.at, terminals_back: true },
        Body::Attest { table, finding: Finding::NotAffected, witness },
        Body::TerminalLost { terminal },
        Body::TerminalBack { terminal },
        Body::CorrectResult { round, outcome, reason: reason.clone(), witness },
        Body::Decide { table, round: None, ruling: Ruling::Reading, reason: reason.clone(), witness },
        Body::RecordDisplay { table, what: DisplayFault::Results, note: reason.clone() },
        Body::RaiseAlert { table: None, what: AlertKind::Host(reason) },
        Body::AcknowledgeAlert { alert: AlertId(0) },
        Body::Elapse,
        Body::CheckMeters,
        Body::MoveFloat {
            table,
            movement: FloatMovement::BuyIn(amount),
            counts: Vec::new(),
            witness: None,
            reason: String::new(),
        },
        Body::RefuseLate { table, position },
        Body::ChangeCredential { staff: SECOND_DEALER, what: CredentialChange::Unlocked, by: None, second: None },
    ]
}

#[test]
fn d11_an_auditor_changes_nothing() {
    let mut house = House::with("rws-sicbo");
    house.play(&[], "1-2-3");
    for body in everything(&mut house) {
        assert!(house.floor.may(Sender::Staff(AUDITOR), &body, house.at).is_err(), "{body:?}");
    }
}

#[test]
fn d11_an_administrator_configures_and_never_touches_a_round_or_money() {
    let mut house = House::with("rws-sicbo");
    house.play(&[], "1-2-3");
    for body in everything(&mut house) {
        if house.floor.may(Sender::Staff(ADMINISTRATOR), &body, house.at).is_ok() {
            let configures = matches!(
                body,
                Body::RaisePower { .. }
                    | Body::AddTable { .. }
                    | Body::PinRulebook { .. }
                    | Body::ChangeSettings { .. }
                    | Body::EnrolTerminal { .. }
                    | Body::MoveTerminal { .. }
                    | Body::AddDevice { .. }
                    | Body::MoveDevice { .. }
                    | Body::AddStaff { .. }
                    | Body::ChangeStaff { .. }
                    | Body::AssignActing { .. }
            );
            assert!(configures, "{body:?}");
        }
    }
}

#[test]
fn d11_a_cashier_sells_redeems_and_pays_and_does_nothing_else() {
    let mut house = House::with("rws-sicbo");
    house.play(&[], "1-2-3");
    for open in [false, true] {
        if open {
            house.staff(CASHIER, Body::OpenShift { float: dollars(100), witness: None });
        }
        for body in everything(&mut house) {
            if house.floor.may(Sender::Staff(CASHIER), &body, house.at).is_ok() {
                let cage = matches!(body, Body::OpenShift { .. } | Body::CloseShift { .. } | Body::SellTicket { .. });
                assert!(cage, "{body:?}");
            }
        }
    }
    // No one in the pit does a cashier's work, however high their rank.
    let number = house.new_number();
    for body in [
        Body::OpenShift { float: dollars(1), witness: None },
        Body::SellTicket { amount: dollars(1), number, witness: None },
    ] {
        assert_eq!(house.refused(Sender::Staff(CASINO_MANAGER), body, Code::Rank), "D11");
    }
}

#[test]
fn d11_whoever_has_left_may_do_nothing() {
    let mut house = House::with("rws-sicbo");
    house.staff(
        ADMINISTRATOR,
        Body::ChangeStaff {
            staff: DEALER,
            post: Post::Pit(Rank::Dealer),
            active: false,
            witness: Some(SECOND_ADMINISTRATOR),
        },
    );
    house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::UnknownSender);
    house.refused(Sender::Staff(StaffId(99)), Body::open_bets(TABLE), Code::UnknownSender);
    house.staff(SECOND_DEALER, Body::TakeTable { table: TABLE });
    house.staff(SECOND_DEALER, Body::open_bets(TABLE));
}

#[test]
fn d15_two_people_for_corrections_voids_attestations_and_large_payments() {
    let mut settings = House::settings("rws-sicbo");
    settings.hand_pay = dollars(100);
    let mut house = House::with_settings("rws-sicbo", settings);
    let round = house.play(&["big=10.00"], "1-2-3");
    let (table, outcome) = (TABLE, house.outcome(TABLE, "6-5-4"));
    let reason = || "because".to_owned();
    let large = dollars(101);
    type Two = Box<dyn Fn(Option<StaffId>) -> Body>;
    // The sender, a person whose rank is too low to be the second, and one whose rank suffices.
    let acts: Vec<(StaffId, StaffId, StaffId, Two)> = vec![
        (
            SUPERVISOR,
            DEALER,
            SECOND_SUPERVISOR,
            Box::new(move |witness| Body::CorrectResult { round, outcome, reason: reason(), witness }),
        ),
        (
            SUPERVISOR,
            DEALER,
            MANAGER,
            Box::new(move |witness| Body::AttendantPay { terminal: T0, amount: large, witness }),
        ),
        (
            SHIFT_MANAGER,
            DEALER,
            SUPERVISOR,
            Box::new(move |witness| Body::Decide {
                table,
                round: None,
                ruling: Ruling::Pay { terminal: T0, amount: large },
                reason: reason(),
                witness,
            }),
        ),
        (
            SHIFT_MANAGER,
            SUPERVISOR,
            SECOND_MANAGER,
            Box::new(move |witness| Body::Decide {
                table,
                round: Some(round),
                ruling: Ruling::VoidRound,
                reason: reason(),
                witness,
            }),
        ),
    ];
    for (first, too_low, second, body) in &acts {
        for missing in [None, Some(*first), Some(*too_low), Some(CASHIER), Some(AUDITOR), Some(StaffId(99))] {
            let rule = house.refused(Sender::Staff(*first), body(missing), Code::SecondPerson);
            assert_eq!(rule, "D15", "{missing:?}");
        }
        house.staff(*first, body(Some(*second)));
    }
    // At the threshold one is enough.
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(100), witness: None });
    // The second person must be at work.
    house.open();
    let from = house.at;
    house.later(60_000);
    house.system(Body::ReportStoppage { from, terminals_back: true });
    house.staff(
        ADMINISTRATOR,
        Body::ChangeStaff {
            staff: SUPERVISOR,
            post: Post::Pit(Rank::PitSupervisor),
            active: false,
            witness: Some(SECOND_ADMINISTRATOR),
        },
    );
    let attest = |witness| Body::Attest { table, finding: Finding::NotAffected, witness };
    for missing in [None, Some(DEALER), Some(SECOND_DEALER), Some(SUPERVISOR)] {
        house.refused(Sender::Staff(DEALER), attest(missing), Code::SecondPerson);
    }
    house.staff(DEALER, attest(Some(SECOND_SUPERVISOR)));
}

#[test]
fn d15_a_large_correction_is_paid_at_the_cage_with_a_second_person() {
    let mut settings = House::settings("rws-sicbo");
    settings.hand_pay = dollars(100);
    let mut house = House::with_settings("rws-sicbo", settings);
    let round = house.play(&["big=100.00"], "1-2-3");
    house.cash_out(T0);
    let (outcome, witness) = (house.outcome(TABLE, "6-5-4"), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round, outcome, reason: "misread".to_owned(), witness });
    house.staff(CASHIER, Body::OpenShift { float: dollars(500), witness: None });
    let pay = |witness| Body::PayCorrection { payable: PayableId(0), round: Some(round), witness };
    for missing in [None, Some(CASHIER), Some(DEALER)] {
        house.refused(Sender::Staff(CASHIER), pay(missing), Code::SecondPerson);
    }
    let events = house.staff(CASHIER, pay(Some(SUPERVISOR)));
    assert!(matches!(events[..], [Event::CorrectionPaid { witness: Some(SUPERVISOR), .. }]));
}

#[test]
fn d11_nobody_assigns_a_position_to_oneself_or_takes_a_higher_one_away() {
    let mut house = House::with("rws-sicbo");
    let acting = |staff, post| Body::AssignActing { staff, post, witness: Some(SECOND_ADMINISTRATOR) };
    let shift_manager = Some(Post::Pit(Rank::ShiftManager));
    for who in [DEALER, SHIFT_MANAGER, ADMINISTRATOR] {
        house.refused(Sender::Staff(who), acting(who, shift_manager), Code::Rank);
    }
    house.staff(SHIFT_MANAGER, acting(DEALER, shift_manager));
    for post in [None, Some(Post::Pit(Rank::Dealer))] {
        house.refused(Sender::Staff(SUPERVISOR), acting(DEALER, post), Code::Rank);
    }
    house.staff(CASINO_MANAGER, acting(DEALER, None));
    house.refused(Sender::Staff(CASINO_MANAGER), acting(DEALER, None), Code::Rank);
    // Positions outside the pit are the administrator's to give, and kept while a shift is open.
    house.refused(Sender::Staff(CASINO_MANAGER), acting(DEALER, Some(Post::Cashier)), Code::Rank);
    house.staff(ADMINISTRATOR, acting(DEALER, Some(Post::Cashier)));
    house.staff(DEALER, Body::OpenShift { float: dollars(10), witness: None });
    house.refused(Sender::Staff(ADMINISTRATOR), acting(DEALER, None), Code::Shift);
    house.close_shift(DEALER, dollars(10));
    house.staff(ADMINISTRATOR, acting(DEALER, None));
}

#[test]
fn d30_a_technician_enrols_devices_and_terminals_and_touches_neither_rounds_nor_money() {
    let mut house = House::with("rws-sicbo");
    let added = house.staff(
        ADMINISTRATOR,
        Body::AddStaff { name: "Lin".to_owned(), post: Post::Technician, witness: Some(SECOND_ADMINISTRATOR) },
    );
    let [Event::StaffAdded { staff: technician, .. }] = added[..] else { panic!("{added:?}") };
    let (own, terminal) = (Sender::Staff(technician), TerminalId(3));
    let (kind, layout) = ("standard".to_owned(), "a".to_owned());
    house.ok(own, Body::EnrolTerminal { table: TABLE, name: "seat 9".to_owned(), kind, layout });
    assert!(house.floor.terminal(terminal).is_some());
    let reader = |kind| Body::AddDevice {
        name: "spare".to_owned(),
        kind,
        place: DevicePlace::Store,
        measures: None,
        witness: None,
    };
    house.ok(own, reader(DeviceKind::Tumbler));
    // What makes credit takes two people, for every first person; the second is never a technician.
    house.refused(own, reader(DeviceKind::Validator), Code::SecondPerson);
    let code = |by, second| Body::IssueCode { holder: KeyHolder::Terminal(terminal), by, second };
    house.refused(Sender::System, code(technician, None), Code::SecondPerson);
    house.refused(Sender::System, code(ADMINISTRATOR, Some(technician)), Code::SecondPerson);
    // Neither rounds nor money, nor people.
    house.open();
    for body in [
        Body::CloseBets { table: TABLE },
        Body::AttendantPay { terminal: T0, amount: dollars(1), witness: None },
        Body::AttendantIn { terminal: T0, amount: dollars(1), witness: None },
        Body::OpenShift { float: dollars(1), witness: None },
        Body::AddStaff { name: "Kim".to_owned(), post: Post::Cashier, witness: Some(ADMINISTRATOR) },
    ] {
        house.refused(own, body, Code::Rank);
    }
    house.replays();
}
