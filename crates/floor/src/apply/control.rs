//! Dual control: running totals, the gaming day, tickets in doubt, and who made whose account (D25, D27).

use super::Applied;
use crate::bounds;
use crate::command::*;
use crate::dual::Moving;
use crate::event::{ChipShare, Event, Need};
use crate::ids::*;
use crate::ledger::{Account, Cause};
use crate::level::TAGGED;
use crate::state::*;
use rulebook::Cents;
use std::collections::BTreeSet;

impl Floor {
    /// Whether dual control is kept: from the record on that lets the floor record it.
    fn controls(&self) -> bool {
        self.level() >= TAGGED
    }

    /// Dual control begins, with what is in doubt already.
    pub(super) fn control_begins(&mut self, at: Moment) {
        if self.controls() {
            self.control.day = self.day_of(at);
            let waiting = self.tickets.values().filter(|ticket| ticket.state == TicketState::Prepared);
            self.control.doubts = waiting.map(|ticket| (ticket.id, false)).collect();
        }
    }

    /// What corrections could not collect changes.
    pub(super) fn claims_change(&mut self, by: i64) {
        if self.controls() {
            self.control.claims = Cents::new(self.control.claims.get().saturating_add(by).max(0));
        }
    }

    /// Counts what one person moved. Past the threshold, the lowest that applies, a second person who could sign for all so far
    /// does, and the count begins again. Below it, a signature is for its own act (D27).
    pub(super) fn count_moved(&mut self, by: StaffId, moving: Moving, second: Option<StaffId>) {
        if !self.controls() {
            return;
        }
        let Moving { amount, visit, .. } = moving;
        // D28: a person who acted alone is named twice, and the total has no second signature.
        let second = second.filter(|second| *second != by);
        let more = |sum: Cents| Cents::new(sum.get().saturating_add(amount.get()));
        let past = self.alone(by, moving).is_err();
        let for_all = past && second.is_some_and(|second| self.signs_for_total(by, second));
        let person = self.control.alone.entry(by).or_default();
        if second.is_some() {
            person.signed = more(person.signed);
            person.signatures = person.signatures.saturating_add(1);
            if for_all {
                person.since = Cents::ZERO;
                visit.map(|visit| self.control.visits.remove(&(visit, by)));
            }
            return;
        }
        person.since = more(person.since);
        person.today = more(person.today);
        if let Some(visit) = visit {
            let sum = self.control.visits.entry((visit, by)).or_default();
            *sum = more(*sum);
        }
    }

    /// What the audit of people has to remember of an event that is about to be applied.
    pub(super) fn remember(&mut self, event: &Event, at: Moment) {
        if !self.controls() {
            return;
        }
        for favour in self.favoured(event) {
            self.control.favour(favour);
        }
        for change in self.thresholds_changed(event) {
            self.control.remember(change.threshold, at, change.before);
        }
    }

    /// Cash of a visit, and of its terminal in the gaming day, for the report of large amounts.
    pub(super) fn cash_moved(&mut self, terminal: TerminalId, paid_in: Cents, paid_out: Cents) {
        self.cash_at(CashPlace::Terminal(terminal), paid_in, paid_out);
        let visit = self.terminal(terminal).and_then(|terminal| terminal.visit).filter(|_| self.controls());
        let Some(visit) = visit else { return };
        let cash = self.control.cash.entry(visit).or_default();
        cash.paid_in = Cents::new(cash.paid_in.get().saturating_add(paid_in.get()));
        cash.paid_out = Cents::new(cash.paid_out.get().saturating_add(paid_out.get()));
    }

    /// Cash of a gaming day at a place, for the report of large amounts.
    pub(super) fn cash_at(&mut self, place: CashPlace, paid_in: Cents, paid_out: Cents) {
        if !self.controls() {
            return;
        }
        let cash = self.control.cash_at.entry(place).or_default();
        cash.paid_in = Cents::new(cash.paid_in.get().saturating_add(paid_in.get()));
        cash.paid_out = Cents::new(cash.paid_out.get().saturating_add(paid_out.get()));
    }

