//! The insider table of every document: what dishonest people of each post, and of each pair of posts, can move.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::house::THRESHOLD;
use crate::hunt::{Hunted, Reach};
use crate::insider::{Bound, Mechanism, POSTS, insider_search};
use crate::property::Property;
use crate::trail::Caught;

/// What insiders can move at one document, alone and in pairs.
#[derive(Clone, Debug)]
pub struct Insiders {
    /// The document.
    pub game: &'static str,
    /// What the table has to read the dice or the ball.
    pub mechanism: Mechanism,
    /// The posts, and the bound of each with each; the diagonal is one person alone.
    pub bounds: Vec<(usize, usize, Bound)>,
    /// What must not be.
    pub wrong: Vec<Wrong>,
}

/// What was found while these people were dishonest, and must not be.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The document.
    pub game: &'static str,
    /// What the table has to read the dice or the ball.
    pub mechanism: Mechanism,
    /// Places in [`POSTS`]; one person is both.
    pub people: (usize, usize),
    /// What does not hold, with the commands that show it.
    pub caught: Caught,
}

impl Wrong {
    /// Who was dishonest.
    #[must_use]
    pub fn who(&self) -> String {
        let (one, other) = (POSTS[self.people.0].0, POSTS[self.people.1].0);
        if one == other { format!("a {one} alone") } else { format!("a {one} and a {other}") }
    }

    /// The name of the file for the commands, by which they are replayed.
    #[must_use]
    pub fn file(&self) -> String {
        let people = people_of(self.people);
        format!("{}-{}-{people}-{}.jsonl", self.game, self.mechanism.floor(), self.caught.broken.violation.property)
    }
}

/// People in the name of a file.
pub(crate) fn people_of((one, other): (usize, usize)) -> String {
    let (first, second) = (POSTS[one].0, POSTS[other].0);
    let people = if one == other { first.to_owned() } else { format!("{first} and {second}") };
    people.replace(' ', "-")
}

/// Every person alone, and then every pair: places in [`POSTS`].
pub(crate) fn groups() -> impl Iterator<Item = (usize, usize)> {
    let posts = 0..POSTS.len();
    let alone = posts.clone().map(|one| (one, one));
    alone.chain(posts.flat_map(|one| (one + 1..POSTS.len()).map(move |other| (one, other))))
}

/// How far the searches for insiders go.
#[derive(Clone, Debug)]
pub struct InsiderBounds {
    /// Whether two people are dishonest together, too.
    pub pairs: bool,
    /// States that are visited for one person, and for each pair.
    pub states: usize,
    /// Bytes for the searches that run at once; the next search begins with all of it again.
    pub memory: usize,
    /// Threads.
    pub threads: usize,
    /// Time for all of it.
    pub time: Duration,
    /// Ends it early: what was found until then is in the tables.
    pub stop: Arc<AtomicBool>,
}

impl Default for InsiderBounds {
    fn default() -> InsiderBounds {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (states, memory) = (usize::MAX, 2 << 30);
        InsiderBounds { pairs: false, states, memory, threads, time: Duration::MAX, stop: Arc::default() }
    }
}

/// States of each search in the first round: most searches end there. Every search has one thread then, and later all of them.
const FIRST: usize = 40_000;
/// By how much later rounds go further, so that a long search does not keep the others waiting.
const FURTHER: usize = 8;

/// One search.
struct Case {
    table: usize,
    game: &'static str,
    mechanism: Mechanism,
    /// Places in [`POSTS`]; one person is both.
    people: (usize, usize),
    found: Hunted,
}

impl Case {
    fn is_open(&self) -> bool {
        is_open(&self.found)
    }

    fn search(&self, reach: Reach<'_>) -> Result<Hunted, String> {
        let (one, other) = self.people;
        let people = if one == other { vec![POSTS[one].1] } else { vec![POSTS[one].1, POSTS[other].1] };
        insider_search(self.game, self.mechanism, &people, reach).map_err(|words| format!("{}: {words}", self.game))
    }

