//! The hosts of a floor: which of them may speak for it, by their keys.
//!
//! The list is shared like everything else here, and the servers that keep it are not trusted with it. Each row is
//! signed by a host that was already on the list; the first has signed itself. A host keeps the list in its own file
//! and accepts from the servers only a continuation of it. A host without a list, on a new machine, accepts the one it
//! finds.

use std::sync::Arc;

use cluster::{HostId, HostKey};
use floor::Moment;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::pages::{Bytes, from_value};
use super::secret::{from_base64, to_base64};
use super::{Error, Store};

/// Made wherever it is missing: stores of earlier versions have no such table.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS host (
    name      TEXT PRIMARY KEY,
    key       BLOB NOT NULL,
    made      INTEGER NOT NULL,
    begins    INTEGER NOT NULL,
    revoked   INTEGER NOT NULL,
    signer    BLOB NOT NULL,
    signature BLOB NOT NULL
) STRICT";

/// What the signature of a row is about.
const ABOUT: [&[u8]; 1] = [b"enrol"];

/// The identity of this host among the others.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its name.
    pub host: String,
    /// Its key.
    pub key: Arc<HostKey>,
    /// The last message of the journal's stream at the host's start: those after it are signed, if it is the first
    /// host.
    pub begins: u64,
}

/// A host that is or was one of the floor's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrolled {
    /// Its name.
    pub host: String,
    /// Its key.
    pub key: HostId,
    /// Since when.
    pub made: Moment,
    /// Whether it no longer is.
    pub revoked: bool,
}

/// Why a host was not enrolled or revoked.
#[derive(Debug, thiserror::Error)]
pub enum EnrolRefused {
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] Error),
    /// There is no such host.
    #[error("there is no host of that name in the floor")]
    Unknown,
    /// A floor keeps a host that can speak for it.
    #[error("a host cannot revoke itself or change its own key: ask another one")]
    Itself,
    /// It is said to be known.
    #[error("there is no host of that name in the floor: say that it is new")]
    Unheard,
    /// It is said to be new.
    #[error("a host of that name is in the floor already: its key would be replaced")]
    Known,
}

/// What a row says, and what is signed of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    name: String,
    key: Bytes,
    made: i64,
    /// The first host says after which message of the journal's stream all are signed.
    begins: u64,
    revoked: bool,
}

/// A row of the list, as it is shared.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    #[serde(flatten)]
    said: Said,
    signer: Bytes,
    signature: String,
}

impl Row {
    fn new(said: Said, by: &HostKey) -> Row {
        let signature = to_base64(&by.sign(&ABOUT, &said.bytes()));
        Row { said, signer: Bytes(by.public().0), signature }
    }

    fn is_genuine(&self) -> bool {
        from_base64(&self.signature)
            .is_some_and(|signature| HostId(self.signer.0).signed(&ABOUT, &self.said.bytes(), &signature))
    }

    fn is_active(&self, key: [u8; 32]) -> bool {
        self.said.key.0 == key && !self.said.revoked
    }

    fn keep(&self, connection: &Connection) -> Result<(), Error> {
        let Row { said, signer, signature } = self;
        let signature: [u8; 64] = from_base64(signature).ok_or(Error::Damaged("a signature of the list of hosts"))?;
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO host (name, key, made, begins, revoked, signer, signature)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![said.name, said.key.0, said.made, said.begins, said.revoked, signer.0, signature])?;
        Ok(())
    }
}

