//! The commands in the documents do what the documents show.
//!
//! In a block of ```` ```console ````, a line `$ croupier …` is run, and what stands below it must be what is printed; a
//! line `…` stands for any lines. `UPDATE_GOLDEN=1 cargo test -p croupier` writes what is printed into the documents,
//! except where they leave lines out.

use std::collections::BTreeSet;

use crate::{croupier, root};

#[test]
fn readme() {
    check("README.md", 1);
}

#[test]
fn command_line() {
    check("docs/command-line.md", 10);
}

#[test]
fn operations() {
    check("docs/operations.md", 4);
}

#[test]
fn lab() {
    check("docs/lab.md", 1);
}

#[test]
fn rules() {
    check("docs/rules.md", 2);
}

/// Every test that the security chapter names exists, and every row names one.
#[test]
fn the_tests_in_the_security_tables_exist() {
    let text = std::fs::read_to_string(root().join("docs/operations.md")).expect("docs/operations.md");
    let chapter = text.split_once("\n## Security\n").expect("the chapter").1;
    let chapter = chapter.split_once("\n## ").map_or(chapter, |(chapter, _)| chapter);
    let tests = tests_below(root().join("crates"));
    let mut rows = 0;
    for section in ["\n### Threats\n", "\n### OWASP ASVS\n"] {
        let section = chapter.split_once(section).expect(section).1;
        let section = section.split_once("\n### ").map_or(section, |(section, _)| section);
        for row in section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).skip(1) {
            let cell = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
            let named: Vec<&str> = cell.split('`').skip(1).step_by(2).filter(|name| is_test_name(name)).collect();
            for name in &named {
                assert!(tests.contains(*name), "docs/operations.md names a test that is not there: {name}");
            }
            let said = ["the same", "–", "web/tests/"].iter().any(|words| cell.contains(words));
            assert!(!named.is_empty() || said, "docs/operations.md: a row without a test: {row}");
            rows += 1;
        }
    }
    assert!(rows > 80, "{rows} rows");
}

/// Every attack that is tested is in the table of threats or that of the ASVS.
#[test]
fn every_test_of_an_attack_is_in_the_security_tables() {
    let text = std::fs::read_to_string(root().join("docs/operations.md")).expect("docs/operations.md");
    let chapter = text.split_once("\n### Threats\n").expect("the threats").1;
    let chapter = chapter.split_once("\n## ").map_or(chapter, |(chapter, _)| chapter);
    // That an attack succeeded once does not say what stops it now.
    let (above, rest) = chapter.split_once("\n### The program before\n").expect("the program before");
    let (before, below) = rest.split_once("\n### ").expect("the ASVS");
    let attacks = tests_below(root().join("crates/host/tests/e2e/attacks"));
    assert!(attacks.len() > 60, "{} attacks", attacks.len());
    for attack in attacks {
        let named = [above, below].iter().any(|part| part.contains(&format!("`{attack}`")));
        assert!(named, "docs/operations.md: no row of the security tables names the test {attack}");
    }
    let tests = tests_below(root().join("crates"));
    for row in before.lines().filter(|line| line.starts_with("| `")) {
        let test = row.split('`').nth(1).unwrap_or_default();
        assert!(tests.contains(test), "docs/operations.md names a test that is not there: {test}");
    }
}

/// Every attack is tried over plain text and TLS, alone and on a cluster, or docs/operations.md says why not.
#[test]
fn an_attack_that_is_not_tried_everywhere_is_in_the_list_of_exceptions() {
    let text = std::fs::read_to_string(root().join("docs/operations.md")).expect("docs/operations.md");
    let list = text.split_once("\n### Where the attacks are tried\n").expect("the list").1;
    let list = list.split_once("\n### ").map_or(list, |(list, _)| list);
    let rows = list.lines().filter(|line| line.starts_with("| `"));
    let listed: BTreeSet<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let folder = root().join("crates/host/tests/e2e/attacks");
    let clustered = std::fs::read_to_string(folder.join("clustered.rs")).expect("clustered.rs");
    let mut exceptions = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with("clustered.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file");
        for test in text.split("#[tokio::test").skip(1) {
            let test = test.split_once("\n}\n").map_or(test, |(test, _)| test);
            let name = test.split_once("fn ").and_then(|(_, rest)| rest.split_once('(')).expect("a name").0;
            if !(is_tried_alone(test) && is_tried_on_a_cluster(test, &clustered)) {
                exceptions.insert(name.to_owned());
            }
        }
    }
    let exceptions: BTreeSet<&str> = exceptions.iter().map(String::as_str).collect();
    assert_eq!(listed, exceptions, "docs/operations.md, \"Where the attacks are tried\"");
}

