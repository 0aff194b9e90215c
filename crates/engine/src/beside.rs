//! Long work beside the loop: on a separate thread, or as a step of the caller that drives the engine.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// What is to be done.
type Work = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// The executor.
pub(crate) enum Beside {
    /// A thread of its own.
    Threads,
    /// The caller that drives the engine, when it chooses.
    Steps(Steps),
}

/// The work waiting for the caller that drives the engine, one item at most.
#[derive(Clone, Default)]
pub(crate) struct Steps(Arc<Mutex<Step>>);

#[derive(Default)]
struct Step {
    waiting: Option<Work>,
    done: Option<io::Result<()>>,
}

/// Something that was begun.
pub(crate) enum Begun {
    Thread(JoinHandle<io::Result<()>>),
    Step(Steps),
}

impl Beside {
    /// Begins it; `None` if there can be no thread for it.
    pub fn begin(&self, name: &str, work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Option<Begun> {
        match self {
            Beside::Threads => std::thread::Builder::new().name(name.to_owned()).spawn(work).ok().map(Begun::Thread),
            Beside::Steps(steps) => {
                *steps.lock() = Step { waiting: Some(Box::new(work)), done: None };
                Some(Begun::Step(steps.clone()))
            }
        }
    }
}

impl Steps {
    fn lock(&self) -> std::sync::MutexGuard<'_, Step> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what waits; false if nothing does.
    pub fn step(&self) -> bool {
        let Some(work) = self.lock().waiting.take() else { return false };
        let done = work();
        self.lock().done = Some(done);
        true
    }

    /// What waits is never done.
    pub fn forget(&self) {
        *self.lock() = Step::default();
    }
}

impl Begun {
    /// Whether it has been done.
    pub fn is_finished(&self) -> bool {
        match self {
            Begun::Thread(thread) => thread.is_finished(),
            Begun::Step(steps) => steps.lock().waiting.is_none(),
        }
    }

    /// Waits until it is done, and returns the result, unless it panicked.
    pub fn finish(self) -> Option<io::Result<()>> {
        match self {
            Begun::Thread(thread) => thread.join().ok(),
            Begun::Step(steps) => {
                steps.step();
                steps.lock().done.take()
            }
        }
    }
}
