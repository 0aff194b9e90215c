//! Keys of terminals and devices: proved, never replayed, never another's, never good for money.

use crate::harness::*;

/// A token for a key, over HTTP.
async fn token(host: &Host, terminal: &Terminal) -> Client {
    token_of(host, "terminal", terminal.id, &terminal.key).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d27_an_administrator_alone_makes_no_code_and_adds_no_validator() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, _feed) = host.seat(&table, "standard", "a", "100.00").await;
    let administrator = host.administrator().await;
    let path = format!("/terminals/{}/code", terminal.id);
    assert_eq!(administrator.client.post(&path, json!({})).await.refusal(), (403, "second_person"));
    let own = json!({ "witness": administrator.signature() });
    assert_eq!(administrator.client.post(&path, own).await.refusal(), (403, "second_person"));
    let low = json!({ "witness": table.supervisor.signature() });
    assert_eq!(administrator.client.post(&path, low).await.refusal(), (403, "second_person"));
    // Two people make none either while a player's credit is there (S12).
    let refused = administrator.client.post(&path, by_two()).await;
    assert_eq!(refused.refusal(), (409, "credit_left"));
    assert_eq!(refused.body["error"]["rule"], "S12");
    let place = json!({ "terminal": terminal.id });
    let validator = json!({ "name": "another", "kind": "validator", "place": place });
    administrator.refused("/devices", validator, "second_person").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_proof_and_another_terminals_key_open_no_feed() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let first = host.terminal(&table, "standard", "a").await;
    let second = host.terminal(&table, "standard", "a").await;
    let path = format!("/feed/terminal/{}", first.id);
    for proof in [None, Some("bm90IGEgcHJvb2Y=".to_owned()), Some("not even base64 !".to_owned())] {
        let mut feed = Feed::connect(&host.anonymous(), &path).await.expect("a socket");
        feed.challenge().await;
        feed.send(json!({ "type": "hello", "proof": proof })).await;
        assert_eq!(feed.bye().await, "revoked");
    }
    let mut feed = Feed::connect(&host.anonymous(), &path).await.expect("a socket");
    let nonce = feed.challenge().await;
    let stolen = proof(&second.key, "terminal", first.id, &nonce);
    feed.send(json!({ "type": "hello", "proof": stolen })).await;
    assert_eq!(feed.bye().await, "revoked", "another terminal's key is no key here");
    assert_eq!(feed.sequence, 0, "and nothing was shown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nonce_is_answered_once() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let mut feed =
        Feed::connect(&host.anonymous(), &format!("/feed/terminal/{}", terminal.id)).await.expect("a socket");
    let nonce = feed.challenge().await;
    let proof = proof(&terminal.key, "terminal", terminal.id, &nonce);
    feed.send(json!({ "type": "hello", "proof": proof })).await;
    feed.until("a snapshot", |feed| feed.sequence > 0).await;
    // An eavesdropper: the same proof over a new socket, and over HTTP.
    let mut replay =
        Feed::connect(&host.anonymous(), &format!("/feed/terminal/{}", terminal.id)).await.expect("a socket");
    replay.challenge().await;
    replay.send(json!({ "type": "hello", "proof": proof })).await;
    assert_eq!(replay.bye().await, "revoked");
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proof });
    assert_eq!(host.anonymous().post("/keys/prove", body).await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminals_key_cannot_put_money_in() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let answer = feed.ask(json!({ "type": "cash", "amount": "100.00" })).await;
    assert_ne!(Feed::code(&answer), "accepted");
    let answer = feed.ask(json!({ "type": "demo_cash", "amount": "100.00" })).await;
    assert_eq!(Feed::code(&answer), "forbidden");
    let key = token(&host, &terminal).await;
    let mut number = feed.number();
    for (path, body) in [
        ("cash-in", json!({ "amount": "100.00" })),
        ("attendant-in", json!({ "amount": "100.00" })),
        ("hand-pay", json!({ "amount": "10.00" })),
        ("unlock", json!({})),
    ] {
        number += 1;
        let client = key.header("idempotency-key", number.to_string());
        let answer = client.post(&format!("/terminals/{}/{path}", terminal.id), body).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
    }
    number += 1;
    let sell = key.header("idempotency-key", number.to_string()).post("/cage/sell", json!({ "amount": "5.00" })).await;
    assert_eq!(sell.status, 403, "{}", sell.text);
    table.open_bets("rws-sicbo").await;
    feed.until("open bets", |feed| feed.view["round"]["phase"] == "open").await;
    assert_eq!(feed.view["own"]["credit"], "10.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_closes_the_feed_and_opens_no_other() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let bearer = token(&host, &terminal).await;
    let administrator = host.administrator().await;
    let path = format!("/terminals/{}/key", terminal.id);
    assert_eq!(table.manager.client.delete(&path).await.status, 403, "an administrator revokes");
    assert_eq!(administrator.client.delete(&path).await.status, 204);
    assert_eq!(feed.bye().await, "revoked");
    let mut again =
        Feed::connect(&host.anonymous(), &format!("/feed/terminal/{}", terminal.id)).await.expect("a socket");
    let nonce = again.challenge().await;
    let proof = proof(&terminal.key, "terminal", terminal.id, &nonce);
    again.send(json!({ "type": "hello", "proof": proof })).await;
    assert_eq!(again.bye().await, "revoked");
    let clear = bearer.header("idempotency-key", "9000000000000000");
    assert_eq!(clear.post(&format!("/terminals/{}/clear", terminal.id), json!({})).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_link_of_a_terminal_takes_the_place_of_the_first() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut first) = host.seat(&table, "standard", "a", "10.00").await;
    let mut second = terminal.feed(&host, None).await;
    assert_eq!(first.bye().await, "replaced");
    table.open_bets("rws-sicbo").await;
    assert_eq!(Feed::code(&second.bet(&[("small", "5.00")]).await), "accepted", "and the terminal is live");
}
