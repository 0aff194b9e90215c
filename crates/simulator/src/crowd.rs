//! Everyone on a floor that the caller runs: what they send, and what they check of what has become durable.
//!
//! [`run`](crate::run) decides every command itself. Here the commands go to an engine, several at a time, and come back as
//! records, or not at all.

use floor::{Body, Command, Floor, Moment, Record, Sender};

use crate::chance::Chance;
use crate::house::House;
use crate::people::Scene;
use crate::run::Run;
use crate::summary::Summary;

/// The people, devices and clock of a floor, and the naive model of it, kept from what is durable alone.
pub struct Crowd(Run);

impl Crowd {
    /// The crowd of a seed, with its tables set up.
    ///
    /// # Errors
    /// When something that must hold does not.
    pub fn of(seed: u64) -> Result<Crowd, String> {
        let mut run = Run::new(seed, crate::USUAL);
        run.furnish()?;
        Ok(Crowd(run))
    }

    /// The floor and the log that every seed of the same house begins with.
    #[must_use]
    pub fn house(seed: u64) -> (&'static Floor, &'static [Record]) {
        let house = House::of(seed);
        (&house.floor, &house.log)
    }

    /// How many records come before [`Crowd::log`].
    #[must_use]
    pub fn before(&self) -> u64 {
        self.0.house.log.len() as u64
    }

    /// The records since the house was made: first those of its tables, then what has become durable.
    #[must_use]
    pub fn log(&self) -> &[Record] {
        &self.0.log
    }

    /// A record by its sequence.
    #[must_use]
    pub fn record(&self, sequence: u64) -> Option<&Record> {
        let place = usize::try_from(sequence.checked_sub(1)?).ok()?;
        let house = &self.0.house.log;
        house.get(place).or_else(|| self.0.log.get(place.checked_sub(house.len())?))
    }

    /// The floor as everyone sees it.
    #[must_use]
    pub fn floor(&self) -> &Floor {
        &self.0.floor
    }

    /// The time.
    #[must_use]
    pub fn at(&self) -> Moment {
        self.0.at
    }

    /// What has been counted.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.0.summary
    }

    /// From here on all random numbers are drawn from this: leaving out a step changes no other.
    pub fn draw_from(&mut self, chance: Chance) {
        self.0.chance = chance;
    }

    /// Time goes on by itself.
    pub fn tick(&mut self) {
        self.0.tick();
    }

    /// So much time goes by.
    pub fn wait(&mut self, milliseconds: i64) {
        self.0.at = self.0.at.after(milliseconds);
    }

    /// The next command: a new one, one that was delayed or not answered, or a repetition.
    pub fn sends(&mut self) -> Option<Command> {
        let run = &mut self.0;
        match run.chance.below(240) {
            0..30 => run.wire.arrives(run.at, &mut run.chance),
            30..40 => run.wire.again(run.at, &mut run.chance),
            _ => {
                let scene = Scene { seed: run.seed, floor: &run.floor, model: &run.model, kept: &run.kept, at: run.at };
                let (sender, body) = scene.deed(&mut run.chance)?;
                let command = run.wire.write(sender, body, run.at, &mut run.chance);
                match run.chance.below(100) {
                    // Lost on the way; late; or at once.
                    0 => None,
                    1..6 => {
                        run.wire.delay(command);
                        None
                    }
                    _ => Some(command),
                }
            }
        }
    }

    /// An unanswered command: it is sent again later.
    pub fn unanswered(&mut self, command: Command) {
        self.0.wire.delay(command);
    }

    /// What a host says when it has come back, having been away since then.
    pub fn restarted(&mut self, from: Moment) -> [Command; 2] {
        let run = &mut self.0;
        let scene = Scene { seed: run.seed, floor: &run.floor, model: &run.model, kept: &run.kept, at: run.at };
        let start = scene.start(&mut run.chance);
        let report = Body::ReportStoppage { from, terminals_back: !run.chance.one_in(4) };
        [start, report].map(|body| run.wire.write(Sender::System, body, run.at, &mut run.chance))
    }

    /// Takes in what a command has become. `command` is the one that its first record names.
    ///
    /// # Errors
    /// When something that must hold does not.
    pub fn durable(&mut self, command: &Command, records: &[Record]) -> Result<(), String> {
        let run = &mut self.0;
        run.wire.accepted(command, run.floor.sequence() + 1);
        run.summary.accepted += 1;
        for record in records {
            run.apply(record)?;
        }
        run.model.take(records)?;
        run.log.extend_from_slice(records);
        run.compare()
    }

    /// Compares everything, which takes longer.
    ///
    /// # Errors
    /// When something that must hold does not.
    pub fn check(&self) -> Result<(), String> {
        self.0.check_everything()
    }
}
