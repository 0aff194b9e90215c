//! Placing, raising and withdrawing bets at a terminal: one command, all or nothing.

use rulebook::{Cents, Citation, Layout, LimitScope, MultiPieceError, PayTable, Rulebook, SpotIndex};

use crate::bounds;
use crate::command::{BetChange, Sender};
use crate::decide::{Events, amount_fits};
use crate::event::{Change, Event, Group, Origin, Record};
use crate::few::Few;
use crate::ids::*;
use crate::level::TAGGED;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Phase, Round, Stake, Table, Terminal};

/// A terminal that may bet now, with everything a bet is checked against.
struct Bettor<'a> {
    terminal: &'a Terminal,
    table: &'a Table,
    rulebook: &'a Rulebook,
    round: &'a Round,
    layout: &'a Layout,
    pays: &'a PayTable,
    /// The round as a record of this floor's level names it.
    named_round: Option<RoundId>,
}

/// The effect of a command on the terminal's bets: no bets are copied, only the changes are kept.
struct Slip<'a> {
    stakes: &'a [Stake],
    changes: Few<Change>,
    added: Vec<Group>,
    removed: Vec<u16>,
}

impl Floor {
    // § etg 3.2, 3.4, 3.5, 5.2.2, 5.7 · mbs-sicbo 3.1, 3.2, 3.3, 5.6, 5.7, 5.9.2
    #[inline(always)]
    fn bettor(&self, sender: Sender, at: Moment) -> Result<Bettor<'_>, Refusal> {
        let Sender::Terminal(id) = sender else {
            return refuse(Code::NotForSender, "D11", "bets are placed at the Player Terminal");
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
            _ if mutant!("close-skips-phase") => table.round_in_play(rulebook)?,
            _ => return refuse(Code::BetsClosed, closed.as_slice(), "no more bets: bets are closed"),
        };
        if round.is_halted() && !mutant!("bets-while-halted") {
            return refuse(Code::GroundOpen, "D5", "the round is halted: no bets until the dealer has dealt with it");
        }
        // The period is over even if no command has closed it yet.
        if round.closes_at.is_some_and(|closes_at| at >= closes_at) && !mutant!("betting-period-forgotten") {
            return refuse(Code::BetsClosed, closed.as_slice(), "no more bets: the betting period is over");
        }
        let layout = rulebook.layouts().get(usize::from(terminal.layout));
        let layout = layout.ok_or_else(|| refusal(Code::NotOffered, "the rulebook", "the terminal has no layout"))?;
        let named_round = (self.level() >= TAGGED).then_some(round.id);
        Ok(Bettor { terminal, table, rulebook, round, layout, pays: layout.table(), named_round })
    }

    pub(crate) fn bet(&self, sender: Sender, changes: &[BetChange], at: Moment) -> Events {
        Ok(vec![self.bettor(sender, at)?.command(changes)?])
    }

    /// The same, with what comes of it added to other records.
    #[inline(always)]
    pub(crate) fn bet_into(
        &self,
        sender: Sender,
        changes: &[BetChange],
        at: Moment,
        origin: Origin,
        records: &mut Vec<Record>,
    ) -> Result<(), Refusal> {
        let bettor = self.bettor(sender, at)?;
        let origin = Some(origin);
        // Nearly every command is one bet more on one spot: there is nothing to collect, and its record is made where it
        // belongs. To move what has just been written makes the processor wait.
        if let [BetChange::Add { spot, amount }] = *changes {
            let terminal = bettor.add_one(spot, amount)?;
            let round = bettor.named_round;
            let event = || {
                let changes = Few::from([Change { spot, group: 0, delta: amount }]);
                Event::BetsChanged { terminal, changes, added: Vec::new(), removed: Vec::new(), round }
            };
            records.extend(std::iter::once_with(|| Record { at, origin, event: event() }));
            return Ok(());
        }
        records.push(Record { at, origin, event: bettor.command(changes)? });
        Ok(())
    }

    pub(crate) fn clear_bets(&self, sender: Sender, at: Moment) -> Events {
        let bettor = self.bettor(sender, at)?;
        let terminal = bettor.terminal;
        if terminal.stakes.is_empty() {
            return refuse(Code::NothingToDo, bettor.layout.paragraph(), "there are no bets to clear");
        }
        let back = |stake: &Stake| Change { spot: stake.spot, group: stake.group, delta: negated(stake.amount) };
        Ok(vec![Event::BetsChanged {
            terminal: terminal.id,
            changes: terminal.stakes.iter().map(back).collect(),
            added: Vec::new(),
            removed: terminal.groups.iter().map(|group| group.id).collect(),
            round: bettor.named_round,
        }])
    }

    /// The bets of the visit's last round once more, checked like any others.
    pub(crate) fn repeat_bets(&self, sender: Sender, doubled: bool, at: Moment) -> Events {
        let bettor = self.bettor(sender, at)?;
        let terminal = bettor.terminal;
        if !terminal.stakes.is_empty() {
            return refuse(Code::Phase, bettor.layout.paragraph(), "clear the bets on the layout before repeating");
        }
        let last = terminal.last_round.and_then(|round| bettor.table.archived(round));
        let entry = last.and_then(|last| last.entry(terminal.id));
        let entry = entry.filter(|entry| entry.visit == terminal.visit && entry.layout == terminal.layout);
        let Some(entry) = entry else {
            return refuse(Code::NothingToDo, bettor.layout.paragraph(), "there are no bets to repeat");
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
        bettor.decide(&changes).map(|event| vec![event])
    }
}

