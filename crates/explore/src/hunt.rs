//! The search behind the insider bound: every state that insiders bring about, each way on which most is taken, on so many
//! threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::insider::{Bound, Scheme, Taken};
use crate::node::{Node, Step};
use crate::property::Violation;
use crate::trail::{Caught, Trail};

/// How far the search for one group of insiders goes.
#[derive(Copy, Clone)]
pub struct Reach<'a> {
    /// States.
    pub states: usize,
    /// Bytes, by what a state takes on average.
    pub memory: usize,
    /// Threads.
    pub threads: usize,
    /// Ends it early.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// The states that were reached, each with what had been taken on the way. What can be taken from a state on does not depend on
/// what was taken before; a way on which no less of anything was taken is the only one that has to be followed.
#[derive(Default)]
pub(crate) struct Ways(HashMap<u64, Vec<Measured>>);

/// What was taken on a way, in sums of which a larger one is never worse for insiders.
pub(crate) type Measured = [i64; 7];

impl Ways {
    /// Adds a way to a state; whether it is worth following.
    pub fn adds(&mut self, state: u64, way: &Measured) -> bool {
        let no_less = |one: &Measured, other: &Measured| one.iter().zip(other).all(|(one, other)| one >= other);
        let known = self.0.entry(state).or_default();
        if known.iter().any(|known| no_less(known, way)) {
            return false;
        }
        known.retain(|known| !no_less(way, known));
        known.reserve_exact(1);
        known.push(*way);
        true
    }
}

/// A state to go on from, with what was taken on the way.
struct Way {
    node: Node,
    taken: Taken,
    trail: Trail,
}

/// What the threads of a search have found.
#[derive(Default)]
struct Findings {
    bound: Bound,
    /// What must not be, with the moves that lead there.
    wrong: Vec<(Violation, Trail)>,
}

impl Findings {
    /// Of several ways on which the same property is broken, the shortest is kept.
    fn take(&mut self, violation: Violation, trail: Trail) {
        match self.wrong.iter_mut().find(|(known, _)| known.property == violation.property) {
            None => self.wrong.push((violation, trail)),
            Some(known) if trail.len() < known.1.len() => *known = (violation, trail),
            Some(_) => {}
        }
    }
}

/// What insiders can move, and what else was found on the way.
#[derive(Clone, Debug, Default)]
pub struct Hunted {
    /// What they can move.
    pub bound: Bound,
    /// What does not hold, with the commands that show it.
    pub caught: Vec<Caught>,
}

/// What waits for a thread that has nothing to do.
#[derive(Default)]
struct Waiting {
    ways: Vec<Way>,
    idle: usize,
}

/// Bytes of a state that was visited: its hash, the ways to it and their room in the table.
const STATE: usize = 160;
/// Bytes of a floor that is still to be gone on from, with the naive model.
const FLOOR: usize = 48 << 10;

/// The parts of the set of states, each with a lock of its own.
const SHARDS: usize = 64;

/// A search under way.
struct Hunt<'a> {
    scheme: &'a Scheme<'a>,
    reach: Reach<'a>,
    known: Vec<Mutex<Ways>>,
    states: AtomicUsize,
    /// Ways that are not gone on from yet: each of them has a whole floor.
    held: AtomicUsize,
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Threads without work.
    idle: AtomicUsize,
    over: AtomicBool,
    found: Mutex<Findings>,
}

/// Visits the states that insiders bring about. It ends early where an amount went through that no threshold bounds, and where
/// another property does not hold.
pub(crate) fn hunt(scheme: &Scheme<'_>, reach: Reach<'_>) -> Hunted {
    let hunt = Hunt {
        scheme,
        reach,
        known: (0..SHARDS).map(|_| Mutex::default()).collect(),
        states: AtomicUsize::new(0),
        held: AtomicUsize::new(1),
        waiting: Mutex::default(),
        changed: Condvar::new(),
        idle: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        found: Mutex::new(Findings { bound: Bound::begun(), wrong: Vec::new() }),
    };
    let root = Way { node: scheme.world.root.clone(), taken: Taken::default(), trail: Trail::default() };
    hunt.is_new(&root.node, &root.taken, &mut Vec::new());
    lock(&hunt.waiting).ways.push(root);
    std::thread::scope(|scope| {
        for _ in 1..reach.threads.max(1) {
            scope.spawn(|| hunt.work());
        }
        hunt.work();
    });
    let Findings { mut bound, wrong } = hunt.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    bound.states = hunt.states.into_inner();
    let caught = wrong.into_iter().map(|(violation, trail)| scheme.shortest(&trail.moves(), violation)).collect();
    Hunted { bound, caught }
}

