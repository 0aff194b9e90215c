//! Passkeys of staff (WebAuthn level 2): what a browser's authenticator sends is checked here, and nothing else is.
//!
//! Attestation is not asked for: which authenticator people use is theirs to choose. What is asked for is that the person
//! was there and was verified by the authenticator (a PIN, a fingerprint), so that a passkey is good without a password.

use floor::{Moment, StaffId};
use minicbor::Decoder;
use minicbor::data::Type;
use rusqlite::{OptionalExtension, params};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::secret::{self, Token};
use super::signature::{PublicKey, Scheme};
use super::{Error, Inner, Store};

/// The most bytes of what an authenticator sends.
const LONGEST: usize = 8 * 1024;
/// The most bytes of an authenticator's name for a passkey.
const LONGEST_ID: usize = 1023;

/// The person was there.
const PRESENT: u8 = 0x01;
/// The authenticator verified the person.
const VERIFIED: u8 = 0x04;
/// A new key is in the data.
const ATTESTED: u8 = 0x40;

/// What a challenge was made for. A signature for one purpose is none for another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To add a passkey, by this person.
    Add(StaffId),
    /// To sign in.
    SignIn,
    /// To sign as the second person of what this person does.
    Second(StaffId),
}

/// For whom passkeys are good: a domain, and the pages in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The domain: all hosts of a floor have names in it.
    pub domain: String,
}

impl RelyingParty {
    /// Whether a page of this origin may use passkeys of the domain: over TLS, or on this machine.
    #[must_use]
    pub fn has(&self, origin: &str) -> bool {
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

/// What the browser says that it asked the authenticator for.
#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    cross_origin: bool,
}

/// What the authenticator signs.
struct AuthenticatorData<'a> {
    flags: u8,
    count: u32,
    rest: &'a [u8],
}

/// A new key and the authenticator's name for it.
#[derive(Debug)]
struct New {
    id: Vec<u8>,
    key: PublicKey,
    count: u32,
}

fn client_data(bytes: &[u8], kind: &str, party: &RelyingParty) -> Result<ClientData, &'static str> {
    let data: ClientData = serde_json::from_slice(bytes).map_err(|_| "its client data cannot be read")?;
    if data.kind != kind {
        return Err("it was made for something else");
    }
    if data.cross_origin || !party.has(&data.origin) {
        return Err("it was made for a page of another site");
    }
    Ok(data)
}

fn authenticator_data<'a>(bytes: &'a [u8], party: &RelyingParty) -> Result<AuthenticatorData<'a>, &'static str> {
    let (hash, rest) = bytes.split_at_checked(32).ok_or("its data is too short")?;
    let (head, rest) = rest.split_at_checked(5).ok_or("its data is too short")?;
    let [flags, a, b, c, d] = *head else { return Err("its data is too short") };
    if hash != Sha256::digest(party.domain.as_bytes()).as_slice() {
        return Err("it was made for another domain");
    }
    if flags & (PRESENT | VERIFIED) != PRESENT | VERIFIED {
        return Err("the authenticator did not verify the person");
    }
    Ok(AuthenticatorData { flags, count: u32::from_be_bytes([a, b, c, d]), rest })
}

/// The authenticator data inside an attestation object; the statement itself is not looked at.
fn attested_data(object: &[u8]) -> Result<&[u8], &'static str> {
    let unreadable = |_| "its attestation cannot be read";
    let mut decoder = Decoder::new(object);
    let entries = decoder.map().map_err(unreadable)?.ok_or("its attestation cannot be read")?;
    for _ in 0..entries.min(16) {
        if decoder.str().map_err(unreadable)? == "authData" {
            return decoder.bytes().map_err(unreadable);
        }
        decoder.skip().map_err(unreadable)?;
    }
    Err("its attestation has no data")
}

fn new_key(data: &AuthenticatorData<'_>) -> Result<New, &'static str> {
    let short = "its key is missing";
    if data.flags & ATTESTED == 0 {
        return Err(short);
    }
    let (_authenticator, rest) = data.rest.split_at_checked(16).ok_or(short)?;
    let (length, rest) = rest.split_at_checked(2).ok_or(short)?;
    let [high, low] = *length else { return Err(short) };
    let length = usize::from(u16::from_be_bytes([high, low]));
    if !(1..=LONGEST_ID).contains(&length) {
        return Err("its name is too long");
    }
    let (id, key) = rest.split_at_checked(length).ok_or(short)?;
    Ok(New { id: id.to_vec(), key: cose_key(key)?, count: data.count })
}

/// A key as authenticators write it (RFC 9052): P-256 with ES256, or Ed25519.
fn cose_key(bytes: &[u8]) -> Result<PublicKey, &'static str> {
    let unreadable = |_| "its key cannot be read";
    let mut decoder = Decoder::new(bytes);
    let entries = decoder.map().map_err(unreadable)?.ok_or("its key cannot be read")?;
    let (mut kind, mut algorithm, mut curve, mut x, mut y) = (0, 0, 0, None, None);
    for _ in 0..entries.min(16) {
        let label = decoder.i64().map_err(unreadable)?;
        let is_bytes = matches!(decoder.datatype(), Ok(Type::Bytes));
        match label {
            1 => kind = decoder.i64().map_err(unreadable)?,
            3 => algorithm = decoder.i64().map_err(unreadable)?,
            -1 if !is_bytes => curve = decoder.i64().map_err(unreadable)?,
            -2 if is_bytes => x = Some(decoder.bytes().map_err(unreadable)?),
            -3 if is_bytes => y = Some(decoder.bytes().map_err(unreadable)?),
            _ => decoder.skip().map_err(unreadable)?,
        }
    }
    let key = match (kind, algorithm, curve, x, y) {
        (2, -7, 1, Some(x), Some(y)) if x.len() == 32 && y.len() == 32 => {
            PublicKey::new(Scheme::P256, &[&[4], x, y].concat())
        }
        (1, -8, 6, Some(x), _) => PublicKey::new(Scheme::Ed25519, x),
        _ => None,
    };
    key.ok_or("its kind of key is not supported")
}

