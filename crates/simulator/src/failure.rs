//! A failure is a seed, and what happened last.

use std::fmt;

use floor::{Code, Command};

use crate::USUAL;

/// A command and what came of it.
#[derive(Clone, Debug)]
pub struct Recent {
    /// At which step.
    pub step: u32,
    /// The command.
    pub command: Command,
    /// How many events, `Ok(0)` for a known retry; or why not.
    pub answer: Result<usize, Code>,
}

impl fmt::Display for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Command { sender, number, at, body } = &self.command;
        let mut body = format!("{body:?}");
        if body.chars().count() > 400 {
            body = body.chars().take(400).chain("…".chars()).collect();
        }
        write!(f, "step {} {sender:?} number {number} at {}: {body} → ", self.step, at.0)?;
        match self.answer {
            Ok(0) => write!(f, "a retry"),
            Ok(count) => write!(f, "{count} events"),
            Err(code) => write!(f, "refused: {code}"),
        }
    }
}

/// Something that must hold did not. The seed brings it about again.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// Steps of the run.
    pub steps: u32,
    /// How dishonest people and devices were, in per cent of what is usual.
    pub dishonesty: u32,
    /// The step at which it failed.
    pub step: u32,
    /// What was wrong.
    pub what: String,
    /// The last commands, oldest first.
    pub recent: Vec<Recent>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, steps, dishonesty, step, what, recent } = self;
        writeln!(f, "seed {seed} fails at step {step}: {what}")?;
        writeln!(f, "the last commands:")?;
        for command in recent {
            writeln!(f, "  {command}")?;
        }
        write!(f, "once more: croupier simulate-floor --seeds {seed}..{} --steps {steps}", seed + 1)?;
        if *dishonesty == USUAL { Ok(()) } else { write!(f, " --dishonesty {dishonesty}") }
    }
}

impl std::error::Error for Failure {}
