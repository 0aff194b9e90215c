//! The agent's own durable memory: two copies, each with a checksum, written one after the other and synced.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::private;

/// A value on disk.
#[derive(Debug)]
pub struct Keep {
    folder: PathBuf,
    sequence: u64,
    /// Held as long as this agent runs: two would both report the same notes.
    _lock: File,
}

const COPIES: [&str; 2] = ["agent.one", "agent.two"];

impl Keep {
    /// Opens a folder, and reads what was kept last.
    ///
    /// # Errors
    /// When the folder cannot be used, another agent uses it, or both copies are damaged.
    pub fn open<Kept: DeserializeOwned>(folder: &Path) -> io::Result<(Keep, Option<Kept>)> {
        private::create_folder(folder)?;
        let lock = private::create_file(&folder.join("lock"))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: another agent uses this folder", folder.display()))
        })?;
        let copies = COPIES.map(|name| fs::read(folder.join(name)));
        let found = copies.iter().any(Result::is_ok);
        let newest = copies.iter().flatten().filter_map(|bytes| read(bytes)).max_by_key(|(sequence, _)| *sequence);
        let (sequence, kept) = match newest {
            Some((sequence, text)) => {
                (sequence, Some(serde_json::from_str(text).map_err(|error| damaged(folder, &error.to_string()))?))
            }
            // Without its memory an agent could credit a note twice or lose one.
            None if found => return Err(damaged(folder, "neither copy has its checksum")),
            None => (0, None),
        };
        Ok((Keep { folder: folder.to_owned(), sequence, _lock: lock }, kept))
    }

    /// Makes a value durable.
    ///
    /// # Errors
    /// When the disk fails: then nothing may be done that rests on it.
    pub fn save(&mut self, value: &impl Serialize) -> io::Result<()> {
        let sequence = self.sequence.saturating_add(1);
        let body = format!("{sequence} {}", serde_json::to_string(value).map_err(io::Error::other)?);
        let whole = format!("{:08x} {body}", crc32fast::hash(body.as_bytes()));
        for name in COPIES {
            let path = self.folder.join(name);
            let is_new = !path.exists();
            let mut file = private::create_file(&path)?;
            file.write_all(whole.as_bytes())?;
            file.sync_all()?;
            if is_new {
                File::open(&self.folder)?.sync_all()?;
            }
        }
        self.sequence = sequence;
        Ok(())
    }
}

fn damaged(folder: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: the agent's memory is damaged: {why}", folder.display()))
}

/// What a copy holds, if it is whole.
#[must_use]
pub fn kept<Kept: DeserializeOwned>(bytes: &[u8]) -> Option<Kept> {
    read(bytes).and_then(|(_, text)| serde_json::from_str(text).ok())
}

/// The sequence and the value of a copy that is whole.
fn read(bytes: &[u8]) -> Option<(u64, &str)> {
    let (sum, body) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    if u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(body.as_bytes()) {
        return None;
    }
    let (sequence, text) = body.split_once(' ')?;
    Some((sequence.parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_cut_or_damaged_copy_costs_nothing_and_two_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let (mut keep, none) = Keep::open::<Vec<u32>>(path).expect("opened");
        assert_eq!(none, None);
        keep.save(&vec![1]).expect("saved");
        keep.save(&vec![1, 2]).expect("saved");
        for name in ["lock", COPIES[0], COPIES[1]] {
            let mode = fs::metadata(path.join(name)).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert_eq!(Keep::open::<Vec<u32>>(path).expect_err("in use").kind(), io::ErrorKind::WouldBlock);
        drop(keep);
        let whole = fs::read(path.join(COPIES[0])).expect("read");
        for length in 0..whole.len() {
            fs::write(path.join(COPIES[0]), &whole[..length]).expect("written");
            let (_, kept) = Keep::open::<Vec<u32>>(path).expect("opened");
            assert_eq!(kept, Some(vec![1, 2]), "{length} bytes of the first copy");
        }
        fs::write(path.join(COPIES[1]), b"00000000 2 [9]").expect("written");
        assert_eq!(Keep::open::<Vec<u32>>(path).expect_err("damaged").kind(), io::ErrorKind::InvalidData);
    }
}
