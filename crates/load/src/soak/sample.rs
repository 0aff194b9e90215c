//! The lines of a soak: what the process, its folder and its figures say.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::server::Server;
use super::{Shared, Soak};
use crate::house::House;
use crate::process::memory_of;
use crate::report::Times;

/// One line.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sample {
    /// Seconds since the load began.
    pub elapsed: f64,
    /// Bytes of memory of the host.
    pub memory: u64,
    /// Its open files.
    pub files: usize,
    /// Its threads.
    pub threads: usize,
    /// Bytes of the journal's segments.
    pub journal: u64,
    /// Bytes of the snapshots.
    pub snapshots: u64,
    /// How many snapshots.
    pub snapshot_files: usize,
    /// Bytes of the records.
    pub records: u64,
    /// Bytes of everything else in the folder.
    pub others: u64,
    /// Segments that retention has removed so far.
    pub removed: usize,
    /// The last record of the journal.
    pub sequence: u64,
    /// Records the read model is behind.
    pub lag: u64,
    /// Bets acknowledged so far.
    pub accepted: u64,
    /// Bets refused so far.
    pub refused: u64,
    /// 99 of 100 bets since the last line were answered within this many milliseconds.
    pub p99: f64,
    /// Rounds settled today, in the report of the day.
    pub rounds: u64,
    /// Rows of tables in it.
    pub rows: usize,
    /// Milliseconds until that report was there.
    pub report: f64,
}

/// All lines.
pub struct Seen {
    pub samples: Vec<Sample>,
    /// Whether the figures of every report agreed with each other.
    pub agreed: bool,
}

/// Takes lines until it is over.
pub fn take(
    server: &Server,
    house: &House,
    shared: &Shared,
    plan: &Soak,
    started: Instant,
    tell: &mut impl FnMut(&Sample),
) -> Seen {
    let mut seen = Seen { samples: Vec::new(), agreed: true };
    let mut known = BTreeSet::new();
    let mut next = started + plan.every;
    while !shared.is_over() {
        keep(server, &mut known);
        if Instant::now() >= next {
            next += plan.every;
            let mut sample = look(server, &known);
            sample.elapsed = started.elapsed().as_secs_f64();
            figures(server, shared, &mut sample);
            match report(house) {
                Ok((report, took)) => {
                    sample.report = took;
                    sample.rounds = report["total"]["games"].as_u64().unwrap_or(0);
                    sample.rows = report["tables"].as_array().map_or(0, Vec::len);
                    seen.agreed &= report["agrees"] == Value::Bool(true);
                }
                Err(failed) => shared.trouble(format!("the report of the day: {failed}")),
            }
            tell(&sample);
            seen.samples.push(sample);
        }
        shared.sleep(Duration::from_millis(500));
    }
    seen
}

/// Holds every segment by a second name, so that the audit can begin at the first record.
fn keep(server: &Server, known: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(server.data()) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".segment")
            && !known.contains(&name)
            && std::fs::hard_link(entry.path(), server.kept().join(&name)).is_ok()
        {
            known.insert(name);
        }
    }
}

/// What can be seen of the process and its folder.
fn look(server: &Server, known: &BTreeSet<String>) -> Sample {
    let process = Path::new("/proc").join(server.id().to_string());
    let count = |what: &str| std::fs::read_dir(process.join(what)).map_or(0, Iterator::count);
    let mut sample = Sample { memory: memory_of(server.id()), ..Sample::default() };
    (sample.files, sample.threads) = (count("fd"), count("task"));
    let mut here = 0;
    for entry in std::fs::read_dir(server.data()).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let size = entry.metadata().map_or(0, |found| found.len());
        if name.ends_with(".segment") || name.ends_with(".prepared") {
            sample.journal += size;
            here += usize::from(known.contains(&name));
        } else if name.ends_with(".snapshot") {
            sample.snapshots += size;
            sample.snapshot_files += 1;
        } else if name.starts_with("records.sqlite") {
            sample.records += size;
        } else {
            sample.others += size;
        }
    }
    sample.removed = known.len() - here;
    sample
}

/// What the host says of itself, and what the crowd has counted.
fn figures(server: &Server, shared: &Shared, sample: &mut Sample) {
    match server.get("/metrics") {
        Ok(text) => {
            let figure = |name: &str| {
                let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
                value.unwrap_or(0.0) as u64
            };
            (sample.sequence, sample.lag) = (figure("croupier_sequence "), figure("croupier_records_lag "));
        }
        Err(failed) => shared.trouble(failed.0),
    }
    let mut counts = shared.counts();
    (sample.accepted, sample.refused) = (counts.accepted, counts.refused);
    sample.p99 = std::mem::replace(&mut counts.times, Times::new()).latency().p99;
}

/// The report of the day and how many milliseconds it took.
fn report(house: &House) -> crate::Result<(Value, f64)> {
    let mut manager = house.dealer()?;
    let asked = Instant::now();
    let report = manager.get("/reports/day")?;
    Ok((report, asked.elapsed().as_secs_f64() * 1000.0))
}
