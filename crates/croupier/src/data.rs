//! Finding the folder of a floor's journal, and what belongs to it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use journal::{Checkpoint, Disk, PublicKey, RealDisk, Scan, SegmentName};

use crate::place::{Cluster, ClusterArgs, Readable};
use crate::refusal::Refusal;

/// The folder of a command.
#[derive(Args)]
pub struct DataArg {
    /// The folder of the floor's journal.
    #[arg(long, value_name = "DIR", env = "CROUPIER_DATA", hide_env_values = true, default_value = "./croupier-data")]
    data: PathBuf,
}

impl DataArg {
    /// The folder, whether it is there or not.
    pub fn path(&self) -> &Path {
        &self.data
    }

    /// The folder, or that of a floor on a cluster as it is now.
    pub fn readable(&self, stream: Option<&Cluster>, cluster: &ClusterArgs) -> Result<Readable<'_>, Refusal> {
        match stream {
            Some(stream) => cluster.fetch(stream).map(Readable::Fetched),
            None => Ok(Readable::Here(&self.data)),
        }
    }

    /// The folder, in which there is a journal.
    pub fn journal(&self) -> Result<&Path, Refusal> {
        holds_journal(&self.data)?;
        Ok(&self.data)
    }
}

/// Folders of older segments.
#[derive(Args)]
pub struct ArchiveArg {
    /// A folder with older, archived segments; give the option once for each.
    #[arg(long, value_name = "DIR")]
    archive: Vec<PathBuf>,
}

impl ArchiveArg {
    pub fn folders(&self) -> &[PathBuf] {
        &self.archive
    }

    /// The journal's folders as the readers take them, the running one last.
    pub fn with(&self, data: &Path) -> Result<Vec<RealDisk>, Refusal> {
        let mut folders = Vec::with_capacity(self.archive.len() + 1);
        for archive in &self.archive {
            holds_journal(archive)?;
            folders.push(RealDisk::to_read(archive));
        }
        holds_journal(data)?;
        folders.push(RealDisk::to_read(data));
        Ok(folders)
    }
}

/// A reader of a journal from its first record that is there.
pub fn scan(folders: Vec<RealDisk>) -> Result<Scan<RealDisk>, Refusal> {
    Scan::new(folders).map_err(|error| Refusal::new("unreadable_file", error.to_string()))
}

/// Refused unless there are segments in the folder.
pub fn holds_journal(folder: &Path) -> Result<(), Refusal> {
    let none = |why: &str| Refusal::new("no_journal", format!("there is no journal in {}: {why}", folder.display()));
    match fs::metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(none("there is no such folder")),
        Err(error) => return Err(none(&error.to_string())),
        Ok(found) if !found.is_dir() => return Err(none("it is not a folder")),
        Ok(_) => {}
    }
    let names = RealDisk::to_read(folder).list().map_err(|error| none(&error.to_string()))?;
    if !names.iter().any(|name| SegmentName::parse(name).is_some()) {
        return Err(none("it has no segments"));
    }
    Ok(())
}

/// Whether a process has the folder: a floor is running.
pub fn in_use(folder: &Path) -> bool {
    RealDisk::to_read(folder).in_use()
}

/// The checkpoints in a file that was kept elsewhere. Other lines around them do not matter, so that a whole report will
/// do.
pub fn anchors(file: &Path) -> Result<Vec<Checkpoint>, Refusal> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| Refusal::new("unreadable_file", format!("{name}: {error}")))?;
    let mut anchors = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.starts_with("croupier checkpoint") {
            let message = || format!("{name}: line {number} is not a whole checkpoint");
            anchors.push(Checkpoint::from_line(line).ok_or_else(|| Refusal::new("malformed_anchor", message()))?);
        }
    }
    if anchors.is_empty() {
        return Err(Refusal::new("malformed_anchor", format!("{name}: has no line \"croupier checkpoint …\"")));
    }
    Ok(anchors)
}

/// The public key in a file: 64 hexadecimal digits.
pub fn key(file: &Path) -> Result<PublicKey, Refusal> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| Refusal::new("unreadable_file", format!("{name}: {error}")))?;
    PublicKey::from_text(&text)
        .ok_or_else(|| Refusal::new("malformed_key", format!("{name}: a public key is 64 hexadecimal digits")))
}
