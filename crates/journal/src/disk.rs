//! The disk as the journal needs it, and the real one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::private;

/// What is written at once, and what direct input and output asks for.
pub const BLOCK: usize = 4096;

/// How many zeros are written at once.
const ZEROS: usize = 128 * 1024;

/// The file that the running process has locked.
const LOCK: &str = "lock";

/// How the name of a file ends while it is being written.
pub(crate) const UNFINISHED: &str = ".new";

/// Called before each part of a file that is written slowly, with the number of bytes written.
pub type Pace<'a> = &'a mut dyn FnMut(u64) -> io::Result<()>;

/// A folder of files on some disk.
pub trait Disk: Send + 'static {
    /// An open file.
    type File: DiskFile;

    /// The names of all files.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Makes a file of zeros, durable with its name.
    fn create(&self, name: &str, size: u64) -> io::Result<Self::File> {
        self.create_slowly(name, size, &mut |_| Ok(()))
    }
    /// The same in parts, where that makes a difference: before each part, the callback receives the progress and may
    /// take its time. An error ends it.
    fn create_slowly(&self, name: &str, size: u64, pace: Pace<'_>) -> io::Result<Self::File>;
    /// Opens a file.
    fn open(&self, name: &str) -> io::Result<Self::File>;
    /// Reads a small file whole.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// Writes a small file, whole or not at all, durable with its name.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Gives a file another name, durably.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Another handle on the same folder.
    fn another(&self) -> Self;
    /// Creates a file that begins like another, perhaps of another folder, and has zeros after that up to its size;
    /// durable, except for its name.
    fn copy(&self, name: &str, from: &Self::File, until: u64) -> io::Result<()>;
    /// Makes the names of what was copied durable.
    fn sync_names(&self) -> io::Result<()>;
    /// Whether a separate thread prepares the next segment. On a simulated disk it is prepared at once, so that the
    /// same seed gives the same run.
    fn prepares_beside(&self) -> bool {
        true
    }
    /// Whether a floor is running here, which may be writing.
    fn in_use(&self) -> bool {
        false
    }
}

/// An open file.
pub trait DiskFile: Send + 'static {
    /// Its size.
    fn size(&self) -> io::Result<u64>;
    /// Reads exactly so many bytes.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes whole blocks at a block's boundary.
    fn write_at(&self, offset: u64, blocks: &AlignedBuffer) -> io::Result<()>;
    /// Makes what was written durable.
    fn sync(&self) -> io::Result<()>;
    /// Makes what an earlier process left half written durable or discards it: from here on, what is read is on the
    /// disk.
    ///
    /// # Errors
    /// When the disk fails.
    fn settle(&self) -> io::Result<()> {
        self.sync()
    }
}

/// Bytes that begin at a block's boundary in memory, as direct I/O requires, padded with zeros to whole blocks.
#[derive(Debug)]
pub struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Default for AlignedBuffer {
    fn default() -> AlignedBuffer {
        AlignedBuffer::new()
    }
}

impl AlignedBuffer {
    /// An empty one.
    #[must_use]
    pub fn new() -> AlignedBuffer {
        AlignedBuffer { memory: Vec::new(), start: 0, length: 0 }
    }

    /// Zeros.
    #[must_use]
    pub fn zeros(size: usize) -> AlignedBuffer {
        let mut buffer = AlignedBuffer::new();
        buffer.fill(&[]);
        buffer.reserve(size);
        buffer.length = size;
        buffer
    }

    /// Holds these bytes from now on, with zeros up to the next block.
    pub fn fill(&mut self, bytes: &[u8]) {
        let length = bytes.len().next_multiple_of(BLOCK);
        self.reserve(length);
        self.length = length;
        let (used, rest) = self.memory[self.start..self.start + length].split_at_mut(bytes.len());
        used.copy_from_slice(bytes);
        rest.fill(0);
    }

    fn reserve(&mut self, length: usize) {
        if self.memory.len() < self.start + length || self.memory.is_empty() {
            self.memory = vec![0; (length + BLOCK).next_power_of_two()];
            self.start = self.memory.as_ptr().align_offset(BLOCK);
        }
    }

    /// The bytes, whole blocks of them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }
}

/// A real folder.
#[derive(Debug)]
pub struct RealDisk {
    folder: PathBuf,
    access: Access,
}

/// How the files of a folder are opened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Access {
    /// For reading alone.
    Read,
    /// For writing through the system's cache.
    Cached,
    /// For writing past it.
    Direct,
}

/// A real file, opened for direct input and output where the file system allows.
#[derive(Debug)]
pub struct RealFile {
    write: Option<File>,
    read: File,
}

