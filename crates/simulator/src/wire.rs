//! Between senders and the floor: numbers, delays, retries, lost replies.

use std::collections::{BTreeMap, VecDeque};

use floor::{Body, Command, Decision, Moment, Refusal, Sender};

use crate::chance::Chance;

/// Answers that the floor keeps for each sender.
const KEPT: usize = 32;
/// A number that is ahead by so much is far from everything.
const ABSURD: u64 = 1 << 60;
/// Commands under way at most.
const UNDER_WAY: usize = 12;

/// What a sender knows of its own commands.
#[derive(Clone, Default)]
struct Sent {
    last: u64,
    accepted: VecDeque<Accepted>,
}

#[derive(Clone)]
struct Accepted {
    number: u64,
    body: Body,
    sequence: u64,
}

/// How the floor must take a command, going by its number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    New,
    Earlier(u64),
    Reused,
    Stale,
    Far,
}

/// The wires of the floor.
#[derive(Clone, Default)]
pub(crate) struct Wire {
    senders: BTreeMap<Sender, Sent>,
    under_way: Vec<Command>,
}

impl Wire {
    /// A command with the sender's next number; some numbers are never used.
    pub fn write(&mut self, sender: Sender, body: Body, at: Moment, chance: &mut Chance) -> Command {
        let sent = self.senders.entry(sender).or_default();
        sent.last += if chance.one_in(10) { 3 } else { 1 };
        Command { sender, number: sent.last, at, body }
    }

    /// A command that arrives later, or is sent again because its reply was lost.
    pub fn delay(&mut self, command: Command) {
        if self.under_way.len() < UNDER_WAY {
            self.under_way.push(command);
        }
    }

    /// One of those under way, in no order.
    pub fn arrives(&mut self, at: Moment, chance: &mut Chance) -> Option<Command> {
        if self.under_way.is_empty() {
            return None;
        }
        let mut command = self.under_way.swap_remove(chance.below(self.under_way.len()));
        command.at = at;
        Some(command)
    }

    /// A command that was accepted once, as it was or with another body under its number.
    pub fn again(&self, at: Moment, chance: &mut Chance) -> Option<Command> {
        let senders: Vec<Sender> = self.senders.keys().copied().collect();
        let sender = chance.pick(&senders)?;
        let sent = self.senders.get(&sender)?;
        let back = if chance.one_in(5) { sent.accepted.len() } else { sent.accepted.len().min(4) };
        let accepted = sent.accepted.iter().rev().nth(chance.below(back.max(1)))?;
        let number = match chance.below(40) {
            0..4 => accepted.number.saturating_sub(1),
            4 => accepted.number + ABSURD,
            _ => accepted.number,
        };
        let body = if chance.one_in(5) { Body::ClearBets } else { accepted.body.clone() };
        Some(Command { sender, number, at, body })
    }

    /// How the floor must take a command.
    pub fn expects(&self, command: &Command) -> Taken {
        if command.number >= ABSURD {
            return Taken::Far;
        }
        let Some(sent) = self.senders.get(&command.sender) else { return Taken::New };
        // The answers to the largest numbers are kept.
        let mut kept: Vec<&Accepted> = sent.accepted.iter().collect();
        kept.sort_by_key(|accepted| std::cmp::Reverse(accepted.number));
        kept.truncate(KEPT);
        match kept.iter().find(|accepted| accepted.number == command.number) {
            Some(accepted) if accepted.body == command.body => Taken::Earlier(accepted.sequence),
            Some(_) => Taken::Reused,
            None if kept.len() < KEPT || kept.iter().any(|accepted| accepted.number < command.number) => Taken::New,
            None => Taken::Stale,
        }
    }

    /// Notes that a command was accepted with its first event at this place.
    pub fn accepted(&mut self, command: &Command, sequence: u64) {
        let sent = self.senders.entry(command.sender).or_default();
        sent.last = sent.last.max(command.number);
        sent.accepted.push_back(Accepted { number: command.number, body: command.body.clone(), sequence });
    }
}

impl Taken {
    /// Whether the floor took it so.
    pub fn agrees(self, decision: &Result<Decision, Refusal>) -> bool {
        use floor::Code;
        match (self, decision) {
            (Taken::New, Ok(Decision::Events(_))) => true,
            (Taken::New, Err(refusal)) => !matches!(refusal.code, Code::Stale | Code::NumberReused | Code::NumberFar),
            (Taken::Earlier(sequence), Ok(Decision::Earlier(known))) => sequence == *known,
            (Taken::Reused, Err(refusal)) => refusal.code == Code::NumberReused,
            (Taken::Stale, Err(refusal)) => refusal.code == Code::Stale,
            (Taken::Far, Err(refusal)) => refusal.code == Code::NumberFar,
            _ => false,
        }
    }
}
