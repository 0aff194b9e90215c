//! Classes of OWASP ASVS level 2 that no finding stood for; see the table in docs/operations.md.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{both_with, over_both};
use crate::harness::*;

/// V3.4.4: over TLS the cookie has the prefix that binds it to this host, and the other name counts for nothing. Without TLS,
/// which is for loopback, browsers would not take the prefix.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_over_tls_is_bound_to_this_host_by_the_name_of_its_cookie() {
    over_both(bound_cookie).await;
}

pub async fn bound_cookie(host: &Host) {
    let names = ["croupier_session", "__Host-croupier_session"];
    let [other, name] = if host.tls.is_some() { names } else { [names[1], names[0]] };
    let sign_in = json!({ "login": "administrator", "password": PASSWORD });
    let answer = host.anonymous().post("/session", sign_in).await;
    let set = answer.header("set-cookie").to_owned();
    answer.ok();
    let token = set.strip_prefix(&format!("{name}=")).and_then(|rest| rest.split(';').next()).expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.to_lowercase().contains("domain"), "{set}");
    assert_eq!(set.contains("; Secure"), name.starts_with("__Host-"), "{set}");
    let with = |cookie: String| host.anonymous().header("cookie", cookie).header("x-croupier", "1");
    with(format!("{name}={token}")).get("/session").await.ok();
    with(format!("{other}=x; {name}={token}")).get("/session").await.ok();
    // A page of a neighbouring name can set a cookie without the prefix, and it signs no one in.
    let planted = with(format!("{other}={token}")).get("/session").await;
    assert_eq!(planted.refusal(), (401, "sign_in"), "{other}");
    let out = with(format!("{name}={token}")).delete("/session").await;
    assert!(out.header("set-cookie").starts_with(&format!("{name}=;")), "{}", out.header("set-cookie"));
}

/// V13.2.5: what is not said to be JSON is not read. A form of another site cannot say so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    over_both(only_json).await;
}

pub async fn only_json(host: &Host) {
    let body = json!({ "login": "administrator", "password": PASSWORD }).to_string();
    for (kind, status) in [
        ("content-type: application/json", 200),
        ("content-type: Application/JSON; charset=utf-8", 200),
        ("content-type: text/plain", 415),
        ("content-type: application/x-www-form-urlencoded", 415),
        ("content-type: application/jsonp", 415),
        ("x-nothing: said", 415),
    ] {
        let mut line = host.anonymous().connect().await.expect("a connection");
        let request = format!(
            "POST /api/v1/floors/main/session HTTP/1.1\r\nhost: localhost\r\n{kind}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        line.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = Vec::new();
        // A host that closes without TLS's own farewell has answered all the same.
        let _ = within("an answer", line.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{kind}: {answer}");
    }
}

/// V3.1, V3.2: a made-up session belongs to no one, and one that was planted before the sign-in is not taken over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_session_is_nobody() {
    over_both(forged_session).await;
}

pub async fn forged_session(host: &Host) {
    let made_up = "A".repeat(43);
    let cookies = ["croupier_session", "__Host-croupier_session"].map(|name| format!("{name}={made_up}"));
    let empty = ["croupier_session=".to_owned(), "other=1".to_owned()];
    for cookie in cookies.iter().chain(&empty) {
        let forged = host.anonymous().header("cookie", cookie).header("x-croupier", "1");
        assert_eq!(forged.get("/session").await.refusal(), (401, "sign_in"), "{cookie}");
        let command = forged.header("idempotency-key", "1").post("/tables/0/open-bets", json!({})).await;
        assert_eq!(command.status, 401, "{cookie}");
        assert!(Feed::connect(&forged, "/feed/admin").await.is_err(), "{cookie}");
    }
    let sign_in = json!({ "login": "administrator", "password": PASSWORD });
    let mut tokens = Vec::new();
    for cookie in &cookies {
        let planted = host.anonymous().header("cookie", cookie).header("x-croupier", "1");
        let answer = planted.post("/session", sign_in.clone()).await;
        tokens.push(answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned());
        answer.ok();
        assert_eq!(planted.get("/session").await.status, 401, "the planted one still belongs to no one");
    }
    assert!(tokens[0] != tokens[1] && tokens.iter().all(|token| !cookies.contains(token)), "each is new");
}

/// V2.6: a code is made for who may have it, and is good once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_enrolment_code_works_once_and_a_guess_never() {
    over_both(one_code).await;
}

