//! Copies of a journal: a backup of a running floor, its restoration, and the archive of old segments.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use journal::{Disk, Ending, Read, RealDisk, Scan, SegmentName, Snapshot, private};

/// Copies a floor's journal while it runs. What has been written of a segment never changes, so that a copy taken at any
/// moment is the journal up to some batch; one that was caught half written is left out. Returns the files copied.
///
/// # Errors
/// When a file cannot be read or written, the target is not empty, or the journal is damaged.
pub fn backup(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::to_read(from);
    // The snapshot first: whatever it covers is then surely in the segments.
    let snapshot = newest_snapshot(&disk, from)?;
    let mut scan = Scan::new(vec![disk.another()])?;
    scan.start_at(u64::MAX).map_err(io::Error::other)?;
    while scan.read().map_err(io::Error::other)?.is_some() {}
    let Some(Ending { segment: last, offset, .. }) = scan.ending() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no journal in {}", from.display())));
    };
    empty(to)?;
    private::create_folder(to)?;
    let mut copied = Vec::new();
    if let Some((name, file)) = snapshot {
        copy(file, &to.join(&name))?;
        copied.push(name);
    }
    let mut segments: Vec<SegmentName> = disk.list()?.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.retain(|segment| *segment < last);
    segments.sort();
    let keys = ["journal.key", "journal.pub"].map(str::to_owned).into_iter().filter(|name| from.join(name).exists());
    for name in keys.chain(segments.iter().map(SegmentName::to_string)) {
        copy(File::open(from.join(&name))?, &to.join(&name))?;
        copied.push(name);
    }
    copy_until(offset, File::open(from.join(last.to_string()))?, &to.join(last.to_string()))?;
    copied.push(last.to_string());
    File::open(to)?.sync_all()?;
    Ok(copied)
}

/// The newest snapshot, opened: a running floor may throw its file away at any moment.
fn newest_snapshot(disk: &RealDisk, folder: &Path) -> io::Result<Option<(String, File)>> {
    for name in Snapshot::list(disk)? {
        match File::open(folder.join(&name)) {
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

fn copy(from: File, to: &Path) -> io::Result<()> {
    let size = from.metadata()?.len();
    copy_until(size, from, to)
}

/// Copies the beginning of a file, with zeros in place of the rest.
fn copy_until(end: u64, from: File, to: &Path) -> io::Result<()> {
    let size = from.metadata()?.len();
    let mut copy = private::file_options().write(true).create_new(true).open(to)?;
    io::copy(&mut from.take(end), &mut copy)?;
    io::copy(&mut io::repeat(0).take(size.saturating_sub(end)), &mut copy)?;
    copy.sync_all()
}

/// Whether the journal has the batch with which a snapshot ends.
fn holds(disk: &RealDisk, snapshot: &Snapshot) -> io::Result<bool> {
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
    let snapshots = Snapshot::list(&disk)?;
    let oldest = snapshots.last().and_then(|name| Snapshot::read(&disk, name).ok());
    let oldest = oldest.filter(|oldest| holds(&disk, oldest).unwrap_or(false));
    let Some(oldest) = oldest else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no snapshot stands for the old segments yet"));
    };
    let mut segments: Vec<SegmentName> = disk.list()?.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.sort();
    private::create_folder(to)?;
    if fs::canonicalize(to)? == fs::canonicalize(folder)? {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the archive is another folder than the journal's"));
    }
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
        let (here, there) = (folder.join(&name), to.join(&name));
        // A copy that is there already is the rest of an interrupted run, or somebody else's.
        if !there.exists() {
            let unfinished = to.join(format!("{name}.new"));
            let _ = fs::remove_file(&unfinished);
            copy(File::open(&here)?, &unfinished)?;
            fs::rename(&unfinished, &there)?;
        } else if fs::read(&there)? != fs::read(&here)? {
            let words = format!("{} is of another journal", there.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
        }
        File::open(to)?.sync_all()?;
        fs::remove_file(&here)?;
        moved.push(name);
    }
    Ok(moved)
}
