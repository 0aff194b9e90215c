//! A host's clock that went ahead or was set back: nothing that the wall clock decides happens early or late (S14).
//!
//! The host goes on with the time that has passed, so that no ticket expires, no bets close and no gaming day ends before
//! its time. What it found is recorded, and an administrator accepts the clock or sets it right.

use crate::command::{AlertKind, Sender};
use crate::decide::Events;
use crate::event::Event;
use crate::refusal::{Code, refuse};
use crate::state::Floor;

const RULE: &str = "S14";

impl Floor {
    /// By how many milliseconds the clock of the host in charge is ahead of the time that has passed, until accepted; a
    /// negative number if it was set back.
    #[must_use]
    pub fn clock_ahead(&self) -> Option<i64> {
        self.integrity.clock
    }

    pub(crate) fn report_clock(&self, sender: Sender, ahead: i64) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, RULE, "the host keeps the time");
        }
        if self.integrity.clock.unwrap_or(0) == ahead {
            return refuse(Code::NothingToDo, RULE, "this is known already");
        }
        let mut events = vec![Event::ClockJumped { ahead }];
        if ahead != 0 && self.integrity.clock.is_none() {
            let (seconds, rest) = ((ahead / 1000).abs(), (ahead % 1000).abs() / 100);
            let way = if ahead > 0 { "went ahead" } else { "was set back" };
            let words = format!(
                "the host's clock {way} by {seconds}.{rest} s: the floor's time goes on without it until an \
                 administrator accepts it"
            );
            events.extend(self.alert(0, None, AlertKind::Integrity(words)));
        }
        Ok(events)
    }

    pub(crate) fn accept_clock(&self, sender: Sender) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, RULE, "an administrator accepts the clock");
        };
        match self.integrity.clock {
            Some(ahead) => Ok(vec![Event::ClockAccepted { ahead, by }]),
            None => refuse(Code::NothingToDo, RULE, "the clock has not jumped"),
        }
    }
}
