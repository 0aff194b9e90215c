//! Corrections and decisions: new entries, to the visit that made the bets.

use super::Applied;
use crate::command::*;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause, Misfit};
use crate::state::*;
use rulebook::{Cents, Hash, OutcomeIndex};

impl Floor {
    /// A part waits, without effect. Those of an earlier command without an end were left by an interruption.
    pub(super) fn correction_part(
        &mut self,
        round: RoundId,
        part: u16,
        adjustments: &[Adjustment],
        chips: Option<&ChipsChange>,
    ) {
        if part == 1 {
            self.adjusting.clear();
            self.adjusting_chips.clear();
        }
        if let Some(chips) = chips {
            self.adjusting_chips.push((round, chips.clone()));
            return;
        }
        match self.adjusting.iter_mut().find(|(of, _)| *of == round) {
            Some((_, waiting)) => waiting.extend_from_slice(adjustments),
            None => self.adjusting.push((round, adjustments.to_vec())),
        }
    }

    /// A correction, or a void after settlement: new entries, to the visit that made the bets only.
    pub(super) fn adjusted(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        adjustments: &[Adjustment],
    ) -> Applied {
        let place = self.adjusting.iter().position(|(of, _)| *of == round);
        let waiting = place.map(|place| self.adjusting.remove(place).1).unwrap_or_default();
        let adjustments = if adjustments.is_empty() { &waiting } else { adjustments };
        for adjustment in adjustments {
            self.adjust_entry(round, table, adjustment)?;
        }
        let found = self.table_mut(table)?;
        let mut staked = 0;
        if let Some(archived) = found.archived_mut(round) {
            archived.outcome = outcome;
            staked = archived.entries.iter().map(|entry| entry.staked.get()).sum();
        }
        found.restate(round, outcome, Cents::new(staked));
        Ok(())
    }

    /// A past round comes back with its last part.
    pub(super) fn round_recalled(
        &mut self,
        table: TableId,
        leaf: u64,
        (part, parts): (u16, u16),
        bytes: &[u8],
        (beside, read): (&[Hash], &[u8]),
        at: Moment,
    ) -> Applied {
        let found = self.table_mut(table)?;
        if part == 1 {
            found.recalling.clear();
        }
        found.recalling.extend_from_slice(bytes);
        if part < parts {
            return Ok(());
        }
        let whole = std::mem::take(&mut found.recalling);
        found.recalled_at = at;
        if found.recall(leaf, &whole, beside, read) { Ok(()) } else { self.misfit("the past round cannot be read") }
    }

    /// A recalled round was changed: its hash follows.
    pub(super) fn past_changed(&mut self, table: TableId, round: RoundId) -> Applied {
        if self.table_mut(table)?.past_changed(round) { Ok(()) } else { self.misfit("the past round is not known") }
    }

    /// Why a round is void stays with it, so that a screen can still say so after a restart (S2).
    pub(super) fn void_noted(&mut self, round: RoundId, table: TableId, by: VoidBy) -> Applied {
        let tagged = self.is_tagged();
        if let Some(archived) = self.table_mut(table)?.archived_mut(round).filter(|_| tagged) {
            archived.voided = Some(by);
        }
        Ok(())
    }

