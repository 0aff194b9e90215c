//! The content hash: the way a file is written does not matter, any figure does.

use std::fmt::Write;

use rulebook::{Rulebook, library};
use toml::{Table, Value};

use crate::support::{check_golden, rulebook, source};

const ALL: [&str; 8] = [
    "mbs-sicbo",
    "rws-roulette-000",
    "rws-sicbo",
    "rws-sicbo-open",
    "rws-taisai",
    "roulette-double-zero",
    "roulette-single-zero",
    "sicbo-macau",
];

#[test]
fn hashes_of_the_five_are_the_golden_ones() {
    let mut text = String::from("# blake3 of the canonical form of each approved rulebook.\n");
    for rulebook in library::all().unwrap().iter().filter(|rulebook| rulebook.identity().approved) {
        let _ = writeln!(text, "{:<18}{}", rulebook.id(), rulebook.hash());
    }
    check_golden("hashes.txt", &text, || {
        "A hash changes when anything but comments and spacing changes in a rulebook file: every round played from then \
         on pins the new one."
            .to_owned()
    });
}

fn same(id: &str, what: &str, text: &str) {
    let found = Rulebook::parse("again.toml", text).unwrap_or_else(|error| panic!("{id}, {what}: {error}"));
    assert_eq!(found.hash(), rulebook(id).hash(), "{id}: {what} changed the hash");
    assert_eq!(found, *rulebook(id), "{id}: {what} changed the rulebook");
}

/// The whole table on one line per key, keys from Z to A.
fn backwards(value: &Value) -> String {
    match value {
        Value::Table(table) => {
            let pairs: Vec<String> =
                table.iter().rev().map(|(key, value)| format!("\"{key}\" = {}", backwards(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Array(values) => format!("[\n{}\n]", values.iter().map(backwards).collect::<Vec<_>>().join(",\n")),
        leaf => leaf.to_string(),
    }
}

#[test]
fn spacing_comments_and_the_order_of_keys_change_nothing() {
    for id in ALL {
        let text = source(id);
        let table: Table = text.parse().unwrap();
        let top: Vec<String> =
            table.iter().rev().map(|(key, value)| format!("{key} = {}\n", backwards(value))).collect();
        same(id, "the order of keys", &top.concat());
        same(id, "writing it out anew", &toml::to_string(&table).unwrap());
        same(id, "writing it out prettily", &toml::to_string_pretty(&table).unwrap());
        same(id, "comments", &text.replace('\n', " # a comment\n# another \"8.5\"\n\n"));
        same(id, "Windows line ends", &text.replace('\n', "\r\n"));
        same(id, "spacing", &text.replace(" = ", "  =\t").replace("\n[", "\n\n\n  ["));
        let bare: String = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        same(id, "leaving out comments", &bare);
    }
}

#[test]
fn other_ways_to_write_the_same_value_change_nothing() {
    let text = source("rws-roulette-000");
    same("rws-roulette-000", "another base", &text.replace("minimum = 4", "minimum = 0x4"));
    same("rws-roulette-000", "a literal string", &text.replace("odds = \"35\"", "odds = '35'"));
    same("rws-roulette-000", "an escape", &text.replace("odds = \"35\"", "odds = \"\\u0033\\u0035\""));
}

#[test]
fn the_canonical_form_compiles_to_an_equal_rulebook() {
    for id in ALL {
        let rulebook = rulebook(id);
        same(id, "the canonical form", rulebook.canonical());
        assert_eq!(rulebook.hash().to_string(), blake3::hash(rulebook.canonical().as_bytes()).to_string());
        assert!(!rulebook.canonical().contains('#') && !rulebook.canonical().contains("\n\n"));
    }
}

#[test]
fn words_with_any_character_survive_the_canonical_form() {
    let text = source("rws-taisai");
    let strange = "\\\"\\\\ \\u0000 \\u0085 \\t \\n # = \u{2028} 骰 🎲";
    let written = text.replacen("The dealer deals the game.", strange, 1);
    let once = Rulebook::parse("strange.toml", &written).unwrap_or_else(|error| panic!("{error}"));
    let again = Rulebook::parse("strange.toml", once.canonical()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(once, again);
    assert_eq!(once.paragraphs()[1].text.en, "\"\\ \0 \u{85} \t \n # = \u{2028} 骰 🎲");
}

/// Every leaf value under a value, by the steps that lead to it.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let mut below = |step: String, value: &Value| {
        path.push(step);
        leaves(value, path, found);
        path.pop();
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(values) => values.iter().enumerate().for_each(|(place, value)| below(place.to_string(), value)),
        _ => found.push(path.clone()),
    }
}

fn leaf<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, step| match value {
        Value::Table(table) => table.get_mut(step).unwrap(),
        Value::Array(values) => values.get_mut(step.parse::<usize>().unwrap()).unwrap(),
        _ => unreachable!("a leaf has nothing below it"),
    })
}

fn changed(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(format!("{text}1")),
        Value::Integer(figure) => Value::Integer(figure + 1),
        Value::Boolean(truth) => Value::Boolean(!truth),
        other => unreachable!("{other} has no place in a rulebook"),
    }
}

/// Changes every leaf in turn; gives how many changes were coherent.
fn change_every_leaf(id: &str, only: fn(&[String]) -> bool) -> usize {
    let mut root = Value::Table(source(id).parse().unwrap());
    let mut paths = Vec::new();
    leaves(&root, &mut Vec::new(), &mut paths);
    let mut coherent = 0;
    for path in paths.iter().filter(|path| only(path)) {
        let original = leaf(&mut root, path).clone();
        *leaf(&mut root, path) = changed(&original);
        let text = toml::to_string(&root).unwrap();
        if let Ok(found) = Rulebook::parse("changed.toml", &text) {
            coherent += 1;
            assert_ne!(found.hash(), rulebook(id).hash(), "{id}: a change of {} went unnoticed", path.join("."));
            assert_ne!(found, *rulebook(id));
        }
        *leaf(&mut root, path) = original;
    }
    coherent
}

#[test]
fn any_change_of_any_value_is_another_hash_or_an_incoherence() {
    // Words and figures can change and still make sense; spots and paragraphs cannot without the rest.
    for id in ["rws-taisai", "rws-roulette-000"] {
        assert!(change_every_leaf(id, |_| true) > 200, "{id}");
    }
}

#[test]
fn any_change_of_any_odds_is_another_hash() {
    for id in ["rws-sicbo", "rws-sicbo-open", "mbs-sicbo"] {
        let odds = |path: &[String]| path.iter().any(|step| step.starts_with("odds"));
        assert!(change_every_leaf(id, odds) > 5, "{id}");
    }
}
