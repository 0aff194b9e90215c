//! Past rounds over the API (D24), and the report of corrections.

use crate::harness::*;

const GAME: &str = "rws-sicbo";

/// A table where so many rounds were played, each won by the one player; the first of them.
async fn played(host: &Host, rounds: usize) -> (Table, Feed, u64) {
    let table = host.table(GAME).await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "1000.00").await;
    let mut first = None;
    for _ in 0..rounds {
        table.open_bets(GAME).await;
        feed.bet(&[("big", "10.00")]).await;
        table.close_bets(&mut [&mut feed]).await;
        table.result("6-5-4").await;
        feed.until("the end of the round", |feed| feed.view["round"].is_null()).await;
        let round = feed.view["last_round"]["round"].as_u64().expect("a round");
        first = first.or(Some(round));
    }
    (table, feed, first.expect("a round"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d24_a_round_that_has_left_the_list_is_previewed_and_corrected() {
    let host = Host::floor().await;
    let (table, mut feed, old) = played(&host, 36).await;
    feed.credit("1360.00").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let witness = host.employ("pit_supervisor", "supervisor-2").await;
    // The pit sees what it would move; lower ranks do not.
    let wanted = json!({ "changes": [{ "round": old, "outcome": "1-2-4" }] });
    assert_eq!(table.dealer.client.post(&table.path("/preview"), wanted.clone()).await.status, 403);
    let shown = supervisor.client.post(&table.path("/preview"), wanted).await.ok();
    assert_eq!((&shown["rounds"][0]["was"], &shown["rounds"][0]["outcome"]), (&json!("6-5-4"), &json!("1-2-4")));
    assert_eq!((&shown["total"]["taken"], &shown["total"]["players"]), (&json!("20.00"), &json!(1)));
    // The confirmation names it.
    let body = |preview: &Value| {
        let changes = [json!({ "round": old, "outcome": "1-2-4" })];
        json!({ "changes": changes, "reason": "camera", "preview": preview, "witness": witness.signature() })
    };
    let other = json!("00".repeat(32));
    supervisor.refused(&table.path("/change-rounds"), body(&other), "preview_stale").await;
    supervisor.ok(&table.path("/change-rounds"), body(&shown["preview"])).await;
    feed.credit("1340.00").await;
    // The corrected version is recalled and corrected again, by the plain command; and the report adds up.
    let again = json!({ "outcome": "6-5-4", "reason": "another camera", "witness": witness.signature() });
    supervisor.ok(&format!("/rounds/{old}/correct"), again).await;
    feed.credit("1360.00").await;
    let found = supervisor.client.get(&format!("/records/rounds/{old}")).await.ok();
    assert_eq!(found["round"]["corrections"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d24_a_range_is_voided_in_one_act() {
    let host = Host::floor().await;
    let (table, mut feed, old) = played(&host, 36).await;
    let manager = host.employ("pit_manager", "manager-9").await;
    let witness = host.employ("pit_manager", "manager-8").await;
    let wanted = json!({ "first": old, "last": old + 35 });
    let shown = manager.client.post(&table.path("/preview"), wanted).await.ok();
    let rounds: Vec<Value> = shown["rounds"].as_array().expect("rounds").clone();
    assert_eq!((rounds.len(), &shown["total"]["taken"]), (36, &json!("360.00")));
    let changes: Vec<Value> = rounds.iter().map(|row| json!({ "round": row["round"] })).collect();
    let body = json!({ "changes": changes, "ground": "dice-damaged", "reason": "a chipped die",
        "preview": shown["preview"], "witness": witness.signature() });
    manager.ok(&table.path("/change-rounds"), body).await;
    feed.credit("1000.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_report_of_corrections_adds_up_after_a_second_one() {
    let host = Host::floor().await;
    let (_table, mut feed, round) = played(&host, 1).await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let witness = host.employ("pit_supervisor", "supervisor-2").await;
    let correct = |outcome: &str| json!({ "outcome": outcome, "reason": "camera", "witness": witness.signature() });
    supervisor.ok(&format!("/rounds/{round}/correct"), correct("1-2-4")).await;
    supervisor.ok(&format!("/rounds/{round}/correct"), correct("1-1-1")).await;
    supervisor.ok(&format!("/rounds/{round}/correct"), correct("6-5-4")).await;
    feed.credit("1010.00").await;
    let report = supervisor.client.get("/reports/voids").await.ok();
    let rows = report["corrections"].as_array().expect("rows");
    let sum = |column: &str| rows.iter().map(|row| cents(&row[column])).sum::<i64>();
    assert_eq!(rows.len(), 3);
    assert_eq!((sum("credited"), sum("taken"), sum("uncollected")), (2_000, 2_000, 0));
}

fn cents(amount: &Value) -> i64 {
    amount.as_str().expect("an amount").replace('.', "").parse().expect("cents")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d29_a_player_goes_to_another_table_with_credit_and_visit() {
    let host = Host::floor().await;
    let (first, second) = (host.table(GAME).await, host.table(GAME).await);
    // The tables are chosen before a player's money is on the terminal (S12).
    let terminal = host.terminal(&first, "standard", "a").await;
    let mut feed = terminal.feed(&host, None).await;
    feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    assert_eq!(feed.view["own"]["tables"], json!([]));
    let offer = format!("/terminals/{}/tables", terminal.id);
    host.administrator().await.ok(&offer, json!({ "tables": [first.id, second.id] })).await;
    feed.until("a choice", |feed| feed.view["own"]["tables"].as_array().is_some_and(|list| list.len() == 2)).await;
    let put_in = json!({ "amount": "100.00", "witness": first.supervisor.signature() });
    first.manager.ok(&format!("/terminals/{}/attendant-in", terminal.id), put_in).await;
    feed.credit("100.00").await;
    first.open_bets(GAME).await;
    feed.bet(&[("big", "10.00")]).await;
    let refused = feed.ask(json!({ "type": "choose_table", "table": second.id })).await;
    assert_eq!(Feed::code(&refused), "in_round");
    feed.ask(json!({ "type": "clear" })).await;
    feed.send(json!({ "type": "choose_table", "number": 9_000_000, "table": second.id })).await;
    assert_eq!(feed.bye().await, "moved");
    let again = terminal.feed(&host, None).await;
    assert_eq!((&again.view["table"]["id"], &again.view["own"]["credit"]), (&json!(second.id), &json!("100.00")));
}
