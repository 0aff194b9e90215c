//! The floor and the naive model say the same.

use std::collections::BTreeMap;

use floor::*;
use rulebook::{Conclusion, Dice, Outcome, OutcomeIndex};

use crate::game::Game;
use crate::model::{self, Check, must};
use crate::run::Run;
use crate::sheet::Sheet;

impl Run {
    /// What is cheap to compare, after every command.
    pub(crate) fn compare(&self) -> Check {
        let terminals = self.floor.terminals();
        must(terminals.len() == self.model.terminals.len(), || "a terminal too few".to_owned())?;
        for (real, naive) in terminals.iter().zip(&self.model.terminals) {
            let is = (real.credit().get(), real.prepared().get(), real.staked().get());
            let should_be = (naive.credit, naive.prepared, naive.staked());
            must(is == should_be, || format!("terminal {} holds {is:?}, not {should_be:?}", real.id()))?;
            let is = (real.table(), real.is_live(), real.locked().is_some(), real.visit().is_some());
            let should_be = (naive.table, naive.live, naive.locked, naive.visit.is_some());
            must(is == should_be, || format!("terminal {} is {is:?}, not {should_be:?}", real.id()))?;
        }
        for (real, naive) in self.floor.tables().iter().zip(&self.model.tables) {
            same_round(real, naive).map_err(|what| format!("table {}: {what}", real.id()))?;
        }
        Ok(())
    }

    /// What is dearer to compare, now and then and at the end.
    pub(crate) fn check_everything(&self) -> Check {
        self.model.obligations.check()?;
        let (owed, returnable) = (self.model.owed, self.returnable());
        must(owed == returnable, || {
            format!("players are owed {owed} cents, and {returnable} can be returned to them")
        })?;
        for (account, balance) in self.floor.accounts() {
            let kept = self.balance(account);
            must(balance.get() == kept, || format!("{account:?} is {balance}, and {kept} cents moved"))?;
            let below = account == Account::Uncollected && balance.get() > 0;
            must(!below, || format!("{balance} more was collected than was owed"))?;
        }
        for (real, naive) in self.floor.terminals().iter().zip(&self.model.terminals) {
            self.same_bets(real, naive)?;
        }
        for (real, naive) in self.floor.tables().iter().zip(&self.model.tables) {
            self.same_table(real, naive).map_err(|what| format!("table {}: {what}", real.id()))?;
        }
        self.same_tickets()
    }

    /// What is in the hands of players at terminals, and what staff can still return to them: credit, bets that stand,
    /// tickets in doubt and outstanding, and what waits at the cage.
    pub(crate) fn returnable(&self) -> i64 {
        let terminals = self.floor.terminals().iter();
        let at_terminals = terminals.map(|one| one.credit().get() + one.prepared().get() + one.staked().get());
        // A ticket that its own terminal prints is counted there.
        let at_terminal = |ticket: &Ticket| {
            let known = self.model.tickets.get(&ticket.id());
            ticket.state() == TicketState::Prepared && known.is_some_and(|known| known.printed_for.is_none())
        };
        let held = |ticket: &&Ticket| matches!(ticket.state(), TicketState::Prepared | TicketState::Outstanding);
        let on_paper = self.floor.tickets().filter(held).filter(|ticket| !at_terminal(ticket));
        let at_the_cage = self.floor.payables().map(|payable| payable.amount().get());
        at_terminals.chain(on_paper.map(|ticket| ticket.amount().get())).chain(at_the_cage).sum()
    }

