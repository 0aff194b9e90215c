//! The queues between the threads: commands to decide, the batch to write next, and what is durable.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use floor::Command;
use serde::{Deserialize, Serialize};

use crate::bell::Bell;
use crate::publish::Written;
use crate::work::Work;

/// A write that takes longer justifies another thread: on a cluster, or on a disk that stalls.
const SLOW: Duration = Duration::from_millis(1);

/// By which the sender of a command recognises the answer.
pub type Tag = u64;

/// Why a command was not even looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refused {
    /// Too much is waiting; try again.
    #[error("busy: too many commands are waiting")]
    Busy,
    /// Another host decides.
    #[error("another host leads this floor")]
    Follows,
    /// Play has stopped.
    #[error("play has stopped: {0}")]
    Stopped(String),
}

#[derive(Default)]
struct Inside {
    commands: Vec<(Tag, Command)>,
    /// A checkpoint is to be signed without waiting for its time.
    sign: bool,
    /// Laid ready for the writer.
    work: Option<Work>,
    /// Durable, and not yet published.
    written: VecDeque<Written>,
    stopping: bool,
    /// The decider has ended.
    decided_all: bool,
    /// The writer has ended.
    written_all: bool,
    stopped: Option<String>,
    /// Commands that will get no other answer than that play has stopped.
    abandoned: Vec<Tag>,
}

/// What the decider finds when it wakes.
pub(crate) enum Next {
    /// Commands.
    Commands,
    /// The writer has been given what was decided.
    Handed,
    /// No client waits for anything but what was decided, and the writer is idle.
    Write,
    /// Something is durable and can be published.
    Written(Written),
    /// Nothing more will come.
    Over,
}

/// What the writer does next.
pub(crate) enum Task {
    /// Writes what was decided.
    Write(Work),
    /// Signs what has been written: it is time, or it was asked for.
    Sign,
    /// Nothing more will come.
    Over,
}

pub(crate) struct Queue {
    inside: Mutex<Inside>,
    /// Something has changed for the decider, or for a thread that waits for its end.
    decider: Bell,
    /// Something has changed for the writer.
    writer: Bell,
    capacity: usize,
    /// The writer has nothing to write.
    idle: AtomicBool,
    /// Something is durable and not yet published.
    durable: AtomicBool,
    /// The last write took long.
    slow: AtomicBool,
    /// Whether what the disk takes is measured.
    timed: bool,
}

impl Queue {
    pub fn new(capacity: usize) -> Queue {
        Queue::of(capacity, true)
    }

    /// A queue whose threads are steps of its owner: no clock is read.
    pub fn untimed(capacity: usize) -> Queue {
        Queue::of(capacity, false)
    }

