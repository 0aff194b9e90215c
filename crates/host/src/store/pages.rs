//! Rows as hosts share them: in pages. Each page holds the rows that must change together.
//!
//! A person and the person's sessions are one page; so are the keys and codes of 64 terminals or devices, and the
//! attempts that hash to the same number. There are never more pages than people and terminals, however many sign-ins
//! are attempted.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keys::HMAC;
use super::secret::{from_base64, from_base64_up_to, to_base64};
use super::whose::JOURNAL;
use super::{Error, Holder, hosts};

/// The key of the entry with the hosts.
pub(super) const HOSTS: &str = "hosts";
/// Terminals or devices of one page.
const HOLDERS: u32 = 64;
/// Pages of attempts.
const ATTEMPTS: u64 = 256;

/// Which rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Page {
    /// The hosts that may speak for the floor.
    Hosts,
    /// What is made once for the floor.
    Secrets,
    /// A person with all sessions.
    Staff(u32),
    /// Keys and codes of terminals or devices.
    Holders(Kind, u32),
    /// Attempts that fall to a number.
    Attempts(u8),
}

/// Whose keys are on a page.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Terminal,
    Device,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Kind::Terminal => "terminal",
            Kind::Device => "device",
        }
    }

    fn parse(text: &str) -> Option<Kind> {
        [Kind::Terminal, Kind::Device].into_iter().find(|kind| kind.as_str() == text)
    }
}

#[derive(Serialize, Deserialize)]
struct Person {
    login: String,
    password: String,
    sessions: Vec<SessionRow>,
    #[serde(default)]
    must_change: bool,
    #[serde(default)]
    passkeys: Vec<PasskeyRow>,
    /// Challenges that the person's passkeys answered lately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answered: Vec<AnsweredRow>,
}

#[derive(Serialize, Deserialize)]
struct AnsweredRow {
    chance: Blob,
    at: i64,
}

#[derive(Serialize, Deserialize)]
struct PasskeyRow {
    id: Blob,
    name: String,
    scheme: String,
    bytes: Blob,
    count: u32,
    made: i64,
}

#[derive(Serialize, Deserialize)]
struct SessionRow {
    hash: Bytes,
    address: String,
    made: i64,
    seen: i64,
    #[serde(default)]
    limited: bool,
}

#[derive(Serialize, Deserialize)]
struct Holders {
    keys: Vec<KeyRow>,
    codes: Vec<CodeRow>,
}

#[derive(Serialize, Deserialize)]
struct KeyRow {
    id: u32,
    bytes: Blob,
    made: i64,
    #[serde(default = "hmac")]
    scheme: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Bytes>,
}

fn hmac() -> String {
    HMAC.to_owned()
}

#[derive(Serialize, Deserialize)]
struct CodeRow {
    id: u32,
    hash: Bytes,
    expires: i64,
}

#[derive(Serialize, Deserialize)]
struct AttemptRow {
    kind: String,
    who: String,
    count: u32,
    since: i64,
    until: Option<i64>,
}

/// The most bytes of a public key or of a passkey's name for itself.
const LONGEST: usize = 1024;

/// So many bytes, in base64.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Blob(Vec<u8>);

impl TryFrom<String> for Blob {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Blob, &'static str> {
        from_base64_up_to(&text, LONGEST).map(Blob).ok_or("not base64, or too long")
    }
}

impl From<Blob> for String {
    fn from(blob: Blob) -> String {
        to_base64(&blob.0)
    }
}

/// 32 bytes, in base64: every hash of the store has as many.
#[derive(Copy, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Bytes(pub(super) [u8; 32]);

impl TryFrom<String> for Bytes {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Bytes, &'static str> {
        from_base64(&text).map(Bytes).ok_or("not 32 bytes in base64")
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> String {
        to_base64(&bytes.0)
    }
}

impl Page {
    /// The key of its entry.
    pub(super) fn key(&self) -> String {
        match self {
            Page::Hosts => HOSTS.to_owned(),
            Page::Secrets => "secrets".to_owned(),
            Page::Staff(staff) => format!("staff.{staff}"),
            Page::Holders(kind, group) => format!("{}.{group}", kind.as_str()),
            Page::Attempts(number) => format!("attempts.{number}"),
        }
    }

