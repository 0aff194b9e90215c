//! A whole round on each of the five games.

use crate::harness::*;

/// A round in which two terminals of different layouts bet the same and are paid by their own pay tables.
struct Played {
    game: &'static str,
    seats: [(&'static str, &'static str); 2],
    bets: [(&'static str, &'static str); 2],
    outcome: &'static str,
    /// What 1,000.00 has become at each of them.
    credits: [&'static str; 2],
}

async fn plays(played: Played) {
    let Played { game, seats, bets, outcome, credits } = played;
    let host = Host::floor().await;
    let table = host.table(game).await;
    let mut feeds = Vec::new();
    for (kind, layout) in seats {
        feeds.push(host.seat(&table, kind, layout, "1000.00").await.1);
    }
    let mut display = Feed::open(&host.anonymous(), &format!("/feed/display/{}", table.id), None).await;
    table.open_bets(game).await;
    for feed in &mut feeds {
        feed.until("open bets", |feed| feed.view["round"]["phase"] == "open").await;
        let answer = feed.bet(&bets).await;
        assert!(answer["accepted"].is_u64(), "{answer}");
        assert_eq!(feed.view["own"]["staked"], "20.00");
        assert_eq!(feed.view["own"]["credit"], "980.00");
    }
    {
        let mut feeds: Vec<&mut Feed> = feeds.iter_mut().collect();
        table.close_bets(&mut feeds).await;
    }
    let late = feeds[0].bet(&bets).await;
    assert_eq!(Feed::code(&late), "bets_closed", "no bet after the close, by any path");
    table.result(outcome).await;
    for (feed, credit) in feeds.iter_mut().zip(credits) {
        feed.credit(credit).await;
        assert_eq!(feed.view["last_round"]["outcome"], outcome);
        assert_eq!(feed.view["own"]["last"]["staked"], "20.00");
        assert_eq!(feed.view["round"], Value::Null, "the round is over");
        assert_eq!(feed.view["bets"], json!([]), "and no bets stand");
    }
    let settled = display.event_since(0, "round_settled").await;
    assert_eq!(settled["outcome"], outcome);
    let lit = display.view["lit"].as_array().expect("lit spots");
    assert!(lit.iter().any(|spot| spot == bets[0].0), "{lit:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sic_bo_pays_each_terminal_by_its_own_pay_table() {
    plays(Played {
        game: "rws-sicbo",
        seats: [("standard", "b"), ("standard", "c")],
        bets: [("small", "10.00"), ("double/2", "10.00")],
        outcome: "2-2-3",
        credits: ["1125.00", "1120.00"],
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sic_bo_open_cover_pays_each_terminal_by_its_own_pay_table() {
    plays(Played {
        game: "rws-sicbo-open",
        seats: [("standard", "a"), ("standard", "c")],
        bets: [("small", "10.00"), ("double/2", "10.00")],
        outcome: "2-2-3",
        credits: ["1125.00", "1120.00"],
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn marina_bay_sic_bo_begins_with_the_activation_and_pays_rapid_and_alfastreet() {
    plays(Played {
        game: "mbs-sicbo",
        seats: [("rapid", "rapid"), ("alfastreet", "alfastreet")],
        bets: [("small", "10.00"), ("double/2", "10.00")],
        outcome: "2-2-3",
        credits: ["1125.00", "1125.00"],
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roulette_pays_a_number_and_its_colour() {
    plays(Played {
        game: "rws-roulette-000",
        seats: [("rapid", "a"), ("standard", "a")],
        bets: [("straight/21", "10.00"), ("red", "10.00")],
        outcome: "21",
        credits: ["1360.00", "1360.00"],
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_tai_sai_records_chips_and_shows_what_each_player_is_paid() {
    let host = Host::floor().await;
    // A table whose document knows a differential is not set up without one by mistake (3.3).
    let forgotten = json!({ "name": "x", "rulebook": "rws-taisai", "mode": "bets_recorded", "settings": {} });
    host.administrator().await.refused("/tables", forgotten, "invalid").await;
    let table = host.table_with("rws-taisai", json!({ "differential": "0.00" })).await;
    table
        .manager
        .ok(
            &table.path("/float"),
            json!({ "movement": "opener", "amount": "100000.00", "witness": table.supervisor.signature(),
        "counts": [{ "denomination": "1000.00", "pieces": 100 }] }),
        )
        .await;
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    table.open_bets("rws-taisai").await;
    for (position, spot, amount) in [(1, "small", "100.00"), (2, "double/2", "100.00"), (3, "big", "50.00")] {
        table.does("/chips", json!({ "position": position, "spot": spot, "amount": amount })).await;
    }
    console.until("three boxes", |feed| feed.view["console"]["boxes"].as_array().is_some_and(|b| b.len() >= 3)).await;
    table.does("/close-bets", json!({})).await;
    table.result("2-2-3").await;
    let paid = |feed: &Feed, position: u64, returned: &str| {
        let payouts = feed.view.get("console").and_then(|console| console["payouts"].as_array().cloned());
        payouts.is_some_and(|rows| rows.iter().any(|row| row["position"] == position && row["returned"] == returned))
    };
    console.until("the payouts", |feed| paid(feed, 1, "200.00") && paid(feed, 2, "1200.00")).await;
    assert!(paid(&console, 3, "0.00"), "{}", console.view["console"]["payouts"]);
    let first = &console.view["console"]["payouts"][0];
    assert_eq!((&first["stake"], &first["winnings"]), (&json!("100.00"), &json!("100.00")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_betting_period_closes_by_itself_on_the_hosts_clock() {
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 1000 })).await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.until("a countdown", |feed| feed.view["round"]["closes_at"].is_i64()).await;
    feed.bet(&[("big", "5.00")]).await;
    feed.acknowledge().await;
    table.result("6-5-4").await;
    feed.credit("105.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bets_are_repeated_doubled_and_cleared_and_pieces_stay_together() {
    let host = Host::floor().await;
    let table = host.table("rws-roulette-000").await;
    let (_, mut feed) = host.seat(&table, "rapid", "a", "500.00").await;
    table.open_bets("rws-roulette-000").await;
    let pieces = json!({ "type": "bet", "changes": [{ "pieces": "tiers", "unit": "5.00" }] });
    assert_eq!(Feed::code(&feed.ask(pieces).await), "accepted");
    assert_eq!(feed.view["own"]["pieces"][0]["bet"], "tiers");
    assert_eq!(feed.view["own"]["staked"], "30.00");
    table.close_bets(&mut [&mut feed]).await;
    table.result("0").await;
    feed.credit("470.00").await;
    table.open_bets("rws-roulette-000").await;
    let answer = feed.ask(json!({ "type": "repeat", "doubled": true })).await;
    assert_eq!(Feed::code(&answer), "accepted", "{answer}");
    feed.until("doubled bets", |feed| feed.view["own"]["staked"] == "60.00").await;
    assert_eq!(Feed::code(&feed.ask(json!({ "type": "clear" })).await), "accepted");
    feed.credit("470.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_deals_by_itself_and_can_be_dealt_by_a_person() {
    let host = Host::demonstration().await;
    let mut display = Feed::open(&host.anonymous(), "/feed/display/0", None).await;
    assert_eq!(display.view["table"]["automatic"], true, "S22: a table says when it deals by machine");
    let dealer = host.demo_staff("dealer1").await;
    let answer = dealer.client.post("/demonstration/tables/0/automatic", json!({ "on": false })).await;
    assert_eq!(answer.status, 204);
    display.until("a table dealt by a person", |feed| feed.view["table"]["automatic"] == false).await;
    let doors = host.anonymous().get("/demonstration").await.ok();
    let seat = doors["terminals"][0]["id"].as_u64().expect("a free terminal");
    let key = new_key();
    let mut sit = enrolment(&Value::Null, &key);
    sit.as_object_mut().expect("an object").remove("code");
    host.anonymous().post(&format!("/demonstration/terminals/{seat}/sit"), sit).await.ok();
    let mut feed = Feed::prove(&host.anonymous(), "terminal", seat, &key, Value::Null).await;
    let answer = feed.ask(json!({ "type": "demo_cash", "amount": "100.00" })).await;
    assert_eq!(Feed::code(&answer), "accepted", "{answer}");
    feed.credit("100.00").await;
}
