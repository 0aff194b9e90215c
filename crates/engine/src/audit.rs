//! The audit: chain, signatures, replay, ledger, and every settlement recomputed from its rulebook.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;

use floor::Floor;
use journal::{Chain, Checkpoint, Disk, PublicKey, Read, Scan, Snapshot, SnapshotError, Tail};

use crate::codec::{decode, decode_state, is_known_state, is_state_of};

const OTHER_KEY: &str = "the checkpoint was signed by another key";
/// The ledger is checked whole after so many records, and at the end.
const CHECK_EVERY: u64 = 100_000;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// At which record, or after which.
    pub sequence: u64,
    /// What.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.sequence, self.what)
    }
}

/// Where a replay began.
#[derive(Copy, Clone)]
struct Begun {
    sequence: u64,
    chain: Chain,
}

/// What an audit saw.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The journal's id.
    pub journal: [u8; 16],
    /// The key that signed the checkpoints, as it was given or as the first of them has it.
    pub key: Option<PublicKey>,
    /// The first record that could be read.
    pub first: u64,
    /// The record of the snapshot from which the replay began; 0 if it began with the first record, which proves most.
    pub replayed_after: u64,
    /// The last.
    pub last: u64,
    /// When they were written.
    pub times: Option<(i64, i64)>,
    /// The chain at the end.
    pub chain: Option<Chain>,
    /// Checkpoints, all of them genuine.
    pub checkpoints: u64,
    /// The last of them.
    pub last_checkpoint: Option<Checkpoint>,
    /// Records after the last checkpoint: not yet signed for.
    pub unsigned: u64,
    /// Settlements recomputed.
    pub settlements: u64,
    /// Snapshots compared with the replay.
    pub snapshots: u64,
    /// Anchors that hold.
    pub anchors: u64,
    /// Everything that is not as it should be. Empty is what one wants to see.
    pub findings: Vec<Finding>,
    /// Acts of people that need review (D15, D27). A person must judge them; they are not faults of the journal.
    pub people: Vec<Finding>,
    /// The floor at the end.
    pub floor: Floor,
    /// A part of the hash of what a device read of each past round, by table and leaf.
    read: BTreeMap<(floor::TableId, u64), [u8; 16]>,
}

impl Audit {
    /// Whether everything is as it should be.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    fn find(&mut self, sequence: u64, what: impl Into<String>) {
        self.findings.push(Finding { sequence, what: what.into() });
    }
}

/// Audits a journal whose segments are in these folders, the running one last. Anchors are checkpoints that were kept
/// elsewhere. `key` is the key that must have signed, if it is known from elsewhere too: the one that the running
/// folder exports must be the same. Progress is reported in bytes read of bytes in total.
pub fn audit<D: Disk>(
    folders: Vec<D>,
    anchors: &[Checkpoint],
    key: Option<PublicKey>,
    progress: impl FnMut(u64, u64),
) -> Audit {
    audit_since(folders, None, anchors, key, progress)
}

