//! Simulated devices on a real floor: a round of each document goes through, and every fault raises what it should.

use crate::common::*;
use floor::*;
use host::devices::*;
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rulebook::{Arises, Begins, GroundId, Rulebook, Timing, library};

fn book(game: &str) -> &'static Rulebook {
    library::find(game).expect("built in")
}

fn chance(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// A table with its simulated device.
struct Table {
    house: House,
    game: &'static str,
    device: Simulated,
    chance: ChaCha20Rng,
}

/// Which side of the close the tumble or spin is on, where both are allowed (D4).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Dealt {
    BeforeClose,
    AfterClose,
}

impl Table {
    fn of(game: &'static str, seed: u64) -> Table {
        let settings = TableSettings { betting_period: 0, ..House::settings(game) };
        let house = House::with_settings(game, settings);
        Table { house, game, device: Simulated::of(book(game)), chance: chance(seed) }
    }

    /// Plays a script in its time until it ends or a ground halts the round.
    fn play(&mut self, script: Script) {
        assert!(script.is_sorted_by_key(|(at, _)| *at), "{script:?}");
        let mut now = 0;
        for (at, observation) in script {
            self.house.later(i64::try_from(at - now).unwrap());
            now = at;
            if !self.is_halted() {
                self.house.device(observation);
            }
        }
    }

    fn is_halted(&self) -> bool {
        let round = self.house.floor.table(TABLE).unwrap().round();
        round.is_some_and(|round| round.ground().is_some())
    }

    fn deal(&mut self) -> Script {
        self.device.deal(&mut self.chance).unwrap()
    }

    fn show(&mut self, fault: Fault) {
        let script = self.device.fault(fault, &mut self.chance).unwrap();
        assert_eq!(script.is_empty(), fault.shown() == Shown::NextDeal, "{fault:?}");
        assert_eq!(self.device.armed(), script.is_empty().then_some(fault));
        self.play(script);
    }

    /// A round up to the point where a result can be entered, or a ground has halted it.
    fn round(&mut self, fault: Option<Fault>, dealt: Dealt) -> RoundId {
        let procedure = book(self.game).procedure();
        let shown = fault.map(Fault::shown);
        if let (Some(fault), Some(Shown::NextDeal)) = (fault, shown) {
            self.show(fault);
        }
        if procedure.begins == Begins::Activation {
            let script = self.deal();
            self.play(script);
            if self.house.floor.table(TABLE).unwrap().round().is_none() {
                self.house.staff(DEALER, Body::BeginRound { table: TABLE });
            }
        }
        if !self.is_halted() {
            self.house.staff(DEALER, Body::open_bets(TABLE));
        }
        let round = self.house.round();
        if let (Some(fault), Some(Shown::WhileBetsAreOpen | Shown::AtOnce)) = (fault, shown) {
            self.show(fault);
        }
        if self.is_halted() || shown == Some(Shown::WhileBetsAreOpen) {
            return round;
        }
        let (mut before, mut after) = match procedure.timing {
            Timing::BeforeNotice => (Script::new(), Script::new()),
            Timing::BeforeOrAfterClose if dealt == Dealt::BeforeClose => (self.deal(), Script::new()),
            Timing::BeforeOrAfterClose | Timing::AfterClose => (Script::new(), self.deal()),
        };
        // The ball may be spun before the close, but not rest before it.
        if self.device.kind() == DeviceKind::Wheel && before.len() > 2 {
            after = before.split_off(2);
        }
        self.play(before);
        if !self.is_halted() {
            self.house.close();
            self.play(after);
        }
        if !self.is_halted() {
            let script = self.device.uncover();
            self.play(script);
        }
        round
    }

    /// The dealer enters what lies there, and the round is settled.
    fn settle(&mut self, round: RoundId) {
        let outcome = self.device.shown(book(self.game)).expect("a result lies there");
        if self.house.current().fault().is_some() {
            self.house.staff(DEALER, Body::AnswerFault { table: TABLE, affects: false });
        }
        self.house.staff(DEALER, Body::enter_result(TABLE, outcome));
        self.house.confirm();
        let text = book(self.game).outcomes().outcome(outcome).unwrap().to_string();
        assert_eq!(self.house.result_of(round), Some(text));
    }
}

#[test]
fn a_round_of_each_document_is_settled_by_what_the_device_shows() {
    for game in ALL {
        for dealt in [Dealt::BeforeClose, Dealt::AfterClose] {
            let mut table = Table::of(game, 1);
            for _ in 0..5 {
                let round = table.round(None, dealt);
                let read = table.house.current().seen().clone();
                let shown = table.device.shown(book(game)).unwrap();
                match table.device.kind() {
                    DeviceKind::Wheel => assert_eq!(read.pocket, Some(shown)),
                    _ => {
                        let outcomes = book(game).outcomes().consistent_with(read.dice);
                        assert!(read.dice.iter().all(Option::is_some) && outcomes.contains(shown), "{game}: {read:?}");
                    }
                }
                table.settle(round);
            }
            assert!(table.house.alerts().is_empty(), "{game}: {:?}", table.house.alerts());
            assert_eq!(table.house.floor.table(TABLE).unwrap().history().count(), 5);
        }
    }
}

