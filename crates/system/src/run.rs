//! One run: a course, and everything that is checked after every step.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failure::Failure;
use crate::many::Many;
use crate::plan::{Course, Fault};
use crate::single::Single;
use crate::summary::Summary;
use crate::witness::Check;

/// Runs that shrinking a failure may take.
const ATTEMPTS: u32 = 200;

/// Runs a seed for so many steps. A failure is shrunk.
///
/// # Errors
/// When something that must hold does not.
pub fn run(seed: u64, steps: u32) -> Result<Summary, Failure> {
    play(&Course::of(seed, steps)).map_err(shrink)
}

/// Runs a course as it is.
///
/// # Errors
/// When something that must hold does not.
pub fn play(course: &Course) -> Result<Summary, Failure> {
    let mut step = 0;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(course)?;
        for next in (1..=course.steps).filter(|next| !course.skipped.contains(next)) {
            step = next;
            world.step(next)?;
        }
        step = course.steps + 1;
        world.finish()
    }));
    let what = match caught {
        Ok(Ok(summary)) => return Ok(summary),
        Ok(Err(what)) => what,
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            format!("panicked: {}", words.unwrap_or_default())
        }
    };
    Err(Failure { course: course.clone(), step, what, shrunk: None })
}

/// A floor with one host, or with several.
enum World<'a> {
    Single(Box<Single<'a>>),
    Many(Box<Many>),
}

impl<'a> World<'a> {
    fn new(course: &'a Course) -> Result<World<'a>, String> {
        if course.is_cluster() {
            Many::new(course).map(|many| World::Many(Box::new(many)))
        } else {
            Single::new(course).map(|single| World::Single(Box::new(single)))
        }
    }

    fn step(&mut self, step: u32) -> Check {
        match self {
            World::Single(single) => single.step(step),
            World::Many(many) => many.step(step),
        }
    }

    fn finish(&mut self) -> Result<Summary, String> {
        match self {
            World::Single(single) => single.finish().map(|()| single.summary.clone()),
            World::Many(many) => many.finish().map(|()| many.summary.clone()),
        }
    }
}

/// Makes a failure smaller: fewer steps, then fewer faults, then steps left out, as long as something still fails.
#[must_use]
pub fn shrink(failure: Failure) -> Failure {
    let mut least = Least { course: failure.course.clone(), what: failure.what.clone(), attempts: 0 };
    let steps = failure.step.min(failure.course.steps);
    least.attempt(|course| course.steps = steps);
    for fault in Fault::ALL {
        least.attempt(|course| {
            course.without.insert(fault);
        });
    }
    let mut together = least.course.steps.div_ceil(2).max(1);
    loop {
        let mut from = 1;
        while from <= least.course.steps {
            let left_out: BTreeSet<u32> = (from..(from + together).min(least.course.steps + 1)).collect();
            least.attempt(|course| course.skipped.extend(&left_out));
            from += together;
        }
        if together == 1 || least.attempts >= ATTEMPTS {
            break;
        }
        together = together.div_ceil(2);
    }
    let smaller = least.course != failure.course;
    Failure { shrunk: smaller.then(|| Box::new((least.course, least.what))), ..failure }
}

/// The smallest course so far that fails.
struct Least {
    course: Course,
    what: String,
    attempts: u32,
}

impl Least {
    fn attempt(&mut self, change: impl FnOnce(&mut Course)) {
        let mut course = self.course.clone();
        change(&mut course);
        if course == self.course || self.attempts >= ATTEMPTS {
            return;
        }
        self.attempts += 1;
        if let Err(failure) = play(&course) {
            course.steps = course.steps.min(failure.step);
            (self.course, self.what) = (course, failure.what);
        }
    }
}
