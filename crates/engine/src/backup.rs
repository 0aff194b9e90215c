//! Copies of a journal: a backup of a running floor, its restoration, and the archive of old segments.

use std::fs;
use std::io;
use std::path::Path;

use journal::{Disk, Ending, Read, RealDisk, Scan, SegmentName, Snapshot, private};

/// The files that hold the keys of a journal and of its log. Without the salt, the log could not be made again.
const KEYS: [&str; 5] = ["journal.key", "journal.pub", "log.key", "log.salt", "log.vkey"];

/// Copies a floor's journal while it runs. Written bytes of a segment never change, so a copy taken at any moment is
/// the journal up to some batch; a half-written batch is left out. Returns the files copied.
///
/// # Errors
/// When a file cannot be read or written, the target is not empty, or the journal is damaged.
pub fn backup(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::to_read(from);
    if Scan::new(vec![disk.another()])?.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no journal in {}", from.display())));
    }
    empty(to)?;
    private::create_folder(to)?;
    backup_on(&disk, &RealDisk::to_read(to))
}

/// The same from one disk to another, which is empty.
///
/// # Errors
/// When a file cannot be read or written, or the journal is damaged.
pub fn backup_on<D: Disk>(from: &D, to: &D) -> io::Result<Vec<String>> {
    // The snapshot first: whatever it covers is then surely in the segments.
    let snapshot = newest_snapshot(from)?;
    let mut scan = Scan::new(vec![from.another()])?;
    scan.start_at(u64::MAX).map_err(io::Error::other)?;
    while scan.read().map_err(io::Error::other)?.is_some() {}
    let Some(Ending { segment: last, offset, .. }) = scan.ending() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no journal"));
    };
    let mut copied = Vec::new();
    if let Some((name, file)) = snapshot {
        to.copy(&name, &file, u64::MAX)?;
        copied.push(name);
    }
    let names = from.list()?;
    let mut segments: Vec<SegmentName> = names.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.retain(|segment| *segment < last);
    segments.sort();
    let keys = KEYS.map(str::to_owned).into_iter().filter(|name| names.contains(name));
    for name in keys.chain(segments.iter().map(SegmentName::to_string)) {
        to.copy(&name, &from.open(&name)?, u64::MAX)?;
        copied.push(name);
    }
    to.copy(&last.to_string(), &from.open(&last.to_string())?, offset)?;
    copied.push(last.to_string());
    to.sync_names()?;
    Ok(copied)
}

/// The newest snapshot, opened: a running floor may throw its file away at any moment.
fn newest_snapshot<D: Disk>(disk: &D) -> io::Result<Option<(String, D::File)>> {
    for name in Snapshot::list(disk)? {
        match disk.open(&name) {
            Ok(file) => return Ok(Some((name, file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Brings a backup back into an empty folder.
///
/// # Errors
/// When a file cannot be read or written, the target is not empty, or the journal is damaged.
pub fn restore(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    backup(from, to)
}

/// Whether the journal has the batch with which a snapshot ends.
fn holds<D: Disk>(disk: &D, snapshot: &Snapshot) -> io::Result<bool> {
    let mut scan = Scan::new(vec![disk.another()])?;
    scan.start_at(snapshot.sequence).map_err(io::Error::other)?;
    while let Some(read) = scan.read().map_err(io::Error::other)? {
        if let Read::Records { first, entries, chain } = read
            && first + entries.len() as u64 > snapshot.sequence
        {
            return Ok(first + entries.len() as u64 - 1 == snapshot.sequence && chain == snapshot.chain);
        }
    }
    Ok(false)
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

/// Moves segments that come before the oldest kept snapshot into an archive folder, where the audit still reads them.
/// The newest segment always stays. Returns the files moved.
///
/// # Errors
/// When a file cannot be moved, the archive is another journal's, or there is no snapshot to start from without them.
pub fn archive(folder: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::to_read(folder);
    oldest_snapshot(&disk)?;
    private::create_folder(to)?;
    if fs::canonicalize(to)? == fs::canonicalize(folder)? {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the archive is another folder than the journal's"));
    }
    archive_on(&disk, &RealDisk::to_read(to))
}

/// The oldest kept snapshot, if the journal can be gone on with from it.
fn oldest_snapshot<D: Disk>(disk: &D) -> io::Result<Snapshot> {
    let oldest = Snapshot::list(disk)?.last().and_then(|name| Snapshot::read(disk, name).ok());
    oldest
        .filter(|oldest| holds(disk, oldest).unwrap_or(false))
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no snapshot stands for the old segments yet"))
}

/// The same from one disk to another.
///
/// # Errors
/// When a file cannot be moved, the archive is another journal's, or there is no snapshot to start from without them.
pub fn archive_on<D: Disk>(disk: &D, to: &D) -> io::Result<Vec<String>> {
    let oldest = oldest_snapshot(disk)?;
    let mut segments: Vec<SegmentName> = disk.list()?.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.sort();
    let mut moved = Vec::new();
    for pair in segments.windows(2) {
        let [segment, next] = pair else { continue };
        // The record that the snapshot ends with stays, to prove that the two belong together.
        let mut scan = Scan::new(vec![disk.another()])?;
        let begins = scan.begins_in(*next).map_err(io::Error::other)?;
        if begins > oldest.sequence {
            break;
        }
        let name = segment.to_string();
        let unfinished = format!("{name}.new");
        let there = to.list()?;
        // An existing copy is left from an interrupted run, or belongs to another program.
        if !there.contains(&name) {
            if there.contains(&unfinished) {
                to.remove(&unfinished)?;
            }
            to.copy(&unfinished, &disk.open(&name)?, u64::MAX)?;
            to.rename(&unfinished, &name)?;
        } else if to.read(&name)? != disk.read(&name)? {
            let words = format!("{name} in the archive is of another journal");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
        }
        to.sync_names()?;
        disk.remove(&name)?;
        moved.push(name);
    }
    Ok(moved)
}
