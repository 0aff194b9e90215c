//! `croupier explore`: every reachable state of small floors, with the rules checked in each of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use clap::Args;
use explore::{
    Bound, Bounds, Broken, Found, GAMES, InsiderBounds, Insiders, Mechanism, POSTS, Property, Search, Spec, Wrong,
    floors, insiders, report, to_lines,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::output::Column::{Figure, Name};
use crate::output::{Answer, Form, Page};
use crate::refusal::{Failure, Refusal};

/// Visit every reachable state of small floors, and check the rules in each of them.
#[derive(Args)]
#[command(after_help = "\
A small floor has one table, one or two terminals and one person for each post. Everyone sends every command, the device \
lies or is silent, the clock passes deadlines; every state is visited once, breadth first. Where all states are visited, the \
properties are proved for that floor; where a bound ends the search, its frontier is printed as unproved. docs/explore.md \
explains the properties.

Exit code 1 if a property does not hold. The shortest commands that break it are printed, ready for \
croupier pipe --times-from-tags, and saved in a file.

Examples:
  croupier explore --seconds 60
  croupier explore --depth 0 --insiders --insider-seconds 300 --report insiders.md
  croupier explore rws-sicbo --floor liar --states 1000000
  croupier explore mbs-sicbo --floor everything --seconds 600 --resume everything.explored")]
pub struct Explore {
    /// The documents; all five if none is named.
    #[arg(value_name = "GAME", value_parser = GAMES)]
    games: Vec<String>,

    /// One floor of each document, by its name.
    #[arg(long, value_name = "NAME")]
    floor: Option<String>,

    /// Moves from the beginning.
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// States of each floor.
    #[arg(long, value_name = "N")]
    states: Option<usize>,

    /// Memory for the states of a floor, or of the searches for insiders that run at once, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: usize,

    /// Threads; all processors if not given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Continue the search in this file, if it exists, and save it there, also when it is interrupted (Ctrl-C). For one
    /// document and one floor.
    #[arg(long, value_name = "FILE", requires = "floor")]
    resume: Option<PathBuf>,

    /// Seconds for each floor.
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,

    /// Compute what dishonest people of every post, and of every pair of posts, can move.
    #[arg(long)]
    insiders: bool,

    /// States for each of these people and pairs.
    #[arg(long, value_name = "N", default_value_t = INSIDER_STATES, requires = "insiders")]
    insider_states: usize,

    /// Seconds for all of these people and pairs; what is not searched to its end by then is marked.
    #[arg(long, value_name = "N", requires = "insiders")]
    insider_seconds: Option<u64>,

    /// Write a report with counts, phases and the insider table.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// The folder for commands that break a property; in the repository crates/explore/regressions, elsewhere this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

/// Where the repository keeps what once broke a property, and replays it in its tests.
const REGRESSIONS: &str = "crates/explore/regressions";
/// States for each person: more than any of them has.
const INSIDER_STATES: usize = 20_000_000;

impl Explore {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let games: Vec<&'static str> = GAMES
            .into_iter()
            .filter(|game| self.games.is_empty() || self.games.iter().any(|one| one == game))
            .collect();
        if self.resume.is_some() && games.len() != 1 {
            let words = "--resume is of one floor of one document: name the document";
            return Err(Refusal::new("one_floor", words.to_owned()).into());
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
            .map_err(|error| Refusal::new("no_signals", format!("interrupts cannot be handled: {error}")))?;
        let (mut found, mut broken) = (Vec::new(), Vec::new());
        let wanted = |spec: &Spec| self.floor.as_ref().is_none_or(|name| name == spec.name);
        for spec in games.iter().flat_map(|game| floors(game)).filter(wanted) {
            if !found.is_empty() && stop.load(Ordering::Relaxed) {
                break;
            }
            let (spec, one, lines) = self.explore(spec, &stop)?;
            broken.extend(lines);
            found.push((spec, one));
            // After every floor: whatever ends the exploration later, what was found is there.
            self.write_report(&found, &[])?;
        }
        if found.is_empty() {
            return Err(Refusal::new("no_floor", "no document has a floor of this name".to_owned()).into());
        }
        let mut tables = Vec::new();
        if self.insiders && !stop.load(Ordering::Relaxed) {
            tables = self.tables(&games, &stop)?;
            self.write_report(&found, &tables)?;
        }
        broken.extend(tables.iter().flat_map(|table| &table.wrong).map(|wrong| self.keep_insiders(wrong)));
        let mut text = form.render(&self.figures(&found, &tables), |page| write(page, &found, &tables));
        if broken.is_empty() {
            return Ok(Answer::Done(text));
        }
        if matches!(form, Form::Words) {
            broken.iter().for_each(|lines| text.push_str(lines));
        }
        Ok(Answer::Findings(text))
    }

    fn write_report(&self, found: &[(Spec, Found)], tables: &[Insiders]) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        std::fs::write(path, report(found, tables))
            .map_err(|error| Refusal::disk("cannot write the report", &error))?;
        Ok(())
    }

    /// Keeps the commands that insiders broke a property with, and says what they are.
    fn keep_insiders(&self, wrong: &Wrong) -> String {
        let (game, who, mechanism) = (wrong.game, wrong.who(), wrong.mechanism);
        let mut head = format!("{game}, {}, {who}", mechanism.words());
        if !wrong.caught.shortest {
            head.push_str(" (fewer commands may do it too)");
        }
        match mechanism.world(game) {
            Ok(world) => keep(&head, &self.keep().join(wrong.file()), &world.set_up, &wrong.caught.broken),
            Err(words) => format!("\n{head}: {words}\n"),
        }
    }

    fn keep(&self) -> PathBuf {
        let regressions = PathBuf::from(REGRESSIONS);
        let usual = if regressions.is_dir() { regressions } else { PathBuf::from(".") };
        self.keep.clone().unwrap_or(usual)
    }

    /// The file for the commands that break a property.
    fn file(&self, spec: &Spec, property: Property) -> PathBuf {
        self.keep().join(format!("{}-{}-{property}.jsonl", spec.game, spec.name))
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
    }

    fn bounds(&self, stop: &Arc<AtomicBool>) -> Bounds {
        let usual = Bounds::default();
        Bounds {
            depth: self.depth.unwrap_or(usual.depth),
            states: self.states.unwrap_or(usual.states),
            memory: self.memory << 20,
            time: self.seconds.map_or(usual.time, Duration::from_secs),
            threads: self.threads(),
            first: false,
            stop: Arc::clone(stop),
        }
    }

    fn explore(&self, spec: Spec, stop: &Arc<AtomicBool>) -> Result<(Spec, Found, Vec<String>), Failure> {
        let unusable = |words: String| Refusal::new("no_floor", words);
        let kept = self.resume.as_ref().filter(|path| path.exists());
        let mut search = match kept {
            Some(path) => {
                Search::resume(path, spec).map_err(|error| Refusal::disk("cannot go on with the search", &error))?
            }
            None => Search::of(spec).map_err(unusable)?,
        };
        let spec = search.spec().clone();
        let bar = spinner();
        let found = search.run(&self.bounds(stop), &|states, steps, depth| {
            bar.set_message(format!(
                "{} {}: {states} states, {steps} transitions, depth {depth}",
                spec.game, spec.name
            ));
        });
        bar.finish_and_clear();
        if let Some(path) = &self.resume {
            search.save(path).map_err(|error| Refusal::disk("cannot keep the search", &error))?;
        }
        let kept = found.broken.iter().map(|(property, one)| {
            let head = format!("{} {}", spec.game, spec.name);
            keep(&head, &self.file(&spec, *property), search.set_up(), one)
        });
        let broken = kept.collect();
        Ok((spec, found, broken))
    }

    fn tables(&self, games: &[&'static str], stop: &Arc<AtomicBool>) -> Result<Vec<Insiders>, Failure> {
        let bounds = InsiderBounds {
            pairs: true,
            states: self.insider_states,
            memory: self.memory << 20,
            threads: self.threads(),
            time: self.insider_seconds.map_or(Duration::MAX, Duration::from_secs),
            stop: Arc::clone(stop),
        };
        let bar = spinner();
        let tables = insiders(games, &Mechanism::ALL, &bounds, &|ended, all| {
            bar.set_message(format!("insiders: {ended} of {all} searches have ended"));
        });
        bar.finish_and_clear();
        Ok(tables.map_err(|words| Refusal::new("no_floor", words))?)
    }

    fn figures(&self, found: &[(Spec, Found)], tables: &[Insiders]) -> Value {
        let floor = |(spec, found): &(Spec, Found)| {
            json!({
                "game": spec.game, "floor": spec.name, "states": found.states, "transitions": found.transitions,
                "asked": found.asked, "depth": found.depth, "frontier": found.frontier, "proved": found.is_fixpoint(),
                "seconds": found.took.as_secs_f64(), "transitions_per_second": found.rate(),
                "states_per_second": found.states as f64 / found.took.as_secs_f64().max(1e-9),
                "broken": found.broken.iter().map(|(property, one)| json!({
                    "property": property.name(), "rule": property.rule(), "words": one.violation.words, "moves": one.depth,
                    "commands": self.file(spec, *property).display().to_string(),
                })).collect::<Vec<_>>(),
            })
        };
        json!({
            "floors": found.iter().map(floor).collect::<Vec<_>>(),
            "insiders": tables.iter().map(|table| self.insider_figures(table)).collect::<Vec<_>>(),
        })
    }

    /// What each person, and each pair, can move, in cents.
    fn insider_figures(&self, table: &Insiders) -> Value {
        let bound = |(one, other, bound): &(usize, usize, Bound)| {
            json!({
                "people": if one == other { vec![POSTS[*one].0] } else { vec![POSTS[*one].0, POSTS[*other].0] },
                "house": bound.house, "players": bound.players, "unbounded": bound.unbounded, "states": bound.states,
                "proved": bound.fixpoint,
            })
        };
        let broken = |wrong: &Wrong| {
            let violation = &wrong.caught.broken.violation;
            json!({
                "people": wrong.who(), "property": violation.property.name(), "words": violation.words,
                "moves": wrong.caught.broken.depth, "shortest": wrong.caught.shortest,
                "commands": self.keep().join(wrong.file()).display().to_string(),
            })
        };
        let (house, players) = table.exposure();
        json!({
            "game": table.game, "device": table.mechanism.words(), "exposure": { "house": house, "players": players },
            "beyond": table.beyond(), "broken": table.wrong.iter().map(broken).collect::<Vec<_>>(),
            "bounds": table.bounds.iter().map(bound).collect::<Vec<_>>(),
        })
    }
}

/// Keeps the shortest commands that break a property, and says what they are. If they cannot be kept, they are still said.
fn keep(head: &str, file: &Path, set_up: &[floor::Command], broken: &Broken) -> String {
    let Broken { violation, commands, .. } = broken;
    let (property, rule, words) = (violation.property, violation.property.rule(), &violation.words);
    let lines = to_lines(commands).unwrap_or_else(|words| format!("they cannot be written: {words}\n"));
    let all = to_lines(set_up.iter().chain(commands));
    let kept = match all.map(|all| std::fs::write(file, all)) {
        Ok(Ok(())) => format!("kept with those that set the floor up in {}", file.display()),
        Ok(Err(error)) => format!("which cannot be kept in {}: {error}", file.display()),
        Err(words) => format!("which cannot be kept: {words}"),
    };
    format!("\n{head}: {property} ({rule}) does not hold: {words}\nThe shortest commands, {kept}:\n{lines}")
}

/// Shown on a terminal only.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed_precise}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn result(found: &Found) -> String {
    match (found.broken.is_empty(), found.is_fixpoint()) {
        (false, _) => "violated".to_owned(),
        (true, true) => "proved".to_owned(),
        (true, false) => format!("unproved: {} at the frontier", found.frontier),
    }
}

fn write(page: &mut Page, found: &[(Spec, Found)], tables: &[Insiders]) {
    let columns = [
        Name("Document"),
        Name("Floor"),
        Figure("States"),
        Figure("Transitions"),
        Figure("Depth"),
        Figure("States/s"),
        Figure("Transitions/s"),
        Name("Result"),
    ];
    let cells = |(spec, found): &(Spec, Found)| {
        let states = found.states as f64 / found.took.as_secs_f64().max(1e-9);
        [
            spec.game.to_owned(),
            spec.name.to_owned(),
            found.states.to_string(),
            found.transitions.to_string(),
            found.depth.to_string(),
            format!("{states:.0}"),
            format!("{:.0}", found.rate()),
            result(found),
        ]
    };
    page.table(&columns, found.iter().map(cells));
    for table in tables {
        page.words(&table.table());
    }
}
