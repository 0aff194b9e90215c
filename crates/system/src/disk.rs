//! A disk in memory that fails as real ones do, by chance.
//!
//! Writes stay apart until they are synced. When the power goes, each unsynced sector is lost, kept or torn by itself, in any
//! order. Any act can fail, be cut short or find the disk full, and the power can go in the middle of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use journal::{AlignedBuffer, Disk, DiskFile, Pace};
use simulator::Chance;

use crate::plan::Trouble;

/// No file is made larger, whatever is asked for: small segments are soon full.
const LARGEST: usize = 128 * 1024;
/// What reaches the platter as a whole or not.
const SECTOR: usize = 512;

/// Deliberate lies of a disk, by which it is seen that the simulation finds them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lies {
    /// A sync says that it succeeded and does nothing.
    pub sync_is_lost: bool,
    /// A sync says that it succeeded, and happens with the next one.
    pub sync_is_late: bool,
    /// A new name is forgotten when the power goes.
    pub names_are_lost: bool,
}

#[derive(Clone, Default)]
struct Contents {
    /// What is on the disk.
    durable: Vec<u8>,
    /// Sectors written and not synced, oldest first.
    pending: Vec<(usize, [u8; SECTOR])>,
    /// Shown by the system's cache after a failed sync, and never to reach the disk.
    ghosts: Vec<(usize, [u8; SECTOR])>,
    /// How many of the pending were to be synced already, where syncs are late.
    late: usize,
}

impl Contents {
    fn of(bytes: &[u8]) -> Contents {
        Contents { durable: bytes.to_vec(), ..Contents::default() }
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        if self.durable.len() < at + bytes.len() {
            self.durable.resize(at + bytes.len(), 0);
        }
        self.durable[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn sync(&mut self, count: usize) {
        let rest = self.pending.split_off(count);
        for (at, sector) in std::mem::replace(&mut self.pending, rest) {
            self.put(at, &sector);
        }
    }

    fn read(&self, offset: usize, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.durable[offset..offset + buffer.len()]);
        for (at, sector) in self.ghosts.iter().chain(&self.pending) {
            let (from, to) = ((*at).max(offset), (at + SECTOR).min(offset + buffer.len()));
            if from < to {
                buffer[from - offset..to - offset].copy_from_slice(&sector[from - at..to - at]);
            }
        }
    }

    fn lose_power(&mut self, chance: &mut Chance) {
        self.ghosts.clear();
        self.late = 0;
        while !self.pending.is_empty() {
            let (at, sector) = self.pending.swap_remove(chance.below(self.pending.len()));
            let kept = match chance.below(3) {
                0 => 0,
                1 => SECTOR,
                _ => 1 + chance.below(SECTOR - 1),
            };
            self.put(at, &sector[..kept]);
        }
    }
}

struct Inside {
    names: BTreeMap<String, u64>,
    files: BTreeMap<u64, Contents>,
    next: u64,
    chance: Chance,
    /// So many acts succeed, and the next one does not.
    planned: Option<(u32, Trouble)>,
    /// What was planned has happened since the last repair.
    happened: bool,
    off: bool,
    full: bool,
    lies: Lies,
    /// Names that are not yet on the disk, where they are late.
    loose: BTreeSet<String>,
}

impl Inside {
    /// What becomes of the act that begins.
    fn begin(&mut self) -> io::Result<Option<Trouble>> {
        if self.off {
            return Err(io::Error::other("the power is off"));
        }
        match &mut self.planned {
            Some((0, trouble)) => {
                let trouble = *trouble;
                self.planned = None;
                self.happened = true;
                Ok(Some(trouble))
            }
            Some((left, _)) => {
                *left -= 1;
                Ok(None)
            }
            None => Ok(None),
        }
    }

    fn lose_power(&mut self) {
        self.off = true;
        for contents in self.files.values_mut() {
            contents.lose_power(&mut self.chance);
        }
        for name in std::mem::take(&mut self.loose) {
            self.names.remove(&name);
        }
    }

    fn trouble(&mut self, trouble: Trouble) -> io::Error {
        match trouble {
            Trouble::Fails => io::Error::other("input/output error"),
            Trouble::Full => {
                self.full = true;
                no_space()
            }
            Trouble::PowerLoss => {
                self.lose_power();
                io::Error::other("the power is off")
            }
        }
    }

    fn add(&mut self, name: &str, contents: Contents) -> u64 {
        let id = self.next;
        self.next += 1;
        self.files.insert(id, contents);
        if let Some(old) = self.names.insert(name.to_owned(), id) {
            self.forget(old);
        }
        id
    }

    /// A file without a name lives as long as it is open; here, until it has no further effect.
    fn forget(&mut self, id: u64) {
        if let Some(contents) = self.files.get_mut(&id) {
            contents.pending.clear();
        }
    }

    fn find(&self, name: &str) -> io::Result<u64> {
        self.names.get(name).copied().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no file {name}")))
    }

    fn whole(&self, name: &str) -> io::Result<Vec<u8>> {
        let contents = &self.files[&self.find(name)?];
        let mut bytes = vec![0; contents.durable.len()];
        contents.read(0, &mut bytes);
        Ok(bytes)
    }

