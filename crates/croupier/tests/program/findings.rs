//! The eight findings of an attack over loopback, one after the other against one program, over plain text and over TLS.
//! Each succeeded once.

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::Command;
use std::time::{Duration, Instant};

use floor::TerminalId;
use host::store::{Holder, Key};
use serde_json::{Value, json};

use crate::{Client, Feed, Server, program, until};

/// So many connections may one address have.
const LIMIT: usize = 60;

/// The demonstration plays on: a display is shown further records.
pub(crate) fn plays(client: &Client<'_>) {
    let mut display = client.feed("/feed/display/0").expect("a display");
    display.send(&json!({ "type": "hello" }));
    let sequence = |message: &Value| message["sequence"].as_u64().unwrap_or(0);
    let shown = display.until("a snapshot", |message| sequence(message) > 0);
    display.until("a further record", |message| sequence(message) > sequence(&shown));
}

/// One message without a key, from a page of a foreign origin, halted the floor.
fn a_made_up_cursor_halts_nothing(client: &Client<'_>) {
    let stranger = client.clone().header("origin", "https://elsewhere.example");
    assert!(stranger.feed("/feed/display/0").is_none(), "a page of another site opens no feed");
    for cursor in [json!(999_999_999_u64), json!(u64::MAX), json!("999999999")] {
        let Some(mut display) = client.feed("/feed/display/0") else { continue };
        display.send(&json!({ "type": "hello", "cursor": cursor }));
        display.until("a snapshot", |message| message["sequence"].as_u64() > Some(0));
    }
    plays(client);
}

/// Five wrong passwords locked a manager out everywhere, and no one could unlock.
fn wrong_passwords_lock_nobody_out(client: &Client<'_>) {
    let attacker = client.clone().from(66);
    let doors = client.get("/demonstration").body;
    let staff = doors["staff"].as_array().expect("people");
    let manager = staff.iter().find(|one| one["post"] == "pit_manager").expect("a manager");
    let login = manager["login"].as_str().expect("a login");
    for _ in 0..5 {
        assert_eq!(attacker.sign_in(login, "not the password").status, 401);
    }
    assert_eq!(attacker.sign_in(login, "not the password").status, 429, "slowed there");
    let password = manager["password"].as_str().expect("a password");
    assert_eq!(client.sign_in(login, password).status, 200, "and nowhere else");
    let administrator = client.signed_in("administrator");
    assert_eq!(administrator.post(&format!("/staff/{}/unlock", manager["id"]), json!({})).status, 204);
    assert_eq!(attacker.sign_in(login, password).status, 200, "an administrator lifts the wait");
}

/// A newline in the login kept a failed sign-in out of the journal.
fn a_newline_hides_nothing(client: &Client<'_>) {
    assert_eq!(client.sign_in("mallory\nINFO all is well", "not the password").status, 401);
    let auditor = client.signed_in("auditor");
    until("the refused sign-in is recorded", || {
        let events = auditor.get("/records/events?limit=200").body;
        let words = events["events"].as_array().cloned().unwrap_or_default();
        words.iter().any(|event| event["words"].as_str().is_some_and(|words| words.contains("mallory")))
    });
}

/// 2,300 refused sign-ins filled the alerts of the pit.
fn refused_sign_ins_fill_no_alerts(client: &Client<'_>) {
    let attacker = client.clone().from(67);
    for hundred in 0..23 {
        let mut stream = attacker.connect();
        let mut requests = String::new();
        for number in 0..100 {
            let body = json!({ "login": format!("x{hundred}y{number}"), "password": "not the password" }).to_string();
            let close = if number == 99 { "connection: close\r\n" } else { "" };
            requests += &format!(
                "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{close}content-length: {}\r\n\r\n{body}",
                attacker.path("/session"),
                attacker.server.address,
                body.len()
            );
        }
        // Both directions have room for all of it.
        let _ = stream.write_all(requests.as_bytes());
        let _ = stream.flush();
        let mut answers = Vec::new();
        let _ = stream.read_to_end(&mut answers);
        assert_eq!(String::from_utf8_lossy(&answers).matches("HTTP/1.1 ").count(), 100, "every one is answered");
    }
    let mut pit = client.signed_in("pit_supervisor").feed("/feed/pit").expect("the pit");
    pit.send(&json!({ "type": "hello" }));
    let snapshot = pit.until("the alerts", |message| !message["view"]["pit"]["alerts"].is_null());
    let alerts = snapshot["view"]["pit"]["alerts"].as_array().cloned().unwrap_or_default();
    let of_doors = alerts.iter().filter(|alert| alert.to_string().contains("127.0.0.67")).count();
    assert!(of_doors <= 1 && alerts.len() < 50, "{} of {}", of_doors, alerts.len());
}