impl Said {
    fn bytes(&self) -> Vec<u8> {
        // Names, numbers and text: this cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// The list.
pub(super) fn read(connection: &Connection) -> Result<Vec<Row>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT name, key, made, begins, revoked, signer, signature FROM host ORDER BY made, name")?;
    let rows = statement.query_map([], |row| {
        let (name, key, made) = (row.get(0)?, Bytes(row.get(1)?), row.get(2)?);
        let said = Said { name, key, made, begins: row.get(3)?, revoked: row.get(4)? };
        Ok(Row { said, signer: Bytes(row.get(5)?), signature: to_base64(&row.get::<_, [u8; 64]>(6)?) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads a list and its signatures, for the fuzz target; whether it is one.
pub(super) fn parse(value: &[u8]) -> bool {
    from_value::<Vec<Row>>(value).is_ok_and(|rows| rows.iter().flatten().all(Row::is_genuine))
}

/// Takes a list from the servers, as far as it continues the one that is known here.
pub(super) fn take(connection: &Connection, value: &[u8]) -> Result<(), Error> {
    let mut offered = from_value::<Vec<Row>>(value)?.unwrap_or_default();
    offered.retain(Row::is_genuine);
    if read(connection)?.is_empty() {
        return offered.iter().try_for_each(|row| row.keep(connection));
    }
    loop {
        let known = read(connection)?;
        let newer = |row: &Row| {
            let before = known.iter().find(|known| known.said.name == row.said.name);
            let newer = before.is_none_or(|before| row.said.made > before.said.made);
            newer && known.iter().any(|known| known.is_active(row.signer.0))
        };
        let Some(place) = offered.iter().position(newer) else {
            for row in offered.iter().filter(|row| !known.contains(row)) {
                tracing::error!(
                    host = row.said.name,
                    "an entry in the list of hosts is not signed by an enrolled host: ignored"
                );
            }
            return Ok(());
        };
        offered.swap_remove(place).keep(connection)?;
    }
}

/// Whether any host is enrolled.
pub(super) fn has_any(connection: &Connection) -> Result<bool, Error> {
    let found = connection.prepare_cached("SELECT 1 FROM host LIMIT 1")?.query_row([], |_| Ok(())).optional()?;
    Ok(found.is_some())
}

/// The name of the host with a key, if it is one of the floor's.
pub(super) fn name_of(connection: &Connection, key: HostId) -> Result<Option<String>, Error> {
    let mut select = connection.prepare_cached("SELECT name FROM host WHERE key = ?1 AND revoked = 0")?;
    Ok(select.query_row([key.0], |row| row.get(0)).optional()?)
}

/// The first host of a floor puts itself on the list.
pub(super) fn begin(connection: &Connection, identity: &Identity) -> Result<(), Error> {
    let Identity { host, key, begins } = identity;
    let said = Said { name: host.clone(), key: Bytes(key.public().0), made: 0, begins: *begins, revoked: false };
    Row::new(said, key).keep(connection)
}

impl Store {
    /// The hosts of the floor, those that no longer are among them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn hosts(&self) -> Result<Vec<Enrolled>, Error> {
        let enrolled = |Row { said, .. }: Row| Enrolled {
            host: said.name,
            key: HostId(said.key.0),
            made: Moment(said.made),
            revoked: said.revoked,
        };
        Ok(read(&self.lock().connection)?.into_iter().map(enrolled).collect())
    }

    /// The name of the host with a key, if it is one of the floor's.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn host_of(&self, key: HostId) -> Result<Option<String>, Error> {
        name_of(&self.lock().connection, key)
    }

    /// Whether this host may speak for the floor. A host without a cluster always may.
    #[must_use]
    pub fn is_enrolled(&self) -> bool {
        match self.shared.as_ref().and_then(|shared| shared.identity.as_ref()) {
            Some(identity) => matches!(self.host_of(identity.key.public()), Ok(Some(_))),
            None => true,
        }
    }

    /// Waits until this host knows what the others have written up to now.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub fn catch_up(&self) -> Result<(), Error> {
        self.shared.as_ref().map_or(Ok(()), |shared| shared.catch_up(&self.kept))
    }

    /// After which message of the journal's stream all are signed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn signed_after(&self) -> Result<Option<u64>, Error> {
        let rows = read(&self.lock().connection)?;
        Ok(rows.iter().find(|row| row.said.key == row.signer).map(|row| row.said.begins))
    }

    /// Whether a host may be enrolled under a name, new or with another key than before, and whether that replaces a
    /// key.
    ///
    /// # Errors
    /// When it is this host, or new and known, or neither.
    pub fn may_enrol_host(&self, host: &str, new: bool) -> Result<bool, EnrolRefused> {
        let identity = self.shared.as_ref().and_then(|shared| shared.identity.as_ref());
        if host == identity.ok_or(EnrolRefused::Unknown)?.host {
            return Err(EnrolRefused::Itself);
        }
        let known = self.hosts()?.iter().any(|known| known.host == host);
        match (known, new) {
            (false, false) => Err(EnrolRefused::Unheard),
            (true, true) => Err(EnrolRefused::Known),
            (known, _) => Ok(known),
        }
    }

    /// Whether a host may be revoked: another one than this, which is known.
    ///
    /// # Errors
    /// When it may not.
    pub fn may_revoke_host(&self, host: &str) -> Result<(), EnrolRefused> {
        match self.may_enrol_host(host, false) {
            Err(EnrolRefused::Unheard) => Err(EnrolRefused::Unknown),
            may => may.map(drop),
        }
    }

    /// Enrols a host, or gives the one of that name another key. This host signs for it.
    ///
    /// # Errors
    /// When this host is none of the floor's, or the store cannot be written.
    pub fn enrol_host(&self, host: &str, key: HostId, now: Moment) -> Result<(), EnrolRefused> {
        self.put_host(now, |_, identity| {
            if host == identity.host { Err(EnrolRefused::Itself) } else { Ok((host.to_owned(), key, false)) }
        })
    }

    /// Takes a host off: from now on nothing it says counts.
    ///
    /// # Errors
    /// When there is no such host, it is this one, or the store cannot be written.
    pub fn revoke_host(&self, host: &str, now: Moment) -> Result<(), EnrolRefused> {
        self.put_host(now, |rows, identity| {
            if host == identity.host {
                return Err(EnrolRefused::Itself);
            }
            let found = rows.iter().find(|row| row.said.name == host).ok_or(EnrolRefused::Unknown)?;
            Ok((host.to_owned(), HostId(found.said.key.0), true))
        })
    }

    fn put_host(
        &self,
        now: Moment,
        which: impl Fn(&[Row], &Identity) -> Result<(String, HostId, bool), EnrolRefused>,
    ) -> Result<(), EnrolRefused> {
        let identity = self.shared.as_ref().and_then(|shared| shared.identity.clone());
        let identity = identity.ok_or(EnrolRefused::Unknown)?;
        self.write(|connection| {
            let rows = read(connection)?;
            let (name, key, revoked) = which(&rows, &identity)?;
            // Later than the value it replaces, whatever the clock says.
            let made = rows.iter().filter(|row| row.said.name == name).map(|row| row.said.made + 1).max();
            let made = now.0.max(made.unwrap_or(0));
            let said = Said { name, key: Bytes(key.0), made, begins: 0, revoked };
            Row::new(said, &identity.key).keep(connection)?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: &[Row]) -> Vec<u8> {
        serde_json::to_vec(rows).unwrap()
    }

    fn said(name: &str, key: &HostKey, made: i64, revoked: bool) -> Said {
        Said { name: name.to_owned(), key: Bytes(key.public().0), made, begins: 0, revoked }
    }

    fn names(connection: &Connection) -> Vec<String> {
        let active = |row: &Row| !row.said.revoked;
        read(connection).unwrap().into_iter().filter(active).map(|row| row.said.name).collect()
    }

    #[test]
    fn only_an_enrolled_host_puts_another_on_the_list() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE).unwrap();
        let [one, two, thief] = [(); 3].map(|()| HostKey::random().unwrap());
        let root = Row::new(said("one", &one, 0, false), &one);
        take(&connection, &list(std::slice::from_ref(&root))).unwrap();
        assert_eq!(names(&connection), ["one"]);
        // A login at the servers writes what it likes; it has no key of the floor's.
        for forged in [
            Row::new(said("thief", &thief, 1, false), &thief),
            Row::new(said("one", &thief, 1, false), &thief),
            Row { signer: Bytes(one.public().0), ..Row::new(said("thief", &thief, 1, false), &thief) },
        ] {
            take(&connection, &list(&[root.clone(), forged])).unwrap();
            assert_eq!(names(&connection), ["one"]);
        }
        let second = Row::new(said("two", &two, 1, false), &one);
        take(&connection, &list(&[root.clone(), second.clone()])).unwrap();
        assert_eq!(names(&connection), ["one", "two"]);
        // A revoked host stays revoked, also when an old list is put back, and cannot enrol another.
        let gone = Row::new(said("two", &two, 2, true), &one);
        take(&connection, &list(&[root.clone(), gone])).unwrap();
        take(&connection, &list(&[root.clone(), second])).unwrap();
        take(&connection, &list(&[root, Row::new(said("thief", &thief, 3, false), &two)])).unwrap();
        assert_eq!(names(&connection), ["one"]);
    }
}
