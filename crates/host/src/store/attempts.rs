//! Attempts that failed, counted by login and address together, by login, and by address.
//!
//! An attempt is counted before it is checked, and uncounted when it succeeds. Many attempts at the same moment
//! therefore cannot bypass the limit.
//!
//! Wrong passwords for a login from one address delay that login at that address, each time twice as long. No login is
//! delayed everywhere: a person can always sign in at another address. If a login is tried from many addresses, each of
//! them gets one attempt instead of several before it waits. The same holds for one-time codes: they have 31^8 values
//! and live for minutes, so many addresses with one attempt each find none.
//!
//! Signatures of people who are signed in are counted by the person in whose session they are asked for, and apart from
//! what strangers try: another address gives such a person no further attempts, and strangers at the person's address
//! take none away.

use std::net::IpAddr;

use floor::{Moment, StaffId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Error, Limits};

/// Attempts that are remembered. The oldest are forgotten when there are more.
const MOST: i64 = 10_000;

/// What is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Wrong passwords for a login from an address, whether or not anyone has the login. See [`pair`].
    Pair,
    /// Wrong passwords for a login from everywhere.
    Login,
    /// Wrong passwords from an address.
    Address,
    /// Wrong codes from an address.
    Code,
    /// Wrong codes from everywhere.
    Codes,
    /// Wrong signatures with a login in sessions, from everywhere.
    Signed,
    /// Wrong sealed codes from an address.
    Sealed,
    /// Wrong sealed codes from everywhere.
    AllSealed,
}

impl Kind {
    const ALL: [Kind; 8] =
        [Kind::Pair, Kind::Login, Kind::Address, Kind::Code, Kind::Codes, Kind::Signed, Kind::Sealed, Kind::AllSealed];

    const fn as_str(self) -> &'static str {
        match self {
            Kind::Pair => "pair",
            Kind::Login => "login",
            Kind::Address => "address",
            Kind::Code => "code",
            Kind::Codes => "codes",
            Kind::Signed => "signed",
            Kind::Sealed => "sealed",
            Kind::AllSealed => "all_sealed",
        }
    }

    /// How long failures are counted together. Where delays grow, it restarts with each failure.
    const fn period(self, limits: &Limits) -> i64 {
        match self {
            Kind::Pair | Kind::Login | Kind::Signed => limits.lockout.saturating_mul(3),
            Kind::Address => limits.lockout,
            Kind::Code | Kind::Codes | Kind::Sealed | Kind::AllSealed => limits.code_life,
        }
    }

    /// How long the next attempt must wait after so many failures. No login or code is delayed everywhere.
    fn wait(self, limits: &Limits, count: u32, tried_widely: bool) -> Option<i64> {
        let after = |most: u32, wait: i64| (count >= most).then_some(wait);
        match self {
            Kind::Pair => {
                let free = if tried_widely { 1 } else { limits.login_failures };
                let doublings = count.checked_sub(free)?.min(20);
                Some(limits.backoff.saturating_mul(1 << doublings).min(limits.lockout))
            }
            // Slows attempts by what it does to pairs, and locks nothing itself.
            Kind::Login | Kind::Signed => None,
            Kind::Address => after(limits.address_failures, limits.lockout),
            Kind::Code | Kind::Sealed => after(if tried_widely { 1 } else { limits.code_failures }, limits.code_life),
            // As with logins: each address has one attempt, and the first from an address is always checked.
            Kind::Codes | Kind::AllSealed => None,
        }
    }

    const fn begins_anew(self) -> bool {
        matches!(self, Kind::Pair | Kind::Login | Kind::Signed)
    }
}

/// What attempts are counted for.
pub(super) type Counted<'a> = (Kind, &'a str);

#[derive(Copy, Clone)]
struct Count {
    count: u32,
    since: Moment,
    until: Option<Moment>,
}

