//! What an operator sees: health, metrics, headers, TLS, a stop that is announced.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use hyper::Method;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_says_that_it_lives_and_is_ready() {
    let host = Host::floor().await;
    let client = host.anonymous();
    assert_eq!(client.get_root("/healthz").await.status, 200);
    assert_eq!(client.get_root("/readyz").await.status, 200);
    let figures = client.get_root("/metrics").await;
    assert_eq!(figures.status, 200);
    assert!(figures.header("content-type").starts_with("text/plain"));
    let document = client.get_root("/openapi.json").await.ok();
    assert_eq!(document["openapi"], "3.1.0");
}

/// The names of metrics in a file that is shipped.
fn names_of(shipped: &str) -> BTreeSet<&str> {
    let words = shipped.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let metric = |word: &&str| word.starts_with("croupier_") && !word.ends_with('_');
    words.filter(metric).map(|word| word.strip_suffix("_bucket").unwrap_or(word)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_of_the_dashboard_and_the_rules_exists() {
    let host = Host::floor().await;
    let client = host.anonymous();
    // From the first request for them, metrics are collected.
    client.get_root("/metrics").await;
    let table = host.table("rws-sicbo").await;
    table.open_bets("rws-sicbo").await;
    assert!(!table.dealer.command(&table.path("/open-bets"), json!({ "affirmed": [] })).await.status.is_success());
    table.close_bets(&mut []).await;
    table.result("1-2-3").await;
    let shipped = [
        include_str!("../../../../deploy/grafana/croupier.json"),
        include_str!("../../../../deploy/prometheus/croupier.rules.yml"),
    ];
    let mut missing: BTreeSet<&str> = shipped.into_iter().flat_map(names_of).collect();
    assert!(missing.len() > 20, "{missing:?}");
    // The bias watch follows play at its own pace.
    for _ in 0..10_000 {
        let figures = client.get_root("/metrics").await.text;
        missing.retain(|name| !figures.contains(&format!("# TYPE {name} ")));
        if missing.is_empty() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("no such metrics: {missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_told_to_every_client() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let mut display = Feed::open(&host.anonymous(), &format!("/feed/display/{}", table.id), None).await;
    let Host { running, folder, .. } = host;
    let address = running.address;
    let stopped = tokio::spawn(running.stop());
    assert_eq!(feed.bye().await, "stopping");
    assert_eq!(display.bye().await, "stopping");
    within("the stop", stopped).await.expect("a stop in order");
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "the port is closed");
    drop(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_administrators_password_is_made_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |password: Option<String>| host::Start {
        passwords: [password, None],
        config: config(folder.path()),
        demonstration: false,
        new_credentials: host::NewCredentials::Refused,
        release: release(1),
        led: std::sync::Arc::default(),
    };
    // A failed start has created nothing and printed nothing.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("an address");
    let mut in_vain = start(None);
    in_vain.config.listen = taken.local_addr().expect("its address");
    let failed = host::start(in_vain).await.err().expect("no start");
    assert!(matches!(failed, host::StartError::Listen { .. }) && !failed.may_pass(), "{failed}");
    let running = host::start(start(None)).await.expect("a start");
    let passwords = running.passwords.clone();
    let [(_, password), (second, other)] = &passwords[..] else { panic!("{passwords:?}") };
    assert_eq!(second, "administrator2");
    assert_ne!(password, other, "one for each");
    let password = password.clone();
    assert!(password.len() >= 16);
    running.stop().await;
    let running = host::start(start(None)).await.expect("another start");
    assert!(running.passwords.is_empty(), "they are printed once");
    let host = Host { running, folder, floor: "main".to_owned(), tls: None };
    let first = Person::sign_in(&host, "administrator", &password).await;
    // Who started the program has seen it: nothing goes before another one.
    assert_eq!(first.client.get("/session").await.ok()["must_change"], true);
    first.refused("/powers", json!({ "act": "hand-pay", "rank": "pit_manager" }), "password_change").await;
    let change = json!({ "old": password, "new": PASSWORD });
    assert_eq!(first.client.post("/session/password", change).await.status, 204);
    first.refused("/powers", json!({ "act": "hand-pay", "rank": "pit_manager" }), "second_person").await;
    // The second one neither signs nor signs in with what was given to the first.
    let other = json!({ "login": "administrator2", "password": PASSWORD });
    assert_eq!(host.anonymous().post("/session", other).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_that_is_given_is_the_first_administrators_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let given = "given on the command line";
    let running = host::start(host::Start {
        passwords: [Some(given.to_owned()), None],
        config: config(folder.path()),
        demonstration: false,
        new_credentials: host::NewCredentials::Refused,
        release: release(1),
        led: std::sync::Arc::default(),
    })
    .await
    .expect("a start");
    let [(_, first), (_, second)] = &running.passwords[..] else { panic!("{:?}", running.passwords) };
    assert_eq!(first, given);
    assert!(second != given && second.len() >= 16);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_is_spoken_with_a_certificate_and_plain_text_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.path().join("host.pem"), folder.path().join("host.key"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("closed to others");
    let mut settings = config(folder.path());
    settings.tls = Some(host::Tls { certificate: certificate.clone(), key, client_ca: None });
    let running = start_with(settings, false, release(1)).await;
    let host = Host { running, folder, floor: "main".to_owned(), tls: None };

    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate).expect("PEM")).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(settings));
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = tokio::net::TcpStream::connect(host.address()).await.expect("a connection");
    let stream = within("TLS", connector.connect(name, stream)).await.expect("TLS");
    let body = json!({ "login": "administrator", "password": PASSWORD }).to_string();
    let path = "/api/v1/floors/main/session";
    let answer = host.anonymous().send_on(stream, Method::POST, path, Some(body.into())).await;
    assert!(answer.header("set-cookie").contains("Secure"), "{}", answer.header("set-cookie"));
    answer.ok();
    let plain = Feed::connect(&host.anonymous(), "/feed/display/0").await;
    assert!(plain.is_err(), "plain text gets no feed from a host that speaks TLS");
}

#[test]
fn an_address_that_others_reach_needs_a_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = config(folder.path());
    settings.listen = std::net::SocketAddr::from(([0, 0, 0, 0], 0));
    let error = settings.check().expect_err("refused").to_string();
    assert!(error.contains("certificate"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_more_connection_than_an_address_may_have_is_not_taken() {
    let host = Host::with(|config| config.connections_per_address = 3).await;
    let open = || tokio::net::TcpStream::connect(host.address());
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(open().await.expect("a connection"));
    }
    let mut one_more = open().await.expect("the system takes it");
    let mut byte = [0_u8; 1];
    let read = within("the end", tokio::io::AsyncReadExt::read(&mut one_more, &mut byte)).await;
    assert!(matches!(read, Ok(0) | Err(_)), "the host has closed it");
    drop(held);
    within("room again", async {
        while host.nobody_tries().await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

impl Host {
    /// Asks for nothing, which fails where no connection is to be had.
    async fn nobody_tries(&self) -> std::io::Result<()> {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(self.address()).await?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        if text.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(std::io::Error::other("no answer")) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_orderly_stop_ends_journal_and_records_whoever_still_holds_the_floor() {
    let Host { running, folder, .. } = Host::floor().await;
    // As a report that is being written, or a simulated device that is being played.
    let held = Arc::clone(&running.app);
    let data = folder.path().join("data");
    running.stop().await;
    let last = held.read(floor::Floor::sequence);
    let file = rusqlite::Connection::open(data.join("records.sqlite")).expect("the records");
    let (sequence, clean): (u64, bool) =
        file.query_row("SELECT sequence, clean FROM meta", [], |row| Ok((row.get(0)?, row.get(1)?))).expect("a row");
    assert_eq!((sequence, clean), (last, true), "everything is in the records, and they were closed in order");
    let refused = held.own(floor::Body::CheckMeters).await.expect_err("the floor has ended");
    assert_eq!(refused.error.code, "stopped");
    let audit = engine::audit(vec![journal::RealDisk::to_read(&data)], &[], None, |_, _| {});
    assert_eq!((audit.last, audit.unsigned, audit.is_clean()), (last, 0, true), "the end is signed");
}
