//! Cursors: nothing that a client makes up stops play; records that are really gone do.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use host::Config;

use super::{both, over_both};
use crate::harness::*;

/// Whatever is no cursor of this floor.
pub fn made_up() -> Vec<Value> {
    let far = URL_SAFE_NO_PAD.encode([0xff; 36]);
    vec![json!(999_999_999_u64), json!(u64::MAX), json!("999999999"), json!(far), json!({}), json!(["x"]), json!(true)]
}

/// A bet is accepted: play goes on.
pub async fn plays(table: &Table, feed: &mut Feed) {
    let known = feed.events.len();
    table.open_bets("rws-sicbo").await;
    feed.event_since(known, "bets_opened").await;
    assert_eq!(Feed::code(&feed.bet(&[("small", "5.00")]).await), "accepted");
    table.does("/void", json!({ "ground": "dice-damaged" })).await;
    feed.event_since(known, "round_voided").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_beyond_the_end_on_a_display_does_not_halt_the_floor() {
    over_both(on_a_display).await;
}

pub async fn on_a_display(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (_, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    let alerts = |floor: &floor::Floor| floor.alerts().count();
    let before = host.running.app.read(alerts);
    let stranger = host.anonymous().header("origin", "https://elsewhere.example");
    for client in [host.anonymous(), stranger] {
        for cursor in made_up() {
            let below = format!("/feed/display/{}", table.id);
            let Ok(mut display) = Feed::connect(&client, &below).await else { continue };
            display.send(json!({ "type": "hello", "cursor": cursor })).await;
            display.until("a snapshot", |feed| feed.sequence > 0).await;
        }
    }
    plays(&table, &mut player).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
    assert_eq!(host.running.app.read(alerts), before, "nothing that a display says is shown at the pit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_that_the_floor_did_not_give_out_gets_a_fresh_snapshot() {
    over_both(not_given_out).await;
}

pub async fn not_given_out(host: &Host) {
    let other = Host::floor().await;
    let table = other.table("rws-sicbo").await;
    let (_, foreign) = other.seat(&table, "standard", "a", "100.00").await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut player) = host.seat(&table, "standard", "a", "100.00").await;
    for cursor in made_up().into_iter().chain([json!(foreign.cursor)]) {
        player = terminal.feed_with(host, cursor.clone()).await;
        let snapshot = player.messages.iter().find(|message| message["type"] == "snapshot").expect("a snapshot");
        assert_eq!((&snapshot["complete"], &snapshot["events"]), (&json!(false), &json!([])), "{cursor}");
    }
    plays(&table, &mut player).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_that_are_really_lost_lock_play_until_two_people_state_what_was_lost() {
    for host in both().await {
        really_lost(host).await;
    }
}

async fn really_lost(host: Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, player) = host.seat(&table, "standard", "a", "100.00").await;
    let manager = host.employ("shift_manager", "shift-1").await;
    host.employ("auditor", "auditor-1").await;
    let Host { running, folder, floor, tls } = host;
    let again = Config { listen: config(folder.path()).listen, ..running.app.config.clone() };
    running.stop().await;
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup"));
    copy(&data, &backup);
    let running = start_with(again.clone(), false, release(1)).await;
    let host = Host { running, folder, floor, tls };
    let mut player = terminal.feed(&host, Some(&player.cursor)).await;
    let table = table.again(&host).await;
    plays(&table, &mut player).await;
    let shown = player.cursor.clone();
    // The disk is lost, and a backup of before the round is brought back.
    let Host { running, folder, floor, tls } = host;
    running.stop().await;
    std::fs::remove_dir_all(&data).expect("gone");
    copy(&backup, &data);
    let running = start_with(again, false, release(1)).await;
    let host = Host { running, folder, floor, tls };
    let table = table.again(&host).await;
    // Who only reads is alerted, and stops nothing alone.
    let auditor = Person::sign_in(&host, "auditor-1", PASSWORD).await;
    let read = Feed::open(&auditor.client, "/feed/pit", Some(&shown)).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
    drop(read);
    let mut player = terminal.feed(&host, Some(&shown)).await;
    assert_eq!(player.messages[1]["complete"], false);
    assert!(host.running.app.read(floor::Floor::missing_record).is_some());
    let pit = host.running.app.read(|floor| floor.alerts().map(|alert| alert.what().clone()).collect::<Vec<_>>());
    use floor::AlertKind::{EnrolmentCode, Host as Told, Integrity};
    assert!(matches!(pit[..], [EnrolmentCode(..), Told(_), Integrity(_)]), "{pit:?}");
    let refused = table.dealer.refused(&table.path("/open-bets"), json!({}), "locked").await;
    assert!(refused.words().contains("what was lost"), "{}", refused.words());
    assert_eq!(Feed::code(&player.bet(&[("small", "5.00")]).await), "locked");
    // A restart changes nothing: the lock is in the record.
    let host = host.restart(release(1)).await;
    let table = table.again(&host).await;
    table.dealer.refused(&table.path("/open-bets"), json!({}), "locked").await;
    // A dealer is not permitted to, no one is alone, and neither is a wrong pair.
    let manager = Person::sign_in(&host, &manager.login, PASSWORD).await;
    let administrator = host.administrator().await;
    let statement = |witness: Value| json!({ "statement": "one round after the backup of noon", "witness": witness });
    table.dealer.refused("/loss/accept", statement(administrator.signature()), "rank").await;
    administrator.refused("/loss/accept", statement(Value::Null), "second_person").await;
    administrator.refused("/loss/accept", statement(table.dealer.signature()), "second_person").await;
    manager.refused("/loss/accept", statement(manager.signature()), "second_person").await;
    manager.ok("/loss/accept", statement(administrator.signature())).await;
    manager.refused("/loss/accept", statement(administrator.signature()), "nothing_to_do").await;
    // The same cursor says nothing any more, and play goes on.
    let mut player = terminal.feed(&host, Some(&shown)).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
    plays(&table, &mut player).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_of_a_restored_copy_does_not_halt_the_original() {
    for host in both().await {
        restored_copy(host).await;
    }
}

async fn restored_copy(host: Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, player) = host.seat(&table, "standard", "a", "100.00").await;
    let (data, elsewhere) = (host.folder.path().join("data"), tempfile::tempdir().expect("another machine"));
    let (backup, restored) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    for (from, to) in [(&data, &backup), (&backup, &restored)] {
        engine::backup(from, to).expect("a copy");
        assert!(host::store::copy(from, to).expect("credentials"));
    }
    // The copy runs ahead of the floor that it was made from.
    let running = start_in(elsewhere.path(), false, release(1)).await;
    let copied = Host { running, folder: elsewhere, floor: "main".to_owned(), tls: None };
    let mut feed = terminal.feed(&copied, Some(&player.cursor)).await;
    assert_eq!(feed.messages[1]["complete"], true, "it knows what its original gave out");
    let there = table.again(&copied).await;
    for _ in 0..3 {
        plays(&there, &mut feed).await;
    }
    let ahead = feed.cursor.clone();
    drop((player, feed));
    copied.running.stop().await;
    let mut player = terminal.feed(&host, Some(&ahead)).await;
    assert_eq!(player.messages[1]["complete"], false, "a fresh snapshot");
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
    plays(&table, &mut player).await;
}

pub fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
