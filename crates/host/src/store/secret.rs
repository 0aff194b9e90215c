//! Random tokens and their hashes.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::Error;

/// Bytes of the operating system's chance.
pub(super) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], Error> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// The stored form of a token. A token has 256 random bits, so a plain hash reveals nothing about it.
pub(super) type TokenHash = [u8; 32];

/// A secret that identifies its holder: a session's cookie or a bearer token. It is shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub(crate) fn new() -> Result<Token, Error> {
        Ok(Token(URL_SAFE_NO_PAD.encode(random::<32>()?)))
    }

    /// The text to send: letters, digits, `-` and `_`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(text: &str) -> TokenHash {
        Sha256::digest(text.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Base64 as the interface writes it.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Reads so many bytes of base64.
pub(super) fn from_base64<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    // Longer than any we make: not worth decoding.
    if text.len() > 2 * LENGTH + 4 {
        return None;
    }
    STANDARD.decode(text).ok()?.try_into().ok()
}

/// Reads any number of bytes of base64, up to a bound.
pub(super) fn from_base64_up_to(text: &str, most: usize) -> Option<Vec<u8>> {
    if text.len() > 2 * most + 4 {
        return None;
    }
    STANDARD.decode(text).ok().filter(|bytes| bytes.len() <= most)
}

/// Reads base64 as browsers write it in JSON (RFC 4648, section 5), up to a bound.
pub(super) fn from_base64url(text: &str, most: usize) -> Option<Vec<u8>> {
    if text.len() > 2 * most + 4 {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok().filter(|bytes| bytes.len() <= most)
}

/// Base64 as browsers read it in JSON.
pub(super) fn to_base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