    /// Takes in what a search found that went further.
    fn take(&mut self, further: Hunted) {
        self.found = Hunted { bound: self.found.bound.or(&further.bound), caught: further.caught };
    }

    fn wrong(&self) -> impl Iterator<Item = Wrong> {
        let (game, mechanism, people) = (self.game, self.mechanism, self.people);
        self.found.caught.iter().cloned().map(move |caught| Wrong { game, mechanism, people, caught })
    }
}

/// Whether going further may find more. Where something is wrong, that is enough.
fn is_open(found: &Hunted) -> bool {
    !found.bound.fixpoint && !found.bound.unbounded && found.caught.is_empty()
}

/// Works out the insider tables of documents. `watch` receives the searches that have ended, and how many there are.
///
/// # Errors
/// In words, what went wrong.
pub fn insiders(
    games: &[&'static str],
    mechanisms: &[Mechanism],
    bounds: &InsiderBounds,
    watch: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Insiders>, String> {
    let begun = Instant::now();
    let stop = || bounds.stop.load(Ordering::Relaxed) || begun.elapsed() >= bounds.time;
    let tables: Vec<(&'static str, Mechanism)> =
        games.iter().flat_map(|game| mechanisms.iter().map(|mechanism| (*game, *mechanism))).collect();
    let mut cases = all_cases(&tables, bounds.pairs);
    let share = bounds.memory / bounds.threads.max(1);
    let first = Reach { states: bounds.states.min(FIRST), memory: share, threads: 1, stop: &stop };
    on_threads(&mut cases, bounds.threads, &|case| case.search(first), watch)?;
    let mut states = first.states;
    while states < bounds.states && !stop() {
        states = states.saturating_mul(FURTHER).min(bounds.states);
        for place in 0..cases.len() {
            if cases[place].is_open() && !stop() {
                let reach = Reach { states, memory: bounds.memory, threads: bounds.threads, stop: &stop };
                let further = cases[place].search(reach)?;
                cases[place].take(further);
                watch(cases.iter().filter(|case| !case.is_open()).count(), cases.len());
            }
        }
        if !cases.iter().any(Case::is_open) {
            break;
        }
    }
    let of_table = |table: usize| cases.iter().filter(move |case| case.table == table);
    let bounds_of = |table| of_table(table).map(|case| (case.people.0, case.people.1, case.found.bound)).collect();
    let wrong_of = |table| of_table(table).flat_map(Case::wrong).collect();
    let table =
        |(place, (game, mechanism))| Insiders { game, mechanism, bounds: bounds_of(place), wrong: wrong_of(place) };
    Ok(tables.into_iter().enumerate().map(table).collect())
}

/// Every person alone, of all tables, and then the pairs: where the time ends, it ends with them.
fn all_cases(tables: &[(&'static str, Mechanism)], pairs: bool) -> Vec<Case> {
    let people = groups().filter(|(one, other)| pairs || one == other);
    let case = |people, (table, (game, mechanism)): (usize, &(&'static str, Mechanism))| Case {
        table,
        game,
        mechanism: *mechanism,
        people,
        found: Hunted::default(),
    };
    people.flat_map(|people| tables.iter().enumerate().map(move |table| case(people, table))).collect()
}

/// Every search once, each on one of so many threads.
fn on_threads(
    cases: &mut [Case],
    threads: usize,
    search: &(dyn Fn(&Case) -> Result<Hunted, String> + Sync),
    watch: &(dyn Fn(usize, usize) + Sync),
) -> Result<(), String> {
    let (all, next, ended) = (cases.len(), AtomicUsize::new(0), AtomicUsize::new(0));
    let found = Mutex::new(Vec::new());
    let shared: &[Case] = cases;
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((place, case)) = shared.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = search(case);
                    let open = one.as_ref().is_ok_and(is_open);
                    let ended = ended.fetch_add(usize::from(!open), Ordering::Relaxed) + usize::from(!open);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((place, one));
                    watch(ended, all);
                }
            });
        }
    });
    for (place, one) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        cases[place].found = one?;
    }
    Ok(())
}

