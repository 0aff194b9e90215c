//! Keys of terminals and devices: enrolled by a one-time code, proved by an answer to a nonce, revocable (S8).

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::net::IpAddr;

use floor::{DeviceId, Moment, TerminalId};
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::Sha256;

use super::attempts::{self, Counted, Kind};
use super::secret::{self, Token, TokenHash};
use super::{Error, Inner, Limits, Store};

/// Codes that wait to be used, at most.
const MOST_CODES: i64 = 4096;

/// Who holds a key.
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

/// Letters and digits that nobody takes for another.
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

/// A code as somebody typed it; blanks, hyphens and small letters do not matter.
fn read_code(text: &str) -> Option<String> {
    if text.len() > 4 * CODE_LENGTH {
        return None;
    }
    let letters: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_ascii_uppercase()).collect();
    let known = letters.len() == CODE_LENGTH && letters.bytes().all(|byte| ALPHABET.contains(&byte));
    known.then_some(letters)
}

/// The key of a terminal or device: 32 bytes that it keeps and proves to have.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// The text by which it is handed over, once: base64.
    #[must_use]
    pub fn text(&self) -> String {
        secret::to_base64(&self.0)
    }

    /// Reads that text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Key> {
        secret::from_base64(text).map(Key)
    }

    /// The answer to a nonce: what a holder of the key sends, in base64.
    #[must_use]
    pub fn proof(&self, holder: Holder, nonce: &str) -> String {
        self.mac(holder, nonce).map(|mac| secret::to_base64(&mac.finalize().into_bytes())).unwrap_or_default()
    }

    fn proves(&self, holder: Holder, nonce: &str, proof: &[u8; 32]) -> bool {
        // Compared in constant time.
        self.mac(holder, nonce).is_some_and(|mac| mac.verify_slice(proof).is_ok())
    }

    fn mac(&self, holder: Holder, nonce: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("croupier:{}:{}:{nonce}", holder.kind(), holder.id()).as_bytes());
        Some(mac)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// What a proof answers; once, and soon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
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
            // What is wrong with a proof is not told apart outside.
            KeyRefused::Nonce | KeyRefused::NoKey | KeyRefused::Proof => "proof",
            KeyRefused::Store(_) => "store",
        }
    }
}

impl From<rusqlite::Error> for KeyRefused {
    fn from(error: rusqlite::Error) -> KeyRefused {
        KeyRefused::Store(error.into())
    }
}

/// What lives so short that it is kept in memory only.
#[derive(Default)]
pub(super) struct Shortlived {
    nonces: HashMap<String, Moment>,
    /// Nonces in the order they were made, answered ones among them.
    order: VecDeque<String>,
    bearers: HashMap<TokenHash, (Holder, Moment)>,
    of_holder: HashMap<Holder, VecDeque<TokenHash>>,
}

impl Shortlived {
    fn add_nonce(&mut self, limits: &Limits, nonce: &str, now: Moment) {
        while self.order.len() >= limits.nonces.max(1)
            && let Some(oldest) = self.order.pop_front()
        {
            self.nonces.remove(&oldest);
        }
        self.nonces.insert(nonce.to_owned(), now);
        self.order.push_back(nonce.to_owned());
    }

    /// A nonce is used up by the first answer, right or wrong.
    fn use_nonce(&mut self, limits: &Limits, nonce: &str, now: Moment) -> bool {
        self.nonces.remove(nonce).is_some_and(|made| now.since(made).abs() <= limits.nonce_life)
    }

    fn add_bearer(&mut self, limits: &Limits, hash: TokenHash, holder: Holder, expires: Moment) {
        let own = self.of_holder.entry(holder).or_default();
        while own.len() >= limits.bearers_each.max(1)
            && let Some(oldest) = own.pop_front()
        {
            self.bearers.remove(&oldest);
        }
        own.push_back(hash);
        self.bearers.insert(hash, (holder, expires));
    }

    pub(super) fn end_bearers(&mut self, holder: Holder) {
        for hash in self.of_holder.remove(&holder).unwrap_or_default() {
            self.bearers.remove(&hash);
        }
    }

