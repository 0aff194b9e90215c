//! The keys of a log: the one that signs its heads, and the salt key, without which no tree can be made again.

use std::fs;
use std::io;
use std::path::Path;

use journal::{Disk as _, RealDisk, private};
use tlog::key::Kind;
use tlog::{SaltKey, SigningKey, VerifierKey};

use crate::heads::MAX_NAME;

/// The file of the secret key that signs heads.
pub const SECRET: &str = "log.key";
/// The file of its public half.
pub const PUBLIC: &str = "log.vkey";
/// The file of the salt key.
pub const SALT: &str = "log.salt";

/// Both keys.
#[derive(Debug)]
pub struct Keys {
    /// Signs heads.
    pub signer: SigningKey,
    /// Hides records.
    pub salt: SaltKey,
}

fn missing(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{name} is missing: restore it from the backup"))
}

fn invalid(name: &str, what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {what}"))
}

fn read(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    match RealDisk::to_read(folder).read(name) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The name of a log from the name of its floor: what a key's name cannot hold is left out.
#[must_use]
pub fn name(domain: &str, floor: &str, era: u32) -> String {
    let word = |text: &str| {
        let lower = text.to_lowercase();
        let kept = lower.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
        let word: String = kept.take(MAX_NAME / 3).collect();
        if word.is_empty() { "floor".to_owned() } else { word }
    };
    format!("{}/{}/{era}", word(domain), word(floor))
}

impl Keys {
    /// The keys of a floor's folder; they are made, under this name, when it has none and no head was signed yet.
    ///
    /// # Errors
    /// When one of them is missing or damaged, or the disk fails.
    pub fn open(folder: &Path, name: impl FnOnce() -> io::Result<String>) -> io::Result<Keys> {
        let (secret, salt) = (read(folder, SECRET)?, read(folder, SALT)?);
        let begun = fs::exists(folder.join(crate::FOLDER).join(crate::heads::FILE))?;
        let disk = RealDisk::to_read(folder);
        let random = || {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(io::Error::other).map(|()| bytes)
        };
        let salt: [u8; 32] = match salt {
            Some(salt) => salt.try_into().map_err(|_| invalid(SALT, "it does not hold 32 bytes"))?,
            None if begun || secret.is_some() => return Err(missing(SALT)),
            None => {
                let salt = random()?;
                disk.write(SALT, &salt)?;
                salt
            }
        };
        let signer = match secret {
            Some(text) => {
                private::check_secret(&folder.join(SECRET)).map_err(|error| invalid(SECRET, error))?;
                let text = String::from_utf8(text).map_err(|error| invalid(SECRET, error))?;
                SigningKey::parse(&text).map_err(|error| invalid(SECRET, error))?
            }
            None if begun => return Err(missing(SECRET)),
            None => {
                let name = name()?;
                let key = SigningKey::new(&name, Kind::Note, random()?).map_err(|error| invalid(SECRET, error))?;
                disk.write(SECRET, format!("{}\n", key.to_text()).as_bytes())?;
                key
            }
        };
        let public = format!("{}\n", signer.public().to_text());
        if read(folder, PUBLIC)?.as_deref() != Some(public.as_bytes()) {
            disk.write(PUBLIC, public.as_bytes())?;
        }
        Ok(Keys { signer, salt: SaltKey::new(&salt) })
    }
}

/// The public half of a floor's log key; `None` if the floor has no log.
///
/// # Errors
/// When it cannot be read.
pub fn public(folder: &Path) -> io::Result<Option<VerifierKey>> {
    let Some(text) = read(folder, PUBLIC)? else { return Ok(None) };
    let text = String::from_utf8(text).map_err(|error| invalid(PUBLIC, error))?;
    VerifierKey::parse(text.trim_end()).map(Some).map_err(|error| invalid(PUBLIC, error))
}

/// The salt key of a floor; `None` if the floor has no log.
///
/// # Errors
/// When it cannot be read.
pub fn salt(folder: &Path) -> io::Result<Option<SaltKey>> {
    let Some(salt) = read(folder, SALT)? else { return Ok(None) };
    let salt: [u8; 32] = salt.try_into().map_err(|_| invalid(SALT, "it does not hold 32 bytes"))?;
    Ok(Some(SaltKey::new(&salt)))
}
