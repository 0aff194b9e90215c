//! Sessions of staff: made at sign-in, ended by time, by hand, or by a change of password.

use std::collections::HashMap;
use std::net::IpAddr;

use floor::{Moment, StaffId};
use rusqlite::{OptionalExtension, params};

use super::secret::{Token, TokenHash};
use super::{Error, Inner, Limits, Store};

/// The use of a session is written so often at most; in between it is known in memory only.
const WRITTEN_EVERY: i64 = 60_000;

/// When sessions were last used, where that is newer than what is written.
pub(super) type Seen = HashMap<TokenHash, Moment>;

/// A session that has just begun.
#[derive(Clone, Debug)]
pub struct Session {
    /// What the person carries from now on. It is not kept here and cannot be shown again.
    pub token: Token,
    /// Whose it is and how long it lives.
    pub info: SessionInfo,
}

/// A session that has not ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Whose it is.
    pub staff: StaffId,
    /// When it began.
    pub made: Moment,
    /// When it ends, if it is not used before.
    pub expires: Moment,
    /// When it ends, however much it is used.
    pub latest: Moment,
    /// Whether it is good for changing the password only: another person chose it.
    pub limited: bool,
}

impl SessionInfo {
    fn of(limits: &Limits, staff: StaffId, made: Moment, seen: Moment) -> SessionInfo {
        let latest = made.after(limits.session_life);
        let expires = latest.min(seen.after(limits.session_idle));
        SessionInfo { staff, made, expires, latest, limited: false }
    }

    fn limited(self, limited: bool) -> SessionInfo {
        SessionInfo { limited, ..self }
    }
}

impl Store {
    pub(super) fn begin_session(
        &self,
        staff: StaffId,
        password: Option<&str>,
        address: IpAddr,
        now: Moment,
    ) -> Result<Option<Session>, Error> {
        let token = Token::new()?;
        let begun = self.write(|connection| {
            // A passkey belongs to its owner, even if another person chose the password.
            let begun = connection
                .query_row(
                    "INSERT INTO session (hash, staff, address, made, seen, limited)
                     SELECT ?1, staff, ?2, ?3, ?3, must_change AND ?5 IS NOT NULL FROM staff
                     WHERE staff = ?4 AND coalesce(password = ?5, TRUE) RETURNING limited",
                    params![Token::hash(token.text()), address.to_string(), now.0, staff.0, password],
                    |row| row.get::<_, bool>(0),
                )
                .optional()?;
            connection.execute(
                "DELETE FROM session WHERE staff = ?1 AND rowid NOT IN
                    (SELECT rowid FROM session WHERE staff = ?1 ORDER BY made DESC, rowid DESC LIMIT ?2)",
                params![staff.0, self.limits.sessions_each],
            )?;
            Ok::<_, Error>(begun)
        })?;
        let info = SessionInfo::of(&self.limits, staff, now, now);
        Ok(begun.map(|limited| Session { token, info: info.limited(limited) }))
    }

    /// The session of a token, and marks it as used; `None` if there is none or it has ended.
    ///
    /// # Errors
    /// When the store fails.
    pub fn session(&self, token: &str, now: Moment) -> Result<Option<SessionInfo>, Error> {
        let hash = Token::hash(token);
        let mut inner = self.lock();
        let Some((info, written)) = inner.find_session(&self.limits, hash, now)? else { return Ok(None) };
        // Shared pages are written by the periodic clean-up, so that requests do not wait for the cluster.
        if now.since(written) >= WRITTEN_EVERY && !self.is_shared() {
            inner.connection.execute("UPDATE session SET seen = ?1 WHERE hash = ?2", params![now.0, hash])?;
            inner.seen.remove(&hash);
        } else if now > written {
            inner.seen.insert(hash, now);
        }
        Ok(Some(SessionInfo::of(&self.limits, info.staff, info.made, now).limited(info.limited)))
    }

