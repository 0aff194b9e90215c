//! The log of a floor: made from a real journal in a real folder, beside a floor in play, after every kind of end.

#[path = "../../floor/tests/common/mod.rs"]
#[allow(unused_imports)]
mod house;

mod audit;
mod follower;
mod privacy;
mod proofs;
mod torn;

use std::path::Path;

use floor::Record;
use house::{DEVICE, House, T0, T1, T2, dollars};
use journal::{Batch, Journal, RealDisk};
use receipts::keys::Keys;
use receipts::{Tree, TreeError};

/// The records of a floor on which three terminals have played some rounds.
fn played(rounds: u32) -> Vec<Record> {
    let mut house = House::with("rws-sicbo");
    for terminal in [T0, T1, T2] {
        house.cash_in(terminal, dollars(2_000));
    }
    for round in 0..rounds {
        house.open();
        house.bet(T0, &["big=10.00"]);
        house.bet(T1, &["small=15.00"]);
        if round % 2 == 0 {
            house.bet(T2, &["small=10.00", "even=5.00"]);
        }
        house.finish("1-2-3");
    }
    assert_eq!(DEVICE.0, 0);
    house.log.clone()
}

fn journal_options() -> journal::Options {
    journal::Options { segment: 0, ..journal::Options::default() }
}

/// Appends records to the journal of a folder, so many to a batch.
fn write(folder: &Path, records: &[Record], batch: usize) -> u64 {
    let disk = RealDisk::new(folder).unwrap();
    let (mut journal, _) = Journal::open(disk, journal_options(), None, |_, _| Ok(())).unwrap();
    let mut buffer = Vec::new();
    for records in records.chunks(batch) {
        let mut batch = Batch::new();
        for record in records {
            buffer.clear();
            engine::encode(record, &mut buffer);
            batch.push(record.at.0, &buffer);
        }
        journal.append(journal.sequence(), &mut batch).unwrap();
    }
    journal.sequence()
}

const NAME: &str = "casino.example/floor/1";

/// The tree of a folder, up to date with so many records.
fn tree(folder: &Path, records: u64) -> Result<Tree, TreeError> {
    let Keys { signer, salt } = Keys::open(folder, || Ok(NAME.to_owned()))?;
    Tree::open(folder, &[], salt, Box::new(signer), |day| format!("day {day}"), records)
}
