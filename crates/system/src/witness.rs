//! Remembers everything that was published or answered, and compares.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Durable, Outlet, Recovery, Reply, Tag};
use floor::{Command, Record, Sender};
use journal::Checkpoint;
use simulator::Crowd;

/// What must hold, or what does not.
pub(crate) type Check = Result<(), String>;

/// Says what is wrong if something is.
pub(crate) fn must(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

/// What an engine has told.
pub(crate) enum Told {
    Durable { first: u64, records: Arc<Vec<Record>>, replies: Vec<(Tag, Reply)>, sequence: u64, unsynced: bool },
    Checkpoint(Checkpoint),
    Stopped { waiting: Vec<Tag> },
}

/// What an engine tells, until it is looked at.
#[derive(Clone, Default)]
pub(crate) struct Ear(Arc<Mutex<Vec<Told>>>);

impl Ear {
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn hear(&self, told: Told) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(told);
    }
}

/// The mouth of an engine: at the moment it speaks, it is seen whether the disk has something that could still be lost.
pub(crate) struct Mouth<F> {
    pub ear: Ear,
    pub unsynced: F,
}

impl<F: Fn() -> bool + Send + 'static> Outlet for Mouth<F> {
    fn recovered(&mut self, _recovery: &Recovery) {}

    fn durable(&mut self, durable: Durable<'_>) {
        let (first, records, sequence) = (durable.first, durable.share(), durable.floor.sequence());
        let unsynced = (self.unsynced)();
        self.ear.hear(Told::Durable { first, records, replies: durable.replies, sequence, unsynced });
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.ear.hear(Told::Checkpoint(*checkpoint));
    }

    fn stopped(&mut self, _reason: &str, waiting: Vec<Tag>) {
        self.ear.hear(Told::Stopped { waiting });
    }
}

/// A sender and its own count.
type Name = (Sender, u64);

/// Everything that was sent, told and answered.
pub(crate) struct Witness {
    pub crowd: Crowd,
    sent: HashMap<Name, Vec<Command>>,
    /// Which record carries a command.
    origins: HashMap<Name, u64>,
    in_flight: BTreeMap<Tag, Command>,
    next: Tag,
    /// Answers that were given.
    pub answered: u64,
}

impl Witness {
    pub fn of(seed: u64) -> Result<Witness, String> {
        let crowd = Crowd::of(seed)?;
        let (_, house) = Crowd::house(seed);
        let mut origins = HashMap::new();
        for (record, sequence) in house.iter().chain(crowd.log()).zip(1..) {
            origins.extend(record.origin.map(|origin| ((origin.sender, origin.number), sequence)));
        }
        Ok(Witness { crowd, sent: HashMap::new(), origins, in_flight: BTreeMap::new(), next: 1, answered: 0 })
    }

    /// The last record that was published or answered.
    pub fn sequence(&self) -> u64 {
        self.crowd.floor().sequence()
    }

    /// A command is about to be handed to an engine.
    pub fn sends(&mut self, command: &Command) -> Tag {
        let tag = self.next;
        self.next += 1;
        let sent = self.sent.entry((command.sender, command.number)).or_default();
        if sent.last().is_none_or(|last| last.body != command.body) {
            sent.push(command.clone());
        }
        self.in_flight.insert(tag, command.clone());
        tag
    }

    /// It was not taken in, or will not be answered: its sender tries again.
    pub fn gives_up(&mut self, tag: Tag) {
        if let Some(command) = self.in_flight.remove(&tag) {
            self.crowd.unanswered(command);
        }
    }

    /// There will be no answers: the process is gone.
    pub fn give_up_all(&mut self) {
        for command in std::mem::take(&mut self.in_flight).into_values() {
            self.crowd.unanswered(command);
        }
    }

    /// Commands that wait for an answer.
    pub fn waiting(&self) -> usize {
        self.in_flight.len()
    }

    pub fn is_waiting(&self, tag: Tag) -> bool {
        self.in_flight.contains_key(&tag)
    }

    /// An engine says that records are durable. Those that are known must be the same; the others follow.
    pub fn durable(&mut self, first: u64, records: &[Record]) -> Check {
        let known = self.sequence();
        must(first <= known + 1, || format!("record {first} is told, and record {} never was", known + 1))?;
        let mut new = 0;
        for (sequence, record) in (first..).zip(records) {
            if sequence > known {
                break;
            }
            new += 1;
            let same = self.crowd.record(sequence) == Some(record);
            must(same, || format!("record {sequence} is told again, and is another"))?;
        }
        let mut rest = &records[new..];
        while let Some(record) = rest.first() {
            let origin = record.origin.ok_or_else(|| format!("{record:?} names no command"))?;
            let count = 1 + rest[1..].iter().take_while(|record| record.origin.is_none()).count();
            let (together, after) = rest.split_at(count);
            self.new_command((origin.sender, origin.number), together)?;
            rest = after;
        }
        Ok(())
    }

    fn new_command(&mut self, name: Name, records: &[Record]) -> Check {
        let sequence = self.sequence() + 1;
        if let Some(before) = self.origins.insert(name, sequence) {
            return Err(format!("{name:?} is recorded twice: as record {before} and as record {sequence}"));
        }
        let sent = self.sent.get(&name).and_then(|sent| sent.last()).cloned();
        let command = sent.ok_or_else(|| format!("record {sequence} is of {name:?}, which nobody sent"))?;
        self.crowd.durable(&command, records)
    }

    /// An engine answers.
    pub fn answer(&mut self, tag: Tag, reply: &Reply) -> Check {
        let command = self.in_flight.remove(&tag).ok_or_else(|| format!("{reply:?} answers what nobody waits for"))?;
        self.answered += 1;
        match reply {
            Reply::Accepted(sequence) => {
                let known = self.sequence();
                must(*sequence <= known, || format!("record {sequence} is acknowledged, and {known} are durable"))?;
                let named = self.origins.get(&(command.sender, command.number));
                must(named == Some(sequence), || {
                    format!("{command:?} is acknowledged as record {sequence}, and is {named:?}")
                })
            }
            Reply::Refused(refusal) => must(!refusal.words.is_empty(), || "a refusal without words".to_owned()),
            Reply::Stopped(_) | Reply::Untaken(_) => Err(format!("an engine answers {reply:?}")),
        }
    }
}