    /// The same for a shift.
    pub(super) fn cash_in_shift(&mut self, shift: ShiftId, paid_in: Cents, paid_out: Cents) {
        if let Some(cashier) = self.shifts.get(&shift).map(|shift| shift.cashier) {
            self.cash_at(CashPlace::Person(cashier), paid_in, paid_out);
        }
    }

    /// A drawer is closed: by how much it differed counts for its cashier until the gaming day ends (D27).
    pub(super) fn drawer_differed(&mut self, cashier: StaffId, people: BTreeSet<StaffId>, size: Cents) {
        if !self.controls() {
            return;
        }
        self.control.cause = people;
        if size.is_positive() {
            let sum = self.control.differences.entry(cashier).or_default();
            *sum = Cents::new(sum.get().saturating_add(size.get()));
        }
    }

    /// What a decision pays for a round, or takes back, bounds what later ones take back (D7).
    fn remember_decided(&mut self, round: RoundId, ruling: &Ruling) {
        let (terminal, change) = match ruling {
            Ruling::Pay { terminal, amount } => (*terminal, amount.get()),
            Ruling::TakeBack { terminal, amount } => (*terminal, amount.get().saturating_neg()),
            _ => return,
        };
        let sum = self.control.decided.entry((terminal, round)).or_default();
        *sum = Cents::new(sum.get().saturating_add(change));
    }

    /// What late chips have won counts for who recorded them until the gaming day ends (D20, D27).
    fn late_chips_won(&mut self, round: RoundId, table: TableId, shares: &[ChipShare]) {
        let Some(found) = self.table(table).and_then(|table| table.round.as_ref()).filter(|found| found.id == round)
        else {
            return;
        };
        // A second person has signed for all that the person who entered the result recorded so far.
        let entered = found.entered.filter(|entered| entered.met >= Need::LateChips);
        let signed = entered.filter(|entered| entered.witness.is_some_and(|witness| witness != entered.by));
        for (by, won) in found.late_wins(shares) {
            if let Some(by) = by {
                if signed.is_some_and(|entered| entered.by == by) {
                    self.control.late.remove(&by);
                    continue;
                }
                let sum = self.control.late.entry(by).or_default();
                *sum = Cents::new(sum.get().saturating_add(won.get()));
            }
        }
    }

    /// One person alone dismissed another, which is counted until the gaming day ends (D27).
    pub(super) fn dismissed_alone(&mut self) {
        if self.controls() {
            self.control.dismissed = self.control.dismissed.saturating_add(1);
        }
    }

    /// The people behind an event that an alert about them follows directly, and who attended to a terminal by hand.
    pub(super) fn remember_cause(&mut self, event: &Event) {
        if !self.controls() {
            return;
        }
        match event {
            Event::EnrolmentCodeMade { by, second, .. } => self.control.cause = BTreeSet::from([*by, *second]),
            // Who has signed for a difference, or for what could not be collected, does not clear the alert about it.
            Event::Decided { round: Some(round), ruling, by, witness, .. } => {
                self.control.cause = [Some(*by), *witness].into_iter().flatten().collect();
                self.remember_decided(*round, ruling);
            }
            Event::FloatMoved { table, movement, by, witness, .. } => {
                self.control.cause = [Some(*by), *witness].into_iter().flatten().collect();
                if movement.of_vault().is_none() {
                    let people = [Some(*by), *witness].into_iter().flatten();
                    self.control.traded.extend(people.map(|person| (*table, person)));
                }
            }
            Event::Decided { by, witness, .. } | Event::SettledRoundVoided { staff: by, witness, .. } => {
                self.control.cause = [Some(*by), *witness].into_iter().flatten().collect();
            }
            Event::RoundCorrected { by, witness, .. } => self.control.cause = BTreeSet::from([*by, *witness]),
            Event::ChipsSettled { round, table, shares, .. } => self.late_chips_won(*round, *table, shares),
            Event::AttendantIn { terminal, by, .. } | Event::AttendantPaid { terminal, by, .. } => {
                self.control.attended.insert((*terminal, *by));
            }
            Event::AlertRaised { alert, what, .. } | Event::AlertRepeated { alert, what, .. } => {
                let concerned = self.concerned(what);
                if !concerned.is_empty() {
                    self.control.concerned.entry(*alert).or_default().extend(concerned);
                }
            }
            Event::AlertAcknowledged { alert, .. } => drop(self.control.concerned.remove(alert)),
            _ => {}
        }
    }

