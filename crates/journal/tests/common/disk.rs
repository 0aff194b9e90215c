//! A disk in memory that fails as real ones do, by the numbers of a seed.
//!
//! Writes stay apart until they are synced. When the power goes, each unsynced sector is lost, kept or torn on its own,
//! in any order. Any act can be made to fail, to be cut short, to find the disk full, or to be the one in the middle of
//! which the power goes.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use journal::{AlignedBuffer, Disk, DiskFile, Pace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const SECTOR: usize = 512;

/// What is done to the disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Write,
    Sync,
    Create,
    Save,
    Rename,
    Remove,
}

impl Act {
    pub const ALL: [Act; 6] = [Act::Write, Act::Sync, Act::Create, Act::Save, Act::Rename, Act::Remove];
}

/// What becomes of an act.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It fails. Of a write some part may be there; after a sync nothing more is known of what was to be synced.
    Fails,
    /// There is no space left, now and until the disk is repaired.
    Full,
    /// The power goes in the middle of it.
    PowerLoss,
}

#[derive(Clone, Default)]
struct Contents {
    size: u64,
    durable: BTreeMap<u64, [u8; SECTOR]>,
    /// Written and not synced, oldest first.
    pending: Vec<(u64, [u8; SECTOR])>,
    /// Shown by the system's cache after a failed sync, and never to reach the disk.
    ghosts: Vec<(u64, [u8; SECTOR])>,
}

impl Contents {
    fn of(bytes: &[u8]) -> Contents {
        let mut contents = Contents { size: bytes.len() as u64, ..Contents::default() };
        contents.durable = sectors(0, bytes).collect();
        contents
    }

    fn sync(&mut self) {
        self.durable.extend(self.pending.drain(..));
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) {
        buffer.fill(0);
        let (from, to) = (offset / SECTOR as u64, (offset + buffer.len() as u64).div_ceil(SECTOR as u64));
        let durable = self.durable.range(from..to);
        let unsynced = self.ghosts.iter().chain(&self.pending).filter(|(sector, _)| (from..to).contains(sector));
        for (sector, bytes) in durable.chain(unsynced.map(|(sector, bytes)| (sector, bytes))) {
            let at = sector * SECTOR as u64;
            let (skipped, into) = (offset.saturating_sub(at) as usize, at.saturating_sub(offset) as usize);
            let length = (SECTOR - skipped).min(buffer.len() - into);
            buffer[into..into + length].copy_from_slice(&bytes[skipped..skipped + length]);
        }
    }

    fn lose_power(&mut self, chance: &mut ChaCha8Rng) {
        self.ghosts.clear();
        while !self.pending.is_empty() {
            let place = chance.random_range(0..self.pending.len());
            let (sector, new) = self.pending.swap_remove(place);
            let kept = match chance.random_range(0..3) {
                0 => 0,
                1 => SECTOR,
                _ => chance.random_range(1..SECTOR),
            };
            self.durable.entry(sector).or_insert([0; SECTOR])[..kept].copy_from_slice(&new[..kept]);
        }
    }
}

fn sectors(offset: u64, bytes: &[u8]) -> impl Iterator<Item = (u64, [u8; SECTOR])> {
    (offset / SECTOR as u64..).zip(bytes.chunks(SECTOR)).map(|(sector, bytes)| {
        let mut whole = [0; SECTOR];
        whole[..bytes.len()].copy_from_slice(bytes);
        (sector, whole)
    })
}

#[derive(Clone)]
struct Inside {
    names: BTreeMap<String, u64>,
    files: BTreeMap<u64, Contents>,
    chance: ChaCha8Rng,
    planned: Option<(Act, u32, Trouble)>,
    happened: bool,
    off: bool,
    full: bool,
    largest: u64,
}

