//! One thread of a search: goes to a state by its links, and from there to every next one.

use floor::{Body, Code, Command, Decision, Floor, Moment, bounds};

use crate::node::{Node, Step, World};
use crate::phases::{Phases, phase_of};
use crate::property::{Property, Violation, must};
use crate::rescue::{Lost, Parts, rescue_with_any_dead};
use crate::screens::every_screen_offers;
use crate::search::{Link, Search};

/// A state on the path to the current one.
struct Place {
    state: u32,
    node: Node,
    command: Option<Command>,
}

/// One thread.
pub(crate) struct Walker<'a> {
    search: &'a Search,
    path: Vec<Place>,
    bytes: Vec<u8>,
    pub asked: u64,
    pub transitions: u64,
    pub broken: Vec<(u32, u16, Violation)>,
}

/// By how much a slow clock is behind, in milliseconds.
const SLOW: i64 = 60_000;

impl<'a> Walker<'a> {
    pub fn of(search: &'a Search) -> Walker<'a> {
        let root = Place { state: 0, node: search.world.root.clone(), command: None };
        Walker { search, path: vec![root], bytes: Vec::new(), asked: 0, transitions: 0, broken: Vec::new() }
    }

    /// Makes the moves that lead to a state, from the last one that is on the current path.
    fn go_to(&mut self, state: u32) {
        let mut missing = vec![state];
        let links = &self.search.links;
        let on_path = |state: u32| self.path.iter().rposition(|place| place.state == state);
        let mut at = state;
        let base = loop {
            if let Some(place) = on_path(at) {
                break place;
            }
            at = links[at as usize].parent;
            missing.push(at);
        };
        missing.pop();
        self.path.truncate(base + 1);
        for state in missing.into_iter().rev() {
            let one = &self.search.moves[usize::from(links[state as usize].by)];
            let Some(last) = self.path.last() else { return };
            if let Ok(Step::Child(child, command)) = self.search.world.step(&last.node, one) {
                self.path.push(Place { state, node: *child, command });
            }
        }
    }

    /// Makes every move from a state; states that are new are checked and added.
    pub fn expand(&mut self, state: u32, new: &mut Vec<Link>, phases: &mut Phases) {
        self.go_to(state);
        let Some(place) = self.path.pop().filter(|place| place.state == state) else { return };
        let from = phase_of(&place.node.floor);
        for (one, by) in self.search.moves.iter().zip(0_u16..) {
            self.asked += 1;
            let step = match self.search.world.step(&place.node, one) {
                Ok(step) => step,
                Err(violation) => {
                    self.broken.push((state, by, violation));
                    continue;
                }
            };
            let Step::Child(child, command) = step else { continue };
            self.transitions += 1;
            phases.count(from, phase_of(&child.floor));
            let hash = child.hash(&mut self.bytes);
            if !self.search.seen.insert(hash) {
                continue;
            }
            match self.check(&place, &child, command.as_ref()) {
                Ok(()) => new.push(Link { parent: state, by, hash }),
                Err(violation) => self.broken.push((state, by, violation)),
            }
        }
        self.path.push(place);
    }

    /// What must hold in a new state.
    fn check(&self, before: &Place, node: &Node, command: Option<&Command>) -> Result<(), Violation> {
        let sent = self.path.iter().filter_map(|place| place.command.as_ref()).chain(&before.command).chain(command);
        check_state(&self.search.world, &before.node, node, sent, command)
    }
}

/// What must hold in a state that was reached by a command, after all those that were sent before.
///
/// # Errors
/// What does not hold.
pub(crate) fn check_state<'a>(
    world: &World,
    before: &Node,
    node: &Node,
    sent: impl Iterator<Item = &'a Command>,
    command: Option<&Command>,
) -> Result<(), Violation> {
    world.check(node, world.compared(&before.floor, &node.floor))?;
    for sent in sent {
        if !matches!(node.floor.decide(sent), Ok(Decision::Earlier(_))) && !is_stale(&node.floor, sent) {
            let words = format!("sent again it is not known any more: {:?}", sent.body);
            return Err(Violation::new(Property::Retries, words));
        }
    }
    if let Some(command) = command {
        of_numbers_and_times(&before.floor, &node.floor, command)?;
    }
    rescue_with_any_dead(world, node).map_err(|(dead, lost)| match lost {
        Lost::Stuck(words) => Violation::new(Property::NoStuckRound, format!("{words}{}", without(dead))),
        Lost::Stranded(words) => Violation::new(Property::NoStrandedCent, format!("{words}{}", without(dead))),
    })?;
    every_screen_offers(world, node)
}

/// The answers that a sender has had since fill all that are kept: what is sent again is refused, and changes nothing.
fn is_stale(floor: &Floor, sent: &Command) -> bool {
    let since = floor.last_number(sent.sender).unwrap_or(0).saturating_sub(sent.number);
    since >= bounds::ANSWERS as u64 && floor.decide(sent).is_err_and(|refusal| refusal.code == Code::Stale)
}

/// Another command under a number that was used is refused, and a sender whose clock is slow does not turn time back.
fn of_numbers_and_times(before: &Floor, after: &Floor, command: &Command) -> Result<(), Violation> {
    let other = if matches!(command.body, Body::ClearBets) { Body::Elapse } else { Body::ClearBets };
    let reused = after.decide(&Command { body: other, ..command.clone() });
    must(reused.is_err_and(|refusal| refusal.code == Code::NumberReused), Property::Retries, || {
        format!("number {} is taken for another command", command.number)
    })?;
    let slow = Command { at: Moment(before.now().0 - SLOW), ..command.clone() };
    let Ok(Decision::Events(records)) = before.decide(&slow) else { return Ok(()) };
    must(records.iter().all(|record| record.at >= before.now()), Property::Clock, || {
        "a command of a slow clock is recorded before what happened already".to_owned()
    })
}

fn without(dead: Parts) -> String {
    if dead == Parts::default() { String::new() } else { format!(", with {} dead", dead.names()) }
}