pub async fn one_code(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let known = host.anonymous().get("").await.ok()["terminals"].as_array().expect("terminals").len();
    let terminal = json!({ "table": table.id, "name": format!("number {known}"), "kind": "standard", "layout": "a" });
    administrator.ok("/terminals", terminal).await;
    let path = format!("/terminals/{known}/code");
    assert_eq!(table.dealer.client.post(&path, json!({})).await.refusal(), (403, "forbidden"));
    let code = administrator.client.post(&path, by_two()).await.ok();
    let key = new_key();
    let enrol = enrolment(&code["code"], &key);
    host.anonymous().post("/enrol", enrol.clone()).await.ok();
    assert_eq!(host.anonymous().post("/enrol", enrol).await.status, 403, "a code is good once");
    assert_eq!(host.anonymous().post("/enrol", enrolment(&json!("AAAA-AAAA"), &key)).await.status, 403);
    assert_eq!(host.anonymous().post("/enrol", enrolment(&json!(""), &key)).await.status, 403);
}

/// V3.5: the token of a terminal is good for that terminal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_speaks_for_its_own_terminal_only() {
    over_both(own_terminal_only).await;
}

pub async fn own_terminal_only(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (first, _feed) = host.seat(&table, "standard", "a", "10.00").await;
    let (second, mut other) = host.seat(&table, "standard", "a", "10.00").await;
    let key = token_of(host, "terminal", first.id, &first.key).await;
    table.open_bets("rws-sicbo").await;
    let bets = json!({ "changes": [{ "add": "small", "amount": "5.00" }] });
    let now = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let numbered = |number: u64| key.header("idempotency-key", (now + number).to_string());
    let theirs = numbered(1).post(&format!("/terminals/{}/bets", second.id), bets.clone()).await;
    assert_eq!(theirs.refusal(), (403, "forbidden"));
    for path in ["clear", "repeat", "cash-out"] {
        let answer = numbered(2).post(&format!("/terminals/{}/{path}", second.id), json!({})).await;
        assert_eq!(answer.status, 403, "{path}");
    }
    let limit = numbered(3).post(&format!("/terminals/{}/loss-limit", second.id), json!({ "limit": "1.00" })).await;
    assert_eq!(limit.status, 403, "{}", limit.text);
    // A link that no one reads may be lost by now: the terminal is not there, but it is the token's own.
    let own = numbered(4).post(&format!("/terminals/{}/bets", first.id), bets).await;
    assert!(own.status.is_success() || own.code() == "terminal_unavailable", "{}", own.text);
    let forged = host.anonymous().header("authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(forged.header("idempotency-key", "1").post("/terminals/0/clear", json!({})).await.status, 401);
    other.until("open bets", |feed| feed.view["round"]["phase"] == "open").await;
    assert_eq!(other.view["own"]["staked"], "0.00");
}

/// V4.2: the object is checked, not only the kind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_validator_puts_cash_into_its_own_terminal_only() {
    over_both(own_validator).await;
}

