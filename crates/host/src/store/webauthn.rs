//! What a browser's authenticator sends, checked by the crate `webauthn_rp` (WebAuthn level 3): client data, attestation,
//! authenticator data, keys and signatures.
//!
//! The crate expects its server to remember its challenges. Here the challenge itself proves that a host of the floor
//! made it (see `challenges`), so nothing is remembered: when an answer arrives, at any host, its ceremony is set up
//! again with the challenge that it answers. Hand-written are that challenge, the origins of the floor and the storage
//! of keys.

use sha2::Digest as _;
use webauthn_rp::AuthenticatedCredential;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::{
    AllowedCredentials, AuthenticationVerificationOptions, AuthenticatorAttachmentEnforcement,
    NonDiscoverableAuthenticationServerState, NonDiscoverableCredentialRequestOptions, SignatureCounterEnforcement,
};
use webauthn_rp::request::register::{
    CoseAlgorithmIdentifier, CoseAlgorithmIdentifiers, CredProtect, PublicKeyCredentialCreationOptions,
    RegistrationServerState, RegistrationVerificationOptions, UserHandle,
};
use webauthn_rp::request::{
    AsciiDomain, BackupReq, Credentials, PublicKeyCredentialDescriptor, RpId, TimedCeremony,
    UserVerificationRequirement,
};
use webauthn_rp::response::auth::error::AuthCeremonyErr;
use webauthn_rp::response::auth::{NonDiscoverableAuthentication, NonDiscoverableAuthenticatorAssertion};
use webauthn_rp::response::register::error::RegCeremonyErr;
use webauthn_rp::response::register::{
    AuthenticatorAttestation, AuthenticatorExtensionOutputStaticState, ClientExtensionsOutputs, CompressedP256PubKey,
    CompressedPubKey, CredentialProtectionPolicy, DynamicState, Ed25519PubKey, StaticState, UncompressedPubKey,
};
use webauthn_rp::response::{
    AuthTransports, AuthenticatorAttachment, Backup, CollectedClientData, CredentialId, SentChallenge,
};

use super::challenges::LENGTH;
use super::passkey::RelyingParty;
use super::signature::{PublicKey, Scheme};

/// The length of the id that authenticators know a person by; answers do not carry it here.
const USER: usize = 4;

/// A new key and the authenticator's name for it.
#[derive(Debug)]
pub(super) struct New {
    pub(super) id: Vec<u8>,
    pub(super) key: PublicKey,
    pub(super) count: u32,
}

/// What a browser hands over of a new passkey.
pub(super) struct Made(webauthn_rp::Registration);

/// What a browser hands over of a passkey's signature.
pub(super) struct Signed(NonDiscoverableAuthentication<USER>);

/// What is stored of a passkey.
pub(super) struct Stored<'a> {
    pub(super) id: &'a [u8],
    pub(super) key: &'a PublicKey,
    pub(super) count: u32,
}

impl Made {
    pub(super) fn new(client_data: Vec<u8>, attestation: Vec<u8>) -> Made {
        let response = AuthenticatorAttestation::new(client_data, attestation, AuthTransports::NONE);
        let extensions = ClientExtensionsOutputs { cred_props: None, prf: None };
        Made(webauthn_rp::Registration::new(response, AuthenticatorAttachment::None, extensions))
    }

    /// The challenge that it answers.
    pub(super) fn challenge(&self) -> Option<[u8; LENGTH]> {
        Some(self.0.challenge().ok()?.0.to_le_bytes())
    }

    /// The key, if it answers this challenge, for this party.
    pub(super) fn verify(&self, party: &RelyingParty, challenge: [u8; LENGTH]) -> Result<New, &'static str> {
        let (domain, origins) = (domain(party)?, origins(party)?);
        let user = UserHandle::<USER>::from([0; USER]);
        let mut asked = PublicKeyCredentialCreationOptions::first_passkey_with_blank_user_info(&domain, &user);
        asked.pub_key_cred_params =
            CoseAlgorithmIdentifiers::ALL.remove(CoseAlgorithmIdentifier::Es384).remove(CoseAlgorithmIdentifier::Rs256);
        asked.extensions.cred_protect = CredProtect::None;
        let (state, _) = asked.start_ceremony().map_err(|_| SETUP)?;
        let bytes = state.encode().map_err(|_| SETUP)?;
        let bytes = asked_with(bytes, state.sent_challenge(), challenge)?;
        let state = RegistrationServerState::<USER>::decode(bytes.as_slice()).map_err(|_| SETUP)?;
        let options = RegistrationVerificationOptions::<&str, &str> {
            allowed_origins: &origins,
            // Which authenticator people use is theirs to choose.
            backup_requirement: BackupReq::None,
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let made = state.verify(&domain, &self.0, &options).map_err(|error| not_made(&error))?;
        let key = match made.static_state().credential_public_key {
            UncompressedPubKey::Ed25519(key) => PublicKey::sound(Scheme::Ed25519, key.inner()),
            UncompressedPubKey::P256(key) => PublicKey::sound(Scheme::P256, &[&[4], key.x(), key.y()].concat()),
            UncompressedPubKey::P384(_) | UncompressedPubKey::Rsa(_) => None,
        };
        let key = key.ok_or("its kind of key is not supported")?;
        Ok(New { id: made.id().as_ref().to_vec(), key, count: made.dynamic_state().sign_count })
    }
}

