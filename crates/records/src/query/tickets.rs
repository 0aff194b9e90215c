//! Tickets by what has become of them. An answer has no ticket's number (S13).

use floor::{Moment, ShiftId, TerminalId, TicketId};
use rulebook::Cents;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;

use super::filter::{self, Filter};
use super::{Page, Query, get, maybe};
use crate::Error;

/// What has become of a ticket.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TicketStatus {
    /// The amount is put aside; the printer has not answered.
    Prepared,
    /// The printer failed, and the credit is back.
    NotPrinted,
    /// It can be redeemed.
    Outstanding,
    /// It has been paid, at a terminal or at the cage.
    Paid,
    /// Never redeemed.
    Expired,
    /// It was in doubt, was not printed, and was paid by hand.
    PaidByHand,
    /// Its number is void: a duplicate has replaced it.
    Replaced,
}

impl TicketStatus {
    /// All of them.
    pub const ALL: [TicketStatus; 7] = [
        TicketStatus::Prepared,
        TicketStatus::NotPrinted,
        TicketStatus::Outstanding,
        TicketStatus::Paid,
        TicketStatus::Expired,
        TicketStatus::PaidByHand,
        TicketStatus::Replaced,
    ];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TicketStatus::Prepared => "prepared",
            TicketStatus::NotPrinted => "not-printed",
            TicketStatus::Outstanding => "outstanding",
            TicketStatus::Paid => "paid",
            TicketStatus::Expired => "expired",
            TicketStatus::PaidByHand => "paid-by-hand",
            TicketStatus::Replaced => "replaced",
        }
    }

    /// The status of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<TicketStatus> {
        TicketStatus::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TicketRecord {
    /// Its id; not its number.
    pub ticket: TicketId,
    /// How much.
    pub amount: Cents,
    /// What has become of it.
    pub state: TicketStatus,
    /// The terminal that printed it.
    pub terminal: Option<TerminalId>,
    /// Or the shift that sold it.
    pub shift: Option<ShiftId>,
    /// When it was printed or sold.
    pub issued_at: Option<Moment>,
    /// When it expires.
    pub expires_at: Option<Moment>,
    /// How often it was printed again.
    pub reprints: u64,
    /// When it was paid, expired, or failed to print.
    pub closed_at: Option<Moment>,
    /// The terminal it was put into.
    pub paid_terminal: Option<TerminalId>,
    /// Or the shift that paid it.
    pub paid_shift: Option<ShiftId>,
}

impl Query<'_> {
    /// Tickets of a state, or all of them, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tickets(
        &self,
        state: Option<TicketStatus>,
        before: Option<u64>,
        limit: Option<u32>,
    ) -> Result<Page<TicketRecord>, Error> {
        let snapshot = self.snapshot()?;
        let page = filter::page(limit);
        let wanted = Filter::default()
            .and("state = ?", state.map(|state| state.as_str().to_owned()))
            .and("ticket < ?", before.map(filter::number));
        let sql = wanted.sql("SELECT * FROM tickets", &format!("ORDER BY ticket DESC {}", filter::limit(page)));
        let mut select = self.connection.prepare_cached(&sql)?;
        let found = select.query_map(params_from_iter(wanted.values()), ticket)?;
        let mut rows: Vec<TicketRecord> = found.collect::<Result<_, _>>()?;
        let next = filter::cut(&mut rows, page, |row| row.ticket.0);
        let answer = Page { sequence: self.sequence()?, rows, next };
        drop(snapshot);
        Ok(answer)
    }
}

fn ticket(row: &Row<'_>) -> Result<TicketRecord, rusqlite::Error> {
    let state: String = row.get("state")?;
    let state = TicketStatus::parse(&state)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(2, state, rusqlite::types::Type::Text))?;
    Ok(TicketRecord {
        ticket: get(row, "ticket", TicketId)?,
        amount: get(row, "amount", Cents::new)?,
        state,
        terminal: maybe(row, "terminal", TerminalId)?,
        shift: maybe(row, "shift", ShiftId)?,
        issued_at: maybe(row, "issued_at", Moment)?,
        expires_at: maybe(row, "expires_at", Moment)?,
        reprints: row.get("reprints")?,
        closed_at: maybe(row, "closed_at", Moment)?,
        paid_terminal: maybe(row, "closed_terminal", TerminalId)?,
        paid_shift: maybe(row, "closed_shift", ShiftId)?,
    })
}
