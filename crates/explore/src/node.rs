//! A state of an exploration, and the step from one to the next with everything that is checked on it.

use floor::*;
use rulebook::{OutcomeIndex, Rulebook};
use simulator::SecondOpinion;

use crate::house::{House, outcomes};
use crate::moves::{Form, Move, next_expiry, next_moment};
use crate::property::{Property, Violation, must};
use crate::spec::{BUDGETS, Budget, MORNING, Spec, TABLE, UNLIMITED};
use crate::truth::Truth;

/// More than one person moves alone, in cents.
const LARGE: i64 = 10 * crate::house::THRESHOLD;

/// A state.
#[derive(Clone)]
pub struct Node {
    /// The floor.
    pub floor: Floor,
    /// What the clock shows.
    pub at: Moment,
    /// What of each budget is used up.
    pub used: [u8; BUDGETS],
    /// The naive model.
    pub second: SecondOpinion,
    /// What the dice or the ball have shown.
    pub truth: Truth,
}

/// What came of a move.
pub enum Step {
    /// It is refused, or speaks of what does not exist.
    Refused,
    /// It would be accepted, but it has happened often enough.
    Spent,
    /// It is accepted.
    Child(Box<Node>, Option<Command>),
}

/// What does not change during an exploration.
pub struct World {
    /// The floor that is explored.
    pub spec: Spec,
    /// Its document.
    pub rulebook: &'static Rulebook,
    /// The outcomes for which the exposure is worked out.
    pub outcomes: [OutcomeIndex; 2],
    /// The commands that set it up.
    pub set_up: Vec<Command>,
    /// Where it begins.
    pub root: Node,
}

impl World {
    /// Sets up a floor to be explored.
    ///
    /// # Errors
    /// In words, if it cannot be set up.
    pub fn of(spec: Spec) -> Result<World, String> {
        let House { floor, second, commands, rulebook } = House::of(&spec)?;
        let root = Node { floor, at: MORNING, used: [0; BUDGETS], second, truth: Truth::default() };
        Ok(World { rulebook, outcomes: outcomes(rulebook), set_up: commands, root, spec })
    }

    fn spent(&self, node: &Node, budget: Option<Budget>) -> bool {
        budget.is_some_and(|budget| node.used[budget as usize] >= self.spec.budgets[budget as usize])
    }

    /// Makes a move, and checks what must hold on every step.
    ///
    /// # Errors
    /// What does not hold.
    pub fn step(&self, node: &Node, one: &Move) -> Result<Step, Violation> {
        match one.form {
            Form::Wait => return Ok(self.wait(node, one, next_moment(&node.floor, node.at))),
            Form::Expire => return Ok(self.wait(node, one, next_expiry(&node.floor, node.at))),
            _ => {}
        }
        let Some(body) = one.body(&node.floor, node.at) else { return Ok(Step::Refused) };
        if node.floor.may(one.sender, &body, node.at).is_err() {
            return Ok(Step::Refused);
        }
        if self.spent(node, one.budget) || self.begins_too_many(node, one) {
            return Ok(Step::Spent);
        }
        let number = next_number(&node.floor, one.sender);
        let command = Command { sender: one.sender, number, at: node.at, body: body.into_owned() };
        let decided = node.floor.decide(&command);
        let records = match decided {
            Ok(Decision::Events(records)) => records,
            Ok(Decision::Earlier(_)) => {
                return Err(Violation::new(Property::Retries, "a new command is taken for a retry"));
            }
            Err(refusal) => {
                return Err(Violation::new(Property::Offers, format!("it is offered and refused: {refusal}")));
            }
        };
        let mut child = Box::new(node.clone());
        for record in &records {
            let applied = child.floor.apply(record);
            applied.map_err(|misfit| Violation::new(Property::Offers, format!("accepted, and {misfit}")))?;
        }
        child.use_up(one.budget, &self.spec);
        let taken = child.second.take(&records);
        taken.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
        let counted = child.second.remembers_totals(&child.floor);
        counted.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
        child.truth.take(&node.floor, &command, &child.floor, self.rulebook);
        self.on_step(node, &command, &child)?;
        of_the_office(&node.floor, &command, &child.floor)?;
        Ok(Step::Child(child, Some(command)))
    }

