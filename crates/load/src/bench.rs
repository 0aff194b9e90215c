//! A host beside its peers, in one run: absolute figures differ from machine to machine, ratios much less.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::crowd::Crowd;
use crate::house::House;
use crate::link::{Heard, tells};
use crate::modes::{Mode, Pace, Plan, run};
use crate::process::Process;
use crate::report::Times;
use crate::{Failed, Result, journal_alone, peer};

/// How often something that happens once a round is measured; the median is reported.
const TIMES: usize = 5;
/// The Node server that broadcasts, and a package of it.
const NODE: &str = include_str!("peer.js");

/// What is aimed for.
#[derive(Copy, Clone, Debug, Serialize)]
pub enum Goal {
    /// At most.
    AtMost(f64),
    /// At least.
    AtLeast(f64),
    /// Told for comparison.
    None,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// What was measured.
    pub what: String,
    /// How much.
    pub value: f64,
    /// In which unit.
    pub unit: &'static str,
    /// What is aimed for.
    pub goal: Goal,
}

impl Line {
    /// Whether the goal is met.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::AtMost(most) => Some(self.value <= most),
            Goal::AtLeast(least) => Some(self.value >= least),
            Goal::None => None,
        }
    }
}

/// All figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// The figures.
    pub lines: Vec<Line>,
    /// What could not be measured, and why.
    pub skipped: Vec<String>,
}

impl Comparison {
    fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str, goal: Goal) {
        let line = Line { what: what.into(), value, unit, goal };
        eprintln!("  {}: {:.3} {}", line.what, line.value, line.unit);
        self.lines.push(line);
    }
}

/// Measures everything, with this many terminals, each rate for this long.
pub fn compare(program: &Path, release: floor::Release, terminals: usize, time: Duration) -> Result<Comparison> {
    let mut all = Comparison::default();
    broadcast(&mut all, program, release, terminals)?;
    rates(&mut all, program, release, terminals.min(1_000), time)?;
    Ok(all)
}

fn plan(mode: Mode) -> Plan {
    Plan { mode, time: Duration::from_secs(5), bets: 1, pace: Pace::Closed, rounds: TIMES }
}

/// What concerns all terminals at once.
fn broadcast(all: &mut Comparison, program: &Path, release: floor::Release, terminals: usize) -> Result<()> {
    let mut house = House::make(program, release, terminals)?;
    let close = run(&mut house, plan(Mode::Fanout))?;
    let bytes = close_bytes(&house)?;
    let ours = close.latency.map_or(0.0, |latency| latency.p50);
    all.add(format!("\"No more bets\" ({bytes} bytes) to the last of {terminals}"), ours, "ms", Goal::None);
    let mut bare = Command::new(program);
    bare.args(["bench", "peer", "loop", "--clients", &terminals.to_string(), "--bytes", &bytes.to_string()]);
    let (theirs, _) = fan_out(bare, terminals)?;
    all.add("the same bytes by a bare loop of socket writes", theirs, "ms", Goal::None);
    all.add("beside the bare loop", ours / theirs, "×", Goal::AtMost(1.3));
    match node(bytes) {
        Ok((command, _folder)) => {
            let (theirs, memory) = fan_out(command, terminals)?;
            all.add("the same bytes by a ws (Node) server", theirs, "ms", Goal::None);
            all.add("beside ws", ours / theirs, "×", Goal::AtMost(0.7));
            all.add("memory of ws for each connection", memory / 1024.0, "KiB", Goal::None);
        }
        Err(Failed(why)) => all.skipped.push(format!("the ws (Node) server: {why}")),
    }
    let memory = close.memory_each.map_or(0.0, |bytes| bytes as f64 / 1024.0);
    all.add("memory of the host for each connection", memory, "KiB", Goal::AtMost(12.0));
    let settled = run(&mut house, plan(Mode::Settle))?;
    let settled = settled.latency.map_or(0.0, |latency| latency.p50);
    all.add("from the result's entry to the last new credit", settled, "ms", Goal::AtMost(500.0));
    let last = run(&mut house, plan(Mode::LastSecond))?;
    all.add("bets in the last second left hanging", last.hanging as f64, "", Goal::AtMost(0.0));
    let refused = format!("of them refused as late ({} accepted)", last.bets);
    all.add(refused, last.refused as f64, "", Goal::None);
    let back = run(&mut house, plan(Mode::Reconnect))?;
    all.add("from the host's start until all are current again", back.seconds, "s", Goal::AtMost(15.0));
    Ok(())
}

