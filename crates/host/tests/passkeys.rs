//! Passkeys: a software authenticator against the store. Chromium's own is used in `web/tests/host/signin.spec.ts`.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use floor::{Moment, StaffId};
use host::store::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;
use sha2::{Digest, Sha256};

const LIN: StaffId = StaffId(3);
const KIM: StaffId = StaffId(4);
const NOW: Moment = Moment(1_700_000_000_000);
const ORIGIN: &str = "https://one.casino.example:8443";

fn here() -> IpAddr {
    IpAddr::from([10, 0, 0, 7])
}

fn party() -> RelyingParty {
    RelyingParty { domain: "casino.example".to_owned() }
}

fn store() -> Store {
    let limits = Limits { work: Work { memory: 64, passes: 1 }, ..Limits::default() };
    let store = Store::in_memory_with(limits).unwrap();
    store.set_password(LIN, "lin", "correct horse battery").unwrap();
    store.set_password(KIM, "kim", "correct horse battery").unwrap();
    store
}

enum Pair {
    P256(Box<EcdsaKeyPair>),
    Ed25519(Box<Ed25519KeyPair>),
}

/// An authenticator with one key.
struct Authenticator {
    id: Vec<u8>,
    pair: Pair,
    count: u32,
    /// Present and verified.
    flags: u8,
    domain: String,
    origin: String,
}

impl Authenticator {
    fn with(pair: Pair) -> Authenticator {
        let (domain, origin) = (party().domain, ORIGIN.to_owned());
        Authenticator { id: b"an authenticator".to_vec(), pair, count: 0, flags: 0x05, domain, origin }
    }

