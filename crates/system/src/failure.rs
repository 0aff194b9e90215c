//! A failure is a seed, what was wrong, and the least of it that still goes wrong.

use std::fmt;

use crate::plan::{Course, Fault};

/// Something that must hold did not. The course brings it about again.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was run.
    pub course: Course,
    /// The step at which it failed; one more than there are if it failed at the end.
    pub step: u32,
    /// What was wrong.
    pub what: String,
    /// The smallest course that was found to fail too, and how.
    pub shrunk: Option<Box<(Course, String)>>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { course, step, what, shrunk } = self;
        writeln!(f, "seed {} fails at step {step}: {what}", course.seed)?;
        if let Some(shrunk) = shrunk {
            let (small, what) = &**shrunk;
            let kept = small.steps as usize - small.skipped.range(..=small.steps).count();
            let happen: Vec<&str> =
                Fault::ALL.into_iter().filter(|fault| small.may(*fault)).map(Fault::as_str).collect();
            writeln!(f, "shrunk to {kept} steps with {}: {what}", happen.join(", "))?;
            writeln!(f, "the least of it: {}", command(small))?;
        }
        write!(f, "once more: {}", command(course))
    }
}

impl std::error::Error for Failure {}

/// The command line that runs a course again.
#[must_use]
pub fn command(course: &Course) -> String {
    let mut words = format!("croupier simulate-system --seeds {} --steps {}", course.seed, course.steps);
    if !course.without.is_empty() {
        let names: Vec<&str> = course.without.iter().map(|fault| fault.as_str()).collect();
        words += &format!(" --without {}", names.join(","));
    }
    if !course.skipped.is_empty() {
        words += &format!(" --skip {}", ranges(course).join(","));
    }
    words
}

/// The steps that are left out, as `3,5-9`.
fn ranges(course: &Course) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for step in &course.skipped {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *step => *last = *step,
            _ => ranges.push((*step, *step)),
        }
    }
    ranges.iter().map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") }).collect()
}
