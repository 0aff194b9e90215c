//! Alerts: a flood of refused sign-ins hides nothing, and the pit's message stays small.

use floor::{AlertKind, Body, Sender, StaffId, TableId, TerminalId, TicketHash};
use futures_util::future::join_all;
use rulebook::Cents;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{both_with, over_both};
use crate::harness::*;

/// So many sign-ins that are refused, a hundred at a time over one connection.
pub async fn flood(client: &Client, many: usize) {
    let path = client.path("/session");
    for hundred in 0..many.div_ceil(100) {
        let mut line = client.connect().await.expect("a connection");
        let mut requests = String::new();
        for number in 0..100 {
            let body =
                json!({ "login": format!("anna{hundred}x{number}"), "password": "not the password" }).to_string();
            let close = if number == 99 { "connection: close\r\n" } else { "" };
            requests += &format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{close}content-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
        let mut answers = Vec::new();
        let (mut read, mut write) = tokio::io::split(&mut line);
        let sends = async {
            let _ = write.write_all(requests.as_bytes()).await;
            let _ = write.flush().await;
        };
        within("answers", async { tokio::join!(sends, read.read_to_end(&mut answers)) }).await.1.unwrap_or_default();
        let answers = String::from_utf8_lossy(&answers);
        let refused = ["401", "429", "503"].map(|status| answers.matches(&format!("HTTP/1.1 {status}")).count());
        assert_eq!(refused.iter().sum::<usize>(), 100, "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_sign_ins_do_not_hide_a_device_fault() {
    for host in both_with(|_| {}).await {
        fault_in_a_flood(&host, 2_300).await;
    }
}

/// A device fault is seen at the pit, whatever number of sign-ins was refused before.
pub async fn fault_in_a_flood(host: &Host, many: usize) {
    let table = host.table("rws-sicbo").await;
    let (_, mut device) = host.device(&table, "tumbler").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    flood(&host.anonymous().from([127, 0, 0, 66]), many).await;
    device.ask(json!({ "type": "observe", "observation": { "fault": { "number": 7 } } })).await;
    let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
    let alerts = |feed: &Feed| feed.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
    let seen = |feed: &Feed, kind: &str| alerts(feed).iter().filter(|alert| alert["kind"] == kind).count();
    pit.until("the fault", |feed| seen(feed, "device_fault") > 0 && seen(feed, "access") > 0).await;
    let shown = alerts(&pit);
    let place = |kind: &str| shown.iter().position(|alert| alert["kind"] == kind);
    assert!(place("device_fault") < place("access"), "the gravest first: {shown:?}");
    assert_eq!(seen(&pit, "access"), 1, "{shown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_to_the_pit_is_small_whatever_happens() {
    over_both(small_message).await;
}

pub async fn small_message(host: &Host) {
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
    let tables = host.running.app.read(|floor| floor.tables().len());
    assert!(largest < (192 + 64 * tables) * 1024, "{largest} bytes with {tables} tables");
    drop(table);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_break_in_a_login_keeps_nothing_out_of_the_record() {
    over_both(line_break).await;
}

pub async fn line_break(host: &Host) {
    let login = "anna\nINFO everything is fine";
    let refused = host.anonymous().post("/session", json!({ "login": login, "password": "wrong password" })).await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_device_that_reports_hundreds_of_faults_hides_no_other() {
    for host in both_with(|config| config.messages_per_second = 100_000).await {
        one_device(&host).await;
    }
}

/// At a host that takes any number of messages a second.
pub async fn one_device(host: &Host) {
    let (table, other) = (host.table("rws-sicbo").await, host.table("rws-sicbo").await);
    let (_, mut faulty) = host.device(&table, "tumbler").await;
    let (id, mut device) = host.device(&other, "tumbler").await;
    let fault = |number: usize| json!({ "type": "observe", "observation": { "fault": { "number": number } } });
    for number in 0..600 {
        faulty.ask(fault(number)).await;
    }
    device.ask(fault(7)).await;
    let supervisor = host.employ("pit_supervisor", "supervisor-9").await;
    let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
    pit.until("the alerts", |feed| feed.view["pit"]["alerts"].is_array()).await;
    let alerts = pit.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
    let faults: Vec<&Value> = alerts.iter().filter(|alert| alert["kind"] == "device_fault").collect();
    let words = |place: usize| faults[place]["words"]["en"].as_str().unwrap_or_default();
    assert_eq!(faults.len(), 2, "one line for each device: {alerts:?}");
    assert!(words(0).contains("fault 7"), "the newest first: {alerts:?}");
    assert!(words(1).contains("fault 599") && words(1).contains("600 faults"), "{alerts:?}");
    host.running.app.read(|floor| {
        let own = floor::AlertKind::DeviceFault(floor::DeviceId(u16::try_from(id).expect("a device")), 7);
        assert!(floor.alerts().any(|alert| *alert.what() == own));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_alert_is_among_those_that_the_pit_is_shown() {
    over_both(every_kind).await;
}

pub async fn every_kind(host: &Host) {
    let _table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-9").await;
    for n in 0..300 {
        let what = AlertKind::Integrity(format!("doubt {n}"));
        let _ = host.running.app.own_unanswered(Body::RaiseAlert { table: None, what });
    }
    let what = AlertKind::Host("the disk is full".to_owned());
    host.running.app.own(Body::RaiseAlert { table: None, what }).await.expect("an alert");
    let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
    pit.until("the alerts", |feed| feed.view["pit"]["alerts"].is_array()).await;
    let alerts = pit.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
    assert_eq!(alerts.len(), 100);
    assert!(alerts.iter().any(|alert| alert["kind"] == "host"), "{alerts:?}");
    assert!(alerts[0]["words"]["en"].as_str().is_some_and(|words| words.contains("doubt 299")), "{:?}", alerts[0]);
}

/// Terminals with the longest names that have cashed out and whose printers never report.
async fn in_doubt(host: &Host, table: &Table, many: u32) {
    let app = &host.running.app;
    let administrator = host.administrator().await;
    let who = |person: &Person| Sender::Staff(StaffId(u32::try_from(person.id).expect("an id")));
    let id = TableId(u16::try_from(table.id).expect("a table"));
    let first = app.read(|floor| u32::try_from(floor.terminals().len()).expect("few"));
    let all = async |body: &dyn Fn(TerminalId) -> (Sender, u64, Body)| {
        let sent = (first..first + many).map(|number| body(TerminalId(number)));
        let answers = join_all(sent.map(|(sender, number, body)| app.submit(sender, number, body))).await;
        for answer in answers {
            answer.map_err(|error| error.error.message.en).expect("done");
        }
    };
    let name = |id: TerminalId| format!("{:\u{10ffff}>64}", id.0);
    all(&|id_of| {
        let (kind, layout) = ("standard".to_owned(), "a".to_owned());
        let body = Body::EnrolTerminal { table: id, name: name(id_of), kind, layout };
        (who(&administrator), administrator.next(), body)
    })
    .await;
    join_all((first..first + many).map(|id| app.own(Body::TerminalBack { terminal: TerminalId(id) }))).await;
    let witness = Some(StaffId(u32::try_from(table.supervisor.id).expect("an id")));
    all(&|terminal| {
        let body = Body::AttendantIn { terminal, amount: Cents::new(100), witness };
        (who(&table.manager), table.manager.next(), body)
    })
    .await;
    all(&|terminal| {
        let mut hash = [0; 16];
        hash[..4].copy_from_slice(&terminal.0.to_be_bytes());
        (Sender::Terminal(terminal), 1, Body::PrepareTicket { terminal, number: TicketHash(hash) })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_tickets_in_doubt_make_no_large_message_and_all_can_be_listed() {
    const MANY: u32 = 10_000;
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    in_doubt(&host, &table, MANY).await;
    let mut pit = Feed::open(&table.supervisor.client, "/feed/pit", None).await;
    pit.until("the lists", |feed| feed.view["pit"]["more"]["doubts"] == MANY - 100).await;
    let shown = &pit.view["pit"];
    assert_eq!(shown["doubts"].as_array().map(Vec::len), Some(100));
    assert_eq!(shown["more"]["doubtful"], "10000.00");
    let largest = pit.messages.iter().map(|message| message.to_string().len()).max().expect("messages");
    assert!(largest < (640 + 64) * 1024, "{largest} bytes with a single table");
    // The whole list in parts, each ticket once, for those of the pit.
    let mut known = std::collections::BTreeSet::new();
    for from in (0..MANY).step_by(1_000) {
        let part = table.supervisor.client.get(&format!("/pit/doubts?from={from}&limit=5000")).await.ok();
        assert_eq!(part["total"], MANY);
        let rows = part["doubts"].as_array().expect("rows");
        assert_eq!(rows.len(), 1_000, "no more at once");
        known.extend(rows.iter().map(|row| row["ticket"].as_u64().expect("a ticket")));
    }
    assert_eq!(known.len(), MANY as usize);
    for list in ["payables", "stops", "staff", "moved", "calls", "links"] {
        let part = table.supervisor.client.get(&format!("/pit/{list}")).await.ok();
        assert!(part["total"].is_u64() && part[list].is_array(), "{list}: {part}");
    }
    assert_eq!(table.dealer.client.get("/pit/doubts").await.status, 403);
    assert_eq!(host.anonymous().get("/pit/doubts").await.status, 401);
    assert_eq!(table.supervisor.client.get("/pit/everything").await.status, 404);
}