#[test]
fn mbs_sicbo_3_1_the_tumblers_activation_begins_the_round() {
    let mut table = Table::of("mbs-sicbo", 1);
    let script = table.deal();
    table.play(script);
    assert_eq!(table.house.current().phase(), Phase::Begun);
    assert_eq!(table.device.shown(book("mbs-sicbo")), None, "under the cover nothing is seen");
}

/// The paragraphs of the documents, as they number them.
const PARAGRAPHS: [(&str, Fault, &str); 18] = [
    ("rws-sicbo", Fault::TooFewTumbles, "5.3.1"),
    ("rws-sicbo", Fault::NotFlat, "5.3.2"),
    ("rws-sicbo", Fault::ExposedEarly, "5.3.3"),
    ("rws-sicbo-open", Fault::TooFewTumbles, "5.3.1"),
    ("rws-sicbo-open", Fault::NotFlat, "5.3.2"),
    ("rws-sicbo-open", Fault::ActivatedEarly, "5.3.3"),
    ("rws-taisai", Fault::TooFewTumbles, "5.5.1"),
    ("rws-taisai", Fault::NotFlat, "5.5.2"),
    ("rws-taisai", Fault::ExposedEarly, "5.5.3"),
    ("mbs-sicbo", Fault::TooFewTumbles, "5.1"),
    ("mbs-sicbo", Fault::ExposedEarly, "5.2"),
    ("mbs-sicbo", Fault::NotFlat, "5.3"),
    ("rws-roulette-000", Fault::TooFewRevolutions, "5.3.2"),
    ("rws-roulette-000", Fault::NoCompartment, "5.3.3"),
    ("rws-roulette-000", Fault::FlungOut, "5.3.4"),
    ("rws-roulette-000", Fault::WheelNotRotating, "5.3.5"),
    ("rws-roulette-000", Fault::SameDirection, "5.3.6"),
    ("rws-roulette-000", Fault::WheelStops, "5.3.9"),
];

#[test]
fn each_fault_with_a_ground_raises_it_with_its_paragraph_and_the_dealer_voids_the_round() {
    for (game, fault, paragraph) in PARAGRAPHS {
        for dealt in [Dealt::BeforeClose, Dealt::AfterClose] {
            let mut table = Table::of(game, 2);
            let round = table.round(Some(fault), dealt);
            assert_eq!(table.house.open_ground().as_deref(), Some(paragraph), "{game} {fault:?}");
            assert_eq!(fault.rule(book(game)).as_deref(), Some(paragraph));
            let ground = table.house.current().ground().unwrap();
            assert_eq!(Some(ground.ground), fault.ground());
            let proposed = book(game).ground(ground.ground).unwrap().arises == Arises::Proposed;
            assert_eq!(ground.proposed, proposed, "{game} {fault:?}");
            table.house.confirm_ground();
            table.house.is_void(round, &[]);
            // And play goes on.
            let round = table.round(None, dealt);
            table.settle(round);
        }
    }
}

#[test]
fn every_ground_that_a_device_can_report_can_be_shown() {
    let mut shown = 0;
    for rulebook in library::all().expect("built in") {
        let menu = Fault::menu(rulebook);
        let grounds: Vec<GroundId> = menu.iter().filter_map(|fault| fault.ground()).collect();
        for ground in GroundId::ALL.into_iter().filter_map(|id| rulebook.ground(id)) {
            let by_device = matches!(ground.arises, Arises::Device | Arises::DeviceOrDeclared | Arises::Proposed);
            assert_eq!(grounds.contains(&ground.id), by_device, "{} {}", rulebook.id(), ground.id);
        }
        if ALL.contains(&rulebook.id()) {
            shown += grounds.len();
        }
    }
    assert_eq!(shown, PARAGRAPHS.len());
}

/// A round with a fault that voids nothing; the alerts it leads to once it is settled.
fn alerts_of(game: &'static str, fault: Fault) -> (RoundId, Vec<AlertKind>) {
    let mut table = Table::of(game, 3);
    let round = table.round(Some(fault), Dealt::AfterClose);
    table.settle(round);
    (round, table.house.alerts().into_iter().cloned().collect())
}

