//! One move of an exploration: who sends what. Ids that depend on the state are filled in when the move is made.

use std::borrow::Cow;

use floor::*;
use rulebook::{GroundId, OutcomeIndex};

use crate::node::Node;
use crate::spec::{Budget, TABLE};

/// A move of the alphabet.
#[derive(Clone, Debug)]
pub struct Move {
    /// Who.
    pub sender: Sender,
    /// What.
    pub form: Form,
    /// What it uses up.
    pub budget: Option<Budget>,
}

/// What is sent, as far as it does not depend on the state.
#[derive(Clone, Debug)]
pub enum Form {
    /// A command as it is.
    Fixed(Body),
    /// A command about the round in progress.
    AboutCurrent(Body),
    /// A command about the round that was recalled, or else the last one that ended.
    AboutLast(Body),
    /// A command with the number of a new ticket.
    WithNumber(Body),
    /// A command about a ticket, counted from the latest.
    AboutTicket(Body, usize),
    /// A command about what waits to be paid first.
    AboutPayable(Body),
    /// The whole credit of a terminal is paid by hand.
    PayAll(TerminalId, Option<StaffId>),
    /// What was decided alone is countersigned.
    Countersign,
    /// The oldest alert is acknowledged.
    AcknowledgeAlert,
    /// The last round is corrected, or voided on a ground or by decision, by its preview.
    ChangeRound(Option<OutcomeIndex>, Option<GroundId>, Option<StaffId>),
    /// What the first debtor of the last round owes is collected.
    CollectClaim(Option<StaffId>),
    /// A command about the drawer that was opened first.
    AboutDrawer(Body),
    /// The host recalls the round that left the list of recent ones first (D24).
    Recall,
    /// The host reports a stoppage of so many milliseconds.
    Stoppage(i64, bool),
    /// Time passes until the next deadline. No command is sent.
    Wait,
    /// Time passes until the next ticket is no longer good. No command is sent.
    Expire,
}

/// The number of a ticket on an explored floor.
pub(crate) fn number_of(ticket: TicketId) -> TicketHash {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&ticket.0.to_be_bytes());
    TicketHash(bytes)
}

impl Move {
    /// The command's body in this state; nothing if it speaks of what does not exist.
    #[must_use]
    pub fn body(&self, node: &Node) -> Option<Cow<'_, Body>> {
        let (floor, at) = (&node.floor, node.at);
        Some(match &self.form {
            Form::Fixed(body) => Cow::Borrowed(body),
            Form::AboutCurrent(body) => Cow::Owned(about_round(body, floor.table(TABLE)?.round()?.id())),
            Form::AboutLast(body) => Cow::Owned(about_round(body, past_round(floor)?.id())),
            Form::AboutDrawer(body) => Cow::Owned(about_drawer(body, floor.shifts().next()?.id())),
            Form::Recall => Cow::Owned(recall(&node.past)?),
            Form::WithNumber(body) => Cow::Owned(with_number(body, number_of(floor.next_ticket()))),
            Form::AboutTicket(body, place) => Cow::Owned(about_ticket(body, nth_ticket(floor, *place)?, floor)),
            Form::AboutPayable(body) => {
                let due = floor.payables().next()?;
                Cow::Owned(about_payable(body, due.id(), due.round()))
            }
            Form::PayAll(terminal, witness) => {
                let amount = floor.terminal(*terminal)?.credit();
                Cow::Owned(Body::AttendantPay { terminal: *terminal, amount, witness: *witness })
            }
            Form::Countersign => {
                let alone = |alert: &&Alert| matches!(alert.what(), AlertKind::DecidedAlone(..));
                Cow::Owned(Body::Countersign { alert: floor.alerts().find(alone)?.id() })
            }
            Form::AcknowledgeAlert => Cow::Owned(Body::AcknowledgeAlert { alert: floor.alerts().next()?.id() }),
            Form::ChangeRound(outcome, ground, witness) => {
                let changes = vec![(past_round(floor)?.id(), *outcome)];
                let preview = floor.preview(TABLE, &changes).ok()?.hash;
                let (table, ground, reason, witness) = (TABLE, *ground, "explored".to_owned(), *witness);
                Cow::Owned(Body::ChangeRounds { table, changes, ground, reason, preview, witness })
            }
            Form::CollectClaim(witness) => {
                let last = past_round(floor)?;
                let (debtor, amount) = last.debtors().next()?;
                let (round, debtor, reason) = (Some(last.id()), Some(debtor), "explored".to_owned());
                Cow::Owned(Body::RecordRecovered { table: TABLE, round, amount, reason, witness: *witness, debtor })
            }
            Form::Stoppage(length, terminals_back) => {
                let from = Moment(at.0 - length);
                Cow::Owned(Body::ReportStoppage { from, terminals_back: *terminals_back })
            }
            Form::Wait | Form::Expire => return None,
        })
    }
}

