//! The heads that were signed, in `log/heads`: one block each, appended and synced before anything is shown.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use journal::private;
use tlog::{Checkpoint, Note, VerifierKey};

/// The file.
pub const FILE: &str = "heads";
/// The folder of the heads of gaming days.
pub const DAYS: &str = "days";
/// Bytes of a block: a note, and zeros after it.
const BLOCK: u64 = 512;
/// The longest name of a log with which a head fits into its block.
pub const MAX_NAME: usize = 120;

/// A head that was signed, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The note with the log's signature.
    pub note: Note,
    /// What it says.
    pub checkpoint: Checkpoint,
}

impl Head {
    /// Reads a note that this key must have signed.
    #[must_use]
    pub fn parse(text: &[u8], key: &VerifierKey) -> Option<Head> {
        let note = Note::parse(text).ok()?;
        let checkpoint = Checkpoint::parse(&note.text).ok()?;
        let signed = note.verify([key]).ok()?;
        (!signed.is_empty() && checkpoint.origin == key.name()).then_some(Head { note, checkpoint })
    }
}

/// The file of heads.
#[derive(Clone, Debug)]
pub struct Heads {
    file: PathBuf,
    key: VerifierKey,
}

impl Heads {
    /// The heads of a log, signed by this key.
    #[must_use]
    pub fn new(log: &Path, key: VerifierKey) -> Heads {
        Heads { file: log.join(FILE), key }
    }

    /// The newest head, and how many there are; a half-written one at the end counts for nothing.
    ///
    /// # Errors
    /// When the file cannot be read, or what is in it was not signed by this key.
    pub fn newest(&self) -> io::Result<Option<(Head, u64)>> {
        let file = match File::open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let blocks = file.metadata()?.len() / BLOCK;
        for place in (0..blocks).rev() {
            if let Some(head) = self.at(&file, place)? {
                return Ok(Some((head, place + 1)));
            }
            // Only the last can be half written.
            if place + 1 < blocks {
                break;
            }
        }
        if blocks <= 1 {
            return Ok(None);
        }
        let words = format!("{} has a head that {} has not signed", self.file.display(), self.key.name());
        Err(io::Error::new(io::ErrorKind::InvalidData, words))
    }

    /// The smallest signed head with at least so many records.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn covering(&self, size: u64) -> io::Result<Option<Head>> {
        let Some((newest, count)) = self.newest()? else { return Ok(None) };
        if newest.checkpoint.size < size {
            return Ok(None);
        }
        let file = File::open(&self.file)?;
        let (mut low, mut high, mut found) = (0, count - 1, newest);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(&file, middle)? {
                Some(head) if head.checkpoint.size >= size => (high, found) = (middle, head),
                Some(_) => low = middle + 1,
                None => break,
            }
        }
        Ok(Some(found))
    }

    /// Whether something stands after the newest head: one that was half written, or was changed.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_torn(&self) -> io::Result<bool> {
        let length = match std::fs::metadata(&self.file) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        // The length first: a floor in play may append meanwhile.
        Ok(length > self.newest()?.map_or(0, |(_, count)| count) * BLOCK)
    }

    /// All heads with more records than that, the smallest first.
    ///
    /// # Errors
    /// When the file cannot be read, or one in it was not signed by this key.
    pub fn after(&self, size: u64) -> io::Result<Vec<Head>> {
        let Some((_, count)) = self.newest()? else { return Ok(Vec::new()) };
        let file = File::open(&self.file)?;
        let mut heads = Vec::new();
        for place in (0..count).rev() {
            let head = self.at(&file, place)?.ok_or_else(|| {
                let words = format!("{}: head {} is not signed by {}", self.file.display(), place + 1, self.key.name());
                io::Error::new(io::ErrorKind::InvalidData, words)
            })?;
            if head.checkpoint.size <= size {
                break;
            }
            heads.push(head);
        }
        heads.reverse();
        Ok(heads)
    }

    fn at(&self, file: &File, place: u64) -> io::Result<Option<Head>> {
        let mut block = [0; BLOCK as usize];
        file.read_exact_at(&mut block, place * BLOCK)?;
        let end = block.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        Ok(Head::parse(block.get(..end).unwrap_or_default(), &self.key))
    }

    /// Appends a head after so many others and makes it durable.
    ///
    /// # Errors
    /// When the disk fails, or the note does not fit into a block.
    pub fn append(&self, count: u64, note: &Note) -> io::Result<()> {
        let text = note.to_text();
        if text.len() as u64 > BLOCK {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name of the log is too long"));
        }
        let mut block = text.into_bytes();
        block.resize(BLOCK as usize, 0);
        let file = private::file_options().write(true).create(true).truncate(false).open(&self.file)?;
        file.write_all_at(&block, count * BLOCK)?;
        file.set_len((count + 1) * BLOCK)?;
        file.sync_data()?;
        match self.file.parent() {
            Some(folder) if count == 0 => File::open(folder)?.sync_all(),
            _ => Ok(()),
        }
    }
}

/// Keeps the head of a gaming day for ever, under its name.
///
/// # Errors
/// When the disk fails.
pub fn keep_day(log: &Path, day: &str, note: &Note) -> io::Result<()> {
    use journal::Disk as _;
    let folder = log.join(DAYS);
    private::create_folder(&folder)?;
    journal::RealDisk::to_read(&folder).write(&format!("{day}.note"), note.to_text().as_bytes())
}
