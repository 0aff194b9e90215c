//! `croupier log export`: the log as folders of tiles, for mirrors and the tools of others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tlog::tile;

use crate::data::{ArchiveArg, DataArg};
use crate::output::{Form, progress};
use crate::refusal::{Failure, Refusal};

/// Write the log as a folder of tiles with its newest head (C2SP tlog-tiles).
#[derive(Args)]
#[command(after_help = "\
The folder has `checkpoint`, `tile/LEVEL/…` and `tile/entries/…`. Entries are salted commitments: they show how many records \
there are, and nothing of them. What is there from an earlier export is completed.

Examples:
  croupier log export --data /srv/floor --to /srv/mirror")]
pub struct Export {
    /// The target folder.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,
}

impl Export {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let (prover, head) = super::open(&self.data, &self.archive)?;
        let failed = |error: io::Error| Refusal::disk("the log cannot be exported", &error);
        let size = head.checkpoint.size;
        let mut files = 0;
        let bar = progress("Writing", tile::all(size).count() as u64);
        for (level, index, width) in tile::all(size) {
            let hashes = prover.levels().hashes(level, index * tile::WIDTH, width).map_err(failed)?;
            files += write(&self.to, &tile::path(Some(level), index, width), &hashes.concat()).map_err(failed)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let mut bytes: Vec<u8> = Vec::new();
        let mut count = 0;
        prover
            .entries(size, |entry| {
                bytes.extend_from_slice(&(entry.len() as u16).to_be_bytes());
                bytes.extend_from_slice(entry);
                count += 1;
                if u64::is_multiple_of(count, tile::WIDTH) || count == size {
                    let (index, width) = ((count - 1) / tile::WIDTH, (count - 1) % tile::WIDTH + 1);
                    files += write(&self.to, &tile::path(None, index, width), &bytes)?;
                    bytes.clear();
                }
                Ok(())
            })
            .map_err(failed)?;
        // Last: it promises what is there.
        write(&self.to, "checkpoint", head.note.to_text().as_bytes()).map_err(failed)?;
        let answer = json!({ "to": self.to.display().to_string(), "size": size, "tiles": files });
        Ok(form.render(&answer, |page| {
            page.words(&format!("{size} records as tiles in {}: {files} new.", self.to.display()));
        }))
    }
}

/// Writes a file under its name at once; 1 if it was not there as it should be.
fn write(to: &Path, name: &str, bytes: &[u8]) -> io::Result<u64> {
    let path = to.join(name);
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(0);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, bytes)?;
    fs::rename(unfinished, path)?;
    Ok(1)
}