    /// An act on names, which may or may not have taken effect when it does not succeed.
    fn change(&mut self, change: impl FnOnce(&mut Inside) -> io::Result<()>) -> io::Result<()> {
        match self.begin()? {
            None => change(self),
            Some(trouble) => {
                if self.chance.one_in(2) {
                    change(self)?;
                }
                Err(self.trouble(trouble))
            }
        }
    }
}

fn no_space() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "no space left on device")
}

/// A folder of a simulated disk, as one process has it.
pub(crate) struct SimDisk(Arc<Mutex<Inside>>);

impl SimDisk {
    pub fn new(seed: u64) -> SimDisk {
        SimDisk(Arc::new(Mutex::new(Inside {
            names: BTreeMap::new(),
            files: BTreeMap::new(),
            next: 0,
            chance: Chance::of(seed, simulator::USUAL),
            planned: None,
            happened: false,
            off: false,
            full: false,
            lies: Lies::default(),
            loose: BTreeSet::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same files on a disk of its own, as they read now.
    pub fn image(&self, seed: u64) -> SimDisk {
        let image = SimDisk::new(seed);
        let inside = self.lock();
        for name in inside.names.keys() {
            if let Ok(bytes) = inside.whole(name) {
                image.lock().add(name, Contents::of(&bytes));
            }
        }
        image
    }

    pub fn lie(&self, lies: Lies) {
        self.lock().lies = lies;
    }

    /// So many acts succeed, and the next one does not.
    pub fn plan(&self, after: u32, trouble: Trouble) {
        self.lock().planned = Some((after, trouble));
    }

    /// Whether what was planned has happened since the last repair.
    pub fn happened(&self) -> bool {
        let inside = self.lock();
        inside.happened || inside.off || inside.full
    }

    /// What is not synced is lost, kept or torn, sector by sector.
    pub fn lose_power(&self) {
        self.lock().lose_power();
    }

    /// The disk works again, as it was left. Only after that does a new process find it.
    pub fn repair(&self) {
        let mut inside = self.lock();
        (inside.off, inside.full, inside.planned, inside.happened) = (false, false, None, false);
        // Files that have lost their names are gone with the process that had them open.
        let named: BTreeSet<u64> = inside.names.values().copied().collect();
        inside.files.retain(|id, _| named.contains(id));
    }

    /// Whether something in a segment would be lost if the power went now. After a failure there is: what was not
    /// acknowledged. A disk that loses syncs does not know.
    pub fn has_unsynced(&self) -> bool {
        let inside = self.lock();
        let segments = inside.names.iter().filter(|(name, _)| name.ends_with(".segment"));
        let unsynced = segments.map(|(_, id)| &inside.files[id]).any(|contents| !contents.pending.is_empty());
        unsynced && !inside.happened && !inside.lies.sync_is_lost
    }

    /// From here on this is another disk, with the same troubles.
    pub fn moves_to(&self, other: &SimDisk) {
        let mut from = other.lock();
        let mut inside = self.lock();
        inside.names = std::mem::take(&mut from.names);
        inside.files = std::mem::take(&mut from.files);
        inside.next = from.next;
    }

    /// Turns one bit over, on the disk itself.
    pub fn flip(&self, name: &str, at: usize, bit: u8) {
        let mut inside = self.lock();
        let Ok(id) = inside.find(name) else { return };
        if let Some(byte) = inside.files.get_mut(&id).and_then(|contents| contents.durable.get_mut(at)) {
            *byte ^= 1 << (bit % 8);
        }
    }

    /// The size of a file.
    pub fn size(&self, name: &str) -> usize {
        let inside = self.lock();
        inside.find(name).map_or(0, |id| inside.files[&id].durable.len())
    }

    /// Puts a file there, past everything.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.lock().add(name, Contents::of(bytes));
    }

    /// Takes a file away, past everything.
    pub fn unlink(&self, name: &str) {
        self.lock().names.remove(name);
    }
}

impl Disk for SimDisk {
    type File = SimFile;

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.lock().names.keys().cloned().collect())
    }

    fn create_slowly(&self, name: &str, size: u64, _: Pace<'_>) -> io::Result<SimFile> {
        let mut inside = self.lock();
        let trouble = inside.begin()?.or(inside.full.then_some(Trouble::Full));
        if inside.names.contains_key(name) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{name} is there")));
        }
        let size = usize::try_from(size).map_err(io::Error::other)?.min(LARGEST);
        let Some(trouble) = trouble else {
            let id = inside.add(name, Contents { durable: vec![0; size], ..Contents::default() });
            return Ok(SimFile { disk: self.another(), id });
        };
        let some = inside.chance.below(size + 1);
        if inside.chance.one_in(2) {
            inside.add(name, Contents { durable: vec![0; some], ..Contents::default() });
        }
        Err(inside.trouble(trouble))
    }

    fn open(&self, name: &str) -> io::Result<SimFile> {
        let id = self.lock().find(name)?;
        Ok(SimFile { disk: self.another(), id })
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.lock().whole(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut inside = self.lock();
        let trouble = inside.begin()?.or(inside.full.then_some(Trouble::Full));
        let Some(trouble) = trouble else {
            inside.add(name, Contents::of(bytes));
            return Ok(());
        };
        match inside.chance.below(3) {
            0 => {
                let some = inside.chance.below(bytes.len() + 1);
                inside.add(&format!("{name}.new"), Contents::of(&bytes[..some]));
            }
            1 if trouble == Trouble::PowerLoss => {
                inside.add(name, Contents::of(bytes));
            }
            _ => {}
        }
        Err(inside.trouble(trouble))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.lock().change(|inside| {
            let id = inside.find(from)?;
            inside.names.remove(from);
            if inside.lies.names_are_lost {
                inside.loose.insert(to.to_owned());
            }
            if let Some(old) = inside.names.insert(to.to_owned(), id) {
                inside.forget(old);
            }
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.lock().change(|inside| {
            let id = inside.find(name)?;
            inside.names.remove(name);
            inside.forget(id);
            Ok(())
        })
    }

    fn another(&self) -> SimDisk {
        SimDisk(Arc::clone(&self.0))
    }

    fn copy(&self, name: &str, from: &SimFile, until: u64) -> io::Result<()> {
        let mut bytes = vec![0; usize::try_from(from.size()?).map_err(io::Error::other)?];
        let until = usize::try_from(until).unwrap_or(usize::MAX).min(bytes.len());
        from.read_at(0, &mut bytes[..until])?;
        let mut inside = self.lock();
        let trouble = inside.begin()?.or(inside.full.then_some(Trouble::Full));
        if inside.names.contains_key(name) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{name} is there")));
        }
        if trouble.is_some() {
            bytes.truncate(inside.chance.below(bytes.len() + 1));
        }
        inside.add(name, Contents::of(&bytes));
        trouble.map_or(Ok(()), |trouble| Err(inside.trouble(trouble)))
    }

    fn sync_names(&self) -> io::Result<()> {
        self.lock().change(|_| Ok(()))
    }

    fn prepares_beside(&self) -> bool {
        false
    }
}

/// An open file of a simulated disk.
pub(crate) struct SimFile {
    disk: SimDisk,
    id: u64,
}

impl SimFile {
    fn gone() -> io::Error {
        io::Error::other("the file is gone")
    }
}

impl DiskFile for SimFile {
    fn size(&self) -> io::Result<u64> {
        let inside = self.disk.lock();
        inside.files.get(&self.id).map(|contents| contents.durable.len() as u64).ok_or_else(SimFile::gone)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let inside = self.disk.lock();
        let contents = inside.files.get(&self.id).ok_or_else(SimFile::gone)?;
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        if offset + buffer.len() > contents.durable.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        contents.read(offset, buffer);
        Ok(())
    }

    fn write_at(&self, offset: u64, blocks: &AlignedBuffer) -> io::Result<()> {
        let mut inside = self.disk.lock();
        let trouble = inside.begin()?;
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let mut sectors: Vec<(usize, [u8; SECTOR])> = Vec::with_capacity(blocks.bytes().len() / SECTOR);
        for (place, bytes) in blocks.bytes().chunks_exact(SECTOR).enumerate() {
            let mut sector = [0; SECTOR];
            sector.copy_from_slice(bytes);
            sectors.push((offset + place * SECTOR, sector));
        }
        if trouble == Some(Trouble::Fails) {
            let short = inside.chance.below(sectors.len() + 1);
            sectors.truncate(short);
        }
        if trouble != Some(Trouble::Full) {
            let contents = inside.files.get_mut(&self.id).ok_or_else(SimFile::gone)?;
            let size = contents.durable.len().max(offset + blocks.bytes().len());
            contents.durable.resize(size, 0);
            contents.pending.extend(sectors);
        }
        trouble.map_or(Ok(()), |trouble| Err(inside.trouble(trouble)))
    }

    fn sync(&self) -> io::Result<()> {
        let mut inside = self.disk.lock();
        let trouble = inside.begin()?;
        let Inside { files, chance, lies, .. } = &mut *inside;
        let contents = files.get_mut(&self.id).ok_or_else(SimFile::gone)?;
        match trouble {
            None if lies.sync_is_lost => {}
            None if lies.sync_is_late => {
                contents.sync(contents.late);
                contents.late = contents.pending.len();
            }
            None => contents.sync(contents.pending.len()),
            Some(Trouble::PowerLoss) => {}
            Some(_) => {
                // As real systems do: what could not be synced is given up, and may still be shown.
                let ghosts = if chance.one_in(2) { contents.pending.clone() } else { Vec::new() };
                contents.lose_power(chance);
                contents.ghosts = ghosts;
            }
        }
        trouble.map_or(Ok(()), |trouble| Err(inside.trouble(trouble)))
    }

    fn settle(&self) -> io::Result<()> {
        self.sync()?;
        if let Some(contents) = self.disk.lock().files.get_mut(&self.id) {
            contents.ghosts.clear();
        }
        Ok(())
    }
}
