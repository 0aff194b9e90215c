//! What a seed begins with: a disk with the journal of a house, made once, and the tables of the seed.

use std::sync::LazyLock;

use engine::{encode, encode_state};
use floor::{Floor, Record};
use journal::{Batch, Disk, Journal, Key, MAX_PAYLOAD, Snapshot};
use simulator::Crowd;

use crate::disk::SimDisk;

/// The id of every simulated journal, and the key that signs it.
pub(crate) const JOURNAL: [u8; 16] = [7; 16];
const SECRET: [u8; 32] = [9; 32];

/// A journal of each of the two houses, with a snapshot at its end: reading rulebooks takes long.
static HOUSES: LazyLock<[SimDisk; 2]> = LazyLock::new(|| [house(1), house(0)]);

pub(crate) fn key() -> Key {
    Key::new(SECRET)
}

/// The sizes of the smallest journals there are.
pub(crate) fn options() -> journal::Options {
    journal::Options { segment: 0, checkpoint_every: u64::MAX }
}

fn house(seed: u64) -> SimDisk {
    let (floor, log) = Crowd::house(seed);
    let disk = SimDisk::new(0);
    let mut journal = Journal::copy_of(disk.another(), options(), JOURNAL, key()).expect("a disk without faults");
    for batch in &mut batches(log) {
        journal.append(journal.sequence(), batch).expect("a disk without faults");
    }
    snapshot(&journal, floor).write(&disk).expect("a disk without faults");
    disk
}

fn snapshot(journal: &Journal<SimDisk>, floor: &Floor) -> Snapshot {
    let (sequence, chain) = (journal.sequence(), journal.chain());
    Snapshot { journal: JOURNAL, sequence, chain, state: encode_state(floor) }
}

/// Records in batches that a journal takes.
pub(crate) fn batches(log: &[Record]) -> Vec<Batch> {
    let (mut batches, mut batch, mut size) = (Vec::new(), Batch::new(), 0);
    for record in log {
        let mut bytes = Vec::new();
        encode(record, &mut bytes);
        if size > 0 && size + bytes.len() > MAX_PAYLOAD / 2 {
            batches.push(std::mem::replace(&mut batch, Batch::new()));
            size = 0;
        }
        batch.push(record.at.0, &bytes);
        size += bytes.len();
    }
    batches.push(batch);
    batches
}

/// A disk with the floor of a seed on it, and its tables set up.
pub(crate) fn disk(seed: u64, crowd: &Crowd) -> Result<SimDisk, String> {
    let disk = HOUSES[usize::from(seed.is_multiple_of(4))].image(seed);
    let newest = Snapshot::list(&disk).map_err(|error| error.to_string())?.into_iter().next().ok_or("no snapshot")?;
    let newest = Snapshot::read(&disk, &newest).map_err(|error| error.to_string())?;
    let opened = Journal::open(disk.another(), options(), Some(&newest), |_, _| Ok(()));
    let (mut journal, _) = opened.map_err(|error| error.to_string())?;
    for batch in &mut batches(crowd.log()) {
        journal.append(journal.sequence(), batch).map_err(|error| error.to_string())?;
    }
    Ok(disk)
}
