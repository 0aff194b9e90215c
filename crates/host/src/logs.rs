//! Logs and figures.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;

static FIGURES: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts logging, as text or as JSON lines, and the figures. Only the first call does anything.
pub fn start_logs(filter: &str, json: bool) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr);
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

/// Puts what was measured into its buckets. Until then every single time is held in memory, so that somebody must do it
/// even where nobody ever asks for the figures.
pub fn sum_up() {
    if let Some(figures) = figures() {
        figures.run_upkeep();
    }
}
