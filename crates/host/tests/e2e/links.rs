//! Links that are lost and come back (D12, S18), alerts about them (D19, D21), and two dealers at a table.

use std::collections::BTreeSet;
use std::time::Duration;

use host::api::asyncapi::{FEEDS, Shape};
use host::lost_links::{HOLDS, LOST, LostLinks, WHEEL_HOLDS};
use tokio::time::Instant;

use crate::harness::*;

/// What the pit is shown of lost links, once this kind is there.
async fn alerts(pit: &mut Feed, kind: &str) -> Vec<String> {
    let all = |feed: &Feed| feed.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
    pit.until(kind, |feed| all(feed).iter().any(|alert| alert["kind"] == kind)).await;
    let words = |alert: Value| format!("{}: {}", alert["kind"], alert["words"]["en"]).replace('"', "");
    let all = all(pit).into_iter().map(words);
    all.filter(|words| words.starts_with("device_") || words.starts_with("terminals_")).collect()
}

/// The lost links that the floor shows.
fn shown(host: &Host) -> Vec<(floor::AlertId, floor::AlertKind)> {
    use floor::AlertKind::{DeviceLost, TerminalsLost};
    let link = |alert: &&floor::Alert| matches!(alert.what(), DeviceLost(..) | TerminalsLost(..));
    let found = |alert: &floor::Alert| (alert.id(), alert.what().clone());
    host.running.app.read(|floor| floor.alerts().filter(link).map(found).collect())
}

/// Whether the floor counts a terminal as live.
fn is_live(host: &Host, terminal: &Terminal) -> bool {
    let id = floor::TerminalId(u32::try_from(terminal.id).expect("an id"));
    host.running.app.read(|floor| floor.terminal(id).is_some_and(floor::Terminal::is_live))
}

