//! Settlements recomputed from what stood on the layouts and the rulebook pinned in the round, for the audit.

use rulebook::{Cents, OutcomeIndex};

use crate::event::{Adjustment, Event};
use crate::ids::*;
use crate::settle::returned;
use crate::state::{Floor, Phase};

impl Floor {
    /// Recomputes the amounts of an event before it is applied.
    ///
    /// # Errors
    /// In words, what the event should have said.
    pub fn verify(&self, event: &Event) -> Result<(), String> {
        match event {
            Event::RoundSettled { round, table, outcome, part, parts, returns } => {
                self.verify_settlement(*round, *table, *outcome, (*part, *parts), returns)
            }
            Event::ChipsSettled { round, table, outcome, shares, limits } => {
                let found = self.table(*table).and_then(|found| Some((found, self.rulebook_of(found)?)));
                let Some((found, rulebook)) = found else { return Err("no such table".to_owned()) };
                let Some(current) = found.round.as_ref().filter(|current| current.id == *round) else {
                    return Err("no such round in progress".to_owned());
                };
                match self.settle_chips(found, rulebook, current, *outcome) {
                    Ok(expected)
                        if expected.iter().any(|event| {
                            matches!(event, Event::ChipsSettled { shares: s, limits: l, .. }
                                if s == shares && (limits.is_none() || l == limits))
                        }) =>
                    {
                        Ok(())
                    }
                    Ok(_) => Err(format!("round {round}: the chips were not settled by the rulebook")),
                    Err(refusal) => Err(refusal.to_string()),
                }
            }
            Event::RoundCorrected { round, table, outcome, adjustments, .. } => {
                self.verify_adjustments(*round, *table, Some(*outcome), adjustments)
            }
            Event::SettledRoundVoided { round, table, adjustments, .. } => {
                self.verify_adjustments(*round, *table, None, adjustments)
            }
            Event::ChipsCorrected { round, table, outcome, voided, by, witness, reason, .. } => {
                let found = self.table(*table).ok_or("no such table")?;
                let archived = found.archived(*round).ok_or("no such round")?;
                let rulebook = self.rulebook_at(archived.rulebook).ok_or("no rulebook")?;
                let result = match (outcome, voided) {
                    (Some(outcome), None) => Ok(*outcome),
                    (None, Some(voided)) => Err(*voided),
                    _ => return Err(format!("round {round}: neither a result nor a ground")),
                };
                match self.correct_chips(found, archived, rulebook, result, *by, *witness, reason) {
                    Ok(expected) if expected.contains(&self.whole(event)) => Ok(()),
                    Ok(_) => Err(format!("round {round}: the chips were not corrected by the rulebook")),
                    Err(refusal) => Err(refusal.to_string()),
                }
            }
            Event::RoundRecalled { table, leaf, part, parts, bytes, beside, .. } if part == parts => {
                let found = self.table(*table).ok_or("no such table")?;
                found.verify_recalled(*leaf, bytes, beside, *part == 1)
            }
            _ => Ok(()),
        }
    }

    fn verify_settlement(
        &self,
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        (part, parts): (u16, u16),
        returns: &[(TerminalId, Cents)],
    ) -> Result<(), String> {
        let found = self.table(table).ok_or("no such table")?;
        let rulebook = self.rulebook_of(found).ok_or("no rulebook")?;
        let current = found.round.as_ref().filter(|current| current.id == round).ok_or("no such round in progress")?;
        if current.phase != Phase::Entered || current.outcome != Some(outcome) {
            return Err(format!("round {round} was settled by a result that was not entered"));
        }
        for (id, said) in returns {
            let terminal = self.terminal(*id).ok_or("no such terminal")?;
            let layout = rulebook.layouts().get(usize::from(terminal.layout)).ok_or("no layout")?;
            let due = returned(layout.table(), &terminal.stakes, outcome).ok_or("the amounts are too large")?;
            if due != *said {
                return Err(format!("round {round}, terminal {id}: {said} was returned where the rulebook says {due}"));
            }
        }
        if part == parts {
            let earlier = if part == 1 { 0 } else { current.returns.len() };
            let told = earlier + returns.len();
            let bets = |id: &&TerminalId| self.terminal(**id).is_some_and(|terminal| !terminal.stakes.is_empty());
            if told != found.terminals.iter().filter(bets).count() {
                return Err(format!("round {round}: not every bet was settled exactly once"));
            }
        }
        Ok(())
    }

    fn verify_adjustments(
        &self,
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        adjustments: &[Adjustment],
    ) -> Result<(), String> {
        let archived = self.table(table).and_then(|table| table.archived(round)).ok_or("no such round")?;
        let rulebook = self.rulebook_at(archived.rulebook).ok_or("no rulebook")?;
        let adjustments = self.effective(round, adjustments);
        if adjustments.len() != archived.entries.len() {
            return Err(format!("round {round}: not every bet was corrected exactly once"));
        }
        for adjustment in adjustments {
            let id = adjustment.terminal;
            let entry = archived.entry(id).ok_or_else(|| format!("round {round}: terminal {id} had no bets"))?;
            let due = match outcome {
                None => Some(entry.staked),
                Some(outcome) => rulebook
                    .layouts()
                    .get(usize::from(entry.layout))
                    .and_then(|layout| returned(layout.table(), &entry.stakes, outcome)),
            };
            if due != Some(adjustment.entitled) {
                return Err(format!("round {round}, terminal {id}: the correction is not by the rulebook"));
            }
        }
        Ok(())
    }
}
