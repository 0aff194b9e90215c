//! The embedded journal: one writer, one batch at a time, synced before it is acknowledged.

use std::io;

use crate::batch::{Batch, Entry, Kind, MAX_PAYLOAD};
use crate::checkpoint::{self, Checkpoint, Key, PublicKey};
use crate::disk::{AlignedBuffer, BLOCK, Disk, DiskFile};
use crate::position::Position;
use crate::prepare::{PREPARED, Preparing, prepare};
use crate::scan::{Damage, Ending, Read, Scan, Tail};
use crate::segment::{Chain, Header, SegmentName};
use crate::snapshot::Snapshot;

/// How a journal is kept.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// Bytes of a segment.
    pub segment: u64,
    /// A checkpoint is signed after so many records.
    pub checkpoint_every: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { segment: 64 << 20, checkpoint_every: 100_000 }
    }
}

/// Why a batch was not appended. Unless the journal has stopped, nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Another writer has appended meanwhile.
    #[error("the journal is at record {actual}, not at {expected}")]
    Expected {
        /// Where the writer thought it was.
        expected: u64,
        /// Where it is.
        actual: u64,
    },
    /// The batch is larger than a batch may be.
    #[error("a batch of {0} bytes is too large")]
    TooLarge(usize),
    /// It does not continue this journal.
    #[error("it does not continue the journal: {0}")]
    Foreign(String),
    /// A write or a sync failed. What was not acknowledged may or may not be there; nothing more is written.
    #[error("the journal has stopped: {0}")]
    Stopped(String),
}

/// Why a journal cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The disk failed.
    #[error("{0}")]
    Disk(#[from] io::Error),
    /// Something in the middle is not as it was written.
    #[error("{0}")]
    Damage(#[from] Damage),
    /// The snapshot is not of this journal, or of a part that is no longer there.
    #[error("the snapshot of record {0} does not belong to this journal")]
    Snapshot(u64),
}

/// What opening found.
#[derive(Debug)]
pub struct Opened {
    /// Records that came after the snapshot.
    pub replayed: u64,
    /// Bytes of a torn tail that were cut off.
    pub cut: u64,
    /// The time of the last record, if there is one.
    pub last_time: Option<i64>,
}

/// A log as its writer needs it: the embedded journal, or one that several machines keep together.
pub trait Log: Send + 'static {
    /// The sequence of the last record.
    fn sequence(&self) -> u64;
    /// The chain at the end.
    fn chain(&self) -> Chain;
    /// The journal's own id.
    fn id(&self) -> [u8; 16];
    /// Appends a batch after the record of that sequence. When this returns, the batch is durable.
    ///
    /// # Errors
    /// When the log is elsewhere, the batch is too large, or it could not be made durable.
    fn append(&mut self, expected: u64, batch: &mut Batch) -> Result<u64, AppendError>;
    /// Signs a checkpoint if enough records have come since the last.
    ///
    /// # Errors
    /// When it could not be made durable.
    fn checkpoint_if_due(&mut self, time: i64) -> Result<Option<Checkpoint>, AppendError>;
    /// Whether records have come since the last checkpoint that was signed.
    fn has_unsigned(&self) -> bool;
    /// Signs the chain as it is now.
    ///
    /// # Errors
    /// When it could not be made durable.
    fn checkpoint_now(&mut self) -> Result<Checkpoint, AppendError>;
}

/// A journal that can be appended to.
#[derive(Debug)]
pub struct Journal<D: Disk> {
    disk: D,
    options: Options,
    key: Key,
    id: [u8; 16],
    file: D::File,
    segment: SegmentName,
    size: u64,
    offset: u64,
    sequence: u64,
    chain: Chain,
    checkpointed: u64,
    buffer: AlignedBuffer,
    preparing: Option<Preparing>,
    stopped: Option<String>,
    last_time: i64,
}

