//! Reading a journal from front to back, proving every byte on the way.

use std::fmt;
use std::io;
use std::ops::Range;

use crate::batch::{self, Entry, Sealed};
use crate::checkpoint::Checkpoint;
use crate::disk::{BLOCK, Disk, DiskFile};
use crate::position::Position;
use crate::segment::{Chain, Header, SegmentName};

/// Something that is not as it was written, and where.
#[derive(Debug, thiserror::Error)]
pub struct Damage {
    /// In which file.
    pub segment: String,
    /// Where it begins.
    pub offset: u64,
    /// Where what can be read goes on, if it does.
    pub until: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: {}", self.segment, self.offset, self.what)?;
        match self.until {
            Some(until) => write!(f, "; whole batches go on at byte {until}"),
            None => Ok(()),
        }
    }
}

/// How a journal ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// After the last batch there are only zeros.
    Clean,
    /// After it there is part of a batch that was never acknowledged.
    Torn {
        /// How many bytes, up to the last that is not zero.
        bytes: u64,
    },
}

/// Where a journal ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The last segment.
    pub segment: SegmentName,
    /// Where the next batch goes.
    pub offset: u64,
    /// The sequence of the last record.
    pub sequence: u64,
    /// The chain at the end.
    pub chain: Chain,
    /// The time of the last batch.
    pub time: Option<i64>,
    /// What comes after it.
    pub tail: Tail,
}

/// What is read next.
#[derive(Debug)]
pub enum Read<'a> {
    /// A batch of records.
    Records {
        /// The sequence of the first.
        first: u64,
        /// The records.
        entries: Vec<Entry<'a>>,
        /// The chain after them.
        chain: Chain,
    },
    /// A checkpoint; genuine, and of the chain as it is here.
    Checkpoint(Checkpoint),
}

/// A reader of one journal, in one folder or with older segments in others.
pub struct Scan<D: Disk> {
    folders: Vec<D>,
    segments: Vec<(SegmentName, usize)>,
    place: usize,
    bytes: Vec<u8>,
    offset: usize,
    /// Where what was read last begins and ends.
    last: Range<usize>,
    header: Option<Header>,
    position: Position,
    ending: Option<Ending>,
}

