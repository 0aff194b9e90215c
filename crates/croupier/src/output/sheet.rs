//! Papers that are written into files.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use paper::{Format, Paper};

use crate::refusal::Refusal;

/// Where a paper goes.
#[derive(Args)]
pub struct SheetArg {
    /// Write a paper into this file; its name ends in .html, .pdf, .csv or .txt.
    #[arg(long, value_name = "FILE", value_parser = target)]
    sheet: Option<Target>,
}

#[derive(Clone)]
struct Target {
    path: PathBuf,
    format: Format,
}

fn target(name: &str) -> Result<Target, String> {
    let format = Format::of_file(name).map_err(|error| error.to_string())?;
    Ok(Target { path: PathBuf::from(name), format })
}

impl SheetArg {
    /// Whether the answer becomes text, on the terminal or in a file.
    pub fn is_text(&self) -> bool {
        self.sheet.as_ref().is_none_or(|target| target.format == Format::Text)
    }

    /// Writes the paper if a file was named, and says so.
    pub fn write(&self, paper: impl FnOnce() -> Paper) -> Result<Option<String>, Refusal> {
        let Some(target) = &self.sheet else { return Ok(None) };
        let paper = paper();
        let bytes = paper.render(target.format).map_err(|error| Refusal::new("no_paper", error.to_string()))?;
        put(&target.path, &bytes)?;
        Ok(Some(format!("{}: {}, {} bytes\n", target.path.display(), paper.title, bytes.len())))
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let unwritable = |error: std::io::Error| Refusal::new("unwritable_file", format!("{}: {error}", path.display()));
    // For its owner alone, whatever the umask: it may name people and what they moved.
    let file = journal::private::file_options().create(true).write(true).truncate(true).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_paper_is_for_its_owner_alone_whatever_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("paper.csv");
        for text in ["a longer text", "a text"] {
            put(&file, text.as_bytes()).unwrap_or_else(|_| panic!("not written"));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "nothing is left of an earlier one");
        }
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
