//! The thread that owns the floor: it decides one command after the other, on the floor that runs ahead of the disk, and
//! publishes what is durable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use floor::{Body, Code, Command, Floor, Misfit, Refusal};
use journal::{Batch, Log, MAX_PAYLOAD, MAX_RECORD};

use crate::codec::encode_at;
use crate::publish::{Publish, Written};
use crate::queue::{Next, Queue, Tag};
use crate::run::{Reply, write, write_task};
use crate::work::Work;

/// The writer of what is handed over.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Writes {
    /// A thread beside this one.
    Beside,
    /// The caller that drives the engine, and the decider itself where it would have to wait.
    InSteps,
}

pub(crate) struct Decider<L: Log> {
    floor: Floor,
    /// Where what is decided is written, by this thread or by the writer's.
    log: Arc<Mutex<L>>,
    publisher: Box<dyn Publish>,
    writes: Writes,
    work: Work,
    /// Commands taken from the queue; those before `next` are decided.
    commands: Vec<(Tag, Command)>,
    next: usize,
    /// The records of one command as bytes, and where each of them ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl<L: Log> Decider<L> {
    pub fn new(floor: Floor, log: Arc<Mutex<L>>, publisher: Box<dyn Publish>, writes: Writes) -> Decider<L> {
        let work = Work { after: floor.sequence(), ..Work::default() };
        let (commands, bytes, ends) = (Vec::new(), Vec::new(), Vec::new());
        Decider { floor, log, publisher, writes, work, commands, next: 0, bytes, ends }
    }

    /// Decides until nothing more comes. However it ends, clients that still wait for an answer are handed over.
    pub fn run(mut self, queue: &Queue) {
        match catch_unwind(AssertUnwindSafe(|| self.decide_all(queue))) {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => queue.fail(&reason, []),
            Err(_) => queue.fail("panicked while deciding a command", []),
        }
        self.decided_all(queue);
        // What is being written is still told.
        while let Some(written) = queue.rest() {
            self.publish_rest(queue, written);
        }
        self.compare(queue);
    }

    /// Nothing more is decided: the waiting clients are handed over.
    pub fn decided_all(&mut self, queue: &Queue) {
        let undecided = self.commands.iter().skip(self.next).map(|(tag, _)| *tag);
        queue.decided_all(self.work.take().into_tags().chain(undecided).collect());
    }

    /// After the last decision: what has become durable since.
    pub fn publish_rest(&mut self, queue: &Queue, written: Written) {
        if let Err(reason) = self.publisher.publish(written) {
            queue.fail(&reason, []);
        }
    }

    /// At the end, both floors are the same.
    pub fn compare(&mut self, queue: &Queue) {
        if queue.stopped().is_none() {
            self.publisher.compare(self.floor.state_hash());
        }
    }

    /// The process ends here: no answers, and no orderly end.
    pub fn vanish(&mut self) {
        self.publisher.vanish();
    }

    fn decide_all(&mut self, queue: &Queue) -> Result<(), String> {
        loop {
            let next = queue.next(&mut self.work, &mut self.commands);
            if !self.turn(queue, next)? {
                return Ok(());
            }
        }
    }

    /// Does the work that is ready without waiting: `None` if there is nothing yet, false if nothing more will come.
    pub fn step(&mut self, queue: &Queue) -> Option<Result<bool, String>> {
        let next = queue.next_now(&mut self.work, &mut self.commands)?;
        Some(self.turn(queue, next))
    }

    /// One turn of the loop; false if nothing more will come.
    #[inline]
    fn turn(&mut self, queue: &Queue, next: Next) -> Result<bool, String> {
        match next {
            Next::Over => return Ok(false),
            Next::Handed => self.work.after = self.floor.sequence(),
            Next::Written(written) => self.publisher.publish(written)?,
            Next::Commands => self.decide_commands(queue)?,
            Next::Write => {
                let work = self.work.take();
                self.work.after = self.floor.sequence();
                write(queue, &self.log, work, |written| self.publisher.publish(written))?;
            }
        }
        Ok(true)
    }

