//! A Cammegh wheel: status lines as they are sent, with warnings, gaps, rubbish and restarts, also over a real
//! pseudo-terminal and into a real floor.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::*;
use floor::*;
use host::devices::Direction;
use host::devices::cammegh::*;
use rulebook::{OutcomeIndex, library};

const HALF_SECOND: i64 = 500;

fn settings() -> Settings {
    Settings::new(library::find("rws-roulette-000").unwrap().outcomes(), [Some(" 0"), Some("00"), Some("37")])
}

fn pocket(text: &str) -> OutcomeIndex {
    library::find("rws-roulette-000").unwrap().outcomes().parse(text).unwrap()
}

const SPUN: Observation = Observation::Spun { against_rotation: true, wheel_rotating: true };
const RESTORED: Observation = Observation::Restored;

fn rested(text: &str) -> Observation {
    Observation::Rested { pocket: pocket(text) }
}

fn failed(number: u16) -> Observation {
    Observation::Fault { number }
}

/// A wheel that sends one line every half second.
struct Told {
    wheel: Cammegh,
    now: Moment,
    directions: Vec<Direction>,
}

impl Told {
    fn new() -> Told {
        Told { wheel: Cammegh::new(settings(), Moment(0)), now: Moment(0), directions: Vec::new() }
    }

    fn observed(&mut self, reports: Vec<Report>) -> Vec<Observation> {
        let mut observed = Vec::new();
        for report in reports {
            match report {
                Report::Observed(observation) => observed.push(observation),
                Report::Direction(direction) => self.directions.push(direction),
            }
        }
        observed
    }

    /// Each text is what comes in half a second; what was observed by the end.
    fn hears(&mut self, texts: &[&str]) -> Vec<Observation> {
        let mut observed = Vec::new();
        for text in texts {
            self.now = self.now.after(HALF_SECOND);
            let reports = self.wheel.feed(text.as_bytes(), self.now);
            observed.extend(self.observed(reports));
        }
        observed
    }

    /// Each line is sent three times, as a state lasts longer than half a second.
    fn hears_states(&mut self, lines: &[&str]) -> Vec<Observation> {
        let lines: Vec<&str> = lines.iter().flat_map(|line| [*line; 3]).collect();
        self.hears(&lines)
    }
}

#[test]
fn a_game_is_spun_and_rests_each_once() {
    let mut told = Told::new();
    let game = [
        "*X;1;017;  ;0;024;0\r\n",
        "*X;2;017;  ;0;025;0\r\n",
        "*X;3;017;  ;0;024;0\r\n",
        "*X;4;017;  ;0;023;0\r\n",
        "*X;5;017;17;0;024;0\r\n",
        "*X;5;017;17;0;024;0\r\n",
    ];
    assert_eq!(told.hears_states(&game), [SPUN, rested("17")]);
    assert_eq!(told.directions, [Direction::Clockwise]);
    let next =
        ["*X;2;018;17;0;024;1\r\n", "*X;3;018;  ;0;024;1\r\n", "*X;4;018;  ;0;024;1\r\n", "*X;5;018;00;0;024;1\r\n"];
    assert_eq!(told.hears_states(&next), [SPUN, rested("00")]);
    assert_eq!(told.directions, [Direction::Clockwise, Direction::Anticlockwise]);
}

#[test]
fn a_status_counts_when_two_lines_in_a_row_agree() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;17;  ;0;24;0\r\n", "*X;3;17;  ;0;24;0\r\n", "*X;4;17;  ;0;24;0\r\n"]);
    // A character was changed on the way.
    assert_eq!(told.hears(&["*X;5;17;12;0;24;0\r\n", "*X;5;17;17;0;24;0\r\n"]), []);
    assert_eq!(told.hears(&["*X;5;17;17;0;24;0\r\n"]), [rested("17")]);
    assert_eq!(told.hears(&["*X;5;17;12;0;24;0\r\n", "*X;5;17;17;0;24;0\r\n", "*X;5;17;17;0;24;0\r\n"]), []);
}

#[test]
fn a_number_that_the_wheel_puts_right_is_told_again() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;17;  ;0;24;0\r\n", "*X;3;17;  ;0;24;0\r\n"]);
    assert_eq!(told.hears_states(&["*X;5;17;12;0;24;0\r\n", "*X;5;17;17;0;24;0\r\n"]), [rested("12"), rested("17")]);
}

