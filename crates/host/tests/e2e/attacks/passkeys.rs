//! Passkeys over HTTP: added, lost and replaced, removed; and what is wrong on the way is recorded.

use host::store::{Assertion, Registration};

use super::both_with;
use super::sign_in::noted;
use crate::authenticator::Authenticator;
use crate::forged::{on_cluster_with, until};
use crate::harness::*;

const DOMAIN: &str = "floor.example";
const ORIGIN: &str = "https://tables.floor.example";

/// A floor whose pages are in a domain.
pub fn in_domain(config: &mut host::Config) {
    (config.domain, config.origins) = (Some(DOMAIN.to_owned()), vec![ORIGIN.to_owned()]);
}

pub fn authenticator(name: &str) -> Authenticator {
    let mut one = Authenticator::p256(DOMAIN, ORIGIN);
    (one.id, one.counts) = (format!("{name:>16}").into_bytes(), false);
    one
}

/// What a second person's passkey signs: this request.
async fn to_sign(client: &Client, below: &str, body: &Value) -> String {
    let act = format!("POST /api/v1/floors/{}{below}", client.floor);
    let about = host::api::caller::subject(&act, body.to_string().as_bytes());
    let about: String = about.iter().map(|byte| format!("{byte:02x}")).collect();
    let body = json!({ "purpose": "second", "about": about });
    let asked = client.post("/session/passkeys/challenge", body).await.ok();
    asked["challenge"].as_str().expect("a challenge").to_owned()
}

/// A request with the signature of a passkey of a second person.
async fn signed_by(person: &Person, login: &str, one: &mut Authenticator, below: &str, mut body: Value) -> Value {
    body["witness"] = json!({ "login": login });
    let challenge = to_sign(&person.client, below, &body).await;
    body["witness"]["passkey"] = assertion(&one.sign(&challenge));
    body
}

/// Something to sign.
async fn challenge(client: &Client, purpose: &str) -> String {
    let asked = client.post("/session/passkeys/challenge", json!({ "purpose": purpose })).await.ok();
    asked["challenge"].as_str().expect("a challenge").to_owned()
}

fn registration(made: &Registration) -> Value {
    json!({ "client_data": made.client_data, "attestation": made.attestation })
}

fn assertion(signed: &Assertion) -> Value {
    json!({
        "id": signed.id,
        "client_data": signed.client_data,
        "authenticator_data": signed.authenticator_data,
        "signature": signed.signature,
    })
}

/// Asks to add a passkey, with whatever else the body has.
pub async fn add(person: &Client, one: &Authenticator, password: &str, more: Value) -> Answer {
    let challenge = challenge(person, "add").await;
    let made = registration(&one.make(&challenge));
    let mut body = json!({ "name": "a phone", "password": password, "registration": made });
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    person.post("/session/passkeys", body).await
}

/// The same with the signature of a passkey that the person has already.
async fn add_signed(person: &Client, one: &Authenticator, existing: &mut Authenticator) -> Answer {
    let challenge = challenge(person, "add").await;
    let made = registration(&one.make(&challenge));
    let mut body = json!({ "name": "a phone", "password": PASSWORD, "registration": made });
    let asked = to_sign(person, "/session/passkeys", &body).await;
    body["existing"] = assertion(&existing.sign(&asked));
    person.post("/session/passkeys", body).await
}

