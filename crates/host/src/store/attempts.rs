//! Attempts that failed, counted by login and by address.
//!
//! An attempt is counted before it is looked at, and taken back when it succeeds. So many attempts at the same moment
//! are no way around the limit.

use std::net::IpAddr;

use floor::Moment;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Error, Limits};

/// Attempts that are remembered. The oldest are forgotten when there are more.
const MOST: i64 = 10_000;

/// What is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Wrong passwords for a login, whether or not anybody has it.
    Login,
    /// Wrong passwords from an address.
    Address,
    /// Wrong codes from an address.
    Code,
    /// Wrong codes from everywhere.
    Codes,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Login, Kind::Address, Kind::Code, Kind::Codes];

    const fn as_str(self) -> &'static str {
        match self {
            Kind::Login => "login",
            Kind::Address => "address",
            Kind::Code => "code",
            Kind::Codes => "codes",
        }
    }

    const fn most(self, limits: &Limits) -> u32 {
        match self {
            Kind::Login => limits.login_failures,
            Kind::Address => limits.address_failures,
            Kind::Code => limits.code_failures,
            Kind::Codes => limits.code_failures_together,
        }
    }

    const fn period(self, limits: &Limits) -> i64 {
        match self {
            Kind::Login | Kind::Address => limits.lockout,
            Kind::Code | Kind::Codes => limits.code_life,
        }
    }
}

/// Somebody or somewhere that attempts are counted for.
pub(super) type Counted<'a> = (Kind, &'a str);

#[derive(Copy, Clone)]
struct Count {
    count: u32,
    since: Moment,
    until: Option<Moment>,
}

/// Where attempts from an address are counted together: the address, or the network of one IPv6 subscriber.
pub(super) fn place(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// Counts an attempt for each, unless one of them is locked: then nothing is counted and it is said until when.
pub(super) fn begin(
    connection: &Connection,
    limits: &Limits,
    counted: &[Counted<'_>],
    now: Moment,
) -> Result<Result<(), Moment>, Error> {
    let mut counts = Vec::with_capacity(counted.len());
    for (kind, who) in counted {
        let count = find(connection, *kind, who)?.filter(|count| is_current(*kind, limits, *count, now));
        if let Some(until) = count.and_then(|count| count.until) {
            return Ok(Err(until));
        }
        counts.push(count);
    }
    for ((kind, who), count) in counted.iter().zip(counts) {
        let (count, since) = count.map_or((1, now), |count| (count.count.saturating_add(1), count.since));
        let until = (count >= kind.most(limits)).then(|| now.after(kind.period(limits)));
        write(connection, *kind, who, Count { count, since, until })?;
    }
    connection.execute(
        "DELETE FROM attempt WHERE rowid IN
            (SELECT rowid FROM attempt ORDER BY since LIMIT max(0, (SELECT count(*) FROM attempt) - ?1))",
        [MOST],
    )?;
    Ok(Ok(()))
}

/// The attempt succeeded: a login's failures are forgotten, and elsewhere this one was none.
pub(super) fn succeed(connection: &Connection, limits: &Limits, (kind, who): Counted<'_>) -> Result<(), Error> {
    let Some(found) = find(connection, kind, who)? else { return Ok(()) };
    let count = found.count.saturating_sub(1);
    if kind == Kind::Login || count == 0 {
        connection.execute("DELETE FROM attempt WHERE kind = ?1 AND who = ?2", params![kind.as_str(), who])?;
        return Ok(());
    }
    let until = found.until.filter(|_| count >= kind.most(limits));
    write(connection, kind, who, Count { count, until, ..found })
}

/// Forgets what no longer counts.
pub(super) fn prune(connection: &Connection, limits: &Limits, now: Moment) -> Result<(), Error> {
    for kind in Kind::ALL {
        let period = kind.period(limits);
        connection.execute(
            "DELETE FROM attempt WHERE kind = ?1 AND coalesce(until <= ?2, abs(?2 - since) >= ?3)",
            params![kind.as_str(), now.0, period],
        )?;
    }
    Ok(())
}

/// Failures count together for a while, and a lock ends. A clock that was set back does not prolong either by more than
/// its own length.
fn is_current(kind: Kind, limits: &Limits, count: Count, now: Moment) -> bool {
    let period = kind.period(limits);
    match count.until {
        Some(until) => now < until && until.since(now) <= period,
        None => now.since(count.since).abs() < period,
    }
}

fn find(connection: &Connection, kind: Kind, who: &str) -> Result<Option<Count>, Error> {
    let found = connection
        .query_row(
            "SELECT count, since, until FROM attempt WHERE kind = ?1 AND who = ?2",
            params![kind.as_str(), who],
            |row| {
                let until: Option<i64> = row.get(2)?;
                Ok(Count { count: row.get(0)?, since: Moment(row.get(1)?), until: until.map(Moment) })
            },
        )
        .optional()?;
    Ok(found)
}

fn write(connection: &Connection, kind: Kind, who: &str, count: Count) -> Result<(), Error> {
    connection.execute(
        "INSERT OR REPLACE INTO attempt (kind, who, count, since, until) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![kind.as_str(), who, count.count, count.since.0, count.until.map(|until| until.0)],
    )?;
    Ok(())
}
