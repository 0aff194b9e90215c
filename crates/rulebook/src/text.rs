//! Words for people, and marks for what no document says outright.

use std::fmt;

/// Words in English and simplified Chinese.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

/// Where a value is not read from the document but inferred or assumed, with the decision that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The document has it but it cannot be read; it follows from the rest.
    Inferred(crate::Citation),
    /// The document does not have it; we chose.
    Assumed(crate::Citation),
}

impl Mark {
    /// The decision behind it.
    #[must_use]
    pub fn decision(&self) -> &crate::Citation {
        match self {
            Mark::Inferred(decision) | Mark::Assumed(decision) => decision,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Inferred(decision) => write!(f, "inferred, {decision}"),
            Mark::Assumed(decision) => write!(f, "assumed, {decision}"),
        }
    }
}
