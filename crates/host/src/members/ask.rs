//! Requests between hosts, as JSON: hosts of two releases may run side by side while a floor is upgraded.
//!
//! Kinds of alerts and rulings that encoding 1 of records does not have are written by serde and not read by it.
//! Between hosts they are read here, by definitions that the compiler checks against the floor's own.

use engine::Reply;
use floor::{
    AlertKind, Body, CashPlace, Counted, Deed, DeviceId, KeyHolder, Position, Refusal, RoundId, Ruling, Sender,
    StaffId, TableId, TerminalId, TicketHash, TicketId, TicketPlace,
};
use rulebook::{Cents, OutcomeIndex, Rank};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A request that the leader decides.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// A command of a sender that numbers its commands.
    Command {
        /// Who.
        sender: Sender,
        /// The number.
        number: u64,
        /// What.
        body: Body,
    },
    /// A command of the host itself, which the leader numbers.
    Own(Body),
    /// A command that this host does not understand, and why. It is refused, and the commands beside it are decided.
    Unread(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AskRead {
    Command {
        sender: Sender,
        number: u64,
        #[serde(deserialize_with = "body")]
        body: Body,
    },
    Own(#[serde(deserialize_with = "body")] Body),
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Ask, D::Error> {
        Ok(match AskRead::deserialize(Value::deserialize(from)?) {
            Ok(AskRead::Command { sender, number, body }) => Ask::Command { sender, number, body },
            Ok(AskRead::Own(body)) => Ask::Own(body),
            Err(error) => Ask::Unread(error.to_string()),
        })
    }
}

/// Reads a body of any kind.
fn body<'de, D: Deserializer<'de>>(from: D) -> Result<Body, D::Error> {
    let value = Value::deserialize(from)?;
    Body::deserialize(&value).or_else(|error| match Newer::deserialize(&value) {
        Ok(Newer::RaiseAlert { table, what }) => Ok(Body::RaiseAlert { table, what }),
        Ok(Newer::Decide { table, round, ruling, reason, witness }) => {
            Ok(Body::Decide { table, round, ruling, reason, witness })
        }
        Err(_) => Err(serde::de::Error::custom(error)),
    })
}

/// Bodies whose parts serde reads only here.
#[derive(Deserialize)]
enum Newer {
    RaiseAlert {
        table: Option<TableId>,
        #[serde(with = "AlertKindRead")]
        what: AlertKind,
    },
    Decide {
        table: TableId,
        round: Option<RoundId>,
        #[serde(with = "RulingRead")]
        ruling: Ruling,
        reason: String,
        witness: Option<StaffId>,
    },
}

/// Every kind of alert. A kind that is missing here does not compile.
#[derive(Serialize, Deserialize)]
#[serde(remote = "AlertKind")]
enum AlertKindRead {
    TerminalLost(TerminalId),
    DeviceFault(DeviceId, u16),
    DeviceSilent(RoundId),
    DeviceDisagrees(RoundId),
    DeviceNonsense(DeviceId),
    RestedEarly(RoundId),
    Uncollected(RoundId, Cents),
    Meters(TerminalId),
    Host(String),
    SecondTumble(RoundId),
    ReportedLate(RoundId),
    ReportedMeanwhile(RoundId),
    Integrity(String),
    Access(String, u32),
    DecidedAlone(StaffId, Rank, u64, Option<Box<Deed>>),
    TicketInDoubt(TicketId, Cents),
    WrongTickets(TicketPlace),
    LargeCash(TerminalId, Cents),
    SealedCode(StaffId, Option<u64>),
    VoidTicket(TicketId),
    EnrolmentCode(KeyHolder, StaffId, u32),
    Difference(Counted, Cents),
    ReplacedTicket(TicketId, TicketId),
    DeviceLost(DeviceId, bool),
    TerminalsLost(u32, u32),
    DeviceFaults(DeviceId, u16, u32),
    DeviceHolds(DeviceId, RoundId),
    LargeCashAt(CashPlace, Cents),
    CopiedKey(KeyHolder, String, u32),
    Attendant(TerminalId),
}

/// Every ruling. One that is missing here does not compile.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Ruling")]
enum RulingRead {
    VoidRound,
    Pay { terminal: TerminalId, amount: Cents },
    TakeBack { terminal: TerminalId, amount: Cents },
    Reading,
    PayChips { position: Position, amount: Cents },
    ClaimChips { position: Position, amount: Cents },
    Outcome { outcome: OutcomeIndex },
}

/// A ticket to be issued. The leader makes the number, so that each ticket has its own.
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

/// What the signature of an answer covers: the request as it was sent.
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

/// The leader's answer.
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
    /// The question cannot be read here; asking again is of no use.
    Unread,
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

#[cfg(test)]
mod tests {
    use super::*;
    use floor::Post;

    /// As a follower sends it and the leader reads it.
    fn passed_on(body: &Body) -> Ask {
        let asked = Asked {
            term: String::new(),
            count: 1,
            question: Question::Decide { host: "two".to_owned(), asks: vec![Ask::Own(body.clone())] },
        };
        let bytes = serde_json::to_vec(&asked).unwrap();
        let read: Asked = serde_json::from_slice(&bytes).unwrap();
        let Question::Decide { mut asks, .. } = read.question else { panic!("another question") };
        asks.pop().unwrap()
    }

    #[test]
    fn every_alert_of_a_host_that_follows_is_read_by_the_one_that_leads() {
        let (round, staff, ticket) = (RoundId(3), StaffId(4), TicketId(5));
        let all = [
            AlertKind::TerminalLost(TerminalId(1)),
            AlertKind::DeviceFault(DeviceId(2), 7),
            AlertKind::DeviceSilent(round),
            AlertKind::DeviceDisagrees(round),
            AlertKind::DeviceNonsense(DeviceId(2)),
            AlertKind::RestedEarly(round),
            AlertKind::Uncollected(round, Cents::new(5)),
            AlertKind::Meters(TerminalId(1)),
            AlertKind::Host("the disk is full".to_owned()),
            AlertKind::SecondTumble(round),
            AlertKind::ReportedLate(round),
            AlertKind::Integrity("records are missing".to_owned()),
            AlertKind::Access("a wrong password".to_owned(), 90),
            AlertKind::DecidedAlone(staff, Rank::ShiftManager, 9, None),
            AlertKind::TicketInDoubt(ticket, Cents::new(100)),
            AlertKind::WrongTickets(TicketPlace::Staff(staff)),
            AlertKind::LargeCash(TerminalId(1), Cents::new(1_000_000)),
            AlertKind::SealedCode(staff, Some(3)),
            AlertKind::VoidTicket(ticket),
            AlertKind::EnrolmentCode(KeyHolder::Terminal(TerminalId(1)), staff, 2),
            AlertKind::ReportedMeanwhile(round),
            AlertKind::Difference(Counted::Drawer(floor::ShiftId(6)), Cents::new(-20_000)),
            AlertKind::ReplacedTicket(ticket, TicketId(6)),
            AlertKind::DeviceLost(DeviceId(2), true),
            AlertKind::TerminalsLost(3, 40),
            AlertKind::DeviceFaults(DeviceId(2), 7, 500),
            AlertKind::DeviceHolds(DeviceId(2), round),
            AlertKind::LargeCashAt(CashPlace::Person(staff), Cents::new(1_000_000)),
            AlertKind::CopiedKey(KeyHolder::Device(DeviceId(2)), "used twice".to_owned(), 3),
        ];
        for what in all {
            let body = Body::RaiseAlert { table: Some(TableId(1)), what };
            assert!(matches!(passed_on(&body), Ask::Own(read) if read == body), "{body:?}");
        }
    }

    #[test]
    fn a_technician_is_read_wherever_a_post_is_named() {
        let (staff, post) = (StaffId(4), Post::Technician);
        for body in [
            Body::AddStaff { name: "Lin".to_owned(), post, witness: Some(StaffId(2)) },
            Body::ChangeStaff { staff, post, active: true, witness: None },
            Body::AssignActing { staff, post: Some(post), witness: None },
        ] {
            assert!(matches!(passed_on(&body), Ask::Own(read) if read == body), "{body:?}");
        }
    }

    #[test]
    fn a_ruling_on_the_outcome_is_read_and_what_cannot_be_read_spoils_nothing_else() {
        let ruling = Ruling::Outcome { outcome: serde_json::from_str("7").unwrap() };
        let decide = Body::Decide {
            table: TableId(1),
            round: Some(RoundId(3)),
            ruling,
            reason: "the ball was seen".to_owned(),
            witness: None,
        };
        assert!(matches!(passed_on(&decide), Ask::Own(read) if read == decide));
        let asks: Vec<Ask> = serde_json::from_str(r#"[{"own":{"Tomorrow":{}}},{"own":"Elapse"}]"#).unwrap();
        assert!(matches!(&asks[..], [Ask::Unread(_), Ask::Own(Body::Elapse)]), "{asks:?}");
    }
}
