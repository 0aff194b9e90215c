//! The author of a message: every host has a key of its own, and signs its messages to the others.
//!
//! A login at the servers lets a program read and write what is there. It does not make the program a host: messages that
//! no enrolled host has signed are ignored.

use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;
use std::str::FromStr;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use journal::private;

/// The file of a host's key in its folder.
const FILE: &str = "host.key";
/// What every signature begins with, so that no other can be taken for one.
const PURPOSE: &[u8] = b"croupier host 1";
/// A key and a signature, before what is signed.
const HEAD: usize = 32 + 64;

/// The secret key of a host. It never leaves its machine.
pub struct HostKey(SigningKey);

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostKey({})", self.public())
    }
}

/// The public key of a host, by which the others know it; written as 64 hexadecimal digits.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(pub [u8; 32]);

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for HostId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<HostId, &'static str> {
        bytes(text).map(HostId).ok_or("a host's key has 64 hexadecimal digits")
    }
}

impl HostId {
    /// Whether it is a point of the curve, and none for which anyone can make signatures.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| !key.is_weak())
    }

    /// Whether the holder of the key signed this.
    #[must_use]
    pub fn signed(&self, about: &[&[u8]], payload: &[u8], signature: &[u8; 64]) -> bool {
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(&message(about, payload), &Signature::from_bytes(signature)).is_ok())
    }
}

impl HostKey {
    /// A key of chance.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn random() -> io::Result<HostKey> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        Ok(HostKey(SigningKey::from_bytes(&secret)))
    }

    /// The key of the host that has this folder; made if there is none.
    ///
    /// # Errors
    /// When it cannot be read or made, or others can read it.
    pub fn of(folder: &Path) -> io::Result<HostKey> {
        if let Some(key) = HostKey::find(folder)? {
            return Ok(key);
        }
        private::create_folder(folder)?;
        let key = HostKey::random()?;
        let mut file = private::file_options().write(true).create_new(true).open(folder.join(FILE))?;
        file.write_all(&key.0.to_bytes())?;
        file.sync_all()?;
        Ok(key)
    }

    /// The key of the host that has this folder, if it has one.
    ///
    /// # Errors
    /// When it cannot be read, or others can read it.
    pub fn find(folder: &Path) -> io::Result<Option<HostKey>> {
        let path = folder.join(FILE);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        private::check_secret(&path).map_err(io::Error::other)?;
        let secret = <[u8; 32]>::try_from(bytes.as_slice())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("{FILE} does not hold a key")))?;
        Ok(Some(HostKey(SigningKey::from_bytes(&secret))))
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> HostId {
        HostId(self.0.verifying_key().to_bytes())
    }

    /// Signs something. Its purpose is part of the signature, so that it cannot be used for anything else.
    #[must_use]
    pub fn sign(&self, about: &[&[u8]], payload: &[u8]) -> [u8; 64] {
        self.0.sign(&message(about, payload)).to_bytes()
    }

    /// Signs something, with the public key and the signature in front of it.
    #[must_use]
    pub fn seal(&self, about: &[&[u8]], payload: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::with_capacity(HEAD + payload.len());
        sealed.extend_from_slice(&self.public().0);
        sealed.extend_from_slice(&self.sign(about, payload));
        sealed.extend_from_slice(payload);
        sealed
    }
}

/// What was sealed, and by whose key; none if the signature is not genuine. The caller checks
/// whether the key belongs to an enrolled host.
#[must_use]
pub fn unseal<'a>(about: &[&[u8]], sealed: &'a [u8]) -> Option<(HostId, &'a [u8])> {
    let (head, payload) = sealed.split_at_checked(HEAD)?;
    let (key, signature) = (HostId(head[..32].try_into().ok()?), head[32..].try_into().ok()?);
    key.signed(about, payload, signature).then_some((key, payload))
}

/// What is signed: every part with its length, so that no two are the same bytes.
fn message(about: &[&[u8]], payload: &[u8]) -> Vec<u8> {
    let mut message = PURPOSE.to_vec();
    for part in about.iter().chain([&payload]) {
        message.extend_from_slice(&(part.len() as u64).to_le_bytes());
        message.extend_from_slice(part);
    }
    message
}

/// Bytes from hexadecimal digits.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
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

/// The signature of a message of a stream, as it is in its header: the key and the signature.
pub(crate) fn to_header(key: &HostKey, about: &[&[u8]], payload: &[u8]) -> String {
    let signature: String = key.sign(about, payload).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {signature}", key.public())
}

/// Whose signature a header is; none if it is not genuine.
pub(crate) fn of_header(header: &str, about: &[&[u8]], payload: &[u8]) -> Option<HostId> {
    let (key, signature) = header.split_once(' ')?;
    let (key, signature) = (key.parse::<HostId>().ok()?, bytes(signature)?);
    key.signed(about, payload, &signature).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_known_by_its_key_and_by_what_it_is_about() {
        let key = HostKey::random().unwrap();
        let sealed = key.seal(&[b"ask", b"main"], b"a question");
        assert_eq!(unseal(&[b"ask", b"main"], &sealed), Some((key.public(), &b"a question"[..])));
        assert_eq!(unseal(&[b"ask", b"other"], &sealed), None);
        assert_eq!(unseal(&[b"ask"], &sealed), None);
        assert_eq!(unseal(&[b"askm", b"ain"], &sealed), None);
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert_eq!(unseal(&[b"ask", b"main"], &changed), None, "byte {place}");
        }
        assert_eq!(unseal(&[b"ask", b"main"], &sealed[..HEAD - 1]), None);
    }

    #[test]
    fn a_key_is_made_once_and_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let key = HostKey::of(folder.path()).unwrap();
        assert_eq!(HostKey::of(folder.path()).unwrap().public(), key.public());
        assert_eq!(key.public().to_string().parse::<HostId>(), Ok(key.public()));
        assert!("12".parse::<HostId>().is_err());
        let file = folder.path().join(FILE);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(HostKey::of(folder.path()).is_err(), "others can read it");
    }

    #[test]
    fn a_key_for_which_anyone_signs_is_not_sound() {
        let mut neutral = [0; 32];
        assert!(!HostId(neutral).is_sound());
        neutral[0] = 1;
        assert!(!HostId(neutral).is_sound());
        assert!(HostKey::random().unwrap().public().is_sound());
    }

    #[test]
    fn a_header_is_known_by_what_it_is_about() {
        let key = HostKey::random().unwrap();
        let header = to_header(&key, &[b"batch", b"7"], b"records");
        assert_eq!(of_header(&header, &[b"batch", b"7"], b"records"), Some(key.public()));
        assert_eq!(of_header(&header, &[b"batch", b"8"], b"records"), None);
        assert_eq!(of_header("", &[b"batch"], b"records"), None);
    }
}
