//! The cage: shifts, tickets sold and redeemed, corrections paid. A drawer is counted before its expected amount is
//! shown, and differences are explained and signed for (D27).

use rulebook::{Act, Cents, Rank};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, amount_fits, reason_fits};
use crate::dual::Moving;
use crate::event::Event;
use crate::ids::*;
use crate::level::TAGGED;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Payable, Shift, TicketState};

/// What a drawer that is closed moves: what should be in it, or what is.
pub(crate) fn back_to_the_vault(counted: Cents, expected: Cents) -> Cents {
    counted.max(expected)
}

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
    /// The last count of a shift's drawer.
    #[must_use]
    pub fn counted(&self, shift: ShiftId) -> Option<Cents> {
        self.control.counts.get(&shift).map(|(counted, _)| *counted)
    }

    /// Whether a person's own drawer is still to be counted. Until then nothing is shown that adds up to what it should hold
    /// (D27).
    #[must_use]
    pub fn counts_blind(&self, person: StaffId) -> bool {
        self.person(person).and_then(|staff| staff.shift).is_some_and(|shift| self.counted(shift).is_none())
    }

    /// The shift of the cashier behind a command.
    fn drawer_of(&self, sender: Sender) -> Result<&Shift, Refusal> {
        let cashier = self.cashier(sender)?;
        match cashier.shift.and_then(|shift| self.shifts.get(&shift)) {
            Some(shift) => Ok(shift),
            None => refuse(Code::Shift, "the cage", "open a shift first"),
        }
    }

    /// The same, while money still goes in and out of its drawer.
    fn shift_of(&self, sender: Sender) -> Result<&Shift, Refusal> {
        let shift = self.drawer_of(sender)?;
        if self.counted(shift.id).is_some() {
            return refuse(Code::Shift, "the cage", "the drawer has been counted: close the shift or hand it over");
        }
        Ok(shift)
    }

    pub(crate) fn shift_can_pay(shift: &Shift, amount: Cents) -> Result<(), Refusal> {
        if shift.cash() < amount {
            return refuse(Code::Float, "the cage", "the drawer does not hold so much: ask for a fill");
        }
        Ok(())
    }

    /// A float is money moved out of the vault: past the threshold a second person signs (D27).
    pub(crate) fn open_shift(&self, sender: Sender, float: Cents, witness: Option<StaffId>) -> Events {
        let cashier = self.cashier(sender)?;
        if cashier.shift.is_some() {
            return refuse(Code::Shift, "the cage", "this cashier has an open shift");
        }
        if float != Cents::ZERO {
            amount_fits(float)?;
        }
        let moving = Moving { amount: float, visit: None, threshold: None };
        let witness = self.cage_signature(cashier.id, witness, moving)?;
        let (shift, cashier) = (ShiftId(self.next.shift), cashier.id);
        Ok(vec![Event::ShiftOpened { shift, cashier, float, witness, from: None }])
    }

    /// The drawer is counted by denomination; its expected amount is shown only afterwards. A person who has seen it
    /// counts again with a second person only.
    pub(crate) fn count_shift(&self, sender: Sender, counts: &[Pile], witness: Option<StaffId>) -> Events {
        self.count_drawer(self.drawer_of(sender)?, None, counts, witness)
    }

    /// The drawer of a cashier who has left is counted, closed or handed over by two others: a Pit Manager or above, or
    /// another cashier, and a second person. The record names them (D27).
    pub(crate) fn serve_drawer(
        &self,
        sender: Sender,
        id: ShiftId,
        act: &DrawerAct,
        witness: Option<StaffId>,
    ) -> Events {
        let staff = self.staff_sender(sender)?;
        if !staff.serves_as(Post::Cashier) && staff.rank() < Some(Rank::PitManager) {
            return refuse(Code::Rank, "D11", "only another cashier, or a Pit Manager or above, may do this");
        }
        let Some(shift) = self.shifts.get(&id) else {
            return refuse(Code::NotFound, "the cage", format!("there is no open shift {id}"));
        };
        if staff.id == shift.cashier {
            return refuse(Code::Shift, "the cage", "this is your own drawer");
        }
        if witness == Some(shift.cashier) {
            return refuse(Code::SecondPerson, "D27", "two people other than the cashier do this");
        }
        let by = Some(staff.id);
        match act {
            DrawerAct::Count { counts } => self.count_drawer(shift, by, counts, witness),
            DrawerAct::Close { counted, reason } => self.close_drawer(shift, by, *counted, reason, witness),
            DrawerAct::HandOver { reason } => self.hand_over_drawer(shift, by, reason, witness),
        }
    }

    fn count_drawer(&self, shift: &Shift, by: Option<StaffId>, counts: &[Pile], witness: Option<StaffId>) -> Events {
        let counted = pile_sum(counts)?;
        let again = self.control.counts.contains_key(&shift.id);
        let witness = if again || by.is_some() || witness.is_some() {
            let first = by.unwrap_or(shift.cashier);
            let second = self.cage_second(first, witness).map_err(|refused| match (witness, refused.code) {
                (None, Code::SecondPerson) if by.is_none() => {
                    let words = "the drawer was counted: a second person signs for counting it again";
                    refusal(Code::SecondPerson, "D27", words)
                }
                _ => refused,
            })?;
            Some(second)
        } else {
            None
        };
        if self.control.counts.get(&shift.id).is_some_and(|(_, times)| *times >= bounds::COUNTS) {
            let words = format!("a drawer is counted at most {} times: close the shift", bounds::COUNTS);
            return refuse(Code::TooMany, "bounds", words);
        }
        Ok(vec![Event::ShiftCounted { shift: shift.id, counts: counts.to_vec(), counted, witness, by }])
    }

    /// The counted amount and by how much it differs, which must be explained.
    fn counted_shift(&self, shift: &Shift, reason: &str) -> Result<(Cents, Cents, Option<Box<str>>), Refusal> {
        let Some(counted) = self.counted(shift.id) else {
            return refuse(Code::Shift, "the cage", "count the drawer by denomination first");
        };
        let difference = Cents::new(counted.get().saturating_sub(shift.cash().get()));
        difference_explained(difference, reason)?;
        Ok((counted, difference, (!reason.is_empty()).then(|| reason.into())))
    }

    pub(crate) fn close_shift(&self, sender: Sender, counted: Cents, reason: &str, witness: Option<StaffId>) -> Events {
        self.close_drawer(self.drawer_of(sender)?, None, counted, reason, witness)
    }

    fn close_drawer(
        &self,
        shift: &Shift,
        by: Option<StaffId>,
        counted: Cents,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (last, difference, reason) = self.counted_shift(shift, reason)?;
        if last != counted {
            return refuse(Code::Amount, "the cage", format!("the drawer was counted with {last}"));
        }
        let size = Cents::new(difference.get().saturating_abs());
        let most = self.control.thresholds.difference;
        let (id, expected) = (shift.id, shift.cash());
        let witness = match (by, witness) {
            (Some(by), _) => Some(self.cage_second(by, witness)?),
            // The difference is compared by itself: the float and the sales of the day count against the floor's threshold
            // only (D27).
            (None, None) if self.differs_today(shift.cashier, size) > most => {
                let words = format!("differences above {most} in a gaming day need a second person");
                return refuse(Code::SecondPerson, "D15", words);
            }
            // What goes back to the vault is a float, as what came from it was: the cashier alone says that it did (D27).
            _ => {
                let moving = Moving { amount: back_to_the_vault(counted, expected), visit: None, threshold: None };
                self.cage_signature(shift.cashier, witness, moving)?
            }
        };
        let mut events = vec![Event::ShiftClosed { shift: id, counted, expected, reason, witness, by }];
        events.extend(self.drawer_alert(shift, difference));
        Ok(events)
    }

    /// What a cashier's drawers differ by in this gaming day, with one more: many small differences are a large one (D27).
    pub(crate) fn differs_today(&self, cashier: StaffId, more: Cents) -> Cents {
        let so_far = self.control.differences.get(&cashier).copied().unwrap_or_default();
        Cents::new(so_far.get().saturating_add(more.get()))
    }

    /// The alert about a drawer, if what its cashier's drawers differ by in this gaming day is above the threshold (D27).
    fn drawer_alert(&self, shift: &Shift, difference: Cents) -> Option<Event> {
        let size = Cents::new(difference.get().saturating_abs());
        let much = size.is_positive() && self.differs_today(shift.cashier, size) > self.control.thresholds.difference;
        let what = || AlertKind::Difference(Counted::Drawer(shift.id), difference);
        (much && self.level() >= TAGGED).then(|| self.alert(0, None, what())).flatten()
    }

    /// A counted drawer goes to another cashier, who signs for what was counted and begins a shift with it.
    pub(crate) fn hand_over_shift(&self, sender: Sender, reason: &str, witness: Option<StaffId>) -> Events {
        self.hand_over_drawer(self.drawer_of(sender)?, None, reason, witness)
    }

    fn hand_over_drawer(&self, shift: &Shift, by: Option<StaffId>, reason: &str, witness: Option<StaffId>) -> Events {
        let (counted, difference, reason) = self.counted_shift(shift, reason)?;
        let gives = by.unwrap_or(shift.cashier);
        let to = self.cage_second(gives, witness)?;
        if to == gives {
            return refuse(
                Code::SecondPerson,
                "D28",
                "the drawer goes to another cashier: it cannot be handed over alone",
            );
        }
        let person = self.cashier(Sender::Staff(to))?;
        if person.shift.is_some() {
            return refuse(Code::Shift, "the cage", "the other cashier has an open shift");
        }
        let (from, next, expected) = (shift.id, ShiftId(self.next.shift), shift.cash());
        let mut events = vec![
            Event::ShiftClosed { shift: from, counted, expected, reason, witness: Some(to), by },
            Event::ShiftOpened { shift: next, cashier: to, float: counted, witness: Some(gives), from: Some(from) },
        ];
        events.extend(self.drawer_alert(shift, difference));
        Ok(events)
    }

    /// A difference above the threshold is shown to the pit (D27).
    pub(crate) fn difference_alert(&self, counted: Counted, difference: Cents) -> Option<Event> {
        let table = match counted {
            Counted::Tray(table) | Counted::Drop(table) => Some(table),
            Counted::Drawer(_) => None,
        };
        let size = Cents::new(difference.get().saturating_abs());
        let much = size > self.control.thresholds.difference && self.level() >= TAGGED;
        much.then(|| self.alert(0, table, AlertKind::Difference(counted, difference))).flatten()
    }

    /// A ticket that is sold is credit: it counts in what the cashier moves alone, and above the cage's threshold a second
    /// person always signs (D27).
    pub(crate) fn sell_ticket(
        &self,
        sender: Sender,
        amount: Cents,
        number: TicketHash,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let shift = self.shift_of(sender)?;
        amount_fits(amount)?;
        self.new_number(number)?;
        let threshold = self.control.thresholds.redemption;
        if witness.is_none() && amount > threshold {
            return refuse(
                Code::SecondPerson,
                "D27",
                format!("a ticket above {threshold} is sold with a second person"),
            );
        }
        let witness = self.cage_signature(shift.cashier, witness, Moving { amount, visit: None, threshold: None })?;
        // D25: it is in doubt until the counter's printer has reported.
        let in_doubt = self.level() >= TAGGED;
        let (ticket, shift, expires) = (self.next_ticket(), shift.id, self.ticket_expiry(at));
        let cashier = CashPlace::Person(self.shift_of(sender)?.cashier);
        let mut events = vec![Event::TicketSold { ticket, shift, amount, number, expires, witness, in_doubt }];
        events.extend(self.large_cash_at(cashier, amount, Cents::ZERO));
        Ok(events)
    }

    /// A ticket counts by itself: above the cage's threshold a second person signs (D27). The paper of a ticket in doubt
    /// resolves the doubt (D25).
    pub(crate) fn redeem_ticket(
        &self,
        sender: Sender,
        number: TicketHash,
        amount: Option<Cents>,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let shift = self.shift_of(sender)?;
        self.may_try(TicketPlace::Staff(shift.cashier), at)?;
        let ticket = self.redeemable(number, at)?;
        Floor::amount_agrees(ticket, amount)?;
        let threshold = self.control.thresholds.redemption;
        let witness = match witness {
            None if ticket.amount > threshold && !mutant!("large-ticket-paid-alone") => {
                let words = format!("a ticket above {threshold} is paid with a second person");
                return refuse(Code::SecondPerson, "D15", words);
            }
            // The number of a ticket sold or printed again here was on this cashier's screen: only another person
            // proves that a player has the paper.
            None if self.paper(ticket.id).printed_for == Some(shift.cashier) => {
                let words = match self.paper(ticket.id).duplicate_of {
                    Some(_) => "you printed this ticket again: a second person signs for paying it",
                    None => "you sold this ticket: a second person signs for paying it",
                };
                return refuse(Code::SecondPerson, "D27", words);
            }
            None => None,
            Some(_) => Some(self.cage_second(shift.cashier, witness)?),
        };
        Floor::shift_can_pay(shift, ticket.amount)?;
        let mut events: Vec<Event> = self.presented(ticket, Some(shift.cashier), witness, at).into_iter().collect();
        events.push(Event::TicketRedeemed { ticket: ticket.id, shift: shift.id, amount: ticket.amount, witness });
        events.extend(self.large_ticket_out(ticket).filter(|_| ticket.state == TicketState::Prepared));
        events.extend(self.large_cash_at(CashPlace::Person(shift.cashier), Cents::ZERO, ticket.amount));
        self.number_alerts(&mut events);
        Ok(events)
    }

    /// What waits to be paid, on the evidence of its round (D7).
    fn payable_of(&self, payable: PayableId, round: Option<RoundId>) -> Result<&Payable, Refusal> {
        let Some(found) = self.payables.get(&payable) else {
            return refuse(Code::NotFound, "D7", "nothing is to be paid under this number");
        };
        if found.round != round && !mutant!("payable-without-its-round") {
            let words = match found.round {
                Some(_) => "this is not the round the payment comes from",
                None => "this payment comes from a decision about no round: name none",
            };
            return refuse(Code::NotFound, "D7", words);
        }
        Ok(found)
    }

    /// With the cage dead, the pit pays what a correction left: two people do, whatever the amount (D25, D27). It is paid
    /// once, here or at the cage.
    pub(crate) fn pay_by_hand(
        &self,
        sender: Sender,
        payable: PayableId,
        round: Option<RoundId>,
        witness: Option<StaffId>,
    ) -> Events {
        let found = self.payable_of(payable, round)?;
        let (table, _) = self.find_table(found.table)?;
        let by = self.authorise(sender, Act::HandPay, table)?;
        let witness = Some(self.second_person(by, witness, Act::HandPay, table)?);
        let mut events = vec![Event::PayablePaid { payable, amount: found.amount, by, witness }];
        events.extend(self.large_cash_at(CashPlace::Person(by), Cents::ZERO, found.amount));
        Ok(events)
    }

    /// Cash from the vault into the drawer, or back: counted by denomination and signed by a second person (D27). The
    /// shift's report is the slip.
    pub(crate) fn move_drawer(
        &self,
        sender: Sender,
        movement: DrawerMovement,
        counts: &[Pile],
        witness: Option<StaffId>,
    ) -> Events {
        let shift = self.shift_of(sender)?;
        let amount = pile_sum(counts)?;
        amount_fits(amount)?;
        let witness = Some(self.cage_second(shift.cashier, witness)?);
        let cash = shift.cash().get();
        match movement {
            // The largest ticket is a terminal's whole credit, and a drawer can be filled to pay it (D25).
            DrawerMovement::Fill if cash.saturating_add(amount.get()) > bounds::CREDIT => {
                return refuse(Code::Float, "bounds", "a drawer does not hold so much");
            }
            DrawerMovement::Credit if shift.cash() < amount => {
                return refuse(Code::Float, "the cage", "the drawer does not hold so much");
            }
            DrawerMovement::Fill | DrawerMovement::Credit => {}
        }
        Ok(vec![Event::DrawerMoved { shift: shift.id, movement, amount, counts: counts.to_vec(), witness }])
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
        let found = self.payable_of(payable, round)?;
        let (table, _) = self.find_table(found.table)?;
        let moving = Moving { amount: found.amount, visit: found.visit, threshold: Some(table.settings.hand_pay) };
        let witness = self.signature(shift.cashier, witness, moving, Act::HandPay, table)?;
        Floor::shift_can_pay(shift, found.amount)?;
        let mut events = vec![Event::CorrectionPaid { payable, shift: shift.id, amount: found.amount, witness }];
        events.extend(self.large_cash_at(CashPlace::Person(shift.cashier), Cents::ZERO, found.amount));
        Ok(events)
    }
}