#[test]
fn every_pocket_has_its_code() {
    let outcomes = library::find("rws-roulette-000").unwrap().outcomes();
    for outcome in outcomes.all() {
        let code = match outcome.to_string().as_str() {
            "0" => " 0".to_owned(),
            "00" => "00".to_owned(),
            "000" => "37".to_owned(),
            number => format!("{number:0>2}"),
        };
        let mut told = Told::new();
        let line = format!("*X;5;1;{code};0;24;0\r\n");
        assert_eq!(told.hears(&[&line, &line]), [rested(&outcome.to_string())], "{code}");
    }
}

#[test]
fn a_code_that_is_not_set_is_a_fault_until_the_next_game_and_no_number() {
    let outcomes = library::find("rws-roulette-000").unwrap().outcomes();
    let mut told = Told::new();
    told.wheel = Cammegh::new(Settings::new(outcomes, [Some(" 0"), Some("00"), None]), Moment(0));
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n"]);
    assert_eq!(told.hears_states(&["*X;5;1;37;0;24;0\r\n"]), [failed(fault::NUMBER)]);
    assert_eq!(told.hears_states(&["*X;2;2;37;0;24;0\r\n"]), [RESTORED]);
    assert_eq!(Settings::new(outcomes, [None; 3]).pocket("00"), None);
}

#[test]
fn rws_roulette_000_5_3_6_warning_2_is_a_spin_in_the_rotors_direction() {
    let with = Observation::Spun { against_rotation: false, wheel_rotating: true };
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;2;24;0\r\n", "*X;4;1;  ;2;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [with]);
    // The wheel may notice it only after a moment.
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;3;1;  ;2;24;0\r\n", "*X;4;1;  ;2;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [SPUN, with]);
}

#[test]
fn rws_roulette_000_5_3_5_and_5_3_9_a_rotor_without_speed_does_not_turn() {
    let mut told = Told::new();
    let still = Observation::Spun { against_rotation: true, wheel_rotating: false };
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;0;0\r\n", "*X;3;1;  ;0;000;0\r\n", "*X;4;1;  ;0;0;0\r\n"]), [still]);
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;4;1;  ;0;0;0\r\n", "*X;5;1;12;0;0;0\r\n"];
    assert_eq!(told.hears_states(&lines), [SPUN, Observation::WheelStopped, rested("12")]);
    // A speed that is no number says nothing.
    let mut told = Told::new();
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;--;0\r\n", "*X;3;1;  ;0;--;0\r\n"]), [SPUN]);
}

#[test]
fn rws_roulette_000_5_3_3_and_5_3_4_a_ball_removed_or_unseen_is_proposed_once() {
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;1;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;4;1;  ;1;24;0\r\n", "*X;5;1;  ;1;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [SPUN, Observation::FlungOut]);
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;5;1;  ;1;24;0\r\n", "*X;2;2;  ;1;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [SPUN, Observation::NoCompartment]);
}

#[test]
fn warnings_4_and_8_are_faults_until_they_are_gone() {
    let mut told = Told::new();
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;24;0\r\n", "*X;2;1;  ;8;24;0\r\n"]), [failed(fault::LAUNCH)]);
    assert_eq!(told.hears_states(&["*X;2;1;  ;12;24;0\r\n"]), [failed(fault::MECHANISM)]);
    assert_eq!(told.hears_states(&["*X;2;1;  ;4;24;0\r\n"]), []);
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]), [RESTORED]);
}

#[test]
fn two_seconds_of_silence_are_a_fault_and_the_next_lines_restore() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]);
    assert_eq!(told.hears(&["", "", ""]), []);
    assert_eq!(told.hears(&["", "", "", "", ""]), [failed(fault::SILENT)]);
    assert_eq!(told.hears(&["*X;2;1;  ;0;24;0\r\n", "*X;2;1;  ;0;24;0\r\n"]), [RESTORED]);
    assert_eq!(told.wheel.faults().count(), 0);
    // A wheel of which nothing was ever heard is silent too.
    assert_eq!(Told::new().hears(&["", "", "", ""]), [failed(fault::SILENT)]);
}

#[test]
fn two_seconds_of_rubbish_are_a_fault_and_a_bad_line_between_good_ones_is_none() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]);
    assert_eq!(told.hears(&["*X;2;1;\u{fffd}\r\n", "#!%\r\n", "\0\0\0"]), []);
    assert_eq!(told.hears(&["*X;9;1;  ;0;24;0\r\n"]), [failed(fault::UNREADABLE)]);
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]), [RESTORED]);
    assert_eq!(told.hears(&["rubbish\r\n", "*X;2;1;  ;0;24;0\r\n", "*X;2;1", ";  ;0;24;0\r\n"]), []);
}

