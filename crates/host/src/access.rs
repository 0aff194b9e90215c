//! Refused sign-ins and requests are recorded (S14): the first few of each minute and address one by one, the others as
//! one record with a count. Where there are too many addresses for a count each, the others share one, which names those
//! with the most attempts.
//!
//! A record waits until the floor has accepted it. While there is no leader or the host is busy, the host retries; when
//! the queue is full, further refusals are added to a count. Every second, and when the host stops, all that is not
//! recorded yet is written to a file, which the next start records: a kill loses at most the last second. If an answer
//! is lost, a refusal may be recorded twice, but never omitted.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use floor::{Body, StaffId};
use tokio::sync::Notify;

use crate::app::App;
use crate::door::refusals::{LONGEST, plain};
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
/// What is not recorded yet, a line each …
const FILE: &str = "refused";
/// … and its next version while it is written.
const NEXT: &str = "refused.next";
/// The most lines in it: what waits, and a count of each address.
const LINES: usize = WAITING + 2 * ADDRESSES;
/// The most bytes of one: a count names logins and addresses.
const LINE: usize = 12 * LONGEST;

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
    /// What is in the file.
    kept: Mutex<String>,
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
        // At no moment is a count in neither place.
        let mut tallies = self.lock();
        for (place, tally) in Access::due(&mut tallies, now, all) {
            if tally.counted > 0 {
                self.waiting().push_back(tally.words(&place));
            }
        }
    }

    /// Removes and returns the counts that are due, or all of them.
    fn due(tallies: &mut BTreeMap<String, Tally>, now: Instant, all: bool) -> Vec<(String, Tally)> {
        let over = |tally: &Tally| all || now.duration_since(tally.since) >= MINUTE;
        let places: Vec<String> =
            tallies.iter().filter(|(_, tally)| over(tally)).map(|(place, _)| place.clone()).collect();
        places.into_iter().filter_map(|place| tallies.remove_entry(&place)).collect()
    }

    /// Adds what an earlier run could not record.
    fn take_kept(&self, folder: &Path) {
        let Ok(file) = fs::File::open(folder.join(FILE)) else { return };
        let mut bytes = Vec::new();
        let read = file.take((LINES * LINE) as u64).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(error) = read {
            tracing::error!(%error, "refused attempts of an earlier run could not be read");
        }
        self.waiting().extend(kept_lines(&text));
        *self.kept() = text;
    }

    fn kept(&self) -> MutexGuard<'_, String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is not recorded yet, a line each.
    fn unrecorded(&self) -> String {
        let tallies = self.lock();
        let waiting = self.waiting();
        let counted = tallies.iter().filter(|(_, tally)| tally.counted > 0).map(|(place, tally)| tally.words(place));
        let mut text = String::new();
        for words in waiting.iter().cloned().chain(counted) {
            text.push_str(&words);
            text.push('\n');
        }
        text
    }

    /// Keeps what is not recorded yet in the file, for the next start, if it is not there already. The file is replaced as a
    /// whole, so that a power cut leaves the one or the other.
    fn keep(&self, folder: &Path) -> io::Result<()> {
        let mut kept = self.kept();
        let text = self.unrecorded();
        if text == *kept {
            return Ok(());
        }
        if text.is_empty() {
            forget_kept(folder)?;
        } else {
            let next = folder.join(NEXT);
            let mut file = journal::private::file_options().write(true).create(true).truncate(true).open(&next)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(next, folder.join(FILE))?;
        }
        *kept = text;
        Ok(())
    }
}

