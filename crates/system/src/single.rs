//! A floor with one host: the engine on a disk that fails, restarts at any point, snapshots, archive, backup and records.

use engine::{Nobody, Recovery, StartError, Stepped};
use floor::{Floor, Moment};
use journal::{Checkpoint, Disk, Journal};
use simulator::Chance;

use crate::disk::{Lies, SimDisk};
use crate::flaw::Flaw;
use crate::ground;
use crate::kept::Kept;
use crate::plan::{Course, Fault, Trouble};
use crate::summary::Summary;
use crate::witness::{Check, Ear, Mouth, Told, Witness, must};

type Engine = Stepped<SimDisk, Nobody, Journal<SimDisk>>;

/// How often a start may be interrupted before it must succeed.
const STARTS: u32 = 4;
/// Turns within which everything that waits must be done.
const PATIENCE: u32 = 10_000;

/// One host and its disk.
pub(crate) struct Single<'a> {
    pub course: &'a Course,
    pub witness: Witness,
    pub disk: SimDisk,
    pub archive: SimDisk,
    pub summary: Summary,
    pub chance: Chance,
    pub kept: Kept,
    engine: Option<Engine>,
    ear: Ear,
    /// Up to which record this run of the engine has told.
    told: u64,
    began: Moment,
    /// Nothing more goes wrong.
    calm: bool,
    /// Published checkpoints, as an outside party keeps them.
    pub anchors: Vec<Checkpoint>,
}

