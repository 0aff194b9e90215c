//! Refused sign-ins and requests are recorded (S14): the first few of each minute and address one by one, the others as
//! one record with a count. None is left out when the host stops; a kill loses at most the count of the current minute.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use floor::{Body, StaffId};

use crate::app::App;
use crate::feed::message::ByeReason;
use crate::store;

/// Refusals from one address that are recorded one by one within a minute.
const EACH: u32 = 5;
/// How long refusals from one address are counted together.
const MINUTE: Duration = Duration::from_secs(60);
/// The most addresses with a count of their own; the others share one.
const ADDRESSES: usize = 1_000;
/// The most logins named in a record with a count.
const NAMED: usize = 5;
/// How often counts are checked.
const PACE: Duration = Duration::from_secs(1);

/// Refusals from one address.
#[derive(Debug)]
struct Tally {
    since: Instant,
    recorded: u32,
    counted: u64,
    logins: BTreeSet<String>,
}

impl Tally {
    fn new(now: Instant) -> Tally {
        Tally { since: now, recorded: 0, counted: 0, logins: BTreeSet::new() }
    }

    fn words(&self, place: &str) -> String {
        let logins: Vec<&str> = self.logins.iter().map(String::as_str).collect();
        let named = if logins.is_empty() { String::new() } else { format!(", for {}", logins.join(", ")) };
        let count = self.counted;
        format!("{count} more attempts from {place} were refused within a minute{named}")
    }
}

/// Refusals by address.
#[derive(Default)]
pub struct Access {
    tallies: Mutex<BTreeMap<String, Tally>>,
}

impl Access {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Tally>> {
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a refusal; returns whether to record it by itself.
    fn count(&self, address: IpAddr, login: Option<&str>, now: Instant) -> bool {
        let mut tallies = self.lock();
        let place = store::place(address);
        let place = if tallies.len() < ADDRESSES || tallies.contains_key(&place) { place } else { OTHERS.to_owned() };
        let tally = tallies.entry(place).or_insert_with(|| Tally::new(now));
        let record = tally.recorded < EACH;
        if record {
            tally.recorded += 1;
        } else {
            tally.counted += 1;
            if tally.logins.len() < NAMED {
                tally.logins.extend(login.map(store::shown));
            }
        }
        record
    }

    /// Removes and returns the counts that are due; all of them when the host stops.
    fn due(&self, now: Instant, all: bool) -> Vec<(String, Tally)> {
        let mut tallies = self.lock();
        let over = |tally: &Tally| all || now.duration_since(tally.since) >= MINUTE;
        let places: Vec<String> =
            tallies.iter().filter(|(_, tally)| over(tally)).map(|(place, _)| place.clone()).collect();
        places.into_iter().filter_map(|place| tallies.remove_entry(&place)).collect()
    }

    /// Keeps a count that could not be recorded.
    fn put_back(&self, place: String, tally: Tally) {
        let mut tallies = self.lock();
        match tallies.get_mut(&place) {
            Some(newer) => {
                newer.counted += tally.counted;
                newer.since = newer.since.min(tally.since);
            }
            None => drop(tallies.insert(place, tally)),
        }
    }
}

const OTHERS: &str = "other addresses";

impl App {
    /// Records that an attempt to sign in, to enrol or to sign as the second person was refused. If it is alarming, the
    /// pit shows it in one alert with a count.
    pub fn refused(&self, address: IpAddr, login: Option<&str>, words: &str, alarming: bool) {
        if self.access.count(address, login, Instant::now()) {
            self.significant(words, false);
        }
        if alarming {
            self.access_alert(words);
        }
    }

    /// Records the counts of refusals that are due, or all of them.
    pub fn record_refusals(&self, all: bool) {
        for (place, tally) in self.access.due(Instant::now(), all) {
            if tally.counted == 0 {
                continue;
            }
            let words = tally.words(&place);
            match self.own_unanswered(Body::Note { words: words.clone() }) {
                Ok(()) => tracing::info!(target: "access", "{words}"),
                Err(refused) => {
                    tracing::error!(%refused, "refused attempts could not be recorded yet");
                    self.access.put_back(place, tally);
                }
            }
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
    loop {
        tokio::select! {
            () = tokio::time::sleep(PACE) => app.record_refusals(false),
            () = app.hub.changed_posts.notified() => {}
        }
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
        assert_eq!(words, "995 more attempts from 10.0.0.7 were refused within a minute, for anna\\u{a}INFO");
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
    fn what_could_not_be_recorded_is_counted_on() {
        let (access, now, here) = (Access::default(), Instant::now(), IpAddr::from([10, 0, 0, 7]));
        for _ in 0..10 {
            let _ = access.count(here, None, now);
        }
        let (place, tally) = access.due(now, true).pop().unwrap();
        for _ in 0..10 {
            let _ = access.count(here, None, now);
        }
        access.put_back(place, tally);
        assert_eq!(access.due(now, true).pop().unwrap().1.counted, 10);
    }
}
