//! Credentials of people: passwords set by others, delays lifted, passkeys added and removed. Every act is recorded
//! before it is carried out (D27).

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use floor::{Body, Code, CredentialChange, Post, Sender, StaffId};
use rulebook::Rank;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, Caller, OwnOrigin};
use crate::api::command::{self, Witness};
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::ByeReason;
use crate::store::{Assertion, Passkey, PasskeyRefused, Purpose, Registration, RelyingParty, Secret, SignInRefused};

/// A login and password for a person who is employed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPassword {
    /// The login.
    pub login: String,
    /// The first half of the password; the second person gives the other one (`half`), so that neither can sign in with it.
    /// Its owner signs in with both, one after the other, and must change it before anything else. Where a sealed code stands
    /// for the second person, it is the whole password.
    #[schema(format = "password")]
    pub password: String,
    /// The second person (D27): an administrator, or a Pit Manager or above.
    #[serde(default)]
    pub witness: Option<Witness>,
}

/// Removes a passkey.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovePasskey {
    /// The second person (D27): an administrator, or a Pit Manager or above.
    #[serde(default)]
    pub witness: Option<Witness>,
}

/// What a challenge is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChallengeFor {
    /// To sign in.
    SignIn,
    /// To sign as the second person of one request of the person who is signed in.
    Second,
    /// To add a passkey for the person who is signed in.
    Add,
}

/// Asks for something that a passkey signs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskChallenge {
    /// What for.
    pub purpose: ChallengeFor,
    /// For the purpose `second`, the request that is signed: the SHA-256, in 64 hexadecimal digits, of the method, a blank, the
    /// path, a line feed, and the body as JSON without blanks, with the keys of all objects in order, without `existing` and
    /// without `password` and `passkey` of the `witness`. The signature is good for this request alone, once, also when it is
    /// refused.
    #[serde(default)]
    pub about: Option<String>,
}

/// What a passkey signs, with what a browser needs to ask it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChallengeBody {
    /// To be signed once, soon: base64 as in URLs.
    pub challenge: String,
    /// The domain that passkeys of this floor are good for.
    pub domain: String,
    /// Passkeys that the person has, so that none is added twice.
    pub known: Vec<String>,
    /// The person's id for the authenticator: base64 as in URLs.
    pub user: Option<String>,
    /// The person's login.
    pub login: Option<String>,
}

/// A passkey to be added for the person who is signed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddPasskey {
    /// What the person calls it.
    #[schema(example = "my phone")]
    pub name: String,
    /// The person's password.
    #[schema(format = "password")]
    pub password: String,
    /// What the browser made.
    pub registration: Registration,
    /// The signature of a passkey that the person has already, asked for with the purpose `second`.
    #[serde(default)]
    pub existing: Option<Assertion>,
    /// Where the person has passkeys and none at hand: the second person.
    #[serde(default)]
    pub witness: Option<Witness>,
}

/// A passkey.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PasskeyBody {
    /// Its id.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// Since when.
    pub made: i64,
}

/// What a person signs in with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CredentialsBody {
    /// Who.
    pub staff: u32,
    /// The login.
    pub login: String,
    /// Whether the password must be changed by its owner first.
    pub must_change: bool,
    /// The passkeys.
    pub passkeys: Vec<PasskeyBody>,
    /// Where the login must wait after wrong passwords.
    pub waits: Vec<WaitBody>,
}

/// Where a login must wait.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WaitBody {
    /// The address.
    pub address: String,
    /// Until when.
    pub until: i64,
}

impl From<Passkey> for PasskeyBody {
    fn from(passkey: Passkey) -> PasskeyBody {
        PasskeyBody { id: passkey.id, name: passkey.name, made: passkey.made.0 }
    }
}

impl From<PasskeyRefused> for ApiError {
    fn from(refused: PasskeyRefused) -> ApiError {
        match refused {
            PasskeyRefused::Store(error) => error.into(),
            refused => {
                let words = refused.to_string();
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "passkey", "S8", words, "此通行密钥无法使用")
            }
        }
    }
}

/// Records a change of credentials, if the two people are permitted to make it. The permission is checked before the
/// second person's password.
///
/// # Errors
/// When they may not, or it cannot be recorded.
pub async fn record(
    app: &Arc<App>,
    caller: &Caller,
    staff: StaffId,
    what: CredentialChange,
    witness: Option<&Witness>,
) -> ApiResult<()> {
    let by = Some(caller.staff()?);
    let second = command::candidate(app, witness)?;
    let body = Body::ChangeCredential { staff, what, by, second };
    let permitted = may(app, &body, witness.is_some() && second.is_none());
    command::or_spend(permitted, app, caller, witness).await?;
    if let Some(witness) = witness {
        let signed = command::verify(app, witness, caller).await?;
        if Some(signed) != second {
            return Err(ApiError::forbidden("the second person is not known"));
        }
    }
    own(app, body).await
}