/// Audits what came after a record only. The replay begins with the newest snapshot that is not after it; that the state
/// in this snapshot is right is not audited. Where there is no such snapshot, everything is audited.
pub fn audit_since<D: Disk>(
    folders: Vec<D>,
    since: Option<u64>,
    anchors: &[Checkpoint],
    key: Option<PublicKey>,
    mut progress: impl FnMut(u64, u64),
) -> Audit {
    let mut audit = Audit { key, ..Audit::default() };
    let mut snapshots = Vec::new();
    if let Some(folder) = folders.last() {
        audit.exported_key(folder);
        snapshots = read_snapshots(folder, &mut audit);
    }
    let begun = since.and_then(|since| audit.begin(&mut snapshots, since));
    let mut scan = match Scan::new(folders) {
        Ok(scan) => scan,
        Err(error) => {
            audit.find(0, error.to_string());
            return audit;
        }
    };
    let size = scan.size();
    match scan.begins() {
        Ok(first) => audit.first = first,
        Err(damage) => {
            audit.find(0, damage.to_string());
            return audit;
        }
    }
    audit.journal = scan.journal().unwrap_or_default();
    if audit.first > audit.replayed_after.max(1) {
        audit.find(0, format!("the records before {} are not here: name the folder of the archive", audit.first));
        return audit;
    }
    if let Err(damage) = begun.map_or(Ok(()), |begun| scan.start_at(begun.sequence)) {
        audit.find(0, damage.to_string());
        return audit;
    }
    let mut held = vec![false; anchors.len()];
    loop {
        progress(scan.position(), size);
        match scan.read() {
            Err(damage) => {
                let sequence = audit.last;
                audit.find(sequence, damage.to_string());
                break;
            }
            Ok(None) => break,
            Ok(Some(Read::Checkpoint(checkpoint))) => {
                audit.checkpoints += 1;
                // Without a key from elsewhere, one and the same must have signed everything.
                let other_key = *audit.key.get_or_insert(checkpoint.key) != checkpoint.key;
                if other_key && audit.findings.iter().all(|finding| finding.what != OTHER_KEY) {
                    audit.find(checkpoint.sequence, OTHER_KEY);
                }
                audit.last_checkpoint = Some(checkpoint);
                note_anchors(anchors, &mut held, checkpoint.sequence, checkpoint.chain);
            }
            Ok(Some(Read::Records { first, entries, chain })) => {
                let before = audit.findings.len();
                if let Some(begun) = begun.filter(|begun| first <= begun.sequence) {
                    let end = first + entries.len() as u64 - 1;
                    if end > begun.sequence || (end == begun.sequence && chain != begun.chain) {
                        audit.find(begun.sequence, "the snapshot is not of this journal");
                        break;
                    }
                    continue;
                }
                for (entry, sequence) in entries.iter().zip(first..) {
                    audit.record(sequence, entry.time, entry.bytes);
                    if audit.findings.len() > before {
                        break;
                    }
                }
                audit.chain = Some(chain);
                note_anchors(anchors, &mut held, audit.last, chain);
                audit.compare(&mut snapshots, chain);
                if audit.findings.len() > before {
                    break;
                }
            }
        }
    }
    audit.finish(&scan, anchors, &held, size);
    if scan.ending().is_some() {
        // Where damage ended the reading, nothing can be said of what lies beyond.
        audit.left_over(&snapshots);
    }
    progress(size, size);
    audit
}

fn note_anchors(anchors: &[Checkpoint], held: &mut [bool], sequence: u64, chain: Chain) {
    for (anchor, held) in anchors.iter().zip(held) {
        *held |= anchor.sequence == sequence && anchor.chain == chain;
    }
}

fn read_snapshots<D: Disk>(folder: &D, audit: &mut Audit) -> Vec<Snapshot> {
    let mut snapshots = Vec::new();
    for name in Snapshot::list(folder).unwrap_or_default() {
        match Snapshot::read(folder, &name) {
            Ok(snapshot) => snapshots.push(snapshot),
            // A running floor has thrown it away since: newer ones stand for it.
            Err(SnapshotError::Disk { error, .. }) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => audit.find(0, error.to_string()),
        }
    }
    snapshots
}

impl Audit {
    fn record(&mut self, sequence: u64, time: i64, bytes: &[u8]) {
        let record = match decode(time, bytes) {
            Ok(record) => record,
            Err(error) => return self.find(sequence, error.to_string()),
        };
        if matches!(
            record.event,
            floor::Event::RoundSettled { .. }
                | floor::Event::ChipsSettled { .. }
                | floor::Event::ChipsCorrected { .. }
                | floor::Event::RoundCorrected { .. }
                | floor::Event::SettledRoundVoided { .. }
        ) {
            self.settlements += 1;
            if let Err(what) = self.floor.verify(&record.event) {
                return self.find(sequence, what);
            }
        }
        if let Err(what) = self.past(&record.event) {
            return self.find(sequence, what);
        }
        if record.at < self.floor.now() {
            return self.find(sequence, "time ran backwards");
        }
        for seen in floor::People::observe(&self.floor, &record) {
            self.people.push(Finding { sequence, what: format!("{}: {}", seen.code, seen.words) });
        }
        if let Err(misfit) = self.floor.apply(&record) {
            return self.find(sequence, misfit.to_string());
        }
        self.last = sequence;
        self.times = Some((self.times.map_or(time, |(first, _)| first), time));
        if sequence.is_multiple_of(CHECK_EVERY) {
            self.books(sequence);
        }
    }

