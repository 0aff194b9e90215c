//! Where answers go: lines of JSON, flushed with every durable batch.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Durable, Outlet, Recovery, Reply, Tag};
use journal::Checkpoint;
use records::Follower;
use serde::Serialize;
use serde_json::{Value, json};

use super::End;
use super::line::Answered;

/// The tag of commands that the host sends on its own account.
pub const OWN: Tag = Tag::MAX;

/// Standard output, shared by the reader and the answering threads.
pub struct Output {
    inside: Mutex<Inside>,
}

struct Inside {
    writer: BufWriter<Stdout>,
    failed: Option<ErrorKind>,
    /// What was reported before the first line could be written.
    held_back: Option<Vec<Value>>,
}

impl Output {
    pub fn new() -> Output {
        let writer = BufWriter::new(io::stdout());
        Output { inside: Mutex::new(Inside { writer, failed: None, held_back: Some(Vec::new()) }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the first lines, and then whatever was signed meanwhile.
    pub fn begin(&self, lines: &[Value]) {
        let mut inside = self.lock();
        let held_back = inside.held_back.take().unwrap_or_default();
        for line in lines.iter().chain(&held_back) {
            inside.add(line);
        }
        inside.flush();
    }

    /// Writes a line that is not an answer, after the first ones.
    pub fn tell(&self, line: Value) {
        let mut inside = self.lock();
        match &mut inside.held_back {
            Some(held_back) => held_back.push(line),
            None => {
                inside.add(&line);
                inside.flush();
            }
        }
    }

    /// Writes one line at once.
    pub fn put(&self, line: &impl Serialize) {
        let mut inside = self.lock();
        inside.add(line);
        inside.flush();
    }

    /// Writes many lines and then sends them off.
    pub fn put_all<L: Serialize>(&self, lines: impl IntoIterator<Item = L>) {
        let mut inside = self.lock();
        let mut any = false;
        for line in lines {
            inside.add(&line);
            any = true;
        }
        if any {
            inside.flush();
        }
    }

    /// Why nothing more can be written, if so.
    pub fn failure(&self) -> Option<io::Error> {
        self.lock().failed.map(io::Error::from)
    }
}

impl Inside {
    fn add(&mut self, line: &impl Serialize) {
        if self.failed.is_some() {
            return;
        }
        let written = serde_json::to_writer(&mut self.writer, line).map_err(io::Error::from);
        let written = written.and_then(|()| self.writer.write_all(b"\n"));
        self.note(written);
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            let flushed = self.writer.flush();
            self.note(flushed);
        }
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = Some(error.kind());
        }
    }
}

/// Brings answers from the engine to the output.
pub struct ToOutput {
    pub output: Arc<Output>,
    /// Keeps the records.
    pub follower: Arc<Follower>,
    pub log: Arc<receipts::Follower>,
    /// Answers to the host's own commands.
    pub own: Sender<Reply>,
    pub end: Sender<End>,
}

impl Outlet for ToOutput {
    fn recovered(&mut self, recovery: &Recovery) {
        self.follower.recovered(recovery.sequence);
        self.log.recovered(recovery.sequence);
    }

    fn durable(&mut self, durable: Durable<'_>) {
        self.follower.feed(&durable);
        self.log.feed(&durable);
        let own = &self.own;
        let others = durable.replies.into_iter().filter_map(|(tag, reply)| {
            if tag == OWN {
                // The later ones are not awaited.
                let _ = own.send(reply);
                return None;
            }
            Some(Answered::new(tag, reply))
        });
        self.output.put_all(others);
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.output.tell(json!({ "checkpoint": checkpoint.to_line() }));
    }

    fn snapshot_failed(&mut self, reason: &str) {
        self.output.put(&json!({ "snapshot_failed": reason }));
    }

    fn stopped(&mut self, reason: &str, _waiting: Vec<Tag>) {
        self.output.put(&json!({ "stopped": reason }));
        let _ = self.own.send(Reply::Stopped(reason.to_owned()));
        let _ = self.end.send(End::Stopped(reason.to_owned()));
    }
}
