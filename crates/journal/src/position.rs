//! Where a reader or a writer stands, and what fits there.

use crate::batch::{self, Kind, Sealed};
use crate::checkpoint::Checkpoint;
use crate::scan::Read;
use crate::segment::Chain;

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

    /// The place after a batch or a checkpoint, by what its own header says; `None` if it has none.
    #[must_use]
    pub fn after(journal: [u8; 16], bytes: &[u8]) -> Option<Position> {
        let sealed = Sealed::decode(bytes)?;
        let sequence = sealed.first.checked_sub(1)?.checked_add(u64::from(sealed.count))?;
        Some(Position { journal, sequence, chain: sealed.chain, time: Some(sealed.time) })
    }

    /// Reads a batch or a checkpoint as it was written, proves that it continues this place, and goes on after it.
    ///
    /// # Errors
    /// What is wrong with it. The place stays.
    pub fn read<'a>(&mut self, bytes: &'a [u8]) -> Result<Read<'a>, String> {
        let whole = Sealed::decode(bytes).filter(|sealed| {
            sealed.is_whole(bytes) && bytes.len() == batch::HEADER + sealed.length
        });
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
                let entries = sealed.entries(payload).ok_or("the records cannot be told apart")?;
                self.sequence = self.sequence.saturating_add(u64::from(sealed.count));
                Ok(Read::Records { first, entries, chain: sealed.chain })
            }
        }
    }
}
