//! The largest floor with the longest names, rounds at all tables and as many alerts as it keeps: the pit's message stays small.

use floor::{AlertKind, Body, Post, Sender, StaffId, TableId};
use futures_util::future::join_all;

use crate::harness::*;

/// A message to the pit never has more bytes (docs/operations.md, Alerts).
const LARGEST: usize = 2 * 1024 * 1024;
/// Tables that a dealer has, with bets open; the others are closed.
const DEALT: usize = 900;

/// Sends commands of one person, all of which are accepted.
async fn all(host: &Host, who: &Person, bodies: impl Iterator<Item = Body>) {
    let sender = Sender::Staff(StaffId(u32::try_from(who.id).expect("an id")));
    let sent = bodies.map(|body| host.running.app.submit(sender, who.next(), body));
    for answer in join_all(sent).await {
        answer.map_err(|error| error.error.message.en).expect("done");
    }
}

/// As many tables as a floor may have, each with the longest name, as many open ones as have a dealer, and all alerts.
async fn largest(host: &Host) -> Table {
    let table = host.table("rws-sicbo").await;
    let (app, administrator) = (&host.running.app, host.administrator().await);
    let (rulebook, settings, mode) = app.read(|floor| {
        let rulebook = floor.rulebooks().find(|rulebook| rulebook.id() == "rws-sicbo").expect("a rulebook").hash();
        (rulebook, floor.tables()[0].settings().clone(), floor.tables()[0].mode())
    });
    let second = administrator_of(host, "administrator2").await;
    let name = |number: usize| format!("{number:\u{10ffff}>64}");
    let add = |number: usize| Body::AddTable {
        name: name(number),
        rulebook,
        mode,
        settings: Box::new(settings.clone()),
        witness: Some(second),
    };
    let ids = |many: usize| (1..many).map(|number| TableId(u16::try_from(number).expect("a table")));
    all(host, &administrator, (1..floor::bounds::TABLES).map(add)).await;
    all(host, &table.manager, ids(DEALT).map(|table| Body::OpenTable { table })).await;
    all(host, &table.dealer, ids(DEALT).map(|table| Body::TakeTable { table })).await;
    all(host, &table.dealer, ids(DEALT).map(Body::open_bets)).await;
    let staff =
        (0..200).map(|number| Body::AddStaff { name: name(number), post: Post::Cashier, witness: Some(second) });
    all(host, &administrator, staff).await;
    let long = "\u{10ffff}".repeat(900);
    for id in ids(floor::bounds::TABLES) {
        for n in 0..3 {
            let what = AlertKind::Host(format!("{n} {long}"));
            let _ = app.own_unanswered(Body::RaiseAlert { table: Some(id), what });
        }
    }
    table
}

async fn administrator_of(host: &Host, login: &str) -> StaffId {
    let person = Person::sign_in(host, login, PASSWORD).await;
    StaffId(u32::try_from(person.id).expect("an id"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_to_the_pit_is_small_with_a_thousand_tables() {
    let host = Host::floor().await;
    let table = largest(&host).await;
    let mut pit = Feed::open(&table.supervisor.client, "/feed/pit", None).await;
    let tables = |feed: &Feed| feed.view["pit"]["tables"].as_array().cloned().unwrap_or_default();
    pit.until("tables and alerts", |feed| !tables(feed).is_empty() && feed.view["pit"]["more_alerts"] != 0).await;
    // None is forgotten, and none that is closed takes the place of an open one.
    let shown = tables(&pit);
    assert!(shown.len() > 100, "{} tables", shown.len());
    assert_eq!(pit.view["pit"]["more_tables"], floor::bounds::TABLES - shown.len());
    assert!(shown.iter().all(|one| one["table"]["open"] == true), "open ones first");
    assert!(shown.is_sorted_by_key(|one| one["table"]["id"].as_u64()), "in their order");
    assert_eq!(pit.view["pit"]["alerts"].as_array().map(Vec::len), Some(100));
    // What follows a change is no larger than what came first.
    let round = |feed: &Feed| tables(feed).iter().any(|one| one["table"]["id"] == table.id && !one["round"].is_null());
    // The page reads meanwhile: a feed that does not is ended.
    tokio::join!(table.does("/open-bets", json!({ "affirmed": [] })), pit.until("the round", round));
    let bytes: Vec<usize> = pit.messages.iter().map(|message| message.to_string().len()).collect();
    assert!(bytes.iter().all(|bytes| *bytes < LARGEST), "{bytes:?} bytes");
    // Who can do something about the others reaches them: by their number.
    let last = format!("/tables/{}/open", floor::bounds::TABLES - 1);
    table.manager.ok(&last, json!({})).await;
}
