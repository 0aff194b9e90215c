//! The search itself: breadth first, every state once, on all processors.
//!
//! A state is kept as a link to the one it came from and the move that led to it; the floor is made again by making the
//! moves. States next to each other in a level mostly share their path, so that this takes one or two moves for each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use floor::Command;
use serde::{Deserialize, Serialize};

use crate::alphabet::alphabet;
use crate::moves::Move;
use crate::node::{Step, World};
use crate::phases::Phases;
use crate::property::{Property, Violation};
use crate::seen::Seen;
use crate::spec::Spec;
use crate::walker::Walker;

/// How a state was reached.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Link {
    pub parent: u32,
    pub by: u16,
    pub hash: u64,
}

/// How far a search goes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Moves from the beginning.
    pub depth: usize,
    /// States.
    pub states: usize,
    /// Bytes for the states.
    pub memory: usize,
    /// Time.
    pub time: Duration,
    /// Threads.
    pub threads: usize,
    /// Ends the search at the first violation.
    pub first: bool,
    /// Ends the search in order as soon as this is set: it can be kept and gone on with.
    pub stop: Arc<AtomicBool>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (depth, states, memory) = (usize::MAX, u32::MAX as usize, 2 << 30);
        let stop = Arc::default();
        Bounds { depth, states, memory, time: Duration::MAX, threads, first: false, stop }
    }
}

/// A violated property with the commands that lead to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// What does not hold.
    pub violation: Violation,
    /// How many moves it takes.
    pub depth: usize,
    /// The commands after those that set the floor up.
    pub commands: Vec<Command>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// States visited.
    pub states: usize,
    /// Steps that were accepted.
    pub transitions: u64,
    /// Commands that were asked about.
    pub asked: u64,
    /// Moves from the beginning to the furthest state.
    pub depth: usize,
    /// States that were reached and not gone on from; none: every reachable state was visited.
    pub frontier: usize,
    /// How long it took.
    pub took: Duration,
    /// The shortest way to each violated property.
    pub broken: BTreeMap<Property, Broken>,
    /// From which phase to which.
    pub phases: Phases,
}

impl Found {
    /// Whether every reachable state was visited.
    #[must_use]
    pub fn is_fixpoint(&self) -> bool {
        self.frontier == 0
    }

    /// Steps in a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.transitions as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

/// A search under way.
pub struct Search {
    pub(crate) world: World,
    pub(crate) moves: Vec<Move>,
    pub(crate) links: Vec<Link>,
    pub(crate) seen: Seen,
    /// Where the level that is gone on from begins.
    pub(crate) level: usize,
    /// The state in that level that is next.
    pub(crate) next: usize,
    /// Where the level after it begins.
    pub(crate) end: usize,
    pub(crate) depth: usize,
    pub(crate) found: Found,
}

/// What the threads of one level share.
struct Sharing<'a> {
    search: &'a Search,
    bounds: &'a Bounds,
    begun: Instant,
    next: AtomicUsize,
    states: AtomicUsize,
    asked: AtomicU64,
    transitions: AtomicU64,
    stop: AtomicBool,
    watch: &'a (dyn Fn(usize, u64, usize) + Sync),
    results: Mutex<Results>,
}

#[derive(Default)]
struct Results {
    links: Vec<(usize, Vec<Link>)>,
    broken: Vec<(u32, u16, Violation)>,
    phases: Phases,
}

/// States that a thread takes at once.
const CHUNK: usize = 64;
/// Bytes that a state takes.
const STATE: usize = size_of::<Link>() + 20;

impl Search {
    /// A search that has not begun.
    ///
    /// # Errors
    /// In words, if the floor cannot be set up.
    pub fn of(spec: Spec) -> Result<Search, String> {
        let world = World::of(spec)?;
        let moves = alphabet(&world.spec, world.rulebook);
        let seen = Seen::default();
        let hash = world.root.hash(&mut Vec::new());
        seen.insert(hash);
        let links = vec![Link { parent: 0, by: u16::MAX, hash }];
        let found = Found { states: 1, ..Found::default() };
        Ok(Search { world, moves, links, seen, level: 0, next: 0, end: 1, depth: 0, found })
    }

    /// Leaves the naive model out, so that the other properties stand alone.
    #[must_use]
    pub fn without_second_opinion(mut self) -> Search {
        self.world.second_opinion = false;
        self
    }

