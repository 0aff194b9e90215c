//! Client certificates: a key that was enrolled with one is good with that one only.

use std::sync::Arc;

use hyper::Method;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};

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

struct Secure {
    host: Host,
    roots: rustls::RootCertStore,
}

impl Secure {
    async fn new(authority: &str) -> Secure {
        let folder = tempfile::tempdir().expect("a folder");
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        let file = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let mut settings = config(folder.path());
        let certificate = file("host.pem", made.cert.pem());
        let key = file("host.key", made.signing_key.serialize_pem());
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("protected");
        let client_ca = Some(file("terminals.pem", authority.to_owned()));
        settings.tls = Some(host::Tls { certificate, key, client_ca });
        let running = start_with(settings, false, release(1)).await;
        let mut roots = rustls::RootCertStore::empty();
        roots.add(made.cert.der().clone()).expect("a root");
        Secure { host: Host { running, folder, floor: "main".to_owned(), tls: None }, roots }
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

    /// Proves a key over a connection with this certificate, or none.
    async fn prove(&self, shown: Option<&Shown>, key: &str) -> Answer {
        let nobody = self.host.nobody();
        let nonce = self.send(shown, &nobody, "/keys/challenge", json!({})).await.ok();
        let nonce = nonce["nonce"].as_str().expect("a nonce");
        let body = json!({ "kind": "terminal", "id": 0, "nonce": nonce, "proof": proof(key, "terminal", 0, nonce) });
        self.send(shown, &nobody, "/keys/prove", body).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stolen_key_is_worth_nothing_without_the_certificate_it_was_enrolled_with() {
    let (authority, pem) = Authority::new();
    let secure = Secure::new(&pem).await;
    let nobody = secure.host.nobody();
    // Staff need none.
    let login = json!({ "login": "administrator", "password": PASSWORD });
    let signed = secure.send(None, &nobody, "/session", login).await;
    let cookie = signed.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let mut number = signed.ok()["next_number"].as_u64().expect("a number");
    let administrator = nobody.header("cookie", cookie).header("x-croupier", "1");
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
    let none = secure.send(None, &nobody, "/enrol", enrolment(&code, &key)).await;
    assert_eq!(none.refusal(), (403, "certificate"));
    secure.send(Some(&own), &nobody, "/enrol", enrolment(&code, &key)).await.ok();
    let token = secure.prove(Some(&own), &key).await.ok();
    assert_eq!(secure.prove(None, &key).await.refusal(), (403, "certificate"));
    assert_eq!(secure.prove(Some(&other), &key).await.refusal(), (403, "certificate"));
    // Nor is a token, without the certificate it was proved with.
    let bearer = nobody.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let bearer = bearer.header("idempotency-key", token["next_number"].to_string());
    for shown in [None, Some(&other)] {
        let answer = secure.send(shown, &bearer, "/terminals/0/cash-out", json!({})).await;
        assert_eq!(answer.refusal(), (401, "sign_in"));
    }
    assert_ne!(secure.send(Some(&own), &bearer, "/terminals/0/cash-out", json!({})).await.status, 401);
}
