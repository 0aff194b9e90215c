//! A device with too regular results raises an alert at the pit: once, also counting results from before a restart.

use lab::bias::{Order, Watch};

use crate::harness::*;

const SIXES: &str = "6-6-6";

/// By which round sixes alone are more than chance, as the laboratory has it.
fn expected() -> usize {
    let space = rulebook::library::find("rws-sicbo").expect("built in").outcomes();
    let sixes = space.parse(SIXES).expect("an outcome");
    let mut watch = Watch::new(space, Order::Unknown, 0.001);
    (1..100)
        .find(|_| {
            watch.observe(sixes);
            watch.alarm().is_some()
        })
        .expect("an alarm")
}

async fn deal(table: &Table, rounds: usize) {
    for _ in 0..rounds {
        table.open_bets("rws-sicbo").await;
        table.close_bets(&mut []).await;
        table.result(SIXES).await;
    }
}

/// Waits for the alert at the pit.
async fn told(table: &Table) {
    let mut pit = Feed::open(&table.manager.client, "/feed/pit", None).await;
    let words = format!("more than chance, by round {} under watch", expected());
    pit.until(&words, |feed| feed.view["pit"]["alerts"].to_string().contains(&words)).await;
}

/// The number of alerts in the records.
async fn alerts(table: &Table) -> usize {
    let events = table.manager.client.get(&format!("/records/events?kind=alert&table={}", table.id)).await.ok();
    let words = events["events"].as_array().expect("events").iter().filter_map(|event| event["words"].as_str());
    words.filter(|words| words.contains("more than chance")).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pit_hears_once_of_dice_that_show_sixes_alone() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    deal(&table, expected()).await;
    told(&table).await;
    deal(&table, 3).await;
    assert_eq!(alerts(&table).await, 1, "once per table");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_goes_on_after_a_restart_and_says_nothing_twice() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let before = expected() / 2;
    deal(&table, before).await;
    let host = host.restart(release(1)).await;
    let table = signed_in_again(&host, table).await;
    // The same round as without a restart: what came before it counts.
    deal(&table, expected() - before).await;
    told(&table).await;
    let host = host.restart(release(1)).await;
    let table = signed_in_again(&host, table).await;
    deal(&table, 2).await;
    assert_eq!(alerts(&table).await, 1, "a restart does not say it again");
}

async fn signed_in_again(host: &Host, table: Table) -> Table {
    let dealer = Person::sign_in(host, &table.dealer.login, PASSWORD).await;
    let manager = Person::sign_in(host, &table.manager.login, PASSWORD).await;
    Table { id: table.id, dealer, manager, supervisor: table.supervisor }
}
