//! Staff: passwords, and the second person (D15).

use std::net::IpAddr;
use std::sync::{Condvar, Mutex, PoisonError};

use floor::{Moment, StaffId};
use rusqlite::{Connection, OptionalExtension, params};

use super::attempts::{self, Counted, Kind};
use super::passkey::{Assertion, Passkey, Purpose, RelyingParty};
use super::password::{self, PasswordRefused};
use super::{Error, Session, Store};
use crate::door::line::AT_ONCE;

/// Why a person was not signed in. An unknown login and a wrong password get the same answer; only the record
/// distinguishes them.
#[derive(Debug, thiserror::Error)]
pub enum SignInRefused {
    /// There is no such login.
    #[error("login or password is wrong")]
    Unknown,
    /// The password is not this person's, or the passkey did not sign.
    #[error("login or password is wrong")]
    Wrong,
    /// Too many attempts failed: for this login from this address, or from this address.
    #[error("too many attempts failed; try again later")]
    LockedOut {
        /// When the next attempt is looked at.
        until: Moment,
    },
    /// Another person chose the password: it signs nothing until its owner has changed it.
    #[error("this password must be changed by its owner first")]
    MustChange,
    /// Too many wait for a check, in all or from this address: nothing was looked at.
    #[error("too many sign-ins wait to be checked; try again shortly")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl SignInRefused {
    /// The stable code of the answer.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            SignInRefused::Unknown | SignInRefused::Wrong => "sign_in",
            SignInRefused::LockedOut { .. } => "locked_out",
            SignInRefused::MustChange => "password_change",
            SignInRefused::Busy => "busy",
            SignInRefused::Store(_) => "store",
        }
    }
}

impl From<rusqlite::Error> for SignInRefused {
    fn from(error: rusqlite::Error) -> SignInRefused {
        SignInRefused::Store(error.into())
    }
}

/// What a person proves to be themselves with.
#[derive(Clone, Debug)]
pub enum Secret {
    /// The password.
    Password(String),
    /// The signature of a passkey, with whom it was made for and where.
    Passkey(Box<Assertion>, RelyingParty, Purpose),
}

/// For whom attempts that fail are counted.
#[derive(Copy, Clone, Debug)]
pub enum Asks {
    /// Anyone at an address.
    From(IpAddr),
    /// A person who is signed in, wherever.
    Person(StaffId),
}

impl From<IpAddr> for Asks {
    fn from(address: IpAddr) -> Asks {
        Asks::From(address)
    }
}

impl From<StaffId> for Asks {
    fn from(staff: StaffId) -> Asks {
        Asks::Person(staff)
    }
}

/// A person whose password was right, and the hash it was compared with; none where a passkey signed.
struct Known {
    staff: StaffId,
    hash: Option<String>,
    must_change: bool,
}

/// What a person signs in with, without secrets.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Who.
    pub staff: StaffId,
    /// The login.
    pub login: String,
    /// Whether the password must be changed by its owner first.
    pub must_change: bool,
    /// The passkeys.
    pub passkeys: Vec<Passkey>,
    /// Where the login must wait after wrong passwords, and until when.
    pub waits: Vec<(String, Moment)>,
}

impl Store {
    /// Gives a person a new login and password, and ends the person's sessions. For the host itself, where the person
    /// was given the password; see [`Store::reset_password`].
    ///
    /// # Errors
    /// When the login or the password is refused, or the store fails.
    pub fn set_password(&self, staff: StaffId, login: &str, password: &str) -> Result<(), PasswordRefused> {
        self.put_password(staff, login, password, false)
    }

    /// The same by another person, who therefore knows the password: its owner must change it before anything else.
    ///
    /// # Errors
    /// As [`Store::set_password`].
    pub fn reset_password(&self, staff: StaffId, login: &str, password: &str) -> Result<(), PasswordRefused> {
        self.put_password(staff, login, password, true)
    }