/// A difference between what was counted and what should be there is closed with a reason (D27).
pub(crate) fn difference_explained(difference: Cents, reason: &str) -> Result<(), Refusal> {
    if difference == Cents::ZERO && reason.is_empty() {
        return Ok(());
    }
    reason_fits(reason).map_err(|_| refusal(Code::Text, "D27", "a difference is closed with a reason"))
}

/// What was counted, piece by piece.
pub(crate) fn pile_sum(counts: &[Pile]) -> Result<Cents, Refusal> {
    let bad = || refusal(Code::Amount, "bounds", "count each denomination once: 1, 2, 5 or 25, with zeros");
    if counts.len() > bounds::PILES {
        return refuse(Code::TooMany, "bounds", format!("a count has at most {} denominations", bounds::PILES));
    }
    let mut sum = 0_i64;
    for (place, pile) in counts.iter().enumerate() {
        let twice = counts.iter().skip(place + 1).any(|other| other.denomination == pile.denomination);
        if twice || !is_denomination(pile.denomination) {
            return Err(bad());
        }
        let worth = pile.denomination.get().checked_mul(i64::from(pile.pieces)).ok_or_else(bad)?;
        sum = sum.checked_add(worth).filter(|sum| *sum <= bounds::CREDIT).ok_or_else(bad)?;
    }
    Ok(Cents::new(sum))
}

/// Coins, notes and chips are worth 1, 2, 5 or 25, with zeros.
const fn is_denomination(worth: Cents) -> bool {
    let mut rest = worth.get();
    while rest > 0 && rest % 10 == 0 {
        rest /= 10;
    }
    matches!(rest, 1 | 2 | 5 | 25)
}
