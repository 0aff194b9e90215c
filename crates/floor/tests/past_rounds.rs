//! Past rounds (D24): recalled with their proof, changed, recalled again; ranges and their previews.

use crate::common::*;
use floor::*;
use rulebook::{GroundId, Hash, OutcomeIndex};

/// Every past round of the table as the host keeps it: its bytes in the order in which they left.
struct Kept {
    house: House,
    bytes: Vec<Vec<u8>>,
    /// What the device read of it.
    read: Vec<Vec<u8>>,
    rounds: Vec<RoundId>,
}

impl Kept {
    fn new(game: &str) -> Kept {
        Kept { house: House::with(game), bytes: Vec::new(), read: Vec::new(), rounds: Vec::new() }
    }

    /// A round in which the first terminal bets.
    fn play(&mut self, bets: &[&str], outcome: &str) -> RoundId {
        self.leave(|house| house.play(bets, outcome))
    }

    /// Keeps the round that leaves while another one is played.
    fn leave<T>(&mut self, play: impl FnOnce(&mut House) -> T) -> T {
        let table = self.house.floor.table(TABLE).unwrap();
        let leaving = table.leaving().map(|round| (round.id(), round.to_bytes(), table.leaving_read()));
        let played = play(&mut self.house);
        if let Some((id, bytes, read)) = leaving {
            self.bytes.push(bytes);
            self.read.push(read);
            self.rounds.push(id);
        }
        played
    }

    fn leaves(&self) -> Vec<Hash> {
        self.bytes.iter().map(|bytes| leaf(bytes)).collect()
    }

    fn recalling(&self, round: RoundId) -> Body {
        let leaf = self.rounds.iter().position(|known| *known == round).expect("it has left") as u64;
        let beside = proof(&self.leaves(), leaf).unwrap();
        let (bytes, read) = (self.bytes[leaf as usize].clone(), self.read[leaf as usize].clone());
        Body::RecallRound { table: TABLE, leaf, bytes, beside, read }
    }

    fn recall(&mut self, round: RoundId) {
        let body = self.recalling(round);
        self.house.system(body);
    }

    /// The host keeps the latest version of what was changed.
    fn keep(&mut self, round: RoundId) {
        let place = self.rounds.iter().position(|known| *known == round).unwrap();
        self.bytes[place] = self.house.floor.table(TABLE).unwrap().archived(round).unwrap().to_bytes();
    }

    fn outcome(&self, text: &str) -> OutcomeIndex {
        self.house.outcome(TABLE, text)
    }

    fn correcting(&self, round: RoundId, outcome: &str) -> Body {
        let (outcome, reason) = (self.outcome(outcome), "camera".to_owned());
        Body::CorrectResult { round, outcome, reason, witness: Some(SECOND_SUPERVISOR) }
    }

    fn changing(&self, changes: &[(RoundId, Option<&str>)], ground: Option<GroundId>, preview: Hash) -> Body {
        let changes = changes.iter().map(|(round, to)| (*round, to.map(|to| self.outcome(to)))).collect();
        let (reason, witness) = ("camera".to_owned(), Some(SECOND_SHIFT_MANAGER));
        Body::ChangeRounds { table: TABLE, changes, ground, reason, preview, witness }
    }

    fn preview(&self, changes: &[(RoundId, Option<&str>)]) -> Result<Preview, Refusal> {
        let changes: Vec<_> = changes.iter().map(|(round, to)| (*round, to.map(|to| self.outcome(to)))).collect();
        self.house.floor.preview(TABLE, &changes)
    }
}

