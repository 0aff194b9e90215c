//! Keys of terminals and devices: enrolled by a one-time code, proved by a signature over a nonce, revocable (S8).
//!
//! A terminal or device generates its own pair of keys and enrols the public one; the host never has the private one.
//! Keys that an earlier version gave out (a secret that both sides have) are valid until the terminal or device is
//! enrolled again.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::net::IpAddr;

use floor::{DeviceId, Moment, TerminalId};
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::{Ed25519KeyPair, KeyPair};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::Sha256;

use super::attempts::{self, Counted, Kind};
use super::challenges::Challenge;
use super::secret::{self, Token, TokenHash};
use super::signature::{PublicKey, Scheme};
use super::{Error, Inner, Limits, Store};

/// Codes that wait to be used, at most.
const MOST_CODES: i64 = 4096;

/// What a nonce is for.
const PROOF: &[u8] = b"proof of a key";

/// The holder of a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A Player Terminal.
    Terminal(TerminalId),
    /// A tumbler, wheel, cash validator or reader of chips.
    Device(DeviceId),
}

impl Holder {
    /// The kind in words: `terminal` or `device`.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Holder::Terminal(_) => "terminal",
            Holder::Device(_) => "device",
        }
    }

    /// The number.
    #[must_use]
    pub fn id(self) -> u32 {
        match self {
            Holder::Terminal(id) => id.0,
            Holder::Device(id) => u32::from(id.0),
        }
    }

    /// The holder of a kind and a number.
    #[must_use]
    pub fn parse(kind: &str, id: u32) -> Option<Holder> {
        match kind {
            "terminal" => Some(Holder::Terminal(TerminalId(id))),
            "device" => u16::try_from(id).ok().map(|id| Holder::Device(DeviceId(id))),
            _ => None,
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.id())
    }
}

/// Letters and digits that are not easily confused.
const ALPHABET: &[u8; 31] = b"ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const CODE_LENGTH: usize = 8;

/// A one-time code by which a terminal or device is enrolled: `XXXX-XXXX`.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    text: String,
    /// Until when it can be used.
    pub expires: Moment,
}

impl Code {
    /// The text to show, once.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code(…, expires {:?})", self.expires)
    }
}

/// The letters of a new code: each of the 31 as likely as any other.
fn letters() -> Result<String, Error> {
    let even = u8::MAX - u8::MAX % 31;
    let mut letters = String::with_capacity(CODE_LENGTH);
    while letters.len() < CODE_LENGTH {
        let drawn = secret::random::<16>()?;
        let fair = drawn.iter().filter(|byte| **byte < even);
        let room = CODE_LENGTH - letters.len();
        letters.extend(fair.filter_map(|byte| ALPHABET.get(usize::from(byte % 31))).take(room).map(|b| char::from(*b)));
    }
    Ok(letters)
}

/// A code as typed; blanks, hyphens and lower case are accepted.
fn read_code(text: &str) -> Option<String> {
    if text.len() > 4 * CODE_LENGTH {
        return None;
    }
    let letters: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_ascii_uppercase()).collect();
    let known = letters.len() == CODE_LENGTH && letters.bytes().all(|byte| ALPHABET.contains(&byte));
    known.then_some(letters)
}

/// The key of a terminal or device as its holder has it: the seed of an Ed25519 key. The host has only its public half.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// A new key.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new() -> Result<Key, Error> {
        Ok(Key(secret::random()?))
    }

    /// The text by which it is kept: base64.
    #[must_use]
    pub fn text(&self) -> String {
        secret::to_base64(&self.0)
    }

    /// Reads that text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Key> {
        secret::from_base64(text).map(Key)
    }

    /// The half that is enrolled.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        let pair = self.pair();
        let bytes = pair.as_ref().map_or(&[][..], |pair| pair.public_key().as_ref());
        // Of a seed of 32 bytes there is always a key.
        PublicKey::new(Scheme::Ed25519, bytes).unwrap_or_else(PublicKey::none)
    }

    /// The answer to a nonce: what a holder of the key sends, in base64.
    #[must_use]
    pub fn proof(&self, holder: Holder, nonce: &str) -> String {
        let signed = self.pair().map(|pair| pair.sign(words(holder, nonce).as_bytes()));
        signed.map(|signature| secret::to_base64(signature.as_ref())).unwrap_or_default()
    }

    fn pair(&self) -> Option<Ed25519KeyPair> {
        Ed25519KeyPair::from_seed_unchecked(&self.0).ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// What a proof signs.
fn words(holder: Holder, nonce: &str) -> String {
    format!("croupier:{}:{}:{nonce}", holder.kind(), holder.id())
}

/// What the host has of a key.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Verifier {
    /// A secret that an earlier version gave out.
    Secret([u8; 32]),
    /// The public half.
    Public(PublicKey),
}