pub async fn own_validator(host: &Host) {
    let table = host.table("rws-sicbo").await;
    // The validator is put in before there is anything of a player's (S12).
    let terminal = host.terminal(&table, "standard", "a").await;
    let (_, mut validator) = host.device_at("validator", json!({ "terminal": terminal.id })).await;
    let mut feed = terminal.feed(host, None).await;
    feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    let (other, _other_feed) = host.seat(&table, "standard", "a", "10.00").await;
    let answer = validator.ask(json!({ "type": "cash", "amount": "50.00" })).await;
    assert_eq!(Feed::code(&answer), "accepted", "{answer}");
    feed.credit("50.00").await;
    let answer = validator.ask(json!({ "type": "bet", "changes": [] })).await;
    assert_ne!(Feed::code(&answer), "accepted", "a device places no bets");
    let seen = json!({ "type": "observe", "observation": "activated" });
    assert_eq!(Feed::code(&validator.ask(seen).await), "not_for_sender", "a validator sees no dice");
    let elsewhere = host.anonymous().get("").await.ok();
    assert_eq!(elsewhere["terminals"][other.id as usize]["id"], other.id);
}

/// V4.1: a page opens for the posts it is for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_page_is_for_its_own_post() {
    over_both(own_post).await;
}

pub async fn own_post(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let supervisor = host.employ("pit_supervisor", "supervisor-1").await;
    let auditor = host.employ("auditor", "auditor-1").await;
    let administrator = host.administrator().await;
    let console = format!("/feed/console/{}", table.id);
    let pages = [console.as_str(), "/feed/pit", "/feed/cage", "/feed/admin"];
    for (who, may) in [
        (&table.dealer, [true, false, false, false]),
        (&supervisor, [true, true, false, false]),
        (&cashier, [false, false, true, false]),
        (&administrator, [false, false, false, true]),
        (&auditor, [true, true, true, true]),
    ] {
        for (page, may) in pages.iter().zip(may) {
            let opened = Feed::connect(&who.client, page).await;
            assert_eq!(opened.is_ok(), may, "{} {page}", who.login);
            assert!(opened.is_ok() || opened.is_err_and(|error| error.to_string().contains("403")));
        }
    }
    for page in pages {
        let opened = Feed::connect(&host.anonymous(), page).await;
        assert!(opened.is_err_and(|error| error.to_string().contains("401")), "{page}");
    }
}

/// Unique amounts, so that they can be found wherever they appear.
const SECRETS: [&str; 3] = ["777.00", "123.00", "654.00"];

fn shows_a_secret(message: &Value) -> bool {
    let text = message.to_string();
    SECRETS.iter().any(|secret| text.contains(secret))
}

/// V4.1, V8.3: a player sees their own bets and credit, and no one else's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_and_no_display_sees_another_players_money() {
    over_both(other_players_money).await;
}

pub async fn other_players_money(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (_, mut rich) = host.seat(&table, "standard", "a", "777.00").await;
    let (_, mut other) = host.seat(&table, "standard", "a", "100.00").await;
    let mut display = Feed::open(&host.anonymous(), &format!("/feed/display/{}", table.id), None).await;
    table.open_bets("rws-sicbo").await;
    rich.bet(&[("small", "123.00")]).await;
    rich.credit("654.00").await;
    other.bet(&[("big", "5.00")]).await;
    table.close_bets(&mut [&mut rich, &mut other]).await;
    table.result("1-2-4").await;
    rich.credit("900.00").await;
    let ticket = rich.ask(json!({ "type": "cash_out" })).await;
    let number = ticket["ticket"]["number"].as_str().expect("a number").to_owned();
    rich.ask(json!({ "type": "printed", "ticket": ticket["ticket"]["id"] })).await;
    other.credit("95.00").await;
    table.open_bets("rws-sicbo").await;
    let next = |feed: &Feed| feed.events.iter().filter(|event| event["kind"] == "bets_opened").count() == 2;
    other.until("the next round", next).await;
    display.until("the next round", next).await;
    assert!(rich.messages.iter().any(shows_a_secret), "the player sees the own");
    for feed in [&other, &display] {
        for message in &feed.messages {
            assert!(!shows_a_secret(message), "{message}");
            assert!(!message.to_string().contains(&number), "a ticket's number is cash: {message}");
            assert!(!message.to_string().contains("900.00"), "{message}");
        }
    }
    for message in &display.messages {
        assert!(message["view"].get("own").is_none() && message["view"].get("bets").is_none(), "{message}");
    }
}