impl<D: Disk> Journal<D> {
    /// Opens the journal of a folder, or creates one. Every record after the snapshot is handed over in order; a torn
    /// tail is cut off.
    ///
    /// # Errors
    /// When the disk fails, something in the middle is damaged, or the snapshot does not belong here.
    pub fn open(
        disk: D,
        options: Options,
        snapshot: Option<&Snapshot>,
        mut each: impl FnMut(u64, &[Entry<'_>]) -> Result<(), Damage>,
    ) -> Result<(Journal<D>, Opened), OpenError> {
        let mut scan = Scan::new(vec![disk.another()])?.alone();
        let key = match Key::of(&disk)? {
            Some(key) => key,
            None if scan.is_empty() => Key::make(&disk)?,
            None => {
                let words = format!("{} is missing: without it nothing more can be signed", checkpoint::SECRET);
                return Err(io::Error::new(io::ErrorKind::NotFound, words).into());
            }
        };
        key.export(&disk)?;
        if let Some(last) = scan.last() {
            // What an earlier process wrote and did not sync is made durable before it becomes visible.
            disk.open(&last.to_string())?.settle()?;
        }
        if scan.is_empty() {
            if let Some(snapshot) = snapshot {
                let what = format!("there is a snapshot of record {}, and the journal is gone", snapshot.sequence);
                return Err(Damage { segment: SegmentName(1).to_string(), offset: 0, until: None, what }.into());
            }
            let opened = Opened { replayed: 0, cut: 0, last_time: None };
            return Ok((Journal::create(disk, options, key)?, opened));
        }
        let from = snapshot.map_or(0, |snapshot| snapshot.sequence);
        let mut found = snapshot.is_none();
        if snapshot.is_some() {
            scan.start_at(from.max(1))?;
        }
        if scan.begins()? > from + 1 || snapshot.is_some_and(|snapshot| scan.journal() != Some(snapshot.journal)) {
            return Err(OpenError::Snapshot(from));
        }
        if let Some(snapshot) = snapshot.filter(|_| from == 0) {
            found = scan.journal().map(Chain::genesis) == Some(snapshot.chain);
        }
        let mut replayed = 0;
        let mut last_time = None;
        let mut checkpointed = 0;
        while let Some(read) = scan.read()? {
            match read {
                Read::Checkpoint(checkpoint) => checkpointed = checkpoint.sequence,
                Read::Records { first, entries, chain } => {
                    last_time = entries.last().map(|entry| entry.time);
                    let last = first + entries.len() as u64 - 1;
                    if last <= from {
                        found |= last == from && snapshot.is_some_and(|snapshot| snapshot.chain == chain);
                    } else if first <= from || !found {
                        return Err(OpenError::Snapshot(from));
                    } else {
                        replayed += entries.len() as u64;
                        each(first, &entries)?;
                    }
                }
            }
        }
        let ending = scan.ending().ok_or_else(|| io::Error::other("the journal has no end"))?;
        if !found && from > ending.sequence {
            // Snapshots contain only durable state: the records that this one covers were acknowledged, and are lost.
            let what =
                format!("the journal ends at record {}, but had record {from}: its end is lost", ending.sequence);
            let (segment, offset) = (ending.segment.to_string(), ending.offset);
            return Err(OpenError::Damage(Damage { segment, offset, until: None, what }));
        }
        if !found {
            return Err(OpenError::Snapshot(from));
        }
        let id = scan.journal().unwrap_or_default();
        let journal = Journal::at(disk, options, key, id, ending, checkpointed)?;
        let cut = match ending.tail {
            Tail::Clean => 0,
            Tail::Torn { bytes } => bytes,
        };
        Ok((journal, Opened { replayed, cut, last_time }))
    }

    fn create(disk: D, options: Options, key: Key) -> io::Result<Journal<D>> {
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(io::Error::other)?;
        Journal::begin(disk, options, key, id)
    }

    /// Creates an empty journal that will be a copy of another: with the same id, signed by the same key.
    ///
    /// # Errors
    /// When there is a journal already, or the disk fails.
    pub fn copy_of(disk: D, options: Options, id: [u8; 16], key: Key) -> io::Result<Journal<D>> {
        if !Scan::new(vec![disk.another()])?.is_empty() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a journal already"));
        }
        key.keep(&disk)?;
        key.export(&disk)?;
        Journal::begin(disk, options, key, id)
    }

    fn begin(disk: D, options: Options, key: Key, id: [u8; 16]) -> io::Result<Journal<D>> {
        let segment = SegmentName(1);
        let header = Header { journal: id, number: 1, first: 1, chain: Chain::genesis(id) };
        prepare(&disk, options.segment)?;
        let file = begin_segment(&disk, segment, &header)?;
        let size = file.size()?;
        Ok(Journal {
            disk,
            options,
            key,
            id,
            file,
            segment,
            size,
            offset: BLOCK as u64,
            sequence: 0,
            chain: header.chain,
            checkpointed: 0,
            buffer: AlignedBuffer::new(),
            preparing: None,
            stopped: None,
            last_time: 0,
        })
    }

    fn at(
        disk: D,
        options: Options,
        key: Key,
        id: [u8; 16],
        ending: Ending,
        checkpointed: u64,
    ) -> io::Result<Journal<D>> {
        let file = disk.open(&ending.segment.to_string())?;
        if let Tail::Torn { bytes } = ending.tail {
            // It was never acknowledged; zeros take its place, so that the next reader finds a clean end.
            let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
            file.write_at(ending.offset, &AlignedBuffer::zeros(bytes.next_multiple_of(BLOCK)))?;
            file.sync()?;
        }
        let size = file.size()?;
        Ok(Journal {
            disk,
            options,
            key,
            id,
            file,
            segment: ending.segment,
            size,
            offset: ending.offset,
            sequence: ending.sequence,
            chain: ending.chain,
            checkpointed,
            buffer: AlignedBuffer::new(),
            preparing: None,
            stopped: None,
            last_time: ending.time.unwrap_or(0),
        })
    }

    /// The sequence of the last record.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The chain at the end.
    #[must_use]
    pub fn chain(&self) -> Chain {
        self.chain
    }

    /// The place after its last batch.
    #[must_use]
    pub fn position(&self) -> Position {
        let time = (self.sequence > 0).then_some(self.last_time);
        Position { journal: self.id, sequence: self.sequence, chain: self.chain, time }
    }

    /// The key that signs its checkpoints.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// How it is kept.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The sequence of the last checkpoint that was signed.
    #[must_use]
    pub fn checkpointed(&self) -> u64 {
        self.checkpointed
    }

    /// The key by which its checkpoints are verified.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.key.public()
    }

