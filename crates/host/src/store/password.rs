//! Passwords: the work they cost, and which are refused.

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};

use super::{Error, Limits, SignInRefused};

/// The most bytes of a password and of a login.
pub(super) const LONGEST: usize = 256;
const LONGEST_LOGIN: usize = 64;

/// What it costs to look at a password (argon2id).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// KiB of memory.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
}

impl Default for Work {
    /// 19 MiB and two passes.
    fn default() -> Work {
        Work { memory: 19 * 1024, passes: 2 }
    }
}

impl Work {
    pub(super) fn hash(self, password: &[u8]) -> Result<String, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Hashing(error.to_string());
        let params = Params::new(self.memory, self.passes, 1, None).map_err(|error| failed(&error))?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash = argon2.hash_password(password).map_err(|error| failed(&error))?;
        Ok(hash.to_string())
    }
}

/// Whether it is the password behind the hash, which says itself what work it takes.
pub(super) fn is(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// Why a password or login was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PasswordRefused {
    /// It is too short.
    #[error("a password has at least {minimum} characters")]
    TooShort {
        /// The fewest characters.
        minimum: usize,
    },
    /// It is too long.
    #[error("a password has at most {maximum} bytes")]
    TooLong {
        /// The most bytes.
        maximum: usize,
    },
    /// It is the login.
    #[error("a password is not the login")]
    IsLogin,
    /// It is the old one.
    #[error("the new password is the old one")]
    Same,
    /// Nobody can sign in with such a login.
    #[error("a login has 1 to 64 bytes, without blanks or control characters")]
    Login,
    /// Somebody else has that login.
    #[error("somebody else has this login")]
    LoginTaken,
    /// The session has ended.
    #[error("sign in first")]
    SignedOut,
    /// The old password is wrong, or there were too many attempts.
    #[error(transparent)]
    Old(SignInRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<rusqlite::Error> for PasswordRefused {
    fn from(error: rusqlite::Error) -> PasswordRefused {
        PasswordRefused::Store(error.into())
    }
}

pub(super) fn fits(limits: &Limits, login: &str, password: &str) -> Result<(), PasswordRefused> {
    if password.chars().count() < limits.password_minimum {
        return Err(PasswordRefused::TooShort { minimum: limits.password_minimum });
    }
    if password.len() > LONGEST {
        return Err(PasswordRefused::TooLong { maximum: LONGEST });
    }
    if self::login(password) == login {
        return Err(PasswordRefused::IsLogin);
    }
    Ok(())
}

/// A login as it is kept: in lower case, without blanks around it.
pub(super) fn login(text: &str) -> String {
    text.trim().to_lowercase()
}

pub(super) fn is_login(login: &str) -> bool {
    let printable = login.chars().all(|c| !c.is_control() && !c.is_whitespace());
    !login.is_empty() && login.len() <= LONGEST_LOGIN && printable
}