    /// Where the tumbler begins a round, its report uses up a round too.
    fn begins_too_many(&self, node: &Node, one: &Move) -> bool {
        let begins = matches!(one.form, Form::Fixed(Body::Observe(Observation::Activated)))
            && self.rulebook.procedure().begins == rulebook::Begins::Activation;
        let rounds =
            node.floor.table(TABLE).map_or(0, |table| table.archive().count() + usize::from(table.round().is_some()));
        let idle = node.floor.table(TABLE).is_some_and(|table| table.round().is_none());
        begins && idle && rounds >= usize::from(self.spec.budgets[Budget::Rounds as usize])
    }

    fn wait(&self, node: &Node, one: &Move, until: Option<Moment>) -> Step {
        let Some(at) = until else { return Step::Refused };
        if self.spent(node, one.budget) {
            return Step::Spent;
        }
        let mut child = Box::new(node.clone());
        child.at = at;
        child.use_up(one.budget, &self.spec);
        Step::Child(child, None)
    }

    fn on_step(&self, node: &Node, command: &Command, child: &Node) -> Result<(), Violation> {
        let (before, after) = (&node.floor, &child.floor);
        let Some((was, is)) = before.table(TABLE).zip(after.table(TABLE)) else { return Ok(()) };
        let Some(round) = was.round() else { return Ok(()) };
        let closed = round.phase() >= Phase::Closed;
        if is.round().is_some_and(|now| now.id() == round.id()) {
            let same = before.terminals().iter().zip(after.terminals()).all(|(was, is)| was.stakes() == is.stakes());
            return must(!closed || same, Property::Close, || "a bet changed after the close".to_owned());
        }
        let Some(ended) = is.archived(round.id()) else {
            return Err(Violation::new(Property::Books, "a round ended and is not kept"));
        };
        for terminal in before.terminals().iter().filter(|terminal| !terminal.stakes().is_empty()) {
            let kept = ended.entry(terminal.id()).is_some_and(|entry| entry.stakes() == terminal.stakes());
            must(kept, Property::Close, || "a round ended with other bets than those at the close".to_owned())?;
        }
        match ended.outcome() {
            Some(outcome) => {
                must(closed, Property::Close, || "a round was settled before the close".to_owned())?;
                node.truth.settles(before, command, outcome, self.rulebook)
            }
            None => returns_everything(before, after),
        }
    }

    /// What must hold in every state.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self, node: &Node) -> Result<(), Violation> {
        if let Some(wrong) = node.floor.check().into_iter().next() {
            return Err(Violation::new(Property::Books, wrong));
        }
        let agrees = node.second.agrees(&node.floor, &self.outcomes);
        agrees.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
        let (owed, held) = (node.second.owed(), held(&node.floor));
        must(owed == held, Property::Books, || {
            format!("the players are owed {owed} cents, and {held} cents are kept for them")
        })?;
        self.entitled(&node.floor)
    }

    /// Every past bet is entitled to what the prose says of the round's result, and has been paid at least that (D7).
    fn entitled(&self, floor: &Floor) -> Result<(), Violation> {
        let archive = floor.table(TABLE).into_iter().flat_map(Table::archive);
        for (archived, entry) in
            archive.flat_map(|archived| archived.entries().iter().map(move |entry| (archived, entry)))
        {
            let layout = usize::from(entry.layout());
            let mut returns = 0;
            for stake in entry.stakes() {
                let amount = stake.amount.get();
                returns += match (archived.outcome(), self.rulebook.layouts()[layout].table().spot(stake.spot)) {
                    (None, _) => amount,
                    (Some(outcome), Some(priced)) => {
                        let spot = priced.spot.to_string();
                        let returned = simulator::returned(self.spec.game, entry.layout(), &spot, outcome, amount);
                        returned.map_err(|words| Violation::new(Property::Corrections, words))?
                    }
                    (Some(_), None) => 0,
                };
            }
            let (entitled, paid) = (entry.entitled().get(), entry.paid().get());
            must(entitled == returns && paid >= entitled, Property::Corrections, || {
                format!("bets that return {returns} are entitled to {entitled} and were paid {paid}")
            })?;
        }
        Ok(())
    }
}

