//! The host's clock. All screens run on it.
//!
//! It follows the system's clock, small corrections included, but not a jump ahead: then it goes on with the time that has
//! passed since, as a stopwatch measures it, until the system's clock is right again or an administrator has accepted it.
//! So nothing expires, closes or ends before its time because a clock was set. A clock that is set back is followed; the
//! floor's own time never runs backwards.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use floor::Moment;
use jiff::Timestamp;

/// A step ahead of more than so many milliseconds is not followed.
const BOUND: i64 = 2_000;
/// After a stop, a gap of more than so many milliseconds since the last record is not believed by itself: a week.
const GAP: i64 = 7 * 86_400_000;

static CLOCK: Mutex<Option<Clock>> = Mutex::new(None);
/// What tests add to the system's clock.
static SET: AtomicI64 = AtomicI64::new(0);

/// A moment, when it was, and whether the system's clock has gone ahead since.
#[derive(Copy, Clone, Debug)]
struct Clock {
    moment: i64,
    read: Instant,
    ahead: Option<i64>,
}

impl Clock {
    /// The moment it is, by what the system's clock and the stopwatch say.
    fn now(&mut self, wall: i64, stopwatch: Instant) -> i64 {
        let passed = stopwatch.saturating_duration_since(self.read).as_millis();
        let expected = self.moment.saturating_add(i64::try_from(passed).unwrap_or(i64::MAX));
        let ahead = wall.saturating_sub(expected);
        if ahead > BOUND {
            self.ahead = Some(ahead);
            return expected;
        }
        *self = Clock { moment: wall, read: stopwatch, ahead: None };
        wall
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
    Moment(clock.get_or_insert(Clock { moment: wall, read, ahead: None }).now(wall, read))
}

/// By how many milliseconds the system's clock is ahead of the time that has passed, if it jumped.
#[must_use]
pub fn ahead() -> Option<i64> {
    let _ = now();
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner).and_then(|clock| clock.ahead)
}

/// The system's clock is right as it is.
pub fn accept() {
    *CLOCK.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// A floor begins with its last record at this moment. A system's clock that is far beyond it may be wrong.
pub fn begin(last: Moment) {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (wall, read) = (wall(), Instant::now());
    if wall.saturating_sub(last.0) > GAP && clock.is_none() {
        *clock = Some(Clock { moment: last.0, read, ahead: None });
    }
}

/// Sets the system's clock, as far as this program sees it. For tests.
#[doc(hidden)]
pub fn set(milliseconds: i64) {
    SET.store(milliseconds, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_jump_ahead_is_not_followed_until_the_clock_is_right_again() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut clock = Clock { moment: 1_000_000, read: start, ahead: None };
        assert_eq!(clock.now(1_010_000, at(10)), 1_010_000);
        assert_eq!(clock.now(1_021_500, at(20)), 1_021_500, "a small correction is followed");
        assert_eq!(clock.now(4_622_500, at(21)), 1_022_500, "an hour ahead is not");
        assert_eq!(clock.ahead, Some(3_600_000));
        assert_eq!(clock.now(4_631_500, at(30)), 1_031_500, "waits in seconds go on as they were");
        assert_eq!(clock.now(1_041_000, at(40)), 1_041_000);
        assert_eq!(clock.ahead, None);
    }

    #[test]
    fn a_clock_that_is_set_back_is_followed() {
        let start = Instant::now();
        let mut clock = Clock { moment: 1_000_000, read: start, ahead: None };
        assert_eq!(clock.now(400_000, start + Duration::from_secs(10)), 400_000);
        assert_eq!(clock.now(410_000, start + Duration::from_secs(20)), 410_000);
    }
}