/// Over plain text and over TLS, by what a test calls.
fn is_tried_alone(test: &str) -> bool {
    ["over_both(", "both()", "both_with("].iter().any(|call| test.contains(call))
}

/// Whether the attack that a test runs is one of those that are tried on a cluster.
fn is_tried_on_a_cluster(test: &str, clustered: &str) -> bool {
    let named = |attack: &str| {
        [format!("::{attack},"), format!("::{attack}]"), format!("{attack}(host"), format!("{attack}(two)")]
            .iter()
            .any(|call| clustered.contains(call))
    };
    let handed = test.split("over_both(").skip(1).filter_map(|rest| rest.split_once(')'));
    let called = test.match_indices("(&host").filter_map(|(place, _)| test[..place].rsplit([' ', '(']).next());
    handed.map(|(attack, _)| attack).chain(called).any(named)
}

/// Every section of the ASVS has a row, or is one of those that do not apply.
#[test]
fn every_section_of_the_asvs_is_spoken_of() {
    // Version 4.0.3; for each chapter, how many sections it has. 1.3 and 1.13 are empty there.
    const CHAPTERS: [u8; 14] = [14, 10, 7, 3, 5, 4, 4, 3, 2, 3, 1, 6, 4, 5];
    let text = std::fs::read_to_string(root().join("docs/operations.md")).expect("docs/operations.md");
    let chapter = text.split_once("\n### OWASP ASVS\n").expect("the chapter").1;
    let chapter = chapter.split_once("\n## ").map_or(chapter, |(chapter, _)| chapter);
    let words: BTreeSet<&str> = chapter.split([' ', ',', '|', '\n', '(', ')']).collect();
    for (number, sections) in (1..).zip(CHAPTERS) {
        for section in (1..=sections).filter(|section| number != 1 || ![3, 13].contains(section)) {
            let (whole, own) = (format!("V{number}"), format!("V{number}.{section}"));
            assert!(
                words.contains(whole.as_str()) || words.contains(own.as_str()),
                "docs/operations.md: {own} is missing"
            );
        }
    }
}

/// A name of a function, and not of a file or setting.
fn is_test_name(name: &str) -> bool {
    name.matches('_').count() > 2
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The names of all functions below a folder that are tests.
fn tests_below(folder: std::path::PathBuf) -> BTreeSet<String> {
    let mut folders = vec![folder];
    let mut tests = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                for test in text.split("#[test]").skip(1).chain(text.split("#[tokio::test").skip(1)) {
                    let name = test.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
                    tests.extend(name.map(|(name, _)| name.to_owned()));
                }
            }
        }
    }
    tests
}

const FENCE: &str = "```";

/// Checks every command of a document, of which there are at least so many.
fn check(document: &str, least: usize) {
    let path = root().join(document);
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let text = std::fs::read_to_string(&path).expect(document);
    let mut updated = String::new();
    let mut commands = 0;
    for (place, part) in text.split("```console\n").enumerate() {
        if place == 0 {
            updated.push_str(part);
            continue;
        }
        let (block, rest) = part.split_once(FENCE).expect("a block ends");
        updated.push_str("```console\n");
        for (place, example) in block.split("$ ").enumerate().skip(1) {
            let (command, expected) = example.split_once('\n').expect("a command ends its line");
            updated.push_str(&format!("$ {command}\n"));
            let Some(words) = command.strip_prefix("croupier ") else {
                updated.push_str(expected);
                continue;
            };
            let run = croupier(&words.split_whitespace().collect::<Vec<_>>());
            let printed = format!("{}{}", run.stdout, run.stderr);
            let agree = matches(&lines(expected), &lines(&printed));
            if update && !agree && !lines(expected).contains(&"…") {
                let more = block.split("$ ").count() > place + 1;
                updated.push_str(&format!("{}\n{}", printed.trim_end(), if more { "\n" } else { "" }));
            } else {
                assert!(agree, "{document}: $ {command}\nprints\n{printed}");
                updated.push_str(expected);
            }
            commands += 1;
        }
        updated.push_str(&format!("{FENCE}{rest}"));
    }
    if update {
        std::fs::write(&path, updated).expect(document);
    } else {
        assert_eq!(updated, text, "{document} is taken apart and put together again");
    }
    assert!(commands >= least, "{document} has {commands} commands");
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        [first, rest @ ..] => printed.first() == Some(first) && matches(rest, &printed[1..]),
    }
}
