//! The caller: a person with a session, or a terminal or device with a token.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use floor::{DeviceId, Floor, Post, Sender, StaffId, TerminalId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::clock;
use crate::door::address::Peer;
use crate::door::origin;
use crate::door::places::Place;
use crate::error::{ApiError, ApiResult};
use crate::server::{ClientCertificate, Listens};
use crate::store::{Holder, Shown};

/// The cookie that carries a session without TLS, on loopback.
pub const COOKIE: &str = "croupier_session";
/// The same over TLS. With this prefix a browser accepts the cookie only from this very host over TLS: neither a page
/// of a neighbouring name nor an attacker on the network can replace it.
pub const HOST_COOKIE: &str = "__Host-croupier_session";

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who.
    pub sender: Sender,
    /// From where.
    pub address: IpAddr,
    /// The session's token.
    pub token: String,
    /// The host's own page that asks, on loopback.
    pub own: OwnOrigin,
    /// What is asked: the method and the path.
    act: String,
    /// And with what.
    body: Bytes,
}

impl Caller {
    /// The person, if it is one.
    ///
    /// # Errors
    /// When it is a terminal or device.
    pub fn staff(&self) -> ApiResult<StaffId> {
        match self.sender {
            Sender::Staff(id) => Ok(id),
            _ => Err(ApiError::forbidden("only staff may see this")),
        }
    }

    /// The same with the body of the request, which a passkey of a second person signs.
    #[must_use]
    pub fn asks(self, body: &Bytes) -> Caller {
        Caller { body: body.clone(), ..self }
    }

    /// The hash of the request without the signatures in it: a passkey signs for this request and no other (D15, D27).
    #[must_use]
    pub fn about(&self) -> [u8; 32] {
        subject(&self.act, &self.body)
    }

    /// The terminal, if it is one.
    ///
    /// # Errors
    /// When it is not.
    pub fn terminal(&self) -> ApiResult<TerminalId> {
        match self.sender {
            Sender::Terminal(id) => Ok(id),
            _ => Err(ApiError::forbidden("only the terminal itself may do this")),
        }
    }
}

/// The SHA-256 of a request: the method and the path, and in the next line its body as JSON without blanks, the keys in
/// order. Signatures are not part of it: `password` and `passkey` of the `witness`, and `existing`.
#[must_use]
pub fn subject(act: &str, body: &[u8]) -> [u8; 32] {
    let mut body: Value = serde_json::from_slice(body).unwrap_or_else(|_| Value::Object(serde_json::Map::new()));
    if let Some(body) = body.as_object_mut() {
        body.remove("existing");
        if let Some(witness) = body.get_mut("witness").and_then(Value::as_object_mut) {
            witness.remove("password");
            witness.remove("passkey");
        }
    }
    let mut text = format!("{act}\n");
    ordered(&body, &mut text);
    Sha256::digest(text.as_bytes()).into()
}

