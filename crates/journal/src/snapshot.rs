//! Snapshots beside the log: the state after a record, so that not everything has to be read again.

use std::io;

use crate::disk::{Disk, UNFINISHED};
use crate::segment::{Chain, array};

const MAGIC: &[u8; 8] = b"CRPSNAP1";
/// Magic, journal, sequence, chain, hash of the state, checksum.
const HEADER: usize = 8 + 16 + 8 + 32 + 32 + 4;

/// A state as bytes, with its position in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Of which journal.
    pub journal: [u8; 16],
    /// The sequence of the last record it covers.
    pub sequence: u64,
    /// The chain after that record's batch.
    pub chain: Chain,
    /// The state.
    pub state: Vec<u8>,
}

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The disk failed.
    #[error("{name}: {error}")]
    Disk {
        /// Which file.
        name: String,
        /// How.
        error: io::Error,
    },
    /// It is not what was written.
    #[error("{0} is damaged")]
    Damaged(String),
}

impl Snapshot {
    fn name(sequence: u64) -> String {
        format!("{sequence:020}.snapshot")
    }

    /// Writes the snapshot, whole or not at all.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write<D: Disk>(&self, disk: &D) -> io::Result<String> {
        let mut bytes = Vec::with_capacity(HEADER + self.state.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.journal);
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.chain.0);
        bytes.extend_from_slice(blake3::hash(&self.state).as_bytes());
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(&self.state);
        let name = Snapshot::name(self.sequence);
        disk.write(&name, &bytes)?;
        Ok(name)
    }

    /// The snapshots of a folder, newest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn list<D: Disk>(disk: &D) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = disk.list()?.into_iter().filter(|name| name.ends_with(".snapshot")).collect();
        names.sort_by(|a, b| b.cmp(a));
        Ok(names)
    }

    /// Removes all but the newest snapshots, and the remains of an interrupted one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn prune<D: Disk>(disk: &D, keep: usize) -> io::Result<()> {
        let unfinished = format!(".snapshot{UNFINISHED}");
        let left: Vec<String> = disk.list()?.into_iter().filter(|name| name.ends_with(&unfinished)).collect();
        let old = Snapshot::list(disk)?.into_iter().skip(keep);
        old.chain(left).try_for_each(|name| disk.remove(&name))
    }

    /// Reads a snapshot and proves it by its hash.
    ///
    /// # Errors
    /// When the disk fails or the snapshot is damaged.
    pub fn read<D: Disk>(disk: &D, name: &str) -> Result<Snapshot, SnapshotError> {
        let bytes = disk.read(name).map_err(|error| SnapshotError::Disk { name: name.to_owned(), error })?;
        let damaged = || SnapshotError::Damaged(name.to_owned());
        let (header, state) = bytes.split_at_checked(HEADER).ok_or_else(damaged)?;
        let (fields, crc) = header.split_at(HEADER - 4);
        let whole = fields[..8] == *MAGIC
            && crc == crc32fast::hash(fields).to_le_bytes()
            && fields[64..96] == *blake3::hash(state).as_bytes();
        if !whole {
            return Err(damaged());
        }
        Ok(Snapshot {
            journal: array(&fields[8..24]),
            sequence: u64::from_le_bytes(array(&fields[24..32])),
            chain: Chain(array(&fields[32..64])),
            state: state.to_vec(),
        })
    }
}
