//! Where a reader or a writer stands, and what fits there.

use crate::batch::{self, Batch, Kind, Sealed};
use crate::checkpoint::{Checkpoint, Key};
use crate::scan::Read;
use crate::segment::{Chain, Header};

/// A place between two batches of a journal. What comes next must continue it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The journal's own id.
    pub journal: [u8; 16],
    /// The sequence of the last record before it.
    pub sequence: u64,
    /// The chain there.
    pub chain: Chain,
    /// The time of the last batch, if one was read.
    pub time: Option<i64>,
}

impl Position {
    /// The place before the first batch of a journal.
    #[must_use]
    pub fn begin(journal: [u8; 16]) -> Position {
        Position { journal, sequence: 0, chain: Chain::genesis(journal), time: None }
    }

    /// The message before the first batch, where a journal is kept as messages: it names the journal.
    #[must_use]
    pub fn opening(journal: [u8; 16]) -> Vec<u8> {
        Header { journal, number: 1, first: 1, chain: Chain::genesis(journal) }.encode()
    }

    /// The place after such an opening; `None` if it is none.
    #[must_use]
    pub fn opened(bytes: &[u8]) -> Option<Position> {
        let header = Header::decode(bytes).ok()?;
        let begin = Position::begin(header.journal);
        (header.number == 1 && header.first == 1 && header.chain == begin.chain).then_some(begin)
    }

    /// A batch as it is written here, and the place after it.
    #[must_use]
    pub fn seal<'a>(&self, batch: &'a mut Batch) -> (&'a [u8], Position) {
        let (count, time) = (u64::from(batch.count()), batch.time());
        let (bytes, chain) = batch.seal(Kind::Records, self.sequence + 1, self.chain);
        (bytes, Position { sequence: self.sequence + count, chain, time: Some(time), ..*self })
    }

    /// This place signed, as it is written here.
    #[must_use]
    pub fn sign(&self, key: &Key, time: i64) -> (Vec<u8>, Checkpoint) {
        let checkpoint = key.sign(self.journal, self.sequence, self.chain);
        let mut batch = Batch::checkpoint(time, &checkpoint.encode());
        let (bytes, _) = batch.seal(Kind::Checkpoint, self.sequence + 1, self.chain);
        (bytes.to_vec(), checkpoint)
    }

    /// The position after a batch or a checkpoint, by its own header; `None` if it has none.
    #[must_use]
    pub fn after(journal: [u8; 16], bytes: &[u8]) -> Option<Position> {
        let sealed = Sealed::decode(bytes)?;
        let sequence = sealed.first.checked_sub(1)?.checked_add(u64::from(sealed.count))?;
        Some(Position { journal, sequence, chain: sealed.chain, time: Some(sealed.time) })
    }

    /// Reads a batch or a checkpoint as it was written, verifies that it continues this position, and advances.
    ///
    /// # Errors
    /// What is wrong with it. The place stays.
    pub fn read<'a>(&mut self, bytes: &'a [u8]) -> Result<Read<'a>, String> {
        let whole = Sealed::decode(bytes)
            .filter(|sealed| sealed.is_whole(bytes) && bytes.len() == batch::HEADER + sealed.length);
        let sealed = whole.ok_or("it is no whole batch")?;
        self.fits(&sealed, bytes)?;
        let mut after = *self;
        let read = after.take(&sealed, bytes).map_err(str::to_owned)?;
        *self = after;
        Ok(read)
    }

    /// Whether a batch continues this place.
    pub(crate) fn fits(&self, sealed: &Sealed, bytes: &[u8]) -> Result<(), String> {
        if self.sequence.checked_add(1) != Some(sealed.first) {
            return Err(format!("record {} follows record {}", sealed.first, self.sequence));
        }
        if sealed.chain_after(bytes, self.chain) != sealed.chain {
            return Err("the chain is broken".to_owned());
        }
        Ok(())
    }

    /// Goes on after a batch that fits.
    pub(crate) fn take<'a>(&mut self, sealed: &Sealed, bytes: &'a [u8]) -> Result<Read<'a>, &'static str> {
        let (first, before) = (sealed.first, self.chain);
        self.chain = sealed.chain;
        self.time = Some(sealed.time);
        let payload = &bytes[batch::HEADER..batch::HEADER + sealed.length];
        match sealed.kind {
            Kind::Checkpoint => Checkpoint::decode(payload)
                .filter(|checkpoint| checkpoint.sequence == self.sequence && checkpoint.chain == before)
                .filter(|checkpoint| checkpoint.is_genuine(self.journal))
                .map(Read::Checkpoint)
                .ok_or("the checkpoint is not genuine"),
            Kind::Records => {
                let entries = sealed.entries(payload).ok_or("the records cannot be separated")?;
                self.sequence = self.sequence.saturating_add(u64::from(sealed.count));
                Ok(Read::Records { first, entries, chain: sealed.chain })
            }
        }
    }
}
