//! Tickets (S13, S15–S17): prepared, printed, redeemed once, expired.

use std::fmt;

use aes::Aes256;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use rulebook::{Cents, Rank};

use crate::bounds;
use crate::command::*;
use crate::credit::CashWay;
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Ticket, TicketState};

/// The floor's secret under which the log keeps ticket numbers. It lives outside the log.
#[derive(Clone)]
pub struct TicketKey(pub(crate) [u8; 32]);

impl TicketKey {
    /// The key made of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> TicketKey {
        TicketKey(bytes)
    }

    /// A block of this cipher holds one number; every block is different, so nothing has to be chained.
    fn cipher(&self) -> Aes256 {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"ticket cipher");
        Aes256::new(&(*hasher.finalize().as_bytes()).into())
    }
}

impl fmt::Debug for TicketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketKey(…)")
    }
}

/// Four digits name the floor, twelve cannot be foreseen, and the last two prove that it was typed right.
const UNPREDICTABLE: u64 = 1_000_000_000_000;
/// What the floor's four digits stand before.
const AFTER_CODE: u64 = UNPREDICTABLE * 100;
/// The other half of the block that holds a number: with another key it comes out differently.
const MARK: [u8; 8] = *b"TICKETNO";
/// The check digits are what is left of the others by the largest prime of two digits (ISO/IEC 7064, MOD 97-10).
const CHECK: u64 = 97;

/// The number of a ticket: 18 digits that cannot be foreseen. It is cash.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct TicketNumber(pub(crate) u64);

impl TicketNumber {
    /// The number for a floor's new ticket, from random bits that the caller drew.
    ///
    /// Nothing else goes into it: who holds a backup and its key cannot foresee the next one, and a floor that is restored
    /// does not issue the same numbers again.
    #[must_use]
    pub fn drawn(floor: &str, random: u128) -> TicketNumber {
        // 128 bits reduced to 12 digits: the bias is far below one in 10^12.
        let unpredictable = u64::try_from(random % u128::from(UNPREDICTABLE)).unwrap_or_default();
        let payload = u64::from(TicketNumber::floor_code(floor)) * UNPREDICTABLE + unpredictable;
        TicketNumber(payload * 100 + check_digits(payload))
    }

    /// Whether its check digits are right: otherwise it was mistyped.
    #[must_use]
    pub fn checks(self) -> bool {
        check_digits(self.0 / 100) == self.0 % 100
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
        u16::try_from(self.0 / AFTER_CODE).unwrap_or_default()
    }

    /// Reads 18 digits; blanks and hyphens between them do not matter.
    #[must_use]
    pub fn parse(text: &str) -> Option<TicketNumber> {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        let whole = digits.len() == 18 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| whole).map(TicketNumber)
    }

    /// What the log keeps of it: the number under the floor's key, from which only that key gets it back for the paper.
    #[must_use]
    pub fn hash(self, key: &TicketKey) -> TicketHash {
        let mut block = [0_u8; 16];
        block[..8].copy_from_slice(&self.0.to_le_bytes());
        block[8..].copy_from_slice(&MARK);
        let mut block = block.into();
        key.cipher().encrypt_block(&mut block);
        TicketHash(block.into())
    }
}