    /// The page of a key.
    pub(super) fn parse(key: &str) -> Option<Page> {
        let (part, number) = key.split_once('.').unwrap_or((key, ""));
        match part {
            HOSTS => Some(Page::Hosts),
            "secrets" => Some(Page::Secrets),
            "staff" => number.parse().ok().map(Page::Staff),
            "attempts" => number.parse().ok().map(Page::Attempts),
            _ => Some(Page::Holders(Kind::parse(part)?, number.parse().ok()?)),
        }
    }

    fn of_attempt(kind: &str, who: &str) -> Page {
        // Only evenness is asked of this: FNV-1a.
        let bytes = kind.bytes().chain([0]).chain(who.bytes());
        let hash =
            bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Page::Attempts(u8::try_from(hash % ATTEMPTS).unwrap_or_default())
    }

    /// The value of its entry: what the tables hold, or nothing.
    pub(super) fn read(&self, connection: &Connection) -> Result<Vec<u8>, Error> {
        match self {
            Page::Hosts => read_hosts(connection),
            Page::Secrets => read_secrets(connection),
            Page::Staff(staff) => read_person(connection, *staff),
            Page::Holders(kind, group) => read_holders(connection, *kind, *group),
            Page::Attempts(_) => self.read_attempts(connection),
        }
    }

    /// Makes the tables hold what an entry says, and nothing else for this page.
    pub(super) fn write(&self, connection: &Connection, value: &[u8]) -> Result<(), Error> {
        match self {
            Page::Hosts => hosts::take(connection, value),
            Page::Secrets => write_secrets(connection, value),
            Page::Staff(staff) => write_person(connection, *staff, value),
            Page::Holders(kind, group) => write_holders(connection, *kind, *group, value),
            Page::Attempts(_) => self.write_attempts(connection, value),
        }
    }

    /// Who has which key, of a page of keys.
    pub(super) fn keys(&self, connection: &Connection) -> Result<BTreeMap<Holder, Vec<u8>>, Error> {
        let Page::Holders(kind, group) = self else { return Ok(BTreeMap::new()) };
        let (first, end) = range(*group);
        let mut statement =
            connection.prepare_cached("SELECT id, bytes FROM key WHERE kind = ?1 AND id >= ?2 AND id < ?3")?;
        let rows = statement.query_map(params![kind.as_str(), first, end], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut keys = BTreeMap::new();
        for row in rows {
            let (id, bytes) = row?;
            keys.extend(Holder::parse(kind.as_str(), id).map(|holder| (holder, bytes)));
        }
        Ok(keys)
    }

    fn read_attempts(&self, connection: &Connection) -> Result<Vec<u8>, Error> {
        let mut statement =
            connection.prepare_cached("SELECT kind, who, count, since, until FROM attempt ORDER BY kind, who")?;
        let rows = statement.query_map([], |row| {
            let (kind, who) = (row.get(0)?, row.get(1)?);
            Ok(AttemptRow { kind, who, count: row.get(2)?, since: row.get(3)?, until: row.get(4)? })
        })?;
        let mut own = Vec::new();
        for row in rows {
            own.extend(Some(row?).filter(|row| Page::of_attempt(&row.kind, &row.who) == *self));
        }
        if own.is_empty() { Ok(Vec::new()) } else { to_value(&own) }
    }

    fn write_attempts(&self, connection: &Connection, value: &[u8]) -> Result<(), Error> {
        let before: Option<Vec<AttemptRow>> = from_value(&self.read_attempts(connection)?)?;
        for row in before.unwrap_or_default() {
            connection
                .prepare_cached("DELETE FROM attempt WHERE kind = ?1 AND who = ?2")?
                .execute(params![row.kind, row.who])?;
        }
        for row in from_value::<Vec<AttemptRow>>(value)?.unwrap_or_default() {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO attempt (kind, who, count, since, until) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![row.kind, row.who, row.count, row.since, row.until])?;
        }
        Ok(())
    }
}

