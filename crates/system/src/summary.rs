//! What happened in a run, counted.

use std::collections::BTreeMap;

/// What happened in one run or in many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Runs.
    pub seeds: u64,
    /// Runs with several hosts.
    pub clusters: u64,
    /// Steps taken.
    pub steps: u64,
    /// Milliseconds that went by on the floors.
    pub milliseconds: u64,
    /// Commands accepted.
    pub accepted: u64,
    /// Commands answered.
    pub answered: u64,
    /// Records that became durable.
    pub records: u64,
    /// Times each fault happened.
    pub faults: BTreeMap<&'static str, u64>,
    /// Times something was done or compared.
    pub checks: BTreeMap<&'static str, u64>,
}

impl Summary {
    /// Hours that went by on the floors.
    #[must_use]
    pub fn hours(&self) -> u64 {
        self.milliseconds / 3_600_000
    }

    /// Adds what happened elsewhere.
    pub fn add(&mut self, other: &Summary) {
        self.seeds += other.seeds;
        self.clusters += other.clusters;
        self.steps += other.steps;
        self.milliseconds += other.milliseconds;
        self.accepted += other.accepted;
        self.answered += other.answered;
        self.records += other.records;
        for (name, count) in &other.faults {
            *self.faults.entry(name).or_default() += count;
        }
        for (name, count) in &other.checks {
            *self.checks.entry(name).or_default() += count;
        }
    }

    pub(crate) fn fault(&mut self, fault: crate::Fault) {
        *self.faults.entry(fault.as_str()).or_default() += 1;
    }

    pub(crate) fn check(&mut self, name: &'static str) {
        *self.checks.entry(name).or_default() += 1;
    }
}
