//! Commands as lines for `croupier pipe`, and the regressions that are kept in that form.
//!
//! The tag of a line is the moment at which it was sent, in milliseconds. `croupier pipe --times-from-tags` takes the time
//! from it, and so does a replay. Only a demonstration is driven in that way, so the floor of the lines is one.

use std::mem::discriminant;

use floor::{Body, Command, Decision, Floor, Moment, Sender, StaffId};
use serde::{Deserialize, Serialize};

use crate::insider::{Mechanism, POSTS, Scheme, Taken, insider_floors};
use crate::moves::{Form, Move};
use crate::node::World;
use crate::property::Violation;
use crate::spec::{GAMES, Spec, floors};
use crate::suspects::{groups, people_of};
use crate::walker::check_state;

/// A line of the pipe.
#[derive(Serialize, Deserialize)]
struct Line {
    tag: i64,
    sender: Sender,
    number: u64,
    body: Body,
}

/// Commands as lines.
///
/// # Errors
/// In words, if a command cannot be written.
pub fn to_lines<'a>(commands: impl IntoIterator<Item = &'a Command>) -> Result<String, String> {
    let mut lines = String::new();
    for Command { sender, number, at, body } in commands {
        let Command { body, .. } =
            demonstration(&Command { sender: *sender, number: *number, at: *at, body: body.clone() });
        let line = Line { tag: at.0, sender: *sender, number: *number, body };
        lines.push_str(&serde_json::to_string(&line).map_err(|error| error.to_string())?);
        lines.push('\n');
    }
    Ok(lines)
}

/// Lines as commands.
///
/// # Errors
/// In words, which line is none.
pub fn from_lines(text: &str) -> Result<Vec<Command>, String> {
    let command = |(place, line): (usize, &str)| {
        let line: Line = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", place + 1))?;
        Ok(Command { sender: line.sender, number: line.number, at: Moment(line.tag), body: line.body })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(command).collect()
}

/// What follows the document and the floor in the name of a file.
fn after_floor<'a>(name: &'a str, spec: &Spec) -> Option<&'a str> {
    name.strip_prefix(&format!("{}-{}-", spec.game, spec.name))
}

/// Who was dishonest when the commands of a file were found, if any one was, and what the table had to read the dice.
fn insiders_of(name: &str) -> Option<(Mechanism, Spec, Vec<StaffId>)> {
    let (mechanism, spec) =
        GAMES.into_iter().flat_map(insider_floors).find(|(_, spec)| after_floor(name, spec).is_some())?;
    let rest = after_floor(name, &spec)?;
    let named = groups().filter(|people| rest.starts_with(&format!("{}-", people_of(*people))));
    // A pair begins with the name of its first person.
    let (one, other) = named.max_by_key(|people| people_of(*people).len())?;
    let people = if one == other { vec![POSTS[one].1] } else { vec![POSTS[one].1, POSTS[other].1] };
    Some((mechanism, spec, people))
}

/// The floor that a file of commands is about: its name begins with the document and the floor. Its first commands set that
/// floor up.
fn world_of(name: &str, commands: &[Command]) -> Result<World, String> {
    let explored = GAMES.into_iter().flat_map(floors).find(|spec| after_floor(name, spec).is_some());
    let spec = explored.or_else(|| insiders_of(name).map(|(_, spec, _)| spec));
    let world = World::of(spec.ok_or_else(|| format!("{name}: there is no such floor"))?)?;
    let kind = |command: &Command| (command.sender, command.number, discriminant(&command.body));
    let same = commands.len() >= world.set_up.len()
        && commands.iter().map(kind).zip(world.set_up.iter().map(kind)).all(|(one, other)| one == other);
    same.then_some(world).ok_or_else(|| format!("{name}: the first commands do not set that floor up"))
}

/// The commands of a file with the set-up of the floor as it is now.
///
/// # Errors
/// If they are about no floor.
pub fn refreshed(name: &str, commands: &[Command]) -> Result<Vec<Command>, String> {
    let world = world_of(name, commands)?;
    let rest = commands.iter().skip(world.set_up.len());
    Ok(world.set_up.iter().chain(rest).cloned().collect())
}

/// A floor that is driven over a pipe by the times of its lines is a demonstration, and else the one that was explored.
fn demonstration(command: &Command) -> Command {
    let mut command = command.clone();
    if let Body::CreateFloor(settings) = &mut command.body {
        settings.demonstration = true;
    }
    command
}

/// Sends the commands of a file to the explored floor that it names, and checks everything that is checked there in every state. What is
/// refused is passed over: a fault that was put right refuses what broke a property.
///
/// # Errors
/// In words, what does not hold after which command.
pub fn replay(name: &str, commands: &[Command]) -> Result<Floor, String> {
    let world = world_of(name, commands)?;
    if let Some((mechanism, _, people)) = insiders_of(name) {
        return replay_of_insiders(&Scheme::of(&world, mechanism, &people), commands);
    }
    let set_up = world.set_up.len();
    let mut node = world.root.clone();
    let mut sent: Vec<&Command> = Vec::new();
    for (place, command) in commands.iter().enumerate().skip(set_up) {
        let said = |violation: Violation| format!("command {}: {}: {}", place + 1, violation.property, violation.words);
        let Ok(Decision::Events(records)) = node.floor.decide(command) else { continue };
        let next = world.take(&node, command, &records).map_err(said)?;
        sent.push(command);
        check_state(&world, &node, &next, sent.iter().copied(), Some(command)).map_err(said)?;
        node = *next;
    }
    Ok(node.floor)
}

/// The same on a floor with dishonest people: what is checked in the search for what they can move. What honest people or an
/// honest device would not do after all is passed over, too.
pub(crate) fn replay_of_insiders(scheme: &Scheme<'_>, commands: &[Command]) -> Result<Floor, String> {
    let (mut node, mut taken) = (scheme.world.root.clone(), Taken::default());
    for (place, command) in commands.iter().enumerate().skip(scheme.world.set_up.len()) {
        let said = |violation: Violation| format!("command {}: {}: {}", place + 1, violation.property, violation.words);
        let one = Move { sender: command.sender, form: Form::Fixed(command.body.clone()), budget: None };
        let Ok(Decision::Events(records)) = node.floor.decide(command) else { continue };
        if !scheme.is_physical(&node, &one) {
            continue;
        }
        let next = scheme.world.take(&node, command, &records).map_err(said)?;
        scheme.measure(&mut taken, &node, command, &next);
        if let Some(violation) = scheme.beyond(&taken, &next) {
            return Err(said(violation));
        }
        node = *next;
    }
    Ok(node.floor)
}