/// Every page there is something on.
pub(super) fn all(connection: &Connection) -> Result<Vec<Page>, Error> {
    let mut pages = vec![Page::Secrets];
    pages.extend(hosts::has_any(connection)?.then_some(Page::Hosts));
    let mut statement = connection.prepare(
        "SELECT 'staff', staff, '' FROM staff
         UNION SELECT 'holders', kind, id / ?1 FROM key UNION SELECT 'holders', kind, id / ?1 FROM code
         UNION SELECT 'attempts', kind, who FROM attempt",
    )?;
    let mut rows = statement.query([HOLDERS])?;
    while let Some(row) = rows.next()? {
        pages.extend(page_of(row)?);
    }
    pages.sort();
    pages.dedup();
    Ok(pages)
}

/// Notes from now on which pages a transaction touches.
pub(super) fn watch(connection: &Connection) -> Result<(), Error> {
    // What a REPLACE removes is noted too.
    let mut batch = "PRAGMA recursive_triggers = ON;
        CREATE TEMP TABLE touched (part TEXT, one, other);"
        .to_owned();
    let holder = format!("'holders', ROW.kind, ROW.id / {HOLDERS}");
    for (table, noted) in [
        ("host", "'hosts', '', ''"),
        ("secret", "'secrets', '', ''"),
        ("staff", "'staff', ROW.staff, ''"),
        ("session", "'staff', ROW.staff, ''"),
        ("passkey", "'staff', ROW.staff, ''"),
        ("answered", "'staff', ROW.staff, ''"),
        ("key", holder.as_str()),
        ("code", holder.as_str()),
        ("attempt", "'attempts', ROW.kind, ROW.who"),
    ] {
        for (event, rows) in [("INSERT", &["NEW"][..]), ("UPDATE", &["OLD", "NEW"]), ("DELETE", &["OLD"])] {
            let notes: String =
                rows.iter().map(|row| format!("INSERT INTO touched VALUES ({});", noted.replace("ROW", row))).collect();
            batch += &format!("CREATE TEMP TRIGGER {table}_{event} AFTER {event} ON main.{table} BEGIN {notes} END;");
        }
    }
    connection.execute_batch(&batch)?;
    Ok(())
}

/// Clears the notes and begins again.
pub(super) fn forget_touched(connection: &Connection) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM touched")?.execute([])?;
    Ok(())
}

/// The pages that were touched, in the order they were.
pub(super) fn touched(connection: &Connection) -> Result<Vec<Page>, Error> {
    let mut statement = connection
        .prepare_cached("SELECT part, one, other FROM touched GROUP BY part, one, other ORDER BY min(rowid)")?;
    let mut rows = statement.query([])?;
    let mut pages = Vec::new();
    while let Some(row) = rows.next()? {
        pages.extend(page_of(row)?.filter(|page| !pages.contains(page)));
    }
    Ok(pages)
}

/// Removes every row but those of the hosts: what is known of them is not taken back.
pub(super) fn clear(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch(
        "DELETE FROM session; DELETE FROM passkey; DELETE FROM answered; DELETE FROM staff; DELETE FROM code; DELETE FROM key;
         DELETE FROM attempt; DELETE FROM secret;",
    )?;
    Ok(())
}

fn page_of(row: &rusqlite::Row<'_>) -> Result<Option<Page>, Error> {
    let part: String = row.get(0)?;
    Ok(match part.as_str() {
        HOSTS => Some(Page::Hosts),
        "secrets" => Some(Page::Secrets),
        "staff" => Some(Page::Staff(row.get(1)?)),
        "holders" => {
            Kind::parse(&row.get::<_, String>(1)?).zip(row.get(2).ok()).map(|(kind, at)| Page::Holders(kind, at))
        }
        "attempts" => Some(Page::of_attempt(&row.get::<_, String>(1)?, &row.get::<_, String>(2)?)),
        _ => None,
    })
}

fn to_value(rows: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(rows).map_err(|_| Error::Damaged("rows cannot be written as a page"))
}

