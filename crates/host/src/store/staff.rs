//! Staff: passwords, and the second person (D15).

use std::net::IpAddr;
use std::sync::PoisonError;

use floor::{Moment, StaffId};
use rusqlite::{OptionalExtension, params};

use super::attempts::{self, Counted, Kind};
use super::password::{self, PasswordRefused};
use super::{Error, Session, Store};

/// Why somebody was not signed in. To whoever asked, an unknown login and a wrong password are the same answer; they are
/// told apart for the record only.
#[derive(Debug, thiserror::Error)]
pub enum SignInRefused {
    /// Nobody has this login.
    #[error("login or password is wrong")]
    Unknown,
    /// The password is not this person's.
    #[error("login or password is wrong")]
    Wrong,
    /// Too many attempts failed, for this login or from this address.
    #[error("too many attempts failed; try again later")]
    LockedOut {
        /// When the next attempt is looked at.
        until: Moment,
    },
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
            SignInRefused::Store(_) => "store",
        }
    }
}

impl From<rusqlite::Error> for SignInRefused {
    fn from(error: rusqlite::Error) -> SignInRefused {
        SignInRefused::Store(error.into())
    }
}

/// Somebody whose password was right, and the hash it was compared with.
struct Known {
    staff: StaffId,
    hash: String,
}

impl Store {
    /// Gives a person a login and a password, or others than before, and ends the person's sessions. An administrator
    /// does this; nobody needs to know the old password.
    ///
    /// # Errors
    /// When the login or the password is refused, or the store fails.
    pub fn set_password(&self, staff: StaffId, login: &str, password: &str) -> Result<(), PasswordRefused> {
        let login = password::login(login);
        if !password::is_login(&login) {
            return Err(PasswordRefused::Login);
        }
        password::fits(&self.limits, &login, password)?;
        let hash = self.work(|| self.limits.work.hash(password.as_bytes()))?;
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
                "INSERT INTO staff (staff, login, password) VALUES (?1, ?2, ?3)
                 ON CONFLICT (staff) DO UPDATE SET login = excluded.login, password = excluded.password",
                params![staff.0, login, hash],
            )?;
            connection.execute("DELETE FROM session WHERE staff = ?1", [staff.0])?;
            Ok(())
        })
    }

    /// Whether a new person could have this login and password.
    ///
    /// # Errors
    /// When not, or the store fails.
    pub fn fits(&self, login: &str, password: &str) -> Result<(), PasswordRefused> {
        let login = password::login(login);
        if !password::is_login(&login) {
            return Err(PasswordRefused::Login);
        }
        password::fits(&self.limits, &login, password)?;
        if self.who_has(&login)?.is_some() { Err(PasswordRefused::LoginTaken) } else { Ok(()) }
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

    /// Takes a person's login away, with all sessions.
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

    /// Signs a person in.
    ///
    /// # Errors
    /// When login or password is wrong, too many attempts have failed, or the store fails.
    pub fn sign_in(&self, login: &str, password: &str, address: IpAddr, now: Moment) -> Result<Session, SignInRefused> {
        let known = self.know(login, password, address, now)?;
        // A password that was changed in the meantime opens nothing.
        self.begin_session(known.staff, &known.hash, address, now)?.ok_or(SignInRefused::Wrong)
    }

    /// Who it is, without a session: the second person of a command (D15). Failures count as they do at sign-in.
    ///
    /// # Errors
    /// As [`Store::sign_in`].
    pub fn verify(&self, login: &str, password: &str, address: IpAddr, now: Moment) -> Result<StaffId, SignInRefused> {
        Ok(self.know(login, password, address, now)?.staff)
    }

    /// Changes one's own password. The session goes on, the person's others end.
    ///
    /// # Errors
    /// When the session has ended, the old password is wrong, the new one is refused, or the store fails.
    pub fn change_password(
        &self,
        token: &str,
        old: &str,
        new: &str,
        address: IpAddr,
        now: Moment,
    ) -> Result<(), PasswordRefused> {
        let session = self.session(token, now)?.ok_or(PasswordRefused::SignedOut)?;
        let login = self.login_of(session.staff)?.ok_or(PasswordRefused::SignedOut)?;
        password::fits(&self.limits, &login, new)?;
        let known = self.know(&login, old, address, now).map_err(PasswordRefused::Old)?;
        if old == new {
            return Err(PasswordRefused::Same);
        }
        let hash = self.work(|| self.limits.work.hash(new.as_bytes()))?;
        self.write(|connection| {
            let changed = connection.execute(
                "UPDATE staff SET password = ?1 WHERE staff = ?2 AND password = ?3",
                params![hash, known.staff.0, known.hash],
            )?;
            if changed == 0 {
                return Err(PasswordRefused::Old(SignInRefused::Wrong));
            }
            connection.execute(
                "DELETE FROM session WHERE staff = ?1 AND hash <> ?2",
                params![known.staff.0, super::Token::hash(token)],
            )?;
            Ok(())
        })
    }

    fn know(&self, login: &str, password: &str, address: IpAddr, now: Moment) -> Result<Known, SignInRefused> {
        let login = password::login(login);
        // What nobody can have as a login is counted by address, and costs the same.
        let possible = password::is_login(&login) && password.len() <= password::LONGEST;
        let place = attempts::place(address);
        let both: [Counted<'_>; 2] = [(Kind::Address, &place), (Kind::Login, &login)];
        let counted = if possible { both.as_slice() } else { both.get(..1).unwrap_or_default() };
        self.write(|connection| attempts::begin(connection, &self.limits, counted, now))?
            .map_err(|until| SignInRefused::LockedOut { until })?;
        let known = {
            let inner = self.lock();
            let find = "SELECT staff, password FROM staff WHERE login = ?1";
            let found = inner
                .connection
                .query_row(find, [&login], |row| Ok(Known { staff: StaffId(row.get(0)?), hash: row.get(1)? }));
            found.optional()?.filter(|_| possible)
        };
        let hash = known.as_ref().map_or(&self.nobody, |known| &known.hash);
        let password = if possible { password } else { "" };
        let right = self.work(|| password::is(password, hash));
        match known {
            None => Err(SignInRefused::Unknown),
            Some(_) if !right => Err(SignInRefused::Wrong),
            Some(known) => {
                for one in counted {
                    self.write(|connection| attempts::succeed(connection, &self.limits, *one))?;
                }
                Ok(known)
            }
        }
    }

    /// Works on a password: one at a time, and without the lock that everything else needs.
    fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let _working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}
