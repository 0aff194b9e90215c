//! One of several hosts of a simulated floor: the engine on its own disk, the lease, and the turn to lead.

use std::collections::BTreeSet;
use std::time::Duration;

use cluster::lease::Lease;
use cluster::requests;
use cluster::{Error, Held, Replicated};
use engine::{StartError, Stepped, Tag};
use floor::{Command, Floor};
use journal::Disk;

use crate::disk::SimDisk;
use crate::flaw::Flaw;
use crate::ground;
use crate::kept::Kept;
use crate::net::{Follow, LEASE, Reach, ready};
use crate::plan::Course;
use crate::summary::Summary;
use crate::witness::{Check, Ear, Mouth, Told, Witness, must};

type Engine = Stepped<SimDisk, Follow, Replicated<SimDisk, Reach>>;

/// A host.
pub(crate) struct Member {
    pub reach: Reach,
    pub disk: SimDisk,
    pub kept: Option<Kept>,
    engine: Option<Engine>,
    lease: Option<Lease<Reach>>,
    ear: Ear,
    told: u64,
    /// Commands that wait for an answer of this host.
    waiting: BTreeSet<Tag>,
    /// Up to which message it follows before it leads.
    until: Option<u64>,
    /// It stands still until this step.
    pub paused: u32,
}

impl Member {
    pub fn new(reach: Reach, disk: SimDisk, kept: Option<Kept>) -> Member {
        let (ear, waiting) = (Ear::default(), BTreeSet::new());
        Member { reach, disk, kept, engine: None, lease: None, ear, told: 0, waiting, until: None, paused: 0 }
    }

    pub fn leads(&self) -> bool {
        self.engine.as_ref().is_some_and(Stepped::leads)
    }

    pub fn is_up(&self) -> bool {
        self.engine.is_some()
    }

    pub fn stopped(&self) -> Option<String> {
        self.engine.as_ref().and_then(Stepped::stopped)
    }

    pub fn submit(&mut self, witness: &mut Witness, command: Command) {
        let tag = witness.sends(&command);
        match self.engine.as_ref().map(|engine| engine.submit(tag, command)) {
            Some(Ok(())) => drop(self.waiting.insert(tag)),
            _ => witness.gives_up(tag),
        }
    }

    /// Starts as one that follows; false if the cluster cannot be reached or the disk has failed.
    pub fn start(&mut self, course: &Course, witness: &mut Witness, summary: &mut Summary) -> Result<bool, String> {
        self.reach.session += 16;
        let (ear, reach) = (self.ear.clone(), self.reach.clone());
        // A follower's copy guarantees nothing: the stream does.
        let mouth = Mouth { ear, unsynced: || false };
        let mut differs = None;
        let started = Stepped::follow(self.disk.another(), course.options(), mouth, |journal| {
            let found = ready(requests::find(&reach, ground::JOURNAL, &journal.position()));
            let taken = found.map_err(|error| {
                if !error.may_pass() {
                    differs = Some(error.to_string());
                }
                StartError::Disk(std::io::Error::other(error))
            })?;
            Ok(Follow { reach: reach.clone(), taken })
        });
        match (started, differs) {
            (_, Some(words)) => Err(format!("host {}: {words}", self.reach.host)),
            (Err(StartError::Disk(_)), None) => Ok(false),
            (Err(error), None) => Err(format!("host {} does not start: {error}", self.reach.host)),
            (Ok((engine, recovery)), None) => {
                summary.check("starts");
                self.told = recovery.sequence;
                // What was durable here is in the stream, even if it was never published.
                let records = crate::copies::records_after(&self.disk, witness.sequence().min(self.told))?;
                witness.durable(witness.sequence().min(self.told) + 1, &records)?;
                if self.told == witness.sequence() {
                    let same = engine.read(Floor::state_hash) == witness.crowd.floor().state_hash();
                    must(same, || format!("the floor of host {} is another: {recovery}", self.reach.host))?;
                }
                if let Some(kept) = &mut self.kept {
                    kept.start(&self.disk, &SimDisk::new(0), recovery.sequence);
                }
                let me = Held { host: format!("host {}", self.reach.host), address: String::new() };
                let own = self.reach.session.to_string();
                let lease = Lease::on(self.reach.clone(), me, own, LEASE).map_err(|error| error.to_string())?;
                (self.engine, self.lease, self.until) = (Some(engine), Some(lease), None);
                Ok(true)
            }
        }
    }

