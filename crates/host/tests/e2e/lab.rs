//! The laboratory over HTTP: it is public, every figure is the laboratory's, and every request is bounded.

use crate::harness::*;

const SICBO: &str = "/api/v1/lab/rulebooks/rws-sicbo/layouts/a";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_spot_has_its_odds_exactly_and_as_a_decimal() {
    let host = Host::floor().await;
    let client = host.anonymous();
    let games = client.get_root("/api/v1/lab/rulebooks").await.ok();
    assert!(games.as_array().expect("games").iter().any(|game| game["id"] == "sicbo-macau"), "examples too");
    for game in games.as_array().expect("games") {
        let book =
            client.get_root(&format!("/api/v1/lab/rulebooks/{}", game["hash"].as_str().expect("a hash"))).await.ok();
        for layout in book["layouts"].as_array().expect("layouts") {
            let (id, layout_id) = (book["id"].as_str().expect("an id"), layout["id"].as_str().expect("an id"));
            let odds = client.get_root(&format!("/api/v1/lab/rulebooks/{id}/layouts/{layout_id}/odds")).await.ok();
            let priced = odds["spots"].as_array().expect("spots");
            assert_eq!(priced.len(), layout["spots"].as_array().expect("spots").len(), "{id} {layout_id}");
        }
    }
    let odds = client.get_root(&format!("{SICBO}/odds")).await.ok();
    let small = odds["spots"].as_array().expect("spots").iter().find(|spot| spot["spot"] == "small").expect("small");
    assert_eq!(small["edge"]["exact"], "1/36");
    assert!((small["edge"]["decimal"].as_f64().expect("a number") - 1.0 / 36.0).abs() < 1e-15);
    assert_eq!(small["ways"], 105);
    assert_eq!(odds["net"]["exact"], "-688");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_worked_out_exactly() {
    let host = Host::floor().await;
    let client = host.anonymous();
    let path = format!("{SICBO}/session?rounds=200&bankroll=100&target=150&bets=small=10,total/9=2");
    let session = client.get_root(&path).await.ok();
    assert_eq!(session["edge"], "23/648");
    assert!((session["ahead"].as_f64().expect("a number") - 0.3121).abs() < 0.0001, "{}", session["ahead"]);
    let ruin = &session["ruin"];
    let sum: f64 = ["broke", "reached", "playing"].iter().map(|part| ruin[part].as_f64().expect("a number")).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{ruin}");
    let shares: f64 = session["bins"].as_array().expect("bins").iter().filter_map(|bin| bin["share"].as_f64()).sum();
    assert!((shares - 1.0).abs() < 0.001, "{shares}");
    let pieces = client
        .get_root("/api/v1/lab/rulebooks/rws-roulette-000/layouts/a/session?rounds=10&bets=neighbours/21/2=1")
        .await
        .ok();
    assert_eq!(pieces["sets"][0]["bets"].as_array().expect("bets").len(), 5);
    let pdf = client.get_root(&format!("{path}&format=pdf")).await;
    assert_eq!(pdf.header("content-type"), "application/pdf");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pay_tables_are_held_against_the_first() {
    let host = Host::floor().await;
    let client = host.anonymous();
    let path = "/api/v1/lab/compare?layouts=rws-sicbo/a,rws-sicbo/b,rws-sicbo/c&bets=small=10";
    let both = client.get_root(path).await.ok();
    assert_eq!(both["layouts"].as_array().expect("layouts").len(), 3);
    assert!(both["layouts"][0]["against_first"].is_null());
    assert_eq!(both["layouts"][0]["bets"]["exact"], "1/36");
    let spots = both["spots"].as_array().expect("spots");
    let dearer = spots.iter().filter(|spot| spot["offers"][2]["more"]["decimal"].as_f64() > Some(0.0)).count();
    assert_eq!(both["layouts"][2]["against_first"]["dearer"], dearer);
    assert!(dearer > 0, "pay table 3 costs a player more somewhere");
    assert!(client.get_root(&format!("{path}&format=csv")).await.text.contains("small"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_much_or_nonsense_is_refused_by_its_name() {
    let host = Host::floor().await;
    let client = host.anonymous();
    let session = |asked: &str| format!("{SICBO}/session?{asked}");
    for (path, status, says) in [
        ("/api/v1/lab/rulebooks/whist".to_owned(), 404, "'whist'"),
        ("/api/v1/lab/rulebooks/rws-sicbo/layouts/z/odds".to_owned(), 404, "there are a, b, c"),
        (session("rounds=10"), 400, "bets"),
        (session("bets=small=1"), 400, "rounds"),
        (session("rounds=ten&bets=small=1"), 400, "rounds"),
        (session("rounds=0&bets=small=1"), 422, "rounds: between 1 and 100000"),
        (session("rounds=100001&bets=small=1"), 422, "rounds: "),
        (session("rounds=10&bets="), 422, "bets: "),
        (session("rounds=10&bets=small"), 422, "bets: "),
        (session("rounds=10&bets=middle=1"), 422, "bets: "),
        (session("rounds=10&bets=single/7=1"), 422, "bets: "),
        (session("rounds=10&bets=small=0.01"), 422, "bets: "),
        (session("rounds=10&bets=small=10&bankroll=5"), 422, "bankroll: "),
        (session("rounds=10&bets=small=10&bankroll=much"), 422, "bankroll: "),
        (session("rounds=10&bets=small=10&bankroll=20&target=20"), 422, "target: "),
        (session("rounds=10&bets=small=10&target=20"), 422, "target: "),
        (session("rounds=100000&bets=small=9999.98,triple/1=0.02&bankroll=99999999"), 422, "rounds: "),
        ("/api/v1/lab/compare?layouts=rws-sicbo/a".to_owned(), 422, "layouts: "),
        ("/api/v1/lab/compare?layouts=rws-sicbo,rws-sicbo/a".to_owned(), 422, "layouts: "),
        (format!("/api/v1/lab/compare?layouts={}", ["rws-sicbo/a"; 7].join(",")), 422, "layouts: "),
    ] {
        let answer = client.get_root(&path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert!(answer.words().contains(says), "{path}: {}", answer.words());
    }
}
