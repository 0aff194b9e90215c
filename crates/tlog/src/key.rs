//! Keys of notes: Ed25519 over the text (type 1), and Ed25519 cosignatures (type 4).

use std::fmt;

use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use sha2::{Digest, Sha256};

use crate::note::{SignatureLine, is_name};
use crate::{Malformed, from_base64, to_base64};

/// What a key signs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text of a note.
    Note,
    /// The text with a time: the largest consistent tree seen by then.
    Cosignature,
}

impl Kind {
    fn byte(self) -> u8 {
        match self {
            Kind::Note => 0x01,
            Kind::Cosignature => 0x04,
        }
    }

    fn of(byte: u8) -> Option<Kind> {
        [Kind::Note, Kind::Cosignature].into_iter().find(|kind| kind.byte() == byte)
    }
}

/// The public half of a key, with the name by which notes refer to it.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: Kind,
    id: [u8; 4],
    key: VerifyingKey,
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key_id(name: &str, kind: Kind, key: &[u8]) -> [u8; 4] {
    let hash = Sha256::new().chain_update(name).chain_update([b'\n', kind.byte()]).chain_update(key).finalize();
    [hash[0], hash[1], hash[2], hash[3]]
}

/// Name, id and typed bytes of a key as text: the base64 at the end may contain a `+`.
fn parts<'t>(part: &'static str, text: &'t str) -> Result<(&'t str, &'t str, Kind, [u8; 32]), Malformed> {
    let wrong = |what: &str| Malformed::new(part, what);
    let mut words = text.splitn(3, '+');
    let (name, id) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let base64 = words.next().ok_or_else(|| wrong("it has the form name+id+key"))?;
    if !is_name(name) {
        return Err(wrong("the name of a key has no space and no `+`, and is not empty"));
    }
    let bytes = from_base64(part, base64)?;
    let (kind, key) = bytes.split_first().ok_or_else(|| wrong("the key is empty"))?;
    let kind = Kind::of(*kind).ok_or_else(|| wrong("the key is of a type that is not supported here"))?;
    let key = <[u8; 32]>::try_from(key).map_err(|_| wrong("the key is not of 32 bytes"))?;
    Ok((name, id, kind, key))
}

impl VerifierKey {
    /// A key of 32 bytes.
    ///
    /// # Errors
    /// When the name or the bytes cannot be a key's.
    pub fn new(name: &str, kind: Kind, key: [u8; 32]) -> Result<VerifierKey, Malformed> {
        let wrong = |what: &str| Malformed::new("key", what);
        if !is_name(name) {
            return Err(wrong("the name of a key has no space and no `+`, and is not empty"));
        }
        let id = key_id(name, kind, &key);
        let key = VerifyingKey::from_bytes(&key).map_err(|_| wrong("the bytes are no Ed25519 key"))?;
        Ok(VerifierKey { name: name.to_owned(), kind, id, key })
    }

    /// Reads `name+id+base64`.
    ///
    /// # Errors
    /// When it is no key, or its id is another's.
    pub fn parse(text: &str) -> Result<VerifierKey, Malformed> {
        let (name, id, kind, key) = parts("verifier key", text)?;
        let key = VerifierKey::new(name, kind, key)?;
        if hex(&key.id) != id {
            return Err(Malformed::new("verifier key", "the id does not belong to this name and key"));
        }
        Ok(key)
    }

    /// `name+id+base64`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let key = to_base64(&[&[self.kind.byte()], &self.key.as_bytes()[..]].concat());
        format!("{}+{}+{key}", self.name, hex(&self.id))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it signs.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        self.id
    }

    /// Verifies a signature as a note carries it: `Some` with the time of a cosignature, or `Some(None)`.
    #[must_use]
    pub fn verify(&self, text: &str, signature: &[u8]) -> Option<Option<u64>> {
        let (time, message, signature) = match self.kind {
            Kind::Note => (None, text.to_owned(), signature),
            Kind::Cosignature => {
                let (time, signature) = signature.split_first_chunk()?;
                let time = u64::from_be_bytes(*time);
                (Some(time), cosigned(time, text), signature)
            }
        };
        let signature = Signature::from_slice(signature).ok()?;
        self.key.verify_strict(message.as_bytes(), &signature).ok().map(|()| time)
    }
}

/// What a cosigner signs.
fn cosigned(time: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// Signs the heads of a log: a key in a file, or in a security module.
pub trait LogSigner: Send {
    /// The public half; its name is the origin of the log.
    fn key(&self) -> &VerifierKey;
    /// Signs the text of a note.
    ///
    /// # Errors
    /// When the key is not available now.
    fn sign(&self, text: &str) -> Result<SignatureLine, String>;
}

/// A key with its secret half.
pub struct SigningKey {
    secret: ed25519_dalek::SigningKey,
    public: VerifierKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({:?})", self.public)
    }
}

impl SigningKey {
    /// The key of these 32 secret bytes.
    ///
    /// # Errors
    /// When the name cannot be a key's.
    pub fn new(name: &str, kind: Kind, secret: [u8; 32]) -> Result<SigningKey, Malformed> {
        let secret = ed25519_dalek::SigningKey::from_bytes(&secret);
        let public = VerifierKey::new(name, kind, secret.verifying_key().to_bytes())?;
        Ok(SigningKey { secret, public })
    }

    /// Reads `PRIVATE+KEY+name+id+base64`.
    ///
    /// # Errors
    /// When it is no key.
    pub fn parse(text: &str) -> Result<SigningKey, Malformed> {
        let wrong = |what: &str| Malformed::new("signing key", what);
        let rest = text.trim_end().strip_prefix("PRIVATE+KEY+");
        let rest = rest.ok_or_else(|| wrong("it does not begin with PRIVATE+KEY+"))?;
        let (name, id, kind, secret) = parts("signing key", rest)?;
        let key = SigningKey::new(name, kind, secret)?;
        if hex(&key.public.id) != id {
            return Err(wrong("the id does not belong to this name and key"));
        }
        Ok(key)
    }

    /// `PRIVATE+KEY+name+id+base64`: secret.
    #[must_use]
    pub fn to_text(&self) -> String {
        let secret = to_base64(&[&[self.public.kind.byte()], &self.secret.to_bytes()[..]].concat());
        format!("PRIVATE+KEY+{}+{}+{secret}", self.public.name, hex(&self.public.id))
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &VerifierKey {
        &self.public
    }

    /// Signs a text; a cosigner's time is in seconds since 1970, and another key's is not used.
    #[must_use]
    pub fn sign_at(&self, text: &str, time: u64) -> SignatureLine {
        let signature = match self.public.kind {
            Kind::Note => self.secret.sign(text.as_bytes()).to_bytes().to_vec(),
            Kind::Cosignature => {
                let signature = self.secret.sign(cosigned(time, text).as_bytes()).to_bytes();
                [&time.to_be_bytes()[..], &signature].concat()
            }
        };
        SignatureLine { name: self.public.name.clone(), id: self.public.id, signature }
    }
}

impl LogSigner for SigningKey {
    fn key(&self) -> &VerifierKey {
        &self.public
    }

    fn sign(&self, text: &str) -> Result<SignatureLine, String> {
        match self.public.kind {
            Kind::Note => Ok(self.sign_at(text, 0)),
            Kind::Cosignature => Err("the key of a witness does not sign heads".to_owned()),
        }
    }
}
