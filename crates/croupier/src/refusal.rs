//! Refusals: a stable code, the paragraph behind it, and words for a person.

use std::fmt;
use std::io::{self, ErrorKind};

use engine::StartError;
use rulebook::{BetError, CentsError, Incoherence, MultiPieceError, NotOffered, prorata::ProrataError};
use serde::Serialize;

/// Why a command gave no answer.
pub enum Failure {
    /// The input is refused.
    Refused(Refusal),
    /// The command was used in a wrong way.
    Usage(String),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

/// Input that is refused, and why.
#[derive(Debug, Serialize)]
pub struct Refusal {
    code: &'static str,
    paragraph: Option<String>,
    message: String,
    /// Where in a rulebook file.
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Debug, Serialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
}

impl Refusal {
    /// A refusal that no paragraph is behind.
    pub fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code, paragraph: None, message: message.into(), place: None }
    }

    /// The disk, or what is on it, does not let it be done.
    pub fn disk(what: &str, error: &io::Error) -> Refusal {
        let code = match error.kind() {
            ErrorKind::WouldBlock => "in_use",
            ErrorKind::AlreadyExists => "not_empty",
            ErrorKind::NotFound => "not_found",
            ErrorKind::StorageFull => "disk_full",
            _ => "disk",
        };
        Refusal::new(code, format!("{what}: {error}"))
    }

    /// The same, resting on a paragraph or a decision.
    pub fn by(self, paragraph: impl fmt::Display) -> Refusal {
        Refusal { paragraph: Some(paragraph.to_string()), ..self }
    }

    /// The same, saying first what it is about.
    pub fn about(self, subject: &str) -> Refusal {
        if self.message.contains(subject) {
            return self;
        }
        Refusal { message: format!("{subject}: {}", self.message), ..self }
    }

    /// One line of JSON.
    pub fn json(&self) -> String {
        crate::output::json(&serde_json::json!({ "error": self }))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.paragraph {
            Some(paragraph) if !self.message.contains(&format!("({paragraph})")) => write!(f, " ({paragraph})"),
            _ => Ok(()),
        }
    }
}

impl From<journal::Damage> for Refusal {
    fn from(damage: journal::Damage) -> Refusal {
        Refusal::new("damaged_journal", format!("the journal is damaged: {damage}"))
    }
}

impl From<StartError> for Refusal {
    fn from(error: StartError) -> Refusal {
        match error {
            StartError::Disk(error) => Refusal::disk("the floor does not start", &error),
            StartError::Damage(damage) => damage.into(),
            StartError::Record { .. } => Refusal::new("damaged_journal", format!("the floor does not start: {error}")),
        }
    }
}

impl From<cluster::Error> for Refusal {
    fn from(error: cluster::Error) -> Refusal {
        let code = match &error {
            cluster::Error::Unreachable(_) | cluster::Error::Unknown(_) => "cluster_unreachable",
            cluster::Error::TooOld(_) => "nats_too_old",
            cluster::Error::NoJetStream(_) => "no_jetstream",
            cluster::Error::NoQuorum(_) => "no_quorum",
            cluster::Error::Certificates { .. } => "certificates",
            cluster::Error::NoFloor(_) => "no_journal",
            cluster::Error::Fenced => "fenced",
            cluster::Error::Damaged { .. } => "damaged_journal",
            cluster::Error::Differs(_) => "differs",
            cluster::Error::Disk(error) => return Refusal::disk("the copy on this machine", error),
        };
        Refusal::new(code, error.to_string())
    }
}

impl From<CentsError> for Refusal {
    fn from(error: CentsError) -> Refusal {
        let code = match error {
            CentsError::Malformed(_) => "malformed_amount",
            CentsError::TooLarge(_) => "amount_too_large",
        };
        Refusal::new(code, error.to_string())
    }
}

impl From<BetError> for Refusal {
    fn from(error: BetError) -> Refusal {
        match error {
            BetError::Amount(error) => error.into(),
            error => Refusal::new(error.code(), error.to_string()),
        }
    }
}

impl From<NotOffered> for Refusal {
    fn from(error: NotOffered) -> Refusal {
        let refusal = Refusal::new(error.code(), error.to_string());
        match error.paragraph() {
            Some(paragraph) => refusal.by(paragraph),
            None => refusal,
        }
    }
}

impl From<MultiPieceError> for Refusal {
    fn from(error: MultiPieceError) -> Refusal {
        Refusal::new(error.code(), error.to_string())
    }
}

impl From<ProrataError> for Refusal {
    fn from(error: ProrataError) -> Refusal {
        Refusal::new(error.code(), error.to_string()).by("D8")
    }
}

impl From<&Incoherence> for Refusal {
    fn from(error: &Incoherence) -> Refusal {
        let place = Place { file: error.file.clone(), line: error.line, column: error.column };
        Refusal { place: Some(place), ..Refusal::new("incoherent_rulebook", error.to_string()) }
    }
}
