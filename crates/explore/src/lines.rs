//! Commands as lines for `croupier pipe`, and the regressions that are kept in that form.
//!
//! The tag of a line is the moment at which it was sent, in milliseconds. `croupier pipe --times-from-tags` takes the time
//! from it, and so does a replay. Only a demonstration is driven in that way, so the floor of the lines is one.

use std::mem::discriminant;

use floor::{Body, Command, Decision, Floor, Moment, Sender};
use serde::{Deserialize, Serialize};

use crate::node::World;
use crate::property::Violation;
use crate::spec::{GAMES, Spec, floors};
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

/// The floor that a file of commands is about: its name begins with the document and the floor. Its first commands set that
/// floor up.
fn world_of(name: &str, commands: &[Command]) -> Result<World, String> {
    let begins = |spec: &Spec| name.starts_with(&format!("{}-{}-", spec.game, spec.name));
    let spec =
        GAMES.into_iter().flat_map(floors).find(begins).ok_or_else(|| format!("{name}: there is no such floor"))?;
    let world = World::of(spec)?;
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
