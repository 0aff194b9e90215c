//! Large cash at terminals: what reaches the amount that is reported is alerted by the same command, once (D27).

use std::collections::BTreeMap;

use floor::*;
use rulebook::Cents;

use super::{Check, Model, must};

/// The amount that is reported unless two people have set another, in cents.
const REPORTED: i64 = 1_000_000;
/// More alerts of one kind than this do not wait.
const ROOM: usize = 500;

/// Cash of visits and terminals, in and out, in cents.
#[derive(Clone, Default)]
pub(crate) struct Cash {
    reported: Option<i64>,
    visits: BTreeMap<u64, [i64; 2]>,
    days: BTreeMap<TerminalId, [i64; 2]>,
    /// The alerts that the command under way has to raise.
    due: Vec<AlertKind>,
    /// The alerts that wait at the pit.
    up: BTreeMap<AlertId, AlertKind>,
}

impl Model {
    /// Adds up what goes in and out at each terminal, by visit and by gaming day.
    pub(super) fn large_cash(&mut self, event: &Event) -> Check {
        match event {
            Event::DayBegan { .. } => self.cash.days.clear(),
            Event::ThresholdsSet { thresholds, .. } => self.cash.reported = Some(thresholds.large_cash.get()),
            Event::CashIn { terminal, amount }
            | Event::TicketIn { terminal, amount, .. }
            | Event::AttendantIn { terminal, amount, .. } => self.cash_moves(*terminal, 0, amount.get())?,
            Event::AttendantPaid { terminal, amount, .. } => self.cash_moves(*terminal, 1, amount.get())?,
            Event::TicketPrinted { ticket, .. } => self.ticket_leaves(*ticket)?,
            Event::TicketResolved { ticket, finding, .. } if *finding != TicketFinding::NotPrinted => {
                self.ticket_leaves(*ticket)?;
            }
            Event::AlertRaised { alert, what, .. } => {
                let large =
                    matches!(what, AlertKind::LargeCash(..) | AlertKind::LargeCashAt(CashPlace::Terminal(_), _));
                let due = self.cash.due.iter().position(|due| due == what);
                due.map(|at| self.cash.due.remove(at));
                must(due.is_some() || !large, || format!("{what:?} was not reached"))?;
                self.cash.up.insert(*alert, what.clone());
            }
            Event::AlertAcknowledged { alert, .. } => drop(self.cash.up.remove(alert)),
            _ => {}
        }
        Ok(())
    }

    /// Every alert that was due has been raised, unless the same one waits already.
    pub(super) fn large_cash_is_alerted(&mut self) -> Check {
        let up = &self.cash.up;
        let missing = self.cash.due.iter().find(|due| up.len() < ROOM && !up.values().any(|what| what == *due));
        let missing = missing.cloned();
        self.cash.due.clear();
        must(missing.is_none(), || format!("not alerted: {missing:?}"))
    }

    /// A ticket leaves its terminal. The money of one that is printed at a counter left it before.
    fn ticket_leaves(&mut self, ticket: TicketId) -> Check {
        let found = self.tickets.get(&ticket).ok_or("no such ticket")?;
        let (terminal, amount) = (found.terminal.filter(|_| found.printed_for.is_none()), found.amount);
        terminal.map_or(Ok(()), |terminal| self.cash_moves(terminal, 1, amount))
    }

    fn cash_moves(&mut self, terminal: TerminalId, way: usize, amount: i64) -> Check {
        // Money that begins a visit is of that visit.
        let visit = self.terminal(terminal)?.visit.unwrap_or(self.next_visit);
        let reported = self.cash.reported.unwrap_or(REPORTED);
        let reached = |sums: &mut [i64; 2]| {
            let before = sums[way];
            sums[way] += amount;
            (before < reported && sums[way] >= reported).then(|| Cents::new(sums[way]))
        };
        let of_visit = reached(self.cash.visits.entry(visit).or_default());
        let of_day = reached(self.cash.days.entry(terminal).or_default());
        let place = CashPlace::Terminal(terminal);
        let of_visit = of_visit.map(|sum| AlertKind::LargeCash(terminal, sum));
        self.cash.due.extend(of_visit.or(of_day.map(|sum| AlertKind::LargeCashAt(place, sum))));
        Ok(())
    }
}
