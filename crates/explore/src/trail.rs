//! The moves that lead to a state of an insider search, and the shortest ones that break a property there.

use std::sync::Arc;

use floor::Command;

use crate::hunt::Ways;
use crate::insider::{Scheme, Taken};
use crate::node::{Node, Step};
use crate::property::{Property, Violation};
use crate::search::Broken;

/// The moves that led to a state. Two states share what they have in common; what is no longer gone on from is freed.
#[derive(Clone, Default)]
pub(crate) struct Trail(Option<Arc<Turn>>);

struct Turn {
    before: Trail,
    by: u16,
    length: usize,
}

impl Trail {
    pub fn then(&self, by: u16) -> Trail {
        Trail(Some(Arc::new(Turn { before: self.clone(), by, length: self.len() + 1 })))
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |turn| turn.length)
    }

    /// The moves in order, by their place among those of the scheme.
    pub fn moves(&self) -> Vec<u16> {
        let mut moves = Vec::with_capacity(self.len());
        let mut at = &self.0;
        while let Some(turn) = at {
            moves.push(turn.by);
            at = &turn.before.0;
        }
        moves.reverse();
        moves
    }
}

impl Drop for Trail {
    /// One by one: a long trail would take as many calls within each other.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut turn) = next.and_then(Arc::into_inner) {
            next = turn.before.0.take();
        }
    }
}

/// What a search for insiders found that must not be.
#[derive(Clone, Debug)]
pub struct Caught {
    /// What does not hold, with the commands that show it.
    pub broken: Broken,
    /// Whether fewer commands are known not to show it: all shorter sequences were tried.
    pub shortest: bool,
}

/// Ways that are gone on from in the search for a shorter one.
const BREADTH: usize = 30_000;

/// Moves that break a property, and the commands that were sent.
struct Walk {
    moves: Vec<u16>,
    commands: Vec<Command>,
    violation: Violation,
}

