//! Credits, tickets, shifts and visits.

use super::Applied;
use crate::cage::back_to_the_vault;
use crate::command::*;
use crate::dual::Moving;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause};
use crate::state::*;
use rulebook::Cents;

/// Closed tickets that are remembered, so that "already paid" can be told from "unknown".
const REMEMBERED: usize = 100_000;

impl Floor {
    pub(super) fn apply_money(&mut self, event: &Event, at: Moment) -> Applied {
        match event {
            Event::CashIn { terminal, amount } => {
                self.begin_visit(*terminal)?;
                self.cash_moved(*terminal, *amount, Cents::ZERO);
                self.transfer(Account::CashDrop(*terminal), Account::Credit(*terminal), *amount, Cause::CashIn)
            }
            Event::AttendantIn { terminal, amount, by, witness } => {
                self.begin_visit(*terminal)?;
                self.cash_moved(*terminal, *amount, Cents::ZERO);
                self.count_at_terminal(*terminal, *amount, *by, *witness)?;
                self.transfer(Account::Attendant, Account::Credit(*terminal), *amount, Cause::AttendantIn)
            }
            Event::TicketIn { terminal, ticket, amount } => {
                self.begin_visit(*terminal)?;
                self.cash_moved(*terminal, *amount, Cents::ZERO);
                self.transfer(Account::TicketsOutstanding, Account::Credit(*terminal), *amount, Cause::TicketIn)?;
                self.end_ticket(*ticket, TicketState::Paid)
            }
            Event::TicketPrepared { ticket, terminal, amount, number } => {
                let (credit, prepared) = (Account::Credit(*terminal), Account::TicketsPrepared(*terminal));
                self.transfer(credit, prepared, *amount, Cause::TicketPrepared)?;
                self.new_ticket(*ticket, *number, *amount, Some(*terminal), TicketState::Prepared, at, at);
                Ok(())
            }
            Event::TicketPrinted { ticket, expires } => self.paper_in_hand(*ticket, *expires, at),
            Event::PrintFailed { ticket } => self.ticket_not_printed(*ticket, TicketBecame::Returned).map(drop),
            Event::AttendantPaid { terminal, amount, by, witness } => {
                self.count_at_terminal(*terminal, *amount, *by, *witness)?;
                self.cash_moved(*terminal, Cents::ZERO, *amount);
                self.transfer(Account::Credit(*terminal), Account::Attendant, *amount, Cause::AttendantOut)?;
                self.end_visit_if_empty(*terminal)
            }
            Event::LossLimitSet { terminal, limit } => {
                self.terminal_mut(*terminal)?.loss_limit = *limit;
                Ok(())
            }
            Event::TicketReprinted { ticket, .. } => {
                let ticket = self.ticket_mut(*ticket)?;
                ticket.reprints = ticket.reprints.saturating_add(1);
                Ok(())
            }
            Event::TicketExpired { ticket } => {
                let amount = self.ticket_mut(*ticket)?.amount;
                self.transfer(Account::TicketsOutstanding, Account::TicketsExpired, amount, Cause::Expired)?;
                self.end_ticket(*ticket, TicketState::Expired)
            }
            Event::ShiftOpened { shift, cashier, float, witness, from } => {
                // A drawer handed over is signed for by the cashier who takes it.
                let by = if from.is_none() { *cashier } else { witness.unwrap_or(*cashier) };
                self.count_moved(by, Moving::of(*float), witness.filter(|_| from.is_none()).or(from.map(|_| *cashier)));
                self.next.shift = self.next.shift.max(shift.0 + 1);
                let opened = Shift { id: *shift, cashier: *cashier, opened: at, opening: *float, float: Cents::ZERO };
                self.shifts.insert(*shift, opened);
                self.staff_mut(*cashier)?.shift = Some(*shift);
                self.transfer(Account::CageFloat(*shift), Account::World, *float, Cause::Float)
            }
            Event::ShiftClosed { shift, counted, expected, witness, by, .. } => {
                let float = Account::CageFloat(*shift);
                self.transfer(Account::World, float, *counted, Cause::Float)?;
                let short = expected.get() - counted.get();
                if short >= 0 {
                    self.transfer(Account::Differences, float, Cents::new(short), Cause::Float)?;
                } else {
                    self.transfer(float, Account::Differences, Cents::new(-short), Cause::Float)?;
                }
                let Some(closed) = self.shifts.remove(shift) else { return self.misfit("no such shift") };
                if closed.float != Cents::ZERO {
                    return self.misfit("the shift does not balance");
                }
                self.control.counts.remove(shift);
                let moved = back_to_the_vault(*counted, *expected);
                if moved.is_positive() && !mutant!("difference-not-counted") {
                    self.count_moved(by.unwrap_or(closed.cashier), Moving::of(moved), *witness);
                }
                let people = [Some(closed.cashier), *by, *witness].into_iter().flatten().collect();
                self.drawer_differed(closed.cashier, people, Cents::new(short.saturating_abs()));
                self.staff_mut(closed.cashier)?.shift = None;
                Ok(())
            }
            Event::TicketSold { ticket, shift, amount, number, expires, witness, in_doubt } => {
                let cashier = self.shifts.get(shift).map(|shift| shift.cashier);
                if let Some(cashier) = cashier {
                    self.count_moved(cashier, Moving::of(*amount), *witness);
                }
                if *in_doubt {
                    self.new_ticket(*ticket, *number, *amount, None, TicketState::Prepared, at, at);
                    self.control.papers.entry(*ticket).or_default().printed_for = cashier;
                } else {
                    self.new_ticket(*ticket, *number, *amount, None, TicketState::Outstanding, at, *expires);
                    self.expiries.entry(*expires).or_default().push(*ticket);
                }
                self.cash_in_shift(*shift, *amount, Cents::ZERO);
                self.transfer(Account::CageFloat(*shift), Account::TicketsOutstanding, *amount, Cause::Sold)
            }
            Event::TicketRedeemed { ticket, shift, amount, .. } => {
                self.cash_in_shift(*shift, Cents::ZERO, *amount);
                self.transfer(Account::TicketsOutstanding, Account::CageFloat(*shift), *amount, Cause::Redeemed)?;
                self.end_ticket(*ticket, TicketState::Paid)
            }
            Event::CorrectionPaid { payable, shift, amount, witness } => {
                let Some(paid) = self.payables.remove(payable) else {
                    return self.misfit("nothing is payable under this number");
                };
                if let Some(cashier) = self.shifts.get(shift).map(|shift| shift.cashier) {
                    let threshold = self.table_mut(paid.table)?.settings.hand_pay;
                    let moving = Moving { visit: paid.visit, ..Moving::of(*amount).at(threshold) };
                    self.count_moved(cashier, moving, *witness);
                }
                self.payable_gone(&paid);
                self.cash_in_shift(*shift, Cents::ZERO, *amount);
                self.transfer(Account::CorrectionPayable, Account::CageFloat(*shift), *amount, Cause::Paid)
            }
            _ => self.misfit("not an event about money"),
        }
    }

