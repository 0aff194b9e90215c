//! An attacker with a login at the servers of the cluster, and without the key of a host.
//!
//! The login can read and write. It cannot act on anyone's behalf: what no enrolled host has signed is ignored.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_nats::jetstream::{self, kv};
use cluster::HostKey;
use futures_util::FutureExt as _;
use hyper::Method;
use natsd::Cluster;

use crate::harness::*;

/// How the hosts of a cluster speak to their clients.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Speaks {
    PlainText,
    Tls,
}

/// A host of the floor on the cluster.
pub async fn host_of(nats: &Cluster, name: &str, change: impl FnOnce(&mut host::Config)) -> Host {
    host_that(nats, name, Speaks::PlainText, change).await
}

async fn host_that(nats: &Cluster, name: &str, speaks: Speaks, change: impl FnOnce(&mut host::Config)) -> Host {
    let (urls, replicas, name) = (nats.urls().join(","), nats.size(), name.to_owned());
    let scheme = if speaks == Speaks::Tls { "https" } else { "http" };
    let change = move |config: &mut host::Config| {
        change(config);
        config.journal = Some(urls);
        config.replicas = replicas;
        config.advertise = Some(format!("{scheme}://{name}.example"));
        config.host = Some(name);
    };
    match speaks {
        Speaks::PlainText => Host::with(change).await,
        Speaks::Tls => Host::with_tls(change).await,
    }
}

/// A server with some hosts of a floor. However the test ends, they are stopped in order: a host that is dropped waits
/// for the cluster on a runtime that has ended.
pub async fn on_cluster<const HOSTS: usize>(names: [&str; HOSTS], test: impl AsyncFnOnce(&Cluster, &[Host; HOSTS])) {
    on_cluster_of(names, Speaks::PlainText, |_| {}, test).await;
}

/// The same over plain text or TLS, with settings of their own.
pub async fn on_cluster_of<const HOSTS: usize>(
    names: [&str; HOSTS],
    speaks: Speaks,
    change: impl Fn(&mut host::Config),
    test: impl AsyncFnOnce(&Cluster, &[Host; HOSTS]),
) {
    let start = || Cluster::start_with(1, &shipped_permissions()).expect("a server");
    let nats = tokio::task::spawn_blocking(start).await.expect("started");
    let mut hosts = Vec::new();
    for name in names {
        hosts.push(host_that(&nats, name, speaks, &change).await);
    }
    let Ok(hosts) = <[Host; HOSTS]>::try_from(hosts) else { panic!("as many as were named") };
    let ended = AssertUnwindSafe(test(&nats, &hosts)).catch_unwind().await;
    for Host { running, .. } in hosts {
        running.stop().await;
    }
    if let Err(panic) = ended {
        std::panic::resume_unwind(panic);
    }
}

/// Two hosts of a floor on a cluster, both enrolled and ready.
pub async fn on_two_hosts(test: impl AsyncFnOnce(&Host, &Host)) {
    on_cluster_with(|_| {}, test).await;
}

/// The same with settings of their own.
pub async fn on_cluster_with(change: impl Fn(&mut host::Config), test: impl AsyncFnOnce(&Host, &Host)) {
    on_two_hosts_that(Speaks::PlainText, change, test).await;
}

/// The same over plain text or TLS.
pub async fn on_two_hosts_that(
    speaks: Speaks,
    change: impl Fn(&mut host::Config),
    test: impl AsyncFnOnce(&Host, &Host),
) {
    on_cluster_of(["one", "two"], speaks, change, async |_, [one, two]| {
        let administrator = one.administrator().await;
        assert_eq!(administrator.client.post("/hosts/two/key", enrols(two)).await.status, 204);
        until("host two serves", async || two.anonymous().get_root("/readyz").await.status == 200).await;
        for host in [one, two] {
            until("the hosts know each other", async || {
                host.anonymous().get("/hosts").await.ok()["hosts"].as_array().is_some_and(|hosts| hosts.len() == 2)
            })
            .await;
        }
        test(one, two).await;
    })
    .await;
}