impl Verifier {
    fn read(scheme: &str, bytes: &[u8]) -> Result<Verifier, Error> {
        let known = match Scheme::parse(scheme) {
            Some(scheme) => PublicKey::new(scheme, bytes).map(Verifier::Public),
            None if scheme == HMAC => bytes.try_into().ok().map(Verifier::Secret),
            None => None,
        };
        known.ok_or(Error::Damaged("a key cannot be read"))
    }

    fn proves(&self, holder: Holder, nonce: &str, proof: &str) -> bool {
        let words = words(holder, nonce);
        match self {
            Verifier::Secret(secret) => {
                let mac = Hmac::<Sha256>::new_from_slice(secret).ok().map(|mac| mac.chain_update(words.as_bytes()));
                // Compared in constant time.
                let proof = secret::from_base64::<32>(proof);
                mac.zip(proof).is_some_and(|(mac, proof)| mac.verify_slice(&proof).is_ok())
            }
            Verifier::Public(key) => {
                secret::from_base64::<64>(proof).is_some_and(|signature| key.verifies(words.as_bytes(), &signature))
            }
        }
    }
}

/// The scheme of keys that an earlier version gave out.
pub(super) const HMAC: &str = "hmac";

/// The SHA-256 hash of a client's certificate.
pub type Certificate = [u8; 32];

/// The source of a proof or an enrolment: the certificate that the client presented, if it was asked for one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The certificate, if one was shown.
    pub certificate: Option<Certificate>,
    /// Whether this host asks for certificates. A new key is then valid only with the one it was enrolled with.
    pub asked: bool,
}

/// What a proof answers; once, and soon.
#[derive(Debug, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// A nonce of one connection: no other can answer it, and it ends with the connection.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new() -> Result<Nonce, Error> {
        Ok(Nonce(Token::new()?.text().to_owned()))
    }

    /// The text to send.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Why a code or a proof was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum KeyRefused {
    /// The code is unknown, used or expired.
    #[error("this code is not known, or can no longer be used")]
    Code,
    /// Too many wrong codes.
    #[error("too many wrong codes; try again later")]
    TooManyAttempts {
        /// When the next code is looked at.
        until: Moment,
    },
    /// Too many codes wait to be used.
    #[error("too many codes wait to be used")]
    TooManyCodes,
    /// The nonce is unknown, used or expired.
    #[error("this nonce is not known, or can no longer be answered")]
    Nonce,
    /// The holder has no key, or no longer.
    #[error("no key is enrolled for this")]
    NoKey,
    /// The proof was not made with the holder's key.
    #[error("the proof is wrong")]
    Proof,
    /// The client showed no certificate, or another than at the enrolment.
    #[error("the client certificate is missing, or is not the one of the enrolment")]
    Certificate,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl KeyRefused {
    /// The stable code of the answer.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            KeyRefused::Code => "code",
            KeyRefused::TooManyAttempts { .. } => "locked_out",
            KeyRefused::TooManyCodes => "too_many",
            // The answer does not reveal what is wrong with a proof.
            KeyRefused::Nonce | KeyRefused::NoKey | KeyRefused::Proof => "proof",
            KeyRefused::Certificate => "certificate",
            KeyRefused::Store(_) => "store",
        }
    }
}

impl From<rusqlite::Error> for KeyRefused {
    fn from(error: rusqlite::Error) -> KeyRefused {
        KeyRefused::Store(error.into())
    }
}

/// A token that stands for a proof.
#[derive(Copy, Clone)]
struct Bearer {
    holder: Holder,
    expires: Moment,
    /// The certificate it was proved with: it is good with that one only.
    certificate: Option<Certificate>,
}

