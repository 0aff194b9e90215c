//! A connection to the cluster.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::AccountErrorKind;
use async_nats::jetstream::{self, ErrorCode, kv};
use async_nats::{Client, ConnectOptions};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::Error;
use crate::servers::{self, Seen, is_new_enough, with_login};

/// The bucket of leases, hosts and journal keys.
const BUCKET: &str = "croupier";
/// The answer of a server without streams, or without streams for this login.
const NOT_THERE: [ErrorCode; 2] = [ErrorCode::JETSTREAM_NOT_ENABLED, ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT];
/// How long one request may take before it is tried again.
pub(crate) const REQUEST: Duration = Duration::from_millis(1500);

/// How the servers are verified, and how a host identifies itself to them. With either, nothing is sent without TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The authorities that sign the servers' certificates, as a PEM file, instead of those this machine knows.
    pub ca: Option<PathBuf>,
    /// A certificate of one's own and its key, as PEM files.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl Tls {
    /// Whether the files are there and are what they are said to be.
    ///
    /// # Errors
    /// Which is not, and why.
    pub fn check(&self) -> Result<(), Error> {
        let certificates = |field, file: &Path| {
            let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            match read.map_err(|error| error.to_string()) {
                Ok(read) if read.is_empty() => Err(Error::certificates(field, file, "no certificate is in it")),
                Ok(_) => Ok(()),
                Err(why) => Err(Error::certificates(field, file, &why)),
            }
        };
        if let Some(ca) = &self.ca {
            certificates("ca", ca)?;
        }
        if let Some((certificate, key)) = &self.certificate {
            certificates("certificate", certificate)?;
            journal::private::check_secret(key).map_err(|why| Error::certificates("key", key, &why))?;
            let read = PrivateKeyDer::from_pem_file(key);
            read.map_err(|error| Error::certificates("key", key, &error.to_string()))?;
        }
        Ok(())
    }

    pub(crate) fn of(&self, mut options: ConnectOptions) -> ConnectOptions {
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        options
    }
}

/// How a cluster is used.
#[derive(Clone, Debug)]
pub struct Options {
    /// On how many machines everything is kept.
    pub replicas: usize,
    /// Also takes a server that may acknowledge before it has synced.
    pub allow_old: bool,
    /// How this host calls itself at the servers.
    pub name: String,
    /// Certificates.
    pub tls: Tls,
}

impl Default for Options {
    fn default() -> Options {
        Options { replicas: 3, allow_old: false, name: "croupier".to_owned(), tls: Tls::default() }
    }
}

/// A connection to the cluster, that comes back by itself.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) options: Options,
}

impl Connection {
    /// Connects to servers such as `nats://one:4222,nats://two:4222`.
    ///
    /// # Errors
    /// When none can be reached, or the server does not keep what a journal needs.
    pub async fn open(urls: &str, options: Options) -> Result<Connection, Error> {
        options.tls.check()?;
        let connect = ConnectOptions::new()
            .name(&options.name)
            .connection_timeout(Duration::from_secs(2))
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(2))
            .reconnect_delay_callback(|tries| Duration::from_millis(if tries < 2 { 20 } else { 250 }))
            .max_reconnects(None);
        let servers: Vec<&str> = urls.split(',').map(str::trim).filter(|url| !url.is_empty()).collect();
        let client = with_login(options.tls.of(connect), urls).connect(servers).await.map_err(Error::unreachable)?;
        let info = client.server_info();
        if !options.allow_old && !is_new_enough(&info.version) {
            return Err(Error::TooOld(info.version));
        }
        let jetstream = jetstream::ContextBuilder::new().timeout(REQUEST).ack_timeout(REQUEST).build(client.clone());
        // A server that has just started answers only when the cluster has elected its leader.
        let mut tries = 0;
        while let Err(error) = jetstream.query_account().await {
            tries += 1;
            if tries == 10 {
                let says_no =
                    matches!(error.kind(), AccountErrorKind::JetStream(said) if NOT_THERE.contains(&said.error_code()));
                let words = error.to_string();
                return Err(if info.jetstream && !says_no {
                    Error::NoQuorum(words)
                } else {
                    Error::NoJetStream(words)
                });
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        Ok(Connection { client, jetstream, options })
    }

    /// Whether a server is connected now.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// The client, for whatever else is said between hosts.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The JetStream of the cluster, for other buckets.
    #[must_use]
    pub fn jetstream(&self) -> &jetstream::Context {
        &self.jetstream
    }

    /// On how many machines everything is kept.
    #[must_use]
    pub fn replicas(&self) -> usize {
        self.options.replicas
    }

    /// The bucket of leases, hosts and keys; made if it is not there.
    pub(crate) async fn bucket(&self) -> Result<kv::Store, Error> {
        let config = kv::Config {
            bucket: BUCKET.to_owned(),
            history: 1,
            num_replicas: self.options.replicas,
            ..kv::Config::default()
        };
        let mut last = String::new();
        for _ in 0..20 {
            match self.jetstream.create_key_value(config.clone()).await {
                Ok(store) => return Ok(store),
                Err(error) => last = error.to_string(),
            }
            if let Ok(store) = self.jetstream.get_key_value(BUCKET).await {
                return Ok(store);
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        Err(Error::Unreachable(last))
    }

    /// What every server of the cluster reports. With the login of the system account they also report whether they
    /// sync before they acknowledge.
    ///
    /// # Errors
    /// When nothing can be asked.
    pub async fn servers(&self) -> Result<Vec<Seen>, Error> {
        match servers::asked(&self.client).await {
            Ok(seen) => Ok(seen),
            Err(_) => {
                let info = self.client.server_info();
                Ok(vec![Seen { server: info.server_name, version: info.version, syncs: None }])
            }
        }
    }
}