#[test]
fn a_gap_while_the_ball_runs_loses_neither_the_spin_nor_the_number() {
    let mut told = Told::new();
    assert_eq!(told.hears_states(&["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n"]), [SPUN]);
    assert_eq!(told.hears(&["", "", "", "", "", ""]), [failed(fault::SILENT)]);
    assert_eq!(told.hears_states(&["*X;5;1;36;0;24;0\r\n"]), [RESTORED, rested("36")]);
}

#[test]
fn a_number_whose_spin_was_missed_is_a_fault_and_no_result() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]);
    assert_eq!(told.hears_states(&["*X;5;1;36;0;24;0\r\n"]), [failed(fault::MISSED)]);
    assert_eq!(told.hears_states(&["*X;5;1;35;0;24;0\r\n"]), []);
    assert_eq!(told.hears_states(&["*X;1;2;36;0;24;0\r\n", "*X;3;2;  ;0;24;0\r\n"]), [RESTORED, SPUN]);
}

#[test]
fn heard_for_the_first_time_in_the_middle_of_a_game_only_what_is_seen_is_said() {
    assert_eq!(Told::new().hears_states(&["*X;3;9;  ;0;24;0\r\n"]), [SPUN]);
    assert_eq!(Told::new().hears_states(&["*X;4;9;  ;0;24;0\r\n", "*X;5;9;36;0;24;0\r\n"]), [rested("36")]);
    assert_eq!(Told::new().hears_states(&["*X;5;9;36;0;24;0\r\n", "*X;6;9;36;0;0;0\r\n"]), [rested("36")]);
}

#[test]
fn a_restart_in_the_middle_of_a_spin_is_a_fault_until_the_next_and_else_none() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;812;  ;0;24;0\r\n", "*X;3;812;  ;0;24;0\r\n"]);
    assert_eq!(told.hears_states(&["*X;1;000;  ;0;24;0\r\n"]), [failed(fault::RESTARTED)]);
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;5;1;12;0;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [RESTORED, SPUN, rested("12")]);
    // The count begins again between games.
    assert_eq!(told.hears_states(&["*X;2;0;  ;0;24;0\r\n", "*X;3;0;  ;0;24;0\r\n"]), [SPUN]);
}

#[test]
fn what_came_before_a_port_was_opened_again_is_part_of_no_line_and_agrees_with_none() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n"]);
    assert_eq!(told.hears(&["*X;5;1;12;0;24;0\r\n", "*X;5;1;12;0;2"]), []);
    told.wheel.reopened();
    assert_eq!(told.hears(&["4;0\r\n", "*X;5;1;12;0;24;0\r\n"]), []);
    assert_eq!(told.hears(&["*X;5;1;12;0;24;0\r\n"]), [rested("12")]);
}

#[test]
fn a_ball_that_is_taken_up_and_spun_again_is_spun_twice() {
    let mut told = Told::new();
    let lines = ["*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n"];
    assert_eq!(told.hears_states(&lines), [SPUN, SPUN]);
    assert_eq!(told.directions.len(), 1, "within a game nothing alternates");
}

#[test]
fn a_clock_that_is_set_back_makes_no_silence() {
    let mut told = Told::new();
    told.hears_states(&["*X;2;1;  ;0;24;0\r\n"]);
    told.now = Moment(-100_000);
    assert_eq!(told.hears(&["", "", ""]), []);
    assert_eq!(told.hears(&["", ""]), [failed(fault::SILENT)]);
}

#[test]
fn no_bytes_whatever_break_the_reading() {
    let mut told = Told::new();
    // A small generator of its own: what matters is that it is arbitrary and the same each time.
    let mut state = 1_u64;
    let alphabet = b"*X;0123456789 \r\n\xff\0ab;;;;***\n\n";
    let bytes: Vec<u8> = (0..200_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            alphabet[(state >> 33) as usize % alphabet.len()]
        })
        .collect();
    for piece in bytes.chunks(97) {
        told.now = told.now.after(100);
        told.wheel.feed(piece, told.now);
    }
    let lines = told.hears_states(&["\r\n*X;2;1;  ;0;24;0\r\n", "*X;3;1;  ;0;24;0\r\n", "*X;5;1;12;0;24;0\r\n"]);
    assert!(lines.ends_with(&[rested("12")]), "{lines:?}");
}