    /// Renews, watches or takes the lease, and does what a host does on it. True if it has begun to lead.
    pub fn turn(&mut self, course: &Course) -> Result<bool, String> {
        let (Some(engine), Some(lease)) = (&mut self.engine, &mut self.lease) else { return Ok(false) };
        let held = ready(lease.step(Duration::ZERO)) || course.has(Flaw::LeaseIgnored);
        if engine.leads() {
            return Ok(false);
        }
        if !held {
            self.until = None;
            return Ok(false);
        }
        if self.until.is_none() {
            self.until = match ready(requests::last(&self.reach)) {
                Ok(last) => Some(last),
                Err(Error::Unreachable(_)) => return Ok(false),
                Err(error) => return Err(error.to_string()),
            };
        }
        while engine.taken() < self.until {
            if !engine.follow_step().unwrap_or(false) {
                return Ok(false);
            }
        }
        let session = self.reach.session;
        let has_led = self.reach.lock().led.contains(&session);
        must(has_led, || format!("host {} leads without the lease", self.reach.host))?;
        let quorum = self.reach.clone();
        let log = |journal, source: Follow| Replicated::on(quorum, journal, source.taken);
        engine.lead(log).map_err(|error| error.to_string())?;
        Ok(true)
    }

    /// Whether it leads, and its lease is over.
    pub fn has_lost_the_lease(&self) -> bool {
        self.leads() && self.lease.as_ref().is_some_and(|lease| !lease.is_held())
    }

    pub fn follow(&mut self) -> bool {
        self.engine.as_mut().is_some_and(|engine| engine.follow_step().unwrap_or(false))
    }

    pub fn decide(&mut self) -> bool {
        self.engine.as_mut().is_some_and(Stepped::decide)
    }

    pub fn write(&mut self, sign: bool) -> bool {
        self.engine.as_mut().is_some_and(|engine| engine.write(sign))
    }

    pub fn snapshot(&mut self) {
        self.engine.as_mut().map(Stepped::snapshot);
    }

    pub fn listen(&mut self, witness: &mut Witness) -> Check {
        for told in self.ear.take() {
            match told {
                Told::Durable { first, records, replies, sequence, .. } => {
                    let host = self.reach.host;
                    must(first == self.told + 1, || format!("host {host} tells record {first} after {}", self.told))?;
                    self.told += records.len() as u64;
                    must(sequence == self.told, || format!("the floor of host {host} is at record {sequence}"))?;
                    let durable = self.reach.lock().sequence;
                    must(self.told <= durable, || {
                        format!("host {host} tells record {}, and a quorum has {durable}", self.told)
                    })?;
                    witness.durable(first, &records)?;
                    for (tag, reply) in &replies {
                        self.waiting.remove(tag);
                        witness.answer(*tag, reply)?;
                    }
                    if let Some(kept) = &mut self.kept {
                        kept.feed(first, records, false);
                    }
                }
                Told::Checkpoint(checkpoint) => {
                    must(checkpoint.is_genuine(ground::JOURNAL), || "a checkpoint is not genuine".to_owned())?;
                }
                Told::Stopped { waiting } => {
                    for tag in waiting {
                        must(self.waiting.remove(&tag), || "who does not wait is told of a stop".to_owned())?;
                        witness.gives_up(tag);
                    }
                }
            }
        }
        Ok(())
    }

    /// The process is gone, without a notification.
    pub fn kill(&mut self, witness: &mut Witness) {
        if let Some(engine) = self.engine.take() {
            engine.kill();
        }
        self.gone(witness);
    }

    /// Ends in order, and lets the lease go.
    pub fn stop(&mut self, witness: &mut Witness) -> Check {
        if let Some(engine) = self.engine.take() {
            engine.stop();
        }
        self.listen(witness)?;
        must(self.waiting.is_empty(), || format!("{} commands were never answered", self.waiting.len()))?;
        if let Some(lease) = &mut self.lease {
            ready(lease.release());
        }
        self.gone(witness);
        Ok(())
    }

    fn gone(&mut self, witness: &mut Witness) {
        (self.engine, self.lease, self.until) = (None, None, None);
        self.ear.take();
        if let Some(kept) = &mut self.kept {
            kept.kill();
        }
        for tag in std::mem::take(&mut self.waiting) {
            witness.gives_up(tag);
        }
        self.disk.repair();
    }
}
