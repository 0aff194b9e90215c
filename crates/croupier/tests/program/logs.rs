//! What strangers send cannot forge or fill the log.

use serde_json::Value;

use crate::{Server, until};

const LONGEST: usize = 4_096 + 4;

fn attacked(json: bool) -> String {
    let server = Server::start(false, &[("CROUPIER_LOG_JSON", if json { "true" } else { "false" })]);
    let client = server.client();
    let huge = "h".repeat(100_000);
    for (number, login) in
        ["anna\nINFO forged: all is well", "\u{1b}[2Jforged", "for\r\nged", "\u{2028}forged", &huge].iter().enumerate()
    {
        let client = client.clone().from(60 + u8::try_from(number).expect("few"));
        assert_eq!(client.sign_in(login, "not the password").status, 401);
        client.clone().header("x-forwarded-for", "\u{7f}forged").get("/session");
        client.get("/nothing/%0aINFO%20forged");
    }
    until("all is logged", || server.log().matches("was refused").count() >= 5);
    server.log()
}

#[test]
fn a_line_of_the_log_cannot_be_forged_and_is_bounded() {
    let log = attacked(false);
    for line in log.lines() {
        assert!(line.len() <= LONGEST, "{} bytes", line.len());
        let plain = without_colours(line);
        let begins = plain.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(begins && plain.contains('T'), "a line that is none of the host's own: {plain}");
        assert!(!plain.chars().any(char::is_control), "{plain:?}");
    }
    assert!(log.contains("anna\\u{a}INFO"), "{log}");
}

#[test]
fn a_line_of_the_log_as_json_cannot_be_forged_and_is_bounded() {
    let log = attacked(true);
    let mut refused = 0;
    for line in log.lines() {
        assert!(line.len() <= LONGEST, "{} bytes", line.len());
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no line of its own: {line}"));
        assert!(entry["timestamp"].is_string() && entry["level"].is_string(), "{line}");
        refused += usize::from(entry.to_string().contains("was refused"));
    }
    assert!(refused >= 5, "{refused}");
}

/// What the host's own colours add.
fn without_colours(line: &str) -> String {
    let mut plain = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            // A colour ends with its m; anything else was not written by the host.
            let code: String = letters.by_ref().take_while(|letter| *letter != 'm').collect();
            assert!(code.len() <= 8 && code.starts_with('['), "{line:?}");
        } else {
            plain.push(letter);
        }
    }
    plain
}
