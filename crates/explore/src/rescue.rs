//! Staff put a floor in order: the round ends as the rules say, and every cent goes to its owner, with any set of parts
//! dead.
//!
//! This is a fixed procedure, tried in every state. Where it succeeds it is a proof: it names commands that the floor
//! accepts. Where the device has read the first lawful outcome, the round is settled by it (D22), and what each bet is owed
//! is what the prose of the document says; elsewhere the round is void and the bets are owed.

use floor::*;
use rulebook::{Cents, Outcome, OutcomeIndex, Point};

use crate::moves::{next_moment, number_of};
use crate::node::{Node, World, held};
use crate::spec::*;

/// A set of parts of the floor.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts(pub u16);

/// The parts that can be dead. A dead host is replaced by another one, to which no terminal has come back yet; with a dead
/// network the host reaches no terminal and no device.
pub const PARTS: [&str; 9] =
    ["terminal 0", "terminal 1", "printer", "validator", "device", "console", "cage", "network", "host"];

const VALIDATOR: u8 = 3;
const CAGE: u8 = 6;
const NETWORK: u8 = 7;
const HOST: u8 = 8;
/// How long the host is away, in milliseconds: longer than the grace of any table.
const AWAY: i64 = 60_000;

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
        let parts = 0..9_u8;
        parts.clone().flat_map(move |one| (one..9).map(move |other| Parts::one(one).and(Parts::one(other))))
    }

    /// Everything at once that can be missing without an event of its own: the less staff have, the less they can do.
    const fn missing() -> Parts {
        Parts((1 << NETWORK) - 1)
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
struct Rescue<'a> {
    world: &'a World,
    floor: Floor,
    at: Moment,
    dead: Parts,
    paid: i64,
}

/// Staff end the round and give everyone what the rules owe, without these parts.
///
/// # Errors
/// What they could not do.
pub fn rescue(world: &World, node: &Node, dead: Parts) -> Result<(), Lost> {
    let mut rescue = Rescue { world, floor: node.floor.clone(), at: node.at, dead, paid: 0 };
    rescue.breaks();
    rescue.unlock();
    rescue.elapse();
    let lawful = lawful(world, node, &rescue.floor);
    let again = |outcome: Option<OutcomeIndex>| Rescue { floor: rescue.floor.clone(), ..rescue }.carry_out(outcome);
    let Some((last, others)) = lawful.split_last() else {
        // An interrupted round of which an outcome was read or entered is concluded with it, and not void (D22).
        let entered = rescue.floor.table(TABLE).and_then(Table::round).and_then(Round::outcome);
        let shown = [node.truth.read(world.rulebook), entered].into_iter().flatten();
        return again(None)
            .or_else(|lost| shown.map(|outcome| again(Some(outcome))).find(Result::is_ok).unwrap_or(Err(lost)));
    };
    if others.iter().any(|outcome| again(Some(*outcome)).is_ok()) {
        return Ok(());
    }
    again(Some(*last))
}

/// What is held for players, and what the Shift Manager may still have paid for tickets that have expired (S15).
fn kept(floor: &Floor) -> i64 {
    let expired = floor.tickets().filter(|ticket| ticket.state() == TicketState::Expired);
    held(floor) + expired.map(|ticket| ticket.amount().get()).sum::<i64>()
}

/// The outcomes by which the round may be settled: the first lawful one, if it is known beyond doubt and no ground is open,
/// which voids the round whatever the dice show. Where a second tumble or spin was reported after two people had signed for
/// another entry, that may be the first outcome too, as it was entered before or after the reading (D18).
fn lawful(world: &World, node: &Node, floor: &Floor) -> Vec<OutcomeIndex> {
    let round = floor.table(TABLE).and_then(Table::round);
    let settles = |round: &&Round| round.ground().is_none() && round.phase() >= Phase::Closed;
    let Some(round) = round.filter(settles) else { return Vec::new() };
    let Some(known) = node.truth.beyond_doubt(world.rulebook) else { return Vec::new() };
    let signed = round.outcome().filter(|_| round.entered().is_some_and(|entered| entered.witness.is_some()));
    let signed = signed.filter(|signed| round.second().is_some() && *signed != known);
    [known].into_iter().chain(signed).collect()
}

/// What the bets of the round return by an outcome, less the stakes.
fn owed_beside_stakes(world: &World, floor: &Floor, lawful: Option<OutcomeIndex>) -> Result<i64, String> {
    let Some(outcome) = lawful else { return Ok(0) };
    let stakes = floor
        .terminals()
        .iter()
        .flat_map(|terminal| terminal.stakes().iter().map(|stake| (terminal.layout(), stake.spot, stake.amount.get())));
    let more = stakes.map(|(layout, spot, amount)| Ok(world.returned(layout, spot, amount, outcome)? - amount));
    more.sum()
}

