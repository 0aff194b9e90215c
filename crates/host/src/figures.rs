//! The figures for Prometheus that are read when they are asked for, and those that are shown before they first change.
//!
//! `deploy/prometheus/` has the rules for alerts and `deploy/grafana/` the dashboard that read them.

use std::sync::OnceLock;

use floor::{AlertClass, Floor};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::App;

/// Counters that rules read. They are there from the start, because a rate needs a first value.
const FROM_THE_START: [(&str, Option<(&str, &str)>); 9] = [
    ("croupier_connections_refused_total", None),
    ("croupier_feeds_ended_total", Some(("reason", "slow"))),
    ("croupier_forged_total", Some(("what", "answer"))),
    ("croupier_forged_total", Some(("what", "credentials"))),
    ("croupier_forged_total", Some(("what", "journal"))),
    ("croupier_forged_total", Some(("what", "link"))),
    ("croupier_forged_total", Some(("what", "question"))),
    ("croupier_lease_changes_total", None),
    ("croupier_records_total", None),
];

static FIGURES: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// The figures, in the form Prometheus reads. The first call begins to collect them.
pub fn figures() -> Option<&'static PrometheusHandle> {
    let build = || {
        let buckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("seconds".to_owned()), &buckets)
            .ok()?
            .install_recorder()
            .ok()?;
        for (name, label) in FROM_THE_START {
            let labels = label.map(|(key, value)| metrics::Label::new(key, value));
            metrics::counter!(name, labels.into_iter().collect::<Vec<_>>()).increment(0);
        }
        metrics::gauge!("croupier_feeds").increment(0.0);
        Some(handle)
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

const CLASSES: [(AlertClass, &str); 7] = [
    (AlertClass::Integrity, "integrity"),
    (AlertClass::Meters, "meters"),
    (AlertClass::Money, "money"),
    (AlertClass::Play, "play"),
    (AlertClass::Link, "link"),
    (AlertClass::Host, "host"),
    (AlertClass::Access, "access"),
];

impl App {
    /// The figures of the host.
    #[must_use]
    pub fn metrics(&self) -> String {
        metrics::gauge!("croupier_queue_depth").set(self.engine.waiting() as f64);
        metrics::gauge!("croupier_records_lag").set(self.records.lag() as f64);
        if let Some(log) = &self.log {
            metrics::gauge!("croupier_log_lag").set(log.lag() as f64);
            metrics::gauge!("croupier_log_size").set(log.size() as f64);
            metrics::gauge!("croupier_log_failed").set(f64::from(u8::from(log.failed().is_some())));
        }
        metrics::gauge!("croupier_leads").set(f64::from(u8::from(self.hub.term.holds())));
        metrics::gauge!("croupier_stopped").set(f64::from(u8::from(self.halted().is_some())));
        if let Some(left) = crate::watch::disk_left(&self.config.data) {
            metrics::gauge!("croupier_disk_left_bytes").set(left as f64);
        }
        self.read(of_the_floor);
        figures().map(|figures| figures.render()).unwrap_or_default()
    }
}

/// What the state of the floor says.
fn of_the_floor(floor: &Floor) {
    metrics::gauge!("croupier_sequence").set(floor.sequence() as f64);
    metrics::gauge!("croupier_play_locked").set(f64::from(u8::from(floor.locked_by().is_some())));
    // Money is whole cents everywhere else; Prometheus has only floats, and a gauge decides nothing.
    let (count, cents) = floor.doubts().fold((0_u32, 0_i64), |(count, cents), doubt| {
        (count.saturating_add(1), cents.saturating_add(doubt.amount.get()))
    });
    metrics::gauge!("croupier_tickets_in_doubt").set(f64::from(count));
    metrics::gauge!("croupier_tickets_in_doubt_cents").set(cents as f64);
    for (class, name) in CLASSES {
        let open = floor.alerts().filter(|alert| alert.what().class() == class).count();
        metrics::gauge!("croupier_alerts", "class" => name).set(open as f64);
    }
    let out = floor.devices().iter().filter(|device| device.service().out).count();
    metrics::gauge!("croupier_devices_out_of_service").set(out as f64);
    metrics::gauge!("croupier_tables").set(floor.tables().len() as f64);
    let playing = floor.tables().iter().filter(|table| table.round().is_some()).count();
    metrics::gauge!("croupier_rounds_in_play").set(playing as f64);
}
