//! The server: connections, TLS, limits, and what every answer carries.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tower::Service;

use crate::app::App;
use crate::config::Tls;
use crate::error::ApiError;
use crate::feed::rate::Bucket;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// How long open requests may take to finish when the host stops.
const FINISH: Duration = Duration::from_secs(5);
/// Addresses whose rate is remembered.
const REMEMBERED: usize = 10_000;

/// What every answer carries: nothing of it may be framed, sniffed, or load anything from elsewhere.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws: wss:; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Connections by address.
#[derive(Default)]
struct Counts {
    open: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection that is counted while it lives.
struct Counted {
    counts: Arc<Mutex<Counts>>,
    address: IpAddr,
}

impl Counted {
    fn new(counts: &Arc<Mutex<Counts>>, address: IpAddr, app: &App) -> Option<Counted> {
        let mut inside = counts.lock().unwrap_or_else(PoisonError::into_inner);
        let here = inside.by_address.get(&address).copied().unwrap_or(0);
        if inside.open >= app.config.connections || here >= app.config.connections_per_address {
            return None;
        }
        inside.open += 1;
        inside.by_address.insert(address, here + 1);
        drop(inside);
        Some(Counted { counts: Arc::clone(counts), address })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut inside = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        inside.open = inside.open.saturating_sub(1);
        if let Some(here) = inside.by_address.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                inside.by_address.remove(&self.address);
            }
        }
    }
}

/// Rates by address.
#[derive(Default)]
pub struct Rates(Mutex<HashMap<IpAddr, Bucket>>);

impl Rates {
    fn take(&self, address: IpAddr, rate: u32) -> bool {
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= REMEMBERED && !rates.contains_key(&address) {
            rates.clear();
        }
        rates.entry(address).or_insert_with(|| Bucket::new(rate)).take()
    }
}

/// A certificate and its key, read.
///
/// # Errors
/// When a file cannot be read or they do not fit.
pub fn acceptor(tls: &Tls) -> io::Result<TlsAcceptor> {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let wrong = |file: &std::path::Path, error: rustls::pki_types::pem::Error| {
        io::Error::other(format!("{}: {error}", file.display()))
    };
    journal::private::check_secret(&tls.key).map_err(io::Error::other)?;
    let chain = CertificateDer::pem_file_iter(&tls.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&tls.certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(io::Error::other)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until told to stop; then open requests are finished.
pub async fn run(app: Arc<App>, listener: TcpListener, tls: Option<TlsAcceptor>, mut stop: watch::Receiver<bool>) {
    let rates = Arc::new(Rates::default());
    let router = crate::api::router(Arc::clone(&app))
        .layer(middleware::from_fn_with_state((Arc::clone(&app), rates), limits))
        .layer(middleware::map_response(dress));
    let counts = Arc::new(Mutex::new(Counts::default()));
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of files, most likely: others will close theirs.
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stop.changed() => break,
        };
        while tasks.try_join_next().is_some() {}
        let Some(counted) = Counted::new(&counts, address.ip(), &app) else {
            metrics::counter!("croupier_connections_refused_total").increment(1);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (router, tls, stop) = (router.clone(), tls.clone(), stop.clone());
        tasks.spawn(async move {
            let _counted = counted;
            connection(stream, address, router, tls, stop).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(FINISH, async { while tasks.join_next().await.is_some() {} }).await;
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    stop: watch::Receiver<bool>,
) {
    match tls {
        None => http(TokioIo::new(stream), address, router, stop).await,
        Some(acceptor) => match tokio::time::timeout(HEAD, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => http(TokioIo::new(stream), address, router, stop).await,
            Ok(Err(error)) => tracing::debug!(%error, %address, "no TLS came about"),
            Err(_) => tracing::debug!(%address, "no TLS came about in time"),
        },
    }
}

async fn http<S>(stream: TokioIo<S>, address: SocketAddr, router: Router, mut stop: watch::Receiver<bool>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = hyper::service::service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(address));
        router.clone().call(request)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(16 * 1024)
        .serve_connection(stream, service)
        .with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        _ = &mut connection => {}
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// How often an address may ask.
async fn limits(State((app, rates)): State<(Arc<App>, Arc<Rates>)>, request: Request, next: Next) -> Response {
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    let loopback = address.is_some_and(|address| address.is_loopback());
    if let Some(address) = address.filter(|_| !loopback || app.config.requests_per_second < 200)
        && !rates.take(address, app.config.requests_per_second)
    {
        return ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", "the host", "too many requests", "请求过于频繁")
            .retry_after(1)
            .into_response();
    }
    let started = std::time::Instant::now();
    let response = next.run(request).await;
    metrics::histogram!("croupier_request_seconds").record(started.elapsed().as_secs_f64());
    metrics::counter!("croupier_requests_total", "status" => response.status().as_u16().to_string()).increment(1);
    response
}

async fn dress(mut response: Response) -> Response {
    // Refusals of the framework itself get a body of ours.
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
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
