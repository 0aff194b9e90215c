//! The mutation check: every deliberate fault is caught by the exploration or by a scenario.
//!
//! `MUTANTS=one,two` runs some of them, `UPDATE_GOLDEN=1` writes `docs/mutants.md`, `MUTANTS_TABLE=FILE` writes the table to
//! another file, after each stage, `MUTANT_STATES` says how many states of each floor are visited, `KEEP=FOLDER` keeps the
//! commands that show each fault, `CROUPIER_SOURCE` names the folder of the repository where it is not the one in which this
//! was built. It uses all processors.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::common::root;
use explore::{Bounds, GAMES, Mechanism, POSTS, Property, Search, Spec, THRESHOLD, floors, insider_bound};
use floor::mutants::{MUTANTS, Mutant, switch_on};
use scenarios::book::{self, Chapter};

fn states() -> usize {
    std::env::var("MUTANT_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_500)
}

/// What caught a fault: a property (or what else showed it), and where.
#[derive(Clone, Debug)]
struct Catch {
    property: String,
    at: String,
}

impl Catch {
    fn new(property: impl Into<String>, at: impl Into<String>) -> Catch {
        Catch { property: property.into(), at: at.into() }
    }
}

/// What caught a fault on the first floor that shows it, with the place of that floor among all of them.
type First = Mutex<Option<(usize, Catch)>>;

/// A fault, and what has caught it so far.
struct Case {
    mutant: &'static Mutant,
    scenario: Mutex<Option<Catch>>,
    /// By every property.
    explored: First,
    /// By a property other than the agreement of the naive model.
    beside: First,
}

/// What catches a fault: every property, the properties beside the naive model, and the scenarios.
type Row = [Option<Catch>; 3];

impl Case {
    fn of(mutant: &'static Mutant) -> Case {
        Case { mutant, scenario: Mutex::default(), explored: Mutex::default(), beside: Mutex::default() }
    }

    fn first(&self, with_model: bool) -> &First {
        if with_model { &self.explored } else { &self.beside }
    }

    /// Looks for the fault, with the fault switched on.
    fn look(&self, look: impl FnOnce() -> Option<Catch>) -> Option<Catch> {
        switch_on(Some(self.mutant.name));
        let found = catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| Some(Catch::new("panic", "a panic")));
        switch_on(None);
        found
    }

    fn explored_before(&self, with_model: bool, place: usize) -> bool {
        lock(self.first(with_model)).as_ref().is_some_and(|(found, _)| *found < place)
    }

    /// Of all floors that show a fault the first one is named, whichever search has ended first.
    fn take(&self, with_model: bool, place: usize, found: Option<Catch>) {
        let Some(found) = found else { return };
        let mut first = lock(self.first(with_model));
        if first.as_ref().is_none_or(|(known, _)| place < *known) {
            *first = Some((place, found));
        }
    }

    fn caught(&self) -> Row {
        let first = |with_model| lock(self.first(with_model)).as_ref().map(|(_, found)| found.clone());
        [first(true), first(false), lock(&self.scenario).clone()]
    }

    fn is_caught(&self) -> bool {
        self.caught().iter().any(Option::is_some)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

/// What the exploration of one floor finds broken, with or without the naive model.
fn by_exploration(case: &Case, spec: &Spec, with_model: bool, states: usize) -> Option<Catch> {
    let bounds = Bounds { states, threads: 1, first: true, ..Bounds::default() };
    let (game, name) = (spec.game, spec.name);
    let Ok(search) = Search::of(spec.clone()) else {
        return Some(Catch::new("set-up", format!("{game}, {name}: cannot be set up")));
    };
    let mut search = if with_model { search } else { search.without_second_opinion() };
    let found = search.run(&bounds, &|_, _, _| {});
    let (property, broken) = found.broken.into_iter().min_by_key(|(_, broken)| broken.depth)?;
    if let Some(folder) = std::env::var_os("KEEP") {
        let lines = explore::to_lines(search.set_up().iter().chain(&broken.commands)).expect("written");
        let file = format!("{}-{game}-{name}.jsonl", case.mutant.name);
        std::fs::write(Path::new(&folder).join(file), lines).expect("kept");
    }
    Some(Catch::new(property.name(), format!("{game}, {name}, after {} moves", broken.depth)))
}

fn by_insider() -> Option<Catch> {
    for (post, person) in POSTS {
        match insider_bound("rws-sicbo", Mechanism::InService, &[person], 1_500) {
            Ok(bound) if bound.house.max(bound.players) <= THRESHOLD => {}
            Ok(_) => return Some(Catch::new(Property::Insider.name(), format!("rws-sicbo, a {post} alone"))),
            Err(words) => {
                let property = words.split(':').next().unwrap_or_default();
                return Some(Catch::new(property, format!("rws-sicbo, a {post} alone")));
            }
        }
    }
    None
}

fn by_scenario(book: &[(Chapter, Vec<usize>)]) -> Option<Catch> {
    for (chapter, fail) in book {
        for course in chapter.courses.iter().filter(|course| !fail.contains(&course.line)) {
            for document in &course.at {
                if scenarios::on_floor::run(course, document).is_err() {
                    let at = format!("scenarios/{}:{}", chapter.name, course.line);
                    return Some(Catch::new("scenario", at));
                }
            }
        }
    }
    None
}

/// Explores every floor with every fault that none before it has shown. A fault takes its turn at one floor before any
/// takes its turn at the next, so that few searches are in vain.
fn explore_all(what: &str, cases: &[&Case], with_model: bool, states: usize) {
    let floors = all_floors();
    on_all_processors(what, cases.len() * floors.len(), |job| {
        let (place, case) = (job / cases.len(), cases[job % cases.len()]);
        if !case.explored_before(with_model, place) {
            let found = case.look(|| by_exploration(case, &floors[place], with_model, states));
            case.take(with_model, place, found);
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

/// Where the table goes, if it is written.
fn table_file(all: bool) -> Option<PathBuf> {
    let golden = || (all && std::env::var_os("UPDATE_GOLDEN").is_some()).then(|| root().join("docs/mutants.md"));
    std::env::var_os("MUTANTS_TABLE").map(PathBuf::from).or_else(golden)
}

fn rows(cases: &[Case]) -> BTreeMap<&'static str, Row> {
    cases.iter().map(|case| (case.mutant.name, case.caught())).collect()
}

/// What catches each of these faults. `write` receives the table after each stage.
fn check(
    mutants: &[&'static Mutant],
    book: &[(Chapter, Vec<usize>)],
    write: &dyn Fn(&BTreeMap<&'static str, Row>),
) -> BTreeMap<&'static str, Row> {
    let cases: Vec<Case> = mutants.iter().map(|mutant| Case::of(mutant)).collect();
    let all: Vec<&Case> = cases.iter().collect();
    on_all_processors("scenarios", cases.len(), |job| {
        let found = cases[job].look(|| by_scenario(book));
        *lock(&cases[job].scenario) = found;
    });
    write(&rows(&cases));
    explore_all("exploration", &all, true, states());
    write(&rows(&cases));
    explore_all("exploration without the naive model", &all, false, states());
    write(&rows(&cases));
    let left: Vec<&Case> = cases.iter().filter(|case| case.caught()[1].is_none()).collect();
    on_all_processors("insiders", left.len(), |job| {
        let found = left[job].look(by_insider);
        let model = |found: &Catch| found.property == Property::SecondOpinion.name();
        left[job].take(false, usize::MAX, found.clone().filter(|found| !model(found)));
        left[job].take(true, usize::MAX, found);
    });
    // Only what nothing else catches is worth a long search.
    let left: Vec<&Case> = cases.iter().filter(|case| !case.is_caught()).collect();
    explore_all("longer exploration", &left, true, 12 * states());
    write(&rows(&cases));
    rows(&cases)
}

#[test]
fn every_fault_is_caught() {
    let book = courses();
    let wanted = std::env::var("MUTANTS").ok();
    let wanted =
        |mutant: &&Mutant| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == mutant.name));
    let mutants: Vec<&'static Mutant> = MUTANTS.iter().filter(wanted).collect();
    let file = table_file(mutants.len() == MUTANTS.len());
    let write = |rows: &BTreeMap<&'static str, Row>| {
        if let Some(file) = &file {
            std::fs::write(file, table(rows)).expect("written");
        }
    };
    let rows = check(&mutants, &book, &write);
    for (name, found) in &rows {
        println!("{name}: {found:?}");
    }
    let missed: Vec<&str> =
        rows.iter().filter(|(_, found)| found.iter().all(Option::is_none)).map(|(name, _)| *name).collect();
    assert!(missed.is_empty(), "nothing catches {missed:?}");
    // A book that fails by itself would catch nothing, and this test would not show it.
    let courses: usize = book.iter().map(|(chapter, _)| chapter.courses.len()).sum();
    let fail: usize = book.iter().map(|(_, fail)| fail.len()).sum();
    assert!(fail * 10 < courses, "{fail} of {courses} courses fail without a fault");
}

fn table(rows: &BTreeMap<&str, Row>) -> String {
    let count = |wanted: &dyn Fn(&Row) -> bool| rows.values().filter(|row| wanted(row)).count();
    let mut text = format!(
        "# Deliberate faults and what caught them\n\nEach fault is switched on alone in the floor; then the exploration \
         visits up to {} states of every small floor, once with all properties and once without the naive model \
         (`second-opinion`), so that the other properties stand alone, and the scenario book is run. Made by `make mutants`; \
         `crates/explore/MUTANTS.md` says how to add one. [explore.md](explore.md#the-properties) says what each property \
         is.\n\n{} of {} faults are caught: {} by the exploration, {} of these without the naive model, and {} by a \
         scenario.\n\n\
         | fault | breaks | what is wrong | property | where | without the naive model | scenario |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
        states(),
        count(&|row| row.iter().any(Option::is_some)),
        rows.len(),
        count(&|row| row[0].is_some()),
        count(&|row| row[1].is_some()),
        count(&|row| row[2].is_some()),
    );
    for mutant in MUTANTS {
        let Some([explored, beside, scenario]) = rows.get(mutant.name) else { continue };
        let cell = |found: &Option<Catch>, words: &dyn Fn(&Catch) -> String| {
            found.as_ref().map_or_else(|| "–".to_owned(), words)
        };
        let (property, at) = (cell(explored, &|one| one.property.clone()), cell(explored, &|one| one.at.clone()));
        let beside = cell(beside, &|one| format!("{}: {}", one.property, one.at));
        let scenario = cell(scenario, &|one| one.at.clone());
        text.push_str(&format!(
            "| `{}` | {} | {} | {property} | {at} | {beside} | {scenario} |\n",
            mutant.name, mutant.breaks, mutant.fault
        ));
    }
    text
}
