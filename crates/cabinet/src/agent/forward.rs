//! The hosts of the floor: connections, and requests of the page that are forwarded to one of them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// How long a host has to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a connection may take: a host that is gone costs no more.
const CONNECT: Duration = Duration::from_millis(1_500);
/// The longest answer.
const MOST: usize = 16 * 1024 * 1024;

/// A stream to a host, with or without TLS.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// The address of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whether it speaks TLS.
    pub secure: bool,
    /// Its name.
    pub name: String,
    /// Its port.
    pub port: u16,
}

impl Address {
    /// Reads one such as `https://one.example:8443`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Address> {
        let (scheme, rest) = text.trim_end_matches('/').split_once("://")?;
        let secure = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let (name, port) = match rest.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
            Some((name, port)) => (name, port.parse().ok()?),
            None => (rest, if secure { 443 } else { 80 }),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        (!name.is_empty() && name.chars().all(plain)).then(|| Address { secure, name: name.to_owned(), port })
    }

    /// As a request names it.
    #[must_use]
    pub fn host(&self) -> String {
        format!("{}:{}", self.name, self.port)
    }
}

/// The hosts, and the one that answers.
pub struct Hosts {
    all: Vec<Address>,
    tls: Arc<rustls::ClientConfig>,
    current: AtomicUsize,
}

impl Hosts {
    /// The hosts in the settings.
    ///
    /// # Errors
    /// When the authorities cannot be read.
    pub fn new(hosts: &[String], ca: Option<&Path>) -> io::Result<Hosts> {
        let all: Vec<Address> = hosts.iter().filter_map(|host| Address::parse(host)).collect();
        let secure = all.iter().any(|host| host.secure);
        Ok(Hosts { all, tls: Arc::new(tls(ca, secure)?), current: AtomicUsize::new(0) })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all.len().max(1)
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&Address> {
        self.all.get(at % self.count())
    }

    /// This one answers.
    pub fn answers(&self, at: usize) {
        self.current.store(at % self.count(), Ordering::Relaxed);
    }

    /// The one that answered last.
    #[must_use]
    pub fn current(&self) -> usize {
        self.current.load(Ordering::Relaxed)
    }

    /// A connection to one of them.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn connect(&self, at: usize) -> io::Result<Box<dyn Stream>> {
        let host = self.get(at).ok_or_else(|| io::Error::other("no host"))?;
        timeout(CONNECT, self.reach(host)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn reach(&self, host: &Address) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect((host.name.trim_matches(['[', ']']), host.port)).await?;
        stream.set_nodelay(true)?;
        if !host.secure {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(host.name.clone()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await?))
    }

    /// Sends a request to the host that answered last.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn forward(&self, mut request: Request<Full<Bytes>>) -> io::Result<Response<Bytes>> {
        let at = self.current();
        let host = self.get(at).ok_or_else(|| io::Error::other("no host"))?;
        let value = host.host().parse().map_err(io::Error::other)?;
        request.headers_mut().insert(hyper::header::HOST, value);
        timeout(PATIENCE, self.exchange(at, request)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn exchange(&self, at: usize, request: Request<Full<Bytes>>) -> io::Result<Response<Bytes>> {
        let stream = TokioIo::new(self.connect(at).await?);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await.map_err(io::Error::other)?;
        tokio::spawn(connection);
        let (head, body) = sender.send_request(request).await.map_err(io::Error::other)?.into_parts();
        let body = Limited::new(body, MOST).collect().await.map_err(io::Error::other)?.to_bytes();
        Ok(Response::from_parts(head, body))
    }

    /// Posts JSON to the first host that answers.
    ///
    /// # Errors
    /// When none does.
    pub async fn post(&self, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        let mut last = io::Error::other("no host");
        for at in 0..self.count() {
            self.answers(at);
            let request = Request::post(path)
                .header(hyper::header::CONTENT_TYPE, "application/json")
                .body(Full::new(Bytes::from(body.to_string())))
                .map_err(io::Error::other)?;
            match self.forward(request).await {
                Ok(answer) => {
                    let value = serde_json::from_slice(answer.body()).unwrap_or(Value::Null);
                    return Ok((answer.status().as_u16(), value));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Whom to trust: the authorities in a file, or those this machine knows.
fn tls(ca: Option<&Path>, used: bool) -> io::Result<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    match ca {
        Some(file) => {
            let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let named = |error: &dyn std::fmt::Display| io::Error::other(format!("ca: {}: {error}", file.display()));
            for certificate in read.map_err(|error| named(&error))? {
                roots.add(certificate).map_err(|error| named(&error))?;
            }
        }
        None if used => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
        None => {}
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(builder.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let address = |text| Address::parse(text).map(|found| (found.secure, found.host()));
        assert_eq!(address("https://one.example:8443/"), Some((true, "one.example:8443".to_owned())));
        assert_eq!(address("http://127.0.0.1"), Some((false, "127.0.0.1:80".to_owned())));
        assert_eq!(address("http://[::1]:8080"), Some((false, "[::1]:8080".to_owned())));
        for bad in ["one.example", "ftp://one", "http://", "http://a/b", "http://a:99999", "http://a b"] {
            assert_eq!(address(bad), None, "{bad}");
        }
    }
}
