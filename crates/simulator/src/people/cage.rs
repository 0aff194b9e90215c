//! Cashiers: shifts, tickets, corrections to pay.

use floor::*;
use rulebook::{Act, Cents};

use super::{Deed, Scene, dollars, new_number};
use crate::chance::Chance;

impl Scene<'_> {
    pub(super) fn cage(&self, chance: &mut Chance) -> Option<Deed> {
        let Sender::Staff(cashier) = self.serving(Post::Cashier, chance)? else { return None };
        let shift = self.model.shifts.values().find(|shift| shift.cashier == cashier);
        // The drawer of another, who has left.
        let others: Vec<ShiftId> =
            self.model.shifts.iter().filter(|(_, shift)| shift.cashier != cashier).map(|(id, _)| *id).collect();
        if let Some(id) = chance.pick(&others).filter(|_| chance.one_in(25)) {
            return self.serve_drawer(id, cashier, chance);
        }
        if let Some(body) = self.pay_expired(shift.map(|_| cashier), chance) {
            return Some(body);
        }
        let body = match shift {
            None => {
                let witness = if chance.one_in(3) { self.signs_at_cage(cashier, chance) } else { None };
                Body::OpenShift { float: dollars(chance.between(0, 30) * 100), witness }
            }
            Some(shift) => match chance.below(17) {
                _ if shift.counted.is_some() => self.leave_drawer(cashier, shift, chance),
                0 => {
                    let off = if chance.one_in(3) { chance.between(-3, 3) * 100 } else { 0 };
                    let pieces = u32::try_from((shift.cash + off).max(0)).unwrap_or(0);
                    let counts = vec![Pile { denomination: Cents::ONE, pieces }];
                    Body::CountShift { counts: if pieces == 0 { Vec::new() } else { counts }, witness: None }
                }
                1..5 => {
                    let witness = if chance.one_in(3) { self.signs_at_cage(cashier, chance) } else { None };
                    Body::SellTicket { amount: dollars(chance.between(5, 200)), number: new_number(chance), witness }
                }
                16 => {
                    let movement = chance.of_these([DrawerMovement::Fill, DrawerMovement::Credit]);
                    let pieces = u32::try_from(chance.between(1, 20)).unwrap_or(1);
                    let counts = vec![Pile { denomination: dollars(100), pieces }];
                    Body::MoveDrawer { movement, counts, witness: self.signs_at_cage(cashier, chance) }
                }
                5..9 => self.redeem(cashier, chance)?,
                9..14 => self.pay_correction(chance)?,
                _ => {
                    let tickets: Vec<TicketId> = self.model.tickets.keys().copied().collect();
                    let ticket = chance.pick(&tickets)?;
                    let witness = self.signs_at_cage(cashier, chance);
                    match (chance.below(4), self.model.tickets.get(&ticket)?.printed_for) {
                        (0, _) => {
                            let findings =
                                [TicketFinding::InHand, TicketFinding::NotPrinted, TicketFinding::PaidByHand];
                            let finding = chance.of_these(findings);
                            Body::ResolveTicket { ticket, finding, reason: "seen".to_owned(), witness }
                        }
                        (1, Some(_)) => Body::TicketPrinted { ticket },
                        _ => {
                            let number = Some(new_number(chance));
                            Body::ReprintTicket { ticket, number, reason: "torn".to_owned(), witness }
                        }
                    }
                }
            },
        };
        Some((Sender::Staff(cashier), body))
    }

    /// A second person for the cage; sometimes one who is not permitted.
    fn signs_at_cage(&self, first: StaffId, chance: &mut Chance) -> Option<StaffId> {
        let everybody = (0..).map(StaffId).take(self.model.staff.len());
        let mut others: Vec<StaffId> = everybody.filter(|id| self.model.signs_at_cage(*id)).collect();
        others.retain(|id| *id != first);
        match chance.below(12) {
            0 => None,
            1 => Some(first),
            _ => chance.pick(&others),
        }
    }

    /// The Shift Manager decides that an expired ticket is paid (S15): a cashier with a drawer pays it, or the Shift Manager
    /// by hand. Now and then it is a ticket that has not expired or was paid before.
    fn pay_expired(&self, cashier: Option<StaffId>, chance: &mut Chance) -> Option<Deed> {
        let expired = |ticket: &crate::model::Ticket| ticket.state == TicketState::Expired;
        let tickets = self.model.tickets.iter().filter(|(_, ticket)| expired(ticket)).map(|(id, _)| *id);
        let tickets: Vec<TicketId> = tickets.collect();
        let mut ticket = chance.pick(&tickets).filter(|_| chance.one_in(12))?;
        if chance.wrong(10) {
            let all: Vec<TicketId> = self.model.tickets.keys().copied().collect();
            ticket = chance.pick(&all)?;
        }
        let terminal = self.model.tickets.get(&ticket)?.terminal;
        let table = match terminal {
            Some(terminal) => self.model.terminal(terminal).ok()?.table,
            None => self.some_table(chance)?,
        };
        let mut managers = self.model.qualified(self.game(table)?, Act::Decide);
        let (by, witness) = match cashier.filter(|_| !chance.one_in(3)) {
            Some(cashier) => {
                managers.retain(|manager| *manager != cashier);
                (cashier, chance.pick(&managers)?)
            }
            None => {
                let by = chance.pick(&managers)?;
                let everybody = (0..).map(StaffId).take(self.model.staff.len());
                let signs = |id: &StaffId| *id != by && self.model.signs_at_cage(*id);
                let others: Vec<StaffId> = everybody.filter(signs).collect();
                (by, chance.pick(&others)?)
            }
        };
        let witness = if chance.wrong(12) { chance.of_these([None, Some(by)]) } else { Some(witness) };
        Some((Sender::Staff(by), Body::PayExpired { ticket, reason: "in hospital".to_owned(), witness }))
    }

    fn serve_drawer(&self, id: ShiftId, cashier: StaffId, chance: &mut Chance) -> Option<Deed> {
        let shift = self.model.shifts.get(&id)?;
        let reason = if chance.one_in(4) { String::new() } else { "left".to_owned() };
        let act = match (shift.counted, chance.below(3)) {
            (None, _) => {
                let pieces = u32::try_from(shift.cash.max(0)).ok()?;
                let counts = vec![Pile { denomination: Cents::ONE, pieces }];
                DrawerAct::Count { counts: if pieces == 0 { Vec::new() } else { counts } }
            }
            (Some(_), 0) => DrawerAct::HandOver { reason },
            (Some(counted), _) => DrawerAct::Close { counted: Cents::new(counted), reason },
        };
        let witness = self.signs_at_cage(cashier, chance);
        Some((Sender::Staff(cashier), Body::ServeDrawer { shift: id, act, witness }))
    }

    fn leave_drawer(&self, cashier: StaffId, shift: &crate::model::Shift, chance: &mut Chance) -> Body {
        let witness = self.signs_at_cage(cashier, chance);
        let reason = if chance.one_in(4) { String::new() } else { "counted".to_owned() };
        match chance.below(4) {
            0 => Body::HandOverShift { reason, witness },
            _ => Body::CloseShift { counted: Cents::new(shift.counted.unwrap_or(0)), reason, witness },
        }
    }

    fn redeem(&self, cashier: StaffId, chance: &mut Chance) -> Option<Body> {
        let number = self.some_ticket(chance)?;
        let ticket = self.model.tickets.values().find(|ticket| ticket.number == number)?;
        let amount = match chance.below(5) {
            0 => None,
            1 if chance.one_in(3) => Some(Cents::new(ticket.amount + 100)),
            _ => Some(Cents::new(ticket.amount)),
        };
        // Their own tickets too, now and then with a second person (D27).
        let witness = if chance.one_in(3) { self.signs_at_cage(cashier, chance) } else { None };
        Some(Body::RedeemTicket { number, amount, witness })
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
