//! What waits between the threads: commands to decide, and the batch to write next.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use floor::{Command, Record};
use journal::Batch;

use crate::run::Reply;

/// By which whoever sent a command knows the answer.
pub type Tag = u64;

/// Why a command was not even looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too much is waiting; try again.
    #[error("busy: too many commands are waiting")]
    Busy,
    /// Play has stopped.
    #[error("play has stopped: {0}")]
    Stopped(String),
}

/// Decided, and not yet durable.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// The sequence before its first record.
    pub after: u64,
    pub batch: Batch,
    pub records: Vec<Record>,
    pub replies: Vec<(Tag, Reply)>,
}

impl Work {
    pub fn is_empty(&self) -> bool {
        self.replies.is_empty() && self.records.is_empty()
    }
}

#[derive(Default)]
struct Inside {
    commands: Vec<(Tag, Command)>,
    work: Option<Work>,
    stopping: bool,
    decided_all: bool,
    stopped: Option<String>,
}

/// What the decider finds when it wakes.
pub(crate) enum Next {
    /// These commands.
    Commands(Vec<(Tag, Command)>),
    /// The writer is free for what has been decided.
    WriterFree,
    /// Nothing more will come.
    Over,
}

pub(crate) struct Queue {
    inside: Mutex<Inside>,
    changed: Condvar,
    capacity: usize,
}

impl Queue {
    pub fn new(capacity: usize) -> Queue {
        Queue { inside: Mutex::new(Inside::default()), changed: Condvar::new(), capacity }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes commands in, all of them or none.
    pub fn submit(&self, commands: impl ExactSizeIterator<Item = (Tag, Command)>) -> Result<(), Refused> {
        let mut inside = self.lock();
        if let Some(reason) = &inside.stopped {
            return Err(Refused::Stopped(reason.clone()));
        }
        if inside.stopping {
            return Err(Refused::Stopped("the host is going down".to_owned()));
        }
        if inside.commands.len() + commands.len() > self.capacity {
            return Err(Refused::Busy);
        }
        let idle = inside.commands.is_empty();
        inside.commands.extend(commands);
        if idle {
            self.changed.notify_all();
        }
        Ok(())
    }

    /// What did not fit into the batch is decided next, before anything that came later.
    pub fn give_back(&self, mut commands: Vec<(Tag, Command)>) {
        let mut inside = self.lock();
        commands.append(&mut inside.commands);
        inside.commands = commands;
    }

    pub fn waiting(&self) -> usize {
        self.lock().commands.len()
    }

    /// The decider waits for commands, or, when it has decided something, for the writer.
    pub fn next(&self, decided: &mut Work, full: bool, spare: Vec<(Tag, Command)>) -> Next {
        let mut inside = self.lock();
        loop {
            if inside.stopped.is_some() {
                return Next::Over;
            }
            if !decided.is_empty() && inside.work.is_none() {
                inside.work = Some(std::mem::take(decided));
                self.changed.notify_all();
                return Next::WriterFree;
            }
            if !full && !inside.commands.is_empty() {
                return Next::Commands(std::mem::replace(&mut inside.commands, spare));
            }
            if inside.stopping && decided.is_empty() && inside.commands.is_empty() {
                inside.decided_all = true;
                self.changed.notify_all();
                return Next::Over;
            }
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The writer waits for work.
    pub fn work(&self) -> Option<Work> {
        let mut inside = self.lock();
        loop {
            if let Some(work) = inside.work.take() {
                self.changed.notify_all();
                return Some(work);
            }
            if inside.decided_all || inside.stopped.is_some() {
                return None;
            }
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No more commands; what is waiting is still decided.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    /// Play stops at once. Returns whoever still waits for an answer.
    pub fn fail(&self, reason: &str) -> Vec<Tag> {
        let mut inside = self.lock();
        inside.stopped.get_or_insert_with(|| reason.to_owned());
        let commands = std::mem::take(&mut inside.commands);
        let work = inside.work.take();
        self.changed.notify_all();
        let waiting = commands.into_iter().map(|(tag, _)| tag);
        waiting.chain(work.into_iter().flat_map(|work| work.replies).map(|(tag, _)| tag)).collect()
    }

    pub fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }
}
