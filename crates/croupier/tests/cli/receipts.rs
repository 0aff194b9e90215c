//! `log` and `verify`: the signed head, proofs that are given away, and what is refused.

use std::fs;

use serde_json::Value;

use crate::croupier;
use crate::floor::{Pipe, Place, TERMINALS};

fn given(place: &Place, name: &str, words: &str) -> String {
    let run = place.run(words);
    assert_eq!(run.code, 0, "{words}: {}", run.stderr);
    let file = place.at(name);
    fs::write(&file, run.stdout).unwrap();
    file
}

fn verify(words: &[&str]) -> (i32, Value) {
    let mut all = vec!["--json", "verify"];
    all.extend(words);
    let run = croupier(&all);
    (run.code, serde_json::from_str(&run.stdout).unwrap_or_default())
}

#[test]
fn the_head_covers_every_record_and_is_verified_by_its_key() {
    let place = Place::with_a_round();
    let (head, key) = (given(&place, "head", "log head"), given(&place, "key", "log head --key"));
    let last = place.json("audit")["last"].clone();
    let parts = place.json("log head");
    assert_eq!((&parts["size"], &parts["origin"]), (&last, &"croupier.invalid/demonstration/1".into()));
    let (code, found) = verify(&["checkpoint", &head, "--key", &key]);
    assert_eq!((code, &found["proved"], &found["size"]), (0, &true.into(), &last));
    // The key itself will do, and a policy.
    let text = fs::read_to_string(&key).unwrap();
    assert_eq!(verify(&["checkpoint", &head, "--key", text.trim()]).0, 0);
    let policy = place.at("policy");
    fs::write(&policy, format!("log {text}quorum none\n")).unwrap();
    assert_eq!(verify(&["checkpoint", &head, "--policy", &policy]).0, 0);
    let mut changed = fs::read_to_string(&head).unwrap();
    changed = changed.replacen("croupier", "croupies", 1);
    fs::write(&head, changed).unwrap();
    let (code, found) = verify(&["checkpoint", &head, "--key", &key]);
    assert_eq!((code, &found["proved"]), (1, &false.into()));
}

#[test]
fn a_round_is_proved_and_every_changed_line_is_found() {
    let place = Place::with_a_round();
    let key = given(&place, "key", "log head --key");
    let whole = given(&place, "round", "log prove round 0");
    let (code, found) = verify(&["receipt", &whole, "--key", &key]);
    assert_eq!((code, &found["proved"]), (0, &true.into()), "{found}");
    let records = found["records"].as_array().unwrap();
    assert!(records.iter().any(|record| record["event"].get("BetsChanged").is_some()), "{found}");
    let terminal = TERMINALS[0].to_string();
    let own = given(&place, "own", &format!("log prove round 0 --terminal {terminal}"));
    let (_, found) = verify(&["receipt", &own, "--key", &key]);
    let parts: Vec<&Value> = found["records"].as_array().unwrap().iter().map(|record| &record["part"]).collect();
    assert!(parts.iter().any(|part| part["returned"] == 36_000), "{found}");
    let words = croupier(&["verify", "receipt", &own, "--key", &key]);
    assert!(words.stdout.contains(&format!("terminal {terminal} gets back 360.00")), "{}", words.stdout);
    let text = fs::read_to_string(&own).unwrap();
    for (place_of, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let changed: String = text
            .lines()
            .enumerate()
            .map(|(at, line)| if at == place_of { format!("{}\n", turned(line)) } else { format!("{line}\n") })
            .collect();
        let file = place.at("changed");
        fs::write(&file, changed).unwrap();
        assert_ne!(croupier(&["verify", "receipt", &file, "--key", &key]).code, 0, "line {place_of}: {line}");
    }
}

/// The line with a digit or letter in its middle changed.
fn turned(line: &str) -> String {
    let mut characters: Vec<char> = line.chars().collect();
    let place = characters.len() / 2;
    characters[place] = if characters[place] == 'B' { 'C' } else { 'B' };
    characters.into_iter().collect()
}

