//! Passkeys: a software authenticator against the store. Chromium's own is used in `web/tests/host/signin.spec.ts`.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use floor::{Moment, StaffId};
use host::store::*;

use crate::authenticator::Authenticator;

const LIN: StaffId = StaffId(3);
const KIM: StaffId = StaffId(4);
const NOW: Moment = Moment(1_700_000_000_000);
pub const ORIGIN: &str = "https://one.casino.example:8443";

fn here() -> IpAddr {
    IpAddr::from([10, 0, 0, 7])
}

pub fn party() -> RelyingParty {
    RelyingParty { domain: "casino.example".to_owned(), origins: vec![ORIGIN.to_owned()] }
}

fn store() -> Store {
    let limits = Limits { work: Work { memory: 64, passes: 1 }, ..Limits::default() };
    let store = Store::in_memory_with(limits).unwrap();
    store.set_password(LIN, "lin", "correct horse battery").unwrap();
    store.set_password(KIM, "kim", "correct horse battery").unwrap();
    store
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
    for mut authenticator in
        [Authenticator::p256(&party().domain, ORIGIN), Authenticator::ed25519(&party().domain, ORIGIN)]
    {
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

/// The hash of what is signed.
const ACT: [u8; 32] = [7; 32];

#[test]
fn a_signature_is_good_once_soon_and_for_its_purpose() {
    let (store, mut authenticator) = (store(), Authenticator::p256(&party().domain, ORIGIN));
    add(&store, LIN, &authenticator).unwrap();
    let once = signed(&store, &mut authenticator, Purpose::SignIn);
    sign_in(&store, "lin", once.clone()).unwrap();
    assert!(sign_in(&store, "lin", once).is_err(), "a second time");
    let second = signed(&store, &mut authenticator, Purpose::Second(KIM, ACT));
    assert!(sign_in(&store, "lin", second).is_err(), "as the second person, to sign in");
    let verify = |assertion: Assertion, of: StaffId, now: Moment| {
        let secret = Secret::Passkey(Box::new(assertion), party(), Purpose::Second(of, ACT));
        store.verify_with("lin", &secret, here(), now)
    };
    let of_kim = signed(&store, &mut authenticator, Purpose::Second(KIM, ACT));
    assert!(verify(of_kim, StaffId(9), NOW).is_err(), "for another person's command");
    let other = signed(&store, &mut authenticator, Purpose::Second(KIM, [8; 32]));
    assert!(verify(other, KIM, NOW).is_err(), "for another act");
    let good = signed(&store, &mut authenticator, Purpose::Second(KIM, ACT));
    assert_eq!(verify(good, KIM, NOW).unwrap(), LIN);
    let refused = signed(&store, &mut authenticator, Purpose::Second(KIM, ACT));
    store.spend("lin", &refused, &party(), Purpose::Second(KIM, ACT), NOW).unwrap();
    assert!(verify(refused, KIM, NOW).is_err(), "after the act was refused");
    let late = signed(&store, &mut authenticator, Purpose::Second(KIM, ACT));
    assert!(verify(late, KIM, NOW.after(121_000)).is_err(), "too late");
    let made_up = authenticator.sign("bWFkZSB1cA");
    assert!(sign_in(&store, "lin", made_up).is_err(), "a challenge of another site");
}

#[test]
fn another_site_an_unverified_person_and_a_copy_are_refused() {
    let store = store();
    let mut authenticator = Authenticator::p256(&party().domain, ORIGIN);
    add(&store, LIN, &authenticator).unwrap();
    let origins = [
        "https://casino.example.attacker.net",
        "https://notcasino.example",
        "http://one.casino.example",
        "http://one.casino.example:8443",
        "https://one.casino.example",
        "https://one.casino.example:9443",
        "https://two.casino.example:8443",
        "https://casino.example",
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
    let authenticator = Authenticator::p256(&party().domain, ORIGIN);
    add(&store, LIN, &authenticator).unwrap();
    assert!(matches!(add(&store, KIM, &authenticator), Err(PasskeyRefused::Known)));
    assert!(matches!(
        add(&store, StaffId(99), &Authenticator::ed25519(&party().domain, ORIGIN)),
        Err(PasskeyRefused::NoLogin)
    ));
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
    for length in 0..authenticator.make("AAAAAAAAAAAAAAAAAAAAAA").attestation.len() {
        let challenge = store.challenge(Purpose::Add(KIM), NOW).unwrap();
        let mut registration = authenticator.make(&challenge);
        registration.attestation.truncate(length);
        assert!(store.add_passkey(KIM, "x", &registration, &party(), NOW).is_err(), "cut to {length}");
    }
}

#[test]
fn a_domain_has_the_pages_of_the_floor_only() {
    let origins = ["https://casino.example", ORIGIN, "https://attacker.net", "http://casino.example"];
    let party = RelyingParty { origins: origins.map(str::to_owned).to_vec(), ..party() };
    assert!(party.has("https://casino.example"));
    assert!(party.has(ORIGIN));
    assert!(!party.has("https://attacker.net"), "outside the domain, whatever the settings say");
    assert!(!party.has("https://wiki.casino.example") && !party.has("https://casino.example:8443"), "of another");
    for origin in
        ["http://casino.example", "https://casino.example.net", "https://xcasino.example", "casino.example", ""]
    {
        assert!(!party.has(origin), "{origin}");
    }
    let origins = ["http://localhost:8080", "http://127.0.0.1:8080"].map(str::to_owned).to_vec();
    let local = RelyingParty { domain: "localhost".to_owned(), origins };
    assert!(local.has("http://localhost:8080"));
    assert!(!local.has("http://localhost:9090"), "another program on this machine");
    assert!(!local.has("http://127.0.0.1:8080"));
}

#[test]
fn strangers_who_ask_for_challenges_push_out_nobodys() {
    let (store, mut authenticator) = (store(), Authenticator::p256(&party().domain, ORIGIN));
    add(&store, LIN, &authenticator).unwrap();
    let asked = store.challenge(Purpose::SignIn, NOW).unwrap();
    for _ in 0..5_000 {
        store.challenge(Purpose::SignIn, NOW).unwrap();
    }
    // What a stranger answers badly uses up nothing either.
    let mut wrong = authenticator.sign(&asked);
    wrong.signature = URL_SAFE_NO_PAD.encode([0; 70]);
    assert!(sign_in(&store, "lin", wrong).is_err());
    assert_eq!(sign_in(&store, "lin", authenticator.sign(&asked)).unwrap(), LIN);
    assert!(sign_in(&store, "lin", authenticator.sign(&asked)).is_err(), "once, also with a new signature");
}

#[test]
fn who_signs_without_end_is_in_nobodys_way_but_their_own() {
    let limits = Limits { work: Work { memory: 64, passes: 1 }, challenges_each: 4, ..Limits::default() };
    let store = Store::in_memory_with(limits).unwrap();
    let mut authenticators = [LIN, KIM].map(|staff| {
        store.set_password(staff, &format!("login{}", staff.0), "correct horse battery").unwrap();
        let mut one = Authenticator::p256(&party().domain, ORIGIN);
        one.id = vec![u8::try_from(staff.0).unwrap(); 16];
        add(&store, staff, &one).unwrap();
        one
    });
    let [lin, kim] = &mut authenticators;
    for _ in 0..3 {
        let assertion = signed(&store, lin, Purpose::SignIn);
        assert_eq!(sign_in(&store, "login3", assertion).unwrap(), LIN);
    }
    let assertion = signed(&store, lin, Purpose::SignIn);
    assert!(sign_in(&store, "login3", assertion).is_err(), "with the one to add it, four");
    let assertion = signed(&store, kim, Purpose::SignIn);
    assert_eq!(sign_in(&store, "login4", assertion).unwrap(), KIM);
    let later = NOW.after(241_000);
    let assertion = lin.sign(&store.challenge(Purpose::SignIn, later).unwrap());
    let secret = Secret::Passkey(Box::new(assertion), party(), Purpose::SignIn);
    assert!(store.sign_in_with("login3", &secret, here(), later).is_ok(), "when they are too old to be used again");
}

#[test]
fn a_challenge_is_the_hosts_own() {
    let (store, other, mut authenticator) = (store(), store(), Authenticator::p256(&party().domain, ORIGIN));
    add(&store, LIN, &authenticator).unwrap();
    let foreign = other.challenge(Purpose::SignIn, NOW).unwrap();
    assert!(sign_in(&store, "lin", authenticator.sign(&foreign)).is_err(), "of another host");
    let own = store.challenge(Purpose::SignIn, NOW).unwrap();
    for place in [0, 2, 6, 15] {
        let mut bytes = URL_SAFE_NO_PAD.decode(&own).unwrap();
        bytes[place] ^= 1;
        let forged = authenticator.sign(&URL_SAFE_NO_PAD.encode(bytes));
        assert!(sign_in(&store, "lin", forged).is_err(), "{place}");
        store.unlock(LIN).unwrap();
    }
}

#[test]
fn a_request_is_the_same_whatever_the_order_of_its_keys_and_its_signatures() {
    let act = "POST /api/v1/floors/demo/terminals/17/hand-pay";
    let of = |body: &str| host::api::caller::subject(act, body.as_bytes());
    let signed = of(r#"{"witness": {"passkey": "asked", "login": "lin"}, "amount": "40.00"}"#);
    // The pages work out the same: web/src/lib/signing.test.ts.
    assert_eq!(rulebook::hex::parse("4517e90e14cd171aa3e531ec77b7cc65de38aef7a9949c9101b74cdca95d03f9"), Some(signed));
    assert_eq!(of(r#"{"amount":"40.00","witness":{"login":"lin","password":"x"}}"#), signed);
    for other in [
        r#"{"amount":"40.01","witness":{"login":"lin"}}"#,
        r#"{"amount":"40.00","witness":{"login":"kim"}}"#,
        r#"{"amount":"40.00","witness":{"login":"lin","half":"of a password"}}"#,
        r#"{"amount":["40.00"],"witness":{"login":"lin"}}"#,
        "",
    ] {
        assert_ne!(of(other), signed, "{other}");
    }
    assert_ne!(host::api::caller::subject("POST /api/v1/floors/demo/terminals/18/hand-pay", b""), of(""));
}
