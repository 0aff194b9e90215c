//! The host's clock. All screens run on it.
//!
//! The floor's clock follows the system's clock, including small corrections, but not a jump. After a jump it continues
//! by the monotonic clock until the system's clock is right again or an administrator has accepted it. So nothing
//! expires, closes or ends early because a clock was set, and nothing that is due is delayed. Small corrections are
//! followed up to a sum: what goes beyond it within an hour is a jump too.
//!
//! Time never stands still and never runs backwards. If the system's clock is slightly behind, or was set back and
//! accepted, the floor's time runs at nine tenths of the normal rate until they agree.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use floor::Moment;
use jiff::Timestamp;

/// A step of more than so many milliseconds is not followed.
const BOUND: i64 = 2_000;
/// Nor are steps that together differ by more than that from the monotonic clock, within so many milliseconds.
const SPAN: i64 = 3_600_000;
/// A clock that differs by so many milliseconds or fewer, after such steps, is right again.
const RIGHT: i64 = 100;
/// Of the time that passes, this part is left out while the system's clock is behind.
const SLOWER: i64 = 10;
/// After a stop, a gap of more than so many milliseconds since this host last ran is not believed by itself: a day.
const GAP: i64 = 86_400_000;
/// What another host says of the time may be so many milliseconds old when it is heard.
const HEARD: i64 = 5_000;

static CLOCK: Mutex<Option<Clock>> = Mutex::new(None);
/// What tests add to the system's clock.
static SET: AtomicI64 = AtomicI64::new(0);

/// A moment, when it was, and whether the system's clock has jumped since.
#[derive(Copy, Clone, Debug)]
struct Clock {
    moment: i64,
    read: Instant,
    /// The same when the corrections began that are added up.
    since: (i64, Instant),
    /// By how much it is ahead; a negative number if it was set back.
    ahead: Option<i64>,
    /// An administrator has accepted a clock that was set back: it is approached.
    accepted: bool,
    /// It was compared with the time of a floor.
    compared: bool,
}

impl Clock {
    fn at(moment: i64, read: Instant) -> Clock {
        Clock { moment, read, since: (moment, read), ahead: None, accepted: false, compared: false }
    }

    /// The current moment, by the system's clock and the monotonic clock.
    fn now(&mut self, wall: i64, stopwatch: Instant) -> i64 {
        let passed = between(self.read, stopwatch);
        let expected = self.moment.saturating_add(passed);
        let ahead = wall.saturating_sub(expected);
        let jumped = ahead.abs() > BOUND;
        if (jumped || self.is_beyond(wall, expected, stopwatch)) && !(self.accepted && ahead < 0) {
            self.ahead = (jumped || ahead.abs() > RIGHT).then_some(ahead);
            // In whole milliseconds, so that none is lost however often the clock is read.
            self.read += Duration::from_millis(passed.unsigned_abs());
            self.moment = expected;
            return expected;
        }
        self.ahead = None;
        if ahead >= 0 {
            let since = if self.accepted { (wall, stopwatch) } else { self.since };
            *self = Clock { since, compared: self.compared, ..Clock::at(wall, stopwatch) };
            return wall;
        }
        let slower = (passed / SLOWER).min(-ahead);
        if slower > 0 {
            (self.moment, self.read) = (expected - slower, stopwatch);
        }
        expected - slower
    }

    /// Whether the system's clock differs too much from the time that has passed since the corrections began that are
    /// added up. They begin again every hour, but not while a clock is not followed.
    fn is_beyond(&mut self, wall: i64, expected: i64, stopwatch: Instant) -> bool {
        if self.ahead.is_none() && between(self.since.1, stopwatch) >= SPAN {
            self.since = (expected, stopwatch);
        }
        let passed = self.since.0.saturating_add(between(self.since.1, stopwatch));
        wall.saturating_sub(passed).abs() > BOUND
    }

    /// A floor begins with this clock: its last record is of `last`, and the monotonic clock says that it is
    /// `expected`, if the machine has run throughout.
    fn begin(&mut self, last: i64, expected: Option<i64>, wall: i64, stopwatch: Instant) {
        let doubtful = match expected {
            _ if self.compared => false,
            Some(expected) => wall.saturating_sub(expected).abs() > BOUND,
            // A new floor: there is nothing to compare with.
            None if last <= 0 => false,
            None => wall.saturating_sub(last) > GAP,
        };
        let now = self.now(wall, stopwatch);
        if doubtful || last.saturating_sub(now) > BOUND {
            *self = Clock::at(expected.unwrap_or(last).max(last), stopwatch);
        }
        self.compared = true;
    }

    /// The host that leads says what time it is on the floor.
    fn hear(&mut self, floor: i64, wall: i64, stopwatch: Instant) {
        let now = self.now(wall, stopwatch);
        if now.saturating_sub(floor) > HEARD || floor.saturating_sub(now) > BOUND {
            *self = Clock::at(floor, stopwatch);
            self.now(wall, stopwatch);
        }
        self.compared = true;
    }
}

