//! The mutation check: every deliberate fault is caught by the exploration or by a scenario.
//!
//! `MUTANTS=one,two` runs some of them, `UPDATE_GOLDEN=1` writes `docs/mutants.md`, `MUTANT_STATES` says how many states of
//! each floor are visited, `KEEP=FILE` keeps the commands that show a fault.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use explore::{Bounds, GAMES, POSTS, Search, THRESHOLD, floors, insider_bound};
use floor::mutants::{MUTANTS, Mutant, switch_on};
use scenarios::book::{self, Chapter};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn states() -> usize {
    std::env::var("MUTANT_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_500)
}

/// What the exploration says: the document, the floor and the property. What a short search does not find, a longer one may.
fn by_exploration(states: usize) -> Option<String> {
    let bounds = Bounds { states, threads: 1, first: true, ..Bounds::default() };
    // The same floor of every document before the next floor: a fault is mostly found at the first.
    let most = GAMES.iter().map(|game| floors(game).len()).max().unwrap_or(0);
    for place in 0..most {
        for game in GAMES {
            let Some(spec) = floors(game).into_iter().nth(place) else { continue };
            let name = spec.name;
            let Ok(mut search) = Search::of(spec) else { return Some(format!("{game}, {name}: cannot be set up")) };
            let found = search.run(&bounds, &|_, _, _| {});
            if let Some((property, broken)) = found.broken.into_iter().min_by_key(|(_, broken)| broken.depth) {
                if let Some(file) = std::env::var_os("KEEP") {
                    let lines = explore::to_lines(search.set_up().iter().chain(&broken.commands)).expect("written");
                    std::fs::write(file, lines).expect("kept");
                }
                return Some(format!("{game}, {name}: {property} after {} moves", broken.depth));
            }
        }
    }
    None
}

fn by_insider() -> Option<String> {
    for (post, person) in POSTS {
        let found = insider_bound("rws-sicbo", true, &[person], 1_500);
        match found {
            Ok(bound) if bound.house.max(bound.players) <= THRESHOLD => {}
            Ok(_) => return Some(format!("rws-sicbo: insider, a {post} alone")),
            Err(words) => return Some(format!("rws-sicbo: insider, {words}")),
        }
    }
    None
}

fn by_scenario(book: &[(Chapter, Vec<usize>)]) -> Option<String> {
    for (chapter, fail) in book {
        for course in chapter.courses.iter().filter(|course| !fail.contains(&course.line)) {
            for document in &course.at {
                if scenarios::on_floor::run(course, document).is_err() {
                    return Some(format!("scenarios/{}:{}", chapter.name, course.line));
                }
            }
        }
    }
    None
}

/// What caught a fault: the exploration, the insider table, and a scenario.
fn caught(mutant: &Mutant, book: &[(Chapter, Vec<usize>)]) -> [Option<String>; 2] {
    switch_on(Some(mutant.name));
    let panicked = |_| Some("panicked".to_owned());
    let scenario = std::panic::catch_unwind(|| by_scenario(book)).unwrap_or_else(panicked);
    // Only what nothing else catches is worth a long search.
    let longer = || if scenario.is_none() { by_exploration(12 * states()) } else { None };
    let explored = || by_exploration(states()).or_else(by_insider).or_else(longer);
    let explored = std::panic::catch_unwind(std::panic::AssertUnwindSafe(explored)).unwrap_or_else(panicked);
    switch_on(None);
    [explored, scenario]
}

/// The book, and the courses of each chapter that fail without any fault: they prove nothing here.
fn courses() -> Vec<(Chapter, Vec<usize>)> {
    let book = book::read(&book::folder()).unwrap_or_else(|_| panic!("the book cannot be read"));
    let fails = |course: &book::Course| {
        let failed = course.at.iter().find_map(|at| scenarios::on_floor::run(course, at).err());
        failed.inspect(|failed| println!("fails without a fault: line {}: {}", failed.line, failed.words)).is_some()
    };
    let lines = |chapter: &Chapter| chapter.courses.iter().filter(|course| fails(course)).map(|one| one.line).collect();
    book.into_iter().map(|chapter| (lines(&chapter), chapter)).map(|(fail, chapter)| (chapter, fail)).collect()
}

#[test]
fn every_fault_is_caught() {
    let book = courses();
    let wanted = std::env::var("MUTANTS").ok();
    let wanted =
        |mutant: &&Mutant| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == mutant.name));
    let mutants: Vec<&Mutant> = MUTANTS.iter().filter(wanted).collect();
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = caught(mutant, &book);
                    println!("{}: {found:?}", mutant.name);
                    rows.lock().expect("no panic").insert(mutant.name, found);
                }
            });
        }
    });
    let rows = rows.into_inner().expect("no panic");
    let missed: Vec<&str> =
        rows.iter().filter(|(_, found)| found.iter().all(Option::is_none)).map(|(name, _)| *name).collect();
    if mutants.len() == MUTANTS.len() && std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(root().join("docs/mutants.md"), table(&rows)).expect("written");
    }
    assert!(missed.is_empty(), "nothing catches {missed:?}");
    // A book that fails by itself would catch nothing, and this test would not show it.
    let courses: usize = book.iter().map(|(chapter, _)| chapter.courses.len()).sum();
    let fail: usize = book.iter().map(|(_, fail)| fail.len()).sum();
    assert!(fail * 10 < courses, "{fail} of {courses} courses fail without a fault");
}

fn table(rows: &BTreeMap<&str, [Option<String>; 2]>) -> String {
    let mut text = format!(
        "# Deliberate faults and what caught them\n\nEach fault is switched on alone in the floor; then the exploration \
         visits up to {} states of every small floor, and the scenario book is run. Made by `make mutants`; \
         `crates/explore/MUTANTS.md` says how to add one.\n\n{} of {} faults are caught.\n\n\
         | fault | breaks | what is wrong | exploration | scenario |\n| --- | --- | --- | --- | --- |\n",
        states(),
        rows.values().filter(|found| found.iter().any(Option::is_some)).count(),
        rows.len()
    );
    for mutant in MUTANTS {
        let Some([explored, scenario]) = rows.get(mutant.name) else { continue };
        let cell = |found: &Option<String>| found.clone().unwrap_or_else(|| "–".to_owned());
        let (explored, scenario) = (cell(explored), cell(scenario));
        text.push_str(&format!(
            "| `{}` | {} | {} | {explored} | {scenario} |\n",
            mutant.name, mutant.breaks, mutant.fault
        ));
    }
    text
}

#[test]
fn every_fault_that_is_listed_is_in_the_code_and_in_the_table() {
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
    let kept = std::fs::read_to_string(root().join("docs/mutants.md")).unwrap_or_default();
    for mutant in MUTANTS {
        assert!(code.contains(&format!("mutant!(\"{}\")", mutant.name)), "{} is nowhere in the code", mutant.name);
        let listed = kept.contains(&format!("| `{}` |", mutant.name)) || std::env::var_os("UPDATE_GOLDEN").is_some();
        assert!(listed, "docs/mutants.md is stale: make mutants writes it anew ({})", mutant.name);
    }
}
