//! The records of a floor compared with its journal.

use std::path::Path;

use engine::{Audit, Finding};
use records::{Beside, Comparison, Error, Kept};
use serde::Serialize;

use crate::commands::records::{Log, file};
use crate::data::ArchiveArg;
use crate::refusal::Refusal;

/// What became of the comparison.
#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Records {
    /// There are none in the folder.
    None,
    /// They were compared.
    Compared(Comparison),
    /// They could not be compared, and that is no fault of theirs.
    NotCompared {
        /// Why.
        why: String,
    },
    /// They cannot be read.
    Unreadable {
        /// Why.
        why: String,
    },
}

/// Compares the records in a folder with its journal.
pub fn records(data: &Path, archive: &ArchiveArg, running: bool, audit: &Audit) -> Records {
    let file = file(data);
    if !file.exists() {
        return Records::None;
    }
    if !audit.is_clean() {
        return Records::NotCompared { why: "the journal itself has findings".to_owned() };
    }
    // A floor that was killed leaves what it wrote last beside the file.
    let mut log = file.clone().into_os_string();
    log.push("-wal");
    let left = Path::new(&log).metadata().is_ok_and(|left| left.len() > 0);
    let beside = if running || left { Beside::AWriter } else { Beside::Nobody };
    match Kept::open(&file, beside) {
        Ok(kept) if kept.journal().is_some_and(|journal| journal != audit.journal) => {
            Records::Unreadable { why: "they are of another journal".to_owned() }
        }
        Ok(kept) => match compared(&kept, data, archive) {
            Ok(Ok(comparison)) => Records::Compared(comparison),
            Ok(Err(error)) => Records::Unreadable { why: error.to_string() },
            Err(refusal) => Records::NotCompared { why: refusal.to_string() },
        },
        Err(error @ Error::Version { .. }) => Records::NotCompared { why: error.to_string() },
        Err(error) => Records::Unreadable { why: error.to_string() },
    }
}

/// What is wrong with the journal keeps them from being compared; what is wrong with the records is found.
fn compared(kept: &Kept, data: &Path, archive: &ArchiveArg) -> Result<Result<Comparison, Error>, Refusal> {
    let mut log = Log::new(archive.with(data)?, "Comparing the records")?;
    let comparison = kept.compare(&mut log);
    log.end().map(|_| comparison)
}

impl Records {
    /// What of it is a finding.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            Records::None | Records::NotCompared { .. } => Vec::new(),
            Records::Compared(Comparison { sequence, differs, .. }) => {
                let finding = |what| Finding { sequence: *sequence, what: format!("records.sqlite: {what}") };
                differs.iter().map(finding).collect()
            }
            Records::Unreadable { why } => vec![Finding { sequence: 0, what: format!("records.sqlite: {why}") }],
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Records::None => "there are none in the folder".to_owned(),
            Records::Compared(Comparison { sequence, rows, differs }) if differs.is_empty() => {
                format!("{rows} rows up to record {sequence} are as the journal makes them")
            }
            Records::Compared(Comparison { differs, .. }) => {
                let tables: Vec<&str> = differs.iter().map(|differs| differs.table.as_str()).collect();
                format!("not as the journal makes them: {}", tables.join(", "))
            }
            Records::NotCompared { why } => format!("not compared: {why}"),
            Records::Unreadable { why } => format!("cannot be compared: {why}"),
        }
    }
}
