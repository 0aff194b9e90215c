//! A software authenticator: what a browser would send of a passkey.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use host::store::{Assertion, Registration};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;
use sha2::{Digest, Sha256};

pub enum Pair {
    P256(Box<EcdsaKeyPair>),
    Ed25519(Box<Ed25519KeyPair>),
}

/// An authenticator with one key.
pub struct Authenticator {
    pub id: Vec<u8>,
    pair: Pair,
    pub count: u32,
    /// Whether it counts its signatures; many do not.
    pub counts: bool,
    /// Present and verified.
    pub flags: u8,
    pub domain: String,
    pub origin: String,
}

impl Authenticator {
    fn with(pair: Pair, domain: &str, origin: &str) -> Authenticator {
        let (domain, origin) = (domain.to_owned(), origin.to_owned());
        Authenticator { id: b"an authenticator".to_vec(), pair, count: 0, counts: true, flags: 0x05, domain, origin }
    }

    pub fn p256(domain: &str, origin: &str) -> Authenticator {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random).unwrap();
        Authenticator::with(Pair::P256(Box::new(pair)), domain, origin)
    }

    pub fn ed25519(domain: &str, origin: &str) -> Authenticator {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        Authenticator::with(Pair::Ed25519(Box::new(pair)), domain, origin)
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false })
            .to_string()
            .into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(self.domain.as_bytes()).to_vec();
        data.push(flags);
        data.extend(self.count.to_be_bytes());
        data
    }

    /// The key as CBOR (RFC 9052).
    fn key(&self) -> Vec<u8> {
        match &self.pair {
            Pair::P256(pair) => {
                let point = pair.public_key().as_ref();
                let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
                [&head[..], &point[1..33], &[0x22, 0x58, 0x20], &point[33..]].concat()
            }
            Pair::Ed25519(pair) => {
                let head = [0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20];
                [&head[..], pair.public_key().as_ref()].concat()
            }
        }
    }

    pub fn make(&self, challenge: &str) -> Registration {
        let mut data = self.data(self.flags | 0x40);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.key());
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).unwrap());
        object.extend(data);
        let client_data = URL_SAFE_NO_PAD.encode(self.client_data("webauthn.create", challenge));
        Registration { client_data, attestation: URL_SAFE_NO_PAD.encode(object) }
    }

    pub fn sign(&mut self, challenge: &str) -> Assertion {
        self.count += u32::from(self.counts);
        let (client, data) = (self.client_data("webauthn.get", challenge), self.data(self.flags));
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature = match &self.pair {
            Pair::P256(pair) => pair.sign(&SystemRandom::new(), &signed).unwrap().as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.sign(&signed).as_ref().to_vec(),
        };
        Assertion {
            id: URL_SAFE_NO_PAD.encode(&self.id),
            client_data: URL_SAFE_NO_PAD.encode(client),
            authenticator_data: URL_SAFE_NO_PAD.encode(data),
            signature: URL_SAFE_NO_PAD.encode(signature),
        }
    }
}
