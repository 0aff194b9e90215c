//! What the suite runs on: any disk on which a journal can be kept.

#![allow(dead_code)]

use std::path::PathBuf;

use journal::{Batch, Damage, Disk, Journal, OpenError, Opened, Options, RealDisk, Snapshot};

use super::disk::MemDisk;

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

/// The smallest segments there are.
pub const SMALL: Options = Options { segment: 0, checkpoint_every: 1_000_000 };

/// A record: its time and its bytes.
pub type Written = (i64, Vec<u8>);

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

pub fn batch(records: &[Written]) -> Batch {
    let mut batch = Batch::new();
    for (time, record) in records {
        batch.push(*time, record);
    }
    batch
}

/// A record that says which one it is.
pub fn record(number: u64) -> Written {
    (1_000 + number.cast_signed() * 7, format!("record {number}").into_bytes())
}

/// A record of so many bytes.
pub fn large(number: u64, size: usize) -> Written {
    let byte = u8::try_from(number % 250).expect("small") + 1;
    (1_000 + number.cast_signed() * 7, vec![byte; size])
}

/// Appends one record after the last.
#[track_caller]
pub fn append<D: Disk>(journal: &mut Journal<D>, record: Written) {
    let at = journal.sequence();
    assert_eq!(journal.append(at, &mut batch(&[record])).expect("appended"), at + 1);
}

/// A snapshot of the journal as it is, with its sequence as the state.
pub fn snapshot<D: Disk>(journal: &Journal<D>) -> Snapshot {
    let (sequence, state) = (journal.sequence(), journal.sequence().to_le_bytes().to_vec());
    Snapshot { journal: journal.id(), sequence, chain: journal.chain(), state }
}
