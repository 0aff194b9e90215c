//! Plain English in documents and comments: the words below made earlier texts read like a translation. Name the person
//! or the part that acts instead.

use std::path::{Path, PathBuf};

use crate::root;

/// Words to avoid, and what to write instead.
const WORDS: [(&str, &str); 5] = [
    ("whoever", "the person, client or host"),
    ("somebody", "a person, another host"),
    ("nobody", "no one, no client, there is no leader"),
    ("anybody", "anyone, any client"),
    ("everybody", "everyone, every client"),
];

#[test]
fn documents_are_in_plain_english() {
    let mut found = Vec::new();
    let mut documents = files(&root().join("docs"), &["md", "toml"]);
    documents.extend(["README.md", "web/README.md", "scenarios/README.md"].map(|name| root().join(name)));
    for path in &documents {
        // These two are generated: they quote the documents and the names of tests.
        if path.ends_with("docs/clauses.md") || path.ends_with("docs/mutants.md") {
            continue;
        }
        let mut in_block = false;
        for (place, line) in read(path).lines().enumerate() {
            if line.starts_with("```") {
                in_block = !in_block;
            } else if !in_block {
                found.extend(avoided(path, place, line));
            }
        }
    }
    assert!(documents.len() > 12, "{} documents", documents.len());
    assert!(found.is_empty(), "words to avoid:\n{}", found.join("\n"));
}

#[test]
fn comments_are_in_plain_english() {
    // A comment that describes a part of the API changes together with the contract.
    let contract = read(&root().join("openapi.json"));
    let (mut found, mut comments) = (Vec::new(), 0);
    let mut sources = files(&root().join("crates"), &["rs"]);
    sources.extend(files(&root().join("web/src"), &["ts", "svelte"]).into_iter().filter(|path| !is_generated(path)));
    for path in &sources {
        for (place, line) in read(path).lines().enumerate() {
            let line = line.trim_start();
            let comment = ["//", "/*", "* "].iter().any(|mark| line.starts_with(mark));
            let words = line.trim_start_matches(['/', '!', '*']).trim();
            if comment && !contract.contains(words) {
                comments += 1;
                found.extend(avoided(path, place, words));
            }
        }
    }
    assert!(comments > 5_000, "{comments} lines of comments");
    assert!(found.is_empty(), "words to avoid:\n{}", found.join("\n"));
}

#[test]
fn a_word_to_avoid_is_found_and_names_are_left_alone() {
    let found = |line: &str| !avoided(Path::new("docs/example.md"), 0, line).is_empty();
    assert!(found("Nobody's bet is lost, whoever leads."));
    assert!(!found("The test `wrong_passwords_lock_nobody_out` and no one else."));
}

/// The complaint about each word to avoid in a line. A name such as `opens_for_nobody` is one word.
fn avoided(path: &Path, place: usize, line: &str) -> Vec<String> {
    let words: Vec<String> =
        line.split(|sign: char| !sign.is_alphanumeric() && sign != '_').map(|word| word.to_lowercase()).collect();
    WORDS
        .iter()
        .filter(|(word, _)| words.iter().any(|found| found == word))
        .map(|(word, instead)| format!("{}:{}: '{word}': write {instead}", path.display(), place + 1))
        .collect()
}

/// Types made from the contract.
fn is_generated(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".d.ts")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder whose names end so.
pub fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| extensions.iter().any(|extension| end == *extension)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
