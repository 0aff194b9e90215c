//! Public keys and what they verify. The secret halves are with terminals, devices and people's authenticators.

use ed25519_dalek::{Signature, VerifyingKey};
use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

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

    /// A key that is to be enrolled, in base64.
    #[must_use]
    pub fn parse(scheme: Scheme, text: &str) -> Option<PublicKey> {
        super::secret::from_base64_up_to(text, 65).and_then(|bytes| PublicKey::sound(scheme, &bytes))
    }

    /// A key that is to be enrolled: a point of its curve, and none for which anyone can make signatures.
    #[must_use]
    pub fn sound(scheme: Scheme, bytes: &[u8]) -> Option<PublicKey> {
        PublicKey::new(scheme, bytes).filter(|key| match scheme {
            Scheme::Ed25519 => key.ed25519().is_some_and(|key| !key.is_weak()),
            Scheme::P256 => is_on_p256(bytes),
        })
    }

    fn ed25519(&self) -> Option<VerifyingKey> {
        VerifyingKey::from_bytes(self.bytes.as_slice().try_into().ok()?).ok()
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
            // Strictly: no signature is good under a key, or with a point, of small order.
            Scheme::Ed25519 => {
                let signature = Signature::from_slice(signature).ok();
                let signed = |(key, signature): (VerifyingKey, _)| key.verify_strict(message, &signature).is_ok();
                self.ed25519().zip(signature).is_some_and(signed)
            }
            Scheme::P256 => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &self.bytes).verify(message, signature).is_ok()
            }
        }
    }
}

/// Whether bytes are a point of P-256: agreeing on a secret with any other fails.
fn is_on_p256(bytes: &[u8]) -> bool {
    EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).is_ok_and(|own| {
        agreement::agree_ephemeral(own, &agreement::UnparsedPublicKey::new(&ECDH_P256, bytes), |_| ()).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of Ed25519 of small order, as they are encoded.
    const WEAK: [[u8; 32]; 3] = {
        let (zero, mut one, mut minus_one) = ([0; 32], [0; 32], [0xff; 32]);
        one[0] = 1;
        (minus_one[0], minus_one[31]) = (0xec, 0x7f);
        [zero, one, minus_one]
    };

    #[test]
    fn keys_for_which_anyone_signs_are_not_enrolled_and_verify_nothing() {
        for point in WEAK {
            assert_eq!(PublicKey::sound(Scheme::Ed25519, &point), None, "{point:?}");
            // The signature that is good for every message under the neutral point, where it is not checked strictly.
            let mut signature = [0; 64];
            signature[0] = 1;
            let key = PublicKey::new(Scheme::Ed25519, &point).unwrap();
            assert!(!key.verifies(b"a message", &signature), "{point:?}");
        }
        let mut beside = [7; 65];
        beside[0] = 4;
        assert!(PublicKey::new(Scheme::P256, &beside).is_some());
        assert_eq!(PublicKey::sound(Scheme::P256, &beside), None, "no point of the curve");
    }

    #[test]
    fn keys_of_browsers_are_enrolled() {
        use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
        assert!(PublicKey::sound(Scheme::P256, pair.public_key().as_ref()).is_some());
        let own = crate::store::Key::new().unwrap().public();
        assert_eq!(PublicKey::sound(Scheme::Ed25519, own.bytes()), Some(own));
    }
}