#[test]
fn d24_a_round_of_long_ago_is_recalled_with_its_proof_and_corrected() {
    let mut kept = Kept::new("rws-sicbo");
    let old = kept.play(&["big=10.00"], "6-5-4");
    for _ in 0..100 {
        kept.play(&["small=10.00"], "1-2-4");
    }
    assert_eq!(kept.house.floor.table(TABLE).unwrap().past_rounds(), 69);
    let correct = kept.correcting(old, "1-2-4");
    kept.house.refused(Sender::Staff(SUPERVISOR), correct.clone(), Code::NotFound);
    // A person does not recall; the host does, and only what is proved.
    let body = kept.recalling(old);
    kept.house.refused(Sender::Staff(CASINO_MANAGER), body.clone(), Code::NotForSender);
    let Body::RecallRound { leaf, mut bytes, beside, .. } = body else { unreachable!() };
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let forged =
        Body::RecallRound { table: TABLE, leaf, bytes: bytes.clone(), beside: beside.clone(), read: Vec::new() };
    assert_eq!(kept.house.refused(Sender::System, forged, Code::NotProved), "D24");
    bytes[last] ^= 1;
    let elsewhere = Body::RecallRound { table: TABLE, leaf: leaf + 1, bytes, beside, read: Vec::new() };
    kept.house.refused(Sender::System, elsewhere, Code::NotProved);
    kept.recall(old);
    let again = kept.recalling(old);
    kept.house.refused(Sender::System, again, Code::NothingToDo);
    let before = kept.house.credit(T0);
    kept.house.staff(SUPERVISOR, correct);
    assert_eq!(kept.house.credit(T0).get(), before.get() - 2_000, "the 20.00 of the round are taken back");
}

#[test]
fn d19_d24_a_correction_of_long_ago_against_the_device_alerts_the_pit_and_is_listed() {
    let mut kept = Kept::new("rws-sicbo");
    let old = kept.play(&["big=10.00"], "6-5-4");
    for _ in 0..40 {
        kept.play(&["small=10.00"], "1-2-4");
    }
    let mut recalling = kept.recalling(old);
    let Body::RecallRound { read, .. } = &mut recalling else { unreachable!() };
    assert!(!read.is_empty());
    let whole = std::mem::replace(read, vec![0xff; 3]);
    kept.house.refused(Sender::System, recalling.clone(), Code::NotProved);
    if let Body::RecallRound { read, .. } = &mut recalling {
        *read = whole;
    }
    kept.house.system(recalling);
    let alert =
        |event: &Event| matches!(event, Event::AlertRaised { what: AlertKind::DeviceDisagrees(of), .. } if *of == old);
    let against = kept.correcting(old, "1-2-4");
    let events = kept.house.staff(SUPERVISOR, against);
    assert!(events.iter().any(alert), "{events:?}");
    let back = kept.correcting(old, "6-5-4");
    let events = kept.house.staff(SUPERVISOR, back);
    assert!(!events.iter().any(alert), "{events:?}");
    let mut floor = Floor::new();
    let mut found = Vec::new();
    for record in &kept.house.log {
        found.extend(People::observe(&floor, record).into_iter().map(|finding| finding.code));
        floor.apply(record).unwrap();
    }
    assert_eq!(found, ["against-device"]);
}

#[test]
fn d24_after_a_correction_the_latest_version_alone_can_be_recalled() {
    let mut kept = Kept::new("rws-sicbo");
    let old = kept.play(&["big=10.00"], "6-5-4");
    for _ in 0..50 {
        kept.play(&["small=10.00"], "1-2-4");
    }
    let first = kept.recalling(old);
    kept.recall(old);
    let correct = kept.correcting(old, "1-2-4");
    kept.house.staff(SUPERVISOR, correct);
    kept.keep(old);
    kept.house.system(Body::PutBack { table: TABLE });
    kept.house.refused(Sender::System, Body::PutBack { table: TABLE }, Code::NothingToDo);
    // Play goes on, also while nothing is recalled.
    for _ in 0..5 {
        kept.play(&["small=10.00"], "1-2-4");
    }
    let Body::RecallRound { leaf, bytes, .. } = first else { unreachable!() };
    let (beside, read) = (proof(&kept.leaves(), leaf).unwrap(), Vec::new());
    let stale = Body::RecallRound { table: TABLE, leaf, bytes, beside, read };
    kept.house.refused(Sender::System, stale, Code::NotProved);
    kept.recall(old);
    assert_eq!(kept.house.floor.table(TABLE).unwrap().archived(old).unwrap().outcome(), Some(kept.outcome("1-2-4")));
    let back = kept.correcting(old, "6-5-4");
    let before = kept.house.credit(T0);
    kept.house.staff(SUPERVISOR, back);
    assert_eq!(kept.house.credit(T0).get(), before.get() + 2_000);
}