    fn of(capacity: usize, timed: bool) -> Queue {
        Queue {
            inside: Mutex::new(Inside::default()),
            decider: Bell::default(),
            writer: Bell::default(),
            capacity,
            idle: AtomicBool::new(false),
            durable: AtomicBool::new(false),
            slow: AtomicBool::new(false),
            timed,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The caller holds the lock.
    fn wake_all(&self) {
        self.decider.ring();
        self.writer.ring();
    }

    /// Takes commands in, all of them or none.
    pub fn submit(&self, commands: impl ExactSizeIterator<Item = (Tag, Command)>) -> Result<(), Refused> {
        self.take_in(commands.len(), |waiting| waiting.extend(commands))
    }

    /// The same with a list, which becomes the queue where nothing waits.
    pub fn submit_all(&self, mut commands: Vec<(Tag, Command)>) -> Result<(), Refused> {
        self.take_in(commands.len(), |waiting| {
            if waiting.is_empty() { *waiting = commands } else { waiting.append(&mut commands) }
        })
    }

    fn take_in(&self, count: usize, add: impl FnOnce(&mut Vec<(Tag, Command)>)) -> Result<(), Refused> {
        let mut inside = self.lock();
        if let Some(reason) = &inside.stopped {
            return Err(Refused::Stopped(reason.clone()));
        }
        if inside.stopping {
            return Err(Refused::Stopped("the host is going down".to_owned()));
        }
        if inside.commands.len() + count > self.capacity {
            return Err(Refused::Busy);
        }
        let idle = inside.commands.is_empty();
        add(&mut inside.commands);
        if idle {
            self.decider.ring();
        }
        Ok(())
    }

    /// What did not fit into the batch is decided next, before anything that arrived later.
    pub fn give_back(&self, commands: impl ExactSizeIterator<Item = (Tag, Command)>) {
        if commands.len() > 0 {
            drop(self.lock().commands.splice(0..0, commands));
        }
    }

    /// Whether the writer is idle, so that it is worth giving it what is ready.
    pub fn writer_is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn waiting(&self) -> usize {
        self.lock().commands.len()
    }

    /// What the decider does next. It writes a batch itself if no client waits for anything else and the disk is fast,
    /// because waking the writer would take longer than deciding the next commands. If much is waiting or the disk is
    /// slow, the writer gets the batch. While the writer is busy, a batch that is ready for it is taken back and
    /// extended: the fewer and larger its batches, the less it waits for the disk.
    pub fn next(&self, decided: &mut Work, commands: &mut Vec<(Tag, Command)>) -> Next {
        let mut inside = self.lock();
        loop {
            if let Some(next) = self.find_next(&mut inside, decided, commands) {
                return next;
            }
            inside = self.decider.wait(inside);
        }
    }

    /// The same without waiting; `None` if there is nothing to do yet.
    pub fn next_now(&self, decided: &mut Work, commands: &mut Vec<(Tag, Command)>) -> Option<Next> {
        self.find_next(&mut self.lock(), decided, commands)
    }

    #[inline]
    fn find_next(&self, inside: &mut Inside, decided: &mut Work, commands: &mut Vec<(Tag, Command)>) -> Option<Next> {
        if inside.stopped.is_some() {
            return Some(Next::Over);
        }
        let idle = self.writer_is_idle();
        let may_decide = !inside.commands.is_empty() && !decided.is_full(self.capacity);
        if !decided.is_empty() && inside.work.is_none() && (!may_decide || idle && decided.is_worth_writing()) {
            let alone = inside.commands.is_empty() && inside.written.is_empty();
            if idle && alone && !self.slow.load(Ordering::Relaxed) {
                return Some(Next::Write);
            }
            inside.work = Some(decided.take());
            self.writer.ring();
            return Some(Next::Handed);
        }
        if let Some(written) = self.take_written(inside) {
            return Some(Next::Written(written));
        }
        if may_decide {
            std::mem::swap(&mut inside.commands, commands);
            if decided.is_empty()
                && !idle
                && let Some(ready) = inside.work.take_if(|ready| !ready.is_full(self.capacity))
            {
                *decided = ready;
            }
            return Some(Next::Commands);
        }
        (inside.stopping && decided.is_empty() && inside.commands.is_empty()).then_some(Next::Over)
    }

    fn take_written(&self, inside: &mut Inside) -> Option<Written> {
        let written = inside.written.pop_front();
        self.durable.store(!inside.written.is_empty(), Ordering::Relaxed);
        written
    }

    /// Whether something is durable and not yet published.
    pub fn is_durable(&self) -> bool {
        self.durable.load(Ordering::Relaxed)
    }

    /// What is durable and not yet published.
    pub fn written(&self) -> Option<Written> {
        self.take_written(&mut self.lock())
    }

    /// The rest of what becomes durable, until the writer has ended.
    pub fn rest(&self) -> Option<Written> {
        let mut inside = self.lock();
        loop {
            if let Some(written) = self.take_written(&mut inside) {
                return Some(written);
            }
            if inside.written_all {
                return None;
            }
            inside = self.decider.wait(inside);
        }
    }

    /// In the middle of its commands, the decider gives the writer what has been decided. While the writer is busy,
    /// what becomes durable is returned instead.
    pub fn hand_over(&self, decided: &mut Work) -> Result<Option<Written>, String> {
        let mut inside = self.lock();
        loop {
            if let Some(reason) = &inside.stopped {
                return Err(reason.clone());
            }
            if inside.work.is_none() {
                inside.work = Some(std::mem::take(decided));
                self.writer.ring();
                return Ok(None);
            }
            if let Some(written) = self.take_written(&mut inside) {
                return Ok(Some(written));
            }
            inside = self.decider.wait(inside);
        }
    }

    /// The decider has ended. Clients that wait for an answer from it get none.
    pub fn decided_all(&self, waiting: Vec<Tag>) {
        let mut inside = self.lock();
        inside.decided_all = true;
        inside.abandoned.extend(waiting);
        self.wake_all();
    }

    /// The writer waits for work, until it is to sign what has been written.
    pub fn work(&self, sign_at: Instant) -> Task {
        let mut inside = self.lock();
        loop {
            let left = sign_at.saturating_duration_since(Instant::now());
            if let Some(task) = self.find_task(&mut inside, left.is_zero()) {
                return task;
            }
            inside = self.writer.wait_for(inside, left);
        }
    }

    /// The same without waiting; `None` if there is nothing to write.
    pub fn work_now(&self, sign: bool) -> Option<Task> {
        self.find_task(&mut self.lock(), sign)
    }

    fn find_task(&self, inside: &mut Inside, sign: bool) -> Option<Task> {
        if inside.stopped.is_some() {
            return Some(Task::Over);
        }
        if sign || std::mem::take(&mut inside.sign) {
            self.idle.store(false, Ordering::Relaxed);
            return Some(Task::Sign);
        }
        if let Some(work) = inside.work.take() {
            self.idle.store(false, Ordering::Relaxed);
            self.decider.ring();
            return Some(Task::Write(work));
        }
        self.idle.store(true, Ordering::Relaxed);
        inside.decided_all.then_some(Task::Over)
    }

    /// Whether something lies ready for the writer.
    pub fn has_work(&self) -> bool {
        self.lock().work.is_some()
    }

    /// A checkpoint is to be signed without waiting for its time.
    pub fn sign(&self) {
        self.lock().sign = true;
        self.writer.ring();
    }

    /// Notes the duration of a write. Without a clock, [`Queue::set_slow`] is used instead.
    pub fn took(&self, span: Duration) {
        if self.timed {
            self.set_slow(span > SLOW);
        }
    }

    /// Whether writes take long.
    pub fn set_slow(&self, slow: bool) {
        self.slow.store(slow, Ordering::Relaxed);
    }

    /// The writer tells what is durable.
    pub fn wrote(&self, written: Written) {
        let mut inside = self.lock();
        inside.written.push_back(written);
        self.durable.store(true, Ordering::Relaxed);
        self.decider.ring();
    }

    /// The writer has ended.
    pub fn written_all(&self) {
        self.lock().written_all = true;
        self.decider.ring();
    }

    /// No more commands; what is waiting is still decided.
    pub fn stop(&self) {
        let mut inside = self.lock();
        inside.stopping = true;
        self.wake_all();
    }

    /// Whether no more commands are taken.
    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Play stops at once, for the first reason given. Waiting clients get no other answer.
    pub fn fail(&self, reason: &str, waiting: impl IntoIterator<Item = Tag>) {
        let mut inside = self.lock();
        inside.stopped.get_or_insert_with(|| reason.to_owned());
        inside.abandoned.extend(waiting);
        self.wake_all();
    }

    /// These get no other answer than that play has stopped.
    pub fn abandon(&self, waiting: impl IntoIterator<Item = Tag>) {
        self.lock().abandoned.extend(waiting);
    }

    /// After play has stopped: the clients that still wait for an answer, once no further answer is possible.
    pub fn abandoned(&self) -> Vec<Tag> {
        let mut inside = self.lock();
        while !inside.decided_all {
            inside = self.decider.wait(inside);
        }
        let mut waiting = std::mem::take(&mut inside.abandoned);
        waiting.extend(inside.work.take().into_iter().flat_map(Work::into_tags));
        waiting.extend(inside.commands.drain(..).map(|(tag, _)| tag));
        waiting
    }

    pub fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }
}

#[cfg(test)]
mod tests;
