//! Copies of a journal: a backup of a running floor, its restoration, and the archive of old segments.

use std::fs;
use std::io;
use std::path::Path;

use journal::{Disk, RealDisk, SegmentName, Snapshot};

/// Copies a floor's journal while it runs. Segments only ever grow, batch by whole batch, so that a copy taken at any
/// moment is a journal; a batch caught half written is a torn tail. Returns the files copied.
///
/// # Errors
/// When a file cannot be read or written, or the target is not empty.
pub fn backup(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::new(from)?;
    empty(to)?;
    fs::create_dir_all(to)?;
    // Snapshots first: whatever they cover is then surely in the segments.
    let mut copied = Vec::new();
    let snapshots = Snapshot::list(&disk)?;
    let mut segments: Vec<String> =
        disk.list()?.into_iter().filter(|name| SegmentName::parse(name).is_some()).collect();
    segments.sort();
    let keys = ["journal.key", "journal.pub"].map(str::to_owned);
    for name in snapshots.into_iter().take(1).chain(keys).chain(segments) {
        if from.join(&name).exists() {
            fs::copy(from.join(&name), to.join(&name))?;
            fs::File::open(to.join(&name))?.sync_all()?;
            copied.push(name);
        }
    }
    fs::File::open(to)?.sync_all()?;
    Ok(copied)
}

/// Brings a backup back into an empty folder.
///
/// # Errors
/// When a file cannot be read or written, or the target is not empty.
pub fn restore(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    backup(from, to)
}

fn empty(folder: &Path) -> io::Result<()> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is not empty", folder.display()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Moves segments that the oldest kept snapshot covers wholly into an archive folder, where the audit still reads them.
/// The newest segment always stays. Returns the files moved.
///
/// # Errors
/// When a file cannot be moved, or there is no snapshot to start from without them.
pub fn archive(folder: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::new(folder)?;
    let snapshots = Snapshot::list(&disk)?;
    let oldest = snapshots.last().and_then(|name| Snapshot::read(&disk, name).ok());
    let Some(oldest) = oldest else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no snapshot stands for the old segments yet"));
    };
    let mut segments: Vec<SegmentName> = disk.list()?.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.sort();
    fs::create_dir_all(to)?;
    let mut moved = Vec::new();
    for pair in segments.windows(2) {
        let [segment, next] = pair else { continue };
        // A segment is wholly covered when the next one begins at or before the record after the snapshot.
        let mut scan = journal::Scan::new(vec![disk.another()])?;
        let begins = scan.begins_in(*next).map_err(io::Error::other)?;
        if begins > oldest.sequence + 1 {
            break;
        }
        let name = segment.to_string();
        fs::copy(folder.join(&name), to.join(&name))?;
        fs::File::open(to.join(&name))?.sync_all()?;
        fs::File::open(to)?.sync_all()?;
        fs::remove_file(folder.join(&name))?;
        moved.push(name);
    }
    Ok(moved)
}