impl Inside {
    fn begin(&mut self, act: Act) -> io::Result<Option<Trouble>> {
        if self.off {
            return Err(io::Error::other("the power is off"));
        }
        if self.full && matches!(act, Act::Create | Act::Save) {
            return Ok(Some(Trouble::Full));
        }
        match &mut self.planned {
            Some((planned, 0, trouble)) if *planned == act => {
                let trouble = *trouble;
                self.planned = None;
                self.happened = true;
                Ok(Some(trouble))
            }
            Some((planned, left, _)) if *planned == act => {
                *left -= 1;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn lose_power(&mut self) {
        self.off = true;
        for contents in self.files.values_mut() {
            contents.lose_power(&mut self.chance);
        }
    }

    fn add(&mut self, name: &str, contents: Contents) -> u64 {
        let id = self.files.last_key_value().map_or(0, |(last, _)| last + 1);
        self.files.insert(id, contents);
        self.names.insert(name.to_owned(), id);
        id
    }

    fn find(&self, name: &str) -> io::Result<u64> {
        self.names.get(name).copied().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no file {name}")))
    }

    fn whole(&self, name: &str) -> io::Result<Vec<u8>> {
        let contents = &self.files[&self.find(name)?];
        let mut bytes = vec![0; contents.size as usize];
        contents.read(0, &mut bytes);
        Ok(bytes)
    }

    /// An act on names, which may or may not have taken effect when it does not succeed.
    fn change(&mut self, act: Act, change: impl FnOnce(&mut Inside) -> io::Result<()>) -> io::Result<()> {
        match self.begin(act)? {
            None => change(self),
            Some(trouble) => {
                if self.chance.random_bool(0.5) {
                    change(self)?;
                }
                Err(self.trouble(trouble))
            }
        }
    }

    fn trouble(&mut self, trouble: Trouble) -> io::Error {
        match trouble {
            Trouble::Fails => io::Error::other("input/output error"),
            Trouble::Full => {
                self.full = true;
                io::Error::new(io::ErrorKind::StorageFull, "no space left on device")
            }
            Trouble::PowerLoss => {
                self.lose_power();
                io::Error::other("the power is off")
            }
        }
    }
}

/// Syncs wait here while it is closed.
#[derive(Default)]
struct Gate {
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, (bool, usize)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self) {
        let mut state = self.lock();
        state.1 += 1;
        self.changed.notify_all();
        while state.0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.1 -= 1;
    }
}

/// A folder of a disk in memory.
pub struct MemDisk {
    inside: Arc<Mutex<Inside>>,
    gate: Arc<Gate>,
}

/// Syncs wait as long as this lives.
pub struct Held(Arc<Gate>);

impl Held {
    /// Waits until a sync waits.
    pub fn until_reached(&self) {
        let state = self.0.lock();
        let waiting = self.0.changed.wait_timeout_while(state, Duration::from_secs(30), |(_, waiting)| *waiting == 0);
        assert!(!waiting.unwrap_or_else(PoisonError::into_inner).1.timed_out(), "no sync came");
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.lock().0 = false;
        self.0.changed.notify_all();
    }
}

impl MemDisk {
    pub fn new() -> MemDisk {
        MemDisk::of(0)
    }

    pub fn of(seed: u64) -> MemDisk {
        MemDisk::with(Inside {
            names: BTreeMap::new(),
            files: BTreeMap::new(),
            chance: ChaCha8Rng::seed_from_u64(seed),
            planned: None,
            happened: false,
            off: false,
            full: false,
            largest: u64::MAX,
        })
    }

    fn with(inside: Inside) -> MemDisk {
        MemDisk { inside: Arc::new(Mutex::new(inside)), gate: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No file is made larger than this, whatever is asked for: small segments make small journals.
    pub fn largest(self, size: u64) -> MemDisk {
        self.lock().largest = size;
        self
    }

    /// So many such acts succeed, and the next one does not.
    pub fn plan(&self, act: Act, after: u32, trouble: Trouble) {
        let mut inside = self.lock();
        inside.planned = Some((act, after, trouble));
        inside.happened = false;
    }

    /// Whether what was planned has happened.
    pub fn happened(&self) -> bool {
        self.lock().happened
    }

    /// What is not synced is lost, kept or torn, sector by sector.
    pub fn lose_power(&self) {
        self.lock().lose_power();
    }

    /// The disk works again, as it was left.
    pub fn repair(&self) {
        let mut inside = self.lock();
        (inside.off, inside.full, inside.planned) = (false, false, None);
    }

    /// Syncs wait until what is returned is dropped.
    pub fn hold_syncs(&self) -> Held {
        self.gate.lock().0 = true;
        Held(Arc::clone(&self.gate))
    }

    /// The disk as it is now, apart from this one.
    pub fn image(&self) -> MemDisk {
        MemDisk::with(self.lock().clone())
    }

    /// A file as it reads.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        self.lock().whole(name).expect("a file")
    }

    /// Another content for a file, on the disk at once.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.lock().add(name, Contents::of(bytes));
    }

    /// Turns single bits of a byte on the disk over.
    pub fn flip(&self, name: &str, place: usize, bits: u8) {
        let mut inside = self.lock();
        let id = inside.find(name).expect("a file");
        let contents = inside.files.get_mut(&id).expect("a file");
        let sector = contents.durable.entry((place / SECTOR) as u64).or_insert([0; SECTOR]);
        sector[place % SECTOR] ^= bits;
    }

    pub fn unlink(&self, name: &str) {
        self.lock().names.remove(name).expect("a file");
    }
}

impl Disk for MemDisk {
    type File = MemFile;

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.lock().names.keys().cloned().collect())
    }

