//! The same attacks on a floor with two hosts on a cluster: the other host is no way around.

use super::clones::{held, hello, keeps_answering};
use super::cursors::{made_up, plays};
use super::origins::opens;
use super::sign_in::wrong;
use crate::forged::{on_cluster, on_two_hosts, until};
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cloned_key_at_another_host_moves_nothing_until_a_pit_supervisor_approves() {
    on_two_hosts(async |one, two| {
        let table = one.table("rws-sicbo").await;
        let (terminal, feed) = one.seat(&table, "standard", "a", "100.00").await;
        let first = keeps_answering(feed);
        let mut clone = hello(&two.nobody().from([127, 0, 0, 66]), &terminal).await;
        let link = held(two).await;
        assert_eq!((&link["older"], &link["newer"]), (&json!("127.0.0.1"), &json!("127.0.0.66")));
        clone.until("that it is held", |feed| feed.messages.iter().any(|message| message["type"] == "held")).await;
        assert_eq!(clone.sequence, 0, "and nothing is shown");
        // Both addresses and both hosts are named at every pit.
        let named = |words: &str| ["127.0.0.66 at two", "127.0.0.1 at one"].iter().all(|part| words.contains(part));
        let alerts = |floor: &floor::Floor| floor.alerts().map(|alert| format!("{alert:?}")).collect::<Vec<_>>();
        for host in [one, two] {
            until("an alert", async || host.running.app.read(alerts).iter().any(|words| named(words))).await;
        }
        assert!(!first.is_finished(), "the terminal itself goes on");
        let supervisor = Person::sign_in(two, &table.supervisor.login, PASSWORD).await;
        let approve = format!("/links/{}/approve", link["id"]);
        assert_eq!(supervisor.client.post(&approve, json!({})).await.status, 204);
        clone.until("a snapshot", |feed| feed.sequence > 0).await;
        let mut first = first.await.expect("no panic");
        assert_eq!(first.bye().await, "replaced", "one link is left");
        clone.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stolen_token_moves_nothing_at_another_host_and_a_reload_there_is_no_clone() {
    on_two_hosts(async |one, two| {
        let table = one.table("rws-sicbo").await;
        let (terminal, feed) = one.seat(&table, "standard", "a", "100.00").await;
        let first = keeps_answering(feed);
        let thief = two.nobody().from([127, 0, 0, 66]);
        let nonce = thief.post("/keys/challenge", json!({})).await.ok();
        let nonce = nonce["nonce"].as_str().expect("a nonce");
        let proved = proof(&terminal.key, "terminal", terminal.id, nonce);
        let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
        let token = thief.post("/keys/prove", body).await.ok();
        let bearer = thief.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
        let number = jiff::Timestamp::now().as_microsecond().unsigned_abs().to_string();
        let path = format!("/terminals/{}/cash-out", terminal.id);
        let answer = bearer.header("idempotency-key", number).post(&path, json!({})).await;
        assert_eq!(answer.refusal(), (403, "second_link"));
        assert_eq!(two.running.app.links.held().len(), 1);
        // The page is closed and opened again at the other host.
        first.abort();
        let _ = first.await;
        let mut moved = terminal.feed(two, None).await;
        assert_eq!(moved.view["own"]["credit"], "100.00");
        moved.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
        assert_eq!(two.running.app.links.held().len(), 1, "no further link waits");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cursor_that_no_host_gave_out_halts_nothing_and_one_of_another_host_is_good() {
    on_two_hosts(async |one, two| {
        let table = one.table("rws-sicbo").await;
        let (terminal, mut player) = one.seat(&table, "standard", "a", "100.00").await;
        let below = format!("/feed/display/{}", table.id);
        for host in [one, two] {
            for cursor in made_up() {
                let mut display = Feed::connect(&host.nobody(), &below).await.expect("a feed");
                display.send(json!({ "type": "hello", "cursor": cursor })).await;
                display.until("a snapshot", |feed| feed.sequence > 0).await;
            }
        }
        plays(&table, &mut player).await;
        let seen = player.cursor.clone();
        drop(player);
        for cursor in made_up() {
            let feed = terminal.feed_with(two, cursor).await;
            assert_eq!(feed.messages[1]["complete"], false);
        }
        let player = terminal.feed(two, Some(&seen)).await;
        assert_eq!(player.messages[1]["complete"], true, "nothing was missed");
        for host in [one, two] {
            assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn wrong_passwords_count_at_all_hosts_together_and_lock_no_one_out_at_another_address() {
    on_two_hosts(async |one, two| {
        one.employ("pit_manager", "manager-1").await;
        for host in [one, two, one, two, one] {
            let attacker = host.nobody().from([127, 0, 0, 66]);
            assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (401, "sign_in"));
        }
        for host in [one, two] {
            let attacker = host.nobody().from([127, 0, 0, 66]);
            assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (429, "locked_out"));
            Person::sign_in(host, "manager-1", PASSWORD).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_of_the_enrolled_hosts_open_feeds_at_each_other_and_pages_of_no_one_else() {
    on_two_hosts(async |one, two| {
        let table = one.table("rws-sicbo").await;
        let below = format!("/feed/display/{}", table.id);
        for (host, other) in [(one, "two.example"), (two, "one.example")] {
            assert!(opens(&host.nobody(), &below, &format!("http://{other}")).await, "{other}");
            assert!(!opens(&host.nobody(), &below, "http://three.example").await, "no host of the floor");
            assert!(!opens(&host.nobody(), &below, "https://elsewhere.example").await);
            assert!(!opens(&host.nobody(), &below, "null").await);
            let policy = host.nobody().get_root("/").await.header("content-security-policy").to_owned();
            assert!(policy.contains(&format!("ws://{other}")), "{policy}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_host_that_follows_refuses_is_an_alert_at_every_pit() {
    on_two_hosts(async |one, two| {
        two.running.app.significant("Sign-in of 'anna' was refused", true);
        let count = |floor: &floor::Floor| {
            let all = floor.alerts().map(|alert| format!("{alert:?}")).collect::<Vec<_>>().join(" ");
            all.matches("Access").count()
        };
        for host in [one, two] {
            until("an alert", async || host.running.app.read(count) == 1).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_that_is_not_enrolled_is_no_origin() {
    on_cluster(["one", "two"], async |_, [one, _two]| {
        until("host two waits", async || one.nobody().get("/hosts").await.ok()["waiting"][0]["host"] == "two").await;
        let table = one.table("rws-sicbo").await;
        let below = format!("/feed/display/{}", table.id);
        assert!(!opens(&one.nobody(), &below, "http://two.example").await);
        let policy = one.nobody().get_root("/").await.header("content-security-policy").to_owned();
        assert!(policy.contains("one.example") && !policy.contains("two.example"), "{policy}");
    })
    .await;
}
