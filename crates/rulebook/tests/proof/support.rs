//! What the tests share.

use std::path::PathBuf;

use rulebook::{Layout, OutcomeIndex, Rulebook, SpotIndex, library};

/// The rulebook of that id.
pub fn rulebook(id: &str) -> &'static Rulebook {
    match library::all() {
        Ok(all) => all.iter().find(|rulebook| rulebook.id() == id).unwrap_or_else(|| panic!("no rulebook {id}")),
        Err(incoherence) => panic!("{incoherence}"),
    }
}

/// A layout of a rulebook.
pub fn layout(game: &str, layout: &str) -> &'static Layout {
    rulebook(game).layout(layout).unwrap_or_else(|| panic!("{game} has no layout {layout}"))
}

/// The text of a rulebook file.
pub fn source(id: &str) -> String {
    let file = format!("rulebooks/{id}.toml");
    library::sources().find(|(name, _)| *name == file).unwrap_or_else(|| panic!("no file {file}")).1
}

/// The outcome of that text.
pub fn outcome(game: &str, text: &str) -> OutcomeIndex {
    rulebook(game).outcomes().parse(text).unwrap_or_else(|error| panic!("{game}: {error}"))
}

/// The text of a spot.
pub fn name(layout: &Layout, spot: SpotIndex) -> String {
    layout.table().spot(spot).expect("a place of this table").spot.to_string()
}

/// The spots that win on an outcome, sorted.
pub fn lit(game: &str, layout: &str, text: &str) -> Vec<String> {
    let found = self::layout(game, layout);
    let mut lit: Vec<String> = found.table().lit(outcome(game, text)).map(|spot| name(found, spot)).collect();
    lit.sort();
    lit
}

/// A golden file in the folder of tests.
pub fn golden(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(file)
}

/// Whether to rewrite the golden files.
pub fn updating() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1")
}

/// Compares a text with a golden file, or writes the file; `explain` says more when they differ.
pub fn check_golden(file: &str, actual: &str, explain: impl FnOnce() -> String) {
    let path = golden(file);
    if updating() {
        std::fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "tests/{file} does not hold.\n--- expected\n{expected}--- found\n{actual}---\n{}\nIf the change is meant: UPDATE_GOLDEN=1 cargo test -p rulebook",
        explain()
    );
}
