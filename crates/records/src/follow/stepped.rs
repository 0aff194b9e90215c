//! The follower without a thread, for simulations: the caller takes the same turns one by one.

use std::sync::Arc;
use std::time::Duration;

use floor::Record;
use journal::Disk;

use super::FollowerOptions;
use super::feed::{Batch, Feed};
use super::log::Log;
use super::writing::{Place, Writing};
use crate::{Error, Records};

/// What keeps the records of a floor that is driven in steps. The database is in memory and outlives the follower, as a file
/// outlives a process.
pub struct StepFollower<D: Disk> {
    writing: Writing<D>,
    records: Option<Records>,
}

impl<D: Disk> StepFollower<D> {
    /// Follows the floor whose journal is on that disk, with the database that an earlier one has left. A database that was
    /// not closed in order is trusted only in the same run of the machine, which has a name.
    #[must_use]
    pub fn start(
        disk: D,
        archives: Vec<D>,
        options: FollowerOptions,
        left: Option<Records>,
        boot: String,
    ) -> StepFollower<D> {
        let options = FollowerOptions { gather: Duration::ZERO, ..options };
        let feed = Arc::new(Feed::new(options.queue));
        let log = Log { folder: disk, archives };
        StepFollower {
            writing: Writing::new(feed, Place::Memory(left.map(Box::new), boot), log, options),
            records: None,
        }
    }

    /// The floor has come up, and its journal is durable up to this record.
    pub fn recovered(&self, sequence: u64) {
        self.writing.feed.reach(sequence);
    }

    /// Accepts what has become durable.
    pub fn take_in(&self, first: u64, records: Arc<Vec<Record>>) {
        self.writing.feed.put(Batch { first, records });
    }

    /// One turn; false if there was nothing to do.
    ///
    /// # Errors
    /// What went wrong. The next turn tries again, as the thread does after a pause.
    pub fn step(&mut self) -> Result<bool, Error> {
        let mut records = match self.records.take() {
            Some(records) => records,
            None => match self.writing.begin()? {
                Some(records) => records,
                None => return Ok(false),
            },
        };
        if !self.writing.is_ready() {
            self.records = Some(records);
            return Ok(false);
        }
        match self.writing.turn(&mut records) {
            Ok(more) => {
                self.records = Some(records);
                Ok(more)
            }
            Err(error) => {
                self.writing.anew = error.wants_rebuild();
                self.keep(records);
                Err(error)
            }
        }
    }

    /// The records as they are, if they are open.
    #[must_use]
    pub fn records(&self) -> Option<&Records> {
        self.records.as_ref()
    }

    /// The process ends here: the database as it is left.
    #[must_use]
    pub fn kill(mut self) -> Option<Records> {
        self.left()
    }

    /// Ends in order.
    ///
    /// # Errors
    /// When the database cannot be closed.
    pub fn stop(mut self) -> Result<Option<Records>, Error> {
        let left = self.left();
        if let Some(records) = &left {
            records.close()?;
        }
        Ok(left)
    }

    fn left(&mut self) -> Option<Records> {
        match &mut self.writing.place {
            Place::Memory(kept, _) => self.records.take().or_else(|| kept.take().map(|kept| *kept)),
            Place::File(_) => None,
        }
    }

    fn keep(&mut self, records: Records) {
        if let Place::Memory(kept, _) = &mut self.writing.place {
            *kept = Some(Box::new(records));
        }
    }
}