/// Whether the two people are permitted to make a change; an unknown second person is found with the password.
///
/// # Errors
/// Why they may not.
pub fn may(app: &App, body: &Body, unknown: bool) -> ApiResult<()> {
    match app.read(|floor| floor.may(Sender::System, body, clock::now())) {
        Err(refusal) if refusal.code == Code::SecondPerson && unknown => Ok(()),
        // They may: that it cannot be recorded as an event of its own comes last.
        Err(refusal) if refusal.code == Code::FeatureLevel => Ok(()),
        may => Ok(may?),
    }
}

/// Records a change of credentials: on a floor whose hosts do not all know the event, in words.
///
/// # Errors
/// When it is refused.
pub async fn own(app: &App, body: Body) -> ApiResult<()> {
    let words = match body {
        Body::ChangeCredential { staff, what, by, second } => {
            let name = |id: Option<StaffId>| id.map_or_else(|| "no one".to_owned(), |id| app.name_of(id));
            let (by, second) = (name(by), name(second));
            format!("Credentials of {}: {} by {by}, confirmed by {second}", app.name_of(staff), what.as_str())
        }
        Body::IssueCode { holder, by, second } => {
            let second = second.map_or_else(|| "no one".to_owned(), |id| app.name_of(id));
            format!("Code for a key of {holder:?}: made by {}, confirmed by {second}", app.name_of(by))
        }
        Body::ChangeHostKey { ref host, key, by, second, .. } => {
            let second = second.map_or_else(|| "no one".to_owned(), |id| app.name_of(id));
            let key = key.map_or_else(|| "revoked".to_owned(), |key| format!("now {key}"));
            format!("Key of host {host}: {key}, by {}, confirmed by {second}", app.name_of(by))
        }
        _ => return Err(ApiError::internal("no change of credentials")),
    };
    match app.own(body).await {
        Err(refused) if refused.error.code == Code::FeatureLevel.as_str() => {
            app.own(Body::Note { words }).await.map(drop)
        }
        recorded => recorded.map(drop),
    }
}

/// The password that two people give to a third: each chooses one half, so that neither can sign in as its owner, not even
/// before the owner's first sign-in (D27). Where a sealed code stands for the second person there is one half; that is
/// recorded and alerted.
///
/// # Errors
/// When a half is missing or too short.
pub fn joined(first: String, witness: Option<&Witness>) -> ApiResult<String> {
    let Some(witness) = witness else { return Ok(first) };
    let second = witness.half.as_deref().unwrap_or_default();
    if [first.as_str(), second].iter().any(|half| half.chars().count() < HALF) {
        return Err(ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "half",
            "D27",
            format!("each of the two people chooses one half of the password, of at least {HALF} characters"),
            "两位人员须各自设定密码的一半，每一半至少 8 个字符",
        ));
    }
    if first == second {
        let words = "the two halves are the same: each of the two people chooses their own";
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "half", "D27", words, "两半密码相同：须各自设定"));
    }
    Ok(format!("{first}{second}"))
}

/// The least characters of a half: one that the other person could not guess.
const HALF: usize = 8;

/// Gives a person another login or password; open sessions end, and its owner must change it first.
///
/// # Errors
/// When two people who may do not ask for it, or they will not do.
pub async fn set_password(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    caller.staff()?;
    let staff = StaffId(id);
    let caller = caller.asks(&body);
    let SetPassword { login, password, witness } = command::read(&body)?;
    app.read(|floor| floor.person(staff).map(drop)).ok_or_else(|| ApiError::not_found("such person"))?;
    let what = match app.store.has_password(staff).map_err(ApiError::from)? {
        true => CredentialChange::PasswordReset,
        false => CredentialChange::Created,
    };
    // Refused without two people, before the password is looked at.
    let asks = Body::ChangeCredential { staff, what, by: Some(caller.staff()?), second: None };
    may(&app, &asks, witness.is_some())?;
    let password = joined(password, witness.as_ref())?;
    app.store.fits(Some(staff), &login, &password)?;
    record(&app, &caller, staff, what, witness.as_ref()).await?;
    app.change_credentials(move |store| store.reset_password(staff, &login, &password)).await??;
    app.hub.end_feeds_of(staff, ByeReason::Revoked);
    Ok(StatusCode::NO_CONTENT)
}