/// Signs in with a passkey that was asked at one host, at another.
pub async fn sign_in(asked_at: &Client, at: &Client, one: &mut Authenticator) -> Answer {
    let signed = assertion(&one.sign(&challenge(asked_at, "sign_in").await));
    at.post("/session", json!({ "login": "", "passkey": signed })).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_passkey_is_replaced_and_removed_by_two_people() {
    for host in both_with(in_domain).await {
        lost_passkey(&host).await;
    }
}

/// At a host whose pages are in a domain.
pub async fn lost_passkey(host: &Host) {
    let anna = host.employ("dealer", "anna").await;
    let (manager, other) = (host.employ("pit_manager", "manager-1").await, host.employ("dealer", "other").await);
    let (mut lost, mut new, mut third) = (authenticator("lost"), authenticator("new"), authenticator("third"));
    let first = add(&anna.client, &lost, PASSWORD, json!({})).await.ok();
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut lost).await.status, 200);
    // A password alone adds no further passkey, nor does a signature of a person who may not confirm it.
    assert_eq!(add(&anna.client, &new, PASSWORD, json!({})).await.refusal(), (403, "second_person"));
    let by_other = json!({ "witness": other.signature() });
    assert_eq!(add(&anna.client, &new, PASSWORD, by_other).await.refusal(), (403, "second_person"));
    let by_wrong = json!({ "witness": { "login": "manager-1", "password": "not the password" } });
    assert_eq!(add(&anna.client, &new, PASSWORD, by_wrong).await.refusal(), (401, "sign_in"));
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut new).await.status, 401);
    // Two people do.
    add(&anna.client, &new, PASSWORD, json!({ "witness": manager.signature() })).await.ok();
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut new).await.status, 200);
    // The person's own passkey confirms a further one; another person's does not.
    let mut foreign = authenticator("foreign");
    assert_eq!(add_signed(&anna.client, &third, &mut foreign).await.status, 401);
    add_signed(&anna.client, &third, &mut new).await.ok();
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut third).await.status, 200);
    // The lost one is removed by two people, and the person's sessions end with it.
    let remove = format!("/staff/{}/passkeys/{}/remove", anna.id, first["id"].as_str().expect("an id"));
    let administrator = host.administrator().await;
    assert_eq!(anna.client.post(&remove, json!({})).await.status, 403);
    assert_eq!(manager.client.post(&remove, by_two()).await.refusal(), (403, "rank"));
    assert_eq!(administrator.client.post(&remove, json!({})).await.refusal(), (403, "second_person"));
    assert_eq!(administrator.client.post(&remove, by_two()).await.status, 204);
    assert_eq!(administrator.client.post(&remove, by_two()).await.status, 404);
    assert_eq!(anna.client.get("/session").await.status, 401);
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut lost).await.status, 401);
    assert_eq!(sign_in(&host.anonymous(), &host.anonymous(), &mut new).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_act_that_was_signed_with_a_passkey_is_sent_again_and_counts_against_no_one() {
    for host in both_with(in_domain).await {
        let table = host.table("rws-sicbo").await;
        let (terminal, _player) = host.seat(&table, "standard", "a", "100.00").await;
        let signer = host.employ("pit_manager", "signer").await;
        let mut key = authenticator("signer");
        add(&signer.client, &key, PASSWORD, json!({})).await.ok();
        let (manager, below) = (&table.manager, format!("/terminals/{}/attendant-in", terminal.id));
        let amount = || json!({ "amount": "1.00" });
        let act = signed_by(manager, "signer", &mut key, &below, amount()).await;
        let number = manager.next();
        let first = manager.numbered(number, &below, act.clone()).await.ok();
        for _ in 0..8 {
            assert_eq!(manager.numbered(number, &below, act.clone()).await.ok()["accepted"], first["accepted"]);
        }
        // Nothing was counted: the person signs the next act. The old signature is good for no other act, and another
        // person's for no retry.
        assert_eq!(manager.command(&below, act.clone()).await.refusal(), (401, "sign_in"));
        let mut foreign = authenticator("foreign");
        let other = signed_by(manager, "signer", &mut foreign, &below, amount()).await;
        assert_eq!(manager.numbered(number, &below, other).await.refusal(), (401, "sign_in"));
        let fresh = signed_by(manager, "signer", &mut key, &below, amount()).await;
        manager.command(&below, fresh).await.ok();
        let credit = host.running.app.read(|floor| floor.terminals().last().map(|terminal| terminal.credit().get()));
        assert_eq!(credit, Some(10_200), "each counts once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_for_a_new_passkey_is_recorded() {
    for host in both_with(in_domain).await {
        wrong_for_a_passkey(&host).await;
    }
}

/// At a host whose pages are in a domain.
pub async fn wrong_for_a_passkey(host: &Host) {
    let beth = host.employ("dealer", "beth").await;
    let administrator = host.administrator().await;
    let one = authenticator("one");
    assert_eq!(add(&beth.client, &one, "not the password", json!({})).await.refusal(), (401, "sign_in"));
    add(&beth.client, &one, PASSWORD, json!({})).await.ok();
    let mut wrong = authenticator("another");
    assert_eq!(add_signed(&beth.client, &authenticator("two"), &mut wrong).await.status, 401);
    let recorded = |words: &str| words.starts_with("A new passkey of beth, from 127.0.0.1, was refused");
    noted(&administrator, recorded, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_passkey_is_good_at_every_host_of_a_cluster_and_each_challenge_once_in_all() {
    on_cluster_with(in_domain, async |one, two| {
        let anna = one.employ("dealer", "anna").await;
        let mut phone = authenticator("phone");
        // Behind a balancer, challenge and answer may come to different hosts.
        let asked = challenge(&anna.client, "add").await;
        let there = Client { address: two.address(), ..anna.client.clone() };
        until("the session at the other host", async || there.get("/session").await.status == 200).await;
        let body =
            json!({ "name": "a phone", "password": PASSWORD, "registration": registration(&phone.make(&asked)) });
        let added = there.post("/session/passkeys", body).await.ok();
        let (one_nobody, two_nobody) = (one.anonymous(), two.anonymous());
        until("it is known", async || anna.client.get("/session/passkeys").await.ok()[0]["id"] == added["id"]).await;
        for (asked_at, at) in [(&one_nobody, &two_nobody), (&two_nobody, &one_nobody), (&two_nobody, &two_nobody)] {
            assert_eq!(sign_in(asked_at, at, &mut phone).await.status, 200);
        }
        // What was signed once is good at no other host.
        let signed = assertion(&phone.sign(&challenge(&one_nobody, "sign_in").await));
        let body = json!({ "login": "", "passkey": signed });
        assert_eq!(one_nobody.post("/session", body.clone()).await.status, 200);
        assert_eq!(two_nobody.post("/session", body).await.refusal(), (401, "sign_in"));
        let remove = format!("/staff/{}/passkeys/{}/remove", anna.id, added["id"].as_str().expect("an id"));
        let administrator = two.administrator().await;
        assert_eq!(administrator.client.post(&remove, by_two()).await.status, 204);
        until("it is removed at the other", async || sign_in(&two_nobody, &one_nobody, &mut phone).await.status == 401)
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passkey_of_a_second_person_signs_for_one_request_and_no_other() {
    for host in both_with(in_domain).await {
        let table = host.table("rws-sicbo").await;
        let (terminal, _feed) = host.seat(&table, "standard", "a", "100.00").await;
        let supervisor = host.employ("pit_supervisor", "supervisor").await;
        let manager = host.employ("pit_manager", "manager-1").await;
        let mut key = authenticator("the key");
        add(&manager.client, &key, PASSWORD, json!({})).await.ok();
        // Without the request that is signed there is nothing to sign.
        for about in [json!({ "purpose": "second" }), json!({ "purpose": "second", "about": "hand pay" })] {
            let asked = supervisor.client.post("/session/passkeys/challenge", about).await;
            assert_eq!(asked.refusal(), (422, "invalid"));
        }
        let below = format!("/terminals/{}/attendant-in", terminal.id);
        let signed = signed_by(&supervisor, "manager-1", &mut key, &below, json!({ "amount": "10.00" })).await;
        // Another amount, another terminal or another act with the same signature.
        let mut more = signed.clone();
        more["amount"] = json!("20000.00");
        supervisor.refused(&below, more, "sign_in").await;
        let other = format!("/terminals/{}/hand-pay", terminal.id);
        supervisor.refused(&other, signed.clone(), "sign_in").await;
        // It is good for its own request, once.
        supervisor.ok(&below, signed.clone()).await;
        supervisor.refused(&below, signed, "sign_in").await;
        // A refused request uses it up: the credit came later, and the payment would be accepted now.
        let pay = json!({ "amount": "115.00" });
        let signed = signed_by(&supervisor, "manager-1", &mut key, &other, pay.clone()).await;
        assert_ne!(supervisor.command(&other, signed.clone()).await.status, 200);
        supervisor.ok(&below, json!({ "amount": "20.00" })).await;
        supervisor.refused(&other, signed, "sign_in").await;
        let signed = signed_by(&supervisor, "manager-1", &mut key, &other, pay).await;
        supervisor.ok(&other, signed).await;
    }
}
