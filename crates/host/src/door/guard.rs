//! Checks on every request, and headers on every response.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::address::{Peer, counted};
use super::origin;
use crate::api::caller;
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::feed::rate::Bucket;

/// The most addresses whose request rate is kept.
const REMEMBERED: usize = 10_000;
/// HSTS: browsers use TLS for a year.
const HSTS: &str = "max-age=31536000";

/// Headers of every response: no framing, no content sniffing, nothing loaded from other sites.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // Static files set their own.
    (header::CACHE_CONTROL, "no-store"),
];

/// What a request is checked with.
#[derive(Clone)]
pub struct Guard {
    app: Arc<App>,
    rates: Arc<Rates>,
}

impl Guard {
    /// For a floor.
    #[must_use]
    pub fn new(app: &Arc<App>) -> Guard {
        Guard { app: Arc::clone(app), rates: Arc::default() }
    }
}

/// Rates by address.
#[derive(Default)]
struct Rates(Mutex<HashMap<IpAddr, Bucket>>);

impl Rates {
    fn take(&self, address: IpAddr, rate: u32) -> bool {
        let address = counted(address);
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= REMEMBERED && !rates.contains_key(&address) {
            // An address without recent requests has its full rate again.
            rates.retain(|_, bucket| !bucket.is_full());
        }
        if rates.len() >= REMEMBERED && !rates.contains_key(&address) {
            return false;
        }
        rates.entry(address).or_insert_with(|| Bucket::new(rate)).take()
    }
}

/// Accepts or refuses a request, and adds the headers to the response.
pub async fn pass(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let secure = request.extensions().get::<Peer>().is_some_and(|peer| peer.secure);
    let response = match admit(&guard, request).await {
        Ok(request) => {
            let started = std::time::Instant::now();
            let response = next.run(request).await;
            metrics::histogram!("croupier_request_seconds").record(started.elapsed().as_secs_f64());
            response
        }
        Err(refused) => refused,
    };
    metrics::counter!("croupier_requests_total", "status" => response.status().as_u16().to_string()).increment(1);
    dress(&guard.app, response, secure)
}

async fn admit(guard: &Guard, request: Request) -> Result<Request, Response> {
    let app = &guard.app;
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    // Loopback: load tests, or a proxy that is not listed as trusted.
    let own = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    let loopback = address.is_some_and(|address| own.contains(&address));
    if let Some(address) = address.filter(|_| !loopback || app.config.requests_per_second < 200)
        && !guard.rates.take(address, app.config.requests_per_second)
    {
        let refused =
            ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", "the host", "too many requests", "请求过于频繁");
        return Err(refused.retry_after(1).into_response());
    }
    well_formed(&request).map_err(IntoResponse::into_response)?;
    // Balancers and monitors ask for the state of a host by any name, and read nothing else there.
    let probed = matches!(request.uri().path(), "/healthz" | "/readyz");
    if !probed && !origin::is_for_this_host(app, request.headers()) {
        let en = "this host does not go by the name that was asked for; see the settings advertise and origins";
        let refused = ApiError::new(StatusCode::MISDIRECTED_REQUEST, "host", "the host", en, "主机名不符");
        return Err(refused.into_response());
    }
    let secure = request.extensions().get::<Peer>().is_some_and(|peer| peer.secure);
    if !is_harmless(&request) && !origin::is_allowed(app, request.headers(), secure) {
        let words = "this is asked by a page that is not one of this floor's hosts; see the setting origins";
        return Err(ApiError::forbidden(words).into_response());
    }
    let mut request = whole(app, request).await.map_err(IntoResponse::into_response)?;
    caller::own_cookie(request.headers_mut(), secure);
    Ok(request)
}

