//! Checkpoints: the end of the chain, signed.

use std::fmt;
use std::io;

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};

use crate::disk::Disk;
use crate::segment::{Chain, array};

/// The file of the secret key.
pub(crate) const SECRET: &str = "journal.key";
/// The file of the public key, for audits.
pub(crate) const PUBLIC: &str = "journal.pub";
pub(crate) const SIZE: usize = 8 + 32 + 32 + 64;

/// The key that signs checkpoints.
pub struct Key(SigningKey);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The key by which checkpoints are verified.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PublicKey {
    /// The key that the journal of a folder exports.
    ///
    /// # Errors
    /// When the file is missing, or is not to the letter what was exported.
    pub fn of<D: Disk>(disk: &D) -> io::Result<PublicKey> {
        let bytes = disk.read(PUBLIC)?;
        let key = std::str::from_utf8(&bytes).ok().and_then(PublicKey::from_text);
        key.filter(|key| key.to_text().as_bytes() == bytes)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is not an exported key"))
    }

    /// Reads a key from its hexadecimal digits.
    #[must_use]
    pub fn from_text(text: &str) -> Option<PublicKey> {
        hex(text.trim()).map(PublicKey)
    }

    fn to_text(self) -> String {
        format!("{self}\n")
    }
}

impl Key {
    /// The key of these bytes.
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Key {
        Key(SigningKey::from_bytes(&secret))
    }

    /// The key of a folder, if it has one.
    pub(crate) fn of<D: Disk>(disk: &D) -> io::Result<Option<Key>> {
        match disk.read(SECRET) {
            Ok(bytes) if bytes.len() == 32 => Ok(Some(Key::new(array(&bytes)))),
            Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, format!("{SECRET} does not hold a key"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A key for a folder, made at first start by the system's chance.
    pub(crate) fn make<D: Disk>(disk: &D) -> io::Result<Key> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let key = Key::new(secret);
        key.keep(disk)?;
        Ok(key)
    }

    /// Keeps the secret half in a folder.
    pub(crate) fn keep<D: Disk>(&self, disk: &D) -> io::Result<()> {
        disk.write(SECRET, &self.secret())
    }

    /// The secret half, for the other machines that may sign.
    #[must_use]
    pub fn secret(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Exports the public half, if it is not there as it should be.
    pub(crate) fn export<D: Disk>(&self, disk: &D) -> io::Result<()> {
        let text = self.public().to_text();
        match disk.read(PUBLIC) {
            Ok(bytes) if bytes == text.as_bytes() => Ok(()),
            _ => disk.write(PUBLIC, text.as_bytes()),
        }
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    pub(crate) fn sign(&self, journal: [u8; 16], sequence: u64, chain: Chain) -> Checkpoint {
        let signature = self.0.sign(&signed(journal, sequence, chain)).to_bytes();
        Checkpoint { sequence, chain, key: self.public(), signature }
    }
}

/// The end of the chain at some time, signed. Kept elsewhere, it proves that the end was not cut off.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The sequence of the last record.
    pub sequence: u64,
    /// The chain after it.
    pub chain: Chain,
    /// By whom.
    pub key: PublicKey,
    /// The signature.
    pub signature: [u8; 64],
}

impl Checkpoint {
    /// Whether it was signed for this journal by its key.
    #[must_use]
    pub fn is_genuine(&self, journal: [u8; 16]) -> bool {
        VerifyingKey::from_bytes(&self.key.0).is_ok_and(|key| {
            let signature = Signature::from_bytes(&self.signature);
            key.verify(&signed(journal, self.sequence, self.chain), &signature).is_ok()
        })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIZE);
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.chain.0);
        bytes.extend_from_slice(&self.key.0);
        bytes.extend_from_slice(&self.signature);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Checkpoint> {
        (bytes.len() == SIZE).then(|| Checkpoint {
            sequence: u64::from_le_bytes(array(&bytes[..8])),
            chain: Chain(array(&bytes[8..40])),
            key: PublicKey(array(&bytes[40..72])),
            signature: array(&bytes[72..136]),
        })
    }

    /// A line that can be printed, kept elsewhere and given to the audit again.
    #[must_use]
    pub fn to_line(&self) -> String {
        let signature: String = self.signature.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("croupier checkpoint 1 {} {} {} {signature}", self.sequence, self.chain, self.key)
    }

    /// Reads such a line.
    #[must_use]
    pub fn from_line(line: &str) -> Option<Checkpoint> {
        let mut words = line.split_whitespace();
        let head = [words.next()?, words.next()?, words.next()?];
        let sequence = words.next()?.parse().ok()?;
        let (chain, key, signature) = (hex(words.next()?)?, hex(words.next()?)?, hex(words.next()?)?);
        let whole = head == ["croupier", "checkpoint", "1"] && words.next().is_none();
        whole.then_some(Checkpoint { sequence, chain: Chain(chain), key: PublicKey(key), signature })
    }
}

fn signed(journal: [u8; 16], sequence: u64, chain: Chain) -> Vec<u8> {
    let mut bytes = b"croupier checkpoint".to_vec();
    bytes.extend_from_slice(&journal);
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.extend_from_slice(&chain.0);
    bytes
}

/// Bytes from hexadecimal digits.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let digit = |c: u8| char::from(c).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(bytes)
}