    /// A visit is over: nothing of it is counted any longer.
    pub(super) fn forget_visit(&mut self, visit: VisitId) {
        self.control.cash.remove(&visit);
        let of_visit = (visit, StaffId(0))..=(visit, StaffId(u32::MAX));
        let people: Vec<StaffId> = self.control.visits.range(of_visit).map(|((_, person), _)| *person).collect();
        for person in people {
            self.control.visits.remove(&(visit, person));
        }
        self.control.favours.retain(|(of, _), _| *of != visit);
    }

    /// What was moved for a visit that is over is forgotten with the last payment of it.
    pub(super) fn payable_gone(&mut self, paid: &Payable) {
        let Some(visit) = paid.visit else { return };
        let goes_on = self.terminal(paid.terminal).is_some_and(|terminal| terminal.visit == Some(visit));
        if !goes_on && !self.payables.values().any(|payable| payable.visit == Some(visit)) {
            self.forget_visit(visit);
        }
    }

    /// Whose account, post or password was made, and by whom: for a while they do not sign for each other.
    pub(super) fn account_made(&mut self, staff: StaffId, by: [Option<StaffId>; 2], at: Moment) {
        if !self.controls() {
            return;
        }
        let people: BTreeSet<StaffId> = by.into_iter().flatten().collect();
        for by in people.iter().copied().filter(|by| *by != staff) {
            self.control.made.insert((staff, by));
            self.control.made_at.insert((staff, by), at);
            // A sealed code stood for the second person, or no one came (D28).
            if people.len() == 1 {
                self.control.made_alone.insert((staff, by));
            }
        }
    }

    /// An act of two people on accounts and posts that one person did: a sealed code has served for its one act.
    pub(super) fn sealed_code_served(&mut self, by: Option<StaffId>, second: Option<StaffId>) {
        if second.is_none() && by.is_some() && self.control.opened.map(|(opener, _)| opener) == by {
            self.control.opened = None;
        }
    }

