//! Ticket numbers of earlier releases: made from the key and the ticket's sequence. They are redeemed and printed as they were.

use crate::command::TicketHash;
use crate::ids::TicketId;
use crate::state::Ticket;
use crate::ticket::{TicketKey, TicketNumber};

/// Before there were check digits, fourteen digits were made.
const WITHOUT_CHECK: u64 = 100_000_000_000_000;

impl TicketNumber {
    /// The number that earlier releases gave to the ticket with this sequence.
    #[must_use]
    pub fn earlier(key: &TicketKey, floor: &str, ticket: TicketId) -> TicketNumber {
        TicketNumber::drawn(floor, digits(key, floor, ticket))
    }

    /// The number that a ticket got before numbers had check digits.
    #[must_use]
    pub fn without_check(key: &TicketKey, floor: &str, ticket: TicketId) -> TicketNumber {
        let digits = digits(key, floor, ticket) % u128::from(WITHOUT_CHECK);
        let code = u64::from(TicketNumber::floor_code(floor));
        TicketNumber(code * WITHOUT_CHECK + u64::try_from(digits).unwrap_or_default())
    }

    /// What the logs of earlier releases have of it.
    #[must_use]
    pub fn earlier_hash(self, key: &TicketKey) -> TicketHash {
        let mut hasher = blake3::Hasher::new_keyed(&key.0);
        hasher.update(b"ticket hash");
        hasher.update(&self.0.to_le_bytes());
        let mut hash = [0_u8; 16];
        hasher.finalize_xof().fill(&mut hash);
        TicketHash(hash)
    }
}

impl Ticket {
    /// Its number, if an earlier release issued it.
    pub(crate) fn earlier_number(&self, key: &TicketKey, floor: &str) -> Option<TicketNumber> {
        [TicketNumber::earlier, TicketNumber::without_check]
            .map(|number| number(key, floor, self.id))
            .into_iter()
            .find(|number| number.earlier_hash(key) == self.number)
    }
}

fn digits(key: &TicketKey, floor: &str, ticket: TicketId) -> u128 {
    let mut hasher = blake3::Hasher::new_keyed(&key.0);
    hasher.update(b"ticket number");
    hasher.update(floor.as_bytes());
    hasher.update(&ticket.0.to_le_bytes());
    let mut bytes = [0_u8; 16];
    hasher.finalize_xof().fill(&mut bytes);
    u128::from_le_bytes(bytes)
}
