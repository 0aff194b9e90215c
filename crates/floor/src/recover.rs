//! Claims of the house that are paid after all: what corrections and decisions could not collect (D7).
//!
//! What is recovered belongs to whom it was collected from: a later correction of the round counts it as taken, so that a player
//! who was right after all gets it back, and the claims of the pit never fall below zero.

use rulebook::{Act, Cents};

use crate::command::*;
use crate::decide::{Events, amount_fits, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{ArchivedRound, Entry, Floor};

impl Entry {
    /// What a correction could not collect of these bets.
    pub(crate) fn uncollected(&self) -> i64 {
        self.paid.get().saturating_sub(self.entitled.get())
    }
}

impl ArchivedRound {
    /// Who owes something of this round, and how much.
    pub fn debtors(&self) -> impl Iterator<Item = (Debtor, Cents)> + '_ {
        let entries =
            self.entries.iter().map(|entry| (Debtor::Terminal(entry.terminal), Cents::new(entry.uncollected())));
        let claims = self.claims.iter().map(|(position, claim)| (Debtor::Position(*position), *claim));
        entries.chain(claims).filter(|(_, owed)| owed.is_positive())
    }

    /// What was recovered counts as taken.
    pub(crate) fn recovered(&mut self, debtor: Debtor, amount: Cents) -> bool {
        match debtor {
            Debtor::Terminal(id) => {
                let entry = self.entry_mut(id).filter(|entry| entry.uncollected() >= amount.get());
                entry.map(|entry| entry.paid = Cents::new(entry.paid.get().saturating_sub(amount.get()))).is_some()
            }
            Debtor::Position(at) => {
                let claim = self.claims.iter_mut().find(|(position, claim)| *position == at && *claim >= amount);
                let done = claim.map(|(_, claim)| *claim = Cents::new(claim.get().saturating_sub(amount.get())));
                self.claims.retain(|(_, claim)| claim.is_positive());
                done.is_some()
            }
        }
    }
}

impl Floor {
    pub(crate) fn record_recovered(
        &self,
        sender: Sender,
        table: TableId,
        (round, debtor): (Option<RoundId>, Option<Debtor>),
        amount: Cents,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::HandPay, found)?;
        let witness = self.second_person(by, witness, Act::HandPay, found)?;
        reason_fits(reason)?;
        amount_fits(amount)?;
        let all = Cents::new(self.books.uncollected.get().saturating_neg());
        if amount > all {
            return refuse(Code::Amount, "D7", format!("the house has claims of {all}"));
        }
        let debtor = match round {
            Some(round) => self.debtor_of(table, round, debtor, amount)?,
            None if debtor.is_some() => return refuse(Code::NotFound, "D7", "name the round of which it is"),
            None => None,
        };
        if debtor.is_none() {
            // What corrections could not collect is recovered with its round, from whom it was: the rest is of decisions.
            let claims = Cents::new(all.get().saturating_sub(self.control.claims.get()));
            if amount > claims {
                let words = format!("decisions have claims of {claims}: name the round, and who paid, for the others");
                return refuse(Code::Amount, "D7", words);
            }
        }
        Ok(vec![Event::Recovered { table, round, amount, by, witness, reason: reason.into(), debtor }])
    }

    /// From whom it was collected: the only one who owes something of the round, or the one who is named. `None` where
    /// a decision is about the round and its corrections left nothing.
    fn debtor_of(
        &self,
        table: TableId,
        round: RoundId,
        named: Option<Debtor>,
        amount: Cents,
    ) -> Result<Option<Debtor>, Refusal> {
        let (of, archived, _) = self.settled_round(round)?;
        if of.id != table {
            return refuse(Code::NotFound, "D7", format!("round {round} is no round of this table"));
        }
        let debtors: Vec<(Debtor, Cents)> = archived.debtors().collect();
        let found = match (named, &debtors[..]) {
            (Some(named), _) => debtors.iter().find(|(debtor, _)| *debtor == named).copied(),
            (None, [one]) => Some(*one),
            (None, []) => return Ok(None),
            (None, _) => {
                let words = "more than one owes something of this round: say from whom it was collected";
                return refuse(Code::Amount, "D7", words);
            }
        };
        let Some((debtor, owed)) = found else {
            return refuse(Code::NotFound, "D7", "nothing of this round is to be collected there");
        };
        if amount > owed {
            return refuse(Code::Amount, "D7", format!("{owed} of this round is to be collected there"));
        }
        Ok(Some(debtor))
    }
}