#[test]
fn d24_rounds_are_recalled_while_the_table_plays_on() {
    let mut kept = Kept::new("rws-sicbo");
    let rounds: Vec<RoundId> = (0..40).map(|_| kept.play(&["big=10.00"], "6-5-4")).collect();
    for round in &rounds[..8] {
        kept.recall(*round);
    }
    for _ in 0..9 {
        kept.play(&["small=10.00"], "1-2-4");
    }
    for round in &rounds[..8] {
        let correct = kept.correcting(*round, "1-2-4");
        kept.house.staff(SUPERVISOR, correct);
        kept.keep(*round);
    }
    // They are put back when their time is over.
    kept.house.later(bounds::RECALLED_FOR);
    assert_eq!(kept.house.floor.next_deadline(), Some(kept.house.at));
    assert_eq!(kept.house.system(Body::Elapse), [Event::RoundsPutBack { table: TABLE }]);
    for round in &rounds[..8] {
        kept.recall(*round);
    }
}

#[test]
fn d24_a_range_is_voided_in_one_act_after_its_preview() {
    let mut kept = Kept::new("rws-sicbo");
    let rounds: Vec<RoundId> = (0..60).map(|_| kept.play(&["big=10.00"], "6-5-4")).collect();
    for round in &rounds[..28] {
        kept.recall(*round);
    }
    let changes: Vec<(RoundId, Option<&str>)> = rounds[..40].iter().map(|round| (*round, None)).collect();
    let preview = kept.preview(&changes).unwrap();
    assert_eq!(preview.rounds.len(), 40);
    let taken: i64 = preview.rounds.iter().flat_map(|round| &round.adjustments).map(|a| a.taken.get()).sum();
    assert_eq!(taken, 40 * 1_000, "each round won 10.00");
    let ground = Some(GroundId::DiceDamaged);
    let act = kept.changing(&changes, ground, preview.hash);
    kept.house.refused(Sender::Staff(SUPERVISOR), act.clone(), Code::Rank);
    let other = kept.changing(&changes[1..], ground, preview.hash);
    kept.house.refused(Sender::Staff(MANAGER), other, Code::PreviewStale);
    let before = kept.house.credit(T0);
    let events = kept.house.staff(MANAGER, act.clone());
    assert_eq!(events.iter().filter(|event| matches!(event, Event::SettledRoundVoided { .. })).count(), 40);
    assert_eq!(kept.house.credit(T0).get(), before.get() - 40 * 1_000);
    kept.house.refused(Sender::Staff(MANAGER), act, Code::RoundOver);
    let archived = kept.house.floor.table(TABLE).unwrap().archived(rounds[0]).unwrap();
    assert_eq!(archived.voided(), Some(VoidBy::Ground(GroundId::DiceDamaged)));
}

