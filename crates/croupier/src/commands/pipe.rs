//! `croupier pipe`: a floor driven over standard input and output.

mod ask;
mod demo;
mod floor_line;
mod line;
mod output;

use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use clap::Args;
use engine::{Engine, Options, Recovery, Refused, Reply, Tag};
use floor::{AlertKind, Body, Command, Floor, Moment, OVER_A_PIPE, Release, Sender};
use records::{Follower, FollowerOptions};
use serde_json::json;

use crate::data::{ArchiveArg, DataArg};
use crate::output::{Answer, time};
use crate::program;
use crate::refusal::{Failure, Refusal};
use line::{Answered, Line, Read};
use output::{OWN, Output, ToOutput};

/// Drive a floor over standard input and output: a command per line in, an answer per line out.
#[derive(Args)]
#[command(after_help = "\
A line in is {\"tag\":1,\"sender\":{\"Terminal\":0},\"number\":5,\"body\":{…}}; the tag is yours, the number the sender's \
own count. Lines out are {\"tag\":1,\"accepted\":123} with the command's first record, \
{\"tag\":1,\"refused\":{\"code\",\"rule\",\"words\"}}, {\"tag\":1,\"busy\":true} or {\"tag\":1,\"malformed\":\"…\"}. An \
answer is given when its record is durable, and never before. The first line out is {\"recovered\":{…}}. At the end of the \
input the floor shuts down cleanly. See docs/operations.md for every line.

Examples:
  croupier pipe --data /srv/floor < commands.jsonl > answers.jsonl
  croupier pipe --data ./demonstration --demo < /dev/null")]
pub struct Pipe {
    #[command(flatten)]
    data: DataArg,

    /// Make a small demonstration floor if the folder is empty.
    #[arg(long)]
    demo: bool,

    /// Drive a floor that is not a demonstration. Senders are trusted without sign-in; this is recorded and alerted.
    #[arg(long)]
    production: bool,

    /// Take the time of each command from its tag, in milliseconds since 1970, as `croupier explore` writes them. For
    /// demonstrations only.
    #[arg(long, conflicts_with_all = ["demo", "production"])]
    times_from_tags: bool,

    /// The size of a new segment of the journal, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    segment: u64,

    /// Sign a checkpoint after this many records.
    #[arg(long, value_name = "RECORDS", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: u64,

    /// Keep the rounds, bets and money of this many gaming days in the records, at least 400 on a real floor (D24); by
    /// default all of them.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..))]
    keep_days: Option<u16>,

    #[command(flatten)]
    archive: ArchiveArg,

    /// Make a snapshot after this many records.
    #[arg(long, value_name = "RECORDS", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    snapshot_every: u64,
}

/// For so many gaming days the rounds of a real floor stay within reach of a correction (D24).
const REAL_DAYS: u16 = 400;
const NOT_BY_TAGS: &str = "only a demonstration is driven by the times of its lines: this floor is none";

/// What ended a session.
pub enum End {
    /// Nothing more comes in.
    Input(io::Result<()>),
    /// Play has stopped.
    Stopped(String),
}

impl Pipe {
    pub fn run(&self) -> Result<Answer, Failure> {
        program::use_small_pages();
        if self.production && self.keep_days.is_some_and(|days| days < REAL_DAYS) {
            let words =
                format!("--keep-days: the rounds of a real floor are kept for at least {REAL_DAYS} gaming days (D24)");
            return Err(Refusal::new("keep_days", words).into());
        }
        // Self-tests come first: without a hash of program and rulebooks nothing starts (S10).
        let release = program::release()?;
        let output = Arc::new(Output::new());
        let (end, ended) = channel();
        let (own, answers) = channel();
        let follower = Arc::new(self.follow(&output)?);
        let log = Arc::new(self.log(&output)?);
        let outlet = ToOutput {
            output: Arc::clone(&output),
            follower: Arc::clone(&follower),
            log: Arc::clone(&log),
            own,
            end: end.clone(),
        };
        let (engine, recovery) = self.start(self.data.path(), outlet)?;
        let times = if self.times_from_tags { Times::FromTags } else { Times::OfTheClock };
        let session = Session { engine, output, answers, release, times };
        session.may_drive(self.production)?;
        session.begin(&recovery, self.demo)?;
        let engine = Arc::new(session.engine);
        let reader = Arc::clone(&engine);
        let output = Arc::clone(&session.output);
        let records = super::records::file(self.data.path());
        std::thread::spawn(move || {
            let read = feed(&reader, &output, release, times, &records, &mut io::stdin().lock());
            drop(reader);
            let _ = end.send(End::Input(read));
        });
        let end = ended.recv().unwrap_or_else(|_| End::Stopped("the reader of the input has gone".to_owned()));
        match end {
            End::Stopped(reason) => return Err(Refusal::new("stopped", format!("play has stopped: {reason}")).into()),
            End::Input(Err(error)) => return Err(Refusal::disk("cannot read the input", &error).into()),
            End::Input(Ok(())) => {}
        }
        // The last owner finishes the queue, signs the end and makes a snapshot; then the records are closed.
        drop(engine);
        drop(follower);
        log.end();
        if let Ok(End::Stopped(reason)) = ended.try_recv() {
            return Err(Refusal::new("stopped", format!("play has stopped: {reason}")).into());
        }
        match session.output.failure() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Refusal::disk("cannot write the answers", &error).into())
            }
            _ => Ok(Answer::Done(String::new())),
        }
    }

    /// The records are kept beside play; their errors are reported and stop nothing.
    fn follow(&self, output: &Arc<Output>) -> Result<Follower, Refusal> {
        let output = Arc::clone(output);
        let report = move |words: &str| output.tell(json!({ "records": words }));
        let options = FollowerOptions {
            archives: self.archive.folders().to_vec(),
            keep_days: self.keep_days,
            report: Some(Box::new(report)),
            ..FollowerOptions::default()
        };
        let started = Follower::start(self.data.path(), options);
        started.map_err(|error| Refusal::disk("the records cannot be kept", &error))
    }

    /// The transparency log is kept beside play too.
    fn log(&self, output: &Arc<Output>) -> Result<receipts::Follower, Refusal> {
        let output = Arc::clone(output);
        let options = receipts::Options {
            archives: self.archive.folders().to_vec(),
            day_name: records::day_text,
            report: Some(Box::new(move |words: &str| output.tell(json!({ "log": words })))),
            ..receipts::Options::default()
        };
        let started = receipts::Follower::start(self.data.path(), options);
        started.map_err(|error| Refusal::disk("the log cannot be kept", &error))
    }

    fn start(&self, folder: &Path, outlet: ToOutput) -> Result<(Engine, Recovery), Refusal> {
        let journal = journal::Options { segment: self.segment << 20, checkpoint_every: self.checkpoint_every };
        let options = Options { journal, snapshot_every: self.snapshot_every, ..Options::default() };
        Ok(Engine::start(folder, options, outlet)?)
    }
}