fn dollars(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

impl Insiders {
    /// The table's exposure: what house and players can lose by a result that is not what the dice or the ball show.
    #[must_use]
    pub fn exposure(&self) -> (i64, i64) {
        let each = self.bounds.iter().map(|(.., bound)| bound.exposure);
        each.fold((0, 0), |(house, players), one| (house.max(one.0), players.max(one.1)))
    }

    /// One person alone who moves more than the rules allow, by the name of the post.
    #[must_use]
    pub fn beyond(&self) -> Vec<&'static str> {
        let beyond = |wrong: &&Wrong| wrong.caught.broken.violation.property == Property::Insider;
        self.wrong.iter().filter(beyond).map(|wrong| POSTS[wrong.people.0].0).collect()
    }

    /// One person alone of whom not all states were visited, by the name of the post and with the number of states.
    #[must_use]
    pub fn unproved(&self) -> Vec<(&'static str, usize)> {
        let open = |bound: &Bound| !bound.fixpoint && !bound.unbounded;
        let alone = self.bounds.iter().filter(|(one, other, bound)| one == other && open(bound));
        alone.map(|(one, _, bound)| (POSTS[*one].0, bound.states)).collect()
    }

    fn cell(&self, bound: &Bound) -> String {
        let open = if bound.fixpoint { "" } else { " *" };
        match bound.unbounded {
            true => "no bound".to_owned(),
            false => format!("{} / {}{open}", dollars(bound.house), dollars(bound.players)),
        }
    }

    /// As a table: what the house, and after the stroke what players can lose.
    #[must_use]
    pub fn table(&self) -> String {
        let limit = match self.mechanism {
            Mechanism::InService => format!("the threshold, {}", dollars(THRESHOLD)),
            Mechanism::OutOfService | Mechanism::None => {
                let (house, players) = self.exposure();
                let exposure = format!("the exposure of the table, {} / {}", dollars(house), dollars(players));
                format!("{exposure}, and the threshold, {}, besides", dollars(THRESHOLD))
            }
        };
        let device = self.mechanism.words();
        let verdict = match &self.beyond()[..] {
            [] if self.unproved().is_empty() => format!("Every person alone keeps to {limit}."),
            [] => format!("In the states visited, every person alone keeps to {limit}."),
            posts => format!("**Beyond {limit}: {}.**", posts.join(", ")),
        };
        let proof = match &self.unproved()[..] {
            [] => "Every state of every person alone was visited: this is proved.".to_owned(),
            open => {
                let open: Vec<String> = open.iter().map(|(post, states)| format!("{post} ({states} states)")).collect();
                format!("*Unproved* beyond the states visited: {}.", open.join(", "))
            }
        };
        let mut text = format!("### {}, {device}\n\n{verdict} {proof}\n", self.game);
        for wrong in self.wrong.iter().filter(|wrong| wrong.caught.broken.violation.property != Property::Insider) {
            let violation = &wrong.caught.broken.violation;
            let _ = writeln!(
                text,
                "\n**With {}: {} does not hold: {}.**",
                wrong.who(),
                violation.property,
                violation.words
            );
        }
        text.push_str("\n| |");
        POSTS.iter().for_each(|(name, _)| text.push_str(&format!(" {name} |")));
        text.push_str("\n| --- |");
        POSTS.iter().for_each(|_| text.push_str(" --- |"));
        for (one, (name, _)) in POSTS.iter().enumerate() {
            let _ = write!(text, "\n| {name} |");
            for other in 0..POSTS.len() {
                let found = self.bounds.iter().find(|(first, second, _)| (*first, *second) == (one, other));
                let _ = write!(text, " {} |", found.map_or(String::new(), |(.., bound)| self.cell(bound)));
            }
        }
        text.push('\n');
        text
    }
}
