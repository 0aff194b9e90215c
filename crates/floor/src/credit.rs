//! Credits: money into a terminal and out of it by hand, and the player's own loss limit (S4, S7).

use rulebook::{Act, Cents};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, amount_fits};
use crate::dual::Moving;
use crate::event::Event;
use crate::ids::*;
use crate::level::TAGGED;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Table, Terminal, Ticket, VisitCash};

/// Which way cash goes at a terminal.
#[derive(Copy, Clone)]
pub(crate) enum CashWay {
    In,
    Out,
}

impl CashWay {
    fn of(self, cash: VisitCash) -> Cents {
        match self {
            CashWay::In => cash.paid_in,
            CashWay::Out => cash.paid_out,
        }
    }
}

impl Terminal {
    /// Whether anything of a player's is on it: credit, bets, or a ticket being printed.
    /// What of a player is on the terminal.
    pub(crate) fn held(&self) -> Option<&'static str> {
        match self {
            _ if self.prepared.is_positive() => Some("a ticket in doubt"),
            _ if !self.stakes.is_empty() => Some("a bet"),
            _ if self.credit.is_positive() => Some("credit"),
            _ => None,
        }
    }

    pub(crate) fn holds_money(&self) -> bool {
        self.credit.is_positive() || self.prepared.is_positive() || !self.stakes.is_empty()
    }

    /// Whether it can be used at all.
    pub(crate) fn available(&self) -> Result<(), Refusal> {
        if self.locked.is_some() {
            return refuse(Code::TerminalUnavailable, "S11", "the terminal is locked");
        }
        if !self.live {
            return refuse(Code::TerminalUnavailable, "S18", "the terminal has lost the host");
        }
        Ok(())
    }

    pub(crate) fn room_for(&self, amount: Cents) -> Result<(), Refusal> {
        let held = self.credit.get().saturating_add(self.staked.get());
        if held.saturating_add(amount.get()) > bounds::CREDIT {
            return refuse(Code::Amount, "bounds", "the terminal cannot hold so much credit");
        }
        Ok(())
    }
}

impl Floor {
    fn terminal_at_table(&self, id: TerminalId) -> Result<(&Terminal, &Table), Refusal> {
        let terminal = self.find_terminal(id)?;
        Ok((terminal, self.find_table(terminal.table)?.0))
    }

    /// Only the terminal's own validator puts cash in; on a demonstration floor its button does too.
    // § rws-sicbo 1.7 · rws-sicbo-open 1.7 · rws-roulette-000 1.6 · mbs-sicbo 1.1.2
    pub(crate) fn cash_in(&self, sender: Sender, terminal: TerminalId, amount: Cents) -> Events {
        let found = self.find_terminal(terminal)?;
        let demonstration = self.settings.as_ref().is_some_and(|settings| settings.demonstration);
        let allowed = match sender {
            Sender::Device(id) => self.device(id).is_some_and(|device| {
                device.kind == DeviceKind::Validator && device.place == DevicePlace::Terminal(terminal)
            }),
            Sender::Terminal(id) => demonstration && id == terminal,
            _ => false,
        };
        if !allowed {
            return refuse(Code::NotForSender, "S8", "only the terminal's cash validator puts cash in");
        }
        amount_fits(amount)?;
        found.available()?;
        self.takes_money(found)?;
        found.room_for(amount)?;
        let mut events = vec![Event::CashIn { terminal, amount }];
        events.extend(self.large_cash_in(found, amount));
        Ok(events)
    }

