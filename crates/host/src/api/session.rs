//! Signing in and out, and the keys of terminals and devices.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use floor::{AlertKind, Body, CredentialChange, DeviceId, KeyHolder, Post, Sender, StaffId, TerminalId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, COOKIE, Caller, OwnOrigin};
use crate::api::{command, credentials};
use crate::app::App;
use crate::clock;
use crate::door::line::Waits;
use crate::door::places::Place;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::ByeReason;
use crate::hub::Viewer;
use crate::store::{
    Assertion, Holder, KeyRefused, PasswordRefused, PublicKey, Purpose, Scheme, Secret, SessionInfo, Shown,
    SignInRefused, Store, quoted,
};
use crate::view::{Money, PostName};

/// A login with its password, or a passkey.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// The login; a passkey needs none.
    #[serde(default)]
    #[schema(example = "dealer1")]
    pub login: String,
    /// The password.
    #[serde(default)]
    #[schema(format = "password")]
    pub password: Option<String>,
    /// Or the signature of a passkey, asked for with the purpose `sign_in`.
    #[serde(default)]
    pub passkey: Option<Assertion>,
}

/// Who is signed in.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionBody {
    /// The id.
    pub staff: u32,
    /// The name.
    pub name: String,
    /// What the person is employed as.
    pub post: PostName,
    /// What the person is acting as.
    pub acting: Option<PostName>,
    /// When the session ends: milliseconds since 1970.
    pub expires: i64,
    /// A number that can be used for the next command.
    pub next_number: u64,
    /// Whether the password must be changed before anything else: another person chose it.
    pub must_change: bool,
    /// What the person has moved without a second person, since one signed for it or the gaming day began. Past the threshold
    /// a second person signs for all of it (D27). `null` while the person's drawer was not counted yet, because it adds up to
    /// what the drawer should hold.
    pub moved_alone: Option<Money>,
}

/// A new password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The old one.
    #[schema(format = "password")]
    pub old: String,
    /// The new one.
    #[schema(format = "password")]
    pub new: String,
}

/// A one-time code to be made for the key of a terminal or device.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeCode {
    /// The second person: an administrator, or a Pit Manager or above (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// A one-time code for a terminal or device.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CodeBody {
    /// To be typed in at the terminal or device.
    #[schema(example = "K7QF-3MXP")]
    pub code: String,
    /// Until when it can be used.
    pub expires: i64,
}

/// A one-time code, typed in, and the public key that it enrols. The terminal or device makes the pair of keys itself;
/// the other half never leaves it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Enrol {
    /// The code.
    pub code: String,
    /// How the key signs.
    pub scheme: SchemeName,
    /// The public key in base64: 32 bytes of Ed25519, or the 65 of an uncompressed point of P-256.
    pub public_key: String,
}

/// A public key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Sit {
    /// How the key signs.
    pub scheme: SchemeName,
    /// The public key in base64.
    pub public_key: String,
}

/// How a key signs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemeName {
    /// Ed25519.
    Ed25519,
    /// ECDSA with P-256 and SHA-256; signatures have 64 bytes.
    P256,
}

/// What holds a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HolderKind {
    /// A Player Terminal.
    Terminal,
    /// A device.
    Device,
}

/// Who a key was enrolled for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EnrolledBody {
    /// What holds it.
    pub kind: HolderKind,
    /// Which.
    pub id: u32,
}

/// What to prove a key with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NonceBody {
    /// To be used once, soon.
    pub nonce: String,
}

/// The proof of a key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Prove {
    /// What holds it.
    pub kind: HolderKind,
    /// Which.
    pub id: u32,
    /// The challenge.
    pub nonce: String,
    /// The signature of `croupier:{kind}:{id}:{nonce}` with the key, in base64. A key of an earlier version:
    /// HMAC-SHA-256.
    pub proof: String,
}

/// A token to be sent as `Authorization: Bearer`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TokenBody {
    /// The token.
    pub token: String,
    /// Until when it is good.
    pub expires: i64,
    /// A number to use for the next command; each after it is larger.
    pub next_number: u64,
}

