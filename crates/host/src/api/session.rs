//! Signing in and out, and the keys of terminals and devices.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use floor::{Body, DeviceId, Post, Sender, StaffId, TerminalId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, COOKIE, Caller};
use crate::api::command;
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::feed::message::ByeReason;
use crate::hub::Viewer;
use crate::store::{Holder, KeyRefused, PasswordRefused, SignInRefused};
use crate::view::PostName;

/// A login and its password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// The login.
    #[schema(example = "dealer1")]
    pub login: String,
    /// The password.
    #[schema(format = "password")]
    pub password: String,
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

/// A one-time code for a terminal or device.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CodeBody {
    /// To be typed in at the terminal or device.
    #[schema(example = "K7QF-3MXP")]
    pub code: String,
    /// Until when it can be used.
    pub expires: i64,
}

/// A one-time code, typed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Enrol {
    /// The code.
    pub code: String,
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

/// A key of one's own. It is shown once.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KeyBody {
    /// What holds it.
    pub kind: HolderKind,
    /// Which.
    pub id: u32,
    /// The key, in base64.
    pub key: String,
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
    /// HMAC-SHA-256 of `croupier:{kind}:{id}:{nonce}` with the key, in base64.
    pub proof: String,
}

/// A token to be sent as `Authorization: Bearer`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TokenBody {
    /// The token.
    pub token: String,
    /// Until when it is good.
    pub expires: i64,
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
    /// The first password.
    #[schema(format = "password")]
    pub password: String,
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
            _ => ApiError::new(
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
        ApiError::new(StatusCode::FORBIDDEN, refused.code(), "S8", refused.to_string(), "终端或设备的密钥未通过验证")
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
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "password", "S8", words, "密码不符合要求")
            }
        }
    }
}

