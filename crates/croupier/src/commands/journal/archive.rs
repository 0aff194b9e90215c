//! `croupier journal archive`: old segments to another folder.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::data::DataArg;
use crate::output::Form;
use crate::refusal::{Failure, Refusal};

/// Move segments that the floor no longer needs to start into another folder.
#[derive(Args)]
#[command(after_help = "\
A segment goes once the oldest snapshot that is kept covers it; the newest always stays. The floor may run \
meanwhile. What is archived is still audited: `croupier audit --archive DIR`.

Examples:
  croupier journal archive --data /srv/floor --to /archive/floor")]
pub struct Archive {
    #[command(flatten)]
    data: DataArg,

    /// The target folder.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

impl Archive {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let folder = self.data.journal()?;
        let moved = engine::archive(folder, &self.to).map_err(|error| Refusal::disk("cannot archive", &error))?;
        let answer = json!({ "to": self.to.display().to_string(), "moved": moved });
        Ok(form.render(&answer, |page| {
            if moved.is_empty() {
                page.words("Nothing to archive: the snapshots kept need every segment that is here.");
            } else {
                page.words(&format!("{} moved to {}:", moved.len(), self.to.display()));
                page.rows(moved.iter().map(|name| [name.as_str()]));
            }
        }))
    }
}
