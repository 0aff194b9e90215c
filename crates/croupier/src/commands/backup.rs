//! `croupier backup`: a copy of a floor's journal, taken while it runs.

use std::path::{Path, PathBuf};

use clap::Args;
use journal::{Read, RealDisk};
use serde::Serialize;

use crate::data::{self, DataArg};
use crate::output::{Form, progress};
use crate::refusal::{Failure, Refusal};

/// Copy a floor's journal while it runs, and verify the copy.
#[derive(Args)]
#[command(after_help = "\
The copy has everything that was acknowledged before it began: the segments, the newest snapshot, both keys, and the \
credentials with every secret of the floor. Keep it as you keep the floor itself: its key can sign checkpoints.

Examples:
  croupier backup --data /srv/floor --to /backup/floor-2026-03-29")]
pub struct Backup {
    #[command(flatten)]
    data: DataArg,

    /// The target folder, new or empty.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

#[derive(Serialize)]
struct Copied {
    to: String,
    files: Vec<String>,
    first: u64,
    last: u64,
    chain: Option<String>,
}

impl Backup {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let from = self.data.journal()?;
        let unreadable = |error| Refusal::disk("cannot back up the log", &error);
        let notes = receipts::cosigned::notes(from).map_err(unreadable)?;
        let mut files = engine::backup(from, &self.to).map_err(|error| Refusal::disk("cannot back up", &error))?;
        credentials(from, &self.to, &mut files)?;
        put(&self.to, &notes, &mut files)?;
        let copied = verify(&self.to, files)?;
        Ok(form.render(&copied, |page| {
            page.words(&format!("Records {} to {} are in {}.", copied.first, copied.last, copied.to));
            page.words(&format!("{} files copied; the chain of the copy is whole:", copied.files.len()));
            page.words(copied.chain.as_deref().unwrap_or("there are no records yet"));
        }))
    }
}

/// The credentials go along where there are any: a floor that only a pipe has run has none.
pub fn credentials(from: &Path, to: &Path, files: &mut Vec<String>) -> Result<(), Refusal> {
    if host::store::copy(from, to).map_err(|error| Refusal::new("credentials", error.to_string()))? {
        files.push(host::store::FILE.to_owned());
    }
    Ok(())
}

/// The cosigned heads of the log go along.
pub fn put(to: &Path, notes: &[(PathBuf, Vec<u8>)], files: &mut Vec<String>) -> Result<(), Refusal> {
    receipts::cosigned::put(to, notes).map_err(|error| Refusal::disk("cannot copy the heads of the log", &error))?;
    files.extend(notes.iter().map(|(path, _)| path.display().to_string()));
    Ok(())
}

/// Reads the copy from front to back.
fn verify(folder: &Path, files: Vec<String>) -> Result<Copied, Refusal> {
    let mut scan = data::scan(vec![RealDisk::to_read(folder)])?;
    let first = scan.begins()?;
    let bar = progress("Verifying the copy", scan.size());
    let (mut last, mut end) = (first - 1, None);
    while let Some(read) = scan.read()? {
        if let Read::Records { first, entries, chain } = read {
            last = first + entries.len() as u64 - 1;
            end = Some(chain);
        }
        bar.set_position(scan.position());
    }
    bar.finish_and_clear();
    Ok(Copied { to: folder.display().to_string(), files, first, last, chain: end.map(|chain| chain.to_string()) })
}