    pub(super) fn adjust_entry(&mut self, round: RoundId, table: TableId, adjustment: &Adjustment) -> Applied {
        let id = adjustment.terminal;
        let house = Account::HouseWin(table);
        let sequence = self.sequence;
        let found = self.table_mut(table)?.archived_mut(round).and_then(|archived| archived.entry_mut(id));
        let entry = found.ok_or(Misfit { sequence, what: "no such bets" })?;
        let uncollected_before = entry.paid.get().saturating_sub(entry.entitled.get());
        entry.entitled = adjustment.entitled;
        entry.paid = Cents::new(adjustment.entitled.get().saturating_add(adjustment.uncollected.get()));
        let (visit, waiting) = (entry.visit, entry.payable);
        self.transfer(house, Account::Credit(id), adjustment.credited, Cause::Correction)?;
        self.transfer(Account::Credit(id), house, adjustment.taken, Cause::Correction)?;
        self.transfer(house, Account::CorrectionPayable, adjustment.payable, Cause::Correction)?;
        self.transfer(Account::CorrectionPayable, house, adjustment.unpaid, Cause::Correction)?;
        let uncollected = adjustment.uncollected.get() - uncollected_before;
        if uncollected > 0 {
            self.transfer(Account::Uncollected, house, Cents::new(uncollected), Cause::Correction)?;
        } else {
            self.transfer(house, Account::Uncollected, Cents::new(-uncollected), Cause::Correction)?;
        }
        self.claims_change(uncollected);
        let payable =
            self.change_payable(waiting, Some(round), table, id, visit, adjustment.payable, adjustment.unpaid);
        if let Some(entry) = self.table_mut(table)?.archived_mut(round).and_then(|archived| archived.entry_mut(id)) {
            entry.payable = payable;
        }
        self.end_visit_if_empty(id)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn change_payable(
        &mut self,
        waiting: Option<PayableId>,
        round: Option<RoundId>,
        table: TableId,
        terminal: TerminalId,
        visit: Option<VisitId>,
        more: Cents,
        less: Cents,
    ) -> Option<PayableId> {
        let known = waiting.filter(|id| self.payables.contains_key(id));
        if known.is_none() && more == Cents::ZERO {
            return None;
        }
        let id = known.unwrap_or(PayableId(self.next.payable));
        if known.is_none() {
            self.next.payable += 1;
        }
        let payable =
            self.payables.entry(id).or_insert(Payable { id, table, round, terminal, visit, amount: Cents::ZERO });
        payable.amount = Cents::new(payable.amount.get() + more.get() - less.get());
        if payable.amount == Cents::ZERO {
            self.payables.remove(&id);
            return None;
        }
        Some(id)
    }

    pub(super) fn decided(
        &mut self,
        table: TableId,
        round: Option<RoundId>,
        ruling: Ruling,
        [credited, payable, taken, uncollected]: [Cents; 4],
    ) -> Applied {
        let terminal = match ruling {
            Ruling::VoidRound | Ruling::Reading | Ruling::Outcome { .. } => return Ok(()),
            Ruling::PayChips { .. } => {
                self.transfer(Account::Decisions, Account::Chips(table), credited, Cause::Decision)?;
                return self.tray_pays(table, credited.get());
            }
            Ruling::ClaimChips { .. } => {
                return self.transfer(Account::Uncollected, Account::Decisions, uncollected, Cause::Decision);
            }
            Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => terminal,
        };
        self.transfer(Account::Decisions, Account::Credit(terminal), credited, Cause::Decision)?;
        self.transfer(Account::Decisions, Account::CorrectionPayable, payable, Cause::Decision)?;
        self.transfer(Account::Credit(terminal), Account::Decisions, taken, Cause::Decision)?;
        self.transfer(Account::Uncollected, Account::Decisions, uncollected, Cause::Decision)?;
        if payable.is_positive() {
            self.change_payable(None, round, table, terminal, None, payable, Cents::ZERO);
        }
        self.end_visit_if_empty(terminal)
    }
}

impl Table {
    /// The displays follow: a void round has no result and enters no figures, a corrected one has another.
    pub(super) fn restate(&mut self, round: RoundId, outcome: Option<OutcomeIndex>, staked: Cents) {
        match outcome {
            Some(outcome) => {
                if let Some(shown) = self.history.iter_mut().find(|(id, _)| *id == round) {
                    shown.1 = outcome;
                }
            }
            None => {
                self.history.retain(|(id, _)| *id != round || mutant!("void-stays-in-history"));
                self.rounds_settled = self.rounds_settled.saturating_sub(1);
                self.rounds_void += 1;
                let turnover = &mut self.accounts.turnover;
                *turnover = Cents::new(turnover.get().saturating_sub(staked.get()));
            }
        }
    }
}
