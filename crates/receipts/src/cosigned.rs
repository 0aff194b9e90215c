//! Heads that enough witnesses have cosigned, in `log/cosigned/`: the newest, and that of each gaming day for ever.
//!
//! They can be lost without harm: a witness cosigns the size that it has cosigned last again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use journal::{Disk as _, RealDisk, private};
use tlog::{Hash, Note, VerifierKey, to_base64};

use crate::heads::{DAYS, Head};

/// The folder within that of the log.
pub const FOLDER: &str = "cosigned";
const NEWEST: &str = "newest.note";

/// The small files of a log that a backup has: cosigned heads, those of gaming days, and ended eras. Read before the journal is
/// copied, they are of records that the copy has.
///
/// # Errors
/// When they cannot be read.
pub fn notes(folder: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        [FOLDER, DAYS, crate::eras::ERAS].iter().map(|name| Path::new(crate::FOLDER).join(name)).collect();
    while let Some(below) = folders.pop() {
        let entries = match fs::read_dir(folder.join(&below)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                found.push((path, fs::read(entry.path())?));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Writes such files into another folder.
///
/// # Errors
/// When the disk fails.
pub fn put(folder: &Path, notes: &[(PathBuf, Vec<u8>)]) -> io::Result<()> {
    for (path, bytes) in notes {
        let path = folder.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            continue;
        };
        private::create_folder(folder)?;
        RealDisk::to_read(folder).write(name, bytes)?;
    }
    Ok(())
}

/// The folder of cosigned heads.
#[derive(Clone, Debug)]
pub struct Cosigned {
    log: PathBuf,
    key: VerifierKey,
}

/// What a gaming day is proved by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The head of all records before the next day, with the cosignatures that it has.
    pub head: Head,
    /// Where the witnesses missed it: the next head that they cosigned, and the proof that it contains the day's.
    pub later: Option<(Head, Vec<Hash>)>,
}

impl Cosigned {
    /// The cosigned heads of a log that this key signs.
    #[must_use]
    pub fn new(log: &Path, key: VerifierKey) -> Cosigned {
        Cosigned { log: log.to_owned(), key }
    }

    fn read(&self, folder: &str, name: &str) -> io::Result<Option<Head>> {
        match fs::read(self.log.join(folder).join(name)) {
            // A damaged one counts as lost.
            Ok(bytes) => Ok(Head::parse(&bytes, &self.key)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let folder = self.log.join(FOLDER);
        private::create_folder(&folder)?;
        RealDisk::to_read(&folder).write(name, text.as_bytes())
    }

    /// The newest head that enough witnesses have cosigned.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn newest(&self) -> io::Result<Option<Head>> {
        self.read(FOLDER, NEWEST)
    }

    /// Keeps the newest; durable when this returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn keep_newest(&self, note: &Note) -> io::Result<()> {
        self.write(NEWEST, &note.to_text())
    }

    /// Keeps the cosigned head of a gaming day; durable when this returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn keep_day(&self, day: &str, note: &Note) -> io::Result<()> {
        self.write(&format!("{day}.note"), &note.to_text())
    }

    /// Keeps, for a gaming day whose own head the witnesses missed, the next that they cosigned and the proof from the one to
    /// the other; durable when this returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn keep_later(&self, day: &str, note: &Note, proof: &[Hash]) -> io::Result<()> {
        let proof: String = proof.iter().map(|hash| to_base64(hash) + "\n").collect();
        self.write(&format!("{day}.growth"), &proof)?;
        self.write(&format!("{day}.later.note"), &note.to_text())
    }

    /// What a gaming day is proved by; `None` if no head of it was signed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn day(&self, day: &str) -> io::Result<Option<Day>> {
        let cosigned = self.read(FOLDER, &format!("{day}.note"))?;
        let Some(head) = cosigned.map_or_else(|| self.read(DAYS, &format!("{day}.note")), |head| Ok(Some(head)))?
        else {
            return Ok(None);
        };
        let later = match self.read(FOLDER, &format!("{day}.later.note"))? {
            None => None,
            Some(later) => {
                let proof = fs::read_to_string(self.log.join(FOLDER).join(format!("{day}.growth")))?;
                let broken = |error: tlog::Malformed| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
                Some((later, tlog::proof::parse(&proof).map_err(broken)?))
            }
        };
        Ok(Some(Day { head, later }))
    }

    /// The signed heads of gaming days for which nothing is kept here yet, the smallest first. What is smaller than the newest
    /// cosigned head is past.
    ///
    /// # Errors
    /// When the folders cannot be read.
    pub fn waiting(&self) -> io::Result<Vec<(String, Head)>> {
        let names = match fs::read_dir(self.log.join(DAYS)) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let past = self.newest()?.map(|head| head.checkpoint.size);
        let mut waiting = Vec::new();
        for name in names {
            let name = name?.file_name();
            let Some(day) = name.to_str().and_then(|name| name.strip_suffix(".note")) else { continue };
            let kept = |name: String| self.log.join(FOLDER).join(name).exists();
            if kept(format!("{day}.note")) || kept(format!("{day}.later.note")) {
                continue;
            }
            if let Some(head) = self.read(DAYS, &format!("{day}.note"))?
                && past.is_none_or(|past| head.checkpoint.size > past)
            {
                waiting.push((day.to_owned(), head));
            }
        }
        waiting.sort_by_key(|(_, head)| head.checkpoint.size);
        // Without any cosigned head yet, only the last day is of interest.
        if past.is_none() {
            waiting.drain(..waiting.len().saturating_sub(1));
        }
        Ok(waiting)
    }
}