/// Lifts the waits after wrong passwords.
///
/// # Errors
/// When neither an administrator nor a Pit Manager or above asks.
pub async fn unlock(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    let (staff, by) = (StaffId(id), caller.staff()?);
    may(&app, &Body::ChangeCredential { staff, what: CredentialChange::Unlocked, by: Some(by), second: None }, false)?;
    if staff == by {
        let (words, zh) = ("another person lifts your own waits", "本人的等待须由他人解除");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "second_person", "D27", words, zh));
    }
    // Who guesses would otherwise have as many attempts as they like.
    if app.store.failed_with(staff, by, clock::now()).map_err(ApiError::from)? {
        let words = "signatures of this person failed in your own session: another person lifts the wait";
        let zh = "该人员的签署是在您本人的会话中失败的：须由他人解除等待";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "second_person", "D27", words, zh));
    }
    record(&app, &caller, staff, CredentialChange::Unlocked, None).await?;
    app.change_credentials(move |store| store.unlock(staff)).await??;
    Ok(StatusCode::NO_CONTENT)
}

/// What each person signs in with, without secrets.
///
/// # Errors
/// When who asks is no administrator, auditor, or Pit Manager or above.
pub async fn all(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Json<Vec<CredentialsBody>>> {
    let staff = caller.staff()?;
    let fits = |post: Post| match post {
        Post::Administrator | Post::Auditor => true,
        Post::Pit(rank) => rank >= Rank::PitManager,
        Post::Cashier | Post::Technician => false,
    };
    if !app.read(|floor| caller::serves(floor, staff, fits)) {
        return Err(ApiError::forbidden("only an administrator, an auditor or a Pit Manager may see this"));
    }
    let all = app.store.credentials(clock::now()).map_err(ApiError::from)?;
    let view = |one: crate::store::Credentials| CredentialsBody {
        staff: one.staff.0,
        login: one.login,
        must_change: one.must_change,
        passkeys: one.passkeys.into_iter().map(PasskeyBody::from).collect(),
        waits: one.waits.into_iter().map(|(address, until)| WaitBody { address, until: until.0 }).collect(),
    };
    Ok(Json(all.into_iter().map(view).collect()))
}

/// The pages where passkeys of this floor are valid: those of its hosts, those in the settings, the domain itself, and
/// on loopback the host's own. A page of another name or port in the domain does not belong to the floor.
#[must_use]
pub fn party(app: &App, own: &OwnOrigin) -> RelyingParty {
    let domain = app.config.domain.clone().unwrap_or_else(|| LOCALHOST.to_owned());
    let mut origins = app.origins();
    if domain != LOCALHOST {
        let port = app.config.listen.port();
        origins.extend([format!("https://{domain}"), format!("https://{domain}:{port}")]);
    }
    origins.extend(own.0.clone());
    RelyingParty { domain, origins }
}

/// The domain where the settings name none.
const LOCALHOST: &str = "localhost";

/// Something for a passkey to sign.
///
/// # Errors
/// When it is for a person who is not signed in.
pub async fn challenge(
    State(app): State<Arc<App>>,
    caller: Option<Caller>,
    own: OwnOrigin,
    body: Bytes,
) -> ApiResult<Json<ChallengeBody>> {
    let AskChallenge { purpose, about } = command::read(&body)?;
    let staff = || caller.as_ref().ok_or_else(ApiError::unauthenticated).and_then(Caller::staff);
    let domain = party(&app, &own).domain;
    let ask = |purpose| app.store.challenge(purpose, clock::now()).map_err(ApiError::from);
    let mut answer = ChallengeBody { challenge: String::new(), domain, known: Vec::new(), user: None, login: None };
    match purpose {
        ChallengeFor::SignIn => answer.challenge = ask(Purpose::SignIn)?,
        ChallengeFor::Second => answer.challenge = ask(Purpose::Second(staff()?, subject(about.as_deref())?))?,
        ChallengeFor::Add => {
            use base64::Engine as _;
            let staff = staff()?;
            answer.challenge = ask(Purpose::Add(staff))?;
            let known = app.store.passkeys(staff).map_err(ApiError::from)?;
            answer.known = known.into_iter().map(|passkey| passkey.id).collect();
            let user = format!("croupier:{}:{}", app.name, staff.0);
            answer.user = Some(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(user));
            answer.login = app.store.login_of(staff).map_err(ApiError::from)?;
        }
    }
    Ok(Json(answer))
}

/// The hash of the request that a second person signs.
fn subject(about: Option<&str>) -> ApiResult<[u8; 32]> {
    let bytes = about.and_then(rulebook::hex::parse);
    bytes.ok_or_else(|| {
        ApiError::invalid("about", "name the request that is signed: its SHA-256 in 64 hexadecimal digits")
    })
}

/// The passkeys of the person who is signed in.
///
/// # Errors
/// When the store fails.
pub async fn own_passkeys(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Json<Vec<PasskeyBody>>> {
    let passkeys = app.store.passkeys(caller.staff()?).map_err(ApiError::from)?;
    Ok(Json(passkeys.into_iter().map(PasskeyBody::from).collect()))
}

/// Adds a passkey for the person who is signed in. A further one is confirmed by an existing passkey of the person, or
/// by a second person where that is lost.
///
/// # Errors
/// When the password is wrong, a second person is needed, or the passkey cannot be used.
pub async fn add_passkey(State(app): State<Arc<App>>, caller: Caller, body: Bytes) -> ApiResult<Json<PasskeyBody>> {
    let staff = caller.staff()?;
    let caller = caller.asks(&body);
    let AddPasskey { name, password, registration, existing, witness } = command::read(&body)?;
    let login = app.store.login_of(staff).map_err(ApiError::from)?.ok_or_else(ApiError::unauthenticated)?;
    confirms(&app, &caller, &login, Secret::Password(password)).await?;
    let has_one = !app.store.passkeys(staff).map_err(ApiError::from)?.is_empty();
    match existing {
        Some(existing) if has_one => {
            let purpose = Purpose::Second(staff, caller.about());
            let secret = Secret::Passkey(Box::new(existing), party(&app, &caller.own), purpose);
            confirms(&app, &caller, &login, secret).await?;
        }
        _ if has_one && witness.is_none() => {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "second_person",
                "D27",
                "sign with a passkey that you have, or let a second person confirm that it is lost",
                "请用已有的通行密钥确认，或由第二位人员确认其已遗失",
            ));
        }
        _ => {}
    }
    record(&app, &caller, staff, CredentialChange::PasskeyAdded, witness.as_ref()).await?;
    let party = party(&app, &caller.own);
    let added = app
        .change_credentials(move |store| store.add_passkey(staff, &name, &registration, &party, clock::now()))
        .await??;
    Ok(Json(added.into()))
}

