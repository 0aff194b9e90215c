//! Rounds: opened, bet on, closed, observed, settled, void.

use super::Applied;
use crate::command::*;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause, Misfit};
use crate::level::TAGGED;
use crate::state::*;
use rulebook::{Cents, Exposure, OutcomeIndex, Rulebook};

impl Floor {
    pub(super) fn close_acknowledged(&mut self, id: TerminalId, round: RoundId) -> Applied {
        let terminal = self.terminal_mut(id)?;
        terminal.acknowledged = Some(round);
        let (table, live) = (terminal.table, terminal.live);
        if live {
            let round = self.round_mut(table, round)?;
            round.awaiting = round.awaiting.saturating_sub(1);
        }
        Ok(())
    }

    pub(super) fn new_round(&mut self, round: RoundId, table: TableId, phase: Phase, at: Moment) -> Applied {
        self.next.round = self.next.round.max(round.0 + 1);
        let outcomes = self.table(table).and_then(|table| self.rulebook_of(table)).map(|r| r.outcomes().size());
        let Some(outcomes) = outcomes else { return self.misfit("no such table") };
        let table = self.table_mut(table)?;
        if let Some(settings) = table.pending.take() {
            table.settings = settings;
        }
        if let Some(period) = table.next_recording_period.take() {
            table.recording_period = Some(period);
        }
        table.round = Some(Round {
            id: round,
            phase,
            begun_at: at,
            closes_at: None,
            closed_at: None,
            outcome: None,
            ground: None,
            waiting: Vec::new(),
            halted_at: None,
            interrupted: None,
            awaiting: 0,
            seen: Seen::default(),
            exposure: Exposure::new(outcomes),
            returns: Vec::new(),
            chips: Vec::new(),
            left: Vec::new(),
            visible: false,
            doubtful: false,
            meanwhile: Seen::default(),
            reporters: Vec::new(),
            set_aside: Vec::new(),
            declared: false,
            changed_after_rest: false,
            stated_rest: None,
            lifted: false,
            advised: Vec::new(),
            later: Vec::new(),
            second: None,
            replaced: false,
            entered: None,
            fault: None,
            failed: Vec::new(),
            returning: None,
            shows_from: None,
        });
        Ok(())
    }

    pub(super) fn round_begun(&mut self, round: RoundId, table: TableId, by_dealer: bool, at: Moment) -> Applied {
        self.new_round(round, table, Phase::Begun, at)?;
        self.round_mut(table, round)?.seen.set_off = by_dealer;
        Ok(())
    }

    pub(super) fn bets_opened(
        &mut self,
        round: RoundId,
        table: TableId,
        closes_at: Option<Moment>,
        at: Moment,
    ) -> Applied {
        if self.table_mut(table)?.round.is_none() {
            self.new_round(round, table, Phase::Open, at)?;
        }
        let round = self.round_mut(table, round)?;
        round.phase = Phase::Open;
        round.closes_at = closes_at;
        Ok(())
    }

    pub(super) fn bets_closed(&mut self, round: RoundId, table: TableId, at: Moment) -> Applied {
        let live = self.table_mut(table)?.live;
        let round = self.round_mut(table, round)?;
        round.phase = Phase::Closed;
        round.closed_at = Some(at);
        round.awaiting = live;
        Ok(())
    }

