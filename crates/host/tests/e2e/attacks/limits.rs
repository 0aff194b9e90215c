//! Connections: feeds count as long as they are open, strangers leave room for terminals and staff, and a silent client
//! cannot hold a connection.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::both_with;
use crate::harness::*;

/// Opens displays until one is refused, or there are so many.
async fn displays(client: &Client, table: &Table, most: usize) -> Vec<Feed> {
    let mut open = Vec::new();
    for _ in 0..most {
        let Ok(mut feed) = Feed::connect(client, &format!("/feed/display/{}", table.id)).await else { continue };
        feed.send(json!({ "type": "hello" })).await;
        feed.until("a snapshot", |feed| feed.sequence > 0).await;
        open.push(feed);
    }
    open
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feeds_count_against_the_connections_of_an_address() {
    for host in both_with(|config| config.connections_per_address = 20).await {
        feeds_count(&host).await;
    }
}

/// At a host with 20 connections for each address.
pub async fn feeds_count(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let stranger = host.anonymous().from([127, 0, 0, 9]);
    let open = displays(&stranger, &table, 60).await;
    assert!((15..=20).contains(&open.len()), "{} feeds with a limit of 20", open.len());
    drop(open);
    let again = async || displays(&stranger, &table, 1).await.len();
    within("places of feeds that ended", async { while again().await == 0 {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_leave_room_for_terminals_and_staff() {
    let few = |config: &mut host::Config| (config.connections, config.connections_reserved) = (40, 20);
    for host in both_with(few).await {
        room_is_left(&host).await;
    }
}

/// At a host with 40 connections, of which 20 are reserved.
pub async fn room_is_left(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, player) = host.seat(&table, "standard", "a", "100.00").await;
    // An attacker takes every connection that a stranger can get, from an unknown address.
    let attacker = host.anonymous().from([127, 0, 0, 9]);
    let open = displays(&attacker, &table, 50).await;
    assert!((10..=20).contains(&open.len()), "{} of 40 places", open.len());
    // A terminal that lost its link comes back, and staff work on.
    drop(player);
    let mut player = terminal.feed(host, None).await;
    let console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "accepted");
    drop((console, open));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_a_head_or_nothing_at_all_that_does_not_come_is_not_waited_for() {
    let quick = |config: &mut host::Config| (config.head_timeout_ms, config.body_timeout_ms) = (400, 400);
    for host in both_with(quick).await {
        stalled(&host).await;
    }
}

/// At a host that waits 400 ms for a head and for a body.
pub async fn stalled(host: &Host) {
    let head = "POST /api/v1/floors/main/session HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let begun = "content-length: 100\r\n\r\n{\"login\"";
    for (sent, answered) in [
        (format!("{head}{begun}"), true),
        (format!("{head}transfer-encoding: chunked\r\n\r\n5\r\n{{\"log"), true),
        (head.to_owned(), false),
        ("POST /".to_owned(), false),
        (String::new(), false),
    ] {
        let client = host.anonymous();
        let mut line = line::connect(client.address, client.tls.as_ref(), None).await.expect("a connection");
        let began = Instant::now();
        line.write_all(sent.as_bytes()).await.expect("sent");
        line.flush().await.expect("sent");
        let mut answer = Vec::new();
        let _ = within("the end of the connection", line.read_to_end(&mut answer)).await;
        assert!(began.elapsed() < Duration::from_secs(10), "{sent}: {:?}", began.elapsed());
        let answer = String::from_utf8_lossy(&answer);
        assert_eq!(answer.starts_with("HTTP/1.1 408"), answered, "{sent}: {answer}");
    }
    // A body that is announced as too large is not read at all.
    let too_large = format!("{head}content-length: 99999999\r\n\r\n");
    let client = host.anonymous();
    let mut line = line::connect(client.address, client.tls.as_ref(), None).await.expect("a connection");
    line.write_all(too_large.as_bytes()).await.expect("sent");
    line.flush().await.expect("sent");
    let mut answer = [0; 12];
    within("an answer", line.read_exact(&mut answer)).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_strangers_leave_room_for_those_who_were_known() {
    let few = |config: &mut host::Config| (config.connections, config.connections_reserved) = (40, 20);
    for host in both_with(few).await {
        let table = host.table("rws-sicbo").await;
        let (terminal, player) = host.seat(&table, "standard", "a", "100.00").await;
        drop(player);
        let host = host.restart(release(1)).await;
        let file = host.folder.path().join("data/addresses");
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        let open = displays(&host.anonymous().from([127, 0, 0, 9]), &table, 50).await;
        assert!((10..=20).contains(&open.len()), "{} of 40 places", open.len());
        let player = terminal.feed(&host, None).await;
        assert_eq!(player.view["own"]["credit"], "100.00");
        drop(open);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feeds_of_staff_and_terminals_count_against_the_totals_too() {
    let few = |config: &mut host::Config| (config.connections, config.connections_reserved) = (30, 10);
    for host in both_with(few).await {
        feeds_of_staff(&host).await;
    }
}

/// At a host with few connections.
pub async fn feeds_of_staff(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (_, player) = host.seat(&table, "standard", "a", "100.00").await;
    // A person who is signed in opens as many as there are, from one address and from another.
    let mut open = Vec::new();
    for number in 0..60_u8 {
        let client = table.supervisor.client.from([127, 0, 0, 1 + number % 2]);
        let Ok(mut feed) = Feed::connect(&client, "/feed/pit").await else { continue };
        feed.send(json!({ "type": "hello" })).await;
        feed.until("a snapshot", |feed| feed.sequence > 0).await;
        open.push(feed);
    }
    let most = host.running.app.config.connections;
    assert!((most / 2..most).contains(&open.len()), "{} feeds beside others, of {most} connections", open.len());
    drop((open, player));
    within("places of feeds that ended", async { while host.anonymous().connect().await.is_err() {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_that_says_no_hello_or_gives_no_sign_of_life_is_ended() {
    let quick = |config: &mut host::Config| (config.head_timeout_ms, config.silence_ms) = (500, 900);
    for host in both_with(quick).await {
        no_sign_of_life(&host).await;
    }
}

/// At a host that waits half a second for a hello, and not a second for a sign of life.
pub async fn no_sign_of_life(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    let began = Instant::now();
    let mut silent = Feed::connect(&host.anonymous(), &below).await.expect("a socket");
    assert_eq!(silent.bye().await, "limits", "no hello");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // A client that does not read answers no ping and is disconnected; one that does stays.
    let idle = Feed::open(&host.anonymous(), &below, None).await;
    let mut reads = Feed::open(&host.anonymous(), &below, None).await;
    let feeds = || host.running.app.hub.feeds();
    let before = feeds();
    within("the idle one is gone", async {
        while feeds() >= before {
            reads.next().await.expect("this one stays");
        }
    })
    .await;
    drop(idle);
}
