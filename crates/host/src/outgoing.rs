//! Requests of the host to others: over TLS, or plain to this machine itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 1 << 20;

/// Whether an address may be asked: it speaks TLS, or is on this machine; and no login is in it.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn check(url: &str) -> Result<(), String> {
    let is_loopback = |host: &str| {
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let uri: Uri = url.parse().map_err(|error: axum::http::uri::InvalidUri| error.to_string())?;
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("a login does not belong into the address".to_owned());
    }
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => Ok(()),
        (Some("http"), Some(host)) if is_loopback(host) => Ok(()),
        _ => Err("https://…, or http:// to this machine itself".to_owned()),
    }
}

/// An answer.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub kind: String,
    pub body: Bytes,
}

/// A connection to an address, kept open from one request to the next.
pub(crate) struct Outgoing {
    base: String,
    ca: Option<PathBuf>,
    open: Option<SendRequest<Full<Bytes>>>,
}

impl Outgoing {
    /// To the addresses that begin so; with a file, only its authorities are trusted.
    pub fn to(base: &str, ca: Option<PathBuf>) -> Outgoing {
        Outgoing { base: base.trim_end_matches('/').to_owned(), ca, open: None }
    }

    /// Asks. A connection that the other side has closed meanwhile is opened again.
    pub async fn ask(&mut self, method: Method, path: &str, body: Bytes) -> Result<Answer, String> {
        let uri: Uri = format!("{}{path}", self.base).parse().map_err(words)?;
        if let Some(mut open) = self.open.take()
            && open.ready().await.is_ok()
            && let Ok(answer) = self.send(open, &method, &uri, body.clone()).await
        {
            return Ok(answer);
        }
        let open = connect(&uri, self.ca.as_deref()).await?;
        self.send(open, &method, &uri, body).await
    }

    async fn send(
        &mut self,
        mut open: SendRequest<Full<Bytes>>,
        method: &Method,
        uri: &Uri,
        body: Bytes,
    ) -> Result<Answer, String> {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let host = uri.authority().map_or("", |authority| authority.as_str());
        let request = Request::builder()
            .method(method.clone())
            .uri(path)
            .header(header::HOST, host)
            .header(header::CONTENT_TYPE, "text/plain; charset=utf-8")
            .body(Full::new(body))
            .map_err(words)?;
        let answer = open.send_request(request).await.map_err(words)?;
        let status = answer.status();
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.to_owned();
        let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await.map_err(words)?.to_bytes();
        self.open = Some(open);
        Ok(Answer { status, kind, body })
    }
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Opens a connection. It is driven by a task that ends with it.
pub(crate) async fn connect(uri: &Uri, ca: Option<&Path>) -> Result<SendRequest<Full<Bytes>>, String> {
    let host = uri.host().ok_or("the address names no host")?.trim_matches(['[', ']']).to_owned();
    let secure = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await.map_err(words)?;
    if !secure {
        return handshake(stream).await;
    }
    let config = tls(ca)?;
    let name = ServerName::try_from(host).map_err(words)?;
    handshake(TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(words)?).await
}

async fn handshake<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(words)?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Whom to trust: the authorities in a file, or those this machine knows.
fn tls(ca: Option<&Path>) -> Result<rustls::ClientConfig, String> {
    let mut roots = rustls::RootCertStore::empty();
    match ca {
        Some(file) => {
            let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            for certificate in read.map_err(|error| format!("{}: {error}", file.display()))? {
                roots.add(certificate).map_err(words)?;
            }
        }
        None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(builder.map_err(words)?.with_root_certificates(roots).with_no_client_auth())
}