fn reason() -> String {
    "rescue".to_owned()
}

/// Who settles a round, with whom: where one of them may not, because of what they did before, others do (D19).
const SETTLE: [(StaffId, StaffId); 6] = [
    (SUPERVISOR, PIT_MANAGER),
    (CASINO_MANAGER, SHIFT_MANAGER),
    (PIT_MANAGER, SHIFT_MANAGER),
    (SUPERVISOR, CASINO_MANAGER),
    (SUPERVISOR, SHIFT_MANAGER),
    (PIT_MANAGER, CASINO_MANAGER),
];

impl Rescue<'_> {
    fn carry_out(mut self, lawful: Option<OutcomeIndex>) -> Result<(), Lost> {
        let owed = kept(&self.floor) + owed_beside_stakes(self.world, &self.floor, lawful).map_err(Lost::Stranded)?;
        if self.floor.table(TABLE).is_some_and(|table| table.round().is_some()) {
            let before = self.floor.clone();
            self.end_round(lawful)?;
            self.ended_by(&before, lawful)?;
        }
        self.pay_out();
        let left = kept(&self.floor);
        if left != 0 || self.paid != owed {
            let words = format!("of {owed} cents {} were paid and {left} are still held", self.paid);
            return Err(Lost::Stranded(words));
        }
        Ok(())
    }

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

    /// What the floor notices of parts that die: another host goes on where the first one was, links are gone.
    fn breaks(&mut self) {
        if self.dead.meets(Parts::one(HOST)) {
            let from = Moment(self.at.0 - AWAY);
            self.send(Sender::System, Body::ReportStoppage { from, terminals_back: false });
        }
        if self.dead.meets(Parts::one(HOST).and(Parts::one(NETWORK))) {
            for place in 0..self.floor.terminals().len() {
                let terminal = self.floor.terminals()[place].id();
                self.send(Sender::System, Body::TerminalLost { terminal });
            }
        }
    }

    /// Two people state what was lost, and let another program run (S10, S23).
    fn unlock(&mut self) {
        if self.floor.missing_record().is_some() {
            self.staff(ADMINISTRATOR, Body::AcceptLoss { statement: reason(), witness: Some(SHIFT_MANAGER) });
        }
        if self.floor.locked_by().is_some() {
            self.staff(ADMINISTRATOR, Body::AcceptProgram { witness: Some(PIT_MANAGER) });
        }
    }

    /// What is due by now the host does by itself: a ticket is no longer good, terminals have not come back in time.
    fn elapse(&mut self) {
        let over = |ticket: &Ticket| ticket.state() == TicketState::Outstanding && ticket.expires() <= self.at;
        if self.floor.next_deadline().is_some_and(|due| due <= self.at) || self.floor.tickets().any(over) {
            self.send(Sender::System, Body::Elapse);
        }
    }

    /// The first lawful outcome settles the round. Where there is none, an interruption is attested, a reported ground
    /// confirmed, anything else decided by the Shift Manager.
    fn end_round(&mut self, lawful: Option<OutcomeIndex>) -> Result<(), Lost> {
        for _ in 0..6 {
            let Some(round) = self.floor.table(TABLE).and_then(Table::round) else { return Ok(()) };
            let (table, id, witness) = (TABLE, round.id(), Some(PIT_MANAGER));
            if round.is_interrupted() {
                let findings = match lawful {
                    Some(_) => [Finding::Established, Finding::NotAffected, Finding::NotEstablished],
                    None => [Finding::NotEstablished, Finding::Established, Finding::NotAffected],
                };
                // Dice that were uncovered before the attestation take the Shift Manager (D6).
                let signers = [witness, Some(SHIFT_MANAGER)];
                let attest = |finding| signers.map(|witness| Body::Attest { table, finding, witness });
                let mut attest = findings.into_iter().flat_map(attest);
                if attest.any(|body| self.staff(SUPERVISOR, body)) {
                    continue;
                }
            }
            if lawful.is_some_and(|outcome| self.settle(outcome) || self.interrupted()) {
                continue;
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

    /// The terminals of a short stoppage did not come back while the others waited for them (D6).
    fn interrupted(&self) -> bool {
        self.floor.table(TABLE).and_then(Table::round).is_some_and(Round::is_interrupted)
    }

    /// Two people settle the round by an outcome, once every terminal that should show the close has had its time.
    fn settle(&mut self, outcome: OutcomeIndex) -> bool {
        let (table, affirmed) = (TABLE, Point::ALL.to_vec());
        for _ in 0..3 {
            self.staff(SUPERVISOR, Body::AnswerFault { table, affects: false });
            for (by, second) in SETTLE {
                let (witness, why) = (Some(second), Some(reason()));
                let keep = Body::KeepFirstOutcome { table, witness, affirmed: affirmed.clone() };
                let enter =
                    Body::EnterResult { table, outcome, affirmed: affirmed.clone(), witness, reason: why.clone() };
                let confirm = Body::ConfirmResult { table, outcome: Some(outcome), witness, reason: why };
                if self.staff(by, keep) {
                    return true;
                }
                self.staff(by, enter);
                if self.staff(by, confirm) {
                    return true;
                }
            }
            let Some(next) = next_moment(&self.floor, self.at) else { return false };
            self.at = next;
            self.send(Sender::System, Body::Elapse);
        }
        false
    }

    /// The round that was in play ended by the lawful outcome, and the chips of a live table went where they belong.
    fn ended_by(&self, before: &Floor, lawful: Option<OutcomeIndex>) -> Result<(), Lost> {
        let Some(round) = before.table(TABLE).and_then(Table::round) else { return Ok(()) };
        let ended = self.floor.table(TABLE).and_then(|table| table.archived(round.id()));
        let ended = ended.ok_or_else(|| Lost::Stranded("a round ended and is not kept".to_owned()))?;
        let faces = |outcome: OutcomeIndex| self.world.rulebook.outcomes().outcome(outcome).map(Outcome::sorted);
        if lawful.is_some() && ended.outcome().and_then(faces) != lawful.and_then(faces) {
            let words =
                format!("the device read {lawful:?} beyond doubt, and two people cannot settle the round by it");
            return Err(Lost::Stranded(words));
        }
        let stranded = |violation: crate::Violation| Lost::Stranded(violation.words);
        self.world.chips_agree(before, &self.floor, ended).map_err(stranded)
    }

    fn pay_out(&mut self) {
        // Paper first: what goes into a terminal is paid from its credit.
        self.resolve_doubts();
        for ticket in self.tickets(TicketState::Outstanding) {
            let _ = self.at_the_cage(ticket) || self.at_a_terminal(ticket) || self.by_hand(ticket);
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

    fn resolve_doubts(&mut self) {
        for ticket in self.tickets(TicketState::Prepared) {
            let resolve =
                |finding| Body::ResolveTicket { ticket, finding, reason: reason(), witness: Some(PIT_MANAGER) };
            let _ = self.staff(SUPERVISOR, resolve(TicketFinding::NotPrinted))
                || self.staff(SUPERVISOR, resolve(TicketFinding::PaidByHand));
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
        if self.dead.meets(Parts::one(VALIDATOR).and(Parts::one(NETWORK))) {
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
                return true;
            }
        }
        false
    }

    /// Two people of the pit void the ticket's number for a duplicate, which is never printed, and pay that by hand (D25,
    /// D27).
    fn by_hand(&mut self, ticket: TicketId) -> bool {
        let (number, witness) = (Some(number_of(self.floor.next_ticket())), Some(PIT_MANAGER));
        let reprinted = self.staff(SUPERVISOR, Body::ReprintTicket { ticket, number, reason: reason(), witness });
        if reprinted {
            self.resolve_doubts();
        }
        reprinted
    }
}

/// Tries every single dead part and every pair of them. With less, staff can do no more: what succeeds with everything
/// missing at once is a proof for each part and pair. Another host and a dead network are noticed by the floor, and are
/// tried on their own and with everything else missing.
///
/// # Errors
/// What cannot be done, and with which parts dead.
pub fn rescue_with_any_dead(world: &World, node: &Node) -> Result<(), (Parts, Lost)> {
    rescue(world, node, Parts::default()).map_err(|lost| (Parts::default(), lost))?;
    // With a dead host the links are gone too: a dead network besides is nothing more.
    let noticed = [Parts::default(), Parts::one(NETWORK), Parts::one(HOST)];
    let hard = noticed.map(|dead| dead.and(Parts::missing()));
    if hard.iter().all(|dead| rescue(world, node, *dead).is_ok()) {
        return Ok(());
    }
    for dead in Parts::singles_and_pairs() {
        rescue(world, node, dead).map_err(|lost| (dead, lost))?;
    }
    Ok(())
}
