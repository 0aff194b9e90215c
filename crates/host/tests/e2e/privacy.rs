//! A player sees their own visit and no other. What others see of a player is in `attacks/asvs.rs`.

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_sees_nothing_of_the_visit_before() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    let own = host.anonymous().header("authorization", format!("Bearer {reader}"));
    let first = feed.view["own"]["visit"].clone();
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "50.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    let rounds = format!("/records/terminals/{}/rounds", terminal.id);
    let money = format!("/records/terminals/{}/money", terminal.id);
    table.result("6-5-4").await;
    feed.until("the visit ends", |feed| feed.view["own"]["visit"].is_null()).await;
    // What was lost is no one's any longer.
    assert_eq!(own.get(&rounds).await.ok()["rounds"], json!([]));
    assert_eq!(own.get(&money).await.ok()["money"], json!([]));
    let put_in = json!({ "amount": "20.00", "witness": table.supervisor.signature() });
    table.manager.ok(&format!("/terminals/{}/attendant-in", terminal.id), put_in).await;
    feed.credit("20.00").await;
    assert_ne!(feed.view["own"]["visit"], first);
    assert_eq!(own.get(&rounds).await.ok()["rounds"], json!([]));
    let found = own.get(&money).await.ok();
    assert_eq!(found["money"].as_array().map(Vec::len), Some(1));
    assert_eq!((&found["money"][0]["amount"], &found["money"][0]["at"]), (&json!("20.00"), &found["began"]));
    // Staff see the whole, for a dispute (S13).
    let all = table.manager.client.get(&money).await.ok();
    assert_eq!(all["money"].as_array().map(|money| money.len() > 2), Some(true));
    assert_eq!(table.manager.client.get(&rounds).await.ok()["rounds"].as_array().map(Vec::len), Some(1));
}
