//! The house is as `docs/architecture.md` says: its map names every crate, dependencies point upward in it, every path that a
//! document names exists, and no file or function grows long unnoticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::plain::files;
use crate::root;

/// A file of more lines than this is on the list, and so is a function.
const FILE: usize = 500;
const FUNCTION: usize = 70;
const LIST: &str = "crates/croupier/tests/cli/long.txt";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates in the order of the map.
fn map() -> Vec<String> {
    let page = read(&root().join("docs/architecture.md"));
    let crates = page.lines().filter_map(|line| line.strip_prefix("crates/")?.split_once('/'));
    crates.filter(|(_, rest)| rest.starts_with(' ')).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_map_names_every_crate_and_dependencies_point_upward_in_it() {
    let map = map();
    let crates = std::fs::read_dir(root().join("crates")).expect("crates");
    let crates: BTreeSet<String> =
        crates.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(map.iter().cloned().collect::<BTreeSet<_>>(), crates, "the map in docs/architecture.md");
    let place = |name: &str| map.iter().position(|known| known == name);
    let mut wrong = Vec::new();
    for (at, name) in map.iter().enumerate() {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let needs = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        for line in needs.take_while(|line| !line.starts_with('[')) {
            let need = line.split(['.', ' ', '=']).next().unwrap_or(line);
            if place(need).is_some_and(|above| above > at) {
                wrong.push(format!("{name} -> {need}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these point downward in the map: {}", wrong.join(", "));
}

#[test]
fn every_path_in_a_document_exists() {
    let mut documents = files(&root().join("docs"), &["md"]);
    documents
        .extend(["README.md", "web/README.md", "scenarios/README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let (mut named, mut missing) = (0, Vec::new());
    for document in documents {
        for (at, line) in read(&document).lines().enumerate() {
            // What is between two of these signs is a name of code, and not part of the sentence.
            for name in line.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
                named += 1;
                let name = name.split(['#', ':']).next().unwrap_or(name).trim_end_matches('/');
                let from = [root(), root().join("crates"), root().join("web")];
                if !from.iter().any(|from| from.join(name).exists()) {
                    missing.push(format!("{}:{}: {name}", document.display(), at + 1));
                }
            }
        }
    }
    assert!(named > 100, "{named} paths");
    assert!(missing.is_empty(), "not there:\n{}", missing.join("\n"));
}

/// Whether this is the path of a source: in a folder of the repository, without places to be filled in.
fn is_path(name: &str) -> bool {
    let folders = ["crates/", "docs/", "web/", "deploy/", "tools/", "scenarios/", "examples/", "rulebooks/"];
    let sources = folders.iter().any(|folder| name.starts_with(folder)) || name.contains("/src/");
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-#:".contains(sign);
    sources && name.chars().all(plain) && !name.starts_with("web/dist")
}

/// Files and functions that are too long, with their lengths: those known are in a list, which only gets shorter. With
/// `UPDATE_GOLDEN=1` the list follows what has become shorter; what is longer is a matter for the author of the change.
#[test]
fn long_files_and_functions_are_on_a_list_that_gets_shorter() {
    let found = long();
    let known = read(&root().join(LIST));
    let known: BTreeMap<&str, usize> = known
        .lines()
        .filter_map(|line| line.split_once(' ').and_then(|(lines, name)| Some((name, lines.parse().ok()?))))
        .collect();
    let longer: Vec<String> = found
        .iter()
        .filter(|(name, lines)| known.get(name.as_str()).is_none_or(|allowed| *lines > allowed))
        .map(|(name, lines)| format!("{lines} {name}"))
        .collect();
    assert!(longer.is_empty(), "longer than {LIST} allows; make them shorter:\n{}", longer.join("\n"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let mut list = String::new();
        found.iter().for_each(|(name, lines)| writeln!(list, "{lines} {name}").expect("text"));
        std::fs::write(root().join(LIST), list).expect("written");
        return;
    }
    let gone: Vec<&&str> = known.keys().filter(|name| !found.contains_key(**name)).collect();
    assert!(gone.is_empty(), "no longer long, so no longer on the list (UPDATE_GOLDEN=1 takes them out): {gone:?}");
}

fn long() -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for path in
        files(&root().join("crates"), &["rs"]).into_iter().filter(|path| path.to_string_lossy().contains("/src/"))
    {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        for (at, line) in lines.iter().enumerate() {
            let Some((indent, function)) = function(line) else { continue };
            let length = length(&lines[at..], &indent);
            if length > FUNCTION {
                found.insert(format!("{name} {function}"), length);
            }
        }
        if lines.len() > FILE {
            found.insert(name, lines.len());
        }
    }
    found
}

/// The indentation and the name of the function that a line begins.
fn function(line: &str) -> Option<(String, &str)> {
    let begun = line.trim_start();
    let indent = line[..line.len() - begun.len()].to_owned();
    let mut words = begun.split(' ');
    let name = loop {
        match words.next()? {
            "pub" | "pub(crate)" | "pub(super)" | "const" | "async" => {}
            "fn" => break words.next()?,
            _ => return None,
        }
    };
    Some((indent, name.split(['(', '<']).next().unwrap_or(name)))
}

/// The lines of a function, as rustfmt sets it: it ends with a brace at its own indentation, or is a declaration only.
fn length(lines: &[&str], indent: &str) -> usize {
    let end = format!("{indent}}}");
    let ends = |(at, line): (usize, &&str)| {
        let declared = at == 0 || line.strip_prefix(indent).is_some_and(|rest| rest.starts_with(')'));
        *line == end || (declared && line.ends_with(';')) || (at == 0 && line.ends_with('}'))
    };
    lines.iter().enumerate().position(ends).map_or(lines.len(), |at| at + 1)
}

#[test]
fn lengths_are_those_of_whole_functions() {
    let text = "impl Floor {\n    pub fn one(&self) {\n        a();\n    }\n\n    fn declared(&self,\n        b: u8,\n    ) -> u8;\n}";
    let lines: Vec<&str> = text.lines().collect();
    let of = |at: usize| function(lines[at]).map(|(indent, name)| (name, length(&lines[at..], &indent)));
    assert_eq!(of(1), Some(("one", 3)));
    assert_eq!(of(5), Some(("declared", 3)));
    assert_eq!(of(0), None);
}