#[test]
fn d19_a_device_that_is_silent_or_stops_reporting_holds_the_round() {
    for game in ALL.into_iter().filter(|game| *game != "mbs-sicbo") {
        for fault in [Fault::Silent, Fault::StopsReporting] {
            let mut table = Table::of(game, 3);
            let round = table.round(Some(fault), Dealt::AfterClose);
            let outcome = table.device.shown(book(game)).unwrap_or_else(|| table.house.outcome(TABLE, "1-2-3"));
            let code = if fault == Fault::Silent { Code::NoTumble } else { Code::NotValid };
            table.house.refused(Sender::Staff(DEALER), Body::enter_result(TABLE, outcome), code);
            table.house.out_of_service(Function::Device);
            let entry = table.house.entry(TABLE, outcome);
            table.house.staff(DEALER, entry);
            table.house.confirm();
            assert!(table.house.result_of(round).is_some(), "{game}");
        }
    }
}

#[test]
fn d18_the_dealer_sets_the_device_off_once_more() {
    for game in ALL {
        let mut table = Table::of(game, 3);
        let round = table.round(None, Dealt::AfterClose);
        let first = table.device.shown(book(game)).unwrap();
        table.show(Fault::SecondTumble);
        assert_eq!(table.house.alerts(), [&AlertKind::SecondTumble(round)], "{game}");
        table
            .house
            .staff(DEALER, Body::KeepFirstOutcome { table: TABLE, witness: Some(SUPERVISOR), affirmed: Vec::new() });
        let text = book(game).outcomes().outcome(first).unwrap().to_string();
        assert_eq!(table.house.result_of(round), Some(text), "{game}");
    }
}

#[test]
fn d19_a_report_after_settlement_alerts_the_pit() {
    for game in ALL {
        let mut table = Table::of(game, 3);
        let round = table.round(None, Dealt::AfterClose);
        table.settle(round);
        table.show(Fault::LateReport);
        assert_eq!(table.house.alerts(), [&AlertKind::ReportedLate(round)], "{game}");
    }
}

#[test]
fn nonsense_raises_an_alert_and_decides_nothing() {
    // At a wheel a count before its spin is of a spin whose beginning was not reported: the spin then is a second one (D18).
    for game in ALL.into_iter().filter(|game| !matches!(*game, "mbs-sicbo" | "rws-roulette-000")) {
        let (_, alerts) = alerts_of(game, Fault::Nonsense);
        assert_eq!(alerts, [AlertKind::DeviceNonsense(DEVICE)], "{game}");
    }
}

#[test]
fn a_device_that_reads_something_else_raises_an_alert_and_the_dealers_word_settles() {
    for game in ALL {
        let (round, alerts) = alerts_of(game, Fault::Disagree);
        assert_eq!(alerts, [AlertKind::DeviceDisagrees(round)], "{game}");
    }
}

#[test]
fn a_device_with_a_fault_raises_an_alert_and_is_restored() {
    for game in ALL {
        let (_, alerts) = alerts_of(game, Fault::DeviceFault);
        assert_eq!(alerts, [AlertKind::DeviceFault(DEVICE, SIMULATED_FAULT)], "{game}");
    }
}

#[test]
fn one_die_that_cannot_be_read_leaves_the_other_two() {
    for game in ALL.into_iter().filter(|game| *game != "rws-roulette-000") {
        let mut table = Table::of(game, 4);
        let round = table.round(Some(Fault::OneDieUnreadable), Dealt::AfterClose);
        assert_eq!(table.house.current().seen().dice.iter().flatten().count(), 2, "{game}");
        table.settle(round);
        assert_eq!(table.house.alerts(), [&AlertKind::DeviceSilent(round)], "{game}: not all of it was read");
    }
}

#[test]
fn d4_a_ball_that_rests_before_the_close_has_no_result() {
    let mut table = Table::of("rws-roulette-000", 5);
    let round = table.round(Some(Fault::RestsEarly), Dealt::BeforeClose);
    assert_eq!(table.house.alerts(), [&AlertKind::RestedEarly(round)]);
    table.house.close();
    let outcome = table.device.shown(book(table.game)).unwrap();
    let enter = Body::enter_result(TABLE, outcome);
    assert_eq!(table.house.refused(Sender::Staff(DEALER), enter, Code::NotValid), "D4");
}

#[test]
fn the_direction_alternates_from_spin_to_spin_unless_told_otherwise() {
    let mut wheel = Simulated::of(book("rws-roulette-000"));
    let mut watch = Alternation::new();
    let mut spin = |fault: Option<Fault>| {
        if let Some(fault) = fault {
            wheel.fault(fault, &mut SysRng).unwrap();
        }
        wheel.deal(&mut SysRng).unwrap();
        watch.spun(wheel.direction().unwrap())
    };
    assert!((0..20).all(|_| !spin(None)));
    assert!(spin(Some(Fault::NotAlternated)));
    assert!((0..20).all(|_| !spin(None)));
}

