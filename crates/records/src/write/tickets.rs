//! Tickets, by their ids. Neither a number nor its hash is ever written (S13).

use floor::{Event, TicketFinding, TicketId};
use rusqlite::params;

use super::Writer;
use crate::Error;

impl Writer<'_> {
    pub(super) fn ticket(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::TicketPrepared { ticket, terminal, amount, .. } => {
                self.connection
                    .prepare_cached(
                        "INSERT INTO tickets (ticket, amount, state, terminal, prepared_at)
                         VALUES (?, ?, 'prepared', ?, ?)",
                    )?
                    .execute(params![ticket.0, amount.get(), terminal.0, self.at.0])?;
            }
            Event::TicketPrinted { ticket, expires } => {
                self.connection
                    .prepare_cached(
                        "UPDATE tickets SET state = 'outstanding', issued_at = ?, expires_at = ? WHERE ticket = ?",
                    )?
                    .execute(params![self.at.0, expires.0, ticket.0])?;
            }
            Event::TicketSold { ticket, shift, amount, in_doubt: true, .. } => {
                self.connection
                    .prepare_cached(
                        "INSERT INTO tickets (ticket, amount, state, shift, prepared_at)
                         VALUES (?, ?, 'prepared', ?, ?)",
                    )?
                    .execute(params![ticket.0, amount.get(), shift.0, self.at.0])?;
            }
            Event::TicketSold { ticket, shift, amount, expires, .. } => {
                self.connection
                    .prepare_cached(
                        "INSERT INTO tickets (ticket, amount, state, shift, issued_at, expires_at)
                         VALUES (?, ?, 'outstanding', ?, ?, ?)",
                    )?
                    .execute(params![ticket.0, amount.get(), shift.0, self.at.0, expires.0])?;
            }
            Event::TicketReprinted { ticket, .. } => {
                self.connection
                    .prepare_cached("UPDATE tickets SET reprints = reprints + 1 WHERE ticket = ?")?
                    .execute([ticket.0])?;
            }
            Event::TicketResolved { ticket, finding, expires, shift, .. } => match finding {
                TicketFinding::InHand | TicketFinding::Presented => {
                    let expires = expires.map(|at| at.0);
                    self.connection
                        .prepare_cached(
                            "UPDATE tickets SET state = 'outstanding', issued_at = ?, expires_at = ? WHERE ticket = ?",
                        )?
                        .execute(params![self.at.0, expires, ticket.0])?;
                }
                TicketFinding::NotPrinted => self.ticket_closed(*ticket, "not-printed", None, None)?,
                TicketFinding::PaidByHand => {
                    self.ticket_closed(*ticket, "paid-by-hand", None, shift.map(|shift| shift.0))?;
                }
            },
            Event::TicketReplaced { ticket, duplicate, .. } => {
                self.ticket_closed(*ticket, "replaced", None, None)?;
                self.connection
                    .prepare_cached(
                        "INSERT INTO tickets (ticket, amount, state, terminal, shift, prepared_at, reprints, duplicate_of)
                         SELECT ?1, amount, 'prepared', terminal, shift, ?2, reprints + 1, ticket FROM tickets
                         WHERE ticket = ?3",
                    )?
                    .execute(params![duplicate.0, self.at.0, ticket.0])?;
            }
            Event::PrintFailed { ticket } => self.ticket_closed(*ticket, "not-printed", None, None)?,
            Event::TicketExpired { ticket } => self.ticket_closed(*ticket, "expired", None, None)?,
            Event::TicketIn { ticket, terminal, .. } => self.ticket_closed(*ticket, "paid", Some(terminal.0), None)?,
            Event::TicketRedeemed { ticket, shift, .. } => self.ticket_closed(*ticket, "paid", None, Some(shift.0))?,
            Event::ExpiredPaid { ticket, .. } => {
                self.connection
                    .prepare_cached("UPDATE tickets SET state = 'expired-paid' WHERE ticket = ?")?
                    .execute([ticket.0])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn ticket_closed(
        &self,
        ticket: TicketId,
        state: &str,
        terminal: Option<u32>,
        shift: Option<u32>,
    ) -> Result<(), Error> {
        self.connection
            .prepare_cached(
                "UPDATE tickets SET state = ?, closed_at = ?, closed_terminal = ?, closed_shift = ? WHERE ticket = ?",
            )?
            .execute(params![state, self.at.0, terminal, shift, ticket.0])?;
        Ok(())
    }
}
