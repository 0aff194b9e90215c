//! Folders and files that only their owner can read, whatever the umask of the process is.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The mode of a folder.
const FOLDER: u32 = 0o700;
/// The mode of a file.
const FILE: u32 = 0o600;
/// The permissions of everyone but the owner.
const OTHERS: u32 = 0o077;
/// Names of files that belong to a floor, by how they begin or end.
const OURS: [&str; 17] = [
    ".segment",
    ".snapshot",
    "journal.key",
    "journal.pub",
    "host.key",
    "log.key",
    "log.salt",
    "log.vkey",
    ".sqlite",
    ".sqlite-wal",
    ".sqlite-shm",
    "addresses",
    "addresses.new",
    "alive",
    "clock",
    "by-hand",
    "by-hand.new",
];

/// Makes a folder and those above it that are missing, for their owner alone.
///
/// # Errors
/// When it cannot be made.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// How a file is opened that may have to be made: for its owner alone.
#[must_use]
pub fn file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(FILE);
    options
}

/// Creates a file for its owner alone if it does not exist. An existing one stays, with the mode of a private file.
///
/// # Errors
/// When it cannot be made.
pub fn create_file(path: &Path) -> io::Result<()> {
    let file = file_options().create(true).append(true).open(path)?;
    owner_only(&file, FILE)
}

fn owner_only(file: &File, mode: u32) -> io::Result<()> {
    if file.metadata()?.mode() & OTHERS == 0 {
        return Ok(());
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Removes the permissions of others that an earlier version or a careless copy has left: on the floor's files, and on
/// the folder if it is the floor's own. A folder with other things in it, such as `/tmp`, stays as it is.
///
/// # Errors
/// When something cannot be looked at or changed.
pub fn tighten(folder: &Path) -> io::Result<()> {
    let handle = File::open(folder)?;
    let owner = handle.metadata()?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        // Another user's folder, mounted or shared on purpose: its permissions cannot be changed here.
        return Ok(());
    }
    let (mut own, mut foreign) = (false, false);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = OURS.iter().any(|ending| name.ends_with(ending)) || name == "lock" || name == "next.prepared";
        if !is_ours {
            foreign |= entry.file_type()?.is_file();
            continue;
        }
        own = true;
        let found = entry.metadata()?;
        if found.is_file() && found.mode() & OTHERS != 0 && found.uid() == owner {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(FILE))?;
        }
    }
    if own && !foreign { owner_only(&handle, FOLDER) } else { Ok(()) }
}

/// Whether a file that holds a secret is closed to others: only its owner and group may read it, and only its owner may
/// change it.
///
/// # Errors
/// In words, what is wrong with it and how to put it right.
pub fn check_secret(path: &Path) -> Result<(), String> {
    // A file that cannot be opened is reported where it is read.
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    let mode = found.mode() & 0o777;
    if mode & 0o027 == 0 {
        return Ok(());
    }
    Err(format!("others can read or change this key (mode {mode:04o}): chmod 600 {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn open_to_all(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_and_files_are_the_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        create_folder(&inner).unwrap();
        assert_eq!((mode(&inner), mode(&folder.path().join("a"))), (0o700, 0o700));
        let file = inner.join("records.sqlite");
        create_file(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn what_was_open_to_all_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path(), 0o755);
        let segment = folder.path().join("000000000001.segment");
        fs::write(&segment, "x").unwrap();
        open_to_all(&segment, 0o644);
        tighten(folder.path()).unwrap();
        assert_eq!((mode(&segment), mode(folder.path())), (0o600, 0o700));
    }

    #[test]
    fn a_folder_with_other_things_in_it_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path(), 0o755);
        let other = folder.path().join("letter.txt");
        fs::write(&other, "x").unwrap();
        open_to_all(&other, 0o644);
        create_file(&folder.path().join("lock")).unwrap();
        tighten(folder.path()).unwrap();
        assert_eq!((mode(&other), mode(folder.path())), (0o644, 0o755));
    }

    #[test]
    fn a_key_that_others_can_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("floor.pem");
        fs::write(&key, "x").unwrap();
        for (mode, closed) in [(0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o660, false)] {
            open_to_all(&key, mode);
            assert_eq!(check_secret(&key).is_ok(), closed, "{mode:o}");
        }
    }
}