impl RealDisk {
    /// The folder, made for its owner alone if need be.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(folder: &Path) -> io::Result<RealDisk> {
        private::create_folder(folder)?;
        let probe = folder.join(".direct");
        private::file_options().write(true).create(true).truncate(true).open(&probe)?.write_all(&[0; BLOCK])?;
        let direct = direct_options().open(&probe).is_ok();
        fs::remove_file(&probe)?;
        Ok(RealDisk { folder: folder.to_owned(), access: if direct { Access::Direct } else { Access::Cached } })
    }

    /// The folder as it is, to be read and in no way changed.
    #[must_use]
    pub fn to_read(folder: &Path) -> RealDisk {
        RealDisk { folder: folder.to_owned(), access: Access::Read }
    }

    /// Whether writes go past the system's cache.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.access == Access::Direct
    }

    /// Locks the folder for this process, for as long as the lock lives. Removes the read permission of others.
    ///
    /// # Errors
    /// When another process has it.
    pub fn lock(&self) -> io::Result<File> {
        let options = &mut private::file_options();
        let file = options.create(true).truncate(false).write(true).open(self.folder.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => private::tighten(&self.folder).map(|()| file),
            Err(_) => {
                let words = format!("{} is in use by another process", self.folder.display());
                Err(io::Error::new(io::ErrorKind::WouldBlock, words))
            }
        }
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    fn handles(&self, name: &str) -> io::Result<RealFile> {
        let path = self.folder.join(name);
        let write = match self.access {
            Access::Read => None,
            Access::Cached => Some(OpenOptions::new().write(true).open(&path)?),
            Access::Direct => Some(direct_options().open(&path)?),
        };
        Ok(RealFile { write, read: File::open(&path)? })
    }
}

fn direct_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let direct = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).unwrap_or(0);
    options.write(true).custom_flags(direct);
    options
}

impl Disk for RealDisk {
    type File = RealFile;

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.extend(entry.file_name().into_string().ok());
            }
        }
        names.sort();
        Ok(names)
    }

    fn create_slowly(&self, name: &str, size: u64, pace: Pace<'_>) -> io::Result<RealFile> {
        let path = self.folder.join(name);
        private::file_options().write(true).create_new(true).open(&path)?;
        let file = self.handles(name)?;
        // Filled with zeros: only then does a later sync have no metadata to write. In small parts that are each
        // synced: a batch that is synced meanwhile waits for one of them and not for all.
        let zeros = AlignedBuffer::zeros(ZEROS);
        let mut written = 0;
        while written + ZEROS as u64 <= size {
            pace(written)?;
            file.write_at(written, &zeros)?;
            written += ZEROS as u64;
        }
        let rest = usize::try_from(size - written).map_err(io::Error::other)?;
        file.write_at(written, &AlignedBuffer::zeros(rest))?;
        file.writer()?.sync_all()?;
        self.sync_folder()?;
        Ok(file)
    }

    fn open(&self, name: &str) -> io::Result<RealFile> {
        self.handles(name)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.folder.join(name))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = self.folder.join(format!("{name}{UNFINISHED}"));
        let options = &mut private::file_options();
        let written = options.write(true).create(true).truncate(true).open(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        if let Err(error) = written {
            // On a full disk the room is given back.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        fs::rename(&temporary, self.folder.join(name))?;
        self.sync_folder()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))?;
        self.sync_folder()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.folder.join(name))?;
        self.sync_folder()
    }

    fn another(&self) -> RealDisk {
        RealDisk { folder: self.folder.clone(), access: self.access }
    }

    fn copy(&self, name: &str, from: &RealFile, until: u64) -> io::Result<()> {
        let size = from.size()?;
        // All other readers read by offset: the file's cursor is free.
        let mut from = from.read.try_clone()?;
        from.seek(io::SeekFrom::Start(0))?;
        let mut copy = private::file_options().write(true).create_new(true).open(self.folder.join(name))?;
        io::copy(&mut from.take(until), &mut copy)?;
        io::copy(&mut io::repeat(0).take(size.saturating_sub(until)), &mut copy)?;
        copy.sync_all()
    }

    fn sync_names(&self) -> io::Result<()> {
        self.sync_folder()
    }

    fn in_use(&self) -> bool {
        File::open(self.folder.join(LOCK)).is_ok_and(|lock| lock.try_lock_shared().is_err())
    }
}

impl RealFile {
    fn writer(&self) -> io::Result<&File> {
        self.write.as_ref().ok_or_else(|| io::Error::new(io::ErrorKind::PermissionDenied, "opened to be read"))
    }
}

impl DiskFile for RealFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.read.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read.read_exact_at(buffer, offset)
    }

    fn write_at(&self, offset: u64, blocks: &AlignedBuffer) -> io::Result<()> {
        self.writer()?.write_all_at(blocks.bytes(), offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.writer()?.sync_data()
    }

    fn settle(&self) -> io::Result<()> {
        self.sync()?;
        // After a failed sync the system may still show data that never reached the disk, and treat it as clean.
        Ok(rustix::fs::fadvise(&self.read, 0, None, rustix::fs::Advice::DontNeed)?)
    }
}