/// The permissions that are shipped in `deploy/`, for the login that the hosts of a test have.
pub fn shipped_permissions() -> String {
    let shipped = include_str!("../../../../deploy/nats-server.conf");
    let from = shipped.find("HOST_MAY = {").expect("what a host may");
    let until = shipped.find("accounts {").expect("who it is for");
    let users = "{ user: floor, password: floor, permissions: $HOST_MAY }, { user: check, password: check, permissions: $CHECK_MAY }";
    format!(
        "{}\naccounts {{ $SYS {{ users: [ {{ user: sys, password: sys }} ] }}
         floor {{ jetstream: enabled, users: [ {users}, {{ user: thief, password: thief }} ] }} }}\n",
        &shipped[from..until]
    )
}

/// The attacker: a login with every permission, and no host's key.
async fn login(nats: &Cluster) -> async_nats::Client {
    login_as(nats, "thief").await
}

async fn login_as(nats: &Cluster, user: &str) -> async_nats::Client {
    let options = async_nats::ConnectOptions::with_user_and_password(user.to_owned(), user.to_owned());
    options.connect(nats.urls()).await.expect("a login")
}

/// The key a host has in its folder.
fn key_of(host: &Host) -> String {
    HostKey::of(&host.folder.path().join("data")).expect("a key").public().to_string()
}

/// What two administrators send to enrol a new host.
pub fn enrols(host: &Host) -> Value {
    json!({ "key": key_of(host), "new": true, "witness": second() })
}

/// Asks for something until it is as it should be.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    within(what, async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