/// The number of a sender's next command. Every second command overtakes the one before it, as on a slow line (S17).
pub(crate) fn next_number(floor: &Floor, sender: Sender) -> u64 {
    let last = floor.last_number(sender).unwrap_or(0);
    if last > 1 && !floor.has_answered(sender, last - 1) { last - 1 } else { last + 2 }
}

/// What acts of the office must not bring about. A clock that is accepted expires no ticket (S14), and who reset a password
/// does not sign with its owner (D27).
fn of_the_office(before: &Floor, command: &Command, after: &Floor) -> Result<(), Violation> {
    match &command.body {
        Body::AcceptClock { .. } => {
            let ahead = before.clock_ahead().unwrap_or(0);
            let left = |ticket: &Ticket, by: i64| ticket.expires().0 - by > command.at.0;
            let good = |ticket: &&Ticket| ticket.state() == TicketState::Outstanding && left(ticket, 0);
            let kept = |was: &Ticket| after.tickets().any(|is| is.id() == was.id() && left(is, ahead));
            must(before.tickets().filter(good).all(kept), Property::Clock, || {
                "a ticket expires because a clock was accepted".to_owned()
            })
        }
        Body::ChangeCredential { staff, what: CredentialChange::PasswordReset, by, second } => {
            let (terminal, amount) = (TerminalId(0), rulebook::Cents::new(LARGE));
            let signs = |second: &StaffId| {
                let credit = Body::AttendantIn { terminal, amount, witness: Some(*second) };
                after.may(Sender::Staff(*staff), &credit, command.at).is_ok()
            };
            must(![by, second].into_iter().flatten().any(signs), Property::Insider, || {
                "a person signs for the owner of a password that they have reset that day".to_owned()
            })
        }
        _ => Ok(()),
    }
}

/// Every bet of a void round is back where it came from.
fn returns_everything(before: &Floor, after: &Floor) -> Result<(), Violation> {
    for (was, is) in before.terminals().iter().zip(after.terminals()) {
        let expected = was.credit().get() + was.staked().get();
        must(is.credit().get() == expected, Property::Void, || {
            format!("a void round leaves terminal {} with {}, not {expected} cents", is.id(), is.credit())
        })?;
    }
    let chips = |floor: &Floor| {
        let of = |(account, balance): (Account, rulebook::Cents)| {
            (account == Account::Chips(TABLE)).then_some(balance.get())
        };
        floor.accounts().into_iter().find_map(of).unwrap_or(0)
    };
    let on_layout: i64 = before
        .table(TABLE)
        .and_then(Table::round)
        .map_or(0, |round| round.chips().iter().map(|chip| chip.amount.get()).sum());
    must(chips(after) == chips(before) + on_layout, Property::Void, || "a void round kept chips".to_owned())
}

/// What is kept for the players at terminals: credit, bets, tickets in doubt and outstanding, what is payable.
#[must_use]
pub fn held(floor: &Floor) -> i64 {
    let terminals = floor.terminals().iter().map(|terminal| terminal.credit().get() + terminal.staked().get());
    let good = |ticket: &&Ticket| matches!(ticket.state(), TicketState::Prepared | TicketState::Outstanding);
    let tickets = floor.tickets().filter(good).map(|ticket| ticket.amount().get());
    let payable = floor.payables().map(|due| due.amount().get());
    terminals.chain(tickets).chain(payable).sum()
}

impl Node {
    fn use_up(&mut self, budget: Option<Budget>, spec: &Spec) {
        if let Some(budget) = budget.filter(|budget| spec.budgets[*budget as usize] != UNLIMITED) {
            self.used[budget as usize] += 1;
        }
    }

    /// The hash of the normal form: two states with the same one are the same.
    #[must_use]
    pub fn hash(&self, bytes: &mut Vec<u8>) -> u64 {
        bytes.clear();
        self.floor.normal_form(self.at, bytes);
        bytes.extend_from_slice(&self.used);
        xxhash_rust::xxh3::xxh3_64(bytes)
    }
}
