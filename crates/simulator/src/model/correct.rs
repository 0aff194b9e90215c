//! Corrections, voids of settled rounds and decisions: what they move, and to whom (D7).

use floor::*;
use rulebook::OutcomeIndex;

use super::round::returns;
use super::{Check, Model, Past, PastBets, Payable, must};

/// What brings a visit from what it received to what it is entitled to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Amends {
    entitled: i64,
    credited: i64,
    payable: i64,
    unpaid: i64,
    taken: i64,
    uncollected: i64,
}

impl From<&Adjustment> for Amends {
    fn from(stated: &Adjustment) -> Amends {
        Amends {
            entitled: stated.entitled.get(),
            credited: stated.credited.get(),
            payable: stated.payable.get(),
            unpaid: stated.unpaid.get(),
            taken: stated.taken.get(),
            uncollected: stated.uncollected.get(),
        }
    }
}

impl Model {
    /// Takes a correction, a late void or a decision in; false if it is something else.
    pub(super) fn corrections(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::RoundCorrected { round, table, outcome, adjustments, by, witness, .. } => {
                let serviced = &self.table(*table)?.serviced;
                let barred = |one: &super::Serviced| one.round == Some(*round) && [*by, *witness].contains(&one.staff);
                must(!serviced.iter().any(barred), || "who changed the device puts no result right (D19)".to_owned())?;
                self.amend(*table, *round, Some(*outcome), adjustments)?;
            }
            Event::SettledRoundVoided { round, table, adjustments, .. } => {
                self.amend(*table, *round, None, adjustments)?;
            }
            Event::Decided { table, round, ruling, credited, payable, taken, uncollected, .. } => {
                let stated = [credited, payable, taken, uncollected].map(|amount| amount.get());
                self.decided(*table, *round, **ruling, stated)?;
            }
            Event::Recovered { table, round, amount, debtor, .. } => {
                self.recovered(*table, *round, *debtor, amount.get())?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What a player has paid back is no longer owed: it was received less.
    fn recovered(&mut self, table: TableId, round: Option<RoundId>, debtor: Option<Debtor>, amount: i64) -> Check {
        let (Some(round), Some(debtor)) = (round, debtor) else {
            return must(debtor.is_none(), || "a debtor of no round".to_owned());
        };
        let past = self.past_mut(table, round)?;
        let outcome = past.outcome;
        match debtor {
            Debtor::Terminal(id) => {
                let bets = past.bets.iter_mut().find(|bets| bets.terminal == id).ok_or("nobody bet there")?;
                let entitled = match outcome {
                    Some(outcome) => returns(bets.sheet, &bets.bets, outcome)?,
                    None => bets.staked,
                };
                bets.received -= amount;
                must(bets.received >= entitled, || format!("{amount} cents were not to be collected there"))
            }
            Debtor::Position(position) => {
                let claim = past.claims.get_mut(&position).ok_or("nothing is claimed there")?;
                *claim -= amount;
                must(*claim >= 0, || format!("{amount} cents were not claimed there"))?;
                past.claims.retain(|_, claim| *claim > 0);
                Ok(())
            }
        }
    }

    pub(super) fn past_mut(&mut self, table: TableId, round: RoundId) -> Result<&mut Past, String> {
        let past = self.table_mut(table)?.past.iter_mut().find(|past| past.id == round);
        past.ok_or_else(|| format!("round {round} is no past round of table {table}"))
    }

    fn amend(
        &mut self,
        table: TableId,
        round: RoundId,
        outcome: Option<OutcomeIndex>,
        adjustments: &[Adjustment],
    ) -> Check {
        let past = self.past_mut(table, round)?;
        must(past.outcome.is_some() && past.outcome != outcome, || "nothing was to be corrected".to_owned())?;
        past.outcome = outcome;
        let mut bettors: Vec<TerminalId> = past.bets.iter().map(|bets| bets.terminal).collect();
        let mut named: Vec<TerminalId> = adjustments.iter().map(|adjustment| adjustment.terminal).collect();
        bettors.sort_unstable();
        named.sort_unstable();
        must(bettors == named, || format!("{bettors:?} had bets, {named:?} were corrected"))?;
        for adjustment in adjustments {
            self.amend_one(table, round, outcome, adjustment)?;
        }
        self.restate(table, round, outcome)
    }

    fn amend_one(
        &mut self,
        table: TableId,
        round: RoundId,
        outcome: Option<OutcomeIndex>,
        adjustment: &Adjustment,
    ) -> Check {
        let id = adjustment.terminal;
        let past = self.past_mut(table, round)?;
        let bets = past.bets.iter().find(|bets| bets.terminal == id).ok_or("no bets to correct")?.clone();
        let entitled = match outcome {
            Some(outcome) => returns(bets.sheet, &bets.bets, outcome)?,
            None => bets.staked,
        };
        let amends = self.amends(&bets, entitled)?;
        let stated = Amends::from(adjustment);
        must(amends == stated, || format!("terminal {id}: the floor moves {stated:?}, not {amends:?}"))?;
        let waiting =
            self.wait_at_the_cage(bets.waiting, (table, Some(round), bets.visit), amends.payable - amends.unpaid)?;
        let past = self.past_mut(table, round)?;
        if let Some(bets) = past.bets.iter_mut().find(|bets| bets.terminal == id) {
            bets.received = entitled + amends.uncollected;
            bets.waiting = waiting;
        }
        self.credit(id, amends.credited - amends.taken)?;
        self.terminal_mut(id)?.lost -= amends.credited - amends.taken;
        self.end_visit(id)
    }

    /// Who gains is paid in full; from who loses only what that visit still has in credit is taken.
    fn amends(&self, bets: &PastBets, entitled: i64) -> Result<Amends, String> {
        let terminal = self.terminal(bets.terminal)?;
        let goes_on = bets.visit.is_some() && bets.visit == terminal.visit;
        let mut amends = Amends { entitled, ..Amends::default() };
        let gain = entitled - bets.received;
        if gain >= 0 {
            *(if goes_on { &mut amends.credited } else { &mut amends.payable }) = gain;
            return Ok(amends);
        }
        let waiting = bets.waiting.and_then(|id| self.payables.get(&id)).map_or(0, |payable| payable.amount);
        amends.unpaid = waiting.min(-gain);
        let owed = -gain - amends.unpaid;
        let spared = self.spared.get(&bets.terminal).copied().unwrap_or(0);
        amends.taken = if goes_on { owed.min(terminal.credit - spared) } else { 0 };
        amends.uncollected = owed - amends.taken;
        Ok(amends)
    }

    /// More or less waits at the cage for a bet.
    fn wait_at_the_cage(
        &mut self,
        waiting: Option<PayableId>,
        (table, round, visit): (TableId, Option<RoundId>, Option<u64>),
        more: i64,
    ) -> Result<Option<PayableId>, String> {
        let known = waiting.filter(|id| self.payables.contains_key(id));
        if known.is_none() && more == 0 {
            return Ok(None);
        }
        let id = known.unwrap_or(PayableId(self.next_payable));
        if known.is_none() {
            self.next_payable += 1;
        }
        let payable = self.payables.entry(id).or_insert(Payable { table, round, visit, amount: 0 });
        payable.amount += more;
        let left = payable.amount;
        if left == 0 {
            self.payables.remove(&id);
        }
        must(left >= 0, || format!("{left} cents wait at the cage"))?;
        Ok((left > 0).then_some(id))
    }

    /// The displays show the corrected result, and nothing of a void round.
    pub(super) fn restate(&mut self, table: TableId, round: RoundId, outcome: Option<OutcomeIndex>) -> Check {
        let history = &mut self.table_mut(table)?.history;
        match outcome {
            Some(outcome) => history.iter_mut().filter(|(id, _)| *id == round).for_each(|shown| shown.1 = outcome),
            None => history.retain(|(id, _)| *id != round),
        }
        Ok(())
    }

    fn decided(&mut self, table: TableId, round: Option<RoundId>, ruling: Ruling, stated: [i64; 4]) -> Check {
        let (id, worked_out) = match ruling {
            Ruling::Pay { terminal, amount } => {
                let goes_on = self.concerned(table, terminal, round)?;
                let amount = amount.get();
                (terminal, if goes_on { [amount, 0, 0, 0] } else { [0, amount, 0, 0] })
            }
            Ruling::TakeBack { terminal, amount } => {
                must(round.is_some(), || "a take-back does not name its round".to_owned())?;
                let goes_on = self.concerned(table, terminal, round)?;
                let taken = if goes_on { amount.get().min(self.terminal(terminal)?.credit) } else { 0 };
                (terminal, [0, 0, taken, amount.get() - taken])
            }
            Ruling::PayChips { amount, .. } => {
                self.table_mut(table)?.in_hands += amount.get();
                return must(stated == [amount.get(), 0, 0, 0], || format!("the decision moves {stated:?}"));
            }
            Ruling::ClaimChips { amount, .. } => {
                return must(stated == [0, 0, 0, amount.get()], || format!("the decision moves {stated:?}"));
            }
            Ruling::Outcome { outcome } => {
                must(stated == [0; 4], || format!("the decision moves {stated:?}"))?;
                return self.outcome_chosen(table, round, outcome);
            }
            Ruling::VoidRound | Ruling::Reading => {
                return must(stated == [0; 4], || format!("a reading moves {stated:?}"));
            }
        };
        must(stated == worked_out, || format!("the decision moves {stated:?}, not {worked_out:?}"))?;
        let [credited, payable, taken, _] = worked_out;
        self.wait_at_the_cage(None, (table, round, None), payable)?;
        self.credit(id, credited - taken)?;
        self.terminal_mut(id)?.lost -= credited - taken;
        self.end_visit(id)
    }

    /// Whether the visit that a decision is about goes on.
    fn concerned(&self, table: TableId, id: TerminalId, round: Option<RoundId>) -> Result<bool, String> {
        let terminal = self.terminal(id)?;
        let past = |round| self.table(table).ok()?.past.iter().find(|past| past.id == round);
        let bets = round.and_then(past).and_then(|past| past.bets.iter().find(|bets| bets.terminal == id));
        Ok(match bets {
            Some(bets) => bets.visit.is_some() && bets.visit == terminal.visit,
            None => terminal.visit.is_some(),
        })
    }
}