    fn same_bets(&self, real: &Terminal, naive: &model::Terminal) -> Check {
        let sheet = self.model.sheet(naive)?;
        let mut bets = model::Bets::new();
        for stake in real.stakes() {
            let spot = sheet.text(stake.spot).ok_or("no such spot")?;
            let before = bets.insert((spot, stake.group), stake.amount.get());
            must(before.is_none(), || format!("{spot} twice"))?;
        }
        must(bets == naive.bets, || format!("terminal {} has {bets:?}, not {:?}", real.id(), naive.bets))?;
        let view = self.floor.terminal_view(real.id()).ok_or("a terminal shows nothing")?;
        let shown: model::Bets = view
            .bets
            .iter()
            .filter_map(|(spot, group, amount)| {
                let text = spot.to_string();
                bets.keys().find(|(known, of)| *known == text && of == group).map(|key| (*key, amount.get()))
            })
            .collect();
        let own = shown == bets && view.bets.len() == bets.len() && view.credit.get() == naive.credit;
        must(own, || format!("terminal {} shows {:?}", real.id(), view.bets))?;
        let lost = real.lost().get();
        must(lost == naive.lost, || format!("terminal {} lost {lost} cents, not {}", real.id(), naive.lost))?;
        let limit = real.loss_limit().map(rulebook::Cents::get);
        must(limit == naive.loss_limit, || {
            format!("the loss limit of terminal {} is {limit:?}, not {:?}", real.id(), naive.loss_limit)
        })
    }

    fn same_table(&self, real: &Table, naive: &model::Table) -> Check {
        let history: Vec<_> = real.history().collect();
        must(history == naive.history, || format!("the display shows {history:?}, not {:?}", naive.history))?;
        let in_hands = self.balance(Account::Chips(real.id()));
        must(in_hands == naive.in_hands, || format!("{in_hands} cents of chips in hands, not {}", naive.in_hands))?;
        if let (Some(round), TableMode::Terminals) = (real.round(), naive.mode) {
            for outcome in naive.game.rulebook().outcomes().indices().step_by(17) {
                let kept = round.exposure().returned(outcome).get();
                let worked_out = self.model.would_return(real.id(), outcome)?;
                must(kept == worked_out, || format!("the exposure is {kept}, the bets return {worked_out}"))?;
            }
        }
        if naive.mode == TableMode::BetsRecorded {
            self.same_chips(real, naive)?;
        }
        self.same_proposal(real, naive)
    }

    fn same_chips(&self, real: &Table, naive: &model::Table) -> Check {
        let sheet = Sheet::of(Game::TaiSai, 0).ok_or("no layout")?;
        let Some((round, expected)) = real.round().zip(naive.round.as_ref()) else { return Ok(()) };
        let chips: Vec<_> =
            round.chips().iter().map(|chip| (chip.position, sheet.text(chip.spot), chip.amount.get())).collect();
        let stand: Vec<_> = expected.chips.iter().map(|chip| (chip.position, Some(chip.spot), chip.amount)).collect();
        must(chips == stand, || format!("the chips are {chips:?}, not {stand:?}"))?;
        let mut exceeds = BTreeMap::new();
        for (spot, excess) in self.floor.excess(real.id()) {
            exceeds.insert(sheet.text(spot).ok_or("no such spot")?, excess.get());
        }
        for chip in &expected.chips {
            let (said, worked_out) = (exceeds.get(chip.spot).copied().unwrap_or(0), naive.excess(chip.spot)?);
            must(said == worked_out, || format!("{said} cents exceed on {}, not {worked_out}", chip.spot))?;
        }
        must(exceeds.keys().all(|spot| expected.chips.iter().any(|chip| chip.spot == *spot)), || {
            format!("{exceeds:?} where nothing stands")
        })
    }