/// A person to be employed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddStaff {
    /// The name.
    pub name: String,
    /// The post.
    pub post: PostName,
    /// The login.
    pub login: String,
    /// The first half of the first password; the second person gives the other one (`half`).
    #[schema(format = "password")]
    pub password: String,
    /// The second administrator (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// A person was employed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffAdded {
    /// The record.
    pub accepted: u64,
    /// The id.
    pub staff: u32,
}

impl From<SignInRefused> for ApiError {
    fn from(refused: SignInRefused) -> ApiError {
        match refused {
            SignInRefused::Store(error) => error.into(),
            SignInRefused::LockedOut { until } => {
                let seconds = (until.since(clock::now()) / 1000).max(1).unsigned_abs();
                ApiError::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "locked_out",
                    "S8",
                    format!("too many wrong passwords; try again in {seconds} seconds"),
                    format!("密码错误次数过多，请在 {seconds} 秒后重试"),
                )
                .retry_after(seconds)
            }
            SignInRefused::MustChange => caller::must_change(),
            SignInRefused::Busy => ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "S8",
                refused.to_string(),
                "等待验证的登录请求过多，请稍后重试",
            )
            .retry_after(2),
            SignInRefused::Unknown | SignInRefused::Wrong => ApiError::new(
                StatusCode::UNAUTHORIZED,
                "sign_in",
                "S8",
                "login or password is wrong",
                "用户名或密码错误",
            ),
        }
    }
}

impl From<KeyRefused> for ApiError {
    fn from(refused: KeyRefused) -> ApiError {
        if let KeyRefused::Store(error @ crate::store::Error::Shared(_)) = refused {
            return error.into();
        }
        let status = match refused {
            KeyRefused::TooManyAttempts { .. } => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::FORBIDDEN,
        };
        let error = ApiError::new(status, refused.code(), "S8", refused.to_string(), "终端或设备的密钥未通过验证");
        match refused {
            KeyRefused::TooManyAttempts { until } => {
                error.retry_after((until.since(clock::now()) / 1000).max(1).unsigned_abs())
            }
            _ => error,
        }
    }
}

impl From<PasswordRefused> for ApiError {
    fn from(refused: PasswordRefused) -> ApiError {
        match refused {
            PasswordRefused::Old(refused) => refused.into(),
            PasswordRefused::SignedOut => ApiError::unauthenticated(),
            PasswordRefused::Store(error) => error.into(),
            refused => {
                let words = refused.to_string();
                let chinese = match refused {
                    PasswordRefused::LoginTaken => "此登录名已被他人使用",
                    PasswordRefused::Login => "登录名须为 1 至 64 个字符：小写字母、数字、点、连字符和下划线",
                    _ => "密码不符合要求",
                };
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "password", "S8", words, chinese)
            }
        }
    }
}

fn body_of(app: &App, info: &SessionInfo) -> ApiResult<SessionBody> {
    let staff = info.staff;
    app.read(|floor| {
        let person = floor.person(staff).filter(|person| person.is_active())?;
        let next_number = App::next_number(floor, Sender::Staff(staff));
        Some(SessionBody {
            staff: staff.0,
            name: person.name().to_owned(),
            post: person.post().into(),
            acting: person.acting().map(PostName::from),
            expires: info.expires.0,
            next_number,
            must_change: info.limited,
            moved_alone: (!floor.counts_blind(staff)).then(|| floor.moved_by(staff).since.into()),
        })
    })
    .ok_or_else(|| ApiError::forbidden("this person is not employed here"))
}

