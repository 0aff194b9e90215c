//! Making and verifying proofs of records.

use std::io;
use std::path::{Path, PathBuf};

use floor::Record;
use tlog::entry::{Content, leaf as leaf_of_entry};
use tlog::proof::{root_from_inclusion, verify_inclusion};
use tlog::tree::{prove_consistency, prove_inclusion, root};
use tlog::{Checkpoint, Frontier, Hash, Opening, Policy, ProofFile, SaltKey, VerifierKey};

use crate::heads::{Head, Heads};
use crate::journal_reader::Segments;
use crate::levels::LevelReader;
use crate::{FOLDER, keys, leaf};

/// What is shown of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Nothing.
    Nothing,
    /// Everything; of a record that lists several terminals, everything but what it says of each.
    Whole,
    /// What it says of one terminal.
    For(u32),
    /// Nothing, and the search ends here.
    End,
}

/// Makes proofs from the files of a floor: at rest, or beside the floor that is in play.
#[derive(Debug)]
pub struct Prover {
    segments: Segments,
    salt: SaltKey,
    key: VerifierKey,
    heads: Heads,
    levels: LevelReader,
}

fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Prover {
    /// The log of a floor; `None` if it has none.
    ///
    /// # Errors
    /// When its keys cannot be read.
    pub fn open(folder: &Path, archives: &[PathBuf]) -> io::Result<Option<Prover>> {
        let (Some(key), Some(salt)) = (keys::public(folder)?, keys::salt(folder)?) else { return Ok(None) };
        let log = folder.join(FOLDER);
        let (heads, levels) = (Heads::new(&log, key.clone()), LevelReader::new(&log));
        Ok(Some(Prover { segments: Segments::new(folder, archives), salt, key, heads, levels }))
    }

    /// The key that signs its heads.
    #[must_use]
    pub fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// The newest head; `None` if none was signed yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn newest(&self) -> io::Result<Option<Head>> {
        Ok(self.heads.newest()?.map(|(head, _)| head))
    }

    /// The smallest head with so many records.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn covering(&self, size: u64) -> io::Result<Option<Head>> {
        self.heads.covering(size)
    }

    /// Whether a slip names a record of this log by its salt.
    #[must_use]
    pub fn knows(&self, slip: &tlog::compact::Slip) -> bool {
        // Every byte is compared, so that the time says nothing of where they differ.
        let salt = self.salt.record(slip.index);
        salt.iter().zip(slip.salt).fold(0, |differs, (mine, theirs)| differs | (mine ^ theirs)) == 0
    }

    /// The slip of a record.
    #[must_use]
    pub fn slip(&self, index: u64) -> tlog::compact::Slip {
        tlog::compact::Slip { index, salt: self.salt.record(index) }
    }

    /// The path of a tile's hashes, for those who ask for tiles.
    #[must_use]
    pub fn levels(&self) -> &LevelReader {
        &self.levels
    }

    /// The proof that the tree of one size is the beginning of that of another.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn consistency(&self, old: u64, size: u64) -> io::Result<Vec<Hash>> {
        prove_consistency(&self.levels, old, size)
    }

    /// The root of the first records, by the files.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn root(&self, size: u64) -> io::Result<Hash> {
        root(&self.levels, size)
    }

    /// Hands over the entries of the first records, as they are made from the journal.
    ///
    /// # Errors
    /// When the journal cannot be read, or an entry could not be taken.
    pub fn entries(&self, size: u64, mut each: impl FnMut(&tlog::Entry) -> io::Result<()>) -> io::Result<()> {
        self.segments.after(0, |first, entries| {
            for (entry, sequence) in entries.iter().zip(first..) {
                if sequence > size {
                    return Ok(false);
                }
                each(&leaf::entry(&self.salt, sequence - 1, entry.time, entry.bytes))?;
            }
            Ok(true)
        })
    }

    /// Hands over the entries of all records after so many.
    ///
    /// # Errors
    /// When the journal cannot be read, or an entry could not be taken.
    pub fn entries_after(&self, size: u64, mut each: impl FnMut(&tlog::Entry) -> io::Result<()>) -> io::Result<()> {
        self.segments.after(size, |first, entries| {
            for (entry, sequence) in entries.iter().zip(first..) {
                each(&leaf::entry(&self.salt, sequence - 1, entry.time, entry.bytes))?;
            }
            Ok(true)
        })
    }

    /// The tile of so many entries from one on: each with its length, as C2SP tlog-tiles has them.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn entry_tile(&self, first: u64, width: u64) -> io::Result<Vec<u8>> {
        let mut tile = Vec::new();
        self.segments.after(first, |from, entries| {
            for (entry, sequence) in entries.iter().zip(from..) {
                if sequence > first + width {
                    return Ok(false);
                }
                let entry = leaf::entry(&self.salt, sequence - 1, entry.time, entry.bytes);
                tile.extend_from_slice(&(entry.len() as u16).to_be_bytes());
                tile.extend_from_slice(&entry);
            }
            Ok(true)
        })?;
        Ok(tile)
    }

    /// Proves an opening; the proof is verified before it is given out.
    fn prove(&self, index: u64, opening: &Opening, head: &Head) -> io::Result<ProofFile> {
        let path = prove_inclusion(&self.levels, index, head.checkpoint.size)?;
        let entry = opening.entry().map_err(|error| broken(error.to_string()))?;
        let found = root_from_inclusion(leaf_of_entry(&entry), index, head.checkpoint.size, &path);
        if found != Ok(head.checkpoint.root) {
            return Err(broken(format!("record {} is not what the tree has: it must be made again", index + 1)));
        }
        Ok(ProofFile { extra: Some(opening.to_bytes()), index, path, note: head.note.clone() })
    }

    /// Proves what is chosen of the records from one on, up to the last that the head covers.
    ///
    /// # Errors
    /// When journal or tree cannot be read, or do not fit each other.
    pub fn choose(
        &self,
        first: u64,
        head: &Head,
        mut choose: impl FnMut(u64, &Record) -> Chosen,
    ) -> io::Result<Vec<ProofFile>> {
        let mut proofs = Vec::new();
        self.segments.after(first.saturating_sub(1), |first, entries| {
            for (entry, sequence) in entries.iter().zip(first..) {
                if sequence > head.checkpoint.size {
                    return Ok(false);
                }
                let record = engine::decode(entry.time, entry.bytes);
                let record = record.map_err(|error| broken(format!("record {sequence}: {error}")))?;
                let (index, time, bytes) = (sequence - 1, entry.time, entry.bytes);
                let opening = match choose(sequence, &record) {
                    Chosen::Nothing => None,
                    Chosen::End => return Ok(false),
                    Chosen::Whole => Some(leaf::open(&self.salt, index, time, bytes)),
                    Chosen::For(terminal) => leaf::open_for(&self.salt, index, time, bytes, terminal),
                };
                if let Some(opening) = opening {
                    proofs.push(self.prove(index, &opening, head)?);
                }
            }
            Ok(true)
        })?;
        Ok(proofs)
    }
}

