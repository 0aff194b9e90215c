//! The same attacks on a floor with two hosts on a cluster: the other host is no way around.

use std::pin::Pin;

use super::alerts::fault_in_a_flood;
use super::clones::{cloned_device, held, hello, keeps_answering};
use super::cursors::{made_up, plays};
use super::frames::frames_count;
use super::limits::{feeds_count, stalled};
use super::numbers::absurd;
use super::origins::opens;
use super::sign_in::{
    change_of_post, control_characters, could_not_sign, forty_guesses, no_authority, noted, unlock, wrong,
};
use super::{alerts, asvs, clones, cursors, limits, numbers, origins, passkeys, quiet, sign_in};
use crate::forged::{Speaks, on_cluster_of, on_two_hosts, on_two_hosts_that, until};
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cloned_key_at_another_host_moves_nothing_until_a_pit_supervisor_approves() {
    on_two_hosts(cloned_elsewhere).await;
}

async fn cloned_elsewhere(one: &Host, two: &Host) {
    let table = one.table("rws-sicbo").await;
    let (terminal, feed) = one.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let mut clone = hello(&two.anonymous().from([127, 0, 0, 66]), &terminal).await;
    let link = held(two, "terminal", terminal.id).await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stolen_token_moves_nothing_at_another_host_and_a_reload_there_is_no_clone() {
    on_two_hosts(token_elsewhere).await;
}

async fn token_elsewhere(one: &Host, two: &Host) {
    let table = one.table("rws-sicbo").await;
    let (terminal, feed) = one.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let thief = two.anonymous().from([127, 0, 0, 66]);
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
    // A host that follows may be a moment behind the one that leads.
    moved.until("its credit", |feed| feed.view["own"]["credit"] == "100.00").await;
    moved.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    assert_eq!(two.running.app.links.held().len(), 1, "no further link waits");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cursor_that_no_host_gave_out_halts_nothing_and_one_of_another_host_is_good() {
    on_two_hosts(cursors).await;
}

async fn cursors(one: &Host, two: &Host) {
    let table = one.table("rws-sicbo").await;
    let (terminal, mut player) = one.seat(&table, "standard", "a", "100.00").await;
    let below = format!("/feed/display/{}", table.id);
    for host in [one, two] {
        for cursor in made_up() {
            let mut display = Feed::connect(&host.anonymous(), &below).await.expect("a feed");
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn wrong_passwords_count_at_all_hosts_together_and_lock_no_one_out_at_another_address() {
    on_two_hosts(wrong_everywhere).await;
}

async fn wrong_everywhere(one: &Host, two: &Host) {
    one.employ("pit_manager", "manager-1").await;
    for host in [one, two, one, two, one] {
        let attacker = host.anonymous().from([127, 0, 0, 66]);
        assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (401, "sign_in"));
    }
    for host in [one, two] {
        let attacker = host.anonymous().from([127, 0, 0, 66]);
        assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (429, "locked_out"));
        Person::sign_in(host, "manager-1", PASSWORD).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_of_the_enrolled_hosts_open_feeds_at_each_other_and_pages_of_no_one_else() {
    on_two_hosts(async |one, two| pages(one, two, ["http", "ws"]).await).await;
}

async fn pages(one: &Host, two: &Host, [page, feed]: [&str; 2]) {
    let table = one.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    for (host, other) in [(one, "two.example"), (two, "one.example")] {
        assert!(opens(&host.anonymous(), &below, &format!("{page}://{other}")).await, "{other}");
        assert!(!opens(&host.anonymous(), &below, &format!("{page}://three.example")).await, "no host of the floor");
        assert!(!opens(&host.anonymous(), &below, "https://elsewhere.example").await);
        assert!(!opens(&host.anonymous(), &below, "null").await);
        let policy = host.anonymous().get_root("/").await.header("content-security-policy").to_owned();
        assert!(policy.contains(&format!(" {feed}://{other}")), "{policy}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_host_that_follows_refuses_is_an_alert_at_every_pit() {
    on_two_hosts(seen_at_every_pit).await;
}

async fn seen_at_every_pit(one: &Host, two: &Host) {
    two.running.app.significant("Sign-in of 'anna' was refused", true);
    let count = |floor: &floor::Floor| {
        let all = floor.alerts().map(|alert| format!("{alert:?}")).collect::<Vec<_>>().join(" ");
        all.matches("Access").count()
    };
    for host in [one, two] {
        until("an alert", async || host.running.app.read(count) == 1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_that_is_not_enrolled_is_no_origin() {
    for (speaks, scheme) in [(Speaks::PlainText, "http"), (Speaks::Tls, "https")] {
        on_cluster_of(
            ["one", "two"],
            speaks,
            |_| {},
            async |_, [one, _two]| {
                until("host two waits", async || {
                    one.anonymous().get("/hosts").await.ok()["waiting"][0]["host"] == "two"
                })
                .await;
                let table = one.table("rws-sicbo").await;
                let below = format!("/feed/display/{}", table.id);
                assert!(!opens(&one.anonymous(), &below, &format!("{scheme}://two.example")).await);
                let policy = one.anonymous().get_root("/").await.header("content-security-policy").to_owned();
                assert!(policy.contains("one.example") && !policy.contains("two.example"), "{policy}");
            },
        )
        .await;
    }
}

type Attack = fn(&Host) -> Pin<Box<dyn Future<Output = ()> + '_>>;

/// Attacks of the other files, to be tried one after the other.
macro_rules! attacks {
    ($($attack:path),* $(,)?) => {
        &[$((stringify!($attack), (|host| Box::pin($attack(host))) as Attack)),*]
    };
}

/// Where on a cluster attacks are tried.
#[derive(Copy, Clone, Debug)]
enum At {
    Leads,
    Follows,
}

/// Tries attacks one after the other at a host of a cluster.
async fn tried(speaks: Speaks, at: At, change: impl Fn(&mut host::Config), attacks: &[(&str, Attack)]) {
    on_two_hosts_that(speaks, change, async |one, two| {
        let host = match at {
            At::Leads => one,
            At::Follows => two,
        };
        for (name, attack) in attacks {
            // Shown where one of them fails.
            println!("{name}, {speaks:?}, {at:?}");
            attack(host).await;
        }
    })
    .await;
}

/// In the order in which none is in the way of the next: the last one locks the address of all clients out.
const OF_PASSWORDS: &[(&str, Attack)] = attacks![
    sign_in::wrong_elsewhere,
    sign_in::gone,
    sign_in::quotation_marks,
    alerts::line_break,
    sign_in::common_passwords,
    sign_in::passes_for_another,
    sign_in::chosen_password,
    sign_in::signs_out,
    asvs::bound_cookie,
    asvs::only_json,
    sign_in::shared_address,
];

/// The first one counts what is recorded of its own address.
const OF_KEYS: &[(&str, Attack)] = attacks![
    sign_in::sealed_codes,
    clones::clone_moves_nothing,
    clones::clone_is_out,
    clones::no_clone,
    clones::token_from_elsewhere,
    clones::token_beside_a_link,
    clones::slips_in_elsewhere,
    clones::slips_in_there,
    clones::many_links,
    clones::token_reads_nothing,
    clones::public_keys,
    numbers::overtaking,
    numbers::of_tomorrow,
];

const OF_STRANGERS: &[(&str, Attack)] = attacks![
    cursors::on_a_display,
    cursors::not_given_out,
    quiet::counted_records,
    origins::other_sites,
    origins::schemes,
    origins::one_host,
    origins::nothing_stored,
    sign_in::strangers_wait,
];

const OF_CLASSES: &[(&str, Attack)] = attacks![
    asvs::forged_session,
    asvs::one_code,
    asvs::own_terminal_only,
    asvs::own_validator,
    asvs::own_post,
    asvs::other_players_money,
    asvs::ticket_number,
    asvs::cannot_be_taken,
    asvs::cannot_be_read,
    asvs::asked_again,
    asvs::guessed_numbers,
    asvs::protecting_headers,
];

/// At a host behind a proxy, with pages in a domain. The first one counts what is recorded of its own address.
const IN_THE_SETTINGS: &[(&str, Attack)] = attacks![
    passkeys::wrong_for_a_passkey,
    passkeys::lost_passkey,
    origins::in_the_settings,
    origins::foreign_names,
    origins::figures,
];

fn settings(config: &mut host::Config) {
    passkeys::in_domain(config);
    config.origins.push("https://tables.example".to_owned());
    config.trusted_proxies = vec!["127.0.0.1".parse().expect("a network")];
    config.metrics_from = vec!["198.51.100.0/24".parse().expect("a network")];
}

const OF_CONNECTIONS: &[(&str, Attack)] = attacks![limits::room_is_left, limits::feeds_of_staff];

fn few_connections(config: &mut host::Config) {
    (config.connections, config.connections_reserved) = (40, 20);
}

const OF_SILENCE: &[(&str, Attack)] = attacks![limits::no_sign_of_life];

fn quick(config: &mut host::Config) {
    (config.head_timeout_ms, config.silence_ms) = (500, 900);
}

const OF_ALERTS: &[(&str, Attack)] = attacks![alerts::one_device, alerts::every_kind];

/// A host that follows hands on no more alerts than fit its queue: all of them are raised at the one that leads.
const OF_MANY_ALERTS: &[(&str, Attack)] = attacks![alerts::small_message];

fn many_messages(config: &mut host::Config) {
    config.messages_per_second = 100_000;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn attacks_on_passwords_are_stopped_at_a_host_that_follows_and_over_tls_at_one_that_leads() {
    tried(Speaks::PlainText, At::Follows, |_| {}, OF_PASSWORDS).await;
    tried(Speaks::Tls, At::Leads, |_| {}, OF_PASSWORDS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn attacks_with_copied_keys_are_stopped_at_a_host_that_leads_and_over_tls_at_one_that_follows() {
    tried(Speaks::PlainText, At::Leads, |_| {}, OF_KEYS).await;
    tried(Speaks::Tls, At::Follows, |_| {}, OF_KEYS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn strangers_are_stopped_at_a_host_that_follows_and_over_tls_at_one_that_leads() {
    tried(Speaks::PlainText, At::Follows, |_| {}, OF_STRANGERS).await;
    tried(Speaks::Tls, At::Leads, |_| {}, OF_STRANGERS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn classes_of_attacks_are_stopped_at_a_host_that_follows_and_over_tls_at_one_that_leads() {
    tried(Speaks::PlainText, At::Follows, asvs::small_bodies, OF_CLASSES).await;
    tried(Speaks::Tls, At::Leads, asvs::small_bodies, OF_CLASSES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn settings_hold_at_a_host_that_leads_and_over_tls_at_one_that_follows() {
    tried(Speaks::PlainText, At::Leads, settings, IN_THE_SETTINGS).await;
    tried(Speaks::Tls, At::Follows, settings, IN_THE_SETTINGS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limits_hold_at_a_host_that_follows_and_over_tls_at_one_that_leads() {
    tried(Speaks::PlainText, At::Follows, few_connections, OF_CONNECTIONS).await;
    tried(Speaks::Tls, At::Leads, few_connections, OF_CONNECTIONS).await;
    tried(Speaks::PlainText, At::Leads, quick, OF_SILENCE).await;
    tried(Speaks::Tls, At::Follows, quick, OF_SILENCE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn alerts_hide_nothing_at_a_host_that_leads_and_over_tls_at_one_that_follows() {
    tried(Speaks::PlainText, At::Leads, many_messages, OF_ALERTS).await;
    tried(Speaks::Tls, At::Follows, many_messages, OF_ALERTS).await;
    tried(Speaks::PlainText, At::Leads, |_| {}, OF_MANY_ALERTS).await;
    tried(Speaks::Tls, At::Leads, |_| {}, OF_MANY_ALERTS).await;
}

/// What is tried at a host alone is tried at one that leads and at one that follows, over plain text and over TLS.
async fn at_a_host_of_a_cluster(speaks: Speaks, follows: bool) {
    on_two_hosts_that(
        speaks,
        |_| {},
        async |one, two| {
            let host = if follows { two } else { one };
            // First: beyond five a minute, what an address tries is counted and no longer named.
            control_characters(host).await;
            no_authority(host).await;
            could_not_sign(host).await;
            unlock(host).await;
            absurd(host).await;
            cloned_device(host).await;
            change_of_post(host).await;
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_stopped_at_a_host_alone_is_stopped_at_one_that_leads() {
    at_a_host_of_a_cluster(Speaks::PlainText, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_stopped_at_a_host_alone_is_stopped_at_one_that_follows() {
    at_a_host_of_a_cluster(Speaks::PlainText, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_stopped_at_a_host_alone_is_stopped_over_tls_at_one_that_leads() {
    at_a_host_of_a_cluster(Speaks::Tls, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_stopped_at_a_host_alone_is_stopped_over_tls_at_one_that_follows() {
    at_a_host_of_a_cluster(Speaks::Tls, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn over_tls_the_other_host_is_no_way_around_either() {
    on_two_hosts_that(
        Speaks::Tls,
        |_| {},
        async |one, two| {
            seen_at_every_pit(one, two).await;
            cloned_elsewhere(one, two).await;
            cursors(one, two).await;
            wrong_everywhere(one, two).await;
            pages(one, two, ["https", "wss"]).await;
            token_elsewhere(one, two).await;
            moved_elsewhere(one, two).await;
            // A session that one host opened is good at the other, over TLS only and under the name that says so.
            let signed =
                one.anonymous().post("/session", json!({ "login": "administrator", "password": PASSWORD })).await;
            let cookie = signed.header("set-cookie").to_owned();
            assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
            let session = cookie.split(';').next().unwrap_or_default();
            let there = two.anonymous().header("cookie", session).header("x-croupier", "1");
            until("the session at the other host", async || there.get("/session").await.status == 200).await;
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_frame_counts_at_a_host_that_follows_too() {
    let slow = |config: &mut host::Config| config.messages_per_second = 20;
    for speaks in [Speaks::PlainText, Speaks::Tls] {
        on_two_hosts_that(speaks, slow, async |_, two| frames_count(two).await).await;
    }
}

/// Floods at both hosts of a cluster: of feeds, of bodies that do not arrive, and of sign-ins.
async fn floods(speaks: Speaks) {
    let few = |config: &mut host::Config| {
        config.connections_per_address = 20;
        (config.head_timeout_ms, config.body_timeout_ms) = (400, 400);
    };
    on_two_hosts_that(speaks, few, async |one, two| {
        for host in [one, two] {
            feeds_count(host).await;
            stalled(host).await;
            fault_in_a_flood(host, 300).await;
        }
        // Every attempt at the host that follows is in the record of the floor.
        forty_guesses(&two.anonymous().from([127, 0, 0, 77])).await;
        two.running.app.record_refusals(true).await;
        let more = |words: &str| words.contains("more attempts from 127.0.0.77 were refused");
        noted(&one.administrator().await, more, 1).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn floods_at_both_hosts_of_a_cluster_hide_nothing_and_hold_nothing() {
    floods(Speaks::PlainText).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn floods_over_tls_at_both_hosts_of_a_cluster_hide_nothing_and_hold_nothing() {
    floods(Speaks::Tls).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_of_post_ends_the_persons_sessions_at_the_other_host_too() {
    on_two_hosts(moved_elsewhere).await;
}

async fn moved_elsewhere(one: &Host, two: &Host) {
    let manager = two.employ("pit_manager", "manager-1").await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    let gone = json!({ "post": "dealer", "active": true, "witness": second() });
    one.administrator().await.ok(&format!("/staff/{}/post", manager.id), gone).await;
    assert_eq!(pit.bye().await, "revoked");
    until("the end of the session", async || manager.client.get("/session").await.status == 401).await;
}
