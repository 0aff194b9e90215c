//! The command line as people and programs use it: the real binary, what it prints and how it exits.

mod amounts;
mod audit;
mod backup;
mod cluster;
#[path = "../common/contents.rs"]
mod contents;
mod device;
mod documents;
mod expand;
mod explore;
mod floor;
mod house;
mod journal;
mod lab;
mod odds;
mod pipe;
mod plain;
mod prorata;
mod receipts;
mod records;
mod report;
mod rules;
mod scenarios;
mod settle;
mod simulate_floor;
mod simulate_system;
mod usage;
mod witness;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The layouts of the approved documents: game, layout, spots, outcomes, winning cells and the players' net result of
/// one unit on every spot over every outcome, as docs/rules.md has them.
const LAYOUTS: [(&str, &str, usize, usize, usize, i64); 10] = [
    ("rws-sicbo", "a", 56, 216, 1834, -688),
    ("rws-sicbo", "b", 104, 216, 2038, -3052),
    ("rws-sicbo", "c", 104, 216, 2038, -3336),
    ("rws-sicbo-open", "a", 56, 216, 1834, -688),
    ("rws-sicbo-open", "b", 104, 216, 2038, -3052),
    ("rws-sicbo-open", "c", 104, 216, 2038, -3336),
    ("rws-taisai", "a", 50, 216, 1528, -864),
    ("mbs-sicbo", "rapid", 104, 216, 2038, -3052),
    ("mbs-sicbo", "alfastreet", 50, 216, 1528, -628),
    ("rws-roulette-000", "a", 165, 39, 555, -495),
];

/// What a run of the program did.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_croupier"));
    program.env_remove("CROUPIER_DATA");
    program
}

/// The top of the repository, where the documents are.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program with these words.
fn croupier<S: AsRef<str>>(words: &[S]) -> Run {
    let output = program().current_dir(root()).args(words.iter().map(S::as_ref)).output().expect("the program starts");
    let run = Run {
        code: output.status.code().expect("it exits by itself"),
        stdout: String::from_utf8(output.stdout).expect("it prints UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("it prints UTF-8"),
    };
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// Runs a command line of plain words.
fn line(line: &str) -> Run {
    croupier(&line.split_whitespace().collect::<Vec<_>>())
}

/// Runs a command line with `--json` and reads the answer.
fn json(words: &str) -> Value {
    let run = line(&format!("{words} --json"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words}: {}", run.stdout);
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// A refusal as a program reads it; checks that standard error has the same in words.
struct Refused {
    code: String,
    paragraph: Option<String>,
    message: String,
}

fn refused<S: AsRef<str>>(words: &[S]) -> Refused {
    let words: Vec<&str> = words.iter().map(S::as_ref).collect();
    let plain = croupier(&words);
    assert_eq!((plain.code, plain.stdout.as_str()), (1, ""), "{words:?}: {}", plain.stderr);

    let run = croupier(&[&["--json"], words.as_slice()].concat());
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{words:?}: {}", run.stdout);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let error = answer.get("error").expect("an error");
    assert!(error.get("paragraph").is_some(), "paragraph is there even if null: {error}");
    let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
    let refused = Refused {
        code: text("code").expect("a code"),
        paragraph: text("paragraph"),
        message: text("message").expect("a message"),
    };
    assert!(plain.stderr.contains(&refused.message), "{:?} says not {:?}", plain.stderr, refused.message);
    if let Some(paragraph) = &refused.paragraph {
        assert!(plain.stderr.contains(&format!("({paragraph})")), "{:?} names not {paragraph}", plain.stderr);
    }
    refused
}

fn refused_line(line: &str) -> Refused {
    refused(&line.split_whitespace().collect::<Vec<_>>())
}

/// Wrong usage: exit code 2, words on standard error, nothing on standard output.
fn misused(words: &str) -> String {
    let run = line(words);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{words}");
    run.stderr
}

/// The strings of a JSON array.
fn strings(value: &Value) -> Vec<Option<&str>> {
    value.as_array().expect("an array").iter().map(Value::as_str).collect()
}