impl<'a> Single<'a> {
    pub fn new(course: &'a Course) -> Result<Single<'a>, String> {
        let witness = Witness::of(course.seed)?;
        let disk = ground::disk(course.seed, &witness.crowd)?;
        disk.lie(Lies {
            sync_is_lost: course.has(Flaw::LostSync),
            sync_is_late: course.has(Flaw::AcknowledgedBeforeSync),
            names_are_lost: course.has(Flaw::LostName),
        });
        let (began, chance) = (witness.crowd.at(), course.chance(0, 2));
        let mut single = Single {
            course,
            witness,
            disk,
            archive: SimDisk::new(course.seed ^ 1),
            summary: Summary { seeds: 1, ..Summary::default() },
            chance,
            kept: Kept::default(),
            engine: None,
            ear: Ear::default(),
            told: 0,
            began,
            calm: false,
            anchors: Vec::new(),
        };
        single.start()?;
        Ok(single)
    }

    /// One step: a person acts, or a part of the system continues, or a fault happens to it.
    pub fn step(&mut self, step: u32) -> Check {
        self.chance = self.course.chance(step, 2);
        self.witness.crowd.draw_from(self.course.chance(step, 3));
        self.witness.crowd.tick();
        self.summary.steps += 1;
        match self.chance.below(1000) {
            0..480 => self.somebody_sends()?,
            480..680 => self.turn(|engine| engine.decide())?,
            680..800 => self.turn(|engine| engine.write(false))?,
            800..810 => self.turn(|engine| engine.write(true))?,
            810..850 => self.turn(|engine| engine.snapshot())?,
            850..930 => self.follow_records()?,
            930..940 => self.slow_disk()?,
            940..944 => self.restart()?,
            944..949 => self.kill()?,
            949..955 => self.lose_power()?,
            955..970 => self.plan_trouble(),
            970..974 => self.back_up()?,
            974..978 => self.archive()?,
            978..980 => self.rot()?,
            980..981 => self.move_house()?,
            981..984 => self.kept.compare(&self.witness, &mut self.summary)?,
            _ => self.busy()?,
        }
        if self.course.has(Flaw::SnapshotAhead) && self.chance.one_in(40) {
            self.snapshot_ahead()?;
        }
        if self.engine.as_ref().is_some_and(|engine| engine.stopped().is_some()) {
            self.stopped()?;
        }
        if self.course.compares_every_step() {
            self.kept.compare(&self.witness, &mut self.summary)?;
        }
        Ok(())
    }

    fn somebody_sends(&mut self) -> Check {
        let Some(command) = self.witness.crowd.sends() else { return Ok(()) };
        let tag = self.witness.sends(&command);
        let taken = self.engine.as_ref().is_some_and(|engine| engine.submit(tag, command).is_ok());
        if !taken {
            self.witness.gives_up(tag);
        }
        // Mostly nothing else is waiting, and it is decided and written at once.
        if self.chance.one_in(3) { self.busy() } else { Ok(()) }
    }

    /// All waiting work is done, as without interruptions.
    fn busy(&mut self) -> Check {
        for _ in 0..PATIENCE {
            let Some(engine) = &mut self.engine else { return Ok(()) };
            let worked = engine.write(false) | engine.decide();
            self.listen()?;
            if !worked {
                return Ok(());
            }
        }
        Err("the engine never comes to rest".to_owned())
    }

    fn turn<T>(&mut self, go: impl FnOnce(&mut Engine) -> T) -> Check {
        if let Some(engine) = &mut self.engine {
            go(engine);
        }
        self.listen()
    }

    /// Hears what the engine has told since.
    fn listen(&mut self) -> Check {
        for told in self.ear.take() {
            match told {
                Told::Durable { first, records, mut replies, sequence, unsynced } => {
                    must(!unsynced, || format!("record {first} is told, and could still be lost"))?;
                    must(first == self.told + 1, || format!("record {first} is told after record {}", self.told))?;
                    self.told += records.len() as u64;
                    must(sequence == self.told, || format!("the floor shown is at record {sequence}"))?;
                    self.witness.durable(first, &records)?;
                    self.spoil(&mut replies);
                    if self.course.has(Flaw::ToldTwice) && !records.is_empty() && self.chance.one_in(20) {
                        self.witness.durable(self.witness.sequence() + 1, &records)?;
                    }
                    for (tag, reply) in &replies {
                        self.witness.answer(*tag, reply)?;
                    }
                    self.kept.feed(first, records, self.course.has(Flaw::RecordSkipped));
                }
                Told::Checkpoint(checkpoint) => {
                    let genuine = checkpoint.is_genuine(ground::JOURNAL);
                    must(genuine, || "a checkpoint is not genuine".to_owned())?;
                    self.summary.check("checkpoints");
                    self.anchors.push(checkpoint);
                }
                Told::Stopped { waiting } => {
                    for tag in waiting {
                        must(self.witness.is_waiting(tag), || "who does not wait is told of a stop".to_owned())?;
                        self.witness.gives_up(tag);
                    }
                }
            }
        }
        Ok(())
    }

    fn spoil(&mut self, replies: &mut Vec<(engine::Tag, engine::Reply)>) {
        if self.course.has(Flaw::AnsweredTwice) && self.chance.one_in(20) {
            replies.extend(replies.clone());
        }
        if self.course.has(Flaw::WrongAnswer)
            && let [.., (_, one), (_, other)] = &mut replies[..]
        {
            std::mem::swap(one, other);
        }
    }

    fn follow_records(&mut self) -> Check {
        self.kept.step(&self.witness, &mut self.summary)
    }

    fn slow_disk(&mut self) -> Check {
        if !self.course.may(Fault::SlowDisk) {
            return Ok(());
        }
        self.summary.fault(Fault::SlowDisk);
        let slow = self.chance.one_in(2);
        self.turn(|engine| engine.set_slow(slow))
    }

    fn plan_trouble(&mut self) {
        let (fault, trouble) = self.chance.of_these([
            (Fault::DiskFails, Trouble::Fails),
            (Fault::DiskFull, Trouble::Full),
            (Fault::PowerLoss, Trouble::PowerLoss),
        ]);
        if self.course.may(fault) {
            self.summary.fault(fault);
            let after = u32::try_from(self.chance.below(12)).unwrap_or(0);
            self.disk.plan(after, trouble);
        }
    }

    /// Play has stopped by itself, which it does only where the disk has failed.
    fn stopped(&mut self) -> Check {
        let reason = self.engine.as_ref().and_then(Stepped::stopped).unwrap_or_default();
        must(self.disk.happened(), || format!("play has stopped for no reason: {reason}"))?;
        if self.chance.one_in(2) {
            self.end()?
        } else {
            self.vanish()
        }
        self.comes_back()
    }

    fn kill(&mut self) -> Check {
        if !self.course.may(Fault::Kill) {
            return Ok(());
        }
        self.summary.fault(Fault::Kill);
        self.vanish();
        self.comes_back()
    }

    fn lose_power(&mut self) -> Check {
        if !self.course.may(Fault::PowerLoss) {
            return Ok(());
        }
        self.summary.fault(Fault::PowerLoss);
        self.disk.lose_power();
        self.vanish();
        self.kept.machine_stops();
        self.comes_back()
    }

    fn restart(&mut self) -> Check {
        if !self.course.may(Fault::Restart) {
            return Ok(());
        }
        self.summary.fault(Fault::Restart);
        self.end()?;
        self.comes_back()
    }

    /// The process is gone, without a notification.
    pub fn vanish(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.kill();
        }
        self.ear.take();
        self.kept.kill();
        self.witness.give_up_all();
    }

