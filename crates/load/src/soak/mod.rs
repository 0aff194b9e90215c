//! The demonstration under load for a long time: its resources must stop growing.

mod judge;
mod play;
mod sample;
mod server;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::house::{House, Login};
use crate::report::Times;
use crate::{Failed, Result};
use server::Server;

pub use judge::Check;
pub use sample::Sample;

/// How the demonstration is kept busy.
#[derive(Clone, Debug)]
pub struct Soak {
    /// The program whose demonstration is run.
    pub program: PathBuf,
    /// How long.
    pub time: Duration,
    /// How often a line is taken.
    pub every: Duration,
    /// Terminals that bet at a table of their own, beside those of the demonstration.
    pub terminals: usize,
    /// Displays that only watch.
    pub watchers: usize,
    /// Bets a second while bets are open, all terminals together.
    pub rate: f64,
    /// MiB of journal that the demonstration keeps.
    pub keeps_mib: u64,
}

/// What a soak saw.
#[derive(Clone, Debug, Serialize)]
pub struct Soaked {
    /// Seconds from the start of the process until it took commands.
    pub up_after: f64,
    /// Seconds of load.
    pub seconds: f64,
    /// Terminals that bet.
    pub terminals: usize,
    /// Displays that watched.
    pub watchers: usize,
    /// MiB of journal that it kept.
    pub keeps_mib: u64,
    /// Bets acknowledged.
    pub accepted: u64,
    /// Bets refused: they came after the close.
    pub refused: u64,
    /// Terminals that went and came back.
    pub returns: u64,
    /// Rounds of the crowd's own table.
    pub rounds: u64,
    /// The lines.
    pub samples: Vec<Sample>,
    /// What had to hold.
    pub checks: Vec<Check>,
    /// What went wrong on the way, and errors of the log.
    pub trouble: Vec<String>,
    /// Whether everything holds.
    pub met: bool,
}

/// What the crowd counts while others look.
struct Counts {
    accepted: u64,
    refused: u64,
    hanging: u64,
    returns: u64,
    /// Feeds that the host has ended.
    ended: u64,
    rounds: u64,
    times: Times,
    trouble: Vec<String>,
}

/// What crowd, dealer and the reader of the lines share.
struct Shared {
    over: AtomicBool,
    counts: Mutex<Counts>,
}

impl Shared {
    fn new() -> Shared {
        let counts = Counts {
            accepted: 0,
            refused: 0,
            hanging: 0,
            returns: 0,
            ended: 0,
            rounds: 0,
            times: Times::new(),
            trouble: Vec::new(),
        };
        Shared { over: AtomicBool::new(false), counts: Mutex::new(counts) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Sleeps, but not past the end.
    fn sleep(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.is_over() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50).min(until.saturating_duration_since(Instant::now())));
        }
    }

    /// Something went wrong.
    fn trouble(&self, words: impl Into<String>) {
        let mut counts = self.counts();
        if counts.trouble.len() < 100 {
            counts.trouble.push(words.into());
        }
    }
}

/// Runs the demonstration under load, and reports each line when it is taken.
pub fn soak(plan: &Soak, mut tell: impl FnMut(&Sample) + Send) -> Result<Soaked> {
    let mut server = Server::start(plan)?;
    let up_after = server.up_after;
    eprintln!("  up after {up_after:.1} s; {} terminals sit down", plan.terminals);
    let administrator = Login { name: "administrator1".to_owned(), password: host::PASSWORD.to_owned() };
    let other = Login { name: "administrator2".to_owned(), password: host::PASSWORD.to_owned() };
    let house = House::at(server.address, &server.floor, [&administrator, &other], None, plan.terminals)?;
    let (shared, started) = (Shared::new(), Instant::now());
    let played = std::thread::scope(|scope| {
        let lines = scope.spawn(|| sample::take(&server, &house, &shared, plan, started, &mut tell));
        let dealer = scope.spawn(|| play::deal(&house, &shared));
        let played = play::bet(&house, &shared, plan, started);
        shared.over.store(true, Ordering::Relaxed);
        let dealt = dealer.join().map_err(|_| Failed::new("the dealer failed"));
        let lines = lines.join().map_err(|_| Failed::new("the lines could not be taken"));
        played.and(dealt).and(lines)
    });
    let seconds = started.elapsed().as_secs_f64();
    let seen = match played {
        Ok(seen) => seen,
        Err(Failed(why)) => return Err(Failed(format!("{why}\n{}", server.end_of_log()))),
    };
    let stopped = server.stop();
    let audited = server.audit();
    let log = server.log();
    let counts = shared.counts();
    let checks = judge::judge(plan, &seen, &counts, &log, &stopped, &audited);
    let mut trouble = counts.trouble.clone();
    trouble.extend(log.errors.iter().cloned());
    trouble.extend(stopped.err().into_iter().chain(audited.err()).map(|failed| failed.0));
    Ok(Soaked {
        up_after,
        seconds,
        terminals: plan.terminals,
        watchers: plan.watchers,
        keeps_mib: plan.keeps_mib,
        accepted: counts.accepted,
        refused: counts.refused,
        returns: counts.returns,
        rounds: counts.rounds,
        met: checks.iter().all(|check| check.met),
        samples: seen.samples,
        checks,
        trouble,
    })
}