// ---- over a pseudo-terminal

/// A clock that the test moves.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicI64>);

impl Clock {
    fn later(&self, milliseconds: i64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }

    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}

/// The wheel's end of a serial line.
fn pseudo_terminal() -> (File, PathBuf) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let wheel = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&wheel).unwrap();
    unlockpt(&wheel).unwrap();
    let path = ptsname(&wheel, Vec::new()).unwrap();
    (File::from(wheel), PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// A reader on a line that can be taken away and put back.
struct Wired {
    wheel: Option<File>,
    path: Arc<Mutex<Option<PathBuf>>>,
    opened: Receiver<()>,
    reports: Receiver<Report>,
    clock: Clock,
    reader: Reader,
}

impl Wired {
    fn new() -> Wired {
        let clock = Clock::default();
        let path = Arc::new(Mutex::new(None::<PathBuf>));
        let (opening, opened) = channel();
        let (reporting, reports) = channel();
        let (shared, time) = (Arc::clone(&path), clock.clone());
        let open = move || {
            let path = shared.lock().unwrap().clone().ok_or(io::ErrorKind::NotFound)?;
            let port = SerialPort::open(path)?;
            opening.send(()).unwrap();
            Ok(port)
        };
        let wheel = Cammegh::new(settings(), clock.now());
        let reader = Reader::start(
            open,
            wheel,
            move || time.now(),
            move |report| {
                let _ = reporting.send(report);
            },
        );
        let mut wired = Wired { wheel: None, path, opened, reports, clock, reader: reader.unwrap() };
        wired.connect();
        wired
    }

    fn connect(&mut self) {
        let (wheel, path) = pseudo_terminal();
        *self.path.lock().unwrap() = Some(path);
        self.wheel = Some(wheel);
        // What is sent before the port is open is not heard as it was meant.
        self.opened.recv_timeout(Duration::from_secs(20)).expect("the port is opened");
    }

    fn disconnect(&mut self) {
        *self.path.lock().unwrap() = None;
        self.wheel = None;
    }

    fn sends(&mut self, bytes: &[u8]) {
        self.wheel.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn sends_twice(&mut self, line: &str) {
        self.sends(format!("{line}\r\n{line}\r\n").as_bytes());
    }

    #[track_caller]
    fn observed(&self) -> Observation {
        loop {
            match self.reports.recv_timeout(Duration::from_secs(20)).expect("something is reported") {
                Report::Observed(observation) => return observation,
                Report::Direction(_) => {}
            }
        }
    }
}

#[test]
fn a_serial_port_is_raw_9600_8n1() {
    use rustix::termios::{ControlModes, LocalModes, tcgetattr};
    let (wheel, path) = pseudo_terminal();
    let _port = SerialPort::open(&path).unwrap();
    let settings = tcgetattr(&wheel).unwrap();
    assert_eq!((settings.input_speed(), settings.output_speed()), (9600, 9600));
    assert!(settings.control_modes.contains(ControlModes::CS8 | ControlModes::CLOCAL | ControlModes::CREAD));
    assert!(!settings.control_modes.intersects(ControlModes::PARENB | ControlModes::CSTOPB));
    assert!(!settings.local_modes.intersects(LocalModes::ECHO | LocalModes::ICANON));
}

#[test]
fn what_is_no_serial_port_is_not_opened() {
    assert!(SerialPort::open("/dev/null").is_err());
    assert!(SerialPort::open("/no/such/port").is_err());
}

#[test]
fn a_round_is_played_over_a_serial_line_with_rubbish_on_it() {
    let mut wired = Wired::new();
    let mut house =
        House::with_settings("rws-roulette-000", TableSettings { betting_period: 0, ..TableSettings::usual() });
    let round = house.open();
    wired.sends(b";0;24;0\r\n\xff\xfe\0*X;2;1;  ;0;2");
    wired.sends_twice("*X;2;017;  ;0;024;0");
    wired.sends_twice("*X;3;017;  ;0;024;0");
    house.device(wired.observed());
    assert!(house.current().seen().set_off);
    house.close();
    wired.sends(b"*X;4;017;  ;0;0");
    wired.sends_twice("*X;4;017;  ;0;024;0");
    wired.sends_twice("*X;5;017;37;0;024;0");
    house.device(wired.observed());
    assert_eq!(house.current().seen().pocket, Some(pocket("000")));
    house.enter("000");
    house.confirm();
    assert_eq!(house.result_of(round).as_deref(), Some("000"));
    assert!(house.alerts().is_empty(), "{:?}", house.alerts());
}

#[test]
fn rws_roulette_000_5_3_warnings_over_a_serial_line_raise_their_grounds() {
    for (lines, paragraph) in [
        (["*X;3;1;  ;2;024;0", "*X;4;1;  ;2;024;0"], "5.3.6"),
        (["*X;3;1;  ;0;000;0", "*X;4;1;  ;0;000;0"], "5.3.5"),
        (["*X;3;1;  ;0;024;0", "*X;4;1;  ;1;024;0"], "5.3.4"),
        (["*X;3;1;  ;0;024;0", "*X;5;1;  ;1;024;0"], "5.3.3"),
        (["*X;3;1;  ;0;024;0", "*X;4;1;  ;0;000;0"], "5.3.9"),
    ] {
        let mut wired = Wired::new();
        let mut house = House::with("rws-roulette-000");
        let round = house.open();
        house.close();
        wired.sends_twice("*X;2;1;  ;0;024;0");
        lines.iter().for_each(|line| wired.sends_twice(line));
        while house.open_ground().is_none() {
            house.device(wired.observed());
        }
        assert_eq!(house.open_ground().as_deref(), Some(paragraph));
        house.confirm_ground();
        house.is_void(round, &[]);
    }
}

#[test]
fn silence_on_the_line_is_a_fault_and_the_next_lines_restore() {
    let mut wired = Wired::new();
    let mut house = House::with("rws-roulette-000");
    wired.sends_twice("*X;2;1;  ;0;024;0");
    wired.sends_twice("*X;3;1;  ;0;024;0");
    assert_eq!(wired.observed(), SPUN);
    wired.clock.later(2_000);
    assert_eq!(wired.observed(), failed(fault::SILENT));
    house.device(failed(fault::SILENT));
    assert_eq!(house.alerts(), [&AlertKind::DeviceFault(DEVICE, fault::SILENT)]);
    wired.sends_twice("*X;3;1;  ;0;024;0");
    assert_eq!(wired.observed(), RESTORED);
    house.device(RESTORED);
}

#[test]
fn a_port_that_goes_away_is_opened_again_and_the_game_goes_on() {
    let mut wired = Wired::new();
    wired.sends_twice("*X;2;1;  ;0;024;0");
    wired.sends_twice("*X;3;1;  ;0;024;0");
    assert_eq!(wired.observed(), SPUN);
    wired.sends(b"*X;4;1;  ");
    wired.disconnect();
    wired.clock.later(2_000);
    assert_eq!(wired.observed(), failed(fault::SILENT), "a port that is gone is silent");
    wired.connect();
    wired.sends_twice("*X;5;1;12;0;024;0");
    assert_eq!([wired.observed(), wired.observed()], [RESTORED, rested("12")]);
    // And once more: the wheel was switched off and on, and its count restarts.
    wired.sends_twice("*X;2;2;12;0;024;0");
    wired.sends_twice("*X;3;2;  ;0;024;0");
    assert_eq!(wired.observed(), SPUN);
    wired.disconnect();
    wired.connect();
    wired.sends_twice("*X;1;0;  ;0;024;0");
    assert_eq!(wired.observed(), failed(fault::RESTARTED));
}

#[test]
fn a_reader_ends_when_it_is_dropped() {
    let Wired { reader, reports, .. } = Wired::new();
    drop(reader);
    assert!(reports.recv().is_err(), "nobody reports any more");
}

#[test]
fn anything_that_can_be_read_can_be_a_wheel() {
    let mut lines =
        Some(b"*X;3;1;  ;0;24;0\r\n*X;3;1;  ;0;24;0\r\n*X;5;1;12;0;24;0\r\n*X;5;1;12;0;24;0\r\n".as_slice());
    let (reporting, reports) = channel();
    let wheel = Cammegh::new(settings(), Moment(0));
    let open = move || lines.take().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    let _reader = Reader::start(open, wheel, || Moment(0), move |report| reporting.send(report).unwrap()).unwrap();
    let reported: Vec<Report> = reports.iter().take(3).collect();
    assert_eq!(
        reported,
        [Report::Direction(Direction::Clockwise), Report::Observed(SPUN), Report::Observed(rested("12"))]
    );
}