/// A question to the leader, in the format of the hosts.
fn question(term: &str, count: u64) -> Vec<u8> {
    let body = json!({ "RaiseAlert": { "table": null, "what": { "Host": "forged" } } });
    let asked =
        json!({ "term": term, "count": count, "question": { "decide": { "host": "two", "asks": [{ "own": body }] } } });
    serde_json::to_vec(&asked).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_request_that_no_host_has_signed_is_refused() {
    on_cluster(["one"], async |nats, [one]| {
        let client = login(nats).await;
        let before = one.running.app.read(floor::Floor::sequence);
        let thief = HostKey::random().expect("a key");
        let forged =
            [question("", 1), thief.seal(&[b"ask", b"main"], &question("", 1)), b"nonsense".to_vec(), Vec::new()];
        for forged in forged {
            let answer = client.request("croupier.main.ask", forged.clone().into()).await.expect("an answer");
            // The leader has signed its answer, and it is a refusal.
            let key: cluster::HostId = key_of(one).parse().expect("a key");
            let (by, said) = cluster::unseal(&[b"answer", b"main", &forged], &answer.payload).expect("signed");
            assert_eq!((by, serde_json::from_slice::<Value>(said).expect("JSON")), (key, json!("not_enrolled")));
        }
        assert_eq!(one.running.app.read(floor::Floor::sequence), before, "nothing was decided");
        // The key of a host is heard; a recorded question is not decided again.
        let key = HostKey::of(&one.folder.path().join("data")).expect("a key");
        let ask = async |asked: Vec<u8>| -> Value {
            let sealed = key.seal(&[b"ask", b"main"], &asked);
            let answer = client.request("croupier.main.ask", sealed.clone().into()).await.expect("an answer");
            let (_, said) = cluster::unseal(&[b"answer", b"main", &sealed], &answer.payload).expect("signed");
            serde_json::from_slice(said).expect("JSON")
        };
        let term = ask(question("", 1)).await["again"]["term"].as_str().expect("a term").to_owned();
        assert!(ask(question(&term, 1)).await["decided"].is_array());
        let decided = one.running.app.read(floor::Floor::sequence);
        assert!(ask(question(&term, 1)).await["again"].is_object(), "the same once more");
        assert_eq!(one.running.app.read(floor::Floor::sequence), decided);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_serves_when_an_administrator_has_enrolled_it() {
    on_cluster(["one", "two"], async |_, [one, two]| {
        let ready = two.anonymous().get_root("/readyz").await;
        assert_eq!(ready.status, 503);
        let administrator = one.administrator().await;
        until("host two waits", async || one.anonymous().get("/hosts").await.ok()["waiting"][0]["host"] == "two").await;
        let hosts = one.anonymous().get("/hosts").await.ok();
        assert_eq!(
            (hosts["hosts"].as_array().map(Vec::len), &hosts["waiting"][0]["key"]),
            (Some(1), &json!(key_of(two)))
        );
        // It changes nothing: signing in is refused there.
        let refused = two.anonymous().post("/session", json!({ "login": "administrator", "password": PASSWORD })).await;
        assert_eq!(refused.refusal(), (503, "not_enrolled"));

        let path = "/hosts/two/key";
        assert_eq!(one.anonymous().post(path, enrols(two)).await.status, 401);
        let dealer = one.employ("dealer", "dealer").await;
        assert_eq!(dealer.client.post(path, enrols(two)).await.status, 403);
        assert_eq!(administrator.client.post(path, json!({ "key": "12" })).await.refusal(), (422, "invalid"));
        assert_eq!(administrator.client.post(path, enrols(two)).await.status, 204);
        until("host two serves", async || two.anonymous().get_root("/readyz").await.status == 200).await;
        // What it takes in is decided by the one that leads.
        let there = two.administrator().await;
        there
            .ok(
                "/staff",
                json!({ "name": "Lin", "post": "dealer", "login": "lin", "password": PASSWORD, "witness": with_half(second()) }),
            )
            .await;

        // One that is revoked is out, and the others do not hear it.
        let own = administrator.client.send(Method::DELETE, &one.anonymous().path("/hosts/one/key"), None).await;
        assert_eq!(own.refusal(), (409, "own_host"));
        assert_eq!(administrator.client.delete(path).await.status, 204);
        until("host two is out", async || two.anonymous().get_root("/readyz").await.status == 503).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_host_that_waits_to_be_enrolled_says_so_while_no_other_host_is_there() {
    let start = || Cluster::start_with(1, &shipped_permissions()).expect("a server");
    let nats = tokio::task::spawn_blocking(start).await.expect("started");
    let one = host_that(&nats, "one", Speaks::PlainText, |_| {}).await;
    one.running.stop().await;
    let two = within("host two", host_that(&nats, "two", Speaks::PlainText, |_| {})).await;
    let ready = two.anonymous().get_root("/readyz").await;
    within("the stop", two.running.stop()).await;
    assert_eq!(ready.status, 503);
    assert!(ready.text.contains("not enrolled"), "{}", ready.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn credentials_that_no_host_has_written_are_not_taken() {
    on_cluster(["one"], async |nats, [one]| {
        one.employ("dealer", "dealer").await;
        let bucket: kv::Store =
            jetstream::new(login(nats).await).get_key_value("croupier-main").await.expect("a bucket");
        // A recorded page is put back, and forged ones are put in its place.
        let page = bucket.get("staff.0").await.expect("asked").expect("a page");
        let thief = HostKey::random().expect("a key");
        for forged in [page.to_vec(), thief.seal(&[b"page", b"staff.0"], b"{}"), b"{}".to_vec(), Vec::new()] {
            bucket.put("staff.0", forged.into()).await.expect("put");
        }
        bucket.put("hosts", "[]".into()).await.expect("put");
        // Whatever comes after it is taken: the host has seen all of that.
        one.employ("cashier", "cashier").await;
        one.administrator().await;
        assert_eq!(one.running.app.store.hosts().expect("a list").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn entries_of_credentials_that_cannot_be_read_stop_no_sign_in() {
    on_cluster(["one"], async |nats, [one]| {
        let bucket: kv::Store =
            jetstream::new(login(nats).await).get_key_value("croupier-main").await.expect("a bucket");
        let readyz = async || one.anonymous().get_root("/readyz").await;
        for key in ["hosts", "version", "staff.0", "secrets", "terminal.0", "nothing.known"] {
            for junk in [vec![0x80; 300], b"{}".to_vec(), b"[1]".to_vec(), vec![b'['; 100_000]] {
                bucket.put(key, junk.into()).await.expect("put");
            }
        }
        one.employ("cashier", "cashier").await;
        one.administrator().await;
        assert_eq!(one.running.app.store.hosts().expect("a list").len(), 1);
        assert_eq!(readyz().await.status, 200);
        // A later version may be true: a host of a newer program has written it. Where to look is said.
        bucket.put("version", "99999".into()).await.expect("put");
        until("it is said", async || readyz().await.status == 503).await;
        let words = readyz().await.text;
        assert!(words.contains("the entry 'version'") && words.contains("99999"), "{words}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_journal_entry_that_no_host_has_written_is_not_taken() {
    on_cluster(["one", "two"], async |nats, [one, two]| {
        let administrator = one.administrator().await;
        administrator.client.post("/hosts/two/key", enrols(two)).await;
        until("host two serves", async || two.anonymous().get_root("/readyz").await.status == 200).await;
        let sequence = two.running.app.read(floor::Floor::sequence);
        // Any bytes do: whether they would continue the chain is not even looked at.
        let client = login(nats).await;
        client.publish("croupier.main.journal", "forged".into()).await.expect("sent");
        client.flush().await.expect("sent");
        until("host two stops", async || two.running.app.engine.stopped().is_some()).await;
        let reason = two.running.app.engine.stopped().expect("a reason");
        assert!(reason.contains("no host has signed it"), "{reason}");
        assert!(two.running.app.read(floor::Floor::sequence) >= sequence);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_login_may_what_is_shipped_and_no_more() {
    // The hosts of all tests here run with the shipped permissions; this is what these do not allow.
    on_cluster(["one"], async |nats, [one]| {
        let host = login_as(nats, "floor").await;
        assert!(jetstream::new(host.clone()).delete_stream("CROUPIER_main").await.is_err());
        assert!(jetstream::new(host).delete_key_value("croupier-main").await.is_err());
        let check = login_as(nats, "check").await;
        let told = jetstream::new(check.clone());
        assert!(told.get_stream("CROUPIER_main").await.is_ok());
        let bucket = told.get_stream("KV_croupier-main").await.expect("a bucket");
        assert!(bucket.get_raw_message(1).await.is_err(), "it reads no secret");
        assert!(check.request("croupier.main.ask", "anything".into()).await.is_err());
        one.administrator().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_people_enrol_and_replace_the_key_of_a_host_and_it_stands_in_the_journal_before() {
    on_cluster(["one"], async |_, [one]| {
        let administrator = one.administrator().await;
        let dealer = one.employ("dealer", "dealer").await;
        let key = || HostKey::random().expect("a key").public().to_string();
        let post = async |host: &str, body: Value| {
            let answer = administrator.client.post(&format!("/hosts/{host}/key"), body).await;
            (answer.status.as_u16(), answer.code().to_owned())
        };
        let refused = |status: u16, code: &str| (status, code.to_owned());
        let alone = json!({ "key": key(), "new": true });
        assert_eq!(post("three", alone).await, refused(403, "second_person"));
        let guess = json!({ "login": "administrator2", "password": "not the password" });
        assert_eq!(post("three", json!({ "key": key(), "new": true, "witness": guess })).await, refused(401, "sign_in"));
        let dealers = json!({ "key": key(), "new": true, "witness": dealer.signature() });
        assert_eq!(post("three", dealers).await, refused(403, "second_person"));
        // A name that is not as stated, and the host's own.
        assert_eq!(post("three", json!({ "key": key(), "witness": second() })).await, refused(409, "unknown_host"));
        for new in [false, true] {
            let own = json!({ "key": key(), "new": new, "witness": second() });
            assert_eq!(post("one", own).await, refused(409, "own_host"));
        }
        assert_eq!(one.anonymous().get("/hosts").await.ok()["keys"].as_array().map(Vec::len), Some(1));
        let (first, other) = (key(), key());
        let enrols = |key: &str, new: bool| json!({ "key": key, "new": new, "witness": second() });
        assert_eq!(post("three", enrols(&first, true)).await, refused(204, ""));
        let keys = one.anonymous().get("/hosts").await.ok()["keys"].clone();
        assert_eq!((&keys[1]["host"], &keys[1]["key"]), (&json!("three"), &json!(first)), "though it is not there");
        assert_eq!(post("three", enrols(&other, true)).await, refused(409, "known_host"));
        assert_eq!(post("three", enrols(&other, false)).await, refused(204, ""));
        assert_eq!(administrator.client.delete("/hosts/three/key").await.status, 204);
        assert_eq!(administrator.client.delete("/hosts/four/key").await.status, 404);
        // It was recorded before it was answered, the pit sees each, and the audit of people too.
        let told = |floor: &floor::Floor| {
            let host = |alert: &&floor::Alert| matches!(alert.what(), floor::AlertKind::Integrity(words) if words.contains("host three"));
            floor.alerts().filter(host).count()
        };
        assert_eq!(one.running.app.read(told), 3);
        let auditor = one.employ("auditor", "auditor-1").await;
        let findings = async || auditor.client.get("/reports/people").await.text.matches("key of host three").count();
        until("the audit of people", async || findings().await >= 3).await;
    })
    .await;
}