/// What lives so short that it is kept in memory only.
#[derive(Default)]
pub(super) struct Shortlived {
    /// Nonces that were answered well, for as long as they could be answered again.
    answered: HashMap<Holder, HashMap<Challenge, Moment>>,
    bearers: HashMap<TokenHash, Bearer>,
    of_holder: HashMap<Holder, VecDeque<TokenHash>>,
}

impl Shortlived {
    /// A nonce is answered well once, and by one holder not too often.
    fn answer(&mut self, limits: &Limits, holder: Holder, nonce: Challenge, now: Moment) -> bool {
        let own = self.answered.entry(holder).or_default();
        own.retain(|_, at| now.since(*at).abs() <= 2 * limits.nonce_life);
        own.len() < limits.nonces_each.max(1) && own.insert(nonce, now).is_none()
    }

    fn add_bearer(&mut self, limits: &Limits, hash: TokenHash, bearer: Bearer) {
        let own = self.of_holder.entry(bearer.holder).or_default();
        while own.len() >= limits.bearers_each.max(1)
            && let Some(oldest) = own.pop_front()
        {
            self.bearers.remove(&oldest);
        }
        own.push_back(hash);
        self.bearers.insert(hash, bearer);
    }

    pub(super) fn end_bearers(&mut self, holder: Holder) {
        for hash in self.of_holder.remove(&holder).unwrap_or_default() {
            self.bearers.remove(&hash);
        }
    }

    pub(super) fn prune(&mut self, limits: &Limits, now: Moment) {
        self.answered.retain(|_, own| {
            own.retain(|_, at| now.since(*at).abs() <= 2 * limits.nonce_life);
            !own.is_empty()
        });
        self.bearers.retain(|_, bearer| now < bearer.expires);
        let bearers = &self.bearers;
        self.of_holder.retain(|_, own| {
            own.retain(|hash| bearers.contains_key(hash));
            !own.is_empty()
        });
    }
}

impl Store {
    /// Makes a one-time code for a terminal or device. An earlier one for it can no longer be used; its key still can,
    /// until the code is.
    ///
    /// # Errors
    /// When too many codes wait, or the store fails.
    pub fn make_code(&self, holder: Holder, now: Moment) -> Result<Code, KeyRefused> {
        let letters = letters()?;
        let expires = now.after(self.limits.code_life);
        let hash = self.lock().code_hash(&letters)?;
        self.write(|connection| {
            connection.execute("DELETE FROM code WHERE expires <= ?1", [now.0])?;
            let waiting: i64 = connection.query_row("SELECT count(*) FROM code", [], |row| row.get(0))?;
            if waiting >= MOST_CODES {
                return Err(KeyRefused::TooManyCodes);
            }
            connection.execute(
                "INSERT OR REPLACE INTO code (kind, id, hash, expires) VALUES (?1, ?2, ?3, ?4)",
                params![holder.kind(), holder.id(), hash, expires.0],
            )?;
            Ok(())
        })?;
        let (first, second) = letters.split_at(CODE_LENGTH / 2);
        Ok(Code { text: format!("{first}-{second}"), expires })
    }

