//! Passkeys of staff: their owners, the purposes of their challenges, and the check that each is answered once. What a
//! browser's authenticator sends is checked in `webauthn`.
//!
//! Attestation is not requested: people choose their authenticator. The authenticator must confirm that the person was
//! present and verified (a PIN, a fingerprint), so that a passkey works without a password.

use floor::{Moment, StaffId};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;

use super::challenges::{Challenge, LENGTH};
use super::secret;
use super::signature::{PublicKey, Scheme};
use super::webauthn::{COPIED, Made, New, Signed, Stored};
use super::{Error, Inner, Limits, Store};

/// The most bytes of what an authenticator sends.
const LONGEST: usize = 8 * 1024;
/// The most bytes of an authenticator's name for a passkey.
const LONGEST_ID: usize = 1023;

/// What a challenge was made for. A signature for one purpose is none for another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To add a passkey, by this person.
    Add(StaffId),
    /// To sign in.
    SignIn,
    /// To sign as the second person of one request of this person: the hash of the request (D15, D27).
    Second(StaffId, [u8; 32]),
}

impl Purpose {
    /// What the challenge is bound to.
    fn bytes(self) -> Vec<u8> {
        let (kind, staff, about) = match self {
            Purpose::Add(staff) => (1_u8, staff.0, None),
            Purpose::SignIn => (2, 0, None),
            Purpose::Second(staff, about) => (3, staff.0, Some(about)),
        };
        [kind].into_iter().chain(staff.to_be_bytes()).chain(about.into_iter().flatten()).collect()
    }
}

/// For whom passkeys are good: a domain, and the pages of the floor in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The domain: all hosts of a floor have names in it.
    pub domain: String,
    /// The origins of the floor's pages, as browsers write them. Other origins in the domain do not belong to the
    /// floor.
    pub origins: Vec<String>,
}

impl RelyingParty {
    /// Whether a page of this origin may use passkeys of the domain: one of the floor's, over TLS or on this machine.
    #[must_use]
    pub fn has(&self, origin: &str) -> bool {
        if !self.origins.iter().any(|own| own == origin) {
            return false;
        }
        let (secure, rest) = match (origin.strip_prefix("https://"), origin.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return false,
        };
        let name = rest
            .rsplit_once(':')
            .map_or(rest, |(name, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { rest });
        let inside = name == self.domain || name.strip_suffix(&self.domain).is_some_and(|front| front.ends_with('.'));
        inside && (secure || name == "localhost" || name.ends_with(".localhost"))
    }
}

/// A new passkey, as a browser hands it over. Bytes are base64 as in URLs.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// `response.clientDataJSON`.
    pub client_data: String,
    /// `response.attestationObject`.
    pub attestation: String,
}

/// The signature of a passkey, as a browser hands it over. Bytes are base64 as in URLs.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// `id`: which passkey.
    pub id: String,
    /// `response.clientDataJSON`.
    pub client_data: String,
    /// `response.authenticatorData`.
    pub authenticator_data: String,
    /// `response.signature`.
    pub signature: String,
}

/// A passkey of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passkey {
    /// The authenticator's name for it: base64 as in URLs.
    pub id: String,
    /// The person's name for it.
    pub name: String,
    /// Since when.
    pub made: Moment,
}

/// Why a passkey was not added.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyRefused {
    /// What the browser sent cannot be used.
    #[error("the passkey cannot be used: {0}")]
    Data(&'static str),
    /// The challenge is unknown, used, expired or for something else.
    #[error("the passkey took too long; try again")]
    Challenge,
    /// It is known already.
    #[error("this passkey is known already")]
    Known,
    /// The person has as many as one may.
    #[error("a person has at most {most} passkeys")]
    TooMany {
        /// How many.
        most: u32,
    },
    /// The person has no login.
    #[error("this person has no login")]
    NoLogin,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<rusqlite::Error> for PasskeyRefused {
    fn from(error: rusqlite::Error) -> PasskeyRefused {
        PasskeyRefused::Store(error.into())
    }
}

fn decoded(text: &str) -> Result<Vec<u8>, &'static str> {
    secret::from_base64url(text, LONGEST).ok_or("it is not base64, or too long")
}

/// What a registration holds, if it answers a challenge that is asked for, and which.
fn register(
    registration: &Registration,
    party: &RelyingParty,
    asked: impl FnOnce([u8; LENGTH]) -> Option<Challenge>,
) -> Result<(New, Challenge), PasskeyRefused> {
    let client = decoded(&registration.client_data).map_err(PasskeyRefused::Data)?;
    let attestation = decoded(&registration.attestation).map_err(PasskeyRefused::Data)?;
    let made = Made::new(client, attestation);
    let challenge = made.challenge().and_then(asked).ok_or(PasskeyRefused::Challenge)?;
    let key = made.verify(party, challenge.0).map_err(PasskeyRefused::Data)?;
    Ok((key, challenge))
}

