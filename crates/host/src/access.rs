//! Refused sign-ins and requests are recorded (S14): the first few of each minute and address one by one, the others as
//! one record with a count. Where there are too many addresses for a count each, the others share one, which names those
//! with the most attempts.
//!
//! A record waits until the floor has accepted it. While there is no leader or the host is busy, the host retries; when
//! the queue is full, further refusals are added to a count. What is left when the host stops is kept in a file and
//! recorded by the next start. A kill loses at most the queue and the counts of the current minute. If an answer is
//! lost, a refusal may be recorded twice, but never omitted.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use floor::{Body, StaffId};
use tokio::sync::Notify;

use crate::app::App;
use crate::door::refusals::plain;
use crate::feed::message::ByeReason;
use crate::store;

/// Refusals from one address that are recorded one by one within a minute.
const EACH: u32 = 5;
/// How long refusals from one address are counted together.
const MINUTE: Duration = Duration::from_secs(60);
/// The most addresses with a count of their own; the others share one.
const ADDRESSES: usize = 1_000;
/// The most logins, and the most addresses, named in a record with a count …
const NAMED: usize = 5;
/// … and told apart meanwhile.
const TOLD_APART: usize = 200;
/// How often counts are checked.
const PACE: Duration = Duration::from_secs(1);
/// Records that may wait to be accepted; further refusals are counted.
const WAITING: usize = 2_000;
/// What was not accepted is tried again after so long.
const AGAIN: Duration = Duration::from_millis(20);
/// How long a host that stops waits until all is recorded.
const AT_THE_END: Duration = Duration::from_secs(3);
/// What could not be recorded before the host stopped, a line each.
const FILE: &str = "refused";

/// Refusals from one address.
#[derive(Debug)]
struct Tally {
    since: Instant,
    recorded: u32,
    counted: u64,
    logins: Most,
    /// Where addresses share the count.
    addresses: Most,
}

/// Which of many came most often, in bounded memory: where there are too many, a new one takes the place of the one that
/// came least, with its count.
#[derive(Debug, Default)]
struct Most {
    counts: BTreeMap<String, u64>,
    /// How many lost their place.
    gone: u64,
}

impl Most {
    fn add(&mut self, one: String) {
        if let Some(count) = self.counts.get_mut(&one) {
            *count += 1;
            return;
        }
        let mut count = 0;
        if self.counts.len() >= TOLD_APART
            && let Some(least) = self.counts.iter().min_by_key(|(_, count)| **count).map(|(name, _)| name.clone())
        {
            count = self.counts.remove(&least).unwrap_or(0);
            self.gone += 1;
        }
        self.counts.insert(one, count + 1);
    }

    /// Those that came most often, and how many more there are: `a (7), b (2) and 3 more`.
    fn words(&self) -> Option<String> {
        let mut all: Vec<(&String, &u64)> = self.counts.iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named: Vec<String> = all.iter().take(NAMED).map(|(name, count)| format!("{name} ({count})")).collect();
        let more = (all.len().saturating_sub(NAMED) as u64).saturating_add(self.gone);
        let more = match (more, self.gone) {
            (0, _) => String::new(),
            (more, 0) => format!(" and {more} more"),
            // One that came back is counted again.
            (more, _) => format!(" and up to {more} more"),
        };
        (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
    }
}

impl Tally {
    fn new(now: Instant) -> Tally {
        Tally { since: now, recorded: 0, counted: 0, logins: Most::default(), addresses: Most::default() }
    }

    fn words(&self, place: &str) -> String {
        let named = |what: &str, most: &Most| most.words().map(|words| format!("{what}{words}")).unwrap_or_default();
        let (from, logins) = (named(": ", &self.addresses), named(", for ", &self.logins));
        let count = self.counted;
        format!("{count} more attempts from {place}{from} were refused within a minute{logins}")
    }
}

/// Refusals by address.
#[derive(Default)]
pub struct Access {
    tallies: Mutex<BTreeMap<String, Tally>>,
    /// What waits until the floor has accepted it, oldest first.
    waiting: Mutex<VecDeque<String>>,
    /// Something waits.
    more: Notify,
    /// One at a time records what waits.
    one: tokio::sync::Mutex<()>,
    /// There is a file of an earlier run.
    kept: AtomicBool,
}

impl Access {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Tally>> {
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self) -> bool {
        self.waiting().len() < WAITING
    }

    /// Counts a refusal; returns whether to record it by itself.
    fn count(&self, address: IpAddr, login: Option<&str>, now: Instant) -> bool {
        let has_room = self.has_room();
        let mut tallies = self.lock();
        let place = store::place(address);
        let shared = tallies.len() >= ADDRESSES && !tallies.contains_key(&place);
        let own = if shared { OTHERS.to_owned() } else { place.clone() };
        let tally = tallies.entry(own).or_insert_with(|| Tally::new(now));
        let record = has_room && tally.recorded < EACH;
        if record {
            tally.recorded += 1;
        } else {
            tally.counted += 1;
            if let Some(login) = login {
                tally.logins.add(store::quoted(login));
            }
            if shared {
                tally.addresses.add(place);
            }
        }
        record
    }

