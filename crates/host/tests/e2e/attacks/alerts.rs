//! Alerts: a flood of refused sign-ins hides nothing, and the pit's message stays small.

use floor::{AlertKind, Body};

use super::both_with;
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_sign_ins_do_not_hide_a_device_fault() {
    for host in both_with(|_| {}).await {
        let table = host.table("rws-sicbo").await;
        let (_, mut device) = host.device(&table, "tumbler").await;
        let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
        // As much as 2,300 attempts, without the wait that each password costs.
        for n in 0..2_300 {
            host.running.app.significant(format!("Sign-in of 'anna{n}' was refused"), true);
        }
        device.ask(json!({ "type": "observe", "observation": { "fault": { "number": 7 } } })).await;
        let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
        let alerts = |feed: &Feed| feed.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
        pit.until("the fault", |feed| alerts(feed).iter().any(|alert| alert["kind"] == "device_fault")).await;
        let alerts = alerts(&pit);
        assert_eq!(alerts[0]["kind"], "device_fault", "the gravest first: {alerts:?}");
        assert_eq!(alerts.iter().filter(|alert| alert["kind"] == "access").count(), 1, "{alerts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_to_the_pit_is_small_whatever_happens() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    // The longest words in the longest letters, of every kind that takes words.
    let words = |n: usize| format!("{n} {}", "\u{10ffff}".repeat(900));
    for n in 0..floor::bounds::ALERTS {
        for what in [AlertKind::Host(words(n)), AlertKind::Integrity(words(n))] {
            let _ = host.running.app.own_unanswered(Body::RaiseAlert { table: None, what });
        }
    }
    let _ = host.running.app.own_unanswered(Body::RaiseAlert { table: None, what: AlertKind::Access(words(0), 1) });
    let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
    pit.until("all alerts", |feed| feed.view["pit"]["more_alerts"].as_u64() >= Some(901)).await;
    let largest = pit.messages.iter().map(|message| message.to_string().len()).max().expect("messages");
    let alerts = pit.view["pit"]["alerts"].to_string().len();
    assert!(alerts < 200 * 1024, "{alerts} bytes of alerts");
    assert!(largest < 256 * 1024, "{largest} bytes with a single table");
    drop(table);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_break_in_a_login_keeps_nothing_out_of_the_record() {
    for host in both_with(|_| {}).await {
        let login = "anna\nINFO everything is fine";
        let refused = host.nobody().post("/session", json!({ "login": login, "password": "wrong password" })).await;
        assert!(refused.status.is_client_error());
        let auditor = host.employ("auditor", "auditor-1").await;
        let recorded = async || {
            let events = auditor.client.get("/records/events?limit=200").await.ok();
            let words = |event: &Value| event["words"].as_str().unwrap_or_default().to_owned();
            let all: Vec<String> = events["events"].as_array().expect("events").iter().map(words).collect();
            assert!(all.iter().all(|words| !words.chars().any(char::is_control)), "{all:?}");
            all.iter().any(|words| words.contains("anna"))
        };
        within("the refused sign-in", async { while !recorded().await {} }).await;
    }
}