/// The count of a signature that is good, and the challenge it answers; or why it is not.
fn assert(
    assertion: &Assertion,
    party: &RelyingParty,
    stored: &Stored<'_>,
    asked: impl FnOnce([u8; LENGTH]) -> Option<Challenge>,
) -> Result<(u32, Challenge), &'static str> {
    let (client, data) = (decoded(&assertion.client_data)?, decoded(&assertion.authenticator_data)?);
    let signed = Signed::new(stored.id, client, data, decoded(&assertion.signature)?).ok_or("its name is too short")?;
    let challenge = signed.challenge().and_then(asked).ok_or(UNASKED)?;
    Ok((signed.verify(party, stored, challenge.0)?, challenge))
}

const UNASKED: &str = "its challenge is not known, or can no longer be answered";

/// Challenges that were answered correctly, with the person who did. Hosts that share credentials share these.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS answered (
    chance BLOB PRIMARY KEY,
    staff  INTEGER NOT NULL REFERENCES staff (staff) ON DELETE CASCADE,
    at     INTEGER NOT NULL
) STRICT;";

/// Remembers that a person answered a challenge: once, and not too often.
fn answer(
    connection: &Connection,
    limits: &Limits,
    staff: StaffId,
    challenge: Challenge,
    now: Moment,
) -> Result<bool, Error> {
    // Whenever a challenge was made, it is too old by then.
    let before = now.after(-2 * limits.challenge_life);
    connection.execute("DELETE FROM answered WHERE staff = ?1 AND at < ?2", params![staff.0, before.0])?;
    let count = "SELECT count(*) FROM answered WHERE staff = ?1";
    let count: i64 = connection.query_row(count, [staff.0], |row| row.get(0))?;
    if count >= i64::from(limits.challenges_each.max(1)) {
        return Ok(false);
    }
    let insert = "INSERT OR IGNORE INTO answered (chance, staff, at) VALUES (?1, ?2, ?3)";
    Ok(connection.execute(insert, params![challenge.0, staff.0, now.0])? > 0)
}

