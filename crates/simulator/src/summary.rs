//! What happened in a run, counted.

use std::collections::BTreeMap;

use floor::Code;

/// What became of the rounds of a game.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// Settled by their result.
    pub settled: u64,
    /// Voided before they were settled.
    pub void: u64,
    /// Corrected after they were settled.
    pub corrected: u64,
    /// Voided after they were settled.
    pub voided_later: u64,
}

/// What happened in one run or in many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Runs.
    pub seeds: u64,
    /// Steps taken.
    pub steps: u64,
    /// Commands accepted.
    pub accepted: u64,
    /// Retries known as such.
    pub retried: u64,
    /// Commands refused, by code.
    pub refused: BTreeMap<Code, u64>,
    /// Events by kind.
    pub events: BTreeMap<&'static str, u64>,
    /// Rounds by game.
    pub games: BTreeMap<&'static str, Rounds>,
    /// Times the floor was rebuilt from its log or from a snapshot.
    pub crashes: u64,
    /// Bytes of the largest batch of events.
    pub largest_batch: usize,
}

impl Summary {
    /// Adds what happened elsewhere.
    pub fn add(&mut self, other: &Summary) {
        self.seeds += other.seeds;
        self.steps += other.steps;
        self.accepted += other.accepted;
        self.retried += other.retried;
        self.crashes += other.crashes;
        self.largest_batch = self.largest_batch.max(other.largest_batch);
        for (code, count) in &other.refused {
            *self.refused.entry(*code).or_default() += count;
        }
        for (kind, count) in &other.events {
            *self.events.entry(kind).or_default() += count;
        }
        for (game, rounds) in &other.games {
            let sum = self.games.entry(game).or_default();
            sum.settled += rounds.settled;
            sum.void += rounds.void;
            sum.corrected += rounds.corrected;
            sum.voided_later += rounds.voided_later;
        }
    }

    /// Commands refused in all.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refused.values().sum()
    }
}
