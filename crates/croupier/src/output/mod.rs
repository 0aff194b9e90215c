//! The two forms of every answer: JSON for programs, a page for people.

pub mod group;
mod page;
mod progress;
mod sheet;
pub mod time;
mod words;

use std::fmt::Display;

use rulebook::{Mark, Text};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

pub use page::{Column, Page};
pub use progress::{messages, progress, rounds};
pub use sheet::SheetArg;
pub use words::Language;

/// Which form is wanted.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Form {
    /// One line of JSON.
    Json,
    /// Words and tables.
    Words,
}

impl Form {
    /// The answer in this form: the value itself, or a page that is written about it.
    pub fn render(self, value: &impl Serialize, write: impl FnOnce(&mut Page)) -> String {
        match self {
            Form::Json => json(value),
            Form::Words => {
                let mut page = Page::new();
                write(&mut page);
                page.into_text()
            }
        }
    }
}

impl Form {
    /// The answer in this form: the value itself, or its paper as text.
    pub fn paper(self, value: &impl Serialize, paper: &::paper::Paper) -> String {
        match self {
            Form::Json => json(value),
            Form::Words => paper.text(usize::from(Page::width())),
        }
    }
}

/// What a command has to say.
pub enum Answer {
    /// What was asked for.
    Done(String),
    /// What was asked for, and it is not as it should be: exit code 1.
    Findings(String),
}

impl From<String> for Answer {
    fn from(text: String) -> Answer {
        Answer::Done(text)
    }
}

/// One line of JSON.
pub fn json(value: &impl Serialize) -> String {
    // Only maps whose keys are no strings, or a failing `Serialize`, can go wrong; there are none.
    let mut line =
        serde_json::to_string(value).unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
    line.push('\n');
    line
}

/// Serialises what has a text form as that text.
pub fn display<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Words in both languages.
pub fn text(text: &Text) -> Value {
    json!({ "en": text.en, "zh": text.zh })
}

/// What marks a value as not read from the document; `null` if it is.
pub fn mark(mark: Option<&Mark>) -> Value {
    match mark {
        None => Value::Null,
        Some(mark @ Mark::Inferred(_)) => json!({ "kind": "inferred", "decision": mark.decision().as_str() }),
        Some(mark @ Mark::Assumed(_)) => json!({ "kind": "assumed", "decision": mark.decision().as_str() }),
    }
}