/// Where attempts from an address are counted together: the address, or the network of one IPv6 subscriber.
#[must_use]
pub fn place(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// Where signatures are counted together that are asked for in the sessions of a person.
#[must_use]
pub(super) fn asked_by(staff: StaffId) -> String {
    format!("staff {staff}")
}

/// A login at an address. No login contains a blank.
pub(super) fn pair(login: &str, place: &str) -> String {
    format!("{login} {place}")
}

/// Counts an attempt for each, unless one of them must wait: then nothing is counted and the end of the wait is
/// returned.
pub(super) fn begin(
    connection: &Connection,
    limits: &Limits,
    counted: &[Counted<'_>],
    now: Moment,
) -> Result<Result<(), Moment>, Error> {
    let mut counts = Vec::with_capacity(counted.len());
    let mut tried_widely = false;
    for (kind, who) in counted {
        let count = find(connection, *kind, who)?.filter(|count| is_current(*kind, limits, *count, now));
        if let Some(until) = count.and_then(|count| count.until).filter(|until| now < *until) {
            return Ok(Err(until));
        }
        let ceiling = match kind {
            Kind::Login | Kind::Signed => limits.login_ceiling,
            Kind::Codes | Kind::AllSealed => limits.code_failures_together,
            _ => u32::MAX,
        };
        tried_widely |= count.is_some_and(|count| count.count >= ceiling);
        counts.push(count);
    }
    for ((kind, who), count) in counted.iter().zip(counts) {
        let since = count.map(|count| count.since).filter(|_| !kind.begins_anew()).unwrap_or(now);
        let count = count.map_or(1, |count| count.count.saturating_add(1));
        let until = kind.wait(limits, count, tried_widely).map(|wait| now.after(wait));
        write(connection, *kind, who, Count { count, since, until })?;
    }
    connection.execute(
        "DELETE FROM attempt WHERE rowid IN
            (SELECT rowid FROM attempt ORDER BY since LIMIT max(0, (SELECT count(*) FROM attempt) - ?1))",
        [MOST],
    )?;
    Ok(Ok(()))
}

/// The attempts succeeded: the failures of the login at this address are cleared, and elsewhere this attempt does not
/// count.
pub(super) fn succeed(connection: &Connection, limits: &Limits, counted: &[Counted<'_>]) -> Result<(), Error> {
    let mut own = 1;
    for (kind, who) in counted {
        let Some(found) = find(connection, *kind, who)? else { continue };
        let forgiven = match kind {
            Kind::Pair => {
                own = found.count;
                found.count
            }
            Kind::Login | Kind::Signed => own,
            _ => 1,
        };
        let count = found.count.saturating_sub(forgiven);
        if count == 0 {
            remove(connection, *kind, who)?;
            continue;
        }
        let until = found.until.filter(|_| kind.wait(limits, count, false).is_some());
        write(connection, *kind, who, Count { count, until, ..found })?;
    }
    Ok(())
}

/// Forgets all failures of a login; says whether there were any.
pub(super) fn unlock(connection: &Connection, login: &str) -> Result<bool, Error> {
    let start = pair(login, "");
    let pairs = connection.execute(
        "DELETE FROM attempt WHERE kind = ?1 AND substr(who, 1, length(?2)) = ?2",
        params![Kind::Pair.as_str(), start],
    )?;
    let signed = remove(connection, Kind::Signed, login)?;
    Ok(remove(connection, Kind::Login, login)? || signed || pairs > 0)
}

/// Forgets the failed signatures that a person asked for; says whether there were any.
pub(super) fn unlock_asked_by(connection: &Connection, staff: StaffId) -> Result<bool, Error> {
    remove(connection, Kind::Address, &asked_by(staff))
}

/// Whether signatures with a login failed in the sessions of a person, and still count.
pub(super) fn failed_with(
    connection: &Connection,
    limits: &Limits,
    login: &str,
    staff: StaffId,
    now: Moment,
) -> Result<bool, Error> {
    let count = find(connection, Kind::Pair, &pair(login, &asked_by(staff)))?;
    Ok(count.is_some_and(|count| is_current(Kind::Pair, limits, count, now)))
}

/// Where a login must wait, and until when.
pub(super) fn waits(connection: &Connection, login: &str, now: Moment) -> Result<Vec<(String, Moment)>, Error> {
    let start = pair(login, "");
    let mut statement = connection.prepare_cached(
        "SELECT substr(who, length(?2) + 1), until FROM attempt
         WHERE kind = ?1 AND substr(who, 1, length(?2)) = ?2 AND until > ?3 ORDER BY until DESC LIMIT 20",
    )?;
    let rows = statement
        .query_map(params![Kind::Pair.as_str(), start, now.0], |row| Ok((row.get(0)?, Moment(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Forgets what no longer counts.
pub(super) fn prune(connection: &Connection, limits: &Limits, now: Moment) -> Result<(), Error> {
    for kind in Kind::ALL {
        let over = if kind.begins_anew() {
            "DELETE FROM attempt WHERE kind = ?1 AND abs(?2 - since) >= ?3"
        } else {
            "DELETE FROM attempt WHERE kind = ?1 AND coalesce(until <= ?2, abs(?2 - since) >= ?3)"
        };
        connection.execute(over, params![kind.as_str(), now.0, kind.period(limits)])?;
    }
    Ok(())
}

/// Failures count together for a limited time, and every wait ends. A clock that was set back prolongs neither by more
/// than its own length.
fn is_current(kind: Kind, limits: &Limits, count: Count, now: Moment) -> bool {
    let period = kind.period(limits);
    match count.until {
        Some(until) if !kind.begins_anew() => now < until && until.since(now) <= period,
        _ => now.since(count.since).abs() < period,
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

fn remove(connection: &Connection, kind: Kind, who: &str) -> Result<bool, Error> {
    let removed =
        connection.execute("DELETE FROM attempt WHERE kind = ?1 AND who = ?2", params![kind.as_str(), who])?;
    Ok(removed > 0)
}