    /// The journal's own id.
    #[must_use]
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Appends a batch after the record of that sequence. When this returns, the batch is durable.
    ///
    /// # Errors
    /// When the journal is elsewhere, the batch is too large, or the disk fails. After a failure of the disk nothing
    /// is written any more.
    pub fn append(&mut self, expected: u64, batch: &mut Batch) -> Result<u64, AppendError> {
        if expected != self.sequence {
            return Err(AppendError::Expected { expected, actual: self.sequence });
        }
        if batch.size() > MAX_PAYLOAD {
            return Err(AppendError::TooLarge(batch.size()));
        }
        if batch.count() == 0 {
            return Ok(self.sequence);
        }
        self.write(batch, Kind::Records)?;
        self.sequence += u64::from(batch.count());
        self.last_time = batch.time();
        Ok(self.sequence)
    }

    /// Signs a checkpoint if enough records have come since the last.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn checkpoint_if_due(&mut self, time: i64) -> Result<Option<Checkpoint>, AppendError> {
        let due = self.sequence - self.checkpointed >= self.options.checkpoint_every;
        if due { self.checkpoint(time).map(Some) } else { Ok(None) }
    }

    /// Signs the chain as it is now, at the time of the last batch.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn checkpoint_now(&mut self) -> Result<Checkpoint, AppendError> {
        let time = self.last_time;
        self.checkpoint(time)
    }

    /// Signs the chain as it is now and appends that.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn checkpoint(&mut self, time: i64) -> Result<Checkpoint, AppendError> {
        let checkpoint = self.key.sign(self.id, self.sequence, self.chain);
        self.write(&mut Batch::checkpoint(time, &checkpoint.encode()), Kind::Checkpoint)?;
        self.checkpointed = self.sequence;
        Ok(checkpoint)
    }

    /// Appends a batch or a checkpoint of another copy of this journal, byte for byte. When this returns, it is
    /// durable.
    ///
    /// # Errors
    /// When it does not continue this journal, or the disk fails.
    pub fn append_sealed(&mut self, bytes: &[u8]) -> Result<(), AppendError> {
        let mut after = self.position();
        let read = after.read(bytes).map_err(AppendError::Foreign)?;
        let checkpointed = matches!(read, Read::Checkpoint(_));
        self.guarded(|journal| journal.write_sealed(bytes, after.chain))?;
        self.sequence = after.sequence;
        self.last_time = after.time.unwrap_or(self.last_time);
        if checkpointed {
            self.checkpointed = self.sequence;
        }
        Ok(())
    }

    fn write(&mut self, batch: &mut Batch, kind: Kind) -> Result<(), AppendError> {
        let (first, chain) = (self.sequence + 1, self.chain);
        let (bytes, chain) = batch.seal(kind, first, chain);
        self.guarded(|journal| journal.write_sealed(bytes, chain))
    }

    /// After a failure nothing is written any more.
    fn guarded(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), AppendError> {
        if let Some(reason) = &self.stopped {
            return Err(AppendError::Stopped(reason.clone()));
        }
        match write(self) {
            Ok(()) => Ok(()),
            Err(error) => {
                let reason = error.to_string();
                self.stopped = Some(reason.clone());
                Err(AppendError::Stopped(reason))
            }
        }
    }

    fn write_sealed(&mut self, bytes: &[u8], chain: Chain) -> io::Result<()> {
        self.buffer.fill(bytes);
        let length = self.buffer.bytes().len() as u64;
        if self.offset + length > self.size {
            self.roll()?;
        }
        self.file.write_at(self.offset, &self.buffer)?;
        self.file.sync()?;
        self.offset += length;
        self.chain = chain;
        match &self.preparing {
            Some(preparing) => preparing.keep_up(self.offset, self.size),
            // Without a thread for it, it is prepared when it is needed.
            None if Preparing::is_due(self.offset, self.size) => {
                self.preparing = Preparing::start(self.disk.another(), self.options.segment).ok();
            }
            None => {}
        }
        Ok(())
    }

    /// Goes on in a new segment.
    fn roll(&mut self) -> io::Result<()> {
        // If the segment could not be prepared, this is tried once more: there may be space on the disk again.
        let prepared = self.preparing.take().is_some_and(|preparing| preparing.finish().is_ok());
        if !prepared {
            prepare(&self.disk, self.options.segment)?;
        }
        let segment = SegmentName(self.segment.0 + 1);
        let header = Header { journal: self.id, number: segment.0, first: self.sequence + 1, chain: self.chain };
        self.file = begin_segment(&self.disk, segment, &header)?;
        self.segment = segment;
        self.size = self.file.size()?;
        self.offset = BLOCK as u64;
        Ok(())
    }
}

impl<D: Disk> Log for Journal<D>
where
    Journal<D>: Send,
{
    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn chain(&self) -> Chain {
        self.chain
    }

    fn id(&self) -> [u8; 16] {
        self.id
    }

    fn append(&mut self, expected: u64, batch: &mut Batch) -> Result<u64, AppendError> {
        Journal::append(self, expected, batch)
    }

    fn checkpoint_if_due(&mut self, time: i64) -> Result<Option<Checkpoint>, AppendError> {
        Journal::checkpoint_if_due(self, time)
    }

    fn has_unsigned(&self) -> bool {
        self.sequence > self.checkpointed
    }

    fn checkpoint_now(&mut self) -> Result<Checkpoint, AppendError> {
        Journal::checkpoint_now(self)
    }
}

/// The header is durable before the segment has its name: a named segment is always whole.
fn begin_segment<D: Disk>(disk: &D, name: SegmentName, header: &Header) -> io::Result<D::File> {
    let file = disk.open(PREPARED)?;
    let mut block = AlignedBuffer::new();
    block.fill(&header.encode());
    file.write_at(0, &block)?;
    file.sync()?;
    disk.rename(PREPARED, &name.to_string())?;
    disk.open(&name.to_string())
}
