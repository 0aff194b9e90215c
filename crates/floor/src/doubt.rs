//! Tickets in doubt (D25): from preparation until the printer reports, the amount is a player's money that every screen
//! shows. The paper presented, or two people, resolve it without the terminal; it is paid at most once.

use rulebook::{Act, Cents};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, LastTicket, Paper, Table, Ticket, TicketState};

/// A ticket in doubt, for the screens.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Which ticket.
    pub ticket: TicketId,
    /// The terminal that prepared it; `None` for one sold at the cage.
    pub terminal: Option<TerminalId>,
    /// How much.
    pub amount: Cents,
    /// Since when.
    pub since: Moment,
    /// Whether it replaces another ticket's number.
    pub duplicate: bool,
    /// Who prints it, if it is no terminal.
    pub printed_for: Option<StaffId>,
}

impl Floor {
    /// The tickets in doubt, oldest first.
    pub fn doubts(&self) -> impl Iterator<Item = Doubt> + '_ {
        self.control.doubts.keys().filter_map(|id| self.doubt(self.tickets.get(id)?))
    }

    /// The tickets that the house owes: those on paper, and those whose printer at a counter has not reported, which were
    /// paid for, or have left their terminal, already.
    pub fn owed_tickets(&self) -> impl Iterator<Item = &Ticket> + '_ {
        self.tickets.values().filter(|ticket| match ticket.state {
            TicketState::Outstanding => true,
            TicketState::Prepared => self.paper(ticket.id).of_counter(),
            _ => false,
        })
    }

    /// The ticket in doubt of a terminal.
    #[must_use]
    pub fn doubt_of(&self, terminal: TerminalId) -> Option<Doubt> {
        self.terminal(terminal).filter(|found| found.prepared.is_positive())?;
        self.doubts().find(|doubt| doubt.terminal == Some(terminal) && doubt.printed_for.is_none())
    }

    /// The last ticket of a terminal whose doubt is over, and what became of it (S17).
    #[must_use]
    pub fn last_ticket_of(&self, terminal: TerminalId) -> Option<LastTicket> {
        self.control.last_tickets.get(&terminal).copied()
    }

    fn doubt(&self, ticket: &Ticket) -> Option<Doubt> {
        let paper = self.paper(ticket.id);
        (ticket.state == TicketState::Prepared).then(|| Doubt {
            ticket: ticket.id,
            terminal: ticket.terminal,
            amount: ticket.amount,
            since: ticket.issued,
            duplicate: paper.duplicate_of.is_some(),
            printed_for: paper.printed_for,
        })
    }

    pub(crate) fn paper(&self, ticket: TicketId) -> Paper {
        self.control.papers.get(&ticket).copied().unwrap_or_default()
    }

    /// While a ticket is in doubt, the terminal takes no money: it would join a visit that may be over.
    pub(crate) fn takes_money(&self, terminal: &crate::state::Terminal) -> Result<(), Refusal> {
        if terminal.prepared.is_positive() && !mutant!("money-beside-doubt") {
            let words =
                format!("a ticket of {} is in doubt at this terminal: print or resolve it first", terminal.prepared);
            return refuse(Code::TicketState, "D25", words);
        }
        Ok(())
    }

    /// When the pit is alerted next because a printer has not reported.
    pub(crate) fn next_doubt(&self) -> Option<Moment> {
        let waiting = self.control.doubts.iter().filter(|(_, alerted)| !**alerted);
        waiting.filter_map(|(id, _)| Some(self.tickets.get(id)?.issued.after(bounds::REPORT_WITHIN))).min()
    }

    /// The alerts for printers that have not reported in time. There is one for each, however many alerts wait: a
    /// player's money is behind it.
    pub(crate) fn doubt_alerts(&self, at: Moment, earlier: u64) -> Vec<Event> {
        let late = self.control.doubts.iter().filter(|(_, alerted)| !**alerted).filter_map(|(id, _)| {
            let ticket = self.tickets.get(id)?;
            (at >= ticket.issued.after(bounds::REPORT_WITHIN)).then_some(ticket)
        });
        let table = |ticket: &Ticket| ticket.terminal.and_then(|id| self.terminal(id)).map(|terminal| terminal.table);
        let raised = |(ticket, earlier): (&Ticket, u64)| {
            self.own_alert(earlier, table(ticket), AlertKind::TicketInDoubt(ticket.id, ticket.amount))
        };
        late.zip(earlier..).map(raised).collect()
    }

    /// A Pit Supervisor or a cashier, with a second person, resolves a ticket in doubt.
    pub(crate) fn resolve_ticket(
        &self,
        sender: Sender,
        ticket: TicketId,
        finding: TicketFinding,
        reason: &str,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let found = self.tickets.get(&ticket);
        let by = self.ticket_clerk(sender, found)?;
        let witness = match witness {
            None if mutant!("doubt-resolved-alone") => None,
            _ => Some(self.cage_second(by, witness)?),
        };
        reason_fits(reason)?;
        let Some(found) = found else {
            return refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor");
        };
        if found.state != TicketState::Prepared {
            return refuse(
                Code::TicketState,
                "D25",
                format!("this ticket is not in doubt: {}", self.what_became(found)),
            );
        }
        let (expires, shift) = match finding {
            TicketFinding::InHand => (Some(self.ticket_expiry(at)), None),
            TicketFinding::NotPrinted if self.paper(ticket).of_counter() => {
                let words = "this ticket has no terminal to go back to: print another one, or pay it by hand";
                return refuse(Code::TicketState, "D25", words);
            }
            TicketFinding::NotPrinted => (None, None),
            TicketFinding::PaidByHand => (None, self.paying_shift(by, found.amount)?),
            TicketFinding::Presented => {
                return refuse(Code::TicketState, "D25", "a ticket is presented by its number");
            }
        };
        let reason = Some(reason.into());
        let mut events = vec![Event::TicketResolved { ticket, finding, expires, by: Some(by), witness, shift, reason }];
        if finding == TicketFinding::InHand {
            events.extend(self.large_ticket_out(found));
        }
        if finding == TicketFinding::PaidByHand {
            events.extend(match found.terminal.filter(|_| !self.paper(ticket).of_counter()) {
                Some(terminal) => self.large_cash_out(self.find_terminal(terminal)?, found.amount),
                None => self.large_cash_at(CashPlace::Person(by), Cents::ZERO, found.amount),
            });
        }
        Ok(events)
    }

    /// An expired ticket is not redeemed: the Shift Manager decides that it is paid (S15). It is named by its id, never by
    /// its number, and two people pay it, once (D27): a cashier from the drawer with the Shift Manager as second person, or
    /// the Shift Manager by hand with a cashier or a Pit Supervisor.
    pub(crate) fn pay_expired(
        &self,
        sender: Sender,
        ticket: TicketId,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let found = self.tickets.get(&ticket);
        let decides = |person: StaffId| {
            let table = found.and_then(|ticket| self.terminal(ticket.terminal?)).map(|terminal| terminal.table);
            let here = |place: &&Table| table.is_none_or(|table| place.id == table);
            let mut tables = self.tables().iter().filter(here);
            tables.any(|table| self.authorise(Sender::Staff(person), Act::Decide, table).is_ok())
        };
        let by = match self.staff_sender(sender)? {
            person if decides(person.id) => person.id,
            _ => self.cashier(sender)?.id,
        };
        let second = self.cage_second(by, witness)?;
        if !decides(by) && !decides(second) && !mutant!("expired-without-decision") {
            let words = "the Shift Manager or above decides that an expired ticket is paid, and signs";
            return refuse(Code::SecondPerson, "S15", words);
        }
        reason_fits(reason)?;
        let Some(found) = found else {
            return refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor");
        };
        let again = found.state == TicketState::Paid && mutant!("expired-paid-twice");
        if found.state != TicketState::Expired && !again {
            let words = format!("this ticket has not expired: {}", self.what_became(found));
            return refuse(Code::TicketState, "S15", words);
        }
        let (amount, shift) = (found.amount, self.paying_shift(by, found.amount)?);
        let (witness, reason) = (Some(second), reason.into());
        let mut events = vec![Event::ExpiredPaid { ticket, amount, shift, by, witness, reason }];
        events.extend(self.large_cash_at(CashPlace::Person(by), Cents::ZERO, amount));
        Ok(events)
    }

    /// A cashier pays from the drawer, anyone else as an attendant.
    fn paying_shift(&self, by: StaffId, amount: Cents) -> Result<Option<ShiftId>, Refusal> {
        let shift = self.person(by).and_then(|person| person.shift).and_then(|shift| self.shifts.get(&shift));
        match shift {
            Some(shift) if self.counted(shift.id).is_some() => {
                refuse(Code::Shift, "the cage", "the drawer has been counted: close the shift or hand it over")
            }
            Some(shift) => Floor::shift_can_pay(shift, amount).map(|()| Some(shift.id)),
            None if self.person(by).is_some_and(|person| person.rank().is_none()) => {
                refuse(Code::Shift, "the cage", "open a shift first")
            }
            None => Ok(None),
        }
    }

    /// A cashier, or the Pit Supervisor of the ticket's table; of any table for one that was sold at the cage.
    pub(crate) fn ticket_clerk(&self, sender: Sender, ticket: Option<&Ticket>) -> Result<StaffId, Refusal> {
        match self.cashier(sender) {
            Ok(cashier) => Ok(cashier.id),
            Err(refused) => {
                let terminal = ticket.and_then(|ticket| ticket.terminal).and_then(|id| self.terminal(id));
                match terminal.and_then(|terminal| self.table(terminal.table)) {
                    Some(table) => self.authorise(sender, Act::HandPay, table),
                    None if ticket.is_none() => Err(refused),
                    None => {
                        let mut tables = self.tables().iter();
                        tables.find_map(|table| self.authorise(sender, Act::HandPay, table).ok()).ok_or(refused)
                    }
                }
            }
        }
    }

    /// The paper of a ticket in doubt is presented: it is in hand, whatever the printer has reported.
    pub(crate) fn presented(
        &self,
        ticket: &Ticket,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Option<Event> {
        (ticket.state == TicketState::Prepared).then(|| Event::TicketResolved {
            ticket: ticket.id,
            finding: TicketFinding::Presented,
            expires: Some(self.ticket_expiry(at)),
            by,
            witness,
            shift: None,
            reason: None,
        })
    }

    /// What became of a ticket, in words.
    pub(crate) fn what_became(&self, ticket: &Ticket) -> &'static str {
        match ticket.state {
            TicketState::Prepared => "its printer has not reported",
            TicketState::Outstanding => "it can be redeemed",
            TicketState::Paid => "it has been paid",
            TicketState::Expired => "it has expired",
            TicketState::Void if self.paper(ticket.id).replaced_by.is_some() => "a duplicate has replaced it",
            TicketState::Void => "it was not printed, and the player got the amount back, on the terminal or by hand",
        }
    }
}
