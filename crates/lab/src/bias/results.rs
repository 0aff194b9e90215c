//! Recorded results, read from CSV.

use std::io::{BufRead, BufReader, Read};

use rulebook::{Outcome, OutcomeIndex, OutcomeSpace};
use serde::Serialize;

use super::Order;

/// Which way the wheel turned.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// With the clock.
    Clockwise,
    /// Against it.
    Anticlockwise,
}

impl Direction {
    fn parse(text: &str) -> Option<Direction> {
        match text.to_ascii_lowercase().as_str() {
            "cw" | "clockwise" | "right" => Some(Direction::Clockwise),
            "ccw" | "acw" | "anticlockwise" | "counterclockwise" | "left" => Some(Direction::Anticlockwise),
            _ => None,
        }
    }
}

/// Results in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The outcomes.
    pub outcomes: Vec<OutcomeIndex>,
    /// Which way the wheel turned, where that is recorded; as long as the outcomes.
    pub directions: Vec<Option<Direction>>,
    /// How many outcomes the game has.
    pub(crate) size: usize,
    /// The pockets clockwise, for words.
    order: Vec<String>,
}

/// Why results cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// The line of the file.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// The columns of a file.
struct Columns {
    outcome: usize,
    time: Option<usize>,
    direction: Option<usize>,
}

impl Results {
    /// No results yet, of a game with these outcomes.
    #[must_use]
    pub fn new(space: &OutcomeSpace) -> Results {
        let order =
            space.wheel().map_or_else(Vec::new, |wheel| wheel.order().iter().map(ToString::to_string).collect());
        Results { size: space.size(), order, ..Results::default() }
    }

    /// Outcomes without anything beside them.
    #[must_use]
    pub fn of(space: &OutcomeSpace, outcomes: Vec<OutcomeIndex>) -> Results {
        Results { directions: vec![None; outcomes.len()], outcomes, ..Results::new(space) }
    }

    /// Adds a result.
    pub fn push(&mut self, outcome: OutcomeIndex, direction: Option<Direction>) {
        self.outcomes.push(outcome);
        self.directions.push(direction);
    }

    /// The pocket at a place, clockwise.
    pub(crate) fn pocket(&self, place: usize) -> &str {
        self.order.get(place).map_or("", String::as_str)
    }

    /// Reads a file: one outcome per line, then if need be a time and a direction. A first line that begins with
    /// `outcome`, `time` or `direction` names the columns. Empty lines and lines that begin with # do not count.
    ///
    /// # Errors
    /// With the line and what is wrong with it.
    pub fn read(space: &OutcomeSpace, source: impl Read) -> Result<Results, ReadError> {
        let mut columns = Columns { outcome: 0, time: Some(1), direction: Some(2) };
        let mut results = Results::new(space);
        let mut before: Option<(String, u64)> = None;
        let mut is_first = true;
        for (text, line) in BufReader::new(source).lines().zip(1..) {
            let wrong = |message: String| ReadError { line, message };
            let text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let record = record(text).ok_or_else(|| wrong("is not CSV".to_owned()))?;
            if std::mem::take(&mut is_first)
                && let Some(named) = named(&record).map_err(wrong)?
            {
                columns = named;
                continue;
            }
            let field = |column: Option<usize>| column.and_then(|column| record.get(column)).filter(|t| !t.is_empty());
            let text = field(Some(columns.outcome)).ok_or_else(|| wrong("has no outcome".to_owned()))?;
            let outcome = space.parse(text).map_err(|error| wrong(error.to_string()))?;
            let direction = match field(columns.direction) {
                None => None,
                Some(text) => Some(
                    Direction::parse(text)
                        .ok_or_else(|| wrong(format!("\"{text}\" is no direction: write cw or ccw")))?,
                ),
            };
            if let Some(time) = field(columns.time) {
                // Times of one form sort as text; results out of order would make every serial test meaningless.
                if let Some((earlier, earlier_line)) = &before
                    && earlier.len() == time.len()
                    && time < earlier.as_str()
                {
                    return Err(wrong(format!(
                        "{time} is before {earlier} of line {earlier_line}: results go by time"
                    )));
                }
                before = Some((time.to_owned(), line));
            }
            results.push(outcome, direction);
        }
        Ok(results)
    }

    /// Whether dice seem to be written in the order of the dice: not if every result is sorted.
    #[must_use]
    pub fn order(&self, space: &OutcomeSpace) -> Order {
        let sorted =
            |outcome: &OutcomeIndex| space.outcome(*outcome).is_none_or(|outcome: Outcome| outcome.sorted() == outcome);
        if self.outcomes.iter().all(sorted) { Order::Unknown } else { Order::Known }
    }
}

/// The fields of one line.
fn record(line: &str) -> Option<csv::StringRecord> {
    if !line.contains('"') {
        return Some(line.split(',').map(str::trim).collect::<Vec<_>>().into());
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(line.as_bytes());
    reader.records().next()?.ok()
}

/// The columns, if the first line names them.
fn named(record: &csv::StringRecord) -> Result<Option<Columns>, String> {
    let names: Vec<String> = record.iter().map(str::to_ascii_lowercase).collect();
    if !names.iter().any(|name| ["outcome", "result", "time", "direction"].contains(&name.as_str())) {
        return Ok(None);
    }
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let outcome = place(&["outcome", "result"]).ok_or("names columns, but none is called outcome")?;
    Ok(Some(Columns { outcome, time: place(&["time"]), direction: place(&["direction"]) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebook::library;

    fn read(game: &str, text: &str) -> Result<Results, ReadError> {
        Results::read(library::find(game).unwrap().outcomes(), text.as_bytes())
    }

    #[test]
    fn a_column_of_outcomes_is_enough() {
        let results = read("rws-sicbo", "1-2-3\n6-6-6\n\n# a note\n2-1-1\n").unwrap();
        assert_eq!(results.outcomes.len(), 3);
        assert_eq!(results.order(library::find("rws-sicbo").unwrap().outcomes()), Order::Known);
        assert!(read("rws-sicbo", "").unwrap().outcomes.is_empty());
    }

    #[test]
    fn a_head_names_the_columns() {
        let results = read("rws-roulette-000", "time,direction,outcome\n10:00,cw,17\n10:01,ccw,000\n").unwrap();
        assert_eq!(results.directions, [Some(Direction::Clockwise), Some(Direction::Anticlockwise)]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (game, text, line, words) in [
            ("rws-sicbo", "1-2-3\n1-2-7\n", 2, "write three dice"),
            ("rws-roulette-000", "17\n0\n\n37\n", 4, "write a pocket"),
            ("rws-roulette-000", "17,10:00,cw\n3,10:01,up\n", 2, "write cw or ccw"),
            ("rws-roulette-000", "17,10:01\n3,10:00\n", 2, "results go by time"),
            ("rws-sicbo", "time,direction\n", 1, "none is called outcome"),
            ("rws-sicbo", "outcome,time\n,10:00\n", 2, "has no outcome"),
        ] {
            let error = read(game, text).unwrap_err();
            assert!(error.line == line && error.message.contains(words), "{text:?}: {error}");
        }
    }
}