/// Feeds did not count against the limits: 300 were open with a limit of 20.
fn feeds_count(client: &Client<'_>) {
    let attacker = client.clone().from(68);
    let mut open: Vec<Feed> = Vec::new();
    for _ in 0..3 * LIMIT {
        open.extend(attacker.feed("/feed/display/0"));
    }
    assert!(open.len() <= LIMIT, "{} feeds with a limit of {LIMIT}", open.len());
}

/// A body that did not come was waited for without end.
fn a_stalled_body_is_ended(client: &Client<'_>) {
    let mut stream = client.connect();
    let head = format!("POST {} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{{", client.path("/session"));
    stream.write_all(head.as_bytes()).expect("sent");
    stream.flush().expect("sent");
    let began = Instant::now();
    stream.set_read_timeout(Duration::from_secs(10));
    let mut answer = Vec::new();
    // A host that closes without TLS's own farewell has ended it all the same.
    let waits = |error: std::io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
    assert!(!stream.read_to_end(&mut answer).is_err_and(waits), "still held after {:?}", began.elapsed());
    assert!(answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
}

/// A cloned key cashed out, without an alert.
fn a_cloned_key_waits(client: &Client<'_>) {
    let doors = client.get("/demonstration").body;
    let id = doors["terminals"][0]["id"].as_u64().expect("a free terminal");
    let key = Key::new().expect("a key");
    let public = json!({ "scheme": "ed25519", "public_key": key.public().text() });
    let sits = client.post(&format!("/demonstration/terminals/{id}/sit"), public);
    assert_eq!(sits.status, 200, "{sits:?}");
    let holder = Holder::Terminal(TerminalId(u32::try_from(id).expect("an id")));
    let hello = |client: &Client<'_>| {
        let mut feed = client.feed(&format!("/feed/terminal/{id}")).expect("a feed");
        let challenge = feed.next().expect("a challenge");
        let proof = key.proof(holder, challenge["nonce"].as_str().expect("a nonce"));
        feed.send(&json!({ "type": "hello", "proof": proof }));
        feed
    };
    let mut first = hello(client);
    first.until("a snapshot", |message| message["type"] == "snapshot");
    // It continues to read, and so answers the request whether it is there.
    std::thread::spawn(move || while first.next().is_some() {});
    let mut clone = hello(&client.clone().from(69));
    let told = clone.next().expect("a message");
    assert_eq!(told["type"], "held", "a clone is shown nothing: {told}");
    let mut pit = client.signed_in("pit_supervisor").feed("/feed/pit").expect("the pit");
    pit.send(&json!({ "type": "hello" }));
    let both = |text: &str| text.contains("127.0.0.69") && text.contains("127.0.0.1");
    pit.until("both addresses", |message| both(&message["view"]["pit"]["alerts"].to_string()));
}

/// Between stops no checkpoint was signed, so a quiet floor had none for its daily anchor.
fn a_running_floor_has_an_anchor(server: &Server) {
    until("an anchor", || {
        let data = server.data();
        let anchor = Command::new(program()).args(["--json", "journal", "anchor", "--data"]).arg(data).output();
        let anchor = anchor.expect("the program runs");
        let said: Value = serde_json::from_slice(&anchor.stdout).unwrap_or(Value::Null);
        anchor.status.success() && said["sequence"].as_u64() > Some(0)
    });
}

#[test]
fn the_findings() {
    findings(Server::start);
}

#[test]
fn the_findings_over_tls() {
    findings(Server::start_with_tls);
}

fn findings(start: fn(bool, &[(&str, &str)]) -> Server) {
    let limit = LIMIT.to_string();
    let settings = [
        ("CROUPIER_CONNECTIONS_PER_ADDRESS", limit.as_str()),
        ("CROUPIER_BODY_TIMEOUT_MS", "500"),
        ("CROUPIER_SIGN_SECONDS", "1"),
    ];
    let server = start(true, &settings);
    let client = server.client();
    a_made_up_cursor_halts_nothing(&client);
    wrong_passwords_lock_nobody_out(&client);
    a_newline_hides_nothing(&client);
    refused_sign_ins_fill_no_alerts(&client);
    feeds_count(&client);
    a_stalled_body_is_ended(&client);
    a_cloned_key_waits(&client);
    a_running_floor_has_an_anchor(&server);
    plays(&client);
}
