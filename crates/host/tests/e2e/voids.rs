//! Rounds without a result: by what a device measured (D5), and by what a dealer declares.

use crate::harness::*;

async fn observes(device: &mut Feed, observation: Value) {
    let answer = device.ask(json!({ "type": "observe", "observation": observation })).await;
    assert_eq!(Feed::code(&answer), "accepted", "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tumble_too_short_halts_the_round_and_the_dealers_word_voids_it() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut tumbler) = host.device(&table, "tumbler").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "40.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    observes(&mut tumbler, json!("activated")).await;
    observes(&mut tumbler, json!({ "tumbled": { "times": 2 } })).await;
    let halted = feed.event_since(0, "round_halted").await;
    assert_eq!(halted["paragraph"], "5.3.1");
    feed.until("a halted round", |feed| feed.view["round"]["halted"] == true).await;
    table.dealer.refused(&table.path("/result"), json!({ "outcome": "1-2-3" }), "ground_open").await;
    table.does("/ground/confirm", json!({})).await;
    let voided = feed.event_since(0, "round_voided").await;
    assert_eq!(voided["paragraph"], "5.3.1", "S2: told clearly to every player");
    assert!(voided["words"]["zh"].as_str().is_some_and(|words| !words.is_empty()));
    feed.credit("100.00").await;
    assert_eq!(feed.view["last_round"]["outcome"], Value::Null);
    let results = |feed: &Feed| feed.view["results"].as_array().map_or(0, Vec::len);
    assert_eq!(results(&feed), 0, "a void round enters no history");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pit_supervisor_puts_a_devices_report_aside_and_play_goes_on() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut tumbler) = host.device(&table, "tumbler").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "40.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    observes(&mut tumbler, json!("activated")).await;
    observes(&mut tumbler, json!({ "tumbled": { "times": 2 } })).await;
    let dismiss = table.path("/ground/dismiss");
    table.dealer.refused(&dismiss, json!({ "reason": "three were seen" }), "rank").await;
    table.manager.ok(&dismiss, json!({ "reason": "three were seen" })).await;
    feed.event_since(0, "round_resumed").await;
    // What was set aside is the count of the tumble. The cover is measured too, and it is still on (D19).
    table.dealer.refused(&table.path("/result"), entry("1-2-3"), "no_tumble").await;
    observes(&mut tumbler, json!("uncovered")).await;
    // The device reads results and has read none: the Pit Supervisor signs for the dealer's entry (D19).
    table.does("/result", entry("1-2-3")).await;
    table.dealer.refused(&table.path("/confirm"), json!({}), "second_person").await;
    let signed = json!({ "witness": table.supervisor.signature(), "reason": "the dice were seen" });
    table.does("/confirm", signed).await;
    feed.credit("140.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dealer_declares_damaged_dice_and_every_bet_comes_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "b", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("four/1-2-3-4", "10.00"), ("big", "20.00")]).await;
    feed.credit("70.00").await;
    table.dealer.refused(&table.path("/void"), json!({ "ground": "ball-broken" }), "not_a_ground").await;
    table.does("/void", json!({ "ground": "dice-damaged" })).await;
    assert_eq!(feed.event_since(0, "round_voided").await["paragraph"], "5.4");
    feed.credit("100.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_fault_of_the_demonstration_shows_its_ground() {
    let host = Host::demonstration().await;
    let dealer = host.demo_staff("dealer1").await;
    let path = |below: &str| format!("/demonstration/tables/0{below}");
    dealer.client.post(&path("/automatic"), json!({ "on": false })).await;
    let mut console = Feed::open(&dealer.client, "/feed/console/0", None).await;
    console.until("the menu of faults", |feed| feed.view["faults"].as_array().is_some_and(|f| !f.is_empty())).await;
    let wrong = dealer.client.post(&path("/device"), json!({ "do": "fault" })).await;
    assert_eq!(wrong.refusal(), (422, "invalid"));
    let anonymous = host.anonymous().post(&path("/device"), json!({ "do": "deal" })).await;
    assert_eq!(anonymous.refusal(), (401, "sign_in"));
}
