//! `croupier journal anchor`: the last signed checkpoint, to be kept elsewhere.

use clap::Args;
use journal::{Checkpoint, Read};
use serde_json::json;

use crate::data::{self, ArchiveArg, DataArg};
use crate::output::{self, Form, progress};
use crate::refusal::{Failure, Refusal};

/// Print the last signed checkpoint as a line to keep elsewhere.
#[derive(Args)]
#[command(after_help = "\
A checkpoint is signed every minute with new records, at the end of each gaming day and whenever a floor stops. Kept \
out of reach of everyone who has access to the journal, it proves that the end was not cut off: `croupier audit --anchor FILE`.

Examples:
  croupier journal anchor --data /srv/floor >> /elsewhere/anchors.txt")]
pub struct Anchor {
    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,
}

impl Anchor {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let last = self.last()?;
        Ok(match form {
            Form::Words => format!("{}\n", last.to_line()),
            Form::Json => output::json(&json!({
                "sequence": last.sequence,
                "chain": last.chain.to_string(),
                "key": last.key.to_string(),
                "anchor": last.to_line(),
            })),
        })
    }

    fn last(&self) -> Result<Checkpoint, Refusal> {
        let mut scan = data::scan(self.archive.with(self.data.path())?)?;
        let bar = progress("Reading", scan.size());
        let mut last = None;
        while let Some(read) = scan.read()? {
            if let Read::Checkpoint(checkpoint) = read {
                last = Some(checkpoint);
            }
            bar.set_position(scan.position());
        }
        bar.finish_and_clear();
        let message =
            "no checkpoint is signed yet: one is signed every minute with new records and when the floor stops";
        last.ok_or_else(|| Refusal::new("no_checkpoint", message))
    }
}