#[test]
fn a_log_only_grows() {
    let place = Place::with_a_round();
    let (old, key) = (given(&place, "old", "log head"), given(&place, "key", "log head --key"));
    let size = place.json("log head")["size"].as_u64().unwrap();
    let mut pipe = Pipe::start(&["--data", &place.at("floor")]);
    pipe.fill(40);
    assert_eq!(pipe.end(), Some(0));
    let new = given(&place, "new", "log head");
    assert!(place.json("log head")["size"].as_u64().unwrap() > size);
    let proof = given(&place, "proof", &format!("log prove since {size}"));
    let words = ["consistency", &old, &new, "--proof", &proof, "--key", &key];
    assert_eq!(verify(&words).0, 0);
    assert_eq!(verify(&["consistency", &new, &old, "--proof", &proof, "--key", &key]).0, 1);
    fs::write(&proof, "").unwrap();
    assert_eq!(verify(&words).0, 1);
}

#[test]
fn an_export_is_complete_and_is_continued() {
    let place = Place::with_a_round();
    let to = place.at("mirror");
    let first = place.json(&format!("log export --to {to}"));
    let size = first["size"].as_u64().unwrap();
    let (index, width) = ((size - 1) / 256, (size - 1) % 256 + 1);
    let read = |level| fs::read(format!("{to}/{}", tlog::tile::path(level, index, width))).unwrap().len() as u64;
    assert_eq!((read(Some(0)), read(None)), (32 * width, 35 * width));
    assert_eq!(place.json(&format!("log export --to {to}"))["tiles"], 0);
    assert_eq!(fs::read_to_string(format!("{to}/checkpoint")).unwrap(), place.run("log head").stdout);
}

#[test]
fn what_is_not_there_is_refused() {
    let place = Place::with_a_round();
    for (words, code) in [
        ("log prove round 999", "not_in_log"),
        ("log prove ticket 999", "not_in_log"),
        ("log prove record 999999", "not_in_log"),
        ("log prove since 999999", "not_in_log"),
    ] {
        let run = place.run(&format!("--json {words}"));
        assert!(run.code == 1 && run.stdout.contains(code), "{words}: {}", run.stdout);
    }
    fs::remove_dir_all(place.at("floor/log")).unwrap();
    assert!(place.run("--json log head").stdout.contains("no_log"));
}

#[test]
fn an_audit_since_a_head_that_was_kept_audits_what_came_after_it() {
    let place = Place::with_a_round();
    let (old, key) = (given(&place, "old", "log head"), given(&place, "key", "log head --key"));
    let size = place.json("log head")["size"].as_u64().unwrap();
    let mut pipe = Pipe::start(&["--data", &place.at("floor")]);
    pipe.fill(40);
    assert_eq!(pipe.end(), Some(0));
    let whole = place.json("audit");
    assert_eq!(
        (&whole["log"]["since"], &whole["log"]["records"], &whole["replayed_after"]),
        (&0.into(), &whole["last"], &Value::Null)
    );
    let since = place.json(&format!("audit --since {old}"));
    assert_eq!((&since["log"]["since"], &since["log"]["records"]), (&size.into(), &whole["last"]));
    assert!(since["records"]["state"] == "not_compared" && since["figures_clean"] == true, "{since}");
    let words = place.run(&format!("audit --since {old}")).stdout;
    assert!(words.contains(&format!("extends the head of {size} records")), "{words}");
    // A head that was changed is not believed.
    let policy = place.at("policy");
    fs::write(&policy, format!("log {}quorum none\n", fs::read_to_string(&key).unwrap())).unwrap();
    assert_eq!(place.run(&format!("audit --since {old} --policy {policy}")).code, 0);
    fs::write(&old, fs::read_to_string(&old).unwrap().replacen("croupier", "croupies", 1)).unwrap();
    let run = place.run(&format!("--json audit --since {old}"));
    assert!(run.code == 1 && run.stdout.contains("not_believed"), "{}", run.stdout);
}
