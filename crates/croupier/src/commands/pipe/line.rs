//! The lines of the pipe.

use std::io::{self, BufRead, Read as _};

use engine::{Recovery, Refused, Reply, Tag};
use floor::{Body, Floor, Release, Sender, Why};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::Question;
use super::output::OWN;
use crate::output::time::Local;

/// A rulebook is the longest thing a command carries, and far shorter than this.
const LONGEST: u64 = 1 << 20;

/// A command as it comes in. The host's clock gives the time, unless a demonstration takes it from the tag.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub tag: Tag,
    pub sender: Sender,
    pub number: u64,
    pub body: Body,
}

/// What was read.
pub enum Read {
    Line(Line),
    Question(Question),
    Blank,
    Malformed(Value),
    End,
}

/// Reads a line. One that is too long or no command is answered, and the next is read as ever.
pub fn read(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Read> {
    bytes.clear();
    if input.take(LONGEST).read_until(b'\n', bytes)? == 0 {
        return Ok(Read::End);
    }
    if bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n') {
        skip_line(input)?;
        return Ok(Read::Malformed(malformed(Value::Null, "a line has at most 1 MiB")));
    }
    if bytes.trim_ascii().is_empty() {
        return Ok(Read::Blank);
    }
    Ok(match serde_json::from_slice::<Line>(bytes) {
        Ok(line) if line.tag == OWN => Read::Malformed(malformed(json!(OWN), "this tag is the host's own")),
        Ok(line) => Read::Line(line),
        Err(error) => match serde_json::from_slice::<Question>(bytes) {
            Ok(question) => Read::Question(question),
            Err(asked) if is_question(bytes) => Read::Malformed(malformed(tag_of(bytes), &asked.to_string())),
            Err(_) => Read::Malformed(malformed(tag_of(bytes), &error.to_string())),
        },
    })
}

fn is_question(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok_and(|line| line.get("ask").is_some())
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let length = buffer.len();
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(place) => {
                input.consume(place + 1);
                return Ok(());
            }
            None if length == 0 => return Ok(()),
            None => input.consume(length),
        }
    }
}

/// The tag of a line that is no command, if it has one.
fn tag_of(bytes: &[u8]) -> Value {
    let line: Option<Value> = serde_json::from_slice(bytes).ok();
    line.and_then(|line| line.get("tag").cloned()).filter(Value::is_u64).unwrap_or(Value::Null)
}

fn malformed(tag: Value, words: &str) -> Value {
    json!({ "tag": tag, "malformed": words })
}

/// An answer to a command.
#[derive(Serialize)]
pub struct Answered {
    tag: Tag,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Accepted(u64),
    Refused { code: &'static str, rule: String, words: String },
    Busy(bool),
    Stopped(String),
}

impl Answered {
    pub fn new(tag: Tag, reply: Reply) -> Answered {
        Answered { tag, what: what(reply) }
    }

    pub fn busy(tag: Tag) -> Answered {
        Answered { tag, what: What::Busy(true) }
    }
}

fn what(reply: Reply) -> What {
    match reply {
        Reply::Accepted(sequence) => What::Accepted(sequence),
        Reply::Refused(refusal) => {
            let Why { code, rule, words } = refusal.into_why();
            What::Refused { code: code.as_str(), rule, words }
        }
        Reply::Stopped(reason) => What::Stopped(reason),
        Reply::Untaken(Refused::Busy) => What::Busy(true),
        Reply::Untaken(refused) => What::Stopped(refused.to_string()),
    }
}

/// What happened until a floor was ready.
pub struct Start<'a> {
    pub recovery: &'a Recovery,
    /// The program that runs.
    pub release: Release,
    /// The one that ran last.
    pub last: Option<Release>,
    /// The answer to the record of the program.
    pub program: Option<Reply>,
    /// The answer to the report of a stoppage.
    pub stoppage: Option<Reply>,
}

/// The first line: what recovery did, and what the host did at its start.
pub fn recovered(start: &Start<'_>, floor: &Floor) -> Value {
    let recovery = start.recovery;
    let answer = |reply: &Option<Reply>| reply.clone().map(|reply| json!(what(reply)));
    let (changed, locked) = (start.last.is_some_and(|last| last != start.release), floor.locked_by().is_some());
    let program = match (changed, locked) {
        (_, true) => "; the program is another than the one that ran last: play is locked until it is accepted (S10)",
        (true, false) => "; the program is another than the one that ran last, and is accepted (S10)",
        (false, false) => "",
    };
    json!({ "recovered": {
        "words": format!("{recovery}{program}"),
        "snapshot": recovery.snapshot,
        "passed_over": recovery.passed_over,
        "replayed": recovery.replayed,
        "cut": recovery.cut,
        "sequence": recovery.sequence,
        "last_time": recovery.last_time.map(Local),
        "open_rounds": recovery.open_rounds,
        "release": start.release,
        "program_changed": changed,
        "locked": locked,
        "program_started": answer(&start.program),
        "stoppage_reported": answer(&start.stoppage),
        "system_number": floor.last_number(Sender::System),
    } })
}
