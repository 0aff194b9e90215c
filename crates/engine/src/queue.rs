//! What waits between the threads: commands to decide, and the batch to write next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use floor::Command;
use serde::{Deserialize, Serialize};

use crate::bell::Bell;
use crate::work::Work;

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
    work: Option<Work>,
    stopping: bool,
    /// The decider has ended; what its floor's hash was, if play had not stopped.
    decided_all: Option<Option<[u8; 32]>>,
    stopped: Option<String>,
    /// Commands that will get no other answer than that play has stopped.
    abandoned: Vec<Tag>,
}

/// What the decider finds when it wakes.
pub(crate) enum Next {
    /// Commands.
    Commands,
    /// The writer is free for what has been decided.
    WriterFree,
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
}

impl Queue {
    pub fn new(capacity: usize) -> Queue {
        Queue {
            inside: Mutex::new(Inside::default()),
            decider: Bell::default(),
            writer: Bell::default(),
            capacity,
            idle: AtomicBool::new(false),
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

    /// The decider waits for commands, or, when it has decided something, for the writer. While the writer is busy, what
    /// was laid ready for it is taken back and added to: the fewer and larger its batches, the less it waits for the disk.
    pub fn next(&self, decided: &mut Work, commands: &mut Vec<(Tag, Command)>) -> Next {
        let mut inside = self.lock();
        loop {
            if inside.stopped.is_some() {
                return Next::Over;
            }
            let may_decide = !inside.commands.is_empty() && !decided.is_full(self.capacity);
            if !decided.is_empty() && inside.work.is_none() && (self.writer_is_idle() || !may_decide) {
                inside.work = Some(decided.take());
                self.writer.ring();
                return Next::WriterFree;
            }
            if may_decide {
                std::mem::swap(&mut inside.commands, commands);
                if decided.is_empty()
                    && !self.writer_is_idle()
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

    /// In the middle of a command, the decider waits for the writer to take what has been decided.
    pub fn hand_over(&self, decided: &mut Work) -> Result<(), String> {
        let mut inside = self.lock();
        loop {
            if let Some(reason) = &inside.stopped {
                return Err(reason.clone());
            }
            if inside.work.is_none() {
                inside.work = Some(std::mem::take(decided));
                self.writer.ring();
                return Ok(());
            }
            inside = self.decider.wait(inside);
        }
    }

    /// The decider has ended. Whoever waits for an answer from it gets none.
    pub fn decided_all(&self, waiting: Vec<Tag>, hash: Option<[u8; 32]>) {
        let mut inside = self.lock();
        inside.decided_all = Some(hash);
        inside.abandoned.extend(waiting);
        self.wake_all();
    }

    /// The hash of the floor that decided, once it has decided everything.
    pub fn hash_ahead(&self) -> Option<[u8; 32]> {
        self.lock().decided_all.flatten()
    }

    /// The writer waits for work.
    pub fn work(&self) -> Option<Work> {
        let mut inside = self.lock();
        loop {
            if inside.stopped.is_some() {
                return None;
            }
            if let Some(work) = inside.work.take() {
                self.idle.store(false, Ordering::Relaxed);
                self.decider.ring();
                return Some(work);
            }
            self.idle.store(true, Ordering::Relaxed);
            if inside.decided_all.is_some() {
                return None;
            }
            inside = self.writer.wait(inside);
        }
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
        while inside.decided_all.is_none() {
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
        assert!(matches!(queue.next(&mut answered(&[1]), &mut Vec::new()), Next::WriterFree));
        queue.submit(std::iter::once(command(2))).unwrap();
        queue
    }

    #[test]
    fn what_is_ready_is_added_to_while_the_writer_is_busy() {
        let (queue, mut decided, mut commands) = (busy(), Work::default(), Vec::new());
        assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
        assert_eq!((commands.len(), decided.replies.len()), (1, 1));
        assert!(queue.lock().work.is_none());
        // Nothing more to decide: it is laid ready again, as one.
        decided.replies.push((2, Reply::Accepted(2)));
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::WriterFree));
        assert_eq!(queue.work().unwrap().into_tags().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn what_the_writer_is_about_to_take_is_left_to_it() {
        let (queue, mut decided) = (busy(), Work::default());
        queue.idle.store(true, Ordering::Relaxed);
        assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Commands));
        assert!(decided.is_empty());
        assert_eq!(queue.work().unwrap().into_tags().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn what_is_full_is_left_as_it_is() {
        let queue = Queue::new(2);
        assert!(matches!(queue.next(&mut answered(&[1, 2]), &mut Vec::new()), Next::WriterFree));
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
        assert!(queue.work().is_none());
        let undecided = commands.iter().map(|(tag, _)| *tag);
        queue.decided_all(decided.into_tags().chain(undecided).collect(), None);
        let mut waiting = queue.abandoned();
        waiting.sort_unstable();
        assert_eq!(waiting, [1, 2, 3]);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let queue = Queue::new(10);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| queue.work().map(|work| work.into_tags().collect::<Vec<_>>()));
            // Long enough for it to fall asleep.
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(matches!(queue.next(&mut answered(&[7]), &mut Vec::new()), Next::WriterFree));
            assert_eq!(writer.join().unwrap(), Some(vec![7]));
            let over = scope.spawn(|| matches!(queue.next(&mut Work::default(), &mut Vec::new()), Next::Over));
            std::thread::sleep(std::time::Duration::from_millis(50));
            queue.stop();
            assert!(over.join().unwrap());
        });
    }
}
