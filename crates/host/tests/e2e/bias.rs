//! A device that shows the same again and again is told to the pit: once, and by what came before a restart too.

use crate::harness::*;

/// Deals rounds of one result until the pit hears of it or there were as many; how many rounds it took.
async fn deal(host: &Host, table: &Table, outcome: &str, most: usize) -> Option<usize> {
    for round in 1..=most {
        table.open_bets("rws-sicbo").await;
        table.close_bets(&mut []).await;
        table.result(outcome).await;
        if round == most || round % 4 == 0 {
            // The alert is the host's own command, on its way beside the next round.
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        }
        if !alerts(host, table).await.is_empty() {
            return Some(round);
        }
    }
    None
}

async fn alerts(host: &Host, table: &Table) -> Vec<String> {
    let events = table.manager.client.get(&format!("/records/events?kind=alert&table={}", table.id)).await.ok();
    let words = events["events"].as_array().expect("events").iter().filter_map(|event| event["words"].as_str());
    let _ = host;
    words.filter(|words| words.contains("more than chance")).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pit_hears_once_of_dice_that_show_sixes_alone() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let mut pit = Feed::open(&table.manager.client, "/feed/pit", None).await;
    assert_eq!(deal(&host, &table, "6-6-6", 4).await, None, "four triples are chance");
    assert!(deal(&host, &table, "6-6-6", 40).await.is_some());
    pit.until("the alert at the pit", |feed| feed.view["pit"].to_string().contains("more than chance")).await;
    for _ in 0..3 {
        table.open_bets("rws-sicbo").await;
        table.close_bets(&mut []).await;
        table.result("6-6-6").await;
    }
    assert_eq!(alerts(&host, &table).await.len(), 1, "once per table");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_goes_on_after_a_restart_and_says_nothing_twice() {
    let host = Host::floor().await;
    let mut table = host.table("rws-sicbo").await;
    assert_eq!(deal(&host, &table, "6-6-6", 6).await, None);
    let host = host.restart(release(1)).await;
    table = signed_in_again(&host, table).await;
    let rounds = deal(&host, &table, "6-6-6", 40).await.expect("an alert");
    assert!(rounds < 12, "the rounds before the restart count too: {rounds}");
    let host = host.restart(release(1)).await;
    table = signed_in_again(&host, table).await;
    for _ in 0..2 {
        table.open_bets("rws-sicbo").await;
        table.close_bets(&mut []).await;
        table.result("6-6-6").await;
    }
    assert_eq!(alerts(&host, &table).await.len(), 1, "a restart does not say it again");
}

async fn signed_in_again(host: &Host, table: Table) -> Table {
    let dealer = Person::sign_in(host, &table.dealer.login, PASSWORD).await;
    let manager = Person::sign_in(host, &table.manager.login, PASSWORD).await;
    Table { id: table.id, dealer, manager }
}
