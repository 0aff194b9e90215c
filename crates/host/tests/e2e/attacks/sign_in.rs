//! Passwords that are guessed, logins that are forged, and people who are to be locked out.

use crate::harness::*;

pub async fn wrong(client: &Client, login: &str) -> Answer {
    client.post("/session", json!({ "login": login, "password": "not the password" })).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_lock_nobody_out_at_another_address() {
    let host = Host::floor().await;
    host.employ("pit_manager", "manager-1").await;
    let attacker = host.nobody().from([127, 0, 0, 66]);
    for _ in 0..5 {
        assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (401, "sign_in"));
    }
    assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (429, "locked_out"));
    Person::sign_in(&host, "manager-1", PASSWORD).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pit_manager_and_an_administrator_unlock_and_others_do_not() {
    let host = Host::floor().await;
    let anna = host.employ("dealer", "anna").await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let administrator = host.administrator().await;
    let unlock = format!("/staff/{}/unlock", anna.id);
    assert_eq!(supervisor.client.post(&unlock, json!({})).await.refusal(), (403, "rank"));
    assert_eq!(anna.client.post(&unlock, json!({})).await.refusal(), (403, "rank"));
    for person in [&manager, &administrator] {
        for _ in 0..5 {
            assert_eq!(wrong(&host.nobody(), "anna").await.status, 401);
        }
        assert_eq!(wrong(&host.nobody(), "anna").await.status, 429);
        let known = person.client.get("/staff/credentials").await.ok();
        let waits = known.as_array().expect("people").iter().find(|one| one["login"] == "anna").expect("anna");
        assert_eq!(waits["waits"][0]["address"], "127.0.0.1");
        assert_eq!(person.client.post(&unlock, json!({})).await.status, 204);
        Person::sign_in(&host, "anna", PASSWORD).await;
    }
    assert_eq!(supervisor.client.get("/staff/credentials").await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_and_a_person_without_authority_try_no_passwords_as_the_second_person() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    host.employ("pit_supervisor", "supervisor-1").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let _feed = terminal.feed(&host, None).await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let nonce =
        host.nobody().post("/keys/challenge", json!({})).await.ok()["nonce"].as_str().expect("a nonce").to_owned();
    let proved = proof(&terminal.key, "terminal", terminal.id, &nonce);
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
    let token = host.nobody().post("/keys/prove", body).await.ok();
    let bearer = host.nobody().header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let guess = json!({ "login": "supervisor-1", "password": "not the password" });
    let attest = json!({ "finding": "not_established", "witness": guess });
    let path = table.path("/attest");
    let mut number = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    for _ in 0..8 {
        number += 1;
        let answer = bearer.header("idempotency-key", number.to_string()).post(&path, attest.clone()).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert_ne!(answer.code(), "sign_in");
        let answer = cashier.command(&path, attest.clone()).await;
        assert_ne!(answer.status, 401, "{}", answer.text);
        assert_ne!(answer.status, 429, "{}", answer.text);
        // A number that was used before is no way around it.
        let answer = cashier.numbered(1, &path, attest.clone()).await;
        assert_ne!(answer.status, 401, "{}", answer.text);
    }
    // Nothing was counted against the supervisor.
    Person::sign_in(&host, "supervisor-1", PASSWORD).await;
    let known = host.administrator().await.client.get("/staff/credentials").await.ok();
    assert!(known.as_array().expect("people").iter().all(|one| one["waits"] == json!([])), "{known}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_with_control_characters_is_recorded_on_one_line() {
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    for login in ["anna\nINFO access: all is well", "\u{1b}[2Janna", "li\u{200b}n", &"x".repeat(5_000)] {
        assert_eq!(wrong(&host.nobody(), login).await.refusal(), (401, "sign_in"));
    }
    let noted = noted(&host, &administrator, |words| words.contains("was refused"), 4).await;
    assert!(noted.iter().all(|words| !words.chars().any(char::is_control) && words.len() < 300), "{noted:?}");
    assert!(noted.iter().any(|words| words.contains("anna\\u{a}INFO")), "{noted:?}");
    assert!(noted.iter().any(|words| words.contains("li\\u{200b}n")), "{noted:?}");
}

/// What was noted about access, once it is so much.
async fn noted(host: &Host, who: &Person, fits: impl Fn(&str) -> bool, count: usize) -> Vec<String> {
    let _ = host;
    within("the record", async {
        loop {
            let events = who.client.get("/records/events?limit=500").await.ok();
            let words = events["events"].as_array().expect("events").iter();
            let words: Vec<String> = words
                .filter_map(|event| event["words"].as_str().or(event["text"].as_str()))
                .filter(|words| fits(words))
                .map(str::to_owned)
                .collect();
            if words.len() >= count {
                return words;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_refused_sign_ins_is_recorded_to_the_last_and_fills_no_alerts() {
    let host = Host::floor().await;
    let attacker = host.nobody().from([127, 0, 0, 66]);
    for number in 0..40 {
        let answer = wrong(&attacker, &format!("guess-{number}")).await;
        assert!(matches!(answer.status.as_u16(), 401 | 429), "{}", answer.text);
    }
    let alerts = host.running.app.read(|floor| floor.alerts().count());
    assert!(alerts <= 1, "{alerts}");
    // When the host stops, what is counted so far is recorded; the rest comes each minute.
    let host = host.restart(release(1)).await;
    let administrator = host.administrator().await;
    let words = noted(&host, &administrator, |words| words.contains("more attempts"), 1).await;
    assert!(words[0].starts_with("35 more attempts from 127.0.0.66 were refused within a minute"), "{words:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_that_an_administrator_chose_opens_nothing_but_its_own_change() {
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let table = host.table("rws-sicbo").await;
    let reset = |witness: Value| json!({ "login": "dealer-0", "password": FIRST, "witness": witness });
    let path = format!("/staff/{}/password", table.dealer.id);
    assert_eq!(administrator.client.post(&path, reset(Value::Null)).await.refusal(), (403, "second_person"));
    let guess = json!({ "login": "manager-1", "password": "not the password" });
    assert_eq!(manager.client.post(&path, reset(guess.clone())).await.refusal(), (403, "rank"), "and no guess");
    // The administrator made this account today: the manager could not sign, and the guess is not looked at.
    assert_eq!(administrator.client.post(&path, reset(guess)).await.refusal(), (403, "second_person"));
    let guess = json!({ "login": "administrator2", "password": "not the password" });
    assert_eq!(administrator.client.post(&path, reset(guess)).await.refusal(), (401, "sign_in"));
    let mut console = Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await;
    // Whose account one of them made today does not sign for it (D27).
    let refused = administrator.client.post(&path, reset(manager.signature())).await;
    assert_eq!(refused.refusal(), (403, "second_person"));
    assert_eq!(administrator.client.post(&path, reset(second())).await.status, 204);
    assert_eq!(console.bye().await, "revoked");
    assert_eq!(table.dealer.client.get("/session").await.status, 401, "the old sessions have ended");
    // The administrator knows it and can do nothing with it.
    let known = Person::sign_in(&host, "dealer-0", FIRST).await;
    assert_eq!(known.client.get("/session").await.ok()["must_change"], true);
    assert_eq!(known.command(&table.path("/open-bets"), json!({})).await.refusal(), (403, "password_change"));
    assert!(Feed::connect(&known.client, &format!("/feed/console/{}", table.id)).await.is_err());
    assert_eq!(known.client.get("/session/passkeys").await.refusal(), (403, "password_change"));
    let change = json!({ "old": FIRST, "new": "quite another password" });
    assert_eq!(known.client.post("/session/password", change).await.status, 204);
    known.ok(&table.path("/open-bets"), json!({})).await;
    let recorded = noted(&host, &administrator, |words| words.contains("was given a new password"), 1).await;
    assert_eq!(recorded, ["dealer-0 was given a new password, by administrator, confirmed by administrator 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn common_and_short_passwords_are_refused() {
    let host = Host::floor().await;
    let anna = host.employ("dealer", "anna").await;
    for new in ["elevenchars", "Password1234!", "annaannaanna", "aaaaaaaaaaaaaaaa", "123456789012"] {
        let answer = anna.client.post("/session/password", json!({ "old": PASSWORD, "new": new })).await;
        assert_eq!(answer.refusal(), (422, "password"), "{new}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_post_ends_sessions_and_feeds_at_once() {
    let host = Host::floor().await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let administrator = host.administrator().await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    administrator
        .ok(&format!("/staff/{}/post", manager.id), json!({ "post": "dealer", "active": true, "witness": second() }))
        .await;
    assert_eq!(pit.bye().await, "revoked");
    within("the end of the session", async {
        while manager.client.get("/session").await.status != 401 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let again = Person::sign_in(&host, "manager-1", PASSWORD).await;
    assert!(Feed::connect(&again.client, "/feed/pit").await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_password_of_somebody_who_could_not_sign_is_not_looked_at() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let path = format!("/staff/{}/password", table.supervisor.id);
    let asks = async |login: &str, password: &str| {
        let witness = json!({ "login": login, "password": password });
        let body = json!({ "login": "supervisor-0", "password": "another long password", "witness": witness });
        administrator.client.post(&path, body).await
    };
    let right = asks("dealer-0", PASSWORD).await;
    for _ in 0..8 {
        let wrong = asks("dealer-0", "not the password").await;
        assert_eq!((wrong.status, &wrong.text), (right.status, &right.text), "whether it is right or wrong");
    }
    assert_eq!(right.code(), "second_person", "{}", right.text);
    assert_eq!(asks("nobody-at-all", PASSWORD).await.refusal(), (401, "sign_in"));
    Person::sign_in(&host, "dealer-0", PASSWORD).await;
}
