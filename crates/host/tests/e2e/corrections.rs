//! A wrong result put right after settlement (D7), by two people (D15).

use crate::harness::*;

/// A settled round at a table with two players; the second has cashed out nothing and lost nothing yet.
async fn settled(host: &Host) -> (Table, Feed, Feed, u64) {
    let table = host.table("rws-sicbo").await;
    let (_, mut first) = host.seat(&table, "standard", "a", "100.00").await;
    let (_, mut second) = host.seat(&table, "standard", "c", "100.00").await;
    table.open_bets("rws-sicbo").await;
    first.bet(&[("small", "10.00")]).await;
    second.bet(&[("big", "10.00")]).await;
    table.close_bets(&mut [&mut first, &mut second]).await;
    table.result("1-2-4").await;
    first.credit("110.00").await;
    second.credit("90.00").await;
    let round = first.view["last_round"]["round"].as_u64().expect("a round");
    (table, first, second, round)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_put_a_result_right_and_the_money_follows() {
    let host = Host::floor().await;
    let (_table, mut first, mut second, round) = settled(&host).await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let witness = host.employ("pit_supervisor", "supervisor-2").await;
    let correct = format!("/rounds/{round}/correct");
    let body = json!({ "outcome": "6-5-4", "reason": "seen on the recording", "witness": witness.signature() });
    supervisor.ok(&correct, body).await;
    first.credit("90.00").await;
    second.credit("110.00").await;
    let corrected = second.event_since(0, "corrected").await;
    assert_eq!(corrected["amount"], "20.00");
    assert_eq!(first.view["last_round"]["outcome"], "6-5-4");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_told_that_it_is_done_finds_it_in_the_records() {
    let host = Host::floor().await;
    let (_table, _first, _second, round) = settled(&host).await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let witness = host.employ("pit_supervisor", "supervisor-2").await;
    for (count, outcome) in (1..).zip(["6-5-4", "1-2-4", "6-6-5", "1-1-2", "3-3-4"]) {
        let body = json!({ "outcome": outcome, "reason": "seen again", "witness": witness.signature() });
        supervisor.ok(&format!("/rounds/{round}/correct"), body).await;
        let found = supervisor.client.get(&format!("/records/rounds/{round}")).await.ok();
        assert_eq!((&found["round"]["outcome"], &found["round"]["corrections"]), (&json!(outcome), &json!(count)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_alone_cannot_put_a_result_right() {
    let host = Host::floor().await;
    let (table, mut first, _second, round) = settled(&host).await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let correct = format!("/rounds/{round}/correct");
    let body = |witness: Value| json!({ "outcome": "6-5-4", "reason": "seen on the recording", "witness": witness });
    supervisor.refused(&correct, body(Value::Null), "second_person").await;
    supervisor.refused(&correct, body(supervisor.signature()), "second_person").await;
    supervisor.refused(&correct, body(table.dealer.signature()), "second_person").await;
    table.dealer.refused(&correct, body(supervisor.signature()), "rank").await;
    let wrong = json!({ "login": "manager-0", "password": "not the password" });
    let answer = supervisor.refused(&correct, body(wrong), "sign_in").await;
    assert_eq!(answer.status, 401);
    let missing = supervisor.refused("/rounds/999/correct", body(table.manager.signature()), "not_found").await;
    assert_eq!(missing.status, 404);
    assert_eq!(first.bet(&[]).await["type"], "answer");
    assert_eq!(first.view["own"]["credit"], "110.00", "nothing has moved");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_put_right_before_it_is_settled_by_the_dealer_alone() {
    let host = Host::floor().await;
    let table = host.table("rws-roulette-000").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-roulette-000").await;
    feed.bet(&[("red", "10.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    table.does("/result", entry("2")).await;
    table.does("/result", entry("1")).await;
    feed.event_since(0, "result_changed").await;
    table.does("/confirm", json!({})).await;
    feed.credit("110.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_correction_owes_to_a_player_who_has_gone_is_paid_at_the_cage() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("big", "10.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    table.result("1-2-4").await;
    feed.event_since(0, "round_settled").await;
    let round = feed.view["last_round"]["round"].as_u64().expect("a round");
    let ticket = feed.ask(json!({ "type": "cash_out" })).await;
    feed.ask(json!({ "type": "printed", "ticket": ticket["ticket"]["id"] })).await;
    feed.credit("0.00").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let body = json!({ "outcome": "6-5-4", "reason": "recording", "witness": table.manager.signature() });
    supervisor.ok(&format!("/rounds/{round}/correct"), body).await;
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let mut cage = Feed::open(&cashier.client, "/feed/cage", None).await;
    cage.until("what is owed", |feed| {
        feed.view.get("cage").is_some_and(|cage| cage["payables"][0]["amount"] == "20.00")
    })
    .await;
    let payable = cage.view["cage"]["payables"][0]["id"].clone();
    // The pit has the same list: with its visit, table, round and amount.
    let mut pit = Feed::open(&supervisor.client, "/feed/pit", None).await;
    pit.until("what is owed", |feed| feed.view["pit"]["payables"] == cage.view["cage"]["payables"]).await;
    let row = &pit.view["pit"]["payables"][0];
    assert_eq!((&row["round"], &row["table"]), (&json!(round), &json!(table.id)), "{row}");
    assert!(row["visit"].is_u64(), "{row}");
    // A number that no round can have is refused like any other that none has.
    for none in [u64::MAX, 1 << 63, i64::MAX.unsigned_abs()] {
        let refused = cashier.command(&format!("/cage/payables/{payable}/pay"), json!({ "round": none })).await;
        assert!([404, 409, 422].contains(&refused.status.as_u16()), "{none}: {}", refused.text);
        let wanted = json!({ "first": none, "last": none });
        let preview = supervisor.client.post(&table.path("/preview"), wanted).await;
        assert!(preview.status.as_u16() < 500, "{none}: {}", preview.text);
        let body = json!({ "outcome": "6-5-4", "reason": "camera", "witness": table.manager.signature() });
        let refused = supervisor.command(&format!("/rounds/{none}/correct"), body).await;
        assert_eq!(refused.status, 404, "{none}: {}", refused.text);
    }
    cashier.ok(&format!("/cage/payables/{payable}/pay"), json!({ "round": round })).await;
    cage.until("nothing owed", |feed| feed.view["cage"]["payables"] == json!([])).await;
    pit.until("nothing owed", |feed| feed.view["pit"]["payables"] == json!([])).await;
    supervisor.refused(&format!("/payables/{payable}/pay-by-hand"), json!({ "round": round }), "not_found").await;
    assert_eq!(feed.view["own"]["credit"], "0.00", "the next visit is another player's");
}
