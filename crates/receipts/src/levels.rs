//! The tree in flat files: hash `n` of level `L`, the root of 256^L records, stands at byte 32·n of `log/L`, in parts of
//! 32 MiB. A tile is a range of such a file, and a partial tile its beginning.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use journal::private;
use tlog::{Frontier, Hash, Nodes};

/// Hashes of a part.
const PART: u64 = 1 << 20;
/// Bytes of a hash.
const HASH: u64 = 32;
/// The most levels: sizes are 64-bit numbers.
const LEVELS: u8 = 8;

/// The files, to be read.
#[derive(Clone, Debug)]
pub struct LevelReader {
    folder: PathBuf,
}

impl LevelReader {
    /// The files of a floor's log.
    #[must_use]
    pub fn new(log: &Path) -> LevelReader {
        LevelReader { folder: log.to_owned() }
    }

    fn part(&self, level: u8, part: u64) -> PathBuf {
        self.folder.join(level.to_string()).join(format!("{part:06}"))
    }

    /// So many hashes of a level, from one on. They are within one part.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn hashes(&self, level: u8, first: u64, count: u64) -> io::Result<Vec<Hash>> {
        let mut bytes = vec![0; usize::try_from(count * HASH).map_err(io::Error::other)?];
        let file = File::open(self.part(level, first / PART))?;
        file.read_exact_at(&mut bytes, first % PART * HASH)?;
        Ok(bytes.as_chunks().0.to_vec())
    }

    /// How many hashes a level has.
    fn count(&self, level: u8) -> io::Result<u64> {
        let Some(last) = self.parts(level)?.into_iter().max() else { return Ok(0) };
        Ok(last * PART + fs::metadata(self.part(level, last))?.len() / HASH)
    }

    fn parts(&self, level: u8) -> io::Result<Vec<u64>> {
        let entries = match fs::read_dir(self.folder.join(level.to_string())) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut parts = Vec::new();
        for entry in entries {
            parts.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u64>().ok()));
        }
        Ok(parts)
    }
}

impl Nodes for LevelReader {
    type Error = io::Error;

    fn node(&self, level: u8, index: u64) -> io::Result<Hash> {
        let within = level % 8;
        let hashes = self.hashes(level / 8, index << within, 1 << within)?;
        let mut frontier = Frontier::default();
        hashes.into_iter().for_each(|hash| frontier.push(hash, |_, _| ()));
        Ok(frontier.root())
    }
}

/// The files, to be extended.
#[derive(Debug)]
pub struct Levels {
    reader: LevelReader,
    frontier: Frontier,
    /// What has not been written yet: level, and the hashes after those in the file.
    pending: BTreeMap<u8, Vec<u8>>,
    written: [u64; LEVELS as usize],
    /// Files that were written to since the last sync.
    unsynced: BTreeMap<PathBuf, File>,
}

impl Levels {
    /// Opens the files at a size; what they have beyond that is cut off. `None` if they have less.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn open(log: &Path, size: u64) -> io::Result<Option<Levels>> {
        private::create_folder(log)?;
        let reader = LevelReader::new(log);
        let mut written = [0; LEVELS as usize];
        for (level, written) in (0..LEVELS).zip(&mut written) {
            *written = size >> (8 * level);
            if reader.count(level)? < *written {
                return Ok(None);
            }
        }
        for (level, written) in (0..LEVELS).zip(written) {
            cut(&reader, level, written)?;
        }
        let frontier = Frontier::of(&reader, size)?;
        Ok(Some(Levels { reader, frontier, pending: BTreeMap::new(), written, unsynced: BTreeMap::new() }))
    }

    /// How many leaves there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// The root of all of them.
    #[must_use]
    pub fn root(&self) -> Hash {
        self.frontier.root()
    }

    /// Appends a leaf; it is written with [`Levels::flush`].
    pub fn push(&mut self, leaf: Hash) {
        let pending = &mut self.pending;
        self.frontier.push(leaf, |level, hash| pending.entry(level).or_default().extend_from_slice(&hash));
    }

    /// Writes what was appended.
    ///
    /// # Errors
    /// When the disk fails. What was written then is cut off when the files are opened again.
    pub fn flush(&mut self) -> io::Result<()> {
        for (level, bytes) in &mut self.pending {
            let Some(written) = self.written.get_mut(usize::from(*level)) else { continue };
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let room = usize::try_from((PART - *written % PART) * HASH).map_err(io::Error::other)?;
                let (now, later) = rest.split_at(room.min(rest.len()));
                let path = self.reader.part(*level, *written / PART);
                let file = match self.unsynced.entry(path) {
                    std::collections::btree_map::Entry::Occupied(open) => open.into_mut(),
                    std::collections::btree_map::Entry::Vacant(vacant) => {
                        let file = open_part(vacant.key())?;
                        vacant.insert(file)
                    }
                };
                file.write_all_at(now, *written % PART * HASH)?;
                *written += now.len() as u64 / HASH;
                rest = later;
            }
            bytes.clear();
        }
        Ok(())
    }

    /// Writes what was appended and makes it durable.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        while let Some((path, file)) = self.unsynced.pop_first() {
            file.sync_data()?;
            // It may be new: its name must be durable too.
            if let Some(folder) = path.parent() {
                File::open(folder)?.sync_all()?;
            }
        }
        File::open(&self.reader.folder)?.sync_all()
    }
}

fn open_part(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        private::create_folder(folder)?;
    }
    private::file_options().write(true).create(true).truncate(false).open(path)
}

/// Cuts off what a level has beyond so many hashes.
fn cut(reader: &LevelReader, level: u8, hashes: u64) -> io::Result<()> {
    for part in reader.parts(level)? {
        let path = reader.part(level, part);
        let keep = hashes.saturating_sub(part * PART).min(PART) * HASH;
        if keep == 0 {
            fs::remove_file(path)?;
        } else if fs::metadata(&path)?.len() > keep {
            fs::OpenOptions::new().write(true).open(path)?.set_len(keep)?;
        }
    }
    Ok(())
}
