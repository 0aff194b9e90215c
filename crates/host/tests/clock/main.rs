//! A clock that is set while a floor plays. A process of its own: the clock is one for the whole program.

#[path = "../e2e/harness/mod.rs"]
#[allow(dead_code, unused_imports)]
mod harness;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cluster::HostKey;
use harness::*;

const HOUR: i64 = 3_600_000;
/// The clock is one for all tests here.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_back_stops_no_time_and_lifts_no_wait() {
    let _one = ONE.lock().await;
    over_both(set_back).await;
}

/// At a host that speaks plain text and at one that speaks TLS, each with a clock of its own.
async fn over_both(attack: impl AsyncFn(&Host)) {
    for tls in [false, true] {
        host::clock::set(0);
        host::clock::forget();
        let host = if tls { Host::with_tls(|_| {}).await } else { Host::floor().await };
        attack(&host).await;
        host.running.stop().await;
    }
    host::clock::set(0);
    host::clock::forget();
}

async fn set_back(host: &Host) {
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 2_000 })).await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    let wrong = json!({ "login": "dealer-0", "password": "not the password" });
    for _ in 0..5 {
        host.anonymous().post("/session", wrong.clone()).await;
    }
    assert_eq!(host.anonymous().post("/session", wrong.clone()).await.refusal(), (429, "locked_out"));
    host::clock::set(-HOUR);
    assert_eq!(host.anonymous().post("/session", wrong).await.refusal(), (429, "locked_out"), "it still has to wait");
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    let began = std::time::Instant::now();
    player.until("the close", |feed| feed.view["round"]["phase"] == "closed").await;
    assert!(began.elapsed() < std::time::Duration::from_secs(6), "{:?}", began.elapsed());
    assert!(host.running.app.read(floor::Floor::clock_ahead).is_some_and(|ahead| ahead < 0), "it is recorded");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_ahead_closes_no_bets_and_expires_nothing_until_it_is_accepted() {
    let _one = ONE.lock().await;
    over_both(set_ahead).await;
}