    pub(super) fn prune(&mut self, limits: &Limits, now: Moment) {
        self.nonces.retain(|_, made| now.since(*made).abs() <= limits.nonce_life);
        let nonces = &self.nonces;
        self.order.retain(|nonce| nonces.contains_key(nonce));
        self.bearers.retain(|_, (_, expires)| now < *expires);
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

    /// Exchanges a code for a key. A key that the holder had before can no longer be used.
    ///
    /// # Errors
    /// When the code is unknown, used or expired, too many were wrong, or the store fails.
    pub fn enrol(&self, code: &str, address: IpAddr, now: Moment) -> Result<(Holder, Key), KeyRefused> {
        let place = attempts::place(address);
        let counted: [Counted<'_>; 2] = [(Kind::Code, &place), (Kind::Codes, "")];
        self.write(|connection| attempts::begin(connection, &self.limits, &counted, now))?
            .map_err(|until| KeyRefused::TooManyAttempts { until })?;
        let letters = read_code(code).ok_or(KeyRefused::Code)?;
        let hash = self.lock().code_hash(&letters)?;
        let (holder, key) = self.write(|connection| use_code(connection, &hash, now))?;
        self.lock().shortlived.end_bearers(holder);
        for one in counted {
            // Whoever has the key must get it: an attempt counted too many is no reason to keep it back.
            if let Err(error) = self.write(|connection| attempts::succeed(connection, &self.limits, one)) {
                tracing::warn!(%error, "an attempt that succeeded is still counted");
            }
        }
        Ok((holder, key))
    }

    /// Gives a terminal or device a key without a code: for whoever has proved in another way that it may, as the
    /// demonstration's free terminals need not. A key that it had before can no longer be used.
    ///
    /// # Errors
    /// When the store fails.
    pub fn give_key(&self, holder: Holder, now: Moment) -> Result<Key, Error> {
        self.give_keys(&[holder], now)?.pop().ok_or(Error::Damaged("no key was made"))
    }

    /// Gives keys to many at once, in the order asked for: one wait for the disk and not one for each.
    ///
    /// # Errors
    /// When the store fails; then nobody has another key than before.
    pub fn give_keys(&self, holders: &[Holder], now: Moment) -> Result<Vec<Key>, Error> {
        let keys = self.write(|connection| {
            holders.iter().map(|holder| put_key(connection, *holder, now)).collect::<Result<Vec<Key>, Error>>()
        })?;
        let mut inner = self.lock();
        holders.iter().for_each(|holder| inner.shortlived.end_bearers(*holder));
        Ok(keys)
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

    /// The key of a terminal or device.
    ///
    /// # Errors
    /// When the store fails.
    pub fn key_of(&self, holder: Holder) -> Result<Option<Key>, Error> {
        self.lock().key_of(holder)
    }

    /// Takes the key of a terminal or device away, with its codes and bearer tokens; says whether it had one.
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

    /// Something to answer with a proof.
    ///
    /// # Errors
    /// When the operating system gives no chance.
    pub fn nonce(&self, now: Moment) -> Result<Nonce, Error> {
        let nonce = Token::new()?.text().to_owned();
        self.lock().shortlived.add_nonce(&self.limits, &nonce, now);
        Ok(Nonce(nonce))
    }

    /// Whether the proof shows that the holder has its key. The nonce is used up, whatever the answer.
    ///
    /// # Errors
    /// When the nonce cannot be answered, the holder has no key, the proof is wrong, or the store fails.
    pub fn prove(&self, holder: Holder, nonce: &str, proof: &str, now: Moment) -> Result<(), KeyRefused> {
        self.lock().prove(&self.limits, holder, nonce, proof, now)
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
        now: Moment,
    ) -> Result<(Token, Moment), KeyRefused> {
        let token = Token::new()?;
        let expires = now.after(self.limits.bearer_life);
        let mut inner = self.lock();
        inner.prove(&self.limits, holder, nonce, proof, now)?;
        inner.shortlived.add_bearer(&self.limits, Token::hash(token.text()), holder, expires);
        Ok((token, expires))
    }

    /// Who carries a bearer token.
    #[must_use]
    pub fn bearer(&self, token: &str, now: Moment) -> Option<Holder> {
        let inner = self.lock();
        let (holder, expires) = inner.shortlived.bearers.get(&Token::hash(token))?;
        (now < *expires).then_some(*holder)
    }

    /// How many nonces wait for an answer, and how many bearer tokens there are.
    #[must_use]
    pub fn shortlived(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.shortlived.nonces.len(), inner.shortlived.bearers.len())
    }
}

impl Inner {
    fn code_hash(&self, letters: &str) -> Result<[u8; 32], Error> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.pepper).map_err(|_| Error::Damaged("the pepper of codes"))?;
        mac.update(letters.as_bytes());
        Ok(mac.finalize().into_bytes().into())
    }

    fn key_of(&self, holder: Holder) -> Result<Option<Key>, Error> {
        Ok(self
            .connection
            .prepare_cached("SELECT bytes FROM key WHERE kind = ?1 AND id = ?2")?
            .query_row(params![holder.kind(), holder.id()], |row| row.get(0).map(Key))
            .optional()?)
    }

    fn prove(
        &mut self,
        limits: &Limits,
        holder: Holder,
        nonce: &str,
        proof: &str,
        now: Moment,
    ) -> Result<(), KeyRefused> {
        if !self.shortlived.use_nonce(limits, nonce, now) {
            return Err(KeyRefused::Nonce);
        }
        let key = self.key_of(holder)?.ok_or(KeyRefused::NoKey)?;
        let proof = secret::from_base64(proof).ok_or(KeyRefused::Proof)?;
        if key.proves(holder, nonce, &proof) { Ok(()) } else { Err(KeyRefused::Proof) }
    }
}

/// Gives whoever a code is for a new key. The code is used up by it.
fn use_code(connection: &Connection, hash: &[u8; 32], now: Moment) -> Result<(Holder, Key), KeyRefused> {
    let found = connection
        .query_row("SELECT kind, id FROM code WHERE hash = ?1 AND expires > ?2", params![hash, now.0], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?))
        })
        .optional()?;
    let (kind, id) = found.ok_or(KeyRefused::Code)?;
    let holder = Holder::parse(&kind, id).ok_or(Error::Damaged("a code is for nothing known"))?;
    Ok((holder, put_key(connection, holder, now)?))
}

/// A new key for a holder. No code for it can be used any more.
fn put_key(connection: &Connection, holder: Holder, now: Moment) -> Result<Key, Error> {
    let key = Key(secret::random()?);
    connection
        .prepare_cached("DELETE FROM code WHERE kind = ?1 AND id = ?2")?
        .execute(params![holder.kind(), holder.id()])?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO key (kind, id, bytes, made) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![holder.kind(), holder.id(), key.0, now.0])?;
    Ok(key)
}
