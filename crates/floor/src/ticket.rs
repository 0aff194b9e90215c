//! Tickets (S13, S15–S17): prepared, printed, redeemed once, expired.

use std::fmt;

use rulebook::{Act, Cents};

use crate::bounds;
use crate::command::*;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Ticket, TicketState};

/// The floor's secret from which ticket numbers are made. It lives outside the log.
#[derive(Clone)]
pub struct TicketKey([u8; 32]);

impl TicketKey {
    /// The key made of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> TicketKey {
        TicketKey(bytes)
    }
}

impl fmt::Debug for TicketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketKey(…)")
    }
}

/// Fourteen of a ticket number's digits nobody can foresee; the four before them name the floor.
const UNPREDICTABLE: u64 = 100_000_000_000_000;

/// The number of a ticket: 18 digits that nobody can foresee without the key. It is cash.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct TicketNumber(u64);

impl TicketNumber {
    /// The number of a floor's ticket with that sequence: a keyed function, so that a reprint shows the same.
    #[must_use]
    pub fn of(key: &TicketKey, floor: &str, ticket: TicketId) -> TicketNumber {
        let mut hasher = blake3::Hasher::new_keyed(&key.0);
        hasher.update(b"ticket number");
        hasher.update(floor.as_bytes());
        hasher.update(&ticket.0.to_le_bytes());
        let mut bytes = [0_u8; 16];
        hasher.finalize_xof().fill(&mut bytes);
        // 128 bits reduced to 14 digits: the bias is far below one in 10^14.
        let unpredictable = (u128::from_le_bytes(bytes) % u128::from(UNPREDICTABLE)) as u64;
        TicketNumber(u64::from(TicketNumber::floor_code(floor)) * UNPREDICTABLE + unpredictable)
    }

    /// The four digits by which a floor's tickets are told from others': elsewhere the answer can name that floor.
    #[must_use]
    pub fn floor_code(floor: &str) -> u16 {
        let hash = blake3::hash(floor.as_bytes());
        let bytes = hash.as_bytes().first_chunk::<4>().copied().unwrap_or_default();
        u16::try_from(u32::from_le_bytes(bytes) % 10_000).unwrap_or_default()
    }

    /// The floor that issued it, by its code.
    #[must_use]
    pub fn issued_by(self) -> u16 {
        u16::try_from(self.0 / UNPREDICTABLE).unwrap_or_default()
    }

    /// Reads 18 digits; blanks and hyphens between them do not matter.
    #[must_use]
    pub fn parse(text: &str) -> Option<TicketNumber> {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        let whole = digits.len() == 18 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| whole).map(TicketNumber)
    }

    /// What the log keeps of it.
    #[must_use]
    pub fn hash(self, key: &TicketKey) -> TicketHash {
        let mut hasher = blake3::Hasher::new_keyed(&key.0);
        hasher.update(b"ticket hash");
        hasher.update(&self.0.to_le_bytes());
        let mut hash = [0_u8; 16];
        hasher.finalize_xof().fill(&mut hash);
        TicketHash(hash)
    }
}

impl fmt::Display for TicketNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:018}", self.0)
    }
}

