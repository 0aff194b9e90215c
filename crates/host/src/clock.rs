//! The host's clock. All screens run on it.
//!
//! It follows the system's clock, small corrections included, but not a jump: then it goes on with the time that has
//! passed since, as a stopwatch measures it, until the system's clock is right again or an administrator has accepted it.
//! So nothing expires, closes or ends before its time because a clock was set, and nothing that is due waits longer.
//!
//! Time never stands still and never runs backwards. A clock that is a little behind, or was set back and accepted, is
//! approached slowly: until then, nine tenths of the time that passes count.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use floor::Moment;
use jiff::Timestamp;

/// A step of more than so many milliseconds is not followed.
const BOUND: i64 = 2_000;
/// Of the time that passes, this part is left out while the system's clock is behind.
const SLOWER: i64 = 10;
/// After a stop, a gap of more than so many milliseconds since the last record is not believed by itself: a week.
const GAP: i64 = 7 * 86_400_000;

static CLOCK: Mutex<Option<Clock>> = Mutex::new(None);
/// What tests add to the system's clock.
static SET: AtomicI64 = AtomicI64::new(0);

/// A moment, when it was, and whether the system's clock has jumped since.
#[derive(Copy, Clone, Debug)]
struct Clock {
    moment: i64,
    read: Instant,
    /// By how much it is ahead; a negative number if it was set back.
    ahead: Option<i64>,
    /// An administrator has accepted a clock that was set back: it is approached.
    accepted: bool,
}

impl Clock {
    /// The moment it is, by what the system's clock and the stopwatch say.
    fn now(&mut self, wall: i64, stopwatch: Instant) -> i64 {
        let passed = stopwatch.saturating_duration_since(self.read).as_millis();
        let passed = i64::try_from(passed).unwrap_or(i64::MAX);
        let expected = self.moment.saturating_add(passed);
        let ahead = wall.saturating_sub(expected);
        if ahead > BOUND || (ahead < -BOUND && !self.accepted) {
            self.ahead = Some(ahead);
            // In whole milliseconds, so that none is lost however often the clock is read.
            self.read += Duration::from_millis(passed.unsigned_abs());
            self.moment = expected;
            return expected;
        }
        self.ahead = None;
        if ahead >= 0 {
            *self = Clock { moment: wall, read: stopwatch, ahead: None, accepted: false };
            return wall;
        }
        let slower = (passed / SLOWER).min(-ahead);
        if slower > 0 {
            (self.moment, self.read) = (expected - slower, stopwatch);
        }
        expected - slower
    }
}

fn wall() -> i64 {
    Timestamp::now().as_millisecond() + SET.load(Ordering::Relaxed)
}

/// The moment it is.
#[must_use]
pub fn now() -> Moment {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (wall, read) = (wall(), Instant::now());
    Moment(clock.get_or_insert(Clock { moment: wall, read, ahead: None, accepted: false }).now(wall, read))
}

/// By how many milliseconds the system's clock is ahead of the time that has passed, if it jumped; a negative number if it
/// was set back.
#[must_use]
pub fn ahead() -> Option<i64> {
    let _ = now();
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner).and_then(|clock| clock.ahead)
}

/// The system's clock is right as it is. One that is ahead is followed at once, one that was set back is approached.
pub fn accept() {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    match clock.as_mut() {
        Some(clock) if clock.ahead.is_some_and(|ahead| ahead < 0) => clock.accepted = true,
        _ => *clock = None,
    }
}

/// A floor begins with its last record at this moment. A system's clock that is far beyond it, or before it, may be wrong.
pub fn begin(last: Moment) {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (wall, read) = (wall(), Instant::now());
    let far = clock.is_none() && wall.saturating_sub(last.0) > GAP;
    let now = clock.as_mut().map_or(wall, |clock| clock.now(wall, read));
    if far || last.0.saturating_sub(now) > BOUND {
        *clock = Some(Clock { moment: last.0, read, ahead: None, accepted: false });
    }
}

/// Sets the system's clock, as far as this program sees it. For tests.
#[doc(hidden)]
pub fn set(milliseconds: i64) {
    SET.store(milliseconds, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_ahead_is_not_followed_until_the_clock_is_right_again() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut clock = Clock { moment: 1_000_000, read: start, ahead: None, accepted: false };
        assert_eq!(clock.now(1_010_000, at(10)), 1_010_000);
        assert_eq!(clock.now(1_021_500, at(20)), 1_021_500, "a small correction is followed");
        assert_eq!(clock.now(4_622_500, at(21)), 1_022_500, "an hour ahead is not");
        assert_eq!(clock.ahead, Some(3_600_000));
        assert_eq!(clock.now(4_631_500, at(30)), 1_031_500, "waits in seconds go on as they were");
        assert_eq!(clock.now(1_041_000, at(40)), 1_041_000);
        assert_eq!(clock.ahead, None);
    }

    #[test]
    fn a_clock_that_is_set_back_changes_no_wait_until_it_is_accepted() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut clock = Clock { moment: 1_000_000, read: start, ahead: None, accepted: false };
        assert_eq!(clock.now(400_000, at(10)), 1_010_000, "time goes on");
        assert_eq!(clock.ahead, Some(-610_000));
        assert_eq!(clock.now(410_000, at(20)), 1_020_000);
        clock.accepted = true;
        assert_eq!(clock.now(420_000, at(30)), 1_029_000, "nine tenths of ten seconds");
        assert_eq!(clock.ahead, None);
        assert_eq!(clock.now(10_390_000, at(10_000)), 10_390_000, "until it is reached");
        assert_eq!(clock.now(10_391_000, at(10_001)), 10_391_000);
        assert!(!clock.accepted);
    }

    #[test]
    fn a_small_correction_back_does_not_stop_the_time_however_often_it_is_read() {
        let start = Instant::now();
        let mut clock = Clock { moment: 1_000_000, read: start, ahead: None, accepted: false };
        let mut last = 1_000_000;
        for step in 1..=100_000_u64 {
            let passed = Duration::from_micros(step * 300);
            let now = clock.now(998_500 + i64::try_from(passed.as_millis()).unwrap(), start + passed);
            assert!(now >= last);
            last = now;
        }
        assert_eq!(last, 1_028_500, "caught up within half a minute");
    }
}
