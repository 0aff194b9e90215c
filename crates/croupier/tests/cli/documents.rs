//! The commands in the documents do what the documents show.
//!
//! In a block of ```` ```console ````, a line `$ croupier …` is run, and what stands below it must be what is printed; a
//! line `…` stands for any lines. `UPDATE_GOLDEN=1 cargo test -p croupier` writes what is printed into the documents,
//! except where they leave lines out.

use crate::{croupier, root};

#[test]
fn readme() {
    check("README.md", 6);
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
