//! A state of an exploration, and the step from one to the next with everything that is checked on it.

use floor::*;
use rulebook::{OutcomeIndex, Rulebook, SpotIndex};
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
    /// Rounds that have left the list of recent ones, as the host keeps them (D24).
    pub past: Vec<Vec<u8>>,
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
    /// The outcomes of the alphabet.
    pub outcomes: [OutcomeIndex; 2],
    /// Every outcome of the document.
    pub all_outcomes: Vec<OutcomeIndex>,
    /// The commands that set it up.
    pub set_up: Vec<Command>,
    /// Where it begins.
    pub root: Node,
    /// Whether the naive model is asked. Without it the other properties stand alone, which shows what each is worth.
    pub second_opinion: bool,
}

impl World {
    /// Sets up a floor to be explored.
    ///
    /// # Errors
    /// In words, if it cannot be set up.
    pub fn of(spec: Spec) -> Result<World, String> {
        let House { floor, second, commands, rulebook, past } = House::of(&spec)?;
        let root = Node { floor, at: MORNING, used: [0; BUDGETS], second, truth: Truth::default(), past };
        let (outcomes, all_outcomes) = (outcomes(rulebook), rulebook.outcomes().indices().collect());
        Ok(World { rulebook, outcomes, all_outcomes, set_up: commands, root, spec, second_opinion: true })
    }

    /// The outcomes for which the exposure of a state is compared with the naive sum: all of them where the bets have changed,
    /// and otherwise those of the alphabet. A live table keeps no exposure.
    pub(crate) fn compared(&self, before: &Floor, after: &Floor) -> &[OutcomeIndex] {
        let same = before.terminals().iter().zip(after.terminals()).all(|(was, is)| was.stakes() == is.stakes());
        let round = |floor: &Floor| floor.table(TABLE).and_then(Table::round).map(Round::id);
        if same && round(before) == round(after) { &self.outcomes } else { &self.all_outcomes }
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
        let Some(body) = one.body(node) else { return Ok(Step::Refused) };
        if node.floor.may(one.sender, &body, node.at).is_err() {
            return Ok(Step::Refused);
        }
        if self.spent(node, one.budget) || self.begins_too_many(node, one) {
            return Ok(Step::Spent);
        }
        let command = node.numbered(one, body.into_owned());
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
        let mut child = self.take(node, &command, &records)?;
        child.use_up(one.budget, &self.spec);
        Ok(Step::Child(child, Some(command)))
    }