    fn put_password(
        &self,
        staff: StaffId,
        login: &str,
        password: &str,
        must_change: bool,
    ) -> Result<(), PasswordRefused> {
        let login = password::login(login);
        self.may_have(Some(staff), &login)?;
        password::fits(&self.limits, &login, password)?;
        let hash = self.work(|| self.limits.work.hash_of(password))?;
        self.write(|connection| {
            let other: Option<u32> = connection
                .query_row("SELECT staff FROM staff WHERE login = ?1 AND staff <> ?2", params![login, staff.0], |row| {
                    row.get(0)
                })
                .optional()?;
            if other.is_some() {
                return Err(PasswordRefused::LoginTaken);
            }
            connection.execute(
                "INSERT INTO staff (staff, login, password, must_change) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (staff) DO UPDATE
                 SET login = excluded.login, password = excluded.password, must_change = excluded.must_change",
                params![staff.0, login, hash, must_change],
            )?;
            connection.execute("DELETE FROM session WHERE staff = ?1", [staff.0])?;
            Ok(())
        })
    }

    /// Whether a person could have this login and password.
    ///
    /// # Errors
    /// When not, or the store fails.
    pub fn fits(&self, staff: Option<StaffId>, login: &str, password: &str) -> Result<(), PasswordRefused> {
        let login = password::login(login);
        self.may_have(staff, &login)?;
        password::fits(&self.limits, &login, password)?;
        match self.who_has(&login)? {
            Some(other) if staff != Some(other) => Err(PasswordRefused::LoginTaken),
            _ => Ok(()),
        }
    }

    /// Whether a login can be given to a person. One that the person has already stays.
    fn may_have(&self, staff: Option<StaffId>, login: &str) -> Result<(), PasswordRefused> {
        let has = |staff| Ok::<_, Error>(self.login_of(staff)?.as_deref() == Some(login));
        if password::is_new_login(login) || staff.map_or(Ok(false), has)? {
            return Ok(());
        }
        Err(PasswordRefused::Login)
    }