impl Hunt<'_> {
    fn work(&self) {
        let (mut own, mut bytes) = (Vec::new(), Vec::new());
        let mut found = Findings { bound: Bound::begun(), wrong: Vec::new() };
        // The latest first, so that what waits stays short; what is found is made shorter afterwards.
        while let Some(way) = own.pop().or_else(|| self.take()) {
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            self.held.fetch_sub(1, Ordering::Relaxed);
            if self.is_full() {
                found.bound.fixpoint = false;
                self.end();
                break;
            }
            if let Err((violation, trail)) = self.go_on(&way, &mut own, &mut found, &mut bytes) {
                found.bound.fixpoint = false;
                found.take(violation, trail);
                self.end();
                break;
            }
            if found.bound.unbounded {
                self.end();
            }
            self.share(&mut own);
        }
        let mut all = lock(&self.found);
        all.bound = all.bound.and(&found.bound);
        found.wrong.into_iter().for_each(|(violation, trail)| all.take(violation, trail));
    }

    fn is_full(&self) -> bool {
        let (states, held) = (self.states.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        let bytes = states.saturating_mul(STATE).saturating_add(held.saturating_mul(FLOOR));
        states >= self.reach.states || bytes >= self.reach.memory || (self.reach.stop)()
    }

    fn go_on(
        &self,
        way: &Way,
        own: &mut Vec<Way>,
        found: &mut Findings,
        bytes: &mut Vec<u8>,
    ) -> Result<(), (Violation, Trail)> {
        let (scheme, Way { node, taken, trail }) = (self.scheme, way);
        for (one, by) in scheme.moves.iter().zip(0_u16..).filter(|(one, _)| scheme.is_physical(node, one)) {
            let step = scheme.world.step(node, one).map_err(|violation| (violation, trail.then(by)))?;
            let Step::Child(child, command) = step else { continue };
            let mut then = taken.clone();
            if let Some(command) = &command {
                scheme.measure(&mut then, node, command, &child);
            }
            found.bound.see(scheme.loss(&then, &child), then.exposure);
            if let Some(violation) = scheme.beyond(&then, &child) {
                found.take(violation, trail.then(by));
            }
            if self.is_new(&child, &then, bytes) {
                self.held.fetch_add(1, Ordering::Relaxed);
                own.push(Way { node: *child, taken: then, trail: trail.then(by) });
            }
        }
        Ok(())
    }

    fn is_new(&self, node: &Node, taken: &Taken, bytes: &mut Vec<u8>) -> bool {
        let state = self.scheme.state(node, taken, bytes);
        let shard = usize::try_from(state >> 58).unwrap_or(0) % SHARDS;
        let new = lock(&self.known[shard]).adds(state, &self.scheme.way(taken));
        self.states.fetch_add(usize::from(new), Ordering::Relaxed);
        new
    }

    /// Work of another thread; nothing when there is none left anywhere.
    fn take(&self) -> Option<Way> {
        let mut waiting = lock(&self.waiting);
        loop {
            if self.over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(way) = waiting.ways.pop() {
                return Some(way);
            }
            waiting.idle += 1;
            self.idle.store(waiting.idle, Ordering::Relaxed);
            if waiting.idle == self.reach.threads.max(1) {
                self.over.store(true, Ordering::Relaxed);
                self.changed.notify_all();
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.idle -= 1;
            self.idle.store(waiting.idle, Ordering::Relaxed);
        }
    }

    /// Gives the older half of what waits here to threads that have nothing to do.
    fn share(&self, own: &mut Vec<Way>) {
        if own.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
            lock(&self.waiting).ways.extend(own.drain(..own.len() / 2));
            self.changed.notify_all();
        }
    }

    fn end(&self) {
        // Under the lock, so that no thread begins to wait after it was told.
        let _waiting = lock(&self.waiting);
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
