//! Placing, raising and withdrawing bets at a terminal: one command, all or nothing.

use rulebook::{Cents, LimitScope, PayTable, Rulebook, SpotIndex};

use crate::bounds;
use crate::command::{BetChange, Sender};
use crate::decide::{Events, amount_fits};
use crate::event::{Change, Event, Group};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Phase, Round, Stake, Table, Terminal};

/// A terminal that may bet now, with everything a bet is checked against.
struct Bettor<'a> {
    terminal: &'a Terminal,
    table: &'a Table,
    rulebook: &'a Rulebook,
    round: &'a Round,
    pays: &'a PayTable,
}

/// The terminal's bets as they would be, and how they come to be so.
struct Slip {
    stakes: Vec<Stake>,
    changes: Vec<Change>,
    added: Vec<Group>,
    removed: Vec<u16>,
}

impl Floor {
    fn bettor(&self, sender: Sender, at: Moment) -> Result<Bettor<'_>, Refusal> {
        let Sender::Terminal(id) = sender else {
            return refuse(Code::NotForSender, "3.4", "bets are placed at the Player Terminal");
        };
        let terminal = self.find_terminal(id)?;
        terminal.available()?;
        let (table, rulebook) = self.find_table(terminal.table)?;
        let closed = &rulebook.irregularities().after_close;
        let Some(round) = &table.round else {
            return refuse(Code::BetsClosed, &rulebook.procedure().opening.paragraph, "bets are not open");
        };
        let round = match round.phase {
            Phase::Begun => {
                return refuse(Code::Phase, &rulebook.procedure().opening.paragraph, "bets are not open yet");
            }
            Phase::Open => table.round_in_play(rulebook)?,
            _ => return refuse(Code::BetsClosed, closed.as_slice(), "no more bets: bets are closed"),
        };
        if round.ground.is_some() {
            return refuse(Code::GroundOpen, "D5", "the round is halted: no bets until the dealer has dealt with it");
        }
        // The period is over even if nobody has said so yet.
        if round.closes_at.is_some_and(|closes_at| at >= closes_at) {
            return refuse(Code::BetsClosed, closed.as_slice(), "no more bets: the betting period is over");
        }
        let layout = rulebook.layouts().get(usize::from(terminal.layout));
        let layout = layout.ok_or_else(|| refusal(Code::NotOffered, "4.1", "the terminal has no layout"))?;
        Ok(Bettor { terminal, table, rulebook, round, pays: layout.table() })
    }

    pub(crate) fn bet(&self, sender: Sender, changes: &[BetChange], at: Moment) -> Events {
        let bettor = self.bettor(sender, at)?;
        if changes.is_empty() || changes.len() > bounds::CHANGES {
            return refuse(Code::TooMany, "bounds", format!("a command carries 1 to {} changes", bounds::CHANGES));
        }
        bettor.decide(changes)
    }

    pub(crate) fn clear_bets(&self, sender: Sender, at: Moment) -> Events {
        let bettor = self.bettor(sender, at)?;
        let terminal = bettor.terminal;
        if terminal.stakes.is_empty() {
            return refuse(Code::NothingToDo, "3.4", "there are no bets to clear");
        }
        let back = |stake: &Stake| Change { spot: stake.spot, group: stake.group, delta: negated(stake.amount) };
        Ok(vec![Event::BetsChanged {
            terminal: terminal.id,
            changes: terminal.stakes.iter().map(back).collect(),
            added: Vec::new(),
            removed: terminal.groups.iter().map(|group| group.id).collect(),
        }])
    }

    /// The bets of the visit's last round once more, checked like any others.
    pub(crate) fn repeat_bets(&self, sender: Sender, doubled: bool, at: Moment) -> Events {
        let bettor = self.bettor(sender, at)?;
        let terminal = bettor.terminal;
        if !terminal.stakes.is_empty() {
            return refuse(Code::Phase, "3.4", "clear the bets on the layout before repeating");
        }
        let last = terminal.last_round.and_then(|round| bettor.table.archived(round));
        let entry = last.and_then(|last| last.entry(terminal.id));
        let entry = entry.filter(|entry| entry.visit == terminal.visit && entry.layout == terminal.layout);
        let Some(entry) = entry else {
            return refuse(Code::NothingToDo, "3.4", "there are no bets to repeat");
        };
        let times = if doubled { 2 } else { 1 };
        let scaled = |amount: Cents| {
            amount.checked_mul(times).ok_or_else(|| refusal(Code::Amount, "bounds", "the amount is too large"))
        };
        let mut changes = Vec::with_capacity(entry.stakes.len());
        for stake in entry.stakes.iter().filter(|stake| stake.group == 0) {
            changes.push(BetChange::Add { spot: stake.spot, amount: scaled(stake.amount)? });
        }
        for group in &entry.groups {
            changes.push(BetChange::AddPieces { bet: group.bet.clone(), unit: scaled(group.unit)? });
        }
        bettor.decide(&changes)
    }
}

