//! Pages of other sites: they open no feed and change nothing, and our own may connect to the floor's hosts alone.

use super::{both_with, over_both};
use crate::harness::*;

/// Where the pages of a host are: at its address, or as it is advertised.
fn page_of(host: &Host, scheme: &str) -> String {
    let advertised = host.running.app.config.advertise.clone();
    let name = advertised.and_then(|url| url.split_once("://").map(|(_, name)| name.to_owned()));
    format!("{scheme}://{}", name.unwrap_or_else(|| host.address().to_string()))
}

/// Whether a feed is opened for a page of this origin.
pub async fn opens(client: &Client, below: &str, origin: &str) -> bool {
    Feed::connect(&client.header("origin", origin), below).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_site_opens_no_feed() {
    over_both(other_sites).await;
}

pub async fn other_sites(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let scheme = if host.tls.is_some() { "https" } else { "http" };
    let own = page_of(host, scheme);
    let terminal = format!("/feed/terminal/{}", terminal.id);
    let console = format!("/feed/console/{}", table.id);
    let display = format!("/feed/display/{}", table.id);
    let (anonymous, dealer) = (host.anonymous(), table.dealer.client.clone());
    for (client, below) in [(&anonymous, &display), (&anonymous, &terminal), (&dealer, &console)] {
        for origin in ["https://elsewhere.example", "null", "http://127.0.0.1:1", "file://", ""] {
            assert!(!opens(client, below, origin).await, "{below} for {origin}");
        }
        assert!(opens(client, below, &own).await, "{below} for {own}");
        assert!(Feed::connect(client, below).await.is_ok(), "{below} for a client that is no browser");
    }
    // A name that an attacker lets lead to this machine does not become ours.
    let rebound = anonymous.header("host", "rebound.example").header("origin", "http://rebound.example");
    assert!(Feed::connect(&rebound, &display).await.is_err());
    let sign_in = json!({ "login": "administrator", "password": PASSWORD });
    let answer = anonymous.header("origin", "https://elsewhere.example").post("/session", sign_in).await;
    assert_eq!(answer.refusal(), (403, "forbidden"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn origins_in_the_settings_are_allowed_and_pages_may_connect_to_them() {
    for host in both_with(|config| config.origins = vec!["https://tables.example".to_owned()]).await {
        in_the_settings(&host).await;
    }
}

/// At a host with the origin `https://tables.example` in its settings.
pub async fn in_the_settings(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    assert!(opens(&host.anonymous(), &below, "https://tables.example").await);
    assert!(!opens(&host.anonymous(), &below, "https://tables.example.elsewhere.example").await);
    let policy = host.anonymous().get_root("/").await.header("content-security-policy").to_owned();
    let connect = policy.split(';').find(|part| part.trim().starts_with("connect-src")).expect("a part").trim();
    // What is in the settings and, on a cluster, the other hosts of the floor: exactly these.
    let config = &host.running.app.config;
    let own = config.advertise.clone().unwrap_or_default();
    let scheme = own.split("://").next().unwrap_or_default();
    let others = ["one", "two"].map(|name| format!("{scheme}://{name}.example"));
    let pages = config.origins.iter().chain(others.iter().filter(|page| !own.is_empty() && **page != own));
    let feeds = |page: &String| [page.clone(), page.replacen("http", "ws", 1)];
    let own = feeds(&own);
    let mut allowed: Vec<&str> =
        connect.split(' ').skip(1).filter(|place| !own.iter().any(|own| own == place)).collect();
    let mut expected: Vec<String> = pages.flat_map(feeds).chain(["'self'".to_owned()]).collect();
    allowed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(allowed, expected, "{policy}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_single_host_connect_to_it_alone_and_nothing_but_static_files_is_stored() {
    over_both(nothing_stored).await;
}

pub async fn nothing_stored(host: &Host) {
    let person = host.administrator().await;
    for path in ["/", "/healthz", "/metrics", "/openapi.json", "/api/v1/floors/main", "/api/v1/floors/main/session"] {
        let answer = person.client.get_root(path).await;
        let policy = answer.header("content-security-policy");
        let alone = host.running.app.config.advertise.is_none();
        assert!(policy.contains(if alone { "connect-src 'self';" } else { "connect-src 'self' " }), "{path}: {policy}");
        let stored = answer.header("cache-control");
        assert_eq!(stored, if path == "/" && stored == "no-cache" { "no-cache" } else { "no-store" }, "{path}");
        let strict = answer.header("strict-transport-security");
        assert_eq!(strict.contains("max-age=31536000"), host.tls.is_some(), "{path}: {strict}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_without_tls_is_not_one_of_a_host_with_it_nor_the_other_way_round() {
    over_both(schemes).await;
}

pub async fn schemes(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    let (own, other) = if host.tls.is_some() { ("https", "http") } else { ("http", "https") };
    assert!(opens(&host.anonymous(), &below, &page_of(host, own)).await);
    assert!(!opens(&host.anonymous(), &below, &page_of(host, other)).await);
}

/// What is answered to a request with this name of a host.
async fn asked_as(host: &Host, name: &str, path: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut line = host.anonymous().connect().await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {name}\r\nconnection: close\r\n\r\n");
    line.write_all(request.as_bytes()).await.expect("sent");
    line.flush().await.expect("sent");
    let mut answer = Vec::new();
    let _ = within("an answer", line.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_name_reads_nothing() {
    for host in both_with(|config| config.origins = vec!["https://tables.example".to_owned()]).await {
        foreign_names(&host).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_with_two_origins_is_not_opened() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    for host in both_with(|_| {}).await {
        let table = host.table("rws-sicbo").await;
        let (name, path) = (host.address(), host.anonymous().path(&format!("/feed/display/{}", table.id)));
        let own = format!("{}://{name}", if host.tls.is_some() { "https" } else { "http" });
        let own = format!("origin: {own}\r\n");
        let other = "origin: https://elsewhere.example\r\n".to_owned();
        for (origins, status) in
            [(own.clone(), "101"), (format!("{own}{other}"), "403"), (format!("{own}{own}"), "403"), (other, "403")]
        {
            let mut line = host.anonymous().connect().await.expect("a connection");
            let request = format!(
                "GET {path} HTTP/1.1\r\nhost: {name}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                 sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{origins}\r\n"
            );
            line.write_all(request.as_bytes()).await.expect("sent");
            line.flush().await.expect("sent");
            let mut answer = [0; 12];
            within("an answer", line.read_exact(&mut answer)).await.expect("an answer");
            assert_eq!(String::from_utf8_lossy(&answer), format!("HTTP/1.1 {status}"), "{origins}");
        }
    }
}

/// At a host with the origin `https://tables.example` in its settings.
pub async fn foreign_names(host: &Host) {
    for path in ["/api/v1/floors/main", "/api/v1/host", "/metrics"] {
        assert!(asked_as(host, "rebound.example", path).await.contains(" 421 "), "{path}");
        for name in ["localhost:1", "127.0.0.1", "[::1]:8080", "Tables.example", "tables.example:8443"] {
            assert!(asked_as(host, name, path).await.contains(" 200 "), "{path} of {name}");
        }
    }
    for path in ["/", "/openapi.json", "/asyncapi.json", "/verify", "/log/checkpoint", "/log/policy", "/terminal/1"] {
        assert!(asked_as(host, "rebound.example", path).await.contains(" 421 "), "{path}");
        assert!(!asked_as(host, "tables.example", path).await.contains(" 421 "), "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        let answer = asked_as(host, "rebound.example", path).await;
        assert!(answer.contains(" 200 "), "a balancer may use any name for {path}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_are_for_staff_and_the_addresses_in_the_settings() {
    let behind_a_proxy = |config: &mut host::Config| {
        config.trusted_proxies = vec!["127.0.0.1".parse().expect("a network")];
        config.metrics_from = vec!["198.51.100.0/24".parse().expect("a network")];
    };
    for host in both_with(behind_a_proxy).await {
        figures(&host).await;
    }
}

/// At a host behind the proxy 127.0.0.1, whose figures are read from 198.51.100.0/24.
pub async fn figures(host: &Host) {
    let person = host.administrator().await;
    let from = |client: &Client, address: &str| client.header("x-forwarded-for", address);
    let read = async |client: Client| client.get_root("/metrics").await.status.as_u16();
    assert_eq!(read(from(&host.anonymous(), "203.0.113.9")).await, 403);
    assert_eq!(read(from(&host.anonymous(), "198.51.100.7")).await, 200);
    assert_eq!(read(from(&person.client, "203.0.113.9")).await, 200);
    assert_eq!(read(host.anonymous()).await, 200, "this machine");
    // A client that the proxy names unreadably is a stranger, and not the proxy.
    for unreadable in ["nonsense", "203.0.113.9, unknown", "nonsense, 127.0.0.1", ""] {
        assert_eq!(read(from(&host.anonymous(), unreadable)).await, 403, "{unreadable:?}");
    }
    assert_eq!(read(from(&person.client, "nonsense")).await, 200, "staff");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_names_one_host_and_asks_for_nothing_that_only_a_proxy_does() {
    over_both(one_host).await;
}

pub async fn one_host(host: &Host) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: elsewhere.example\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\n", "400"),
        ("GET /healthz HTTP/1.0\r\n", "200"),
        ("TRACE /healthz HTTP/1.1\r\nhost: localhost\r\n", "405"),
        ("TRACE / HTTP/1.1\r\nhost: localhost\r\n", "405"),
        ("CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n", "405"),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\n", "200"),
    ] {
        let mut line = host.anonymous().connect().await.expect("a connection");
        line.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await.expect("sent");
        line.flush().await.expect("sent");
        let mut answer = Vec::new();
        let _ = within("an answer", line.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{head}: {answer}");
    }
}