async fn set_ahead(host: &Host) {
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 60_000 })).await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    let administrator = host.administrator().await;
    let (ticket, expires) = sold_ticket(host).await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;

    let before = host::clock::now();
    let day = || host.running.app.read(floor::Floor::gaming_day);
    let today = day();
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
    assert_eq!(state(host, ticket), floor::TicketState::Outstanding, "60 days ahead, and nothing has expired");
    assert!(expires.since(host::clock::now()) > 0);
    // Unless the test began just before it ended, it is the same gaming day.
    assert!((today..=today + 1).contains(&day()), "{} after {today}", day());
    // The dealer can always close; sessions go on.
    table.does("/close-bets", json!({})).await;
    player.acknowledge().await;
    table.result("1-2-3").await;
    table.dealer.refused("/clock/accept", json!({}), "rank").await;

    administrator.refused("/clock/accept", json!({}), "second_person").await;
    administrator.ok("/clock/accept", by_two()).await;
    within("the clock is accepted", async {
        while host::clock::now().since(before) < HOUR {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    // What would expire by the jump alone is good for as long more.
    let now_expires = || {
        let found = |floor: &floor::Floor| floor.tickets().find(|one| one.id() == ticket).map(floor::Ticket::expires);
        host.running.app.read(found)
    };
    assert_eq!(state(host, ticket), floor::TicketState::Outstanding);
    assert!(now_expires().is_some_and(|moved| moved.since(expires) >= 59 * 24 * HOUR), "{:?}", now_expires());
    assert_eq!(ahead(), None);
    within("the gaming day is another", async {
        while day() < today + 59 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_ahead_in_small_steps_is_not_followed_for_long() {
    let _one = ONE.lock().await;
    host::clock::forget();
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    let (before, began) = (host::clock::now(), std::time::Instant::now());
    for step in 1..=60 {
        host::clock::set(step * 1_000);
        let _ = host::clock::now();
    }
    let gained = || host::clock::now().since(before) - i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    assert!(gained() <= 2_050, "{} ms", gained());
    let ahead = || host.running.app.read(floor::Floor::clock_ahead);
    until("it is recorded", async || ahead().is_some_and(|ahead| ahead > 55_000)).await;
    administrator.refused("/clock/accept", json!({}), "second_person").await;
    administrator.ok("/clock/accept", by_two()).await;
    until("the clock is followed", async || gained() > 55_000).await;
    host::clock::set(0);
    host::clock::forget();
}

/// Stops a host, changes what its machine knows, and starts it in what is a new process as far as its clock goes.
async fn start_again(host: Host, ahead: i64, change: impl FnOnce(&Path)) -> Host {
    let Host { running, folder, floor, tls } = host;
    running.stop().await;
    change(&folder.path().join("data"));
    host::clock::forget();
    host::clock::set(ahead);
    let running = start_in(folder.path(), false, release(1)).await;
    Host { running, folder, floor, tls }
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    within(what, async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_was_set_while_the_host_was_stopped_is_noticed() {
    let _one = ONE.lock().await;
    host::clock::forget();
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (before, day) = (host::clock::now(), host.running.app.read(floor::Floor::gaming_day));
    until("the time is noted", async || host.folder.path().join("data/clock").exists()).await;
    // The machine's stopwatch says that only seconds have passed.
    let host = start_again(host, HOUR, |_| {}).await;
    assert!(host::clock::now().since(before) < HOUR / 2, "not an hour later");
    let found = || host.running.app.read(floor::Floor::clock_ahead);
    until("it is recorded", async || found().is_some_and(|ahead| (ahead - HOUR).abs() < HOUR / 60)).await;
    let table = table.again(&host).await;
    table.open_bets("rws-sicbo").await;
    assert!(host.running.app.read(floor::Floor::gaming_day) <= day + 1);
    // Set right again: nothing is left to accept.
    host::clock::set(0);
    until("it is right again", async || found().is_none()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_floor_that_was_switched_off_for_days_starts_and_two_people_accept_the_clock() {
    let _one = ONE.lock().await;
    host::clock::forget();
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (before, day) = (host::clock::now(), host.running.app.read(floor::Floor::gaming_day));
    // The machine was off: its stopwatch says nothing. A night is believed.
    let off = |data: &Path| std::fs::remove_file(data.join("clock")).unwrap_or_default();
    let host = start_again(host, 10 * HOUR, off).await;
    assert!(host::clock::now().since(before) >= 10 * HOUR);
    assert_eq!(host.running.app.read(floor::Floor::clock_ahead), None);
    // Days are not, until two people say so; play goes on meanwhile.
    let host = start_again(host, 82 * HOUR, off).await;
    assert!(host::clock::now().since(before) < 12 * HOUR);
    let found = || host.running.app.read(floor::Floor::clock_ahead);
    until("it is recorded", async || found().is_some_and(|ahead| ahead > 70 * HOUR)).await;
    let table = table.again(&host).await;
    table.open_bets("rws-sicbo").await;
    assert!(host.running.app.read(floor::Floor::gaming_day) <= day + 1, "the gaming day waits too");
    let administrator = host.administrator().await;
    administrator.refused("/clock/accept", json!({}), "second_person").await;
    administrator.ok("/clock/accept", by_two()).await;
    until("the clock is followed", async || host::clock::now().since(before) > 80 * HOUR).await;
    until("another gaming day", async || host.running.app.read(floor::Floor::gaming_day) >= day + 3).await;
    host::clock::set(0);
    host::clock::forget();
}

/// Ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const URLS: &str = "CROUPIER_CLOCK_TEST_URLS";
const FOLDER: &str = "CROUPIER_CLOCK_TEST_FOLDER";
/// By how many milliseconds its clock is ahead.
const AHEAD: &str = "CROUPIER_CLOCK_TEST_AHEAD";

fn on_cluster(config: &mut host::Config, urls: &str, name: &str) {
    (config.journal, config.replicas) = (Some(urls.to_owned()), 1);
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    (config.host, config.advertise) = (Some(name.to_owned()), Some(format!("{scheme}://{name}.example")));
}

/// No test of its own: the other host of the tests below, in a process with a clock of its own. It speaks TLS if there is
/// a certificate in its folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_the_host_with_a_clock_of_its_own() {
    let (Ok(urls), Ok(folder)) = (std::env::var(URLS), std::env::var(FOLDER)) else { return };
    let ahead = std::env::var(AHEAD).ok().and_then(|ahead| ahead.parse().ok());
    host::clock::set(ahead.expect("a number"));
    let mut config = config(Path::new(&folder));
    let (certificate, key) = (Path::new(&folder).join("host.pem"), Path::new(&folder).join("host.key"));
    config.tls = certificate.exists().then_some(host::Tls { certificate, key, client_ca: None });
    on_cluster(&mut config, &urls, "two");
    let running = start_with(config, false, release(1)).await;
    std::fs::write(Path::new(&folder).join("address"), running.address.to_string()).expect("told");
    // Until the other process ends this one.
    std::future::pending::<()>().await;
}

/// The other host, with a clock that is so far ahead, enrolled by the first one; it ends with the process.
async fn other_host(one: &Host, urls: &str, folder: &Path, ahead: i64) -> (Process, Client) {
    let trusts = one.tls.as_ref().map(|_| line::certificate(folder).1);
    let this: PathBuf = std::env::current_exe().expect("this program");
    let mut command = Command::new(this);
    command.args(["--exact", "as_the_host_with_a_clock_of_its_own"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.env(URLS, urls).env(FOLDER, folder).env(AHEAD, ahead.to_string());
    let process = Process(command.spawn().expect("another process"));

    let address = folder.join("address");
    until("the other host listens", async || std::fs::read_to_string(&address).is_ok_and(|text| !text.is_empty()))
        .await;
    let address = std::fs::read_to_string(&address).expect("an address").parse().expect("an address");
    let two = Client { tls: trusts, ..Client::new(address, "main") };
    let key = HostKey::of(&folder.join("data")).expect("a key").public().to_string();
    let administrator = one.administrator().await;
    let enrol = json!({ "key": key, "new": true, "witness": second() });
    assert_eq!(administrator.client.post("/hosts/two/key", enrol).await.status, 204);
    until("it serves", async || two.get_root("/readyz").await.status == 200).await;
    until("it goes by the floor's time", async || differs(&two).await < HOUR / 60).await;
    (process, two)
}

/// By how many milliseconds the time of the other host differs from this one's.
async fn differs(two: &Client) -> i64 {
    let there = two.get("/time").await.ok()["now"].as_i64().expect("a time");
    (there - host::clock::now().0).abs()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_that_takes_over_with_a_clock_ahead_goes_on_with_the_floors_time() {
    let _one = ONE.lock().await;
    host::clock::forget();
    let nats = tokio::task::spawn_blocking(|| natsd::Cluster::start(1).expect("a server")).await.expect("started");
    let urls = nats.urls().join(",");
    let one = Host::with(|config| on_cluster(config, &urls, "one")).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (_process, two) = other_host(&one, &urls, folder.path(), HOUR).await;
    let table = one.table_with("rws-sicbo", json!({ "betting_period": 1_800_000 })).await;
    let (terminal, _player) = one.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    // What is said at the pit names the host, before it ever leads.
    let words =
        |floor: &floor::Floor| floor.alerts().any(|alert| format!("{alert:?}").contains("The clock of host two"));
    until("an alert", async || one.running.app.read(words)).await;

    one.running.stop().await;
    until("the other leads", async || two.get("/hosts").await.ok()["leads"] == true).await;
    assert!(differs(&two).await < HOUR / 60, "{} ms", differs(&two).await);
    let administrator = Person::sign_in_at(&two, "administrator", PASSWORD).await;
    let mut office = Feed::open(&administrator.client, "/feed/admin", None).await;
    let ahead = |feed: &Feed| feed.view["health"]["clock_ahead"].as_i64();
    office.until("what its own clock says", |feed| ahead(feed).is_some_and(|ms| (ms - HOUR).abs() < HOUR / 60)).await;
    // Half an hour of betting is not over.
    let player = Feed::prove(&two, "terminal", terminal.id, &terminal.key, Value::Null).await;
    assert_eq!(player.view["round"]["phase"], "open");
    administrator.refused("/clock/accept", json!({}), "second_person").await;
}

/// The clock of the host that leads is set ahead while a table plays, over TLS; the other host's clock is right.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_clock_that_is_set_ahead_where_a_host_leads_changes_nothing_at_either_until_two_people_accept_it() {
    let _one = ONE.lock().await;
    host::clock::set(0);
    host::clock::forget();
    let nats = tokio::task::spawn_blocking(|| natsd::Cluster::start(1).expect("a server")).await.expect("started");
    let urls = nats.urls().join(",");
    let one = Host::with_tls(|config| on_cluster(config, &urls, "one")).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (_process, two) = other_host(&one, &urls, folder.path(), 0).await;
    let table = one.table_with("rws-sicbo", json!({ "betting_period": 1_800_000 })).await;
    let (terminal, first) = one.seat(&table, "standard", "a", "100.00").await;
    let (ticket, expires) = sold_ticket(&one).await;
    // The player goes on at the host that follows, which is another process.
    drop(first);
    let mut player = Feed::prove(&two, "terminal", terminal.id, &terminal.key, Value::Null).await;
    player.credit("100.00").await;
    player.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    table.open_bets("rws-sicbo").await;
    player.event_since(0, "bets_opened").await;
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "accepted");

    let before = host::clock::now();
    host::clock::set(60 * 24 * HOUR);
    let ahead = || one.running.app.read(floor::Floor::clock_ahead);
    until("the jump is recorded", async || ahead().is_some()).await;
    assert!(host::clock::now().since(before) < HOUR, "time has not jumped");
    // It plays on, at both hosts.
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "accepted", "bets are open as long as before");
    assert_eq!(player.view["round"]["phase"], "open");
    assert!(differs(&two).await < HOUR / 60, "the other host has the floor's time: {} ms", differs(&two).await);
    assert_eq!(state(&one, ticket), floor::TicketState::Outstanding);
    assert!(one.running.app.read(floor::Floor::clock_ahead).is_some_and(|ahead| ahead > 59 * 24 * HOUR));
    // The dealer closes and settles, and the player at the other host is paid.
    table.does("/close-bets", json!({})).await;
    player.acknowledge().await;
    table.result("1-2-4").await;
    player.credit("110.00").await;

    // It is accepted at the host that follows, by two people there, and holds for the floor.
    let administrator = Person::sign_in_at(&two, "administrator", PASSWORD).await;
    administrator.refused("/clock/accept", json!({}), "second_person").await;
    assert!(host::clock::now().since(before) < HOUR);
    administrator.ok("/clock/accept", by_two()).await;
    until("the clock is followed", async || host::clock::now().since(before) > 59 * 24 * HOUR).await;
    until("nothing is left to accept", async || ahead().is_none()).await;
    until("the other host follows", async || differs(&two).await < HOUR / 60).await;
    // What would expire by the jump alone is good for as long more.
    assert_eq!(state(&one, ticket), floor::TicketState::Outstanding);
    let found = |floor: &floor::Floor| floor.tickets().find(|one| one.id() == ticket).map(floor::Ticket::expires);
    assert!(one.running.app.read(found).is_some_and(|moved| moved.since(expires) >= 59 * 24 * HOUR));
    // The other host takes over, by its own clock 60 days behind: the floor's time goes on from where it was.
    let then = host::clock::now();
    one.running.stop().await;
    until("the other leads", async || two.get("/hosts").await.ok()["leads"] == true).await;
    let there = two.get("/time").await.ok()["now"].as_i64().expect("a time");
    // Two hosts have the floor's time to within a moment of each other.
    assert!((-HOUR / 60..HOUR).contains(&(there - then.0)), "{} ms later", there - then.0);
    host::clock::set(0);
    host::clock::forget();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_is_signed_at_the_end_of_the_gaming_day_whatever_sign_seconds_says() {
    let _one = ONE.lock().await;
    let elsewhere = tempfile::tempdir().expect("another machine");
    let file = elsewhere.path().join("anchors.txt");
    let host = Host::with(|config| {
        config.sign_seconds = 30 * 86_400;
        config.anchors = vec![host::AnchorPlace { file: Some(file.clone()), ..host::AnchorPlace::default() }];
    })
    .await;
    let administrator = host.administrator().await;
    host.table("rws-sicbo").await;
    let sequence = || host.running.app.read(floor::Floor::sequence);
    let anchored = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let last = text.lines().last().and_then(|line| journal::Checkpoint::from_line(line.trim()));
        last.map_or(0, |anchor| anchor.sequence)
    };
    let played = sequence();
    // As long as the day lasts, nothing asks for a signature.
    assert!(anchored() < played, "{} of {played}", anchored());
    host::clock::set(24 * HOUR);
    let ahead = || host.running.app.read(floor::Floor::clock_ahead);
    until("the jump is recorded", async || ahead().is_some()).await;
    administrator.ok("/clock/accept", by_two()).await;
    until("an anchor of the day that has ended", async || anchored() >= played).await;
    host::clock::set(0);
    host::clock::forget();
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
    let sold = host.running.app.read(|floor| floor.tickets().last().map(floor::Ticket::id)).expect("a ticket");
    cashier.ok(&format!("/tickets/{sold}/printed"), json!({})).await;
    host.running.app.read(|floor| {
        let ticket = floor.tickets().last().expect("a ticket");
        (ticket.id(), ticket.expires())
    })
}
