//! What was measured.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Times, from one microsecond to a minute.
pub struct Times(Histogram<u64>);

impl Times {
    /// None yet.
    pub fn new() -> Times {
        Times(Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("the bounds are right")))
    }

    /// One more.
    pub fn record(&mut self, time: Duration) {
        self.0.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// In milliseconds.
    pub fn latency(&self) -> Latency {
        let at = |quantile: f64| self.0.value_at_quantile(quantile) as f64 / 1000.0;
        Latency { count: self.0.len(), p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1.0) }
    }
}

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Latency {
    /// How many.
    pub count: u64,
    /// Half took no longer.
    pub p50: f64,
    /// 90 of 100.
    pub p90: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 999 of 1,000.
    pub p999: f64,
    /// The longest.
    pub max: f64,
}

/// What one run measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was measured.
    pub mode: &'static str,
    /// Terminals.
    pub terminals: usize,
    /// Seconds that the measured part took.
    pub seconds: f64,
    /// Messages answered.
    pub messages: u64,
    /// Bets accepted: single changes, several in a message.
    pub bets: u64,
    /// Messages refused.
    pub refused: u64,
    /// Messages never answered.
    pub hanging: u64,
    /// Bets accepted a second.
    pub bets_a_second: f64,
    /// Milliseconds; in `fanout`, `settle` and `reconnect` until the last terminal, once for each run.
    pub latency: Option<Latency>,
    /// Bytes of the host's memory for each connection, where the host was started here.
    pub memory_each: Option<u64>,
}

impl Report {
    /// Nothing measured yet.
    pub fn new(mode: &'static str, terminals: usize) -> Report {
        Report {
            mode,
            terminals,
            seconds: 0.0,
            messages: 0,
            bets: 0,
            refused: 0,
            hanging: 0,
            bets_a_second: 0.0,
            latency: None,
            memory_each: None,
        }
    }
}
