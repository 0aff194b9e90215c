//! What must hold after every event.

use rulebook::Cents;

use crate::command::{AlertKind, Sender, TableMode};
use crate::decide::Events;
use crate::event::{Event, LockReason};
use crate::refusal::{Code, refuse};
use crate::state::{Floor, Terminal, Ticket, TicketState};

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
                wrong.push(format!("terminal {id} holds money and no player visits it (D7)"));
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
        let outstanding: i64 = self.owed_tickets().map(|ticket| ticket.amount.get()).sum();
        let in_doubt = |ticket: &&Ticket| ticket.state == TicketState::Prepared;
        if self.level() >= crate::level::TAGGED
            && !self.tickets.values().filter(in_doubt).map(|ticket| &ticket.id).eq(self.control.doubts.keys())
        {
            wrong.push("a ticket in doubt is on no list (D25)".to_owned());
        }
        if outstanding != self.books.outstanding.get() {
            wrong.push("the tickets outstanding do not add up".to_owned());
        }
        let payable: i64 = self.payables.values().map(|payable| payable.amount.get()).sum();
        if payable != self.books.payable.get() {
            wrong.push("the corrections payable do not add up".to_owned());
        }
        wrong
    }

    /// A terminal whose meters do not agree is locked, and an alert is raised (S11).
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;
    use rulebook::library;

    /// A floor with one terminal that has a credit of 10.00.
    fn floor() -> Floor {
        let rulebook = library::find("rws-sicbo").unwrap();
        let settings = FloorSettings {
            name: "test".to_owned(),
            demonstration: false,
            day_starts: 0,
            ticket_days: 1,
            ..FloorSettings::default()
        };
        let (table, terminal, name) = (TableId(0), TerminalId(0), String::new());
        let (hash, canonical) = (rulebook.hash(), rulebook.canonical().to_owned());
        let (mode, limits) = (TableMode::Terminals, TableSettings::usual());
        let post = Post::Pit(rulebook::Rank::PitSupervisor);
        let mut floor = Floor::new();
        for event in [
            Event::FloorCreated(settings),
            Event::RulebookInstalled { hash, canonical, by: None, witness: None },
            Event::TableAdded {
                table,
                name: name.clone(),
                rulebook: hash,
                mode,
                settings: limits.into(),
                by: None,
                witness: None,
            },
            Event::TerminalEnrolled { terminal, table, name: name.clone(), kind: "standard".to_owned(), layout: 0 },
            Event::TerminalBack { terminal },
            Event::CashIn { terminal, amount: Cents::new(1_000) },
            Event::StaffAdded { staff: StaffId(0), name, post, by: None, witness: None },
        ] {
            floor.apply(&Record { at: Moment(0), origin: None, event }).unwrap();
        }
        floor
    }

    fn send(floor: &mut Floor, sender: Sender, number: u64, body: Body) -> Result<Vec<Event>, Refusal> {
        match floor.decide(&Command { sender, number, at: Moment(0), body })? {
            Decision::Events(records) => {
                records.iter().for_each(|record| floor.apply(record).unwrap());
                Ok(records.into_iter().map(|record| record.event).collect())
            }
            Decision::Earlier(_) => Ok(Vec::new()),
        }
    }

    #[test]
    fn s11_a_break_locks_the_terminal_and_tells_the_pit() {
        let mut floor = floor();
        assert_eq!(send(&mut floor, Sender::System, 1, Body::CheckMeters).unwrap_err().code, Code::NothingToDo);
        // A meter that differs from the credit: a memory fault, or manipulation.
        floor.terminals[0].meters.cash_in = Cents::new(999);
        assert_eq!(floor.check(), ["terminal 0: the meters do not agree (S11)"]);
        let events = send(&mut floor, Sender::System, 1, Body::CheckMeters).unwrap();
        assert_eq!(events[0], Event::TerminalLocked { terminal: TerminalId(0), reason: LockReason::Meters });
        assert!(matches!(events[1], Event::AlertRaised { what: AlertKind::Meters(TerminalId(0)), .. }));
        // It stays locked until the meters agree again.
        let unlock = Body::UnlockTerminal { terminal: TerminalId(0) };
        assert_eq!(send(&mut floor, Sender::Staff(StaffId(0)), 1, unlock.clone()).unwrap_err().code, Code::Meters);
        floor.terminals[0].meters.cash_in = Cents::new(1_000);
        send(&mut floor, Sender::Staff(StaffId(0)), 1, unlock).unwrap();
        let by_staff = send(&mut floor, Sender::Staff(StaffId(0)), 2, Body::CheckMeters);
        assert_eq!(by_staff.unwrap_err().code, Code::NotForSender);
    }

    #[test]
    fn every_break_is_said_in_words() {
        let broken = |spoil: fn(&mut Floor)| {
            let mut floor = floor();
            assert!(floor.check().is_empty());
            spoil(&mut floor);
            floor.check().join("; ")
        };
        assert!(broken(|f| f.books.world = Cents::new(1)).contains("sum to 1 cents"));
        assert!(broken(|f| f.terminals[0].credit = Cents::new(-1)).contains("below zero"));
        assert!(broken(|f| f.terminals[0].staked = Cents::new(5)).contains("do not add up"));
        assert!(broken(|f| f.terminals[0].visit = None).contains("no player visits it"));
        assert!(broken(|f| f.tables[0].accounts.stakes = Cents::new(5)).contains("stakes held"));
        assert!(broken(|f| f.books.outstanding = Cents::new(5)).contains("tickets outstanding"));
        assert!(broken(|f| f.books.payable = Cents::new(5)).contains("corrections payable"));
    }

    #[test]
    fn money_that_is_not_there_cannot_move() {
        let mut floor = floor();
        let paid = |amount| Event::AttendantPaid {
            terminal: TerminalId(0),
            amount: Cents::new(amount),
            by: StaffId(0),
            witness: None,
        };
        for amount in [1_001, -1] {
            let record = Record { at: Moment(0), origin: None, event: paid(amount) };
            assert!(floor.clone().apply(&record).is_err(), "{amount}");
        }
        let record = Record { at: Moment(0), origin: None, event: paid(1_000) };
        floor.apply(&record).unwrap();
        assert!(floor.check().is_empty());
    }
}
