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
    let anonymous = Client::new(running.address, "demo");
    for table in 0..5 {
        let display = Feed::open(&anonymous, &format!("/feed/display/{table}"), None).await;
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
    let anonymous = Client::new(running.address, "demo");
    for table in 0..5 {
        let mut display = Feed::open(&anonymous, &format!("/feed/display/{table}"), None).await;
        // A result, and a second round after it.
        display.event_since(0, "round_settled").await;
        let known = display.events.len();
        display.event_since(known, "bets_opened").await;
    }
    // What the devices did made sense, at each table in the order of its document.
    let manager = json!({ "login": "manager1", "password": "demonstration" });
    let signed = anonymous.header("x-croupier", "1").post("/session", manager).await;
    let cookie = signed.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let alerts = anonymous.header("cookie", cookie).get("/records/events?kind=alert").await.ok();
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
        ("link_dead", "D19"),
        ("power_fails", "D21, D22"),
        ("display_fails", "D21"),
        ("terminals_fail", "D21"),
        ("ground_declared", "D23"),
        ("taken_over", "D26"),
        ("second_person_called", "D28"),
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
        for fault in [
            "display_fails",
            "terminals_fail",
            "power_fails",
            "ground_declared",
            "taken_over",
            "second_person_called",
            "printer_silent",
            "terminal_lost",
            "out_of_service",
        ] {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d20_the_menu_of_a_live_table_shows_chips_that_are_recorded_late() {
    let host = Host::demonstration_with(|config| config.demonstration_pace = 5).await;
    let dealer = host.demo_staff("dealer1").await;
    let live = |table: &&floor::Table| table.mode() == floor::TableMode::BetsRecorded;
    let table = host.running.app.read(|floor| floor.tables().iter().find(live).map(floor::Table::id));
    let table = table.expect("a live table");
    let mut console = Feed::open(&dealer.client, &format!("/feed/console/{table}"), None).await;
    console.event_since(0, "bets_closed").await;
    let path = format!("/demonstration/tables/{table}/device");
    within("late chips", async {
        // Before the close, and once the dice can be seen, it is refused and tried again.
        while dealer.client.post(&path, json!({ "do": "fault", "fault": "late_chips" })).await.status != 204 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let marked = |feed: &Feed| feed.view.to_string().contains(r#""late":[{"#);
    console.until("the chips are marked as late", marked).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d24_the_menu_of_a_wheel_shows_an_early_ball_that_the_shift_manager_lets_stand() {
    let host = Host::demonstration_with(|config| config.demonstration_pace = 5).await;
    let dealer = host.demo_staff("dealer1").await;
    let table = host.running.app.read(|floor| {
        let wheel =
            |table: &&floor::Table| floor.rulebook_of(table).is_some_and(|book| book.outcomes().wheel().is_some());
        floor.tables().iter().find(wheel).map(floor::Table::id).expect("it is there")
    });
    let mut console = Feed::open(&dealer.client, &format!("/feed/console/{table}"), None).await;
    let path = format!("/demonstration/tables/{table}/device");
    within("an outcome is chosen", async {
        loop {
            // Where no bets are open, it is tried again; so it is where a player has changed a bet after the ball rested.
            while dealer.client.post(&path, json!({ "do": "fault", "fault": "outcome_chosen" })).await.status != 204 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            let known = console.events.len();
            let decided = console.event_since(known, "decided").await;
            let round = floor::RoundId(decided["round"].as_u64().expect("a round"));
            let outcome = |floor: &floor::Floor| floor.table(table)?.archived(round)?.outcome();
            if host.running.app.read(outcome).is_some() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_was_switched_off_does_not_deal_after_a_restart() {
    let host = Host::demonstration_with(|config| config.demonstration_pace = 20).await;
    let dealer = host.demo_staff("dealer1").await;
    let switch = async |table: u16, on: bool| {
        let path = format!("/demonstration/tables/{table}/automatic");
        assert_eq!(dealer.client.post(&path, json!({ "on": on })).await.status, 204);
    };
    for (table, on) in [(0, false), (1, false), (1, true), (3, false)] {
        switch(table, on).await;
    }
    let host = host.restart(release(1)).await;
    let mut automatic = Vec::new();
    for table in 0..5 {
        let display = Feed::open(&host.anonymous(), &format!("/feed/display/{table}"), None).await;
        automatic.push(display.view["table"]["automatic"].clone());
    }
    assert_eq!(json!(automatic), json!([false, true, true, false, true]), "as people left it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d19_the_automatic_dealer_goes_on_with_a_device_that_was_running_when_the_program_ended() {
    let host = Host::demonstration_with(|config| {
        config.demonstration_pace = 5;
        config.demonstration_deals = false;
    })
    .await;
    // The Open Cover table, at which no one deals yet: the device says that it runs, and nothing more.
    let table = host.running.app.read(|floor| {
        let open = |table: &&floor::Table| floor.rulebook_of(table).is_some_and(|book| book.id() == "rws-sicbo-open");
        floor.tables().iter().find(open).map(floor::Table::id).expect("it is there")
    });
    let demonstration = host.running.app.demonstration.clone().expect("a demonstration");
    let demo = demonstration.table(table).expect("it is there");
    let send = async |sender, body| demonstration.send(&host.running.app, sender, body).await.map(drop);
    let dealer = floor::Sender::Staff(demo.dealer);
    let _ = send(dealer, floor::Body::TakeTable { table }).await;
    send(dealer, floor::Body::OpenBets { table, affirmed: Vec::new() }).await.expect("bets open");
    send(dealer, floor::Body::CloseBets { table }).await.expect("they close");
    let round = || host.running.app.read(|floor| floor.table(table).and_then(floor::Table::round).cloned());
    within("the close is shown", async {
        while round().is_none_or(|round| round.awaiting() > 0) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let running = floor::Body::Observe(floor::Observation::Activated);
    send(floor::Sender::Device(demo.device), running).await.expect("it is set off");
    let held = round().filter(|round| round.seen().running).expect("a round that waits for it").id();
    let dealer = host.demo_staff("dealer1").await;
    let mut console = Feed::open(&dealer.client, &format!("/feed/console/{table}"), None).await;
    let path = format!("/demonstration/tables/{table}/automatic");
    assert_eq!(dealer.client.post(&path, json!({ "on": true })).await.status, 204);
    let settled = console.event_since(0, "round_settled").await;
    assert_eq!(settled["round"], held.0, "the device was taken out of service, and the dealer affirmed");
}