/// The last record of a journal, whether a floor runs on it or not.
///
/// # Errors
/// When it cannot be read.
pub fn last_record(folder: &Path, archives: &[PathBuf]) -> io::Result<u64> {
    Segments::new(folder, archives).last()
}

/// Whether a head is that of the first records of a journal: by the files of the tree, or else by the journal itself.
///
/// # Errors
/// When the journal cannot be read; not found where its records are archived elsewhere.
pub fn holds(folder: &Path, archives: &[PathBuf], head: &Checkpoint) -> io::Result<bool> {
    let none = || io::Error::new(io::ErrorKind::NotFound, "the floor has no log");
    let prover = Prover::open(folder, archives)?.ok_or_else(none)?;
    // Only up to the newest head are the files durable.
    let durable = prover.newest()?.map_or(0, |newest| newest.checkpoint.size);
    if head.size <= durable && prover.root(head.size).is_ok_and(|root| root == head.root) {
        return Ok(true);
    }
    let mut frontier = Frontier::default();
    prover.entries(head.size, |entry| {
        frontier.push(leaf_of_entry(entry), |_, _| ());
        Ok(())
    })?;
    Ok(frontier.size() == head.size && frontier.root() == head.root)
}

/// What a proof shows, verified.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The sequence of the record.
    pub sequence: u64,
    /// The record; one that lists several terminals has an empty list.
    pub record: Record,
    /// What it says of one terminal, as it is encoded.
    pub item: Option<Vec<u8>>,
    /// How many terminals it lists.
    pub listed: Option<u32>,
    /// The head.
    pub checkpoint: Checkpoint,
    /// The witnesses that have cosigned the head, and when.
    pub witnesses: Vec<(String, u64)>,
}

impl Proved {
    /// Verifies a proof by a policy.
    ///
    /// # Errors
    /// In words, why it proves nothing.
    pub fn by(proof: &ProofFile, policy: &Policy) -> Result<Proved, String> {
        let head = policy.verify(&proof.note).map_err(|error| error.to_string())?;
        let opening = proof.extra.as_ref().ok_or("the proof does not say what the entry is made from")?;
        let opening = Opening::parse(opening).map_err(|error| error.to_string())?;
        let entry = opening.entry().map_err(|error| error.to_string())?;
        let (index, size) = (proof.index, head.checkpoint.size);
        verify_inclusion(leaf_of_entry(&entry), index, size, &proof.path, &head.checkpoint.root)
            .map_err(|error| error.to_string())?;
        let (record, item) = leaf::shown(&opening);
        let record = engine::decode(opening.time, record).map_err(|error| format!("the record {error}"))?;
        let listed = match opening.content {
            Content::Record(_) => None,
            Content::Listed { count, .. } | Content::Head { count, .. } => Some(count),
        };
        let item = item.map(<[u8]>::to_vec);
        let (checkpoint, witnesses) = (head.checkpoint, head.witnesses);
        Ok(Proved { sequence: index + 1, record, item, listed, checkpoint, witnesses })
    }

    /// The terminal and what it got back, where the proof shows one terminal's part of a settlement.
    #[must_use]
    pub fn returned(&self) -> Option<(floor::TerminalId, rulebook::Cents)> {
        match self.record.event {
            floor::Event::RoundSettled { .. } => minicbor::decode(self.item.as_deref()?).ok(),
            _ => None,
        }
    }
}