pub(super) fn from_value<T: DeserializeOwned>(value: &[u8]) -> Result<Option<T>, Error> {
    if value.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(value).map(Some).map_err(|_| Error::Damaged("a page cannot be read"))
}

/// Reads a page under its key, which is in a separate line before it, for the fuzz target; whether it is one.
pub(crate) fn parse_page(bytes: &[u8]) -> bool {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let key = parts.next().and_then(|key| std::str::from_utf8(key).ok()).unwrap_or_default();
    let value = parts.next().unwrap_or_default();
    match Page::parse(key) {
        Some(Page::Hosts) => hosts::parse(value),
        Some(Page::Secrets) => from_value::<BTreeMap<String, Blob>>(value).is_ok(),
        Some(Page::Staff(_)) => from_value::<Person>(value).is_ok(),
        Some(Page::Holders(..)) => from_value::<Holders>(value).is_ok(),
        Some(Page::Attempts(_)) => from_value::<Vec<AttemptRow>>(value).is_ok(),
        None => false,
    }
}

fn read_hosts(connection: &Connection) -> Result<Vec<u8>, Error> {
    let rows = hosts::read(connection)?;
    if rows.is_empty() { Ok(Vec::new()) } else { to_value(&rows) }
}

/// The secrets of the floor, of 32 bytes, and the names of copies; not whose the file is.
fn read_secrets(connection: &Connection) -> Result<Vec<u8>, Error> {
    let mut statement = connection.prepare_cached("SELECT name, bytes FROM secret WHERE name <> ?1")?;
    let rows = statement.query_map([JOURNAL], |row| Ok((row.get(0)?, Blob(row.get(1)?))))?;
    to_value(&rows.collect::<Result<BTreeMap<String, Blob>, _>>()?)
}

fn write_secrets(connection: &Connection, value: &[u8]) -> Result<(), Error> {
    connection.execute("DELETE FROM secret WHERE name <> ?1", [JOURNAL])?;
    for (name, Blob(bytes)) in from_value::<BTreeMap<String, Blob>>(value)?.unwrap_or_default() {
        // Whose a file is it says itself: no page does.
        if name == JOURNAL {
            continue;
        }
        connection.execute("INSERT INTO secret (name, bytes) VALUES (?1, ?2)", params![name, bytes])?;
    }
    Ok(())
}

