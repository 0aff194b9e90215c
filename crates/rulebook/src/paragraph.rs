//! The paragraphs of a document and what kind of thing each says.

use std::fmt;

use serde::Deserialize;

use crate::Text;

/// What kind of thing a paragraph says.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A title over other paragraphs.
    Heading,
    /// What a word means.
    Definition,
    /// What is on the layout, and where.
    Layout,
    /// How a round goes.
    Procedure,
    /// What wins and what it is paid.
    Odds,
    /// How much may be bet.
    Limits,
    /// What happens when something goes wrong.
    Irregularity,
    /// Who may do what.
    Power,
    /// What is shown, and what it is worth.
    Display,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 9] = [
        Class::Heading,
        Class::Definition,
        Class::Layout,
        Class::Procedure,
        Class::Odds,
        Class::Limits,
        Class::Irregularity,
        Class::Power,
        Class::Display,
    ];

    /// Whether a program can keep or break it, so that it needs code and a test.
    #[must_use]
    pub const fn is_behavioural(self) -> bool {
        !matches!(self, Class::Heading | Class::Definition)
    }

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Heading => "heading",
            Class::Definition => "definition",
            Class::Layout => "layout",
            Class::Procedure => "procedure",
            Class::Odds => "odds",
            Class::Limits => "limits",
            Class::Irregularity => "irregularity",
            Class::Power => "power",
            Class::Display => "display",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One paragraph of the document, in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The document's own number, such as `5.3.1` or `Appendix A`.
    pub number: String,
    /// What kind of thing it says.
    pub class: Class,
    /// Whether the number cannot be read in the document and follows from the order.
    pub inferred: bool,
    /// What it says.
    pub text: Text,
}
