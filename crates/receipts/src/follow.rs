//! Beside a floor in play: a thread that extends the tree by what is durable and signs its heads, without delaying play.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Durable;
use journal::Batch;

use crate::heads::Head;
use crate::journal_reader::Segments;
use crate::keys::{self, Keys};
use crate::tree::{DayName, Tree, TreeError};

/// How long batches are gathered before they are worked on.
const GATHER: Duration = Duration::from_millis(40);
/// The domain of a log whose house has not set one.
const NOWHERE: &str = "croupier.invalid";
/// The shortest time between two heads that are asked for.
const ON_DEMAND: Duration = Duration::from_secs(1);
/// The pause after a failure; twice as long each time, up to the second.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// Receives the errors of the log, in words. Play is not affected.
pub type Report = Box<dyn Fn(&str) + Send>;

/// Told the size of every head that was signed, when it is durable.
pub type Signed = Box<dyn Fn(u64) + Send>;

/// How the log of a running floor is kept.
pub struct Options {
    /// The domain of the house, for the name of a log that has no keys yet: `domain/floor/1`.
    pub domain: Option<String>,
    /// Folders with archived segments, for a tree that is made again.
    pub archives: Vec<PathBuf>,
    /// Bytes of batches that may wait in memory. When more come, they are read from the journal.
    pub queue: usize,
    /// A head is signed this often, if there are new records.
    pub sign_every: Duration,
    /// How gaming days are called.
    pub day_name: DayName,
    /// Told what went wrong.
    pub report: Option<Report>,
    /// Told of every head.
    pub signed: Option<Signed>,
}

