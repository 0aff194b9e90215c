//! What status lines say of a game.

use std::collections::BTreeSet;

use floor::{Moment, Observation};

use super::super::Direction;
use super::line::{Line, Lines, Phase};
use super::{Report, Settings, fault};

/// So long nothing may be heard of the wheel. It sends every half second.
const SILENCE: i64 = 2_000;

const UNSEEN: u8 = 1;
const WITH_ROTOR: u8 = 2;
const MECHANISM: u8 = 4;
const LAUNCH: u8 = 8;

/// What two lines in a row must agree on. The speed varies, but not whether there is any.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    phase: Phase,
    game: u32,
    win: String,
    warning: u8,
    rotating: Option<bool>,
}

impl Status {
    fn of(line: &Line) -> Status {
        Status {
            phase: line.phase,
            game: line.game,
            win: line.win.clone(),
            warning: line.warning,
            rotating: line.speed.map(|speed| speed > 0),
        }
    }

    fn warns(&self, warning: u8) -> bool {
        self.warning & warning != 0
    }
}

/// How far the spin is that has been reported.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spin {
    /// Nothing has been heard of the wheel before: it may be anywhere in a game.
    Unknown,
    /// The ball is not in the track.
    Awaited,
    /// It is, and what has been said of it.
    Running(Told),
    /// It has come to rest; the number that was sent.
    Over(String),
}

/// What has been said of a spin, so that nothing is said twice.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Told {
    with_rotor: bool,
    stopped: bool,
    lost: bool,
}

/// A wheel, as far as its status lines tell.
#[derive(Clone, Debug)]
pub struct Cammegh {
    settings: Settings,
    lines: Lines,
    /// The last line, which the next must agree with.
    last: Option<Status>,
    /// The game of the last status that counted.
    game: u32,
    direction: Option<Direction>,
    /// The game whose direction has been said: a ball that is spun again in the same game does not alternate.
    directed: Option<u32>,
    spin: Spin,
    faults: BTreeSet<u16>,
    heard: Moment,
    rubbish: bool,
}

impl Cammegh {
    /// A wheel of which nothing has been heard.
    #[must_use]
    pub fn new(settings: Settings, now: Moment) -> Cammegh {
        Cammegh {
            settings,
            lines: Lines::default(),
            last: None,
            game: 0,
            direction: None,
            directed: None,
            spin: Spin::Unknown,
            faults: BTreeSet::new(),
            heard: now,
            rubbish: false,
        }
    }

    /// Takes what came over the line.
    pub fn feed(&mut self, bytes: &[u8], now: Moment) -> Vec<Report> {
        let mut reports = Vec::new();
        self.elapse_into(now, &mut reports);
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(bytes, |line| match line {
            Ok(line) => self.line(&line, now, &mut reports),
            Err(_) => self.rubbish = true,
        });
        self.lines = lines;
        reports
    }

    /// Lets time pass: a wheel that says nothing has a fault.
    pub fn elapse(&mut self, now: Moment) -> Vec<Report> {
        let mut reports = Vec::new();
        self.elapse_into(now, &mut reports);
        reports
    }

    /// The port was reopened: the rest of a line is not its beginning.
    pub fn reopened(&mut self) {
        self.lines.reset();
        self.last = None;
    }