#[test]
fn d24_the_preview_fixes_what_is_due_and_not_what_can_be_collected() {
    let mut kept = Kept::new("rws-sicbo");
    let round = kept.play(&["big=10.00"], "6-5-4");
    let changes = [(round, Some("1-2-4"))];
    let preview = kept.preview(&changes).unwrap();
    assert_eq!(preview.rounds[0].adjustments[0].taken, dollars(20));
    // The player goes in the meantime: what is due stays, and cannot be collected.
    kept.house.cash_out(T0);
    let act = kept.changing(&changes, None, preview.hash);
    let events = kept.house.staff(SHIFT_MANAGER, act);
    let Event::RoundCorrected { adjustments, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!((adjustments[0].taken, adjustments[0].uncollected), (dollars(0), dollars(20)));
    assert!(events.iter().any(|event| matches!(event, Event::AlertRaised { .. })));
    // It is corrected meanwhile: the entitlement has changed.
    kept.house.cash_in(T0, dollars(100));
    let other = kept.play(&["big=10.00"], "6-5-4");
    let changes = [(other, Some("1-2-4"))];
    let preview = kept.preview(&changes).unwrap();
    let meanwhile = kept.correcting(other, "1-1-1");
    kept.house.staff(SUPERVISOR, meanwhile);
    let act = kept.changing(&changes, None, preview.hash);
    assert_eq!(kept.house.refused(Sender::Staff(SHIFT_MANAGER), act, Code::PreviewStale), "D24");
}

#[test]
fn d24_recent_and_recalled_rounds_of_many_terminals_in_one_act() {
    let mut kept = Kept::new("rws-sicbo");
    // Few of each here, as each event is checked; what is in parts is in bounds.rs.
    for _ in 0..7 {
        let terminal = kept.house.enrol(TABLE, "standard", "a");
        kept.house.cash_in(terminal, dollars(1_000));
    }
    let mut rounds = Vec::new();
    for _ in 0..40 {
        rounds.push(kept.leave(|house| {
            let round = house.open();
            for terminal in (0..10).map(TerminalId) {
                house.bet(terminal, &["big=1.00"]);
            }
            house.finish("6-5-4");
            round
        }));
    }
    for round in &rounds[..8] {
        kept.recall(*round);
    }
    let changes: Vec<_> = rounds.iter().map(|round| (*round, None)).collect();
    let preview = kept.preview(&changes).unwrap();
    let act = kept.changing(&changes, Some(GroundId::DiceDamaged), preview.hash);
    kept.house.staff(MANAGER, act);
    assert_eq!(kept.house.credit(T0), dollars(1_000), "every bet of every round went back");
}

#[test]
fn d24_more_rounds_of_a_live_table_than_fit_into_whole_events_are_voided_in_one_act() {
    let mut kept = Kept { house: House::live(), bytes: Vec::new(), read: Vec::new(), rounds: Vec::new() };
    let many = bounds::LIVE_RANGE + 2;
    let deal = |kept: &mut Kept| kept.leave(|house| house.deal(&[(1, "big", 25), (2, "small", 25)], "6-5-4"));
    let rounds: Vec<RoundId> = (0..many).map(|_| deal(&mut kept)).collect();
    for round in &rounds[..many - bounds::CORRECTABLE] {
        kept.recall(*round);
    }
    let changes: Vec<_> = rounds.iter().map(|round| (*round, None)).collect();
    let preview = kept.preview(&changes).unwrap();
    assert!(preview.rounds.iter().all(|round| round.chips == (dollars(25), dollars(25))));
    let chips = kept.house.chips_out();
    let act = kept.changing(&changes, Some(GroundId::DiceDamaged), preview.hash);
    let before = kept.house.log.len();
    let events = kept.house.staff(MANAGER, act);
    let parts = events.iter().filter(|event| matches!(event, Event::CorrectionPart { chips: Some(_), .. })).count();
    let bare = |event: &&Event| matches!(event, Event::ChipsCorrected { paid, returns, .. } if paid.is_empty() && returns.is_empty());
    assert_eq!((parts, events.iter().filter(bare).count()), (many, many));
    let table = kept.house.floor.table(TABLE).unwrap();
    for round in &rounds {
        let round = table.archived(*round).unwrap();
        assert_eq!(round.outcome(), None);
        assert!(round.shares().iter().all(|share| share.returned == share.bet), "every bet goes back");
    }
    assert_eq!(
        kept.house.chips_out() - chips,
        25 * i64::try_from(many).expect("a few"),
        "the losers are paid; what winners had is claimed"
    );
    // It is one act in the eyes of the audit, and every event of it is as the rulebook says.
    let mut floor = Floor::new();
    for (place, record) in kept.house.log.iter().enumerate() {
        if place >= before {
            assert_eq!(floor.verify(&record.event), Ok(()));
            let found = People::observe(&floor, record);
            assert!(found.iter().all(|finding| finding.code != "favours-one-visit"), "{found:?}");
        }
        floor.apply(record).unwrap();
    }
}

#[test]
fn d24_mbs_voids_no_settled_rounds_for_damage() {
    let mut kept = Kept::new("mbs-sicbo");
    let round = kept.play(&["big=10.00"], "6-5-4");
    let preview = kept.preview(&[(round, None)]).unwrap();
    let act = kept.changing(&[(round, None)], Some(GroundId::DiceDamaged), preview.hash);
    kept.house.refused(Sender::Staff(MANAGER), act, Code::NotAGround);
    // The Shift Manager may decide.
    let decide = kept.changing(&[(round, None)], None, preview.hash);
    kept.house.refused(Sender::Staff(MANAGER), decide.clone(), Code::Rank);
    kept.house.staff(SHIFT_MANAGER, decide);
}

#[test]
fn d24_a_large_round_comes_back_in_parts() {
    let mut kept = Kept::new("rws-sicbo");
    let spots = ["big", "small", "odd", "even", "single/1", "single/2", "single/3", "single/4", "single/5", "single/6"];
    let bets: Vec<String> = spots.iter().map(|spot| format!("{spot}=1.00")).collect();
    let bets: Vec<&str> = bets.iter().map(String::as_str).collect();
    let old = kept.play(&bets, "6-5-4");
    for _ in 0..33 {
        kept.play(&[], "6-5-4");
    }
    kept.recall(old);
    assert_eq!(kept.house.floor.table(TABLE).unwrap().recalled().count(), 1);
}

/// A wheel that is out of service, with a bet on 17 and bets open.
fn unwatched() -> House {
    let mut house = House::with("rws-roulette-000");
    house.out_of_service(Function::Device);
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house
}

fn stating(affirmed: &[rulebook::Point]) -> Body {
    Body::StateEarlyRest { table: TABLE, affirmed: affirmed.to_vec() }
}

fn standing(house: &House) -> Body {
    let (round, outcome, witness) = (house.round(), house.outcome(TABLE, "17"), Some(SECOND_SHIFT_MANAGER));
    Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness }
}

