//! The next segment, written out with zeros while the current one fills.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::batch::MAX_PAYLOAD;
use crate::disk::{BLOCK, Disk};

/// The name of a segment until it is begun.
pub(crate) const PREPARED: &str = "next.prepared";

/// It is begun when a quarter of the current segment is full, and ready when three quarters are.
const BEGIN: u64 = 4;
const SPEED: u64 = 2;

/// How far it may come: to the end at once, or nowhere.
const ALL: u64 = u64::MAX;
const NOTHING: u64 = 0;

/// How long the thread sleeps when it may not go further: first, and when nothing is written for long.
const SHORT: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_millis(64);

/// A segment that a separate thread prepares. A sync of a batch waits for everything else that the disk is doing, so
/// the segment is prepared little by little, as fast as the current segment fills.
#[derive(Debug)]
pub(crate) struct Preparing {
    /// Its size.
    size: u64,
    /// Up to which byte it may come.
    allowed: Arc<AtomicU64>,
    thread: Option<JoinHandle<io::Result<()>>>,
    /// The result, if it was done at once.
    done: io::Result<()>,
}

impl Preparing {
    /// Whether it is time to begin, with so much of a segment in use.
    pub fn is_due(offset: u64, size: u64) -> bool {
        offset > size / BEGIN
    }

    pub fn start<D: Disk>(disk: D, size: u64) -> io::Result<Preparing> {
        let allowed = Arc::new(AtomicU64::new(1));
        if !disk.prepares_beside() {
            return Ok(Preparing { size, allowed, thread: None, done: prepare(&disk, size) });
        }
        let limit = Limit { allowed: Arc::clone(&allowed), rest: SHORT };
        let thread = std::thread::Builder::new().name("prepare".to_owned());
        let thread = thread.spawn(move || prepare_slowly(&disk, size, limit))?;
        Ok(Preparing { size, allowed, thread: Some(thread), done: Ok(()) })
    }

    /// So much of the current segment, which may have another size, is in use.
    pub fn keep_up(&self, offset: u64, size: u64) {
        let used = u128::from(offset.saturating_sub(size / BEGIN) * SPEED);
        let allowed = used * u128::from(self.size) / u128::from(size.max(1));
        self.allowed.store(u64::try_from(allowed).unwrap_or(ALL).max(1), Ordering::Relaxed);
    }

    /// Waits until the segment is ready, which is soon.
    pub fn finish(mut self) -> io::Result<()> {
        self.end(ALL)
    }

    fn end(&mut self, allowed: u64) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return std::mem::replace(&mut self.done, Ok(())) };
        self.allowed.store(allowed, Ordering::Relaxed);
        thread.thread().unpark();
        thread.join().unwrap_or_else(|_| Err(io::Error::other("panicked while preparing a segment")))
    }
}

impl Drop for Preparing {
    fn drop(&mut self) {
        // It is no longer needed.
        let _ = self.end(NOTHING);
    }
}

/// The thread's own.
struct Limit {
    allowed: Arc<AtomicU64>,
    rest: Duration,
}

impl Limit {
    /// Waits until it may go on from a byte.
    fn wait(&mut self, written: u64) -> io::Result<()> {
        loop {
            match self.allowed.load(Ordering::Relaxed) {
                NOTHING => return Err(io::ErrorKind::Interrupted.into()),
                allowed if allowed > written => {
                    self.rest = SHORT;
                    return Ok(());
                }
                _ => {
                    std::thread::park_timeout(self.rest);
                    self.rest = (self.rest * 2).min(LONG);
                }
            }
        }
    }
}

/// Writes out a segment of zeros, in place of one that was left over from before.
pub(crate) fn prepare<D: Disk>(disk: &D, size: u64) -> io::Result<()> {
    let limit = Limit { allowed: Arc::new(AtomicU64::new(ALL)), rest: SHORT };
    prepare_slowly(disk, size, limit)
}

fn prepare_slowly<D: Disk>(disk: &D, size: u64, mut limit: Limit) -> io::Result<()> {
    let size = size.max(4 * BLOCK as u64 + MAX_PAYLOAD as u64).next_multiple_of(BLOCK as u64);
    if disk.list()?.iter().any(|name| name == PREPARED) {
        disk.remove(PREPARED)?;
    }
    match disk.create_slowly(PREPARED, size, &mut |written| limit.wait(written)) {
        Ok(_) => Ok(()),
        Err(error) => {
            // On a full disk the room is given back.
            let _ = disk.remove(PREPARED);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::disk::RealDisk;

    const SIZE: u64 = 4 << 20;

    /// A segment of that size being prepared, beside another of which a quarter is in use.
    fn preparing() -> (tempfile::TempDir, Preparing) {
        let folder = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(folder.path()).unwrap();
        assert!(!Preparing::is_due(SIZE / 4, SIZE) && Preparing::is_due(SIZE / 4 + 1, SIZE));
        (folder, Preparing::start(disk, SIZE).unwrap())
    }

    fn prepared(folder: &tempfile::TempDir) -> u64 {
        std::fs::metadata(folder.path().join(PREPARED)).map_or(0, |file| file.len())
    }

    /// Waits for something that soon is so.
    fn soon(mut so: impl FnMut() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !so() {
            assert!(Instant::now() < until, "it does not come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_next_segment_grows_as_the_current_one_fills() {
        let (folder, preparing) = preparing();
        for used in [SIZE / 4, SIZE / 2, SIZE * 5 / 8] {
            preparing.keep_up(used, SIZE);
            let allowed = (used - SIZE / 4) * 2;
            soon(|| prepared(&folder) >= allowed);
            assert!(prepared(&folder) < SIZE, "not more than it may");
        }
        preparing.keep_up(SIZE * 3 / 4, SIZE);
        soon(|| prepared(&folder) == SIZE);
        preparing.finish().unwrap();
        assert_eq!(std::fs::read(folder.path().join(PREPARED)).unwrap(), vec![0; SIZE as usize]);
    }

    #[test]
    fn who_needs_it_at_once_gets_it() {
        let (folder, preparing) = preparing();
        preparing.finish().unwrap();
        assert_eq!(prepared(&folder), SIZE);
    }

    #[test]
    fn what_nobody_needs_any_more_is_not_left_behind() {
        let (folder, preparing) = preparing();
        preparing.keep_up(SIZE / 2, SIZE);
        soon(|| prepared(&folder) > 0);
        drop(preparing);
        assert!(!folder.path().join(PREPARED).exists());
    }
}
