//! A server that accepts only TLS and requires a certificate of each client.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use cluster::{Connection, Options, Tls};
use natsd::Cluster;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

#[test]
fn a_server_is_known_by_its_authority_and_a_host_by_its_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("closed to others");
        path
    };
    let mut house = CertificateParams::new([]).expect("an authority");
    house.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let ca = file("ca.pem", house.self_signed(&key).expect("signed").pem());
    let house = Issuer::new(house, key);
    let signed = |name: &str| {
        let key = KeyPair::generate().expect("a key");
        let certificate = CertificateParams::new([name.to_owned()]).expect("a certificate").signed_by(&key, &house);
        let certificate = file(&format!("{name}.pem"), certificate.expect("signed").pem());
        (certificate, file(&format!("{name}.key"), key.serialize_pem()))
    };
    let (server, own) = (signed("127.0.0.1"), signed("one"));
    let settings =
        format!("tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {ca:?}, verify: true }}\n", server.0, server.1);
    let nats = Cluster::start_with(1, &settings).expect("a server");

    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let url = nats.urls().join(",");
    let open = |tls: Tls| runtime.block_on(Connection::open(&url, Options { replicas: 1, tls, ..Options::default() }));
    let known = Tls { ca: Some(ca.clone()), certificate: Some(own.clone()) };
    assert!(open(known.clone()).expect("connected").is_connected());
    assert!(runtime.block_on(cluster::server(&url, &known)).is_ok());
    assert!(open(Tls { ca: Some(ca), certificate: None }).is_err(), "it shows no certificate");
    assert!(open(Tls { ca: None, certificate: Some(own.clone()) }).is_err(), "nobody knows the server");
    assert!(open(Tls::default()).is_err());

    // A key that others can read is no secret.
    let open_key = file("open.key", fs::read_to_string(&own.1).expect("a key"));
    fs::set_permissions(&open_key, fs::Permissions::from_mode(0o644)).expect("open to all");
    let words = open(Tls { certificate: Some((own.0.clone(), open_key)), ..known.clone() }).expect_err("refused");
    assert!(words.to_string().starts_with("nats_tls.key: "), "{words}");

    // What is wrong with a file is said by its field and name.
    let (missing, no_certificate) = (folder.path().join("missing.pem"), file("empty.pem", String::new()));
    for (tls, field) in [
        (Tls { ca: Some(missing.clone()), ..known.clone() }, "nats_tls.ca"),
        (Tls { ca: Some(no_certificate), ..known.clone() }, "nats_tls.ca"),
        (Tls { certificate: Some((missing.clone(), own.1.clone())), ..known.clone() }, "nats_tls.certificate"),
        (Tls { certificate: Some((own.0.clone(), missing)), ..known }, "nats_tls.key"),
    ] {
        let words = open(tls).expect_err("a file that is none").to_string();
        assert!(words.starts_with(&format!("{field}: {}", folder.path().display())), "{words}");
    }
}