    /// The state after a command that was decided, with everything checked that must hold on every step.
    ///
    /// # Errors
    /// What does not hold.
    pub(crate) fn take(&self, node: &Node, command: &Command, records: &[Record]) -> Result<Box<Node>, Violation> {
        let mut child = Box::new(node.clone());
        child.at = command.at;
        for record in records {
            let applied = child.floor.apply(record);
            applied.map_err(|misfit| Violation::new(Property::Offers, format!("accepted, and {misfit}")))?;
        }
        if self.second_opinion {
            let taken = child.second.take(records);
            taken.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
            let counted = child.second.remembers_totals(&child.floor);
            counted.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
        }
        child.truth.take(&node.floor, command, &child.floor, self.rulebook);
        child.keep_recalled();
        self.on_step(node, command, &child)?;
        of_the_office(&node.floor, command, &child.floor)?;
        Ok(child)
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
            must(!closed || same, Property::Close, || "a bet changed after the close".to_owned())?;
            return chips_after_the_close(&node.truth, round, is.round(), command);
        }
        let Some(ended) = is.archived(round.id()) else {
            return Err(Violation::new(Property::Books, "a round ended and is not kept"));
        };
        for terminal in before.terminals().iter().filter(|terminal| !terminal.stakes().is_empty()) {
            let kept = ended.entry(terminal.id()).is_some_and(|entry| entry.stakes() == terminal.stakes());
            must(kept, Property::Close, || "a round ended with other bets than those at the close".to_owned())?;
        }
        self.chips_agree(before, after, ended)?;
        match ended.outcome() {
            Some(outcome) => {
                must(closed, Property::Close, || "a round was settled before the close".to_owned())?;
                node.truth.settles(before, command, outcome, self.rulebook)
            }
            None => returns_everything(before, after),
        }
    }

    /// What must hold in every state, with the exposure compared for these outcomes.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self, node: &Node, outcomes: &[OutcomeIndex]) -> Result<(), Violation> {
        if let Some(wrong) = node.floor.check().into_iter().next() {
            return Err(Violation::new(Property::Books, wrong));
        }
        if self.second_opinion {
            let agrees = node.second.agrees(&node.floor, outcomes);
            agrees.map_err(|words| Violation::new(Property::SecondOpinion, words))?;
            let (owed, held) = (node.second.owed(), held(&node.floor));
            must(owed == held, Property::Books, || {
                format!("the players are owed {owed} cents, and {held} cents are kept for them")
            })?;
        }
        self.entitled(&node.floor)
    }

    /// What a stake returns on an outcome by the prose, in cents.
    pub(crate) fn returned(
        &self,
        layout: u8,
        spot: SpotIndex,
        amount: i64,
        outcome: OutcomeIndex,
    ) -> Result<i64, String> {
        let layouts = self.rulebook.layouts();
        let spot = layouts.get(usize::from(layout)).and_then(|layout| layout.table().spot(spot));
        let spot = spot.ok_or("there is no such spot")?.spot.to_string();
        simulator::returned(self.spec.game, layout, &spot, outcome, amount)
    }

    /// The chips of a live round are settled as they stood, and players have what they return besides.
    pub(crate) fn chips_agree(&self, before: &Floor, after: &Floor, ended: &ArchivedRound) -> Result<(), Violation> {
        let Some(round) = before.table(TABLE).and_then(Table::round) else { return Ok(()) };
        let Some(outcome) = ended.outcome() else { return Ok(()) };
        let mut stood = std::collections::BTreeMap::new();
        for chip in round.chips() {
            *stood.entry((chip.position, chip.spot)).or_insert(0) += chip.amount.get();
        }
        for share in ended.shares() {
            let bet = stood.remove(&(share.position, share.spot)).unwrap_or(0);
            must(bet == share.bet.get(), Property::Close, || {
                format!("chips of {bet} cents stood at the close, {} were settled", share.bet)
            })?;
            self.share(share, outcome)?;
        }
        must(stood.is_empty(), Property::Close, || "chips that stood at the close were not settled".to_owned())?;
        let returned: i64 = ended.shares().iter().map(|share| share.returned.get()).sum();
        must(chips(after) == chips(before) + returned, Property::Corrections, || {
            format!("chips of {returned} cents are returned, and players have another sum")
        })
    }

    /// What one player's chips on a spot get: what is not at risk goes back, the rest returns what the prose says (D8).
    fn share(&self, share: &ChipShare, outcome: OutcomeIndex) -> Result<(), Violation> {
        let (bet, at_risk) = (share.bet.get(), share.at_risk.get());
        let returned = self.returned(0, share.spot, at_risk, outcome);
        let returned = returned.map_err(|words| Violation::new(Property::Corrections, words))?;
        must(
            (0..=bet).contains(&at_risk) && share.returned.get() == bet - at_risk + returned,
            Property::Corrections,
            || {
                format!(
                    "chips of {bet} cents with {at_risk} at risk got {}, not {}",
                    share.returned,
                    bet - at_risk + returned
                )
            },
        )
    }

    /// Every past bet is entitled to what the prose says of the round's result, and has been paid at least that (D7).
    fn entitled(&self, floor: &Floor) -> Result<(), Violation> {
        for (archived, entry) in
            past_rounds(floor).flat_map(|archived| archived.entries().iter().map(move |entry| (archived, entry)))
        {
            let mut returns = 0;
            for stake in entry.stakes() {
                let amount = stake.amount.get();
                returns += match archived.outcome() {
                    None => amount,
                    Some(outcome) => {
                        let returned = self.returned(entry.layout(), stake.spot, amount, outcome);
                        returned.map_err(|words| Violation::new(Property::Corrections, words))?
                    }
                };
            }
            let (entitled, paid) = (entry.entitled().get(), entry.paid().get());
            must(entitled == returns && paid >= entitled, Property::Corrections, || {
                format!("bets that return {returns} are entitled to {entitled} and were paid {paid}")
            })?;
        }
        for (archived, outcome) in past_rounds(floor).filter_map(|archived| Some((archived, archived.outcome()?))) {
            archived.shares().iter().try_for_each(|share| self.share(share, outcome))?;
        }
        Ok(())
    }
}