    /// Enrols the public key of a terminal or device by its code. A key that it had before can no longer be used.
    ///
    /// # Errors
    /// When the code is unknown, used or expired, too many were wrong, a certificate is missing, or the store fails.
    pub fn enrol(
        &self,
        code: &str,
        key: &PublicKey,
        shown: Shown,
        address: IpAddr,
        now: Moment,
    ) -> Result<Holder, KeyRefused> {
        let place = attempts::place(address);
        let counted: [Counted<'_>; 2] = [(Kind::Code, &place), (Kind::Codes, "")];
        self.write(|connection| attempts::begin(connection, &self.limits, &counted, now))?
            .map_err(|until| KeyRefused::TooManyAttempts { until })?;
        let letters = read_code(code).ok_or(KeyRefused::Code)?;
        if shown.asked && shown.certificate.is_none() {
            return Err(KeyRefused::Certificate);
        }
        let hash = self.lock().code_hash(&letters)?;
        let pinned = shown.certificate.filter(|_| shown.asked);
        let holder = self.write(|connection| use_code(connection, &hash, key, pinned, now))?;
        self.lock().shortlived.end_bearers(holder);
        // The terminal is enrolled: an attempt counted too many is no reason to say otherwise.
        if let Err(error) = self.write(|connection| attempts::succeed(connection, &self.limits, &counted)) {
            tracing::warn!(%error, "an attempt that succeeded is still counted");
        }
        Ok(holder)
    }

    /// Enrols a key without a code: where permission was shown in another way, or is not needed, as at the free
    /// terminals of a demonstration. An earlier key of the holder can no longer be used.
    ///
    /// # Errors
    /// When the store fails.
    pub fn give_key(&self, holder: Holder, key: &PublicKey, now: Moment) -> Result<(), Error> {
        self.give_keys(&[(holder, key.clone())], now)
    }

    /// Enrols many keys at once: one wait for the disk and not one for each.
    ///
    /// # Errors
    /// When the store fails; then all have the keys they had before.
    pub fn give_keys(&self, keys: &[(Holder, PublicKey)], now: Moment) -> Result<(), Error> {
        self.write(|connection| {
            keys.iter().try_for_each(|(holder, key)| put_key(connection, *holder, key, None, now))
        })?;
        let mut inner = self.lock();
        keys.iter().for_each(|(holder, _)| inner.shortlived.end_bearers(*holder));
        Ok(())
    }

    /// Who has a key, and since when.
    ///
    /// # Errors
    /// When the store fails.
    pub fn holders(&self) -> Result<Vec<(Holder, Moment)>, Error> {
        let inner = self.lock();
        let mut statement = inner.connection.prepare_cached("SELECT kind, id, made FROM key ORDER BY kind, id")?;
        let rows = statement.query_map([], |row| {
            let holder = Holder::parse(&row.get::<_, String>(0)?, row.get(1)?);
            Ok(holder.map(|holder| row.get(2).map(|made| (holder, Moment(made)))))
        })?;
        let mut holders = Vec::new();
        for row in rows {
            holders.push(row?.ok_or(Error::Damaged("a key is for nothing known"))??);
        }
        Ok(holders)
    }

    /// Whether a terminal or device has a key.
    ///
    /// # Errors
    /// When the store fails.
    pub fn has_key(&self, holder: Holder) -> Result<bool, Error> {
        Ok(self.lock().key_of(holder)?.is_some())
    }

    /// Whether this is the key of a terminal or device.
    ///
    /// # Errors
    /// When the store fails.
    pub fn is_key_of(&self, holder: Holder, key: &PublicKey) -> Result<bool, Error> {
        let found = self.lock().key_of(holder)?;
        Ok(found.is_some_and(|(verifier, _)| verifier == Verifier::Public(key.clone())))
    }

    /// Removes the key of a terminal or device, with its codes and bearer tokens; returns whether it had one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn revoke(&self, holder: Holder) -> Result<bool, Error> {
        let had = self.write(|connection| {
            let own = params![holder.kind(), holder.id()];
            connection.execute("DELETE FROM code WHERE kind = ?1 AND id = ?2", own)?;
            Ok::<_, Error>(connection.execute("DELETE FROM key WHERE kind = ?1 AND id = ?2", own)?)
        })?;
        self.lock().shortlived.end_bearers(holder);
        Ok(had > 0)
    }

    /// Something to answer with a proof. Nothing is kept of it.
    ///
    /// # Errors
    /// When the operating system gives no chance.
    pub fn nonce(&self, now: Moment) -> Result<Nonce, Error> {
        self.nonces.make(PROOF, now).map(Nonce)
    }

    /// Whether the proof shows that the holder has its key. The nonce is this host's, and is answered correctly once.
    ///
    /// # Errors
    /// When the nonce cannot be answered, the holder has no key, the proof or the certificate is wrong, or the store
    /// fails.
    pub fn prove(&self, holder: Holder, nonce: &str, proof: &str, shown: Shown, now: Moment) -> Result<(), KeyRefused> {
        let asked = self.nonces.read(self.limits.nonce_life, nonce, PROOF, now).ok_or(KeyRefused::Nonce)?;
        self.prove_answer(holder, nonce, proof, shown)?;
        let once = self.lock().shortlived.answer(&self.limits, holder, asked, now);
        once.then_some(()).ok_or(KeyRefused::Nonce)
    }

