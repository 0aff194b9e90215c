//! A terminal's key that is in two places.

use super::over_both;
use crate::harness::*;

/// Answers pings, as a terminal does whose page is open.
pub fn keeps_answering(mut feed: Feed) -> tokio::task::JoinHandle<Feed> {
    tokio::spawn(async move {
        while feed.messages.last().is_none_or(|last| last["type"] != "bye") && feed.next().await.is_some() {}
        feed
    })
}

/// A link of a terminal that says hello, and nothing awaited.
pub async fn hello(client: &Client, terminal: &Terminal) -> Feed {
    let mut feed = Feed::connect(client, &format!("/feed/terminal/{}", terminal.id)).await.expect("a socket");
    let nonce = feed.challenge().await;
    feed.send(json!({ "type": "hello", "proof": proof(&terminal.key, "terminal", terminal.id, &nonce) })).await;
    feed
}

/// The links that wait with the key of a terminal or device.
fn waiting(host: &Host, kind: &str, id: u64) -> Vec<Value> {
    let links = host.running.app.links.held();
    let own = links.iter().filter(|link| link.kind == kind && u64::from(link.holder) == id);
    own.map(|link| json!(link)).collect()
}

pub async fn held(host: &Host, kind: &str, id: u64) -> Value {
    within("a link that waits", async {
        loop {
            if let Some(link) = waiting(host, kind, id).into_iter().next() {
                return link;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cloned_key_moves_nothing_until_a_pit_supervisor_approves() {
    over_both(clone_moves_nothing).await;
}

pub async fn clone_moves_nothing(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let mut clone = hello(&host.anonymous().from([127, 0, 0, 66]), &terminal).await;
    let link = held(host, "terminal", terminal.id).await;
    assert_eq!((&link["older"], &link["newer"]), (&json!("127.0.0.1"), &json!("127.0.0.66")));
    clone.until("that it is held", |feed| feed.messages.iter().any(|message| message["type"] == "held")).await;
    assert_eq!(clone.sequence, 0, "and nothing is shown");
    let alerts = |floor: &floor::Floor| floor.alerts().map(|alert| format!("{alert:?}")).collect::<Vec<_>>();
    within("an alert with both addresses", async {
        while !host
            .running
            .app
            .read(alerts)
            .iter()
            .any(|words| words.contains("127.0.0.66") && words.contains("127.0.0.1"))
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // Money over the clone: refused, and it ends the link.
    let approve = format!("/links/{}/approve", link["id"]);
    assert_eq!(table.dealer.client.post(&approve, json!({})).await.refusal(), (403, "forbidden"));
    assert!(!first.is_finished(), "the terminal itself goes on");
    assert_eq!(supervisor.client.post(&approve, json!({})).await.status, 204);
    clone.until("a snapshot", |feed| feed.sequence > 0).await;
    let mut first = first.await.expect("no panic");
    assert_eq!(first.bye().await, "replaced");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cloned_key_that_is_refused_or_sends_anything_is_out() {
    over_both(clone_is_out).await;
}

pub async fn clone_is_out(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let mut clone = hello(&host.anonymous(), &terminal).await;
    let link = held(host, "terminal", terminal.id).await;
    assert_eq!(supervisor.client.post(&format!("/links/{}/refuse", link["id"]), json!({})).await.status, 204);
    assert_eq!(clone.bye().await, "revoked");
    let mut clone = hello(&host.anonymous(), &terminal).await;
    held(host, "terminal", terminal.id).await;
    clone.send(json!({ "type": "cash_out", "number": 1 })).await;
    assert_eq!(clone.bye().await, "revoked");
    assert!(waiting(host, "terminal", terminal.id).is_empty());
    assert!(!first.is_finished());
    first.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reload_and_a_lost_network_are_no_clone() {
    over_both(no_clone).await;
}

pub async fn no_clone(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    drop(feed);
    let second = terminal.feed(host, None).await;
    // Nothing is read from this one any more: it answers no ping, as where the network is gone.
    let third = terminal.feed(host, None).await;
    assert_eq!(third.view["own"]["credit"], "100.00");
    assert!(waiting(host, "terminal", terminal.id).is_empty());
    drop(second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_from_another_address_moves_nothing_while_the_terminal_is_there() {
    over_both(token_from_elsewhere).await;
}

pub async fn token_from_elsewhere(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let _first = keeps_answering(feed);
    let thief = host.anonymous().from([127, 0, 0, 66]);
    let nonce = thief.post("/keys/challenge", json!({})).await.ok();
    let nonce = nonce["nonce"].as_str().expect("a nonce");
    let proved = proof(&terminal.key, "terminal", terminal.id, nonce);
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
    let token = thief.post("/keys/prove", body).await.ok();
    let bearer = thief.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let number = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let path = format!("/terminals/{}/cash-out", terminal.id);
    let cash_out = |number: u64| bearer.header("idempotency-key", number.to_string());
    for again in 0..3 {
        assert_eq!(cash_out(number + again).post(&path, json!({})).await.refusal(), (403, "second_link"));
    }
    let links = waiting(host, "terminal", terminal.id);
    assert_eq!(links.len(), 1, "{links:?}");
    assert_eq!(supervisor.client.post(&format!("/links/{}/approve", links[0]["id"]), json!({})).await.status, 204);
    let answer = cash_out(number + 10).post(&path, json!({})).await;
    assert!(answer.status.is_success(), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_has_public_keys_only() {
    over_both(public_keys).await;
}

pub async fn public_keys(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    use base64::Engine as _;
    let secret = base64::engine::general_purpose::STANDARD.decode(&terminal.key).expect("base64");
    let mut found = false;
    for entry in std::fs::read_dir(host.folder.path().join("data")).expect("a folder").flatten() {
        if entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).expect("a file");
            found |= bytes.windows(secret.len()).any(|window| window == secret);
        }
    }
    assert!(!found, "the secret half is with the terminal alone");
    let administrator = host.administrator().await;
    let code = administrator.client.post(&format!("/terminals/{}/code", terminal.id), by_two()).await.ok();
    let without = host.anonymous().post("/enrol", json!({ "code": code["code"] })).await;
    assert_eq!(without.status, 422, "{}", without.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_moves_nothing_beside_an_open_link_not_even_from_its_own_address() {
    over_both(token_beside_a_link).await;
}

pub async fn token_beside_a_link(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let thief = host.anonymous();
    let nonce = thief.post("/keys/challenge", json!({})).await.ok();
    let nonce = nonce["nonce"].as_str().expect("a nonce");
    let proved = proof(&terminal.key, "terminal", terminal.id, nonce);
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
    let token = thief.post("/keys/prove", body).await.ok();
    let number = token["next_number"].as_u64().expect("a number");
    let bearer = thief.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let path = format!("/terminals/{}/cash-out", terminal.id);
    let answer = bearer.header("idempotency-key", number.to_string()).post(&path, json!({})).await;
    assert_eq!(answer.refusal(), (403, "second_link"));
    assert_eq!(waiting(host, "terminal", terminal.id).len(), 1);
    // Nor once the link is gone: it was tried while the link answered.
    first.abort();
    let _ = first.await;
    gone(host, &terminal).await;
    let answer = bearer.header("idempotency-key", number.to_string()).post(&path, json!({})).await;
    assert_eq!(answer.refusal(), (403, "second_link"));
}

/// Waits until a terminal has no link.
async fn gone(host: &Host, terminal: &Terminal) {
    let id = floor::TerminalId(u32::try_from(terminal.id).expect("an id"));
    within("the link is gone", async {
        while host.running.app.has_terminal(id) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// As [`hello`], with what the last link read with.
async fn resumes(client: &Client, terminal: &Terminal, reader: &str) -> Feed {
    let mut feed = Feed::connect(client, &format!("/feed/terminal/{}", terminal.id)).await.expect("a socket");
    let nonce = feed.challenge().await;
    let proof = proof(&terminal.key, "terminal", terminal.id, &nonce);
    feed.send(json!({ "type": "hello", "proof": proof, "reader": reader })).await;
    feed
}

async fn is_held(feed: &mut Feed) {
    feed.until("that it is held", |feed| feed.messages.iter().any(|message| message["type"] == "held")).await;
}

async fn opens(feed: &mut Feed) {
    feed.until("a snapshot", |feed| feed.sequence > 0).await;
    assert_eq!(feed.view["own"]["credit"], "100.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copied_key_does_not_slip_in_while_the_player_reloads() {
    over_both(slips_in_elsewhere).await;
}

pub async fn slips_in_elsewhere(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let first = keeps_answering(feed);
    let thief = host.anonymous().from([127, 0, 0, 9]);
    let mut tried = hello(&thief, &terminal).await;
    is_held(&mut tried).await;
    drop(tried);
    // The player reloads: no one answers for a moment.
    first.abort();
    let _ = first.await;
    gone(host, &terminal).await;
    let mut again = hello(&thief, &terminal).await;
    is_held(&mut again).await;
    let link = held(host, "terminal", terminal.id).await;
    assert_eq!((&link["older"], &link["newer"]), (&json!("127.0.0.1"), &json!("127.0.0.9")));
    let nonce = thief.post("/keys/challenge", json!({})).await.ok();
    let nonce = nonce["nonce"].as_str().expect("a nonce");
    let proved = proof(&terminal.key, "terminal", terminal.id, nonce);
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
    let token = thief.post("/keys/prove", body).await.ok();
    let number = token["next_number"].as_u64().expect("a number").to_string();
    let bearer = thief.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let path = format!("/terminals/{}/cash-out", terminal.id);
    let answer = bearer.header("idempotency-key", number).post(&path, json!({})).await;
    assert_eq!(answer.refusal(), (403, "second_link"), "nor with a token");
    // The player's own page is back without asking anyone, and the thief waits on.
    let mut back = hello(&host.anonymous(), &terminal).await;
    opens(&mut back).await;
    drop(back);
    gone(host, &terminal).await;
    // Who is refused is still not in; who is approved is.
    for link in waiting(host, "terminal", terminal.id) {
        assert_eq!(supervisor.client.post(&format!("/links/{}/refuse", link["id"]), json!({})).await.status, 204);
    }
    let mut third = hello(&thief, &terminal).await;
    is_held(&mut third).await;
    let link = held(host, "terminal", terminal.id).await;
    assert_eq!(supervisor.client.post(&format!("/links/{}/approve", link["id"]), json!({})).await.status, 204);
    opens(&mut third).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copied_key_at_the_players_own_address_does_not_slip_in_either() {
    over_both(slips_in_there).await;
}

pub async fn slips_in_there(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, _feed) = host.seat(&table, "standard", "a", "100.00").await;
    drop(_feed);
    let feed = terminal.feed(host, None).await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    let first = keeps_answering(feed);
    let mut thief = hello(&host.anonymous(), &terminal).await;
    is_held(&mut thief).await;
    drop(thief);
    first.abort();
    let _ = first.await;
    gone(host, &terminal).await;
    let mut thief = resumes(&host.anonymous(), &terminal, "terminal-0.guessed").await;
    is_held(&mut thief).await;
    // A reload of the page names what it read with, again and again.
    let mut back = resumes(&host.anonymous(), &terminal, &reader).await;
    opens(&mut back).await;
    let reader = back.messages[1]["reader"].as_str().expect("another").to_owned();
    drop(back);
    gone(host, &terminal).await;
    opens(&mut resumes(&host.anonymous(), &terminal, &reader).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_links_with_one_stolen_key_hide_no_other() {
    over_both(many_links).await;
}

pub async fn many_links(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (stolen, feed) = host.seat(&table, "standard", "a", "100.00").await;
    let (other, feed_of_other) = host.seat(&table, "standard", "a", "100.00").await;
    let _answering = [keeps_answering(feed), keeps_answering(feed_of_other)];
    let mut clones = Vec::new();
    for _ in 0..12 {
        clones.push(hello(&host.anonymous().from([127, 0, 0, 66]), &stolen).await);
    }
    let held = |id: u64| waiting(host, "terminal", id).len();
    within("links that wait", async {
        while held(stolen.id) < 4 {
            tokio::task::yield_now().await
        }
    })
    .await;
    let clone = hello(&host.anonymous().from([127, 0, 0, 67]), &other).await;
    within("another that waits", async {
        while held(other.id) < 1 {
            tokio::task::yield_now().await
        }
    })
    .await;
    assert_eq!(held(stolen.id), 4);
    let words = [&stolen, &other].map(|terminal| format!("The key of terminal {} is used from", terminal.id));
    let about = |one: &floor::Alert| words.iter().any(|words| format!("{one:?}").contains(words));
    let told = |floor: &floor::Floor| floor.alerts().filter(|one| about(one)).count();
    within("an alert for each key", async {
        while host.running.app.read(told) < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(host.running.app.read(told), 2);
    drop((clones, clone));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_reads_nothing_beside_an_open_link_and_the_terminal_itself_does() {
    over_both(token_reads_nothing).await;
}

pub async fn token_reads_nothing(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let thief = host.anonymous().from([127, 0, 0, 66]);
    let prove = async || {
        let nonce = thief.post("/keys/challenge", json!({})).await.ok();
        let nonce = nonce["nonce"].as_str().expect("a nonce");
        let proved = proof(&terminal.key, "terminal", terminal.id, nonce);
        let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
        let token = thief.post("/keys/prove", body).await.ok();
        thief.header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")))
    };
    let earlier = prove().await;
    let feed = terminal.feed(host, None).await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    let answering = keeps_answering(feed);
    let paths = ["money", "rounds"].map(|what| format!("/records/terminals/{}/{what}", terminal.id));
    for token in [earlier, prove().await] {
        for path in &paths {
            assert_eq!(token.get(path).await.refusal(), (403, "second_link"), "{path}");
        }
    }
    let own = host.anonymous().header("authorization", format!("Bearer {reader}"));
    for path in &paths {
        own.get(path).await.ok();
    }
    // It reads, and nothing else; and no longer than the link.
    let number = jiff::Timestamp::now().as_microsecond().unsigned_abs().to_string();
    let path = format!("/terminals/{}/cash-out", terminal.id);
    assert_eq!(own.header("idempotency-key", number).post(&path, json!({})).await.status, 401);
    let other = host.terminal(&table, "standard", "a").await;
    assert_eq!(own.get(&format!("/records/terminals/{}/money", other.id)).await.status, 403);
    for forged in [format!("{reader}x"), format!("terminal-{}.", terminal.id), "terminal-99999.x".to_owned()] {
        let forged = host.anonymous().header("authorization", format!("Bearer {forged}"));
        assert_eq!(forged.get(&paths[0]).await.status, 401);
    }
    answering.abort();
    let _ = answering.await;
    within("the link is gone", async { while own.get(&paths[0]).await.status != 401 {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cloned_key_of_a_device_is_held_too() {
    over_both(cloned_device).await;
}

pub async fn cloned_device(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (id, key) = host.enrolled_at(&table, "tumbler").await;
    let feed = Feed::prove(&host.anonymous(), "device", id, &key, Value::Null).await;
    let first = keeps_answering(feed);
    let thief = host.anonymous().from([127, 0, 0, 66]);
    let mut clone = Feed::connect(&thief, &format!("/feed/device/{id}")).await.expect("a socket");
    let nonce = clone.challenge().await;
    clone.send(json!({ "type": "hello", "proof": proof(&key, "device", id, &nonce) })).await;
    let link = held(host, "device", id).await;
    assert_eq!((&link["kind"], &link["newer"]), (&json!("device"), &json!("127.0.0.66")));
    assert_eq!(clone.sequence, 0, "nothing is shown");
    // What it reports is not taken: it ends the link.
    clone.send(json!({ "type": "observe", "number": 1, "observation": { "fault": { "number": 7 } } })).await;
    assert_eq!(clone.bye().await, "revoked");
    let faults = |floor: &floor::Floor| floor.alerts().any(|one| format!("{one:?}").contains("DeviceFault"));
    assert!(!host.running.app.read(faults), "and nothing is reported");
    assert!(!first.is_finished(), "the device itself goes on");
    first.abort();
}
