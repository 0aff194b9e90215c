//! A cluster in memory: the stream of a floor and the key of its lease, reached over a network that loses, repeats and delays
//! what is said, by hosts whose clocks run at different speeds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::lease::{Entry, Key, Unknown};
use cluster::requests::{self, Published, Requests};
use cluster::{Error, Quorum};
use engine::Source;
use journal::Position;
use simulator::Chance;

use crate::flaw::Flaw;
use crate::ground;
use crate::plan::{Course, Fault};
use crate::summary::Summary;

/// How long a request waits for its answer.
const REQUEST: Duration = Duration::from_secs(2);
/// How long a lease holds.
pub(crate) const LEASE: Duration = Duration::from_secs(3);
/// Clocks are fast or slow by at most one part in so many.
const DRIFT: i64 = 20;

/// A host in one of its runs. No two runs have the same.
pub(crate) type Session = u64;

/// What the lease's key holds.
struct Held {
    revision: u64,
    value: Option<Bytes>,
    /// When it was written, and by whom.
    at: Duration,
    by: Session,
}

/// A request that is on its way.
#[derive(Copy, Clone)]
struct Sent {
    arrives: bool,
    comes_back: bool,
    at: Duration,
}

/// The turn of the other hosts while one of them waits for an answer.
type Others = Arc<dyn Fn() + Send + Sync>;

/// The cluster, and the network between it and the hosts.
pub(crate) struct Net {
    course: Course,
    pub chance: Chance,
    pub summary: Summary,
    base: Instant,
    /// The true time.
    now: Duration,
    messages: Vec<Bytes>,
    /// The last record of the stream.
    pub sequence: u64,
    /// Who wrote last, and who wrote before that.
    writer: Session,
    wrote: BTreeSet<Session>,
    key: Option<Held>,
    /// Who has ever had the lease.
    pub led: BTreeSet<Session>,
    /// Messages that are still on their way though their sender no longer waits.
    late: Vec<(Session, u64, Bytes)>,
    pub cut_off: Vec<bool>,
    /// How fast the clock of a host is, in parts of [`DRIFT`] squared.
    rates: Vec<i64>,
    /// Nothing more goes wrong.
    pub calm: bool,
    /// What happens while a request or its answer is on the way.
    pub others: Option<Others>,
    /// What does not hold.
    pub wrong: Option<String>,
}

impl Net {
    /// A cluster that has the journal of a seed.
    pub fn new(course: &Course, hosts: usize, log: &[&[floor::Record]]) -> Net {
        let mut chance = course.chance(0, 4);
        let drifts = course.may(Fault::Drift);
        let mut rate = || if drifts { DRIFT * DRIFT + chance.between(-DRIFT, DRIFT) } else { DRIFT * DRIFT };
        let rates = (0..hosts).map(|_| rate()).collect();
        let mut position = Position::begin(ground::JOURNAL);
        let mut messages = vec![Bytes::from(Position::opening(ground::JOURNAL))];
        for mut batch in log.iter().flat_map(|log| ground::batches(log)) {
            let (bytes, after) = position.seal(&mut batch);
            messages.push(Bytes::copy_from_slice(bytes));
            position = after;
        }
        Net {
            course: course.clone(),
            chance,
            summary: Summary::default(),
            base: Instant::now(),
            now: Duration::ZERO,
            messages,
            sequence: position.sequence,
            writer: 0,
            wrote: BTreeSet::new(),
            key: None,
            led: BTreeSet::new(),
            late: Vec::new(),
            cut_off: vec![false; hosts],
            rates,
            calm: false,
            others: None,
            wrong: None,
        }
    }