    fn p256() -> Authenticator {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random).unwrap();
        Authenticator::with(Pair::P256(Box::new(pair)))
    }

    fn ed25519() -> Authenticator {
        Authenticator::with(Pair::Ed25519(Box::new(Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap())))
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

    fn make(&self, challenge: &str) -> Registration {
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

    fn sign(&mut self, challenge: &str) -> Assertion {
        self.count += 1;
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

fn add(store: &Store, staff: StaffId, authenticator: &Authenticator) -> Result<Passkey, PasskeyRefused> {
    let challenge = store.challenge(Purpose::Add(staff), NOW).unwrap();
    store.add_passkey(staff, "my phone", &authenticator.make(&challenge), &party(), NOW)
}

fn sign_in(store: &Store, login: &str, assertion: Assertion) -> Result<StaffId, SignInRefused> {
    let secret = Secret::Passkey(Box::new(assertion), party(), Purpose::SignIn);
    store.sign_in_with(login, &secret, here(), NOW).map(|session| session.info.staff)
}

fn signed(store: &Store, authenticator: &mut Authenticator, purpose: Purpose) -> Assertion {
    authenticator.sign(&store.challenge(purpose, NOW).unwrap())
}

#[test]
fn a_person_signs_in_with_a_passkey_with_and_without_the_login() {
    for mut authenticator in [Authenticator::p256(), Authenticator::ed25519()] {
        let store = store();
        let added = add(&store, LIN, &authenticator).unwrap();
        assert_eq!(store.passkeys(LIN).unwrap(), std::slice::from_ref(&added));
        for login in ["", "LIN"] {
            let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
            assert_eq!(sign_in(&store, login, assertion).unwrap(), LIN);
        }
        let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
        assert!(sign_in(&store, "kim", assertion).is_err(), "another person's login");
        assert!(store.remove_passkey(LIN, &added.id).unwrap());
        let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
        assert!(sign_in(&store, "lin", assertion).is_err(), "it was removed");
    }
}

#[test]
fn a_signature_is_good_once_soon_and_for_its_purpose() {
    let (store, mut authenticator) = (store(), Authenticator::p256());
    add(&store, LIN, &authenticator).unwrap();
    let once = signed(&store, &mut authenticator, Purpose::SignIn);
    sign_in(&store, "lin", once.clone()).unwrap();
    assert!(sign_in(&store, "lin", once).is_err(), "a second time");
    let second = signed(&store, &mut authenticator, Purpose::Second(KIM));
    assert!(sign_in(&store, "lin", second).is_err(), "as the second person, to sign in");
    let verify = |assertion: Assertion, of: StaffId, now: Moment| {
        let secret = Secret::Passkey(Box::new(assertion), party(), Purpose::Second(of));
        store.verify_with("lin", &secret, here(), now)
    };
    let of_kim = signed(&store, &mut authenticator, Purpose::Second(KIM));
    assert!(verify(of_kim, StaffId(9), NOW).is_err(), "for another person's command");
    let late = signed(&store, &mut authenticator, Purpose::Second(KIM));
    assert!(verify(late, KIM, NOW.after(121_000)).is_err(), "too late");
    let good = signed(&store, &mut authenticator, Purpose::Second(KIM));
    assert_eq!(verify(good, KIM, NOW).unwrap(), LIN);
    let made_up = authenticator.sign("bWFkZSB1cA");
    assert!(sign_in(&store, "lin", made_up).is_err(), "a challenge of another site");
}

#[test]
fn another_site_an_unverified_person_and_a_copy_are_refused() {
    let store = store();
    let mut authenticator = Authenticator::p256();
    add(&store, LIN, &authenticator).unwrap();
    let origins = [
        "https://casino.example.attacker.net",
        "https://notcasino.example",
        "http://one.casino.example",
        "https://attacker.net",
        "null",
    ];
    for origin in origins {
        authenticator.origin = origin.to_owned();
        let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
        assert!(sign_in(&store, "lin", assertion).is_err(), "{origin}");
        store.unlock(LIN).unwrap();
    }
    authenticator.origin = ORIGIN.to_owned();
    authenticator.domain = "attacker.net".to_owned();
    let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
    assert!(sign_in(&store, "lin", assertion).is_err());
    authenticator.domain = party().domain;
    authenticator.flags = 0x01;
    let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
    assert!(sign_in(&store, "lin", assertion).is_err(), "there, but not verified");
    authenticator.flags = 0x05;
    let assertion = signed(&store, &mut authenticator, Purpose::SignIn);
    sign_in(&store, "lin", assertion).unwrap();
    authenticator.count -= 1;
    let copied = signed(&store, &mut authenticator, Purpose::SignIn);
    assert!(sign_in(&store, "lin", copied).is_err(), "its count did not grow");
    let mut tampered = signed(&store, &mut authenticator, Purpose::SignIn);
    tampered.signature = URL_SAFE_NO_PAD.encode([0; 70]);
    assert!(sign_in(&store, "lin", tampered).is_err());
}

#[test]
fn what_cannot_be_a_passkey_is_refused_and_says_why() {
    let store = store();
    let authenticator = Authenticator::p256();
    add(&store, LIN, &authenticator).unwrap();
    assert!(matches!(add(&store, KIM, &authenticator), Err(PasskeyRefused::Known)));
    assert!(matches!(add(&store, StaffId(99), &Authenticator::ed25519()), Err(PasskeyRefused::NoLogin)));
    let challenge = store.challenge(Purpose::Add(KIM), NOW).unwrap();
    let registration = authenticator.make(&challenge);
    let other = store.add_passkey(LIN, "x", &registration, &party(), NOW);
    assert!(matches!(other, Err(PasskeyRefused::Challenge)), "made for another person: {other:?}");
    for attestation in ["", "AAAA", "oA", "%%%", &"A".repeat(100_000)] {
        let challenge = store.challenge(Purpose::Add(KIM), NOW).unwrap();
        let registration = Registration { attestation: attestation.to_owned(), ..authenticator.make(&challenge) };
        let refused = store.add_passkey(KIM, "x", &registration, &party(), NOW);
        assert!(matches!(refused, Err(PasskeyRefused::Data(_))), "{attestation:.20}: {refused:?}");
    }
    for length in 0..authenticator.make("x").attestation.len() {
        let challenge = store.challenge(Purpose::Add(KIM), NOW).unwrap();
        let mut registration = authenticator.make(&challenge);
        registration.attestation.truncate(length);
        assert!(store.add_passkey(KIM, "x", &registration, &party(), NOW).is_err(), "cut to {length}");
    }
}

#[test]
fn a_domain_has_its_own_pages_only() {
    let party = party();
    assert!(party.has("https://casino.example"));
    assert!(party.has("https://one.casino.example:8443"));
    for origin in
        ["http://casino.example", "https://casino.example.net", "https://xcasino.example", "casino.example", ""]
    {
        assert!(!party.has(origin), "{origin}");
    }
    let local = RelyingParty { domain: "localhost".to_owned() };
    assert!(local.has("http://localhost:8080"));
    assert!(!local.has("http://127.0.0.1:8080"));
}