/// Whether a signed-in person gives the right password or passkey; a wrong one is recorded.
async fn confirms(app: &Arc<App>, caller: &Caller, login: &str, secret: Secret) -> ApiResult<()> {
    let signed = command::sign(app, caller, login, secret).await;
    signed.map(drop).map_err(|refused| {
        if !matches!(refused, SignInRefused::Store(_)) {
            let (who, from) = (app.name_of_sender(caller.sender), caller.address);
            let words = format!("A new passkey of {who}, from {from}, was refused: {refused}");
            app.refused(from, Some(login), &words, true);
        }
        refused.into()
    })
}

/// Removes a passkey of a person; the person's sessions end.
///
/// # Errors
/// When two people who may do not ask for it, or there is none such.
pub async fn remove_passkey(
    State(app): State<Arc<App>>,
    Path((_, id, passkey)): Path<(String, u32, String)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let staff = StaffId(id);
    let caller = caller.asks(&body);
    let RemovePasskey { witness } = command::read(&body)?;
    let known = app.store.passkeys(staff).map_err(ApiError::from)?;
    if !known.iter().any(|known| known.id == passkey) {
        return Err(ApiError::not_found("such passkey"));
    }
    record(&app, &caller, staff, CredentialChange::PasskeyRemoved, witness.as_ref()).await?;
    app.change_credentials(move |store| store.remove_passkey(staff, &passkey)).await??;
    app.end_sessions(staff).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Approves a link with a key that is in use at another place.
///
/// # Errors
/// When who asks is no Pit Supervisor or above, or no such link waits.
pub async fn approve_link(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u64)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    decide_link(&app, &caller, id, true)
}

/// Refuses it: the link ends.
///
/// # Errors
/// As [`approve_link`].
pub async fn refuse_link(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u64)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    decide_link(&app, &caller, id, false)
}

fn decide_link(app: &Arc<App>, caller: &Caller, id: u64, approved: bool) -> ApiResult<StatusCode> {
    let staff = caller.staff()?;
    let supervises = |post: Post| matches!(post, Post::Pit(rank) if rank >= Rank::PitSupervisor);
    if !app.read(|floor| caller::serves(floor, staff, supervises)) {
        return Err(ApiError::forbidden("only a Pit Supervisor or above may do this"));
    }
    app.decide_link(id, approved, &app.name_of(staff))?;
    Ok(StatusCode::NO_CONTENT)
}