    fn create_slowly(&self, name: &str, size: u64, _: Pace<'_>) -> io::Result<MemFile> {
        let mut inside = self.lock();
        let trouble = inside.begin(Act::Create)?;
        if inside.names.contains_key(name) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{name} is there")));
        }
        let size = size.min(inside.largest);
        match trouble {
            None => {
                let id = inside.add(name, Contents { size, ..Contents::default() });
                Ok(MemFile { disk: self.another(), id })
            }
            Some(trouble) => {
                let some = inside.chance.random_range(0..=size);
                if inside.chance.random_bool(0.5) {
                    inside.add(name, Contents { size: some, ..Contents::default() });
                }
                Err(inside.trouble(trouble))
            }
        }
    }

    fn open(&self, name: &str) -> io::Result<MemFile> {
        let id = self.lock().find(name)?;
        Ok(MemFile { disk: self.another(), id })
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.lock().whole(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.lock().change(Act::Save, |inside| {
            inside.add(name, Contents::of(bytes));
            Ok(())
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.lock().change(Act::Rename, |inside| {
            let id = inside.find(from)?;
            inside.names.remove(from);
            inside.names.insert(to.to_owned(), id);
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.lock().change(Act::Remove, |inside| {
            inside.find(name)?;
            inside.names.remove(name);
            Ok(())
        })
    }

    fn another(&self) -> MemDisk {
        MemDisk { inside: Arc::clone(&self.inside), gate: Arc::clone(&self.gate) }
    }

    fn copy(&self, name: &str, from: &MemFile, until: u64) -> io::Result<()> {
        let mut bytes = vec![0; from.size()? as usize];
        let until = bytes.len().min(until as usize);
        from.read_at(0, &mut bytes[..until])?;
        self.write(name, &bytes)
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(())
    }
}

/// An open file of a disk in memory.
pub struct MemFile {
    disk: MemDisk,
    id: u64,
}

impl std::fmt::Debug for MemFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemFile({})", self.id)
    }
}

impl DiskFile for MemFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.lock().files[&self.id].size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let inside = self.disk.lock();
        let contents = &inside.files[&self.id];
        if offset + buffer.len() as u64 > contents.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        contents.read(offset, buffer);
        Ok(())
    }

    fn write_at(&self, offset: u64, blocks: &AlignedBuffer) -> io::Result<()> {
        let mut inside = self.disk.lock();
        let trouble = inside.begin(Act::Write)?;
        let mut written: Vec<_> = sectors(offset, blocks.bytes()).collect();
        if trouble == Some(Trouble::Fails) {
            written.truncate(inside.chance.random_range(0..=written.len()));
        }
        if trouble != Some(Trouble::Full) {
            let contents = inside.files.get_mut(&self.id).expect("a file");
            contents.size = contents.size.max(offset + blocks.bytes().len() as u64);
            contents.pending.extend(written);
        }
        trouble.map_or(Ok(()), |trouble| Err(inside.trouble(trouble)))
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.gate.pass();
        let mut inside = self.disk.lock();
        let trouble = inside.begin(Act::Sync)?;
        let Inside { files, chance, .. } = &mut *inside;
        let contents = files.get_mut(&self.id).expect("a file");
        match trouble {
            None => contents.sync(),
            Some(Trouble::PowerLoss) => {}
            Some(_) => {
                // As real systems do: what could not be synced is given up, and may still be shown.
                let ghosts = if chance.random_bool(0.5) { contents.pending.clone() } else { Vec::new() };
                contents.lose_power(chance);
                contents.ghosts = ghosts;
            }
        }
        trouble.map_or(Ok(()), |trouble| Err(inside.trouble(trouble)))
    }

    fn settle(&self) -> io::Result<()> {
        self.sync()?;
        self.disk.lock().files.get_mut(&self.id).expect("a file").ghosts.clear();
        Ok(())
    }
}
