//! What hosts ask each other, as JSON: hosts of two releases may be there at once while a floor is upgraded.

use engine::Reply;
use floor::{Body, Refusal, Sender, TicketHash, TicketId};
use serde::{Deserialize, Serialize};

/// Something to be decided by whoever leads.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// A command of somebody who numbers what is sent.
    Command {
        /// Who.
        sender: Sender,
        /// The number.
        number: u64,
        /// What.
        body: Body,
    },
    /// A command of the host itself, which whoever leads numbers.
    Own(Body),
}

/// A ticket to be issued. The number is made by whoever leads, so that each ticket has its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wanted {
    /// For whom.
    pub sender: Sender,
    /// The sender's number.
    pub number: u64,
    /// The command, without the ticket's hash.
    pub body: Body,
}

impl Wanted {
    /// The command with a ticket's hash in it.
    #[must_use]
    pub fn with(&self, hash: TicketHash) -> Body {
        match &self.body {
            Body::PrepareTicket { terminal, .. } => Body::PrepareTicket { terminal: *terminal, number: hash },
            Body::SellTicket { amount, witness, .. } => {
                Body::SellTicket { amount: *amount, number: hash, witness: *witness }
            }
            Body::ReprintTicket { ticket, reason, witness, .. } => {
                Body::ReprintTicket { ticket: *ticket, number: Some(hash), reason: reason.clone(), witness: *witness }
            }
            other => other.clone(),
        }
    }
}

/// A question as it is signed: with the leader's term and a count, so that a recorded question cannot be replayed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The leader's term, as far as the asking host knows it; otherwise empty.
    pub term: String,
    /// Its count, larger with every question.
    pub count: u64,
    /// The question.
    pub question: Question,
}

/// What the signature of a question is about.
#[must_use]
pub fn about_question(floor: &str) -> [&[u8]; 2] {
    [b"ask", floor.as_bytes()]
}

/// What the signature of an answer is about: the question as it was sent.
#[must_use]
pub fn about_answer<'a>(floor: &'a str, question: &'a [u8]) -> [&'a [u8]; 3] {
    [b"answer", floor.as_bytes(), question]
}

/// What a host asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Commands, in order.
    Decide {
        /// The host that asks.
        host: String,
        /// The commands.
        asks: Vec<Ask>,
    },
    /// A ticket.
    Issue(Wanted),
}

/// What whoever leads answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// One for each command.
    Decided(Vec<Decided>),
    /// A ticket.
    Issued(Issued),
    /// No ticket.
    Refused(Refusal),
    /// Nothing was decided; it may be tried again.
    Later,
    /// The question is of another term, or not the next of its host: ask again like this.
    Again {
        /// The term.
        term: String,
        /// The count that was heard last.
        after: u64,
    },
    /// The question is not signed by an enrolled host.
    NotEnrolled,
}

/// What became of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// This.
    Reply(Reply),
    /// Too much was waiting.
    Busy,
}

/// A ticket that was issued.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct Issued {
    /// The event.
    pub accepted: u64,
    /// The ticket.
    pub ticket: TicketId,
}