impl Bettor<'_> {
    fn command(&self, wanted: &[BetChange]) -> Result<Event, Refusal> {
        if wanted.is_empty() || wanted.len() > bounds::CHANGES {
            return refuse(Code::TooMany, "bounds", format!("a command carries 1 to {} changes", bounds::CHANGES));
        }
        self.decide(wanted)
    }

    fn decide(&self, wanted: &[BetChange]) -> Result<Event, Refusal> {
        let mut slip =
            Slip { stakes: &self.terminal.stakes, changes: Few::new(), added: Vec::new(), removed: Vec::new() };
        for change in wanted {
            self.apply(&mut slip, change)?;
        }
        if slip.changes.is_empty() && slip.removed.is_empty() {
            return refuse(Code::NothingToDo, self.layout.paragraph(), "nothing changes");
        }
        self.check(&slip.changes, slip.added.len())?;
        let Slip { changes, added, removed, .. } = slip;
        Ok(Event::BetsChanged { terminal: self.terminal.id, changes, added, removed, round: self.named_round })
    }

    /// Whether one bet more can be placed on one spot, and where.
    #[inline(always)]
    fn add_one(&self, spot: SpotIndex, amount: Cents) -> Result<TerminalId, Refusal> {
        self.fits(spot, amount)?;
        self.check(&[Change { spot, group: 0, delta: amount }], 0)?;
        Ok(self.terminal.id)
    }

    /// The conditions on the terminal's bets after these changes and this many additional multi-piece bets.
    #[inline(always)]
    fn check(&self, changes: &[Change], groups: usize) -> Result<(), Refusal> {
        if self.count(changes) > bounds::STAKES || self.terminal.groups.len() + groups > bounds::GROUPS {
            return refuse(Code::TooMany, "bounds", "too many bets on one terminal in a round");
        }
        self.limits(changes)?;
        let more: i64 = changes.iter().map(|change| change.delta.get()).sum();
        self.credit(more)?;
        // A bet moved to another spot costs nothing and can still be the one too many; a withdrawal is never refused.
        if changes.iter().any(|change| change.delta.is_positive()) {
            self.liability(changes)?;
        }
        Ok(())
    }

    /// How many stakes there are at most, after changes.
    fn count(&self, changes: &[Change]) -> usize {
        let stakes = &self.terminal.stakes;
        let same = |change: &Change, stake: &Stake| stake.spot == change.spot && stake.group == change.group;
        let new = |change: &&Change| !stakes.iter().any(|stake| same(change, stake));
        // Only near the bound is it worth telling new stakes from raised ones.
        let most = stakes.len() + changes.len();
        if most <= bounds::STAKES { most } else { stakes.len() + changes.iter().filter(new).count() }
    }

    /// Everything on a spot, pieces included, after changes.
    fn on_spot(&self, spot: SpotIndex, changes: &[Change]) -> i64 {
        let before = self.terminal.stakes.iter().filter(|stake| stake.spot == spot).map(|stake| stake.amount.get());
        let changed = changes.iter().filter(|change| change.spot == spot).map(|change| change.delta.get());
        before.chain(changed).fold(0, i64::saturating_add)
    }

    fn apply(&self, slip: &mut Slip<'_>, change: &BetChange) -> Result<(), Refusal> {
        match change {
            BetChange::Add { spot, amount } => {
                self.fits(*spot, *amount)?;
                slip.change(*spot, 0, *amount);
            }
            BetChange::Take { spot, amount } => {
                self.fits(*spot, *amount)?;
                if slip.stands(*spot, 0) < amount.get() {
                    return refuse(Code::MoreThanStands, self.layout.paragraph(), "more than stands on that spot");
                }
                slip.change(*spot, 0, negated(*amount));
            }
            BetChange::AddPieces { bet, unit } => self.add_pieces(slip, bet, *unit)?,
            BetChange::TakePieces { group } => {
                let stands = slip.group(*group);
                if *group == 0 || stands.is_empty() {
                    return refuse(Code::NotFound, self.pieces_paragraph(), "there is no such multi-piece bet");
                }
                for (spot, amount) in stands {
                    slip.change(spot, *group, negated(amount));
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
    // § etg 2.1.1, 3.4 · mbs-sicbo 2.1, 3.3, 7
    fn fits(&self, spot: SpotIndex, amount: Cents) -> Result<(), Refusal> {
        if self.pays.spot(spot).is_none() {
            return refuse(Code::NotOffered, self.layout.offer_paragraph(), "this layout does not offer that spot");
        }
        amount_fits(amount)?;
        if !amount.is_multiple_of(self.table.settings.step) {
            let step = self.table.settings.step;
            return refuse(Code::OffStep, "D9", format!("bets are multiples of {step}"));
        }
        Ok(())
    }

    /// What says which multi-piece bets there are.
    fn pieces_paragraph(&self) -> &Citation {
        self.rulebook.multi_piece().first().map_or_else(|| self.layout.offer_paragraph(), |bet| &bet.paragraph)
    }

    /// A multi-piece bet keeps its identity; each piece counts on its own spot.
    // § rws-roulette-000 Appendix B
    fn add_pieces(&self, slip: &mut Slip<'_>, bet: &str, unit: Cents) -> Result<(), Refusal> {
        if bet.len() > bounds::NAME {
            return refuse(Code::Text, "bounds", "no multi-piece bet has so long a name");
        }
        let unknown = |error: MultiPieceError| refusal(Code::NotOffered, self.pieces_paragraph(), error.to_string());
        let (kind, pieces) = self.rulebook.expand(bet).map_err(unknown)?;
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
    // § etg 3.3
    #[inline]
    fn limits(&self, changes: &[Change]) -> Result<(), Refusal> {
        debug_assert!(self.rulebook.limits().scope == LimitScope::PlayerAndSpot);
        for change in changes {
            let on_spot = self.on_spot(change.spot, changes);
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

    // § rws-sicbo 1.7 · rws-sicbo-open 1.7 · rws-roulette-000 1.6 · mbs-sicbo 1.1.2
    fn credit(&self, more: i64) -> Result<(), Refusal> {
        if more > self.terminal.credit.get() {
            return refuse(Code::Credit, "D7", format!("the credit is {}", self.terminal.credit));
        }
        match self.terminal.loss_limit {
            Some(limit) if more > 0 && self.terminal.lost_in_visit.get().saturating_add(more) > limit.get() => {
                refuse(Code::LossLimit, "S4", format!("this visit's loss limit is {limit}"))
            }
            _ => Ok(()),
        }
    }

    /// No outcome may cost the house more than the table's liability limit.
    #[inline]
    fn liability(&self, changes: &[Change]) -> Result<(), Refusal> {
        self.table.settings.liability.map_or(Ok(()), |limit| self.liability_within(limit, changes))
    }

    fn liability_within(&self, limit: Cents, changes: &[Change]) -> Result<(), Refusal> {
        let stakes = changes.iter().map(|change| (change.spot, change.delta));
        if self.round.exposure.is_within(limit, self.pays, stakes) {
            return Ok(());
        }
        refuse(Code::Liability, "liability", format!("the table's liability is limited to {limit}"))
    }
}

impl Slip<'_> {
    fn change(&mut self, spot: SpotIndex, group: u16, delta: Cents) {
        match self.changes.iter_mut().find(|change| change.spot == spot && change.group == group) {
            Some(change) => {
                change.delta = Cents::new(change.delta.get().saturating_add(delta.get()));
                self.changes.retain(|change| change.delta != Cents::ZERO);
            }
            None => self.changes.push(Change { spot, group, delta }),
        }
    }

    /// What stands on a spot as part of one bet, after the changes so far.
    fn stands(&self, spot: SpotIndex, group: u16) -> i64 {
        let before = self.stakes.iter().find(|stake| stake.spot == spot && stake.group == group);
        let change = self.changes.iter().find(|change| change.spot == spot && change.group == group);
        let change = change.map_or(0, |change| change.delta.get());
        before.map_or(0, |stake| stake.amount.get()).saturating_add(change)
    }

    /// The pieces of a multi-piece bet, after the changes so far.
    fn group(&self, group: u16) -> Vec<(SpotIndex, Cents)> {
        let before = self.stakes.iter().filter(|stake| stake.group == group).map(|stake| stake.spot);
        let changed = self.changes.iter().filter(|change| change.group == group).map(|change| change.spot);
        let mut spots: Vec<SpotIndex> = before.chain(changed).collect();
        spots.sort_unstable();
        spots.dedup();
        let stands = |spot: SpotIndex| (spot, Cents::new(self.stands(spot, group)));
        spots.into_iter().map(stands).filter(|(_, amount)| amount.is_positive()).collect()
    }
}

fn negated(amount: Cents) -> Cents {
    Cents::new(amount.get().saturating_neg())
}