#[test]
fn d24_without_a_wheel_in_service_the_dealer_states_that_the_ball_rested_early() {
    use rulebook::Point;
    let all = [Point::Direction, Point::Times];
    let mut house = unwatched();
    // What no device measures is affirmed with the statement; that the ball rested after the close cannot be.
    assert_eq!(house.refused(Sender::Staff(DEALER), stating(&[Point::Rest, Point::Times]), Code::Affirm), "3.6");
    house.refused(Sender::Staff(SECOND_DEALER), stating(&all), Code::NotTheDealer);
    let events = house.staff(DEALER, stating(&[Point::Direction, Point::Times, Point::Rest]));
    let stated =
        |event: &Event| matches!(event, Event::EarlyRestStated { late: false, affirmed, .. } if *affirmed == all);
    assert!(events.iter().any(stated), "{events:?}");
    assert!(house.floor.alerts().any(|alert| matches!(alert.what(), AlertKind::RestedEarly(_))));
    house.refused(Sender::Staff(DEALER), stating(&all), Code::NothingToDo);
    house.close();
    let entry = house.entry(TABLE, house.outcome(TABLE, "17"));
    assert_eq!(house.refused(Sender::Staff(DEALER), entry, Code::NotValid), "D4");
    house.staff(SHIFT_MANAGER, standing(&house));
    assert_eq!(house.credit(T0), dollars(1_350));
}