/// The alert of a floor that is driven over a pipe.
fn over_a_pipe() -> Body {
    Body::RaiseAlert { table: None, what: AlertKind::Integrity(OVER_A_PIPE.to_owned()) }
}

/// Where the times of commands come from.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Times {
    /// This machine's clock.
    OfTheClock,
    /// The tags of the lines, so that a sequence of commands does the same whenever it is sent. A demonstration only.
    FromTags,
}

impl Times {
    fn at(self, tag: Tag) -> Moment {
        match self {
            Times::OfTheClock => time::now(),
            Times::FromTags => Moment(i64::try_from(tag).unwrap_or(i64::MAX)),
        }
    }
}

/// A floor that has just come up.
struct Session {
    engine: Engine,
    output: Arc<Output>,
    answers: Receiver<Reply>,
    release: Release,
    times: Times,
}

impl Session {
    /// A client of a pipe can act as any person, so a floor with people and money must be driven in this way on purpose
    /// only.
    fn may_drive(&self, production: bool) -> Result<(), Refusal> {
        let there_is_a_floor = self.engine.read(|floor| floor.settings().is_some());
        if there_is_a_floor && !self.is_demonstration() && !production {
            let words = "this floor is no demonstration, and over a pipe every sender is believed without sign-in: use `croupier \
                         serve`, or give --production, which is recorded and alerted";
            return Err(Refusal::new("production", words));
        }
        if there_is_a_floor && !self.is_demonstration() && self.times == Times::FromTags {
            return Err(Refusal::new("demonstration", NOT_BY_TAGS));
        }
        Ok(())
    }

    fn is_demonstration(&self) -> bool {
        self.engine.read(|floor| floor.settings().is_some_and(|settings| settings.demonstration))
    }

