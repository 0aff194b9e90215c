//! `croupier records rebuild`: rebuilds the records from the journal.

use std::path::PathBuf;

use clap::Args;
use records::Records;
use serde::Serialize;

use super::{Log, file, refused};
use crate::data::{self, ArchiveArg, DataArg};
use crate::output::Form;
use crate::output::time::Local;
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
        let mut log = Log::new(self.archive.with(self.data.path())?, "Rebuilding")?;
        let folder = self.data.path();
        if self.to.is_none() && data::in_use(folder) {
            let message =
                format!("{} is in use: a running floor keeps its records itself (--to FILE)", folder.display());
            return Err(Refusal::new("in_use", message).into());
        }
        let file = self.to.clone().unwrap_or_else(|| file(folder));
        let rebuilt = Records::rebuild(&file, &mut log, |_| {});
        let journal = log.end();
        let mut rebuilt = rebuilt.map_err(|error| refused(&error))?;
        if let Some(journal) = journal? {
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