/// V7.1: what is worth money is on the paper alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_number_goes_to_the_printer_and_to_no_screen_of_the_staff() {
    over_both(ticket_number).await;
}

pub async fn ticket_number(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let auditor = host.employ("auditor", "auditor-1").await;
    let mut feeds = vec![
        Feed::open(&table.dealer.client, &format!("/feed/console/{}", table.id), None).await,
        Feed::open(&table.manager.client, "/feed/pit", None).await,
        Feed::open(&cashier.client, "/feed/cage", None).await,
        Feed::open(&auditor.client, "/feed/admin", None).await,
    ];
    let outstanding = |feed: &Feed| feed.view["cage"]["outstanding"]["count"].as_u64();
    feeds[2].until("the cage", |feed| outstanding(feed).is_some()).await;
    let before = outstanding(&feeds[2]).unwrap_or_default();
    let (_, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let ticket = feed.ask(json!({ "type": "cash_out" })).await;
    let number = ticket["ticket"]["number"].as_str().expect("a number").to_owned();
    feed.ask(json!({ "type": "printed", "ticket": ticket["ticket"]["id"] })).await;
    feeds[2].until("it is outstanding", |feed| outstanding(feed) == Some(before + 1)).await;
    for feed in &mut feeds {
        feed.until("a tick", |feed| feed.messages.iter().any(|message| message["type"] == "tick")).await;
        assert!(feed.messages.iter().all(|message| !message.to_string().contains(&number)));
    }
}

/// Bodies of at most 4 KiB.
pub fn small_bodies(config: &mut host::Config) {
    config.body_bytes = 4_096;
}

/// V5.1, V7.4: what a body must be is said, and nothing about the program.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_cannot_be_taken_are_refused_with_what_is_wrong() {
    for host in both_with(small_bodies).await {
        cannot_be_taken(&host).await;
    }
}

pub async fn cannot_be_taken(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let path = table.path("/result");
    let keyed = || table.dealer.client.header("idempotency-key", table.dealer.next().to_string());
    let large = keyed().post_bytes(&path, vec![b'x'; 10_000]).await;
    assert_eq!(large.refusal(), (413, "too_large"));
    let broken = keyed().post_bytes(&path, &b"{\"outcome\":"[..]).await;
    assert_eq!(broken.refusal(), (400, "malformed"));
    let unknown = keyed().post(&path, json!({ "outcome": "1-2-3", "colour": "red" })).await;
    assert_eq!(unknown.refusal(), (422, "invalid"));
    assert!(unknown.words().contains("colour"), "{}", unknown.words());
    let missing = keyed().post(&path, json!({})).await;
    assert_eq!(missing.refusal(), (422, "invalid"));
    assert!(missing.words().contains("outcome"), "{}", missing.words());
    let impossible = keyed().post(&path, json!({ "outcome": "1-2-7" })).await;
    assert_eq!(impossible.refusal(), (422, "invalid"));
    let array = keyed().post_bytes(&path, &b"[1]"[..]).await;
    assert_eq!(array.status, 422, "{}", array.text);
    let unnumbered = table.dealer.client.post(&path, json!({ "outcome": "1-2-3" })).await;
    assert_eq!(unnumbered.refusal(), (400, "malformed"));
    for number in ["0", "-1", "1.5", "99999999999999999999", "one"] {
        let client = table.dealer.client.header("idempotency-key", number);
        assert_eq!(client.post(&path, json!({ "outcome": "1-2-3" })).await.refusal(), (400, "malformed"), "{number}");
    }
    let nowhere = keyed().post("/tables/99/open-bets", json!({})).await;
    assert_eq!(nowhere.refusal(), (404, "not_found"));
    let letters = keyed().post("/tables/x/open-bets", json!({})).await;
    assert_eq!(letters.refusal(), (404, "not_found"));
    let method = table.dealer.client.send(hyper::Method::PUT, &table.dealer.client.path(&path), None).await;
    assert_eq!(method.refusal(), (405, "method"));
    let floor = Client { floor: "another".to_owned(), ..host.anonymous() };
    assert_eq!(floor.get("").await.refusal(), (404, "not_found"));
}