/// The milliseconds from one reading of the monotonic clock to another.
fn between(first: Instant, last: Instant) -> i64 {
    i64::try_from(last.saturating_duration_since(first).as_millis()).unwrap_or(i64::MAX)
}

fn wall() -> i64 {
    Timestamp::now().as_millisecond() + SET.load(Ordering::Relaxed)
}

/// What the clock of this program says, or makes of it.
fn with<T>(work: impl FnOnce(&mut Clock, i64, Instant) -> T) -> T {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (wall, read) = (wall().saturating_add(moved::by()), stopwatch());
    work(clock.get_or_insert(Clock::at(wall, read)), wall, read)
}

/// The reading of the monotonic clock.
pub(crate) fn stopwatch() -> Instant {
    Instant::now() + Duration::from_millis(moved::by().unsigned_abs())
}

/// Time that has not passed, for tests of the program itself: the system's clock and the monotonic clock are both
/// ahead. The released program is built without this feature.
#[cfg(not(feature = "moved-clock"))]
pub(crate) mod moved {
    use std::time::Duration;

    /// By how many milliseconds.
    pub const fn by() -> i64 {
        0
    }

    /// How long to wait for a deadline before looking again.
    pub const fn wait(wait: Duration) -> Duration {
        wait
    }

    /// Everything that was due by then has taken effect.
    pub const fn elapsed(_by: i64) {}
}

/// Time that has not passed, for tests of the program itself. A test writes the milliseconds to the file that
/// `CROUPIER_MOVED_CLOCK` names; what is due takes effect, and the program says so in a file beside it.
#[cfg(feature = "moved-clock")]
pub(crate) mod moved {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    static BY: AtomicI64 = AtomicI64::new(0);
    static SAID: AtomicI64 = AtomicI64::new(0);

    fn file() -> Option<&'static PathBuf> {
        static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
        FILE.get_or_init(|| std::env::var_os("CROUPIER_MOVED_CLOCK").map(PathBuf::from)).as_ref()
    }

    /// By how many milliseconds; never less than before.
    pub fn by() -> i64 {
        let Some(file) = file() else { return 0 };
        let read = fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
        BY.fetch_max(read.unwrap_or(0), Ordering::AcqRel);
        BY.load(Ordering::Acquire)
    }

    /// How long to wait for a deadline before looking again: the time may be moved meanwhile.
    pub fn wait(wait: Duration) -> Duration {
        if file().is_some() { wait.min(Duration::from_millis(20)) } else { wait }
    }

    /// Everything that was due by then has taken effect.
    pub fn elapsed(by: i64) {
        let Some(file) = file().filter(|_| SAID.swap(by, Ordering::AcqRel) != by) else { return };
        if let Err(error) = fs::write(file.with_extension("elapsed"), by.to_string()) {
            tracing::warn!(%error, "the time that was moved cannot be acknowledged");
        }
    }
}

/// The moment it is.
#[must_use]
pub fn now() -> Moment {
    Moment(with(Clock::now))
}

/// By how many milliseconds the system's clock is ahead of the time that has passed, if it jumped; a negative number if it
/// was set back.
#[must_use]
pub fn ahead() -> Option<i64> {
    with(|clock, wall, read| {
        clock.now(wall, read);
        clock.ahead
    })
}

/// The system's clock is right as it is. One that is ahead is followed at once, one that was set back is approached.
pub fn accept() {
    with(|clock, wall, read| match clock.ahead {
        Some(ahead) if ahead < 0 => clock.accepted = true,
        _ => *clock = Clock { compared: clock.compared, ..Clock::at(wall, read) },
    });
}

/// A floor begins, and this host keeps its time. `last` is the time of the last record; `expected` is the time by the
/// machine's monotonic clock, if the machine has run throughout since this host last ran. A system clock that differs
/// from it, or is far after or before the last record, may be wrong: the floor's time then continues from what is
/// known.
pub fn begin(last: Moment, expected: Option<Moment>) {
    with(|clock, wall, read| clock.begin(last.0, expected.map(|moment| moment.0), wall, read));
}

/// The leader reports the floor's time. A follower uses it, whatever its own system clock says.
pub fn hear(floor: Moment) {
    with(|clock, wall, read| clock.hear(floor.0, wall, read));
}

/// Whether the clock was compared with the time of a floor: before that, it is what the system says.
#[must_use]
pub fn is_compared() -> bool {
    with(|clock, _, _| clock.compared)
}

