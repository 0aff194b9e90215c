//! Copies of a journal: a backup of a running floor, its restoration, and the archive of old segments.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use journal::{AlignedBuffer, BLOCK, Disk, DiskFile, Read, RealDisk, Scan, SegmentName, Snapshot, Tail};

/// Copies a floor's journal while it runs. What has been written of a segment never changes, so that a copy taken at any
/// moment is the journal up to some batch; one that was caught half written is left out. Returns the files copied.
///
/// # Errors
/// When a file cannot be read or written, the target is not empty, or the journal is damaged.
pub fn backup(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    let disk = RealDisk::to_read(from);
    let mut segments: Vec<SegmentName> = disk.list()?.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.sort();
    let Some(last) = segments.last() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no journal in {}", from.display())));
    };
    empty(to)?;
    fs::create_dir_all(to)?;
    // The snapshot first: whatever it covers is then surely in the segments.
    let mut copied = Vec::new();
    let snapshot = Snapshot::list(&disk)?.into_iter().take(1);
    let keys = ["journal.key", "journal.pub"].map(str::to_owned);
    let names = snapshot.chain(keys).filter(|name| from.join(name).exists());
    for name in names.chain(segments.iter().map(SegmentName::to_string)) {
        copy(&from.join(&name), &to.join(&name))?;
        copied.push(name);
    }
    end_cleanly(from, to, *last)?;
    File::open(to)?.sync_all()?;
    Ok(copied)
}

/// Brings a backup back into an empty folder.
///
/// # Errors
/// When a file cannot be read or written, the target is not empty, or the journal is damaged.
pub fn restore(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    backup(from, to)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    File::open(to)?.sync_all()
}

/// The last segment may have been written while it was copied. Copied once more it has whatever seemed to be missing
/// before a batch that is there; the batch that is not whole even then was not acknowledged when the copy was begun.
fn end_cleanly(from: &Path, to: &Path, last: SegmentName) -> io::Result<()> {
    let disk = RealDisk::new(to)?;
    let ending = match read_last(&disk) {
        Ok(ending) => ending,
        Err(_) => {
            copy(&from.join(last.to_string()), &to.join(last.to_string()))?;
            read_last(&disk).map_err(io::Error::other)?
        }
    };
    if let Some(journal::Ending { offset, tail: Tail::Torn { bytes }, .. }) = ending {
        let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
        let file = disk.open(&last.to_string())?;
        file.write_at(offset, &AlignedBuffer::zeros(bytes.next_multiple_of(BLOCK)))?;
        file.sync()?;
    }
    Ok(())
}

fn read_last(disk: &RealDisk) -> Result<Option<journal::Ending>, journal::Damage> {
    let mut scan = match Scan::new(vec![disk.another()]) {
        Ok(scan) => scan,
        Err(_) => return Ok(None),
    };
    scan.start_at(u64::MAX)?;
    while scan.read()?.is_some() {}
    Ok(scan.ending())
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
    fs::create_dir_all(to)?;
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
            copy(&here, &unfinished)?;
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