    /// A past round comes back only with its proof, and with what its device read when it was played (D19, D24).
    fn past(&mut self, event: &floor::Event) -> Result<(), String> {
        let short = |read: &[u8]| floor::leaf(read).0.first_chunk().copied();
        if let Some(table) = self.floor.leaves_at(event) {
            self.read.extend(short(&table.leaving_read()).map(|read| ((table.id(), table.past_rounds()), read)));
        }
        if let floor::Event::RoundRecalled { table, round, leaf, read, .. } = event {
            self.floor.verify(event)?;
            // One of before the snapshot from which the replay began is not known.
            let known = self.read.get(&(*table, *leaf));
            if let Some((known, read)) = known.zip(read.as_deref())
                && Some(*known) != short(read)
            {
                return Err(format!("round {round} was recalled with readings that its device did not report"));
            }
        }
        Ok(())
    }

    fn books(&mut self, sequence: u64) {
        for what in self.floor.check() {
            self.find(sequence, what);
        }
    }

    /// Takes the state of the newest snapshot that is not after a record; those up to it are not compared.
    fn begin(&mut self, snapshots: &mut Vec<Snapshot>, since: u64) -> Option<Begun> {
        snapshots.sort_by_key(|snapshot| snapshot.sequence);
        let usable = |snapshot: &Snapshot| snapshot.sequence <= since && is_known_state(&snapshot.state);
        let place = snapshots.iter().rposition(usable)?;
        let snapshot = snapshots.get(place)?;
        self.floor = decode_state(&snapshot.state).ok()?;
        self.last = snapshot.sequence;
        self.replayed_after = snapshot.sequence;
        let begun = Begun { sequence: snapshot.sequence, chain: snapshot.chain };
        snapshots.drain(..=place);
        Some(begun)
    }

    /// The key that the folder exports must be the one that is expected.
    fn exported_key<D: Disk>(&mut self, folder: &D) {
        match PublicKey::of(folder) {
            Ok(key) if *self.key.get_or_insert(key) != key => {
                self.find(0, "journal.pub is another key than the one given")
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound && self.key.is_some() => {}
            Err(error) => self.find(0, format!("journal.pub: {error}")),
        }
    }

    /// Snapshots with which no batch of this journal ended.
    fn left_over(&mut self, snapshots: &[Snapshot]) {
        let last = self.last;
        for Snapshot { journal, sequence, .. } in snapshots {
            if *journal != self.journal {
                self.find(last, format!("the snapshot of record {sequence} is of another journal"));
            } else if *sequence > last {
                self.find(last, format!("the end is cut off: there is a snapshot of record {sequence}"));
            } else {
                self.find(*sequence, "the snapshot is of a moment that never was");
            }
        }
    }

    fn compare(&mut self, snapshots: &mut Vec<Snapshot>, chain: Chain) {
        let (last, journal) = (self.last, self.journal);
        for snapshot in snapshots.extract_if(.., |found| found.sequence == last && found.journal == journal) {
            // A file that an unsupported release wrote beside the log can be rebuilt, so it is not compared.
            if !is_known_state(&snapshot.state) {
                continue;
            }
            self.snapshots += 1;
            if snapshot.chain != chain || !is_state_of(&snapshot.state, &self.floor) {
                self.find(snapshot.sequence, "the snapshot is not what the records give");
            }
        }
    }

    fn finish<D: Disk>(&mut self, scan: &Scan<D>, anchors: &[Checkpoint], held: &[bool], size: u64) {
        let last = self.last;
        self.books(last);
        if let Some(ending) = scan.ending()
            && let Tail::Torn { bytes } = ending.tail
        {
            self.find(last, format!("{bytes} bytes after the last record belong to no whole batch"));
        }
        if size == 0 {
            self.find(0, "there is no journal here");
        }
        for (anchor, held) in anchors.iter().zip(held) {
            if !anchor.is_genuine(self.journal) {
                self.find(anchor.sequence, "the anchor was not signed for this journal");
            } else if self.key.is_some_and(|key| key != anchor.key) {
                self.find(anchor.sequence, "the anchor was signed by another key");
            } else if *held {
                self.anchors += 1;
            } else if anchor.sequence > last && scan.ending().is_none() {
                self.find(last, format!("the anchor of record {} was not reached", anchor.sequence));
            } else if anchor.sequence > last {
                self.find(last, format!("the end is cut off: the anchor is of record {}", anchor.sequence));
            } else {
                self.find(anchor.sequence, "the chain here is not the anchor's");
            }
        }
        self.unsigned = last - self.last_checkpoint.map_or(0, |checkpoint| checkpoint.sequence).min(last);
    }
}