    /// Credit put on a terminal by an attendant is money moved alone, unless a second person signs (D27).
    pub(crate) fn attendant_in(
        &self,
        sender: Sender,
        terminal: TerminalId,
        amount: Cents,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, table) = self.terminal_at_table(terminal)?;
        let by = self.authorise(sender, Act::HandPay, table)?;
        amount_fits(amount)?;
        let witness = self.witness_above_threshold(by, witness, amount, found.visit, Act::HandPay, table)?;
        found.available()?;
        self.takes_money(found)?;
        found.room_for(amount)?;
        let mut events = vec![Event::AttendantIn { terminal, amount, by, witness }];
        events.extend(self.large_cash_in(found, amount));
        Ok(events)
    }

    pub(crate) fn attendant_pay(
        &self,
        sender: Sender,
        terminal: TerminalId,
        amount: Cents,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, table) = self.terminal_at_table(terminal)?;
        let by = self.authorise(sender, Act::HandPay, table)?;
        let witness = self.witness_above_threshold(by, witness, amount, found.visit, Act::HandPay, table)?;
        if !amount.is_positive() || amount > found.credit {
            return refuse(Code::Credit, "S11", format!("the terminal has a credit of {}", found.credit));
        }
        let mut events = vec![Event::AttendantPaid { terminal, amount, by, witness }];
        events.extend(self.large_cash_out(found, amount));
        Ok(events)
    }

    /// A movement above a threshold needs a second person: the amount by itself (D15), or everything that one person
    /// has moved alone in this gaming day or for this visit (D27).
    pub(crate) fn witness_above_threshold(
        &self,
        by: StaffId,
        witness: Option<StaffId>,
        amount: Cents,
        visit: Option<VisitId>,
        act: Act,
        table: &Table,
    ) -> Result<Option<StaffId>, Refusal> {
        let moving = Moving { amount, visit, threshold: Some(table.settings.hand_pay) };
        self.signature(by, witness, moving, act, table)
    }

    /// The alert when the cash that was put in at a terminal reaches the amount that is reported.
    pub(crate) fn large_cash_in(&self, terminal: &Terminal, amount: Cents) -> Option<Event> {
        self.large_cash(terminal, terminal.visit, CashWay::In, amount)
    }

    /// The same for what was paid out there.
    pub(crate) fn large_cash_out(&self, terminal: &Terminal, amount: Cents) -> Option<Event> {
        self.large_cash(terminal, terminal.visit, CashWay::Out, amount)
    }

    /// The same for a ticket that leaves its terminal. The money of one that is printed at a counter left it before.
    pub(crate) fn large_ticket_out(&self, ticket: &Ticket) -> Option<Event> {
        let terminal = ticket.terminal.filter(|_| !self.paper(ticket.id).of_counter())?;
        self.large_cash_out(self.terminal(terminal)?, ticket.amount)
    }

    /// The alert when cash at the cage or at a live table reaches the reportable amount: this payment by itself, or all
    /// in this gaming day. The floor does not know the player there.
    pub(crate) fn large_cash_at(&self, place: CashPlace, paid_in: Cents, paid_out: Cents) -> Option<Event> {
        let reported = self.control.thresholds.large_cash;
        let before = self.control.cash_at.get(&place).copied().unwrap_or_default();
        let reaches = |before: Cents, amount: Cents| {
            let sum = Cents::new(before.get().saturating_add(amount.get()));
            let by_itself = (amount >= reported).then_some(amount);
            by_itself.or_else(|| (amount.is_positive() && before < reported && sum >= reported).then_some(sum))
        };
        let sum = reaches(before.paid_in, paid_in).or_else(|| reaches(before.paid_out, paid_out));
        let table = match place {
            CashPlace::Person(_) => None,
            CashPlace::Table(table) => Some(table),
            CashPlace::Terminal(terminal) => self.terminal(terminal).map(|terminal| terminal.table),
        };
        let sum = sum.filter(|_| self.level() >= TAGGED)?;
        self.alert(0, table, AlertKind::LargeCashAt(place, sum))
    }

    /// The alert when cash at a terminal reaches the amount that is reported: of the visit or, where several visits did
    /// so together, of the terminal in this gaming day. What a visit reaches is alerted once, as the visit's.
    pub(crate) fn large_cash(
        &self,
        terminal: &Terminal,
        visit: Option<VisitId>,
        way: CashWay,
        amount: Cents,
    ) -> Option<Event> {
        let reported = self.control.thresholds.large_cash;
        let place = CashPlace::Terminal(terminal.id);
        let of_visit = visit.and_then(|visit| self.control.cash.get(&visit)).copied().unwrap_or_default();
        let of_day = self.control.cash_at.get(&place).copied().unwrap_or_default();
        let reached = |before: VisitCash| {
            let before = way.of(before);
            let sum = Cents::new(before.get().saturating_add(amount.get()));
            (before < reported && sum >= reported && self.level() >= TAGGED).then_some(sum)
        };
        let of_visit = reached(of_visit).map(|sum| AlertKind::LargeCash(terminal.id, sum));
        let what = of_visit.or_else(|| reached(of_day).map(|sum| AlertKind::LargeCashAt(place, sum)))?;
        self.alert(0, Some(terminal.table), what)
    }

    /// A player sets a limit for the visit, or lowers it; raising or lifting one waits for the next visit.
    pub(crate) fn set_loss_limit(&self, sender: Sender, terminal: TerminalId, limit: Option<Cents>) -> Events {
        let found = self.find_terminal(terminal)?;
        if sender != Sender::Terminal(terminal) {
            return refuse(Code::NotForSender, "S4", "the player sets the loss limit at the terminal");
        }
        found.available()?;
        if let Some(limit) = limit {
            amount_fits(limit)?;
        }
        let loosens = match (found.loss_limit, limit) {
            (None, _) => false,
            (Some(_), None) => !mutant!("loss-limit-lifted-within-visit"),
            (Some(old), Some(new)) => new > old,
        };
        if loosens && found.visit.is_some() {
            let words = "within a visit the limit can only be lowered; it ends with the visit, and the next one can have a \
                         higher one";
            return refuse(Code::LossLimit, "S4", words);
        }
        Ok(vec![Event::LossLimitSet { terminal, limit }])
    }
}
