//! The mutation check: every deliberate fault is caught by the exploration or by a scenario.
//!
//! `MUTANTS=one,two` runs some of them, `UPDATE_GOLDEN=1` writes `docs/mutants.md`, `MUTANT_STATES` says how many states of
//! each floor are visited, `KEEP=FOLDER` keeps the commands that show each fault, `CROUPIER_SOURCE` names the folder of the
//! repository where it is not the one in which this was built. It uses all processors.

mod common;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use common::root;
use explore::{Bounds, GAMES, Mechanism, POSTS, Search, Spec, THRESHOLD, floors, insider_bound};
use floor::mutants::{MUTANTS, Mutant, switch_on};
use scenarios::book::{self, Chapter};

fn states() -> usize {
    std::env::var("MUTANT_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_500)
}

/// A fault, and what has caught it so far.
struct Case {
    mutant: &'static Mutant,
    scenario: Mutex<Option<String>>,
    /// The place of the floor among all of them, and what was found there.
    explored: Mutex<Option<(usize, String)>>,
}

impl Case {
    fn of(mutant: &'static Mutant) -> Case {
        Case { mutant, scenario: Mutex::default(), explored: Mutex::default() }
    }

    /// Looks for the fault, with the fault switched on.
    fn look(&self, look: impl FnOnce() -> Option<String>) -> Option<String> {
        switch_on(Some(self.mutant.name));
        let found = catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| Some("panicked".to_owned()));
        switch_on(None);
        found
    }

    fn explored_before(&self, place: usize) -> bool {
        let explored = self.explored.lock().unwrap_or_else(PoisonError::into_inner);
        explored.as_ref().is_some_and(|(found, _)| *found < place)
    }

    /// Of all floors that show a fault the first one is named, whichever search has ended first.
    fn take(&self, place: usize, found: Option<String>) {
        let Some(words) = found else { return };
        let mut explored = self.explored.lock().unwrap_or_else(PoisonError::into_inner);
        if explored.as_ref().is_none_or(|(known, _)| place < *known) {
            *explored = Some((place, words));
        }
    }

    fn caught(&self) -> [Option<String>; 2] {
        let explored = self.explored.lock().unwrap_or_else(PoisonError::into_inner);
        let scenario = self.scenario.lock().unwrap_or_else(PoisonError::into_inner);
        [explored.as_ref().map(|(_, words)| words.clone()), scenario.clone()]
    }
}

/// Does so many jobs on all processors, beginning them in order, and says how far it has come.
fn on_all_processors(what: &str, jobs: usize, job: impl Fn(usize) + Sync) {
    let (begun, next, done) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    let say = |done: usize| {
        let seconds = begun.elapsed().as_secs();
        // Past the capture of the test's output.
        let _ = writeln!(std::io::stderr(), "{what}: {done} of {jobs}, {seconds} s");
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= jobs {
                        break;
                    }
                    job(place);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if done == jobs || done.is_multiple_of(jobs.div_ceil(20)) {
                        say(done);
                    }
                }
            });
        }
    });
}

/// The floors of all documents: the same floor of every document before the next floor, as a fault is mostly found at the
/// first.
fn all_floors() -> Vec<Spec> {
    let most = GAMES.iter().map(|game| floors(game).len()).max().unwrap_or(0);
    let of_place = |place| GAMES.into_iter().filter_map(move |game| floors(game).into_iter().nth(place));
    (0..most).flat_map(of_place).collect()
}

/// What the exploration of one floor says: the document, the floor and the property.
fn by_exploration(case: &Case, spec: &Spec, states: usize) -> Option<String> {
    let bounds = Bounds { states, threads: 1, first: true, ..Bounds::default() };
    let (game, name) = (spec.game, spec.name);
    let Ok(mut search) = Search::of(spec.clone()) else { return Some(format!("{game}, {name}: cannot be set up")) };
    let found = search.run(&bounds, &|_, _, _| {});
    let (property, broken) = found.broken.into_iter().min_by_key(|(_, broken)| broken.depth)?;
    if let Some(folder) = std::env::var_os("KEEP") {
        let lines = explore::to_lines(search.set_up().iter().chain(&broken.commands)).expect("written");
        let file = format!("{}-{game}-{name}.jsonl", case.mutant.name);
        std::fs::write(Path::new(&folder).join(file), lines).expect("kept");
    }
    Some(format!("{game}, {name}: {property} after {} moves", broken.depth))
}

fn by_insider() -> Option<String> {
    for (post, person) in POSTS {
        let found = insider_bound("rws-sicbo", Mechanism::InService, &[person], 1_500);
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

/// Explores every floor with every fault that none before it has shown. A fault takes its turn at one floor before any
/// takes its turn at the next, so that few searches are in vain.
fn explore_all(what: &str, cases: &[&Case], states: usize) {
    let floors = all_floors();
    on_all_processors(what, cases.len() * floors.len(), |job| {
        let (place, case) = (job / cases.len(), cases[job % cases.len()]);
        if !case.explored_before(place) {
            case.take(place, case.look(|| by_exploration(case, &floors[place], states)));
        }
    });
}

/// The book, and the courses of each chapter that fail without any fault: they prove nothing here.
fn courses() -> Vec<(Chapter, Vec<usize>)> {
    let book = book::read(&root().join("scenarios")).unwrap_or_else(|_| panic!("the book cannot be read"));
    let fails = |course: &book::Course| {
        let failed = course.at.iter().find_map(|at| scenarios::on_floor::run(course, at).err());
        failed.inspect(|failed| println!("fails without a fault: line {}: {}", failed.line, failed.words)).is_some()
    };
    let lines = |chapter: &Chapter| chapter.courses.iter().filter(|course| fails(course)).map(|one| one.line).collect();
    book.into_iter().map(|chapter| (lines(&chapter), chapter)).map(|(fail, chapter)| (chapter, fail)).collect()
}

/// What catches each of these faults: the exploration or the insider table, and a scenario.
fn check(mutants: &[&'static Mutant], book: &[(Chapter, Vec<usize>)]) -> BTreeMap<&'static str, [Option<String>; 2]> {
    let cases: Vec<Case> = mutants.iter().map(|mutant| Case::of(mutant)).collect();
    on_all_processors("scenarios", cases.len(), |job| {
        let found = cases[job].look(|| by_scenario(book));
        *cases[job].scenario.lock().unwrap_or_else(PoisonError::into_inner) = found;
    });
    explore_all("exploration", &cases.iter().collect::<Vec<_>>(), states());
    let unexplored = |case: &&Case| case.caught()[0].is_none();
    let left: Vec<&Case> = cases.iter().filter(unexplored).collect();
    on_all_processors("insiders", left.len(), |job| left[job].take(usize::MAX, left[job].look(by_insider)));
    // Only what nothing else catches is worth a long search.
    let left: Vec<&Case> = cases.iter().filter(|case| case.caught().iter().all(Option::is_none)).collect();
    explore_all("longer exploration", &left, 12 * states());
    cases.iter().map(|case| (case.mutant.name, case.caught())).collect()
}

#[test]
fn every_fault_is_caught() {
    let book = courses();
    let wanted = std::env::var("MUTANTS").ok();
    let wanted =
        |mutant: &&Mutant| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == mutant.name));
    let mutants: Vec<&'static Mutant> = MUTANTS.iter().filter(wanted).collect();
    let rows = check(&mutants, &book);
    for (name, found) in &rows {
        println!("{name}: {found:?}");
    }
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