    /// The same for a nonce that a connection made and kept.
    ///
    /// # Errors
    /// When the holder has no key, the proof or the certificate is wrong, or the store fails.
    pub fn prove_own(&self, holder: Holder, nonce: Nonce, proof: &str, shown: Shown) -> Result<(), KeyRefused> {
        self.prove_answer(holder, nonce.text(), proof, shown)
    }

    fn prove_answer(&self, holder: Holder, nonce: &str, proof: &str, shown: Shown) -> Result<(), KeyRefused> {
        let (verifier, pinned) = self.lock().key_of(holder)?.ok_or(KeyRefused::NoKey)?;
        // Without the lock: ten thousand terminals may come back at once.
        if !verifier.proves(holder, nonce, proof) {
            return Err(KeyRefused::Proof);
        }
        if pinned.is_some() && shown.certificate != pinned {
            return Err(KeyRefused::Certificate);
        }
        Ok(())
    }

    /// Proves as [`Store::prove`], and gives a token to be used for a while instead of further proofs.
    ///
    /// # Errors
    /// As [`Store::prove`].
    pub fn prove_for_token(
        &self,
        holder: Holder,
        nonce: &str,
        proof: &str,
        shown: Shown,
        now: Moment,
    ) -> Result<(Token, Moment), KeyRefused> {
        let token = Token::new()?;
        let expires = now.after(self.limits.bearer_life);
        self.prove(holder, nonce, proof, shown, now)?;
        let mut inner = self.lock();
        let bearer = Bearer { holder, expires, certificate: shown.certificate };
        inner.shortlived.add_bearer(&self.limits, Token::hash(token.text()), bearer);
        Ok((token, expires))
    }

    /// The holder of a bearer token, over a connection with the certificate it was proved with.
    #[must_use]
    pub fn bearer(&self, token: &str, shown: Shown, now: Moment) -> Option<Holder> {
        let inner = self.lock();
        let bearer = inner.shortlived.bearers.get(&Token::hash(token))?;
        (now < bearer.expires && bearer.certificate == shown.certificate).then_some(bearer.holder)
    }

    /// How many answered nonces are remembered, and how many bearer tokens there are.
    #[must_use]
    pub fn shortlived(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.shortlived.answered.values().map(HashMap::len).sum(), inner.shortlived.bearers.len())
    }
}

impl Inner {
    fn code_hash(&self, letters: &str) -> Result<[u8; 32], Error> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.pepper).map_err(|_| Error::Damaged("the pepper of codes"))?;
        mac.update(letters.as_bytes());
        Ok(mac.finalize().into_bytes().into())
    }

    fn key_of(&self, holder: Holder) -> Result<Option<(Verifier, Option<Certificate>)>, Error> {
        let found = self
            .connection
            .prepare_cached("SELECT scheme, bytes, certificate FROM key WHERE kind = ?1 AND id = ?2")?
            .query_row(params![holder.kind(), holder.id()], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((scheme, bytes, certificate)) = found else { return Ok(None) };
        Ok(Some((Verifier::read(&scheme, &bytes)?, certificate)))
    }
}

/// Enrols a key for the holder of a code. The code is used up by it.
fn use_code(
    connection: &Connection,
    hash: &[u8; 32],
    key: &PublicKey,
    pinned: Option<Certificate>,
    now: Moment,
) -> Result<Holder, KeyRefused> {
    let found = connection
        .query_row("SELECT kind, id FROM code WHERE hash = ?1 AND expires > ?2", params![hash, now.0], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?))
        })
        .optional()?;
    let (kind, id) = found.ok_or(KeyRefused::Code)?;
    let holder = Holder::parse(&kind, id).ok_or(Error::Damaged("a code is for nothing known"))?;
    put_key(connection, holder, key, pinned, now)?;
    Ok(holder)
}

/// A new key for a holder. No code for it can be used any more.
fn put_key(
    connection: &Connection,
    holder: Holder,
    key: &PublicKey,
    pinned: Option<Certificate>,
    now: Moment,
) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM code WHERE kind = ?1 AND id = ?2")?
        .execute(params![holder.kind(), holder.id()])?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO key (kind, id, bytes, made, scheme, certificate) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![holder.kind(), holder.id(), key.bytes(), now.0, key.scheme().as_str(), pinned])?;
    Ok(())
}
