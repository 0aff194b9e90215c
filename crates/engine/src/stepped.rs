//! The engine without threads: the same loop, writer and snapshots, each advanced one step at a time by the caller. A
//! simulation can then stop it between any two steps, and the same seed gives the same run.

use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use floor::{Command, Floor};
use journal::{Disk, Journal, Log};

use crate::beside::{Beside, Steps};
use crate::decide::{Decider, Writes};
use crate::follow::{Source, follow_once};
use crate::publish::{Publish, Publisher, Shown};
use crate::queue::{Queue, Refused, Tag, Task};
use crate::recovery::{Recovery, StartError, recover};
use crate::run::{Options, Outlet, sign_end, write_task};

/// A floor that is driven in steps.
pub struct Stepped<D: Disk, S: Source, L: Log> {
    queue: Arc<Queue>,
    durable: Arc<RwLock<Floor>>,
    snapshots: Steps,
    role: Role<D, S, L>,
}

enum Role<D: Disk, S: Source, L: Log> {
    Follows(Box<(Journal<D>, S)>, Box<dyn Publish>),
    Leads(Box<Decider<L>>, Arc<Mutex<L>>),
    Ended,
}

/// The source of a floor that has one host: nothing comes from elsewhere.
pub enum Nobody {}

impl Source for Nobody {
    type Bytes = Vec<u8>;

    fn next(&mut self, _within: Duration) -> Option<Vec<u8>> {
        match *self {}
    }

    fn taken(&self) -> u64 {
        match *self {}
    }
}

impl<D: Disk> Stepped<D, Nobody, Journal<D>>
where
    Journal<D>: Send,
{
    /// Opens the floor of a disk, to decide there.
    ///
    /// # Errors
    /// When the disk fails or the log is damaged.
    pub fn start(disk: D, options: Options, outlet: impl Outlet) -> Result<(Self, Recovery), StartError> {
        let (journal, floor, recovery) = recover(&disk, options.journal)?;
        let (queue, durable, snapshots, publisher) = shown(disk, options, journal.id(), floor, &recovery, outlet);
        let mut stepped = Stepped { queue, durable, snapshots, role: Role::Ended };
        stepped.decide_on(journal, publisher);
        Ok((stepped, recovery))
    }
}

impl<D: Disk, S: Source, L: Log> Stepped<D, S, L> {
    /// Opens the copy of a floor that another host writes.
    ///
    /// # Errors
    /// When the disk fails, the log is damaged, or there is no source for it.
    pub fn follow(
        disk: D,
        options: Options,
        outlet: impl Outlet,
        source: impl FnOnce(&mut Journal<D>) -> Result<S, StartError>,
    ) -> Result<(Self, Recovery), StartError> {
        let (mut journal, floor, recovery) = recover(&disk, options.journal)?;
        let source = source(&mut journal)?;
        let (queue, durable, snapshots, publisher) = shown(disk, options, journal.id(), floor, &recovery, outlet);
        let role = Role::Follows(Box::new((journal, source)), publisher);
        Ok((Stepped { queue, durable, snapshots, role }, recovery))
    }

    /// Stores and publishes the next message of another host; false if there is none. An error ends it.
    ///
    /// # Errors
    /// Why nothing can be followed any more.
    pub fn follow_step(&mut self) -> Result<bool, String> {
        let Role::Follows(kept, publisher) = &mut self.role else { return Ok(false) };
        let (journal, source) = &mut **kept;
        follow_once(journal, source, &mut **publisher, Duration::ZERO).inspect_err(|reason| self.queue.fail(reason, []))
    }

    /// The number of the last message that was followed; `None` where nothing is.
    #[must_use]
    pub fn taken(&self) -> Option<u64> {
        match &self.role {
            Role::Follows(kept, _) => Some(kept.1.taken()),
            _ => None,
        }
    }

    /// Takes over: from now on this host decides and writes.
    ///
    /// # Errors
    /// When nothing was followed.
    pub fn lead(&mut self, log: impl FnOnce(Journal<D>, S) -> L) -> Result<(), StartError> {
        let Role::Follows(kept, publisher) = std::mem::replace(&mut self.role, Role::Ended) else {
            return Err(StartError::Disk(io::Error::other("nothing is followed here")));
        };
        self.decide_on(log(kept.0, kept.1), publisher);
        Ok(())
    }

    fn decide_on(&mut self, log: L, publisher: Box<dyn Publish>) {
        let log = Arc::new(Mutex::new(log));
        let decider = Decider::new(self.read(Floor::clone), Arc::clone(&log), publisher, Writes::InSteps);
        self.role = Role::Leads(Box::new(decider), log);
    }

