//! What the engine publishes to the feeds, the records and other listeners.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use engine::{Durable, Outlet, Recovery, Reply, Tag};
use floor::Event;
use journal::Checkpoint;
use records::Follower;

use super::Hub;
use crate::clock;
use crate::tell::Changes;

/// A listener for durable batches.
pub type Following = Box<dyn FnMut(&Durable<'_>) + Send>;

/// What the engine tells: answers and feeds.
pub struct ToHub {
    /// The read model.
    pub records: Arc<Follower>,
    /// The transparency log; a host of a cluster keeps none.
    pub log: Option<Arc<receipts::Follower>>,
    /// The feeds.
    pub hub: Arc<Hub>,
    /// Other listeners for durable batches: records, the automatic dealers, watchers.
    pub followers: Vec<Following>,
    /// Told when play has stopped.
    pub stopped: Box<dyn FnMut(&str) + Send>,
}

impl Outlet for ToHub {
    fn recovered(&mut self, recovery: &Recovery) {
        self.records.recovered(recovery.sequence);
        if let Some(log) = &self.log {
            log.recovered(recovery.sequence);
        }
    }

    fn durable(&mut self, durable: Durable<'_>) {
        for follower in &mut self.followers {
            follower(&durable);
        }
        if !durable.records.is_empty() {
            self.records.feed(&durable);
            if let Some(log) = &self.log {
                log.feed(&durable);
            }
            let changes = Changes::of(durable.first, durable.records, durable.floor);
            self.hub.sequence.store(durable.floor.sequence(), Ordering::Release);
            let begun = Instant::now();
            self.hub.tell(durable.floor, &changes, durable.replies);
            metrics::histogram!("croupier_fanout_seconds").record(begun.elapsed().as_secs_f64());
            self.hub.deadlines.notify_one();
            if durable.records.iter().any(|record| matches!(record.event, Event::ProgramStarted { .. })) {
                self.hub.began.notify_one();
            }
            // Not one that a host reads again which was away.
            let accepts = |record: &floor::Record| {
                matches!(record.event, Event::ClockAccepted { .. }) && clock::now().since(record.at) < 60_000
            };
            if durable.records.iter().any(accepts) {
                clock::accept();
            }
            for record in durable.records {
                if let Event::StaffChanged { staff, .. } | Event::ActingAssigned { staff, .. } = record.event {
                    self.hub.post_changed(staff);
                }
            }
            if changes.staff || changes.house {
                self.hub.staff.notify_one();
            }
            metrics::counter!("croupier_records_total").increment(durable.records.len() as u64);
        } else if !durable.replies.is_empty() {
            self.hub.reply(self.hub.in_time(durable.replies));
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.hub.signed.send_replace(Some(*checkpoint));
    }

    fn snapshot_failed(&mut self, reason: &str) {
        tracing::error!(reason, "a snapshot could not be written");
    }

    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>) {
        tracing::error!(reason, "play has stopped");
        let replies = waiting.into_iter().map(|tag| (tag, Reply::Stopped(reason.to_owned()))).collect();
        self.hub.reply(replies);
        (self.stopped)(reason);
    }
}