    pub fn blame(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    pub fn pass(&mut self, span: Duration) {
        self.now += span;
    }

    /// The time by the clock of a host.
    fn clock(&self, host: usize) -> Instant {
        let parts = u128::try_from(self.rates[host]).unwrap_or(1);
        let nanos = self.now.as_nanos() * parts / u128::try_from(DRIFT * DRIFT).unwrap_or(1);
        self.base + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn happens(&mut self, fault: Fault, times: u32) -> bool {
        let happens = !self.calm && self.course.may(fault) && self.chance.one_in(times);
        if happens {
            self.summary.fault(fault);
        }
        happens
    }

    /// A request is sent: whether it reaches the cluster, and whether its answer comes back; how long that takes.
    fn sends(&mut self, host: usize) -> Sent {
        let (arrives, comes_back) = self.carries(host);
        Sent { arrives, comes_back, at: self.now }
    }

    fn carries(&mut self, host: usize) -> (bool, bool) {
        self.now += Duration::from_millis(1 + self.chance.below(4) as u64);
        if self.cut_off[host] {
            self.now += REQUEST;
            return (false, false);
        }
        if self.happens(Fault::Delay, 12) {
            self.now += Duration::from_millis(self.chance.below(1_500) as u64);
        }
        if self.happens(Fault::LostReply, 25) {
            self.now += REQUEST;
            return (self.chance.one_in(2), false);
        }
        (true, true)
    }

    /// Whether the answer comes back. One that has taken longer than its sender waits is lost, or comes as the sender goes on.
    fn comes_back(&mut self, sent: Sent) -> bool {
        let late = self.now.saturating_sub(sent.at) > REQUEST;
        sent.comes_back && !(late && self.chance.one_in(2))
    }

    /// The stream takes a message if it comes after the one of that number.
    fn take(&mut self, session: Session, after: u64, bytes: &Bytes) -> bool {
        let ignored = self.course.has(Flaw::FenceIgnored) && after > 0;
        if self.messages.len() as u64 != after && !ignored {
            return false;
        }
        self.append(session, bytes);
        true
    }

    fn append(&mut self, session: Session, bytes: &Bytes) {
        if session != self.writer && !self.wrote.insert(session) {
            self.blame(format!("two hosts write in turn: run {session} again after run {}", self.writer));
        }
        self.writer = session;
        self.messages.push(bytes.clone());
        if let Some(position) = Position::after(ground::JOURNAL, bytes) {
            self.sequence = position.sequence;
        }
        if self.course.has(Flaw::QuorumForgets) && self.chance.one_in(40) {
            self.messages.pop();
            self.sequence = self
                .messages
                .last()
                .and_then(|last| Position::after(ground::JOURNAL, last))
                .map_or(0, |at| at.sequence);
        }
    }

    /// What was late arrives.
    pub fn arrive(&mut self) {
        if !self.late.is_empty() {
            let (session, after, bytes) = self.late.swap_remove(self.chance.below(self.late.len()));
            self.take(session, after, &bytes);
        }
    }

    /// The revision of the lease's key.
    fn revision(&self) -> Option<u64> {
        self.key.as_ref().map(|held| held.revision)
    }

    fn put(&mut self, session: Session, value: &Bytes) {
        let (known, now) = (self.revision(), self.now);
        if let Some(held) = self.key.as_ref().filter(|held| held.by != session && held.value.is_some()) {
            let age = now.saturating_sub(held.at);
            // By the fastest clock there is.
            let least = LEASE * u32::try_from(DRIFT).unwrap_or(1) / u32::try_from(DRIFT + 1).unwrap_or(1);
            if age < least {
                self.blame(format!("the lease is taken {} ms after it was renewed", age.as_millis()));
            }
        }
        self.led.insert(session);
        self.key = Some(Held { revision: known.unwrap_or(0) + 1, value: Some(value.clone()), at: now, by: session });
    }
}

/// The cluster as one host reaches it in one of its runs.
#[derive(Clone)]
pub(crate) struct Reach {
    pub net: Arc<Mutex<Net>>,
    pub host: usize,
    pub session: Session,
}

impl Reach {
    pub fn lock(&self) -> MutexGuard<'_, Net> {
        self.net.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing is waited for on a thread: while a request is on its way, time goes by in the network, and the other hosts act.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

impl Reach {
    /// While a request or its answer is on the way, the other hosts have their turn.
    fn meanwhile(&self) {
        let others = self.lock().others.clone();
        others.into_iter().for_each(|others| others());
    }

    /// A question: the cluster answers as it is when the question arrives.
    fn asks<T>(&self, answer: impl FnOnce(&Net) -> T) -> Option<T> {
        let sent = self.lock().sends(self.host);
        self.meanwhile();
        let answer = answer(&self.lock());
        self.meanwhile();
        self.lock().comes_back(sent).then_some(answer)
    }
}

impl Requests for Reach {
    async fn publish(&self, after: u64, bytes: Bytes) -> Result<(), Published> {
        let failed = || Published::Failed("no acknowledgement in time".to_owned());
        let (sent, fitted) = {
            let mut net = self.lock();
            if !net.cut_off[self.host] && net.happens(Fault::Delay, 30) {
                net.now += REQUEST;
                net.late.push((self.session, after, bytes));
                return Err(failed());
            }
            (net.sends(self.host), net.messages.len() as u64 == after)
        };
        self.meanwhile();
        let taken = sent.arrives && self.arrives(after, &bytes, fitted);
        self.meanwhile();
        match (self.lock().comes_back(sent), taken) {
            (false, _) => Err(failed()),
            (true, true) => Ok(()),
            (true, false) => Err(Published::Elsewhere),
        }
    }

    async fn look(&self, message: u64) -> Result<Option<Bytes>, String> {
        let place = usize::try_from(message).ok().and_then(|message| message.checked_sub(1));
        let found = self.asks(|net| place.and_then(|place| net.messages.get(place).cloned()));
        found.ok_or_else(|| "no answer in time".to_owned())
    }

    async fn count(&self) -> Result<u64, String> {
        self.asks(|net| net.messages.len() as u64).ok_or_else(|| "no answer in time".to_owned())
    }

    fn now(&self) -> Instant {
        self.lock().clock(self.host)
    }

    async fn rest(&self, span: Duration) {
        self.lock().now += span;
        self.meanwhile();
    }
}

impl Reach {
    /// A message arrives at the stream, perhaps twice. `fitted`: it was the next one when it was sent.
    fn arrives(&self, after: u64, bytes: &Bytes, fitted: bool) -> bool {
        let mut net = self.lock();
        let unchecked = fitted && net.course.has(Flaw::CheckedWhenSent);
        let taken = if unchecked {
            net.append(self.session, bytes);
            true
        } else {
            net.take(self.session, after, bytes)
        };
        if net.happens(Fault::Duplicate, 20) {
            let duplicates = net.course.has(Flaw::DuplicateAppend);
            let again = if duplicates { net.messages.len() as u64 } else { after };
            net.take(self.session, again, bytes);
        }
        taken
    }
}

impl Quorum for Reach {
    fn append(&mut self, after: u64, bytes: Bytes, patience: Duration) -> Result<u64, Error> {
        let appended = ready(requests::append(self, after, bytes, patience));
        match appended {
            Err(Error::Unknown(_)) if self.lock().course.has(Flaw::NoQuorum) => Ok(after + 1),
            appended => appended,
        }
    }
}

impl Key for Reach {
    async fn entry(&self) -> Result<Option<Entry>, Unknown> {
        let entry = |held: &Held| Entry { revision: held.revision, value: held.value.clone() };
        self.asks(|net| net.key.as_ref().map(entry)).ok_or(Unknown)
    }

    async fn put(&self, value: &Bytes, revision: Option<u64>) -> Result<u64, Unknown> {
        let (sent, fitted) = {
            let mut net = self.lock();
            (net.sends(self.host), net.revision() == revision)
        };
        self.meanwhile();
        let taken = {
            let mut net = self.lock();
            let unchecked = fitted && net.course.has(Flaw::SwappedWhenSent);
            let taken = sent.arrives && (unchecked || net.revision() == revision);
            if taken {
                net.put(self.session, value);
            }
            taken
        };
        self.meanwhile();
        let comes_back = self.lock().comes_back(sent);
        if taken && comes_back { Ok(revision.unwrap_or(0) + 1) } else { Err(Unknown) }
    }

    async fn delete(&self, revision: u64) {
        let mut net = self.lock();
        let (arrives, _) = net.carries(self.host);
        let (session, at) = (self.session, net.now);
        if arrives && net.key.as_ref().is_some_and(|held| held.revision == revision) {
            net.key = Some(Held { revision: revision + 1, value: None, at, by: session });
        }
    }

    fn now(&self) -> Instant {
        let mut net = self.lock();
        if net.course.has(Flaw::LeaseTakenEarly) {
            // A clock that leaps whenever it is looked at.
            net.rates[self.host] += 2 * DRIFT;
        }
        net.clock(self.host)
    }
}

/// The messages of the stream, as a host that follows takes them.
pub(crate) struct Follow {
    pub reach: Reach,
    pub taken: u64,
}

impl Source for Follow {
    type Bytes = Bytes;

    fn next(&mut self, _within: Duration) -> Option<Bytes> {
        let mut net = self.reach.lock();
        if net.cut_off[self.reach.host] || net.happens(Fault::Delay, 6) {
            return None;
        }
        let message = net.messages.get(usize::try_from(self.taken).ok()?).cloned()?;
        self.taken += 1;
        Some(message)
    }

    fn taken(&self) -> u64 {
        self.taken
    }
}