#[test]
fn d24_no_outcome_stands_that_no_one_has_stated_or_after_which_a_bet_changed() {
    use rulebook::Point;
    let all = [Point::Direction, Point::Times];
    // No one has said that it rested early: the dealer enters the result.
    let mut house = unwatched();
    house.close();
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), standing(&house), Code::Phase), "D4");
    // Stated after the close: no one knows whether a bet changed after it.
    house.staff(DEALER, stating(&all));
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), standing(&house), Code::NotValid), "D24");
    house.staff(SHIFT_MANAGER, House::deciding(Some(house.round()), Ruling::VoidRound));
    assert_eq!(house.credit(T0), dollars(1_000));
    // A bet changed after the statement.
    let mut house = unwatched();
    house.staff(DEALER, stating(&all));
    house.bet(T1, &["straight/17=10.00"]);
    house.close();
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), standing(&house), Code::NotValid), "D24");
    // A result that is entered says that the ball came to rest after the close.
    let mut house = unwatched();
    house.close();
    let entry = house.entry(TABLE, house.outcome(TABLE, "17"));
    house.staff(DEALER, entry);
    house.refused(Sender::Staff(DEALER), stating(&all), Code::Phase);
    // A wheel in service says it itself, and dice do not come to rest early.
    let mut house = House::with("rws-roulette-000");
    house.open();
    assert_eq!(house.refused(Sender::Staff(DEALER), stating(&all), Code::NotValid), "D19");
    let mut house = House::with("rws-sicbo");
    house.open();
    house.refused(Sender::Staff(DEALER), stating(&all), Code::Phase);
}

#[test]
fn d19_what_the_wheel_does_not_count_is_affirmed_before_an_early_outcome_stands() {
    use rulebook::Point;
    let mut house = House::with("rws-roulette-000");
    let measures = Measures::usual(DeviceKind::Wheel);
    house.system(Body::DescribeDevice { device: DEVICE, measures, witness: None });
    house.open();
    house.bet(T0, &["straight/17=10.00"]);
    house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
    let pocket = house.outcome(TABLE, "17");
    house.device(Observation::Rested { pocket });
    house.close();
    assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), standing(&house), Code::Affirm), "3.6");
    // The wheel has said when it came to rest: it may be affirmed after the close.
    house.staff(DEALER, stating(&[Point::Times]));
    house.staff(SHIFT_MANAGER, standing(&house));
    assert_eq!(house.credit(T0), dollars(1_350));
}

#[test]
fn d24_the_shift_manager_decides_which_outcome_stands_if_no_bet_changed_after_the_ball_rested() {
    let ruling = |house: &House, outcome: &str, witness| {
        let (round, outcome) = (house.round(), house.outcome(TABLE, outcome));
        Body::ChooseOutcome { table: TABLE, round, outcome, reason: "camera".to_owned(), witness }
    };
    for changed in [false, true] {
        let mut house = House::with("rws-roulette-000");
        house.open();
        house.bet(T0, &["straight/17=10.00"]);
        let early = ruling(&house, "17", Some(SECOND_SHIFT_MANAGER));
        house.refused(Sender::Staff(SHIFT_MANAGER), early, Code::Phase);
        house.device(Observation::Spun { against_rotation: true, wheel_rotating: true });
        house.device(Observation::Revolved { times: 6 });
        let pocket = house.outcome(TABLE, "17");
        house.device(Observation::Rested { pocket });
        if changed {
            house.bet(T1, &["straight/17=10.00"]);
        }
        house.close();
        house.refused(Sender::Staff(DEALER), Body::enter_result(TABLE, pocket), Code::NotValid);
        let alone = ruling(&house, "17", None);
        house.refused(Sender::Staff(SHIFT_MANAGER), alone, Code::SecondPerson);
        let decide = ruling(&house, "17", Some(SECOND_SHIFT_MANAGER));
        house.refused(Sender::Staff(MANAGER), decide.clone(), Code::Rank);
        if changed {
            assert_eq!(house.refused(Sender::Staff(SHIFT_MANAGER), decide, Code::NotValid), "D24");
        } else {
            let events = house.staff(SHIFT_MANAGER, decide);
            assert!(matches!(events.last(), Some(Event::RoundSettled { .. })));
            assert_eq!(house.credit(T0), dollars(1_350));
        }
    }
}