impl Scheme<'_> {
    /// What insiders have broken after a move, if it is the property that is looked for.
    fn breaks(&self, property: Property, taken: &Taken, child: &Node) -> Option<Violation> {
        self.beyond(taken, child).filter(|found| found.property == property)
    }

    /// Makes moves in order until the property is broken; what is not accepted is left out.
    fn walk(&self, moves: &[u16], property: Property) -> Option<Walk> {
        let (mut node, mut taken) = (self.world.root.clone(), Taken::default());
        let (mut made, mut commands) = (Vec::new(), Vec::new());
        for by in moves {
            let one = &self.moves[usize::from(*by)];
            if !self.is_physical(&node, one) {
                continue;
            }
            let (child, command) = match self.world.step(&node, one) {
                Ok(Step::Child(child, command)) => (child, command),
                Ok(_) => continue,
                Err(violation) if violation.property == property => {
                    made.push(*by);
                    commands.extend(node.command(one));
                    return Some(Walk { moves: made, commands, violation });
                }
                Err(_) => return None,
            };
            if let Some(command) = &command {
                self.measure(&mut taken, &node, command, &child);
            }
            made.push(*by);
            commands.extend(command);
            node = *child;
            if let Some(violation) = self.breaks(property, &taken, &node) {
                return Some(Walk { moves: made, commands, violation });
            }
        }
        None
    }

    /// The shortest commands that break a property, from moves that do. First moves are left out one by one; then everything
    /// that is shorter is tried breadth first, as far as [`BREADTH`] goes.
    pub(crate) fn shortest(&self, moves: &[u16], violation: Violation) -> Caught {
        let property = violation.property;
        let mut best = self.walk(moves, property);
        let mut place = best.as_ref().map_or(0, |walk| walk.moves.len());
        while let (Some(walk), true) = (&best, place > 0) {
            place -= 1;
            let mut fewer = walk.moves.clone();
            fewer.remove(place);
            if let Some(shorter) = self.walk(&fewer, property) {
                place = shorter.moves.len().min(place + 1);
                best = Some(shorter);
            }
        }
        let Some(best) = best else {
            let broken = Broken { violation, depth: moves.len(), commands: Vec::new() };
            return Caught { broken, shortest: false };
        };
        let (shorter, shortest) = self.breadth_first(best.moves.len(), property);
        let best = shorter.unwrap_or(best);
        let broken = Broken { violation: best.violation, depth: best.moves.len(), commands: best.commands };
        Caught { broken, shortest }
    }

    /// Moves that break the property and are fewer than so many, and whether everything shorter was tried.
    fn breadth_first(&self, than: usize, property: Property) -> (Option<Walk>, bool) {
        let (mut known, mut bytes, mut tried) = (Ways::default(), Vec::new(), 0);
        let mut level = vec![Trail::default()];
        for _ in 1..than {
            let mut next = Vec::new();
            for trail in &level {
                tried += 1;
                if tried > BREADTH {
                    return (None, false);
                }
                let Some((node, taken)) = self.stand(&trail.moves()) else { continue };
                for (one, by) in self.moves.iter().zip(0_u16..).filter(|(one, _)| self.is_physical(&node, one)) {
                    let reached = match self.world.step(&node, one) {
                        Ok(Step::Child(child, command)) => {
                            let mut then = taken.clone();
                            if let Some(command) = &command {
                                self.measure(&mut then, &node, command, &child);
                            }
                            let broken = self.breaks(property, &then, &child).is_some();
                            if !broken && known.adds(self.state(&child, &then, &mut bytes), &self.way(&then)) {
                                next.push(trail.then(by));
                            }
                            broken
                        }
                        Ok(_) => false,
                        Err(violation) => violation.property == property,
                    };
                    if reached {
                        return (self.walk(&trail.then(by).moves(), property), true);
                    }
                }
            }
            level = next;
        }
        (None, true)
    }

    /// The state to which moves lead, and what was taken on the way.
    fn stand(&self, moves: &[u16]) -> Option<(Node, Taken)> {
        let (mut node, mut taken) = (self.world.root.clone(), Taken::default());
        for by in moves {
            let Ok(Step::Child(child, command)) = self.world.step(&node, &self.moves[usize::from(*by)]) else {
                return None;
            };
            if let Some(command) = &command {
                self.measure(&mut taken, &node, command, &child);
            }
            node = *child;
        }
        Some((node, taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::{Hunted, Reach, hunt};
    use crate::lines::{from_lines, replay, replay_of_insiders, to_lines};
    use crate::spec::{DEALER, SUPERVISOR};
    use crate::suspects::Wrong;
    use crate::{Insiders, Mechanism, THRESHOLD, report};

    const GAME: &str = "rws-sicbo";

    fn search(scheme: &Scheme<'_>) -> Hunted {
        hunt(scheme, Reach { states: 1_000, memory: usize::MAX, threads: 2, stop: &|| false })
    }

    fn wrong(caught: &Caught, people: (usize, usize)) -> Wrong {
        Wrong { game: GAME, mechanism: Mechanism::InService, people, caught: caught.clone() }
    }

    #[test]
    fn what_one_person_moves_beyond_the_threshold_is_shown_by_the_shortest_commands() {
        let world = Mechanism::InService.world(GAME).expect("set up");
        let people = [SUPERVISOR];
        let mut scheme = Scheme::of(&world, Mechanism::InService, &people);
        // The floor lets a person move so much alone: a lower threshold is broken by it.
        scheme.threshold = THRESHOLD - 1;
        let found = search(&scheme);
        let [caught] = &found.caught[..] else { panic!("{:?}", found.caught) };
        assert_eq!(caught.broken.violation.property, Property::Insider);
        assert!(caught.shortest && caught.broken.commands.len() == 1, "{caught:?}");

        let wrong = wrong(caught, (1, 1));
        assert_eq!(wrong.file(), "rws-sicbo-insider-device-pit-supervisor-insider.jsonl");
        let kept = to_lines(world.set_up.iter().chain(&caught.broken.commands)).expect("written");
        let commands = from_lines(&kept).expect("read");
        let Err(words) = replay_of_insiders(&scheme, &commands) else { panic!("it is not broken again") };
        assert!(words.contains("insider: the house loses"), "{words}");
        // By the threshold of the floor it holds.
        replay(&wrong.file(), &commands).expect("holds");

        let table = Insiders {
            game: GAME,
            mechanism: Mechanism::InService,
            bounds: vec![(1, 1, found.bound)],
            wrong: vec![wrong],
        };
        assert_eq!(table.beyond(), ["pit supervisor"]);
        let report = report(&[], &[table]);
        assert!(report.contains("**1 violations.**") && report.contains("**violated**: rws-sicbo"), "{report}");
    }

    #[test]
    fn another_property_broken_by_insiders_is_shown_too() {
        let mut world = Mechanism::InService.world(GAME).expect("set up");
        // A naive model that knows nothing of the floor contradicts what is sent first.
        world.root.second = simulator::SecondOpinion::default();
        let people = [DEALER];
        let found = search(&Scheme::of(&world, Mechanism::InService, &people));
        assert!(!found.bound.fixpoint);
        let broken: Vec<&Broken> = found.caught.iter().map(|caught| &caught.broken).collect();
        let [broken] = &broken[..] else { panic!("{broken:?}") };
        assert_eq!((broken.violation.property, broken.commands.len()), (Property::SecondOpinion, 1));
    }

    #[test]
    fn a_long_trail_is_freed_without_a_deep_stack() {
        let trail = (0..1_000_000).fold(Trail::default(), |trail, _| trail.then(1));
        assert_eq!(trail.len(), 1_000_000);
        drop(trail);
    }
}