/// V5.1, V7.4: the same of messages of a feed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_cannot_be_read_are_answered_and_name_what_is_wrong() {
    over_both(cannot_be_read).await;
}

pub async fn cannot_be_read(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    let answer = feed.ask(json!({ "type": "clear", "colour": "red" })).await;
    assert_eq!(Feed::code(&answer), "malformed");
    let words = answer["error"]["message"]["en"].as_str().unwrap_or_default();
    assert!(words.contains("colour"), "{words}");
    let answer = feed.ask(json!({ "type": "dance" })).await;
    assert_eq!(Feed::code(&answer), "malformed");
    feed.send_text("{no json").await;
    assert_eq!(Feed::code(&feed.answer(0).await), "malformed");
    for (bet, code) in [
        (json!({ "add": "triple/7", "amount": "5.00" }), "unknown_spot"),
        (json!({ "add": "small", "amount": "5.001" }), "malformed"),
        (json!({ "add": "small", "amount": "-5.00" }), "malformed"),
        (json!({ "add": "small" }), "invalid"),
        (json!({ "add": "small", "take": "big", "amount": "5.00" }), "invalid"),
        (json!({ "add": "small", "amount": "0.50" }), "off_step"),
        (json!({ "add": "small", "amount": "2000.00" }), "above_maximum"),
        (json!({ "add": "small", "amount": "200.00" }), "credit"),
    ] {
        let answer = feed.ask(json!({ "type": "bet", "changes": [bet] })).await;
        assert_ne!(Feed::code(&answer), "accepted", "{bet}");
        if code != "unknown_spot" && code != "malformed" {
            assert_eq!(Feed::code(&answer), code, "{bet}: {answer}");
        }
        assert!(answer["error"]["message"]["zh"].as_str().is_some_and(|words| !words.is_empty()), "{answer}");
    }
    assert_eq!(feed.view["own"]["credit"], "100.00", "none of it has moved money");
    assert_eq!(Feed::code(&feed.bet(&[("small", "5.00")]).await), "accepted", "and the feed goes on");
}

/// V11.1: a step is taken once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_asked_again_gets_the_first_answer_and_is_done_once() {
    over_both(asked_again).await;
}

pub async fn asked_again(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let path = format!("/terminals/{}/attendant-in", terminal.id);
    let number = table.manager.next();
    let first = table.manager.numbered(number, &path, json!({ "amount": "5.00" })).await.ok();
    let again = table.manager.numbered(number, &path, json!({ "amount": "5.00" })).await.ok();
    assert_eq!(first, again);
    feed.credit("15.00").await;
    let other = table.manager.numbered(number, &path, json!({ "amount": "6.00" })).await;
    assert_eq!(other.refusal(), (409, "number_reused"));
    table.open_bets("rws-sicbo").await;
    let number = feed.number();
    let bet =
        |amount: &str| json!({ "type": "bet", "number": number, "changes": [{ "add": "small", "amount": amount }] });
    feed.send(bet("5.00")).await;
    let first = feed.answer(number).await;
    feed.messages.clear();
    feed.send(bet("5.00")).await;
    assert_eq!(feed.answer(number).await, first);
    feed.messages.clear();
    feed.send(bet("6.00")).await;
    assert_eq!(Feed::code(&feed.answer(number).await), "number_reused");
    feed.credit("10.00").await;
}

/// V11.1: guessing is counted and slowed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guessing_ticket_numbers_is_counted_and_slowed() {
    over_both(guessed_numbers).await;
}