    /// The floor that is explored.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.world.spec
    }

    /// Everything that can be sent.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The commands that set the floor up.
    #[must_use]
    pub fn set_up(&self) -> &[Command] {
        &self.world.set_up
    }

    /// Continues until every state is visited or a bound is reached. `watch` receives states, steps and depth.
    pub fn run(&mut self, bounds: &Bounds, watch: &(dyn Fn(usize, u64, usize) + Sync)) -> Found {
        let begun = Instant::now();
        let before = self.found.took;
        while self.next < self.end && self.depth < bounds.depth && self.level(bounds, begun, watch) {}
        self.found.took = before + begun.elapsed();
        self.found.states = self.links.len();
        self.found.frontier = self.links.len() - self.next;
        self.found.clone()
    }

    /// Goes on from one level; whether there is room for the next one.
    fn level(&mut self, bounds: &Bounds, begun: Instant, watch: &(dyn Fn(usize, u64, usize) + Sync)) -> bool {
        let sharing = Sharing {
            search: self,
            bounds,
            begun,
            next: AtomicUsize::new(self.next),
            states: AtomicUsize::new(self.links.len()),
            asked: AtomicU64::new(self.found.asked),
            transitions: AtomicU64::new(self.found.transitions),
            stop: AtomicBool::new(false),
            watch,
            results: Mutex::default(),
        };
        std::thread::scope(|scope| {
            for _ in 1..bounds.threads.max(1) {
                scope.spawn(|| sharing.work());
            }
            sharing.work();
        });
        let reached = sharing.next.load(Ordering::Relaxed).min(self.end);
        let (asked, transitions) = (sharing.asked.into_inner(), sharing.transitions.into_inner());
        let stopped = sharing.stop.into_inner();
        let mut results = sharing.results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (self.found.asked, self.found.transitions) = (asked, transitions);
        results.links.sort_unstable_by_key(|(from, _)| *from);
        self.links.extend(results.links.into_iter().flat_map(|(_, links)| links));
        self.found.phases.add(&results.phases);
        self.take_broken(results.broken);
        self.next = reached;
        if reached < self.end {
            return false;
        }
        (self.level, self.next) = (self.end, self.end);
        self.end = self.links.len();
        if self.end > self.next {
            self.depth += 1;
            self.found.depth = self.depth;
        }
        // Stopped at the end of a level, it goes on with the next one when it is run again.
        !stopped
    }

    fn take_broken(&mut self, mut broken: Vec<(u32, u16, Violation)>) {
        broken.sort_unstable_by_key(|(state, by, _)| (*state, *by));
        for (state, by, violation) in broken {
            if self.found.broken.contains_key(&violation.property) {
                continue;
            }
            let (mut path, mut at) = (Vec::new(), state);
            while at != 0 {
                path.push(self.links[at as usize].by);
                at = self.links[at as usize].parent;
            }
            path.reverse();
            path.push(by);
            let (depth, commands) = (path.len(), self.commands(&path));
            self.found.broken.insert(violation.property, Broken { violation, depth, commands });
        }
    }

    /// The commands of a path; the last one may be what breaks a property.
    fn commands(&self, path: &[u16]) -> Vec<Command> {
        let mut node = self.world.root.clone();
        let mut commands = Vec::new();
        for by in path {
            let one = &self.moves[usize::from(*by)];
            match self.world.step(&node, one) {
                Ok(Step::Child(child, command)) => {
                    commands.extend(command);
                    node = *child;
                }
                _ => {
                    commands.extend(node.command(one));
                    break;
                }
            }
        }
        commands
    }
}

impl Sharing<'_> {
    fn work(&self) {
        let mut walker = Walker::of(self.search);
        let mut results = Results::default();
        let end = self.search.end;
        loop {
            let full = self.full();
            if full {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let from = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            if from >= end {
                break;
            }
            let mut links = Vec::new();
            for state in from..(from + CHUNK).min(end) {
                let parent = u32::try_from(state).unwrap_or(u32::MAX);
                walker.expand(parent, &mut links, &mut results.phases);
            }
            self.states.fetch_add(links.len(), Ordering::Relaxed);
            self.asked.fetch_add(std::mem::take(&mut walker.asked), Ordering::Relaxed);
            self.transitions.fetch_add(std::mem::take(&mut walker.transitions), Ordering::Relaxed);
            results.links.push((from, links));
            if self.bounds.first && !walker.broken.is_empty() {
                self.stop.store(true, Ordering::Relaxed);
            }
            let (states, steps) = (self.states.load(Ordering::Relaxed), self.transitions.load(Ordering::Relaxed));
            (self.watch)(states, steps, self.search.depth + 1);
        }
        let mut all = self.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.links.append(&mut results.links);
        all.broken.append(&mut walker.broken);
        all.phases.add(&results.phases);
    }

    fn full(&self) -> bool {
        let states = self.states.load(Ordering::Relaxed);
        states >= self.bounds.states
            || states.saturating_mul(STATE) >= self.bounds.memory
            || self.begun.elapsed() >= self.bounds.time
            || self.bounds.stop.load(Ordering::Relaxed)
    }
}
