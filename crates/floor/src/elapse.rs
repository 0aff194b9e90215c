//! Deadlines: only those that have passed become events.

use crate::bounds;
use crate::command::Sender;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Phase, Returning, Round, Table};

impl Floor {
    /// When something next happens by itself, so that the host knows when to send `Elapse`.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Moment> {
        if self.is_locked() {
            return self.next_doubt().into_iter().chain(self.next_day()).min();
        }
        let rounds = self.tables.iter().filter_map(|table| table.round.as_ref()).filter_map(Round::deadline);
        let expiry = self.expiries.keys().next().copied();
        let recalled = self.tables.iter().filter_map(Table::recalled_until);
        rounds.chain(expiry).chain(recalled).chain(self.next_doubt()).chain(self.next_day()).min()
    }

    pub(crate) fn elapse(&self, sender: Sender, at: Moment) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S22", "the host keeps the time");
        }
        let mut events = if self.is_locked() { Vec::new() } else { self.play_elapses(at) };
        let raised = events.iter().filter(|event| matches!(event, Event::AlertRaised { .. })).count();
        events.extend(self.doubt_alerts(at, raised as u64));
        events.extend(self.day_begins(at));
        if events.is_empty() {
            return refuse(Code::NothingToDo, "S22", "no deadline has passed");
        }
        Ok(events)
    }

    /// The deadlines of play, which stand still while it is locked (S10).
    fn play_elapses(&self, at: Moment) -> Vec<Event> {
        let mut events = Vec::new();
        for table in &self.tables {
            let Some(round) = &table.round else { continue };
            // § etg 5.1, 5.2 · mbs-sicbo 5.8, 5.9
            if let Some(from) = round.not_back(at) {
                events.push(Event::RoundInterrupted { table: table.id, round: round.id, from, to: at });
                continue;
            }
            if round.interrupted.is_none() && round.step_deadline().is_some_and(|deadline| at >= deadline) {
                match round.phase {
                    Phase::Open => events.push(Event::BetsClosed { round: round.id, table: table.id, by: None }),
                    _ => events.extend(self.count_lost(table, round, at)),
                }
            }
        }
        let over = |table: &&Table| table.recalled_until().is_some_and(|until| at >= until);
        events.extend(self.tables.iter().filter(over).map(|table| Event::RoundsPutBack { table: table.id }));
        let due = self.expiries.iter().take_while(|(expires, _)| **expires <= at).flat_map(|(_, tickets)| tickets);
        events.extend(due.take(bounds::EXPIRED).map(|ticket| Event::TicketExpired { ticket: *ticket }));
        events
    }

    /// Live terminals that have not acknowledged the close in time count as lost for the round (D12).
    pub(crate) fn count_lost(&self, table: &Table, round: &Round, at: Moment) -> Option<Event> {
        let late = round.acknowledged_by().is_some_and(|deadline| at >= deadline);
        if round.awaiting == 0 || !late {
            return None;
        }
        let silent = |id: &TerminalId| {
            self.terminal(*id).is_some_and(|terminal| terminal.live && terminal.acknowledged != Some(round.id))
        };
        let terminals = table.terminals.iter().copied().filter(silent).collect();
        Some(Event::CountedLost { round: round.id, table: table.id, terminals })
    }
}

impl Table {
    /// When past rounds that were recalled are put back (D24).
    fn recalled_until(&self) -> Option<Moment> {
        (!self.recalled.is_empty()).then(|| self.recalled_at.after(bounds::RECALLED_FOR))
    }
}

impl Round {
    /// Since when the round has waited for terminals that were connected before a stoppage and are not back (D6).
    pub(crate) fn stands_still(&self) -> Option<Moment> {
        self.returning.as_ref().filter(|returning| !returning.missing.is_empty()).map(|returning| returning.from)
    }

    /// Nothing is settled before the terminals are back after a stoppage: if they do not come, the round is interrupted
    /// (D6).
    // § etg 5.1, 5.2 · mbs-sicbo 5.8, 5.9
    pub(crate) fn terminals_back(&self) -> Result<(), Refusal> {
        match self.not_yet_back() {
            0 => Ok(()),
            missing => {
                let words = format!(
                    "{missing} terminals are not back after the stoppage: the round is settled when they are, and \
                     interrupted if they do not come"
                );
                refuse(Code::Unacknowledged, "D6", words)
            }
        }
    }

    /// How many terminals a round waits for after a stoppage (D6).
    #[must_use]
    pub fn not_yet_back(&self) -> usize {
        self.returning.as_ref().map_or(0, |returning| returning.missing.len())
    }

    /// Since when the round stood still, if its terminals are not back in time: then it is interrupted (D6).
    fn not_back(&self, at: Moment) -> Option<Moment> {
        let returning = self.returning.as_ref().filter(|returning| !returning.missing.is_empty())?;
        (self.interrupted.is_none() && at >= returning.until).then_some(returning.from)
    }

    fn deadline(&self) -> Option<Moment> {
        let waiting = |returning: &&Returning| !returning.missing.is_empty() && self.interrupted.is_none();
        let back = self.returning.as_ref().filter(waiting).map(|returning| returning.until);
        [back, self.step_deadline()].into_iter().flatten().min()
    }

    /// Until when the terminals have time to acknowledge the close. It does not run while the host is away (D12).
    pub(crate) fn acknowledged_by(&self) -> Option<Moment> {
        let closed = self.closed_at?;
        Some(self.shows_from.map_or(closed, |back| back.max(closed)).after(bounds::ACKNOWLEDGE_WITHIN))
    }

    fn step_deadline(&self) -> Option<Moment> {
        if self.interrupted.is_some() || self.is_halted() && self.phase == Phase::Open {
            return None;
        }
        match self.phase {
            Phase::Open => self.closes_at,
            _ if self.awaiting > 0 => self.acknowledged_by(),
            _ => None,
        }
    }
}