/// After the close, chips are recorded as late, or removed as a wrong record with a second person; once the dice can be seen
/// neither (D20).
fn chips_after_the_close(truth: &Truth, was: &Round, is: Option<&Round>, command: &Command) -> Result<(), Violation> {
    let Some(is) = is.filter(|_| was.phase() >= Phase::Closed) else { return Ok(()) };
    if was.chips() == is.chips() {
        return Ok(());
    }
    let seen = was.phase() > Phase::Closed || truth.shown();
    must(!seen, Property::Close, || "chips were recorded or removed after the dice could be seen".to_owned())?;
    let signed = matches!(command.body, Body::RemoveChips { witness: Some(_), .. });
    let in_time =
        |round: &Round| round.chips().iter().filter(|chip| !chip.late).map(|chip| chip.amount.get()).sum::<i64>();
    must(signed || in_time(was) == in_time(is), Property::Close, || {
        "chips recorded after the close are not marked as late".to_owned()
    })
}

/// The chips that players of the live table have beside those on the layout, in cents.
fn chips(floor: &Floor) -> i64 {
    let of =
        |(account, balance): (Account, rulebook::Cents)| (account == Account::Chips(TABLE)).then_some(balance.get());
    floor.accounts().into_iter().find_map(of).unwrap_or(0)
}

/// The rounds of the table that have ended: recent ones, and those that were recalled.
fn past_rounds(floor: &Floor) -> impl Iterator<Item = &ArchivedRound> {
    floor.table(TABLE).into_iter().flat_map(|table| table.archive().chain(table.recalled().map(|(_, round)| round)))
}

/// The number of a sender's next command. Every second command overtakes the one before it, as on a slow line (S17).
fn next_number(floor: &Floor, sender: Sender) -> u64 {
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
    /// The command of a move in this state.
    pub(crate) fn command(&self, one: &Move) -> Option<Command> {
        Some(self.numbered(one, one.body(self)?.into_owned()))
    }

    fn numbered(&self, one: &Move, body: Body) -> Command {
        Command { sender: one.sender, number: next_number(&self.floor, one.sender), at: self.at, body }
    }

    /// The host keeps the latest version of a round that was recalled (D24).
    fn keep_recalled(&mut self) {
        for (leaf, round) in self.floor.table(TABLE).into_iter().flat_map(Table::recalled) {
            if let Some(past) = usize::try_from(leaf).ok().and_then(|leaf| self.past.get_mut(leaf)) {
                *past = round.to_bytes();
            }
        }
    }

    fn use_up(&mut self, budget: Option<Budget>, spec: &Spec) {
        if let Some(budget) = budget.filter(|budget| spec.budgets[*budget as usize] != UNLIMITED) {
            self.used[budget as usize] += 1;
        }
    }

    /// The hash of the normal form: two states with the same one are the same.
    #[must_use]
    pub fn hash(&self, bytes: &mut Vec<u8>) -> u64 {
        self.hash_with(bytes, |_| {})
    }

    /// The same with something besides that tells states apart.
    pub(crate) fn hash_with(&self, bytes: &mut Vec<u8>, besides: impl FnOnce(&mut Vec<u8>)) -> u64 {
        bytes.clear();
        self.floor.normal_form(self.at, bytes);
        bytes.extend_from_slice(&self.used);
        self.truth.normal_form(bytes);
        self.past.iter().for_each(|past| bytes.extend_from_slice(past));
        besides(bytes);
        xxhash_rust::xxh3::xxh3_64(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::alphabet;

    #[test]
    fn the_exposure_is_compared_on_every_outcome_where_bets_have_changed() {
        for (game, outcomes) in [("rws-sicbo", 216), ("rws-roulette-000", 39)] {
            let world = World::of(crate::floor_named(game, "by-hand").expect("a floor")).expect("set up");
            let moves = alphabet(&world.spec, world.rulebook);
            let (mut node, mut compared) = (world.root.clone(), Vec::new());
            for kind in ["OpenBets", "Bet ", "CloseBets"] {
                let step = |one: &Move| match world.step(&node, one) {
                    Ok(Step::Child(child, Some(command))) if format!("{:?}", command.body).starts_with(kind) => {
                        Some(child)
                    }
                    _ => None,
                };
                let child = moves.iter().find_map(step).expect("accepted");
                compared.push(world.compared(&node.floor, &child.floor).len());
                node = *child;
            }
            assert_eq!(compared, [outcomes, outcomes, 2], "{game}");
        }
    }
}