async fn live_is(host: &Host, terminal: &Terminal, live: bool) {
    within("the link", async {
        while is_live(host, terminal) != live {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_is_lost_keeps_its_bets_and_is_current_when_it_is_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let cursor = feed.cursor.clone();
    drop(feed);
    live_is(&host, &terminal, false).await;
    // The round continues without it: its acknowledgement is not awaited.
    table.does("/close-bets", json!({})).await;
    table.result("1-2-3").await;
    let mut feed = terminal.feed(&host, Some(&cursor)).await;
    assert_eq!(feed.view["own"]["credit"], "110.00", "registered bets settle as ever");
    let kinds: Vec<&str> = feed.events.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!(kinds, ["bets_closed", "result_entered", "round_settled"]);
    live_is(&host, &terminal, true).await;
    table.open_bets("rws-sicbo").await;
    assert_eq!(Feed::code(&feed.bet(&[("small", "10.00")]).await), "accepted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_does_not_show_the_close_counts_as_lost_after_two_seconds() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    table.does("/close-bets", json!({})).await;
    table.dealer.refused(&table.path("/result"), json!({ "outcome": "1-2-3" }), "unacknowledged").await;
    console.until("one is awaited", |feed| feed.view["console"]["awaiting"] == 1).await;
    console.until("no terminal is awaited any more", |feed| feed.view["console"]["awaiting"] == 0).await;
    table.result("1-2-3").await;
    feed.credit("110.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_terminals_are_lost_until_they_are_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (first, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let (second, _gone) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let cursor = feed.cursor.clone();
    let host = host.restart(release(1)).await;
    assert_eq!(feed.bye().await, "stopping");
    let feed = first.feed(&host, Some(&cursor)).await;
    assert_eq!(feed.view["own"]["staked"], "10.00", "the exact state before it");
    live_is(&host, &first, true).await;
    live_is(&host, &second, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_dealers_change_at_a_table_and_it_is_known_who_has_it() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let second = host.employ("dealer", "dealer-second").await;
    let mut console = Feed::open(&second.client, &format!("/feed/console/{}", table.id), None).await;
    assert_eq!(console.view["console"]["dealer"]["id"], table.dealer.id, "in the snapshot");
    second.ok(&table.path("/take"), json!({})).await;
    console.until("the change", |feed| feed.view["console"]["dealer"]["id"] == second.id).await;
    second.refused(&table.path("/take"), json!({}), "nothing_to_do").await;
    // Both are at the table; only the dealer who has taken it deals (D26), or a person of higher rank.
    table.dealer.refused(&table.path("/open-bets"), json!({}), "not_the_dealer").await;
    second.ok(&table.path("/open-bets"), json!({})).await;
    table.manager.refused(&table.path("/open-bets"), json!({}), "phase").await;
    let close = table.path("/close-bets");
    let (a, b) = tokio::join!(table.manager.command(&close, json!({})), second.command(&close, json!({})));
    let accepted = [&a, &b].iter().filter(|answer| answer.status.is_success()).count();
    assert_eq!(accepted, 1, "{} {}", a.text, b.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_has_every_section_of_its_viewer() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let administrator = host.administrator().await;
    let viewers = [
        (&host.anonymous(), "display", format!("/feed/display/{}", table.id)),
        (&table.dealer.client, "console", format!("/feed/console/{}", table.id)),
        (&table.manager.client, "pit", "/feed/pit".to_owned()),
        (&cashier.client, "cage", "/feed/cage".to_owned()),
        (&administrator.client, "admin", "/feed/admin".to_owned()),
    ];
    let (seat, _) = host.seat(&table, "standard", "a", "100.00").await;
    let mut seen = vec![("terminal", seat.feed(&host, None).await.view)];
    for (client, kind, path) in viewers {
        seen.push((kind, Feed::open(client, &path, None).await.view));
    }
    for (kind, view) in seen {
        let feed = FEEDS.iter().find(|feed| feed.kind == kind).unwrap();
        let whole = feed.sections.iter().filter(|(_, _, shape)| *shape != Shape::Part);
        let described: BTreeSet<_> = whole.map(|(name, ..)| (*name).to_owned()).collect();
        let sent: BTreeSet<_> = view.as_object().unwrap().keys().cloned().collect();
        assert_eq!(sent, described, "the sections of {kind}, as asyncapi.json describes them");
    }
    table.open_bets("rws-sicbo").await;
    let console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    assert_eq!(console.view["console"]["round"], console.view["round"]["id"]);
    assert!(console.view["console"].get("exposure").is_none(), "the exposure is the pit's");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_interrupted_by_a_restart_waits_for_two_people() {
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo", json!({ "betting_period": 0, "grace": 0 })).await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "10.00")]).await;
    let host = host.restart(release(1)).await;
    let mut feed = terminal.feed(&host, None).await;
    assert_eq!(feed.view["round"]["interrupted"], true, "D6: no grace, so the round is interrupted");
    let dealer = Person::sign_in(&host, "dealer-0", PASSWORD).await;
    let attest = |witness: Value| json!({ "finding": "not_established", "witness": witness });
    dealer.refused("/tables/0/close-bets", json!({}), "interrupted").await;
    dealer.refused("/tables/0/attest", attest(Value::Null), "second_person").await;
    dealer.ok("/tables/0/attest", attest(supervisor.signature())).await;
    assert_eq!(feed.event_since(0, "round_voided").await["paragraph"], "5.1.2");
    feed.credit("100.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_without_a_link_raises_an_alert_that_says_when_it_is_back() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (id, key) = host.enrolled_at(&table, "tumbler").await;
    let mut pit = Feed::open(&table.supervisor.client, "/feed/pit", None).await;
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    let (app, mut watch, start) = (&host.running.app, LostLinks::default(), Instant::now());
    // It has never been connected since the host started; a moment without a link is not worth a word.
    watch.look(app, start).await;
    watch.look(app, start + LOST - Duration::from_millis(1)).await;
    assert_eq!(shown(&host), []);
    watch.look(app, start + LOST).await;
    let said = alerts(&mut pit, "device_lost").await;
    assert!(said[0].starts_with("device_lost: the tumbler has no link to the host: check its power"), "{said:?}");
    console.until("the console", |feed| feed.view["console"]["alerts"][0]["kind"] == "device_lost").await;
    // Said once, however long it lasts.
    watch.look(app, start + LOST * 100).await;
    let feed = Feed::prove(&host.anonymous(), "device", id, &key, Value::Null).await;
    watch.look(app, start + LOST * 101).await;
    let said = alerts(&mut pit, "device_back").await;
    assert_eq!(said, ["device_back: the tumbler had no link to the host and is back"], "one line, until acknowledged");
    console.until("the console", |feed| feed.view["console"]["alerts"] == json!([])).await;
    // Lost again, it is the same line; out of service, its link is not needed.
    drop(feed);
    within("the link is gone", async {
        while matches!(shown(&host)[..], [(_, floor::AlertKind::DeviceLost(_, true))]) {
            watch.look(app, start + LOST * 102).await;
            watch.look(app, start + LOST * 103).await;
        }
    })
    .await;
    assert_eq!(alerts(&mut pit, "device_lost").await.len(), 1);
    let alert = shown(&host)[0].0;
    table.supervisor.ok(&format!("/alerts/{alert}/acknowledge"), json!({})).await;
    let mut another = LostLinks::default();
    let out =
        json!({ "function": "device", "in_service": false, "reason": "no link", "witness": table.manager.signature() });
    table.supervisor.ok(&format!("/devices/{id}/service"), out).await;
    another.look(app, start + LOST * 104).await;
    another.look(app, start + LOST * 105).await;
    assert_eq!(shown(&host), []);
}

/// What the floor shows of devices that hold up a round.
fn holding(host: &Host) -> Vec<floor::AlertId> {
    let held = |alert: &&floor::Alert| matches!(alert.what(), floor::AlertKind::DeviceHolds(..));
    host.running.app.read(|floor| floor.alerts().filter(held).map(floor::Alert::id).collect())
}

async fn observes(device: &mut Feed, observation: Value) {
    let answer = device.ask(json!({ "type": "observe", "observation": observation })).await;
    assert_eq!(Feed::code(&answer), "accepted", "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d19_a_device_that_stays_running_is_alerted_with_what_to_do_also_after_a_restart() {
    let host = Host::floor().await;
    let table = host.table_with("rws-sicbo-open", json!({ "betting_period": 0, "grace": 60_000 })).await;
    let (id, mut tumbler) = host.device(&table, "tumbler").await;
    table.open_bets("rws-sicbo-open").await;
    let (mut watch, start) = (LostLinks::default(), Instant::now());
    watch.look(&host.running.app, start + HOLDS * 10).await;
    assert_eq!(holding(&host), [], "nothing waits for the device before the close");
    table.close_bets(&mut []).await;
    watch.look(&host.running.app, start).await;
    observes(&mut tumbler, json!("activated")).await;
    // It has said something: the time begins again.
    watch.look(&host.running.app, start + HOLDS).await;
    watch.look(&host.running.app, start + HOLDS * 2 - Duration::from_millis(1)).await;
    assert_eq!(holding(&host), []);
    watch.look(&host.running.app, start + HOLDS * 2).await;
    let mut pit = Feed::open(&table.supervisor.client, "/feed/pit", None).await;
    let said = alerts(&mut pit, "device_holds").await;
    assert!(said[0].contains("holds up round") && said[0].contains("take it out of service"), "{said:?}");
    let console = format!("/feed/console/{}", table.id);
    let mut desk = Feed::open(&table.dealer.client, &console, None).await;
    desk.until("the console", |feed| feed.view["console"]["alerts"][0]["kind"] == "device_holds").await;
    assert_eq!(desk.view["console"]["waits"]["kind"], "device_running");
    assert_eq!(desk.view["console"]["waits"]["steps"].as_array().map(Vec::len), Some(4), "and what to do");
    watch.look(&host.running.app, start + HOLDS * 20).await;
    assert_eq!(holding(&host).len(), 1, "said once");
    // Acknowledged; then the host restarts, and the device that was running is still running as far as anyone knows.
    table.supervisor.ok(&format!("/alerts/{}/acknowledge", holding(&host)[0]), json!({})).await;
    drop((tumbler, pit, desk));
    let host = host.restart(release(1)).await;
    let table = table.again(&host).await;
    let (mut watch, start) = (LostLinks::default(), Instant::now());
    watch.look(&host.running.app, start).await;
    watch.look(&host.running.app, start + HOLDS).await;
    let mut desk = Feed::open(&table.dealer.client, &console, None).await;
    let is_held = |feed: &Feed| feed.view["console"]["alerts"].to_string().contains("device_holds");
    desk.until("the console", is_held).await;
    // As it says: two people take the device out of service, the dealer affirms, and the console shows it no longer.
    let out =
        json!({ "function": "device", "in_service": false, "reason": "silent", "witness": table.manager.signature() });
    table.supervisor.ok(&format!("/devices/{id}/service"), out).await;
    table.result("1-2-3").await;
    desk.until("no alert", |feed| !is_held(feed)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d19_a_wheel_that_reports_nothing_holds_the_round_and_is_given_longer() {
    let host = Host::floor().await;
    let table = host.table("rws-roulette-000").await;
    let (_, _wheel) = host.device(&table, "wheel").await;
    table.open_bets("rws-roulette-000").await;
    table.close_bets(&mut []).await;
    let (app, mut watch, start) = (&host.running.app, LostLinks::default(), Instant::now());
    watch.look(app, start).await;
    watch.look(app, start + HOLDS).await;
    assert_eq!(holding(&host), [], "the ball is longer on its way");
    watch.look(app, start + WHEEL_HOLDS).await;
    within("the alert", async {
        while holding(&host).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminals_that_are_lost_in_a_round_are_one_alert_with_a_count() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (first, mut a) = host.seat(&table, "standard", "a", "100.00").await;
    let (second, b) = host.seat(&table, "standard", "a", "100.00").await;
    let unused = host.terminal(&table, "standard", "a").await;
    let mut pit = Feed::open(&table.supervisor.client, "/feed/pit", None).await;
    let (app, mut watch, start) = (&host.running.app, LostLinks::default(), Instant::now());
    watch.look(app, start).await;
    table.open_bets("rws-sicbo").await;
    a.bet(&[("small", "10.00")]).await;
    watch.look(app, start).await;
    assert!(!is_live(&host, &unused), "a terminal that is not in use is not missed");
    // The power of the row fails.
    drop((a, b));
    live_is(&host, &first, false).await;
    live_is(&host, &second, false).await;
    watch.look(app, start + Duration::from_secs(1)).await;
    assert_eq!(shown(&host), []);
    watch.look(app, start + Duration::from_secs(1) + LOST).await;
    let said = alerts(&mut pit, "terminals_lost").await;
    assert!(said.len() == 1 && said[0].contains("lost during a round: 2."), "{said:?}");
    // One is back, then the other.
    let _a = first.feed(&host, None).await;
    live_is(&host, &first, true).await;
    watch.look(app, start + LOST * 2).await;
    within("the count", async {
        while !alerts(&mut pit, "terminals_lost").await[0].contains("lost during a round: 1.") {
            pit.next().await;
        }
    })
    .await;
    let _b = second.feed(&host, None).await;
    live_is(&host, &second, true).await;
    // Another host that goes on knows it too.
    LostLinks::default().look(app, start + LOST * 3).await;
    let said = alerts(&mut pit, "terminals_back").await;
    assert_eq!(said, ["terminals_back: Terminals lost during a round: all are back (at most 2 were lost)"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_in_a_cabinet_is_recorded_and_what_needs_staff_is_shown_at_the_pit() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let says = |event: &str, about: &str| json!({ "type": "cabinet", "event": event, "about": about });
    let noted = |words: &str| format!("Terminal {}: {words}", terminal.id);
    for (event, about) in [("door_opened", "main"), ("door_closed", "main"), ("printer_jam", "paper")] {
        let answer = feed.ask(says(event, about)).await;
        assert_eq!(Feed::code(&answer), "accepted", "{answer}");
    }
    let shown = |host: &Host| -> Vec<String> {
        host.running.app.read(|floor| {
            let words = |alert: &floor::Alert| match alert.what() {
                floor::AlertKind::Host(words) => Some(words.clone()),
                _ => None,
            };
            floor.alerts().filter_map(words).collect()
        })
    };
    let expected = [noted("a door was opened: main"), noted("the printer is jammed: paper")];
    within("the alerts", async {
        while shown(&host) != expected {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let events = table.manager.client.get("/records/events?kind=access").await.ok().to_string();
    assert!(events.contains(&noted("a door was closed: main")), "{events}");
    let answer = feed.ask(says("door_opened", "<script>")).await;
    assert_eq!(Feed::code(&answer), "invalid", "{answer}");
    let answer = feed.ask(says("house_on_fire", "main")).await;
    assert_eq!(Feed::code(&answer), "malformed", "{answer}");
}