impl<D: Disk> Scan<D> {
    /// Reads from the first segment there is.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn new(folders: Vec<D>) -> io::Result<Scan<D>> {
        let mut segments = Vec::new();
        for (place, folder) in folders.iter().enumerate() {
            let names = folder.list()?;
            segments.extend(names.iter().filter_map(|name| SegmentName::parse(name)).map(|name| (name, place)));
        }
        segments.sort();
        segments.dedup_by_key(|(name, _)| *name);
        Ok(Scan {
            folders,
            segments,
            place: 0,
            bytes: Vec::new(),
            offset: 0,
            last: 0..0,
            header: None,
            position: Position::begin([0; 16]),
            ending: None,
        })
    }

    /// Whether there is no journal at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The first segment there is.
    #[must_use]
    pub fn first(&self) -> Option<SegmentName> {
        self.segments.first().map(|(name, _)| *name)
    }

    /// The last segment there is.
    #[must_use]
    pub fn last(&self) -> Option<SegmentName> {
        self.segments.last().map(|(name, _)| *name)
    }

    /// How many bytes of segments there are, for a progress bar.
    #[must_use]
    pub fn size(&self) -> u64 {
        let size = |(name, place): &(SegmentName, usize)| {
            let file = self.folders.get(*place)?.open(&name.to_string()).ok()?;
            file.size().ok()
        };
        self.segments.iter().filter_map(size).sum()
    }

    /// How many bytes of segments have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.place as u64 * self.bytes.len() as u64 + self.offset as u64
    }

    /// The journal's own id, once something has been read.
    #[must_use]
    pub fn journal(&self) -> Option<[u8; 16]> {
        self.header.map(|header| header.journal)
    }

    /// The journal's own id, from the header of its last segment; `None` if there is no journal.
    ///
    /// # Errors
    /// When the header cannot be read.
    pub fn id(&mut self) -> Result<Option<[u8; 16]>, Damage> {
        let Some(last) = self.segments.len().checked_sub(1) else { return Ok(None) };
        let place = std::mem::replace(&mut self.place, last);
        let header = self.read_header();
        self.place = place;
        header.map(|header| Some(header.journal))
    }

    /// The sequence of the first record that can be read here: more than 1 if older segments are elsewhere.
    ///
    /// # Errors
    /// When the first segment cannot be read.
    pub fn begins(&mut self) -> Result<u64, Damage> {
        if self.header.is_none() && !self.segments.is_empty() {
            self.open_segment()?;
        }
        Ok(self.header.map_or(1, |header| header.first))
    }

    /// The sequence of the first record of a segment.
    ///
    /// # Errors
    /// When its header cannot be read.
    pub fn begins_in(&mut self, segment: SegmentName) -> Result<u64, Damage> {
        let place = self.segments.iter().position(|(name, _)| *name == segment);
        self.place = place.unwrap_or(self.segments.len());
        self.read_header().map(|header| header.first)
    }

    /// Begins at the last segment that holds the record of that sequence.
    ///
    /// # Errors
    /// When a header cannot be read.
    pub fn start_at(&mut self, sequence: u64) -> Result<(), Damage> {
        for place in (0..self.segments.len()).rev() {
            self.place = place;
            self.header = None;
            let header = self.read_header()?;
            if header.first <= sequence || place == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Where the journal ends, once everything has been read.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn name(&self) -> SegmentName {
        self.segments.get(self.place).map_or(SegmentName(0), |(name, _)| *name)
    }

    fn damage(&self, offset: usize, until: Option<usize>, what: impl Into<String>) -> Damage {
        let until = until.map(|until| until as u64);
        Damage { segment: self.name().to_string(), offset: offset as u64, until, what: what.into() }
    }

    fn file(&self) -> Result<D::File, Damage> {
        let (name, folder) =
            self.segments.get(self.place).ok_or_else(|| self.damage(0, None, "there is no segment"))?;
        let folder = self.folders.get(*folder).ok_or_else(|| self.damage(0, None, "there is no folder"))?;
        folder.open(&name.to_string()).map_err(|error| self.damage(0, None, error.to_string()))
    }

    fn read_header(&self) -> Result<Header, Damage> {
        let mut block = vec![0; BLOCK];
        self.file()?.read_at(0, &mut block).map_err(|error| self.damage(0, None, error.to_string()))?;
        Header::decode(&block).map_err(|what| self.damage(0, None, what))
    }

    /// Reads the segment at the current place whole and checks that it continues the one before.
    fn open_segment(&mut self) -> Result<(), Damage> {
        let file = self.file()?;
        let size = file.size().map_err(|error| self.damage(0, None, error.to_string()))?;
        let size = usize::try_from(size).map_err(|_| self.damage(0, None, "the file is too large"))?;
        self.bytes.resize(size, 0);
        file.read_at(0, &mut self.bytes).map_err(|error| self.damage(0, None, error.to_string()))?;
        let block = self.bytes.get(..BLOCK).ok_or_else(|| self.damage(0, None, "the header is cut off"))?;
        let header = Header::decode(block).map_err(|what| self.damage(0, None, what))?;
        if let Err(what) = self.continues(&header) {
            return Err(self.damage(0, None, what));
        }
        self.position =
            Position { journal: header.journal, sequence: header.first - 1, chain: header.chain, ..self.position };
        self.header = Some(header);
        self.offset = BLOCK;
        Ok(())
    }

    /// Whether a segment goes on where the one before it ended.
    fn continues(&self, header: &Header) -> Result<(), String> {
        if header.number != self.name().0 {
            return Err(format!("it is segment {} by its header", header.number));
        }
        match self.header {
            Some(before) if header.journal != before.journal => Err("it is a segment of another journal".to_owned()),
            Some(before) if header.number != before.number + 1 => {
                Err(format!("the segments after {} are missing", SegmentName(before.number)))
            }
            Some(_) if header.first != self.position.sequence + 1 => {
                Err(format!("it goes on at record {}, after record {}", header.first, self.position.sequence))
            }
            Some(_) if header.chain != self.position.chain => {
                Err("it does not continue the chain before it".to_owned())
            }
            None if header.number == 1 && (header.first, header.chain) != (1, Chain::genesis(header.journal)) => {
                Err("it does not begin a journal".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The next batch or checkpoint; `None` at the end, when [`Scan::ending`] says where that is.
    ///
    /// # Errors
    /// At the first thing that is not as it was written.
    pub fn read(&mut self) -> Result<Option<Read<'_>>, Damage> {
        if self.segments.is_empty() || self.ending.is_some() {
            return Ok(None);
        }
        if self.header.is_none() {
            self.open_segment()?;
        }
        loop {
            match self.sealed_at(self.offset) {
                Some(sealed) => return self.take(sealed).map(Some),
                None => {
                    let rest = self.bytes.get(self.offset..).unwrap_or(&[]);
                    let used = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                    let last_segment = self.place + 1 == self.segments.len();
                    if used > 0 && last_segment && self.has_moved_on()? {
                        continue;
                    }
                    if used > 0 && (!last_segment || self.goes_on().is_some()) {
                        return Err(self.damage(self.offset, self.goes_on(), "a batch is damaged"));
                    }
                    if last_segment {
                        let tail = if used == 0 { Tail::Clean } else { Tail::Torn { bytes: used as u64 } };
                        self.ending = Some(Ending {
                            segment: self.name(),
                            offset: self.offset as u64,
                            sequence: self.position.sequence,
                            chain: self.position.chain,
                            time: self.position.time,
                            tail,
                        });
                        return Ok(None);
                    }
                    self.place += 1;
                    self.open_segment()?;
                }
            }
        }
    }

    /// A journal that is being written while it is read: what was half there is read again, until it stays as it is. A
    /// later batch is only ever written after the one before it is whole, so that real damage does not go away.
    fn has_moved_on(&mut self) -> Result<bool, Damage> {
        let mut now = vec![0; self.bytes.len() - self.offset];
        let read = self.file()?.read_at(self.offset as u64, &mut now);
        read.map_err(|error| self.damage(self.offset, None, error.to_string()))?;
        let moved = now != self.bytes[self.offset..];
        self.bytes.truncate(self.offset);
        self.bytes.append(&mut now);
        Ok(moved)
    }

    /// A whole batch at an offset, by its checksum.
    fn sealed_at(&self, offset: usize) -> Option<Sealed> {
        let bytes = self.bytes.get(offset..)?;
        Sealed::decode(bytes).filter(|sealed| sealed.is_whole(bytes))
    }

    /// Where whole batches that belong later go on, past something that is none.
    fn goes_on(&self) -> Option<usize> {
        let later = (self.offset + BLOCK..self.bytes.len()).step_by(BLOCK);
        later
            .into_iter()
            .find(|offset| self.sealed_at(*offset).is_some_and(|sealed| sealed.first > self.position.sequence))
    }

    fn take(&mut self, sealed: Sealed) -> Result<Read<'_>, Damage> {
        let start = self.offset;
        let end = start + batch::HEADER + sealed.length;
        let after = end.next_multiple_of(BLOCK);
        if let Err(what) = self.position.fits(&sealed, &self.bytes[start..]) {
            return Err(self.damage(start, None, what));
        }
        let padding = end..after.min(self.bytes.len());
        if self.bytes.get(padding).is_none_or(|padding| padding.iter().any(|byte| *byte != 0)) {
            return Err(self.damage(end, None, "there is something after the batch"));
        }
        self.last = start..end;
        self.offset = after;
        let name = self.name();
        let damaged =
            |what| Damage { segment: name.to_string(), offset: start as u64, until: None, what: String::from(what) };
        self.position.take(&sealed, &self.bytes[start..end]).map_err(damaged)
    }

    /// The batch or checkpoint that was read last, to the byte as it was written.
    #[must_use]
    pub fn sealed(&self) -> &[u8] {
        self.bytes.get(self.last.clone()).unwrap_or(&[])
    }
}
