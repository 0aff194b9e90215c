//! Refused requests and sign-ins as one alert at the pit, and how text from strangers is made safe.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The alert at the pit changes at most this often while attempts go on …
const MINUTE: Duration = Duration::from_secs(60);
/// … and once more when there were none for so long, so that its count is complete.
const QUIET: Duration = Duration::from_secs(10);
/// So many refusals within a minute, from all addresses together, are shown although each alone is not.
const MANY: u32 = 20;
/// The most characters of a text that contains input from a stranger.
pub const LONGEST: usize = 300;

/// Refusals since the alert at the pit last changed.
#[derive(Default)]
pub struct Refusals(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    told: Option<Instant>,
    added: Option<Instant>,
    words: String,
    count: u32,
    /// Refusals that alarm only together, since when.
    quiet: u32,
    quiet_since: Option<Instant>,
}

impl Refusals {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a refusal.
    pub fn add(&self, words: &str) {
        self.add_at(words, Instant::now());
    }

    fn add_at(&self, words: &str, now: Instant) {
        let mut inside = self.lock();
        inside.added = Some(now);
        plain(words).clone_into(&mut inside.words);
        inside.count = inside.count.saturating_add(1);
    }

    /// Adds a refusal that alarms only together with others: a wrong password here and there is a slip, many in a minute from
    /// all addresses are an attack.
    pub fn add_quiet(&self, words: &str) {
        self.add_quiet_at(words, Instant::now());
    }

    fn add_quiet_at(&self, words: &str, now: Instant) {
        let mut inside = self.lock();
        if inside.quiet_since.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            (inside.quiet, inside.quiet_since) = (0, Some(now));
        }
        inside.quiet = inside.quiet.saturating_add(1);
        let counted = match inside.quiet {
            fewer if fewer < MANY => return,
            MANY => MANY,
            _ => 1,
        };
        inside.added = Some(now);
        inside.words =
            plain(&format!("Many attempts from all addresses were refused within a minute. The latest: {words}"));
        inside.count = inside.count.saturating_add(counted);
    }

    /// The latest refusal and the count, if the alert may change now.
    #[must_use]
    pub fn due(&self) -> Option<(String, u32)> {
        self.due_at(Instant::now())
    }

    fn due_at(&self, now: Instant) -> Option<(String, u32)> {
        let mut inside = self.lock();
        let since = |at: Option<Instant>, least: Duration| at.is_none_or(|at| now.duration_since(at) >= least);
        let over = since(inside.added, QUIET) && since(inside.told, QUIET);
        if inside.count == 0 || !(over || since(inside.told, MINUTE)) {
            return None;
        }
        inside.told = Some(now);
        Some((std::mem::take(&mut inside.words), std::mem::take(&mut inside.count)))
    }

    /// The alert could not be raised: the count is kept.
    pub fn put_back(&self, words: String, count: u32) {
        let mut inside = self.lock();
        if inside.count == 0 {
            inside.words = words;
        }
        inside.count = inside.count.saturating_add(count);
        inside.told = None;
    }
}

/// Escapes line breaks and other control characters and limits the length, so that a text cannot forge a log line and
/// is never too long to record.
#[must_use]
pub fn plain(words: &str) -> String {
    let mut text = String::new();
    for (place, letter) in words.chars().enumerate() {
        if place >= LONGEST {
            text.push('…');
            break;
        }
        if letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    if text.trim().is_empty() { "(empty)".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stranger_writes_is_one_short_line() {
        assert_eq!(plain("anna\nINFO signed in\r\u{7}"), "anna\\nINFO signed in\\r\\u{7}");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        assert!(plain(&"x".repeat(1_000_000)).chars().count() <= LONGEST + 1);
        assert!(plain(&"\n".repeat(1_000)).chars().count() <= 3 * LONGEST);
        assert_eq!(plain(" "), "(empty)");
        assert_eq!(plain("陳大文 signed in"), "陳大文 signed in");
    }

    #[test]
    fn the_pit_is_told_at_once_and_then_once_a_minute_with_a_count() {
        let refusals = Refusals::default();
        assert_eq!(refusals.due(), None);
        refusals.add("first");
        assert_eq!(refusals.due(), Some(("first".to_owned(), 1)));
        for _ in 0..2_300 {
            refusals.add("more");
            assert_eq!(refusals.due(), None);
        }
        refusals.put_back("first".to_owned(), 1);
        assert_eq!(refusals.due(), Some(("more".to_owned(), 2_301)), "nothing is left out");
    }

    #[test]
    fn many_slips_in_a_minute_from_all_addresses_are_an_attack() {
        let (refusals, start) = (Refusals::default(), Instant::now());
        for second in 0..40 {
            // One every ten seconds alarms never.
            let now = start + Duration::from_secs(second * 10);
            refusals.add_quiet_at("a slip", now);
            assert_eq!(refusals.due_at(now), None);
        }
        let later = start + Duration::from_secs(1_000);
        for _ in 1..MANY {
            refusals.add_quiet_at("a spray", later);
            assert_eq!(refusals.due_at(later), None);
        }
        refusals.add_quiet_at("a spray", later);
        let (words, count) = refusals.due_at(later).expect("an alert");
        assert!(words.ends_with("a spray") && count == MANY, "{words} {count}");
        refusals.add_quiet_at("a spray", later);
        assert_eq!(refusals.due_at(later + MINUTE).map(|(_, count)| count), Some(1), "and it is counted on");
    }

    #[test]
    fn when_a_burst_ends_the_pit_has_the_whole_count() {
        let (refusals, start) = (Refusals::default(), Instant::now());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut told = 0;
        for n in 0..116 {
            refusals.add_at("wrong", at(n / 4));
            told += refusals.due_at(at(n / 4)).map_or(0, |(_, count)| count);
        }
        assert!(told < 116);
        told += refusals.due_at(at(40)).map_or(0, |(_, count)| count);
        assert_eq!(told, 116, "long before the minute is over");
        // One attempt after the other, slowly, does not change the alert each time.
        let changes = (0..60).filter(|n| {
            refusals.add_at("slowly", at(50 + 2 * n));
            refusals.due_at(at(51 + 2 * n)).is_some()
        });
        assert!(changes.count() <= 3);
    }
}
