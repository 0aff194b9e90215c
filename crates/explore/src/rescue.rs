//! Staff put a floor in order: the round ends and every cent goes to its owner, with any set of parts dead.
//!
//! This is a fixed procedure, tried in every state. Where it succeeds it is a proof: it names commands that the floor
//! accepts. It uses as few parts as it can and says which, so that one run proves all combinations without them.

use floor::*;
use rulebook::Cents;

use crate::moves::number_of;
use crate::spec::*;

/// A set of parts of the floor.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts(pub u8);

/// The parts that can be dead.
pub const PARTS: [&str; 7] = ["terminal 0", "terminal 1", "printer", "validator", "device", "console", "cage"];

const VALIDATOR: u8 = 3;
const CAGE: u8 = 6;

impl Parts {
    /// One part, by its place.
    #[must_use]
    pub const fn one(place: u8) -> Parts {
        Parts(1 << place)
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Parts) -> Parts {
        Parts(self.0 | other.0)
    }

    /// Whether they have a part in common.
    #[must_use]
    pub const fn meets(self, other: Parts) -> bool {
        self.0 & other.0 != 0
    }

    /// Their names.
    #[must_use]
    pub fn names(self) -> String {
        let names = PARTS.iter().zip(0..).filter(|(_, place)| self.meets(Parts::one(*place))).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(" and ")
    }

    /// Each part alone, and each pair of them.
    pub fn singles_and_pairs() -> impl Iterator<Item = Parts> {
        let parts = 0..7_u8;
        parts.clone().flat_map(move |one| (one..7).map(move |other| Parts::one(one).and(Parts::one(other))))
    }

    /// How many parts.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

/// What a rescue could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The round cannot be ended.
    Stuck(String),
    /// So many cents did not reach their owner.
    Stranded(String),
}

/// A rescue under way.
struct Rescue {
    floor: Floor,
    at: Moment,
    dead: Parts,
    used: Parts,
    paid: i64,
}

/// Staff end the round and return everything, without these parts. The answer is the parts that were used.
///
/// # Errors
/// What they could not do.
pub fn rescue(floor: &Floor, at: Moment, dead: Parts) -> Result<Parts, Lost> {
    let mut rescue = Rescue { floor: floor.clone(), at, dead, used: Parts::default(), paid: 0 };
    rescue.expire();
    let owed = kept(&rescue.floor);
    rescue.end_round()?;
    rescue.pay_out();
    let left = kept(&rescue.floor);
    if left != 0 || rescue.paid != owed {
        let words = format!("of {owed} cents {} were returned and {left} are still held", rescue.paid);
        return Err(Lost::Stranded(words));
    }
    Ok(rescue.used)
}

/// What is held for players, and what the Shift Manager may still have paid for tickets that have expired (S15).
fn kept(floor: &Floor) -> i64 {
    let expired = floor.tickets().filter(|ticket| ticket.state() == TicketState::Expired);
    crate::node::held(floor) + expired.map(|ticket| ticket.amount().get()).sum::<i64>()
}

fn reason() -> String {
    "rescue".to_owned()
}

impl Rescue {
    fn send(&mut self, sender: Sender, body: Body) -> bool {
        let number = self.floor.last_number(sender).unwrap_or(0) + 1;
        let Ok(Decision::Events(records)) = self.floor.decide(&Command { sender, number, at: self.at, body }) else {
            return false;
        };
        for record in &records {
            self.paid += match &record.event {
                Event::AttendantPaid { amount, .. }
                | Event::TicketRedeemed { amount, .. }
                | Event::CorrectionPaid { amount, .. }
                | Event::PayablePaid { amount, .. }
                | Event::ExpiredPaid { amount, .. } => amount.get(),
                Event::TicketResolved { ticket, finding: TicketFinding::PaidByHand, .. } => {
                    self.floor.tickets().find(|one| one.id() == *ticket).map_or(0, |ticket| ticket.amount().get())
                }
                _ => 0,
            };
            if self.floor.apply(record).is_err() {
                return false;
            }
        }
        true
    }

    fn staff(&mut self, staff: StaffId, body: Body) -> bool {
        self.send(Sender::Staff(staff), body)
    }

    /// A ticket that is no longer good is recorded as expired, which the host does by itself.
    fn expire(&mut self) {
        let over = |ticket: &Ticket| ticket.state() == TicketState::Outstanding && ticket.expires() <= self.at;
        if self.floor.tickets().any(over) {
            self.send(Sender::System, Body::Elapse);
        }
    }

    /// An interruption is attested, a reported ground confirmed, anything else decided by the Shift Manager.
    fn end_round(&mut self) -> Result<(), Lost> {
        for _ in 0..6 {
            let Some(round) = self.floor.table(TABLE).and_then(Table::round) else { return Ok(()) };
            let (table, id, witness) = (TABLE, round.id(), Some(PIT_MANAGER));
            if round.is_interrupted() {
                let findings = [Finding::NotEstablished, Finding::Established, Finding::NotAffected];
                let mut attest = findings.into_iter().map(|finding| Body::Attest { table, finding, witness });
                if attest.any(|body| self.staff(SUPERVISOR, body)) {
                    continue;
                }
            }
            if self.staff(SUPERVISOR, Body::ConfirmGround { table }) {
                continue;
            }
            let (ruling, witness) = (Ruling::VoidRound, Some(CASINO_MANAGER));
            let void = Body::Decide { table, round: Some(id), ruling, reason: reason(), witness };
            if !self.staff(SHIFT_MANAGER, void) {
                break;
            }
        }
        match self.floor.table(TABLE).and_then(Table::round) {
            None => Ok(()),
            Some(round) => {
                Err(Lost::Stuck(format!("staff cannot end round {} ({})", round.id(), round.phase().as_str())))
            }
        }
    }

