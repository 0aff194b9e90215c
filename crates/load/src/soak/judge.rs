//! Whether what was seen stays as large as it is.

use serde::Serialize;
use serde_json::Value;

use super::sample::{Sample, Seen};
use super::server::Log;
use super::{Counts, Soak};
use crate::Result;

const MIB: f64 = 1_048_576.0;
/// A segment of a demonstration's journal, in MiB; besides those that are full there is one to write to and one prepared.
const SEGMENT: f64 = 16.0;
/// Retention looks once a minute.
const LOOKS: f64 = 60.0;

/// Something that has to hold.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What.
    pub what: &'static str,
    /// What it was.
    pub value: f64,
    /// What it may be at most.
    pub most: f64,
    /// In which unit.
    pub unit: &'static str,
    /// Whether it holds.
    pub met: bool,
}

fn check(what: &'static str, value: f64, most: f64, unit: &'static str) -> Check {
    Check { what, value, most, unit, met: value <= most }
}

/// The middle one.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The medians of the second and the last third: the first is for warming up, and a median does not mind single peaks.
fn thirds(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> (f64, f64) {
    let third = samples.len() / 3;
    let last = samples.len() - third;
    (median(samples[third..last].iter().map(&of)), median(samples[last..].iter().map(&of)))
}

/// Everything that has to hold.
pub(super) fn judge(
    plan: &Soak,
    seen: &Seen,
    counts: &Counts,
    log: &Log,
    stopped: &Result<f64>,
    audited: &Result<Value>,
) -> Vec<Check> {
    let samples = &seen.samples;
    let mut all = Vec::new();
    let flag = |what, wrong: bool| check(what, f64::from(u8::from(wrong)), 0.0, "");
    all.push(flag("fewer than six lines to judge by", samples.len() < 6));
    // A leak shows as growth from third to third. Allowed is what an allocator may take longer to settle.
    let (before, after) = thirds(samples, |sample| sample.memory as f64 / MIB);
    all.push(check("memory, median of the last third", after, before * 1.05 + 8.0, "MiB"));
    let (before, after) = thirds(samples, |sample| sample.files as f64);
    all.push(check("open files, likewise", after, before * 1.05 + 8.0, ""));
    let (before, after) = thirds(samples, |sample| sample.threads as f64);
    all.push(check("threads, likewise", after, before + 4.0, ""));
    all.extend(disk(plan, samples));
    let (_, lag) = thirds(samples, |sample| sample.lag as f64);
    all.push(check("records behind, median of the last third", lag, 10_000.0, ""));
    all.push(check("messages left hanging", counts.hanging as f64, 0.0, ""));
    all.push(check("feeds ended by the host", counts.ended as f64, 0.0, ""));
    all.push(flag("no bet was acknowledged", counts.accepted == 0));
    all.push(check("failures of dealer, figures and reports", counts.trouble.len() as f64, 0.0, ""));
    all.push(flag("a report whose figures do not agree", !seen.agreed));
    all.push(check("errors in the log", log.errors.len() as f64, 0.0, ""));
    all.push(check("seconds to stop in order", stopped.as_ref().copied().unwrap_or(f64::INFINITY), 30.0, "s"));
    all.push(flag("findings of the audit", audited.is_err()));
    all
}

/// The journal is held by its retention, which must have acted; the records by gaming days, which are longer than this:
/// what can be seen of them is that a record of the journal does not cost them more and more.
fn disk(plan: &Soak, samples: &[Sample]) -> Vec<Check> {
    let removed = samples.last().map_or(0, |last| last.removed);
    let grown = |pair: &[Sample]| {
        let [one, two] = pair else { return 0.0 };
        let new = two.removed.saturating_sub(one.removed) as f64 * SEGMENT;
        ((two.journal as f64 - one.journal as f64) / MIB + new) / (two.elapsed - one.elapsed).max(1.0) * LOOKS
    };
    let a_look = samples.windows(2).map(grown).fold(0.0, f64::max);
    let largest = samples.iter().map(|sample| sample.journal as f64 / MIB).fold(0.0, f64::max);
    let snapshots = samples.iter().map(|sample| sample.snapshot_files as f64).fold(0.0, f64::max);
    let cost = |part: &[Sample]| match part {
        [first, .., last] => {
            let bytes = last.records as f64 - first.records as f64;
            bytes / (last.sequence as f64 - first.sequence as f64).max(1.0)
        }
        _ => 0.0,
    };
    let third = samples.len() / 3;
    let (second, last) = (&samples[third..samples.len() - third], &samples[samples.len() - third..]);
    vec![
        check("retention that never acted", f64::from(u8::from(removed == 0)), 0.0, ""),
        check("largest journal", largest, plan.keeps_mib as f64 + a_look + 3.0 * SEGMENT, "MiB"),
        check("snapshots at once", snapshots, 4.0, ""),
        check("bytes in the records for each record, last third", cost(last), cost(second) * 1.25 + 64.0, "bytes"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen_and_a_peak_is_not() {
        let sample = |memory: u64| Sample { memory: memory << 20, ..Sample::default() };
        let flat: Vec<Sample> = (0..30).map(|at| sample(if at == 25 { 900 } else { 100 })).collect();
        assert_eq!(thirds(&flat, |sample| sample.memory as f64 / MIB), (100.0, 100.0));
        let leak: Vec<Sample> = (0..30).map(|at| sample(100 + 2 * at)).collect();
        let (before, after) = thirds(&leak, |sample| sample.memory as f64 / MIB);
        assert!(after > before * 1.05 + 8.0, "{before} {after}");
        assert_eq!(thirds(&[], |sample| sample.memory as f64), (0.0, 0.0));
    }
}
