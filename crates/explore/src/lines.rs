//! Commands as lines for `croupier pipe`, and the regressions that are kept in that form.
//!
//! The tag of a line is the moment at which it was sent, in milliseconds. `croupier pipe --times-from-tags` takes the time
//! from it, and so does a replay. Only a demonstration is driven in that way, so the floor of the lines is one.

use floor::{Body, Command, Decision, Floor, Moment, Sender};
use serde::{Deserialize, Serialize};

use crate::node::World;
use crate::property::Violation;
use crate::spec::{GAMES, floors};
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
        let Command { body, .. } = demonstration(&Command { sender: *sender, number: *number, at: *at, body: body.clone() });
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

/// The explored floor that these commands set up, and how many of them do so.
#[must_use]
pub fn floor_of(commands: &[Command]) -> Option<(World, usize)> {
    let all = GAMES.into_iter().flat_map(floors).filter_map(|spec| World::of(spec).ok());
    let mut worlds: Vec<World> = all.filter(|world| begins_with(commands, &world.set_up)).collect();
    // Floors with the same furniture differ in what is sent there only.
    worlds.sort_by_key(|world| std::cmp::Reverse(world.set_up.len()));
    let world = worlds.into_iter().next()?;
    let count = world.set_up.len();
    Some((world, count))
}

fn begins_with(commands: &[Command], set_up: &[Command]) -> bool {
    let same = |(one, other): (&Command, &Command)| demonstration(one) == demonstration(other);
    commands.len() >= set_up.len() && commands.iter().zip(set_up).all(same)
}

/// A floor that is driven over a pipe by the times of its lines is a demonstration, and else the one that was explored.
fn demonstration(command: &Command) -> Command {
    let mut command = command.clone();
    if let Body::CreateFloor(settings) = &mut command.body {
        settings.demonstration = true;
    }
    command
}

/// Sends commands to the explored floor that they set up, and checks everything that is checked there in every state. What is
/// refused is passed over: a fault that was put right refuses what broke a property.
///
/// # Errors
/// In words, what does not hold after which command.
pub fn replay(commands: &[Command]) -> Result<Floor, String> {
    let (world, set_up) = floor_of(commands).ok_or("these commands set up no explored floor")?;
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