    fn pay_out(&mut self) {
        // Paper first: what goes into a terminal is paid from its credit.
        let doubtful: Vec<TicketId> = self.tickets(TicketState::Prepared);
        for ticket in doubtful {
            let resolve =
                |finding| Body::ResolveTicket { ticket, finding, reason: reason(), witness: Some(PIT_MANAGER) };
            let _ = self.staff(SUPERVISOR, resolve(TicketFinding::NotPrinted))
                || self.staff(SUPERVISOR, resolve(TicketFinding::PaidByHand));
        }
        for ticket in self.tickets(TicketState::Outstanding) {
            let _ = self.at_the_cage(ticket) || self.at_a_terminal(ticket);
        }
        for ticket in self.tickets(TicketState::Expired) {
            self.staff(SHIFT_MANAGER, Body::PayExpired { ticket, reason: reason(), witness: Some(SUPERVISOR) });
        }
        for place in 0..self.floor.terminals().len() {
            let terminal = &self.floor.terminals()[place];
            let (terminal, amount) = (terminal.id(), terminal.credit());
            if amount.is_positive() {
                self.staff(SUPERVISOR, Body::AttendantPay { terminal, amount, witness: Some(PIT_MANAGER) });
            }
        }
        let payables: Vec<(PayableId, Option<RoundId>)> =
            self.floor.payables().map(|due| (due.id(), due.round())).collect();
        for (payable, round) in payables {
            self.staff(SUPERVISOR, Body::PayByHand { payable, round, witness: Some(PIT_MANAGER) });
        }
    }

    fn tickets(&self, state: TicketState) -> Vec<TicketId> {
        self.floor.tickets().filter(|ticket| ticket.state() == state).map(Ticket::id).collect()
    }

    /// A cashier pays the ticket, with as much cash as that takes from the vault.
    fn at_the_cage(&mut self, ticket: TicketId) -> bool {
        if self.dead.meets(Parts::one(CAGE)) {
            return false;
        }
        self.used = self.used.and(Parts::one(CAGE));
        let Some(amount) = self.floor.tickets().find(|one| one.id() == ticket).map(Ticket::amount) else {
            return false;
        };
        if self.floor.person(CASHIER).and_then(Staff::shift).is_none() {
            self.staff(CASHIER, Body::OpenShift { float: Cents::ZERO, witness: None });
        }
        let pieces = u32::try_from(amount.get()).unwrap_or(u32::MAX);
        let counts = vec![Pile { denomination: Cents::ONE, pieces }];
        self.staff(CASHIER, Body::MoveDrawer { movement: DrawerMovement::Fill, counts, witness: Some(SUPERVISOR) });
        self.staff(CASHIER, Body::RedeemTicket { number: number_of(ticket), amount: None, witness: Some(SUPERVISOR) })
    }

    /// The ticket goes into a terminal that works, and the credit is paid by hand.
    fn at_a_terminal(&mut self, ticket: TicketId) -> bool {
        if self.dead.meets(Parts::one(VALIDATOR)) {
            return false;
        }
        let ids: Vec<TerminalId> = self.floor.terminals().iter().map(Terminal::id).collect();
        for (terminal, place) in ids.into_iter().zip(0..2) {
            if self.dead.meets(Parts::one(place)) {
                continue;
            }
            self.send(Sender::System, Body::TerminalBack { terminal });
            self.staff(SUPERVISOR, Body::UnlockTerminal { terminal });
            if self.send(Sender::Terminal(terminal), Body::TicketIn { terminal, number: number_of(ticket) }) {
                self.used = self.used.and(Parts::one(place)).and(Parts::one(VALIDATOR));
                return true;
            }
        }
        false
    }
}

/// Tries every single dead part and every pair of them. Pairs that strand money are returned; a single part must not.
///
/// # Errors
/// What cannot be done with one part dead, or with none.
pub fn rescue_with_any_dead(floor: &Floor, at: Moment) -> Result<Vec<Parts>, (Parts, Lost)> {
    let mut proofs = vec![rescue(floor, at, Parts::default()).map_err(|lost| (Parts::default(), lost))?];
    let mut stranded = Vec::new();
    for dead in Parts::singles_and_pairs() {
        if proofs.iter().any(|used| !used.meets(dead)) {
            continue;
        }
        match rescue(floor, at, dead) {
            Ok(used) => proofs.push(used),
            Err(lost) if dead.count() < 2 => return Err((dead, lost)),
            Err(_) => stranded.push(dead),
        }
    }
    Ok(stranded)
}