    /// Whether commands are decided here.
    #[must_use]
    pub fn leads(&self) -> bool {
        matches!(self.role, Role::Leads(..))
    }

    /// Takes a command in. Its answer comes through the outlet.
    ///
    /// # Errors
    /// When another host leads, too much is waiting, or play has stopped.
    pub fn submit(&self, tag: Tag, command: Command) -> Result<(), Refused> {
        if !self.leads() {
            return Err(Refused::Follows);
        }
        self.queue.submit(std::iter::once((tag, command)))
    }

    /// One turn of the loop that decides and publishes; false if there was nothing to do.
    pub fn decide(&mut self) -> bool {
        let Role::Leads(decider, _) = &mut self.role else { return false };
        match decider.step(&self.queue) {
            None | Some(Ok(false)) => false,
            Some(Ok(true)) => true,
            Some(Err(reason)) => {
                self.queue.fail(&reason, []);
                false
            }
        }
    }

    /// One turn of the writer; false if there was nothing to do. It signs on request.
    pub fn write(&mut self, sign: bool) -> bool {
        let Role::Leads(_, log) = &mut self.role else { return false };
        match self.queue.work_now(sign) {
            None | Some(Task::Over) => false,
            Some(task) => {
                if let Err(reason) = write_task(&self.queue, log, task) {
                    self.queue.fail(&reason, []);
                }
                true
            }
        }
    }

    /// Writes the snapshot that waits to be written; false if none does.
    pub fn snapshot(&mut self) -> bool {
        self.snapshots.step()
    }

    /// Whether the disk takes so long that a thread of its own writes.
    pub fn set_slow(&self, slow: bool) {
        self.queue.set_slow(slow);
    }

    /// Looks at the durable floor.
    pub fn read<T>(&self, look: impl FnOnce(&Floor) -> T) -> T {
        look(&self.durable.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why play has stopped, if it has.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        self.queue.stopped()
    }

    /// Ends in order: finishes the queue, signs the end and makes a snapshot. After a failure, clients that still wait
    /// get the reason.
    pub fn stop(mut self) {
        self.queue.stop();
        match std::mem::replace(&mut self.role, Role::Ended) {
            Role::Leads(decider, log) => self.end(*decider, &log),
            Role::Follows(_, publisher) => {
                self.queue.decided_all(Vec::new());
                drop(publisher);
            }
            Role::Ended => {}
        }
    }

    fn end(&self, mut decider: Decider<L>, log: &Mutex<L>) {
        let queue = &self.queue;
        loop {
            let decided = decider.step(queue);
            if let Some(Err(reason)) = &decided {
                queue.fail(reason, []);
            }
            let is_over = !matches!(decided, None | Some(Ok(true)));
            let Some(task) = queue.work_now(false) else {
                if is_over {
                    break;
                }
                continue;
            };
            if !write_task(queue, log, task).unwrap_or_else(|reason| {
                queue.fail(&reason, []);
                false
            }) {
                break;
            }
        }
        decider.decided_all(queue);
        sign_end(queue, log);
        queue.written_all();
        while let Some(written) = queue.rest() {
            decider.publish_rest(queue, written);
        }
        decider.compare(queue);
    }

    /// The process ends here, as when it is killed: what was not written is lost, and there are no answers. The same
    /// happens when this is dropped.
    pub fn kill(self) {}
}

impl<D: Disk, S: Source, L: Log> Drop for Stepped<D, S, L> {
    fn drop(&mut self) {
        self.snapshots.forget();
        match &mut self.role {
            Role::Leads(decider, _) => decider.vanish(),
            Role::Follows(_, publisher) => publisher.vanish(),
            Role::Ended => {}
        }
    }
}

type Showing = (Arc<Queue>, Arc<RwLock<Floor>>, Steps, Box<dyn Publish>);

fn shown<D: Disk>(
    disk: D,
    options: Options,
    journal: [u8; 16],
    floor: Floor,
    recovery: &Recovery,
    outlet: impl Outlet,
) -> Showing {
    let (queue, durable) = (Arc::new(Queue::untimed(options.queue)), Arc::new(RwLock::new(floor)));
    let snapshots = Steps::default();
    let beside = Beside::Steps(snapshots.clone());
    let shown = Shown { queue: Arc::clone(&queue), durable: Arc::clone(&durable), beside };
    let (publishes, _) = channel();
    let publisher = Publisher::new(disk, options, journal, shown, recovery, outlet, publishes);
    (queue, durable, snapshots, Box::new(publisher))
}