    /// Ends the engine in order: every client gets an answer.
    pub fn end(&mut self) -> Check {
        if let Some(engine) = self.engine.take() {
            engine.stop();
        }
        self.listen()?;
        let waiting = self.witness.waiting();
        must(waiting == 0, || format!("{waiting} commands were never answered"))?;
        self.kept.stop()
    }

    fn comes_back(&mut self) -> Check {
        let from = self.witness.crowd.at();
        let away = if self.chance.one_in(2) { self.chance.between(100, 9_000) } else { 30_000 };
        self.witness.crowd.wait(away);
        if self.course.has(Flaw::LostBatch) {
            self.cut_last_batch();
        }
        self.start()?;
        for command in self.witness.crowd.restarted(from) {
            let tag = self.witness.sends(&command);
            let taken = self.engine.as_ref().is_some_and(|engine| engine.submit(tag, command).is_ok());
            if !taken {
                self.witness.gives_up(tag);
            }
        }
        Ok(())
    }

    /// Starts the engine; the disk may fail once more on the way.
    pub fn start(&mut self) -> Check {
        for attempt in 0..=STARTS {
            self.disk.repair();
            if attempt < STARTS && !self.calm && self.chance.one_in(6) {
                self.plan_trouble();
            }
            let (ear, disk) = (self.ear.clone(), self.disk.another());
            let mouth = Mouth { ear, unsynced: move || disk.has_unsynced() };
            match Stepped::start(self.disk.another(), self.course.options(), mouth) {
                Ok((engine, recovery)) => return self.started(engine, &recovery),
                Err(StartError::Disk(_)) if self.disk.happened() => self.summary.check("interrupted starts"),
                Err(error) => return Err(format!("the floor does not start: {error}")),
            }
        }
        Err("the floor does not start".to_owned())
    }

    fn started(&mut self, engine: Engine, recovery: &Recovery) -> Check {
        self.summary.check("starts");
        let known = self.witness.sequence();
        must(recovery.sequence >= known, || {
            format!("record {known} was told, and the journal ends at record {}: {recovery}", recovery.sequence)
        })?;
        let passed_over = &recovery.passed_over;
        must(passed_over.is_empty(), || format!("a snapshot cannot be used: {passed_over:?}"))?;
        let records = crate::copies::records_after(&self.disk, known)?;
        self.witness.durable(known + 1, &records)?;
        self.told = recovery.sequence;
        let same = engine.read(Floor::state_hash) == self.witness.crowd.floor().state_hash();
        must(same, || format!("the floor that came back is another: {recovery}"))?;
        self.kept.start(&self.disk, &self.archive, recovery.sequence);
        self.engine = Some(engine);
        Ok(())
    }

    /// Everything is finished and compared.
    pub fn finish(&mut self) -> Check {
        self.chance = self.course.chance(u32::MAX, 2);
        self.calm = true;
        self.busy()?;
        if self.engine.as_ref().is_some_and(|engine| engine.stopped().is_some()) {
            self.stopped()?;
        }
        self.disk.repair();
        self.busy()?;
        let waiting = self.witness.waiting();
        must(waiting == 0, || format!("{waiting} commands were never answered"))?;
        self.witness.crowd.check()?;
        self.kept.compare(&self.witness, &mut self.summary)?;
        self.end()?;
        self.audit()?;
        self.start()?;
        self.vanish();
        let crowd = &self.witness.crowd;
        self.summary.milliseconds = u64::try_from(crowd.at().0 - self.began.0).unwrap_or(0);
        self.summary.accepted = crowd.summary().accepted;
        self.summary.records = crowd.log().len() as u64;
        self.summary.answered = self.witness.answered;
        Ok(())
    }
}
