//! No client sees another player's bets, credit or tickets.

use crate::harness::*;

/// Unique amounts, so that they can be found wherever they appear.
const SECRETS: [&str; 3] = ["777.00", "123.00", "654.00"];

fn shows_a_secret(message: &Value) -> bool {
    let text = message.to_string();
    SECRETS.iter().any(|secret| text.contains(secret))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_and_no_display_sees_another_players_money() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut rich) = host.seat(&table, "standard", "a", "777.00").await;
    let (_, mut other) = host.seat(&table, "standard", "a", "100.00").await;
    let mut display = Feed::open(&host.nobody(), &format!("/feed/display/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    rich.bet(&[("small", "123.00")]).await;
    rich.credit("654.00").await;
    other.bet(&[("big", "5.00")]).await;
    table.close_bets(&mut [&mut rich, &mut other]).await;
    table.result("1-2-4").await;
    rich.credit("900.00").await;
    let ticket = rich.ask(json!({ "type": "cash_out" })).await;
    let number = ticket["ticket"]["number"].as_str().expect("a number").to_owned();
    rich.ask(json!({ "type": "printed", "ticket": ticket["ticket"]["id"] })).await;
    other.credit("95.00").await;
    table.open_bets("rws-sicbo").await;
    let next = |feed: &Feed| feed.events.iter().filter(|event| event["kind"] == "bets_opened").count() == 2;
    other.until("the next round", next).await;
    display.until("the next round", next).await;
    assert!(rich.messages.iter().any(shows_a_secret), "the player sees the own");
    for feed in [&other, &display] {
        for message in &feed.messages {
            assert!(!shows_a_secret(message), "{message}");
            assert!(!message.to_string().contains(&number), "a ticket's number is cash: {message}");
            assert!(!message.to_string().contains("900.00"), "{message}");
        }
    }
    for message in &display.messages {
        assert!(message["view"].get("own").is_none() && message["view"].get("bets").is_none(), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_sees_nothing_of_the_visit_before() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    let own = host.nobody().header("authorization", format!("Bearer {reader}"));
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_number_goes_to_the_printer_and_to_no_screen_of_the_staff() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let auditor = host.employ("auditor", "auditor-1").await;
    let mut feeds = vec![
        Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await,
        Feed::open(&table.manager.client, "/feed/pit", None).await,
        Feed::open(&cashier.client, "/feed/cage", None).await,
        Feed::open(&auditor.client, "/feed/admin", None).await,
    ];
    let (_, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let ticket = feed.ask(json!({ "type": "cash_out" })).await;
    let number = ticket["ticket"]["number"].as_str().expect("a number").to_owned();
    feed.ask(json!({ "type": "printed", "ticket": ticket["ticket"]["id"] })).await;
    feeds[2]
        .until("it is outstanding", |feed| feed.view.get("cage").is_some_and(|cage| cage["outstanding"]["count"] == 1))
        .await;
    for feed in &mut feeds {
        feed.until("a tick", |feed| feed.messages.iter().any(|message| message["type"] == "tick")).await;
        assert!(feed.messages.iter().all(|message| !message.to_string().contains(&number)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_page_is_for_its_own_post() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let auditor = host.employ("auditor", "auditor-1").await;
    let administrator = host.administrator().await;
    let console = format!("/feed/console/{}", table.id);
    let pages = [console.as_str(), "/feed/pit", "/feed/cage", "/feed/admin"];
    for (who, may) in [
        (&table.dealer, [true, false, false, false]),
        (&supervisor, [true, true, false, false]),
        (&cashier, [false, false, true, false]),
        (&administrator, [false, false, false, true]),
        (&auditor, [true, true, true, true]),
    ] {
        for (page, may) in pages.iter().zip(may) {
            let opened = Feed::connect(&who.client, page).await;
            assert_eq!(opened.is_ok(), may, "{} {page}", who.login);
            assert!(opened.is_ok() || opened.is_err_and(|error| error.to_string().contains("403")));
        }
    }
    for page in pages {
        let opened = Feed::connect(&host.nobody(), page).await;
        assert!(opened.is_err_and(|error| error.to_string().contains("401")), "{page}");
    }
}