    /// What a host does at its start: the program is recorded, and so is the time it was away.
    fn begin(&self, recovery: &Recovery, demo: bool) -> Result<(), Refusal> {
        if demo {
            self.make_demonstration()?;
        }
        let (there_is_a_floor, last) = self.engine.read(|floor| (floor.settings().is_some(), floor.last_release()));
        let program = if there_is_a_floor { Some(self.own(Body::StartProgram(self.release))?) } else { None };
        if there_is_a_floor && !self.is_demonstration() {
            self.own(over_a_pipe())?;
        }
        let stoppage = match recovery.last_time {
            // The client of this pipe is the link of the terminals, and is connected.
            Some(from) if recovery.open_rounds > 0 => {
                Some(self.own(Body::ReportStoppage { from, terminals_back: true })?)
            }
            _ => None,
        };
        let first = self.engine.read(|floor| {
            let start = line::Start { recovery, release: self.release, last, program, stoppage };
            let recovered = line::recovered(&start, floor);
            let described = there_is_a_floor.then(|| floor_line::describe(floor));
            [recovered].into_iter().chain(described).collect::<Vec<_>>()
        });
        self.output.begin(&first);
        Ok(())
    }

    /// Sends a command of the host's own and waits for its answer.
    fn own(&self, body: Body) -> Result<Reply, Refusal> {
        let number = self.engine.read(|floor| floor.last_number(Sender::System)).unwrap_or(0) + 1;
        let at = match self.times {
            Times::OfTheClock => time::now(),
            Times::FromTags => self.engine.read(Floor::now),
        };
        let command = Command { sender: Sender::System, number, at, body };
        self.engine.submit(OWN, command).map_err(|refused| Refusal::new("stopped", refused.to_string()))?;
        self.answer()
    }

    fn answer(&self) -> Result<Reply, Refusal> {
        let stopped = || self.engine.stopped().unwrap_or_else(|| "no answer came".to_owned());
        self.answers.recv().map_err(|_| Refusal::new("stopped", format!("play has stopped: {}", stopped())))
    }

    /// Makes the demonstration floor in an empty folder, or the rest of it where that was interrupted.
    fn make_demonstration(&self) -> Result<(), Refusal> {
        let done = self.engine.read(demo::done);
        let mut count = 0;
        for ((sender, body), number) in demo::commands()?.into_iter().zip(1..).skip(done) {
            count += 1;
            let command = Command { sender, number, at: time::now(), body };
            self.engine.submit(OWN, command).map_err(|refused| Refusal::new("stopped", refused.to_string()))?;
        }
        for _ in 0..count {
            match self.answer()? {
                Reply::Accepted(_) => {}
                Reply::Refused(refusal) => return Err(Refusal::new("demonstration", refusal.to_string())),
                Reply::Stopped(reason) => return Err(Refusal::new("stopped", format!("play has stopped: {reason}"))),
                Reply::Untaken(refused) => return Err(Refusal::new("stopped", refused.to_string())),
            }
        }
        Ok(())
    }
}

/// Takes commands in until there are no more.
fn feed(
    engine: &Engine,
    output: &Output,
    release: Release,
    times: Times,
    records: &Path,
    input: &mut impl BufRead,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    while output.failure().is_none() {
        let line = match line::read(input, &mut bytes)? {
            Read::End => return Ok(()),
            Read::Blank => continue,
            Read::Malformed(malformed) => {
                output.put(&malformed);
                continue;
            }
            Read::Question(question) => {
                output.put(&question.answer(engine, records));
                continue;
            }
            Read::Line(line) => line,
        };
        let Line { tag, sender, number, body } = line;
        if times == Times::FromTags && matches!(&body, Body::CreateFloor(settings) if !settings.demonstration) {
            output.put(&json!({ "tag": tag, "malformed": NOT_BY_TAGS }));
            continue;
        }
        let at = times.at(tag);
        let makes_floor = matches!(body, Body::CreateFloor(_)) && engine.read(|floor| floor.settings().is_none());
        match engine.submit(tag, Command { sender, number, at, body }) {
            Ok(()) if makes_floor => start_program(engine, number, release, at),
            Ok(()) => {}
            Err(Refused::Busy) => output.put(&Answered::busy(tag)),
            Err(Refused::Stopped(_) | Refused::Follows) => return Ok(()),
        }
    }
    Ok(())
}

/// The program is recorded right after the floor is made, under the number after that command's.
fn start_program(engine: &Engine, number: u64, release: Release, at: Moment) {
    let body = Body::StartProgram(release);
    let command = Command { sender: Sender::System, number: number + 1, at, body };
    // If there is no room for it, the next start records it.
    let _ = engine.submit(OWN, command);
}