impl Form {
    /// The same with another second person, where there is room for one.
    #[must_use]
    pub(crate) fn signed(&self, witness: Option<StaffId>) -> Form {
        let mut form = self.clone();
        if let Some(second) = form.witness_mut() {
            *second = witness;
        }
        form
    }

    /// The second person, where there is room for one.
    pub(crate) fn witness_mut(&mut self) -> Option<&mut Option<StaffId>> {
        match self {
            Form::Fixed(body)
            | Form::AboutCurrent(body)
            | Form::AboutLast(body)
            | Form::WithNumber(body)
            | Form::AboutTicket(body, _)
            | Form::AboutPayable(body)
            | Form::AboutDrawer(body) => body.witness_mut(),
            Form::PayAll(_, witness) | Form::ChangeRound(_, _, witness) | Form::CollectClaim(witness) => Some(witness),
            _ => None,
        }
    }
}

/// The round that was recalled, or else the last one that ended.
fn past_round(floor: &Floor) -> Option<&ArchivedRound> {
    let table = floor.table(TABLE)?;
    table.recalled().map(|(_, round)| round).next().or_else(|| table.archive().next_back())
}

fn about_drawer(body: &Body, id: ShiftId) -> Body {
    let mut body = body.clone();
    if let Body::ServeDrawer { shift, .. } = &mut body {
        *shift = id;
    }
    body
}

/// The command that recalls the first of the rounds that the host keeps, with what proves it.
fn recall(past: &[Vec<u8>]) -> Option<Body> {
    let leaves: Vec<rulebook::Hash> = past.iter().map(|bytes| floor::leaf(bytes)).collect();
    let beside = floor::proof(&leaves, 0)?;
    Some(Body::RecallRound { table: TABLE, leaf: 0, bytes: past.first()?.clone(), beside, read: Vec::new() })
}

fn nth_ticket(floor: &Floor, place: usize) -> Option<TicketId> {
    let count = floor.tickets().count();
    floor.tickets().nth(count.checked_sub(place + 1)?).map(Ticket::id)
}

fn about_round(body: &Body, id: RoundId) -> Body {
    let mut body = body.clone();
    match &mut body {
        Body::AcknowledgeClose { round }
        | Body::CorrectResult { round, .. }
        | Body::CorrectRecord { round, .. }
        | Body::ChooseOutcome { round, .. } => *round = id,
        Body::Decide { round, .. } => *round = Some(id),
        Body::CallSecondPerson { purpose, .. } => purpose.subject = Some(id.0),
        Body::VoidRounds { rounds, .. } => *rounds = vec![id],
        _ => {}
    }
    body
}

fn with_number(body: &Body, new: TicketHash) -> Body {
    let mut body = body.clone();
    match &mut body {
        Body::PrepareTicket { number, .. } | Body::SellTicket { number, .. } => *number = new,
        _ => {}
    }
    body
}

fn about_ticket(body: &Body, id: TicketId, floor: &Floor) -> Body {
    let mut body = body.clone();
    match &mut body {
        Body::TicketPrinted { ticket }
        | Body::PrintFailed { ticket }
        | Body::ResolveTicket { ticket, .. }
        | Body::PayExpired { ticket, .. } => *ticket = id,
        Body::ReprintTicket { ticket, number, .. } => {
            *ticket = id;
            *number = Some(number_of(floor.next_ticket()));
        }
        Body::TicketIn { number, .. } | Body::RedeemTicket { number, .. } => *number = number_of(id),
        _ => {}
    }
    body
}

fn about_payable(body: &Body, id: PayableId, of: Option<RoundId>) -> Body {
    let mut body = body.clone();
    match &mut body {
        Body::PayCorrection { payable, round, .. } | Body::PayByHand { payable, round, .. } => {
            *payable = id;
            *round = of;
        }
        _ => {}
    }
    body
}

/// The next moment at which something can be different because time has passed: a deadline of the floor, the end of the
/// recording of chips, or an unanswered call for a second person.
#[must_use]
pub fn next_moment(floor: &Floor, at: Moment) -> Option<Moment> {
    const LONGEST: i64 = 60 * 60 * 1000;
    let live = floor.table(TABLE).filter(|table| table.mode() != TableMode::Terminals);
    let recorded = live.and_then(|table| table.round()?.closed_at()).map(|closed| closed.after(bounds::RECORDING));
    let called = floor.calls().map(|call| call.at.after(bounds::SECOND_PERSON_WITHIN)).filter(|until| *until > at);
    let deadline = floor.next_deadline();
    let all = deadline.into_iter().chain(recorded).chain(called);
    all.filter(|moment| *moment > at && moment.since(at) <= LONGEST).min()
}

/// The moment at which the next ticket is no longer good. Days pass until then.
#[must_use]
pub fn next_expiry(floor: &Floor, at: Moment) -> Option<Moment> {
    let good = floor.tickets().filter(|ticket| ticket.state() == TicketState::Outstanding);
    good.map(Ticket::expires).filter(|expires| *expires > at).min()
}