    pub(super) fn apply_control(&mut self, event: &Event, at: Moment) -> Applied {
        match event {
            Event::TicketResolved { ticket, finding, expires, by, witness, shift, .. } => {
                self.ticket_resolved(*ticket, *finding, expires.unwrap_or(at), *shift, at)?;
                if let (Some(by), TicketFinding::PaidByHand) = (by, finding) {
                    let amount = self.ticket_mut(*ticket)?.amount;
                    self.count_moved(*by, Moving::of(amount), *witness);
                    if self.paper(*ticket).of_counter() {
                        self.cash_at(CashPlace::Person(*by), Cents::ZERO, amount);
                    }
                }
                Ok(())
            }
            Event::TicketReplaced { ticket, duplicate, number, by, witness, .. } => {
                self.ticket_replaced(*ticket, *duplicate, *number, *by, at)?;
                let amount = self.ticket_mut(*duplicate)?.amount;
                self.count_moved(*by, Moving::of(amount), Some(*witness));
                Ok(())
            }
            Event::DayBegan { day } => {
                self.control.day = *day;
                self.control.alone.clear();
                self.control.came.clear();
                self.control.favours_at.clear();
                self.control.favours_chips.clear();
                self.control.cash_at.clear();
                self.control.differences.clear();
                self.control.late.clear();
                self.control.decided.clear();
                self.control.dismissed = 0;
                self.control.attended.clear();
                self.control.traded.clear();
                self.control.forget_made(at);
                if mutant!("visit-total-ends-with-the-day") {
                    self.control.visits.clear();
                }
                Ok(())
            }
            Event::ThresholdsSet { thresholds, .. } => {
                self.remember(event, at);
                self.control.thresholds = **thresholds;
                Ok(())
            }
            Event::ShiftCounted { shift, counted, .. } => {
                let count = self.control.counts.entry(*shift).or_default();
                *count = (*counted, count.1.saturating_add(1));
                Ok(())
            }
            Event::Recovered { table, round, amount, by, witness, debtor, .. } => {
                let found = self.table_mut(*table)?;
                if let (Some(round), Some(debtor)) = (round, debtor) {
                    if !found.archived_mut(*round).is_some_and(|archived| archived.recovered(*debtor, *amount)) {
                        return self.misfit("nothing was to be collected there");
                    }
                    self.claims_change(amount.get().saturating_neg());
                    self.past_changed(*table, *round)?;
                }
                let threshold = self.table_mut(*table)?.settings.hand_pay;
                self.count_moved(*by, Moving::of(*amount).at(threshold), Some(*witness));
                self.transfer(Account::World, Account::Uncollected, *amount, Cause::Recovered)
            }
            Event::WrongTicketTried { at: place, mistyped } => {
                let tried = if *mistyped { &mut self.control.mistyped } else { &mut self.control.wrong };
                let wrong = tried.entry(*place).or_insert((at, 0));
                if at.since(wrong.0) >= bounds::WRONG_TICKETS_FOR {
                    *wrong = (at, 0);
                }
                wrong.1 = wrong.1.saturating_add(1);
                Ok(())
            }
            Event::WrongTicketsLifted { at: place, .. } => {
                self.control.wrong.remove(place);
                self.control.mistyped.remove(place);
                Ok(())
            }
            Event::PayablePaid { payable, amount, by, witness } => {
                let Some(paid) = self.payables.remove(payable) else {
                    return self.misfit("nothing is payable under this number");
                };
                let threshold = self.table_mut(paid.table)?.settings.hand_pay;
                self.count_moved(*by, Moving { visit: paid.visit, ..Moving::of(*amount).at(threshold) }, *witness);
                self.cash_at(CashPlace::Person(*by), Cents::ZERO, *amount);
                self.payable_gone(&paid);
                self.transfer(Account::CorrectionPayable, Account::Attendant, *amount, Cause::Paid)
            }
            Event::ExpiredPaid { ticket, amount, shift, by, witness, .. } => {
                self.ticket_mut(*ticket)?.state = TicketState::Paid;
                self.count_moved(*by, Moving::of(*amount), *witness);
                let payer = shift.map_or(Account::Attendant, Account::CageFloat);
                self.cash_at(CashPlace::Person(*by), Cents::ZERO, *amount);
                self.transfer(Account::TicketsExpired, payer, *amount, Cause::Paid)
            }
            Event::DrawerMoved { shift, movement, amount, witness, .. } => {
                let Some(cashier) = self.shifts.get(shift).map(|shift| shift.cashier) else {
                    return self.misfit("no such shift");
                };
                self.count_moved(cashier, Moving::of(*amount), *witness);
                let (from, to) = match movement {
                    DrawerMovement::Fill => (Account::CageFloat(*shift), Account::World),
                    DrawerMovement::Credit => (Account::World, Account::CageFloat(*shift)),
                };
                self.transfer(from, to, *amount, Cause::Float)
            }
            Event::CredentialChanged { staff, what, by, second } => {
                let changed_by_others = !matches!(what, CredentialChange::PasswordChanged | CredentialChange::Unlocked);
                let reset = matches!(what, CredentialChange::PasswordReset);
                if changed_by_others && !(reset && mutant!("reset-today-signs")) {
                    self.account_made(*staff, [*by, *second], at);
                }
                if matches!(what, CredentialChange::PasswordReset) && self.controls() {
                    let resetters = [*by, *second].into_iter().flatten();
                    self.control.resets.extend(resetters.map(|by| ((*staff, by), at)));
                }
                if matches!(what, CredentialChange::PasswordReset | CredentialChange::PasskeyRemoved) {
                    self.sealed_code_served(*by, *second);
                }
                Ok(())
            }
            Event::CodesSealed { hashes, .. } => {
                self.control.sealed.clone_from(hashes);
                Ok(())
            }
            Event::SealedCodeOpened { hash, by, until, .. } => {
                self.control.sealed.retain(|sealed| sealed != hash);
                self.control.opened = Some((*by, *until));
                Ok(())
            }
            _ => self.misfit("not an event about dual control"),
        }
    }

