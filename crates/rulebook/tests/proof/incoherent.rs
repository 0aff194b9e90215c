//! Rulebooks that are not coherent, and the one message each must get.
//!
//! A fixture is a coherent rulebook with something changed, so that it shows only what is wrong:
//!
//! ```text
//! # What is wrong.
//! base: rws-sicbo            the rulebook to change; "nothing" for an empty file
//! replace: some text         the first place where it stands …
//! with: other text           … becomes this; there may be several such pairs
//! | and a second line of it
//! at: other                  the text that the message points at; without it the beginning of the file
//! expect: what is wrong      the message after file, line and column
//! ```

use std::path::Path;

use rulebook::Rulebook;

use crate::support::{golden, source, updating};

#[derive(Default)]
struct Fixture {
    base: String,
    edits: Vec<(String, String)>,
    at: Option<String>,
    expect: String,
}

fn read(text: &str) -> Fixture {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix('|'), line.split_once(':')) {
            (Some(more), _) => {
                let (_, value) = fields.last_mut().expect("a line that goes on begins somewhere");
                value.push('\n');
                value.push_str(more.strip_prefix(' ').unwrap_or(more));
            }
            (None, Some((key, value))) => {
                fields.push((key.to_owned(), value.strip_prefix(' ').unwrap_or(value).to_owned()));
            }
            (None, None) => panic!("\"{line}\" is no line of a fixture"),
        }
    }
    let mut fixture = Fixture::default();
    for (key, value) in fields {
        match key.as_str() {
            "base" => fixture.base = value,
            "replace" => fixture.edits.push((value, String::new())),
            "with" => fixture.edits.last_mut().expect("replace stands before with").1 = value,
            "at" => fixture.at = Some(value),
            "expect" => fixture.expect = value,
            other => panic!("\"{other}\" is no part of a fixture"),
        }
    }
    fixture
}

/// The file with its changes, and where the first of them begins.
fn apply(fixture: &Fixture) -> (String, usize) {
    let mut text = if fixture.base == "nothing" { String::new() } else { source(&fixture.base) };
    let mut first = None;
    for (replace, with) in &fixture.edits {
        let place = text.find(replace.as_str()).unwrap_or_else(|| panic!("{} has no \"{replace}\"", fixture.base));
        text.replace_range(place..place + replace.len(), with);
        first = first.or(Some(place));
    }
    (text, first.unwrap_or(0))
}

/// The whole message that the fixture must get.
fn expected(fixture: &Fixture, text: &str, changed: usize) -> String {
    let place = match &fixture.at {
        None => 0,
        Some(at) => text[changed..]
            .find(at.as_str())
            .map(|place| changed + place)
            .or_else(|| text.find(at.as_str()))
            .unwrap_or_else(|| panic!("the changed {} has no \"{at}\"", fixture.base)),
    };
    let before = &text[..place];
    let line = before.matches('\n').count() + 1;
    let column = before.lines().last().filter(|_| !before.ends_with('\n')).unwrap_or("").chars().count() + 1;
    format!("{}.toml:{line}:{column}: {}", fixture.base, fixture.expect)
}

fn update(path: &Path, text: &str, message: &str) {
    let kept: String =
        text.lines().filter(|line| !line.starts_with("expect:")).map(|line| format!("{line}\n")).collect();
    std::fs::write(path, format!("{kept}expect: {message}\n")).unwrap();
}

#[test]
fn every_incoherent_rulebook_gets_its_one_clear_message() {
    let mut paths: Vec<_> =
        std::fs::read_dir(golden("incoherent")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 100, "only {} fixtures", paths.len());
    let mut wrong = String::new();
    for path in paths {
        let fixture_text = std::fs::read_to_string(&path).unwrap();
        let fixture = read(&fixture_text);
        let (text, changed) = apply(&fixture);
        let file = format!("{}.toml", fixture.base);
        let name = path.file_stem().unwrap().to_string_lossy();
        match Rulebook::parse(&file, &text) {
            Ok(_) => wrong += &format!("{name}: coherent, but expected\n  {}\n", fixture.expect),
            Err(found) if updating() => update(&path, &fixture_text, &found.message),
            Err(found) => {
                let expected = expected(&fixture, &text, changed);
                if found.to_string() != expected {
                    wrong += &format!("{name}:\n  expected {expected}\n  found    {found}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_fixtures_are_changes_of_coherent_rulebooks() {
    for id in ["rws-sicbo", "rws-sicbo-open", "rws-taisai", "mbs-sicbo", "rws-roulette-000", "roulette-double-zero"] {
        if let Err(incoherence) = Rulebook::parse("base.toml", &source(id)) {
            panic!("{incoherence}");
        }
    }
}

#[test]
fn a_place_is_counted_in_lines_and_characters_from_one() {
    let text = source("rws-taisai").replacen("zh = \"大细\" }", "zh = \"大细\", 大 = 1 }", 1);
    let found = Rulebook::parse("rulebooks/rws-taisai.toml", &text).unwrap_err();
    let line = text.lines().position(|line| line.contains("大 = 1")).unwrap();
    let column = text.lines().nth(line).unwrap().split("大 = 1").next().unwrap().chars().count();
    assert_eq!((found.file.as_str(), found.line, found.column), ("rulebooks/rws-taisai.toml", line + 1, column + 1));
}