impl Store {
    /// Something for a passkey to sign: once, soon, and for one purpose.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn challenge(&self, purpose: Purpose, now: Moment) -> Result<String, Error> {
        self.challenges.make(&purpose.bytes(), now)
    }

    /// Adds a passkey for a person.
    ///
    /// # Errors
    /// When what the browser sent cannot be used, or the store fails.
    pub fn add_passkey(
        &self,
        staff: StaffId,
        name: &str,
        registration: &Registration,
        party: &RelyingParty,
        now: Moment,
    ) -> Result<Passkey, PasskeyRefused> {
        let asked = |challenge: [u8; LENGTH]| self.asked(challenge, Purpose::Add(staff), now);
        let (New { id, key, count }, challenge) = register(registration, party, asked)?;
        let name: String = super::shown(name);
        self.write(|connection| {
            let has = |query: &str, value: &dyn rusqlite::ToSql| -> Result<i64, Error> {
                Ok(connection.query_row(query, [value], |row| row.get(0))?)
            };
            if has("SELECT count(*) FROM staff WHERE staff = ?1", &staff.0)? == 0 {
                return Err(PasskeyRefused::NoLogin);
            }
            if has("SELECT count(*) FROM passkey WHERE id = ?1", &id)? > 0 {
                return Err(PasskeyRefused::Known);
            }
            let most = self.limits.passkeys_each;
            if has("SELECT count(*) FROM passkey WHERE staff = ?1", &staff.0)? >= i64::from(most) {
                return Err(PasskeyRefused::TooMany { most });
            }
            if !answer(connection, &self.limits, staff, challenge, now)? {
                return Err(PasskeyRefused::Challenge);
            }
            connection.execute(
                "INSERT INTO passkey (id, staff, name, scheme, bytes, count, made) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![id, staff.0, name, key.scheme().as_str(), key.bytes(), count, now.0],
            )?;
            Ok(())
        })?;
        Ok(Passkey { id: secret::to_base64url(&id), name, made: now })
    }

    /// Removes a passkey of a person; says whether there was one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn remove_passkey(&self, staff: StaffId, id: &str) -> Result<bool, Error> {
        let Some(id) = secret::from_base64url(id, LONGEST_ID) else { return Ok(false) };
        let removed = self.write(|connection| {
            let own = params![id, staff.0];
            Ok::<_, Error>(connection.execute("DELETE FROM passkey WHERE id = ?1 AND staff = ?2", own)?)
        })?;
        Ok(removed > 0)
    }

    /// The passkeys of a person.
    ///
    /// # Errors
    /// When the store fails.
    pub fn passkeys(&self, staff: StaffId) -> Result<Vec<Passkey>, Error> {
        self.lock().passkeys_of(staff)
    }

    /// The login of the person who has a passkey.
    pub(super) fn login_of_passkey(&self, assertion: &Assertion) -> Result<Option<String>, Error> {
        let Some(id) = secret::from_base64url(&assertion.id, LONGEST_ID) else { return Ok(None) };
        let inner = self.lock();
        let query = "SELECT login FROM staff JOIN passkey USING (staff) WHERE passkey.id = ?1";
        Ok(inner.connection.query_row(query, [id], |row| row.get(0)).optional()?)
    }

    /// Whether a passkey of this person signed. Its count only ever grows: a passkey whose count does not was copied.
    pub(super) fn use_passkey(
        &self,
        staff: StaffId,
        assertion: &Assertion,
        party: &RelyingParty,
        purpose: Purpose,
        now: Moment,
    ) -> Result<bool, Error> {
        let Some(id) = secret::from_base64url(&assertion.id, LONGEST_ID) else { return Ok(false) };
        let found = self.passkey_of(staff, &id)?;
        let asked = |challenge: [u8; LENGTH]| self.asked(challenge, purpose, now);
        let signed = found
            .ok_or("it is not this person's")
            .and_then(|(key, count)| assert(assertion, party, &Stored { id: &id, key: &key, count }, asked));
        let used = match signed {
            Ok((count, challenge)) => self.write(|connection| {
                if !answer(connection, &self.limits, staff, challenge, now)? {
                    return Ok::<_, Error>(Err(UNASKED));
                }
                let grown = "UPDATE passkey SET count = ?1 WHERE id = ?2 AND (count < ?1 OR (count = 0 AND ?1 = 0))";
                let grown = connection.execute(grown, params![count, id])? > 0;
                Ok(grown.then_some(()).ok_or(COPIED))
            })?,
            Err(why) => Err(why),
        };
        if let Err(why) = used {
            tracing::warn!(%staff, why, "a passkey was refused");
        }
        Ok(used.is_ok())
    }

    /// A signature for a request that was refused is used up: it is good for nothing later. One that is no good changes nothing
    /// and counts for no one, so that a person who may not give a command tries no login with it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn spend(
        &self,
        login: &str,
        assertion: &Assertion,
        party: &RelyingParty,
        purpose: Purpose,
        now: Moment,
    ) -> Result<(), Error> {
        let Some(staff) = self.who_has(login)? else { return Ok(()) };
        self.use_passkey(staff, assertion, party, purpose, now).map(drop)
    }

    /// Whether a passkey of this person made this signature, for a page of the floor, at any time and for any challenge:
    /// enough to recognise a command that was accepted with it, and for nothing else.
    ///
    /// # Errors
    /// When the store fails.
    pub fn has_signed(&self, staff: StaffId, assertion: &Assertion, party: &RelyingParty) -> Result<bool, Error> {
        let Some(id) = secret::from_base64url(&assertion.id, LONGEST_ID) else { return Ok(false) };
        let Some((key, _)) = self.passkey_of(staff, &id)? else { return Ok(false) };
        // Its count has been used since.
        let stored = Stored { id: &id, key: &key, count: 0 };
        Ok(assert(assertion, party, &stored, |challenge| Some(Challenge(challenge))).is_ok())
    }

    /// A passkey of a person, by its id: the key and the last count.
    fn passkey_of(&self, staff: StaffId, id: &[u8]) -> Result<Option<(PublicKey, u32)>, Error> {
        let found = self
            .lock()
            .connection
            .query_row(
                "SELECT scheme, bytes, count FROM passkey WHERE id = ?1 AND staff = ?2",
                params![id, staff.0],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, u32>(2)?)),
            )
            .optional()?;
        Ok(found.and_then(|(scheme, bytes, count)| Some((PublicKey::new(Scheme::parse(&scheme)?, &bytes)?, count))))
    }

    /// A challenge that a host of the floor made, if it can still be answered.
    fn asked(&self, challenge: [u8; LENGTH], purpose: Purpose, now: Moment) -> Option<Challenge> {
        self.challenges.recognise(self.limits.challenge_life, challenge, &purpose.bytes(), now)
    }
}

impl Inner {
    pub(super) fn passkeys_of(&self, staff: StaffId) -> Result<Vec<Passkey>, Error> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, name, made FROM passkey WHERE staff = ?1 ORDER BY made, rowid")?;
        let rows = statement.query_map([staff.0], |row| {
            let id: Vec<u8> = row.get(0)?;
            Ok(Passkey { id: secret::to_base64url(&id), name: row.get(1)?, made: Moment(row.get(2)?) })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
