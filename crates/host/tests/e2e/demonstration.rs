//! The demonstration deals by itself, and stops on request.

use std::time::{Duration, Instant};

use host::Config;
use serde_json::json;

use crate::harness::{Client, Feed, Host, config, release, start_with, within};

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
    assert!(!alerts.to_string().contains("out-of-sequence"), "{alerts}");
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(20), "it stops when it is told to");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_menu_of_faults_shows_what_can_happen_at_a_table() {
    let host = Host::demonstration_with(|config| config.demonstration_pace = 20).await;
    let dealer = host.demo_staff("dealer1").await;
    let mut console = Feed::open(&dealer.client, "/feed/console/0", None).await;
    let has = |feed: &Feed, fault: &str| {
        feed.view["faults"].as_array().is_some_and(|rows| rows.iter().any(|row| row["fault"] == fault))
    };
    for (fault, rule) in [
        ("second_tumble", "D18"),
        ("silent", "D19"),
        ("stops_reporting", "D19"),
        ("disagree", "D19"),
        ("late_report", "D19"),
        ("out_of_service", "D19"),
        ("power_fails", "D21"),
        ("printer_silent", "D25"),
        ("terminal_lost", "S18"),
    ] {
        console.until("the menu", |feed| has(feed, fault)).await;
        let rows = console.view["faults"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["fault"] == fault).expect("it is there");
        assert_eq!(row["rule"], rule, "{fault}");
    }
    let show = async |fault: &str| {
        let order = json!({ "do": "fault", "fault": fault });
        dealer.client.post("/demonstration/tables/0/device", order).await
    };
    // Players have bought in once the first bets are open.
    console.event_since(0, "bets_opened").await;
    within("what is shown", async {
        for fault in ["power_fails", "printer_silent", "terminal_lost", "out_of_service"] {
            // Where it is refused, as between rounds, it is tried again.
            while show(fault).await.status != 204 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    })
    .await;
    // The automatic dealer goes on: the interruption is attested, and the device comes back.
    let known = console.events.len();
    console.event_since(known, "round_settled").await;
    let in_doubt = host.running.app.read(|floor| floor.terminals().iter().any(|one| one.prepared().is_positive()));
    assert!(in_doubt, "the ticket whose printer did not report stays in doubt (D25)");
}
