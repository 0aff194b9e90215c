//! Pages of other sites: they open no feed and change nothing, and our own may connect to the floor's hosts alone.

use super::{both, both_with};
use crate::harness::*;

/// Whether a feed is opened for a page of this origin.
pub async fn opens(client: &Client, below: &str, origin: &str) -> bool {
    Feed::connect(&client.header("origin", origin), below).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_site_opens_no_feed() {
    for host in both().await {
        let table = host.table("rws-sicbo").await;
        let terminal = host.terminal(&table, "standard", "a").await;
        let scheme = if host.tls.is_some() { "https" } else { "http" };
        let own = format!("{scheme}://{}", host.address());
        let terminal = format!("/feed/terminal/{}", terminal.id);
        let console = format!("/feed/console/{}", table.id);
        let display = format!("/feed/display/{}", table.id);
        let (nobody, dealer) = (host.nobody(), table.dealer.client.clone());
        for (client, below) in [(&nobody, &display), (&nobody, &terminal), (&dealer, &console)] {
            for origin in ["https://elsewhere.example", "null", "http://127.0.0.1:1", "file://", ""] {
                assert!(!opens(client, below, origin).await, "{below} for {origin}");
            }
            assert!(opens(client, below, &own).await, "{below} for {own}");
            assert!(Feed::connect(client, below).await.is_ok(), "{below} for a client that is no browser");
        }
        // A name that an attacker lets lead to this machine does not become ours.
        let rebound = nobody.header("host", "rebound.example").header("origin", "http://rebound.example");
        assert!(Feed::connect(&rebound, &display).await.is_err());
        let sign_in = json!({ "login": "administrator", "password": PASSWORD });
        let answer = nobody.header("origin", "https://elsewhere.example").post("/session", sign_in).await;
        assert_eq!(answer.refusal(), (403, "forbidden"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn origins_in_the_settings_are_allowed_and_pages_may_connect_to_them() {
    for host in both_with(|config| config.origins = vec!["https://tables.example".to_owned()]).await {
        let table = host.table("rws-sicbo").await;
        let below = format!("/feed/display/{}", table.id);
        assert!(opens(&host.nobody(), &below, "https://tables.example").await);
        assert!(!opens(&host.nobody(), &below, "https://tables.example.elsewhere.example").await);
        let policy = host.nobody().get_root("/").await.header("content-security-policy").to_owned();
        let connect = policy.split(';').find(|part| part.trim().starts_with("connect-src")).expect("a part").trim();
        assert_eq!(connect, "connect-src 'self' https://tables.example wss://tables.example", "{policy}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_single_host_connect_to_it_alone_and_nothing_but_static_files_is_stored() {
    for host in both().await {
        let person = host.administrator().await;
        for path in ["/", "/healthz", "/metrics", "/openapi.json", "/api/v1/floors/main", "/api/v1/floors/main/session"]
        {
            let answer = person.client.get_root(path).await;
            let policy = answer.header("content-security-policy");
            assert!(policy.contains("connect-src 'self';"), "{path}: {policy}");
            let stored = answer.header("cache-control");
            assert_eq!(stored, if path == "/" && stored == "no-cache" { "no-cache" } else { "no-store" }, "{path}");
            let strict = answer.header("strict-transport-security");
            assert_eq!(strict.contains("max-age=31536000"), host.tls.is_some(), "{path}: {strict}");
        }
    }
}