fn decoded(text: &str) -> Result<Vec<u8>, &'static str> {
    secret::from_base64url(text, LONGEST).ok_or("it is not base64, or too long")
}

/// What a registration holds, if it answers a challenge that is asked for.
fn register(
    registration: &Registration,
    party: &RelyingParty,
    asked: impl FnOnce(&str) -> bool,
) -> Result<New, PasskeyRefused> {
    let client = decoded(&registration.client_data).map_err(PasskeyRefused::Data)?;
    let data = client_data(&client, "webauthn.create", party).map_err(PasskeyRefused::Data)?;
    if !asked(&data.challenge) {
        return Err(PasskeyRefused::Challenge);
    }
    let object = decoded(&registration.attestation).map_err(PasskeyRefused::Data)?;
    let found = attested_data(&object).and_then(|data| authenticator_data(data, party));
    found.and_then(|data| new_key(&data)).map_err(PasskeyRefused::Data)
}

/// The count of a signature that is good; and why it is not.
fn assert(
    assertion: &Assertion,
    party: &RelyingParty,
    key: &PublicKey,
    asked: impl FnOnce(&str) -> bool,
) -> Result<u32, &'static str> {
    let client = decoded(&assertion.client_data)?;
    let data = client_data(&client, "webauthn.get", party)?;
    if !asked(&data.challenge) {
        return Err("its challenge is not known, or can no longer be answered");
    }
    let mut signed = decoded(&assertion.authenticator_data)?;
    let count = authenticator_data(&signed, party)?.count;
    signed.extend_from_slice(&Sha256::digest(&client));
    let signature = decoded(&assertion.signature)?;
    if key.verifies_webauthn(&signed, &signature) { Ok(count) } else { Err("its signature is wrong") }
}

impl Store {
    /// Something for a passkey to sign: once, soon, and for one purpose.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn challenge(&self, purpose: Purpose, now: Moment) -> Result<String, Error> {
        let challenge = Token::new()?.text().to_owned();
        self.lock().shortlived.add_challenge(&self.limits, &challenge, purpose, now);
        Ok(challenge)
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
        let asked =
            |challenge: &str| self.lock().shortlived.use_challenge(&self.limits, challenge, Purpose::Add(staff), now);
        let New { id, key, count } = register(registration, party, asked)?;
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

    /// Whether a passkey of this person signed. Its count only ever grows: one that does not was copied.
    pub(super) fn use_passkey(
        &self,
        staff: StaffId,
        assertion: &Assertion,
        party: &RelyingParty,
        purpose: Purpose,
        now: Moment,
    ) -> Result<bool, Error> {
        let Some(id) = secret::from_base64url(&assertion.id, LONGEST_ID) else { return Ok(false) };
        let found = self
            .lock()
            .connection
            .query_row("SELECT scheme, bytes FROM passkey WHERE id = ?1 AND staff = ?2", params![id, staff.0], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
            })
            .optional()?;
        let key = found.and_then(|(scheme, bytes)| PublicKey::new(Scheme::parse(&scheme)?, &bytes));
        let asked = |challenge: &str| self.lock().shortlived.use_challenge(&self.limits, challenge, purpose, now);
        let signed = key.ok_or("it is not this person's").and_then(|key| assert(assertion, party, &key, asked));
        let count = match signed {
            Ok(count) => count,
            Err(why) => {
                tracing::warn!(%staff, why, "a passkey was refused");
                return Ok(false);
            }
        };
        let grown = self.write(|connection| {
            let grown = "UPDATE passkey SET count = ?1 WHERE id = ?2 AND (count < ?1 OR (count = 0 AND ?1 = 0))";
            Ok::<_, Error>(connection.execute(grown, params![count, id])?)
        })?;
        if grown == 0 {
            tracing::warn!(%staff, "a passkey was refused: its count did not grow, so that there may be a copy of it");
        }
        Ok(grown > 0)
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
