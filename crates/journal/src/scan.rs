//! Reading a journal from front to back, proving every byte on the way.

use std::fmt;
use std::io;
use std::ops::Range;
use std::time::Duration;

use crate::batch::{self, Entry, Sealed};
use crate::checkpoint::Checkpoint;
use crate::disk::{BLOCK, Disk, DiskFile};
use crate::position::Position;
use crate::segment::{Chain, Header, SegmentName};
use crate::window::Window;

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

/// A half-written batch may be in progress: it is read again after this time.
const WRITING: Duration = Duration::from_millis(5);

/// A reader of one journal, in one folder or with older segments in others.
pub struct Scan<D: Disk> {
    folders: Vec<D>,
    segments: Vec<(SegmentName, usize)>,
    place: usize,
    /// The segment at that place.
    window: Window<D::File>,
    /// Whether everything up to the end has been read, to find the end. What is written after that is ignored, because
    /// a writer may be as fast as the reader.
    loaded: bool,
    /// Whether the reader is the only possible writer.
    alone: bool,
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
            window: Window::closed(),
            loaded: false,
            alone: false,
            offset: 0,
            last: 0..0,
            header: None,
            position: Position::begin([0; 16]),
            ending: None,
        })
    }

    /// The reader is the only possible writer: a half-written batch stays as it is.
    #[must_use]
    pub fn alone(self) -> Scan<D> {
        Scan { alone: true, ..self }
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
        self.place as u64 * self.window.size as u64 + self.offset as u64
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

    /// Opens the segment at the current place and checks that it continues the one before.
    fn open_segment(&mut self) -> Result<(), Damage> {
        let unreadable = |error: io::Error| self.damage(0, None, error.to_string());
        let mut window = Window::open(self.file()?).map_err(unreadable)?;
        let block = window.get(0..BLOCK).map_err(unreadable)?;
        if block.len() < BLOCK {
            return Err(self.damage(0, None, "the header is cut off"));
        }
        let header = Header::decode(block).map_err(|what| self.damage(0, None, what))?;
        if let Err(what) = self.continues(&header) {
            return Err(self.damage(0, None, what));
        }
        self.position =
            Position { journal: header.journal, sequence: header.first - 1, chain: header.chain, ..self.position };
        self.header = Some(header);
        self.window = window;
        self.loaded = false;
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
                Err(format!("it continues at record {}, after record {}", header.first, self.position.sequence))
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
            if let Some(sealed) = self.sealed_at(self.offset)? {
                return self.take(sealed).map(Some);
            }
            if !self.loaded {
                self.load_rest()?;
                self.loaded = true;
                continue;
            }
            let rest = self.part(self.offset..self.window.size)?;
            let used = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let last_segment = self.place + 1 == self.segments.len();
            if used > 0 {
                let until = self.goes_on()?;
                if last_segment && self.has_moved_on(until)? {
                    continue;
                }
                if !last_segment || until.is_some() {
                    return Err(self.damage(self.offset, until, "a batch is damaged"));
                }
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

    /// A journal that is being written while it is read: a half-written batch is read again until it no longer changes.
    /// A later batch is only written after the one before it is whole, so real damage does not disappear.
    fn has_moved_on(&mut self, until: Option<usize>) -> Result<bool, Damage> {
        if self.alone || !self.folders.iter().any(Disk::in_use) {
            return Ok(false);
        }
        if until.is_none() {
            std::thread::sleep(WRITING);
        }
        let part = self.offset..until.unwrap_or(self.window.size);
        let before = self.part(part.clone())?.to_vec();
        self.load_rest()?;
        Ok(self.part(part)? != before)
    }

    /// Reads everything from here to the end of the segment, as it is now.
    fn load_rest(&mut self) -> Result<(), Damage> {
        let loaded = self.window.load(self.offset, self.window.size);
        loaded.map_err(|error| self.damage(self.offset, None, error.to_string()))
    }

    /// The bytes of a range of the segment.
    fn part(&mut self, range: Range<usize>) -> Result<&[u8], Damage> {
        let (segment, offset) = (self.name().to_string(), self.offset as u64);
        self.window.get(range).map_err(|error| Damage { segment, offset, until: None, what: error.to_string() })
    }

    /// A whole batch at an offset, by its checksum.
    fn sealed_at(&mut self, offset: usize) -> Result<Option<Sealed>, Damage> {
        let sealed = self.window.sealed_at(offset);
        sealed.map_err(|error| self.damage(offset, None, error.to_string()))
    }

    /// Where whole batches that belong later go on, past something that is none.
    fn goes_on(&mut self) -> Result<Option<usize>, Damage> {
        for offset in (self.offset + BLOCK..self.window.size).step_by(BLOCK) {
            if self.sealed_at(offset)?.is_some_and(|sealed| sealed.first > self.position.sequence) {
                return Ok(Some(offset));
            }
        }
        Ok(None)
    }

    fn take(&mut self, sealed: Sealed) -> Result<Read<'_>, Damage> {
        let start = self.offset;
        let end = start + batch::HEADER + sealed.length;
        let after = end.next_multiple_of(BLOCK);
        let name = self.name();
        let damaged = |offset: usize, what: String| Damage {
            segment: name.to_string(),
            offset: offset as u64,
            until: None,
            what,
        };
        let bytes = self.window.get(start..after).map_err(|error| damaged(start, error.to_string()))?;
        let (bytes, padding) =
            bytes.split_at_checked(end - start).ok_or_else(|| damaged(start, "it is cut off".to_owned()))?;
        self.position.fits(&sealed, bytes).map_err(|what| damaged(start, what))?;
        if padding.iter().any(|byte| *byte != 0) {
            return Err(damaged(end, "there is something after the batch".to_owned()));
        }
        self.last = start..end;
        self.offset = after;
        self.position.take(&sealed, bytes).map_err(|what| damaged(start, what.to_owned()))
    }

    /// The batch or checkpoint that was read last, to the byte as it was written.
    #[must_use]
    pub fn sealed(&self) -> &[u8] {
        self.window.loaded(&self.last).unwrap_or(&[])
    }
}