    /// Lets the counts that are due wait to be recorded; all of them when the host stops. Where too much waits already,
    /// they are counted on.
    fn take_due(&self, now: Instant, all: bool) {
        if !all && !self.has_room() {
            return;
        }
        for (place, tally) in self.due(now, all) {
            if tally.counted > 0 {
                self.waiting().push_back(tally.words(&place));
            }
        }
    }

    /// Removes and returns the counts that are due, or all of them.
    fn due(&self, now: Instant, all: bool) -> Vec<(String, Tally)> {
        let mut tallies = self.lock();
        let over = |tally: &Tally| all || now.duration_since(tally.since) >= MINUTE;
        let places: Vec<String> =
            tallies.iter().filter(|(_, tally)| over(tally)).map(|(place, _)| place.clone()).collect();
        places.into_iter().filter_map(|place| tallies.remove_entry(&place)).collect()
    }

    /// Adds what an earlier run could not record.
    fn take_kept(&self, folder: &Path) {
        let Ok(text) = fs::read_to_string(folder.join(FILE)) else { return };
        self.waiting().extend(text.lines().take(WAITING + 2 * ADDRESSES).map(str::to_owned));
        self.kept.store(true, Ordering::Relaxed);
    }

    /// Keeps what waits in a file, for the next start.
    fn keep(&self, folder: &Path) -> io::Result<()> {
        let waiting = self.waiting();
        if waiting.is_empty() {
            return forget_kept(folder);
        }
        let mut options = journal::private::file_options();
        let mut file = options.write(true).create(true).truncate(true).open(folder.join(FILE))?;
        waiting.iter().try_for_each(|words| writeln!(file, "{words}"))?;
        file.sync_all()
    }
}

fn forget_kept(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

const OTHERS: &str = "other addresses";

impl App {
    /// Records that an attempt to sign in, to enrol or to sign as the second person was refused. If it is alarming, the
    /// pit shows it in one alert with a count.
    pub fn refused(&self, address: IpAddr, login: Option<&str>, words: &str, alarming: bool) {
        if self.access.count(address, login, Instant::now()) {
            let words = plain(words);
            tracing::info!(target: "access", "{words}");
            // A host alone that has taken it in has recorded it, or records nothing more in this run. On a cluster the
            // host may be fenced, or pass it on in vain: then it waits for the answer.
            let alone = self.membership.is_none();
            if !alone || self.own_unanswered(Body::Note { words: words.clone() }).is_err() {
                self.access.waiting().push_back(words);
                self.access.more.notify_one();
            }
        }
        if alarming {
            self.access_alert(words);
        } else {
            self.quiet_alert(words);
        }
    }

    /// Records the counts of refusals that are due, or all of them, and everything else in the queue. What is not
    /// accepted is retried later.
    pub async fn record_refusals(&self, all: bool) {
        let _one = self.access.one.lock().await;
        self.access.take_due(Instant::now(), all);
        loop {
            let Some(words) = self.access.waiting().front().cloned() else { break };
            let recorded = self.own(Body::Note { words: words.clone() }).await;
            let mut waiting = self.access.waiting();
            // The requested one: no other code removes any.
            let first = waiting.pop_front();
            if let Err(error) = recorded {
                tracing::warn!(code = error.error.code, "refused attempts could not be recorded yet");
                waiting.extend(first);
                return;
            }
        }
        if self.access.kept.swap(false, Ordering::Relaxed)
            && let Err(error) = forget_kept(&self.config.data)
        {
            tracing::error!(%error, "refused attempts of an earlier run may be recorded twice");
        }
    }

    /// Records all refusals before the host stops; what cannot be recorded is kept for the next start.
    pub async fn record_last_refusals(&self) {
        if tokio::time::timeout(AT_THE_END, self.record_refusals(true)).await.is_err() {
            self.access.take_due(Instant::now(), true);
        }
        if let Err(error) = self.access.keep(&self.config.data) {
            tracing::error!(%error, left = self.access.waiting().len(), "refused attempts could not be kept");
        }
    }

    /// Ends the sessions and the feeds of a person.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn end_sessions(&self, staff: StaffId) -> crate::error::ApiResult<()> {
        self.change_credentials(move |store| store.end_sessions_of(staff)).await??;
        self.hub.end_feeds_of(staff, ByeReason::Revoked);
        Ok(())
    }
}

/// Records counts when their minute is over, and ends the sessions of people whose post has changed.
pub async fn run(app: Arc<App>) {
    app.access.take_kept(&app.config.data);
    tokio::join!(keep_recording(&app), end_sessions(&app));
}

async fn keep_recording(app: &App) {
    loop {
        app.record_refusals(false).await;
        tokio::time::sleep(AGAIN).await;
        let _ = tokio::time::timeout(PACE, app.access.more.notified()).await;
    }
}

async fn end_sessions(app: &App) {
    loop {
        app.hub.changed_posts.notified().await;
        // On a cluster, the leader does this for all hosts.
        for staff in app.hub.take_changed_posts() {
            if app.is_in_charge()
                && let Err(error) = app.end_sessions(staff).await
            {
                tracing::error!(cause = error.error.message.en, %staff, "sessions could not be ended");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_refusals_are_recorded_each_and_many_as_one_count() {
        let (access, now, here) = (Access::default(), Instant::now(), IpAddr::from([10, 0, 0, 7]));
        let recorded = (0..1_000).filter(|_| access.count(here, Some("anna\nINFO"), now)).count();
        assert_eq!(recorded, 5);
        assert!(access.due(now, false).is_empty(), "the minute is not over");
        let due = access.due(now + MINUTE, false);
        let [(place, tally)] = &due[..] else { panic!("{due:?}") };
        let words = tally.words(place);
        assert_eq!(words, "995 more attempts from 10.0.0.7 were refused within a minute, for \"anna\\u{a}INFO\" (995)");
        assert!(access.due(now + MINUTE, true).is_empty());
    }

    #[test]
    fn no_refusal_is_left_out_however_many_addresses_there_are() {
        let (access, now) = (Access::default(), Instant::now());
        let mut recorded = 0;
        for number in 0..3_000_u32 {
            for _ in 0..7 {
                recorded += u64::from(access.count(IpAddr::from(number.to_be_bytes()), None, now));
            }
        }
        assert!(access.lock().len() <= ADDRESSES + 1);
        let counted: u64 = access.due(now, true).iter().map(|(_, tally)| tally.counted).sum();
        assert_eq!(recorded + counted, 21_000);
    }

    #[test]
    fn a_record_of_many_addresses_names_those_with_the_most_attempts_and_says_how_many_more_there_are() {
        let (access, now) = (Access::default(), Instant::now());
        for number in 0..3_000_u32 {
            let times = if number == 2_500 { 900 } else { 1 };
            for _ in 0..times {
                let login = format!("guess-{number}, \"x\"");
                let _ = access.count(IpAddr::from((number + 0x0a00_0000).to_be_bytes()), Some(&login), now);
            }
        }
        let due = access.due(now, true);
        let words = due.iter().find(|(place, _)| place == OTHERS).map(|(place, tally)| tally.words(place)).unwrap();
        let busiest = std::net::Ipv4Addr::from_bits(2_500 + 0x0a00_0000);
        assert!(words.starts_with(&format!("2894 more attempts from other addresses: {busiest} (9")), "{words}");
        assert!(words.contains(" and up to ") && words.contains(r#"for "guess-2500, \"x\"" (9"#), "{words}");
        assert!(words.chars().count() < crate::door::refusals::LONGEST * 3, "{words}");
    }

    #[test]
    fn what_waits_is_bounded_and_the_rest_is_counted() {
        let (access, now) = (Access::default(), Instant::now());
        let mut recorded = 0;
        for number in 0..3_000_u32 {
            for _ in 0..7 {
                if access.count(IpAddr::from(number.to_be_bytes()), None, now) {
                    access.waiting().push_back("refused".to_owned());
                    recorded += 1;
                }
            }
        }
        assert_eq!(recorded, WAITING);
        access.take_due(now + MINUTE, false);
        assert_eq!(access.waiting().len(), WAITING, "nobody has taken anything yet: counted on");
        let counted: u64 = access.lock().values().map(|tally| tally.counted).sum();
        assert_eq!(recorded as u64 + counted, 21_000);
        access.waiting().clear();
        access.take_due(now + MINUTE, false);
        assert!(access.lock().is_empty() && access.waiting().len() <= ADDRESSES + 1);
    }

    #[test]
    fn what_is_left_at_a_stop_is_there_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let (access, here) = (Access::default(), IpAddr::from([10, 0, 0, 7]));
        access.waiting().push_back("Sign-in of anna was refused".to_owned());
        for _ in 0..10 {
            let _ = access.count(here, Some("anna\nINFO"), Instant::now());
        }
        access.take_due(Instant::now(), true);
        access.keep(folder.path()).unwrap();
        let again = Access::default();
        again.take_kept(folder.path());
        assert_eq!(*again.waiting(), *access.waiting());
        assert_eq!(again.waiting().len(), 2);
        again.waiting().clear();
        again.keep(folder.path()).unwrap();
        assert!(!folder.path().join(FILE).exists());
    }
}