impl Signed {
    /// `None` where no authenticator has such a name for a passkey.
    pub(super) fn new(id: &[u8], client_data: Vec<u8>, data: Vec<u8>, signature: Vec<u8>) -> Option<Signed> {
        let id = CredentialId::<Vec<u8>>::try_from(id.to_vec()).ok()?;
        let response = NonDiscoverableAuthenticatorAssertion::without_user(client_data, data, signature);
        Some(Signed(NonDiscoverableAuthentication::new(id, response, AuthenticatorAttachment::None)))
    }

    /// The challenge that it answers.
    pub(super) fn challenge(&self) -> Option<[u8; LENGTH]> {
        Some(self.0.challenge().ok()?.0.to_le_bytes())
    }

    /// The passkey's new count, if it signed this challenge, for this party.
    pub(super) fn verify(
        &self,
        party: &RelyingParty,
        stored: &Stored<'_>,
        challenge: [u8; LENGTH],
    ) -> Result<u32, &'static str> {
        let (domain, origins) = (domain(party)?, origins(party)?);
        let id = CredentialId::<&[u8]>::try_from(stored.id).map_err(|_| SETUP)?;
        let mut known = AllowedCredentials::with_capacity(1);
        let descriptor = PublicKeyCredentialDescriptor {
            id: CredentialId::<Vec<u8>>::try_from(stored.id.to_vec()).map_err(|_| SETUP)?,
            transports: AuthTransports::NONE,
        };
        known.push(descriptor.into());
        let mut asked = NonDiscoverableCredentialRequestOptions::second_factor(&domain, known).map_err(|_| SETUP)?;
        asked.options().user_verification = UserVerificationRequirement::Required;
        let (state, _) = asked.start_ceremony().map_err(|_| SETUP)?;
        let bytes = state.encode().map_err(|_| SETUP)?;
        let bytes = asked_with(bytes, state.sent_challenge(), challenge)?;
        let state = NonDiscoverableAuthenticationServerState::decode(bytes.as_slice()).map_err(|_| SETUP)?;
        let user = UserHandle::<USER>::from([0; USER]);
        let (fixed, dynamic) = (fixed(stored.key)?, dynamic(stored.count));
        let mut credential = AuthenticatedCredential::new(id, &user, fixed, dynamic).map_err(|_| SETUP)?;
        let options = AuthenticationVerificationOptions::<&str, &str> {
            allowed_origins: &origins,
            backup_requirement: Some(BackupReq::None),
            error_on_unsolicited_extensions: false,
            auth_attachment_enforcement: AuthenticatorAttachmentEnforcement::Ignore(false),
            sig_counter_enforcement: SignatureCounterEnforcement::Fail,
            ..AuthenticationVerificationOptions::default()
        };
        state.verify(&domain, &self.0, &mut credential, &options).map_err(|error| not_signed(&error))?;
        Ok(credential.dynamic_state().sign_count)
    }
}

const SETUP: &str = "it cannot be checked here";

fn domain(party: &RelyingParty) -> Result<RpId, &'static str> {
    Ok(RpId::Domain(AsciiDomain::try_from(party.domain.clone()).map_err(|_| SETUP)?))
}

/// The origins of the floor's pages in the domain. Without any, the crate would take the domain's own.
fn origins(party: &RelyingParty) -> Result<Vec<&str>, &'static str> {
    let origins: Vec<&str> = party.origins.iter().map(String::as_str).filter(|origin| party.has(origin)).collect();
    if origins.is_empty() { Err(OTHER_SITE) } else { Ok(origins) }
}

/// The state of a ceremony, with another challenge in place of the one the crate made up.
fn asked_with(mut state: Vec<u8>, own: SentChallenge, challenge: [u8; LENGTH]) -> Result<Vec<u8>, &'static str> {
    let own = own.0.to_le_bytes();
    let place = state.windows(LENGTH).position(|part| part == own).ok_or(SETUP)?;
    state.splice(place..place.saturating_add(LENGTH), challenge);
    Ok(state)
}

type Key<'a> = CompressedPubKey<&'a [u8], &'a [u8], &'a [u8], &'a [u8]>;