    /// The session of a token without marking it as used: for feeds that stay open while their owner is idle.
    ///
    /// # Errors
    /// When the store fails.
    pub fn peek_session(&self, token: &str, now: Moment) -> Result<Option<SessionInfo>, Error> {
        let found = self.lock().find_session(&self.limits, Token::hash(token), now)?;
        Ok(found.map(|(info, _)| info))
    }

    /// Every session that has not ended, the oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub fn signed_in(&self, now: Moment) -> Result<Vec<SessionInfo>, Error> {
        let inner = self.lock();
        let mut statement = inner.connection.prepare_cached("SELECT hash FROM session ORDER BY made, rowid")?;
        let hashes: Vec<TokenHash> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut found = Vec::with_capacity(hashes.len());
        for hash in hashes {
            found.extend(inner.find_session(&self.limits, hash, now)?.map(|(info, _)| info));
        }
        Ok(found)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// When the store fails.
    pub fn sign_out(&self, token: &str) -> Result<(), Error> {
        let hash = Token::hash(token);
        self.write(|connection| {
            connection.execute("DELETE FROM session WHERE hash = ?1", [hash])?;
            Ok::<_, Error>(())
        })?;
        self.lock().seen.remove(&hash);
        Ok(())
    }

    /// Ends all sessions of a person; says how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub fn end_sessions_of(&self, staff: StaffId) -> Result<usize, Error> {
        self.write(|connection| Ok(connection.execute("DELETE FROM session WHERE staff = ?1", [staff.0])?))
    }

    /// Writes when sessions were last used, and forgets those that have ended.
    pub(super) fn prune_sessions(&self, now: Moment) -> Result<(), Error> {
        // Other hosts know of a session's use a little later, and this one of theirs.
        let (least, grace) = if self.is_shared() { (WRITTEN_EVERY, 2 * WRITTEN_EVERY) } else { (1, 0) };
        let used: Vec<(TokenHash, Moment)> = self.lock().seen.iter().map(|(hash, seen)| (*hash, *seen)).collect();
        self.write(|connection| {
            for (hash, seen) in &used {
                connection
                    .prepare_cached("UPDATE session SET seen = ?1 WHERE hash = ?2 AND seen <= ?3")?
                    .execute(params![seen.0, hash, seen.after(-least).0])?;
            }
            connection.execute(
                "DELETE FROM session WHERE made <= ?1 OR seen <= ?2",
                [now.after(-self.limits.session_life).0, now.after(-self.limits.session_idle - grace).0],
            )?;
            Ok::<_, Error>(())
        })?;
        self.lock().forget_written()
    }
}

impl Inner {
    /// A session that has not ended, and when its use was last written.
    fn find_session(
        &self,
        limits: &Limits,
        hash: TokenHash,
        now: Moment,
    ) -> Result<Option<(SessionInfo, Moment)>, Error> {
        let found = self
            .connection
            .prepare_cached("SELECT staff, made, seen, limited FROM session WHERE hash = ?1")?
            .query_row([hash], |row| {
                Ok((StaffId(row.get(0)?), Moment(row.get(1)?), Moment(row.get(2)?), row.get::<_, bool>(3)?))
            })
            .optional()?;
        Ok(found.and_then(|(staff, made, written, limited)| {
            let seen = self.seen.get(&hash).copied().unwrap_or(written).max(written);
            let info = SessionInfo::of(limits, staff, made, seen).limited(limited);
            (now < info.expires).then_some((info, written))
        }))
    }

    /// Forgets the uses that are written, and those of sessions that have ended.
    fn forget_written(&mut self) -> Result<(), Error> {
        let mut find = self.connection.prepare_cached("SELECT 1 FROM session WHERE hash = ?1 AND seen < ?2")?;
        let mut waiting = Seen::default();
        for (hash, seen) in self.seen.drain() {
            if find.exists(params![hash, seen.0])? {
                waiting.insert(hash, seen);
            }
        }
        drop(find);
        self.seen = waiting;
        Ok(())
    }
}
