//! What waits between the threads: commands to decide, the batch to write next, and what is durable.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use floor::Command;
use serde::{Deserialize, Serialize};

use crate::bell::Bell;
use crate::publish::Written;
use crate::work::Work;

/// A write that takes longer is worth another thread: a cluster's, or that of a disk which stalls.
const SLOW: Duration = Duration::from_millis(1);

/// By which whoever sent a command knows the answer.
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
    /// Nobody waits for anything but what was decided, and the writer is idle.
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
    /// Something has changed for the decider, or for whoever waits for its end.
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
}

impl Queue {
    pub fn new(capacity: usize) -> Queue {
        Queue {
            inside: Mutex::new(Inside::default()),
            decider: Bell::default(),
            writer: Bell::default(),
            capacity,
            idle: AtomicBool::new(false),
            durable: AtomicBool::new(false),
            slow: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever calls holds the lock.
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

    /// What did not fit into the batch is decided next, before anything that came later.
    pub fn give_back(&self, commands: impl ExactSizeIterator<Item = (Tag, Command)>) {
        if commands.len() > 0 {
            drop(self.lock().commands.splice(0..0, commands));
        }
    }

    /// Whether the writer waits, so that it is worth giving it what there is.
    pub fn writer_is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn waiting(&self) -> usize {
        self.lock().commands.len()
    }

    /// What the decider does next. What it has decided is written by itself where nobody waits for anything else and the
    /// disk is quick: to wake the writer would take longer than what could be decided meanwhile. Where much waits or the
    /// disk is slow, the writer gets it. While the writer is busy, what was laid ready for it is taken back and added to:
    /// the fewer and larger its batches, the less it waits for the disk.
    pub fn next(&self, decided: &mut Work, commands: &mut Vec<(Tag, Command)>) -> Next {
        let mut inside = self.lock();
        loop {
            if inside.stopped.is_some() {
                return Next::Over;
            }
            let idle = self.writer_is_idle();
            let may_decide = !inside.commands.is_empty() && !decided.is_full(self.capacity);
            if !decided.is_empty() && inside.work.is_none() && (!may_decide || idle && decided.is_worth_writing()) {
                let alone = inside.commands.is_empty() && inside.written.is_empty();
                if idle && alone && !self.slow.load(Ordering::Relaxed) {
                    return Next::Write;
                }
                inside.work = Some(decided.take());
                self.writer.ring();
                return Next::Handed;
            }
            if let Some(written) = self.take_written(&mut inside) {
                return Next::Written(written);
            }
            if may_decide {
                std::mem::swap(&mut inside.commands, commands);
                if decided.is_empty()
                    && !idle
                    && let Some(ready) = inside.work.take_if(|ready| !ready.is_full(self.capacity))
                {
                    *decided = ready;
                }
                return Next::Commands;
            }
            if inside.stopping && decided.is_empty() && inside.commands.is_empty() {
                return Next::Over;
            }
            inside = self.decider.wait(inside);
        }
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

    /// In the middle of its commands, the decider gives the writer what has been decided. While the writer cannot take it,
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

    /// The decider has ended. Whoever waits for an answer from it gets none.
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
            if inside.stopped.is_some() {
                return Task::Over;
            }
            let left = sign_at.saturating_duration_since(Instant::now());
            if left.is_zero() || std::mem::take(&mut inside.sign) {
                self.idle.store(false, Ordering::Relaxed);
                return Task::Sign;
            }
            if let Some(work) = inside.work.take() {
                self.idle.store(false, Ordering::Relaxed);
                self.decider.ring();
                return Task::Write(work);
            }
            self.idle.store(true, Ordering::Relaxed);
            if inside.decided_all {
                return Task::Over;
            }
            inside = self.writer.wait_for(inside, left);
        }
    }

    /// A checkpoint is to be signed without waiting for its time.
    pub fn sign(&self) {
        self.lock().sign = true;
        self.writer.ring();
    }

    /// A write took so long.
    pub fn took(&self, span: Duration) {
        self.slow.store(span > SLOW, Ordering::Relaxed);
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

    /// Play stops at once, for the first reason given. Those who wait get no other answer.
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

    /// After play has stopped: whoever still waits for an answer, once nobody can get another.
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
mod tests {
    use floor::{Body, Moment, Sender};
    use journal::Chain;

    use super::*;
    use crate::run::Reply;

    fn command(number: u64) -> (Tag, Command) {
        (number, Command { sender: Sender::System, number, at: Moment(0), body: Body::Elapse })
    }

    fn answered(tags: &[Tag]) -> Work {
        Work { replies: tags.iter().map(|tag| (*tag, Reply::Accepted(1))).collect(), ..Work::default() }
    }

    /// A queue whose writer is busy, with an answer laid ready for it and a command that has come since.
    fn busy() -> Queue {
        let queue = Queue::new(10);
        assert!(matches!(queue.next(&mut answered(&[1]), &mut Vec::new()), Next::Handed));
        queue.submit(std::iter::once(command(2))).unwrap();
        queue
    }

    /// What the writer is given, long before it is time to sign.
    fn work(queue: &Queue) -> Option<Work> {
        match queue.work(Instant::now() + Duration::from_secs(60)) {
            Task::Write(work) => Some(work),
            Task::Sign => panic!("nothing is to be signed"),
            Task::Over => None,
        }
    }

    fn written(tags: &[Tag]) -> Written {
        Written::Batch(answered(tags), Chain([0; 32]))
    }

    #[test]
    fn what_nobody_else_waits_for_is_written_by_who_decided_it() {
        let queue = Queue::new(10);
        queue.idle.store(true, Ordering::Relaxed);
        let mut decided = answered(&[1]);
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Write));
        assert_eq!(decided.into_tags().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_slow_disk_is_left_to_the_writer() {
        let queue = Queue::new(10);
        queue.idle.store(true, Ordering::Relaxed);
        queue.took(Duration::from_millis(2));
        assert!(matches!(queue.next(&mut answered(&[1]), &mut Vec::new()), Next::Handed));
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn what_is_durable_is_published_while_the_writer_goes_on() {
        let queue = Queue::new(10);
        queue.idle.store(true, Ordering::Relaxed);
        queue.wrote(written(&[1]));
        assert!(queue.is_durable());
        let mut decided = answered(&[2]);
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Handed));
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Written(_)));
        assert!(!queue.is_durable());
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_little_more_is_decided_before_it_is_written() {
        let (queue, mut decided, mut commands) = (Queue::new(10_000), answered(&[1]), Vec::new());
        queue.idle.store(true, Ordering::Relaxed);
        queue.submit(std::iter::once(command(2))).unwrap();
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
        assert_eq!((commands.len(), decided.replies.len()), (1, 1));
        // Not when there is much already.
        let mut decided = answered(&(0..2_048).collect::<Vec<_>>());
        queue.submit(std::iter::once(command(3))).unwrap();
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Handed));
    }

    #[test]
    fn what_becomes_durable_is_told_to_who_waits_for_the_writer() {
        let queue = busy();
        queue.wrote(written(&[0]));
        let mut decided = answered(&[2]);
        assert!(matches!(queue.hand_over(&mut decided), Ok(Some(_))));
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
        assert!(matches!(queue.hand_over(&mut decided), Ok(None)));
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_is_ready_is_added_to_while_the_writer_is_busy() {
        let (queue, mut decided, mut commands) = (busy(), Work::default(), Vec::new());
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
        assert_eq!((commands.len(), decided.replies.len()), (1, 1));
        assert!(queue.lock().work.is_none());
        // Nothing more to decide: it is laid ready again, as one.
        decided.replies.push((2, Reply::Accepted(2)));
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Handed));
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn what_the_writer_is_about_to_take_is_left_to_it() {
        let (queue, mut decided) = (busy(), Work::default());
        queue.idle.store(true, Ordering::Relaxed);
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Commands));
        assert!(decided.is_empty());
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn what_is_full_is_left_as_it_is() {
        let queue = Queue::new(2);
        assert!(matches!(queue.next(&mut answered(&[1, 2]), &mut Vec::new()), Next::Handed));
        queue.submit(std::iter::once(command(3))).unwrap();
        let mut decided = Work::default();
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Commands));
        assert!(decided.is_empty());
    }

    #[test]
    fn whoever_waits_is_told_when_play_stops() {
        let (queue, mut decided, mut commands) = (busy(), Work::default(), Vec::new());
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
        queue.submit(std::iter::once(command(3))).unwrap();
        queue.fail("the disk is gone", []);
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Over));
        assert!(work(&queue).is_none());
        let undecided = commands.iter().map(|(tag, _)| *tag);
        queue.decided_all(decided.into_tags().chain(undecided).collect());
        let mut waiting = queue.abandoned();
        waiting.sort_unstable();
        assert_eq!(waiting, [1, 2, 3]);
    }

    #[test]
    fn the_writer_signs_when_it_is_time_and_when_it_is_asked() {
        let queue = busy();
        assert!(matches!(queue.work(Instant::now()), Task::Sign), "also when there is something to write");
        queue.sign();
        assert!(matches!(queue.work(Instant::now() + Duration::from_secs(60)), Task::Sign));
        assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
        // Nothing comes: it waits no longer than it may.
        assert!(matches!(queue.work(Instant::now() + Duration::from_millis(20)), Task::Sign));
    }

    #[test]
    fn a_sleeper_is_woken() {
        let queue = Queue::new(10);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| work(&queue).map(|work| work.into_tags().collect::<Vec<_>>()));
            // Long enough for it to fall asleep.
            std::thread::sleep(Duration::from_millis(50));
            assert!(matches!(queue.hand_over(&mut answered(&[7])), Ok(None)));
            assert_eq!(writer.join().unwrap(), Some(vec![7]));
            let over = scope.spawn(|| matches!(queue.next(&mut Work::default(), &mut Vec::new()), Next::Over));
            std::thread::sleep(Duration::from_millis(50));
            queue.stop();
            assert!(over.join().unwrap());
        });
    }
}