    /// The console proposes what the readings establish: any bet that has won or lost in all that is still possible.
    fn same_proposal(&self, real: &Table, naive: &model::Table) -> Check {
        let Some(round) = naive.round.as_ref().filter(|round| round.interrupted.is_some()) else { return Ok(()) };
        let proposal = self.floor.proposal(real.id()).ok_or("an interrupted round without a proposal")?;
        let outcomes = naive.game.rulebook().outcomes();
        // What is still tumbling, or was not lawfully tumbled or spun, shows nothing.
        let unlawful = !round.set_off || !round.ended || round.short || round.bare;
        let possible = |index: &OutcomeIndex| match outcomes.outcome(*index) {
            _ if round.outcome.is_some() => round.outcome == Some(*index),
            Some(Outcome::Dice(Dice(dice))) => {
                round.dice.iter().zip(dice).all(|(read, die)| unlawful || read.is_none_or(|read| read == die))
            }
            _ => unlawful || round.pocket.is_none_or(|pocket| pocket == *index),
        };
        let possible: Vec<OutcomeIndex> = outcomes.indices().filter(possible).collect();
        let mut concluded = BTreeMap::new();
        if round.phase >= Phase::Closed {
            for sheet in (0..).map_while(|layout| Sheet::of(naive.game, layout)) {
                concluded.extend(sheet.concluded(&possible));
            }
        }
        let said: BTreeMap<String, bool> =
            proposal.concluded.iter().map(|(spot, how)| (spot.to_string(), *how == Conclusion::Won)).collect();
        let same = said.iter().map(|(spot, won)| (spot.as_str(), *won)).eq(concluded.iter().map(|(s, w)| (*s, *w)));
        must(same, || format!("the console proposes {said:?}, the readings establish {concluded:?}"))?;
        let established = proposal.finding == Finding::Established;
        let shows = round.shows(naive.game, self.model.at_work(real.id()).is_some());
        must(established == (shows || !concluded.is_empty()), || format!("the console proposes {:?}", proposal.finding))
    }

    fn same_tickets(&self) -> Check {
        let real: BTreeMap<_, _> =
            self.floor.tickets().map(|ticket| (ticket.id(), (ticket.amount().get(), ticket.state()))).collect();
        let naive: BTreeMap<_, _> =
            self.model.tickets.iter().map(|(id, ticket)| (*id, (ticket.amount, ticket.state))).collect();
        must(real == naive, || format!("the tickets are {real:?}, not {naive:?}"))?;
        let real: BTreeMap<_, _> =
            self.floor.payables().map(|due| (due.id(), (due.round(), due.amount().get()))).collect();
        let naive: BTreeMap<_, _> =
            self.model.payables.iter().map(|(id, due)| (*id, (due.round, due.amount))).collect();
        must(real == naive, || format!("{real:?} is payable, not {naive:?}"))?;
        let real: BTreeMap<_, _> = self.floor.shifts().map(|shift| (shift.id(), shift.cash().get())).collect();
        let naive: BTreeMap<_, _> = self.model.shifts.iter().map(|(id, shift)| (*id, shift.cash)).collect();
        must(real == naive, || format!("the drawers hold {real:?}, not {naive:?}"))
    }
}

pub(crate) fn same_round(real: &Table, naive: &model::Table) -> Check {
    let (real, naive) = match (real.round(), &naive.round) {
        (None, None) => return Ok(()),
        (Some(real), Some(naive)) => (real, naive),
        (real, _) => return Err(format!("round {:?} is in progress", real.map(Round::id))),
    };
    let is = (real.id(), real.phase(), real.outcome(), real.is_interrupted());
    let should_be = (naive.id, naive.phase, naive.outcome, naive.interrupted.is_some());
    must(is == should_be, || format!("the round is {is:?}, not {should_be:?}"))?;
    let ground = real.ground().map(|open| open.ground);
    must(ground == naive.grounds.first().copied(), || format!("{ground:?} is open, not {:?}", naive.grounds))?;
    let halted = real.second().is_some();
    must(halted == naive.second, || format!("a second tumble: {halted}, not {}", naive.second))?;
    let awaiting = real.awaiting() as usize;
    must(awaiting == naive.awaiting.len(), || format!("{awaiting} are awaited, not {:?}", naive.awaiting))?;
    let closes_at = real.closes_at();
    let open = naive.phase == Phase::Open;
    must(!open || closes_at == naive.deadline, || format!("bets close at {closes_at:?}, not {:?}", naive.deadline))
}