    /// Who has a login.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn who_has(&self, login: &str) -> Result<Option<StaffId>, Error> {
        let inner = self.lock();
        let login = password::login(login);
        let query = "SELECT staff FROM staff WHERE login = ?1";
        Ok(inner.connection.query_row(query, [login], |row| row.get(0).map(StaffId)).optional()?)
    }

    /// Takes a person's login away, with all sessions and passkeys.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove_password(&self, staff: StaffId) -> Result<(), Error> {
        self.write(|connection| {
            connection.execute("DELETE FROM staff WHERE staff = ?1", [staff.0])?;
            Ok(())
        })
    }

    /// Whether the person can sign in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn has_password(&self, staff: StaffId) -> Result<bool, Error> {
        Ok(self.login_of(staff)?.is_some())
    }

    /// The login of a person.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn login_of(&self, staff: StaffId) -> Result<Option<String>, Error> {
        let inner = self.lock();
        Ok(inner
            .connection
            .query_row("SELECT login FROM staff WHERE staff = ?1", [staff.0], |row| row.get(0))
            .optional()?)
    }

    /// What each person signs in with, without secrets.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn credentials(&self, now: Moment) -> Result<Vec<Credentials>, Error> {
        let inner = self.lock();
        let mut statement =
            inner.connection.prepare_cached("SELECT staff, login, must_change FROM staff ORDER BY staff")?;
        let rows = statement
            .query_map([], |row| Ok((StaffId(row.get(0)?), row.get::<_, String>(1)?, row.get::<_, bool>(2)?)))?;
        let mut all = Vec::new();
        for row in rows {
            let (staff, login, must_change) = row?;
            let passkeys = inner.passkeys_of(staff)?;
            let waits = attempts::waits(&inner.connection, &login, now)?;
            all.push(Credentials { staff, login, must_change, passkeys, waits });
        }
        Ok(all)
    }

    /// Lifts the waits of a person's login, and of the signatures that the person asked for; says whether there were
    /// failures.
    ///
    /// # Errors
    /// When the store fails.
    pub fn unlock(&self, staff: StaffId) -> Result<bool, Error> {
        let Some(login) = self.login_of(staff)? else { return Ok(false) };
        self.write(|connection| {
            let asked = attempts::unlock_asked_by(connection, staff)?;
            Ok(attempts::unlock(connection, &login)? || asked)
        })
    }

    /// Whether signatures of a person failed in the sessions of another, and still count.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn failed_with(&self, staff: StaffId, asked_by: StaffId, now: Moment) -> Result<bool, Error> {
        let Some(login) = self.login_of(staff)? else { return Ok(false) };
        attempts::failed_with(&self.lock().connection, &self.limits, &login, asked_by, now)
    }

    /// Counts an attempt to open a sealed code, unless too many were wrong: then the end of the wait is returned.
    ///
    /// # Errors
    /// When the store fails.
    pub fn tries_sealed_code(&self, address: IpAddr, now: Moment) -> Result<(), SignInRefused> {
        let place = attempts::place(address);
        self.write(|connection| attempts::begin(connection, &self.limits, &sealed(&place), now))?
            .map_err(|until| SignInRefused::LockedOut { until })
    }

    /// The attempt was no wrong code.
    ///
    /// # Errors
    /// When the store fails.
    pub fn sealed_code_was_right(&self, address: IpAddr) -> Result<(), Error> {
        let place = attempts::place(address);
        self.write(|connection| attempts::succeed(connection, &self.limits, &sealed(&place)))
    }

    /// Signs a person in.
    ///
    /// # Errors
    /// When login or password is wrong, too many attempts have failed, or the store fails.
    pub fn sign_in(&self, login: &str, password: &str, address: IpAddr, now: Moment) -> Result<Session, SignInRefused> {
        self.sign_in_with(login, &Secret::Password(password.to_owned()), address, now)
    }

    /// Signs a person in with a password or a passkey. A login that is empty is found by its passkey.
    ///
    /// # Errors
    /// As [`Store::sign_in`].
    pub fn sign_in_with(
        &self,
        login: &str,
        secret: &Secret,
        address: IpAddr,
        now: Moment,
    ) -> Result<Session, SignInRefused> {
        let known = self.know(login, secret, Asks::From(address), now)?;
        // A password that was changed in the meantime opens nothing.
        self.begin_session(known.staff, known.hash.as_deref(), address, now)?.ok_or(SignInRefused::Wrong)
    }

    /// The person, without a session: the second person of a command (D15). Failures count for the person or address that
    /// asks.
    ///
    /// # Errors
    /// As [`Store::sign_in`], and when another person chose the password.
    pub fn verify(&self, login: &str, password: &str, address: IpAddr, now: Moment) -> Result<StaffId, SignInRefused> {
        self.verify_with(login, &Secret::Password(password.to_owned()), address, now)
    }

    /// The same with a password or a passkey.
    ///
    /// # Errors
    /// As [`Store::verify`].
    pub fn verify_with(
        &self,
        login: &str,
        secret: &Secret,
        asks: impl Into<Asks>,
        now: Moment,
    ) -> Result<StaffId, SignInRefused> {
        let known = self.know(login, secret, asks.into(), now)?;
        if known.must_change && known.hash.is_some() {
            return Err(SignInRefused::MustChange);
        }
        Ok(known.staff)
    }

    /// Changes a person's own password. The session continues, the person's others end. A wrong old password counts as a
    /// signature that the person asked for.
    ///
    /// # Errors
    /// When the session has ended, the old password is wrong, the new one is refused, or the store fails.
    pub fn change_password(&self, token: &str, old: &str, new: &str, now: Moment) -> Result<(), PasswordRefused> {
        let session = self.session(token, now)?.ok_or(PasswordRefused::SignedOut)?;
        let login = self.login_of(session.staff)?.ok_or(PasswordRefused::SignedOut)?;
        password::fits(&self.limits, &login, new)?;
        let asks = Asks::Person(session.staff);
        let known = self.know(&login, &Secret::Password(old.to_owned()), asks, now).map_err(PasswordRefused::Old)?;
        if password::form(old) == password::form(new) {
            return Err(PasswordRefused::Same);
        }
        let hash = self.work(|| self.limits.work.hash_of(new))?;
        self.write(|connection| {
            let changed = connection.execute(
                "UPDATE staff SET password = ?1, must_change = FALSE WHERE staff = ?2 AND password = ?3",
                params![hash, known.staff.0, known.hash],
            )?;
            if changed == 0 {
                return Err(PasswordRefused::Old(SignInRefused::Wrong));
            }
            let own = params![known.staff.0, super::Token::hash(token)];
            connection.execute("DELETE FROM session WHERE staff = ?1 AND hash <> ?2", own)?;
            connection.execute("UPDATE session SET limited = FALSE WHERE staff = ?1 AND hash = ?2", own)?;
            Ok(())
        })
    }

    fn know(&self, login: &str, secret: &Secret, asks: Asks, now: Moment) -> Result<Known, SignInRefused> {
        let login = match secret {
            Secret::Passkey(assertion, ..) if login.is_empty() => self.login_of_passkey(assertion)?.unwrap_or_default(),
            _ => password::login(login),
        };
        // What cannot be a login is counted by address, and costs the same.
        let fits = |password: &String| password.len() <= password::LONGEST;
        let possible = password::is_login(&login)
            && match secret {
                Secret::Password(password) => fits(password),
                Secret::Passkey(..) => true,
            };
        let (place, everywhere) = match asks {
            Asks::From(address) => (attempts::place(address), Kind::Login),
            Asks::Person(staff) => (attempts::asked_by(staff), Kind::Signed),
        };
        let pair = attempts::pair(&login, &place);
        let all: [Counted<'_>; 3] = [(Kind::Address, &place), (Kind::Pair, &pair), (everywhere, &login)];
        let counted = if possible { all.as_slice() } else { all.get(..1).unwrap_or_default() };
        self.write(|connection| attempts::begin(connection, &self.limits, counted, now))?
            .map_err(|until| SignInRefused::LockedOut { until })?;
        let known = match secret {
            Secret::Password(password) => self.know_password(&login, password, possible)?,
            Secret::Passkey(assertion, party, purpose) => self.know_passkey(&login, assertion, party, *purpose, now)?,
        };
        self.write(|connection| attempts::succeed(connection, &self.limits, counted))?;
        Ok(known)
    }

    fn know_password(&self, login: &str, password: &str, possible: bool) -> Result<Known, SignInRefused> {
        let known = {
            let inner = self.lock();
            let find = "SELECT staff, password, must_change FROM staff WHERE login = ?1";
            let found = inner.connection.query_row(find, [login], |row| {
                let (staff, hash) = (StaffId(row.get(0)?), row.get::<_, String>(1)?);
                Ok((hash.clone(), Known { staff, hash: Some(hash), must_change: row.get(2)? }))
            });
            found.optional()?.filter(|_| possible)
        };
        let hash = known.as_ref().map_or(&self.nobody, |(hash, _)| hash);
        let password = if possible { password } else { "" };
        let right = self.work(|| password::is(password, hash));
        match known {
            None => Err(SignInRefused::Unknown),
            Some(_) if !right => Err(SignInRefused::Wrong),
            Some((_, known)) => Ok(known),
        }
    }

    fn know_passkey(
        &self,
        login: &str,
        assertion: &Assertion,
        party: &RelyingParty,
        purpose: Purpose,
        now: Moment,
    ) -> Result<Known, SignInRefused> {
        let staff = self.who_has(login)?.ok_or(SignInRefused::Unknown)?;
        if !self.use_passkey(staff, assertion, party, purpose, now)? {
            return Err(SignInRefused::Wrong);
        }
        Ok(Known { staff, hash: None, must_change: false })
    }

    /// Works on a password: a few at a time, and without the lock that everything else needs.
    fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let _working = self.working.begin();
        work()
    }
}

fn sealed(place: &str) -> [Counted<'_>; 2] {
    [(Kind::Sealed, place), (Kind::AllSealed, "")]
}

/// How many passwords are hashed at once. Each takes memory; the queues before it admit no more than this.
#[derive(Default)]
pub(super) struct Working {
    now: Mutex<usize>,
    less: Condvar,
}

struct Works<'a>(&'a Working);

impl Working {
    fn begin(&self) -> Works<'_> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.less.wait_while(now, |now| *now >= AT_ONCE);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Works(self)
    }
}

impl Drop for Works<'_> {
    fn drop(&mut self) {
        *self.0.now.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.less.notify_one();
    }
}

/// Normalises logins of an earlier version for comparison, unless another person has that one.
pub(super) fn normalise_logins(connection: &Connection) -> Result<(), Error> {
    let mut statement = connection.prepare("SELECT staff, login FROM staff")?;
    let logins: Vec<(u32, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (staff, login) in logins {
        connection.execute(
            "UPDATE OR IGNORE staff SET login = ?1 WHERE staff = ?2",
            params![password::login(&login), staff],
        )?;
    }
    Ok(())
}
