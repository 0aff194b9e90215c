//! What the agent must remember over a loss of power.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Event;
use crate::Cents;

/// The notes that are remembered (S13), and the events.
const NOTES: usize = 5;
const EVENTS: usize = 100;

/// What is durable before anything is done that rests on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The largest number under which the validator has reported.
    pub device_number: u64,
    /// The bit of the validator's line (EBDS).
    #[serde(default)]
    pub mark: bool,
    /// The note that was ordered into the stacker.
    pub note: Option<Note>,
    /// Notes that counted, and whose report the floor has not accepted yet.
    pub unreported: VecDeque<Cash>,
    /// The ticket in escrow that was offered to the floor.
    pub ticket_in: Option<TicketIn>,
    /// The ticket that is being printed.
    pub print: Option<Print>,
    /// What the page reads its own records with, of the last link (S8).
    pub reader: Option<String>,
    /// What the floor is to be told, the oldest first (S14).
    #[serde(default)]
    pub reports: VecDeque<Event>,
    /// The last notes, the newest first.
    pub notes: VecDeque<Cash>,
    /// The last events, the newest first.
    pub events: VecDeque<Event>,
}

/// A note that goes into the stacker.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its worth.
    pub amount: Cents,
    /// The number under which it will be reported.
    pub number: u64,
    /// It counts.
    pub vended: bool,
}

/// A note that counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cash {
    /// The number of its report.
    pub number: u64,
    /// Its worth.
    pub amount: Cents,
}

/// A ticket in escrow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketIn {
    /// Its number.
    pub digits: String,
    /// The number under which it was offered.
    pub number: u64,
    /// The floor has taken it.
    pub accepted: bool,
}

/// A ticket on its way to paper.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// Which.
    pub ticket: u64,
    /// Its bytes may have been sent.
    pub sent: bool,
    /// What the printer reported, and the number under which the floor is told; zero until it is chosen.
    pub outcome: Option<(Outcome, u64)>,
}

/// What a printer reported.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// On paper.
    Printed,
    /// Not on paper.
    Failed,
}

impl State {
    /// A note counts: it is to be reported, once.
    pub fn counts(&mut self) {
        if let Some(note) = self.note.as_mut().filter(|note| !note.vended) {
            note.vended = true;
            let cash = Cash { number: note.number, amount: note.amount };
            self.unreported.push_back(cash);
            self.notes.push_front(cash);
            self.notes.truncate(NOTES);
        }
    }

    /// Adds an event to the list, and to what the floor is told. If that is full, the oldest is not told.
    pub fn happened(&mut self, event: Event) {
        if event.kind.is_reported() {
            self.reports.push_back(event.clone());
            let beyond = self.reports.len().saturating_sub(EVENTS);
            self.reports.drain(..beyond);
        }
        self.events.push_front(event);
        self.events.truncate(EVENTS);
    }
}
