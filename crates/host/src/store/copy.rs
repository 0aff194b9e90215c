//! A copy of the store, for a backup: the secrets a floor cannot be brought back without.

use std::path::Path;

use journal::private;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::{Error, PATIENCE};

/// The file of the store in a floor's folder.
pub const FILE: &str = "credentials.sqlite";

/// Copies the store of one folder into another, also while a host writes to it. Secrets, people and keys are copied.
/// Sessions and one-time codes are not, so that none that ended after the backup becomes valid again. Returns whether
/// there was a store to copy.
///
/// # Errors
/// When it cannot be read or written, or the other folder has a store already.
pub fn copy(from: &Path, to: &Path) -> Result<bool, Error> {
    let (source, target) = (from.join(FILE), to.join(FILE));
    if !source.exists() {
        return Ok(false);
    }
    let failed = |cause| Error::File { path: target.clone(), cause };
    let options = &mut private::file_options();
    // SQLite writes into an empty file, and this one is the owner's alone before anything is in it.
    options.write(true).create_new(true).open(&target).map_err(failed)?;
    let connection = Connection::open_with_flags(&source, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute("VACUUM INTO ?1", [target.to_string_lossy()])?;
    drop(connection);
    let connection = Connection::open(&target)?;
    connection.execute_batch("PRAGMA secure_delete = ON; DELETE FROM session; DELETE FROM code; VACUUM;")?;
    name_copy(&connection)?;
    drop(connection);
    std::fs::File::open(&target).and_then(|file| file.sync_all()).map_err(failed)?;
    Ok(true)
}

/// Where the names of the copies are kept, one after the other.
const COPIES: &str = "copies";
/// Of so many copies of copies the names are kept.
const MOST: usize = 64;

/// The names of the copies by which a store came about, the latest one last.
pub(super) fn names(connection: &Connection) -> Result<Vec<[u8; 16]>, Error> {
    let bytes: Option<Vec<u8>> =
        connection.query_row("SELECT bytes FROM secret WHERE name = ?1", [COPIES], |row| row.get(0)).optional()?;
    Ok(bytes.unwrap_or_default().as_chunks().0.to_vec())
}

/// Gives a copy a name of its own, by which what it issues is told from what its original issues.
fn name_copy(connection: &Connection) -> Result<(), Error> {
    let mut names = names(connection)?;
    names.push(super::secret::random()?);
    let names = names.split_off(names.len().saturating_sub(MOST)).concat();
    connection.execute("INSERT OR REPLACE INTO secret (name, bytes) VALUES (?1, ?2)", params![COPIES, names])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::os::unix::fs::PermissionsExt;

    use floor::{Moment, StaffId, TicketNumber};

    use super::super::Store;
    use super::*;

    #[test]
    fn a_copy_has_every_secret_and_no_session() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(!copy(here.path(), there.path()).unwrap(), "there is nothing to copy");
        let store = Store::open(here.path().join(FILE)).unwrap();
        store.set_password(StaffId(1), "lin", "a long password of lin").unwrap();
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let session = store.sign_in("lin", "a long password of lin", address, Moment(0)).unwrap();
        assert!(store.belongs_to([7; 16]).unwrap(), "it did not say, and does now");
        assert!(copy(here.path(), there.path()).unwrap());

        let copied = Store::open(there.path().join(FILE)).unwrap();
        let number = |store: &Store| TicketNumber::drawn("main", 7).hash(&store.ticket_key());
        assert_eq!(number(&copied), number(&store));
        assert_eq!((store.copies().unwrap().len(), copied.copies().unwrap().len()), (0, 1), "it knows that it is one");
        assert!(store.session(session.token.text(), Moment(1)).unwrap().is_some());
        assert!(copied.belongs_to([7; 16]).unwrap() && !copied.belongs_to([8; 16]).unwrap(), "the same floor's");
        assert!(copied.session(session.token.text(), Moment(1)).unwrap().is_none());
        assert!(copied.sign_in("lin", "a long password of lin", address, Moment(1)).is_ok());
        let mode = std::fs::metadata(there.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(copy(here.path(), there.path()).is_err(), "nothing is overwritten");
    }
}
