//! A disk that takes its time: the real one, with every synced write made as long as that of another disk.
//!
//! A log that only writes is as fast as its disk, and an engine as its processor: how one compares with the other depends on
//! the disk. This shows it on a disk like the one the goals were set with.

use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use journal::{AlignedBuffer, Disk, DiskFile, Pace, RealDisk};

/// What the system adds to a short sleep.
const LATE: Duration = Duration::from_micros(55);

/// The real disk, slower.
pub struct Slow {
    disk: RealDisk,
    takes: Duration,
}

/// One of its files.
pub struct SlowFile {
    file: <RealDisk as Disk>::File,
    takes: Duration,
    written: Mutex<Option<Instant>>,
}

impl Slow {
    /// So that writing and syncing takes so long at least.
    pub fn new(disk: RealDisk, takes: Duration) -> Slow {
        Slow { disk, takes }
    }

    fn file(&self, file: <RealDisk as Disk>::File) -> SlowFile {
        SlowFile { file, takes: self.takes, written: Mutex::new(None) }
    }
}

impl Disk for Slow {
    type File = SlowFile;

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn create_slowly(&self, name: &str, size: u64, pace: Pace<'_>) -> io::Result<SlowFile> {
        self.disk.create_slowly(name, size, pace).map(|file| self.file(file))
    }

    fn open(&self, name: &str) -> io::Result<SlowFile> {
        self.disk.open(name).map(|file| self.file(file))
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.disk.read(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk.write(name, bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn another(&self) -> Slow {
        Slow { disk: self.disk.another(), takes: self.takes }
    }

    fn copy(&self, name: &str, from: &SlowFile, until: u64) -> io::Result<()> {
        self.disk.copy(name, &from.file, until)
    }

    fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_names()
    }
}

impl DiskFile for SlowFile {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_at(offset, buffer)
    }

    fn write_at(&self, offset: u64, blocks: &AlignedBuffer) -> io::Result<()> {
        *self.written.lock().expect("no panic") = Some(Instant::now());
        self.file.write_at(offset, blocks)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()?;
        if let Some(began) = self.written.lock().expect("no panic").take() {
            let left = self.takes.saturating_sub(began.elapsed());
            if left > LATE {
                std::thread::sleep(left - LATE);
            }
        }
        Ok(())
    }
}