fn body_of(app: &App, staff: StaffId, expires: i64) -> ApiResult<SessionBody> {
    app.read(|floor| {
        let person = floor.person(staff).filter(|person| person.is_active())?;
        let last = floor.last_number(Sender::Staff(staff)).unwrap_or(0);
        let next_number = (last + 1).max(clock::now().0.unsigned_abs().saturating_mul(1000));
        Some(SessionBody {
            staff: staff.0,
            name: person.name().to_owned(),
            post: person.post().into(),
            acting: person.acting().map(PostName::from),
            expires,
            next_number,
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
    body: Bytes,
) -> ApiResult<Response> {
    let SignIn { login, password } = command::read(&body)?;
    let name = login.clone();
    let signed = app.change_credentials(move |store| store.sign_in(&login, &password, from.ip(), clock::now()));
    let session = match signed.await? {
        Ok(session) => session,
        Err(refused) => {
            tracing::warn!(login = name, from = %from.ip(), %refused, "a sign-in was refused");
            let name: String = name.chars().take(40).collect();
            app.significant(
                format!("Sign-in of '{name}' from {} was refused: {refused}", from.ip()),
                matches!(refused, SignInRefused::LockedOut { .. }),
            );
            return Err(refused.into());
        }
    };
    let staff = session.info.staff;
    let answer = body_of(&app, staff, session.info.expires.0)?;
    app.significant(format!("{} signed in from {}", answer.name, from.ip()), false);
    let life = (session.info.expires.since(clock::now()) / 1000).max(0);
    let secure = if app.config.tls.is_some() { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}{secure}", session.token.text());
    Ok(([(header::SET_COOKIE, cookie)], Json(answer)).into_response())
}

/// Who is signed in.
///
/// # Errors
/// When nobody is.
pub async fn who(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Json<SessionBody>> {
    let staff = caller.staff()?;
    let info = app.store.session(&caller.token, clock::now()).map_err(ApiError::internal)?;
    let info = info.ok_or_else(ApiError::unauthenticated)?;
    body_of(&app, staff, info.expires.0).map(Json)
}

/// Signs out.
///
/// # Errors
/// When nobody is signed in.
pub async fn sign_out(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Response> {
    let staff = caller.staff()?;
    app.change_credentials(move |store| store.sign_out(&caller.token)).await??;
    app.significant(format!("{} signed out", app.name_of(staff)), false);
    let cookie = format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Changes the own password.
///
/// # Errors
/// When the old one is wrong or the new one will not do.
pub async fn change_password(State(app): State<Arc<App>>, caller: Caller, body: Bytes) -> ApiResult<StatusCode> {
    let staff = caller.staff()?;
    let NewPassword { old, new } = command::read(&body)?;
    let changed = app.change_credentials(move |store| {
        store.change_password(&caller.token, &old, &new, caller.address, clock::now())
    });
    changed.await??;
    app.significant(format!("{} changed the own password", app.name_of(staff)), false);
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
    let AddStaff { name, post, login, password } = command::read(&body)?;
    let _one_at_a_time = app.hiring.lock().await;
    let known = app.read(|floor| floor.staff().len());
    let retry = app.read(|floor| floor.has_answered(caller.sender, number));
    if !retry {
        // Looked at before anybody is employed, so that nobody is left behind without a login.
        app.store.fits(&login, &password)?;
    }
    let add = Body::AddStaff { name, post: post.into() };
    let accepted = app.submit(caller.sender, number, add).await?;
    let added = app.read(|floor| floor.staff().get(known).map(floor::Staff::id));
    let set = app.change_credentials(move |store| match added {
        Some(staff) => store.set_password(staff, &login, &password).map(|()| Some(staff)),
        // A retry: whoever has the login was employed with it, and nobody else is touched.
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

async fn make_code(app: &Arc<App>, caller: &Caller, kind: HolderKind, id: u32) -> ApiResult<Json<CodeBody>> {
    let staff = administrator(app, caller)?;
    let holder = holder(app, kind, id)?;
    let code = app.change_credentials(move |store| store.make_code(holder, clock::now())).await??;
    app.significant(format!("{} made an enrolment code for {} {id}", app.name_of(staff), holder.kind()), false);
    Ok(Json(CodeBody { code: code.text().to_owned(), expires: code.expires.0 }))
}

/// Makes a one-time code for a terminal.
///
/// # Errors
/// When who asks is no administrator.
pub async fn terminal_code(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<CodeBody>> {
    make_code(&app, &caller, HolderKind::Terminal, id).await
}

/// Makes a one-time code for a device.
///
/// # Errors
/// When who asks is no administrator.
pub async fn device_code(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
) -> ApiResult<Json<CodeBody>> {
    make_code(&app, &caller, HolderKind::Device, id).await
}

async fn revoke(app: &Arc<App>, caller: &Caller, kind: HolderKind, id: u32) -> ApiResult<StatusCode> {
    let staff = administrator(app, caller)?;
    let holder = holder(app, kind, id)?;
    app.change_credentials(move |store| store.revoke(holder)).await??;
    app.hub.end_where(ByeReason::Revoked, |viewer| match (viewer, holder) {
        (Viewer::Terminal(found), Holder::Terminal(id)) => *found == id,
        (Viewer::Device(found), Holder::Device(id)) => *found == id,
        _ => false,
    });
    app.significant(format!("{} revoked the key of {} {id}", app.name_of(staff), holder.kind()), false);
    Ok(StatusCode::NO_CONTENT)
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

/// Ends the sessions of a person and forgets the password.
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
    app.change_credentials(move |store| store.end_sessions_of(staff)).await??;
    app.hub.end_where(ByeReason::Revoked, |viewer| match viewer {
        Viewer::Console(_, id) | Viewer::Pit(id) | Viewer::Cage(id) | Viewer::Admin(id) => *id == staff,
        _ => false,
    });
    app.significant(format!("{} ended the sessions of {}", app.name_of(by), app.name_of(staff)), false);
    Ok(StatusCode::NO_CONTENT)
}

fn key_body(holder: Holder, key: &crate::store::Key) -> KeyBody {
    let kind = match holder {
        Holder::Terminal(_) => HolderKind::Terminal,
        Holder::Device(_) => HolderKind::Device,
    };
    KeyBody { kind, id: holder.id(), key: key.text() }
}

/// Exchanges a one-time code for a key.
///
/// # Errors
/// When the code is not good.
pub async fn enrol(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    body: Bytes,
) -> ApiResult<Json<KeyBody>> {
    let Enrol { code } = command::read(&body)?;
    match app.change_credentials(move |store| store.enrol(&code, from.ip(), clock::now())).await? {
        Ok((holder, key)) => {
            app.significant(format!("{} {} was given its key, from {}", holder.kind(), holder.id(), from.ip()), false);
            Ok(Json(key_body(holder, &key)))
        }
        Err(refused) => {
            app.significant(format!("An enrolment from {} was refused: {refused}", from.ip()), true);
            Err(refused.into())
        }
    }
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
pub async fn prove(State(app): State<Arc<App>>, body: Bytes) -> ApiResult<Json<TokenBody>> {
    let Prove { kind, id, nonce, proof } = command::read(&body)?;
    let holder = holder(&app, kind, id)?;
    let (token, expires) = app.store.prove_for_token(holder, &nonce, &proof, clock::now()).inspect_err(|refused| {
        app.significant(format!("The key of {} {id} was not proved: {refused}", holder.kind()), true);
    })?;
    Ok(Json(TokenBody { token: token.text().to_owned(), expires: expires.0 }))
}

/// Gives the key of a free terminal of a demonstration to whoever sits down there.
///
/// # Errors
/// Where there is no demonstration, or the terminal is not free.
pub async fn sit(State(app): State<Arc<App>>, Path((_, id)): Path<(String, u32)>) -> ApiResult<Json<KeyBody>> {
    let id = TerminalId(id);
    let demonstration = app.demonstration.as_ref().ok_or_else(|| ApiError::not_found("demonstration here"))?;
    if !demonstration.is_free(id) {
        return Err(ApiError::not_found("such free terminal"));
    }
    let holder = Holder::Terminal(id);
    let key = match app.store.key_of(holder).map_err(ApiError::internal)? {
        Some(key) => key,
        None => app.change_credentials(move |store| store.give_key(holder, clock::now())).await??,
    };
    Ok(Json(key_body(holder, &key)))
}

/// A login and password for somebody employed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPassword {
    /// The login.
    pub login: String,
    /// The password.
    #[schema(format = "password")]
    pub password: String,
}

/// Gives a person another login or password; open sessions end.
///
/// # Errors
/// When who asks is no administrator, or they will not do.
pub async fn set_password(
    State(app): State<Arc<App>>,
    Path((_, id)): Path<(String, u32)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let by = administrator(&app, &caller)?;
    let staff = StaffId(id);
    if app.read(|floor| floor.person(staff).is_none()) {
        return Err(ApiError::not_found("such person"));
    }
    let SetPassword { login, password } = command::read(&body)?;
    app.change_credentials(move |store| store.set_password(staff, &login, &password)).await??;
    app.significant(format!("{} set the password of {}", app.name_of(by), app.name_of(staff)), false);
    Ok(StatusCode::NO_CONTENT)
}
