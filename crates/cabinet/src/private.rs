//! Folders and files that only their owner can read, whatever the umask of the process is.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// The mode of a folder.
const FOLDER: u32 = 0o700;
/// The mode of a file.
const FILE: u32 = 0o600;

/// Makes a folder and those above it that are missing, for their owner alone.
///
/// # Errors
/// When it cannot be made.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// Opens a file to be written anew. One that an earlier version left open to others is closed to them.
///
/// # Errors
/// When it cannot be made.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(true).write(true).mode(FILE).open(path)?;
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(FILE))?;
    }
    Ok(file)
}

/// Replaces what a file holds, at once.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    create_file(&beside)?.write_all(text.as_bytes())?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").permissions().mode() & 0o777
    }

    #[test]
    fn what_a_cabinet_keeps_is_its_owners_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        create_folder(&inner).expect("made");
        assert_eq!((mode(&inner), mode(&folder.path().join("a"))), (0o700, 0o700));
        let path = inner.join("printer.json");
        fs::write(&path, "an earlier version").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("opened");
        drop(create_file(&path).expect("opened"));
        assert_eq!((mode(&path), fs::read(&path).expect("read")), (0o600, Vec::new()));
        replace(&path, "{}").expect("replaced");
        assert_eq!((mode(&path), fs::read(&path).expect("read")), (0o600, b"{}".to_vec()));
    }
}
