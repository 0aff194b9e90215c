//! The list of deliberate faults, the code and docs/mutants.md agree. This reads files only: it needs no build with faults.

use crate::common::root;

/// The faults of the list: name, what they break, and the fault.
fn faults() -> Vec<[String; 3]> {
    let list = std::fs::read_to_string(root().join("crates/floor/src/mutants/list.rs")).expect("read");
    let entries = list.split("fault(").skip(1);
    let words = |entry: &str| {
        let mut parts = Vec::new();
        let mut rest = entry;
        while parts.len() < 3 {
            let Some(from) = rest.find('"') else { break };
            let Some(length) = rest[from + 1..].find('"') else { break };
            parts.push(rest[from + 1..from + 1 + length].to_owned());
            rest = &rest[from + length + 2..];
        }
        <[String; 3]>::try_from(parts).ok()
    };
    entries.filter_map(words).collect()
}

#[test]
fn every_fault_is_in_the_code_and_in_the_table_and_no_other() {
    let mut code = String::new();
    let mut folders = vec![root().join("crates/floor/src")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("read").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != "list.rs" && name != "mutants.rs") {
                code.push_str(&std::fs::read_to_string(path).expect("read"));
            }
        }
    }
    let kept = std::fs::read_to_string(root().join("docs/mutants.md")).expect("docs/mutants.md");
    let faults = faults();
    assert!(faults.len() >= 40, "{} faults", faults.len());
    for [name, breaks, fault] in &faults {
        assert!(code.contains(&format!("mutant!(\"{name}\")")), "{name} is nowhere in the code");
        let row = format!("| `{name}` | {breaks} | {fault} | ");
        assert!(kept.contains(&row), "docs/mutants.md is stale: make mutants writes it anew ({name})");
    }
    let head = "| fault | breaks | what is wrong | property | where | without the naive model | scenario |";
    assert!(kept.contains(head), "docs/mutants.md has other columns: make mutants writes it anew");
    let all = format!("\n{0} of {0} faults are caught: ", faults.len());
    assert!(kept.contains(&all), "docs/mutants.md: not every fault is caught");
    assert_eq!(
        kept.matches("\n| `").count(),
        faults.len(),
        "docs/mutants.md has other faults: make mutants writes it anew"
    );
}
