//! Retries: the last answers of each sender.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::refusal::{Code, Refusal, refuse};

/// The answers given to one sender, newest last.
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
    /// The answer given earlier to this very command, if it is a retry.
    pub fn earlier(&self, number: u64, body: u64) -> Result<Option<u64>, Refusal> {
        match self.last {
            None => Ok(None),
            Some(last) if number > last => Ok(None),
            Some(_) => match self.given.iter().find(|given| given.number == number) {
                Some(given) if given.body == body => Ok(Some(given.sequence)),
                Some(_) => {
                    refuse(Code::NumberReused, "idempotency", format!("number {number} was used for another command"))
                }
                None => refuse(Code::Stale, "idempotency", format!("number {number} is older than the answers kept")),
            },
        }
    }

    /// The number of the last answer.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    pub fn keep(&mut self, number: u64, body: u64, sequence: u64) {
        self.last = Some(number);
        if self.given.len() >= bounds::ANSWERS {
            self.given.pop_front();
        }
        self.given.push_back(Given { number, body, sequence });
    }
}