/// Forgets what was known of the time, as a program that ends does. For tests.
#[doc(hidden)]
pub fn forget() {
    *CLOCK.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
        let mut clock = Clock::at(1_000_000, start);
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
        let mut clock = Clock::at(1_000_000, start);
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
    fn small_steps_add_up_to_two_seconds_an_hour_and_no_more() {
        let start = Instant::now();
        for (way, followed) in [(1_000, 2_000), (-1_000, -200), (90, 1_980), (40, 2_000)] {
            let mut clock = Clock::at(1_000_000, start);
            // A step after each second, read every 50 ms.
            let mut gained = 0;
            for read in 1..=1_200_i64 {
                let passed = read * 50;
                let stopwatch = start + Duration::from_millis(passed.unsigned_abs());
                gained = clock.now(1_000_000 + passed + read / 20 * way, stopwatch) - 1_000_000 - passed;
                assert!(gained.abs() <= 2_000, "{gained} by steps of {way}");
            }
            assert!((gained - followed).abs() <= 20, "{gained} by steps of {way}");
            assert_eq!(clock.ahead, Some(60 * way - gained));
            // An hour later it is not followed either: it waits for two people, or until the clock is right.
            let later = start + Duration::from_secs(2 * 3_600);
            assert_eq!(clock.now(1_000_000 + 7_200_000 + 60 * way, later), 1_000_000 + 7_200_000 + gained);
            assert_eq!(clock.ahead, Some(60 * way - gained));
            let right = start + Duration::from_secs(2 * 3_600 + 60);
            clock.now(1_000_000 + 7_260_000 + gained, right);
            assert_eq!(clock.ahead, None);
        }
        // A clock that is corrected a little each hour is followed for good.
        let mut clock = Clock::at(1_000_000, start);
        for hour in 1..=100_i64 {
            let at = start + Duration::from_secs(hour.unsigned_abs() * 3_601);
            let wall = 1_000_000 + hour * (3_601_000 + 1_500);
            assert_eq!((clock.now(wall, at), clock.ahead), (wall, None));
        }
    }

    #[test]
    fn a_small_correction_back_does_not_stop_the_time_however_often_it_is_read() {
        let start = Instant::now();
        let mut clock = Clock::at(1_000_000, start);
        let mut last = 1_000_000;
        for step in 1..=100_000_u64 {
            let passed = Duration::from_micros(step * 300);
            let now = clock.now(998_500 + i64::try_from(passed.as_millis()).unwrap(), start + passed);
            assert!(now >= last);
            last = now;
        }
        assert_eq!(last, 1_028_500, "caught up within half a minute");
    }

    const HOUR: i64 = 3_600_000;

    #[test]
    fn a_host_that_starts_with_a_clock_ahead_goes_on_with_the_time_that_it_knows() {
        let start = Instant::now();
        let began = |wall: i64, expected: Option<i64>| {
            let mut clock = Clock::at(wall, start);
            clock.begin(1_000_000, expected, wall, start);
            (clock.now(wall, start), clock.ahead)
        };
        // The machine ran throughout: its monotonic clock says how long.
        assert_eq!(began(1_060_000 + HOUR, Some(1_060_000)), (1_060_000, Some(HOUR)));
        assert_eq!(began(1_061_000, Some(1_060_000)), (1_061_000, None), "a small correction is followed");
        assert_eq!(began(1_060_000 + 9 * GAP, Some(1_060_000 + 9 * GAP)), (1_060_000 + 9 * GAP, None), "a long stop");
        assert_eq!(began(1_060_000 - HOUR, Some(1_060_000)), (1_060_000, Some(-HOUR)));
        // It did not: a stop of less than a day is believed.
        assert_eq!(began(1_000_000 + 20 * HOUR, None), (1_000_000 + 20 * HOUR, None));
        assert_eq!(began(1_000_000 + 25 * HOUR, None), (1_000_000, Some(25 * HOUR)));
        assert_eq!(began(1_000_000 - HOUR, None), (1_000_000, Some(-HOUR)));
        // A floor that begins has no record yet.
        let mut clock = Clock::at(90 * GAP, start);
        clock.begin(0, None, 90 * GAP, start);
        assert_eq!((clock.now(90 * GAP, start), clock.ahead, clock.compared), (90 * GAP, None, true));
    }

    #[test]
    fn a_host_that_follows_goes_by_the_time_of_the_one_that_leads() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let real = |seconds: i64| 1_000_000 + seconds * 1_000;
        for wrong in [HOUR, -HOUR] {
            let mut clock = Clock::at(real(0) + wrong, start);
            clock.hear(real(9), real(10) + wrong, at(10));
            assert_eq!(clock.now(real(10) + wrong, at(10)), real(9), "what is heard is a second old");
            clock.hear(real(20), real(20) + wrong, at(20));
            // It takes over: the last record is a while ago.
            clock.begin(real(15), None, real(30) + wrong, at(30));
            let now = clock.now(real(30) + wrong, at(30));
            assert!((real(29)..=real(30)).contains(&now), "{now}");
            assert!(clock.ahead.is_some_and(|ahead| (ahead - wrong).abs() <= 1_000), "{:?}", clock.ahead);
        }
        // Clocks that agree, and what is heard is late: nothing changes.
        let mut clock = Clock::at(real(0), start);
        clock.hear(real(6), real(10), at(10));
        assert_eq!((clock.now(real(10), at(10)), clock.ahead), (real(10), None));
        // So late that it seemed to be wrong: the next report corrects it.
        clock.hear(real(3), real(10), at(10));
        clock.hear(real(11), real(12), at(12));
        assert_eq!((clock.now(real(12), at(12)), clock.ahead), (real(12), None));
    }
}
