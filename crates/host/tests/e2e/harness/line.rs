//! A connection to a host: plain text, or TLS with a certificate made for the test.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};

use super::within;

/// Both directions of a connection.
pub trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

/// A connection of either kind.
pub type Line = Box<dyn Duplex>;

/// A certificate for this machine, written to a folder, and what a client needs to trust it.
pub fn certificate(folder: &Path) -> (host::Tls, Arc<rustls::ClientConfig>) {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let (certificate, key) = (folder.join("host.pem"), folder.join("host.key"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("protected");
    }
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let trusts = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (host::Tls { certificate, key, client_ca: None }, Arc::new(trusts))
}

/// Connects.
pub async fn connect(
    address: SocketAddr,
    tls: Option<&Arc<rustls::ClientConfig>>,
    from: Option<IpAddr>,
) -> std::io::Result<Line> {
    let stream = match from {
        None => within("a connection", TcpStream::connect(address)).await?,
        Some(from) => {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::new(from, 0))?;
            within("a connection", socket.connect(address)).await?
        }
    };
    match tls {
        None => Ok(Box::new(stream)),
        Some(tls) => {
            let name = ServerName::try_from("localhost").expect("a name");
            let connector = tokio_rustls::TlsConnector::from(Arc::clone(tls));
            Ok(Box::new(within("TLS", connector.connect(name, stream)).await?))
        }
    }
}