fn read_person(connection: &Connection, staff: u32) -> Result<Vec<u8>, Error> {
    let found = connection
        .prepare_cached("SELECT login, password, must_change FROM staff WHERE staff = ?1")?
        .query_row([staff], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((login, password, must_change)) = found else { return Ok(Vec::new()) };
    let mut statement = connection
        .prepare_cached("SELECT hash, address, made, seen, limited FROM session WHERE staff = ?1 ORDER BY rowid")?;
    let sessions = statement.query_map([staff], |row| {
        let (hash, limited) = (Bytes(row.get(0)?), row.get(4)?);
        Ok(SessionRow { hash, address: row.get(1)?, made: row.get(2)?, seen: row.get(3)?, limited })
    })?;
    let sessions = sessions.collect::<Result<_, _>>()?;
    let mut statement = connection
        .prepare_cached("SELECT id, name, scheme, bytes, count, made FROM passkey WHERE staff = ?1 ORDER BY rowid")?;
    let passkeys = statement.query_map([staff], |row| {
        let (id, bytes) = (Blob(row.get(0)?), Blob(row.get(3)?));
        Ok(PasskeyRow { id, name: row.get(1)?, scheme: row.get(2)?, bytes, count: row.get(4)?, made: row.get(5)? })
    })?;
    let passkeys = passkeys.collect::<Result<_, _>>()?;
    let mut statement = connection.prepare_cached("SELECT chance, at FROM answered WHERE staff = ?1 ORDER BY rowid")?;
    let answered =
        statement.query_map([staff], |row| Ok(AnsweredRow { chance: Blob(row.get(0)?), at: row.get(1)? }))?;
    let answered = answered.collect::<Result<_, _>>()?;
    to_value(&Person { login, password, sessions, must_change, passkeys, answered })
}

fn write_person(connection: &Connection, staff: u32, value: &[u8]) -> Result<(), Error> {
    for delete in [
        "DELETE FROM session WHERE staff = ?1",
        "DELETE FROM passkey WHERE staff = ?1",
        "DELETE FROM answered WHERE staff = ?1",
        "DELETE FROM staff WHERE staff = ?1",
    ] {
        connection.prepare_cached(delete)?.execute([staff])?;
    }
    let Some(person) = from_value::<Person>(value)? else { return Ok(()) };
    // The person who had the login before has another by now, or none: a later page says so.
    connection
        .prepare_cached("INSERT OR REPLACE INTO staff (staff, login, password, must_change) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![staff, person.login, person.password, person.must_change])?;
    for row in person.sessions {
        connection
            .prepare_cached(
                "INSERT INTO session (hash, staff, address, made, seen, limited) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![row.hash.0, staff, row.address, row.made, row.seen, row.limited])?;
    }
    for row in person.passkeys {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO passkey (id, staff, name, scheme, bytes, count, made)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![row.id.0, staff, row.name, row.scheme, row.bytes.0, row.count, row.made])?;
    }
    for row in person.answered {
        connection
            .prepare_cached("INSERT OR REPLACE INTO answered (chance, staff, at) VALUES (?1, ?2, ?3)")?
            .execute(params![row.chance.0, staff, row.at])?;
    }
    Ok(())
}

/// The numbers of a page of keys and codes: the first, and the first that is no longer on it.
fn range(group: u32) -> (i64, i64) {
    let first = i64::from(group) * i64::from(HOLDERS);
    (first, first + i64::from(HOLDERS))
}

fn read_holders(connection: &Connection, kind: Kind, group: u32) -> Result<Vec<u8>, Error> {
    let (first, end) = range(group);
    let own = params![kind.as_str(), first, end];
    let mut keys = connection.prepare_cached(
        "SELECT id, bytes, made, scheme, certificate FROM key WHERE kind = ?1 AND id >= ?2 AND id < ?3 ORDER BY id",
    )?;
    let keys = keys
        .query_map(own, |row| {
            let certificate: Option<[u8; 32]> = row.get(4)?;
            let (bytes, certificate) = (Blob(row.get(1)?), certificate.map(Bytes));
            Ok(KeyRow { id: row.get(0)?, bytes, made: row.get(2)?, scheme: row.get(3)?, certificate })
        })?
        .collect::<Result<Vec<_>, _>>()?;
    let mut codes = connection
        .prepare_cached("SELECT id, hash, expires FROM code WHERE kind = ?1 AND id >= ?2 AND id < ?3 ORDER BY id")?;
    let codes = codes
        .query_map(own, |row| Ok(CodeRow { id: row.get(0)?, hash: Bytes(row.get(1)?), expires: row.get(2)? }))?
        .collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() && codes.is_empty() { Ok(Vec::new()) } else { to_value(&Holders { keys, codes }) }
}

fn write_holders(connection: &Connection, kind: Kind, group: u32, value: &[u8]) -> Result<(), Error> {
    let (first, end) = range(group);
    for delete in [
        "DELETE FROM key WHERE kind = ?1 AND id >= ?2 AND id < ?3",
        "DELETE FROM code WHERE kind = ?1 AND id >= ?2 AND id < ?3",
    ] {
        connection.prepare_cached(delete)?.execute(params![kind.as_str(), first, end])?;
    }
    let Some(Holders { keys, codes }) = from_value(value)? else { return Ok(()) };
    for row in keys {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO key (kind, id, bytes, made, scheme, certificate)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                kind.as_str(),
                row.id,
                row.bytes.0,
                row.made,
                row.scheme,
                row.certificate.map(|certificate| certificate.0)
            ])?;
    }
    for row in codes {
        connection
            .prepare_cached("INSERT OR REPLACE INTO code (kind, id, hash, expires) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![kind.as_str(), row.id, row.hash.0, row.expires])?;
    }
    Ok(())
}