/// What an earlier run left: so many lines, each in bounds and without signs that could forge another.
pub(crate) fn kept_lines(text: &str) -> Vec<String> {
    let bounded = |line: &str| {
        let mut plain: String = line.chars().filter(|letter| !letter.is_control()).collect();
        plain.truncate(plain.floor_char_boundary(LINE));
        plain
    };
    text.lines().take(LINES).map(bounded).filter(|line| !line.is_empty()).collect()
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
    }

    /// Records all refusals before the host stops; what cannot be recorded is kept for the next start.
    pub async fn record_last_refusals(&self) {
        if tokio::time::timeout(AT_THE_END, self.record_refusals(true)).await.is_err() {
            self.access.take_due(Instant::now(), true);
        }
        self.keep_refusals();
    }

    /// Keeps what is not recorded yet in the file.
    fn keep_refusals(&self) {
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

/// Records counts when their minute is over, keeps what is not recorded yet, and ends the sessions of people whose post
/// has changed.
pub async fn run(app: Arc<App>) {
    app.access.take_kept(&app.config.data);
    tokio::join!(keep_recording(&app), keep_on_disk(&app), end_sessions(&app));
}

/// Whatever the floor accepts or does not, the file is up to date every second.
async fn keep_on_disk(app: &Arc<App>) {
    loop {
        tokio::time::sleep(PACE).await;
        let app = Arc::clone(app);
        let _ = tokio::task::spawn_blocking(move || app.keep_refusals()).await;
    }
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
        let due = |now, all| Access::due(&mut access.lock(), now, all);
        assert!(due(now, false).is_empty(), "the minute is not over");
        let over = due(now + MINUTE, false);
        let [(place, tally)] = &over[..] else { panic!("{over:?}") };
        let words = tally.words(place);
        assert_eq!(words, "995 more attempts from 10.0.0.7 were refused within a minute, for \"anna\\u{a}INFO\" (995)");
        assert!(due(now + MINUTE, true).is_empty());
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
        let counted: u64 = Access::due(&mut access.lock(), now, true).iter().map(|(_, tally)| tally.counted).sum();
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
        let due = Access::due(&mut access.lock(), now, true);
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
    fn what_is_not_recorded_yet_is_there_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let (access, here) = (Access::default(), IpAddr::from([10, 0, 0, 7]));
        let file = || fs::read_to_string(folder.path().join(FILE)).unwrap_or_default();
        access.waiting().push_back("Sign-in of anna was refused".to_owned());
        let attempts = || (0..10).filter(|_| access.count(here, Some("anna\nINFO"), Instant::now())).count();
        assert_eq!(attempts(), 5);
        access.keep(folder.path()).unwrap();
        let first = file();
        assert!(first.contains("\n5 more attempts from 10.0.0.7"), "{first}");
        assert_eq!(attempts(), 0);
        access.keep(folder.path()).unwrap();
        assert!(file().contains("\n15 more attempts from 10.0.0.7"), "{}", file());
        // What was a count waits when its minute is over, and is there once.
        access.take_due(Instant::now(), true);
        access.keep(folder.path()).unwrap();
        assert_eq!(file().lines().count(), 2);
        let again = Access::default();
        again.take_kept(folder.path());
        assert_eq!(*again.waiting(), *access.waiting());
        again.waiting().clear();
        again.keep(folder.path()).unwrap();
        assert!(!folder.path().join(FILE).exists() && !folder.path().join(NEXT).exists());
    }

    #[test]
    fn the_file_is_bounded_however_many_attempts_and_addresses_there_are() {
        let (access, now) = (Access::default(), Instant::now());
        for number in 0..3_000_u32 {
            for guess in 0..7 {
                let login = format!("{}-{guess}", "\u{10ffff}".repeat(5_000));
                let address = std::net::Ipv4Addr::from_bits(0x0a00_0000 + number);
                if access.count(address.into(), Some(&login), now) {
                    access.waiting().push_back(plain(&login));
                }
            }
        }
        let text = access.unrecorded();
        assert!(text.lines().count() <= LINES && text.lines().all(|line| line.len() <= LINE), "{}", text.len());
        assert_eq!(kept_lines(&text).len(), text.lines().count());
        let read = kept_lines(&format!("{}\n{}", "陳".repeat(100_000), "x\r\n\n".repeat(LINES)));
        assert!(read.len() <= LINES && read.iter().all(|line| line == "x" || line.len() == LINE), "{}", read.len());
    }
}
