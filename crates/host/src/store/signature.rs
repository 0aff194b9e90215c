//! Public keys and what they verify. The secret halves are with terminals, devices and people's authenticators.

use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey, VerificationAlgorithm};

/// How a key signs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Ed25519.
    Ed25519,
    /// ECDSA with P-256 and SHA-256, for browsers without Ed25519.
    P256,
}

impl Scheme {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Scheme::Ed25519 => "ed25519",
            Scheme::P256 => "p256",
        }
    }

    /// The scheme of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Scheme> {
        [Scheme::Ed25519, Scheme::P256].into_iter().find(|scheme| scheme.as_str() == name)
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    scheme: Scheme,
    bytes: Vec<u8>,
}

impl PublicKey {
    /// A key of 32 bytes (Ed25519), or an uncompressed point of 65 (P-256).
    #[must_use]
    pub fn new(scheme: Scheme, bytes: &[u8]) -> Option<PublicKey> {
        let fits = match scheme {
            Scheme::Ed25519 => bytes.len() == 32,
            Scheme::P256 => bytes.len() == 65 && bytes.first() == Some(&4),
        };
        fits.then(|| PublicKey { scheme, bytes: bytes.to_vec() })
    }

    /// The same in base64.
    #[must_use]
    pub fn parse(scheme: Scheme, text: &str) -> Option<PublicKey> {
        super::secret::from_base64_up_to(text, 65).and_then(|bytes| PublicKey::new(scheme, &bytes))
    }

    /// The bytes in base64.
    #[must_use]
    pub fn text(&self) -> String {
        super::secret::to_base64(&self.bytes)
    }

    /// A key that has signed nothing.
    pub(super) fn none() -> PublicKey {
        PublicKey { scheme: Scheme::Ed25519, bytes: Vec::new() }
    }

    /// How it signs.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it signed this, with a signature of 64 bytes as WebCrypto writes it.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match self.scheme {
            Scheme::Ed25519 => self.check(&ED25519, message, signature),
            Scheme::P256 => self.check(&ECDSA_P256_SHA256_FIXED, message, signature),
        }
    }

    fn check(&self, algorithm: &'static dyn VerificationAlgorithm, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(algorithm, &self.bytes).verify(message, signature).is_ok()
    }
}
