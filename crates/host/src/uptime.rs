//! The time when this host last ran, and the reading of the machine's monotonic clock then: a file beside the journal.
//!
//! The monotonic clock counts from the machine's start and cannot be set. A host that is restarted on a machine that
//! ran throughout therefore knows the time, whatever the system's clock says. After a reboot the monotonic clock
//! restarts, and only the time at which this host last ran is known.

use std::fs;
use std::path::Path;

use floor::Moment;

use crate::clock;

const FILE: &str = "clock";

/// A moment, and the reading of the monotonic clock then.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sign {
    moment: i64,
    /// Milliseconds since the machine was started.
    up: i64,
    /// Which start of the machine that was.
    boot: String,
}

impl Sign {
    fn read(text: &str) -> Option<Sign> {
        let mut words = text.split_ascii_whitespace();
        let (moment, up, boot) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.to_owned());
        words.next().is_none().then_some(Sign { moment, up, boot })
    }

    fn text(&self) -> String {
        format!("{} {} {}\n", self.moment, self.up, self.boot)
    }

    fn of(folder: &Path) -> Option<Sign> {
        Sign::read(&fs::read_to_string(folder.join(FILE)).ok()?)
    }

    /// The time by this record when the monotonic clock reads as in another.
    fn expected(&self, now: &Sign) -> Option<i64> {
        let passed = now.up.checked_sub(self.up).filter(|passed| *passed >= 0 && now.boot == self.boot)?;
        self.moment.checked_add(passed)
    }
}

/// The reading of the monotonic clock now.
fn sign(moment: Moment) -> Option<Sign> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
    let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let up = up.tv_sec.checked_mul(1_000)?.checked_add(up.tv_nsec / 1_000_000)?.checked_add(clock::moved::by())?;
    Some(Sign { moment: moment.0, up, boot })
}

/// Whether a text says when a host last ran, in the form of the file.
///
/// # Panics
/// When what is written out is read as something else.
pub(crate) fn is_sign(text: &str) -> bool {
    let Some(sign) = Sign::read(text) else { return false };
    assert_eq!(Sign::read(&sign.text()).as_ref(), Some(&sign));
    let _ = sign.expected(&sign);
    true
}

/// Notes what time it is.
///
/// # Errors
/// When the file cannot be written.
pub fn note(folder: &Path) -> std::io::Result<()> {
    use std::io::Write;
    let Some(sign) = sign(clock::now()) else { return Ok(()) };
    let mut file = journal::private::file_options().write(true).create(true).truncate(true).open(folder.join(FILE))?;
    file.write_all(sign.text().as_bytes())
}

/// When this host last ran; zero if that is not known.
#[must_use]
pub fn last(folder: &Path) -> Moment {
    Moment(Sign::of(folder).map_or(0, |sign| sign.moment))
}

/// The time by the machine's monotonic clock, if the machine has run throughout since this host last ran.
#[must_use]
pub fn expected(folder: &Path) -> Option<Moment> {
    Sign::of(folder)?.expected(&sign(Moment(0))?).map(Moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stopwatch_tells_the_time_as_long_as_the_machine_runs() {
        let was = Sign::read("1000000 5000 a\n").unwrap();
        assert_eq!(Sign::read(&was.text()), Some(was.clone()));
        let now = |up: i64, boot: &str| Sign { moment: 0, up, boot: boot.to_owned() };
        assert_eq!(was.expected(&now(65_000, "a")), Some(1_060_000));
        assert_eq!(was.expected(&now(65_000, "b")), None, "the machine was started again");
        assert_eq!(was.expected(&now(4_000, "a")), None, "a stopwatch does not run backwards");
        for text in ["", "1", "1 2", "x 2 a", "1 2 a b"] {
            assert_eq!(Sign::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_noted_is_known_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!((last(folder.path()), expected(folder.path())), (Moment(0), None));
        note(folder.path()).unwrap();
        let now = clock::now();
        assert!(now.since(last(folder.path())) < 60_000);
        assert!(expected(folder.path()).is_some_and(|moment| now.since(moment).abs() < 60_000));
    }
}
