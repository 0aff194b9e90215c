//! Feeds: what a returning client receives, what is refused, and what happens to a slow client.

use std::time::Duration;

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_comes_back_is_told_exactly_what_it_missed() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let mut witness = Feed::open(&host.anonymous(), &format!("/feed/display/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    feed.event_since(0, "bets_opened").await;
    let (cursor, known) = (feed.cursor.clone(), feed.events.clone());
    drop(feed);
    table.does("/close-bets", json!({})).await;
    witness.event_since(0, "bets_closed").await;
    let again = terminal.feed(&host, Some(&cursor)).await;
    let snapshot = again.messages.iter().find(|message| message["type"] == "snapshot").expect("a snapshot");
    assert_eq!(snapshot["complete"], true);
    let kinds: Vec<&str> = again.events.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!(kinds, ["bets_closed"], "what was missed, and nothing twice");
    assert!(again.events.iter().all(|event| !known.contains(event)));
    let current = terminal.feed(&host, Some(&again.cursor)).await;
    assert!(current.events.is_empty(), "{:?}", current.events);
    let fresh = terminal.feed(&host, None).await;
    assert!(fresh.events.is_empty(), "who has seen nothing is shown how things stand");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_from_before_a_restart_is_answered_as_incomplete() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let cursor = feed.cursor.clone();
    drop(feed);
    let host = host.restart(release(1)).await;
    let again = terminal.feed(&host, Some(&cursor)).await;
    assert_eq!(again.messages[1]["complete"], false, "events before this start are not remembered");
    assert_eq!(again.view["own"]["credit"], "100.00", "and the snapshot shows everything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_comes_after_the_update_that_shows_its_effect() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.event_since(0, "bets_opened").await;
    for spot in ["small", "big", "single/1", "single/2"] {
        let answer = feed.bet(&[(spot, "5.00")]).await;
        let set = feed.view["bets_set"].as_array().expect("stakes");
        assert!(set.iter().any(|bet| bet["spot"] == spot && bet["stake"] == "5.00"), "{answer} {set:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_too_large_ends_the_feed_and_no_other() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let (_, mut other) = host.seat(&table, "standard", "a", "100.00").await;
    feed.send_text("x".repeat(100_000)).await;
    while feed.next().await.is_some() {}
    table.open_bets("rws-sicbo").await;
    assert_eq!(Feed::code(&other.bet(&[("small", "5.00")]).await), "accepted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_messages_than_a_feed_may_send_end_it_with_a_reason() {
    let host = Host::with(|config| config.messages_per_second = 10).await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    for _ in 0..60 {
        let number = feed.number();
        feed.send(json!({ "type": "clear", "number": number })).await;
    }
    assert_eq!(feed.bye().await, "limits");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_say_hello_gets_nothing() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    let mut feed = Feed::connect(&host.anonymous(), &below).await.expect("a socket");
    feed.send(json!({ "type": "clear", "number": 1 })).await;
    assert_eq!(feed.bye().await, "limits");
    assert_eq!(feed.sequence, 0, "no snapshot came");
    let unknown = Feed::connect(&host.anonymous(), "/feed/terminal/77").await;
    assert!(unknown.is_err_and(|error| error.to_string().contains("404")));
    let unknown = Feed::connect(&host.anonymous(), "/feed/kitchen").await;
    assert!(unknown.is_err_and(|error| error.to_string().contains("404")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_client_is_dropped_with_a_reason_and_slows_nobody() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut player) = host.seat(&table, "standard", "a", "1000.00").await;
    // A display with the smallest window the system gives, which then reads nothing.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(1024).expect("a small window");
    let stream = socket.connect(host.address()).await.expect("a connection");
    let below = format!("/feed/display/{}", table.id);
    let mut slow = Feed::connect_on(Box::new(stream), &host.anonymous(), &below).await.expect("a feed");
    slow.send(json!({ "type": "hello" })).await;
    let health = || host.running.app.hub.feeds();
    within("the display", async {
        while health() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let mut rounds = 0;
    while health() == 2 {
        rounds += 1;
        assert!(rounds < 3_000, "a client that reads nothing is still there");
        table.open_bets("rws-sicbo").await;
        table.does("/void", json!({ "ground": "dice-damaged" })).await;
    }
    player
        .until("the player is current", |feed| {
            feed.events.iter().filter(|e| e["kind"] == "round_voided").count() >= rounds
        })
        .await;
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "bets_closed", "the player is answered as ever");
    let figures = host.anonymous().get_root("/metrics").await.text;
    assert!(figures.is_empty() || figures.contains("croupier_feeds_ended_total"), "{figures}");
    // When it reads again it finds what was sent before, and then why there is no more.
    while slow.next().await.is_some() {}
    let last = slow.messages.last().expect("what was sent before");
    assert_eq!((&last["type"], &last["reason"]), (&json!("bye"), &json!("slow")), "{last}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_times_of_commands_over_a_feed_are_among_the_figures() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut player) = host.seat(&table, "standard", "a", "1000.00").await;
    let count = async || {
        let text = host.anonymous().get_root("/metrics").await.text;
        let count = text.lines().find_map(|line| line.strip_prefix("croupier_commit_seconds_count ")?.parse().ok());
        count.unwrap_or(0_u64)
    };
    let before = count().await;
    for _ in 0..100 {
        assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "bets_closed");
    }
    let after = count().await;
    assert!(after >= before + 100, "{before} {after}");
}
