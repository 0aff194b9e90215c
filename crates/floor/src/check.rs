//! What must hold after every event.

use rulebook::Cents;

use crate::command::{AlertKind, Sender, TableMode};
use crate::decide::Events;
use crate::event::{Event, LockReason};
use crate::refusal::{Code, refuse};
use crate::state::{Floor, Terminal, TicketState};

impl Terminal {
    /// Whether the credit is what the meters say (S11).
    #[must_use]
    pub fn meters_agree(&self) -> bool {
        self.meters.credit().is_some_and(|credit| self.credit.checked_add(self.prepared) == Some(credit))
    }
}

impl Floor {
    /// Everything that must hold and does not, in words. An empty list is what one wants to see.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let sum: i128 = self.accounts().iter().map(|(_, balance)| i128::from(balance.get())).sum();
        if sum != 0 {
            wrong.push(format!("the accounts sum to {sum} cents"));
        }
        for terminal in &self.terminals {
            let id = terminal.id;
            if terminal.credit < Cents::ZERO || terminal.prepared < Cents::ZERO {
                wrong.push(format!("terminal {id} has a credit below zero"));
            }
            if !terminal.meters_agree() {
                wrong.push(format!("terminal {id}: the meters do not agree (S11)"));
            }
            let staked: i64 = terminal.stakes.iter().map(|stake| stake.amount.get()).sum();
            if staked != terminal.staked.get() || terminal.stakes.iter().any(|stake| !stake.amount.is_positive()) {
                wrong.push(format!("terminal {id}: the stakes do not add up"));
            }
            if terminal.visit.is_none() && terminal.holds_money() {
                wrong.push(format!("terminal {id} holds money and nobody visits it (D7)"));
            }
            if terminal.visit.is_some() && !terminal.holds_money() {
                wrong.push(format!("terminal {id} has a visit and no money (D7)"));
            }
        }
        for table in &self.tables {
            let id = table.id;
            let on_terminals: i64 =
                table.terminals.iter().filter_map(|t| self.terminal(*t)).map(|t| t.staked.get()).sum();
            let chips: i64 = table.round.iter().flat_map(|round| &round.chips).map(|chip| chip.amount.get()).sum();
            if table.accounts.stakes.get() != on_terminals + chips {
                wrong.push(format!("table {id}: stakes held are not the open bets"));
            }
            if let Some(round) = &table.round
                && table.mode == TableMode::Terminals
                && round.exposure.staked().get() != on_terminals
            {
                wrong.push(format!("table {id}: the exposure is not of the open bets"));
            }
            if table.round.is_none() && on_terminals + chips != 0 {
                wrong.push(format!("table {id}: bets stand and there is no round"));
            }
        }
        let outstanding: i64 = self
            .tickets
            .values()
            .filter(|ticket| ticket.state == TicketState::Outstanding)
            .map(|ticket| ticket.amount.get())
            .sum();
        if outstanding != self.books.outstanding.get() {
            wrong.push("the tickets outstanding do not add up".to_owned());
        }
        let payable: i64 = self.payables.values().map(|payable| payable.amount.get()).sum();
        if payable != self.books.payable.get() {
            wrong.push("the corrections payable do not add up".to_owned());
        }
        wrong
    }

    /// A terminal whose meters do not agree is locked, and the pit is told (S11).
    pub(crate) fn check_meters(&self, sender: Sender) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S11", "the host checks the meters");
        }
        let mut events = Vec::new();
        let mut alerts = 0;
        for terminal in self.terminals.iter().filter(|t| t.locked.is_none() && !t.meters_agree()) {
            events.push(Event::TerminalLocked { terminal: terminal.id, reason: LockReason::Meters });
            if let Some(alert) = self.alert(alerts, Some(terminal.table), AlertKind::Meters(terminal.id)) {
                alerts += 1;
                events.push(alert);
            }
        }
        if events.is_empty() {
            return refuse(Code::NothingToDo, "S11", "all meters agree");
        }
        Ok(events)
    }
}