    pub(super) fn observed(&mut self, device: DeviceId, table: TableId, observation: Observation, how: How) -> Applied {
        let tagged = self.level() >= TAGGED;
        let mut bare = false;
        if let Some(device) = self.devices.get_mut(device.index()) {
            match observation {
                Observation::Fault { number } => device.fault = Some(number),
                Observation::Restored => device.fault = None,
                Observation::Uncovered if tagged => device.off = true,
                Observation::Covered if tagged => device.off = false,
                _ => {}
            }
            bare = device.off && device.measures().cover;
        }
        let covers = |rulebook: &Rulebook| {
            matches!(rulebook.procedure().device, rulebook::Device::Tumbler { covered: true, .. })
        };
        let bare = bare && self.table(table).and_then(|table| self.rulebook_of(table)).is_some_and(covers);
        if self.level() < TAGGED {
            let Some(round) = self.table_mut(table)?.round.as_mut().filter(|_| how != How::Kept) else { return Ok(()) };
            round.count_as_level_1(observation);
            return Ok(());
        }
        let set_off = matches!(observation, Observation::Activated | Observation::Spun { .. });
        let table = self.table_mut(table)?;
        if set_off {
            table.reports_of = None;
        }
        table.rest = match observation {
            Observation::Spun { .. } => None,
            Observation::Rested { pocket } => Some(pocket),
            _ => table.rest,
        };
        let made = table.round.as_ref().is_some_and(|round| round.seen.is_reported());
        table.earlier = table.earlier.after(observation, how != How::Kept || made);
        let Some(round) = table.round.as_mut() else { return Ok(()) };
        round.lifted |= observation == Observation::Uncovered && round.close_shown();
        match observation {
            Observation::Uncovered if round.seen.set_off || round.seen.is_unannounced() => {
                round.current_mut().exposed = true;
                round.current_mut().off = true;
            }
            Observation::Covered => round.current_mut().off = false,
            _ => {}
        }
        if !matches!(observation, Observation::Fault { .. } | Observation::Restored | Observation::Covered) {
            round.has_reported(device);
        }
        match (how, observation) {
            (How::Concealed, Observation::DiceRead { dice }) => {
                let seen = round.current_mut();
                seen.lies(dice);
                seen.read_concealed(dice);
            }
            (How::Counts | How::Unread, _) => {
                round.count(observation, how == How::Unread);
                // A tumble in the open is none under cover, from its beginning to its end.
                let seen = round.current_mut();
                let unannounced = !seen.set_off && matches!(observation, Observation::Tumbled { .. });
                seen.bare |= bare && (seen.running || unannounced);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn bets_changed(
        &mut self,
        id: TerminalId,
        changes: &[Change],
        added: &[Group],
        removed: &[u16],
    ) -> Applied {
        let (sequence, tagged) = (self.sequence, self.is_tagged());
        let misfit = |what| Misfit { sequence, what };
        let terminal = self.terminals.get_mut(id.index()).ok_or_else(|| misfit("no such terminal"))?;
        let table = self.tables.get_mut(terminal.table.index()).ok_or_else(|| misfit("no such table"))?;
        let rulebook = self.rulebooks.get(usize::from(table.rulebook)).ok_or_else(|| misfit("no rulebook"))?;
        let layout = rulebook.0.layouts().get(usize::from(terminal.layout)).ok_or_else(|| misfit("no layout"))?;
        let round = table.round.as_mut().ok_or_else(|| misfit("no round in progress"))?;
        if tagged && round.rested_early() {
            round.changed_after_rest = true;
        }
        let (mut wagered, mut returned) = (0_i64, 0_i64);
        for change in changes {
            terminal.change(*change);
            round
                .exposure
                .add(layout.table(), change.spot, change.delta)
                .map_err(|_| misfit("the exposure overflows"))?;
            let delta = change.delta.get();
            if delta > 0 { wagered += delta } else { returned -= delta }
        }
        // Near the limit every bet needs the returns of the outcomes: they are counted once, and not for each bet.
        if table.settings.liability.is_some_and(|limit| round.exposure.is_near(limit)) {
            round.exposure.count();
        }
        terminal.staked = Cents::new(terminal.staked.get() + wagered - returned);
        if !removed.is_empty() {
            terminal.groups.retain(|group| !removed.contains(&group.id));
        }
        terminal.groups.extend_from_slice(added);
        let table = terminal.table;
        self.transfer(Account::Stakes(table), Account::Credit(id), Cents::new(returned), Cause::BetReturned)?;
        self.transfer(Account::Credit(id), Account::Stakes(table), Cents::new(wagered), Cause::Wager)?;
        self.end_visit_if_empty(id)
    }

    // § etg 1.3 · rws-sicbo 1.8 · rws-sicbo-open 1.8 · rws-roulette-000 1.9 · mbs-sicbo 1.1.3
    pub(super) fn round_settled(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        (part, parts): (u16, u16),
        returns: &[(TerminalId, Cents)],
        at: Moment,
    ) -> Applied {
        let pending = self.round_mut(table, round)?;
        if part == 1 {
            // Parts without a last one were left by an interruption, and never took effect.
            pending.returns.clear();
        }
        pending.returns.extend_from_slice(returns);
        if part < parts {
            return Ok(());
        }
        // The last part: everything takes effect at once.
        let returns = std::mem::take(&mut pending.returns);
        let entries = self.close_entries(table, returns.into_iter(), |floor, id, staked, returned| {
            floor.transfer(Account::Stakes(table), Account::HouseWin(table), staked, Cause::Collect)?;
            floor.transfer(Account::HouseWin(table), Account::Credit(id), returned, Cause::Win)
        })?;
        let staked: i64 = entries.iter().map(|entry| entry.staked.get()).sum();
        let found = self.table_mut(table)?;
        found.accounts.turnover = Cents::new(found.accounts.turnover.get().saturating_add(staked));
        found.remember(round, outcome);
        found.rounds_settled += 1;
        self.archive_round(round, table, Some(outcome), entries, (Vec::new(), None), at)
    }

    /// Moves every bettor's stakes into an entry of the past and pays by the given movement.
    pub(super) fn close_entries(
        &mut self,
        table: TableId,
        returns: impl Iterator<Item = (TerminalId, Cents)>,
        pay: impl Fn(&mut Floor, TerminalId, Cents, Cents) -> Applied,
    ) -> Result<Vec<Entry>, Misfit> {
        let round = self.table_mut(table)?.round.as_ref().map(|round| round.id);
        let mut entries = Vec::with_capacity(returns.size_hint().0);
        for (id, returned) in returns {
            let terminal = self.terminal_mut(id)?;
            let staked = std::mem::replace(&mut terminal.staked, Cents::ZERO);
            terminal.last_round = round;
            entries.push(Entry {
                terminal: id,
                visit: terminal.visit,
                layout: terminal.layout,
                stakes: std::mem::take(&mut terminal.stakes),
                groups: std::mem::take(&mut terminal.groups),
                staked,
                entitled: returned,
                paid: returned,
                payable: None,
            });
            pay(self, id, staked, returned)?;
            self.end_visit_if_empty(id)?;
        }
        entries.sort_unstable_by_key(|entry| entry.terminal);
        Ok(entries)
    }

    pub(super) fn archive_round(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        entries: Vec<Entry>,
        (shares, limits): (Vec<ChipShare>, Option<Box<BoxSettings>>),
        at: Moment,
    ) -> Applied {
        let tagged = self.is_tagged();
        let found = self.table_mut(table)?;
        if found.accounts.stakes != Cents::ZERO {
            return self.misfit("a bet was neither settled nor returned");
        }
        let rulebook = found.rulebook;
        let ended = found.round.take();
        // What was tumbled or spun for a void round is of no later one.
        if let Some(ended) = ended.as_ref().filter(|_| tagged && outcome.is_none()) {
            found.earlier = match ended.current().running || ended.current().is_uncounted() {
                true => Earlier::Void,
                false if ended.seen.is_reported() || ended.second.is_some() => Earlier::Ended,
                false => found.earlier,
            };
        }
        let read = ended.filter(|_| tagged && outcome.is_some()).map(|ended| [ended.seen, ended.meanwhile]);
        found.read_of(round, read.into_iter().flatten().filter(Seen::binds));
        let (claims, voided) = (Vec::new(), None);
        let id = round;
        let archived = ArchivedRound { id, rulebook, outcome, ended_at: at, entries, shares, claims, voided, limits };
        found.reports_of = outcome.filter(|_| tagged).map(|_| round);
        found.keep(archived, tagged);
        Ok(())
    }

    // § etg 5.9 · rws-sicbo 1.10 · rws-sicbo-open 1.10 · rws-roulette-000 1.11 · rws-taisai 1.9, 5.12
    pub(super) fn round_voided(&mut self, round: RoundId, table: TableId, at: Moment) -> Applied {
        let chips = std::mem::take(&mut self.round_mut(table, round)?.chips);
        let found = self.table_mut(table)?;
        found.rounds_void += 1;
        let bettors = found.terminals.clone();
        let staked: Vec<(TerminalId, Cents)> = bettors
            .into_iter()
            .filter_map(|id| self.terminal(id))
            .filter(|terminal| !terminal.stakes.is_empty())
            .map(|terminal| (terminal.id, terminal.staked))
            .collect();
        let entries = self.close_entries(table, staked.into_iter(), |floor, id, staked, _| {
            let to = if mutant!("void-keeps-a-stake") { Account::HouseWin(table) } else { Account::Credit(id) };
            floor.transfer(Account::Stakes(table), to, staked, Cause::BetReturned)
        })?;
        let on_layout = Cents::checked_sum(chips.iter().map(|chip| chip.amount));
        let Some(on_layout) = on_layout else { return self.misfit("the chips overflow") };
        self.transfer(Account::Stakes(table), Account::Chips(table), on_layout, Cause::BetReturned)?;
        self.archive_round(round, table, None, entries, (Vec::new(), None), at)
    }
}

/// How a device's report is kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// It is part of the record alone.
    Kept,
    /// It counts for the round.
    Counts,
    /// It counts, but for where the ball rested.
    Unread,
    /// The dice were read under the cover or before the close.
    Concealed,
}

impl How {
    pub(super) fn of(counts: bool, unread: bool) -> How {
        match (counts, unread) {
            (false, _) => How::Kept,
            (true, true) => How::Unread,
            (true, false) => How::Counts,
        }
    }
}

impl Round {
    /// Keeps a report with the tumble or spin it followed.
    fn count(&mut self, observation: Observation, unread: bool) {
        let shown = self.close_shown();
        let set_off = matches!(observation, Observation::Activated | Observation::Spun { .. });
        if set_off && self.second.is_some() && self.current().reported() {
            self.another(Seen::default());
        }
        let seen = self.current_mut();
        match observation {
            Observation::Activated | Observation::Spun { .. } if !seen.reported() => {
                seen.set_off = true;
                seen.running = true;
                seen.after_close = shown;
            }
            Observation::Spun { against_rotation: true, wheel_rotating: true }
                if seen.running && seen.times.is_some() =>
            {
                seen.spun_again = true;
            }
            Observation::Tumbled { times } => {
                seen.running = false;
                seen.ended = true;
                seen.times = Some(times);
            }
            Observation::Revolved { times } => seen.times = Some(times),
            Observation::Uncovered if shown => seen.uncovered = true,
            // Who reads the dice after the close sees them.
            Observation::DiceRead { dice } => {
                seen.uncovered |= seen.off && shown;
                seen.lies(dice);
                seen.read_dice(dice);
            }
            // Dice that lie, however, were tumbled.
            Observation::NotFlat => seen.ended |= !seen.set_off,
            Observation::Rested { pocket } => {
                seen.running = false;
                seen.ended = true;
                match shown {
                    true if unread => {}
                    true => seen.read_pocket(pocket),
                    false => {
                        seen.rested_early = true;
                        seen.early = seen.early.or(Some(pocket).filter(|_| !unread));
                    }
                }
            }
            Observation::NoCompartment | Observation::FlungOut => {
                seen.running = false;
                seen.ended = true;
            }
            _ => {}
        }
    }

    /// What a floor of feature level 1 keeps of a report, which is what its snapshots hold.
    fn count_as_level_1(&mut self, observation: Observation) {
        let (closed, shown) = (self.phase >= Phase::Closed, self.close_shown());
        let seen = &mut self.seen;
        match observation {
            Observation::Activated | Observation::Spun { .. } => {
                seen.set_off = true;
                seen.running = true;
                seen.after_close = shown;
                seen.times = None;
            }
            Observation::Tumbled { times } | Observation::Revolved { times } => {
                seen.running = false;
                seen.times = Some(times);
            }
            Observation::Uncovered if shown => seen.uncovered = true,
            Observation::DiceRead { dice } => {
                for (known, read) in seen.dice.iter_mut().zip(dice) {
                    *known = read.or(*known);
                }
            }
            Observation::Rested { pocket } if closed => seen.pocket = Some(pocket),
            Observation::Rested { .. } => seen.rested_early = true,
            _ => {}
        }
    }

    /// The dealer starts again: what was reported so far is kept beside the round, and its grounds are gone (D18).
    pub(super) fn start_again(&mut self, at: Moment) {
        let first = std::mem::take(&mut self.seen);
        self.another(first);
        self.waiting.clear();
        if self.ground.is_some() {
            self.resume(at);
        }
    }

    /// A second tumble or spin halts the round as a measured ground does (D18).
    pub(super) fn halt_by_second(&mut self, device: DeviceId, at: Moment) {
        self.second = Some(device);
        self.another(Seen { set_off: true, ..Seen::default() });
        self.halted_at.get_or_insert(at);
    }

    /// A ground halts the round; one reported while another is open waits for its turn.
    pub(super) fn halt(&mut self, ground: OpenGround, at: Moment) {
        match self.ground {
            Some(_) if mutant!("second-ground-forgotten") => {}
            Some(_) => self.waiting.push(ground),
            None => {
                self.ground = Some(ground);
                self.halted_at.get_or_insert(at);
            }
        }
    }

    /// The ground is put aside, and the next one takes its place. The time a halt took is given back to the betting
    /// period.
    pub(super) fn resume(&mut self, at: Moment) {
        self.ground = (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
        self.go_on(at);
    }

    /// Once nothing halts the round any more.
    pub(super) fn go_on(&mut self, at: Moment) {
        if !self.is_halted()
            && let Some(halted_at) = self.halted_at.take()
        {
            self.give_back(halted_at, at);
        }
    }

    /// The time between is given back to the betting period, once: under an open ground it is part of the halt.
    pub(super) fn give_back(&mut self, from: Moment, to: Moment) {
        match self.halted_at {
            Some(halted_at) => self.halted_at = Some(halted_at.min(from)),
            None => self.closes_at = self.closes_at.map(|closes_at| closes_at.after(to.since(from))),
        }
    }
}
