//! Numbers of commands: an absurd number blocks no sender, and 32 commands may be in flight at once.

use super::{both_with, over_both};
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_absurd_number_does_not_block_its_sender() {
    over_both(absurd).await;
}

pub async fn absurd(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    for absurd in [9_007_199_254_740_991_u64, u64::MAX] {
        let bet = json!({ "type": "bet", "number": absurd, "changes": [{ "add": "small", "amount": "5.00" }] });
        player.send(bet).await;
        assert_eq!(Feed::code(&player.answer(absurd).await), "number_far");
    }
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "accepted");
    let refused = table.dealer.numbered(9_007_199_254_740_991, &table.path("/close-bets"), json!({})).await;
    assert_eq!(refused.refusal(), (409, "number_far"));
    assert!(refused.words().contains("microseconds since 1970"), "{}", refused.words());
    table.does("/close-bets", json!({})).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_that_no_record_can_have_are_not_found() {
    for host in both_with(|_| {}).await {
        let table = host.table("rws-sicbo").await;
        let (terminal, _player) = host.seat(&table, "standard", "a", "100.00").await;
        let auditor = host.employ("auditor", "auditor-1").await;
        for number in [9_223_372_036_854_775_808_u64, u64::MAX] {
            for below in [
                format!("/records/rounds/{number}"),
                format!("/reports/round/{number}"),
                format!("/reports/slips/{number}"),
                format!("/terminals/{}/receipts/{number}", terminal.id),
            ] {
                assert_eq!(auditor.client.get(&below).await.refusal(), (404, "not_found"), "{below}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_of_one_sender_may_overtake_each_other() {
    over_both(overtaking).await;
}

pub async fn overtaking(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, _player) = host.seat(&table, "standard", "a", "100.00").await;
    let numbers: Vec<u64> = (0..16).map(|_| table.manager.next()).collect();
    let below = format!("/terminals/{}/attendant-in", terminal.id);
    let mut sent = Vec::new();
    // The last number first, each over a connection of its own, and each of them twice.
    for number in numbers.iter().rev().chain(&numbers) {
        let client = table.manager.client.header("idempotency-key", number.to_string());
        let below = below.clone();
        sent.push(tokio::spawn(async move { client.post(&below, json!({ "amount": "1.00" })).await.ok() }));
    }
    for answer in sent {
        assert!(answer.await.expect("an answer")["accepted"].is_u64());
    }
    // A host that follows may be a moment behind.
    let credit = |floor: &floor::Floor| floor.terminals().last().map_or(0, |terminal| terminal.credit().get());
    within("the last", async {
        while host.running.app.read(credit) < 11_600 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(host.running.app.read(credit), 11_600, "each counts once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_client_sends_in_parallel_and_each_command_counts_once() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, _player) = host.seat(&table, "standard", "a", "100.00").await;
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/parallel.py");
    let mut client = std::process::Command::new("python3");
    client.args([example, &format!("http://{}", host.address()), "main", &table.manager.login, PASSWORD]);
    client.args([&terminal.id.to_string(), "1.00", "100"]);
    let output = tokio::task::spawn_blocking(move || client.output());
    let output = within("the example", output).await.expect("a thread").expect("python3");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("100 commands accepted"), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let credit = host.running.app.read(|floor| floor.terminals().last().map(|terminal| terminal.credit().get()));
    assert_eq!(credit, Some(20_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_tomorrow_block_nobody() {
    over_both(of_tomorrow).await;
}

pub async fn of_tomorrow(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    let tomorrow = player.number() + 86_000_000_000;
    for number in tomorrow..tomorrow + 40 {
        let bet = json!({ "type": "bet", "number": number, "changes": [{ "add": "small", "amount": "1.00" }] });
        player.send(bet).await;
        assert_eq!(Feed::code(&player.answer(number).await), "accepted");
    }
    assert_eq!(Feed::code(&player.bet(&[("small", "1.00")]).await), "stale");
    drop(player);
    let mut player = terminal.feed(host, None).await;
    let snapshot = player.messages.iter().find(|message| message["type"] == "snapshot").expect("a snapshot");
    let number = snapshot["next_number"].as_u64().expect("a number");
    let bet = json!({ "type": "bet", "number": number, "changes": [{ "add": "small", "amount": "1.00" }] });
    player.send(bet).await;
    assert_eq!(Feed::code(&player.answer(number).await), "accepted");
}
