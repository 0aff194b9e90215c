//! Retries: the last answers of each sender.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::ids::Moment;
use crate::refusal::{Code, Refusal, refuse};

/// The answers given to one sender, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Answers {
    /// The largest number answered, kept apart so that a new command need not look at the others.
    #[n(0)]
    last: Option<u64>,
    #[n(1)]
    given: VecDeque<Given>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
struct Given {
    #[n(0)]
    number: u64,
    #[n(1)]
    body: u64,
    #[n(2)]
    sequence: u64,
}

impl Answers {
    /// The answer given earlier to this very command, if it is a retry. A number that was not used counts as new as long as
    /// it is not below all answers kept, so that a sender may have as many commands on their way as there are answers.
    pub fn earlier(&self, number: u64, body: u64) -> Result<Option<u64>, Refusal> {
        if self.last.is_none_or(|last| number > last) {
            return Ok(None);
        }
        let next = self.last.unwrap_or(0).saturating_add(1);
        let stale = || {
            let words = format!("number {number} is older than the answers kept; the next may be {next}");
            refuse(Code::Stale, "idempotency", words)
        };
        match self.given.iter().find(|given| given.number == number) {
            Some(_) if mutant!("retry-is-new") => Ok(None),
            Some(given) if given.body == body || mutant!("number-answers-anything") => Ok(Some(given.sequence)),
            Some(_) => {
                refuse(Code::NumberReused, "idempotency", format!("number {number} was used for another command"))
            }
            // Only the smallest numbers are ever forgotten.
            None if self.given.len() < bounds::ANSWERS => Ok(None),
            None => match self.given.front() {
                Some(oldest) if number > oldest.number => Ok(None),
                _ => stale(),
            },
        }
    }

    /// Whether a new number is near the last one or the clock: an absurd one would be kept permanently.
    pub fn near(&self, number: u64, at: Moment) -> Result<(), Refusal> {
        if number <= self.last.unwrap_or(0).saturating_add(bounds::NUMBER_AHEAD) {
            return Ok(());
        }
        let clock = u64::try_from(at.0).unwrap_or(0).saturating_mul(1_000);
        if number <= clock.saturating_add(bounds::NUMBER_AHEAD_OF_CLOCK) {
            return Ok(());
        }
        let words = format!(
            "number {number} is too far ahead: use one more than the last, or the microseconds since 1970, now {clock}"
        );
        refuse(Code::NumberFar, "idempotency", words)
    }

    /// The largest number answered.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Whether a command with this number was answered and is still known.
    pub fn has(&self, number: u64) -> bool {
        self.given.iter().any(|given| given.number == number)
    }

    pub fn keep(&mut self, number: u64, body: u64, sequence: u64) {
        // Room is made first: one answer beyond the bound would double the memory of the list, and with it the cache misses
        // of a bet. A number that is new to a full list is above the smallest (`earlier`).
        if self.given.len() >= bounds::ANSWERS {
            self.given.pop_front();
        }
        let given = Given { number, body, sequence };
        if self.last.is_some_and(|last| number < last) {
            return self.keep_overtaken(given);
        }
        self.last = Some(number);
        self.given.push_back(given);
    }

    /// The answer to a command that a later one has overtaken.
    #[cold]
    fn keep_overtaken(&mut self, given: Given) {
        if !mutant!("overtaken-answer-forgotten") {
            let place = self.given.partition_point(|other| other.number < given.number);
            self.given.insert(place, given);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_of_answers_does_not_grow() {
        let mut answers = Answers::default();
        for number in 1..=10 * bounds::ANSWERS as u64 {
            answers.keep(number, 7, number);
        }
        assert_eq!(answers.given.len(), bounds::ANSWERS);
        assert!(answers.given.capacity() < 2 * bounds::ANSWERS, "{}", answers.given.capacity());
    }
}
