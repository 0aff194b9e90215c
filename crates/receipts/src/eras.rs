//! Eras of a log. A journal whose end is lost does not go on under the same name: witnesses have cosigned records that it no
//! longer has. A new era has a new name, `domain/floor/2`, and its tree begins with record 1 again. What the old one was
//! signed for stays in `log/eras/`, so that the loss remains visible and old receipts can be verified.

use std::fs;
use std::io;
use std::path::Path;

use journal::{Disk as _, RealDisk, private};
use tlog::key::Kind;
use tlog::{Note, SigningKey, VerifierKey};

use crate::heads::{FILE, Head};
use crate::keys::{self, SECRET};
use crate::{FOLDER, cosigned};

/// The folder within that of the log.
pub const ERAS: &str = "eras";

/// An era that has ended.
#[derive(Clone, Debug)]
pub struct Era {
    /// The key that signed its heads.
    pub key: VerifierKey,
    /// The last head of it that a witness has shown, if one has.
    pub last: Option<Head>,
}

fn invalid(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

/// The eras that have ended, the first one first.
///
/// # Errors
/// When they cannot be read.
pub fn ended(folder: &Path) -> io::Result<Vec<Era>> {
    let eras = folder.join(FOLDER).join(ERAS);
    let mut found = Vec::new();
    for era in 1u32.. {
        let text = match fs::read_to_string(eras.join(format!("{era}.vkey"))) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        };
        let key = VerifierKey::parse(text.trim_end()).map_err(invalid)?;
        let last = fs::read(eras.join(format!("{era}.note"))).ok().and_then(|note| Head::parse(&note, &key));
        found.push(Era { key, last });
    }
    Ok(found)
}

/// Ends the era of a folder at rest and begins the next one, with a new key. The salt key stays: receipts of records that were
/// not lost open as before. Returns the new key.
///
/// # Errors
/// When the floor has no log, or the disk fails.
pub fn begin(folder: &Path, last: Option<&Note>) -> io::Result<VerifierKey> {
    let old = keys::public(folder)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the floor has no log"))?;
    let (name, era) = old.name().rsplit_once('/').ok_or_else(|| invalid("the name of the log has no era"))?;
    let era: u32 = era.parse().map_err(|_| invalid("the name of the log has no era"))?;
    let next = era.checked_add(1).ok_or_else(|| invalid("there is no further era"))?;
    let log = folder.join(FOLDER);
    let eras = log.join(ERAS);
    private::create_folder(&log)?;
    private::create_folder(&eras)?;
    let kept = RealDisk::to_read(&eras);
    if let Some(note) = last {
        kept.write(&format!("{era}.note"), note.to_text().as_bytes())?;
    }
    kept.write(&format!("{era}.vkey"), format!("{}\n", old.to_text()).as_bytes())?;
    // What the old name has signed is kept beside it; the tree is made again.
    for name in [FILE, cosigned::FOLDER, crate::heads::DAYS] {
        match fs::rename(log.join(name), eras.join(format!("{era}.{name}"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let key = SigningKey::new(&format!("{name}/{next}"), Kind::Note, secret).map_err(invalid)?;
    let disk = RealDisk::to_read(folder);
    disk.write(SECRET, format!("{}\n", key.to_text()).as_bytes())?;
    disk.write(keys::PUBLIC, format!("{}\n", key.public().to_text()).as_bytes())?;
    Ok(key.public().clone())
}
