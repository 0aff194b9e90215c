//! A host's clock that went ahead or was set back: nothing that the wall clock decides happens early or late (S14).
//!
//! The host continues with the time that has passed, so that no ticket expires, no bets close and no gaming day ends
//! early. What it found is recorded, and two people accept the clock, or a person sets it right.

use rulebook::Rank;

use crate::command::{AlertKind, Sender};
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::{Floor, Staff};

const RULE: &str = "S14";
/// A start this many milliseconds after the last record needs review: a day.
const LONG_STOP: i64 = 24 * 60 * 60 * 1000;

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
                "the host's clock {way} by {seconds}.{rest} s: the floor keeps its own time until an \
                 administrator accepts it"
            );
            events.extend(self.alert(0, None, AlertKind::Integrity(words)));
        }
        Ok(events)
    }

    /// How long the floor had stood still, if a start at this moment comes more than a day after the last record.
    pub(crate) fn long_stop(&self, at: Moment) -> Option<i64> {
        let stood = at.since(self.now);
        (self.settings.is_some() && stood > LONG_STOP).then_some(stood)
    }

    /// After a long stop a correct clock cannot be distinguished from one that was set ahead: play begins, and an alert
    /// is raised.
    pub(crate) fn long_stop_alert(&self, at: Moment) -> Option<Event> {
        let stood = self.long_stop(at)?;
        let words = format!(
            "the last record is {} h old by this host's clock: if the floor did not stand still for so long, the clock is wrong",
            stood / 3_600_000
        );
        self.alert(0, None, AlertKind::Integrity(words))
    }

    /// An accepted clock decides what expires and which gaming day it is: two people accept it (D27).
    pub(crate) fn accept_clock(&self, sender: Sender, witness: Option<StaffId>) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, RULE, "an administrator accepts the clock");
        };
        match self.integrity.clock {
            Some(ahead) => {
                let manages = |staff: &Staff| staff.rank() >= Some(Rank::PitManager);
                let words = "a second person must sign: an administrator, or a Pit Manager or above";
                let witness = self.office_second(Some(by), witness, manages, words)?;
                Ok(vec![Event::ClockAccepted { ahead, by, witness }])
            }
            None => refuse(Code::NothingToDo, RULE, "the clock has not jumped"),
        }
    }
}
