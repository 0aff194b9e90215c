//! Claims of the house that are paid after all: what corrections and decisions could not collect (D7).

use rulebook::{Act, Cents};

use crate::command::*;
use crate::decide::{Events, amount_fits, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::Floor;

impl Floor {
    pub(crate) fn record_recovered(
        &self,
        sender: Sender,
        table: TableId,
        round: Option<RoundId>,
        amount: Cents,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::HandPay, found)?;
        let witness = self.second_person(by, witness, Act::HandPay, found)?;
        reason_fits(reason)?;
        amount_fits(amount)?;
        let claimed = Cents::new(self.books.uncollected.get().saturating_neg());
        if amount > claimed {
            return refuse(Code::Amount, "D7", format!("the house has claims of {claimed}"));
        }
        Ok(vec![Event::Recovered { table, round, amount, by, witness, reason: reason.into() }])
    }
}
