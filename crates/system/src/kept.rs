//! The records of a simulated floor: kept by the real follower in a real database, and compared with rebuilt records.

use std::sync::Arc;

use floor::{Event, Record, Release};
use journal::Disk;
use records::{FollowerOptions, Records, StepFollower};

use crate::disk::SimDisk;
use crate::summary::Summary;
use crate::witness::{Check, Witness, must};

/// Records that wait in memory at most: few, so that some are read from the journal.
const QUEUE: usize = 24;
/// Turns within which the follower must have come to the end.
const PATIENCE: u32 = 1_000;

/// The records, and what they are compared with.
#[derive(Default)]
pub(crate) struct Kept {
    follower: Option<StepFollower<SimDisk>>,
    /// The database between two processes.
    left: Option<Records>,
    /// Runs of the machine.
    boots: u64,
    /// Built only from what was published.
    reference: Option<Records>,
    fed: u64,
}

impl Kept {
    /// A new process follows the floor.
    pub fn start(&mut self, disk: &SimDisk, archive: &SimDisk, sequence: u64) {
        let options = FollowerOptions { queue: QUEUE, transaction: QUEUE, ..FollowerOptions::default() };
        let (archives, boot) = (vec![archive.another()], self.boots.to_string());
        let follower = StepFollower::start(disk.another(), archives, options, self.left.take(), boot);
        follower.recovered(sequence);
        self.follower = Some(follower);
    }

    /// The process ends.
    pub fn kill(&mut self) {
        self.left = self.follower.take().and_then(StepFollower::kill).or(self.left.take());
    }

    /// The process ends in order.
    pub fn stop(&mut self) -> Check {
        if let Some(follower) = self.follower.take() {
            self.left = follower.stop().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The machine stops: what the database says of itself may not have reached the disk.
    pub fn machine_stops(&mut self) {
        self.boots += 1;
    }

    /// Something is durable.
    pub fn feed(&mut self, first: u64, mut records: Arc<Vec<Record>>, skips: bool) {
        self.fed += 1;
        if skips && self.fed.is_multiple_of(30) && !records.is_empty() {
            let mut changed = records.to_vec();
            let program = rulebook_hash();
            let event = Event::ProgramStarted { release: Release { program, rulebooks: program }, locked: false };
            changed[0] = Record { event, ..changed[0].clone() };
            records = Arc::new(changed);
        }
        if let Some(follower) = &self.follower {
            follower.take_in(first, records);
        }
    }

    /// One turn of the follower.
    pub fn step(&mut self, witness: &Witness, summary: &mut Summary) -> Check {
        let Some(follower) = &mut self.follower else { return Ok(()) };
        if follower.step().is_err() {
            summary.check("errors of the records");
        }
        let sequence = follower.records().map_or(0, Records::sequence);
        let told = witness.sequence();
        must(sequence <= told, || format!("the records have record {sequence}, and record {told} is the last told"))
    }

    /// Brings the records to the end and compares them with records built from what was published.
    pub fn compare(&mut self, witness: &Witness, summary: &mut Summary) -> Check {
        let Some(follower) = &mut self.follower else { return Ok(()) };
        let told = witness.sequence();
        let mut why = String::new();
        for _ in 0..PATIENCE {
            match follower.step() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => why = error.to_string(),
            }
        }
        let records = follower.records().ok_or_else(|| format!("the records do not open: {why}"))?;
        let sequence = records.sequence();
        must(sequence == told, || format!("the records end at record {sequence} of {told}: {why}"))?;
        let kept = records.contents().map_err(|error| error.to_string())?;
        self.same(kept, witness, told, summary)
    }

    /// Compares the records of one of several hosts as far as they go: it may be behind the one that leads. Where its disk does
    /// not let it read, there is nothing to compare.
    pub fn compare_so_far(&mut self, witness: &Witness, summary: &mut Summary) -> Check {
        let Some(follower) = &mut self.follower else { return Ok(()) };
        for _ in 0..PATIENCE {
            match follower.step() {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return Ok(()),
            }
        }
        let Some(records) = follower.records() else { return Ok(()) };
        let (sequence, told) = (records.sequence(), witness.sequence());
        must(sequence <= told, || format!("the records have record {sequence}, and record {told} is the last told"))?;
        let kept = records.contents().map_err(|error| error.to_string())?;
        self.same(kept, witness, sequence, summary)
    }

    /// Rows of the records, and those of records made anew, as far as they go.
    fn same(&mut self, kept: Vec<String>, witness: &Witness, until: u64, summary: &mut Summary) -> Check {
        let made = self.made(witness, until).and_then(|made| made.contents()).map_err(|error| error.to_string())?;
        summary.check("records compared");
        if let Some((kept, made)) = kept.iter().zip(&made).find(|(kept, made)| kept != made) {
            return Err(format!("the records say {kept}, and made anew {made}"));
        }
        must(kept.len() == made.len(), || format!("the records have {} rows, made anew {}", kept.len(), made.len()))
    }

    fn made(&mut self, witness: &Witness, until: u64) -> Result<&Records, records::Error> {
        // A host that has begun again may be behind what was compared before.
        let reference = match self.reference.take().filter(|reference| reference.sequence() <= until) {
            Some(reference) => reference,
            None => Records::in_memory()?,
        };
        let reference = self.reference.insert(reference);
        let first = reference.sequence() + 1;
        reference.apply_batch(first, (first..=until).filter_map(|one| witness.crowd.record(one)))?;
        Ok(reference)
    }
}

fn rulebook_hash() -> rulebook::Hash {
    rulebook::Hash([0; 32])
}