/// Signs in.
///
/// # Errors
/// When login or password is wrong, or too many were.
pub async fn sign_in(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    place: Option<Extension<Arc<Place>>>,
    own: OwnOrigin,
    body: Bytes,
) -> ApiResult<Response> {
    let SignIn { login, password, passkey } = command::read(&body)?;
    let secret = match (password, passkey) {
        (Some(password), None) => Secret::Password(password),
        (None, Some(assertion)) => {
            Secret::Passkey(Box::new(assertion), credentials::party(&app, &own), Purpose::SignIn)
        }
        _ => return Err(ApiError::invalid("password", "give the password or the passkey")),
    };
    let place = place.map(|Extension(place)| place);
    let waits = match secret {
        Secret::Passkey(..) => Waits::Passkey(from.ip()),
        Secret::Password(_) if place.as_ref().is_some_and(|place| place.is_of_staff()) => Waits::Known(from.ip()),
        Secret::Password(_) => Waits::Stranger(from.ip()),
    };
    let name = login.clone();
    let signed = app.check(waits, move |store| store.sign_in_with(&login, &secret, from.ip(), clock::now()));
    let session = match signed.await {
        Ok(session) => session,
        Err(refused @ SignInRefused::Store(_)) => return Err(refused.into()),
        Err(refused) => {
            let words = format!("Sign-in of {} from {} was refused: {refused}", quoted(&name), from.ip());
            let alarming = matches!(refused, SignInRefused::LockedOut { .. } | SignInRefused::Busy);
            app.refused(from.ip(), Some(&name), &words, alarming);
            return Err(refused.into());
        }
    };
    let Ok(answer) = body_of(&app, &session.info) else {
        // A person who has left is told what a wrong password is told, and is on record like every refused attempt.
        let token = session.token.text().to_owned();
        app.change_credentials(move |store| store.sign_out(&token)).await??;
        let words = format!("Sign-in of {} from {} was refused: not employed here", quoted(&name), from.ip());
        app.refused(from.ip(), Some(&name), &words, true);
        return Err(SignInRefused::Wrong.into());
    };
    place.iter().for_each(|place| place.is_staff());
    app.significant(format!("{} signed in from {}", answer.name, from.ip()), false);
    // The host knows when it was used last; the cookie stays as long as the session can.
    let life = (session.info.latest.since(clock::now()) / 1000).max(0);
    let secure = if app.config.tls.is_some() { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}{secure}", session.token.text());
    Ok(([(header::SET_COOKIE, cookie)], Json(answer)).into_response())
}

