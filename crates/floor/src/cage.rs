//! The cage: shifts, tickets sold and redeemed, corrections paid.

use rulebook::{Act, Cents};

use crate::command::*;
use crate::decide::{Events, amount_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Shift};

impl Shift {
    /// The cash that must be in the drawer.
    #[must_use]
    pub fn cash(&self) -> Cents {
        Cents::new(self.float.get().saturating_neg())
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> ShiftId {
        self.id
    }

    /// Whose shift it is.
    #[must_use]
    pub fn cashier(&self) -> StaffId {
        self.cashier
    }
}

impl Floor {
    /// The open shift of the cashier behind a command.
    fn shift_of(&self, sender: Sender) -> Result<&Shift, Refusal> {
        let cashier = self.cashier(sender)?;
        match cashier.shift.and_then(|shift| self.shifts.get(&shift)) {
            Some(shift) => Ok(shift),
            None => refuse(Code::Shift, "the cage", "open a shift first"),
        }
    }

    fn shift_can_pay(shift: &Shift, amount: Cents) -> Result<(), Refusal> {
        if shift.cash() < amount {
            return refuse(Code::Float, "the cage", format!("the float holds {}", shift.cash()));
        }
        Ok(())
    }

    pub(crate) fn open_shift(&self, sender: Sender, float: Cents) -> Events {
        let cashier = self.cashier(sender)?;
        if cashier.shift.is_some() {
            return refuse(Code::Shift, "the cage", "this cashier has an open shift");
        }
        if float != Cents::ZERO {
            amount_fits(float)?;
        }
        Ok(vec![Event::ShiftOpened { shift: ShiftId(self.next.shift), cashier: cashier.id, float }])
    }

    pub(crate) fn close_shift(&self, sender: Sender, counted: Cents) -> Events {
        let shift = self.shift_of(sender)?;
        if counted != Cents::ZERO {
            amount_fits(counted)?;
        }
        Ok(vec![Event::ShiftClosed { shift: shift.id, counted, expected: shift.cash() }])
    }

    pub(crate) fn sell_ticket(&self, sender: Sender, amount: Cents, number: TicketHash, at: Moment) -> Events {
        let shift = self.shift_of(sender)?;
        amount_fits(amount)?;
        self.new_number(number)?;
        let expires = self.ticket_expiry(at);
        Ok(vec![Event::TicketSold { ticket: self.next_ticket(), shift: shift.id, amount, number, expires }])
    }

    pub(crate) fn redeem_ticket(
        &self,
        sender: Sender,
        number: TicketHash,
        amount: Option<Cents>,
        at: Moment,
    ) -> Events {
        let shift = self.shift_of(sender)?;
        let ticket = self.redeemable(number, at)?;
        Floor::amount_agrees(ticket, amount)?;
        Floor::shift_can_pay(shift, ticket.amount)?;
        Ok(vec![Event::TicketRedeemed { ticket: ticket.id, shift: shift.id, amount: ticket.amount }])
    }

    /// What a correction left is paid on the evidence of the round (D7).
    pub(crate) fn pay_correction(
        &self,
        sender: Sender,
        payable: PayableId,
        round: Option<RoundId>,
        witness: Option<StaffId>,
    ) -> Events {
        let shift = self.shift_of(sender)?;
        let Some(found) = self.payables.get(&payable) else {
            return refuse(Code::NotFound, "D7", "nothing is to be paid under this number");
        };
        if found.round != round {
            let words = match found.round {
                Some(_) => "this is not the round the payment comes from",
                None => "this payment comes from a decision about no round: name none",
            };
            return refuse(Code::NotFound, "D7", words);
        }
        let (table, _) = self.find_table(found.table)?;
        let witness = if found.amount > table.settings.hand_pay {
            Some(self.second_person(shift.cashier, witness, Act::HandPay, table)?)
        } else {
            None
        };
        Floor::shift_can_pay(shift, found.amount)?;
        Ok(vec![Event::CorrectionPaid { payable, shift: shift.id, amount: found.amount, witness }])
    }
}