    fn ticket_resolved(
        &mut self,
        ticket: TicketId,
        finding: TicketFinding,
        expires: Moment,
        shift: Option<ShiftId>,
        at: Moment,
    ) -> Applied {
        match finding {
            TicketFinding::InHand | TicketFinding::Presented => self.paper_in_hand(ticket, expires, at),
            TicketFinding::NotPrinted => self.ticket_not_printed(ticket, TicketBecame::Returned).map(drop),
            TicketFinding::PaidByHand => {
                let payer = shift.map_or(Account::Attendant, Account::CageFloat);
                if self.paper(ticket).of_counter() {
                    let amount = self.ticket_mut(ticket)?.amount;
                    self.transfer(Account::TicketsOutstanding, payer, amount, Cause::Redeemed)?;
                    return self.end_ticket(ticket, TicketState::Void);
                }
                let (terminal, amount) = self.ticket_not_printed(ticket, TicketBecame::PaidByHand)?;
                self.transfer(Account::Credit(terminal), payer, amount, Cause::AttendantOut)?;
                self.cash_moved(terminal, Cents::ZERO, amount);
                self.end_visit_if_empty(terminal)
            }
        }
    }

    /// The paper is in the player's hand: the money leaves the terminal.
    pub(super) fn paper_in_hand(&mut self, ticket: TicketId, expires: Moment, at: Moment) -> Applied {
        let found = self.ticket_mut(ticket)?;
        found.state = TicketState::Outstanding;
        found.expires = expires;
        found.issued = at;
        let (amount, terminal) = (found.amount, found.terminal);
        self.expiries.entry(expires).or_default().push(ticket);
        self.control.doubts.remove(&ticket);
        if self.paper(ticket).of_counter() {
            return Ok(());
        }
        let Some(terminal) = terminal else { return self.misfit("the ticket is of no terminal") };
        let prepared = Account::TicketsPrepared(terminal);
        self.transfer(prepared, Account::TicketsOutstanding, amount, Cause::TicketOut)?;
        self.cash_moved(terminal, Cents::ZERO, amount);
        self.last_ticket(terminal, ticket, amount, TicketBecame::OnPaper);
        self.end_visit_if_empty(terminal)
    }

    /// The screen of the terminal says what became of its ticket (S17).
    fn last_ticket(&mut self, terminal: TerminalId, ticket: TicketId, amount: Cents, became: TicketBecame) {
        if self.controls() {
            self.control.last_tickets.insert(terminal, LastTicket { ticket, amount, became });
        }
    }

    /// Nothing was printed: the credit is back on the terminal, and the number is void.
    pub(super) fn ticket_not_printed(
        &mut self,
        ticket: TicketId,
        became: TicketBecame,
    ) -> Result<(TerminalId, Cents), crate::Misfit> {
        let found = self.ticket_mut(ticket)?;
        let (amount, terminal, number) = (found.amount, found.terminal, found.number);
        if self.controls() {
            self.end_ticket(ticket, TicketState::Void)?;
        } else {
            // Before, nothing was remembered of it.
            self.tickets.remove(&ticket);
            self.ticket_numbers.remove(&number);
        }
        let Some(terminal) = terminal else { return self.misfit("the ticket is of no terminal") };
        let (prepared, credit) = (Account::TicketsPrepared(terminal), Account::Credit(terminal));
        self.transfer(prepared, credit, amount, Cause::PrintFailed)?;
        self.last_ticket(terminal, ticket, amount, became);
        Ok((terminal, amount))
    }

    fn ticket_replaced(
        &mut self,
        ticket: TicketId,
        duplicate: TicketId,
        number: TicketHash,
        by: StaffId,
        at: Moment,
    ) -> Applied {
        let found = self.ticket_mut(ticket)?;
        let (amount, terminal, reprints) = (found.amount, found.terminal, found.reprints);
        self.end_ticket(ticket, TicketState::Void)?;
        self.control.papers.entry(ticket).or_default().replaced_by = Some(duplicate);
        self.new_ticket(duplicate, number, amount, terminal, TicketState::Prepared, at, at);
        self.ticket_mut(duplicate)?.reprints = reprints.saturating_add(1);
        let paper = Paper { duplicate_of: Some(ticket), replaced_by: None, printed_for: Some(by) };
        self.control.papers.insert(duplicate, paper);
        Ok(())
    }
}