/// Who is signed in.
///
/// # Errors
/// When no one is.
pub async fn who(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Json<SessionBody>> {
    caller.staff()?;
    let info = app.store.session(&caller.token, clock::now()).map_err(ApiError::internal)?;
    let info = info.ok_or_else(ApiError::unauthenticated)?;
    body_of(&app, &info).map(Json)
}

/// Signs out.
///
/// # Errors
/// When no one is signed in.
pub async fn sign_out(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Response> {
    let staff = caller.staff()?;
    app.change_credentials(move |store| store.sign_out(&caller.token)).await??;
    app.hub.sessions_ended();
    app.significant(format!("{} signed out", app.name_of(staff)), false);
    let cookie = format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Changes the password of the person who is signed in.
///
/// # Errors
/// When the old one is wrong or the new one will not do.
pub async fn change_password(State(app): State<Arc<App>>, caller: Caller, body: Bytes) -> ApiResult<StatusCode> {
    let staff = caller.staff()?;
    let NewPassword { old, new } = command::read(&body)?;
    let address = caller.address;
    let changed = app
        .check(Waits::SignedIn(staff), move |store| store.change_password(&caller.token, &old, &new, clock::now()))
        .await;
    if let Err(PasswordRefused::Old(refused)) = &changed {
        let words = format!("A change of password of {} from {address} was refused: {refused}", app.name_of(staff));
        app.refused(address, None, &words, false);
    }
    changed?;
    // The person's other sessions have ended, and their feeds with them.
    app.hub.sessions_ended();
    let what = CredentialChange::PasswordChanged;
    credentials::own(&app, Body::ChangeCredential { staff, what, by: Some(staff), second: None }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Employs a person with a login.
///
/// # Errors
/// When who asks is no administrator, or the login or password will not do.
pub async fn add_staff(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<StaffAdded>> {
    let number = command::number(&headers)?;
    let caller = caller.asks(&body);
    let AddStaff { name, post, login, password, witness } = command::read(&body)?;
    let _one_at_a_time = app.hiring.lock().await;
    let known = app.read(|floor| floor.staff().len());
    let retry = app.read(|floor| floor.has_answered(caller.sender, number));
    let password = credentials::joined(password, witness.as_ref())?;
    if !retry {
        // Checked before the person is employed, so that no one is left without a login.
        app.store.fits(None, &login, &password)?;
    }
    let add = |witness| Body::AddStaff { name: name.clone(), post: post.into(), witness };
    let witness = command::signed(&app, &caller, number, witness.as_ref(), add).await?;
    let add = add(witness);
    let accepted = app.submit(caller.sender, number, add).await?;
    let added = app.read(|floor| floor.staff().get(known).map(floor::Staff::id));
    if let Some(staff) = added {
        // The person who confirmed the account has signed for it above (D27).
        let (what, by) = (CredentialChange::Created, Some(caller.staff()?));
        credentials::own(&app, Body::ChangeCredential { staff, what, by, second: witness }).await?;
    }
    let set = app.change_credentials(move |store| match added {
        Some(staff) => store.reset_password(staff, &login, &password).map(|()| Some(staff)),
        // A retry: the person with this login was employed with it; no one else is changed.
        None => Ok(store.who_has(&login)?),
    });
    let staff = set.await??;
    let staff = staff.ok_or_else(|| ApiError::not_found("such person"))?;
    Ok(Json(StaffAdded { accepted, staff: staff.0 }))
}

fn holder(app: &App, kind: HolderKind, id: u32) -> ApiResult<Holder> {
    let found = app.read(|floor| match kind {
        HolderKind::Terminal => floor.terminal(TerminalId(id)).map(|_| Holder::Terminal(TerminalId(id))),
        HolderKind::Device => {
            let id = DeviceId(u16::try_from(id).ok()?);
            floor.device(id).map(|_| Holder::Device(id))
        }
    });
    found.ok_or_else(|| ApiError::not_found("such terminal or device"))
}

/// The administrator who asks.
///
/// # Errors
/// When who asks is none.
pub fn administrator(app: &App, caller: &Caller) -> ApiResult<StaffId> {
    let staff = caller.staff()?;
    if app.read(|floor| caller::serves(floor, staff, |post| post == Post::Administrator)) {
        Ok(staff)
    } else {
        Err(ApiError::forbidden("only an administrator may do this"))
    }
}

/// The administrator or technician who asks (D30).
///
/// # Errors
/// When who asks is neither.
pub fn technician(app: &App, caller: &Caller) -> ApiResult<StaffId> {
    let staff = caller.staff()?;
    if app.read(|floor| caller::serves(floor, staff, |post| matches!(post, Post::Administrator | Post::Technician))) {
        Ok(staff)
    } else {
        Err(ApiError::forbidden("only an administrator or a technician may do this"))
    }
}

/// Two people make a code (D27); who they are is recorded before it is made.
async fn make_code(
    app: &Arc<App>,
    caller: &Caller,
    kind: HolderKind,
    id: u32,
    body: &Bytes,
) -> ApiResult<Json<CodeBody>> {
    let by = technician(app, caller)?;
    let caller = &caller.clone().asks(body);
    let MakeCode { witness } = command::read(body)?;
    let holder = holder(app, kind, id)?;
    let second = command::candidate(app, witness.as_ref())?;
    let key = match holder {
        Holder::Terminal(id) => KeyHolder::Terminal(id),
        Holder::Device(id) => KeyHolder::Device(id),
    };
    let issue = Body::IssueCode { holder: key, by, second };
    let permitted = credentials::may(app, &issue, witness.is_some() && second.is_none());
    command::or_spend(permitted, app, caller, witness.as_ref()).await?;
    if let Some(witness) = &witness
        && Some(command::verify(app, witness, caller).await?) != second
    {
        return Err(ApiError::forbidden("the second person is not known"));
    }
    credentials::own(app, issue).await?;
    let code = app.change_credentials(move |store| store.make_code(holder, clock::now())).await??;
    Ok(Json(CodeBody { code: code.text().to_owned(), expires: code.expires.0 }))
}

/// Makes a one-time code for a terminal.
///
/// # Errors
/// When those who ask are not an administrator and a second person, or there is a player's money at the terminal.
pub async fn terminal_code(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<Json<CodeBody>> {
    make_code(&app, &caller, HolderKind::Terminal, id, &body).await
}

/// Makes a one-time code for a device.
///
/// # Errors
/// As for a terminal.
pub async fn device_code(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<Json<CodeBody>> {
    make_code(&app, &caller, HolderKind::Device, id, &body).await
}

async fn revoke(app: &Arc<App>, caller: &Caller, kind: HolderKind, id: u32) -> ApiResult<StatusCode> {
    let staff = administrator(app, caller)?;
    let holder = holder(app, kind, id)?;
    app.change_credentials(move |store| store.revoke(holder)).await??;
    end_links(app, holder);
    let words = format!("{} revoked the key of {} {id}", app.name_of(staff), holder.kind());
    let money = kind == HolderKind::Terminal && app.read(|floor| held_at(floor, TerminalId(id)));
    // What cannot report or play any more is seen at the pit, with who did it (D19, D27).
    app.significant(words.clone(), true);
    // The terminal can pay nothing any more: the pit does, by hand (D25).
    if money {
        let what = AlertKind::Host(format!("{words}, and a player has money there: pay it by hand"));
        let table = app.read(|floor| floor.terminal(TerminalId(id)).map(floor::Terminal::table));
        if let Err(refused) = app.own_unanswered(Body::RaiseAlert { table, what }) {
            tracing::error!(%refused, "an alert could not be raised");
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Whether a player has money at a terminal: credit, bets or a ticket in doubt.
fn held_at(floor: &floor::Floor, terminal: TerminalId) -> bool {
    floor.terminal(terminal).is_some_and(|terminal| terminal.visit().is_some())
}

/// Revokes the key of a terminal.
///
/// # Errors
/// When who asks is no administrator.
pub async fn revoke_terminal(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    revoke(&app, &caller, HolderKind::Terminal, id).await
}

/// Revokes the key of a device.
///
/// # Errors
/// When who asks is no administrator.
pub async fn revoke_device(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    revoke(&app, &caller, HolderKind::Device, id).await
}

/// Ends the sessions of a person.
///
/// # Errors
/// When who asks is no administrator.
pub async fn end_sessions(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    let by = administrator(&app, &caller)?;
    let staff = StaffId(id);
    app.end_sessions(staff).await?;
    // Who keeps others from working is named at the pit (D27).
    let words = format!("{} ended the sessions of {}", app.name_of(by), app.name_of(staff));
    app.significant(words, by != staff);
    Ok(StatusCode::NO_CONTENT)
}

fn enrolled(holder: Holder) -> EnrolledBody {
    let kind = match holder {
        Holder::Terminal(_) => HolderKind::Terminal,
        Holder::Device(_) => HolderKind::Device,
    };
    EnrolledBody { kind, id: holder.id() }
}

fn public_key(scheme: SchemeName, text: &str) -> ApiResult<PublicKey> {
    let scheme = match scheme {
        SchemeName::Ed25519 => Scheme::Ed25519,
        SchemeName::P256 => Scheme::P256,
    };
    PublicKey::parse(scheme, text).ok_or_else(|| {
        ApiError::invalid(
            "public_key",
            "base64 of 32 bytes of Ed25519, or of the 65 of an uncompressed point of P-256, that is a sound key",
        )
    })
}

/// Enrols the public key of a terminal or device by its one-time code.
///
/// # Errors
/// When the code is not good, or a certificate is missing.
pub async fn enrol(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    certificate: Shown,
    body: Bytes,
) -> ApiResult<Json<EnrolledBody>> {
    let Enrol { code, scheme, public_key: key } = command::read(&body)?;
    let key = public_key(scheme, &key)?;
    let enrol = move |store: &Store| store.enrol(&code, &key, certificate, from.ip(), clock::now());
    match app.change_credentials(enrol).await? {
        Ok(holder) => {
            end_links(&app, holder);
            let pinned = if certificate.asked { ", pinned to its certificate" } else { "" };
            app.significant(format!("{holder} enrolled its key from {}{pinned}", from.ip()), false);
            Ok(Json(enrolled(holder)))
        }
        Err(refused @ KeyRefused::Store(_)) => Err(refused.into()),
        Err(refused) => {
            let words = format!("An enrolment from {} was refused: {refused}", from.ip());
            app.refused(from.ip(), None, &words, true);
            Err(refused.into())
        }
    }
}

/// Ends the feeds of a terminal or device: its key is another, or gone.
fn end_links(app: &App, holder: Holder) {
    app.links.settle(holder);
    app.hub.end_where(ByeReason::Revoked, |viewer| match (viewer, holder) {
        (Viewer::Terminal(found), Holder::Terminal(id)) => *found == id,
        (Viewer::Device(found), Holder::Device(id)) => *found == id,
        _ => false,
    });
}

/// Something to prove a key with.
///
/// # Errors
/// When the store fails.
pub async fn challenge(State(app): State<Arc<App>>) -> ApiResult<Json<NonceBody>> {
    let nonce = app.store.nonce(clock::now()).map_err(ApiError::internal)?;
    Ok(Json(NonceBody { nonce: nonce.text().to_owned() }))
}

/// Proves a key and gets a token for it.
///
/// # Errors
/// When the proof is not good.
pub async fn prove(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    certificate: Shown,
    body: Bytes,
) -> ApiResult<Json<TokenBody>> {
    let Prove { kind, id, nonce, proof } = command::read(&body)?;
    let holder = holder(&app, kind, id)?;
    let proved = app.store.prove_for_token(holder, &nonce, &proof, certificate, clock::now());
    let (token, expires) = proved.inspect_err(|refused| {
        let words = format!("The key of {holder} was not proved from {}: {refused}", from.ip());
        app.refused(from.ip(), None, &words, true);
    })?;
    let sender = match holder {
        Holder::Terminal(id) => Sender::Terminal(id),
        Holder::Device(id) => Sender::Device(id),
    };
    let next_number = app.read(|floor| App::next_number(floor, sender));
    Ok(Json(TokenBody { token: token.text().to_owned(), expires: expires.0, next_number }))
}

/// Enrols the key of a visitor at a free terminal of a demonstration.
///
/// # Errors
/// Where there is no demonstration, the terminal is not free, or another visitor sits there.
pub async fn sit(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    body: Bytes,
) -> ApiResult<Json<EnrolledBody>> {
    let id = TerminalId(id);
    let demonstration = app.demonstration.as_ref().ok_or_else(|| ApiError::not_found("demonstration here"))?;
    if !demonstration.is_free(id) {
        return Err(ApiError::not_found("such free terminal"));
    }
    let Sit { scheme, public_key: key } = command::read(&body)?;
    let (holder, key) = (Holder::Terminal(id), public_key(scheme, &key)?);
    // A visitor whose page answers keeps the seat and its credit. A page that comes back has the key, or has gone before.
    if let Some(link) = app.hub.link_of(holder)
        && !app.store.is_key_of(holder, &key).map_err(ApiError::internal)?
        && link.responds().await
    {
        let en = "another visitor plays at this terminal; choose another";
        return Err(ApiError::new(
            StatusCode::CONFLICT,
            "seat_taken",
            "the demonstration",
            en,
            "此终端已有其他访客使用，请另选一个",
        ));
    }
    app.change_credentials(move |store| store.give_key(holder, &key, clock::now())).await??;
    end_links(&app, holder);
    Ok(Json(enrolled(holder)))
}