    /// The numbers of the faults that it has now.
    pub fn faults(&self) -> impl Iterator<Item = u16> + '_ {
        self.faults.iter().copied()
    }

    fn elapse_into(&mut self, now: Moment, reports: &mut Vec<Report>) {
        // The clock was set back.
        if now < self.heard {
            self.heard = now;
        }
        let unheard = self.faults.contains(&fault::SILENT) || self.faults.contains(&fault::UNREADABLE);
        if now.since(self.heard) >= SILENCE && !unheard {
            self.last = None;
            let number = if std::mem::take(&mut self.rubbish) { fault::UNREADABLE } else { fault::SILENT };
            self.fails(number, reports);
        }
    }

    fn line(&mut self, line: &Line, now: Moment, reports: &mut Vec<Report>) {
        self.heard = now;
        self.rubbish = false;
        self.direction = line.direction.or(self.direction);
        let status = Status::of(line);
        if self.last.replace(status.clone()) == Some(status.clone()) {
            self.recovers(&[fault::SILENT, fault::UNREADABLE], reports);
            self.status(&status, reports);
        }
    }

    fn status(&mut self, status: &Status, reports: &mut Vec<Report>) {
        self.warn(status, reports);
        if status.game < self.game && matches!(self.spin, Spin::Running(_)) {
            self.spin = Spin::Awaited;
            self.fails(fault::RESTARTED, reports);
        }
        self.game = status.game;
        match status.phase {
            Phase::Start | Phase::PlaceBets | Phase::Closed => self.awaited(reports),
            Phase::BallInTrack | Phase::NoMoreBets => self.running(status, reports),
            Phase::WinningNumber => self.rested(status, reports),
        }
    }

    /// The wheel's own faults come and go with its warnings.
    fn warn(&mut self, status: &Status, reports: &mut Vec<Report>) {
        for (warning, number) in [(MECHANISM, fault::MECHANISM), (LAUNCH, fault::LAUNCH)] {
            if status.warns(warning) {
                self.fails(number, reports);
            } else {
                self.recovers(&[number], reports);
            }
        }
    }

    fn awaited(&mut self, reports: &mut Vec<Report>) {
        // With the next game all that was wrong with the last number is over.
        if self.spin != Spin::Awaited {
            self.spin = Spin::Awaited;
            self.recovers(&[fault::NUMBER, fault::MISSED, fault::RESTARTED], reports);
        }
    }

    // § rws-roulette-000 3.6, 5.3.4, 5.3.5, 5.3.6, 5.3.9
    fn running(&mut self, status: &Status, reports: &mut Vec<Report>) {
        let (against_rotation, wheel_rotating) = (!status.warns(WITH_ROTOR), status.rotating.unwrap_or(true));
        let spun = Report::Observed(Observation::Spun { against_rotation, wheel_rotating });
        let mut told = match self.spin {
            Spin::Running(told) => told,
            // Heard for the first time when the ball has left the track: its spin was before our time.
            Spin::Unknown if status.phase == Phase::NoMoreBets => Told::default(),
            _ => {
                self.recovers(&[fault::NUMBER, fault::MISSED, fault::RESTARTED], reports);
                if self.directed.replace(status.game) != Some(status.game) {
                    reports.extend(self.direction.map(Report::Direction));
                }
                reports.push(spun);
                Told { with_rotor: !against_rotation, stopped: !wheel_rotating, lost: false }
            }
        };
        if !against_rotation && !told.with_rotor {
            told.with_rotor = true;
            reports.push(spun);
        }
        if !wheel_rotating && !told.stopped {
            told.stopped = true;
            reports.push(Report::Observed(Observation::WheelStopped));
        }
        if status.warns(UNSEEN) && !told.lost {
            told.lost = true;
            reports.push(Report::Observed(Observation::FlungOut));
        }
        self.spin = Spin::Running(told);
    }

    // § rws-roulette-000 3.7, 5.3.3
    fn rested(&mut self, status: &Status, reports: &mut Vec<Report>) {
        let pocket = self.settings.pocket(&status.win);
        match &mut self.spin {
            Spin::Awaited => self.fails(fault::MISSED, reports),
            Spin::Over(win) if *win == status.win => return,
            Spin::Running(told) if status.warns(UNSEEN) && pocket.is_none() => {
                if !std::mem::replace(&mut told.lost, true) {
                    reports.push(Report::Observed(Observation::NoCompartment));
                }
                return;
            }
            // The first number, or another that the wheel puts in its place.
            Spin::Running(_) | Spin::Unknown | Spin::Over(_) if !self.faults.contains(&fault::MISSED) => match pocket {
                Some(pocket) => {
                    self.recovers(&[fault::NUMBER], reports);
                    reports.push(Report::Observed(Observation::Rested { pocket }));
                }
                None => self.fails(fault::NUMBER, reports),
            },
            _ => {}
        }
        self.spin = Spin::Over(status.win.clone());
    }

    fn fails(&mut self, number: u16, reports: &mut Vec<Report>) {
        if self.faults.insert(number) {
            reports.push(Report::Observed(Observation::Fault { number }));
        }
    }

    /// The device is restored when none of its faults is left.
    fn recovers(&mut self, numbers: &[u16], reports: &mut Vec<Report>) {
        let before = self.faults.len();
        self.faults.retain(|known| !numbers.contains(known));
        if before > 0 && self.faults.is_empty() {
            reports.push(Report::Observed(Observation::Restored));
        }
    }
}
