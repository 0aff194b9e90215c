//! Credits, tickets and the cage.

use floor::*;

use super::{Check, Model, Shift, Ticket, must};

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Model {
    /// Takes an event about credits, tickets or the cage in; false if it is something else.
    pub(super) fn money(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::CashIn { terminal, amount } | Event::AttendantIn { terminal, amount, .. } => {
                self.usable(*terminal)?;
                must(self.terminal(*terminal)?.prepared == 0, || "money beside a ticket in doubt (D25)".to_owned())?;
                self.begin_visit(*terminal)?;
                self.credit(*terminal, amount.get())?;
            }
            Event::TicketIn { terminal, ticket, amount } => {
                self.usable(*terminal)?;
                self.pay_ticket(*ticket, amount.get())?;
                self.begin_visit(*terminal)?;
                self.credit(*terminal, amount.get())?;
            }
            Event::TicketPrepared { ticket, terminal, amount, number } => {
                self.usable(*terminal)?;
                let found = self.terminal_mut(*terminal)?;
                must(found.credit == amount.get(), || "a ticket is for the whole credit".to_owned())?;
                must(found.prepared == 0, || "two tickets are being printed".to_owned())?;
                found.credit = 0;
                found.prepared = amount.get();
                self.new_ticket(*ticket, *number, amount.get(), Some(*terminal), TicketState::Prepared, self.now)?;
            }
            Event::TicketPrinted { ticket, expires } => {
                let terminal = self.printer_answers(*ticket, TicketState::Outstanding)?;
                let due = self.now.after(self.ticket_days * DAY);
                must(*expires == due, || format!("ticket {ticket} expires at {expires:?}, not {due:?}"))?;
                if let Some(found) = self.tickets.get_mut(ticket) {
                    found.expires = *expires;
                }
                if let Some(terminal) = terminal {
                    self.terminal_mut(terminal)?.prepared = 0;
                    self.end_visit(terminal)?;
                }
            }
            Event::TicketResolved { ticket, finding, expires, by, witness, shift, .. } => {
                self.resolved(*ticket, *finding, *expires, *by, *witness, *shift)?;
            }
            Event::TicketReplaced { ticket, duplicate, number, by, witness, .. } => {
                self.are_two(*by, *witness)?;
                must(self.signs_at_cage(*witness), || "nobody signed for a duplicate".to_owned())?;
                let found = self.tickets.get_mut(ticket).ok_or("no such ticket")?;
                let again = found.state == TicketState::Prepared && found.printed_for.is_some();
                must(found.state == TicketState::Outstanding || again, || {
                    format!("ticket {ticket} is not outstanding")
                })?;
                found.state = TicketState::Void;
                let (amount, terminal) = (found.amount, found.terminal);
                self.new_ticket(*duplicate, *number, amount, terminal, TicketState::Prepared, self.now)?;
                if let Some(found) = self.tickets.get_mut(duplicate) {
                    found.printed_for = Some(*by);
                }
            }
            Event::PrintFailed { ticket } => {
                let terminal = self.printer_answers(*ticket, TicketState::Void)?.ok_or("a duplicate went back")?;
                let found = self.terminal_mut(terminal)?;
                found.credit += std::mem::take(&mut found.prepared);
            }
            Event::AttendantPaid { terminal, amount, .. } => {
                self.credit(*terminal, -amount.get())?;
                self.end_visit(*terminal)?;
            }
            Event::LossLimitSet { terminal, limit } => {
                let limit = limit.map(|limit| limit.get());
                let found = self.terminal_mut(*terminal)?;
                let looser = found.loss_limit.is_some_and(|old| limit.is_none_or(|new| new > old));
                must(!looser || found.visit.is_none(), || "a loss limit was loosened within a visit".to_owned())?;
                found.loss_limit = limit;
            }
            Event::TicketReprinted { ticket, .. } => {
                let outstanding = self.tickets.get(ticket).is_some_and(|t| t.state == TicketState::Outstanding);
                must(outstanding, || format!("ticket {ticket} is not outstanding"))?;
            }
            Event::TicketExpired { ticket } => {
                let now = self.now;
                let found = self.tickets.get_mut(ticket).ok_or("no such ticket")?;
                must(found.state == TicketState::Outstanding && now >= found.expires, || {
                    format!("ticket {ticket} has not expired")
                })?;
                found.state = TicketState::Expired;
            }
            _ => return self.cage(event),
        }
        Ok(true)
    }

    fn cage(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::ShiftOpened { shift, cashier, float, .. } => {
                must(self.shifts.values().all(|shift| shift.cashier != *cashier), || {
                    "a cashier has two shifts".to_owned()
                })?;
                self.shifts.insert(*shift, Shift { cashier: *cashier, cash: float.get(), counted: None });
            }
            Event::ShiftCounted { shift, counts, counted, .. } => {
                let sum: i64 = counts.iter().map(|pile| pile.denomination.get() * i64::from(pile.pieces)).sum();
                must(sum == counted.get(), || format!("{sum} cents were counted, not {counted}"))?;
                self.shifts.get_mut(shift).ok_or("no such shift")?.counted = Some(sum);
            }
            Event::ShiftClosed { shift, expected, counted, reason, .. } => {
                let found = self.shifts.remove(shift).ok_or("no such shift")?;
                must(found.counted == Some(counted.get()), || format!("shift {shift} closed without a count"))?;
                must(counted == expected || reason.is_some(), || "a difference without a reason".to_owned())?;
                must(found.cash == expected.get(), || {
                    format!("shift {shift} should hold {} cents, not {expected}", found.cash)
                })?;
            }
            Event::TicketSold { ticket, shift, amount, number, expires, in_doubt, .. } => {
                self.drawer(*shift, amount.get())?;
                let cashier = self.shifts.get(shift).map(|shift| shift.cashier);
                if *in_doubt {
                    self.new_ticket(*ticket, *number, amount.get(), None, TicketState::Prepared, self.now)?;
                    self.tickets.get_mut(ticket).ok_or("no such ticket")?.printed_for = cashier;
                } else {
                    self.new_ticket(*ticket, *number, amount.get(), None, TicketState::Outstanding, *expires)?;
                }
            }
            Event::TicketRedeemed { ticket, shift, amount, .. } => {
                self.pay_ticket(*ticket, amount.get())?;
                self.drawer(*shift, -amount.get())?;
            }
            Event::PayablePaid { payable, amount, .. } => {
                let found = self.payables.remove(payable).ok_or("nothing is payable under this number")?;
                must(found.amount == amount.get(), || format!("{} cents are payable, not {amount}", found.amount))?;
                self.payable_gone(found.visit);
            }
            Event::ExpiredPaid { ticket, amount, shift, .. } => {
                let found = self.tickets.get_mut(ticket).ok_or("no such ticket")?;
                must(found.state == TicketState::Expired, || format!("ticket {ticket} has not expired"))?;
                must(found.amount == amount.get(), || {
                    format!("the ticket is of {} cents, not {amount}", found.amount)
                })?;
                found.state = TicketState::Paid;
                if let Some(shift) = shift {
                    self.drawer(*shift, -amount.get())?;
                }
            }
            Event::DrawerMoved { shift, movement, amount, .. } => {
                let sign = if *movement == DrawerMovement::Fill { 1 } else { -1 };
                self.drawer(*shift, sign * amount.get())?;
            }
            Event::CorrectionPaid { payable, shift, amount, .. } => {
                let found = self.payables.remove(payable).ok_or("nothing is payable under this number")?;
                must(found.amount == amount.get(), || format!("{} cents are payable, not {amount}", found.amount))?;
                self.payable_gone(found.visit);
                self.drawer(*shift, -amount.get())?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What was moved for a visit that is over is forgotten with the last payment of it.
    fn payable_gone(&mut self, visit: Option<u64>) {
        let more = self.payables.values().any(|payable| payable.visit == visit);
        let goes_on = self.terminals.iter().any(|terminal| terminal.visit == visit);
        if !more && !goes_on {
            self.alone_in_visit.retain(|(of, _), _| Some(*of) != visit);
        }
    }

    fn resolved(
        &mut self,
        ticket: TicketId,
        finding: TicketFinding,
        expires: Option<Moment>,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        shift: Option<ShiftId>,
    ) -> Check {
        let now = self.now;
        let found = self.tickets.get_mut(&ticket).ok_or("no such ticket")?;
        must(found.state == TicketState::Prepared, || format!("ticket {ticket} is not in doubt"))?;
        let in_hand = matches!(finding, TicketFinding::InHand | TicketFinding::Presented);
        found.state = if in_hand { TicketState::Outstanding } else { TicketState::Void };
        found.expires = expires.unwrap_or(now);
        let (amount, terminal, duplicate) = (found.amount, found.terminal, found.printed_for.is_some());
        if finding != TicketFinding::Presented {
            let (first, second) = by.zip(witness).ok_or("a ticket in doubt takes two people (D25)")?;
            self.are_two(first, second)?;
            must(self.signs_at_cage(second), || "the second person is not of the cage or the pit".to_owned())?;
        }
        if let (TicketFinding::PaidByHand, Some(shift)) = (finding, shift) {
            self.drawer(shift, -amount)?;
        }
        if duplicate {
            return must(finding != TicketFinding::NotPrinted, || "a duplicate went back to a terminal".to_owned());
        }
        let terminal = terminal.ok_or("a ticket in doubt of no terminal")?;
        let held = self.terminal_mut(terminal)?;
        must(std::mem::take(&mut held.prepared) == amount, || "the amount in doubt is another".to_owned())?;
        if finding == TicketFinding::NotPrinted {
            held.credit += amount;
        }
        self.end_visit(terminal)
    }

    fn usable(&self, id: TerminalId) -> Check {
        let terminal = self.terminal(id)?;
        must(terminal.live && !terminal.locked, || format!("terminal {id} is lost or locked"))
    }

    fn drawer(&mut self, id: ShiftId, amount: i64) -> Check {
        let shift = self.shifts.get_mut(&id).ok_or("no such shift")?;
        shift.cash += amount;
        must(shift.cash >= 0, || format!("the drawer of shift {id} would hold {} cents", shift.cash))
    }

    fn new_ticket(
        &mut self,
        id: TicketId,
        number: TicketHash,
        amount: i64,
        terminal: Option<TerminalId>,
        state: TicketState,
        expires: Moment,
    ) -> Check {
        must(amount > 0, || "a ticket over nothing".to_owned())?;
        must(self.tickets.values().all(|ticket| ticket.number != number), || "a ticket number twice".to_owned())?;
        let ticket = Ticket { number, amount, terminal, state, expires, printed_for: None };
        must(self.tickets.insert(id, ticket).is_none(), || format!("ticket {id} twice"))
    }

    /// A ticket is paid once, in time, and in full.
    fn pay_ticket(&mut self, id: TicketId, amount: i64) -> Check {
        let now = self.now;
        let ticket = self.tickets.get_mut(&id).ok_or("no such ticket")?;
        must(ticket.state == TicketState::Outstanding, || format!("ticket {id} is {:?}", ticket.state))?;
        must(now < ticket.expires, || format!("ticket {id} has expired"))?;
        must(ticket.amount == amount, || format!("ticket {id} is over {} cents, not {amount}", ticket.amount))?;
        ticket.state = TicketState::Paid;
        Ok(())
    }

    /// The terminal that a printer has answered for; a duplicate has left it before.
    fn printer_answers(&mut self, id: TicketId, state: TicketState) -> Result<Option<TerminalId>, String> {
        let ticket = self.tickets.get_mut(&id).ok_or("no such ticket")?;
        must(ticket.state == TicketState::Prepared, || format!("ticket {id} waits for no printer"))?;
        ticket.state = state;
        if ticket.printed_for.is_some() {
            return Ok(None);
        }
        ticket.terminal.map(Some).ok_or_else(|| format!("ticket {id} is of no terminal"))
    }
}