impl Default for Options {
    fn default() -> Options {
        let (queue, sign_every) = (16 << 20, Duration::from_secs(60));
        Options {
            domain: None,
            archives: Vec::new(),
            queue,
            sign_every,
            day_name: |day| day.to_string(),
            report: None,
            signed: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("queue", &self.queue).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Inside {
    /// Durable batches with the sequence of their first record.
    waiting: VecDeque<(u64, Arc<Batch>)>,
    bytes: usize,
    /// The last durable record; `None` before the floor has come up.
    durable: Option<u64>,
    /// A head with at least so many records is wanted.
    wanted: u64,
    stopping: bool,
    size: u64,
    head: Option<Arc<Head>>,
    failed: Option<String>,
    ended: bool,
}

struct Shared {
    inside: Mutex<Inside>,
    /// For the thread: something came.
    work: Condvar,
    /// For those who wait: a head was signed, or none will be.
    done: Condvar,
    queue: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The log of a running floor, kept up to date by a thread of its own.
///
/// Feeding it shares the batch and never waits. When too many wait, they are read from the journal later. An error is
/// reported and the work tried again; a journal that is not the one whose heads were signed ends it, and nothing is signed
/// any more. Play goes on in either case.
pub struct Follower {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Follower {
    /// Starts to follow the floor whose journal is in that folder.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub fn start(folder: &Path, options: Options) -> io::Result<Follower> {
        let shared =
            Shared { inside: Mutex::default(), work: Condvar::new(), done: Condvar::new(), queue: options.queue };
        let shared = Arc::new(shared);
        let following = Following { folder: folder.to_owned(), options, shared: Arc::clone(&shared), tree: None };
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            give_way();
            following.run();
        })?;
        Ok(Follower { shared, thread: Mutex::new(Some(thread)) })
    }

    /// The floor has come up, and its journal is durable up to this record. Nothing is opened before.
    pub fn recovered(&self, sequence: u64) {
        self.shared.lock().durable = Some(sequence);
        self.shared.work.notify_one();
    }

    /// Accepts what has become durable. This never waits.
    pub fn feed(&self, durable: &Durable<'_>) {
        if durable.records.is_empty() {
            return;
        }
        let last = durable.first + durable.records.len() as u64 - 1;
        let batch = durable.share_bytes();
        let mut inside = self.shared.lock();
        inside.durable = Some(last);
        let idle = inside.waiting.is_empty();
        if batch.count() as usize == durable.records.len() && inside.bytes + batch.size() <= self.shared.queue {
            inside.bytes += batch.size();
            inside.waiting.push_back((durable.first, batch));
        } else {
            // It is read from the journal.
            inside.waiting.clear();
            inside.bytes = 0;
        }
        if idle {
            self.shared.work.notify_one();
        }
    }

    /// The last head that was signed.
    #[must_use]
    pub fn head(&self) -> Option<Arc<Head>> {
        self.shared.lock().head.clone()
    }

    /// How many records the tree has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shared.lock().size
    }

    /// How many durable records are not yet in the tree.
    #[must_use]
    pub fn lag(&self) -> u64 {
        let inside = self.shared.lock();
        inside.durable.unwrap_or(0).saturating_sub(inside.size)
    }

    /// Why nothing is signed any more, or not now.
    #[must_use]
    pub fn failed(&self) -> Option<String> {
        self.shared.lock().failed.clone()
    }

    /// A head with at least so many records, signed now if there is none; `None` if there is none after that time.
    #[must_use]
    pub fn head_of(&self, size: u64, patience: Duration) -> Option<Arc<Head>> {
        let until = Instant::now() + patience;
        let mut inside = self.shared.lock();
        loop {
            if let Some(head) = inside.head.as_ref().filter(|head| head.checkpoint.size >= size) {
                return Some(Arc::clone(head));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || inside.ended {
                return None;
            }
            inside.wanted = inside.wanted.max(size);
            self.shared.work.notify_one();
            inside = self.shared.done.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Brings the tree to the end of what is durable and signs it, also while others still hold the follower. When this
    /// returns, nothing is written any more.
    pub fn end(&self) {
        self.shared.lock().stopping = true;
        self.shared.work.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the thread works with.
struct Following {
    folder: PathBuf,
    options: Options,
    shared: Arc<Shared>,
    tree: Option<Tree>,
}

/// What there is to do.
struct Task {
    durable: u64,
    batches: VecDeque<(u64, Arc<Batch>)>,
    wanted: u64,
    stopping: bool,
}

impl Following {
    fn run(mut self) {
        let mut signed = Instant::now();
        let mut pause = AGAIN.0;
        let mut reported = None;
        while let Some(task) = self.next(signed) {
            let stopping = task.stopping;
            match self.work(&task, &mut signed) {
                Ok(()) => (pause, reported) = (AGAIN.0, None),
                Err(error) => {
                    let words = error.to_string();
                    self.shared.lock().failed = Some(words.clone());
                    if reported.as_ref() != Some(&words)
                        && let Some(report) = &self.options.report
                    {
                        report(&words);
                    }
                    reported = Some(words);
                    // What was half written is cut off when the files are opened again.
                    self.tree = None;
                    if error.is_final() || stopping {
                        break;
                    }
                    let inside = self.shared.lock();
                    let waits = |inside: &mut Inside| !inside.stopping;
                    drop(self.shared.work.wait_timeout_while(inside, pause, waits));
                    pause = (pause * 2).min(AGAIN.1);
                }
            }
            if stopping {
                break;
            }
        }
        self.shared.lock().ended = true;
        self.shared.done.notify_all();
    }

    /// Waits for work; `None` if there will be none.
    fn next(&self, signed: Instant) -> Option<Task> {
        let mut inside = self.shared.lock();
        loop {
            let is_open = self.tree.is_some();
            let unsigned = self.tree.as_ref().is_some_and(Tree::has_unsigned);
            let durable = inside.durable.unwrap_or(0);
            let is_wanted = inside.wanted > inside.head.as_ref().map_or(0, |head| head.checkpoint.size);
            let due = if is_wanted { signed + ON_DEMAND } else { signed + self.options.sign_every };
            let left = due.saturating_duration_since(Instant::now());
            if inside.stopping && durable == 0 {
                return None;
            }
            // The first record gives the floor its name.
            let comes_up = !is_open && durable > 0;
            let is_due = unsigned && left.is_zero();
            if inside.stopping || comes_up || is_due || (is_open && durable > inside.size) {
                break;
            }
            let wait = if unsigned { left.max(Duration::from_millis(1)) } else { Duration::from_secs(3_600) };
            inside = self.shared.work.wait_timeout(inside, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
        if !inside.stopping && inside.wanted <= inside.size {
            inside = self.shared.work.wait_timeout(inside, GATHER).unwrap_or_else(PoisonError::into_inner).0;
        }
        inside.bytes = 0;
        let (durable, wanted, stopping) = (inside.durable?, inside.wanted, inside.stopping);
        Some(Task { durable, batches: std::mem::take(&mut inside.waiting), wanted, stopping })
    }

    /// The name of a log that has no keys yet.
    fn name(&self) -> io::Result<String> {
        let segments = Segments::new(&self.folder, &self.options.archives);
        let mut floor = String::new();
        segments.after(0, |_, entries| {
            let first = entries.first().and_then(|entry| engine::decode(entry.time, entry.bytes).ok());
            if let Some(floor::Event::FloorCreated(settings)) = first.map(|record| record.event) {
                floor = settings.name;
            }
            Ok(false)
        })?;
        Ok(keys::name(self.options.domain.as_deref().unwrap_or(NOWHERE), &floor, 1))
    }

    fn work(&mut self, task: &Task, signed: &mut Instant) -> Result<(), TreeError> {
        let tree = match &mut self.tree {
            Some(tree) => tree,
            None => {
                let Keys { signer, salt } = Keys::open(&self.folder, || self.name())?;
                let (archives, day_name) = (&self.options.archives, self.options.day_name);
                let tree = Tree::open(&self.folder, archives, salt, Box::new(signer), day_name, task.durable)?;
                self.tree.insert(tree)
            }
        };
        for (first, batch) in &task.batches {
            tree.extend(*first, &batch.entries())?;
        }
        tree.catch_up(task.durable)?;
        let size = tree.size();
        let due = signed.elapsed() >= self.options.sign_every || task.stopping;
        let wanted = task.wanted > tree.head().map_or(0, |head| head.checkpoint.size) && signed.elapsed() >= ON_DEMAND;
        if (due || wanted) && tree.has_unsigned() {
            tree.sign()?;
            *signed = Instant::now();
        }
        let head = tree.head().cloned();
        let mut inside = self.shared.lock();
        inside.size = size;
        inside.failed = None;
        if inside.head.as_deref() != head.as_ref() {
            let size = head.as_ref().map_or(0, |head| head.checkpoint.size);
            inside.head = head.map(Arc::new);
            self.shared.done.notify_all();
            drop(inside);
            if let Some(signed) = &self.options.signed {
                signed(size);
            }
        }
        Ok(())
    }
}

/// Play comes first where there are fewer processors than work.
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
        let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let thread = thread_priority::thread_native_id();
        // Where it is not allowed, the tree is built at the priority of everything else.
        let _ = thread_priority::set_thread_priority_and_policy(thread, ThreadPriority::Min, policy);
    }
}