    fn decide_commands(&mut self, queue: &Queue) -> Result<(), String> {
        self.next = 0;
        while let Some((tag, command)) = self.commands.get(self.next) {
            if self.work.is_full(queue.capacity()) {
                break;
            }
            // A long decision, such as a settlement, does not delay what is decided already.
            let quick = matches!(command.body, Body::Bet { .. });
            if !quick && !self.work.is_empty() && queue.writer_is_idle() {
                self.hand_over(queue, self.work.records.len())?;
                continue;
            }
            let (tag, before) = (*tag, self.work.records.len());
            let decided = self.floor.decide_into(command, &mut self.work.records);
            match decided {
                Ok(None) if self.accept_one(before)? => self.accepted(tag, self.floor.sequence()),
                Ok(None) => {
                    let reply = self.accept(queue, before)?;
                    self.work.replies.push((tag, reply));
                }
                Ok(Some(sequence)) => self.accepted(tag, sequence),
                Err(refusal) => self.work.replies.push((tag, Reply::Refused(refusal))),
            }
            self.next += 1;
            // The disk need not wait for all of them: decided commands are written while the rest is being decided.
            let durable = queue.is_durable();
            if (durable || self.work.is_worth_writing()) && !self.work.is_empty() && queue.writer_is_idle() {
                self.hand_over(queue, self.work.records.len())?;
            }
            if durable && let Some(written) = queue.written() {
                self.publisher.publish(written)?;
            }
        }
        queue.give_back(self.commands.drain(self.next..));
        self.commands.clear();
        Ok(())
    }

    /// Applies the records of a command, which are the last of the work from a place on, and puts them into the batch.
    /// Parts that come before the effect may take several batches. The effect is in one batch, so that it is durable as
    /// a whole or not at all.
    fn accept(&mut self, queue: &Queue, mut place: usize) -> Result<Reply, String> {
        self.bytes.clear();
        self.ends.clear();
        let (mut start, mut parts, mut early) = (0, 0, 0);
        let mut level = self.floor.level();
        for record in &self.work.records[place..] {
            encode_at(level, record, &mut self.bytes);
            level = record.event.raises_level().unwrap_or(level);
            let end = self.bytes.len();
            if end - start > MAX_RECORD {
                self.work.records.truncate(place);
                return Ok(Reply::Refused(too_large(end - start)));
            }
            if record.origin.is_none() && parts == self.ends.len() {
                (parts, early) = (parts + 1, end);
            }
            self.ends.push(end);
            start = end;
        }
        let effective = Batch::room_for(self.ends.len() - parts, self.bytes.len() - early);
        if effective > MAX_PAYLOAD {
            self.work.records.truncate(place);
            return Ok(Reply::Refused(too_large(effective)));
        }
        let mut answer = self.floor.sequence() + 1;
        start = 0;
        for number in 0..self.ends.len() {
            let end = self.ends[number];
            let together = if number == parts { effective } else { Batch::room_for(1, end - start) };
            if self.work.batch.size() + together > MAX_PAYLOAD {
                self.hand_over(queue, place)?;
                place = 0;
            }
            let record = &self.work.records[place];
            self.floor.apply(record).map_err(misfits)?;
            if record.origin.is_some() {
                answer = self.floor.sequence();
            }
            self.work.batch.push(record.at.0, &self.bytes[start..end]);
            start = end;
            place += 1;
        }
        Ok(Reply::Accepted(answer))
    }

    /// Accepts a command with one record for which there is room, as nearly all are; returns false, with nothing done,
    /// for any other.
    #[inline]
    fn accept_one(&mut self, place: usize) -> Result<bool, String> {
        let [record] = &self.work.records[place..] else { return Ok(false) };
        if !self.work.batch.push_if_fits(record.at.0, |bytes| encode_at(self.floor.level(), record, bytes)) {
            return Ok(false);
        }
        self.floor.apply(record).map_err(misfits)?;
        Ok(true)
    }

    /// The answer is built in place: moving what has just been written stalls the processor.
    #[inline]
    fn accepted(&mut self, tag: Tag, sequence: u64) {
        self.work.replies.extend(std::iter::once_with(|| (tag, Reply::Accepted(sequence))));
    }

    /// Gives the writer everything up to a record; those after it begin the next batch.
    fn hand_over(&mut self, queue: &Queue, place: usize) -> Result<(), String> {
        let rest = self.work.records.split_off(place);
        let next = self.work.next(self.floor.sequence(), rest);
        // Without a thread that would take it, what lies ready is written here.
        while self.writes == Writes::InSteps && queue.has_work() {
            let Some(task) = queue.work_now(false) else { break };
            if !write_task(queue, &self.log, task)? {
                break;
            }
        }
        while let Some(written) = queue.hand_over(&mut self.work)? {
            self.publisher.publish(written)?;
        }
        self.work = next;
        Ok(())
    }
}

/// A decision that does not fit its own state is a bug: nothing may continue from here.
fn misfits(misfit: Misfit) -> String {
    format!("a decision does not fit the floor: {misfit}")
}

fn too_large(bytes: usize) -> Refusal {
    let words = format!("an event of {bytes} bytes is more than the journal takes at once");
    Refusal::new(Code::TooMany, "bounds", words)
}
