//! Logs and figures.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::io;
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;

static FIGURES: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts logging, as text or as JSON lines, and the figures. Only the first call does anything.
pub fn start_logs(filter: &str, json: bool) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let writer = || Bounded(std::io::stderr());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(writer);
    let _ = if json { logs.json().try_init() } else { logs.try_init() };
    figures();
}

/// The figures, in the form Prometheus reads.
pub fn figures() -> Option<&'static PrometheusHandle> {
    let build = || {
        let buckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];
        PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("seconds".to_owned()), &buckets)
            .ok()?
            .install_recorder()
            .ok()
    };
    FIGURES.get_or_init(build).as_ref()
}

/// Moves the measurements into their buckets. Until then every single time is held in memory, so this must run even if
/// the metrics are never read.
pub fn sum_up() {
    if let Some(figures) = figures() {
        figures.run_upkeep();
    }
}

/// The most bytes of a log line, so that a line stays readable whatever a stranger sends.
const LONGEST: usize = 4_096;

/// Cuts lines that are too long. A line comes as one write.
struct Bounded<W>(W);

impl<W: io::Write> io::Write for Bounded<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if line.len() <= LONGEST {
            self.0.write_all(line)?;
        } else {
            let end =
                (0..=LONGEST).rev().find(|end| line.get(*end).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(0);
            self.0.write_all(line.get(..end).unwrap_or_default())?;
            self.0.write_all("…\n".as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_is_never_longer_than_it_may_be() {
        for (line, kept) in [("short\n".to_owned(), 6), (format!("{}\n", "x".repeat(99_999)), LONGEST + 4)] {
            let mut out = Bounded(Vec::new());
            out.write_all(line.as_bytes()).unwrap();
            assert_eq!(out.0.len(), kept);
            assert!(out.0.ends_with(b"\n"));
        }
        let mut out = Bounded(Vec::new());
        out.write_all("龘".repeat(9_999).as_bytes()).unwrap();
        assert!(String::from_utf8(out.0).is_ok(), "not in the middle of a letter");
    }
}