    /// An attendant moves money at a terminal: it counts for its visit, and at its table (D27).
    fn count_at_terminal(
        &mut self,
        terminal: TerminalId,
        amount: Cents,
        by: StaffId,
        witness: Option<StaffId>,
    ) -> Applied {
        let found = self.terminal_mut(terminal)?;
        let (visit, table) = (found.visit, found.table);
        let threshold = self.table_mut(table)?.settings.hand_pay;
        self.count_moved(by, Moving { visit, ..Moving::of(amount).at(threshold) }, witness);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn new_ticket(
        &mut self,
        id: TicketId,
        number: TicketHash,
        amount: Cents,
        terminal: Option<TerminalId>,
        state: TicketState,
        issued: Moment,
        expires: Moment,
    ) {
        self.next.ticket = self.next.ticket.max(id.0 + 1);
        self.ticket_numbers.insert(number, id);
        if state == TicketState::Prepared && self.level() >= crate::level::TAGGED {
            self.control.doubts.insert(id, false);
        }
        self.tickets.insert(id, Ticket { id, number, amount, terminal, state, issued, expires, reprints: 0 });
    }

    pub(super) fn end_ticket(&mut self, id: TicketId, state: TicketState) -> Applied {
        let ticket = self.ticket_mut(id)?;
        ticket.state = state;
        let expires = ticket.expires;
        if let Some(due) = self.expiries.get_mut(&expires) {
            due.retain(|ticket| *ticket != id);
            if due.is_empty() {
                self.expiries.remove(&expires);
            }
        }
        self.control.doubts.remove(&id);
        self.closed_tickets.push_back(id);
        if self.closed_tickets.len() > REMEMBERED
            && let Some(oldest) = self.closed_tickets.pop_front()
            && let Some(ticket) = self.tickets.remove(&oldest)
        {
            self.ticket_numbers.remove(&ticket.number);
            self.control.papers.remove(&oldest);
        }
        Ok(())
    }

    /// A clock that is accepted makes time jump. No ticket expires by that alone: those that would are good for as long as the
    /// jump more (S15).
    pub(super) fn tickets_outlive(&mut self, ahead: i64, at: Moment) -> Applied {
        if ahead <= 0 || mutant!("accepted-clock-expires-tickets") {
            return Ok(());
        }
        let jump = at..=at.after(ahead);
        let due: Vec<Moment> = self.expiries.range(jump).map(|(expires, _)| *expires).collect();
        for expires in due {
            let later = expires.after(ahead);
            let tickets = self.expiries.remove(&expires).unwrap_or_default();
            for ticket in &tickets {
                self.ticket_mut(*ticket)?.expires = later;
            }
            self.expiries.entry(later).or_default().extend(tickets);
        }
        Ok(())
    }

    /// Money into a terminal with neither credit nor bets begins a visit (D7).
    pub(super) fn begin_visit(&mut self, id: TerminalId) -> Applied {
        let next = VisitId(self.next.visit);
        let terminal = self.terminal_mut(id)?;
        if terminal.visit.is_none() {
            terminal.visit = Some(next);
            terminal.lost_in_visit = Cents::ZERO;
            self.next.visit += 1;
            // The ticket of the player before is none of the next one's business (S13).
            self.control.last_tickets.remove(&id);
        }
        Ok(())
    }

    /// A visit ends when neither credit nor bets are left (D7).
    pub(super) fn end_visit_if_empty(&mut self, id: TerminalId) -> Applied {
        let terminal = self.terminal_mut(id)?;
        let all_in_doubt = !terminal.credit.is_positive() && terminal.stakes.is_empty();
        if terminal.holds_money() && !(all_in_doubt && mutant!("doubt-ends-visit")) {
            return Ok(());
        }
        if let Some(visit) = terminal.visit.take() {
            terminal.loss_limit = None;
            terminal.lost_in_visit = Cents::ZERO;
            self.forget_visit(visit);
        }
        Ok(())
    }
}