impl TicketHash {
    /// The number under it; `None` with another key, and for a ticket of an earlier release.
    fn number(self, key: &TicketKey) -> Option<TicketNumber> {
        let mut block = self.0.into();
        key.cipher().decrypt_block(&mut block);
        let bytes: [u8; 16] = block.into();
        let number = bytes.first_chunk::<8>().copied().map(u64::from_le_bytes)?;
        (bytes[8..] == MARK).then_some(TicketNumber(number))
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

/// Every single wrong digit and every two neighbours exchanged change them.
fn check_digits(payload: u64) -> u64 {
    (CHECK + 1) - (u128::from(payload) * 100 % u128::from(CHECK)) as u64
}

impl Ticket {
    /// Its number, for the paper.
    #[must_use]
    pub fn number(&self, key: &TicketKey, floor: &str) -> Option<TicketNumber> {
        self.number.number(key).or_else(|| self.earlier_number(key, floor))
    }
}

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A place where no ticket number may be tried for a while.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TicketStop {
    /// Where: a terminal, or a cashier.
    pub place: TicketPlace,
    /// How many wrong numbers were tried there.
    pub tried: u16,
    /// Whether they were mistyped, by their check digits.
    pub mistyped: bool,
    /// Until when, unless it is lifted.
    pub until: Moment,
}

impl Floor {
    /// The ticket that would be issued next.
    #[must_use]
    pub fn next_ticket(&self) -> TicketId {
        TicketId(self.next.ticket)
    }

    /// How the log knows the ticket with this number, whichever release issued it.
    #[must_use]
    pub fn hash_of(&self, number: TicketNumber, key: &TicketKey) -> TicketHash {
        let hash = number.hash(key);
        let known = |hash: &TicketHash| self.ticket_numbers.contains_key(hash);
        match number.earlier_hash(key) {
            earlier if !known(&hash) && known(&earlier) => earlier,
            _ => hash,
        }
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

    /// The ticket behind a number, if it can be redeemed now: unknown, paid and expired have different refusals (S16).
    pub(crate) fn redeemable(&self, number: TicketHash, at: Moment) -> Result<&Ticket, Refusal> {
        let ticket = self.ticket_numbers.get(&number).and_then(|id| self.tickets.get(id));
        match ticket {
            None => refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor"),
            Some(ticket) => match ticket.state {
                // A person who shows the paper of a ticket in doubt has it in hand.
                TicketState::Prepared => Ok(ticket),
                TicketState::Void if self.paper(ticket.id).replaced_by.is_some() && mutant!("replaced-ticket-paid") => {
                    Ok(ticket)
                }
                TicketState::Void => {
                    refuse(Code::TicketVoid, "D25", format!("this number is void: {}", self.what_became(ticket)))
                }
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
        self.may_try(TicketPlace::Terminal(terminal), at)?;
        let ticket = self.redeemable(number, at)?;
        // The paper of its own ticket resolves the doubt about it; with any other one money would come in meanwhile.
        if ticket.state != TicketState::Prepared || ticket.terminal != Some(terminal) {
            self.takes_money(found)?;
        }
        found.room_for(ticket.amount)?;
        let mut events: Vec<Event> = self.presented(ticket, None, None, at).into_iter().collect();
        events.push(Event::TicketIn { terminal, ticket: ticket.id, amount: ticket.amount });
        // A paper that was in doubt goes out before it comes in: it may have been all that its visit still had.
        let doubt = ticket.state == TicketState::Prepared;
        events.extend(self.large_ticket_out(ticket).filter(|_| doubt));
        let ends = doubt && ticket.terminal == Some(terminal) && !found.credit.is_positive() && found.stakes.is_empty();
        let visit = found.visit.filter(|_| !ends);
        let came_in = self.large_cash(found, visit, CashWay::In, ticket.amount);
        let twice = |what: &AlertKind| events.iter().any(|event| event.alerts() == Some(what));
        let came_in = came_in.filter(|event| !event.alerts().is_some_and(twice));
        events.extend(came_in);
        self.number_alerts(&mut events);
        Ok(events)
    }

    /// The places where no ticket number may be tried now, because too many were wrong.
    pub fn ticket_stops(&self, at: Moment) -> impl Iterator<Item = TicketStop> + '_ {
        let wrong = self.control.wrong.iter().map(|tried| (tried, bounds::WRONG_TICKETS, false));
        let mistyped = self.control.mistyped.iter().map(|tried| (tried, bounds::MISTYPED, true));
        let stops = wrong.chain(mistyped).filter(|((_, (_, tried)), most, _)| tried >= most);
        stops
            .map(|((place, (since, tried)), _, mistyped)| TicketStop {
                place: *place,
                tried: *tried,
                mistyped,
                until: since.after(bounds::WRONG_TICKETS_FOR),
            })
            .filter(move |stop| stop.until > at)
    }

    /// Whether a ticket number may be tried here: after several wrong ones the place has to wait.
    pub(crate) fn may_try(&self, place: TicketPlace, at: Moment) -> Result<(), Refusal> {
        match self.ticket_stops(at).find(|stop| stop.place == place) {
            Some(stop) => {
                let words = format!(
                    "too many wrong ticket numbers here: try again in {} seconds, or a Pit Supervisor lifts this",
                    stop.until.since(at) / 1000 + 1
                );
                refuse(Code::WrongTickets, "S16", words)
            }
            None => Ok(()),
        }
    }

    /// Whether a number that was counted just now came after the stop at its place, and the refusal then: it was tried at
    /// another host at the same time.
    #[must_use]
    pub fn past_the_stop(&self, place: TicketPlace, mistyped: bool, at: Moment) -> Option<Refusal> {
        let most = if mistyped { bounds::MISTYPED } else { bounds::WRONG_TICKETS };
        let past = |stop: &TicketStop| stop.place == place && stop.mistyped == mistyped && stop.tried > most;
        self.ticket_stops(at).find(past).and_then(|_| self.may_try(place, at).err())
    }

    /// A Pit Supervisor lifts the stop at a place, never at their own.
    pub(crate) fn lift_wrong_tickets(&self, sender: Sender, place: TicketPlace) -> Events {
        let staff = self.staff_sender(sender)?;
        if staff.rank() < Some(Rank::PitSupervisor) || place == TicketPlace::Staff(staff.id) {
            return refuse(Code::Rank, "S16", "another person, a Pit Supervisor or above, lifts this");
        }
        if !self.control.wrong.contains_key(&place) && !self.control.mistyped.contains_key(&place) {
            return refuse(Code::NothingToDo, "S16", "no wrong ticket number was tried there");
        }
        Ok(vec![Event::WrongTicketsLifted { at: place, by: staff.id }])
    }

    /// The host has seen a number that no ticket has: it is counted, and after several the pit is alerted.
    pub(crate) fn wrong_ticket(&self, sender: Sender, place: TicketPlace, mistyped: bool, at: Moment) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S16", "the host counts wrong ticket numbers");
        }
        let table = match place {
            TicketPlace::Terminal(id) => Some(self.find_terminal(id)?.table),
            TicketPlace::Staff(id) if self.person(id).is_none() => {
                return refuse(Code::NotFound, "the floor", format!("there is no person {id}"));
            }
            TicketPlace::Staff(_) => None,
        };
        let mut events = vec![Event::WrongTicketTried { at: place, mistyped }];
        let (tried, most) = match mistyped {
            true => (&self.control.mistyped, bounds::MISTYPED),
            false => (&self.control.wrong, bounds::WRONG_TICKETS),
        };
        let tried = tried.get(&place).filter(|(since, _)| at.since(*since) < bounds::WRONG_TICKETS_FOR);
        if tried.map_or(0, |(_, tried)| *tried).saturating_add(1) >= most {
            events.extend(self.alert(0, table, AlertKind::WrongTickets(place)));
        }
        Ok(events)
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
            return refuse(Code::TicketState, "S17", "a ticket is being printed or in doubt");
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
        // A duplicate and a ticket that is sold are printed at a counter, everything else at its terminal.
        let printer = match self.paper(ticket).printed_for {
            Some(_) => None,
            None => found.terminal,
        };
        let own = match sender {
            Sender::System => true,
            Sender::Terminal(id) => printer == Some(id),
            Sender::Device(id) => self
                .device(id)
                .is_some_and(|device| printer.is_some_and(|terminal| device.place == DevicePlace::Terminal(terminal))),
            Sender::Staff(id) => self.paper(ticket).printed_for == Some(id),
        };
        if !own {
            return refuse(Code::NotForSender, "S17", "the terminal says what its printer did");
        }
        if found.state != TicketState::Prepared {
            let words = format!("this ticket does not wait for a printer: {}", self.what_became(found));
            return refuse(Code::TicketState, "S17", words);
        }
        Ok(found)
    }

    pub(crate) fn ticket_printed(&self, sender: Sender, ticket: TicketId, at: Moment) -> Events {
        if let Err(refused) = self.prepared_by(sender, ticket) {
            // Paper of a ticket that two people found not printed, or that a duplicate has replaced: its number is void,
            // and the pit has to know which it was.
            let void = self.tickets.get(&ticket).is_some_and(|found| found.state == TicketState::Void);
            let what = match self.paper(ticket).replaced_by {
                Some(duplicate) => AlertKind::ReplacedTicket(ticket, duplicate),
                None => AlertKind::VoidTicket(ticket),
            };
            let late = (void && refused.code == Code::TicketState).then(|| self.alert(0, None, what));
            return late.flatten().map(|alert| vec![alert]).ok_or(refused);
        }
        let mut events = vec![Event::TicketPrinted { ticket, expires: self.ticket_expiry(at) }];
        events.extend(self.tickets.get(&ticket).and_then(|found| self.large_ticket_out(found)));
        Ok(events)
    }

    pub(crate) fn print_failed(&self, sender: Sender, ticket: TicketId) -> Events {
        self.prepared_by(sender, ticket)?;
        if self.paper(ticket).of_counter() {
            let words = "this ticket stays in doubt: print another one, or resolve it with a second person";
            return refuse(Code::TicketState, "D25", words);
        }
        Ok(vec![Event::PrintFailed { ticket }])
    }

    /// A cashier or a Pit Supervisor, with a second person, replaces a ticket that is lost or cannot be read. The old
    /// number is void; the duplicate has a new one and is in doubt until it is printed (D27).
    pub(crate) fn reprint_ticket(
        &self,
        sender: Sender,
        ticket: TicketId,
        number: Option<TicketHash>,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let found = self.tickets.get(&ticket);
        let by = self.ticket_clerk(sender, found)?;
        let witness = self.cage_second(by, witness)?;
        reason_fits(reason)?;
        let Some(found) = found else {
            return refuse(Code::TicketUnknown, "S16", "this ticket is not known on this floor");
        };
        let printing = found.state == TicketState::Prepared && self.paper(ticket).of_counter();
        if found.state != TicketState::Outstanding && !printing {
            let words = format!("only an outstanding ticket is printed again: {}", self.what_became(found));
            return refuse(Code::TicketState, "S15", words);
        }
        let Some(number) = number else {
            return refuse(Code::TicketState, "S15", "a duplicate has a number of its own");
        };
        self.new_number(number)?;
        let duplicate = self.next_ticket();
        Ok(vec![Event::TicketReplaced { ticket, duplicate, number, by, witness, reason: reason.into() }])
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
