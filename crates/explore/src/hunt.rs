//! The search behind the insider bound: every state that insiders bring about, each way on which most is taken, on so many
//! threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::insider::{Bound, Scheme, Taken};
use crate::node::{Node, Step};
use crate::property::Violation;

/// How far the search for one group of insiders goes.
#[derive(Copy, Clone)]
pub struct Reach<'a> {
    /// States.
    pub states: usize,
    /// Threads.
    pub threads: usize,
    /// Ends it early.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// The states that were reached, each with what had been taken on the way. What can be taken from a state on does not depend on
/// what was taken before; a way on which no less of anything was taken is the only one that has to be followed.
#[derive(Default)]
struct Ways(HashMap<u64, Vec<[i64; 5]>>);

impl Ways {
    /// Adds a way to a state; whether it is worth following.
    fn adds(&mut self, state: u64, taken: &Taken) -> bool {
        // Less cash of sold tickets hides less of what is missing from a drawer.
        let way = [taken.given, taken.kept, -taken.sold, taken.exposure.0, taken.exposure.1];
        let no_less = |one: &[i64; 5], other: &[i64; 5]| one.iter().zip(other).all(|(one, other)| one >= other);
        let known = self.0.entry(state).or_default();
        if known.iter().any(|known| no_less(known, &way)) {
            return false;
        }
        known.retain(|known| !no_less(&way, known));
        known.push(way);
        true
    }
}

/// A state to go on from, with what was taken on the way.
type Way = (Node, Taken);

/// What waits for a thread that has nothing to do.
#[derive(Default)]
struct Waiting {
    ways: Vec<Way>,
    idle: usize,
}

/// The parts of the set of states, each with a lock of its own.
const SHARDS: usize = 64;

/// A search under way.
struct Hunt<'a> {
    scheme: &'a Scheme<'a>,
    reach: Reach<'a>,
    known: Vec<Mutex<Ways>>,
    states: AtomicUsize,
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Threads without work.
    idle: AtomicUsize,
    over: AtomicBool,
    found: Mutex<Result<Bound, Violation>>,
}

/// Visits the states that insiders bring about. It ends early where an amount went through that no threshold bounds.
///
/// # Errors
/// The violation of a property on the way.
pub(crate) fn hunt(scheme: &Scheme<'_>, reach: Reach<'_>) -> Result<Bound, Violation> {
    let hunt = Hunt {
        scheme,
        reach,
        known: (0..SHARDS).map(|_| Mutex::default()).collect(),
        states: AtomicUsize::new(0),
        waiting: Mutex::default(),
        changed: Condvar::new(),
        idle: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        found: Mutex::new(Ok(Bound { fixpoint: true, ..Bound::default() })),
    };
    let root = (scheme.world.root.clone(), Taken::default());
    hunt.is_new(&root.0, &root.1, &mut Vec::new());
    lock(&hunt.waiting).ways.push(root);
    std::thread::scope(|scope| {
        for _ in 1..reach.threads.max(1) {
            scope.spawn(|| hunt.work());
        }
        hunt.work();
    });
    let mut bound = hunt.found.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    bound.states = hunt.states.into_inner();
    Ok(bound)
}

impl Hunt<'_> {
    fn work(&self) {
        let (mut own, mut bytes) = (Vec::new(), Vec::new());
        let mut bound = Bound { fixpoint: true, ..Bound::default() };
        // The latest first: what waits stays short, and no sequence of commands is shown here that ought to be the shortest.
        while let Some((node, taken)) = own.pop().or_else(|| self.take()) {
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            if self.states.load(Ordering::Relaxed) >= self.reach.states || (self.reach.stop)() {
                bound.fixpoint = false;
                self.end();
                break;
            }
            if let Err(violation) = self.go_on(&node, &taken, &mut own, &mut bound, &mut bytes) {
                *lock(&self.found) = Err(violation);
                self.end();
                break;
            }
            if bound.unbounded {
                self.end();
            }
            self.share(&mut own);
        }
        if let Ok(found) = &mut *lock(&self.found) {
            *found = found.and(&bound);
        }
    }

    fn go_on(
        &self,
        node: &Node,
        taken: &Taken,
        own: &mut Vec<Way>,
        bound: &mut Bound,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let scheme = self.scheme;
        for one in scheme.moves.iter().filter(|one| scheme.is_physical(node, one)) {
            let Step::Child(child, command) = scheme.world.step(node, one)? else { continue };
            let mut then = taken.clone();
            if let Some(command) = &command {
                scheme.measure(&mut then, node, command, &child);
            }
            bound.see(scheme.loss(&then, &child), then.exposure);
            if self.is_new(&child, &then, bytes) {
                own.push((*child, then));
            }
        }
        Ok(())
    }

    fn is_new(&self, node: &Node, taken: &Taken, bytes: &mut Vec<u8>) -> bool {
        let state = node.hash_with(bytes, |bytes| bytes.extend(taken.decided.iter().map(|decided| u8::from(*decided))));
        let shard = usize::try_from(state >> 58).unwrap_or(0) % SHARDS;
        let new = lock(&self.known[shard]).adds(state, taken);
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
