//! The records of a journal, from the first on, for programs that build something from them.

use std::collections::VecDeque;

use floor::Record;
use indicatif::ProgressBar;
use journal::{Read, RealDisk, Scan};

use crate::data;
use crate::output::progress;
use crate::refusal::Refusal;

/// The records of a journal one by one, until something is wrong.
pub struct Log {
    scan: Scan<RealDisk>,
    ready: VecDeque<Record>,
    bar: ProgressBar,
    failed: Option<Refusal>,
}

impl Log {
    /// The journal of these folders, from its first record on.
    pub fn new(folders: Vec<RealDisk>, words: &'static str) -> Result<Log, Refusal> {
        let mut scan = data::scan(folders)?;
        let begins = scan.begins()?;
        if begins > 1 {
            let message = format!("the records before {begins} are not here: name the folder of the archive");
            return Err(Refusal::new("archived_records", message));
        }
        let bar = progress(words, scan.size());
        Ok(Log { scan, ready: VecDeque::new(), bar, failed: None })
    }

    /// Nothing more is wanted: the id of the journal, or what was wrong with it.
    pub fn end(self) -> Result<Option<[u8; 16]>, Refusal> {
        self.bar.finish_and_clear();
        match self.failed {
            Some(failed) => Err(failed),
            None => Ok(self.scan.journal()),
        }
    }

    /// The next batch; false at the end.
    fn read(&mut self) -> Result<bool, Refusal> {
        match self.scan.read()? {
            None => return Ok(false),
            Some(Read::Checkpoint(_)) => {}
            Some(Read::Records { first, entries, .. }) => {
                for (entry, sequence) in entries.iter().zip(first..) {
                    let unreadable = |error| format!("record {sequence} cannot be read: {error}");
                    let record = engine::decode(entry.time, entry.bytes);
                    self.ready.push_back(record.map_err(|error| Refusal::new("damaged_journal", unreadable(error)))?);
                }
            }
        }
        self.bar.set_position(self.scan.position());
        Ok(true)
    }
}

impl Iterator for Log {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.ready.is_empty() && self.failed.is_none() {
            match self.read() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(refusal) => self.failed = Some(refusal),
            }
        }
        self.ready.pop_front()
    }
}
