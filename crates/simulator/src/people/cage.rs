//! Cashiers: shifts, tickets, corrections to pay.

use floor::*;
use rulebook::{Act, Cents};

use super::{Deed, Scene, dollars, new_number};
use crate::chance::Chance;

impl Scene<'_> {
    pub(super) fn cage(&self, chance: &mut Chance) -> Option<Deed> {
        let Sender::Staff(cashier) = self.serving(Post::Cashier, chance)? else { return None };
        let shift = self.model.shifts.values().find(|shift| shift.cashier == cashier);
        let body = match shift {
            None => Body::OpenShift { float: dollars(chance.between(0, 30) * 100), witness: None },
            Some(shift) => match chance.below(16) {
                0 => {
                    let off = if chance.one_in(3) { chance.between(-3, 3) * 100 } else { 0 };
                    Body::CloseShift {
                        counted: Cents::new((shift.cash + off).max(0)),
                        reason: String::new(),
                        witness: None,
                    }
                }
                1..5 => Body::SellTicket { amount: dollars(chance.between(5, 200)), number: new_number(chance) },
                5..9 => self.redeem(chance)?,
                9..14 => self.pay_correction(chance)?,
                _ => {
                    let tickets: Vec<TicketId> = self.model.tickets.keys().copied().collect();
                    Body::ReprintTicket {
                        ticket: chance.pick(&tickets)?,
                        number: None,
                        reason: String::new(),
                        witness: None,
                    }
                }
            },
        };
        Some((Sender::Staff(cashier), body))
    }

    fn redeem(&self, chance: &mut Chance) -> Option<Body> {
        let number = self.some_ticket(chance)?;
        let ticket = self.model.tickets.values().find(|ticket| ticket.number == number)?;
        let amount = match chance.below(5) {
            0 => None,
            1 if chance.one_in(3) => Some(Cents::new(ticket.amount + 100)),
            _ => Some(Cents::new(ticket.amount)),
        };
        Some(Body::RedeemTicket { number, amount, witness: None })
    }

    fn pay_correction(&self, chance: &mut Chance) -> Option<Body> {
        let payables: Vec<PayableId> = self.model.payables.keys().copied().collect();
        let payable = chance.pick(&payables)?;
        let round = self.model.payables.get(&payable)?.round;
        let round = if chance.one_in(12) { Some(RoundId(round.map_or(0, |round| round.0 + 1))) } else { round };
        let table = self.some_table(chance)?;
        let witness = if chance.one_in(4) { None } else { self.person(table, Act::HandPay, chance) };
        Some(Body::PayCorrection { payable, round, witness })
    }
}
