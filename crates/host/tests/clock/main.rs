//! A clock that is set while a floor plays. A process of its own: the clock is one for the whole program.

#[path = "../e2e/harness/mod.rs"]
#[allow(dead_code, unused_imports)]
mod harness;

use harness::*;

const HOUR: i64 = 3_600_000;
/// The clock is one for all tests here.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_back_stops_no_time_and_lifts_no_wait() {
    let _one = ONE.lock().await;
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 2_000 })).await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    let wrong = json!({ "login": "dealer-0", "password": "not the password" });
    for _ in 0..5 {
        host.nobody().post("/session", wrong.clone()).await;
    }
    assert_eq!(host.nobody().post("/session", wrong.clone()).await.refusal(), (429, "locked_out"));
    host::clock::set(-HOUR);
    assert_eq!(host.nobody().post("/session", wrong).await.refusal(), (429, "locked_out"), "it still has to wait");
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    let began = std::time::Instant::now();
    player.until("the close", |feed| feed.view["round"]["phase"] == "closed").await;
    assert!(began.elapsed() < std::time::Duration::from_secs(6), "{:?}", began.elapsed());
    assert!(host.running.app.read(floor::Floor::clock_ahead).is_some_and(|ahead| ahead < 0), "it is recorded");
    host::clock::set(0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_ahead_closes_no_bets_and_expires_nothing_until_it_is_accepted() {
    let _one = ONE.lock().await;
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 60_000 })).await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    let administrator = host.administrator().await;
    let (ticket, expires) = sold_ticket(&host).await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;

    let before = host::clock::now();
    host::clock::set(60 * 24 * HOUR);
    let ahead = || host.running.app.read(floor::Floor::clock_ahead);
    within("the jump is recorded", async {
        while ahead().is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    assert!(host::clock::now().since(before) < HOUR, "time has not jumped");
    assert_eq!(player.view["round"]["phase"], "open");
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "accepted", "bets are open as long as before");
    assert_eq!(state(&host, ticket), floor::TicketState::Outstanding, "60 days ahead, and nothing has expired");
    assert!(expires.since(host::clock::now()) > 0);
    // The dealer can always close; sessions go on.
    table.does("/close-bets", json!({})).await;
    player.acknowledge().await;
    table.result("1-2-3").await;
    table.dealer.refused("/clock/accept", json!({}), "rank").await;

    administrator.ok("/clock/accept", json!({})).await;
    within("the clock is accepted", async {
        while host::clock::now().since(before) < HOUR {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    within("what is due now", async {
        while state(&host, ticket) == floor::TicketState::Outstanding {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(ahead(), None);
}

fn state(host: &Host, id: floor::TicketId) -> floor::TicketState {
    let found = |floor: &floor::Floor| floor.tickets().find(|ticket| ticket.id() == id).map(floor::Ticket::state);
    host.running.app.read(found).unwrap_or(floor::TicketState::Expired)
}

/// A ticket that the cage has sold, and when it expires.
async fn sold_ticket(host: &Host) -> (floor::TicketId, floor::Moment) {
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "100.00" })).await;
    cashier.ok("/cage/sell", json!({ "amount": "10.00" })).await;
    host.running.app.read(|floor| {
        let ticket = floor.tickets().last().expect("a ticket");
        (ticket.id(), ticket.expires())
    })
}
