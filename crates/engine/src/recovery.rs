//! Coming back: the newest valid snapshot, then the tail of the log.

use std::collections::VecDeque;
use std::fmt;
use std::io;

use floor::{Floor, Moment};
use journal::{Damage, Disk, Entry, Journal, OpenError, Read, Scan, Snapshot};

use crate::codec::{decode, decode_state, is_complete};

/// Why a floor does not come up.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The disk failed, or the folder is in use.
    #[error("{0}")]
    Disk(#[from] io::Error),
    /// The log is damaged in the middle. Nothing is guessed: restore from a backup or from an archive.
    #[error("the journal is damaged: {0}")]
    Damage(#[from] Damage),
    /// A record cannot be read, or does not fit.
    #[error("record {sequence}: {what}")]
    Record {
        /// Which.
        sequence: u64,
        /// Why.
        what: String,
    },
}

/// What recovery did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The sequence of the snapshot that was used, if one was.
    pub snapshot: Option<u64>,
    /// Snapshots that could not be used, and why.
    pub passed_over: Vec<String>,
    /// Records replayed after it.
    pub replayed: u64,
    /// Bytes of a torn tail that were cut off: a batch that was never acknowledged.
    pub cut: u64,
    /// The last record.
    pub sequence: u64,
    /// When it was written.
    pub last_time: Option<Moment>,
    /// Rounds that were open.
    pub open_rounds: usize,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for words in &self.passed_over {
            writeln!(f, "snapshot passed over: {words}")?;
        }
        match self.snapshot {
            Some(sequence) => write!(f, "snapshot of record {sequence}, ")?,
            None => write!(f, "no snapshot, ")?,
        }
        write!(f, "{} records replayed, now at record {}", self.replayed, self.sequence)?;
        if self.cut > 0 {
            write!(f, "; {} bytes of an unacknowledged batch were cut off", self.cut)?;
        }
        if self.open_rounds > 0 {
            write!(f, "; {} rounds were open", self.open_rounds)?;
        }
        Ok(())
    }
}

/// Opens the journal of a folder and brings the floor to its end.
pub(crate) fn recover<D: Disk>(
    disk: &D,
    options: journal::Options,
) -> Result<(Journal<D>, Floor, Recovery), StartError> {
    let mut recovery = Recovery::default();
    let mut candidates: Vec<Option<Snapshot>> = Vec::new();
    for name in Snapshot::list(disk)? {
        match Snapshot::read(disk, &name) {
            Ok(snapshot) => candidates.push(Some(snapshot)),
            Err(error) => recovery.passed_over.push(error.to_string()),
        }
    }
    candidates.push(None);
    // A snapshot of an earlier release lacks what this release adds, and a replay of the whole log does not: it is used
    // where the log no longer begins at its first record.
    let mut candidates = VecDeque::from(candidates);
    let mut from_the_first = true;
    while let Some(candidate) = candidates.pop_front() {
        let mut floor = match &candidate {
            None => Floor::new(),
            Some(Snapshot { sequence, state, .. }) => match decode_state(state) {
                Ok(floor) if floor.sequence() == *sequence && from_the_first && !is_complete(state, &floor) => {
                    candidates.push_back(candidate);
                    continue;
                }
                Ok(floor) if floor.sequence() == *sequence => floor,
                Ok(_) => {
                    recovery.passed_over.push(format!("the snapshot of record {sequence} is of another record"));
                    continue;
                }
                Err(error) => {
                    recovery.passed_over.push(format!("the snapshot of record {sequence}: {error}"));
                    continue;
                }
            },
        };
        let mut failed = None;
        let opened = Journal::open(disk.another(), options, candidate.as_ref(), |first, entries| {
            // Nothing is cut off or changed where the records do not fit.
            replay(&mut floor, first, entries).map_err(|(sequence, what)| {
                let segment = format!("record {sequence}");
                let damage = Damage { segment, offset: 0, until: None, what: what.clone() };
                failed = Some((sequence, what));
                damage
            })
        });
        match (opened, failed) {
            // A snapshot from which the log cannot be replayed: an older one will do.
            (_, Some((sequence, what))) if candidate.is_some() => {
                recovery.passed_over.push(format!("replaying after the snapshot fails at record {sequence}: {what}"));
            }
            (_, Some((sequence, what))) => return Err(StartError::Record { sequence, what }),
            (Ok((journal, opened)), None) => {
                recovery.snapshot = candidate.map(|snapshot| snapshot.sequence);
                recovery.replayed = opened.replayed;
                recovery.cut = opened.cut;
                recovery.sequence = journal.sequence();
                recovery.last_time = opened.last_time.map(Moment).or(Some(floor.now()).filter(|now| now.0 > 0));
                recovery.open_rounds = floor.tables().iter().filter(|table| table.round().is_some()).count();
                return Ok((journal, floor, recovery));
            }
            (Err(OpenError::Snapshot(sequence)), None) if candidate.is_some() => {
                recovery.passed_over.push(format!("the snapshot of record {sequence} does not belong to this journal"));
            }
            (Err(OpenError::Disk(error)), None) => return Err(StartError::Disk(error)),
            (Err(OpenError::Damage(damage)), None) => return Err(StartError::Damage(damage)),
            (Err(OpenError::Snapshot(_)), None) if !candidates.is_empty() => from_the_first = false,
            (Err(OpenError::Snapshot(sequence)), None) => {
                let what = "the journal begins later than its first record; the older segments are archived".to_owned();
                return Err(StartError::Record { sequence: sequence + 1, what });
            }
        }
    }
    Err(StartError::Disk(io::Error::other("nothing to recover from")))
}

/// Applies records; where one does not fit, its sequence and why.
fn replay(floor: &mut Floor, first: u64, entries: &[Entry<'_>]) -> Result<(), (u64, String)> {
    for (entry, sequence) in entries.iter().zip(first..) {
        let record = decode(entry.time, entry.bytes).map_err(|error| (sequence, error.to_string()))?;
        floor.apply(&record).map_err(|misfit| (sequence, misfit.to_string()))?;
    }
    Ok(())
}

/// The floor as the journal of a folder has it, without changing anything there.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_floor<D: Disk>(disk: D) -> Result<Floor, StartError> {
    let mut floor = Floor::new();
    let mut scan = Scan::new(vec![disk])?;
    while let Some(read) = scan.read()? {
        if let Read::Records { first, entries, .. } = read {
            replay(&mut floor, first, &entries).map_err(|(sequence, what)| StartError::Record { sequence, what })?;
        }
    }
    Ok(floor)
}