/// A request names one host, so that no proxy before this host takes it for another's (RFC 9112, 3.2), and uses no
/// method that only a proxy needs.
fn well_formed(request: &Request) -> ApiResult<()> {
    if request.method() == Method::TRACE || request.method() == Method::CONNECT {
        let en = "this path has no such method";
        return Err(ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "the request", en, "该路径不支持此方法"));
    }
    let hosts = request.headers().get_all(header::HOST).iter().count();
    match hosts {
        1 => Ok(()),
        0 if request.version() < Version::HTTP_11 => Ok(()),
        0 => Err(ApiError::malformed("the header Host is missing")),
        _ => Err(ApiError::malformed("there is more than one header Host")),
    }
}

/// Requests that a browser allows any page to send, without letting it read the response: they change nothing. A feed
/// is different: the page that opens it can read it.
fn is_harmless(request: &Request) -> bool {
    let looks = request.method() == Method::GET || request.method() == Method::HEAD;
    looks && !request.headers().contains_key(header::UPGRADE)
}

/// Reads the whole body, within a time limit and a size limit, so that a stalled client cannot hold a connection.
async fn whole(app: &App, request: Request) -> ApiResult<Request> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let most = app.config.body_bytes;
    let too_large = || {
        ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "the request",
            "the body is too large",
            "请求内容过大",
        )
    };
    if request.body().size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let (parts, body) = request.into_parts();
    let within = Duration::from_millis(app.config.body_timeout_ms);
    match tokio::time::timeout(within, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) if bytes.is_empty() || is_json(&parts) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Ok(_)) => {
            let en = "a body is JSON, with the header Content-Type: application/json";
            Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "content_type",
                "the request",
                en,
                "请求内容必须为 JSON",
            ))
        }
        Ok(Err(error)) if is_too_large(&error) => Err(too_large()),
        Ok(Err(error)) => Err(ApiError::malformed(format!("the body cannot be read: {error}"))),
        Err(_) => {
            let en = "the body did not come in time";
            Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the request", en, "请求内容未及时到达"))
        }
    }
}

/// Whether a request says that its body is JSON: a form of another site cannot.
fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

fn is_too_large(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.to_string().contains("length limit"))
}

fn dress(app: &App, mut response: Response, secure: bool) -> Response {
    // Errors from the framework get a response body in our format.
    if response.status().is_client_error()
        && response.headers().get(header::CONTENT_TYPE).is_none_or(|t| t != "application/json")
    {
        let status = response.status();
        let (code, en, zh) = match status {
            StatusCode::PAYLOAD_TOO_LARGE => ("too_large", "the body is too large", "请求内容过大"),
            StatusCode::NOT_FOUND => ("not_found", "there is no such thing", "找不到所请求的内容"),
            StatusCode::METHOD_NOT_ALLOWED => ("method", "this path has no such method", "该路径不支持此方法"),
            _ => ("malformed", "the request cannot be understood", "请求格式有误"),
        };
        response = ApiError::new(status, code, "the request", en, zh).into_response();
    }
    let timed_out = response.status() == StatusCode::REQUEST_TIMEOUT;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    let policy = format!(
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src {}; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
        origin::connect_sources(app)
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    }
    if secure {
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(HeaderValue::from_static(HSTS));
        secure_cookies(headers);
    }
    if timed_out {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A cookie set over TLS, here or at the proxy, is never sent without TLS, and only to this very host.
fn secure_cookies(headers: &mut axum::http::HeaderMap) {
    let cookies: Vec<HeaderValue> = headers.get_all(header::SET_COOKIE).iter().cloned().collect();
    headers.remove(header::SET_COOKIE);
    for cookie in cookies {
        let text = cookie.to_str().unwrap_or_default();
        let secured = text.split(';').any(|part| part.trim().eq_ignore_ascii_case("secure"));
        let attribute = if secured { "" } else { "; Secure" };
        let named = text.strip_prefix(caller::COOKIE).map(|rest| format!("{}{rest}{attribute}", caller::HOST_COOKIE));
        let with = HeaderValue::from_str(&named.unwrap_or_else(|| format!("{text}{attribute}")));
        headers.append(header::SET_COOKIE, with.unwrap_or(cookie));
    }
}