/// Bets a second, and how long one takes.
fn rates(
    all: &mut Comparison,
    program: &Path,
    release: floor::Release,
    terminals: usize,
    time: Duration,
) -> Result<()> {
    let echo = echoes(program, terminals, time)?;
    all.add(format!("64-byte echoes of a bare axum server, {terminals} clients"), echo, "/s", Goal::None);
    let mut house = House::make(program, release, terminals)?;
    let one = run(&mut house, Plan { time, ..plan(Mode::Bets) })?;
    all.add("durable bets, one a message", one.bets_a_second, "/s", Goal::None);
    all.add("beside the echoes", one.bets_a_second / echo, "×", Goal::AtLeast(0.5));
    let ten = run(&mut house, Plan { time, bets: 10, ..plan(Mode::Bets) })?;
    all.add("durable bets, ten a message", ten.bets_a_second, "/s", Goal::AtLeast(150_000.0));
    let folder = tempfile::tempdir()?;
    let rate = 20_000.0;
    let journal = journal_alone::measure(folder.path(), rate, time)?;
    let open = run(&mut house, Plan { time, pace: Pace::Open(rate), ..plan(Mode::Bets) })?;
    let Some(latency) = open.latency else { return Err(Failed::new("nothing was measured")) };
    all.add("a bet at 20,000/s, half", latency.p50, "ms", Goal::AtMost(2.0));
    all.add("a bet at 20,000/s, 99 of 100", latency.p99, "ms", Goal::None);
    all.add("the bare journal at 20,000/s, 99 of 100", journal.p99, "ms", Goal::None);
    all.add("beside the bare journal", latency.p99 / journal.p99, "×", Goal::AtMost(3.0));
    Ok(())
}

/// How long the message is that tells a terminal of the close.
fn close_bytes(house: &House) -> Result<usize> {
    let mut crowd =
        Crowd::gather(house.address, 1, |place| house.feed(place), |place| house.seats.get(place).cloned())?;
    let mut dealer = house.dealer()?;
    let path = |what: &str| format!("/tables/{}/{what}", house.table);
    dealer.does(&path("open-bets"), &serde_json::json!({}))?;
    dealer.does(&path("close-bets"), &serde_json::json!({}))?;
    let mut bytes = 0;
    crowd.until(Duration::from_secs(10), "the close", |_, _, heard| {
        if let Heard::Update(update) = heard
            && tells(update, br#""kind":"bets_closed""#)
        {
            bytes = update.len();
        }
        bytes > 0
    })?;
    dealer.does(&path("void"), &serde_json::json!({ "ground": "dice-damaged", "witness": house.witness() }))?;
    Ok(bytes)
}

/// Milliseconds until the last client of a peer has its message, the middle of several, and bytes for each connection.
fn fan_out(command: Command, clients: usize) -> Result<(f64, f64)> {
    let process = Process::start(command)?;
    let before = process.memory();
    let mut crowd = Crowd::gather(process.address, clients, |_| "/".to_owned(), |_| None)?;
    let memory = process.memory().saturating_sub(before) as f64 / clients.max(1) as f64;
    let mut times = Times::new();
    for _ in 0..TIMES {
        let started = Instant::now();
        crowd.links.first_mut().ok_or_else(|| Failed::new("no clients"))?.send(b"go")?;
        let mut left = clients;
        let last = crowd.until(Duration::from_secs(60), "the message", |_, _, heard| {
            left -= usize::from(matches!(heard, Heard::Other(_)));
            left == 0
        })?;
        times.record(last.saturating_duration_since(started));
    }
    Ok((times.latency().p50, memory))
}

/// Echoes a second, each client sending its next when the last came back.
fn echoes(program: &Path, clients: usize, time: Duration) -> Result<f64> {
    let mut command = Command::new(program);
    command.args(["bench", "peer", "echo"]);
    let process = Process::start(command)?;
    let mut crowd = Crowd::gather(process.address, clients, |_| "/".to_owned(), |_| None)?;
    let text = peer::text(64);
    for link in &mut crowd.links {
        link.send(&text)?;
    }
    let (started, mut count) = (Instant::now(), 0_u64);
    while started.elapsed() < time {
        crowd.turn(Duration::from_millis(20), &mut |_, link, heard| {
            if matches!(heard, Heard::Other(_)) {
                count += 1;
                let _ = link.send(&text);
            }
        })?;
    }
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

/// The Node server with its package, in a folder of its own.
fn node(bytes: usize) -> Result<(Command, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("peer.js"), NODE)?;
    let install = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(folder.path())
        .arg("ws@8")
        .stdout(std::process::Stdio::null())
        .status()
        .map_err(|error| Failed::new(format!("npm cannot be started: {error}")))?;
    if !install.success() {
        return Err(Failed::new("npm could not install the package ws"));
    }
    let mut command = Command::new("node");
    command.arg(folder.path().join("peer.js")).arg(bytes.to_string());
    Ok((command, folder))
}
