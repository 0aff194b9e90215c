//! What has been decided and is not yet durable: one batch to write, and the answers to send once it is durable.

use floor::Record;
use journal::{Batch, MAX_PAYLOAD};

use crate::queue::Tag;
use crate::run::Reply;

/// Answers that take about as long to decide as a disk takes to write a batch. With fewer waiting, deciding while
/// another thread writes would gain less than waking that thread costs, and it would make more and smaller batches.
const WORTH_WRITING: usize = 2_048;

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
    /// Empty work with as much room as this one needed, and records that begin it.
    pub fn next(&self, after: u64, mut records: Vec<Record>) -> Work {
        records.reserve(self.records.len());
        Work { after, batch: self.batch.next(), records, replies: Vec::with_capacity(self.replies.len()) }
    }

    /// Leaves empty work in its place.
    pub fn take(&mut self) -> Work {
        let next = self.next(self.after, Vec::new());
        std::mem::replace(self, next)
    }

    pub fn is_empty(&self) -> bool {
        self.replies.is_empty() && self.records.is_empty()
    }

    /// Whether the batch is full. Answers without records count too: nothing here grows without bound.
    pub fn is_full(&self, answers: usize) -> bool {
        self.batch.size() > MAX_PAYLOAD / 2 || self.replies.len() >= answers
    }

    /// Whether it is worth writing while more is being decided.
    pub fn is_worth_writing(&self) -> bool {
        self.replies.len() >= WORTH_WRITING
    }

    /// The client that waits for an answer.
    pub fn into_tags(self) -> impl Iterator<Item = Tag> {
        self.replies.into_iter().map(|(tag, _)| tag)
    }
}
