//! Signing in and out, lockout, and sessions that end.

use crate::attacks::sign_in::noted;
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_a_cookie_that_no_script_reads_and_that_ends_when_one_signs_out() {
    let host = Host::floor().await;
    let answer = host.anonymous().post("/session", json!({ "login": "administrator", "password": PASSWORD })).await;
    let cookie = answer.header("set-cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let body = answer.ok();
    assert_eq!((&body["name"], &body["post"]), (&json!("administrator"), &json!("administrator")));
    let person = host.administrator().await;
    assert_eq!(person.client.get("/session").await.ok()["staff"], person.id);
    assert_eq!(person.client.delete("/session").await.status, 204);
    assert_eq!(person.client.get("/session").await.refusal(), (401, "sign_in"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_make_a_login_wait_and_the_pit_is_told() {
    let host = Host::floor().await;
    let manager = host.employ("pit_manager", "manager-1").await;
    host.employ("dealer", "anna").await;
    let try_in = |password: &str| {
        let body = json!({ "login": "anna", "password": password });
        let client = host.anonymous();
        async move { client.post("/session", body).await }
    };
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    for _ in 0..5 {
        assert_eq!(try_in("not the password").await.refusal(), (401, "sign_in"));
    }
    let locked = try_in(PASSWORD).await;
    assert_eq!(locked.refusal(), (429, "locked_out"), "the right one does not help now");
    assert!(locked.header("retry-after").parse::<u64>().is_ok_and(|seconds| (1..=15).contains(&seconds)));
    pit.until("alerts", |feed| {
        feed.view.get("pit").is_some_and(|pit| pit["alerts"].as_array().is_some_and(|alerts| !alerts.is_empty()))
    })
    .await;
    let alert = pit.view["pit"]["alerts"][0]["id"].clone();
    let acknowledge = format!("/alerts/{alert}/acknowledge");
    manager.ok(&acknowledge, json!({})).await;
    let gone = |feed: &Feed| {
        let alerts = feed.view["pit"]["alerts"].as_array().cloned().unwrap_or_default();
        alerts.iter().all(|known| known["id"] != alert)
    };
    pit.until("S19: until a person acknowledges", gone).await;
    assert!(host.administrator().await.client.get("/session").await.status.is_success(), "others sign in as ever");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_administrator_ends_the_sessions_of_a_person_and_the_feeds_with_them() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    let administrator = host.administrator().await;
    let path = format!("/staff/{}/sessions", table.dealer.id);
    assert_eq!(table.manager.client.delete(&path).await.refusal(), (403, "forbidden"));
    assert_eq!(administrator.client.delete(&path).await.status, 204);
    assert_eq!(console.bye().await, "revoked");
    assert_eq!(table.dealer.client.get("/session").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_signs_out_no_longer_sees_the_pit() {
    let host = Host::floor().await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    assert_eq!(manager.client.delete("/session").await.status, 204);
    assert_eq!(pit.bye().await, "revoked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_who_is_dismissed_can_do_nothing_more() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let dismissed = json!({ "post": "dealer", "active": false });
    administrator.ok(&format!("/staff/{}/post", table.dealer.id), dismissed).await;
    let answer = table.dealer.command(&table.path("/open-bets"), json!({})).await;
    assert!(answer.status == 401 || answer.status == 403, "{}", answer.text);
    let console = format!("/feed/console/{}", table.id);
    assert!(Feed::connect(&table.dealer.client, &console).await.is_err());
    // Nor learns whether the password is still the right one; the attempt is on record.
    let again = host.anonymous().post("/session", json!({ "login": table.dealer.login, "password": PASSWORD })).await;
    assert_eq!(again.refusal(), (401, "sign_in"));
    noted(&administrator, |words| words.contains("not employed here"), 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_is_changed_by_who_knows_the_old_one() {
    let host = Host::floor().await;
    let anna = host.employ("dealer", "anna").await;
    let change = |old: &str, new: &str| json!({ "old": old, "new": new });
    let path = "/session/password";
    assert_eq!(anna.client.post(path, change("wrong", "another long password")).await.status, 401);
    let short = anna.client.post(path, change(PASSWORD, "short")).await;
    assert_eq!(short.status, 422, "{}", short.text);
    assert_eq!(anna.client.post(path, change(PASSWORD, "another long password")).await.status, 204);
    Person::sign_in(&host, "anna", "another long password").await;
    let old = host.anonymous().post("/session", json!({ "login": "anna", "password": PASSWORD })).await;
    assert_eq!(old.refusal(), (401, "sign_in"));
}
