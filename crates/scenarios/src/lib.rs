//! The scenario book: courses of play for every paragraph of the approved documents, in plain text that a regulator can
//! read (`scenarios/` at the root of the repository), and two ways to run them: against the floor in this process, and
//! over HTTP and WebSocket against the program.

#![allow(missing_docs)]

pub mod book;
pub mod on_floor;
pub mod on_program;
pub mod people;
mod phrase;
pub mod steps;
pub mod world;

/// The sentences a scenario may use, one to a line, with how they are taken over HTTP.
#[must_use]
pub fn vocabulary() -> String {
    let line = |sentence: &steps::Sentence| match sentence.place {
        steps::Where::Both => sentence.phrase.text.to_owned(),
        steps::Where::Alone => format!("{} (over HTTP on a floor of its own)", sentence.phrase.text),
        steps::Where::Clock => format!("{} (over HTTP on a floor whose time it moves)", sentence.phrase.text),
    };
    steps::vocabulary().iter().map(line).collect::<Vec<_>>().join("\n")
}
