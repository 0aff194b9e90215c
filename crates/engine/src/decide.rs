//! The thread that decides: one command after the other, on the floor that runs ahead of the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};

use floor::{Code, Command, Decision, Floor, Record, Refusal};
use journal::{Batch, MAX_PAYLOAD, MAX_RECORD};

use crate::codec::encode;
use crate::queue::{Next, Queue, Tag, Work};
use crate::run::Reply;

pub(crate) struct Decider {
    floor: Floor,
    work: Work,
    /// Commands taken from the queue; those before `next` are decided.
    commands: Vec<(Tag, Command)>,
    next: usize,
    /// The records of one command as bytes, and where each of them ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Decider {
    pub fn new(floor: Floor) -> Decider {
        let work = Work { after: floor.sequence(), ..Work::default() };
        Decider { floor, work, commands: Vec::new(), next: 0, bytes: Vec::new(), ends: Vec::new() }
    }

    /// Decides until nothing more comes. However it ends, whoever still waits for an answer is handed over.
    pub fn run(mut self, queue: &Queue) {
        if catch_unwind(AssertUnwindSafe(|| self.decide_all(queue))).is_err() {
            queue.fail("deciding a command has failed badly", []);
        }
        let decided = self.work.replies.iter().map(|(tag, _)| *tag);
        let undecided = self.commands.iter().skip(self.next).map(|(tag, _)| *tag);
        let waiting: Vec<Tag> = decided.chain(undecided).collect();
        let hash = queue.stopped().is_none().then(|| self.floor.state_hash());
        queue.decided_all(waiting, hash);
    }

    fn decide_all(&mut self, queue: &Queue) {
        loop {
            let full = self.is_full(queue);
            match queue.next(&mut self.work, full, &mut self.commands) {
                Next::Over => return,
                Next::WriterFree => self.work.after = self.floor.sequence(),
                Next::Commands => {
                    if let Err(reason) = self.decide_commands(queue) {
                        return queue.fail(&reason, []);
                    }
                }
            }
        }
    }

    /// Whether no further command is decided before the writer takes what there is. Answers without records count too:
    /// nothing here grows without bound.
    fn is_full(&self, queue: &Queue) -> bool {
        self.work.batch.size() > MAX_PAYLOAD / 2 || self.work.replies.len() >= queue.capacity()
    }

    fn decide_commands(&mut self, queue: &Queue) -> Result<(), String> {
        self.next = 0;
        while let Some((tag, command)) = self.commands.get(self.next) {
            if self.is_full(queue) {
                break;
            }
            let tag = *tag;
            let reply = match self.floor.decide(command) {
                Err(refusal) => Reply::Refused(refusal),
                Ok(Decision::Earlier(sequence)) => Reply::Accepted(sequence),
                Ok(Decision::Events(records)) => self.accept(queue, records)?,
            };
            self.work.replies.push((tag, reply));
            self.next += 1;
        }
        queue.give_back(self.commands.drain(self.next..));
        self.commands.clear();
        Ok(())
    }

    /// Applies the records of a command and puts them into the batch. Parts that come before what takes effect may take
    /// several; what takes effect is in one batch, so that it is durable as a whole or not at all.
    fn accept(&mut self, queue: &Queue, records: Vec<Record>) -> Result<Reply, String> {
        self.bytes.clear();
        self.ends.clear();
        let mut start = 0;
        for record in &records {
            encode(record, &mut self.bytes);
            let end = self.bytes.len();
            if end - start > MAX_RECORD {
                return Ok(Reply::Refused(too_large(end - start)));
            }
            self.ends.push(end);
            start = end;
        }
        let parts = records.iter().take_while(|record| record.origin.is_none()).count();
        let early = parts.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
        let effective = Batch::room_for(records.len() - parts, self.bytes.len() - early);
        if effective > MAX_PAYLOAD {
            return Ok(Reply::Refused(too_large(effective)));
        }
        let mut answer = self.floor.sequence() + 1;
        start = 0;
        for (place, (record, end)) in records.into_iter().zip(&self.ends).enumerate() {
            let bytes = &self.bytes[start..*end];
            let together = if place == parts { effective } else { Batch::room_for(1, bytes.len()) };
            if self.work.batch.size() + together > MAX_PAYLOAD {
                queue.hand_over(&mut self.work)?;
                self.work.after = self.floor.sequence();
            }
            // A decision that does not fit its own state is a fault of ours: nothing may go on from here.
            self.floor.apply(&record).map_err(|misfit| format!("a decision does not fit the floor: {misfit}"))?;
            if record.origin.is_some() {
                answer = self.floor.sequence();
            }
            self.work.batch.push(record.at.0, bytes);
            self.work.records.push(record);
            start = *end;
        }
        Ok(Reply::Accepted(answer))
    }
}

fn too_large(bytes: usize) -> Refusal {
    let words = format!("an event of {bytes} bytes is more than the journal takes at once");
    Refusal { code: Code::TooMany, rule: "bounds".to_owned(), words }
}
