//! `croupier restore`: a backup brought back, and audited.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::commands::audit::audit;
use crate::commands::backup::credentials;
use crate::data::{self, ArchiveArg, DataArg};
use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Restore a backup into an empty folder, and audit the result.
#[derive(Args)]
#[command(after_help = "\
Journal, keys and credentials are restored; people sign in again, and terminals prove the keys they have. What was \
acknowledged after the backup is not in it: give the anchors you keep elsewhere with --anchor, and the audit says whether \
anything is missing.

Examples:
  croupier restore --from /backup/floor-2026-03-29 --data /srv/floor --anchor /elsewhere/anchors.txt")]
pub struct Restore {
    #[command(flatten)]
    data: DataArg,

    /// The folder of the backup.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    #[command(flatten)]
    archive: ArchiveArg,

    /// A file with one or more checkpoints that were kept elsewhere; give the option once for each.
    #[arg(long, value_name = "FILE")]
    anchor: Vec<PathBuf>,
}

impl Restore {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        data::holds_journal(&self.from)?;
        let to = self.data.path();
        let mut files = engine::restore(&self.from, to).map_err(|error| Refusal::disk("cannot restore", &error))?;
        credentials(&self.from, to, &mut files)?;
        let report = audit(to, &self.archive, &self.anchor, None)?;
        let (from, into) = (self.from.display().to_string(), to.display().to_string());
        let answer = json!({ "from": from, "to": into, "files": files, "audit": report });
        let text = form.render(&answer, |page| {
            page.words(&format!("{} files restored from {from} into {into}. What is there now:", files.len()));
            report.write(page);
        });
        Ok(if report.is_clean() { Answer::Done(text) } else { Answer::Findings(text) })
    }
}
