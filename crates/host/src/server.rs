//! The server: connections, TLS, and the way from a connection to a request.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use sha2::Digest;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tower::Service;

use crate::app::App;
use crate::clock;
use crate::config::Tls;
use crate::door::address::{self, Network};
use crate::door::guard::{self, Guard};
use crate::door::places::{Place, Places};
use crate::error::ApiError;
use crate::feed::wire::UNREAD;
use crate::store::Certificate;

/// How long open requests may take to finish when the host stops.
const FINISH: Duration = Duration::from_secs(5);
/// How often the addresses from which clients have authenticated are kept, if there are new ones.
const KEEP: Duration = Duration::from_secs(10);

/// The SHA-256 hash of the certificate that a client showed, signed by an authority of the settings.
#[derive(Copy, Clone, Debug)]
pub struct ClientCertificate(pub Certificate);

/// The port where this host listens.
#[derive(Copy, Clone, Debug)]
pub struct Listens(pub u16);

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
    let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let builder = match &tls.client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = rustls::RootCertStore::empty();
            let authorities = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            for authority in authorities.map_err(|error| wrong(file, error))? {
                roots.add(authority).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
            }
            // Staff sign in without one: what needs a certificate is a key that was enrolled with it.
            let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .allow_unauthenticated()
                .build()
                .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let config = builder.with_single_cert(chain, key).map_err(io::Error::other)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until told to stop; then open requests are finished.
pub async fn run(app: Arc<App>, listener: TcpListener, tls: Option<TlsAcceptor>, mut stop: watch::Receiver<bool>) {
    let router =
        crate::api::router(Arc::clone(&app)).layer(middleware::from_fn_with_state(Guard::new(&app), guard::pass));
    let places = Places::new(app.config.places());
    places.recall(&app.config.data, clock::now().0);
    let mut keep = tokio::time::interval(KEEP);
    let trusted: Arc<[Network]> = app.config.trusted_proxies.clone().into();
    let head = Duration::from_millis(app.config.head_timeout_ms);
    let port = listener.local_addr().map_or(app.config.listen.port(), |address| address.port());
    let doorway = Doorway { router, places, trusted, tls, head, port };
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
            _ = keep.tick() => {
                tokio::spawn(keep_addresses(Arc::clone(&app), Arc::clone(&doorway.places)));
                continue;
            }
            _ = stop.changed() => break,
        };
        while tasks.try_join_next().is_some() {}
        let Some(place) = doorway.place(address.ip()) else {
            metrics::counter!("croupier_connections_refused_total").increment(1);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let _ = socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(UNREAD));
        let (doorway, stop) = (doorway.clone(), stop.clone());
        let visitor = Visitor { from: address, place: Arc::new(place), shown: None };
        tasks.spawn(async move { doorway.connection(stream, visitor, stop).await });
    }
    drop(listener);
    keep_addresses(app, Arc::clone(&doorway.places)).await;
    let _ = tokio::time::timeout(FINISH, async { while tasks.join_next().await.is_some() {} }).await;
}

/// Keeps the addresses from which clients have authenticated.
async fn keep_addresses(app: Arc<App>, places: Arc<Places>) {
    let kept = tokio::task::spawn_blocking(move || places.keep(&app.config.data, clock::now().0)).await;
    if let Ok(Err(error)) = kept {
        tracing::warn!(%error, "known addresses could not be kept");
    }
}

/// What connections are served with.
#[derive(Clone)]
struct Doorway {
    router: Router,
    places: Arc<Places>,
    trusted: Arc<[Network]>,
    tls: Option<TlsAcceptor>,
    head: Duration,
    port: u16,
}

/// A connection: where it comes from, its place, and the certificate it showed.
#[derive(Clone)]
struct Visitor {
    from: SocketAddr,
    place: Arc<Place>,
    shown: Option<ClientCertificate>,
}

impl Doorway {
    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.holds(address))
    }

    fn place(&self, address: IpAddr) -> Option<Place> {
        if self.trusts(address) { self.places.proxy() } else { self.places.connection(address) }
    }

    async fn connection(self, stream: TcpStream, mut visitor: Visitor, stop: watch::Receiver<bool>) {
        let from = visitor.from;
        match self.tls.clone() {
            None => self.http(TokioIo::new(stream), visitor, stop).await,
            Some(acceptor) => match tokio::time::timeout(self.head, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => {
                    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
                    // A proxy's own certificate says nothing about who stands behind it.
                    let shown = shown.filter(|_| !self.trusts(from.ip()));
                    visitor.shown =
                        shown.map(|certificate| ClientCertificate(sha2::Sha256::digest(certificate).into()));
                    self.http(TokioIo::new(stream), visitor, stop).await;
                }
                Ok(Err(error)) => tracing::debug!(%error, %from, "no TLS came about"),
                Err(_) => tracing::debug!(%from, "no TLS came about in time"),
            },
        }
    }

    async fn http<S>(self, stream: TokioIo<S>, visitor: Visitor, mut stop: watch::Receiver<bool>)
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let head = self.head;
        let service = hyper::service::service_fn(move |request| self.clone().request(request, visitor.clone()));
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            // Also how long a connection may wait for the next request.
            .header_read_timeout(head)
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

    /// A request, with who asks and the place it has.
    async fn request(
        mut self,
        mut request: hyper::Request<hyper::body::Incoming>,
        visitor: Visitor,
    ) -> Result<Response, Infallible> {
        let Visitor { from, place, shown } = visitor;
        let peer = address::peer(from.ip(), self.tls.is_some(), request.headers(), &self.trusted);
        let place = if self.trusts(from.ip()) {
            let Some(place) = self.places.behind_proxy(peer.address) else {
                metrics::counter!("croupier_connections_refused_total").increment(1);
                let en = "too many connections from this address";
                let refused = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "connections", "the host", en, "连接过多");
                return Ok(refused.retry_after(1).into_response());
            };
            Arc::new(place)
        } else {
            place
        };
        let port = if peer.address == from.ip().to_canonical() { from.port() } else { 0 };
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.address, port)));
        extensions.insert(peer);
        extensions.insert(Listens(self.port));
        extensions.insert(Arc::clone(&place));
        if let Some(shown) = shown {
            extensions.insert(shown);
        }
        let answer = self.router.call(request).await;
        drop(place);
        answer
    }
}
