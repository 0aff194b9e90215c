//! Client certificates: a key that was enrolled with one is good with that one only.

use std::path::Path;
use std::sync::Arc;

use hyper::Method;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};

use crate::forged::{Speaks, on_two_hosts_that, until};
use crate::harness::*;

/// A certificate and its key.
struct Shown(CertificateDer<'static>, KeyPair);

/// An authority that signs certificates of terminals.
struct Authority(CertificateParams, KeyPair);

impl Authority {
    fn new() -> (Authority, String) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        (Authority(params, key), pem)
    }

    fn sign(&self, name: &str) -> Shown {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        let issuer = Issuer::from_params(&self.0, &self.1);
        Shown(params.signed_by(&key, &issuer).expect("a certificate").der().clone(), key)
    }
}

/// A host that asks for certificates, and what its clients trust.
struct Secure<'h> {
    host: &'h Host,
    roots: rustls::RootCertStore,
}

/// A host that takes certificates of this authority.
fn asks_for(config: &mut host::Config, authority: &Path) {
    config.tls.as_mut().expect("TLS").client_ca = Some(authority.to_owned());
}

impl Secure<'_> {
    fn of(host: &Host) -> Secure<'_> {
        let settings = host.running.app.config.tls.as_ref().expect("TLS");
        let own = CertificateDer::from_pem_file(&settings.certificate).expect("a certificate");
        let mut roots = rustls::RootCertStore::empty();
        roots.add(own).expect("a root");
        Secure { host, roots }
    }

    async fn send(&self, shown: Option<&Shown>, client: &Client, path: &str, body: Value) -> Answer {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(self.roots.clone());
        let settings = match shown {
            None => builder.with_no_client_auth(),
            Some(Shown(certificate, key)) => {
                let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
                builder.with_client_auth_cert(vec![certificate.clone()], key).expect("a certificate")
            }
        };
        let connector = tokio_rustls::TlsConnector::from(Arc::new(settings));
        let stream = tokio::net::TcpStream::connect(self.host.address()).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        let stream = within("TLS", connector.connect(name, stream)).await.expect("TLS");
        client.send_on(stream, Method::POST, &client.path(path), Some(body.to_string().into())).await
    }

    /// An unknown client without TLS of its own.
    fn anonymous(&self) -> Client {
        Client { tls: None, ..self.host.anonymous() }
    }

    /// Proves a key over a connection with this certificate, or none.
    async fn prove(&self, shown: Option<&Shown>, key: &str) -> Answer {
        let anonymous = self.anonymous();
        let nonce = self.send(shown, &anonymous, "/keys/challenge", json!({})).await.ok();
        let nonce = nonce["nonce"].as_str().expect("a nonce");
        let body = json!({ "kind": "terminal", "id": 0, "nonce": nonce, "proof": proof(key, "terminal", 0, nonce) });
        self.send(shown, &anonymous, "/keys/prove", body).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stolen_key_is_worth_nothing_without_the_certificate_it_was_enrolled_with() {
    let ((authority, pem), folder) = (Authority::new(), tempfile::tempdir().expect("a folder"));
    let file = folder.path().join("terminals.pem");
    std::fs::write(&file, pem).expect("written");
    let asks = |config: &mut host::Config| asks_for(config, &file);
    let host = Host::with_tls(asks).await;
    stolen(&authority, &host, &host).await;
    // Nor at another host of a cluster.
    on_two_hosts_that(Speaks::Tls, asks, async |one, two| stolen(&authority, one, two).await).await;
}

/// A key that was enrolled at one host is tried at another.
async fn stolen(authority: &Authority, host: &Host, other_host: &Host) {
    let (secure, elsewhere) = (Secure::of(host), Secure::of(other_host));
    let anonymous = secure.anonymous();
    // Staff need none.
    let login = json!({ "login": "administrator", "password": PASSWORD });
    let signed = secure.send(None, &anonymous, "/session", login).await;
    let cookie = signed.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let mut number = signed.ok()["next_number"].as_u64().expect("a number");
    let administrator = anonymous.header("cookie", cookie).header("x-croupier", "1");
    let mut command = async |path: &str, body: Value| {
        number += 1;
        let client = administrator.header("idempotency-key", number.to_string());
        secure.send(None, &client, path, body).await.ok()
    };
    let settings = json!({ "betting_period": 0 });
    let mut table = json!({ "name": "one", "rulebook": "rws-sicbo", "mode": "terminals", "settings": settings });
    table["witness"] = by_two()["witness"].clone();
    command("/tables", table).await;
    command("/terminals", json!({ "table": 0, "name": "one", "kind": "standard", "layout": "a" })).await;
    let code = command("/terminals/0/code", by_two()).await["code"].clone();

    let (own, other) = (authority.sign("terminal-0"), authority.sign("terminal-1"));
    let key = new_key();
    let none = secure.send(None, &anonymous, "/enrol", enrolment(&code, &key)).await;
    assert_eq!(none.refusal(), (403, "certificate"));
    secure.send(Some(&own), &anonymous, "/enrol", enrolment(&code, &key)).await.ok();
    until("the key at the other host", async || elsewhere.prove(Some(&own), &key).await.status == 200).await;
    for place in [&secure, &elsewhere] {
        assert_eq!(place.prove(None, &key).await.refusal(), (403, "certificate"));
        assert_eq!(place.prove(Some(&other), &key).await.refusal(), (403, "certificate"));
    }
    let token = elsewhere.prove(Some(&own), &key).await.ok();
    // Nor is a token, without the certificate it was proved with.
    let bearer =
        elsewhere.anonymous().header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let bearer = bearer.header("idempotency-key", token["next_number"].to_string());
    for shown in [None, Some(&other)] {
        let answer = elsewhere.send(shown, &bearer, "/terminals/0/cash-out", json!({})).await;
        assert_eq!(answer.refusal(), (401, "sign_in"));
    }
    assert_ne!(elsewhere.send(Some(&own), &bearer, "/terminals/0/cash-out", json!({})).await.status, 401);
}
