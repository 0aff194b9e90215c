//! What a rule rests on.

use std::fmt;

/// A paragraph of the document (`5.3.1`, `Appendix A`) or one of our own decisions (`D4`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Citation(Box<str>);

impl Citation {
    pub(crate) fn new(text: &str) -> Citation {
        Citation(text.into())
    }

    /// The text as cited.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is a decision of ours and not a paragraph.
    #[must_use]
    pub fn is_decision(&self) -> bool {
        is_decision(&self.0)
    }
}

pub(crate) fn is_decision(text: &str) -> bool {
    text.strip_prefix('D').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