impl fmt::Debug for TicketNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketNumber(…)")
    }
}

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Floor {
    /// The ticket that would be issued next, for whoever makes its number.
    #[must_use]
    pub fn next_ticket(&self) -> TicketId {
        TicketId(self.next.ticket)
    }

    pub(crate) fn ticket_expiry(&self, at: Moment) -> Moment {
        let days = self.settings.as_ref().map_or(1, |settings| settings.ticket_days);
        at.after(i64::from(days).saturating_mul(DAY))
    }

    pub(crate) fn new_number(&self, number: TicketHash) -> Result<(), Refusal> {
        if self.ticket_numbers.contains_key(&number) {
            return refuse(Code::TicketState, "S15", "this ticket number is taken");
        }
        let open = self.ticket_numbers.len().saturating_sub(self.closed_tickets.len());
        if open >= bounds::TICKETS {
            return refuse(Code::TooMany, "bounds", "too many tickets are outstanding");
        }
        Ok(())
    }

    /// The ticket behind a number, if it can be redeemed now: unknown, paid and expired are told apart (S16).
    pub(crate) fn redeemable(&self, number: TicketHash, at: Moment) -> Result<&Ticket, Refusal> {
        let ticket = self.ticket_numbers.get(&number).and_then(|id| self.tickets.get(id));
        match ticket {
            None => refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor"),
            Some(ticket) => match ticket.state {
                TicketState::Prepared => refuse(Code::TicketState, "S17", "this ticket has not been printed"),
                TicketState::Paid => refuse(Code::TicketPaid, "S16", "this ticket has been paid"),
                TicketState::Expired => refuse(Code::TicketExpired, "S16", "this ticket has expired"),
                TicketState::Outstanding if at >= ticket.expires => {
                    refuse(Code::TicketExpired, "S16", "this ticket has expired")
                }
                TicketState::Outstanding => Ok(ticket),
            },
        }
    }

    pub(crate) fn ticket_in(&self, sender: Sender, terminal: TerminalId, number: TicketHash, at: Moment) -> Events {
        let found = self.find_terminal(terminal)?;
        let own = match sender {
            Sender::Terminal(id) => id == terminal,
            Sender::Device(id) => self.device(id).is_some_and(|d| d.place == DevicePlace::Terminal(terminal)),
            _ => false,
        };
        if !own {
            return refuse(Code::NotForSender, "S8", "a ticket goes in at the terminal itself");
        }
        found.available()?;
        let ticket = self.redeemable(number, at)?;
        found.room_for(ticket.amount)?;
        Ok(vec![Event::TicketIn { terminal, ticket: ticket.id, amount: ticket.amount }])
    }

    /// The first step of a cash-out. Bets stand where they are; the credit goes onto the ticket.
    // § rws-sicbo 1.7 · rws-sicbo-open 1.7 · rws-roulette-000 1.6 · mbs-sicbo 1.1.2
    pub(crate) fn prepare_ticket(&self, sender: Sender, terminal: TerminalId, number: TicketHash) -> Events {
        let found = self.find_terminal(terminal)?;
        if sender != Sender::Terminal(terminal) {
            return refuse(Code::NotForSender, "S8", "a cash-out is asked for at the terminal");
        }
        found.available()?;
        self.new_number(number)?;
        if found.prepared.is_positive() {
            return refuse(Code::TicketState, "S17", "a ticket is being printed");
        }
        if !found.credit.is_positive() {
            return refuse(Code::Credit, "D7", "there is no credit to cash out");
        }
        Ok(vec![Event::TicketPrepared { ticket: self.next_ticket(), terminal, amount: found.credit, number }])
    }

    fn prepared_by(&self, sender: Sender, ticket: TicketId) -> Result<&Ticket, Refusal> {
        let Some(found) = self.tickets.get(&ticket) else {
            return refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor");
        };
        let own = match sender {
            Sender::System => true,
            Sender::Terminal(id) => found.terminal == Some(id),
            Sender::Device(id) => self.device(id).is_some_and(|device| {
                found.terminal.is_some_and(|terminal| device.place == DevicePlace::Terminal(terminal))
            }),
            Sender::Staff(_) => false,
        };
        if !own {
            return refuse(Code::NotForSender, "S17", "the terminal says what its printer did");
        }
        if found.state != TicketState::Prepared {
            return refuse(Code::TicketState, "S17", "this ticket does not wait for a printer");
        }
        Ok(found)
    }

    pub(crate) fn ticket_printed(&self, sender: Sender, ticket: TicketId, at: Moment) -> Events {
        self.prepared_by(sender, ticket)?;
        Ok(vec![Event::TicketPrinted { ticket, expires: self.ticket_expiry(at) }])
    }

    pub(crate) fn print_failed(&self, sender: Sender, ticket: TicketId) -> Events {
        self.prepared_by(sender, ticket)?;
        Ok(vec![Event::PrintFailed { ticket }])
    }

    /// A cashier or a Pit Supervisor prints an outstanding ticket once more; it says that it is a reprint.
    pub(crate) fn reprint_ticket(&self, sender: Sender, ticket: TicketId) -> Events {
        let found = self.tickets.get(&ticket);
        let by = match self.cashier(sender) {
            Ok(cashier) => cashier.id,
            Err(refused) => {
                let table =
                    found.and_then(|t| t.terminal).and_then(|t| self.terminal(t)).and_then(|t| self.table(t.table));
                match table {
                    Some(table) => self.authorise(sender, Act::HandPay, table)?,
                    None => return Err(refused),
                }
            }
        };
        match found {
            None => refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor"),
            Some(ticket) if ticket.state == TicketState::Outstanding => {
                Ok(vec![Event::TicketReprinted { ticket: ticket.id, by }])
            }
            Some(_) => refuse(Code::TicketState, "S15", "only an outstanding ticket is printed again"),
        }
    }

    pub(crate) fn amount_agrees(ticket: &Ticket, amount: Option<Cents>) -> Result<(), Refusal> {
        match amount {
            Some(amount) if amount != ticket.amount => {
                refuse(Code::TicketDiffers, "S16", "the amount is not the ticket's")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_outstanding_are_bounded() {
        let mut floor = Floor::new();
        let hash = |at: usize| TicketHash((at as u128).to_be_bytes());
        floor.ticket_numbers = (1..bounds::TICKETS).map(|at| (hash(at), TicketId(at as u64))).collect();
        assert!(floor.new_number(hash(0)).is_ok());
        floor.ticket_numbers.insert(hash(0), TicketId(0));
        assert_eq!(floor.new_number(hash(bounds::TICKETS)).unwrap_err().code, Code::TooMany);
        // One that is closed is only remembered.
        floor.closed_tickets.push_back(TicketId(0));
        assert!(floor.new_number(hash(bounds::TICKETS)).is_ok());
    }
}