pub async fn guessed_numbers(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-who-guesses").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let mut pit = Feed::open(&table.manager.client, "/feed/pit", None).await;
    // The check digits are wrong: twenty slips of the finger stop a cashier, and five are none.
    for guess in 0..21 {
        let number = format!("{:018}", 123_456_789_012_345_600_u64 + guess);
        cashier.command("/cage/redeem", json!({ "number": number })).await;
    }
    pit.until("the alert", |feed| feed.view["pit"]["alerts"].to_string().contains("wrong_tickets")).await;
    cashier.refused("/cage/redeem", json!({ "number": "123456789012345678" }), "wrong_tickets").await;
    // The pit has the list of stops; a Pit Supervisor lifts one.
    let stop = |feed: &Feed| {
        let stops = feed.view["pit"]["stops"].as_array().cloned().unwrap_or_default();
        stops.into_iter().find(|stop| stop["staff"] == cashier.id)
    };
    pit.until("the stop", |feed| stop(feed).is_some()).await;
    assert_eq!(stop(&pit).expect("a stop")["mistyped"], true);
    let lift = format!("/staff/{}/wrong-tickets/lift", cashier.id);
    cashier.refused(&lift, json!({}), "rank").await;
    table.supervisor.ok(&lift, json!({})).await;
    pit.until("no stop", |feed| stop(feed).is_none()).await;
    cashier.refused("/cage/redeem", json!({ "number": "123456789012345678" }), "ticket_mistyped").await;
}

/// V14.3, V14.4: what protects a page, and no version of anything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_carries_the_headers_that_protect_a_page() {
    over_both(protecting_headers).await;
}

pub async fn protecting_headers(host: &Host) {
    let client = host.anonymous();
    for path in ["/", "/healthz", "/api/v1/host", "/api/v1/floors/main/session", "/api/v1/floors/other", "/nothing"] {
        let answer = client.get_root(path).await;
        assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!((answer.header("server"), answer.header("x-powered-by")), ("", ""), "{path}");
    }
}

/// V9.1.2, V9.1.3: no version before TLS 1.2, and none of its weak ciphers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_before_1_2_and_ciphers_without_authentication_are_refused() {
    let host = Host::with_tls(|_| {}).await;
    // ECDHE with AES in CBC, RSA key exchange, RC4, export.
    let weak: [u16; 4] = [0xc013, 0x002f, 0x0005, 0x0003];
    // ECDHE with AES in GCM, which TLS 1.2 takes.
    let strong: [u16; 2] = [0xc02b, 0xc02f];
    for (version, ciphers, taken) in [
        (0x0300, &strong[..], false),
        (0x0301, &strong[..], false),
        (0x0302, &strong[..], false),
        (0x0303, &weak[..], false),
        (0x0303, &strong[..], true),
    ] {
        let mut line = tokio::net::TcpStream::connect(host.address()).await.expect("a connection");
        line.write_all(&client_hello(version, ciphers)).await.expect("sent");
        let mut kind = [0; 1];
        let read = within("an answer", line.read_exact(&mut kind)).await;
        // A handshake (22) goes on; an alert (21) or the end of the connection does not.
        assert_eq!(read.is_ok() && kind == [22], taken, "{version:x} {ciphers:x?}");
    }
}

/// The first message of a client that offers one version and these ciphers.
fn client_hello(version: u16, ciphers: &[u16]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([7; 32]);
    body.push(0);
    body.extend(u16::try_from(2 * ciphers.len()).expect("few").to_be_bytes());
    body.extend(ciphers.iter().flat_map(|cipher| cipher.to_be_bytes()));
    body.extend([1, 0]);
    // Groups x25519 and P-256, points uncompressed, signatures ECDSA with SHA-256 and RSA-PSS, extended master secret.
    let extensions: &[u8] =
        &[0, 10, 0, 6, 0, 4, 0, 29, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 6, 0, 4, 4, 3, 8, 4, 0, 23, 0, 0];
    body.extend(u16::try_from(extensions.len()).expect("short").to_be_bytes());
    body.extend(extensions);
    let length = u32::try_from(body.len()).expect("short").to_be_bytes();
    let mut message = vec![1, length[1], length[2], length[3]];
    message.extend(body);
    let mut record = vec![22, 3, 1];
    record.extend(u16::try_from(message.len()).expect("short").to_be_bytes());
    record.extend(message);
    record
}