/// JSON with the keys of objects in order.
fn ordered(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            text.push('{');
            for (at, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                ordered(value, text);
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for (at, value) in values.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                ordered(value, text);
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

/// The method and the path of a request.
fn act(parts: &Parts) -> String {
    format!("{} {}", parts.method, parts.uri.path())
}

/// Where a request comes from.
#[must_use]
pub fn address(parts: &Parts) -> IpAddr {
    let info = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map_or(IpAddr::from([0, 0, 0, 0]), |ConnectInfo(address)| address.ip())
}

/// The session's token in the cookies, as the door has left them.
#[must_use]
pub fn cookie(headers: &HeaderMap) -> Option<String> {
    named(headers, COOKIE)
}

fn named(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

/// Leaves one cookie in a request: that of the session, under the name it has with or without TLS.
pub fn own_cookie(headers: &mut HeaderMap, secure: bool) {
    let token = named(headers, if secure { HOST_COOKIE } else { COOKIE });
    headers.remove(header::COOKIE);
    if let Some(value) = token.and_then(|token| HeaderValue::from_str(&format!("{COOKIE}={token}")).ok()) {
        headers.insert(header::COOKIE, value);
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::to_owned)
}

/// Whether a request that changes something was made by one of our pages and not by another site's form: a header that
/// no form can send. Where the page comes from was checked at the door.
fn same_site(parts: &Parts) -> ApiResult<()> {
    if parts.method == Method::GET || parts.method == Method::HEAD || parts.headers.contains_key("x-croupier") {
        return Ok(());
    }
    Err(ApiError::forbidden("the header X-Croupier is missing: the request may come from another site"))
}

/// The place of a request.
fn place(parts: &Parts) -> Option<&Arc<Place>> {
    parts.extensions.get::<Arc<Place>>()
}

/// The origin of the pages of a host on loopback: that of the request, if it names the port where this host listens. A
/// host that others reach uses only the names in its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnOrigin(pub Option<String>);

impl OwnOrigin {
    fn of(parts: &Parts, app: &App) -> OwnOrigin {
        let secure = parts.extensions.get::<Peer>().is_some_and(|peer| peer.secure);
        let port = parts.extensions.get::<Listens>().map(|Listens(port)| *port);
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let own = host.zip(port).filter(|_| app.config.listen.ip().is_loopback());
        OwnOrigin(own.and_then(|(host, port)| origin::on_loopback(host, secure, port)))
    }
}

impl FromRequestParts<Arc<App>> for OwnOrigin {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<OwnOrigin, Self::Rejection> {
        Ok(OwnOrigin::of(parts, app))
    }
}

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Caller, ApiError> {
        let address = address(parts);
        if let Some(token) = bearer(&parts.headers) {
            let shown = shown(parts, app);
            let reads = parts.method == Method::GET || parts.method == Method::HEAD;
            let sender = match app.reads_by_link(&token, shown).filter(|_| reads) {
                Some(id) => Sender::Terminal(id),
                None => {
                    let holder = app.store.bearer(&token, shown, clock::now()).ok_or_else(ApiError::unauthenticated)?;
                    app.token_may_act(holder, address, &token).await?;
                    match holder {
                        Holder::Terminal(id) => Sender::Terminal(id),
                        Holder::Device(id) => Sender::Device(id),
                    }
                }
            };
            // The caller has authenticated, and no longer counts as a stranger.
            place(parts).iter().for_each(|place| place.proved());
            let (own, act, body) = (OwnOrigin::of(parts, app), act(parts), Bytes::new());
            return Ok(Caller { sender, address, token, own, act, body });
        }
        let token = cookie(&parts.headers).ok_or_else(ApiError::unauthenticated)?;
        let session = app.store.session(&token, clock::now()).map_err(ApiError::internal)?;
        let session = session.ok_or_else(ApiError::unauthenticated)?;
        same_site(parts)?;
        place(parts).iter().for_each(|place| place.is_staff());
        if session.limited && !changes_password(parts) {
            return Err(must_change());
        }
        let (sender, own) = (Sender::Staff(session.staff), OwnOrigin::of(parts, app));
        Ok(Caller { sender, address, token, own, act: act(parts), body: Bytes::new() })
    }
}

impl OptionalFromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    /// `None` without a session or token; one that is sent must be valid.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Option<Caller>, ApiError> {
        if bearer(&parts.headers).is_none() && cookie(&parts.headers).is_none() {
            return Ok(None);
        }
        match <Caller as FromRequestParts<Arc<App>>>::from_request_parts(parts, app).await {
            Ok(caller) => Ok(Some(caller)),
            Err(error) if error.status == StatusCode::UNAUTHORIZED => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl FromRequestParts<Arc<App>> for Shown {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Shown, Self::Rejection> {
        Ok(shown(parts, app))
    }
}

/// The certificate that a client showed.
fn shown(parts: &Parts, app: &App) -> Shown {
    let asked = app.config.tls.as_ref().is_some_and(|tls| tls.client_ca.is_some());
    let certificate = parts.extensions.get::<ClientCertificate>().map(|shown| shown.0);
    Shown { certificate, asked }
}

/// What a session of a person whose password another person chose is good for.
fn changes_password(parts: &Parts) -> bool {
    let path = parts.uri.path();
    path.ends_with("/session") || path.ends_with("/session/password")
}

/// The password was chosen by another person, and its owner must change it first.
#[must_use]
pub fn must_change() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "password_change",
        "D27",
        "change your password first: another person chose it",
        "请先更改密码：现用密码由他人设定",
    )
}

/// Whether a person serves as one of these, by post or acting.
#[must_use]
pub fn serves(floor: &Floor, id: StaffId, fits: impl Fn(Post) -> bool) -> bool {
    floor.person(id).is_some_and(|staff| staff.is_active() && staff.posts().any(fits))
}

/// Whether a device sends.
#[must_use]
pub fn device(sender: Sender) -> Option<DeviceId> {
    match sender {
        Sender::Device(id) => Some(id),
        _ => None,
    }
}
