//! Passwords that are guessed, logins that are forged, and people who are to be locked out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use host::door::line::Waits;

use super::clones::keeps_answering;
use super::{both, over_both};
use crate::harness::*;

pub async fn wrong(client: &Client, login: &str) -> Answer {
    client.post("/session", json!({ "login": login, "password": "not the password" })).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_lock_nobody_out_at_another_address() {
    over_both(wrong_elsewhere).await;
}

pub async fn wrong_elsewhere(host: &Host) {
    host.employ("pit_manager", "manager-1").await;
    let attacker = host.anonymous().from([127, 0, 0, 66]);
    for _ in 0..5 {
        assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (401, "sign_in"));
    }
    assert_eq!(wrong(&attacker, "manager-1").await.refusal(), (429, "locked_out"));
    Person::sign_in(host, "manager-1", PASSWORD).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pit_manager_and_an_administrator_unlock_and_others_do_not() {
    over_both(unlock).await;
}

pub async fn unlock(host: &Host) {
    let anna = host.employ("dealer", "anna").await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let administrator = host.administrator().await;
    let unlock = format!("/staff/{}/unlock", anna.id);
    assert_eq!(supervisor.client.post(&unlock, json!({})).await.refusal(), (403, "rank"));
    assert_eq!(anna.client.post(&unlock, json!({})).await.refusal(), (403, "rank"));
    for person in [&manager, &administrator] {
        for _ in 0..5 {
            assert_eq!(wrong(&host.anonymous(), "anna").await.status, 401);
        }
        assert_eq!(wrong(&host.anonymous(), "anna").await.status, 429);
        let known = person.client.get("/staff/credentials").await.ok();
        let waits = known.as_array().expect("people").iter().find(|one| one["login"] == "anna").expect("anna");
        assert_eq!(waits["waits"][0]["address"], "127.0.0.1");
        assert_eq!(person.client.post(&unlock, json!({})).await.status, 204);
        Person::sign_in(host, "anna", PASSWORD).await;
    }
    assert_eq!(supervisor.client.get("/staff/credentials").await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_and_a_person_without_authority_try_no_passwords_as_the_second_person() {
    over_both(no_authority).await;
}

pub async fn no_authority(host: &Host) {
    let table = host.table("rws-sicbo").await;
    host.employ("pit_supervisor", "supervisor-1").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let _feed = terminal.feed(host, None).await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let nonce =
        host.anonymous().post("/keys/challenge", json!({})).await.ok()["nonce"].as_str().expect("a nonce").to_owned();
    let proved = proof(&terminal.key, "terminal", terminal.id, &nonce);
    let body = json!({ "kind": "terminal", "id": terminal.id, "nonce": nonce, "proof": proved });
    let token = host.anonymous().post("/keys/prove", body).await.ok();
    let bearer =
        host.anonymous().header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")));
    let guess = json!({ "login": "supervisor-1", "password": "not the password" });
    let attest = json!({ "finding": "not_established", "witness": guess });
    let path = table.path("/attest");
    let mut number = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let used = cashier.next();
    cashier.numbered(used, "/cage/shift/open", json!({ "float": "1000.00" })).await.ok();
    for _ in 0..8 {
        number += 1;
        let answer = bearer.header("idempotency-key", number.to_string()).post(&path, attest.clone()).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert_ne!(answer.code(), "sign_in");
        let answer = cashier.command(&path, attest.clone()).await;
        assert_ne!(answer.status, 401, "{}", answer.text);
        assert_ne!(answer.status, 429, "{}", answer.text);
        // A number that was accepted before is no way around it, nor a ticket with it.
        let answer = cashier.numbered(used, &path, attest.clone()).await;
        assert_eq!(answer.code(), "number_reused", "{}", answer.text);
        let sell = json!({ "amount": "9000.00", "witness": guess });
        let answer = cashier.numbered(used, "/cage/sell", sell).await;
        assert_eq!(answer.code(), "number_reused", "{}", answer.text);
        let reprint = json!({ "reason": "torn", "witness": guess });
        let answer = cashier.numbered(used, "/cage/tickets/0/reprint", reprint).await;
        assert_eq!(answer.code(), "number_reused", "{}", answer.text);
    }
    // Nothing was counted against the supervisor.
    Person::sign_in(host, "supervisor-1", PASSWORD).await;
    let known = host.administrator().await.client.get("/staff/credentials").await.ok();
    assert!(known.as_array().expect("people").iter().all(|one| one["waits"] == json!([])), "{known}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_with_control_characters_is_recorded_on_one_line() {
    over_both(control_characters).await;
}

pub async fn control_characters(host: &Host) {
    let administrator = host.administrator().await;
    for login in ["anna\nINFO access: all is well", "\u{1b}[2Janna", "li\u{200b}n", &"x".repeat(5_000)] {
        assert_eq!(wrong(&host.anonymous(), login).await.refusal(), (401, "sign_in"));
    }
    let strange = |words: &str| ["INFO", "u{1b}", "u{200b}", "xxx"].iter().any(|part| words.contains(part));
    let noted = noted(&administrator, |words| words.contains("was refused") && strange(words), 4).await;
    assert!(noted.iter().all(|words| !words.chars().any(char::is_control) && words.len() < 300), "{noted:?}");
    assert!(noted.iter().any(|words| words.contains("anna\\u{a}INFO")), "{noted:?}");
    assert!(noted.iter().any(|words| words.contains("li\\u{200b}n")), "{noted:?}");
}

/// What was noted about access, once it is so much.
pub async fn noted(who: &Person, fits: impl Fn(&str) -> bool, count: usize) -> Vec<String> {
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
    for host in both().await {
        forty_guesses(&host.anonymous().from([127, 0, 0, 66])).await;
        let alerts = host.running.app.read(|floor| floor.alerts().count());
        assert!(alerts <= 1, "{alerts}");
        // When the host stops, what is counted so far is recorded; the rest comes each minute.
        let host = host.restart(release(1)).await;
        let administrator = host.administrator().await;
        let words = noted(&administrator, |words| words.contains("more attempts"), 1).await;
        assert!(words[0].starts_with("35 more attempts from 127.0.0.66 were refused within a minute"), "{words:?}");
    }
}

pub async fn forty_guesses(attacker: &Client) {
    for number in 0..40 {
        let answer = wrong(attacker, &format!("guess-{number}")).await;
        assert!(matches!(answer.status.as_u16(), 401 | 429), "{}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_that_an_administrator_chose_opens_nothing_but_its_own_change() {
    over_both(chosen_password).await;
}

pub async fn chosen_password(host: &Host) {
    let administrator = host.administrator().await;
    let manager = host.employ("pit_manager", "manager-1").await;
    let table = host.table("rws-sicbo").await;
    let plain = |witness: Value| json!({ "login": table.dealer.login, "password": FIRST, "witness": witness });
    let reset = |witness: Value| plain(with_half(witness));
    let path = format!("/staff/{}/password", table.dealer.id);
    assert_eq!(administrator.client.post(&path, plain(Value::Null)).await.refusal(), (403, "second_person"));
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
    // Each of the two gives one half: without it, or with two that are alike, nothing is reset.
    assert_eq!(administrator.client.post(&path, plain(second())).await.refusal(), (422, "half"));
    let mut alike = second();
    alike["half"] = json!(FIRST);
    assert_eq!(administrator.client.post(&path, plain(alike)).await.refusal(), (422, "half"));
    assert_eq!(administrator.client.post(&path, reset(second())).await.status, 204);
    assert_eq!(console.bye().await, "revoked");
    assert_eq!(table.dealer.client.get("/session").await.status, 401, "the old sessions have ended");
    // Neither of the two can sign in as the owner, not even before the owner has.
    for half in [FIRST, HALF] {
        let alone = host.anonymous().post("/session", json!({ "login": table.dealer.login, "password": half })).await;
        assert_eq!(alone.refusal(), (401, "sign_in"), "{half}");
    }
    // Its owner has both halves, and can do nothing but change it.
    let known = Person::sign_in(host, &table.dealer.login, WHOLE).await;
    assert_eq!(known.client.get("/session").await.ok()["must_change"], true);
    assert_eq!(known.command(&table.path("/open-bets"), json!({})).await.refusal(), (403, "password_change"));
    assert!(Feed::connect(&known.client, &format!("/feed/console/{}", table.id)).await.is_err());
    assert_eq!(known.client.get("/session/passkeys").await.refusal(), (403, "password_change"));
    let change = json!({ "old": WHOLE, "new": "quite another password" });
    assert_eq!(known.client.post("/session/password", change).await.status, 204);
    known.ok(&table.path("/open-bets"), json!({})).await;
    let given = format!("{} was given a new password", table.dealer.login);
    let recorded = noted(&administrator, |words| words.starts_with(&given), 1).await;
    assert_eq!(recorded, [format!("{given}, by administrator, confirmed by administrator 2")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn common_and_short_passwords_are_refused() {
    over_both(common_passwords).await;
}

pub async fn common_passwords(host: &Host) {
    let beth = host.employ("dealer", "beth").await;
    for new in ["elevenchars", "Password1234!", "bethbethbeth", "aaaaaaaaaaaaaaaa", "123456789012"] {
        let answer = beth.client.post("/session/password", json!({ "old": PASSWORD, "new": new })).await;
        assert_eq!(answer.refusal(), (422, "password"), "{new}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_post_ends_sessions_and_feeds_at_once() {
    over_both(change_of_post).await;
}

pub async fn change_of_post(host: &Host) {
    let manager = host.employ("pit_manager", "moved-1").await;
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
    let again = Person::sign_in(host, "moved-1", PASSWORD).await;
    assert!(Feed::connect(&again.client, "/feed/pit").await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_password_of_somebody_who_could_not_sign_is_not_looked_at() {
    over_both(could_not_sign).await;
}

pub async fn could_not_sign(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let path = format!("/staff/{}/password", table.supervisor.id);
    let asks = async |login: &str, password: &str| {
        let witness = with_half(json!({ "login": login, "password": password }));
        let body = json!({ "login": table.supervisor.login, "password": "another long password", "witness": witness });
        administrator.client.post(&path, body).await
    };
    let right = asks(&table.dealer.login, PASSWORD).await;
    for _ in 0..8 {
        let wrong = asks(&table.dealer.login, "not the password").await;
        assert_eq!((wrong.status, &wrong.text), (right.status, &right.text), "whether it is right or wrong");
    }
    assert_eq!(right.code(), "second_person", "{}", right.text);
    assert_eq!(asks("nobody-at-all", PASSWORD).await.refusal(), (401, "sign_in"));
    Person::sign_in(host, &table.dealer.login, PASSWORD).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_who_try_passwords_keep_nobody_waiting() {
    over_both(strangers_wait).await;
}

pub async fn strangers_wait(host: &Host) {
    let manager = host.employ("pit_manager", "manager-1").await;
    let table = host.table("rws-sicbo").await;
    let (over, busy) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut strangers = tokio::task::JoinSet::new();
    for number in 0..60 {
        let client = host.anonymous().from([127, 0, 2, 1 + number / 3]);
        let (over, busy) = (Arc::clone(&over), Arc::clone(&busy));
        strangers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                let answer = wrong(&client, &format!("guess-{number}")).await;
                if answer.refusal() == (503, "busy") {
                    assert!(answer.header("retry-after").parse::<u64>().is_ok());
                    busy.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    within("a full line", async {
        while busy.load(Ordering::Relaxed) < 50 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // Clients at addresses of staff, and the second person of a signed-in person, do not wait behind them.
    for _ in 0..3 {
        Person::sign_in(host, "manager-1", PASSWORD).await;
        let terminal = host.terminal(&table, "standard", "a").await;
        let mut feed = terminal.feed(host, None).await;
        feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
        let feed = keeps_answering(feed);
        let path = format!("/terminals/{}/attendant-in", terminal.id);
        manager.ok(&path, json!({ "amount": "5.00", "witness": table.supervisor.signature() })).await;
        assert!(host.running.app.lines.waiting()[0] <= 16);
        feed.abort();
    }
    over.store(true, Ordering::Relaxed);
    while let Some(ended) = strangers.join_next().await {
        ended.expect("no panic");
    }
    assert_eq!(host.running.app.lines.waiting(), [0; 4]);
    // None of those who were refused is left out of the record.
    host.running.app.record_refusals(true).await;
    let administrator = host.administrator().await;
    noted(&administrator, |words| words.contains("more attempts from 127.0.2."), 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_password_of_a_client_that_has_gone_is_not_looked_at() {
    over_both(gone).await;
}

pub async fn gone(host: &Host) {
    use tokio::io::AsyncWriteExt as _;
    let lines = &host.running.app.lines;
    let stranger = |last: u8| Waits::Stranger([127, 0, 2, last].into());
    let Ok(held) = lines.join(stranger(1)) else { panic!("room") };
    let held = held.turn().await;
    let body = json!({ "login": "administrator", "password": "not the password" }).to_string();
    let path = host.anonymous().path("/session");
    for last in 2..12 {
        let mut line = host.anonymous().from([127, 0, 2, last]).connect().await.expect("a connection");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        line.write_all(format!("{head}{body}").as_bytes()).await.expect("sent");
        line.flush().await.expect("sent");
        within("it waits", async {
            while lines.waiting()[0] != 2 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        drop(line);
        within("it has left", async {
            while lines.waiting()[0] != 1 {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
    drop(held);
    // Nothing was counted against the login.
    let known = host.administrator().await.client.get("/staff/credentials").await.ok();
    let own = known.as_array().expect("people").iter().find(|one| one["login"] == "administrator").expect("their own");
    assert_eq!(own["waits"], json!([]), "{known}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_with_quotation_marks_forges_no_record() {
    over_both(quotation_marks).await;
}

pub async fn quotation_marks(host: &Host) {
    let administrator = host.administrator().await;
    let login = r#"x" from 10.0.0.1 was refused: no; "anna\"#;
    assert_eq!(wrong(&host.anonymous(), login).await.refusal(), (401, "sign_in"));
    let noted = noted(&administrator, |words| words.contains(r#"x\""#), 1).await;
    assert!(noted[0].starts_with(r#"Sign-in of "x\" from 10.0.0.1 was refused: no; \""#), "{noted:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_or_name_that_passes_for_another_is_refused() {
    over_both(passes_for_another).await;
}

pub async fn passes_for_another(host: &Host) {
    let administrator = host.administrator().await;
    let add = |name: &str, login: &str| json!({ "name": name, "post": "dealer", "login": login, "password": FIRST, "witness": with_half(second()) });
    for login in ["\u{430}nna", "an\u{456}a", "anna lin", "anna'", "josé"] {
        let answer = administrator.command("/staff", add("Anna", login)).await;
        assert_eq!(answer.refusal(), (422, "password"), "{login}");
    }
    for name in ["\u{202e}annA", "An\u{200b}na", "Anna\u{2066}"] {
        let answer = administrator.command("/staff", add(name, "anna-chan")).await;
        assert_eq!(answer.code(), "text", "{name}: {}", answer.text);
    }
    administrator.ok("/staff", add("Ánna 陳", "anna-chan")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_signs_out_or_changes_the_password_ends_what_others_look_at_with_it() {
    over_both(signs_out).await;
}

pub async fn signs_out(host: &Host) {
    let manager = host.employ("pit_manager", "leaver-1").await;
    let stolen = Person::sign_in(host, "leaver-1", PASSWORD).await;
    let third = Person::sign_in(host, "leaver-1", PASSWORD).await;
    let mut own = Feed::open(&manager.client, "/feed/pit", None).await;
    let mut copied = Feed::open(&stolen.client, "/feed/pit", None).await;
    let mut left = Feed::open(&third.client, "/feed/pit", None).await;
    assert_eq!(third.client.delete("/session").await.status, 204);
    assert_eq!(left.bye().await, "revoked");
    let change = json!({ "old": PASSWORD, "new": "quite another password" });
    assert_eq!(manager.client.post("/session/password", change).await.status, 204);
    assert_eq!(copied.bye().await, "revoked");
    own.until("a tick after that", |feed| feed.messages.last().is_some_and(|last| last["type"] == "tick")).await;
    assert_eq!(stolen.client.get("/session").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sealed_codes_are_not_guessed_and_the_opener_elsewhere_is_not_locked_out() {
    over_both(sealed_codes).await;
}

pub async fn sealed_codes(host: &Host) {
    let administrator = host.administrator().await;
    let weak = |half: &str| {
        let mut witness = second();
        witness["half"] = json!(half);
        json!({ "witness": witness })
    };
    for half in ["11111111", "12345678", "abcd1234", "xyzxyzxyz"] {
        administrator.refused("/sealed-codes", weak(half), "half").await;
    }
    let sealed = administrator.ok("/sealed-codes", json!({ "witness": with_half(second()) })).await;
    let open = |half: &str| {
        let code = format!("{}{half}", sealed["codes"][0].as_str().expect("a code"));
        json!({ "code": code, "reason": "the other administrator has left" })
    };
    let mut refused = 0;
    for guess in 0..400 {
        let answer = administrator.command("/sealed-codes/open", open(&format!("guess{guess}"))).await;
        match answer.refusal() {
            (404, "not_found") => refused += 1,
            other => assert_eq!(other, (429, "locked_out"), "{}", answer.text),
        }
    }
    assert_eq!(refused, 10, "so many are looked at from one address");
    let words = noted(&administrator, |words| words.contains("A sealed code"), 5).await;
    assert!(words[0].contains("from 127.0.0.1 was refused"), "{words:?}");
    let shown = |floor: &floor::Floor| floor.alerts().any(|one| format!("{one:?}").contains("A sealed code"));
    within("an alert", async {
        while !host.running.app.read(shown) {
            tokio::task::yield_now().await
        }
    })
    .await;
    let elsewhere = administrator.client.from([127, 0, 0, 5]);
    let number = administrator.next().to_string();
    let answer = elsewhere.header("idempotency-key", number).post("/sealed-codes/open", open(HALF)).await;
    assert!(answer.status.is_success(), "{} {}", answer.status, answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_behind_the_same_address_block_no_signature_and_a_guesser_lifts_no_wait() {
    over_both(shared_address).await;
}

pub async fn shared_address(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let manager = &table.manager;
    let guesser = host.employ("pit_manager", "guesser-1").await;
    let raise = |password: &str| {
        json!({ "settings": { "hand_pay": "77.00" }, "reason": "busy",
            "witness": { "login": manager.login, "password": password } })
    };
    // A whole network of strangers behind one address.
    for guess in 0..25 {
        let _ = wrong(&host.anonymous(), &format!("guess-{guess}")).await;
    }
    assert_eq!(wrong(&host.anonymous(), "anybody").await.refusal(), (429, "locked_out"));
    let path = table.path("/settings");
    let asks = async |from: [u8; 4], password: &str| {
        let client = guesser.client.from(from).header("idempotency-key", guesser.next().to_string());
        client.post(&path, raise(password)).await
    };
    // Signatures are looked at all the same, five from one person wherever they come from.
    for last in 1..=5 {
        let answer = asks([127, 0, 0, last], "not the password").await;
        assert_eq!(answer.refusal(), (401, "sign_in"), "{}", answer.text);
    }
    assert_eq!(asks([127, 0, 0, 9], "not the password").await.refusal(), (429, "locked_out"));
    // The guesser lifts neither the manager's wait nor their own.
    for staff in [manager.id, guesser.id] {
        let answer = guesser.client.post(&format!("/staff/{staff}/unlock"), json!({})).await;
        assert_eq!(answer.refusal(), (403, "second_person"), "{}", answer.text);
    }
    assert_eq!(asks([127, 0, 0, 10], PASSWORD).await.refusal(), (429, "locked_out"));
    // Another person does, and others are not locked out meanwhile.
    let other = Person::sign_in_at(&host.anonymous().from([127, 0, 0, 77]), "administrator", PASSWORD).await;
    assert_eq!(other.client.post(&format!("/staff/{}/unlock", manager.id), json!({})).await.status, 204);
    // Each of these signatures is in the journal: whose it was to be, who asked, and from where (S14).
    let signature = format!("\"{}\" as second person of guesser-1, from 127.0.0.", manager.login);
    let recorded = noted(&other, |words| words.starts_with(&signature) && words.contains("was refused"), 6).await;
    for last in [2, 3, 4, 5, 9, 10] {
        assert!(recorded.iter().any(|words| words.contains(&format!("from 127.0.0.{last}, "))), "{recorded:?}");
    }
    let answer = asks([127, 0, 0, 1], PASSWORD).await;
    assert_ne!(answer.status, 429, "{}", answer.text);
    assert_ne!(answer.status, 401, "{}", answer.text);
}