/// A stored key as the crate takes it.
fn fixed(key: &PublicKey) -> Result<StaticState<Key<'_>>, &'static str> {
    let credential_public_key = match (key.scheme(), key.bytes()) {
        (Scheme::Ed25519, bytes) => CompressedPubKey::Ed25519(Ed25519PubKey::try_from(bytes).map_err(|_| SETUP)?),
        (Scheme::P256, [4, x @ .., last]) => {
            let x = x.get(..32).ok_or(SETUP)?;
            CompressedPubKey::P256(CompressedP256PubKey::try_from((x, last & 1 == 1)).map_err(|_| SETUP)?)
        }
        (Scheme::P256, _) => return Err(SETUP),
    };
    let extensions =
        AuthenticatorExtensionOutputStaticState { cred_protect: CredentialProtectionPolicy::None, hmac_secret: None };
    Ok(StaticState { credential_public_key, extensions })
}

fn dynamic(sign_count: u32) -> DynamicState {
    let (backup, authenticator_attachment) = (Backup::NotEligible, AuthenticatorAttachment::None);
    DynamicState { user_verified: true, backup, sign_count, authenticator_attachment }
}

const OTHER_SITE: &str = "it was made for a page of another site";
const OTHER_DOMAIN: &str = "it was made for another domain";
const UNVERIFIED: &str = "the authenticator did not verify the person";
const CLIENT: &str = "its client data cannot be read, or was made for something else";
const WRONG: &str = "its signature is wrong";

fn not_made(error: &RegCeremonyErr) -> &'static str {
    match error {
        RegCeremonyErr::OriginMismatch | RegCeremonyErr::CrossOrigin | RegCeremonyErr::TopOriginMismatch => OTHER_SITE,
        RegCeremonyErr::RpIdHashMismatch => OTHER_DOMAIN,
        RegCeremonyErr::UserNotPresent | RegCeremonyErr::UserNotVerified => UNVERIFIED,
        RegCeremonyErr::CollectedClientData(_) => CLIENT,
        RegCeremonyErr::AttestationSignature => WRONG,
        RegCeremonyErr::PubKey(_) | RegCeremonyErr::PublicKeyAlgorithmMismatch => "its kind of key is not supported",
        _ => "its attestation cannot be read",
    }
}

fn not_signed(error: &AuthCeremonyErr) -> &'static str {
    match error {
        AuthCeremonyErr::OriginMismatch | AuthCeremonyErr::CrossOrigin | AuthCeremonyErr::TopOriginMismatch => {
            OTHER_SITE
        }
        AuthCeremonyErr::RpIdHashMismatch => OTHER_DOMAIN,
        AuthCeremonyErr::UserNotVerified => UNVERIFIED,
        AuthCeremonyErr::CollectedClientData(_) => CLIENT,
        AuthCeremonyErr::AssertionSignature => WRONG,
        AuthCeremonyErr::SignatureCounter => COPIED,
        _ => "its data cannot be read",
    }
}

/// Its count only ever grows.
pub(super) const COPIED: &str = "its count did not grow, so that there may be a copy of it";

/// Reads bytes as each part of what an authenticator sends, for the fuzz target; whether they are such a part.
pub(crate) fn parse_passkey(bytes: &[u8]) -> bool {
    let party = RelyingParty { domain: "localhost".to_owned(), origins: vec!["http://localhost:8080".to_owned()] };
    let client = |kind: &str| {
        let challenge = "AAAAAAAAAAAAAAAAAAAAAA";
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"http://localhost:8080","crossOrigin":false}}"#)
            .into_bytes()
    };
    let made =
        |attestation: Vec<u8>| Made::new(client("webauthn.create"), attestation).verify(&party, [0; LENGTH]).is_ok();
    // A key on its own, inside the data and the attestation that surround it.
    let key = {
        let mut data = sha2::Sha256::digest("localhost").to_vec();
        data.extend([&[0x45, 0, 0, 0, 0][..], &[0; 16], &[0, 16], &[1; 16], bytes].concat());
        // CBOR of authenticators is canonical: a length in as few bytes as it takes.
        let length = match (u8::try_from(data.len()), u16::try_from(data.len())) {
            (Ok(short), _) => vec![0x58, short],
            (_, long) => [&[0x59][..], &long.unwrap_or(u16::MAX).to_be_bytes()].concat(),
        };
        [&b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData"[..], &length, &data].concat()
    };
    let stored = PublicKey::new(Scheme::Ed25519, &[3; 32]);
    let signed = stored.is_some_and(|key| {
        let stored = Stored { id: &[1; 16], key: &key, count: 0 };
        let (data, signature) = bytes.split_at_checked(37).unwrap_or((bytes, &[]));
        let signed = Signed::new(stored.id, client("webauthn.get"), data.to_vec(), signature.to_vec());
        signed.is_some_and(|signed| signed.verify(&party, &stored, [0; LENGTH]).is_ok())
    });
    let read = CollectedClientData::from_client_data_json::<true>(bytes).is_ok()
        || CollectedClientData::from_client_data_json::<false>(bytes).is_ok();
    made(bytes.to_vec()) || made(key) || signed || read
}
