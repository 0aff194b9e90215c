//! Links that are lost and come back (D12, S18), and two dealers at a table.

use crate::harness::*;

/// Whether the floor counts a terminal as live.
fn is_live(host: &Host, terminal: &Terminal) -> bool {
    let id = floor::TerminalId(u32::try_from(terminal.id).expect("an id"));
    host.running.app.read(|floor| floor.terminal(id).is_some_and(floor::Terminal::is_live))
}

async fn live_is(host: &Host, terminal: &Terminal, live: bool) {
    within("the link", async {
        while is_live(host, terminal) != live {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_is_lost_keeps_its_bets_and_is_current_when_it_is_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let cursor = feed.cursor.clone();
    drop(feed);
    live_is(&host, &terminal, false).await;
    // The round goes on without it: nobody waits for its acknowledgement.
    table.does("/close-bets", json!({})).await;
    table.result("1-2-3").await;
    let mut feed = terminal.feed(&host, Some(&cursor)).await;
    assert_eq!(feed.view["own"]["credit"], "110.00", "registered bets settle as ever");
    let kinds: Vec<&str> = feed.events.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!(kinds, ["bets_closed", "result_entered", "round_settled"]);
    live_is(&host, &terminal, true).await;
    table.open_bets("rws-sicbo").await;
    assert_eq!(Feed::code(&feed.bet(&[("small", "10.00")]).await), "accepted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_does_not_show_the_close_counts_as_lost_after_two_seconds() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    table.does("/close-bets", json!({})).await;
    table.dealer.refused(&table.path("/result"), json!({ "outcome": "1-2-3" }), "unacknowledged").await;
    console.until("one is awaited", |feed| feed.view["console"]["awaiting"] == 1).await;
    console.until("nobody is awaited any more", |feed| feed.view["console"]["awaiting"] == 0).await;
    table.result("1-2-3").await;
    feed.credit("110.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_terminals_are_lost_until_they_are_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (first, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let (second, _gone) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let cursor = feed.cursor.clone();
    let host = host.restart(release(1)).await;
    assert_eq!(feed.bye().await, "stopping");
    let feed = first.feed(&host, Some(&cursor)).await;
    assert_eq!(feed.view["own"]["staked"], "10.00", "the exact state before it");
    live_is(&host, &first, true).await;
    live_is(&host, &second, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_dealers_change_at_a_table_and_it_is_known_who_has_it() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let second = host.employ("dealer", "dealer-second").await;
    let mut console = Feed::open(&second.client, &format!("/feed/console/{}", table.id), None).await;
    console.until("the console", |feed| feed.view["console"].is_object()).await;
    assert_eq!(console.view["console"]["dealer"]["id"], table.dealer.id);
    second.ok(&table.path("/take"), json!({})).await;
    console.until("the change", |feed| feed.view["console"]["dealer"]["id"] == second.id).await;
    second.refused(&table.path("/take"), json!({}), "nothing_to_do").await;
    // Both stand at the table; only the one who has it deals (D26), or somebody of higher rank.
    table.dealer.refused(&table.path("/open-bets"), json!({}), "not_the_dealer").await;
    second.ok(&table.path("/open-bets"), json!({})).await;
    table.manager.refused(&table.path("/open-bets"), json!({}), "phase").await;
    let close = table.path("/close-bets");
    let (a, b) = tokio::join!(table.manager.command(&close, json!({})), second.command(&close, json!({})));
    let accepted = [&a, &b].iter().filter(|answer| answer.status.is_success()).count();
    assert_eq!(accepted, 1, "{} {}", a.text, b.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_interrupted_by_a_restart_waits_for_two_people() {
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 0, "grace": 0 })).await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let host = host.restart(release(1)).await;
    let mut feed = terminal.feed(&host, None).await;
    assert_eq!(feed.view["round"]["interrupted"], true, "D6: no grace, so the round is interrupted");
    let dealer = Person::sign_in(&host, "dealer-0", PASSWORD).await;
    let attest = |witness: Value| json!({ "finding": "not_established", "witness": witness });
    dealer.refused("/tables/0/close-bets", json!({}), "interrupted").await;
    dealer.refused("/tables/0/attest", attest(Value::Null), "second_person").await;
    dealer.ok("/tables/0/attest", attest(supervisor.signature())).await;
    assert_eq!(feed.event_since(0, "round_voided").await["paragraph"], "5.1.2");
    feed.credit("100.00").await;
}
