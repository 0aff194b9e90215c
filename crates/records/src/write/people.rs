//! Who moved what, what the audit of people found, and the cash of every visit.

use floor::{Event, PersonMoved, Record, TerminalId, TicketFinding, VisitId};
use rulebook::Cents;
use rusqlite::params;

use super::Writer;
use crate::Error;
use crate::day::gaming_day;

/// What is known of a record about people before it is applied.
pub(super) struct Seen {
    moved: Option<PersonMoved>,
    findings: Vec<floor::PeopleFinding>,
    cash: Option<Cash>,
}

/// Cash in or out of a terminal.
struct Cash {
    terminal: TerminalId,
    visit: Option<VisitId>,
    column: &'static str,
    amount: Cents,
}

impl Writer<'_> {
    pub(super) fn seen(&self, record: &Record) -> Seen {
        let floor = &self.state.floor;
        let cash = cash(floor, &record.event);
        let moved = floor.person_moves(&record.event);
        let findings = floor::People::observe(floor, record);
        Seen { moved, findings, cash }
    }

    pub(super) fn people(&self, seen: Seen) -> Result<(), Error> {
        if let Some(moved) = seen.moved {
            self.connection
                .prepare_cached(
                    "INSERT INTO moved (sequence, at, act, amount, staff, second, visit) VALUES (?, ?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    self.sequence,
                    self.at.0,
                    moved.act,
                    moved.amount.get(),
                    moved.by.0,
                    moved.second.map(|second| second.0),
                    moved.visit.map(|visit| visit.0),
                ])?;
        }
        for (number, finding) in seen.findings.iter().enumerate() {
            self.connection
                .prepare_cached(
                    "INSERT INTO findings (sequence, number, at, code, staff, words) VALUES (?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    self.sequence,
                    number,
                    self.at.0,
                    finding.code,
                    finding.staff.map(|staff| staff.0),
                    finding.words,
                ])?;
        }
        seen.cash.map_or(Ok(()), |cash| self.visit_cash(&cash))
    }

    fn visit_cash(&self, cash: &Cash) -> Result<(), Error> {
        let floor = &self.state.floor;
        let begun = floor.terminal(cash.terminal).and_then(floor::Terminal::visit);
        let Some(visit) = cash.visit.or(begun) else { return Ok(()) };
        let day = gaming_day(self.at, floor.settings().map_or(0, |settings| settings.day_starts));
        let column = cash.column;
        let sql = format!(
            "INSERT INTO visit_cash (day, visit, terminal, {column}) VALUES (?, ?, ?, ?4)
             ON CONFLICT DO UPDATE SET {column} = {column} + ?4"
        );
        self.connection.prepare_cached(&sql)?.execute(params![day, visit.0, cash.terminal.0, cash.amount.get()])?;
        Ok(())
    }
}

fn cash(floor: &floor::Floor, event: &Event) -> Option<Cash> {
    let visit = |id: TerminalId| floor.terminal(id).and_then(floor::Terminal::visit);
    let of = |terminal: TerminalId, column, amount| Some(Cash { terminal, visit: visit(terminal), column, amount });
    match event {
        Event::CashIn { terminal, amount } => of(*terminal, "notes_in", *amount),
        Event::TicketIn { terminal, amount, .. } => of(*terminal, "tickets_in", *amount),
        Event::AttendantIn { terminal, amount, .. } => of(*terminal, "attendant_in", *amount),
        Event::AttendantPaid { terminal, amount, .. } => of(*terminal, "hand_pays", *amount),
        Event::TicketPrinted { ticket, .. } | Event::TicketResolved { ticket, .. } => {
            let column = match event {
                Event::TicketResolved { finding: TicketFinding::NotPrinted, .. } => return None,
                Event::TicketResolved { finding: TicketFinding::PaidByHand, .. } => "hand_pays",
                _ => "tickets_out",
            };
            let found = floor.doubts().find(|doubt| doubt.ticket == *ticket && doubt.printed_for.is_none());
            let (terminal, amount) = found.and_then(|doubt| Some((doubt.terminal?, doubt.amount)))?;
            of(terminal, column, amount)
        }
        _ => None,
    }
}
