//! Commands as lines for `croupier pipe`, and the regressions that are kept in that form.
//!
//! The tag of a line is the moment at which it was sent, in milliseconds: the pipe has a clock of its own and hands the tag
//! back, a replay takes the time from it.

use floor::{Body, Command, Decision, Floor, Moment, Sender};
use serde::{Deserialize, Serialize};
use simulator::SecondOpinion;

use crate::rescue::rescue_with_any_dead;

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
        let line = Line { tag: at.0, sender: *sender, number: *number, body: body.clone() };
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

/// Sends commands to a new floor. What is refused is passed over: a fault that was put right refuses what broke a property.
///
/// # Errors
/// In words, what does not hold after which command.
pub fn replay(commands: &[Command]) -> Result<Floor, String> {
    let (mut floor, mut second) = (Floor::new(), SecondOpinion::default());
    for (place, command) in commands.iter().enumerate() {
        let said = |words: String| format!("command {}: {words}", place + 1);
        let Ok(Decision::Events(records)) = floor.decide(command) else { continue };
        for record in &records {
            floor.apply(record).map_err(|misfit| said(misfit.to_string()))?;
        }
        second.take(&records).map_err(said)?;
        if let Some(wrong) = floor.check().into_iter().next() {
            return Err(said(wrong));
        }
        second.agrees(&floor, &[]).map_err(said)?;
        if !matches!(floor.decide(command), Ok(Decision::Earlier(_))) {
            return Err(said("sent again it is not known any more".to_owned()));
        }
        if floor.staff().len() > 6 {
            let lost = |(dead, lost): (crate::Parts, crate::Lost)| said(format!("{lost:?} with {} dead", dead.names()));
            rescue_with_any_dead(&floor, command.at).map_err(lost)?;
        }
    }
    Ok(floor)
}
