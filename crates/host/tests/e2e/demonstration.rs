//! The demonstration deals by itself, and stops when it is told to.

use std::time::{Duration, Instant};

use host::Config;
use serde_json::json;

use crate::harness::{Client, Feed, config, release, start_with};

#[tokio::test(flavor = "multi_thread")]
async fn a_demonstration_can_wait_for_people_to_deal() {
    let folder = tempfile::tempdir().expect("a folder");
    let still = Config { demonstration_deals: false, demonstration_pace: 5, ..config(folder.path()) };
    let running = start_with(still, true, release(1)).await;
    let nobody = Client::new(running.address, "demo");
    for table in 0..5 {
        let display = Feed::open(&nobody, &format!("/feed/display/{table}"), None).await;
        assert_eq!(
            (&display.view["table"]["automatic"], &display.view["table"]["open"]),
            (&false.into(), &true.into())
        );
        assert!(display.view["round"].is_null());
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_of_the_demonstration_deals_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let quick = Config { demonstration_pace: 5, ..config(folder.path()) };
    let running = start_with(quick, true, release(1)).await;
    let nobody = Client::new(running.address, "demo");
    for table in 0..5 {
        let mut display = Feed::open(&nobody, &format!("/feed/display/{table}"), None).await;
        // A result, and a second round after it.
        display.event_since(0, "round_settled").await;
        let known = display.events.len();
        display.event_since(known, "bets_opened").await;
    }
    // What the devices did made sense, at each table in the order of its document.
    let manager = json!({ "login": "manager1", "password": "demonstration" });
    let signed = nobody.header("x-croupier", "1").post("/session", manager).await;
    let cookie = signed.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let alerts = nobody.header("cookie", cookie).get("/records/events?kind=alert").await.ok();
    assert!(!alerts.to_string().contains("no sense"), "{alerts}");
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(20), "it stops when it is told to");
}
