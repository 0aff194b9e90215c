//! What has been decided and is not yet durable: one batch to write, and what is told once it is.

use floor::Record;
use journal::{Batch, MAX_PAYLOAD};

use crate::queue::Tag;
use crate::run::Reply;

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

    /// Whether nothing more is put into it. Answers without records count too: nothing here grows without bound.
    pub fn is_full(&self, answers: usize) -> bool {
        self.batch.size() > MAX_PAYLOAD / 2 || self.replies.len() >= answers
    }

    /// Whoever waits for an answer.
    pub fn into_tags(self) -> impl Iterator<Item = Tag> {
        self.replies.into_iter().map(|(tag, _)| tag)
    }
}
