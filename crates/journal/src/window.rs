//! A segment of which a part is in memory.

use std::io;
use std::ops::Range;

use crate::batch::{self, Sealed};
use crate::disk::DiskFile;

/// How much of a segment is read at once. It is not read whole: a reader that follows a floor in play would load its
/// disk with unneeded reads, and would hold in memory what is about to be written.
const WINDOW: usize = 1 << 20;

/// A segment, and a part of it in memory.
pub(crate) struct Window<F> {
    file: Option<F>,
    /// The size of the segment.
    pub size: usize,
    /// Where the part begins.
    start: usize,
    bytes: Vec<u8>,
}

impl<F: DiskFile> Window<F> {
    /// Nothing at all.
    pub fn closed() -> Window<F> {
        Window { file: None, size: 0, start: 0, bytes: Vec::new() }
    }

    pub fn open(file: F) -> io::Result<Window<F>> {
        let size = usize::try_from(file.size()?).map_err(io::Error::other)?;
        Ok(Window { file: Some(file), size, start: 0, bytes: Vec::new() })
    }

    /// The bytes of a range, as far as the segment goes.
    pub fn get(&mut self, range: Range<usize>) -> io::Result<&[u8]> {
        let end = range.end.min(self.size);
        let start = range.start.min(end);
        if start < self.start || end > self.start + self.bytes.len() {
            self.load(start, (end - start).max(WINDOW))?;
        }
        Ok(&self.bytes[start - self.start..end - self.start])
    }

    /// The same, if it is in memory.
    pub fn loaded(&self, range: &Range<usize>) -> Option<&[u8]> {
        self.bytes.get(range.start.checked_sub(self.start)?..range.end.checked_sub(self.start)?)
    }

    /// Reads so many bytes as they are now, as far as the segment goes.
    pub fn load(&mut self, start: usize, length: usize) -> io::Result<()> {
        self.start = start.min(self.size);
        self.bytes.resize(length.min(self.size - self.start), 0);
        let read = self.file.as_ref().map_or(Ok(()), |file| file.read_at(self.start as u64, &mut self.bytes));
        if read.is_err() {
            self.bytes.clear();
        }
        read
    }

    /// A whole batch at an offset, by its checksum.
    pub fn sealed_at(&mut self, offset: usize) -> io::Result<Option<Sealed>> {
        let Some(sealed) = Sealed::decode(self.get(offset..offset + batch::HEADER)?) else { return Ok(None) };
        let bytes = self.get(offset..offset + batch::HEADER + sealed.length)?;
        // Its header again: all of the rest may have been read again.
        Ok(Sealed::decode(bytes).filter(|sealed| sealed.is_whole(bytes)))
    }
}
