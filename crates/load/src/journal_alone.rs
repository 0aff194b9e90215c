//! The bare journal in an open loop: what a durable write costs on this disk before anything is added to it.

use std::path::Path;
use std::time::{Duration, Instant};

use journal::{Batch, Journal, Options, RealDisk};

use crate::report::{Latency, Times};
use crate::{Failed, Result};

/// Bytes of a record, about those of a bet.
const RECORD: [u8; 48] = [7; 48];

/// This many records a second, for a time; all records due go into one batch. Timed from when each was due.
pub fn measure(folder: &Path, rate: f64, time: Duration) -> Result<Latency> {
    let failed = |error: &dyn std::fmt::Display| Failed::new(format!("the journal: {error}"));
    let disk = RealDisk::new(folder).map_err(|error| failed(&error))?;
    let (mut journal, _) =
        Journal::open(disk, Options::default(), None, |_, _| Ok(())).map_err(|error| failed(&error))?;
    let mut times = Times::new();
    let mut batch = Batch::new();
    let mut sequence = 0;
    let mut done = 0_u64;
    let started = Instant::now();
    while started.elapsed() < time {
        let due = (started.elapsed().as_secs_f64() * rate) as u64;
        if due == done {
            std::thread::sleep(Duration::from_micros(50));
            continue;
        }
        batch.clear();
        let first = done;
        while done < due && batch.fits(&RECORD) {
            batch.push(i64::try_from(done).unwrap_or(i64::MAX), &RECORD);
            done += 1;
        }
        sequence = journal.append(sequence, &mut batch).map_err(|error| failed(&error))?;
        let now = Instant::now();
        for record in first..done {
            let at = started + Duration::from_secs_f64(record as f64 / rate);
            times.record(now.saturating_duration_since(at));
        }
    }
    Ok(times.latency())
}