#[test]
fn a_fault_is_shown_once() {
    for game in ALL {
        for fault in Fault::menu(book(game)).into_iter().filter(|fault| fault.shown() == Shown::NextDeal) {
            let mut device = Simulated::of(book(game));
            device.fault(fault, &mut chance(6)).unwrap();
            device.deal(&mut chance(6)).unwrap();
            assert_eq!(device.armed(), None, "{game} {fault:?}");
        }
    }
}

#[test]
fn what_a_device_cannot_show_does_nothing() {
    for game in ALL {
        let menu = Fault::menu(book(game));
        // Out of turn is a matter of the round, not of the tumbler.
        let unknown = |fault: &Fault| !menu.contains(fault) && *fault != Fault::Nonsense;
        for fault in Fault::ALL.into_iter().filter(unknown) {
            let mut device = Simulated::of(book(game));
            assert_eq!(device.fault(fault, &mut chance(7)), Ok(Script::new()), "{game} {fault:?}");
            assert_eq!(device.armed(), None, "{game} {fault:?}");
            assert_eq!(fault.rule(book(game)), None);
        }
    }
}

#[test]
fn an_exposed_tumbler_shows_the_dice_that_were_tumbled() {
    let mut tumbler = SimulatedTumbler::new(true, 3);
    tumbler.tumble(&mut chance(8)).unwrap();
    assert_eq!(tumbler.shown(), None);
    let script = tumbler.fault(Fault::ExposedEarly, &mut chance(8)).unwrap();
    assert_eq!(script, [(0, Observation::Uncovered)]);
    assert!(tumbler.shown().is_some());
}

#[test]
fn covers_are_put_on_and_taken_off_once() {
    let mut tumbler = SimulatedTumbler::new(true, 3);
    assert_eq!(tumbler.uncover(), []);
    assert_eq!(tumbler.cover(), [(0, Observation::Covered)]);
    assert_eq!(tumbler.cover(), []);
    assert_eq!(tumbler.uncover(), [(0, Observation::Uncovered)], "no dice were tumbled");
    let mut open = SimulatedTumbler::new(false, 3);
    assert_eq!((open.cover(), open.uncover()), (Script::new(), Script::new()));
}

#[test]
fn names_of_faults_are_stable_and_each_has_words() {
    let names: Vec<String> =
        Fault::ALL.iter().map(|fault| serde_json::to_value(fault).unwrap().as_str().unwrap().to_owned()).collect();
    assert_eq!(
        names,
        [
            "too_few_tumbles",
            "not_flat",
            "exposed_early",
            "activated_early",
            "one_die_unreadable",
            "too_few_revolutions",
            "no_compartment",
            "flung_out",
            "wheel_not_rotating",
            "same_direction",
            "wheel_stops",
            "rests_early",
            "not_alternated",
            "silent",
            "nonsense",
            "device_fault",
            "disagree",
            "second_tumble",
            "dead_reading",
            "stops_reporting",
            "late_report",
        ]
    );
    for (fault, name) in Fault::ALL.into_iter().zip(names) {
        assert_eq!(serde_json::from_value::<Fault>(name.into()).unwrap(), fault);
        let words = fault.words();
        assert!(words.en.is_ascii() && !words.zh.is_ascii(), "{words:?}");
    }
}

/// The chi-square sum of counts that should all be the same.
fn chi_square(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
}

#[test]
fn s21_every_outcome_is_as_likely_as_any_other() {
    // The 99 % points of the distribution with 215 and 38 degrees of freedom; the seed is fixed.
    for (game, limit) in [("rws-sicbo-open", 266.4), ("rws-roulette-000", 61.2)] {
        let (mut device, mut chance) = (Simulated::of(book(game)), chance(9));
        let mut counts = vec![0; book(game).outcomes().size()];
        for _ in 0..100_000 {
            device.deal(&mut chance).unwrap();
            counts[device.shown(book(game)).unwrap().get()] += 1;
        }
        let sum = chi_square(&counts);
        assert!(sum < limit, "{game}: {sum}");
    }
}

#[test]
fn a_generator_that_fails_is_said_and_nothing_is_dealt() {
    use rand::{TryCryptoRng, TryRng};
    struct Broken;
    impl TryRng for Broken {
        type Error = std::io::Error;

        fn try_next_u32(&mut self) -> Result<u32, std::io::Error> {
            Err(std::io::Error::other("no chance"))
        }

        fn try_next_u64(&mut self) -> Result<u64, std::io::Error> {
            Err(std::io::Error::other("no chance"))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), std::io::Error> {
            Err(std::io::Error::other("no chance"))
        }
    }
    impl TryCryptoRng for Broken {}
    for game in ALL {
        let mut device = Simulated::of(book(game));
        assert!(device.deal(&mut Broken).is_err());
        assert_eq!(device.shown(book(game)), None);
    }
}
