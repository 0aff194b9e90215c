//! `croupier records rebuild`: rebuilds the records from the journal.

use std::collections::VecDeque;
use std::path::PathBuf;

use clap::Args;
use floor::Record;
use indicatif::ProgressBar;
use journal::{Read, RealDisk, Scan};
use records::Records;
use serde::Serialize;

use super::{file, refused};
use crate::data::{self, ArchiveArg, DataArg};
use crate::output::time::Local;
use crate::output::{Form, progress};
use crate::refusal::{Failure, Refusal};

/// Delete the records and rebuild them from the journal.
#[derive(Args)]
#[command(after_help = "\
Examples:
  croupier records rebuild --data /srv/floor
  croupier records rebuild --data /srv/floor --to /elsewhere/records.sqlite
  croupier records rebuild --data /srv/floor --archive /archive/floor")]
pub struct Rebuild {
    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,

    /// Build them in another file; a running floor maintains its own.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

#[derive(Serialize)]
struct Rebuilt {
    file: String,
    sequence: u64,
    at: Local,
}

impl Rebuild {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let mut log = Log::new(self.archive.with(self.data.path())?)?;
        let folder = self.data.path();
        if self.to.is_none() && data::in_use(folder) {
            let message =
                format!("{} is in use: a running floor keeps its records itself (--to FILE)", folder.display());
            return Err(Refusal::new("in_use", message).into());
        }
        let file = self.to.clone().unwrap_or_else(|| file(folder));
        let rebuilt = Records::rebuild(&file, &mut log, |_| {});
        log.bar.finish_and_clear();
        let mut rebuilt = rebuilt.map_err(|error| refused(&error))?;
        if let Some(failed) = log.failed {
            return Err(failed.into());
        }
        if let Some(journal) = log.scan.journal() {
            rebuilt.belong_to(journal).map_err(|error| refused(&error))?;
        }
        let answer =
            Rebuilt { file: file.display().to_string(), sequence: rebuilt.sequence(), at: Local(rebuilt.at()) };
        Ok(form.render(&answer, |page| {
            let Rebuilt { file, sequence, at } = &answer;
            page.words(&format!("{file} has records 1 to {sequence}, up to {} (UTC+8).", at.words()));
        }))
    }
}

/// The records of a journal one by one, until something is wrong.
struct Log {
    scan: Scan<RealDisk>,
    ready: VecDeque<Record>,
    bar: ProgressBar,
    failed: Option<Refusal>,
}

impl Log {
    fn new(folders: Vec<RealDisk>) -> Result<Log, Refusal> {
        let mut scan = data::scan(folders)?;
        let begins = scan.begins()?;
        if begins > 1 {
            let message = format!("the records before {begins} are not here: name the folder of the archive");
            return Err(Refusal::new("archived_records", message));
        }
        let bar = progress("Rebuilding", scan.size());
        Ok(Log { scan, ready: VecDeque::new(), bar, failed: None })
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
