//! What the suite runs on: any disk on which a journal can be kept.

#![allow(dead_code, unused_imports)]

use std::path::PathBuf;

use journal::{Checkpoint, Damage, Disk, Journal, OpenError, Opened, Options, PublicKey, RealDisk, Scan, Snapshot};

use super::disk::MemDisk;
use super::log::Keeper;
pub use super::log::{SMALL, Written, append, batch, record};

/// A folder that outlives the journals opened in it, and whose files can be damaged.
pub trait Backend {
    type Disk: Disk;
    fn new() -> Self;
    fn disk(&self) -> Self::Disk;
    fn put(&self, name: &str, bytes: &[u8]);

    fn bytes(&self, name: &str) -> Vec<u8> {
        self.disk().read(name).expect("a file")
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.bytes(name);
        change(&mut bytes);
        self.put(name, &bytes);
    }

    fn segments(&self) -> Vec<String> {
        let mut names = self.disk().list().expect("a folder");
        names.retain(|name| name.ends_with(".segment"));
        names
    }
}

pub struct InMemory(MemDisk);

impl Backend for InMemory {
    type Disk = MemDisk;

    fn new() -> InMemory {
        InMemory(MemDisk::new())
    }

    fn disk(&self) -> MemDisk {
        self.0.another()
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        self.0.put(name, bytes);
    }
}

pub struct OnDisk {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl Backend for OnDisk {
    type Disk = RealDisk;

    fn new() -> OnDisk {
        let folder = tempfile::tempdir().expect("a folder");
        OnDisk { path: folder.path().to_owned(), _folder: folder }
    }

    fn disk(&self) -> RealDisk {
        RealDisk::new(&self.path).expect("a disk")
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path.join(name), bytes).expect("written");
    }
}

impl<B: Backend> Keeper for B {
    type Log = Journal<B::Disk>;

    fn new() -> B {
        B::new()
    }

    fn open(&self, options: Options) -> Journal<B::Disk> {
        open_with(self.disk(), options, None).unwrap_or_else(|error| panic!("{error}")).0
    }

    fn records(&self) -> Vec<(u64, Written)> {
        let mut scan = Scan::new(vec![self.disk()]).expect("a journal");
        let mut found = Vec::new();
        while let Some(read) = scan.read().expect("whole") {
            if let journal::Read::Records { first, entries, .. } = read {
                found.extend((first..).zip(entries.iter().map(|entry| (entry.time, entry.bytes.to_vec()))));
            }
        }
        found
    }

    fn checkpoints(&self) -> Vec<Checkpoint> {
        let mut scan = Scan::new(vec![self.disk()]).expect("a journal");
        let mut found = Vec::new();
        while let Some(read) = scan.read().expect("whole") {
            if let journal::Read::Checkpoint(checkpoint) = read {
                found.push(checkpoint);
            }
        }
        found
    }

    fn key(&self) -> PublicKey {
        PublicKey::of(&self.disk()).expect("exported")
    }
}

/// A journal that was opened, what opening said, and the records it handed over with the sequence of the first.
pub type Found<D> = (Journal<D>, Opened, Vec<(u64, Written)>);

/// Opens a journal.
pub fn open_with<D: Disk>(disk: D, options: Options, snapshot: Option<&Snapshot>) -> Result<Found<D>, OpenError> {
    let mut found = Vec::new();
    let (journal, opened) = Journal::open(disk, options, snapshot, |first, entries| {
        found.extend((first..).zip(entries.iter().map(|entry| (entry.time, entry.bytes.to_vec()))));
        Ok(())
    })?;
    assert_eq!(opened.replayed, found.len() as u64);
    Ok((journal, opened, found))
}

#[track_caller]
pub fn open<D: Disk>(disk: D) -> Found<D> {
    open_with(disk, SMALL, None).unwrap_or_else(|error| panic!("{error}"))
}

/// The damage that keeps a journal from being opened.
#[track_caller]
pub fn damage<D: Disk>(disk: D) -> Damage {
    match open_with(disk, SMALL, None) {
        Err(OpenError::Damage(damage)) => damage,
        Err(error) => panic!("{error}"),
        Ok((journal, ..)) => panic!("opened at record {}", journal.sequence()),
    }
}

/// A record of so many bytes.
pub fn large(number: u64, size: usize) -> Written {
    let byte = u8::try_from(number % 250).expect("small") + 1;
    (1_000 + number.cast_signed() * 7, vec![byte; size])
}

/// A snapshot of the journal as it is, with its sequence as the state.
pub fn snapshot<D: Disk>(journal: &Journal<D>) -> Snapshot {
    let (sequence, state) = (journal.sequence(), journal.sequence().to_le_bytes().to_vec());
    Snapshot { journal: journal.id(), sequence, chain: journal.chain(), state }
}