impl Bettor<'_> {
    fn decide(&self, wanted: &[BetChange]) -> Events {
        let mut slip = Slip {
            stakes: Vec::new(),
            changes: Vec::with_capacity(wanted.len()),
            added: Vec::new(),
            removed: Vec::new(),
        };
        slip.stakes.reserve(self.terminal.stakes.len() + wanted.len());
        slip.stakes.extend_from_slice(&self.terminal.stakes);
        for change in wanted {
            self.apply(&mut slip, change)?;
        }
        if slip.changes.is_empty() && slip.removed.is_empty() {
            return refuse(Code::NothingToDo, "3.4", "nothing changes");
        }
        if slip.stakes.len() > bounds::STAKES || self.terminal.groups.len() + slip.added.len() > bounds::GROUPS {
            return refuse(Code::TooMany, "bounds", "too many bets on one terminal in a round");
        }
        self.limits(&slip)?;
        let more: i64 = slip.changes.iter().map(|change| change.delta.get()).sum();
        self.credit(more)?;
        if more > 0 {
            self.liability(&slip.changes)?;
        }
        let Slip { changes, added, removed, .. } = slip;
        Ok(vec![Event::BetsChanged { terminal: self.terminal.id, changes, added, removed }])
    }

    fn apply(&self, slip: &mut Slip, change: &BetChange) -> Result<(), Refusal> {
        match change {
            BetChange::Add { spot, amount } => {
                self.fits(*spot, *amount)?;
                slip.change(*spot, 0, *amount);
            }
            BetChange::Take { spot, amount } => {
                self.fits(*spot, *amount)?;
                let stands = slip.stakes.iter().find(|stake| stake.spot == *spot && stake.group == 0);
                if stands.is_none_or(|stake| stake.amount < *amount) {
                    return refuse(Code::MoreThanStands, "3.4", "more than stands on that spot");
                }
                slip.change(*spot, 0, negated(*amount));
            }
            BetChange::AddPieces { bet, unit } => self.add_pieces(slip, bet, *unit)?,
            BetChange::TakePieces { group } => {
                let stands: Vec<Stake> = slip.stakes.iter().filter(|stake| stake.group == *group).copied().collect();
                if *group == 0 || stands.is_empty() {
                    return refuse(Code::NotFound, "Appendix B", "there is no such multi-piece bet");
                }
                for stake in stands {
                    slip.change(stake.spot, *group, negated(stake.amount));
                }
                match slip.added.iter().position(|added| added.id == *group) {
                    Some(place) => drop(slip.added.remove(place)),
                    None => slip.removed.push(*group),
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn fits(&self, spot: SpotIndex, amount: Cents) -> Result<(), Refusal> {
        if self.pays.spot(spot).is_none() {
            return refuse(Code::NotOffered, "4.1", "this layout does not offer that spot");
        }
        amount_fits(amount)?;
        if !amount.is_multiple_of(self.table.settings.step) {
            let step = self.table.settings.step;
            return refuse(Code::OffStep, "D9", format!("bets are multiples of {step}"));
        }
        Ok(())
    }

    /// A multi-piece bet keeps its identity; each piece counts on its own spot.
    fn add_pieces(&self, slip: &mut Slip, bet: &str, unit: Cents) -> Result<(), Refusal> {
        if bet.len() > bounds::NAME {
            return refuse(Code::Text, "bounds", "no multi-piece bet has so long a name");
        }
        let (kind, pieces) =
            self.rulebook.expand(bet).map_err(|error| refusal(Code::NotOffered, "Appendix B", error.to_string()))?;
        if !kind.terminals.contains(&self.terminal.kind) {
            let words = format!("multi-piece bets are not offered by terminal {}", self.terminal.kind);
            return refuse(Code::NotOffered, &kind.paragraph, words);
        }
        let taken = |id: u16| {
            self.terminal.groups.iter().any(|group| group.id == id) || slip.added.iter().any(|group| group.id == id)
        };
        let Some(id) = (1..=u16::MAX).find(|id| !taken(*id) && !slip.removed.contains(id)) else {
            return refuse(Code::TooMany, "bounds", "too many multi-piece bets");
        };
        for piece in pieces {
            let stake = Rulebook::piece_stake(unit, piece)
                .map_err(|error| refusal(Code::Amount, "bounds", error.to_string()))?;
            let Some(spot) = self.pays.index(piece.spot) else {
                return refuse(Code::NotOffered, &kind.paragraph, format!("{} is not on this layout", piece.spot));
            };
            self.fits(spot, stake)?;
            slip.change(spot, id, stake);
        }
        slip.added.push(Group { id, bet: bet.to_owned(), unit });
        Ok(())
    }

    /// Minimum and maximum per player and spot, pieces included (3.3, D13). Checked on what stands afterwards.
    fn limits(&self, slip: &Slip) -> Result<(), Refusal> {
        debug_assert!(self.rulebook.limits().scope == LimitScope::PlayerAndSpot);
        for change in &slip.changes {
            let on_spot: i64 =
                slip.stakes.iter().filter(|stake| stake.spot == change.spot).map(|stake| stake.amount.get()).sum();
            let Some(priced) = self.pays.spot(change.spot) else { continue };
            let limit = self.table.settings.limit_of(priced.spot.family());
            let paragraph = &self.rulebook.limits().paragraph;
            if on_spot != 0 && on_spot < limit.minimum.get() {
                let words = format!("the minimum on {} is {}", priced.spot, limit.minimum);
                return refuse(Code::BelowMinimum, paragraph, words);
            }
            match limit.maximum {
                Some(maximum) if on_spot > maximum.get() => {
                    let words = format!("the maximum on {} is {maximum}", priced.spot);
                    return refuse(Code::AboveMaximum, paragraph, words);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn credit(&self, more: i64) -> Result<(), Refusal> {
        if more > self.terminal.credit.get() {
            return refuse(Code::Credit, "1.7", format!("the credit is {}", self.terminal.credit));
        }
        match self.terminal.loss_limit {
            Some(limit) if more > 0 && self.terminal.lost_in_visit.get().saturating_add(more) > limit.get() => {
                refuse(Code::LossLimit, "S4", format!("this visit's loss limit is {limit}"))
            }
            _ => Ok(()),
        }
    }

    /// No outcome may cost the house more than the table's liability limit.
    fn liability(&self, changes: &[Change]) -> Result<(), Refusal> {
        let Some(limit) = self.table.settings.liability else { return Ok(()) };
        let worst = self.round.exposure.worst_with(self.pays, changes.iter().map(|change| (change.spot, change.delta)));
        match worst {
            Some(worst) if worst <= limit => Ok(()),
            _ => refuse(Code::Liability, "liability", format!("the table's liability is limited to {limit}")),
        }
    }
}

impl Slip {
    fn change(&mut self, spot: SpotIndex, group: u16, delta: Cents) {
        let found = self.stakes.iter().position(|stake| stake.spot == spot && stake.group == group);
        match found.and_then(|place| self.stakes.get_mut(place).map(|stake| (place, stake))) {
            Some((place, stake)) => {
                stake.amount = Cents::new(stake.amount.get().saturating_add(delta.get()));
                if stake.amount == Cents::ZERO {
                    self.stakes.remove(place);
                }
            }
            None => self.stakes.push(Stake { spot, group, amount: delta }),
        }
        match self.changes.iter_mut().find(|change| change.spot == spot && change.group == group) {
            Some(change) => change.delta = Cents::new(change.delta.get().saturating_add(delta.get())),
            None => self.changes.push(Change { spot, group, delta }),
        }
        self.changes.retain(|change| change.delta != Cents::ZERO);
    }
}

fn negated(amount: Cents) -> Cents {
    Cents::new(amount.get().saturating_neg())
}
